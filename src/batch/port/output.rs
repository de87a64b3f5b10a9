//! The output directory of a port. What was written is kept as it was in `OUT/.shaderport/port/base`, and what is to be written is built in
//! `OUT/.shaderport/port/next`: these are two sides of the merges of an update, and the files in `OUT`, which people edit, the third.
//!
//! An update that is stopped goes on in the next one: which bytes each file is to have is in `journal.json` before the first is
//! written, and a file that has them was merged already.

use super::quoted;
use super::update::{NamedFiles, Step};
use crate::batch::digest::Digest;
use crate::batch::finding::Finding;
use crate::batch::lock::guard;
use crate::batch::order::{OutputLayout, WgslImports};
use crate::batch::record::{DIRECTORY, prepare};
use crate::batch::write::write_whole;
use crate::compile::{PermutationTexts, Target};
use crate::diagnostic::Code;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The version of the format of the state.
const STATE_VERSION: &str = "shaderport-port/1";

/// What a port has written.
#[derive(Serialize, Deserialize, Debug, Default, Clone, PartialEq)]
pub struct PortState {
    schema: String,
    /// The program of each file; empty: of none.
    pub owners: BTreeMap<String, String>,
    /// The targets that were asked for.
    pub targets: Vec<String>,
    /// How outputs are cut.
    #[serde(default)]
    pub cut: OutputCut,
}

/// How outputs are cut, as far as a port was asked for it.
#[derive(Serialize, Deserialize, Debug, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub struct OutputCut {
    /// A text a program, or one a source file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<OutputLayout>,
    /// How texts of a tree in WGSL name what they need.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wgsl_imports: Option<WgslImports>,
    /// What becomes of the texts of variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permutations: Option<PermutationTexts>,
}

impl OutputCut {
    /// What is asked for now, else what was before.
    pub fn or(self, before: OutputCut) -> OutputCut {
        OutputCut {
            layout: self.layout.or(before.layout),
            wgsl_imports: self.wgsl_imports.or(before.wgsl_imports),
            permutations: self.permutations.or(before.permutations),
        }
    }

    /// As lines of a manifest, whose keys and values are those of the state.
    pub fn lines(self) -> String {
        let values = serde_json::to_value(self).unwrap_or_default();
        let values = values.as_object().into_iter().flatten();
        values.filter_map(|(key, value)| Some(format!("{key} = {}\n", quoted(value.as_str()?)))).collect()
    }
}

/// The bytes that files are to have; `None`: they are to be removed.
#[derive(Serialize, Deserialize, Debug, Default)]
struct Journal {
    files: BTreeMap<String, Option<String>>,
}

/// The directory.
pub struct PortDirectory {
    out: PathBuf,
}

impl PortDirectory {
    /// Of an output directory.
    pub fn new(out: &Path) -> PortDirectory {
        PortDirectory { out: out.to_path_buf() }
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.out.join(name)
    }

    /// Makes it. Other ports into it wait as long as the result lives.
    pub fn hold(&self) -> Result<Option<std::fs::File>, Finding> {
        let fault = |e| Finding::error(Code::OUTPUT, format!("cannot write to {}: {e}", self.out.display()));
        prepare(&self.out).map_err(fault)?;
        Ok(guard(&self.home()))
    }

    fn home(&self) -> PathBuf {
        self.out.join(DIRECTORY).join("port")
    }

    /// Where new outputs are built.
    pub fn next(&self) -> PathBuf {
        self.home().join("next")
    }

    /// Where the sources are compiled as their compiler places parameters.
    pub fn before(&self) -> PathBuf {
        self.home().join("before")
    }

    fn base(&self) -> PathBuf {
        self.home().join("base")
    }

    fn journal(&self) -> PathBuf {
        self.home().join("journal.json")
    }

    fn state_path(&self) -> PathBuf {
        self.home().join("state.json")
    }

