//! Hashes of tokens: of the body of each function, and of a file without its bodies. Variants of a program differ in few bodies, and
//! what is known of a body of one holds in another that has the same tokens there and around.

use super::Parser;
use crate::lex::Token;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;

impl Parser<'_> {
    /// Notes that the tokens from an index up to the next one are a body. Gives their hash.
    pub(super) fn note_body(&mut self, start: usize) -> u64 {
        let body = start..self.pos;
        let hash = hash_of([self.tokens.get(body.clone()).unwrap_or_default()]);
        self.bodies.push(body);
        hash
    }

    /// The hash of all tokens that are in no body.
    pub(super) fn outside_of_bodies(&mut self) -> u64 {
        let mut bodies = std::mem::take(&mut self.bodies);
        bodies.sort_by_key(|body| body.start);
        let mut at = 0;
        let mut parts: Vec<&[Token]> = Vec::with_capacity(bodies.len() + 1);
        let all = self.tokens.len();
        for Range { start, end } in bodies.into_iter().chain(std::iter::once(all..all)) {
            // A function in the body of another one is a part of that.
            if start >= at {
                parts.push(self.tokens.get(at..start).unwrap_or_default());
                at = end;
            }
        }
        hash_of(parts)
    }
}

/// The hash of tokens in several parts: not of where they stand, nor of comments.
fn hash_of<'t>(parts: impl IntoIterator<Item = &'t [Token]>) -> u64 {
    let mut hasher = FxHasher::default();
    for part in parts {
        part.len().hash(&mut hasher);
        part.iter().for_each(|token| (token.kind, token.text, token.joined).hash(&mut hasher));
    }
    hasher.finish()
}
