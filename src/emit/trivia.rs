//! What stands in the source between the parts of an expression: comments, and the line breaks of its author.
//!
//! It is found by the spans of the parts, so that it goes wherever they go. A `\n` in what is printed is a line break; see
//! [`super::layout`].

use super::layout::BLANK_LINE;
use super::marks::is_mark;
use super::named::MARK;
use super::writer::clean;
use crate::lex::Comment;
use crate::source::{FileId, SourceFile, Sources, Span};
use crate::symbol::Symbol;
use crate::tree::Local;
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};

/// Finds what stands around expressions in the source.
pub(super) struct Trivia<'a> {
    sources: &'a Sources,
    /// Comments are kept.
    comments: bool,
    /// The places whose comments and breaks the current declaration has already: an expression may be in it several times, and
    /// several may have one span.
    taken: RefCell<FxHashSet<(FileId, usize)>>,
    /// Nothing is found: what is printed stands elsewhere.
    is_off: Cell<bool>,
}

/// What is between two tokens, in the order of the text.
enum Between<'a> {
    LineBreak,
    Comment(&'a str),
}

/// How much text of a list of variables is looked at.
const LIST_LENGTH: usize = 1000;

/// Where the declaration begins that a text ends in.
fn start_of_list(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().rev().take(LIST_LENGTH) {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            ';' | '(' | '{' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Whether words of the source have a letter.
fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl<'a> Trivia<'a> {
    /// Of a program's sources.
    pub(super) fn new(sources: &'a Sources, comments: bool) -> Trivia<'a> {
        Trivia { sources, comments, taken: RefCell::default(), is_off: Cell::default() }
    }

    /// Prints what stands elsewhere than in the source.
    pub(super) fn without<T>(&self, print: impl FnOnce() -> T) -> T {
        let before = self.is_off.replace(true);
        let printed = print();
        self.is_off.set(before);
        printed
    }

    /// Prints what is printed again after it.
    pub(super) fn at_first<T>(&self, print: impl FnOnce() -> T) -> T {
        let before = self.taken.borrow().clone();
        let printed = print();
        self.taken.replace(before);
        printed
    }

    /// Another declaration begins.
    pub(super) fn begin(&self) {
        self.taken.borrow_mut().clear();
    }

    /// The file of an expression, and its place there. One that a macro stands for is where the macro is used.
    fn place(&self, span: Span) -> Option<(&'a SourceFile, FileId, usize, usize)> {
        if span.file.is_library() || self.is_off.get() {
            return None;
        }
        let Span { file, start, end } = match self.sources.expansion(span.file) {
            Some(expansion) if span.file.is_named() => expansion.call_site,
            Some(_) => return None,
            None => span,
        };
        Some((self.sources.file(file)?, file, start as usize, end as usize))
    }

    /// Writes what stands before an operand, an argument or an element of a list, behind the operator or bracket before it.
    pub(super) fn before(&self, span: Span, out: &mut String) {
        let Some((file, id, start, end)) = self.place(span) else { return };
        let mut items = Vec::new();
        let Some(begin) = backwards(file, start, &mut items) else { return };
        // The object of a method begins where the call does, of which it may be an argument here.
        let is_object = file.text.as_bytes().get(end) == Some(&b'.');
        if items.is_empty()
            || is_object
            || is_statement(file, start, end)
            || !self.taken.borrow_mut().insert((id, begin))
        {
            return;
        }
        self.write(&items, out);
    }

    /// What stands behind an expression that ends a statement. The value of the last case of an enum ends before a brace, and what is
    /// there is about the case.
    pub(super) fn after_all(&self, span: Span) -> Option<String> {
        let (file, id, start, end) = self.place(span)?;
        let next = forwards(file, end, &mut Vec::new()).and_then(|at| file.text.as_bytes().get(at));
        if next == Some(&b'}') { None } else { self.behind(file, id, (start, end)) }
    }

    /// What stands behind an argument or an element of a list, before the comma or bracket behind it.
    pub(super) fn after(&self, span: Span) -> Option<String> {
        let (file, id, start, end) = self.place(span)?;
        self.behind(file, id, (start, end))
    }

    /// What stands behind the last argument or element of a list, and the comma behind it, before the bracket that closes the list.
    pub(super) fn after_last(&self, span: Span) -> Option<String> {
        let (file, id, start, end) = self.place(span)?;
        self.behind(file, id, (start, behind_last_comma(file, end)))
    }

    /// What stands behind an operand, and the parentheses around it, before the operator behind it.
    pub(super) fn after_operand(&self, span: Span) -> Option<String> {
        let (file, id, start, end) = self.place(span)?;
        self.behind(file, id, (start, behind_parentheses(file, start, end)))
    }

    fn behind(&self, file: &SourceFile, id: FileId, (start, end): (usize, usize)) -> Option<String> {
        let mut items = Vec::new();
        forwards(file, end, &mut items)?;
        if items.is_empty() || is_statement(file, start, end) || !self.taken.borrow_mut().insert((id, end)) {
            return None;
        }
        let mut out = String::new();
        self.write(&items, &mut out);
        Some(out).filter(|out| !out.is_empty())
    }

    /// Writes comments within a list.
    pub(super) fn write_all<'c>(&self, comments: impl Iterator<Item = &'c Comment>, out: &mut String) {
        comments.for_each(|comment| self.write([Between::Comment(comment.text.as_str())].as_slice(), out));
    }

    /// What is between two names in the source, if they are in one list of members: no braces are.
    fn between(&self, first: Span, second: Span) -> Option<&str> {
        let file = self.sources.file(first.file).filter(|_| first.file == second.file && first != Span::default())?;
        let between = file.text.get(first.end as usize..second.start as usize);
        between.filter(|text| !text.contains(['{', '}']))
    }

    /// The line break between two names of a list that are on lines of their own, with the blank line there.
    pub(super) fn line_break(&self, first: Span, second: Span) -> &'static str {
        let between = self.between(first, second).filter(|text| !text.contains(';')).unwrap_or_default();
        let lines: Vec<&str> = between.split('\n').collect();
        match lines.as_slice() {
            [_, inner @ .., _] if inner.iter().any(|line| line.trim().is_empty()) => BLANK_LINE,
            [_, _, ..] => "\n",
            _ => "",
        }
    }

    /// Whether a blank line stands before a member that is behind another one in the source.
    pub(super) fn is_member_apart(&self, last: Span, name: Span) -> bool {
        self.is_blank_before(name) && self.between(last, name).is_some()
    }

    /// Whether the bracket that closes a list is first on its line, behind the last name in the list.
    pub(super) fn is_closed_apart(&self, last: Span) -> bool {
        let rest = self.sources.file(last.file).and_then(|file| file.text.get(last.end as usize..));
        let list = rest.and_then(|rest| rest.split_once(')')).map(|(list, _)| list).unwrap_or_default();
        let end = list.trim_end_matches([' ', '\t', '\r']);
        end.ends_with('\n') && !end.contains(['(', '{', ',', '/'])
    }

    /// Whether a blank line stands before what declares a name.
    pub(super) fn is_blank_before(&self, name: Span) -> bool {
        let before = self.sources.file(name.file).and_then(|file| file.text.get(..name.start as usize));
        let mut lines = before.unwrap_or_default().rsplit('\n').map(str::trim);
        let is_shared = lines.next().is_none_or(|line| line.contains([';', '}', ',']));
        let is_other = |line: &str| line.contains([';', '}', '/']) || line.ends_with(',') || line.starts_with('#');
        !is_shared && lines.take(DECLARATION_LINES).take_while(|line| !is_other(line)).any(str::is_empty)
    }

    /// The word that the source has before what has this name, or before the first of a list that it is in: its type.
    pub(super) fn word_before(&self, name: Span) -> Option<Span> {
        let mut before = self.text(name.file).get(..name.start as usize)?.trim_end();
        if before.ends_with(',') {
            let start = start_of_list(before)?;
            let list = before.get(start..)?;
            let words = list.find(|c: char| !is_word_part(c) && !c.is_whitespace()).unwrap_or(list.len());
            let first = before.get(..start + words)?.trim_end();
            before = first.trim_end_matches(is_word_part).trim_end();
        }
        let start = before.trim_end_matches(is_word_part).len();
        (start < before.len()).then_some(Span { start: start as u32, end: before.len() as u32, ..name })
    }

    /// Whether a statement is the body of another one without braces: it stands right behind a condition, or behind `else`, perhaps
    /// with lines for the preprocessor between.
    pub(super) fn is_bare(&self, stmt: Span) -> bool {
        let text = self.text(stmt.file).get(..stmt.start as usize).unwrap_or_default();
        let before = before_directives(text);
        let is_else = before.strip_suffix("else").is_some_and(|rest| !rest.ends_with(is_word_part));
        is_else || before.ends_with(')')
    }

    /// Whether that is a word.
    pub(super) fn is_word_before(&self, name: Span, word: &str) -> bool {
        let found = self.word_before(name);
        found.is_some_and(|at| self.text(at.file).get(at.start as usize..at.end as usize) == Some(word))
    }

    /// The one word between the angles of the type that the source has before what has this name: `Color` of `Buffer<Color> colors`.
    pub(super) fn argument_before(&self, name: Span) -> Option<Span> {
        let before = self.text(name.file).get(..name.start as usize)?.trim_end();
        let inside = before.strip_suffix('>')?.trim_end();
        let outside = inside.trim_end_matches(is_word_part);
        let is_sole = outside.trim_end().ends_with('<') && outside.len() < inside.len();
        is_sole.then_some(Span { start: outside.len() as u32, end: inside.len() as u32, ..name })
    }

    /// What the source has in parentheses behind a name, on its line and without comments: `ROUNDS` of `[unroll(ROUNDS)]`.
    pub(super) fn argument_of(&self, name: Span) -> Option<&str> {
        let line = self.text(name.file).get(name.end as usize..)?.lines().next()?;
        let inside = line.trim_start().strip_prefix('(')?;
        let closes = inside.match_indices(')').map(|(at, _)| at);
        let balanced = |text: &&str| text.matches('(').count() == text.matches(')').count();
        let argument = closes.filter_map(|at| inside.get(..at)).find(balanced)?.trim();
        let has_comment = argument.contains("//") || argument.contains("/*") || argument.contains('\\');
        (!has_comment && !argument.is_empty()).then_some(argument)
    }

    /// The word that an expression begins with, perhaps in parentheses; of a path the last.
    pub(super) fn first_word(&self, span: Span) -> Option<Span> {
        let from = self.text(span.file).get(span.start as usize..)?;
        let mut word = from.trim_start_matches(|c: char| c == '(' || c.is_whitespace());
        let length_of = |word: &str| word.find(|c| !is_word_part(c)).unwrap_or(word.len());
        let mut length = length_of(word);
        while let Some(next) = word.get(length..).and_then(|rest| rest.strip_prefix("::")) {
            word = next;
            length = length_of(word);
        }
        let start = span.start as usize + from.len() - word.len();
        (length > 0).then(|| Span { start: start as u32, end: (start + length) as u32, ..span })
    }

    /// The text of a file of the program.
    fn text(&self, file: FileId) -> &str {
        self.sources.file(file).filter(|_| !file.is_library()).map_or("", |source| &*source.text)
    }

    /// Whether the source declares a variable at its span with a type, not with a word that leaves its type to its value.
    pub(super) fn is_typed(&self, variable: &Local) -> bool {
        let Span { file, start, end } = variable.span;
        let text = self.text(file);
        let own = text.get(start as usize..end as usize).unwrap_or_default();
        // What passes make is where it comes from.
        if own.is_empty() || !variable.name.as_str().starts_with(own) {
            return false;
        }
        let before = text.get(..start as usize).unwrap_or_default();
        let word = before.trim_end().rsplit(|c| !is_word_part(c)).next().unwrap_or_default();
        !word.is_empty() && !matches!(word, "let" | "var" | "auto") || before.trim_end().ends_with('>')
    }

    /// Where something stands, or the macro that it comes from, for putting it in order.
    pub(super) fn place_in_source(&self, span: Span) -> (FileId, u32) {
        let place = self.sources.use_site(span);
        (place.file, place.start)
    }

    /// Whether something stands before something else in one file.
    pub(super) fn is_before(&self, first: Span, second: Span) -> bool {
        let (first, second) = (self.place_in_source(first), self.place_in_source(second));
        first.0 == second.0 && first.1 < second.1
    }

    /// Whether the source has a list in braces at a place.
    pub(super) fn is_list(&self, span: Span) -> bool {
        self.written(span).starts_with('{')
    }

    /// Whether the source says `this` at a place.
    pub(super) fn is_this(&self, span: Span) -> bool {
        self.written(span) == "this"
    }

    /// Whether the source says in whose scope the function is that it calls at a place.
    pub(super) fn is_qualified(&self, call: Span) -> bool {
        self.written(call).split_once('(').is_some_and(|(name, _)| name.contains("::"))
    }

    /// Whether the source has a conversion as `(T)x`: its place is all of that, or the operand's.
    pub(super) fn is_cast(&self, conversion: Span, operand: Span) -> bool {
        if conversion != operand {
            return self.written(conversion).starts_with('(');
        }
        let before = self.text(operand.file).get(..operand.start as usize).filter(|_| !operand.file.is_named());
        before.is_some_and(|before| before.trim_end_matches([' ', '(']).ends_with(')'))
    }

    /// Whether the source calls a function of this name at a place.
    pub(super) fn is_call_of(&self, name: &str, place: Span) -> bool {
        self.written(place).strip_prefix(name).is_some_and(|behind| behind.trim_start().starts_with('('))
    }

    /// Whether the source has an expression in parentheses that are of nothing else: not those of a call, a cast or a condition.
    pub(super) fn is_in_parentheses(&self, expression: Span) -> bool {
        let Span { file, start, end } = expression;
        if file.is_named() || start == end {
            return false;
        }
        let text = self.text(file);
        let (Some(before), Some(behind)) = (text.get(..start as usize), text.get(end as usize..)) else { return false };
        let blank = |c: char| c == ' ';
        let Some(around) = before.trim_end_matches(blank).strip_suffix('(') else { return false };
        let around = around.trim_end_matches(blank);
        let word = around.len() - around.trim_end_matches(is_word_part).len();
        let is_other = around.ends_with([')', ']', '>']) || word > 0 && !around.ends_with("return");
        behind.trim_start_matches(blank).starts_with(')') && !is_other
    }

    /// Whether the source has nothing but a text between two places.
    pub(super) fn is_between(&self, text: &str, first: Span, second: Span) -> bool {
        let is_one = first.file == second.file && !first.file.is_named() && first.start != first.end;
        let between = self.text(first.file).get(first.end as usize..second.start as usize);
        is_one && between.is_some_and(|between| between.trim() == text)
    }

    /// What the source has behind the name of a macro in its definition, without the ends of its lines.
    pub(super) fn definition(&self, name: Span) -> String {
        let behind = self.text(name.file).get(name.end as usize..).unwrap_or_default();
        let mut lines = behind.lines();
        let mut body = String::new();
        for line in &mut lines {
            match line.trim_end().strip_suffix('\\') {
                Some(open) => body.push_str(open),
                None => return body + line,
            }
        }
        body
    }

    /// Whether the source has this text at a place, but for spaces.
    pub(super) fn is_text(&self, place: Span, text: &str) -> bool {
        let visible = |c: &char| !c.is_whitespace() && !is_mark(*c) && *c != MARK;
        text.chars().filter(visible).eq(self.written(place).chars().filter(visible))
    }

    /// Whether the source declares two variables in a row by one declaration, on one line: `float a = 1, b;`.
    pub(super) fn declares_both(&self, name: Span, next: Span) -> bool {
        if name.file != next.file || name.file.is_named() {
            return false;
        }
        let between = self.text(name.file).get(name.end as usize..next.start as usize).unwrap_or_default();
        let is_end = |c: char| matches!(c, ';' | '\n' | '#');
        between.trim_end().ends_with(',')
            && !between.contains(is_end)
            && !between.contains("//")
            && !between.contains("/*")
    }

    /// The words that the source has before the type of a parameter of this name.
    pub(super) fn words_of_parameter(&self, name: Span) -> impl Iterator<Item = &str> {
        let before = self.text(name.file).get(..name.start as usize).unwrap_or_default();
        let words = before.get(start_of_parameter(before)..).unwrap_or_default();
        let words = if words.contains(['/', '#']) { "" } else { words };
        words.split_ascii_whitespace()
    }

    /// Whether the source says in whose scope the variable is that it names at a place.
    pub(super) fn is_path(&self, name: Span) -> bool {
        self.written(name).contains("::")
    }

    /// What stands at a place of a file.
    fn written(&self, span: Span) -> &'a str {
        let Span { file, start, end } = span;
        let source = self.sources.file(file).filter(|_| !file.is_library());
        source.and_then(|source| source.text.get(start as usize..end as usize)).unwrap_or_default()
    }

    /// The comments behind the last member of what has a name and lists its members in braces.
    pub(super) fn closing(&self, name: Span) -> Vec<Comment> {
        let file = self.sources.file(name.file).filter(|_| self.comments && !name.file.is_library());
        file.and_then(|file| last_comments(file, name)).unwrap_or_default()
    }

    /// The comments at the ends of the three parts of the head of a `for`: before and behind each.
    pub(super) fn for_head(&self, statement: Span) -> [(String, String); 3] {
        let mut parts: [(String, String); 3] = Default::default();
        let Some((file, _, start, end)) = self.place(statement).filter(|_| self.comments) else { return parts };
        for (part, is_before, text) in comments_of_head(file, start, end) {
            if let Some((before, behind)) = parts.get_mut(part) {
                self.write(&[Between::Comment(text)], if is_before { before } else { behind });
            }
        }
        parts
    }

    fn write(&self, items: &[Between], out: &mut String) {
        // Line ends since the last comment, and whether one of that is still to come.
        let (mut breaks, mut is_ending) = (0, false);
        for item in items {
            match item {
                Between::LineBreak if is_ending => is_ending = false,
                Between::LineBreak => {
                    breaks += 1;
                    out.push_str(match breaks {
                        1 => "\n",
                        2 => BLANK_LINE.trim_start_matches('\n'),
                        _ => "",
                    });
                }
                Between::Comment(_) if !self.comments => {}
                Between::Comment(text) => {
                    if !out.ends_with([' ', '(', '[', '\n']) {
                        out.push(' ');
                    }
                    out.push_str(&clean(text));
                    is_ending = text.starts_with("//");
                    breaks = usize::from(is_ending);
                    out.push(if is_ending { '\n' } else { ' ' });
                }
            }
        }
    }
}

