//! `compile --as TOOL -- ARGUMENTS`: the command line of another compiler as ours.

use super::Outcome;
use super::compile::CompileArgs;
use super::messages::Messages;
use crate::batch::port::{CompilerTool, Invocation, read_invocation};
use crate::check::EntryRequest;
use crate::compile::Target;
use crate::diagnostic::Code;
use crate::layout::Policy;
use crate::options::Choices;
use crate::target::Profile;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Replaces the words among the files by what they mean. What is said before `--` holds. Faults are reported.
pub fn translate(tool: CompilerTool, args: &mut CompileArgs, messages: &mut Messages) -> Result<(), Outcome> {
    let words: Vec<String> = args.files.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let said = read_invocation(tool, &words, &|path| std::fs::read_to_string(path).ok());
    let mut faults = said.faults.clone();
    faults.extend(said.unsupported.iter().map(|(flag, reason)| format!("`{flag}` is not supported: {reason}")));
    if said.files.is_empty() && faults.is_empty() {
        faults.push(format!("the command line of {} names no source", tool.name()));
    }
    let target = match (args.target, &said.target) {
        (Some(target), _) => Some(target),
        (None, Some(name)) => name.parse().map_err(|e| faults.push(format!("`{name}`: {e}"))).ok(),
        (None, None) => {
            faults.push(format!("{} says no language that is written here: add --target before `--`", tool.name()));
            None
        }
    };
    let glsl = said.files.iter().filter(|file| !said.is_read(tool, file));
    faults.extend(glsl.map(|file| format!("`{file}` is GLSL for {}, which is not read here", tool.name())));
    if !faults.is_empty() {
        faults.iter().for_each(|fault| messages.error(Code::BAD_OPTION, fault));
        return Err(Outcome::Usage);
    }
    ignored(&said, messages);
    let of_tool = of_tool(tool, &said, target, messages);
    args.target = target;
    args.files = said.files.iter().map(PathBuf::from).collect();
    args.output = args.output.take().or(said.output.map(PathBuf::from));
    let program = &mut args.program;
    if program.entries.is_empty() {
        let request = |(name, stage)| EntryRequest { name, stage, file: None };
        program.entries = said.entries.into_iter().map(request).collect();
    }
    program.include.extend(said.include.into_iter().map(PathBuf::from));
    program.defines.splice(0..0, said.defines);
    program.choices = program.choices.clone().or(&of_tool);
    Ok(())
}

/// Names the options that decide on nothing, by their reasons.
fn ignored(said: &Invocation, messages: &mut Messages) {
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (flag, reason) in &said.ignored {
        by_reason.entry(reason).or_default().push(format!("`{flag}`"));
    }
    for (reason, flags) in by_reason {
        let verb = if flags.len() == 1 { "changes" } else { "change" };
        messages.note(&format!("{} {verb} nothing here: {reason}", flags.join(", ")));
    }
}

/// What the compiler chooses: its options, its bindings, and its profile if the target has that.
fn of_tool(tool: CompilerTool, said: &Invocation, target: Option<Target>, messages: &mut Messages) -> Choices {
    let policy = match tool {
        CompilerTool::Fxc | CompilerTool::Dxc | CompilerTool::Glslc | CompilerTool::Glslang => Policy::DXC,
        CompilerTool::Slangc => Policy::SLANGC,
    };
    let profile = said.profile.as_deref().and_then(|name| {
        let known = Profile::parse(name);
        if known.is_none() {
            messages.note(&format!("the profile `{name}` says the stage alone: its version is not written here"));
        }
        known.filter(|known| Some(known.target) == target).map(|known| known.name.to_owned())
    });
    Choices { binding_policy: Some(policy), profile, ..said.choices.clone() }
}
