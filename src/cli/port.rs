//! `shaderport port`: a tree by what it says of its own build, with a report; and what is new upstream merged into edited outputs.

use super::lock::LockArgs;
use super::messages::{MessageArgs, Messages};
use super::options::ProgramArgs;
use super::tree::FlatBuild;
use super::{Outcome, interrupt};
use crate::batch::headers::{TreeFileNames, TreeOrder};
use crate::batch::manifest::FILE_NAME;
use crate::batch::port::{
    Deed, Descriptions, OutputCut, PortDirectory, PortFacts, TreeManifest, markdown, page, report, step, steps,
    summary_of,
};
use crate::batch::{
    self, Built, Finding, Order, OutputKind, OutputLayout, OutputUse, Plan, Selection, SidecarForm, Template,
    WgslImports, plan_of, validators, write_whole,
};
use crate::compile::Target;
use crate::diagnostic::Code;
use crate::layout::Policy;
use crate::options::Choices;
use crate::reflect::Reflection;
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The reports.
const REPORTS: [&str; 2] = ["port.md", "port.html"];

/// Arguments of `port`.
#[derive(Args, Debug)]
pub struct PortArgs {
    /// The tree of shaders, with its scripts, makefiles, CMake files or projects of Visual Studio.
    #[arg(default_value = ".")]
    tree: PathBuf,
    /// What to write, separated by commas; the default is that of the port that is updated, of the manifest, else hlsl,glsl,wgsl.
    #[arg(long, value_delimiter = ',')]
    target: Vec<Target>,
    /// Directory for the outputs, the manifest and the report.
    #[arg(short, long, default_value = "port")]
    out: PathBuf,
    /// Merge what is new into a port that was edited: what both have changed is shown as a conflict, and no edit is lost.
    #[arg(long)]
    update: bool,
    /// Write the manifest into the tree instead, where it is yours from then on.
    #[arg(long)]
    manifest_in_tree: bool,
    /// Check what is emitted: naga in process, and DXC, glslang, spirv-val, tint where found.
    #[arg(long)]
    validate: bool,
    /// How outputs are cut: `flat` is a whole text a program, `tree` is one a source file, with headers in `inc` that texts include.
    /// The default is that of the port that is updated, of the manifest, else `flat`.
    #[arg(long, value_enum)]
    layout: Option<OutputLayout>,
    /// How texts of a tree in WGSL, which has no `#include`, name the modules that they need; the default is the manifest's, else `none`.
    #[arg(long, value_enum)]
    wgsl_imports: Option<WgslImports>,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    lock: LockArgs,
    #[command(flatten)]
    messages: MessageArgs,
    /// Threads; the default is one a core.
    #[arg(short, long)]
    jobs: Option<usize>,
}

/// `shaderport port`.
pub fn port(args: &PortArgs) -> Outcome {
    interrupt::listen();
    let mut messages = Messages::new(&args.messages, false);
    let outcome = run(args, &mut messages).unwrap_or_else(|fault| messages.fault(&fault));
    let outcome = if interrupt::is_interrupted() { Outcome::Interrupted } else { outcome };
    messages.finish(outcome)
}

fn misused(message: String) -> Finding {
    Finding::error(Code::BAD_OPTION, message)
}

