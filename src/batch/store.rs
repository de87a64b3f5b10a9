//! The cache: bytes by keys, in a directory that builds share. Writing is a rename of a whole file, and what is read is checked
//! against its digest, so that neither another process nor a broken disk leads to a wrong output; what is wrong is as if it
//! were not there.
//!
//! A directory has a bound of bytes. When a build has added to it, and more is in it, the files that were used least lately are
//! removed until a tenth of the bound is free.

use super::digest::Digest;
use super::write_whole;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// The subdirectory of this format.
const FORMAT: &str = "v1";
/// Bytes of a digest at the head of an entry, in hexadecimal, with a line break.
const HEAD: usize = 65;
/// A file that was used so lately is not marked as used again.
const MARK_AFTER: Duration = Duration::from_secs(3600);

/// The bound of a cache where none is given.
pub const USUAL_BOUND: u64 = 1 << 30;

/// A cache directory.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    bound: u64,
    added: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
    wrong: AtomicU64,
}

/// What is in a cache.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// How many entries.
    pub entries: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What a build has had from a cache.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// Programs that were in it.
    pub hits: u64,
    /// Programs that were not.
    pub misses: u64,
    /// Entries that were not what was written.
    pub wrong: u64,
}

impl Store {
    /// A cache in a directory, which is made when something is added.
    pub fn new(directory: &Path, bound: u64) -> Store {
        let zero = || AtomicU64::new(0);
        let directory = directory.join(FORMAT);
        Store { directory, bound, added: zero(), hits: zero(), misses: zero(), wrong: zero() }
    }

    fn path(&self, key: &Digest) -> PathBuf {
        let name = key.to_string();
        let (first, rest) = name.split_at(2);
        self.directory.join(first).join(rest)
    }

    /// What is stored under a key.
    pub fn get(&self, key: &Digest) -> Option<Vec<u8>> {
        let path = self.path(key);
        let mut bytes = std::fs::read(&path).ok()?;
        let is_right = bytes.get(HEAD..).is_some_and(|rest| bytes.starts_with(head(rest).as_bytes()));
        if !is_right {
            self.wrong.fetch_add(1, Ordering::Relaxed);
            let _ = std::fs::remove_file(&path);
            return None;
        }
        mark(&path);
        bytes.drain(..HEAD);
        Some(bytes)
    }

    /// Stores bytes under a key. What cannot be stored is not.
    pub fn put(&self, key: &Digest, bytes: &[u8]) {
        let whole = [head(bytes).as_bytes(), bytes].concat();
        if write_whole(&self.path(key), &whole).is_ok() {
            self.added.fetch_add(whole.len() as u64, Ordering::Relaxed);
        }
    }

    /// Notes whether a program was there.
    pub fn count(&self, hit: bool) {
        let counter = if hit { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// What was had from it.
    pub fn used(&self) -> Use {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Use { hits: get(&self.hits), misses: get(&self.misses), wrong: get(&self.wrong) }
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
        let files = walkdir::WalkDir::new(&self.directory).into_iter().flatten().filter(|e| e.file_type().is_file());
        let facts = |entry: walkdir::DirEntry| {
            let metadata = entry.metadata().ok()?;
            Some((entry.into_path(), metadata.modified().ok()?, metadata.len()))
        };
        files.filter_map(facts).collect()
    }
}

/// The line before the bytes of an entry.
fn head(bytes: &[u8]) -> String {
    format!("{}\n", Digest::of(bytes))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_there_or_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path(), USUAL_BOUND);
        let key = |n: u32| Digest::of(&n.to_le_bytes());
        assert_eq!(store.get(&key(1)), None);
        store.put(&key(1), b"one");
        store.put(&key(2), b"");
        assert_eq!((store.get(&key(1)), store.get(&key(2))), (Some(b"one".to_vec()), Some(Vec::new())));
        // Part of an entry, other bytes, and those of another entry are none.
        for broken in [&b"on"[..], b"", &[0xff; 200]] {
            std::fs::write(store.path(&key(1)), broken).unwrap();
            assert_eq!(store.get(&key(1)), None);
            assert!(!store.path(&key(1)).exists());
        }
        assert_eq!(store.used().wrong, 3);
    }

    #[test]
    fn the_least_lately_used_go_first() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path(), 10 * 100);
        let key = |n: u64| Digest::of(&n.to_le_bytes());
        for n in 0..20 {
            store.put(&key(n), &[7; 100 - HEAD]);
            let file = std::fs::File::options().append(true).open(store.path(&key(n))).unwrap();
            // The first one is used after all others.
            let age = if n == 0 { 0 } else { 10_000 - n };
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        assert_eq!(store.statistics(), Statistics { entries: 20, bytes: 2000 });
        store.keep_bound();
        assert_eq!(store.statistics(), Statistics { entries: 9, bytes: 900 });
        assert!(store.get(&key(0)).is_some() && store.get(&key(19)).is_some() && store.get(&key(1)).is_none());
        assert_eq!(store.clean(0), Statistics { entries: 9, bytes: 900 });
    }
}
