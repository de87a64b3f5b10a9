//! The conditions of WESL (<https://wesl-lang.dev/spec/ConditionalTranslation>): what a text is once its attributes `@if`, `@elif` and
//! `@else` are translated. The proof that a merged text of WGSL is right.
//!
//! An attribute is about the declaration, member, statement, clause or import that it stands before.

use super::Defines;
use super::units::tokens;
use crate::lex::{Token, TokenKind};
use std::collections::BTreeMap;

/// Conditions with more parentheses inside of each other are not read.
const MOST_DEPTH: usize = 64;

/// Whether a text chooses declarations by itself.
pub fn has_attributes(text: &str) -> bool {
    let tokens = tokens(text);
    (0..tokens.len()).any(|at| word(&tokens, at).is_some())
}

/// The tokens that are left of a text with some features, of which each is said to be `1` or not; `None` if it is malformed.
pub fn translated(text: &str, features: &Defines) -> Option<Vec<Token>> {
    let tokens = tokens(text);
    let mut kept = Vec::with_capacity(tokens.len());
    // Where a node with an attribute ends, and whether it or one before it is taken: what `@elif` and `@else` go on from.
    let mut chains: BTreeMap<usize, bool> = BTreeMap::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let Some(word) = word(&tokens, at) else {
            kept.push(*token);
            at += 1;
            continue;
        };
        let mut condition = AttributeCondition { tokens: &tokens, at: at + 2, features };
        let (is_taken, is_decided, goes_on) = match word {
            AttributeWord::If => {
                let holds = condition.in_parentheses(0)?;
                (holds, holds, true)
            }
            AttributeWord::Elif => {
                let (before, holds) = (*chains.get(&at)?, condition.in_parentheses(0)?);
                (!before && holds, before || holds, true)
            }
            AttributeWord::Else => (!*chains.get(&at)?, true, false),
        };
        let behind = condition.at;
        let end = node_end(&tokens, behind)?;
        if goes_on {
            chains.insert(end, is_decided);
        }
        at = if is_taken { behind } else { end };
    }
    Some(kept)
}

/// An attribute.
enum AttributeWord {
    If,
    Elif,
    Else,
}

fn text(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| token.text.as_str())
}

fn word(tokens: &[Token], at: usize) -> Option<AttributeWord> {
    match (text(tokens, at), text(tokens, at + 1)) {
        ("@", "if") => Some(AttributeWord::If),
        ("@", "elif") => Some(AttributeWord::Elif),
        ("@", "else") => Some(AttributeWord::Else),
        _ => None,
    }
}

