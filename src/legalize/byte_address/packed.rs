//! Structured buffers with integers of widths that the target lacks are buffers of words, too.
//!
//! Before: `StructuredBuffer<int16_t4> a;   int16_t4 v = a[i];                              result[i].xy = v.xy;`
//! After:  `StructuredBuffer<uint> a;       int16_t4 v = int16_t4(a[2 * i], a[2 * i] >> 16, ...);   result[2 * i] = ...;`
//!
//! Elements lie where the layout of the buffer has them. Where views say how far they are apart, an element of more than a word is a
//! struct of its words. Arguments that are passed by reference go through a variable.
//!
//! Before: `struct M { uint8_t2 a; uint16_t b; uint c; }   StructuredBuffer<M> m;         m[i].a.y`
//! After:  `struct M_words { uint words[2]; }              StructuredBuffer<M_words> m;   m[i].words[0] >> 8 & 0xFF`

use super::{Address, WordAccess};
use crate::layout::Layouter;
use crate::layout::rules::round_up;
use crate::legalize::Context;
use crate::legalize::data_parts::Part;
use crate::legalize::hoist::{Mark, Marks, temporary_name};
use crate::legalize::lower_properties::mark_for_repetition;
use crate::legalize::narrow_integers::is_narrow;
use crate::legalize::references::{self, ByReference};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::analyses::is_trivial;
use crate::tree::{
    BinaryOp, Body, BufferKind, Build, Effects, Expr, ExprArena, ExprId, ExprKind, Field, Item, Program, Scalar, Stmt,
    StmtKind, Struct, Type, TypeId, Types,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The types of buffers that are to be ones of words, each with the type of what is in place of its elements: words, or structs of them.
#[derive(Default)]
pub(super) struct Packed(FxHashMap<TypeId, TypeId>);

impl Packed {
    /// The buffers of a program; declares the structs of words.
    pub(super) fn find(cx: &mut Context) -> Packed {
        let is_concerned = |ty: &TypeId| match cx.program.types.get(*ty) {
            Type::Buffer(BufferKind::Structured(_), _, element) => is_narrow(cx.program, cx.profile, element),
            _ => false,
        };
        let types: Vec<TypeId> = cx.program.types.ids().filter(is_concerned).collect();
        let mut structs = FxHashMap::default();
        let mut packed = Packed::default();
        for ty in types {
            let Type::Buffer(_, _, element) = cx.program.types.get(ty) else { continue };
            // With byte-address buffers there are views of structured ones, which say how far their elements are apart.
            let of_words = !cx.profile.has(Capability::ByteAddressBuffers) || is_word(cx.program, element);
            let stride = stride_of(cx, element);
            if of_words {
                packed.0.insert(ty, TypeId::UINT);
            } else if stride.is_multiple_of(4) {
                let words = *structs.entry(element).or_insert_with(|| declare(cx.program, element, stride / 4));
                packed.0.insert(ty, words);
            }
        }
        packed
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has(&self, ty: TypeId) -> bool {
        self.0.contains_key(&ty)
    }

    /// The type that a buffer gets.
    pub(super) fn buffer(&self, types: &mut Types, ty: TypeId) -> Option<TypeId> {
        match (types.get(ty), self.0.get(&ty)) {
            (Type::Buffer(kind, access, _), Some(element)) => Some(types.intern(Type::Buffer(kind, access, *element))),
            _ => None,
        }
    }

    /// The struct of words that is in place of the elements of a buffer.
    fn structure(&self, ty: TypeId) -> Option<TypeId> {
        self.0.get(&ty).copied().filter(|element| *element != TypeId::UINT)
    }
}

/// The bytes from an element of a structured buffer to the next.
fn stride_of(cx: &Context, element: TypeId) -> u64 {
    let settings = &cx.layout.settings;
    let layouter = Layouter { program: cx.program, settings };
    let layout = layouter.contents(element, settings.rules.structured, cx.program.default_matrix_order);
    round_up(layout.size(), layout.align.into())
}

/// A struct of as many words, declared before what uses it.
fn declare(program: &mut Program, element: TypeId, count: u64) -> TypeId {
    let name = format!("{}_words", program.type_name(element));
    let structure = if let Type::Struct(id) = program.types.get(element) { Some(id) } else { None };
    let span = structure.map_or(Span::default(), |id| program.structs[id].span);
    let words = program.types.array(TypeId::UINT, Some(u32::try_from(count).unwrap_or(u32::MAX)));
    let id = program.structs.push(Struct::new(name.as_str(), vec![Field::new("words", words, span)], span));
    let first = program.items.iter().next().copied();
    program.items.put_before(first, Item::Struct(id));
    program.types.intern(Type::Struct(id))
}

/// Whether a number or vector is no larger than a word.
fn is_word(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Scalar(s) => s.size() <= 4,
        Type::Vector(s, n) => s.size() * u32::from(n) <= 4,
        _ => false,
    }
}

/// Calls that give elements of such buffers name them, and those that count elements count no words.
pub(super) fn name_elements(cx: &mut Context, packed: &Packed, body: &mut Body) {
    for id in body.expressions() {
        let ExprKind::Call(function, args) = &body.exprs[id].kind else { continue };
        let function = &cx.program.functions[*function];
        let Some(buffer) = args.first().copied().filter(|buffer| packed.has(body.exprs[*buffer].ty)) else { continue };
        let Type::Buffer(_, _, element) = cx.program.types.get(body.exprs[buffer].ty) else { continue };
        let is_of_structs = packed.structure(body.exprs[buffer].ty).is_some();
        match args.as_slice() {
            [_, index] if function.is_marked("__element") => body.exprs[id].kind = ExprKind::Index(buffer, *index),
            [_, _, _] if function.is_marked("__element") => {
                let message = format!("{} has no status for an element that it stores in parts", cx.profile.name);
                cx.unsupported(body.exprs[id].span, message);
            }
            _ if function.is_marked("__element_count") && !is_of_structs => {
                let stride = stride_of(cx, element);
                count_elements(cx, &mut body.exprs, id, stride);
            }
            _ => {}
        }
    }
}

/// Makes a number of words one of elements.
fn count_elements(cx: &mut Context, exprs: &mut ExprArena, id: ExprId, stride: u64) {
    let Expr { ty, span, .. } = exprs[id];
    if stride == 4 {
        return;
    }
    if ty == TypeId::VOID {
        let message = format!("{} counts no elements of less than 4 bytes", cx.profile.name);
        return cx.unsupported(span, message);
    }
    let words = exprs.displace(id);
    let mut b = Build::new(&mut cx.program.types, exprs, span);
    let (times, by) = match (stride, stride.is_multiple_of(4)) {
        (_, true) => (1, stride / 4),
        (1 | 2, _) => (4 / stride, 1),
        _ => (4, stride),
    };
    let mut count = words;
    for (op, number) in [(BinaryOp::Mul, times), (BinaryOp::Div, by)].into_iter().filter(|(_, n)| *n > 1) {
        let number = b.uint(u32::try_from(number).unwrap_or(u32::MAX));
        count = b.binary(op, count, number);
    }
    exprs.replace_by(id, count);
}

/// Has variables passed by reference instead of parts of elements.
pub(super) fn copy_references(
    program: &mut Program,
    packed: &Packed,
    effects: &Effects,
    body: &mut Body,
    by_reference: &ByReference,
) {
    references::copy(program, effects, body, by_reference, &mut |_, body, place| {
        // A word is a place of its own, which may be atomic.
        let is_word = body.exprs[place].ty == TypeId::UINT;
        !is_word && body.exprs.way_to_base(place).any(|id| is_element(packed, &body.exprs, id))
    });
}

/// Marks indices, which will be written several times.
pub(super) fn mark(program: &Program, packed: &Packed, body: &Body, marks: &mut Marks) {
    let live = body.expressions();
    let parents = body.exprs.parents(&live);
    for id in live {
        if !is_element(packed, &body.exprs, id) {
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
pub(super) fn mark_values(program: &mut Program, packed: &Packed, body: &mut Body) -> Marks {
    let mut marks = Marks::default();
    let live = body.expressions();
    let parents = body.exprs.parents(&live);
    for id in live {
        if !is_element(packed, &body.exprs, id) {
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
        // What it reads may be in the words that are cleared before they are set.
        let reads = body.exprs.any_part(value, |id| is_element(packed, &body.exprs, id));
        if reads || !is_trivial(&body.exprs, value) {
            marks.insert(value, Mark::Value(temporary_name(program, body, value)));
        }
    }
    marks
}

/// Whether an expression is an element of such a buffer.
fn is_element(packed: &Packed, exprs: &ExprArena, id: ExprId) -> bool {
    matches!(exprs[id].kind, ExprKind::Index(base, _) if packed.has(exprs[base].ty))
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
            if !self.packed.has(exprs[buffer].ty) {
                continue;
            }
            let settings = &self.cx.layout.settings;
            let layouter = Layouter { program: self.cx.program, settings };
            let layout = layouter.contents(element, settings.rules.structured, self.cx.program.default_matrix_order);
            let stride = round_up(layout.size(), layout.align.into());
            // A struct of words is an element by itself.
            let is_structure = self.packed.structure(exprs[buffer].ty).is_some();
            let mut part = Part::new(id, if is_structure { id } else { buffer }, layout);
            if !is_structure {
                part.step(self.cx.program, exprs, index, stride);
            }
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
        let buffer = self.words_of(part.base);
        Address { buffer, word, offset: part.offset, in_bytes: unit == 1 }
    }

    /// The words of a buffer, or of an element.
    fn words_of(&mut self, base: ExprId) -> ExprId {
        let words = self.body.exprs.duplicate(base);
        let Expr { ty, ref kind, .. } = self.body.exprs[words];
        let element = if let ExprKind::Index(buffer, _) = *kind { Some(buffer) } else { None };
        let structure = element.and_then(|buffer| Some((buffer, self.packed.structure(self.body.exprs[buffer].ty)?)));
        let types = &mut self.cx.program.types;
        // Its elements are words from here on.
        let buffer = structure.map_or(words, |(buffer, _)| buffer);
        let of = structure.map_or(ty, |(buffer, _)| self.body.exprs[buffer].ty);
        if let Some(other) = self.packed.buffer(types, of) {
            self.body.exprs[buffer].ty = other;
        }
        let Some((_, structure)) = structure else { return words };
        self.body.exprs[words].ty = structure;
        let list = self.cx.program.field_type(structure, 0).unwrap_or(TypeId::UINT);
        self.build(words).field(words, 0, list)
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
