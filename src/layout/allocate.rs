//! Phases 2 to 4: needs of each parameter, explicit positions, first fit for the rest
//! (rules `layout-explicit` and `layout-first-fit`), each in a file of its own.

mod counters;
mod explicit;
mod first_fit;
mod heaps;
mod locked;
mod measure;
mod overlap;
mod parts;
mod ranges;

use super::lock::{self, Owner};
use super::order::{Scope, order, sort_by_class};
use super::trace::{How, Placement};
use super::types::{Detail, StructBuilder, TypeLayout};
use super::units::{Counts, UNBOUNDED, Unit};
use super::{
    Api, EntryLayout, Leaves, Overlap, ParameterLayout, Position, ProgramLayout, ScopeBuffer, Settings, Shift, binding,
    offset_of_global,
};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::*;
pub(super) use ranges::Numbers;
use ranges::Ranges;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The last register or binding number that any API takes.
const LAST_SLOT: u64 = u32::MAX as u64;

/// Places the parameters of one program.
pub struct Allocator<'a> {
    program: &'a Program,
    settings: Settings,
    diags: &'a mut Diagnostics,
    taken: BTreeMap<(u64, Unit), Ranges>,
    /// Ranges that a parameter takes and the policy gives to others all the same.
    shared: BTreeMap<(u64, Unit), Ranges>,
    /// Ranges whose numbers are given to nothing else, though what has been given them is elsewhere.
    counted: BTreeMap<(u64, Unit), Ranges>,
    /// Spaces that blocks and unbounded arrays may not have.
    spaces: Numbers,
    overlaps: Vec<Overlap>,
    /// Buffers that append or consume whose counters do not lie behind their elements.
    alone: BTreeSet<GlobalId>,
    /// The explicit bindings and sets of textures.
    texture_bindings: BTreeSet<(u32, u32)>,
    /// Owners that overlaps name, and what was met in which range, by space, unit, start and end.
    met: Vec<Vec<Option<GlobalId>>>,
    met_before: BTreeMap<(u64, Unit, u64, u64), overlap::Met>,
    /// Numbers of push constants, input attachments and specialization constants that are given.
    numbers: BTreeMap<Unit, Numbers>,
    /// Parameters that have a place: all, unless the policy drops what no entry point uses.
    used: Option<BTreeSet<GlobalId>>,
    /// Those that have none, as far as their explicit positions are kept.
    dropped: Vec<Pending<'a>>,
    trace: Vec<Placement>,
    /// What a lock says.
    lock: Option<locked::Locked<'a>>,
    /// The space of what asks for none.
    home: u64,
}

/// Where textures that are shader parameters ask to be on Vulkan.
fn texture_bindings(program: &Program) -> BTreeSet<(u32, u32)> {
    let globals = program.parameters.iter().map(|id| &program.globals[*id]);
    let textures = globals.filter(|g| matches!(program.types.get(g.ty), Type::Texture(t) if !t.combined));
    textures.filter_map(|g| g.explicit.vk_binding).map(|(index, space, _)| (index, space)).collect()
}

/// The uniform parameters of an entry point by index, and their implicit buffer.
type EntryScope<'a> = (Vec<(usize, Pending<'a>)>, Option<TypeLayout>);

/// A parameter on its way.
#[derive(Clone)]
struct Pending<'a> {
    name: Symbol,
    id: Owner,
    span: Span,
    explicit: &'a Explicit,
    layout: TypeLayout,
    place: Position,
    /// Units that have their explicit place.
    fixed: Vec<Unit>,
    /// Space asked for without a number: `register(space1)`.
    space_only: Option<u64>,
    /// The spaces that the register classes of an array of combined samplers without bound ask for.
    class_spaces: Vec<(Unit, u64)>,
}

