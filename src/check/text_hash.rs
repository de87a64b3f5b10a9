//! The numbers that Slang's programs tell texts by.
//!
//! Before: `static const int id = getStringHash("lamp");`
//! After:  `static const int id = -1139...;`
//!
//! The hash of a text that is written is a number at once, so that constants, sizes and `case` labels may have it. Texts that
//! are passed on are known when functions are made for them (the pass `constant_parameters`).

use super::Checker;
use crate::tree::{ExprId, ExprKind, FunctionId, Literal};

/// The attribute of the builtin that gives the hash of a text.
pub const HASH: &str = "__text_hash";

/// The hash of a text: its bytes are signed.
pub fn hash(text: &str) -> i64 {
    let step = |hash: u32, byte: &u8| {
        let more = hash.wrapping_shl(6).wrapping_add(hash.wrapping_shl(16)).wrapping_sub(hash);
        (i32::from(*byte as i8) as u32).wrapping_add(more)
    };
    i64::from(text.as_bytes().iter().fold(0, step) as i32)
}

impl Checker<'_> {
    /// What a call gives if it asks for the hash of a text that is written.
    pub(super) fn written_hash(&self, function: FunctionId, args: &[ExprId]) -> Option<ExprKind> {
        let [text] = args else { return None };
        let ExprKind::Literal(Literal::Text(text), _) = self.kind(*text) else { return None };
        let is_hash = self.program.functions[function].is_marked(HASH);
        is_hash.then(|| ExprKind::Literal(Literal::Int(hash(text.as_str())), None))
    }
}
