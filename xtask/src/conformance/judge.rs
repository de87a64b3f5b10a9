//! Legality: what compilers that did not write a text say about it.

use super::Target;
use super::compilers::Compiler;
use super::enumerate::Entry;
use crate::dxc::Dxc;
use crate::process::{self, Ran};
use serde::{Deserialize, Serialize};
use shaderport::Stage;
use shaderport::internals::batch::{DXC_LIBRARY, dxc_profile, glsl_extension};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// What came of an entry point.
#[derive(Clone, Serialize, Deserialize)]
pub enum Outcome {
    Legal,
    /// The compiler refused, with its first error; and whether that error says where.
    Diagnostic {
        reason: String,
        located: bool,
    },
    /// It wrote a text that a judge refuses.
    Illegal {
        judge: String,
        reason: String,
    },
    /// It ended in a way that no input may cause.
    Crash {
        reason: String,
    },
}

impl Outcome {
    pub fn is_legal(&self) -> bool {
        matches!(self, Outcome::Legal)
    }

    /// Worse than an honest refusal.
    pub fn is_fault(&self) -> bool {
        matches!(self, Outcome::Illegal { .. } | Outcome::Crash { .. })
    }

    /// In one line.
    pub fn reason(&self) -> String {
        match self {
            Outcome::Legal => "legal".into(),
            Outcome::Diagnostic { reason, located: true } => reason.clone(),
            Outcome::Diagnostic { reason, located: false } => format!("(no location) {reason}"),
            Outcome::Illegal { judge, reason } => format!("ILLEGAL, {judge}: {reason}"),
            Outcome::Crash { reason } => format!("CRASH: {reason}"),
        }
    }
}

/// The judges that are installed; all of them are needed.
pub struct Judge {
    dxc: Dxc,
    glslang: PathBuf,
    spirv_val: PathBuf,
    tint: PathBuf,
    naga: PathBuf,
    /// HLSL is for DXC's SPIR-V.
    to_spirv: bool,
}

/// What DXC is told where its SPIR-V is asked for: the layouts of D3D, and bindings for each class of registers.
const TO_SPIRV: &[&str] = &[
    "-spirv",
    "-fspv-target-env=vulkan1.3",
    "-fvk-use-dx-layout",
    "-fvk-t-shift",
    "1000",
    "all",
    "-fvk-s-shift",
    "2000",
    "all",
    "-fvk-u-shift",
    "3000",
    "all",
];

impl Judge {
    pub fn find() -> Result<Judge, String> {
        let find = |tool: &str, from: &str| process::find(tool).ok_or(format!("{tool} is not found: {from}"));
        Ok(Judge {
            dxc: Dxc::at(find("dxc", "run `cargo xtask peers`")?),
            glslang: find("glslangValidator", "Debian package glslang-tools")?,
            spirv_val: find("spirv-val", "Debian package spirv-tools")?,
            tint: find("tint", "built from google/dawn")?,
            naga: find("naga", "`cargo install naga-cli`")?,
            to_spirv: false,
        })
    }

    /// Judges HLSL as what DXC makes SPIR-V of.
    pub fn of_spirv(self, to_spirv: bool) -> Judge {
        Judge { to_spirv, ..self }
    }

