//! Which line of a merged text is which line of a variant's.

use super::proof::{chosen_lines, directive};
use super::{FlatText, Merged};
use std::collections::BTreeMap;

/// Of each line of a merged text: a text that it is of, and the number of the line there; `None` if it is of none.
pub fn origins(merged: &Merged, texts: &[FlatText]) -> Vec<Option<(usize, usize)>> {
    let mut found = vec![None; merged.text.lines().count()];
    let lines: Vec<&str> = merged.text.lines().collect();
    for (number, flat) in texts.iter().enumerate() {
        let Some(defines) = flat.variants.first().and_then(|at| merged.defines.get(*at)) else { continue };
        let chosen = chosen_lines(merged.form, &merged.text, defines).into_iter();
        let chosen: Vec<(usize, &str)> = chosen.filter_map(|at| Some((at, *lines.get(at)?))).collect();
        let own: Vec<(usize, &str)> = flat.text.lines().enumerate().collect();
        let mut put = |at: usize, line: usize| {
            if let Some(place) = found.get_mut(at).filter(|place| place.is_none()) {
                *place = Some((number, line));
            }
        };
        // The tokens are the same, and lines are taken whole: macros of other names are all that may differ in them.
        let code = |all: &[(usize, &str)]| -> Vec<(usize, String)> {
            let is_code = |(_, line): &&(usize, &str)| is_code(line);
            all.iter().filter(is_code).map(|(at, line)| (*at, line.trim().to_owned())).collect()
        };
        let (ours, theirs) = (code(&chosen), code(&own));
        if ours.len() == theirs.len() {
            ours.iter().zip(&theirs).for_each(|((at, _), (line, _))| put(*at, *line));
        }
        // Comments and macros stand where the first ones of their text do.
        let mut others: BTreeMap<&str, usize> = BTreeMap::new();
        for (line, text) in own.iter().filter(|(_, text)| !is_code(text) && !text.trim().is_empty()) {
            others.entry(text.trim()).or_insert(*line);
        }
        for (at, text) in lines.iter().enumerate() {
            if let Some(line) = others.get(text.trim()) {
                put(at, *line);
            }
        }
    }
    found
}

/// Whether a line has tokens that are no directive's.
fn is_code(line: &str) -> bool {
    let is_comment = ["//", "/*", "*"].iter().any(|start| line.trim().starts_with(start));
    !line.trim().is_empty() && !is_comment && directive(line).is_none()
}
