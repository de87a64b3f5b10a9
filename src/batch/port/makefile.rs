//! `Makefile`: the recipes of its rules, as if all targets were made. It follows variables, functions of texts, `include`, rules
//! with several targets, static patterns and patterns, whose `%` stands for what the files of the tree have there. Of an `if` all
//! parts are read.

use super::script::{Reading, Script, joined};
use super::shell_file::{closing, run_line};
use super::words::{UNKNOWN, unknown};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Values that are looked up.
const MOST_STEPS: usize = 200_000;
/// Rules, and recipes that are run.
const MOST_RULES: usize = 1 << 12;
/// Values and imports in each other.
const DEEPEST: usize = 32;
/// Characters of a value.
const LONGEST: usize = 1 << 15;

/// Whether a name in lower case is that of a makefile. One of another name is read where it is included.
pub fn is_makefile(name: &str) -> bool {
    ["makefile", "gnumakefile"].contains(&name)
}

/// What making all targets runs. `texts` gives the text of what is included.
pub fn read(script: &Script, texts: &dyn Fn(&str) -> Option<String>) -> Reading {
    let mut making = MakeRun {
        script: *script,
        texts,
        variables: BTreeMap::new(),
        targeted: Vec::new(),
        searched: Vec::new(),
        rules: Vec::new(),
        reading: Reading::default(),
        steps: Cell::new(0),
    };
    for (name, value) in [("CURDIR", "."), ("MAKE", "make"), ("RM", "rm -f"), ("MAKECMDGOALS", "")] {
        making.variables.insert(name.to_owned(), value.to_owned());
    }
    making.lines(script.name, script.text, 0);
    making.run();
    making.reading
}

/// Values of variables that are of one recipe.
type Locals = BTreeMap<String, String>;

#[derive(Clone, Debug, Default)]
struct MakeRule {
    targets: Vec<String>,
    /// The pattern of targets of a static pattern.
    pattern: Option<String>,
    prerequisites: Vec<String>,
    /// The lines of the recipe.
    recipe: Vec<(usize, String)>,
    /// The file that it is in.
    file: String,
}

/// A variable of some targets.
struct TargetVariable {
    targets: Vec<String>,
    name: String,
    is_added: bool,
    value: String,
}

struct MakeRun<'a> {
    script: Script<'a>,
    texts: &'a dyn Fn(&str) -> Option<String>,
    /// Texts that are expanded where they are used.
    variables: BTreeMap<String, String>,
    targeted: Vec<TargetVariable>,
    /// Where prerequisites are searched, from the makefile: the pattern of their names, and a directory.
    searched: Vec<(String, String)>,
    rules: Vec<MakeRule>,
    reading: Reading,
    steps: Cell<usize>,
}

/// A recipe for one target.
struct Made<'r> {
    rule: &'r MakeRule,
    target: String,
    stem: String,
    prerequisites: Vec<String>,
}

/// Lines without those that go on, each with where it begins.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let part = line.strip_suffix('\\').unwrap_or(line);
        match all.last_mut().filter(|_| goes_on) {
            Some((_, before)) => {
                before.push(' ');
                before.push_str(part.trim());
            }
            None => all.push((at + 1, part.to_owned())),
        }
        goes_on = part.len() != line.len();
    }
    all
}

/// What parts a line of an assignment or a rule; a sign that begins another one is behind it.
const SIGNS: &[&str] = &[":::=", "::=", ":=", "?=", "+=", "!=", "=", "::", ":"];

/// A line at its first sign that is in no parentheses.
fn at_sign(text: &str) -> Option<(&str, &'static str, &str)> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let rest = text.get(at..).unwrap_or_default();
        let sign = SIGNS.iter().find(|sign| depth == 0 && rest.starts_with(**sign));
        if let Some(sign) = sign {
            return Some((text.get(..at)?.trim(), sign, rest.get(sign.len()..)?.trim()));
        }
    }
    None
}

/// The words of a list.
fn list(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The directories of a search path.
fn search_path(text: &str) -> impl Iterator<Item = &str> {
    text.split([':', ';', ' ', '\t']).filter(|directory| !directory.is_empty())
}

/// What `%` of a pattern stands for in a name.
fn stem_in<'n>(pattern: &str, name: &'n str) -> Option<&'n str> {
    let (before, after) = pattern.split_once('%')?;
    name.strip_prefix(before)?.strip_suffix(after).filter(|stem| !stem.is_empty())
}

