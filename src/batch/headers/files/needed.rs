//! What a file of WGSL needs of headers: the names that it imports, and the declarations that it has a copy of, because a tool that puts
//! modules together does not pass them on.

use super::TreeFiles;
use crate::batch::headers::imports::ImportedNames;
use crate::batch::headers::units::TextUnit;
use std::collections::{BTreeMap, BTreeSet};

/// What a file needs.
#[derive(Debug, Default)]
pub struct NeededUnits<'t> {
    /// What stands in headers, by number.
    imported: BTreeSet<usize>,
    /// What it has copies of, each behind what it needs itself.
    copied: Vec<usize>,
    /// The names that the file and its copies use.
    used: BTreeSet<&'t str>,
}

impl TreeFiles<'_> {
    /// What the declarations need that stay in a text.
    pub(super) fn needed_by_text(&self, number: usize) -> NeededUnits<'_> {
        let Some(flat) = self.flat.get(number) else { return NeededUnits::default() };
        let used = self.used(number, flat);
        let is_used =
            |(_, (unit, _)): &(usize, &(TextUnit, _))| unit.declares.iter().any(|n| used.contains(n.as_str()));
        let units = flat.read.units.iter().enumerate().filter(is_used);
        let direct = units.filter_map(|(at, _)| Some(self.sharing.in_header(number, at)?.0)).collect();
        self.needed(direct, used, None)
    }

    /// What a header needs of others.
    pub(super) fn needed_by_header(&self, source: &str) -> NeededUnits<'_> {
        let units =
            || self.sharing.order(source).into_iter().filter_map(|id| Some((self.sharing.unit(id)?, self.unit(id)?.1)));
        let used = units().flat_map(|(_, unit)| &unit.uses).map(String::as_str).collect();
        let direct = units().flat_map(|(shared, _)| shared.needs().collect::<Vec<_>>()).collect();
        self.needed(direct, used, Some(source))
    }

    /// What is needed directly, and by the copies of that. What `own` has itself is not needed.
    fn needed<'t>(&'t self, direct: BTreeSet<usize>, used: BTreeSet<&'t str>, own: Option<&str>) -> NeededUnits<'t> {
        let mut needed = NeededUnits { used, ..NeededUnits::default() };
        let mut open: Vec<(usize, bool)> = direct.into_iter().rev().map(|id| (id, false)).collect();
        while let Some((id, is_done)) = open.pop() {
            let (Some(shared), Some((_, unit))) = (self.sharing.unit(id), self.unit(id)) else { continue };
            if own == Some(&shared.place.source) || needed.copied.contains(&id) {
                continue;
            }
            if !self.imports.is_copied(unit) {
                needed.imported.insert(id);
            } else if is_done {
                needed.copied.push(id);
                needed.used.extend(unit.uses.iter().map(String::as_str));
            } else {
                open.push((id, true));
                open.extend(shared.needs().map(|id| (id, false)));
            }
        }
        needed
    }

    /// The names that are imported, by the names of files, in the order in which sources include theirs.
    pub(super) fn imported<'n>(
        &'n self,
        sources: &[String],
        needed: &NeededUnits<'n>,
        file: impl Fn(&String) -> Option<&'n str>,
    ) -> ImportedNames<'n> {
        let mut imported: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for id in &needed.imported {
            let (Some(shared), Some((_, unit))) = (self.sharing.unit(*id), self.unit(*id)) else { continue };
            let names = unit.declares.iter().map(String::as_str).filter(|name| needed.used.contains(name));
            imported.entry(&shared.place.source).or_default().extend(names);
        }
        let mut order: Vec<String> = imported.keys().map(|source| (*source).to_owned()).collect();
        self.includes.put_in_order(sources, &mut order);
        order.iter().filter_map(|source| Some((file(source)?, imported.remove(source.as_str())?))).collect()
    }

    /// The text of the copies.
    pub(super) fn copies(&self, needed: &NeededUnits) -> String {
        let code = |id: &usize| {
            let (flat, unit) = self.unit(*id)?;
            Some(format!("{}\n", flat.read.text.get(unit.code.clone())?.trim_end()))
        };
        needed.copied.iter().filter_map(code).collect()
    }
}
