//! `shaderport build`: a tree in, a tree of outputs with sidecars out.

use super::action::ActionArgs;
use super::cache::StoreArgs;
use super::forward::Given;
use super::lock::LockArgs;
use super::messages::{MessageArgs, Messages};
use super::options::ProgramArgs;
use super::remote::RemoteArgs;
use super::tree::FlatBuild;
use super::watch::{self, Seen};
use super::{Outcome, differences, interrupt};
use crate::batch::headers::TreeOrder;
use crate::batch::{
    self, Beside, Built, Fate, Finding, Order, OutputLayout, OutputUse, Plan, Report, Selection, SidecarForm, Store,
    Template, Use, WgslImports, plan_of, validators,
};
use crate::compile::Target;
use crate::diagnostic::Code;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Programs that are waited for at once where workers of a server make them.
const REMOTE_JOBS: usize = 32;

/// Arguments of `build`.
#[derive(Args, Debug)]
pub struct BuildArgs {
    /// A directory (with or without a shaderport.toml), a manifest, or one source.
    #[arg(default_value = ".")]
    pub tree: PathBuf,
    /// What to write, separated by commas; the default is the manifest's, else hlsl,glsl,wgsl.
    #[arg(long, value_delimiter = ',')]
    target: Vec<Target>,
    /// Directory for the outputs: OUT/TARGET/PATH/NAME.EXT with NAME.json beside it.
    #[arg(short, long, default_value = "out")]
    pub out: PathBuf,
    /// Build only the programs of this name: that of a `[[program]]`, or the path of a file from the manifest; globs are allowed.
    #[arg(long = "program", value_name = "NAME")]
    pub programs: Vec<String>,
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub lock: LockArgs,
    #[command(flatten)]
    pub messages: MessageArgs,
    /// Check what was emitted: naga in process, and DXC, glslang, spirv-val, tint where found.
    #[arg(long)]
    pub validate: bool,
    /// How outputs are called, where the manifest does not say: with {program}, {file}, {entry}, {stage}, {variant}, {target}.
    #[arg(long, value_name = "TEMPLATE", default_value = "{target}/{program}", value_parser = Template::parse)]
    output_name: Template,
    /// How outputs are cut: `flat` is a whole text a program, `tree` is one a source file, with headers in `inc` that texts include.
    /// The default is the manifest's, else `flat`.
    #[arg(long, value_enum)]
    layout: Option<OutputLayout>,
    /// How texts of a tree in WGSL, which has no `#include`, name the modules that they need; the default is the manifest's, else `none`.
    #[arg(long, value_enum)]
    wgsl_imports: Option<WgslImports>,
    /// How sidecars are written.
    #[arg(long, value_enum, default_value = "compact")]
    pub sidecar: SidecarForm,
    /// Write a Make-style dependency file beside each output.
    #[arg(long)]
    depfiles: bool,
    /// Remove outputs that earlier builds wrote and that are of no program any more.
    #[arg(long)]
    pub prune: bool,
    /// Write nothing: show what would change, as diffs of texts and of the interfaces in sidecars; exit code 1 if anything would.
    #[arg(long)]
    pub check: bool,
    /// Begin no other program after one has failed.
    #[arg(long)]
    fail_fast: bool,
    #[command(flatten)]
    pub store: StoreArgs,
    #[command(flatten)]
    pub action: ActionArgs,
    #[command(flatten)]
    pub remote: RemoteArgs,
    /// Print a shaderport.toml for the tree instead: pairs of files that are one program, include roots, endings, entry points.
    #[arg(long)]
    pub suggest_manifest: bool,
    /// Tell why each program is built that is.
    #[arg(long)]
    explain_rebuild: bool,
    /// Print errors and warnings only.
    #[arg(short, long)]
    quiet: bool,
    /// Build again whenever something changes, until Ctrl-C.
    #[arg(long, conflicts_with_all = ["check", "suggest_manifest"])]
    watch: bool,
    /// Threads; the default is one a core.
    #[arg(short, long)]
    jobs: Option<usize>,
}

/// `shaderport build`.
pub fn build(args: &BuildArgs, given: &Given) -> Outcome {
    interrupt::listen();
    let mut messages = Messages::new(&args.messages, false);
    if args.watch {
        return watch(args, given, messages);
    }
    let outcome = match args.suggest_manifest {
        true => suggest(args, &mut messages),
        false => run(args, given, &mut messages, None),
    };
    messages.finish(outcome)
}

fn watch(args: &BuildArgs, given: &Given, mut messages: Messages) -> Outcome {
    let build = |seen: &mut Seen| {
        let mut messages = Messages::new(&args.messages, false);
        let outcome = run(args, given, &mut messages, Some(seen));
        messages.finish(outcome)
    };
    let waits = || {
        if !args.quiet {
            Messages::new(&args.messages, false).note("waiting for changes; Ctrl-C ends it");
        }
    };
    let mut known = Seen::default();
    known.look(args);
    let outcome = watch::watch(known, build, waits).unwrap_or_else(|fault| {
        messages.error(Code::UNREADABLE, &fault);
        Outcome::InputErrors
    });
    messages.finish(outcome)
}

