//! Sidecars as one page without anything outside of it: buffers as rows of 16 bytes, tables of registers and bindings,
//! targets side by side, and why everything is where it is.

use super::explain::Explanation;
use super::model::{Binding, Count, Leaf, Reflection, Scope, TypeNode, Variable};
use super::words::{position, type_name};
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

/// A sidecar with its derivations.
pub type Side<'a> = (&'a Reflection, &'a [Explanation]);

/// The page.
pub fn page(title: &str, sides: &[Side]) -> String {
    let title = escape(title);
    let mut body =
        format!("<h1>{title}</h1>\n<p>Bytes, registers and bindings. Click anything to see why it is there.</p>\n");
    body.push_str("<h2>Registers and bindings</h2>\n<div class=\"targets\">\n");
    for (index, (reflection, _)) in sides.iter().enumerate() {
        body.push_str(&table(index, reflection));
    }
    body.push_str("</div>\n");
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
         </head>\n<body>\n<main>\n{body}</main>\n<div id=\"why\" aria-live=\"polite\">Nothing is chosen.</div>\n\
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

fn button(target: usize, path: &str, class: &str, style: &str, label: &str, hint: &str) -> String {
    format!(
        "<button class=\"{class}\" style=\"{style}\" data-target=\"{target}\" data-path=\"{}\" title=\"{}\">{}</button>",
        escape(path),
        escape(hint),
        escape(label)
    )
}

fn heading(reflection: &Reflection) -> String {
    escape(&format!("{} ({})", reflection.target, reflection.profile))
}

/// Everything with a register or binding, in their order.
fn table(target: usize, reflection: &Reflection) -> String {
    let mut slots: Vec<(Leaf, String)> =
        reflection.leaves.iter().filter(|l| l.index.is_some()).map(|l| (l.clone(), String::new())).collect();
    let entries = reflection.entry_points.iter().map(|e| (format!("{}.$Params", e.name), &e.scope));
    for (path, scope) in [("$Globals".to_owned(), &reflection.global_scope)].into_iter().chain(entries) {
        for b in &scope.bindings {
            let leaf = Leaf {
                path: path.clone(),
                kind: b.kind.clone(),
                index: b.index,
                space: Some(b.space.unwrap_or(0)),
                emitted_name: scope.emitted_name.clone(),
                ..Leaf::default()
            };
            slots.push((leaf, String::new()));
        }
    }
    for entry in &reflection.entry_points {
        let uniform = entry.parameters.iter().filter(|p| p.stage.is_none() && p.semantic_name.is_none());
        for parameter in uniform {
            let path = format!("{}.{}", entry.name, parameter.name.as_deref().unwrap_or(""));
            for b in parameter.binding.iter().chain(&parameter.bindings).filter(|b| b.index.is_some()) {
                let (kind, index, space) = (b.kind.clone(), b.index, Some(b.space.unwrap_or(0)));
                let leaf = Leaf {
                    path: path.clone(),
                    kind,
                    index,
                    space,
                    entry_points: vec![entry.name.clone()],
                    ..Leaf::default()
                };
                slots.push((leaf, String::new()));
            }
        }
    }
    for (leaf, shown) in &mut slots {
        *shown =
            position(&Binding { kind: leaf.kind.clone(), index: leaf.index, space: leaf.space, ..Binding::default() });
    }
    slots.sort_by_key(|(l, _)| (l.space, l.kind.clone(), l.index));
    let mut text = format!(
        "<div class=\"card\" data-name=\"{0}\"><h3>{0}</h3>\n<table>\n<tr><th>position<th>parameter<th>emitted as<th>used by</tr>\n",
        heading(reflection)
    );
    for (leaf, shown) in &slots {
        text.push_str(&format!(
            "<tr><td>{}<td>{}<td>{}<td>{}</tr>\n",
            escape(shown),
            button(target, &leaf.path, "", "", &leaf.path, ""),
            escape(leaf.emitted_name.as_deref().unwrap_or("")),
            escape(&leaf.entry_points.join(", "))
        ));
    }
    text + "</table></div>\n"
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
    let mut buffer = Buffer { path: path.to_owned(), title: title.to_owned(), size: 0, cells: Vec::new() };
    variables.iter().for_each(|v| buffer.field(v, 0, below));
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
        let mut buffer =
            Buffer { path: path.to_owned(), title: format!("{path}: {}", type_name(ty)), size: 0, cells: Vec::new() };
        buffer.size = node.element_stride.unwrap_or_else(|| bytes(inner).map_or(0, |(size, _)| size));
        match &inner.fields {
            Some(fields) => fields.iter().for_each(|f| buffer.field(f, 0, path)),
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
    fn field(&mut self, variable: &Variable, base: u64, below: &str) {
        let at = variable.binding.iter().chain(&variable.bindings).find_map(|b| b.offset);
        if let (Some(at), Some(ty)) = (at, variable.ty.as_deref()) {
            let path = join(below, variable);
            self.value(ty, base.saturating_add(at), &path, variable.name.as_deref().unwrap_or(""));
        }
    }

    /// The cells of a value: fields, elements and vectors of matrices each by themselves.
    fn value(&mut self, ty: &TypeNode, base: u64, path: &str, label: &str) {
        if self.cells.len() >= MOST_CELLS {
            return;
        }
        if let Some(fields) = &ty.fields {
            fields.iter().for_each(|f| self.field(f, base, path));
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
    let mut text = format!("<div class=\"card\"><h3>{}: {} bytes</h3>\n", heading(reflection), buffer.size);
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
                text.push_str(&button(target, &cell.path, "cell", &style, &cell.label, &hint));
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
