//! Descriptor heaps come after all declarations: in the first space that nothing else is in, all arrays of a heap at one binding.
//! slangc places them so too (rule `layout-heaps`). WebGPU has no aliases: there each array has a binding.

use super::*;

/// The first array of each heap that a program has, which stands for the heap.
pub(super) fn firsts(program: &Program) -> BTreeMap<Heap, GlobalId> {
    let mut firsts = BTreeMap::new();
    for &id in &program.parameters {
        if let Some(heap) = program.globals[id].heap {
            firsts.entry(heap).or_insert(id);
        }
    }
    firsts
}

/// What a lock records: each heap, or each array where those have bindings of their own.
pub(super) fn recorded(program: &Program, settings: &Settings) -> Vec<(String, GlobalId)> {
    if settings.api.is_webgpu() {
        let arrays = program.parameters.iter().map(|id| (*id, &program.globals[*id])).filter(|(_, g)| g.heap.is_some());
        return arrays.map(|(id, g)| (g.name.to_string(), id)).collect();
    }
    firsts(program).into_iter().map(|(heap, id)| (heap.name().to_owned(), id)).collect()
}

/// The binding of a heap in the space of them all.
fn binding_of(heap: Heap) -> u64 {
    match heap {
        Heap::Samplers => 0,
        Heap::Combined => 1,
        Heap::Resources => 2,
        Heap::Counters => 3,
    }
}

impl<'a> Allocator<'a> {
    /// Places the arrays that stand for descriptor heaps.
    pub(super) fn place_heaps(&mut self) -> Vec<(GlobalId, Pending<'a>)> {
        if self.settings.api.is_webgpu() {
            return self.place_heap_arrays();
        }
        let program = self.program;
        let (firsts, mut own_space) = (firsts(program), None);
        let mut places = BTreeMap::new();
        for (&heap, &first) in &firsts {
            let recorded = self.recorded_position(Owner::Global(first), Unit::Descriptor);
            let (place, how) = match (recorded, self.settings.heap_bindings.get(heap)) {
                (Some(at), _) => ((at.index, at.space.unwrap_or(0)), How::Recorded),
                (None, Some((index, space))) => ((index.into(), space.into()), How::Option),
                (None, None) => {
                    let space = *own_space.get_or_insert_with(|| self.heap_space(&firsts));
                    ((binding_of(heap), space), self.how_implicit())
                }
            };
            places.insert(heap, (place, how));
        }
        let globals = program.parameters.iter().map(|id| (*id, &program.globals[*id]));
        let mut list = Vec::new();
        for (id, global) in globals {
            let Some((heap, (place, how))) = global.heap.and_then(|h| Some((h, *places.get(&h)?))) else { continue };
            let layout = self.measure_global(&self.settings, global, Owner::Global(id));
            let mut position = Position::at(Counts::one(Unit::Descriptor, place.0));
            position.space.set(Unit::Descriptor, place.1);
            let owner = (global.name, Owner::Global(id));
            if firsts.get(&heap) == Some(&id) {
                let range = self.range_of(owner, Unit::Descriptor, place.1, (place.0, 1), how);
                self.trace.push(Placement { span: global.span, ..range });
            }
            list.push((id, pending(owner, global.span, &global.explicit, layout, position)));
        }
        list
    }

    /// Places the arrays that stand for parameters of resources of any type: where those are.
    pub(super) fn place_views(&self, placed: &[(GlobalId, Pending<'a>)]) -> Vec<(GlobalId, Pending<'a>)> {
        let program = self.program;
        let places: BTreeMap<GlobalId, Position> = placed.iter().map(|(id, p)| (*id, p.place)).collect();
        let views = program.parameters.iter().filter_map(|id| Some((*id, program.globals[*id].views?)));
        let views = views.filter_map(|(id, of)| {
            let global = &program.globals[id];
            let layout = self.measure_global(&self.settings, global, Owner::Global(id));
            let place = *places.get(&of)?;
            Some((id, pending((global.name, Owner::Global(id)), global.span, &global.explicit, layout, place)))
        });
        views.collect()
    }

    /// Places the arrays of heaps one after the other, in the order of their names.
    fn place_heap_arrays(&mut self) -> Vec<(GlobalId, Pending<'a>)> {
        let program = self.program;
        let globals = program.parameters.iter().map(|id| (*id, &program.globals[*id]));
        let mut globals: Vec<_> = globals.filter(|(_, g)| g.heap.is_some()).collect();
        globals.sort_by_key(|(_, g)| g.name.as_str());
        let of_lock = |s: &Self, id| s.recorded_position(Owner::Global(id), Unit::Descriptor);
        let recorded = globals.iter().find_map(|(id, _)| of_lock(self, *id)?.space);
        let mut list = Vec::new();
        let mut space = recorded;
        for (id, global) in globals {
            let layout = self.measure_global(&self.settings, global, Owner::Global(id));
            // A texture and its sampler are two.
            let count = layout.counts.get(Unit::Descriptor);
            let option = global.heap.and_then(|heap| self.settings.heap_bindings.get(heap));
            let (index, set, how) = match (of_lock(self, id), option) {
                (Some(at), _) => (at.index, at.space.unwrap_or(0), How::Recorded),
                (None, Some((first, set))) => {
                    let set = u64::from(set);
                    (self.first_fit(Unit::Descriptor, count, set).max(first.into()), set, How::Option)
                }
                (None, None) => {
                    let set = *space.get_or_insert_with(|| self.free_spaces(1));
                    (self.first_fit(Unit::Descriptor, count, set), set, self.how_implicit())
                }
            };
            let mut position = Position::at(Counts::one(Unit::Descriptor, index));
            position.space.set(Unit::Descriptor, set);
            let owner = (global.name, Owner::Global(id));
            let range = self.range_of(owner, Unit::Descriptor, set, (index, count), how);
            self.take(Placement { span: global.span, ..range });
            list.push((id, pending(owner, global.span, &global.explicit, layout, position)));
        }
        list
    }

    /// The space of heaps: that which one of them has on record, or the first free one.
    fn heap_space(&mut self, firsts: &BTreeMap<Heap, GlobalId>) -> u64 {
        let recorded =
            firsts.values().find_map(|id| self.recorded_position(Owner::Global(*id), Unit::Descriptor)?.space);
        recorded.unwrap_or_else(|| self.free_spaces(1))
    }
}
