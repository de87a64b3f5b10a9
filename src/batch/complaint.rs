//! What another compiler says of a text, where the source has it.

use crate::compile::Output;
use crate::diagnostic::{Code, Diagnostic, Message, Severity};
use crate::source::Sources;
use crate::source_map::{SourceMap, Texts};
use std::sync::Arc;

/// A complaint about an emitted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// Whose.
    pub tool: &'static str,
    /// What it says, without the place.
    pub text: String,
    /// The line and the column of the text that it is about, counted from 0, the column in units of UTF-16.
    pub place: Option<(usize, usize)>,
}

impl Complaint {
    /// The errors in what a tool says of a text, which it knows by the name of a file.
    pub fn all(tool: &'static str, said: &str, file: &str, text: &str) -> Vec<Complaint> {
        let mut found: Vec<Complaint> = Vec::new();
        for line in said.trim().lines().filter(|line| line.trim() != file && !is_summary(line)) {
            if let Some((place, words)) = placed(line, file, text) {
                found.push(Complaint { tool, text: words.to_owned(), place: Some(place) });
                continue;
            }
            if found.is_empty() {
                let text = line.strip_prefix("error: ").unwrap_or(line).to_owned();
                found.push(Complaint { tool, text, place: None });
                continue;
            }
            let Some(last) = found.last_mut() else { continue };
            // naga tells the place below the words.
            last.place = last.place.or_else(|| {
                let (number, rest) = numbered(line.trim_start().strip_prefix(BELOW)?)?;
                let (column, _) = numbered(rest.strip_prefix(':')?)?;
                let row = text.lines().nth(number.checked_sub(1)?)?;
                Some((number - 1, row.chars().take(column.saturating_sub(1)).map(char::len_utf16).sum()))
            });
            last.text.push('\n');
            last.text.push_str(line);
        }
        // Lines without words are no part of what was said last.
        found.iter_mut().for_each(|complaint| complaint.text.truncate(complaint.text.trim_end().len()));
        found
    }

    /// What is shown of it: with a map, at the place of the source that the place of the text comes from. Of what has none, the
    /// name of the `program` is told.
    pub fn message(
        &self,
        (program, text): (&str, &str),
        map: Option<&SourceMap>,
        texts: Texts,
        color: bool,
    ) -> Message {
        let Complaint { tool, text: said, place } = self;
        let traced = place.and_then(|(line, column)| map?.trace(line, column, texts));
        let Some((traced, (line, column))) = traced.zip(*place) else {
            let at = place.map_or(String::new(), |(line, column)| format!("{text}:{}:{}: ", line + 1, column + 1));
            let words = format!("{program}: {tool}: {at}{said}");
            return Message::without_place(Severity::Error, Some(Code::VALIDATION), &words, color);
        };
        let (first, rest) = said.split_once('\n').unwrap_or((said, ""));
        let at = format!("{text}:{}:{} is what {tool} refuses", line + 1, column + 1);
        let mut found = Diagnostic::error(Code::VALIDATION, traced.span, format!("{tool}: {first}")).note(at);
        if !rest.trim().is_empty() {
            found = found.note(rest.trim_end());
        }
        let messages = Message::of(&[found], &traced.sources, color);
        let whole = || Message::without_place(Severity::Error, Some(Code::VALIDATION), said, color);
        messages.into_iter().next().unwrap_or_else(whole)
    }
}

/// What stands before a place in what naga says.
const BELOW: &str = "\u{250c}\u{2500} wgsl:";

/// Lines that only say that there were errors.
fn is_summary(line: &str) -> bool {
    let words = ["compilation errors.", "'' : compilation terminated", "SPIR-V is not generated for failed"];
    words.iter().any(|part| line.contains(part))
}

/// A number that a text begins with, and what is behind it.
fn numbered(text: &str) -> Option<(usize, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text.get(..end)?.parse().ok()?, text.get(end..)?))
}

/// The place in a text and the words of a line that says an error: `FILE:4:12: error: ...` or `ERROR: FILE:4: 'x' : ...`.
fn placed<'l>(line: &'l str, file: &str, text: &str) -> Option<((usize, usize), &'l str)> {
    let (is_error, rest) = line.strip_prefix("ERROR: ").map_or((false, line), |rest| (true, rest));
    let (number, rest) = numbered(rest.strip_prefix(file)?.strip_prefix(':')?)?;
    let at = number.checked_sub(1)?;
    let row = text.lines().nth(at)?;
    let (at, row, column, rest) = match rest.strip_prefix(':').and_then(numbered) {
        Some((column, rest)) => (at, row, column.saturating_sub(1), rest),
        // Without a column there is the token.
        None => {
            let token = rest.split('\'').nth(1).filter(|token| !token.is_empty());
            let indent = row.len() - row.trim_start().len();
            let in_row = || Some((at, row, word_in(row, token?)?));
            let (at, row, column) = in_row().or_else(|| in_macro(text, at, token?)).unwrap_or((at, row, indent));
            (at, row, column, rest)
        }
    };
    let words = rest.trim_start_matches([':', ' ']);
    let words = match is_error {
        true => words,
        false => words.strip_prefix("error: ")?,
    };
    let column = row.get(..column).unwrap_or(row).encode_utf16().count();
    Some(((at, column), words.trim_end()))
}

