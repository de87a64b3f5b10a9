//! The tables.

use super::judge::Outcome;
use super::{Row, Target};
use std::collections::BTreeMap;

#[derive(Default)]
struct Counts {
    legal: usize,
    diagnostic: usize,
    unlocated: usize,
    illegal: usize,
    crash: usize,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Legal => self.legal += 1,
            Outcome::Diagnostic { located, .. } => {
                self.diagnostic += 1;
                self.unlocated += usize::from(!located);
            }
            Outcome::Illegal { .. } => self.illegal += 1,
            Outcome::Crash { .. } => self.crash += 1,
        }
    }
}

pub fn print(rows: &[Row], list_failures: bool, reasons: usize) {
    let mut targets: Vec<Target> = rows.iter().map(|r| r.target).collect();
    targets.sort();
    targets.dedup();
    for target in &targets {
        let of_target: Vec<&Row> = rows.iter().filter(|r| r.target == *target).collect();
        print_reasons(*target, &of_target, list_failures, reasons);
    }

    println!();
    println!("              | {:^53} | slangc", "shaderport");
    println!(
        "target  cases | legal           diagnostic (unlocated)  ILLEGAL CRASH | legal           refused ILLEGAL CRASH"
    );
    for target in targets {
        let of_target: Vec<&Row> = rows.iter().filter(|r| r.target == target).collect();
        print_counts(target, &of_target);
    }
}

fn print_counts(target: Target, rows: &[&Row]) {
    let (mut ours, mut peer) = (Counts::default(), Counts::default());
    rows.iter().for_each(|r| ours.add(&r.ours));
    rows.iter().filter_map(|r| r.peer.as_ref()).for_each(|p| peer.add(p));
    let all = rows.len();
    let percent = |n: usize| 100.0 * n as f64 / all.max(1) as f64;
    print!("{:6} {all:6} | {:5} {:7.1}%  ", target.name(), ours.legal, percent(ours.legal));
    print!("{:11} {:>11}  {:7} {:5} | ", ours.diagnostic, format!("({})", ours.unlocated), ours.illegal, ours.crash);
    if rows.iter().any(|r| r.peer.is_some()) {
        print!(
            "{:5} {:7.1}%  {:7} {:7} {:5}",
            peer.legal,
            percent(peer.legal),
            peer.diagnostic,
            peer.illegal,
            peer.crash
        );
    }
    println!();
}

fn print_reasons(target: Target, rows: &[&Row], list: bool, limit: usize) {
    let failures = || rows.iter().filter(|r| !r.ours.is_legal());
    if list {
        failures().for_each(|r| println!("{} {}: {}", target.name(), r.entry.label(), r.ours.reason()));
    }
    // By reason without the names in it; the first of each group is shown as it is.
    let mut groups: BTreeMap<String, Vec<&&Row>> = BTreeMap::new();
    failures().for_each(|r| groups.entry(without_names(&r.ours.reason())).or_default().push(r));
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
    if !groups.is_empty() && limit > 0 {
        println!("\n{}: why", target.name());
    }
    for rows in groups.iter().take(limit) {
        println!("{:5}  {}\n         {}", rows.len(), rows[0].ours.reason(), rows[0].entry.label());
    }
    if groups.len() > limit && limit > 0 {
        println!("       and {} further reasons", groups.len() - limit);
    }
}

/// Drops what differs from case to case: quoted names, numbers, paths.
fn without_names(reason: &str) -> String {
    let mut out = String::new();
    let mut quote = None;
    for word in reason.split_inclusive(' ') {
        // `FILE:LINE:COLUMN:`
        if word.matches(':').count() >= 2 {
            continue;
        }
        for c in word.chars() {
            match (c, quote) {
                (c, Some(q)) if c == q => quote = None,
                (_, Some(_)) => {}
                ('`' | '\'' | '"', None) => quote = Some(c),
                (c, None) if c.is_ascii_digit() => {}
                (c, None) => out.push(c),
            }
        }
    }
    out
}
