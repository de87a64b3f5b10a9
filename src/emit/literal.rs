//! Literals in a language's spelling: as in the source where that is legal, else from the value.

use crate::check::constant::{HALF_INFINITY, LARGEST_HALF, round};
use crate::tree::{Literal, Scalar};

/// How a language writes literals.
pub(super) struct Literals {
    /// (scalar, text before, text after) of those that are not written plainly.
    pub(super) forms: &'static [(Scalar, &'static str, &'static str)],
    /// Integers whose sign bit alone is set, which no negated literal can say: (scalar, spelling).
    pub(super) minimum: &'static [(Scalar, &'static str)],
    /// (before, after) the bits of a float that no literal can say, as `0x7F800000`.
    pub(super) bits: (&'static str, &'static str),
    /// Suffixes of the source that give a literal its type here, too, instead of what `forms` has.
    pub(super) suffixes: &'static [(Scalar, &'static [&'static str])],
    /// A whole number without a suffix takes the type of what it is assigned to or computed with, floats among them.
    pub(super) adapts: bool,
}

impl Literals {
    fn form(&self, scalar: Scalar) -> (&'static str, &'static str) {
        self.forms.iter().find(|(s, ..)| *s == scalar).map_or(("", ""), |(_, before, after)| (before, after))
    }

    /// The same for a literal that has a suffix in the source.
    fn spelled_form<'s>(&self, scalar: Scalar, suffix: &'s str) -> (&'static str, &'s str) {
        let own = self.form(scalar);
        let is_own = self.suffixes.iter().any(|(s, known)| *s == scalar && known.contains(&suffix));
        if is_own { ("", suffix) } else { own }
    }

    /// Whether the spelling of a float in the source says its type here.
    pub(super) fn says_type(&self, scalar: Scalar, literal: Literal, spelling: Option<&str>) -> bool {
        let Literal::Float(value) = literal else { return false };
        let Some((digits, suffix)) = spelling.map(parts) else { return false };
        let known = self.suffixes.iter().any(|(s, known)| *s == scalar && known.contains(&suffix));
        known && says_float(scalar, digits, value)
    }

    /// Whether a number is written with the suffix that it has in the source, or another one of the same type.
    pub(super) fn has_own_type(&self, scalar: Scalar, literal: Literal, spelling: &str) -> bool {
        let is_unsigned = scalar == Scalar::U32 && matches!(literal, Literal::Int(_)) && has_suffix(spelling);
        is_unsigned || self.says_type(scalar, literal, Some(spelling))
    }

    /// The spelling of a whole number that a literal is in the source, for where its type is that of what is around it.
    pub(super) fn adapting<'s>(&self, scalar: Scalar, literal: Literal, spelling: &'s str) -> Option<&'s str> {
        if !self.adapts {
            return None;
        }
        let number = plain_integer(spelling).filter(|n| *n <= i128::from(i32::MAX))?;
        let is_same = match (literal, scalar) {
            (Literal::Int(value), Scalar::U32) => i128::from(value) == number,
            (Literal::Int(value), Scalar::F32) => i128::from(value) == number && number <= EXACT,
            (Literal::Float(value), Scalar::F32) => value == number as f64 && number <= EXACT,
            (Literal::Bool(value), Scalar::Bool) => number == i128::from(value),
            _ => false,
        };
        is_same.then_some(spelling)
    }
}

/// Whether a number of 32 bits is written as a whole number without a suffix, which is the same with a sign and without.
pub(super) fn is_plain(value: i64, spelling: &str) -> bool {
    plain_integer(spelling).is_some_and(|number| number == i128::from(value) && number <= i128::from(i32::MAX))
}

/// Whole numbers up to here are exact in `float`.
const EXACT: i128 = 1 << 24;

/// A number of the source as digits and suffix.
fn parts(spelling: &str) -> (&str, &str) {
    let is_hexadecimal = spelling.starts_with("0x") || spelling.starts_with("0X");
    let suffixes: &[char] = if is_hexadecimal {
        &['u', 'U', 'l', 'L', 'z', 'Z']
    } else {
        &['u', 'U', 'l', 'L', 'z', 'Z', 'f', 'F', 'h', 'H']
    };
    spelling.split_at(spelling.trim_end_matches(suffixes).len())
}

/// Whether a text ends with a letter that is its suffix.
pub(super) fn has_suffix(text: &str) -> bool {
    !parts(text).1.is_empty()
}

/// The text of a literal; begins with `-` where it is a negated one. The spelling of the source is kept where it says the same.
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
    if let Some((digits, suffix)) = spelling.map(parts).filter(|(digits, _)| says_float(scalar, digits, value)) {
        let (before, after) = style.spelled_form(scalar, suffix);
        return format!("{before}{}{after}", with_point(digits));
    }
    let text = if scalar == Scalar::F64 { format!("{value:?}") } else { format!("{single:?}") };
    // The fewest digits of the largest float are those of a larger number.
    let is_larger = scalar != Scalar::F64 && text.parse().is_ok_and(|v: f64| v.abs() > f32::MAX.into());
    let text = if is_larger { format!("{:?}", f64::from(single)) } else { text };
    format!("{before}{text}{after}")
}

