//! `shaderport diff`: two sidecars as interfaces.

use super::{Outcome, color, say, show};
use crate::batch::documents::{about, located, read_text};
use crate::diagnostic::{Code, Diagnostic};
use crate::json;
use crate::reflect::{Reflection, diff};
use clap::Args;
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

/// `shaderport diff`. Exit code 1 when something that both have has moved, or is an entry point of another kind.
pub fn diff(args: &DiffArgs) -> Outcome {
    let ((old, old_text), (new, new_text)) = match (read(&args.old), read(&args.new)) {
        (Ok(old), Ok(new)) => (old, new),
        (old, new) => {
            old.err().into_iter().chain(new.err()).for_each(|text| say(&text));
            return Outcome::InputErrors;
        }
    };
    if old.target != new.target {
        let files = [(args.old.as_path(), old_text.as_str()), (args.new.as_path(), new_text.as_str())];
        let place = |text: &str| json::find(text, &["target"]).unwrap_or(0..0);
        let message = format!("a sidecar for {} and one for {} are not compared", old.target, new.target);
        let text = about(&files, color(), |ids| {
            Diagnostic::error(Code::BAD_OPTION, json::span(ids[0], &place(&old_text)), message)
                .label(json::span(ids[1], &place(&new_text)), "the other one is for this target")
                .note("positions of different targets cannot be compared")
        });
        say(&text);
        return Outcome::Usage;
    }
    let changes = diff::diff(&old, &new);
    let shown = show(&if args.json { changes.to_json() } else { changes.to_text() });
    if changes.has_moved() { Outcome::InputErrors } else { shown }
}

fn read(path: &Path) -> Result<(Reflection, String), String> {
    let text = read_text(path)?;
    let read = Reflection::read(&text).map_err(|fault| located(path, &text, fault, color()));
    Ok((read?, text))
}
