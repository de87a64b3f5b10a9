//! Two sidecars as interfaces: what was added or removed, and what both have but elsewhere, larger or of another type.
//!
//! Parameters are compared by their absolute positions, what lies in them by its position there, so that a buffer that
//! moved is one change and not one a field. Elements of an array that lie at other distances have moved too, and so have the
//! vectors of a matrix.

use super::model::{Binding, BufferMemory, EntryPoint, MemoryRow, Reflection, Scope, TypeNode, Variable};
use super::varyings::patch_path;
use super::words::{aligned, count, has_classes, position, relative, type_name};
use crate::layout::Unit;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The version of the format of [`Diff`].
pub const DIFF_VERSION: &str = "shaderport-diff/1";

/// What changed from one sidecar to another.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    /// The format.
    pub schema: String,
    /// The language of both.
    pub target: String,
    /// In the order of the old sidecar, then what is new in the order of the new one.
    pub changes: Vec<Change>,
    /// Buffers that both have and whose bytes are not the same.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub memory: Vec<MemoryChange>,
}

/// A buffer whose bytes are not what they were.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct MemoryChange {
    /// Path of the buffer.
    pub parameter: String,
    /// Its bytes as they were.
    pub old: BufferMemory,
    /// As they are.
    pub new: BufferMemory,
}

/// How something changed.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// Only the old one has it.
    Removed,
    /// Only the new one has it.
    Added,
    /// Its register, binding, location, byte offset or the distance of its elements is another.
    Moved,
    /// It takes more or less.
    Resized,
    /// Its type, stage or semantic is another.
    Retyped,
}

impl ChangeKind {
    /// All kinds.
    pub const ALL: [ChangeKind; 5] =
        [ChangeKind::Removed, ChangeKind::Added, ChangeKind::Moved, ChangeKind::Resized, ChangeKind::Retyped];

    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            ChangeKind::Removed => "removed",
            ChangeKind::Added => "added",
            ChangeKind::Moved => "moved",
            ChangeKind::Resized => "resized",
            ChangeKind::Retyped => "retyped",
        }
    }
}

/// What kind of thing changed.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    /// A shader parameter, or the buffer of a scope's plain data.
    Parameter,
    /// A part of one.
    Field,
    /// An entry point.
    EntryPoint,
    /// A stage input or output.
    Varying,
}

impl Subject {
    fn word(self) -> &'static str {
        match self {
            Subject::Parameter => "parameter",
            Subject::Field => "field",
            Subject::EntryPoint => "entry point",
            Subject::Varying => "varying",
        }
    }
}

/// One change. A thing may be moved and retyped at once; those are two.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// How.
    pub change: ChangeKind,
    /// What kind of thing.
    pub subject: Subject,
    /// `gPairs.b`, `main.uv`.
    pub path: String,
    /// As it was; absent for what was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Facts>,
    /// As it is; absent for what was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Facts>,
}

/// What is compared of a thing.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    /// Its type; of an entry point the stage.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its positions: of a parameter absolute, of a field in what holds it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub positions: Vec<Binding>,
    /// How much it takes, by unit; `contents` are bytes of a buffer, `element` is the distance of elements, `vectors` tells
    /// how the vectors of a matrix lie, `threads` are those of a group.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub sizes: BTreeMap<String, String>,
    /// Position in the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

struct Item {
    subject: Subject,
    path: String,
    facts: Facts,
    /// Where all slots are bindings: what its own were counted among, which follows from options and moves nothing by itself.
    counted: BTreeSet<String>,
    /// Its own slots: space and number.
    slots: BTreeSet<(u64, u64)>,
}

