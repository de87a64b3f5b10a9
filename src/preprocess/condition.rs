//! The integer expressions of `#if` and `#elif`: 64 bits, all operators of C but assignment and comma.

use super::{Item, Processor};
use crate::diagnostic::{Code, Diagnostic};
use crate::lex::{Token, TokenKind, character_codes};
use crate::source::Span;
use crate::symbol::Symbol;

/// Parentheses and unary operators nest at most this deeply.
const MAX_DEPTH: u32 = 200;

/// A value: its bits, and whether it is unsigned.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn signed(value: i64) -> Value {
        Value { bits: value as u64, unsigned: false }
    }
    fn truth(value: bool) -> Value {
        Value::signed(i64::from(value))
    }
    fn is_true(self) -> bool {
        self.bits != 0
    }
}

/// Binary operators with their precedence.
const BINARY: [(&str, u8); 18] = [
    ("||", 1),
    ("&&", 2),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("==", 6),
    ("!=", 6),
    ("<", 7),
    ("<=", 7),
    (">", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

/// What is wrong, and where.
type Failure = (Span, String);

impl Processor<'_> {
    /// The truth of an `#if` line. A malformed one is reported and counts as false.
    pub(super) fn evaluate(&mut self, tokens: &[Token], directive: Span) -> bool {
        let items = tokens.iter().map(|t| Item { token: *t, painted: false }).collect();
        let expanded: Vec<Token> = self.expand_apart(items, true).iter().map(|i| i.token).collect();
        if self.aborted {
            return false;
        }
        let place = tokens.last().map_or(directive, |t| t.span);
        let mut parser = Parser { tokens: &expanded, at: 0, end: place, depth: 0 };
        match parser.whole() {
            Ok(value) => value.is_true(),
            Err((span, message)) => {
                self.diags.push(Diagnostic::error(Code::BAD_DIRECTIVE, span, message));
                false
            }
        }
    }

    /// `defined X`, `__has_include(...)` and feature tests, whose operands are not expanded: the answer as a number.
    pub(super) fn condition_operator(&mut self, token: &Token) -> Option<Item> {
        let text = token.text.as_str();
        if token.kind != TokenKind::Ident || !(text == "defined" || text.starts_with("__has_")) {
            return None;
        }
        if self.macros.contains_key(&token.text) {
            return None;
        }
        let answer = if text == "defined" { self.defined(token) } else { self.has(token) };
        let text = Symbol::new(if answer { "1" } else { "0" });
        Some(Item { token: Token { kind: TokenKind::Int, text, ..*token }, painted: false })
    }

    fn defined(&mut self, operator: &Token) -> bool {
        let mut next = self.pull();
        let parenthesized = next.is_some_and(|i| i.token.text == self.names.open);
        if parenthesized {
            next = self.pull();
        }
        let Some(name) = next.map(|i| i.token).filter(|t| t.kind == TokenKind::Ident) else {
            self.error(Code::BAD_DIRECTIVE, operator.span, "`defined` needs the name of a macro");
            return false;
        };
        if parenthesized && !self.pull().is_some_and(|i| i.token.text == self.names.close) {
            self.error(Code::BAD_DIRECTIVE, name.span, "`defined(` is not closed after the name");
        }
        self.asks_for(name.text);
        self.is_defined(name.text)
    }

    /// `__has_include("file")`; every other test (`__has_feature(x)`, ...) fails, as nothing of the kind is promised.
    fn has(&mut self, operator: &Token) -> bool {
        let mut operand = Vec::new();
        let mut nesting = 0u32;
        while let Some(item) = self.pull() {
            let text = item.token.text;
            if text == self.names.open {
                nesting += 1;
                if nesting == 1 {
                    continue;
                }
            } else if text == self.names.close {
                nesting = nesting.saturating_sub(1);
            }
            if nesting == 0 {
                break;
            }
            operand.push(item.token);
        }
        if operand.is_empty() {
            let message = format!("`{}` needs an operand in parentheses", operator.text);
            self.error(Code::BAD_DIRECTIVE, operator.span, message);
            return false;
        }
        if operator.text != self.names.has_include {
            return false;
        }
        let Some((path, quoted)) = self.header_name(&operand) else {
            self.error(Code::BAD_DIRECTIVE, operator.span, "`__has_include` needs `\"file\"` or `<file>`");
            return false;
        };
        self.load_include(&path, quoted).is_ok()
    }
}

/// A recursive descent over the expanded line. `live` is false where the value does not count (`0 && 1/0`).
struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    end: Span,
    depth: u32,
}