impl<'a> Allocator<'a> {
    /// For one program.
    pub fn new(
        program: &'a Program,
        settings: Settings,
        used: Option<BTreeSet<GlobalId>>,
        lock: Option<lock::View<'a>>,
        diags: &'a mut Diagnostics,
    ) -> Self {
        Allocator {
            program,
            settings,
            diags,
            taken: BTreeMap::new(),
            shared: BTreeMap::new(),
            counted: BTreeMap::new(),
            spaces: Numbers::default(),
            overlaps: Vec::new(),
            alone: BTreeSet::new(),
            met: Vec::new(),
            met_before: BTreeMap::new(),
            numbers: BTreeMap::new(),
            used,
            dropped: Vec::new(),
            trace: Vec::new(),
            texture_bindings: texture_bindings(program),
            lock: lock.map(|view| locked::Locked::new(program, &settings, view)),
            home: 0,
        }
    }

    /// All phases.
    pub fn run(mut self) -> ProgramLayout {
        let mut scopes = order(self.program, &self.settings.policy);
        let (mut globals, buffer) = self.measure_globals(&scopes);
        let mut entries: Vec<EntryScope> =
            (0..self.program.entry_points.len()).map(|i| self.measure_entry(i)).collect();
        self.reserve_all(&mut globals, &mut entries, buffer.is_some());
        self.keep_recorded(&mut globals, &mut entries, buffer.is_some());
        let everything =
            globals.iter().map(|(_, p)| p).chain(entries.iter().flat_map(|(p, _)| p.iter().map(|(_, p)| p)));
        let entry_buffers = entries.iter().any(|(_, b)| b.as_ref().is_some_and(|b| self.needs_binding(b)));
        let buffer_here = buffer.is_some() && self.settings.globals_binding.is_none();
        let home_is_open = buffer_here || entry_buffers || everything.into_iter().any(needs_default_space);
        if home_is_open {
            self.spaces.insert(self.home);
        }
        // `$Globals` comes before every implicit parameter (rule `layout-globals`).
        let globals_buffer = buffer.map(|layout| {
            let binding = match self.settings.globals_binding {
                Some((index, space)) => Binding { class: self.buffer_unit().class(), index, space },
                None => self.place_buffer("$Globals".into(), Owner::Globals),
            };
            let kept = self.keeps_bytes(&layout, self.settings.rules.constant);
            ScopeBuffer { binding: Some(binding), apart: (Unit::PushConstant, 0), kept, layout }
        });
        if self.settings.policy.order.by_class {
            sort_by_class(self.program, &mut scopes);
        }
        let index: BTreeMap<GlobalId, usize> = globals.iter().enumerate().map(|(i, (id, _))| (*id, i)).collect();
        let mut entry_layouts: Vec<EntryLayout> = vec![EntryLayout::default(); entries.len()];
        for scope in scopes {
            match scope {
                Scope::Global(id) => {
                    if let Some((_, pending)) = index.get(&id).and_then(|i| globals.get_mut(*i)) {
                        self.allocate(pending);
                    }
                }
                Scope::Entry(i) => {
                    if let (Some(scope), Some(to)) = (entries.get_mut(i), entry_layouts.get_mut(i)) {
                        *to = self.allocate_entry(i, std::mem::take(scope));
                    }
                }
            }
        }
        self.allocate_last(&mut globals, home_is_open);
        let counters = self.place_counters(&globals);
        globals.extend(self.place_views(&globals));
        globals.extend(self.place_heaps());
        let mut dropped: Vec<(GlobalId, TypeLayout)> =
            self.dropped.into_iter().filter_map(|p| Some((p.id.global()?, p.layout))).collect();
        let without_slots: BTreeSet<GlobalId> = dropped.iter().map(|(id, _)| *id).collect();
        let in_buffer: BTreeSet<GlobalId> = globals.iter().map(|(id, _)| *id).collect();
        dropped.retain(|(id, _)| !in_buffer.contains(id));
        let parameters = globals.into_iter().map(|(global, p)| {
            let data_alone = without_slots.contains(&global);
            ParameterLayout { global, place: p.place, layout: p.layout, data_alone }
        });
        let parameters = parameters.collect();
        let mut layout = ProgramLayout {
            settings: self.settings,
            parameters,
            dropped,
            globals: globals_buffer,
            entry_points: entry_layouts,
            overlaps: self.overlaps,
            met: self.met,
            trace: self.trace,
            records: None,
            counters,
            leaves: Arc::default(),
        };
        layout.leaves = Arc::new(Leaves::of(self.program, &layout));
        if let Some(lock) = self.lock {
            let records = lock.records(self.program, &layout);
            lock.report_changes(&records, self.diags);
            layout.records = Some(records);
        }
        layout
    }

