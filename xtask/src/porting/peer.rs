//! What slangc makes of an entry point.

use crate::process;
use shaderport::internals::batch::Job;
use shaderport::{Options, Stage, Target};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// How long it may take.
const LIMIT: Duration = Duration::from_secs(60);

/// The peer.
pub struct Slangc {
    program: PathBuf,
}

impl Slangc {
    pub fn find() -> Result<Slangc, String> {
        let program = process::find("slangc").ok_or("slangc is not installed: run `cargo xtask peers`")?;
        Ok(Slangc { program })
    }

    /// Its text of an entry point, if it compiles that.
    pub fn text(&self, job: &Job, options: &Options, target: Target, entry: &str, stage: Stage) -> Option<String> {
        let mut command = Command::new(&self.program);
        command.args(&job.files).args(["-target", target.name(), "-entry", entry, "-stage", stage.name()]);
        if job.path().extension().is_none_or(|ending| ending != "slang") {
            command.args(["-lang", "hlsl"]);
        }
        if target == Target::Hlsl {
            command.args(["-profile", "sm_6_6"]);
        }
        for directory in &job.settings.include {
            command.arg("-I").arg(directory);
        }
        for (name, value) in &options.defines {
            command.arg(value.as_ref().map_or_else(|| format!("-D{name}"), |value| format!("-D{name}={value}")));
        }
        let ran = process::run(&mut command, LIMIT).ok()?;
        (ran.ok() && !ran.stdout.trim().is_empty()).then_some(ran.stdout)
    }
}
