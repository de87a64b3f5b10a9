//! `shaderport build`: a tree in, a tree of outputs with sidecars out.

use super::Outcome;
use super::lock::{self, LockArgs};
use super::options::ProgramArgs;
use crate::batch::parts::{self, parts};
use crate::batch::{Job, Loaders, LockFile, Plan, Written, clashes, file_name, plan, validators, write_if_changed};
use crate::compile::{self, Artifact, Output, Target};
use crate::diagnostic::Code;
use crate::layout::lock::ProgramLock;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

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
    /// Check what was emitted: naga in process, and DXC, glslang, spirv-val, tint where found.
    #[arg(long)]
    validate: bool,
    /// Write a Make-style dependency file beside each output.
    #[arg(long)]
    depfiles: bool,
    /// Threads; the default is one a core.
    #[arg(short, long)]
    jobs: Option<usize>,
}

/// What became of one program.
#[derive(Default)]
struct Report {
    /// Diagnostics and other lines, as text.
    text: String,
    outcome: Option<Outcome>,
    /// The file has no entry points: a module or include.
    library: bool,
    /// Per target: written, unchanged, failed.
    counts: BTreeMap<Target, [usize; 3]>,
    /// What a lock records of it from now on.
    records: Option<ProgramLock>,
    /// It has errors, and no entry points.
    is_broken: bool,
    /// The files that it was read from.
    dependencies: Vec<String>,
}

/// `shaderport build`.
pub fn build(args: &BuildArgs) -> Outcome {
    let Plan { mut jobs, bindings_lock, base, .. } = match plan(&args.tree, !args.program.no_manifest) {
        Ok(plan) => plan,
        Err((code, message)) => {
            eprintln!("error[{code}]: {message}");
            return if code == Code::BAD_OPTION { Outcome::Usage } else { Outcome::InputErrors };
        }
    };
    let clashes = clashes(&jobs);
    for (stem, files) in &clashes {
        let files: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
        eprintln!("error[{}]: {} would write the same output `{stem}`", Code::OUTPUT_CLASH, files.join(" and "));
    }
    // None of those is written; the rest is.
    jobs.retain(|job| !clashes.iter().any(|(stem, _)| *stem == job.stem));
    if let Err(e) = std::fs::create_dir_all(&args.out) {
        eprintln!("error[{}]: cannot write to {}: {e}", Code::OUTPUT, args.out.display());
        return Outcome::InputErrors;
    }
    if args.validate {
        validators::missing().iter().for_each(|line| eprintln!("note: {line}"));
    }
    let mut lock = match args.lock.open(bindings_lock.as_deref()) {
        Ok(lock) => lock,
        Err(outcome) => return outcome,
    };
    let mut reports = run(args, &jobs, &base, lock.as_ref());
    leave_out_parts(&jobs, &mut reports);
    for (job, report) in jobs.iter().zip(&reports) {
        eprint!("{}", report.text);
        if let Some(lock) = &mut lock {
            lock.update(std::slice::from_ref(&job.path), true, report.records.clone());
        }
    }
    summary(&reports);
    lock.iter().flat_map(LockFile::gone).for_each(|warning| eprint!("{warning}"));
    let saved = lock::save(lock);
    let start = if clashes.is_empty() { saved } else { Outcome::InputErrors };
    reports.iter().filter_map(|r| r.outcome).fold(start, Outcome::and)
}

/// Takes broken sources that programs include for libraries.
fn leave_out_parts(jobs: &[Job], reports: &mut [Report]) {
    let known = jobs.iter().zip(&*reports).map(|(job, report)| parts::Compiled {
        path: &job.path,
        is_broken: report.is_broken,
        dependencies: &report.dependencies,
    });
    let are_parts = parts(&known.collect::<Vec<_>>());
    for (report, is_part) in reports.iter_mut().zip(are_parts) {
        if is_part {
            *report = Report { library: true, ..Report::default() };
        }
    }
}

