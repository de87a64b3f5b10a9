//! The standard library: `stdlib/*.slang`, brought through the same lexer, preprocessor and parser as user code.
//!
//! It is parsed once a process, when first asked for. `check` reads its declarations before those of the user and
//! checks a body when it is first used. Nothing here knows what is declared in it.

use crate::ast::{Decl, DeclKind, StmtKind, Unit};
use crate::diagnostic::Diagnostics;
use crate::lex::{TokenKind, TokenStream};
use crate::parse::{self, parse};
use crate::preprocess::{Language, Preprocess, preprocess};
use crate::source::{MemoryLoader, Sources};
use crate::symbol::Symbol;
use crate::tree::Template;
use rustc_hash::FxHashSet;
use std::sync::{LazyLock, OnceLock};

/// (name, text) of each file, in the order in which they are declared.
macro_rules! files {
    ($($name:literal)*) => {
        &[$((concat!("stdlib/", $name), include_str!(concat!("../stdlib/", $name)))),*]
    };
}

/// The files of the library.
const FILES: &[(&str, &str)] = files! {
    "core.slang" "math.slang" "matrix.slang" "bits.slang" "stage.slang" "texture.slang" "sampled.slang" "image.slang"
    "buffer.slang" "atomic.slang" "wave.slang" "raytracing.slang" "debug.slang"
};

/// The parsed library.
#[derive(Debug)]
pub struct Stdlib {
    /// One a file, in order.
    pub units: Vec<Unit>,
    /// The texts, for places in them: their file ids differ from all of a program.
    pub sources: Sources,
    /// What is wrong in it: nothing, as a test makes sure.
    pub problems: Diagnostics,
}

/// The whole standard library.
pub fn stdlib() -> &'static Stdlib {
    FULL.get_or_init(|| load(&vec![true; FILES.len()]))
}

static FULL: OnceLock<Stdlib> = OnceLock::new();
/// The first one that was loaded for a single program, and which files it holds.
static PARTIAL: OnceLock<(Vec<bool>, Stdlib)> = OnceLock::new();

/// The names that a program mentions, which tell what of the library it may need.
#[derive(Debug, Default)]
pub struct Mentions {
    names: FxHashSet<Symbol>,
}

impl Mentions {
    /// Adds the names in a token stream.
    pub fn add(&mut self, tokens: &TokenStream) {
        self.names.extend(tokens.tokens.iter().filter(|t| t.kind == TokenKind::Ident).map(|t| t.text));
    }

    /// Whether a file of the library may be needed. Its first line says which words are part of the names it serves.
    fn need(&self, text: &str) -> bool {
        let first = text.lines().next().unwrap_or("");
        let Some(words) = first.strip_prefix("// Used by: ") else { return true };
        // The order does not matter: any will do.
        self.names.iter().any(|name| words.split(' ').any(|word| name.as_str().contains(word)))
    }
}

/// What a program with these names needs of the library, or more. A process that compiles one small program need not read
/// all of it. A program that does not check with this is to be checked again with all, before its errors are told.
pub fn stdlib_for(mentions: &Mentions) -> &'static Stdlib {
    let needed: Vec<bool> = FILES.iter().map(|(_, text)| mentions.need(text)).collect();
    if FULL.get().is_some() || needed.iter().all(|n| *n) {
        return stdlib();
    }
    let (held, partial) = PARTIAL.get_or_init(|| (needed.clone(), load(&needed)));
    let enough = needed.iter().zip(held).all(|(needed, held)| *held || !needed);
    if enough { partial } else { stdlib() }
}

fn load(wanted: &[bool]) -> Stdlib {
    let mut library = Stdlib { units: Vec::new(), sources: Sources::for_library(), problems: Diagnostics::default() };
    for ((name, text), _) in FILES.iter().zip(wanted).filter(|(_, wanted)| **wanted) {
        add_file(&mut library, name, text);
    }
    library
}

fn add_file(library: &mut Stdlib, name: &str, text: &str) {
    let options = Preprocess { language: Some(Language::Slang), ..Preprocess::default() };
    let loader = MemoryLoader::new().with(name, text);
    let tokens = preprocess(&loader, name, &options, &mut library.sources, &mut library.problems);
    let mut unit = parse(&tokens, parse::Language::Slang, &mut library.problems);
    unit.decls.iter_mut().for_each(keep_documentation);
    library.units.push(unit);
}

/// Helpers may be emitted with their documentation; remarks between declarations are for readers of the library only.
fn keep_documentation(decl: &mut Decl) {
    decl.comments.retain(|c| c.text.as_str().starts_with("///"));
    if let DeclKind::Extension(extension) = &mut decl.kind {
        extension.members.iter_mut().for_each(keep_documentation);
    }
}

/// An operation that passes write by themselves, by its name in `stdlib/operations.slang`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Operation {
    BitsToFloat,
    FloatToBits,
    BitsToHalf,
    HalfToBits,
    WordsToDouble,
    DoubleToWords,
    AtomicLoad,
    AtomicStore,
    Transpose,
    Product,
    Dot,
    Truncate,
}

impl Operation {
    /// (operation, its name in the file).
    const TABLE: &[(Operation, &str)] = &[
        (Operation::BitsToFloat, "bits_to_float"),
        (Operation::FloatToBits, "float_to_bits"),
        (Operation::BitsToHalf, "bits_to_half"),
        (Operation::HalfToBits, "half_to_bits"),
        (Operation::WordsToDouble, "words_to_double"),
        (Operation::DoubleToWords, "double_to_words"),
        (Operation::AtomicLoad, "atomic_load"),
        (Operation::AtomicStore, "atomic_store"),
        (Operation::Transpose, "transpose"),
        (Operation::Product, "product"),
        (Operation::Dot, "dot"),
        (Operation::Truncate, "truncate"),
    ];

