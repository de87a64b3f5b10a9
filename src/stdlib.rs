//! The standard library: `stdlib/*.slang`, brought through the same lexer, preprocessor and parser as user code.
//!
//! The build script runs the lexer and the preprocessor, and splits the tokens into parts (see `build.rs`). A part is parsed
//! when a program first needs it, once a process; a program gets the parts that declare what it mentions, and what those
//! mention. `check` reads them before the declarations of the user and checks a body when it is first used. Nothing here
//! knows what is declared in the library.

mod operations;

use crate::ast::{Decl, DeclKind, Unit};
use crate::diagnostic::Diagnostics;
use crate::lex::{Comment, CommentRange, Token, TokenKind, TokenStream};
use crate::parse::{self, parse};
use crate::source::{FileId, Sources, Span};
use crate::symbol::Symbol;
pub use operations::Operation;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

/// What the build script made: the rows of [`Part`], the numbered spellings, and which parts declare which of them.
mod table {
    include!(concat!(env!("OUT_DIR"), "/stdlib.rs"));
    pub static TOKENS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/stdlib.tokens"));
}

/// Names that the checker looks for in the library where a program has these words.
const IMPLIED: &[(&str, &str)] = &[
    ("?", "Optional"),
    ("none", "Optional"),
    ("as", "Optional"),
    ("Conditional", "Optional"),
    ("interface", "reinterpret"),
    ("throws", "__Result"),
    ("throws", "__Failure"),
    ("__glsl", "mul"),
    ("__glsl", "all"),
    ("__glsl", "any"),
    ("__glsl", "__algebraicProducts"),
    ("Ptr", "__elementStride"),
    ("functype", "__FunctionValue"),
];

/// The module with GLSL's words; a program that names it or has a `#version` gets it.
pub const GLSL: &str = "glsl";
/// What is mentioned by such programs alone.
const MARK: &str = "__glsl";

/// What of the library a program gets.
#[derive(Debug)]
pub struct Stdlib {
    /// One list of parts a file of the library, in order of declaration.
    pub files: Vec<Vec<&'static Part>>,
    /// It is all of the library.
    pub whole: bool,
}

/// A declaration of the library, or an extension with one of its members.
#[derive(Debug)]
pub struct Part {
    /// The declaration.
    pub decl: Decl,
    /// The number of the extension that its members belong to.
    pub extension: Option<u32>,
}

/// The whole standard library.
pub fn stdlib() -> &'static Stdlib {
    static WHOLE: OnceLock<Stdlib> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let glsl = table::FILES.iter().position(|(name, _)| name.contains(GLSL));
        let is_own = |n: usize| Row::of(n).is_none_or(|row| Some(row.file as usize) != glsl);
        let wanted: Vec<bool> = (0..table::PROGRAM_PARTS).map(is_own).collect();
        Stdlib { whole: true, ..Stdlib::of(&wanted) }
    })
}

/// The texts of the library, for places in them: their file ids differ from all of a program.
pub fn sources() -> &'static Sources {
    static SOURCES: OnceLock<Sources> = OnceLock::new();
    SOURCES.get_or_init(|| {
        let mut sources = Sources::for_library();
        for (name, text) in table::FILES {
            sources.add(name, (*text).into());
        }
        sources
    })
}

/// The names that a program mentions, which tell what of the library it may need.
#[derive(Clone, Debug, Default)]
pub struct Mentions {
    names: FxHashSet<Symbol>,
}

impl Mentions {
    /// Adds the names in a token stream.
    pub fn add(&mut self, tokens: &TokenStream) {
        let choice = Symbol::new("?");
        let words = tokens.tokens.iter().filter(|t| t.kind == TokenKind::Ident || t.text == choice);
        self.names.reserve(tokens.tokens.len() / 8);
        self.names.extend(words.map(|t| t.text));
        #[expect(clippy::disallowed_methods, reason = "the order does not matter")]
        let may_be = self.names.iter().any(may_be_of_glsl);
        if tokens.glsl || may_be && has_words_of_glsl(&tokens.tokens) {
            self.names.insert(Symbol::new(MARK));
        }
    }

