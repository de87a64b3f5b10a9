//! Which declarations of texts stand in headers.
//!
//! | what | why |
//! |---|---|
//! | it comes from a source that the program includes | what is in a program's own files stays in its text |
//! | it is written alike in all texts that have it | bindings and specialized functions may differ between programs |
//! | all that it names stands in headers, too, or in each text that includes its header | the header is included behind that |
//! | headers need each other in one direction, and so do structs | each is read once |
//! | all that a text has in a struct stands in its header | a struct is in one place |
//! | no text that includes its header has something else of its name | a header is included as a whole |
//! | it is legal in every text that includes its header | functions of a stage, extensions |
//! | others can have it from a header | what tools pass on that put modules together |
//!
//! What does not hold for most of the texts that have a declaration keeps it in the texts. A text for which it does not hold, where it
//! does for most others, does without that header. Each decision may bring others, so that all is asked again until nothing changes.

mod outside;
mod spare;
mod structs;
mod unused;

use super::units::{TextUnit, TextUnitKind};
use crate::batch::order::WgslImports;
use crate::target::Language;
use crate::target::words::{is_of_stage, needs_extension};
use std::collections::{BTreeMap, BTreeSet};
use unused::UnusedHeaders;

/// How headers are written.
#[derive(Clone, Copy, Debug)]
pub struct HeaderForm {
    /// The language.
    pub language: Language,
    /// How files of WGSL name what they need.
    pub imports: WgslImports,
    /// Headers may need what the texts declare that include them.
    pub needs_texts: bool,
}

/// Where a declaration comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeaderPlace {
    /// The source's name, as in sidecars.
    pub source: String,
    /// Its line, from 0.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// A text of one target, taken to pieces.
#[derive(Clone, Debug)]
pub struct ReadText {
    /// The stage, by the ending of the text; texts of all stages have that of their language.
    pub stage: String,
    /// What is in it.
    pub text: String,
    /// Its units, each with the place in a header that it comes from; `None`: it is of the program's own files.
    pub units: Vec<(TextUnit, Option<HeaderPlace>)>,
    /// Where the last one ends.
    pub end: usize,
}

impl ReadText {
    /// Directives, which tell the extensions that are there.
    fn directives(&self) -> BTreeSet<String> {
        let directives = self.units.iter().filter(|(unit, _)| unit.kind == TextUnitKind::Directive);
        directives.map(|(unit, _)| unit.tokens.join(" ")).collect()
    }

    /// The names by which a unit needs another one.
    fn names_of(&self, at: usize, user: &TextUnit) -> BTreeSet<String> {
        let declared = self.units.get(at).map(|(unit, _)| &unit.declares).into_iter().flatten();
        let used: BTreeSet<String> = declared.clone().filter(|name| user.uses.contains(*name)).cloned().collect();
        if used.is_empty() { declared.cloned().collect() } else { used }
    }
}

/// A declaration that may be in a header.
#[derive(Clone, Debug)]
pub struct SharedUnit {
    /// Where it comes from.
    pub place: HeaderPlace,
    /// A text that has it, and its number there.
    pub at: (usize, usize),
    /// The struct that it stands in.
    pub of: Option<usize>,
    /// What it depends on: others, by their numbers.
    needs: BTreeSet<usize>,
    /// The names that it needs of the texts which include its header.
    outside: BTreeSet<String>,
    /// Of what no program uses: what stands in structs that it may call.
    calls: BTreeSet<usize>,
    /// It stands in its header.
    is_shared: bool,
    /// The texts that have it.
    texts: BTreeSet<usize>,
    /// It has words of a stage, and of extensions.
    is_staged: bool,
    is_extended: bool,
}

impl SharedUnit {
    /// One that stands in its header until something says otherwise. No text has it yet.
    fn of(place: &HeaderPlace, at: (usize, usize), unit: &TextUnit, form: HeaderForm) -> SharedUnit {
        let HeaderForm { language, imports, .. } = form;
        SharedUnit {
            place: place.clone(),
            at,
            of: None,
            needs: BTreeSet::new(),
            outside: BTreeSet::new(),
            calls: BTreeSet::new(),
            is_shared: imports.passes_on(unit),
            texts: BTreeSet::new(),
            is_staged: unit.tokens.iter().any(|word| is_of_stage(language, word)),
            is_extended: unit.tokens.iter().any(|word| needs_extension(language, word)),
        }
    }

