//! Lines: a statement or declaration is broken where its author broke it, which is a `\n` in its text, and where it is too wide.

use std::iter::Peekable;
use std::str::CharIndices;

/// How wide lines are, if they can be.
pub(super) const WIDTH: usize = 120;

/// Two line ends with a blank line between them.
pub(super) const BLANK_LINE: &str = "\n\u{2}\n";

/// Whether a part of a text stands for a blank line.
fn is_blank(segment: &str) -> bool {
    segment.trim() == BLANK_LINE.trim_matches('\n')
}

/// A line with how much deeper it stands than the first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) depth: usize,
    /// Its first byte in the text.
    pub(super) start: usize,
    /// Nothing of a blank line.
    pub(super) text: &'a str,
}

/// Whether a text that begins at a column is no single line as it is. Directives end at the end of their line.
pub(super) fn is_broken(text: &str, column: usize) -> bool {
    text.contains('\n') || column + text.len() > WIDTH && !text.starts_with('#') && column + width(text) > WIDTH
}

/// The lines of a text that begins at a column, one `step` a depth.
pub(super) fn lines(text: &str, column: usize, step: usize) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut open = Brackets::default();
    let mut start = 0;
    // A blank line is due: none is first or last, or before the bracket that closes a list.
    let mut blank = false;
    for segment in text.split('\n') {
        if is_blank(segment) {
            (blank, start) = (!lines.is_empty(), start + segment.len() + 1);
            continue;
        }
        let mut rest = segment.trim();
        if !rest.is_empty() && std::mem::take(&mut blank) && !rest.starts_with([')', ']', '}', ';']) {
            lines.push(Line { depth: 0, start, text: "" });
        }
        let mut at = start + segment.len() - segment.trim_start().len();
        start += segment.len() + 1;
        while !rest.is_empty() {
            let depth = if lines.is_empty() { 0 } else { open.depth_of(rest) };
            let room = WIDTH.saturating_sub(column + depth * step);
            let end = if width(rest) > room { best_break(rest, room, &open) } else { None };
            let (text, next) = end.and_then(|end| rest.split_at_checked(end)).unwrap_or((rest, ""));
            let text = text.trim_end();
            open.go_over(text, depth);
            lines.push(Line { depth, start: at, text });
            at += rest.len() - next.trim_start().len();
            rest = next.trim_start();
        }
    }
    lines
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// The brackets that are open.
#[derive(Default)]
struct Brackets {
    /// The depths of the lines that they were opened in.
    open: Vec<usize>,
    /// In a block comment.
    in_comment: bool,
}

impl Brackets {
    /// How deep a line begins that goes on where we are.
    fn depth_of(&self, line: &str) -> usize {
        // The list that a variable begins with stands below it, as a block does.
        if line.starts_with('{') && !self.in_comment && self.open.is_empty() {
            return 0;
        }
        let closed = line.chars().take_while(|c| matches!(c, ')' | ']' | '}')).count();
        match closed.checked_sub(1) {
            Some(more) if !self.in_comment => self.open.iter().rev().nth(more).copied().unwrap_or(0),
            _ => self.open.last().map_or(1, |depth| depth + 1),
        }
    }

    /// Goes over a line of a depth.
    fn go_over(&mut self, line: &str, depth: usize) {
        if self.in_comment {
            let Some((_, rest)) = line.split_once("*/") else { return };
            self.in_comment = false;
            return self.go_over(rest, depth);
        }
        for part in Parts::new(line) {
            match part {
                Part::Open(_) => self.open.push(depth),
                Part::Close => {
                    self.open.pop();
                }
                Part::Comment(is_closed) => self.in_comment = !is_closed,
                Part::Break(..) => {}
            }
        }
    }
}

/// What matters in a line.
enum Part {
    /// A bracket opens; what is in it begins there.
    Open(usize),
    Close,
    /// A comment, and whether it ends in this line.
    Comment(bool),
    /// The line may be broken there; the lower the number, the looser is what holds it together.
    Break(usize, u8),
}

