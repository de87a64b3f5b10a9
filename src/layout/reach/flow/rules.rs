//! What is known of results by what is known of operands: identities, ranges and bits.

use crate::layout::reach::values::Range;
use crate::tree::{BinaryOp, Scalar};

/// What is known of two operands.
pub struct Operands {
    /// They are one value.
    pub same: bool,
    /// Each is the other one's negation.
    pub opposite: bool,
    /// The left is 0 or 1.
    pub left: Option<i64>,
    /// The right is.
    pub right: Option<i64>,
    /// They are integers or bools.
    pub is_int: bool,
}

/// What an operator gives.
#[derive(Clone, Copy)]
pub enum Gives {
    Left,
    Right,
    Number(i64),
}

/// What an operand is.
#[derive(Clone, Copy, PartialEq)]
enum Is {
    Same,
    Opposite,
    Left(i64),
    Right(i64),
}

/// (operator, what the operands are, for integers alone, what comes out). Floats are no NaN and not infinite here, as for DXC,
/// unless they are `precise`.
const IDENTITIES: &[(BinaryOp, Is, bool, Gives)] = &[
    (BinaryOp::Add, Is::Left(0), false, Gives::Right),
    (BinaryOp::Add, Is::Right(0), false, Gives::Left),
    (BinaryOp::Sub, Is::Right(0), false, Gives::Left),
    (BinaryOp::Sub, Is::Same, false, Gives::Number(0)),
    (BinaryOp::Mul, Is::Left(0), false, Gives::Number(0)),
    (BinaryOp::Mul, Is::Right(0), false, Gives::Number(0)),
    (BinaryOp::Mul, Is::Left(1), false, Gives::Right),
    (BinaryOp::Mul, Is::Right(1), false, Gives::Left),
    (BinaryOp::Div, Is::Left(0), false, Gives::Number(0)),
    (BinaryOp::Div, Is::Right(1), false, Gives::Left),
    (BinaryOp::Div, Is::Same, false, Gives::Number(1)),
    (BinaryOp::Rem, Is::Left(0), false, Gives::Number(0)),
    (BinaryOp::Rem, Is::Right(1), true, Gives::Number(0)),
    (BinaryOp::Rem, Is::Same, true, Gives::Number(0)),
    (BinaryOp::Shl, Is::Left(0), false, Gives::Number(0)),
    (BinaryOp::Shl, Is::Right(0), false, Gives::Left),
    (BinaryOp::Shr, Is::Left(0), false, Gives::Number(0)),
    (BinaryOp::Shr, Is::Right(0), false, Gives::Left),
    (BinaryOp::BitAnd, Is::Right(0), false, Gives::Number(0)),
    (BinaryOp::BitAnd, Is::Left(0), false, Gives::Number(0)),
    (BinaryOp::BitAnd, Is::Opposite, false, Gives::Number(0)),
    (BinaryOp::BitAnd, Is::Same, false, Gives::Left),
    (BinaryOp::BitOr, Is::Right(0), false, Gives::Left),
    (BinaryOp::BitOr, Is::Left(0), false, Gives::Right),
    (BinaryOp::BitOr, Is::Same, false, Gives::Left),
    (BinaryOp::BitXor, Is::Right(0), false, Gives::Left),
    (BinaryOp::BitXor, Is::Left(0), false, Gives::Right),
    (BinaryOp::BitXor, Is::Same, false, Gives::Number(0)),
    (BinaryOp::And, Is::Right(0), false, Gives::Number(0)),
    (BinaryOp::And, Is::Left(0), false, Gives::Number(0)),
    (BinaryOp::And, Is::Right(1), false, Gives::Left),
    (BinaryOp::And, Is::Left(1), false, Gives::Right),
    (BinaryOp::And, Is::Same, false, Gives::Left),
    (BinaryOp::And, Is::Opposite, false, Gives::Number(0)),
    (BinaryOp::Or, Is::Right(1), false, Gives::Number(1)),
    (BinaryOp::Or, Is::Left(1), false, Gives::Number(1)),
    (BinaryOp::Or, Is::Right(0), false, Gives::Left),
    (BinaryOp::Or, Is::Left(0), false, Gives::Right),
    (BinaryOp::Or, Is::Same, false, Gives::Left),
    (BinaryOp::Or, Is::Opposite, false, Gives::Number(1)),
    (BinaryOp::Equal, Is::Same, false, Gives::Number(1)),
    (BinaryOp::Less, Is::Same, false, Gives::Number(0)),
    (BinaryOp::LessEqual, Is::Same, false, Gives::Number(1)),
];

