//! What functions of the library compute, where they say so: operations on numbers by name, applied to each component, and a
//! few on whole vectors. Floats are rounded to 32 bits.

use super::value::Value;
use crate::tree::Scalar;

/// An operation on numbers.
#[derive(Clone, Copy)]
enum Fold {
    /// One float of one, two or three.
    Float(fn(&[f64]) -> f64),
    /// The same of integers too.
    Number(fn(&[f64]) -> f64, fn(&[i64]) -> i64),
    /// Of the bits of integers.
    Bits(fn(u32) -> u32),
    /// An integer or a float of the same bits.
    ToFloat,
    ToInt(Scalar),
    /// A bool of a float.
    Test(fn(f64) -> bool),
    /// A number of whole vectors.
    Reduce(fn(&[Vec<f64>]) -> f64),
    /// A vector of vectors.
    Vector(fn(&[Vec<f64>]) -> Vec<f64>),
    /// A bool of all components.
    Truth(fn(&[bool]) -> bool),
}

use Fold::*;

/// The nth number, 0 if there is none.
fn at<T: Copy + Default>(list: &[T], n: usize) -> T {
    list.get(n).copied().unwrap_or_default()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn vector(list: &[Vec<f64>], n: usize) -> &[f64] {
    list.get(n).map_or(&[], Vec::as_slice)
}

fn scaled(list: &[f64], by: f64) -> Vec<f64> {
    list.iter().map(|v| v * by).collect()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn cross(a: &[f64], b: &[f64]) -> Vec<f64> {
    [(1, 2), (2, 0), (0, 1)].into_iter().map(|(i, j)| at(a, i) * at(b, j) - at(a, j) * at(b, i)).collect()
}

fn unit(v: f64) -> f64 {
    v.clamp(0.0, 1.0)
}

/// Operations by the names that the library gives them.
const FOLDS: &[(&str, Fold)] = &[
    ("acos", Float(|a| at(a, 0).acos())),
    ("asin", Float(|a| at(a, 0).asin())),
    ("atan", Float(|a| at(a, 0).atan())),
    ("atan2", Float(|a| at(a, 0).atan2(at(a, 1)))),
    ("cos", Float(|a| at(a, 0).cos())),
    ("cosh", Float(|a| at(a, 0).cosh())),
    ("sin", Float(|a| at(a, 0).sin())),
    ("sinh", Float(|a| at(a, 0).sinh())),
    ("tan", Float(|a| at(a, 0).tan())),
    ("tanh", Float(|a| at(a, 0).tanh())),
    ("degrees", Float(|a| at(a, 0).to_degrees())),
    ("radians", Float(|a| at(a, 0).to_radians())),
    ("exp", Float(|a| at(a, 0).exp())),
    ("exp2", Float(|a| at(a, 0).exp2())),
    ("log", Float(|a| at(a, 0).ln())),
    ("log2", Float(|a| at(a, 0).log2())),
    ("sqrt", Float(|a| at(a, 0).sqrt())),
    ("rsqrt", Float(|a| at(a, 0).sqrt().recip())),
    ("pow", Float(|a| at(a, 0).powf(at(a, 1)))),
    ("abs", Number(|a| at(a, 0).abs(), |a| at(a, 0).wrapping_abs())),
    ("ceil", Float(|a| at(a, 0).ceil())),
    ("floor", Float(|a| at(a, 0).floor())),
    ("frac", Float(|a| at(a, 0) - at(a, 0).floor())),
    ("round", Float(|a| at(a, 0).round_ties_even())),
    ("trunc", Float(|a| at(a, 0).trunc())),
    ("min", Number(|a| at(a, 0).min(at(a, 1)), |a| at(a, 0).min(at(a, 1)))),
    ("max", Number(|a| at(a, 0).max(at(a, 1)), |a| at(a, 0).max(at(a, 1)))),
    ("clamp", Number(|a| at(a, 0).max(at(a, 1)).min(at(a, 2)), |a| at(a, 0).max(at(a, 1)).min(at(a, 2)))),
    ("saturate", Float(|a| unit(at(a, 0)))),
    ("step", Float(|a| f64::from(u8::from(at(a, 1) >= at(a, 0))))),
    ("lerp", Float(|a| at(a, 0) + (at(a, 1) - at(a, 0)) * at(a, 2))),
    (
        "smoothstep",
        Float(|a| {
            let t = unit((at(a, 2) - at(a, 0)) / (at(a, 1) - at(a, 0)));
            t * t * (3.0 - 2.0 * t)
        }),
    ),
    ("fmod", Float(|a| at(a, 0) % at(a, 1))),
    ("rcp", Float(|a| at(a, 0).recip())),
    ("ldexp", Float(|a| at(a, 0) * at(a, 1).exp2())),
    ("mad", Number(|a| at(a, 0) * at(a, 1) + at(a, 2), |a| at(a, 0).wrapping_mul(at(a, 1)).wrapping_add(at(a, 2)))),
    ("sign", Number(|a| if at(a, 0) == 0.0 { 0.0 } else { at(a, 0).signum() }, |a| at(a, 0).signum())),
    ("isnan", Test(f64::is_nan)),
    ("countbits", Bits(u32::count_ones)),
    ("firstbithigh", Bits(|v| v.checked_ilog2().unwrap_or(u32::MAX))),
    ("firstbitlow", Bits(|v| if v == 0 { u32::MAX } else { v.trailing_zeros() })),
    ("reversebits", Bits(u32::reverse_bits)),
    ("asfloat", ToFloat),
    ("asint", ToInt(Scalar::I32)),
    ("asuint", ToInt(Scalar::U32)),
    ("any", Truth(|all| all.contains(&true))),
    ("all", Truth(|all| !all.contains(&false))),
    ("dot", Reduce(|v| dot(vector(v, 0), vector(v, 1)))),
    ("length", Reduce(|v| dot(vector(v, 0), vector(v, 0)).sqrt())),
    (
        "distance",
        Reduce(|v| {
            let between = minus(vector(v, 0), vector(v, 1));
            dot(&between, &between).sqrt()
        }),
    ),
    ("cross", Vector(|v| cross(vector(v, 0), vector(v, 1)))),
    ("normalize", Vector(|v| scaled(vector(v, 0), dot(vector(v, 0), vector(v, 0)).sqrt().recip()))),
    (
        "reflect",
        Vector(|v| {
            let (i, n) = (vector(v, 0), vector(v, 1));
            minus(i, &scaled(n, 2.0 * dot(i, n)))
        }),
    ),
];

/// The result of an operation; nothing if it is not known or the numbers are not those that it takes.
pub(super) fn fold(name: &str, args: &[Value]) -> Option<Value> {
    let (_, fold) = FOLDS.iter().find(|(n, _)| *n == name)?;
    match fold {
        Reduce(f) => {
            let kind = kind(args.first()?)?;
            let value = f(&args.iter().map(floats).collect::<Option<Vec<_>>>()?);
            Some(number(value, kind))
        }
        Vector(f) => {
            let kind = kind(args.first()?)?;
            let values = f(&args.iter().map(floats).collect::<Option<Vec<_>>>()?);
            Some(Value::Composite(values.into_iter().map(|v| number(v, kind)).collect()))
        }
        Truth(f) => {
            let mut all = Vec::new();
            scalars(args.first()?, &mut all);
            let all: Vec<bool> = all.into_iter().map(|v| v.truth()).collect::<Option<_>>()?;
            Some(Value::Bool(f(&all)))
        }
        _ => each(*fold, args),
    }
}

/// Component by component.
fn each(fold: Fold, args: &[Value]) -> Option<Value> {
    let Value::Composite(first) = args.first()? else { return scalar(fold, args) };
    let parts = (0..first.len()).map(|i| {
        let row: Option<Vec<Value>> = args
            .iter()
            .map(|arg| match arg {
                Value::Composite(parts) => parts.get(i).cloned(),
                scalar => Some(scalar.clone()),
            })
            .collect();
        each(fold, &row?)
    });
    parts.collect::<Option<Vec<_>>>().map(Value::Composite)
}

fn scalar(fold: Fold, args: &[Value]) -> Option<Value> {
    let first = args.first()?;
    let float = || args.iter().map(float).collect::<Option<Vec<f64>>>();
    Some(match (fold, first) {
        (Float(f) | Number(f, _), Value::Float(_, kind)) => number(f(&float()?), *kind),
        (Number(_, f), Value::Int(_, kind)) if kind.size() == 4 => {
            let ints: Vec<i64> = args.iter().map(Value::int).collect::<Option<_>>()?;
            Value::Int(super::super::convert::wrap(f(&ints), *kind), *kind)
        }
        (Bits(f), Value::Int(v, kind)) if kind.size() == 4 => Value::Int(f(*v as u32).into(), Scalar::U32),
        (ToFloat, Value::Int(v, _)) => Value::Float(f32::from_bits(*v as u32).into(), Scalar::F32),
        (ToFloat, Value::Float(..)) => first.clone(),
        (ToInt(kind), Value::Float(v, Scalar::F32)) => {
            Value::Int(super::super::convert::wrap((*v as f32).to_bits().into(), kind), kind)
        }
        (ToInt(kind), Value::Int(v, _)) => Value::Int(super::super::convert::wrap(*v, kind), kind),
        (Test(f), Value::Float(v, _)) => Value::Bool(f(*v)),
        _ => return None,
    })
}

fn number(value: f64, kind: Scalar) -> Value {
    match kind {
        Scalar::F64 => Value::Float(value, kind),
        kind if kind.is_float() => Value::Float(f64::from(value as f32), kind),
        kind => Value::Int(super::super::convert::wrap(value as i64, kind), kind),
    }
}

fn float(value: &Value) -> Option<f64> {
    match *value {
        Value::Float(v, _) => Some(v),
        Value::Int(v, _) => Some(v as f64),
        _ => None,
    }
}

fn scalars<'v>(value: &'v Value, list: &mut Vec<&'v Value>) {
    match value {
        Value::Composite(parts) => parts.iter().for_each(|p| scalars(p, list)),
        scalar => list.push(scalar),
    }
}

fn floats(value: &Value) -> Option<Vec<f64>> {
    let mut all = Vec::new();
    scalars(value, &mut all);
    all.into_iter().map(float).collect()
}

fn kind(value: &Value) -> Option<Scalar> {
    match value {
        Value::Float(_, kind) | Value::Int(_, kind) => Some(*kind),
        Value::Composite(parts) => kind(parts.first()?),
        _ => None,
    }
}
