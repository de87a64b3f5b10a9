//! What readers of build descriptions are given, and what they give.

use super::words::{UNKNOWN, behind_runners, is_quiet, is_shader, like_dxc, program_name, shown, tool_in};
use globset::GlobBuilder;
use std::collections::BTreeSet;

/// Commands of one description.
const MOST_COMMANDS: usize = 1 << 16;

/// A build description. Paths are from the tree, `/`-separated.
#[derive(Clone, Copy)]
pub struct Script<'a> {
    /// Its path.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
    /// The files of the tree, sorted.
    pub files: &'a [String],
}

/// A command that compiles a shader.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCommand {
    /// The words, the compiler's name first.
    pub words: Vec<String>,
    /// The directory that it runs in, from the tree.
    pub directory: String,
    /// Where it is said: `file:line`.
    pub place: String,
}

/// A batch file of the tree that a description runs, or a configuration that it has compiled.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptCall {
    /// Its path from the tree.
    pub name: String,
    /// What it is given.
    pub arguments: Vec<String>,
    /// The directory that it is run in, from the tree.
    pub directory: String,
}

/// What a description says.
#[derive(Debug, Default)]
pub struct Reading {
    /// Its commands.
    pub commands: Vec<ToolCommand>,
    /// Batch files that it runs, and configurations, that are to be followed yet.
    pub calls: Vec<ScriptCall>,
    /// Descriptions that it has run, whose commands are among its own.
    pub called: BTreeSet<String>,
    /// What could not be followed, for people.
    pub notes: Vec<String>,
}

impl Reading {
    /// Says what could not be followed, once.
    pub fn note(&mut self, script: &Script, line: usize, text: &str) {
        let note = format!("{}:{line}: {text}", script.name);
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds a command if a compiler is run. Another program that is given a shader is named.
    pub fn command(&mut self, script: &Script, line: usize, directory: &str, words: &[String]) {
        if tool_in(words).is_some() {
            return self.compiler(script, line, directory, words.to_vec());
        }
        let Some((program, arguments)) = words.split_first() else { return };
        let called = script.called(directory, words).or_else(|| super::shader_make::called(script, directory, words));
        if let Some(call) = called {
            return self.calls.push(call);
        }
        if let Some(all) = like_dxc(words) {
            let program = program_name(program);
            self.note(script, line, &format!("`{}` is taken for a program with the options of dxc", shown(&program)));
            return all.into_iter().for_each(|words| self.compiler(script, line, directory, words));
        }
        if arguments.iter().any(|word| is_shader(word)) && !is_quiet(program) {
            self.note(script, line, &format!("`{}` is given a shader and is not followed", shown(program)));
        }
    }

    fn compiler(&mut self, script: &Script, line: usize, directory: &str, words: Vec<String>) {
        if self.commands.len() >= MOST_COMMANDS {
            return self.note(script, line, "there are more commands than are read");
        }
        let place = format!("{}:{line}", script.name);
        self.commands.push(ToolCommand { words, directory: directory.to_owned(), place });
    }
}

impl Script<'_> {
    /// The directory that it is in.
    pub fn directory(&self) -> String {
        self.name.rsplit_once('/').map_or(String::new(), |(directory, _)| directory.to_owned())
    }

    /// Whether a file is in the tree; a path that is not known is not.
    pub fn has(&self, directory: &str, path: &str) -> bool {
        let path = joined(directory, path);
        !path.contains(UNKNOWN) && self.files.binary_search(&path).is_ok()
    }

    /// The batch file of the tree that a command runs. `call` needs no ending.
    pub fn called(&self, directory: &str, words: &[String]) -> Option<ScriptCall> {
        let (program, arguments) = behind_runners(words).split_first()?;
        let path = joined(directory, program.trim_matches('"'));
        let named = |ending: &&str| {
            let name = format!("{path}{ending}");
            let is_batch = [".bat", ".cmd"].iter().any(|end| name.to_ascii_lowercase().ends_with(end));
            let found = self.files.iter().find(|file| is_batch && file.eq_ignore_ascii_case(&name));
            found.cloned()
        };
        let name = ["", ".bat", ".cmd"].iter().find_map(named)?;
        Some(ScriptCall { name, arguments: arguments.to_vec(), directory: directory.to_owned() })
    }

    /// The files that a pattern means, as paths from the directory. `deep`: below it as well, by the name alone.
    pub fn matching(&self, directory: &str, pattern: &str, deep: bool) -> Vec<String> {
        let pattern = pattern.replace('\\', "/");
        let pattern = pattern.strip_prefix("./").unwrap_or(&pattern).to_owned();
        let pattern = if deep && !pattern.contains("**") { format!("**/{pattern}") } else { pattern };
        let Ok(glob) = GlobBuilder::new(&pattern).literal_separator(true).case_insensitive(true).build() else {
            return Vec::new();
        };
        let glob = glob.compile_matcher();
        let below = self.files.iter().filter_map(|file| match directory {
            "" => Some(file.as_str()),
            _ => file.strip_prefix(directory)?.strip_prefix('/'),
        });
        below.filter(|file| glob.is_match(file)).map(str::to_owned).collect()
    }
}

/// A path from a directory, both of the tree, without `.` and `..` where that is possible.
pub fn joined(directory: &str, path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// A text with paths from a directory in place of paths that begin with it.
pub fn from_directory(text: &str, directory: &str) -> String {
    let start = format!("{}/", directory.replace('\\', "/").trim_end_matches('/'));
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(&start) {
        out.push_str(before);
        // It may be the end of another name.
        let goes_on = out.chars().next_back().is_some_and(|c| c.is_alphanumeric() || "/._-".contains(c));
        if goes_on {
            out.push_str(&start);
        }
        rest = after;
    }
    out + rest
}

/// The name of a path without its directory and ending.
pub fn stem_of(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