fn run(args: &PortArgs, messages: &mut Messages) -> Result<Outcome, Finding> {
    if !args.tree.is_dir() {
        return Err(misused(format!("{} is no directory of shaders", args.tree.display())));
    }
    let directory = PortDirectory::new(&args.out);
    let _held = directory.hold()?;
    let state = directory.state()?;
    match (&state, args.update) {
        (Some(_), false) => {
            let message = format!("{} has a port already: `--update` merges what is new into it", args.out.display());
            return Err(misused(message));
        }
        (None, true) => return Err(misused(format!("{} has no port to update", args.out.display()))),
        (Some(_), true) | (None, false) => {}
    }
    directory.recover()?;
    let state = state.unwrap_or_default();
    let before = state.owners;
    let targets = match args.target.as_slice() {
        [] => state.targets.iter().filter_map(|name| Target::parse(name)).collect(),
        asked => asked.to_vec(),
    };
    let asked = OutputCut {
        layout: args.layout,
        wgsl_imports: args.wgsl_imports,
        permutations: args.program.choices.said_permutations(),
    };
    let cut = asked.or(state.cut);
    let mut facts = PortFacts { is_update: args.update, ..PortFacts::default() };
    let (manifest, is_generated) = manifest(args, cut, &directory, &before, &mut facts)?;
    let (mut built, names) = build(args, (&manifest, cut), &directory.next(), &targets, messages)?;
    if interrupt::is_interrupted() {
        return Ok(Outcome::Interrupted);
    }
    let of_sources = as_sources(args, &manifest, &directory);
    let asked = Asked { targets, cut, is_generated };
    facts.headers = names.headers;
    let conflicts = write(&directory, asked, &before, &mut facts, (&built, &names.all), &of_sources)?;
    messages.built(&mut built);
    facts.notes.iter().for_each(|note| messages.note(note));
    for (name, deed) in facts.deeds.iter().filter(|(_, deed)| deed.needs_person()) {
        let text = format!("{}: {}", args.out.join(name).display(), deed.words());
        match deed.is_conflict() {
            true => messages.error(Code::MERGE_CONFLICT, &text),
            false => messages.note(&text),
        }
    }
    let shown =
        super::show(&format!("{}\nThe report is {}.\n", summary_of(&built), args.out.join(REPORTS[0]).display()));
    let merged = if conflicts { Outcome::InputErrors } else { Outcome::Done };
    Ok(shown.and(merged).and(built.fate().into()))
}

/// The manifest, and whether it is one that a port has made.
fn manifest(
    args: &PortArgs,
    cut: OutputCut,
    directory: &PortDirectory,
    before: &BTreeMap<String, String>,
    facts: &mut PortFacts,
) -> Result<(PathBuf, bool), Finding> {
    let (in_tree, in_out) = (args.tree.join(FILE_NAME), args.out.join(FILE_NAME));
    if in_tree.is_file() && !args.program.no_manifest {
        facts.origin.push(format!("The `{FILE_NAME}` of the tree says what is compiled."));
        return Ok((in_tree, false));
    }
    if in_out.is_file() && !before.contains_key(FILE_NAME) {
        facts
            .origin
            .push(format!("The `{FILE_NAME}` beside this report, which was there before, says what is compiled."));
        return Ok((in_out, false));
    }
    let ProgramArgs { include, defines, .. } = &args.program;
    let made = TreeManifest::of(&args.tree, &args.out, include, defines)?;
    let Descriptions { found, notes, ignored, .. } = &made.described;
    facts.notes.extend(notes.iter().cloned());
    facts.ignored.clone_from(ignored);
    let sources: Vec<String> = found.iter().map(|(name, count)| format!("`{name}` ({count} commands)")).collect();
    facts.origin.push(match sources.as_slice() {
        [] => "No build description of the tree could be followed: entry points are those that are marked, or that the names of files and functions tell.".to_owned(),
        sources => format!("Entry points and macros are those of {}.", sources.join(", ")),
    });
    if args.manifest_in_tree {
        facts.origin.push(format!("They are in the `{FILE_NAME}` of the tree."));
        let fault = |e| Finding::error(Code::OUTPUT, format!("cannot write {}: {e}", in_tree.display()));
        write_whole(&in_tree, made.with(&cut.lines()).as_bytes()).map_err(fault)?;
        return Ok((in_tree, false));
    }
    facts.origin.push(format!("They are in the `{FILE_NAME}` beside this report, which may be edited."));
    let text = made.text_beside(&args.out, &args.tree, cut);
    merge_manifest(directory, before, &text, facts)?;
    Ok((in_out, true))
}

/// Merges a manifest into the one that people may have edited. A build needs one without conflicts.
fn merge_manifest(
    directory: &PortDirectory,
    before: &BTreeMap<String, String>,
    text: &str,
    facts: &mut PortFacts,
) -> Result<(), Finding> {
    let name = FILE_NAME.to_owned();
    directory.add(&name, text.as_bytes())?;
    let base = directory.written_before(before.keys().filter(|known| **known == name))?;
    let (mine, theirs) = (directory.there([&name])?, directory.built([&name])?);
    let steps = steps(&base, &mine, &theirs, &|_| false);
    directory.apply(&steps)?;
    let deed = steps.get(&name).and_then(|step| step.deed);
    match deed.filter(|deed| deed.is_conflict()) {
        Some(deed) => {
            let path = directory.path(&name);
            let message = format!("{}: {}; then update again", path.display(), deed.words());
            Err(Finding::error(Code::MERGE_CONFLICT, message).in_file(&path))
        }
        None => {
            facts.deeds.extend(deed.map(|deed| (name, deed)));
            Ok(())
        }
    }
}

