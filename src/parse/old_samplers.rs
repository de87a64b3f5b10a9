//! HLSL of Direct3D 9: a sampler that has its texture becomes a texture and a sampler, and old words become those of today.
//!
//! Before: `sampler2D image : register(s0);                                   tex2D(image, uv)`
//! After:  `Texture2D image : register(t0); SamplerState image_sampler : register(s0);   tex2D(image, image_sampler, uv)`
//!
//! A sampler whose states name a texture, `= sampler_state { Texture = <picture>; }`, has that one. `sampler` alone tells no
//! shape: the texture has it, or the calls that read it. A sampler that methods of textures read alone is what it is today.
//!
//! Samplers are parameters, global or of functions, and nothing assigns them: where one stands, there is an argument. So this is
//! a matter of tokens, and what follows sees nothing of it.

use super::words::{W, Word};
use super::{Language, match_brackets};
use crate::lex::{CommentRange, Token, TokenKind, TokenStream};
use crate::symbol::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::ops::Range;

/// (word of the sampler, of the texture, what functions that read it begin with, the texture of today).
const SHAPES: &[(&str, &str, &str, &str)] = &[
    ("sampler1D", "texture1D", "tex1D", "Texture1D"),
    ("sampler2D", "texture2D", "tex2D", "Texture2D"),
    ("sampler3D", "texture3D", "tex3D", "Texture3D"),
    ("samplerCUBE", "textureCUBE", "texCUBE", "TextureCube"),
];
/// A sampler of any shape.
const ANY_SAMPLER: &str = "sampler";
/// Textures of any shape.
const ANY_TEXTURE: &[&str] = &["texture", "Texture"];
/// The shape of what nothing tells, as effects have it.
const DEFAULT_TEXTURE: &str = "Texture2D";
/// Numbers that may have less precision than others, and never have more.
const NUMBERS: &[&str] = &["half", "fixed"];
const SAMPLER: &str = "SamplerState";
/// The element of a texture has no more tokens: `<vector<float, 4>>`.
const MAX_ELEMENT: usize = 8;

/// The tokens with the words of today, and whether there were old samplers.
pub(super) fn renewed<'s>(
    stream: Cow<'s, TokenStream>,
    classes: &[Word],
    language: Language,
) -> (Cow<'s, TokenStream>, bool) {
    let is_for_old = classes.iter().any(|word| word.is_old_profile());
    let has_old = is_for_old || classes.iter().any(|word| word.is_old());
    if language != Language::Hlsl || stream.glsl || !has_old {
        return (stream, false);
    }
    let (tokens, places) = {
        let file = File::of(&stream.tokens, classes);
        if !is_for_old && file.globals.is_empty() && file.functions.iter().all(|f| f.couples.is_empty()) {
            return (stream, false);
        }
        file.rewrite()
    };
    let mut renewed = stream.into_owned();
    for (from, _) in &mut renewed.pack_matrix {
        *from = places.get(*from as usize).copied().unwrap_or(tokens.len() as u32);
    }
    renewed.tokens = tokens;
    (Cow::Owned(renewed), true)
}

/// Whether an identifier is a word of samplers and textures as they were.
pub(super) fn is_old_word(text: &str) -> bool {
    text == ANY_SAMPLER || SHAPES.iter().any(|(s, t, ..)| text == *s || text == *t)
}

/// The profile of a shader model before 4, or of one that is as those: `ps_3_0`, `ps_4_0_level_9_1`.
pub(super) fn is_old_profile(text: &str) -> bool {
    let old = |stage: &str| text.strip_prefix(stage).is_some_and(|model| model.starts_with(['1', '2', '3']));
    old("vs_") || old("ps_") || text.contains("_level_9_")
}

/// The texture of today that a word of a sampler or texture names; nothing of a word that tells no shape.
fn shape_of_word(word: Symbol) -> Option<&'static str> {
    SHAPES.iter().find(|(s, t, _, today)| word == **s || word == **t || word == **today).map(|row| row.3)
}

