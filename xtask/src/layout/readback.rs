//! Generated programs: where DXC, glslang and naga find the data of buffers in our texts, beside our sidecars.

use super::fuzz::seeds;
use super::measured::{Buffers, Comparison, compare, of_dxc, of_spirv, of_wgsl};
use super::oracle::Oracle;
use super::slots::{self, Slots};
use crate::process;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use shaderport::internals::options::Choices;
use shaderport::reflection::Reflection;
use shaderport::{Artifact, BufferLayout, FileLoader, Options, Output, Policy, Stage, Target, compile};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The options of `cargo xtask layout-readback`.
#[derive(clap::Args)]
pub struct ReadbackOptions {
    /// The layout directory, with `oracle.py` and `gen.py`.
    directory: Option<PathBuf>,
    /// The programs of this tree rather than generated ones.
    #[arg(long)]
    tree: Option<PathBuf>,
    /// Seeds, the last one excluded.
    #[arg(long, value_parser = seeds, default_value = "0..100")]
    seeds: Range<u64>,
    /// Modes of the generator.
    #[arg(long, value_delimiter = ',', default_value = "hlsl,slang")]
    mode: Vec<String>,
    /// Layouts of buffers.
    #[arg(long, value_delimiter = ',', default_value = "native,d3d")]
    buffer_layout: Vec<BufferLayout>,
    /// The binding policy.
    #[arg(long, default_value = "spec")]
    binding_policy: Policy,
    /// How many differences are printed.
    #[arg(long, default_value_t = 40)]
    show: usize,
}

/// What the generator says of a program.
#[derive(Deserialize)]
struct Manifest {
    files: Vec<String>,
    entries: Vec<Entry>,
    targets: Vec<String>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    stage: String,
}

/// What came of some programs.
#[derive(Default)]
struct Tally {
    /// Programs and targets that were compared.
    compared: usize,
    rows: usize,
    /// We stop with an error: not judged here.
    refused: usize,
    /// A tool does not take our text.
    unread: usize,
    differing: usize,
    lines: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.compared += other.compared;
        self.rows += other.rows;
        self.refused += other.refused;
        self.unread += other.unread;
        self.differing += other.differing;
        self.lines.extend(other.lines);
    }
}

/// Compares what other tools read with what the sidecar says.
pub fn readback(options: &ReadbackOptions) -> Result<bool, String> {
    let tallies = match &options.tree {
        Some(tree) => of_tree(options, tree)?,
        None => of_seeds(options)?,
    };
    let mut total = Tally::default();
    tallies.into_iter().for_each(|t| total.add(t));
    total.lines.iter().take(options.show).for_each(|line| println!("{line}"));
    println!(
        "{} texts compared, {} rows, {} differing; {} not compiled by us, {} not read by a tool",
        total.compared, total.rows, total.differing, total.refused, total.unread
    );
    Ok(total.differing == 0 && total.unread == 0)
}

fn of_seeds(options: &ReadbackOptions) -> Result<Vec<Tally>, String> {
    let oracle = Oracle::find(options.directory.as_deref())?;
    let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
    let programs: Vec<(&str, u64)> =
        options.mode.iter().flat_map(|mode| options.seeds.clone().map(move |seed| (mode.as_str(), seed))).collect();
    let place = |mode: &str, seed: u64| scratch.path().join(format!("{mode}-{seed}"));
    let requests: Vec<Value> = programs
        .iter()
        .map(|(mode, seed)| json!({ "op": "generate", "seed": seed, "mode": mode, "out": place(mode, *seed), "targets": null }))
        .collect();
    let manifests: Result<Vec<Value>, String> = oracle.ask(&requests)?.into_iter().collect();
    let jobs: Vec<((&str, u64), Value)> = programs.into_iter().zip(manifests?).collect();
    let tallies: Vec<Tally> = jobs
        .into_par_iter()
        .map(|((mode, seed), manifest)| {
            let head = format!("{mode}-{seed}");
            let mut tally = Tally::default();
            match serde_json::from_value(manifest) {
                Ok(manifest) => one(options, &place(mode, seed), &manifest, &head, &mut tally),
                Err(e) => tally.lines.push(format!("{head}: {e}")),
            }
            tally
        })
        .collect();
    Ok(tallies)
}

fn one(options: &ReadbackOptions, directory: &Path, manifest: &Manifest, head: &str, tally: &mut Tally) {
    let files: Vec<String> = manifest.files.iter().map(|f| directory.join(f).to_string_lossy().into_owned()).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let entries =
        manifest.entries.iter().map(|e| shaderport::internals::options::entry(&format!("{}:{}", e.name, e.stage)));
    let entries: Vec<_> = entries.filter_map(Result::ok).collect();
    for target in manifest.targets.iter().filter_map(|t| Target::parse(t)) {
        for layout in &options.buffer_layout {
            let mut options = Options::for_target(target).binding_policy(options.binding_policy).buffer_layout(*layout);
            options.entries = entries.clone();
            let head = format!("{head} {} {layout:?}", target.name());
            examine(&compile(&FileLoader::new([directory]), &files, &options), &head, tally);
        }
    }
}

