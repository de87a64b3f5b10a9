//! Phase 3: explicit positions are reserved before anything else is placed (rule `layout-explicit`).

use super::super::trace::How;
use super::super::types::Detail;
use super::super::units::{UNBOUNDED, Unit};
use super::super::{Api, Shift};
use super::{Allocator, LAST_SLOT, Pending, Placement, needs_default_space};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::tree::{Explicit, ExplicitRegister, Type, TypeId};

impl<'a> Allocator<'a> {
    /// Explicit positions of one parameter.
    pub(super) fn reserve(&mut self, pending: &mut Pending) {
        let unbounded = matches!(pending.layout.detail, Detail::Array { count: None, .. });
        let blocks = pending.layout.counts.get(Unit::Space) > 0 && !needs_default_space(pending) && !unbounded;
        self.reserve_number(pending);
        if !self.settings.api.facts().explicit {
            // Registers and bindings are numbers of other APIs.
            return;
        }
        if self.settings.api == Api::D3d {
            for register in &pending.explicit.registers {
                self.reserve_register(pending, register, blocks);
            }
            self.join_class_spaces(pending);
            return;
        }
        let registers = self.effective_registers(pending.explicit);
        let spaces_alone = self.settings.policy.explicit.space_only_registers;
        if spaces_alone && self.settings.policy.explicit.registers_as_bindings && !blocks {
            let space = registers.iter().filter(|r| r.class.is_none()).find_map(|r| r.space);
            pending.space_only = space.map(u64::from);
            space.into_iter().for_each(|space| self.spaces.insert(space.into()));
        }
        let set = pending.explicit.vk_set.filter(|_| pending.explicit.vk_binding.is_none());
        if let Some((set, _)) = set.filter(|_| spaces_alone && !blocks) {
            pending.space_only = Some(set.into());
            self.spaces.insert(set.into());
        }
        let set = set.filter(|_| !spaces_alone || blocks).map(|(set, span)| (0, set, span));
        let explicit = pending.explicit.vk_binding.or(set).filter(|_| self.takes_binding(pending));
        if let Some((_, space, _)) = explicit.filter(|(index, space, _)| self.is_second_half(pending, (*index, *space)))
        {
            pending.space_only = Some(space.into());
            self.spaces.insert(space.into());
            return;
        }
        if explicit.is_none() && !blocks {
            let shifted: Vec<&ExplicitRegister> = registers.iter().filter(|r| self.is_shifted(r)).collect();
            shifted.into_iter().for_each(|register| self.reserve_register(pending, register, false));
        }
        let only_spaces = blocks && self.settings.policy.blocks.take_spaces_only;
        if only_spaces && explicit.is_none() {
            return self.keep_ignored_register(pending);
        }
        if !blocks {
            pending.explicit.registers.iter().for_each(|r| self.check_space_alone(r));
        }
        let fallback =
            registers.iter().filter(|r| blocks || r.class.is_some() || !spaces_alone).find(|r| !self.is_shifted(r));
        let fallback = fallback.filter(|_| self.settings.policy.explicit.registers_as_bindings);
        let fallback =
            fallback.filter(|_| self.settings.policy.explicit.registers_of_pairs || !self.is_pair(pending.layout.ty));
        let fallback = fallback.map(|r| (r.index, r.space.unwrap_or(0), r.span));
        let Some((index, space, span)) = explicit.or(fallback) else { return };
        if blocks {
            if explicit.is_some() && index > 0 {
                let message =
                    format!("`{}` has a group of its own, in which its bindings are counted from 0", pending.name);
                let note = format!("`[[vk::binding(0, {space})]]` asks for the group alone");
                self.diags.push(Diagnostic::error(Code::BAD_REGISTER, span, message).note(note));
            }
            self.fix_space(pending, space.into(), span);
        } else if explicit.is_some() {
            self.fix_bindings(pending, index.into(), space.into(), span);
        } else if pending.layout.counts.get(Unit::Descriptor) > 0 {
            self.part_bindings(pending);
            let all = pending.layout.counts.get(Unit::Descriptor);
            let count = if self.settings.policy.explicit.register_keeps_one_binding { 1 } else { all };
            self.fix_range(pending, Unit::Descriptor, (index.into(), count), space.into(), span);
            if count < all {
                let (start, rest) = (u64::from(index) + count, all - count);
                self.check_end(pending, Unit::Descriptor, (start, rest), span);
                let range = self.range(pending, Unit::Descriptor, space.into(), (start, rest), How::Explicit);
                let range = Placement { span, ..range };
                self.tell_met(&range);
                self.share(range);
            }
        } else if pending.layout.counts.get(Unit::LateDescriptor) > 0 {
            self.fix(pending, Unit::LateDescriptor, index.into(), space.into(), span);
        } else {
            // Data without a binding of its own.
            self.keep_ignored_register(pending);
        }
    }

