//! Values of less than 4 bytes in byte-address buffers that are made of words.
//!
//! Before: `bytes.Load<half>(a)`                                  `bytes.Store<Pair>(8 * i, pair)`
//! After:  `f16tof32(bytes[a >> 2] >> ((a & 2) * 8))`              `bytes[8 * i >> 2] = a | (b << 16)`
//!
//! A store must not touch the bytes of others, which another invocation may write at the same time. A word whose bytes
//! are all written is stored. The rest of a word belongs to the value if it has members of 4 bytes and more, which
//! make it begin and end with a word; the word is then read, and written with what it had there. Otherwise the bits are
//! cleared and set by two atomic operations, which leave the rest of the word alone.

use super::{Address, WordAccess};
use crate::check::constant::eval_int;
use crate::layout::{Layouter, rules};
use crate::legalize::Context;
use crate::legalize::helpers::Helpers;
use crate::symbol::Symbol;
use crate::tree::{
    BinaryOp, Body, Build, ExprArena, ExprId, ExprKind, FunctionId, Literal, Program, Scalar, TypeId, UnaryOp,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A part of a word that is stored.
pub(super) struct WordPart {
    /// In bytes from the beginning of the value.
    pub(super) offset: u64,
    /// In bytes.
    pub(super) size: u32,
    /// The bits, in the low ones of a word.
    pub(super) bits: ExprId,
}

/// Finds the calls whose value may begin anywhere in a word. These get the address in place of the word's number.
pub(super) fn anywhere(cx: &Context, body: &mut Body, functions: &FxHashMap<FunctionId, bool>) -> FxHashSet<ExprId> {
    let mut found = FxHashSet::default();
    for id in body.expressions() {
        let ExprKind::Call(f, args) = &body.exprs[id].kind else { continue };
        let (ty, at) = match (functions.get(f), args.as_slice()) {
            (Some(false), [_, _, word]) => (body.exprs[id].ty, *word),
            (Some(true), [_, word, value]) => (body.exprs[*value].ty, *word),
            _ => continue,
        };
        let layouter = Layouter { program: cx.program, settings: &cx.layout.settings };
        let layout = layouter.layout(ty, &rules::D3D_STRUCTURED, cx.program.default_matrix_order);
        let ExprKind::Binary(BinaryOp::Shr, address, _) = body.exprs[at].kind else { continue };
        if layout.align < 4 && !begins_word(cx.program, &body.exprs, address) {
            body.exprs.replace_by(at, address);
            found.insert(id);
        }
    }
    found
}

/// Whether an address is written as a multiple of 4.
fn begins_word(program: &Program, exprs: &ExprArena, address: ExprId) -> bool {
    let number = |id: ExprId| eval_int(program, exprs, id).ok();
    if let Some(number) = number(address) {
        return number % 4 == 0;
    }
    match exprs[address].kind {
        ExprKind::Binary(BinaryOp::Mul, a, b) => begins_word(program, exprs, a) || begins_word(program, exprs, b),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
            begins_word(program, exprs, a) && begins_word(program, exprs, b)
        }
        ExprKind::Binary(BinaryOp::Shl, _, distance) => number(distance).is_some_and(|d| (2..32).contains(&d)),
        ExprKind::Binary(BinaryOp::BitAnd, _, mask) => number(mask).is_some_and(|m| m % 4 == 0),
        // Numbers of 32 bits are one another's bits.
        ExprKind::Convert(inner, _) => {
            let is_word = |id: ExprId| matches!(exprs[id].ty, TypeId::INT | TypeId::UINT);
            is_word(inner) && is_word(address) && begins_word(program, exprs, inner)
        }
        _ => false,
    }
}