    /// What it depends on, by number.
    pub fn needs(&self) -> impl Iterator<Item = usize> {
        self.needs.iter().copied()
    }
}

/// What a unit of a text depends on: other units of the text, each with the number of what may be in a header; `None`: it is of the
/// program's own files.
type Needs = Vec<(usize, Option<usize>)>;

/// What is in headers.
#[derive(Debug, Default)]
pub struct HeaderSharing {
    /// All that may be, or may have been.
    shared: Vec<SharedUnit>,
    /// Of each text: of each of its units, the number of what stands for it, and what it depends on there.
    of_texts: Vec<Vec<(Option<usize>, Needs)>>,
    /// Headers that a text does without.
    apart: BTreeSet<(usize, String)>,
    /// Texts that include no headers which need something of them.
    without: BTreeSet<usize>,
    /// Headers of which no text uses anything.
    unused: UnusedHeaders,
}

impl HeaderSharing {
    /// Of the texts of one target. Those of `without` include no headers that need something of them.
    pub fn of(texts: &[ReadText], form: HeaderForm, without: &BTreeSet<usize>) -> HeaderSharing {
        let mut sharing = HeaderSharing { without: without.clone(), ..HeaderSharing::default() };
        sharing.gather(texts, form);
        sharing.resolve(texts);
        let directives: Vec<BTreeSet<String>> = texts.iter().map(ReadText::directives).collect();
        loop {
            // A circle or clash is one only if all that is needed is there.
            if sharing.mend(&sharing.missing(texts, form)) {
                continue;
            }
            sharing.find_needs(texts);
            let all = (texts.len(), &*directives);
            let is_in_order = form.language.includes();
            if sharing.drop_circles()
                || is_in_order && sharing.drop_struct_circles(0)
                || sharing.mend(&sharing.clashes(texts, all, form.language))
            {
                continue;
            }
            return sharing;
        }
    }

    /// How many numbers there are.
    pub fn count(&self) -> usize {
        self.shared.len()
    }

    /// What stands in a header.
    pub fn unit(&self, id: usize) -> Option<&SharedUnit> {
        self.shared.get(id).filter(|unit| unit.is_shared)
    }

    /// What stands in a header for a unit of a text; `None`: it stays in the text.
    pub fn in_header(&self, text: usize, at: usize) -> Option<(usize, &SharedUnit)> {
        let id = self.of_texts.get(text)?.get(at)?.0?;
        self.is_in_header(text, id).then_some((id, self.shared.get(id)?))
    }

    fn is_in_header(&self, text: usize, id: usize) -> bool {
        self.unit(id).is_some_and(|unit| !self.is_apart(text, &unit.place.source))
    }

    fn is_apart(&self, text: usize, source: &str) -> bool {
        !self.apart.is_empty() && self.apart.contains(&(text, source.to_owned()))
    }

    /// What comes from headers. Of what is written in several ways the most common one is shared.
    fn gather(&mut self, texts: &[ReadText], form: HeaderForm) {
        type Kind<'k> = (&'k HeaderPlace, &'k BTreeSet<String>, Option<usize>);
        let mut known: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
        for (number, text) in texts.iter().enumerate() {
            let mut of_text: Vec<(Option<usize>, Needs)> = Vec::new();
            for (at, (unit, place)) in text.units.iter().enumerate() {
                let Some(place) = place.as_ref().filter(|_| unit.kind != TextUnitKind::Directive) else {
                    of_text.push((None, Needs::new()));
                    continue;
                };
                let of = of_struct(unit, &of_text);
                let alike = known.entry((place, &unit.declares, of)).or_default();
                let written = |id: &usize| {
                    let (text, at) = self.shared.get(*id)?.at;
                    let (other, _) = texts.get(text)?.units.get(at)?;
                    Some(other.tokens == unit.tokens)
                };
                let id = alike.iter().copied().find(|id| written(id) == Some(true)).unwrap_or_else(|| {
                    alike.push(self.shared.len());
                    self.shared.push(SharedUnit { of, ..SharedUnit::of(place, (number, at), unit, form) });
                    self.shared.len() - 1
                });
                self.shared.get_mut(id).into_iter().for_each(|shared| shared.texts.extend([number]));
                of_text.push((Some(id), Needs::new()));
            }
            self.of_texts.push(of_text);
        }
        let count = |id: &usize| self.shared.get(*id).map_or(0, |unit| unit.texts.len());
        let rare = known.into_values().flat_map(|ids| {
            let most = ids.iter().copied().max_by_key(|id| (count(id), std::cmp::Reverse(*id)));
            ids.into_iter().filter(move |id| Some(*id) != most)
        });
        let rare: Vec<usize> = rare.collect();
        rare.into_iter().for_each(|id| self.keep_in_texts(id));
    }

