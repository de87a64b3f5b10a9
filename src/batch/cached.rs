//! Programs in the cache: what is stored of one, and how it is found again.
//!
//! The key of a program says how it is compiled. Under it there are the lists of files that such programs were read from: which
//! files these are is only known after a compilation, and depends on what is in them. A list with the digests of what is in its
//! files now gives the key of the outputs. So a program is found by what it depends on and by nothing else: names are paths
//! from the manifest, and a checkout in another directory, or of another machine, finds the same.

use super::bundle::{Bundle, ProgramSources, joined, split};
use super::digest::{Digest, Stamp};
use super::loader::FileInput;
use super::program::Product;
use super::store::Store;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::RwLock;

/// As many lists are kept under a key: the last ones.
const MOST_LISTS: usize = 8;

/// Files that a program was read from, and places where there were none, as names in sidecars.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
struct Sources {
    files: Vec<String>,
    misses: Vec<String>,
}

/// The cache of a build.
pub struct Cache<'a> {
    /// Where it is.
    pub store: &'a Store,
    base: &'a Path,
    /// What is in files now.
    inputs: RwLock<FxHashMap<String, Option<FileInput>>>,
}

impl<'a> Cache<'a> {
    /// Of a build whose names are paths from `base`.
    pub fn new(store: &'a Store, base: &'a Path) -> Cache<'a> {
        Cache { store, base, inputs: RwLock::default() }
    }

    /// A program by the key of how it is compiled.
    pub fn find(&self, key: &str) -> Option<Product> {
        let found = self.lists(key).iter().find_map(|sources| {
            let inputs = self.inputs_now(sources)?;
            let bytes = self.store.get(&key_of(key, sources, &inputs))?;
            self.product(&bytes, sources, inputs)
        });
        self.store.count(found.is_some());
        found
    }

    /// Stores a program that has no errors.
    pub fn add(&self, key: &str, product: &Product) {
        if product.fate.is_error() {
            return;
        }
        let mut files: Vec<&(String, FileInput)> = product.inputs.iter().collect();
        files.sort_by(|a, b| a.0.cmp(&b.0));
        let sources = Sources {
            files: files.iter().map(|(name, _)| name.clone()).collect(),
            misses: product.misses.iter().cloned().collect(),
        };
        let inputs: Vec<FileInput> = files.iter().map(|(_, input)| *input).collect();
        self.store.put(&key_of(key, &sources, &inputs), &joined(&Bundle::of(product, self.base), product));
        let mut lists = self.lists(key);
        if lists.first() != Some(&sources) {
            lists.retain(|list| *list != sources);
            lists.insert(0, sources);
            lists.truncate(MOST_LISTS);
            self.store.put(&lists_key(key), &serde_json::to_vec(&lists).unwrap_or_default());
        }
    }

    fn lists(&self, key: &str) -> Vec<Sources> {
        let bytes = self.store.get(&lists_key(key));
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// What is in the files now; `None` if one is not there, or a place where there was none has one.
    fn inputs_now(&self, sources: &Sources) -> Option<Vec<FileInput>> {
        if sources.misses.iter().any(|name| self.input(name).is_some()) {
            return None;
        }
        sources.files.iter().map(|name| self.input(name)).collect()
    }

    fn input(&self, name: &str) -> Option<FileInput> {
        if let Some(known) = self.inputs.read().unwrap_or_else(|e| e.into_inner()).get(name) {
            return *known;
        }
        let path = self.base.join(name);
        let read = || Some(FileInput { stamp: Stamp::of(&path)?, digest: Digest::of(&std::fs::read(&path).ok()?) });
        let input = read();
        self.inputs.write().unwrap_or_else(|e| e.into_inner()).insert(name.to_owned(), input);
        input
    }

    fn product(&self, bytes: &[u8], sources: &Sources, inputs: Vec<FileInput>) -> Option<Product> {
        let (head, rest) = split(bytes)?;
        let bundle: Bundle = serde_json::from_slice(head).ok()?;
        let place = |name: &String| self.base.join(name).to_string_lossy().into_owned();
        let sources = ProgramSources {
            dependencies: sources.files.iter().map(place).collect(),
            inputs: sources.files.iter().cloned().zip(inputs).collect(),
            misses: sources.misses.iter().cloned().collect(),
        };
        bundle.product(rest, self.base, sources)
    }
}

fn lists_key(key: &str) -> Digest {
    Digest::of_parts([&b"lists"[..], key.as_bytes()])
}

fn key_of(key: &str, sources: &Sources, inputs: &[FileInput]) -> Digest {
    let names = serde_json::to_vec(sources).unwrap_or_default();
    let digests = inputs.iter().map(|input| input.digest.bytes());
    Digest::of_parts([&b"outputs"[..], key.as_bytes(), &names].into_iter().chain(digests))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::program::{OutputFile, OutputKind};

    /// Whoever writes into a cache cannot have files written elsewhere.
    #[test]
    fn outputs_stay_below_their_directory() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open([directory.path().as_os_str()], 1 << 20).unwrap();
        let cache = Cache::new(&store, Path::new("."));
        let sources = Sources { files: Vec::new(), misses: Vec::new() };
        let is_taken = |name: &str| {
            let (name, bytes) = (name.to_owned(), b"text".to_vec());
            let file = OutputFile { name, kind: OutputKind::Text, entry: None, target: None, bytes };
            let product = Product { files: vec![file], ..Product::default() };
            cache.product(&joined(&Bundle::of(&product, cache.base), &product), &sources, Vec::new()).is_some()
        };
        assert!(is_taken("wgsl/a.wgsl"));
        assert!(!["../a.wgsl", "wgsl/../../a.wgsl", "/tmp/a.wgsl", ""].into_iter().any(is_taken));
    }
}
