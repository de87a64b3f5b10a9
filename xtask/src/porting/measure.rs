//! How much of a source an output has.
//!
//! What counts is the live source: the declarations of the main file and of all that it includes or imports, without the groups of
//! `#if` that are not taken. A declaration of the source is **matched** if the output has one of its name: functions, structures
//! and globals, methods by the name of the method or of type and method, an entry point by the name that it has in the
//! output. A constant buffer may be a variable in the output: the structure that the output adds for its type belongs to it.
//! Of functions that are overloaded, each is matched with one of the output. What is not matched is not counted, as it may
//! be unused; that a matched function calls it is counted.
//!
//! - **identifiers**: the names that the sources declare, once for each matched declaration that has them. Kept: the matched
//!   declaration of the output has the name, or for a method `Type_method`. Left out: names of what stages read and write (structures with semantics, their fields, variables
//!   of these types, what the heads of entry points name), since languages have other ways to write those.
//! - **new identifiers**: names that the output declares and no source has anywhere, but varyings, once an output. An entry
//!   point with its stage behind its name, as one of several `main` has it, has no new name.
//! - **invented**: those new identifiers that are no name of the source with something behind it. A target may ask for a second name
//!   where the source has one: for the block of a buffer, the sampler of a combined texture, a parameter that is assigned.
//! - **samplers of combined textures**: those new identifiers that are the second object of a `Sampler2D`, which is two objects in HLSL
//!   and WGSL: its name with `_sampler` behind it.
//! - **comments**: those in and before matched declarations, of a method those of the method, and of a macro if the output has its name; those in the middle of lists and expressions apart. Kept: the output
//!   has the comment anywhere, as often. What heads several files, such as a licence, counts once.
//! - **macros**: those without parameters that are an expression and are used in a matched declaration, but for those that only say
//!   where a parameter is bound: `: register(SLOT)`. Kept: the output has the name.
//! - **literals**: numbers of matched declarations. Kept: the matched declaration has the same text, as often, or a declaration
//!   of the output that matches none, to which the number may have been moved.
//! - **lines**: those with code, of the output and of matched declarations.
//! - **long lines**: lines of more than 120 columns, of outputs and of the source files they come from.
//! - **moved**: matched declarations outside of a longest run that is in the order of the source.

use super::live::{Source, value_macros};
use super::names::{declared, used, varyings};
use super::token::{Kind, Token, tokens};
use super::unit::{Form, Remark, Unit, units};
use std::collections::{BTreeMap, BTreeSet};

/// Columns that a line may have.
const COLUMNS: usize = 120;

/// What is measured, in the order of the table.
pub const MEASURES: &[&str] = &[
    "identifiers kept",
    "new identifiers per 100 lines",
    "of these invented",
    "of these samplers of combined textures",
    "comments kept, in lists and expressions",
    "comments kept, elsewhere",
    "macros kept",
    "literals as spelled",
    "moved declarations",
    "lines over 120 columns",
];

/// How many of how many, and which are not as they should be.
#[derive(Clone, Default, Debug)]
pub struct Count {
    pub good: usize,
    pub all: usize,
    pub lost: Vec<String>,
}

impl Count {
    fn note(&mut self, is_good: bool, what: impl FnOnce() -> String) {
        self.all += 1;
        self.good += usize::from(is_good);
        if !is_good {
            self.lost.push(what());
        }
    }
}

/// What an output is measured to be.
#[derive(Clone, Default, Debug)]
pub struct Measured {
    pub identifiers: Count,
    /// `good` are names that are not new.
    pub names: Count,
    /// `good` are names that are not new or have one of the source in front.
    pub invented: Count,
    pub samplers: Count,
    pub inner_comments: Count,
    pub other_comments: Count,
    pub macros: Count,
    pub literals: Count,
    /// `good` are those in order.
    pub moved: Count,
    /// `good` are short ones.
    pub columns: Count,
    /// The same of the sources.
    pub source_columns: (usize, usize),
    pub lines: usize,
    pub source_lines: usize,
    /// Declarations of the source that are matched, and all.
    pub matched: (usize, usize),
}

