//! The bindings lock: the positions that parameters had before, which they keep (`--bindings-lock`).
//!
//! A lock holds, for each program and binding model, a record for each parameter of the global order: its name, the file
//! that declares it, and where it begins in every unit. What lies in a parameter follows from its type and is not recorded.
//! Records are only ever added: one whose parameter is gone keeps its place from others until a person removes it.

use super::{Api, Policy, Settings, Shift, UNBOUNDED, Unit};
use crate::json::{self, Fault};
use crate::source::{FileId, Sources, Span};
use crate::tree::GlobalId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The version of the format.
pub const LOCK_VERSION: &str = "shaderport-bindings/1";

/// Records of one program on one binding model, by parameter.
pub type Records = BTreeMap<String, Record>;

/// A lock as a value. Its members are in the order of their names, as in the file.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// By the key of the program.
    pub programs: BTreeMap<String, ProgramLock>,
    /// The format.
    pub schema: String,
}

/// What a lock holds of one program.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ProgramLock {
    /// By binding model: `d3d`, `vulkan`, `webgpu`.
    pub apis: BTreeMap<String, Records>,
    /// The program's sources, relative to the lock.
    pub files: BTreeSet<String>,
}

/// Where a parameter is.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// By unit, with the words of the sidecar.
    pub at: BTreeMap<String, RecordedRange>,
    /// The name of the file that declares it, which tells parameters of one name apart: with as many of the directories
    /// around it as are needed for that.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Its first member, of a buffer whose name others have too.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub first: String,
    /// The namespaces around it, `Outer.Inner`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The options that say where its parts lie in what it takes, if it has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<Under>,
}

/// The options on which it depends where the parts of a parameter lie in what it takes.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Under {
    /// Parameter blocks have spaces of their own.
    pub blocks_apart: bool,
    /// The binding policy.
    pub policy: String,
    /// Ranges of bindings by register class.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shift: BTreeMap<char, u32>,
}

impl Under {
    /// Settings with these options; `None` if there are no such ones.
    pub fn settings(&self, settings: &Settings) -> Option<Settings> {
        let policy = *Policy::ALL.iter().find(|p| p.name == self.policy)?;
        let mut shift = Shift::NONE;
        let known = self.shift.iter().all(|(class, start)| shift.set(*class, *start));
        known.then_some(Settings { policy, shift, block_spaces: self.blocks_apart, ..*settings })
    }
}

/// What a lock keeps the position of, and how it differs from others.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its name; of an entry point's parameter with that of the entry point.
    pub name: String,
    /// The file that declares it, as it was named.
    pub file: String,
    /// The namespaces around it.
    pub namespace: String,
    /// Its first member, if members are named without it: two buffers may then have one name.
    pub first: String,
    /// What it is.
    pub owner: Owner,
    /// Where it is declared.
    pub span: Span,
}

impl Subject {
    /// Something that is declared in no file.
    pub fn implicit(name: String, owner: Owner) -> Subject {
        let none = String::new;
        Subject { name, file: none(), namespace: none(), first: none(), owner, span: Span::default() }
    }

    /// How much of what a record tells of its parameter is true of this one.
    fn likeness(&self, record: &Record) -> usize {
        let first = !record.first.is_empty() && record.first == self.first;
        usize::from(first) * 2 * (MOST_TAIL + 1)
            + usize::from(record.namespace == self.namespace) * (MOST_TAIL + 1)
            + shared_tail(&record.file, &self.file).min(MOST_TAIL)
    }
}

/// Names of files are compared by so many of their last parts.
const MOST_TAIL: usize = 7;
/// The most that [`Subject::likeness`] gives.
const MOST_ALIKE: usize = 4 * (MOST_TAIL + 1) - 1;

/// How many parts two paths have in common at their ends. What lies before does not count: it depends on where something was
/// compiled from.
pub fn shared_tail(a: &str, b: &str) -> usize {
    a.rsplit('/').zip(b.rsplit('/')).take_while(|(a, b)| a == b && !a.is_empty()).count()
}

