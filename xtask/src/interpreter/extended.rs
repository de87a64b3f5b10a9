//! Operations of `GLSL.std.450`.

use super::arithmetic::{both, dot, each, float, float_pairs, of_float, signed};
use super::module::{Module, mask};
use super::value::Value;
use spirv::GlslStd450Op;

/// A result, and a second one with the operand that points to where it goes.
type Made = Result<(Value, Option<(usize, Value)>), String>;

pub fn evaluate(module: &Module, ty: u32, op: GlslStd450Op, operands: &[Value]) -> Made {
    use GlslStd450Op::*;
    let a = operands.first().ok_or("an operand is missing")?;
    let b = operands.get(1);
    let width = module.width(ty);
    match op {
        Modf => {
            let whole = numbers(width, a, f64::trunc)?;
            Ok((float_pairs(width, a, &whole, |a, b| a - b)?, Some((1, whole))))
        }
        ModfStruct => {
            let width = module.part(ty, 0).map_or(32, |t| module.width(t));
            let whole = numbers(width, a, f64::trunc)?;
            Ok((Value::parts(vec![float_pairs(width, a, &whole, |a, b| a - b)?, whole]), None))
        }
        Frexp => Ok((each(a, &|a| of_float(parts_of(float(a, width)).0, width))?, Some((1, exponent(a, width)?)))),
        FrexpStruct => {
            let width = module.part(ty, 0).map_or(32, |t| module.width(t));
            let significand = each(a, &|a| of_float(parts_of(float(a, width)).0, width))?;
            Ok((Value::parts(vec![significand, exponent(a, width)?]), None))
        }
        _ => {
            let made = match (rounding(op), b) {
                (Some(f), _) => numbers(width, a, f),
                (None, Some(b)) if operands.len() == 2 => pairs(op, width, a, b),
                _ => several(op, width, a, operands),
            };
            Ok((made?, None))
        }
    }
}

fn numbers(width: u32, a: &Value, f: fn(f64) -> f64) -> Result<Value, String> {
    each(a, &|a| of_float(f(float(a, width)), width))
}

