//! For which constants a builtin gives a finite number, by the word in `[__defined("...")]`.
//!
//! A target that computes calls of constants refuses a result that is none (WGSL, section 2.3 "Shader-Creation Errors").

use crate::check::constant::Value;
use crate::symbol::Symbol;
use crate::tree::{AttributeArg, Function, Scalar};

/// A word, and what a number satisfies; a half, where that is another.
type NumberRule = (&'static str, fn(f64) -> bool, Option<fn(f64) -> bool>);

/// (word, what every number among the arguments satisfies).
const NUMBERS: &[NumberRule] = &[
    ("positive", |x| x > 0.0, None),
    ("not_negative", |x| x >= 0.0, None),
    ("unit", |x| x.abs() <= 1.0, None),
    ("below_one", |x| x.abs() < 1.0, None),
    ("from_one", |x| x >= 1.0, None),
    // e and 2 to the power of it, and as much again.
    ("small", |x| x.abs() <= 80.0, Some(|x| x.abs() <= 10.0)),
    // Bases and exponents of which no power leaves the range of floats.
    ("power", |x| (1e-3..=12.0).contains(&x), Some(|x| (1e-2..=5.0).contains(&x))),
    // Products and sums of products stay in range.
    ("moderate", |x| x.abs() <= 1e18, Some(|x| x.abs() <= 100.0)),
    ("cubed", |x| x.abs() <= 1e12, Some(|x| x.abs() <= 15.0)),
    // Sums of products of four, too.
    ("factor", |x| x.abs() <= 1e9, Some(|x| x.abs() <= 5.0)),
    ("half", |x| x.abs() <= 65504.0, None),
];

/// The word of a builtin that is not defined for all numbers.
pub(super) fn domain(function: &Function) -> Option<Symbol> {
    match function.attribute("__defined")?.args.first() {
        Some(AttributeArg::Text(word)) => Some(*word),
        _ => None,
    }
}

/// What is known of an argument.
pub(super) enum Constancy {
    /// It is no constant.
    Varying,
    /// The target may compute it while it compiles, and we do not.
    Computed,
    /// About its value.
    About(Value),
}

/// The numbers of an argument, if it is a constant.
type ArgumentNumbers = Option<Vec<f64>>;

/// A word, and what the arguments satisfy.
type ListRule = (&'static str, fn(&[ArgumentNumbers]) -> bool);

/// (word, what the arguments satisfy).
const LISTS: &[ListRule] = &[
    ("direction", |args| match args {
        [Some(x)] => x.iter().all(|x| x.abs() <= 1e18) && x.iter().any(|x| x.abs() > 1e-18),
        _ => true,
    }),
    ("half_direction", |args| match args {
        [Some(x)] => x.iter().all(|x| x.abs() <= 100.0) && x.iter().any(|x| x.abs() > 1e-1),
        _ => true,
    }),
    ("remainder", |args| divides(args, 1e38)),
    ("half_remainder", |args| divides(args, 6e4)),
    // The bounds are looked at even where the rest is no constant.
    ("clamped", |args| ordered(args.get(1), args.get(2), |low, high| low == high || apart(low, high))),
    ("smooth", |args| ordered(args.first(), args.get(1), apart) && within(args, 1e38) && steps(args, 1e38)),
    ("half_smooth", |args| ordered(args.first(), args.get(1), apart) && within(args, 3e4) && steps(args, 3e4)),
    // No work group has more invocations that read of each other.
    ("lane", |args| match args.get(1) {
        Some(Some(lane)) => lane.iter().all(|n| (0.0..128.0).contains(n)),
        _ => true,
    }),
    ("finite_bits", |args| args.iter().flatten().flatten().all(|bits| exponent(*bits, 0x7F80_0000))),
    ("finite_halves_bits", |args| {
        let mut all = args.iter().flatten().flatten();
        all.all(|bits| exponent(*bits, 0x7C00) && exponent(*bits, 0x7C00_0000))
    }),
];

/// Whether a builtin of that word is defined for its arguments, as far as they are constants.
pub(super) fn is_defined(word: &str, args: &[Constancy]) -> bool {
    let computed = |at: std::ops::Range<usize>| {
        let looked_at = args.get(at).unwrap_or(args);
        let constant = looked_at.iter().all(|arg| !matches!(arg, Constancy::Varying));
        constant && looked_at.iter().any(|arg| matches!(arg, Constancy::Computed))
    };
    // The arguments that are looked at even where others are no constants.
    let unknown = match word {
        "clamped" => computed(1..3),
        "smooth" => computed(0..2) || computed(0..3),
        "lane" => computed(1..2),
        _ => computed(0..args.len()),
    };
    if unknown {
        return false;
    }
    let values = || args.iter().map(|arg| if let Constancy::About(value) = arg { Some(value) } else { None });
    let lists: Vec<ArgumentNumbers> = values().map(|value| value.map(numbers)).collect();
    let constant = lists.iter().all(Option::is_some);
    let every = |holds: fn(f64) -> bool| !constant || lists.iter().flatten().flatten().all(|x| holds(*x));
    let halves = values().flatten().any(is_half);
    let of_half = format!("half_{word}");
    let has_own = halves && LISTS.iter().any(|(w, _)| *w == of_half);
    let word = if has_own { of_half.as_str() } else { word };
    let holds = NUMBERS.iter().find(|(w, ..)| *w == word);
    let every = holds.map(|(_, holds, of_half)| every(of_half.filter(|_| halves).unwrap_or(*holds)));
    let whole = LISTS.iter().find(|(w, _)| *w == word).map(|(_, holds)| holds(&lists));
    every.or(whole).unwrap_or(true)
}

fn is_half(value: &Value) -> bool {
    match value {
        Value::Float(_, kind) => *kind == Scalar::F16,
        Value::Composite(parts) => parts.iter().any(is_half),
        Value::Bool(_) | Value::Int(..) | Value::Text(_) => false,
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Float(x, _) => vec![*x],
        Value::Int(n, _) => vec![*n as f64],
        Value::Composite(parts) => parts.iter().flat_map(numbers).collect(),
        Value::Bool(_) | Value::Text(_) => Vec::new(),
    }
}

/// Whether quotients of constants are in a range.
fn divides(args: &[ArgumentNumbers], most: f64) -> bool {
    let [Some(numbers), Some(divisors)] = args else { return true };
    numbers.iter().zip(divisors).all(|(x, divisor)| *divisor != 0.0 && (x / divisor).abs() <= most)
}

/// Whether a constant between bounds that are constants is so many times their distance away at most.
fn steps(args: &[ArgumentNumbers], most: f64) -> bool {
    let [Some(low), Some(high), Some(numbers)] = args else { return true };
    low.iter().zip(high).zip(numbers).all(|((low, high), x)| ((x - low) / (high - low)).abs() <= most)
}

/// Whether the constants among arguments, and their differences, are in a range. It is not looked at where the second is none.
fn within(args: &[ArgumentNumbers], most: f64) -> bool {
    !matches!(args.get(1), Some(Some(_))) || args.iter().flatten().flatten().all(|x| x.abs() <= most)
}

/// Whether a number is below another however both are rounded.
fn apart(low: f64, high: f64) -> bool {
    high - low > 4e-3_f64.min(1e-3 * low.abs().max(high.abs()))
}

/// Whether bounds are in order in every component.
fn ordered(low: Option<&ArgumentNumbers>, high: Option<&ArgumentNumbers>, holds: fn(f64, f64) -> bool) -> bool {
    let (Some(Some(low)), Some(Some(high))) = (low, high) else { return true };
    low.iter().zip(high).all(|(low, high)| holds(*low, *high))
}

/// Whether the exponent bits are not those of infinities and NaN.
fn exponent(bits: f64, mask: u32) -> bool {
    bits as i64 as u32 & mask != mask
}