/// Compares two sidecars.
pub fn diff(old: &Reflection, new: &Reflection) -> Diff {
    let memory = memory(&old.memory, &new.memory);
    let (old, target) = (items(old), new.target.clone());
    let new = items(new);
    let news: BTreeMap<&str, &Item> = new.iter().map(|i| (i.path.as_str(), i)).collect();
    let olds: BTreeSet<&str> = old.iter().map(|i| i.path.as_str()).collect();
    let mut changes = Vec::new();
    for item in &old {
        match news.get(item.path.as_str()) {
            Some(now) => compare(item, now, &mut changes),
            None => changes.push(change(ChangeKind::Removed, item, Some(&item.facts), None)),
        }
    }
    for item in new.iter().filter(|i| !olds.contains(i.path.as_str())) {
        changes.push(change(ChangeKind::Added, item, None, Some(&item.facts)));
    }
    Diff { schema: DIFF_VERSION.to_owned(), target, changes, memory }
}

/// Buffers of one path whose bytes differ. Types and names in the text do not matter.
fn memory(old: &[BufferMemory], new: &[BufferMemory]) -> Vec<MemoryChange> {
    let shown = |buffer: &BufferMemory| lines(buffer, [0, 0]);
    let mut news: BTreeMap<&str, &BufferMemory> = BTreeMap::new();
    for buffer in new {
        news.entry(&buffer.parameter).or_insert(buffer);
    }
    let both = old.iter().filter_map(|was| {
        let is = *news.get(was.parameter.as_str())?;
        let change = MemoryChange { parameter: was.parameter.clone(), old: was.clone(), new: is.clone() };
        (shown(was) != shown(is)).then_some(change)
    });
    both.collect()
}

fn change(kind: ChangeKind, item: &Item, old: Option<&Facts>, new: Option<&Facts>) -> Change {
    let path = item.path.clone();
    Change { change: kind, subject: item.subject, path, old: old.cloned(), new: new.cloned() }
}

fn compare(old: &Item, new: &Item, changes: &mut Vec<Change>) {
    let recounted = old.counted != new.counted && !old.counted.is_empty() && !new.counted.is_empty();
    let [a, b] = &[old, new].map(|item| if recounted { absolute(item) } else { item.facts.clone() });
    let elsewhere = recounted && old.slots != new.slots || lies_elsewhere(a, b);
    let found = [
        (ChangeKind::Moved, elsewhere || changed_distances(a, b).next().is_some()),
        (ChangeKind::Resized, !own_sizes(a).eq(own_sizes(b))),
        (ChangeKind::Retyped, a.ty != b.ty || old.subject != new.subject),
    ];
    for (kind, _) in found.into_iter().filter(|(_, is)| *is) {
        changes.push(change(kind, new, Some(a), Some(b)));
    }
}

/// Facts with the slots where they are, rather than where they are in what holds them.
fn absolute(item: &Item) -> Facts {
    let mut facts = item.facts.clone();
    facts.positions.retain(|b| b.kind != Unit::Descriptor.word());
    let slot = |(space, index): &(u64, u64)| {
        let kind = Unit::Descriptor.word().to_owned();
        Binding { kind, space: Some(*space), index: Some(*index), ..Binding::default() }
    };
    facts.positions.extend(item.slots.iter().map(slot));
    facts
}

/// Whether a unit that both have begins elsewhere, or they have none in common. What takes nothing has no place.
fn lies_elsewhere(old: &Facts, new: &Facts) -> bool {
    type Places = BTreeMap<String, Vec<(Option<u64>, u64, u64)>>;
    let places = |facts: &Facts| -> Places {
        let place = |b: &Binding| (b.offset, b.index.unwrap_or(0), b.space.unwrap_or(0));
        let mut places = Places::new();
        facts.positions.iter().for_each(|b| places.entry(b.kind.clone()).or_default().push(place(b)));
        places
    };
    let (old, new) = (places(old), places(new));
    let both: Vec<_> = old.iter().filter_map(|(kind, at)| Some((at, new.get(kind)?))).collect();
    let elsewhere = both.iter().any(|(a, b)| a != b);
    elsewhere || (both.is_empty() && !old.is_empty() && !new.is_empty())
}

