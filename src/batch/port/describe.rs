//! The build descriptions of a tree, and what they say of its files.

use super::cmake_file::{CmakeTree, is_cmake};
use super::flags::CompilerTool;
use super::invocation::{Invocation, read_invocation};
use super::script::{Reading, Script, ScriptCall, ToolCommand, joined};
use super::words::{UNKNOWN, is_open, is_shader, shown, tool_in, tool_of_program};
use super::{batch_file, content_file, json_file, makefile, project_file, shader_make, shell_file};
use crate::options::Choices;
use crate::tree::Stage;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a description.
const MOST_BYTES: usize = 1 << 22;

/// Why warnings are as they are.
const OWN_WARNINGS: &str = "warnings are others here; `--severity` is about them";

/// One compilation of a file, as a description says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// The file, from the tree.
    pub file: String,
    /// The entry points; without any, all that are marked.
    pub entries: Vec<(String, Option<Stage>)>,
    /// Macros.
    pub defines: Vec<(String, Option<String>)>,
    /// Include directories, from the tree.
    pub include: Vec<String>,
    /// What else it chooses for texts.
    pub choices: Choices,
    /// Where it is said.
    pub place: String,
}

/// What all descriptions say.
#[derive(Debug, Default)]
pub struct Descriptions {
    /// The descriptions that said something, each with how many commands it has.
    pub found: BTreeMap<String, usize>,
    /// Compilations, in order of descriptions.
    pub all: Vec<Described>,
    /// What needs a person.
    pub notes: Vec<String>,
    /// Sources in GLSL by the place of their commands.
    glsl: BTreeMap<String, BTreeSet<String>>,
    /// Options that decide on nothing, with the reason, and how often.
    pub ignored: BTreeMap<(String, &'static str), usize>,
}

/// Reads a description; `None`: it is none.
fn reading(script: &Script, read: &dyn Fn(&str) -> Option<String>) -> Option<Reading> {
    let lower = script.name.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending {
        "cmd" | "bat" => Some(batch_file::read(script, read)),
        "sh" | "bash" => Some(shell_file::read(script)),
        "json" if has_tool(script.text) => Some(json_file::read(script)),
        "cfg" | "txt" if shader_make::is_shader_make(script.text) => Some(shader_make::read(script)),
        "mgcb" => Some(content_file::read(script, read)),
        "vcxproj" => Some(project_file::read(script, read)),
        "vcxitems" if !project_file::is_imported(script, read) => Some(project_file::read(script, read)),
        "py" => not_followed(script, "Python"),
        "ps1" => not_followed(script, "PowerShell"),
        _ if makefile::is_makefile(name) => Some(makefile::read(script, read)),
        _ => None,
    }
}

/// A script that runs a compiler in a language that is not read.
fn not_followed(script: &Script, language: &str) -> Option<Reading> {
    let tool = tool_of_program(script.text)?;
    let mut reading = Reading::default();
    let note = "which is not followed: stages are taken from the names of files and functions";
    reading.note(script, 1, &format!("{tool} is run by {language}, {note}"));
    Some(reading)
}

fn has_tool(text: &str) -> bool {
    ["fxc", "dxc", "slangc", "glslc", "glslang"].iter().any(|tool| text.contains(tool))
}

/// Whether a file may be a description, by its name.
fn may_be(file: &str) -> bool {
    const ENDINGS: &[&str] =
        &["cmd", "bat", "sh", "bash", "cmake", "txt", "json", "cfg", "mgcb", "vcxproj", "vcxitems", "py", "ps1"];
    let lower = file.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ENDINGS.contains(&ending) || makefile::is_makefile(name)
}

/// Reads all descriptions among the files of a tree, which are sorted. `read` gives the text of a file.
pub fn describe(files: &[String], read: &dyn Fn(&str) -> Option<String>) -> Descriptions {
    let text_of = |name: &str| read(name).filter(|text| text.len() <= MOST_BYTES);
    let cmake = CmakeTree::new(files, &text_of);
    let mut readings: BTreeMap<&str, Reading> = cmake.readings();
    readings.values_mut().for_each(|reading| *reading = followed(std::mem::take(reading), files, &text_of));
    for name in files.iter().filter(|file| may_be(file) && !is_cmake(file)) {
        let Some(text) = text_of(name) else { continue };
        if let Some(reading) = reading(&Script { name, text: &text, files }, read) {
            readings.insert(name.as_str(), followed(reading, files, &text_of));
        }
    }
    let mut found = Descriptions::default();
    let run_by_others = run_by_others(&readings);
    for (name, reading) in readings.iter().filter(|(name, _)| !run_by_others.contains(*name)) {
        found.notes.extend(
            reading.notes.iter().map(|note| shown(note)).filter(|note| !found.notes.contains(note)).collect::<Vec<_>>(),
        );
        if !reading.commands.is_empty() {
            found.found.insert((*name).to_owned(), reading.commands.len());
        }
        reading.commands.iter().for_each(|command| found.add(command, files, read));
    }
    let glsl = std::mem::take(&mut found.glsl);
    found.notes.extend(glsl.iter().map(|(place, sources)| format!("{place}: {}", glsl_note(sources))));
    found
}

/// What a description says, with what the batch files say that it runs, and the configurations that it has compiled.
fn followed(mut reading: Reading, files: &[String], text_of: &dyn Fn(&str) -> Option<String>) -> Reading {
    let calls = std::mem::take(&mut reading.calls);
    // One configuration is compiled for several platforms.
    let is_best = |call: &ScriptCall| {
        let others = calls.iter().filter(|other| other.name == call.name && shader_make::is_config(other));
        others.min_by_key(|other| shader_make::distance(other)) == Some(call)
    };
    // They run others themselves, so that none is left over.
    for call in calls.iter().filter(|call| !shader_make::is_config(call) || is_best(call)).cloned() {
        let Some(text) = text_of(&call.name) else { continue };
        let script = Script { name: &call.name, text: &text, files };
        let of_call = match shader_make::is_config(&call) {
            true => shader_make::read_call(&script, &call),
            false => batch_file::read_call(&script, &call, text_of),
        };
        reading.commands.extend(of_call.commands);
        reading.notes.extend(of_call.notes);
        reading.called.extend(of_call.called.into_iter().chain([call.name]));
    }
    reading
}

fn glsl_note(sources: &BTreeSet<String>) -> String {
    let mut names = sources.iter();
    let first = names.next().map_or("", String::as_str);
    match names.len() {
        0 => format!("`{first}` is GLSL, which is not read"),
        more => format!("`{first}` and {more} more are GLSL, which is not read"),
    }
}

/// The scripts that others run: by themselves they may lack what these give them. Of those that run each other one is left.
fn run_by_others<'r>(readings: &'r BTreeMap<&str, Reading>) -> BTreeSet<&'r str> {
    let mut run: BTreeSet<&str> = BTreeSet::new();
    for (name, reading) in readings.iter() {
        let others = reading.called.iter().map(String::as_str).filter(|other| other != name);
        let found: Vec<&str> = others.filter(|_| !run.contains(name)).collect();
        run.extend(found);
    }
    run
}

