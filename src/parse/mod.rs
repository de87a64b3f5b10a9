//! Tokens to syntax tree, by recursive descent: one function a grammar rule, the rule above it.
//!
//! The parser never fails: it reports every error and gives the tree of what it understood. A rule that fails has
//! reported why and returns [`Failed`]; the nearest list (of declarations, statements, parameters) skips to its next
//! element and goes on.
//!
//! Types and expressions look alike without names. Where it matters the parser looks ahead with the scanners of
//! `scan.rs`, which build nothing, remember what they found and so stay linear; the rules are:
//!
//! * A statement is a declaration if a type followed by a name stands at its start; `a * b;` only if `a` is a known type.
//! * `T[2](a, b)` is an array if `T` is a known type.
//! * `(T)` before an operand is a cast; before `-`, `+`, `*`, `&`, `++`, `--` only if `T` is a known type.
//! * `a<b>` is a generic application if `a` is a known generic or type, or if `a` is no known variable and a token
//!   follows that cannot begin an operand, or `(`.
//!
//! Known are the builtin type names of `words.rs`, what the file itself declares, anywhere in it, and what the caller knows of
//! the files that it imports and of GLSL's names. Where a name that is not known would decide, it is noted ([`Unit::undecided`]).

mod attributes;
mod cursor;
mod decl;
mod code_hash;
mod dependent_names;
#[cfg(test)]
pub mod dump;
mod expr;
mod function;
mod glsl;
mod literal;
mod old_samplers;
mod effects;
mod written_numbers;
mod operations;
mod prefix;
mod params;
mod scan;
mod stmt;
mod switch;
#[cfg(test)]
pub mod tests;
mod types;
mod words;

use crate::ast::{Decl, Decls, EffectObject, Unit, WrittenNumbers};
use crate::diagnostic::Diagnostics;
use crate::lex::{Comment, NamedTokens, Token, TokenKind, TokenStream};
pub use crate::preprocess::Language;
use crate::source::Span;
use crate::symbol::Symbol;
pub use literal::number_of;
pub use prefix::Beginnings;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use words::{W, Word};

/// Parses a translation unit. Errors go to `diags`; the result is always usable.
pub fn parse(tokens: &TokenStream, language: Language, diags: &mut Diagnostics) -> Unit {
    parse_knowing(tokens, language, &FxHashSet::default(), None, diags)
}

/// As [`parse`], with names of types that other files declare. A file of a program with variants comes with its name and with what
/// they have alike.
pub fn parse_knowing(
    tokens: &TokenStream,
    language: Language,
    known: &FxHashSet<Symbol>,
    variants: Option<(&Beginnings, &str)>,
    diags: &mut Diagnostics,
) -> Unit {
    let mut words = words::classify(&tokens.tokens);
    let mut tokens = dependent_names::without_markers(tokens, &words, language);
    if let Cow::Owned(changed) = &tokens {
        words = words::classify(&changed.tokens);
    }
    let is_old;
    (tokens, is_old) = old_samplers::renewed(tokens, &words, language);
    if is_old {
        words = words::classify(&tokens.tokens);
    }
    let mut parser = Parser::new(&tokens, words, language, known, diags);
    parser.is_old = is_old;
    parser.unit(variants)
}

/// An error was reported; the caller skips or passes it on.
#[derive(Debug)]
struct Failed;

type R<T> = Result<T, Failed>;

/// Highest tree of one expression: an operator chain `a + b + ...` counts one for each operator.
const MAX_HEIGHT: u32 = 512;

/// On which level a declaration is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    /// File or namespace.
    Global,
    /// Struct, interface, extension, constant buffer.
    Member,
    /// Function body.
    Local,
}

