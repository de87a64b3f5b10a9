//! The record of a build, by which the next one knows what is still right: `OUT/.shaderport/*.json`, one file for each tree and
//! set of targets that is built into a directory.
//!
//! A program is right if its key is the same (options, settings, variants, the tool itself), if every file that it was read from
//! has the same bytes, if what was looked for in vain is still not there, and if its outputs are as they were written. Bytes are
//! compared by digests; a file whose size and time are the same is not read again, unless it was modified so shortly before the
//! build that a later change could have the same time.
//!
//! The record is written after the outputs. If a build is stopped, the one before it stays, which the digests of outputs contradict.

use super::digest::{Digest, Stamp, now};
use super::program::{Fate, OutputFile, OutputKind};
use super::write_whole;
use crate::compile::Target;
use crate::diagnostic::Message;
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The directory below the output directory that records are in.
pub const DIRECTORY: &str = ".shaderport";
/// A file of it: everything in the output directory was written by builds.
const OWN: &str = "own";
/// The version of the format.
const RECORD_VERSION: &str = "shaderport-record/2";
/// Nanoseconds in which a file may change without that its time shows it, on the coarsest file systems.
const COARSE: u64 = 2_000_000_000;

/// A record.
#[derive(Serialize, Deserialize, Debug)]
pub struct Record {
    schema: String,
    /// When the build began, as in [`Stamp::modified`].
    began: u64,
    /// The files that were read, as names in sidecars.
    files: Vec<(String, Stamp, Digest)>,
    /// Where files were looked for in vain.
    misses: Vec<String>,
    /// The programs.
    jobs: BTreeMap<String, JobRecord>,
    /// Outputs of programs that are gone or have failed, which were left there.
    pub stale: Vec<String>,
    /// Files of the record that are not what they were, once that is checked.
    #[serde(skip)]
    changes: Changes,
}

/// What one program was built from and became.
#[derive(Serialize, Deserialize, Debug, Default)]
pub struct JobRecord {
    /// What it depends on besides files.
    pub key: String,
    /// Indices of files.
    pub(super) inputs: Vec<u32>,
    /// Indices of places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) misses: Vec<u32>,
    /// Its outputs.
    pub outputs: Vec<OutputRecord>,
    /// What was found in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// What became of it.
    pub fate: Fate,
    /// It has errors, and no entry points.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_broken: bool,
    /// Variants.
    pub variants: usize,
    /// Functions that look like entry points but were not taken for any.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub passed_over: BTreeSet<String>,
    /// Targets of which a variant failed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failed: BTreeMap<String, usize>,
}

/// An output that is right or was written. Texts are shared: there may be hundreds of thousands of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its path below the output directory.
    pub name: Arc<str>,
    /// What it is.
    pub kind: OutputKind,
    /// Of a text: the entry point that it is of, if it is not of all.
    pub entry: Option<Arc<str>>,
    /// For which target; the table of variants is for all.
    pub target: Option<Target>,
}

impl Written {
    /// As what an output is written.
    pub fn of(file: &OutputFile) -> Written {
        let OutputFile { name, kind, entry, target, bytes: _ } = file;
        Written { name: name.as_str().into(), kind: *kind, entry: entry.as_deref().map(Arc::from), target: *target }
    }
}

/// An output as it was written.
#[derive(Debug)]
pub struct OutputRecord {
    /// What it is.
    pub output: Written,
    /// Size and time.
    pub stamp: Stamp,
    /// What is in it.
    pub digest: Digest,
}

/// An output in a file: name, kind, entry point, target, size, time, digest. Without the names of keys a record is half as long.
type OutputRow<'a> = (Cow<'a, str>, OutputKind, Option<Cow<'a, str>>, Option<Cow<'a, str>>, u64, u64, Digest);

impl Serialize for OutputRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let OutputRecord { output: Written { name, kind, entry, target }, stamp, digest } = self;
        let (entry, target) = (entry.as_deref().map(Cow::from), target.map(|target| target.name().into()));
        let row: OutputRow = (Cow::from(&**name), *kind, entry, target, stamp.size, stamp.modified, *digest);
        row.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OutputRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OutputRecord, D::Error> {
        let (name, kind, entry, target, size, modified, digest) = OutputRow::deserialize(deserializer)?;
        let target = target.as_deref().and_then(target_of);
        let output = Written { name: (&*name).into(), kind, entry: entry.as_deref().map(Arc::from), target };
        Ok(OutputRecord { output, stamp: Stamp { size, modified }, digest })
    }
}

