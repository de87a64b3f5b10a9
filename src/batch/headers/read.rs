//! The texts of a flat build, taken to pieces, with the headers that their declarations come from.

use super::sharing::{Place, ReadText};
use super::units::{Unit, UnitKind, Units};
use crate::batch::driver::Built;
use crate::batch::finding::Finding;
use crate::batch::plan::{Job, from};
use crate::batch::program::OutputKind;
use crate::batch::{documents, maps};
use crate::compile::Target;
use crate::source_map::SourceMap;
use crate::target::Language;
use crate::target::words::is_stage_interface;
use std::collections::BTreeSet;
use std::path::Path;

/// A text of a build.
#[derive(Debug)]
pub struct FlatText {
    /// Its name below the output directory.
    pub name: String,
    /// The name of its sidecar, if there is one.
    pub sidecar: Option<String>,
    /// What is in it.
    pub read: ReadText,
    /// Where its head ends: directives, and the comment that is about the whole file.
    pub head: usize,
}

/// The texts of a target.
pub fn texts(built: &Built, out: &Path, target: Target) -> Result<Vec<FlatText>, Finding> {
    let Some(language) = target.text_language() else { return Ok(Vec::new()) };
    let mut texts = Vec::new();
    let mut known = BTreeSet::new();
    for (job, report) in &built.reports {
        let mains = mains(job, &built.base);
        let of_target = || report.outputs.iter().filter(|output| output.target == Some(target));
        let sidecar = of_target().find(|output| output.kind == OutputKind::Sidecar).map(|o| o.name.to_string());
        for output in of_target().filter(|output| output.kind == OutputKind::Text) {
            if !known.insert(output.name.clone()) {
                continue;
            }
            let path = out.join(&*output.name);
            let text = documents::read_text(&path)?;
            let map = maps::of_text(&path, &text)?.unwrap_or_default();
            let text = without_map(&text);
            let reader = Reader { text: &text, path: &path, map: &map, mains: &mains, base: &built.base, language };
            let stage = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            let (units, end, head) = reader.units();
            let read = ReadText { stage, text: text.clone(), units, end };
            let sidecar = sidecar.clone();
            texts.push(FlatText { name: output.name.to_string(), sidecar, read, head });
        }
    }
    Ok(texts)
}

/// The sources of a program that are no headers of it.
fn mains(job: &Job, base: &Path) -> BTreeSet<String> {
    job.files.iter().map(|file| from(base, file)).collect()
}

/// A text without the line that names its map.
fn without_map(text: &str) -> String {
    let line = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
    let last = text.get(line..).unwrap_or_default();
    let names_map = SourceMap::url_in(last).is_some();
    text.get(..line).filter(|_| names_map).unwrap_or(text).to_owned()
}

/// What is known of a text.
struct Reader<'a> {
    text: &'a str,
    path: &'a Path,
    map: &'a SourceMap,
    mains: &'a BTreeSet<String>,
    base: &'a Path,
    language: Language,
}

impl Reader<'_> {
    /// The units with their headers, where the last one ends, and where the head ends.
    fn units(&self) -> (Vec<(Unit, Option<Place>)>, usize, usize) {
        let Units { mut units, rest } = Units::of(self.text);
        let first = units.iter().position(|unit| unit.kind != UnitKind::Directive).unwrap_or(units.len());
        let mut head = first.checked_sub(1).and_then(|last| units.get(last)).map_or(0, |unit| unit.range.end);
        if let Some(unit) = units.get_mut(first) {
            // What a file begins with, up to a blank line, is about the file, unless it comes from the header that is first.
            let own = self.place(unit).map(|place| place.source);
            let at_comment = self.source_at(unit.range.start).map(|place| place.source);
            if let Some(block) = unit.block.filter(|_| own.is_none() || own != at_comment) {
                head = block;
                let rest = self.text.get(block..unit.code.start).unwrap_or_default();
                unit.range.start = block + (rest.len() - rest.trim_start().len());
                unit.is_apart = true;
            }
        }
        let placed = units.into_iter().map(|unit| {
            let place = self.place(&unit);
            (unit, place)
        });
        (placed.collect(), rest, head)
    }

    /// The header that a unit comes from.
    fn place(&self, unit: &Unit) -> Option<Place> {
        let before_name = unit.tokens.iter().take_while(|token| !unit.declares.contains(*token));
        let mut before_name = before_name.filter(|_| unit.kind == UnitKind::Declaration);
        if before_name.any(|word| is_stage_interface(self.language, word)) {
            return None;
        }
        self.source_at(unit.name_at?).filter(|place| !self.mains.contains(&place.source))
    }

    /// The place in a source that a byte of the text comes from.
    fn source_at(&self, byte: usize) -> Option<Place> {
        let before = self.text.get(..byte)?;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(start..)?.encode_utf16().count();
        let origin = self.map.origin(before.matches('\n').count(), column)?;
        let path = maps::source_path(self.path, &origin.source);
        let source = if path.contains(':') { path } else { from(self.base, Path::new(&path)) };
        Some(Place { source, line: origin.line, column: origin.column })
    }
}
