//! Maps as JSON (ECMA-426, "Source map format"). What the format has no place for, macros and includes, is a member of its own.

use super::make::LIBRARY;
use super::{MacroUse, MapPlace, MapSource, Segment, SourceMap, vlq};
use crate::json::{self, Fault};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What becomes of maps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SourceMapUse {
    /// Nothing.
    #[default]
    None,
    /// Each is a file beside its text, which names it.
    File,
    /// Each is in its text, as a comment.
    Inline,
}

impl SourceMapUse {
    /// (name in options, use).
    pub const TABLE: &[(&str, SourceMapUse)] =
        &[("none", SourceMapUse::None), ("file", SourceMapUse::File), ("inline", SourceMapUse::Inline)];
}

/// What is written of a map.
#[derive(Clone, Copy, Debug)]
pub struct MapForm<'a> {
    /// The name of the text, beside the map.
    pub file: &'a str,
    /// The way from the map to what the names of sources are relative to: empty, or it ends in `/`.
    pub way: &'a str,
    /// With what is in the sources.
    pub has_texts: bool,
}

/// The only version of the format.
const VERSION: u32 = 3;
/// The version of our own member.
const SCHEMA: &str = "shaderport-map/1";
/// What a text has in its last line before the name of its map, or the map.
const COMMENT: &str = "//# sourceMappingURL=";
/// What comes before a map that is in its text.
const DATA: &str = "data:application/json;base64,";

/// A map in a file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source_root: Option<String>,
    sources: Vec<Option<Cow<'a, str>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sources_content: Option<Vec<Option<Cow<'a, str>>>>,
    #[serde(default)]
    names: Vec<Cow<'a, str>>,
    mappings: String,
    #[serde(default, rename = "x_shaderport", skip_serializing_if = "Option::is_none")]
    own: Option<Own<'a>>,
}

/// A place: source, line and column.
type Triple = [u32; 3];

/// Our own member.
#[derive(Serialize, Deserialize)]
struct Own<'a> {
    schema: Cow<'a, str>,
    /// The `#include` that first brought in each source.
    included: Vec<Option<Triple>>,
    /// Uses of macros: name, definition, use, and the number of the use that it comes out of.
    macros: Vec<(Cow<'a, str>, Triple, Triple, Option<u32>)>,
    /// Tokens out of macros: line, column, the number of the use, and where they are spelled.
    spelled: Vec<(u32, u32, u32, Triple)>,
    /// Names of passes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    passes: Vec<Cow<'a, str>>,
    /// Tokens that passes made: line, column, and the number of the pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    made: Vec<(u32, u32, u32)>,
}

impl MapPlace {
    fn triple(self) -> Triple {
        [self.source, self.line, self.column]
    }

    fn of([source, line, column]: Triple) -> MapPlace {
        MapPlace { source, line, column }
    }
}

impl SourceMap {
    /// The map as a file.
    pub fn to_json(&self, form: &MapForm) -> String {
        let named = |source: &MapSource| Some(placed(&source.name, form.way).into());
        let spelled = self.lines.iter().zip(0..).flat_map(|(line, number)| {
            let of_macro = move |s: &Segment| s.spelled.map(|(of, place)| (number, s.column, of, place.triple()));
            line.iter().filter_map(of_macro)
        });
        let made = self.lines.iter().zip(0..).flat_map(|(line, number)| {
            line.iter().filter_map(move |segment| Some((number, segment.column, segment.pass?)))
        });
        let own = Own {
            schema: SCHEMA.into(),
            included: self.sources.iter().map(|source| source.included_from.map(MapPlace::triple)).collect(),
            macros: self
                .macros
                .iter()
                .map(|m| (Cow::from(m.name.as_str()), m.definition.triple(), m.call.triple(), m.within))
                .collect(),
            spelled: spelled.collect(),
            passes: self.passes.iter().map(|pass| pass.as_str().into()).collect(),
            made: made.collect(),
        };
        let written = Written {
            version: VERSION,
            file: Some(form.file.into()),
            source_root: None,
            sources: self.sources.iter().map(named).collect(),
            sources_content: form
                .has_texts
                .then(|| self.sources.iter().map(|source| source.text.as_deref().map(Cow::from)).collect()),
            names: self.names.iter().map(|name| name.as_str().into()).collect(),
            mappings: self.mappings(),
            own: Some(own),
        };
        serde_json::to_string(&written).map(|text| text + "\n").unwrap_or_default()
    }

