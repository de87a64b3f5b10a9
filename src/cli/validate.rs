//! `shaderport validate`: other compilers judge texts that were written before.

use super::Outcome;
use super::messages::{MessageArgs, Messages};
use crate::batch::headers::ExpandedText;
use crate::batch::{Complaint, Finding, WgslImports, documents, glsl_extension, maps, validators, write_anew};
use crate::compile::{Artifact, Target};
use crate::diagnostic::Code;
use crate::reflect::Reflection;
use crate::reflect::model::TextModules;
use crate::symbol::Symbol;
use crate::target::{Language, Profile};
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
        for complaint in complaints {
            outcome = Outcome::InputErrors;
            text.tell(complaint, messages);
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
    /// Of a text of a tree: its lines with those of its headers.
    whole: Option<ExpandedText>,
}

impl Judged<'_> {
    /// Reports a complaint at its place, which may be in a header.
    fn tell(&self, complaint: Complaint, messages: &mut Messages) {
        let place = complaint.place.and_then(|(line, column)| {
            let (file, line) = self.whole.as_ref()?.place(line)?;
            Some((PathBuf::from(file), (line, column)))
        });
        let (path, complaint, map) = match place {
            Some((path, place)) => {
                let map = documents::read_text(&path).and_then(|text| maps::of_text(&path, &text)).ok().flatten();
                (path, Complaint { place: Some(place), ..complaint }, map)
            }
            None => (self.path.to_path_buf(), complaint, self.artifact.source_map.clone()),
        };
        let texts = |source: &str| maps::source(&path, source);
        let names = (&*self.path.to_string_lossy(), &*path.to_string_lossy());
        messages.report(complaint.message(names, map.as_ref(), &texts, messages.color()));
    }
}

/// A text with what it includes, or the modules that its sidecar names; `None`: it has none. Names of files are paths.
fn with_headers(path: &Path, text: &str, sidecar: &Reflection) -> Result<Option<ExpandedText>, Finding> {
    let shown = |path: &Path| path.to_string_lossy().replace('\\', "/");
    let language = Target::parse(&sidecar.target).and_then(Target::text_language);
    if language.is_some_and(Language::includes) {
        let includes = text.lines().any(|line| line.starts_with("#include \""));
        let read = |name: &str| documents::read_text(Path::new(name)).ok();
        return Ok(includes.then(|| ExpandedText::of_includes(&shown(path), text, &read)));
    }
    let named = |of: &&TextModules| path.ends_with(&of.text) && !of.files.is_empty();
    let Some(modules) = sidecar.modules.iter().find(named) else { return Ok(None) };
    let imports = WgslImports::of_text(text);
    if imports == WgslImports::NagaOil {
        let what = "naga_oil puts it together with its modules, which this command cannot check";
        return Err(Finding::error(Code::BAD_OPTION, format!("{}: {what}", path.display())).in_file(path));
    }
    // The names in sidecars begin at the output directory.
    let out = path.ancestors().nth(Path::new(&modules.text).components().count()).unwrap_or(Path::new(""));
    let read = |name: &String| Ok((shown(&out.join(name)), documents::read_text(&out.join(name))?));
    let files: Vec<(String, String)> = modules.files.iter().map(read).collect::<Result<_, Finding>>()?;
    let texts = std::iter::once((shown(path), text.to_owned())).chain(files).collect::<Vec<_>>();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Ok(Some(ExpandedText::of_modules(&texts, imports)))
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
    let whole = with_headers(path, &text, sidecar)?;
    let seen = whole.as_ref().map_or(text, |whole| whole.text.clone());
    let artifact = Artifact { source_map, ..artifact(path, seen, sidecar)? };
    Ok(Judged { path, artifact, whole })
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
