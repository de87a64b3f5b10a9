//! The options of a build as words of other commands: of actions, and of what servers run.

use super::Cli;
use crate::batch::farm::Word;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory};

/// Options that decide neither on what is written nor on whether it is an error, by their names in `BuildArgs`, and those that whoever
/// makes a command says himself.
const OWN: &[&str] = &[
    "tree",
    "out",
    "programs",
    "locked",
    "message_format",
    "prune",
    "check",
    "fail_fast",
    "suggest_manifest",
    "explain_rebuild",
    "quiet",
    "watch",
    "jobs",
    "no_record",
    "depfile_path",
    "expect",
    "outdated",
    "product",
    "format",
    "chunk",
    "file",
    "list",
    "tool",
];
/// What the names of options about caches and servers begin with.
const SHARED: &[&str] = &["cache", "remote"];
/// Options whose values are paths of what is read.
const PATHS: &[&str] = &["include", "bindings_lock"];

/// The options that a command was given.
pub struct Given<'a> {
    command: clap::Command,
    matches: Option<&'a ArgMatches>,
}

impl<'a> Given<'a> {
    /// Of a command by its name.
    pub fn of(name: &str, matches: Option<&'a ArgMatches>) -> Given<'a> {
        let program = Cli::command();
        let command = program.find_subcommand(name).cloned().unwrap_or(program);
        Given { command, matches }
    }

    /// What decides on outputs, in the order in which the options are declared, however they were written.
    pub fn words(&self) -> Vec<Word> {
        self.words_of(|name| !OWN.contains(&name) && !SHARED.iter().any(|shared| name.starts_with(shared)))
    }

    /// The caches that were named.
    pub fn caches(&self) -> Vec<Word> {
        self.words_of(|name| name.starts_with("cache"))
    }

    /// Everything as it was said.
    pub fn all(&self) -> Vec<Word> {
        self.words_of(|name| name != "tree")
    }

    fn words_of(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<Word> {
        let mut words = Vec::new();
        let Some(matches) = self.matches else { return words };
        for argument in self.command.get_arguments() {
            let id = argument.get_id().as_str();
            if is_wanted(id) && matches.value_source(id) == Some(ValueSource::CommandLine) {
                add(argument, matches, &mut words);
            }
        }
        words
    }
}

/// Adds an option with its values.
fn add(argument: &Arg, matches: &ArgMatches, words: &mut Vec<Word>) {
    let id = argument.get_id().as_str();
    let (option, joint) = match (argument.get_long(), argument.get_short()) {
        (Some(long), _) => (format!("--{long}"), "="),
        (None, Some(short)) => (format!("-{short}"), ""),
        (None, None) => (String::new(), ""),
    };
    if !argument.get_action().takes_values() {
        words.push(Word::plain(&option));
        return;
    }
    for value in matches.get_raw(id).into_iter().flatten() {
        let value = value.to_string_lossy();
        words.push(match PATHS.contains(&id) {
            true => Word::input(&format!("{option}{joint}"), &value),
            false => Word::plain(&format!("{option}{joint}{value}")),
        });
    }
}
