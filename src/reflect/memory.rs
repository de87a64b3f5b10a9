//! The bytes of every buffer, row by row, padding included, with the name of each row in the emitted text.

use super::leaves::{GLOBALS, GLOBALS_NAME, params_names, params_path};
use super::model::{BufferMemory, Count, MemoryRow, Repeat, Unbounded};
use crate::emit;
use crate::layout::rules::round_up;
use crate::layout::{
    Detail, Place, ProgramLayout, ScopeBuffer, TypeLayout, UNBOUNDED, Unit, binding, buffer_place, enter_array,
    enter_block,
};
use crate::tree::{Binding, Global, GlobalKind, Item, MatrixOrder, Program, StoredStep, Type, TypeId};
use std::collections::BTreeMap;

/// The memory of all buffers. `emitted` are the legalized programs of the texts.
pub(super) fn memory(program: &Program, layout: &ProgramLayout, emitted: &[&Program]) -> Vec<BufferMemory> {
    let mut buffers = Vec::new();
    let globals: Vec<Member> =
        layout.parameters.iter().map(|p| (program.globals[p.global].name.as_str(), p.place, &p.layout)).collect();
    let mut finder = Finder { program, texts: texts(emitted, None), entry: "", buffers: &mut buffers };
    finder.parameters(GLOBALS.to_owned(), &[GLOBALS_NAME], layout.globals.as_ref(), &globals);
    for (entry, point) in layout.entry_points.iter().zip(&program.entry_points) {
        let code = &program.functions[point.function];
        let params = entry.params.iter().filter_map(|(i, place, layout)| {
            let local = code.params.get(*i)?.local;
            Some((code.code.locals[local].name.as_str(), *place, layout))
        });
        let params: Vec<Member> = params.collect();
        let name = point.name.as_str();
        let mut finder = Finder { program, texts: texts(emitted, Some(name)), entry: name, buffers: &mut buffers };
        let names = params_names(name);
        finder.parameters(params_path(name), &[&names[0], &names[1]], entry.buffer.as_ref(), &params);
    }
    buffers
}

/// A parameter of a scope: its name, place and layout.
type Member<'a> = (&'a str, Place, &'a TypeLayout);

/// The parameters of the emitted texts by their paths in the source; those of an entry point in texts that have it.
fn texts<'a>(emitted: &[&'a Program], entry: Option<&str>) -> Texts<'a> {
    let has_entry = |p: &&&Program| entry.is_none_or(|name| p.entry_points.iter().any(|e| e.name == *name));
    let mut texts = Texts::new();
    for program in emitted.iter().filter(has_entry) {
        let listed = program.items.iter().filter_map(|i| if let Item::Global(id) = i { Some(*id) } else { None });
        for global in listed.map(|id| &program.globals[id]).filter(|g| g.kind == GlobalKind::Parameter) {
            texts.entry(global.source_path.as_str()).or_default().push(Text { program, global });
        }
    }
    texts
}

/// By path; what the buffer of a scope is called a parameter may be called too.
type Texts<'a> = BTreeMap<&'a str, Vec<Text<'a>>>;

/// A buffer in an emitted text.
#[derive(Clone, Copy)]
struct Text<'a> {
    program: &'a Program,
    global: &'a Global,
}

/// Looks for the buffers of a scope.
struct Finder<'a, 'b> {
    program: &'a Program,
    texts: Texts<'a>,
    /// The entry point whose parameters these are; empty for global ones.
    entry: &'a str,
    buffers: &'b mut Vec<BufferMemory>,
}