fn suggest(args: &BuildArgs, messages: &mut Messages) -> Outcome {
    let beside = Beside { include: &args.program.include, defines: &args.program.defines, described: &[] };
    match batch::suggest(&args.tree, &args.out, &beside) {
        Ok(suggested) => {
            suggested.notes.iter().for_each(|note| messages.note(note));
            super::show(&suggested.manifest)
        }
        Err(fault) => messages.fault(&fault),
    }
}

/// Builds once. Adds to `seen` what the outputs depend on, if that is watched.
fn run(args: &BuildArgs, given: &Given, messages: &mut Messages, mut seen: Option<&mut Seen>) -> Outcome {
    let plan = match plan(args) {
        Ok(plan) => plan,
        Err(fault) => return messages.fault(&fault),
    };
    if args.validate {
        validators::missing().iter().for_each(|line| messages.note(line));
    }
    let of_manifest = plan.bindings_lock.as_deref();
    let opened = if args.check { args.lock.read_to_check(of_manifest) } else { args.lock.read(of_manifest) };
    let lock = match opened {
        Ok(lock) => lock,
        Err(fault) => return messages.fault(&fault),
    };
    let opened = args.remote.open(args, &plan, given).and_then(|server| Ok(server.or(args.action.packing(&plan)?)));
    let ordered = opened.and_then(|elsewhere| Ok((elsewhere, order(args, &plan, messages.color())?)));
    let (elsewhere, order) = match ordered {
        Ok(ordered) => ordered,
        Err(text) => return messages.fault(&Finding::error(Code::BAD_OPTION, text)),
    };
    if let Some(seen) = &mut seen {
        let lock = args.lock.path(plan.bindings_lock.as_deref()).map(Path::to_path_buf);
        seen.files.extend(plan.manifest.iter().cloned().chain(lock));
    }
    let bar = progress(plan.jobs.len());
    let order = Order { elsewhere: elsewhere.as_deref(), ..order };
    let imports = args.wgsl_imports.or(plan.wgsl_imports).unwrap_or_default();
    // What one action of a build system writes is no tree: its headers would be those of others, too.
    let of_manifest = plan.layout.filter(|_| !args.action.is_one_of_many());
    let flat = match args.layout.or(of_manifest).unwrap_or_default() {
        OutputLayout::Flat if args.wgsl_imports.is_some_and(|imports| imports != WgslImports::None) => {
            Err(Finding::error(Code::BAD_OPTION, "--wgsl-imports are of trees: it needs --layout tree"))
        }
        OutputLayout::Flat => Ok(None),
        OutputLayout::Tree => {
            let (writes, sidecars) = (!args.check, args.sidecar != SidecarForm::None);
            let choices = &args.program.choices;
            let tree = TreeOrder { out: &args.out, writes, prunes: args.prune, imports, sidecars, choices };
            FlatBuild::new(tree).map(Some)
        }
    };
    let flat = match flat {
        Ok(flat) => flat,
        Err(fault) => return messages.fault(&fault),
    };
    let order = match flat.iter().try_fold(order, |order, flat| flat.order(order)) {
        Ok(order) => order,
        Err(fault) => return messages.fault(&fault),
    };
    let built = batch::build(&order, plan, lock, &|| bar.inc(1)).and_then(|built| match &flat {
        None => Ok(built),
        Some(flat) => flat.finish(built, &order, args.validate, messages).map(|(built, _)| built),
    });
    bar.finish_and_clear();
    let is_interrupted = interrupt::is_interrupted();
    interrupt::asked_enough();
    let outcome = match built {
        Ok(built) => {
            if let Some(seen) = seen {
                seen.add(&built, &args.out);
            }
            let ended = args.action.finish(&built, &order, messages);
            let told = elsewhere.as_ref().map(|elsewhere| elsewhere.told()).unwrap_or_default();
            told.warnings.iter().for_each(|warning| messages.finding(warning));
            show(args, built, order.cache.as_ref().map(Store::used), &told.summary, messages).and(ended)
        }
        Err(fault) => messages.fault(&fault),
    };
    if is_interrupted { Outcome::Interrupted } else { outcome }
}

impl Seen {
    /// Adds what is known before a build.
    fn look(&mut self, args: &BuildArgs) {
        let is_file = args.tree.is_file();
        let tree = if is_file { args.tree.parent().unwrap_or(Path::new("")) } else { &args.tree };
        let tree = if tree.as_os_str().is_empty() { Path::new(".") } else { tree };
        self.trees.extend(
            std::iter::once(tree).chain(args.program.include.iter().map(PathBuf::as_path)).map(Path::to_path_buf),
        );
    }

    /// Adds what a build has read and written.
    fn add(&mut self, built: &Built, out: &Path) {
        for (job, report) in &built.reports {
            self.trees.extend(job.settings.include.iter().cloned());
            self.files.extend(report.dependencies.iter().map(PathBuf::from));
            self.outputs.extend(report.outputs.iter().map(|output| out.join(&*output.name)));
        }
    }
}

