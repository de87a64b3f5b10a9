//! A process that works on a range of mutants, so that what ends it or never ends is seen and does no harm.

use super::Origin;
use super::bodies::Body;
use super::bytes;
use super::judge::{Bench, Verdict, compiled, keep_panics};
use nix::sys::resource::{Resource, setrlimit};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Longest time of one compilation.
const HANG: Duration = Duration::from_secs(10);
/// Memory of the process; more of it than the 2 GiB of one compilation is address space of stacks.
const MEMORY: u64 = 3 << 30;
/// Exit code of a process that found a hang.
pub const HUNG: i32 = 3;

/// A line to the process that waits.
#[derive(Serialize, Deserialize)]
pub enum Line {
    Start(u64),
    Done(u64, Verdict),
}

/// Works on the mutants of a range; a line each before and after. With a target, the mutants are bytes for it.
pub fn work(
    origin: &Origin,
    seed: u64,
    range: Range<u64>,
    target: Option<&Body>,
    accepted: &Path,
) -> Result<(), String> {
    keep_panics();
    let corpus = target.map(|target| bytes::corpus(target, origin.seeds())).unwrap_or_default();
    setrlimit(Resource::RLIMIT_AS, MEMORY, MEMORY).map_err(|e| e.to_string())?;
    let mut bench = if target.is_none() { Some(Bench::with(accepted)?) } else { None };
    let say = |line: &Line| serde_json::to_string(line).map(|text| println!("{text}")).map_err(|e| e.to_string());
    let watch = Watch::begin();
    for number in range {
        say(&Line::Start(number))?;
        watch.set(true);
        let verdict = match (target, &mut bench) {
            (Some(target), _) => bytes::verdict(target, &bytes::mutant(&corpus, seed, number)),
            (None, Some(bench)) => {
                let program = origin.program(seed, number);
                let started = Instant::now();
                let output = compiled(&program);
                watch.set(false);
                let compiling = started.elapsed();
                let verdict = bench.verdict(&program, &output)?;
                let judging = started.elapsed() - compiling;
                Verdict { compiling: micros(compiling), judging: micros(judging), ..verdict }
            }
            (None, None) => Verdict::default(),
        };
        watch.set(false);
        say(&Line::Done(number, verdict))?;
    }
    Ok(())
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Ends the process when a compilation takes too long.
struct Watch(&'static AtomicU64, Instant);

impl Watch {
    fn begin() -> Watch {
        static SINCE: AtomicU64 = AtomicU64::new(0);
        let start = Instant::now();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(200));
                let since = SINCE.load(Ordering::Relaxed);
                if since > 0 && start.elapsed() > Duration::from_millis(since) + HANG {
                    std::process::exit(HUNG);
                }
            }
        });
        Watch(&SINCE, start)
    }

    fn set(&self, running: bool) {
        let now = self.1.elapsed().as_millis() as u64;
        self.0.store(if running { now.max(1) } else { 0 }, Ordering::Relaxed);
    }
}
