//! The map of a text.

use super::align::{Match, Part, Tokens, Word, align, words};
use super::{MacroUse, MapPlace, MapSource, Segment, SourceMap};
use crate::emit::{Piece, PieceKind};
use crate::source::{FileId, Sources, Span};
use rustc_hash::FxHashMap;

/// What the names of the texts of the library begin with, which are in no tree.
pub(super) const LIBRARY: &str = "shaderport:";

/// The map of a text whose pieces are known.
pub fn source_map(text: &str, pieces: &[Piece], sources: &Sources) -> SourceMap {
    let words = words(text);
    let mut made = Making::new(sources);
    let (parts, loose) = parts_of(pieces, &words);
    let regions = made.regions(pieces);
    let mut segments: Vec<Option<Segment>> = vec![None; words.len()];
    for (parts, region) in parts.iter().zip(&regions) {
        let Some(region) = region else { continue };
        made.piece(text, &words, parts, region, &regions, &mut segments);
    }
    // What nothing tells of comes from the file that was asked for.
    if let Some((file, _)) = sources.files().next().filter(|_| !loose.is_empty()) {
        let place = made.place(file, 0);
        for at in loose {
            segments.get_mut(at).into_iter().for_each(|segment| *segment = Some(Segment::at(place)));
        }
    }
    made.map.lines = lines(text, &words, &segments);
    made.map
}

/// What is in a piece, in order: words, and pieces.
#[derive(Clone, Copy)]
enum Item {
    Word(usize),
    Piece(usize),
}

/// What is in each piece, and the words that are in none.
fn parts_of(pieces: &[Piece], words: &[Word]) -> (Vec<Vec<Item>>, Vec<usize>) {
    let (mut parts, mut loose) = (vec![Vec::new(); pieces.len()], Vec::new());
    let mut open: Vec<usize> = Vec::new();
    let mut next = 0;
    let ends = |at: &usize, byte: usize| pieces.get(*at).is_none_or(|piece| piece.end <= byte);
    for (at, word) in words.iter().enumerate() {
        while let Some(piece) = pieces.get(next).filter(|piece| piece.start <= word.start) {
            if piece.end > word.start {
                if let Some(around) = piece.parent.and_then(|parent| parts.get_mut(parent)) {
                    around.push(Item::Piece(next));
                }
                while open.last().is_some_and(|at| ends(at, piece.start)) {
                    open.pop();
                }
                open.push(next);
            }
            next += 1;
        }
        while open.last().is_some_and(|at| ends(at, word.start)) {
            open.pop();
        }
        match open.last().and_then(|at| parts.get_mut(*at)) {
            Some(around) => around.push(Item::Word(at)),
            None => loose.push(at),
        }
    }
    (parts, loose)
}

/// The tokens of a file that a piece is made from.
#[derive(Clone, Copy, Debug)]
struct Range {
    file: FileId,
    tokens: (usize, usize),
    /// The byte that stands for what is in none of the tokens.
    anchor: usize,
    /// The brace behind them that closes what the last of them opens.
    close: Option<usize>,
}

impl Range {
    /// The same place without tokens.
    fn alone(self) -> Range {
        Range { tokens: (0, 0), close: None, ..self }
    }
}

/// What a piece is made from.
#[derive(Clone, Copy, Debug)]
struct Region {
    /// In a file, as a user has written it.
    site: Range,
    /// If it comes out of a macro: the use of that, and where it is spelled.
    spelled: Option<(FileId, Range)>,
    /// It is no place of the library.
    is_of_user: bool,
}

/// A map in the making.
struct Making<'a> {
    sources: &'a Sources,
    map: SourceMap,
    files: FxHashMap<FileId, Tokens<'a>>,
    /// The numbers of files, names and uses of macros in the map.
    numbers: FxHashMap<FileId, u32>,
    named: FxHashMap<String, u32>,
    names: FxHashMap<&'a str, u32>,
    uses: FxHashMap<FileId, u32>,
}

impl<'a> Making<'a> {
    fn new(sources: &'a Sources) -> Making<'a> {
        let (map, files, numbers) = (SourceMap::default(), FxHashMap::default(), FxHashMap::default());
        let (named, names, uses) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        Making { sources, map, files, numbers, named, names, uses }
    }

    fn tokens(&mut self, file: FileId) -> &Tokens<'a> {
        let sources = self.sources;
        let text = || sources.file(file).map_or("", |file| &*file.text);
        self.files.entry(file).or_insert_with(|| Tokens::of(text()))
    }

