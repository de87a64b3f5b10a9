//! Type layout: sizes, alignments, strides and field offsets of a type, in every unit at once, under one rule set.

use super::rules::{Rules, VectorAlign, round_up};
use super::units::{Counts, UNBOUNDED, Unit};
use super::{Api, Policy, Settings, Unbounded};
use crate::target::api::BufferClass;
use crate::tree::{Access, BufferKind, Field, MatrixOrder, Program, Scalar, Struct, Type, TypeId};

/// Types nested deeper than this are refused by `check`; here the recursion only must end.
const MAX_DEPTH: u32 = 200;

/// The layout of a type.
#[derive(Clone, Debug)]
pub struct TypeLayout {
    /// The type.
    pub ty: TypeId,
    /// What it takes.
    pub counts: Counts,
    /// Byte alignment; 1 if it has no bytes.
    pub align: u32,
    /// Its parts.
    pub detail: Detail,
}

/// The parts of a type.
#[derive(Clone, Debug)]
pub enum Detail {
    /// Scalar, vector.
    Plain,
    /// Matrix: stride between its vectors, and whether they are rows.
    Matrix {
        /// Bytes from one vector to the next.
        stride: u32,
        /// Rows are contiguous.
        order: MatrixOrder,
    },
    /// Struct: a layout a field.
    Struct(Vec<VarLayout>),
    /// Array.
    Array {
        /// Layout of an element, with register offsets spread for the whole array (rule `layout-arrays`).
        element: Box<TypeLayout>,
        /// `None` is unsized.
        count: Option<u32>,
        /// Distance from element to element in each unit.
        stride: Counts,
    },
    /// A texture, sampler, buffer or another object.
    Resource {
        /// Layout of the element of a structured buffer under its own rules.
        element: Option<Box<TypeLayout>>,
    },
    /// ConstantBuffer, TextureBuffer, ParameterBlock.
    Block {
        /// What the buffer itself takes, if it has plain data.
        container: Counts,
        /// The contents; offsets are relative to the block (in its own space for a parameter block that has one).
        element: Box<VarLayout>,
        /// It has a register space or descriptor set of its own.
        own_space: bool,
    },
}

/// The layout of a field or parameter: a type at offsets relative to what encloses it.
#[derive(Clone, Debug)]
pub struct VarLayout {
    /// Offsets.
    pub offset: Counts,
    /// Its slots are counted from 0 of spaces of its own, wherever what encloses it lies.
    pub from_zero: bool,
    /// The type.
    pub layout: TypeLayout,
}