/// The texture that a function reads: `tex2Dlod`.
fn shape_of_call(function: &str) -> Option<&'static str> {
    const WAYS: &[&str] = &["", "bias", "grad", "lod", "proj"];
    let of = |row: &&(&str, &str, &str, &str)| function.strip_prefix(row.2).is_some_and(|way| WAYS.contains(&way));
    SHAPES.iter().find(of).map(|row| row.3)
}

fn is_sampler_word(token: Token) -> bool {
    token.text == *ANY_SAMPLER || SHAPES.iter().any(|(word, ..)| token.text == **word)
}

/// A texture and its sampler.
#[derive(Clone, Copy)]
struct Couple {
    texture: Symbol,
    sampler: Symbol,
    /// The texture that is declared with the sampler, unless another declaration has it.
    shape: Option<&'static str>,
}

/// A function: its parameters and its body.
struct OldFunction {
    params: Range<usize>,
    body: Range<usize>,
    couples: FxHashMap<Symbol, Couple>,
    /// Names of its own that are no such samplers.
    others: FxHashSet<Symbol>,
    name: Option<Symbol>,
    /// Parameters with a word of samplers: which they are, and their names.
    samplers: Vec<(usize, Symbol)>,
}

/// A name that is an argument by itself.
struct Passed {
    function: Symbol,
    /// Which argument it is.
    at: usize,
    name: Symbol,
}

/// Functions through which a sampler is handed on before one reads it, at most.
const MOST_HANDS: usize = 32;

struct File<'t> {
    tokens: &'t [Token],
    words: Vec<W>,
    partner: Vec<u32>,
    /// How deep in braces each token is.
    depth: Vec<u32>,
    names: FxHashSet<Symbol>,
    globals: FxHashMap<Symbol, Couple>,
    /// Of `texture picture;`, what it is by its samplers.
    textures: FxHashMap<Symbol, &'static str>,
    functions: Vec<OldFunction>,
}

impl<'t> File<'t> {
    fn of(tokens: &'t [Token], classes: &[Word]) -> File<'t> {
        let partner = match_brackets(classes);
        let words: Vec<W> = classes.iter().map(|word| word.w).collect();
        let mut open = 0u32;
        let mut depth = Vec::with_capacity(words.len());
        for w in &words {
            open = open.saturating_sub((*w == W::RBrace).into());
            depth.push(open);
            open += u32::from(*w == W::LBrace);
        }
        let names = tokens.iter().filter(|t| t.kind == TokenKind::Ident).map(|t| t.text).collect();
        let mut file = File {
            tokens,
            words,
            partner,
            depth,
            names,
            globals: FxHashMap::default(),
            textures: FxHashMap::default(),
            functions: Vec::new(),
        };
        file.find_functions();
        let handed = file.find_handed();
        file.find_globals(&handed);
        file
    }

    fn token(&self, at: usize) -> Option<Token> {
        self.tokens.get(at).copied()
    }

    fn word(&self, at: usize) -> W {
        self.words.get(at).copied().unwrap_or(W::Eof)
    }

    fn name(&self, at: usize) -> Option<Symbol> {
        self.token(at).filter(|t| t.kind == TokenKind::Ident).map(|t| t.text)
    }

    fn close_of(&self, at: usize) -> Option<usize> {
        self.partner.get(at).map(|p| *p as usize).filter(|p| *p > at && *p < self.tokens.len())
    }

    /// The declarations of samplers in the file: where the word and each name stands.
    fn sampler_declarations(&self) -> Vec<(usize, Vec<usize>)> {
        let is_word = |at: &usize| {
            self.depth.get(*at) == Some(&0)
                && self.token(*at).is_some_and(is_sampler_word)
                && self.name(*at + 1).is_some()
                && matches!(
                    self.word(*at + 2),
                    W::Semi | W::Colon | W::Assign | W::Comma | W::LBracket | W::Lt | W::LBrace
                )
        };
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            match self.word(at) {
                W::LParen => at = self.close_of(at).unwrap_or(at) + 1,
                _ if is_word(&at) => {
                    let (names, end) = self.declarators(at + 1);
                    found.push((at, names));
                    at = end;
                }
                _ => at += 1,
            }
        }
        found
    }

