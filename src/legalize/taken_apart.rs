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

use super::hoist::{Mark, Marks, hoist, temporary_name};
use super::stored_forms::{self, Data, Form, Native, Slot, Step, Stored, same};
use super::{Context, Pass, memory};
use crate::layout::rules::{Rules, round_up};
use crate::layout::{Detail, Layouter, Settings, TypeLayout, Unit};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::{Capability, Placement};
use crate::tree::walk::is_trivial;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass { name: "taken_apart", removes: &[], adds: &[], run };

fn run(cx: &mut Context) {
    let buffers = plan(cx);
    if buffers.is_empty() || cx.diags.has_errors() {
        return;
    }
    let by_reference = super::storage_types::by_reference(cx.program);
    let effects = cx.effects();
    let bits_to_float = cx.profile.facts.bits_to_float;
    let mut faults = Vec::new();
    cx.each_body(&mut |cx, _, body| {
        let marks = Access::new(cx.program, body, &buffers, bits_to_float).marks();
        hoist(cx.program, &effects, body, marks);
        let mut access = Access::new(cx.program, body, &buffers, bits_to_float);
        access.stores();
        access.reads(&by_reference);
        faults.append(&mut access.faults);
    });
    for (span, reason) in faults {
        cx.unsupported(span, reason);
    }
    let types: BTreeMap<TypeId, TypeId> = buffers.iter().map(|(old, b)| (*old, b.ty)).collect();
    cx.program.map_types(&mut |_, ty| types.get(&ty).copied().unwrap_or(ty));
    super::storage_types::products(cx.program);
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
}

/// Finds the buffers that must be taken apart, by type, and declares their structs.
fn plan(cx: &mut Context) -> BTreeMap<TypeId, Buffer> {
    let native = memory::native_settings(cx);
    let globals: Vec<GlobalId> = cx
        .program
        .items
        .iter()
        .filter_map(|i| match i {
            Item::Global(id) => Some(*id),
            _ => None,
        })
        .collect();
    let mut buffers: BTreeMap<TypeId, Buffer> = BTreeMap::new();
    // How the first buffer of each type is laid out; types are planned, not globals.
    let mut first: BTreeMap<TypeId, (TypeLayout, MatrixOrder, &'static Rules)> = BTreeMap::new();
    for id in globals {
        let Some(wanted) = wanted(cx, id, &native) else { continue };
        let span = cx.program.globals[id].span;
        if let Some((layout, order, rules)) = first.get(&wanted.buffer) {
            let agrees = same(layout, &wanted.layout) && *order == wanted.order && *rules == wanted.native;
            let untouched = !buffers.contains_key(&wanted.buffer) && is_natural(cx, &native, &wanted);
            if !agrees && !untouched {
                cx.unsupported(span, "buffers of one type cannot be laid out in several ways here; use two structs");
            }
        } else {
            first.insert(wanted.buffer, (wanted.layout.clone(), wanted.order, wanted.native));
            if is_natural(cx, &native, &wanted) || is_simple(cx, id, &native, &wanted) {
                continue;
            }
            if let Some(buffer) = take_apart(cx, id, &native, &wanted) {
                buffers.insert(wanted.buffer, buffer);
            }
        }
        if let Some(buffer) = buffers.get(&wanted.buffer) {
            cx.notes.taken_apart.push(id);
            cx.program.globals[id].stored =
                stored_forms::leaves(cx.program, &buffer.stored.slot, !cx.profile.has(Capability::EmptyStructs));
        }
    }
    buffers
}

fn wanted(cx: &Context, id: GlobalId, native: &Settings) -> Option<Wanted> {
    let settings = &cx.layout.settings;
    let global = &cx.program.globals[id];
    let (data, rules) = memory::data(cx.program, settings, global)?;
    let (_, native) = memory::data(cx.program, native, global)?;
    let order = global.matrix_order.unwrap_or(cx.program.default_matrix_order);
    let layout = Layouter { program: cx.program, settings }.contents(data, rules, order);
    let buffer = cx.program.types.innermost(global.ty);
    let own_structs = !cx.profile.has(Capability::MixedMatrixOrders)
        && cx.profile.has(Capability::BothMatrixOrders)
        && super::storage_types::mixes_orders(cx.program, global, data)
        && shares_structs(cx, id);
    (layout.size() > 0).then_some(Wanted { buffer, data, layout, order, native, own_structs })
}

/// Whether the structs of a buffer are in others too, which store their matrices in another order.
fn shares_structs(cx: &Context, id: GlobalId) -> bool {
    let globals = cx.program.items.iter().filter_map(|item| match item {
        Item::Global(id) => Some(*id),
        _ => None,
    });
    let all: Vec<(StructId, MatrixOrder)> = globals.flat_map(|id| stored_orders(cx, id)).collect();
    stored_orders(cx, id).iter().any(|(s, order)| all.iter().any(|(t, other)| s == t && order != other))
}

/// The structs with matrices in a buffer, with the order that all matrices beside them are stored in.
fn stored_orders(cx: &Context, id: GlobalId) -> Vec<(StructId, MatrixOrder)> {
    let global = &cx.program.globals[id];
    let Some((data, _)) = memory::data(cx.program, &cx.layout.settings, global) else { return Vec::new() };
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
    let elements = matches!(program.types.get(buffer), Type::Buffer(..));
    elements.then(|| round_up(layout.size(), layout.align.into()))
}

/// Whether the target puts everything where it is wanted by itself.
fn is_natural(cx: &Context, native: &Settings, wanted: &Wanted) -> bool {
    let natural = natural(cx, native, wanted);
    let distance = |layout| stride(cx.program, wanted.buffer, layout);
    !wanted.own_structs && same(&wanted.layout, &natural) && distance(&wanted.layout) == distance(&natural)
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
            && (placement != Placement::Packoffset || offset.is_multiple_of(4))
            && offset >= end
            && !crosses
            && !hole;
        end = offset.saturating_add(size);
        fine
    });
    cx.program.globals[id].transparent && fits && !wanted.own_structs
}

