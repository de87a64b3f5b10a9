//! The command lines of the compilers that are compared.

use super::Target;
use super::enumerate::Entry;
use shaderport::internals::batch::glsl_extension;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Shaderport,
    Slangc,
}

/// A compiler to text.
pub struct Compiler {
    kind: Kind,
    program: PathBuf,
    extra: Vec<String>,
}

impl Compiler {
    pub fn shaderport(program: PathBuf, extra: &[String]) -> Compiler {
        Compiler { kind: Kind::Shaderport, program, extra: extra.to_vec() }
    }

    pub fn slangc() -> Option<Compiler> {
        Some(Compiler { kind: Kind::Slangc, program: crate::process::find("slangc")?, extra: Vec::new() })
    }

    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Shaderport => "shaderport",
            Kind::Slangc => "slangc",
        }
    }

    /// The command that writes one entry point for one target.
    pub fn command(&self, root: &Path, entry: &Entry, target: Target, out: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(root);
        match self.kind {
            Kind::Shaderport => {
                command.arg("compile").arg(&entry.file).args(["--target", target.name()]);
                command.args(["--entry", &format!("{}:{}", entry.name, entry.stage.name())]);
                command.args(&self.extra);
            }
            Kind::Slangc => {
                command.arg(&entry.file).args(["-target", target.name()]);
                command.args(["-entry", &entry.name, "-stage", entry.stage.name()]);
                // It takes a stage's name at the end of a file's for GLSL.
                if entry.file.extension().is_some_and(|e| *e == *glsl_extension(entry.stage)) {
                    command.args(["-lang", "hlsl"]);
                }
                if target == Target::Hlsl {
                    command.args(["-profile", "sm_6_6"]);
                }
            }
        }
        command.arg("-o").arg(out);
        command
    }

    /// Where the text of an entry point goes.
    pub fn output(&self, out: &Path, entry: &Entry, target: Target) -> PathBuf {
        let file = entry.file.to_string_lossy().replace(['/', '\\'], "_");
        out.join(self.name()).join(target.name()).join(format!("{file}.{}.{}", entry.name, target.name()))
    }

    /// Whether an exit code says "the input has errors", in contrast to a crash.
    pub fn is_rejection(&self, code: i32) -> bool {
        match self.kind {
            Kind::Shaderport => code == 1,
            Kind::Slangc => true,
        }
    }
}
