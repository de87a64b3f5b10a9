//! Literals: spelling to value.

use super::Parser;
use crate::ast::ExprKind;
use crate::diagnostic::Code;
use crate::lex::{Token, TokenKind, character_codes};
use crate::symbol::Symbol;

/// Suffixes of integers, and how they are written in the tree.
const INT_SUFFIXES: &[(&str, &str)] = &[
    ("", ""),
    ("u", "u"),
    ("l", "l"),
    ("ul", "ul"),
    ("lu", "ul"),
    ("ll", "ll"),
    ("ull", "ull"),
    ("llu", "ull"),
    ("z", "z"),
    ("uz", "uz"),
    ("zu", "uz"),
];
const FLOAT_SUFFIXES: &[&str] = &["", "f", "h", "hf", "fh", "l", "lf", "fl"];

/// `123u`: value and suffix; the error in words.
fn int_value(text: &str) -> Result<(u64, &'static str), String> {
    let text: String = text.chars().filter(|c| !matches!(c, '_' | '\'')).collect::<String>().to_ascii_lowercase();
    let (radix, digits, name) = match text.as_bytes() {
        [b'0', b'x', ..] => (16, &text[2..], "hexadecimal"),
        [b'0', b'b', ..] => (2, &text[2..], "binary"),
        [b'0', b'0'..=b'9', ..] => (8, &text[1..], "octal"),
        _ => (10, text.as_str(), "decimal"),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let suffix = INT_SUFFIXES.iter().find(|(s, _)| *s == suffix).map(|(_, s)| *s);
    match suffix {
        Some(suffix) if !digits.is_empty() => {
            let value = u64::from_str_radix(digits, radix);
            value.map(|v| (v, suffix)).map_err(|_| format!("`{text}` does not fit into 64 bits"))
        }
        _ => Err(format!("`{text}` is not a {name} number")),
    }
}

/// `1.5e3f`: value and suffix.
fn float_value(text: &str) -> Option<(f64, &'static str)> {
    let text: String = text.chars().filter(|c| !matches!(c, '_' | '\'')).collect::<String>().to_ascii_lowercase();
    if text.starts_with("0x") {
        return hex_float(text.get(2..)?);
    }
    if let Some((_, special)) = text.split_once('#') {
        let suffix = FLOAT_SUFFIXES.iter().find(|s| special.get(3..) == Some(**s))?;
        return Some((if special.starts_with("inf") { f64::INFINITY } else { f64::NAN }, suffix));
    }
    let end = text.trim_end_matches(['f', 'h', 'l']).len();
    let (digits, suffix) = text.split_at(end);
    let suffix = FLOAT_SUFFIXES.iter().find(|s| **s == suffix)?;
    Some((digits.parse().ok()?, suffix))
}

/// Whether HLSL has no such spelling: separators of digits, infinity without a point, hexadecimal floats without an exponent.
fn is_of_slang(text: &str, is_hex: bool, kind: TokenKind) -> bool {
    let is_float = kind == TokenKind::Float;
    text.contains('_') || text.contains('#') && !text.contains('.') || is_hex && is_float && !text.contains(['p', 'P'])
}

/// `1.8p3f` after the `0x`; `1.8`.
fn hex_float(text: &str) -> Option<(f64, &'static str)> {
    // Without an exponent an `f` is a digit.
    let (mantissa, exponent, suffix) = match text.split_once('p') {
        Some((mantissa, exponent)) => {
            let (exponent, suffix) = exponent.split_at(exponent.trim_end_matches(['f', 'h', 'l']).len());
            (mantissa, exponent, suffix)
        }
        None => {
            let (mantissa, suffix) = text.split_at(text.trim_end_matches(['h', 'l']).len());
            (mantissa, "0", suffix)
        }
    };
    let suffix = FLOAT_SUFFIXES.iter().find(|s| **s == suffix)?;
    let mut value = 0.0_f64;
    let mut scale: Option<f64> = None;
    for c in mantissa.chars() {
        match (c.to_digit(16), scale) {
            (Some(d), None) => value = value * 16.0 + f64::from(d),
            (Some(d), Some(s)) => {
                value += f64::from(d) * s;
                scale = Some(s / 16.0);
            }
            (None, None) if c == '.' => scale = Some(1.0 / 16.0),
            _ => return None,
        }
    }
    let exponent: i32 = exponent.parse().ok()?;
    Some((value * 2.0_f64.powi(exponent), suffix))
}

/// The number that a token is; `None` if it is malformed.
pub fn number_of(token: &Token) -> Option<ExprKind> {
    let text = token.text.as_str();
    match token.kind {
        TokenKind::Int => {
            int_value(text).ok().map(|(value, suffix)| ExprKind::Int(value, Symbol::new(suffix), token.text))
        }
        TokenKind::Float => {
            float_value(text).map(|(value, suffix)| ExprKind::Float(value, Symbol::new(suffix), token.text))
        }
        TokenKind::Ident
        | TokenKind::String
        | TokenKind::Char
        | TokenKind::Punct
        | TokenKind::Newline
        | TokenKind::Other
        | TokenKind::Eof => None,
    }
}

/// The text that a string literal stands for.
pub(super) fn unescape(text: &str) -> String {
    if let Some(raw) = text.strip_prefix("R\"") {
        let inner = raw.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')'));
        return inner.map_or_else(String::new, |(inner, _)| inner.to_owned());
    }
    character_codes(text, '"')
        .into_iter()
        .map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

