//! `cargo xtask words`: every word of the target languages as a name in every position, judged by the compilers that are found.

#[path = "../../tests/words/programs.rs"]
mod programs;

use crate::process;
use programs::{POSITIONS, errors, refused, words};
use shaderport::{Artifact, Options as Compile, Stage, Target};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// The options of `cargo xtask words`.
#[derive(clap::Args)]
pub struct Options {
    /// Only this position.
    #[arg(long)]
    position: Option<String>,
    /// Only this target.
    #[arg(long)]
    target: Option<String>,
    /// Only these words.
    words: Vec<String>,
}

pub fn run(options: &Options) -> Result<bool, String> {
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut legal = true;
    let wanted = |word: &&str| options.words.is_empty() || options.words.iter().any(|w| w == word);
    let all: Vec<&'static str> = words().into_iter().filter(wanted).collect();
    for position in POSITIONS {
        if options.position.as_deref().is_some_and(|p| p != position.name) {
            continue;
        }
        let names = position.names(&all, &Compile::default()).0;
        println!("{}: {} names", position.name, names.len());
        for target in [Target::Hlsl, Target::Glsl, Target::Wgsl] {
            if options.target.as_deref().is_some_and(|t| t != target.name()) {
                continue;
            }
            let to = Compile::for_target(target);
            let wrong = refused(position, &names, &mut |program| {
                let output = program.compile(&to);
                errors(&output)?;
                output.artifacts.iter().try_for_each(|artifact| judged(artifact, directory.path()))
            });
            legal &= wrong.is_empty();
            wrong.iter().for_each(|(words, why)| println!("  {}: {}: {why}", target.name(), words.join(" ")));
        }
    }
    Ok(legal)
}

/// What the judges of a target say of a text.
fn judged(artifact: &Artifact, directory: &Path) -> Result<(), String> {
    let stage = artifact.entry.map_or(Stage::Compute, |(_, stage)| stage);
    let path = |ending: &str| directory.join(format!("words.{ending}"));
    let write = |path: PathBuf, text: &str| std::fs::write(&path, text).map(|()| path).map_err(|e| e.to_string());
    match artifact.target {
        Target::Hlsl => {
            let file = write(path("hlsl"), artifact.text())?;
            said(Command::new("dxc").arg(file).args(["-T", "lib_6_6", "-HV", "2021", "--out", "/dev/null"]))
        }
        Target::Glsl => {
            let file = write(path("glsl"), artifact.text())?;
            let stage = shaderport::internals::batch::glsl_extension(stage);
            said(
                Command::new("glslangValidator")
                    .args(["-V", "--target-env", "vulkan1.3", "-S", stage, "-o", "/dev/null"])
                    .arg(file),
            )
        }
        Target::Wgsl => {
            let file = write(path("wgsl"), artifact.text())?;
            said(Command::new("tint").args(["--format", "wgsl", "-o", "/dev/null"]).arg(&file))?;
            said(Command::new("naga").arg(&file))
        }
        Target::Spirv | Target::Metal => Ok(()),
    }
}

fn said(command: &mut Command) -> Result<(), String> {
    let ran = process::run(command, LIMIT)?;
    if ran.ok() {
        return Ok(());
    }
    let said = ran.said();
    let line = said.lines().find(|line| line.to_ascii_lowercase().contains("error")).or(said.lines().next());
    Err(line.unwrap_or("(nothing said)").trim().to_owned())
}
