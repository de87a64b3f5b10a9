//! Hidden counters that the source gives no binding come behind all parameters of their set, in the order of the buffers that may
//! have one, whether the program uses it or not: what bodies do moves nothing (rule `layout-needs`).

use super::*;
use crate::layout::Counter;

impl<'a> Allocator<'a> {
    /// The binding that the source gives a counter, in the set of its buffer.
    pub(super) fn reserve_counter(&mut self, pending: &Pending) {
        let (Some(index), Owner::Global(id)) = (pending.explicit.vk_counter_binding, pending.id) else { return };
        let facts = self.settings.api.facts();
        let ty = self.program.types.get(self.program.types.innermost(self.program.globals[id].ty));
        // Buffers that append or consume take two bindings in any case.
        let counts = matches!(ty, Type::Buffer(BufferKind::Structured(_) | BufferKind::Counter, ..));
        if !facts.explicit || self.settings.api == Api::D3d || !counts {
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

    /// Places the hidden counters that are used.
    pub(super) fn place_counters(&mut self, globals: &[(GlobalId, Pending)]) -> BTreeMap<GlobalId, Counter> {
        let mut counters = BTreeMap::new();
        // By unit and space: one past all parameters, and how many counters come before.
        let mut ends: BTreeMap<(Unit, u64), u64> = BTreeMap::new();
        let mut before = ends.clone();
        if !globals.iter().any(|(id, _)| self.program.globals[*id].counted) {
            return counters;
        }
        for (id, pending) in globals {
            let global = &self.program.globals[*id];
            let may = matches!(
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
            if !global.counted {
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