/// The files and places of a record that are not what they were.
#[derive(Debug, Default)]
struct Changes {
    files: Vec<bool>,
    misses: Vec<bool>,
    /// A file was read again because of its time: the next build should not have to.
    read_again: bool,
}

impl Default for Record {
    fn default() -> Self {
        Record {
            schema: RECORD_VERSION.to_owned(),
            began: now(),
            files: Vec::new(),
            misses: Vec::new(),
            jobs: BTreeMap::new(),
            stale: Vec::new(),
            changes: Changes::default(),
        }
    }
}

/// Why a program is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// There is no record of it.
    New,
    /// Options, settings or the tool are others.
    Options,
    /// A file that it was read from.
    Input(String),
    /// There is a file now where one was looked for.
    Appeared(String),
    /// An output that is not what was written.
    Output(String),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Reason::New => write!(f, "it was not built before"),
            Reason::Options => write!(f, "options, the manifest's settings or the tool have changed"),
            Reason::Input(file) => write!(f, "{file} has changed"),
            Reason::Appeared(file) => write!(f, "{file} is there now"),
            Reason::Output(file) => write!(f, "the output {file} is not what was written"),
        }
    }
}

impl Record {
    /// Reads a record. One that cannot be read, or is of another version, is no record.
    pub fn read(path: &Path) -> Option<Record> {
        let bytes = std::fs::read(path).ok()?;
        let record: Record = serde_json::from_slice(&bytes).ok()?;
        (record.schema == RECORD_VERSION).then_some(record)
    }

    /// Writes it.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        write_whole(path, serde_json::to_string(self).unwrap_or_default().as_bytes())
    }

    /// How many programs it has.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// What is known of a program.
    pub fn job(&self, id: &str) -> Option<&JobRecord> {
        self.jobs.get(id)
    }

    /// All outputs, also those that are of no program any more.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        let of_jobs = self.jobs.values().flat_map(|job| &job.outputs).map(|output| &*output.output.name);
        of_jobs.chain(self.stale.iter().map(String::as_str))
    }

    /// The files that a program was read from, as names in sidecars.
    pub fn inputs<'r>(&'r self, job: &'r JobRecord) -> impl Iterator<Item = &'r str> {
        job.inputs.iter().filter_map(|at| self.files.get(*at as usize)).map(|(name, ..)| name.as_str())
    }

    /// Why a program has to be built; `None`: everything is right. Files have been checked.
    pub fn reason(&self, id: &str, key: &str, out: &Path) -> Option<Reason> {
        let Some(job) = self.jobs.get(id).filter(|job| job.fate != Fate::Internal) else { return Some(Reason::New) };
        if job.key != key {
            return Some(Reason::Options);
        }
        let changes = &self.changes;
        let changed = |list: &[bool], at: u32| list.get(at as usize).copied().unwrap_or(true);
        if let Some(at) = job.inputs.iter().find(|at| changed(&changes.files, **at)) {
            return Some(Reason::Input(self.files.get(*at as usize).map(|f| f.0.clone()).unwrap_or_default()));
        }
        if let Some(at) = job.misses.iter().find(|at| changed(&changes.misses, **at)) {
            return Some(Reason::Appeared(self.misses.get(*at as usize).cloned().unwrap_or_default()));
        }
        let wrong = job.outputs.iter().find(|output| !output.is_there(out));
        wrong.map(|output| Reason::Output(output.output.name.to_string()))
    }

    /// Checks the files that were read, and the places where there were none. Names in sidecars are paths from `base`.
    pub fn check(&mut self, base: &Path) {
        let one = |(name, stamp, digest): &(String, Stamp, Digest)| {
            let path = base.join(name);
            let is_old = stamp.modified.saturating_add(COARSE) < self.began;
            if is_old && Stamp::of(&path) == Some(*stamp) {
                return (false, false);
            }
            (std::fs::read(&path).map_or(true, |bytes| Digest::of(&bytes) != *digest), true)
        };
        let checked: Vec<(bool, bool)> = self.files.par_iter().map(one).collect();
        self.changes = Changes {
            read_again: checked.iter().any(|(changed, read)| !changed && *read),
            files: checked.into_iter().map(|(changed, _)| changed).collect(),
            misses: self.misses.par_iter().map(|name| base.join(name).is_file()).collect(),
        };
    }

    /// Whether it would spare work to write the record again though nothing was built.
    pub fn is_worn(&self) -> bool {
        self.changes.read_again
    }
}