    /// Phase 3: what the source, the options and the API keep from being given away.
    fn reserve_all(&mut self, globals: &mut [(GlobalId, Pending)], entries: &mut [EntryScope], has_buffer: bool) {
        for (_, pending) in globals.iter_mut() {
            self.part_counter(pending);
            self.reserve(pending);
            self.reserve_counter(pending);
        }
        let mut dropped = std::mem::take(&mut self.dropped);
        if self.settings.reserve_unused {
            dropped.iter_mut().for_each(|pending| self.reserve(pending));
        }
        self.dropped = dropped;
        // Where a scope of uniforms is placed as one, only explicit bindings hold in it.
        let (whole, d3d) = (self.settings.policy.entry_uniforms.whole, self.settings.api == Api::D3d);
        for (_, pending) in entries.iter_mut().flat_map(|(params, _)| params) {
            if !whole || !d3d && pending.explicit.vk_binding.is_some() {
                self.reserve(pending);
            }
        }
        if let Some(place) = self.settings.globals_binding {
            self.claim_globals(place, has_buffer);
        }
        globals.iter_mut().for_each(|(_, pending)| self.join_counter(pending));
        if self.settings.targets_claim_registers {
            for (index, count) in super::varyings::targets(self.program, &self.settings) {
                let owner = ("a render target".into(), Owner::Nobody);
                self.take(self.range_of(owner, Unit::UnorderedAccess, 0, (index.into(), count.into()), How::Api));
            }
        }
    }

    /// A range that belongs to no declaration.
    fn range_of(
        &self,
        (name, owner): (Symbol, Owner),
        unit: Unit,
        space: u64,
        (start, count): (u64, u64),
        how: How,
    ) -> Placement {
        let numbers = if Unit::SLOTS.contains(&unit) { self.numbering(unit).0 } else { unit };
        let (end, span) = (start.saturating_add(count), Span::default());
        Placement { owner, name, unit, numbers, space, start, end, span, how }
    }

    /// A range of a parameter.
    fn range(&self, of: &Pending, unit: Unit, space: u64, at: (u64, u64), how: How) -> Placement {
        Placement { span: of.span, ..self.range_of((of.name, of.id), unit, space, at, how) }
    }

    /// Takes a range of slots.
    fn take(&mut self, range: Placement) {
        self.trace.push(range);
        self.taken.entry((range.space, range.numbers)).or_default().push(range);
    }

    /// Places the uniform parameters of an entry point.
    fn allocate_entry(&mut self, entry: usize, (params, buffer): EntryScope<'a>) -> EntryLayout {
        let mut to = EntryLayout::default();
        let whole = self.settings.policy.entry_uniforms.whole && !self.is_entry_recorded(entry, &params);
        let bound = params.iter().any(|(_, pending)| !pending.fixed.is_empty());
        if whole && !bound {
            return self.allocate_whole(entry, params, buffer);
        }
        // Beside explicit bindings slangc gives the others theirs one by one, and the buffer none.
        let buffer_last = whole && bound;
        if !buffer_last {
            to.buffer = buffer.clone().map(|layout| self.place_entry_buffer(layout, entry));
        }
        for (index, mut pending) in params {
            self.allocate(&mut pending);
            to.params.push((index, pending.place, pending.layout));
        }
        if buffer_last {
            to.buffer = buffer.map(|layout| self.place_entry_buffer(layout, entry));
        }
        to
    }

