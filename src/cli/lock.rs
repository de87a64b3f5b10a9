//! `--bindings-lock FILE` and `--locked`.

use crate::batch::{Finding, LockFile};
use crate::diagnostic::Code;
use clap::Args;
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

    /// The path of the lock, or of the one of a manifest.
    pub fn path<'p>(&'p self, of_manifest: Option<&'p Path>) -> Option<&'p Path> {
        self.bindings_lock.as_deref().or(of_manifest)
    }

    /// Reads the lock, or the one of a manifest.
    pub fn read(&self, of_manifest: Option<&Path>) -> Result<Option<LockFile>, Finding> {
        self.read_as(of_manifest, self.locked)
    }

    /// The same where nothing may write it.
    pub fn read_locked(&self, of_manifest: Option<&Path>) -> Result<Option<LockFile>, Finding> {
        self.read_as(of_manifest, self.locked || self.path(of_manifest).is_some())
    }

    /// The same for a run that writes nothing: it is an error if a lock that is there would change.
    pub fn read_to_check(&self, of_manifest: Option<&Path>) -> Result<Option<LockFile>, Finding> {
        let is_there = self.path(of_manifest).is_some_and(Path::exists);
        self.read_as(of_manifest.filter(|_| is_there || self.locked), self.locked || is_there)
    }

    fn read_as(&self, of_manifest: Option<&Path>, locked: bool) -> Result<Option<LockFile>, Finding> {
        match self.path(of_manifest) {
            Some(path) => LockFile::open(path, locked).map(Some),
            None if self.locked => {
                let text = "`--locked` needs a lock: name one with --bindings-lock or in the manifest";
                Err(Finding::error(Code::BAD_OPTION, text))
            }
            None => Ok(None),
        }
    }
}

/// Writes a lock, if there is one.
pub fn write(lock: Option<LockFile>) -> Result<(), Finding> {
    lock.map_or(Ok(()), LockFile::save)
}