fn planned(args: &PortArgs, manifest: &Path) -> Result<Plan, Finding> {
    plan_of(manifest, true, &args.out, &Selection::default())
}

/// Builds the programs of the manifest into a directory, in the layout that is asked for, else in that of the manifest.
fn build(
    args: &PortArgs,
    (manifest, cut): (&Path, OutputCut),
    out: &Path,
    target: &[Target],
    messages: &mut Messages,
) -> Result<(Built, TreeFileNames), Finding> {
    let choices = &args.program.choices.clone().with_permutations(cut.permutations);
    let plan = planned(args, manifest)?;
    let lock = args.lock.read(plan.bindings_lock.as_deref())?;
    let order = order(args, out, target.to_vec(), choices.clone())?;
    match cut.layout.or(plan.layout).unwrap_or_default() {
        OutputLayout::Flat if args.wgsl_imports.is_some_and(|imports| imports != WgslImports::None) => {
            Err(misused("--wgsl-imports are of trees: it needs --layout tree".to_owned()))
        }
        OutputLayout::Flat => Ok((batch::build(&order, plan, lock, &|| {})?, TreeFileNames::default())),
        OutputLayout::Tree => {
            let imports = cut.wgsl_imports.or(plan.wgsl_imports).unwrap_or_default();
            let tree = FlatBuild::new(TreeOrder { out, writes: true, prunes: true, imports, sidecars: true, choices })?;
            let order = tree.order(order)?;
            let built = batch::build(&order, plan, lock, &|| {})?;
            let (mut built, names) = tree.finish(built, &order, args.validate, messages)?;
            names.rename(&mut built);
            Ok((built, names))
        }
    }
}

fn order<'a>(args: &'a PortArgs, out: &'a Path, targets: Vec<Target>, choices: Choices) -> Result<Order<'a>, Finding> {
    Ok(Order {
        tree: &args.tree,
        out,
        targets,
        entries: args.program.entries.clone(),
        given: None,
        defines: args.program.defines.clone(),
        include: args.program.include.clone(),
        choices,
        anywhere: args.program.allow_outside_roots,
        any_case: args.program.includes_in_any_case,
        template: Template::parse("{target}/{program}").map_err(misused)?,
        sidecar: SidecarForm::Full,
        depfiles: false,
        read_besides: Vec::new(),
        validator: if args.validate { validators::validate } else { |_| Vec::new() },
        validators: if args.validate { validators::identity() } else { String::new() },
        color: false,
        verbose: args.program.verbose,
        dump_after: args.program.dump_after.clone(),
        jobs: args.jobs,
        prunes: true,
        outputs: OutputUse::Write,
        programs: Vec::new(),
        records: true,
        fails_fast: false,
        interrupted: interrupt::ask,
        cache: None,
        spare_code: false,
        elsewhere: None,
    })
}

/// The sidecars of the sources as their own compiler places parameters, by program. What cannot be compiled so has none.
fn as_sources(args: &PortArgs, manifest: &Path, directory: &PortDirectory) -> BTreeMap<String, Vec<Reflection>> {
    let choices = Choices { binding_policy: Some(Policy::DXC), profile: None, ..args.program.choices.clone() };
    let before = directory.before();
    let planned =
        planned(args, manifest).and_then(|plan| Ok((plan, order(args, &before, vec![Target::Hlsl], choices)?)));
    let Ok((plan, order)) = planned else { return BTreeMap::new() };
    let order = Order { validator: |_| Vec::new(), validators: String::new(), ..order };
    let Ok(built) = batch::build(&order, plan, None, &|| {}) else { return BTreeMap::new() };
    let mut sidecars: BTreeMap<String, Vec<Reflection>> = BTreeMap::new();
    for (job, report) in &built.reports {
        let of_job = report.outputs.iter().filter(|output| output.kind == OutputKind::Sidecar);
        let read = |name: &str| Reflection::read(&std::fs::read_to_string(before.join(name)).ok()?).ok();
        sidecars.insert(job.id(&built.base), of_job.filter_map(|output| read(&output.name)).collect());
    }
    sidecars
}

