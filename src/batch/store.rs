//! The cache that builds share: bytes by keys, in a directory, in a service that other machines reach too, or in both. What is read is
//! checked against the digest that stands before it, of the key and the bytes, so that neither another process nor a broken disk nor a
//! server leads to a wrong output; what is wrong is as if it were not there.
//!
//! | file | what |
//! |---|---|
//! | `address` | what the option `--cache` names |
//! | `directory` | a directory, with a bound |
//! | `shared`, `service` | a service, with time limits and a queue of what is to be written; the feature `shared-cache` |
//! | `without` | what stands for it without the feature |
//!
//! A directory is asked before a service, and gets what is found there.

mod address;
mod directory;
#[cfg(feature = "shared-cache")]
mod service;
#[cfg(feature = "shared-cache")]
mod shared;
#[cfg(not(feature = "shared-cache"))]
mod without;

use super::digest::Digest;
use super::finding::Finding;
use crate::diagnostic::Code;
use address::CacheAddress;
use directory::CacheDirectory;
use serde::Serialize;
#[cfg(feature = "shared-cache")]
use shared::SharedCache;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(not(feature = "shared-cache"))]
use without::NoSharedCache as SharedCache;

/// The subdirectory of this format.
const FORMAT: &str = "v1";
/// Bytes of a digest at the head of an entry, in hexadecimal, with a line break.
const HEAD: usize = 65;

/// The bound of a cache directory where none is given.
pub const USUAL_BOUND: u64 = 1 << 30;

