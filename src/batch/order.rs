//! What a build was asked for, by the command line or a build script.

use super::complaint::Complaint;
use super::elsewhere::Elsewhere;
use super::plan::Job;
use super::store::Store;
use super::template::Template;
use crate::check::EntryRequest;
use crate::compile::{Artifact, Options, Target};
use crate::options::Choices;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// How sidecars are written.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SidecarForm {
    /// With line breaks and indentation.
    Full,
    /// On one line, with each type once.
    #[default]
    Compact,
    /// Not at all.
    None,
}

/// How outputs are cut.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "kebab-case")]
pub enum OutputLayout {
    /// Each text is whole.
    #[default]
    Flat,
    /// Headers stay headers.
    Tree,
}

/// How texts of WGSL in a tree name the modules that they need.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "kebab-case")]
pub enum WgslImports {
    /// Not at all: the sidecar lists the files that belong behind a text.
    #[default]
    None,
    /// `import package::inc::light::{Light, strength};`
    Wesl,
    /// `#define_import_path inc::light` in a module, and `#import inc::light::{Light, strength}`.
    NagaOil,
}

/// What a build does with outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputUse {
    /// Those that are not there as they should be are written.
    Write,
    /// They are compared with what is there, and nothing is written.
    #[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "build scripts write"))]
    Compare,
    /// Nothing: what is wrong with programs, or how outputs are called, is all that is asked for.
    Drop,
}

/// A check of what was emitted by compilers that are not ours: complaints about a text.
pub type Validator = fn(&Artifact) -> Vec<Complaint>;

/// An order.
pub struct Order<'a> {
    /// A directory, a manifest or a file.
    pub tree: &'a Path,
    /// Where outputs go.
    pub out: &'a Path,
    /// Targets; without any, those of the manifest.
    pub targets: Vec<Target>,
    /// Entry points; without any, those of the manifest or the sources.
    pub entries: Vec<EntryRequest>,
    /// A source that is in no file: its name and its text.
    pub given: Option<(&'a Path, &'a [u8])>,
    /// Macros, which go before those of the manifest.
    pub defines: Vec<(String, Option<String>)>,
    /// Include roots.
    pub include: Vec<PathBuf>,
    /// What else is chosen.
    pub choices: Choices,
    /// Includes may lead out of the roots.
    pub anywhere: bool,
    /// Includes are found in any case.
    pub any_case: bool,
    /// How outputs are called where the manifest does not say.
    pub template: Template,
    /// Sidecars.
    pub sidecar: SidecarForm,
    /// Dependency files for Make and Ninja are written beside texts.
    pub depfiles: bool,
    /// Files that every program depends on besides its sources: the manifest and the lock.
    pub read_besides: Vec<String>,
    /// What checks texts.
    pub validator: Validator,
    /// What tells the tools that it asks from others; empty: it asks none.
    pub validators: String,
    /// Messages have colors.
    pub color: bool,
    /// It is told which entry points were inferred.
    pub verbose: bool,
    /// A pass after which trees are shown.
    pub dump_after: Option<String>,
    /// Threads; `None`: one a core.
    pub jobs: Option<usize>,
    /// Outputs that are of no program any more are removed.
    pub prunes: bool,
    /// What becomes of outputs.
    pub outputs: OutputUse,
    /// The patterns of the programs that are built, of a part of the tree.
    pub programs: Vec<String>,
    /// There is a record in the output directory. Without one everything is built, and builds of other programs may write into
    /// the directory at the same time.
    pub records: bool,
    /// After the first program that fails, no other one is begun.
    pub fails_fast: bool,
    /// Whether the build is to end: what is begun is not written, and nothing else is begun.
    pub interrupted: fn() -> bool,
    /// A cache that builds share.
    pub cache: Option<Store>,
    /// What no entry point uses of the files that programs include is kept, too, for a tree.
    pub spare_code: bool,
    /// What has programs that no cache has, or has them made.
    pub elsewhere: Option<&'a dyn Elsewhere>,
}

impl Order<'_> {
    /// Whether a record is written.
    pub fn keeps_record(&self) -> bool {
        self.records && self.outputs == OutputUse::Write
    }

    /// The library's options.
    pub fn options(&self, targets: Vec<Target>) -> Options {
        Options {
            targets,
            entries: self.entries.clone(),
            defines: self.defines.clone(),
            dump_after: self.dump_after.clone(),
            maps_texts: !self.validators.is_empty(),
            ..Options::default()
        }
    }

    /// The library's options for a program.
    pub fn job_options(&self, job: &Job) -> Options {
        let mut options = self.options(job.settings.targets(&self.targets));
        job.settings.apply(&self.choices, &mut options);
        // A program of several files is asked for.
        options.skip_libraries &= !job.is_program;
        options.spare_code = self.spare_code;
        options
    }

    /// Whether a program's includes are found in any case: the manifest or the command line says so.
    pub fn any_case(&self, job: &Job) -> bool {
        self.any_case || job.settings.any_case
    }

    /// The path of an output as messages and dependency files show it.
    pub fn shown(&self, name: &str) -> String {
        self.out.join(name).to_string_lossy().replace('\\', "/")
    }
}
