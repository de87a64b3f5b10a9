//! `cargo xtask meaning`: random programs, compiled through our texts and through the peers, run on a Vulkan device; what they
//! write must be the same.

mod clock;
mod declarations;
mod device;
mod expressions;
mod families;
mod features;
mod generator;
mod given;
mod judge;
mod reduce;
mod routes;
mod select;
mod spirv;
mod statements;
mod tree;
mod types;

use crate::process;
use declarations::BINDINGS;
use device::Device;
use features::Features;
use generator::{Dialect, Generator};
use judge::{Case, Fault, Outcome, Runner, faults};
use rayon::prelude::*;
use routes::{Route, Settings, Tools};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The options of `cargo xtask meaning`.
#[derive(clap::Args)]
pub struct Options {
    /// How many programs.
    #[arg(long, default_value_t = 200)]
    count: u64,
    /// The seed of the first program; the others follow it.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Programs in a file: the tools start once for all of them.
    #[arg(long, default_value_t = 24)]
    batch: u64,
    /// One of the files alone, counted from 0.
    #[arg(long)]
    file: Option<u64>,
    /// One language alone.
    #[arg(long)]
    dialect: Option<Dialect>,
    /// Stop after so many seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// Seconds for making the first program of each class smaller; 0 leaves them as they are.
    #[arg(long, default_value_t = 60)]
    reduce: u64,
    /// Faults of peers are made smaller, too.
    #[arg(long)]
    peers: bool,
    /// Whole programs that are run instead of generated ones: `main` reads `input` and writes `output` as generated ones do.
    #[arg(long = "program")]
    programs: Vec<PathBuf>,
    /// How many programs are kept that compute something else by the same routes.
    #[arg(long, default_value_t = 6)]
    kept: usize,
    /// Only classes that contain this text are made smaller and kept.
    #[arg(long)]
    only: Option<String>,
    /// One in so many files runs on the Vulkan device, the others in the interpreter; what differs there runs on the device, too.
    #[arg(long, default_value_t = 16)]
    device: u64,
    /// slangc compiles one in so many files of HLSL, and every file of Slang.
    #[arg(long, default_value_t = 4)]
    slangc: u64,
    /// Where programs that show something are kept.
    #[arg(long, default_value = "target/meaning")]
    out: PathBuf,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    programs: u64,
    compared: u64,
    /// Seeds and the number of programs by class, with whether the fault is ours.
    classes: BTreeMap<String, (bool, Vec<u64>)>,
}

impl Found {
    fn add(&mut self, fault: &Fault, seed: u64) -> usize {
        let (_, seeds) = self.classes.entry(fault.class()).or_insert((fault.is_ours(), Vec::new()));
        seeds.push(seed);
        seeds.len()
    }

    /// What a program shows is another fault.
    fn rename(&mut self, fault: &Fault, instead: &Fault, seed: u64) {
        let class = fault.class();
        if let Some((_, seeds)) = self.classes.get_mut(&class) {
            seeds.retain(|s| *s != seed);
            if seeds.is_empty() {
                self.classes.remove(&class);
            }
        }
        self.add(instead, seed);
    }
}

pub fn run(options: &Options) -> Result<bool, String> {
    let tools = Tools::find()?;
    let program = process::execute()?;
    std::fs::create_dir_all(&options.out).map_err(|e| format!("{}: {e}", options.out.display()))?;
    routes::keep_panics();
    if !options.programs.is_empty() {
        return given::run(&options.programs, &tools, &program, &options.out);
    }
    let started = Instant::now();
    let found = Mutex::new(Found::default());
    let files = 0..options.count.div_ceil(options.batch.max(1));
    let batches: Vec<u64> = files.filter(|file| options.file.is_none_or(|only| only == *file)).collect();
    let working = AtomicUsize::new(0);
    let failed = batches.par_iter().map_init(
        || working.fetch_add(1, Ordering::Relaxed),
        |worker, batch| {
            if options.seconds.is_some_and(|limit| started.elapsed() > Duration::from_secs(limit)) {
                return Ok(());
            }
            one_file(options, &tools, &program, *worker, *batch, &found)
        },
    );
    failed.collect::<Result<Vec<()>, String>>()?;
    let found = found.into_inner().map_err(|_| "a worker panicked")?;
    report(&found, &options.out, started.elapsed());
    Ok(!found.classes.values().any(|(ours, _)| *ours))
}