/// The looseness of the `=` of an assignment, which is the last to be left at the end of a line.
const ASSIGNMENT: u8 = u8::MAX;

/// Binary operators as they are printed, with a space before and behind, from the loosest on.
const OPERATORS: [&[&str]; 10] = [
    &["?", ":"],
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!=", "<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Goes over the parts of a line.
struct Parts<'a> {
    line: &'a str,
    chars: Peekable<CharIndices<'a>>,
    last: char,
}

impl<'a> Parts<'a> {
    fn new(line: &'a str) -> Parts<'a> {
        Parts { line, chars: line.char_indices().peekable(), last: ' ' }
    }

    fn skip_to(&mut self, end: usize) {
        while self.chars.next_if(|(at, _)| *at < end).is_some() {}
    }

    /// What a character is, with what follows it.
    fn part(&mut self, at: usize, c: char, last: char) -> Option<Part> {
        let rest = self.line.get(at..).unwrap_or_default();
        let behind = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '/' if rest.starts_with("//") => {
                self.skip_to(self.line.len());
                Some(Part::Comment(true))
            }
            '/' if rest.starts_with("/*") => {
                let end = behind.get(1..).and_then(|inner| inner.find("*/"));
                self.skip_to(end.map_or(self.line.len(), |end| at + 4 + end));
                Some(Part::Comment(end.is_some()))
            }
            '"' => {
                self.skip_to(behind.find('"').map_or(self.line.len(), |end| at + 2 + end));
                None
            }
            '(' | '[' | '{' => Some(Part::Open(at + 1)),
            ')' | ']' | '}' => Some(Part::Close),
            // Lists of templates have no spaces around their brackets.
            '<' if last != ' ' && !behind.starts_with([' ', '=', '<']) => Some(Part::Open(at + 1)),
            '>' if !is_of_operator(self.line, at) => Some(Part::Close),
            ',' | ';' if behind.starts_with(' ') => Some(Part::Break(at + 2, 0)),
            '=' if last != '=' && behind.starts_with(' ') && rest.len() > 2 && !is_comparison(self.line, at) => {
                Some(Part::Break(at + 2, ASSIGNMENT))
            }
            ' ' => {
                let (word, _) = behind.split_once(' ')?;
                let looseness = OPERATORS.iter().position(|words| words.contains(&word))?;
                Some(Part::Break(at + 1, looseness as u8 + 1))
            }
            _ => None,
        }
    }
}

/// Whether the `>` at a place belongs to an operator or arrow, not to the list of a template: no name is before it and those beside it.
fn is_of_operator(line: &str, at: usize) -> bool {
    let before = line.get(..at).map(|before| before.trim_end_matches('>')).unwrap_or_default();
    before.is_empty() || before.ends_with([' ', '-', '='])
}

/// Whether the `=` at a place is a part of a comparison.
fn is_comparison(line: &str, at: usize) -> bool {
    line.get(..at).is_some_and(|before| {
        before.ends_with(['=', '!', '<', '>']) && !before.ends_with("<<") && !before.ends_with(">>")
    })
}

impl Iterator for Parts<'_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        loop {
            let (at, c) = self.chars.next()?;
            let last = std::mem::replace(&mut self.last, c);
            if let Some(part) = self.part(at, c, last) {
                return Some(part);
            }
        }
    }
}

/// Where a layout qualifier ends that a line begins with. It is one thing: `layout(set = 0, binding = 1)`.
fn qualifier(line: &str) -> usize {
    let end = line.strip_prefix("layout(").and_then(|rest| rest.find(')'));
    end.map_or(0, |end| "layout(".len() + end)
}

