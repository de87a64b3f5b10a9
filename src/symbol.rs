//! Interned names. A [`Symbol`] is four bytes, compares in one instruction, and lives as long as the process.
//!
//! The interner only grows; it holds each distinct spelling of the inputs once. The numeric value of a symbol
//! depends on the order in which threads met the names, so it must never decide anything that reaches output:
//! order by [`Symbol::as_str`].

use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{OnceLock, RwLock};

/// An interned string.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(u32);

#[derive(Default)]
struct Interner {
    ids: FxHashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

fn interner() -> &'static RwLock<Interner> {
    static INTERNER: OnceLock<RwLock<Interner>> = OnceLock::new();
    INTERNER.get_or_init(RwLock::default)
}

impl Symbol {
    /// The symbol of `text`.
    pub fn new(text: &str) -> Symbol {
        let read = interner().read().unwrap_or_else(|e| e.into_inner());
        if let Some(&id) = read.ids.get(text) {
            return Symbol(id);
        }
        drop(read);
        let mut write = interner().write().unwrap_or_else(|e| e.into_inner());
        if let Some(&id) = write.ids.get(text) {
            return Symbol(id);
        }
        let id = write.texts.len() as u32;
        let leaked: &'static str = Box::leak(text.to_owned().into_boxed_str());
        write.texts.push(leaked);
        write.ids.insert(leaked, id);
        Symbol(id)
    }

    /// The text that was interned.
    pub fn as_str(self) -> &'static str {
        let read = interner().read().unwrap_or_else(|e| e.into_inner());
        read.texts.get(self.0 as usize).copied().unwrap_or("")
    }

    /// Whether this is the empty name (of an anonymous declaration).
    pub fn is_empty(self) -> bool {
        self.as_str().is_empty()
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.as_str())
    }
}

impl From<&str> for Symbol {
    fn from(text: &str) -> Symbol {
        Symbol::new(text)
    }
}

impl PartialEq<str> for Symbol {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Symbol {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

/// Levenshtein distance, cut off for long or very different names.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > 3 || a.len() > 64 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (j, y) in b.iter().enumerate() {
            let up = row.get(j + 1).copied().unwrap_or(0);
            let value = (diagonal + usize::from(x != y)).min(up + 1).min(left + 1);
            if let Some(slot) = row.get_mut(j) {
                *slot = left;
            }
            diagonal = up;
            left = value;
        }
        if let Some(slot) = row.last_mut() {
            *slot = left;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}
