//! HLSL: the words of C++ that tell what a name is which depends on a parameter of a template. What stands around the name tells
//! it here, so they are left out.
//!
//! `typename F<T>::Type x;` is `F<T>::Type x;`, and `x.template f<int>()` is `x.f<int>()`.

use super::Language;
use super::words::{W, Word};
use crate::lex::{Token, TokenStream};
use std::borrow::Cow;

/// The tokens without such words.
pub(super) fn without_markers<'s>(stream: &'s TokenStream, words: &[Word], language: Language) -> Cow<'s, TokenStream> {
    if language != Language::Hlsl || !(0..words.len()).any(|at| is_marker(words, at)) {
        return Cow::Borrowed(stream);
    }
    let mut left = stream.clone();
    left.tokens.clear();
    let mut places = Vec::with_capacity(stream.tokens.len());
    let mut dropped: Option<Token> = None;
    for (at, token) in stream.tokens.iter().enumerate() {
        places.push(left.tokens.len() as u32);
        let token = dropped.take().map_or(*token, |first| in_place_of(&first, token));
        match is_marker(words, at) {
            true => dropped = Some(token),
            false => left.tokens.push(token),
        }
    }
    for (from, _) in &mut left.pack_matrix {
        *from = places.get(*from as usize).copied().unwrap_or(left.tokens.len() as u32);
    }
    Cow::Owned(left)
}

/// Whether a token is such a word: `template` behind `::` or `.`, and `typename` before a name of several parts.
fn is_marker(words: &[Word], at: usize) -> bool {
    let word = |at: usize| words.get(at).map(|word| word.w);
    match word(at) {
        Some(W::Template) => {
            let before = at.checked_sub(1).and_then(word);
            matches!(before, Some(W::Scope | W::Dot | W::Arrow)) && word(at + 1) == Some(W::Name)
        }
        Some(W::Typename) => match word(at + 1) {
            Some(W::Scope) => true,
            Some(W::Name) => matches!(word(at + 2), Some(W::Scope | W::Lt)),
            _ => false,
        },
        _ => false,
    }
}

/// A token with what stands before another one, which is dropped.
fn in_place_of(dropped: &Token, token: &Token) -> Token {
    let mut comments = dropped.comments;
    match comments.count {
        0 => comments = token.comments,
        _ => comments.count += token.comments.count,
    }
    Token {
        comments,
        line_start: dropped.line_start,
        blank_before: dropped.blank_before,
        space_before: dropped.space_before,
        joined: dropped.joined,
        ..*token
    }
}
