//! Programs in the cache: what is stored of one, and how it is found again.
//!
//! The key of a program says how it is compiled. Under it there are the lists of files that such programs were read from: which
//! files these are is only known after a compilation, and depends on what is in them. A list with the digests of what is in its
//! files now gives the key of the outputs. So a program is found by what it depends on and by nothing else: names are paths
//! from the manifest, and a checkout in another directory, or of another machine, finds the same.

use super::digest::{Digest, Stamp};
use super::loader::FileInput;
use super::program::{Fate, OutputFile, OutputKind, Product};
use super::store::Store;
use crate::compile::Target;
use crate::diagnostic::Message;
use crate::layout::lock::ProgramLock;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
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

/// What is stored of a program besides the bytes of its outputs, which come after it in this order.
#[derive(Serialize, Deserialize, Debug)]
struct Stored {
    files: Vec<StoredFile>,
    messages: Vec<Message>,
    fate: Fate,
    is_broken: bool,
    records: Option<ProgramLock>,
    variants: usize,
    passed_over: BTreeSet<String>,
}

/// An output without its bytes.
#[derive(Serialize, Deserialize, Debug)]
struct StoredFile {
    name: String,
    kind: OutputKind,
    entry: Option<String>,
    target: Option<String>,
    /// How many bytes it has.
    length: usize,
}

/// Stands for the directory of the manifest in stored messages.
const BASE_MARK: &str = "\u{f8ff}/";

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
        self.store.put(&key_of(key, &sources, &inputs), &self.bytes(product));
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

    fn bytes(&self, product: &Product) -> Vec<u8> {
        let file = |f: &OutputFile| StoredFile {
            name: f.name.clone(),
            kind: f.kind,
            entry: f.entry.clone(),
            target: f.target.map(|t| t.name().to_owned()),
            length: f.bytes.len(),
        };
        let stored = Stored {
            files: product.files.iter().map(file).collect(),
            messages: product.messages.iter().map(Message::without_colors).collect(),
            fate: product.fate,
            is_broken: product.is_broken,
            records: product.records.clone(),
            variants: product.variants,
            passed_over: product.passed_over.clone(),
        };
        let head = serde_json::to_string(&stored).unwrap_or_default();
        let mut bytes = head.replace(&self.base_prefix(), BASE_MARK).into_bytes();
        bytes.push(b'\n');
        product.files.iter().for_each(|file| bytes.extend_from_slice(&file.bytes));
        bytes
    }

    fn product(&self, bytes: &[u8], sources: &Sources, inputs: Vec<FileInput>) -> Option<Product> {
        let line = bytes.iter().position(|byte| *byte == b'\n')?;
        let (head, mut rest) = (bytes.get(..line)?, bytes.get(line + 1..)?);
        let head = std::str::from_utf8(head).ok()?.replace(BASE_MARK, &self.base_prefix());
        let stored: Stored = serde_json::from_str(&head).ok()?;
        let mut files = Vec::new();
        for StoredFile { name, kind, entry, target, length } in stored.files {
            let bytes = rest.get(..length)?.to_vec();
            rest = rest.get(length..)?;
            let target = match target {
                Some(target) => Some(Target::parse(&target)?),
                None => None,
            };
            files.push(OutputFile { name, kind, entry, target, bytes });
        }
        let place = |name: &String| self.base.join(name).to_string_lossy().into_owned();
        Some(Product {
            files,
            messages: stored.messages,
            fate: stored.fate,
            failed: BTreeMap::new(),
            is_broken: stored.is_broken,
            dependencies: sources.files.iter().map(place).collect(),
            inputs: sources.files.iter().cloned().zip(inputs).collect(),
            misses: sources.misses.iter().cloned().collect(),
            records: stored.records,
            variants: stored.variants,
            passed_over: stored.passed_over,
        })
    }

    /// What names of files begin with in messages.
    fn base_prefix(&self) -> String {
        let base = self.base.to_string_lossy().replace('\\', "/");
        let base = base.trim_start_matches("./").trim_end_matches('/');
        if base.is_empty() || base == "." { BASE_MARK.to_owned() } else { format!("{base}/") }
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
