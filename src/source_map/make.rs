//! The map of a text.

use super::align::{Match, Part, Tokens, Word, align, words};
use super::parts::{Item, Parts, parts_of};
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
    let parts = parts_of(pieces, &words);
    let regions = made.regions(pieces, &parts);
    let mut segments: Vec<Option<Segment>> = vec![None; words.len()];
    for (at, parts) in parts.iter().enumerate() {
        let pass = pieces.get(at).and_then(|piece| piece.pass).map(|pass| made.pass(pass));
        made.piece(text, &words, (at, parts, pass), &regions, &mut segments);
    }
    let loose: Vec<usize> = (0..words.len()).filter(|at| matches!(segments.get(*at), Some(None))).collect();
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

/// The tokens of a file that a piece is made from.
#[derive(Clone, Copy, Debug)]
struct Range {
    file: FileId,
    tokens: (usize, usize),
    /// The byte that stands for what is in none of the tokens.
    anchor: usize,
    /// The token that is the name, of a declaration.
    name: Option<usize>,
    /// The brace behind them that closes what the last of them opens.
    close: Option<usize>,
}

impl Range {
    /// The same place without tokens.
    fn alone(self) -> Range {
        Range { tokens: (0, 0), name: None, close: None, ..self }
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
    /// The piece that it is in.
    outer: Option<usize>,
}

impl Region {
    /// The same place without tokens.
    fn alone(self) -> Region {
        let spelled = self.spelled.map(|(expansion, range)| (expansion, range.alone()));
        Region { site: self.site.alone(), spelled, ..self }
    }

    /// The tokens that words are looked for in.
    fn spelling(&self) -> Range {
        self.spelled.map_or(self.site, |(_, spelled)| spelled)
    }
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
    fn regions(&mut self, pieces: &[Piece], parts: &[Parts]) -> Vec<Option<Region>> {
        let mut regions: Vec<Option<Region>> = Vec::with_capacity(pieces.len());
        for (piece, parts) in pieces.iter().zip(parts) {
            let outer = parts.outer.filter(|_| piece.kind.is_code() || piece.parent.is_some());
            let around = outer.and_then(|outer| regions.get(outer).copied().flatten());
            let own = self.region(piece).filter(|own| own.is_of_user || around.is_none_or(|around| !around.is_of_user));
            let own = own.map(|own| Region { outer, ..own });
            regions.push(own.or(around.map(Region::alone)));
        }
        // A declaration that a pass has made of nothing comes from where what is in it does.
        for (at, parts) in parts.iter().enumerate().rev() {
            let inner = |item: &Item| match *item {
                Item::Piece(inner) => regions.get(inner).copied().flatten(),
                Item::Word(_) => None,
            };
            let found = parts.items.iter().find_map(inner).map(Region::alone);
            regions.get_mut(at).into_iter().for_each(|own| *own = own.or(found));
        }
        regions
    }

    fn region(&mut self, piece: &Piece) -> Option<Region> {
        let span = piece.span;
        if piece.kind == PieceKind::Head {
            let file = self.sources.use_site(span).file;
            let site = Range { file, tokens: (0, 0), anchor: 0, name: None, close: None };
            return Some(Region { site, spelled: None, is_of_user: !file.is_library(), outer: None });
        }
        // What passes make of nothing has no place.
        if span == Span::default() {
            return None;
        }
        let site = self.sources.use_site(span);
        self.sources.file(site.file)?;
        let is_of_user = !site.file.is_library();
        if self.sources.expansion(span.file).is_none() {
            return Some(Region { site: self.range(site, piece.kind), spelled: None, is_of_user, outer: None });
        }
        let spelled = self.range(self.sources.spelling(span), PieceKind::Code);
        Some(Region {
            site: self.range(site, PieceKind::Code).alone(),
            spelled: Some((span.file, spelled)),
            is_of_user,
            outer: None,
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
            PieceKind::Statement => ((at, tokens.statement_end(at, tokens.at(span.end as usize))), None),
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
        let name = Some(at).filter(|_| kind == PieceKind::Name);
        Range { file, tokens: range, anchor, name, close }
    }

    /// The segments of the words of one piece.
    fn piece(
        &mut self,
        text: &str,
        words: &[Word],
        (at, parts, pass): (usize, &Parts, Option<u32>),
        regions: &[Option<Region>],
        segments: &mut [Option<Segment>],
    ) {
        let Some(region) = regions.get(at).and_then(Option::as_ref) else { return };
        let range = region.spelling();
        let inner = |at: usize| {
            let own = regions.get(at)?.as_ref()?.spelling();
            let is_in = own.file == range.file && own.tokens.0 < own.tokens.1;
            is_in.then_some(own.tokens)
        };
        let part = |item: &Item| match *item {
            Item::Word(at) => words.get(at).filter(|word| !word.is_comment).map_or(Part::Inner(None), |word| {
                Part::Own(text.get(word.start..word.end).unwrap_or_default(), word.is_name)
            }),
            Item::Piece(at) => Part::Inner(inner(at)),
        };
        let own: Vec<Part> = parts.items.iter().map(part).collect();
        let mut found = align(self.tokens(range.file), range.tokens, range.name, &own);
        if let Some(close) = range.close
            && let Some(last) = own.iter().rposition(|part| matches!(part, Part::Own("}", _)))
            && let Some(found) = found.get_mut(last)
        {
            *found = Some(Match::Same(close));
        }
        let mut before = self.place(range.file, range.anchor);
        for ((item, part), found) in parts.items.iter().zip(&own).zip(found) {
            let (Item::Word(at), Part::Own(word, is_name)) = (*item, *part) else {
                if let Item::Word(at) = *item {
                    segments.get_mut(at).into_iter().for_each(|segment| *segment = Some(Segment::at(before)));
                }
                continue;
            };
            let is_other = is_name && !matches!(found, Some(Match::Same(_)));
            let found = is_other.then(|| self.around(region, regions, word)).flatten().or(found);
            let is_same = matches!(found, Some(Match::Same(_)));
            let segment = self.segment(region, range.file, found, is_name, &mut before);
            let segment = Segment { pass: pass.filter(|_| !is_same), ..segment };
            segments.get_mut(at).into_iter().for_each(|place| *place = Some(segment));
        }
    }

    /// A name of a piece that is made of a part of what the source has there: it is looked for in what the piece is in.
    fn around(&mut self, region: &Region, regions: &[Option<Region>], name: &str) -> Option<Match> {
        let own = region.spelling();
        let mut outer = region.outer;
        while let Some(around) = outer.and_then(|outer| regions.get(outer)).and_then(Option::as_ref) {
            let range = around.spelling();
            if range.file != own.file || range.name.is_some() {
                return None;
            }
            let tokens = self.tokens(range.file);
            let own_first = tokens.at(own.anchor);
            if !(range.tokens.0..range.tokens.1).contains(&own_first) {
                return None;
            }
            let same = (range.tokens.0..range.tokens.1).filter(|at| tokens.spelled(*at) == name);
            if let Some(at) = same.min_by_key(|at| at.abs_diff(own_first)) {
                return Some(Match::Same(at));
            }
            outer = around.outer;
        }
        None
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
        Segment { name, spelled: Some((self.macro_use(expansion), *before)), ..Segment::at(place) }
    }

    /// The number of a pass.
    fn pass(&mut self, name: &str) -> u32 {
        let passes = &mut self.map.passes;
        let known = passes.iter().position(|pass| pass == name);
        known.unwrap_or_else(|| {
            passes.push(name.to_owned());
            passes.len() - 1
        }) as u32
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