impl TypeLayout {
    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.counts.get(Unit::Bytes)
    }

    /// The register classes of a D3D array without bound, each of which has a space of its own; none for structs, whose
    /// fields have.
    pub fn unbounded_classes(&self) -> Vec<Unit> {
        let Detail::Array { element, count: None, .. } = &self.detail else { return Vec::new() };
        let leaf = element.innermost();
        let classes = Unit::SLOTS.into_iter().filter(|u| u.class().is_some() && leaf.counts.get(*u) > 0);
        classes.filter(|_| !matches!(leaf.detail, Detail::Struct(_))).collect()
    }

    /// The slots of a block within a space of its own: where they begin in each unit, and how many there are.
    pub fn own_slots(&self) -> Option<(Counts, Counts)> {
        let Detail::Block { container, element, own_space: true } = &self.detail else { return None };
        let mut starts = Counts::NONE;
        for unit in Unit::SLOTS {
            starts.set(unit, element.offset.get(unit).saturating_sub(container.get(unit)));
        }
        Some((starts, container.plus(&element.layout.counts)))
    }

    /// What the arrays around it hold.
    pub fn innermost(&self) -> &TypeLayout {
        let mut at = self;
        while let Detail::Array { element, .. } = &at.detail {
            at = element;
        }
        at
    }

    /// The buffer of a block gets a binding behind all others, apart from the resources in it.
    pub fn put_buffer_last(&mut self) {
        if let Detail::Block { container, element, .. } = &mut self.detail {
            let count = container.get(Unit::Descriptor);
            *container = Counts::one(Unit::LateDescriptor, count);
            element.offset.set(Unit::Descriptor, 0);
            self.counts.set(Unit::Descriptor, self.counts.get(Unit::Descriptor).saturating_sub(count));
            self.counts.add(Unit::LateDescriptor, count);
        }
    }

    /// Takes the slots of hidden counters away, if it is a buffer with one, or an array of such: one of two that each buffer has.
    pub fn drop_counter(&mut self) -> bool {
        let two = self.counts_twice();
        self.each_of_array(&mut |counts, unit| counts.set(unit, counts.get(unit) / 2), two);
        two
    }

    /// Gives back what [`Self::drop_counter`] took.
    pub fn add_counter(&mut self) {
        self.each_of_array(&mut |counts, unit| counts.add(unit, counts.get(unit)), true);
    }

    /// Whether it is a buffer, or a bounded array of such, that has two slots for each.
    fn counts_twice(&self) -> bool {
        let leaf = self.innermost();
        let buffer = matches!(leaf.detail, Detail::Resource { element: Some(_) });
        let bounded =
            Unit::SLOTS.into_iter().all(|u| self.counts.get(u) != UNBOUNDED) && self.counts.get(Unit::Space) == 0;
        buffer && bounded && Unit::SLOTS.into_iter().any(|u| leaf.counts.get(u) == 2)
    }

    fn each_of_array(&mut self, change: &mut dyn FnMut(&mut Counts, Unit), any: bool) {
        let mut at = Some(self).filter(|_| any);
        while let Some(layout) = at {
            Unit::SLOTS.into_iter().for_each(|unit| change(&mut layout.counts, unit));
            at = match &mut layout.detail {
                Detail::Array { element, .. } => Some(element),
                _ => None,
            };
        }
    }

    /// All bindings but the first become a range of their own.
    pub fn part_bindings(&mut self) {
        let all = self.counts.get(Unit::Descriptor);
        self.counts.set(Unit::Descriptor, all.min(1));
        self.counts.set(Unit::FurtherDescriptor, all.saturating_sub(1));
    }

    /// Fields, if it is a struct.
    pub fn fields(&self) -> &[VarLayout] {
        match &self.detail {
            Detail::Struct(fields) => fields,
            _ => &[],
        }
    }
}

/// Computes type layouts for one program and settings.
pub struct Layouter<'a> {
    /// The program.
    pub program: &'a Program,
    /// Target facts and options.
    pub settings: &'a Settings,
}

