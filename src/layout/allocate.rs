//! Phases 2 to 4: needs of each parameter, explicit positions, first fit for the rest
//! (seed 000 "Processing Explicit Binding Modifiers", "Allocating Bindings to Parameters").

mod locked;
mod overlap;
mod ranges;

use super::lock::{self, Owner};
use super::order::{Scope, order, sort_by_class};
use super::rules::Rules;
use super::trace::{How, Placement};
use super::types::{Detail, Layouter, StructBuilder, TypeLayout};
use super::usage::{UNBOUNDED, Unit, Usage};
use super::{
    Api, EntryLayout, Overlap, ParameterLayout, Place, ProgramLayout, ScopeBuffer, Settings, Shift, binding,
    offset_of_global,
};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::*;
use overlap::Inside;
use ranges::{Numbers, Ranges};
use std::collections::{BTreeMap, BTreeSet};

/// The last register or binding number that any API takes.
const LAST_SLOT: u64 = u32::MAX as u64;

/// A range of slots that is taken.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: u64,
    /// One past the last; `UNBOUNDED` to the end of the space.
    end: u64,
    owner: Symbol,
    id: Owner,
    span: Span,
    how: How,
}

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
    /// Numbers of push constants, input attachments and specialization constants that are given.
    numbers: BTreeMap<Unit, Numbers>,
    /// Parameters that have a place: all, unless the policy drops what no entry point reaches.
    reached: Option<BTreeSet<GlobalId>>,
    /// Those that have none, as far as their explicit positions are kept.
    dropped: Vec<Pending<'a>>,
    trace: Vec<Placement>,
    /// What a lock says.
    lock: Option<locked::Locked<'a>>,
    /// The space of what asks for none.
    home: u64,
}

/// The uniform parameters of an entry point by index, and their implicit buffer.
type EntryScope<'a> = (Vec<(usize, Pending<'a>)>, Option<TypeLayout>);

/// A parameter on its way.
struct Pending<'a> {
    name: Symbol,
    id: Owner,
    span: Span,
    explicit: &'a Explicit,
    layout: TypeLayout,
    place: Place,
    /// Units that have their explicit place.
    fixed: Vec<Unit>,
    /// Space asked for without a number: `register(space1)`.
    space_only: Option<u64>,
}

