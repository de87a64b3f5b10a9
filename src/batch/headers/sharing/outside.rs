//! What headers need of the texts that include them: such a header is included behind it.
//!
//! Before: `cbuffer Frame {...};` and `float3 sky(...)`, which uses the buffer and is of a header, in each text
//! After:  `cbuffer Frame {...};` in each text, and behind it `#include "inc/sky.hlsl"`
//!
//! Each text that includes the header has to declare what is needed, by itself and once; and nothing of that may need the header. What
//! the text declares besides is now before the header: it may be no macro of a word in there, and no function that a call could mean.

use super::{Faults, HeaderSharing, ReadText, SharedUnit, closure, unit_of};
use crate::batch::headers::units::{TextUnit, TextUnitKind};
use crate::target::Language;
use std::collections::{BTreeMap, BTreeSet};

/// What stands in a text: one of its units, or a header.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part<'a> {
    Unit(usize),
    Header(&'a String),
}

impl HeaderSharing {
    /// The headers that need something of the texts, themselves or by way of others, with the names of that.
    pub fn needed_of_texts(&self, edges: &BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
        let mut own: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
        for unit in self.shared.iter().filter(|unit| unit.is_shared && !unit.outside.is_empty()) {
            own.entry(&unit.place.source).or_default().extend(&unit.outside);
        }
        if own.is_empty() {
            return BTreeMap::new();
        }
        let names = |source: &String| -> BTreeSet<String> {
            let all =
                edges.get_key_value(source).map_or_else(BTreeSet::new, |(source, _)| closure(vec![source], edges));
            all.into_iter().filter_map(|source| own.get(source)).flatten().map(|name| (*name).clone()).collect()
        };
        let all = edges.keys().map(|source| (source.clone(), names(source)));
        all.filter(|(_, names)| !names.is_empty()).collect()
    }

    /// What a unit that stays in a text needs there: others that stay, by their numbers, and headers.
    pub fn needed_there(&self, text: usize, at: usize) -> (Vec<usize>, BTreeSet<&String>) {
        let (mut units, mut headers) = (Vec::new(), BTreeSet::new());
        let needs =
            self.of_texts.get(text).and_then(|of_text| of_text.get(at)).into_iter().flat_map(|(_, needs)| needs);
        for (other, _) in needs {
            match self.in_header(text, *other) {
                Some((_, shared)) => headers.extend([&shared.place.source]),
                None => units.push(*other),
            }
        }
        (units, headers)
    }

    /// Adds what texts cannot have from headers that need something of them.
    pub(super) fn add_unmet(
        &self,
        texts: &[ReadText],
        count: usize,
        (edges, language): (&BTreeMap<String, BTreeSet<String>>, Language),
        faults: &mut Faults,
    ) {
        let late = self.needed_of_texts(edges);
        if late.is_empty() {
            return;
        }
        let mut of_headers: BTreeMap<&String, Vec<(usize, &SharedUnit, &TextUnit)>> = BTreeMap::new();
        for (id, shared) in (0..).zip(&self.shared).filter(|(_, shared)| shared.is_shared) {
            let unit = unit_of(self, texts, id).map(|unit| (id, shared, unit));
            of_headers.entry(&shared.place.source).or_default().extend(unit);
        }
        for (number, text) in texts.iter().take(count).enumerate() {
            let headers = self.headers_of(number, edges);
            let staying = StayingUnits::of(self, number, text);
            let members = members(text);
            let ways = Ways {
                sharing: self,
                number,
                text,
                edges,
                of_headers: &of_headers,
                staying: &staying,
                members: &members,
            };
            let mut ways = KnownWays { ways, known: BTreeMap::new() };
            for source in headers.iter().filter(|source| late.contains_key(*source)) {
                for (id, shared, unit) in of_headers.get(source).into_iter().flatten() {
                    let is_without = !shared.outside.is_empty() && self.without.contains(&number);
                    if is_without || !staying.fit(shared, unit) || language.includes() && ways.lead_back(shared) {
                        faults.entry(*id).or_default().insert(number);
                    }
                }
            }
        }
    }
}

/// What stays in a text, by the names that it declares.
struct StayingUnits<'a> {
    declared: BTreeMap<&'a str, Vec<usize>>,
    macros: BTreeSet<&'a str>,
}

