//! `cargo xtask bench`: shaderport against slangc in one run on one machine, as ratios.

mod farm;
mod identifiers;
mod scaling;

use crate::process;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The options of `cargo xtask bench`.
#[derive(clap::Args)]
pub struct Options {
    /// A tree of Slang files with `[shader]` attributes, for the second part.
    tree: Option<PathBuf>,
    /// How often each of the short commands runs.
    #[arg(long, default_value_t = 15)]
    repeat: usize,
    /// At most so many entry points of the tree for slangc, which is slow; it is compared per entry point.
    #[arg(long, default_value_t = 40)]
    sample: usize,
    /// Use this shaderport instead of building one.
    #[arg(long)]
    bin: Option<PathBuf>,
    /// Measure how the costs grow with the size of a program instead; with words, only of shapes whose names have them.
    #[arg(long, num_args = 0..=1, default_missing_value = "")]
    scaling: Option<String>,
    /// Count the names of the source that are in emitted texts instead, over a sample of the tree.
    #[arg(long, requires = "tree")]
    identifiers: bool,
    /// Measure a generated tree of so many files with ten variants each instead.
    #[arg(long, num_args = 0..=1, default_missing_value = "10000")]
    farm: Option<usize>,
    /// With `--scaling`: a size that takes longer than so many seconds is the last one.
    #[arg(long, default_value_t = 10.0)]
    limit: f64,
}

/// What running a command costs.
#[derive(Deserialize)]
struct Cost {
    /// The middle one of the runs.
    seconds: f64,
    /// User and system time of all its threads, on average: other work on the machine changes it less.
    cpu_seconds: f64,
    /// Peak resident memory of the largest run.
    kibibytes: i64,
    ok: bool,
}

fn cost_of(repeat: usize, command: &[String], directory: &Path) -> Result<Cost, String> {
    let mut measure = Command::new(process::measure()?);
    measure.arg(repeat.to_string()).args(command).current_dir(directory);
    let output = measure.output().map_err(|e| e.to_string())?;
    serde_json::from_slice(&output.stdout).map_err(|e| format!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| w.to_string()).collect()
}

const SMALL: &str = "float4 tint;\n\
    [shader(\"fragment\")]\n\
    float4 main(float2 uv : TEXCOORD0) : SV_Target { return tint * float4(uv, 0, 1); }\n";

/// A hidden command, run in a release build: the library without process start and start-up.
#[derive(clap::Args)]
pub struct InProcessOptions {
    #[arg(long, default_value_t = 15)]
    repeat: usize,
    tree: Option<PathBuf>,
}

pub fn in_process(options: &InProcessOptions) -> Result<bool, String> {
    use shaderport::MemoryLoader;
    let loader = MemoryLoader::new().with("small.slang", SMALL);
    for target in [shaderport::Target::Hlsl, shaderport::Target::Glsl, shaderport::Target::Wgsl] {
        let compile_options = shaderport::Options::for_target(target);
        let mut times = Vec::new();
        for _ in 0..options.repeat.max(2) {
            let started = Instant::now();
            let output = shaderport::compile(&loader, &["small.slang"], &compile_options);
            times.push(1e3 * started.elapsed().as_secs_f64());
            if output.has_errors() {
                return Err(output.render(false));
            }
        }
        let first = times.remove(0);
        times.sort_by(f64::total_cmp);
        println!("  {}: first {first:.2} ms, then {:.2} ms", target.name(), times[times.len() / 2]);
    }
    if let Some(tree) = &options.tree {
        in_process_tree(tree)?;
    }
    Ok(true)
}

/// Each file of a tree for all targets, one after the other on one thread, nothing written.
fn in_process_tree(tree: &Path) -> Result<(), String> {
    let entries = crate::conformance::attributed_entries(tree)?;
    let mut files: Vec<&PathBuf> = entries.iter().map(|(file, ..)| file).collect();
    files.dedup();
    for target in [shaderport::Target::Hlsl, shaderport::Target::Glsl, shaderport::Target::Wgsl] {
        let compile_options = shaderport::Options::for_target(target);
        let started = Instant::now();
        for file in &files {
            let path = tree.join(file);
            let loader = shaderport::FileLoader::new([tree]).root(path.parent().unwrap_or(tree));
            shaderport::compile(&loader, &[&path.to_string_lossy()], &compile_options);
        }
        let each = 1e3 * started.elapsed().as_secs_f64() / entries.len().max(1) as f64;
        println!("  {}: {each:.2} ms per entry point of {}", target.name(), tree.display());
    }
    Ok(())
}

/// This program again, in a release build: what cargo runs as xtask is not optimized.
fn in_release(options: &Options) -> Result<bool, String> {
    println!("\nin-process, one thread");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--release", "--quiet", "--package", "xtask", "--", "measure-in-process"]);
    command.args(["--repeat", &options.repeat.to_string()]).args(&options.tree);
    command.status().map(|s| s.success()).map_err(|e| e.to_string())
}

