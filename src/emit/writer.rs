//! Text with indentation, blank lines and comments.

use super::marks::{Marks, Origin, PieceKind, is_mark};
use super::style::{Braces, Indent};
use super::{Options, layout};
use crate::lex::Comment;
use crate::source::Span;
use std::rc::Rc;

/// A place in a text between declarations, where macros can be declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// First byte of the declaration behind it, of its comments or of the blank line before them.
    pub at: usize,
    /// The name of that declaration.
    pub before: Span,
}

/// Collects lines.
pub(super) struct Writer {
    text: String,
    depth: usize,
    indent: Indent,
    braces: Braces,
    comments: bool,
    /// A blank line is due before the next line.
    blank: bool,
    /// The last line opened a block: no blank line may follow.
    opened: bool,
    /// Where declarations begin.
    slots: Vec<Slot>,
    marks: Rc<Marks>,
    /// What lines are made from.
    origin: Origin,
}

impl Writer {
    /// An empty text. Its lines are made from `origin`, and marked as such.
    pub(super) fn new(options: &Options, marks: &Rc<Marks>, origin: impl Into<Origin>) -> Writer {
        let origin = origin.into();
        let indent = options.style.indent.unwrap_or(Indent::Spaces(4));
        let braces = options.style.braces.unwrap_or(Braces::OwnLine);
        let (text, slots, comments, marks) = (String::new(), Vec::new(), options.comments, marks.clone());
        Writer { text, depth: 0, indent, braces, comments, blank: false, opened: true, slots, marks, origin }
    }

    /// From now on lines are made from this; gives what they were made from before.
    pub(super) fn from(&mut self, origin: impl Into<Origin>) -> Origin {
        std::mem::replace(&mut self.origin, origin.into())
    }

    /// The text, and the places between its declarations.
    pub(super) fn finish(self) -> (String, Vec<Slot>) {
        (self.text, self.slots)
    }

    /// The declaration of this name comes next; no name: that of something which the source has not.
    pub(super) fn slot(&mut self, before: Span) {
        self.slots.push(Slot { at: self.text.len(), before });
    }

    /// A statement or declaration at the current indentation: one line, or those that it is broken into.
    pub(super) fn line(&mut self, line: &str) {
        let column = self.depth * self.indent.columns();
        if self.marks.are_written() {
            return self.marked_line(line, column);
        }
        if !layout::is_broken(line, column) {
            return self.bare_line(line);
        }
        let depth = self.depth;
        for part in layout::lines(line, column, self.indent.columns()) {
            if part.text.is_empty() {
                self.blank();
                continue;
            }
            self.depth = depth + part.depth;
            self.bare_line(part.text);
        }
        self.depth = depth;
    }

    /// The same with marks, which are no letters: it is broken where it is without.
    fn marked_line(&mut self, line: &str, column: usize) {
        let bare: String = line.chars().filter(|c| !is_mark(*c)).collect();
        if !layout::is_broken(&bare, column) {
            return self.plain_line(line);
        }
        let lines = layout::lines(&bare, column, self.indent.columns());
        let mut whole = String::new();
        self.marks.begin(self.origin, &mut whole);
        let (depth, last) = (self.depth, lines.len().saturating_sub(1));
        let (mut letters, mut at) = (line.chars().peekable(), 0);
        for (number, part) in lines.iter().enumerate() {
            if part.text.is_empty() {
                self.blank();
                continue;
            }
            // Behind the last letter there is nothing but marks.
            let end = if number == last { usize::MAX } else { part.start + part.text.len() };
            while let Some(c) = letters.next_if(|c| is_mark(*c) || at < end) {
                let is_kept = is_mark(c) || at >= part.start;
                at += if is_mark(c) { 0 } else { c.len_utf8() };
                whole.extend(is_kept.then_some(c));
            }
            if number == last {
                self.marks.end(&mut whole);
            }
            self.depth = depth + part.depth;
            self.bare_line(&std::mem::take(&mut whole));
        }
        self.depth = depth;
    }

    /// A line as it is, as a piece.
    fn plain_line(&mut self, line: &str) {
        if line.is_empty() || !self.marks.are_written() {
            return self.bare_line(line);
        }
        let line = self.marks.around(self.origin, line.to_owned());
        self.bare_line(&line);
    }