    /// All of the library that is of use to a program.
    pub fn whole(&self) -> &'static Stdlib {
        static WITH_GLSL: OnceLock<Stdlib> = OnceLock::new();
        match self.names.contains(&Symbol::new(MARK)) {
            true => WITH_GLSL.get_or_init(|| Stdlib::of(&vec![true; table::PROGRAM_PARTS])),
            false => stdlib(),
        }
    }

    /// Whether all names of others are among these, and both have GLSL's words or none has.
    pub fn has(&self, others: &Mentions) -> bool {
        let has_glsl = |mentions: &Mentions| mentions.names.contains(&Symbol::new(MARK));
        has_glsl(self) == has_glsl(others) && others.names.is_subset(&self.names)
    }

    /// Adds the names of other tokens.
    pub fn extend(&mut self, others: &Mentions) {
        self.names.extend(&others.names);
    }

    /// What a program with these names needs of the library, or more. A program that does not check with this is to be
    /// checked again with all, before its errors are reported. Programs that mention the same of the library share it.
    pub fn stdlib(&self) -> Arc<Stdlib> {
        /// More are not kept.
        const MOST: usize = 256;
        static KNOWN: Mutex<FxHashMap<Vec<usize>, Arc<Stdlib>>> = Mutex::new(FxHashMap::with_hasher(FxBuildHasher));
        let known = || KNOWN.lock().unwrap_or_else(|e| e.into_inner());
        let names = self.in_library();
        if let Some(library) = known().get(&names) {
            return library.clone();
        }
        let mut search = Search::new();
        names.iter().for_each(|name| search.name(*name));
        search.run();
        let library = Arc::new(Stdlib::of(&search.wanted));
        let mut known = known();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(names, library.clone());
        library
    }

    /// The numbers of the names that the library declares, in order.
    fn in_library(&self) -> Vec<usize> {
        #[expect(clippy::disallowed_methods, reason = "the numbers are sorted")]
        let words = self.names.iter().flat_map(|name| {
            let implied = IMPLIED.iter().filter(move |(word, _)| *name == *word).map(|(_, name)| *name);
            implied.chain([name.as_str()])
        });
        let mut numbers: Vec<usize> = words.filter_map(find).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

/// Whether a file is written in GLSL's words, or has them by an import.
pub fn has_glsl(tokens: &TokenStream) -> bool {
    tokens.glsl || has_words_of_glsl(&tokens.tokens)
}

/// Whether there is what only GLSL and programs with its module have: its import, its storage blocks
/// `buffer Name { ... }` or the size of the group as it says it.
fn has_words_of_glsl(tokens: &[Token]) -> bool {
    let words = tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Ident);
    let mut words = words.filter(|(_, token)| may_be_of_glsl(&token.text));
    words.any(|(at, token)| {
        let behind = |n: usize| tokens.get(at + n);
        match token.text.as_str() {
            "import" => behind(1).is_some_and(|name| name.text.as_str().trim_matches('"') == GLSL),
            "buffer" => {
                let is_block = |name: &Token| name.kind == TokenKind::Ident && behind(2).is_some_and(|t| t.text == "{");
                behind(1).is_some_and(is_block)
            }
            _ => true,
        }
    })
}

/// Whether a word is one of these; most are told by their first letters.
fn may_be_of_glsl(word: &Symbol) -> bool {
    let text = word.as_str();
    match text.as_bytes() {
        [b'l', b'o', ..] => text.starts_with("local_size_"),
        [b'i', b'm', ..] => text == "import",
        [b'b', b'u', ..] => text == "buffer",
        _ => false,
    }
}

/// The number of a spelling that is declared in the library.
fn find(name: &str) -> Option<usize> {
    let (mut from, mut to) = (0, table::DECLARERS_END.len());
    while from < to {
        let middle = (from + to) / 2;
        match spelling(middle).cmp(name) {
            std::cmp::Ordering::Equal => return Some(middle),
            std::cmp::Ordering::Less => from = middle + 1,
            std::cmp::Ordering::Greater => to = middle,
        }
    }
    None
}

/// The parts that declare the name of a number.
fn declarers(name: usize) -> impl Iterator<Item = usize> {
    let end = |n: Option<usize>| n.and_then(|n| table::DECLARERS_END.get(n)).map_or(0, |end| (*end).into());
    let parts = table::DECLARERS.get(end(name.checked_sub(1))..end(Some(name))).unwrap_or_default();
    parts.iter().map(|part| (*part).into())
}

