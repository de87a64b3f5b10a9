//! Which token of a piece of a text is which token of the source that the piece is made from.

use crate::diagnostic::Diagnostics;
use crate::lex::{TokenKind, lex};
use crate::source::{FileId, Span};

/// A token of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// It is a name or a word of the language.
    pub is_name: bool,
    /// It is a comment.
    pub is_comment: bool,
    /// It is in a directive of the preprocessor.
    pub is_directive: bool,
}

/// The tokens of a text.
pub(super) fn words(text: &str) -> Vec<Word> {
    let (mut comments, mut diags) = (Vec::new(), Diagnostics::default());
    let tokens = lex(FileId::default(), text, &mut comments, &mut diags);
    let word = |span: Span, kind: TokenKind| Word {
        start: span.start as usize,
        end: span.end as usize,
        is_name: kind == TokenKind::Ident,
        is_comment: false,
        is_directive: false,
    };
    let mut words: Vec<Word> =
        comments.iter().map(|comment| Word { is_comment: true, ..word(comment.span, TokenKind::Other) }).collect();
    let mut is_directive = false;
    for token in &tokens {
        is_directive &= token.kind != TokenKind::Newline;
        is_directive |= token.line_start && token.text == "#";
        if !matches!(token.kind, TokenKind::Newline | TokenKind::Eof) {
            words.push(Word { is_directive, ..word(token.span, token.kind) });
        }
    }
    words.sort_by_key(|word| word.start);
    words
}

/// A file of the source with its tokens.
pub(super) struct Tokens<'a> {
    pub text: &'a str,
    pub words: Vec<Word>,
}

impl<'a> Tokens<'a> {
    /// Of a text.
    pub(super) fn of(text: &'a str) -> Tokens<'a> {
        Tokens { text, words: words(text).into_iter().filter(|word| !word.is_comment).collect() }
    }

    /// The index of the first token that begins at a byte or behind it.
    pub(super) fn at(&self, byte: usize) -> usize {
        self.words.partition_point(|word| word.start < byte)
    }

    /// What a token is.
    pub(super) fn spelled(&self, at: usize) -> &'a str {
        self.words.get(at).and_then(|word| self.text.get(word.start..word.end)).unwrap_or_default()
    }

    /// Whether a token is a name.
    pub(super) fn is_name(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| word.is_name)
    }

    fn is_directive(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| word.is_directive)
    }

    /// The tokens of the directive around one of them.
    pub(super) fn directive(&self, at: usize) -> (usize, usize) {
        let is_other = |at: &usize| !self.is_directive(*at);
        let first =
            (0..at).rev().find(|before| is_other(before) || self.spelled(before + 1) == "#").map_or(0, |at| at + 1);
        (
            first,
            (at + 1..self.words.len()).find(|at| is_other(at) || self.spelled(*at) == "#").unwrap_or(self.words.len()),
        )
    }

    /// The tokens around the name of a declaration that belong to it: from behind the end of what is before it to its own end or
    /// the brace that opens its body, with the brace that closes that.
    pub(super) fn around(&self, name: usize) -> (usize, usize, Option<usize>) {
        let (mut first, mut depth) = (name, 0);
        while let Some(before) = first.checked_sub(1) {
            match self.spelled(before) {
                _ if self.is_directive(before) => break,
                ")" | "]" => depth += 1,
                "(" | "[" if depth > 0 => depth -= 1,
                ";" | "{" | "}" | "(" => break,
                // A list of arguments of a template has them, too.
                "," if depth == 0 && !self.is_in_angles(before, name) => break,
                _ => {}
            }
            first = before;
        }
        let (mut end, mut depth) = (name, 0);
        while end < self.words.len() {
            match self.spelled(end) {
                _ if self.is_directive(end) => break,
                "(" | "[" => depth += 1,
                ")" | "]" if depth == 0 => break,
                ")" | "]" => depth -= 1,
                "{" if depth == 0 => return (first, end + 1, self.closing(end)),
                "," if depth == 0 => break,
                ";" | "}" => return (first, end + 1, None),
                _ => {}
            }
            end += 1;
        }
        (first, end, None)
    }

    /// Whether a comma before a name is in `<...>` that ends before it.
    fn is_in_angles(&self, comma: usize, name: usize) -> bool {
        let mut depth = 0;
        for at in (comma..name).rev() {
            match self.spelled(at) {
                ">" => depth += 1,
                "<" => depth -= 1,
                _ => {}
            }
        }
        depth > 0
    }

    /// The brace that closes another one.
    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        for at in open..self.words.len() {
            match self.spelled(at) {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }
}

/// A part of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'a> {
    /// A token: what it is, and whether it is a name.
    Own(&'a str, bool),
    /// A piece in it, with the tokens of the source that it is made from, if they are known.
    Inner(Option<(usize, usize)>),
}

/// A token of the source that a token of a text is, or stands for under another name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Match {
    Same(usize),
    Renamed(usize),
}

