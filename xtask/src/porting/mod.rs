//! `cargo xtask porting DIR`: how much of the sources of a tree its outputs still have, so that people who know the sources find
//! their way in the outputs. What is measured, and how, is in `measure.rs`.

mod live;
mod measure;
mod names;
mod peer;
mod report;
mod token;
mod unit;

use measure::{Entry, Measured, measure};
use rayon::prelude::*;
use shaderport::internals::batch::manifest::FILE_NAME;
use shaderport::internals::batch::port::{OutputCut, TreeManifest};
use shaderport::internals::batch::{Finding, Job, Plan, glsl_extension, plan};
use shaderport::internals::options::Choices;
use shaderport::{Code, FileLoader, Options as Compile, Output, Target, compile};
use std::path::{Path, PathBuf};

/// The options of `cargo xtask porting`.
#[derive(clap::Args)]
pub struct Options {
    /// The shader tree. Without a manifest, its programs are those that `shaderport port` finds.
    tree: PathBuf,
    /// Targets.
    #[arg(long, value_delimiter = ',', default_value = "hlsl,glsl,wgsl")]
    target: Vec<String>,
    /// Only programs whose names contain this.
    #[arg(long)]
    filter: Option<String>,
    /// Print for each measure so many outputs that lose most, with what they lose.
    #[arg(long, default_value_t = 0)]
    worst: usize,
    /// Measure what slangc makes of the same entry points, too.
    #[arg(long)]
    peer: bool,
    /// A tree of the same shaders in GLSL, written by hand: `DIR/bloom/colorpass.frag` for `bloom/colorpass.frag.hlsl`.
    #[arg(long)]
    hand: Option<PathBuf>,
}

/// A measured output.
pub struct Row {
    pub target: Target,
    /// Program and entry point.
    pub label: String,
    pub ours: Measured,
    /// Of the peer: one text an entry point.
    pub peer: Vec<Measured>,
    /// Lines with code of the same shader written by hand.
    pub hand: Option<usize>,
}

/// Builds a tree and prints the table.
pub fn run(options: &Options) -> Result<bool, String> {
    let targets = options.target.iter().map(|name| target(name)).collect::<Result<Vec<_>, _>>()?;
    let plan = programs(&options.tree)?;
    let slangc = options.peer.then(peer::Slangc::find).transpose()?;
    let is_wanted = |job: &&Job| options.filter.as_ref().is_none_or(|part| job.name.contains(part.as_str()));
    let jobs: Vec<&Job> = plan.jobs.iter().filter(is_wanted).collect();
    let run = Run { options, targets, slangc };
    let results: Vec<Result<Vec<Row>, String>> = jobs.par_iter().map(|job| run.job(job)).collect();
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(found) => rows.extend(found),
            Err(message) => failed.push(message),
        }
    }
    // Most are files that others include.
    eprintln!("{} of {} programs are not measured, since they do not compile", failed.len(), jobs.len());
    failed.iter().filter(|_| options.worst > 0).for_each(|message| eprintln!("  {message}"));
    report::print(&rows, options.worst, options.peer);
    Ok(!rows.is_empty())
}

/// The programs of a tree: those of its manifest, else those that `shaderport port` finds.
fn programs(tree: &Path) -> Result<Plan, String> {
    let told = |fault: Finding| fault.message(false).rendered;
    let out = Path::new("out");
    let known = plan(tree, true, out);
    match known {
        Ok(plan) if plan.manifest.is_none() && tree.is_dir() => {}
        // A tree without usual endings of files may have a description that names its files.
        Err(fault) if fault.code() == Code::NO_SHADERS && tree.is_dir() => {}
        known => return known.map_err(told),
    }
    let made = TreeManifest::of(tree, out, &[], &[]).map_err(told)?;
    for (name, count) in &made.described.found {
        eprintln!("{name}: {count} commands");
    }
    let beside = tempfile::tempdir().map_err(|e| e.to_string())?;
    let manifest = beside.path().join(FILE_NAME);
    std::fs::write(&manifest, made.text_beside(beside.path(), tree, OutputCut::default()))
        .map_err(|e| e.to_string())?;
    plan(&manifest, true, out).map_err(told)
}

