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

    /// The end of the statement that the tokens up to `end` are. It may be behind them: a span ends where it goes into a macro.
    pub(super) fn statement_end(&self, first: usize, end: usize) -> usize {
        let is_whole = end > first && matches!(self.spelled(end - 1), ";" | "}");
        let behind =
            (end..self.words.len()).find(|at| self.is_directive(*at) || matches!(self.spelled(*at), ";" | "{" | "}"));
        match behind {
            Some(at) if !is_whole && self.spelled(at) == ";" => at + 1,
            _ => end,
        }
    }

    /// The name of the type right before a token: what stands before its arguments, if it has some.
    fn type_before(&self, end: usize) -> Option<usize> {
        let (mut at, mut depth) = (end.checked_sub(1)?, 0);
        loop {
            match self.spelled(at) {
                ">" => depth += 1,
                "<" => depth -= 1,
                _ if depth == 0 => return Some(at),
                _ => {}
            }
            at = at.checked_sub(1)?;
        }
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

/// Which names stand for others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pairing {
    /// As many names of the source as of the text, between the same neighbours.
    Even,
    /// The last one before what follows: the type of a declaration.
    Last,
}

/// Finds the parts of a piece among the tokens `range` of the source, each in the order of the piece where that can be. If the piece is
/// a declaration, `name` is the token that is its name.
pub(super) fn align(
    tokens: &Tokens,
    (first, end): (usize, usize),
    name: Option<usize>,
    parts: &[Part],
) -> Vec<Option<Match>> {
    let Some(name) = name else { return in_order(tokens, (first, end), parts, Pairing::Even) };
    let spelled = tokens.spelled(name);
    let declared = parts.iter().position(|part| matches!(part, Part::Own(text, _) if *text == spelled));
    if let Some(declared) = declared {
        let (before, after) = parts.split_at(declared);
        let mut matches = in_order(tokens, (first, name), before, Pairing::Last);
        matches.push(Some(Match::Same(name)));
        matches.extend(in_order(tokens, (name + 1, end), after.get(1..).unwrap_or_default(), Pairing::Even));
        // A type may stand on the other side of the name.
        for (found, part) in matches.iter_mut().zip(parts) {
            if let (None | Some(Match::Renamed(_)), Part::Own(text, true)) = (*found, part) {
                let same = (first..end).find(|at| tokens.spelled(*at) == *text);
                *found = same.map(Match::Same).or(*found);
            }
        }
        return matches;
    }
    // A line of a declaration without its name, or a declaration that a pass has made of another one.
    let matches = in_order(tokens, (first, end), parts, Pairing::Last);
    if matches!(matches.first(), Some(Some(Match::Same(_)))) {
        return matches;
    }
    let renamed = |part: &Part| match part {
        Part::Own(text, true) if (first..end).any(|at| tokens.spelled(at) == *text) => {
            (first..end).find(|at| tokens.spelled(*at) == *text).map(Match::Same)
        }
        Part::Own(text, true) if text.contains(spelled) => Some(Match::Renamed(name)),
        Part::Own(..) | Part::Inner(_) => None,
    };
    parts.iter().map(renamed).collect()
}

fn in_order(tokens: &Tokens, range: (usize, usize), parts: &[Part], pairing: Pairing) -> Vec<Option<Match>> {
    let (first, end) = range;
    let find = |from: usize, to: usize, text: &str| (from..to).find(|at| tokens.spelled(*at) == text);
    let mut matches = vec![None; parts.len()];
    let mut cursor = first;
    // Each part with where the next piece behind it begins.
    let mut limits = vec![end; parts.len()];
    let mut limit = end;
    for (place, part) in limits.iter_mut().zip(parts).rev() {
        *place = limit;
        if let Part::Inner(Some((start, _))) = part {
            limit = *start;
        }
    }
    for ((found, part), limit) in matches.iter_mut().zip(parts).zip(limits) {
        // What comes behind may stand before it in the source.
        let limit = if limit >= cursor { limit.min(end) } else { end };
        match *part {
            Part::Inner(Some((_, behind))) if (first..=end).contains(&behind) => cursor = cursor.max(behind),
            Part::Inner(_) => {}
            Part::Own(text, is_name) => {
                if let Some(at) = find(cursor, limit, text) {
                    (*found, cursor) = (Some(Match::Same(at)), at + 1);
                } else if is_name {
                    *found = find(first, end, text).map(Match::Same);
                }
            }
        }
    }
    pair_names(tokens, range, parts, pairing, &mut matches);
    matches
}