struct Parser<'a> {
    tokens: &'a [Token],
    words: Vec<Word>,
    comments: &'a [Comment],
    pack_matrix: &'a [(u32, bool)],
    /// [`TokenStream::named`].
    named: &'a FxHashMap<Span, Vec<NamedTokens>>,
    /// [`TokenStream::slang_version`].
    slang_version: u16,
    /// [`TokenStream::head`].
    head: u32,
    /// [`TokenStream::glsl`].
    is_versioned: bool,
    /// [`Unit::is_old`], by its samplers.
    is_old: bool,
    language: Language,
    diags: &'a mut Diagnostics,
    /// For each bracket the index of its partner, else `u32::MAX`.
    partner: Vec<u32>,
    pos: usize,
    eof: Token,
    depth: u32,
    /// Height of the expression that was parsed last.
    height: u32,
    /// `>` ends the expression: inside of `<...>`.
    no_gt: bool,
    /// How many comments of the token at an index are in the tree already.
    claimed: (usize, usize),
    /// Index of the token at which the last error was reported.
    last_error: Option<usize>,
    /// Deepest nesting of expressions, statements, types and declarations.
    nesting: u64,
    nesting_reported: bool,
    types: FxHashSet<Symbol>,
    /// [`Unit::undecided`].
    undecided: FxHashSet<Symbol>,
    generics: FxHashSet<Symbol>,
    variables: FxHashSet<Symbol>,
    /// Functions that have the names of types of the library.
    type_functions: FxHashSet<Symbol>,
    type_params: Vec<Symbol>,
    /// Variables of GLSL's storage blocks, and how many indices tell which one of an array it is.
    blocks: FxHashMap<Symbol, (glsl::Block, usize)>,
    /// Members of such blocks without a variable, by the buffers that they are in.
    block_members: FxHashMap<Symbol, Symbol>,
    /// What `scan_angles` found at an index.
    angles: FxHashMap<usize, Option<usize>>,
    /// The tokens of bodies of functions.
    bodies: Vec<std::ops::Range<usize>>,
    /// The states of samplers, which follow their declarations.
    objects: Vec<EffectObject>,
    /// Functions that effects make of others, by the names of those.
    variants: Vec<(Symbol, Decl)>,
    /// [`Unit::written_numbers`].
    written_numbers: WrittenNumbers,
}

impl<'a> Parser<'a> {
    fn new(
        stream: &'a TokenStream,
        words: Vec<Word>,
        language: Language,
        known: &FxHashSet<Symbol>,
        diags: &'a mut Diagnostics,
    ) -> Self {
        let tokens: &[Token] = &stream.tokens;
        let end = tokens.last().map_or(Span::default(), |t| Span { start: t.span.end, ..t.span });
        let eof = tokens.last().copied().filter(|t| t.kind == TokenKind::Eof).unwrap_or(Token {
            kind: TokenKind::Eof,
            text: Symbol::new(""),
            span: end,
            line_start: true,
            space_before: true,
            joined: false,
            blank_before: false,
            comments: Default::default(),
        });
        let mut parser = Parser {
            tokens,
            partner: match_brackets(&words),
            words,
            comments: &stream.comments,
            pack_matrix: &stream.pack_matrix,
            named: &stream.named,
            slang_version: stream.slang_version,
            head: stream.head,
            is_versioned: stream.glsl,
            is_old: false,
            language,
            diags,
            pos: 0,
            eof,
            depth: 0,
            height: 0,
            no_gt: false,
            claimed: (0, 0),
            last_error: None,
            nesting: stream.limits.nesting,
            nesting_reported: false,
            types: known.clone(),
            undecided: FxHashSet::default(),
            generics: FxHashSet::default(),
            variables: FxHashSet::default(),
            type_functions: FxHashSet::default(),
            type_params: Vec::new(),
            blocks: FxHashMap::default(),
            block_members: FxHashMap::default(),
            angles: FxHashMap::default(),
            bodies: Vec::new(),
            objects: Vec::new(),
            variants: Vec::new(),
            written_numbers: Vec::new(),
        };
        parser.collect_names();
        parser
    }

    /// unit = declaration*
    fn unit(&mut self, variants: Option<(&Beginnings, &str)>) -> Unit {
        let varied = variants.map(|(all, file)| prefix::Varied::new(all, file));
        let decls = match varied.as_ref().map(|varied| (varied, varied.go_on(self))) {
            Some((varied, None)) => varied.parse(self),
            Some((_, Some(first))) => Decls::new(first, self.all_top_level()),
            None => self.all_top_level().into(),
        };
        let decls = self.with_variants(decls);
        Unit {
            is_old: self.is_old,
            decls,
            trailing: self.leading_comments(),
            head: self.head,
            is_16_bit: self.words.iter().any(|word| word.is_16_bit()),
            is_versioned: self.is_versioned,
            undecided: std::mem::take(&mut self.undecided),
            declared: self.outside_of_bodies(),
            written_numbers: std::mem::take(&mut self.written_numbers),
            unused_numbers: Vec::new(),
        }
    }

    fn all_top_level(&mut self) -> Vec<Decl> {
        let mut decls = Vec::new();
        while self.top_level(&mut decls) {}
        decls
    }