/// Whether the library has another name of a type by this name.
pub fn is_type_name(name: &str) -> bool {
    let is_alias = |part: usize| parsed(part).is_some_and(|p| matches!(p.decl.kind, DeclKind::Alias(_)));
    find(name).is_some_and(|number| declarers(number).any(is_alias))
}

/// A numbered spelling.
fn spelling(number: usize) -> &'static str {
    let end = |n: Option<usize>| n.and_then(|n| table::TEXT_END.get(n)).map_or(0, |end| *end as usize);
    table::TEXT.get(end(number.checked_sub(1))..end(Some(number))).unwrap_or("")
}

/// Finds the parts that names need, and those that the parts need.
struct Search {
    /// By number of name.
    seen: Vec<bool>,
    /// By number of part.
    wanted: Vec<bool>,
    /// Members of types that were not met yet.
    waiting: Vec<(usize, Row)>,
    /// Parts whose names are to be followed.
    next: Vec<Row>,
}

impl Search {
    fn new() -> Search {
        let mut search = Search {
            seen: vec![false; table::DECLARERS_END.len()],
            wanted: vec![false; table::PROGRAM_PARTS],
            waiting: Vec::new(),
            next: Vec::new(),
        };
        table::ALWAYS.iter().for_each(|part| search.part((*part).into()));
        search
    }

    fn name(&mut self, name: usize) {
        if self.seen.get(name) != Some(&false) {
            return;
        }
        self.seen[name] = true;
        declarers(name).for_each(|part| self.part(part));
    }

    fn part(&mut self, number: usize) {
        let Some(row) = Row::of(number).filter(|_| self.wanted.get(number) == Some(&false)) else { return };
        if row.extends.is_some_and(|ty| self.seen.get(ty) == Some(&false)) {
            self.waiting.push((number, row));
            return;
        }
        self.wanted[number] = true;
        self.next.push(row);
    }

    fn run(&mut self) {
        loop {
            while let Some(row) = self.next.pop() {
                let names = table::NEEDS.get(row.needs).unwrap_or_default();
                names.iter().for_each(|name| self.name((*name).into()));
            }
            let waiting = std::mem::take(&mut self.waiting);
            waiting.into_iter().for_each(|(number, _)| self.part(number));
            if self.next.is_empty() {
                return;
            }
        }
    }
}

/// A row of the table of parts.
struct Row {
    file: u32,
    tokens: Range<usize>,
    comments: Range<usize>,
    /// The number of the name of the type that it extends.
    extends: Option<usize>,
    /// Where the numbers of the names are that it mentions.
    needs: Range<usize>,
    /// It is of the same extension as the part before it.
    joins: bool,
}

impl Row {
    fn of(part: usize) -> Option<Row> {
        let [file, tokens, comments, end, extends, needs, needs_end, joins] = *table::PARTS.get(part)?;
        let range = |from: u32, to: u32| from as usize..to as usize;
        Some(Row {
            file,
            tokens: range(tokens, comments),
            comments: range(comments, end),
            extends: (extends != 0xffff).then_some(extends as usize),
            needs: range(needs, needs_end),
            joins: joins != 0,
        })
    }

    /// The tokens, as the preprocessor gave them.
    fn stream(&self) -> TokenStream {
        let mut stream = TokenStream::default();
        let mut next_comment = 0;
        for word in self.tokens.clone().filter_map(|at| Word::of(at, self.file)) {
            let comments = CommentRange { start: next_comment, count: word.comments };
            next_comment += word.comments;
            stream.tokens.push(Token {
                kind: KINDS.get(word.kind).copied().unwrap_or(TokenKind::Eof),
                text: word.text,
                span: word.span,
                line_start: word.flag(0),
                space_before: word.flag(1),
                joined: word.flag(2),
                blank_before: word.flag(3),
                comments,
            });
        }
        for word in self.comments.clone().filter_map(|at| Word::of(at, self.file)) {
            let (trailing, blank_before, blank_after) = (word.flag(0), word.flag(1), word.flag(2));
            let Word { text, span, .. } = word;
            stream.comments.push(Comment { text, span, trailing, blank_before, blank_after });
        }
        let end = stream.tokens.last().map_or(Span::default(), |t| Span { start: t.span.end, ..t.span });
        stream.tokens.push(Token::eof(end));
        stream
    }
}

