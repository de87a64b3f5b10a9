//! Hashes of tokens: of the body of each function, and of a file without its bodies. Variants of a program differ in few bodies, and
//! what is known of a body of one holds in another that has the same tokens there and around. What else the tokens of bodies tell.

use super::Parser;
use crate::ast::TokenHash;
use crate::lex::{Token, TokenKind};
use crate::symbol::Symbol;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;

impl Parser<'_> {
    /// Notes that the tokens from an index up to the next one are a body. Gives their hash.
    pub(super) fn note_body(&mut self, start: usize) -> TokenHash {
        let body = start..self.pos;
        let hash = self.hash_of([self.tokens.get(body.clone()).unwrap_or_default()]);
        self.bodies.push(body);
        hash
    }

    /// The names before parentheses among the tokens from an index up to the next one.
    pub(super) fn calls_from(&self, start: usize) -> Vec<Symbol> {
        let body = self.tokens.get(start..self.pos).unwrap_or_default();
        let called = body.windows(2).filter_map(|pair| match pair {
            [name, open] if name.kind == TokenKind::Ident && open.text == *"(" => Some(name.text),
            _ => None,
        });
        let mut calls = Vec::new();
        for name in called {
            if !calls.contains(&name) {
                calls.push(name);
            }
        }
        calls
    }

    /// The hash of all tokens that are in no body.
    pub(super) fn outside_of_bodies(&mut self) -> TokenHash {
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
        let TokenHash { tokens, places } = self.hash_of(parts);
        TokenHash { tokens, places: self.hash_of_names(places) }
    }

    /// A hash with what tells how all code is read, in whatever body it stands: the names of types and the like, and the order of
    /// matrices.
    fn hash_of_names(&self, places: u64) -> u64 {
        let mut hasher = FxHasher::default();
        places.hash(&mut hasher);
        for names in [&self.types, &self.generics, &self.variables, &self.type_functions] {
            let hash = |name: &Symbol| {
                let mut one = FxHasher::default();
                name.hash(&mut one);
                one.finish()
            };
            #[expect(clippy::disallowed_methods, reason = "a sum has no order")]
            let sum = names.iter().map(hash).fold(0, u64::wrapping_add);
            sum.hash(&mut hasher);
        }
        for (at, row_major) in self.pack_matrix {
            (self.token_at(*at as usize).span, row_major).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The hash of tokens in several parts.
    fn hash_of<'t>(&self, parts: impl IntoIterator<Item = &'t [Token]>) -> TokenHash {
        let (mut tokens, mut places) = (FxHasher::default(), FxHasher::default());
        for part in parts {
            part.len().hash(&mut tokens);
            for token in part {
                (token.kind, token.text, token.joined).hash(&mut tokens);
                let Token { span, line_start, space_before, blank_before, comments, .. } = token;
                (span, line_start, space_before, blank_before, comments.count).hash(&mut places);
                let comments = self.comments.iter().skip(comments.start as usize).take(comments.count as usize);
                comments.for_each(|c| (c.text, c.span, c.trailing, c.blank_before, c.blank_after).hash(&mut places));
            }
        }
        let tokens = tokens.finish();
        tokens.hash(&mut places);
        TokenHash { tokens, places: places.finish() }
    }
}