impl Layouter<'_> {
    /// The layout of a type; `order` is the storage order of matrices in it that have no modifier of their own.
    pub fn layout(&self, ty: TypeId, rules: &Rules, order: MatrixOrder) -> TypeLayout {
        self.at_depth(ty, rules, order, 0)
    }

    /// The layout of what is in a buffer: empty structs directly in it move nothing.
    pub fn contents(&self, ty: TypeId, rules: &Rules, order: MatrixOrder) -> TypeLayout {
        self.content(ty, rules, order, 0)
    }

    fn at_depth(&self, ty: TypeId, rules: &Rules, order: MatrixOrder, depth: u32) -> TypeLayout {
        if depth > MAX_DEPTH {
            return plain(ty, 0, 1);
        }
        match self.program.types.get(ty) {
            Type::Scalar(s) | Type::Atomic(s) => plain(ty, self.scalar_size(s), self.scalar_size(s) as u32),
            Type::Enum(id) => {
                let size = self.scalar_size(self.program.enums[id].tag);
                plain(ty, size, size as u32)
            }
            Type::Vector(s, n) => self.vector(ty, s, n, rules),
            Type::Matrix(s, rows, columns) => self.matrix(ty, s, rows, columns, rules, order),
            Type::Array(element, count) => {
                // Matrices in arrays are as elsewhere.
                let of_matrices = matches!(self.program.types.get(self.program.types.innermost(ty)), Type::Matrix(..));
                let matrices_as_dxc = rules.matrices_as_dxc && !of_matrices;
                let element = self.at_depth(element, &Rules { matrices_as_dxc, ..*rules }, order, depth + 1);
                self.array(ty, element, count.laid_out(), rules)
            }
            Type::Struct(id) => {
                lay_out(ty, self.fields(&self.program.structs[id], rules, order, depth), rules, &self.settings.policy)
            }
            Type::ConstantBuffer(t, layout) => {
                let rules = self.settings.rules_of(layout, true);
                let element = self.content(t, rules, order, depth + 1);
                self.block(ty, element, Unit::ConstantBuffer, false)
            }
            Type::TextureBuffer(t) => {
                let rules = self.settings.rules.texture;
                let element = self.content(t, rules, order, depth + 1);
                self.block(ty, element, self.buffer_unit(Unit::ShaderResource), false)
            }
            Type::ParameterBlock(t) => {
                let settings = Settings { in_block: self.settings.block_spaces, ..*self.settings };
                let inner = Layouter { program: self.program, settings: &settings };
                let element = inner.content(t, settings.rules.constant, order, depth + 1);
                inner.block(ty, element, Unit::ConstantBuffer, settings.block_spaces)
            }
            Type::Pointer(_, _) => plain(ty, 8, 8),
            Type::Buffer(kind, _, element) => {
                let rules = self.settings.rules_of(kind.data_layout(), false);
                let element = self.at_depth(element, rules, order, depth + 1);
                self.resource(ty, Some(Box::new(element)))
            }
            _ => self.resource(ty, None),
        }
    }

    /// The contents of a block: empty structs directly in a `cbuffer` move nothing.
    fn content(&self, ty: TypeId, rules: &Rules, order: MatrixOrder, depth: u32) -> TypeLayout {
        match self.program.types.get(ty) {
            Type::Struct(id) if depth <= MAX_DEPTH => {
                let mut fields = self.fields(&self.program.structs[id], rules, order, depth);
                let members = self.program.is_members_of_cbuffer(ty);
                let row_after_empty_struct = rules.row_after_empty_struct && !members;
                if members {
                    let layouts = fields.iter_mut().map(|(_, layout)| layout);
                    self.part_least_precision(layouts, rules);
                }
                let mut layout =
                    lay_out(ty, fields, &Rules { row_after_empty_struct, ..*rules }, &self.settings.policy);
                if self.settings.policy.order.by_class {
                    order_by_class(&mut layout);
                }
                layout
            }
            _ => self.at_depth(ty, rules, order, depth),
        }
    }

    /// The members of a buffer begin rows where numbers of least 16 bits and others meet, as far as the rules say so.
    pub fn part_least_precision<'l>(&self, members: impl Iterator<Item = &'l mut TypeLayout>, rules: &Rules) {
        let Some(row) = rules.row.filter(|_| rules.least_precision_apart) else { return };
        let mut before = None;
        for layout in members.filter(|l| l.size() > 0) {
            let scalar = match self.program.types.get(layout.ty) {
                Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, ..) => Some(s),
                _ => None,
            };
            let least = scalar.is_some_and(Scalar::is_least_precision);
            if before.replace(least).is_some_and(|b| b != least) {
                layout.align = layout.align.max(row);
            }
        }
    }

    fn scalar_size(&self, scalar: Scalar) -> u64 {
        scalar.size() as u64
    }

    fn vector(&self, ty: TypeId, scalar: Scalar, count: u8, rules: &Rules) -> TypeLayout {
        let size = self.scalar_size(scalar);
        let total = size * count as u64;
        let align = match rules.vectors {
            VectorAlign::Scalar => size,
            VectorAlign::PowerOfTwo => total.next_power_of_two(),
        };
        plain(ty, total, align as u32)
    }

    /// A matrix is an array of its major vectors (rule `layout-matrices`).
    fn matrix(&self, ty: TypeId, s: Scalar, rows: u8, columns: u8, rules: &Rules, order: MatrixOrder) -> TypeLayout {
        let (count, length) = match order {
            MatrixOrder::Row => (rows, columns),
            MatrixOrder::Column => (columns, rows),
        };
        let vector = self.vector(ty, s, length, rules);
        let align = match rules.matrices_as_dxc && count == 1 && s != Scalar::Bool {
            true => vector.align.min(4),
            false => vector.align.max(rules.min_align),
        };
        let stride = round_up(vector.size(), align as u64);
        let wide = rules.wide_matrix_tail && self.scalar_size(s) < 4;
        let last = match rules.matrices_as_dxc && s == Scalar::Bool {
            true => stride,
            false if wide => u64::from(length) * 4,
            false => vector.size(),
        };
        let size = array_bytes(stride, count as u64, last, rules);
        TypeLayout {
            ty,
            counts: Counts::one(Unit::Bytes, size),
            align,
            detail: Detail::Matrix { stride: stride as u32, order },
        }
    }

    fn array(&self, ty: TypeId, element: TypeLayout, count: Option<u32>, rules: &Rules) -> TypeLayout {
        let mut element = element;
        let mut counts = Counts::NONE;
        let mut stride = Counts::NONE;
        let n = count.map_or(UNBOUNDED, u64::from);
        let mut align = 1;
        if element.size() > 0 {
            align = element.align.max(rules.min_align);
            let bytes = round_up(element.size(), align as u64);
            stride.set(Unit::Bytes, bytes);
            counts.set(Unit::Bytes, array_bytes(bytes, n, element.size(), rules));
        }
        let d3d = self.settings.api == Api::D3d;
        let counted = |unit: &Unit| self.settings.counts_elements(*unit);
        for (unit, used) in element.counts.units().filter(|(u, _)| *u != Unit::Bytes).collect::<Vec<_>>() {
            if unit == Unit::InputAttachment {
                counts.add(unit, used.saturating_mul(count.unwrap_or(1).into()));
                continue;
            }
            // One binding holds the whole array, or the array has as many elements as the code asks for.
            if !counted(&unit) || (count.is_none() && !d3d) {
                counts.add(unit, used);
                continue;
            }
            // The second slots of resources that take two follow the first ones of all elements.
            let slots = element.innermost().counts.get(unit).max(1);
            stride.set(unit, if count.is_some() { used / slots } else { 1 });
            match (count, self.settings.policy.arrays.unbounded) {
                (Some(n), _) => counts.add(unit, used.saturating_mul(n.into())),
                (None, Unbounded::RestOfSpace) => counts.add(unit, UNBOUNDED),
                // A D3D array without bound takes a space of its own for each leaf (rule `layout-unbounded`).
                (None, Unbounded::OwnSpace) => counts.set(Unit::Space, own_spaces(&element)),
            }
        }
        if count.is_some() && n > 1 && self.settings.policy.arrays.attachments_apart {
            spread(&mut element, n, &[Unit::InputAttachment]);
        }
        let units: Vec<Unit> = Unit::SLOTS.into_iter().filter(counted).collect();
        if count.is_some() && n > 1 && !units.is_empty() {
            spread(&mut element, n, &units);
            if let Detail::Struct(_) = element.detail {
                for unit in units.into_iter().filter(|u| counts.get(*u) > 0) {
                    stride.set(unit, 1);
                }
            }
        }
        if counts.get(Unit::Space) > 0 && count.is_none() {
            spread_spaces(&mut element);
        }
        TypeLayout { ty, counts, align, detail: Detail::Array { element: Box::new(element), count, stride } }
    }

    /// The layouts of a struct's fields, with the byte offsets that they ask for.
    fn fields(&self, s: &Struct, rules: &Rules, order: MatrixOrder, depth: u32) -> Vec<(Option<Asked>, TypeLayout)> {
        let layouts = s.fields.iter().map(|field| {
            let order = field.matrix_order.unwrap_or(order);
            (explicit_offset(field, self.settings), self.at_depth(field.ty, rules, order, depth + 1))
        });
        layouts.collect()
    }

    fn block(&self, ty: TypeId, element: TypeLayout, buffer: Unit, wants_space: bool) -> TypeLayout {
        let buffer = if self.settings.by_class(buffer) { buffer } else { Unit::Descriptor };
        let mut container = Counts::NONE;
        if element.size() > 0 {
            container.set(buffer, 1);
        }
        let mut content = element.counts;
        content.set(Unit::Bytes, 0);
        let mut offset = Counts::NONE;
        let mut counts;
        // A block that holds nothing but blocks makes no space of its own (rule `layout-parameter-blocks`).
        let own_space = wants_space && (!container.is_none() || Unit::SLOTS.iter().any(|u| content.get(*u) > 0));
        if own_space || wants_space {
            counts = Counts::one(Unit::Space, u64::from(own_space).saturating_add(content.get(Unit::Space)));
            offset.set(Unit::Space, u64::from(own_space));
            if !self.settings.policy.blocks.own_attachments {
                counts.set(Unit::InputAttachment, content.get(Unit::InputAttachment));
            }
        } else {
            counts = container.plus(&content);
        }
        let starts = if own_space { self.starts(&container.plus(&content)) } else { Counts::NONE };
        for unit in Unit::SLOTS {
            offset.set(unit, starts.get(unit).saturating_add(container.get(unit)));
        }
        let element = Box::new(VarLayout { offset, from_zero: false, layout: element });
        TypeLayout { ty, counts, align: 1, detail: Detail::Block { container, element, own_space } }
    }

    /// Where the slots of each unit begin in a space of their own: a shifted class where its range does, what is no class at
    /// the first gap, and what comes last behind all.
    fn starts(&self, taken: &Counts) -> Counts {
        let mut starts = Counts::NONE;
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        let classes = Unit::SLOTS.into_iter().filter(|u| u.class().is_some() && taken.get(*u) > 0);
        for unit in classes.filter(|_| !self.settings.api.facts().classes) {
            let start = if self.settings.policy.shifts.everywhere { self.settings.base(unit) } else { 0 };
            starts.set(unit, start);
            ranges.push((start, start.saturating_add(taken.get(unit))));
        }
        ranges.sort_unstable();
        let others = taken.get(Unit::Descriptor);
        let mut free = 0;
        for (start, end) in ranges.iter().filter(|_| self.settings.policy.shifts.everywhere) {
            if *start < others.saturating_add(free) {
                free = free.max(*end);
            }
        }
        starts.set(Unit::Descriptor, free);
        let last = ranges.iter().map(|(_, end)| *end).max().unwrap_or(0);
        starts.set(Unit::LateDescriptor, last.max(free.saturating_add(others)));
        starts
    }

    fn resource(&self, ty: TypeId, element: Option<Box<TypeLayout>>) -> TypeLayout {
        TypeLayout { ty, counts: self.slots(ty), align: 1, detail: Detail::Resource { element } }
    }

    /// The class of a buffer that is no constant buffer, where `texture` is that of a texture.
    fn buffer_unit(&self, texture: Unit) -> Unit {
        match self.settings.api.facts().buffers {
            BufferClass::LikeTextures => texture,
            BufferClass::Apart => Unit::StorageBuffer,
            BufferClass::Constant => Unit::ConstantBuffer,
        }
    }

    /// Registers or bindings of an object type.
    fn slots(&self, ty: TypeId) -> Counts {
        let (d3d, api) = (self.settings.api == Api::D3d, self.settings.api.facts());
        let read = |access: Access| match access == Access::Read || !api.images_apart {
            true => Unit::ShaderResource,
            false => Unit::UnorderedAccess,
        };
        let (unit, bindings) = match self.program.types.get(ty) {
            Type::Texture(t) if t.combined => {
                let two = api.combined > 1;
                let late = two && self.settings.in_block && self.settings.policy.order.extras_last;
                let mut counts = Counts::one(Unit::Descriptor, if late { 1 } else { api.combined });
                counts.set(Unit::LateDescriptor, u64::from(late));
                if api.classes {
                    counts = Counts::one(Unit::ShaderResource, 1);
                    counts.set(Unit::Sampler, u64::from(api.samplers));
                }
                return counts;
            }
            Type::Texture(t) => (read(t.access), 1),
            Type::Sampler(_) if !api.samplers => return Counts::NONE,
            Type::Sampler(_) => (Unit::Sampler, 1),
            Type::Buffer(kind, access, _) => {
                let texels = kind == BufferKind::Typed && api.buffers == BufferClass::Apart;
                let unit = if texels { read(access) } else { self.buffer_unit(read(access)) };
                // Elements, then the counter (rule `layout-needs`).
                (unit, if matches!(kind, BufferKind::Append(_) | BufferKind::Consume(_)) { 2 } else { 1 })
            }
            Type::AccelerationStructure | Type::DynamicResource(false) => (Unit::ShaderResource, 1),
            Type::DynamicResource(true) => (Unit::Sampler, 1),
            Type::SubpassInput(_, _) => {
                let mut counts = Counts::one(if api.classes { Unit::ShaderResource } else { Unit::Descriptor }, 1);
                counts.set(Unit::InputAttachment, 1);
                return counts;
            }
            _ => return Counts::NONE,
        };
        match self.settings.by_class(unit) {
            true if d3d => Counts::one(unit, 1),
            true => Counts::one(unit, bindings),
            false => Counts::one(Unit::Descriptor, bindings),
        }
    }
}

