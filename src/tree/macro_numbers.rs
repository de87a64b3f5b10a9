//! Numbers of declarations that the source has macros for: the sizes of `float4 lights[COUNT]`, the arguments of
//! `[numthreads(TILE, TILE, 1)]`.
//!
//! Types and attributes hold the numbers alone, so that what is equal is equal however it is spelled.

use super::body::ExprTree;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// A number and how the source has it.
#[derive(Clone, Debug)]
pub struct MacroNumber {
    /// What it is.
    pub value: i64,
    /// The expression, some of which macros stand for.
    pub tree: ExprTree,
}

/// Those of a program by the names of what is declared and of attributes: `None` for what no macro is in.
pub type MacroNumbers = FxHashMap<Span, Vec<Option<MacroNumber>>>;
