//! The shape of the source: layers, where target names and I/O may stand, and no order taken from hash tables.

use crate::support::{files_under, relative, root};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A source file without comments and unit tests. Strings are kept.
struct Source {
    path: PathBuf,
    /// (line number, code).
    lines: Vec<(usize, String)>,
    /// Lines whose comment says that the order of a hash table does not matter there.
    order_free: Vec<usize>,
}

/// What a comment must say at a loop over a hash table whose order changes nothing.
const ORDER_FREE: &str = "order does not matter";

fn sources() -> Vec<Source> {
    let all = files_under(&root().join("src"), &["rs"]);
    all.into_iter().filter(|p| p.file_name().is_none_or(|n| n != "tests.rs")).map(|p| read(&p)).collect()
}

fn read(path: &Path) -> Source {
    let text = std::fs::read_to_string(path).expect("a readable source");
    let mut source = Source {
        path: path.strip_prefix(root()).expect("a path below the root").to_owned(),
        lines: Vec::new(),
        order_free: Vec::new(),
    };
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("#[cfg(test)]")
            && text.lines().nth(index + 1).is_some_and(|l| l.ends_with('{'))
        {
            break;
        }
        let code = without_comment(line);
        if line.contains(ORDER_FREE) {
            source.order_free.push(index + 1);
        }
        source.lines.push((index + 1, code.to_owned()));
    }
    source
}

/// A line up to its `//` comment; `//` in strings is not one.
fn without_comment(line: &str) -> &str {
    let (mut in_string, mut escaped) = (false, false);
    let bytes = line.as_bytes();
    for (i, byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' if i == 0 || bytes[i - 1] != b'\'' || in_string => in_string = !in_string,
            b'/' if !in_string && bytes.get(i + 1) == Some(&b'/') => return &line[..i],
            _ => {}
        }
    }
    line
}

/// The module of a file at the top of the tree: `check` for `src/check/scope.rs`.
fn module(path: &Path) -> String {
    let below = path.strip_prefix("src").expect("a path in src");
    let first = below.components().next().expect("a component").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The layers: the order of the modules in `src/lib.rs`.
fn layers() -> Vec<String> {
    let lib = std::fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs");
    lib.lines().filter_map(|l| Some(l.trim().strip_prefix("pub mod ")?.strip_suffix(';')?.to_owned())).collect()
}

/// Names that follow `crate::` (or `use crate::{...}`) in a line of code.
fn uses(code: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(list) => {
                let list = list.split('}').next().unwrap_or(list);
                names.extend(list.split(',').map(|n| word(n.trim())));
            }
            None => names.push(word(rest)),
        }
    }
    names.retain(|n| !n.is_empty() && n.chars().next().is_some_and(char::is_lowercase));
    names
}

