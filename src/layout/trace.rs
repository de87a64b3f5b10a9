//! What was placed, in the order in which it was: enough to tell afterwards why everything is where it is.

pub use super::lock::Owner;
use super::{UNBOUNDED, Unit};
use crate::source::Span;
use crate::symbol::Symbol;

/// How a range came to be where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// The source asks for it (phase 3).
    Explicit,
    /// An option gives it.
    Option,
    /// The API keeps it for something else.
    Api,
    /// A lock has it on record.
    Recorded,
    /// A lock keeps it for what is gone.
    Kept,
    /// The first that was free (phase 4).
    FirstFit,
    /// The first that was free after all that a lock records.
    AfterRecorded,
    /// All of the space above what was placed before.
    Rest,
}

/// A range that was given away.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// To what.
    pub owner: Owner,
    /// Its name.
    pub name: Symbol,
    /// In which unit.
    pub unit: Unit,
    /// The numbers that these are among: slots of several units may be one list of bindings.
    pub numbers: Unit,
    /// In which register space, descriptor set or bind group.
    pub space: u64,
    /// The first.
    pub start: u64,
    /// One past the last; `u64::MAX` without bound.
    pub end: u64,
    /// The place in the source that asks for it, or the declaration.
    pub span: Span,
    /// Why there.
    pub how: How,
}

impl Placement {
    /// How many; may be without bound.
    pub fn count(&self) -> u64 {
        if self.end == UNBOUNDED { UNBOUNDED } else { self.end.saturating_sub(self.start) }
    }
}
