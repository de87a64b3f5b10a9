//! How data lies in a buffer whose bytes are not those of the target's own rules: a plan without any code.
//!
//! A [`Frame`] is a struct that is declared for the data: its members follow the target's own rules, and stand where the
//! wanted layout has the bytes, with padding between them. What the target cannot have where it is wanted is divided further:
//!
//! | wanted | stored |
//! | --- | --- |
//! | a struct whose tail is used by what follows, or that begins where the target has none | its fields, one by one |
//! | a matrix that the target's compiler begins or reads elsewhere than it says | vectors |
//! | a vector, matrix at a place that is no multiple of its alignment | arrays of scalars, or shorter vectors |
//! | an array with another stride, or that the target gives another | an array of structs with padding |
//! | what lies in the tail of an array's last element | a member of the array's elements |
//! | an array in a constant buffer whose stride is no multiple of 16 | rows of four words, read by shifting the index |
//! | a double at an odd word of a constant buffer, integers of a width that the target lacks | rows of four words |
//! | members that `packoffset` puts on one another, half precision in immediates | rows of four words |
//! | integers of a width that the target lacks, in a texture buffer without rows | words |
//!
//! [`Slot`]s say where each part of the source's type went.

use super::rows;
use super::sharing::Made;
use super::slot::{Bytes, Form, Slot};
use crate::layout::rules::{Rules, round_up};
use crate::layout::types::same;
use crate::layout::{Counts, Detail, Layouter, Settings, TypeLayout, Unit};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::{Capability, Placement, Profile};
use crate::tree::{Field, MatrixOrder, Origin, Program, Scalar, Step, Struct, StructId, Type, TypeId};
use std::collections::BTreeMap;

/// What is declared for the data of a buffer.
pub(super) struct Stored {
    /// The type of the data in the buffer.
    pub(super) ty: TypeId,
    /// Where everything is.
    pub(super) slot: Slot,
    /// New structs, in an order in which they can be declared.
    pub(super) structs: Vec<StructId>,
}

/// Why data cannot be stored: what, and the place of its declaration.
pub(super) struct Fault {
    pub(super) span: Span,
    pub(super) reason: String,
}

/// What the target does by itself.
#[derive(Clone, Copy)]
pub(super) struct Native<'a> {
    pub(super) settings: &'a Settings,
    pub(super) rules: &'static Rules,
    /// Structs with matrices may not be those of other buffers: the target stores all matrices of a buffer in one order.
    pub(super) own_structs: bool,
    /// Elements of arrays in constant buffers take what they are long, and four-byte ones can be widened to 16 bytes.
    pub(super) dense_elements: bool,
    /// It has matrices of one row or column, of doubles and of bools. In rows of 16 bytes its compiler begins the first as if
    /// all had one storage order, and reads the second elsewhere than it says; it refuses elements of the last.
    pub(super) odd_matrices: bool,
    /// Which numbers it has.
    pub(super) profile: &'a Profile,
    /// Whether nothing writes the data.
    pub(super) read_only: bool,
    /// Whether they are immediates, which hold no half precision.
    pub(super) immediate: bool,
}

impl Native<'_> {
    /// How many bytes a row of words has, if what the target cannot have is read out of such: words alone where elements of
    /// arrays have no distance of their own.
    pub(super) fn row(&self) -> Option<u64> {
        let align = u64::from(self.rules.min_align);
        (align > 4 || self.read_only).then_some(if align > 4 { align } else { 4 })
    }

    /// Whether elements of arrays lie at distances that are multiples of a row of words.
    pub(super) fn has_rows(&self) -> bool {
        self.rules.min_align > 4
    }

    /// Whether a type has arrays whose elements must be in structs, to lie as far apart as the rules say, or matrices that
    /// must be vectors, to lie where they say.
    pub(super) fn needs_parts(&self, program: &Program, layout: &TypeLayout) -> bool {
        let short = self.dense_elements && self.rules.min_align >= 16 && has_short_elements(program, layout);
        if self.row().is_some() && rows::is_foreign(program, self, layout) {
            return true;
        }
        // Arrays of pairs would lie closer together.
        let pairs = self.profile.facts.placement == Placement::AlignAndSize && !self.profile.has(Capability::Int64);
        if pairs && rows::has_gaps(&program.types, layout) {
            return true;
        }
        let in_rows = self.rules.row.is_some();
        let odd = |leaf: Type| match leaf {
            Type::Matrix(s, rows, columns) => {
                s == Scalar::Bool || in_rows && (s.size() == 8 || rows == 1 || columns == 1)
            }
            _ => false,
        };
        short || self.odd_matrices && program.any_leaf(layout.ty, &mut |leaf| odd(leaf))
    }
}

