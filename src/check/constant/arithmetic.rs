//! Operators, conversions and constructors on values, as a shader computes them.

use super::super::convert::{Shape, enum_tag, numeric, wrap};
use super::value::Value;
use super::{Evaluated, fail};
use crate::source::Span;
use crate::tree::{BinaryOp, Program, Scalar, Type, TypeId, Types, UnaryOp};

/// The least number that a 16-bit float rounds to infinity.
pub const HALF_INFINITY: f64 = 65520.0;
/// The largest 16-bit float.
pub const LARGEST_HALF: f64 = 65504.0;

/// A part of a composite.
pub(super) fn part(of: Value, index: i64, span: Span) -> Evaluated {
    let Value::Composite(mut parts) = of else { return fail(span, "this has no parts") };
    let count = parts.len();
    match usize::try_from(index).ok().filter(|i| *i < count) {
        Some(index) => Ok(parts.swap_remove(index)),
        None => fail(span, format!("the index {index} is out of range; there are {count} elements")),
    }
}

/// Selected components: a scalar if the type is one.
pub(super) fn scalar_or_list(mut list: Vec<Value>, types: &Types, ty: TypeId) -> Value {
    match (types.get(ty), list.len()) {
        (Type::Scalar(_), 1) => list.remove(0),
        _ => Value::Composite(list),
    }
}

/// Applies a function to every scalar of a value.
pub(super) fn map1(value: &Value, f: &mut dyn FnMut(&Value) -> Evaluated) -> Evaluated {
    match value {
        Value::Composite(parts) => Ok(Value::Composite(parts.iter().map(|p| map1(p, f)).collect::<Result<_, _>>()?)),
        scalar => f(scalar),
    }
}

/// Applies a function to every pair of scalars.
pub(super) fn map2(a: &Value, b: &Value, span: Span, f: &mut dyn FnMut(&Value, &Value) -> Evaluated) -> Evaluated {
    match (a, b) {
        (Value::Composite(a), Value::Composite(b)) if a.len() == b.len() => {
            Ok(Value::Composite(a.iter().zip(b).map(|(a, b)| map2(a, b, span, f)).collect::<Result<_, _>>()?))
        }
        (Value::Composite(_), _) | (_, Value::Composite(_)) => fail(span, "the operands differ in shape"),
        _ => f(a, b),
    }
}

/// A prefix operator on a scalar.
pub(super) fn unary(op: UnaryOp, value: &Value, span: Span) -> Evaluated {
    Ok(match (op, value) {
        (UnaryOp::Negate, Value::Int(v, s)) => Value::Int(wrap(v.wrapping_neg(), *s), *s),
        (UnaryOp::Negate, Value::Float(v, s)) => Value::Float(-v, *s),
        (UnaryOp::BitNot, Value::Int(v, s)) => Value::Int(wrap(!v, *s), *s),
        (UnaryOp::Not, v) => match v.truth() {
            Some(truth) => Value::Bool(!truth),
            None => return fail(span, "this is not a truth value"),
        },
        _ => return fail(span, "the operator does not take such a value"),
    })
}

/// A binary operator on scalars.
pub(super) fn binary(op: BinaryOp, a: &Value, b: &Value, span: Span) -> Evaluated {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => match bools(op, *a, *b) {
            Some(v) => Ok(Value::Bool(v)),
            None => fail(span, "the operator does not take bools"),
        },
        (Value::Int(a, s), Value::Int(b, t)) if s == t || matches!(op, BinaryOp::Shl | BinaryOp::Shr) => {
            match compare(op, if s.size() == 8 && s.is_unsigned() { (*a as u64).cmp(&(*b as u64)) } else { a.cmp(b) }) {
                Some(v) => Ok(Value::Bool(v)),
                None => integers(op, *a, *b, *s, span),
            }
        }
        (Value::Float(a, s), Value::Float(b, _)) => match a.partial_cmp(b) {
            _ if !op.is_comparison() => floats(op, *a, *b, *s, span),
            Some(order) => Ok(Value::Bool(compare(op, order).unwrap_or(false))),
            None => Ok(Value::Bool(op == BinaryOp::NotEqual)),
        },
        _ => fail(span, "the operands differ in type"),
    }
}

