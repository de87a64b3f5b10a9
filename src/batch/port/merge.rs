//! Three-way merges of texts by lines. What only one side has changed is as that side has it; what both have changed in different
//! ways is a conflict, which shows both and what was there before, as `diff3` does. Lines that touch are one place.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;

/// The beginnings of the lines around a conflict.
const MINE: &str = "<<<<<<< ";
const BASE: &str = "||||||| ";
const MIDDLE: &str = "=======";
const THEIRS: &str = ">>>>>>> ";

/// A merged text.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedText {
    /// The text.
    pub text: String,
    /// How many places are in conflict.
    pub conflicts: usize,
}

/// Whether a text has conflicts of a merge before that nobody has resolved.
pub fn has_conflicts(text: &str) -> bool {
    let begins = |mark: &str| text.lines().any(|line| line.starts_with(mark));
    begins(MINE) && begins(THEIRS)
}

/// A part of the base that a side has changed.
#[derive(Clone, Debug)]
struct Hunk {
    base: Range<usize>,
    side: Range<usize>,
}

/// A side with its changes.
struct Side<'t> {
    lines: Vec<&'t str>,
    hunks: Vec<Hunk>,
}

impl<'t> Side<'t> {
    fn new(base: &[&str], text: &'t str) -> Side<'t> {
        let lines = lines(text);
        let mut hunks: Vec<Hunk> = Vec::new();
        for op in capture_diff_slices(Algorithm::Myers, base, &lines) {
            if let DiffOp::Equal { .. } = op {
                continue;
            }
            let (base, side) = (op.old_range(), op.new_range());
            match hunks.last_mut() {
                Some(last) if last.base.end == base.start && last.side.end == side.start => {
                    (last.base.end, last.side.end) = (base.end, side.end);
                }
                _ => hunks.push(Hunk { base, side }),
            }
        }
        Side { lines, hunks }
    }

    /// The lines that stand for a part of the base; `hunks` are the changes in it.
    fn of(&self, base: &Range<usize>, hunks: &[Hunk]) -> String {
        let (Some(first), Some(last)) = (hunks.first(), hunks.last()) else { return String::new() };
        let start = first.side.start.saturating_sub(first.base.start.saturating_sub(base.start));
        let end = last.side.end.saturating_add(base.end.saturating_sub(last.base.end));
        self.lines.get(start..end).unwrap_or_default().concat()
    }
}

/// Lines with their ends.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Merges what two sides made of a text. `names` are those of my side, of the base and of theirs, for conflicts.
pub fn merge(base: &str, mine: &str, theirs: &str, names: [&str; 3]) -> MergedText {
    // An editor that writes other ends of lines has changed no line.
    if mine.contains("\r\n") && !base.contains("\r\n") {
        let plain = merge(base, &mine.replace("\r\n", "\n"), theirs, names);
        return MergedText { text: plain.text.replace('\n', "\r\n"), ..plain };
    }
    let base_lines = lines(base);
    let (mine, theirs) = (Side::new(&base_lines, mine), Side::new(&base_lines, theirs));
    let (mut rest_mine, mut rest_theirs) = (mine.hunks.as_slice(), theirs.hunks.as_slice());
    let mut merged = MergedText { text: String::new(), conflicts: 0 };
    let mut at = 0;
    while let Some(start) = [rest_mine.first(), rest_theirs.first()].into_iter().flatten().map(|h| h.base.start).min() {
        let mut place = start..start;
        let (mut of_mine, mut of_theirs) = (0, 0);
        // Changes that touch the place belong to it.
        loop {
            let touches = |hunk: Option<&Hunk>| hunk.is_some_and(|hunk| hunk.base.start <= place.end);
            if touches(rest_mine.get(of_mine)) {
                place.end = place.end.max(rest_mine.get(of_mine).map_or(0, |hunk| hunk.base.end));
                of_mine += 1;
            } else if touches(rest_theirs.get(of_theirs)) {
                place.end = place.end.max(rest_theirs.get(of_theirs).map_or(0, |hunk| hunk.base.end));
                of_theirs += 1;
            } else {
                break;
            }
        }
        merged.text.push_str(&base_lines.get(at..place.start).unwrap_or_default().concat());
        at = place.end;
        let (mine_hunks, after_mine) = rest_mine.split_at(of_mine);
        let (their_hunks, after_theirs) = rest_theirs.split_at(of_theirs);
        (rest_mine, rest_theirs) = (after_mine, after_theirs);
        let before = base_lines.get(place.clone()).unwrap_or_default().concat();
        match (mine_hunks.is_empty(), their_hunks.is_empty()) {
            (false, true) => merged.text.push_str(&mine.of(&place, mine_hunks)),
            (true, false) => merged.text.push_str(&theirs.of(&place, their_hunks)),
            (_, _) => merged.both([&mine.of(&place, mine_hunks), &before, &theirs.of(&place, their_hunks)], names),
        }
    }
    merged.text.push_str(&base_lines.get(at..).unwrap_or_default().concat());
    merged
}

impl MergedText {
    /// A place that both sides have changed.
    fn both(&mut self, [mine, base, theirs]: [&str; 3], [my_name, base_name, their_name]: [&str; 3]) {
        if mine == theirs {
            self.text.push_str(mine);
            return;
        }
        self.conflicts += 1;
        let parts =
            [(format!("{MINE}{my_name}"), mine), (format!("{BASE}{base_name}"), base), (MIDDLE.to_owned(), theirs)];
        for (mark, part) in parts {
            self.text.push_str(&mark);
            self.text.push('\n');
            self.text.push_str(part);
            if !part.is_empty() && !part.ends_with('\n') {
                self.text.push('\n');
            }
        }
        self.text.push_str(&format!("{THEIRS}{their_name}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["edited", "before", "new"];

    fn merged(base: &str, mine: &str, theirs: &str) -> MergedText {
        merge(base, mine, theirs, NAMES)
    }

    fn clean(text: &str) -> MergedText {
        MergedText { text: text.to_owned(), conflicts: 0 }
    }

    #[test]
    fn changes_of_both_sides_are_there() {
        let base = "a\nb\nc\nd\ne\n";
        assert_eq!(merged(base, "a\nB\nc\nd\ne\n", "a\nb\nc\nd\nE\n"), clean("a\nB\nc\nd\nE\n"));
        assert_eq!(merged(base, "x\na\nb\nc\nd\ne\n", "a\nb\nc\ne\n"), clean("x\na\nb\nc\ne\n"));
        assert_eq!(merged(base, base, "z\n"), clean("z\n"));
        assert_eq!(merged(base, "z\n", base), clean("z\n"));
        assert_eq!(merged(base, "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n"), clean("a\nX\nc\nd\ne\n"));
    }

    #[test]
    fn a_conflict_shows_both_sides() {
        let conflict = "a\n<<<<<<< edited\nB\n||||||| before\nb\n=======\nnew b\n>>>>>>> new\nc\n";
        let found = merged("a\nb\nc\n", "a\nB\nc\n", "a\nnew b\nc\n");
        assert_eq!(found, MergedText { text: conflict.to_owned(), conflicts: 1 });
        assert!(has_conflicts(&found.text) && !has_conflicts("a << b;\n"));
        // Both add something at one place, at an end without an end of line.
        let found = merged("a", "a\nmine", "a\ntheirs");
        assert_eq!(found.conflicts, 1);
        assert!(found.text.contains("mine\n|||||||") && found.text.contains("theirs\n>>>>>>>"), "{}", found.text);
    }

    #[test]
    fn ends_of_lines_of_the_editor_stay() {
        assert_eq!(merged("a\nb\nc\n", "a\r\nB\r\nc\r\n", "a\nb\nc\nd\n"), clean("a\r\nB\r\nc\r\nd\r\n"));
    }
}
