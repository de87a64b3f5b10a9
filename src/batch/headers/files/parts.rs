//! The order of what stays in a text, with the headers that need something of it.
//!
//! Before: `#include "sky.hlsl"` first, though it uses `frame`
//! After:  `cbuffer Frame {...}`, `#include "sky.hlsl"`, and what uses the header

use super::{TreeFiles, TreeText};
use crate::batch::headers::units::TextUnit;
use std::collections::{BTreeMap, BTreeSet};

/// What stands on its own in a text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum TextPart {
    /// One of its units, by number.
    Unit(usize),
    /// The line that includes the header of a source.
    Include(String),
}

impl TextPart {
    /// The number of the unit that it is.
    pub fn unit(&self) -> Option<usize> {
        match self {
            TextPart::Unit(at) => Some(*at),
            TextPart::Include(_) => None,
        }
    }
}

impl TreeFiles<'_> {
    /// The units that stay in a text, in the order of the flat one.
    pub(super) fn staying(&self, number: usize) -> impl Iterator<Item = usize> {
        let units = self.flat.get(number).into_iter().flat_map(|flat| &flat.read.units).enumerate();
        let stays = move |at: usize| self.sharing.in_header(number, at).is_none();
        units.filter(move |(at, (unit, _))| unit.member.is_none() && stays(*at)).map(|(at, _)| at)
    }

    /// What stands in a text behind its head: the order is that of the flat text, besides that late headers come before what uses
    /// them and behind what they need.
    pub(super) fn parts(&self, number: usize, flat: &TreeText, direct: &[String]) -> Vec<TextPart> {
        let late: Vec<&String> = direct.iter().filter(|source| self.late.contains_key(*source)).collect();
        let units: Vec<usize> = self.staying(number).filter(|at| is_behind_head(flat, *at)).collect();
        if late.is_empty() {
            return units.into_iter().map(TextPart::Unit).collect();
        }
        // What each late header brings with it.
        let brought: Vec<(&String, Vec<String>)> =
            late.iter().map(|source| (*source, self.closed(std::slice::from_ref(*source)))).collect();
        let declared: BTreeMap<&str, usize> =
            units.iter().flat_map(|at| names(flat, *at).map(|name| (name, *at))).collect();
        let before = |part: &TextPart| -> Vec<TextPart> {
            match part {
                TextPart::Include(source) => {
                    let needed =
                        self.late.get(source).into_iter().flatten().filter_map(|name| declared.get(name.as_str()));
                    let needed: BTreeSet<usize> = needed.copied().collect();
                    needed.into_iter().map(TextPart::Unit).collect()
                }
                TextPart::Unit(at) => {
                    let (others, headers) = self.needed_by_unit(number, flat, *at);
                    let is_used = |all: &Vec<String>| all.iter().any(|source| headers.contains(source));
                    let includes = brought
                        .iter()
                        .filter(|(_, all)| is_used(all))
                        .map(|(source, _)| TextPart::Include((*source).clone()));
                    // Others that come later are announced.
                    let others = others.into_iter().filter(|other| other < at && units.contains(other));
                    includes.chain(others.map(TextPart::Unit)).collect()
                }
            }
        };
        let all = units
            .iter()
            .copied()
            .map(TextPart::Unit)
            .chain(late.iter().map(|source| TextPart::Include((*source).clone())));
        let mut open: Vec<(TextPart, bool)> = all.map(|part| (part, false)).collect();
        open.reverse();
        let (mut begun, mut parts) = (BTreeSet::new(), Vec::new());
        while let Some((part, is_done)) = open.pop() {
            if is_done {
                parts.push(part);
            } else if begun.insert(part.clone()) {
                let needed = before(&part);
                open.push((part, true));
                open.extend(needed.into_iter().rev().map(|part| (part, false)));
            }
        }
        parts
    }

    /// What a unit that stays needs, with what stands in it: others that stay, and headers.
    fn needed_by_unit(&self, number: usize, flat: &TreeText, at: usize) -> (BTreeSet<usize>, BTreeSet<&String>) {
        let is_in = |unit: &TextUnit| unit.member.as_ref().is_some_and(|member| member.of == at);
        let members = flat.read.units.iter().enumerate().filter(|(_, (unit, _))| is_in(unit)).map(|(at, _)| at);
        let (mut units, mut headers) = (BTreeSet::new(), BTreeSet::new());
        for part in std::iter::once(at).chain(members) {
            let (others, of_part) = self.sharing.needed_there(number, part);
            units.extend(others);
            headers.extend(of_part);
        }
        (units, headers)
    }

    /// Writes what stands behind the head of a text.
    pub(super) fn add_parts(&self, text: &mut String, number: usize, flat: &TreeText, parts: &[TextPart]) {
        let apart = self.apart(number, flat);
        let mut before: Option<&TextPart> = None;
        for part in parts {
            let (is_apart, code) = match part {
                TextPart::Unit(at) => {
                    let unit = flat.read.units.get(*at).map(|(unit, _)| unit.range.clone());
                    let code = unit.and_then(|range| flat.read.text.get(range)).unwrap_or_default();
                    (apart.contains(at), format!("{code}\n"))
                }
                TextPart::Include(source) => (false, self.include_of(flat, source)),
            };
            let is_other = before.is_none_or(|before| before.unit().is_some() != part.unit().is_some());
            if (is_apart || is_other) && !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&code);
            before = Some(part);
        }
    }

    /// The units that stay behind the head of a text and have a blank line before them, or before something between that is in a header.
    fn apart(&self, number: usize, flat: &TreeText) -> BTreeSet<usize> {
        let staying: BTreeSet<usize> = self.staying(number).collect();
        let (mut is_apart, mut found) = (true, BTreeSet::new());
        for (at, (unit, _)) in flat.read.units.iter().enumerate().filter(|(at, _)| is_behind_head(flat, *at)) {
            is_apart |= unit.is_apart;
            if staying.contains(&at) && std::mem::take(&mut is_apart) {
                found.insert(at);
            }
        }
        found
    }
}

