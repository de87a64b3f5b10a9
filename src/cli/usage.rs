//! Faults of the command line itself, in the form of messages that it asks for.

use super::Outcome;
use super::messages::{MessageFormat, Messages};
use crate::diagnostic::{Code, Message, Severity};
use clap::ValueEnum;
use std::ffi::OsString;

/// The option that chooses the form.
const OPTION: &str = "--message-format";
/// What begins the text of every fault.
const HEAD: &str = "error: ";
/// What ends it: how help is asked for.
const TAIL: &str = "For more information";

/// Reports that arguments are not understood. Help and the version, which end the program too, are shown as they are.
pub fn report(fault: &clap::Error, arguments: &[OsString]) -> Outcome {
    let mut messages = messages(arguments);
    if !fault.use_stderr() || messages.are_for_people() {
        // That its reader went away is no fault, and there is nobody to tell.
        let _ = fault.print();
        return if fault.use_stderr() { Outcome::Usage } else { Outcome::Done };
    }
    messages.report(message(&fault.render().to_string()));
    messages.finish(Outcome::Usage)
}

/// Reports that a file of arguments cannot be read.
pub fn unread(text: &str, arguments: &[OsString]) -> Outcome {
    let mut messages = messages(arguments);
    messages.error(Code::BAD_OPTION, text);
    messages.finish(Outcome::Usage)
}

/// Messages in the form that arguments ask for which are not understood as a whole.
fn messages(arguments: &[OsString]) -> Messages {
    let words: Vec<&str> = arguments.iter().map_while(|word| word.to_str()).take_while(|word| *word != "--").collect();
    let joint = words.iter().find_map(|word| word.strip_prefix(OPTION)?.strip_prefix('='));
    let apart = || words.iter().skip_while(|word| **word != OPTION).nth(1).copied();
    let format = joint.or_else(apart).and_then(|word| MessageFormat::from_str(word, false).ok()).unwrap_or_default();
    Messages::of(format, words.get(1) == Some(&"check"))
}

/// The text of a fault as a message: the first paragraph, and the lines of others as notes.
fn message(text: &str) -> Message {
    let mut paragraphs = text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
    let first = paragraphs.next().unwrap_or_default();
    let words: Vec<&str> = first.strip_prefix(HEAD).unwrap_or(first).split_whitespace().collect();
    let mut message = Message::without_place(Severity::Error, Some(Code::BAD_OPTION), &words.join(" "), false);
    let others = paragraphs.filter(|paragraph| !paragraph.starts_with(TAIL));
    others.flat_map(str::lines).for_each(|line| message.add_note(line.trim()));
    message
}
