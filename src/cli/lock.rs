//! `--bindings-lock FILE`: reading the lock before a compilation and writing it after.

use super::Outcome;
use super::diff::{located, read_text};
use crate::batch::write_whole;
use crate::diagnostic::Code;
use crate::layout::lock::{Lock, LockInput, ProgramLock};
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The option.
#[derive(Args, Debug, Clone, Default)]
pub struct LockArgs {
    /// Keep the positions that this file records, give new parameters places after them, and record those.
    #[arg(long, value_name = "FILE")]
    bindings_lock: Option<PathBuf>,
}

/// A lock that was read, and what programs record anew.
pub struct LockFile {
    path: PathBuf,
    text: Arc<str>,
    lock: Arc<Lock>,
    updates: BTreeMap<String, ProgramLock>,
}

impl LockArgs {
    /// Reads the lock; a file that is not there is an empty one. What is wrong with it is told.
    pub fn open(&self) -> Result<Option<LockFile>, Outcome> {
        let Some(path) = &self.bindings_lock else { return Ok(None) };
        let fail = |text: String| {
            eprint!("{text}");
            Outcome::InputErrors
        };
        let (text, lock) = if path.exists() {
            let text = read_text(path).map_err(fail)?;
            let lock = Lock::parse(&text).map_err(|fault| fail(located(path, &text, fault)))?;
            (text, lock)
        } else {
            (String::new(), Lock::default())
        };
        Ok(Some(LockFile { path: path.clone(), text: text.into(), lock: Arc::new(lock), updates: BTreeMap::new() }))
    }
}

impl LockFile {
    /// The lock for the program of these files. `alone`: each file is a program of its own.
    pub fn input(&self, files: &[PathBuf], alone: bool) -> LockInput {
        let set = self.files(files);
        let first = files.first().map_or(String::new(), |f| self.relative(f));
        let program = self.lock.program_key(&set, &first, alone);
        let name = self.path.to_string_lossy().replace('\\', "/");
        LockInput { name, text: self.text.clone(), lock: self.lock.clone(), program }
    }

    /// Notes what a program records from now on.
    pub fn update(&mut self, files: &[PathBuf], alone: bool, records: Option<ProgramLock>) {
        if let Some(mut program) = records {
            program.files.extend(self.files(files));
            let key = self.input(files, alone).program;
            self.updates.insert(key, program);
        }
    }

    /// Writes the lock, whole, if it changed.
    pub fn save(self) -> Outcome {
        if self.updates.is_empty() {
            return Outcome::Done;
        }
        let mut lock = Arc::unwrap_or_clone(self.lock);
        lock.programs.extend(self.updates);
        match write_whole(&self.path, lock.to_json().as_bytes()) {
            Ok(()) => Outcome::Done,
            Err(e) => {
                eprintln!("error[{}]: cannot write {}: {e}", Code::OUTPUT, self.path.display());
                Outcome::InputErrors
            }
        }
    }

    fn files(&self, files: &[PathBuf]) -> BTreeSet<String> {
        files.iter().map(|f| self.relative(f)).collect()
    }

    /// A source as seen from the lock, so that it does not matter from where it is compiled.
    fn relative(&self, file: &Path) -> String {
        let directory = self.path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let absolute = |path: &Path| std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
        let (Ok(directory), Ok(file)) = (absolute(directory), absolute(file)) else {
            return file.to_string_lossy().replace('\\', "/");
        };
        let (from, to): (Vec<Component>, Vec<Component>) =
            (directory.components().collect(), file.components().collect());
        let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        let up = from.iter().skip(shared).map(|_| "..".to_owned());
        let down = to.iter().skip(shared).map(|c| c.as_os_str().to_string_lossy().into_owned());
        up.chain(down).collect::<Vec<_>>().join("/")
    }
}