impl<'a> Finder<'a, '_> {
    /// The buffer that holds the plain data of a scope, and those of its parameters.
    fn parameters(&mut self, path: String, emitted: &[&str], buffer: Option<&ScopeBuffer>, members: &[Member]) {
        if let Some(buffer) = buffer {
            let mut rows = Rows { program: self.program, rows: Vec::new() };
            let mut parts: Vec<(String, u64, &TypeLayout)> = members
                .iter()
                .map(|(name, place, layout)| ((*name).to_owned(), place.offset.get(Unit::Bytes), *layout))
                .collect();
            rows.parts("", 0, &mut parts, buffer.layout.size(), &[]);
            let here = |name: &str| self.texts.get(name)?.iter().find(|t| t.global.binding == buffer.binding);
            let text = emitted.iter().find_map(|name| here(name)).copied();
            self.push(path, text, buffer.layout.size(), None, rows.rows);
        }
        for (name, place, layout) in members {
            self.visit(name, *place, layout);
        }
    }

    /// Finds the buffers in a parameter.
    fn visit(&mut self, path: &str, place: Place, layout: &TypeLayout) {
        match &layout.detail {
            Detail::Array { .. } => {
                if let Some((place, element)) = enter_array(place, layout) {
                    self.visit(path, place, element);
                }
            }
            Detail::Struct(fields) => {
                let Type::Struct(id) = self.program.types.get(layout.ty) else { return };
                for (field, var) in self.program.structs[id].fields.iter().zip(fields) {
                    self.visit(&format!("{path}.{}", field.name), place.field(var), &var.layout);
                }
            }
            Detail::Block { element, container, .. } => {
                if element.layout.size() > 0 {
                    let slot = container.units().next().map(|(unit, _)| binding(&buffer_place(place, layout), unit));
                    self.buffer(path, slot, &element.layout, None);
                }
                if let Some((place, element)) = enter_block(place, layout) {
                    self.visit(path, place, element);
                }
            }
            Detail::Resource { element: Some(element) } if element.size() > 0 => {
                let kind = self.program.types.get(layout.ty);
                if !matches!(
                    kind,
                    Type::Buffer(crate::tree::BufferKind::Typed | crate::tree::BufferKind::ByteAddress, ..)
                ) {
                    let unit = layout.usage.units().map(|(u, _)| u).find(|u| Unit::SLOTS.contains(u));
                    let slot = unit.map(|unit| binding(&place, unit));
                    self.buffer(path, slot, element, Some(round_up(element.size(), element.align.into())));
                }
            }
            _ => {}
        }
    }

    /// The buffer of a path in the text. Several may have one path; where they are bound tells them apart.
    fn text(&self, path: &str, slot: Option<Binding>) -> Option<Text<'a>> {
        let found = self.texts.get(path)?;
        let at = |b: Binding| (b.index, b.space);
        let class = |b: Binding| b.class.is_none() || slot.is_none_or(|s| s.class.is_none() || s.class == b.class);
        let here = |t: &&Text| t.global.binding.is_some_and(|b| slot.map(at) == Some(at(b)) && class(b));
        found.iter().find(here).or(found.first()).copied()
    }

    fn buffer(&mut self, path: &str, slot: Option<Binding>, layout: &TypeLayout, stride: Option<u64>) {
        let mut rows = Rows { program: self.program, rows: Vec::new() };
        rows.value("", 0, layout, &[]);
        if let Some(stride) = stride {
            rows.padding("", layout.size(), stride, &[]);
        }
        let text = self.text(path, slot);
        self.push(join(self.entry, path), text, layout.size(), stride, rows.rows);
    }

    fn push(
        &mut self,
        path: String,
        text: Option<Text>,
        size: u64,
        element_stride: Option<u64>,
        mut rows: Vec<MemoryRow>,
    ) {
        for row in rows.iter_mut().filter(|r| !r.padding) {
            row.emitted = text.as_ref().and_then(|t| t.name_of(&row.path));
        }
        rows.sort_by_key(|r| r.offset);
        self.buffers.push(BufferMemory {
            parameter: path,
            emitted_name: text.map(|t| t.global.name.to_string()),
            size: count(size),
            element_stride,
            rows,
        });
    }
}

fn count(n: u64) -> Count {
    if n == UNBOUNDED { Count::Word(Unbounded::Unbounded) } else { Count::Number(n) }
}

/// The rows of one buffer.
struct Rows<'a> {
    program: &'a Program,
    rows: Vec<MemoryRow>,
}

