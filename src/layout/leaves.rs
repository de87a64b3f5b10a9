//! The leaves of all shader parameters, each once: every resource, buffer and piece of plain data with its position.
//!
//! [`walk`] is the one way down a parameter. [`Leaves`] is what it finds, listed when a program is laid out; the passes take
//! positions from there, declarations point into it ([`crate::tree::Origin`]), and what is reported of a program is read from it.

use super::lock::Owner;
use super::position::{Position, binding, buffer_place, enter_array, enter_block, further_bindings};
use super::types::{Detail, TypeLayout};
use super::units::{Counts, UNBOUNDED, Unit};
use super::{Api, Counter, ProgramLayout, ScopeBuffer};
use crate::tree::{
    Access, Arena, Binding, BufferKind, Explicit, GlobalId, LeafId, MatrixOrder, Origin, ParameterId, Program, Step,
    Type, TypeId,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// An array around a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// How many elements; `None` without bound.
    pub count: Option<u32>,
    /// Bytes from one to the next.
    pub bytes: u64,
}

/// A part of a parameter on the way down.
#[derive(Clone, Debug)]
pub struct Part<'l> {
    /// Fields from the parameter to it; arrays, blocks and buffers add none.
    pub path: Vec<Step>,
    /// Its position; in a structured buffer from the beginning of an element.
    pub place: Position,
    /// Its layout.
    pub layout: &'l TypeLayout,
    /// Positions that the declaration asks for.
    pub explicit: Option<&'l Explicit>,
    /// The arrays around it, the outermost first.
    pub dimensions: Vec<Dimension>,
    /// How many of them are outside of the buffer that it is in.
    pub outside: usize,
    /// It is in a space that the parameter takes, not in one of others.
    pub inside: bool,
    /// How many steps of any kind lead to it.
    pub depth: usize,
    /// The type of the block or buffer that it is in.
    pub buffer: Option<TypeId>,
    /// Storage order of matrices in it that have no modifier of their own, as far as fields say one.
    pub order: Option<MatrixOrder>,
}

impl<'l> Part<'l> {
    /// A parameter as a whole.
    pub fn whole(place: Position, layout: &'l TypeLayout, explicit: Option<&'l Explicit>) -> Part<'l> {
        let (path, dimensions) = (Vec::new(), Vec::new());
        let (buffer, order) = (None, None);
        Part { path, place, layout, explicit, dimensions, outside: 0, inside: false, depth: 0, buffer, order }
    }
}

/// Goes down a parameter, each part before what is in it. `visit` answers whether to go on into a part: the fields of a
/// struct, the first element of an array, the contents of a block, an element of a structured buffer.
pub fn walk<'l>(program: &'l Program, part: &Part<'l>, visit: &mut dyn FnMut(&Part<'l>) -> bool) {
    if !visit(part) {
        return;
    }
    let mut inner = Part { depth: part.depth + 1, ..part.clone() };
    let layout = part.layout;
    match &layout.detail {
        Detail::Struct(vars) => {
            for (index, (field, var)) in (0..).zip(program.fields(layout.ty).iter().zip(vars)) {
                inner.path.truncate(part.path.len());
                inner.path.push(Step::Field(index));
                (inner.place, inner.layout) = (part.place.field(var), &var.layout);
                (inner.explicit, inner.inside) = (Some(&field.explicit), part.inside || var.from_zero);
                inner.order = field.matrix_order.or(part.order);
                walk(program, &inner, visit);
            }
            return;
        }
        Detail::Array { count, stride, .. } => {
            let Some(entered) = enter_array(part.place, layout) else { return };
            (inner.place, inner.layout) = entered;
            inner.dimensions.push(Dimension { count: *count, bytes: stride.get(Unit::Bytes) });
            inner.inside |= count.is_none() && layout.counts.get(Unit::Space) > 0;
        }
        Detail::Block { own_space, .. } => {
            let Some(entered) = enter_block(part.place, layout) else { return };
            (inner.place, inner.layout) = entered;
            (inner.outside, inner.inside) = (part.dimensions.len(), part.inside || *own_space);
            inner.buffer = Some(layout.ty);
        }
        Detail::Resource { element: Some(element) } => {
            (inner.place, inner.layout, inner.outside) = (Position::default(), element, part.dimensions.len());
            inner.buffer = Some(layout.ty);
        }
        Detail::Resource { element: None } | Detail::Plain | Detail::Matrix { .. } => return,
    }
    walk(program, &inner, visit);
}

