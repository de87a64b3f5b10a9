//! `compile`, `check`, `reflect` and `explain`.

use super::depfile::DepfileArgs;
use super::foreign;
use super::host::HostArgs;
use super::lock::{self, LockArgs};
use super::maps::{Maps, Written, are_possible};
use super::messages::{MessageArgs, Messages};
use super::options::ProgramArgs;
use super::stdin::{SourceFiles, StdinArgs};
use super::{Outcome, say, show};
use crate::batch::port::CompilerTool;
use crate::batch::{Fate, FileLoader, LockFile, Project, base, enclosing, texts_of, validators, write_whole};
use crate::compile::{self, Artifact, Options, Output, Target};
use crate::diagnostic::{Code, codes};
use crate::guide;
use crate::layout::rules;
use crate::reflect::{Reflection, explain, html};
use crate::symbol::nearest;
use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::{Path, PathBuf};

/// As many entry points are named in a message.
const SHOWN: usize = 8;

/// Arguments of `compile`.
#[derive(Args, Debug)]
pub struct CompileArgs {
    /// Sources. All Slang files are one translation unit, each HLSL file is one. `-` is the standard input. With `--as`, behind `--`
    /// the command line of that compiler.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    stdin: StdinArgs,
    /// What to write: hlsl, glsl, wgsl, spirv or metal.
    #[arg(long, required_unless_present = "as_tool")]
    pub target: Option<Target>,
    /// Read the options and sources behind `--` as this compiler does: `compile --as dxc --target wgsl -- -T ps_6_0 -E main a.hlsl`.
    #[arg(long = "as", id = "as_tool", value_name = "fxc|dxc|slangc|glslc|glslangValidator")]
    as_tool: Option<CompilerTool>,
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    messages: MessageArgs,
    #[command(flatten)]
    lock: LockArgs,
    /// Output file; stdout without it. Several GLSL entry points need `{entry}` in it.
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Write the sidecar here.
    #[arg(long, value_name = "OUT.json")]
    reflect: Option<PathBuf>,
    /// Check what was emitted: naga in process, and DXC, glslang, spirv-val, tint where found.
    #[arg(long)]
    validate: bool,
    #[command(flatten)]
    depfile: DepfileArgs,
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
    /// A C++ header: buffers as structs, bindings as constants.
    Cpp,
    /// A Rust module: buffers as structs, bindings as constants.
    Rust,
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
    messages: MessageArgs,
    #[command(flatten)]
    lock: LockArgs,
    /// How to show it.
    #[arg(long, value_enum, default_value = "text")]
    format: ReflectFormat,
    #[command(flatten)]
    host: HostArgs,
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
    messages: MessageArgs,
    #[command(flatten)]
    lock: LockArgs,
}

/// Runs the library as the nearest manifest says, under the lock that is named here or there.
fn run_locked(
    sources: &SourceFiles,
    program: &ProgramArgs,
    lock: &LockArgs,
    options: Options,
    messages: &mut Messages,
) -> Result<(Output, Option<LockFile>), Outcome> {
    let files = sources.names.as_slice();
    let project = project(program, files, messages)?;
    let of_manifest = project.as_ref().and_then(|p| p.bindings_lock.as_deref());
    // In a tree, each file is a program of its own.
    let alone = files.len() == 1 && lock.is_of_manifest(of_manifest);
    let mut lock = lock.read(of_manifest).map_err(|fault| messages.fault(&fault))?;
    let options = Options { lock: lock.as_ref().map(|l| l.input(files, alone)), ..options };
    let output = run(sources, program, project.as_ref(), options, messages);
    if let Some(lock) = &mut lock {
        lock.update(files, alone, output.records.clone().filter(|_| !output.has_errors()));
    }
    Ok((output, lock))
}

/// What the nearest manifest says of a program. What is wrong with it is reported.
fn project(program: &ProgramArgs, files: &[PathBuf], messages: &mut Messages) -> Result<Option<Project>, Outcome> {
    program.project(files).map_err(|fault| messages.fault(&fault))
}

