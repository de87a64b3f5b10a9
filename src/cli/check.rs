//! `shaderport check`: what is wrong with a program, or with all of a tree. Nothing is written.
//!
//! Where targets are named, or a manifest holds, what `build` would do is done but for writing. Else nothing is checked that depends
//! on a target.

use super::build::{programs, progress};
use super::compile;
use super::messages::{MessageArgs, Messages};
use super::options::ProgramArgs;
use super::stdin::{SourceFiles, StdinArgs};
use super::{Outcome, show};
use crate::batch::{
    self, Built, Finding, LockFile, Order, OutputKind, OutputUse, Plan, Report, Selection, SidecarForm, Template,
    plan_of, plan_of_files,
};
use crate::compile::Target;
use crate::diagnostic::Code;
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where `build` writes to if it is not told: outputs are no sources.
const USUAL_OUT: &str = "out";
/// How `build` names outputs if it is not told: those of one name are an error.
const USUAL_NAMES: &str = "{target}/{program}";

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Sources of one program, where `-` is the standard input; or trees: directories, with or without a shaderport.toml, and
    /// manifests.
    #[arg(default_value = ".", value_name = "FILES | TREES")]
    paths: Vec<PathBuf>,
    /// Targets to check for, separated by commas; the default is the manifest's. Without a manifest and targets, it is not asked
    /// what a target supports.
    #[arg(long, value_delimiter = ',')]
    target: Vec<Target>,
    #[command(flatten)]
    stdin: StdinArgs,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

/// `shaderport check`.
pub fn check(args: &CheckArgs) -> Outcome {
    let mut messages = Messages::new(&args.messages, true);
    let outcome = run(args, &mut messages);
    messages.finish(outcome)
}

fn run(args: &CheckArgs, messages: &mut Messages) -> Outcome {
    let is_tree = |path: &&PathBuf| path.is_dir() || path.extension().is_some_and(|ending| ending == "toml");
    let trees = args.paths.iter().filter(is_tree).count();
    if trees == 0 {
        return check_files(args, messages).unwrap_or_else(|fault| messages.fault(&fault));
    }
    if trees < args.paths.len() {
        let text = "files are one program and directories are trees: check them one after the other";
        return messages.fault(&Finding::error(Code::BAD_OPTION, text));
    }
    let one = |tree: &PathBuf| check_tree(args, tree, messages).unwrap_or_else(|fault| messages.fault(&fault));
    args.paths.iter().map(one).fold(Outcome::Done, Outcome::and)
}

fn check_tree(args: &CheckArgs, tree: &Path, messages: &mut Messages) -> Result<Outcome, Finding> {
    let with_manifest = !args.program.no_manifest;
    let mut plan = plan_of(tree, with_manifest, Path::new(USUAL_OUT), &Selection::default())?;
    if args.target.is_empty() && plan.manifest.is_none() {
        plan.jobs.iter_mut().for_each(|job| Arc::make_mut(&mut job.settings).only_targets = Some(Vec::new()));
    }
    let mut built = build(args, tree, plan, None, messages)?;
    messages.built(&mut built);
    built.warnings.iter().for_each(|warning| messages.finding(warning));
    built.left_out().iter().for_each(|text| messages.lines(text));
    let reports: Vec<&Report> = built.reports.iter().map(|(_, report)| report).collect();
    let shown = if messages.are_for_people() { show(&summary(&reports)) } else { Outcome::Done };
    Ok(shown.and(built.fate().into()))
}

/// Checks the program of some files.
fn check_files(args: &CheckArgs, messages: &mut Messages) -> Result<Outcome, Finding> {
    let sources = match compile::sources(&args.stdin, &args.paths, messages) {
        Ok(sources) => sources,
        Err(outcome) => return Ok(outcome),
    };
    let plan = plan_of_files(&sources.names, !args.program.no_manifest)?;
    if args.target.is_empty() && plan.manifest.is_none() {
        return Ok(compile::check(&sources, &args.program, messages));
    }
    let first = sources.names.first().cloned().unwrap_or_default();
    let built = build(args, &first, plan, Some(&sources), messages)?;
    built.errors.iter().chain(&built.warnings).for_each(|finding| messages.finding(finding));
    built.reports.iter().flat_map(|(_, report)| &report.messages).for_each(|message| messages.report(message.clone()));
    // A target was asked for, and nothing was checked for it.
    if !args.target.is_empty() {
        built.left_out().iter().for_each(|text| messages.lines(text));
    }
    Ok(built.fate().into())
}

/// Does what a build does but for writing.
fn build(
    args: &CheckArgs,
    tree: &Path,
    plan: Plan,
    sources: Option<&SourceFiles>,
    messages: &Messages,
) -> Result<Built, Finding> {
    let lock = plan.bindings_lock.as_deref().map(|path| LockFile::open(path, false)).transpose()?;
    let order = order(args, tree, sources, messages.color())?;
    let bar = progress(plan.jobs.len());
    let built = batch::build(&order, plan, lock, &|| bar.inc(1));
    bar.finish_and_clear();
    built
}

fn order<'a>(
    args: &'a CheckArgs,
    tree: &'a Path,
    sources: Option<&'a SourceFiles>,
    color: bool,
) -> Result<Order<'a>, Finding> {
    let template = Template::parse(USUAL_NAMES).map_err(|e| Finding::error(Code::BAD_OPTION, e))?;
    Ok(Order {
        tree,
        out: Path::new(USUAL_OUT),
        targets: args.target.clone(),
        entries: args.program.entries.clone(),
        given: sources.and_then(SourceFiles::given),
        defines: args.program.defines.clone(),
        include: args.program.include.clone(),
        choices: args.program.choices.clone(),
        anywhere: args.program.allow_outside_roots,
        any_case: args.program.includes_in_any_case,
        template,
        sidecar: SidecarForm::None,
        depfiles: false,
        read_besides: Vec::new(),
        validator: |_| Vec::new(),
        validators: String::new(),
        color,
        verbose: args.program.verbose,
        dump_after: args.program.dump_after.clone(),
        jobs: None,
        prunes: false,
        outputs: OutputUse::Drop,
        programs: Vec::new(),
        records: false,
        fails_fast: false,
        interrupted: || false,
        cache: None,
        spare_code: false,
        elsewhere: None,
    })
}

/// How many programs there are, and how many of them a target supports.
fn summary(reports: &[&Report]) -> String {
    let mut text = format!("{}\n", programs(reports));
    let mut totals: BTreeMap<Target, [usize; 2]> = BTreeMap::new();
    for report in reports {
        let failed = report.counts.iter().filter(|(_, [.., failed])| *failed > 0).map(|(target, _)| *target);
        let failed: Vec<Target> = failed.collect();
        let texts = report.outputs.iter().filter(|output| output.kind == OutputKind::Text);
        let mut right: Vec<Target> = texts.filter_map(|output| output.target).collect();
        right.retain(|target| !failed.contains(target));
        right.sort();
        right.dedup();
        right.iter().for_each(|target| totals.entry(*target).or_default()[0] += 1);
        failed.iter().for_each(|target| totals.entry(*target).or_default()[1] += 1);
    }
    if !totals.is_empty() {
        text.push_str(&format!("{:8} {:>8} {:>7}\n", "target", "right", "failed"));
    }
    for (target, [right, failed]) in totals {
        text.push_str(&format!("{:8} {right:>8} {failed:>7}\n", target.name()));
    }
    text
}
