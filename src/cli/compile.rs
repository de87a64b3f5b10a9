//! `compile`, `check`, `reflect` and `explain`.

use super::lock::{self, LockArgs};
use super::options::ProgramArgs;
use super::{Outcome, show};
use crate::batch::{FileLoader, LockFile, Project, base, validators, write_whole};
use crate::compile::{self, Artifact, Options, Output, Target};
use crate::diagnostic::{Code, codes};
use crate::guide;
use crate::layout::rules;
use crate::reflect::{explain, html};
use clap::{Args, ValueEnum};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// As many entry points are named in a message.
const SHOWN: usize = 8;

/// Arguments of `compile`.
#[derive(Args, Debug)]
pub struct CompileArgs {
    /// Sources. All Slang files are one translation unit, each HLSL file is one.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// What to write: hlsl, glsl, wgsl, spirv or metal.
    #[arg(long)]
    target: Target,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    lock: LockArgs,
    /// Output file; stdout without it. Several GLSL entry points need `{entry}` in it.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Write the sidecar here.
    #[arg(long, value_name = "OUT.json")]
    reflect: Option<PathBuf>,
    /// Check what was emitted: naga in process, and DXC, glslang, spirv-val, tint where found.
    #[arg(long)]
    validate: bool,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Sources of one program.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    program: ProgramArgs,
}

#[derive(Clone, Copy, ValueEnum, Debug, PartialEq)]
enum ReflectFormat {
    /// A table for people.
    Text,
    /// Types and the layouts of parameters, offsets relative to what holds each.
    Layouts,
    /// The sidecar.
    Json,
    /// The sidecar without keys of shaderport's own.
    SlangJson,
    /// A page with pictures of buffers, and why everything is where it is.
    Html,
}

/// Arguments of `reflect`.
#[derive(Args, Debug)]
pub struct ReflectArgs {
    /// Sources of one program.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// For which targets, separated by commas; the default is hlsl, and hlsl,glsl,wgsl side by side for a page.
    #[arg(long, value_delimiter = ',')]
    target: Vec<Target>,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    lock: LockArgs,
    /// How to show it.
    #[arg(long, value_enum, default_value = "text")]
    format: ReflectFormat,
}

/// Arguments of `explain`.
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// An error code such as E0301, a rule such as layout-order, or a page of the guide such as policies; or the sources of a
    /// program and then a parameter, or a part of one: `a.slang gPairs.b`.
    #[arg(required = true, value_name = "PAGE | FILES... PARAMETER")]
    what: Vec<String>,
    /// For which target a position is explained.
    #[arg(long, default_value = "hlsl")]
    target: Target,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    lock: LockArgs,
}

/// Runs the library as the nearest manifest says, under the lock that is named here or there.
fn run_locked(
    files: &[PathBuf],
    program: &ProgramArgs,
    lock: &LockArgs,
    options: Options,
) -> Result<(Output, Option<LockFile>), Outcome> {
    let project = program.project(files)?;
    let of_manifest = project.as_ref().and_then(|p| p.bindings_lock.as_deref());
    // In a tree, each file is a program of its own.
    let alone = files.len() == 1 && lock.is_of_manifest(of_manifest);
    let mut lock = lock.open(of_manifest)?;
    let options = Options { lock: lock.as_ref().map(|l| l.input(files, alone)), ..options };
    let output = run(files, program, project.as_ref(), options);
    if let Some(lock) = &mut lock {
        lock.update(files, alone, output.records.clone().filter(|_| !output.has_errors()));
    }
    Ok((output, lock))
}

