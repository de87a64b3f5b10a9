//! `shaderport build --check`: what a build would change.

use super::Outcome;
use crate::batch::{Built, Difference};
use crate::reflect::{Reflection, diff};
use crate::source_map::SourceMap;
use similar::TextDiff;

/// Lines around a change.
const CONTEXT: usize = 3;

/// Shows what a build would change, or that it would change nothing.
pub fn differences(built: &Built) -> Outcome {
    let mut text = String::new();
    for difference in built.reports.iter().flat_map(|(_, report)| &report.differences) {
        text.push_str(&of_output(difference));
    }
    for name in &built.stale {
        text.push_str(&format!("{name} is of no program any more\n"));
    }
    let shown = super::show(&text);
    if text.is_empty() { shown } else { shown.and(Outcome::InputErrors) }
}

/// The change of one output: of a sidecar as an interface, of a text as a unified diff.
fn of_output(Difference { name, old, new }: &Difference) -> String {
    let Some(old) = old else { return format!("{name} is not there\n") };
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else {
        return format!("{name} has other bytes\n");
    };
    if let (Some(before), Some(after)) = (sidecar(old), sidecar(new)) {
        let changes = diff::diff(&before, &after).to_text();
        let changes = if changes.is_empty() { "no position has changed\n" } else { &changes };
        return format!("{name} has changed:\n{changes}");
    }
    if SourceMap::read(old).is_ok() && SourceMap::read(new).is_ok() {
        return format!("{name} is another source map\n");
    }
    let diff = TextDiff::from_lines(old, new);
    diff.unified_diff().context_radius(CONTEXT).header(name, name).to_string()
}

fn sidecar(text: &str) -> Option<Reflection> {
    Reflection::read(text).ok()
}
