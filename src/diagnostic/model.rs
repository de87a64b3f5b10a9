//! One diagnostic, and the list that collects them.

use super::Code;
use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// Output is written; something is worth knowing.
    Note,
    /// Output is written; something is probably not meant.
    Warning,
    /// No output is written for the program concerned.
    Error,
}

impl Severity {
    /// The word for it, in texts for people and in those for programs.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A text that is probably meant instead of what stands at a place.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// The place.
    pub span: Span,
    /// The text.
    pub replacement: String,
}

/// A place with words.
#[derive(Clone, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The words beside it; may be empty.
    pub message: String,
}

/// One diagnostic. The primary span points at the user's own text.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The code, which `shaderport explain` explains.
    pub code: Code,
    /// One line, in the user's words.
    pub message: String,
    /// The place; `None` only for what has none (a missing source file, a wrong option).
    pub span: Option<Span>,
    /// Further places.
    pub labels: Vec<Label>,
    /// The rule or limit behind it, or how to mend it.
    pub notes: Vec<String>,
    /// What is probably meant, for editors; a note says it to people.
    pub suggestion: Option<Suggestion>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, Some(span), message.into())
    }

    /// A warning at a place.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, Some(span), message.into())
    }

    /// An error without a place.
    pub fn global(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, None, message.into())
    }

    fn new(severity: Severity, code: Code, span: Option<Span>, message: String) -> Self {
        Diagnostic { severity, code, message, span, labels: Vec::new(), notes: Vec::new(), suggestion: None }
    }

    /// Adds a further place.
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Says that there is something of another name, which is probably meant at the place.
    pub fn there_is(self, span: Span, name: &str) -> Self {
        self.note(format!("there is `{name}`")).suggest(span, name)
    }

    /// Says how a macro of the build is given, if an unknown name is written as those of macros are: in capitals.
    pub fn may_be_macro(self, name: &str) -> Self {
        let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let letters = name.chars().filter(char::is_ascii_uppercase).count();
        if letters < 2 || !name.chars().all(is_capital) {
            return self;
        }
        self.note(format!(
            "if the build defines `{name}` as a macro, give it by `-D {name}=VALUE` or `defines` of the manifest"
        ))
    }

    /// Adds a text that is probably meant at a place; what it is has to be said in a note besides.
    pub fn suggest(mut self, span: Span, replacement: &str) -> Self {
        self.suggestion = Some(Suggestion { span, replacement: replacement.to_owned() });
        self
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// Collects diagnostics; each (code, span, message) is kept once, and at most [`Diagnostics::LIMIT`] of a severity.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// More than this many are of no use to anybody and only make a hostile input slow.
    pub const LIMIT: usize = 200;

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let same =
            |d: &Diagnostic| d.code == diagnostic.code && d.span == diagnostic.span && d.message == diagnostic.message;
        // What one target warns of may be an error on another one.
        if let Some(known) = self.list.iter_mut().find(|d| same(d)) {
            known.severity = known.severity.max(diagnostic.severity);
        } else if self.list.iter().filter(|d| d.severity == diagnostic.severity).count() < Self::LIMIT {
            self.list.push(diagnostic);
        }
    }

    /// Adds to the last one, unless there are so many that what comes is left out.
    pub fn amend_last(&mut self, amend: impl FnOnce(Diagnostic) -> Diagnostic) {
        if self.list.len() < Self::LIMIT {
            let last = self.list.pop();
            self.list.extend(last.map(amend));
        }
    }

    /// Whether any is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// All so far, in the order in which they were found.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Takes all.
    pub fn take(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_one_diagnostic_stays() {
        let mut diags = Diagnostics::default();
        diags.push(Diagnostic::warning(Code::BINDING_OVERLAP, Span::default(), "they overlap"));
        diags.push(Diagnostic::error(Code::BINDING_OVERLAP, Span::default(), "they overlap"));
        assert_eq!((diags.list().len(), diags.has_errors()), (1, true));
    }

    #[test]
    fn an_error_is_kept_after_all_warnings() {
        let mut diags = Diagnostics::default();
        (0..=Diagnostics::LIMIT)
            .for_each(|n| diags.push(Diagnostic::warning(Code::BAD_LAYOUT, Span::default(), n.to_string())));
        diags.push(Diagnostic::error(Code::BAD_LAYOUT, Span::default(), "an error"));
        assert!(diags.has_errors());
    }
}
