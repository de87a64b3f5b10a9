//! The texts of a flat build, taken to pieces, with the headers that their declarations come from.

use super::sharing::{HeaderPlace, ReadText};
use super::units::{TextUnit, TextUnitKind, TextUnits};
use crate::batch::driver::Built;
use crate::batch::finding::Finding;
use crate::batch::names::sidecar_of;
use crate::batch::plan::{Job, from};
use crate::batch::program::OutputKind;
use crate::batch::{documents, maps};
use crate::compile::Target;
use crate::preprocess::COMMAND_LINE;
use crate::source_map::SourceMap;
use crate::target::Language;
use crate::target::words::is_stage_interface;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The entry point of a text that is of one alone.
const ENTRY: &str = "main";

/// A text of a build.
#[derive(Debug)]
pub struct TreeText {
    /// Its name below the output directory.
    pub name: String,
    /// The name of its sidecar, if there is one.
    pub sidecar: Option<String>,
    /// What is in it.
    pub read: ReadText,
    /// The sources of its program that are no headers, in their order.
    pub mains: Vec<String>,
    /// What tells it from texts of other entry points: variants that are to be one text have that in common.
    identity: String,
    /// Where its head ends: directives, and the comment that is about the whole file.
    pub head: usize,
    /// Where it comes from. Sources have the names of sidecars.
    pub map: SourceMap,
    /// Where its lines begin.
    starts: Vec<usize>,
}

impl TreeText {
    /// The line that a byte is in, and whether it is the first one there.
    pub fn line(&self, byte: usize) -> (usize, bool) {
        let line = self.starts.partition_point(|start| *start <= byte).saturating_sub(1);
        (line, self.starts.get(line) == Some(&byte))
    }
}

/// Where the lines of a text begin.
fn starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// The name in sidecars of a source of a map.
fn source_name(text: &Path, base: &Path, name: &str) -> String {
    if name == COMMAND_LINE {
        return name.to_owned();
    }
    let path = maps::source_path(text, name);
    if path.contains(':') { path } else { from(base, Path::new(&path)) }
}

/// The texts of a target, and behind them what no entry point of their programs uses, with the number of the former. `merged` are
/// the numbers of programs whose variants are to be one text.
pub fn texts_with_spare(
    built: &Built,
    out: &Path,
    target: Target,
    merged: &[usize],
) -> Result<(Vec<TreeText>, usize), Finding> {
    let mut all = texts(built, out, (target, OutputKind::Text), merged)?;
    keep_own(&mut all);
    let spare = texts(built, out, (target, OutputKind::Spare), merged)?;
    let count = all.len();
    all.extend(spare);
    Ok((all, count))
}

/// The texts of a kind.
fn texts(
    built: &Built,
    out: &Path,
    (target, kind): (Target, OutputKind),
    merged: &[usize],
) -> Result<Vec<TreeText>, Finding> {
    let Some(language) = target.text_language() else { return Ok(Vec::new()) };
    let mut texts = Vec::new();
    let mut known = BTreeSet::new();
    for (program, (job, report)) in built.reports.iter().enumerate() {
        let mains = mains(job, &built.base);
        let is_merged = merged.contains(&program);
        let of_target = || report.outputs.iter().filter(|output| output.target == Some(target));
        let of_sidecars = of_target().filter(|output| output.kind == OutputKind::Sidecar);
        let sidecars: Vec<&str> = of_sidecars.map(|output| &*output.name).collect();
        for output in of_target().filter(|output| output.kind == kind) {
            if !known.insert(output.name.clone()) {
                continue;
            }
            let path = out.join(&*output.name);
            let text = documents::read_text(&path)?;
            let mut map = maps::of_text(&path, &text)?.unwrap_or_default();
            map.sources.iter_mut().for_each(|source| source.name = source_name(&path, &built.base, &source.name));
            let text = without_map(&text);
            // Where each entry point is a text of its own, they have what is in their file in common, too.
            let is_part = kind == OutputKind::Text && output.entry.is_some();
            let entry = if kind == OutputKind::Spare { output.entry.as_deref() } else { None };
            let (text, map, mains) = (&*text, &map, &*mains);
            let reader = FlatReader { text, map, mains, is_part, is_merged, entry, language };
            let stage = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            let (units, end, head) = reader.units();
            let read = ReadText { stage, text: text.to_owned(), units, end };
            let sidecar = sidecar_of(&output.name, sidecars.iter().copied()).map(str::to_owned);
            let name = output.name.to_string();
            let identity = match is_merged {
                true => format!("{program} {:?}", output.entry),
                false => name.clone(),
            };
            let (map, mains, starts) = (map.clone(), mains.to_vec(), starts(text));
            texts.push(TreeText { name, sidecar, read, mains, identity, head, map, starts });
        }
    }
    Ok(texts)
}

