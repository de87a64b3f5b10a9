//! What a text is for one variant, as the preprocessor says: the proof that a merged text is right.

use crate::diagnostic::Diagnostics;
use crate::preprocess::{Language, Preprocess, preprocess};
use crate::source::{MemoryLoader, Sources};

/// Lines that choose others, and define what others are made of.
const CONDITIONALS: &[&str] = &["if", "ifdef", "ifndef", "elif", "else", "endif"];
const DEFINITIONS: &[&str] = &["define", "undef"];

/// The tokens of a text once it is preprocessed; `None` if that fails.
fn tokens_with(text: &str, defines: &[(String, String)]) -> Option<Vec<String>> {
    let defines = defines.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect();
    let options = Preprocess { defines, language: Some(Language::Hlsl), ..Preprocess::default() };
    let loader = MemoryLoader::new().with("text", text);
    let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
    let stream = preprocess(&loader, "text", &options, &mut sources, &mut diags);
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

/// Whether a text chooses lines by itself.
pub fn has_conditionals(text: &str) -> bool {
    text.lines().filter_map(directive).any(|word| CONDITIONALS.contains(&word))
}

/// The tokens that compilers see of a text. Lines such as `#version` and `#pragma` are tokens, too.
pub fn expanded(text: &str, defines: &[(String, String)]) -> Option<Vec<String>> {
    let line = |line: &str| match directive(line) {
        Some(word) if !CONDITIONALS.contains(&word) && !DEFINITIONS.contains(&word) => {
            format!("directive_ {}\n", line.replacen('#', "", 1))
        }
        _ => format!("{line}\n"),
    };
    tokens_with(&text.lines().map(line).collect::<String>(), defines)
}

/// The numbers of the lines that conditions choose.
pub fn chosen_lines(text: &str, defines: &[(String, String)]) -> Vec<usize> {
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
        let with = |q: &str| expanded(text, &[("Q".to_owned(), q.to_owned())]).map(|tokens| tokens.join(" "));
        assert_eq!(with("2").as_deref(), Some("directive_ version 460 directive_ pragma once_ x = 2.0 ;"));
        assert_eq!(with("1").as_deref(), Some("directive_ version 460 x = 1 ;"));
        assert_eq!(chosen_lines(text, &[]), [0, 6]);
        assert!(expanded("#if 1\n", &[]).is_none());
        assert!(has_conditionals(" # ifdef A\n#endif") && !has_conditionals("#define A\nif (a) {}"));
    }
}
