//! A diagnostic without its sources: with positions for programs, and its text for people. This is the object of
//! `--message-format json`, one a line; `shaderport explain messages` documents it.

use super::render::{self, Shown, View};
use super::{Code, Diagnostic, Severity};
use crate::source::{Sources, Span};
use codespan_reporting::files::Files;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A range of a file. Lines and columns are counted from 1, columns in characters; ends are one past the last.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The file, as in texts for people.
    pub file: String,
    /// First byte, counted from 0 in the text without a byte order mark.
    pub byte_start: usize,
    /// One past the last byte.
    pub byte_end: usize,
    /// The first line.
    pub line_start: usize,
    /// The first column, in the first line.
    pub column_start: usize,
    /// The line of the end.
    pub line_end: usize,
    /// The column of the end.
    pub column_end: usize,
}

impl Place {
    /// The start of a file, for what is about all of it.
    pub(crate) fn start_of(file: &str) -> Place {
        let (byte_start, byte_end, line_start, column_start, line_end, column_end) = (0, 0, 1, 1, 1, 1);
        Place { file: file.to_owned(), byte_start, byte_end, line_start, column_start, line_end, column_end }
    }
}

/// A further place of a message, with words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Remark {
    /// The place.
    pub location: Place,
    /// The words; may be empty.
    pub message: String,
}

/// A text that is probably meant instead of what stands at a place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Replacement {
    /// The place.
    pub location: Place,
    /// The text.
    pub replacement: String,
}

/// The programs of a build that say the same.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Programs {
    /// How many.
    pub count: usize,
    /// The names of the first ones.
    pub first: Vec<String>,
}

/// A diagnostic without its sources.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Message {
    /// How bad it is.
    #[serde(serialize_with = "severity_word", deserialize_with = "read_severity")]
    pub severity: Severity,
    /// The code; remarks of the command line have none.
    #[serde(serialize_with = "code_word", deserialize_with = "read_code")]
    pub code: Option<Code>,
    /// One line.
    pub message: String,
    /// The place; `None` only for what has none.
    pub location: Option<Place>,
    /// Further places.
    pub labels: Vec<Remark>,
    /// The rule or limit behind it, how to mend it, and how the place was reached.
    pub notes: Vec<String>,
    /// What is probably meant.
    pub suggestion: Option<Replacement>,
    /// The programs that say it, of a build of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub programs: Option<Programs>,
    /// The text for people: whole lines.
    pub rendered: String,
}

/// The build script, which has no serde, knows severities and codes as well.
pub(super) fn severity_word<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    severity.word().serialize(serializer)
}

fn code_word<S: Serializer>(code: &Option<Code>, serializer: S) -> Result<S::Ok, S::Error> {
    code.map(|code| code.to_string()).serialize(serializer)
}

fn read_severity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Severity, D::Error> {
    let word = String::deserialize(deserializer)?;
    let known = [Severity::Error, Severity::Warning, Severity::Note];
    known.into_iter().find(|severity| severity.word() == word).ok_or_else(|| D::Error::custom("not a severity"))
}

fn read_code<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Code>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let number = text.strip_prefix('E').and_then(|digits| digits.parse().ok());
    number.map(|number| Some(Code(number))).ok_or_else(|| D::Error::custom("not a code"))
}

impl Message {
    /// Diagnostics of one program, in their order. Colors are for the texts for people.
    pub fn of(diagnostics: &[Diagnostic], sources: &Sources, color: bool) -> Vec<Message> {
        let view = View::new(sources);
        diagnostics.iter().map(|diagnostic| message(diagnostic, &view, color)).collect()
    }

    /// What is worth knowing of a place.
    pub fn remark(text: &str, span: Span, notes: Vec<String>, sources: &Sources, color: bool) -> Message {
        // Its code is not shown.
        let said = Diagnostic { severity: Severity::Note, notes, ..Diagnostic::error(Code::INTERNAL, span, text) };
        let view = View::new(sources);
        let rendered = render::render_remark(&render::shown_safely(&said), &view, color);
        Message { code: None, rendered, ..message(&said, &view, color) }
    }

    /// What has no place.
    pub fn without_place(severity: Severity, code: Option<Code>, text: &str, color: bool) -> Message {
        let text = super::harmless::harmless(text).into_owned();
        Message {
            severity,
            code,
            location: None,
            labels: Vec::new(),
            notes: Vec::new(),
            suggestion: None,
            programs: None,
            rendered: render::words(severity, code, &text, color),
            message: text,
        }
    }