    /// The names that are declared from a place on, and the place of the `;` behind them.
    fn declarators(&self, from: usize) -> (Vec<usize>, usize) {
        let mut names = vec![from];
        let mut at = from + 1;
        loop {
            match self.word(at) {
                W::Semi | W::Eof | W::RBrace => return (names, at),
                W::Lt => at = self.end_of_annotations(at),
                W::LParen | W::LBrace | W::LBracket => at = self.close_of(at).unwrap_or(at) + 1,
                W::Comma => {
                    names.push(at + 1);
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// Behind the `>` of annotations.
    fn end_of_annotations(&self, open: usize) -> usize {
        let end = (open..self.tokens.len()).find(|at| matches!(self.word(*at), W::Gt | W::LBrace | W::RBrace | W::Eof));
        end.map_or(open, |end| if self.word(end) == W::Gt { end } else { open }) + 1
    }

    /// The shapes of samplers that functions of the file are given: what reads them there, or hands them on.
    fn shapes_of_parameters(&self) -> FxHashMap<(Symbol, usize), &'static str> {
        let mut shapes = FxHashMap::default();
        for function in &self.functions {
            for (at, sampler) in &function.samplers {
                let shape = function.couples.get(sampler).and_then(|couple| couple.shape);
                if let Some((name, shape)) = function.name.zip(shape) {
                    shapes.entry((name, *at)).or_insert(shape);
                }
            }
        }
        shapes
    }

    /// Finds the shapes of samplers that are only handed on: of parameters, and then those of arguments by their names.
    fn find_handed(&mut self) -> FxHashMap<Symbol, &'static str> {
        let passed: Vec<Vec<Passed>> = self.functions.iter().map(|f| self.passed(f.body.clone())).collect();
        let mut shapes = self.shapes_of_parameters();
        for _ in 0..MOST_HANDS {
            let mut found = Vec::new();
            for (index, (function, passed)) in self.functions.iter().zip(&passed).enumerate() {
                let is_open = |p: &&Passed| {
                    function.samplers.iter().any(|(_, name)| *name == p.name) && !function.couples.contains_key(&p.name)
                };
                let known =
                    passed.iter().filter(is_open).filter_map(|p| Some((p.name, *shapes.get(&(p.function, p.at))?)));
                found.extend(known.map(|(name, shape)| (index, name, shape)));
            }
            if found.is_empty() {
                break;
            }
            for (index, name, shape) in found {
                let sampler = self.free_name(name);
                if let Some(function) = self.functions.get_mut(index) {
                    function.couples.entry(name).or_insert(Couple { texture: name, sampler, shape: Some(shape) });
                }
            }
            shapes = self.shapes_of_parameters();
        }
        let mut handed = FxHashMap::default();
        for (function, passed) in self.functions.iter().zip(&passed) {
            let own = |name: &Symbol| function.couples.contains_key(name) || function.others.contains(name);
            for p in passed.iter().filter(|p| !own(&p.name)) {
                if let Some(shape) = shapes.get(&(p.function, p.at)) {
                    handed.entry(p.name).or_insert(*shape);
                }
            }
        }
        handed
    }

    /// The names that are arguments by themselves, or elements of them, in some tokens.
    fn passed(&self, range: Range<usize>) -> Vec<Passed> {
        let mut found = Vec::new();
        for open in range.filter(|at| self.word(*at) == W::LParen) {
            let function = open.checked_sub(1).and_then(|before| self.name(before));
            let (Some(function), Some(close)) = (function, self.close_of(open)) else { continue };
            let (mut at, mut inner) = (0, open + 1);
            while inner < close {
                match self.word(inner) {
                    W::Comma => at += 1,
                    W::LParen | W::LBracket | W::LBrace => inner = self.close_of(inner).unwrap_or(inner),
                    _ if matches!(self.word(inner - 1), W::LParen | W::Comma)
                        && matches!(self.word(inner + 1), W::RParen | W::Comma | W::LBracket) =>
                    {
                        found.extend(self.name(inner).map(|name| Passed { function, at, name }));
                    }
                    _ => {}
                }
                inner += 1;
            }
        }
        found
    }

    /// Which parameter one is that begins at a place.
    fn parameter_at(&self, open: usize, at: usize) -> usize {
        let (mut count, mut inner) = (0, open + 1);
        while inner < at {
            match self.word(inner) {
                W::Comma => count += 1,
                W::LParen | W::LBracket | W::LBrace => inner = self.close_of(inner).unwrap_or(inner),
                _ => {}
            }
            inner += 1;
        }
        count
    }

    fn find_globals(&mut self, handed: &FxHashMap<Symbol, &'static str>) {
        let calls = self.calls(0..self.tokens.len());
        let by_methods = self.method_arguments();
        let declared = self.texture_declarations();
        for (word, names) in self.sampler_declarations() {
            for at in names {
                let (Some(name), Some(written)) = (self.name(at), self.token(word)) else { continue };
                let linked = self.linked_texture(at, &declared);
                let called = calls.get(&name).or(handed.get(&name)).copied();
                // What methods of textures read is a sampler as of today, but for one that cannot be that.
                let is_any = written.text == *ANY_SAMPLER && linked.is_none();
                let is_new = by_methods.contains(&name) && (is_any || called.is_none());
                if is_new || is_any && called.is_none() {
                    continue;
                }
                let of_texture = linked.and_then(|(_, shape)| shape);
                let shape = shape_of_word(written.text).or(of_texture).or(called).unwrap_or(DEFAULT_TEXTURE);
                let couple = match linked {
                    Some((texture, declared)) => {
                        if declared.is_none() {
                            self.textures.entry(texture).or_insert(shape);
                        }
                        Couple { texture, sampler: name, shape: None }
                    }
                    None => Couple { texture: name, sampler: self.free_name(name), shape: Some(shape) },
                };
                self.globals.insert(name, couple);
            }
        }
    }

    /// A name for the sampler of a texture. Functions may have parameters of one name, but none hides a name of the source.
    fn free_name(&self, texture: Symbol) -> Symbol {
        let mut text = format!("{texture}_sampler");
        while self.names.contains(&Symbol::new(&text)) {
            text.push('_');
        }
        Symbol::new(&text)
    }

    /// The texture that the states of a sampler name, with its shape where its declaration tells it.
    fn linked_texture(
        &self,
        name: usize,
        declared: &FxHashMap<Symbol, Symbol>,
    ) -> Option<(Symbol, Option<&'static str>)> {
        // Each element of an array may name another one: the array has its own.
        if self.word(name + 1) == W::LBracket {
            return None;
        }
        let end = self.declarators(name).0.get(1).copied();
        let states = (name..end.unwrap_or(self.tokens.len())).take_while(|at| self.word(*at) != W::Semi);
        let open = states.into_iter().find(|at| self.word(*at) == W::LBrace)?;
        let close = self.close_of(open)?;
        let is_texture = |at: &usize| {
            self.word(at + 1) == W::Assign
                && self.name(*at).is_some_and(|state| state.as_str().eq_ignore_ascii_case("texture"))
        };
        let state = (open..close).find(is_texture)?;
        let texture = (state + 2..close).take_while(|at| self.word(*at) != W::Semi).find_map(|at| self.name(at))?;
        let word = *declared.get(&texture)?;
        Some((texture, shape_of_word(word)))
    }

    /// The textures of the file by their names, each with the word before that.
    fn texture_declarations(&self) -> FxHashMap<Symbol, Symbol> {
        let mut found = FxHashMap::default();
        for at in (1..self.tokens.len()).filter(|at| self.depth.get(*at) == Some(&0)) {
            if let Some(name) = self.name(at)
                && let Some(word) = self.texture_word(at - 1)
            {
                found.entry(name).or_insert(word);
            }
        }
        found
    }

    /// The word of a texture that ends at a place: `texture`, `Texture2D`, `Texture2D<float4>`.
    fn texture_word(&self, at: usize) -> Option<Symbol> {
        let at = match self.word(at) {
            W::Gt => {
                (at.saturating_sub(MAX_ELEMENT)..at).rev().find(|open| self.word(*open) == W::Lt)?.checked_sub(1)?
            }
            _ => at,
        };
        let word = self.name(at)?;
        let is_any = ANY_TEXTURE.iter().any(|any| word == **any);
        (is_any || shape_of_word(word).is_some() && !self.token(at).is_some_and(is_sampler_word)).then_some(word)
    }

    /// What functions of Direct3D 9 read in some tokens: the first call of each tells its shape.
    fn calls(&self, range: Range<usize>) -> FxHashMap<Symbol, &'static str> {
        let mut found = FxHashMap::default();
        for at in range {
            if self.word(at + 1) == W::LParen
                && let Some(shape) = self.name(at).and_then(|function| shape_of_call(function.as_str()))
                && let Some(sampler) = self.name(at + 2)
            {
                found.entry(sampler).or_insert(shape);
            }
        }
        found
    }

    /// The first arguments of methods.
    fn method_arguments(&self) -> FxHashSet<Symbol> {
        let is_call = |at: &usize| self.word(*at) == W::Dot && self.word(at + 2) == W::LParen;
        (0..self.tokens.len()).filter(is_call).filter_map(|at| self.name(at + 3)).collect()
    }

    fn find_functions(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let is_open = self.word(at) == W::LParen && self.depth.get(at) == Some(&0) && at > 1;
            let Some(close) = self.close_of(at).filter(|_| is_open && self.name(at - 1).is_some()) else {
                at += 1;
                continue;
            };
            let end = (close..self.tokens.len()).find(|at| matches!(self.word(*at), W::LBrace | W::Semi | W::Eof));
            let end = end.unwrap_or(close);
            let body = match self.word(end) == W::LBrace {
                true => end..self.close_of(end).unwrap_or(end),
                false => end..end,
            };
            at = body.end.max(close) + 1;
            // `: register(s0)` of a global has brackets, too.
            let before = (close..body.start).any(|at| self.word(at) == W::Assign);
            if !before {
                let function = self.function(close, body);
                self.functions.extend(function);
            }
        }
    }