    /// A declaration of the file, or what stands in its place; nothing at its end.
    fn top_level(&mut self, decls: &mut Vec<Decl>) -> bool {
        match self.w() {
            W::Eof => return false,
            W::RBrace => {
                self.error_here("this `}` closes nothing".to_owned());
                self.bump();
            }
            _ => self.recovered_declaration(Level::Global, decls),
        }
        true
    }

    /// Names of types and generic functions that the file declares, wherever they are used.
    fn collect_names(&mut self) {
        for i in 0..self.words.len() {
            let name_at = |n: usize| self.tokens.get(n).filter(|t| t.kind == TokenKind::Ident).map(|t| t.text);
            let w = self.word_at(i).w;
            match w {
                W::Struct | W::Class | W::Interface | W::TypeAlias | W::AssociatedType | W::Enum => {
                    let scoped = w == W::Enum && matches!(self.word_at(i + 1).w, W::Class | W::Struct);
                    let at = if scoped { i + 2 } else { i + 1 };
                    if let Some(name) = name_at(at) {
                        self.types.insert(name);
                        if self.word_at(at + 1).w == W::Lt {
                            self.generics.insert(name);
                        }
                    }
                }
                W::Typedef => {
                    let end = (i + 1..self.words.len()).find(|n| matches!(self.word_at(*n).w, W::Semi | W::LBrace));
                    if let Some(name) = end.and_then(|end| self.before_brackets(end)).and_then(name_at) {
                        self.types.insert(name);
                    }
                }
                W::Using if matches!(self.word_at(i + 2).w, W::Assign | W::Lt) => self.types.extend(name_at(i + 1)),
                W::Template if self.word_at(i + 1).w == W::Lt => {
                    if let Some(name) = self.variable_template_at(i + 1).and_then(name_at) {
                        self.generics.insert(name);
                    }
                }
                // `float f<` or `func f<`: two names and an angle can only be a generic function (or annotations).
                W::Lt if i >= 2 && w_is_type_end(self, i - 2) && !self.words[i - 1].is_reserved() => {
                    if let Some(name) = name_at(i - 1) {
                        self.generics.insert(name);
                    }
                }
                _ => {}
            }
        }
    }
}

impl Parser<'_> {
    /// The index of the name in `template<...> static const uint name = value;`, from that of the first `<` on.
    fn variable_template_at(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        let mut i = open;
        loop {
            match self.word_at(i).w {
                W::Lt => depth += 1,
                W::Gt => depth -= 1,
                W::Assign if depth == 0 => return self.before_brackets(i),
                W::Semi | W::LParen | W::LBrace | W::Eof => return None,
                _ => {}
            }
            i += 1;
        }
    }

    /// The index of what stands before a token and the brackets before that: of `a` in `a[2] =`.
    fn before_brackets(&self, at: usize) -> Option<usize> {
        let mut i = at.checked_sub(1)?;
        while self.word_at(i).w == W::RBracket {
            i = (0..i).rev().find(|open| self.partner_of(*open) == Some(i))?.checked_sub(1)?;
        }
        Some(i)
    }
}

/// Whether the token can be the last word of a result type, or `func`.
fn w_is_type_end(parser: &Parser, i: usize) -> bool {
    let token_is_name = parser.tokens.get(i).is_some_and(|t| t.kind == TokenKind::Ident);
    token_is_name && !parser.word_at(i).is_reserved()
}

/// Pairs brackets in one pass; a closer that does not fit its opener closes the nearest one that does.
fn match_brackets(words: &[Word]) -> Vec<u32> {
    let kind_of = |w: W| match w {
        W::LBrace | W::RBrace => Some(0),
        W::LParen | W::RParen => Some(1),
        W::LBracket | W::RBracket => Some(2),
        _ => None,
    };
    let mut partner = vec![u32::MAX; words.len()];
    // The open brackets of each kind, by index. What lies inside of a closed one is dropped with it.
    let mut open: [Vec<usize>; 3] = Default::default();
    for (i, word) in words.iter().enumerate() {
        let Some(kind) = kind_of(word.w) else { continue };
        if matches!(word.w, W::LBrace | W::LParen | W::LBracket) {
            open[kind].push(i);
            continue;
        }
        let Some(&start) = open[kind].last() else { continue };
        // A `}` may drop an unclosed `(`, but a `)` never drops a `{`: braces are the more reliable structure.
        if open[0].last().is_some_and(|brace| *brace > start) {
            continue;
        }
        for list in &mut open {
            while list.last().is_some_and(|at| *at >= start) {
                list.pop();
            }
        }
        partner[start] = i as u32;
        partner[i] = start as u32;
    }
    partner
}
