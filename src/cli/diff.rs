//! `shaderport diff`: two sidecars as interfaces.

use super::{Outcome, show};
use crate::diagnostic::{self, Code};
use crate::json;
use crate::reflect::model::SCHEMA_VERSION;
use crate::reflect::{Reflection, diff};
use crate::source::Sources;
use clap::Args;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Arguments of `diff`.
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// The sidecar that was.
    old: PathBuf,
    /// The sidecar that is.
    new: PathBuf,
    /// Write the changes as JSON.
    #[arg(long)]
    json: bool,
}

/// `shaderport diff`. Exit code 1 when something that both have has moved.
pub fn diff(args: &DiffArgs) -> Outcome {
    let (old, new) = match (read(&args.old), read(&args.new)) {
        (Ok(old), Ok(new)) => (old, new),
        (old, new) => {
            old.err().into_iter().chain(new.err()).for_each(|text| eprint!("{text}"));
            return Outcome::InputErrors;
        }
    };
    if old.target != new.target {
        let (a, b) = (args.old.display(), args.new.display());
        eprintln!("error[{}]: {a} is for {} and {b} for {}", Code::BAD_OPTION, old.target, new.target);
        return Outcome::Usage;
    }
    let changes = diff::diff(&old, &new);
    let shown = show(&if args.json { changes.to_json() } else { changes.to_text() });
    if changes.has_moved() { Outcome::InputErrors } else { shown }
}

fn read(path: &Path) -> Result<Reflection, String> {
    let text = read_text(path)?;
    json::read(&text, SCHEMA_VERSION).map_err(|fault| located(path, &text, fault))
}

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
pub fn located(path: &Path, text: &str, fault: json::Fault) -> String {
    let mut sources = Sources::default();
    let file = sources.add(&path.to_string_lossy().replace('\\', "/"), text.into());
    diagnostic::render(&[fault.diagnostic(file)], &sources, std::io::stderr().is_terminal())
}
