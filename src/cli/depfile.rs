//! Dependency files of `compile`, for Make and Ninja, with the options of C compilers.

use super::Outcome;
use super::messages::Messages;
use crate::batch::{escape, write_whole};
use crate::diagnostic::Code;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// The options. `-MD`, `-MF FILE` and `-MT TARGET` are other spellings of them.
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
}

/// The spellings of C compilers, which are no options of one letter.
const SPELLINGS: &[(&str, &str)] = &[("-MD", "--depfile"), ("-MF", "--depfile-path"), ("-MT", "--depfile-target")];

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
        let shown = |path: &PathBuf| escape(&path.to_string_lossy().replace('\\', "/"));
        let targets = match &self.depfile_target {
            Some(target) => escape(target),
            None => outputs.iter().map(shown).collect::<Vec<_>>().join(" "),
        };
        let inputs: Vec<String> = inputs.iter().map(|input| escape(input)).collect();
        match write_whole(&path, format!("{targets}: {}\n", inputs.join(" ")).as_bytes()) {
            Ok(()) => Outcome::Done,
            Err(e) => {
                messages.error(Code::OUTPUT, &format!("cannot write {}: {e}", path.display()));
                Outcome::InputErrors
            }
        }
    }
}
