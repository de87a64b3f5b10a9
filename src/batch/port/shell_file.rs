//! `.sh`: an interpreter of what build scripts have. It follows variables and arrays, `for` over lists and files, functions with
//! arguments, `${NAME%.*}` and the like, `basename` and `dirname`. Of an `if`, `case` or `while` all parts are read once.

use super::script::{Reading, Script, joined, stem_of};
use super::words::{UNKNOWN, is_open, posix_words, unknown};
use globset::Glob;
use std::collections::BTreeMap;

/// Commands that are run.
const MOST_STEPS: usize = 200_000;
/// Calls and blocks in each other.
const DEEPEST: usize = 64;
/// Characters of a value.
const LONGEST: usize = 1 << 15;

/// What a script does when it is run without arguments.
pub fn read(script: &Script) -> Reading {
    let mut reading = Reading::default();
    run(script, &script.directory(), statements(script.text), &mut reading);
    reading
}

/// What a line of a script does that is given to a shell, such as one of a recipe.
pub fn run_line(script: &Script, directory: &str, line: usize, text: &str, reading: &mut Reading) {
    let statements = statements(text).into_iter().map(|statement| ShellStatement { line, ..statement });
    run(script, directory, statements.collect(), reading);
}

fn run(script: &Script, directory: &str, statements: Vec<ShellStatement>, reading: &mut Reading) {
    let mut running = ShellRun {
        script: *script,
        statements,
        variables: BTreeMap::new(),
        functions: BTreeMap::new(),
        directory: directory.to_owned(),
        reading: std::mem::take(reading),
        steps: 0,
    };
    let end = running.statements.len();
    running.run(0, end, 0);
    *reading = running.reading;
}

/// A command with its line.
#[derive(Clone, Debug, PartialEq)]
struct ShellStatement {
    line: usize,
    text: String,
}

/// Words that begin a command that stands behind them on the same line.
const LEADING: &[&str] = &["do", "then", "else", "{", "!"];

/// The commands of a text, without remarks; lines that go on are one.
fn statements(text: &str) -> Vec<ShellStatement> {
    let mut all: Vec<ShellStatement> = Vec::new();
    let (mut word, mut quote, mut line, mut start, mut depth) = (String::new(), None::<char>, 1usize, 1usize, 0usize);
    let mut chars = text.chars().peekable();
    let mut ends = |word: &mut String, start: usize| {
        let mut text = word.trim();
        while let Some(leading) =
            LEADING.iter().find(|l| text.strip_prefix(**l).is_some_and(|r| r.starts_with([' ', '\t'])))
        {
            all.push(ShellStatement { line: start, text: (*leading).to_owned() });
            text = text.get(leading.len()..).unwrap_or_default().trim();
        }
        if !text.is_empty() {
            all.push(ShellStatement { line: start, text: text.to_owned() });
        }
        word.clear();
    };
    while let Some(c) = chars.next() {
        line += usize::from(c == '\n');
        if word.trim().is_empty() {
            start = if c == '\n' { line } else { start.max(line) };
        }
        match (c, quote) {
            ('\\', _) => match chars.next() {
                Some('\n') => {
                    line += 1;
                    word.push(' ');
                }
                Some('\r') => {}
                Some(next) => word.extend(['\\', next]),
                None => {}
            },
            (c, Some(open)) => {
                word.push(c);
                quote = quote.filter(|_| c != open);
            }
            ('"' | '\'', None) => {
                quote = Some(c);
                word.push(c);
            }
            ('#', None) if word.is_empty() || word.ends_with([' ', '\t']) => {
                while chars.peek().is_some_and(|c| *c != '\n') {
                    chars.next();
                }
            }
            ('(', None) => {
                depth += 1;
                word.push(c);
            }
            (')', None) => {
                depth = depth.saturating_sub(1);
                word.push(c);
            }
            ('\n', None) if depth > 0 => word.push(' '),
            ('\n' | ';' | '&' | '|', None) if depth == 0 => ends(&mut word, start),
            (c, None) => word.push(c),
        }
    }
    ends(&mut word, start);
    all
}