impl Descriptions {
    fn add(&mut self, command: &ToolCommand, files: &[String], read: &dyn Fn(&str) -> Option<String>) {
        let Some((tool, words)) = tool_in(&command.words) else { return };
        let response = |path: &str| read(&joined(&command.directory, path));
        let said = read_invocation(tool, words, &response);
        let told = self.told(tool, command, &said);
        let read = || said.files.iter().filter(|file| said.is_read(tool, file));
        let resolved: Vec<Vec<String>> = read().map(|file| resolved(&command.directory, file, files)).collect();
        for (file, resolved) in read().zip(&resolved) {
            let shown = shown(file);
            match resolved.as_slice() {
                [] if !is_open(file) => self.note(command, &format!("there is no file `{shown}`")),
                [] => self.note(command, &format!("`{shown}` is not known")),
                [_] => {}
                [..] => self.note(command, &format!("`{shown}` is not known: all files that are called so are taken")),
            }
        }
        if let Some(glsl) = said.files.iter().find(|file| !said.is_read(tool, file)) {
            let name = if is_open(glsl) { shown(glsl) } else { joined(&command.directory, glsl) };
            let of_place = self.glsl.entry(command.place.clone()).or_default();
            of_place.insert(name);
        }
        let is_known = |text: &str| !is_open(text);
        let open = said.entries.iter().map(|(name, _)| name).find(|name| !is_known(name));
        if let Some(open) = open {
            return self.note(command, &format!("the entry point `{}` is not known", shown(open)));
        }
        if told {
            self.note(command, &format!("`{}`", shown(&command.words.join(" "))));
        }
        let mut include: Vec<String> = Vec::new();
        for path in &said.include {
            let path = match is_known(path) {
                true => Some(directory_in_any_case(&joined(&command.directory, path), files)),
                false => directory_by_end(path, files),
            };
            include.extend(path.filter(|path| !include.contains(path)));
        }
        let value_is_known = |(_, value): &&(String, Option<String>)| value.as_deref().is_none_or(is_known);
        let defines: Vec<_> = said.defines.iter().filter(value_is_known).cloned().collect();
        if let Some((name, value)) = said.defines.iter().find(|define| !value_is_known(define)) {
            let value = shown(value.as_deref().unwrap_or_default());
            self.note(command, &format!("the macro {name} is `{value}`, which is not known"));
        }
        let choices = Choices { severity: None, ..said.choices.clone() };
        for file in resolved.into_iter().flatten() {
            let (entries, place) = (said.entries.clone(), command.place.clone());
            let (defines, include, choices) = (defines.clone(), include.clone(), choices.clone());
            self.all.push(Described { file, entries, defines, include, choices, place });
        }
    }

