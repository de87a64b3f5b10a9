//! Sidecars as one page without anything outside of it: buffers as rows of 16 bytes, tables of registers and bindings,
//! targets side by side, and why everything is where it is.

use super::explain::Explanation;
use super::leaves::GLOBALS;
use super::model::{Binding, BufferMemory, Count, Leaf, MemoryRow, Reflection, Repeat};
use super::text::{per, users};
use super::words::{position, unit_on};
use crate::layout::Unit;
use std::collections::BTreeSet;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Bytes in a row.
const ROW: u64 = 16;
/// A buffer that has more rows is shown up to here.
const MOST_ROWS: u64 = 64;

/// The bytes of a row.
const SCALE: &str = "<div class=\"scale\"><div></div><div class=\"bytes\"><span>0</span><span>4</span><span>8</span>\
                     <span>12</span></div></div>\n";

/// A sidecar with its derivations.
pub type Side<'a> = (&'a Reflection, &'a [Explanation]);

/// The page.
pub fn page(title: &str, sides: &[Side]) -> String {
    let title = escape(title);
    let mut body = format!(
        "<h1>{title}</h1>\n<p>Registers and bindings, stage inputs and outputs, and the bytes of every buffer. Hatched bytes are padding.</p>\n"
    );
    for (heading, of, stage) in
        [("Registers and bindings", "parameter", false), ("Stage inputs and outputs", "input or output", true)]
    {
        if !stage || sides.iter().any(|(r, _)| r.leaves.iter().any(is_varying)) {
            body.push_str(&format!("<h2>{heading}</h2>\n<div class=\"targets\">\n"));
            for (index, (reflection, _)) in sides.iter().enumerate() {
                body.push_str(&table(index, reflection, of, stage));
            }
            body.push_str("</div>\n");
        }
    }
    let mut seen = BTreeSet::new();
    let buffers = sides.iter().flat_map(|(r, _)| &r.memory).filter(|b| !cells(b).is_empty());
    for buffer in buffers.filter(|b| seen.insert(b.parameter.as_str())) {
        body.push_str(&format!("<h2>{}</h2>\n<div class=\"targets\">\n", escape(&title_of(buffer))));
        for (index, (reflection, _)) in sides.iter().enumerate() {
            let found = reflection.memory.iter().find(|b| b.parameter == buffer.parameter);
            body.push_str(&found.map_or_else(|| absent(reflection), |b| rows(index, b, reflection)));
        }
        body.push_str("</div>\n");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<main>\n{body}</main>\n<div id=\"why\" aria-live=\"polite\">Click a field, a register or a binding to see why it is there.</div>\n\
         <script type=\"application/json\" id=\"derivations\">{}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        derivations(sides)
    )
}