    /// Adds a note, to the text for people too.
    pub fn add_note(&mut self, note: &str) {
        let text = self.rendered.trim_end_matches('\n');
        // Notes are below the arrow of a snippet.
        let snippet = text.lines().nth(1).filter(|line| line.trim_start().starts_with("-->"));
        let indent = snippet.map_or(2, |line| line.len() - line.trim_start().len());
        self.rendered = format!("{text}\n{:indent$}= {note}\n\n", "");
        self.notes.push(note.to_owned());
    }

    /// Without the sequences that color the text for people.
    pub fn without_colors(&self) -> Message {
        let mut parts = self.rendered.split("\x1b[");
        let mut rendered = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            rendered.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
        }
        Message { rendered, ..self.clone() }
    }

    /// One line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).map(|line| line + "\n").unwrap_or_default()
    }
}

fn message(diagnostic: &Diagnostic, view: &View, color: bool) -> Message {
    let diagnostic = &render::shown_safely(diagnostic);
    let (places, notes) = render::places_and_notes(diagnostic, view);
    let mut location = None;
    let mut labels = Vec::new();
    for shown in &places {
        let Some(place) = place(shown, view) else { continue };
        if shown.is_primary {
            location = Some(place.clone());
        }
        if !shown.words.is_empty() {
            labels.push(Remark { location: place, message: shown.words.clone() });
        }
    }
    // What a macro spells is not replaced at its use.
    let suggestion = diagnostic.suggestion.as_ref().filter(|s| !s.span.file.is_expansion()).and_then(|suggestion| {
        let shown = Shown { is_primary: false, span: suggestion.span, words: String::new() };
        Some(Replacement { location: place(&shown, view)?, replacement: suggestion.replacement.clone() })
    });
    Message {
        severity: diagnostic.severity,
        code: Some(diagnostic.code),
        message: diagnostic.message.clone(),
        location,
        labels,
        notes,
        suggestion,
        programs: None,
        rendered: render::render_one(diagnostic, view, color),
    }
}

fn place(shown: &Shown, view: &View) -> Option<Place> {
    let (file, range) = (shown.span.file, view.range(shown.span));
    let (start, end) = (view.location(file, range.start).ok()?, view.location(file, range.end).ok()?);
    Some(Place {
        file: view.sources.file(file)?.name.clone(),
        byte_start: range.start,
        byte_end: range.end,
        line_start: start.line_number,
        column_start: start.column_number,
        line_end: end.line_number,
        column_end: end.column_number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn columns_are_characters_and_offsets_are_bytes() {
        let mut sources = Sources::default();
        let file = sources.add("a b.hlsl", Arc::from("// é\nvoid é f()\n"));
        let span = Span { file, start: 11, end: 14 };
        let error = Diagnostic::error(Code::SYNTAX, span, "one\nline").there_is(span, "e");
        let message = &Message::of(&[error], &sources, false)[0];
        let place = message.location.as_ref().expect("a place");
        assert_eq!((place.line_start, place.column_start, place.byte_start), (2, 6, 11));
        assert_eq!((place.line_end, place.column_end, place.byte_end), (2, 8, 14));
        let json: serde_json::Value = serde_json::from_str(&message.to_json()).expect("JSON");
        let [code, severity, text] = ["code", "severity", "message"].map(|key| json[key].as_str().expect("a text"));
        assert_eq!((code, severity, text), ("E0201", "error", "one line"));
        assert_eq!(json["suggestion"]["replacement"], "e");
        assert!(json.get("programs").is_none());
    }

    #[test]
    fn a_note_that_is_added_is_below_the_others() {
        let mut sources = Sources::default();
        let file = sources.add("a", Arc::from("\n".repeat(11) + "abc"));
        let error = Diagnostic::error(Code::SYNTAX, Span { file, start: 11, end: 14 }, "wrong");
        let both = Message::of(&[error.clone().note("first").note("second")], &sources, false).remove(0);
        let mut added = Message::of(&[error.note("first")], &sources, false).remove(0);
        added.add_note("second");
        assert_eq!(added, both);
        let mut bare = Message::without_place(Severity::Error, Some(Code::OUTPUT), "no room", false);
        bare.add_note("buy some");
        assert_eq!(bare.rendered, "error[E0702]: no room\n  = buy some\n\n");
    }
}
