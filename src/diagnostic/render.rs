//! Diagnostics as text for people.
//!
//! ```text
//! main.hlsl:4:12: error[E0301]: `albdo` is not declared
//!   --> main.hlsl:4:12
//!   |
//! 4 |     return TINT(albdo);
//!   |            ^^^^^^^^^^^ in this use of macro `TINT`
//! ```
//!
//! The first line stands on its own, for editors and scripts that look for `file:line:column`.

use super::harmless::harmless;
use super::{Code, Diagnostic, Label, Severity, codes};
use crate::source::{FileId, Sources, Span};
use codespan_reporting::diagnostic as codespan;
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::{self, Chars, Config};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

/// Longer lines are not shown: they are generated, and nobody finds a place in them by looking.
const MAX_SHOWN_LINE: usize = 400;
/// At most this many includes and macros are listed for one place.
const MAX_CHAIN: usize = 8;

/// Sorts diagnostics into the order of the source: files in the order they were loaded, by position within each.
/// Those without a place come first. A header that several units of the program include is several texts here, but what
/// is wrong in it is said once.
pub fn sort(diagnostics: &mut Vec<Diagnostic>, sources: &Sources) {
    let site = |d: &Diagnostic| d.span.map(|span| sources.use_site(span));
    let order: FxHashMap<FileId, usize> = sources.files().enumerate().map(|(at, (id, _))| (id, at)).collect();
    diagnostics.sort_by_key(|d| site(d).map(|s| (order.get(&s.file).copied().unwrap_or(usize::MAX), s.start, s.end)));
    let mut seen = FxHashSet::default();
    diagnostics.retain(|d| {
        let place = site(d).map(|s| (sources.file(s.file).map(|f| f.name.as_str()), s.start, s.end));
        seen.insert((d.code, place, d.message.clone()))
    });
}

/// Renders diagnostics in the given order, each followed by an empty line. Colors are for terminals: without the Cargo feature
/// `cli` there are none.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, color: bool) -> String {
    let color = color && cfg!(feature = "cli");
    let view = View::new(sources);
    diagnostics.iter().map(|diagnostic| render_one(&shown_safely(diagnostic), &view, color)).collect()
}

/// One diagnostic that is harmless, with an empty line.
pub(super) fn render_one(diagnostic: &Diagnostic, view: &View, color: bool) -> String {
    format!("{}{}\n", headline(diagnostic, view, color), details(diagnostic, view, color))
}

/// `error[E0123]: message`, for what has no place.
pub(super) fn words(severity: Severity, code: Option<Code>, message: &str, color: bool) -> String {
    let escape = match severity {
        Severity::Error => "\x1b[1;31m",
        Severity::Warning => "\x1b[1;33m",
        Severity::Note => "\x1b[1;32m",
    };
    let (word, code) = (severity.word(), code.map_or(String::new(), |code| format!("[{code}]")));
    match color {
        true => format!("{escape}{word}{code}\x1b[0m\x1b[1m: {message}\x1b[0m\n"),
        false => format!("{word}{code}: {message}\n"),
    }
}

/// The diagnostic with what it repeats of sources and options made harmless.
pub(super) fn shown_safely(diagnostic: &Diagnostic) -> Diagnostic {
    let mut safe = diagnostic.clone();
    safe.message = harmless(&safe.message).replace('\n', " ");
    safe.notes.iter_mut().for_each(|note| *note = harmless(note).into_owned());
    safe.labels.iter_mut().for_each(|label| label.message = harmless(&label.message).replace('\n', " "));
    safe
}

fn severity(severity: Severity) -> codespan::Severity {
    match severity {
        Severity::Error => codespan::Severity::Error,
        Severity::Warning => codespan::Severity::Warning,
        Severity::Note => codespan::Severity::Note,
    }
}

/// The same without its code, for what is no fault.
pub(super) fn render_remark(diagnostic: &Diagnostic, view: &View, color: bool) -> String {
    format!("{}{}\n", headline_of(diagnostic, None, view, color), details(diagnostic, view, color))
}

/// `file:line:column: error[E0123]: message`
fn headline(diagnostic: &Diagnostic, view: &View, color: bool) -> String {
    headline_of(diagnostic, Some(diagnostic.code), view, color)
}

fn headline_of(diagnostic: &Diagnostic, code: Option<Code>, view: &View, color: bool) -> String {
    let place = diagnostic.span.map_or(String::new(), |s| format!("{}: ", place(view.sources.use_site(s), view)));
    format!("{place}{}", words(diagnostic.severity, code, &diagnostic.message, color))
}