/// Whether there are arrays of elements that are no multiple of 16 bytes, and have no four-byte components.
fn has_short_elements(program: &Program, layout: &TypeLayout) -> bool {
    let is_short = |ty: TypeId, order: MatrixOrder| match program.types.get(ty) {
        Type::Scalar(s) => s.size() != 4,
        Type::Vector(s, n) => s.size() != 4 && !(s.size() * u32::from(n)).is_multiple_of(16),
        Type::Matrix(s, rows, columns) => {
            let length = if order == MatrixOrder::Row { columns } else { rows };
            s.size() != 4 && !(s.size() * u32::from(length)).is_multiple_of(16)
        }
        _ => false,
    };
    match &layout.detail {
        Detail::Struct(fields) => fields.iter().any(|f| has_short_elements(program, &f.layout)),
        Detail::Array { element, .. } => is_short(element.ty, MatrixOrder::Row) || has_short_elements(program, element),
        Detail::Matrix { order, .. } => is_short(layout.ty, *order),
        _ => false,
    }
}

/// The data of a buffer to be stored.
pub(super) struct BufferData<'a> {
    /// The wanted layout.
    pub(super) wanted: &'a TypeLayout,
    /// Storage order of matrices in it that have no modifier.
    pub(super) order: MatrixOrder,
    /// The distance of elements, in a structured buffer.
    pub(super) stride: Option<u64>,
    /// Its struct is not a type, but the members of a `cbuffer`.
    pub(super) members: bool,
    /// A name for the struct.
    pub(super) name: &'a str,
    /// The place of the declaration.
    pub(super) span: Span,
}

/// Plans the storage of a buffer's data.
pub(super) fn store(
    program: &mut Program,
    native: Native,
    data: &BufferData,
    made: &mut Made,
) -> Result<Stored, Fault> {
    let limit = data.stride.map_or(64, power_of_two_in);
    let items = match fields(program, data.wanted, 0, data.order) {
        Some(items) => items,
        None => vec![Item::new("value", 0, data.wanted.clone(), data.order, data.span)],
    };
    let is_struct = matches!(data.wanted.detail, Detail::Struct(_));
    let mut frame = Frame::new(program, native, limit, items, data.span);
    frame.find_rows();
    let (ty, mut slots) = frame.build(data.stride, data.name)?;
    let structs = std::mem::take(&mut frame.declared);
    let slot = match (is_struct, slots.pop()) {
        (false, Some(only)) => only,
        (_, last) => {
            slots.extend(last);
            Slot::here(data.wanted.ty, Form::Struct(slots))
        }
    };
    let mut stored = Stored { ty, slot, structs };
    if !native.own_structs {
        made.share(program, &mut stored, native.rules, data);
    }
    Ok(stored)
}

/// The largest power of two that divides a number; large for 0.
fn power_of_two_in(n: u64) -> u64 {
    if n == 0 { 64 } else { 1 << n.trailing_zeros() }
}

/// Something to be put into a frame.
#[derive(Clone)]
struct Item {
    name: String,
    offset: u64,
    layout: TypeLayout,
    /// Storage order of matrices in it.
    order: MatrixOrder,
    span: Span,
    /// What of the source it is, as a whole.
    origin: Origin,
}

impl Item {
    fn new(name: &str, offset: u64, layout: TypeLayout, order: MatrixOrder, span: Span) -> Item {
        Item { name: name.to_owned(), offset, layout, order, span, origin: Origin::Synthesized }
    }

    /// A part of it, or of what it is in.
    fn part(self, name: String) -> Item {
        Item { name, origin: Origin::Synthesized, ..self }
    }

    fn end(&self) -> u64 {
        self.offset.saturating_add(self.layout.size())
    }

    /// Its slot, if it is this member.
    fn at(&self, member: Step, form: Form) -> Slot {
        Slot { steps: vec![member], ty: self.layout.ty, form }
    }

    fn fault(&self, reason: &str) -> Fault {
        Fault { span: self.span, reason: reason.to_owned() }
    }
}

