//! What came of all mutants: numbers, and findings by class.

use super::judge::{Finding, Verdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How many findings of a class are kept whole.
const KEPT: usize = 1;

pub struct Tally {
    out: PathBuf,
    started: Instant,
    mutants: usize,
    accepted: usize,
    judged: usize,
    /// Microseconds.
    compiling: u64,
    judging: u64,
    emitted: BTreeMap<String, usize>,
    /// Counts of classes.
    found: BTreeMap<String, usize>,
}

impl Tally {
    pub fn new(out: &Path) -> Result<Tally, String> {
        std::fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
        let (emitted, found) = (BTreeMap::new(), BTreeMap::new());
        Ok(Tally {
            out: out.to_path_buf(),
            started: Instant::now(),
            mutants: 0,
            accepted: 0,
            judged: 0,
            compiling: 0,
            judging: 0,
            emitted,
            found,
        })
    }

    /// Counts; gives the findings that are to be kept.
    pub fn add(&mut self, verdict: &Verdict) -> Vec<Finding> {
        self.mutants += 1;
        self.accepted += usize::from(!verdict.emitted.is_empty());
        self.judged += verdict.judged;
        self.compiling += verdict.compiling;
        self.judging += verdict.judging;
        for target in &verdict.emitted {
            *self.emitted.entry(target.clone()).or_default() += 1;
        }
        if self.mutants.is_multiple_of(1000) {
            println!("{}", self.line());
        }
        let is_new = |finding: &&Finding| {
            let count = self.found.entry(finding.class()).or_default();
            *count += 1;
            *count <= KEPT
        };
        verdict.findings.iter().filter(is_new).cloned().collect()
    }

    /// Keeps a finding: the mutant, a smaller one, what was emitted and who refused it and why.
    pub fn write(&self, number: u64, finding: &Finding, mutant: &str, small: &str) -> Result<(), String> {
        println!("{number} {}: {}", finding.target, finding.class());
        let words: String = finding.class().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let short: String = words.chars().take(100).collect();
        let directory = self.out.join(format!("{}_{number}", short.trim_matches('_')));
        let fail = |e: std::io::Error| format!("{}: {e}", directory.display());
        std::fs::create_dir_all(&directory).map_err(fail)?;
        let report = format!("{} {}: {}\n\n{}", finding.target, finding.judge, finding.reason, finding.text);
        let files = [("mutant.md", mutant), ("small.md", small), ("report.txt", report.as_str())];
        files.iter().try_for_each(|(name, text)| std::fs::write(directory.join(name), text)).map_err(fail)
    }

    pub fn classes(&self) -> usize {
        self.found.len()
    }

    pub fn print(&self) {
        let mut classes: Vec<(&String, &usize)> = self.found.iter().collect();
        classes.sort_by_key(|(class, count)| (std::cmp::Reverse(**count), (*class).clone()));
        classes.iter().for_each(|(class, count)| println!("{count:5} {class}"));
        println!("{}", self.line());
    }

    fn line(&self) -> String {
        let emitted: Vec<String> = self.emitted.iter().map(|(target, n)| format!("{n} {target}")).collect();
        format!(
            "{} mutants in {} s (compiling {} s, judging {} s): {} with a text ({}), {} different texts judged, {} classes of findings",
            self.mutants,
            self.started.elapsed().as_secs(),
            self.compiling / 1_000_000,
            self.judging / 1_000_000,
            self.accepted,
            emitted.join(", "),
            self.judged,
            self.found.len()
        )
    }
}
