//! Buffers whose bytes are not those of the target's own rules are taken apart: they get structs with padding and with
//! the parts of what the target cannot have there, and values are put together where they are used.
//!
//! Before: `struct S { float3 p; float2 q; }   cbuffer C { S s; float t; }                                  f(s, t)`
//! After:  `cbuffer C { float3 s_p; uint padding; float2 s_q; float t; }     f(S(C.s_p, C.s_q), C.t)`
//!
//! [`super::stored_forms`] has the plan; here the buffers get the new types, and accesses follow. A buffer that differs only
//! in the offsets of its members is left to [`super::memory`], which says them.
//!
//! Removes: nothing by itself. Runs after: split_resources, uniform_blocks (which make the buffers); before: packoffsets,
//! uniform_structs, pin_memory. Spec: seed 001.

mod elements;
mod stores;
mod words;

use self::words::Words;
use super::hoist::hoist;
use super::references::{self, ByReference, selected};
use super::stored_forms::{self, Data, Form, Made, Native, Slot, Step, Stored, same};
use super::{Context, Pass, memory};
use crate::layout::rules::{Rules, round_up};
use crate::layout::{Detail, Layouter, Settings, TypeLayout, Unit};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::{Capability, Placement, Profile};
use crate::tree::*;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PASS: Pass = Pass { name: "taken_apart", removes: &[], adds: &[], run };

fn run(cx: &mut Context) {
    let buffers = plan(cx);
    if buffers.is_empty() || cx.diags.has_errors() {
        return;
    }
    let by_reference = references::by_reference(cx.program);
    let effects = cx.effects();
    let mut faults = Vec::new();
    cx.each_body(&mut |cx, _, body| {
        let profile = cx.profile;
        let mut access = Access::new(cx.program, body, &buffers, profile);
        access.name_elements();
        faults.append(&mut access.faults);
        references::copy(cx.program, &effects, body, &by_reference, &mut |program, body, place| {
            Access::new(program, body, &buffers, profile).is_in_parts(place)
        });
        let marks = Access::new(cx.program, body, &buffers, profile).marks();
        hoist(cx.program, &effects, body, marks);
        let mut access = Access::new(cx.program, body, &buffers, profile);
        access.whole_elements();
        access.stores();
        access.reads(&by_reference);
        faults.append(&mut access.faults);
        buffers.retype_names(&mut cx.program.types, body);
    });
    for (span, reason) in faults {
        cx.unsupported(span, reason);
    }
    elements::retype_whole(cx.program, &buffers);
    buffers.retype(cx.program);
    let types: BTreeMap<TypeId, TypeId> = buffers.types.iter().map(|(old, b)| (*old, b.ty)).collect();
    cx.program.map_types(&mut |_, ty| types.get(&ty).copied().unwrap_or(ty));
    super::storage_types::products(cx.program);
}

/// Where data comes from that is taken apart.
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

/// A type of buffers that are taken apart.
struct Buffer {
    /// The new type of the buffer.
    ty: TypeId,
    stored: Stored,
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
}

impl Wanted {
    fn agrees(&self, other: &Wanted) -> bool {
        same(&self.layout, &other.layout)
            && self.order == other.order
            && self.native == other.native
            && self.own_structs == other.own_structs
            && self.bare == other.bare
    }
}

/// The buffers that are taken apart.
#[derive(Default)]
struct Plan {
    /// All buffers of a type.
    types: BTreeMap<TypeId, Buffer>,
    /// Those of a type that has other buffers which are laid out in other ways; nothing for one that stays.
    globals: BTreeMap<GlobalId, (TypeId, Option<Buffer>)>,
}

impl Plan {
    fn is_empty(&self) -> bool {
        self.types.is_empty() && self.globals.values().all(|(_, buffer)| buffer.is_none())
    }

    /// The plan for what an expression is, if it is a buffer.
    fn of(&self, exprs: &ExprArena, id: ExprId) -> Option<&Buffer> {
        let alone = match exprs[exprs.base(id)].kind {
            ExprKind::Global(g) => self.globals.get(&g),
            _ => None,
        };
        match alone {
            Some((ty, buffer)) if exprs[id].ty == *ty => buffer.as_ref(),
            _ => self.types.get(&exprs[id].ty),
        }
    }

