//! Checks emitted texts with compilers that are not ours: naga in process, and DXC, glslang with spirv-val, and Tint where
//! they are found on the PATH.

use super::complaint::Complaint;
use super::plan::{DXC_LIBRARY, dxc_profile, glsl_extension};
use crate::compile::{Artifact, Target};
use crate::tree::Stage;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Complaints about one emitted text; empty if all validators that were found accept it.
pub fn validate(artifact: &Artifact) -> Vec<Complaint> {
    match artifact.target {
        Target::Wgsl => wgsl(artifact.text()),
        Target::Glsl => glsl(artifact),
        Target::Hlsl => {
            let entries = artifact.emitted.iter();
            entries.flat_map(|(name, stage)| hlsl(artifact, name.as_str(), *stage)).collect()
        }
        // Made by naga from WGSL that it has validated.
        Target::Spirv | Target::Metal => Vec::new(),
    }
}

/// The tools beside naga, with what each checks.
const TOOLS: [(&str, &str); 4] =
    [("tint", "WGSL"), ("glslangValidator", "GLSL"), ("spirv-val", "SPIR-V of GLSL"), ("dxc", "HLSL")];

/// Names of the external validators that were not found, with what they would check.
pub fn missing() -> Vec<String> {
    let absent = TOOLS.iter().filter(|(tool, _)| find(tool).is_none());
    absent.map(|(tool, what)| format!("{tool} was not found: {what} is not checked by it")).collect()
}

fn wgsl(text: &str) -> Vec<Complaint> {
    let of_naga = |said: String| Complaint::all("naga", &said, "", text);
    let mut complaints: Vec<Complaint> = crate::validate::check_wgsl(text).map_or_else(of_naga, |()| Vec::new());
    complaints.extend(run_on_file("tint", text, "wgsl", |path, command| {
        command.arg("--format").arg("wgsl").arg(path);
    }));
    complaints
}

fn glsl(artifact: &Artifact) -> Vec<Complaint> {
    let Ok(directory) = tempfile::tempdir() else { return Vec::new() };
    let spirv = directory.path().join("out.spv");
    let stage = artifact.entry.map_or("comp", |(_, stage)| glsl_extension(stage));
    let first = run_on_file("glslangValidator", artifact.text(), stage, |path, command| {
        command.args(["-V", "--target-env", "vulkan1.2", "-o"]).arg(&spirv).arg(path);
    });
    if !first.is_empty() || !spirv.exists() {
        return first;
    }
    let said = run("spirv-val", |command| {
        command.args(["--target-env", "vulkan1.2"]).arg(&spirv);
    });
    // Its places are those of words of SPIR-V.
    said.map_or_else(Vec::new, |said| Complaint::all("spirv-val", &said, "", ""))
}

/// The first shader model of DXC, and the last one that every DXC of today knows.
const DXC_MODELS: ((u32, u32), (u32, u32)) = ((6, 0), (6, 6));
/// The shader model since which there are numbers of 16 bits.
const NARROW_TYPES: (u32, u32) = (6, 2);

/// The text is of the shader model of its profile. A DXC that is older checks it as one of the last model that it knows.
fn hlsl(artifact: &Artifact, entry: &str, stage: Stage) -> Vec<Complaint> {
    let (mut major, mut minor) = artifact.version.max(DXC_MODELS.0);
    loop {
        let complaints = hlsl_of_model((major, minor), artifact.text(), entry, stage);
        let is_unknown = |complaint: &Complaint| complaint.text.contains("invalid profile");
        if (major, minor) <= DXC_MODELS.1 || !complaints.iter().any(is_unknown) {
            return complaints;
        }
        (major, minor) = if minor > 0 { (major, minor - 1) } else { DXC_MODELS.1 };
    }
}

fn hlsl_of_model(model: (u32, u32), text: &str, entry: &str, stage: Stage) -> Vec<Complaint> {
    let kind = dxc_profile(stage);
    run_on_file("dxc", text, "hlsl", |path, command| {
        command.arg(path).args(["-T", &format!("{kind}_{}_{}", model.0, model.1), "-HV", "2021"]);
        if model >= NARROW_TYPES {
            command.arg("-enable-16bit-types");
        }
        if kind != DXC_LIBRARY {
            command.args(["-E", entry]);
        }
    })
}

/// Writes the text into a temporary file and runs a tool on it.
fn run_on_file(
    tool: &'static str,
    text: &str,
    extension: &str,
    arguments: impl Fn(&Path, &mut Command),
) -> Vec<Complaint> {
    let said = || {
        find(tool)?;
        let file = tempfile::Builder::new().suffix(&format!(".{extension}")).tempfile().ok()?;
        std::fs::write(file.path(), text).ok()?;
        let said = run(tool, |command| arguments(file.path(), command))?;
        Some(Complaint::all(tool, &said, &file.path().to_string_lossy(), text))
    };
    said().unwrap_or_default()
}

/// Runs a tool if it is found; gives its output if it fails.
fn run(tool: &str, arguments: impl Fn(&mut Command)) -> Option<String> {
    let mut command = Command::new(find(tool)?);
    arguments(&mut command);
    let output = command.output().ok()?;
    if output.status.success() {
        return None;
    }
    let text = [output.stderr, output.stdout].concat();
    // A tool that fails without a word has not taken the text either.
    Some(String::from_utf8_lossy(&text).trim().to_owned())
        .map(|said| if said.is_empty() { format!("it fails with {}", output.status) } else { said })
}

/// What tells the tools that are there from others: outputs that one has taken may be refused by another.
pub fn identity() -> String {
    let size = |tool: &str| find(tool).and_then(|path| std::fs::metadata(path).ok()).map(|metadata| metadata.len());
    let sizes = TOOLS.iter().map(|(tool, _)| format!("{tool} {:?}", size(tool)));
    sizes.collect::<Vec<_>>().join("\n")
}

/// A program on the PATH.
fn find(tool: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    let names = [OsStr::new(tool).to_owned(), format!("{tool}.exe").into()];
    std::env::split_paths(&paths).flat_map(|d| names.clone().map(|n| d.join(n))).find(|p| p.is_file())
}
