//! Names that the source gives to types: `typedef float3 Color;`.
//!
//! A type is the same under all of its names, so types hold none of these. Where the source writes such a name is known by its place.

use super::types::TypeId;
use crate::source::{Remark, Span};
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A name for a type.
#[derive(Clone, Debug)]
pub struct Alias {
    /// The name.
    pub name: Symbol,
    /// Where it is in its declaration.
    pub definition: Span,
    /// What it stands for.
    pub ty: TypeId,
    /// Where the source names that, if it does so by a path.
    pub target: Option<Span>,
    /// The comments at the declaration.
    pub remarks: Arc<[Remark]>,
}

/// Those that files declare, by where the source writes them.
pub type Aliases = FxHashMap<Span, Arc<Alias>>;