/// The programs that are to be built.
pub fn plan(args: &BuildArgs) -> Result<Plan, Finding> {
    let selection = Selection::new(&args.programs).map_err(|e| Finding::error(Code::BAD_OPTION, e))?;
    plan_of(&args.tree, !args.program.no_manifest, &args.out, &selection)
}

/// The arguments as an order. The error is a text for people.
pub fn order<'a>(args: &'a BuildArgs, plan: &Plan, color: bool) -> Result<Order<'a>, String> {
    let lock = args.lock.path(plan.bindings_lock.as_deref());
    let besides = plan.manifest.as_deref().into_iter().chain(lock);
    Ok(Order {
        tree: &args.tree,
        out: &args.out,
        targets: args.target.clone(),
        entries: args.program.entries.clone(),
        given: None,
        defines: args.program.defines.clone(),
        include: args.program.include.clone(),
        choices: args.program.choices.clone(),
        anywhere: args.program.allow_outside_roots,
        any_case: args.program.includes_in_any_case,
        template: args.output_name.clone(),
        sidecar: args.sidecar,
        depfiles: args.depfiles,
        read_besides: besides.map(|path| path.to_string_lossy().replace('\\', "/")).collect(),
        validator: if args.validate { validators::validate } else { |_| Vec::new() },
        validators: if args.validate { validators::identity() } else { String::new() },
        color,
        verbose: args.program.verbose,
        dump_after: args.program.dump_after.clone(),
        jobs: args.jobs.or(args.remote.remote_execute.then_some(REMOTE_JOBS)),
        prunes: args.prune,
        outputs: if args.check { OutputUse::Compare } else { OutputUse::Write },
        programs: args.programs.clone(),
        records: !args.action.no_record,
        fails_fast: args.fail_fast,
        interrupted: interrupt::ask,
        cache: args.store.open()?,
        spare_code: false,
        elsewhere: None,
    })
}

/// The bar of a terminal.
pub fn progress(count: usize) -> ProgressBar {
    let target =
        if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(count as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} programs {elapsed}") {
        bar.set_style(style);
    }
    bar
}

/// Shows what became of a build.
fn show(args: &BuildArgs, mut built: Built, cache: Option<Use>, elsewhere: &str, messages: &mut Messages) -> Outcome {
    messages.built(&mut built);
    for (job, report) in built.reports.iter().filter(|_| args.explain_rebuild) {
        if let Some(reason) = &report.reason {
            messages.note(&format!("{} was built: {reason}", job.path().display()));
        }
    }
    built.warnings.iter().for_each(|warning| messages.finding(warning));
    for name in &built.stale {
        let what = if args.prune && !args.check { "was removed" } else { "is there" };
        messages.note(&format!("the output {} {what}: it is of no program any more", args.out.join(name).display()));
    }
    if !args.quiet {
        built.left_out().iter().for_each(|text| messages.lines(text));
    }
    let skipped = built.reports.iter().filter(|(_, report)| report.is_skipped).count();
    if skipped > 0 {
        let when = if interrupt::is_interrupted() { "the build was interrupted" } else { "one had failed" };
        messages.note(&format!("{skipped} programs were not begun after {when}"));
    }
    let differs = if args.check { differences::differences(&built) } else { Outcome::Done };
    let reports: Vec<&Report> = built.reports.iter().map(|(_, report)| report).collect();
    let shown =
        if args.quiet || args.check { Outcome::Done } else { super::show(&summary(&reports, cache, elsewhere)) };
    shown.and(differs).and(built.fate().into())
}

/// How many programs there are.
pub fn programs(reports: &[&Report]) -> String {
    let libraries = reports.iter().filter(|r| r.fate == Fate::Library).count();
    let variants: usize = reports.iter().filter(|r| r.fate != Fate::Library).map(|r| r.variants).sum();
    let programs = reports.len() - libraries;
    let of_variants = if variants > programs { format!(" in {variants} variants") } else { String::new() };
    format!("{programs} programs{of_variants}, {libraries} files without entry points")
}

fn summary(reports: &[&Report], cache: Option<Use>, elsewhere: &str) -> String {
    let built = reports.iter().filter(|r| r.reason.is_some() && r.fate != Fate::Library).count();
    let mut totals: BTreeMap<Target, [usize; 3]> = BTreeMap::new();
    for (target, counts) in reports.iter().flat_map(|r| &r.counts) {
        let total = totals.entry(*target).or_default();
        total.iter_mut().zip(counts).for_each(|(t, c)| *t += c);
    }
    let mut text = format!("{}; {built} built\n", programs(reports));
    if let Some(Use { hits, misses, wrong }) = cache {
        let wrong = if wrong > 0 { format!(", {wrong} entries were damaged") } else { String::new() };
        text.push_str(&format!("cache: {hits} of {} programs found{wrong}\n", hits + misses));
    }
    text.push_str(elsewhere);
    text.push_str(&format!("{:8} {:>8} {:>10} {:>7}\n", "target", "written", "unchanged", "failed"));
    for (target, [written, unchanged, failed]) in totals {
        text.push_str(&format!("{:8} {written:>8} {unchanged:>10} {failed:>7}\n", target.name()));
    }
    text
}