fn sign_of(value: f64) -> f64 {
    if value > 0.0 {
        1.0
    } else if value < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// Functions of one number. Those that are not exact are as the host has them: near enough for what is rounded afterwards.
fn rounding(op: GlslStd450Op) -> Option<fn(f64) -> f64> {
    use GlslStd450Op::*;
    Some(match op {
        Round | RoundEven => f64::round_ties_even,
        Trunc => f64::trunc,
        FAbs => f64::abs,
        FSign => sign_of,
        Floor => f64::floor,
        Ceil => f64::ceil,
        Fract => |a| a - a.floor(),
        Radians => f64::to_radians,
        Degrees => f64::to_degrees,
        Sin => f64::sin,
        Cos => f64::cos,
        Tan => f64::tan,
        Asin => f64::asin,
        Acos => f64::acos,
        Atan => f64::atan,
        Sinh => f64::sinh,
        Cosh => f64::cosh,
        Tanh => f64::tanh,
        Exp => f64::exp,
        Log => f64::ln,
        Exp2 => f64::exp2,
        Log2 => f64::log2,
        Sqrt => f64::sqrt,
        InverseSqrt => |a| 1.0 / a.sqrt(),
        _ => return None,
    })
}

fn pairs(op: GlslStd450Op, width: u32, a: &Value, b: &Value) -> Result<Value, String> {
    use GlslStd450Op::*;
    let with_sign =
        |f: fn(i64, i64) -> i64| both(a, b, &|a, b| Some(f(signed(a, width), signed(b, width)) as u64 & mask(width)));
    match op {
        Pow => float_pairs(width, a, b, f64::powf),
        Atan2 => float_pairs(width, a, b, f64::atan2),
        FMin | NMin => float_pairs(width, a, b, smaller),
        FMax | NMax => float_pairs(width, a, b, larger),
        UMin => both(a, b, &|a, b| Some(a.min(b))),
        UMax => both(a, b, &|a, b| Some(a.max(b))),
        SMin => with_sign(i64::min),
        SMax => with_sign(i64::max),
        Step => float_pairs(width, a, b, |edge, x| if x < edge { 0.0 } else { 1.0 }),
        Ldexp => both(a, b, &|a, b| Some(of_float(float(a, width) * 2f64.powi(b as u32 as i32), width))),
        Distance => {
            let apart = float_pairs(width, a, b, |a, b| a - b)?;
            numbers(width, &dot(width, &apart, &apart)?, f64::sqrt)
        }
        Reflect => {
            let twice = numbers(width, &dot(width, a, b)?, |d| d * 2.0)?;
            let along = Value::parts(
                b.list().iter().map(|b| float_pairs(width, b, &twice, |b, d| b * d)).collect::<Result<_, _>>()?,
            );
            float_pairs(width, a, &along, |a, b| a - b)
        }
        Cross => cross(width, a, b),
        other => Err(format!("the operation {other:?}")),
    }
}

/// One of two numbers: the other one when one is none.
fn smaller(a: f64, b: f64) -> f64 {
    if b < a || a.is_nan() { b } else { a }
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a || a.is_nan() { b } else { a }
}

fn cross(width: u32, a: &Value, b: &Value) -> Result<Value, String> {
    let part = |i: usize, j: usize| {
        let first = float_pairs(width, a.part(i)?, b.part(j)?, |a, b| a * b)?;
        let second = float_pairs(width, a.part(j)?, b.part(i)?, |a, b| a * b)?;
        float_pairs(width, &first, &second, |a, b| a - b)
    };
    Ok(Value::parts(vec![part(1, 2)?, part(2, 0)?, part(0, 1)?]))
}

fn several(op: GlslStd450Op, width: u32, a: &Value, operands: &[Value]) -> Result<Value, String> {
    use GlslStd450Op::*;
    let third = || operands.get(2).ok_or_else(|| "an operand is missing".to_owned());
    let second = || operands.get(1).ok_or_else(|| "an operand is missing".to_owned());
    match op {
        SAbs => each(a, &|a| signed(a, width).unsigned_abs() & mask(width)),
        SSign => each(a, &|a| signed(a, width).signum() as u64 & mask(width)),
        FindILsb => each(a, &|a| if a == 0 { mask(32) } else { u64::from(a.trailing_zeros()) }),
        FindUMsb => each(a, &|a| if a == 0 { mask(32) } else { u64::from(63 - a.leading_zeros()) }),
        FindSMsb => each(a, &|a| {
            let a = if signed(a, width) < 0 { !a & mask(width) } else { a };
            if a == 0 { mask(32) } else { u64::from(63 - a.leading_zeros()) }
        }),
        FClamp | NClamp => pairs(FMin, width, &pairs(FMax, width, a, second()?)?, third()?),
        UClamp => pairs(UMin, width, &pairs(UMax, width, a, second()?)?, third()?),
        SClamp => pairs(SMin, width, &pairs(SMax, width, a, second()?)?, third()?),
        Fma => float_pairs(width, &float_pairs(width, a, second()?, |a, b| a * b)?, third()?, |a, b| a + b),
        FMix => {
            let apart = float_pairs(width, second()?, a, |b, a| b - a)?;
            float_pairs(width, a, &float_pairs(width, &apart, third()?, |d, t| d * t)?, |a, b| a + b)
        }
        SmoothStep => {
            let (low, high, x) = (a, second()?, third()?);
            let apart = float_pairs(width, high, low, |b, a| b - a)?;
            let t = float_pairs(width, &float_pairs(width, x, low, |x, a| x - a)?, &apart, |a, b| a / b)?;
            numbers(width, &t, |t| {
                let t = t.clamp(0.0, 1.0);
                t * t * (3.0 - 2.0 * t)
            })
        }
        Length => numbers(width, &dot(width, a, a)?, f64::sqrt),
        Normalize => {
            let length = numbers(width, &dot(width, a, a)?, f64::sqrt)?;
            let part = |p: &Value| float_pairs(width, p, &length, |a, b| a / b);
            Ok(Value::parts(a.list().iter().map(part).collect::<Result<_, _>>()?))
        }
        FaceForward => {
            let turned = dot(width, third()?, second()?)?;
            Ok(if float(turned.bits()?, width) < 0.0 { a.clone() } else { numbers(width, a, |a| -a)? })
        }
        Determinant => determinant(width, a),
        other => packing(other, a),
    }
}

fn determinant(width: u32, matrix: &Value) -> Result<Value, String> {
    let mut rows = Vec::new();
    for column in matrix.list() {
        let bits: Result<Vec<u64>, String> = column.list().iter().map(Value::bits).collect();
        rows.push(bits?.into_iter().map(|b| float(b, width)).collect::<Vec<f64>>());
    }
    Ok(Value::Bits(of_float(expanded(&rows), width)))
}

/// A determinant by its first row.
fn expanded(rows: &[Vec<f64>]) -> f64 {
    let [first, rest @ ..] = rows else { return 1.0 };
    let mut sum = 0.0;
    for (index, element) in first.iter().enumerate() {
        let minor: Vec<Vec<f64>> = rest
            .iter()
            .map(|row| row.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, v)| *v).collect())
            .collect();
        let sign = if index % 2 == 0 { 1.0 } else { -1.0 };
        sum += sign * element * expanded(&minor);
    }
    sum
}