/// The kinds of tokens in the order of their numbers.
const KINDS: [TokenKind; 9] = [
    TokenKind::Ident,
    TokenKind::Int,
    TokenKind::Float,
    TokenKind::String,
    TokenKind::Char,
    TokenKind::Punct,
    TokenKind::Newline,
    TokenKind::Other,
    TokenKind::Eof,
];

/// A token or comment of the table.
struct Word {
    text: Symbol,
    kind: usize,
    flags: u64,
    comments: u32,
    span: Span,
}

impl Word {
    fn of(at: usize, file: u32) -> Option<Word> {
        let bytes = table::TOKENS.get(at * 8..)?.first_chunk()?;
        let word = u64::from_le_bytes(*bytes);
        let bits = |from: u32, count: u32| (word >> from) & ((1 << count) - 1);
        let start = bits(28, 20) as u32;
        let span = Span { file: FileId::of_library(file), start, end: start + bits(48, 16) as u32 };
        let (text, kind, comments) = (symbol(bits(0, 14) as usize), bits(14, 4) as usize, bits(22, 6) as u32);
        Some(Word { text, kind, flags: bits(18, 4), comments, span })
    }

    fn flag(&self, n: u32) -> bool {
        (self.flags >> n) & 1 == 1
    }
}

/// The symbol of a numbered spelling, interned on first use.
fn symbol(number: usize) -> Symbol {
    static SYMBOLS: OnceLock<Vec<OnceLock<Symbol>>> = OnceLock::new();
    let symbols = SYMBOLS.get_or_init(|| table::TEXT_END.iter().map(|_| OnceLock::new()).collect());
    let new = || Symbol::new(spelling(number));
    symbols.get(number).map_or_else(new, |slot| *slot.get_or_init(new))
}

/// The files that programs do not see, which are the last.
const HIDDEN: [&str; 2] = [OPERATIONS, HELPERS];
const OPERATIONS: &str = "operations";
const HELPERS: &str = "helpers";

/// The parts of a file that programs do not see.
fn hidden(name: &str) -> impl Iterator<Item = &'static Part> {
    let file = table::FILES.iter().position(|(file, _)| file.contains(name));
    let is_of_file = move |n: &usize| Row::of(*n).is_some_and(|row| Some(row.file as usize) == file);
    (table::PROGRAM_PARTS..table::PARTS.len()).filter(is_of_file).filter_map(parsed)
}

/// What passes write by themselves.
fn operations() -> impl Iterator<Item = &'static Part> {
    hidden(OPERATIONS)
}

/// The functions that passes call.
pub fn helpers() -> Unit {
    Unit { decls: hidden(HELPERS).map(|part| part.decl.clone()).collect(), ..Unit::default() }
}

/// A part by its number, parsed on first use. The library has no syntax errors, as a test makes sure.
fn parsed(number: usize) -> Option<&'static Part> {
    static PARSED: OnceLock<Vec<OnceLock<Option<Box<Part>>>>> = OnceLock::new();
    let parsed = PARSED.get_or_init(|| table::PARTS.iter().map(|_| OnceLock::new()).collect());
    parsed.get(number)?.get_or_init(|| parse_part(number, &mut Diagnostics::default()).map(Box::new)).as_deref()
}

fn parse_part(number: usize, problems: &mut Diagnostics) -> Option<Part> {
    let row = Row::of(number)?;
    let mut decl = parse(&row.stream(), parse::Language::Slang, problems).decls.into_vec().pop()?;
    keep_documentation(&mut decl);
    let first = |n: &usize| Row::of(*n).is_some_and(|row| !row.joins);
    let extension = row.extends.and_then(|_| (0..=number).rev().find(first)).map(|n| n as u32);
    Some(Part { decl, extension })
}

impl Stdlib {
    fn of(wanted: &[bool]) -> Stdlib {
        let mut files: Vec<Vec<&'static Part>> = vec![Vec::new(); table::FILES.len() - HIDDEN.len()];
        for (number, _) in wanted.iter().enumerate().filter(|(_, wanted)| **wanted) {
            if let (Some(row), Some(part)) = (Row::of(number), parsed(number))
                && let Some(file) = files.get_mut(row.file as usize)
            {
                file.push(part);
            }
        }
        Stdlib { files, whole: wanted.iter().all(|wanted| *wanted) }
    }
}