    /// Gives the buffers that are planned one by one their types, here and where a body names them.
    fn retype(&self, program: &mut Program) {
        for (id, buffer) in self.globals.iter().filter_map(|(id, (_, b))| Some((*id, b.as_ref()?))) {
            program.globals[id].ty = with_innermost(&mut program.types, program.globals[id].ty, buffer.ty);
        }
    }

    fn retype_names(&self, types: &mut Types, body: &mut Body) {
        for id in body.expressions().into_iter().filter(|_| !self.globals.is_empty()) {
            let ty = body.exprs[id].ty;
            if let ExprKind::Global(g) = &body.exprs[body.exprs.base(id)].kind
                && let Some((old, Some(buffer))) = self.globals.get(g)
                && types.innermost(ty) == *old
            {
                body.exprs[id].ty = with_innermost(types, ty, buffer.ty);
            }
        }
    }
}

/// An array with other elements, or just those.
fn with_innermost(types: &mut Types, ty: TypeId, inner: TypeId) -> TypeId {
    match types.array_parts(ty) {
        Some((element, count)) => {
            let element = with_innermost(types, element, inner);
            types.array(element, count)
        }
        None => inner,
    }
}

/// Finds the buffers that must be taken apart, and declares their structs.
fn plan(cx: &mut Context) -> Plan {
    let native = memory::native_settings(cx);
    let globals = cx.program.items.iter().filter_map(|i| match i {
        Item::Global(id) => Some(*id),
        _ => None,
    });
    let all: Vec<(GlobalId, Wanted)> = globals.filter_map(|id| Some((id, wanted(cx, id, &native)?))).collect();
    let mut first: BTreeMap<TypeId, &Wanted> = BTreeMap::new();
    let mut alone = BTreeSet::new();
    for (_, wanted) in &all {
        if !first.entry(wanted.buffer).or_insert(wanted).agrees(wanted) {
            alone.insert(wanted.buffer);
        }
    }
    let mut plan = Plan::default();
    let mut made = Made::default();
    for (id, wanted) in &all {
        let stays = is_natural(cx, &native, wanted) || is_simple(cx, *id, &native, wanted);
        if alone.contains(&wanted.buffer) {
            let origin = Origin::global(cx.program, *id);
            let buffer = if stays { None } else { take_apart(cx, &origin, &native, wanted, &mut made) };
            if buffer.is_some() && is_passed(cx.program, wanted.buffer) {
                let reason = "a buffer of this type is passed to a function, and not all of them are laid out like this one; \
                              use two structs";
                cx.unsupported(cx.program.globals[*id].span, reason);
            }
            plan.globals.insert(*id, (wanted.buffer, buffer));
        } else if !stays && !plan.types.contains_key(&wanted.buffer) {
            let origin = Origin::global(cx.program, *id);
            plan.types
                .extend(take_apart(cx, &origin, &native, wanted, &mut made).map(|buffer| (wanted.buffer, buffer)));
        }
        let planned =
            plan.globals.get(id).and_then(|(_, buffer)| buffer.as_ref()).or_else(|| plan.types.get(&wanted.buffer));
        if let Some(buffer) = planned {
            cx.notes.taken_apart.push(*id);
            cx.program.globals[*id].stored =
                stored_forms::leaves(cx.program, &buffer.stored.slot, !cx.profile.has(Capability::EmptyStructs));
        }
    }
    for (pointer, span) in pointers(cx.program) {
        if let Some((origin, wanted)) = pointed(cx, pointer, span, &native)
            && !is_natural(cx, &native, &wanted)
        {
            plan.types.extend(
                take_apart(cx, &origin, &native, &wanted, &mut Made::default()).map(|buffer| (pointer, buffer)),
            );
        }
    }
    plan
}

/// The types of pointers to device memory that are used, with a place where one is.
fn pointers(program: &Program) -> BTreeMap<TypeId, Span> {
    let mut found = BTreeMap::new();
    for function in program.reachable_functions() {
        let body = &program.functions[function].code;
        for id in body.expressions() {
            if let Type::Pointer(_, AddressSpace::Device) = program.types.get(body.exprs[id].ty) {
                found.entry(body.exprs[id].ty).or_insert(body.exprs[id].span);
            }
        }
    }
    found
}