/// A number as one from a half to one times a power of two.
fn parts_of(value: f64) -> (f64, i32) {
    if value == 0.0 || !value.is_finite() {
        return (value, 0);
    }
    let mut exponent = value.abs().log2().floor() as i32 + 1;
    let mut significand = value / 2f64.powi(exponent);
    if significand.abs() >= 1.0 {
        (significand, exponent) = (significand / 2.0, exponent + 1);
    } else if significand.abs() < 0.5 {
        (significand, exponent) = (significand * 2.0, exponent - 1);
    }
    (significand, exponent)
}

fn exponent(a: &Value, width: u32) -> Result<Value, String> {
    each(a, &|a| u64::from(parts_of(float(a, width)).1 as u32))
}

fn packing(op: GlslStd450Op, a: &Value) -> Result<Value, String> {
    use GlslStd450Op::*;
    let (count, bits, scale, with_sign) = match op {
        PackHalf2x16 | UnpackHalf2x16 => (2, 16, 0.0, true),
        PackSnorm4x8 | UnpackSnorm4x8 => (4, 8, 127.0, true),
        PackUnorm4x8 | UnpackUnorm4x8 => (4, 8, 255.0, false),
        PackSnorm2x16 | UnpackSnorm2x16 => (2, 16, 32767.0, true),
        PackUnorm2x16 | UnpackUnorm2x16 => (2, 16, 65535.0, false),
        other => return Err(format!("the operation {other:?}")),
    };
    let low = if with_sign { -1.0 } else { 0.0 };
    if matches!(op, PackHalf2x16 | PackSnorm4x8 | PackUnorm4x8 | PackSnorm2x16 | PackUnorm2x16) {
        let mut word = 0;
        for (index, part) in a.list().iter().enumerate() {
            let Value::Bits(part) = part else { return Ok(Value::Undefined) };
            let value = float(*part, 32);
            let part = match op {
                PackHalf2x16 => of_float(value, 16),
                _ => (value.clamp(low, 1.0) * scale).round_ties_even() as i64 as u64 & mask(bits),
            };
            word |= part << (index as u32 * bits);
        }
        return Ok(Value::Bits(word));
    }
    let Value::Bits(word) = a else { return Ok(Value::parts(vec![Value::Undefined; count])) };
    let part = |index: usize| {
        let part = word >> (index as u32 * bits) & mask(bits);
        Value::Bits(of_float(
            match op {
                UnpackHalf2x16 => float(part, 16),
                _ if with_sign => (signed(part, bits) as f64 / scale).max(-1.0),
                _ => part as f64 / scale,
            },
            32,
        ))
    };
    Ok(Value::parts((0..count).map(part).collect()))
}
