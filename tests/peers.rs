//! Where slangc and DXC put the parameters of small programs, measured and recorded in the pages of `tests/peers` (`cargo
//! xtask layout-record` writes them), beside where we do under their policies. What differs by decision stands in
//! `decided.rs` with its reason; nothing else differs.

use crate::decided::{DECIDED, Decided, decision};
use crate::peer_options::{Job, sidecar};
use crate::peer_rows::Row;
use crate::support::{files_under, root};
use rayon::prelude::*;
use shaderport::compile::Target;
use shaderport::layout::{DXC, SLANGC};
use shaderport::reflect::Reflection;
use shaderport::reflect::model::{BufferMemory, Count, Leaf, Unbounded};
use shaderport::source::MemoryLoader;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

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
        policy: if dxc { DXC } else { SLANGC },
        options: column.options.clone(),
        profile: column.profile.clone(),
    })
}

/// The oracle's name of a unit.
const KINDS: &[(&str, &str)] = &[
    ("descriptorTableSlot", "slot"),
    ("subElementRegisterSpace", "space"),
    ("pushConstantBuffer", "push"),
    ("inputAttachmentIndex", "attachment"),
    ("specializationConstant", "specconst"),
    ("varyingInput", "in"),
    ("varyingOutput", "out"),
];

fn kind(kind: &str) -> String {
    let class = |k: &str| match k {
        "constantBuffer" => Some("b"),
        "shaderResource" => Some("t"),
        "unorderedAccess" => Some("u"),
        "samplerState" => Some("s"),
        _ => None,
    };
    let named = KINDS.iter().find(|(ours, _)| *ours == kind).map(|(_, theirs)| *theirs);
    class(kind).or(named).unwrap_or(kind).to_owned()
}

fn number(count: &Count) -> String {
    match count {
        Count::Number(n) => n.to_string(),
        Count::Word(Unbounded::Unbounded) => "unbounded".to_owned(),
    }
}

/// A path of ours as the oracle writes it: `main::tint`.
fn path(reflection: &Reflection, path: &str) -> String {
    let entry = |name: &str| reflection.entry_points.iter().any(|e| e.name == name);
    let path = match path.split_once('.') {
        Some((name, rest)) if entry(name) && rest == "result" => format!("{name}::$result"),
        Some((name, rest)) if entry(name) => match rest.strip_prefix("result.") {
            Some(rest) => format!("{name}::$result.{rest}"),
            None => format!("{name}::{rest}"),
        },
        _ => path.to_owned(),
    };
    UNNAMED.iter().fold(path, |path, (ours, theirs)| path.replace(ours, theirs))
}

fn row(reflection: &Reflection, leaf: &Leaf) -> Row {
    let stride = |n: u64| n.to_string();
    Row {
        kind: kind(&leaf.kind),
        path: path(reflection, &leaf.path),
        index: leaf.index,
        space: leaf.space.unwrap_or(0),
        count: leaf.count.as_ref().map(number).filter(|n| n != "1"),
        arrays: leaf.repeats.iter().map(|r| (number(&r.count), stride(r.stride))).collect(),
        semantic: leaf.semantic.as_deref().map(with_index),
        offset: leaf.offset,
        size: leaf.size.as_ref().map(number),
        buffer: leaf.buffer.as_ref().map(|b| (kind(&b.kind), b.index, b.space.unwrap_or(0))),
    }
}

/// `NORMAL` is `NORMAL0`.
fn with_index(semantic: &str) -> String {
    if semantic.ends_with(|c: char| c.is_ascii_digit()) { semantic.to_owned() } else { format!("{semantic}0") }
}

/// The path of a buffer of ours, or of its element if it is structured.
fn buffer_path(reflection: &Reflection, memory: &BufferMemory) -> String {
    let element = if memory.element_stride.is_some() { "[]" } else { "" };
    format!("{}{element}", path(reflection, &memory.parameter))
}

/// Our rows, in the words of a page.
fn our_rows(reflection: &Reflection, dxc: bool) -> BTreeSet<String> {
    let mut leaves: Vec<Row> = Vec::new();
    for leaf in reflection.leaves.iter().filter(|l| !l.further).map(|l| row(reflection, l)) {
        // The counter of a buffer and the sampler of a combined sampler are one more binding of it for the peers.
        match leaves.last_mut().filter(|last| last.kind == leaf.kind && last.path == leaf.path && leaf.kind == "slot") {
            Some(last) => last.count = Some("2".to_owned()),
            None => leaves.push(leaf),
        }
    }
    let leaves = leaves.into_iter().filter_map(|row| if dxc { row.into_dxc_listing() } else { Some(row) });
    let mut rows: BTreeSet<String> = leaves.map(|row| row.to_string()).collect();
    for memory in &reflection.memory {
        let buffer = buffer_path(reflection, memory);
        rows.insert(format!("bytes {buffer} = {}", number(&memory.size)));
        for row in memory.rows.iter().filter(|row| !row.padding && memory.element_stride.is_some()) {
            let dot = if row.path.is_empty() { "" } else { "." };
            let path = path(reflection, &format!("{buffer}{dot}{}", row.path));
            rows.insert(format!("uniform {path} = byte {}", row.offset));
        }
    }
    rows
}

