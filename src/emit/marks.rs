//! Which piece of a text stands for which place of the source.
//!
//! Expressions are printed into texts that are put together, measured and put into others, so that nobody knows where in the
//! whole a piece will be. A piece is printed between marks instead, control characters that no text has otherwise, and the marks
//! are taken out at the end. Without a wish for pieces there are no marks.

use crate::source::Span;
use std::cell::RefCell;

/// Begins a piece; its number follows.
const BEGIN: char = '\u{2}';
/// Ends the piece that was begun last.
const END: char = '\u{3}';
/// The first of sixteen digits.
const ZERO: u32 = 0x10;

/// What the span of a piece is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PieceKind {
    /// The start of a file: the piece is of no place in it.
    Head,
    /// All that the piece stands for: an expression, a statement, a comment.
    Code,
    /// A statement, at least its beginning.
    Statement,
    /// The name of a declaration, of which the piece is what stands around it: a parameter, a field, the head of a function.
    Name,
    /// The name of a declaration of which the piece is all.
    Whole,
    /// The name of a macro, of which the piece is the definition.
    Macro,
}

/// A piece of a text with the place that it is made from. Pieces are in the order in which they begin, each behind those that it is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// First byte in the text.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// What it is made from.
    pub span: Span,
    /// What that is.
    pub kind: PieceKind,
    /// The pass that made it, if that is known.
    pub pass: Option<&'static str>,
    /// The piece that it is in.
    pub parent: Option<usize>,
}

/// What a piece is made from, and by which pass, if that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) span: Span,
    pub(super) kind: PieceKind,
    pub(super) pass: Option<&'static str>,
}

impl From<(Span, PieceKind)> for Origin {
    fn from((span, kind): (Span, PieceKind)) -> Origin {
        Origin { span, kind, pass: None }
    }
}

/// What the marks of one text stand for.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// `None`: no marks are written.
    spans: RefCell<Option<Vec<Origin>>>,
}

impl Marks {
    /// From now on marks are written.
    pub(super) fn begin_writing(&self) {
        *self.spans.borrow_mut() = Some(Vec::new());
    }

    /// Whether marks are written.
    pub(super) fn are_written(&self) -> bool {
        self.spans.borrow().is_some()
    }

    /// Begins a piece.
    pub(super) fn begin(&self, origin: impl Into<Origin>, out: &mut String) {
        let mut spans = self.spans.borrow_mut();
        let Some(spans) = spans.as_mut() else { return };
        out.push(BEGIN);
        let number = spans.len() as u32;
        spans.push(origin.into());
        let digits = (32 - number.leading_zeros()).div_ceil(4).max(1);
        let digit = |at: u32| char::from_u32(ZERO + (number >> (4 * at) & 0xF));
        out.extend((0..digits).rev().filter_map(digit));
    }

    /// Ends the piece that was begun last.
    pub(super) fn end(&self, out: &mut String) {
        if self.are_written() {
            out.push(END);
        }
    }

    /// A text as a piece.
    pub(super) fn around(&self, origin: impl Into<Origin>, text: String) -> String {
        if !self.are_written() {
            return text;
        }
        let mut marked = String::with_capacity(text.len() + 8);
        self.begin(origin, &mut marked);
        marked.push_str(&text);
        self.end(&mut marked);
        marked
    }

    /// A text without its marks, and its pieces.
    pub(super) fn taken_out(&self, marked: &str) -> (String, Vec<Piece>) {
        let spans = self.spans.take().unwrap_or_default();
        let mut text = String::with_capacity(marked.len());
        let (mut pieces, mut open): (Vec<Piece>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut rest = marked.chars().peekable();
        while let Some(next) = rest.next() {
            match next {
                BEGIN => {
                    let mut number = 0;
                    while let Some(digit) = rest.next_if(|c| is_digit(*c)) {
                        number = number << 4 | (digit as usize - ZERO as usize);
                    }
                    let Some(Origin { span, kind, pass }) = spans.get(number).copied() else { continue };
                    let (start, parent) = (text.len(), open.last().copied());
                    open.push(pieces.len());
                    pieces.push(Piece { start, end: start, span, kind, pass, parent });
                }
                END => {
                    let ended = open.pop().and_then(|at| pieces.get_mut(at));
                    ended.into_iter().for_each(|piece| piece.end = text.len());
                }
                other => text.push(other),
            }
        }
        (text, pieces)
    }
}

fn is_digit(c: char) -> bool {
    (ZERO..ZERO + 16).contains(&(c as u32))
}

/// Whether a letter belongs to a mark.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, BEGIN | END) || is_digit(c)
}

/// The pieces of a text that was printed with other decisions than `text`: those of what both begin and end with.
pub(super) fn common(text: &str, printed: &str, pieces: Vec<Piece>) -> Vec<Piece> {
    if text == printed {
        return pieces;
    }
    let same = |(a, b): &(u8, u8)| a == b;
    let before = text.bytes().zip(printed.bytes()).take_while(same).count();
    let most = text.len().min(printed.len()) - before;
    let after = text.bytes().rev().zip(printed.bytes().rev()).take(most).take_while(same).count();
    let moved = |at: usize| match at {
        _ if at <= before => at,
        _ if at + after >= printed.len() => text.len() - (printed.len() - at),
        _ => before,
    };
    let one =
        |piece: Piece| Piece { start: moved(piece.start), end: moved(piece.end).max(moved(piece.start)), ..piece };
    pieces.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u32) -> Span {
        Span { start, end: start + 1, ..Span::default() }
    }

    #[test]
    fn pieces_are_found_where_they_end_up() {
        let marks = Marks::default();
        assert_eq!(marks.around((span(9), PieceKind::Code), "a".to_owned()), "a");
        marks.begin_writing();
        for _ in 0..300 {
            marks.begin((span(0), PieceKind::Code), &mut String::new());
        }
        let inner = marks.around((span(7), PieceKind::Code), "b".to_owned());
        let whole = marks.around((span(3), PieceKind::Name), format!("a + {inner} + c"));
        assert!(whole.contains(is_mark));
        let (text, pieces) = marks.taken_out(&format!("x {whole};"));
        assert_eq!(text, "x a + b + c;");
        let found: Vec<_> = pieces.iter().map(|p| (&text[p.start..p.end], p.span.start, p.parent)).collect();
        assert_eq!(found, [("a + b + c", 3, None), ("b", 7, Some(0))]);
    }

    #[test]
    fn pieces_stay_where_texts_are_the_same() {
        let at = |start, end| Piece { start, end, span: span(0), kind: PieceKind::Code, pass: None, parent: None };
        let moved = common("ab(cd)ef", "abcdef", vec![at(0, 1), at(2, 4), at(5, 6)]);
        let ranges: Vec<_> = moved.iter().map(|p| (p.start, p.end)).collect();
        assert_eq!(ranges, [(0, 1), (2, 6), (7, 8)]);
    }
}