/// Whether an operator on signed integers gives something else than its name says, or a number is shifted out of its type.
pub(super) fn wraps(op: BinaryOp, a: &Value, b: &Value) -> bool {
    let (Value::Int(a, kind), Value::Int(b, _)) = (a, b) else { return false };
    let out = !(0..i64::from(width(*kind))).contains(b);
    let result = match op {
        BinaryOp::Shl => return out && *a != 0,
        _ if kind.is_unsigned() => return false,
        BinaryOp::Add => a.checked_add(*b),
        BinaryOp::Sub => a.checked_sub(*b),
        BinaryOp::Mul => a.checked_mul(*b),
        BinaryOp::Div if *b != 0 => a.checked_div(*b),
        _ => return false,
    };
    result.is_none_or(|n| wrap(n, *kind) != n)
}

/// Whether a result is no number of the scalar type.
pub fn leaves(op: BinaryOp, a: &Value, b: &Value, scalar: Scalar) -> bool {
    match (a, b) {
        (Value::Composite(a), Value::Composite(b)) => a.iter().zip(b).any(|(a, b)| leaves(op, a, b, scalar)),
        (Value::Composite(a), b) => a.iter().any(|a| leaves(op, a, b, scalar)),
        (a, Value::Composite(b)) => b.iter().any(|b| leaves(op, a, b, scalar)),
        (Value::Int(a, _), Value::Int(b, _)) => {
            let bits = scalar.size() * 8;
            let (a, b) = (i128::from(*a), i128::from(*b));
            let exact = match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                // Of what a remainder is left of, too.
                BinaryOp::Div | BinaryOp::Rem => a.checked_div(b).unwrap_or(0),
                _ => a << b.clamp(0, 63),
            };
            let (least, most) = match scalar.is_unsigned() {
                true => (0, (1_i128 << bits) - 1),
                false => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            };
            !(least..=most).contains(&exact)
        }
        _ => false,
    }
}

/// A comparison's outcome; `None` for other operators.
fn compare(op: BinaryOp, order: std::cmp::Ordering) -> Option<bool> {
    Some(match op {
        BinaryOp::Equal => order.is_eq(),
        BinaryOp::NotEqual => order.is_ne(),
        BinaryOp::Less => order.is_lt(),
        BinaryOp::LessEqual => order.is_le(),
        BinaryOp::Greater => order.is_gt(),
        BinaryOp::GreaterEqual => order.is_ge(),
        _ => return None,
    })
}

fn bools(op: BinaryOp, a: bool, b: bool) -> Option<bool> {
    Some(match op {
        BinaryOp::And | BinaryOp::BitAnd => a && b,
        BinaryOp::Or | BinaryOp::BitOr => a || b,
        BinaryOp::BitXor => a ^ b,
        _ => return compare(op, a.cmp(&b)),
    })
}

/// Bits of an integer.
fn width(kind: Scalar) -> u32 {
    match kind {
        Scalar::MinI16 | Scalar::MinI12 | Scalar::MinU16 => 16,
        kind => kind.size() * 8,
    }
}

fn integers(op: BinaryOp, a: i64, b: i64, kind: Scalar, span: Span) -> Evaluated {
    if b == 0 && matches!(op, BinaryOp::Div | BinaryOp::Rem) {
        return fail(span, "division by zero");
    }
    let width = width(kind);
    // What is shifted out altogether: of the sign, one bit remains.
    let out = !(0..i64::from(width)).contains(&b);
    let shift = if out { width - 1 } else { b as u32 };
    let unsigned = kind.is_unsigned();
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div if unsigned => ((a as u64) / (b as u64)) as i64,
        BinaryOp::Rem if unsigned => ((a as u64) % (b as u64)) as i64,
        BinaryOp::Div => a.wrapping_div(b),
        BinaryOp::Rem => a.wrapping_rem(b),
        BinaryOp::Shl | BinaryOp::Shr if out && (unsigned || op == BinaryOp::Shl) => 0,
        BinaryOp::Shl => a.wrapping_shl(shift),
        BinaryOp::Shr if unsigned => (a as u64).wrapping_shr(shift) as i64,
        BinaryOp::Shr => a.wrapping_shr(shift),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        _ => return fail(span, "the operator does not take integers"),
    };
    Ok(Value::Int(wrap(value, kind), kind))
}

fn floats(op: BinaryOp, a: f64, b: f64, kind: Scalar, span: Span) -> Evaluated {
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        // By zero too: infinities and NaN are floats.
        BinaryOp::Div => a / b,
        BinaryOp::Rem => a % b,
        _ => return fail(span, "the operator does not take floats"),
    };
    Ok(Value::Float(round(value, kind), kind))
}

