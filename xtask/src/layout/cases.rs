//! Recorded cases: each source with the rows that the peers gave.

use super::decided::{DECIDED, Decided, decision};
use super::oracle::Oracle;
use super::peer_options::{Job, sidecar};
use super::rows::{Detail, differences};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use shaderport::{FileLoader, Policy, Target};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The options of `cargo xtask layout-cases`.
#[derive(clap::Args)]
pub struct CasesOptions {
    /// The layout directory, with `oracle.py` and `cases`.
    directory: Option<PathBuf>,
    /// Only cases whose names contain this.
    #[arg(long)]
    filter: Option<String>,
    /// Only this column.
    #[arg(long)]
    target: Option<String>,
}

/// A recorded case.
#[derive(Deserialize)]
pub(super) struct Case {
    pub(super) case: String,
    pub(super) files: Vec<String>,
    pub(super) entries: Vec<String>,
    pub(super) results: BTreeMap<String, Recorded>,
}

/// What a peer gave for it.
#[derive(Deserialize)]
pub(super) struct Recorded {
    /// The peer and its version.
    pub(super) tool: String,
    #[serde(default)]
    pub(super) options: Vec<String>,
    pub(super) profile: Option<String>,
    pub(super) status: String,
    pub(super) rows: Vec<Value>,
}

/// One column of a case, and our sidecar or our errors.
struct Column<'a> {
    case: &'a Case,
    target: &'a str,
    recorded: &'a Recorded,
    ours: Result<String, String>,
}

/// What came of a column: decisions that were used, and what differs otherwise.
#[derive(Default)]
struct Verdict {
    decided: Vec<&'static Decided>,
    differing: Vec<String>,
}

/// Compares every case with our sidecars.
pub fn cases(options: &CasesOptions) -> Result<bool, String> {
    let oracle = Oracle::find(options.directory.as_deref())?;
    let directory = oracle.cases();
    let cases = read_cases(&directory)?;
    let wanted = |name: &str, filter: &Option<String>| filter.as_ref().is_none_or(|f| name.contains(f.as_str()));
    let columns: Vec<(&Case, &String, &Recorded)> = cases
        .iter()
        .filter(|c| wanted(&c.case, &options.filter))
        .flat_map(|case| case.results.iter().map(move |(target, recorded)| (case, target, recorded)))
        .filter(|(_, target, _)| options.target.as_ref().is_none_or(|t| t == *target))
        .collect();
    let columns: Vec<Column> = columns
        .into_par_iter()
        .map(|(case, target, recorded)| Column {
            case,
            target,
            recorded,
            ours: ours(&directory, case, target, recorded),
        })
        .collect();
    let rows = reduce(&oracle, &columns)?;

    let (mut failed, mut used) = (0, Vec::new());
    for (column, rows) in columns.iter().zip(rows) {
        let verdict = judge(column, rows);
        used.extend(verdict.decided);
        if !verdict.differing.is_empty() {
            failed += 1;
            println!("{} {}", column.case.case, column.target);
            verdict.differing.iter().for_each(|line| println!("    {line}"));
        }
    }
    println!("{} columns of {} cases: {failed} differ, {} rows by decision", columns.len(), cases.len(), used.len());
    let whole = options.filter.is_none() && options.target.is_none();
    let here = |d: &&Decided| !d.leaves_only && cases.iter().any(|c| c.case == d.case);
    for stale in DECIDED.iter().filter(here).filter(|d| whole && !used.iter().any(|u| std::ptr::eq(*u, *d))) {
        println!("decided, but it does not differ: {} {} ({})", stale.case, stale.target, stale.reason);
    }
    Ok(failed == 0)
}

/// The cases of a directory, by name.
pub(super) fn read_cases(directory: &Path) -> Result<Vec<Case>, String> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(directory).map_err(|e| e.to_string())?.flatten().map(|f| f.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
        serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
    };
    files.iter().map(read).collect()
}

fn ours(directory: &Path, case: &Case, target: &str, recorded: &Recorded) -> Result<String, String> {
    let dxc = target == "dxc";
    let target = if dxc { "hlsl" } else { target };
    let job = Job {
        loader: &FileLoader::new([directory]),
        files: case.files.iter().map(|f| directory.join(f).to_string_lossy().into_owned()).collect(),
        entries: if dxc { case.entries.iter().take(1).cloned().collect() } else { case.entries.clone() },
        target: Target::parse(target).ok_or(format!("no target {target}"))?,
        policy: if dxc { Policy::DXC } else { Policy::SLANGC },
        options: recorded.options.clone(),
        profile: recorded.profile.clone(),
    };
    Ok(sidecar(&job)?.to_json())
}

/// Rows of our sidecars; empty where there is none.
fn reduce(oracle: &Oracle, columns: &[Column]) -> Result<Vec<Result<Value, String>>, String> {
    let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut requests = Vec::new();
    for (i, column) in columns.iter().enumerate() {
        let path = scratch.path().join(format!("{i}.json"));
        std::fs::write(&path, column.ours.as_deref().unwrap_or("{}")).map_err(|e| e.to_string())?;
        requests.push(json!({ "op": "reduce", "json": path, "target": column.target }));
    }
    oracle.ask(&requests)
}

fn judge(column: &Column, rows: Result<Value, String>) -> Verdict {
    let mut verdict = Verdict::default();
    let recorded_ok = column.recorded.status == "ok";
    let mut note = |path: Option<&str>, text: String| match decision(&column.case.case, column.target, path) {
        Some(decided) => verdict.decided.push(decided),
        None => verdict.differing.push(text),
    };
    match (&column.ours, rows) {
        (Err(_), _) if !recorded_ok => {}
        (Err(message), _) => note(None, format!("only we stop: {}", message.lines().next().unwrap_or_default())),
        (Ok(_), _) if !recorded_ok => note(None, "only they stop".to_owned()),
        (Ok(_), Err(message)) => note(None, format!("the oracle cannot read it: {message}")),
        (Ok(_), Ok(rows)) => {
            let ours = rows.as_array().cloned().unwrap_or_default();
            let detail = if column.target == "dxc" { Detail::Dxc } else { Detail::Full };
            for difference in differences(&column.recorded.rows, &ours, detail) {
                note(Some(&difference.path), difference.to_string());
            }
        }
    }
    verdict
}