    /// The same as if they were the fields of one struct: its buffer, then range after range.
    fn allocate_whole(
        &mut self,
        entry: usize,
        params: Vec<(usize, Pending<'a>)>,
        buffer: Option<TypeLayout>,
    ) -> EntryLayout {
        let apart = self.unit_apart(entry);
        let own = match &buffer {
            Some(layout) if self.needs_binding(layout) => Counts::one(self.buffer_unit(), 1),
            Some(_) => Counts::one(apart, 1),
            None => Counts::NONE,
        };
        let none = Explicit::default();
        let mut layout = StructBuilder::new(self.settings.rules.constant).finish(TypeId::VOID);
        layout.counts = params.iter().fold(own, |sum, (_, p)| sum.plus(&p.layout.counts));
        let owner = ("entry point uniforms".into(), Owner::EntryScope(entry));
        let span = self.program.entry_points.get(entry).map(|e| self.program.functions[e.function].span);
        let mut whole = pending(owner, span.unwrap_or_default(), &none, layout, Position::default());
        self.allocate(&mut whole);
        if !self.settings.policy.shifts.everywhere && self.settings.shift != Shift::NONE {
            self.shift_back(&mut whole);
        }
        let mut next = whole.place;
        let buffer = buffer.map(|layout| ScopeBuffer {
            binding: self.needs_binding(&layout).then(|| binding(&next, self.buffer_unit())),
            apart: (apart, next.offset.get(apart)),
            kept: false,
            layout,
        });
        let mut to = EntryLayout { params: Vec::new(), buffer };
        next.offset = next.offset.plus(&own);
        for (index, pending) in params {
            let mut place = next;
            place.offset.set(Unit::Bytes, pending.place.offset.get(Unit::Bytes));
            next.offset.add_slots(&pending.layout.counts);
            to.params.push((index, place, pending.layout));
        }
        to
    }

    /// Takes away what the ranges of its classes have added to the numbers of a parameter. The numbers of others go on from
    /// what it has been given there.
    fn shift_back(&mut self, pending: &mut Pending) {
        self.met_before.clear();
        let mut parts = Vec::new();
        for unit in Unit::SLOTS {
            let (count, (key, base)) = (pending.layout.counts.get(unit), self.numbering(unit));
            if count == 0 {
                continue;
            }
            let space = pending.place.space.get(unit);
            let (taken, counted) = (self.taken.entry((space, key)), self.counted.entry((space, key)));
            let (taken, counted) = (taken.or_default(), counted.or_default());
            taken.take(pending.id).into_iter().for_each(|range| counted.push(range));
            let start = pending.place.offset.get(unit).saturating_sub(base);
            pending.place.offset.set(unit, start);
            for placed in self.trace.iter_mut().filter(|p| p.owner == pending.id && p.unit == unit) {
                (placed.start, placed.end) = (start, start.saturating_add(count));
            }
            parts.push(self.range(pending, unit, space, (start, count), How::FirstFit));
        }
        self.tell_parts(pending, &parts);
        parts.iter().for_each(|part| self.tell_met(part));
        parts.into_iter().for_each(|part| self.share(part));
    }

    /// The numbers in which slots of a unit are counted, and where its own begin among them: on Vulkan and WebGPU all are
    /// bindings.
    fn numbering(&self, unit: Unit) -> (Unit, u64) {
        match self.settings.api.facts().classes {
            true => (unit, 0),
            false => (Unit::Descriptor, self.settings.base(unit)),
        }
    }

    /// The unit of implicit constant buffers.
    fn buffer_unit(&self) -> Unit {
        if self.settings.by_class(Unit::ConstantBuffer) { Unit::ConstantBuffer } else { Unit::Descriptor }
    }

    fn needs_binding(&self, buffer: &TypeLayout) -> bool {
        buffer.size() > 0 && !self.settings.api.facts().push_constants
    }

    fn place_buffer(&mut self, name: Symbol, owner: Owner) -> Binding {
        let unit = self.buffer_unit();
        let (start, space) = match self.recorded_position(owner, unit) {
            Some(at) => (at.index, at.space.unwrap_or(0)),
            None => {
                let (start, (key, _)) = (self.first_fit(unit, 1, self.home), self.numbering(unit));
                if start > LAST_SLOT {
                    self.report_exhausted(name, self.place_of(owner), unit, self.home);
                }
                self.take(self.range_of((name, owner), key, self.home, (start, 1), self.how_implicit()));
                (start, self.home)
            }
        };
        let mut place = Position::at(Counts::one(unit, start));
        place.space.set(unit, space);
        binding(&place, unit)
    }

    /// Where the source has the first of what a buffer holds.
    fn place_of(&self, owner: Owner) -> Span {
        let program = self.program;
        let is_data =
            |id: &&GlobalId| !program.types.get(program.types.innermost(program.globals[**id].ty)).is_resource();
        let span = match owner {
            Owner::EntryBuffer(entry) => program.entry_points.get(entry).map(|e| program.functions[e.function].span),
            Owner::Globals => program.parameters.iter().find(is_data).map(|id| program.globals[*id].span),
            _ => None,
        };
        span.unwrap_or_default()
    }

    fn place_entry_buffer(&mut self, layout: TypeLayout, entry: usize) -> ScopeBuffer {
        let (name, owner) = ("entry point uniforms".into(), Owner::EntryBuffer(entry));
        let binding = self.needs_binding(&layout).then(|| self.place_buffer(name, owner));
        let apart = self.unit_apart(entry);
        let number = match self.recorded_position(owner, apart) {
            Some(at) if binding.is_none() => at.index,
            _ if binding.is_none() => {
                let start = self.free_number(apart, 1);
                let how = self.how_implicit();
                self.trace.push(self.range_of((name, owner), apart, 0, (start, 1), how));
                start
            }
            _ => 0,
        };
        let rules = self.settings.entry_rules();
        let kept = self.keeps_bytes(&layout, rules);
        ScopeBuffer { binding, apart: (apart, number), kept, layout }
    }

    /// What the plain uniform parameters of an entry point are where they have no binding. Each record of the shader binding table
    /// has its own, so that two materials of one scene may differ.
    fn unit_apart(&self, entry: usize) -> Unit {
        let traced = self.program.entry_points.get(entry).is_some_and(|e| e.stage.is_of_rays());
        if traced && self.settings.api == Api::Vulkan { Unit::ShaderRecord } else { Unit::PushConstant }
    }
}

fn pending(
    owner: (Symbol, Owner),
    span: Span,
    explicit: &Explicit,
    layout: TypeLayout,
    place: Position,
) -> Pending<'_> {
    let (name, id) = owner;
    Pending { name, id, span, explicit, layout, place, fixed: Vec::new(), space_only: None, class_spaces: Vec::new() }
}