/// Runs the library on files and prints diagnostics.
fn run(files: &[PathBuf], program: &ProgramArgs, project: Option<&Project>, options: Options) -> Output {
    let mut options = options;
    let mut include = program.include.clone();
    if let Some(project) = project {
        project.settings.apply(&program.choices, &mut options);
        options.skip_libraries = false;
        include.extend(project.settings.include.iter().cloned());
    }
    let mut loader = FileLoader::new(&include).allow_anywhere(program.allow_outside_roots);
    loader = loader.in_any_case(program.includes_in_any_case);
    loader = loader.base(&files.first().map(|file| base(file)).unwrap_or_default());
    for file in files {
        loader = loader.root(file.parent().unwrap_or(Path::new(".")));
        if let Some(project) = project {
            loader = loader.root(&project.directory);
        }
        if program.include.is_empty() {
            loader = loader.root(&project_directory(file));
        }
    }
    let names: Vec<String> = files.iter().map(|f| f.to_string_lossy().replace('\\', "/")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let output = compile::compile(&loader, &names, &options);
    eprint!("{}", output.render(std::io::stderr().is_terminal()));
    for line in output.inferred.iter().filter(|_| program.verbose) {
        eprintln!("note: {line}");
    }
    for dump in &output.dumps {
        eprintln!("{dump}");
    }
    output
}

/// Where includes may lead when no include root is given: the project that a source lies in, which is named by a manifest or
/// repository; else the directory above the source's, as trees keep shared includes beside their shaders' directories, or
/// the working directory if it holds that.
fn project_directory(file: &Path) -> PathBuf {
    let source = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let mut above = source.ancestors().skip(1);
    let marked = |d: &&Path| d.join(crate::batch::manifest::FILE_NAME).is_file() || d.join(".git").exists();
    if let Some(found) = above.clone().find(marked) {
        return found.to_path_buf();
    }
    let beside = above.nth(1).map_or_else(|| PathBuf::from("."), Path::to_path_buf);
    match std::env::current_dir().and_then(std::fs::canonicalize) {
        Ok(here) if beside.starts_with(&here) => here,
        _ => beside,
    }
}

/// What the diagnostics mean for the exit code.
pub fn outcome(output: &Output) -> Outcome {
    let code = |c: Code| output.diagnostics.iter().any(|d| d.code == c);
    match output.has_errors() {
        false => Outcome::Done,
        true if code(Code::INTERNAL) => Outcome::Internal,
        true if code(Code::BAD_OPTION) => Outcome::Usage,
        true => Outcome::InputErrors,
    }
}

/// `shaderport compile`.
pub fn compile(args: &CompileArgs) -> Outcome {
    let options = args.program.options(vec![args.target]);
    let (output, lock) = match run_locked(&args.files, &args.program, &args.lock, options) {
        Ok(done) => done,
        Err(outcome) => return outcome,
    };
    if output.has_errors() {
        return outcome(&output);
    }
    let mut result = Outcome::Done;
    if args.validate {
        for line in output.artifacts.iter().flat_map(|a| validators::validate(a, &output.entries)) {
            eprintln!("{line}");
            result = Outcome::InputErrors;
        }
    }
    if result != Outcome::Done {
        return result;
    }
    let several = output.artifacts.len() > 1;
    let placeholder = args.output.as_ref().is_some_and(|o| o.to_string_lossy().contains("{entry}"));
    if several && args.output.is_some() && !placeholder {
        let mut names: Vec<&str> =
            output.artifacts.iter().filter_map(|a| a.entry.map(|(name, _)| name.as_str())).take(SHOWN + 1).collect();
        if names.len() > SHOWN {
            names.truncate(SHOWN);
            names.push("and others");
        }
        eprintln!(
            "error: there are several entry points ({}), each a text of its own: choose one with --entry, or put \
             `{{entry}}` into the name of the output",
            names.join(", ")
        );
        return Outcome::Usage;
    }
    // First the lock: no text is ever written whose positions are not recorded.
    result = lock::save(lock);
    if result != Outcome::Done {
        return result;
    }
    for artifact in &output.artifacts {
        result = result.and(write_artifact(artifact, args.output.as_deref()));
    }
    if let (Some(path), Some((_, reflection))) = (&args.reflect, output.reflections.first()) {
        result = result.and(report(write_whole(path, reflection.to_json().as_bytes()), path));
    }
    result
}

fn write_artifact(artifact: &Artifact, path: Option<&Path>) -> Outcome {
    match path {
        None => match std::io::stdout().lock().write_all(&artifact.bytes) {
            Ok(()) => Outcome::Done,
            // The reader of a pipe went away: nothing is wrong with the input.
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Outcome::Done,
            Err(e) => report(Err(e), Path::new("stdout")),
        },
        Some(path) => {
            let entry = artifact.entry.map_or("", |(name, _)| name.as_str());
            let path = PathBuf::from(path.to_string_lossy().replace("{entry}", entry));
            report(write_whole(&path, &artifact.bytes), &path)
        }
    }
}

fn report(result: std::io::Result<()>, path: &Path) -> Outcome {
    match result {
        Ok(()) => Outcome::Done,
        Err(e) => {
            eprintln!("error[{}]: cannot write {}: {e}", Code::OUTPUT, path.display());
            Outcome::InputErrors
        }
    }
}

/// `shaderport check`.
pub fn check(args: &CheckArgs) -> Outcome {
    match args.program.project(&args.files) {
        Ok(project) => {
            let options = args.program.options(Vec::new());
            outcome(&run(&args.files, &args.program, project.as_ref(), options))
        }
        Err(outcome) => outcome,
    }
}

/// `shaderport reflect`.
pub fn reflect(args: &ReflectArgs) -> Outcome {
    let page = args.format == ReflectFormat::Html;
    let targets = match (args.target.as_slice(), page) {
        ([], true) => vec![Target::Hlsl, Target::Glsl, Target::Wgsl],
        ([], false) => vec![Target::Hlsl],
        (targets, _) => targets.to_vec(),
    };
    let options = Options { layouts_anyway: true, explain: page, ..args.program.options(targets) };
    let (output, lock) = match run_locked(&args.files, &args.program, &args.lock, options) {
        Ok(done) => done,
        Err(outcome) => return outcome,
    };
    let mut shown = Outcome::Done;
    if page && !output.reflections.is_empty() {
        let sides: Vec<html::Side> =
            output.reflections.iter().zip(&output.explanations).map(|((_, r), e)| (r, e.as_slice())).collect();
        let files: Vec<String> = args.files.iter().map(|f| f.to_string_lossy().into_owned()).collect();
        shown = show(&html::page(&files.join(", "), &sides));
    }
    for (_, reflection) in &output.reflections {
        shown = shown.and(match args.format {
            ReflectFormat::Text => show(&reflection.to_text()),
            ReflectFormat::Layouts => show(&reflection.to_layouts()),
            ReflectFormat::Json => show(&reflection.to_json()),
            ReflectFormat::SlangJson => show(&reflection.to_slang_json()),
            ReflectFormat::Html => Outcome::Done,
        });
    }
    match outcome(&output) {
        // The lock of a tree is for builds to write.
        Outcome::Done if args.lock.is_named() => shown.and(lock::save(lock)),
        Outcome::Done => shown,
        other => other,
    }
}

/// `shaderport explain`.
pub fn explain(args: &ExplainArgs) -> Outcome {
    match args.what.as_slice() {
        [page] => explain_page(page),
        [files @ .., path] => explain_position(args, files.iter().map(PathBuf::from).collect(), path),
        [] => Outcome::Usage,
    }
}

/// The page of an error code, of a rule or of the guide.
fn explain_page(name: &str) -> Outcome {
    let code = name.trim_start_matches(['E', 'e']).parse::<u16>().ok().map(Code);
    match code.and_then(codes::page).or_else(|| rules::pages::page(name)).or_else(|| guide::page(name)) {
        Some(page) => show(page),
        None => {
            let pages: Vec<&str> = guide::PAGES.iter().map(|(name, _)| *name).collect();
            eprintln!(
                "error: `{name}` is not an error code (such as E0301), a rule (such as layout-order) or a page of the guide \
                 ({}). To explain the position of a parameter, name its file and the parameter",
                pages.join(", ")
            );
            Outcome::Usage
        }
    }
}

/// Why a parameter is where it is. A lock is read and not written.
fn explain_position(args: &ExplainArgs, files: Vec<PathBuf>, path: &str) -> Outcome {
    let options = Options { layouts_anyway: true, explain: true, ..args.program.options(vec![args.target]) };
    let (output, _) = match run_locked(&files, &args.program, &args.lock, options) {
        Ok(done) => done,
        Err(outcome) => return outcome,
    };
    let Some(list) = output.explanations.first().filter(|_| !output.has_errors()) else { return outcome(&output) };
    let found = explain::find(list, path).ok_or_else(|| explain::missing(list, path));
    match found.and_then(|found| explain::element(found, path)) {
        Ok(found) => show(&found.to_text()),
        Err(wrong) => {
            eprintln!("error[{}]: {wrong}", Code::BAD_OPTION);
            Outcome::Usage
        }
    }
}
