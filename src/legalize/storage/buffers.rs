//! Which buffers get a storage representation of their own, and what is declared for them.
//!
//! ```text
//! before: struct S { float3 p; float2 q; }   StructuredBuffer<S> a;   ConstantBuffer<S> b;     with D3D's bytes in GLSL
//! after:  a: StructuredBuffer<S_stored>, with struct S_stored { float p[3]; float q[2]; };  b stays
//! ```
//!
//! A type of buffers has one plan, unless its buffers are laid out in different ways: then each has its own. The members of a
//! `cbuffer` that are only elsewhere have their offsets, in the order of the bytes where the target puts each behind the one
//! before; [`super::place`] writes them as the target has it.
//!
//! `split_resources` and `uniform_blocks` make the buffers. Rule: `layout-d3d-constant`.

use super::super::Context;
use super::super::wide_integers::is_wide;
use super::frame::{self, BufferData, Native};
use super::leaves::leaves;
use super::place;
use super::plan::{Buffer, Plan, with_innermost};
use super::sharing::Made;
use super::slot::{Form, Slot};
use super::types::{mixes_orders, orders};
use crate::layout::rules::{Rules, round_up};
use crate::layout::types::same;
use crate::layout::{Layouter, Settings, TypeLayout, Unit};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::{Capability, Placement};
use crate::tree::*;
use std::collections::{BTreeMap, BTreeSet};

/// Where data comes from that gets a storage representation.
struct Origin {
    name: Symbol,
    span: Span,
    /// It is a `cbuffer`.
    transparent: bool,
    /// Its structs stand before this.
    before: Option<Item>,
}

impl Origin {
    fn global(program: &Program, id: GlobalId) -> Origin {
        let Global { name, span, transparent, .. } = program.globals[id];
        Origin { name, span, transparent, before: Some(Item::Global(id)) }
    }

    /// What a pointer refers to: behind its struct, if it is one.
    fn pointer(program: &Program, element: TypeId, span: Span) -> Origin {
        let next = match program.types.get(program.types.innermost(element)) {
            Type::Struct(s) => program.items.iter().position(|i| *i == Item::Struct(s)).map_or(0, |at| at + 1),
            _ => 0,
        };
        Origin { name: Symbol::new("pointer"), span, transparent: false, before: program.items.get(next).copied() }
    }
}

/// What is known of a global before it is decided on.
struct Wanted {
    buffer: TypeId,
    data: TypeId,
    layout: TypeLayout,
    order: MatrixOrder,
    native: &'static Rules,
    /// It mixes storage orders of matrices, and other buffers have its structs.
    own_structs: bool,
    /// What is no struct must be in one.
    bare: bool,
    /// They are push constants of a target that has no half precision there.
    immediate: bool,
}

impl Wanted {
    fn agrees(&self, other: &Wanted) -> bool {
        same(&self.layout, &other.layout)
            && self.order == other.order
            && self.native == other.native
            && self.own_structs == other.own_structs
            && self.bare == other.bare
            && self.immediate == other.immediate
    }
}

