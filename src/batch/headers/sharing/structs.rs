//! What stands in structs: it is there before all that the struct is before, and needs come first.
//!
//! Of `struct S { float f() { return g(); } };` the struct needs nothing, and `S::f` needs `g`: in a header `g` comes before the struct.
//! Programs have different functions of a struct. What one has in `S` may need what another one has behind `S`: then one of both stays
//! where it is.

use super::{HeaderSharing, SharedUnit};
use std::collections::{BTreeMap, BTreeSet};

impl HeaderSharing {
    /// What stands in a struct of a header, in the order of the source.
    pub fn members(&self, id: usize) -> Vec<usize> {
        let members = (0..).zip(&self.shared).filter(|(_, unit)| unit.is_shared && unit.of == Some(id));
        let mut members: Vec<(usize, &SharedUnit)> = members.collect();
        members.sort_by_key(|(_, unit)| (&unit.place, unit.at));
        members.into_iter().map(|(id, _)| id).collect()
    }

    /// What has to stand before what is on its own in headers. Structs are before what needs something in them.
    pub(super) fn needs_of_items(&self) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut needs: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (id, unit) in (0..).zip(&self.shared).filter(|(_, unit)| unit.is_shared) {
            needs.entry(self.standing(id, unit)).or_default().extend(self.needs_of_unit(unit));
        }
        needs
    }

    /// The item in whose text a unit stands.
    fn standing(&self, id: usize, unit: &SharedUnit) -> usize {
        unit.of.unwrap_or(id)
    }

    /// The items that a unit needs.
    fn needs_of_unit<'u>(&'u self, unit: &'u SharedUnit) -> impl Iterator<Item = usize> + 'u {
        unit.needs.iter().filter_map(|id| Some(self.standing(*id, self.unit(*id)?)))
    }

    /// Of what stands in structs, from a number on, leaves out what needs something that needs the struct. Whether there was any.
    pub(super) fn drop_struct_circles(&mut self, first: usize) -> bool {
        let mut needs = self.needs_of_items();
        let members = (0..).zip(&self.shared).skip(first);
        let members = members.filter_map(|(id, unit)| unit.of.filter(|_| unit.is_shared).map(|of| (id, of)));
        let mut dropped: BTreeSet<usize> = BTreeSet::new();
        for (id, of) in members.collect::<Vec<_>>() {
            let Some(unit) = self.unit(id) else { continue };
            let direct = self.needs_of_unit(unit).filter(|needed| *needed != of).collect();
            if !reaches(direct, of, &needs) {
                continue;
            }
            dropped.insert(id);
            let left = (0..)
                .zip(&self.shared)
                .filter(|(id, unit)| unit.is_shared && !dropped.contains(id) && (unit.of == Some(of) || *id == of));
            let left = left.flat_map(|(_, unit)| self.needs_of_unit(unit).collect::<Vec<_>>()).collect();
            needs.insert(of, left);
        }
        dropped.iter().for_each(|id| self.keep_in_texts(*id));
        !dropped.is_empty()
    }
}

/// Whether what is needed leads to something.
fn reaches(mut open: Vec<usize>, to: usize, needs: &BTreeMap<usize, BTreeSet<usize>>) -> bool {
    let mut seen = BTreeSet::new();
    while let Some(next) = open.pop() {
        if next == to {
            return true;
        }
        if seen.insert(next) {
            open.extend(needs.get(&next).into_iter().flatten());
        }
    }
    false
}
