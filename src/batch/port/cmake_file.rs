//! `CMakeLists.txt` and `.cmake`: commands with `COMMAND`, and what they are made of. It follows `set`, `list(APPEND)`, `foreach`,
//! functions and macros, `file(GLOB)` and `get_filename_component`. Of an `if` all parts are read.

use super::script::{Reading, Script, joined, stem_of};
use super::words::unknown;
use std::collections::BTreeMap;

/// Commands that are run.
const MOST_STEPS: usize = 100_000;
/// Calls and loops in each other.
const DEEPEST: usize = 32;
/// Characters of a value.
const LONGEST: usize = 1 << 16;

/// What a file says.
pub fn read(script: &Script) -> Reading {
    let calls = calls(script.text);
    let mut variables = BTreeMap::new();
    for name in HERE {
        variables.insert((*name).to_owned(), ".".to_owned());
    }
    let (functions, reading) = (BTreeMap::new(), Reading::default());
    let mut running = CmakeRun { script: *script, calls, variables, functions, reading, steps: 0 };
    let end = running.calls.len();
    running.run(0, end, 0);
    running.reading
}

/// Variables that are the directory of the file.
const HERE: &[&str] = &["CMAKE_CURRENT_SOURCE_DIR", "CMAKE_CURRENT_LIST_DIR", "CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR"];

/// A command of the file.
#[derive(Clone, Debug)]
struct CmakeCall {
    name: String,
    arguments: Vec<CmakeArgument>,
    line: usize,
}

#[derive(Clone, Debug)]
struct CmakeArgument {
    text: String,
    is_quoted: bool,
}

/// The commands of a text.
fn calls(text: &str) -> Vec<CmakeCall> {
    let mut reader = CmakeReader { chars: text.chars().peekable(), line: 1 };
    let mut calls = Vec::new();
    let mut name = String::new();
    while let Some(c) = reader.next() {
        match c {
            '#' => reader.remark(),
            '(' => {
                let line = reader.line;
                let arguments = reader.arguments();
                calls.push(CmakeCall { name: std::mem::take(&mut name).trim().to_ascii_lowercase(), arguments, line });
            }
            c if c.is_whitespace() => {}
            c => name.push(c),
        }
    }
    calls
}

struct CmakeReader<'t> {
    chars: std::iter::Peekable<std::str::Chars<'t>>,
    line: usize,
}

impl CmakeReader<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.chars.next();
        self.line += usize::from(c == Some('\n'));
        c
    }

    /// Up to the end of the line, or of a bracket.
    fn remark(&mut self) {
        if self.chars.peek() == Some(&'[') {
            self.next();
            if self.bracket().is_some() {
                return;
            }
        }
        while self.chars.peek().is_some_and(|c| *c != '\n') {
            self.next();
        }
    }

    /// `[[ text ]]` behind its first bracket.
    fn bracket(&mut self) -> Option<String> {
        let mut equals = 0;
        while self.chars.peek() == Some(&'=') {
            self.next();
            equals += 1;
        }
        if self.chars.peek() != Some(&'[') {
            return None;
        }
        self.next();
        let end = format!("]{}]", "=".repeat(equals));
        let mut text = String::new();
        while let Some(c) = self.next() {
            text.push(c);
            if text.ends_with(&end) {
                text.truncate(text.len() - end.len());
                break;
            }
        }
        Some(text)
    }

    /// Arguments up to the parenthesis that closes the command; those in it are words of their own.
    fn arguments(&mut self) -> Vec<CmakeArgument> {
        let mut all: Vec<CmakeArgument> = Vec::new();
        let (mut word, mut depth) = (String::new(), 0usize);
        let ends = |word: &mut String, all: &mut Vec<CmakeArgument>| {
            if !word.is_empty() {
                all.push(CmakeArgument { text: std::mem::take(word), is_quoted: false });
            }
        };
        while let Some(c) = self.next() {
            match c {
                '#' if word.is_empty() => self.remark(),
                '"' if word.is_empty() => {
                    let text = self.quoted();
                    all.push(CmakeArgument { text, is_quoted: true });
                }
                '[' if word.is_empty() && self.chars.peek().is_some_and(|c| "[=".contains(*c)) => {
                    let text = self.bracket().unwrap_or_default();
                    all.push(CmakeArgument { text, is_quoted: true });
                }
                ')' if depth == 0 => break,
                '(' | ')' => {
                    ends(&mut word, &mut all);
                    depth = if c == '(' { depth + 1 } else { depth - 1 };
                }
                '\\' => word.extend(self.next()),
                c if c.is_whitespace() => ends(&mut word, &mut all),
                c => word.push(c),
            }
        }
        ends(&mut word, &mut all);
        all
    }

    /// A quoted argument behind its first quote.
    fn quoted(&mut self) -> String {
        let mut text = String::new();
        while let Some(c) = self.next() {
            match c {
                '"' => break,
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    Some(escaped @ ('$' | ';')) => text.extend(['\\', escaped]),
                    Some(escaped) => text.push(escaped),
                },
                c => text.push(c),
            }
        }
        text
    }
}

