//! The units of a text: declarations, statements, members, comments and directives, each of whole lines; blocks have units inside.

use crate::diagnostic::Diagnostics;
use crate::lex::{Token, TokenKind, lex};
use crate::source::FileId;
use crate::target::Conditionals;

/// Blocks inside of more others than this are one unit with all that they have.
const MOST_DEPTH: usize = 100;

/// A unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// A blank line stands before it.
    pub blank: bool,
    /// What it is.
    pub kind: UnitKind,
    /// Its lines, those of its blocks among them.
    pub lines: Vec<String>,
    /// If it has blocks: the lines around them, of which there is one more than there are blocks.
    pub frames: Vec<Vec<String>>,
    /// What is in its blocks.
    pub bodies: Vec<Vec<Unit>>,
}

/// What a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnitKind {
    /// A comment with lines of its own.
    Comment,
    /// A line for the preprocessor.
    Directive,
    /// A declaration, a statement, a member.
    Code,
}

/// What a line has.
#[derive(Debug, Default)]
struct Line<'a> {
    text: &'a str,
    /// Its tokens.
    first: Option<Token>,
    last: Option<Token>,
    /// How many blocks end in it that began before, and begin in it that end behind.
    closes: usize,
    opens: usize,
    /// Parentheses and brackets that it opens, less those that it closes.
    nested: i64,
    /// The token before the first brace that it leaves open.
    before_open: Option<Token>,
    /// A comment or a directive goes on in the next line.
    goes_on: bool,
    /// It has no token but is inside of a comment, or has one.
    has_comment: bool,
}

impl Line<'_> {
    fn begins_with(&self, text: &str) -> bool {
        self.first.is_some_and(|token| token.text == text)
    }

    fn ends_with(&self, text: &str) -> bool {
        self.last.is_some_and(|token| token.text == text)
    }

    fn is_blank(&self) -> bool {
        self.first.is_none() && !self.has_comment
    }

    fn add(&mut self, token: Token) {
        match token.text.as_str() {
            "{" => {
                if self.opens == 0 {
                    self.before_open = self.last;
                }
                self.opens += 1;
            }
            "}" if self.opens > 0 => self.opens -= 1,
            "}" => self.closes += 1,
            "(" | "[" => self.nested += 1,
            ")" | "]" => self.nested -= 1,
            _ => {}
        }
        self.first = self.first.or(Some(token));
        self.last = Some(token);
    }
}

/// The tokens of a text, without ends of lines.
pub fn tokens(text: &str) -> Vec<Token> {
    let tokens = lex(FileId::default(), text, &mut Vec::new(), &mut Diagnostics::default());
    tokens.into_iter().filter(|token| !matches!(token.kind, TokenKind::Newline | TokenKind::Eof)).collect()
}

/// The units of a text that says in a form what only some variants have.
pub fn units(form: Conditionals, text: &str) -> Vec<Unit> {
    let mut reader = Reader { form, lines: lines(text), at: 0, depth: 0 };
    let mut units = reader.units(false);
    // Braces that nothing opens: whatever they are, nothing of the text is lost.
    while reader.at < reader.lines.len() {
        let lines = reader.take(1);
        units.push(Unit::plain(false, UnitKind::Code, lines));
        units.extend(reader.units(false));
    }
    units
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut starts = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        starts.push(start);
        start += line.len();
        lines.push(Line { text: line.trim_end(), ..Line::default() });
    }
    let line_of = |offset: u32| starts.partition_point(|start| *start <= offset as usize).saturating_sub(1);
    let mut comments = Vec::new();
    for token in lex(FileId::default(), text, &mut comments, &mut Diagnostics::default()) {
        if !matches!(token.kind, TokenKind::Newline | TokenKind::Eof)
            && let Some(line) = lines.get_mut(line_of(token.span.start))
        {
            line.add(token);
        }
    }
    for comment in comments {
        let (first, last) = (line_of(comment.span.start), line_of(comment.span.end.saturating_sub(1)));
        for at in first..=last {
            let Some(line) = lines.get_mut(at) else { continue };
            line.has_comment = true;
            line.goes_on |= at < last;
        }
    }
    for line in &mut lines {
        line.goes_on |= line.text.ends_with('\\');
    }
    lines
}

impl Unit {
    fn plain(blank: bool, kind: UnitKind, lines: Vec<String>) -> Unit {
        Unit { blank, kind, lines, frames: Vec::new(), bodies: Vec::new() }
    }
}