/// What a leaf is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Plain data in a buffer.
    Data,
    /// A texture, sampler, buffer or another object.
    Resource,
    /// The buffer of a block's plain data.
    Block,
    /// The sampler of a combined sampler, where that has a position of its own.
    Sampler,
    /// The hidden counter of a buffer.
    Counter,
    /// The number of an input attachment.
    Attachment,
    /// A specialization constant.
    Constant,
    /// The buffer of the plain data of a scope.
    Scope,
}

/// One thing with one position.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// What it is a part of.
    pub parameter: ParameterId,
    /// Fields from there; arrays and blocks add none.
    pub path: Vec<Step>,
    /// What it is.
    pub role: Role,
    /// Its type, without the arrays around it but for those of plain data.
    pub ty: TypeId,
    /// In what it is counted; nothing if it has no position.
    pub unit: Option<Unit>,
    /// Its place in that unit; in a structured buffer from the beginning of an element.
    pub place: Position,
    /// Bytes of plain data.
    pub size: u64,
    /// The arrays that it is in and is, the outermost first.
    pub dimensions: Vec<Dimension>,
    /// How many of them are outside of the buffer that it is in.
    pub outside: usize,
    /// Where all elements but the first are, if not behind it.
    pub further: Option<Binding>,
    /// Of plain data: the buffer.
    pub buffer: Option<LeafId>,
}

impl Leaf {
    /// Its number in its unit, of the first element.
    pub fn index(&self) -> u64 {
        self.unit.map_or(0, |unit| self.place.offset.get(unit))
    }

    /// Where it is bound; nothing for what takes no slot.
    pub fn binding(&self) -> Option<Binding> {
        self.unit.filter(|u| Unit::SLOTS.contains(u)).map(|unit| binding(&self.place, unit))
    }

    /// Where an element of it is bound, by its flat index.
    pub fn element_binding(&self, index: u32) -> Option<Binding> {
        let behind = |by: u32, b: Binding| Binding { index: b.index.saturating_add(by), ..b };
        match (index.checked_sub(1), self.further) {
            (Some(by), Some(further)) => Some(behind(by, further)),
            _ => self.binding().map(|first| behind(index, first)),
        }
    }

    /// The bindings that it takes with all elements: from where to where.
    pub fn ranges(&self) -> Vec<(Binding, u32)> {
        let elements = self.place.to_second();
        let first = self.binding().map(|b| (b, if self.further.is_some() { 1 } else { elements }));
        first.into_iter().chain(self.further.map(|b| (b, elements - 1))).collect()
    }

    /// How many elements all arrays around it have; without bound if one has none.
    pub fn elements(&self) -> u64 {
        self.dimensions.iter().fold(1, |n, d| n.saturating_mul(d.count.map_or(UNBOUNDED, u64::from)))
    }
}

/// A shader parameter, or the buffer of a scope.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// What it is.
    pub owner: Owner,
    /// Its leaves: the first, and one past the last.
    leaves: (u32, u32),
    /// Which it is in its list: [`ProgramLayout::parameters`] or [`super::EntryLayout::params`].
    pub(super) at: usize,
}

/// The leaves of a program.
#[derive(Clone, Debug, Default)]
pub struct Leaves {
    list: Arena<LeafId, Leaf>,
    parameters: Arena<ParameterId, Parameter>,
    owners: BTreeMap<Owner, ParameterId>,
    /// Plain data by where it is declared.
    data: FxHashMap<(ParameterId, Vec<Step>), LeafId>,
}

impl Leaves {
    /// Lists the leaves of a program that is laid out, in global order: the buffer of a scope comes before its parameters.
    pub(super) fn of(program: &Program, layout: &ProgramLayout) -> Leaves {
        let (api, counters) = (layout.settings.api, &layout.counters);
        let mut made = Maker { program, api, counters, counted: 0, leaves: Leaves::default(), scope: None };
        made.scope(Owner::Globals, layout.globals.as_ref());
        for (at, p) in layout.parameters.iter().enumerate() {
            let explicit = &program.globals[p.global].explicit;
            let first = made.leaves.list.len();
            made.parameter((Owner::Global(p.global), at), &Part::whole(p.place, &p.layout, Some(explicit)));
            if p.data_alone {
                made.unplace(first, |leaf| leaf.role != Role::Data);
            }
        }
        for (index, (entry, point)) in layout.entry_points.iter().zip(&program.entry_points).enumerate() {
            made.scope(Owner::EntryBuffer(index), entry.buffer.as_ref());
            for (at, (param, place, layout)) in entry.params.iter().enumerate() {
                let explicit = program.functions[point.function].params.get(*param).map(|p| &p.explicit);
                made.parameter((Owner::Param(index, *param), at), &Part::whole(*place, layout, explicit));
            }
        }
        // What the policy gives no place is named in the text all the same.
        made.scope = None;
        for (global, layout) in &layout.dropped {
            let first = made.leaves.list.len();
            made.parameter((Owner::Global(*global), usize::MAX), &Part::whole(Position::default(), layout, None));
            made.unplace(first, |_| true);
        }
        made.leaves
    }