struct CmakeRun<'a> {
    script: Script<'a>,
    calls: Vec<CmakeCall>,
    /// Lists are parted by `;`.
    variables: BTreeMap<String, String>,
    /// The parameters and bodies of functions.
    functions: BTreeMap<String, (Vec<String>, usize, usize)>,
    reading: Reading,
    steps: usize,
}

impl CmakeRun<'_> {
    fn run(&mut self, start: usize, end: usize, depth: usize) {
        let mut at = start;
        while at < end {
            let Some(call) = self.calls.get(at).cloned() else { return };
            at += 1;
            self.steps += 1;
            if self.steps > MOST_STEPS || depth > DEEPEST {
                return self.reading.note(&self.script, call.line, "the file runs for longer than it is followed");
            }
            match call.name.as_str() {
                "foreach" => {
                    let last = self.ending(at, end, &["foreach"], &["endforeach"]);
                    self.repeat(&call, (at, last), depth);
                    at = last + 1;
                }
                "function" | "macro" => {
                    let last = self.ending(at, end, &["function", "macro"], &["endfunction", "endmacro"]);
                    let words: Vec<String> = call.arguments.iter().map(|a| a.text.clone()).collect();
                    if let Some((name, parameters)) = words.split_first() {
                        self.functions.insert(name.to_ascii_lowercase(), (parameters.to_vec(), at, last));
                    }
                    at = last + 1;
                }
                _ => self.one(&call, depth),
            }
        }
    }

    /// The place of the command that ends a block.
    fn ending(&self, start: usize, end: usize, opening: &[&str], closing: &[&str]) -> usize {
        let mut depth = 0usize;
        for at in start..end {
            let name = self.calls.get(at).map_or("", |call| call.name.as_str());
            if opening.contains(&name) {
                depth += 1;
            } else if closing.contains(&name) {
                if depth == 0 {
                    return at;
                }
                depth -= 1;
            }
        }
        end
    }

    fn repeat(&mut self, call: &CmakeCall, body: (usize, usize), depth: usize) {
        let words = self.words(&call.arguments);
        let Some((name, rest)) = words.split_first() else { return };
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        let values: Vec<String> = match rest.as_slice() {
            ["IN", "LISTS", names @ ..] => {
                let lists = names.iter().take_while(|name| **name != "ITEMS").map(|name| self.variable(name));
                let listed = lists.flat_map(|list| elements(&list)).collect::<Vec<_>>();
                let items = names.iter().skip_while(|name| **name != "ITEMS").skip(1).map(|item| (*item).to_owned());
                listed.into_iter().chain(items).collect()
            }
            ["IN", "ITEMS", items @ ..] => items.iter().map(|item| (*item).to_owned()).collect(),
            ["RANGE", range @ ..] => numbers(range),
            items => items.iter().map(|item| (*item).to_owned()).collect(),
        };
        for value in values {
            self.variables.insert(name.clone(), value);
            self.run(body.0, body.1, depth + 1);
        }
    }

    fn one(&mut self, call: &CmakeCall, depth: usize) {
        let words = self.words(&call.arguments);
        let texts: Vec<&str> = words.iter().map(String::as_str).collect();
        match (call.name.as_str(), texts.as_slice()) {
            ("set", [name, values @ ..]) => {
                let end = values.iter().position(|v| *v == "CACHE" || *v == "PARENT_SCOPE").unwrap_or(values.len());
                let value = values.get(..end).unwrap_or_default().join(";");
                self.assign(name, value);
            }
            ("unset", [name, ..]) => drop(self.variables.remove(*name)),
            ("list", ["APPEND", name, values @ ..]) => {
                let before = self.variables.get(*name).cloned().unwrap_or_default();
                let all = elements(&before).into_iter().chain(values.iter().map(|v| (*v).to_owned()));
                self.assign(name, all.collect::<Vec<_>>().join(";"));
            }
            ("file", [kind @ ("GLOB" | "GLOB_RECURSE"), name, patterns @ ..]) => {
                let patterns = patterns.iter().filter(|p| **p != "CONFIGURE_DEPENDS");
                let here = self.script.directory();
                let one = |pattern: &&str| self.script.matching(&here, &joined("", pattern), *kind == "GLOB_RECURSE");
                let found: Vec<String> = patterns.flat_map(one).collect();
                self.assign(name, found.join(";"));
            }
            ("get_filename_component", [name, path, kind, ..]) => self.assign(name, component(path, kind)),
            ("cmake_path", ["GET", path, kind, name]) => {
                let value = component(&self.variable(path), if *kind == "STEM" { "NAME_WE" } else { "NAME" });
                self.assign(name, value);
            }
            ("string", ["REPLACE", old, new, name, texts @ ..]) => self.assign(name, texts.concat().replace(old, new)),
            ("add_custom_command" | "add_custom_target" | "execute_process", _) => self.commands(call, &texts),
            (name, _) => self.call(name, &words, depth),
        }
    }

    fn assign(&mut self, name: &str, value: String) {
        if value.len() <= LONGEST {
            self.variables.insert(name.to_owned(), value);
        }
    }

    /// The commands of a rule, up to the next word that says something else.
    fn commands(&mut self, call: &CmakeCall, words: &[&str]) {
        for command in words.split(|word| *word == "COMMAND").skip(1) {
            let end = command.iter().position(|word| AFTER.contains(word)).unwrap_or(command.len());
            let command: Vec<String> = command.iter().take(end).map(|word| (*word).to_owned()).collect();
            let directory = self.script.directory();
            self.reading.command(&self.script, call.line, &directory, &command);
        }
    }

    /// A function of the file with its arguments; other commands are of no concern.
    fn call(&mut self, name: &str, words: &[String], depth: usize) {
        let Some((parameters, start, end)) = self.functions.get(name).cloned() else { return };
        let before = self.variables.clone();
        for (parameter, value) in parameters.iter().zip(words) {
            self.variables.insert(parameter.clone(), value.clone());
        }
        self.variables.insert("ARGN".to_owned(), words.get(parameters.len()..).unwrap_or_default().join(";"));
        self.variables.insert("ARGV".to_owned(), words.join(";"));
        for (at, value) in words.iter().enumerate() {
            self.variables.insert(format!("ARGV{at}"), value.clone());
        }
        self.keywords(start, end, words);
        self.run(start, end, depth + 1);
        self.variables = before;
    }

    /// `cmake_parse_arguments(PREFIX OPTIONS ONE MANY ...)` in the function that is called.
    fn keywords(&mut self, start: usize, end: usize, words: &[String]) {
        let parse = self.calls.get(start..end).unwrap_or_default().iter().find(|c| c.name == "cmake_parse_arguments");
        let Some(parse) = parse.cloned() else { return };
        let texts: Vec<String> = parse.arguments.iter().map(|argument| self.expanded(&argument.text)).collect();
        let from = usize::from(texts.first().is_some_and(|first| first == "PARSE_ARGV")) * 2;
        let [prefix, _, one, many] = texts.get(from..from + 4).unwrap_or_default() else { return };
        let keys: Vec<String> = elements(one).into_iter().chain(elements(many)).collect();
        let mut key: Option<&String> = None;
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for word in words {
            match (keys.iter().find(|known| *known == word), key) {
                (Some(known), _) => key = Some(known),
                (None, Some(key)) => values.entry(format!("{prefix}_{key}")).or_default().push(word.clone()),
                (None, None) => {}
            }
        }
        for (name, values) in values {
            self.variables.insert(name, values.join(";"));
        }
    }

    /// Arguments with values; one that is not quoted may be several.
    fn words(&self, arguments: &[CmakeArgument]) -> Vec<String> {
        let one = |argument: &CmakeArgument| {
            let text = self.expanded(&argument.text);
            if argument.is_quoted { vec![text] } else { elements(&text) }
        };
        arguments.iter().flat_map(one).collect()
    }

    fn variable(&self, name: &str) -> String {
        self.variables.get(name).cloned().unwrap_or_else(|| unknown(name))
    }

    /// A text with values in place of `${NAME}`, the innermost first.
    fn expanded(&self, text: &str) -> String {
        let mut text = text.to_owned();
        while let Some(end) = text.find('}') {
            let Some(start) = text.get(..end).and_then(|before| before.rfind("${")) else { break };
            let value = self.variable(text.get(start + 2..end).unwrap_or_default());
            text.replace_range(start..=end, &value);
            if text.len() > LONGEST {
                break;
            }
        }
        text
    }
}

