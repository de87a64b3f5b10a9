//! `cargo xtask fuzz`: mutants of sources, compiled in process; every text that comes out is judged by DXC, glslang and
//! spirv-val, Tint and naga. Nothing may crash, hang, be refused by a judge or be an error without a place.

#[path = "../../../fuzz/bodies.rs"]
mod bodies;
mod bytes;
mod calls;
mod judge;
#[path = "../../../tests/legality.rs"]
#[allow(dead_code, reason = "not all of it is used here")]
pub mod legality;
mod mutate;
#[path = "../../../tests/page.rs"]
#[allow(dead_code, reason = "what a page expects is for the tests")]
mod page;
mod reduce;
mod report;
mod seeds;
mod text;
mod tolerated;
mod words;
mod worker;

use crate::process;
use judge::{Finding, Verdict};
use report::Tally;
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use worker::Line;

/// The options of `cargo xtask fuzz`.
#[derive(clap::Args)]
pub struct Options {
    /// Files and trees to begin with: shaders and pages of tests. By default the samples and the fixtures.
    seeds: Vec<PathBuf>,
    /// Files and trees to begin with besides.
    #[arg(long)]
    more: Vec<PathBuf>,
    /// The number of the run: the same mutants for the same number and seeds.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many mutants.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The first mutant.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// How many processes work at a time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// No mutant is begun after so many seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// Where findings are kept: a directory a class.
    #[arg(long, default_value = "target/fuzz")]
    out: PathBuf,
    /// Seconds that making the first finding of a class smaller may take; 0 for not at all.
    #[arg(long, default_value_t = 30)]
    reduce: u64,
    /// Mutate bytes for a target of `cargo-fuzz` instead: lexer, preprocessor, parser, pipeline, lock, manifest, sidecar.
    #[arg(long)]
    target: Option<String>,
    /// Print the source of one mutant.
    #[arg(long)]
    print: bool,
    /// Call builtins with arguments of all types instead: of one type first, then of several.
    #[arg(long)]
    calls: bool,
    /// Judge the seeds as they are, and print what is found.
    #[arg(long)]
    unchanged: bool,
    /// Make the mutant `--first` smaller that shows this class of finding.
    #[arg(long, hide = true)]
    class: Option<String>,
    /// Work here and print what comes of each mutant.
    #[arg(long, hide = true)]
    worker: bool,
}

/// How many mutants one process works on: enough that reading the seeds takes no time, and few enough for its memory.
const CHUNK: u64 = 2000;

pub fn run(options: &Options) -> Result<bool, String> {
    let origin = match options.calls {
        true => Origin::Calls,
        false => Origin::Seeds(seeds::at(&paths(options))?),
    };
    let range = options.first..options.first.saturating_add(options.count);
    let target = options.target.as_deref().map(bytes::find).transpose()?;
    if options.worker {
        return worker::work(&origin, options.seed, range, target, &options.out.join("accepted")).map(|()| true);
    }
    if options.unchanged {
        return unchanged(origin.seeds());
    }
    if let (Some(target), true) = (target, options.print) {
        let bytes = bytes::mutant(&bytes::corpus(target, origin.seeds()), options.seed, options.first);
        return std::io::stdout().write_all(&bytes).map(|()| true).map_err(|e| e.to_string());
    }
    let first = origin.program(options.seed, options.first);
    if let Some(class) = &options.class {
        judge::keep_panics();
        let small = reduce::reduce(&mut judge::Bench::new()?, &first, class, Duration::from_secs(options.reduce));
        print!("{}", small.to_page());
        return Ok(true);
    }
    if options.print {
        print!("{}", first.to_page());
        return Ok(true);
    }
    match origin {
        Origin::Seeds(seeds) => println!("{} seeds", seeds.len()),
        Origin::Calls => println!("{} calls with arguments of one type", calls::alike()),
    }
    let tally = Mutex::new(Tally::new(&options.out)?);
    distribute(options, range, &tally)?;
    let tally = tally.into_inner().map_err(|e| e.to_string())?;
    tally.print();
    Ok(tally.classes() == 0)
}

/// What the programs of a run are made of.
pub enum Origin {
    /// Mutants of these.
    Seeds(Vec<seeds::Program>),
    /// Calls of builtins.
    Calls,
}

impl Origin {
    fn seeds(&self) -> &[seeds::Program] {
        match self {
            Origin::Seeds(seeds) => seeds,
            Origin::Calls => &[],
        }
    }

    /// The program of a number.
    fn program(&self, seed: u64, number: u64) -> seeds::Program {
        match self {
            Origin::Seeds(seeds) => mutate::mutant(seeds, seed, number),
            Origin::Calls => calls::program(seed, number),
        }
    }
}

/// Judges each seed without a mutation; whether nothing was found.
fn unchanged(seeds: &[seeds::Program]) -> Result<bool, String> {
    judge::keep_panics();
    let mut bench = judge::Bench::new()?;
    let mut found = 0;
    for program in seeds {
        let output = judge::compiled(program);
        let verdict = bench.verdict(program, &output)?;
        let errors = output.diagnostics.iter().filter(|d| d.severity == shaderport::Severity::Error).count();
        println!("{}: {errors} errors, {} findings", program.name, verdict.findings.len());
        verdict.findings.iter().for_each(|f| println!("{} {}: {}\n{}", f.target, f.judge, f.reason, f.text));
        found += verdict.findings.len();
    }
    Ok(found == 0)
}

