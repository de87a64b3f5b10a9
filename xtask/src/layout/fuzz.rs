//! Generated programs, or those of a tree: our sidecars beside what slangc and DXC say of the same sources.

use super::oracle::Oracle;
use super::peer_options::{Job, sidecar};
use super::rows::{Detail, differences};
use super::tree;
use crate::process;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shaderport::{FileLoader, Policy, Target};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The options of `cargo xtask layout-fuzz`.
#[derive(clap::Args)]
pub struct FuzzOptions {
    /// The layout directory, with `oracle.py` and `gen.py`.
    directory: Option<PathBuf>,
    /// Seeds, the last one excluded.
    #[arg(long, value_parser = seeds, default_value = "0..100")]
    seeds: Range<u64>,
    /// Modes of the generator.
    #[arg(long, value_delimiter = ',', default_value = "slang,multi,hlsl,varying")]
    mode: Vec<String>,
    /// Columns: hlsl, glsl and wgsl for slangc, dxc.
    #[arg(long, value_delimiter = ',', default_value = "hlsl,glsl,wgsl,dxc")]
    target: Vec<String>,
    /// How many differences are printed.
    #[arg(long, default_value_t = 40)]
    show: usize,
    /// Keep the programs here.
    #[arg(long)]
    out: Option<PathBuf>,
    /// The programs of this tree rather than generated ones.
    #[arg(long)]
    tree: Option<PathBuf>,
    /// Directories of included files in the tree.
    #[arg(long, short = 'I')]
    include: Vec<PathBuf>,
}

pub(super) fn seeds(text: &str) -> Result<Range<u64>, String> {
    let number = |s: &str| s.parse::<u64>().map_err(|e| format!("{s}: {e}"));
    match text.split_once("..") {
        Some((first, last)) => Ok(number(first)?..number(last)?),
        None => number(text).map(|n| n..n + 1),
    }
}

/// What the generator says of a program.
#[derive(Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) files: Vec<String>,
    pub(super) entries: Vec<Entry>,
    pub(super) targets: Vec<String>,
    pub(super) options: BTreeMap<String, Vec<String>>,
    pub(super) dxc: Option<Dxc>,
    #[serde(default)]
    pub(super) include: Vec<PathBuf>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) stage: String,
    pub(super) file: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Dxc {
    pub(super) profile: String,
    pub(super) options: Vec<String>,
}

/// A program in a directory of its own, which has the manifest.
type Program = (PathBuf, Manifest);

/// One program and column.
struct Run {
    directory: PathBuf,
    target: String,
    peer: Value,
    ours: Result<String, String>,
}

/// What came of many.
#[derive(Default)]
struct Tally {
    compared: usize,
    rows: usize,
    /// The peer stops with an error.
    refused: usize,
    /// Lines to print, for each program and column.
    failures: Vec<String>,
    differing: usize,
}

/// How many programs one call of the oracle makes.
const CHUNK: usize = 20;

/// Compares generated programs.
pub fn fuzz(options: &FuzzOptions) -> Result<bool, String> {
    let oracle = Oracle::find(options.directory.as_deref())?;
    for (tool, columns) in [("slangc", ["hlsl", "glsl", "wgsl"].as_slice()), ("dxc", &["dxc"])] {
        if process::find(tool).is_none() && options.target.iter().any(|t| columns.contains(&t.as_str())) {
            return Err(format!("{tool} is missing; `cargo xtask peers` installs it"));
        }
    }
    let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
    let root = options.out.clone().unwrap_or_else(|| scratch.path().to_path_buf());
    let (count, tallies) = match &options.tree {
        Some(tree) => {
            let programs = tree::programs(tree, &options.include, &root, &options.target)?;
            let one = |chunk: &[Program]| compare(&oracle, options, chunk);
            (programs.len(), programs.par_chunks(CHUNK).map(one).collect::<Result<Vec<Tally>, String>>()?)
        }
        None => {
            let seeds = |mode: &String| options.seeds.clone().map(|seed| (mode.clone(), seed)).collect::<Vec<_>>();
            let programs: Vec<(String, u64)> = options.mode.iter().flat_map(seeds).collect();
            let one = |chunk: &[(String, u64)]| compare(&oracle, options, &generate(&oracle, &root, chunk)?);
            (programs.len(), programs.par_chunks(CHUNK).map(one).collect::<Result<Vec<Tally>, String>>()?)
        }
    };
    let mut total = Tally::default();
    for tally in tallies {
        total.compared += tally.compared;
        total.rows += tally.rows;
        total.refused += tally.refused;
        total.differing += tally.differing;
        total.failures.extend(tally.failures);
    }
    total.failures.iter().take(options.show).for_each(|line| println!("{line}"));
    println!(
        "{} programs, {} compared with a peer, {} refused by the peer, {} rows, {} differing, {} programs and columns with differences",
        count,
        total.compared,
        total.refused,
        total.rows,
        total.differing,
        total.failures.len()
    );
    Ok(total.failures.is_empty())
}

