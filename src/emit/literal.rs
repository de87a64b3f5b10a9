//! Literals in a language's spelling: as in the source where that is legal, else from the value.

use crate::check::constant::{HALF_INFINITY, LARGEST_HALF};
use crate::tree::{Literal, Scalar};

/// How a language writes literals.
pub(super) struct Literals {
    /// (scalar, text before, text after) of those that are not written plainly.
    pub(super) forms: &'static [(Scalar, &'static str, &'static str)],
    /// Integers whose sign bit alone is set, which no negated literal can say: (scalar, spelling).
    pub(super) minimum: &'static [(Scalar, &'static str)],
    /// (before, after) the bits of a float that no literal can say, as `0x7F800000`.
    pub(super) bits: (&'static str, &'static str),
}

impl Literals {
    fn form(&self, scalar: Scalar) -> (&'static str, &'static str) {
        self.forms.iter().find(|(s, ..)| *s == scalar).map_or(("", ""), |(_, before, after)| (before, after))
    }
}

/// The text of a literal; begins with `-` where it is a negated one.
pub(super) fn text(style: &Literals, scalar: Scalar, literal: Literal, spelling: Option<&str>) -> String {
    match literal {
        Literal::Text(text) => quoted(text.as_str()),
        Literal::Bool(value) if scalar == Scalar::Bool => value.to_string(),
        Literal::Int(value) if scalar == Scalar::Bool => (value != 0).to_string(),
        Literal::Float(value) if scalar == Scalar::Bool => (value != 0.0).to_string(),
        Literal::Float(value) if scalar.is_float() => float(style, scalar, value, spelling),
        Literal::Int(value) if scalar.is_float() => {
            let value = if scalar.is_unsigned() { value as u64 as f64 } else { value as f64 };
            float(style, scalar, value, spelling)
        }
        Literal::Bool(value) if scalar.is_float() => float(style, scalar, f64::from(u8::from(value)), None),
        // As the evaluation of constants has it.
        Literal::Float(value) => {
            let value = match scalar {
                Scalar::I32 => (value as i32).into(),
                Scalar::U64 => value as u64 as i64,
                _ => value as i64,
            };
            integer(style, scalar, value, None)
        }
        Literal::Int(value) => integer(style, scalar, value, spelling),
        Literal::Bool(value) => integer(style, scalar, i64::from(value), None),
    }
}

/// A string literal. All that is not printable ASCII is an escape that C, HLSL and GLSL share: a text cannot leave its quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'\n' => literal.push_str("\\n"),
            b'\t' => literal.push_str("\\t"),
            b'"' | b'\\' => literal.extend(['\\', char::from(byte)]),
            b' '..=b'~' => literal.push(char::from(byte)),
            // Three digits, so that a digit that follows is not part of it.
            other => literal.push_str(&format!("\\{other:03o}")),
        }
    }
    literal + "\""
}

fn float(style: &Literals, scalar: Scalar, value: f64, spelling: Option<&str>) -> String {
    let (before, after) = style.form(scalar);
    // Not every compiler rounds to the largest half.
    let beyond = scalar == Scalar::F16 && value.abs() > LARGEST_HALF && value.abs() < HALF_INFINITY;
    let (value, spelling) = if beyond { (LARGEST_HALF.copysign(value), None) } else { (value, spelling) };
    let single = value as f32;
    let finite = if scalar == Scalar::F64 { value.is_finite() } else { single.is_finite() };
    if !finite {
        return format!("{}0x{:08X}{}", style.bits.0, single.to_bits(), style.bits.1);
    }
    let kept = spelling.filter(|s| is_plain_float(s) && value >= 0.0).map(with_point);
    let shortest = || if scalar == Scalar::F64 { format!("{value:?}") } else { format!("{single:?}") };
    // The fewest digits of the largest float are those of a larger number.
    let larger = |text: &String| scalar != Scalar::F64 && text.parse().is_ok_and(|v: f64| v.abs() > f32::MAX.into());
    let text = Some(kept.unwrap_or_else(shortest)).filter(|text| !larger(text));
    let text = text.unwrap_or_else(|| format!("{:?}", f64::from(single)));
    format!("{before}{text}{after}")
}

fn integer(style: &Literals, scalar: Scalar, value: i64, spelling: Option<&str>) -> String {
    let (before, after) = style.form(scalar);
    if let Some((_, text)) = style.minimum.iter().find(|(s, _)| *s == scalar)
        && is_minimum(scalar, value)
    {
        return (*text).to_owned();
    }
    let wrapped = wrap(scalar, value);
    match spelling.filter(|s| plain_integer(s) == Some(wrapped)) {
        Some(text) => format!("{before}{text}{after}"),
        None if wrapped < 0 && !before.is_empty() => format!("{before}{wrapped}{after}"),
        // All bits set reads better in hexadecimal.
        None if wrapped > i128::from(i32::MAX) => format!("{before}0x{wrapped:X}{after}"),
        None => format!("{before}{wrapped}{after}"),
    }
}

