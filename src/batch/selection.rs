//! Some programs of a plan, by their names.

use globset::{GlobBuilder, GlobMatcher};

/// Which programs are built: those that one of the patterns is the name of, or matches; without patterns all.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    patterns: Vec<(String, GlobMatcher)>,
}

impl Selection {
    /// Of names or globs. A program is named by its `[[program]]`, or by the path of its file from the manifest's directory.
    pub fn new(patterns: &[String]) -> Result<Selection, String> {
        let matcher = |pattern: &String| {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            glob.map(|glob| (pattern.clone(), glob.compile_matcher())).map_err(|e| format!("`{pattern}`: {e}"))
        };
        Ok(Selection { patterns: patterns.iter().map(matcher).collect::<Result<_, _>>()? })
    }

    /// Whether every program is meant.
    pub fn is_all(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether a program of this name is meant.
    pub fn has(&self, name: &str) -> bool {
        self.is_all() || self.patterns.iter().any(|pattern| matches(pattern, name))
    }

    /// The patterns that mean none of these names.
    pub fn unmatched(&self, names: &[&str]) -> Vec<&str> {
        let is_unmatched = |pattern: &&(String, GlobMatcher)| !names.iter().any(|name| matches(pattern, name));
        self.patterns.iter().filter(is_unmatched).map(|(text, _)| text.as_str()).collect()
    }
}

/// A name is meant as it is written, too: it may have letters in it that have a meaning in globs.
fn matches((text, glob): &(String, GlobMatcher), name: &str) -> bool {
    text == name || glob.is_match(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_globs() {
        let of = |patterns: &[&str]| Selection::new(&patterns.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>());
        assert!(of(&[]).unwrap().has("x"));
        let some = of(&["a/*.hlsl", "sky", "odd[1].hlsl"]).unwrap();
        assert!(["a/b.hlsl", "sky", "odd[1].hlsl"].iter().all(|name| some.has(name)));
        assert!(["a/b/c.hlsl", "skyline", "a/b.slang"].iter().all(|name| !some.has(name)));
        assert_eq!(some.unmatched(&["a/b.hlsl", "odd1.hlsl"]), ["sky"]);
        assert!(of(&["a[.hlsl"]).unwrap_err().contains("`a[.hlsl`"));
    }
}
