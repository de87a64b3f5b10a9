//! What a text is for one variant, as the preprocessor or the translator of attributes says: the proof that a merged text is right.

use super::Defines;
use super::attributes::{has_attributes, translated};
use crate::diagnostic::Diagnostics;
use crate::lex::Token;
use crate::preprocess::{Language, Preprocess, preprocess};
use crate::source::{MemoryLoader, Sources};
use crate::target::Conditionals;
use std::collections::BTreeSet;

/// Lines that choose others, and define what others are made of.
const CONDITIONALS: &[&str] = &["if", "ifdef", "ifndef", "elif", "else", "endif"];
const DEFINITIONS: &[&str] = &["define", "undef"];

/// The tokens of a text once it is preprocessed; `None` if that fails.
fn tokens_with(text: &str, defines: &Defines) -> Option<Vec<String>> {
    tokens_of(&MemoryLoader::new().with("text", text), "text", defines)
}

fn tokens_of(loader: &MemoryLoader, name: &str, defines: &Defines) -> Option<Vec<String>> {
    let defines = defines.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect();
    let options = Preprocess { defines, language: Some(Language::Hlsl), ..Preprocess::default() };
    let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
    let stream = preprocess(loader, name, &options, &mut sources, &mut diags);
    if stream.incomplete || !diags.take().is_empty() {
        return None;
    }
    let mut tokens: Vec<String> = stream.tokens.iter().map(|token| token.text.as_str().to_owned()).collect();
    tokens.pop();
    Some(tokens)
}

/// The word of a line for the preprocessor.
pub fn directive(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    rest.split(|c: char| !c.is_ascii_alphabetic()).next()
}

/// Whether a text chooses by itself what is in it; the error is by what.
pub fn without_conditionals(form: Conditionals, text: &str) -> Result<(), &'static str> {
    match form {
        Conditionals::Directives if has_directives(text) => Err("#if"),
        Conditionals::Attributes if has_attributes(text) => Err("@if"),
        Conditionals::Directives | Conditionals::Attributes => Ok(()),
    }
}

fn has_directives(text: &str) -> bool {
    text.lines().filter_map(directive).any(|word| CONDITIONALS.contains(&word))
}

/// The headers that texts include.
#[derive(Debug, Default)]
pub struct Headers {
    /// As a preprocessor reads them here.
    loader: MemoryLoader,
    are_there: bool,
}

impl Headers {
    /// By name.
    #[cfg(feature = "cli")]
    pub fn of<'t>(texts: impl Iterator<Item = (&'t str, &'t str)>) -> Headers {
        let mut headers = Headers { are_there: true, ..Headers::default() };
        for (name, text) in texts {
            headers.loader = headers.loader.with(name, &with_tokens(text, true));
        }
        headers
    }
}

/// A text in which lines such as `#version` and `#pragma` are tokens, and without headers those that include them.
fn with_tokens(text: &str, has_headers: bool) -> String {
    let line = |line: &str| match directive(line) {
        Some("include") if has_headers => format!("{line}\n"),
        Some(word) if !CONDITIONALS.contains(&word) && !DEFINITIONS.contains(&word) => {
            format!("directive_ {}\n", line.replacen('#', "", 1))
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// The tokens that compilers see of a text, which has a name among its headers. Lines such as `#version` are tokens, too.
pub fn expanded(
    form: Conditionals,
    (name, text): (&str, &str),
    headers: &Headers,
    defines: &Defines,
) -> Option<Vec<String>> {
    match form {
        Conditionals::Directives => {
            let loader = headers.loader.clone().with(name, &with_tokens(text, headers.are_there));
            tokens_of(&loader, name, defines)
        }
        // Attributes are those of one file.
        Conditionals::Attributes => {
            let tokens = translated(text, defines)?;
            Some(tokens.iter().map(|token| token.text.as_str().to_owned()).collect())
        }
    }
}

/// The numbers of the lines that conditions choose.
pub fn chosen_lines(form: Conditionals, text: &str, defines: &Defines) -> Vec<usize> {
    match form {
        Conditionals::Directives => lines_of_directives(text, defines),
        Conditionals::Attributes => {
            let starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
            let line = |token: &Token| starts.partition_point(|end| *end < token.span.start as usize);
            let lines: BTreeSet<usize> = translated(text, defines).iter().flatten().map(line).collect();
            lines.into_iter().collect()
        }
    }
}

fn lines_of_directives(text: &str, defines: &Defines) -> Vec<usize> {
    let line = |(at, line): (usize, &str)| match directive(line) {
        Some(word) if CONDITIONALS.contains(&word) || DEFINITIONS.contains(&word) => format!("{line}\n"),
        _ => format!("{at}\n"),
    };
    let tokens = tokens_with(&text.lines().enumerate().map(line).collect::<String>(), defines);
    tokens.unwrap_or_default().iter().filter_map(|token| token.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_what_the_preprocessor_says() {
        let text = "#version 460\n#define A 2.0\n#if Q > 1\n#pragma once_\nx = A;\n#else\nx = Q;\n#endif\n";
        let form = Conditionals::Directives;
        let with = |q: &str| {
            let tokens = expanded(form, ("text", text), &Headers::default(), &vec![("Q".to_owned(), q.to_owned())])?;
            Some(tokens.join(" "))
        };
        assert_eq!(with("2").as_deref(), Some("directive_ version 460 directive_ pragma once_ x = 2.0 ;"));
        assert_eq!(with("1").as_deref(), Some("directive_ version 460 x = 1 ;"));
        assert_eq!(chosen_lines(form, text, &Vec::new()), [0, 6]);
        assert!(expanded(form, ("text", "#if 1\n"), &Headers::default(), &Vec::new()).is_none());
        assert_eq!(without_conditionals(form, " # ifdef A\n#endif"), Err("#if"));
        assert_eq!(without_conditionals(form, "#define A\nif (a) {}"), Ok(()));
    }

    #[test]
    fn attributes_choose_lines() {
        let (form, text) =
            (Conditionals::Attributes, "@if(A)\nfn f() {\n}\n\n@else\nfn g() {\n    @if(B)\n    a;\n    b;\n}\n");
        let with =
            |a: &str| chosen_lines(form, text, &vec![("A".to_owned(), a.to_owned()), ("B".to_owned(), "0".to_owned())]);
        assert_eq!((with("1"), with("0")), (vec![1, 2], vec![5, 8, 9]));
        assert_eq!(without_conditionals(form, text), Err("@if"));
    }
}
