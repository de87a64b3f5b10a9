//! What conversions cost where functions of a program compete for a call: each language has its own rule, and the emitted call
//! must be of the function that the author's compiler chooses.
//!
//! DXC counts kinds of loss over all arguments: a call with fewer truncations beats one with more whatever else is lost, then
//! one with fewer changes between classes of numbers, and so on, splats last. slangc adds up a number for each argument. Where
//! DXC sees no difference, slangc's sum decides, since HLSL is read by both.

use super::{LiteralKind, Rank, Shape, bits, enum_tag, numeric};
use crate::tree::{Program, Scalar, Type, TypeId};
use std::ops::Add;

/// By which rule the candidates of a call are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// By [`Rank`], when all are of the library.
    Library,
    /// As slangc does.
    Slang,
    /// As DXC does.
    Hlsl {
        /// It is told that there are 16-bit types.
        is_16_bit: bool,
    },
}

/// What an argument, or all arguments of a candidate, cost; less is better, the fields are weighed in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Cost {
    /// DXC's count.
    first: Losses,
    /// DXC's count where `half` is what it is not in the first one, by which calls are clear that are not by the other.
    second: Losses,
    /// The sum of slangc, or of the library's ranks.
    sum: u32,
}

impl Cost {
    /// What DXC alone counts. No cast in the emitted text chooses among `out` parameters, as it does among values.
    pub fn without_sum(self) -> Cost {
        Cost { sum: 0, ..self }
    }
}

impl Add for Cost {
    type Output = Cost;
    fn add(self, other: Cost) -> Cost {
        Cost {
            first: self.first + other.first,
            second: self.second + other.second,
            sum: self.sum.saturating_add(other.sum),
        }
    }
}

/// The value of an argument.
#[derive(Clone, Copy, Debug)]
pub struct PassedValue {
    /// Its type.
    pub ty: TypeId,
    /// Whether HLSL gives it no type of its own.
    pub literal: LiteralKind,
    /// The number that is written, for an integer literal of any type.
    pub number: Option<i64>,
}

/// The cost of a conversion that exists, with its rank.
pub fn cost(program: &Program, rule: Rule, from: PassedValue, to: TypeId, rank: Rank) -> Cost {
    let sum = match rule {
        // The library does not tell `vector<T, 1>` from `T`.
        Rule::Library if rank == Rank::UNIT => 0,
        Rule::Library => rank.0,
        Rule::Slang | Rule::Hlsl { .. } => slangc_cost(program, from, to).unwrap_or(rank.0),
    };
    let count = |number| losses(program, from, to, number);
    match rule {
        Rule::Library | Rule::Slang => Cost { sum, ..Cost::default() },
        Rule::Hlsl { is_16_bit: true } => {
            Cost { first: count(Number::Scalar), second: count(Number::with_partial_half), sum }
        }
        Rule::Hlsl { is_16_bit: false } => {
            Cost { first: count(Number::with_partial_half), second: count(Number::Scalar), sum }
        }
    }
}

/// How often something is lost, the worst loss first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Losses([u32; 8]);

impl Losses {
    const TRUNCATION: usize = 0;
    /// Of the two steps, from the argument to the common kind and from there to the parameter.
    const CLASS: [usize; 2] = [1, 2];
    const SIGN: [usize; 2] = [3, 4];
    const WIDTH: [usize; 2] = [5, 6];
    const SPLAT: usize = 7;
}

impl Add for Losses {
    type Output = Losses;
    fn add(self, other: Losses) -> Losses {
        let mut sum = self;
        for (a, b) in sum.0.iter_mut().zip(other.0) {
            *a = a.saturating_add(b);
        }
        sum
    }
}

/// A kind of number as DXC ranks it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Number {
    Scalar(Scalar),
    /// `half` without 16-bit types.
    PartialHalf,
    LiteralInt,
    LiteralFloat,
    /// Of any enum.
    Enum,
}

impl Number {
    fn with_partial_half(scalar: Scalar) -> Number {
        if scalar == Scalar::F16 { Number::PartialHalf } else { Number::Scalar(scalar) }
    }

    fn is_float(self) -> bool {
        match self {
            Number::Scalar(s) => s.is_float(),
            Number::PartialHalf | Number::LiteralFloat => true,
            Number::LiteralInt | Number::Enum => false,
        }
    }

    fn is_unsigned(self) -> bool {
        matches!(self, Number::Scalar(s) if s.is_unsigned())
    }

    fn is_min_precision(self) -> bool {
        matches!(self, Number::Scalar(s) if s.is_least_precision())
    }

