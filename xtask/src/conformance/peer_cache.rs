//! What the peer gave for a tree: it is slow, and the same every time until the tree changes.

use super::Target;
use super::enumerate::{Entry, shader_files};
use super::judge::Outcome;
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Counts up when the way of judging changes.
const VERSION: u64 = 1;

pub struct PeerCache {
    path: PathBuf,
    /// By target, file, entry point.
    known: Mutex<BTreeMap<String, Outcome>>,
}

impl PeerCache {
    /// The cache of a tree with its present content.
    pub fn open(out: &Path, root: &Path) -> Result<PeerCache, String> {
        let path = out.join(format!("peer-{:016x}.json", hash_tree(root)));
        std::fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
        let known = std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(PeerCache { path, known: Mutex::new(known.unwrap_or_default()) })
    }

    pub fn get_or(
        &self,
        entry: &Entry,
        target: Target,
        compute: impl FnOnce() -> Result<Outcome, String>,
    ) -> Result<Outcome, String> {
        let key = format!("{} {} {}", target.name(), entry.label(), entry.stage.name());
        let lock = || self.known.lock().map_err(|e| e.to_string());
        if let Some(outcome) = lock()?.get(&key) {
            return Ok(outcome.clone());
        }
        let outcome = compute()?;
        lock()?.insert(key, outcome.clone());
        Ok(outcome)
    }

    pub fn save(&self) -> Result<(), String> {
        let known = self.known.lock().map_err(|e| e.to_string())?;
        let text = serde_json::to_vec_pretty(&*known).map_err(|e| e.to_string())?;
        std::fs::write(&self.path, text).map_err(|e| format!("{}: {e}", self.path.display()))
    }
}

fn hash_tree(root: &Path) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write_u64(VERSION);
    for file in shader_files(root) {
        hasher.write(file.as_os_str().as_encoded_bytes());
        hasher.write(&std::fs::read(root.join(&file)).unwrap_or_default());
    }
    hasher.finish()
}

pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
