//! Byte-address buffers become buffers of words.
//!
//! Before: `ByteAddressBuffer bytes;          bytes.Load<Light>(a)`
//! After:  `StructuredBuffer<uint> bytes;     Light(asfloat(bytes[a >> 2]), asfloat(bytes[(a >> 2) + 1]), ...)`
//!
//! The library spells everything but structs, arrays and matrices by itself; those are the calls marked `[__words]`
//! (`load(this, kind, word)`, `store(this, word, value)`, where `word` is written `address >> 2`).
//!
//! Values of less than 4 bytes are parts of words ([`narrow`]); what is atomic on 64 bits has a buffer of its own ([`wide`]).
//!
//! The bytes lie as those of structured buffers in D3D, which is what HLSL defines.

mod narrow;
mod packed;
mod wide;

use super::bits;
use super::helpers::Helpers;
use super::hoist;
use super::lower_properties::mark_for_repetition;
use super::needs::Find;
use super::storage::MOST_COPIED;
use super::{Context, Pass, references};
use crate::check::constant::eval_int;
use crate::layout::{Detail, Layouter, TypeLayout, Unit, rules};
use crate::stdlib::Operation;
use crate::target::Capability;
use crate::tree::{
    BinaryOp, Body, BufferKind, Build, DataLayout, ExprId, ExprKind, FunctionId, GlobalId, Literal, Scalar, Stmt,
    StmtKind, Type, TypeId,
};
use packed::Packed;
use rustc_hash::{FxHashMap, FxHashSet};

/// The attribute of builtins that load or store words of a byte-address buffer.
pub(super) const WORDS: &str = "__words";

pub(super) const PASS: Pass = Pass {
    name: "byte_address",
    removes: &[(
        Capability::ByteAddressBuffers,
        Find::Parameter(|_, _, t| matches!(t, Type::Buffer(BufferKind::ByteAddress, ..))),
    )],
    lessens: &[Capability::Int16, Capability::Int8],
    // A word that a field shares with others is not of the field's type.
    adds: &[Capability::PlainlyAccessedAtomics, Capability::ConvertedOutArguments, Capability::ConvertedOutMatrices],
    // Elements of typed buffers are packed like others.
    after: &["inline_builtins", "split_resources", "texel_buffers"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    // Where byte-address buffers are buffers of the target, only elements of structured ones are packed.
    let stay = cx.profile.has(Capability::ByteAddressBuffers);
    let packed = Packed::find(cx);
    if stay && packed.is_empty() {
        return;
    }
    let wide = if stay { FxHashSet::default() } else { wide::declare(cx) };
    let marked = cx.program.functions.iter().filter(|(_, f)| !stay && f.is_marked(WORDS));
    // A load gives a value, a store does not.
    let functions: FxHashMap<FunctionId, bool> = marked.map(|(id, f)| (id, f.result == TypeId::VOID)).collect();
    let effects = cx.effects();
    let mut helpers = None;
    let by_reference = references::by_reference(cx.program);
    cx.each_body(&mut |cx, _, body| {
        packed::name_elements(cx, &packed, body);
        packed::copy_references(cx.program, &packed, &effects, body, &by_reference);
        let anywhere = narrow::anywhere(cx, body, &functions);
        fold_addresses(cx, body, &functions, &wide);
        let mut marks = hoist::Marks::default();
        for id in body.expressions() {
            if let ExprKind::Call(f, args) = &body.exprs[id].kind
                && let Some(&store) = functions.get(f)
            {
                // What says the type of a load is not used.
                let used = args.iter().enumerate().filter(|(i, _)| store || *i != 1).map(|(_, a)| *a);
                used.for_each(|a| mark_for_repetition(cx.program, body, a, &mut marks));
            }
        }
        packed::mark(cx.program, &packed, body, &mut marks);
        hoist::hoist(cx.program, &effects, body, marks);
        let values = packed::mark_values(cx.program, &packed, body);
        hoist::hoist(cx.program, &effects, body, values);
        let (helpers, packed) = (&mut helpers, &packed);
        let mut words = WordAccess { cx, body, helpers, packed, anywhere, parts: Vec::new(), copied: 0 };
        words.loads(&functions);
        words.stores(&functions);
        words.packed_elements();
    });
    if let Some(helpers) = helpers {
        helpers.list(cx.program);
    }
    cx.program.map_types(&mut |types, ty| match types.get(ty) {
        Type::Buffer(BufferKind::ByteAddress, access, t) if !stay => {
            types.intern(Type::Buffer(BufferKind::Structured(DataLayout::Default), access, t))
        }
        _ => packed.buffer(types, ty).unwrap_or(ty),
    });
}

/// Numbers of words that are known are written as numbers, if no macro of the source says them.
fn fold_addresses(cx: &Context, body: &mut Body, functions: &FxHashMap<FunctionId, bool>, wide: &FxHashSet<GlobalId>) {
    for id in body.expressions() {
        let words: Vec<ExprId> = match &body.exprs[id].kind {
            ExprKind::Index(buffer, word) => match cx.program.types.get(body.exprs[*buffer].ty) {
                Type::Buffer(BufferKind::ByteAddress, ..) => vec![*word],
                _ => match body.exprs[body.exprs.base(*buffer)].kind {
                    ExprKind::Global(g) if wide.contains(&g) => vec![*word],
                    _ => continue,
                },
            },
            ExprKind::Call(f, args) => match functions.get(f) {
                Some(store) => args.get(if *store { 1 } else { 2 }).copied().into_iter().collect(),
                None => continue,
            },
            _ => continue,
        };
        for word in words {
            let is_named = |part: ExprId| body.exprs[part].span.file.is_named();
            if body.exprs.any_part(word, is_named) {
                continue;
            }
            if matches!(body.exprs[word].kind, ExprKind::Binary(BinaryOp::Shr, ..))
                && let Ok(number) = eval_int(cx.program, &body.exprs, word)
            {
                body.exprs[word].kind = ExprKind::Literal(Literal::Int(number), None);
            }
        }
    }
}

struct WordAccess<'a, 'b, 'c> {
    cx: &'a mut Context<'c>,
    body: &'b mut Body,
    /// The functions of the library that are called.
    helpers: &'b mut Option<Helpers>,
    packed: &'b Packed,
    /// Calls whose value may begin in the middle of a word, which have the address in bytes in place of the word's number.
    anywhere: FxHashSet<ExprId>,
    /// Parts of words that the store at hand writes.
    parts: Vec<narrow::WordPart>,
    /// Elements of arrays that are copied one by one.
    copied: u32,
}

