//! The order in which sources include each other: texts and headers of a tree include in that order, too.

use crate::batch::driver::Built;
use crate::batch::loader::decode;
use crate::batch::plan::from;
use crate::source::join_path;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Words before the name of a module.
const MODULE_WORDS: [&str; 4] = ["import", "__import", "__include", "implementing"];

/// What sources include.
#[derive(Clone, Debug, Default)]
pub struct SourceIncludes {
    /// Of each source, what it includes, in order.
    of_sources: BTreeMap<String, Vec<String>>,
}

/// Where a source includes another one: the number of the line that includes it, or that includes what does; how far from there.
type IncludePlace = (usize, usize);

impl SourceIncludes {
    /// Of the files that a build was read from.
    pub fn of_build(built: &Built) -> SourceIncludes {
        let paths: BTreeSet<&String> = built.reports.iter().flat_map(|(_, report)| &report.dependencies).collect();
        let text = |path: &String| decode(std::fs::read(path).ok()?).ok();
        let texts = paths.into_iter().filter_map(|path| Some((from(&built.base, Path::new(path)), text(path)?)));
        SourceIncludes::of(&texts.collect())
    }

    /// Of sources by name.
    fn of(texts: &BTreeMap<String, String>) -> SourceIncludes {
        let included = |(source, text): (&String, &String)| {
            let all = text.lines().filter_map(|line| {
                let names = named(line)?;
                names.iter().find_map(|name| resolved(source, name, texts))
            });
            (source.clone(), all.collect())
        };
        SourceIncludes { of_sources: texts.iter().map(included).collect() }
    }

    /// What a source includes that a test takes, itself or by way of others that are not to be there.
    pub fn first<'s>(
        &'s self,
        source: &str,
        is_there: &dyn Fn(&str) -> bool,
    ) -> impl Iterator<Item = &'s str> + use<'s> {
        let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![source]);
        while let Some(next) = open.pop() {
            for name in self.of_sources.get(next).into_iter().flatten().map(String::as_str) {
                if is_there(name) {
                    found.insert(name);
                } else if seen.insert(name) {
                    open.push(name);
                }
            }
        }
        found.into_iter()
    }

    /// Puts what some sources need in the order in which they include it. What they do not include comes last, as it was.
    pub fn put_in_order(&self, sources: &[String], needed: &mut [String]) {
        let places: Vec<BTreeMap<&str, IncludePlace>> = sources.iter().map(|source| self.places(source)).collect();
        let place = |name: &String| {
            let mut found = (0..).zip(&places).filter_map(|(at, of)| Some((at, *of.get(name.as_str())?)));
            found.next().unwrap_or((usize::MAX, (usize::MAX, 0)))
        };
        needed.sort_by_cached_key(place);
    }

    /// What a source includes, itself or by others.
    fn places(&self, source: &str) -> BTreeMap<&str, IncludePlace> {
        let direct = || self.of_sources.get(source).into_iter().flatten().enumerate();
        let mut places = BTreeMap::new();
        for (line, name) in direct() {
            places.entry(name.as_str()).or_insert((line, 0));
        }
        for (line, name) in direct() {
            for (far, reached) in (1..).zip(self.reached(name)) {
                places.entry(reached).or_insert((line, far));
            }
        }
        places
    }

    /// What comes with a source, in the order in which it is read.
    fn reached<'s>(&'s self, source: &'s str) -> Vec<&'s str> {
        let (mut all, mut seen, mut open) = (Vec::new(), BTreeSet::new(), vec![source]);
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                all.push(next);
                open.extend(self.of_sources.get(next).into_iter().flatten().rev().map(String::as_str));
            }
        }
        all
    }
}

/// The names that a line includes a file by.
fn named(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start();
    if let Some(directive) = line.strip_prefix('#') {
        let name = directive.trim_start().strip_prefix("include")?.trim_start();
        let (_, name) = name.split_once(['"', '<'])?;
        return Some(vec![name.split(['"', '>']).next()?.replace('\\', "/")]);
    }
    let mut words = line.split(|c: char| c.is_whitespace() || c == ';').filter(|word| !word.is_empty());
    let first = words.find(|word| *word != "__exported")?;
    let name = words.next().filter(|_| MODULE_WORDS.contains(&first))?;
    let quoted = name.trim_matches('"');
    let path = if quoted == name { name.replace('.', "/") } else { quoted.to_owned() };
    let path = path.strip_suffix(".slang").unwrap_or(&path);
    Some(vec![format!("{path}.slang"), format!("{}.slang", path.replace('_', "-"))])
}

/// The source that a name means: the one beside the file that includes it, else one below a root.
fn resolved(from: &str, name: &str, sources: &BTreeMap<String, String>) -> Option<String> {
    let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
    let beside = join_path(directory, name);
    if sources.contains_key(&beside) {
        return Some(beside);
    }
    let below = join_path("", name);
    let below = below.trim_start_matches("../");
    let is_meant =
        |source: &&String| source.strip_suffix(below).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    sources.keys().filter(is_meant).min_by_key(|source| source.len()).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_included_has_the_order_of_the_lines() {
        let texts = [
            (
                "a.hlsl",
                "#include \"lib/z.hlsli\"\n  # include <b.hlsli>\n#include \"x.hlsli\"\nimport util.more_math;\n",
            ),
            ("lib/z.hlsli", "#include \"x.hlsli\"\n#include \"c.hlsli\"\n"),
            ("lib/x.hlsli", "float x;\n"),
            ("lib/c.hlsli", "#include \"z.hlsli\"\n"),
            ("inc/b.hlsli", "#include \"../lib/c.hlsli\"\n"),
            ("util/more-math.slang", "__include \"other\";\n"),
            ("util/other.slang", "\n"),
        ];
        let texts = texts.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let includes = SourceIncludes::of(&texts.into());
        let ordered = |of: &str, needed: &[&str]| -> Vec<String> {
            let mut needed: Vec<String> = needed.iter().map(|name| (*name).to_owned()).collect();
            includes.put_in_order(&[of.to_owned()], &mut needed);
            needed
        };
        let all = ["unknown", "lib/c.hlsli", "util/other.slang", "inc/b.hlsli", "lib/x.hlsli", "lib/z.hlsli"];
        let expected = ["lib/z.hlsli", "lib/c.hlsli", "inc/b.hlsli", "lib/x.hlsli", "util/other.slang", "unknown"];
        assert_eq!(ordered("a.hlsl", &all), expected);
        assert_eq!(ordered("lib/z.hlsli", &["lib/c.hlsli", "lib/x.hlsli"]), ["lib/x.hlsli", "lib/c.hlsli"]);
        let first = |of: &str| -> Vec<&str> { includes.first(of, &|name| !name.contains("/z")).collect() };
        assert_eq!(first("lib/c.hlsli"), ["lib/c.hlsli", "lib/x.hlsli"]);
        assert_eq!(first("inc/b.hlsli"), ["lib/c.hlsli"]);
    }
}