/// What the source gives no name: ours, and slangc's.
const UNNAMED: &[(&str, &str)] = &[(".base", ".$base"), (".value", "._0"), (".hasValue", "._1")];

/// An array of no elements: it has a row or not, as the arrays around are told.
fn is_empty(row: &str) -> bool {
    row.contains(", count 0")
}

/// A peer's row as far as our lists of leaves and of memory have it; nothing for what they do not list.
fn comparable(row: &str) -> Option<String> {
    let (kind, rest) = row.split_once(' ')?;
    let until = |end: &str| row.split(end).next().unwrap_or_default().to_owned();
    match kind {
        // The space of a block shows in what lies in it; positions of system values have no number.
        "space" | "system" => None,
        _ if is_empty(row) => None,
        "bytes" => Some(until(" of ")),
        "uniform" if rest.contains("[]") => Some(until(",").split(" of ").next()?.to_owned()),
        _ => Some(row.to_owned()),
    }
}

/// DXC lists a resource of a `cbuffer` without the name of the buffer.
fn without_buffer(row: &str) -> String {
    let shorter = |row: &str| {
        let (kind, rest) = row.split_once(' ')?;
        let resource = matches!(kind, "b" | "t" | "u" | "s") || rest.contains("[]");
        let (_, rest) = rest.split_once('.').filter(|_| resource)?;
        Some(format!("{kind} {rest}"))
    };
    shorter(row).unwrap_or_else(|| row.to_owned())
}

/// What differs in a column, by the path of the row.
fn differences(theirs: &[String], reflection: &Reflection, dxc: bool) -> BTreeMap<String, Vec<String>> {
    let theirs: BTreeSet<String> = theirs.iter().filter_map(|row| comparable(row)).collect();
    let mut ours: BTreeSet<String> = our_rows(reflection, dxc).into_iter().filter(|row| !is_empty(row)).collect();
    if dxc {
        ours = ours.into_iter().map(|row| if theirs.contains(&row) { row } else { without_buffer(&row) }).collect();
    }
    // A text in HLSL has a semantic for everything, the source need not have it.
    let without_semantic = |row: &str| row.rsplit_once(", ").map(|(row, _)| row.to_owned());
    let known = |row: &&String| theirs.contains(*row) || without_semantic(row).is_some_and(|r| theirs.contains(&r));
    let given = |row: &&String| ours.contains(*row) || ours.iter().any(|o| without_semantic(o).as_ref() == Some(*row));
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut put = |whose: &str, row: &String| {
        let path = row.split(' ').nth(1).unwrap_or_default().to_owned();
        found.entry(path).or_default().push(format!("{whose}: {row}"));
    };
    theirs.iter().filter(|row| !given(row)).for_each(|row| put("theirs", row));
    ours.iter().filter(|row| !known(row)).for_each(|row| put("ours", row));
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
            for (path, lines) in differences(&column.rows, &reflection, target == "dxc") {
                note(Some(&path), lines.join("\n    "));
            }
        }
    }
}

#[test]
fn peers_agree() {
    let pages: Vec<Page> = files_under(&root().join("tests/peers"), &["md"]).iter().map(|p| read(p)).collect();
    assert!(pages.len() > 100, "the pages are found");
    let verdicts: Vec<Verdict> = pages
        .par_iter()
        .map(|page| {
            let mut verdict = Verdict::default();
            assert!(!page.columns.is_empty() && !page.sources.is_empty(), "{} has nothing to compare", page.name);
            for column in &page.columns {
                column.targets.iter().for_each(|target| judge(page, &mut verdict, column, target));
            }
            verdict
        })
        .collect();
    let wrong: Vec<&str> = verdicts.iter().flat_map(|v| v.wrong.iter().map(String::as_str)).collect();
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    let used = |d: &&Decided| verdicts.iter().any(|v| v.decided.iter().any(|u| std::ptr::eq(*u, *d)));
    let here = |d: &&Decided| pages.iter().any(|p| p.name == d.case);
    let told = |d: &Decided| format!("{} ({})", d.case, d.reason);
    let stale: Vec<String> = DECIDED.iter().filter(here).filter(|d| !used(d)).map(told).collect();
    assert!(stale.is_empty(), "decided, but they do not differ: {}", stale.join(", "));
}

#[test]
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