/// What is in a program's own files and in no other text stays in its text.
fn keep_own(texts: &mut [TreeText]) {
    let mut users: BTreeMap<(HeaderPlace, BTreeSet<String>), BTreeSet<String>> = BTreeMap::new();
    let key = |unit: &TextUnit, place: &HeaderPlace| (place.clone(), unit.declares.clone());
    for text in texts.iter() {
        for (unit, place) in text.read.units.iter().filter_map(|(unit, place)| Some((unit, place.as_ref()?))) {
            users.entry(key(unit, place)).or_default().insert(text.identity.clone());
        }
    }
    for TreeText { read, mains, .. } in texts {
        let mut stay: BTreeSet<usize> = BTreeSet::new();
        for (at, (unit, place)) in read.units.iter_mut().enumerate() {
            let is_one = |place: &HeaderPlace| users.get(&key(unit, place)).is_some_and(|users| users.len() == 1);
            let stays = match &unit.member {
                // Where the struct stands.
                Some(member) => stay.contains(&member.of),
                None => place.as_ref().is_some_and(|place| mains.contains(&place.source) && is_one(place)),
            };
            if stays {
                *place = None;
                stay.insert(at);
            }
        }
    }
}

/// The sources of a program that are no headers of it.
fn mains(job: &Job, base: &Path) -> Vec<String> {
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
struct FlatReader<'a> {
    text: &'a str,
    map: &'a SourceMap,
    mains: &'a [String],
    is_part: bool,
    /// Texts of variants are to be one text: what is about the file stays at its head.
    is_merged: bool,
    /// The entry point that is there to use what no other one does.
    entry: Option<&'a str>,
    language: Language,
}

impl FlatReader<'_> {
    /// The units with their headers, where the last one ends, and where the head ends.
    fn units(&self) -> (Vec<(TextUnit, Option<HeaderPlace>)>, usize, usize) {
        let TextUnits { mut units, rest } = TextUnits::of(self.text);
        let first = units.iter().position(|unit| unit.kind != TextUnitKind::Directive).unwrap_or(units.len());
        let mut head = first.checked_sub(1).and_then(|last| units.get(last)).map_or(0, |unit| unit.range.end);
        if let Some(unit) = units.get_mut(first) {
            let is_about_file = |source: &String| self.is_merged && self.mains.contains(source);
            let header = self.place(unit).map(|place| place.source).filter(|source| !is_about_file(source));
            let mut comments = unit.comments.iter();
            let about_file = match &header {
                // What a file begins with, up to a blank line, is about the file.
                None => comments.find(|(_, is_blank_behind)| *is_blank_behind),
                // What comes from a header is about that.
                Some(_) => comments.take_while(|(comment, _)| self.header_at(comment.start).is_none()).last(),
            };
            if let Some((about_file, _)) = about_file {
                head = about_file.end;
                let rest = self.text.get(head..unit.code.start).unwrap_or_default();
                unit.range.start = head + (rest.len() - rest.trim_start().len());
                unit.is_apart = true;
            }
            if header.is_some() {
                let other = |at: usize| self.header_at(at).is_some_and(|of| Some(of) != header);
                let mut own = unit.comments.iter().map(|(comment, _)| comment.start).filter(|at| *at >= head);
                let start = own.find(|at| !other(*at)).unwrap_or(unit.code.start);
                unit.range.start = unit.range.start.max(start);
            }
        }
        let mut placed: Vec<(TextUnit, Option<HeaderPlace>)> = Vec::new();
        for unit in units {
            let place = match &unit.member {
                Some(member) => self.place_in(placed.get(member.of).and_then(|(_, place)| place.as_ref()), &unit),
                None => self.place(&unit),
            };
            placed.push((unit, place));
        }
        // A line that announces a struct belongs to the one behind it, which needs it.
        let mut behind = None;
        for (unit, place) in placed.iter_mut().rev() {
            match unit.announces() {
                true => *place = behind.clone(),
                false => behind = place.clone(),
            }
        }
        (placed, rest, head)
    }

    /// The header that a unit comes from.
    fn place(&self, unit: &TextUnit) -> Option<HeaderPlace> {
        let before_name = unit.tokens.iter().take_while(|token| !unit.declares.contains(*token));
        let mut before_name = before_name.filter(|_| unit.kind == TextUnitKind::Declaration);
        let is_entry = self.entry.is_some_and(|entry| [entry, ENTRY].iter().any(|name| unit.declares.contains(*name)));
        if is_entry || before_name.any(|word| is_stage_interface(self.language, word)) {
            return None;
        }
        let is_shared =
            |place: &HeaderPlace| !self.mains.contains(&place.source) || self.is_part && !unit.declares.contains(ENTRY);
        self.source_at(unit.name_at?).filter(is_shared)
    }

    /// The place of what stands in a struct: in the header of that, wherever its code comes from.
    fn place_in(&self, of_struct: Option<&HeaderPlace>, unit: &TextUnit) -> Option<HeaderPlace> {
        let of_struct = of_struct?;
        let own = unit.name_at.and_then(|at| self.source_at(at)).filter(|own| own.source == of_struct.source);
        Some(own.unwrap_or_else(|| of_struct.clone()))
    }

    /// The header that a byte of the text comes from.
    fn header_at(&self, byte: usize) -> Option<String> {
        self.source_at(byte).map(|place| place.source).filter(|source| !self.mains.contains(source))
    }

    /// The place in a source that a byte of the text comes from.
    fn source_at(&self, byte: usize) -> Option<HeaderPlace> {
        let before = self.text.get(..byte)?;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(start..)?.encode_utf16().count();
        let origin = self.map.origin(before.matches('\n').count(), column)?;
        if origin.source == COMMAND_LINE {
            return None;
        }
        Some(HeaderPlace { source: origin.source, line: origin.line, column: origin.column })
    }
}