pub fn run(options: &Options) -> Result<bool, String> {
    let ours = process::shaderport(options.bin.as_deref())?;
    if let Some(words) = &options.scaling {
        return scaling::run(&ours, words, options.limit);
    }
    if let Some(files) = options.farm {
        return farm::run(&ours, files);
    }
    let peer = process::find("slangc");
    if peer.is_none() {
        println!("slangc is not installed (cargo xtask peers): only shaderport is measured");
    }
    if let (true, Some(tree)) = (options.identifiers, &options.tree) {
        return identifiers::run(options, &ours, peer.as_deref(), tree);
    }
    let mut good = small(options, &ours, peer.as_deref())?;
    if let Some(tree) = &options.tree {
        good &= whole_tree(options, &ours, peer.as_deref(), tree)?;
    }
    Ok(in_release(options)? && good)
}

/// A three-line shader, whole process.
fn small(options: &Options, ours: &Path, peer: Option<&Path>) -> Result<bool, String> {
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    std::fs::write(directory.path().join("small.slang"), SMALL).map_err(|e| e.to_string())?;
    println!("3-line shader, whole process, median of {}", options.repeat);
    let mut good = true;
    for target in ["hlsl", "glsl", "wgsl"] {
        let program = ours.to_string_lossy();
        let command = strings(&[
            &program,
            "compile",
            "small.slang",
            "--target",
            target,
            "--entry",
            "main:fragment",
            "-o",
            "ours.txt",
        ]);
        let mine = cost_of(options.repeat, &command, directory.path())?;
        good &= mine.ok;
        let theirs = match peer {
            None => None,
            Some(peer) => {
                let program = peer.to_string_lossy();
                let command = strings(&[
                    &program,
                    "small.slang",
                    "-target",
                    target,
                    "-entry",
                    "main",
                    "-stage",
                    "fragment",
                    "-o",
                    "peer.txt",
                ]);
                Some(cost_of(options.repeat, &command, directory.path())?)
            }
        };
        print_line(target, &mine, 1, theirs.as_ref().map(|c| (c, 1)));
    }
    Ok(good)
}

/// A tree for all targets in one process, against one process an entry point and target, which is how slangc is used.
fn whole_tree(options: &Options, ours: &Path, peer: Option<&Path>, tree: &Path) -> Result<bool, String> {
    let tree = tree.canonicalize().map_err(|e| format!("{}: {e}", tree.display()))?;
    let entries = crate::conformance::attributed_entries(&tree)?;
    let out = tempfile::tempdir().map_err(|e| e.to_string())?;
    println!("\n{}: {} entry points, per entry point", tree.display(), entries.len());
    let mut good = true;
    for target in ["hlsl", "glsl", "wgsl"] {
        let (program, to) = (ours.to_string_lossy(), out.path().join(target));
        let command =
            strings(&[&program, "build", &tree.to_string_lossy(), "--target", target, "--out", &to.to_string_lossy()]);
        let mine = cost_of(1, &command, &tree)?;
        let written = walkdir::WalkDir::new(&to).into_iter().flatten().filter(|f| f.file_type().is_file()).count();
        good &= written > 0;
        let theirs = match peer {
            Some(peer) => Some(peer_over(peer, &tree, &entries, target, options.sample, out.path())?),
            None => None,
        };
        print_line(target, &mine, entries.len(), theirs.as_ref().map(|(c, n)| (c, *n)));
    }
    Ok(good)
}

/// slangc over evenly spread entry points.
fn peer_over(
    peer: &Path,
    tree: &Path,
    entries: &[(PathBuf, String, &'static str)],
    target: &str,
    sample: usize,
    out: &Path,
) -> Result<(Cost, usize), String> {
    let step = entries.len().div_ceil(sample.max(1)).max(1);
    let mut total = Cost { seconds: 0.0, cpu_seconds: 0.0, kibibytes: 0, ok: true };
    let mut count = 0;
    for (file, entry, stage) in entries.iter().step_by(step) {
        let (program, file, to) = (peer.to_string_lossy(), file.to_string_lossy(), out.join("peer.txt"));
        let command = strings(&[
            &program,
            &file,
            "-target",
            target,
            "-entry",
            entry,
            "-stage",
            stage,
            "-o",
            &to.to_string_lossy(),
        ]);
        let cost = cost_of(1, &command, tree)?;
        total.seconds += cost.seconds;
        total.cpu_seconds += cost.cpu_seconds;
        total.kibibytes = total.kibibytes.max(cost.kibibytes);
        count += 1;
    }
    Ok((total, count))
}

fn print_line(target: &str, ours: &Cost, our_count: usize, theirs: Option<(&Cost, usize)>) {
    let each = |cost: &Cost, count: usize| 1000.0 * cost.seconds / count.max(1) as f64;
    let mebibytes = |cost: &Cost| cost.kibibytes as f64 / 1024.0;
    let mine = each(ours, our_count);
    print!("  {target}: shaderport {mine:.2} ms, {:.1} MiB", mebibytes(ours));
    if let Some((cost, count)) = theirs {
        let peer = each(cost, count);
        print!("; slangc {peer:.2} ms, {:.1} MiB", mebibytes(cost));
        print!("; {:.1}x faster, {:.1}x less memory", peer / mine, mebibytes(cost) / mebibytes(ours));
    }
    println!("{}", if ours.ok { "" } else { "  (shaderport reported errors)" });
}