impl Parser<'_> {
    /// An integer or floating-point token. A malformed one is reported and counts as zero.
    pub(super) fn number(&mut self) -> ExprKind {
        let token = self.bump();
        let text = token.text.as_str();
        let is_hex = text.starts_with("0x") || text.starts_with("0X");
        if self.language == super::Language::Hlsl && is_of_slang(text, is_hex, token.kind) {
            self.error_at(Code::BAD_LITERAL, token.span, format!("`{text}` is a number in Slang alone"));
        }
        let float_suffix = !is_hex && text.ends_with(['f', 'F', 'h', 'H']);
        if token.kind == TokenKind::Int && !float_suffix {
            let (value, suffix) = int_value(text).unwrap_or_else(|message| {
                self.error_at(Code::BAD_LITERAL, token.span, message);
                (0, "")
            });
            return ExprKind::Int(value, Symbol::new(suffix), token.text);
        }
        let (value, suffix) = float_value(text).unwrap_or_else(|| {
            self.error_at(Code::BAD_LITERAL, token.span, format!("`{text}` is not a floating-point number"));
            (0.0, "")
        });
        ExprKind::Float(value, Symbol::new(suffix), token.text)
    }

    /// A character token: its code.
    pub(super) fn character(&mut self) -> ExprKind {
        let token = self.bump();
        let value = character_codes(token.text.as_str(), '\'').first().map_or(0, |code| u64::from(*code));
        ExprKind::Int(value, Symbol::new(""), token.text)
    }

    /// The path of a module: a backslash stands between folders, and begins no escape.
    pub(super) fn path_string(&mut self) -> Symbol {
        let mut path = String::new();
        while self.w() == super::words::W::Str {
            let text = self.bump().text;
            let text = text.as_str();
            path.push_str(&match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
                Some(plain) => plain.replace("\\\\", "/").replace('\\', "/"),
                None => unescape(text),
            });
        }
        Symbol::new(&path)
    }

    /// string = STRING STRING*
    pub(super) fn string(&mut self) -> Symbol {
        let mut text = String::new();
        while self.w() == super::words::W::Str {
            text.push_str(&unescape(self.bump().text.as_str()));
        }
        Symbol::new(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        assert_eq!(int_value("0x7Fu"), Ok((127, "u")));
        assert_eq!(int_value("017"), Ok((15, "")));
        assert_eq!(int_value("0"), Ok((0, "")));
        assert_eq!(int_value("0xF_Fu"), Ok((255, "u")));
        assert_eq!(int_value("0b101LU"), Ok((5, "ul")));
        assert_eq!(int_value("18446744073709551615ull"), Ok((u64::MAX, "ull")));
        assert!(int_value("18446744073709551616").is_err());
        assert!(int_value("12q").is_err() && int_value("0x").is_err() && int_value("09").is_err());
    }

    #[test]
    fn floats() {
        assert_eq!(float_value("1.5e3f"), Some((1500.0, "f")));
        assert_eq!(float_value(".5h"), Some((0.5, "h")));
        assert_eq!(float_value("2."), Some((2.0, "")));
        assert_eq!(float_value("1.#INF"), Some((f64::INFINITY, "")));
        assert_eq!(float_value("0x1.8p1"), Some((3.0, "")));
        assert_eq!(float_value("0x1.8"), Some((1.5, "")));
        assert_eq!(float_value("1#INFh"), Some((f64::INFINITY, "h")));
        assert_eq!(float_value("1.5x"), None);
    }

    #[test]
    fn strings() {
        assert_eq!(unescape(r#""a\n\"\x41\101\\""#), "a\n\"AA\\");
        assert_eq!(unescape(r#""\u00e9\U0001F600""#), "\u{e9}\u{1f600}");
        assert_eq!(character_codes(r"'\U12345678'", '\''), [0x1234_5678]);
        assert_eq!(character_codes("'x'", '\''), [0x78]);
    }
}
