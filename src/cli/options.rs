//! Options that several commands share.

use crate::batch::{Finding, Project, project};
use crate::check::EntryRequest;
use crate::compile::{Options, Target};
use crate::options::{Choices, define, entry};
use clap::Args;
use std::path::PathBuf;

/// What decides on the meaning of sources and on bindings.
#[derive(Args, Clone, Debug)]
pub struct ProgramArgs {
    /// Entry point; without any, all of the files.
    #[arg(long = "entry", value_name = "NAME[:STAGE]", value_parser = entry)]
    pub entries: Vec<EntryRequest>,
    /// Directory to look for includes and modules in.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Allow includes that lead out of the include directories and the directories of the sources.
    #[arg(long)]
    pub allow_outside_roots: bool,
    /// Take files for includes whose names differ in case, as Windows does.
    #[arg(long)]
    pub includes_in_any_case: bool,
    /// Define a macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = define)]
    pub defines: Vec<(String, Option<String>)>,
    #[command(flatten)]
    pub choices: Choices,
    /// Print the program after a legalization pass (to stderr).
    #[arg(long, value_name = "PASS")]
    pub dump_after: Option<String>,
    /// Tell which entry points were inferred, and why.
    #[arg(long)]
    pub verbose: bool,
    /// Ignore the nearest `shaderport.toml` above the sources.
    #[arg(long)]
    pub no_manifest: bool,
}

impl ProgramArgs {
    /// The library's options.
    pub fn options(&self, targets: Vec<Target>) -> Options {
        let mut options = Options {
            targets,
            entries: self.entries.clone(),
            defines: self.defines.clone(),
            dump_after: self.dump_after.clone(),
            ..Options::default()
        };
        self.choices.apply(&mut options);
        options
    }

    /// What the nearest manifest says of a program; else what is wrong with it.
    pub fn project(&self, files: &[PathBuf]) -> Result<Option<Project>, Finding> {
        if self.no_manifest { Ok(None) } else { project(files) }
    }
}
