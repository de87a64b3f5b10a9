//! Hidden counters that the source gives no binding come behind all parameters of their set, in the order of the buffers that may
//! have one, whether the program uses it or not: what bodies do moves nothing (rule `layout-needs`).

use super::*;
use crate::layout::Counter;
use crate::layout::types::Detail;

impl<'a> Allocator<'a> {
    /// The binding that the source gives a counter, in the set of its buffer.
    pub(super) fn reserve_counter(&mut self, pending: &Pending) {
        let (Some(index), Owner::Global(id)) = (pending.explicit.vk_counter_binding, pending.id) else { return };
        let facts = self.settings.api.facts();
        let ty = self.program.types.get(self.program.types.innermost(self.program.globals[id].ty));
        let counts = matches!(ty, Type::Buffer(BufferKind::Structured(_) | BufferKind::Counter, ..));
        // Where buffers that append or consume take two bindings, they do so in any case.
        if !facts.explicit || self.settings.api == Api::D3d || !counts && !self.alone.contains(&id) {
            return;
        }
        // As many as there are buffers.
        let counts = &pending.layout.counts;
        let Some(unit) = Unit::SLOTS.into_iter().find(|u| counts.get(*u) > 0) else { return };
        let count = Unit::SLOTS.into_iter().map(|u| counts.get(u)).sum::<u64>();
        let name = format!("{}$Counter", pending.name).as_str().into();
        let (space, at) = (pending.place.space.get(unit), (u64::from(index), count));
        let range = self.range_of((name, Owner::Counter(id)), unit, space, at, How::Explicit);
        self.claim(Placement { span: pending.span, ..range });
    }

    /// Takes the counter away from a buffer that appends or consumes and that asks for its own binding, or for one of the counter:
    /// each is one number. What the counter has is found when all explicit positions are known.
    pub(super) fn part_counter(&mut self, pending: &mut Pending) {
        let asks = self.settings.policy.explicit.bindings_of_parts && self.settings.api.facts().explicit;
        let Owner::Global(id) = pending.id else { return };
        let counts_alone = pending.explicit.vk_counter_binding.is_some();
        let is_array = matches!(pending.layout.detail, Detail::Array { .. });
        let parts = counts_alone || !is_array || self.settings.api.facts().arrays;
        if asks && self.settings.api != Api::D3d && parts && pending.layout.drop_counter() {
            self.alone.insert(id);
        }
    }

    /// Gives the counter back to a buffer that appends or consumes: behind its elements if that is free, or if these have the
    /// first free bindings. Else it has one behind all parameters.
    pub(super) fn join_counter(&mut self, pending: &mut Pending) {
        let Owner::Global(id) = pending.id else { return };
        if !self.alone.contains(&id) || pending.explicit.vk_counter_binding.is_some() {
            return;
        }
        let Some(unit) = Unit::SLOTS.into_iter().find(|u| pending.layout.counts.get(*u) > 0) else { return };
        if pending.fixed.contains(&unit) {
            let (count, space) = (pending.layout.counts.get(unit), pending.place.space.get(unit));
            let next = pending.place.offset.get(unit).saturating_add(count);
            if self.first_fit_from(unit, count, space, next) != next {
                return;
            }
            self.take(self.range(pending, unit, space, (next, count), How::Explicit));
        }
        pending.layout.add_counter();
        self.alone.remove(&id);
    }

    /// Places the hidden counters that are used.
    pub(super) fn place_counters(&mut self, globals: &[(GlobalId, Pending)]) -> BTreeMap<GlobalId, Counter> {
        let mut counters = BTreeMap::new();
        // By unit and space: one past all parameters, and how many counters come before.
        let mut ends: BTreeMap<(Unit, u64), u64> = BTreeMap::new();
        let mut before = ends.clone();
        if !globals.iter().any(|(id, _)| self.program.globals[*id].counted || self.alone.contains(id)) {
            return counters;
        }
        for (id, pending) in globals {
            let global = &self.program.globals[*id];
            let alone = self.alone.contains(id);
            let may = alone
                || matches!(
                    self.program.types.get(self.program.types.innermost(global.ty)),
                    Type::Buffer(BufferKind::Structured(_), Access::ReadWrite, _)
                );
            let counts = &pending.layout.counts;
            let unit = Unit::SLOTS.into_iter().find(|u| counts.get(*u) > 0).filter(|_| may);
            let Some(unit) = unit.filter(|_| global.explicit.vk_counter_binding.is_none()) else { continue };
            let (count, space) = (counts.get(unit), pending.place.space.get(unit));
            if count == UNBOUNDED {
                continue;
            }
            let end = *ends.entry((unit, space)).or_insert_with(|| {
                let asked = globals.iter().filter(|(_, p)| p.place.space.get(unit) == space);
                let asked = asked.filter_map(|(_, p)| p.explicit.vk_counter_binding).max();
                let asked = asked.map_or(0, |n| u64::from(n) + 1);
                self.end_of(unit, space).max(self.floor(unit, space)).max(asked)
            });
            let taken = before.entry((unit, space)).or_default();
            let first = end.saturating_add(*taken);
            let owner = Owner::Counter(*id);
            let recorded = self.recorded_position(owner, unit);
            // What is on record is not among those that follow.
            if recorded.is_none() {
                *taken += count;
            }
            if !global.counted && !alone {
                continue;
            }
            let (index, how) = recorded.map_or((first, self.how_implicit()), |at| (at.index, How::Recorded));
            let range = self.range_of((pending.name, owner), unit, space, (index, count), how);
            self.take(Placement { span: pending.span, ..range });
            counters.insert(*id, Counter { unit, index, count, space });
        }
        counters
    }
}