    /// It takes the width of what stands beside it.
    fn is_soft(self) -> bool {
        match self {
            Number::Scalar(s) => s == Scalar::Bool,
            Number::LiteralInt | Number::LiteralFloat | Number::Enum => true,
            Number::PartialHalf => false,
        }
    }

    fn bits(self) -> u32 {
        match self {
            _ if self.is_soft() => 0,
            Number::Scalar(s) => bits(s),
            Number::PartialHalf | Number::LiteralInt | Number::LiteralFloat | Number::Enum => 32,
        }
    }

    /// The kind in which the two are computed with.
    fn common(self, other: Number) -> Number {
        use Scalar::{F16, F32, F64, I8, I16, I32, I64, MinF16, MinI16};
        let pair = [self, other];
        let soft = pair.iter().any(|n| n.is_soft());
        let min = match soft {
            true => pair.iter().any(|n| n.is_min_precision()),
            false => pair.iter().all(|n| n.is_min_precision()),
        };
        let wide = pair.map(Number::bits).into_iter().max().unwrap_or_default();
        match pair.map(Number::is_float) {
            _ if self == other => self,
            _ if soft && pair.contains(&Number::PartialHalf) => Number::PartialHalf,
            // Beside a literal it stays what it is.
            [a, b] if min && soft && a == b => {
                if self.is_min_precision() {
                    self
                } else {
                    other
                }
            }
            [true, true] => Number::Scalar(match wide {
                16 if min => MinF16,
                16 => F16,
                64 => F64,
                _ => F32,
            }),
            [true, false] => self.as_scalar(F32),
            [false, true] => other.as_scalar(F32),
            [false, false] => {
                let scalar = match wide {
                    8 => I8,
                    16 if min => MinI16,
                    16 => I16,
                    64 => I64,
                    _ => I32,
                };
                let unsigned = pair.iter().any(|n| n.is_unsigned());
                Number::Scalar(if unsigned { scalar.unsigned() } else { scalar })
            }
        }
    }

    fn as_scalar(self, default: Scalar) -> Number {
        if let Number::Scalar(_) = self { self } else { Number::Scalar(default) }
    }

    /// What is lost on the way to another kind.
    fn step(self, to: Number) -> KindStep {
        use Number::{LiteralFloat, LiteralInt};
        let is_full = |n: Number| !n.is_soft() && !n.is_min_precision();
        let least = Number::is_min_precision;
        let floats = [self, to].map(Number::is_float);
        match (self, to) {
            _ if self == to => KindStep::None,
            (LiteralInt, _) if is_full(to) && !to.is_float() => KindStep::None,
            (LiteralFloat, _) if is_full(to) && to.is_float() => KindStep::None,
            _ if self.is_soft() || to.is_soft() || floats[0] != floats[1] => KindStep::Class,
            _ if self.widens_to(to) => KindStep::Width,
            _ if !floats[0] && is_full(self) && is_full(to) && self.bits() == to.bits() => KindStep::Sign,
            // `min12int` and `min16int`.
            _ if !floats[0] && least(self) && least(to) && self.is_unsigned() == to.is_unsigned() => KindStep::Sign,
            _ => KindStep::Class,
        }
    }

    /// To a wider kind of the same class; the minimum precision of a float is below every float.
    fn widens_to(self, to: Number) -> bool {
        let order = |n: Number| match n {
            Number::Scalar(Scalar::MinF10) => 0,
            Number::Scalar(Scalar::MinF16) => 1,
            Number::Scalar(Scalar::F16) => 2,
            Number::PartialHalf => 3,
            _ => n.bits(),
        };
        match (self.is_float(), self.is_min_precision(), to.is_min_precision()) {
            (true, _, _) => order(self) < order(to),
            (false, true, false) => to.bits() >= 32 && self.is_unsigned() == to.is_unsigned(),
            (false, false, false) => self.bits() < to.bits(),
            (false, _, true) => false,
        }
    }
}

/// What a change of the kind of number loses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum KindStep {
    None,
    Width,
    Sign,
    Class,
}