impl Parser<'_> {
    /// `conditional end`
    fn whole(&mut self) -> Result<Value, Failure> {
        if self.tokens.is_empty() {
            return Err((self.end, "the condition is missing".to_owned()));
        }
        let value = self.conditional(true)?;
        match self.tokens.get(self.at) {
            None => Ok(value),
            Some(extra) if extra.text == "(" => {
                let before = self.at.checked_sub(1).and_then(|i| self.tokens.get(i));
                let name = before.map_or("", |t| t.text.as_str());
                Err((extra.span, format!("`{name}` is not a function-like macro here, so it cannot be called")))
            }
            Some(extra) => Err((extra.span, format!("`{}` is not expected in the condition", extra.text))),
        }
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let span = self.tokens.get(self.at).map_or(self.end, |t| t.span);
            return Err((span, format!("the condition is nested more than {MAX_DEPTH} deep")));
        }
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|t| t.kind == TokenKind::Punct && t.text == text);
        self.at += usize::from(found);
        found
    }

    /// `binary [? conditional : conditional]`
    fn conditional(&mut self, live: bool) -> Result<Value, Failure> {
        let condition = self.binary(1, live)?;
        if !self.accept("?") {
            return Ok(condition);
        }
        let first = self.nested(|p| p.conditional(live && condition.is_true()))?;
        if !self.accept(":") {
            let span = self.tokens.get(self.at).map_or(self.end, |t| t.span);
            return Err((span, "`?` without its `:` in the condition".to_owned()));
        }
        let second = self.nested(|p| p.conditional(live && !condition.is_true()))?;
        let unsigned = first.unsigned || second.unsigned;
        Ok(Value { unsigned, ..if condition.is_true() { first } else { second } })
    }

    /// The operator at the position, with the number of tokens it takes: `>>` and `>=` come in two.
    fn operator(&self) -> Option<(&'static str, u8, usize)> {
        let token = self.tokens.get(self.at).filter(|t| t.kind == TokenKind::Punct)?;
        let mut text = token.text.as_str();
        let mut length = 1;
        if text == ">"
            && let Some(next) = self.tokens.get(self.at + 1).filter(|t| t.joined)
        {
            match next.text.as_str() {
                ">" => (text, length) = (">>", 2),
                "=" => (text, length) = (">=", 2),
                _ => {}
            }
        }
        BINARY.iter().find(|(name, _)| *name == text).map(|(name, precedence)| (*name, *precedence, length))
    }

    /// Operators of at least this precedence, all left-associative.
    fn binary(&mut self, least: u8, live: bool) -> Result<Value, Failure> {
        let mut left = self.unary(live)?;
        while let Some((operator, precedence, length)) = self.operator() {
            if precedence < least {
                break;
            }
            let span = self.tokens.get(self.at).map_or(self.end, |t| t.span);
            self.at += length;
            let right_live = live
                && match operator {
                    "&&" => left.is_true(),
                    "||" => !left.is_true(),
                    _ => true,
                };
            let right = self.nested(|p| p.binary(precedence + 1, right_live))?;
            left = match apply(operator, left, right) {
                Some(value) => value,
                None if !live => Value::signed(0),
                None => return Err((span, "division by zero in the condition".to_owned())),
            };
        }
        Ok(left)
    }

    /// `! ~ - + unary | ( conditional ) | literal | name`
    fn unary(&mut self, live: bool) -> Result<Value, Failure> {
        let Some(token) = self.tokens.get(self.at).copied() else {
            return Err((self.end, "the condition ends where a value is needed".to_owned()));
        };
        self.at += 1;
        let text = token.text.as_str();
        match (token.kind, text) {
            (TokenKind::Punct, "!") => Ok(Value::truth(!self.nested(|p| p.unary(live))?.is_true())),
            (TokenKind::Punct, "-") => {
                self.nested(|p| p.unary(live)).map(|v| Value { bits: v.bits.wrapping_neg(), ..v })
            }
            (TokenKind::Punct, "~") => self.nested(|p| p.unary(live)).map(|v| Value { bits: !v.bits, ..v }),
            (TokenKind::Punct, "+") => self.nested(|p| p.unary(live)),
            (TokenKind::Punct, "(") => {
                let value = self.nested(|p| p.conditional(live))?;
                if self.accept(")") {
                    Ok(value)
                } else {
                    Err((token.span, "this `(` is not closed in the condition".to_owned()))
                }
            }
            (TokenKind::Int, _) => {
                integer(text).ok_or_else(|| (token.span, format!("`{text}` does not fit into 64 bits")))
            }
            (TokenKind::Char, _) => {
                character(text).ok_or_else(|| (token.span, format!("{text} is not a single character")))
            }
            // `true` is the only name with a value of its own; every other that is no macro is 0.
            (TokenKind::Ident, _) => Ok(Value::truth(text == "true")),
            (TokenKind::Float, _) => Err((token.span, "conditions are of integers only".to_owned())),
            _ => Err((token.span, format!("`{text}` is not expected in the condition"))),
        }
    }
}

