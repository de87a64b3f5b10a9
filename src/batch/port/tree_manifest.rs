//! The manifest of a tree without one, by what the tree says of its own build.

use super::describe::{Descriptions, describe};
use super::groups::quoted;
use super::output::OutputCut;
use super::script::from_directory;
use crate::batch::finding::Finding;
use crate::batch::plan::from;
use crate::batch::suggest::{Beside, suggest};
use crate::batch::walk::below;
use crate::diagnostic::Code;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A manifest, and how it came about.
pub struct TreeManifest {
    /// Its text. It is one to lie in the tree.
    pub text: String,
    /// What descriptions say, with all notes.
    pub described: Descriptions,
}

impl TreeManifest {
    /// Looks at a tree, but for what is below `out`.
    pub fn of(
        tree: &Path,
        out: &Path,
        include: &[PathBuf],
        defines: &[(String, Option<String>)],
    ) -> Result<TreeManifest, Finding> {
        let (files, _) = below(tree, out).map_err(|e| Finding::error(Code::UNREADABLE, e))?;
        let read = |name: &str| Some(String::from_utf8_lossy(&std::fs::read(tree.join(name)).ok()?).into_owned());
        let mut described = describe(&files, &read);
        let suggested = suggest(tree, out, &Beside { include, defines, described: &described.all })?;
        // Notes are the same wherever the tree lies.
        let directory = tree.to_string_lossy();
        described.notes.extend(suggested.notes.iter().map(|note| from_directory(note, &directory)));
        described.notes = gathered(std::mem::take(&mut described.notes));
        Ok(TreeManifest { text: suggested.manifest, described })
    }

    /// Its text with more lines about the build.
    pub fn with(&self, lines: &str) -> String {
        self.text.replacen("[build]\n", &format!("[build]\n{lines}"), 1)
    }

    /// Its text where it lies in another directory than the tree, for outputs that are cut in a way.
    pub fn text_beside(&self, directory: &Path, tree: &Path, cut: OutputCut) -> String {
        let tree = from(directory, tree);
        let tree = if tree.is_empty() { ".".to_owned() } else { tree };
        self.with(&format!("tree = {}\n{}", quoted(&tree), cut.lines()))
    }
}

/// Notes that say the same of several places, as one each.
fn gathered(notes: Vec<String>) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for note in notes {
        // `FILE:LINE: TEXT`
        let placed = note
            .split_once(": ")
            .filter(|(place, _)| place.rsplit_once(':').is_some_and(|(_, line)| line.parse::<usize>().is_ok()));
        let (place, text) =
            placed.map_or((String::new(), note.clone()), |(place, text)| (place.to_owned(), text.to_owned()));
        let of_text = places.entry(text.clone()).or_default();
        if of_text.is_empty() {
            order.push(text);
        }
        if !of_text.contains(&place) {
            of_text.push(place);
        }
    }
    let told = |text: String| {
        let of_text = places.get(&text).map(Vec::as_slice).unwrap_or_default();
        match of_text {
            [] => text,
            [place] if place.is_empty() => text,
            [place] => format!("{place}: {text}"),
            [place, more @ ..] => format!("{place} and {} more: {text}", more.len()),
        }
    };
    order.into_iter().map(told).collect()
}
