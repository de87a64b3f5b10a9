//! The file of a bindings lock: reading it before compilations, and writing what they record after them.
//!
//! Several processes may share one lock, as when a build system compiles each file by itself. Whoever writes first reads
//! again what the others have written meanwhile, and adds to it; two that record different things of one program on one
//! binding model contradict each other, and the second is an error that asks to start over.

use super::documents::read_text;
use super::finding::Finding;
use super::loader::from_base;
use super::write_whole;
use crate::diagnostic::{Code, Diagnostic};
use crate::json;
use crate::layout::lock::{Lock, LockInput, ProgramLock};
use crate::source::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A lock that was read, and what programs record anew.
pub struct LockFile {
    path: PathBuf,
    text: Arc<str>,
    lock: Arc<Lock>,
    updates: BTreeMap<String, ProgramLock>,
    frozen: bool,
}

impl LockFile {
    /// Reads a lock; a file that is not there is an empty one. That it would change is an error if it is `frozen`.
    pub fn open(path: &Path, frozen: bool) -> Result<LockFile, Finding> {
        if frozen && !path.exists() {
            let message = format!("there is no {}, and it may not be written", path.display());
            return Err(Finding::error(Code::FILE_NOT_FOUND, message).in_file(path));
        }
        let (text, lock) = read(path)?;
        let (path, lock) = (path.to_path_buf(), Arc::new(lock));
        Ok(LockFile { path, text: text.into(), lock, updates: BTreeMap::new(), frozen })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether that it would change is an error.
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// The lock for the program of these files. `alone`: each file is a program of its own.
    pub fn input(&self, files: &[PathBuf], alone: bool) -> LockInput {
        let set = self.files(files);
        let first = files.first().map_or(String::new(), |f| self.relative(f));
        let program = self.lock.program_key(&set, &first, alone);
        let (name, frozen) = (self.path.to_string_lossy().replace('\\', "/"), self.frozen);
        LockInput { name, text: self.text.clone(), lock: self.lock.clone(), program, frozen }
    }

    /// Notes what a program records from now on.
    pub fn update(&mut self, files: &[PathBuf], alone: bool, records: Option<ProgramLock>) {
        if let Some(mut program) = records {
            program.files.extend(self.files(files));
            let key = self.input(files, alone).program;
            self.updates.insert(key, program);
        }
    }

    /// Warns of programs of which no file is there any more.
    pub fn gone(&self) -> Vec<Finding> {
        let directory = self.path.parent().unwrap_or(Path::new(""));
        let is_gone = |p: &&ProgramLock| !p.files.is_empty() && !p.files.iter().any(|f| directory.join(f).exists());
        let warning = |key: &String| {
            let message = format!("the program `{key}` is recorded, but its files are gone");
            let note = "remove it from the lock; or, if its files have other names now, write those instead";
            Finding::about(&[(&self.path, &self.text)], |files| {
                Diagnostic::warning(Code::LOCKED, place_of(key, &self.text, files[0]), message).note(note)
            })
        };
        self.lock.programs.iter().filter(|(_, p)| is_gone(p)).map(|(key, _)| warning(key)).collect()
    }

    /// Writes the lock, whole, if it changed.
    pub fn save(self) -> Result<(), Finding> {
        if self.updates.is_empty() {
            return Ok(());
        }
        let _guard = guard(&self.path);
        let text = if self.path.exists() { read_text(&self.path)? } else { String::new() };
        let now = if *text == *self.text { Lock::clone(&self.lock) } else { read(&self.path)?.1 };
        let mut merged = now.clone();
        for (key, program) in self.updates {
            let none = ProgramLock::default();
            let before = self.lock.programs.get(&key).unwrap_or(&none);
            let theirs = now.programs.get(&key).unwrap_or(&none);
            let program = merge(before, program, theirs).ok_or_else(|| {
                let message = format!("another process has recorded other positions of `{key}`");
                Finding::about(&[(&self.path, &text)], |files| {
                    Diagnostic::error(Code::LOCKED, place_of(&key, &text, files[0]), message).note("start again")
                })
            })?;
            merged.programs.insert(key, program);
        }
        let json = merged.to_json();
        if self.frozen && *json != *text {
            return Err(would_change(&self.path, &text, &now, &merged));
        }
        write_whole(&self.path, json.as_bytes()).map_err(|e| {
            Finding::error(Code::OUTPUT, format!("cannot write {}: {e}", self.path.display())).in_file(&self.path)
        })
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
        from_base(&directory, &file)
    }
}

/// The place of a program in the text of a lock; the start where it has none.
fn place_of(program: &str, text: &str, file: FileId) -> Span {
    json::span(file, &json::find(text, &["programs", program]).unwrap_or(0..0))
}

/// That a lock would change: which program of it, or which one is not in it.
fn would_change(path: &Path, text: &str, now: &Lock, then: &Lock) -> Finding {
    let message = format!("{} would change, and it may not", path.display());
    let changed = then.programs.iter().find(|(key, program)| now.programs.get(*key) != Some(program));
    let Some((key, _)) = changed else { return Finding::error(Code::LOCKED, message).in_file(path) };
    let what = match now.programs.contains_key(key) {
        true => format!("other positions would be recorded of `{key}`"),
        false => format!("`{key}` would be added"),
    };
    Finding::about(&[(path, text)], |files| {
        Diagnostic::error(Code::LOCKED, place_of(key, text, files[0]), message).note(what)
    })
}

fn read(path: &Path) -> Result<(String, Lock), Finding> {
    if !path.exists() {
        return Ok((String::new(), Lock::default()));
    }
    let text = read_text(path)?;
    let lock = Lock::parse(&text).map_err(|fault| Finding::of_json(path, &text, fault))?;
    Ok((text, lock))
}

/// What two processes record of a program, both from the same beginning; `None` if they contradict each other.
fn merge(before: &ProgramLock, ours: ProgramLock, theirs: &ProgramLock) -> Option<ProgramLock> {
    let mut merged = ours;
    merged.files.extend(theirs.files.iter().cloned());
    for (api, records) in &theirs.apis {
        match merged.apis.get(api) {
            Some(own) if own == records || before.apis.get(api) == Some(records) => {}
            own if own == before.apis.get(api) => drop(merged.apis.insert(api.clone(), records.clone())),
            _ => return None,
        }
    }
    Some(merged)
}

/// Holds off other processes that write the same lock, as long as the result lives. Where the system has no such locks, all
/// write at once, and each still writes whole files.
pub(super) fn guard(path: &Path) -> Option<std::fs::File> {
    let directory = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut hasher = rustc_hash::FxHasher::default();
    (std::fs::canonicalize(directory).ok()?, path.file_name()?).hash(&mut hasher);
    let name = format!("shaderport-{:016x}.guard", hasher.finish());
    let options = std::fs::OpenOptions::new().create(true).append(true).to_owned();
    let file = options.open(std::env::temp_dir().join(name)).ok()?;
    file.lock().ok()?;
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::lock::{Record, RecordedRange, Records};

    fn program(file: &str, apis: &[(&str, u64)]) -> ProgramLock {
        let records = |index: u64| {
            let at = RecordedRange { count: Some(1), index, space: Some(0) };
            let record = Record { at: [("shaderResource".to_owned(), at)].into(), ..Record::default() };
            Records::from([("t".to_owned(), record)])
        };
        let apis = apis.iter().map(|(api, index)| ((*api).to_owned(), records(*index))).collect();
        ProgramLock { apis, files: [file.to_owned()].into() }
    }

    #[test]
    fn processes_that_share_a_lock_lose_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bindings.lock");
        let source = |name: &str| vec![directory.path().join(name)];
        let open = || LockFile::open(&path, false).unwrap();
        let held = || Lock::parse(&std::fs::read_to_string(&path).unwrap()).unwrap().programs;
        let (mut one, mut two, mut three, mut four) = (open(), open(), open(), open());
        one.update(&source("a.hlsl"), true, Some(program("a.hlsl", &[("d3d", 0)])));
        two.update(&source("b.hlsl"), true, Some(program("b.hlsl", &[("d3d", 3)])));
        three.update(&source("a.hlsl"), true, Some(program("a.hlsl", &[("vulkan", 2)])));
        four.update(&source("a.hlsl"), true, Some(program("a.hlsl", &[("d3d", 5)])));
        assert!([one, two, three].into_iter().all(|lock| lock.save().is_ok()));
        assert_eq!(held().get("a.hlsl"), Some(&program("a.hlsl", &[("d3d", 0), ("vulkan", 2)])));
        assert_eq!(held().get("b.hlsl"), Some(&program("b.hlsl", &[("d3d", 3)])));
        let before = held();
        // Where it is said is where the other one has recorded it.
        let message = four.save().unwrap_err().message(false);
        let line =
            std::fs::read_to_string(&path).unwrap().lines().position(|line| line.contains("\"a.hlsl\": {")).unwrap();
        assert_eq!(message.location.map(|place| place.line_start), Some(line + 1));
        assert_eq!(message.notes.first().map(String::as_str), Some("start again"));
        assert_eq!(held(), before);
        // What may not change does not.
        let mut frozen = LockFile::open(&path, true).unwrap();
        frozen.update(&source("c.hlsl"), true, Some(program("c.hlsl", &[("d3d", 0)])));
        let message = frozen.save().unwrap_err().message(false);
        assert!(
            message.message.contains("would change")
                && message.notes.first().is_some_and(|note| note == "`c.hlsl` would be added"),
            "{message:?}"
        );
        assert_eq!(held(), before);
    }
}