    /// A map that was written with an empty way, with another one.
    pub fn moved(json: &str, way: &str) -> Option<String> {
        let mut written: Written = serde_json::from_str(json).ok()?;
        written.sources.iter_mut().flatten().for_each(|name| *name = placed(name, way).into());
        serde_json::to_string(&written).ok().map(|text| text + "\n")
    }

    /// The comment that names a map in a file.
    pub fn comment(file: &str) -> String {
        format!("{COMMENT}{}\n", url(file))
    }

    /// The comment that a map is.
    pub fn inline_comment(json: &str) -> String {
        format!("{COMMENT}{DATA}{}\n", vlq::base64(json.as_bytes()))
    }

    fn mappings(&self) -> String {
        let mut out = String::new();
        let (mut last, mut last_name) = (MapPlace::default(), 0);
        let step = |now: u32, before: u32, out: &mut String| vlq::push(i64::from(now) - i64::from(before), out);
        for (number, line) in self.lines.iter().enumerate() {
            if number > 0 {
                out.push(';');
            }
            let mut column = 0;
            for (at, segment) in line.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                step(segment.column, column, &mut out);
                step(segment.place.source, last.source, &mut out);
                step(segment.place.line, last.line, &mut out);
                step(segment.place.column, last.column, &mut out);
                if let Some(name) = segment.name {
                    step(name, last_name, &mut out);
                    last_name = name;
                }
                (column, last) = (segment.column, segment.place);
            }
        }
        out
    }

    /// Reads a map, of whatever tool. The names of its sources are as they stand, behind its root.
    pub fn read(text: &str) -> Result<SourceMap, Fault> {
        let written: Written = json::read_plain(text, "a source map of version 3 (ECMA-426)")?;
        let wrong = |member: &str, message: String| Fault {
            place: json::find(text, &[member]).unwrap_or(0..0),
            message,
            note: "a source map of version 3 (ECMA-426) is read here".to_owned(),
        };
        if written.version != VERSION {
            return Err(wrong("version", format!("its version is {}", written.version)));
        }
        let root = written.source_root.filter(|root| !root.is_empty());
        let root = root.map_or(String::new(), |root| root.trim_end_matches('/').to_owned() + "/");
        let mut contents = written.sources_content.unwrap_or_default().into_iter();
        let source = |name: Option<Cow<str>>| MapSource {
            name: name.map_or(String::new(), |name| format!("{root}{name}")),
            text: contents.next().flatten().map(|text| text.into()),
            included_from: None,
        };
        let sources = written.sources.into_iter().map(source).collect();
        let names = written.names.into_iter().map(Cow::into_owned).collect();
        let mut map = SourceMap { sources, names, ..SourceMap::default() };
        map.lines = map.lines_of(&written.mappings).map_err(|message| wrong("mappings", message))?;
        if let Some(own) = written.own.filter(|own| own.schema == SCHEMA) {
            map.add(own).ok_or_else(|| wrong("x_shaderport", "it names what is not there".to_owned()))?;
        }
        Ok(map)
    }

    fn lines_of(&self, mappings: &str) -> Result<Vec<Vec<Segment>>, String> {
        let (mut last, mut name) = ([0i64; 3], 0i64);
        let mut lines = Vec::new();
        for line in mappings.split(';') {
            let (mut column, mut segments) = (0i64, Vec::new());
            for text in line.split(',').filter(|text| !text.is_empty()) {
                let bad = || format!("`{text}` is no segment of mappings");
                let numbers = vlq::numbers(text).ok_or_else(bad)?;
                column += numbers.first().copied().ok_or_else(bad)?;
                // A segment of one number comes from nowhere.
                let [_, steps @ ..] = numbers.as_slice() else { return Err(bad()) };
                let (steps, named) = match steps {
                    [] => continue,
                    [source, line, column] => ([source, line, column], None),
                    [source, line, column, name] => ([source, line, column], Some(name)),
                    _ => return Err(bad()),
                };
                last.iter_mut().zip(steps).for_each(|(last, step)| *last += step);
                name += named.copied().unwrap_or(0);
                let number = |number: i64| u32::try_from(number).map_err(|_| bad());
                let [source, line, at] = last;
                let place = MapPlace { source: number(source)?, line: number(line)?, column: number(at)? };
                let name = named.map(|_| number(name)).transpose()?;
                let is_there = (place.source as usize) < self.sources.len();
                if !is_there || name.is_some_and(|name| name as usize >= self.names.len()) {
                    return Err(format!("`{text}` names a source or a name that is not there"));
                }
                segments.push(Segment { column: number(column)?, name, ..Segment::at(place) });
            }
            segments.sort_by_key(|segment: &Segment| segment.column);
            lines.push(segments);
        }
        Ok(lines)
    }

    /// Adds what our own member says.
    fn add(&mut self, own: Own) -> Option<()> {
        let count = self.sources.len();
        let place = |triple: Triple| Some(MapPlace::of(triple)).filter(|place| (place.source as usize) < count);
        let known = own.macros.len() as u32;
        for (number, (name, definition, call, within)) in own.macros.into_iter().enumerate() {
            // A use comes out of an earlier one.
            let is_earlier = within.is_none_or(|within| (within as usize) < number);
            let (definition, call) = (place(definition)?, place(call)?);
            self.macros.push(is_earlier.then(|| MacroUse { name: name.into_owned(), definition, call, within })?);
        }
        for (line, column, of, at) in own.spelled {
            let segments = self.lines.get_mut(line as usize)?;
            let at = (of < known).then_some((of, place(at)?))?;
            let found = segments.iter_mut().find(|segment| segment.column == column)?;
            found.spelled = Some(at);
        }
        self.passes = own.passes.into_iter().map(Cow::into_owned).collect();
        for (line, column, pass) in own.made {
            let found = self.lines.get_mut(line as usize)?.iter_mut().find(|segment| segment.column == column)?;
            found.pass = Some(Some(pass).filter(|pass| (*pass as usize) < self.passes.len())?);
        }
        for (source, from) in self.sources.iter_mut().zip(own.included) {
            source.included_from = from.and_then(&place);
        }
        Some(())
    }

    /// What a text says of its map: the URL in its last comment of this kind, and the text without it.
    pub fn url_in(text: &str) -> Option<&str> {
        let found = text.lines().rev().find_map(|line| line.strip_prefix(COMMENT))?;
        Some(found.trim_end())
    }
}

/// The name of a source from elsewhere. What is in no directory has a name of its own.
fn placed(name: &str, way: &str) -> String {
    let is_path = !name.starts_with(['/', '<']) && !name.starts_with(LIBRARY);
    format!("{}{name}", if is_path { way } else { "" })
}

/// The map in a URL of data; `None` if it is another URL.
pub fn data_of_url(url: &str) -> Option<Option<String>> {
    let data = url.strip_prefix("data:")?;
    let read = || String::from_utf8(vlq::unbase64(data.split_once(";base64,")?.1)?).ok();
    Some(read())
}

/// A name of a file as a URL.
fn url(file: &str) -> String {
    let mut url = String::new();
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => url.push(char::from(byte)),
            other => url.push_str(&format!("%{other:02X}")),
        }
    }
    url
}

/// The name of a file that a URL stands for.
pub fn file_of_url(url: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = url.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        let mut ahead = rest.clone();
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high << 4 | low) as u8);
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