/// Declares the structs of a buffer.
fn take_apart(cx: &mut Context, id: GlobalId, native: &Settings, wanted: &Wanted) -> Option<Buffer> {
    let Global { transparent, span, .. } = cx.program.globals[id];
    let old = match cx.program.types.get(wanted.data) {
        Type::Struct(s) => Some(s),
        _ => None,
    };
    let name = match old {
        Some(s) if transparent => cx.program.structs[s].name.to_string(),
        Some(s) => format!("{}_stored", cx.program.structs[s].name),
        None => format!("{}_element", cx.program.globals[id].name),
    };
    let buffer = cx.program.types.get(wanted.buffer);
    if matches!(buffer, Type::Buffer(BufferKind::Append | BufferKind::Consume, ..)) {
        cx.unsupported(span, format!("{} cannot lay out the elements of this buffer so", cx.profile.name));
        return None;
    }
    let native = Native { settings: native, rules: wanted.native, own_structs: wanted.own_structs };
    let stride = stride(cx.program, wanted.buffer, &wanted.layout);
    let data = Data { wanted: &wanted.layout, order: wanted.order, stride, name: &name, span };
    match stored_forms::store(cx.program, native, &data) {
        Ok(stored) => {
            for s in &stored.structs {
                cx.program.insert_item(Item::Struct(*s), Some(Item::Global(id)));
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

/// A value in rows of words: at `offset` and some indices times their strides.
#[derive(Clone)]
struct Words {
    rows: ExprId,
    offset: u64,
    terms: Vec<(ExprId, u64)>,
    layout: TypeLayout,
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
    buffers: &'p BTreeMap<TypeId, Buffer>,
    bits_to_float: &'static str,
    faults: Vec<(Span, String)>,
}

/// How far an access goes out from the buffer.
struct Reach<'p> {
    /// The nodes passed, the root first; the last stands for the value.
    chain: Vec<ExprId>,
    at: At<'p>,
}

impl<'a, 'p> Access<'a, 'p> {
    fn new(
        program: &'a mut Program,
        body: &'a mut Body,
        buffers: &'p BTreeMap<TypeId, Buffer>,
        bits_to_float: &'static str,
    ) -> Self {
        Access { program, body, buffers, bits_to_float, faults: Vec::new() }
    }

    fn build(&mut self, at: ExprId) -> Build<'_> {
        let span = self.body.exprs[at].span;
        Build::new(&mut self.program.types, &mut self.body.exprs, span)
    }

    /// The buffer whose contents or element an expression is, if it is taken apart and the expression not yet changed.
    fn root(&self, id: ExprId) -> Option<&'p Buffer> {
        let (ExprKind::Index(base, _) | ExprKind::Contents(base)) = self.body.exprs[id].kind else { return None };
        let buffer = self.buffers.get(&self.body.exprs[base].ty)?;
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
            match self.select(&at, node, parent) {
                Some(next) => at = next,
                None => break,
            }
            chain.push(parent);
            node = parent;
        }
        Some(Reach { chain, at })
    }

    /// What `parent` selects of an access, if it selects something.
    fn select(&mut self, at: &At<'p>, node: ExprId, parent: ExprId) -> Option<At<'p>> {
        let kind = self.body.exprs[parent].kind.clone();
        match kind {
            ExprKind::Field(base, _)
            | ExprKind::Index(base, _)
            | ExprKind::Swizzle(base, _)
            | ExprKind::MatrixSwizzle(base, _)
                if base == node => {}
            _ => return None,
        }
        match at {
            At::Slot(base, slot) => self.select_slot(*base, slot, &kind),
            At::Words(words) => self.select_word(Words::clone(words), &kind),
            At::Parts(list) => {
                let chosen: Vec<u8> = match &kind {
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
        match (slot.order(), constant, inner) {
            (MatrixOrder::Row, Some(r), _) => Some(At::Slot(base, vectors.get(usize::from(r))?)),
            (MatrixOrder::Row, None, Some(inner)) => Some(At::Slot(self.element(base, slot, index), inner)),
            (MatrixOrder::Column, Some(r), _) => {
                let count = vectors.len() as u8;
                let parts: Option<Vec<ExprId>> =
                    (0..count).map(|c| self.matrix_element(base, MatrixOrder::Column, vectors, r, c)).collect();
                Some(At::Parts(parts?))
            }
            (MatrixOrder::Column, None, Some(Slot { form: Form::Scalars, .. })) => {
                let parts = vectors.iter().map(|v| self.element(base, v, index)).collect();
                Some(At::Parts(parts))
            }
            _ => None,
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

    /// Indices that would be repeated, values that would be, and assignments that are no statements.
    fn marks(&mut self) -> Marks {
        let mut marks = Marks::default();
        let parents = self.parents();
        let mut statements = FxHashSet::default();
        self.body.block.visit(&mut |s| {
            if let StmtKind::Expr(e) = s.kind {
                statements.insert(e);
            }
        });
        for root in self.body.expressions() {
            let Some(Reach { chain, at }) = self.reach(root, &parents) else { continue };
            let Some(&top) = chain.last() else { continue };
            let target = parents.get(&top).copied().filter(|p| self.is_target(*p, top));
            if at.is_plain() {
                continue;
            }
            for id in chain {
                self.mark_indices(id, &mut marks);
            }
            if let Some(assign) = target {
                if !statements.contains(&assign) {
                    marks.insert(assign, Mark::Effect);
                }
                if let ExprKind::Assign(_, _, value) = self.body.exprs[assign].kind {
                    self.mark(value, &mut marks);
                }
            }
        }
        marks
    }

    fn is_target(&self, parent: ExprId, id: ExprId) -> bool {
        match self.body.exprs[parent].kind {
            ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) => target == id,
            _ => false,
        }
    }

    fn mark(&mut self, id: ExprId, marks: &mut Marks) {
        if !is_trivial(&self.body.exprs, id) {
            let scalar = matches!(self.program.types.get(self.body.exprs[id].ty), Type::Scalar(_));
            let name = if scalar { Symbol::new("index") } else { temporary_name(self.program, self.body, id) };
            marks.insert(id, Mark::Value(name));
        }
    }

    fn mark_indices(&mut self, id: ExprId, marks: &mut Marks) {
        match self.body.exprs[id].kind {
            ExprKind::Index(base, index) => {
                self.mark(index, marks);
                if let ExprKind::Index(..) = self.body.exprs[base].kind {
                    self.mark_indices(base, marks);
                }
            }
            ExprKind::Contents(base) => self.mark_indices(base, marks),
            _ => {}
        }
    }

    /// Assignments to what is taken apart become assignments of the parts.
    fn stores(&mut self) {
        let mut block = std::mem::take(&mut self.body.block);
        block.rewrite(&mut |stmt, out| {
            let StmtKind::Expr(root) = stmt.kind else { return out.push(stmt) };
            let Some(parts) = self.store_statement(root) else { return out.push(stmt) };
            let first = out.len();
            out.extend(parts.into_iter().map(|e| Stmt::new(StmtKind::Expr(e), stmt.span)));
            if let Some(first) = out.get_mut(first) {
                first.comments = stmt.comments;
                first.blank_before = stmt.blank_before;
            }
        });
        self.body.block = block;
    }

    /// The assignments that an assignment becomes, if its target is taken apart.
    fn store_statement(&mut self, root: ExprId) -> Option<Vec<ExprId>> {
        let (op, target, value) = match self.body.exprs[root].kind {
            ExprKind::Assign(op, target, value) => (op, target, Some(value)),
            ExprKind::Step(up, _, target) => (Some(if up { BinaryOp::Add } else { BinaryOp::Sub }), target, None),
            _ => return None,
        };
        let (at, rest) = self.target(target)?;
        if at.is_plain() && rest.is_empty() {
            return None;
        }
        if let (Some(_), At::Slot(_, Slot { form: Form::Same, .. })) = (rest.first(), &at) {
            return None;
        }
        if !rest.is_empty() {
            let reason = "a part of this value that is only known at run time cannot be assigned, as the value is stored in parts";
            self.faults.push((self.body.exprs[root].span, reason.to_owned()));
            return None;
        }
        let ty = self.body.exprs[target].ty;
        let value = match value {
            Some(value) => value,
            None => self.build(root).number(1, ty),
        };
        let mut out = Vec::new();
        self.store(&at, op, value, &mut out);
        Some(out)
    }

    /// Where the target of an assignment is, and the selections in it that could not be followed.
    fn target(&mut self, target: ExprId) -> Option<(At<'p>, Vec<ExprId>)> {
        let mut path = vec![target];
        let mut node = target;
        while self.root(node).is_none() {
            node = match self.body.exprs[node].kind {
                ExprKind::Field(a, _)
                | ExprKind::Index(a, _)
                | ExprKind::Swizzle(a, _)
                | ExprKind::MatrixSwizzle(a, _) => a,
                _ => return None,
            };
            path.push(node);
        }
        let mut at = self.start(path.pop()?)?;
        while let Some(parent) = path.pop() {
            match self.select(&at, node, parent) {
                Some(next) => at = next,
                None => {
                    path.push(parent);
                    break;
                }
            }
            node = parent;
        }
        path.reverse();
        Some((at, path))
    }

    /// Assignments of a value to its parts.
    fn store(&mut self, at: &At, op: Option<BinaryOp>, value: ExprId, out: &mut Vec<ExprId>) {
        match at {
            At::Slot(base, slot) => self.store_slot(*base, slot, op, value, out),
            At::Parts(list) => {
                for (index, part) in (0..).zip(list) {
                    let mut from = self.body.exprs.duplicate(value);
                    let one = !matches!(self.program.types.get(self.body.exprs[value].ty), Type::Vector(..));
                    if list.len() > 1 && !one {
                        from = self.build(value).swizzle(from, &[index]);
                    }
                    out.push(self.assign(*part, op, from));
                }
            }
            At::Words(_) => {}
        }
    }

    fn assign(&mut self, target: ExprId, op: Option<BinaryOp>, value: ExprId) -> ExprId {
        let ty = self.body.exprs[target].ty;
        self.build(value).add(ExprKind::Assign(op, target, value), ty)
    }

    fn store_slot(&mut self, base: ExprId, slot: &Slot, op: Option<BinaryOp>, value: ExprId, out: &mut Vec<ExprId>) {
        match &slot.form {
            Form::Same => {
                let target = self.apply(base, &slot.steps);
                let from = self.body.exprs.duplicate(value);
                out.push(self.assign(target, op, from));
            }
            Form::Struct(fields) => {
                for (index, field) in (0..).zip(fields) {
                    let from = self.body.exprs.duplicate(value);
                    let part = self.build(value).field(from, index, field.layout.ty);
                    self.store_slot(base, field, op, part, out);
                }
            }
            Form::Array(inner) => {
                for n in 0..self.count(slot) {
                    let array = self.apply(base, &slot.steps);
                    let to = self.build(value).at(array, n);
                    let from = self.body.exprs.duplicate(value);
                    let part = self.build(value).at(from, n);
                    self.store_slot(to, inner, op, part, out);
                }
            }
            Form::Scalars | Form::Pieces(_) => {
                let parts = self.components(base, slot);
                self.store(&At::Parts(parts), op, value, out);
            }
            Form::Matrix(vectors, _) => {
                for (index, vector) in (0..).zip(vectors) {
                    let part = self.vector_of(value, slot.order(), index, vector.layout.ty);
                    self.store_slot(base, vector, op, part, out);
                }
            }
            Form::Nothing | Form::Words(_) => {}
        }
    }

    /// A row or column of a matrix value.
    fn vector_of(&mut self, matrix: ExprId, order: MatrixOrder, index: u32, ty: TypeId) -> ExprId {
        let length = if let Type::Vector(_, n) = self.program.types.get(ty) { n } else { 1 };
        let element = |this: &mut Self, r: u32, c: u32| {
            let from = this.body.exprs.duplicate(matrix);
            let mut b = this.build(matrix);
            let row = b.at(from, r);
            b.at(row, c)
        };
        match order {
            MatrixOrder::Row if length > 1 => {
                let from = self.body.exprs.duplicate(matrix);
                self.build(matrix).at(from, index)
            }
            MatrixOrder::Row => element(self, index, 0),
            MatrixOrder::Column if length == 1 => element(self, 0, index),
            MatrixOrder::Column => {
                let parts = (0..u32::from(length)).map(|r| element(self, r, index)).collect();
                self.build(matrix).construct(parts, ty)
            }
        }
    }

    fn count(&self, slot: &Slot) -> u32 {
        match slot.layout.detail {
            Detail::Array { count, .. } => count.unwrap_or(0),
            _ => 0,
        }
    }

    /// Values out of what is taken apart are put together.
    fn reads(&mut self, by_reference: &FxHashMap<FunctionId, Vec<usize>>) {
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
    fn refuse_references(
        &mut self,
        top: ExprId,
        parents: &FxHashMap<ExprId, ExprId>,
        by_reference: &FxHashMap<FunctionId, Vec<usize>>,
    ) {
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
                    [one] => *one,
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

    /// A part of what lies in rows of words.
    fn select_word(&mut self, words: Words, kind: &ExprKind) -> Option<At<'p>> {
        let mut words = words;
        match (words.layout.detail.clone(), kind) {
            (Detail::Struct(fields), ExprKind::Field(_, i)) => {
                let field = fields.into_iter().nth(*i as usize)?;
                words.offset += field.offset.get(Unit::Bytes);
                words.layout = field.layout;
            }
            (Detail::Array { element, stride, .. }, ExprKind::Index(_, i)) => {
                self.step_words(&mut words, *i, stride.get(Unit::Bytes));
                words.layout = *element;
            }
            (Detail::Plain, ExprKind::Index(_, i)) => {
                let scalar = self.scalar_of(words.layout.ty)?;
                self.step_words(&mut words, *i, scalar.size().into());
                words.layout = plain(self.program.types.scalar(scalar), scalar.size().into());
            }
            (Detail::Plain, ExprKind::Swizzle(_, s)) => {
                let scalar = self.scalar_of(words.layout.ty)?;
                let size = u64::from(scalar.size());
                let parts = s.list().iter().map(|c| self.scalar(&words, scalar, u64::from(*c) * size));
                return Some(At::Parts(parts.collect()));
            }
            (Detail::Matrix { stride, order }, ExprKind::Index(_, i)) => {
                let Type::Matrix(s, _, columns) = self.program.types.get(words.layout.ty) else { return None };
                let (size, stride) = (u64::from(s.size()), u64::from(stride));
                self.step_words(&mut words, *i, if order == MatrixOrder::Row { stride } else { size });
                if order == MatrixOrder::Column {
                    let parts = (0..u64::from(columns)).map(|c| self.scalar(&words, s, c * stride));
                    return Some(At::Parts(parts.collect()));
                }
                words.layout = plain(self.program.types.vector(s, columns), size * u64::from(columns));
            }
            (Detail::Matrix { stride, order }, ExprKind::MatrixSwizzle(_, list)) => {
                let s = self.scalar_of(words.layout.ty)?;
                let parts = list.iter().map(|(r, c)| self.scalar(&words, s, element_offset(order, stride, s, *r, *c)));
                return Some(At::Parts(parts.collect()));
            }
            _ => return None,
        }
        Some(At::Words(Box::new(words)))
    }

    fn scalar_of(&self, ty: TypeId) -> Option<Scalar> {
        match self.program.types.get(ty) {
            Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, ..) => Some(s),
            _ => None,
        }
    }

    fn step_words(&mut self, words: &mut Words, index: ExprId, stride: u64) {
        match self.constant(index) {
            Some(n) => words.offset = words.offset.saturating_add(n.saturating_mul(stride)),
            None => words.terms.push((index, stride)),
        }
    }

    /// The value of what lies in rows of words.
    fn load_words(&mut self, words: Words) -> ExprId {
        let ty = words.layout.ty;
        let within = |layout: &TypeLayout, offset: u64| Words {
            offset: words.offset.saturating_add(offset),
            layout: layout.clone(),
            ..words.clone()
        };
        let parts = match (&words.layout.detail, self.program.types.get(ty)) {
            (Detail::Struct(fields), _) => {
                fields.iter().map(|f| self.load_words(within(&f.layout, f.offset.get(Unit::Bytes)))).collect()
            }
            (Detail::Array { element, stride, count }, _) => (0..u64::from(count.unwrap_or(0)))
                .map(|n| self.load_words(within(element, n.saturating_mul(stride.get(Unit::Bytes)))))
                .collect(),
            (Detail::Matrix { stride, order }, Type::Matrix(s, rows, columns)) => {
                let elements = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
                elements.map(|(r, c)| self.scalar(&words, s, element_offset(*order, *stride, s, r, c))).collect()
            }
            (_, Type::Vector(s, n)) => {
                (0..u64::from(n)).map(|c| self.scalar(&words, s, c * u64::from(s.size()))).collect()
            }
            (_, Type::Scalar(s)) => return self.scalar(&words, s, 0),
            _ => return self.unloadable(&words, ty),
        };
        self.build(words.rows).construct(parts, ty)
    }

    fn unloadable(&mut self, words: &Words, ty: TypeId) -> ExprId {
        let span = self.body.exprs[words.rows].span;
        let reason = "values of this type cannot lie so densely in a constant buffer here".to_owned();
        self.faults.push((span, reason));
        self.build(words.rows).add(ExprKind::Zero, ty)
    }

    /// A scalar out of its word.
    fn scalar(&mut self, words: &Words, s: Scalar, offset: u64) -> ExprId {
        let ty = self.program.types.scalar(s);
        let dense = words.terms.iter().any(|(_, stride)| !stride.is_multiple_of(4));
        if dense || !(words.offset + offset).is_multiple_of(4) {
            return self.unloadable(words, ty);
        }
        let word = self.word(words, words.offset.saturating_add(offset));
        match (s, Template::parse(self.bits_to_float)) {
            (Scalar::F32, Ok(template)) => self.build(word).native(template, vec![word], ty),
            (Scalar::U32, _) => word,
            (Scalar::I32 | Scalar::Bool, _) => self.build(word).convert(word, ty),
            _ => self.unloadable(words, ty),
        }
    }

    /// The word at a byte: `rows[4][1]`, or with indices that are only known at run time `rows[word >> 2][word & 3]`.
    fn word(&mut self, words: &Words, offset: u64) -> ExprId {
        let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let rows = self.body.exprs.duplicate(words.rows);
        let of_rows = words.terms.iter().all(|(_, stride)| stride.is_multiple_of(16));
        let unit = if of_rows { 16 } else { 4 };
        let mut index = None;
        for (term, stride) in &words.terms {
            let term = self.body.exprs.duplicate(*term);
            let mut b = self.build(words.rows);
            let mut term = b.convert(term, TypeId::UINT);
            if *stride > unit {
                let factor = b.uint(small(stride / unit));
                term = b.binary(BinaryOp::Mul, term, factor);
            }
            index = Some(match index {
                Some(sum) => b.binary(BinaryOp::Add, sum, term),
                None => term,
            });
        }
        let mut b = self.build(words.rows);
        if let Some(sum) = index.filter(|_| offset >= unit) {
            let start = b.uint(small(offset / unit));
            index = Some(b.binary(BinaryOp::Add, sum, start));
        }
        let component = (offset / 4 % 4) as u8;
        match index {
            None => {
                let row = b.at(rows, small(offset / 16));
                b.swizzle(row, &[component])
            }
            Some(row) if of_rows => {
                let row = b.index(rows, row);
                b.swizzle(row, &[component])
            }
            Some(word) => {
                let again = b.exprs.duplicate(word);
                let (two, three) = (b.uint(2), b.uint(3));
                let row = b.binary(BinaryOp::Shr, word, two);
                let row = b.index(rows, row);
                let component = b.binary(BinaryOp::BitAnd, again, three);
                b.index(row, component)
            }
        }
    }
}

/// Where an element of a matrix lies in it.
fn element_offset(order: MatrixOrder, stride: u32, s: Scalar, r: u8, c: u8) -> u64 {
    let (major, minor) = if order == MatrixOrder::Row { (r, c) } else { (c, r) };
    u64::from(major) * u64::from(stride) + u64::from(minor) * u64::from(s.size())
}

fn plain(ty: TypeId, size: u64) -> TypeLayout {
    let usage = crate::layout::Usage::one(Unit::Bytes, size);
    TypeLayout { ty, usage, align: 4, detail: Detail::Plain }
}
