//! Every leaf with its absolute position, its name in the text and who uses it: of global parameters, of the uniform
//! parameters of entry points, of stage inputs and outputs; and the buffers that the source does not declare.

use super::build::{Builder, count};
use super::model::{
    BufferMemory, BufferSlot, Count, Element, EntryPoint, Leaf, Reference, Repeat, Size, Unbounded, Variable,
};
use crate::layout::locations::PATCH;
use crate::layout::reach::{Parts, Root, parts};
use crate::layout::{
    Api, Detail, Place, ScopeBuffer, TypeLayout, UNBOUNDED, Unit, buffer_place, enter_array, enter_block,
    further_bindings,
};
use crate::tree::{self, BufferKind, Explicit, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The path of the buffer of plain globals.
pub(super) const GLOBALS: &str = "$Globals";

/// The path of the buffer of an entry point's plain parameters.
pub(super) fn params_path(entry: &str) -> String {
    format!("{entry}.$Params")
}

/// What stands between an entry point and what the function of its patch constants gives.
pub(super) const PATCH_PATH: &str = "$patch";

/// What the buffer of plain globals is called in emitted texts.
pub(super) const GLOBALS_NAME: &str = "globalParams";

/// What the buffer of an entry point's plain parameters may be called there: the second where there are several.
pub(super) fn params_names(entry: &str) -> [String; 2] {
    ["entryPointParams".to_owned(), format!("{entry}Params")]
}

/// All leaves; `entries` are the entry points as the sidecar shows them, `memory` the bytes of all buffers.
pub(super) fn leaves(builder: &Builder, entries: &[EntryPoint], memory: &[BufferMemory]) -> Vec<Leaf> {
    let mut walk = Walk { builder, emitted: emitted_bytes(memory), list: Vec::new() };
    walk.globals();
    (0..entries.len()).for_each(|entry| walk.params(entry));
    let mut list = walk.used();
    entries.iter().for_each(|entry| varyings(entry, &mut list));
    list
}

/// The lowest space that no leaf is in.
pub(super) fn free_space(leaves: &[Leaf]) -> u64 {
    let taken: BTreeSet<u64> = leaves.iter().filter_map(|l| l.space).collect();
    (0..).zip(&taken).find(|(n, space)| n != *space).map_or(taken.len() as u64, |(n, _)| n)
}

/// Names of bytes in the text by buffer and path below it.
type Emitted<'a> = BTreeMap<(&'a str, &'a str), &'a str>;

fn emitted_bytes(memory: &[BufferMemory]) -> Emitted<'_> {
    let mut names = Emitted::new();
    for buffer in memory {
        for row in buffer.rows.iter().filter(|r| !r.padding) {
            if let Some(emitted) = &row.emitted {
                names.entry((buffer.parameter.as_str(), row.path.as_str())).or_insert(emitted);
            }
        }
    }
    names
}

/// A leaf, and what it is a part of.
struct Found {
    leaf: Leaf,
    /// Nothing for the buffers of scopes.
    root: Option<(Option<usize>, Root)>,
    /// Its path below that.
    below: String,
}

struct Walk<'a, 'b> {
    builder: &'b Builder<'a>,
    emitted: Emitted<'b>,
    list: Vec<Found>,
}

/// Where a walk down a parameter is.
#[derive(Clone)]
struct At<'l> {
    /// The entry point whose parameter it is, and its name with a dot.
    entry: Option<usize>,
    prefix: &'l str,
    root: Root,
    name: &'l str,
    below: String,
    place: Place,
    layout: &'l TypeLayout,
    explicit: Option<&'l Explicit>,
    /// Where the bindings of the parameter besides the first begin, if they are apart from it.
    further: Option<u64>,
    /// The buffer of the bytes here, and what they are called in the memory of buffers.
    buffer: Option<BufferSlot>,
    memory: String,
    /// Elements and strides in bytes of the arrays around.
    dims: Vec<(Option<u32>, u64)>,
    /// How many of them are outside of the buffer.
    outside: usize,
}

impl At<'_> {
    /// The path without the entry point.
    fn path(&self) -> String {
        join(self.name, &self.below)
    }
}

