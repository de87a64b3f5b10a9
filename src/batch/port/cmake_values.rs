//! What commands of CMake make of texts, lists and paths.

use super::cmake_scope::{CmakeScope, elements};
use super::script::stem_of;
use super::words::{UNKNOWN, unknown};
use regex_automata::meta::Regex;

/// A regular expression of CMake.
pub fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// `string(...)`: the variable that it sets, and its value.
pub fn string(scope: &CmakeScope, words: &[&str]) -> Option<(String, String)> {
    let before = |name: &str| scope.get(name).unwrap_or_default().to_owned();
    let (name, value) = match words {
        ["APPEND", name, texts @ ..] => (*name, before(name) + &texts.concat()),
        ["PREPEND", name, texts @ ..] => (*name, texts.concat() + &before(name)),
        ["CONCAT", name, texts @ ..] => (*name, texts.concat()),
        ["JOIN", glue, name, texts @ ..] => (*name, texts.join(glue)),
        ["TOLOWER", text, name] => (*name, text.to_ascii_lowercase()),
        ["TOUPPER", text, name] => (*name, text.to_ascii_uppercase()),
        ["STRIP", text, name] => (*name, text.trim().to_owned()),
        ["REPLACE", old, new, name, texts @ ..] => (*name, texts.concat().replace(old, new)),
        ["SUBSTRING", text, begin, length, name] => (*name, substring(text, begin, length)),
        ["MAKE_C_IDENTIFIER", text, name] => (*name, identifier(text)),
        ["REGEX", "REPLACE", of, new, name, texts @ ..] => (*name, replaced(of, new, &texts.concat())),
        ["REGEX", "MATCH", of, name, texts @ ..] => (*name, matched(of, name, &texts.concat())),
        _ => return None,
    };
    Some((name.to_owned(), value))
}

fn substring(text: &str, begin: &str, length: &str) -> String {
    let begin = begin.parse().unwrap_or(0);
    match length.parse::<usize>() {
        Ok(length) => text.chars().skip(begin).take(length).collect(),
        Err(_) => text.chars().skip(begin).collect(),
    }
}

fn identifier(text: &str) -> String {
    let name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// Values that are not known stay in the text: an expression may match what stands beside them.
fn replaced(of: &str, new: &str, text: &str) -> String {
    let Some(regex) = pattern(of) else { return text.to_owned() };
    let mut out = String::new();
    let mut from = 0;
    let mut captures = regex.create_captures();
    let found: Vec<_> = regex.find_iter(text).map(|found| found.range()).collect();
    for range in found {
        regex.captures(text.get(range.clone()).unwrap_or_default(), &mut captures);
        out.push_str(text.get(from..range.start).unwrap_or_default());
        let group = |at: usize| {
            let inner = captures.get_group(at).map(|span| range.start + span.start..range.start + span.end);
            inner.and_then(|inner| text.get(inner)).unwrap_or_default()
        };
        let mut rest = new.chars().peekable();
        while let Some(c) = rest.next() {
            match rest.peek().and_then(|digit| digit.to_digit(10)).filter(|_| c == '\\') {
                Some(digit) => {
                    rest.next();
                    out.push_str(group(digit as usize));
                }
                None => out.push(c),
            }
        }
        from = range.end;
    }
    out + text.get(from..).unwrap_or_default()
}

fn matched(of: &str, name: &str, text: &str) -> String {
    match pattern(of) {
        Some(_) if text.contains(UNKNOWN) => unknown(name),
        Some(regex) => regex.find(text).and_then(|found| text.get(found.range())).unwrap_or_default().to_owned(),
        None => unknown(name),
    }
}

/// `list(...)`: the variable that it sets, and its value.
pub fn list(scope: &CmakeScope, words: &[&str]) -> Option<(String, String)> {
    let before = |name: &str| elements(scope.get(name).unwrap_or_default());
    let of = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
    let (name, values) = match words {
        ["APPEND", name, values @ ..] => (*name, [before(name), of(values)].concat()),
        ["PREPEND", name, values @ ..] => (*name, [of(values), before(name)].concat()),
        ["INSERT", name, at, values @ ..] => {
            let mut all = before(name);
            let at = at.parse::<usize>().unwrap_or(0).min(all.len());
            all.splice(at..at, of(values));
            (*name, all)
        }
        ["REMOVE_ITEM", name, values @ ..] => {
            (*name, before(name).into_iter().filter(|v| !values.contains(&v.as_str())).collect())
        }
        ["REMOVE_DUPLICATES", name] => {
            let mut all: Vec<String> = Vec::new();
            before(name).into_iter().for_each(|value| {
                if !all.contains(&value) {
                    all.push(value)
                }
            });
            (*name, all)
        }
        ["FILTER", name, kind, "REGEX", of] => {
            let regex = pattern(of)?;
            let stays = |value: &String| regex.is_match(value.as_str()) == (*kind == "INCLUDE");
            (*name, before(name).into_iter().filter(stays).collect())
        }
        ["TRANSFORM", name, kind @ ("PREPEND" | "APPEND"), text, rest @ ..] => {
            let one = |v: String| if *kind == "APPEND" { v + text } else { format!("{text}{v}") };
            (output(rest).unwrap_or(name), before(name).into_iter().map(one).collect())
        }
        ["JOIN", name, glue, out] => return Some(((*out).to_owned(), before(name).join(glue))),
        ["LENGTH", name, out] => (*out, vec![before(name).len().to_string()]),
        ["GET", name, at @ .., out] => {
            let all = before(name);
            (*out, at.iter().filter_map(|at| all.get(at.parse::<usize>().ok()?).cloned()).collect())
        }
        ["SORT", name, ..] => {
            let mut all = before(name);
            all.sort();
            (*name, all)
        }
        ["REVERSE", name] => (*name, before(name).into_iter().rev().collect()),
        _ => return None,
    };
    Some((name.to_owned(), values.join(";")))
}

/// `OUTPUT_VARIABLE NAME`.
fn output<'w>(words: &[&'w str]) -> Option<&'w str> {
    let at = words.iter().position(|word| *word == "OUTPUT_VARIABLE")?;
    words.get(at + 1).copied()
}

