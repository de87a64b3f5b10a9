//! A cache directory: a file an entry. Writing is a rename of a whole file.
//!
//! It has a bound of bytes. When a build has added to it, and more is in it, the files that were used least lately are removed until a
//! tenth of the bound is free.

use super::Statistics;
use crate::batch::write_whole;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// A file that was used so lately is not marked as used again.
const MARK_AFTER: Duration = Duration::from_secs(3600);

/// A directory, which is made when something is added.
#[derive(Debug)]
pub struct CacheDirectory {
    path: PathBuf,
    bound: u64,
    added: AtomicU64,
}

impl CacheDirectory {
    /// A directory that is to have no more bytes than that.
    pub fn new(path: &Path, bound: u64) -> CacheDirectory {
        CacheDirectory { path: path.to_path_buf(), bound, added: AtomicU64::new(0) }
    }

    /// What is stored at a place.
    pub fn get(&self, place: &str) -> Option<Vec<u8>> {
        let path = self.path.join(place);
        let bytes = std::fs::read(&path).ok()?;
        mark(&path);
        Some(bytes)
    }

    /// Stores bytes. What cannot be stored is not.
    pub fn put(&self, place: &str, bytes: &[u8]) {
        if write_whole(&self.path.join(place), bytes).is_ok() {
            self.added.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        }
    }

    /// Removes an entry.
    pub fn remove(&self, place: &str) {
        // One that cannot be removed is compared with its digest again.
        let _ = std::fs::remove_file(self.path.join(place));
    }

    /// Removes what is used least lately, if something was added and there is more than the bound.
    pub fn keep_bound(&self) {
        if self.added.load(Ordering::Relaxed) > 0 && self.statistics().bytes > self.bound {
            self.clean(self.bound / 10 * 9);
        }
    }

    /// Removes what is used least lately until at most so many bytes are left. Gives what was removed.
    pub fn clean(&self, bound: u64) -> Statistics {
        let mut files = self.files();
        files.sort_by_key(|(path, used, _)| (std::cmp::Reverse(*used), path.clone()));
        let mut kept = 0u64;
        let mut removed = Statistics::default();
        for (path, _, size) in files {
            kept = kept.saturating_add(size);
            if kept > bound && std::fs::remove_file(&path).is_ok() {
                removed.entries += 1;
                removed.bytes += size;
            }
        }
        removed
    }

    /// What is in it.
    pub fn statistics(&self) -> Statistics {
        let files = self.files();
        Statistics { entries: files.len() as u64, bytes: files.iter().map(|(.., size)| size).sum() }
    }

    /// Its files with the time of their last use and their bytes. Temporary files that a build has left are among them.
    fn files(&self) -> Vec<(PathBuf, SystemTime, u64)> {
        let files = walkdir::WalkDir::new(&self.path).into_iter().flatten().filter(|e| e.file_type().is_file());
        let facts = |entry: walkdir::DirEntry| {
            let metadata = entry.metadata().ok()?;
            Some((entry.into_path(), metadata.modified().ok()?, metadata.len()))
        };
        files.filter_map(facts).collect()
    }
}

/// Marks a file as used now.
fn mark(path: &Path) {
    let now = SystemTime::now();
    let used = std::fs::metadata(path).and_then(|m| m.modified());
    if used.is_ok_and(|used| now.duration_since(used).is_ok_and(|ago| ago > MARK_AFTER))
        && let Ok(file) = std::fs::File::options().append(true).open(path)
    {
        // A cache that is only read works all the same.
        let _ = file.set_modified(now);
    }
}