/// A float as its kind holds it.
pub fn round(value: f64, kind: Scalar) -> f64 {
    match kind {
        Scalar::F64 => value,
        Scalar::F16 if value.abs() >= HALF_INFINITY => f64::INFINITY.copysign(value),
        // Ten bits after the leading one; below 2^-14 the steps are equal.
        Scalar::F16 if value.is_normal() => {
            let step = (value.abs().log2().floor().max(-14.0) - 10.0).exp2();
            (value / step).round_ties_even() * step
        }
        _ => f64::from(value as f32),
    }
}

/// A scalar of another kind.
pub(super) fn convert_scalar(value: &Value, to: Scalar, span: Span) -> Evaluated {
    let int = |v: i64, from: Scalar| match to {
        Scalar::Bool => Value::Bool(v != 0),
        Scalar::U64 | Scalar::I64 => Value::Int(v, to),
        s if s.is_float() && from == Scalar::U64 => Value::Float(round(v as u64 as f64, s), s),
        s if s.is_float() => Value::Float(round(v as f64, s), s),
        s => Value::Int(wrap(v, s), s),
    };
    Ok(match *value {
        Value::Bool(v) => int(v.into(), Scalar::I32),
        Value::Int(v, from) => int(v, from),
        Value::Float(v, _) if to == Scalar::Bool => Value::Bool(v != 0.0),
        Value::Float(v, from) if to.is_float() => Value::Float(if from == to { v } else { round(v, to) }, to),
        Value::Float(v, _) if to == Scalar::U64 => Value::Int(v as u64 as i64, to),
        Value::Float(v, _) if to == Scalar::U32 => Value::Int((v as i64 as u32).into(), to),
        Value::Float(v, _) if to == Scalar::I32 => Value::Int((v as i32).into(), to),
        Value::Float(v, _) => Value::Int(wrap(v as i64, to), to),
        _ => return fail(span, "this value is not a number"),
    })
}

/// [`ExprKind::Convert`].
pub(super) fn convert(program: &Program, value: Value, from: TypeId, to: TypeId, span: Span) -> Evaluated {
    let types = &program.types;
    if let Type::Enum(id) = types.get(to) {
        return convert_scalar(&value, enum_tag(program, id), span);
    }
    let Some((kind, shape)) = numeric(types, to) else {
        return if from == to { Ok(value) } else { fail(span, "this conversion has no constant value") };
    };
    let mut scalars = Vec::new();
    flatten(&value, &mut scalars);
    let scalars: Vec<Value> = scalars.iter().map(|v| convert_scalar(v, kind, span)).collect::<Result<_, _>>()?;
    let pick = |row: u8, column: u8, columns: u8| {
        let index = usize::from(row) * usize::from(columns) + usize::from(column);
        scalars.get(if scalars.len() == 1 { 0 } else { index }).cloned()
    };
    // The source's row length, by which a truncated matrix is read.
    let stride = match numeric(types, from) {
        Some((_, Shape::Matrix(_, c))) => c,
        _ => match shape {
            Shape::Matrix(_, c) => c,
            _ => 0,
        },
    };
    let built = match shape {
        Shape::Scalar => pick(0, 0, stride),
        Shape::Vector(n) => (0..n).map(|i| pick(0, i, 0)).collect::<Option<Vec<_>>>().map(Value::Composite),
        Shape::Matrix(r, c) => (0..r)
            .map(|row| (0..c).map(|column| pick(row, column, stride)).collect::<Option<Vec<_>>>().map(Value::Composite))
            .collect::<Option<Vec<_>>>()
            .map(Value::Composite),
    };
    built.map_or_else(|| fail(span, "this conversion has no constant value"), Ok)
}

/// All scalars of a value in order.
fn flatten(value: &Value, out: &mut Vec<Value>) {
    match value {
        Value::Composite(parts) => parts.iter().for_each(|p| flatten(p, out)),
        scalar => out.push(scalar.clone()),
    }
}

/// [`ExprKind::Construct`].
pub(super) fn construct(types: &Types, ty: TypeId, parts: Vec<Value>, span: Span) -> Evaluated {
    let Some((_, shape)) = numeric(types, ty) else { return Ok(Value::Composite(parts)) };
    let mut scalars = Vec::new();
    parts.iter().for_each(|p| flatten(p, &mut scalars));
    if scalars.len() != shape.count() as usize {
        return fail(span, "the parts do not add up");
    }
    Ok(match shape {
        Shape::Scalar => scalars.swap_remove(0),
        Shape::Vector(_) => Value::Composite(scalars),
        Shape::Matrix(_, c) => {
            Value::Composite(scalars.chunks(usize::from(c.max(1))).map(|row| Value::Composite(row.to_vec())).collect())
        }
    })
}
