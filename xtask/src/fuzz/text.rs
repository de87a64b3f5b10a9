//! A source as tokens, and the structure that brackets and semicolons give it: enough to mutate it in one piece.

use shaderport::internals::diagnostic::Diagnostics;
use shaderport::internals::lex::{TokenKind, lex};
use shaderport::internals::source::FileId;
use std::ops::Range;

/// One token.
#[derive(Clone)]
pub struct Token {
    pub kind: TokenKind,
    pub text: &'static str,
    /// Bytes of the source.
    pub bytes: Range<usize>,
}

/// A source in parts. Ranges are of tokens.
pub struct Text<'a> {
    pub source: &'a str,
    pub tokens: Vec<Token>,
    /// The other bracket of each bracket.
    pub partner: Vec<Option<usize>>,
    /// Statements of bodies.
    pub statements: Vec<Range<usize>>,
    /// What stands outside of bodies, and members of structs and blocks.
    pub declarations: Vec<Range<usize>>,
    /// Arguments, in lists of them.
    pub arguments: Vec<Vec<Range<usize>>>,
}

impl<'a> Text<'a> {
    /// Directives are left out: they stay as they are.
    pub fn new(source: &'a str) -> Text<'a> {
        let mut comments = Vec::new();
        let lexed = lex(FileId::default(), source, &mut comments, &mut Diagnostics::default());
        let mut tokens = Vec::with_capacity(lexed.len());
        let mut directive = false;
        for token in lexed {
            match token.kind {
                TokenKind::Newline => directive = false,
                TokenKind::Eof => {}
                _ => {
                    directive |= token.line_start && token.text.as_str() == "#";
                    if !directive {
                        let bytes = token.span.start as usize..token.span.end as usize;
                        tokens.push(Token { kind: token.kind, text: token.text.as_str(), bytes });
                    }
                }
            }
        }
        let partner = partners(&tokens);
        let mut text =
            Text { source, tokens, partner, statements: Vec::new(), declarations: Vec::new(), arguments: Vec::new() };
        text.split(0..text.tokens.len(), false);
        for open in 0..text.tokens.len() {
            let Some(close) = text.partner[open].filter(|close| *close > open) else { continue };
            match text.word(open) {
                "{" => {
                    let body = open > 0 && matches!(text.word(open - 1), ")" | "else" | "do" | "{" | "}" | ";");
                    text.split(open + 1..close, body);
                }
                "(" => text.list(open + 1..close),
                _ => {}
            }
        }
        text
    }

    /// The spelling of a token; empty after the last one.
    pub fn word(&self, index: usize) -> &'static str {
        self.tokens.get(index).map_or("", |t| t.text)
    }

    /// The source of some tokens.
    pub fn slice(&self, range: &Range<usize>) -> &'a str {
        self.source.get(self.bytes(range)).unwrap_or("")
    }

    pub fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.tokens.get(range.start).map_or(self.source.len(), |t| t.bytes.start);
        let last = range.end.checked_sub(1).filter(|last| *last >= range.start).and_then(|last| self.tokens.get(last));
        start..last.map_or(start, |t| t.bytes.end)
    }

    /// Indices of tokens of a kind that satisfy something.
    pub fn indices(&self, wanted: impl Fn(&Token) -> bool) -> Vec<usize> {
        (0..self.tokens.len()).filter(|i| wanted(&self.tokens[*i])).collect()
    }

    /// Splits a block into what ends with `;` or a block of its own.
    fn split(&mut self, block: Range<usize>, body: bool) {
        let (mut start, mut at) = (block.start, block.start);
        while at < block.end {
            let inner = self.partner[at].filter(|close| *close > at);
            let end = match (self.word(at), inner) {
                ("{", Some(close)) => {
                    at = close;
                    !matches!(self.word(close + 1), ";" | "," | "else" | "while" | ")" | "." | "(")
                }
                (";", _) => true,
                (_, Some(close)) => {
                    at = close;
                    false
                }
                _ => false,
            };
            at += 1;
            if end {
                let list = if body { &mut self.statements } else { &mut self.declarations };
                list.push(start..at);
                start = at;
            }
        }
    }

    /// Splits what stands in parentheses at its commas.
    fn list(&mut self, inside: Range<usize>) {
        let (mut start, mut at) = (inside.start, inside.start);
        let mut parts = Vec::new();
        while at < inside.end {
            match self.word(at) {
                "," => {
                    parts.push(start..at);
                    start = at + 1;
                }
                ";" => return,
                _ => at = self.partner[at].filter(|close| *close > at).unwrap_or(at),
            }
            at += 1;
        }
        if start < inside.end {
            parts.push(start..inside.end);
        }
        self.arguments.push(parts);
    }
}

fn partners(tokens: &[Token]) -> Vec<Option<usize>> {
    let mut partner = vec![None; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => open.push(index),
            ")" | "]" | "}" => {
                let wanted = match token.text {
                    ")" => "(",
                    "]" => "[",
                    _ => "{",
                };
                if open.last().is_some_and(|o| tokens[*o].text == wanted)
                    && let Some(o) = open.pop()
                {
                    partner[o] = Some(index);
                    partner[index] = Some(o);
                }
            }
            _ => {}
        }
    }
    partner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_source() {
        let text = Text::new(
            "#define A(x) x;\nstruct S { int a; };\nvoid f(int x, float y) { g(x, y + 1); if (x) { return; } else { } }\n",
        );
        let said = |list: &[Range<usize>]| list.iter().map(|r| text.slice(r).to_owned()).collect::<Vec<_>>();
        assert_eq!(said(&text.statements), ["g(x, y + 1);", "if (x) { return; } else { }", "return;"]);
        assert_eq!(text.declarations.len(), 3);
        assert!(text.arguments.iter().any(|list| said(list) == ["x", "y + 1"]));
    }
}