/// Sizes that are distances in truth: another one moves all but the first of what lies so.
const DISTANCES: [&str; 2] = ["element", "vectors"];

/// The distances that both have and that are not the same.
fn changed_distances<'a>(old: &'a Facts, new: &'a Facts) -> impl Iterator<Item = (&'a String, &'a String)> {
    let plain = |facts: &Facts| facts.ty.replace("row_major ", "");
    // The vectors of another matrix are others.
    let comparable = move |d: &&str| *d != "vectors" || plain(old) == plain(new);
    let both = DISTANCES.into_iter().filter(comparable);
    both.filter_map(|d| Some((old.sizes.get(d)?, new.sizes.get(d)?))).filter(|(a, b)| a != b)
}

/// The sizes that are no distances.
fn own_sizes(facts: &Facts) -> impl Iterator<Item = (&String, &String)> {
    facts.sizes.iter().filter(|(unit, _)| !DISTANCES.contains(&unit.as_str()))
}

/// Everything that is compared, in the order of the sidecar; every path once.
fn items(reflection: &Reflection) -> Vec<Item> {
    let mut list = Items { bindings: !has_classes(&reflection.profile), ..Items::default() };
    for leaf in &reflection.leaves {
        if let Some(index) = leaf.index.filter(|_| leaf.kind == Unit::Descriptor.word()) {
            list.leaves.entry(&leaf.path).or_default().insert((leaf.space.unwrap_or(0), index));
        }
    }
    list.scope("$Globals", &reflection.global_scope);
    for parameter in &reflection.parameters {
        list.variable(Subject::Parameter, "", parameter, &[]);
    }
    for entry in &reflection.entry_points {
        list.entry(entry);
    }
    list.items
}

#[derive(Default)]
struct Items<'a> {
    items: Vec<Item>,
    seen: BTreeMap<String, usize>,
    /// All slots are bindings, in whatever register class they were counted.
    bindings: bool,
    /// The bindings of leaves, by path.
    leaves: BTreeMap<&'a str, BTreeSet<(u64, u64)>>,
}

/// Whether slots of a unit are bindings where there are no registers.
fn is_slot(unit: &str) -> bool {
    Unit::of_word(unit).is_some_and(|u| u == Unit::Descriptor || u.class().is_some())
}

impl Items<'_> {
    /// Adds an item; a path that is there already is numbered. Gives the path.
    fn push(&mut self, subject: Subject, path: String, facts: Facts) -> String {
        let seen = self.seen.entry(path.clone()).or_default();
        *seen += 1;
        let path = if *seen > 1 { format!("{path}#{seen}") } else { path };
        let mut item = Item { subject, path: path.clone(), facts, counted: BTreeSet::new(), slots: BTreeSet::new() };
        if self.bindings {
            item.slots = self.leaves.get(path.as_str()).cloned().unwrap_or_default();
            item.count_as_bindings();
        }
        self.items.push(item);
        path
    }

    fn scope(&mut self, path: &str, scope: &Scope) {
        if scope.kind == "none" || scope.kind.is_empty() {
            return;
        }
        let mut facts = Facts { ty: scope.kind.clone(), positions: scope.bindings.clone(), ..Facts::default() };
        facts.sizes.extend(scope.size.map(|s| ("contents".to_owned(), count(s))));
        self.push(Subject::Parameter, path.to_owned(), facts);
    }

    fn entry(&mut self, entry: &EntryPoint) {
        let mut facts = Facts { ty: entry.stage.clone(), ..Facts::default() };
        if let Some([x, y, z]) = entry.thread_group_size {
            facts.sizes.insert("threads".to_owned(), format!("{x} x {y} x {z}"));
        }
        let path = self.push(Subject::EntryPoint, entry.name.clone(), facts);
        self.scope(&format!("{path}.$Params"), &entry.scope);
        for parameter in &entry.parameters {
            let varying = parameter.stage.is_some() || parameter.semantic_name.is_some();
            self.variable(if varying { Subject::Varying } else { Subject::Parameter }, &path, parameter, &[]);
        }
        let patch = patch_path(&path);
        let constants = entry.patch_constants.iter().map(|constant| (&patch, constant));
        for (path, variable) in entry.result.iter().map(|result| (&path, result)).chain(constants) {
            let name = variable.name.clone().unwrap_or_else(|| "(result)".to_owned());
            self.variable(Subject::Varying, path, &Variable { name: Some(name), ..variable.clone() }, &[]);
        }
    }

    /// `base` is where the contents begin of the block that it is directly in.
    fn variable(&mut self, subject: Subject, below: &str, variable: &Variable, base: &[Binding]) {
        let name = variable.name.as_deref().unwrap_or("(unnamed)");
        let path = if below.is_empty() { name.to_owned() } else { format!("{below}.{name}") };
        let ty = variable.ty.as_deref();
        let mut facts = Facts {
            ty: ty.map_or(String::new(), type_name),
            positions: variable.offsets().map(|b| behind(b, base)).collect(),
            sizes: ty.map_or_else(BTreeMap::new, sizes),
            location: variable.location.clone(),
        };
        if let Some(semantic) = &variable.semantic_name {
            facts.ty.push_str(&format!(" : {semantic}{}", variable.semantic_index.unwrap_or(0)));
        }
        let path = self.push(subject, path, facts);
        let inner = if subject == Subject::Varying { Subject::Varying } else { Subject::Field };
        let base = ty.map_or_else(Vec::new, contents_begin);
        for field in ty.into_iter().flat_map(contents) {
            self.variable(inner, &path, field, &base);
        }
    }
}