impl<'a> Allocator<'a> {
    /// For one program.
    pub fn new(
        program: &'a Program,
        settings: Settings,
        lock: Option<lock::View<'a>>,
        diags: &'a mut Diagnostics,
    ) -> Self {
        // Texts of other APIs need a place for all that they mention.
        let reach = || match settings.api {
            Api::D3d => super::reach::reached(program),
            Api::Vulkan | Api::WebGpu => program.reachable_globals().into_iter().flatten().collect(),
        };
        let reached = settings.policy.drop_unused.then(reach);
        Allocator {
            program,
            settings,
            diags,
            taken: BTreeMap::new(),
            shared: BTreeMap::new(),
            counted: BTreeMap::new(),
            spaces: Numbers::default(),
            overlaps: Vec::new(),
            numbers: BTreeMap::new(),
            reached,
            dropped: Vec::new(),
            trace: Vec::new(),
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
        // `$Globals` comes before every implicit parameter (FACTS 10).
        let globals_buffer = buffer.map(|layout| {
            let binding = match self.settings.globals_binding {
                Some((index, space)) => Binding { class: self.buffer_unit().class(), index, space },
                None => self.place_buffer("$Globals".into(), Owner::Globals),
            };
            let kept = self.keeps_bytes(&layout, self.settings.constant_rules);
            ScopeBuffer { binding: Some(binding), push: 0, kept, layout }
        });
        if self.settings.policy.by_class {
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
        let parameters = globals.into_iter();
        let parameters =
            parameters.map(|(global, p)| ParameterLayout { global, place: p.place, layout: p.layout }).collect();
        let mut layout = ProgramLayout {
            settings: self.settings,
            parameters,
            globals: globals_buffer,
            entry_points: entry_layouts,
            overlaps: self.overlaps,
            trace: self.trace,
            records: None,
        };
        if let Some(lock) = self.lock {
            let records = lock.records(&layout);
            lock.report_changes(&records, self.diags);
            layout.records = Some(records);
        }
        layout
    }

    /// Phase 3: what the source, the options and the API keep from being given away.
    fn reserve_all(&mut self, globals: &mut [(GlobalId, Pending)], entries: &mut [EntryScope], has_buffer: bool) {
        for (_, pending) in globals {
            self.reserve(pending);
        }
        let dropped = std::mem::take(&mut self.dropped);
        if self.settings.policy.reserve_unused {
            dropped.into_iter().for_each(|mut pending| self.reserve(&mut pending));
        }
        // Where a scope of uniforms is placed as one, explicit positions in it are not heard.
        if !self.settings.policy.entry_scopes_whole {
            for (_, pending) in entries.iter_mut().flat_map(|(params, _)| params) {
                self.reserve(pending);
            }
        }
        if let Some(place) = self.settings.globals_binding {
            self.claim_globals(place, has_buffer);
        }
        if self.settings.targets_claim_registers {
            for (index, count) in super::varyings::targets(self.program) {
                let owner = ("a render target".into(), Owner::Nobody);
                self.take(Unit::UnorderedAccess, 0, (index.into(), count.into()), owner, How::Api);
            }
        }
    }

    /// Takes slots that belong to no parameter.
    fn take(&mut self, key: Unit, space: u64, at: (u64, u64), (owner, id): (Symbol, Owner), how: How) {
        let (start, count) = at;
        let range = Range { start, end: start.saturating_add(count), owner, id, span: Span::default(), how };
        self.push(key, key, space, range);
    }

    /// Notes that a range is taken.
    fn push(&mut self, unit: Unit, key: Unit, space: u64, range: Range) {
        self.note(unit, key, space, &range);
        self.taken.entry((space, key)).or_default().push(range);
    }

    fn note(&mut self, unit: Unit, numbers: Unit, space: u64, range: &Range) {
        let Range { start, end, owner, id, span, how } = *range;
        self.trace.push(Placement { owner: id, name: owner, unit, numbers, space, start, end, span, how });
    }

    /// Places the uniform parameters of an entry point.
    fn allocate_entry(&mut self, entry: usize, (params, buffer): EntryScope<'a>) -> EntryLayout {
        let mut to = EntryLayout::default();
        if self.settings.policy.entry_scopes_whole && !self.is_entry_recorded(entry, &params) {
            return self.allocate_whole(entry, params, buffer);
        }
        to.buffer = buffer.map(|layout| self.place_entry_buffer(layout, entry));
        for (index, mut pending) in params {
            self.allocate(&mut pending);
            to.params.push((index, pending.place, pending.layout));
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
        let own = match &buffer {
            Some(layout) if self.needs_binding(layout) => Usage::one(self.buffer_unit(), 1),
            Some(_) => Usage::one(Unit::PushConstant, 1),
            None => Usage::NONE,
        };
        let none = Explicit::default();
        let mut layout = StructBuilder::new(self.settings.constant_rules).finish(TypeId::VOID);
        layout.usage = params.iter().fold(own, |sum, (_, p)| sum.plus(&p.layout.usage));
        let owner = ("entry point uniforms".into(), Owner::EntryScope(entry));
        let span = self.program.entry_points.get(entry).map(|e| self.program.functions[e.function].span);
        let mut whole = pending(owner, span.unwrap_or_default(), &none, layout, Place::default());
        self.allocate(&mut whole);
        if !self.settings.policy.shifts_everywhere && self.settings.shift != Shift::NONE {
            self.shift_back(&mut whole);
        }
        let mut next = whole.place;
        let buffer = buffer.map(|layout| ScopeBuffer {
            binding: self.needs_binding(&layout).then(|| binding(&next, self.buffer_unit())),
            push: next.offset.get(Unit::PushConstant),
            kept: false,
            layout,
        });
        let mut to = EntryLayout { params: Vec::new(), buffer };
        next.offset = next.offset.plus(&own);
        for (index, pending) in params {
            let mut place = next;
            place.offset.set(Unit::Bytes, pending.place.offset.get(Unit::Bytes));
            next.offset.add_slots(&pending.layout.usage);
            to.params.push((index, place, pending.layout));
        }
        to
    }

    /// Takes away what the ranges of its classes have added to the numbers of a parameter. The numbers of others go on from
    /// what it has been given there.
    fn shift_back(&mut self, pending: &mut Pending) {
        let mut parts = Vec::new();
        for unit in Unit::SLOTS {
            let (count, (key, base)) = (pending.layout.usage.get(unit), self.numbering(unit));
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
            parts.push(Inside { space, unit, start, count });
        }
        self.tell_parts(pending, &parts);
        for part in &parts {
            self.tell_met(part.unit, part.space, &pending.range(part.start, part.count, How::FirstFit));
        }
        for Inside { space, unit, start, count } in parts {
            let (key, _) = self.numbering(unit);
            let range = pending.range(start, count, How::FirstFit);
            self.shared.entry((space, key)).or_default().push(range);
        }
    }

    /// Phase 2 for globals: layouts, and the implicit buffer of plain data.
    fn measure_globals(&mut self, scopes: &[Scope]) -> (Vec<(GlobalId, Pending<'a>)>, Option<TypeLayout>) {
        let mut list = Vec::new();
        let keeps_data = self.reached.as_ref().is_some_and(|reached| self.holds_plain_data(reached));
        for scope in scopes {
            let Scope::Global(id) = *scope else { continue };
            let global = &self.program.globals[id];
            let owner = (global.name, Owner::Global(id));
            let layout = self.measure(global, owner.1);
            let pending = pending(owner, global.span, &global.explicit, layout, Place::default());
            match self.is_dropped(id, &pending.layout, keeps_data) {
                true => self.dropped.push(pending),
                false => list.push((id, pending)),
            }
        }
        self.check_names(&list);
        let layouter = Layouter { program: self.program, settings: &self.settings };
        layouter.part_least_precision(list.iter_mut().map(|(_, p)| &mut p.layout), self.settings.constant_rules);
        let mut buffer = StructBuilder::new(self.settings.constant_rules);
        let asked = |p: &Pending| {
            let explicit = offset_of_global(&self.settings, p.explicit).map(|(at, _)| at);
            self.recorded_bytes(p.id).or(explicit)
        };
        self.reserve_bytes(&mut buffer, Owner::Globals);
        list.iter().for_each(|(_, p)| buffer.reserve(asked(p), p.layout.size()));
        for (_, pending) in &mut list {
            let offset = buffer.append(pending.layout.clone(), asked(pending));
            pending.place.offset.set(Unit::Bytes, offset.get(Unit::Bytes));
        }
        let buffer = self.trim(buffer.finish(TypeId::VOID), self.settings.constant_rules);
        let has_data = buffer.size() > 0;
        (list, has_data.then_some(buffer))
    }

    /// Where the policy has it so, constant buffers of one unit have names of their own, and no plain global a register.
    fn check_names(&mut self, list: &[(GlobalId, Pending)]) {
        let policy = &self.settings.policy;
        let mut seen: BTreeMap<(u32, &str), Span> = BTreeMap::new();
        for (id, pending) in list {
            let global = &self.program.globals[*id];
            if let Some((_, span)) = pending.explicit.constant_register().filter(|_| !policy.registers_of_globals) {
                let message = format!("`{}` takes no register of its own", pending.name);
                self.diags.push(Diagnostic::error(Code::BAD_REGISTER, span, message));
            }
            let first = seen.insert((global.unit, global.name.as_str()), global.span);
            if let Some(first) = first.filter(|_| global.transparent && !policy.buffers_share_names) {
                let message = format!("there are two constant buffers named `{}`", global.name);
                let diagnostic = Diagnostic::error(Code::REDECLARED, global.span, message);
                self.diags.push(diagnostic.label(first, "the other one"));
            }
        }
    }

    /// Whether any of these has data in the buffer of plain globals.
    fn holds_plain_data(&self, globals: &BTreeSet<GlobalId>) -> bool {
        globals.iter().any(|g| {
            let Global { ty, kind, .. } = self.program.globals[*g];
            kind == GlobalKind::Parameter
                && self.program.holds_data(ty)
                && !self.program.types.get(self.program.types.innermost(ty)).is_resource()
        })
    }

    /// Whether a parameter has no place because no entry point reaches it. Plain globals are one buffer: it stays while one
    /// of them is reached.
    fn is_dropped(&self, id: GlobalId, layout: &TypeLayout, keeps_data: bool) -> bool {
        let Some(reached) = &self.reached else { return false };
        let in_buffer = layout.size() > 0 && keeps_data;
        let parameter = self.program.globals[id].kind == GlobalKind::Parameter;
        parameter && !reached.contains(&id) && !in_buffer
    }

    /// Whether a buffer that WebGPU has for push constants comes behind all others. A lock keeps what it records as it is.
    fn puts_last(&self, owner: Owner) -> bool {
        let recorded = self.lock.as_ref().and_then(|lock| lock.puts_last(owner));
        self.settings.api == Api::WebGpu && recorded.unwrap_or(self.settings.policy.extras_last)
    }

    fn measure(&self, global: &Global, owner: Owner) -> TypeLayout {
        let layouter = Layouter { program: self.program, settings: &self.settings };
        let order = global.matrix_order.unwrap_or(self.program.default_matrix_order);
        let push = global.modifiers.has(Modifiers::PUSH_CONSTANT) && self.settings.api == Api::Vulkan;
        if push {
            let settings = Settings { constant_rules: self.settings.push_rules, ..self.settings };
            let mut layout = Layouter { program: self.program, settings: &settings }.layout(
                global.ty,
                self.settings.constant_rules,
                order,
            );
            make_push_constant(&mut layout);
            return layout;
        }
        if global.modifiers.has(Modifiers::PUSH_CONSTANT) && self.puts_last(owner) {
            let mut layout = layouter.layout(global.ty, self.settings.constant_rules, order);
            layout.put_buffer_last();
            return layout;
        }
        if global.kind == GlobalKind::Specialization {
            let mut layout = layouter.layout(global.ty, self.settings.constant_rules, order);
            // D3D has none: what the policy has not made a plain global is a constant of the text.
            let d3d = self.settings.api == Api::D3d;
            layout.usage = if d3d { Usage::NONE } else { Usage::one(Unit::Specialization, 1) };
            return layout;
        }
        layouter.layout(global.ty, self.settings.constant_rules, order)
    }

    /// Phase 2 for the uniform parameters of an entry point.
    fn measure_entry(&self, index: usize) -> (Vec<(usize, Pending<'a>)>, Option<TypeLayout>) {
        let Some(entry) = self.program.entry_points.get(index) else { return (Vec::new(), None) };
        let function = &self.program.functions[entry.function];
        let rules = self.settings.entry_rules();
        let layouter = Layouter { program: self.program, settings: &self.settings };
        let mut list = Vec::new();
        for (i, param) in function.params.iter().enumerate() {
            let local = &function.code.locals[param.local];
            if is_uniform(self.program, param, local.ty) {
                let layout =
                    layouter.layout(local.ty, rules, param.matrix_order.unwrap_or(self.program.default_matrix_order));
                let owner = (local.name, Owner::Param(index, i));
                list.push((i, pending(owner, local.span, &param.explicit, layout, Place::default())));
            }
        }
        // slangc rounds the size of these push constants alone, whatever the rules.
        let rounds = self.settings.api == Api::Vulkan && self.settings.policy.entry_push_rounded;
        let rules = &Rules { round_struct_size: rounds || rules.round_struct_size, ..*rules };
        let mut buffer = StructBuilder::new(rules);
        self.reserve_bytes(&mut buffer, Owner::EntryBuffer(index));
        list.iter().for_each(|(_, p)| buffer.reserve(self.recorded_bytes(p.id), p.layout.size()));
        for (_, pending) in &mut list {
            let offset = buffer.append(pending.layout.clone(), self.recorded_bytes(pending.id));
            pending.place.offset.set(Unit::Bytes, offset.get(Unit::Bytes));
        }
        let buffer = self.trim(buffer.finish(TypeId::VOID), rules);
        let has_data = buffer.size() > 0;
        (list, has_data.then_some(buffer))
    }

    /// Explicit positions of one parameter.
    fn reserve(&mut self, pending: &mut Pending) {
        let unbounded = matches!(pending.layout.detail, Detail::Array { count: None, .. });
        let blocks = pending.layout.usage.get(Unit::Space) > 0 && !needs_default_space(pending) && !unbounded;
        self.reserve_number(pending);
        if self.settings.api == Api::D3d {
            for register in &pending.explicit.registers {
                self.reserve_register(pending, register, blocks);
            }
            return;
        }
        let registers = self.heard_registers(pending.explicit);
        let spaces_alone = self.settings.policy.space_only_registers;
        let set = pending.explicit.vk_set.filter(|_| pending.explicit.vk_binding.is_none());
        if let Some((set, _)) = set.filter(|_| spaces_alone && !blocks) {
            pending.space_only = Some(set.into());
            self.spaces.insert(set.into());
        }
        let set = set.filter(|_| !spaces_alone || blocks).map(|(set, span)| (0, set, span));
        let heard = pending.explicit.vk_binding.or(set).filter(|_| self.hears_binding(pending));
        if heard.is_none() && !blocks {
            let shifted: Vec<&ExplicitRegister> = registers.iter().filter(|r| self.is_shifted(r)).collect();
            shifted.into_iter().for_each(|register| self.reserve_register(pending, register, false));
        }
        let only_spaces = blocks && self.settings.policy.blocks_take_spaces_only;
        if only_spaces && heard.is_none() {
            return self.keep_unheard_register(pending);
        }
        if !blocks {
            pending.explicit.registers.iter().for_each(|r| self.check_space_alone(r));
        }
        let fallback = registers.iter().find(|r| !self.is_shifted(r));
        let fallback = fallback.filter(|_| self.settings.policy.registers_as_bindings);
        let fallback = fallback.map(|r| (r.index, r.space.unwrap_or(0), r.span));
        let Some((index, space, span)) = heard.or(fallback) else { return };
        if blocks {
            if heard.is_some() && index > 0 {
                let message =
                    format!("`{}` has a group of its own, in which its bindings are counted from 0", pending.name);
                let note = format!("`[[vk::binding(0, {space})]]` asks for the group alone");
                self.diags.push(Diagnostic::error(Code::BAD_REGISTER, span, message).note(note));
            }
            self.fix_space(pending, space.into(), span);
        } else if heard.is_some() {
            self.fix_bindings(pending, index.into(), space.into(), span);
        } else if pending.layout.usage.get(Unit::Descriptor) > 0 {
            self.part_bindings(pending);
            let all = pending.layout.usage.get(Unit::Descriptor);
            let count = if self.settings.policy.register_keeps_one_binding { 1 } else { all };
            self.fix_range(pending, Unit::Descriptor, (index.into(), count), space.into(), span);
            if count < all {
                let (start, rest) = (u64::from(index) + count, all - count);
                self.check_end(pending, Unit::Descriptor, (start, rest), span);
                let range = Range { span, ..pending.range(start, rest, How::Explicit) };
                self.claim_shared(Unit::Descriptor, space.into(), range);
            }
        } else if pending.layout.usage.get(Unit::LateDescriptor) > 0 {
            self.fix(pending, Unit::LateDescriptor, index.into(), space.into(), span);
        }
    }

    /// A register of a block that is not placed by it: nothing else implicit goes where it points.
    fn keep_unheard_register(&mut self, pending: &Pending) {
        let first = self.heard_registers(pending.explicit).first().filter(|r| r.class.is_some());
        if let Some(register) = first.filter(|_| self.settings.policy.registers_as_bindings) {
            let space = u64::from(register.space.unwrap_or(0));
            let owner = (pending.name, pending.id);
            self.spaces.insert(space);
            self.take(Unit::Descriptor, space, (register.index.into(), 1), owner, How::Explicit);
        }
    }

    /// The registers that may place something on Vulkan and WebGPU.
    fn heard_registers<'e>(&self, explicit: &'e Explicit) -> &'e [ExplicitRegister] {
        let all = explicit.registers.as_slice();
        match self.settings.policy.shift_hides_registers && self.settings.shift != Shift::NONE {
            true => all.get(..1).filter(|first| first.iter().all(|r| self.is_shifted(r))).unwrap_or_default(),
            false => all,
        }
    }

    /// Whether a register names a place in a range that `--shift` gives its class.
    fn is_shifted(&self, register: &ExplicitRegister) -> bool {
        let unit = register.class.and_then(Unit::of_class);
        unit.is_some_and(|unit| self.settings.shift.get(unit).is_some())
    }

    /// Whether an explicit binding is heard: for what lies in shifted ranges only where the policy says so.
    fn hears_binding(&self, pending: &Pending) -> bool {
        let shifted = Unit::SLOTS.into_iter().any(|u| u.class().is_some() && pending.layout.usage.get(u) > 0);
        !(shifted && self.settings.policy.shift_hides_bindings)
    }

    /// An explicit binding: all of a parameter from there on.
    fn fix_bindings(&mut self, pending: &mut Pending, index: u64, space: u64, span: Span) {
        self.part_bindings(pending);
        let mut next = index;
        for unit in Unit::SLOTS {
            let count = pending.layout.usage.get(unit);
            // What comes last does so unless it is all that there is.
            let apart = unit == Unit::FurtherDescriptor || unit == Unit::LateDescriptor && next > index;
            if count > 0 && !apart {
                let (_, base) = self.numbering(unit);
                self.fix_range(pending, unit, (next.wrapping_sub(base), count), space, span);
                next = next.saturating_add(count);
            }
        }
    }

    /// The numbers in which slots of a unit are counted, and where its own begin among them: on Vulkan and WebGPU all are
    /// bindings.
    fn numbering(&self, unit: Unit) -> (Unit, u64) {
        match self.settings.api {
            Api::D3d => (unit, 0),
            Api::Vulkan | Api::WebGpu => (Unit::Descriptor, self.settings.base(unit)),
        }
    }

    /// The unit of implicit constant buffers.
    fn buffer_unit(&self) -> Unit {
        if self.settings.by_class(Unit::ConstantBuffer) { Unit::ConstantBuffer } else { Unit::Descriptor }
    }

    /// `[[vk::binding(n)]]` is one number, meant for Vulkan, where a combined sampler and an array of resources take one. Where
    /// they take several, the further ones are the first free range of the group.
    fn part_bindings(&self, pending: &mut Pending) {
        let leaf = pending.layout.innermost();
        let array = matches!(pending.layout.detail, Detail::Array { .. });
        let one = match &leaf.detail {
            Detail::Resource { .. } => array || self.is_pair(leaf.ty),
            Detail::Block { element, .. } => array && !element.layout.usage.has_slots(),
            _ => false,
        };
        if self.settings.api == Api::WebGpu && one && self.settings.policy.parts_bindings {
            pending.layout.part_bindings();
        }
    }

    fn is_pair(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Texture(t) if t.combined)
    }

    /// Push constants, input attachments and specialization constants are numbered each by itself: explicit numbers are
    /// kept, the others are the lowest free.
    fn reserve_number(&mut self, pending: &mut Pending) {
        let explicit = pending.explicit;
        let asked = [
            (Unit::InputAttachment, explicit.input_attachment_index),
            (Unit::Specialization, explicit.constant_id.flatten()),
        ];
        for (unit, number) in asked {
            let Some(number) = number.filter(|_| pending.layout.usage.get(unit) > 0) else { continue };
            let count = pending.layout.usage.get(unit).min(LAST_SLOT);
            self.fix_number(pending, unit, (number.into(), count), How::Explicit);
        }
    }

    fn fix_number(&mut self, pending: &mut Pending, unit: Unit, (start, count): (u64, u64), how: How) {
        pending.place.offset.set(unit, start);
        pending.fixed.push(unit);
        let range = pending.range(start, count, how);
        self.claim_number(unit, range);
        self.numbers.entry(unit).or_default().add(range.start, range.end);
    }

    fn allocate_numbers(&mut self, pending: &mut Pending) {
        for unit in [Unit::PushConstant, Unit::InputAttachment, Unit::Specialization] {
            let count = pending.layout.usage.get(unit);
            if count > 0 && !pending.fixed.contains(&unit) {
                let start = self.free_number(unit, count);
                pending.place.offset.set(unit, start);
                let range = pending.range(start, count, self.how_implicit());
                self.note(unit, unit, 0, &range);
            }
        }
    }

    /// The lowest start of `count` numbers that are not given yet.
    fn free_number(&mut self, unit: Unit, count: u64) -> u64 {
        let from = self.floor(unit, 0);
        let given = self.numbers.entry(unit).or_default();
        let start = Numbers::first_free(&[given], from, count);
        given.add(start, start.saturating_add(count));
        start
    }

    /// Reports a space without a register where the policy wants both.
    fn check_space_alone(&mut self, register: &ExplicitRegister) {
        if register.class.is_none() && !self.settings.policy.space_only_registers {
            let message = "a register space is not taken without a register here";
            let note = "`slangc` refuses it; the other binding policies give the first free register of the space";
            self.diags.push(Diagnostic::error(Code::BAD_REGISTER, register.span, message).note(note));
        }
    }

    fn reserve_register(&mut self, pending: &mut Pending, register: &ExplicitRegister, blocks: bool) {
        let space = u64::from(register.space.unwrap_or(0));
        let is_block = matches!(self.program.types.get(pending.layout.ty), Type::ParameterBlock(_));
        let only_spaces = self.settings.policy.blocks_take_spaces_only;
        if blocks {
            if register.class.is_some() && only_spaces {
                // It places nothing, but no other block goes there.
                self.spaces.insert(space);
            } else if register.space.is_some() {
                self.fix_space(pending, space, register.span);
            }
            return;
        }
        // Without spaces of their own, blocks have no use for one.
        if is_block && register.class.is_none() && only_spaces {
            return;
        }
        let Some(class) = register.class else {
            self.check_space_alone(register);
            pending.space_only = Some(space);
            self.spaces.insert(space);
            return;
        };
        match Unit::of_class(class) {
            Some(unit) if pending.layout.usage.get(unit) > 0 => {
                self.fix(pending, unit, u64::from(register.index), space, register.span);
            }
            // `register(c0)` on plain data is a byte offset in `$Globals` for DXC; no slot is meant.
            None if class == 'c' => {}
            // An unbounded array takes spaces rather than registers; its explicit register names them.
            Some(unit) if pending.layout.usage.get(Unit::Space) > 0 => {
                self.fix(pending, unit, u64::from(register.index), space, register.span);
            }
            _ if self.settings.policy.ignores_unfit_registers => {}
            _ => {
                let message = format!("register class `{class}` does not suit the type of `{}`", pending.name);
                let fits: Vec<String> = Unit::SLOTS
                    .into_iter()
                    .filter(|u| pending.layout.usage.get(*u) > 0)
                    .filter_map(|u| u.class().map(|c| format!("`{c}`")))
                    .collect();
                let note = match fits.is_empty() {
                    true => "this type takes no register of its own".to_owned(),
                    false => format!("it takes {}", fits.join(" and ")),
                };
                self.diags.push(Diagnostic::error(Code::BAD_REGISTER, register.span, message).note(note));
            }
        }
    }

    fn fix_space(&mut self, pending: &mut Pending, space: u64, span: Span) {
        let count = pending.layout.usage.get(Unit::Space);
        self.check_end(pending, Unit::Space, (space, count), span);
        self.claim_inside(pending, space, span);
        self.keep_spaces(pending, space, How::Explicit);
    }

    fn keep_spaces(&mut self, pending: &mut Pending, space: u64, how: How) {
        pending.place.offset.set(Unit::Space, space);
        pending.fixed.push(Unit::Space);
        let count = pending.layout.usage.get(Unit::Space);
        let one = how == How::Explicit && self.settings.policy.explicit_block_keeps_one_space;
        self.spaces.add(space, space.saturating_add(if one { count.min(1) } else { count }));
        let range = pending.range(space, count, how);
        self.note(Unit::Space, Unit::Space, 0, &range);
    }

    fn fix(&mut self, pending: &mut Pending, unit: Unit, index: u64, space: u64, span: Span) {
        let count = match pending.layout.usage.get(unit) {
            0 => UNBOUNDED,
            n => n,
        };
        self.fix_range(pending, unit, (index, count), space, span);
    }

    /// Takes `count` slots from `index` on.
    fn fix_range(&mut self, pending: &mut Pending, unit: Unit, (index, count): (u64, u64), space: u64, span: Span) {
        let (_, base) = self.numbering(unit);
        let index = index.wrapping_add(base);
        let range = Range { span, ..pending.range(index, count, How::Explicit) };
        self.check_end(pending, unit, (index, count), span);
        self.claim(unit, space, range);
        self.spaces.insert(space);
        pending.place.offset.set(unit, index);
        pending.place.space.set(unit, space);
        pending.fixed.push(unit);
        if count == UNBOUNDED {
            self.fix_unbounded(pending, space, span);
        }
    }

    /// The spaces of an array without bound.
    fn fix_unbounded(&mut self, pending: &mut Pending, space: u64, span: Span) {
        let spaces = pending.layout.usage.get(Unit::Space);
        if pending.fixed.contains(&Unit::Space) && pending.place.offset.get(Unit::Space) != space {
            let message = format!("the registers of `{}` name different spaces", pending.name);
            let note = "each part of an array without bound has a space, one after another from the one that is named";
            self.diags.push(Diagnostic::error(Code::BAD_REGISTER, span, message).note(note));
        } else if spaces > 0 {
            self.check_end(pending, Unit::Space, (space, spaces), span);
            self.keep_spaces(pending, space, How::Explicit);
        } else {
            pending.place.offset.set(Unit::Space, space);
            pending.fixed.push(Unit::Space);
        }
    }

    /// Phase 4: first fit.
    fn allocate(&mut self, pending: &mut Pending) {
        self.allocate_numbers(pending);
        let space = pending.space_only.unwrap_or(self.home);
        for unit in Unit::SLOTS.into_iter().filter(|u| *u != Unit::LateDescriptor) {
            let count = pending.layout.usage.get(unit);
            if count == 0 || pending.fixed.contains(&unit) {
                continue;
            }
            let parted = unit == Unit::FurtherDescriptor;
            let space = if parted { pending.place.space.get(Unit::Descriptor) } else { space };
            let start = match count {
                UNBOUNDED => self.end_of(unit, space),
                _ => self.first_fit(unit, count, space),
            };
            let end = start.saturating_add(count);
            if start > LAST_SLOT || (end > LAST_SLOT + 1 && count != UNBOUNDED) {
                self.report_exhausted(pending, unit, space);
                continue;
            }
            let how = if count == UNBOUNDED { How::Rest } else { self.how_implicit() };
            self.claim(unit, space, pending.range(start, count, how));
            pending.place.offset.set(unit, start);
            pending.place.space.set(unit, space);
        }
        let spaces = pending.layout.usage.get(Unit::Space);
        if spaces > 0 && !pending.fixed.contains(&Unit::Space) {
            let start = self.free_spaces(spaces);
            pending.place.offset.set(Unit::Space, start);
            self.tell_inside(pending, start);
            let range = pending.range(start, spaces, self.how_implicit());
            self.note(Unit::Space, Unit::Space, 0, &range);
        }
    }

    /// What comes behind all others, in the space of what asks for none or, where nothing else is there, in one of its own.
    fn allocate_last(&mut self, globals: &mut [(GlobalId, Pending)], home_is_open: bool) {
        let unit = Unit::LateDescriptor;
        let late = |p: &Pending| p.layout.usage.get(unit) > 0 && !p.fixed.contains(&unit);
        if !globals.iter().any(|(_, p)| late(p)) {
            return;
        }
        let space = if home_is_open { self.home } else { self.free_spaces(1) };
        for (_, pending) in globals.iter_mut().filter(|(_, p)| late(p)) {
            let count = pending.layout.usage.get(unit);
            let start = self.end_of(unit, space);
            if start.saturating_add(count) > LAST_SLOT + 1 {
                self.report_exhausted(pending, unit, space);
                continue;
            }
            self.claim(unit, space, pending.range(start, count, self.how_implicit()));
            pending.place.offset.set(unit, start);
            pending.place.space.set(unit, space);
        }
    }

    /// The lowest start of `count` free slots. What a lock records is not mixed with what is new, as long as there is room.
    fn first_fit(&self, unit: Unit, count: u64, space: u64) -> u64 {
        let (_, base) = self.numbering(unit);
        let start = self.first_fit_from(unit, count, space, base.max(self.floor(unit, space)));
        let fits = start.checked_add(count).is_some_and(|end| end <= LAST_SLOT + 1);
        if fits { start } else { self.first_fit_from(unit, count, space, base) }
    }

    fn first_fit_from(&self, unit: Unit, count: u64, space: u64, start: u64) -> u64 {
        let (key, _) = self.numbering(unit);
        let given = [self.taken.get(&(space, key)), self.counted.get(&(space, key))];
        let given: Vec<&Numbers> = given.into_iter().flatten().map(Ranges::numbers).collect();
        Numbers::first_free(&given, start, count)
    }

    /// One past the last slot that is taken in a space.
    fn end_of(&self, unit: Unit, space: u64) -> u64 {
        let (key, base) = self.numbering(unit);
        self.taken.get(&(space, key)).and_then(|taken| taken.numbers().end()).unwrap_or(base)
    }

    fn free_spaces(&mut self, count: u64) -> u64 {
        let start = Numbers::first_free(&[&self.spaces], self.floor(Unit::Space, 0), count);
        self.spaces.add(start, start.saturating_add(count));
        start
    }

    fn report_exhausted(&mut self, pending: &Pending, unit: Unit, space: u64) {
        let message = format!("no room for `{}`", pending.name);
        let mut diagnostic = Diagnostic::error(Code::BINDING_EXHAUSTED, pending.span, message);
        let (key, _) = self.numbering(unit);
        for range in
            self.taken.get(&(space, key)).into_iter().flat_map(Ranges::iter).filter(|r| r.span != Span::default())
        {
            let text = format!("`{}` takes {}", range.owner, range_text(key, range, space));
            diagnostic = diagnostic.label(range.span, text);
        }
        self.diags.push(diagnostic);
    }

    fn needs_binding(&self, buffer: &TypeLayout) -> bool {
        buffer.size() > 0 && self.settings.api != Api::Vulkan
    }

    fn place_buffer(&mut self, name: Symbol, owner: Owner) -> Binding {
        let unit = self.buffer_unit();
        let mut place = Place::default();
        if let Some(at) = self.recorded_position(owner, unit) {
            place.offset.set(unit, at.index);
            place.space.set(unit, at.space.unwrap_or(0));
            return binding(&place, unit);
        }
        let start = self.first_fit(unit, 1, self.home);
        let (key, _) = self.numbering(unit);
        self.take(key, self.home, (start, 1), (name, owner), self.how_implicit());
        place.offset.set(unit, start);
        place.space.set(unit, self.home);
        binding(&place, unit)
    }

    fn place_entry_buffer(&mut self, layout: TypeLayout, entry: usize) -> ScopeBuffer {
        let (name, owner) = ("entry point uniforms".into(), Owner::EntryBuffer(entry));
        let binding = self.needs_binding(&layout).then(|| self.place_buffer(name, owner));
        let push = match self.recorded_position(owner, Unit::PushConstant) {
            Some(at) if binding.is_none() => at.index,
            _ if binding.is_none() => {
                let start = self.free_number(Unit::PushConstant, 1);
                let (end, how) = (start + 1, self.how_implicit());
                let range = Range { start, end, owner: name, id: owner, span: Span::default(), how };
                self.note(Unit::PushConstant, Unit::PushConstant, 0, &range);
                start
            }
            _ => 0,
        };
        let rules = self.settings.entry_rules();
        let kept = self.keeps_bytes(&layout, rules);
        ScopeBuffer { binding, push, kept, layout }
    }
}

impl Pending<'_> {
    /// A range of it.
    fn range(&self, start: u64, count: u64, how: How) -> Range {
        Range { start, end: start.saturating_add(count), owner: self.name, id: self.id, span: self.span, how }
    }
}

fn pending(owner: (Symbol, Owner), span: Span, explicit: &Explicit, layout: TypeLayout, place: Place) -> Pending<'_> {
    let (name, id) = owner;
    Pending { name, id, span, explicit, layout, place, fixed: Vec::new(), space_only: None }
}