    /// A function whose parameters end at a place.
    fn function(&self, close: usize, body: Range<usize>) -> Option<OldFunction> {
        let open = self.partner.get(close).map(|p| *p as usize).filter(|p| *p < close)?;
        let (params, mut couples, mut others) = (open..close, FxHashMap::default(), FxHashSet::default());
        let calls = self.calls(body.clone());
        let mut samplers = Vec::new();
        for at in params.clone().chain(body.clone()) {
            let Some(name) = self.name(at) else { continue };
            let Some(before) = at.checked_sub(1).and_then(|at| self.token(at)) else { continue };
            let is_param = at < close;
            if is_param && is_sampler_word(before) {
                samplers.push((self.parameter_at(open, at), name));
                let shape = shape_of_word(before.text).or(calls.get(&name).copied());
                if let Some(shape) = shape {
                    let sampler = self.free_name(name);
                    couples.insert(name, Couple { texture: name, sampler, shape: Some(shape) });
                    continue;
                }
            }
            let is_type = before.kind == TokenKind::Ident && before.text != *"return" || before.text == *">";
            let is_declared =
                matches!(self.word(at + 1), W::Semi | W::Comma | W::RParen | W::Colon | W::Assign | W::LBracket);
            if is_type && is_declared {
                others.insert(name);
            }
        }
        let name = open.checked_sub(1).and_then(|before| self.name(before));
        Some(OldFunction { params, body, couples, others, name, samplers })
    }