/// Finds the buffers that need a storage representation, declares their structs, and gives them their types.
pub(super) fn plan(cx: &mut Context) -> Plan {
    let native = place::native_settings(cx);
    let wanted = |id| Some((id, wanted(cx, id, &native)?));
    let mut all: Vec<(GlobalId, Wanted)> = cx.program.listed_globals().filter_map(wanted).collect();
    // One type cannot be stored in two orders.
    let mut orders: BTreeMap<TypeId, MatrixOrder> = BTreeMap::new();
    for (_, wanted) in &mut all {
        if has_one_order(cx, wanted.data) && is_natural(cx, &native, wanted) {
            wanted.bare = *orders.entry(wanted.buffer).or_insert(wanted.order) != wanted.order;
        }
    }
    let mut first: BTreeMap<TypeId, &Wanted> = BTreeMap::new();
    let mut alone = BTreeSet::new();
    for (_, wanted) in &all {
        if !first.entry(wanted.buffer).or_insert(wanted).agrees(wanted) {
            alone.insert(wanted.buffer);
        }
    }
    let mut plan = Plan::default();
    for (origin, wanted) in heaped(cx, &native) {
        let buffer = split_buffer(cx, &origin, &native, &wanted, &mut Made::default());
        plan.types.extend(buffer.map(|buffer| (wanted.buffer, buffer)));
    }
    let mut made = Made::default();
    for (id, wanted) in &all {
        let natural = is_natural(cx, &native, wanted);
        let placed = !natural && is_simple(cx, *id, &native, wanted);
        if placed || keeps_packoffsets(cx, wanted.data) {
            give_offsets(cx, wanted);
        }
        let (stays, one) = (natural || placed && is_in_order(cx, wanted), alone.contains(&wanted.buffer));
        if one || !stays && !plan.types.contains_key(&wanted.buffer) {
            let buffer = match placed {
                _ if stays => None,
                true => in_order(cx, wanted),
                false => split_buffer(cx, &Origin::global(cx.program, *id), &native, wanted, &mut made),
            };
            if one && buffer.is_some() && is_passed(cx.program, wanted.buffer) {
                let reason = "a buffer of this type is passed to a function, and not all of them are laid out like this one; \
                              use two structs";
                cx.unsupported(cx.program.globals[*id].span, reason);
            }
            match one {
                true => drop(plan.globals.insert(*id, (wanted.buffer, buffer))),
                false => plan.types.extend(buffer.map(|buffer| (wanted.buffer, buffer))),
            }
        }
        let planned =
            plan.globals.get(id).and_then(|(_, buffer)| buffer.as_ref()).or_else(|| plan.types.get(&wanted.buffer));
        if let Some(buffer) = planned {
            cx.program.globals[*id].stored =
                leaves(cx.program, &buffer.slot, !cx.profile.has(Capability::EmptyStructs));
            cx.program.globals[*id].ty = with_innermost(&mut cx.program.types, cx.program.globals[*id].ty, buffer.ty);
        }
    }
    for (pointer, span) in pointers(cx.program) {
        if let Some((origin, wanted)) = pointed(cx, pointer, span, &native)
            && !is_natural(cx, &native, &wanted)
        {
            plan.types.extend(
                split_buffer(cx, &origin, &native, &wanted, &mut Made::default()).map(|buffer| (pointer, buffer)),
            );
        }
    }
    plan
}

/// The types of constant buffers in descriptor heaps that must be of structs, and are not.
fn heaped(cx: &Context, native: &Settings) -> Vec<(Origin, Wanted)> {
    let (program, settings) = (&*cx.program, &cx.layout.settings);
    if cx.profile.has(Capability::BareElements) {
        return Vec::new();
    }
    let bare = |heap: &Global| {
        let buffer = program.types.innermost(heap.ty);
        let Type::ConstantBuffer(data, layout) = program.types.get(buffer) else { return None };
        if matches!(program.types.get(data), Type::Struct(_)) {
            return None;
        }
        let order = heap.matrix_order.unwrap_or(program.default_matrix_order);
        let layouter = Layouter { program, settings };
        let layout_of = layouter.contents(data, settings.rules_of(layout, true), order);
        let native = native.rules_of(layout, true);
        let wanted =
            Wanted { buffer, data, layout: layout_of, order, native, own_structs: false, bare: true, immediate: false };
        let name = Symbol::new(&program.type_name(program.types.innermost(data)));
        let origin = Origin { name, span: heap.span, transparent: false, before: program.items.iter().next().copied() };
        Some((origin, wanted))
    };
    let heaps = program.globals.iter().map(|(_, global)| global).filter(|global| global.kind == GlobalKind::Heap);
    heaps.filter_map(bare).collect()
}

/// The types of pointers to device memory that are used, with a place where one is.
pub(super) fn pointers(program: &Program) -> BTreeMap<TypeId, Span> {
    let mut found = BTreeMap::new();
    for function in program.reachable_functions() {
        let body = &program.functions[function].code;
        for id in body.expressions() {
            if let Type::Pointer(_, AddressSpace::Device(_)) = program.types.get(body.exprs[id].ty) {
                found.entry(body.exprs[id].ty).or_insert(body.exprs[id].span);
            }
        }
    }
    found
}

/// How the data lies that a pointer refers to: like elements of a structured buffer.
fn pointed(cx: &Context, pointer: TypeId, span: Span, native: &Settings) -> Option<(Origin, Wanted)> {
    let settings = &cx.layout.settings;
    let Type::Pointer(data, space) = cx.program.types.get(pointer) else { return None };
    let order = cx.program.default_matrix_order;
    let layout =
        Layouter { program: cx.program, settings }.contents(data, settings.rules_of(space.data_layout(), false), order);
    let size = layout.size();
    let native = native.rules_of(space.data_layout(), false);
    let wanted =
        Wanted { buffer: pointer, data, layout, order, native, own_structs: false, bare: false, immediate: false };
    (size > 0).then(|| (Origin::pointer(cx.program, data, span), wanted))
}