/// A cache.
#[derive(Debug)]
pub struct Store {
    directory: Option<CacheDirectory>,
    shared: Option<SharedCache>,
    hits: AtomicU64,
    misses: AtomicU64,
    wrong: AtomicU64,
    /// Those of the service that are wrong, each once: they stay there until they are overwritten.
    wrong_shared: Mutex<BTreeSet<Digest>>,
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
    /// A cache by its name, or by those of a directory and a service: with a comma between them, or one by one. Nothing is read and
    /// no connection is made before something is asked for. The error is a text for people.
    pub fn open<'n>(names: impl IntoIterator<Item = &'n OsStr>, bound: u64) -> Result<Store, String> {
        let CacheAddress { directory, service } = CacheAddress::parse(names)?;
        let directory = directory.map(|path| CacheDirectory::new(&path.join(FORMAT), bound));
        let shared = service.map(|address| SharedCache::open(&address)).transpose()?;
        let zero = || AtomicU64::new(0);
        Ok(Store { directory, shared, hits: zero(), misses: zero(), wrong: zero(), wrong_shared: Mutex::default() })
    }

    /// What is stored under a key.
    pub fn get(&self, key: &Digest) -> Option<Vec<u8>> {
        let own = self.directory.as_ref().and_then(|directory| {
            let found = directory.get(&place(key))?;
            let checked = checked(key, found);
            if checked.is_none() {
                self.wrong.fetch_add(1, Ordering::Relaxed);
                directory.remove(&place(key));
            }
            checked
        });
        own.or_else(|| self.get_shared(key))
    }

    /// What the service has under a key, which the directory gets.
    fn get_shared(&self, key: &Digest) -> Option<Vec<u8>> {
        let found = self.shared.as_ref()?.get(&name(key))?;
        let Some(bytes) = checked(key, found) else {
            self.wrong_shared.lock().unwrap_or_else(|e| e.into_inner()).insert(*key);
            return None;
        };
        self.directory.iter().for_each(|directory| directory.put(&place(key), &whole(key, &bytes)));
        Some(bytes)
    }

    /// Stores bytes under a key. What cannot be stored is not.
    pub fn put(&self, key: &Digest, bytes: &[u8]) {
        let whole = whole(key, bytes);
        self.directory.iter().for_each(|directory| directory.put(&place(key), &whole));
        self.shared.iter().for_each(|shared| shared.put(name(key), whole.clone()));
    }

    /// Notes whether a program was there.
    pub fn count(&self, hit: bool) {
        let counter = if hit { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// What was had from it.
    pub fn used(&self) -> Use {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Use { hits: get(&self.hits), misses: get(&self.misses), wrong: get(&self.wrong) + self.count_wrong_shared() }
    }

    fn count_wrong_shared(&self) -> u64 {
        self.wrong_shared.lock().unwrap_or_else(|e| e.into_inner()).len() as u64
    }

    /// Ends a build's use: the directory keeps its bound, and what is to be written to the service is awaited for a while. Gives
    /// what was wrong with the service, as a warning.
    pub fn finish(&self) -> Option<Finding> {
        self.directory.iter().for_each(CacheDirectory::keep_bound);
        let shared = self.shared.as_ref()?;
        let mut faults = shared.finish();
        let wrong = self.count_wrong_shared();
        if wrong > 0 {
            faults.push(format!("{wrong} of its entries were not what was stored, and were compiled again"));
        }
        let message = || format!("the shared cache {}: {}", shared.shown(), faults.join("; "));
        (!faults.is_empty()).then(|| Finding::warning(Code::SHARED_CACHE, message()))
    }

    /// Removes what is used least lately from the directory until at most so many bytes are left. Gives what was removed. The error
    /// is a text for people.
    pub fn clean(&self, bound: u64) -> Result<Statistics, String> {
        self.directory.as_ref().map(|directory| directory.clean(bound)).ok_or_else(|| {
            let how =
                "a Redis server with `maxmemory-policy allkeys-lru`, a bucket with a rule for the lifetime of objects";
            format!("the entries of a shared cache are of others too: let its server remove them ({how})")
        })
    }

    /// What is in it: in the directory if there is one, else in the service. The error is a text for people.
    pub fn statistics(&self) -> Result<Statistics, String> {
        match (&self.directory, &self.shared) {
            (Some(directory), _) => Ok(directory.statistics()),
            (None, Some(shared)) => shared.statistics(),
            (None, None) => Ok(Statistics::default()),
        }
    }
}

/// The path of an entry in a directory.
fn place(key: &Digest) -> String {
    let name = key.to_string();
    let (first, rest) = name.split_at(2);
    format!("{first}/{rest}")
}

/// The name of an entry in a service.
fn name(key: &Digest) -> String {
    format!("{FORMAT}/{}", place(key))
}

/// The bytes of an entry as they are stored.
fn whole(key: &Digest, bytes: &[u8]) -> Vec<u8> {
    [head(key, bytes).as_bytes(), bytes].concat()
}

/// The bytes of an entry without its head, if that is right.
fn checked(key: &Digest, mut whole: Vec<u8>) -> Option<Vec<u8>> {
    let is_right = whole.get(HEAD..).is_some_and(|rest| whole.starts_with(head(key, rest).as_bytes()));
    is_right.then(|| {
        whole.drain(..HEAD);
        whole
    })
}

/// The line before the bytes of an entry. The key is in it: the bytes of another entry are wrong, too.
fn head(key: &Digest, bytes: &[u8]) -> String {
    format!("{}\n", Digest::of_parts([key.bytes(), bytes]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u64) -> Digest {
        Digest::of(&n.to_le_bytes())
    }

    fn path(directory: &tempfile::TempDir, n: u64) -> std::path::PathBuf {
        directory.path().join(name(&key(n)))
    }

    #[test]
    fn what_is_stored_is_there_or_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open([directory.path().as_os_str()], USUAL_BOUND).unwrap();
        assert_eq!(store.get(&key(1)), None);
        store.put(&key(1), b"one");
        store.put(&key(2), b"");
        assert_eq!((store.get(&key(1)), store.get(&key(2))), (Some(b"one".to_vec()), Some(Vec::new())));
        // Part of an entry, other bytes, and those of another entry are none.
        let of_other = std::fs::read(path(&directory, 2)).unwrap();
        for broken in [&b"on"[..], b"", &[0xff; 200], &of_other] {
            std::fs::write(path(&directory, 1), broken).unwrap();
            assert_eq!(store.get(&key(1)), None);
            assert!(!path(&directory, 1).exists());
        }
        assert_eq!(store.used().wrong, 4);
    }

    #[test]
    fn the_least_lately_used_go_first() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open([directory.path().as_os_str()], 10 * 100).unwrap();
        for n in 0..20 {
            store.put(&key(n), &[7; 100 - HEAD]);
            let file = std::fs::File::options().append(true).open(path(&directory, n)).unwrap();
            // The first one is used after all others.
            let age = if n == 0 { 0 } else { 10_000 - n };
            file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(age)).unwrap();
        }
        assert_eq!(store.statistics(), Ok(Statistics { entries: 20, bytes: 2000 }));
        assert!(store.finish().is_none());
        assert_eq!(store.statistics(), Ok(Statistics { entries: 9, bytes: 900 }));
        assert!(store.get(&key(0)).is_some() && store.get(&key(19)).is_some() && store.get(&key(1)).is_none());
        assert_eq!(store.clean(0), Ok(Statistics { entries: 9, bytes: 900 }));
    }
}
