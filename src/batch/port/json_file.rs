//! JSON with commands: lists of words, texts, and objects with `command` or `arguments`.

use super::script::{Reading, Script, joined};
use super::words::{is_shader, posix_words, tool_of, windows_words};
use serde_json::Value;

/// Values in values.
const DEEPEST: usize = 64;

/// JSON: lists of words, texts, and objects with `command` or `arguments`, as `compile_commands.json` has them.
pub fn read(script: &Script) -> Reading {
    let mut reading = Reading::default();
    match serde_json::from_str::<Value>(script.text.trim_start_matches('\u{feff}')) {
        Ok(value) => in_json(script, &value, &script.directory(), DEEPEST, &mut reading),
        Err(fault) => reading.note(script, fault.line(), "it is no JSON that can be read"),
    }
    reading
}

fn in_json(script: &Script, value: &Value, directory: &str, depth: usize, reading: &mut Reading) {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut add = |words: Vec<String>, directory: &str| {
        let is_tool = words.len() > 1 && words.first().is_some_and(|first| tool_of(first).is_some());
        if is_tool {
            let line = words.iter().find(|word| is_shader(word)).map_or(1, |word| line_of(script.text, word));
            reading.command(script, line, directory, &words);
        }
        is_tool
    };
    match value {
        Value::Array(items) => {
            let words: Option<Vec<String>> = items.iter().map(text).collect();
            if !words.is_some_and(|words| words.len() > 1 && add(words, directory)) && depth > 0 {
                items.iter().for_each(|item| in_json(script, item, directory, depth - 1, reading));
            }
        }
        Value::Object(members) => {
            let of_entry = members.get("directory").and_then(Value::as_str);
            let directory = of_entry.map_or_else(|| directory.to_owned(), |of_entry| below(script, of_entry));
            if depth > 0 {
                members.values().for_each(|member| in_json(script, member, &directory, depth - 1, reading));
            }
        }
        Value::String(line) => drop(add(words_of(line), directory)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A directory of a file of commands: most are absolute, and the end of one is a directory of the tree.
fn below(script: &Script, path: &str) -> String {
    let path = path.replace('\\', "/");
    let is_absolute = path.starts_with('/') || path.get(1..2) == Some(":");
    if !is_absolute {
        return joined(&script.directory(), &path);
    }
    let is_directory = |end: &str| script.files.iter().any(|f| f.strip_prefix(end).is_some_and(|r| r.starts_with('/')));
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let ends = (0..parts.len()).filter_map(|at| parts.get(at..)).map(|parts| parts.join("/"));
    ends.into_iter().find(|end| is_directory(end)).unwrap_or_default()
}

/// A command in one text: `\` is a part of paths where it is of Windows.
fn words_of(line: &str) -> Vec<String> {
    if line.contains(":\\") || line.contains(".exe") { windows_words(line) } else { posix_words(line) }
}

fn line_of(text: &str, word: &str) -> usize {
    let at = text.find(word).or_else(|| text.find(&word.replace('\\', "\\\\"))).unwrap_or(0);
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}
