//! Structured buffers with integers of widths that the target lacks are buffers of words, too.
//!
//! Before: `StructuredBuffer<int16_t4> a;   int16_t4 v = a[i];                              result[i].xy = v.xy;`
//! After:  `StructuredBuffer<uint> a;       int16_t4 v = int16_t4(a[2 * i], a[2 * i] >> 16, ...);   result[2 * i] = ...;`
//!
//! Elements lie where the layout of the buffer has them. What is neither read nor assigned, as an argument by reference, is an
//! error.

use super::{Address, WordAccess};
use crate::check::constant::eval_int;
use crate::layout::rules::round_up;
use crate::layout::{Detail, Layouter, TypeLayout, Unit};
use crate::legalize::bits;
use crate::legalize::hoist::{Mark, Marks, temporary_name};
use crate::legalize::lower_properties::mark_for_repetition;
use crate::legalize::narrow_integers::is_narrow;
use crate::target::Profile;
use crate::tree::analyses::is_trivial;
use crate::tree::{
    BinaryOp, Body, BufferKind, Build, Expr, ExprArena, ExprId, ExprKind, MatrixOrder, Program, Scalar, Stmt, StmtKind,
    Type, TypeId,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Whether a type is a buffer that is to be one of words.
pub(super) fn is_packed(program: &Program, profile: &Profile, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Buffer(BufferKind::Structured(_), _, element) => is_narrow(program, profile, element),
        _ => false,
    }
}

/// A part of an element.
struct Part {
    /// The expression that names it.
    top: ExprId,
    buffer: ExprId,
    /// Indices with the bytes from one to the next.
    terms: Vec<(ExprId, u64)>,
    /// Bytes from there.
    offset: u64,
    layout: TypeLayout,
    /// The components that are meant, of a vector or matrix: bytes from the offset.
    components: Option<Vec<u64>>,
    /// The bytes from one component to the next, of a row of a matrix that is stored by columns.
    apart: Option<u64>,
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
            let mut part =
                Part { top: id, buffer, terms: Vec::new(), offset: 0, layout, components: None, apart: None };
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
        let buffer = self.body.exprs.duplicate(part.buffer);
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

impl Part {
    /// Adds an index.
    fn step(&mut self, program: &Program, exprs: &ExprArena, index: ExprId, stride: u64) {
        match eval_int(program, exprs, index).ok().and_then(|n| u64::try_from(n).ok()) {
            Some(n) if n.saturating_mul(stride) < 1 << 31 => self.offset += n * stride,
            _ => self.terms.push((index, stride)),
        }
    }

    /// Goes on to what an expression selects of it, if it does.
    fn select(&mut self, program: &Program, exprs: &ExprArena, by: ExprId) -> bool {
        if let Some(list) = &self.components {
            return self.select_component(program, exprs, by, list.clone());
        }
        let scalar = |layout: &TypeLayout| program.types.component(layout.ty);
        match (&self.layout.detail, &exprs[by].kind) {
            (Detail::Struct(fields), ExprKind::Field(base, i)) if *base == self.top => {
                let Some(field) = fields.get(*i as usize).cloned() else { return false };
                self.offset += field.offset.get(Unit::Bytes);
                self.layout = field.layout;
            }
            (Detail::Array { element, stride, .. }, ExprKind::Index(base, i)) if *base == self.top => {
                let (element, stride) = (TypeLayout::clone(element), stride.get(Unit::Bytes));
                self.step(program, exprs, *i, stride);
                self.layout = element;
            }
            (Detail::Plain, ExprKind::Index(base, i)) if *base == self.top => {
                let Some(s) = scalar(&self.layout) else { return false };
                self.step(program, exprs, *i, s.size().into());
                self.layout = TypeLayout { ty: exprs[by].ty, align: s.size(), ..self.layout.clone() };
            }
            (Detail::Plain, ExprKind::Swizzle(base, swizzle)) if *base == self.top => {
                let Some(s) = scalar(&self.layout) else { return false };
                match swizzle.list() {
                    [one] => {
                        self.offset += u64::from(*one) * u64::from(s.size());
                        self.layout = TypeLayout { ty: exprs[by].ty, align: s.size(), ..self.layout.clone() };
                    }
                    list => self.components = Some(list.iter().map(|c| u64::from(*c) * u64::from(s.size())).collect()),
                }
            }
            (Detail::Matrix { stride, order }, ExprKind::Index(base, i)) if *base == self.top => {
                let Type::Matrix(s, _, columns) = program.types.get(self.layout.ty) else { return false };
                let (distance, size) = (u64::from(*stride), u64::from(s.size()));
                match order {
                    MatrixOrder::Row => {
                        self.step(program, exprs, *i, distance);
                        let detail = Detail::Plain;
                        self.layout = TypeLayout { ty: exprs[by].ty, align: s.size(), detail, ..self.layout.clone() };
                    }
                    MatrixOrder::Column => {
                        self.step(program, exprs, *i, size);
                        self.components = Some((0..u64::from(columns)).map(|c| c * distance).collect());
                        self.apart = Some(distance);
                    }
                }
            }
            (Detail::Matrix { stride, order }, ExprKind::MatrixSwizzle(base, list)) if *base == self.top => {
                let Some(s) = scalar(&self.layout) else { return false };
                let bytes = list.iter().map(|(r, c)| bits::element_offset(*order, *stride, s, *r, *c));
                self.components = Some(bytes.collect());
            }
            _ => return false,
        }
        true
    }

    /// Goes on to components of a row that lies apart.
    fn select_component(&mut self, program: &Program, exprs: &ExprArena, by: ExprId, list: Vec<u64>) -> bool {
        let Some(distance) = self.apart else { return false };
        match &exprs[by].kind {
            ExprKind::Index(base, i) if *base == self.top => {
                self.step(program, exprs, *i, distance);
                self.components = Some(vec![0]);
            }
            ExprKind::Swizzle(base, swizzle) if *base == self.top => {
                let chosen = swizzle.list().iter().filter_map(|c| list.get(usize::from(*c)).copied());
                self.components = Some(chosen.collect());
            }
            _ => return false,
        }
        self.apart = None;
        true
    }
}
