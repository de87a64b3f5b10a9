//! What builtins give for constants, by the word in `[__computes("...")]`: about the number that a target computes, near enough to
//! say whether a result is one of its type.

use super::super::convert::wrap;
use super::value::Value;
use crate::tree::{Function, Scalar, Types};

/// Words, and functions of floats.
type Rows<F> = &'static [(&'static str, F)];

/// Functions of one float.
const OF_ONE: Rows<fn(f64) -> f64> = &[
    ("acos", f64::acos),
    ("acosh", f64::acosh),
    ("asin", f64::asin),
    ("asinh", f64::asinh),
    ("atan", f64::atan),
    ("atanh", f64::atanh),
    ("ceil", f64::ceil),
    ("cos", f64::cos),
    ("cosh", f64::cosh),
    ("degrees", f64::to_degrees),
    ("exp", f64::exp),
    ("exp2", f64::exp2),
    ("floor", f64::floor),
    ("frac", |x| x - x.floor()),
    ("log", f64::ln),
    ("log2", f64::log2),
    ("radians", f64::to_radians),
    ("round", f64::round_ties_even),
    ("rsqrt", |x| 1.0 / x.sqrt()),
    ("saturate", |x| x.clamp(0.0, 1.0)),
    ("sin", f64::sin),
    ("sinh", f64::sinh),
    ("sqrt", f64::sqrt),
    ("tan", f64::tan),
    ("tanh", f64::tanh),
    ("trunc", f64::trunc),
    // The derivative of what is the same everywhere.
    ("zero", |_| 0.0),
];

/// Functions of two.
const OF_TWO: Rows<fn(f64, f64) -> f64> = &[
    ("atan2", f64::atan2),
    ("max", f64::max),
    ("min", f64::min),
    ("pow", f64::powf),
    ("remainder", |x, y| x % y),
    ("step", |edge, x| if x < edge { 0.0 } else { 1.0 }),
];

/// Functions of three.
const OF_THREE: Rows<fn(f64, f64, f64) -> f64> = &[
    ("clamp", |x, low, high| x.max(low).min(high)),
    ("fma", |a, b, c| a * b + c),
    ("lerp", |x, y, s| x + (y - x) * s),
    ("smoothstep", |low, high, x| {
        let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }),
];

/// Whether every target computes the same: the bits of a number, and the larger one of numbers, which is the one call that DXC
/// takes for the size of an array.
pub(super) fn is_exact(types: &Types, function: &Function) -> bool {
    let is_number = types.component(function.result).is_some_and(|s| s.is_integer() || s.is_float());
    match function.computes() {
        Some("bits") => true,
        Some("max") => is_number,
        _ => false,
    }
}

/// About what a builtin gives for values.
pub(super) fn call(types: &Types, function: &Function, args: &[Value]) -> Option<Value> {
    let (word, kind) = (function.computes()?, types.component(function.result)?);
    if word == "dot"
        && let Some(sum) = integer_dot(kind, args)
    {
        return Some(sum);
    }
    // Functions that make one value of all components.
    let vectors: Option<Vec<Vec<f64>>> = args.iter().map(|value| value.floats()).collect();
    let whole = match (word, vectors.as_deref()) {
        ("dot", Some([a, b])) => Some(vec![dot(a, b)]),
        ("length", Some([a])) => Some(vec![dot(a, a).sqrt()]),
        ("distance", Some([a, b])) => {
            let between: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
            Some(vec![dot(&between, &between).sqrt()])
        }
        ("normalize", Some([a])) => Some(a.iter().map(|x| x / dot(a, a).sqrt()).collect()),
        ("cross", Some([a, b])) => match (a.as_slice(), b.as_slice()) {
            ([ax, ay, az], [bx, by, bz]) => Some(vec![ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]),
            _ => None,
        },
        _ => None,
    };
    if let Some(numbers) = whole {
        let mut parts: Vec<Value> = numbers.into_iter().map(|x| float(x, kind)).collect();
        let one = matches!(args.first(), Some(Value::Float(..))) || matches!(word, "dot" | "length" | "distance");
        return if one { parts.pop() } else { Some(Value::Composite(parts)) };
    }
    // The others go by components; an argument that is a scalar stands for each.
    let Some(count) = args.iter().find_map(|v| if let Value::Composite(parts) = v { Some(parts.len()) } else { None })
    else {
        return scalars(word, kind, args);
    };
    let of_component = |i: usize| {
        let parts = args.iter().map(|value| match value {
            Value::Composite(parts) => parts.get(i).cloned(),
            scalar => Some(scalar.clone()),
        });
        scalars(word, kind, &parts.collect::<Option<Vec<_>>>()?)
    };
    (0..count).map(of_component).collect::<Option<Vec<_>>>().map(Value::Composite)
}

