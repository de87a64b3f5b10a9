//! The standard library: `stdlib/*.slang`, brought through the same lexer, preprocessor and parser as user code.
//!
//! It is parsed once a process, when first asked for. `check` reads its declarations before those of the user and
//! checks a body when it is first used. Nothing here knows what is declared in it.

use crate::ast::{Decl, DeclKind, Unit};
use crate::diagnostic::Diagnostics;
use crate::parse::{self, parse};
use crate::preprocess::{Language, Preprocess, preprocess};
use crate::source::{MemoryLoader, Sources};
use std::sync::OnceLock;

/// (name, text) of each file, in the order in which they are declared.
macro_rules! files {
    ($($name:literal)*) => {
        &[$((concat!("stdlib/", $name), include_str!(concat!("../stdlib/", $name)))),*]
    };
}

/// The files of the library.
const FILES: &[(&str, &str)] = files! {
    "core.slang" "math.slang" "matrix.slang" "bits.slang" "stage.slang" "texture.slang" "sampled.slang" "image.slang"
    "buffer.slang" "atomic.slang" "wave.slang" "raytracing.slang"
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

/// The standard library.
pub fn stdlib() -> &'static Stdlib {
    static STDLIB: OnceLock<Stdlib> = OnceLock::new();
    STDLIB.get_or_init(load)
}

fn load() -> Stdlib {
    let mut library = Stdlib { units: Vec::new(), sources: Sources::for_library(), problems: Diagnostics::default() };
    let options = Preprocess { language: Some(Language::Slang), ..Preprocess::default() };
    for (name, text) in FILES {
        let loader = MemoryLoader::new().with(name, text);
        let tokens = preprocess(&loader, name, &options, &mut library.sources, &mut library.problems);
        let mut unit = parse(&tokens, parse::Language::Slang, &mut library.problems);
        unit.decls.iter_mut().for_each(keep_documentation);
        library.units.push(unit);
    }
    library
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
    use crate::ast::{Block, StmtKind};
    use crate::source::Span;
    use crate::symbol::Symbol;
    use crate::tree::Template;

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
