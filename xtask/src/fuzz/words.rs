//! What mutations put in place of what is there: the lists of `words.txt`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A list by its name: `## NAME: what it is`, then words, or after the line `one a line` lines.
pub fn list(name: &str) -> &'static [&'static str] {
    static LISTS: LazyLock<BTreeMap<&'static str, Vec<&'static str>>> =
        LazyLock::new(|| include_str!("words.txt").split("## ").filter_map(parse).collect());
    LISTS.get(name).map_or(&[], Vec::as_slice)
}

fn parse(section: &'static str) -> Option<(&'static str, Vec<&'static str>)> {
    let (head, body) = section.split_once('\n')?;
    let name = head.split(':').next()?;
    let items = match body.strip_prefix("one a line\n") {
        Some(lines) => lines.lines().filter(|l| !l.is_empty()).collect(),
        None => body.split_whitespace().collect(),
    };
    Some((name, items))
}

/// Whether a list has a word.
pub fn has(name: &str, word: &str) -> bool {
    list(name).contains(&word)
}