/// Finds the parts of a piece among the tokens `range` of the source, each in the order of the piece where that can be.
pub(super) fn align(tokens: &Tokens, range: (usize, usize), parts: &[Part]) -> Vec<Option<Match>> {
    let (first, end) = range;
    let find = |from: usize, text: &str| (from..end).find(|at| tokens.spelled(*at) == text);
    let mut matches = vec![None; parts.len()];
    let mut cursor = first;
    for (found, part) in matches.iter_mut().zip(parts) {
        match *part {
            Part::Inner(Some((_, behind))) if (first..=end).contains(&behind) => cursor = cursor.max(behind),
            Part::Inner(_) => {}
            Part::Own(text, is_name) => {
                if let Some(at) = find(cursor, text) {
                    (*found, cursor) = (Some(Match::Same(at)), at + 1);
                } else if is_name {
                    *found = find(first, text).map(Match::Same);
                }
            }
        }
    }
    pair_names(tokens, range, parts, &mut matches);
    matches
}

/// Names that are not in the source stand for those of it between the same neighbours.
fn pair_names(tokens: &Tokens, (first, end): (usize, usize), parts: &[Part], matches: &mut [Option<Match>]) {
    let mut taken: Vec<(usize, usize)> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Inner(range) => *range,
            Part::Own(..) => None,
        })
        .collect();
    taken.extend(matches.iter().flatten().map(|found| match found {
        Match::Same(at) | Match::Renamed(at) => (*at, *at + 1),
    }));
    let is_free = |at: &usize| tokens.is_name(*at) && !taken.iter().any(|(from, to)| (from..to).contains(&at));
    let mut from = first;
    let mut open: Vec<usize> = Vec::new();
    let close = |open: &mut Vec<usize>, from: usize, to: usize, is_end: bool, matches: &mut [Option<Match>]| {
        let free: Vec<usize> = (from..to).filter(is_free).collect();
        let pairs: Vec<(usize, usize)> = match is_end {
            true => open.iter().copied().zip(free).collect(),
            // What stands before a neighbour that is known is nearest to it.
            false => open.iter().rev().copied().zip(free.into_iter().rev()).collect(),
        };
        for (part, at) in pairs {
            if let Some(found) = matches.get_mut(part) {
                *found = Some(Match::Renamed(at));
            }
        }
        open.clear();
    };
    for at in 0..parts.len() {
        let known = match (parts.get(at), matches.get(at).copied().flatten()) {
            (Some(Part::Own(..)), Some(Match::Same(at) | Match::Renamed(at))) => Some((at, at + 1)),
            (Some(Part::Inner(Some(range))), _) if range.0 >= first && range.1 <= end => Some(*range),
            _ => None,
        };
        match known {
            Some((start, behind)) if start >= from => {
                close(&mut open, from, start, false, matches);
                from = behind;
            }
            Some(_) => {}
            None if matches!(parts.get(at), Some(Part::Own(_, true))) => open.push(at),
            None => {}
        }
    }
    close(&mut open, from, end, true, matches);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aligned(source: &str, text: &str) -> Vec<Option<(bool, String)>> {
        let tokens = Tokens::of(source);
        let words = words(text);
        let parts: Vec<Part> = words.iter().map(|word| Part::Own(&text[word.start..word.end], word.is_name)).collect();
        let found = align(&tokens, (0, tokens.words.len()), &parts);
        let shown = |found: &Match| match found {
            Match::Same(at) => (true, tokens.spelled(*at).to_owned()),
            Match::Renamed(at) => (false, tokens.spelled(*at).to_owned()),
        };
        found.iter().map(|found| found.as_ref().map(shown)).collect()
    }

    #[test]
    fn names_are_found_or_paired() {
        let same = |text: &str| Some((true, text.to_owned()));
        let renamed = |text: &str| Some((false, text.to_owned()));
        assert_eq!(aligned("float3 color : COLOR;", "vec3 color;"), [renamed("float3"), same("color"), same(";")]);
        assert_eq!(aligned("float3 color;", "in vec3 color;")[..2], [None, renamed("float3")]);
        assert_eq!(aligned("lerp(", "mix("), [renamed("lerp"), same("(")]);
        assert_eq!(aligned("float a", "var b: c")[..2], [renamed("float"), renamed("a")]);
    }

    #[test]
    fn declarations_end_where_others_begin() {
        let text = "struct S { float a; }; void f(Texture2D<float, 4> t, int i) { g(i); } float h;";
        let tokens = Tokens::of(text);
        let around = |name: &str| {
            let at = (0..tokens.words.len()).find(|at| tokens.spelled(*at) == name).unwrap();
            let (first, end, close) = tokens.around(at);
            let all: Vec<&str> = (first..end).map(|at| tokens.spelled(at)).collect();
            (all.join(" "), close.map(|at| tokens.words[at].start))
        };
        assert_eq!(around("a"), ("float a ;".to_owned(), None));
        assert_eq!(around("S"), ("struct S {".to_owned(), Some(20)));
        assert_eq!(around("t"), ("Texture2D < float , 4 > t".to_owned(), None));
        assert_eq!(around("i"), ("int i".to_owned(), None));
        assert_eq!(around("f").1, text.find("} float"));
        assert_eq!(around("h"), ("float h ;".to_owned(), None));
    }
}