    /// What the port before has written; `None`: there was none.
    pub fn state(&self) -> Result<Option<PortState>, Finding> {
        let path = self.state_path();
        let Some(bytes) = read(&path)? else { return Ok(None) };
        let state = serde_json::from_slice::<PortState>(&bytes).ok().filter(|state| state.schema == STATE_VERSION);
        let unread = || {
            let message = format!("{} is not of this version: port into another directory", path.display());
            Finding::error(Code::BAD_RECORD, message).in_file(&path)
        };
        state.map(Some).ok_or_else(unread)
    }

    /// Keeps what was written.
    pub fn keep(&self, owners: BTreeMap<String, String>, targets: &[Target], cut: OutputCut) -> Result<(), Finding> {
        let targets = targets.iter().map(|target| target.name().to_owned()).collect();
        let state = PortState { schema: STATE_VERSION.to_owned(), owners, targets, cut };
        let text = serde_json::to_string_pretty(&state).unwrap_or_default();
        write(&self.state_path(), text.as_bytes())
    }

    /// The files of these names that were written before.
    pub fn written_before<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Result<NamedFiles, Finding> {
        files(&self.base(), names)
    }

    /// The files of these names as they are.
    pub fn there<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Result<NamedFiles, Finding> {
        files(&self.out, names)
    }

    /// The files of these names as they are to be written.
    pub fn built<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Result<NamedFiles, Finding> {
        files(&self.next(), names)
    }

    /// Adds a file to those that are to be written.
    pub fn add(&self, name: &str, bytes: &[u8]) -> Result<(), Finding> {
        write(&self.next().join(name), bytes)
    }

    /// Ends an update that was stopped: what it has written is what was to be written then.
    pub fn recover(&self) -> Result<(), Finding> {
        let Some(bytes) = read(&self.journal())? else { return Ok(()) };
        let journal: Journal = serde_json::from_slice(&bytes).unwrap_or_default();
        for (name, wanted) in &journal.files {
            let there = read(&self.out.join(name))?.map(|bytes| Digest::of(&bytes).to_string());
            if there == *wanted {
                self.advance(name, read(&self.next().join(name))?.as_deref())?;
            }
        }
        remove(&self.journal())
    }

    /// Does the steps of an update.
    pub fn apply(&self, steps: &BTreeMap<String, Step>) -> Result<(), Finding> {
        let mut journal = Journal::default();
        for (name, step) in steps {
            if let Some(bytes) = &step.file {
                journal.files.insert(name.clone(), bytes.as_ref().map(|bytes| Digest::of(bytes).to_string()));
            }
        }
        write(&self.journal(), serde_json::to_string(&journal).unwrap_or_default().as_bytes())?;
        // First what is new, so that an edit that moves is never nowhere.
        for (name, step) in steps {
            if let Some(Some(bytes)) = &step.file {
                write(&self.out.join(name), bytes)?;
            }
            if let Some(bytes) = &step.beside {
                write(&self.out.join(format!("{name}.new")), bytes)?;
            }
        }
        for (name, step) in steps {
            if let Some(None) = &step.file {
                remove(&self.out.join(name))?;
            }
            if let Some(base) = &step.base {
                self.advance(name, base.as_deref())?;
            }
        }
        remove(&self.journal())
    }

    fn advance(&self, name: &str, base: Option<&[u8]>) -> Result<(), Finding> {
        let path = self.base().join(name);
        base.map_or_else(|| remove(&path), |bytes| write(&path, bytes))
    }
}

fn files<'n>(directory: &Path, names: impl IntoIterator<Item = &'n String>) -> Result<NamedFiles, Finding> {
    let mut files = NamedFiles::new();
    for name in names {
        if let Some(bytes) = read(&directory.join(name))? {
            files.insert(name.clone(), bytes);
        }
    }
    Ok(files)
}

/// What is in a file, if it is there.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Finding> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Finding::error(Code::UNREADABLE, format!("cannot read {}: {e}", path.display())).in_file(path)),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Finding> {
    let fault = |e| Finding::error(Code::OUTPUT, format!("cannot write {}: {e}", path.display())).in_file(path);
    write_whole(path, bytes).map_err(fault)
}

fn remove(path: &Path) -> Result<(), Finding> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Finding::error(Code::OUTPUT, format!("cannot remove {}: {e}", path.display())).in_file(path))
        }
        _ => Ok(()),
    }
}
