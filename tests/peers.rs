//! Where slangc and DXC put the parameters of small programs, measured and recorded in the pages of `tests/peers` (`cargo
//! xtask layout-record` writes them), beside where we do under their policies. What differs by decision stands in
//! `decided.rs` with its reason; nothing else differs.

use crate::decided::{DECIDED, Decided, decision};
use crate::peer_leaves::rows;
use crate::peer_options::{Job, sidecar};
use crate::peer_rows::Row;
use crate::support::{files_under, root};
use libtest_mimic::Trial;
use shaderport::reflection::Reflection;
use shaderport::{MemoryLoader, Policy, Target};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A page: a program, and what peers gave for it.
#[derive(Default)]
struct Page {
    name: String,
    /// Those that are compiled.
    files: Vec<String>,
    entries: Vec<String>,
    /// (name, text) of all sources.
    sources: Vec<(String, String)>,
    columns: Vec<Column>,
}

/// What a peer gave for a target, or several.
#[derive(Default)]
struct Column {
    /// `hlsl`, `glsl` and `wgsl` of slangc, `dxc`.
    targets: Vec<String>,
    options: Vec<String>,
    profile: Option<String>,
    rows: Vec<String>,
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn read(path: &Path) -> Page {
    let text = std::fs::read_to_string(path).expect("a page").replace("\r\n", "\n");
    let mut page = Page::default();
    let mut block: Option<(String, Vec<String>)> = None;
    for line in text.lines() {
        match (block.take(), line) {
            (Some((name, lines)), "```") => match page.columns.last_mut() {
                Some(column) => column.rows = lines,
                None => page.sources.push((name, lines.join("\n"))),
            },
            (Some((name, mut lines)), line) => {
                lines.push(line.to_owned());
                block = Some((name, lines));
            }
            (None, line) => {
                if let Some(info) = line.strip_prefix("```") {
                    block = Some((info.split_once(' ').map_or("", |(_, name)| name).to_owned(), Vec::new()));
                }
                heading(&mut page, line);
            }
        }
    }
    page
}

/// A line outside of code blocks.
fn heading(page: &mut Page, line: &str) {
    if let Some(name) = line.strip_prefix("# ") {
        page.name = name.to_owned();
    } else if let Some(targets) = line.strip_prefix("## ") {
        page.columns.push(Column { targets: words(&targets.replace(',', " ")), ..Column::default() });
    }
    let (name, value) = line.split_once(": ").unwrap_or_default();
    match (name, page.columns.last_mut()) {
        ("files", None) => page.files = words(value),
        ("entries", None) => page.entries = words(value),
        ("options", Some(column)) => column.options = words(value),
        ("profile", Some(column)) => column.profile = Some(value.to_owned()),
        _ => {}
    }
}

/// Our sidecar for a column.
fn ours(page: &Page, column: &Column, target: &str) -> Result<Reflection, String> {
    let dxc = target == "dxc";
    let target = if dxc { "hlsl" } else { target };
    let loader = page.sources.iter().fold(MemoryLoader::new(), |l, (name, text)| l.with(name, text));
    sidecar(&Job {
        loader: &loader,
        files: page.files.clone(),
        // DXC compiles one at a time.
        entries: page.entries.iter().take(if dxc { 1 } else { usize::MAX }).cloned().collect(),
        target: Target::parse(target).ok_or("no such target")?,
        policy: if dxc { Policy::DXC } else { Policy::SLANGC },
        options: column.options.clone(),
        profile: column.profile.clone(),
    })
}

/// A row as far as our lists of leaves and of memory have it; nothing for what they do not list.
fn comparable(row: Row, side: Side) -> Option<Row> {
    let row = if side.dxc { row.into_dxc_listing()? } else { row };
    let row = if side.shifted { as_binding(row) } else { row };
    // An array of no elements has a row or not, as the arrays around are told.
    if row.count.as_deref() == Some("0") {
        return None;
    }
    match row.kind.as_str() {
        // The space of a block shows in what lies in it; system values have no number.
        "space" | "system" => None,
        "bytes" => Some(Row { buffer: None, ..row }),
        "uniform" if row.path.contains("[]") => {
            Some(Row { kind: row.kind, path: row.path, offset: row.offset, ..Row::default() })
        }
        _ => Some(row),
    }
}

/// slangc tells register classes that are shifted to bindings as registers, an array as all of its elements.
fn as_binding(mut row: Row) -> Row {
    let class = |kind: &str| matches!(kind, "b" | "t" | "u" | "s");
    if let Some((kind, ..)) = row.buffer.as_mut().filter(|(kind, ..)| class(kind)) {
        *kind = "slot".to_owned();
    }
    if class(&row.kind) {
        row.kind = "slot".to_owned();
        // An append buffer without arrays around has a second binding.
        row.count = row.count.filter(|_| row.arrays.is_empty());
        row.arrays.iter_mut().for_each(|(_, stride)| *stride = "0".to_owned());
    }
    row
}

/// DXC lists a resource of a `cbuffer` without the name of the buffer.
fn without_buffer(row: &Row) -> Row {
    let resource = matches!(row.kind.as_str(), "b" | "t" | "u" | "s") || row.path.contains("[]");
    let rest = row.path.split_once('.').filter(|_| resource).map(|(_, rest)| rest.to_owned());
    Row { path: rest.unwrap_or_else(|| row.path.clone()), ..row.clone() }
}

/// slangc tells vertices, patches and streams as one, we what is in them.
fn whole(mut ours: BTreeSet<Row>, theirs: &BTreeSet<Row>) -> BTreeSet<Row> {
    let varying = |row: &&Row| matches!(row.kind.as_str(), "in" | "out");
    for their in theirs.iter().filter(varying) {
        let below = format!("{}.", their.path);
        let part = |row: &Row| row.kind == their.kind && row.path.starts_with(&below);
        let parts: Vec<Row> = ours.iter().filter(|row| part(row)).cloned().collect();
        let count: u32 = parts.iter().map(|p| p.count.as_ref().map_or(1, |n| n.parse().unwrap_or(1))).sum();
        if let Some(first) = parts.iter().filter_map(|p| p.index).min() {
            ours.retain(|row| !part(row));
            let count = Some(count.to_string()).filter(|n| n != "1");
            ours.insert(Row {
                kind: their.kind.clone(),
                path: their.path.clone(),
                index: Some(first),
                count,
                ..Row::default()
            });
        }
    }
    ours
}

/// How the peer of a column tells its rows.
#[derive(Clone, Copy)]
struct Side {
    dxc: bool,
    /// Register classes are shifted to bindings.
    shifted: bool,
}

/// What differs in a column, by the path of the row.
fn differences(theirs: &[Row], reflection: &Reflection, side: Side) -> BTreeMap<String, Vec<String>> {
    let theirs: BTreeSet<Row> = theirs.iter().filter_map(|row| comparable(row.clone(), side)).collect();
    let ours = rows(reflection).into_iter().filter_map(|row| comparable(row, side));
    let ours: BTreeSet<Row> =
        ours.map(|row| if side.dxc && !theirs.contains(&row) { without_buffer(&row) } else { row }).collect();
    let ours = whole(ours, &theirs);
    // A text in HLSL has a semantic for everything, the source need not have it.
    let bare = |row: &Row| Row { semantic: None, ..row.clone() };
    let told = |list: &BTreeSet<Row>, row: &Row| list.contains(row) || list.contains(&bare(row));
    let bare_ours: BTreeSet<Row> = ours.iter().map(bare).collect();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut put = |whose: &str, row: &Row| found.entry(row.path.clone()).or_default().push(format!("{whose}: {row}"));
    theirs.iter().filter(|row| !ours.contains(*row) && !bare_ours.contains(*row)).for_each(|row| put("theirs", row));
    ours.iter().filter(|row| !told(&theirs, row)).for_each(|row| put("ours", row));
    found
}

/// What came of a page.
#[derive(Default)]
struct Verdict {
    decided: Vec<&'static Decided>,
    wrong: Vec<String>,
}

fn judge(page: &Page, verdict: &mut Verdict, column: &Column, target: &str) {
    let mut note = |path: Option<&str>, text: String| match decision(&page.name, target, path) {
        Some(decided) => verdict.decided.push(decided),
        None => verdict.wrong.push(format!("{} {target}: {text}", page.name)),
    };
    let refused = column.rows == ["an error"];
    match ours(page, column, target) {
        Err(_) if refused => {}
        Err(message) => note(None, format!("only we stop: {message}")),
        Ok(_) if refused => note(None, "only the peer stops".to_owned()),
        Ok(reflection) => {
            let shifted = target == "glsl" && column.options.iter().any(|option| option.ends_with("-shift"));
            let side = Side { dxc: target == "dxc", shifted };
            let theirs = column.rows.iter().map(|row| row.parse());
            let theirs: Vec<Row> = theirs.collect::<Result<_, String>>().expect("rows as they are written");
            for (path, lines) in differences(&theirs, &reflection, side) {
                note(Some(&path), lines.join("\n    "));
            }
        }
    }
}

/// A page against what we give.
fn compared(page: &Page) -> Verdict {
    let mut verdict = Verdict::default();
    assert!(!page.columns.is_empty() && !page.sources.is_empty(), "{} has nothing to compare", page.name);
    for column in &page.columns {
        column.targets.iter().for_each(|target| judge(page, &mut verdict, column, target));
    }
    verdict
}

/// A test for each page; the rows are also read and written again. Then a test that no decision is without a difference.
pub fn trials() -> Vec<Trial> {
    let pages = files_under(&root().join("tests/peers"), &["md"]);
    assert!(pages.len() > 100, "the pages are found");
    let all = pages.clone();
    let trial = |path: PathBuf| {
        Trial::test(format!("peers/{}", crate::support::page_name(&path)), move || {
            let page = read(&path);
            rows_are_read_as_they_are_written(&page);
            match compared(&page).wrong.as_slice() {
                [] => Ok(()),
                wrong => Err(format!("{} differences:\n{}", wrong.len(), wrong.join("\n")).into()),
            }
        })
    };
    let decisions = Trial::test("peers/decisions_are_needed", move || decisions_are_needed(&all));
    let seen = Trial::test("peers/a_difference_is_seen", || {
        a_difference_is_seen();
        Ok(())
    });
    pages.into_iter().map(trial).chain([decisions, seen]).collect()
}

/// Fails for a decision about a page that does not differ.
fn decisions_are_needed(pages: &[PathBuf]) -> Result<(), libtest_mimic::Failed> {
    let pages: Vec<Page> = pages.iter().map(|p| read(p)).collect();
    let with = pages.iter().filter(|page| DECIDED.iter().any(|d| d.case == page.name));
    let verdicts: Vec<Verdict> = with.map(compared).collect();
    let used = |d: &&Decided| verdicts.iter().any(|v| v.decided.iter().any(|u| std::ptr::eq(*u, *d)));
    let here = |d: &&Decided| pages.iter().any(|p| p.name == d.case);
    let row = |d: &Decided| format!("{}{} ({})", d.case, if d.leaves_only { ", leaves" } else { "" }, d.reason);
    let stale: Vec<String> = DECIDED.iter().filter(here).filter(|d| !used(d)).map(row).collect();
    match stale.as_slice() {
        [] => Ok(()),
        stale => Err(format!("decided, but they do not differ: {}", stale.join(", ")).into()),
    }
}

fn a_difference_is_seen() {
    let page = &root().join("tests/peers/array_of_nested_struct_b.md");
    let mut page = read(page);
    let column = page.columns.iter_mut().find(|c| c.targets.iter().any(|t| t == "hlsl")).expect("a column");
    column.rows.iter_mut().for_each(|row| *row = row.replace("t d.d = 96", "t d.d = 97"));
    let mut verdict = Verdict::default();
    let column = page.columns.iter().find(|c| c.targets.iter().any(|t| t == "hlsl")).expect("a column");
    judge(&page, &mut verdict, column, "hlsl");
    assert_eq!(verdict.wrong.len(), 1, "{:?}", verdict.wrong);
}

fn rows_are_read_as_they_are_written(page: &Page) {
    for row in page.columns.iter().flat_map(|c| &c.rows).filter(|row| *row != "an error") {
        assert_eq!(row.parse::<Row>().map(|r| r.to_string()), Ok(row.clone()));
    }
}