/// Where a line that is too wide is broken: between the loosest parts that are in the fewest brackets, as late as there is room.
/// Behind an assignment or an opening bracket only if there is nothing else. Where nothing has room, at the first place of all.
fn best_break(line: &str, room: usize, open: &Brackets) -> Option<usize> {
    if open.in_comment {
        return None;
    }
    let qualified = qualifier(line);
    let mut depth = 0i32;
    let mut best: Option<((i32, u8), usize)> = None;
    let mut first = None;
    for part in Parts::new(line) {
        let (end, rank) = match part {
            Part::Open(end) => {
                depth += 1;
                // Hardly anything is gained by a break near to where the line begins.
                if end < room / 2 {
                    continue;
                }
                (end, (i32::MAX, 0))
            }
            Part::Close => {
                depth -= 1;
                continue;
            }
            Part::Comment(_) => continue,
            Part::Break(end, _) if end < qualified => continue,
            Part::Break(end, ASSIGNMENT) => (end, (i32::MAX - 1, 0)),
            Part::Break(end, looseness) => (end, (depth, looseness)),
        };
        let (before, behind) = line.split_at_checked(end)?;
        if behind.trim().is_empty() || before.trim().is_empty() {
            continue;
        }
        if width(before.trim_end()) > room {
            first = first.or(Some(end).filter(|_| rank.0 < i32::MAX - 1));
            break;
        }
        if best.is_none_or(|(known, _)| rank <= known) {
            best = Some((rank, end));
        }
    }
    best.map(|(_, end)| end).or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(text: &str) -> String {
        lines(text, 0, 4).iter().map(|line| format!("{}{}\n", "    ".repeat(line.depth), line.text)).collect()
    }

    #[test]
    fn lines_are_broken_where_they_were() {
        assert_eq!(broken("a = f(\nb, // c\nd\n);"), "a = f(\n    b, // c\n    d\n);\n");
        assert_eq!(broken("a = b\n + c;"), "a = b\n    + c;\n");
        assert_eq!(broken("a = f(g(b,\nc),\nd) + \n e;"), "a = f(g(b,\n    c),\n    d) +\n    e;\n");
        assert_eq!(broken("int a[2] = { \n1, \n2\n };"), "int a[2] = {\n    1,\n    2\n};\n");
        assert_eq!(broken("int a[2] =\n{\n1,\n{ 2 }\n};"), "int a[2] =\n{\n    1,\n    { 2 }\n};\n");
        assert_eq!(broken("a = { (b >> 2),\n{ c } };"), "a = { (b >> 2),\n    { c } };\n");
        assert_eq!(broken("a(/* ( */\nb\n);"), "a(/* ( */\n    b\n);\n");
        assert_eq!(broken("a = f(b,\n\u{2}\nc,\n\u{2}\n);"), "a = f(b,\n    \n    c,\n);\n".replace("    \n", "\n"));
        assert_eq!(broken("a(\"(\",\nb);"), "a(\"(\",\n    b);\n");
    }

    #[test]
    fn wide_lines_are_broken_at_what_is_loosest() {
        let long = "x".repeat(50);
        assert_eq!(
            broken(&format!("a = f({long}, {long}) + g({long});")),
            format!("a = f({long}, {long})\n    + g({long});\n")
        );
        assert_eq!(
            broken(&format!("a = f({long}, {long}, {long});")),
            format!("a = f({long}, {long},\n    {long});\n")
        );
        assert_eq!(broken(&format!("{long} = {long}{long};")), format!("{long} =\n    {long}{long};\n"));
        let short = "y".repeat(30);
        assert_eq!(
            broken(&format!("if ({short} * {short} + 1.0 * {short} < {short})")),
            format!("if ({short} * {short} + 1.0 * {short}\n    < {short})\n")
        );
        assert!(!is_broken(&format!("#define A {long}{long}{long}"), 0));
    }

    #[test]
    fn what_is_no_place_for_a_break_has_none() {
        let long = "x, ".repeat(60);
        assert_eq!(broken(&format!("a; // {long}")), format!("a;\n    // {}\n", long.trim_end()));
        assert_eq!(broken(&format!("f(\"{long}\");")), format!("f(\"{long}\");\n"));
        let lists = format!("fn {}(a: array<vec4<f32>, 4>, b: array<vec4<f32>, 4>) -> f32", "x".repeat(80));
        assert_eq!(broken(&lists), lists.replace(", b", ",\n    b") + "\n");
    }
}