/// Whether two layouts of one type put everything inside at the same places.
pub fn same(a: &TypeLayout, b: &TypeLayout) -> bool {
    match (&a.detail, &b.detail) {
        (Detail::Struct(x), Detail::Struct(y)) => x
            .iter()
            .zip(y)
            .all(|(x, y)| x.offset.get(Unit::Bytes) == y.offset.get(Unit::Bytes) && same(&x.layout, &y.layout)),
        (Detail::Array { element: x, stride: s, .. }, Detail::Array { element: y, stride: t, .. }) => {
            s.get(Unit::Bytes) == t.get(Unit::Bytes) && same(x, y)
        }
        (Detail::Matrix { stride: s, .. }, Detail::Matrix { stride: t, .. }) => s == t,
        _ => true,
    }
}

fn plain(ty: TypeId, size: u64, align: u32) -> TypeLayout {
    TypeLayout { ty, counts: Counts::one(Unit::Bytes, size), align, detail: Detail::Plain }
}

fn array_bytes(stride: u64, count: u64, element: u64, rules: &Rules) -> u64 {
    match count {
        0 => 0,
        UNBOUNDED => UNBOUNDED,
        _ if rules.pad_last_element => stride.saturating_mul(count),
        _ => stride.saturating_mul(count - 1).saturating_add(element),
    }
}

