//! Names of sources as identifiers of a host language.

use std::collections::BTreeSet;

/// What may not be a name in a language.
#[derive(Debug)]
pub struct Words {
    /// Keywords, and names that other declarations have.
    pub reserved: &'static str,
    /// Keywords that a prefix makes names.
    pub raw: &'static str,
    /// That prefix.
    pub prefix: &'static str,
}

impl Words {
    /// An identifier: what cannot be in one is left out, and a word of the language gets its prefix or a `_` behind it.
    pub fn spell(&self, name: &str) -> String {
        let id = identifier(name);
        let is_in = |words: &str| words.split_whitespace().any(|word| word == id);
        match () {
            () if is_in(self.raw) => format!("{}{id}", self.prefix),
            () if is_in(self.reserved) => id + "_",
            () => id,
        }
    }
}

/// Letters, digits and `_`: `$Globals` is `Globals`, `Pair<float2, 3>` is `Pair_float2_3`.
fn identifier(name: &str) -> String {
    let mut id = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            id.push(c);
        } else if !id.is_empty() && !id.ends_with('_') {
            id.push('_');
        }
    }
    // A `_` at the end stays only if the name has it.
    if id.ends_with('_') && !name.ends_with('_') {
        id.pop();
    }
    match id.chars().next() {
        None => "unnamed".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{id}"),
        Some(_) if id.chars().all(|c| c == '_') => id + "0",
        Some(_) => id,
    }
}

/// The names of one scope.
#[derive(Debug)]
pub struct Names<'w> {
    words: &'w Words,
    taken: BTreeSet<String>,
}

impl<'w> Names<'w> {
    /// With names that are taken from the start.
    pub fn new(words: &'w Words, taken: &[&str]) -> Names<'w> {
        Names { words, taken: taken.iter().map(|name| (*name).to_owned()).collect() }
    }

    /// The first of some names that is free, else the last one with a number.
    pub fn first_of(&mut self, names: &[String]) -> String {
        let spelled = names.iter().map(|name| self.words.spell(name));
        let last = names.last().map_or("unnamed", String::as_str);
        let numbered = (2..).map(|n: u64| self.words.spell(&format!("{last}_{n}")));
        let free = spelled.chain(numbered).find(|name| !self.taken.contains(name));
        let name = free.unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }

    /// A name, with a number if it is taken.
    pub fn name(&mut self, name: &str) -> String {
        self.first_of(&[name.to_owned()])
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, Words};

    const WORDS: Words = Words { reserved: "class self", raw: "type", prefix: "r#" };

    #[test]
    fn names_become_identifiers() {
        let cases = [
            ("$Globals", "Globals"),
            ("vs.$Params", "vs_Params"),
            ("Pair<float2, 3>", "Pair_float2_3"),
            ("Pair<float2, Pair<int, int>>", "Pair_float2_Pair_int_int"),
            ("a_", "a_"),
            ("class", "class_"),
            ("type", "r#type"),
            ("3d", "_3d"),
            ("_", "_0"),
            ("", "unnamed"),
        ];
        for (name, wanted) in cases {
            assert_eq!(WORDS.spell(name), wanted, "{name}");
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names = Names::new(&WORDS, &["bindings"]);
        let given = ["a", "a", "bindings", "class", "class_", "a_2"].map(|name| names.name(name));
        assert_eq!(given, ["a", "a_2", "bindings_2", "class_", "class__2", "a_2_2"]);
        assert_eq!(names.first_of(&["a".to_owned(), "a_storage".to_owned()]), "a_storage");
    }
}
