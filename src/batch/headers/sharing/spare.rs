//! What no entry point uses, in the headers of its sources.
//!
//! Before: `float square(...)` of `math.hlsli`, which programs use
//! After:  `float cube(...)`, which none uses, behind it
//!
//! It comes from texts of their own, which are no outputs. What programs have in headers stays as it was: what they do not use goes
//! without saying where it would be in the way, or would need what the source of the header does not include.

use super::{HeaderForm, HeaderPlace, HeaderSharing, Needs, ReadText, SharedUnit, closure};
use crate::batch::headers::units::{TextUnit, TextUnitKind};
use std::collections::{BTreeMap, BTreeSet};

impl HeaderSharing {
    /// Adds what only the texts behind the first `count` have. Gives the names of what is left out.
    pub fn add_spare(&mut self, texts: &[ReadText], count: usize, form: HeaderForm) -> BTreeSet<String> {
        let first = self.shared.len();
        let names = self.gather_spare(texts, count, form);
        self.find_spare_needs(texts, count, first);
        let directives: Vec<BTreeSet<String>> = texts.iter().map(ReadText::directives).collect();
        let used = self.edges_of(&|id| id < first);
        self.unused.find(self.shared.iter().map(|unit| &unit.place.source), &used);
        self.drop_unfit(first, form);
        loop {
            let faults = self.clashes(texts, (count, &directives), form.language);
            if faults.is_empty() {
                break;
            }
            let spare: Vec<usize> = faults.keys().copied().filter(|id| *id >= first).collect();
            // A macro may be in the way of what is right without it.
            let is_in_way = |id: &usize| spare.is_empty() && self.is_macro(texts, *id);
            let in_way: Vec<usize> = (first..self.shared.len()).filter(is_in_way).collect();
            let dropped: Vec<usize> = spare.into_iter().chain(in_way).filter(|id| self.unit(*id).is_some()).collect();
            if dropped.is_empty() {
                (first..self.shared.len()).for_each(|id| self.keep_in_texts(id));
                break;
            }
            dropped.into_iter().for_each(|id| self.keep_in_texts(id));
            self.drop_unfit(first, form);
        }
        self.drop_helpers(first);
        names.into_iter().filter(|(id, _)| self.unit(*id).is_none()).map(|(_, name)| name).collect()
    }

    /// Finds what the spare texts have that no other text has. Gives the names of what is of sources.
    fn gather_spare(&mut self, texts: &[ReadText], count: usize, form: HeaderForm) -> BTreeMap<usize, String> {
        let mut known: BTreeMap<HeaderPlace, Vec<usize>> = BTreeMap::new();
        (0..).zip(&self.shared).for_each(|(id, unit)| known.entry(unit.place.clone()).or_default().push(id));
        let first = self.shared.len();
        let mut names = BTreeMap::new();
        for (number, text) in texts.iter().enumerate().skip(count) {
            let mut of_text: Vec<(Option<usize>, Needs)> = Vec::new();
            for (at, (unit, place)) in text.units.iter().enumerate() {
                let Some(place) = place.as_ref().filter(|_| unit.kind != TextUnitKind::Directive) else {
                    of_text.push((None, Needs::new()));
                    continue;
                };
                let alike = known.entry(place.clone()).or_default();
                let of = super::of_struct(unit, &of_text);
                let is_same = |id: &usize| {
                    let is_there = self.shared.get(*id).is_some_and(|other| other.of == of);
                    is_there && super::unit_of(self, texts, *id).is_some_and(|u| u.tokens == unit.tokens)
                };
                let found = alike.iter().copied().find(is_same);
                // What programs have in another way there is not there a second time. Several declarations may be of one place.
                let is_new = || {
                    let mut others = alike.iter().filter_map(|id| Some((*id, super::unit_of(self, texts, *id)?)));
                    others.all(|(id, other)| id >= first && other.declares != unit.declares)
                };
                let id = match found {
                    None if is_new() => {
                        let id = self.shared.len();
                        alike.push(id);
                        self.shared.push(SharedUnit { of, ..SharedUnit::of(place, (number, at), unit, form) });
                        if let Some(name) = unit.declares.first().filter(|_| !is_of_library(place)) {
                            names.insert(id, format!("{}: {name}", place.source));
                        }
                        Some(id)
                    }
                    found => found,
                };
                if let Some(unit) = id.filter(|id| *id >= first).and_then(|id| self.shared.get_mut(id)) {
                    unit.texts.insert(number);
                }
                of_text.push((id, Needs::new()));
            }
            self.of_texts.push(of_text);
        }
        names
    }

    /// What each spare declaration needs, in the text that it is taken from. What needs something that is in no header is left out.
    fn find_spare_needs(&mut self, texts: &[ReadText], count: usize, first: usize) {
        for (number, text) in texts.iter().enumerate().skip(count) {
            let Some(of_text) = self.of_texts.get_mut(number) else { continue };
            super::resolve(text, of_text);
            let calls = called(text, of_text);
            for (at, (id, needs)) in of_text.iter().enumerate() {
                let Some(id) = id.filter(|id| *id >= first) else { continue };
                let Some(unit) = self.shared.get_mut(id).filter(|unit| unit.at == (number, at)) else { continue };
                unit.is_shared &= needs.iter().all(|(_, needed)| needed.is_some());
                unit.needs = needs.iter().filter_map(|(_, needed)| *needed).collect();
                unit.calls = calls.get(at).cloned().unwrap_or_default();
            }
        }
    }