/// `cmake_parse_arguments(PREFIX OPTIONS ONE MANY ...)`: each variable that it sets, and those that it leaves without a value.
pub fn parsed_arguments(prefix: &str, kinds: [&str; 3], words: &[String]) -> Vec<(String, Option<String>)> {
    let [options, one, many] = kinds.map(elements);
    let mut values: Vec<(String, Option<String>)> = Vec::new();
    let mut unparsed: Vec<String> = Vec::new();
    let mut key: Option<&String> = None;
    for name in [&one, &many].into_iter().flatten() {
        values.push((name.clone(), None));
    }
    let has = |word: &String| words.contains(word);
    values.extend(options.iter().map(|o| (o.clone(), Some(if has(o) { "TRUE" } else { "FALSE" }.to_owned()))));
    for word in words {
        if options.contains(word) {
            key = None;
        } else if one.contains(word) || many.contains(word) {
            key = Some(word);
        } else if let Some(name) = key {
            let value = values.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value);
            if let Some(value) = value {
                *value = Some(value.take().map_or(word.clone(), |before| format!("{before};{word}")));
            }
            key = key.filter(|name| !one.contains(name));
        } else {
            unparsed.push(word.clone());
        }
    }
    values.push(("UNPARSED_ARGUMENTS".to_owned(), Some(unparsed.join(";")).filter(|all| !all.is_empty())));
    values.into_iter().map(|(name, value)| (format!("{prefix}_{name}"), value)).collect()
}

/// `RANGE last` or `RANGE first last [step]`, up to so many.
pub fn numbers(range: &[&str], most: usize) -> Vec<String> {
    let numbers: Vec<usize> = range.iter().filter_map(|n| n.parse().ok()).collect();
    let (first, last, step) = match numbers.as_slice() {
        [last] => (0, *last, 1),
        [first, last] => (*first, *last, 1),
        [first, last, step] => (*first, *last, (*step).max(1)),
        _ => return Vec::new(),
    };
    (first..=last.min(first.saturating_add(most))).step_by(step).map(|n| n.to_string()).collect()
}

/// A part of a path.
pub fn component(path: &str, kind: &str) -> String {
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
