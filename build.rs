//! Prepares the standard library: `stdlib/*.slang` go through the lexer and the preprocessor here, once a build of the
//! compiler, and become a table of tokens that `src/stdlib.rs` parses from as programs need them.
//!
//! The table is split into parts: a declaration, or one member of an extension with the extension's head. It says which
//! names each part declares and which names it mentions, so that a program gets what it mentions and no more.
#![allow(dead_code, unused_imports, missing_docs)]
#![allow(clippy::disallowed_methods, reason = "a build script writes files")]

#[path = "src/lex.rs"]
mod lex;
#[path = "src/limits.rs"]
mod limits;
#[path = "src/preprocess/mod.rs"]
mod preprocess;
#[path = "src/source.rs"]
mod source;
#[path = "src/symbol.rs"]
mod symbol;
#[path = "src/diagnostic"]
mod diagnostic {
    pub mod codes;
    mod model;
    pub use codes::Code;
    pub use model::*;
}

use lex::{Token, TokenKind, TokenStream};
use preprocess::{Language, Preprocess, preprocess};
use source::{FileId, MemoryLoader, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::path::Path;

/// The files of the library, in the order in which they are declared.
const FILES: &[&str] = &[
    "core",
    "math",
    "matrix",
    "bits",
    "stage",
    "texture",
    "residency",
    "compare",
    "sampled",
    "d3d9",
    "pairs",
    "image",
    "buffer",
    "atomic",
    "wave",
    "partition",
    "raytracing",
    "hit_object",
    "heap",
    "debug",
    // Of programs that name the module alone.
    "glsl",
    // What passes write by themselves: programs do not see it.
    OPERATIONS,
    HELPERS,
];
const OPERATIONS: &str = "operations";
const HELPERS: &str = "helpers";

/// Whether programs do not see a file.
fn is_hidden(file: usize) -> bool {
    [OPERATIONS, HELPERS].contains(&FILES[file])
}

/// A declaration, or a member of an extension with the extension's head around it.
struct Part {
    file: usize,
    /// Ranges of the file's tokens; one, or head, member and closing brace of an extension.
    pieces: Vec<Range<usize>>,
    /// What it declares. A part without a name is one of the type that it extends, or is always needed.
    names: BTreeSet<&'static str>,
    /// The type that it extends.
    extends: Option<&'static str>,
    /// The interfaces that it conforms to, or extends.
    bases: BTreeSet<&'static str>,
    /// The names in it.
    mentions: BTreeSet<&'static str>,
    /// The part before is of the same extension.
    joins: bool,
}

/// What tells this state of the source from others: builds keep what another state of the tool has written only if it is the same.
fn identity(root: &Path) -> String {
    let mut hash = rustc_hash::FxHasher::default();
    for directory in ["src", "stdlib"] {
        println!("cargo::rerun-if-changed={directory}");
        add_directory(&root.join(directory), &mut hash);
    }
    format!("{}-{:016x}", std::env::var("CARGO_PKG_VERSION").expect("cargo sets it"), hash.finish())
}

/// Adds all files of a directory, in order of their names.
fn add_directory(directory: &Path, hash: &mut rustc_hash::FxHasher) {
    let entries = std::fs::read_dir(directory).expect("a directory of the package");
    let mut entries: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            add_directory(&path, hash);
        } else {
            path.file_name().hash(hash);
            std::fs::read(&path).expect("a file of the package").hash(hash);
        }
    }
}

fn main() {
    println!("cargo::rerun-if-changed=stdlib");
    let root = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo::rustc-env=SHADERPORT_BUILD_ID={}", identity(Path::new(&root)));
    let mut sources = Sources::for_library();
    let mut streams = Vec::new();
    let mut paths = Vec::new();
    for file in FILES {
        let (name, path) =
            (format!("stdlib/{file}.slang"), Path::new(&root).join("stdlib").join(format!("{file}.slang")));
        let text = std::fs::read_to_string(&path).expect("a file of the library");
        let loader = MemoryLoader::new().with(&name, &text);
        let options = Preprocess { language: Some(Language::Slang), ..Preprocess::default() };
        let mut problems = diagnostic::Diagnostics::default();
        // The definitions of the language are files of their own: each file of the library has sources of its own.
        let mut own = Sources::for_library();
        let mut stream = preprocess(&loader, &name, &options, &mut own, &mut problems);
        if let [problem, ..] = problems.list() {
            let line = problem.span.map(|s| own.use_site(s)).map_or(0, |s| own.line_column(s.file, s.start).0 + 1);
            panic!("{name}:{line}: {}", problem.message);
        }
        let id = sources.add(&name, text.into());
        for token in &mut stream.tokens {
            token.span = source::Span { file: id, ..own.use_site(token.span) };
        }
        for comment in &mut stream.comments {
            comment.span = source::Span { file: id, ..own.use_site(comment.span) };
        }
        streams.push(stream);
        paths.push((name, path));
    }
    let parts = parts(&streams);
    let out = std::env::var("OUT_DIR").expect("cargo sets it");
    let (table, tokens) = table(&paths, &streams, &parts);
    std::fs::write(Path::new(&out).join("stdlib.rs"), table).expect("the table is written");
    std::fs::write(Path::new(&out).join("stdlib.tokens"), tokens).expect("the tokens are written");
}