/// Where the node ends that begins at a token.
fn node_end(tokens: &[Token], mut at: usize) -> Option<usize> {
    while text(tokens, at) == "@" {
        at += 2;
        if text(tokens, at) == "(" {
            at = closing(tokens, at)? + 1;
        }
    }
    // Members end at commas, which separate arguments elsewhere.
    let is_member = text(tokens, at) != "default" && text(tokens, at + 1) == ":";
    let (mut depth, mut templates) = (0_usize, 0_usize);
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" => depth = depth.checked_sub(1)?,
            "<" if is_member => templates += 1,
            ">" if is_member => templates = templates.saturating_sub(1),
            // The last member needs no comma.
            "}" if depth == 0 => return is_member.then_some(at),
            "}" => {
                depth -= 1;
                match text(tokens, at + 1) {
                    "else" => {}
                    // Of an import.
                    ";" if depth == 0 => return Some(at + 2),
                    _ if depth == 0 => return Some(at + 1),
                    _ => {}
                }
            }
            ";" if depth == 0 => return Some(at + 1),
            "," if depth == 0 && templates == 0 && is_member => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The bracket that closes the one at a token.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut all = tokens.iter().enumerate().skip(open);
    let end = all.find(|(_, token)| {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    end.map(|(at, _)| at)
}

/// A condition that is read.
struct AttributeCondition<'t> {
    tokens: &'t [Token],
    at: usize,
    features: &'t Defines,
}

impl AttributeCondition<'_> {
    fn takes(&mut self, expected: &str) -> bool {
        let is_there = text(self.tokens, self.at) == expected;
        self.at += usize::from(is_there);
        is_there
    }

    fn in_parentheses(&mut self, depth: usize) -> Option<bool> {
        if depth > MOST_DEPTH || !self.takes("(") {
            return None;
        }
        let value = self.operands(depth)?;
        self.takes(")").then_some(value)
    }

    /// Operands of one operator: those of different ones need parentheses.
    fn operands(&mut self, depth: usize) -> Option<bool> {
        let mut value = self.operand(depth)?;
        let operator = text(self.tokens, self.at);
        if operator != "&&" && operator != "||" {
            return Some(value);
        }
        while self.takes(operator) {
            let other = self.operand(depth)?;
            value = if operator == "&&" { value && other } else { value || other };
        }
        Some(value)
    }

    fn operand(&mut self, depth: usize) -> Option<bool> {
        let mut is_negated = false;
        while self.takes("!") {
            is_negated = !is_negated;
        }
        let value = match self.tokens.get(self.at)? {
            token if token.text == "(" => self.in_parentheses(depth + 1)?,
            token if token.kind == TokenKind::Ident => {
                let (_, value) = self.features.iter().find(|(name, _)| token.text == name.as_str())?;
                self.at += 1;
                value == "1"
            }
            _ => return None,
        };
        Some(value != is_negated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, features: &[(&str, bool)]) -> Option<String> {
        let value = |(name, value): &(&str, bool)| ((*name).to_owned(), u8::from(*value).to_string());
        let tokens = translated(text, &features.iter().map(value).collect())?;
        Some(tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn nodes_are_taken_or_left() {
        let text = "@if(A) import package::a::{b, c};\n@if(A) @id(1) override x: array<f32, 2> = f(1, 2);\n\
            struct S { @if(A) a: array<vec2<f32>, 4>, @else @size(8) b: f32, c: f32, @if(!A) d: f32 }\n\
            @if(A) fn f(a: f32, b: f32) { }\n@else fn g() { @if(B) if (a) { b; } else if (c) { } else { d; } e; }\n";
        assert_eq!(
            shown(text, &[("A", false), ("B", false)]).as_deref(),
            Some("struct S { @ size ( 8 ) b : f32 , c : f32 , d : f32 } fn g ( ) { e ; }")
        );
        let with = shown(text, &[("A", true), ("B", false)]).expect("a text");
        assert!(
            with.starts_with("import package :: a :: { b , c } ; @ id ( 1 ) override x : array < f32 , 2 >"),
            "{with}"
        );
        assert!(with.ends_with("array < vec2 < f32 > , 4 > , c : f32 , } fn f ( a : f32 , b : f32 ) { }"), "{with}");
    }

    #[test]
    fn the_first_that_holds_is_taken() {
        let text = "@if(A) a; @elif(B && !C) b; @elif(C || (A && B)) c; @else d; e;";
        let with = |a, b, c| shown(text, &[("A", a), ("B", b), ("C", c)]);
        assert_eq!(with(true, true, true).as_deref(), Some("a ; e ;"));
        assert_eq!(with(false, true, false).as_deref(), Some("b ; e ;"));
        assert_eq!(with(false, true, true).as_deref(), Some("c ; e ;"));
        assert_eq!(with(false, false, false).as_deref(), Some("d ; e ;"));
        let switch = "switch x { @if(A) case 1: { a; } @if(!A) default: { b; } } f;";
        assert_eq!(shown(switch, &[("A", false)]).as_deref(), Some("switch x { default : { b ; } } f ;"));
    }

    #[test]
    fn what_is_malformed_is_no_text() {
        for text in [
            "@if(A a;",
            "@else a;",
            "@if(A) a; b; @else c;",
            "@if(B) a;",
            "@if(A && A || A) a;",
            "@if(A) a",
            "@if() a;",
        ] {
            assert_eq!(shown(text, &[("A", true)]), None, "{text}");
        }
        assert!(
            has_attributes("@fragment @if(A) fn f() {}") && !has_attributes("@fragment fn f() { if (a) {} else {} }")
        );
    }
}
