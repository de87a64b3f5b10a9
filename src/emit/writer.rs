//! Text with indentation, blank lines and comments.

use super::marks::{Marks, PieceKind};
use crate::lex::Comment;
use crate::source::Span;
use std::rc::Rc;

/// Where opening braces stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Braces {
    /// On a line of their own, as HLSL and GLSL are usually written.
    OwnLine,
    /// At the end of the line, as WGSL is usually written.
    SameLine,
}

/// Collects lines.
pub(super) struct Writer {
    text: String,
    depth: usize,
    braces: Braces,
    comments: bool,
    /// A blank line is due before the next line.
    blank: bool,
    /// The last line opened a block: no blank line may follow.
    opened: bool,
    /// Where declarations begin.
    declarations: usize,
    marks: Rc<Marks>,
    /// What lines are made from.
    origin: (Span, PieceKind),
}

impl Writer {
    /// An empty text. Without `comments`, those of the source are dropped. Its lines are made from `origin`, and marked as such.
    pub(super) fn new(braces: Braces, comments: bool, marks: &Rc<Marks>, origin: (Span, PieceKind)) -> Writer {
        let (text, marks) = (String::new(), marks.clone());
        Writer { text, depth: 0, braces, comments, blank: false, opened: true, declarations: 0, marks, origin }
    }

    /// From now on lines are made from this; gives what they were made from before.
    pub(super) fn from(&mut self, origin: (Span, PieceKind)) -> (Span, PieceKind) {
        std::mem::replace(&mut self.origin, origin)
    }

    /// The text, and the place in it where declarations begin.
    pub(super) fn finish(self) -> (String, usize) {
        (self.text, self.declarations)
    }

    /// Declarations begin here.
    pub(super) fn begin_declarations(&mut self) {
        self.declarations = self.text.len();
    }

    /// A line at the current indentation.
    pub(super) fn line(&mut self, line: &str) {
        if self.blank && !self.opened {
            self.text.push('\n');
        }
        self.blank = false;
        self.opened = false;
        if !line.is_empty() {
            for _ in 0..self.depth {
                self.text.push_str("    ");
            }
            self.marks.begin(self.origin.0, self.origin.1, &mut self.text);
            self.text.push_str(line);
            self.marks.end(&mut self.text);
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
            self.text.push_str(&self.marks.around(comment.span, PieceKind::Code, text));
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
        self.line(lines.next().unwrap_or("").trim_end());
        let rest: Vec<&str> = lines.collect();
        let common =
            rest.iter().filter(|l| !l.trim().is_empty()).map(|l| l.len() - l.trim_start().len()).min().unwrap_or(0);
        let stars = rest.iter().all(|l| l.trim_start().starts_with('*'));
        for line in rest {
            if stars {
                self.line(&format!(" {}", line.trim()));
            } else {
                self.line(line.get(common..).unwrap_or("").trim_end());
            }
        }
        self.origin = before;
    }
}

/// A comment that means the same in every target: WGSL nests block comments and has more line breaks than HLSL, and a
/// backslash at a line's end would continue a line comment.
fn clean(text: &str) -> String {
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
        let mut w = Writer::new(Braces::OwnLine, true, &Rc::default(), (Span::default(), PieceKind::Head));
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