/// Words of a rule behind its commands.
const AFTER: &[&str] = &[
    "ARGS",
    "BYPRODUCTS",
    "COMMAND_EXPAND_LISTS",
    "COMMENT",
    "DEPENDS",
    "DEPFILE",
    "IMPLICIT_DEPENDS",
    "JOB_POOL",
    "MAIN_DEPENDENCY",
    "OUTPUT",
    "POST_BUILD",
    "PRE_BUILD",
    "PRE_LINK",
    "RESULT_VARIABLE",
    "SOURCES",
    "USES_TERMINAL",
    "VERBATIM",
    "WORKING_DIRECTORY",
    "OUTPUT_VARIABLE",
    "ERROR_VARIABLE",
];

/// The elements of a list.
fn elements(list: &str) -> Vec<String> {
    list.split(';').filter(|element| !element.is_empty()).map(str::to_owned).collect()
}

/// `RANGE last` or `RANGE first last [step]`.
fn numbers(range: &[&str]) -> Vec<String> {
    let numbers: Vec<usize> = range.iter().filter_map(|n| n.parse().ok()).collect();
    let (first, last, step) = match numbers.as_slice() {
        [last] => (0, *last, 1),
        [first, last] => (*first, *last, 1),
        [first, last, step] => (*first, *last, (*step).max(1)),
        _ => return Vec::new(),
    };
    (first..=last.min(first.saturating_add(MOST_STEPS))).step_by(step).map(|n| n.to_string()).collect()
}

/// A part of a path.
fn component(path: &str, kind: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    match kind {
        "NAME" => name.to_owned(),
        "NAME_WE" => name.split('.').next().unwrap_or(name).to_owned(),
        "NAME_WLE" => stem_of(name).to_owned(),
        "EXT" => name.split_once('.').map_or(String::new(), |(_, ending)| format!(".{ending}")),
        "LAST_EXT" => name.rsplit_once('.').map_or(String::new(), |(_, ending)| format!(".{ending}")),
        "DIRECTORY" | "PATH" => directory.to_owned(),
        _ => path.to_owned(),
    }
}