/// The last parts of a path.
pub fn tail(path: &str, parts: usize) -> String {
    let mut last: Vec<&str> = path.rsplit('/').take(parts.max(1)).collect();
    last.reverse();
    last.join("/")
}

/// A range in one unit.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RecordedRange {
    /// How many; absent without bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The first register, binding, byte, ...
    pub index: u64,
    /// Register space, descriptor set or bind group; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<u64>,
}

impl RecordedRange {
    /// In a unit, from a number on; `count` may be without bound. Only slots are in a space.
    pub fn new(unit: Unit, (index, count): (u64, u64), space: u64) -> RecordedRange {
        let space = Unit::SLOTS.contains(&unit).then_some(space);
        RecordedRange { count: (count != UNBOUNDED).then_some(count), index, space }
    }

    /// One past the last; `u64::MAX` without bound.
    pub fn end(&self) -> u64 {
        self.index.saturating_add(self.count.unwrap_or(u64::MAX))
    }
}

impl Record {
    /// Its positions by unit. Words that are no unit say nothing.
    pub fn positions(&self) -> impl Iterator<Item = (Unit, RecordedRange)> + '_ {
        self.at.iter().filter_map(|(word, position)| Some((Unit::of_word(word)?, *position)))
    }

    fn fault(&self) -> Option<String> {
        const MOST: u64 = 1 << 32;
        for (word, at) in &self.at {
            let Some(unit) = Unit::of_word(word) else { return Some(format!("`{word}` is not a unit")) };
            let slots = Unit::SLOTS.contains(&unit);
            if !slots && unit != Unit::Bytes && at.count.is_none_or(|n| n > 1 << 16) {
                return Some(format!("`{word}` has too many numbers"));
            }
            if at.index >= MOST || at.count.is_some_and(|n| n > MOST || at.index + n > MOST) {
                return Some(format!("`{word}` does not end below 2^32"));
            }
            if slots != at.space.is_some() || at.space.is_some_and(|s| s >= MOST) {
                let words = if slots { "needs a space below 2^32" } else { "has no space" };
                return Some(format!("`{word}` {words}"));
            }
        }
        let known = |under: &Under| under.settings(&Settings::native(Api::Vulkan, Policy::SPEC)).is_some();
        if let Some(under) = self.under.as_ref().filter(|under| !known(under)) {
            return Some(format!("there are no such options as `{}` with these ranges", under.policy));
        }
        None
    }

    /// Its position in a unit.
    pub fn position(&self, unit: Unit) -> Option<RecordedRange> {
        self.at.get(unit.word()).copied()
    }
}

impl Default for Lock {
    fn default() -> Self {
        Lock { programs: BTreeMap::new(), schema: LOCK_VERSION.to_owned() }
    }
}

impl Lock {
    /// Reads a lock's text.
    pub fn parse(text: &str) -> Result<Lock, Fault> {
        let lock: Lock = json::read(text, LOCK_VERSION)?;
        match lock.fault() {
            Some((path, message)) => {
                let place = json::find(text, &path).unwrap_or(0..0);
                Err(Fault { place, message, note: "written by hand? A record can be removed as a whole".to_owned() })
            }
            None => Ok(lock),
        }
    }

    /// The first record that no layout can have, by its path.
    fn fault(&self) -> Option<(Vec<&str>, String)> {
        for (program, held) in &self.programs {
            for (api, records) in &held.apis {
                if !Api::ALL.iter().any(|a| a.facts().word == api) {
                    return Some((vec!["programs", program, "apis", api], format!("`{api}` is not a binding model")));
                }
                for (key, record) in records {
                    if let Some(message) = record.fault() {
                        return Some((vec!["programs", program, "apis", api, key], message));
                    }
                }
            }
        }
        None
    }

    /// The file's text.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The key of the program that consists of these files. A program that gained or lost files is still the same one,
    /// unless `exact` says that others have those.
    pub fn program_key(&self, files: &BTreeSet<String>, first: &str, exact: bool) -> String {
        let same = |test: &dyn Fn(&BTreeSet<String>) -> bool| {
            self.programs.iter().find(|(_, p)| test(&p.files)).map(|(key, _)| key.clone())
        };
        let found = same(&|f| f == files);
        let found = found.or_else(|| same(&|f| !exact && !f.is_empty() && f.is_subset(files)));
        let found = found.or_else(|| same(&|f| !exact && f.is_superset(files)));
        found.unwrap_or_else(|| {
            (1..).map(|n| numbered(first, n)).find(|k| !self.programs.contains_key(k)).unwrap_or_default()
        })
    }
}