    /// The tokens of today, and where each of the old ones is among them.
    fn rewrite(&self) -> (Vec<Token>, Vec<u32>) {
        let mut out = Out { tokens: Vec::with_capacity(self.tokens.len() + 64), places: Vec::new() };
        let globals: FxHashMap<usize, Vec<usize>> = self.sampler_declarations().into_iter().collect();
        let mut functions = self.functions.iter().peekable();
        let mut at = 0;
        while let Some(token) = self.token(at) {
            out.reach(at);
            while functions.next_if(|f| f.body.end.max(f.params.end) < at).is_some() {}
            let function = functions.peek().filter(|f| f.params.contains(&at) || f.body.contains(&at));
            if let Some(names) = globals.get(&at) {
                at = self.global_sampler(at, names, &mut out);
            } else if let Some(function) = function.filter(|f| f.params.contains(&at) && is_sampler_word(token)) {
                at = self.param(at, function, &mut out);
            } else if function.is_some_and(|f| f.params.contains(&at)) && self.is_texture_param(at) {
                out.tokens.push(renamed(token, Symbol::new(DEFAULT_TEXTURE)));
                at += 1;
            } else if let Some(function) = function.filter(|f| f.body.contains(&at)) {
                at = self.in_body(at, function, &mut out);
            } else {
                out.tokens.push(self.today(at, token));
                at += 1;
            }
        }
        (out.tokens, out.places)
    }