/// The first identity that holds.
pub fn identity(op: BinaryOp, of: &Operands) -> Option<Gives> {
    let holds = |is: Is| match is {
        Is::Same => of.same,
        Is::Opposite => of.opposite,
        Is::Left(n) => of.left == Some(n),
        Is::Right(n) => of.right == Some(n),
    };
    let found = IDENTITIES.iter().find(|(o, is, ints, _)| *o == op && holds(*is) && (of.is_int || !ints));
    found.map(|(.., gives)| *gives)
}

/// The values of a type that are told from others.
pub fn bounds(kind: Scalar) -> Option<Range> {
    Some(match kind {
        Scalar::Bool => (0, 1),
        Scalar::U16 => (0, u16::MAX.into()),
        Scalar::I16 => (i16::MIN.into(), i16::MAX.into()),
        Scalar::U32 => (0, u32::MAX.into()),
        Scalar::I32 => (i32::MIN.into(), i32::MAX.into()),
        _ => return None,
    })
}

/// Whether a type holds all of a range.
pub fn fits(range: Range, kind: Scalar) -> bool {
    bounds(kind).is_some_and(|b| b.0 <= range.0 && range.1 <= b.1)
}

/// What both say.
pub fn within(one: Option<Range>, other: Option<Range>) -> Option<Range> {
    match (one, other) {
        (Some(a), Some(b)) => {
            let both = (a.0.max(b.0), a.1.min(b.1));
            Some(if both.0 <= both.1 { both } else { b })
        }
        (a, b) => a.or(b),
    }
}

/// What one of both says.
pub fn hull(one: Option<Range>, other: Option<Range>) -> Option<Range> {
    one.zip(other).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)))
}

/// The outcome of `<`, `<=`, `==`, `&&` or `||`.
pub fn compare(op: BinaryOp, (a, b): Range, (c, d): Range) -> Option<bool> {
    let (always, never) = match op {
        BinaryOp::Less => (b < c, a >= d),
        BinaryOp::LessEqual => (b <= c, a > d),
        BinaryOp::Equal => (a == b && c == d && a == c, b < c || d < a),
        BinaryOp::And => (a == 1 && c == 1, b == 0 || d == 0),
        BinaryOp::Or => (a == 1 || c == 1, b == 0 && d == 0),
        _ => return None,
    };
    if always { Some(true) } else { never.then_some(false) }
}

/// The range of sums and the like, before it wraps.
pub fn combine(op: BinaryOp, (a, b): Range, (c, d): Range) -> Option<Range> {
    Some(match op {
        BinaryOp::Add => (a.checked_add(c)?, b.checked_add(d)?),
        BinaryOp::Sub => (a.checked_sub(d)?, b.checked_sub(c)?),
        BinaryOp::Mul => {
            let all = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
            (all.into_iter().min()?, all.into_iter().max()?)
        }
        BinaryOp::Rem if c > 0 => {
            let most = b.max(-a).min(d - 1);
            (if a < 0 { -most } else { 0 }, if b > 0 { most } else { 0 })
        }
        BinaryOp::Div if c > 0 && a >= 0 => (a / d, b / c),
        BinaryOp::Shr if c == d && (0..64).contains(&c) => (a >> c, b >> c),
        BinaryOp::And => (a & c, b & d),
        BinaryOp::Or => (a | c, b | d),
        _ => return None,
    })
}