fn further(place: &Place, layout: &TypeLayout) -> Option<u64> {
    further_bindings(place, layout).map(|b| b.index.into())
}

/// The word of a unit at an absolute position, where a binding is one whatever it was counted among: register classes are
/// mapped to ranges of bindings.
fn slot_word(unit: Unit, api: Api) -> &'static str {
    let binding = unit == Unit::LateDescriptor || unit.class().is_some() && api != Api::D3d;
    if binding { Unit::Descriptor.word() } else { unit.word() }
}

fn join(path: &str, name: &str) -> String {
    match (path.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (_, true) => path.to_owned(),
        _ => format!("{path}.{name}"),
    }
}

impl<'a> Walk<'a, '_> {
    fn globals(&mut self) {
        let (program, layout) = (self.builder.program, self.builder.layout);
        let buffer = layout.globals.as_ref().map(|b| self.scope(GLOBALS.to_owned(), b, "globals", &[GLOBALS_NAME]));
        for p in &layout.parameters {
            let global = &program.globals[p.global];
            self.leaf(At {
                entry: None,
                prefix: "",
                root: Root::Global(p.global),
                name: global.name.as_str(),
                below: String::new(),
                place: p.place,
                layout: &p.layout,
                explicit: Some(&global.explicit),
                further: further(&p.place, &p.layout),
                buffer: buffer.clone(),
                memory: GLOBALS.to_owned(),
                dims: Vec::new(),
                outside: 0,
            });
        }
    }

    fn params(&mut self, entry: usize) {
        let program = self.builder.program;
        let (Some(point), Some(scope)) = (program.entry_points.get(entry), self.builder.layout.entry_points.get(entry))
        else {
            return;
        };
        let name = point.name.as_str();
        let [only, several] = params_names(name);
        let buffer =
            scope.buffer.as_ref().map(|b| self.scope(params_path(name), b, "entryPointParameters", &[&only, &several]));
        let code = &program.functions[point.function];
        for (index, place, layout) in &scope.params {
            let Some(param) = code.params.get(*index) else { continue };
            self.leaf(At {
                entry: Some(entry),
                prefix: name,
                root: Root::Param(param.local),
                name: code.code.locals[param.local].name.as_str(),
                below: String::new(),
                place: *place,
                layout,
                explicit: Some(&param.explicit),
                further: further(place, layout),
                buffer: buffer.clone(),
                memory: params_path(name),
                dims: Vec::new(),
                outside: 0,
            });
        }
    }

    /// The buffer of a scope's plain data.
    fn scope(&mut self, path: String, buffer: &ScopeBuffer, hidden: &str, names: &[&str]) -> BufferSlot {
        let d3d = self.builder.layout.settings.api == Api::D3d;
        let unit = match (buffer.binding, d3d) {
            (None, _) => Unit::PushConstant,
            (Some(_), true) => Unit::ConstantBuffer,
            (Some(_), false) => Unit::Descriptor,
        };
        let index = buffer.binding.map_or(buffer.push, |b| b.index.into());
        let space = buffer.binding.map(|b| b.space.into());
        let emitted = self.builder.scope_emitted(buffer, names);
        self.list.push(Found {
            leaf: Leaf {
                path: path.clone(),
                kind: unit.word().to_owned(),
                class: unit.class(),
                index: Some(index),
                space,
                hidden: Some(hidden.to_owned()),
                emitted_name: emitted.map(|e| e.name.to_owned()),
                emitted_block: emitted.and_then(|e| e.block).map(str::to_owned),
                ..Leaf::default()
            },
            root: None,
            below: String::new(),
        });
        BufferSlot { path, kind: unit.word().to_owned(), index, space }
    }

    fn push(&mut self, at: &At, leaf: Leaf) {
        let path = join(at.prefix, &at.path());
        self.list.push(Found { leaf: Leaf { path, ..leaf }, root: Some((at.entry, at.root)), below: at.below.clone() });
    }

    fn leaf(&mut self, at: At) {
        let program = self.builder.program;
        match &at.layout.detail {
            Detail::Struct(fields) => {
                let Type::Struct(id) = program.types.get(at.layout.ty) else { return };
                for (field, var) in program.structs[id].fields.iter().zip(fields) {
                    self.leaf(At {
                        below: join(&at.below, field.name.as_str()),
                        place: at.place.field(var),
                        layout: &var.layout,
                        explicit: Some(&field.explicit),
                        ..at.clone()
                    });
                }
            }
            Detail::Array { element, count, stride } if !is_plain(element) => {
                if let Some((place, element)) = enter_array(at.place, at.layout) {
                    let mut inner = At { place, layout: element, ..at.clone() };
                    inner.dims.push((*count, stride.get(Unit::Bytes)));
                    self.leaf(inner);
                }
            }
            Detail::Block { container, .. } => {
                let mut buffer = None;
                for (unit, used) in container.units() {
                    let place = buffer_place(at.place, at.layout);
                    let declared = !matches!(program.types.get(at.layout.ty), Type::ParameterBlock(_));
                    let hidden = (!declared).then(|| "block".to_owned());
                    let space = Unit::SLOTS.contains(&unit).then_some(place.space.get(unit));
                    let path = join(at.prefix, &at.path());
                    let index = place.offset.get(unit);
                    buffer = Some(BufferSlot {
                        path,
                        kind: slot_word(unit, self.builder.layout.settings.api).to_owned(),
                        index,
                        space,
                    });
                    for leaf in self.slots(&at, unit, &place, used) {
                        self.push(&at, Leaf { hidden: hidden.clone(), ..leaf });
                    }
                }
                if let Some((place, layout)) = enter_block(at.place, at.layout) {
                    let (memory, outside) = (join(at.prefix, &at.path()), at.dims.len());
                    self.leaf(At { place, layout, buffer, memory, outside, ..at });
                }
            }
            _ => self.units(&at),
        }
    }

    /// A leaf in each of its units.
    fn units(&mut self, at: &At) {
        let types = &self.builder.program.types;
        // The space of an array without bound is told with its register, bindings apart from the first with that.
        let told = |u: Unit| !matches!(u, Unit::Space | Unit::FurtherDescriptor);
        for (unit, used) in at.layout.usage.units().filter(|(u, _)| told(*u)) {
            if unit == Unit::Bytes {
                let leaf = self.bytes(at, used);
                self.push(at, leaf);
                continue;
            }
            // The sampler of a combined sampler is one more where its binding was parted from the texture's.
            let pair = at.further.is_some() && matches!(types.get(at.layout.ty), Type::Texture(t) if t.combined);
            let used = if pair && unit == Unit::Descriptor { used.max(2) } else { used };
            for leaf in self.slots(at, unit, &at.place, used) {
                self.push(at, leaf);
            }
        }
        self.asked_counter(at);
    }

    /// The counter of a buffer that says its binding.
    fn asked_counter(&mut self, at: &At) {
        let asked = at.explicit.and_then(|e| e.vk_counter_binding);
        let is_buffer = matches!(
            self.builder.program.types.get(at.layout.ty),
            Type::Buffer(BufferKind::Structured | BufferKind::Counter, ..)
        );
        if let (Some(index), true, Some(_)) =
            (asked, is_buffer, at.layout.usage.units().find(|(u, _)| *u == Unit::Descriptor))
        {
            let mut place = at.place;
            place.offset.set(Unit::Descriptor, index.into());
            for leaf in self.slots(&At { further: None, ..at.clone() }, Unit::Descriptor, &place, 1) {
                self.push(at, Leaf { hidden: Some("counter".to_owned()), ..leaf });
            }
        }
    }

    fn bytes(&self, at: &At, used: u64) -> Leaf {
        let mut repeats: Vec<Repeat> = at.dims.iter().skip(at.outside).map(|(n, stride)| repeat(*n, *stride)).collect();
        let mut layout = at.layout;
        while let Detail::Array { element, count, stride } = &layout.detail {
            repeats.push(repeat(*count, stride.get(Unit::Bytes)));
            layout = element;
        }
        let (path, whole) = (at.path(), join(at.prefix, &at.path()));
        let below = whole.strip_prefix(at.memory.as_str()).map_or(path.as_str(), |rest| rest.trim_start_matches('.'));
        let emitted = self.emitted.get(&(at.memory.as_str(), below));
        Leaf {
            kind: Unit::Bytes.word().to_owned(),
            offset: Some(at.place.offset.get(Unit::Bytes)),
            size: Some(count(used)),
            repeats,
            buffer: at.buffer.clone(),
            emitted_name: emitted.map(|name| (*name).to_owned()),
            ..Leaf::default()
        }
    }

    /// A leaf that takes `used` of a unit, with its arrays: counters and the samplers of combined samplers are leaves of
    /// their own behind it, and so are further elements of which an explicit binding names the first alone.
    fn slots(&self, at: &At, unit: Unit, place: &Place, used: u64) -> Vec<Leaf> {
        let types = &self.builder.program.types;
        let counted = unit == Unit::InputAttachment || self.builder.layout.settings.counts_elements(unit);
        let n = at.dims.iter().fold(1u64, |n, (count, _)| n.saturating_mul(count.map_or(UNBOUNDED, u64::from)));
        let n = if counted { n } else { 1 };
        let is_counter = matches!(types.get(at.layout.ty), Type::Buffer(BufferKind::Append | BufferKind::Consume, ..));
        let index = place.offset.get(unit);
        let mut list = Vec::new();
        for nth in 0..used.max(1) {
            let hidden = (is_counter && nth > 0).then(|| "counter".to_owned());
            let before = nth.saturating_mul(n);
            // (where, how many, all but the first element)
            let runs = match at.further {
                Some(rest) if nth == 0 && n > 1 => vec![(index, 1, false), (rest, n - 1, true)],
                Some(rest) if nth > 0 => vec![(rest.saturating_add(before - 1), n, false)],
                _ => vec![(index.saturating_add(before), n, false)],
            };
            let split = runs.len() > 1;
            for (index, n, further) in runs {
                let repeats = if split { Vec::new() } else { repeats(at, counted) };
                let leaf = Leaf { hidden: hidden.clone(), further, repeats, ..self.slot(at, (unit, place), index, n) };
                list.push(leaf);
            }
        }
        self.rest_of_elements(at, &mut list);
        list
    }

    /// `n` slots from `index` on.
    fn slot(&self, at: &At, (unit, place): (Unit, &Place), index: u64, n: u64) -> Leaf {
        let space = place.space.get(unit);
        let path = at.path();
        let names = self.builder.emitted.get(path.as_str()).map_or(&[][..], Vec::as_slice);
        let class = |b: &tree::Binding| b.class.is_none() || b.class == unit.class();
        let fits = |b: &tree::Binding| (u64::from(b.index), u64::from(b.space)) == (index, space) && class(b);
        let here = names.iter().find(|e| e.binding.as_ref().is_some_and(fits)).or(names.last());
        let end = index.saturating_add(n);
        let within =
            |b: &tree::Binding| (index..end).contains(&b.index.into()) && u64::from(b.space) == space && class(b);
        Leaf {
            kind: slot_word(unit, self.builder.layout.settings.api).to_owned(),
            class: unit.class().filter(|_| self.builder.layout.settings.api == Api::D3d),
            index: Some(index),
            space: Unit::SLOTS.contains(&unit).then_some(space),
            count: (n != 1).then(|| count(n)),
            emitted_name: here.map(|e| e.name.to_owned()),
            emitted_block: here.and_then(|e| e.block).map(str::to_owned),
            elements: self.elements(&path).into_iter().filter(|(b, _)| within(b)).map(|(_, element)| element).collect(),
            ..Leaf::default()
        }
    }

    /// Elements that have names of their own in the text, `maps[2]`.
    fn elements(&self, path: &str) -> Vec<(tree::Binding, Element)> {
        let start = format!("{path}[");
        let all = self.builder.emitted.iter().skip_while(|(source, _)| **source < start.as_str());
        let mine = all.take_while(|(source, _)| source.starts_with(&start)).flat_map(|(_, names)| names);
        mine.filter_map(|e| {
            let binding = e.binding?;
            Some((binding, Element { index: binding.index.into(), emitted_name: e.name.to_owned() }))
        })
        .collect()
    }

    /// Elements of an array without bound stand behind all else.
    fn rest_of_elements(&self, at: &At, list: &mut [Leaf]) {
        let unsized_array = at.dims.iter().any(|(n, _)| n.is_none());
        let told: Vec<Element> = list.iter().flat_map(|l| l.elements.clone()).collect();
        if let (Some(first), true) = (list.first_mut(), unsized_array) {
            let more = self.elements(&at.path()).into_iter().map(|(_, element)| element);
            first.elements.extend(more.filter(|e| !told.contains(e)));
        }
    }

    /// The leaves with the entry points that use each.
    fn used(self) -> Vec<Leaf> {
        let program = self.builder.program;
        let mut list = self.list;
        for (index, entry) in program.entry_points.iter().enumerate() {
            let (named, reached) = parts(program, entry);
            for found in &mut list {
                let Some((_, root)) = found.root.filter(|(of, _)| of.is_none_or(|of| of == index)) else { continue };
                if touches(&named, root, &found.below) {
                    note(&mut found.leaf, entry, touches(&reached, root, &found.below));
                }
            }
        }
        let mut list: Vec<Leaf> = list.into_iter().map(|f| f.leaf).collect();
        used_by_bytes(&mut list);
        list
    }
}

