//! Rows of a layout as lines of text: where a peer, or we, put each leaf of a program's parameters. Also a module of xtask.
//!
//! ```text
//! t gPairs.b = 8, space 0, count 8, [8 by 1]           a register, binding, location, id: the first; all; arrays around
//! in main::v.n = 1, NORMAL0                             a stage input with its semantic
//! uniform C.p = byte 16, 12 bytes of b0 in space 0      plain data in its buffer
//! bytes C = 28 of b0 in space 0                         the buffer itself
//! bytes sb[] = 16 of t0 in space 0                      an element of a structured buffer
//! ```

use std::fmt::{Display, Formatter, Result};
use std::str::FromStr;

/// A leaf in one unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// `b` `t` `u` `s` registers, `slot`, `space`, `push`, `attachment`, `specconst`, `in`, `out`, `system`, `uniform`, `bytes`.
    pub kind: String,
    /// Path in the source; `main::p` of an entry point's parameter, `sb[].p` in the element of a structured buffer.
    pub path: String,
    /// The first register, binding, location or id; `None` if the peer gives none.
    pub index: Option<u64>,
    pub space: u64,
    /// How many, if not 1.
    pub count: Option<String>,
    /// Elements of the arrays around, the outermost first, with the distance of neighbours.
    pub arrays: Vec<(String, String)>,
    /// Upper case with its index.
    pub semantic: Option<String>,
    /// Of bytes: the offset; of a buffer none.
    pub offset: Option<u64>,
    /// Of bytes.
    pub size: Option<String>,
    /// Of bytes: kind, index and space of the buffer.
    pub buffer: Option<(String, u64, u64)>,
}

impl Row {
    /// What DXC's listing has of it: registers with all their elements, the bytes of buffers and where data lies in them.
    pub fn into_dxc_listing(mut self) -> Option<Row> {
        self.arrays.clear();
        match self.kind.as_str() {
            "b" | "t" | "u" | "s" | "bytes" => Some(self),
            "uniform" => Some(Row { size: None, ..self }),
            _ => None,
        }
    }
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, "{} {} =", self.kind, self.path)?;
        match (self.kind.as_str(), self.offset, &self.size) {
            (_, Some(offset), None) => write!(f, " byte {offset}")?,
            (_, Some(offset), Some(size)) => write!(f, " byte {offset}, {size} bytes")?,
            ("bytes", None, Some(size)) => write!(f, " {size}")?,
            _ => self.slot(f)?,
        }
        if let Some((kind, index, space)) = &self.buffer {
            write!(f, " of {kind}{index} in space {space}")?;
        }
        let arrays: Vec<String> = self.arrays.iter().map(|(count, stride)| format!("{count} by {stride}")).collect();
        match arrays.as_slice() {
            [] => Ok(()),
            arrays => write!(f, " [{}]", arrays.join(", ")),
        }
    }
}

impl Row {
    /// A register or the like.
    fn slot(&self, f: &mut Formatter) -> Result {
        // A space has a number, but it is in none; neither are locations and ids.
        let spaced = matches!(self.kind.as_str(), "b" | "t" | "u" | "s" | "slot");
        let words = [
            (self.kind != "system").then(|| self.index.map_or("nowhere".to_owned(), |n| n.to_string())),
            spaced.then(|| format!("space {}", self.space)),
            self.count.as_ref().map(|n| format!("count {n}")),
            self.semantic.clone(),
        ];
        write!(f, " {}", words.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

impl FromStr for Row {
    type Err = String;

    fn from_str(line: &str) -> std::result::Result<Row, String> {
        let fault = || format!("`{line}` is no row");
        let (head, body) = line.split_once(" =").ok_or_else(fault)?;
        let (kind, path) = head.split_once(' ').ok_or_else(fault)?;
        let mut row = Row { kind: kind.to_owned(), path: path.to_owned(), ..Row::default() };
        let (body, arrays) = body.split_once(" [").unwrap_or((body, ""));
        for array in arrays.trim_end_matches(']').split(", ").filter(|a| !a.is_empty()) {
            let (count, stride) = array.split_once(" by ").ok_or_else(fault)?;
            row.arrays.push((count.to_owned(), stride.to_owned()));
        }
        let (body, buffer) = body.split_once(" of ").map_or((body, None), |(body, buffer)| (body, Some(buffer)));
        if let Some(buffer) = buffer {
            let (slot, space) = buffer.split_once(" in space ").ok_or_else(fault)?;
            let digits = slot.find(|c: char| c.is_ascii_digit()).ok_or_else(fault)?;
            let number = |text: &str| text.parse().map_err(|_| fault());
            row.buffer = Some((slot[..digits].to_owned(), number(&slot[digits..])?, number(space)?));
        }
        for word in body.split(", ").map(str::trim).filter(|w| !w.is_empty() && *w != "nowhere") {
            row.word(word);
        }
        Ok(row)
    }
}

impl Row {
    /// One of the words of [`Row::slot`], or of bytes.
    fn word(&mut self, word: &str) {
        let number = |text: &str| text.parse().ok();
        match word.split_once(' ') {
            Some(("space", n)) => self.space = number(n).unwrap_or(0),
            Some(("count", n)) => self.count = Some(n.to_owned()),
            Some(("byte", n)) => self.offset = number(n),
            Some((n, "bytes")) => self.size = Some(n.to_owned()),
            _ if self.kind == "bytes" => self.size = Some(word.to_owned()),
            _ if self.kind != "system" && self.index.is_none() => self.index = number(word),
            _ => self.semantic = Some(word.to_owned()),
        }
    }
}
