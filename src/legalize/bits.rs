//! Scalars out of the words that hold their bits, and into them.

use crate::stdlib::Operation;
use crate::tree::{BinaryOp, Build, ExprId, ExprKind, MatrixOrder, Scalar, TypeId};

/// The scalar in a word: of 4 bytes, or in the low bits of it. Nothing for types that are not held so.
pub(super) fn of_word(b: &mut Build, language: &str, word: ExprId, s: Scalar) -> Option<ExprId> {
    let ty = b.types.scalar(s);
    match s {
        Scalar::U32 => Some(word),
        Scalar::F32 | Scalar::MinF16 | Scalar::MinF10 => {
            let float = b.native(Operation::BitsToFloat.spelling(language).clone(), vec![word], TypeId::FLOAT);
            Some(b.convert(float, ty))
        }
        Scalar::F16 => {
            let float = b.native(Operation::BitsToHalf.spelling(language).clone(), vec![word], TypeId::FLOAT);
            Some(b.convert(float, ty))
        }
        _ if s.size() > 4 || s.is_float() => None,
        _ => Some(b.convert(word, ty)),
    }
}

/// The word of a scalar of 4 bytes, or that has a smaller one in its low bits and is 0 above.
pub(super) fn to_word(b: &mut Build, language: &str, value: ExprId, s: Scalar) -> Option<ExprId> {
    let operation = match s {
        Scalar::F32 | Scalar::MinF16 | Scalar::MinF10 => Operation::FloatToBits,
        Scalar::F16 => Operation::HalfToBits,
        _ if s.size() > 4 => return None,
        // Conversion repeats the sign.
        Scalar::I8 | Scalar::I16 => {
            let word = b.convert(value, TypeId::UINT);
            let low = b.uint(if s == Scalar::I8 { 0xFF } else { 0xFFFF });
            return Some(b.binary(BinaryOp::BitAnd, word, low));
        }
        _ => return Some(b.convert(value, TypeId::UINT)),
    };
    let float = b.convert(value, TypeId::FLOAT);
    Some(b.native(operation.spelling(language).clone(), vec![float], TypeId::UINT))
}

/// The scalar of 8 bytes in two words, the lower one first.
pub(super) fn of_two_words(b: &mut Build, language: &str, words: (ExprId, ExprId), s: Scalar) -> Option<ExprId> {
    let (low, high) = words;
    let ty = b.types.scalar(s);
    if s.is_float() {
        return Some(b.native(Operation::WordsToDouble.spelling(language).clone(), vec![low, high], ty));
    }
    let wide = b.types.scalar(Scalar::U64);
    let (low, high) = (b.convert(low, wide), b.convert(high, wide));
    let distance = b.uint(32);
    let high = b.add(ExprKind::Binary(BinaryOp::Shl, high, distance), wide);
    let bits = b.binary(BinaryOp::BitOr, low, high);
    Some(b.convert(bits, ty))
}

/// Where an element of a matrix lies in it, of vectors that lie `stride` bytes apart.
pub(super) fn element_offset(order: MatrixOrder, stride: u32, s: Scalar, row: u8, column: u8) -> u64 {
    let (major, minor) = if order == MatrixOrder::Row { (row, column) } else { (column, row) };
    u64::from(major) * u64::from(stride) + u64::from(minor) * u64::from(s.size())
}