fn note(leaf: &mut Leaf, entry: &tree::EntryPoint, reachable: bool) {
    let (entry_point, stage) = (entry.name.to_string(), entry.stage.name().to_owned());
    if reachable {
        leaf.entry_points.push(entry_point.clone());
    }
    leaf.references.push(Reference { entry_point, stage, reachable });
}

/// Whether code names a part, something around it, or something in it.
fn touches(parts: &Parts, root: Root, path: &str) -> bool {
    let ends = path.match_indices('.').map(|(at, _)| at).chain([0, path.len()]);
    let named = |end: usize| parts.contains(&(root, path.get(..end).unwrap_or("").to_owned()));
    if ends.into_iter().any(named) {
        return true;
    }
    let start = if path.is_empty() { String::new() } else { format!("{path}.") };
    let mut inside = parts.range((root, start.clone())..).take_while(|(r, p)| *r == root && p.starts_with(&start));
    inside.next().is_some()
}

/// Buffers of plain data are used by whoever uses their bytes: to name a texture of a block does not use its buffer.
fn used_by_bytes(list: &mut [Leaf]) {
    let mut users: BTreeMap<(String, String, u64), Vec<Reference>> = BTreeMap::new();
    for leaf in list.iter() {
        let Some(b) = &leaf.buffer else { continue };
        let of = users.entry((b.path.clone(), b.kind.clone(), b.index)).or_default();
        for reference in &leaf.references {
            match of.iter_mut().find(|r| r.entry_point == reference.entry_point && r.stage == reference.stage) {
                Some(found) => found.reachable |= reference.reachable,
                None => of.push(reference.clone()),
            }
        }
    }
    for leaf in list.iter_mut() {
        let key = (leaf.path.clone(), leaf.kind.clone(), leaf.index.unwrap_or(0));
        let Some(found) = users.get(&key) else { continue };
        leaf.entry_points = found.iter().filter(|r| r.reachable).map(|r| r.entry_point.clone()).collect();
        leaf.references = found.clone();
    }
}