fn settings(options: &Options, batch: u64) -> Settings {
    let dialect = options.dialect.unwrap_or(if batch.is_multiple_of(2) { Dialect::Hlsl } else { Dialect::Slang });
    Settings { dialect, rows: batch / 2 % 2 == 1, scalar: batch / 4 % 2 == 1 }
}

fn case(seed: u64, index: u64, dialect: Dialect, slangc: bool, features: Features) -> Case {
    let suffix = index.to_string();
    let first_binding = 2 + index as u32 * BINDINGS;
    Case::new(
        seed,
        suffix.clone(),
        first_binding,
        Generator::new(seed, dialect, slangc, suffix, features).program(first_binding),
    )
}

fn one_file(
    options: &Options,
    tools: &Tools,
    program: &Path,
    worker: usize,
    batch: u64,
    found: &Mutex<Found>,
) -> Result<(), String> {
    let settings = settings(options, batch);
    let slangc = settings.dialect == Dialect::Slang || (batch / 2).is_multiple_of(options.slangc.max(1));
    let directory = options.out.join(format!("worker{worker}"));
    std::fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
    let first = batch * options.batch;
    let features = Features::of_file(options.seed, batch);
    let cases: Vec<Case> = (0..options.batch.min(options.count - first))
        .map(|i| case(options.seed + first + i, i, settings.dialect, slangc, features))
        .collect();
    let on_device = batch.is_multiple_of(options.device.max(1));
    let device = Device::new(program);
    let mut runner = Runner { tools, device, directory: &directory, settings, quick: false, on_device };
    let every = |route: &Route| route.takes(settings.dialect);
    let some = |route: &Route| every(route) && (slangc || *route != Route::Slangc);
    let routes: Vec<Route> = Route::ALL.into_iter().filter(some).collect();
    let outcomes = outcomes_of(&mut runner, &cases, &routes);
    for (case, outcomes) in cases.iter().zip(outcomes) {
        let (shown, outcomes) = shown(&mut runner, case, outcomes);
        let outcomes = &outcomes;
        let peer_ran = outcomes.iter().any(|(r, o)| !r.is_ours() && o.is_ok());
        let mut new = Vec::new();
        if let Ok(mut found) = found.lock() {
            found.programs += 1;
            found.compared += u64::from(peer_ran);
            for fault in shown {
                let seen = found.add(&fault, case.seed);
                // What computes something else has no message that tells its causes apart.
                let kept = if matches!(fault, Fault::Ours(_) | Fault::Undefined(_) | Fault::Driver(_) | Fault::Peer(_))
                {
                    options.kept
                } else {
                    1
                };
                if seen <= kept {
                    new.push(fault);
                }
            }
        }
        for fault in new {
            let kept = keep(options, &mut runner, case, &fault, outcomes)?;
            if let (Some(instead), Ok(mut found)) = (kept, found.lock()) {
                found.rename(&fault, &instead, case.seed);
            }
        }
    }
    Ok(())
}

/// What a program shows. What the interpreter finds is asked of the routes that were left out, and then of the device; what the
/// device finds is asked of the interpreter.
fn shown(runner: &mut Runner, case: &Case, outcomes: Vec<(Route, Outcome)>) -> (Vec<Fault>, Vec<(Route, Outcome)>) {
    let ours = |found: &[Fault]| found.iter().any(|f| matches!(f, Fault::Ours(_)));
    let mut found = faults(runner, case, &outcomes);
    if !ours(&found) {
        return (found, outcomes);
    }
    if runner.on_device {
        let routes: Vec<Route> = outcomes.iter().map(|(route, _)| *route).collect();
        runner.on_device = false;
        let interpreted = outcomes_of(runner, std::slice::from_ref(case), &routes).remove(0);
        let by_driver = !ours(&faults(runner, case, &interpreted));
        runner.on_device = true;
        if by_driver {
            found = found.into_iter().map(of_driver).collect();
        }
        return (found, outcomes);
    }
    let mut outcomes = outcomes;
    let dialect = runner.settings.dialect;
    let routes: Vec<Route> = Route::ALL.into_iter().filter(|r| r.takes(dialect)).collect();
    let left: Vec<Route> = routes.iter().copied().filter(|r| outcomes.iter().all(|(o, _)| o != r)).collect();
    if !left.is_empty() {
        outcomes.extend(outcomes_of(runner, std::slice::from_ref(case), &left).remove(0));
        found = faults(runner, case, &outcomes);
        if !ours(&found) {
            return (found, outcomes);
        }
    }
    runner.on_device = true;
    let confirmed = outcomes_of(runner, std::slice::from_ref(case), &routes).remove(0);
    let mut on_device = faults(runner, case, &confirmed);
    runner.on_device = false;
    if ours(&on_device) {
        return (on_device, confirmed);
    }
    on_device.extend(found.into_iter().filter_map(|fault| match fault {
        Fault::Ours(routes) => Some(Fault::Undefined(routes)),
        _ => None,
    }));
    (on_device, outcomes)
}

