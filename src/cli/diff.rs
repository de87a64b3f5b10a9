//! `shaderport diff`: two sidecars as interfaces.

use super::{Outcome, show};
use crate::batch::documents::{located, read_text};
use crate::diagnostic::Code;
use crate::json;
use crate::reflect::model::SCHEMA_VERSION;
use crate::reflect::{Reflection, diff};
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
    json::read(&text, SCHEMA_VERSION).map_err(|fault| located(path, &text, fault, color()))
}

fn color() -> bool {
    std::io::stderr().is_terminal()
}