impl Item {
    /// Makes bindings of all slots, whatever they were counted among.
    fn count_as_bindings(&mut self) {
        let binding = Unit::Descriptor.word();
        for position in self.facts.positions.iter_mut().filter(|b| is_slot(&b.kind)) {
            self.counted.insert(std::mem::replace(&mut position.kind, binding.to_owned()));
        }
        let slots: Vec<String> = self.facts.sizes.keys().filter(|unit| is_slot(unit)).cloned().collect();
        if slots.len() < 2 && slots.iter().all(|unit| unit == binding) {
            return;
        }
        let sizes: Vec<String> = slots.iter().filter_map(|unit| self.facts.sizes.remove(unit)).collect();
        let sum: Option<u64> = sizes.iter().map(|size| size.parse::<u64>().ok()).sum();
        let unbounded = || sizes.into_iter().find(|size| size.parse::<u64>().is_err()).unwrap_or_default();
        self.facts.sizes.insert(binding.to_owned(), sum.map_or_else(unbounded, |n| n.to_string()));
    }
}

/// What a type takes: its own units, the bytes in a buffer, the distance of elements.
fn sizes(node: &TypeNode) -> BTreeMap<String, String> {
    let mut sizes: BTreeMap<String, String> =
        node.sizes.iter().flatten().map(|s| (s.kind.clone(), count(s.value))).collect();
    let inner = node.element_var_layout.as_ref().and_then(|v| v.ty.as_deref());
    let bytes = inner.and_then(|t| t.sizes.iter().flatten().find(|s| s.kind == "uniform"));
    sizes.extend(bytes.map(|b| ("contents".to_owned(), count(b.value))));
    sizes.extend(node.element_stride.or(node.uniform_stride).map(|n| ("element".to_owned(), n.to_string())));
    sizes.extend(vectors(node).map(|v| ("vectors".to_owned(), v)));
    sizes
}

/// How the vectors of a matrix, or of the matrices of an array, lie: those of one order with as many rows, columns and bytes
/// lie alike. Its own size is that of a type, so only matrices of one type are compared.
fn vectors(node: &TypeNode) -> Option<String> {
    let mut node = node;
    while node.kind == "array" {
        node = node.element_type.as_deref()?;
    }
    let bytes = node.sizes.iter().flatten().find(|s| s.kind == "uniform" && node.kind == "matrix")?;
    let order = node.matrix_layout.as_deref().unwrap_or("col");
    Some(format!("{} bytes by {}", count(bytes.value), if order == "row" { "rows" } else { "columns" }))
}

