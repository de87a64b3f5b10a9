//! `shaderport plan`: a build as actions that other programs run.

use super::build::{self, BuildArgs};
use super::forward::Given;
use super::messages::Messages;
use super::{Outcome, show};
use crate::batch::farm::{ActionForm, Actions, Regeneration, Word, bazel, ninja};
use crate::batch::{self, Built, Finding, Order, OutputUse, below, prepare, write_anew, write_whole};
use crate::diagnostic::Code;
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Who runs the actions.
#[derive(Clone, Copy, ValueEnum, Debug, PartialEq, Eq)]
pub enum PlanFormat {
    /// Ninja: a file that makes itself again when it has to.
    Ninja,
    /// Bazel: a `genrule` each.
    Bazel,
    /// Any program: `shaderport explain farm` documents it.
    Json,
}

impl PlanFormat {
    /// What the file is called; `None`: it goes to the standard output.
    fn usual_file(self) -> Option<&'static str> {
        match self {
            PlanFormat::Ninja => Some("build.ninja"),
            PlanFormat::Bazel => Some("BUILD.bazel"),
            PlanFormat::Json => None,
        }
    }
}

/// Arguments of `plan`.
#[derive(Args, Debug)]
pub struct PlanArgs {
    #[command(flatten)]
    build: BuildArgs,
    /// Who runs the actions.
    #[arg(long, value_enum)]
    format: PlanFormat,
    /// The file to write; the default is build.ninja or BUILD.bazel here, and the standard output for json.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// About as many programs are one action.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    chunk: u32,
    /// How actions call shaderport: a path, or for Bazel a label; the default is this program, `shaderport` or //tools:shaderport.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only write the list of the tree's files, unless it has not changed.
    #[arg(long, value_name = "FILE", hide = true)]
    list: Option<PathBuf>,
}

/// `shaderport plan`.
pub fn plan(args: &PlanArgs, given: &Given) -> Outcome {
    let mut messages = Messages::new(&args.build.messages, false);
    let outcome = run(args, given, &mut messages);
    messages.finish(outcome)
}

fn run(args: &PlanArgs, given: &Given, messages: &mut Messages) -> Outcome {
    let of_build = &args.build;
    let not_here = [
        (of_build.check, "--check"),
        (of_build.prune, "--prune"),
        (of_build.suggest_manifest, "--suggest-manifest"),
        (of_build.remote.is_used(), "--remote"),
        (of_build.action.is_used(), "--no-record, -MF and --expect"),
    ];
    if let Some((_, option)) = not_here.iter().find(|(is_given, _)| *is_given) {
        messages.error(Code::BAD_OPTION, &format!("{option} has no meaning for a plan"));
        return Outcome::Usage;
    }
    let plan = match build::plan(of_build) {
        Ok(plan) => plan,
        Err(fault) => return messages.fault(&fault),
    };
    let base = plan.base.clone();
    if let Some(list) = &args.list {
        return match below(&base, &of_build.out) {
            Ok((files, _)) => write(write_whole, list, &listed(&files), messages),
            Err(e) => fault(messages, Code::UNREADABLE, &e),
        };
    }
    // What an action writes is written by several at once: the lock is none of that.
    let lock = match of_build.lock.read_locked(plan.bindings_lock.as_deref()) {
        Ok(lock) => lock,
        Err(fault) => return messages.fault(&fault),
    };
    let has_lock = lock.is_some();
    // Other actions validate.
    let order = match build::order(of_build, &plan, messages.color()) {
        Ok(order) => order,
        Err(text) => return messages.fault(&Finding::error(Code::BAD_OPTION, text)),
    };
    // Nothing is written; what differs from what is there is the text of tables, which are read below.
    let order = Order { outputs: OutputUse::Compare, validators: String::new(), validator: |_| Vec::new(), ..order };
    let bar = build::progress(plan.jobs.len());
    let built = batch::build(&order, plan, lock, &|| bar.inc(1));
    bar.finish_and_clear();
    match built {
        Ok(mut built) => {
            messages.built(&mut built);
            built.warnings.iter().for_each(|warning| messages.finding(warning));
            planned(args, given, &Planned { order, built, has_lock, base }, messages)
        }
        Err(fault) => messages.fault(&fault),
    }
}

/// A build that wrote nothing.
struct Planned<'a> {
    order: Order<'a>,
    built: Built,
    has_lock: bool,
    base: PathBuf,
}

fn planned(args: &PlanArgs, given: &Given, planned: &Planned, messages: &mut Messages) -> Outcome {
    let Planned { order, built, .. } = planned;
    let ended: Outcome = built.fate().into();
    if ended != Outcome::Done {
        return ended;
    }
    let text = Actions::of(built, order, &form(args, given, planned)).and_then(|actions| match args.format {
        PlanFormat::Ninja => ninja_file(args, given, planned, &actions),
        PlanFormat::Bazel => bazel(&actions, &tool(args)),
        PlanFormat::Json => Ok(actions.to_json()),
    });
    let text = match text {
        Ok(text) => text,
        Err(e) => return fault(messages, Code::BAD_OPTION, &e),
    };
    match file(args) {
        None => show(&text),
        // Ninja compares its time with those of what it was made from, also where the text is as it was.
        Some(path) => write(write_anew, &path, &text, messages),
    }
}