/// All parts, in order of declaration.
fn parts(streams: &[TokenStream]) -> Vec<Part> {
    let mut parts = Vec::new();
    for (file, stream) in streams.iter().enumerate() {
        let tokens = &stream.tokens;
        for declaration in declarations(tokens, 0..tokens.len() - 1) {
            if tokens[declaration.start].text == "extension" {
                parts.extend(extension(file, tokens, declaration));
            } else {
                let names = names(&tokens[declaration.clone()]);
                let names = if is_hidden(file) { BTreeSet::new() } else { names };
                // `[__where_named("IComparable")]`: of no use to a program that does not name it.
                let head: Vec<&str> = tokens[declaration.clone()].iter().take(4).map(|t| t.text.as_str()).collect();
                let with = match head.as_slice() {
                    ["[", "__where_named", "(", name] => Some(name.trim_matches('"')),
                    _ => (FILES[file] == "glsl" && !names.contains("__glsl")).then_some("__glsl"),
                };
                parts.push(Part::new(file, tokens, vec![declaration], names, with));
            }
        }
    }
    let bases: BTreeMap<&'static str, BTreeSet<&'static str>> =
        parts.iter().flat_map(|p| p.names.iter().map(|name| (*name, p.bases.clone()))).collect();
    for part in &mut parts {
        // Whether a type conforms to an interface may matter wherever that is named, or one that it extends.
        if part.extends.is_none() && streams[part.file].tokens[part.pieces[0].start].text == "extension" {
            let mut open: Vec<&'static str> = part.bases.iter().copied().collect();
            while let Some(base) = open.pop() {
                if part.names.insert(base) {
                    open.extend(bases.get(base).into_iter().flatten());
                }
            }
        }
    }
    parts
}

/// The parts of an extension: one a member. One with bases is kept whole. Those of GLSL are for programs with its words.
fn extension(file: usize, tokens: &[Token], all: Range<usize>) -> Vec<Part> {
    let open = (all.start..all.end).find(|i| tokens[*i].text == "{").expect("an extension has members");
    let head = all.start..open + 1;
    let target = after_angles(tokens, all.start + 1);
    let members: Vec<Range<usize>> = declarations(tokens, open + 1..all.end - 1);
    let bases = (after_angles(tokens, target + 1)..open).any(|i| tokens[i].text == ":");
    if bases {
        let names = members.iter().flat_map(|m| names(&tokens[m.clone()])).collect();
        return vec![Part::new(file, tokens, vec![all], names, None)];
    }
    let part = |(index, member): (usize, Range<usize>)| {
        let names = names(&tokens[member.clone()]);
        let pieces = vec![head.clone(), member, all.end - 1..all.end];
        let ty = if FILES[file] == "glsl" { "__glsl" } else { tokens[target].text.as_str() };
        Part { joins: index > 0, ..Part::new(file, tokens, pieces, names, Some(ty)) }
    };
    members.into_iter().enumerate().map(part).collect()
}

impl Part {
    fn new(
        file: usize,
        tokens: &[Token],
        pieces: Vec<Range<usize>>,
        names: BTreeSet<&'static str>,
        extends: Option<&'static str>,
    ) -> Part {
        let mut mentions = BTreeSet::new();
        for i in pieces.iter().cloned().flatten() {
            let text = tokens[i].text.as_str();
            // `[__attribute("name")]` names a function as well.
            let in_attribute = i >= 3 && tokens[i - 1].text == "(" && tokens[i - 3].text == "[";
            match tokens[i].kind {
                TokenKind::Ident => drop(mentions.insert(text)),
                TokenKind::String if in_attribute => {
                    // Adjacent strings are one.
                    let strings = tokens[i..].iter().take_while(|t| t.kind == TokenKind::String);
                    let name: String = strings.map(|t| t.text.as_str().trim_matches('"')).collect();
                    mentions.insert(symbol::Symbol::new(&name).as_str());
                }
                _ => {}
            }
        }
        let bases = bases(&tokens[pieces[0].clone()]);
        Part { file, pieces, names, extends, bases, mentions, joins: false }
    }
}