    /// All leaves.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (LeafId, &Leaf)> {
        self.list.iter()
    }

    /// A leaf.
    pub fn leaf(&self, id: LeafId) -> &Leaf {
        &self.list[id]
    }

    /// A parameter.
    pub fn parameter(&self, id: ParameterId) -> &Parameter {
        &self.parameters[id]
    }

    /// Whether a parameter has no leaf: what holds nothing has no place.
    pub fn is_empty(&self, id: ParameterId) -> bool {
        let (first, end) = self.parameters[id].leaves;
        first == end
    }

    /// All parameters, and the buffers of scopes.
    pub fn parameters(&self) -> impl Iterator<Item = (ParameterId, &Parameter)> {
        self.parameters.iter()
    }

    /// The leaf that a declaration stands for as a whole.
    pub fn leaf_of(&self, origin: Origin) -> Option<LeafId> {
        match origin {
            Origin::Leaf(id) => Some(id),
            Origin::Parameter(id) => self.whole(id),
            Origin::Declared | Origin::Field(_) | Origin::Element(..) | Origin::Builtin | Origin::Synthesized => None,
        }
    }

    /// The parameter, or buffer of a scope, that something is.
    pub fn parameter_of(&self, owner: Owner) -> Option<ParameterId> {
        self.owners.get(&owner).copied()
    }

    /// The leaves of a parameter, in the order of its type.
    pub fn of_parameter(&self, id: ParameterId) -> impl Iterator<Item = (LeafId, &Leaf)> {
        let (start, end) = self.parameters[id].leaves;
        (start..end).map(|n| (LeafId(n), &self.list[LeafId(n)]))
    }

    /// The leaf that a parameter, or the buffer of a scope, is itself.
    pub fn whole(&self, id: ParameterId) -> Option<LeafId> {
        self.of_parameter(id).next().filter(|(_, leaf)| leaf.path.is_empty()).map(|(id, _)| id)
    }

    /// The plain data at a path below a parameter.
    pub fn data(&self, parameter: ParameterId, path: Vec<Step>) -> Option<LeafId> {
        self.data.get(&(parameter, path)).copied()
    }

    /// What stands beside a leaf: the sampler of a texture, the counter of a buffer, the number of a subpass input.
    pub fn beside(&self, id: LeafId, role: Role) -> Option<(LeafId, &Leaf)> {
        let leaf = &self.list[id];
        let same = |other: &Leaf| other.parameter == leaf.parameter && other.path == leaf.path;
        let next = self.list.iter().skip(id.0 as usize + 1).take_while(|(_, other)| same(other));
        next.into_iter().find(|(_, other)| other.role == role)
    }
}

struct Maker<'a> {
    program: &'a Program,
    api: Api,
    /// Where counters are that the source gives no binding.
    counters: &'a BTreeMap<GlobalId, Counter>,
    /// How many counters of the parameter at hand come before.
    counted: u64,
    leaves: Leaves,
    /// The buffer of the scope at hand.
    scope: Option<LeafId>,
}