    /// `texture image` among parameters, whose shape nothing tells.
    fn is_texture_param(&self, at: usize) -> bool {
        let is_any = self.token(at).is_some_and(|word| ANY_TEXTURE.iter().any(|any| word.text == **any));
        is_any && self.name(at + 1).is_some() && matches!(self.word(at + 2), W::Comma | W::RParen)
    }

    /// A token with the word of today.
    fn today(&self, at: usize, token: Token) -> Token {
        if token.kind != TokenKind::Ident {
            return token;
        }
        if let Some(shape) = NUMBERS.iter().find_map(|old| token.text.as_str().strip_prefix(old))
            && shape.chars().all(|c| matches!(c, '1'..='4' | 'x'))
        {
            return renamed(token, Symbol::new(&format!("float{shape}")));
        }
        let Some(name) = self.name(at + 1) else { return token };
        let is_any = ANY_TEXTURE.iter().any(|any| token.text == **any);
        let old = SHAPES.iter().find(|(_, word, ..)| token.text == **word).map(|row| row.3);
        match old.or_else(|| self.textures.get(&name).copied().filter(|_| is_any)) {
            Some(today) => renamed(token, Symbol::new(today)),
            None => token,
        }
    }

    /// `sampler2D a : register(s0), b;` from the word to before its `;`.
    fn global_sampler(&self, word: usize, names: &[usize], out: &mut Out) -> usize {
        let end = self.declarators(word + 1).1;
        let Some(mut written) = self.token(word) else { return word + 1 };
        for (index, &name) in names.iter().enumerate() {
            let until = names.get(index + 1).map_or(end, |next| next - 1);
            let Some(token) = self.token(name) else { continue };
            if index > 0 {
                out.push(token, TokenKind::Punct, ";");
                written = Token { line_start: true, ..bare(written) };
            }
            let couple = self.globals.get(&token.text);
            if let Some(shape) = couple.and_then(|couple| couple.shape) {
                out.tokens.push(renamed(written, Symbol::new(shape)));
                out.tokens.push(token);
                self.texture_suffixes(name + 1..until, out);
                out.push(token, TokenKind::Punct, ";");
                written = Token { line_start: true, ..bare(written) };
            }
            out.tokens.push(renamed(written, Symbol::new(SAMPLER)));
            out.tokens.push(renamed(token, couple.map_or(token.text, |couple| couple.sampler)));
            for at in name + 1..until {
                out.reach(at);
                out.tokens.extend(self.token(at));
            }
        }
        end
    }

