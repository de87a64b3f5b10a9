//! Sidecars as one page without anything outside of it: buffers as rows of 16 bytes, tables of registers and bindings,
//! targets side by side, and why everything is where it is.

use super::explain::Explanation;
use super::model::{Binding, Count, Leaf, Reflection, Scope, TypeNode, Variable};
use super::text::{per, users};
use super::words::{position, type_name, unit_on};
use crate::layout::Unit;
use crate::layout::rules::round_up;
use std::collections::BTreeSet;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Bytes in a row.
const ROW: u64 = 16;
/// A buffer that has more rows is shown up to here.
const MOST_ROWS: u64 = 64;
/// Nobody looks at more parts of one buffer.
const MOST_CELLS: usize = 2048;

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
    let buffers: Vec<Vec<Buffer>> = sides.iter().map(|(r, _)| buffers(r)).collect();
    let mut seen = BTreeSet::new();
    for buffer in buffers.iter().flatten().filter(|b| seen.insert(b.path.clone())).collect::<Vec<_>>() {
        body.push_str(&format!("<h2>{}</h2>\n<div class=\"targets\">\n", escape(&buffer.title)));
        for (index, (list, (reflection, _))) in buffers.iter().zip(sides).enumerate() {
            let found = list.iter().find(|b| b.path == buffer.path);
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

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
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
        let name = match &leaf.hidden {
            Some(hidden) => match HIDDEN.iter().find(|(word, _)| word == hidden) {
                Some((_, what)) => format!("{} ({what})", leaf.path),
                None => leaf.path.clone(),
            },
            None => leaf.path.clone(),
        };
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
struct Cell {
    path: String,
    label: String,
    ty: String,
    start: u64,
    end: u64,
}

struct Buffer {
    path: String,
    title: String,
    size: u64,
    /// The bytes are those of an element.
    element: bool,
    cells: Vec<Cell>,
}

/// All buffers with plain data.
fn buffers(reflection: &Reflection) -> Vec<Buffer> {
    let mut list = Vec::new();
    scope(
        ("$Globals", "Plain globals"),
        &reflection.global_scope,
        "",
        reflection.parameters.iter().collect(),
        &mut list,
    );
    for entry in &reflection.entry_points {
        let uniform = entry.parameters.iter().filter(|p| p.stage.is_none() && p.semantic_name.is_none()).collect();
        let (path, title) = (format!("{}.$Params", entry.name), format!("Uniform parameters of {}", entry.name));
        scope((&path, &title), &entry.scope, &entry.name, uniform, &mut list);
    }
    list
}

/// The buffer of a scope's plain data, and those of its parameters.
fn scope((path, title): (&str, &str), of: &Scope, below: &str, variables: Vec<&Variable>, list: &mut Vec<Buffer>) {
    let mut buffer =
        Buffer { path: path.to_owned(), title: title.to_owned(), size: 0, element: false, cells: Vec::new() };
    variables.iter().for_each(|v| buffer.field(v, 0, below, ""));
    if !buffer.cells.is_empty() {
        let end = buffer.cells.iter().map(|c| c.end).max().unwrap_or(0);
        buffer.size = match of.size {
            Some(Count::Number(n)) => n.max(end),
            _ => end,
        };
        list.push(buffer);
    }
    for variable in variables {
        nested(&join(below, variable), variable, list);
    }
}

fn join(below: &str, variable: &Variable) -> String {
    let name = variable.name.as_deref().unwrap_or("");
    if below.is_empty() { name.to_owned() } else { format!("{below}.{name}") }
}

/// Buffers that a variable is or holds.
fn nested(path: &str, variable: &Variable, list: &mut Vec<Buffer>) {
    let Some(ty) = variable.ty.as_deref() else { return };
    let mut node = ty;
    while let (true, Some(element)) = (node.kind == "array", node.element_type.as_deref()) {
        node = element;
    }
    let contents = node.element_var_layout.as_ref().and_then(|v| v.ty.as_deref());
    let element = node.result_type.as_deref().filter(|_| node.element_stride.is_some());
    if let Some(inner) = contents.or(element) {
        let mut buffer = Buffer {
            path: path.to_owned(),
            title: format!("{path}: {}", type_name(ty)),
            size: 0,
            element: false,
            cells: Vec::new(),
        };
        buffer.element = node.element_stride.is_some();
        buffer.size = node.element_stride.unwrap_or_else(|| bytes(inner).map_or(0, |(size, _)| size));
        match &inner.fields {
            Some(fields) => fields.iter().for_each(|f| buffer.field(f, 0, path, "")),
            None => buffer.value(inner, 0, path, path),
        }
        if !buffer.cells.is_empty() {
            list.push(buffer);
        }
        inner.fields.iter().flatten().for_each(|f| nested(&join(path, f), f, list));
    } else {
        node.fields.iter().flatten().for_each(|f| nested(&join(path, f), f, list));
    }
}

/// Size and alignment of a type's plain data.
fn bytes(node: &TypeNode) -> Option<(u64, u64)> {
    let size = node.sizes.iter().flatten().find(|s| s.kind == "uniform")?;
    match size.value {
        Count::Number(n) => Some((n, size.alignment.unwrap_or(1).into())),
        Count::Word(_) => None,
    }
}

impl Buffer {
    /// `label` is what is around it in the buffer.
    fn field(&mut self, variable: &Variable, base: u64, below: &str, label: &str) {
        let at = variable.binding.iter().chain(&variable.bindings).find_map(|b| b.offset);
        if let (Some(at), Some(ty)) = (at, variable.ty.as_deref()) {
            let path = join(below, variable);
            self.value(ty, base.saturating_add(at), &path, &join(label, variable));
        }
    }

    /// The cells of a value: fields, elements and vectors of matrices each by themselves.
    fn value(&mut self, ty: &TypeNode, base: u64, path: &str, label: &str) {
        if self.cells.len() >= MOST_CELLS {
            return;
        }
        if let Some(fields) = &ty.fields {
            fields.iter().for_each(|f| self.field(f, base, path, label));
            return;
        }
        let Some((size, align)) = bytes(ty) else { return };
        let element = ty.element_type.as_deref();
        if let (Some(stride), Some(Count::Number(n)), Some(element)) = (ty.uniform_stride, ty.element_count, element) {
            for i in 0..n.min(MOST_CELLS as u64) {
                self.value(element, base.saturating_add(stride.saturating_mul(i)), path, &format!("{label}[{i}]"));
            }
            return;
        }
        if let (Some(rows), Some(columns)) = (ty.row_count, ty.column_count) {
            let by_row = ty.matrix_layout.as_deref() == Some("row");
            let (count, length) = if by_row { (rows, columns) } else { (columns, rows) };
            let width = u64::from(length) * element.map_or(4, scalar_bytes);
            let stride = round_up(width, align);
            for i in 0..u64::from(count) {
                let word = if by_row { "row" } else { "column" };
                self.cell(
                    path,
                    format!("{label} {word} {i}"),
                    ty,
                    base.saturating_add(stride.saturating_mul(i)),
                    width,
                );
            }
            return;
        }
        self.cell(path, label.to_owned(), ty, base, size);
    }

    fn cell(&mut self, path: &str, label: String, ty: &TypeNode, start: u64, size: u64) {
        if size > 0 && self.cells.len() < MOST_CELLS {
            let end = start.saturating_add(size);
            self.cells.push(Cell { path: path.to_owned(), label, ty: type_name(ty), start, end });
        }
    }
}

fn scalar_bytes(node: &TypeNode) -> u64 {
    let word = node.scalar_type.as_deref().unwrap_or("");
    let bits = word.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u64>();
    bits.map_or(4, |bits| bits / 8)
}

fn absent(reflection: &Reflection) -> String {
    format!(
        "<div class=\"card\"><h3>{}</h3><p class=\"none\">There is no such buffer.</p></div>\n",
        heading(reflection)
    )
}

/// A buffer in rows; each field has a colour of its own, padding is hatched.
fn rows(target: usize, buffer: &Buffer, reflection: &Reflection) -> String {
    let mut cells: Vec<&Cell> = buffer.cells.iter().collect();
    cells.sort_by_key(|c| (c.start, c.end));
    let mut paths: Vec<&str> = Vec::new();
    let end = buffer.size.max(cells.last().map_or(0, |c| c.end));
    let count = end.div_ceil(ROW);
    let mut text = format!(
        "<div class=\"card\"><h3><strong>{}</strong>: {} bytes{}{}</h3>\n{SCALE}",
        heading(reflection),
        buffer.size,
        if buffer.element { " an element" } else { "" },
        escape(&bound(&buffer.path, reflection))
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
                let shown = format!("{}<small>{}</small>", label(&cell.label), escape(&cell.ty));
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