/// Whether a name is that of a pattern, or fits it.
fn fits(pattern: &str, name: &str) -> bool {
    pattern == name || stem_in(pattern, name).is_some()
}

impl MakeRun<'_> {
    fn lines(&mut self, file: &str, text: &str, depth: usize) {
        let mut in_rule = false;
        let mut defined: Option<(String, Vec<String>)> = None;
        for (line, text) in logical_lines(text) {
            if let Some((name, mut body)) = defined.take() {
                if text.trim() == "endef" {
                    self.variables.insert(name, body.join("\n"));
                } else {
                    body.push(text);
                    defined = Some((name, body));
                }
                continue;
            }
            if let Some(command) = text.strip_prefix('\t').filter(|_| in_rule) {
                if let Some(rule) = self.rules.last_mut() {
                    rule.recipe.push((line, command.to_owned()));
                }
                continue;
            }
            let text = text.split(" #").next().unwrap_or_default().trim();
            let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            match word {
                "" | "ifeq" | "ifneq" | "ifdef" | "ifndef" | "else" | "endif" | "undefine" => {}
                _ if word.starts_with('#') => {}
                "include" | "-include" | "sinclude" => self.include(file, line, rest, depth),
                "vpath" => self.search(rest),
                "define" => defined = Some((rest.trim_end_matches(['=', ':', ' ']).to_owned(), Vec::new())),
                "export" | "override" | "private" | "unexport" => drop(self.line(file, rest)),
                _ => in_rule = self.line(file, text),
            }
            if self.rules.len() > MOST_RULES {
                return self.reading.note(&self.script, line, "there are more rules than are read");
            }
        }
    }

    /// `vpath PATTERN DIRECTORIES` adds, without directories it takes away, alone it takes all away.
    fn search(&mut self, text: &str) {
        let text = self.expanded(text, &Locals::new(), 0);
        let (pattern, directories) = text.split_once(char::is_whitespace).unwrap_or((&text, ""));
        let mut directories = search_path(directories).peekable();
        if directories.peek().is_none() {
            self.searched.retain(|(known, _)| !pattern.is_empty() && known != pattern);
        }
        self.searched.extend(directories.map(|directory| (pattern.to_owned(), directory.to_owned())));
    }

    /// A prerequisite where it is found: in the directory of the makefile, else in the first that is searched for such names.
    fn found(&self, name: &str) -> String {
        let directory = self.script.directory();
        let is_there = |path: &String| self.script.has(&directory, path);
        let searched = self.searched.iter().filter(|(pattern, _)| fits(pattern, name));
        let mut paths =
            std::iter::once(name.to_owned()).chain(searched.map(|(_, searched)| format!("{searched}/{name}")));
        paths.find(is_there).unwrap_or_else(|| name.to_owned())
    }

    fn include(&mut self, file: &str, line: usize, text: &str, depth: usize) {
        for path in list(&self.expanded(text, &Locals::new(), 0)) {
            let path = joined(&self.script.directory(), &path);
            let Some(text) = self.script.has("", &path).then(|| (self.texts)(&path)).flatten() else { continue };
            let script = Script { name: file, ..self.script };
            match depth < DEEPEST && self.steps.get() < MOST_STEPS {
                true => self.lines(&path, &text, depth + 1),
                false => self.reading.note(&script, line, &format!("`{path}` is one file more than is followed")),
            }
            self.steps.set(self.steps.get() + text.len() / 64);
        }
    }

    /// An assignment or a rule. Gives whether a recipe may follow.
    fn line(&mut self, file: &str, text: &str) -> bool {
        let none = Locals::new();
        let Some((before, sign, after)) = at_sign(text) else { return false };
        if sign != ":" && sign != "::" {
            let name = self.expanded(before, &none, 0);
            self.assign(name, sign, after);
            return false;
        }
        let targets = list(&self.expanded(before, &none, 0));
        let (head, first) = after.split_once(';').map_or((after, None), |(head, first)| (head, Some(first)));
        let mut rule = MakeRule { targets, file: file.to_owned(), ..MakeRule::default() };
        let mut prerequisites = head;
        match at_sign(head) {
            Some((pattern, ":", rest)) => {
                rule.pattern = Some(self.expanded(pattern, &none, 0));
                prerequisites = rest;
            }
            Some((name, sign, value)) => {
                let (name, is_added, value) = (name.to_owned(), sign == "+=", value.to_owned());
                self.targeted.push(TargetVariable { targets: rule.targets, name, is_added, value });
                return false;
            }
            None => {}
        }
        let expanded = self.expanded(prerequisites, &none, 0);
        rule.prerequisites = list(expanded.split('|').next().unwrap_or_default());
        // `.hlsl.spv:` is an old way to write `%.spv: %.hlsl`.
        if let ([target], []) = (rule.targets.as_slice(), rule.prerequisites.as_slice())
            && let Some((from, to)) = target.strip_prefix('.').and_then(|rest| rest.split_once('.'))
        {
            rule.prerequisites = vec![format!("%.{from}")];
            rule.targets = vec![format!("%.{to}")];
        }
        rule.recipe.extend(first.map(|first| (0, first.trim().to_owned())));
        self.rules.push(rule);
        true
    }

    fn assign(&mut self, name: String, sign: &str, value: &str) {
        let known = self.variables.get(&name).cloned();
        let value = match sign {
            "?=" if known.is_some() => return,
            "=" | "?=" => value.to_owned(),
            "!=" => unknown(&name),
            "+=" => format!("{} {value}", known.unwrap_or_default()),
            _ => self.expanded(value, &Locals::new(), 0).replace('$', "$$"),
        };
        let value = if value.len() > LONGEST { unknown(&name) } else { value };
        self.variables.insert(name, value);
    }

    /// Runs the recipes of all targets.
    fn run(&mut self) {
        let rules = std::mem::take(&mut self.rules);
        // Behind those of `vpath`.
        if self.variables.contains_key("VPATH") {
            self.search(&format!("% {}", self.value("VPATH", &Locals::new(), 0)));
        }
        let is_pattern = |rule: &&MakeRule| rule.targets.iter().any(|target| target.contains('%'));
        let mut wanted = BTreeSet::new();
        // A rule that names its target comes before patterns.
        let mut named = BTreeSet::new();
        for rule in rules.iter().filter(|rule| !is_pattern(rule)) {
            let has_recipe = !rule.recipe.is_empty();
            named.extend(rule.targets.iter().filter(|_| has_recipe).map(|name| joined("", name)));
            let names = rule.targets.iter().chain(rule.prerequisites.iter().filter(|_| rule.pattern.is_none()));
            wanted.extend(names.map(|name| joined("", name)));
        }
        let mut all: Vec<Made> = Vec::new();
        for rule in rules.iter().filter(|rule| !rule.recipe.is_empty()) {
            let mut made = if is_pattern(&rule) { self.of_pattern(rule, &wanted) } else { of_targets(rule, &rules) };
            made.retain(|made| !is_pattern(&rule) || !named.contains(&joined("", &made.target)));
            all.extend(made.into_iter().map(|mut made| {
                made.prerequisites.iter_mut().for_each(|name| *name = self.found(name));
                made
            }));
            if all.len() > MOST_RULES {
                let line = rule.recipe.first().map_or(0, |(line, _)| *line);
                self.reading.note(&self.script, line, "there are more targets than are made");
                break;
            }
        }
        all.iter().for_each(|made| self.make(made));
    }

    /// What a pattern makes of the files of the tree: the targets that rules name, or all if they name none.
    fn of_pattern<'r>(&self, rule: &'r MakeRule, wanted: &BTreeSet<String>) -> Vec<Made<'r>> {
        let (Some(target), Some(first)) = (rule.targets.first(), rule.prerequisites.first()) else { return Vec::new() };
        let (directory, first) = (self.script.directory(), joined("", first));
        let roots = self.searched.iter().map(|(pattern, searched)| (pattern.as_str(), joined(&directory, searched)));
        let roots: Vec<(&str, String)> = std::iter::once(("%", directory.clone())).chain(roots).collect();
        let mut all = Vec::new();
        let mut stems: BTreeSet<&str> = BTreeSet::new();
        for (pattern, root) in &roots {
            for file in self.script.files {
                let below = match root.as_str() {
                    "" => Some(file.as_str()),
                    root => file.strip_prefix(root).and_then(|file| file.strip_prefix('/')),
                };
                let Some(name) = below.filter(|name| fits(pattern, name)) else { continue };
                // The first directory that has it is meant.
                if let Some(stem) = stem_in(&first, name).filter(|stem| stems.insert(stem)) {
                    all.push(Made::new(rule, target.replacen('%', stem, 1), stem, &rule.prerequisites));
                }
            }
        }
        let is_wanted = |made: &Made| wanted.contains(&joined("", &made.target));
        if all.iter().any(is_wanted) { all.into_iter().filter(is_wanted).collect() } else { all }
    }

    fn make(&mut self, made: &Made) {
        let mut locals = made.locals();
        for variable in &self.targeted {
            let is_of = |target: &String| *target == made.target || stem_in(target, &made.target).is_some();
            if variable.targets.iter().any(is_of) {
                let mut value = self.expanded(&variable.value, &locals, 0);
                if variable.is_added {
                    value = format!("{} {value}", self.value(&variable.name, &locals, 0));
                }
                locals.insert(variable.name.clone(), value);
            }
        }
        for (line, command) in &made.rule.recipe {
            let command = self.expanded(command.trim_start_matches(['@', '-', '+', ' ', '\t']), &locals, 0);
            if self.steps.get() > MOST_STEPS {
                return self.reading.note(&self.script, *line, "the makefile runs for longer than it is followed");
            }
            let script = Script { name: &made.rule.file, ..self.script };
            run_line(&script, &self.script.directory(), *line, &command, &mut self.reading);
        }
    }

    /// A text with the values of variables and functions.
    fn expanded(&self, text: &str, locals: &Locals, depth: usize) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            self.steps.set(self.steps.get() + 1);
            if out.len() > LONGEST || depth > DEEPEST || self.steps.get() > MOST_STEPS {
                return unknown("too-long");
            }
            let pair = [('(', ')'), ('{', '}')].into_iter().find(|(open, _)| after.starts_with(*open));
            if let Some((open, close)) = pair {
                let inside = after.get(1..).unwrap_or_default();
                let (name, behind) = inside.split_at(closing(inside, open, close));
                out.push_str(&self.reference(name, locals, depth + 1));
                rest = behind.get(1..).unwrap_or_default();
            } else {
                let end = after.chars().next().map_or(0, char::len_utf8);
                let (name, behind) = after.split_at(end);
                out.push_str(&if name == "$" { "$".to_owned() } else { self.value(name, locals, depth + 1) });
                rest = behind;
            }
        }
        out.push_str(rest);
        out
    }

    /// The value of a variable.
    fn value(&self, name: &str, locals: &Locals, depth: usize) -> String {
        match (locals.get(name), self.variables.get(name)) {
            (Some(value), _) => value.clone(),
            (None, Some(text)) => self.expanded(text, locals, depth + 1),
            (None, None) => unknown(&name.replace(UNKNOWN, "")),
        }
    }

    /// What is in `$(...)`: a function, `NAME:a=b`, or a name.
    fn reference(&self, text: &str, locals: &Locals, depth: usize) -> String {
        if let Some((function, arguments)) = text.split_once(char::is_whitespace) {
            return self.function(function, arguments.trim_start(), locals, depth);
        }
        if let Some((name, (from, to))) = text.split_once(':').and_then(|(n, rest)| Some((n, rest.split_once('=')?))) {
            let (from, to) = (self.expanded(from, locals, depth), self.expanded(to, locals, depth));
            let is_ending = !from.contains('%');
            let (from, to) = if is_ending { (format!("%{from}"), format!("%{to}")) } else { (from, to) };
            return each(&self.value(name, locals, depth), |word| substituted(&from, &to, word));
        }
        let name = self.expanded(text, locals, depth);
        self.value(&name, locals, depth)
    }

    fn function(&self, name: &str, text: &str, locals: &Locals, depth: usize) -> String {
        let parts = arguments(text);
        if let ("foreach", [variable, values, body]) = (name, parts.as_slice()) {
            let value = |word: String| {
                let mut locals = locals.clone();
                locals.insert(variable.trim().to_owned(), word);
                self.expanded(body, &locals, depth)
            };
            return list(&self.expanded(values, locals, depth)).into_iter().map(value).collect::<Vec<_>>().join(" ");
        }
        let parts: Vec<String> = parts.iter().map(|part| self.expanded(part, locals, depth)).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let names = |path: &str| {
            path.rsplit_once('/').map_or((String::new(), path.to_owned()), |(d, n)| (format!("{d}/"), n.to_owned()))
        };
        match (name, parts.as_slice()) {
            ("wildcard", [patterns]) => {
                let found = list(patterns);
                let found =
                    found.iter().flat_map(|pattern| self.script.matching(&self.script.directory(), pattern, false));
                found.collect::<Vec<_>>().join(" ")
            }
            ("patsubst", [from, to, words]) => each(words, |word| substituted(from.trim(), to.trim(), word)),
            ("subst", [from, to, text]) => text.replace(from, to),
            ("notdir", [words]) => each(words, |word| names(word).1),
            ("dir", [words]) => {
                each(words, |word| Some(names(word).0).filter(|d| !d.is_empty()).unwrap_or("./".to_owned()))
            }
            ("basename", [words]) => each(words, |word| {
                let (directory, name) = names(word);
                format!("{directory}{}", name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem))
            }),
            ("suffix", [words]) => {
                each(words, |word| names(word).1.rsplit_once('.').map_or(String::new(), |(_, e)| format!(".{e}")))
            }
            ("addprefix", [prefix, words]) => each(words, |word| format!("{prefix}{word}")),
            ("addsuffix", [suffix, words]) => each(words, |word| format!("{word}{suffix}")),
            ("strip" | "sort" | "abspath" | "realpath", [words]) => each(words, str::to_owned),
            ("firstword", [words]) => list(words).into_iter().next().unwrap_or_default(),
            ("lastword", [words]) => list(words).into_iter().next_back().unwrap_or_default(),
            ("word", [at, words]) => {
                let at = at.trim().parse::<usize>().ok().and_then(|n| n.checked_sub(1));
                at.and_then(|at| list(words).into_iter().nth(at)).unwrap_or_default()
            }
            ("filter" | "filter-out", [patterns, words]) => {
                let patterns = list(patterns);
                let fits = |word: &str| patterns.iter().any(|p| p == word || stem_in(p, word).is_some());
                let kept = list(words).into_iter().filter(|word| fits(word) == (name == "filter"));
                kept.collect::<Vec<_>>().join(" ")
            }
            ("if", [condition, held, rest @ ..]) => {
                let value = if condition.trim().is_empty() { rest.first().copied().unwrap_or_default() } else { held };
                value.to_owned()
            }
            ("call", [variable, values @ ..]) => {
                let mut locals = locals.clone();
                locals.extend(values.iter().enumerate().map(|(at, value)| ((at + 1).to_string(), (*value).to_owned())));
                self.value(variable.trim(), &locals, depth)
            }
            ("info" | "warning" | "error", _) => String::new(),
            _ => unknown(&format!("({name})")),
        }
    }
}