/// Names that are not in the source stand for those of it between the same neighbours.
fn pair_names(
    tokens: &Tokens,
    (first, end): (usize, usize),
    parts: &[Part],
    pairing: Pairing,
    matches: &mut [Option<Match>],
) {
    let known: Vec<Option<(usize, usize)>> = parts
        .iter()
        .zip(&*matches)
        .map(|known| match known {
            (Part::Own(..), Some(Match::Same(at) | Match::Renamed(at))) => Some((*at, *at + 1)),
            (Part::Inner(Some(range)), _) if range.0 >= first && range.1 <= end => Some(*range),
            _ => None,
        })
        .collect();
    let is_free =
        |at: &usize| tokens.is_name(*at) && !known.iter().flatten().any(|(from, to)| (*from..*to).contains(at));
    let pairs = |open: &[usize], from: usize, to: usize| -> Vec<(usize, usize)> {
        let free: Vec<usize> = (from..to).filter(is_free).collect();
        match pairing {
            Pairing::Even if open.len() == free.len() => open.iter().copied().zip(free).collect(),
            Pairing::Even => Vec::new(),
            Pairing::Last => {
                let ty = tokens.type_before(to).filter(|at| free.contains(at));
                open.last().copied().zip(ty).into_iter().collect()
            }
        }
    };
    let mut found = Vec::new();
    let (mut from, mut open): (usize, Vec<usize>) = (first, Vec::new());
    for (at, (part, known)) in parts.iter().zip(&known).enumerate() {
        match (part, known) {
            (_, Some((start, behind))) if *start >= from => {
                found.extend(pairs(&open, from, *start));
                open.clear();
                from = *behind;
            }
            (_, Some(_)) | (Part::Inner(_) | Part::Own(_, false), None) => {}
            (Part::Own(_, true), None) => open.push(at),
        }
    }
    found.extend(pairs(&open, from, end));
    for (part, at) in found {
        matches.get_mut(part).into_iter().for_each(|found| *found = Some(Match::Renamed(at)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aligned(source: &str, name: Option<usize>, text: &str) -> String {
        let tokens = Tokens::of(source);
        let words = words(text);
        let parts: Vec<Part> = words.iter().map(|word| Part::Own(&text[word.start..word.end], word.is_name)).collect();
        let found = align(&tokens, (0, tokens.words.len()), name, &parts);
        let shown = |found: &Option<Match>| match found {
            Some(Match::Same(at)) => tokens.spelled(*at).to_owned(),
            Some(Match::Renamed(at)) => format!("({})", tokens.spelled(*at)),
            None => "-".to_owned(),
        };
        found.iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_are_found_or_paired() {
        assert_eq!(aligned("float3 color : COLOR;", Some(1), "vec3 color;"), "(float3) color ;");
        assert_eq!(aligned("float3 color;", Some(1), "in vec3 color;"), "- (float3) color ;");
        assert_eq!(aligned("lerp(", None, "mix("), "(lerp) (");
        assert_eq!(aligned("a.b = b;", None, "c.b = b;"), "(a) . b = b ;");
        assert_eq!(aligned("float a", Some(1), "var a: c"), "(float) a - -");
        assert_eq!(
            aligned("Texture2D t : register(t3);", Some(1), "layout(binding = 1) uniform texture2D t;"),
            "- - - - - - - (Texture2D) t ;"
        );
        assert_eq!(aligned("Texture2D<float4> t;", Some(4), "texture2D t;"), "(Texture2D) t ;");
        // Made by a pass of something else.
        assert_eq!(
            aligned("[shader(1)] float4 main(I i)", Some(7), "layout(location = 0) out vec4 main_color;"),
            "- - - - - - - - (main) -"
        );
        assert_eq!(aligned("[threads(8)] void main()", Some(7), "[threads(8)]"), "[ threads ( 8 ) ]");
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