/// Where the slots of a block's contents begin in the block: behind its buffer, if it has one, which it may get or lose.
fn contents_begin(node: &TypeNode) -> Vec<Binding> {
    let mut node = node;
    while let (None, true, Some(element)) = (&node.element_var_layout, node.kind == "array", &node.element_type) {
        node = element;
    }
    let element = node.element_var_layout.iter();
    let all = element.flat_map(|v| v.offsets());
    all.filter(|b| b.index.is_some()).cloned().collect()
}

/// A position in a block's contents as one in the block.
fn behind(binding: &Binding, base: &[Binding]) -> Binding {
    let start = base.iter().find(|b| b.kind == binding.kind && binding.index.is_some());
    let moved = |at: Option<u64>, by: Option<u64>| at.map(|n| n.saturating_add(by.unwrap_or(0)));
    let index = moved(binding.index, start.and_then(|b| b.index));
    Binding { index, ..binding.clone() }
}

/// The fields in a type, through arrays, blocks and structured buffers.
pub fn contents(node: &TypeNode) -> &[Variable] {
    let mut node = node;
    loop {
        if let Some(fields) = &node.fields {
            return fields;
        }
        let block = node.element_var_layout.as_ref().and_then(|v| v.ty.as_deref());
        let element = if node.kind == "array" { node.element_type.as_deref() } else { None };
        let structured = if node.element_stride.is_some() { node.result_type.as_deref() } else { None };
        match block.or(element).or(structured) {
            Some(inner) => node = inner,
            None => return &[],
        }
    }
}

impl Diff {
    /// Whether something that both have lies elsewhere, or an entry point that both have is one of another stage or of other
    /// thread groups: who uses the old one cannot use the new one unchanged.
    pub fn has_moved(&self) -> bool {
        let both = |c: &Change| c.old.is_some() && c.new.is_some();
        self.changes.iter().any(|c| c.change == ChangeKind::Moved || (c.subject == Subject::EntryPoint && both(c)))
    }

    /// The changes as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// A line a change, columns aligned, then what changed in the bytes of buffers, and a line that counts the changes.
    /// Nothing if there are none.
    pub fn to_text(&self) -> String {
        if self.changes.is_empty() && self.memory.is_empty() {
            return String::new();
        }
        let mut text = aligned(&self.changes.iter().map(row).collect::<Vec<_>>());
        self.memory.iter().for_each(|change| text.push_str(&change.to_text()));
        let number = |kind| self.changes.iter().filter(|c| c.change == kind).count();
        let counts = ChangeKind::ALL.into_iter().map(|k| (k, number(k))).filter(|(_, n)| *n > 0);
        let counts: Vec<String> = counts.map(|(k, n)| format!("{n} {}", k.word())).collect();
        if !counts.is_empty() {
            let blank = if self.memory.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{blank}{}\n", counts.join(", ")));
        }
        text
    }
}

impl MemoryChange {
    /// The rows of the buffer that went and came, with those around them: offset, bytes, name.
    fn to_text(&self) -> String {
        let rows = || self.old.rows.iter().chain(&self.new.rows);
        let widths = [
            rows().map(|r| r.offset.to_string().len()).max().unwrap_or(0),
            rows().map(|r| count(r.size).len()).max().unwrap_or(0),
        ];
        let (old, new) = (lines(&self.old, widths), lines(&self.new, widths));
        let diff = similar::TextDiff::from_lines(&old, &new);
        let mut text = format!("\n{}: offset, bytes, what\n", self.parameter);
        for (i, group) in diff.grouped_ops(2).iter().enumerate() {
            text.push_str(if i > 0 { "  ...\n" } else { "" });
            for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                text.push_str(&format!("{} {change}", change.tag()));
            }
        }
        text
    }
}

