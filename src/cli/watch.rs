//! `shaderport build --watch`: builds whenever something changes that the outputs may depend on.
//!
//! What is watched: the tree and the include roots with all that is below them, and the directories of other files that were read.
//! Changes that come while a build runs, or shortly after each other, are answered by one build. What builds write is no change.

use super::Outcome;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime};

/// A build begins when there was no change for so long,
const QUIET: Duration = Duration::from_millis(60);
/// or so long after the first change.
const LONGEST: Duration = Duration::from_secs(1);
/// The directory of records, which builds write.
const RECORDS: &str = ".shaderport";

/// What a build says for the watching.
#[derive(Debug, Default)]
pub struct Seen {
    /// Directories whose every file matters.
    pub trees: BTreeSet<PathBuf>,
    /// Files that were read, or would be.
    pub files: BTreeSet<PathBuf>,
    /// Files that builds have written.
    pub outputs: BTreeSet<PathBuf>,
}

/// What is watched.
struct Watching {
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
    watched: BTreeMap<PathBuf, RecursiveMode>,
    /// Real paths of outputs, and of the directories above them.
    written: BTreeSet<PathBuf>,
}

/// Builds again and again, until the user ends it. `seen` is what is known before. The error is a text for people.
pub fn watch(
    mut seen: Seen,
    mut build: impl FnMut(&mut Seen) -> Outcome,
    mut waits: impl FnMut(),
) -> Result<Outcome, String> {
    let (sender, events) = channel();
    let fault = |e: notify::Error| format!("changes cannot be watched: {e}");
    let watcher = notify::recommended_watcher(sender).map_err(fault)?;
    let mut watching = Watching { watcher, events, watched: BTreeMap::new(), written: BTreeSet::new() };
    watching.add(&seen).map_err(fault)?;
    loop {
        let began = SystemTime::now();
        let outcome = build(&mut seen);
        if outcome == Outcome::Interrupted {
            return Ok(outcome);
        }
        // In a directory that was not watched before, a file may have changed since it was read.
        if watching.add(&seen).map_err(fault)? && seen.files.iter().any(|path| is_changed_since(path, began)) {
            continue;
        }
        waits();
        if !watching.wait() {
            return Ok(outcome);
        }
    }
}

impl Watching {
    /// Adds what a build has seen. Tells whether a directory is new.
    fn add(&mut self, seen: &Seen) -> notify::Result<bool> {
        for output in seen.outputs.iter().filter_map(|path| real(path)) {
            let above = output.ancestors().take_while(|path| !self.watched.contains_key(*path));
            let above: Vec<PathBuf> = above.map(Path::to_path_buf).collect();
            self.written.extend(above);
        }
        let mut is_new = false;
        for tree in seen.trees.iter().filter_map(|path| std::fs::canonicalize(path).ok()) {
            is_new |= self.add_directory(&tree, RecursiveMode::Recursive)?;
        }
        for file in seen.files.iter().filter_map(|path| real(path)) {
            if let Some(directory) = file.parent().filter(|directory| directory.is_dir()) {
                is_new |= self.add_directory(directory, RecursiveMode::NonRecursive)?;
            }
        }
        Ok(is_new)
    }

    fn add_directory(&mut self, directory: &Path, mode: RecursiveMode) -> notify::Result<bool> {
        let below = |path: &Path| self.watched.get(path) == Some(&RecursiveMode::Recursive);
        if directory.ancestors().any(below) || self.watched.get(directory) == Some(&mode) {
            return Ok(false);
        }
        self.watcher.watch(directory, mode)?;
        self.watched.insert(directory.to_path_buf(), mode);
        Ok(true)
    }

    /// Waits for changes, and for the end of them. False: there will be none.
    fn wait(&self) -> bool {
        loop {
            match self.events.recv() {
                Ok(event) if self.is_change(&event) => break,
                Ok(_) => {}
                Err(_) => return false,
            }
        }
        let began = Instant::now();
        while began.elapsed() < LONGEST {
            match self.events.recv_timeout(QUIET) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }

    /// Whether something may have changed that is no output. Events that were lost may have been such.
    fn is_change(&self, event: &notify::Result<Event>) -> bool {
        let Ok(event) = event else { return true };
        let is_ours =
            |path: &PathBuf| self.written.contains(path) || path.components().any(|part| part.as_os_str() == RECORDS);
        match event.kind {
            EventKind::Access(_) => false,
            EventKind::Any | EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) | EventKind::Other => {
                event.need_rescan() || event.paths.iter().any(|path| !is_ours(path))
            }
        }
    }
}

fn is_changed_since(path: &Path, time: SystemTime) -> bool {
    std::fs::metadata(path).and_then(|m| m.modified()).is_ok_and(|modified| modified >= time)
}

/// The real path of a file, which need not be there.
fn real(path: &Path) -> Option<PathBuf> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(std::fs::canonicalize(directory).ok()?.join(path.file_name()?))
}