impl Maker<'_> {
    /// Adds a parameter; its leaves follow.
    fn add(&mut self, owner: Owner, at: usize) -> ParameterId {
        let next = self.leaves.list.len() as u32;
        let id = self.leaves.parameters.push(Parameter { owner, leaves: (next, next), at });
        self.leaves.owners.insert(owner, id);
        id
    }

    fn push(&mut self, leaf: Leaf) -> LeafId {
        let parameter = leaf.parameter;
        let id = self.leaves.list.push(leaf);
        self.leaves.parameters[parameter].leaves.1 = id.0 + 1;
        id
    }

    /// Takes the places of leaves from one on away.
    fn unplace(&mut self, first: usize, lost: fn(&Leaf) -> bool) {
        for (_, leaf) in self.leaves.list.iter_mut().skip(first).filter(|(_, leaf)| lost(leaf)) {
            (leaf.unit, leaf.further) = (None, None);
        }
    }

    fn scope(&mut self, owner: Owner, buffer: Option<&ScopeBuffer>) {
        self.scope = None;
        let Some(buffer) = buffer else { return };
        let (unit, index, space) = buffer.position();
        let mut place = Position::at(Counts::one(unit, index));
        place.space.set(unit, space);
        let parameter = self.add(owner, 0);
        let whole = Part::whole(place, &buffer.layout, None);
        self.scope = Some(self.push(leaf((parameter, Role::Scope, Some(unit)), &whole, None)));
    }

    fn parameter(&mut self, (owner, at): (Owner, usize), whole: &Part) {
        let parameter = self.add(owner, at);
        self.counted = 0;
        let further = further_bindings(&whole.place, whole.layout);
        let program = self.program;
        // Buffers around the part at hand, with their depths.
        let mut buffers: Vec<(usize, LeafId)> = Vec::new();
        walk(program, whole, &mut |part| {
            buffers.truncate(buffers.partition_point(|(depth, _)| *depth < part.depth));
            match &part.layout.detail {
                Detail::Struct(_) => true,
                Detail::Array { element, .. } if !is_plain(element) => true,
                Detail::Block { container, .. } => {
                    let holds_data = program.types.get(part.layout.ty).element().is_some_and(|t| program.holds_data(t));
                    if holds_data || !container.is_none() {
                        let unit = container.units().next().map(|(unit, _)| unit);
                        let place = buffer_place(part.place, part.layout);
                        let made = leaf((parameter, Role::Block, unit), &Part { place, ..part.clone() }, further);
                        buffers.push((part.depth, self.push(made)));
                    }
                    true
                }
                Detail::Resource { element } => {
                    buffers.push((part.depth, self.resource(parameter, part, further)));
                    let kind = program.types.get(part.layout.ty);
                    let typed = matches!(kind, Type::Buffer(BufferKind::Typed | BufferKind::ByteAddress, ..));
                    !typed && element.as_ref().is_some_and(|e| e.size() > 0)
                }
                Detail::Array { .. } | Detail::Plain | Detail::Matrix { .. } => {
                    let buffer = buffers.last().map(|(_, id)| *id).or(self.scope);
                    self.plain(parameter, part, buffer);
                    false
                }
            }
        });
    }

    /// Plain data, or a specialization constant.
    fn plain(&mut self, parameter: ParameterId, part: &Part, buffer: Option<LeafId>) {
        let counts = &part.layout.counts;
        if counts.get(Unit::Specialization) > 0 {
            self.push(leaf((parameter, Role::Constant, Some(Unit::Specialization)), part, None));
        }
        if counts.get(Unit::Bytes) > 0 {
            let mut made = leaf((parameter, Role::Data, Some(Unit::Bytes)), part, None);
            let mut own = part.layout;
            while let Detail::Array { element, count, stride } = &own.detail {
                made.dimensions.push(Dimension { count: *count, bytes: stride.get(Unit::Bytes) });
                own = element;
            }
            let id = self.push(Leaf { size: part.layout.size(), buffer, ..made });
            self.leaves.data.insert((parameter, part.path.clone()), id);
        }
    }

    /// The counter of a parameter that the source gives no binding.
    fn counter(&self, parameter: ParameterId) -> Option<Counter> {
        let global = self.leaves.parameter(parameter).owner.global()?;
        self.counters.get(&global).copied()
    }

    /// The counters of a parameter that the source gives no binding, and where the first of a buffer in it is.
    fn counter_of(&mut self, parameter: ParameterId, part: &Part) -> Option<(Counter, u64)> {
        let counter = self.counter(parameter)?;
        if part.path.is_empty() {
            return Some((counter, counter.index));
        }
        let place = counted_within(self.program, part)?;
        if place != (counter.unit, counter.space) {
            return None;
        }
        let index = counter.index.saturating_add(self.counted);
        self.counted = self.counted.saturating_add(part.place.to_second().into());
        Some((counter, index))
    }

    /// A resource in its first slot, and what it has in others.
    fn resource(&mut self, parameter: ParameterId, part: &Part, further: Option<Binding>) -> LeafId {
        let (types, counts) = (&self.program.types, &part.layout.counts);
        let ty = types.get(part.layout.ty);
        let combined = matches!(ty, Type::Texture(t) if t.combined);
        let unit = Unit::SLOTS.into_iter().find(|u| counts.get(*u) > 0);
        let resource = self.push(leaf((parameter, Role::Resource, unit), part, further));
        let Some(unit) = unit else { return resource };
        // The second slots of all elements follow the first ones.
        let mut second = part.clone();
        let first = u64::from(part.place.to_second());
        match further {
            Some(rest) => {
                second.place.offset.set(unit, u64::from(rest.index).saturating_add(first - 1));
                second.place.space.set(unit, rest.space.into());
            }
            None => second.place.offset.add(unit, first),
        }
        // The sampler's binding may have been parted from the texture's.
        let two = counts.get(unit) > 1 || combined && further.is_some() && unit == Unit::Descriptor;
        let late = [Unit::Sampler, Unit::LateDescriptor].into_iter().find(|u| *u != unit && counts.get(*u) > 0);
        if combined && let Some(late) = late {
            self.push(leaf((parameter, Role::Sampler, Some(late)), part, None));
        } else if combined && two {
            self.push(leaf((parameter, Role::Sampler, Some(unit)), &second, None));
        }
        let asked = part.explicit.and_then(|e| e.vk_counter_binding).filter(|_| self.api != Api::D3d);
        if let Some(index) = asked.filter(|_| can_count(ty)) {
            second.place = part.place;
            second.place.offset.set(unit, index.into());
            self.push(leaf((parameter, Role::Counter, Some(unit)), &second, None));
        } else if matches!(ty, Type::Buffer(BufferKind::Append(_) | BufferKind::Consume(_), ..)) && two {
            self.push(leaf((parameter, Role::Counter, Some(unit)), &second, None));
        } else if let Some((counter, index)) = self.counter_of(parameter, part) {
            second.place = part.place;
            second.place.offset.set(counter.unit, index);
            second.place.space.set(counter.unit, counter.space);
            self.push(leaf((parameter, Role::Counter, Some(counter.unit)), &second, None));
        }
        if counts.get(Unit::InputAttachment) > 0 {
            self.push(leaf((parameter, Role::Attachment, Some(Unit::InputAttachment)), part, None));
        }
        resource
    }
}