/// Whether anything of it lies in the default space unless placed explicitly. An array of resources without bound keeps that
/// space from being given away, though its elements lie in another one (slangc; structs with such arrays do not).
fn needs_default_space(pending: &Pending) -> bool {
    let implicit =
        |u: Unit| u != Unit::LateDescriptor && pending.layout.counts.get(u) > 0 && !pending.fixed.contains(&u);
    let unbounded = !pending.layout.unbounded_classes().is_empty() && implicit(Unit::Space);
    pending.space_only.is_none() && (unbounded || Unit::SLOTS.into_iter().any(implicit))
}

/// Turns a constant buffer's layout into that of a push constant: no binding, resources in it leak (rule `layout-needs`).
fn put_apart(layout: &mut TypeLayout, unit: Unit) {
    if let Detail::Block { container, element, .. } = &mut layout.detail {
        *container = Counts::one(unit, 1);
        for slot in Unit::SLOTS {
            element.offset.set(slot, 0);
        }
        let mut counts = element.layout.counts;
        counts.set(Unit::Bytes, 0);
        counts.set(unit, 1);
        layout.counts = counts;
    }
}

fn range_text(range: &Placement) -> String {
    let Placement { numbers, space, start, end, .. } = *range;
    if numbers == Unit::Specialization {
        return format!("constant id {start}");
    }
    let class = numbers.class().map_or("binding ".to_owned(), String::from);
    let place = if numbers.class().is_some() { "space" } else { "set" };
    let last = end.saturating_sub(1);
    match (end == UNBOUNDED, last == start) {
        (true, _) => format!("{class}{start} and all above it in {place} {space}"),
        (_, true) => format!("{class}{start} in {place} {space}"),
        _ => format!("{class}{start} to {class}{last} in {place} {space}"),
    }
}