struct Reader<'a> {
    form: Conditionals,
    lines: Vec<Line<'a>>,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    /// The units up to the end of the block. `is_list`: commas end them.
    fn units(&mut self, is_list: bool) -> Vec<Unit> {
        let mut units = Vec::new();
        let mut blank = false;
        while let Some(line) = self.lines.get(self.at).filter(|line| line.closes == 0) {
            let kind = match line.first {
                None if line.is_blank() => {
                    blank = true;
                    self.at += 1;
                    continue;
                }
                None => UnitKind::Comment,
                Some(token) if token.text == "#" => UnitKind::Directive,
                Some(_) => UnitKind::Code,
            };
            let blank = std::mem::take(&mut blank);
            let unit = match kind {
                UnitKind::Comment | UnitKind::Directive => Unit::plain(blank, kind, self.take(1)),
                UnitKind::Code => self.code(blank, is_list),
            };
            units.push(unit);
        }
        units
    }

    /// So many lines, and those that they go on in.
    fn take(&mut self, count: usize) -> Vec<String> {
        let mut taken = Vec::new();
        while let Some(line) = self.lines.get(self.at) {
            taken.push(line.text.to_owned());
            self.at += 1;
            if taken.len() >= count && !line.goes_on {
                break;
            }
        }
        taken
    }

    fn code(&mut self, blank: bool, is_list: bool) -> Unit {
        let start = self.at;
        // What an import lists is not there by itself.
        let is_import = self.form == Conditionals::Attributes
            && self.lines.get(start).is_some_and(|line| line.begins_with("import"));
        if is_import {
            return self.whole(blank, is_list);
        }
        self.depth += 1;
        let unit = self.with_blocks(blank, is_list);
        self.depth -= 1;
        unit.unwrap_or_else(|| {
            self.at = start;
            self.whole(blank, is_list)
        })
    }

    /// All lines up to the one where the unit ends, whatever is in it.
    fn whole(&mut self, blank: bool, is_list: bool) -> Unit {
        let (start, mut open, mut nested) = (self.at, 0usize, 0i64);
        while let Some(line) = self.lines.get(self.at) {
            if self.at > start && line.closes > open {
                break;
            }
            open = open.saturating_sub(line.closes) + line.opens;
            nested += line.nested;
            self.at += 1;
            let is_end = open == 0 && nested <= 0 && self.is_end(start, is_list);
            if is_end {
                break;
            }
        }
        let lines = self.lines.get(start..self.at).unwrap_or_default();
        Unit::plain(blank, UnitKind::Code, lines.iter().map(|line| line.text.to_owned()).collect())
    }

    /// Whether the line before the place ends the unit that begins at a line.
    fn is_end(&self, start: usize, is_list: bool) -> bool {
        let (Some(first), Some(line)) = (self.lines.get(start), self.lines.get(self.at.saturating_sub(1))) else {
            return true;
        };
        let is_label = first.begins_with("case") || first.begins_with("default");
        let ends = line.ends_with(";")
            || line.ends_with("}")
            || (line.ends_with(":") && is_label)
            || (line.ends_with(",") && is_list);
        ends && self.lines.get(self.next()).is_none_or(|next| !next.begins_with("else"))
    }

    /// The next line with a token.
    fn next(&self) -> usize {
        let rest = self.lines.get(self.at..).unwrap_or_default();
        self.at + rest.iter().position(|line| line.first.is_some()).unwrap_or(rest.len())
    }

    /// A unit, with what is in its blocks; `None` if its lines are not those of blocks.
    fn with_blocks(&mut self, blank: bool, is_list: bool) -> Option<Unit> {
        let start = self.at;
        let mut unit = Unit::plain(blank, UnitKind::Code, Vec::new());
        let (mut frame, mut nested) = (self.at, 0i64);
        while let Some(line) = self.lines.get(self.at) {
            // The block around it ends, as behind the last of a list.
            if line.closes > 0 {
                break;
            }
            nested += line.nested;
            let (opens, is_inner_list) = (line.opens, self.is_list_of(line, self.lines.get(start)));
            self.at += 1;
            match opens {
                0 if nested <= 0 && self.is_end(start, is_list) => break,
                0 => continue,
                1 if nested <= 0 && self.depth <= MOST_DEPTH => {}
                _ => return None,
            }
            // Blocks, as long as the line that ends one leads to another.
            loop {
                unit.frames.push(self.between(frame));
                unit.bodies.push(self.units(is_inner_list));
                frame = self.at;
                let end = self.lines.get(self.at).filter(|line| line.closes == 1)?;
                let is_open = end.opens == 1;
                self.at += 1;
                if end.opens > 1 || end.nested != 0 {
                    return None;
                }
                if !is_open {
                    break;
                }
            }
            if self.is_end(start, is_list)
                || self.lines.get(frame).is_some_and(|line| line.begins_with("}") && !line.ends_with("}"))
            {
                break;
            }
            // `else`
        }
        if !unit.bodies.is_empty() {
            unit.frames.push(self.between(frame));
        }
        unit.lines = self.between(start);
        Some(unit)
    }

    /// Whether a block that a line opens is a list: of an initializer or an enumeration, and of WGSL's members.
    fn is_list_of(&self, line: &Line, first: Option<&Line>) -> bool {
        let before = line.before_open.map_or("", |token| token.text.as_str());
        let members = match self.form {
            Conditionals::Directives => "enum",
            Conditionals::Attributes => "struct",
        };
        before == "=" || first.is_some_and(|first| first.begins_with(members))
    }

    fn between(&self, start: usize) -> Vec<String> {
        let lines = self.lines.get(start..self.at).unwrap_or_default();
        lines.iter().map(|line| line.text.to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIRECTIVES: Conditionals = Conditionals::Directives;

    /// The units of a text, one a line, those of blocks inside of parentheses.
    fn shown(units: &[Unit]) -> Vec<String> {
        let show = |unit: &Unit| {
            let inner: Vec<String> = unit.bodies.iter().map(|body| format!("({})", shown(body).join(" | "))).collect();
            let own = if unit.frames.is_empty() { unit.lines.clone() } else { unit.frames.concat() };
            let words: Vec<&str> = own.iter().map(|line| line.trim()).collect();
            format!("{}{}", words.join(" "), inner.join(""))
        };
        units.iter().map(show).collect()
    }

    #[test]
    fn units_are_of_whole_lines() {
        let text = "#define A 1\n// About f.\n/* and\n more */\nfloat f(float a,\n    float b)\n{\n    if (a)\n    {\n        b;\n    }\n    else\n    {\n        c;\n    }\n    switch (x) {\n    case 1:\n        y;\n        break;\n    }\n\n    do { a; } while (b);\n    if (q)\n        r;\n    else\n        s;\n}\n\
            enum E\n{\n    One,\n    Two\n};\nconst int t[2] = {\n    1,\n    2\n};\n[numthreads(1, 1, 1)]\nvoid main() {\n}\n";
        assert_eq!(
            shown(&units(DIRECTIVES, text)),
            [
                "#define A 1",
                "// About f.",
                "/* and more */",
                "float f(float a, float b) { }(if (a) { } else { }(b;)(c;) | switch (x) { }(case 1: | y; | break;) | \
                 do { a; } while (b); | if (q) r; else s;)",
                "enum E { };(One, | Two)",
                "const int t[2] = { };(1, | 2)",
                "[numthreads(1, 1, 1)] void main() { }()",
            ]
        );
        assert!(units(DIRECTIVES, text)[3].bodies[0][2].blank);
    }

    #[test]
    fn members_and_imports_of_wgsl_are_units() {
        let text = "import package::inc::a::{\n    b,\n    c,\n};\nstruct S {\n    @location(0) a: f32,\n    b: f32,\n}\n\
            @fragment\nfn f(\n    a: f32,\n    b: f32,\n) {\n    switch x {\n        case 1: {\n            y;\n        }\n        \
            default: {\n        }\n    }\n}\n";
        assert_eq!(
            shown(&units(Conditionals::Attributes, text)),
            [
                "import package::inc::a::{ b, c, };",
                "struct S { }(@location(0) a: f32, | b: f32,)",
                "@fragment fn f( a: f32, b: f32, ) { }(switch x { }(case 1: { }(y;) | default: { }()))",
            ]
        );
    }

    /// Whatever a text is, its lines are those of its units.
    #[test]
    fn nothing_is_lost() {
        for text in [
            "}\n}\na;\n",
            "{ {\na\n",
            "f(\n{\n a;\n}\n);\n",
            "a\n",
            "} else {\nb;\n}\n",
            "if (a) {\nb;\n} else if (c) {\nd;\n}\n",
            "x = {\n {\n 1,\n },\n};\n",
            "/* a\n",
            "#define A \\\n b\n",
        ] {
            let lines: Vec<String> = units(DIRECTIVES, text).iter().flat_map(|unit| unit.lines.clone()).collect();
            assert_eq!(lines, text.lines().map(str::trim_end).collect::<Vec<_>>(), "{text}");
        }
    }
}
