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
//! uniform_structs, pin_memory. Rule: `layout-d3d-constant`.

mod elements;
mod plan;
mod stores;
mod words;

use self::plan::{Buffer, Plan, plan};
use self::words::Words;
use super::hoist::hoist;
use super::references::{self, ByReference, selected};
use super::stored_forms::{Form, Slot};
use super::{Context, Pass};
use crate::layout::Detail;
use crate::source::Span;
use crate::target::Profile;
use crate::tree::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

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
        let at = match (slot.order(), constant, inner) {
            (MatrixOrder::Row, Some(r), _) => At::Slot(base, vectors.get(usize::from(r))?),
            (MatrixOrder::Row, None, Some(inner)) => At::Slot(self.element(base, slot, index), inner),
            (MatrixOrder::Column, Some(r), _) => {
                let count = vectors.len() as u8;
                let parts: Option<Vec<ExprId>> =
                    (0..count).map(|c| self.matrix_element(base, MatrixOrder::Column, vectors, r, c)).collect();
                At::Parts(parts?)
            }
            (MatrixOrder::Column, None, _) if vectors.iter().all(|v| self.can_be_indexed(v)) => {
                let parts = vectors.iter().map(|v| self.element(base, v, index)).collect();
                At::Parts(parts)
            }
            _ => return None,
        };
        // The row of a matrix of one column is a vector of one, and stored as a scalar.
        match at {
            At::Slot(base, row) if matches!(self.program.types.get(row.layout.ty), Type::Scalar(_)) => {
                Some(At::Parts(self.components(base, row)))
            }
            at => Some(at),
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