/// How the data lies that a pointer refers to: like elements of a structured buffer.
fn pointed(cx: &Context, pointer: TypeId, span: Span, native: &Settings) -> Option<(Origin, Wanted)> {
    let settings = &cx.layout.settings;
    let Type::Pointer(data, _) = cx.program.types.get(pointer) else { return None };
    let order = cx.program.default_matrix_order;
    let layout = Layouter { program: cx.program, settings }.contents(data, settings.structured_rules, order);
    let size = layout.size();
    let native = native.structured_rules;
    let wanted = Wanted { buffer: pointer, data, layout, order, native, own_structs: false, bare: false };
    (size > 0).then(|| (Origin::pointer(cx.program, data, span), wanted))
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
    let (data, rules) = memory::data(cx, settings, id)?;
    let (_, native_rules) = memory::data(cx, native, id)?;
    let order = global.matrix_order.unwrap_or(cx.program.default_matrix_order);
    let layout = Layouter { program: cx.program, settings }.contents(data, rules, order);
    let buffer = cx.program.types.innermost(global.ty);
    let mixes = !cx.profile.has(Capability::MixedMatrixOrders)
        && cx.profile.has(Capability::BothMatrixOrders)
        && super::storage_types::mixes_orders(cx.program, global, data);
    let bare = is_bare(cx, id, data, order);
    let mut wanted = Wanted { buffer, data, layout, order, native: native_rules, own_structs: false, bare };
    // What is stored in parts may leave matrices of another order than the first.
    let apart = mixes && !is_natural(cx, native, &wanted);
    wanted.own_structs = mixes && shares_structs(cx, id, apart);
    (wanted.layout.size() > 0).then_some(wanted)
}

/// Whether the target wants a struct where the buffer has something else: in constant buffers that are elements of arrays, and
/// around matrices in a storage order of their own.
fn is_bare(cx: &Context, id: GlobalId, data: TypeId, order: MatrixOrder) -> bool {
    let global = &cx.program.globals[id];
    let inner = cx.program.types.get(cx.program.types.innermost(data));
    if cx.profile.has(Capability::BareElements) || matches!(inner, Type::Struct(_)) {
        return false;
    }
    match cx.program.types.get(cx.program.types.innermost(global.ty)) {
        Type::ConstantBuffer(_) => matches!(cx.program.types.get(global.ty), Type::Array(..)),
        _ => matches!(inner, Type::Matrix(..)) && order != cx.program.default_matrix_order,
    }
}

/// Whether the structs of a buffer are in others too, which store their matrices in another order, or in any order.
fn shares_structs(cx: &Context, id: GlobalId, any_order: bool) -> bool {
    let globals = cx.program.items.iter().filter_map(|item| match item {
        Item::Global(id) => Some(*id),
        _ => None,
    });
    let own = stored_orders(cx, id);
    let mut all =
        globals.flat_map(|other| stored_orders(cx, other).into_iter().map(move |(s, order)| (other, s, order)));
    all.any(|(other, s, order)| own.iter().any(|(t, own)| s == *t && (order != *own || any_order && other != id)))
}