    fn keep_in_texts(&mut self, id: usize) {
        self.shared.get_mut(id).into_iter().for_each(|unit| unit.is_shared = false);
    }

    /// Finds what each names in each text.
    fn resolve(&mut self, texts: &[ReadText]) {
        texts.iter().zip(&mut self.of_texts).for_each(|(text, of_text)| resolve(text, of_text));
    }

    /// Where something is in a header and what it depends on is not: texts with what it is. A struct depends on all that stands in it.
    fn missing(&self, texts: &[ReadText], form: HeaderForm) -> Faults {
        let mut faults = Faults::new();
        let is_met = |text: usize, needed: Option<usize>| match needed.filter(|id| self.unit(*id).is_some()) {
            Some(id) => self.is_in_header(text, id),
            None => form.needs_texts,
        };
        for (text, (read, of_text)) in texts.iter().zip(&self.of_texts).enumerate() {
            for ((unit, _), (id, _)) in read.units.iter().zip(of_text) {
                let of = of_struct(unit, of_text).filter(|of| self.is_in_header(text, *of));
                if let Some(of) = of.filter(|_| !id.is_some_and(|id| self.is_in_header(text, id))) {
                    faults.entry(of).or_default().insert(text);
                }
            }
            for (id, needs) in of_text {
                let Some(id) = id.filter(|id| self.is_in_header(text, *id)) else { continue };
                if needs.iter().any(|(_, needed)| !is_met(text, *needed)) {
                    faults.entry(id).or_default().insert(text);
                }
            }
        }
        faults
    }

    /// Decides for each fault whether the declaration stays in texts or the texts do without its header. Whether that changed anything.
    fn mend(&mut self, faults: &Faults) -> bool {
        let mut is_changed = false;
        for (id, wrong) in faults {
            let Some(unit) = self.shared.get_mut(*id) else { continue };
            let has_header = |text: &&usize| !self.apart.contains(&(**text, unit.place.source.clone()));
            let users = unit.texts.iter().filter(has_header).count();
            if wrong.len() * 2 >= users {
                is_changed |= std::mem::take(&mut unit.is_shared);
            } else {
                let added = wrong.iter().map(|text| self.apart.insert((*text, unit.place.source.clone())));
                is_changed |= added.filter(|is_new| *is_new).count() > 0;
            }
        }
        is_changed
    }

    /// What each needs in the texts that have it from a header.
    fn find_needs(&mut self, texts: &[ReadText]) {
        let mut all: Vec<(BTreeSet<usize>, BTreeSet<String>)> = vec![Default::default(); self.shared.len()];
        for (number, (text, of_text)) in texts.iter().zip(&self.of_texts).enumerate() {
            for ((unit, _), (id, needs)) in text.units.iter().zip(of_text) {
                let id = id.filter(|id| self.is_in_header(number, *id));
                let Some((inside, outside)) = id.and_then(|id| all.get_mut(id)) else { continue };
                let is_inside = |needed: &Option<usize>| needed.is_some_and(|id| self.is_in_header(number, id));
                let (met, unmet): (Vec<_>, Vec<_>) = needs.iter().partition(|(_, needed)| is_inside(needed));
                inside.extend(met.iter().filter_map(|(_, needed)| *needed));
                // A name that headers declare, too, is of a function that the text overloads.
                let known: BTreeSet<String> = met.iter().flat_map(|(at, _)| text.names_of(*at, unit)).collect();
                let names = unmet.iter().flat_map(|(at, _)| text.names_of(*at, unit));
                outside.extend(names.filter(|name| !known.contains(name)));
            }
        }
        self.shared.iter_mut().zip(all).for_each(|(unit, (inside, outside))| {
            unit.needs = inside;
            unit.outside = outside;
        });
    }