/// How many lines above a statement are looked at for what it is the body of.
const DIRECTIVE_LINES: usize = 64;

/// A text up to the lines for the preprocessor at its end, with what stands in other branches of these.
fn before_directives(text: &str) -> &str {
    let mut before = text.trim_end();
    // In how many branches that end before the last line, or in another one of its own.
    let mut inside = 0;
    for _ in 0..DIRECTIVE_LINES {
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.get(start..).unwrap_or_default().trim_start();
        let Some(directive) = line.strip_prefix('#').map(str::trim_start) else {
            if inside == 0 {
                return before;
            }
            before = before.get(..start).unwrap_or_default().trim_end();
            continue;
        };
        let begins = directive.starts_with("if");
        let is_other = directive.starts_with("el") && inside == 0;
        inside += usize::from(is_other || directive.starts_with("endif"));
        inside -= usize::from(begins && inside > 0);
        before = before.get(..start).unwrap_or_default().trim_end();
    }
    before
}

/// How many lines of a declaration may be before its name, with those of attributes.
const DECLARATION_LINES: usize = 6;

/// Where the parameter begins whose type ends a text: behind what ends another one, outside of the arguments of its type.
fn start_of_parameter(before: &str) -> usize {
    let mut depth = 0_u32;
    let begins = |c: char| {
        match c {
            '>' => depth += 1,
            '<' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(c, '(' | ',' | ']' | ';' | '{' | '}')
    };
    before.rfind(begins).map_or(0, |at| at + 1)
}

/// The comments on lines of their own that are last in the braces behind a name.
fn last_comments(file: &SourceFile, name: Span) -> Option<Vec<Comment>> {
    let list = file.comments();
    if list.is_empty() {
        return None;
    }
    let bytes = file.text.as_bytes();
    let (mut at, mut depth, mut found) = (name.end as usize, 0usize, Vec::new());
    let mut next = list.partition_point(|(begin, _)| *begin < name.end);
    let mut line_ends = 0;
    loop {
        if let Some((begin, end)) = list.get(next).filter(|(begin, _)| *begin as usize == at) {
            if line_ends > 0 && depth > 0 {
                let text = Symbol::new(file.text.get(at..*end as usize)?.trim_end());
                let span = Span { file: name.file, start: *begin, end: *end };
                let blank_before = line_ends > 1;
                found.push(Comment { text, span, trailing: false, blank_before, blank_after: false });
            }
            (at, next, line_ends) = (*end as usize, next + 1, 0);
            continue;
        }
        match *bytes.get(at)? {
            b'\n' => line_ends += 1,
            b if is_blank(b) => {}
            b'{' => {
                (depth, line_ends) = (depth + 1, 0);
                found.clear();
            }
            b'}' if depth <= 1 => return Some(found),
            b';' if depth == 0 => return None,
            b => {
                depth -= usize::from(b == b'}');
                line_ends = 0;
                found.clear();
            }
        }
        at += 1;
    }
}

/// Where the bracket behind the first `for` is.
fn head_of_for(text: &str, start: usize) -> Option<usize> {
    let opens = |(at, word): (usize, &str)| {
        let (before, behind) = (text.get(..start + at)?, text.get(start + at + word.len()..)?);
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let bracket = behind.trim_start();
        (is_word && bracket.starts_with('(')).then(|| text.len() - bracket.len())
    };
    text.get(start..)?.match_indices("for").find_map(opens)
}

/// The comments at the ends of the parts of the head of a `for` that is somewhere in a range: which part, whether it stands before
/// what the part says, and its text.
fn comments_of_head(file: &SourceFile, start: usize, end: usize) -> Vec<(usize, bool, &str)> {
    let list = file.comments();
    let in_range = |(begin, _): &&(u32, u32)| (start..end).contains(&(*begin as usize));
    let Some(text) = file.text.get(..end).filter(|_| list.iter().any(|c| in_range(&c))) else { return Vec::new() };
    let Some(open) = head_of_for(text, start) else { return Vec::new() };
    let (mut at, mut depth, mut part, mut is_before) = (open, 0_usize, 0, true);
    // Those behind what the part says so far: whether they end it is not known yet.
    let (mut found, mut waiting) = (Vec::new(), Vec::new());
    while let Some(byte) = text.as_bytes().get(at) {
        let next = list.get(list.partition_point(|(begin, _)| (*begin as usize) < at));
        if let Some((_, stop)) = next.filter(|(begin, _)| *begin as usize == at) {
            let comment = text.get(at..*stop as usize).unwrap_or_default().trim_end();
            match (depth, is_before) {
                (1, true) => found.push((part, true, comment)),
                (1, false) => waiting.push((part, false, comment)),
                _ => {}
            }
            at = (*stop as usize).max(at + 1);
            continue;
        }
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends = depth == 0 || depth == 1 && *byte == b';';
        if ends {
            found.append(&mut waiting);
            (part, is_before) = (part + 1, true);
        } else if !is_blank(*byte) && at > open {
            waiting.clear();
            is_before = false;
        }
        if depth == 0 {
            break;
        }
        at += 1;
    }
    found
}

/// Whether a blank may stand between tokens.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\\')
}