/// Splitting of arrays (rule `layout-arrays`): in an array of `n` structs, leaf after leaf becomes an array, so every register
/// offset inside the element grows `n` times.
fn spread(layout: &mut TypeLayout, n: u64, units: &[Unit]) {
    let scale = |counts: &mut Counts| {
        for unit in units {
            counts.set(*unit, counts.get(*unit).saturating_mul(n));
        }
    };
    match &mut layout.detail {
        Detail::Struct(fields) => {
            for field in fields {
                scale(&mut field.offset);
                spread(&mut field.layout, n, units);
            }
        }
        Detail::Array { element, .. } => spread(element, n, units),
        Detail::Block { element, own_space: false, .. } => {
            scale(&mut element.offset);
            spread(&mut element.layout, n, units);
        }
        _ => {}
    }
}

/// A struct of these fields.
fn lay_out(ty: TypeId, fields: Vec<(Option<Asked>, TypeLayout)>, rules: &Rules, policy: &Policy) -> TypeLayout {
    let mut builder = StructBuilder::new(rules);
    // Fields without packoffset follow the furthest end of those with one (rule `layout-explicit`).
    for (asked, layout) in &fields {
        builder.reserve(asked.filter(|a| a.before_others).map(|a| a.at), layout.size());
    }
    for (asked, layout) in fields {
        builder.append(layout, asked.map(|a| a.at));
    }
    builder.unbounded_at_zero(policy.arrays.unbounded_from_zero);
    builder.finish(ty)
}