fn is_minimum(scalar: Scalar, value: i64) -> bool {
    match scalar {
        Scalar::I32 => value as i32 == i32::MIN,
        Scalar::I64 => value == i64::MIN,
        _ => false,
    }
}

/// The value that a scalar type holds of an integer.
fn wrap(scalar: Scalar, value: i64) -> i128 {
    match scalar {
        Scalar::I8 => (value as i8).into(),
        Scalar::U8 => (value as u8).into(),
        // A target that has no such narrow integers would keep bits that those of minimum precision may lose.
        Scalar::I16 | Scalar::MinI16 | Scalar::MinI12 => (value as i16).into(),
        Scalar::U16 | Scalar::MinU16 => (value as u16).into(),
        Scalar::U32 => (value as u32).into(),
        Scalar::I64 => value.into(),
        Scalar::U64 => (value as u64).into(),
        _ => (value as i32).into(),
    }
}

/// Digits with an optional point and exponent, no suffix.
fn is_plain_float(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    digits(whole) && digits(part) && whole.len() + part.len() > 0 && digits(exponent) && !exponent.is_empty()
}

/// The number that a text says which is decimal without a leading zero, or hexadecimal, as all languages have them.
fn plain_integer(text: &str) -> Option<i128> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let is_plain = |digits: &str| digits.bytes().all(|b| b.is_ascii_hexdigit());
    match hexadecimal {
        Some(digits) => is_plain(digits).then(|| i128::from_str_radix(digits, 16).ok()).flatten(),
        None => text.parse().ok().filter(|_| is_plain(text) && (text.len() == 1 || !text.starts_with('0'))),
    }
}

/// `2` as a float is `2.0`, and no float begins or ends with its point.
fn with_point(text: &str) -> String {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let mut mantissa = mantissa.to_owned();
    if mantissa.starts_with('.') {
        mantissa.insert(0, '0');
    }
    match mantissa.find('.') {
        Some(at) if at + 1 == mantissa.len() => mantissa.push('0'),
        Some(_) => {}
        None if exponent.is_empty() => mantissa.push_str(".0"),
        None => {}
    }
    // A leading zero would read as octal to people, and WGSL refuses it.
    let trimmed = mantissa.trim_start_matches('0');
    let mantissa =
        if trimmed.starts_with('.') || trimmed.is_empty() { format!("0{trimmed}") } else { trimmed.to_owned() };
    mantissa + exponent
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Literals = Literals {
        forms: &[(Scalar::U32, "", "u"), (Scalar::F16, "", "h"), (Scalar::I16, "int16_t(", ")")],
        minimum: &[(Scalar::I32, "int(0x80000000)")],
        bits: ("asfloat(", ")"),
    };

    #[test]
    fn spellings_are_kept_where_legal() {
        let float = |s: &str, v| text(&STYLE, Scalar::F32, Literal::Float(v), Some(s));
        assert_eq!(float("2.20", 2.2), "2.20");
        assert_eq!(float(".5", 0.5), "0.5");
        assert_eq!(float("1.", 1.0), "1.0");
        assert_eq!(float("1e-5", 1e-5), "1e-5");
        assert_eq!(float("007.5", 7.5), "7.5");
        assert_eq!(float("00", 0.0), "0.0");
        let int = |s: &str, v| text(&STYLE, Scalar::U32, Literal::Int(v), Some(s));
        assert_eq!(int("0xFF", 255), "0xFFu");
        assert_eq!(int("010", 8), "8u");
    }

    #[test]
    fn values_fit_their_types() {
        assert_eq!(text(&STYLE, Scalar::U32, Literal::Int(-1), None), "0xFFFFFFFFu");
        assert_eq!(text(&STYLE, Scalar::I32, Literal::Int(i32::MIN.into()), None), "int(0x80000000)");
        assert_eq!(text(&STYLE, Scalar::F32, Literal::Float(f64::INFINITY), None), "asfloat(0x7F800000)");
        assert_eq!(text(&STYLE, Scalar::F32, Literal::Int(1), Some("1")), "1.0");
        assert_eq!(text(&STYLE, Scalar::I16, Literal::Int(-3), None), "int16_t(-3)");
        assert_eq!(text(&STYLE, Scalar::F32, Literal::Float(0.1f32.into()), None), "0.1");
    }
}