fn target(name: &str) -> Result<Target, String> {
    let texts = [Target::Hlsl, Target::Glsl, Target::Wgsl];
    texts.into_iter().find(|target| target.name() == name).ok_or_else(|| format!("no text target `{name}`"))
}

struct Run<'o> {
    options: &'o Options,
    targets: Vec<Target>,
    slangc: Option<peer::Slangc>,
}

impl Run<'_> {
    /// The outputs of a program in all of its variants.
    fn job(&self, job: &Job) -> Result<Vec<Row>, String> {
        let directory = if self.options.tree.is_dir() { self.options.tree.as_path() } else { Path::new(".") };
        let loader =
            FileLoader::new(&job.settings.include).root(job.path().parent().unwrap_or(Path::new("."))).root(directory);
        let variants = job.settings.variants(&[]).map_err(|fault| format!("{}: {}", job.name, fault.message))?;
        let mut rows = Vec::new();
        for variant in variants {
            let mut compiled = Compile::default();
            job.settings.apply(&Choices::default(), &mut compiled);
            compiled.targets = job.settings.targets(&self.targets);
            compiled.defines.extend(variant.iter().filter_map(|(name, value)| {
                // `false` leaves a macro undefined.
                value.clone().map(|value| (name.clone(), Some(value)))
            }));
            let files: Vec<String> = job.files.iter().map(|f| f.to_string_lossy().replace('\\', "/")).collect();
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            let output = compile(&loader, &files, &compiled);
            let errors = output.render(false);
            if output.artifacts.is_empty() && output.has_errors() {
                let first = errors.lines().find(|line| line.contains("error")).unwrap_or_default();
                return Err(format!("{}: {first}", job.name));
            }
            let sources = live::sources(&loader, &files, &output.dependencies, &compiled);
            rows.extend(self.outputs(job, &output, &compiled, &sources));
        }
        Ok(rows)
    }

    fn outputs(&self, job: &Job, output: &Output, compiled: &Compile, sources: &[live::Source]) -> Vec<Row> {
        let row =
            |artifact: &shaderport::Artifact| {
                let all = output.entries.iter().zip(&output.entry_files);
                let given: Vec<_> = all.filter(|(entry, _)| artifact.entry.is_none_or(|own| own == **entry)).collect();
                let entry = |of: &(shaderport::Symbol, shaderport::Stage), file: &shaderport::Symbol, made: &str| {
                    Entry { file: file.to_string(), name: of.0.to_string(), emitted: made.to_owned() }
                };
                let names: Vec<Entry> = given
                    .iter()
                    .zip(&artifact.emitted)
                    .map(|((of, file), (made, _))| entry(of, file, made.as_str()))
                    .collect();
                let text = artifact.text();
                let peer = self.slangc.as_ref().map_or_else(Vec::new, |slangc| {
                    let of_entry = |(of, file): &(&(shaderport::Symbol, shaderport::Stage), &shaderport::Symbol)| {
                        let made = slangc.text(job, compiled, artifact.target, of.0.as_str(), of.1)?;
                        let entries = ["main", of.0.as_str()].map(|made| entry(of, file, made));
                        Some(measure(sources, &made, &entries, true))
                    };
                    given.iter().filter_map(of_entry).collect()
                });
                let hand = artifact.entry.filter(|_| artifact.target == Target::Glsl).and_then(|(_, stage)| {
                    let text = self.by_hand(job, glsl_extension(stage))?;
                    Some(measure::code_lines(&token::tokens(&text)))
                });
                let entry = artifact.entry.map_or_else(String::new, |(name, _)| format!(" {name}"));
                let label = format!("{}{entry}", job.name);
                Row { target: artifact.target, label, ours: measure(sources, text, &names, false), peer, hand }
            };
        output.artifacts.iter().map(row).collect()
    }

    /// The text of the same shader that was written by hand.
    fn by_hand(&self, job: &Job, extension: &str) -> Option<String> {
        let directory = self.options.hand.as_ref()?;
        let stem = job.stem.trim_end_matches(&format!(".{extension}"));
        std::fs::read_to_string(directory.join(format!("{stem}.{extension}"))).ok()
    }
}