/// How what a pointer refers to is laid out.
pub(super) fn element_layout(cx: &Context, pointer: TypeId, span: Span, native: &Settings) -> Option<TypeLayout> {
    pointed(cx, pointer, span, native).map(|(_, wanted)| wanted.layout)
}

/// The distance of the elements at a pointer.
pub(super) fn element_stride(cx: &Context, pointer: TypeId, span: Span, native: &Settings) -> Option<u64> {
    let (_, wanted) = pointed(cx, pointer, span, native)?;
    stride(cx.program, pointer, &wanted.layout)
}

/// Whether a type is a matrix that the target stores in one order only.
fn has_one_order(cx: &Context, ty: TypeId) -> bool {
    match cx.program.types.get(ty) {
        Type::Matrix(s, ..) if !s.is_float() && !cx.profile.has(Capability::NonFloatMatrices) => true,
        Type::Matrix(..) => !cx.profile.has(Capability::BothMatrixOrders),
        _ => false,
    }
}

/// Whether some function has a buffer of this type as a parameter.
fn is_passed(program: &Program, buffer: TypeId) -> bool {
    program.reachable_functions().into_iter().any(|f| {
        let function = &program.functions[f];
        let passed = |p: &Param| program.types.innermost(function.code.locals[p.local].ty) == buffer;
        matches!(function.body, FunctionBody::Block) && function.params.iter().any(passed)
    })
}

fn wanted(cx: &Context, id: GlobalId, native: &Settings) -> Option<Wanted> {
    let settings = &cx.layout.settings;
    let global = &cx.program.globals[id];
    let (data, rules) = place::data(cx, settings, id)?;
    let (_, native_rules) = place::data(cx, native, id)?;
    let order = global.matrix_order.unwrap_or(cx.program.default_matrix_order);
    let layout = Layouter { program: cx.program, settings }.contents(data, rules, order);
    let buffer = cx.program.types.innermost(global.ty);
    let mixes = !cx.profile.has(Capability::MixedMatrixOrders)
        && cx.profile.has(Capability::BothMatrixOrders)
        && mixes_orders(cx.program, global, data);
    let bare = is_bare(cx, id, data, order) || is_long_vector(cx, data);
    let pushed = global.modifiers.has(Modifiers::PUSH_CONSTANT) && cx.profile.has(Capability::PushConstants);
    let immediate = pushed && settings.api.is_webgpu();
    let mut wanted = Wanted { buffer, data, layout, order, native: native_rules, own_structs: false, bare, immediate };
    // What is stored in parts may leave matrices of another order than the first.
    let apart = mixes && !is_natural(cx, native, &wanted);
    wanted.own_structs = mixes && shares_structs(cx, id, apart);
    (wanted.layout.size() > 0).then_some(wanted)
}

/// Whether the target wants a struct where the buffer has something else: in constant and texture buffers that are elements
/// of arrays, and around matrices in a storage order of their own.
fn is_bare(cx: &Context, id: GlobalId, data: TypeId, order: MatrixOrder) -> bool {
    let global = &cx.program.globals[id];
    if cx.profile.has(Capability::BareElements) || matches!(cx.program.types.get(data), Type::Struct(_)) {
        return false;
    }
    match cx.program.types.get(cx.program.types.innermost(global.ty)) {
        Type::ConstantBuffer(..) | Type::TextureBuffer(_) => {
            matches!(cx.program.types.get(global.ty), Type::Array(..))
        }
        _ => {
            let inner = cx.program.types.get(cx.program.types.innermost(data));
            matches!(inner, Type::Matrix(..)) && order != cx.program.default_matrix_order
        }
    }
}

/// Whether a type is a vector of 64-bit integers that is shorter than elements are apart: the array of pairs that it becomes
/// has no alignment that makes up for this.
fn is_long_vector(cx: &Context, ty: TypeId) -> bool {
    let is_long = matches!(cx.program.types.get(ty), Type::Vector(s, n) if is_wide(s) && !n.is_power_of_two());
    is_long && cx.profile.facts.placement == Placement::AlignAndSize && !cx.profile.has(Capability::Int64)
}

/// Whether the structs of a buffer are in others too, which store their matrices in another order, or in any order.
fn shares_structs(cx: &Context, id: GlobalId, any_order: bool) -> bool {
    let own = stored_orders(cx, id);
    let orders_of = |other| stored_orders(cx, other).into_iter().map(move |(s, order)| (other, s, order));
    let mut all = cx.program.listed_globals().flat_map(orders_of);
    all.any(|(other, s, order)| own.iter().any(|(t, own)| s == *t && (order != *own || any_order && other != id)))
}