/// The structs with matrices in a buffer, with the order that all matrices beside them are stored in.
fn stored_orders(cx: &Context, id: GlobalId) -> Vec<(StructId, MatrixOrder)> {
    let global = &cx.program.globals[id];
    let Some((data, _)) = memory::data(cx, &cx.layout.settings, id) else { return Vec::new() };
    let order = global.matrix_order.unwrap_or(cx.program.default_matrix_order);
    let parts = match cx.program.types.get(data) {
        Type::Struct(s) if global.transparent => {
            cx.program.structs[s].fields.iter().map(|f| (f.ty, f.matrix_order.unwrap_or(order))).collect()
        }
        _ => vec![(data, order)],
    };
    let expected = |(ty, order)| {
        let first = super::storage_types::orders(cx.program, ty, order).first().copied();
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
fn storage<'a>(cx: &Context, native: &'a Settings, wanted: &Wanted) -> Native<'a> {
    Native {
        settings: native,
        rules: wanted.native,
        own_structs: wanted.own_structs,
        dense_elements: !cx.profile.has(Capability::SparseUniformArrays),
        odd_matrices: cx.profile.has(Capability::UnitVectors),
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
            && (placement != Placement::Packoffset || has_packoffset(cx.program, w.layout.ty, offset))
            && offset >= end
            && !crosses
            && !hole;
        end = offset.saturating_add(size);
        fine
    });
    let apart = storage(cx, native, wanted).needs_parts(cx.program, &wanted.layout);
    cx.program.globals[id].transparent && fits && !apart && !wanted.own_structs
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
fn take_apart(
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
    let data = Data { wanted: &wanted.layout, order: wanted.order, stride, members: transparent, name: &name, span };
    match stored_forms::store(cx.program, native, &data, made) {
        Ok(stored) => {
            for s in &stored.structs {
                cx.program.insert_item(Item::Struct(*s), before);
            }
            if transparent {
                cx.program.items.retain(|i| old.is_none_or(|s| *i != Item::Struct(s)));
            }
            let ty = cx.program.types.intern(buffer.with_element(stored.ty));
            Some(Buffer { ty, stored })
        }
        Err(fault) => {
            let message = format!(
                "{} cannot place this where the layout of its buffer has it: {}",
                cx.profile.name, fault.reason
            );
            cx.unsupported(if fault.span == Span::default() { span } else { fault.span }, message);
            None
        }
    }
}

/// Where an access has come to.
enum At<'p> {
    /// A value that is stored as the slot says, seen from the expression.
    Slot(ExprId, &'p Slot),
    /// Bytes in rows of words.
    Words(Box<Words>),
    /// Components of a vector or matrix, by themselves.
    Parts(Vec<ExprId>),
}

impl At<'_> {
    /// It is one expression, that can be read and written like any other.
    fn is_plain(&self) -> bool {
        match self {
            At::Slot(_, slot) => matches!(slot.form, Form::Same),
            At::Words(_) => false,
            At::Parts(list) => list.len() == 1,
        }
    }
}

/// The accesses of one body.
struct Access<'a, 'p> {
    program: &'a mut Program,
    body: &'a mut Body,
    buffers: &'p Plan,
    profile: &'p Profile,
    faults: Vec<(Span, String)>,
}

/// How far an access goes out from the buffer.
struct Reach<'p> {
    /// The nodes passed, the root first; the last stands for the value.
    chain: Vec<ExprId>,
    at: At<'p>,
}

impl<'a, 'p> Access<'a, 'p> {
    fn new(program: &'a mut Program, body: &'a mut Body, buffers: &'p Plan, profile: &'p Profile) -> Self {
        Access { program, body, buffers, profile, faults: Vec::new() }
    }

