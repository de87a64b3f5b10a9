//! The names of the types that a file's modules declare, for the parser: `T* q;` is a product and `(T)-x` a difference unless
//! `T` is a type. Other files are looked at only where a name decides that the file itself does not declare.

use super::frontend::locate;
use crate::ast::{Decl, DeclKind, Unit};
use crate::diagnostic::Diagnostics;
use crate::lex::TokenStream;
use crate::parse::{self, Beginnings, Language, parse_knowing};
use crate::preprocess::{Preprocess, preprocess};
use crate::source::{Loader, Sources};
use crate::stdlib;
use crate::symbol::Symbol;
use rustc_hash::FxHashSet;

/// Parses a file, again with the names of types of its modules where they decide how it reads.
pub(super) fn parse_with_imports(
    loader: &dyn Loader,
    name: &str,
    how: &Preprocess,
    tokens: &TokenStream,
    variants: Option<&Beginnings>,
    diags: &mut Diagnostics,
) -> Unit {
    let mut known = FxHashSet::default();
    let mut declared = None;
    loop {
        let mut problems = Diagnostics::default();
        let unit = parse_knowing(tokens, Language::of(name), &known, variants.map(|all| (all, name)), &mut problems);
        let before = known.len();
        if !unit.undecided.is_empty() {
            let declared = declared.get_or_insert_with(|| declared_types(loader, name, how, &unit));
            let is_type = |name: &&Symbol| {
                declared.contains(*name) || stdlib::has_glsl(tokens) && stdlib::is_type_name(name.as_str())
            };
            #[expect(clippy::disallowed_methods, reason = "they become a set again")]
            let found = unit.undecided.iter().filter(is_type);
            known.extend(found);
        }
        // What reads in another way now may show more of them.
        if known.len() == before {
            problems.take().into_iter().for_each(|problem| diags.push(problem));
            return unit;
        }
    }
}

/// The types of all files that a file imports, includes or is a part of, and those of their own.
fn declared_types(loader: &dyn Loader, name: &str, how: &Preprocess, unit: &Unit) -> FxHashSet<Symbol> {
    let mut types = FxHashSet::default();
    let mut seen: FxHashSet<String> = [name.to_owned()].into_iter().collect();
    let mut todo: Vec<(Symbol, String)> = modules(unit).map(|path| (path, name.to_owned())).collect();
    while let Some((path, from)) = todo.pop() {
        let Ok(file) = locate(loader, path.as_str(), &from) else { continue };
        if !seen.insert(file.clone()) {
            continue;
        }
        // What is wrong in it is reported where it is read as a module.
        let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
        let tokens = preprocess(loader, &file, how, &mut sources, &mut diags);
        let unit = parse::parse(&tokens, Language::of(&file), &mut diags);
        unit.decls.parts().into_iter().for_each(|decls| add_types(decls, &mut types));
        todo.extend(modules(&unit).map(|path| (path, file.clone())));
    }
    types
}

/// The modules and files that a unit names.
fn modules(unit: &Unit) -> impl Iterator<Item = Symbol> + '_ {
    unit.with_namespaces().filter_map(|decl| match &decl.kind {
        DeclKind::Import(path, _) | DeclKind::Include(path) | DeclKind::Implementing(path) => Some(path.name),
        _ => None,
    })
}

fn add_types(decls: &[Decl], types: &mut FxHashSet<Symbol>) {
    for decl in decls {
        match &decl.kind {
            DeclKind::Struct(of) | DeclKind::Interface(of) => {
                types.insert(of.name.name);
                add_types(of.members.as_deref().unwrap_or_default(), types);
            }
            DeclKind::Enum(of) => types.extend([of.name.name]),
            DeclKind::Alias(of) => types.extend([of.name.name]),
            DeclKind::Namespace(_, inner) => add_types(inner, types),
            DeclKind::Extension(of) => add_types(&of.members, types),
            _ => {}
        }
    }
}