    /// Leaves out what needs something that its header does not have, or that can come behind it alone.
    fn drop_unfit(&mut self, first: usize, form: HeaderForm) {
        self.drop_incomplete(first);
        while form.language.includes() && self.drop_struct_circles(first) {
            self.drop_incomplete(first);
        }
    }

    /// Leaves out what needs something that its header does not have.
    fn drop_incomplete(&mut self, first: usize) {
        let spare = || first..self.shared.len();
        let ways = self.ways(first);
        // What texts have to declare for programs they need not have for what none uses.
        let late = self.needed_of_texts(&ways);
        let reached: BTreeMap<&String, BTreeSet<&String>> =
            ways.iter().map(|(from, needed)| (from, closure(needed.iter().collect(), &ways))).collect();
        let fits = |unit: &SharedUnit, is_left: &dyn Fn(usize) -> bool| {
            let source = &unit.place.source;
            let is_reached = |other: &String| reached.get(source).is_some_and(|all| all.contains(other));
            let has = |other: &String| other == source || !late.contains_key(other) && is_reached(other);
            let is_there = |id: &usize| is_left(*id) && self.unit(*id).is_some();
            !self.unused.is_main(source)
                && unit.calls.iter().all(is_there)
                && unit.needs.iter().all(|needed| {
                    let needed = Some(*needed).filter(|id| is_left(*id)).and_then(|id| self.unit(id));
                    needed.is_some_and(|other| has(&other.place.source))
                })
        };
        let mut dropped: BTreeSet<usize> = BTreeSet::new();
        loop {
            let is_left = |id: usize| !dropped.contains(&id);
            let is_unfit = |id: &usize| is_left(*id) && self.unit(*id).is_some_and(|unit| !fits(unit, &is_left));
            let unfit: Vec<usize> = spare().filter(is_unfit).collect();
            if unfit.is_empty() {
                break;
            }
            dropped.extend(unfit);
        }
        dropped.into_iter().for_each(|id| self.keep_in_texts(id));
    }

    /// The headers that each may need: those that it needs for programs, and what its spare declarations need if its source includes
    /// that, if it is of the library, or if programs use nothing of the header. None needs itself by way of others.
    fn ways(&self, first: usize) -> BTreeMap<String, BTreeSet<String>> {
        let used = self.edges_of(&|id| id < first);
        let mut ways = used.clone();
        for unit in self.shared.iter().skip(first).filter(|unit| unit.is_shared) {
            let from = &unit.place.source;
            for other in unit.needs.iter().filter_map(|id| self.unit(*id)) {
                let to = &other.place.source;
                let is_new = from != to && !ways.get(from).is_some_and(|known| known.contains(to));
                let is_meant = || {
                    let is_helper = is_of_library(&other.place) && !is_of_library(&unit.place);
                    let is_of_unused = !used.contains_key(from) && used.contains_key(to);
                    is_helper || is_of_unused || self.unused.includes(from, to)
                };
                if is_new && is_meant() && !closure(vec![to], &ways).contains(from) {
                    ways.entry(from.clone()).or_default().insert(to.clone());
                }
            }
        }
        ways
    }

    /// Leaves out functions of the library that nothing needs any more.
    fn drop_helpers(&mut self, first: usize) {
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        let of_sources = |id: &usize| self.unit(*id).is_some_and(|unit| !is_of_library(&unit.place));
        let mut open: Vec<usize> = (first..self.shared.len()).filter(of_sources).collect();
        while let Some(id) = open.pop() {
            if needed.insert(id) {
                open.extend(self.unit(id).iter().flat_map(|unit| unit.needs()));
                open.extend(self.unit(id).iter().flat_map(|unit| &unit.calls));
            }
        }
        (first..self.shared.len()).filter(|id| !needed.contains(id)).for_each(|id| self.keep_in_texts(id));
    }

    fn is_macro(&self, texts: &[ReadText], id: usize) -> bool {
        let unit: Option<&TextUnit> = self.unit(id).and_then(|_| super::unit_of(self, texts, id));
        unit.is_some_and(|unit| unit.kind == TextUnitKind::Macro)
    }
}

/// What stands in structs that each unit of a text may call: what is called is known by its name alone.
fn called(text: &ReadText, of_text: &[(Option<usize>, Needs)]) -> Vec<BTreeSet<usize>> {
    let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for ((unit, _), (id, _)) in text.units.iter().zip(of_text) {
        let name = unit.member.as_ref().map(|member| &member.name);
        if let (Some(name), Some(id)) = (name.or(unit.defines.as_ref().map(|(_, name)| name)), id) {
            members.entry(name).or_default().push(*id);
        }
    }
    let named =
        |unit: &TextUnit| unit.calls.iter().filter_map(|name| members.get(name.as_str())).flatten().copied().collect();
    text.units.iter().map(|(unit, _)| named(unit)).collect()
}

/// Whether something is of the library, whose sources have names that are no paths.
fn is_of_library(place: &HeaderPlace) -> bool {
    place.source.contains(':')
}
