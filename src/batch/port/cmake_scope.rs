//! Variables of CMake, and paths of the tree in them.

use super::script::joined;
use super::words::{UNKNOWN, unknown};
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a value.
const LONGEST: usize = 1 << 16;

/// Stands for the directory of the tree in values. It is in no text that is read.
const TREE: char = '\u{2}';

/// A directory or file of the tree as a value.
pub fn in_tree(path: &str) -> String {
    if path.is_empty() { TREE.to_string() } else { format!("{TREE}/{path}") }
}

/// The place in the tree that a value means, from a directory of the tree; `None`: it is in no tree, or not known.
pub fn place_in_tree(directory: &str, value: &str) -> Option<String> {
    if value.contains(UNKNOWN) {
        return None;
    }
    match value.strip_prefix(TREE) {
        Some(rest) => Some(joined("", rest)),
        None if value.starts_with('/') || value.get(1..2) == Some(":") => None,
        None => Some(joined(directory, value)),
    }
}

/// A word of a command that runs in a directory of the tree.
pub fn from_place(directory: &str, word: &str) -> String {
    let depth = directory.split('/').filter(|part| !part.is_empty()).count();
    let up = if depth == 0 { ".".to_owned() } else { vec![".."; depth].join("/") };
    word.replace(TREE, &up)
}

/// The elements of a list.
pub fn elements(list: &str) -> Vec<String> {
    list.split(';').filter(|element| !element.is_empty()).map(str::to_owned).collect()
}

/// The variables of a directory or function.
#[derive(Clone, Default)]
pub struct CmakeScope {
    /// Lists are parted by `;`.
    values: BTreeMap<String, String>,
    /// Those that have no value for sure.
    absent: BTreeSet<String>,
    /// What begins the names of arguments that are read: those without a value have none.
    prefixes: BTreeSet<String>,
    /// Those whose value is a choice of who builds.
    choices: BTreeSet<String>,
}

impl CmakeScope {
    pub fn set(&mut self, name: &str, value: String) {
        if value.len() <= LONGEST {
            self.absent.remove(name);
            self.choices.remove(name);
            self.values.insert(name.to_owned(), value);
        }
    }

    pub fn unset(&mut self, name: &str) {
        self.values.remove(name);
        self.absent.insert(name.to_owned());
    }

    /// A variable that is set later has no value before.
    pub fn has_no_value_yet(&mut self, name: &str) {
        if self.is_defined(name).is_none() {
            self.absent.insert(name.to_owned());
        }
    }

    /// Nothing is known of a variable any more.
    pub fn forget(&mut self, name: &str) {
        self.values.remove(name);
    }

    /// `option` and entries of the cache: a value unless there is one.
    pub fn choose(&mut self, name: &str, value: String) {
        if !self.values.contains_key(name) {
            self.set(name, value);
            self.choices.insert(name.to_owned());
        }
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Whether a variable has a value, if that is known.
    pub fn is_defined(&self, name: &str) -> Option<bool> {
        match self.values.contains_key(name) {
            true => Some(true),
            false => self.is_absent(name).then_some(false),
        }
    }

    fn is_absent(&self, name: &str) -> bool {
        let has_prefix =
            || name.match_indices('_').filter_map(|(at, _)| name.get(..at)).any(|p| self.prefixes.contains(p));
        self.absent.contains(name) || has_prefix()
    }

    /// Arguments are read into variables that begin so.
    pub fn parses(&mut self, prefix: &str) {
        self.prefixes.insert(prefix.to_owned());
    }

    /// Whether a value is a choice of who builds.
    pub fn is_choice(&self, name: &str) -> bool {
        self.choices.contains(name)
    }

    pub fn value(&self, name: &str) -> String {
        match self.values.get(name) {
            Some(value) => value.clone(),
            None if self.is_absent(name) => String::new(),
            None => unknown(name),
        }
    }

    /// A text with values in place of `${NAME}`, the innermost first. What `$ENV{NAME}` is nobody knows here.
    pub fn expanded(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let mut from = 0;
        while let Some(end) = text.get(from..).and_then(|rest| rest.find('}')).map(|at| from + at) {
            let before = text.get(..end).unwrap_or_default();
            let of_variable = before.rfind("${").map(|start| (start, 2));
            let of_environment = before.rfind("$ENV{").map(|start| (start, 5));
            let Some((start, length)) = of_variable.max(of_environment) else {
                from = end + 1;
                continue;
            };
            let name = text.get(start + length..end).unwrap_or_default();
            let value = if length == 2 { self.value(name) } else { unknown(name) };
            text.replace_range(start..=end, &value);
            from = 0;
            if text.len() > LONGEST {
                break;
            }
        }
        text
    }
}
