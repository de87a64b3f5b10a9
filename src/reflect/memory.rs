//! The bytes of every buffer, row by row, padding included, with the name of each row in the emitted text.

use super::build::{Builder, count};
use super::leaves::{join, repeat};
use super::model::{BufferMemory, Count, MemoryRow, Repeat, TypeNode};
use super::paths::Paths;
use super::words::type_name;
use crate::layout::locations::indices_of_matrix;
use crate::layout::lock::Owner;
use crate::layout::rules::round_up;
use crate::layout::{Detail, Part, Role, ScopeBuffer, TypeLayout, UNBOUNDED, Unit, walk};
use crate::tree::{BufferKind, LeafId, MatrixOrder, ParameterId, Step, Type, TypeId};
use std::collections::BTreeMap;

/// The memory of all buffers, each after that of the scope which it is in.
pub(super) fn memory(builder: &Builder) -> Vec<BufferMemory> {
    let leaves = &builder.layout.leaves;
    let paths = Paths { program: builder.program, leaves };
    let mut buffers = Buffers { builder, paths, list: Vec::new() };
    for (id, parameter) in leaves.parameters() {
        match builder.layout.scope_buffer(parameter.owner) {
            Some(buffer) => buffers.scope(id, parameter.owner, buffer),
            None => buffers.parameter(id),
        }
    }
    buffers.list
}

struct Buffers<'a, 'b> {
    builder: &'b Builder<'a>,
    paths: Paths<'b>,
    list: Vec<BufferMemory>,
}

impl Buffers<'_, '_> {
    /// The buffer that holds the plain data of a scope.
    fn scope(&mut self, id: ParameterId, scope: Owner, buffer: &ScopeBuffer) {
        let layout = self.builder.layout;
        let of_scope = |owner: Owner| match (owner, scope) {
            (Owner::Global(_), Owner::Globals) => true,
            (Owner::Param(entry, _), Owner::EntryBuffer(index)) => entry == index,
            _ => false,
        };
        let members = layout.leaves.parameters().filter(|(_, p)| of_scope(p.owner)).filter_map(|(id, _)| {
            let (place, layout) = layout.position(id)?;
            let name = self.paths.parameter(id);
            // Of an entry point's parameters without its name.
            let own = if scope == Owner::Globals { None } else { name.split_once('.').map(|(_, own)| own.to_owned()) };
            let to = Way { name: own.unwrap_or(name), parameter: id, path: Vec::new() };
            Some((to, place.offset.get(Unit::Bytes), layout))
        });
        let mut members: Vec<_> = members.collect();
        let mut rows = self.rows();
        let whole = Way { name: String::new(), parameter: id, path: Vec::new() };
        rows.parts(&whole, 0, &mut members, buffer.layout.size(), &[]);
        let rows = rows.rows;
        self.push(layout.leaves.whole(id), (buffer.layout.size(), None), rows);
    }

    /// The buffers in a parameter.
    fn parameter(&mut self, id: ParameterId) {
        let (program, layout) = (self.builder.program, self.builder.layout);
        let Some((place, whole)) = layout.position(id) else { return };
        let buffers = layout.leaves.of_parameter(id).filter(|(_, l)| matches!(l.role, Role::Block | Role::Resource));
        let buffers: BTreeMap<&[Step], LeafId> = buffers.map(|(id, leaf)| (leaf.path.as_slice(), id)).collect();
        walk(program, &Part::whole(place, whole, None), &mut |part| {
            let leaf = || buffers.get(part.path.as_slice()).copied();
            let way = || Way { name: String::new(), parameter: id, path: part.path.clone() };
            match &part.layout.detail {
                Detail::Block { element, .. } => {
                    if element.layout.size() > 0 {
                        self.buffer(leaf(), &way(), &element.layout, None);
                    }
                    true
                }
                Detail::Resource { element: Some(element) } if element.size() > 0 => {
                    let kind = program.types.get(part.layout.ty);
                    if !matches!(kind, Type::Buffer(BufferKind::Typed | BufferKind::ByteAddress, ..)) {
                        let stride = round_up(element.size(), element.align.into());
                        self.buffer(leaf(), &way(), element, Some(stride));
                    }
                    false
                }
                Detail::Resource { .. } | Detail::Plain | Detail::Matrix { .. } => false,
                Detail::Struct(_) | Detail::Array { .. } => true,
            }
        });
    }

    fn rows(&self) -> MemoryRows<'_> {
        MemoryRows { builder: self.builder, rows: Vec::new() }
    }

    fn buffer(&mut self, leaf: Option<LeafId>, way: &Way, layout: &TypeLayout, stride: Option<u64>) {
        let mut rows = self.rows();
        rows.value(way, 0, layout, &[]);
        if let Some(stride) = stride {
            rows.padding(way, layout.size(), stride, &[]);
        }
        let rows = rows.rows;
        self.push(leaf, (layout.size(), stride), rows);
    }

    fn push(&mut self, leaf: Option<LeafId>, (size, element_stride): (u64, Option<u64>), mut rows: Vec<MemoryRow>) {
        let Some(leaf) = leaf else { return };
        rows.sort_by_key(|r| r.offset);
        let of = self.builder.layout.leaves.leaf(leaf);
        let arrays = of.dimensions.iter().map(|d| format!("[{}]", d.count.map_or(String::new(), |n| n.to_string())));
        let ty = || type_name(&self.builder.bare_type(of.ty)) + &arrays.collect::<String>();
        self.list.push(BufferMemory {
            parameter: self.paths.leaf(of),
            ty: (of.role != Role::Scope).then(ty),
            emitted_name: self.builder.texts.names.get(&leaf).map(|e| e.name.to_owned()),
            size: count(size),
            element_stride,
            rows,
        });
    }
}