/// Registers of resources in a constant buffer as DXC gives them: those in structs first, then the others, last to first
/// (rule `layout-d3d-constant`).
fn order_by_class(layout: &mut TypeLayout) {
    let Detail::Struct(fields) = &mut layout.detail else { return };
    let is_struct = |f: &VarLayout| matches!(f.layout.detail, Detail::Struct(_));
    let mut order: Vec<usize> = (0..fields.len()).collect();
    order.sort_by_key(|i| match fields.get(*i) {
        Some(f) if is_struct(f) => (0, *i),
        _ => (1, usize::MAX - i),
    });
    let mut next = Counts::NONE;
    for i in order {
        let Some(field) = fields.get_mut(i) else { continue };
        for unit in Unit::SLOTS.into_iter().filter(|u| u.class().is_some()) {
            field.offset.set(unit, next.get(unit));
        }
        next.add_slots(&field.layout.counts);
    }
}

/// How many spaces the arrays take that an array without bound becomes: one for each leaf, two for a combined sampler alone.
fn own_spaces(element: &TypeLayout) -> u64 {
    let leaf = element.innermost();
    match leaf.detail {
        Detail::Struct(_) => leaf_count(leaf),
        _ => Unit::SLOTS.into_iter().map(|unit| u64::from(leaf.counts.get(unit) > 0)).sum(),
    }
}

/// How many leaves of a type have a register.
fn leaf_count(layout: &TypeLayout) -> u64 {
    match &layout.detail {
        Detail::Struct(fields) => fields.iter().map(|f| leaf_count(&f.layout)).sum(),
        Detail::Array { element, .. } => leaf_count(element),
        _ => u64::from(Unit::SLOTS.into_iter().any(|unit| unit.class().is_some() && layout.counts.get(unit) > 0)),
    }
}

