//! Which tokens are all of what a macro stands for: `4` of `#define LIGHTS 4`.
//!
//! An expression of these tokens can be written by the macro's name. Of macros with parameters it is known by the first and the last
//! token, if they are the macro's own; others may be of its arguments.

use crate::lex::{NamedTokens, Token};
use crate::source::{FileId, Sources, Span};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// An expansion that tokens are in.
struct Open {
    file: FileId,
    /// Its first token.
    first: usize,
    /// From there to the last one, as the definition has them.
    span: Span,
}

/// The tokens of one expansion, which are there several times where it is an argument of a macro.
struct Run {
    first: usize,
    length: usize,
    span: Span,
    /// Others are between them: arguments of a macro that the expansion ends with.
    is_broken: bool,
}

/// What is known of the tokens so far.
struct Runs<'a> {
    tokens: &'a [Token],
    sources: &'a Sources,
    /// The expansions that the token is in, the outermost first.
    open: Vec<Open>,
    /// Their places there.
    depths: FxHashMap<FileId, usize>,
    /// An expansion comes before those in it.
    ended: BTreeMap<FileId, Run>,
}

/// By the first token. Where two macros stand for the same tokens, the one that the source names is meant.
pub(super) fn named(tokens: &[Token], sources: &Sources) -> FxHashMap<Span, Vec<NamedTokens>> {
    let (open, depths, ended) = (Vec::new(), FxHashMap::default(), BTreeMap::new());
    let mut runs = Runs { tokens, sources, open, depths, ended };
    for (at, token) in tokens.iter().enumerate() {
        runs.add(at, token.span);
    }
    runs.close(0, tokens.len());
    let mut named: FxHashMap<Span, Vec<NamedTokens>> = FxHashMap::default();
    for (file, Run { first, length, span, .. }) in runs.ended.into_iter().filter(|(_, run)| !run.is_broken) {
        let (Some(first), Some(last)) = (tokens.get(first), tokens.get(first + length - 1)) else { continue };
        let known = named.entry(first.span).or_default();
        if known.iter().all(|known| known.last != last.span) {
            known.push(NamedTokens { last: last.span, span: Span { file: file.named(), ..span } });
        }
    }
    named
}

/// Adds uses of macros with parameters. Where a macro without them stands for the same tokens, that is meant.
pub(super) fn add_calls(calls: Vec<(Span, NamedTokens)>, named: &mut FxHashMap<Span, Vec<NamedTokens>>) {
    for (first, call) in calls {
        let known = named.entry(first).or_default();
        if known.iter().all(|known| known.last != call.last) {
            known.push(call);
        }
    }
}

impl Runs<'_> {
    /// Adds a token. Every expansion is opened and closed once for each time that it is there, however many tokens are in it.
    fn add(&mut self, at: usize, span: Span) {
        if self.open.is_empty() && !span.file.is_expansion() {
            return;
        }
        self.end_copy(at, span);
        let mut new: Vec<Span> = Vec::new();
        let mut span = span;
        let expansion = |span: Span| self.sources.expansion(span.file).filter(|_| !span.file.is_library());
        while !self.depths.contains_key(&span.file)
            && let Some(expansion) = expansion(span)
        {
            new.push(span);
            span = expansion.call_site;
        }
        let kept = self.depths.get(&span.file).map_or(0, |depth| depth + 1);
        self.close(kept, at);
        if let Some(inside) = self.open.last_mut() {
            inside.span = inside.span.to(span);
        }
        for span in new.into_iter().rev() {
            self.depths.insert(span.file, self.open.len());
            self.open.push(Open { file: span.file, first: at, span });
        }
    }

    /// What begins with this token, too, ends before it if another copy of it begins here.
    fn end_copy(&mut self, at: usize, span: Span) {
        let Some(depth) = self.depths.get(&span.file).copied() else { return };
        let Some(first) = self.open.get(depth).map(|open| open.first) else { return };
        if self.tokens.get(first).is_none_or(|token| token.span != span) {
            return;
        }
        let outer = self.open.iter().take(depth).rev().take_while(|open| open.first == first).count();
        self.close(depth - outer, at);
    }

    /// The expansions from a place on end before a token.
    fn close(&mut self, from: usize, before: usize) {
        for Open { file, first, span } in self.open.drain(from.min(self.open.len())..) {
            self.depths.remove(&file);
            if !self.sources.expansion(file).is_some_and(|expansion| expansion.is_object) {
                continue;
            }
            let length = before - first;
            let begin = |at: usize| self.tokens.get(at).map(|token| token.span);
            self.ended
                .entry(file)
                .and_modify(|run| run.is_broken |= run.length != length || begin(run.first) != begin(first))
                .or_insert(Run { first, length, span, is_broken: false });
        }
    }
}