struct ShellRun<'a> {
    script: Script<'a>,
    statements: Vec<ShellStatement>,
    variables: BTreeMap<String, Vec<String>>,
    /// The bodies of functions, by their places.
    functions: BTreeMap<String, (usize, usize)>,
    directory: String,
    reading: Reading,
    steps: usize,
}

impl ShellRun<'_> {
    fn run(&mut self, start: usize, end: usize, depth: usize) {
        let mut at = start;
        while at < end {
            let Some(statement) = self.statements.get(at).cloned() else { return };
            at += 1;
            self.steps += 1;
            if self.steps > MOST_STEPS || depth > DEEPEST {
                return self.reading.note(
                    &self.script,
                    statement.line,
                    "the script runs for longer than it is followed",
                );
            }
            let first = statement.text.split_whitespace().next().unwrap_or_default();
            if first == "for" {
                let (body, after) = self.block(at, "do", "done");
                self.repeat(&statement, body, depth);
                at = after;
            } else if let Some(name) = function_name(&statement.text) {
                let (body, after) = self.block(at, "{", "}");
                self.functions.insert(name, body);
                at = after;
            } else {
                self.one(&statement, depth);
            }
        }
    }

    /// The place of a block behind its first word, and what follows it.
    fn block(&self, start: usize, open: &str, close: &str) -> ((usize, usize), usize) {
        let mut depth = 0usize;
        let mut first = start;
        for (at, statement) in self.statements.iter().enumerate().skip(start) {
            if statement.text == open {
                if depth == 0 {
                    first = at + 1;
                }
                depth += 1;
            } else if statement.text.split_whitespace().next() == Some(close) {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return ((first, at), at + 1);
                }
            }
        }
        let end = self.statements.len();
        ((first, end), end)
    }

    fn repeat(&mut self, statement: &ShellStatement, body: (usize, usize), depth: usize) {
        let text = statement.text.trim_start_matches("for").trim();
        let (name, list) = text.split_once(" in ").unwrap_or((text, "\"$@\""));
        if name.starts_with('(') {
            return self.reading.note(&self.script, statement.line, "`for ((` is not followed");
        }
        let mut values = Vec::new();
        for word in self.words(list) {
            match word.contains(['*', '?']) && !word.contains(UNKNOWN) {
                true => values.extend(self.script.matching(&self.directory, &word, false)),
                false => values.push(word),
            }
        }
        for value in values {
            self.variables.insert(name.trim().to_owned(), vec![value]);
            self.run(body.0, body.1, depth + 1);
        }
    }

    fn one(&mut self, statement: &ShellStatement, depth: usize) {
        let text = statement.text.as_str();
        let text = ["export ", "local ", "readonly ", "declare ", "if ", "elif ", "while "]
            .iter()
            .find_map(|word| text.strip_prefix(word))
            .unwrap_or(text)
            .trim();
        if let Some((name, value)) = assignment(text) {
            return self.assign(name, value);
        }
        let words = self.words(text);
        let Some(first) = words.first().cloned() else { return };
        match first.as_str() {
            "cd" | "pushd" => match words.get(1) {
                Some(path) if !is_open(path) => self.directory = joined(&self.directory, path),
                _ => {}
            },
            "popd" => self.directory = self.script.directory(),
            "shift" => {
                let arguments = self.variables.entry("@".to_owned()).or_default();
                if !arguments.is_empty() {
                    arguments.remove(0);
                }
            }
            name => match self.functions.get(name).copied() {
                Some((start, end)) => {
                    let arguments = words.get(1..).unwrap_or_default().to_vec();
                    let before = self.variables.insert("@".to_owned(), arguments);
                    self.run(start, end, depth + 1);
                    self.variables.insert("@".to_owned(), before.unwrap_or_default());
                }
                None => {
                    let (line, directory) = (statement.line, self.directory.clone());
                    let end = words.iter().position(|word| word.starts_with(['>', '<']) || word.starts_with("2>"));
                    self.reading.command(
                        &self.script,
                        line,
                        &directory,
                        words.get(..end.unwrap_or(words.len())).unwrap_or_default(),
                    );
                }
            },
        }
    }

    fn assign(&mut self, name: &str, value: &str) {
        let list = value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let values = match list {
            Some(list) => self.words(list),
            None => vec![self.expanded(value)],
        };
        match name.strip_suffix('+') {
            Some(name) => self.variables.entry(name.to_owned()).or_default().extend(values),
            None => drop(self.variables.insert(name.to_owned(), values)),
        }
    }

    /// The words of a text with the values of variables. A variable outside of quotes may be several words.
    fn words(&self, text: &str) -> Vec<String> {
        posix_words(&self.substituted(text))
    }

    /// A value as one text.
    fn expanded(&self, text: &str) -> String {
        self.words(&format!("\"{}\"", text.trim_matches('"'))).join(" ")
    }

    /// A text with values in place of variables, as the shell would read it.
    fn substituted(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        let mut in_single = false;
        while let Some(at) = rest.find(['$', '`', '\'']) {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            let after = from.get(1..).unwrap_or_default();
            let is_quoted = out.matches('"').count() % 2 == 1;
            if from.starts_with('\'') {
                in_single ^= !is_quoted;
                out.push('\'');
                rest = after;
            } else if in_single {
                out.extend(from.chars().next());
                rest = after;
            } else if out.len() > LONGEST {
                break;
            } else {
                let (value, behind) = self.value(from, is_quoted);
                out.push_str(&value);
                rest = behind;
            }
        }
        out.push_str(rest);
        out
    }

    /// The value of what begins with `$` or a backquote, and what follows it.
    fn value<'t>(&self, text: &'t str, is_quoted: bool) -> (String, &'t str) {
        if let Some(inside) = text.strip_prefix("$(") {
            let (command, rest) = inside.split_at(closing(inside, '(', ')'));
            return (self.printed(command), rest.get(1..).unwrap_or_default());
        }
        if let Some(inside) = text.strip_prefix('`') {
            let (command, rest) = inside.split_once('`').unwrap_or((inside, ""));
            return (self.printed(command), rest);
        }
        if let Some(inside) = text.strip_prefix("${") {
            let (name, rest) = inside.split_at(closing(inside, '{', '}'));
            return (self.changed(name, is_quoted), rest.get(1..).unwrap_or_default());
        }
        let after = text.get(1..).unwrap_or_default();
        let length = match after.chars().next() {
            Some(c) if c.is_ascii_digit() || "@*#?".contains(c) => 1,
            _ => after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len()),
        };
        let (name, rest) = after.split_at(length);
        if name.is_empty() { ("$".to_owned(), rest) } else { (self.joined(name, is_quoted), rest) }
    }

    /// A variable's values; in quotes each of a list is a word of its own.
    fn joined(&self, name: &str, is_quoted: bool) -> String {
        let position = name.parse::<usize>().ok();
        let values = match position {
            Some(0) => return joined("", self.script.name).rsplit('/').next().unwrap_or_default().to_owned(),
            Some(n) => self.variables.get("@").and_then(|all| all.get(n - 1)).map(|value| vec![value.clone()]),
            None => self.variables.get(if name == "*" { "@" } else { name }).cloned(),
        };
        match (values, position) {
            (Some(values), _) => values.join(if is_quoted { "\" \"" } else { " " }),
            (None, Some(_)) => String::new(),
            (None, None) if name == "@" || name == "?" => String::new(),
            (None, None) => unknown(name),
        }
    }

    /// What is in `${...}`.
    fn changed(&self, text: &str, is_quoted: bool) -> String {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '@').unwrap_or(text.len());
        let (name, form) = text.split_at(end);
        if form.is_empty() || form == "[@]" || form == "[*]" {
            return self.joined(name, is_quoted);
        }
        let value = self.joined(name, is_quoted);
        let is_known = !value.contains(UNKNOWN);
        if let Some(fallback) = form.strip_prefix(":-").or_else(|| form.strip_prefix(":=")) {
            return if is_known && !value.is_empty() { value } else { self.substituted(fallback).replace('"', "") };
        }
        for (sign, cut, longest) in CUTS {
            if let Some(pattern) = form.strip_prefix(sign) {
                let pattern = pattern.trim_matches(['"', '\'']);
                return if is_known { cut(&value, pattern, *longest) } else { value };
            }
        }
        if let Some((old, new)) = form.strip_prefix('/').and_then(|rest| rest.trim_start_matches('/').split_once('/')) {
            return value.replace(old, new);
        }
        if is_known { unknown(text) } else { value }
    }

    /// What a command prints.
    fn printed(&self, command: &str) -> String {
        let words = self.words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "--").collect();
        match words.as_slice() {
            ["basename", path] => path.rsplit('/').next().unwrap_or_default().to_owned(),
            ["basename", path, ending] => {
                let name = path.rsplit('/').next().unwrap_or_default();
                let ending = ending.trim_start_matches('*');
                name.strip_suffix(ending).unwrap_or(if ending == "." { stem_of(name) } else { name }).to_owned()
            }
            ["dirname", path] => path.rsplit_once('/').map_or(".", |(directory, _)| directory).to_owned(),
            ["pwd"] => ".".to_owned(),
            // `$(cd "$(dirname "$0")" && pwd)`
            ["cd", path, "&&", "pwd"] => (*path).to_owned(),
            ["echo", rest @ ..] => rest.join(" "),
            ["ls", pattern] => self.script.matching(&self.directory, pattern, false).join(" "),
            ["find", below, rest @ ..] => {
                let below = joined("", below);
                let named = rest.iter().position(|word| *word == "-name" || *word == "-iname");
                let pattern = named.and_then(|at| rest.get(at + 1)).copied().unwrap_or("*");
                let from = joined(&self.directory, &below);
                let found = self.script.matching(&from, pattern, true);
                found.iter().map(|file| joined(&below, file)).collect::<Vec<_>>().join(" ")
            }
            _ => unknown(&format!("({command})")),
        }
    }
}

