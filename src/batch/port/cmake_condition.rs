//! Conditions of CMake. What depends on a machine, or on a choice of who builds, is not known.

use super::cmake_scope::CmakeScope;
use super::cmake_values::pattern;
use super::words::is_open;

/// A word of a condition, with values in it.
pub struct CmakeWord {
    pub text: String,
    pub is_quoted: bool,
}

/// Parentheses and `NOT` in each other.
const DEEPEST: usize = 64;

/// Whether a condition holds, if that is known. `exists` says whether a path is in the tree.
pub fn truth(words: &[CmakeWord], scope: &CmakeScope, exists: &dyn Fn(&str) -> Option<bool>) -> Option<bool> {
    let mut reader = CmakeConditionReader { words, at: 0, scope, exists };
    let found = reader.any(0);
    if reader.at == words.len() { found } else { None }
}

struct CmakeConditionReader<'a> {
    words: &'a [CmakeWord],
    at: usize,
    scope: &'a CmakeScope,
    exists: &'a dyn Fn(&str) -> Option<bool>,
}

impl<'a> CmakeConditionReader<'a> {
    /// The next word if it is that one and not quoted.
    fn takes(&mut self, text: &str) -> bool {
        let is_it = self.words.get(self.at).is_some_and(|word| !word.is_quoted && word.text == text);
        self.at += usize::from(is_it);
        is_it
    }

    fn next(&mut self) -> Option<&'a CmakeWord> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word)
    }

    fn any(&mut self, depth: usize) -> Option<bool> {
        let mut found = self.all(depth);
        while self.takes("OR") {
            let next = self.all(depth);
            found = match (found, next) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                (None, _) | (_, None) => None,
            };
        }
        found
    }

    fn all(&mut self, depth: usize) -> Option<bool> {
        let mut found = self.not(depth);
        while self.takes("AND") {
            let next = self.not(depth);
            found = match (found, next) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                (None, _) | (_, None) => None,
            };
        }
        found
    }

    fn not(&mut self, depth: usize) -> Option<bool> {
        if depth > DEEPEST {
            return None;
        }
        if self.takes("NOT") {
            return self.not(depth + 1).map(|found| !found);
        }
        if self.takes("(") {
            let found = self.any(depth + 1);
            return if self.takes(")") { found } else { None };
        }
        self.test()
    }

    fn test(&mut self) -> Option<bool> {
        let first = self.next()?;
        let next = self.words.get(self.at).filter(|word| !word.is_quoted).map(|word| word.text.as_str());
        if let Some(compare) = next.and_then(comparison) {
            self.at += 1;
            let second = self.next()?;
            return compare(self, first, second);
        }
        if !first.is_quoted && UNARY.contains(&first.text.as_str()) {
            let of = self.next()?;
            return match first.text.as_str() {
                "DEFINED" if of.text.contains('{') => None,
                "DEFINED" => self.scope.is_defined(&of.text),
                "EXISTS" | "IS_DIRECTORY" => (self.exists)(&of.text),
                _ => None,
            };
        }
        self.is_true(first)
    }

    /// A word by itself: a constant, or a variable.
    fn is_true(&self, word: &CmakeWord) -> Option<bool> {
        if is_open(&word.text) {
            return None;
        }
        match constant(&word.text) {
            Some(found) => Some(found),
            None if word.is_quoted => Some(false),
            None if self.scope.is_choice(&word.text) => None,
            None => match self.scope.is_defined(&word.text)? {
                false => Some(false),
                true => {
                    let value = self.scope.value(&word.text);
                    if is_open(&value) { None } else { Some(constant(&value).unwrap_or(true)) }
                }
            },
        }
    }

    /// What a word of a comparison is: a variable that it names, or itself.
    fn operand(&self, word: &CmakeWord) -> Option<String> {
        let value = match word.is_quoted {
            true => word.text.clone(),
            false => self.scope.get(&word.text).unwrap_or(&word.text).to_owned(),
        };
        (!is_open(&value)).then_some(value)
    }
}

const UNARY: &[&str] =
    &["COMMAND", "DEFINED", "EXISTS", "IS_ABSOLUTE", "IS_DIRECTORY", "IS_SYMLINK", "POLICY", "TARGET", "TEST"];

/// What a text is as a constant.
fn constant(text: &str) -> Option<bool> {
    let upper = text.to_ascii_uppercase();
    match upper.as_str() {
        "ON" | "YES" | "TRUE" | "Y" => Some(true),
        "" | "OFF" | "NO" | "FALSE" | "N" | "IGNORE" | "NOTFOUND" => Some(false),
        _ if upper.ends_with("-NOTFOUND") => Some(false),
        _ => text.parse::<f64>().ok().map(|number| number != 0.0),
    }
}

type CmakeComparison = fn(&CmakeConditionReader<'_>, &CmakeWord, &CmakeWord) -> Option<bool>;

/// What an operator between two words does.
fn comparison(operator: &str) -> Option<CmakeComparison> {
    Some(match operator {
        "STREQUAL" | "PATH_EQUAL" => |reader, a, b| Some(reader.operand(a)? == reader.operand(b)?),
        "EQUAL" => |reader, a, b| Some(number(reader, a)? == number(reader, b)?),
        "LESS" => |reader, a, b| Some(number(reader, a)? < number(reader, b)?),
        "LESS_EQUAL" => |reader, a, b| Some(number(reader, a)? <= number(reader, b)?),
        "GREATER" => |reader, a, b| Some(number(reader, a)? > number(reader, b)?),
        "GREATER_EQUAL" => |reader, a, b| Some(number(reader, a)? >= number(reader, b)?),
        "MATCHES" => |reader, a, b| {
            let (text, of) = (reader.operand(a)?, &b.text);
            if is_open(of) { None } else { Some(pattern(of)?.is_match(text.as_str())) }
        },
        "IN_LIST" => |reader, a, b| {
            reader.scope.is_defined(&b.text)?;
            let list = reader.scope.value(&b.text);
            let value = reader.operand(a)?;
            if is_open(&list) { None } else { Some(list.split(';').any(|element| element == value)) }
        },
        "STRLESS"
        | "STRGREATER"
        | "STRLESS_EQUAL"
        | "STRGREATER_EQUAL"
        | "VERSION_EQUAL"
        | "VERSION_LESS"
        | "VERSION_GREATER"
        | "VERSION_LESS_EQUAL"
        | "VERSION_GREATER_EQUAL"
        | "IS_NEWER_THAN" => |_, _, _| None,
        _ => return None,
    })
}

fn number(reader: &CmakeConditionReader<'_>, word: &CmakeWord) -> Option<i64> {
    reader.operand(word)?.parse().ok()
}