/// DXC's count for one argument.
fn losses(program: &Program, from: PassedValue, to: TypeId, number: fn(Scalar) -> Number) -> Losses {
    let mut losses = Losses::default();
    if from.ty == to {
        return losses;
    }
    let types = &program.types;
    let of = |ty: TypeId| match types.get(ty) {
        Type::Enum(_) => Some((Number::Enum, Shape::Scalar)),
        held => numeric(types, held.contents().unwrap_or(ty)).map(|(scalar, shape)| (number(scalar), shape)),
    };
    let (Some((own, shape)), Some((param, wanted))) = (of(from.ty), of(to)) else {
        for index in Losses::CLASS {
            losses.0[index] = 1;
        }
        return losses;
    };
    let own = match from.literal {
        LiteralKind::None => own,
        LiteralKind::Int => Number::LiteralInt,
        LiteralKind::Float => Number::LiteralFloat,
    };
    let common = own.common(param);
    for (index, step) in [own.step(common), common.step(param)].into_iter().enumerate() {
        match step {
            KindStep::None => {}
            KindStep::Width => losses.0[Losses::WIDTH[index]] = 1,
            KindStep::Sign => losses.0[Losses::SIGN[index]] = 1,
            KindStep::Class => losses.0[Losses::CLASS[index]] = 1,
        }
    }
    losses.0[Losses::TRUNCATION] = u32::from(wanted.count() < shape.count());
    losses.0[Losses::SPLAT] = u32::from(wanted.count() > shape.count());
    losses
}

/// slangc's number for one argument; none for what it has no rule of its own for.
fn slangc_cost(program: &Program, from: PassedValue, to: TypeId) -> Option<u32> {
    /// What slangc does not convert by itself: it comes after all that it does.
    const NEVER: u32 = 100_000;
    let types = &program.types;
    if from.ty == to {
        return Some(0);
    }
    if let Some(held) = types.get(from.ty).contents() {
        return Some(Rank::CONTENTS.0 + slangc_cost(program, PassedValue { ty: held, ..from }, to)?);
    }
    let (tag, shape) = match types.get(from.ty) {
        Type::Enum(id) => (enum_tag(program, id), Shape::Scalar),
        _ => numeric(types, from.ty)?,
    };
    let (kind, wanted) = numeric(types, to)?;
    let scalar = match from.number {
        Some(number) if shape == Shape::Scalar && wanted == Shape::Scalar => literal_cost(number, tag, kind),
        Some(_) | None => None,
    };
    let scalar = scalar.unwrap_or_else(|| kind_cost(tag, kind));
    let splat = Rank::SPLAT_VECTOR.0;
    Some(match (shape, wanted) {
        _ if shape == wanted => scalar,
        (Shape::Scalar, Shape::Vector(_)) => scalar + splat,
        (Shape::Vector(1), Shape::Scalar) if tag == kind => Rank::UNIT.0,
        (Shape::Vector(1), Shape::Vector(_)) if tag == kind => Rank::UNIT.0 + splat,
        (Shape::Scalar, Shape::Matrix(..)) => {
            matrix_cost(tag, kind).map_or(NEVER + scalar, |c| c + Rank::SPLAT_MATRIX.0)
        }
        _ => NEVER + scalar + super::shape_rank(shape, wanted).map_or(0, |r| r.0),
    })
}

/// slangc: an integer that is written goes into all integers that have room for it.
fn literal_cost(number: i64, from: Scalar, to: Scalar) -> Option<u32> {
    let room = 64 - number.unsigned_abs().leading_zeros() <= bits(to);
    let fits = from != to && to != Scalar::Bool && !to.is_float() && room;
    fits.then(|| match (from.is_signed(), to.is_signed()) {
        (a, b) if a == b => 23,
        (true, _) => 32,
        (false, _) => 81,
    })
}

/// slangc: one kind of number to another. A bool is the smallest unsigned number.
fn kind_cost(from: Scalar, to: Scalar) -> u32 {
    let general = 900;
    let [own, wanted] = [from, to].map(|s| if s.is_float() { 2 } else { u32::from(s.is_signed()) });
    let [narrow, wide] = [from, to].map(bits);
    match (own, wanted) {
        _ if from == to || own == wanted && narrow == wide => 0,
        _ if own == wanted && narrow < wide => 150,
        (0, 1) if from == Scalar::Bool && to == Scalar::I32 => 120,
        (0, 1) if narrow < wide => 200,
        (0, 1) if narrow == wide => 300,
        (1, 0) if narrow <= wide => 250,
        (0 | 1, 2) if from == Scalar::Bool => general,
        (0 | 1, 2) => {
            if wide >= 32 {
                400
            } else {
                500
            }
        }
        _ => general,
    }
}

/// slangc: what a number of one kind costs more than one of the matrix's own, before it is spread.
fn matrix_cost(from: Scalar, to: Scalar) -> Option<u32> {
    match (from, to) {
        _ if from == to => Some(0),
        (Scalar::F32, _) if to.is_float() => Some(0),
        (Scalar::I32, _) if to.is_float() => Some(400),
        (Scalar::I32, Scalar::I16) => Some(440),
        _ => None,
    }
}