/// Stage inputs and outputs of an entry point, which uses them all.
fn varyings(entry: &EntryPoint, list: &mut Vec<Leaf>) {
    let mut walk = Varyings { entry, list };
    for parameter in entry.parameters.iter().filter(|p| is_located(p)) {
        let path = format!("{}.{}", entry.name, parameter.name.as_deref().unwrap_or(""));
        walk.variable(&path, parameter, &Outer { per: parameter.per.clone(), ..Outer::default() });
    }
    if let Some(result) = entry.result.as_ref().filter(|r| is_located(r)) {
        walk.variable(&format!("{}.$result", entry.name), result, &Outer::default());
    }
    for constant in &entry.patch_constants {
        let path = format!("{}.{PATCH_PATH}.{}", entry.name, constant.name.as_deref().unwrap_or("$result"));
        walk.variable(&path, constant, &Outer { per: constant.per.clone(), ..Outer::default() });
    }
}

fn is_located(variable: &Variable) -> bool {
    let mut kinds = variable.binding.iter().chain(&variable.bindings).map(|b| Unit::of_word(&b.kind));
    kinds.any(|unit| unit.is_some_and(Unit::is_located))
}

struct Varyings<'a> {
    entry: &'a EntryPoint,
    list: &'a mut Vec<Leaf>,
}

