//! What a source file names: paths, resolved to the root of the crate or of another, and identifiers and strings.
//!
//! `use` trees and paths are parsed; in macros, whose bodies have no grammar, they are found among the tokens. Unit tests
//! (`#[cfg(test)]`) and documentation are left out.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// A path from a root: `crate::emit::glsl`, `std::fs`. A glob ends with `*`.
pub struct Path {
    pub line: usize,
    pub segments: Vec<String>,
}

impl Path {
    /// The segments as text.
    pub fn text(&self) -> String {
        self.segments.join("::")
    }
}

/// An identifier, a path as it is written, or a string.
pub struct Word {
    pub line: usize,
    pub text: String,
    pub is_string: bool,
}

/// What one file names.
#[derive(Default)]
pub struct Names {
    pub paths: Vec<Path>,
    pub words: Vec<Word>,
    /// The module that is visited, from the root of the crate.
    module: Vec<String>,
}

/// What the text of a module names.
pub fn names(module: &[&str], text: &str) -> Names {
    let file = syn::parse_file(text).expect("a source that parses");
    let mut names = Names { module: module.iter().map(|m| (*m).to_owned()).collect(), ..Names::default() };
    names.visit_file(&file);
    names
}

/// Whether an item is there for unit tests alone.
pub fn is_test(attributes: &[syn::Attribute]) -> bool {
    let test = |a: &syn::Attribute| {
        a.path().is_ident("cfg") && matches!(&a.meta, syn::Meta::List(l) if l.tokens.to_string() == "test")
    };
    attributes.iter().any(test)
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(i) => &i.attrs,
        syn::Item::Fn(i) => &i.attrs,
        syn::Item::Impl(i) => &i.attrs,
        syn::Item::Mod(i) => &i.attrs,
        syn::Item::Static(i) => &i.attrs,
        syn::Item::Struct(i) => &i.attrs,
        syn::Item::Use(i) => &i.attrs,
        _ => &[],
    }
}

impl Names {
    /// Notes a path if its first segment says where it begins; other paths begin with a name that a `use` or this module
    /// brought, which is noted by itself.
    fn path(&mut self, line: usize, segments: &[String]) {
        let mut root: Vec<String> = std::iter::once("crate".to_owned()).chain(self.module.clone()).collect();
        let rest = match segments.first().map(String::as_str) {
            Some("crate") => {
                root.truncate(1);
                segments.get(1..)
            }
            Some("self") => segments.get(1..),
            Some("super") => {
                let up = segments.iter().take_while(|s| *s == "super").count();
                root.truncate((root.len() - up.min(root.len())).max(1));
                segments.get(up..)
            }
            Some("std" | "core" | "alloc") => {
                root.clear();
                Some(segments)
            }
            _ => return,
        };
        root.extend(rest.unwrap_or_default().iter().cloned());
        self.paths.push(Path { line, segments: root });
    }

    fn tree(&mut self, tree: &syn::UseTree, before: &mut Vec<String>) {
        let mut leaf = |name: &str, span: proc_macro2::Span| {
            let own = (name != "self" || before.is_empty()).then(|| name.to_owned());
            let segments: Vec<String> = before.iter().cloned().chain(own).collect();
            self.path(span.start().line, &segments);
        };
        match tree {
            syn::UseTree::Name(name) => leaf(&name.ident.to_string(), name.ident.span()),
            syn::UseTree::Rename(name) => leaf(&name.ident.to_string(), name.ident.span()),
            syn::UseTree::Glob(glob) => leaf("*", glob.star_token.spans[0]),
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before);
                before.pop();
            }
            syn::UseTree::Group(group) => group.items.iter().for_each(|t| self.tree(t, before)),
        }
    }

    /// Paths and words among the tokens of a macro; `before` is the path that a group of names continues.
    fn tokens(&mut self, tokens: TokenStream, before: &[String]) {
        let list: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = list.get(at) {
            match token {
                TokenTree::Ident(_) => at = self.token_path(&list, at, before),
                TokenTree::Group(group) => self.tokens(group.stream(), &[]),
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                        self.word(literal.span().start().line, text.value(), true);
                    }
                }
                TokenTree::Punct(_) => {}
            }
            at += 1;
        }
    }

    /// The path that begins at a token; gives the last token of it.
    fn token_path(&mut self, list: &[TokenTree], mut at: usize, before: &[String]) -> usize {
        let is_colon = |t: Option<&TokenTree>| matches!(t, Some(TokenTree::Punct(p)) if p.as_char() == ':');
        let mut segments = before.to_vec();
        let mut line = 0;
        while let Some(TokenTree::Ident(ident)) = list.get(at) {
            line = ident.span().start().line;
            self.word(line, ident.to_string(), false);
            segments.push(ident.to_string());
            if !(is_colon(list.get(at + 1)) && is_colon(list.get(at + 2))) {
                break;
            }
            match list.get(at + 3) {
                Some(TokenTree::Ident(_)) => at += 3,
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    self.tokens(group.stream(), &segments);
                    return at + 3;
                }
                _ => break,
            }
        }
        if segments.len() > 1 {
            self.path(line, &segments);
            self.word(line, segments.join("::"), false);
        }
        at
    }

    fn word(&mut self, line: usize, text: String, is_string: bool) {
        self.words.push(Word { line, text, is_string });
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        if let Some(last) = path.segments.last().filter(|_| segments.len() > 1) {
            let line = last.ident.span().start().line;
            self.path(line, &segments);
            self.word(line, segments.join("::"), false);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, macro_: &'ast syn::Macro) {
        self.visit_path(&macro_.path);
        self.tokens(macro_.tokens.clone(), &[]);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let (syn::Meta::List(list), false) = (&attribute.meta, attribute.path().is_ident("doc")) {
            self.tokens(list.tokens.clone(), &[]);
        }
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_ident(&mut self, ident: &'ast Ident) {
        self.word(ident.span().start().line, ident.to_string(), false);
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.word(text.span().start().line, text.value(), true);
    }
}