/// A lock as it comes into a compilation.
#[derive(Clone, Debug)]
pub struct LockInput {
    /// The name of the file, for messages.
    pub name: String,
    /// Its text, for messages; empty if there is none yet.
    pub text: Arc<str>,
    /// What it says.
    pub lock: Arc<Lock>,
    /// The key of the program.
    pub program: String,
    /// That it would change is an error (`--locked`).
    pub frozen: bool,
}

/// What layout sees of a lock.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The records of the program on the binding model.
    pub records: &'a Records,
    /// The texts, for the names of files.
    pub sources: &'a Sources,
    /// Where the lock's text is among them.
    pub file: Option<FileId>,
    /// The key of the program.
    pub program: &'a str,
    /// The binding model.
    pub api: Api,
    /// That the records would change is an error.
    pub frozen: bool,
}

impl View<'_> {
    /// The place of a record in the lock.
    pub fn place(&self, key: &str) -> Option<Span> {
        let file = self.file?;
        let text = &self.sources.file(file)?.text;
        let place = json::find(text, &["programs", self.program, "apis", self.api.facts().word, key])?;
        Some(json::span(file, &place))
    }

    /// A file's name.
    pub fn file_name(&self, file: FileId) -> String {
        self.sources.file(file).map_or("", |f| f.name.as_str()).to_owned()
    }
}

/// What is given a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Owner {
    /// A global parameter.
    Global(GlobalId),
    /// The uniform parameter of an entry point: index of the entry point, index of the parameter.
    Param(usize, usize),
    /// The buffer of plain globals.
    Globals,
    /// The buffer of an entry point's plain uniform parameters.
    EntryBuffer(usize),
    /// The uniform parameters of an entry point as one.
    EntryScope(usize),
    /// The hidden counter of a global parameter.
    Counter(GlobalId),
    /// No parameter: what the API or a lock keeps.
    Nobody,
}

impl Owner {
    /// The global parameter.
    pub fn global(self) -> Option<GlobalId> {
        match self {
            Owner::Global(id) => Some(id),
            _ => None,
        }
    }
}

fn numbered(name: &str, n: usize) -> String {
    if n == 1 { name.to_owned() } else { format!("{name}#{n}") }
}

/// The keys of subjects, which are in global order: the record of the name that is most like each, so that what stays the
/// same keeps its own when others of its name come and go; what moved to another file or namespace has what is left; else
/// a key that is free.
pub fn keys(records: &Records, subjects: &[Subject]) -> BTreeMap<Owner, String> {
    let base = |key: &str| key.rsplit_once('#').map_or(key, |(name, _)| name).to_owned();
    let mut free: BTreeMap<String, Vec<(&String, &Record)>> = BTreeMap::new();
    records.iter().for_each(|(key, record)| free.entry(base(key)).or_default().push((key, record)));
    let mut given: BTreeMap<Owner, String> = BTreeMap::new();
    for likeness in (0..=MOST_ALIKE).rev() {
        for subject in subjects {
            let Some(list) = free.get_mut(&subject.name).filter(|_| !given.contains_key(&subject.owner)) else {
                continue;
            };
            if let Some(at) = list.iter().position(|(_, record)| subject.likeness(record) == likeness) {
                given.insert(subject.owner, list.remove(at).0.clone());
            }
        }
    }
    let mut taken: BTreeSet<String> = records.keys().chain(given.values()).cloned().collect();
    for subject in subjects {
        if given.contains_key(&subject.owner) {
            continue;
        }
        let key = (1..).map(|n| numbered(&subject.name, n)).find(|k| !taken.contains(k)).unwrap_or_default();
        taken.insert(key.clone());
        given.insert(subject.owner, key);
    }
    given
}