impl WordAccess<'_, '_, '_> {
    /// A word that has a scalar in its low bits.
    pub(super) fn low_bits(&mut self, s: Scalar, place: Address) -> ExprId {
        if place.in_bytes {
            return self.low_bits_anywhere(s, place);
        }
        let word = self.word(place);
        match place.offset % 4 {
            0 => word,
            bytes => {
                let mut b = self.build(word);
                let distance = b.uint(bytes as u32 * 8);
                b.binary(BinaryOp::Shr, word, distance)
            }
        }
    }

    fn low_bits_anywhere(&mut self, s: Scalar, place: Address) -> ExprId {
        let buffer = self.body.exprs.duplicate(place.buffer);
        let address = self.address(place);
        let mut b = self.build(place.word);
        if let ExprKind::Literal(Literal::Int(address), _) = b.exprs[address].kind {
            let address = address as u32;
            let index = b.uint(address >> 2);
            let word = b.index(buffer, index);
            let distance = b.uint(address % 4 * 8);
            return if address.is_multiple_of(4) { word } else { b.binary(BinaryOp::Shr, word, distance) };
        }
        let two = b.uint(2);
        let again = b.exprs.duplicate(address);
        let index = b.binary(BinaryOp::Shr, address, two);
        let word = b.index(buffer, index);
        let distance = distance(&mut b, again, s.size());
        b.binary(BinaryOp::Shr, word, distance)
    }

    /// Assigns the words of which parts were stored; `owned`: the value begins and ends with a word.
    pub(super) fn store_parts(&mut self, place: Address, owned: bool, value: ExprId, out: &mut Vec<ExprId>) {
        let mut parts = std::mem::take(&mut self.parts);
        parts.sort_by_key(|p| p.offset);
        if place.in_bytes {
            parts.into_iter().for_each(|part| self.store_anywhere(place, part, value, out));
            return;
        }
        for parts in parts.chunk_by(|a, b| a.offset / 4 == b.offset / 4) {
            let written: u32 = parts.iter().map(|p| ((1_u32 << (p.size * 8)) - 1) << (p.offset % 4 * 8)).sum();
            let Some(first) = parts.first() else { continue };
            let word = self.word(Address { offset: first.offset / 4 * 4, ..place });
            let shared = written != u32::MAX && !owned;
            let mut bits = None;
            if written != u32::MAX && owned {
                let old = self.body.exprs.duplicate(word);
                let mut b = self.build(value);
                let rest = b.uint(!written);
                bits = Some(b.binary(BinaryOp::BitAnd, old, rest));
            }
            for part in parts {
                let mut b = self.build(value);
                let shifted = match part.offset % 4 {
                    0 => part.bits,
                    bytes => {
                        let distance = b.uint(bytes as u32 * 8);
                        b.binary(BinaryOp::Shl, part.bits, distance)
                    }
                };
                bits = Some(match bits {
                    Some(bits) => b.binary(BinaryOp::BitOr, bits, shifted),
                    None => shifted,
                });
            }
            let Some(bits) = bits else { continue };
            if shared {
                let rest = self.build(value).add(hexadecimal(!written), TypeId::UINT);
                self.change(word, rest, bits, value, out);
            } else {
                let assign = self.build(value).assign(word, bits);
                out.push(assign);
            }
        }
    }

    /// Changes a part of a word at an address in bytes: the others are left alone.
    fn store_anywhere(&mut self, place: Address, part: WordPart, value: ExprId, out: &mut Vec<ExprId>) {
        let buffer = self.body.exprs.duplicate(place.buffer);
        let address = self.address(Address { offset: part.offset, ..place });
        let again = self.body.exprs.duplicate(address);
        let mut b = self.build(value);
        let ones = (1_u32 << (part.size * 8)) - 1;
        let (word, rest, bits) = match b.exprs[address].kind {
            ExprKind::Literal(Literal::Int(address), _) => {
                let (index, distance) = (b.uint(address as u32 >> 2), address as u32 % 4 * 8);
                let word = b.index(buffer, index);
                let rest = b.add(hexadecimal(!(ones << distance)), TypeId::UINT);
                let distance = b.uint(distance);
                (word, rest, b.binary(BinaryOp::Shl, part.bits, distance))
            }
            _ => {
                let two = b.uint(2);
                let index = b.binary(BinaryOp::Shr, address, two);
                let word = b.index(buffer, index);
                let distance = distance(&mut b, again, part.size);
                let (ones, again) = (b.add(hexadecimal(ones), TypeId::UINT), b.exprs.duplicate(distance));
                let mask = b.binary(BinaryOp::Shl, ones, again);
                let rest = b.add(ExprKind::Unary(UnaryOp::BitNot, mask), TypeId::UINT);
                (word, rest, b.binary(BinaryOp::Shl, part.bits, distance))
            }
        };
        self.change(word, rest, bits, value, out);
    }

    /// Keeps some bits of a word and sets others. Who writes other bits of it meanwhile is not disturbed.
    fn change(&mut self, word: ExprId, rest: ExprId, bits: ExprId, value: ExprId, out: &mut Vec<ExprId>) {
        let again = self.body.exprs.duplicate(word);
        for (name, word, operand) in [("keep_bits", word, rest), ("set_bits", again, bits)] {
            if self.helpers.is_none() {
                *self.helpers = Some(Helpers::new(self.cx));
            }
            let helper = self.helpers.as_mut().and_then(|helpers| helpers.function(self.cx.program, name));
            let Some(function) = helper else { continue };
            let call = self.build(value).call(function, vec![word, operand], TypeId::VOID);
            out.push(call);
        }
    }

    /// An address in bytes.
    fn address(&mut self, place: Address) -> ExprId {
        let address = self.body.exprs.duplicate(place.word);
        let mut b = self.build(place.word);
        if place.offset == 0 {
            return address;
        }
        if let ExprKind::Literal(Literal::Int(first), _) = b.exprs[address].kind {
            return b.uint((first as u32).wrapping_add(place.offset as u32));
        }
        let step = b.uint(place.offset as u32);
        b.binary(BinaryOp::Add, address, step)
    }
}

/// How far up in its word a number at an address in bytes is, which is a multiple of its size.
fn distance(b: &mut Build, address: ExprId, size: u32) -> ExprId {
    let (mask, eight) = (b.uint(4 - size), b.uint(8));
    let bytes = b.binary(BinaryOp::BitAnd, address, mask);
    b.binary(BinaryOp::Mul, bytes, eight)
}

fn hexadecimal(word: u32) -> ExprKind {
    ExprKind::Literal(Literal::Int(word.into()), Some(Symbol::new(&format!("0x{word:X}"))))
}