/// The way to a part of a buffer's data.
#[derive(Clone)]
struct Way {
    /// Names below the buffer.
    name: String,
    parameter: ParameterId,
    /// Fields below the parameter.
    path: Vec<Step>,
}

impl Way {
    fn field(&self, index: u32, name: &str) -> Way {
        let mut way = Way { name: join(&self.name, name), ..self.clone() };
        way.path.push(Step::Field(index));
        way
    }
}

/// The rows of one buffer.
struct MemoryRows<'a> {
    builder: &'a Builder<'a>,
    rows: Vec<MemoryRow>,
}

impl MemoryRows<'_> {
    fn padding(&mut self, way: &Way, from: u64, to: u64, repeats: &[Repeat]) {
        if to > from && to != UNBOUNDED {
            let (path, repeats) = (way.name.clone(), repeats.to_vec());
            let size = count(to - from);
            self.rows.push(MemoryRow { path, ty: None, offset: from, size, padding: true, repeats, emitted: None });
        }
    }

    fn row(&mut self, way: &Way, offset: u64, layout: &TypeLayout, repeats: &[Repeat]) {
        let (path, repeats) = (way.name.clone(), repeats.to_vec());
        let leaf = self.builder.layout.leaves.data(way.parameter, way.path.clone());
        let emitted = leaf.and_then(|leaf| self.builder.texts.data.get(&leaf).cloned());
        let matrix_layout = repeats.last().and_then(|r| r.vectors.clone());
        let ty = type_name(&TypeNode { matrix_layout, ..self.builder.bare_type(layout.ty) });
        let (ty, size) = (Some(ty), count(layout.size()));
        self.rows.push(MemoryRow { path, ty, offset, size, padding: false, repeats, emitted });
    }

    fn value(&mut self, way: &Way, offset: u64, layout: &TypeLayout, repeats: &[Repeat]) {
        match &layout.detail {
            Detail::Struct(fields) => {
                let declared = self.builder.program.fields(layout.ty);
                let ways = (0..).zip(declared).map(|(i, f)| way.field(i, f.name.as_str()));
                let mut parts: Vec<_> = ways
                    .zip(fields)
                    .map(|(way, f)| (way, offset.saturating_add(f.offset.get(Unit::Bytes)), &f.layout))
                    .collect();
                self.parts(way, offset, &mut parts, layout.size(), repeats);
            }
            Detail::Array { element, count: n, stride } => {
                let name = way.name.split('.').skip(1).count() as u32;
                let each = Repeat { name: Some(name), ..repeat(*n, stride.get(Unit::Bytes)) };
                self.elements(way, offset, element, (each, layout.size()), repeats);
            }
            Detail::Matrix { stride, order } => {
                let (vectors, vector) = self.vectors(layout.ty, *order);
                let element = TypeLayout {
                    counts: crate::layout::Counts::one(Unit::Bytes, vector),
                    detail: Detail::Plain,
                    ..layout.clone()
                };
                let word = if *order == MatrixOrder::Row { "row" } else { "column" };
                let each = Repeat { vectors: Some(word.to_owned()), ..repeat(Some(vectors), (*stride).into()) };
                self.elements(way, offset, &element, (each, layout.size()), repeats);
            }
            _ if layout.size() == 0 => {}
            _ => self.row(way, offset, layout, repeats),
        }
    }

    /// How many vectors a matrix is stored as, and their size.
    fn vectors(&self, ty: TypeId, order: MatrixOrder) -> (u32, u64) {
        let Type::Matrix(s, rows, columns) = self.builder.program.types.get(ty) else { return (1, 0) };
        let vectors = indices_of_matrix(order, rows, columns);
        (vectors, u64::from(rows) * u64::from(columns) * u64::from(s.size()) / u64::from(vectors.max(1)))
    }

    /// The elements of an array or vectors of a matrix of `size` bytes: the first, and how it is repeated.
    fn elements(
        &mut self,
        way: &Way,
        offset: u64,
        element: &TypeLayout,
        (each, size): (Repeat, u64),
        repeats: &[Repeat],
    ) {
        let (n, stride) = (if let Count::Number(n) = each.count { n } else { UNBOUNDED }, each.stride);
        if n == 0 || element.size() == 0 {
            return;
        }
        let repeat = |n: u64| [repeats, &[Repeat { count: count(n), ..each.clone() }]].concat();
        self.value(way, offset, element, &repeat(n));
        let end = offset.saturating_add(element.size());
        let last = stride.saturating_mul(n - 1).saturating_add(element.size());
        // Padded like the others, or not at all, or otherwise.
        if n == UNBOUNDED || size == stride.saturating_mul(n) {
            self.padding(way, end, offset.saturating_add(stride), &repeat(n));
        } else {
            if n > 1 {
                self.padding(way, end, offset.saturating_add(stride), &repeat(n - 1));
            }
            self.padding(way, offset.saturating_add(last), offset.saturating_add(size), repeats);
        }
    }

    /// Parts of a whole of `size` bytes, with what lies between them.
    fn parts(&mut self, way: &Way, offset: u64, parts: &mut [(Way, u64, &TypeLayout)], size: u64, repeats: &[Repeat]) {
        parts.sort_by_key(|(_, at, _)| *at);
        let mut end = offset;
        for (part, at, layout) in parts.iter().filter(|(_, _, layout)| layout.size() > 0) {
            self.padding(way, end, *at, repeats);
            self.value(part, *at, layout, repeats);
            end = end.max(at.saturating_add(layout.size()));
        }
        self.padding(way, end, offset.saturating_add(size), repeats);
    }
}
