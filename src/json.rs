//! JSON files of ours that come back: sidecars and binding locks. Reading one tells where it is wrong, and [`find`] gives
//! the place of a member for messages about it.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::{FileId, Span};
use serde::de::{DeserializeOwned, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeSet;
use std::ops::Range;

/// Deeper nesting than any file of ours has; serde_json stops there too.
const MAX_DEPTH: u32 = 128;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Bytes of the text.
    pub place: Range<usize>,
    /// In words.
    pub message: String,
    /// What would be right.
    pub note: String,
}

impl Fault {
    /// As a diagnostic about a file.
    pub fn diagnostic(self, file: FileId) -> Diagnostic {
        Diagnostic::error(Code::BAD_RECORD, span(file, &self.place), self.message).note(self.note)
    }
}

/// A place of a text as a place of the file that holds it.
pub fn span(file: FileId, place: &Range<usize>) -> Span {
    let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Span { file, start: small(place.start), end: small(place.end) }
}

/// Reads a text whose member `schema` must be `version`.
pub fn read<T: DeserializeOwned>(text: &str, version: &str) -> Result<T, Fault> {
    let unread = |e: serde_json::Error| match e.is_data() {
        true => fault(text, &e, "it has two values", "remove one of the two"),
        false => fault(text, &e, "it is not JSON", "nothing but JSON is read here"),
    };
    let once: Once = serde_json::from_str(text).map_err(unread)?;
    let schema = match &once {
        Once::Object { schema } => schema.as_deref(),
        _ => None,
    };
    match schema {
        Some(found) if found == version => {}
        Some(found) => {
            let place = find(text, &["schema"]).unwrap_or(0..0);
            let message = format!("its schema is `{found}`");
            return Err(Fault { place, message, note: format!("this shaderport reads `{version}`") });
        }
        None => {
            let note = format!("it would have a member \"schema\": \"{version}\"");
            return Err(Fault { place: first_character(text), message: "it does not name its schema".into(), note });
        }
    }
    serde_json::from_str(text).map_err(|e| fault(text, &e, "it does not follow its schema", version))
}

/// A value in which no object has two members of one name: of those, readers would take one without a word.
enum Once {
    /// With the text of its member `schema`.
    Object {
        schema: Option<String>,
    },
    Text(String),
    Other,
}

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Once, D::Error> {
        deserializer.deserialize_any(OnceVisitor)
    }
}

struct OnceVisitor;

impl<'de> Visitor<'de> for OnceVisitor {
    type Value = Once;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Once, A::Error> {
        let (mut names, mut schema) = (BTreeSet::new(), None);
        while let Some(name) = map.next_key::<String>()? {
            match map.next_value()? {
                Once::Text(text) if name == "schema" => schema = Some(text),
                _ => {}
            }
            if names.contains(&name) {
                return Err(serde::de::Error::custom(format!("an object has two members named `{name}`")));
            }
            names.insert(name);
        }
        Ok(Once::Object { schema })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Once, A::Error> {
        while list.next_element::<Once>()?.is_some() {}
        Ok(Once::Other)
    }

    fn visit_str<E>(self, text: &str) -> Result<Once, E> {
        Ok(Once::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Once, E> {
        Ok(Once::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Once, E> {
        Ok(Once::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Once, E> {
        Ok(Once::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Once, E> {
        Ok(Once::Other)
    }

    fn visit_unit<E>(self) -> Result<Once, E> {
        Ok(Once::Other)
    }
}

/// Reads a text of another tool: `what` it should be. It names no schema of ours.
pub fn read_plain<'t, T: Deserialize<'t>>(text: &'t str, what: &str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|e| {
        let message = if e.is_data() { format!("it is not {what}") } else { "it is not JSON".to_owned() };
        fault(text, &e, &message, &format!("{what} is read here"))
    })
}

fn first_character(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    start..(start + 1).min(text.len())
}

fn fault(text: &str, error: &serde_json::Error, what: &str, note: &str) -> Fault {
    let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut at = (line_start + error.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let end = text.get(at..).and_then(|t| t.chars().next()).map_or(at, |c| at + c.len_utf8());
    // The diagnostic shows the position, in our own way.
    let reason = error.to_string();
    let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(r, _)| r);
    Fault { place: at..end, message: format!("{what}: {reason}"), note: note.to_owned() }
}

/// The place of the name of the member that a path of names leads to, in a valid text.
pub fn find(text: &str, path: &[&str]) -> Option<Range<usize>> {
    let mut scan = Scan { text, at: 0 };
    let mut found = None;
    for name in path {
        found = Some(scan.enter(name)?);
    }
    found
}

/// A walk over a valid text.
struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl Scan<'_> {
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.get(self.at..)?;
        self.at += rest.len() - rest.trim_start().len();
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, wanted: u8) -> Option<()> {
        (self.peek()? == wanted).then(|| self.at += 1)
    }

    /// A string with its quotes.
    fn string(&mut self) -> Option<Range<usize>> {
        self.peek()?;
        let start = self.at;
        self.eat(b'"')?;
        loop {
            match *self.text.as_bytes().get(self.at)? {
                b'\\' => self.at += 2,
                b'"' => break,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(start..self.at)
    }

    /// Goes to the value of a member of the object that begins here; gives the place of its name.
    fn enter(&mut self, name: &str) -> Option<Range<usize>> {
        self.eat(b'{')?;
        loop {
            let key = self.string()?;
            self.eat(b':')?;
            if serde_json::from_str::<String>(self.text.get(key.clone())?).is_ok_and(|k| k == name) {
                return Some(key);
            }
            self.skip(0)?;
            self.eat(b',')?;
        }
    }

    fn skip(&mut self, depth: u32) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.peek()? {
            b'"' => self.string().map(|_| ()),
            open @ (b'{' | b'[') => {
                let close = if open == b'{' { b'}' } else { b']' };
                self.at += 1;
                while self.peek()? != close {
                    match self.peek()? {
                        b',' | b':' => self.at += 1,
                        _ => self.skip(depth + 1)?,
                    }
                }
                self.eat(close)
            }
            _ => {
                let rest = self.text.get(self.at..)?;
                let length = rest.find([',', '}', ']']).unwrap_or(rest.len());
                self.at += length.max(1);
                Some(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found() {
        let text = "{ \"a\\\"\": [1, {\"b\": 2}, \"}\"],\n \"b\": { \"c\": null, \"d\": {} } }";
        let at = |path: &[&str]| find(text, path).and_then(|r| text.get(r));
        assert_eq!(at(&["b"]), Some("\"b\""));
        assert_eq!(at(&["b", "d"]), Some("\"d\""));
        assert_eq!(at(&["a\""]), Some("\"a\\\"\""));
        assert_eq!(at(&["c"]), None);
        assert_eq!(at(&["a\"", "b"]), None);
        for cut in 0..text.len() {
            find(text.get(..cut).unwrap_or(""), &["b", "d"]);
        }
    }

    #[test]
    fn faults_have_places() {
        let read = |text: &str| read::<serde_json::Value>(text, "x/1").map_err(|f| (f.place, f.message));
        assert!(read("{\"schema\": \"x/1\"}").is_ok());
        assert_eq!(read("{\n  \"schema\": \"x/2\"}").map_err(|e| e.0), Err(4..12));
        assert_eq!(read("  []").map_err(|e| e.0), Err(2..3));
        assert_eq!(read("{\n  nonsense").map_err(|e| e.0), Err(4..5));
        assert!(read("").is_err());
        assert!(read("é").is_err());
    }
}
