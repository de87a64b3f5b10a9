//! The trace of placements by owner and by what is numbered together, so that each derivation finds its own without
//! reading all of it.

use crate::layout::trace::{Owner, Placement};
use crate::layout::{ProgramLayout, TypeLayout, Unit, VarLayout};
use std::collections::BTreeMap;

/// What was placed, by index in the trace.
pub(super) struct History<'a> {
    trace: &'a [Placement],
    by_owner: BTreeMap<Owner, Vec<usize>>,
    /// Those that share their numbers: of a unit, in a space.
    together: BTreeMap<(Unit, u64), Vec<usize>>,
    /// The first that was placed in each space.
    spaces: BTreeMap<u64, usize>,
    /// All parameters in global order, and those that are specialization constants.
    orders: [Vec<usize>; 2],
}

impl<'a> History<'a> {
    pub(super) fn new(layout: &'a ProgramLayout) -> History<'a> {
        let mut by_owner: BTreeMap<Owner, Vec<usize>> = BTreeMap::new();
        let mut together: BTreeMap<(Unit, u64), Vec<usize>> = BTreeMap::new();
        let mut spaces = BTreeMap::new();
        for (index, p) in layout.trace.iter().enumerate() {
            by_owner.entry(p.owner).or_default().push(index);
            together.entry((p.numbers, p.space)).or_default().push(index);
            if Unit::SLOTS.contains(&p.unit) {
                spaces.entry(p.space).or_insert(index);
            }
        }
        let numbered = |i: &usize| layout.parameters.get(*i).is_some_and(|p| is_numbered(&p.layout));
        let all: Vec<usize> = (0..layout.parameters.len()).collect();
        let orders = [all.clone(), all.into_iter().filter(numbered).collect()];
        History { trace: &layout.trace, by_owner, together, spaces, orders }
    }

    /// The placements of an owner.
    pub(super) fn of(&self, owner: Owner) -> impl Iterator<Item = (usize, &'a Placement)> {
        let mine = self.by_owner.get(&owner).into_iter().flatten();
        mine.filter_map(|index| Some((*index, self.trace.get(*index)?)))
    }

    /// How many had numbers of the same kind before this one, and the last `shown` of them.
    pub(super) fn earlier(&self, index: usize, p: &Placement, shown: usize) -> (usize, Vec<&'a Placement>) {
        let all = self.together.get(&(p.numbers, p.space)).map_or(&[][..], Vec::as_slice);
        let before = all.get(..all.partition_point(|i| *i < index)).unwrap_or_default();
        let last = before.iter().skip(before.len().saturating_sub(shown));
        (before.len(), last.filter_map(|i| self.trace.get(*i)).collect())
    }

    /// Spaces that hold parameters one by one, with the first in each.
    pub(super) fn spaces(&self) -> impl Iterator<Item = (u64, &'a Placement)> {
        self.spaces.iter().filter_map(|(space, index)| Some((*space, self.trace.get(*index)?)))
    }

    /// Parameters that are ordered together with one, by index: itself is at which place of them.
    pub(super) fn order(&self, index: usize, layout: &TypeLayout) -> (usize, &[usize]) {
        let [all, numbered] = &self.orders;
        let among = if is_numbered(layout) { numbered } else { all };
        (among.partition_point(|i| *i < index), among)
    }
}

/// Whether it is a specialization constant, which have numbers of their own.
pub(super) fn is_numbered(layout: &TypeLayout) -> bool {
    layout.counts.get(Unit::Specialization) > 0
}

/// For each field that which ends last of those that are placed before it: all before it in order and those that say their
/// place, which come first.
pub(super) fn latest_before(fields: &[VarLayout], asks: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
    let end = |i: usize| fields.get(i).map_or(0, |f| f.offset.get(Unit::Bytes).saturating_add(f.layout.size()));
    let later = |a: Option<usize>, b: Option<usize>| [a, b].into_iter().flatten().max_by_key(|i| (end(*i), *i));
    let has_data = |i: usize| fields.get(i).is_some_and(|f| f.layout.size() > 0);
    let mut asked_after = vec![None; fields.len() + 1];
    for i in (0..fields.len()).rev() {
        let after = asked_after.get(i + 1).copied().flatten();
        let own = (has_data(i) && asks(i)).then_some(i);
        if let Some(slot) = asked_after.get_mut(i) {
            *slot = later(own, after);
        }
    }
    let mut before = None;
    let each = (0..fields.len()).map(|i| {
        let latest = later(before, asked_after.get(i + 1).copied().flatten());
        before = later(before, has_data(i).then_some(i));
        latest
    });
    each.collect()
}