/// `file:line:column`, counted from 1, columns in characters.
fn place(span: Span, view: &View) -> String {
    let name = harmless(view.sources.file(span.file).map_or("", |f| f.name.as_str())).replace('\n', " ");
    match view.location(span.file, span.start as usize) {
        Ok(location) => format!("{name}:{}:{}", location.line_number, location.column_number),
        Err(_) => name,
    }
}

/// A place that a diagnostic shows, with words that may be empty.
pub(super) struct Shown {
    /// It is what the diagnostic is about.
    pub is_primary: bool,
    /// In a file.
    pub span: Span,
    pub words: String,
}

/// The places that a diagnostic shows, and all that it notes.
pub(super) fn places_and_notes(diagnostic: &Diagnostic, view: &View) -> (Vec<Shown>, Vec<String>) {
    let (mut places, mut notes) = (Vec::new(), diagnostic.notes.clone());
    if let Some(span) = diagnostic.span {
        primary_places(span, view, &mut places, &mut notes);
        include_chain(view.sources.use_site(span).file, view, &mut notes);
    }
    notes.extend(codes::rule(diagnostic.code).map(|rule| format!("rule: shaderport explain {rule}")));
    for Label { span, message } in &diagnostic.labels {
        let span = view.sources.use_site(*span);
        places.push(Shown { is_primary: false, span, words: message.clone() });
    }
    (places, notes)
}

/// The snippets and notes below the headline.
fn details(diagnostic: &Diagnostic, view: &View, color: bool) -> String {
    let (places, notes) = places_and_notes(diagnostic, view);
    let labels = places.iter().map(|place| label(place, view));
    // A snippet shows each place once, and no line that is too long to be of use.
    let labels = labels.filter(|l| shown(l, view)).collect::<Vec<_>>();
    if labels.is_empty() {
        return notes.iter().map(|n| format!("  = {}\n", n.replace('\n', "\n    "))).collect();
    }
    let report = codespan::Diagnostic::new(severity(diagnostic.severity)).with_labels(labels).with_notes(notes);
    let text = emit(&report, view, color).unwrap_or_default();
    // Its first line is a headline of its own, without the place.
    text.split_once('\n').map_or(String::new(), |(_, rest)| format!("{}\n", rest.trim_end()))
}

#[cfg_attr(not(feature = "cli"), expect(unused_variables, reason = "there are no colors"))]
fn emit(report: &codespan::Diagnostic<FileId>, view: &View, color: bool) -> Option<String> {
    let config = Config { chars: Chars::ascii(), ..Config::default() };
    #[cfg(feature = "cli")]
    if color {
        use codespan_reporting::term::{Styles, StylesWriter, termcolor::Buffer};
        let (mut buffer, styles) = (Buffer::ansi(), Styles::default());
        term::emit_to_write_style(&mut StylesWriter::new(&mut buffer, &styles), &config, view, report).ok()?;
        return String::from_utf8(buffer.into_inner()).ok();
    }
    term::emit_into_string(&config, view, report).ok()
}

fn shown(label: &codespan::Label<FileId>, view: &View) -> bool {
    let Ok(line) = view.line_index(label.file_id, label.range.start) else { return false };
    view.line_range(label.file_id, line).is_ok_and(|r| r.len() <= MAX_SHOWN_LINE)
}

/// The place in the user's text and, if the token came out of a macro, where the macro spells it.
fn primary_places(span: Span, view: &View, places: &mut Vec<Shown>, notes: &mut Vec<String>) {
    let site = view.sources.use_site(span);
    let Some(expansion) = view.sources.expansion(span.file) else {
        places.push(Shown { is_primary: true, span: site, words: String::new() });
        return;
    };
    // From the use that the user wrote to the macro that spells the token.
    let mut names = vec![expansion.name];
    let mut outer = expansion.call_site;
    while let Some(expansion) = view.sources.expansion(outer.file) {
        names.push(expansion.name);
        outer = expansion.call_site;
    }
    let outermost = names.last().copied().unwrap_or(expansion.name);
    places.push(Shown { is_primary: true, span: site, words: format!("in this use of macro `{outermost}`") });
    let words = format!("in the expansion of macro `{}`", expansion.name);
    places.push(Shown { is_primary: false, span: view.sources.spelling(span), words });
    if names.len() > 2 {
        let chain: Vec<String> = names.iter().rev().take(MAX_CHAIN).map(|n| format!("`{n}`")).collect();
        notes.push(format!("through the macros {}", chain.join(", then ")));
    }
}

/// Says through which `#include`s a file came.
fn include_chain(file: FileId, view: &View, notes: &mut Vec<String>) {
    let mut file = file;
    for _ in 0..MAX_CHAIN {
        let Some(from) = view.sources.file(file).and_then(|f| f.included_from()) else { return };
        let site = view.sources.use_site(from);
        notes.push(format!("included from {}", place(site, view)));
        // A file's first include stands in a file that was loaded before it, so this ends.
        file = site.file;
    }
}