    /// Of headers that need each other, what crosses against the order of their names stays in texts. Whether there was any.
    fn drop_circles(&mut self) -> bool {
        let edges = self.edges();
        let reached: BTreeMap<&String, BTreeSet<&String>> =
            edges.iter().map(|(from, needed)| (from, closure(needed.iter().collect(), &edges))).collect();
        let is_circle = |from: &String, to: &String| from < to && reached.get(to).is_some_and(|all| all.contains(from));
        let crosses = |unit: &SharedUnit| {
            let mut others = unit.needs.iter().filter_map(|id| self.shared.get(*id));
            unit.is_shared && others.any(|other| is_circle(&unit.place.source, &other.place.source))
        };
        let left: Vec<usize> = (0..).zip(&self.shared).filter(|(_, u)| crosses(u)).map(|(id, _)| id).collect();
        left.iter().for_each(|id| self.keep_in_texts(*id));
        !left.is_empty()
    }

    /// The headers that each header needs or includes.
    pub fn edges(&self) -> BTreeMap<String, BTreeSet<String>> {
        self.with_unused(self.edges_of(&|_| true))
    }

    /// Those that some of what is in headers needs.
    fn edges_of(&self, is_meant: &dyn Fn(usize) -> bool) -> BTreeMap<String, BTreeSet<String>> {
        let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let meant = (0..).zip(&self.shared).filter(|(id, unit)| unit.is_shared && is_meant(*id));
        for (_, unit) in meant {
            let needed = unit.needs.iter().filter_map(|id| self.unit(*id)).map(|other| &other.place.source);
            let to = edges.entry(unit.place.source.clone()).or_default();
            to.extend(needed.filter(|source| **source != unit.place.source).cloned());
        }
        edges
    }

    /// The headers that a text has declarations of, and those that they need.
    fn headers_of(&self, text: usize, edges: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
        let count = self.of_texts.get(text).map_or(0, Vec::len);
        let units = (0..count).filter_map(|at| self.in_header(text, at));
        let used = units.map(|(_, unit)| &unit.place.source);
        let own = used.chain(self.included_unused(text, edges)).collect();
        closure(own, edges).into_iter().cloned().collect()
    }

    /// What the first `count` texts would get with their headers and must not have.
    fn clashes(
        &self,
        texts: &[ReadText],
        (count, directives): (usize, &[BTreeSet<String>]),
        language: Language,
    ) -> Faults {
        let edges = self.edges();
        let mut of_headers: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
        for (id, unit) in (0..).zip(&self.shared).filter(|(_, unit)| unit.is_shared) {
            of_headers.entry(&unit.place.source).or_default().push(id);
        }
        let mut faults = Faults::new();
        for (number, text) in texts.iter().take(count).enumerate() {
            let headers = self.headers_of(number, &edges);
            let ids = headers.iter().filter_map(|source| of_headers.get(source)).flatten();
            let unit = |id: &usize| {
                let shared = self.shared.get(*id)?;
                Some((*id, shared, &texts.get(shared.at.0)?.units.get(shared.at.1)?.0))
            };
            let included: Vec<(usize, &SharedUnit, &TextUnit)> = ids.filter_map(unit).collect();
            let whole = WholeNames::new(self, (number, text), &included);
            let is_other =
                |shared: &SharedUnit| !shared.texts.contains(&number) && !self.is_apart(number, &shared.place.source);
            for (id, shared, unit) in included.iter().filter(|(_, shared, _)| is_other(shared)) {
                let is_legal = self.is_legal(shared, (number, text), texts, directives, language);
                let needed = shared.needs.iter().filter_map(|id| unit_of(self, texts, *id));
                if !is_legal || whole.clashes(unit, &needed.collect::<Vec<_>>()) {
                    faults.entry(*id).or_default().insert(number);
                }
            }
            // What a header needs that the text does without.
            for source in headers.iter().filter(|source| self.is_apart(number, source)) {
                let needs_it = |unit: &SharedUnit| {
                    let mut needed = unit.needs.iter().filter_map(|id| self.unit(*id));
                    needed.any(|needed| needed.place.source == *source)
                };
                let users = included.iter().filter(|(_, unit, _)| unit.place.source != *source && needs_it(unit));
                users.for_each(|(id, ..)| faults.entry(*id).or_default().extend([number]));
            }
        }
        self.add_unmet(texts, count, (&edges, language), &mut faults);
        faults
    }

