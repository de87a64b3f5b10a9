//! What the target cannot have where it lies in a buffer that is only read is read out of rows of four words, or of words.

use super::super::bits;
use super::access::{Access, At};
use super::slot::Bytes;
use crate::layout::{Counts, Detail, TypeLayout, Unit};
use crate::tree::*;

/// A value in rows of words: at `offset` and some indices times their strides.
#[derive(Clone)]
pub(super) struct Words {
    pub(super) rows: ExprId,
    pub(super) offset: u64,
    pub(super) terms: Vec<(ExprId, u64)>,
    pub(super) layout: TypeLayout,
}

impl Words {
    /// What lies at a place in rows of words.
    pub(super) fn new(rows: ExprId, bytes: &Bytes) -> Words {
        Words { rows, offset: bytes.offset, terms: Vec::new(), layout: bytes.layout.clone() }
    }

    /// The largest unit that all distances are multiples of: a row, a word or a byte.
    fn unit(&self) -> u64 {
        let multiples = |unit: u64| self.terms.iter().all(|(_, stride)| stride.is_multiple_of(unit));
        [16, 4].into_iter().find(|unit| multiples(*unit)).unwrap_or(1)
    }
}

impl<'p> Access<'_, 'p> {
    /// A part of what lies in rows of words.
    pub(super) fn select_word(&mut self, words: Words, kind: &ExprKind) -> Option<At<'p>> {
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
                let scalar = self.program.types.component(words.layout.ty)?;
                self.step_words(&mut words, *i, scalar.size().into());
                words.layout = plain(self.program.types.scalar(scalar), scalar.size().into());
            }
            (Detail::Plain, ExprKind::Swizzle(_, s)) => {
                let scalar = self.program.types.component(words.layout.ty)?;
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
                let s = self.program.types.component(words.layout.ty)?;
                let parts =
                    list.iter().map(|(r, c)| self.scalar(&words, s, bits::element_offset(order, stride, s, *r, *c)));
                return Some(At::Parts(parts.collect()));
            }
            _ => return None,
        }
        Some(At::Words(Box::new(words)))
    }

    fn step_words(&mut self, words: &mut Words, index: ExprId, stride: u64) {
        match self.constant(index) {
            Some(n) => words.offset = words.offset.saturating_add(n.saturating_mul(stride)),
            None => words.terms.push((index, stride)),
        }
    }

    /// The value of what lies in rows of words.
    pub(super) fn load_words(&mut self, words: Words) -> ExprId {
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
            (Detail::Array { element, stride, count }, _) => {
                let Some(count) = self.note_copied(count.unwrap_or(0), words.rows) else {
                    return self.build(words.rows).add(ExprKind::Zero, ty);
                };
                (0..u64::from(count))
                    .map(|n| self.load_words(within(element, n.saturating_mul(stride.get(Unit::Bytes)))))
                    .collect()
            }
            (Detail::Matrix { stride, order }, Type::Matrix(s, rows, columns)) => {
                let elements = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
                elements.map(|(r, c)| self.scalar(&words, s, bits::element_offset(*order, *stride, s, r, c))).collect()
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
        let reason = format!(
            "{} has arrays in constant buffers at distances of 16 bytes, and no `{}` can be put together from the bytes of \
             a denser one; use a structured buffer, or another layout of buffers",
            self.profile.name,
            self.program.type_name(ty)
        );
        self.faults.push((span, reason));
        self.build(words.rows).add(ExprKind::Zero, ty)
    }

    /// A scalar out of its word, its two words, or its part of one.
    fn scalar(&mut self, words: &Words, s: Scalar, offset: u64) -> ExprId {
        let offset = words.offset.saturating_add(offset);
        let language = self.profile.language.name();
        let whole = words.unit() >= 4 && offset.is_multiple_of(4);
        let value = match s.size() {
            8 if whole => {
                let pair = (self.word(words, offset), self.word(words, offset.saturating_add(4)));
                bits::of_two_words(&mut self.build(words.rows), language, pair, s)
            }
            4 if whole => {
                let word = self.word(words, offset);
                bits::of_word(&mut self.build(words.rows), language, word, s)
            }
            1 | 2 => {
                let word = self.shifted(words, offset);
                bits::of_word(&mut self.build(words.rows), language, word, s)
            }
            _ => None,
        };
        match value {
            Some(value) => value,
            None => {
                let ty = self.program.types.scalar(s);
                self.unloadable(words, ty)
            }
        }
    }

    /// A word with the value at a byte in its low bits.
    fn shifted(&mut self, words: &Words, offset: u64) -> ExprId {
        let word = self.word(words, offset);
        let mut distance = None;
        if words.unit() >= 4 {
            let bits = offset % 4 * 8;
            distance = (bits > 0).then(|| self.build(words.rows).uint(small(bits)));
        } else if let Some(byte) = self.position(words, offset, 1) {
            let mut b = self.build(words.rows);
            let (three, scale) = (b.uint(3), b.uint(8));
            let part = b.binary(BinaryOp::BitAnd, byte, three);
            distance = Some(b.binary(BinaryOp::Mul, part, scale));
        }
        match distance {
            Some(distance) => self.build(words.rows).binary(BinaryOp::Shr, word, distance),
            None => word,
        }
    }

    /// Where something is, in units of so many bytes, if indices that are only known at run time are in it.
    fn position(&mut self, words: &Words, offset: u64, unit: u64) -> Option<ExprId> {
        let mut sum = None;
        for (term, stride) in &words.terms {
            let term = self.body.exprs.duplicate(*term);
            let mut b = self.build(words.rows);
            let mut term = b.convert(term, TypeId::UINT);
            if *stride > unit {
                let factor = b.uint(small(stride / unit));
                term = b.binary(BinaryOp::Mul, term, factor);
            }
            sum = Some(match sum {
                Some(sum) => b.binary(BinaryOp::Add, sum, term),
                None => term,
            });
        }
        let sum = sum?;
        if offset < unit {
            return Some(sum);
        }
        let mut b = self.build(words.rows);
        let start = b.uint(small(offset / unit));
        Some(b.binary(BinaryOp::Add, sum, start))
    }

    /// The word with a byte: `rows[4][1]`, or with indices that are only known at run time `rows[word >> 2][word & 3]`.
    fn word(&mut self, words: &Words, offset: u64) -> ExprId {
        let ty = self.body.exprs[words.rows].ty;
        if self.program.types.get(ty).element() == Some(TypeId::UINT) {
            return self.single_word(words, offset);
        }
        let unit = words.unit();
        let rows = self.body.exprs.duplicate(words.rows);
        let component = (offset / 4 % 4) as u8;
        let Some(at) = self.position(words, offset, unit) else {
            let mut b = self.build(words.rows);
            let row = b.at(rows, small(offset / 16));
            return b.swizzle(row, &[component]);
        };
        let again = self.body.exprs.duplicate(at);
        let mut b = self.build(words.rows);
        if unit == 16 {
            let row = b.index(rows, at);
            return b.swizzle(row, &[component]);
        }
        let (to_row, to_word) = if unit == 4 { (2, 0) } else { (4, 2) };
        let distance = b.uint(to_row);
        let row = b.binary(BinaryOp::Shr, at, distance);
        let row = b.index(rows, row);
        let mut word = again;
        if to_word > 0 {
            let distance = b.uint(to_word);
            word = b.binary(BinaryOp::Shr, word, distance);
        }
        let three = b.uint(3);
        let component = b.binary(BinaryOp::BitAnd, word, three);
        b.index(row, component)
    }

    /// The word with a byte, where words are no rows.
    fn single_word(&mut self, words: &Words, offset: u64) -> ExprId {
        let unit = words.unit().min(4);
        let rows = self.body.exprs.duplicate(words.rows);
        let at = self.position(words, offset, unit);
        let mut b = self.build(words.rows);
        let Some(at) = at else { return b.at(rows, small(offset / 4)) };
        if unit == 4 {
            return b.index(rows, at);
        }
        let distance = b.uint(2);
        let at = b.binary(BinaryOp::Shr, at, distance);
        b.index(rows, at)
    }
}

fn small(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn plain(ty: TypeId, size: u64) -> TypeLayout {
    let counts = Counts::one(Unit::Bytes, size);
    TypeLayout { ty, counts, align: 4, detail: Detail::Plain }
}
