//! What is in each piece of a text.
//!
//! The lines of a statement or declaration are pieces of their own, with those of the statements in it between them: they are taken
//! together, as the parts of the first one.

use super::align::Word;
use crate::emit::{Piece, PieceKind};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// A part of a piece, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Word(usize),
    Piece(usize),
}

/// What is in a piece, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub items: Vec<Item>,
    /// The piece that it is in.
    pub outer: Option<usize>,
}

impl PieceKind {
    /// Whether it is in the body of something that has a place, too.
    pub(super) fn is_code(self) -> bool {
        match self {
            PieceKind::Code | PieceKind::Statement => true,
            PieceKind::Head | PieceKind::Name | PieceKind::Whole | PieceKind::Macro => false,
        }
    }
}

/// The pieces of a text that are in no others, as they are met.
#[derive(Default)]
struct Lines {
    /// The first line of each, with how deep it is.
    known: FxHashMap<(Span, PieceKind), (usize, usize)>,
    /// Those that the last one may be in.
    open: Vec<usize>,
}

impl Lines {
    /// The piece whose parts those of a line are.
    fn first(&mut self, piece: &Piece, at: usize, parts: &mut [Parts]) -> usize {
        if let Some((first, depth)) = self.known.get(&(piece.span, piece.kind)).copied()
            && self.open.get(depth) == Some(&first)
            && piece.span != Span::default()
        {
            self.open.truncate(depth + 1);
            return first;
        }
        let outer = self.open.last().copied();
        if let Some(around) = outer.and_then(|outer| parts.get_mut(outer)) {
            around.items.push(Item::Piece(at));
        }
        parts.get_mut(at).into_iter().for_each(|own| own.outer = outer);
        self.known.insert((piece.span, piece.kind), (at, self.open.len()));
        self.open.push(at);
        at
    }
}

/// What is in each piece.
pub(super) fn parts_of(pieces: &[Piece], words: &[Word]) -> Vec<Parts> {
    let mut parts = vec![Parts::default(); pieces.len()];
    let mut lines = Lines::default();
    // Each open piece with the one that has its parts.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut next = 0;
    let ends = |at: usize, byte: usize| pieces.get(at).is_none_or(|piece| piece.end <= byte);
    for (at, word) in words.iter().enumerate() {
        while let Some(piece) = pieces.get(next).filter(|piece| piece.start <= word.start) {
            if piece.end > word.start {
                while open.last().is_some_and(|(at, _)| ends(*at, piece.start)) {
                    open.pop();
                }
                let own = match open.last().copied() {
                    None => lines.first(piece, next, &mut parts),
                    Some((_, outer)) => {
                        parts.get_mut(outer).into_iter().for_each(|around| around.items.push(Item::Piece(next)));
                        parts.get_mut(next).into_iter().for_each(|own| own.outer = Some(outer));
                        next
                    }
                };
                open.push((next, own));
            }
            next += 1;
        }
        while open.last().is_some_and(|(at, _)| ends(*at, word.start)) {
            open.pop();
        }
        let around = open.last().and_then(|(_, own)| parts.get_mut(*own));
        around.into_iter().for_each(|around| around.items.push(Item::Word(at)));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_statement_are_one() {
        let text = "if a {\nb\n}\nc";
        let span = |start| Span { start, end: start + 1, ..Span::default() };
        let piece = |start, end, of, kind, parent| Piece { start, end, span: span(of), kind, pass: None, parent };
        let pieces = [
            piece(0, 6, 1, PieceKind::Statement, None),
            piece(3, 4, 2, PieceKind::Code, Some(0)),
            piece(7, 8, 3, PieceKind::Statement, None),
            piece(9, 10, 1, PieceKind::Statement, None),
            piece(11, 12, 4, PieceKind::Statement, None),
        ];
        let parts = parts_of(&pieces, &super::super::align::words(text));
        use Item::{Piece as P, Word as W};
        let items: Vec<_> = parts.iter().map(|parts| parts.items.clone()).collect();
        assert_eq!(items, [vec![W(0), P(1), W(2), P(2), W(4), P(4)], vec![W(1)], vec![W(3)], vec![], vec![W(5)]]);
        assert_eq!(parts.iter().map(|parts| parts.outer).collect::<Vec<_>>(), [None, Some(0), Some(0), None, Some(0)]);
    }
}
