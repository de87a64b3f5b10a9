//! Operations without memory and flow.

use super::module::{Instruction, Module, Type, mask};
use super::value::Value;
use spirv::Op;

type Made = Result<Value, String>;

/// A number of some bits, with its sign.
pub fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    ((bits << unused) as i64) >> unused
}

/// The number that bits of a floating-point type are.
pub fn float(bits: u64, width: u32) -> f64 {
    match width {
        16 => half(bits as u16),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// The bits of the number of a floating-point type next to one.
pub fn of_float(value: f64, width: u32) -> u64 {
    match width {
        16 => u64::from(to_half(value)),
        32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

/// To the nearest, ties to even.
fn to_half(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let size = value.abs();
    if value.is_nan() {
        return 0x7e00;
    }
    if size < 2f64.powi(-14) {
        return sign | (size * 2f64.powi(24)).round_ties_even() as u16;
    }
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    let exponent = size.log2().floor() as i32;
    let exponent = if 2f64.powi(exponent) > size { exponent - 1 } else { exponent };
    let fraction = (size / 2f64.powi(exponent) * 1024.0).round_ties_even() as i32 - 1024;
    sign | ((((exponent + 15) << 10) + fraction) as u16)
}

/// Does something to every number of a value.
pub fn each(a: &Value, f: &impl Fn(u64) -> u64) -> Made {
    match a {
        Value::Bits(bits) => Ok(Value::Bits(f(*bits))),
        Value::Undefined => Ok(Value::Undefined),
        Value::Parts(parts) => Ok(Value::parts(parts.iter().map(|p| each(p, f)).collect::<Result<_, _>>()?)),
        Value::Pointer(_) => Err("arithmetic on a pointer".into()),
    }
}

/// The same for pairs.
pub fn both(a: &Value, b: &Value, f: &impl Fn(u64, u64) -> Option<u64>) -> Made {
    match (a, b) {
        (Value::Bits(a), Value::Bits(b)) => Ok(f(*a, *b).map_or(Value::Undefined, Value::Bits)),
        (Value::Parts(a), Value::Parts(b)) => {
            Ok(Value::parts(a.iter().zip(b.iter()).map(|(a, b)| both(a, b, f)).collect::<Result<_, _>>()?))
        }
        (Value::Undefined, _) | (_, Value::Undefined) => Ok(Value::Undefined),
        _ => Err("operands of two shapes".into()),
    }
}

pub fn evaluate(module: &Module, instruction: &Instruction, op: Op, operands: &[Value]) -> Made {
    use Op::*;
    let ty = instruction.ty;
    let from = instruction.words.first().map_or(0, |id| module.type_of(*id));
    let a = operands.first().unwrap_or(&Value::Undefined);
    if let Some(made) = composite(module, instruction, op, operands) {
        return made;
    }
    if let Some(made) = integers(op, module.width(ty), operands, module.wraps_shifts) {
        return made;
    }
    if let Some(made) = comparison(op, module.width(from), operands) {
        return made;
    }
    if let Some(made) = floats(module, op, ty, operands) {
        return made;
    }
    let (width, source) = (module.width(ty), module.width(from));
    match op {
        CopyObject | CopyLogical => Ok(a.clone()),
        Undef => Ok(module.undefined(ty)),
        Select => select(operands),
        Any => logical_list(a, false),
        All => logical_list(a, true),
        IsNan => each(a, &|a| u64::from(float(a, source).is_nan())),
        IsInf => each(a, &|a| u64::from(float(a, source).is_infinite())),
        LogicalNot => each(a, &|a| 1 - a),
        ConvertFToU => each(a, &|a| (float(a, source) as u64).min(mask(width))),
        ConvertFToS => each(a, &|a| {
            let limit = 2f64.powi(width as i32 - 1);
            let value = float(a, source);
            (if value >= limit {
                i64::MAX >> (64 - width)
            } else if value < -limit {
                i64::MIN >> (64 - width)
            } else {
                value as i64
            }) as u64
                & mask(width)
        }),
        ConvertSToF => each(a, &|a| integer_to_float(i128::from(signed(a, source)), width)),
        ConvertUToF => each(a, &|a| integer_to_float(i128::from(a), width)),
        UConvert => each(a, &|a| a & mask(width)),
        SConvert => each(a, &|a| signed(a, source) as u64 & mask(width)),
        FConvert => each(a, &|a| of_float(float(a, source), width)),
        QuantizeToF16 => each(a, &|a| of_float(float(of_float(float(a, 32), 16), 16), 32)),
        Bitcast => bitcast(module, a, from, ty),
        IAddCarry | ISubBorrow | UMulExtended | SMulExtended => extended(module, op, ty, operands),
        SDot | UDot => integer_dot(operands, source, width, op == SDot),
        other => Err(format!("the operation {other:?}")),
    }
}

/// An integer in a floating-point type, rounded once.
fn integer_to_float(value: i128, width: u32) -> u64 {
    match width {
        32 => u64::from((value as f32).to_bits()),
        _ => of_float(value as f64, width),
    }
}

fn operand(operands: &[Value], index: usize) -> Result<&Value, String> {
    operands.get(index).ok_or_else(|| "an operand is missing".to_owned())
}

/// Building and taking apart; nothing when it is something else.
fn composite(module: &Module, instruction: &Instruction, op: Op, operands: &[Value]) -> Option<Made> {
    use Op::*;
    let words = &instruction.words;
    let made = match op {
        CompositeConstruct => construct(module, instruction.ty, operands),
        CompositeExtract => operand(operands, 0).and_then(|a| match a {
            Value::Undefined => Ok(Value::Undefined),
            a => a.at(&words[1..]).cloned(),
        }),
        CompositeInsert => {
            let (Ok(part), Ok(whole)) = (operand(operands, 0), operand(operands, 1)) else { return None };
            let mut whole = whole.clone();
            whole.at_mut(&words[2..]).map(|place| *place = part.clone()).map(|()| whole)
        }
        VectorShuffle => {
            let (Ok(a), Ok(b)) = (operand(operands, 0), operand(operands, 1)) else { return None };
            let all: Vec<Value> = a.list().iter().chain(b.list()).cloned().collect();
            let pick = |index: &u32| all.get(*index as usize).cloned().unwrap_or(Value::Undefined);
            Ok(Value::parts(words[2..].iter().map(pick).collect()))
        }
        VectorExtractDynamic => {
            let (Ok(a), Ok(b)) = (operand(operands, 0), operand(operands, 1)) else { return None };
            let index = b.bits().ok().and_then(|i| usize::try_from(i).ok());
            Ok(index.and_then(|i| a.list().get(i)).cloned().unwrap_or(Value::Undefined))
        }
        VectorInsertDynamic => {
            let (Ok(a), Ok(part), Ok(b)) = (operand(operands, 0), operand(operands, 1), operand(operands, 2)) else {
                return None;
            };
            let mut all = a.list().to_vec();
            let index = b.bits().ok().and_then(|i| usize::try_from(i).ok());
            if let Some(place) = index.and_then(|i| all.get_mut(i)) {
                *place = part.clone();
            }
            Ok(Value::parts(all))
        }
        Transpose => operand(operands, 0).and_then(transposed),
        _ => return None,
    };
    Some(made)
}

/// Vectors are built of numbers and vectors, everything else of its parts.
fn construct(module: &Module, ty: u32, operands: &[Value]) -> Made {
    Ok(match module.ty(ty) {
        Type::Vector { .. } => Value::parts(operands.iter().flat_map(Value::list).cloned().collect()),
        _ => Value::parts(operands.to_vec()),
    })
}

fn transposed(matrix: &Value) -> Made {
    let columns = matrix.list();
    let rows = columns.first().map_or(0, |c| c.list().len());
    let row = |r: usize| columns.iter().map(|c| c.part(r).cloned()).collect::<Result<Vec<_>, _>>().map(Value::parts);
    (0..rows).map(row).collect::<Result<Vec<_>, _>>().map(Value::parts)
}

fn select(operands: &[Value]) -> Made {
    let [condition, a, b] = operands else { return Err("an operand is missing".into()) };
    match condition {
        Value::Bits(taken) => Ok(if *taken != 0 { a.clone() } else { b.clone() }),
        Value::Parts(conditions) => {
            let each = conditions.iter().enumerate().map(|(i, c)| match c {
                Value::Bits(taken) => Ok(if *taken != 0 { a.part(i)?.clone() } else { b.part(i)?.clone() }),
                _ => Ok(Value::Undefined),
            });
            Ok(Value::parts(each.collect::<Result<_, String>>()?))
        }
        _ => each(a, &|a| a).map(|a| {
            if let Value::Parts(p) = &a { Value::parts(vec![Value::Undefined; p.len()]) } else { Value::Undefined }
        }),
    }
}

fn logical_list(a: &Value, all: bool) -> Made {
    let parts: Result<Vec<bool>, String> = a.list().iter().map(|p| Ok(p.bits()? != 0)).collect();
    // One that decides is enough, whatever the others are.
    if a.list().iter().any(|p| matches!(p, Value::Bits(b) if (*b == 0) == all)) {
        return Ok(Value::of_bool(!all));
    }
    Ok(parts.map_or(Value::Undefined, |parts| {
        Value::of_bool(if all { parts.iter().all(|p| *p) } else { parts.iter().any(|p| *p) })
    }))
}

fn integers(op: Op, width: u32, operands: &[Value], wraps_shifts: bool) -> Option<Made> {
    use Op::*;
    let a = operands.first()?;
    let cut = mask(width);
    let wrap = |value: u64| Some(value & cut);
    if let Some(made) = bit_fields(op, width, operands) {
        return Some(made);
    }
    if matches!(op, SNegate | Not | BitReverse | BitCount) {
        return Some(each(a, &|a| match op {
            SNegate => a.wrapping_neg() & cut,
            Not => !a & cut,
            BitReverse => a.reverse_bits() >> (64 - width),
            _ => u64::from(a.count_ones()),
        }));
    }
    let b = operands.get(1)?;
    let sign = |value: u64| signed(value, width);
    let distance = |b: u64| {
        let width = u64::from(width);
        if wraps_shifts { Some(b % width) } else { Some(b).filter(|b| *b < width) }
    };
    let made = match op {
        IAdd => both(a, b, &|a, b| wrap(a.wrapping_add(b))),
        ISub => both(a, b, &|a, b| wrap(a.wrapping_sub(b))),
        IMul => both(a, b, &|a, b| wrap(a.wrapping_mul(b))),
        UDiv => both(a, b, &|a, b| a.checked_div(b)),
        UMod => both(a, b, &|a, b| a.checked_rem(b)),
        // The quotient of the smallest number by -1 is not defined, nor is what a division by zero gives.
        SDiv => {
            both(a, b, &|a, b| sign(a).checked_div(sign(b)).filter(|q| sign(*q as u64) == *q).map(|q| q as u64 & cut))
        }
        SRem => both(a, b, &|a, b| {
            sign(a).checked_rem(sign(b)).filter(|_| sign(b) != -1 || a != 1 << (width - 1)).map(|r| r as u64 & cut)
        }),
        SMod => both(a, b, &|a, b| {
            let (a, b) = (sign(a), sign(b));
            let rest = a.checked_rem(b)?;
            wrap(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest } as u64)
        }),
        ShiftLeftLogical => both(a, b, &|a, b| distance(b).map(|b| (a << b) & cut)),
        ShiftRightLogical => both(a, b, &|a, b| distance(b).map(|b| a >> b)),
        ShiftRightArithmetic => both(a, b, &|a, b| distance(b).map(|b| (sign(a) >> b) as u64 & cut)),
        BitwiseAnd | LogicalAnd => both(a, b, &|a, b| Some(a & b)),
        BitwiseOr | LogicalOr => both(a, b, &|a, b| Some(a | b)),
        BitwiseXor => both(a, b, &|a, b| Some(a ^ b)),
        LogicalEqual => both(a, b, &|a, b| Some(u64::from(a == b))),
        LogicalNotEqual => both(a, b, &|a, b| Some(u64::from(a != b))),
        _ => return None,
    };
    Some(made)
}

fn bit_fields(op: Op, width: u32, operands: &[Value]) -> Option<Made> {
    use Op::*;
    let (value, rest) = match (op, operands) {
        (BitFieldInsert, [base, insert, rest @ ..]) => ((base, Some(insert)), rest),
        (BitFieldSExtract | BitFieldUExtract, [base, rest @ ..]) => ((base, None), rest),
        _ => return None,
    };
    let [offset, count] = rest else { return Some(Err("an operand is missing".into())) };
    let (Ok(offset), Ok(count)) = (offset.bits(), count.bits()) else { return Some(Ok(Value::Undefined)) };
    if offset + count > u64::from(width) {
        return Some(Err("bits outside of a number".into()));
    }
    let (offset, count) = (offset as u32, count as u32);
    let field = mask(count);
    Some(match value {
        (base, Some(insert)) => {
            both(base, insert, &|base, insert| Some(base & !(field << offset) | (insert & field) << offset))
        }
        (base, None) if op == BitFieldUExtract => each(base, &|base| base >> offset & field),
        (base, None) if count == 0 => each(base, &|_| 0),
        (base, None) => each(base, &|base| signed(base >> offset & field, count) as u64 & mask(width)),
    })
}

/// Whether both are numbers.
fn ordered(a: f64, b: f64) -> bool {
    !a.is_nan() && !b.is_nan()
}

fn comparison(op: Op, width: u32, operands: &[Value]) -> Option<Made> {
    use Op::*;
    let [a, b] = operands else { return None };
    let numbers = |f: fn(f64, f64) -> bool| both(a, b, &|a, b| Some(u64::from(f(float(a, width), float(b, width)))));
    let with_sign =
        |f: fn(&i64, &i64) -> bool| both(a, b, &|a, b| Some(u64::from(f(&signed(a, width), &signed(b, width)))));
    let without = |f: fn(&u64, &u64) -> bool| both(a, b, &|a, b| Some(u64::from(f(&a, &b))));
    Some(match op {
        IEqual => without(u64::eq),
        INotEqual => without(u64::ne),
        ULessThan => without(u64::lt),
        ULessThanEqual => without(u64::le),
        UGreaterThan => without(u64::gt),
        UGreaterThanEqual => without(u64::ge),
        SLessThan => with_sign(i64::lt),
        SLessThanEqual => with_sign(i64::le),
        SGreaterThan => with_sign(i64::gt),
        SGreaterThanEqual => with_sign(i64::ge),
        FOrdEqual => numbers(|a, b| a == b),
        FUnordEqual => numbers(|a, b| a == b || !ordered(a, b)),
        FOrdNotEqual => numbers(|a, b| a != b && ordered(a, b)),
        FUnordNotEqual => numbers(|a, b| a != b),
        FOrdLessThan => numbers(|a, b| a < b),
        FUnordLessThan => numbers(|a, b| a < b || !ordered(a, b)),
        FOrdLessThanEqual => numbers(|a, b| a <= b),
        FUnordLessThanEqual => numbers(|a, b| a <= b || !ordered(a, b)),
        FOrdGreaterThan => numbers(|a, b| a > b),
        FUnordGreaterThan => numbers(|a, b| a > b || !ordered(a, b)),
        FOrdGreaterThanEqual => numbers(|a, b| a >= b),
        FUnordGreaterThanEqual => numbers(|a, b| a >= b || !ordered(a, b)),
        Ordered => numbers(ordered),
        Unordered => numbers(|a, b| !ordered(a, b)),
        _ => return None,
    })
}

/// An operation on two numbers, rounded once to the width.
fn rounded(width: u32, a: u64, b: u64, f: fn(f64, f64) -> f64) -> u64 {
    // What two floats give, rounded to a double first and then to a float, is what one rounding gives.
    of_float(f(float(a, width), float(b, width)), width)
}

pub fn float_pairs(width: u32, a: &Value, b: &Value, f: fn(f64, f64) -> f64) -> Made {
    both(a, b, &|a, b| Some(rounded(width, a, b, f)))
}

fn floats(module: &Module, op: Op, ty: u32, operands: &[Value]) -> Option<Made> {
    use Op::*;
    let width = module.width(ty);
    let a = operands.first()?;
    if op == FNegate {
        return Some(each(a, &|a| a ^ 1 << (width - 1)));
    }
    let b = operands.get(1)?;
    Some(match op {
        FAdd => float_pairs(width, a, b, |a, b| a + b),
        FSub => float_pairs(width, a, b, |a, b| a - b),
        FMul => float_pairs(width, a, b, |a, b| a * b),
        FDiv => float_pairs(width, a, b, |a, b| a / b),
        FRem => float_pairs(width, a, b, |a, b| a % b),
        FMod => float_pairs(width, a, b, |a, b| a - b * (a / b).floor()),
        VectorTimesScalar | MatrixTimesScalar => scaled(width, a, b),
        Dot => dot(width, a, b),
        VectorTimesMatrix => vector_of(b.list().iter().map(|column| dot(width, a, column))),
        MatrixTimesVector => times_vector(width, a, b),
        MatrixTimesMatrix => vector_of(b.list().iter().map(|column| times_vector(width, a, column))),
        OuterProduct => vector_of(b.list().iter().map(|one| scaled(width, a, one))),
        _ => return None,
    })
}

fn integer_dot(operands: &[Value], source: u32, width: u32, with_sign: bool) -> Made {
    let [a, b] = operands else { return Err("an operand is missing".into()) };
    let extended = |bits: u64| if with_sign { signed(bits, source) as u64 } else { bits };
    let mut sum: u64 = 0;
    for (a, b) in a.list().iter().zip(b.list()) {
        let (Value::Bits(a), Value::Bits(b)) = (a, b) else { return Ok(Value::Undefined) };
        sum = sum.wrapping_add(extended(*a).wrapping_mul(extended(*b)));
    }
    Ok(Value::Bits(sum & mask(width)))
}

fn vector_of(parts: impl Iterator<Item = Made>) -> Made {
    parts.collect::<Result<Vec<_>, _>>().map(Value::parts)
}

fn scaled(width: u32, a: &Value, by: &Value) -> Made {
    match a {
        Value::Parts(parts) => vector_of(parts.iter().map(|p| scaled(width, p, by))),
        a => float_pairs(width, a, by, |a, b| a * b),
    }
}

pub fn dot(width: u32, a: &Value, b: &Value) -> Made {
    let mut sum: Option<Value> = None;
    for (a, b) in a.list().iter().zip(b.list()) {
        let product = float_pairs(width, a, b, |a, b| a * b)?;
        sum = Some(match sum {
            Some(sum) => float_pairs(width, &sum, &product, |a, b| a + b)?,
            None => product,
        });
    }
    sum.ok_or_else(|| "a product of nothing".to_owned())
}

fn times_vector(width: u32, matrix: &Value, vector: &Value) -> Made {
    let rows = transposed(matrix)?;
    vector_of(rows.list().iter().map(|row| dot(width, row, vector)))
}

/// The same bits as another type: numbers of one size each for each, of two sizes several for one.
fn bitcast(module: &Module, a: &Value, from: u32, to: u32) -> Made {
    let (source, goal) = (module.width(from), module.width(to));
    if source == goal || matches!(a, Value::Pointer(_)) {
        return Ok(a.clone());
    }
    let mut bits: u128 = 0;
    for (index, part) in a.list().iter().enumerate() {
        match part {
            Value::Bits(part) => bits |= u128::from(*part) << (index as u32 * source),
            _ => return Ok(module.undefined(to)),
        }
    }
    let part = |index: u32| Value::Bits((bits >> (index * goal)) as u64 & mask(goal));
    Ok(match module.ty(to) {
        Type::Vector { count, .. } => Value::parts((0..*count).map(part).collect()),
        _ => part(0),
    })
}

/// Two results in a struct.
fn extended(module: &Module, op: Op, ty: u32, operands: &[Value]) -> Made {
    let [a, b] = operands else { return Err("an operand is missing".into()) };
    let width = module.part(ty, 0).map_or(32, |part| module.width(part));
    let cut = mask(width);
    let product = |a: u64, b: u64| match op {
        Op::SMulExtended => (i128::from(signed(a, width)) * i128::from(signed(b, width))) as u128,
        _ => u128::from(a) * u128::from(b),
    };
    let low = both(a, b, &|a, b| {
        Some(
            cut & match op {
                Op::IAddCarry => a.wrapping_add(b),
                Op::ISubBorrow => a.wrapping_sub(b),
                _ => product(a, b) as u64,
            },
        )
    })?;
    let high = both(a, b, &|a, b| {
        Some(match op {
            Op::IAddCarry => u64::from(u128::from(a) + u128::from(b) > u128::from(cut)),
            Op::ISubBorrow => u64::from(a < b),
            _ => (product(a, b) >> width) as u64 & cut,
        })
    })?;
    Ok(Value::parts(vec![low, high]))
}

/// What an atomic operation stores.
pub fn atomic(module: &Module, ty: u32, op: Op, before: &Value, operand: &Value) -> Made {
    let width = module.width(ty);
    let cut = mask(width);
    both(before, operand, &|a, b| {
        Some(match op {
            Op::AtomicIAdd => a.wrapping_add(b) & cut,
            Op::AtomicISub => a.wrapping_sub(b) & cut,
            Op::AtomicSMin => signed(a, width).min(signed(b, width)) as u64 & cut,
            Op::AtomicSMax => signed(a, width).max(signed(b, width)) as u64 & cut,
            Op::AtomicUMin => a.min(b),
            Op::AtomicUMax => a.max(b),
            Op::AtomicAnd => a & b,
            Op::AtomicOr => a | b,
            Op::AtomicXor => a ^ b,
            _ => return None,
        })
    })
}