    /// Says what of a command line is not done. Gives whether the whole line is to be shown.
    fn told(&mut self, tool: CompilerTool, command: &ToolCommand, said: &Invocation) -> bool {
        for (flag, reason) in &said.ignored {
            let flag = flag.trim_start_matches(['-', '/']);
            let known = super::flags::flag(tool, flag).map_or(flag, |row| row.name);
            *self.ignored.entry((format!("-{known}"), reason)).or_default() += 1;
        }
        if said.choices.severity.is_some() {
            *self.ignored.entry(("-WX, -no-warnings".to_owned(), OWN_WARNINGS)).or_default() += 1;
        }
        for (flag, reason) in &said.unsupported {
            self.note(command, &format!("`{}` is not done: {reason}", shown(flag)));
        }
        for fault in said.faults.iter().filter(|fault| !is_open(fault)) {
            self.note(command, &shown(fault));
        }
        said.files.is_empty() && said.faults.is_empty()
    }

    fn note(&mut self, command: &ToolCommand, text: &str) {
        let note = format!("{}: {text}", command.place);
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// A directory as the tree spells it, whose files are sorted.
fn directory_in_any_case(path: &str, files: &[String]) -> String {
    let is_below = |file: &&String, same: &dyn Fn(&str) -> bool| {
        file.as_bytes().get(path.len()) == Some(&b'/') && file.get(..path.len()).is_some_and(same)
    };
    let exact = files.iter().find(|file| is_below(file, &|start| start == path));
    let found = exact.or_else(|| files.iter().find(|file| is_below(file, &|start| start.eq_ignore_ascii_case(path))));
    found.and_then(|file| file.get(..path.len())).unwrap_or(path).to_owned()
}

/// The only directory with files that ends as the known end of a path does.
fn directory_by_end(path: &str, files: &[String]) -> Option<String> {
    let end = known_end(path);
    let ways = files.iter().filter_map(|file| file.rsplit_once('/')).flat_map(|(directory, _)| {
        let ends = directory.match_indices('/').map(|(at, _)| at).chain([directory.len()]);
        ends.filter_map(|at| directory.get(..at))
    });
    let found: BTreeSet<&str> = ways.filter(|way| !end.is_empty() && is_end(way, &end)).collect();
    let mut found = found.into_iter();
    found.next().filter(|_| found.next().is_none()).map(str::to_owned)
}

/// What of a path stands behind the last part that is not known.
fn known_end(path: &str) -> String {
    let known = path.rsplit(UNKNOWN).next().unwrap_or(path);
    joined("", known.rsplit(['}', ')', '>']).next().unwrap_or(known))
}

/// Whether a path ends in whole names as another one is.
fn is_end(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The files of the tree that a command names: from where it runs, from the tree, else the only one that ends so. Where a part of the
/// file's own name is not known, all that are called so may be meant.
fn resolved(directory: &str, path: &str, files: &[String]) -> Vec<String> {
    let has = |path: &String| files.binary_search(path).is_ok();
    let in_any_case = |path: &String| files.iter().find(|file| file.eq_ignore_ascii_case(path)).cloned();
    let from_here = joined(directory, path);
    let from_tree = joined("", path);
    if let Some(found) = [&from_here, &from_tree].into_iter().find(|path| has(path)) {
        return vec![found.clone()];
    }
    if let Some(found) = in_any_case(&from_here).or_else(|| in_any_case(&from_tree)) {
        return vec![found];
    }
    let name_is_open = joined("", path).rsplit('/').next().is_some_and(is_open);
    if name_is_open {
        return called_so(directory, path, files);
    }
    let end = known_end(path);
    let ends: BTreeSet<&String> = files.iter().filter(|file| !end.is_empty() && is_end(file, &end)).collect();
    match ends.len() {
        1 => ends.into_iter().cloned().collect(),
        _ => Vec::new(),
    }
}

/// The shaders whose names a name means of which a part is not known, in the directory that is: `shaders/${NAME}.hlsl`.
fn called_so(directory: &str, path: &str, files: &[String]) -> Vec<String> {
    let path = joined("", path);
    let (within, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let end = known_end(within);
    let parts: Vec<&str> = name.split(UNKNOWN).collect();
    let [before, _, after] = parts.as_slice() else { return Vec::new() };
    let is_within = |way: &str| match is_open(within) {
        true => !end.is_empty() && is_end(way, &end),
        false => way == joined(directory, within) || !within.is_empty() && is_end(way, within),
    };
    let is_called = |name: &str| {
        name.len() > before.len() + after.len() && name.starts_with(before) && name.ends_with(after) && is_shader(name)
    };
    let is_meant = |file: &&String| {
        let (way, name) = file.rsplit_once('/').unwrap_or(("", file));
        is_called(name) && is_within(way)
    };
    if is_shader(after) { files.iter().filter(is_meant).cloned().collect() } else { Vec::new() }
}