/// An entry point of an output: several files of a program may have one of the same name.
pub struct Entry {
    /// The file that declares it.
    pub file: String,
    /// Its name there.
    pub name: String,
    /// Its name in the output.
    pub emitted: String,
}

/// Measures one output. `is_numbered`: names of the output may have `_0` behind them when declarations are matched.
pub fn measure(sources: &[Source], output: &str, entries: &[Entry], is_numbered: bool) -> Measured {
    let live: Vec<Vec<Token>> = sources.iter().map(Source::live).collect();
    let mut given: Vec<(usize, &str, Unit)> = Vec::new();
    for (source, tokens) in sources.iter().zip(&live) {
        let place = |u: &Unit| u.code.first().map_or(0, |t| source.position(t));
        given.extend(units(tokens).into_iter().map(|u| (place(&u), source.name.as_str(), u)));
    }
    given.sort_by_key(|(position, ..)| *position);
    let (files, given): (Vec<&str>, Vec<Unit>) = given.into_iter().map(|(_, file, unit)| (file, unit)).unzip();
    let output_tokens = tokens(output);
    let mut made = units(&output_tokens);
    join_structures(&given, &mut made);
    let names: Vec<Vec<String>> = given.iter().zip(&files).map(|(unit, file)| named(unit, file, entries)).collect();
    let pairs = matches(&given, &made, &names, is_numbered);

    let mut found = Measured { matched: (pairs.len(), given.len()), ..Measured::default() };
    let all_code: Vec<&[Token]> = given.iter().map(|u| u.code.as_slice()).collect();
    identifiers(&pairs, &all_code, entries, &mut found);
    new_names(&made, sources, entries, &mut found);
    comments(&pairs, &output_tokens, &mut found);
    macros(&pairs, &live, &output_tokens, &mut found);
    literals(&pairs, &made, &mut found);
    moved(&pairs, &mut found);
    found.lines = code_lines(&output_tokens);
    found.source_lines = pairs.iter().map(|(unit, _)| code_lines(&unit.code)).sum();
    columns(sources, output, &mut found);
    found
}

/// Matched declarations, in the order of the source.
type Pairs<'u, 'a, 'b> = [(&'u Unit<'a>, &'u Unit<'b>)];

fn matches<'u, 'a, 'b>(
    given: &'u [Unit<'a>],
    made: &'u [Unit<'b>],
    names: &[Vec<String>],
    is_numbered: bool,
) -> Vec<(&'u Unit<'a>, &'u Unit<'b>)> {
    let bare = |name: &'b str| match name.rsplit_once('_') {
        Some((stem, number)) if is_numbered && number.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    };
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    made.iter().enumerate().for_each(|(at, unit)| by_name.entry(bare(unit.name)).or_default().push(at));
    // The best pairs of each name first, so that of overloads the right ones are matched.
    let mut choices: Vec<(usize, usize, usize)> = Vec::new();
    for (from, (unit, names)) in given.iter().zip(names).enumerate() {
        for to in names.iter().filter_map(|name| by_name.get(name.as_str())).flatten() {
            if (unit.form == Form::Function) == (made[*to].form == Form::Function) {
                choices.push((common(unit, &made[*to]), from, *to));
            }
        }
    }
    choices.sort_by_key(|(common, from, to)| (std::cmp::Reverse(*common), *from, *to));
    let (mut taken_from, mut taken_to) = (BTreeSet::new(), BTreeSet::new());
    let mut pairs = Vec::new();
    for (_, from, to) in choices {
        if !taken_from.contains(&from) && !taken_to.contains(&to) {
            taken_from.insert(from);
            taken_to.insert(to);
            pairs.push((from, to));
        }
    }
    pairs.sort_unstable();
    pairs.into_iter().map(|(from, to)| (&given[from], &made[to])).collect()
}