/// Splits tokens into declarations: each ends with a `;`, or with the `}` that closes its first `{` and a `;` after it.
fn declarations(tokens: &[Token], range: Range<usize>) -> Vec<Range<usize>> {
    let (mut list, mut start, mut depth) = (Vec::new(), range.start, 0);
    for i in range.clone() {
        let mut ends = false;
        match tokens[i].text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" => depth -= 1,
            "}" => {
                depth -= 1;
                ends = depth == 0 && (i + 1 >= range.end || tokens[i + 1].text != ";");
            }
            ";" => ends = depth == 0,
            _ => {}
        }
        if ends {
            list.push(start..i + 1);
            start = i + 1;
        }
    }
    assert!(start == range.end, "the library ends within a declaration");
    list
}

/// The index behind the `<...>` that may stand at an index.
fn after_angles(tokens: &[Token], at: usize) -> usize {
    if tokens[at].text != "<" {
        return at;
    }
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(at) {
        match token.text.as_str() {
            "<" => depth += 1,
            ">" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i + 1;
        }
    }
    tokens.len()
}

/// The names behind the `:` that stands before the body of a declaration.
fn bases(tokens: &[Token]) -> BTreeSet<&'static str> {
    let mut bases = BTreeSet::new();
    let (mut i, mut is_list) = (0, false);
    while let Some(token) = tokens.get(i).filter(|t| t.text != "{") {
        match token.text.as_str() {
            "<" => {
                i = after_angles(tokens, i);
                continue;
            }
            ":" => is_list = true,
            text if is_list && token.kind == TokenKind::Ident => drop(bases.insert(text)),
            _ => {}
        }
        i += 1;
    }
    bases
}

/// What a declaration declares: the last word before its parameters, value, bases or body; and the cases of an enum.
/// What has none of them (`__subscript`, operators) is found by the type that it is a member of.
fn names(tokens: &[Token]) -> BTreeSet<&'static str> {
    let mut names = BTreeSet::new();
    let mut last = None;
    let mut i = 0;
    let is_enum = tokens.iter().any(|t| t.text == "enum");
    while i < tokens.len() {
        let text = tokens[i].text.as_str();
        match text {
            "[" => i += tokens[i..].iter().position(|t| t.text == "]").unwrap_or(0),
            "<" => {
                i = after_angles(tokens, i);
                continue;
            }
            "(" if last == Some("__magic_type") => i += 2,
            "operator" => return names,
            "(" | "=" | ";" | ":" | "{" => break,
            _ => {}
        }
        last = Some(tokens[i].text.as_str()).filter(|_| tokens[i].kind == TokenKind::Ident).or(last);
        i += 1;
    }
    if is_enum {
        names.extend(tokens[i..].iter().filter(|t| t.kind == TokenKind::Ident).map(|t| t.text.as_str()));
    }
    names.extend(last.filter(|n| !["__subscript", "__init"].contains(n)));
    names
}

/// Numbers of spellings. Declared names come first, sorted.
struct Texts {
    numbers: BTreeMap<&'static str, usize>,
    list: Vec<&'static str>,
}

impl Texts {
    fn number(&mut self, text: &'static str) -> u64 {
        let next = self.list.len();
        let number = *self.numbers.entry(text).or_insert(next);
        if number == next {
            self.list.push(text);
        }
        number as u64
    }
}

