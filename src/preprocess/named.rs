//! Which tokens are all of what a macro without parameters stands for: `4` of `#define LIGHTS 4`.
//!
//! An expression of these tokens can be written by the macro's name.

use crate::lex::{NamedTokens, Token};
use crate::source::{FileId, Sources, Span};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The tokens of one expansion, which are there several times where it is an argument of a macro.
struct Run {
    first: usize,
    last: usize,
    span: Span,
    /// How many tokens the copies before have.
    length: Option<usize>,
    /// Others are between them: arguments of a macro that the expansion ends with.
    is_broken: bool,
}

/// By the first token. Where two macros stand for the same tokens, the one that the source names is meant.
pub(super) fn named(tokens: &[Token], sources: &Sources) -> FxHashMap<Span, Vec<NamedTokens>> {
    // An expansion comes before those in it.
    let mut runs: BTreeMap<FileId, Run> = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate() {
        let mut span = token.span;
        while let Some(expansion) = sources.expansion(span.file).filter(|_| !span.file.is_library()) {
            if expansion.is_object {
                let new = || Run { first: at, last: at, span, length: None, is_broken: false };
                let begins = |run: &Run| tokens.get(run.first).is_some_and(|first| first.span == token.span);
                runs.entry(span.file).and_modify(|run| run.add(at, span, begins(run))).or_insert_with(new);
            }
            span = expansion.call_site;
        }
    }
    let mut named: FxHashMap<Span, Vec<NamedTokens>> = FxHashMap::default();
    for (file, mut run) in runs {
        run.end();
        let (Some(first), Some(last), false) = (tokens.get(run.first), tokens.get(run.last), run.is_broken) else {
            continue;
        };
        let known = named.entry(first.span).or_default();
        if known.iter().all(|known| known.last != last.span) {
            known.push(NamedTokens { last: last.span, span: Span { file: file.named(), ..run.span } });
        }
    }
    named
}

impl Run {
    /// Adds a token; `begins`: it is the first of a further copy.
    fn add(&mut self, at: usize, span: Span, begins: bool) {
        if begins {
            self.end();
            (self.first, self.last, self.span) = (at, at, span);
            return;
        }
        self.is_broken |= at > self.last + 1;
        self.last = at;
        self.span = self.span.to(span);
    }

    /// A copy ends. All are of one length.
    fn end(&mut self) {
        let length = self.last + 1 - self.first;
        self.is_broken |= self.length.is_some_and(|known| known != length);
        self.length = Some(length);
    }
}