impl<'a> StayingUnits<'a> {
    fn of(sharing: &HeaderSharing, number: usize, text: &'a ReadText) -> StayingUnits<'a> {
        let mut staying = StayingUnits { declared: BTreeMap::new(), macros: BTreeSet::new() };
        let units = text.units.iter().enumerate().filter(|(at, _)| sharing.in_header(number, *at).is_none());
        for (at, (unit, _)) in units.filter(|(_, (unit, _))| unit.member.is_none()) {
            let names = unit.declares.iter().map(String::as_str);
            names.clone().for_each(|name| staying.declared.entry(name).or_default().push(at));
            if unit.kind == TextUnitKind::Macro {
                staying.macros.extend(names);
            }
        }
        staying
    }

    fn of_name(&self, name: &str) -> &[usize] {
        self.declared.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether all that a unit of a header names is what it is where the unit comes from.
    fn fit(&self, shared: &SharedUnit, unit: &TextUnit) -> bool {
        let is_outside = |name: &str| shared.outside.contains(name);
        let is_other = |name: &String| !is_outside(name) && !self.of_name(name).is_empty();
        shared.outside.iter().all(|name| self.of_name(name).len() == 1)
            && !unit.uses.iter().chain(&unit.declares).any(is_other)
            && !unit.tokens.iter().any(|word| self.macros.contains(word.as_str()) && !is_outside(word))
    }
}

/// The units of a text that stand in each struct.
fn members(text: &ReadText) -> BTreeMap<usize, Vec<usize>> {
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, (unit, _)) in text.units.iter().enumerate() {
        unit.member.iter().for_each(|member| members.entry(member.of).or_default().push(at));
    }
    members
}

/// What needs what in a text.
struct Ways<'a> {
    sharing: &'a HeaderSharing,
    number: usize,
    text: &'a ReadText,
    edges: &'a BTreeMap<String, BTreeSet<String>>,
    of_headers: &'a BTreeMap<&'a String, Vec<(usize, &'a SharedUnit, &'a TextUnit)>>,
    staying: &'a StayingUnits<'a>,
    /// What stands in each struct.
    members: &'a BTreeMap<usize, Vec<usize>>,
}

/// The same, with what was found.
struct KnownWays<'a> {
    ways: Ways<'a>,
    known: BTreeMap<Part<'a>, BTreeSet<&'a String>>,
}

impl<'a> KnownWays<'a> {
    /// Whether what a unit needs of the text needs the unit's header.
    fn lead_back(&mut self, shared: &'a SharedUnit) -> bool {
        let own = |headers: &BTreeSet<&String>| headers.contains(&shared.place.source);
        let KnownWays { ways, known } = self;
        let mut parts = ways.outside(shared).into_iter();
        parts.any(|part| own(known.entry(part).or_insert_with(|| ways.headers(part))))
    }
}

impl<'a> Ways<'a> {
    /// The headers that something needs, itself or by way of others.
    fn headers(&self, from: Part<'a>) -> BTreeSet<&'a String> {
        let (mut open, mut seen, mut headers) = (vec![from], BTreeSet::new(), BTreeSet::new());
        while let Some(part) = open.pop() {
            if let Part::Header(source) = part {
                headers.insert(source);
            }
            if seen.insert(part) {
                open.extend(self.next(part));
            }
        }
        headers
    }

    fn outside(&self, shared: &SharedUnit) -> Vec<Part<'a>> {
        let units = shared.outside.iter().flat_map(|name| self.staying.of_name(name));
        units.map(|at| Part::Unit(*at)).collect()
    }

    fn next(&self, part: Part<'a>) -> Vec<Part<'a>> {
        match part {
            Part::Header(source) => {
                let others = self.edges.get(source).into_iter().flatten().map(Part::Header);
                let units = self.of_headers.get(source).into_iter().flatten();
                others.chain(units.flat_map(|(_, shared, _)| self.outside(shared))).collect()
            }
            Part::Unit(at) => {
                let (units, headers) = self.sharing.needed_there(self.number, at);
                // What stands in a struct is there with it.
                let own = self.text.units.get(at).and_then(|(unit, _)| unit.member.as_ref()).map(|member| member.of);
                let members = self.members.get(&at).into_iter().flatten().copied();
                let units = units.into_iter().chain(own).chain(members);
                units.map(Part::Unit).chain(headers.into_iter().map(Part::Header)).collect()
            }
        }
    }
}