    /// Whether a declaration of other texts may stand in this one: it has no words of a stage or extension, or another text has them
    /// with this stage and no more extensions.
    fn is_legal(
        &self,
        unit: &SharedUnit,
        (number, text): (usize, &ReadText),
        texts: &[ReadText],
        directives: &[BTreeSet<String>],
        language: Language,
    ) -> bool {
        let has_stage = || unit.texts.iter().filter_map(|at| texts.get(*at)).any(|other| other.stage == text.stage);
        let has_extensions = || {
            let mut sets = unit.texts.iter().filter_map(|at| directives.get(*at));
            let first = sets.next().cloned().unwrap_or_default();
            let common = sets.fold(first, |common, set| &common & set);
            let is_said = match language {
                Language::Glsl | Language::Wgsl => true,
                // Options of the compiler, which the text does not tell.
                Language::Hlsl => false,
            };
            is_said && directives.get(number).is_some_and(|own| common.is_subset(own))
        };
        (!unit.is_staged || has_stage()) && (!unit.is_extended || has_extensions())
    }

    /// The order of what is in a header: each after all that it needs, else as in the source. What stands in structs comes with those.
    pub fn order(&self, source: &str) -> Vec<usize> {
        let all_needs = self.needs_of_items();
        let of_source = |unit: &SharedUnit| unit.is_shared && unit.of.is_none() && unit.place.source == source;
        let mut left: Vec<usize> = (0..).zip(&self.shared).filter(|(_, u)| of_source(u)).map(|(id, _)| id).collect();
        left.sort_by_key(|id| self.shared.get(*id).map(|unit| (&unit.place, unit.at)));
        let mut ordered = Vec::new();
        while !left.is_empty() {
            let waits = |id: &usize| {
                let needs = all_needs.get(id);
                needs.into_iter().flatten().any(|needed| needed != id && left.contains(needed))
            };
            // Functions of WGSL may need each other.
            let next = left.iter().position(|id| !waits(id)).unwrap_or(0);
            ordered.push(left.remove(next));
        }
        ordered
    }
}

/// The number of the struct that a unit of a text stands in.
fn of_struct(unit: &TextUnit, of_text: &[(Option<usize>, Needs)]) -> Option<usize> {
    of_text.get(unit.member.as_ref()?.of)?.0
}

/// Finds what each unit of a text names there.
fn resolve(text: &ReadText, of_text: &mut [(Option<usize>, Needs)]) {
    let mut declared: BTreeMap<&str, Vec<(usize, Option<usize>)>> = BTreeMap::new();
    for (at, ((unit, _), (id, _))) in text.units.iter().zip(of_text.iter()).enumerate() {
        unit.declares.iter().for_each(|name| declared.entry(name).or_default().push((at, *id)));
    }
    // What gives values of a struct that is announced: who calls it needs the struct.
    let mut giving: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (member, unit) in text.units.iter().filter_map(|(unit, _)| Some((unit.member.as_ref()?, unit))) {
        giving.entry(&member.name).or_default().extend(unit.announced());
    }
    for (at, ((unit, _), (_, needs))) in text.units.iter().zip(of_text.iter_mut()).enumerate() {
        let own = unit.member.as_ref().map(|member| member.of_name.as_str());
        let given = unit.calls.iter().filter_map(|name| giving.get(name.as_str())).flatten();
        let given = given.copied().filter(|name| Some(*name) != own);
        let named = unit.uses.iter().map(String::as_str).chain(given);
        let named = named.filter_map(|name| declared.get(name)).flatten();
        *needs = named.filter(|(other, _)| *other != at).copied().collect();
    }
}

/// Headers with all that they need.
fn closure<'s>(mut open: Vec<&'s String>, edges: &'s BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'s String> {
    let mut all = BTreeSet::new();
    while let Some(next) = open.pop() {
        if all.insert(next) {
            open.extend(edges.get(next).into_iter().flatten());
        }
    }
    all
}

