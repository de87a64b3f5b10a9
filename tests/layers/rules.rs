//! The rules of the layers, each on the text of one module; they give what is wrong, with its line.

use super::names::{self, Names, Path, Word};
use std::collections::BTreeMap;

/// Modules that may use files, environment, processes and time.
pub const OUTER: &[&str] = &["build_script", "batch", "cli", "main"];
/// What is outside of a program.
const WORLD: &[&str] = &["fs", "env", "time", "net", "process"];
/// Modules that know targets. `compile` holds the public list of targets, which is part of the options.
const KNOWS_TARGETS: &[&str] =
    &["target", "emit", "reflect", "options", "cli", "batch", "build_script", "compile", "validate"];
/// Words of the input language, of blocks and assembly of other languages that users write and of attributes of the library.
const OF_THE_INPUT: &[&str] =
    &["__glsl_extension", "__glsl_version", "__wgsl_enable", "glsl_block", "spirv_asm", "SpirvAsm"];
/// Layers that read GLSL's words: it is an input language too.
const READS_GLSL: &[&str] = &["lex", "preprocess", "parse", "stdlib"];
/// Words of targets. HLSL is also the input language.
const TARGETS: &[&str] = &["glsl", "essl", "wgsl", "spirv", "metal", "msl"];

/// The modules of `lib.rs` in order, and the module of each name that it exports from one.
pub struct Layers {
    order: Vec<String>,
    exported: BTreeMap<String, String>,
}

impl Layers {
    /// Of the text of `lib.rs`.
    pub fn of(lib: &str) -> Layers {
        let mut layers = Layers { order: Vec::new(), exported: BTreeMap::new() };
        for item in syn::parse_file(lib).expect("a root that parses").items {
            match item {
                syn::Item::Mod(module) => layers.order.push(module.ident.to_string()),
                syn::Item::Use(item) => layers.exports(&item.tree, None),
                _ => {}
            }
        }
        layers
    }

    fn exports(&mut self, tree: &syn::UseTree, module: Option<String>) {
        let mut export = |name: String, of: Option<String>| self.exported.extend(of.map(|of| (name, of)));
        match tree {
            syn::UseTree::Path(path) => self.exports(&path.tree, module.or(Some(path.ident.to_string()))),
            syn::UseTree::Group(group) => group.items.iter().for_each(|t| self.exports(t, module.clone())),
            syn::UseTree::Name(name) => export(name.ident.to_string(), module),
            syn::UseTree::Rename(name) => export(name.rename.to_string(), module),
            syn::UseTree::Glob(_) => export("*".to_owned(), module),
        }
    }

    fn place(&self, layer: &str) -> Option<usize> {
        self.order.iter().position(|l| l == layer)
    }

    /// The layer that a path from the root of the crate leads to.
    fn layer_of<'a>(&'a self, path: &'a Path) -> Option<&'a str> {
        let first = path.segments.get(1)?;
        let exported = || self.exported.get(first).map(String::as_str);
        self.place(first).map(|_| first.as_str()).or_else(exported)
    }

    /// The layers in order.
    pub fn order(&self) -> &[String] {
        &self.order
    }

    /// Uses of modules that come later, by whatever way.
    pub fn upward(&self, module: &[&str], names: &Names) -> Vec<String> {
        let Some(own) = module.first().and_then(|m| self.place(m)) else {
            return vec!["this module is not declared in src/lib.rs".to_owned()];
        };
        let mut wrong = Vec::new();
        for path in names.paths.iter().filter(|p| p.segments.first().is_some_and(|s| s == "crate")) {
            let what = match path.segments.get(1).map(String::as_str) {
                None | Some("*") => "the crate as a whole has the layers below in it".to_owned(),
                Some(_) => match self.layer_of(path).and_then(|layer| Some((layer, self.place(layer)?))) {
                    Some((layer, place)) if place > own => format!("`{layer}` is below this layer"),
                    Some(_) => continue,
                    None => "neither a layer nor exported by src/lib.rs".to_owned(),
                },
            };
            wrong.push(format!("{}: `{}`: {what}", path.line, path.text()));
        }
        wrong
    }
}

/// Uses of files, environment, processes and time. Clippy finds the calls too (`disallowed_methods`); here a `use` is enough.
pub fn world(module: &[&str], names: &Names) -> Vec<String> {
    let outer = module.first().is_some_and(|m| OUTER.contains(m));
    let touches = |p: &&Path| {
        let std = matches!(p.segments.first().map(String::as_str), Some("std" | "core"));
        std && p.segments.get(1).is_none_or(|s| s == "*" || WORLD.contains(&s.as_str()))
    };
    let found = names.paths.iter().filter(touches).filter(|_| !outer);
    found.map(|p| format!("{}: `{}`: only {OUTER:?} do I/O", p.line, p.text())).collect()
}