impl OutputRecord {
    /// Whether the file has what was written.
    fn is_there(&self, out: &Path) -> bool {
        let path = out.join(&*self.output.name);
        match Stamp::of(&path) {
            Some(stamp) if stamp == self.stamp => true,
            Some(stamp) if stamp.size == self.stamp.size => {
                std::fs::read(&path).is_ok_and(|bytes| Digest::of(&bytes) == self.digest)
            }
            _ => false,
        }
    }
}

/// A record in the making.
#[derive(Debug)]
pub struct Recorder {
    record: Record,
    /// By what was in them, too: what was not built again was read from a file that may have changed.
    files: BTreeMap<(String, Digest), u32>,
    misses: BTreeMap<String, u32>,
}

impl Recorder {
    /// Of a build that began at this time.
    pub fn new(began: u64) -> Recorder {
        let record = Record { began, ..Record::default() };
        Recorder { record, files: BTreeMap::new(), misses: BTreeMap::new() }
    }

    /// Adds a program that was built.
    pub fn add<'n>(
        &mut self,
        id: &str,
        job: JobRecord,
        inputs: impl IntoIterator<Item = (&'n str, Stamp, Digest)>,
        misses: impl IntoIterator<Item = &'n str>,
    ) {
        let Recorder { record, files, misses: places } = self;
        let mut input = |(name, stamp, digest): (&str, Stamp, Digest)| {
            *files.entry((name.to_owned(), digest)).or_insert_with(|| {
                record.files.push((name.to_owned(), stamp, digest));
                record.files.len() as u32 - 1
            })
        };
        let inputs = inputs.into_iter().map(&mut input).collect();
        let mut miss = |name: &str| {
            *places.entry(name.to_owned()).or_insert_with(|| {
                record.misses.push(name.to_owned());
                record.misses.len() as u32 - 1
            })
        };
        let misses = misses.into_iter().map(&mut miss).collect();
        record.jobs.insert(id.to_owned(), JobRecord { inputs, misses, ..job });
    }

    /// Adds a program that is still right, as the record of the build before has it.
    pub fn keep(&mut self, id: &str, before: &mut Record) {
        let Some(job) = before.jobs.remove(id) else { return };
        let file =
            |at: &u32| before.files.get(*at as usize).map(|(name, stamp, digest)| (name.as_str(), *stamp, *digest));
        let inputs: Vec<_> = job.inputs.iter().filter_map(file).collect();
        let misses: Vec<_> =
            job.misses.iter().filter_map(|at| before.misses.get(*at as usize)).map(String::as_str).collect();
        self.add(id, job, inputs, misses);
    }

    /// The record.
    pub fn finish(mut self, stale: Vec<String>) -> Record {
        self.record.stale = stale;
        self.record
    }
}

/// Where the record of a build lies: `identity` tells builds into one directory apart.
pub fn path(out: &Path, identity: &Digest) -> PathBuf {
    let name = identity.to_string();
    out.join(DIRECTORY).join(format!("{}.json", name.get(..16).unwrap_or(&name)))
}

/// The directory of temporary files.
pub fn temporary(out: &Path) -> PathBuf {
    out.join(DIRECTORY).join("tmp")
}

/// Makes the output directory with the directory of records. One that was not there, or was empty, has nothing but outputs in it.
pub fn prepare(out: &Path) -> std::io::Result<()> {
    let is_empty = std::fs::read_dir(out).map_or(true, |mut entries| entries.next().is_none());
    let records = out.join(DIRECTORY);
    std::fs::create_dir_all(&records)?;
    if is_empty {
        std::fs::write(records.join(OWN), "Everything in the directory above was written by shaderport.\n")?;
    }
    Ok(())
}

/// Whether everything in a directory was written by builds.
pub fn is_own(directory: &Path) -> bool {
    directory.join(DIRECTORY).join(OWN).is_file()
}

/// The outputs that builds have written into a directory, as its records say.
pub fn outputs_of_directory(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory.join(DIRECTORY)) else { return Vec::new() };
    let records = entries.flatten().filter_map(|entry| Record::read(&entry.path()));
    records.flat_map(|record| record.outputs().map(|name| directory.join(name)).collect::<Vec<_>>()).collect()
}

/// The target of a name in records.
pub fn target_of(name: &str) -> Option<Target> {
    Target::TABLE.iter().find(|row| row.name == name).map(|row| row.target)
}
