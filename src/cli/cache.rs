//! `shaderport cache`: what is in the cache, and removing it.

use super::{Outcome, show};
use crate::batch::{Store, USUAL_BOUND};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The options that name a cache.
#[derive(Args, Debug, Clone)]
pub struct StoreArgs {
    /// A directory in which builds share what they have compiled. The environment variable SHADERPORT_CACHE names one, too.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// The most bytes that the cache may have, with K, M or G.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    cache_size: Option<u64>,
}

impl StoreArgs {
    /// The cache, if one is named.
    pub fn open(&self) -> Option<Store> {
        let of_environment = || std::env::var_os("SHADERPORT_CACHE").filter(|v| !v.is_empty()).map(PathBuf::from);
        let directory = self.cache.clone().or_else(of_environment)?;
        Some(Store::new(&directory, self.cache_size.unwrap_or(USUAL_BOUND)))
    }
}

/// Arguments of `cache`.
#[derive(Args, Debug)]
pub struct CacheArgs {
    #[command(subcommand)]
    command: CacheCommand,
}

#[derive(Subcommand, Debug)]
enum CacheCommand {
    /// Show how many entries and bytes there are.
    Stat(StoreArgs),
    /// Remove all entries; with --cache-size, those that were used least lately until no more bytes are left.
    Clean(StoreArgs),
}

/// `shaderport cache`.
pub fn cache(args: &CacheArgs) -> Outcome {
    let store = match &args.command {
        CacheCommand::Stat(store) | CacheCommand::Clean(store) => store,
    };
    let Some(cache) = store.open() else {
        eprintln!("error: no cache is named: use --cache or the environment variable SHADERPORT_CACHE");
        return Outcome::Usage;
    };
    let (found, what) = match &args.command {
        CacheCommand::Stat(_) => (cache.statistics(), "there"),
        CacheCommand::Clean(_) => (cache.clean(store.cache_size.unwrap_or(0)), "removed"),
    };
    show(&format!("{} entries with {} bytes {what}\n", found.entries, found.bytes))
}

/// A number of bytes: `500M`.
fn size(text: &str) -> Result<u64, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let shift = match unit {
        "" => 0,
        "K" | "k" => 10,
        "M" | "m" => 20,
        "G" | "g" => 30,
        _ => return Err(format!("`{unit}` is no unit of a size; there are K, M and G")),
    };
    let number: u64 = digits.parse().map_err(|e| format!("`{text}`: {e}"))?;
    number.checked_mul(1 << shift).ok_or_else(|| format!("`{text}` is too large"))
}
