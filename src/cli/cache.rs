//! `shaderport cache`: what is in the cache, and removing it.

use super::{Outcome, say, show};
use crate::batch::{Store, USUAL_BOUND};
use crate::diagnostic::Code;
use clap::{Args, Subcommand};
use std::ffi::OsString;

/// The options that name a cache.
#[derive(Args, Debug, Clone)]
pub struct StoreArgs {
    /// Where builds share what they have compiled: a directory, or a service by its URL (redis://HOST/PREFIX, s3://BUCKET/PREFIX,
    /// webdav://HOST/PATH); given twice, a directory in front of a service. SHADERPORT_CACHE names it, too.
    #[arg(long, value_name = "DIR|URL")]
    cache: Vec<OsString>,
    /// The most bytes that the cache directory may have, with K, M or G.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    cache_size: Option<u64>,
}

impl StoreArgs {
    /// The cache, if one is named. The error is a text for people.
    pub fn open(&self) -> Result<Option<Store>, String> {
        let of_environment = || std::env::var_os("SHADERPORT_CACHE");
        let mut names = if self.cache.is_empty() { of_environment().into_iter().collect() } else { self.cache.clone() };
        // `--cache ""` is none, whatever the environment says.
        names.retain(|name| !name.is_empty());
        if names.is_empty() {
            return Ok(None);
        }
        Store::open(names.iter().map(OsString::as_os_str), self.cache_size.unwrap_or(USUAL_BOUND)).map(Some)
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
    let unnamed = || "no cache is named: use --cache or the environment variable SHADERPORT_CACHE".to_owned();
    let found = store.open().and_then(|cache| cache.ok_or_else(unnamed)).and_then(|cache| match &args.command {
        CacheCommand::Stat(_) => Ok((cache.statistics()?, "there")),
        CacheCommand::Clean(_) => Ok((cache.clean(store.cache_size.unwrap_or(0))?, "removed")),
    });
    match found {
        Ok((found, what)) => show(&format!("{} entries with {} bytes {what}\n", found.entries, found.bytes)),
        Err(fault) => {
            say(&format!("error[{}]: {fault}\n", Code::BAD_OPTION));
            Outcome::Usage
        }
    }
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