/// Where a token is in a line: as a whole word, if it is one.
fn word_in(row: &str, token: &str) -> Option<usize> {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let is_apart = |at: &usize| {
        let before = row.get(..*at).and_then(|before| before.chars().next_back());
        let behind = row.get(at + token.len()..).and_then(|behind| behind.chars().next());
        let is_inside = |next: Option<char>, own: Option<char>| next.is_some_and(is_part) && own.is_some_and(is_part);
        !is_inside(before, token.chars().next()) && !is_inside(behind, token.chars().next_back())
    };
    row.match_indices(token).map(|(at, _)| at).find(is_apart)
}

/// Where a token is in the macros that a line uses: the line, and where it is in that. glslang tells the line of the use.
fn in_macro<'t>(text: &'t str, at: usize, token: &str) -> Option<(usize, &'t str, usize)> {
    let mut definitions: Vec<(usize, &str)> = Vec::new();
    let mut goes_on = false;
    for (number, row) in text.lines().enumerate().take(at) {
        let is_first = row.trim_start().starts_with("#define");
        if is_first || goes_on {
            definitions.push((number, row));
        }
        goes_on = (is_first || goes_on) && row.ends_with('\\');
    }
    definitions.into_iter().rev().find_map(|(number, row)| Some((number, row, word_in(row, token)?)))
}

/// The texts of a program's sources by their names in maps.
pub fn texts_of(output: &Output) -> impl Fn(&str) -> (String, Option<Arc<str>>) {
    texts_in(&output.sources)
}

fn texts_in(sources: &Sources) -> impl Fn(&str) -> (String, Option<Arc<str>>) {
    |name| match sources.files().find(|(_, file)| file.recorded == name) {
        Some((_, file)) => (file.name.clone(), Some(file.text.clone())),
        None => (name.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(tool: &'static str, said: &str, text: &str) -> Vec<(String, Option<(usize, usize)>)> {
        Complaint::all(tool, said, "/t/a", text).into_iter().map(|c| (c.text, c.place)).collect()
    }

    #[test]
    fn places_of_each_tool_are_read() {
        let text = "// \u{e9}\nfloat a = foo;\n  b = foo;\n";
        let dxc = "/t/a:2:11: error: undeclared 'foo'\nfloat a = foo;\n          ^\n/t/a:3:7: error: again\n";
        assert_eq!(
            found("dxc", dxc, text),
            [
                ("undeclared 'foo'\nfloat a = foo;\n          ^".to_owned(), Some((1, 10))),
                ("again".to_owned(), Some((2, 6)))
            ]
        );
        let glslang = "/t/a\nERROR: /t/a:3: 'foo' : undeclared identifier \nERROR: /t/a:3: '' : compilation terminated \n\
            ERROR: 2 compilation errors.  No code generated.\n\n\nSPIR-V is not generated for failed compile or link\n";
        assert_eq!(found("glslang", glslang, text)[..1], [("'foo' : undeclared identifier".to_owned(), Some((2, 6)))]);
        let text = "#define A(x) \\\n  x * bar\nfloat bars = A(1);\n";
        let glslang = "ERROR: /t/a:3: 'bar' : undeclared identifier \nERROR: /t/a:3: '=' : cannot convert \n";
        let places: Vec<_> = found("glslang", glslang, text).into_iter().map(|(_, place)| place).collect();
        assert_eq!(places, [Some((1, 6)), Some((2, 11))]);
        let text = "// \u{e9}\nfloat a = foo;\n  b = foo;\n";
        let tint = "/t/a:2:11 error: unresolved value 'foo'\nfloat a = foo;\n          ^^^\n";
        assert_eq!(found("tint", tint, text)[0].1, Some((1, 10)));
        let naga = "error: no definition in scope\n  \u{250c}\u{2500} wgsl:1:5\n";
        assert_eq!(found("naga", naga, text)[0].1, Some((0, 4)));
        assert_eq!(found("spirv-val", "error: line 12: OpStore\n", text), [("line 12: OpStore".to_owned(), None)]);
    }
}