/// In an array without bound, leaf after leaf becomes an array at register 0 of a space of its own.
fn spread_spaces(layout: &mut TypeLayout) {
    let fields = match &mut layout.detail {
        Detail::Struct(fields) => fields,
        Detail::Array { element, .. } => return spread_spaces(element),
        _ => return,
    };
    let mut next = 0;
    for field in fields {
        let classes = || Unit::SLOTS.into_iter().filter(|u| u.class().is_some());
        let leaves = leaf_count(&field.layout);
        classes().for_each(|unit| field.offset.set(unit, 0));
        if leaves > 0 {
            field.offset.set(Unit::Space, next);
            field.layout.counts.set(Unit::Space, leaves);
        }
        next += leaves;
        spread_spaces(&mut field.layout);
    }
}

/// The byte offset that a field asks for.
#[derive(Clone, Copy)]
struct Asked {
    at: u32,
    /// Fields without an offset follow all that have one, rather than the field before them.
    before_others: bool,
}

fn explicit_offset(field: &Field, settings: &Settings) -> Option<Asked> {
    let packed = field.explicit.packoffset.map(|(bytes, _)| bytes).or(field.offset);
    let packed = packed.filter(|_| settings.obey_packoffset);
    let asked = |before_others| move |at| Asked { at, before_others };
    let vulkan = field.explicit.vk_offset.filter(|_| settings.obey_vk_offset);
    packed.map(asked(true)).or(vulkan.map(asked(false)))
}

/// Lays out fields one after another; also used for `$Globals` and entry-point scopes.
pub struct StructBuilder<'a> {
    rules: &'a Rules,
    used: Counts,
    /// Where the next field without `packoffset` may begin.
    align: u32,
    fields: Vec<VarLayout>,
}

impl<'a> StructBuilder<'a> {
    /// An empty struct.
    pub fn new(rules: &'a Rules) -> Self {
        StructBuilder { rules, used: Counts::NONE, align: 1, fields: Vec::new() }
    }

    /// Keeps the bytes of a part at an explicit offset from being given away.
    pub fn reserve(&mut self, explicit: Option<u32>, size: u64) {
        if let Some(at) = explicit {
            self.used.set(Unit::Bytes, self.used.get(Unit::Bytes).max(u64::from(at).saturating_add(size)));
        }
    }

    /// Appends a part at an explicit byte offset, or after the others.
    pub fn append(&mut self, layout: TypeLayout, explicit: Option<u32>) -> Counts {
        let mut offset = Counts::NONE;
        for unit in Unit::ALL.into_iter().filter(|u| *u != Unit::Bytes) {
            offset.set(unit, self.used.get(unit));
        }
        let size = layout.size();
        if size > 0 {
            let at = match explicit {
                Some(at) => u64::from(at),
                None => self.next_offset(size, layout.align),
            };
            offset.set(Unit::Bytes, at);
            self.used.set(Unit::Bytes, self.used.get(Unit::Bytes).max(at.saturating_add(size)));
            self.align = self.align.max(layout.align);
        } else if let (Some(row), Detail::Struct(_)) = (self.rules.row, &layout.detail)
            && self.rules.row_after_empty_struct
            && layout.counts.is_none()
        {
            self.used.set(Unit::Bytes, round_up(self.used.get(Unit::Bytes), row.into()));
        }
        self.used.add_slots(&layout.counts);
        self.fields.push(VarLayout { offset, from_zero: false, layout });
        offset
    }

    fn next_offset(&self, size: u64, align: u32) -> u64 {
        let at = round_up(self.used.get(Unit::Bytes), align as u64);
        self.rules.crossed_row(at, size).map_or(at, |row| round_up(at, row))
    }

    /// Arrays without bound begin at register 0 of their spaces, wherever in the struct they stand.
    pub fn unbounded_at_zero(&mut self, from_zero: bool) {
        for field in self.fields.iter_mut() {
            let unbounded = matches!(field.layout.detail, Detail::Array { count: None, .. });
            if unbounded && field.layout.counts.get(Unit::Space) > 0 {
                Unit::SLOTS.into_iter().for_each(|u| field.offset.set(u, 0));
                field.from_zero = from_zero;
            }
        }
    }

    /// The struct.
    pub fn finish(self, ty: TypeId) -> TypeLayout {
        let mut counts = self.used;
        let mut align = self.align;
        if counts.get(Unit::Bytes) > 0 {
            align = align.max(self.rules.min_align);
            if self.rules.round_struct_size {
                counts.set(Unit::Bytes, round_up(counts.get(Unit::Bytes), align as u64));
            }
        }
        TypeLayout { ty, counts, align, detail: Detail::Struct(self.fields) }
    }
}