    fn build(&mut self, at: ExprId) -> Build<'_> {
        let span = self.body.exprs[at].span;
        Build::new(&mut self.program.types, &mut self.body.exprs, span)
    }

    /// The buffer whose contents or element an expression is, if it is taken apart and the expression not yet changed.
    fn root(&self, id: ExprId) -> Option<&'p Buffer> {
        let (ExprKind::Index(base, _) | ExprKind::Contents(base) | ExprKind::Deref(base)) = self.body.exprs[id].kind
        else {
            return None;
        };
        let buffer = self.buffers.of(&self.body.exprs, base)?;
        (self.body.exprs[id].ty != buffer.stored.ty).then_some(buffer)
    }

    fn start(&mut self, root: ExprId) -> Option<At<'p>> {
        let buffer = self.root(root)?;
        let base = self.body.exprs.duplicate(root);
        self.body.exprs[base].ty = buffer.stored.ty;
        Some(At::Slot(base, &buffer.stored.slot))
    }

    fn parents(&self) -> FxHashMap<ExprId, ExprId> {
        let mut parents = FxHashMap::default();
        for id in self.body.expressions() {
            self.body.exprs[id].kind.children(&mut |c| {
                parents.insert(c, id);
            });
        }
        parents
    }

    /// Follows an access outwards as long as parts are selected.
    fn reach(&mut self, root: ExprId, parents: &FxHashMap<ExprId, ExprId>) -> Option<Reach<'p>> {
        let mut at = self.start(root)?;
        let mut chain = vec![root];
        let mut node = root;
        while let Some(&parent) =
            parents.get(&node).filter(|_| !matches!(&at, At::Slot(_, s) if matches!(s.form, Form::Same)))
        {
            let kind = self.body.exprs[parent].kind.clone();
            match self.select(&at, &kind).filter(|_| selected(&self.body.exprs, parent) == Some(node)) {
                Some(next) => at = next,
                None => break,
            }
            chain.push(parent);
            node = parent;
        }
        Some(Reach { chain, at })
    }

    /// What a selection chooses of a place, if that can be followed.
    fn select(&mut self, at: &At<'p>, kind: &ExprKind) -> Option<At<'p>> {
        match at {
            At::Slot(base, slot) => self.select_slot(*base, slot, kind),
            At::Words(words) => self.select_word(Words::clone(words), kind),
            At::Parts(list) => {
                let chosen: Vec<u8> = match kind {
                    ExprKind::Swizzle(_, s) => s.list().to_vec(),
                    ExprKind::Index(_, i) => vec![u8::try_from(self.constant(*i)?).ok()?],
                    _ => return None,
                };
                let parts: Option<Vec<ExprId>> = chosen.iter().map(|c| list.get(usize::from(*c)).copied()).collect();
                Some(At::Parts(self.copies(&parts?)))
            }
        }
    }

    /// Copies, so that nothing has two parents.
    fn copies(&mut self, list: &[ExprId]) -> Vec<ExprId> {
        list.iter().map(|e| self.body.exprs.duplicate(*e)).collect()
    }

    fn constant(&self, id: ExprId) -> Option<u64> {
        match self.body.exprs[id].kind {
            ExprKind::Literal(Literal::Int(n), _) => u64::try_from(n).ok(),
            ExprKind::Convert(inner, _) => match self.body.exprs[inner].kind {
                ExprKind::Literal(Literal::Int(n), _) => u64::try_from(n).ok(),
                _ => None,
            },
            _ => None,
        }
    }

    fn select_slot(&mut self, base: ExprId, slot: &'p Slot, kind: &ExprKind) -> Option<At<'p>> {
        match (&slot.form, kind) {
            (Form::Struct(fields), ExprKind::Field(_, i)) => Some(At::Slot(base, fields.get(*i as usize)?)),
            (Form::Array(inner), ExprKind::Index(_, i)) => {
                let element = self.element(base, slot, *i);
                Some(At::Slot(element, inner))
            }
            (Form::Words(offset), _) => {
                let rows = self.apply(base, &slot.steps);
                let words = Words { rows, offset: *offset, terms: Vec::new(), layout: slot.layout.clone() };
                self.select_word(words, kind)
            }
            (Form::Scalars, ExprKind::Index(_, i)) => {
                let component = self.element(base, slot, *i);
                Some(At::Parts(vec![component]))
            }
            (Form::Scalars | Form::Pieces(_), ExprKind::Swizzle(_, s)) => {
                let all = self.components(base, slot);
                let list: Option<Vec<ExprId>> = s.list().iter().map(|c| all.get(usize::from(*c)).copied()).collect();
                Some(At::Parts(self.copies(&list?)))
            }
            (Form::Pieces(_), ExprKind::Index(_, i)) => {
                let index = usize::try_from(self.constant(*i)?).ok()?;
                Some(At::Parts(vec![*self.components(base, slot).get(index)?]))
            }
            (Form::Matrix(vectors, inner), ExprKind::Index(_, i)) => {
                self.select_row(base, slot, vectors, inner.as_deref(), *i)
            }
            (Form::Matrix(vectors, _), ExprKind::MatrixSwizzle(_, list)) => {
                let list = list.clone();
                let parts: Option<Vec<ExprId>> =
                    list.iter().map(|(r, c)| self.matrix_element(base, slot.order(), vectors, *r, *c)).collect();
                Some(At::Parts(parts?))
            }
            _ => None,
        }
    }

    /// A row of a matrix: one of its vectors, or a component of each.
    fn select_row(
        &mut self,
        base: ExprId,
        slot: &'p Slot,
        vectors: &'p [Slot],
        inner: Option<&'p Slot>,
        index: ExprId,
    ) -> Option<At<'p>> {
        let constant = self.constant(index).and_then(|n| u8::try_from(n).ok());
        let at = self.row(base, slot, vectors, inner, index, constant)?;
        // The row of a matrix of one column is a vector of one, and stored as a scalar.
        match at {
            At::Slot(base, row) if matches!(self.program.types.get(row.layout.ty), Type::Scalar(_)) => {
                Some(At::Parts(self.components(base, row)))
            }
            at => Some(at),
        }
    }

    fn row(
        &mut self,
        base: ExprId,
        slot: &'p Slot,
        vectors: &'p [Slot],
        inner: Option<&'p Slot>,
        index: ExprId,
        constant: Option<u8>,
    ) -> Option<At<'p>> {
        match (slot.order(), constant, inner) {
            (MatrixOrder::Row, Some(r), _) => Some(At::Slot(base, vectors.get(usize::from(r))?)),
            (MatrixOrder::Row, None, Some(inner)) => Some(At::Slot(self.element(base, slot, index), inner)),
            (MatrixOrder::Column, Some(r), _) => {
                let count = vectors.len() as u8;
                let parts: Option<Vec<ExprId>> =
                    (0..count).map(|c| self.matrix_element(base, MatrixOrder::Column, vectors, r, c)).collect();
                Some(At::Parts(parts?))
            }
            (MatrixOrder::Column, None, _) if vectors.iter().all(|v| self.can_be_indexed(v)) => {
                let parts = vectors.iter().map(|v| self.element(base, v, index)).collect();
                Some(At::Parts(parts))
            }
            _ => None,
        }
    }

    /// Whether a component of a stored vector can be chosen at run time.
    fn can_be_indexed(&self, slot: &Slot) -> bool {
        match slot.form {
            Form::Same => matches!(self.program.types.get(slot.layout.ty), Type::Vector(..)),
            Form::Scalars => true,
            _ => false,
        }
    }

    fn matrix_element(&mut self, base: ExprId, order: MatrixOrder, vectors: &[Slot], r: u8, c: u8) -> Option<ExprId> {
        let (major, minor) = if order == MatrixOrder::Row { (r, c) } else { (c, r) };
        let vector = vectors.get(usize::from(major))?;
        self.components(base, vector).get(usize::from(minor)).copied()
    }

    /// The element of a stored array.
    fn element(&mut self, base: ExprId, slot: &Slot, index: ExprId) -> ExprId {
        let array = self.apply(base, &slot.steps);
        let index = self.body.exprs.duplicate(index);
        self.build(base).index(array, index)
    }

    /// What lies at the end of some steps.
    fn apply(&mut self, base: ExprId, steps: &[Step]) -> ExprId {
        let mut at = self.body.exprs.duplicate(base);
        for step in steps {
            at = match *step {
                Step::Field(i) => {
                    let ty = self.program.field_type(self.body.exprs[at].ty, i).unwrap_or(TypeId::ERROR);
                    self.build(base).field(at, i, ty)
                }
                Step::Element(n) => self.build(base).at(at, n),
            };
        }
        at
    }

    /// The components of a stored vector or scalar.
    fn components(&mut self, base: ExprId, slot: &Slot) -> Vec<ExprId> {
        let count = match self.program.types.get(slot.layout.ty) {
            Type::Vector(_, n) => n,
            _ => 1,
        };
        match &slot.form {
            Form::Pieces(list) => list.iter().flat_map(|piece| self.components(base, piece)).collect(),
            Form::Scalars => (0..u32::from(count))
                .map(|c| {
                    let array = self.apply(base, &slot.steps);
                    self.build(base).at(array, c)
                })
                .collect(),
            _ if matches!(self.program.types.get(slot.layout.ty), Type::Vector(..)) => (0..count)
                .map(|c| {
                    let whole = self.apply(base, &slot.steps);
                    self.build(base).swizzle(whole, &[c])
                })
                .collect(),
            _ => vec![self.apply(base, &slot.steps)],
        }
    }

    fn count(&self, slot: &Slot) -> u32 {
        match slot.layout.detail {
            Detail::Array { count, .. } => count.unwrap_or(0),
            _ => 0,
        }
    }

    /// Values out of what is taken apart are put together.
    fn reads(&mut self, by_reference: &ByReference) {
        loop {
            let parents = self.parents();
            let mut roots = self.body.expressions();
            roots.retain(|id| self.root(*id).is_some());
            if roots.is_empty() {
                return;
            }
            for root in roots {
                let Some(Reach { chain, at }) = self.reach(root, &parents) else { continue };
                let Some(&top) = chain.last() else { continue };
                let ty = self.body.exprs[top].ty;
                if !at.is_plain() {
                    self.refuse_references(top, &parents, by_reference);
                }
                let value = self.load(&at, ty);
                self.body.exprs.replace_by(top, value);
            }
        }
    }

    /// What is stored in parts has no address.
    fn refuse_references(&mut self, top: ExprId, parents: &FxHashMap<ExprId, ExprId>, by_reference: &ByReference) {
        let Some(&parent) = parents.get(&top) else { return };
        let referred = match &self.body.exprs[parent].kind {
            ExprKind::Call(f, args) => {
                let position = args.iter().position(|a| *a == top);
                by_reference.get(f).is_some_and(|l| position.is_some_and(|p| l.contains(&p)))
            }
            ExprKind::AddressOf(_) => true,
            _ => self.is_target(parent, top),
        };
        if referred {
            let reason = "part of a buffer value that the target stores in parts cannot be passed by reference";
            self.faults.push((self.body.exprs[parent].span, reason.to_owned()));
        }
    }

    fn load(&mut self, at: &At, ty: TypeId) -> ExprId {
        match at {
            At::Slot(base, slot) => self.load_slot(*base, slot),
            At::Words(words) => self.load_words(Words::clone(words)),
            At::Parts(list) => {
                let list = self.copies(list);
                match list.as_slice() {
                    // The only component of a vector of one is a scalar.
                    [one] => self.build(*one).convert(*one, ty),
                    [first, ..] => {
                        let first = *first;
                        self.build(first).construct(list, ty)
                    }
                    [] => self.body.exprs.push(Expr { kind: ExprKind::Zero, ty, span: Span::default() }),
                }
            }
        }
    }

    fn load_slot(&mut self, base: ExprId, slot: &Slot) -> ExprId {
        let ty = slot.layout.ty;
        let parts = match &slot.form {
            Form::Same => return self.apply(base, &slot.steps),
            Form::Nothing => return self.build(base).add(ExprKind::Zero, ty),
            Form::Words(offset) => {
                let rows = self.apply(base, &slot.steps);
                let layout = slot.layout.clone();
                return self.load_words(Words { rows, offset: *offset, terms: Vec::new(), layout });
            }
            Form::Struct(list) | Form::Pieces(list) => list.iter().map(|s| self.load_slot(base, s)).collect(),
            Form::Array(inner) => (0..self.count(slot))
                .map(|n| {
                    let array = self.apply(base, &slot.steps);
                    let element = self.build(base).at(array, n);
                    self.load_slot(element, inner)
                })
                .collect(),
            Form::Scalars => self.components(base, slot),
            Form::Matrix(vectors, _) if slot.order() == MatrixOrder::Row => {
                vectors.iter().map(|v| self.load_slot(base, v)).collect()
            }
            Form::Matrix(vectors, _) => return self.transposed(base, ty, vectors),
        };
        self.build(base).construct(parts, ty)
    }

    /// A matrix whose columns are given.
    fn transposed(&mut self, base: ExprId, ty: TypeId, columns: &[Slot]) -> ExprId {
        let Type::Matrix(s, r, c) = self.program.types.get(ty) else {
            return self.build(base).add(ExprKind::Zero, ty);
        };
        if s.is_float() && r > 1 && c > 1 {
            let vectors = columns.iter().map(|v| self.load_slot(base, v)).collect();
            let turned = self.program.types.matrix(s, c, r);
            let mut b = self.build(base);
            let whole = b.construct(vectors, turned);
            return super::storage_types::transpose(&mut b, whole, ty);
        }
        let elements = (0..r).flat_map(|r| (0..c).map(move |c| (r, c)));
        let parts = elements.filter_map(|(r, c)| self.matrix_element(base, MatrixOrder::Column, columns, r, c));
        let parts = parts.collect();
        self.build(base).construct(parts, ty)
    }
}
