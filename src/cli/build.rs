//! `shaderport build`: a tree in, a tree of outputs with sidecars out.

use super::cache::StoreArgs;
use super::lock::LockArgs;
use super::messages::{MessageArgs, Messages};
use super::options::ProgramArgs;
use super::{Outcome, check};
use crate::batch::{self, Built, Fate, Order, Plan, Report, SidecarForm, Store, Template, Use, plan, validators};
use crate::compile::Target;
use crate::diagnostic::{Code, Merged};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Arguments of `build`.
#[derive(Args, Debug)]
pub struct BuildArgs {
    /// A directory (with or without a shaderport.toml), a manifest, or one source.
    #[arg(default_value = ".")]
    tree: PathBuf,
    /// What to write, separated by commas; the default is the manifest's, else hlsl,glsl,wgsl.
    #[arg(long, value_delimiter = ',')]
    target: Vec<Target>,
    /// Directory for the outputs: OUT/TARGET/PATH/NAME.EXT with NAME.json beside it.
    #[arg(short, long, default_value = "out")]
    out: PathBuf,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    lock: LockArgs,
    #[command(flatten)]
    messages: MessageArgs,
    /// Check what was emitted: naga in process, and DXC, glslang, spirv-val, tint where found.
    #[arg(long)]
    validate: bool,
    /// How outputs are called, where the manifest does not say: with {program}, {file}, {entry}, {stage}, {variant}, {target}.
    #[arg(long, value_name = "TEMPLATE", default_value = "{target}/{program}", value_parser = Template::parse)]
    output_name: Template,
    /// How sidecars are written.
    #[arg(long, value_enum, default_value = "compact")]
    sidecar: SidecarForm,
    /// Write a Make-style dependency file beside each output.
    #[arg(long)]
    depfiles: bool,
    /// Remove outputs that earlier builds wrote and that are of no program any more.
    #[arg(long)]
    prune: bool,
    /// Write nothing: show what would change, as diffs of texts and of the interfaces in sidecars; exit code 1 if anything would.
    #[arg(long)]
    check: bool,
    /// Begin no other program after one has failed.
    #[arg(long)]
    fail_fast: bool,
    #[command(flatten)]
    store: StoreArgs,
    /// Print a shaderport.toml for the tree instead: pairs of files that are one program, include roots, endings, entry points.
    #[arg(long)]
    suggest_manifest: bool,
    /// Tell why each program is built that is.
    #[arg(long)]
    explain_rebuild: bool,
    /// Print errors and warnings only.
    #[arg(short, long)]
    quiet: bool,
    /// Threads; the default is one a core.
    #[arg(short, long)]
    jobs: Option<usize>,
}

/// `shaderport build`.
pub fn build(args: &BuildArgs) -> Outcome {
    let mut messages = Messages::new(&args.messages, false);
    let outcome = if args.suggest_manifest { suggest(args, &mut messages) } else { run(args, &mut messages) };
    messages.finish(outcome)
}

fn suggest(args: &BuildArgs, messages: &mut Messages) -> Outcome {
    match batch::suggest(&args.tree, &args.out, &args.program.include, &args.program.defines) {
        Ok(suggested) => {
            suggested.notes.iter().for_each(|note| messages.note(note));
            super::show(&suggested.manifest)
        }
        Err(fault) => report(fault, messages),
    }
}

fn run(args: &BuildArgs, messages: &mut Messages) -> Outcome {
    let plan = match plan(&args.tree, !args.program.no_manifest, &args.out) {
        Ok(plan) => plan,
        Err(fault) => return report(fault, messages),
    };
    if args.validate {
        validators::missing().iter().for_each(|line| messages.note(line));
    }
    let (of_manifest, color) = (plan.bindings_lock.as_deref(), messages.color());
    let opened = match args.check {
        true => args.lock.read_to_check(of_manifest, color),
        false => args.lock.read(of_manifest, color),
    };
    let lock = match opened {
        Ok(lock) => lock,
        Err((outcome, text)) => {
            messages.text(&text);
            return outcome;
        }
    };
    let bar = progress(plan.jobs.len());
    let order = order(args, &plan, messages.color());
    let built = batch::build(&order, plan, lock, &|| bar.inc(1));
    bar.finish_and_clear();
    match built {
        Ok(built) => show(args, built, order.cache.as_ref().map(Store::used), messages),
        Err(fault) => report(fault, messages),
    }
}

fn report((code, message): (Code, String), messages: &mut Messages) -> Outcome {
    messages.error(code, &message);
    match code {
        Code::BAD_OPTION => Outcome::Usage,
        Code::INTERNAL => Outcome::Internal,
        _ => Outcome::InputErrors,
    }
}

