//! `shaderport diff`: two sidecars as interfaces.

use super::messages::{MessageArgs, Messages};
use super::{Outcome, show};
use crate::batch::Finding;
use crate::batch::documents::read_text;
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
    #[command(flatten)]
    messages: MessageArgs,
}

/// `shaderport diff`. Exit code 1 when something that both have has moved, or is an entry point of another kind.
pub fn diff(args: &DiffArgs) -> Outcome {
    let mut messages = Messages::new(&args.messages, false);
    let outcome = compare(args, &mut messages);
    messages.finish(outcome)
}

fn compare(args: &DiffArgs, messages: &mut Messages) -> Outcome {
    let ((old, old_text), (new, new_text)) = match (read(&args.old), read(&args.new)) {
        (Ok(old), Ok(new)) => (old, new),
        (old, new) => {
            old.err().iter().chain(&new.err()).for_each(|fault| messages.finding(fault));
            return Outcome::InputErrors;
        }
    };
    if old.target != new.target {
        let files = [(args.old.as_path(), old_text.as_str()), (args.new.as_path(), new_text.as_str())];
        let place = |text: &str| json::find(text, &["target"]).unwrap_or(0..0);
        let message = format!("a sidecar for {} and one for {} are not compared", old.target, new.target);
        let fault = Finding::about(&files, |ids| {
            Diagnostic::error(Code::BAD_OPTION, json::span(ids[0], &place(&old_text)), message)
                .label(json::span(ids[1], &place(&new_text)), "the other one is for this target")
                .note("positions of different targets cannot be compared")
        });
        return messages.fault(&fault);
    }
    let changes = diff::diff(&old, &new);
    let shown = show(&if args.json { changes.to_json() } else { changes.to_text() });
    if changes.has_moved() { Outcome::InputErrors } else { shown }
}

fn read(path: &Path) -> Result<(Reflection, String), Finding> {
    let text = read_text(path)?;
    let read = Reflection::read(&text).map_err(|fault| Finding::of_json(path, &text, fault))?;
    Ok((read, text))
}
