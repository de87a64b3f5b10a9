//! Builds that other programs run: a tree as actions, each with a command, exactly the files that it reads and exactly those that
//! it writes.
//!
//! | file | what |
//! |---|---|
//! | `command` | the words of a command, of which some are paths |
//! | `chunks` | which programs are one action |
//! | `ninja`, `bazel` | actions as the texts of build systems |
//!
//! What a program reads is known after it was compiled, so a plan is made from a build that writes nothing: what a record or a
//! cache has is not compiled for it.

mod bazel;
mod chunks;
mod command;
mod ninja;

use super::digest::Digest;
use super::driver::{Built, Report};
use super::order::Order;
use super::plan::{Job, from};
use super::program::{Fate, OutputKind};
use super::record::DIRECTORY;
use crate::compile::Target;
pub use bazel::bazel;
#[cfg(feature = "remote")]
pub use command::Place;
pub use command::{Word, shell};
pub use ninja::{Regeneration, ninja};
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The version of the format.
const ACTIONS_VERSION: &str = "shaderport-actions/1";

/// What an action does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActionKind {
    /// It writes the outputs of programs.
    Build,
    /// It checks texts that were written.
    Validate,
}

/// A command with what it reads and writes. Paths are from the working directory of the plan.
#[derive(Clone, Debug, Serialize)]
pub struct Action {
    /// Tells actions apart; the same for as long as the action begins with the same program.
    pub id: String,
    /// What it does.
    pub kind: ActionKind,
    /// The programs that it is about.
    pub programs: Vec<String>,
    /// The files that it was asked for: the sources of the programs, or the texts.
    #[serde(skip)]
    pub sources: Vec<String>,
    /// All files that it reads, sorted.
    pub inputs: Vec<String>,
    /// All files that it writes, sorted.
    pub outputs: Vec<String>,
    /// The program and its arguments.
    #[serde(serialize_with = "texts")]
    pub command: Vec<Word>,
}

fn texts<S: Serializer>(words: &[Word], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(words.iter().map(Word::text))
}

/// The actions of a build.
#[derive(Clone, Debug, Serialize)]
pub struct Actions {
    /// The format.
    schema: &'static str,
    /// Files without entry points of their own: the plan is another one if they get some.
    pub libraries: Vec<String>,
    /// In the order of the programs; what validates is after what it validates.
    pub actions: Vec<Action>,
}

/// How actions are made.
#[derive(Debug)]
pub struct ActionForm {
    /// The command of a build without its programs.
    pub build: Vec<Word>,
    /// The command that validates, if texts are validated.
    pub validate: Option<Vec<Word>>,
    /// About as many programs are one action.
    pub chunk: usize,
}

impl Actions {
    /// Of a build that wrote nothing. The error is a text for people.
    pub fn of(built: &Built, order: &Order, form: &ActionForm) -> Result<Actions, String> {
        let besides: Vec<String> = order.read_besides.iter().map(|path| here(path)).collect();
        let mut actions = Vec::new();
        let programs: Vec<&(Job, Report)> =
            built.reports.iter().filter(|(_, report)| !report.outputs.is_empty()).collect();
        let ids: Vec<String> = programs.iter().map(|(job, _)| job.id(&built.base)).collect();
        let mut at = 0;
        for count in chunks::chunks(&ids, form.chunk) {
            let (Some(ids), Some(members)) = (ids.get(at..at + count), programs.get(at..at + count)) else { break };
            at += count;
            let build = build_action(order, form, ids, members, &besides);
            let validation = form.validate.as_deref().map(|command| validation(built, order, command, &build, members));
            actions.push(build);
            actions.extend(validation.transpose()?.flatten());
        }
        let libraries = built.reports.iter().filter(|(_, report)| report.fate == Fate::Library);
        let libraries: BTreeSet<String> =
            libraries.flat_map(|(job, _)| &job.files).map(|file| here(&file.to_string_lossy())).collect();
        Ok(Actions { schema: ACTIONS_VERSION, libraries: libraries.into_iter().collect(), actions })
    }

