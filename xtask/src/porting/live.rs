//! The sources of a program without the groups of `#if` that it does not take, with its macros.
//!
//! Which groups are taken is known from the tokens that are left after preprocessing: a group is dead if it has code of which none
//! is left. The texts themselves are read by the tokenizer of this tool.

use super::token::{Kind, Token, tokens};
use shaderport::internals::diagnostic::Diagnostics;
use shaderport::internals::preprocess::{Preprocess, preprocess};
use shaderport::internals::source::{FileId, Sources};
use shaderport::{FileLoader, Options};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A file of a program.
pub struct Source {
    pub name: String,
    pub text: Arc<str>,
    /// Where code of it is left after preprocessing: by the byte, the position in the program.
    pub places: BTreeMap<usize, usize>,
}

/// The files of a program in the order of their first tokens.
pub fn sources(loader: &FileLoader, files: &[&str], dependencies: &[String], options: &Options) -> Vec<Source> {
    let mut found: BTreeMap<String, Source> = BTreeMap::new();
    let mut position = 0;
    // Imported files are preprocessed by themselves, before those that import them.
    let given: BTreeSet<&str> = files.iter().copied().collect();
    add(loader, files, options, &mut found, &mut position);
    let modules: Vec<&str> = dependencies.iter().map(String::as_str).collect();
    for module in modules.into_iter().filter(|name| !given.contains(name)) {
        if !found.contains_key(module) {
            add(loader, &[module], options, &mut found, &mut position);
        }
    }
    let mut found: Vec<Source> = found.into_values().collect();
    found.sort_by_key(|source| source.places.values().min().copied().unwrap_or(usize::MAX));
    found
}

fn add(
    loader: &FileLoader,
    files: &[&str],
    options: &Options,
    to: &mut BTreeMap<String, Source>,
    position: &mut usize,
) {
    let preprocess_options = Preprocess { defines: options.defines.clone(), ..Preprocess::default() };
    for file in files {
        let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
        let stream = preprocess(loader, file, &preprocess_options, &mut sources, &mut diags);
        let mut places: BTreeMap<FileId, BTreeMap<usize, usize>> = BTreeMap::new();
        for token in &stream.tokens {
            *position += 1;
            for span in [sources.spelling(token.span), sources.use_site(token.span)] {
                places.entry(span.file).or_default().entry(span.start as usize).or_insert(*position);
            }
        }
        for (id, source) in sources.files().filter(|(_, source)| !source.name.starts_with('<')) {
            let places = places.remove(&id).unwrap_or_default();
            let known = to.entry(source.name.to_string());
            let known = known.or_insert_with(|| Source {
                name: source.name.to_string(),
                text: source.text.clone(),
                places: BTreeMap::new(),
            });
            places.into_iter().for_each(|(at, position)| {
                known.places.entry(at).or_insert(position);
            });
        }
    }
}

impl Source {
    /// The tokens of the groups that are taken.
    pub fn live(&self) -> Vec<Token<'_>> {
        let all = tokens(&self.text);
        let mut live = Vec::with_capacity(all.len());
        // For each `#if` around: whether the part between its last directive and the next one is taken.
        let mut taken: Vec<bool> = Vec::new();
        for (at, token) in all.iter().enumerate() {
            match condition(token) {
                Some("if" | "ifdef" | "ifndef") => taken.push(self.is_taken(&all[at + 1..])),
                Some("elif" | "else") => {
                    taken.pop();
                    taken.push(self.is_taken(&all[at + 1..]));
                }
                Some(_) => {
                    taken.pop();
                }
                // What stands behind a condition is about that.
                None if at > 0 && condition(&all[at - 1]).is_some() && all[at - 1].line == token.line => {}
                None if taken.iter().all(|t| *t) => live.push(*token),
                None => {}
            }
        }
        live
    }

    /// Whether code of the group that begins here is left. A group without code is taken.
    fn is_taken(&self, rest: &[Token]) -> bool {
        let (mut depth, mut has_code) = (0_usize, false);
        for token in rest {
            match condition(token) {
                Some("if" | "ifdef" | "ifndef") => depth += 1,
                Some("endif") if depth > 0 => depth -= 1,
                Some(_) if depth == 0 => break,
                Some(_) => {}
                None if !token.is_code() => {}
                None if self.places.contains_key(&token.start) => return true,
                None => has_code = true,
            }
        }
        !has_code
    }

    /// Where a token is in the program.
    pub fn position(&self, token: &Token) -> usize {
        self.places.range(token.start..).next().map_or(usize::MAX, |(_, position)| *position)
    }
}