    fn bare_line(&mut self, line: &str) {
        if self.blank && !self.opened {
            self.text.push('\n');
        }
        self.blank = false;
        self.opened = false;
        if !line.is_empty() {
            for _ in 0..self.depth {
                self.text.push_str(self.indent.text());
            }
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// Asks for a blank line before the next line, unless a block was just opened.
    pub(super) fn blank(&mut self) {
        self.blank = true;
    }

    /// Opens a block after `head`.
    pub(super) fn open(&mut self, head: &str) {
        match self.braces {
            Braces::OwnLine => {
                if !head.is_empty() {
                    self.line(head);
                }
                self.line("{");
            }
            Braces::SameLine if head.is_empty() => self.line("{"),
            Braces::SameLine => self.line(&format!("{head} {{")),
        }
        self.depth += 1;
        self.opened = true;
    }

    /// Closes a block; `tail` follows the brace.
    pub(super) fn close(&mut self, tail: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.blank = false;
        self.line(&format!("}}{tail}"));
    }

    /// Closes a block and opens the next, as in `} else {`.
    pub(super) fn reopen(&mut self, head: &str) {
        match self.braces {
            Braces::OwnLine => {
                self.close("");
                self.open(head);
            }
            Braces::SameLine => {
                self.close(&format!(" {head} {{"));
                self.depth += 1;
                self.opened = true;
            }
        }
    }

    /// A head whose body is one statement without braces.
    pub(super) fn open_bare(&mut self, head: &str) {
        self.line(head);
        self.depth += 1;
        self.opened = true;
    }

    /// Ends such a body.
    pub(super) fn close_bare(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.blank = false;
    }

    /// Closes a block before a head whose body has no braces, as in `} else`.
    pub(super) fn reopen_bare(&mut self, head: &str) {
        match self.braces {
            Braces::OwnLine => {
                self.close("");
                self.line(head);
            }
            Braces::SameLine => self.close(&format!(" {head}")),
        }
        self.depth += 1;
        self.opened = true;
    }

    /// The head of an `else if` chain: `} else if (c) {` or `}` and `else if (c)` with the brace below.
    pub(super) fn indent(&mut self) {
        self.depth += 1;
    }

    /// Ends what [`Writer::indent`] began.
    pub(super) fn outdent(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// The comments that stand before something.
    pub(super) fn before(&mut self, comments: &[Comment]) {
        for comment in comments.iter().filter(|c| !c.trailing) {
            self.comment(comment);
        }
    }

    /// The comments that trail on the line just written.
    pub(super) fn after(&mut self, comments: &[Comment]) {
        if !self.comments {
            return;
        }
        for comment in comments.iter().filter(|c| c.trailing) {
            let text = clean(comment.text.as_str());
            if text.contains('\n') {
                continue;
            }
            if self.text.ends_with('\n') {
                self.text.pop();
            }
            self.text.push(' ');
            self.text.push_str(&self.marks.around((comment.span, PieceKind::Code), text));
            self.text.push('\n');
        }
    }

    /// One comment on lines of its own.
    pub(super) fn comment(&mut self, comment: &Comment) {
        if !self.comments {
            return;
        }
        if comment.blank_before {
            self.blank();
        }
        let before = self.from((comment.span, PieceKind::Code));
        let text = clean(comment.text.as_str());
        let mut lines = text.lines();
        self.plain_line(lines.next().unwrap_or("").trim_end());
        let rest: Vec<&str> = lines.collect();
        let common =
            rest.iter().filter(|l| !l.trim().is_empty()).map(|l| l.len() - l.trim_start().len()).min().unwrap_or(0);
        // Stars are below the one of the first line, or where the author has them: at the begin of the line.
        let stars = rest.iter().all(|l| l.trim_start().starts_with('*'));
        let before_star = if common == 0 { "" } else { " " };
        for line in rest {
            if stars {
                self.plain_line(&format!("{before_star}{}", line.trim()));
            } else {
                self.plain_line(line.get(common..).unwrap_or("").trim_end());
            }
        }
        self.origin = before;
        if comment.blank_after {
            self.blank();
        }
    }
}

/// A comment that means the same in every target: WGSL nests block comments and has more line breaks than HLSL, and a
/// backslash at a line's end would continue a line comment.
pub(super) fn clean(text: &str) -> String {
    let breaks =
        |c: char| matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}') || (c.is_control() && !matches!(c, '\n' | '\t'));
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace(breaks, " ");
    if let Some(inner) = text.strip_prefix("/*").and_then(|t| t.strip_suffix("*/")) {
        let apart = if inner.ends_with('/') { " " } else { "" };
        return format!("/*{}{apart}*/", inner.replace("/*", "/ *"));
    }
    let mut lines = text.lines().map(|l| l.trim_end_matches(|c: char| c == '\\' || c.is_whitespace()));
    let first = lines.next().unwrap_or("").to_owned();
    // A line comment continued by a backslash holds further lines.
    lines.fold(first, |all, line| all + "\n// " + line.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_mean_the_same_everywhere() {
        assert_eq!(clean("/* a /* b */"), "/* a / * b */");
        assert_eq!(clean("// path\\"), "// path");
        assert_eq!(clean("// one \\\ntwo"), "// one\n// two");
        assert_eq!(clean("// path \\ \\"), "// path");
        assert_eq!(clean("/* a /*/"), "/* a / */");
        assert_eq!(clean("// a\u{2028}b\u{85}c\u{b}d\u{c}e"), "// a b c d e");
    }

    #[test]
    fn blank_lines_never_follow_an_opened_block() {
        let mut w = Writer::new(&Options::default(), &Rc::default(), (Span::default(), PieceKind::Head));
        w.blank();
        w.open("void f()");
        w.blank();
        w.line("a;");
        w.blank();
        w.line("b;");
        w.blank();
        w.close("");
        assert_eq!(w.finish().0, "void f()\n{\n    a;\n\n    b;\n}\n");
    }
}
