//! Source maps (ECMA-426, revision 3) of emitted texts: which token comes from where.
//!
//! | file | what |
//! | --- | --- |
//! | `align` | which token of a declaration or expression is which token of the source |
//! | `make` | the map of a text from the pieces that the printers tell |
//! | `parts` | what is in each piece |
//! | `joined` | the map of a text whose lines come from several texts |
//! | `json` | maps as they are written and read |
//! | `lines` | texts and maps with `#line` |
//! | `trace` | where a place of a text comes from |
//! | `vlq` | numbers in base 64 |

mod align;
mod joined;
mod json;
mod lines;
mod make;
mod parts;
mod trace;
mod vlq;

#[cfg(feature = "cli")]
pub use joined::MappedLine;
pub use json::{MapForm, SourceMapUse, data_of_url, file_of_url};
pub use make::source_map;
#[cfg(feature = "cli")]
pub use trace::first_token;
pub use trace::{Origin, Texts};

use std::sync::Arc;

/// A place of a source: all are counted from 0, columns in units of UTF-16.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct MapPlace {
    /// Which source of the map.
    pub source: u32,
    /// Its line.
    pub line: u32,
    /// The column in it.
    pub column: u32,
}

/// A source of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapSource {
    /// Its name, as in sidecars.
    pub name: String,
    /// What is in it, where that is known.
    pub text: Option<Arc<str>>,
    /// The `#include` that first brought it in.
    pub included_from: Option<MapPlace>,
}

/// A token of a text, and all behind it up to the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Where it begins in its line, from 0 in units of UTF-16.
    pub column: u32,
    /// Where it comes from, as a user has written it: if it comes out of a macro, where the macro is used.
    pub place: MapPlace,
    /// The index of what the source calls it, if that is another name.
    pub name: Option<u32>,
    /// The macro that it comes out of, and where that spells it.
    pub spelled: Option<(u32, MapPlace)>,
    /// The index of the pass that made it, where that is known: it is no token of the source.
    pub pass: Option<u32>,
}

impl Segment {
    /// At the start of a line, of a place alone.
    fn at(place: MapPlace) -> Segment {
        Segment { column: 0, place, name: None, spelled: None, pass: None }
    }
}

/// A use of a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacroUse {
    /// The macro.
    pub name: String,
    /// Where it is defined.
    pub definition: MapPlace,
    /// Where it is used: in the definition of the macro around it, if there is one.
    pub call: MapPlace,
    /// The use of another macro that this one comes out of.
    pub within: Option<u32>,
}

/// Where the tokens of a text come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    pub(crate) sources: Vec<MapSource>,
    pub(crate) names: Vec<String>,
    /// By the lines of the text; in each, by columns.
    pub(crate) lines: Vec<Vec<Segment>>,
    pub(crate) macros: Vec<MacroUse>,
    pub(crate) passes: Vec<String>,
}

impl SourceMap {
    /// The sources, in the order of their numbers.
    pub fn sources(&self) -> &[MapSource] {
        &self.sources
    }

    /// The token that a place of the text, counted from 0 with columns in units of UTF-16, is in.
    pub fn segment(&self, line: usize, column: usize) -> Option<&Segment> {
        let segments = self.lines.get(line)?;
        let after = segments.partition_point(|segment| segment.column as usize <= column);
        segments.get(after.checked_sub(1)?)
    }

    /// The pass that made a token, where that is known.
    pub fn pass(&self, segment: &Segment) -> Option<&str> {
        segment.pass.and_then(|pass| self.passes.get(pass as usize)).map(String::as_str)
    }

    /// What the source calls a token, where that is another name.
    pub fn name(&self, segment: &Segment) -> Option<&str> {
        segment.name.and_then(|name| self.names.get(name as usize)).map(String::as_str)
    }
}