/// Whether it is a buffer that has a hidden counter if that is asked for.
pub(super) fn is_countable(ty: Type) -> bool {
    matches!(ty, Type::Buffer(BufferKind::Structured(_), Access::ReadWrite, _))
}

/// In what the counter of a buffer in a struct or block is counted, and in which space, if it may have one to which the source
/// gives no binding.
pub(super) fn counted_within(program: &Program, part: &Part) -> Option<(Unit, u64)> {
    let asks = part.explicit.is_some_and(|e| e.vk_counter_binding.is_some());
    let bounded = part.dimensions.iter().all(|d| d.count.is_some());
    let is_field = matches!(part.layout.detail, Detail::Resource { .. }) && !part.path.is_empty() && bounded;
    if asks || !is_field || !is_countable(program.types.get(part.layout.ty)) {
        return None;
    }
    let unit = Unit::SLOTS.into_iter().find(|u| part.layout.counts.get(*u) > 0)?;
    Some((unit, part.place.space.get(unit)))
}

/// Whether it may have a counter.
fn can_count(ty: Type) -> bool {
    matches!(
        ty,
        Type::Buffer(
            BufferKind::Structured(_) | BufferKind::Counter | BufferKind::Append(_) | BufferKind::Consume(_),
            ..
        )
    )
}

fn leaf((parameter, role, unit): (ParameterId, Role, Option<Unit>), part: &Part, further: Option<Binding>) -> Leaf {
    let further = further.filter(|_| part.place.to_second() > 1);
    Leaf {
        parameter,
        path: part.path.clone(),
        role,
        ty: part.layout.ty,
        unit,
        place: part.place,
        size: 0,
        dimensions: part.dimensions.clone(),
        outside: part.outside,
        further,
        buffer: None,
    }
}

/// Whether it is a number, vector or matrix, or an array of them.
pub fn is_plain(layout: &TypeLayout) -> bool {
    match &layout.detail {
        Detail::Plain | Detail::Matrix { .. } => true,
        Detail::Array { element, .. } => is_plain(element),
        Detail::Struct(_) | Detail::Resource { .. } | Detail::Block { .. } => false,
    }
}