/// Puts the structures that an output adds for constant buffers to the variables of these buffers.
fn join_structures(given: &[Unit], made: &mut [Unit]) {
    let names = |of: &dyn Fn(Form) -> bool| -> BTreeSet<&str> {
        given.iter().filter(|unit| of(unit.form)).map(|unit| unit.name).collect()
    };
    let (buffers, known) = (names(&|form| form == Form::Struct), names(&|_| true));
    let is_added = |unit: &&Unit| unit.form == Form::Struct && !known.contains(unit.name);
    let added: BTreeMap<&str, Vec<Token>> = made.iter().filter(is_added).map(|u| (u.name, u.code.clone())).collect();
    for unit in made.iter_mut().filter(|unit| unit.form == Form::Global && buffers.contains(unit.name)) {
        let members: Vec<Token> = unit.code.iter().filter_map(|t| added.get(t.text)).flatten().copied().collect();
        unit.code.extend(members);
    }
}

/// The names that a declaration of a file may have in an output. The name of an entry point there is that of its own function alone.
fn named(unit: &Unit, file: &str, entries: &[Entry]) -> Vec<String> {
    let mut names = vec![unit.name.to_owned()];
    names.extend(unit.owner.map(|owner| format!("{owner}_{}", unit.name)));
    if unit.form == Form::Function && unit.owner.is_none() {
        names.retain(|name| entries.iter().all(|entry| entry.emitted != *name));
        let own = entries.iter().filter(|entry| entry.name == unit.name && entry.file == file);
        names.extend(own.map(|entry| entry.emitted.clone()));
    }
    names.sort();
    names.dedup();
    names
}

/// How many different texts two declarations have in common.
fn common(a: &Unit, b: &Unit) -> usize {
    let texts: BTreeSet<&str> = a.code.iter().map(|t| t.text).collect();
    b.code.iter().map(|t| t.text).collect::<BTreeSet<_>>().intersection(&texts).count()
}

fn identifiers(pairs: &Pairs, all: &[&[Token]], entries: &[Entry], to: &mut Measured) {
    let mut names: BTreeSet<&str> = all.iter().flat_map(|code| declared(code)).collect();
    for varying in varyings(all) {
        names.remove(varying);
    }
    for (unit, made) in pairs {
        let is_entry = entries.iter().any(|entry| entry.name == unit.name) && unit.form == Form::Function;
        // Its own name among them: it may be called `main`.
        let parameters = if is_entry { parameters(&unit.code) } else { BTreeSet::new() };
        let kept = used(&made.code);
        for name in used(&unit.code).into_iter().filter(|n| names.contains(n) && !parameters.contains(n)) {
            // A method may be written as a function with the name of its type before its own.
            let is_kept = kept.contains(name) || kept.iter().any(|k| is_part_of_method(k, name, &names));
            // One that was defined outside of its type may stand in it, where the name of the type is around it.
            let is_kept = is_kept || unit.owner == Some(name) && made.owner == Some(name);
            to.identifiers.note(is_kept, || format!("{name} in {}", unit.name));
        }
    }
}

/// Whether this is a directive of WGSL, which declares nothing: `enable f16;`.
fn is_directive(unit: &Unit) -> bool {
    unit.code.first().is_some_and(|t| t.is("enable") || t.is("requires") || t.is("diagnostic"))
}

/// Whether a name is that of a type and one of its methods: `Ray_at`.
fn is_method(name: &str, methods: &[&str], types: &BTreeSet<&str>) -> bool {
    name.match_indices('_').any(|(at, _)| types.contains(&name[..at]) && methods.contains(&&name[at + 1..]))
}

/// Whether a name is that of a type and one of its methods, and `part` is one of these.
fn is_part_of_method(name: &str, part: &str, known: &BTreeSet<&str>) -> bool {
    let mut pairs = name.match_indices('_').map(|(at, _)| (&name[..at], &name[at + 1..]));
    pairs.any(|(owner, method)| (owner == part || method == part) && known.contains(owner) && known.contains(method))
}

