//! `shaderport trace`: where a place of an output comes from.

use super::messages::{MessageArgs, Messages};
use super::{Outcome, show};
use crate::batch::{Finding, documents, maps};
use crate::diagnostic::{Code, Message, Place};
use crate::source_map::first_token;
use clap::Args;
use std::path::Path;

/// Arguments of `trace`.
#[derive(Args, Debug)]
pub struct TraceArgs {
    /// Places in texts that were written with `--source-map`: OUT:LINE:COL, or OUT:LINE for the first token of the line. Both are
    /// counted from 1, columns in characters.
    #[arg(required = true, value_name = "OUT:LINE[:COL]")]
    places: Vec<String>,
    #[command(flatten)]
    messages: MessageArgs,
}

/// `shaderport trace`.
pub fn trace(args: &TraceArgs) -> Outcome {
    // What is asked for goes to the standard output.
    let mut messages = Messages::new(&args.messages, true);
    let mut outcome = Outcome::Done;
    for place in &args.places {
        outcome = outcome.and(match traced(place) {
            Ok(message) if messages.are_for_people() => show(&message.rendered),
            Ok(message) => {
                messages.report(message);
                Outcome::Done
            }
            Err(fault) => messages.fault(&fault),
        });
    }
    messages.finish(outcome)
}

/// A place of a text: the file, and line and column counted from 1.
fn parsed(place: &str) -> Option<(&str, usize, Option<usize>)> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0);
    let (before, last) = place.rsplit_once(':')?;
    let last = number(last)?;
    match before.rsplit_once(':') {
        Some((file, line)) if line.bytes().all(|b| b.is_ascii_digit()) => Some((file, number(line)?, Some(last))),
        _ => Some((before, last, None)),
    }
}

fn traced(place: &str) -> Result<Message, Finding> {
    let usage = |message: String| Finding::error(Code::BAD_OPTION, message);
    let (file, line, column) = parsed(place).ok_or_else(|| usage(format!("`{place}` is not like out/a.hlsl:12:5")))?;
    let path = Path::new(file);
    let text = documents::read_text(path)?;
    let map = maps::of_text(path, &text)?.ok_or_else(|| {
        let message = format!("{file} has no source map: write it with `--source-map`");
        Finding::error(Code::BAD_RECORD, message).in_file(path)
    })?;
    let row = text.lines().nth(line - 1).ok_or_else(|| usage(format!("{file} has {} lines", text.lines().count())))?;
    let column = column.unwrap_or_else(|| row.chars().take_while(|c| c.is_whitespace()).count() + 1);
    let units = row.chars().take(column - 1).map(char::len_utf16).sum();
    let texts = |source: &str| maps::source(path, source);
    let nothing = || usage(format!("nothing of {file}:{line}:{column} comes from a source"));
    let traced = map.trace(line - 1, units, &texts).ok_or_else(nothing)?;
    let rest: String = row.chars().skip(column - 1).collect();
    let token = first_token(&rest).trim();
    let what = if token.is_empty() { String::new() } else { format!("`{token}` of ") };
    let mut notes = Vec::new();
    notes.extend(traced.name.map(|name| format!("the source calls it `{name}`")));
    notes.extend(traced.pass.map(|pass| format!("the pass `{pass}` wrote it")));
    let said = format!("{what}{file}:{line}:{column} comes from here");
    if !traced.is_shown {
        notes.push("the text of the source is not there".to_owned());
    }
    let mut message = Message::remark(&said, traced.span, notes, &traced.sources, super::color());
    if !traced.is_shown {
        // Without the text the map alone has numbers.
        let origin = map.origin(line - 1, units);
        let (line, column) = origin.map_or((1, 1), |origin| (origin.line + 1, origin.column + 1));
        if let Some(found) = &mut message.location {
            *found =
                Place { line_start: line, line_end: line, column_start: column, column_end: column, ..found.clone() };
            message.rendered =
                format!("{}:{line}:{column}: note: {said}\n  = {}\n\n", found.file, message.notes.join("\n  = "));
        }
    }
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        assert_eq!(parsed("out/a.hlsl:12:5"), Some(("out/a.hlsl", 12, Some(5))));
        assert_eq!(parsed("C:\\a.hlsl:12"), Some(("C:\\a.hlsl", 12, None)));
        assert!(["a.hlsl", "a.hlsl:0:1", "a.hlsl:1:0", "a.hlsl:x", ""].iter().all(|text| parsed(text).is_none()));
    }
}
