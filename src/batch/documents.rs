//! Reading JSON files of ours, locks and sidecars.

use super::finding::Finding;
use crate::diagnostic::Code;
use std::path::Path;

/// The text of a file.
pub fn read_text(path: &Path) -> Result<String, Finding> {
    let bytes = std::fs::read(path).map_err(|e| {
        let missing = e.kind() == std::io::ErrorKind::NotFound;
        let code = if missing { Code::FILE_NOT_FOUND } else { Code::UNREADABLE };
        Finding::error(code, format!("cannot read {}: {e}", path.display())).in_file(path)
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
