//! Hidden counters that the source gives no binding come behind all parameters of their set, in the order of the buffers that may
//! have one, whether the program uses it or not: what bodies do moves nothing (rule `layout-needs`).

use super::*;
use crate::layout::Counter;
use crate::layout::leaves::{Part, counted_within, is_countable, walk};
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

    /// Places the hidden counters that are used. Those of the buffers in structs and blocks come behind those of others.
    pub(super) fn place_counters(&mut self, globals: &[(GlobalId, Pending<'a>)]) -> BTreeMap<GlobalId, Counter> {
        let mut counters = BTreeMap::new();
        // By unit and space: one past all parameters, and how many counters come before.
        let mut ends: BTreeMap<(Unit, u64), u64> = BTreeMap::new();
        let mut before = ends.clone();
        if !globals.iter().any(|(id, _)| self.program.globals[*id].counted || self.alone.contains(id)) {
            return counters;
        }
        for (id, pending, Wanted { unit, space, count, inside }) in self.wanted_of_all(globals) {
            let end = *ends.entry((unit, space)).or_insert_with(|| {
                let asked = globals.iter().filter(|(_, p)| p.place.space.get(unit) == space);
                let asked = asked.filter_map(|(_, p)| p.explicit.vk_counter_binding).max();
                let asked = asked.map_or(0, |n| u64::from(n) + 1);
                self.end_of(unit, space).max(self.floor(unit, space)).max(asked)
            });
            let taken = before.entry((unit, space)).or_default();
            let first = end.max(inside).saturating_add(*taken);
            // Behind an array without bound there is nothing.
            if first.saturating_add(count) > LAST_SLOT {
                continue;
            }
            let owner = Owner::Counter(id);
            let recorded = self.recorded_position(owner, unit);
            // What is on record is not among those that follow.
            if recorded.is_none() {
                *taken += count;
            }
            if !self.program.globals[id].counted && !self.alone.contains(&id) {
                continue;
            }
            let (index, how) = recorded.map_or((first, self.how_implicit()), |at| (at.index, How::Recorded));
            let range = self.range_of((pending.name, owner), unit, space, (index, count), how);
            self.take(Placement { span: pending.span, ..range });
            counters.insert(id, Counter { unit, index, count, space });
        }
        counters
    }

    /// The counters that there may be, in the order in which they are placed.
    fn wanted_of_all<'p>(&self, globals: &'p [(GlobalId, Pending<'a>)]) -> Vec<(GlobalId, &'p Pending<'a>, Wanted)> {
        let alone = globals.iter().filter_map(|(id, pending)| Some((*id, pending, self.wanted(*id, pending)?)));
        let within = globals.iter().filter_map(|(id, pending)| Some((*id, pending, self.wanted_within(pending)?)));
        let within: Vec<_> = within.collect();
        // No counter within a parameter is where another one asks to be.
        let mut behind: BTreeMap<(Unit, u64), u64> = BTreeMap::new();
        for (.., wanted) in &within {
            let end = behind.entry((wanted.unit, wanted.space)).or_default();
            *end = wanted.inside.max(*end);
        }
        let within = within.into_iter().map(|(id, pending, wanted)| {
            let inside = behind.get(&(wanted.unit, wanted.space)).copied().unwrap_or(0);
            (id, pending, Wanted { inside, ..wanted })
        });
        alone.chain(within).filter(|(.., wanted)| wanted.count < UNBOUNDED).collect()
    }

    /// The counters that a buffer, or array of them, may have.
    fn wanted(&self, id: GlobalId, pending: &Pending) -> Option<Wanted> {
        let global = &self.program.globals[id];
        let may =
            self.alone.contains(&id) || is_countable(self.program.types.get(self.program.types.innermost(global.ty)));
        let counts = &pending.layout.counts;
        let unit = Unit::SLOTS.into_iter().find(|u| counts.get(*u) > 0).filter(|_| may)?;
        let asks = global.explicit.vk_counter_binding.is_some();
        let (count, space) = (counts.get(unit), pending.place.space.get(unit));
        (!asks).then_some(Wanted { unit, space, count, inside: 0 })
    }

    /// The counters that the buffers in a struct or block may have, in one range; those of blocks with further spaces in it have none.
    fn wanted_within(&self, pending: &Pending) -> Option<Wanted> {
        let own = match &pending.layout.detail {
            Detail::Block { element, own_space: true, .. } => Some(element),
            _ => None,
        };
        let mut found: Option<Wanted> = None;
        let mut asked = 0;
        walk(self.program, &Part::whole(pending.place, &pending.layout, Some(pending.explicit)), &mut |part| {
            asked = asked.max(part.explicit.and_then(|e| e.vk_counter_binding).map_or(0, |n| u64::from(n) + 1));
            if let Some((unit, space)) = counted_within(self.program, part) {
                let home = match own {
                    Some(_) => pending.place.offset.get(Unit::Space),
                    None => pending.place.space.get(unit),
                };
                let wanted = found.get_or_insert(Wanted { unit, space: home, count: 0, inside: 0 });
                if (wanted.unit, home) == (unit, space) {
                    wanted.count = wanted.count.saturating_add(part.place.to_second().into());
                }
            }
            true
        });
        // The contents of a block with a space of its own have the first bindings there.
        let end = |unit| own.map_or(0, |o| o.offset.get(unit).saturating_add(o.layout.counts.get(unit)));
        let inside = Unit::SLOTS.into_iter().map(end).fold(asked, u64::max);
        found.filter(|wanted| wanted.count > 0).map(|wanted| Wanted { inside, ..wanted })
    }
}

/// Counters that a parameter may have, in one range.
#[derive(Clone, Copy)]
struct Wanted {
    unit: Unit,
    space: u64,
    count: u64,
    /// They come behind so many bindings, which nothing of the space has.
    inside: u64,
}