/// Collects what is before a place, up to the token before, and gives the place of that. Nothing if an operand does not begin there.
/// The parentheses around it are passed over, as long as there is nothing in them.
fn backwards<'a>(file: &'a SourceFile, start: usize, items: &mut Vec<Between<'a>>) -> Option<usize> {
    let bytes = file.text.as_bytes();
    let mut at = start;
    loop {
        let byte = *bytes.get(at.checked_sub(1)?)?;
        if is_blank(byte) {
            at -= 1;
            if byte == b'\n' {
                // Only behind a line break, and behind its `*/`, can there be a comment.
                if let Some(begin) = comment_before(file, at) {
                    items.push(Between::LineBreak);
                    items.push(Between::Comment(file.text.get(begin..at)?.trim_end()));
                    at = begin;
                } else {
                    items.push(Between::LineBreak);
                }
            }
        } else if byte == b'/' && at >= 2 && bytes.get(at - 2) == Some(&b'*') {
            let begin = comment_before(file, at)?;
            items.push(Between::Comment(file.text.get(begin..at)?));
            at = begin;
        } else if byte == b'(' && items.is_empty() {
            at -= 1;
        } else {
            break;
        }
    }
    items.reverse();
    let before = bytes.get(..at)?;
    match before.last()? {
        b'{' => is_list(before),
        b'n' => is_return(before),
        b':' => is_choice(before),
        other => b"([,=+-*/%&|^<>?!~".contains(other),
    }
    .then_some(at)
}

