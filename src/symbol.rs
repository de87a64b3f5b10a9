//! Interned names. A [`Symbol`] is four bytes, compares in one instruction, and lives as long as the process.
//!
//! The interner only grows; it holds each distinct spelling of the inputs once. The numeric value of a symbol
//! depends on the order in which threads met the names, so it must never decide anything that reaches output:
//! order by [`Symbol::as_str`].

use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fmt;
use std::sync::{OnceLock, RwLock};

/// An interned string.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(u32);

/// Ids by text. Texts by id are in [`TEXTS`], which is read without a lock. The first id is that of the empty name.
fn ids() -> &'static RwLock<FxHashMap<&'static str, u32>> {
    static IDS: OnceLock<RwLock<FxHashMap<&'static str, u32>>> = OnceLock::new();
    IDS.get_or_init(|| RwLock::new(FxHashMap::from_iter([("", 0)])))
}

/// How many names a thread knows by itself.
const MOST_MET: usize = 1 << 14;

thread_local! {
    /// The names that this thread has met: they are asked for often, and threads wait for each other at a lock.
    static MET: RefCell<FxHashMap<&'static str, Symbol>> = RefCell::default();
}

/// Binary logarithm of the length of the first block of [`TEXTS`]; each block is twice as long as the one before.
const FIRST_BLOCK: u32 = 10;
type Block = Box<[OnceLock<&'static str>]>;
/// The texts in blocks that never move.
static TEXTS: [OnceLock<Block>; (u32::BITS - FIRST_BLOCK) as usize] =
    [const { OnceLock::new() }; (u32::BITS - FIRST_BLOCK) as usize];

/// The block of an id, and the place in it.
fn place(id: u32) -> (usize, usize) {
    let shifted = u64::from(id) + (1 << FIRST_BLOCK);
    let block = shifted.ilog2();
    ((block - FIRST_BLOCK) as usize, (shifted - (1 << block)) as usize)
}

/// Notes the text of a new id. Whoever calls holds the lock of [`ids`].
fn set_text(id: u32, text: &'static str) {
    let (block, at) = place(id);
    let Some(block_of_texts) = TEXTS.get(block) else { return };
    let length = 1usize << (block as u32 + FIRST_BLOCK);
    let texts = block_of_texts.get_or_init(|| (0..length).map(|_| OnceLock::new()).collect());
    if let Some(slot) = texts.get(at) {
        slot.get_or_init(|| text);
    }
}

impl Symbol {
    /// The empty name.
    const EMPTY: Symbol = Symbol(0);

    /// The symbol of `text`.
    pub fn new(text: &str) -> Symbol {
        if text.is_empty() {
            return Symbol::EMPTY;
        }
        MET.with_borrow_mut(|met| match met.get(text) {
            Some(known) => *known,
            None => {
                let symbol = Symbol::of_all(text);
                // Names of one file alone are not met again.
                if met.len() >= MOST_MET {
                    met.clear();
                }
                met.insert(symbol.as_str(), symbol);
                symbol
            }
        })
    }

    /// The symbol of a text that this thread has not met.
    fn of_all(text: &str) -> Symbol {
        let read = ids().read().unwrap_or_else(|e| e.into_inner());
        if let Some(&id) = read.get(text) {
            return Symbol(id);
        }
        drop(read);
        let mut write = ids().write().unwrap_or_else(|e| e.into_inner());
        if let Some(&id) = write.get(text) {
            return Symbol(id);
        }
        let id = write.len() as u32;
        let leaked: &'static str = Box::leak(text.to_owned().into_boxed_str());
        set_text(id, leaked);
        write.insert(leaked, id);
        Symbol(id)
    }

    /// The text that was interned.
    pub fn as_str(self) -> &'static str {
        let (block, at) = place(self.0);
        let text = TEXTS.get(block).and_then(OnceLock::get).and_then(|texts| texts.get(at)?.get());
        text.copied().unwrap_or("")
    }

    /// Whether this is the empty name (of an anonymous declaration).
    pub fn is_empty(self) -> bool {
        self == Symbol::EMPTY
    }
}

impl Default for Symbol {
    fn default() -> Symbol {
        Symbol::EMPTY
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

/// The name that resembles another one most, if any is near enough to be meant. Case counts only between equally near ones.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_ascii_lowercase();
    let ranked = known.into_iter().map(|k| (edit_distance(&lower, &k.to_ascii_lowercase()), edit_distance(name, k), k));
    // A name of which nothing is left is not meant.
    let near = ranked.filter(|(distance, _, k)| *distance <= 1 + name.len() / 5 && *distance < k.len().max(2)).min();
    near.map(|(.., k)| k)
}

/// The distance of optimal string alignment: how many characters are wrong, missing or too many, or have changed places with the
/// next one. It is cut off for long or very different names.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > 3 || a.len() > 64 {
        return usize::MAX;
    }
    let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX - 1);
    // The rows of the distances from the first two, one and no characters of `a`.
    let (mut two_before, mut before): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    let mut last = None;
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        let mut previous = None;
        for (j, y) in b.iter().enumerate() {
            let replaced = at(&before, j) + usize::from(x != y);
            let mut least = replaced.min(at(&before, j + 1) + 1).min(at(&row, j) + 1);
            if x != y && last == Some(y) && previous == Some(x) {
                least = least.min(at(&two_before, j.saturating_sub(1)) + 1);
            }
            row.push(least);
            previous = Some(y);
        }
        last = Some(x);
        two_before = std::mem::replace(&mut before, row);
    }
    before.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::{edit_distance, nearest};

    #[test]
    fn slips_of_the_hand_are_near() {
        let slips = [("lerp", "lerp", 0), ("lepr", "lerp", 1), ("SV_Positoin", "SV_Position", 1), ("clmp", "clamp", 1)];
        let others = [("", "mul", 3), ("ca", "abc", 3), ("normal", "norml", 1), ("saturate", "sturatee", 2)];
        for (a, b, distance) in slips.into_iter().chain(others) {
            assert_eq!((edit_distance(a, b), edit_distance(b, a)), (distance, distance), "{a} {b}");
        }
        assert_eq!(nearest("fsat", ["fast", "fit"]), Some("fast"));
        assert_eq!(nearest("f", ["quack"]), None);
    }
}