impl<'r> Made<'r> {
    fn new(rule: &'r MakeRule, target: String, stem: &str, prerequisites: &[String]) -> Made<'r> {
        let prerequisites = prerequisites.iter().map(|name| name.replacen('%', stem, 1)).collect();
        Made { rule, target, stem: stem.to_owned(), prerequisites }
    }

    /// The automatic variables.
    fn locals(&self) -> Locals {
        let first = self.prerequisites.first().cloned().unwrap_or_default();
        let all = self.prerequisites.join(" ");
        let mut locals = Locals::new();
        for (name, value) in
            [("@", &self.target), ("<", &first), ("^", &all), ("+", &all), ("?", &all), ("*", &self.stem)]
        {
            locals.insert(name.to_owned(), value.clone());
            let part = |path: &str| {
                path.rsplit_once('/').map_or((".".to_owned(), path.to_owned()), |(d, n)| (d.to_owned(), n.to_owned()))
            };
            locals.insert(format!("{name}D"), each(value, |word| part(word).0));
            locals.insert(format!("{name}F"), each(value, |word| part(word).1));
        }
        locals
    }
}

/// The targets of a rule without patterns, with what other rules say that they need.
fn of_targets<'r>(rule: &'r MakeRule, rules: &[MakeRule]) -> Vec<Made<'r>> {
    let mut all = Vec::new();
    for target in &rule.targets {
        let stem = match &rule.pattern {
            Some(pattern) => match stem_in(pattern, target) {
                Some(stem) => stem,
                None => continue,
            },
            None => "",
        };
        let mut needed = rule.prerequisites.clone();
        let others = rules.iter().filter(|other| other.recipe.is_empty() && other.targets.contains(target));
        needed.extend(others.flat_map(|other| other.prerequisites.iter().cloned()));
        all.push(Made::new(rule, target.clone(), stem, &needed));
    }
    all
}

/// A list with each word changed.
fn each(words: &str, change: impl Fn(&str) -> String) -> String {
    words.split_whitespace().map(change).collect::<Vec<_>>().join(" ")
}

/// A word that is made from a pattern, if it fits the one before.
fn substituted(from: &str, to: &str, word: &str) -> String {
    stem_in(from, word).map_or_else(|| word.to_owned(), |stem| to.replacen('%', stem, 1))
}

/// The arguments of a function, at commas that are in no parentheses.
fn arguments(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0usize);
    for c in text.chars() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
}