/// Compares the texts of one program and target.
fn examine(output: &Output, head: &str, tally: &mut Tally) {
    let Some((_, reflection)) = output.reflections.first().filter(|_| !output.has_errors()) else {
        tally.refused += 1;
        let text = output.render(false);
        let first = text.lines().find(|l| l.contains("error")).unwrap_or_default();
        tally.lines.push(format!("{head}: we stop: {first}"));
        return;
    };
    let mut found = Comparison::default();
    for artifact in &output.artifacts {
        match read(artifact, &output.entries) {
            Ok(read) => compare_read(reflection, &read, &mut found),
            Err(reason) => {
                tally.unread += 1;
                tally.lines.push(format!("{head}: not read: {reason}"));
            }
        }
    }
    tally.compared += 1;
    tally.rows += found.rows;
    tally.differing += found.differences.len();
    let lines = found.differences.iter().take(4).map(|d| format!("\n    {d}")).collect::<Vec<_>>();
    if !lines.is_empty() {
        tally.lines.push(format!("{head}:{}", lines.concat()));
    }
}

/// The programs of a tree, as `shaderport build` finds them.
fn of_tree(options: &ReadbackOptions, tree: &Path) -> Result<Vec<Tally>, String> {
    let plan = shaderport::internals::batch::plan(tree, true, Path::new("out"))
        .map_err(|fault| fault.message(false).rendered)?;
    let work = plan.jobs.iter().flat_map(|job| job.settings.targets(&[]).into_iter().map(move |t| (job, t)));
    let work: Vec<(&shaderport::internals::batch::Job, Target)> = work.collect();
    let one = |(job, target): (&shaderport::internals::batch::Job, Target)| {
        let mut tally = Tally::default();
        for layout in &options.buffer_layout {
            let loader = FileLoader::new(&job.settings.include)
                .root(job.path().parent().unwrap_or(Path::new(".")))
                .root(if tree.is_dir() { tree } else { Path::new(".") });
            let mut options = Options::for_target(target);
            job.settings.apply(&Choices::default(), &mut options);
            options.buffer_layout = *layout;
            let output = compile(&loader, &[job.path().to_string_lossy().as_ref()], &options);
            if !output.entries.is_empty() {
                examine(&output, &format!("{} {} {layout:?}", job.stem, target.name()), &mut tally);
            }
        }
        tally
    };
    Ok(work.into_par_iter().map(one).collect())
}

/// The rows of a text in which a tool and the sidecar agree; the first difference is an error.
pub(super) fn compare_text(
    artifact: &Artifact,
    entries: &[(shaderport::Symbol, Stage)],
    reflection: &Reflection,
) -> Result<usize, String> {
    let mut found = Comparison::default();
    compare_read(reflection, &read(artifact, entries)?, &mut found);
    match found.differences.first() {
        Some(difference) => Err(format!("{difference}\n{}", artifact.text())),
        None => Ok(found.rows),
    }
}

/// Each text has what its entry point uses.
fn compare_read(reflection: &Reflection, read: &Read, to: &mut Comparison) {
    compare(&reflection.memory, &read.buffers, false, to);
    read.slots.iter().for_each(|(entry, s)| slots::compare(reflection, entry, s, to));
}

/// What a tool found in a text.
#[derive(Default)]
struct Read {
    buffers: Buffers,
    /// By entry point.
    slots: Vec<(String, Slots)>,
}

/// Reads a text with the tool for its language.
fn read(artifact: &Artifact, entries: &[(shaderport::Symbol, Stage)]) -> Result<Read, String> {
    let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
    let write = |name: &str| {
        let path = scratch.path().join(name);
        std::fs::write(&path, &artifact.bytes).map(|()| path).map_err(|e| e.to_string())
    };
    let run = |tool: &str, args: &[&str]| {
        let program = process::find(tool).ok_or(format!("{tool} is missing"))?;
        let ran = process::run(Command::new(program).args(args), Duration::from_secs(60))?;
        if ran.ok() { Ok(ran.stdout) } else { Err(ran.said().lines().take(3).collect::<Vec<_>>().join(" ")) }
    };
    let mut read = Read::default();
    match (artifact.target, artifact.entry) {
        (Target::Glsl, Some((name, stage))) => {
            let (text, words) = (write("text.glsl")?, scratch.path().join("words.spv"));
            let stage = shaderport::internals::batch::glsl_extension(stage);
            let (text, out) = (text.to_string_lossy(), words.to_string_lossy());
            run("glslangValidator", &["-V", "--target-env", "vulkan1.3", "-S", stage, "-o", &out, &text])?;
            let bytes = std::fs::read(&words).map_err(|e| e.to_string())?;
            let words = bytes.chunks_exact(4).filter_map(|w| w.try_into().ok().map(u32::from_le_bytes));
            let words = words.collect::<Vec<u32>>();
            read.buffers = of_spirv(&words);
            read.slots.push((name.to_string(), slots::of_spirv(&words)));
        }
        (Target::Hlsl, _) => {
            let text = write("text.hlsl")?;
            for (name, stage) in entries {
                let profile = format!("{}_6_6", shaderport::internals::batch::dxc_profile(*stage));
                let text = text.to_string_lossy();
                let listing =
                    run("dxc", &[&text, "-T", &profile, "-E", name.as_str(), "-HV", "2021", "-enable-16bit-types"])?;
                read.buffers.extend(of_dxc(&listing));
                read.slots.push((name.to_string(), slots::of_dxc(&listing)));
            }
        }
        _ => {
            read.buffers = of_wgsl(artifact.text())?;
            for (name, _) in entries {
                read.slots.push((name.to_string(), slots::of_wgsl(artifact.text(), name.as_str())?));
            }
        }
    }
    Ok(read)
}
