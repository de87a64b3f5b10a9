//! `--bindings-lock FILE` and `--locked`.

use super::Outcome;
use crate::batch::LockFile;
use clap::Args;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// The options.
#[derive(Args, Debug, Clone, Default)]
pub struct LockArgs {
    /// Keep the positions that this file records, assign new parameters positions after them, and record those.
    #[arg(long, value_name = "FILE")]
    bindings_lock: Option<PathBuf>,
    /// It is an error if the bindings lock would change: for builds that nobody looks at.
    #[arg(long)]
    locked: bool,
}

impl LockArgs {
    /// The command line names a lock.
    pub fn is_named(&self) -> bool {
        self.bindings_lock.is_some()
    }

    /// The lock is that of a manifest, if it has one.
    pub fn is_of_manifest(&self, of_manifest: Option<&Path>) -> bool {
        !self.is_named() && of_manifest.is_some()
    }

    /// Reads the lock, or the one of a manifest. What is wrong with it is reported.
    pub fn open(&self, of_manifest: Option<&Path>) -> Result<Option<LockFile>, Outcome> {
        match self.bindings_lock.as_deref().or(of_manifest) {
            Some(path) => {
                let opened = LockFile::open(path, self.locked, std::io::stderr().is_terminal());
                opened.map(Some).map_err(|text| report(&text))
            }
            None if self.locked => {
                eprintln!("error: `--locked` needs a lock: name one with --bindings-lock or in the manifest");
                Err(Outcome::Usage)
            }
            None => Ok(None),
        }
    }
}

/// Writes a lock, if there is one.
pub fn save(lock: Option<LockFile>) -> Outcome {
    match lock.map_or(Ok(()), LockFile::save) {
        Ok(()) => Outcome::Done,
        Err(text) => report(&text),
    }
}

fn report(text: &str) -> Outcome {
    eprint!("{text}");
    Outcome::InputErrors
}