/// A line for each row of a buffer.
fn lines(buffer: &BufferMemory, [offset, size]: [usize; 2]) -> String {
    let line = |row: &MemoryRow| {
        let repeats = row.repeats.iter().map(|r| format!(" x {} every {}", count(r.count), r.stride));
        let what = if row.padding { "(padding)" } else { row.path.as_str() };
        format!("{:>offset$}  {:>size$}  {what}{}\n", row.offset, count(row.size), repeats.collect::<String>())
    };
    let end = match buffer.element_stride {
        Some(stride) => format!("{stride} bytes from element to element\n"),
        None => format!("{} bytes\n", count(buffer.size)),
    };
    buffer.rows.iter().map(line).collect::<String>() + &end
}

fn row(change: &Change) -> Vec<String> {
    let both = |show: &dyn Fn(&Facts) -> String| match (&change.old, &change.new) {
        (Some(old), Some(new)) => format!("{} -> {}", show(old), show(new)),
        (Some(one), None) | (None, Some(one)) => show(one),
        (None, None) => String::new(),
    };
    let what = match change.change {
        ChangeKind::Moved => moved(change),
        ChangeKind::Resized => changed_sizes(change),
        ChangeKind::Retyped => both(&|f| f.ty.clone()),
        ChangeKind::Added | ChangeKind::Removed => both(&|f| match shown_positions(change.subject, f) {
            at if at.is_empty() => f.ty.clone(),
            at => format!("{} at {at}", f.ty),
        }),
    };
    vec![change.change.word().to_owned(), change.subject.word().to_owned(), change.path.clone(), what]
}

/// Where it was and is, as far as that differs.
fn moved(change: &Change) -> String {
    let (Some(old), Some(new)) = (&change.old, &change.new) else { return String::new() };
    let mut parts = Vec::new();
    let [was, is] = [old, new].map(|facts| shown_positions(change.subject, facts));
    if lies_elsewhere(old, new) {
        parts.push(format!("{was} -> {is}"));
    }
    let stride = |n: &String| n.parse::<u64>().is_ok();
    parts.extend(changed_distances(old, new).map(|(a, b)| {
        let what = if stride(a) { " bytes from element to element" } else { "" };
        format!("{a} -> {b}{what}")
    }));
    parts.join(", ")
}

fn shown_positions(subject: Subject, facts: &Facts) -> String {
    // What is counted otherwise than before is reported where it is.
    let is_relative = |b: &Binding| subject == Subject::Field && !(is_slot(&b.kind) && b.space.is_some());
    let show = |b: &Binding| if is_relative(b) { relative(b) } else { position(b) };
    facts.positions.iter().map(show).collect::<Vec<_>>().join(" and ")
}

/// The sizes that differ.
fn changed_sizes(change: &Change) -> String {
    let (Some(old), Some(new)) = (&change.old, &change.new) else { return String::new() };
    let units: BTreeSet<&String> = own_sizes(old).chain(own_sizes(new)).map(|(unit, _)| unit).collect();
    let of = |facts: &Facts, unit: &String| facts.sizes.get(unit).cloned();
    let differing = units.into_iter().filter(|u| of(old, u) != of(new, u));
    let shown = differing.map(|unit| {
        let side = |facts: &Facts| of(facts, unit).unwrap_or_else(|| "none".to_owned());
        format!("{}: {} -> {}", size_word(unit), side(old), side(new))
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn size_word(unit: &str) -> &str {
    match unit {
        "uniform" => "bytes",
        "contents" => "bytes of contents",
        "threads" => "threads",
        "subElementRegisterSpace" => "spaces",
        "constantBuffer" | "shaderResource" | "unorderedAccess" | "storageBuffer" | "samplerState" => "registers",
        "descriptorTableSlot" => "bindings",
        "varyingInput" | "varyingOutput" => "locations",
        other => other,
    }
}