/// Targets that are named where capabilities and facts of the profile say what differs.
pub fn targets(module: &[&str], names: &Names) -> Vec<String> {
    let is_in = |layers: &[&str]| module.first().is_some_and(|m| layers.contains(m));
    let (knows, reads) = (is_in(KNOWS_TARGETS), is_in(READS_GLSL));
    let is_one = |w: &&Word| if w.is_string { is_target(&w.text) } else { has_target(&w.text) };
    let is_glsl = |text: &str| {
        let text = text.to_lowercase();
        text.contains("glsl") && !has_target(&text.replace("glsl", ""))
    };
    let is_input = |text: &str| OF_THE_INPUT.contains(&text) || reads && is_glsl(text);
    let found = names.words.iter().filter(is_one).filter(|w| !knows && !is_input(&w.text));
    found.map(|w| format!("{}: `{}` names a target", w.line, w.text)).collect()
}

/// Whether a string is the name of a target or profile.
fn is_target(text: &str) -> bool {
    let name = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    name && (text == "hlsl" || has_target(text))
}

/// Whether an identifier has the name of a target in it, or asks whether the target is HLSL.
fn has_target(name: &str) -> bool {
    let mut spaced = String::new();
    for c in name.chars() {
        spaced.push_str(&if c.is_ascii_uppercase() { format!(" {}", c.to_ascii_lowercase()) } else { c.to_string() });
    }
    name == "is_hlsl"
        || name.ends_with("Target::Hlsl")
        || !name.contains("::") && spaced.split([' ', '_']).any(|word| TARGETS.contains(&word))
}

/// Functions of more lines than fit a screen.
pub fn long_functions(text: &str, most: usize) -> Vec<String> {
    struct Lengths(Vec<(usize, usize, String)>);
    impl Lengths {
        fn note(&mut self, signature: &syn::Signature, block: &syn::Block) {
            let start = signature.fn_token.span.start().line;
            let end = block.brace_token.span.close().end().line;
            self.0.push((start, end - start, signature.ident.to_string()));
        }
    }
    impl<'ast> syn::visit::Visit<'ast> for Lengths {
        fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
            if !names::is_test(&item.attrs) {
                syn::visit::visit_item_mod(self, item);
            }
        }
        fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
            self.note(&item.sig, &item.block);
            syn::visit::visit_item_fn(self, item);
        }
        fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
            self.note(&item.sig, &item.block);
            syn::visit::visit_impl_item_fn(self, item);
        }
    }
    let mut lengths = Lengths(Vec::new());
    syn::visit::Visit::visit_file(&mut lengths, &syn::parse_file(text).expect("a source that parses"));
    let long = lengths.0.into_iter().filter(|(_, lines, _)| *lines > most);
    long.map(|(line, lines, name)| format!("{line}: `{name}` has {lines} lines")).collect()
}

/// What has a row for each of these is revised when one is added: the compiler then lists the matches.
const LISTED: &[&str] = &["Stage", "Language", "Api", "Capability"];

/// Matches on one of [`LISTED`] with `_` for all others. Tables of pairs may have one: that of the pairs that do not occur.
pub fn wildcards(text: &str) -> Vec<String> {
    struct Matches(Vec<String>);
    impl<'ast> syn::visit::Visit<'ast> for Matches {
        fn visit_expr_match(&mut self, item: &'ast syn::ExprMatch) {
            let listed = item.arms.iter().any(|arm| is_listed(&arm.pat));
            for arm in item.arms.iter().filter(|arm| listed && matches!(arm.pat, syn::Pat::Wild(_))) {
                let line = arm.fat_arrow_token.spans[0].start().line;
                self.0.push(format!("{line}: an arm for all other cases"));
            }
            syn::visit::visit_expr_match(self, item);
        }
    }
    let mut matches = Matches(Vec::new());
    syn::visit::Visit::visit_file(&mut matches, &syn::parse_file(text).expect("a source that parses"));
    matches.0
}

fn is_listed(pattern: &syn::Pat) -> bool {
    match pattern {
        syn::Pat::Or(or) => or.cases.iter().any(is_listed),
        syn::Pat::Path(path) => {
            let owner = path.path.segments.iter().rev().nth(1);
            owner.is_some_and(|name| LISTED.iter().any(|l| name.ident == l))
        }
        _ => false,
    }
}