/// Whether digits of the source say the value of a float, for compilers that read them as a double first, too.
fn says_float(scalar: Scalar, digits: &str, value: f64) -> bool {
    let Some(double) = digits.parse::<f64>().ok().filter(|_| is_plain_float(digits)) else { return false };
    let wanted = round(value, scalar);
    let single = || digits.parse::<f32>().is_ok_and(|single| round(single.into(), scalar) == wanted);
    scalar == Scalar::F64 && double == value
        || scalar != Scalar::F64 && double <= f32::MAX.into() && round(double, scalar) == wanted && single()
}

fn integer(style: &Literals, scalar: Scalar, value: i64, spelling: Option<&str>) -> String {
    let (before, after) = style.form(scalar);
    if let Some((_, text)) = style.minimum.iter().find(|(s, _)| *s == scalar)
        && is_minimum(scalar, value)
    {
        return (*text).to_owned();
    }
    let wrapped = wrap(scalar, value);
    match spelling.map(parts).filter(|(digits, _)| plain_integer(digits) == Some(wrapped)) {
        Some((digits, suffix)) => {
            let (before, after) = style.spelled_form(scalar, suffix);
            format!("{before}{digits}{after}")
        }
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

/// `2` as a float is `2.0`. WGSL refuses numbers that begin with needless zeros, which read as octal to people.
fn with_point(text: &str) -> String {
    let trimmed = text.trim_start_matches('0');
    // The zero before the point or exponent, and that of zero.
    let needed = !text.starts_with('.') && !trimmed.starts_with(|c: char| c.is_ascii_digit());
    let zero = usize::from(needed && trimmed.len() < text.len());
    let text = text.get(text.len() - trimmed.len() - zero..).unwrap_or(text);
    if text.contains(['.', 'e', 'E']) { text.to_owned() } else { format!("{text}.0") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Literals = Literals {
        forms: &[(Scalar::U32, "", "u"), (Scalar::F16, "", "h"), (Scalar::I16, "int16_t(", ")")],
        minimum: &[(Scalar::I32, "int(0x80000000)")],
        bits: ("asfloat(", ")"),
        suffixes: &[(Scalar::F32, &["f", "F"]), (Scalar::U32, &["u", "U"])],
        adapts: true,
    };

    #[test]
    fn spellings_are_kept_where_legal() {
        let float = |s: &str, v| text(&STYLE, Scalar::F32, Literal::Float(v), Some(s));
        assert_eq!(float("2.20", 2.2), "2.20");
        assert_eq!(float(".5", 0.5), ".5");
        assert_eq!(float("1.", 1.0), "1.");
        assert_eq!(float("1.0f", 1.0), "1.0f");
        assert_eq!(float("0.50F", 0.5), "0.50F");
        assert_eq!(float("0", 0.0), "0.0");
        assert_eq!(float("1.5h", 1.5), "1.5");
        assert_eq!(float("1e38f", 1e38), "1e38f");
        assert_eq!(float("1e-5", 1e-5), "1e-5");
        assert_eq!(float("007.5", 7.5), "7.5");
        assert_eq!(float("00", 0.0), "0.0");
        let int = |s: &str, v| text(&STYLE, Scalar::U32, Literal::Int(v), Some(s));
        assert_eq!(int("0xFF", 255), "0xFFu");
        assert_eq!(int("010", 8), "8u");
        assert_eq!(int("16U", 16), "16U");
        assert_eq!(int("0xFFul", 255), "0xFFu");
    }

    #[test]
    fn spellings_of_other_values_are_not_kept() {
        let float = |s: &str, v| text(&STYLE, Scalar::F32, Literal::Float(v), Some(s));
        assert_eq!(float("2.0f", 3.0), "3.0");
        assert_eq!(float("1.0", -1.0), "-1.0");
        // In the middle between two floats, which are two numbers if it is a double first.
        assert_eq!(float("1.00000005960464477540", 1.0), "1.0");
        assert_eq!(text(&STYLE, Scalar::U32, Literal::Int(3), Some("2u")), "3u");
    }

    #[test]
    fn whole_numbers_adapt() {
        let of = |scalar, literal, spelling| STYLE.adapting(scalar, literal, spelling);
        assert_eq!(of(Scalar::F32, Literal::Float(2.0), "2"), Some("2"));
        assert_eq!(of(Scalar::U32, Literal::Int(255), "0xFF"), Some("0xFF"));
        assert_eq!(of(Scalar::F32, Literal::Float(2.0), "2.0"), None);
        assert_eq!(of(Scalar::F32, Literal::Float(3.0), "2"), None);
        assert_eq!(of(Scalar::U32, Literal::Int(2), "2u"), None);
        assert_eq!(of(Scalar::F16, Literal::Float(2.0), "2"), None);
        assert_eq!(of(Scalar::U32, Literal::Int(0xFFFF_FFFF), "0xFFFFFFFF"), None);
        assert!(STYLE.says_type(Scalar::F32, Literal::Float(2.0), Some("2.0f")));
        assert!(!STYLE.says_type(Scalar::F32, Literal::Float(3.0), Some("2.0f")));
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
