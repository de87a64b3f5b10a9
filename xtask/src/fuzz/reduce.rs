//! Makes a program smaller that shows a finding: drops lines, then declarations and statements, then tokens, as long as the
//! finding stays.

use super::judge::{Bench, compiled};
use super::seeds::Program;
use super::text::Text;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Until nothing more can go, or the time is up.
pub fn reduce(bench: &mut Bench, program: &Program, class: &str, limit: Duration) -> Program {
    let started = Instant::now();
    let mut best = program.clone();
    let mut shows = |candidate: &Program| {
        let output = compiled(candidate);
        started.elapsed() < limit
            && bench.verdict(candidate, &output).is_ok_and(|v| v.findings.iter().any(|f| f.class() == class))
    };
    for target in super::seeds::TARGETS {
        let mut one = best.clone();
        one.options.targets.retain(|t| *t != target);
        if shows(&one) {
            best = one;
        }
    }
    for split in [lines, statements, tokens] {
        for file in 0..best.sources.len() {
            while drop_parts(&mut best, file, split, &mut shows) && started.elapsed() < limit {}
        }
    }
    best
}

/// Tries to drop parts: many at once, then fewer. Whether any could go.
fn drop_parts(
    best: &mut Program,
    file: usize,
    split: fn(&str) -> Vec<Range<usize>>,
    shows: &mut impl FnMut(&Program) -> bool,
) -> bool {
    let mut dropped = false;
    let mut size = split(&best.sources[file].1).len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        loop {
            let parts = split(&best.sources[file].1);
            let Some(chunk) = parts.get(at..parts.len().min(at + size)).filter(|c| !c.is_empty()) else { break };
            let mut candidate = best.clone();
            let text = &mut candidate.sources[file].1;
            for part in chunk.iter().rev() {
                if text.get(part.clone()).is_some() {
                    text.replace_range(part.clone(), "");
                }
            }
            if shows(&candidate) {
                *best = candidate;
                dropped = true;
            } else {
                at += size;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    dropped
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let line = |l: &str| {
        at += l.len();
        at - l.len()..at
    };
    text.split_inclusive('\n').map(line).collect()
}

fn statements(source: &str) -> Vec<Range<usize>> {
    let text = Text::new(source);
    text.statements.iter().chain(&text.declarations).map(|s| text.bytes(s)).collect()
}

fn tokens(source: &str) -> Vec<Range<usize>> {
    Text::new(source).tokens.into_iter().map(|t| t.bytes).collect()
}