fn paths(options: &Options) -> Vec<PathBuf> {
    let root = process::repository();
    let default = || ["samples", "tests/fixtures", "src/legalize"].map(|d| root.join(d)).to_vec();
    let seeds = if options.seeds.is_empty() { default() } else { options.seeds.clone() };
    seeds.into_iter().chain(options.more.iter().cloned()).collect()
}

/// Gives chunks to processes until none is left or the time is up.
fn distribute(options: &Options, range: Range<u64>, tally: &Mutex<Tally>) -> Result<(), String> {
    let next = Mutex::new(range.start);
    let started = Instant::now();
    let in_time = || options.seconds.is_none_or(|s| started.elapsed() < Duration::from_secs(s));
    let take = || {
        let mut next = next.lock().map_err(|e| e.to_string())?;
        let chunk = *next..(*next + CHUNK).min(range.end);
        *next = chunk.end;
        Ok::<_, String>(Some(chunk).filter(|c| !c.is_empty() && in_time()))
    };
    let job = || {
        while let Some(mut chunk) = take()? {
            // A process that ends early leaves the rest to another one.
            while !chunk.is_empty() && in_time() {
                chunk.start = in_process(options, chunk.clone(), tally)?;
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let jobs: Vec<_> = (0..options.jobs.max(1)).map(|_| scope.spawn(job)).collect();
        jobs.into_iter().try_for_each(|j| j.join().map_err(|_| "a thread failed".to_owned())?)
    })
}

/// Has a process work on mutants; gives the number of the first one that it did not begin.
fn in_process(options: &Options, chunk: Range<u64>, tally: &Mutex<Tally>) -> Result<u64, String> {
    let mut child = Command::new(std::env::current_exe().map_err(|e| e.to_string())?)
        .args(arguments(options, chunk.start))
        .args(["--worker", "--count", &(chunk.end - chunk.start).to_string()])
        .args(&options.seeds)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let errors =
        child.stderr.take().map(|e| std::thread::spawn(move || std::io::read_to_string(e).unwrap_or_default()));
    let mut open = None;
    for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
        match serde_json::from_str(&line.map_err(|e| e.to_string())?).map_err(|e| e.to_string())? {
            Line::Start(number) => open = Some(number),
            Line::Done(number, verdict) => {
                open = None;
                keep(options, number, verdict, tally)?;
            }
        }
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    let said = errors.and_then(|e| e.join().ok()).unwrap_or_default();
    match open {
        None if status.success() => Ok(chunk.end),
        None => Err(format!("a worker failed: {said}")),
        Some(number) => {
            let hung = status.code() == Some(worker::HUNG);
            let words: Vec<&str> = said.lines().filter(|l| !l.trim().is_empty()).take(3).collect();
            let reason = if hung { "no end".to_owned() } else { format!("{status}: {}", words.join(" ")) };
            let judge = if hung { "hang" } else { "crash" }.to_owned();
            let finding = Finding { target: String::new(), judge, reason, text: said };
            keep(options, number, Verdict { findings: vec![finding], ..Verdict::default() }, tally)?;
            Ok(number + 1)
        }
    }
}

fn arguments(options: &Options, first: u64) -> Vec<String> {
    let numbers = [("--seed", options.seed), ("--first", first), ("--reduce", options.reduce)];
    let named = numbers.iter().flat_map(|(name, n)| [(*name).to_owned(), n.to_string()]);
    let target = options.target.iter().flat_map(|t| ["--target".to_owned(), t.clone()]);
    let more = options.more.iter().flat_map(|m| ["--more".to_owned(), m.to_string_lossy().into_owned()]);
    let out = ["--out".to_owned(), options.out.to_string_lossy().into_owned()];
    let calls = options.calls.then(|| "--calls".to_owned());
    std::iter::once("fuzz".to_owned()).chain(calls).chain(named).chain(target).chain(more).chain(out).collect()
}

/// Counts, and keeps what was found; the first finding of a class is made smaller.
fn keep(options: &Options, number: u64, verdict: Verdict, tally: &Mutex<Tally>) -> Result<(), String> {
    let new = {
        let mut tally = tally.lock().map_err(|e| e.to_string())?;
        tally.add(&verdict)
    };
    for finding in new {
        let class = finding.class();
        let another = |extra: &[&str]| -> Result<String, String> {
            let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
            command.args(arguments(options, number)).args(extra).args(&options.seeds);
            Ok(process::run(&mut command, Duration::from_secs(options.reduce + 60))?.stdout)
        };
        let ended = matches!(finding.judge.as_str(), "hang" | "crash");
        let small = match options.reduce > 0 && !ended && options.target.is_none() {
            true => another(&["--class", &class])?,
            false => String::new(),
        };
        let mutant = another(&["--print"])?;
        tally.lock().map_err(|e| e.to_string())?.write(number, &finding, &mutant, &small)?;
    }
    Ok(())
}