/// Whether anything of it lies in the default space unless placed explicitly. An array of resources without bound keeps that
/// space from being given away, though its elements lie in another one (slangc; structs with such arrays do not).
fn needs_default_space(pending: &Pending) -> bool {
    let implicit =
        |u: Unit| u != Unit::LateDescriptor && pending.layout.usage.get(u) > 0 && !pending.fixed.contains(&u);
    let unbounded = !pending.layout.unbounded_classes().is_empty() && implicit(Unit::Space);
    pending.space_only.is_none() && (unbounded || Unit::SLOTS.into_iter().any(implicit))
}

/// Turns a constant buffer's layout into that of a push constant: no binding, resources in it leak (FACTS 6).
fn make_push_constant(layout: &mut TypeLayout) {
    if let Detail::Block { container, element, .. } = &mut layout.detail {
        *container = Usage::one(Unit::PushConstant, 1);
        for unit in Unit::SLOTS {
            element.offset.set(unit, 0);
        }
        let mut usage = element.layout.usage;
        usage.set(Unit::Bytes, 0);
        usage.set(Unit::PushConstant, 1);
        layout.usage = usage;
    }
}

fn range_text(unit: Unit, range: &Range, space: u64) -> String {
    let class = unit.class().map_or("binding ".to_owned(), String::from);
    let place = if unit.class().is_some() { "space" } else { "set" };
    let last = range.end.saturating_sub(1);
    match (range.end == UNBOUNDED, last == range.start) {
        (true, _) => format!("{class}{} and all above it in {place} {space}", range.start),
        (_, true) => format!("{class}{} in {place} {space}", range.start),
        _ => format!("{class}{} to {class}{last} in {place} {space}", range.start),
    }
}