fn generate(oracle: &Oracle, root: &Path, chunk: &[(String, u64)]) -> Result<Vec<Program>, String> {
    let place = |mode: &str, seed: u64| root.join(format!("{mode}-{seed}"));
    let generate = |(mode, seed): &(String, u64)| json!({ "op": "generate", "seed": seed, "mode": mode, "out": place(mode, *seed), "targets": null });
    let requests: Vec<Value> = chunk.iter().map(generate).collect();
    let manifests = oracle.ask(&requests)?.into_iter().zip(chunk).map(|(manifest, (mode, seed))| {
        let manifest: Manifest = serde_json::from_value(manifest?).map_err(|e| e.to_string())?;
        Ok((place(mode, *seed), manifest))
    });
    manifests.collect()
}

fn compare(oracle: &Oracle, options: &FuzzOptions, programs: &[Program]) -> Result<Tally, String> {
    let mut columns = Vec::new();
    for (directory, manifest) in programs {
        let targets = manifest.targets.iter().map(String::as_str).chain(manifest.dxc.is_some().then_some("dxc"));
        for target in targets.filter(|t| options.target.iter().any(|wanted| wanted == t)) {
            columns.push((directory.clone(), target.to_owned(), sidecar_of(directory, manifest, target)));
        }
    }
    let mut requests = Vec::new();
    for (directory, target, ours) in &columns {
        let manifest = directory.join("manifest.json");
        requests.push(match target.as_str() {
            "dxc" => json!({ "op": "dxc", "manifest": manifest }),
            _ => json!({ "op": "slang", "manifest": manifest, "target": target }),
        });
        let path = directory.join(format!("{target}.sidecar.json"));
        std::fs::write(&path, ours.as_deref().unwrap_or("{}")).map_err(|e| e.to_string())?;
        requests.push(json!({ "op": "reduce", "json": path, "target": target }));
    }
    let answers = oracle.ask(&requests)?;
    let mut tally = Tally::default();
    for ((directory, target, ours), answers) in columns.into_iter().zip(answers.chunks(2)) {
        let [peer, rows] = answers else { continue };
        let run = Run { directory, target, peer: peer.clone()?, ours };
        judge(&run, rows, &mut tally);
    }
    Ok(tally)
}

fn sidecar_of(directory: &Path, manifest: &Manifest, target: &str) -> Result<String, String> {
    let dxc = manifest.dxc.as_ref().filter(|_| target == "dxc");
    let slang_options = || manifest.options.get(target).cloned().unwrap_or_default();
    let included = manifest.include.iter().map(PathBuf::as_path).chain([directory]);
    let beside = manifest.files.first().and_then(|file| Path::new(file).parent()).unwrap_or(directory);
    let job = Job {
        loader: &FileLoader::new(included).root(if beside.is_absolute() { beside } else { directory }),
        files: manifest.files.iter().map(|f| directory.join(f).to_string_lossy().into_owned()).collect(),
        entries: manifest.entries.iter().map(|e| format!("{}:{}", e.name, e.stage)).collect(),
        target: Target::parse(if target == "dxc" { "hlsl" } else { target }).ok_or(format!("no target {target}"))?,
        policy: if dxc.is_some() { Policy::DXC } else { Policy::SLANGC },
        options: dxc.map_or_else(slang_options, |d| d.options.clone()),
        profile: dxc.map(|d| d.profile.clone()),
    };
    Ok(sidecar(&job)?.to_json())
}

fn judge(run: &Run, rows: &Result<Value, String>, tally: &mut Tally) {
    if run.peer["status"] != "ok" {
        tally.refused += 1;
        return;
    }
    tally.compared += 1;
    let name = run.directory.file_name().unwrap_or_default().to_string_lossy();
    let head = format!("{name} {}", run.target);
    let theirs = run.peer["rows"].as_array().cloned().unwrap_or_default();
    tally.rows += theirs.len();
    let rows = match (&run.ours, rows) {
        (Err(message), _) => {
            let lines: Vec<&str> = message.lines().take(1).collect();
            tally.failures.push(format!("{head}: only we stop: {}", lines.join(" ")));
            return;
        }
        (_, Err(message)) => {
            tally.failures.push(format!("{head}: the oracle cannot read it: {message}"));
            return;
        }
        (Ok(_), Ok(rows)) => rows.as_array().cloned().unwrap_or_default(),
    };
    let detail = if run.target == "dxc" { Detail::Dxc } else { Detail::Full };
    let found = differences(&theirs, &rows, detail);
    tally.differing += found.len();
    if !found.is_empty() {
        let lines: Vec<String> = found.iter().take(6).map(|d| format!("\n    {d}")).collect();
        tally.failures.push(format!("{head}: {} rows{}", found.len(), lines.concat()));
    }
}
