//! Phase 2: what each parameter needs (rule `layout-needs`).

use super::super::lock::Owner;
use super::super::order::Scope;
use super::super::rules::Rules;
use super::super::types::{Layouter, StructBuilder, TypeLayout};
use super::super::units::{Counts, Unit};
use super::super::{Api, BufferRules, Position, Settings, offset_of_global};
use super::{Allocator, Pending, pending, put_apart};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::tree::{Global, GlobalId, GlobalKind, Modifiers, TypeId, is_uniform};
use std::collections::{BTreeMap, BTreeSet};

impl<'a> Allocator<'a> {
    /// Phase 2 for globals: layouts, and the implicit buffer of plain data.
    pub(super) fn measure_globals(&mut self, scopes: &[Scope]) -> (Vec<(GlobalId, Pending<'a>)>, Option<TypeLayout>) {
        let mut list = Vec::new();
        let keeps_data = self.used.as_ref().is_some_and(|used| self.holds_plain_data(used));
        for scope in scopes {
            let Scope::Global(id) = *scope else { continue };
            let global = &self.program.globals[id];
            let owner = (global.name, Owner::Global(id));
            let layout = self.measure_global(&self.settings, global, owner.1);
            let pending = pending(owner, global.span, &global.explicit, layout, Position::default());
            let bytes = Counts::one(Unit::Bytes, pending.layout.size());
            match self.is_dropped(id) {
                true if !keeps_data || bytes.is_none() => self.dropped.push(pending),
                // Its resources have no place.
                true if pending.layout.counts != bytes => {
                    let layout = TypeLayout { counts: bytes, ..pending.layout.clone() };
                    list.push((id, Pending { layout, ..pending.clone() }));
                    self.dropped.push(pending);
                }
                true | false => list.push((id, pending)),
            }
        }
        self.check_names(&list);
        self.refuse_shader_records(&list);
        let layouter = Layouter { program: self.program, settings: &self.settings };
        layouter.part_least_precision(list.iter_mut().map(|(_, p)| &mut p.layout), self.settings.rules.constant);
        let buffer = self.lay_out_scope(Owner::Globals, &mut list, self.settings.rules.constant);
        (list, buffer)
    }

    /// Where the policy has it so, constant buffers of one unit have names of their own, and no plain global a register.
    pub(super) fn check_names(&mut self, list: &[(GlobalId, Pending)]) {
        let policy = &self.settings.policy;
        let mut seen: BTreeMap<(u32, &str), Span> = BTreeMap::new();
        for (id, pending) in list {
            let global = &self.program.globals[*id];
            if let Some((_, span)) =
                pending.explicit.constant_register().filter(|_| !policy.explicit.registers_of_globals)
            {
                let message = format!("`{}` takes no register of its own", pending.name);
                self.diags.push(Diagnostic::error(Code::BAD_REGISTER, span, message));
            }
            let first = seen.insert((global.unit, global.name.as_str()), global.span);
            if let Some(first) = first.filter(|_| global.transparent && !policy.units.buffers_share_names) {
                let message = format!("there are two constant buffers named `{}`", global.name);
                let diagnostic = Diagnostic::error(Code::REDECLARED, global.span, message);
                self.diags.push(diagnostic.label(first, "the other one"));
            }
        }
    }

    /// Where there is no ray tracing, there is no shader binding table, and a binding would be wrong.
    fn refuse_shader_records(&mut self, list: &[(GlobalId, Pending)]) {
        for (id, pending) in list {
            let record = self.program.globals[*id].modifiers.has(Modifiers::SHADER_RECORD);
            if record && !matches!(self.settings.api, Api::D3d | Api::Vulkan) {
                let message = format!("the shader record `{}` is not supported on this target", pending.name);
                self.diags.push(Diagnostic::error(Code::CAPABILITY, pending.span, message));
            }
        }
    }

    /// Whether any of these has data in the buffer of plain globals.
    pub(super) fn holds_plain_data(&self, globals: &BTreeSet<GlobalId>) -> bool {
        globals.iter().any(|g| {
            let Global { ty, kind, .. } = self.program.globals[*g];
            kind == GlobalKind::Parameter
                && self.program.holds_data(ty)
                && !self.program.types.get(self.program.types.innermost(ty)).is_resource()
        })
    }

    /// Whether a parameter has no place because no entry point uses it. Plain globals are one buffer, though: it stays whole
    /// while one of them is used.
    pub(super) fn is_dropped(&self, id: GlobalId) -> bool {
        let Some(used) = &self.used else { return false };
        self.program.globals[id].kind == GlobalKind::Parameter && !used.contains(&id)
    }

    /// Whether a buffer that WebGPU has for push constants comes behind all others. A lock keeps what it records as it is.
    pub(super) fn puts_last(&self, settings: &Settings, owner: Owner) -> bool {
        let recorded = self.lock.as_ref().and_then(|lock| lock.puts_last(owner));
        settings.api.is_webgpu() && recorded.unwrap_or(settings.policy.order.extras_last)
    }

    /// The layout of a global under settings that may be others than those of now.
    pub(super) fn measure_global(&self, settings: &Settings, global: &Global, owner: Owner) -> TypeLayout {
        let pushed = global.modifiers.has(Modifiers::PUSH_CONSTANT);
        let recorded = global.modifiers.has(Modifiers::SHADER_RECORD);
        let moves = pushed && settings.api.facts().push_constants || recorded && settings.api == Api::Vulkan;
        let constant = if moves { settings.rules.push } else { settings.rules.constant };
        let inner = Settings { rules: BufferRules { constant, ..settings.rules }, ..*settings };
        let layouter = Layouter { program: self.program, settings: &inner };
        let order = global.matrix_order.unwrap_or(self.program.default_matrix_order);
        let mut layout = layouter.layout(global.ty, settings.rules.constant, order);
        if moves {
            put_apart(&mut layout, if pushed { Unit::PushConstant } else { Unit::ShaderRecord });
        } else if pushed && self.puts_last(settings, owner) {
            layout.put_buffer_last();
        } else if global.kind == GlobalKind::Specialization {
            // D3D has none: what the policy has not made a plain global is a constant of the text.
            let d3d = settings.api == Api::D3d;
            layout.counts = if d3d { Counts::NONE } else { Counts::one(Unit::Specialization, 1) };
        }
        layout
    }

    /// The buffer of a scope's plain data, in which this gives the parameters their places.
    fn lay_out_scope<I>(&self, owner: Owner, list: &mut [(I, Pending)], rules: &Rules) -> Option<TypeLayout> {
        let asked = |p: &Pending| {
            let explicit = offset_of_global(&self.settings, p.explicit).filter(|_| owner == Owner::Globals);
            let recorded = self.recorded_position(p.id, Unit::Bytes).and_then(|at| u32::try_from(at.index).ok());
            recorded.or(explicit.map(|(at, _)| at))
        };
        let mut buffer = StructBuilder::new(rules);
        self.reserve_bytes(&mut buffer, owner);
        list.iter().for_each(|(_, p)| buffer.reserve(asked(p), p.layout.size()));
        for (_, pending) in list {
            let offset = buffer.append(pending.layout.clone(), asked(pending));
            pending.place.offset.set(Unit::Bytes, offset.get(Unit::Bytes));
        }
        Some(self.trim(buffer.finish(TypeId::VOID), rules)).filter(|buffer| buffer.size() > 0)
    }

    /// Phase 2 for the uniform parameters of an entry point.
    pub(super) fn measure_entry(&self, index: usize) -> (Vec<(usize, Pending<'a>)>, Option<TypeLayout>) {
        let Some(entry) = self.program.entry_points.get(index) else { return (Vec::new(), None) };
        let function = &self.program.functions[entry.function];
        let rules = self.settings.entry_rules();
        let mut list = Vec::new();
        for (i, param) in function.params.iter().enumerate() {
            let local = &function.code.locals[param.local];
            if is_uniform(self.program, param, local.ty) {
                let Some(layout) = self.measure_param(&self.settings, index, i) else { continue };
                let owner = (local.name, Owner::Param(index, i));
                list.push((i, pending(owner, local.span, &param.explicit, layout, Position::default())));
            }
        }
        // slangc rounds the size of these push constants alone, whatever the rules.
        let rounds = self.settings.api == Api::Vulkan && self.settings.policy.entry_uniforms.push_rounded;
        let rules = &Rules { round_struct_size: rounds || rules.round_struct_size, ..*rules };
        let buffer = self.lay_out_scope(Owner::EntryBuffer(index), &mut list, rules);
        (list, buffer)
    }

    /// The layout of a parameter of an entry point under settings that may be others than those of now.
    pub(super) fn measure_param(&self, settings: &Settings, entry: usize, param: usize) -> Option<TypeLayout> {
        let function = &self.program.functions[self.program.entry_points.get(entry)?.function];
        let param = function.params.get(param)?;
        let order = param.matrix_order.unwrap_or(self.program.default_matrix_order);
        let layouter = Layouter { program: self.program, settings };
        Some(layouter.layout(function.code.locals[param.local].ty, settings.entry_rules(), order))
    }
}
