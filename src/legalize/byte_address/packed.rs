//! Structured buffers with integers of widths that the target lacks are buffers of words, too.
//!
//! Before: `StructuredBuffer<int16_t4> a;   int16_t4 v = a[i];                              result[i].xy = v.xy;`
//! After:  `StructuredBuffer<uint> a;       int16_t4 v = int16_t4(a[2 * i], a[2 * i] >> 16, ...);   result[2 * i] = ...;`
//!
//! Elements lie where the layout of the buffer has them. Arguments that are passed by reference go through a variable.

use super::{Address, WordAccess};
use crate::layout::Layouter;
use crate::layout::rules::round_up;
use crate::legalize::data_parts::Part;
use crate::legalize::hoist::{Mark, Marks, temporary_name};
use crate::legalize::lower_properties::mark_for_repetition;
use crate::legalize::narrow_integers::is_narrow;
use crate::legalize::references::{self, ByReference};
use crate::target::{Capability, Profile};
use crate::tree::analyses::is_trivial;
use crate::tree::{
    BinaryOp, Body, BufferKind, Build, Effects, Expr, ExprArena, ExprId, ExprKind, Program, Scalar, Stmt, StmtKind,
    Type, TypeId,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Whether a type is a buffer that is to be one of words.
pub(super) fn is_packed(program: &Program, profile: &Profile, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Buffer(BufferKind::Structured(_), _, element) => {
            // With byte-address buffers there are views of structured ones, which say how far their elements are apart.
            let any_size = !profile.has(Capability::ByteAddressBuffers);
            is_narrow(program, profile, element) && (any_size || is_word(program, element))
        }
        _ => false,
    }
}

/// Whether a number or vector is no larger than a word.
fn is_word(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Scalar(s) => s.size() <= 4,
        Type::Vector(s, n) => s.size() * u32::from(n) <= 4,
        _ => false,
    }
}

/// Has variables passed by reference instead of parts of elements.
pub(super) fn copy_references(
    program: &mut Program,
    profile: &Profile,
    effects: &Effects,
    body: &mut Body,
    by_reference: &ByReference,
) {
    references::copy(program, effects, body, by_reference, &mut |program, body, place| {
        body.exprs.way_to_base(place).any(|id| is_element(program, profile, &body.exprs, id))
    });
}

/// Marks indices, which will be written several times.
pub(super) fn mark(program: &Program, profile: &Profile, body: &Body, marks: &mut Marks) {
    let live = body.expressions();
    let parents = body.exprs.parents(&live);
    for id in live {
        if !is_element(program, profile, &body.exprs, id) {
            continue;
        }
        mark_for_repetition(program, body, id, marks);
        for part in parts_of(&body.exprs, &parents, id) {
            if let ExprKind::Index(..) = body.exprs[part].kind {
                mark_for_repetition(program, body, part, marks);
            }
        }
    }
}

/// Makes compound assignments plain ones, and marks what is assigned: it may be read from the words that are written.
pub(super) fn mark_values(program: &mut Program, profile: &Profile, body: &mut Body) -> Marks {
    let mut marks = Marks::default();
    let live = body.expressions();
    let parents = body.exprs.parents(&live);
    for id in live {
        if !is_element(program, profile, &body.exprs, id) {
            continue;
        }
        let top = parts_of(&body.exprs, &parents, id).last().unwrap_or(id);
        let Some(&root) = parents.get(&top) else { continue };
        let Expr { ty, span, ref kind } = body.exprs[root];
        let (op, value) = match *kind {
            ExprKind::Assign(op, target, value) if target == top => (op, Some(value)),
            ExprKind::Step(increment, _, target) if target == top => {
                (Some(if increment { BinaryOp::Add } else { BinaryOp::Sub }), None)
            }
            _ => continue,
        };
        let mut b = Build::new(&mut program.types, &mut body.exprs, span);
        let mut value = value.unwrap_or_else(|| b.number(1, ty));
        if let Some(op) = op {
            let old = b.exprs.duplicate(top);
            value = b.add(ExprKind::Binary(op, old, value), ty);
            b.exprs[root].kind = ExprKind::Assign(None, top, value);
        }
        if !is_trivial(&body.exprs, value) {
            marks.insert(value, Mark::Value(temporary_name(program, body, value)));
        }
    }
    marks
}

/// Whether an expression is an element of such a buffer.
fn is_element(program: &Program, profile: &Profile, exprs: &ExprArena, id: ExprId) -> bool {
    matches!(exprs[id].kind, ExprKind::Index(base, _) if is_packed(program, profile, exprs[base].ty))
}

/// The parts that are selected of an expression, one of the other.
fn parts_of(exprs: &ExprArena, parents: &FxHashMap<ExprId, ExprId>, of: ExprId) -> impl Iterator<Item = ExprId> {
    let next = |inner: &ExprId| parents.get(inner).copied().filter(|outer| selects(exprs, *outer, *inner));
    std::iter::successors(next(&of), next)
}

/// Whether an expression selects a part of another.
fn selects(exprs: &ExprArena, id: ExprId, of: ExprId) -> bool {
    matches!(exprs[id].kind, ExprKind::Index(inner, _) | ExprKind::Field(inner, _) | ExprKind::Swizzle(inner, _) | ExprKind::MatrixSwizzle(inner, _) if inner == of)
}