/// Whether a unit of a text is behind its head.
pub(super) fn is_behind_head(flat: &TreeText, at: usize) -> bool {
    flat.read.units.get(at).is_some_and(|(unit, _)| unit.range.start >= flat.head)
}

fn names(flat: &TreeText, at: usize) -> impl Iterator<Item = &str> {
    flat.read.units.get(at).into_iter().flat_map(|(unit, _)| &unit.declares).map(String::as_str)
}

/// Whether nothing of a flat text is used before it is declared that is not so in the flat text itself.
pub(super) fn is_in_order(whole: &[TextUnit], flat: &[&TextUnit]) -> bool {
    let known: BTreeSet<&str> = flat.iter().flat_map(|unit| &unit.declares).map(String::as_str).collect();
    let own: BTreeSet<String> = flat.iter().map(|unit| unit.tokens_in_place()).collect();
    let whole: Vec<&TextUnit> = whole.iter().collect();
    let early = used_early(flat);
    // What is of others may have variables of such a name.
    let mut found = used_early(&whole).into_iter().filter(|(unit, name)| known.contains(name) && own.contains(unit));
    found.all(|found| early.contains(&found))
}

/// The names that stand before the first declaration of them, with what they stand in.
fn used_early<'u>(units: &[&'u TextUnit]) -> BTreeSet<(String, &'u str)> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        for name in &unit.declares {
            first.entry(name).or_insert(at);
        }
    }
    let mut early = BTreeSet::new();
    for (at, unit) in units.iter().enumerate() {
        let names =
            unit.uses.iter().map(String::as_str).filter(|name| first.get(name).is_some_and(|first| *first > at));
        early.extend(names.map(|name| (unit.tokens_in_place(), name)));
    }
    early
}