/// The fields of a struct as items from `offset` on; nothing for other types.
fn fields(program: &Program, layout: &TypeLayout, offset: u64, order: MatrixOrder) -> Option<Vec<Item>> {
    let (Detail::Struct(layouts), Type::Struct(id)) = (&layout.detail, program.types.get(layout.ty)) else {
        return None;
    };
    let fields = program.structs[id].fields.iter().zip(layouts);
    let item = |(field, var): (&Field, &crate::layout::VarLayout)| {
        let at = offset.saturating_add(var.offset.get(Unit::Bytes));
        let order = field.matrix_order.unwrap_or(order);
        let origin = field.origin;
        Item { origin, ..Item::new(field.name.as_str(), at, var.layout.clone(), order, field.span) }
    };
    Some(fields.map(item).collect())
}

/// What became of an item.
enum Node {
    Open,
    Done(Slot),
    Struct(TypeId, Vec<usize>),
    Pieces(TypeId, Vec<usize>),
    Matrix(TypeId, MatrixOrder, Vec<usize>),
}

/// A region of rows of words.
struct WordRows {
    start: u64,
    end: u64,
    member: Option<u32>,
}

/// A struct being made.
struct Frame<'a> {
    program: &'a mut Program,
    native: Native<'a>,
    /// Nothing in it may have a larger alignment.
    limit: u64,
    /// What is to be placed, by offset.
    items: BTreeMap<(u64, usize), Item>,
    nodes: Vec<Node>,
    /// The items that the frame was made for.
    roots: usize,
    members: Vec<Field>,
    end: u64,
    align: u64,
    rows: Vec<WordRows>,
    declared: Vec<StructId>,
    span: Span,
}