    /// Compiles one entry point and judges the text.
    pub fn outcome(
        &self,
        compiler: &Compiler,
        root: &Path,
        entry: &Entry,
        target: Target,
        text: &Path,
    ) -> Result<Outcome, String> {
        if let Some(directory) = text.parent() {
            std::fs::create_dir_all(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
        }
        let _ = std::fs::remove_file(text);
        let ran = process::run(&mut compiler.command(root, entry, target, text), LIMIT)?;
        match ran.code {
            Some(0) if text.is_file() => self.legality(target, entry, text),
            Some(0) => Ok(Outcome::Crash { reason: "success without an output".into() }),
            Some(code) if compiler.is_rejection(code) => Ok(Outcome::Diagnostic {
                reason: first_error(&ran.said()),
                located: ran.stderr.contains("-->") || ran.stderr.contains("┌─"),
            }),
            _ if ran.timed_out => Ok(Outcome::Crash { reason: format!("no end after {} s", LIMIT.as_secs()) }),
            code => Ok(Outcome::Crash { reason: format!("exit {code:?}: {}", first_error(&ran.said())) }),
        }
    }

    fn legality(&self, target: Target, entry: &Entry, text: &Path) -> Result<Outcome, String> {
        match target {
            Target::Hlsl => self.hlsl(entry, text),
            Target::Glsl => self.glsl(entry.stage, text),
            Target::Wgsl => self.wgsl(text),
        }
    }

    /// What DXC says of the text of one entry point.
    pub fn hlsl(&self, entry: &Entry, text: &Path) -> Result<Outcome, String> {
        let source = std::fs::read_to_string(text).map_err(|e| e.to_string())?;
        let more = ["float16_t", "int16_t", "uint16_t", "asint16(", "asuint16(", "asfloat16("]
            .iter()
            .any(|t| source.contains(t));
        let more = (more || has_half_literal(&source)).then_some("-enable-16bit-types");
        if !self.to_spirv {
            return verdict("dxc", &self.dxc.run(&dxc_arguments(entry, text, "/dev/null", more), LIMIT)?);
        }
        let spirv = text.with_extension("dxc.spv");
        let mut arguments = dxc_arguments(entry, text, &spirv.to_string_lossy(), more);
        arguments.extend(TO_SPIRV.iter().map(|a| (*a).to_owned()));
        // A process for each: the server writes no files.
        let directory = text.parent().unwrap_or(Path::new("."));
        let outcome = verdict("dxc", &process::run(&mut self.dxc.command(&arguments, directory), LIMIT)?)?;
        if outcome.is_legal() { self.spirv("vulkan1.3", &spirv) } else { Ok(outcome) }
    }

    /// Whether DXC takes a source file as it is, up to code generation.
    pub fn dxc_front_end_accepts(&self, root: &Path, entry: &Entry) -> Result<bool, String> {
        let arguments = dxc_arguments(entry, &entry.file, "/dev/null", Some("-fcgl"));
        Ok(process::run(&mut self.dxc.command(&arguments, root), LIMIT)?.ok())
    }

    /// What glslang and spirv-val say of a text.
    pub fn glsl(&self, stage: Stage, text: &Path) -> Result<Outcome, String> {
        let spirv = text.with_extension("spv");
        let mut outcome = Outcome::Legal;
        // What the text needs: a later environment when the usual one is not enough.
        for environment in ["vulkan1.2", "vulkan1.3"] {
            let mut glslang = Command::new(&self.glslang);
            glslang
                .args(["-V", "--target-env", environment, "-S", glsl_extension(stage)])
                .arg(text)
                .arg("-o")
                .arg(&spirv);
            outcome = verdict("glslang", &process::run(&mut glslang, LIMIT)?)?;
            if outcome.is_legal() {
                outcome = self.spirv(environment, &spirv)?;
            }
            if outcome.is_legal() {
                break;
            }
        }
        Ok(outcome)
    }

    /// What spirv-val says of a module.
    pub fn spirv(&self, environment: &str, spirv: &Path) -> Result<Outcome, String> {
        let mut val = Command::new(&self.spirv_val);
        // Scalar layout is a feature of the environment, like the extensions that the text names.
        val.args(["--target-env", environment, "--scalar-block-layout"]).arg(spirv);
        verdict("spirv-val", &process::run(&mut val, LIMIT)?)
    }

    /// What Tint says of a text.
    pub fn tint(&self, text: &Path) -> Result<Outcome, String> {
        let mut tint = Command::new(&self.tint);
        tint.args(["--format", "wgsl", "-o", "/dev/null"]).arg(text);
        verdict("tint", &process::run(&mut tint, LIMIT)?)
    }

    fn wgsl(&self, text: &Path) -> Result<Outcome, String> {
        let outcome = self.tint(text)?;
        if !outcome.is_legal() {
            return Ok(outcome);
        }
        verdict("naga", &process::run(Command::new(&self.naga).arg(self.for_naga(text)?), LIMIT)?)
    }

    /// naga knows subgroup operations without the directive that the language asks for.
    fn for_naga(&self, text: &Path) -> Result<PathBuf, String> {
        let source = std::fs::read_to_string(text).map_err(|e| e.to_string())?;
        if !source.contains("enable subgroups;") {
            return Ok(text.to_path_buf());
        }
        let path = text.with_extension("naga.wgsl");
        std::fs::write(&path, source.replace("enable subgroups;", "")).map_err(|e| e.to_string())?;
        Ok(path)
    }
}

/// What DXC is told about an entry point of a file.
fn dxc_arguments(entry: &Entry, file: &Path, out: &str, more: Option<&str>) -> Vec<String> {
    let kind = dxc_profile(entry.stage);
    let (file, profile) = (file.to_string_lossy(), format!("{kind}_6_6"));
    let mut arguments = vec![&*file, "-T", &profile, "-HV", "2021", "--out", out];
    if kind != DXC_LIBRARY {
        arguments.extend(["-E", &entry.name]);
    }
    arguments.extend(more);
    arguments.into_iter().map(str::to_owned).collect()
}

fn verdict(judge: &str, ran: &Ran) -> Result<Outcome, String> {
    Ok(match ran.ok() {
        true => Outcome::Legal,
        false if ran.code.is_none() => {
            Outcome::Illegal { judge: judge.into(), reason: format!("it ended: {}", first_error(&ran.said())) }
        }
        false => Outcome::Illegal { judge: judge.into(), reason: first_error(&ran.said()) },
    })
}

/// The first line that says what is wrong.
fn first_error(said: &str) -> String {
    let plain = without_colors(said);
    let lines = || plain.lines().map(str::trim).filter(|l| !l.is_empty());
    let line = lines().find(|l| l.to_ascii_lowercase().contains("error") || l.contains("panicked"));
    let index = line.and_then(|l| lines().position(|m| m == l));
    match (line, index) {
        // naga says "is invalid" first and why in the lines that follow.
        (Some(line), Some(index)) if line.ends_with("is invalid") => {
            let more = lines().skip(index + 1).take(12).filter(|l| l.starts_with('=') || l.contains("invalid"));
            more.fold(line.to_string(), |all, l| format!("{all} {l}"))
        }
        // DXC says so first, and what they are in the lines that follow.
        (Some(line), Some(index)) if line.ends_with("validation errors") => {
            lines().skip(index + 1).take(1).fold(line.to_string(), |all, l| format!("{all} {l}"))
        }
        (Some(line), _) => line.to_string(),
        _ => lines().next().unwrap_or("(nothing said)").to_string(),
    }
}

fn without_colors(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        rest = rest[at..].find('m').map_or("", |end| &rest[at + end + 1..]);
    }
    out.push_str(rest);
    out
}

/// Whether a text has a literal like `0.5h`: then `half` is a type of its own, and not `float`.
fn has_half_literal(text: &str) -> bool {
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(".").any(|(at, _)| {
        let digits = text.get(at + 1..).unwrap_or_default();
        let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < digits.len() && rest.strip_prefix('h').is_some_and(is_end)
    })
}