/// Numbers by unit.
type ByUnit = Vec<(String, u64)>;

/// An array around a stage input or output.
#[derive(Clone)]
struct Around {
    count: Option<Count>,
    /// Of an element.
    sizes: ByUnit,
    semantic_stride: Option<u64>,
}

/// What is around a stage input or output.
#[derive(Clone, Default)]
struct Outer {
    /// The first location.
    starts: ByUnit,
    arrays: Vec<Around>,
    per: Option<String>,
}

impl Varyings<'_> {
    fn variable(&mut self, path: &str, variable: &Variable, outer: &Outer) {
        let mut here = outer.clone();
        let bindings = || variable.binding.iter().chain(&variable.bindings);
        here.starts.extend(bindings().map(|b| (b.kind.clone(), b.index.unwrap_or(0))));
        let mut node = variable.ty.as_deref();
        let first = outer.arrays.is_empty() && outer.per.as_deref().is_some_and(|per| per != PATCH);
        while let Some(array) = node.filter(|n| n.fields.is_none() && !matches!(n.kind.as_str(), "vector" | "matrix"))
            && let Some(element) = array.element_type.as_deref()
        {
            // One location holds what there is for all vertices.
            let one = first && here.arrays.is_empty();
            let size = |s: &Size| match s.value {
                Count::Number(n) if !one => (s.kind.clone(), n),
                _ => (s.kind.clone(), 0),
            };
            let sizes = element.sizes.iter().flatten().map(size).collect();
            here.arrays.push(Around { count: array.element_count, sizes, semantic_stride: array.semantic_stride });
            node = Some(element);
        }
        if let Some(fields) = node.and_then(|n| n.fields.as_ref()) {
            for field in fields {
                self.variable(&format!("{path}.{}", field.name.as_deref().unwrap_or("")), field, &here);
            }
            return;
        }
        let number = variable.semantic_index.map_or(String::new(), |i| i.to_string());
        for binding in bindings() {
            let starts = here.starts.iter().filter(|(kind, _)| *kind == binding.kind);
            self.list.push(Leaf {
                path: path.to_owned(),
                kind: binding.kind.clone(),
                index: Some(starts.fold(0u64, |sum, (_, at)| sum.saturating_add(*at))),
                count: binding.count,
                semantic: variable.semantic_name.as_ref().map(|name| format!("{name}{number}")),
                per: here.per.clone(),
                repeats: here.repeats(&binding.kind),
                entry_points: vec![self.entry.name.clone()],
                ..Leaf::default()
            });
        }
    }
}