/// The structs with matrices in a buffer, with the order that all matrices beside them are stored in.
fn stored_orders(cx: &Context, id: GlobalId) -> Vec<(StructId, MatrixOrder)> {
    let global = &cx.program.globals[id];
    let Some((data, _)) = place::data(cx, &cx.layout.settings, id) else { return Vec::new() };
    let order = global.matrix_order.unwrap_or(cx.program.default_matrix_order);
    let parts = match cx.program.types.get(data) {
        Type::Struct(s) if global.transparent => {
            cx.program.structs[s].fields.iter().map(|f| (f.ty, f.matrix_order.unwrap_or(order))).collect()
        }
        _ => vec![(data, order)],
    };
    let expected = |(ty, order)| {
        let first = orders(cx.program, ty, order).first().copied();
        matrix_structs(cx.program, ty).into_iter().filter_map(move |s| Some((s, first?)))
    };
    parts.into_iter().flat_map(expected).collect()
}

/// The structs with matrices in a type.
fn matrix_structs(program: &Program, ty: TypeId) -> Vec<StructId> {
    let Type::Struct(id) = program.types.get(program.types.innermost(ty)) else { return Vec::new() };
    let holds = program.any_leaf(ty, &mut |leaf| matches!(leaf, Type::Matrix(..)));
    let inner = program.structs[id].fields.iter().flat_map(|f| matrix_structs(program, f.ty));
    holds.then_some(id).into_iter().chain(inner).collect()
}

fn natural(cx: &Context, native: &Settings, wanted: &Wanted) -> TypeLayout {
    Layouter { program: cx.program, settings: native }.contents(wanted.data, wanted.native, wanted.order)
}

/// The distance of elements of a buffer, if it has any.
fn stride(program: &Program, buffer: TypeId, layout: &TypeLayout) -> Option<u64> {
    let elements = matches!(program.types.get(buffer), Type::Buffer(..) | Type::Pointer(..));
    elements.then(|| round_up(layout.size(), layout.align.into()))
}

/// Whether the target puts everything where it is wanted by itself.
fn is_natural(cx: &Context, native: &Settings, wanted: &Wanted) -> bool {
    let natural = natural(cx, native, wanted);
    let distance = |layout| stride(cx.program, wanted.buffer, layout);
    let fits = same(&wanted.layout, &natural) && distance(&wanted.layout) == distance(&natural);
    let apart = storage(cx, native, wanted).needs_parts(cx.program, &wanted.layout);
    fits && !apart && !wanted.own_structs && !wanted.bare
}

/// What the target does by itself with a buffer.
fn storage<'a, 'b: 'a>(cx: &Context<'b>, native: &'a Settings, wanted: &Wanted) -> Native<'a> {
    Native {
        settings: native,
        rules: wanted.native,
        own_structs: wanted.own_structs,
        dense_elements: !cx.profile.has(Capability::SparseUniformArrays),
        odd_matrices: cx.profile.has(Capability::UnitVectors),
        profile: cx.profile,
        read_only: matches!(cx.program.types.get(wanted.buffer), Type::ConstantBuffer(..) | Type::TextureBuffer(_)),
        immediate: wanted.immediate,
    }
}

/// Whether only members of a `cbuffer` are elsewhere, and the target can say where.
fn is_simple(cx: &Context, id: GlobalId, native: &Settings, wanted: &Wanted) -> bool {
    let natural = natural(cx, native, wanted);
    let placement = cx.profile.facts.placement;
    let mut pairs: Vec<_> = wanted.layout.fields().iter().zip(natural.fields()).collect();
    pairs.retain(|(w, _)| w.layout.size() > 0);
    pairs.sort_by_key(|(w, _)| w.offset.get(Unit::Bytes));
    let row = wanted.native.row.map(u64::from);
    let mut end = 0;
    let fits = pairs.iter().enumerate().all(|(index, (w, n))| {
        let (offset, size) = (w.offset.get(Unit::Bytes), n.layout.size());
        let crosses = row.is_some_and(|row| !offset.is_multiple_of(row) && offset % row + size > row);
        let hole = placement == Placement::AlignAndSize && index == 0 && offset != 0;
        let fine = same(&w.layout, &n.layout)
            && offset.is_multiple_of(n.layout.align.into())
            && placement != Placement::Padding
            && (placement != Placement::Packoffset || has_packoffset(cx.program, w.layout.ty, offset))
            && (placement == Placement::Packoffset || offset >= end)
            && !crosses
            && !hole;
        end = offset.saturating_add(size);
        fine
    });
    let apart = storage(cx, native, wanted).needs_parts(cx.program, &wanted.layout);
    cx.program.globals[id].transparent && fits && !apart && !wanted.own_structs
}