    /// What each piece is made from. What has no place of its own has that of what it is in; so has what is of the library, if it
    /// is in something of the user's: a body that was put into a call of it.
    fn regions(&mut self, pieces: &[Piece]) -> Vec<Option<Region>> {
        let mut regions: Vec<Option<Region>> = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let around = piece.parent.and_then(|parent| regions.get(parent).copied().flatten());
            let own = self.region(piece).filter(|own| own.is_of_user || around.is_none_or(|around| !around.is_of_user));
            let alone = |around: Region| Region {
                site: around.site.alone(),
                spelled: around.spelled.map(|(expansion, range)| (expansion, range.alone())),
                ..around
            };
            regions.push(own.or(around.map(alone)));
        }
        regions
    }

    fn region(&mut self, piece: &Piece) -> Option<Region> {
        let span = piece.span;
        if piece.kind == PieceKind::Head {
            let file = self.sources.use_site(span).file;
            let site = Range { file, tokens: (0, 0), anchor: 0, close: None };
            return Some(Region { site, spelled: None, is_of_user: !file.is_library() });
        }
        // What passes make of nothing has no place.
        if span == Span::default() {
            return None;
        }
        let site = self.sources.use_site(span);
        self.sources.file(site.file)?;
        let is_of_user = !site.file.is_library();
        if self.sources.expansion(span.file).is_none() {
            return Some(Region { site: self.range(site, piece.kind), spelled: None, is_of_user });
        }
        let spelled = self.range(self.sources.spelling(span), PieceKind::Code);
        Some(Region {
            site: self.range(site, PieceKind::Code).alone(),
            spelled: Some((span.file, spelled)),
            is_of_user,
        })
    }

    /// The tokens around a place of a file.
    fn range(&mut self, span: Span, kind: PieceKind) -> Range {
        let (file, anchor) = (span.file, span.start as usize);
        let tokens = self.tokens(file);
        let at = tokens.at(anchor);
        let (range, close) = match kind {
            PieceKind::Head => ((0, 0), None),
            PieceKind::Code => ((at, tokens.at(span.end as usize)), None),
            PieceKind::Macro => (tokens.directive(at), None),
            PieceKind::Name => {
                let (first, end, close) = tokens.around(at);
                ((first, end), close)
            }
            PieceKind::Whole => {
                let (first, end, close) = tokens.around(at);
                ((first, close.map_or(end, |close| close + 1)), None)
            }
        };
        Range { file, tokens: range, anchor, close }
    }

    /// The segments of the words of one piece.
    fn piece(
        &mut self,
        text: &str,
        words: &[Word],
        items: &[Item],
        region: &Region,
        regions: &[Option<Region>],
        segments: &mut [Option<Segment>],
    ) {
        let range = region.spelled.map_or(region.site, |(_, spelled)| spelled);
        let inner = |at: usize| {
            let own = regions.get(at)?.as_ref()?;
            let own = own.spelled.map_or(own.site, |(_, spelled)| spelled);
            let is_in = own.file == range.file && own.tokens.0 < own.tokens.1;
            is_in.then_some(own.tokens)
        };
        let part = |item: &Item| match *item {
            Item::Word(at) => words.get(at).filter(|word| !word.is_comment).map_or(Part::Inner(None), |word| {
                Part::Own(text.get(word.start..word.end).unwrap_or_default(), word.is_name)
            }),
            Item::Piece(at) => Part::Inner(inner(at)),
        };
        let parts: Vec<Part> = items.iter().map(part).collect();
        let mut found = align(self.tokens(range.file), range.tokens, &parts);
        if let Some(close) = range.close
            && let Some(last) = parts.iter().rposition(|part| matches!(part, Part::Own("}", _)))
            && let Some(found) = found.get_mut(last)
        {
            *found = Some(Match::Same(close));
        }
        let mut before = self.place(range.file, range.anchor);
        for ((item, part), found) in items.iter().zip(&parts).zip(found) {
            let Item::Word(at) = *item else { continue };
            let Some(segment) = segments.get_mut(at) else { continue };
            let is_name = matches!(part, Part::Own(_, true));
            *segment = Some(self.segment(region, range.file, found, is_name, &mut before));
        }
    }

    fn segment(
        &mut self,
        region: &Region,
        file: FileId,
        found: Option<Match>,
        is_name: bool,
        before: &mut MapPlace,
    ) -> Segment {
        let mut name = None;
        if let Some(Match::Same(at) | Match::Renamed(at)) = found {
            let tokens = self.tokens(file);
            let start = tokens.words.get(at).map_or(0, |word| word.start);
            let source = tokens.spelled(at);
            if matches!(found, Some(Match::Renamed(_))) {
                name = Some(self.name(source));
            }
            *before = self.place(file, start);
        }
        let Some((expansion, _)) = region.spelled else {
            return Segment { name, ..Segment::at(*before) };
        };
        let Range { file, anchor, .. } = region.site;
        let place = self.place(file, anchor);
        let tokens = self.tokens(file);
        let at = tokens.at(anchor);
        let macro_name = tokens.is_name(at).then(|| tokens.spelled(at)).filter(|_| is_name);
        let name = macro_name.map(|name| self.name(name));
        Segment { column: 0, place, name, spelled: Some((self.macro_use(expansion), *before)) }
    }

    fn name(&mut self, name: &'a str) -> u32 {
        let names = &mut self.map.names;
        *self.names.entry(name).or_insert_with(|| {
            names.push(name.to_owned());
            names.len() as u32 - 1
        })
    }

    /// A byte of a file as a place of the map.
    fn place(&mut self, file: FileId, byte: usize) -> MapPlace {
        let (line, column) = self.sources.line_column(file, byte as u32);
        let text = self.sources.file(file).map_or("", |file| &*file.text);
        let before = text.get(byte.saturating_sub(column)..byte).unwrap_or_default();
        MapPlace { source: self.source(file), line: line as u32, column: units(before) }
    }

    /// The number of a file. A header that several units include is several files of one name.
    fn source(&mut self, id: FileId) -> u32 {
        if let Some(number) = self.numbers.get(&id) {
            return *number;
        }
        let file = self.sources.file(id);
        let name = file.map_or("", |file| file.recorded.as_str());
        let name = if id.is_library() { format!("{LIBRARY}{name}") } else { name.to_owned() };
        let known = self.named.get(&name).copied();
        let number = known.unwrap_or(self.map.sources.len() as u32);
        self.numbers.insert(id, number);
        if known.is_none() {
            let text = file.map(|file| file.text.clone());
            self.map.sources.push(MapSource { name: name.clone(), text, included_from: None });
            self.named.insert(name, number);
            let from = file.and_then(|file| file.included_from()).map(|from| self.sources.use_site(from));
            let from = from.map(|from| self.place(from.file, from.start as usize));
            self.map.sources.get_mut(number as usize).into_iter().for_each(|source| source.included_from = from);
        }
        number
    }

    /// The number of a use of a macro, behind those that it is in.
    fn macro_use(&mut self, expansion: FileId) -> u32 {
        let mut open = Vec::new();
        let mut next = expansion;
        // An expansion's call site was recorded before the expansion itself, so this ends.
        while let Some(found) = self.sources.expansion(next).filter(|_| !self.uses.contains_key(&next)) {
            open.push((next, found));
            next = found.call_site.file;
        }
        for (id, found) in open.into_iter().rev() {
            let call = self.sources.spelling(found.call_site);
            let definition = self.sources.use_site(found.definition);
            let made = MacroUse {
                name: found.name.to_string(),
                definition: self.place(definition.file, definition.start as usize),
                call: self.place(call.file, call.start as usize),
                within: self.uses.get(&found.call_site.file).copied(),
            };
            self.uses.insert(id, self.map.macros.len() as u32);
            self.map.macros.push(made);
        }
        self.uses.get(&expansion).copied().unwrap_or(0)
    }
}

/// How many units of UTF-16 a text has.
pub(super) fn units(text: &str) -> u32 {
    text.chars().map(|c| c.len_utf16() as u32).sum()
}

/// The segments by lines; one that says nothing new is left out.
fn lines(text: &str, words: &[Word], segments: &[Option<Segment>]) -> Vec<Vec<Segment>> {
    let mut lines: Vec<Vec<Segment>> = Vec::new();
    let mut found = words.iter().zip(segments).peekable();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let mut own: Vec<Segment> = Vec::new();
        while let Some((word, segment)) = found.next_if(|(word, _)| word.start < end) {
            let Some(segment) = segment else { continue };
            let column = units(text.get(start..word.start).unwrap_or_default());
            let same = |last: &Segment| Segment { column: last.column, ..*segment } == *last && segment.name.is_none();
            if !own.last().is_some_and(same) {
                own.push(Segment { column, ..*segment });
            }
        }
        lines.push(own);
        start = end;
    }
    lines
}