/// Whether a text ends in the word `return`.
fn is_return(before: &[u8]) -> bool {
    let Some(rest) = before.strip_suffix(b"return") else { return false };
    !rest.last().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// Whether a text ends in the `:` behind a `?`, not in that of a label.
fn is_choice(before: &[u8]) -> bool {
    before.iter().rev().take_while(|b| !b";{}".contains(b)).any(|b| *b == b'?')
}

/// Whether a text ends in the brace of a list of values, not of a block of statements.
fn is_list(before: &[u8]) -> bool {
    let is_nested = |b: &u8| *b == b'{' || is_blank(*b);
    let outer = before.iter().rposition(|b| !is_nested(b)).and_then(|at| before.get(..=at)).unwrap_or_default();
    outer.ends_with(b"=") || outer.ends_with(b",") || outer.ends_with(b"(") || is_return(outer)
}

/// Whether a range is one of statements: what passes make of them has it, too.
fn is_statement(file: &SourceFile, start: usize, end: usize) -> bool {
    file.text.as_bytes().get(start..end).is_some_and(|text| text.contains(&b';'))
}

/// Where a comment begins that ends at a place.
fn comment_before(file: &SourceFile, end: usize) -> Option<usize> {
    let line = file.text.get(..end)?.trim_end_matches('\r');
    let has_one = line.ends_with("*/") || line.rsplit('\n').next().is_some_and(|line| line.contains("//"));
    if !has_one {
        return None;
    }
    let list = file.comments();
    let (begin, stop) = *list.get(list.partition_point(|(begin, _)| (*begin as usize) < end).checked_sub(1)?)?;
    let is_last = file.text.get(stop as usize..end).is_none_or(|rest| rest.trim().is_empty());
    is_last.then_some(begin as usize)
}

/// The end of an expression with the parentheses around it.
fn behind_parentheses(file: &SourceFile, start: usize, end: usize) -> usize {
    let (before, behind) = (file.text.get(..start).unwrap_or_default(), file.text.get(end..).unwrap_or_default());
    let opening = before.bytes().rev().filter(|b| !is_blank(*b)).take_while(|b| *b == b'(').count();
    let is_closing = |(_, b): &(usize, u8)| *b == b')';
    let closing = behind.bytes().enumerate().filter(|(_, b)| !is_blank(*b)).take_while(is_closing).take(opening).last();
    closing.map_or(end, |(at, _)| end + at + 1)
}

/// Behind the comma that is last in a list, if a comment stands there.
fn behind_last_comma(file: &SourceFile, end: usize) -> usize {
    let rest = file.text.get(end..).and_then(|text| text.trim_start().strip_prefix(','));
    let Some(behind) = rest.map(|rest| file.text.len() - rest.len()) else { return end };
    let mut items = Vec::new();
    let closing = forwards(file, behind, &mut items).and_then(|at| file.text.as_bytes().get(at));
    let is_commented = items.iter().any(|item| matches!(item, Between::Comment(_)));
    if is_commented && closing.is_some_and(|byte| b")]}".contains(byte)) { behind } else { end }
}

/// Collects what is behind a place, up to the next token, and gives the place of that. Nothing if an operand does not end there.
fn forwards<'a>(file: &'a SourceFile, end: usize, items: &mut Vec<Between<'a>>) -> Option<usize> {
    let bytes = file.text.as_bytes();
    let mut at = end;
    loop {
        let byte = *bytes.get(at)?;
        if is_blank(byte) {
            at += 1;
            if byte == b'\n' {
                items.push(Between::LineBreak);
            }
        } else if byte == b'/' && matches!(bytes.get(at + 1), Some(b'/' | b'*')) {
            let list = file.comments();
            let (begin, stop) = *list.get(list.partition_point(|(begin, _)| (*begin as usize) < at))?;
            if begin as usize != at {
                return None;
            }
            items.push(Between::Comment(file.text.get(at..stop as usize)?.trim_end()));
            at = stop as usize;
        } else {
            return b")]},;=+-*/%&|^<>?:!".contains(&byte).then_some(at);
        }
    }
}
