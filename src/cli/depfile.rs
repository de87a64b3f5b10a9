//! Dependency files of `compile`, for Make and Ninja, with the options of C compilers.

use super::Outcome;
use super::messages::Messages;
use crate::batch::{escape, write_whole};
use crate::diagnostic::Code;
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The options. `-MD`, `-MF FILE`, `-MT TARGET` and `-MP` are other spellings of them.
#[derive(Args, Debug, Default)]
pub struct DepfileArgs {
    /// Write a dependency file for Make and Ninja beside the output: its name with the ending `.d`. The same as -MD.
    #[arg(long)]
    depfile: bool,
    /// Write the dependency file here. The same as -MF.
    #[arg(long, value_name = "FILE")]
    depfile_path: Option<PathBuf>,
    /// What the dependency file calls the output. The same as -MT.
    #[arg(long, value_name = "TARGET")]
    depfile_target: Option<String>,
    /// Name each file that was read as a target without rules, so that Make does not ask for one that is gone. The same as -MP.
    #[arg(long)]
    depfile_phony: bool,
}

/// The spellings of C compilers, which are no options of one letter.
const SPELLINGS: &[(&str, &str)] =
    &[("-MD", "--depfile"), ("-MF", "--depfile-path"), ("-MT", "--depfile-target"), ("-MP", "--depfile-phony")];

/// An argument in our spelling.
pub fn spelled(argument: OsString) -> OsString {
    let found = SPELLINGS.iter().find(|(theirs, _)| argument == *theirs);
    found.map_or(argument, |(_, ours)| OsString::from(ours))
}

impl DepfileArgs {
    /// Whether one is asked for.
    pub fn is_wanted(&self) -> bool {
        self.depfile || self.depfile_path.is_some()
    }

    /// Writes the dependency file of outputs that were made from these files.
    pub fn write(&self, outputs: &[PathBuf], inputs: &[String], messages: &mut Messages) -> Outcome {
        let beside = || outputs.first().map(|output| output.with_extension("d"));
        let Some(path) = self.depfile_path.clone().or_else(beside) else {
            let text = "a dependency file is written beside the output: name one with --output, or the file with -MF";
            messages.error(Code::BAD_OPTION, text);
            return Outcome::Usage;
        };
        let shown = |path: &PathBuf| path.to_string_lossy().replace('\\', "/");
        let targets: Vec<String> = match &self.depfile_target {
            Some(target) => vec![target.clone()],
            None => outputs.iter().map(shown).collect(),
        };
        write_rule(&path, &targets, inputs, self.depfile_phony, messages)
    }
}

/// Writes a file that says what outputs depend on; `phony`: with an empty rule for each file.
pub fn write_rule(path: &Path, targets: &[String], inputs: &[String], phony: bool, messages: &mut Messages) -> Outcome {
    let escaped = |names: &[String]| names.iter().map(|name| escape(name)).collect::<Vec<_>>().join(" ");
    let mut text = format!("{}: {}\n", escaped(targets), escaped(inputs));
    inputs.iter().filter(|_| phony).for_each(|input| text.push_str(&format!("{}:\n", escape(input))));
    match write_whole(path, text.as_bytes()) {
        Ok(()) => Outcome::Done,
        Err(e) => {
            messages.error(Code::OUTPUT, &format!("cannot write {}: {e}", path.display()));
            Outcome::InputErrors
        }
    }
}