    /// The JSON of the plan.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// A path from the working directory.
fn here(path: &str) -> String {
    from(Path::new("."), Path::new(path))
}

/// The action that builds some programs.
fn build_action(
    order: &Order,
    form: &ActionForm,
    ids: &[String],
    members: &[&(Job, Report)],
    besides: &[String],
) -> Action {
    let inputs = members.iter().flat_map(|(_, report)| &report.dependencies).map(|path| here(path));
    let inputs: BTreeSet<String> = inputs.chain(besides.iter().cloned()).collect();
    let names = names_of(members.iter().map(|(_, report)| report));
    let mut command = form.build.clone();
    for id in ids {
        command.extend([Word::plain("--program"), Word::plain(id)]);
    }
    // What was read is in the command, so that an action that reads other files is another one.
    let read = Digest::of_parts(inputs.iter().map(|input| input.as_bytes())).to_string();
    let expected = format!("{}:{}", outputs_digest(&names), read.get(..16).unwrap_or(&read));
    command.extend([Word::plain("--expect"), Word::plain(&expected)]);
    let sources = members.iter().flat_map(|(job, _)| &job.files).map(|file| here(&file.to_string_lossy()));
    Action {
        id: chunks::id(ids),
        kind: ActionKind::Build,
        programs: ids.to_vec(),
        sources: sources.collect::<BTreeSet<_>>().into_iter().collect(),
        inputs: inputs.into_iter().collect(),
        outputs: names.iter().map(|name| order.shown(name)).collect(),
        command,
    }
}

/// The action that checks the texts of another one, if they have checks.
fn validation(
    built: &Built,
    order: &Order,
    command: &[Word],
    build: &Action,
    members: &[&(Job, Report)],
) -> Result<Option<Action>, String> {
    let stamp = order.shown(&format!("{DIRECTORY}/{}.valid", build.id));
    let mut command = command.to_vec();
    command.extend([Word::plain("--stamp"), Word::output("", &stamp)]);
    let mut inputs: BTreeSet<String> = BTreeSet::new();
    for (job, report) in members {
        for (text, sidecar) in pairs(report, order)? {
            let sidecar = sidecar
                .ok_or_else(|| format!("{}: without sidecars texts cannot be validated", job.id(&built.base)))?;
            for name in [text, sidecar] {
                let path = order.shown(&name);
                command.push(Word::output("", &path));
                inputs.insert(path);
            }
        }
    }
    if inputs.is_empty() {
        return Ok(None);
    }
    let inputs: Vec<String> = inputs.into_iter().collect();
    Ok(Some(Action {
        id: format!("{}.valid", build.id),
        kind: ActionKind::Validate,
        programs: build.programs.clone(),
        sources: inputs.clone(),
        inputs,
        outputs: vec![stamp],
        command,
    }))
}

/// The texts of a program that validators read, each with a sidecar of its target. Of several variants, the table of variants has
/// them, as outputs of equal bytes are stored once.
fn pairs(report: &Report, order: &Order) -> Result<Vec<(String, Option<String>)>, String> {
    let table = report.outputs.iter().find(|output| output.kind == OutputKind::Table);
    let of_variants = match table {
        Some(table) => pairs_of_table(&bytes_of(report, order, &table.name)?),
        None => BTreeMap::new(),
    };
    let is_read = |target: Target| match target {
        Target::Hlsl | Target::Glsl | Target::Wgsl => true,
        Target::Spirv | Target::Metal => false,
    };
    let texts = report.outputs.iter().filter(|o| o.kind == OutputKind::Text && o.target.is_some_and(is_read));
    let pair = |text: &super::record::Written| {
        let sole = || report.outputs.iter().find(|o| o.kind == OutputKind::Sidecar && o.target == text.target);
        let sidecar = of_variants.get(&*text.name).cloned().or_else(|| sole().map(|o| o.name.to_string()));
        (text.name.to_string(), sidecar)
    };
    Ok(texts.map(pair).collect())
}

/// The sidecar of each text, of the first variant that has it.
fn pairs_of_table(bytes: &[u8]) -> BTreeMap<String, String> {
    let table: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
    let list =
        |value: &serde_json::Value, key: &str| value.get(key).and_then(|v| v.as_array()).cloned().unwrap_or_default();
    let word = |value: &serde_json::Value, key: &str| value.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    let mut pairs = BTreeMap::new();
    for row in list(&table, "variants") {
        for text in list(&row, "texts") {
            let sidecars = list(&row, "sidecars");
            let sidecar = sidecars.iter().find(|s| word(s, "target") == word(&text, "target"));
            if let (Some(file), Some(sidecar)) = (word(&text, "file"), sidecar.and_then(|s| word(s, "file"))) {
                pairs.entry(file).or_insert(sidecar);
            }
        }
    }
    pairs
}

/// What an output would have in it.
fn bytes_of(report: &Report, order: &Order, name: &str) -> Result<Vec<u8>, String> {
    match report.differences.iter().find(|difference| difference.name == name) {
        Some(difference) => Ok(difference.new.clone()),
        None => std::fs::read(order.out.join(name)).map_err(|e| format!("cannot read {}: {e}", order.shown(name))),
    }
}

/// The names of the outputs of some programs below the output directory, sorted.
fn names_of<'r>(reports: impl Iterator<Item = &'r Report>) -> Vec<String> {
    let names: BTreeSet<&str> = reports.flat_map(|report| &report.outputs).map(|o| &*o.name).collect();
    names.into_iter().map(str::to_owned).collect()
}

/// The names of the outputs of a build below the output directory, sorted.
pub fn written_names(built: &Built) -> Vec<String> {
    names_of(built.reports.iter().map(|(_, report)| report))
}

/// What a plan and an action agree on.
pub fn outputs_digest(names: &[String]) -> String {
    let digest = Digest::of_parts(names.iter().map(|name| name.as_bytes())).to_string();
    digest.get(..32).unwrap_or(&digest).to_owned()
}