impl<'a> Frame<'a> {
    fn new(program: &'a mut Program, native: Native<'a>, limit: u64, items: Vec<Item>, span: Span) -> Frame<'a> {
        let mut frame = Frame {
            program,
            native,
            limit,
            items: BTreeMap::new(),
            nodes: Vec::new(),
            roots: items.len(),
            members: Vec::new(),
            end: 0,
            align: 1,
            rows: Vec::new(),
            declared: Vec::new(),
            span,
        };
        items.into_iter().for_each(|item| {
            frame.add(item);
        });
        frame
    }

    fn add(&mut self, item: Item) -> usize {
        let id = self.nodes.len();
        self.nodes.push(Node::Open);
        self.items.insert((item.offset, id), item);
        id
    }

    /// Places everything; gives the struct and the slots of the first items.
    fn build(&mut self, stride: Option<u64>, name: &str) -> Result<(TypeId, Vec<Slot>), Fault> {
        while let Some(((_, id), item)) = self.items.pop_first() {
            self.place(id, item, stride)?;
        }
        if let Some(stride) = stride {
            self.pad_tail(stride)?;
        }
        let fields = std::mem::take(&mut self.members);
        let id = self.program.structs.push(Struct::new(name, fields, self.span));
        self.declared.push(id);
        let ty = self.program.types.intern(Type::Struct(id));
        let slots = (0..self.roots).map(|root| self.slot(root)).collect();
        Ok((ty, slots))
    }

    /// The slot of a placed item.
    fn slot(&mut self, id: usize) -> Slot {
        let node = self.nodes.get_mut(id).map_or(Node::Open, |n| std::mem::replace(n, Node::Open));
        let mut all = |list: Vec<usize>| list.into_iter().map(|i| self.slot(i)).collect();
        match node {
            Node::Done(slot) => slot,
            Node::Struct(ty, list) => Slot::here(ty, Form::Struct(all(list))),
            Node::Pieces(ty, list) => Slot::here(ty, Form::Pieces(all(list))),
            Node::Matrix(ty, order, list) => Slot::here(ty, Form::Matrix(order, all(list), None)),
            Node::Open => Slot::here(TypeId::ERROR, Form::Nothing),
        }
    }

    fn done(&mut self, id: usize, slot: Slot) {
        self.split(id, Node::Done(slot));
    }

    fn natural(&self, ty: TypeId, order: MatrixOrder) -> TypeLayout {
        Layouter { program: self.program, settings: self.native.settings }.layout(ty, self.native.rules, order)
    }

    /// How far something at `item` may reach.
    fn room(&self, item: &Item, stride: Option<u64>) -> u64 {
        let next = self.items.values().find(|i| i.layout.size() > 0).map(|i| i.offset);
        let rows = self.rows.iter().map(|r| r.start).find(|start| *start > item.offset);
        let end = [next, rows, stride].into_iter().flatten().min().unwrap_or(u64::MAX);
        end.saturating_sub(item.offset)
    }

    fn crosses_row(&self, offset: u64, size: u64) -> bool {
        self.native.rules.row.map(u64::from).is_some_and(|row| !offset.is_multiple_of(row) && offset % row + size > row)
    }

    fn fits(&self, offset: u64, align: u64, size: u64, room: u64) -> bool {
        let aligned = offset.is_multiple_of(align.max(1)) && align <= self.limit;
        aligned && size <= room && offset >= self.end && !self.crosses_row(offset, size)
    }

    fn place(&mut self, id: usize, item: Item, stride: Option<u64>) -> Result<(), Fault> {
        if item.layout.size() == 0 {
            self.done(id, Slot::here(item.layout.ty, Form::Nothing));
            return Ok(());
        }
        if self.in_rows(id, &item)? {
            return Ok(());
        }
        let room = self.room(&item, stride);
        if item.layout.size() > room || item.offset < self.end {
            return Err(item.fault("it overlaps with another field"));
        }
        let natural = self.natural(item.layout.ty, item.order);
        let shared = self.native.own_structs && matches!(item.layout.detail, Detail::Struct(_) | Detail::Array { .. });
        let shared = shared && holds_struct(&item.layout) && self.holds_matrix(item.layout.ty);
        let apart = self.native.needs_parts(self.program, &item.layout);
        let alike = !shared && !apart && same(&item.layout, &natural);
        if alike && self.fits(item.offset, natural.align.into(), natural.size(), room) {
            let member = self.member(&item, item.layout.ty, &natural)?;
            self.done(id, item.at(member, Form::Same));
            return Ok(());
        }
        match item.layout.detail.clone() {
            Detail::Struct(_) => self.structure(id, item, room),
            Detail::Array { element, count: Some(count), stride } => {
                self.array(id, item, &element, count.into(), stride.get(Unit::Bytes), room)
            }
            Detail::Matrix { stride, order } => self.matrix(id, item, stride.into(), order, room),
            _ => match self.program.types.get(item.layout.ty) {
                Type::Vector(s, n) => self.vector(id, item, s, n, room),
                _ => Err(item.fault("the target has nothing of its type there")),
            },
        }
    }

    /// A member of the frame, with padding before it. `natural` is its layout by the target's own rules.
    fn member(&mut self, item: &Item, ty: TypeId, natural: &TypeLayout) -> Result<Step, Fault> {
        let (size, align) = (natural.size(), u64::from(natural.align));
        while self.next_position(size, align) != item.offset {
            let unit = self.first_scalar(ty).filter(|s| s.size() < 4).unwrap_or(Scalar::U32);
            if !self.pad(item.offset, unit) {
                return Err(item.fault("there is no padding that moves it there"));
            }
        }
        let name = self.unique(&item.name);
        let mut field = Field::new(name, ty, item.span);
        let ordered = self.holds_matrix(ty) && item.order != self.program.default_matrix_order;
        field.matrix_order = ordered.then_some(item.order);
        field.origin = item.origin;
        self.push(field, item.offset, size, align);
        Ok(Step::Field(self.members.len() as u32 - 1))
    }

    fn push(&mut self, field: Field, offset: u64, size: u64, align: u64) {
        self.members.push(field);
        self.end = offset.saturating_add(size);
        self.align = self.align.max(align);
    }

    fn next_position(&self, size: u64, align: u64) -> u64 {
        let at = round_up(self.end, align);
        match self.native.rules.row {
            Some(row) if self.crosses_row(at, size) => round_up(at, row.into()),
            _ => at,
        }
    }

    /// One member of padding towards `to`: the largest that fits.
    fn pad(&mut self, to: u64, unit: Scalar) -> bool {
        let words = to.saturating_sub(round_up(self.end, 4)) / 4;
        let small_arrays = self.native.rules.min_align <= 4;
        let mut candidates: Vec<TypeId> = Vec::new();
        let types = &mut self.program.types;
        let count = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        if small_arrays && words > 1 {
            candidates.push(types.array(TypeId::UINT, Some(count(words))));
        } else if words > 1 {
            let row = types.vector(Scalar::U32, 4);
            let rows = to.saturating_sub(round_up(self.end, 16)) / 16;
            if rows > 1 {
                candidates.push(types.array(row, Some(count(rows))));
            }
            candidates.extend([row, types.vector(Scalar::U32, 2)]);
        }
        if words > 0 {
            candidates.push(TypeId::UINT);
        }
        candidates.push(types.scalar(unit));
        for ty in candidates {
            let natural = self.natural(ty, MatrixOrder::Row);
            let (size, align) = (natural.size(), u64::from(natural.align));
            let at = self.next_position(size, align);
            if align <= self.limit && at.saturating_add(size) <= to && !self.crosses_row(at, size) {
                let name = self.unique("padding");
                self.push(Field::new(name, ty, self.span), at, size, align);
                return true;
            }
        }
        false
    }

    /// Padding after the last member, so that elements lie `stride` apart.
    fn pad_tail(&mut self, stride: u64) -> Result<(), Fault> {
        loop {
            let rules = self.native.rules;
            let align = self.align.max(rules.min_align.into());
            let size = if rules.round_struct_size { round_up(self.end, align) } else { self.end };
            let distance = round_up(size, align.max(rules.min_align.into()));
            if distance == stride {
                return Ok(());
            }
            let unit = self.members.last().and_then(|f| self.first_scalar(f.ty));
            let unit = unit.filter(|s| s.size() < 4).unwrap_or(Scalar::U32);
            if distance > stride || !self.pad(stride, unit) {
                let reason = format!("its elements cannot have a stride of {stride} bytes");
                return Err(Fault { span: self.span, reason });
            }
        }
    }

    fn unique(&self, name: &str) -> Symbol {
        let taken =
            |name: &str| self.members.iter().any(|m| m.name == name) || self.items.values().any(|i| i.name == name);
        let numbered = (1u32..).map(|n| format!("{name}{n}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        Symbol::new(&names.find(|n| !taken(n)).unwrap_or_default())
    }

    fn first_scalar(&self, ty: TypeId) -> Option<Scalar> {
        let mut first = None;
        self.program.any_leaf(ty, &mut |leaf| {
            first = leaf.component();
            first.is_some()
        });
        first
    }

    fn holds_matrix(&self, ty: TypeId) -> bool {
        self.program.any_leaf(ty, &mut |leaf| matches!(leaf, Type::Matrix(..)))
    }

    /// A struct: in a struct of its own if that may be where it is wanted, else field by field.
    fn structure(&mut self, id: usize, item: Item, room: u64) -> Result<(), Fault> {
        let limit = self.limit.min(power_of_two_in(item.offset));
        let inner = fields(self.program, &item.layout, 0, item.order).unwrap_or_default();
        let name = match self.program.types.get(item.layout.ty) {
            Type::Struct(s) => format!("{}_stored", self.program.structs[s].name),
            _ => item.name.clone(),
        };
        let mut frame = Frame::new(self.program, self.native, limit, inner, item.span);
        if let Ok((ty, slots)) = frame.build(None, &name) {
            let declared = std::mem::take(&mut frame.declared);
            let natural = self.natural(ty, item.order);
            if self.fits(item.offset, natural.align.into(), natural.size(), room) {
                self.declared.extend(declared);
                let member = self.member(&item, ty, &natural)?;
                let slots = slots.into_iter().map(|s| s.seen_through(&[member])).collect();
                self.done(id, item.at(member, Form::Struct(slots)));
                return Ok(());
            }
        }
        self.field_by_field(id, &item);
        Ok(())
    }

    /// The fields of a struct, each to be placed by itself. Answers whether it is one.
    fn field_by_field(&mut self, id: usize, item: &Item) -> bool {
        let Some(parts) = fields(self.program, &item.layout, item.offset, item.order) else { return false };
        let parts = parts.into_iter().map(|part| {
            let name = format!("{}_{}", item.name, part.name);
            self.add(part.part(name))
        });
        let parts = parts.collect();
        self.split(id, Node::Struct(item.layout.ty, parts));
        true
    }

    fn split(&mut self, id: usize, into: Node) {
        if let Some(node) = self.nodes.get_mut(id) {
            *node = into;
        }
    }

    /// An array of elements that are structs of their own, which also hold what lies in the last one's tail.
    fn array(
        &mut self,
        id: usize,
        item: Item,
        element: &TypeLayout,
        count: u64,
        stride: u64,
        room: u64,
    ) -> Result<(), Fault> {
        let rules = self.native.rules;
        let limit = self.limit.min(power_of_two_in(item.offset)).min(power_of_two_in(stride));
        if limit < u64::from(rules.min_align) {
            return Err(item.fault("the target has no array that begins there, or no such stride"));
        }
        let last = item.offset.saturating_add(stride.saturating_mul(count.saturating_sub(1)));
        let mut inner = match fields(self.program, element, 0, item.order) {
            Some(fields) => fields,
            None => vec![Item::new("value", 0, element.clone(), item.order, item.span)],
        };
        let own = inner.len();
        let mut tail = Vec::new();
        if room < stride.saturating_mul(count) {
            while let Some(entry) = self.items.first_entry().filter(|e| e.key().0 < last.saturating_add(stride)) {
                let ((_, id), mut item) = entry.remove_entry();
                item.offset = item.offset.saturating_sub(last);
                tail.push(id);
                inner.push(item);
            }
        }
        let name = format!("{}_element", item.name);
        let mut frame = Frame::new(self.program, self.native, limit, inner, item.span);
        let (ty, mut slots) = frame.build(Some(stride), &name)?;
        let declared = std::mem::take(&mut frame.declared);
        self.declared.extend(declared);
        let ty = self.program.types.array(ty, u32::try_from(count).ok());
        let natural = self.natural(ty, item.order);
        let member = self.member(&item, ty, &natural)?;
        let to_last = [member, Step::Element(u32::try_from(count.saturating_sub(1)).unwrap_or(u32::MAX))];
        for (id, slot) in tail.into_iter().zip(slots.split_off(own)) {
            self.done(id, slot.seen_through(&to_last));
        }
        let inner = match (&element.detail, slots.pop()) {
            (Detail::Struct(_), last) => {
                slots.extend(last);
                Slot::here(element.ty, Form::Struct(slots))
            }
            (_, only) => only.unwrap_or_else(|| Slot::here(element.ty, Form::Same)),
        };
        self.done(id, item.at(member, Form::Array(Box::new(inner))));
        Ok(())
    }

    /// A vector as an array of scalars, or as the longest pieces that may be where they are wanted.
    fn vector(&mut self, id: usize, item: Item, s: Scalar, n: u8, room: u64) -> Result<(), Fault> {
        let size = u64::from(s.size());
        let scalar = self.program.types.scalar(s);
        let array = self.program.types.array(scalar, Some(n.into()));
        let natural = self.natural(array, item.order);
        let dense = natural.size() == item.layout.size() && n > 1;
        if dense && self.fits(item.offset, natural.align.into(), natural.size(), room) {
            let member = self.member(&item, array, &natural)?;
            self.done(id, item.at(member, Form::Scalars));
            return Ok(());
        }
        let mut pieces = Vec::new();
        let mut first = 0;
        while first < n {
            let offset = item.offset.saturating_add(u64::from(first) * size);
            let fitting = (1..=(n - first).min(n.saturating_sub(1).max(1))).rev().find_map(|length| {
                let ty = self.program.types.scalar_or_vector(s, length);
                let natural = self.natural(ty, item.order);
                let room = room.saturating_sub(u64::from(first) * size);
                self.fits(offset, natural.align.into(), natural.size(), room).then_some((length, natural))
            });
            let (length, natural) = fitting.ok_or_else(|| item.fault("the target has nothing of its type there"))?;
            let letters = "xyzw".get(usize::from(first)..usize::from(first + length)).unwrap_or("");
            let name = format!("{}_{letters}", item.name);
            pieces.push(self.add(Item { offset, layout: natural, ..item.clone().part(name) }));
            first += length;
        }
        self.split(id, Node::Pieces(item.layout.ty, pieces));
        Ok(())
    }

    /// A matrix as an array of arrays of scalars, or as its vectors one by one.
    fn matrix(&mut self, id: usize, item: Item, stride: u64, order: MatrixOrder, room: u64) -> Result<(), Fault> {
        let Type::Matrix(s, rows, columns) = self.program.types.get(item.layout.ty) else {
            return Err(item.fault("the target has nothing of its type there"));
        };
        let (count, length) = if order == MatrixOrder::Row { (rows, columns) } else { (columns, rows) };
        let size = u64::from(s.size()) * u64::from(length);
        let vector = self.program.types.scalar_or_vector(s, length);
        let counts = Counts::one(Unit::Bytes, size);
        let layout = TypeLayout { ty: vector, counts, align: 1, detail: Detail::Plain };
        let scalar = self.program.types.scalar(s);
        let mut whole = if length == 1 { scalar } else { self.program.types.array(scalar, Some(length.into())) };
        whole = self.program.types.array(whole, Some(count.into()));
        let natural = self.natural(whole, order);
        let dense = size == stride && natural.size() == item.layout.size();
        if dense && self.fits(item.offset, natural.align.into(), natural.size(), room) {
            let member = self.member(&item, whole, &natural)?;
            let form = if length == 1 { Form::Same } else { Form::Scalars };
            let slot = Slot::matrix(item.layout.ty, order, Slot::here(layout.ty, form), count);
            self.done(id, slot.seen_through(&[member]));
            return Ok(());
        }
        let vectors = (0..u64::from(count)).map(|i| {
            let (name, offset) = (format!("{}_{i}", item.name), item.offset.saturating_add(i * stride));
            self.add(Item { offset, layout: layout.clone(), ..item.clone().part(name) })
        });
        let vectors = vectors.collect();
        self.split(id, Node::Matrix(item.layout.ty, order, vectors));
        Ok(())
    }

    /// Finds the regions that hold what the target cannot have in buffers that are only read.
    fn find_rows(&mut self) {
        let Some(align) = self.native.row() else { return };
        let mut leaves = Vec::new();
        let program = &*self.program;
        let unfit = |layout: &TypeLayout, offset: u64| rows::is_unfit(program, &self.native, layout, offset);
        self.items.values().for_each(|item| rows::collect_leaves(&unfit, &item.layout, item.offset, &mut leaves));
        rows::mark_unions(&mut leaves);
        let mut regions: Vec<(u64, u64)> = leaves.iter().filter(|l| l.2).map(|l| (l.0, l.1)).collect();
        loop {
            let before = regions.clone();
            for (start, end) in regions.iter_mut() {
                *start -= *start % align;
                *end = round_up(*end, align);
                for (from, to, _) in &leaves {
                    if *from < *end && *to > *start {
                        *start = (*start).min(*from);
                        *end = (*end).max(*to);
                    }
                }
            }
            regions.sort_unstable();
            let merged = regions.drain(..).fold(Vec::<(u64, u64)>::new(), |mut list, (start, end)| {
                match list.last_mut().filter(|last| last.1 >= start) {
                    Some(last) => last.1 = last.1.max(end),
                    None => list.push((start, end)),
                }
                list
            });
            regions = merged;
            if regions == before {
                break;
            }
        }
        self.rows = regions.into_iter().map(|(start, end)| WordRows { start, end, member: None }).collect();
    }

    /// Places what lies in rows of words.
    fn in_rows(&mut self, id: usize, item: &Item) -> Result<bool, Fault> {
        let Some(index) = self.rows.iter().position(|r| item.offset < r.end && item.end() > r.start) else {
            return Ok(false);
        };
        let Some(WordRows { start, end, member }) = self.rows.get(index) else { return Ok(false) };
        let (start, end, member) = (*start, *end, *member);
        if item.offset < start || item.end() > end {
            return if self.field_by_field(id, item) { Ok(true) } else { Err(item.fault("it lies across rows")) };
        }
        let member = match member {
            Some(member) => Step::Field(member),
            None => {
                let words = self.native.row().unwrap_or(16) / 4;
                let row = self.program.types.scalar_or_vector(Scalar::U32, if words > 1 { 4 } else { 1 });
                let ty = self.program.types.array(row, u32::try_from((end - start) / (words * 4)).ok());
                let natural = self.natural(ty, MatrixOrder::Row);
                let name = if words > 1 { "rows" } else { "words" };
                let whole = Item::new(name, start, natural.clone(), MatrixOrder::Row, item.span);
                self.member(&whole, ty, &natural)?
            }
        };
        if let (Some(rows), Step::Field(field)) = (self.rows.get_mut(index), member) {
            rows.member = Some(field);
        }
        let bytes = Bytes { offset: item.offset - start, layout: item.layout.clone() };
        self.done(id, item.at(member, Form::Words(Box::new(bytes))));
        Ok(true)
    }
}

fn holds_struct(layout: &TypeLayout) -> bool {
    match &layout.detail {
        Detail::Struct(_) => true,
        Detail::Array { element, .. } => holds_struct(element),
        _ => false,
    }
}
