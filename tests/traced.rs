//! What source maps say is compared with the texts that they are of: every token has a place, a name that is kept is where the source
//! has it, and a name of which it is known where the source has it leads there.

use shaderport::internals::diagnostic::Diagnostics;
use shaderport::internals::lex::{TokenKind, lex};
use shaderport::internals::source::FileId;
use shaderport::internals::source_map::{MapPlace, MapSource, Segment};
use shaderport::internals::target::Profile;
use shaderport::internals::target::reserved::Reserved;
use shaderport::{SourceMap, Target};
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
    sources: Vec<Source<'a>>,
    rows: Vec<&'a str>,
}

/// A source with its tokens, and where they are: lines and columns in units of UTF-16.
struct Source<'a> {
    rows: Vec<&'a str>,
    words: Vec<Word>,
    at: BTreeMap<(usize, usize), usize>,
}

impl<'a> Source<'a> {
    fn of(text: &'a str) -> Source<'a> {
        let (rows, words): (Vec<&str>, Vec<Word>) = (text.split('\n').collect(), words(text));
        let place = |word: &Word| (word.line, rows[word.line][..word.column].encode_utf16().count());
        let at = words.iter().enumerate().map(|(at, word)| (place(word), at)).collect();
        Source { rows, words, at }
    }
}

/// The words of the languages of texts.
fn reserved() -> Vec<&'static Reserved> {
    let profiles = [Target::Hlsl, Target::Glsl, Target::Wgsl].map(Profile::default_of);
    profiles.into_iter().flatten().map(Reserved::of).collect()
}

/// Whether a name is a word of a language: printers write those that no source has.
fn is_word(reserved: &[&Reserved], name: &str) -> bool {
    reserved.iter().any(|words| words.is_builtin(name) || words.respell(name) != name)
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
        let of_source = |source: &'a MapSource| Source::of(source.text.as_deref().unwrap_or_default());
        let sources = map.sources().iter().map(of_source).collect();
        Mapped { text, map, words: words(text), sources, rows: text.split('\n').collect() }
    }

    pub fn segment(&self, word: &Word) -> Option<&'a Segment> {
        let before = &self.rows[word.line][..word.column];
        self.map.segment(word.line, before.encode_utf16().count())
    }

    /// The token of a source at a place.
    fn at(&self, place: MapPlace) -> Option<&Word> {
        let source = self.sources.get(place.source as usize)?;
        source.words.get(*source.at.get(&(place.line as usize, place.column as usize))?)
    }

    /// Whether a place is in its source.
    fn is_there(&self, place: MapPlace) -> bool {
        let row = self.sources.get(place.source as usize).and_then(|source| source.rows.get(place.line as usize));
        row.is_some_and(|row| place.column as usize <= row.encode_utf16().count())
    }

    /// What is wrong.
    pub fn wrong(&self) -> Wrong {
        let (mut wrong, reserved) = (Wrong::default(), reserved());
        let declared: std::collections::BTreeSet<&str> = self
            .sources
            .iter()
            .flat_map(|source| &source.words)
            .filter(|word| word.is_name)
            .map(|word| word.text.as_str())
            .collect();
        for word in &self.words {
            wrong.tokens += 1;
            let shown = || {
                format!("{}:{} `{}` in `{}`", word.line + 1, word.column + 1, word.text, self.rows[word.line].trim())
            };
            let Some(segment) = self.segment(word).filter(|segment| self.is_there(segment.place)) else {
                wrong.unmapped.push(shown());
                continue;
            };
            let is_declared = word.is_name && word.text.len() > 2 && declared.contains(word.text.as_str());
            if !is_declared || is_word(&reserved, &word.text) {
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

    /// Names that no source has.
    pub fn made(&self) -> Vec<String> {
        let all = self.sources.iter().flat_map(|source| &source.words);
        let declared: std::collections::BTreeSet<&str> = all.map(|word| word.text.as_str()).collect();
        let names = self.words.iter().filter(|word| word.is_name && !declared.contains(word.text.as_str()));
        names.map(|word| word.text.clone()).collect()
    }

    /// Names of which it is known where the sources have them: on one line and nowhere else, as often as in the text. Words of the
    /// languages are none: passes write them, too.
    pub fn known(&self) -> Vec<Known> {
        let mut lines: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
        for (source, of) in self.sources.iter().enumerate() {
            // What the library does is told of the call.
            if self.map.sources().get(source).is_some_and(|source| source.name.starts_with("shaderport:stdlib/")) {
                continue;
            }
            for word in of.words.iter().filter(|word| word.is_name && word.text.len() > 2) {
                lines.entry(&word.text).or_default().push((source, word.line));
            }
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        self.words.iter().for_each(|word| *counts.entry(&word.text).or_default() += 1);
        let reserved = reserved();
        let is_word = |name: &str| is_word(&reserved, name);
        let known = self.words.iter().enumerate().filter(|(_, word)| word.is_name).filter_map(|(at, word)| {
            let places = lines.get(word.text.as_str())?;
            let (source, line) = *places.first()?;
            let is_one = places.iter().all(|place| *place == (source, line));
            let is_known = is_one && counts.get(word.text.as_str()) == Some(&places.len()) && !is_word(&word.text);
            is_known.then_some(Known { word: at, source, line })
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