/// The names that the head of a function says: its parameters and their types, which may be variables of the stage elsewhere.
fn parameters<'a>(code: &[Token<'a>]) -> BTreeSet<&'a str> {
    let head: Vec<Token> = code.iter().take_while(|t| !t.is("{")).copied().collect();
    used(&head)
}

fn new_names(made: &[Unit], sources: &[Source], entries: &[Entry], to: &mut Measured) {
    let known: BTreeSet<&str> = sources.iter().flat_map(|s| words(&tokens(&s.text)).collect::<Vec<_>>()).collect();
    let known_list: Vec<&str> = known.iter().copied().collect();
    let code: Vec<&[Token]> = made.iter().map(|u| u.code.as_slice()).collect();
    let varyings = varyings(&code);
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for unit in made.iter().filter(|unit| !unit.is_varying && !is_directive(unit)) {
        names.extend(declared(&unit.code));
        names.insert(unit.name);
    }
    let inputs: BTreeSet<&str> = made.iter().filter(|u| u.is_varying).map(|u| u.name).collect();
    for name in names {
        let is_counted = !name.is_empty() && name != "main" && !name.starts_with("gl_");
        if is_counted && !varyings.contains(name) && !inputs.contains(name) {
            // Of several that files call `main`, all but one have their stages behind that.
            let is_own = |entry: &Entry| name.strip_prefix(&entry.name).is_some_and(|rest| rest.starts_with('_'));
            let is_entry = entries.iter().any(|entry| entry.emitted == name && is_own(entry));
            let is_known = known.contains(name) || is_method(name, &known_list, &known) || is_entry;
            to.names.note(is_known, || name.to_owned());
            to.invented.note(is_known || is_made_of_one(name, &known), || name.to_owned());
            let is_second = name.strip_suffix("_sampler").is_some_and(|first| known.contains(first));
            to.samplers.note(is_known || !is_second, || name.to_owned());
        }
    }
}

/// Whether a name is one of the source with a word, a number or an underscore behind it: `lights_block`, `ViewData`, `uv2`, `in_`.
fn is_made_of_one(name: &str, known: &BTreeSet<&str>) -> bool {
    let is_suffix = |c: char| c == '_' || c.is_ascii_digit() || c.is_ascii_uppercase();
    name.char_indices().any(|(at, c)| at > 0 && is_suffix(c) && known.contains(&name[..at]))
}

/// All words of a text, those of directives too.
fn words<'a>(tokens: &[Token<'a>]) -> impl Iterator<Item = &'a str> {
    let words = |t: &Token<'a>| {
        let text = if matches!(t.kind, Kind::Name | Kind::Directive) { t.text } else { "" };
        text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty())
    };
    tokens.iter().flat_map(words).collect::<Vec<_>>().into_iter()
}

fn comments(pairs: &Pairs, output: &[Token], to: &mut Measured) {
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for comment in output.iter().filter(|t| t.kind == Kind::Comment) {
        *left.entry(plain(comment.text)).or_default() += 1;
    }
    let words: BTreeSet<&str> = words(output).collect();
    let (mut seen, mut heads) = (BTreeSet::new(), BTreeSet::new());
    for (unit, _) in pairs {
        for Remark { text, line, is_inner, heads_file, of_macro } in &unit.comments {
            // A macro that is expanded everywhere takes with it what is said of it.
            if of_macro.is_some_and(|name| !words.contains(name)) {
                continue;
            }
            // Methods are in their types, too.
            let is_known = !seen.insert((text.as_ptr(), *line)) || *heads_file && !heads.insert(plain(text));
            if is_known || plain(text).is_empty() {
                continue;
            }
            let kept = left.get_mut(&plain(text)).filter(|count| **count > 0).map(|count| *count -= 1).is_some();
            let count = if *is_inner { &mut to.inner_comments } else { &mut to.other_comments };
            count.note(kept, || format!("{} in {}", text.lines().next().unwrap_or_default(), unit.name));
        }
    }
}