/// Takes what a pattern matches off a value.
type PatternCut = fn(&str, &str, bool) -> String;
/// What stands before a pattern in `${NAME%...}`, where it takes off, and whether the longest that it matches.
const CUTS: &[(&str, PatternCut, bool)] =
    &[("%%", tail, true), ("%", tail, false), ("##", head, true), ("#", head, false)];

/// Where what was opened before a text is closed.
pub fn closing(text: &str, open: char, close: char) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            if depth == 0 {
                return at;
            }
            depth -= 1;
        }
    }
    text.len()
}

/// `NAME=VALUE`, alone on its line.
fn assignment(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let plain = name.strip_suffix('+').unwrap_or(name);
    let is_name = !plain.is_empty() && plain.chars().all(|c| c.is_alphanumeric() || c == '_');
    // `A=b program` is a command.
    let is_alone = value.starts_with(['(', '"', '\'', '$', '`']) || !value.contains(' ');
    (is_name && is_alone && !value.starts_with('=')).then_some((name, value))
}

/// The name of a function that a statement begins.
fn function_name(text: &str) -> Option<String> {
    let text = text.strip_suffix('{').unwrap_or(text).trim();
    let after = text.strip_prefix("function ").map(|rest| rest.trim_end_matches("()").trim());
    let name = after.or_else(|| text.strip_suffix("()").map(str::trim))?;
    (!name.is_empty() && !name.contains([' ', '$', '='])).then(|| name.to_owned())
}

/// A value without what a pattern matches at its end: the shortest, or the longest.
fn tail(value: &str, pattern: &str, longest: bool) -> String {
    let Ok(glob) = Glob::new(pattern) else { return value.to_owned() };
    let glob = glob.compile_matcher();
    let mut places: Vec<usize> = value.char_indices().map(|(at, _)| at).collect();
    if !longest {
        places.reverse();
    }
    let found = places.into_iter().find(|at| value.get(*at..).is_some_and(|rest| glob.is_match(rest)));
    found.and_then(|at| value.get(..at)).unwrap_or(value).to_owned()
}

/// The same at its beginning.
fn head(value: &str, pattern: &str, longest: bool) -> String {
    let Ok(glob) = Glob::new(pattern) else { return value.to_owned() };
    let glob = glob.compile_matcher();
    let mut places: Vec<usize> = value.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
    if longest {
        places.reverse();
    }
    let found = places.into_iter().find(|at| value.get(..*at).is_some_and(|start| glob.is_match(start)));
    found.and_then(|at| value.get(at..)).unwrap_or(value).to_owned()
}