/// An address in the buffer: the buffer, the first word (or byte), and bytes from there.
#[derive(Clone, Copy)]
struct Address {
    buffer: ExprId,
    word: ExprId,
    offset: u64,
    /// `word` is an address in bytes.
    in_bytes: bool,
}

impl WordAccess<'_, '_, '_> {
    fn layout(&self, ty: TypeId) -> TypeLayout {
        let layouter = Layouter { program: self.cx.program, settings: &self.cx.layout.settings };
        layouter.layout(ty, &rules::D3D_STRUCTURED, self.cx.program.default_matrix_order)
    }

    fn build(&mut self, at: ExprId) -> Build<'_> {
        let span = self.body.exprs[at].span;
        Build::new(&mut self.cx.program.types, &mut self.body.exprs, span)
    }

    fn loads(&mut self, functions: &FxHashMap<FunctionId, bool>) {
        for id in self.body.expressions() {
            let ExprKind::Call(f, args) = self.body.exprs[id].kind.clone() else { continue };
            let (Some(false), [buffer, _, word]) = (functions.get(&f), args.as_slice()) else { continue };
            let ty = self.body.exprs[id].ty;
            let layout = self.layout(ty);
            let in_bytes = self.anywhere.contains(&id);
            let value = self.load(&layout, Address { buffer: *buffer, word: *word, offset: 0, in_bytes });
            self.body.exprs.replace_by(id, value);
        }
    }

    /// Counts elements that are copied one by one; reports more than [`MOST_COPIED`] in all.
    fn note_copied(&mut self, count: u32, near: ExprId) -> bool {
        let before = self.copied;
        self.copied = before.saturating_add(count);
        if before <= MOST_COPIED && self.copied > MOST_COPIED {
            let span = self.body.exprs[near].span;
            self.cx.unsupported(
                span,
                format!("a copy of more than {MOST_COPIED} elements of arrays in bytes, one by one"),
            );
        }
        self.copied <= MOST_COPIED
    }

    /// The word that holds a place.
    fn word(&mut self, place: Address) -> ExprId {
        let buffer = self.body.exprs.duplicate(place.buffer);
        let mut index = self.body.exprs.duplicate(place.word);
        let mut b = self.build(place.word);
        if place.offset >= 4
            && let ExprKind::Literal(Literal::Int(first), _) = b.exprs[index].kind
        {
            b.exprs[index].kind = ExprKind::Literal(Literal::Int(first.wrapping_add((place.offset / 4) as i64)), None);
        } else if place.offset >= 4 {
            let step = b.uint((place.offset / 4) as u32);
            index = b.binary(BinaryOp::Add, index, step);
        }
        b.index(buffer, index)
    }

    fn load(&mut self, layout: &TypeLayout, place: Address) -> ExprId {
        let ty = layout.ty;
        let at = |offset: u64| Address { offset: place.offset + offset, ..place };
        match (&layout.detail, self.cx.program.types.get(ty)) {
            (Detail::Struct(fields), _) => {
                let parts = fields.iter().map(|f| self.load(&f.layout, at(f.offset.get(Unit::Bytes)))).collect();
                self.build(place.word).construct(parts, ty)
            }
            (Detail::Array { element, count: Some(count), stride }, _) => {
                if !self.note_copied(*count, place.word) {
                    return self.build(place.word).add(ExprKind::Zero, ty);
                }
                let step = stride.get(Unit::Bytes);
                let parts = (0..u64::from(*count)).map(|i| self.load(element, at(i * step))).collect();
                self.build(place.word).construct(parts, ty)
            }
            (Detail::Matrix { stride, order }, Type::Matrix(s, rows, columns)) => {
                let elements = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
                let offsets = elements.map(|(r, c)| bits::element_offset(*order, *stride, s, r, c));
                let parts = offsets.map(|offset| self.scalar(s, at(offset))).collect();
                self.build(place.word).construct(parts, ty)
            }
            (_, Type::Vector(s, n)) => {
                let parts = (0..u64::from(n)).map(|i| self.scalar(s, at(i * u64::from(s.size())))).collect();
                self.build(place.word).construct(parts, ty)
            }
            (_, Type::Scalar(s)) => self.scalar(s, place),
            _ => {
                let span = self.body.exprs[place.word].span;
                self.cx.unsupported(span, "a value of this type cannot be loaded from a byte-address buffer here");
                self.build(place.word).add(ExprKind::Zero, ty)
            }
        }
    }

    fn scalar(&mut self, s: Scalar, place: Address) -> ExprId {
        if s.size() == 8 {
            return self.wide_scalar(s, place);
        }
        let language = self.cx.profile.language.name();
        let word = if s.size() == 4 { self.word(place) } else { self.low_bits(s, place) };
        bits::of_word(&mut self.build(word), language, word, s).unwrap_or(word)
    }

    /// A scalar of two words.
    fn wide_scalar(&mut self, s: Scalar, place: Address) -> ExprId {
        let language = self.cx.profile.language.name();
        let low = self.word(place);
        let high = self.word(Address { offset: place.offset + 4, ..place });
        bits::of_two_words(&mut self.build(low), language, (low, high), s).unwrap_or(low)
    }

    fn stores(&mut self, functions: &FxHashMap<FunctionId, bool>) {
        let mut block = std::mem::take(&mut self.body.block);
        block.rewrite(&mut |mut stmt, out| {
            let StmtKind::Expr(root) = stmt.kind else { return out.push(stmt) };
            let ExprKind::Call(f, args) = self.body.exprs[root].kind.clone() else { return out.push(stmt) };
            let (Some(true), [buffer, word, value]) = (functions.get(&f), args.as_slice()) else {
                return out.push(stmt);
            };
            let layout = self.layout(self.body.exprs[*value].ty);
            let mut words = Vec::new();
            let place = Address { buffer: *buffer, word: *word, offset: 0, in_bytes: self.anywhere.contains(&root) };
            self.store(&layout, place, *value, &mut words);
            self.store_parts(place, layout.align >= 4, *value, &mut words);
            let first = out.len();
            out.extend(words.into_iter().map(|e| Stmt::new(StmtKind::Expr(e), stmt.span)));
            stmt.give_comments(out.get_mut(first), true);
        });
        self.body.block = block;
    }

    /// Assignments of the words of a value.
    fn store(&mut self, layout: &TypeLayout, place: Address, value: ExprId, out: &mut Vec<ExprId>) {
        let at = |offset: u64| Address { offset: place.offset + offset, ..place };
        match (&layout.detail, self.cx.program.types.get(layout.ty)) {
            (Detail::Struct(fields), _) => {
                for (index, field) in (0..).zip(fields) {
                    let copy = self.body.exprs.duplicate(value);
                    let part = self.build(value).field(copy, index, field.layout.ty);
                    self.store(&field.layout, at(field.offset.get(Unit::Bytes)), part, out);
                }
            }
            (Detail::Array { element, count: Some(count), stride }, _) => {
                if !self.note_copied(*count, value) {
                    return;
                }
                for i in 0..*count {
                    let copy = self.body.exprs.duplicate(value);
                    let part = self.build(value).at(copy, i);
                    self.store(element, at(u64::from(i) * stride.get(Unit::Bytes)), part, out);
                }
            }
            (Detail::Matrix { stride, order }, Type::Matrix(s, rows, columns)) => {
                for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
                    let copy = self.body.exprs.duplicate(value);
                    let mut b = self.build(value);
                    let row = b.at(copy, r.into());
                    let part = b.at(row, c.into());
                    self.store_scalar(at(bits::element_offset(*order, *stride, s, r, c)), part, out);
                }
            }
            (_, Type::Vector(s, n)) => {
                for i in 0..n {
                    let copy = self.body.exprs.duplicate(value);
                    let part = self.build(value).swizzle(copy, &[i]);
                    self.store_scalar(at(u64::from(i) * u64::from(s.size())), part, out);
                }
            }
            _ => self.store_scalar(place, value, out),
        }
    }

    /// The two words of a scalar of 8 bytes.
    fn store_wide(&mut self, place: Address, value: ExprId, s: Scalar, out: &mut Vec<ExprId>) {
        let words = Operation::DoubleToWords.spelling(self.cx.profile.language.name());
        for part in 0..2_u8 {
            let value = self.body.exprs.duplicate(value);
            let mut b = self.build(value);
            let bits = match s.is_float() {
                true => {
                    let pair = b.types.vector(Scalar::U32, 2);
                    let pair = b.native(words.clone(), vec![value], pair);
                    b.swizzle(pair, &[part])
                }
                false => {
                    let ty = b.exprs[value].ty;
                    let distance = b.uint(32);
                    let shifted =
                        if part == 0 { value } else { b.add(ExprKind::Binary(BinaryOp::Shr, value, distance), ty) };
                    b.convert(shifted, TypeId::UINT)
                }
            };
            let word = self.word(Address { offset: place.offset + 4 * u64::from(part), ..place });
            let assign = self.build(value).assign(word, bits);
            out.push(assign);
        }
    }

    fn store_scalar(&mut self, place: Address, value: ExprId, out: &mut Vec<ExprId>) {
        let Type::Scalar(s) = self.cx.program.types.get(self.body.exprs[value].ty) else {
            let span = self.body.exprs[value].span;
            return self.cx.unsupported(span, "a value of this type cannot be stored in a byte-address buffer here");
        };
        if s.size() == 8 {
            return self.store_wide(place, value, s, out);
        }
        let language = self.cx.profile.language.name();
        let Some(bits) = bits::to_word(&mut self.build(value), language, value, s) else { return };
        if s.size() < 4 {
            return self.parts.push(narrow::WordPart { offset: place.offset, size: s.size(), bits });
        }
        let word = self.word(place);
        let assign = self.build(value).assign(word, bits);
        out.push(assign);
    }
}
