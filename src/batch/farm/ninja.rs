//! Actions as a `build.ninja`.
//!
//! Headers that are included anew are learned from dependency files. The file is made again when the manifest, a file without entry points or the set of files changes; the latter
//! is a list in a file of its own, which is compared whenever a directory was written to.

use super::{Action, ActionKind, Actions, Word, shell};

/// How the file is made again.
#[derive(Debug)]
pub struct Regeneration {
    /// The file itself.
    pub file: String,
    /// The command that makes it.
    pub plan: Vec<Word>,
    /// The command that makes the list of files.
    pub list: Vec<Word>,
    /// The list.
    pub listed: String,
    /// The directories that files come and go in.
    pub directories: Vec<String>,
    /// What else it is made from.
    pub inputs: Vec<String>,
    /// The directory of what is noted between builds.
    pub notes: String,
    /// A file that an action writes if it has other outputs than are planned.
    pub outdated: String,
}

const RULES: &str = "\
rule build
  command = $run --depfile-path $deps_of
  depfile = $deps_of
  deps = gcc
  restat = 1
  description = shaderport $about

rule validate
  command = $run
  description = validate $about

rule list
  command = $run
  restat = 1
  description = list files

rule plan
  command = $run
  generator = 1
  description = plan
";

/// The text of the file. The error is a text for people.
pub fn ninja(actions: &Actions, how: &Regeneration, tool: &str) -> Result<String, String> {
    let mut text = String::from("# Written by `shaderport plan`.\nninja_required_version = 1.10\n");
    text.push_str(&format!("builddir = {}\n\n{RULES}", value(&how.notes)?));
    for action in &actions.actions {
        text.push_str(&edge(action, how, tool)?);
    }
    text.push_str(&regeneration(actions, how, tool)?);
    Ok(text)
}

fn edge(action: &Action, how: &Regeneration, tool: &str) -> Result<String, String> {
    let rule = match action.kind {
        ActionKind::Build => "build",
        ActionKind::Validate => "validate",
    };
    let besides = action.inputs.iter().filter(|input| !action.sources.contains(input));
    let besides: Vec<String> = besides.cloned().chain([tool.to_owned()]).collect();
    let mut text =
        format!("\nbuild {}: {rule} {} | {}\n", paths(&action.outputs)?, paths(&action.sources)?, paths(&besides)?);
    let mut command = action.command.clone();
    if action.kind == ActionKind::Build {
        command.extend([Word::plain("--outdated"), Word::output("", &how.outdated)]);
        let depfile = format!("{}/{}.d", how.notes, action.id);
        text.push_str(&format!("  deps_of = {}\n", value(&shell(&depfile))?));
    }
    let about = match action.programs.as_slice() {
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        [] => String::new(),
    };
    text.push_str(&format!("  run = {}\n  about = {}\n", run(&command)?, value(&about)?));
    Ok(text)
}

fn regeneration(actions: &Actions, how: &Regeneration, tool: &str) -> Result<String, String> {
    let one = |file: &str| paths(std::slice::from_ref(&file.to_owned()));
    let mut inputs = vec![how.listed.clone(), how.outdated.clone(), tool.to_owned()];
    inputs.extend(how.inputs.iter().chain(&actions.libraries).cloned());
    let list =
        format!("\nbuild {}: list | {}\n  run = {}\n", one(&how.listed)?, paths(&how.directories)?, run(&how.list)?);
    let plan = format!("\nbuild {}: plan | {}\n  run = {}\n", one(&how.file)?, paths(&inputs)?, run(&how.plan)?);
    Ok(list + &plan)
}

/// A command as the value of a variable.
fn run(words: &[Word]) -> Result<String, String> {
    let words: Vec<String> = words.iter().map(|word| shell(&word.text())).collect();
    value(&words.join(" "))
}

fn value(text: &str) -> Result<String, String> {
    match text.contains(['\n', '\r']) {
        true => Err(format!("Ninja has no names with line breaks: {text:?}")),
        false => Ok(text.replace('$', "$$")),
    }
}

fn paths(names: &[String]) -> Result<String, String> {
    let path = |name: &String| Ok(value(name)?.replace(' ', "$ ").replace(':', "$:"));
    Ok(names.iter().map(path).collect::<Result<Vec<String>, String>>()?.join(" "))
}
