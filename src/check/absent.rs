//! What the library of Slang declares and this one does not: it is named for what it is, since it is no misspelling.

use super::Checker;
use crate::source::Span;
use crate::symbol::Symbol;

/// (how names begin, what they belong to).
const ABSENT: &[(&str, &str)] = &[
    ("CoopVec", "cooperative vectors"),
    ("coopVec", "cooperative vectors"),
    ("CoopMat", "cooperative matrices"),
    ("linalg", "cooperative matrices and vectors"),
    ("IDifferentiable", "automatic differentiation"),
    ("IForwardDifferentiable", "automatic differentiation"),
    ("IBackwardDifferentiable", "automatic differentiation"),
    ("Differential", "automatic differentiation"),
    ("dzero", "automatic differentiation"),
    ("TextureFootprint", "the footprint of a sample"),
    ("queryFootprint", "the footprint of a sample"),
    ("saturated_cooperation", "cooperation of full waves"),
    ("loadCoherent", "an access to memory that other invocations see"),
    ("storeCoherent", "an access to memory that other invocations see"),
];

impl Checker<'_> {
    /// Reports a name that is not declared if the library of Slang has it; whether it has.
    pub(super) fn absent(&mut self, name: Symbol, span: Span) -> bool {
        let found = ABSENT.iter().find(|(begin, _)| name.as_str().starts_with(begin));
        let Some((_, what)) = found else { return false };
        self.unsupported(span, &format!("`{name}` ({what})"));
        true
    }
}