/// The file of the plan.
fn file(args: &PlanArgs) -> Option<PathBuf> {
    args.file.clone().or_else(|| args.format.usual_file().map(PathBuf::from))
}

fn write(how: fn(&Path, &[u8]) -> std::io::Result<()>, path: &Path, text: &str, messages: &mut Messages) -> Outcome {
    match how(path, text.as_bytes()) {
        Ok(()) => Outcome::Done,
        Err(e) => fault(messages, Code::OUTPUT, &format!("cannot write {}: {e}", path.display())),
    }
}

fn fault(messages: &mut Messages, code: Code, text: &str) -> Outcome {
    messages.error(code, text);
    if code == Code::BAD_OPTION { Outcome::Usage } else { Outcome::InputErrors }
}

/// How actions call shaderport.
fn tool(args: &PlanArgs) -> String {
    let here = || std::env::current_exe().ok().map(|path| path.to_string_lossy().replace('\\', "/"));
    args.tool.clone().unwrap_or_else(|| match args.format {
        PlanFormat::Ninja => here().unwrap_or_else(|| "shaderport".to_owned()),
        PlanFormat::Bazel => "//tools:shaderport".to_owned(),
        PlanFormat::Json => "shaderport".to_owned(),
    })
}

/// The commands of actions.
fn form(args: &PlanArgs, given: &Given, planned: &Planned) -> ActionForm {
    let of_build = &args.build;
    let is_validated = |word: &Word| word.text() != "--validate";
    let mut build = vec![Word::plain(&tool(args)), Word::plain("build"), path(&of_build.tree)];
    build.extend(given.words().into_iter().filter(is_validated));
    build.extend([Word::plain("--out"), Word::output("", &shown(&of_build.out))]);
    build.extend(["--no-record", "--quiet"].map(Word::plain));
    if planned.has_lock {
        build.push(Word::plain("--locked"));
    }
    match args.format {
        PlanFormat::Ninja => build.extend(given.caches()),
        // They may run in another directory.
        PlanFormat::Bazel | PlanFormat::Json => build.iter_mut().for_each(Word::name_from_here),
    }
    let validate = of_build.validate.then(|| vec![Word::plain(&tool(args)), Word::plain("validate")]);
    ActionForm { build, validate, chunk: args.chunk as usize }
}

fn path(path: &Path) -> Word {
    Word::input("", &shown(path))
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The files of a tree as a list, without those of editors.
fn listed(files: &[String]) -> String {
    let is_of_editor = |file: &&String| {
        let name = file.rsplit('/').next().unwrap_or(file);
        name.starts_with('.') || name.ends_with('~')
    };
    files.iter().filter(|file| !is_of_editor(file)).map(|file| format!("{file}\n")).collect()
}

/// The file for Ninja, with what makes it again. What is noted for that is written here.
fn ninja_file(args: &PlanArgs, given: &Given, planned: &Planned, actions: &Actions) -> Result<String, String> {
    let Planned { order, built, base, .. } = planned;
    let out = order.out;
    let in_way = |e: std::io::Error| format!("cannot write to {}: {e}", out.display());
    prepare(out).map_err(in_way)?;
    let note = |name: &str| order.shown(&format!("{NOTES}/{name}"));
    let (listed_path, outdated) = (note("files"), note("outdated"));
    let (files, below) = below(base, out)?;
    write_whole(Path::new(&listed_path), listed(&files).as_bytes()).map_err(in_way)?;
    if !Path::new(&outdated).exists() {
        write_whole(Path::new(&outdated), b"").map_err(in_way)?;
    }
    let directory = |name: &String| if name.is_empty() { shown(base) } else { shown(&base.join(name)) };
    let mut directories: BTreeSet<String> = below.iter().map(directory).collect();
    // Files that were read from elsewhere, and where includes are looked for.
    let read = built.reports.iter().flat_map(|(_, report)| &report.dependencies).map(Path::new);
    let elsewhere = read.filter_map(Path::parent).chain(order.include.iter().map(PathBuf::as_path));
    directories.extend(elsewhere.filter(|d| d.is_dir()).map(shown));
    let directories = directories.into_iter().map(|d| if d.is_empty() { ".".to_owned() } else { d }).collect();
    let command = |more: &[Word]| {
        let tool = tool(args);
        let mut words = vec![Word::plain(&tool), Word::plain("plan"), path(&args.build.tree)];
        words.extend(given.all());
        words.extend(more.iter().cloned());
        words
    };
    let how = Regeneration {
        file: file(args).map(|path| shown(&path)).unwrap_or_default(),
        plan: command(&[]),
        list: command(&[Word::plain("--list"), Word::output("", &listed_path)]),
        listed: listed_path,
        directories,
        inputs: order.read_besides.clone(),
        notes: order.shown(NOTES),
        outdated,
    };
    ninja(actions, &how, &tool(args))
}

/// The directory below the output directory where builds note what the next one has to know.
const NOTES: &str = batch::RECORDS;
