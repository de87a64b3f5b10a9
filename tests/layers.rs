//! The shape of the source: layers, where targets and I/O may be named, and the length of functions.
//!
//! That nothing takes its order from a hash table, and that only the outer layers call what touches files, environment and
//! time, are lints of clippy (`Cargo.toml`, `clippy.toml`).

#[path = "layers/names.rs"]
mod names;
#[path = "layers/rules.rs"]
mod rules;

use crate::support::{files_under, relative, root};
use names::{Names, names};
use rules::Layers;
use std::collections::BTreeMap;

/// A file of `src`, without its unit tests.
struct Source {
    path: String,
    /// Its module: `["check", "scope"]` for `src/check/scope.rs`.
    module: Vec<String>,
    text: String,
    names: Names,
}

impl Source {
    fn module(&self) -> Vec<&str> {
        self.module.iter().map(String::as_str).collect()
    }
}

fn sources() -> Vec<Source> {
    let all = files_under(&root().join("src"), &["rs"]);
    let read = |path: &std::path::PathBuf| {
        let below = path.strip_prefix(root().join("src")).expect("a path in src").with_extension("");
        let mut module: Vec<String> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        module.pop_if(|last| last == "mod");
        let text = std::fs::read_to_string(path).expect("a readable source");
        let names = names(&module.iter().map(String::as_str).collect::<Vec<_>>(), &text);
        Source { path: relative(path), module, text, names }
    };
    all.iter().filter(|p| p.file_name().is_none_or(|n| n != "tests.rs")).map(read).collect()
}

/// Lists what a rule finds in all files.
fn assert_none(why: &str, rule: &dyn Fn(&Source) -> Vec<String>) {
    let of = |s: &Source| rule(s).into_iter().map(|w| format!("{}:{w}", s.path)).collect::<Vec<_>>();
    let wrong: Vec<String> = sources().iter().flat_map(of).collect();
    assert!(wrong.is_empty(), "{why}\n{}", wrong.join("\n"));
}

