//! The declarations with which a file begins in several variants of a program: they are parsed once.
//!
//! Variants differ behind the files that they include more often than in them. The second variant tells how far the tokens are those
//! of the first; what it knows at the end of a declaration before that is where others go on.

use super::{Parser, glsl};
use crate::ast::{Decl, Decls, WrittenNumbers};
use crate::lex::{Comment, Token};
use crate::symbol::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// So many tokens behind a declaration are the same, too: the parser looks ahead.
const AHEAD: usize = 16;

/// The beginnings of the files of a program that has variants, by the names of the files.
#[derive(Debug, Default)]
pub struct Beginnings(Mutex<FxHashMap<String, Arc<Beginning>>>);

/// What is known of a file.
#[derive(Debug)]
enum Beginning {
    /// The tokens of one variant.
    Tokens(Vec<Token>, Vec<Comment>),
    /// Declarations that two have alike.
    Parsed(Box<Start>),
}

/// The first declarations of a file, and the parser behind them.
#[derive(Debug)]
pub(super) struct Start {
    /// Those of the declarations, and some more.
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    decls: Arc<[Decl]>,
    /// What was known before the first declaration.
    names: [FxHashSet<Symbol>; 2],
    partners: Vec<u32>,
    pack_matrix: Vec<(u32, bool)>,
    /// [`TokenStream::slang_version`](crate::lex::TokenStream) and `glsl`.
    version: (u16, bool),
    state: State,
}

/// What the parser knows between two declarations of a file.
#[derive(Clone, Debug)]
struct State {
    pos: usize,
    claimed: (usize, usize),
    types: FxHashSet<Symbol>,
    undecided: FxHashSet<Symbol>,
    generics: FxHashSet<Symbol>,
    variables: FxHashSet<Symbol>,
    type_functions: FxHashSet<Symbol>,
    blocks: FxHashMap<Symbol, (glsl::Block, usize)>,
    block_members: FxHashMap<Symbol, Symbol>,
    bodies: Vec<Range<usize>>,
    written_numbers: WrittenNumbers,
}

/// A file of one variant, with what is known of others.
pub(super) struct Varied<'a> {
    all: &'a Beginnings,
    file: &'a str,
    known: Option<Arc<Beginning>>,
}

impl<'a> Varied<'a> {
    /// The file of a name.
    pub fn new(all: &'a Beginnings, file: &'a str) -> Varied<'a> {
        let known = all.0.lock().unwrap_or_else(|e| e.into_inner()).get(file).cloned();
        Varied { all, file, known }
    }

    fn note(&self, beginning: Beginning) {
        self.all.0.lock().unwrap_or_else(|e| e.into_inner()).insert(self.file.to_owned(), Arc::new(beginning));
    }

    /// What others have parsed of a file, put before what its parser does.
    pub fn go_on(&self, parser: &mut Parser) -> Option<Arc<[Decl]>> {
        let Some(Beginning::Parsed(start)) = self.known.as_deref() else { return None };
        start.is_of(parser).then(|| {
            parser.set_state(&start.state);
            start.decls.clone()
        })
    }

    /// Parses all declarations. Notes how the file begins.
    pub fn parse(&self, parser: &mut Parser) -> Decls {
        let names = [parser.types.clone(), parser.generics.clone()];
        let common = match self.known.as_deref() {
            Some(Beginning::Tokens(tokens, comments)) => common(tokens, parser.tokens, comments, parser.comments),
            Some(Beginning::Parsed(_)) | None => 0,
        };
        let faults = parser.diags.list().len();
        let mut decls = Vec::new();
        // The last two places between declarations, each with the number of those before it.
        let mut places: [Option<(State, usize)>; 2] = [None, None];
        loop {
            if parser.pos + AHEAD <= common && parser.diags.list().len() == faults {
                places = [places[1].take(), Some((parser.state(), decls.len()))];
            }
            if !parser.top_level(&mut decls) {
                break;
            }
        }
        let [before, last] = places;
        match (self.known.is_some(), before.or(last)) {
            (true, Some((state, count))) => return self.split(parser, decls, count, state, names),
            (true, None) => {}
            (false, _) => self.note(Beginning::Tokens(parser.tokens.to_vec(), parser.comments.to_vec())),
        }
        Decls::from(decls)
    }

    /// Notes the first declarations as those of other variants.
    fn split(
        &self,
        parser: &Parser,
        mut decls: Vec<Decl>,
        count: usize,
        state: State,
        names: [FxHashSet<Symbol>; 2],
    ) -> Decls {
        let rest = decls.split_off(count.min(decls.len()));
        let first: Arc<[Decl]> = decls.into();
        let tokens = parser.tokens.get(..state.pos + AHEAD).unwrap_or_default().to_vec();
        let comments = tokens.iter().map(|t| (t.comments.start + t.comments.count) as usize).max().unwrap_or(0);
        self.note(Beginning::Parsed(Box::new(Start {
            tokens,
            comments: parser.comments.get(..comments).unwrap_or_default().to_vec(),
            decls: first.clone(),
            names,
            partners: parser.partner.get(..state.pos).unwrap_or_default().to_vec(),
            pack_matrix: parser.pack_matrix.to_vec(),
            version: (parser.slang_version, parser.is_versioned),
            state,
        })));
        Decls::new(first, rest)
    }
}

impl Start {
    /// Whether a file begins like this.
    fn is_of(&self, parser: &Parser) -> bool {
        fn begins<T: PartialEq>(whole: &[T], start: &[T]) -> bool {
            whole.starts_with(start)
        }
        begins(parser.tokens, &self.tokens)
            && begins(parser.comments, &self.comments)
            && begins(&parser.partner, &self.partners)
            && self.pack_matrix == parser.pack_matrix
            && self.version == (parser.slang_version, parser.is_versioned)
            && self.names[0] == parser.types
            && self.names[1] == parser.generics
    }
}

/// How many tokens two files have alike at their beginnings, with the comments before them.
fn common(a: &[Token], b: &[Token], of_a: &[Comment], of_b: &[Comment]) -> usize {
    let comments = of_a.iter().zip(of_b).take_while(|(a, b)| a == b).count();
    let is_same = |(a, b): &(&Token, &Token)| a == b && (a.comments.start + a.comments.count) as usize <= comments;
    a.iter().zip(b).take_while(is_same).count()
}

impl Parser<'_> {
    fn state(&self) -> State {
        State {
            pos: self.pos,
            claimed: self.claimed,
            types: self.types.clone(),
            undecided: self.undecided.clone(),
            generics: self.generics.clone(),
            variables: self.variables.clone(),
            type_functions: self.type_functions.clone(),
            blocks: self.blocks.clone(),
            block_members: self.block_members.clone(),
            bodies: self.bodies.clone(),
            written_numbers: self.written_numbers.clone(),
        }
    }

    fn set_state(&mut self, state: &State) {
        let state = state.clone();
        self.pos = state.pos;
        self.claimed = state.claimed;
        self.types = state.types;
        self.undecided = state.undecided;
        self.generics = state.generics;
        self.variables = state.variables;
        self.type_functions = state.type_functions;
        self.blocks = state.blocks;
        self.block_members = state.block_members;
        self.bodies = state.bodies;
        self.written_numbers = state.written_numbers;
    }
}
