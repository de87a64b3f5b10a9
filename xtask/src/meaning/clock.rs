//! How often the steps of a run happened and how long they took, all workers together.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

static SPENT: Mutex<BTreeMap<String, (u64, Duration)>> = Mutex::new(BTreeMap::new());

/// Does something, and adds how long it took to a step.
pub fn timed<T>(step: &str, what: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let done = what();
    let took = started.elapsed();
    if let Ok(mut spent) = SPENT.lock() {
        let entry = spent.entry(step.to_owned()).or_default();
        entry.0 += 1;
        entry.1 += took;
    }
    done
}

/// The steps in one line, the longest first.
pub fn summary() -> String {
    let Ok(spent) = SPENT.lock() else { return String::new() };
    let mut steps: Vec<(&String, &(u64, Duration))> = spent.iter().collect();
    steps.sort_by_key(|(_, (_, took))| std::cmp::Reverse(*took));
    let line = |(step, (times, took)): (&String, &(u64, Duration))| {
        format!("{step} {times} times {:.1} s", took.as_secs_f64())
    };
    steps.into_iter().map(line).collect::<Vec<_>>().join(", ")
}