/// The ranges of two operands whose comparison has an outcome.
pub fn narrow(op: BinaryOp, truth: bool, (a, b): Range, (c, d): Range) -> (Range, Range) {
    match (op, truth) {
        (BinaryOp::Less, true) | (BinaryOp::GreaterEqual, false) => ((a, b.min(d - 1)), (c.max(a + 1), d)),
        (BinaryOp::Less, false) => ((a.max(c), b), (c, d.min(b))),
        (BinaryOp::LessEqual, true) => ((a, b.min(d)), (c.max(a), d)),
        (BinaryOp::LessEqual, false) => ((a.max(c + 1), b), (c, d.min(b - 1))),
        (BinaryOp::Equal, true) => {
            let both = (a.max(c), b.min(d));
            (both, both)
        }
        (BinaryOp::Equal, false) => (trim((a, b), (c, d)), trim((c, d), (a, b))),
        _ => ((a, b), (c, d)),
    }
}

/// A range without a number at its ends.
fn trim((a, b): Range, (c, d): Range) -> Range {
    match c == d {
        true if a == c && a < b => (a + 1, b),
        true if b == c && a < b => (a, b - 1),
        _ => (a, b),
    }
}

/// Bits of an integer that are known, as it is held in 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits {
    zeros: u64,
    ones: u64,
}

impl Bits {
    pub const NONE: Bits = Bits { zeros: 0, ones: 0 };

    /// A number.
    pub fn of(value: u64) -> Bits {
        Bits { zeros: !value, ones: value }
    }

    /// The lowest `count` are 0.
    pub fn even(count: u32) -> Bits {
        Bits { zeros: 1u64.checked_shl(count).map_or(u64::MAX, |b| b - 1), ones: 0 }
    }

    /// How many of the lowest are 0.
    pub fn trailing(self) -> u32 {
        self.zeros.trailing_ones()
    }

    /// Whether a bit is known to differ.
    pub fn differ(self, other: Bits) -> bool {
        self.zeros & other.ones | self.ones & other.zeros != 0
    }
}

/// The bits of a result. `right` is the right operand if it is constant.
pub fn bits(op: BinaryOp, a: Bits, b: Bits, right: Option<i64>, kind: Scalar) -> Bits {
    let unsigned = kind.is_unsigned() && kind.size() == 4;
    let shift = right.filter(|n| (0..31).contains(n)).map(|n| n as u32);
    let high = if unsigned { !u64::from(u32::MAX) } else { 0 };
    let found = match op {
        BinaryOp::BitAnd => Bits { zeros: a.zeros | b.zeros, ones: a.ones & b.ones },
        BinaryOp::BitOr => Bits { zeros: a.zeros & b.zeros, ones: a.ones | b.ones },
        BinaryOp::BitXor => {
            Bits { zeros: a.zeros & b.zeros | a.ones & b.ones, ones: a.zeros & b.ones | a.ones & b.zeros }
        }
        BinaryOp::Shl => shift.map_or(Bits::NONE, |n| Bits::even(a.trailing().min(31) + n)),
        BinaryOp::Mul => Bits::even((a.trailing() + b.trailing()).min(31)),
        BinaryOp::Add | BinaryOp::Sub => Bits::even(a.trailing().min(b.trailing())),
        BinaryOp::Rem if kind.is_unsigned() => match right {
            Some(n) if n > 0 && n & (n - 1) == 0 => {
                let mask = n as u64 - 1;
                Bits { zeros: a.zeros | !mask, ones: a.ones & mask }
            }
            _ => Bits::NONE,
        },
        _ => Bits::NONE,
    };
    Bits { zeros: found.zeros | high & !found.ones, ..found }
}

/// The numbers that have these bits.
pub fn range_of_bits(bits: Bits, ty: super::graph::Ty) -> Option<Range> {
    let super::graph::Ty::Scalar(kind) = ty else { return None };
    let width = if kind.is_unsigned() { 32 } else { 31 };
    if kind.size() != 4 || bits == Bits::NONE || !kind.is_integer() {
        return None;
    }
    let mask = (1u64 << width) - 1;
    let negative = kind.is_signed() && bits.zeros >> 31 & 1 == 0;
    (!negative).then(|| (i128::from(bits.ones & mask), i128::from(!bits.zeros & mask)))
}