/// Whether members have a `packoffset` that the text repeats.
fn keeps_packoffsets(cx: &Context, data: TypeId) -> bool {
    let Type::Struct(s) = cx.program.types.get(data) else { return false };
    let explicit = cx.program.structs[s].fields.iter().any(|f| f.explicit.packoffset.is_some());
    explicit && cx.profile.facts.placement == Placement::Packoffset
}

/// Gives members the offsets that they are to have.
fn give_offsets(cx: &mut Context, wanted: &Wanted) {
    let Type::Struct(s) = cx.program.types.get(wanted.data) else { return };
    for (field, wanted) in cx.program.structs[s].fields.iter_mut().zip(wanted.layout.fields()) {
        field.offset = u32::try_from(wanted.offset.get(Unit::Bytes)).ok();
    }
}

/// Whether the members that have offsets can stand as they do.
fn is_in_order(cx: &Context, wanted: &Wanted) -> bool {
    let offsets = wanted.layout.fields().iter().map(|f| f.offset.get(Unit::Bytes));
    cx.profile.facts.placement == Placement::Packoffset || offsets.is_sorted()
}

/// Declares the members of a `cbuffer` in the order of their bytes.
fn in_order(cx: &mut Context, wanted: &Wanted) -> Option<Buffer> {
    let Type::Struct(old) = cx.program.types.get(wanted.data) else { return None };
    let mut ordered = cx.program.structs[old].clone();
    let mut fields: Vec<(usize, Field)> = ordered.fields.drain(..).enumerate().collect();
    fields.sort_by_key(|(_, field)| field.offset);
    let mut slots: Vec<(usize, Slot)> = Vec::new();
    for (new, (index, field)) in (0..).zip(&fields) {
        slots.push((*index, Slot { steps: vec![Step::Field(new)], ty: field.ty, form: Form::Same }));
    }
    slots.sort_by_key(|(index, _)| *index);
    ordered.fields = fields.into_iter().map(|(_, field)| field).collect();
    let new = cx.program.structs.push(ordered);
    cx.program.items.iter_mut().filter(|i| **i == Item::Struct(old)).for_each(|i| *i = Item::Struct(new));
    let types = &mut cx.program.types;
    let data = types.intern(Type::Struct(new));
    let ty = types.intern(types.get(wanted.buffer).with_element(data));
    let slots = slots.into_iter().map(|(_, slot)| slot).collect();
    Some(Buffer { ty, data, slot: Slot::here(wanted.data, Form::Struct(slots)) })
}

/// Whether a `packoffset` can say the place. Small components of a vector are counted like large ones there.
fn has_packoffset(program: &Program, ty: TypeId, offset: u64) -> bool {
    let components = match program.types.get(ty) {
        Type::Vector(s, n) if s.size() < 4 => u64::from(n),
        _ => 0,
    };
    offset.is_multiple_of(4) && offset / 4 % 4 + components <= 4
}

/// Declares the structs of a buffer.
fn split_buffer(
    cx: &mut Context,
    origin: &Origin,
    native: &Settings,
    wanted: &Wanted,
    made: &mut Made,
) -> Option<Buffer> {
    let Origin { transparent, span, before, .. } = *origin;
    let old = match cx.program.types.get(wanted.data) {
        Type::Struct(s) => Some(s),
        _ => None,
    };
    let name = match old {
        Some(s) if transparent => cx.program.structs[s].name.to_string(),
        Some(s) => format!("{}_stored", cx.program.structs[s].name),
        None => format!("{}_element", origin.name),
    };
    let buffer = cx.program.types.get(wanted.buffer);
    let native = storage(cx, native, wanted);
    let stride = stride(cx.program, wanted.buffer, &wanted.layout);
    let data =
        BufferData { wanted: &wanted.layout, order: wanted.order, stride, members: transparent, name: &name, span };
    match frame::store(cx.program, native, &data, made) {
        Ok(stored) => {
            for s in &stored.structs {
                cx.program.items.put_before(before, Item::Struct(*s));
            }
            if transparent {
                old.into_iter().for_each(|s| cx.program.items.remove(Item::Struct(s)));
            }
            let ty = cx.program.types.intern(buffer.with_element(stored.ty));
            Some(Buffer { ty, data: stored.ty, slot: stored.slot })
        }
        Err(fault) => {
            let message = format!(
                "{} cannot represent this at its offset in the layout of its buffer: {}",
                cx.profile.name, fault.reason
            );
            cx.unsupported(if fault.span == Span::default() { span } else { fault.span }, message);
            None
        }
    }
}
