//! Reading JSON files of ours, locks and sidecars, so that what is wrong with one is reported at its position.

use crate::diagnostic::{self, Code, Diagnostic};
use crate::json;
use crate::source::{FileId, Sources};
use std::path::Path;

/// The text of a file; the error is for people.
pub fn read_text(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|e| {
        let missing = e.kind() == std::io::ErrorKind::NotFound;
        let code = if missing { Code::FILE_NOT_FOUND } else { Code::UNREADABLE };
        format!("error[{code}]: cannot read {}: {e}\n", path.display())
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A fault of a file with its place, for people.
pub fn located(path: &Path, text: &str, fault: json::Fault, color: bool) -> String {
    about(&[(path, text)], color, |files| fault.diagnostic(files[0]))
}

/// A diagnostic about files, for people.
pub fn about(files: &[(&Path, &str)], color: bool, make: impl FnOnce(&[FileId]) -> Diagnostic) -> String {
    let mut sources = Sources::default();
    let ids: Vec<FileId> = files.iter().map(|(path, text)| sources.add(&slashes(path), (*text).into())).collect();
    diagnostic::render(&[make(&ids)], &sources, color)
}

fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
