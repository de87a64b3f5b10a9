//! The table of capabilities, as the guide has it: what becomes of a program for each target.
//!
//! `tests/capabilities` has a program for each capability that a target may lack; compiling it says what its cells are. What a
//! pass removes for all targets, and what all have, needs none.

use shaderport::internals::legalize::PASSES;
use shaderport::internals::target::profiles::NOT_YET;
use shaderport::internals::target::{Capability, Profile};
use shaderport::{Code, MemoryLoader, Options, Output, Severity, Target, compile};
use std::path::Path;

/// The targets of the columns.
pub const COLUMNS: [Target; 3] = [Target::Hlsl, Target::Glsl, Target::Wgsl];

/// What becomes of a capability for a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Written as it is.
    Native,
    /// Lowered to other code.
    Rewritten,
    /// An error, although the target has it.
    NotYet,
    /// An error: the target has no such thing.
    None,
}

impl Cell {
    fn text(self) -> &'static str {
        match self {
            Cell::Native => "native",
            Cell::Rewritten => "rewritten",
            Cell::NotYet => "not yet",
            Cell::None => "none",
        }
    }
}

/// The program of a capability, if it has one.
pub fn program(repository: &Path, capability: Capability) -> Option<String> {
    std::fs::read_to_string(repository.join(format!("tests/capabilities/{capability:?}.slang"))).ok()
}

/// What becomes of a program for a target.
pub fn translated(source: &str, target: Target) -> Output {
    compile(&MemoryLoader::new().with("main.slang", source), &["main.slang"], &Options::for_target(target))
}

/// A cell, or why there is none: what a program says of it must be one of the four.
pub fn cell(repository: &Path, capability: Capability, target: Target) -> Result<Cell, String> {
    let native = Profile::default_of(target).is_some_and(|profile| profile.has(capability));
    // `names` makes names differ, and `emit` writes a text an entry point, wherever they have to.
    let removed =
        matches!(capability, Capability::Overloads | Capability::FineOverloads | Capability::SeveralEntryPoints)
            || PASSES.iter().any(|pass| pass.rewrites().any(|rewritten| rewritten == capability));
    let Some(source) = program(repository, capability) else {
        return match (native, removed) {
            (true, _) => Ok(Cell::Native),
            (_, true) => Ok(Cell::Rewritten),
            _ => Err(format!("{capability:?} needs a program in tests/capabilities")),
        };
    };
    let output = translated(&source, target);
    let errors: Vec<_> = output.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    let not_yet = NOT_YET.iter().any(|(t, c, _)| (*t, *c) == (target, capability));
    let located = errors.iter().all(|d| d.code == Code::CAPABILITY && d.span.is_some());
    match (errors.is_empty(), native) {
        (true, true) => Ok(Cell::Native),
        (true, false) => Ok(Cell::Rewritten),
        _ if native || !located => Err(format!("{capability:?}, {}:\n{}", target.name(), output.render(false))),
        _ => Ok(if not_yet { Cell::NotYet } else { Cell::None }),
    }
}

/// The table in Markdown, and what is not yet written.
pub fn table(repository: &Path) -> Result<String, String> {
    let mut text = String::from("| | HLSL | GLSL | WGSL |\n| --- | --- | --- | --- |\n");
    for (capability, ..) in Capability::TABLE {
        let cells: Vec<&str> =
            COLUMNS.iter().map(|t| Ok(cell(repository, *capability, *t)?.text())).collect::<Result<_, String>>()?;
        let what = capability.description().trim_end_matches('.');
        text += &format!("| {what} | {} |\n", cells.join(" | "));
    }
    text += "\nNot yet:\n\n";
    for (target, capability, extension) in NOT_YET {
        let what = capability.description().trim_end_matches('.');
        text += &format!("- {} has `{extension}`: {}{}\n", target.name(), what[..1].to_lowercase(), &what[1..]);
    }
    Ok(text)
}