/// Runs the library on files and reports diagnostics.
fn run(
    sources: &SourceFiles,
    program: &ProgramArgs,
    project: Option<&Project>,
    options: Options,
    messages: &mut Messages,
) -> Output {
    let mut options = options;
    let files = sources.names.as_slice();
    let mut include = program.include.clone();
    if let Some(project) = project {
        project.settings.apply(&program.choices, &mut options);
        options.skip_libraries = false;
        include.extend(project.settings.include.iter().cloned());
    }
    let mut loader = FileLoader::new(&include).allow_anywhere(program.allow_outside_roots);
    let any_case = project.is_some_and(|project| project.settings.any_case);
    loader = loader.in_any_case(program.includes_in_any_case || any_case);
    loader = sources.give(loader.base(&files.first().map(|file| base(file)).unwrap_or_default()));
    for file in files {
        loader = loader.root(file.parent().unwrap_or(Path::new(".")));
        if let Some(project) = project {
            loader = loader.root(&project.directory);
        }
        if program.include.is_empty() {
            loader = loader.root(&enclosing(file));
        }
    }
    let names: Vec<String> = files.iter().map(|f| f.to_string_lossy().replace('\\', "/")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let output = compile::compile(&loader, &names, &options);
    messages.output(&output);
    output.inferred.iter().filter(|_| program.verbose).for_each(|line| messages.note(line));
    for dump in &output.dumps {
        say(&format!("{dump}\n"));
    }
    output
}

/// Writes a lock, if there is one. What is wrong with it is reported.
fn save(lock: Option<LockFile>, messages: &mut Messages) -> Outcome {
    match lock::write(lock) {
        Ok(()) => Outcome::Done,
        Err(fault) => messages.fault(&fault),
    }
}

/// What the diagnostics mean for the exit code.
fn outcome(output: &Output) -> Outcome {
    Fate::of(output).into()
}

/// `shaderport compile`.
pub fn compile(mut args: CompileArgs) -> Outcome {
    let mut messages = Messages::new(&args.messages, false);
    let translated = args.as_tool.map_or(Ok(()), |tool| foreign::translate(tool, &mut args, &mut messages));
    let outcome = translated.map_or_else(|outcome| outcome, |()| compile_files(&args, &mut messages));
    messages.finish(outcome)
}

fn compile_files(args: &CompileArgs, messages: &mut Messages) -> Outcome {
    if args.target.is_some_and(|target| !are_possible(&args.program, target, messages)) {
        return Outcome::Usage;
    }
    let targets = args.target.into_iter().collect();
    let options = Options { maps_texts: args.validate, ..args.program.options(targets) };
    let sources = match sources(&args.stdin, &args.files, messages) {
        Ok(sources) => sources,
        Err(outcome) => return outcome,
    };
    let (output, lock) = match run_locked(&sources, &args.program, &args.lock, options, messages) {
        Ok(done) => done,
        Err(outcome) => return outcome,
    };
    if output.has_errors() {
        return outcome(&output);
    }
    let maps = match project(&args.program, &sources.names, messages) {
        Ok(project) => Maps::of(&args.program, project.as_ref(), &sources.names),
        Err(outcome) => return outcome,
    };
    let mut result = Outcome::Done;
    if args.validate {
        result = validate(args, &output, messages);
    }
    if result != Outcome::Done {
        return result;
    }
    if let Some(fault) = unnamed_outputs(args, &output) {
        messages.error(Code::BAD_OPTION, &fault);
        return Outcome::Usage;
    }
    // First the lock: no text is ever written whose positions are not recorded.
    result = save(lock, messages);
    if result != Outcome::Done {
        return result;
    }
    for artifact in &output.artifacts {
        result = result.and(write_artifact(artifact, args.output.as_deref(), &maps, messages));
    }
    if let (Some(path), Some((_, reflection))) = (&args.reflect, output.reflections.first()) {
        result = result.and(report(write_whole(path, reflection.to_json().as_bytes()), path, messages));
    }
    if args.depfile.is_wanted() {
        result = result.and(write_depfile(args, &sources, &output, &maps, messages));
    }
    result
}

/// Lets other compilers judge the texts. What they say is told of the sources.
fn validate(args: &CompileArgs, output: &Output, messages: &mut Messages) -> Outcome {
    let mut result = Outcome::Done;
    let program = args.files.first().map_or(String::new(), |file| file.to_string_lossy().into_owned());
    for artifact in &output.artifacts {
        let path = path_of(artifact, args.output.as_deref());
        let text = path.map_or_else(|| artifact.target.name().to_owned(), |path| path.to_string_lossy().into_owned());
        for complaint in validators::validate(artifact) {
            let map = artifact.source_map.as_ref();
            messages.report(complaint.message((&program, &text), map, &texts_of(output), messages.color()));
            result = Outcome::InputErrors;
        }
    }
    result
}

/// Writes the dependency file: of sources, the manifest and the lock.
fn write_depfile(
    args: &CompileArgs,
    sources: &SourceFiles,
    output: &Output,
    maps: &Maps,
    messages: &mut Messages,
) -> Outcome {
    let project = match project(&args.program, &sources.names, messages) {
        Ok(project) => project,
        Err(outcome) => return outcome,
    };
    let of_manifest = project.as_ref().and_then(|p| p.bindings_lock.as_deref());
    let besides = project.as_ref().map(|p| p.manifest.as_path()).into_iter().chain(args.lock.path(of_manifest));
    let mut inputs = output.dependencies.clone();
    inputs.retain(|name| !sources.is_stdin(name));
    inputs.extend(besides.map(|path| path.to_string_lossy().replace('\\', "/")));
    let mut outputs = Vec::new();
    for artifact in &output.artifacts {
        let Some(path) = path_of(artifact, args.output.as_deref()) else { continue };
        let map = maps.written(artifact, Some(&path)).map;
        outputs.push(path);
        outputs.extend(map.map(|(path, _)| path));
    }
    args.depfile.write(&outputs, &inputs, messages)
}

/// Where a text is written; `None`: to the standard output.
fn path_of(artifact: &Artifact, output: Option<&Path>) -> Option<PathBuf> {
    let entry = artifact.entry.map_or("", |(name, _)| name.as_str());
    output.map(|path| PathBuf::from(path.to_string_lossy().replace("{entry}", entry)))
}

/// Why there are no names for the texts of several entry points.
fn unnamed_outputs(args: &CompileArgs, output: &Output) -> Option<String> {
    let name = args.output.as_ref().filter(|_| output.artifacts.len() > 1)?;
    if name.to_string_lossy().contains("{entry}") {
        return None;
    }
    let entries = output.artifacts.iter().filter_map(|a| a.entry.map(|(name, _)| name.as_str()));
    let mut names: Vec<&str> = entries.take(SHOWN + 1).collect();
    if names.len() > SHOWN {
        names.truncate(SHOWN);
        names.push("and others");
    }
    Some(format!(
        "there are several entry points ({}), each a text of its own: choose one with --entry, or put `{{entry}}` into \
         the name of the output",
        names.join(", ")
    ))
}

fn write_artifact(artifact: &Artifact, path: Option<&Path>, maps: &Maps, messages: &mut Messages) -> Outcome {
    let path = path_of(artifact, path);
    let Written { bytes, map } = maps.written(artifact, path.as_deref());
    match path {
        None => match std::io::stdout().lock().write_all(&bytes) {
            Ok(()) => Outcome::Done,
            // The reader of a pipe went away: nothing is wrong with the input.
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Outcome::Done,
            Err(e) => report(Err(e), Path::new("stdout"), messages),
        },
        Some(path) => {
            let written = report(write_whole(&path, &bytes), &path, messages);
            let map =
                map.map_or(Outcome::Done, |(path, json)| report(write_whole(&path, json.as_bytes()), &path, messages));
            written.and(map)
        }
    }
}

fn report(result: std::io::Result<()>, path: &Path, messages: &mut Messages) -> Outcome {
    match result {
        Ok(()) => Outcome::Done,
        Err(e) => {
            messages.error(Code::OUTPUT, &format!("cannot write {}: {e}", path.display()));
            Outcome::InputErrors
        }
    }
}

/// Checks a program without targets and reports what is wrong.
pub fn check(sources: &SourceFiles, program: &ProgramArgs, messages: &mut Messages) -> Outcome {
    outcome(&run(sources, program, None, program.options(Vec::new()), messages))
}

/// The sources of a program. What is wrong is reported.
pub fn sources(stdin: &StdinArgs, files: &[PathBuf], messages: &mut Messages) -> Result<SourceFiles, Outcome> {
    stdin.read(files).map_err(|(code, text)| {
        messages.error(code, &text);
        if code == Code::BAD_OPTION { Outcome::Usage } else { Outcome::InputErrors }
    })
}

/// `shaderport reflect`.
pub fn reflect(args: &ReflectArgs) -> Outcome {
    let mut messages = Messages::new(&args.messages, false);
    let outcome = reflect_files(args, &mut messages);
    messages.finish(outcome)
}

fn reflect_files(args: &ReflectArgs, messages: &mut Messages) -> Outcome {
    let page = args.format == ReflectFormat::Html;
    let targets = match (args.target.as_slice(), page) {
        ([], true) => vec![Target::Hlsl, Target::Glsl, Target::Wgsl],
        ([], false) => vec![Target::Hlsl],
        (targets, _) => targets.to_vec(),
    };
    let options = Options { layouts_anyway: true, explain: page, ..args.program.options(targets) };
    let sources = SourceFiles::of_files(&args.files);
    let (output, lock) = match run_locked(&sources, &args.program, &args.lock, options, messages) {
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
    let all: Vec<&Reflection> = output.reflections.iter().map(|(_, reflection)| reflection).collect();
    if args.format == ReflectFormat::Cpp {
        shown = show(&args.host.cpp(&args.files, &all));
    } else if args.format == ReflectFormat::Rust {
        shown = show(&args.host.rust(&args.files, &all));
    }
    for reflection in all {
        shown = shown.and(match args.format {
            ReflectFormat::Text => show(&reflection.to_text()),
            ReflectFormat::Layouts => show(&reflection.to_layouts()),
            ReflectFormat::Json => show(&reflection.to_json()),
            ReflectFormat::SlangJson => show(&reflection.to_slang_json()),
            ReflectFormat::Html | ReflectFormat::Cpp | ReflectFormat::Rust => Outcome::Done,
        });
    }
    match outcome(&output) {
        // The lock of a tree is for builds to write.
        Outcome::Done if args.lock.is_named() => shown.and(save(lock, messages)),
        Outcome::Done => shown,
        other => other,
    }
}

/// `shaderport explain`.
pub fn explain(args: &ExplainArgs) -> Outcome {
    let mut messages = Messages::new(&args.messages, false);
    let outcome = match args.what.as_slice() {
        [page] => explain_page(page, &mut messages),
        [files @ .., path] => explain_position(args, files.iter().map(PathBuf::from).collect(), path, &mut messages),
        [] => Outcome::Usage,
    };
    messages.finish(outcome)
}

/// The page of an error code, of a rule or of the guide.
fn explain_page(name: &str, messages: &mut Messages) -> Outcome {
    let code = name.trim_start_matches(['E', 'e']).parse::<u16>().ok().map(Code);
    match code.and_then(codes::page).or_else(|| rules::pages::page(name)).or_else(|| guide::page(name)) {
        Some(page) => show(page),
        None => {
            let pages: Vec<&str> = guide::PAGES.iter().map(|(name, _)| *name).collect();
            let codes: Vec<String> = codes::TABLE.iter().map(|(code, ..)| code.to_string()).collect();
            let rules = rules::pages::PAGES.iter().map(|(name, _)| *name);
            let known = pages.iter().copied().chain(rules).chain(codes.iter().map(String::as_str));
            let meant = nearest(name, known).map_or(String::new(), |near| format!("; there is `{near}`"));
            let message = format!(
                "`{name}` is not an error code (such as E0301), a rule (such as layout-order) or a page of the guide \
                 ({}){meant}. To explain the position of a parameter, name its file and the parameter",
                pages.join(", ")
            );
            messages.error(Code::BAD_OPTION, &message);
            Outcome::Usage
        }
    }
}

/// Why a parameter is where it is. A lock is read and not written.
fn explain_position(args: &ExplainArgs, files: Vec<PathBuf>, path: &str, messages: &mut Messages) -> Outcome {
    let options = Options { layouts_anyway: true, explain: true, ..args.program.options(vec![args.target]) };
    let (output, _) = match run_locked(&SourceFiles::of_files(&files), &args.program, &args.lock, options, messages) {
        Ok(done) => done,
        Err(outcome) => return outcome,
    };
    let Some(list) = output.explanations.first().filter(|_| !output.has_errors()) else { return outcome(&output) };
    let found = explain::find(list, path).ok_or_else(|| explain::missing(list, path));
    match found.and_then(|found| explain::element(found, path)) {
        Ok(found) => show(&found.to_text()),
        Err(wrong) => {
            messages.error(Code::BAD_OPTION, &wrong);
            Outcome::Usage
        }
    }
}
