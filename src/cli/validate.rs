//! `shaderport validate`: other compilers judge texts that were written before.

use super::Outcome;
use super::messages::{MessageArgs, Messages};
use crate::batch::{Complaint, Finding, documents, glsl_extension, maps, validators, write_anew};
use crate::compile::{Artifact, Target};
use crate::diagnostic::Code;
use crate::reflect::Reflection;
use crate::symbol::Symbol;
use crate::target::Profile;
use crate::tree::Stage;
use clap::Args;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Arguments of `validate`.
#[derive(Args, Debug)]
pub struct ValidateArgs {
    /// Texts, and after one or several texts their sidecar.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A file to write if all are right, for build systems.
    #[arg(long, value_name = "FILE")]
    stamp: Option<PathBuf>,
    #[command(flatten)]
    messages: MessageArgs,
}

/// `shaderport validate`.
pub fn validate(args: &ValidateArgs) -> Outcome {
    let mut messages = Messages::new(&args.messages, false);
    let outcome = run(args, &mut messages);
    messages.finish(outcome)
}

fn run(args: &ValidateArgs, messages: &mut Messages) -> Outcome {
    let texts = match texts(&args.files) {
        Ok(texts) => texts,
        Err(fault) => {
            messages.finding(&fault);
            return Outcome::InputErrors;
        }
    };
    validators::missing().iter().for_each(|line| messages.note(line));
    let judged: Vec<Vec<Complaint>> = texts.par_iter().map(|text| validators::validate(&text.artifact)).collect();
    let mut outcome = Outcome::Done;
    for (text, complaints) in texts.iter().zip(judged) {
        let name = text.path.to_string_lossy();
        for complaint in complaints {
            let map = text.artifact.source_map.as_ref();
            let texts = |source: &str| maps::source(text.path, source);
            messages.report(complaint.message((&name, &name), map, &texts, messages.color()));
            outcome = Outcome::InputErrors;
        }
    }
    let Some(stamp) = args.stamp.as_deref().filter(|_| outcome == Outcome::Done) else { return outcome };
    match write_anew(stamp, b"") {
        Ok(()) => Outcome::Done,
        Err(e) => {
            messages.error(Code::OUTPUT, &format!("cannot write {}: {e}", stamp.display()));
            Outcome::InputErrors
        }
    }
}

/// A text with what validators have to know of it.
struct Judged<'a> {
    path: &'a Path,
    artifact: Artifact,
}

/// The texts of the arguments.
fn texts(files: &[PathBuf]) -> Result<Vec<Judged<'_>>, Finding> {
    let mut texts = Vec::new();
    let mut waiting: Vec<&Path> = Vec::new();
    for path in files {
        if path.extension().is_none_or(|ending| ending != "json") {
            waiting.push(path);
            continue;
        }
        let text = documents::read_text(path)?;
        let sidecar: Reflection = Reflection::read(&text).map_err(|fault| Finding::of_json(path, &text, fault))?;
        for path in std::mem::take(&mut waiting) {
            texts.push(judged(path, &sidecar)?);
        }
    }
    match waiting.first() {
        Some(path) => {
            let message = format!("{}: its sidecar has to follow it", path.display());
            Err(Finding::error(Code::BAD_OPTION, message).in_file(path))
        }
        None => Ok(texts),
    }
}

fn judged<'a>(path: &'a Path, sidecar: &Reflection) -> Result<Judged<'a>, Finding> {
    let text = documents::read_text(path)?;
    let source_map = maps::of_text(path, &text)?;
    let artifact = Artifact { source_map, ..artifact(path, text, sidecar)? };
    Ok(Judged { path, artifact })
}

/// A text of this path as what validators check.
pub fn artifact(path: &Path, text: String, sidecar: &Reflection) -> Result<Artifact, Finding> {
    let bad = |what: &str| Finding::error(Code::BAD_RECORD, format!("{}: {what}", path.display())).in_file(path);
    let target = Target::parse(&sidecar.target).ok_or_else(|| bad("its sidecar has an unknown target"))?;
    let profile = Profile::parse(&sidecar.profile).ok_or_else(|| bad("its sidecar has an unknown profile"))?;
    let entry = |entry: &crate::reflect::model::EntryPoint| {
        Some((Symbol::new(&entry.emitted_name), Stage::parse(&entry.stage)?))
    };
    let emitted: Vec<(Symbol, Stage)> = sidecar.entry_points.iter().filter_map(entry).collect();
    let ending = path.extension().unwrap_or_default();
    let of_ending = emitted.iter().find(|(_, stage)| ending == glsl_extension(*stage)).copied();
    let (bytes, intermediate) = (text.into_bytes(), String::new());
    let version = profile.version;
    Ok(Artifact { target, version, entry: of_ending, emitted, bytes, intermediate, source_map: None })
}