impl WordAccess<'_, '_, '_> {
    /// Reads and writes of such buffers.
    pub(super) fn packed_elements(&mut self) {
        let mut written = BTreeMap::new();
        for part in self.packed_parts() {
            let live = self.body.expressions();
            let parents = self.body.exprs.parents(&live);
            match parents.get(&part.top).map(|p| (*p, self.body.exprs[*p].kind.clone())) {
                Some((parent, ExprKind::Assign(None, target, _))) if target == part.top => {
                    written.insert(parent, part);
                }
                _ => {
                    let value = self.packed_value(&part);
                    self.body.exprs.replace_by(part.top, value);
                }
            }
        }
        if written.is_empty() {
            return;
        }
        let mut block = std::mem::take(&mut self.body.block);
        block.rewrite(&mut |mut stmt, out| {
            let StmtKind::Expr(root) = stmt.kind else { return out.push(stmt) };
            let Some(part) = written.remove(&root) else { return out.push(stmt) };
            let ExprKind::Assign(_, _, value) = self.body.exprs[root].kind else { return out.push(stmt) };
            let words = self.packed_store(&part, value);
            let first = out.len();
            out.extend(words.into_iter().map(|e| Stmt::new(StmtKind::Expr(e), stmt.span)));
            stmt.give_comments(out.get_mut(first), true);
        });
        self.body.block = block;
        for id in written.into_keys() {
            let span = self.body.exprs[id].span;
            let message = format!(
                "{} has no integers of 8 or 16 bits, and an assignment to them in a buffer cannot be a part of an expression",
                self.cx.profile.name
            );
            self.cx.unsupported(span, message);
        }
    }

    /// The parts of elements that expressions name, inner ones first.
    fn packed_parts(&self) -> Vec<Part> {
        let live = self.body.expressions();
        let exprs = &self.body.exprs;
        let parents = exprs.parents(&live);
        let mut parts = Vec::new();
        for &id in &live {
            let ExprKind::Index(buffer, index) = exprs[id].kind else { continue };
            let Type::Buffer(_, _, element) = self.cx.program.types.get(exprs[buffer].ty) else { continue };
            if !is_packed(self.cx.program, self.cx.profile, exprs[buffer].ty) {
                continue;
            }
            let settings = &self.cx.layout.settings;
            let layouter = Layouter { program: self.cx.program, settings };
            let layout = layouter.contents(element, settings.rules.structured, self.cx.program.default_matrix_order);
            let stride = round_up(layout.size(), layout.align.into());
            let mut part = Part::new(id, buffer, layout);
            part.step(self.cx.program, exprs, index, stride);
            while let Some(&parent) = parents.get(&part.top) {
                if !part.select(self.cx.program, exprs, parent) {
                    break;
                }
                part.top = parent;
            }
            parts.push(part);
        }
        parts
    }

    /// The address of a part: in words if all distances are.
    fn packed_address(&mut self, part: &Part) -> Address {
        let unit = if part.terms.iter().all(|(_, stride)| stride.is_multiple_of(4)) { 4 } else { 1 };
        let mut sum = None;
        for (index, stride) in &part.terms {
            let index = self.body.exprs.duplicate(*index);
            let mut b = self.build(part.top);
            let mut term = b.convert(index, TypeId::UINT);
            if *stride != unit {
                let factor = b.uint(u32::try_from(stride / unit).unwrap_or(u32::MAX));
                term = b.binary(BinaryOp::Mul, term, factor);
            }
            sum = Some(match sum {
                Some(sum) => b.binary(BinaryOp::Add, sum, term),
                None => term,
            });
        }
        let word = match sum {
            Some(sum) => sum,
            None => self.build(part.top).uint(0),
        };
        // Its elements are words from here on.
        let buffer = self.body.exprs.duplicate(part.base);
        if let Type::Buffer(kind, access, _) = self.cx.program.types.get(self.body.exprs[buffer].ty) {
            self.body.exprs[buffer].ty = self.cx.program.types.intern(Type::Buffer(kind, access, TypeId::UINT));
        }
        Address { buffer, word, offset: part.offset, in_bytes: unit == 1 }
    }

    fn packed_value(&mut self, part: &Part) -> ExprId {
        let place = self.packed_address(part);
        let Some(list) = &part.components else { return self.load(&part.layout, place) };
        let s = self.cx.program.types.component(part.layout.ty).unwrap_or(Scalar::U32);
        let at = |bytes: &u64| Address { offset: place.offset + bytes, ..place };
        let parts: Vec<ExprId> = list.iter().map(|bytes| self.scalar(s, at(bytes))).collect();
        let ty = self.body.exprs[part.top].ty;
        match (parts.as_slice(), self.cx.program.types.get(ty)) {
            ([one], Type::Scalar(_)) => *one,
            _ => self.build(part.top).construct(parts, ty),
        }
    }

    /// The assignments of its words.
    fn packed_store(&mut self, part: &Part, value: ExprId) -> Vec<ExprId> {
        let place = self.packed_address(part);
        let mut words = Vec::new();
        match &part.components {
            None => self.store(&part.layout, place, value, &mut words),
            Some(list) => {
                let is_vector = matches!(self.cx.program.types.get(self.body.exprs[value].ty), Type::Vector(..));
                for (from, to) in (0..).zip(list) {
                    let copy = self.body.exprs.duplicate(value);
                    let one = if is_vector { self.build(value).swizzle(copy, &[from]) } else { copy };
                    let offset = place.offset + to;
                    self.store_scalar(Address { offset, ..place }, one, &mut words);
                }
            }
        }
        self.store_parts(place, false, value, &mut words);
        words
    }
}