    /// The sizes of an array and the register of a sampler, for its texture.
    fn texture_suffixes(&self, range: Range<usize>, out: &mut Out) {
        let mut at = range.start;
        while range.contains(&at) {
            let close = match (self.word(at), self.word(at + 1)) {
                (W::LBracket, _) => self.close_of(at),
                (W::Colon, W::Register) => self.close_of(at + 2),
                _ => return,
            };
            let Some(close) = close else { return };
            for inner in at..=close {
                let Some(token) = self.token(inner) else { return };
                let register = self.word(at) == W::Colon && inner > at + 2;
                let number = token.text.as_str().strip_prefix(['s', 'S']).filter(|n| n.parse::<u32>().is_ok());
                out.tokens.push(match number.filter(|_| register) {
                    Some(number) => renamed(token, Symbol::new(&format!("t{number}"))),
                    None => bare(token),
                });
            }
            at = close + 1;
        }
    }

    /// A sampler among the parameters of a function.
    fn param(&self, at: usize, function: &OldFunction, out: &mut Out) -> usize {
        let (Some(word), Some(name)) = (self.token(at), self.token(at + 1)) else { return at + 1 };
        let Some(couple) = function.couples.get(&name.text) else {
            out.tokens.push(word);
            return at + 1;
        };
        out.tokens.push(renamed(word, Symbol::new(couple.shape.unwrap_or(DEFAULT_TEXTURE))));
        out.tokens.push(name);
        out.push(name, TokenKind::Punct, ",");
        let before = at.checked_sub(1).and_then(|at| self.token(at));
        out.tokens.extend(before.filter(|before| before.text == *"uniform").map(bare));
        out.tokens.push(renamed(bare(word), Symbol::new(SAMPLER)));
        out.tokens.push(renamed(name, couple.sampler));
        at + 2
    }

    /// A token of a body: an argument that is such a sampler becomes two.
    fn in_body(&self, at: usize, function: &OldFunction, out: &mut Out) -> usize {
        let Some(token) = self.token(at) else { return at + 1 };
        let is_hidden = function.others.contains(&token.text);
        let global = || self.globals.get(&token.text).filter(|_| !is_hidden);
        let couple = function.couples.get(&token.text).or_else(global);
        let before = at.checked_sub(1).map_or(W::Eof, |at| self.word(at));
        let Some(couple) = couple.filter(|_| token.kind == TokenKind::Ident && matches!(before, W::LParen | W::Comma))
        else {
            out.tokens.push(self.today(at, token));
            return at + 1;
        };
        let index = match self.word(at + 1) {
            W::LBracket => at + 1..self.close_of(at + 1).map_or(at + 1, |close| close + 1),
            _ => at + 1..at + 1,
        };
        if !self.is_of_method(at) {
            out.tokens.push(renamed(token, couple.texture));
            out.tokens.extend(index.clone().filter_map(|at| self.token(at)).map(bare));
            out.push(token, TokenKind::Punct, ",");
        }
        out.tokens.push(renamed(token, couple.sampler));
        at + 1
    }

    /// Whether an argument is one of a method: `image.Sample(sampler, uv)`.
    fn is_of_method(&self, at: usize) -> bool {
        let mut inner = at;
        while let Some(before) = inner.checked_sub(1) {
            match self.word(before) {
                W::RParen | W::RBracket | W::RBrace => {
                    let open = self.partner.get(before).map(|p| *p as usize).filter(|p| *p < before);
                    let Some(open) = open else { return false };
                    inner = open;
                }
                W::LParen => return before >= 2 && self.word(before - 2) == W::Dot,
                W::LBrace | W::Semi => return false,
                _ => inner = before,
            }
        }
        false
    }
}

/// The tokens of today.
struct Out {
    tokens: Vec<Token>,
    places: Vec<u32>,
}

impl Out {
    /// The tokens up to here are written.
    fn reach(&mut self, at: usize) {
        self.places.resize((at + 1).max(self.places.len()), self.tokens.len() as u32);
    }

    /// A token that the source has not, where one of it is.
    fn push(&mut self, place: Token, kind: TokenKind, text: &str) {
        self.tokens.push(Token { kind, text: Symbol::new(text), ..bare(place) });
    }
}

/// A token that is there a second time: what stands before it is the first one's.
fn bare(token: Token) -> Token {
    Token { comments: CommentRange::default(), line_start: false, blank_before: false, ..token }
}

fn renamed(token: Token, text: Symbol) -> Token {
    Token { text, ..token }
}