/// Helpers may be emitted with their documentation; remarks between declarations are for readers of the library only.
fn keep_documentation(decl: &mut Decl) {
    decl.comments.retain(|c| c.text.as_str().starts_with("///"));
    if let DeclKind::Extension(extension) = &mut decl.kind {
        extension.members.iter_mut().for_each(keep_documentation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{Block, ExtensionDecl, StmtKind};
    use crate::parse::dump;
    use crate::preprocess::{Preprocess, preprocess};
    use crate::source::MemoryLoader;
    use crate::tree::Template;

    /// A file of the library as the parser reads it whole, and the problems that it has, one a line.
    fn whole(name: &str, text: &str) -> (Unit, String) {
        let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
        let loader = MemoryLoader::new().with(name, text);
        let tokens = preprocess(&loader, name, &Preprocess::default(), &mut sources, &mut problems);
        let mut unit = parse(&tokens, parse::Language::Slang, &mut problems);
        let mut decls = std::mem::take(&mut unit.decls).into_vec();
        decls.iter_mut().for_each(keep_documentation);
        unit.decls = decls.into();
        let text = crate::diagnostic::render(&problems.take(), &sources, false);
        (unit, text)
    }

    /// A declaration as text; an extension as one a member.
    fn texts(decl: &Decl) -> Vec<String> {
        let DeclKind::Extension(all) = &decl.kind else { return vec![dump::decl(decl)] };
        if all.members.is_empty() {
            return vec![dump::decl(decl)];
        }
        let with = |member: &Decl| {
            let one = ExtensionDecl { members: vec![member.clone()], ..all.clone() };
            dump::decl(&Decl { kind: DeclKind::Extension(one), comments: Vec::new(), ..decl.clone() })
        };
        all.members.iter().map(with).collect()
    }

    #[test]
    fn parts_are_what_the_parser_makes_of_whole_files() {
        let unseen = HIDDEN.map(|file| hidden(file).collect());
        let everything = mentions("import glsl;").whole();
        for ((name, text), parts) in table::FILES.iter().zip(everything.files.iter().chain(&unseen)) {
            let (unit, problems) = whole(name, text);
            assert_eq!(problems, "");
            let of_file: Vec<String> = unit.decls.iter().flat_map(texts).collect();
            let of_parts: Vec<String> = parts.iter().flat_map(|p| texts(&p.decl)).collect();
            for (a, b) in of_file.iter().zip(&of_parts) {
                assert_eq!(a, b, "{name}");
            }
            assert_eq!(of_file.len(), of_parts.len(), "{name}");
        }
    }

    /// The names that a declaration is found by: none for what is found by its type.
    fn names(decl: &Decl) -> Vec<Symbol> {
        let members = |list: &[Decl]| list.iter().flat_map(names).collect();
        match &decl.kind {
            DeclKind::Extension(e) => members(&e.members),
            DeclKind::Function(f) if f.name.name.as_str().starts_with("operator") => Vec::new(),
            DeclKind::Function(f) => vec![f.name.name],
            DeclKind::Struct(s) | DeclKind::Interface(s) => vec![s.name.name],
            DeclKind::Enum(e) => e.cases.iter().map(|c| c.0.name).chain([e.name.name]).collect(),
            DeclKind::Alias(a) => vec![a.name.name],
            DeclKind::Var(v) => vec![v.name.name],
            DeclKind::Property(p) => vec![p.name.name],
            DeclKind::Subscript(_) => Vec::new(),
            DeclKind::Namespace(path, _) => path.iter().map(|n| n.name).collect(),
            other => panic!("the library declares {other:?}"),
        }
    }

    #[test]
    fn parts_are_found_by_what_they_declare() {
        for (number, row) in (0..table::PROGRAM_PARTS).filter_map(|n| Some((n, Row::of(n)?))) {
            let part = parsed(number).expect("a part");
            let mut names: Vec<&str> =
                names(&part.decl).iter().map(|n| n.as_str()).filter(|n| *n != "__init").collect();
            let extended = row.extends.map(spelling);
            if names.is_empty() {
                names.extend(extended);
            }
            for name in names {
                let mut search = Search::new();
                find(name).into_iter().for_each(|name| search.name(name));
                extended.and_then(find).into_iter().for_each(|name| search.name(name));
                search.run();
                assert!(search.wanted[number], "{name} of part {number}");
            }
        }
    }

    /// The templates of `__intrinsic_asm` in a declaration.
    fn templates(decl: &Decl, found: &mut Vec<(Span, Symbol)>) {
        let members = |list: &[Decl], found: &mut _| list.iter().for_each(|d| templates(d, found));
        match &decl.kind {
            DeclKind::Function(f) => f.body.iter().for_each(|b| block_templates(b, found)),
            DeclKind::Struct(s) => members(s.members.as_deref().unwrap_or_default(), found),
            DeclKind::Extension(e) => members(&e.members, found),
            DeclKind::Property(p) | DeclKind::Subscript(p) => {
                p.accessors.iter().flat_map(|a| &a.body).for_each(|b| block_templates(b, found));
            }
            _ => {}
        }
    }

    fn block_templates(block: &Block, found: &mut Vec<(Span, Symbol)>) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::TargetSwitch(cases) => cases.iter().for_each(|(_, b)| block_templates(b, found)),
                StmtKind::IntrinsicAsm(text) => found.push((stmt.span, *text)),
                _ => {}
            }
        }
    }

    #[test]
    fn spellings_are_well_formed() {
        let library = stdlib();
        let mut found = Vec::new();
        library.files.iter().flatten().for_each(|p| templates(&p.decl, &mut found));
        assert!(found.len() > 500, "only {} spellings", found.len());
        for (_, text) in found {
            assert!(Template::parse(text.as_str()).is_ok(), "{text}");
            let depth = |open, close| text.as_str().matches(open).count() == text.as_str().matches(close).count();
            assert!(depth('(', ')') && depth('[', ']') && depth('<', '>'), "{text}");
        }
    }

    /// The names in a text.
    fn mentions(text: &str) -> Mentions {
        let mut mentions = Mentions::default();
        let (mut comments, mut diags) = (Vec::new(), Diagnostics::default());
        let tokens = crate::lex::lex(crate::source::FileId::default(), text, &mut comments, &mut diags);
        mentions.add(&TokenStream { tokens, ..TokenStream::default() });
        mentions
    }

    #[test]
    fn a_program_gets_what_it_mentions() {
        let count = |text: &str| mentions(text).stdlib().files.iter().flatten().count();
        let holds = |text: &str, name: &str| {
            let library = mentions(text).stdlib();
            library.files.iter().flatten().any(|p| names(&p.decl).contains(&Symbol::new(name)))
        };
        assert_eq!(count("float4 f(float2 uv) { return float4(uv, 0, 1); }"), 0);
        // Of scalars and vectors, and of matrices.
        assert_eq!(count("float f(float x) { return sin(x); }"), 2);
        let texture = "Texture2D<float4> t; SamplerState s; float4 f(float2 uv) { return t.Sample(s, uv); }";
        assert!(holds(texture, "Texture2D") && holds(texture, "__Texture") && holds(texture, "Sample"));
        // Its elements are among what any use of a texture may need, and they are loads.
        assert!(!holds(texture, "GatherRed") && !holds(texture, "SampleGrad") && !holds(texture, "sin"));
        assert!(!holds("struct S { void Load() {} };", "Load"));
        // What conforms to an interface comes with that one, and no other.
        let buffer = "RWStructuredBuffer<float> r; void f() { r[0] = 1; }";
        assert!(holds(buffer, "__Buffer") && !holds(buffer, "IArithmetic") && !holds(buffer, "mul"));
        assert!(count(buffer) < 30, "{} parts", count(buffer));
        assert!(holds("T f<T : IComparable>(T a) { return a; }", "IFloat"));
        assert!(holds("float? x;", "Optional"));
    }

    #[test]
    fn places_do_not_meet_those_of_programs() {
        let mut sources = Sources::default();
        let user = sources.add("a.hlsl", "int x;".into());
        sources.set_library(super::sources);
        for (id, file) in super::sources().files() {
            assert!(id.is_library() && id != user);
            assert_eq!(sources.file(id).map(|f| &f.name), Some(&file.name));
        }
        assert_eq!(sources.file(user).map(|f| f.name.as_str()), Some("a.hlsl"));
    }
}