/// The derivations as JSON that does not end the element it stands in.
fn derivations(sides: &[Side]) -> String {
    let lists: Vec<&[Explanation]> = sides.iter().map(|(_, list)| *list).collect();
    let json = serde_json::to_string(&lists).unwrap_or_else(|_| "[]".to_owned());
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// A text in HTML.
pub fn escape(text: &str) -> String {
    let entities = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#39;")];
    entities.iter().fold(text.to_owned(), |text, (c, entity)| text.replace(*c, entity))
}

/// `label` is HTML.
fn button(target: usize, path: &str, class: &str, style: &str, label: &str, hint: &str) -> String {
    format!(
        "<button class=\"{class}\" style=\"{style}\" data-target=\"{target}\" data-path=\"{}\" title=\"{}\">{}</button>",
        escape(path),
        escape(hint),
        label
    )
}

/// The label of bytes: where it is narrow, what is around the field goes first and its element or vector is always there.
fn label(text: &str) -> String {
    let (name, vector) = text.split_once(' ').map_or((text, ""), |(name, _)| (name, &text[name.len()..]));
    let (around, own) = name.rfind('.').map_or(("", name), |dot| name.split_at(dot + 1));
    let (own, element) = own.find('[').map_or((own, ""), |bracket| own.split_at(bracket));
    let spans = [("around", around), ("own", own), ("part", element), ("part", vector)];
    let shown = spans.iter().filter(|(_, part)| !part.is_empty());
    shown.map(|(class, part)| format!("<span class=\"{class}\">{}</span>", escape(part))).collect()
}

fn heading(reflection: &Reflection) -> String {
    escape(&format!("{} ({})", reflection.target, reflection.profile))
}

/// Everything with a register, binding or location, in their order.
fn table(target: usize, reflection: &Reflection, of: &str, stage: bool) -> String {
    let all = reflection.leaves.iter().filter(|l| l.index.is_some() && is_varying(l) == stage);
    let mut slots: Vec<(&Leaf, String)> = all.map(|l| (l, shown(l, reflection))).collect();
    // Stage inputs and outputs stay with their entry point.
    let entry = |l: &Leaf| {
        let mut entries = reflection.entry_points.iter();
        if stage { entries.position(|e| l.entry_points.contains(&e.name)) } else { None }
    };
    slots.sort_by_key(|(l, _)| (entry(l), rank(&l.kind), l.space, l.kind.clone(), l.index));
    let name = heading(reflection);
    let data = if stage { String::new() } else { format!(" data-name=\"{name}\"") };
    let emitted = if stage { "semantic" } else { "emitted as" };
    let mut text = format!(
        "<div class=\"card\"{data}><h3><strong>{name}</strong></h3>\n<div class=\"scroll\"><table>\n\
         <tr><th>position<th>{of}<th>{emitted}<th>{}</tr>\n",
        if stage { "stage" } else { "used by" }
    );
    for (leaf, shown) in &slots {
        let elements = leaf.elements.iter().map(|e| e.emitted_name.as_str());
        let emitted: Vec<&str> = leaf.emitted_name.as_deref().into_iter().chain(elements).collect();
        let unused = if leaf.entry_points.is_empty() { " class=\"unused\"" } else { "" };
        let hidden = HIDDEN.iter().find(|(word, _)| leaf.hidden.as_deref() == Some(word));
        let name = hidden.map_or_else(|| leaf.path.clone(), |(_, what)| format!("{} ({what})", leaf.path));
        let last = if stage { stages(leaf, reflection) } else { users(leaf) };
        text.push_str(&format!(
            "<tr{unused}><td>{}<td>{}<td>{}<td>{}</tr>\n",
            escape(shown),
            button(target, &leaf.path, "", "", &escape(&name), ""),
            escape(&leaf.semantic.clone().unwrap_or_else(|| emitted.join(", "))),
            escape(&last)
        ));
    }
    text + "</table></div></div>\n"
}

/// What buffers are that the source does not declare.
const HIDDEN: &[(&str, &str)] = &[
    ("counter", "counter"),
    ("globals", "plain globals"),
    ("entryPointParameters", "plain parameters"),
    ("block", "its plain data"),
];

fn is_varying(leaf: &Leaf) -> bool {
    Unit::of_word(&leaf.kind).is_some_and(Unit::is_located)
}

/// The stages of the entry points of a leaf.
fn stages(leaf: &Leaf, reflection: &Reflection) -> String {
    let entries = reflection.entry_points.iter().filter(|e| leaf.entry_points.contains(&e.name));
    entries.map(|e| e.stage.as_str()).collect::<Vec<_>>().join(", ")
}

fn shown(leaf: &Leaf, reflection: &Reflection) -> String {
    let kind = unit_on(&reflection.profile, &leaf.kind).to_owned();
    let word = match Unit::of_word(&kind) {
        Some(Unit::VaryingInput) => "input ",
        Some(Unit::VaryingOutput) => "output ",
        _ => "",
    };
    let at = position(&Binding { kind, index: leaf.index, space: leaf.space, count: leaf.count, ..Binding::default() });
    let per = per(leaf).map_or(String::new(), |per| format!(" {per}"));
    format!("{word}{at}{per}")
}

/// Where a buffer is bound.
fn bound(path: &str, reflection: &Reflection) -> String {
    let leaf = reflection.leaves.iter().find(|l| l.path == path && l.index.is_some());
    leaf.map_or(String::new(), |l| format!(" at {}", shown(l, reflection)))
}

/// Resources first, then numbers of other kinds, then stage inputs and outputs.
fn rank(kind: &str) -> u8 {
    match Unit::of_word(kind) {
        Some(Unit::VaryingInput | Unit::RayPayload | Unit::HitAttributes | Unit::CallablePayload) => 2,
        Some(Unit::VaryingOutput) => 3,
        Some(unit) if Unit::SLOTS.contains(&unit) => 0,
        _ => 1,
    }
}

/// Bytes with a name.
struct Cell<'a> {
    path: String,
    label: String,
    ty: &'a str,
    start: u64,
    end: u64,
}

fn title_of(buffer: &BufferMemory) -> String {
    let path = &buffer.parameter;
    match (&buffer.ty, path.strip_suffix(".$Params")) {
        (Some(ty), _) => format!("{path}: {ty}"),
        (None, Some(entry)) => format!("Uniform parameters of {entry}"),
        (None, None) => "Plain globals".to_owned(),
    }
}

/// What is called by the name of its buffer has that as its label.
fn label_of(buffer: &BufferMemory, row: &MemoryRow, indices: &[u64]) -> String {
    let path = if row.path.is_empty() { &buffer.parameter } else { &row.path };
    let mut names: Vec<String> = path.split('.').map(str::to_owned).collect();
    let at = if row.path.is_empty() { names.len() - 1 } else { 0 };
    let mut vector = String::new();
    for (repeat, index) in row.repeats.iter().zip(indices) {
        match (&repeat.vectors, names.get_mut(at + repeat.name.unwrap_or(0) as usize)) {
            (Some(word), _) => vector = format!(" {word} {index}"),
            (None, Some(name)) => name.push_str(&format!("[{index}]")),
            (None, None) => {}
        }
    }
    names.join(".") + &vector
}

