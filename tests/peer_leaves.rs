//! The rows of our sidecar, in the words of the oracle.

use crate::peer_rows::Row;
use shaderport::reflection::Reflection;
use shaderport::reflection::{BufferMemory, Count, Leaf, Unbounded};

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

/// What the source gives no name: ours, and slangc's.
const UNNAMED: &[(&str, &str)] = &[(".base", ".$base"), (".value", "._0"), (".hasValue", "._1")];

/// All leaves, all buffers, and what lies in the elements of structured ones.
pub fn rows(reflection: &Reflection) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for leaf in reflection.leaves.iter().filter(|l| !l.further).map(|l| row(reflection, l)) {
        // The counter of a buffer and the sampler of a combined sampler are one more binding of it for the peers.
        match rows.last_mut().filter(|last| last.kind == leaf.kind && last.path == leaf.path && leaf.kind == "slot") {
            Some(last) => last.count = Some("2".to_owned()),
            None => rows.push(leaf),
        }
    }
    for memory in &reflection.memory {
        let buffer = buffer_path(reflection, memory);
        let size = Some(number(&memory.size));
        rows.push(Row { kind: "bytes".to_owned(), path: buffer.clone(), size, ..Row::default() });
        for row in memory.rows.iter().filter(|row| !row.padding && memory.element_stride.is_some()) {
            let dot = if row.path.is_empty() { "" } else { "." };
            let path = path(reflection, &format!("{buffer}{dot}{}", row.path));
            let offset = Some(row.offset);
            rows.push(Row { kind: "uniform".to_owned(), path, offset, ..Row::default() });
        }
    }
    rows
}