/// What the device alone shows.
fn of_driver(fault: Fault) -> Fault {
    match fault {
        Fault::Ours(routes) => Fault::Driver(routes),
        other => other,
    }
}

/// Keeps the first program of a class, made smaller. A peer that refused the whole program may take what is left of it, and show
/// that another peer is wrong: that fault is given instead.
fn keep(
    options: &Options,
    runner: &mut Runner,
    case: &Case,
    fault: &Fault,
    outcomes: &[(Route, Outcome)],
) -> Result<Option<Fault>, String> {
    let class = fault.class();
    if options.only.as_ref().is_some_and(|only| !class.contains(only)) {
        return Ok(None);
    }
    let name: String = class.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(60).collect();
    let directory = options.out.join(format!("{name}-{}", case.seed));
    std::fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).map_err(|e| e.to_string());
    write(&format!("whole-{}", runner.settings.file_name()), &judge::source(std::slice::from_ref(case)))?;
    let said = format!("{class}\nseed {}, {:?}\n", case.seed, runner.settings);
    write("whole.txt", &(said.clone() + &listed(outcomes)))?;
    if options.reduce > 0 && (options.peers || fault.is_ours()) {
        let before = runner.on_device;
        let smaller = reduce::reduced(runner, case, fault, Duration::from_secs(options.reduce));
        let routes: Vec<Route> = Route::ALL.into_iter().filter(|r| r.takes(runner.settings.dialect)).collect();
        runner.on_device = !matches!(fault, Fault::Undefined(_));
        let outcomes = outcomes_of(runner, std::slice::from_ref(&smaller), &routes).remove(0);
        let shown = faults(runner, &smaller, &outcomes);
        runner.on_device = before;
        let by_peer = matches!(fault, Fault::Ours(_)) && !shown.iter().any(Fault::is_ours);
        let instead = shown.into_iter().find(|f| by_peer && matches!(f, Fault::Peer(_)));
        let name = instead.as_ref().map_or(class.clone(), |i| format!("{class}: {}", i.class()));
        write("what.txt", &(said + &listed(&outcomes)))?;
        write(runner.settings.file_name(), &judge::source(std::slice::from_ref(&smaller)))?;
        println!("{name}\n  seed {}: {}", case.seed, directory.join(runner.settings.file_name()).display());
        return Ok(instead);
    }
    Ok(None)
}

fn listed(outcomes: &[(Route, Outcome)]) -> String {
    let line = |(route, outcome): &(Route, Outcome)| match outcome {
        Ok(words) => format!("{}: {words:x?}\n", route.name()),
        Err(refusal) => format!("{}: {refusal:?}\n", route.name()),
    };
    outcomes.iter().map(line).collect()
}

/// What each of some programs writes, by some routes.
fn outcomes_of(runner: &mut Runner, cases: &[Case], routes: &[Route]) -> Vec<Vec<(Route, Outcome)>> {
    let mut outcomes: Vec<Vec<(Route, Outcome)>> = vec![Vec::new(); cases.len()];
    for route in routes {
        for (of_case, outcome) in outcomes.iter_mut().zip(runner.outcomes(*route, cases)) {
            of_case.push((*route, outcome));
        }
    }
    outcomes
}

fn report(found: &Found, out: &Path, took: Duration) {
    for (class, (ours, seeds)) in &found.classes {
        let which = if *ours { "ours" } else { "peer" };
        let some: Vec<String> = seeds.iter().take(4).map(u64::to_string).collect();
        println!("{which} {:6}  {class}  (seeds {})", seeds.len(), some.join(", "));
    }
    println!("{}", clock::summary());
    let ours: usize = found.classes.values().filter(|(ours, _)| *ours).map(|(_, seeds)| seeds.len()).sum();
    println!(
        "{} programs in {:.0} s, {} compared with a peer, {ours} faults of ours; programs are kept in {}",
        found.programs,
        took.as_secs_f64(),
        found.compared,
        out.display(),
    );
}
