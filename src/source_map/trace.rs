//! Where a place of a text comes from.

use super::make::LIBRARY;
use super::{MapPlace, Segment, SourceMap};
use crate::diagnostic::Diagnostics;
use crate::lex::lex;
use crate::source::{Expansion, FileId, Sources, Span};
use crate::symbol::Symbol;
use std::sync::Arc;

/// What a place of a text comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The name of the source, as in the map.
    pub source: String,
    /// Line and column, counted from 0, the column in units of UTF-16.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What the source calls the token, where that is another name.
    pub name: Option<String>,
}

/// What people call the source of a name in a map, and its text, if that is known.
pub type Texts<'a> = &'a dyn Fn(&str) -> (String, Option<Arc<str>>);

/// What a place of a text comes from, with the texts of the sources: what a diagnostic needs to show it.
pub struct Traced {
    /// The sources, with the uses of macros that the token comes out of.
    pub sources: Sources,
    /// The token in them.
    pub span: Span,
    /// Whether the text of its source is there.
    pub is_shown: bool,
    /// What the source calls it, where that is another name.
    pub name: Option<String>,
    /// The pass that made it, where that is known.
    pub pass: Option<String>,
}

impl SourceMap {
    /// Where the token at a place of the text comes from; both count from 0, columns in units of UTF-16.
    pub fn origin(&self, line: usize, column: usize) -> Option<Origin> {
        let segment = self.segment(line, column)?;
        let MapPlace { source, line, column } = segment.place;
        let source = self.sources.get(source as usize)?.name.clone();
        let name = self.name(segment).map(str::to_owned);
        Some(Origin { source, line: line as usize, column: column as usize, name })
    }

    /// The same with texts: those in the map, else those that are known elsewhere.
    pub fn trace(&self, line: usize, column: usize, texts: Texts) -> Option<Traced> {
        let segment = self.segment(line, column)?;
        let mut shown = Shown { map: self, texts, files: vec![None; self.sources.len()], sources: Sources::default() };
        let span = shown.span_of(segment)?;
        let is_shown = shown.sources.file(shown.sources.use_site(span).file).is_some_and(|file| !file.text.is_empty());
        let name = self.name(segment).map(str::to_owned);
        let pass = self.pass(segment).map(str::to_owned);
        Some(Traced { sources: shown.sources, span, is_shown, name, pass })
    }
}

/// Sources that are made again from a map.
struct Shown<'a> {
    map: &'a SourceMap,
    texts: Texts<'a>,
    /// Those of the map that are there already.
    files: Vec<Option<FileId>>,
    sources: Sources,
}

impl Shown<'_> {
    /// The span of a segment's token, in the macros that it comes out of.
    fn span_of(&mut self, segment: &Segment) -> Option<Span> {
        let Some((innermost, spelled)) = segment.spelled else { return self.span(segment.place) };
        let mut chain = Vec::new();
        let mut next = Some(innermost);
        while let Some(found) = next.and_then(|number| self.map.macros.get(number as usize)) {
            chain.push(found);
            // In a map that was read, each comes out of an earlier one.
            next = found.within;
        }
        let mut around = None;
        for found in chain.into_iter().rev() {
            let mut call_site = self.span(found.call)?;
            call_site.file = around.unwrap_or(call_site.file);
            let expansion = Expansion {
                call_site,
                definition: self.span(found.definition)?,
                name: Symbol::new(&found.name),
                is_object: false,
                remarks: Arc::default(),
                call: None,
            };
            around = Some(self.sources.add_expansion(expansion));
        }
        let spelled = self.span(spelled)?;
        Some(Span { file: around?, ..spelled })
    }

    /// The token at a place.
    fn span(&mut self, place: MapPlace) -> Option<Span> {
        let file = self.file(place.source)?;
        let text = self.sources.file(file).map(|file| file.text.clone())?;
        let starts = self.sources.file(file)?.line_starts();
        let line = starts.get(place.line as usize).copied().unwrap_or(text.len() as u32) as usize;
        let rest = text.get(line..).unwrap_or_default();
        let mut left = place.column;
        let column = rest.find(|c: char| {
            let is_there = left == 0 || c == '\n';
            left = left.saturating_sub(c.len_utf16() as u32);
            is_there
        });
        let start = line + column.unwrap_or(rest.len());
        let rest = text.get(start..).unwrap_or_default();
        Some(Span { file, start: start as u32, end: (start + first_token(rest).len()) as u32 })
    }

    /// A source of the map, with those that include it.
    fn file(&mut self, source: u32) -> Option<FileId> {
        let mut open = vec![source];
        // Those that include it come first; a map that was read may have a circle, which is left.
        while let Some(&last) = open.last() {
            if self.files.get(last as usize).copied().flatten().is_some() {
                open.pop();
                continue;
            }
            let found = self.map.sources.get(last as usize)?;
            match found.included_from {
                Some(from) if !open.contains(&from.source) && self.files.get(from.source as usize) == Some(&None) => {
                    open.push(from.source);
                }
                from => {
                    let (name, known) = (self.texts)(&found.name);
                    let text = found.text.clone().or_else(|| library(&found.name)).or(known);
                    let id = self.sources.add(&name, text.unwrap_or_default());
                    if let Some(known) = self.files.get_mut(last as usize) {
                        *known = Some(id);
                    }
                    let is_known = |from: &MapPlace| matches!(self.files.get(from.source as usize), Some(Some(_)));
                    if let Some(from) = from.filter(is_known).filter(|from| from.source != last)
                        && let Some(span) = self.span(from)
                    {
                        self.sources.set_included_from(id, span);
                    }
                }
            }
        }
        self.files.get(source as usize).copied().flatten()
    }
}

/// The token that a text begins with; one character, if it begins with none.
pub fn first_token(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    let (mut comments, mut diags) = (Vec::new(), Diagnostics::default());
    let tokens = lex(FileId::default(), line, &mut comments, &mut diags);
    let first = tokens.first().filter(|token| token.span.start == 0 && token.span.end > 0);
    let length = first.map_or_else(|| line.chars().next().map_or(0, char::len_utf8), |token| token.span.end as usize);
    line.get(..length).unwrap_or_default()
}

/// A text of the library by its name in maps.
fn library(name: &str) -> Option<Arc<str>> {
    let name = name.strip_prefix(LIBRARY)?;
    crate::stdlib::sources().files().find(|(_, file)| file.name == name).map(|(_, file)| file.text.clone())
}