/// What a comment says.
fn plain(text: &str) -> String {
    let inner = text.trim_start_matches("//").trim_start_matches("/*").trim_end_matches("*/");
    inner.split_whitespace().filter(|word| *word != "*").collect::<Vec<_>>().join(" ")
}

fn macros(pairs: &Pairs, live: &[Vec<Token>], output: &[Token], to: &mut Measured) {
    let defined: BTreeSet<&str> = live.iter().flat_map(|tokens| value_macros(tokens)).collect();
    let kept: BTreeSet<&str> = words(output).collect();
    let names = pairs.iter().flat_map(|(unit, _)| without_positions(&unit.code));
    let names = names.filter(|t| t.kind == Kind::Name).map(|t| t.text);
    for name in names.collect::<BTreeSet<_>>().intersection(&defined) {
        to.macros.note(kept.contains(name), || (*name).to_owned());
    }
}

/// The tokens of a declaration without what stands behind the colon of what is declared: semantics, and where it is bound.
fn without_positions<'a, 't>(code: &'a [Token<'t>]) -> impl Iterator<Item = &'a Token<'t>> {
    let (mut depth, mut is_position, mut is_declared) = (0_usize, false, true);
    code.iter().filter(move |token| {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            ":" if depth == 0 && is_declared => is_position = true,
            _ => {}
        }
        // What is in brackets there belongs to it.
        if matches!(token.text, "{" | ";" | "=") && (depth == 0 || depth == 1 && token.text == "{") {
            (is_position, is_declared) = (false, token.text == ";");
        }
        !is_position
    })
}

fn literals(pairs: &Pairs, made: &[Unit], to: &mut Measured) {
    let is_matched = |unit: &Unit| pairs.iter().any(|(_, other)| std::ptr::eq(*other, unit));
    let mut moved: BTreeMap<&str, usize> = BTreeMap::new();
    let rest = made.iter().filter(|unit| unit.form == Form::Global && !is_matched(unit));
    let numbers = rest.flat_map(|unit| unit.code.iter().filter(|t| t.kind == Kind::Number));
    numbers.for_each(|t| *moved.entry(t.text).or_default() += 1);
    for (unit, made) in pairs {
        let mut left: BTreeMap<&str, usize> = BTreeMap::new();
        made.code.iter().filter(|t| t.kind == Kind::Number).for_each(|t| *left.entry(t.text).or_default() += 1);
        for number in unit.code.iter().filter(|t| t.kind == Kind::Number) {
            let take = |from: &mut BTreeMap<&str, usize>| {
                from.get_mut(number.text).filter(|count| **count > 0).map(|count| *count -= 1).is_some()
            };
            let kept = take(&mut left) || take(&mut moved);
            to.literals.note(kept, || format!("{} in {}", number.text, unit.name));
        }
    }
}

fn moved(pairs: &Pairs, to: &mut Measured) {
    let pairs: Vec<_> = pairs.iter().filter(|(unit, _)| unit.owner.is_none()).collect();
    let places: Vec<usize> = pairs.iter().map(|(_, made)| made.code.first().map_or(0, |t| t.start)).collect();
    let kept = longest_run(&places);
    for (at, (unit, _)) in pairs.iter().enumerate() {
        to.moved.note(kept.contains(&at), || unit.name.to_owned());
    }
}

/// The places of a longest increasing subsequence.
fn longest_run(values: &[usize]) -> BTreeSet<usize> {
    // For each length the place of the least value that such a run ends with, and what comes before each place.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let length = ends.partition_point(|end| values[*end] < *value);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        ends.truncate(ends.len().max(length));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut found = BTreeSet::new();
    let mut next = ends.last().copied();
    while let Some(at) = next {
        found.insert(at);
        next = before[at];
    }
    found
}