/// Compiles all programs; the reports are in the order of the jobs whatever the threads do.
fn run(args: &BuildArgs, jobs: &[Job], base: &Path, lock: Option<&LockFile>) -> Vec<Report> {
    let loaders = Loaders::new(&args.tree, base).allow_anywhere(args.program.allow_outside_roots);
    let loaders = loaders.in_any_case(args.program.includes_in_any_case);
    let bar = progress(jobs.len());
    let work = || {
        let one = |job: &Job| {
            let report = build_one(args, job, lock, &loaders);
            bar.inc(1);
            report
        };
        jobs.par_iter().map(one).collect()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs.unwrap_or(0)).stack_size(compile::STACK_BYTES);
    let reports = match pool.build() {
        Ok(pool) => pool.install(work),
        Err(e) => {
            let text = format!("error[{}]: there are no threads to compile on: {e}\n", Code::INTERNAL);
            vec![Report { text, outcome: Some(Outcome::Internal), ..Report::default() }]
        }
    };
    bar.finish_and_clear();
    reports
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

fn build_one(args: &BuildArgs, job: &Job, lock: Option<&LockFile>, loaders: &Loaders) -> Report {
    let targets = job.settings.targets(&args.target);
    let (loader, shared) = loaders.get(args.program.include.iter().chain(&job.settings.include));
    let mut options = args.program.options(targets.clone());
    job.settings.apply(&args.program.choices, &mut options);
    options.shared = Some(shared);
    options.lock = lock.map(|l| l.input(std::slice::from_ref(&job.path), true));
    let source = job.path.to_string_lossy().replace('\\', "/");
    let output = compile::compile_on_this_thread(loader.as_ref(), &[&source], &options);
    let mut report = Report { text: output.render(std::io::stderr().is_terminal()), ..Report::default() };
    for line in output.inferred.iter().filter(|_| args.program.verbose) {
        report.text.push_str(&format!("note: {line}\n"));
    }
    if output.entries.is_empty() && !output.has_errors() {
        report.library = true;
        return report;
    }
    report.is_broken = options.skip_libraries && output.entries.is_empty();
    report.dependencies.clone_from(&output.dependencies);
    report.outcome = Some(super::outcome(&output));
    report.records = output.records.clone().filter(|_| !output.has_errors());
    for target in targets {
        write_target(args, job, &output, target, &mut report);
    }
    report
}

/// Writes the texts and the sidecar of one target; a refused text is not written.
fn write_target(args: &BuildArgs, job: &Job, output: &Output, target: Target, report: &mut Report) {
    let base = args.out.join(target.name());
    let artifacts: Vec<&Artifact> = output.artifacts.iter().filter(|a| a.target == target).collect();
    if artifacts.is_empty() {
        report.counts.entry(target).or_default()[2] += 1;
        return;
    }
    if args.validate {
        let complaints: Vec<String> = artifacts.iter().flat_map(|a| validators::validate(a, &output.entries)).collect();
        for complaint in &complaints {
            report.text.push_str(&format!("error[{}]: {}: {complaint}\n", Code::VALIDATION, job.path.display()));
        }
        if !complaints.is_empty() {
            report.outcome = Some(Outcome::InputErrors);
            report.counts.entry(target).or_default()[2] += 1;
            return;
        }
    }
    let mut files: Vec<(PathBuf, Vec<u8>)> =
        artifacts.iter().map(|a| (base.join(file_name(&job.stem, a)), a.bytes.clone())).collect();
    if args.depfiles {
        let outputs: Vec<String> = files.iter().map(|(path, _)| escape(&path.to_string_lossy())).collect();
        let inputs: Vec<String> = output.dependencies.iter().map(|d| escape(d)).collect();
        let text = format!("{}: {}\n", outputs.join(" "), inputs.join(" "));
        files.push((base.join(format!("{}.d", job.stem)), text.into_bytes()));
    }
    if let Some((_, reflection)) = output.reflections.iter().find(|(t, _)| *t == target) {
        files.push((base.join(format!("{}.json", job.stem)), reflection.to_json().into_bytes()));
    }
    for (path, bytes) in files {
        match write_if_changed(&path, &bytes) {
            Ok(Written::New) => report.counts.entry(target).or_default()[0] += 1,
            Ok(Written::Unchanged) => report.counts.entry(target).or_default()[1] += 1,
            Err(e) => {
                report.text.push_str(&format!("error[{}]: cannot write {}: {e}\n", Code::OUTPUT, path.display()));
                report.outcome = Some(Outcome::InputErrors);
                report.counts.entry(target).or_default()[2] += 1;
            }
        }
    }
}

/// Escapes spaces for Make.
fn escape(path: &str) -> String {
    path.replace(' ', "\\ ")
}

fn summary(reports: &[Report]) {
    let libraries = reports.iter().filter(|r| r.library).count();
    let mut totals: BTreeMap<Target, [usize; 3]> = BTreeMap::new();
    for (target, counts) in reports.iter().flat_map(|r| &r.counts) {
        let total = totals.entry(*target).or_default();
        total.iter_mut().zip(counts).for_each(|(t, c)| *t += c);
    }
    println!("{} programs, {libraries} files without entry points", reports.len() - libraries);
    println!("{:8} {:>8} {:>10} {:>7}", "target", "written", "unchanged", "failed");
    for (target, [written, unchanged, failed]) in totals {
        println!("{:8} {written:>8} {unchanged:>10} {failed:>7}", target.name());
    }
}