/// The files of a build that are merged, with their programs. `all` are those of a tree: its headers are of no program.
fn owners(built: &Built, all: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut owners: BTreeMap<String, String> = all.iter().map(|name| (name.clone(), String::new())).collect();
    for (job, report) in &built.reports {
        let outputs = report.outputs.iter().filter(|output| output.kind != OutputKind::Depfile);
        owners.extend(outputs.map(|output| (output.name.to_string(), job.id(&built.base))));
    }
    owners
}

/// What a port was asked for.
struct Asked {
    targets: Vec<Target>,
    cut: OutputCut,
    /// The manifest is one that a port has made.
    is_generated: bool,
}

/// Merges the outputs and the reports into the output directory. Gives whether there are conflicts.
fn write(
    directory: &PortDirectory,
    asked: Asked,
    before: &BTreeMap<String, String>,
    facts: &mut PortFacts,
    (built, of_tree): (&Built, &BTreeSet<String>),
    of_sources: &BTreeMap<String, Vec<Reflection>>,
) -> Result<bool, Finding> {
    let mut now = owners(built, of_tree);
    let has_failed = |report: &batch::Report| {
        report.fate.is_error() || report.is_skipped || report.counts.values().any(|[_, _, failed]| *failed > 0)
    };
    let reports = built.reports.iter().filter(|(_, report)| has_failed(report));
    let failed: BTreeSet<String> = reports.map(|(job, _)| job.id(&built.base)).collect();
    let is_output = |name: &&String| *name != FILE_NAME && !REPORTS.contains(&name.as_str());
    let known: BTreeSet<&String> = before.keys().filter(is_output).collect();
    let all: BTreeSet<&String> = known.iter().copied().chain(now.keys()).collect();
    let base = directory.written_before(known.iter().copied())?;
    let (mine, theirs) = (directory.there(all.iter().copied())?, directory.built(now.keys())?);
    // A header may be one of a program that has errors now.
    let is_of_failed = |program: &String| failed.contains(program) || program.is_empty() && !failed.is_empty();
    let of_failed = |name: &str| before.get(name).or(now.get(name)).is_some_and(is_of_failed);
    let mut steps = steps(&base, &mine, &theirs, &of_failed);
    facts.deeds.extend(steps.iter().filter_map(|(name, step)| Some((name.clone(), step.deed?))));
    let read = |name: &str| theirs.get(name).cloned();
    let blocks = report(built, facts, &read, of_sources);
    for (name, text) in REPORTS.into_iter().zip([markdown(&blocks), page(&blocks)]) {
        let name = name.to_owned();
        directory.add(&name, text.as_bytes())?;
        let base = directory.written_before(before.keys().filter(|known| **known == name))?;
        let mine = directory.there([&name])?;
        let ways = [&base, &mine].map(|files| files.get(&name).map(Vec::as_slice));
        let step =
            step(crate::batch::port::ThreeWays { base: ways[0], mine: ways[1], theirs: Some(text.as_bytes()) }, false);
        if step.deed.is_some_and(Deed::is_conflict) {
            facts.deeds.extend(step.deed.map(|deed| (name.clone(), deed)));
        }
        steps.insert(name, step);
    }
    let kept: Vec<&String> =
        known.into_iter().filter(|name| steps.get(*name).is_some_and(|step| step.base.is_none())).collect();
    for name in kept {
        now.entry(name.clone()).or_insert_with(|| before.get(name).cloned().unwrap_or_default());
    }
    now.extend(REPORTS.map(|name| (name.to_owned(), String::new())));
    if asked.is_generated {
        now.insert(FILE_NAME.to_owned(), String::new());
    }
    directory.apply(&steps)?;
    directory.keep(now, &asked.targets, asked.cut)?;
    Ok(facts.deeds.values().any(|deed| deed.is_conflict()))
}