fn label(place: &Shown, view: &View) -> codespan::Label<FileId> {
    let range = view.range(place.span);
    let style = if place.is_primary { codespan::LabelStyle::Primary } else { codespan::LabelStyle::Secondary };
    codespan::Label::new(style, place.span.file, range).with_message(&place.words)
}

/// The sources as codespan wants to see them.
pub(super) struct View<'a> {
    pub sources: &'a Sources,
    /// What is shown of the files that are.
    texts: RefCell<FxHashMap<FileId, Arc<str>>>,
}

impl<'a> View<'a> {
    pub fn new(sources: &'a Sources) -> View<'a> {
        View { sources, texts: RefCell::default() }
    }

    /// The bytes of a place that its file has.
    pub fn range(&self, span: Span) -> Range<usize> {
        let length = self.sources.file(span.file).map_or(0, |f| f.text.len());
        let start = (span.start as usize).min(length);
        start..(span.end as usize).clamp(start, length)
    }
}

impl<'a> Files<'a> for View<'a> {
    type FileId = FileId;
    type Name = Cow<'a, str>;
    type Source = Arc<str>;

    fn name(&'a self, id: FileId) -> Result<Cow<'a, str>, Error> {
        self.sources.file(id).map(|f| harmless(&f.name)).ok_or(Error::FileMissing)
    }

    fn source(&'a self, id: FileId) -> Result<Arc<str>, Error> {
        let file = self.sources.file(id).ok_or(Error::FileMissing)?;
        let safe = || match harmless(&file.text) {
            Cow::Borrowed(_) => file.text.clone(),
            Cow::Owned(text) => Arc::from(text),
        };
        Ok(self.texts.borrow_mut().entry(id).or_insert_with(safe).clone())
    }

    fn line_index(&'a self, id: FileId, byte: usize) -> Result<usize, Error> {
        self.sources.file(id).ok_or(Error::FileMissing)?;
        Ok(self.sources.line_column(id, byte as u32).0)
    }

    fn line_range(&'a self, id: FileId, line: usize) -> Result<Range<usize>, Error> {
        let file = self.sources.file(id).ok_or(Error::FileMissing)?;
        let starts = file.line_starts();
        let max = starts.len().saturating_sub(1);
        let start = *starts.get(line).ok_or(Error::LineTooLarge { given: line, max })?;
        let end = starts.get(line + 1).map_or(file.text.len(), |e| *e as usize);
        Ok(start as usize..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_by_source_and_says_everything_once() {
        let mut sources = Sources::default();
        let text: Arc<str> = Arc::from("é b\nc");
        let [first, again, other] = ["a.hlsli", "a.hlsli", "b.hlsli"].map(|n| sources.add(n, text.clone()));
        let error =
            |file, start, message: &str| Diagnostic::error(Code::SYNTAX, Span { file, start, end: start + 1 }, message);
        let global = Diagnostic::global(Code::NO_SHADERS, "nothing here").note("a note");
        let mut list =
            vec![error(other, 0, "z"), error(again, 3, "y"), error(first, 5, "x"), error(first, 3, "y"), global];
        sort(&mut list, &sources);
        let text = render(&list, &sources, false);
        let lines: Vec<&str> = text.lines().filter(|l| l.contains("error[")).collect();
        let expected = [
            "error[E0704]: nothing here",
            "a.hlsli:1:3: error[E0201]: y",
            "a.hlsli:2:1: error[E0201]: x",
            "b.hlsli:1:1: error[E0201]: z",
        ];
        assert_eq!(lines, expected);
        assert!(text.starts_with("error[E0704]: nothing here\n  = a note\n\n"), "{text}");
        assert_eq!(sources.dependencies(), ["a.hlsli", "b.hlsli"]);
    }

    #[test]
    fn long_lines_and_wrong_places_are_not_shown() {
        let mut sources = Sources::default();
        let file = sources.add("a", Arc::from("x".repeat(1000)));
        for (start, end) in [(0, 1), (2000, 3000), (5, 2)] {
            let list = [Diagnostic::error(Code::SYNTAX, Span { file, start, end }, "wrong")];
            assert!(render(&list, &sources, false).ends_with("error[E0201]: wrong\n\n"));
        }
        let list = [Diagnostic::error(Code::SYNTAX, Span { file: FileId(9), start: 0, end: 0 }, "wrong")];
        assert_eq!(render(&list, &sources, false), ": error[E0201]: wrong\n\n");
    }
}