#[test]
fn a_module_uses_only_modules_above_it() {
    let layers = layers();
    let place = |name: &str| layers.iter().position(|l| l == name);
    let mut wrong = Vec::new();
    for source in sources() {
        let own = module(&source.path);
        if own == "lib" || own == "main" {
            continue;
        }
        let Some(own_place) = place(&own) else {
            wrong.push(format!("{}: `{own}` is not declared in src/lib.rs", source.path.display()));
            continue;
        };
        for (number, code) in &source.lines {
            for used in uses(code) {
                if place(&used).is_some_and(|p| p > own_place) {
                    wrong.push(format!("{}:{number}: `{own}` uses `{used}`, which is below it", source.path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
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
        "target",
        "layout",
        "legalize",
        "emit",
        "reflect",
        "validate",
        "compile",
    ];
    let layers = layers();
    let known: Vec<&str> = layers.iter().map(String::as_str).filter(|l| DESIGN.contains(l)).collect();
    let expected: Vec<&str> = DESIGN.iter().copied().filter(|l| known.contains(l)).collect();
    assert_eq!(known, expected);
}

#[test]
fn only_the_outer_layers_touch_the_world() {
    const OUTER: &[&str] = &["build_script", "batch", "cli", "main"];
    const WORLD: &[&str] =
        &["std::fs", "std::env", "std::time", "std::net", "std::process", "SystemTime", "Instant::now"];
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|s| !OUTER.contains(&module(&s.path).as_str())) {
        for (number, code) in &source.lines {
            if let Some(found) = WORLD.iter().find(|w| code.contains(**w)) {
                wrong.push(format!("{}:{number}: {found}", source.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "only {OUTER:?} may do I/O:\n{}", wrong.join("\n"));
}

#[test]
fn target_names_stay_where_targets_are_known() {
    // `compile` holds the public list of targets, which is part of the options.
    const KNOWING: &[&str] =
        &["target", "emit", "reflect", "options", "cli", "batch", "build_script", "compile", "validate"];
    // The input language HLSL is no target.
    const NAMES: &[&str] =
        &["Glsl", "Wgsl", "\"glsl\"", "\"wgsl\"", "\"hlsl\"", "is_glsl", "is_wgsl", "is_hlsl", "Target::Hlsl"];
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|s| !KNOWING.contains(&module(&s.path).as_str())) {
        for (number, code) in &source.lines {
            if let Some(found) = NAMES.iter().find(|n| code.contains(**n)) {
                wrong.push(format!("{}:{number}: {found}: {}", source.path.display(), code.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "a target is known by its capabilities here:\n{}", wrong.join("\n"));
}

#[test]
fn nothing_takes_its_order_from_a_hash_table() {
    let mut wrong = Vec::new();
    for source in sources() {
        let tables = hash_tables(&source);
        for (number, code) in &source.lines {
            let walked = tables.iter().find(|t| t.is_named_at(*number) && walks(code, &t.name));
            let excused = source.order_free.iter().any(|n| n.abs_diff(*number) <= 1);
            if let Some(table) = walked.filter(|_| !excused) {
                wrong.push(format!("{}:{number}: `{}`: {}", source.path.display(), table.name, code.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "sort it, or say why the `{ORDER_FREE}`:\n{}", wrong.join("\n"));
}

/// Whether a line goes through a table.
fn walks(code: &str, name: &str) -> bool {
    const WALKS: &[&str] = &[
        ".iter()",
        ".iter_mut()",
        ".keys()",
        ".values()",
        ".values_mut()",
        ".into_iter()",
        ".drain(",
        ".into_keys()",
        ".into_values()",
    ];
    let looped = code.trim_start().starts_with("for ")
        && code.split(" in ").nth(1).is_some_and(|rest| {
            rest.trim_end_matches(['{', ' ']).trim_start_matches('&').trim_start_matches("mut ") == name
        });
    looped || WALKS.iter().any(|walk| contains_word(code, &format!("{name}{walk}")))
}

/// A variable (`seen`) or field (`self.seen`) that is a hash table, and the lines where the name means it.
struct Table {
    name: String,
    lines: Vec<std::ops::Range<usize>>,
}

impl Table {
    fn is_named_at(&self, line: usize) -> bool {
        self.lines.iter().any(|l| l.contains(&line))
    }
}

/// The lines of the `impl` blocks of the struct whose field stands at a line.
fn impls(source: &Source, field: usize) -> Vec<std::ops::Range<usize>> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let owner =
        source.lines.iter().rev().filter(|(n, _)| *n < field).find_map(|(_, l)| Some(word(l.split_once("struct ")?.1)));
    let Some(owner) = owner else { return Vec::new() };
    let end = |from: usize| source.lines.iter().find(|(n, l)| *n > from && l == "}").map_or(usize::MAX, |(n, _)| *n);
    let own = |line: &str| line.starts_with("impl") && line.split([' ', '<', '{']).any(|w| w == owner);
    source.lines.iter().filter(|(_, l)| own(l)).map(|(n, _)| *n..end(*n)).collect()
}

fn hash_tables(source: &Source) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for (number, code) in &source.lines {
        let Some(at) = ["HashMap", "HashSet"].iter().filter_map(|t| code.find(t)).min() else { continue };
        let mut before = code[..at].trim_end_matches("Fx").trim_end_matches("std::collections::");
        before = before.trim_end_matches("mut ").trim_end_matches('&').trim_end();
        let Some(before) = before.strip_suffix([':', '=']) else { continue };
        let start = before.trim_end().rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let name = before[start..].trim_end();
        let indent = |line: &str| line.len() - line.trim_start().len();
        let local = code.contains("let ") || code.contains("fn ");
        let end = |(_, line): &&(usize, String)| {
            !line.trim().is_empty()
                && indent(line) <= indent(code) - usize::from(code.contains("let ") && indent(code) > 0)
        };
        let last = source.lines.iter().skip(*number).find(end).map_or(usize::MAX, |(n, _)| *n);
        match (name.is_empty(), local) {
            (true, _) => {}
            (_, true) => tables.push(Table { name: name.to_owned(), lines: std::iter::once(*number..last).collect() }),
            (_, false) => tables.push(Table { name: format!("self.{name}"), lines: impls(source, *number) }),
        }
    }
    tables
}

/// Whether `text` contains `part` not as the end of a longer name.
fn contains_word(text: &str, part: &str) -> bool {
    text.match_indices(part).any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The call graph is followed in one place, so that nothing follows it without a bound.
#[test]
fn only_the_analyses_follow_calls() {
    const FOLLOWING: &[&str] = &["src/tree/analyses/", "src/layout/reach", "src/usage"];
    let mut wrong = Vec::new();
    for source in sources() {
        let path = source.path.to_string_lossy().replace('\\', "/");
        let follows = |code: &str| code.contains(".callees(") || code.contains("Uses::of_");
        let found = source.lines.iter().filter(|(_, code)| follows(code)).map(|(n, _)| format!("{path}:{n}"));
        if !FOLLOWING.iter().any(|p| path.starts_with(p)) {
            wrong.extend(found);
        }
    }
    assert!(wrong.is_empty(), "use `tree::analyses` instead of following calls:\n{}", wrong.join("\n"));
}

#[test]
fn functions_fit_a_screen() {
    const MOST: usize = 110;
    let mut wrong = Vec::new();
    for source in sources() {
        let mut open: Option<(usize, usize, String)> = None;
        for (number, code) in &source.lines {
            let indent = code.len() - code.trim_start().len();
            let starts =
                ["fn ", "pub fn ", "pub(super) fn ", "pub(crate) fn "].iter().any(|s| code.trim_start().starts_with(s));
            if starts && code.contains("fn ") && open.is_none() && !code.trim_end().ends_with(';') {
                open = Some((*number, indent, code.trim().to_owned()));
            }
            if let Some((start, at, head)) = &open
                && code.trim_end() == format!("{}}}", " ".repeat(*at))
            {
                if number - start > MOST {
                    wrong.push(format!("{}:{start}: {} lines: {head}", source.path.display(), number - start));
                }
                open = None;
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn codes_are_used_and_explained() {
    let text: String = sources().iter().flat_map(|s| s.lines.iter().map(|(_, l)| format!("{l}\n"))).collect();
    let mut missing = Vec::new();
    let mut by_number: BTreeMap<u16, &str> = BTreeMap::new();
    for (code, name, _) in shaderport::diagnostic::codes::TABLE {
        assert!(by_number.insert(code.0, name).is_none(), "{code} is given twice");
        if !contains_word(&text, &format!("Code::{name}")) {
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

#[test]
fn hash_tables_are_seen() {
    let text = "struct S {\n    seen: FxHashSet<u32>,\n}\nfn f(by_name: &HashMap<u32, u32>) {\n    let mut all = FxHashMap::default();\n    for x in &all {\n    }\n}\nimpl<'a> S<'a> {\n    fn g() {\n}\n";
    let lines = text.lines().enumerate().map(|(i, l)| (i + 1, l.to_owned())).collect();
    let tables = hash_tables(&Source { path: PathBuf::new(), lines, order_free: Vec::new() });
    let names: Vec<(&str, bool)> = tables.iter().map(|t| (t.name.as_str(), t.is_named_at(10))).collect();
    assert_eq!(names, [("self.seen", true), ("by_name", false), ("all", false)]);
    assert!(walks("    for x in &all {", "all") && walks("self.seen.iter()", "self.seen"));
    assert!(!walks("small.iter()", "all") && !walks("all.get(&1)", "all"));
}