/// The word of a directive that begins or ends a group.
fn condition<'a>(token: &Token<'a>) -> Option<&'a str> {
    let word = directive(token)?;
    matches!(word, "if" | "ifdef" | "ifndef" | "elif" | "else" | "endif").then_some(word)
}

/// The word of a directive.
fn directive<'a>(token: &Token<'a>) -> Option<&'a str> {
    let rest = (token.kind == Kind::Directive).then(|| token.text.trim_start_matches(['#', ' ', '\t']))?;
    rest.split(|c: char| !c.is_alphanumeric()).next()
}

/// The macros without parameters that are defined as expressions.
pub fn value_macros<'a>(tokens: &[Token<'a>]) -> BTreeSet<&'a str> {
    tokens.iter().filter(|t| directive(t) == Some("define")).filter_map(value_macro).collect()
}

fn value_macro<'a>(define: &Token<'a>) -> Option<&'a str> {
    let rest = define.text.split_once("define")?.1.trim_start();
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let (name, body) = rest.split_at(end);
    let body = body.replace("\\\n", " ").replace("\\\r\n", " ");
    let parts: Vec<Token> = super::token::tokens(&body).into_iter().filter(Token::is_code).collect();
    (!body.starts_with('(') && is_expression(&parts)).then_some(name)
}

/// Whether tokens are an expression: no statement, no type, no part of a declaration.
fn is_expression(parts: &[Token]) -> bool {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    let begins = first.kind != Kind::Punct || matches!(first.text, "(" | "-" | "+" | "~" | "!");
    let ends = last.kind != Kind::Punct || matches!(last.text, ")" | "]");
    let is_sole_type = parts.len() == 1 && first.kind == Kind::Name && super::names::is_builtin_type(first.text);
    let is_statement =
        parts.iter().any(|t| matches!(t.text, "{" | "}" | ";" | "#") || super::names::is_keyword(t.text));
    // Two names in a row are a declaration.
    let pair = |pair: &[Token]| pair.iter().all(|t| matches!(t.kind, Kind::Name | Kind::Number));
    let depth = parts.iter().fold(0_i32, |depth, t| match t.text {
        "(" => depth + 1,
        ")" => depth - 1,
        _ => depth,
    });
    begins && ends && depth == 0 && !is_sole_type && !is_statement && !parts.windows(2).any(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)], defines: &[(&str, &str)]) -> Vec<Source> {
        let directory = tempfile::tempdir().expect("a directory");
        files.iter().for_each(|(name, text)| std::fs::write(directory.path().join(name), text).expect("written"));
        let main = directory.path().join("main.hlsl").to_string_lossy().into_owned();
        let loader = FileLoader::new([directory.path()]);
        let mut options = Options::default();
        options.defines = defines.iter().map(|(n, v)| ((*n).to_owned(), Some((*v).to_owned()))).collect();
        sources(&loader, &[&main], &[], &options)
    }

    fn text(source: &Source) -> String {
        source.live().iter().map(|t| t.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn dead_groups_are_left_out() {
        let main = "#include \"a.h\"\n#if A > 1\nint b; // b\n#elif A\nint c;\n#else\nint d;\n#endif\nint e;\n";
        let files = [("main.hlsl", main), ("a.h", "int a;\n#ifdef B\nint n;\n#endif\n")];
        let found = read(&files, &[("A", "1")]);
        let texts: Vec<String> = found.iter().map(text).collect();
        assert_eq!(texts, ["int a ;", "#include \"a.h\" int c ; int e ;"]);
        let found = read(&files, &[("A", "2"), ("B", "1")]);
        assert_eq!(text(&found[1]), "#include \"a.h\" int b ; // b int e ;");
        assert_eq!(text(&found[0]), "int a ; int n ;");
    }

    #[test]
    fn macros_that_are_used_are_live() {
        let found = read(&[("main.hlsl", "#define T int\n#if 1\nT a;\n#endif\n")], &[]);
        assert_eq!(text(&found[0]), "#define T int T a ;");
    }

    #[test]
    fn macros_of_expressions() {
        let text = "#define A 1.0f // one\n#define B(x) x\n#define C\n#define D (A * 2)\n#define E return 1;\n#define F float4\n\
            #define G float4(1, 2)\n#define H static const\n#define I -A\n#define J other\n#define K : register(t0)";
        let found: Vec<_> = value_macros(&tokens(text)).into_iter().collect();
        assert_eq!(found, ["A", "D", "G", "I", "J"]);
    }
}
