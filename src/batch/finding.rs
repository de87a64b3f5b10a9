//! What is wrong with a build and is of no program: with a manifest, a lock, a sidecar, the output directory.

use crate::diagnostic::{Code, Diagnostic, Message, Place, Severity};
use crate::json;
use crate::source::{FileId, Sources};
use std::path::Path;

/// A finding: an error, or something that is most likely not meant.
#[derive(Debug)]
pub struct Finding(Box<Found>);

#[derive(Debug)]
struct Found {
    diagnostic: Diagnostic,
    /// The texts that the diagnostic is about.
    sources: Sources,
    /// The file that it is about as a whole.
    file: Option<String>,
}

impl Finding {
    /// An error without a place.
    pub fn error(code: Code, message: impl Into<String>) -> Finding {
        let (sources, file) = (Sources::default(), None);
        Finding(Box::new(Found { diagnostic: Diagnostic::global(code, message), sources, file }))
    }

    /// A warning without a place.
    pub fn warning(code: Code, message: impl Into<String>) -> Finding {
        let mut finding = Finding::error(code, message);
        finding.0.diagnostic.severity = Severity::Warning;
        finding
    }

    /// The same about a file as a whole, which need not be there.
    pub fn in_file(mut self, path: &Path) -> Finding {
        self.0.file = Some(slashes(path));
        self
    }

    /// A diagnostic about places in texts of files.
    pub fn about(files: &[(&Path, &str)], make: impl FnOnce(&[FileId]) -> Diagnostic) -> Finding {
        let mut sources = Sources::default();
        let ids: Vec<FileId> = files.iter().map(|(path, text)| sources.add(&slashes(path), (*text).into())).collect();
        Finding(Box::new(Found { diagnostic: make(&ids), sources, file: None }))
    }

    /// A fault of a file in JSON.
    pub fn of_json(path: &Path, text: &str, fault: json::Fault) -> Finding {
        Finding::about(&[(path, text)], |files| fault.diagnostic(files[0]))
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.0.diagnostic.code
    }

    /// What is shown of it.
    pub fn message(&self, color: bool) -> Message {
        let Found { diagnostic, sources, file } = &*self.0;
        let placed = if diagnostic.span.is_some() {
            Message::of(std::slice::from_ref(diagnostic), sources, color)
        } else {
            Vec::new()
        };
        placed.into_iter().next().unwrap_or_else(|| {
            let Diagnostic { severity, code, message, .. } = diagnostic;
            let location = file.as_deref().map(Place::start_of);
            Message { location, ..Message::without_place(*severity, Some(*code), message, color) }
        })
    }
}

fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