impl Outer {
    /// The arrays around in a unit. How many vertices a stream has is not known.
    fn repeats(&self, kind: &str) -> Vec<Repeat> {
        let one = |around: &Around| {
            let stride = around.sizes.iter().find(|(k, _)| k == kind).map_or(0, |(_, size)| *size);
            Some(Repeat { stride, count: around.count?, semantic_stride: around.semantic_stride })
        };
        self.arrays.iter().filter_map(one).collect()
    }
}

/// The arrays around a leaf in slots: one an element, or one binding for a whole array.
fn repeats(at: &At, counted: bool) -> Vec<Repeat> {
    let (mut each, mut list) = (u64::from(counted), Vec::new());
    for (n, _) in at.dims.iter().rev() {
        list.push(repeat(*n, each));
        each = each.saturating_mul(n.map_or(UNBOUNDED, u64::from));
    }
    list.reverse();
    list
}

fn repeat(n: Option<u32>, stride: u64) -> Repeat {
    let count = n.map_or(Count::Word(Unbounded::Unbounded), |n| Count::Number(n.into()));
    Repeat { stride, count, semantic_stride: None }
}

fn is_plain(layout: &TypeLayout) -> bool {
    match &layout.detail {
        Detail::Plain | Detail::Matrix { .. } => true,
        Detail::Array { element, .. } => is_plain(element),
        _ => false,
    }
}
