//! What source maps say is compared with the texts that they are of: every token has a place, a name that is kept is where the source
//! has it, and a name of which it is known where the source has it leads there.

use shaderport::SourceMap;
use shaderport::internals::diagnostic::Diagnostics;
use shaderport::internals::lex::{TokenKind, lex};
use shaderport::internals::source::FileId;
use shaderport::internals::source_map::{MapPlace, Segment};
use std::collections::BTreeMap;

/// A token of a text, counted from 0 in bytes.
#[derive(Clone, Debug)]
pub struct Word {
    pub text: String,
    pub is_name: bool,
    /// First byte of the text.
    pub start: usize,
    pub line: usize,
    pub column: usize,
}

/// The tokens of a text.
pub fn words(text: &str) -> Vec<Word> {
    let (mut comments, mut diags) = (Vec::new(), Diagnostics::default());
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let tokens = lex(FileId::default(), text, &mut comments, &mut diags);
    let tokens = tokens.iter().filter(|token| !matches!(token.kind, TokenKind::Newline | TokenKind::Eof));
    let word = |token: &shaderport::internals::lex::Token| {
        let start = token.span.start as usize;
        let line = starts.partition_point(|at| *at <= start) - 1;
        let text = text[start..token.span.end as usize].to_owned();
        Word { text, is_name: token.kind == TokenKind::Ident, start, line, column: start - starts[line] }
    };
    tokens.map(word).collect()
}

/// A map, its text and its sources.
pub struct Mapped<'a> {
    text: &'a str,
    map: &'a SourceMap,
    pub words: Vec<Word>,
    sources: Vec<Vec<Word>>,
    rows: Vec<&'a str>,
}

/// What is wrong with a map.
#[derive(Debug, Default)]
pub struct Wrong {
    pub tokens: usize,
    /// Tokens without a place in a source.
    pub unmapped: Vec<String>,
    /// Names that are kept.
    pub names: usize,
    /// Those that are mapped to something else.
    pub strange: Vec<String>,
}

/// A name of the text with the place where its source has it.
#[derive(Debug)]
pub struct Known {
    /// Which token of the text it is.
    pub word: usize,
    pub source: usize,
    pub line: usize,
}

impl<'a> Mapped<'a> {
    pub fn new(text: &'a str, map: &'a SourceMap) -> Mapped<'a> {
        let of_source = |source: &shaderport::internals::source_map::MapSource| {
            source.text.as_deref().map(words).unwrap_or_default()
        };
        let sources = map.sources().iter().map(of_source).collect();
        Mapped { text, map, words: words(text), sources, rows: text.split('\n').collect() }
    }

    pub fn segment(&self, word: &Word) -> Option<&'a Segment> {
        let before = &self.rows[word.line][..word.column];
        self.map.segment(word.line, before.encode_utf16().count())
    }

    /// The token of a source at a place.
    fn at(&self, place: MapPlace) -> Option<&Word> {
        let words = self.sources.get(place.source as usize)?;
        let source = self.map.sources()[place.source as usize].text.as_deref()?;
        let row = source.split('\n').nth(place.line as usize)?;
        let mut units = place.column as usize;
        let column: usize = row
            .chars()
            .take_while(|c| {
                units > 0 && {
                    units = units.saturating_sub(c.len_utf16());
                    true
                }
            })
            .map(char::len_utf8)
            .sum();
        words.iter().find(|word| (word.line, word.column) == (place.line as usize, column))
    }

    /// Whether a place is in its source.
    fn is_there(&self, place: MapPlace) -> bool {
        let Some(source) = self.map.sources().get(place.source as usize) else { return false };
        let row = source.text.as_deref().and_then(|text| text.split('\n').nth(place.line as usize));
        row.is_some_and(|row| place.column as usize <= row.encode_utf16().count())
    }

    /// What is wrong. `is_own` says which names are of the user's: those of the languages may come from anywhere.
    pub fn wrong(&self) -> Wrong {
        let mut wrong = Wrong::default();
        let declared: std::collections::BTreeSet<&str> =
            self.sources.iter().flatten().filter(|word| word.is_name).map(|word| word.text.as_str()).collect();
        for word in &self.words {
            wrong.tokens += 1;
            let shown = || {
                format!("{}:{} `{}` in `{}`", word.line + 1, word.column + 1, word.text, self.rows[word.line].trim())
            };
            let Some(segment) = self.segment(word).filter(|segment| self.is_there(segment.place)) else {
                wrong.unmapped.push(shown());
                continue;
            };
            if !word.is_name || word.text.len() < 3 || !declared.contains(word.text.as_str()) {
                continue;
            }
            wrong.names += 1;
            let place = segment.spelled.map_or(segment.place, |(_, place)| place);
            let is_same = self.at(place).is_some_and(|found| found.text == word.text);
            if !is_same && segment.name.is_none() {
                let found = self.at(place).map_or("nothing", |found| &found.text);
                wrong.strange.push(format!("{} is `{found}` of {}:{}", shown(), place.line + 1, place.column + 1));
            }
        }
        wrong
    }

    /// Names of which it is known where the sources have them: on one line, and nowhere else.
    pub fn known(&self) -> Vec<Known> {
        let mut lines: BTreeMap<&str, Option<(usize, usize)>> = BTreeMap::new();
        for (source, words) in self.sources.iter().enumerate() {
            for word in words.iter().filter(|word| word.is_name && word.text.len() > 2) {
                let line = Some((source, word.line));
                lines.entry(&word.text).and_modify(|known| *known = known.filter(|_| *known == line)).or_insert(line);
            }
        }
        let of_text = self.words.iter().enumerate().filter(|(_, word)| word.is_name);
        let known = of_text.filter_map(|(at, word)| {
            let (source, line) = (*lines.get(word.text.as_str())?)?;
            Some(Known { word: at, source, line })
        });
        known.collect()
    }

    /// Whether a map leads from a known name to its line: where it is written, or where the macro spells it that it comes out of.
    pub fn leads(&self, known: &Known, segment: &Segment) -> bool {
        let is_it = |place: MapPlace| (place.source as usize, place.line as usize) == (known.source, known.line);
        is_it(segment.place) || segment.spelled.is_some_and(|(_, place)| is_it(place))
    }

    /// The text with one of its names broken, and the place of that: line and column in units of UTF-16, from 0.
    pub fn broken(&self, word: usize) -> (String, (usize, usize)) {
        let Word { text, start, line, column, .. } = &self.words[word];
        let (before, after) = (&self.text[..*start], &self.text[start + text.len()..]);
        let place = (*line, self.rows[*line][..*column].encode_utf16().count());
        (format!("{before}{text}_broken{after}"), place)
    }
}