fn layers() -> Layers {
    Layers::of(&std::fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs"))
}

#[test]
fn a_module_uses_only_modules_above_it() {
    let layers = layers();
    assert_none("", &|source| match source.module().as_slice() {
        ["lib" | "main"] => Vec::new(),
        module => layers.upward(module, &source.names),
    });
}

#[test]
fn the_layers_are_those_of_the_design() {
    const DESIGN: &[&str] = &[
        "symbol",
        "source",
        "diagnostic",
        "lex",
        "preprocess",
        "ast",
        "parse",
        "tree",
        "stdlib",
        "check",
        "usage",
        "target",
        "layout",
        "legalize",
        "emit",
        "reflect",
        "validate",
        "compile",
    ];
    let layers = layers();
    let known: Vec<&str> = layers.order().iter().map(String::as_str).filter(|l| DESIGN.contains(l)).collect();
    assert_eq!(known, DESIGN);
}

#[test]
fn only_the_outer_layers_touch_the_world() {
    assert_none("", &|source| rules::world(&source.module(), &source.names));
}

#[test]
fn target_names_stay_where_targets_are_known() {
    assert_none("a target is known by its capabilities here:", &|source| {
        rules::targets(&source.module(), &source.names)
    });
}

/// The call graph is followed in one place, so that nothing follows it without a bound.
#[test]
fn only_the_analyses_follow_calls() {
    assert_none("use `tree::analyses` instead of following calls:", &|source| match source.module().as_slice() {
        ["tree", "analyses", ..] | ["usage", ..] => Vec::new(),
        _ => {
            let found = source.names.words.iter().filter(|w| w.text == "callees" && !w.is_string);
            found.map(|w| w.line.to_string()).collect()
        }
    });
}

#[test]
fn stages_languages_and_capabilities_are_matched_one_by_one() {
    assert_none("", &|source| rules::wildcards(&source.text));
}

#[test]
fn functions_fit_a_screen() {
    assert_none("", &|source| rules::long_functions(&source.text, 110));
}

#[test]
fn codes_are_used_and_explained() {
    let sources = sources();
    let reported = |name: &str| {
        let outside = sources.iter().filter(|s| s.module() != ["diagnostic", "codes"]);
        outside.flat_map(|s| &s.names.words).any(|w| w.text == name && !w.is_string)
    };
    let mut missing = Vec::new();
    let mut by_number: BTreeMap<u16, &str> = BTreeMap::new();
    for (code, name, _) in shaderport::internals::diagnostic::codes::TABLE {
        assert!(by_number.insert(code.0, name).is_none(), "{code} is given twice");
        if !reported(name) {
            missing.push(format!("{code} {name} is never reported"));
        }
    }
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
}

#[test]
fn nothing_is_left_unfinished() {
    const MARKS: &[&str] = &["todo!(", "unimplemented!(", "dbg!(", "TODO", "FIXME", "XXX"];
    let mut wrong = Vec::new();
    for path in
        files_under(&root().join("src"), &["rs"]).into_iter().chain(files_under(&root().join("stdlib"), &["slang"]))
    {
        let text = std::fs::read_to_string(&path).expect("a readable source");
        for (index, line) in text.lines().enumerate() {
            if let Some(mark) = MARKS.iter().find(|m| line.contains(**m)) {
                wrong.push(format!("{}:{}: {mark}", relative(&path), index + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The types and traits that a file declares, but for unit tests and the insides of functions and macros.
fn declared(text: &str) -> Vec<String> {
    let items = syn::parse_file(text).expect("a source that parses").items;
    let name = |item: &syn::Item| match item {
        syn::Item::Struct(i) if !names::is_test(&i.attrs) => Some(i.ident.to_string()),
        syn::Item::Enum(i) => Some(i.ident.to_string()),
        syn::Item::Type(i) => Some(i.ident.to_string()),
        syn::Item::Trait(i) => Some(i.ident.to_string()),
        _ => None,
    };
    items.iter().filter_map(name).collect()
}

#[test]
fn a_layer_has_one_type_of_a_name() {
    let mut found: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for source in sources() {
        let layer = source.module.first().cloned().unwrap_or_default();
        for name in declared(&source.text) {
            found.entry((layer.clone(), name)).or_default().push(source.path.clone());
        }
    }
    found.retain(|_, files| files.len() > 1);
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!(declared("struct A; mod m { struct B; } fn f() { struct C; } enum D {} type A = u8;"), ["A", "D", "A"]);
}

/// What the rules must find, put in by hand.
#[test]
fn violations_are_found() {
    const LIB: &str =
        "mod symbol; mod tree; mod layout; mod legalize; mod emit; pub use emit::Printed; pub use tree::Node;";
    let layers = Layers::of(LIB);
    let up = |module: &[&str], text: &str| layers.upward(module, &names(module, text)).join("; ");
    let finds = |module: &[&str], text: &str, what: &str| {
        let found = up(module, text);
        assert!(found.contains(what), "{text}: `{found}` instead of `{what}`");
    };
    // A `use` of several lines, and braces in braces.
    finds(&["layout"], "use crate::{\n    symbol::Symbol,\n    emit,\n};", "3: `crate::emit`");
    finds(
        &["layout"],
        "use crate::{symbol::Symbol, tree::{self}, emit::{glsl::{self, Printer}}};",
        "`crate::emit::glsl`",
    );
    // By the root's re-export, by a re-export of a layer's own, by the whole root, by another name of it.
    finds(&["layout"], "use crate::Printed;", "`crate::Printed`: `emit` is below");
    finds(&["layout"], "pub use crate::emit::Printed as Shown;", "`crate::emit::Printed`");
    finds(&["layout"], "use super::*;", "`crate::*`");
    finds(&["layout"], "use crate as all;", "`crate`: the crate as a whole");
    // By way of parents, in a `use`, in code and in a module within the file.
    finds(&["layout", "rules"], "use super::super::emit;", "`crate::emit`");
    finds(
        &["layout", "rules"],
        "fn f() -> super::super::emit::Printed { self::super::super::emit::print() }",
        "emit::Printed",
    );
    finds(&["layout"], "mod inner { use super::super::emit::Printed; }", "`crate::emit::Printed`");
    finds(&["tree"], "fn f(x: &dyn Fn(crate::legalize::Pass)) {}", "`crate::legalize::Pass`");
    // In macros, by call and by definition.
    finds(&["layout"], "fn f() { assert!(crate::emit::is_printed(1)); }", "`crate::emit::is_printed`");
    finds(&["layout"], "macro_rules! m { () => { use $crate::{symbol, emit::Printed}; } }", "`crate::emit::Printed`");
    // What is above, what is below in unit tests alone, and what only looks like it.
    let fine = "use crate::{symbol::Symbol, tree::{self, Node}, Node as N};\nuse super::tree::Id;\n\
        pub(crate) struct S(pub(super) u32);\n#[cfg(test)]\nmod tests { use crate::emit; }\n// crate::emit\n\
        fn f() { print(\"crate::emit\") }";
    assert_eq!(up(&["layout"], fine), "");

    let world = |text: &str| rules::world(&["layout"], &names(&["layout"], text)).join("; ");
    for text in ["use std::{fs};", "use std::{self, io};", "use std::{collections::BTreeMap,\n env::{self, var}};"] {
        assert!(!world(text).is_empty(), "{text}");
    }
    assert!(world("fn f() { let _ = dbg!(std::fs::read(\"x\")); }").contains("`std::fs::read`"));
    assert!(world("fn f() -> std::time::Instant { todo() }").contains("`std::time::Instant`"));
    assert_eq!(world("use std::{collections::BTreeMap, fmt::{self, Write}};"), "");
    assert!(rules::world(&["batch", "loader"], &names(&["batch", "loader"], "use std::fs;")).is_empty());

    let wild = |text: &str| rules::wildcards(text).join("; ");
    for text in [
        "fn f(s: Stage) -> u32 { match s { Stage::Vertex => 1,\n _ => 0 } }",
        "fn f(s: Stage) -> u32 { match s { Stage::Hull | crate::tree::Stage::Domain => 1,\n _ => 0 } }",
        "fn f(a: Api) { g(|| match a { Api::Vulkan if true => 1,\n _ if false => 0,\n Api::D3d => 2 }) }",
    ] {
        assert!(wild(text).starts_with("2: "), "{text}: {}", wild(text));
    }
    assert_eq!(
        wild("fn f(o: Op) { match o { Op::Add => 1, _ => match (s, u) { (Stage::Mesh, _) => 1, _ => 0 } } }"),
        ""
    );

    let targets = |text: &str| rules::targets(&["legalize"], &names(&["legalize"], text)).join("; ");
    for text in [
        "fn f(l: Language) -> bool { matches!(l, Language::Glsl) }",
        "fn f(l: Language) -> bool { l == Language::Wgsl }",
        "fn f(p: &Profile) -> bool { p.name == \"wgsl\" }",
        "fn f(p: &Profile) -> bool { p.name.starts_with(\"glsl_4\") }",
        "fn f(p: &Profile) -> bool { p.is_hlsl() }",
        "fn f(t: Target) -> bool { t == Target::Hlsl }",
        "fn spelled_for_metal() {}",
    ] {
        assert!(!targets(text).is_empty(), "{text}");
    }
    assert_eq!(targets("/// GLSL has none.\nfn f() { note(\"a vector of GLSL\") }"), "");
    assert_eq!(rules::long_functions("fn f() {\n\n\n}\nfn g() {}", 2), ["1: `f` has 3 lines"]);
}