/// What is wrong, by what is in headers: the texts in which it is.
type Faults = BTreeMap<usize, BTreeSet<usize>>;

/// A unit of a header in a text that has it.
fn unit_of<'t>(sharing: &HeaderSharing, texts: &'t [ReadText], id: usize) -> Option<&'t TextUnit> {
    let (text, at) = sharing.shared.get(id)?.at;
    Some(&texts.get(text)?.units.get(at)?.0)
}

/// The names of a text with its headers.
struct WholeNames<'a> {
    text: &'a ReadText,
    /// How many units declare each.
    declared: BTreeMap<&'a str, usize>,
    /// Those of macros in headers.
    macros: BTreeSet<&'a str>,
    /// Those that structs use of what is in no struct, with the structs.
    in_structs: BTreeSet<(&'a str, &'a str)>,
    /// The structs that have members of others.
    derived: BTreeSet<&'a str>,
}

impl<'a> WholeNames<'a> {
    fn new(
        sharing: &HeaderSharing,
        (number, text): (usize, &'a ReadText),
        included: &[(usize, &SharedUnit, &'a TextUnit)],
    ) -> WholeNames<'a> {
        let mut declared: BTreeMap<&str, usize> = BTreeMap::new();
        let units = text.units.iter().enumerate();
        let stay = units.filter(|(at, _)| sharing.in_header(number, *at).is_none()).map(|(_, (unit, _))| unit);
        // Functions that are all of others may overload each other.
        let mut overloads: BTreeSet<&str> = BTreeSet::new();
        let is_first = |(_, shared, unit): &&(usize, &SharedUnit, &'a TextUnit)| {
            let may_overload = !shared.texts.contains(&number) && unit.is_function();
            !may_overload || unit.declares.iter().any(|name| overloads.insert(name))
        };
        let all =
            included.iter().filter(is_first).map(|(_, _, unit)| *unit).collect::<Vec<_>>().into_iter().chain(stay);
        all.flat_map(|unit| &unit.declares).for_each(|name| *declared.entry(name).or_default() += 1);
        let macros = included.iter().filter(|(_, _, unit)| unit.kind == TextUnitKind::Macro);
        let macros = macros.flat_map(|(_, _, unit)| &unit.declares).map(String::as_str).collect();
        let units = included.iter().map(|(_, _, unit)| *unit).chain(text.units.iter().map(|(unit, _)| unit));
        let (mut in_structs, mut derived) = (BTreeSet::new(), BTreeSet::new());
        for unit in units {
            let own = unit.declares.iter().map(String::as_str);
            let names = match (&unit.member, &unit.body) {
                (Some(member), _) => vec![member.of_name.as_str()],
                (None, None) => unit.defines.iter().map(|(of, _)| of.as_str()).collect(),
                (None, Some(body)) => {
                    derived.extend(own.clone().filter(|_| body.is_derived));
                    own.collect()
                }
            };
            in_structs.extend(names.into_iter().flat_map(|name| unit.uses.iter().map(move |used| (name, &**used))));
        }
        WholeNames { text, declared, macros, in_structs, derived }
    }

    /// Whether a unit of others changes what the text means: its name is there twice or hides another in a struct, or a macro replaces
    /// a word that is no use of it.
    fn clashes(&self, unit: &TextUnit, needed: &[&TextUnit]) -> bool {
        let is_twice = unit.declares.iter().any(|name| self.declared.get(name.as_str()) > Some(&1));
        let hides = unit.member.as_ref().is_some_and(|member| {
            let is_in = |of: &str| self.in_structs.contains(&(of, member.name.as_str()));
            is_in(&member.of_name) || self.derived.iter().any(|of| is_in(of))
        });
        is_twice
            || hides
            || match unit.kind {
                TextUnitKind::Macro => {
                    let mut others = self.text.units.iter().flat_map(|(other, _)| &other.tokens);
                    others.any(|token| unit.declares.contains(token))
                }
                TextUnitKind::Declaration | TextUnitKind::Directive => {
                    let is_needed = |name: &str| needed.iter().any(|needed| needed.declares.contains(name));
                    unit.tokens.iter().any(|token| self.macros.contains(token.as_str()) && !is_needed(token))
                }
            }
    }
}