/// The value of a binary operation; `None` for a division by zero.
fn apply(operator: &str, left: Value, right: Value) -> Option<Value> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (sa, sb) = (a as i64, b as i64);
    let number = |bits: u64| Some(Value { bits, unsigned });
    // C's comparison is unsigned as soon as one side is.
    let order = if unsigned { a.cmp(&b) } else { sa.cmp(&sb) };
    let shift = |amount: u64| u32::try_from(amount).unwrap_or(64);
    match operator {
        "||" => Some(Value::truth(left.is_true() || right.is_true())),
        "&&" => Some(Value::truth(left.is_true() && right.is_true())),
        "|" => number(a | b),
        "^" => number(a ^ b),
        "&" => number(a & b),
        "==" => Some(Value::truth(a == b)),
        "!=" => Some(Value::truth(a != b)),
        "<" => Some(Value::truth(order.is_lt())),
        "<=" => Some(Value::truth(order.is_le())),
        ">" => Some(Value::truth(order.is_gt())),
        ">=" => Some(Value::truth(order.is_ge())),
        "<<" => Some(Value { bits: a.checked_shl(shift(b)).unwrap_or(0), ..left }),
        ">>" if left.unsigned => Some(Value { bits: a.checked_shr(shift(b)).unwrap_or(0), ..left }),
        ">>" => Some(Value::signed(sa >> shift(b).min(63))),
        "+" => number(a.wrapping_add(b)),
        "-" => number(a.wrapping_sub(b)),
        "*" => number(a.wrapping_mul(b)),
        "/" if unsigned => number(a.checked_div(b)?),
        "%" if unsigned => number(a.checked_rem(b)?),
        "/" if b != 0 => number(sa.wrapping_div(sb) as u64),
        "%" if b != 0 => number(sa.wrapping_rem(sb) as u64),
        _ => None,
    }
}

fn integer(text: &str) -> Option<Value> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z']);
    let suffixed = text.get(digits.len()..).is_some_and(|s| s.contains(['u', 'U']));
    let lower = digits.to_ascii_lowercase();
    let bits = if let Some(hex) = lower.strip_prefix("0x") {
        u64::from_str_radix(hex, 16)
    } else if let Some(binary) = lower.strip_prefix("0b") {
        u64::from_str_radix(binary, 2)
    } else if lower.len() > 1 && lower.starts_with('0') {
        u64::from_str_radix(&lower, 8)
    } else {
        lower.parse()
    };
    bits.ok().map(|bits| Value { bits, unsigned: suffixed || bits > i64::MAX as u64 })
}

fn character(text: &str) -> Option<Value> {
    let [code] = character_codes(text, '\'')[..] else { return None };
    Some(Value::signed(code.into()))
}