    /// A register of what is not placed by it, a block or plain data: nothing else implicit goes where it points.
    pub(super) fn keep_ignored_register(&mut self, pending: &Pending) {
        let first = self.effective_registers(pending.explicit).first().filter(|r| r.class.is_some());
        if let Some(register) = first.filter(|_| self.settings.policy.explicit.registers_as_bindings) {
            let space = u64::from(register.space.unwrap_or(0));
            let owner = (pending.name, pending.id);
            self.spaces.insert(space);
            let at = (register.index.into(), 1);
            self.take(self.range_of(owner, Unit::Descriptor, space, at, How::Explicit));
        }
    }

    /// The registers that may place something on Vulkan and WebGPU.
    pub(super) fn effective_registers<'e>(&self, explicit: &'e Explicit) -> &'e [ExplicitRegister] {
        let all = explicit.registers.as_slice();
        match self.settings.policy.shifts.hide_registers && self.settings.shift != Shift::NONE {
            true => all.get(..1).filter(|first| first.iter().all(|r| self.is_shifted(r))).unwrap_or_default(),
            false => all,
        }
    }

    /// Whether a register names a place in a range that `--shift` gives its class.
    pub(super) fn is_shifted(&self, register: &ExplicitRegister) -> bool {
        let unit = register.class.and_then(Unit::of_class);
        unit.is_some_and(|unit| self.settings.shift.get(unit).is_some())
    }

    /// Whether an explicit binding holds: for what lies in shifted ranges only where the policy says so.
    pub(super) fn takes_binding(&self, pending: &Pending) -> bool {
        let shifted = Unit::SLOTS.into_iter().any(|u| u.class().is_some() && pending.layout.counts.get(u) > 0);
        !(shifted && self.settings.policy.shifts.hide_bindings)
    }

    /// An explicit binding: all of a parameter from there on.
    pub(super) fn fix_bindings(&mut self, pending: &mut Pending, index: u64, space: u64, span: Span) {
        self.part_bindings(pending);
        let mut next = index;
        for unit in Unit::SLOTS {
            let count = pending.layout.counts.get(unit);
            // What comes last does so unless it is all that there is.
            let apart = unit == Unit::FurtherDescriptor || unit == Unit::LateDescriptor && next > index;
            if count > 0 && !apart {
                let (_, base) = self.numbering(unit);
                self.fix_range(pending, unit, (next.wrapping_sub(base), count), space, span);
                next = next.saturating_add(count);
            }
        }
    }

    /// `[[vk::binding(n)]]` is one number, meant for Vulkan, where a combined sampler and an array of resources take one. Where
    /// they take several, the further ones are the first free range of the group.
    pub(super) fn part_bindings(&self, pending: &mut Pending) {
        let leaf = pending.layout.innermost();
        let array = matches!(pending.layout.detail, Detail::Array { .. }) && !self.settings.api.facts().arrays;
        let one = match &leaf.detail {
            Detail::Resource { .. } => array || self.is_pair(leaf.ty),
            Detail::Block { element, .. } => {
                array && element.layout.counts.units().all(|(unit, _)| unit == Unit::Bytes)
            }
            _ => false,
        };
        if self.settings.api.is_webgpu() && one && self.settings.policy.explicit.bindings_of_parts {
            pending.layout.part_bindings();
        }
    }

    /// Whether a sampler asks for the binding of a texture. For Vulkan the two are a combined sampler; WebGPU has none, and the
    /// sampler takes the first free binding of the group.
    fn is_second_half(&self, pending: &Pending, at: (u32, u32)) -> bool {
        let sampler = matches!(self.program.types.get(pending.layout.ty), Type::Sampler(_));
        let apart = self.settings.api.is_webgpu() && self.settings.policy.explicit.bindings_of_parts;
        sampler && apart && self.texture_bindings.contains(&at)
    }

    pub(super) fn is_pair(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Texture(t) if t.combined)
    }

    /// Push constants, input attachments and specialization constants are numbered each by itself: explicit numbers are
    /// kept, the others are the lowest free.
    pub(super) fn reserve_number(&mut self, pending: &mut Pending) {
        let explicit = pending.explicit;
        let asked = [
            (Unit::InputAttachment, explicit.input_attachment_index),
            (Unit::Specialization, explicit.constant_id.flatten()),
        ];
        for (unit, number) in asked {
            let Some(number) = number.filter(|_| pending.layout.counts.get(unit) > 0) else { continue };
            let count = pending.layout.counts.get(unit).min(LAST_SLOT);
            self.fix_number(pending, unit, (number.into(), count), How::Explicit);
        }
    }

    pub(super) fn fix_number(&mut self, pending: &mut Pending, unit: Unit, (start, count): (u64, u64), how: How) {
        pending.place.offset.set(unit, start);
        pending.fixed.push(unit);
        let range = self.range(pending, unit, 0, (start, count), how);
        self.claim_number(range);
        self.numbers.entry(unit).or_default().add(range.start, range.end);
    }

    /// Reports a space without a register where the policy wants both.
    pub(super) fn check_space_alone(&mut self, register: &ExplicitRegister) {
        if register.class.is_none() && !self.settings.policy.explicit.space_only_registers {
            let message = "a register space is not taken without a register here";
            let note = "`slangc` refuses it; the other binding policies give the first free register of the space";
            self.diags.push(Diagnostic::error(Code::BAD_REGISTER, register.span, message).note(note));
        }
    }

    pub(super) fn reserve_register(&mut self, pending: &mut Pending, register: &ExplicitRegister, blocks: bool) {
        let space = u64::from(register.space.unwrap_or(0));
        let is_block = matches!(self.program.types.get(pending.layout.ty), Type::ParameterBlock(_));
        let is_constant_buffer = matches!(self.program.types.get(pending.layout.ty), Type::ConstantBuffer(..));
        let only_spaces = self.settings.policy.blocks.take_spaces_only;
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
            Some(unit) if pending.layout.counts.get(unit) > 0 => {
                self.fix(pending, unit, u64::from(register.index), space, register.span);
            }
            // `register(c0)` on plain data is a byte offset in `$Globals` for DXC; no slot is meant.
            None if class == 'c' => {}
            // An unbounded array takes spaces rather than registers; its explicit register names them.
            Some(unit) if pending.layout.counts.get(Unit::Space) > 0 => {
                self.fix(pending, unit, u64::from(register.index), space, register.span);
            }
            // A constant buffer that holds no data takes none.
            Some(Unit::ConstantBuffer) if is_constant_buffer => {}
            _ if self.settings.policy.explicit.unfit_registers_ignored => {}
            _ => {
                let message = format!("register class `{class}` does not suit the type of `{}`", pending.name);
                let fits: Vec<String> = Unit::SLOTS
                    .into_iter()
                    .filter(|u| pending.layout.counts.get(*u) > 0)
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

    pub(super) fn fix_space(&mut self, pending: &mut Pending, space: u64, span: Span) {
        let count = pending.layout.counts.get(Unit::Space);
        self.check_end(pending, Unit::Space, (space, count), span);
        self.claim_inside(pending, space, span);
        self.keep_spaces(pending, space, How::Explicit);
    }

    pub(super) fn keep_spaces(&mut self, pending: &mut Pending, space: u64, how: How) {
        pending.place.offset.set(Unit::Space, space);
        pending.fixed.push(Unit::Space);
        let count = pending.layout.counts.get(Unit::Space);
        let one = how == How::Explicit && self.settings.policy.blocks.explicit_keeps_one_space;
        self.spaces.add(space, space.saturating_add(if one { count.min(1) } else { count }));
        self.trace.push(self.range(pending, Unit::Space, 0, (space, count), how));
    }

    pub(super) fn fix(&mut self, pending: &mut Pending, unit: Unit, index: u64, space: u64, span: Span) {
        let count = match pending.layout.counts.get(unit) {
            0 => UNBOUNDED,
            n => n,
        };
        self.fix_range(pending, unit, (index, count), space, span);
    }

    /// Takes `count` slots from `index` on.
    pub(super) fn fix_range(
        &mut self,
        pending: &mut Pending,
        unit: Unit,
        (index, count): (u64, u64),
        space: u64,
        span: Span,
    ) {
        let (_, base) = self.numbering(unit);
        let index = index.wrapping_add(base);
        let range = self.range(pending, unit, space, (index, count), How::Explicit);
        self.check_end(pending, unit, (index, count), span);
        self.claim(Placement { span, ..range });
        self.spaces.insert(space);
        pending.place.offset.set(unit, index);
        pending.place.space.set(unit, space);
        pending.fixed.push(unit);
        if count == UNBOUNDED {
            self.fix_unbounded(pending, unit, space, span);
        }
    }

    /// The spaces of an array without bound.
    pub(super) fn fix_unbounded(&mut self, pending: &mut Pending, unit: Unit, space: u64, span: Span) {
        let spaces = pending.layout.counts.get(Unit::Space);
        if spaces > 0 && pending.layout.unbounded_classes().len() > 1 {
            pending.class_spaces.push((unit, space));
        } else if pending.fixed.contains(&Unit::Space) && pending.place.offset.get(Unit::Space) != space {
            let message = format!("the registers of `{}` name different spaces", pending.name);
            let note = "each part of an unbounded array has a space, one after another from the one that is named";
            self.diags.push(Diagnostic::error(Code::BAD_REGISTER, span, message).note(note));
        } else if spaces > 0 {
            self.check_end(pending, Unit::Space, (space, spaces), span);
            self.keep_spaces(pending, space, How::Explicit);
        } else {
            pending.place.offset.set(Unit::Space, space);
            pending.fixed.push(Unit::Space);
        }
    }

    /// An array of combined samplers without bound has its spaces once both of its classes have theirs.
    pub(super) fn join_class_spaces(&mut self, pending: &mut Pending) {
        let classes = pending.layout.unbounded_classes();
        let space = |class: &Unit| pending.class_spaces.iter().find(|(unit, _)| unit == class).map(|(_, space)| *space);
        let Some([first, second]) = classes.iter().map(space).collect::<Option<Vec<_>>>().as_deref().and_then(pair)
        else {
            return;
        };
        pending.place.offset.set(Unit::Space, first);
        pending.place.second_space = Some(second);
        pending.fixed.push(Unit::Space);
        for space in [first, second] {
            self.spaces.insert(space);
        }
    }
}

fn pair(list: &[u64]) -> Option<[u64; 2]> {
    list.try_into().ok()
}