/// How many lines of a text have code.
pub fn code_lines(tokens: &[Token]) -> usize {
    tokens.iter().filter(|t| t.kind != Kind::Comment).map(|t| t.line).collect::<BTreeSet<_>>().len()
}

fn columns(sources: &[Source], output: &str, to: &mut Measured) {
    let is_long = |line: &str| line.chars().count() > COLUMNS;
    for line in output.lines() {
        to.columns.note(!is_long(line), || line.trim().to_owned());
    }
    for source in sources.iter().filter(|s| !s.places.is_empty()) {
        to.source_columns.0 += source.text.lines().filter(|line| is_long(line)).count();
        to.source_columns.1 += source.text.lines().count();
    }
}

impl Measured {
    /// The counts in the order of [`MEASURES`].
    pub fn counts(&self) -> [&Count; 10] {
        let Measured {
            identifiers,
            names,
            invented,
            samplers,
            inner_comments,
            other_comments,
            macros,
            literals,
            moved,
            columns,
            ..
        } = self;
        [identifiers, names, invented, samplers, inner_comments, other_comments, macros, literals, moved, columns]
    }

    /// Adds the numbers of another output.
    pub fn add(&mut self, other: &Measured) {
        let own = [
            &mut self.identifiers,
            &mut self.names,
            &mut self.invented,
            &mut self.samplers,
            &mut self.inner_comments,
            &mut self.other_comments,
            &mut self.macros,
            &mut self.literals,
            &mut self.moved,
            &mut self.columns,
        ];
        for (own, other) in own.into_iter().zip(other.counts()) {
            own.good += other.good;
            own.all += other.all;
        }
        self.source_columns.0 += other.source_columns.0;
        self.source_columns.1 += other.source_columns.1;
        self.lines += other.lines;
        self.source_lines += other.source_lines;
        self.matched.0 += other.matched.0;
        self.matched.1 += other.matched.1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn of(source: &str, output: &str) -> Measured {
        measure(&[one(source)], output, &[entry("a.hlsl", "psMain", "main")], false)
    }

    fn one(source: &str) -> Source {
        let places = tokens(source).iter().map(|t| (t.start, t.start)).collect();
        Source { name: "a.hlsl".to_owned(), text: Arc::from(source), places }
    }

    fn entry(file: &str, name: &str, emitted: &str) -> Entry {
        Entry { file: file.to_owned(), name: name.to_owned(), emitted: emitted.to_owned() }
    }

    fn share(count: &Count) -> (usize, usize) {
        (count.good, count.all)
    }

    #[test]
    fn names_that_are_lost_and_new() {
        let source =
            "float half_of(float value) { float part = value / 2; return part; }\nfloat unused(float z) { return z; }";
        let output = "float half_of(float value)\n{\n    float _t = value / 2.0;\n    return _t;\n}\n";
        let found = of(source, output);
        assert_eq!(share(&found.identifiers), (2, 3));
        assert_eq!(found.identifiers.lost, ["part in half_of"]);
        assert_eq!(found.names.lost, ["_t"]);
        assert_eq!(found.matched, (1, 2));
        assert_eq!((found.lines, found.source_lines), (5, 1));
    }

    #[test]
    fn varyings_and_parameters_of_entry_points_are_left_out() {
        let source = "struct In { float2 uv : TEXCOORD; };\nfloat4 psMain(In input, float4 p : SV_Position) : SV_Target \
            { float k = input.uv.x + p.x; return k; }";
        let output = "layout(location = 0) in vec2 in_uv;\nlayout(location = 0) out vec4 out_color;\nvoid main()\n{\n    \
            float k = in_uv.x + gl_FragCoord.x;\n    out_color = vec4(k);\n}\n";
        let found = of(source, output);
        assert_eq!((share(&found.identifiers), found.identifiers.lost.len()), ((1, 1), 0), "{:?}", found.identifiers);
        assert_eq!(found.names.lost, [""; 0]);
    }

    #[test]
    fn entry_points_of_one_name_are_those_of_their_files() {
        let read = |name: &str, text: &str| Source {
            name: name.to_owned(),
            text: Arc::from(text),
            places: tokens(text).iter().map(|t| (t.start, t.start)).collect(),
        };
        let first = "float4 main() : SV_Position { float a = 1; float b = 2; return a + b; }";
        let sources = [read("a.vert", first), read("a.frag", "float4 main() : SV_Target { float c = 3; return c; }")];
        let output = "void main()\n{\n    float a = 1.0;\n    gl_Position = vec4(a);\n}\n";
        let found = measure(&sources, output, &[entry("a.vert", "main", "main")], false);
        assert_eq!((found.matched, found.identifiers.lost), ((1, 2), vec!["b in main".to_owned()]));
        let found = measure(&sources, output, &[entry("a.frag", "main", "main")], false);
        assert_eq!((found.matched, found.identifiers.lost), ((1, 2), vec!["c in main".to_owned()]));
    }

    #[test]
    fn constant_buffers_may_be_variables() {
        let source = "cbuffer C { float4 tint; float gain; };\nfloat f() { return tint.x * gain; }";
        let output = "struct CData {\n    tint: vec4f,\n    amount: f32,\n}\nvar<uniform> C: CData;\nfn f() -> f32 {\n    \
            return C.tint.x * C.amount;\n}\n";
        let found = of(source, output);
        assert_eq!(found.identifiers.lost, ["gain in C", "gain in f"]);
        assert_eq!(found.names.lost, ["CData", "amount"]);
    }

    #[test]
    fn methods_may_be_functions() {
        let source = "struct Ray { float t; float at() { return t; } };\nfloat f(Ray r) { return r.at(); }";
        let output = "struct Ray\n{\n    float t;\n};\nfloat Ray_at(Ray self)\n{\n    return self.t;\n}\nfloat f(Ray r)\n{\n    return Ray_at(r);\n}\n";
        let found = of(source, output);
        assert_eq!((found.identifiers.lost.len(), found.names.lost), (0, vec!["self".to_owned()]));
    }

    #[test]
    fn methods_may_be_in_their_types() {
        let source =
            "struct Ray { float t; float at(); };\nfloat Ray::at() { return t; }\nfloat f(Ray r) { return r.at(); }";
        let output = "struct Ray { float t; float at() { return t; } };\nfloat f(Ray r) { return r.at(); }";
        let found = of(source, output);
        assert_eq!((found.identifiers.lost, found.names.lost), (Vec::new(), Vec::new()));
        let elsewhere = "struct Ray { float t; };\nfloat at(float t) { return t; }\nfloat f(Ray r) { return at(r.t); }";
        assert_eq!(of(source, elsewhere).identifiers.lost, ["Ray in at"]);
    }

    #[test]
    fn what_a_method_is_called_by_keeps_its_type() {
        let source = "struct Ray { float t; static Ray of(float t) { Ray r; r.t = t; return r; } };\nfloat f() { return Ray::of(1).t; }";
        let output = "struct Ray { float t; };\nRay Ray_of(float t) { Ray r; r.t = t; return r; }\nfloat f() { return Ray_of(1).t; }";
        let found = of(source, output);
        assert_eq!((found.identifiers.lost, found.names.lost), (Vec::new(), Vec::new()));
    }

    #[test]
    fn an_entry_point_may_have_its_stage_behind_its_name() {
        let source = "float4 main() : SV_Target { return 1; }";
        let read = |entry: Entry, output: &str| measure(&[one(source)], output, &[entry], false).names.lost;
        let output = "float4 main_fragment() : SV_Target\n{\n    return 1;\n}\n";
        assert_eq!(read(entry("a.hlsl", "main", "main_fragment"), output), [""; 0]);
        assert_eq!(read(entry("a.hlsl", "main", "main2"), &output.replace("_fragment", "2")), ["main2"]);
    }

    #[test]
    fn comments_in_lists_are_counted_apart() {
        let source = "// first\nfloat f(float a /* of a */)\n{\n    // step\n    float b = max(a, // less\n 1);\n    return b; // end\n}";
        let output =
            "// first\nfloat f(float a)\n{\n    // step\n    float b = max(a, 1.0); // less\n    return b;\n}\n";
        let found = of(source, output);
        assert_eq!(share(&found.inner_comments), (1, 2));
        assert_eq!(found.inner_comments.lost, ["/* of a */ in f"]);
        assert_eq!(share(&found.other_comments), (2, 3));
        assert_eq!(found.other_comments.lost, ["// end in f"]);
    }

    #[test]
    fn what_heads_several_files_counts_once() {
        let read = |text: &str| Source { name: String::new(), text: Arc::from(text), places: [(11, 1)].into() };
        let sources = [read("// licence\nint a;"), read("// licence\nint b; // b")];
        let found = measure(&sources, "// licence\nint a;\nint b; // b\n", &[], false);
        assert_eq!(share(&found.other_comments), (2, 2));
    }

    #[test]
    fn macros_and_literals() {
        let source = "#define PI 3.14\n#define TWO 2\n#define UNUSED 1\nfloat f(float a) { return a * PI * TWO + 0.50f - 1.0 + 1.0; }";
        let output = "#define PI 3.14\nfloat f(float a)\n{\n    return a * PI * 2.0 + 0.5 - 1.0 + 1.0;\n}\n";
        let found = of(source, output);
        assert_eq!((share(&found.macros), found.macros.lost), ((1, 2), vec!["TWO".to_owned()]));
        let bound = "#define SLOT 2\n#define SIZE 3\nBuffer<float> b[SIZE] : REGISTER(SLOT, 1);\ncbuffer C : register(SLOT) { float f; }\n";
        let of_bound = of(
            bound,
            "#define SIZE 3\nBuffer<float> b[SIZE] : register(t2);\ncbuffer C : register(b2)\n{\n    float f;\n}\n",
        );
        assert_eq!(share(&of_bound.macros), (1, 1));
        assert_eq!((share(&found.literals), found.literals.lost), ((2, 3), vec!["0.50f in f".to_owned()]));
    }

    #[test]
    fn overloads_and_methods_are_matched_with_their_own() {
        let source = "float f(int a) { return 1; }\nfloat f(float2 b) { return 2.5; }\nstruct S { float x; float get() { return 7; } };";
        let output = "float f(float2 b)\n{\n    return 2.5;\n}\nstruct S\n{\n    float x;\n};\nfloat S_get(S this_)\n{\n    return 7;\n}\n";
        let found = of(source, output);
        assert_eq!(found.matched, (3, 4));
        assert_eq!(share(&found.literals), (2, 2));
    }

    #[test]
    fn moved_declarations_and_long_lines() {
        let source = "int a;\nint b;\nint c;\nint d;\n";
        let found = of(source, &format!("int c;\nint a;\nint b;\n// {}\nint d;\n", "x".repeat(120)));
        assert_eq!((share(&found.moved), found.moved.lost), ((3, 4), vec!["c".to_owned()]));
        assert_eq!(share(&found.columns), (4, 5));
        assert_eq!(found.source_columns, (0, 4));
        assert_eq!(longest_run(&[5, 1, 2, 9, 3]).len(), 3);
    }

    #[test]
    fn numbered_names_of_a_peer_are_matched() {
        let text = "float f(float a) { return a; }";
        let places = tokens(text).iter().map(|t| (t.start, t.start)).collect();
        let source = [Source { name: String::new(), text: Arc::from(text), places }];
        let found = measure(&source, "float f_0(float a_0)\n{\n    return a_0;\n}\n", &[], true);
        assert_eq!((found.matched, share(&found.identifiers)), ((1, 1), (0, 2)));
    }
}