/// The arguments as an order.
fn order<'a>(args: &'a BuildArgs, plan: &Plan, color: bool) -> Order<'a> {
    let lock = args.lock.path(plan.bindings_lock.as_deref());
    let besides = plan.manifest.as_deref().into_iter().chain(lock);
    Order {
        tree: &args.tree,
        out: &args.out,
        targets: args.target.clone(),
        entries: args.program.entries.clone(),
        defines: args.program.defines.clone(),
        include: args.program.include.clone(),
        choices: args.program.choices.clone(),
        anywhere: args.program.allow_outside_roots,
        any_case: args.program.includes_in_any_case,
        template: args.output_name.clone(),
        sidecar: args.sidecar,
        depfiles: args.depfiles,
        read_besides: besides.map(|path| path.to_string_lossy().replace('\\', "/")).collect(),
        validator: if args.validate { validators::validate } else { |_, _| Vec::new() },
        validates: args.validate,
        color,
        verbose: args.program.verbose,
        dump_after: args.program.dump_after.clone(),
        jobs: args.jobs,
        prunes: args.prune,
        checks: args.check,
        fails_fast: args.fail_fast,
        cache: args.store.open(),
    }
}

fn progress(count: usize) -> ProgressBar {
    let target =
        if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(count as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} programs {elapsed}") {
        bar.set_style(style);
    }
    bar
}

/// Shows what became of a build.
fn show(args: &BuildArgs, mut built: Built, cache: Option<Use>, messages: &mut Messages) -> Outcome {
    built.errors.iter().for_each(|text| messages.text(text));
    let mut merged = Merged::default();
    for (job, report) in &mut built.reports {
        merged.add(&job.path().to_string_lossy(), std::mem::take(&mut report.messages));
    }
    merged.finish().into_iter().for_each(|message| messages.report(message));
    for (job, report) in built.reports.iter().filter(|_| args.explain_rebuild) {
        if let Some(reason) = &report.reason {
            messages.note(&format!("{} was built: {reason}", job.path().display()));
        }
    }
    built.warnings.iter().for_each(|text| messages.text(text));
    for name in &built.stale {
        let what = if args.prune && !args.check { "was removed" } else { "is there" };
        messages.note(&format!("the output {} {what}: it is of no program any more", args.out.join(name).display()));
    }
    if !args.quiet {
        built.left_out().iter().for_each(|text| messages.lines(text));
    }
    let skipped = built.reports.iter().filter(|(_, report)| report.is_skipped).count();
    if skipped > 0 {
        messages.note(&format!("{skipped} programs were not begun after one had failed"));
    }
    let differs = if args.check { check::differences(&built) } else { Outcome::Done };
    let reports: Vec<&Report> = built.reports.iter().map(|(_, report)| report).collect();
    let shown = if args.quiet || args.check { Outcome::Done } else { super::show(&summary(&reports, cache)) };
    shown.and(differs).and(built.fate().into())
}

fn summary(reports: &[&Report], cache: Option<Use>) -> String {
    let libraries = reports.iter().filter(|r| r.fate == Fate::Library).count();
    let built = reports.iter().filter(|r| r.reason.is_some() && r.fate != Fate::Library).count();
    let variants: usize = reports.iter().filter(|r| r.fate != Fate::Library).map(|r| r.variants).sum();
    let mut totals: BTreeMap<Target, [usize; 3]> = BTreeMap::new();
    for (target, counts) in reports.iter().flat_map(|r| &r.counts) {
        let total = totals.entry(*target).or_default();
        total.iter_mut().zip(counts).for_each(|(t, c)| *t += c);
    }
    let programs = reports.len() - libraries;
    let of_variants = if variants > programs { format!(" in {variants} variants") } else { String::new() };
    let mut text = format!("{programs} programs{of_variants}, {libraries} files without entry points; {built} built\n");
    if let Some(Use { hits, misses, wrong }) = cache {
        let wrong = if wrong > 0 { format!(", {wrong} entries were damaged") } else { String::new() };
        text.push_str(&format!("cache: {hits} of {} programs found{wrong}\n", hits + misses));
    }
    text.push_str(&format!("{:8} {:>8} {:>10} {:>7}\n", "target", "written", "unchanged", "failed"));
    for (target, [written, unchanged, failed]) in totals {
        text.push_str(&format!("{:8} {written:>8} {unchanged:>10} {failed:>7}\n", target.name()));
    }
    text
}