    /// The spelling in a language, or that of all languages that have no case of their own.
    pub fn spelling(self, language: &str) -> &'static Template {
        static NONE: Template = Template { pieces: Vec::new(), loose: false };
        let cases = OPERATIONS.iter().filter(|s| s.0 == self);
        let own = cases.clone().find(|s| s.1.as_str() == language);
        let found = own.or_else(|| cases.clone().find(|s| s.1.as_str() == EVERY));
        found.map_or(&NONE, |s| &s.2)
    }

    /// The spelling of the languages that have no case of their own.
    pub fn common(self) -> &'static Template {
        self.spelling(EVERY)
    }
}

/// The name of the case for all other targets.
const EVERY: &str = "default";

/// The cases of all operations: (operation, language, spelling).
static OPERATIONS: LazyLock<Vec<(Operation, Symbol, Template)>> = LazyLock::new(|| {
    let mut library = Stdlib { units: Vec::new(), sources: Sources::for_library(), problems: Diagnostics::default() };
    add_file(&mut library, "stdlib/operations.slang", include_str!("../stdlib/operations.slang"));
    let mut found = Vec::new();
    for decl in library.units.iter().flat_map(|u| &u.decls) {
        let DeclKind::Function(function) = &decl.kind else { continue };
        let row = Operation::TABLE.iter().find(|(_, name)| function.name.name == **name);
        let (Some((operation, _)), Some(body)) = (row, &function.body) else { continue };
        for stmt in &body.stmts {
            match &stmt.kind {
                StmtKind::TargetSwitch(cases) => {
                    for (names, block) in cases {
                        let template = block.stmts.iter().find_map(|s| spelling(&s.kind)).unwrap_or_default();
                        let every = names.is_empty().then(|| Symbol::new(EVERY));
                        let languages = names.iter().map(|n| n.name).chain(every);
                        found.extend(languages.map(|name| (*operation, name, template.clone())));
                    }
                }
                other => found.extend(spelling(other).map(|t| (*operation, Symbol::new(EVERY), t))),
            }
        }
    }
    found
});

fn spelling(stmt: &StmtKind) -> Option<Template> {
    match stmt {
        StmtKind::IntrinsicAsm(text, _) => Template::parse(text.as_str()).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::Block;
    use crate::source::Span;

    /// Where and what the problems are, one a line.
    fn problems(library: &Stdlib) -> Vec<String> {
        let place = |d: &crate::diagnostic::Diagnostic| {
            let span = library.sources.use_site(d.span?);
            let file = library.sources.file(span.file)?;
            Some(format!("{}:{}", file.name, library.sources.line_column(span.file, span.start).0 + 1))
        };
        library.problems.list().iter().map(|d| format!("{}: {}", place(d).unwrap_or_default(), d.message)).collect()
    }

    #[test]
    fn has_no_syntax_errors() {
        let library = stdlib();
        assert_eq!(problems(library), Vec::<String>::new());
        assert!(library.units.iter().all(|u| !u.decls.is_empty()));
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
                StmtKind::IntrinsicAsm(text, _) => found.push((stmt.span, *text)),
                _ => {}
            }
        }
    }

    #[test]
    fn spellings_are_well_formed() {
        let library = stdlib();
        let mut found = Vec::new();
        library.units.iter().flat_map(|u| &u.decls).for_each(|d| templates(d, &mut found));
        assert!(found.len() > 500, "only {} spellings", found.len());
        for (_, text) in found {
            assert!(Template::parse(text.as_str()).is_ok(), "{text}");
            let depth = |open, close| text.as_str().matches(open).count() == text.as_str().matches(close).count();
            assert!(depth('(', ')') && depth('[', ']') && depth('<', '>'), "{text}");
        }
    }

    #[test]
    fn operations_have_spellings() {
        for (operation, name) in Operation::TABLE {
            for language in ["hlsl", "glsl", "wgsl"] {
                // WGSL has no doubles; HLSL's words of a double are two results.
                let lacks = name.contains("double") && language == "wgsl";
                assert!(lacks || !operation.spelling(language).pieces.is_empty(), "{name} in {language}");
            }
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
    fn files_are_needed_by_the_names_they_serve() {
        let needed = |text: &str| -> Vec<&str> {
            let mentions = mentions(text);
            let files = FILES.iter().filter(|(_, file)| file.starts_with("// Used by") && mentions.need(file));
            files.filter_map(|(name, _)| name.strip_prefix("stdlib/")?.strip_suffix(".slang")).collect()
        };
        assert_eq!(needed("float4 f(float2 uv) { return float4(sin(uv), 0, 1); }"), Vec::<&str>::new());
        assert_eq!(needed("Texture2D<float4> t; float3 g(float3x3 m)"), ["matrix", "texture"]);
        assert_eq!(needed("Sampler2D s;"), ["texture", "sampled"]);
        assert_eq!(needed("RWByteAddressBuffer b; b.InterlockedAdd(0, 1);"), ["buffer", "atomic"]);
        assert_eq!(needed("uint n = WaveGetLaneIndex();"), ["wave"]);
    }

    #[test]
    fn places_do_not_meet_those_of_programs() {
        let library = stdlib();
        let mut sources = Sources::default();
        let user = sources.add("a.hlsl", "int x;".into());
        sources.set_library(&library.sources);
        for (id, file) in library.sources.files() {
            assert!(id.is_library() && id != user);
            assert_eq!(sources.file(id).map(|f| &f.name), Some(&file.name));
        }
        assert_eq!(sources.file(user).map(|f| f.name.as_str()), Some("a.hlsl"));
    }
}