/// The sum of products of integers.
fn integer_dot(kind: Scalar, args: &[Value]) -> Option<Value> {
    let [a, b] = args else { return None };
    let products = a.integers()?.into_iter().zip(b.integers()?).map(|(a, b)| a.wrapping_mul(b));
    Some(Value::Int(wrap(products.fold(0, i64::wrapping_add), kind), kind))
}

/// The same for scalars.
fn scalars(word: &str, kind: Scalar, args: &[Value]) -> Option<Value> {
    fn find<F: Copy>(list: Rows<F>, word: &str) -> Option<F> {
        list.iter().find(|(w, _)| *w == word).map(|(_, f)| *f)
    }
    match *args {
        [Value::Int(n, of)] => match word {
            "abs" => Some(Value::Int(wrap(n.wrapping_abs(), of), of)),
            "sign" => Some(Value::Int(n.signum(), kind)),
            "bits" => of_bits(n, kind),
            _ => counted(word, n, of).map(|bits| Value::Int(wrap(bits.into(), kind), kind)),
        },
        [Value::Float(x, of)] => match word {
            "abs" => Some(Value::Float(x.abs(), of)),
            "sign" => Some(Value::Int(if x == 0.0 { 0 } else { x.signum() as i64 }, kind)),
            // What is no number has no one pattern of bits.
            "bits" if of == Scalar::F32 && !x.is_nan() => of_bits(i64::from((x as f32).to_bits()), kind),
            _ => find(OF_ONE, word).map(|f| float(f(x), of)),
        },
        [Value::Int(a, of), Value::Int(b, _)] if of != Scalar::U64 => match word {
            "min" => Some(Value::Int(a.min(b), of)),
            "max" => Some(Value::Int(a.max(b), of)),
            _ => None,
        },
        [Value::Int(x, of), Value::Int(low, _), Value::Int(high, _)] if of != Scalar::U64 && word == "clamp" => {
            Some(Value::Int(x.max(low).min(high), of))
        }
        [Value::Int(a, of), Value::Int(b, _), Value::Int(c, _)] if of != Scalar::U64 && word == "fma" => {
            Some(Value::Int(wrap(a.wrapping_mul(b).wrapping_add(c), of), of))
        }
        [Value::Float(a, of), Value::Float(b, _)] => find(OF_TWO, word).map(|f| float(f(a, b), of)),
        [Value::Float(a, of), Value::Float(b, _), Value::Float(c, _)] => {
            find(OF_THREE, word).map(|f| float(f(a, b, c), of))
        }
        _ => None,
    }
}

/// The words that are about the bits of a number of 32.
fn counted(word: &str, n: i64, of: Scalar) -> Option<u32> {
    let bits = match of {
        Scalar::I32 | Scalar::U32 => n as u32,
        _ => return None,
    };
    // Of a negative number the highest clear bit is found.
    let found = if of == Scalar::I32 && n < 0 { !bits } else { bits };
    match word {
        "countbits" => Some(bits.count_ones()),
        "firstbithigh" => Some(found.checked_ilog2().unwrap_or(u32::MAX)),
        "firstbitlow" => Some(if bits == 0 { u32::MAX } else { bits.trailing_zeros() }),
        "reversebits" => Some(bits.reverse_bits()),
        _ => None,
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn float(x: f64, kind: Scalar) -> Value {
    Value::Float(super::arithmetic::round(x, kind), kind)
}

/// A number of 32 bits.
fn of_bits(bits: i64, kind: Scalar) -> Option<Value> {
    match kind {
        Scalar::F32 => Some(Value::Float(f32::from_bits(bits as u32).into(), kind)),
        Scalar::I32 | Scalar::U32 => Some(Value::Int(wrap(bits, kind), kind)),
        _ => None,
    }
}

impl Value {
    /// The number of an integer, or those of a vector of integers.
    fn integers(&self) -> Option<Vec<i64>> {
        match self {
            Value::Int(n, _) => Some(vec![*n]),
            Value::Composite(parts) => {
                parts.iter().map(|p| if let Value::Int(n, _) = p { Some(*n) } else { None }).collect()
            }
            Value::Bool(_) | Value::Float(..) | Value::Text(_) => None,
        }
    }

    /// The numbers of a float or of a vector of floats.
    fn floats(&self) -> Option<Vec<f64>> {
        match self {
            Value::Float(x, _) => Some(vec![*x]),
            Value::Composite(parts) => {
                parts.iter().map(|p| if let Value::Float(x, _) = p { Some(*x) } else { None }).collect()
            }
            Value::Bool(_) | Value::Int(..) | Value::Text(_) => None,
        }
    }
}