/// The generated module and the tokens. A token is 64 bits: text 14, kind 4, flags 4, count of comments 6, start 20,
/// length 16; after the tokens of a part come its comments in the same form.
fn table(paths: &[(String, std::path::PathBuf)], streams: &[TokenStream], parts: &[Part]) -> (String, Vec<u8>) {
    let declared: BTreeSet<&'static str> =
        parts.iter().flat_map(|p| p.names.iter().copied().chain(p.extends)).collect();
    let mut texts = Texts { numbers: BTreeMap::new(), list: Vec::new() };
    for name in &declared {
        texts.number(name);
    }
    let (mut words, mut rows, mut needs) = (Vec::new(), Vec::new(), Vec::<usize>::new());
    for part in parts {
        let stream = &streams[part.file];
        let first = words.len();
        let tokens: Vec<&Token> = part.pieces.iter().flat_map(|p| &stream.tokens[p.clone()]).collect();
        for token in &tokens {
            let flags = u64::from(token.line_start)
                | u64::from(token.space_before) << 1
                | u64::from(token.joined) << 2
                | u64::from(token.blank_before) << 3;
            words.push(word(
                &mut texts,
                token.text.as_str(),
                token.kind as u64,
                flags,
                token.comments.count,
                token.span,
            ));
        }
        let tokens_end = words.len();
        for token in &tokens {
            let from = token.comments.start as usize;
            for comment in &stream.comments[from..from + token.comments.count as usize] {
                let flags = u64::from(comment.trailing)
                    | u64::from(comment.blank_before) << 1
                    | u64::from(comment.blank_after) << 2;
                words.push(word(&mut texts, comment.text.as_str(), 0, flags, 0, comment.span));
            }
        }
        let first_need = needs.len();
        needs.extend(part.mentions.iter().filter(|m| declared.contains(*m)).map(|m| texts.numbers[m]));
        let extends = part.extends.map_or(usize::MAX >> 48, |e| texts.numbers[e]);
        let row =
            [part.file, first, tokens_end, words.len(), extends, first_need, needs.len(), usize::from(part.joins)];
        rows.push(row.map(|n| n as u32));
    }
    let mut out = String::new();
    let _ = writeln!(out, "pub static FILES: &[(&str, &str)] = &[");
    for (name, path) in paths {
        let _ = writeln!(out, "    ({name:?}, include_str!({:?})),", path.to_string_lossy());
    }
    let _ = writeln!(out, "];");
    let declarers: Vec<Vec<usize>> = declared.iter().map(|name| declarers(parts, name)).collect();
    let seen = parts.iter().take_while(|p| !is_hidden(p.file)).count();
    let _ = writeln!(out, "pub const PROGRAM_PARTS: usize = {seen};");
    let always: Vec<usize> = (0..seen).filter(|i| parts[*i].names.is_empty() && parts[*i].extends.is_none()).collect();
    let _ = writeln!(out, "pub static ALWAYS: &[u16] = &{always:?};");
    let _ = writeln!(out, "pub static PARTS: [[u32; 8]; {}] = {rows:?};", rows.len());
    numbers(&mut out, "NEEDS", "u16", needs.iter().copied());
    let ends = declarers.iter().scan(0, |end, list| {
        *end += list.len();
        Some(*end)
    });
    numbers(&mut out, "DECLARERS_END", "u16", ends);
    numbers(&mut out, "DECLARERS", "u16", declarers.iter().flatten().copied());
    let _ = writeln!(out, "pub static TEXT: &str = {:?};", texts.list.concat());
    let ends = texts.list.iter().scan(0, |end, text| {
        *end += text.len();
        Some(*end)
    });
    numbers(&mut out, "TEXT_END", "u32", ends);
    (out, words.iter().flat_map(|w: &u64| w.to_le_bytes()).collect())
}

/// The parts that declare a name, or are found by it.
fn declarers(parts: &[Part], name: &str) -> Vec<usize> {
    let of = |p: &Part| p.names.contains(name) || p.names.is_empty() && p.extends == Some(name);
    (0..parts.len()).filter(|i| of(&parts[*i])).collect()
}

fn numbers(out: &mut String, name: &str, ty: &str, list: impl Iterator<Item = usize>) {
    let list: Vec<usize> = list.collect();
    assert!(ty != "u16" || list.iter().all(|n| *n < 0xffff), "{name} fits 16 bits");
    let _ = writeln!(out, "pub static {name}: [{ty}; {}] = {list:?};", list.len());
}

fn word(texts: &mut Texts, text: &'static str, kind: u64, flags: u64, comments: u32, span: source::Span) -> u64 {
    let (number, start, length) = (texts.number(text), u64::from(span.start), u64::from(span.end - span.start));
    assert!(number < 1 << 14 && comments < 1 << 6 && start < 1 << 20 && length < 1 << 16, "`{text}` fits the table");
    number | kind << 14 | flags << 18 | u64::from(comments) << 22 | start << 28 | length << 48
}