/// The values in a buffer as far as they are shown, those of arrays and matrices each by themselves.
fn cells(buffer: &BufferMemory) -> Vec<Cell<'_>> {
    let mut list = Vec::new();
    let around = match buffer.parameter.strip_suffix("$Params") {
        Some(entry) => entry.to_owned(),
        None if buffer.parameter == GLOBALS => String::new(),
        None => format!("{}.", buffer.parameter),
    };
    for row in buffer.rows.iter().filter(|r| !r.padding) {
        let path = format!("{around}{}", row.path);
        elements(row, row.offset, &mut Vec::new(), &mut |start, size, indices| {
            let label = label_of(buffer, row, indices);
            let (path, ty) = (path.trim_end_matches('.').to_owned(), row.ty.as_deref().unwrap_or(""));
            list.push(Cell { path, label, ty, start, end: start.saturating_add(size) });
        });
    }
    list.sort_by_key(|c| (c.start, c.end));
    list
}

/// Tells where the values of a row begin. Arrays are no deeper than types, and rows are shown up to an end.
fn elements(row: &MemoryRow, at: u64, indices: &mut Vec<u64>, found: &mut impl FnMut(u64, u64, &[u64])) {
    match (row.repeats.get(indices.len()), row.size) {
        _ if at >= ROW * MOST_ROWS => {}
        (Some(Repeat { stride, count: Count::Number(n), .. }), _) => {
            for index in 0..(*n).min(ROW * MOST_ROWS) {
                indices.push(index);
                elements(row, at.saturating_add(stride.saturating_mul(index)), indices, found);
                indices.pop();
            }
        }
        (None, Count::Number(size)) => found(at, size, indices),
        (Some(_), _) | (None, Count::Word(_)) => {}
    }
}

fn absent(reflection: &Reflection) -> String {
    format!(
        "<div class=\"card\"><h3>{}</h3><p class=\"none\">There is no such buffer.</p></div>\n",
        heading(reflection)
    )
}

/// A buffer in rows; each field has a colour of its own, padding is hatched.
fn rows(target: usize, buffer: &BufferMemory, reflection: &Reflection) -> String {
    let cells = cells(buffer);
    let mut paths: Vec<&str> = Vec::new();
    let last = cells.last().map_or(0, |c| c.end);
    let end = match (buffer.element_stride, buffer.size) {
        (Some(n), _) | (None, Count::Number(n)) => n.max(last),
        (None, Count::Word(_)) => last,
    };
    let count = end.div_ceil(ROW);
    let mut text = format!(
        "<div class=\"card\"><h3><strong>{}</strong>: {} bytes{}{}</h3>\n{SCALE}",
        heading(reflection),
        end,
        if buffer.element_stride.is_some() { " an element" } else { "" },
        escape(&bound(&buffer.parameter, reflection))
    );
    for row in 0..count.min(MOST_ROWS) {
        let (from, to) = (row * ROW, ((row + 1) * ROW).min(end));
        text.push_str(&format!("<div class=\"row\"><div class=\"at\">{from}</div><div class=\"bytes\">"));
        let mut at = from;
        for cell in cells.iter().filter(|c| c.start < to && c.end > from) {
            let hue = match paths.iter().position(|p| *p == cell.path) {
                Some(found) => found,
                None => {
                    paths.push(&cell.path);
                    paths.len() - 1
                }
            };
            let (start, end) = (cell.start.max(from).max(at), cell.end.min(to));
            text.push_str(&gap(at, start, from));
            if start < end {
                // Neighbours are far apart on the circle of colours.
                let style = format!("{}background:hsl({} 65% 82%)", columns(start, end, from), hue * 137 % 360);
                let hint = format!("{} {}: bytes {} to {}", cell.ty, cell.label, cell.start, cell.end - 1);
                let shown = format!("{}<small>{}</small>", label(&cell.label), escape(cell.ty));
                text.push_str(&button(target, &cell.path, "cell", &style, &shown, &hint));
                at = end;
            }
        }
        text.push_str(&gap(at, to, from));
        text.push_str("</div></div>\n");
    }
    if count > MOST_ROWS {
        text.push_str(&format!("<p class=\"more\">{} more rows</p>\n", count - MOST_ROWS));
    }
    text + "</div>\n"
}

fn columns(start: u64, end: u64, from: u64) -> String {
    format!("grid-column:{} / {};", start - from + 1, end - from + 1)
}

fn gap(start: u64, end: u64, from: u64) -> String {
    if start >= end {
        return String::new();
    }
    let s = if end - start == 1 { "" } else { "s" };
    format!(
        "<div class=\"padding\" style=\"{}\" title=\"{} byte{s} of padding\"></div>",
        columns(start, end, from),
        end - start
    )
}
