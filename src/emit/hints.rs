//! How the hints before statements are written: as attributes where the language has them, else as comments.

use super::context::Context;
use super::dialect::Dialect;
use crate::target::glsl::ExtensionSupport;
use crate::tree::{Block, Hints};

/// The extension of GLSL with words for hints.
pub(super) const GLSL_EXTENSION: &str = "GL_EXT_control_flow_attributes";

/// (whether it is given, its name in HLSL, its word in that extension).
type Row = (fn(&Hints) -> bool, &'static str, Option<&'static str>);

const ROWS: &[Row] = &[
    (|h| h.unroll.is_some(), "unroll", Some("unroll")),
    (|h| h.loop_, "loop", Some("dont_unroll")),
    (|h| h.fastopt, "fastopt", None),
    (|h| h.branch, "branch", Some("branch")),
    (|h| h.flatten, "flatten", Some("flatten")),
    (|h| h.allow_uav_condition, "allow_uav_condition", None),
    (|h| h.forcecase, "forcecase", None),
    (|h| h.call, "call", None),
];

/// `[unroll(4)]`, a line each. Attributes may have macros.
pub(super) fn hlsl(cx: &Context, dialect: &dyn Dialect, hints: &Hints) -> Vec<String> {
    let number = |rounds: u32| cx.number(dialect, (hints.unroll_name, 0, 1), rounds.into());
    given(hints).map(|row| attribute(hints, row, &number)).collect()
}

/// `[[unroll]]`, or comments.
pub(super) fn glsl(cx: &Context, hints: &Hints) -> Vec<String> {
    let has_words = has_words(cx);
    let line = |row: &Row| match row.2.filter(|_| has_words) {
        Some(word) => format!("[[{word}]]"),
        None => comment(cx, hints, row),
    };
    given(hints).map(line).collect()
}

/// `// [unroll(4)]`.
pub(super) fn comments(cx: &Context, hints: &Hints) -> Vec<String> {
    given(hints).map(|row| comment(cx, hints, row)).collect()
}

/// Whether a block has hints that need the extension.
pub(super) fn need_extension(cx: &Context, block: &Block) -> bool {
    let has_word = |hints: &Hints| given(hints).any(|row| row.2.is_some());
    has_words(cx) && block.any(&mut |stmt| stmt.hints().is_some_and(has_word))
}

fn has_words(cx: &Context) -> bool {
    cx.profile.facts.glsl.extension(GLSL_EXTENSION) == ExtensionSupport::Extension
}

fn given(hints: &Hints) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(|(is_given, ..)| is_given(hints))
}

fn attribute(hints: &Hints, row: &Row, number: &dyn Fn(u32) -> String) -> String {
    match hints.unroll.flatten().filter(|_| row.1 == "unroll") {
        Some(rounds) => format!("[{}({})]", row.1, number(rounds)),
        None => format!("[{}]", row.1),
    }
}

/// With the number as the source has it: a comment needs no declarations.
fn comment(cx: &Context, hints: &Hints, row: &Row) -> String {
    let number = |rounds: u32| cx.trivia.argument_of(hints.unroll_name).map_or(rounds.to_string(), str::to_owned);
    format!("// {}", attribute(hints, row, &number))
}