impl Rows<'_> {
    fn padding(&mut self, path: &str, from: u64, to: u64, repeats: &[Repeat]) {
        if to > from && to != UNBOUNDED {
            self.row(path, from, to - from, repeats, true);
        }
    }

    fn row(&mut self, path: &str, offset: u64, size: u64, repeats: &[Repeat], padding: bool) {
        let repeats = repeats.to_vec();
        self.rows.push(MemoryRow { path: path.to_owned(), offset, size: count(size), padding, repeats, emitted: None });
    }

    fn value(&mut self, path: &str, offset: u64, layout: &TypeLayout, repeats: &[Repeat]) {
        match &layout.detail {
            Detail::Struct(fields) => {
                let Type::Struct(id) = self.program.types.get(layout.ty) else { return };
                let names = self.program.structs[id].fields.iter().map(|f| join(path, f.name.as_str()));
                let mut parts: Vec<_> = names
                    .zip(fields)
                    .map(|(name, f)| (name, offset.saturating_add(f.offset.get(Unit::Bytes)), &f.layout))
                    .collect();
                self.parts(path, offset, &mut parts, layout.size(), repeats);
            }
            Detail::Array { element, count: n, stride } => {
                let n = n.map_or(UNBOUNDED, u64::from);
                self.elements(path, offset, element, (n, stride.get(Unit::Bytes), layout.size()), repeats);
            }
            Detail::Matrix { stride, order } => {
                let (vectors, vector) = self.vectors(layout.ty, *order);
                let element = TypeLayout {
                    usage: crate::layout::Usage::one(Unit::Bytes, vector),
                    detail: Detail::Plain,
                    ..layout.clone()
                };
                self.elements(path, offset, &element, (vectors, u64::from(*stride), layout.size()), repeats);
            }
            _ if layout.size() == 0 => {}
            _ => self.row(path, offset, layout.size(), repeats, false),
        }
    }

    /// How many vectors a matrix is stored as, and their size.
    fn vectors(&self, ty: TypeId, order: MatrixOrder) -> (u64, u64) {
        match (self.program.types.get(ty), order) {
            (Type::Matrix(s, rows, columns), MatrixOrder::Row) => {
                (rows.into(), u64::from(columns) * u64::from(s.size()))
            }
            (Type::Matrix(s, rows, columns), MatrixOrder::Column) => {
                (columns.into(), u64::from(rows) * u64::from(s.size()))
            }
            _ => (1, 0),
        }
    }

    /// The elements of an array: the first, and how it is repeated; `shape` is count, stride and size of the array.
    fn elements(&mut self, path: &str, offset: u64, element: &TypeLayout, shape: (u64, u64, u64), repeats: &[Repeat]) {
        let (n, stride, size) = shape;
        if n == 0 || element.size() == 0 {
            return;
        }
        let repeat = |n: u64| {
            let mut list = repeats.to_vec();
            list.push(Repeat { stride, count: count(n), semantic_stride: None });
            list
        };
        self.value(path, offset, element, &repeat(n));
        let end = offset.saturating_add(element.size());
        let last = stride.saturating_mul(n - 1).saturating_add(element.size());
        // Padded like the others, or not at all, or otherwise.
        if n == UNBOUNDED || size == stride.saturating_mul(n) {
            self.padding(path, end, offset.saturating_add(stride), &repeat(n));
        } else {
            if n > 1 {
                self.padding(path, end, offset.saturating_add(stride), &repeat(n - 1));
            }
            self.padding(path, offset.saturating_add(last), offset.saturating_add(size), repeats);
        }
    }

    /// Parts of a whole of `size` bytes, with what lies between them.
    fn parts(
        &mut self,
        path: &str,
        offset: u64,
        parts: &mut [(String, u64, &TypeLayout)],
        size: u64,
        repeats: &[Repeat],
    ) {
        parts.sort_by_key(|(_, at, _)| *at);
        let mut end = offset;
        for (name, at, layout) in parts.iter().filter(|(_, _, layout)| layout.size() > 0) {
            self.padding(path, end, *at, repeats);
            self.value(name, *at, layout, repeats);
            end = end.max(at.saturating_add(layout.size()));
        }
        self.padding(path, end, offset.saturating_add(size), repeats);
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

impl Text<'_> {
    /// The type of the buffer's data, or of an element.
    fn data(&self) -> Option<TypeId> {
        let types = &self.program.types;
        types.get(types.innermost(self.global.ty)).element()
    }

    /// What a row of the source is called here, below the buffer or its element.
    fn name_of(&self, path: &str) -> Option<String> {
        let leaf = self.global.stored.iter().find(|l| l.path == path)?;
        let contents =
            emit::contents(self.program, self.global).filter(|_| leaf.steps.is_empty() && leaf.word.is_none());
        contents.map(str::to_owned).or_else(|| self.stored_name(&leaf.steps, leaf.word))
    }

    fn stored_name(&self, steps: &[StoredStep], word: Option<u64>) -> Option<String> {
        let types = &self.program.types;
        let mut ty = self.data()?;
        let mut name = String::new();
        for step in steps {
            match (*step, types.get(ty)) {
                (StoredStep::Field(i), Type::Struct(id)) => {
                    let field = self.program.structs[id].fields.get(i as usize)?;
                    name = join(&name, field.name.as_str());
                    ty = field.ty;
                }
                (StoredStep::Element(n), _) => {
                    name.push_str(&format!("[{n}]"));
                    ty = types.get(ty).element().unwrap_or(ty);
                }
                _ => return None,
            }
        }
        if let Some(byte) = word {
            let component = "xyzw".get((byte / 4 % 4) as usize..)?.chars().next()?;
            name.push_str(&format!("[{}].{component}", byte / 16));
            if byte % 4 > 0 {
                name.push_str(&format!(" >> {}", byte % 4 * 8));
            }
        }
        Some(name)
    }
}
