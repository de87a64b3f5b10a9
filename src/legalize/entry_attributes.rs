//! Give the parameters and results of entry points the attributes that place them.
//!
//! Before: `struct V { float4 pos : SV_Position; float2 uv; }  V main(V v, uint id : SV_VertexID)`
//! After:  the same with `builtin(position)`, `location 0` on the fields and `builtin(vertex_index)` on `id`
//!
//! A struct of scalars and vectors stays as it is. One with nested structs, arrays, matrices, `bool`, or that would need other
//! positions elsewhere is replaced by a flat struct of the entry point; so are `out` parameters, with the result.
//!
//! A way of [`super::entry_points`].

use super::Context;
use super::missing_inputs::Incoming;
use super::stage_io::{
    Flatten, Leaf, Source, accesses, adapt, as_in_target, assemble, attribute, has_w, interface_type, name_of_semantic,
    only_w, position_value, reciprocal_w, sees_w,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::system_values::{Direction, MOST_DISTANCES, distance_attribute};
use crate::tree::*;
use std::collections::BTreeMap;

/// Lowers every entry point.
pub fn run(cx: &mut Context) {
    let mut placed = BTreeMap::new();
    let mut entries = cx.program.entry_points.clone();
    entries.retain(|entry| matches!(entry.stage, Stage::Vertex | Stage::Fragment | Stage::Compute));
    // All leaves are found before the first entry point is lowered: that takes the semantics from structs which they share.
    let mut leaves = Vec::new();
    for entry in &entries {
        let settings = cx.layout.settings;
        let mut find = |direction| Flatten { program: cx.program, split: true, settings }.leaves(entry, direction);
        let (mut inputs, outputs) = (find(Direction::In), find(Direction::Out));
        if cx.options.target_position_w {
            as_in_target(entry.stage, &mut inputs);
        }
        leaves.push((inputs, outputs));
    }
    let declared = cx.program.structs.ids().collect::<Vec<_>>();
    for (entry, (inputs, outputs)) in entries.into_iter().zip(leaves) {
        let body = std::mem::take(&mut cx.program.functions[entry.function].code);
        AttributeLowering { cx, entry, body, start: Vec::new(), given: BTreeMap::new(), placed: &mut placed }
            .run(&inputs, outputs);
    }
    // A struct that is no interface has no locations.
    for id in declared.into_iter().filter(|id| !placed.contains_key(id)) {
        for field in &mut cx.program.structs[id].fields {
            (field.explicit.location, field.explicit.index) = (None, None);
        }
    }
}

/// Where a leaf is in the interface.
#[derive(Clone, PartialEq)]
struct InterfaceSlot {
    /// A builtin, or nothing for a location.
    builtin: Option<&'static str>,
    location: Option<u32>,
    index: Option<u32>,
    modifiers: Modifiers,
    /// The type that the interface has.
    ty: TypeId,
}

struct AttributeLowering<'a, 'b> {
    cx: &'a mut Context<'b>,
    entry: EntryPoint,
    body: Body,
    start: Vec<Stmt>,
    /// The parameters that are values of the system, by the names of these.
    given: BTreeMap<&'static str, (LocalId, TypeId)>,
    /// Structs whose fields have their attributes.
    placed: &'a mut BTreeMap<StructId, Vec<InterfaceSlot>>,
}

impl AttributeLowering<'_, '_> {
    fn run(mut self, inputs: &[Leaf], outputs: Vec<Leaf>) {
        let entry = self.entry.clone();
        self.check_barycentrics(inputs);
        let params = std::mem::take(&mut self.cx.program.functions[entry.function].params);
        let mut kept = Vec::new();
        let mut out_locals = Vec::new();
        for (index, param) in params.into_iter().enumerate() {
            let leaves: Vec<Leaf> = inputs.iter().filter(|l| l.source == Source::Param(index)).cloned().collect();
            let (local, mode) = (param.local, param.mode);
            match mode {
                ParamMode::In => kept.extend(self.input(param, leaves)),
                ParamMode::Out => {
                    let span = self.body.locals[local].span;
                    self.start.push(Stmt::new(StmtKind::Local(local, None), span));
                }
                ParamMode::InOut | ParamMode::Ref => kept.extend(self.flat_input(param, leaves, false)),
            }
            if mode != ParamMode::In {
                out_locals.push((index, local));
            }
        }
        self.outputs(outputs, &out_locals);
        self.body.block.stmts.splice(0..0, self.start);
        let function = &mut self.cx.program.functions[entry.function];
        function.code = self.body;
        function.params = kept;
        function.result_semantic = None;
    }

    /// Reports barycentrics of both kinds, of which the targets that have them have one in a shader.
    fn check_barycentrics(&mut self, inputs: &[Leaf]) {
        let is_kind = |leaf: &&Leaf| leaf.semantic.as_ref().is_some_and(|(name, _)| name == "SV_BARYCENTRICS");
        let mut first = None;
        for leaf in inputs.iter().filter(is_kind) {
            let Some(kind) = self.slot(leaf, Direction::In).map(|slot| slot.builtin) else { continue };
            if *first.get_or_insert(kind) != kind {
                let message = "has one `SV_Barycentrics` in a shader, with perspective or without";
                self.cx.unsupported(leaf.span, format!("{} {message}", self.cx.profile.name));
            }
        }
    }

    /// The place of a leaf in the interface; `None` for a system value that the stage does not have.
    fn slot(&mut self, leaf: &Leaf, direction: Direction) -> Option<InterfaceSlot> {
        if leaf.is_system() {
            let value = leaf.system(self.entry.stage, direction)?;
            let (builtin, scalar, length) =
                value.attribute.filter(|_| value.needs.is_none_or(|c| self.cx.profile.has(c)))?;
            let linear = value.linear_attribute.filter(|_| leaf.modifiers.has(Modifiers::NOPERSPECTIVE));
            let builtin = linear.unwrap_or(builtin);
            let types = &mut self.cx.program.types;
            let ty = types.scalar_or_vector(scalar, length);
            let modifiers = leaf.modifiers.0 & Modifiers::PRECISE.0;
            return Some(InterfaceSlot {
                builtin: Some(builtin),
                location: None,
                index: None,
                modifiers: Modifiers(modifiers),
                ty,
            });
        }
        // WGSL, "Attributes": `blend_src` is for location 0 alone.
        if leaf.index.is_some() && leaf.location.is_some_and(|location| location != 0) {
            self.cx.unsupported(leaf.span, "a source of blending at another location than 0");
        }
        let ty = interface_type(&mut self.cx.program.types, leaf.ty);
        let between = (direction == Direction::In) == (self.entry.stage == Stage::Fragment);
        let mut modifiers = if between { leaf.modifiers } else { Modifiers::default() };
        if between && self.cx.program.types.component(ty).is_some_and(Scalar::is_integer) {
            modifiers.set(Modifiers::NOINTERPOLATION);
        }
        Some(InterfaceSlot { builtin: None, location: leaf.location, index: leaf.index, modifiers, ty })
    }

    /// Where one output says which source of blending it is, all do (WGSL, "Attributes": `blend_src`).
    fn check_blend_sources(&mut self, leaves: &mut [Leaf]) {
        // A value of the system is no source, whatever else is written with it.
        leaves.iter_mut().filter(|leaf| leaf.is_system()).for_each(|leaf| leaf.index = None);
        // An index that is not written is 0.
        if leaves.iter().any(|leaf| leaf.index.is_some()) {
            let first = |leaf: &&mut Leaf| !leaf.is_system() && leaf.location == Some(0);
            leaves.iter_mut().filter(first).for_each(|leaf| leaf.index = leaf.index.or(Some(0)));
        }
        // The first alone is a plain output.
        if leaves.iter().all(|leaf| leaf.index.is_none_or(|index| index == 0)) {
            leaves.iter_mut().for_each(|leaf| leaf.index = None);
        }
        let is_located = |leaf: &&Leaf| !leaf.is_system() && leaf.location.is_some();
        if let Some(second) = leaves.iter().find(|leaf| leaf.index == Some(1))
            && !leaves.iter().any(|leaf| leaf.index == Some(0))
        {
            self.cx.unsupported(second.span, "the second source of blending without the first");
        }
        if leaves.iter().any(|leaf| leaf.index.is_some())
            && let Some(leaf) = leaves.iter().filter(is_located).find(|leaf| leaf.index.is_none())
        {
            self.cx.unsupported(leaf.span, "an output beside the two sources of blending");
        }
    }

    /// Puts the attributes on the fields of a struct that can stay as it is.
    fn keep_struct(&mut self, ty: TypeId, leaves: &[Leaf], direction: Direction) -> bool {
        let Type::Struct(id) = self.cx.program.types.get(ty) else { return false };
        let fields = self.cx.program.structs[id].fields.len();
        let mut slots = Vec::new();
        for leaf in leaves {
            match (leaf.path.as_slice(), self.slot(leaf, direction)) {
                ([Step::Field(_)], Some(slot)) if slot.ty == leaf.ty => slots.push(slot),
                _ => return false,
            }
        }
        if slots.len() != fields || fields == 0 {
            return false;
        }
        match self.placed.get(&id) {
            Some(placed) => *placed == slots,
            None => {
                for (field, slot) in self.cx.program.structs[id].fields.iter_mut().zip(&slots) {
                    let span = field.span;
                    place(slot, &mut field.attributes, &mut field.explicit, &mut field.modifiers, span);
                    field.semantic = None;
                }
                self.placed.insert(id, slots);
                true
            }
        }
    }

    /// A parameter: as it is if that is possible.
    fn input(&mut self, mut param: Param, leaves: Vec<Leaf>) -> Vec<Param> {
        let ty = self.body.locals[param.local].ty;
        let innermost = self.cx.program.types.innermost(ty);
        if leaves.is_empty() && matches!(self.cx.program.types.get(innermost), Type::Struct(_)) {
            // What has no value is no part of the interface.
            let span = self.body.locals[param.local].span;
            self.start.push(Stmt::new(StmtKind::Local(param.local, None), span));
            return Vec::new();
        }
        if leaves.is_empty() {
            return vec![param];
        }
        if self.keep_struct(ty, &leaves, Direction::In) {
            self.turn_positions(param.local, &leaves);
            // Only its fields have locations.
            param.explicit = Explicit::default();
            return vec![param];
        }
        // Where `w` of a position is turned over, it is of the target's kind of numbers.
        let types = &self.cx.program.types;
        let narrow = |leaf: &Leaf| leaf.is_position() && types.component(leaf.ty) != Some(Scalar::F32);
        if let [leaf] = leaves.as_slice()
            && leaf.path.is_empty()
            && !narrow(leaf)
        {
            let Some(slot) = self.slot(leaf, Direction::In) else {
                self.missing(leaf);
                return Vec::new();
            };
            let span = leaf.span;
            if let Some((first, ty)) = slot.builtin.and_then(|name| self.given.get(name)).copied() {
                // A second parameter of one value of the system is a variable that holds the first.
                let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
                let value = b.local(first, ty);
                let value = adapt(&mut b, value, leaf.ty);
                self.start.push(Stmt::new(StmtKind::Local(param.local, Some(value)), span));
                return Vec::new();
            }
            self.given.extend(slot.builtin.map(|name| (name, (param.local, slot.ty))));
            place(&slot, &mut param.attributes, &mut param.explicit, &mut param.modifiers, span);
            param.semantic = None;
            self.turn_positions(param.local, &leaves);
            self.retype(param.local, slot.ty);
            return vec![param];
        }
        self.flat_input(param, leaves, true)
    }

    fn missing(&mut self, leaf: &Leaf) {
        let semantic = leaf.semantic.clone().unwrap_or_default().0;
        self.cx.lacks_system_value(self.entry.stage, leaf.span, &semantic);
    }

    /// A system value that is a hint for drawing is left out with a warning; any other is an error.
    fn missing_output(&mut self, leaf: &Leaf) {
        let hint = leaf.system(self.entry.stage, Direction::Out).is_some_and(|value| value.is_hint);
        if !hint {
            return self.missing(leaf);
        }
        let semantic = leaf.semantic.clone().unwrap_or_default().0;
        let message = format!("{} has no `{}`: the output is omitted", self.cx.profile.name, spelled(&semantic));
        self.cx.diags.push(Diagnostic::warning(Code::OMITTED, leaf.span, message));
    }

    /// Turns over the `w` of a fragment's position at the start, if any code may see it.
    fn turn_positions_first(&mut self, local: LocalId, leaves: &[Leaf]) {
        let ty = self.body.locals[local].ty;
        for leaf in leaves.iter().filter(|leaf| leaf.is_position()) {
            if !has_w(&self.cx.program.types, leaf.ty) || !self.is_w_seen(local, leaf) {
                continue;
            }
            let span = self.body.locals[local].span;
            let exprs = &mut self.body.exprs;
            let base = exprs.push(Expr { kind: ExprKind::Local(local), ty, span });
            let position = self.cx.program.part(exprs, base, &leaf.path);
            let target = exprs.duplicate(position);
            let mut b = Build::new(&mut self.cx.program.types, exprs, span);
            let (target, value) = (b.swizzle(target, &[3]), reciprocal_w(&mut b, position));
            self.start.push(b.set(target, value));
        }
    }

    /// Whether code may see the `w` of a position: of the parameter itself, or of the field of its struct in any function.
    fn is_w_seen(&self, local: LocalId, leaf: &Leaf) -> bool {
        let program = &*self.cx.program;
        if leaf.path.is_empty() {
            let uses = self.body.expressions().into_iter();
            return uses
                .filter(|id| matches!(self.body.exprs[*id].kind, ExprKind::Local(l) if l == local))
                .any(|id| sees_w(program, &self.body, id));
        }
        let [Step::Field(field)] = *leaf.path.as_slice() else { return true };
        let owner = self.body.locals[local].ty;
        let sees = |body: &Body| {
            body.expressions().into_iter().any(|id| {
                let is_it = matches!(body.exprs[id].kind, ExprKind::Field(base, index)
                    if index == field && body.exprs[base].ty == owner);
                is_it && sees_w(program, body, id)
            })
        };
        sees(&self.body) || program.functions.iter().any(|(_, f)| sees(&f.code))
    }

    /// Turns over the `w` of a fragment's position: where it is used, or before anything else if the parameter is written to
    /// or goes elsewhere as a whole.
    fn turn_positions(&mut self, local: LocalId, leaves: &[Leaf]) {
        if self.entry.stage != Stage::Fragment {
            return;
        }
        let free = !self.cx.program.written_locals(&self.body).contains(&local);
        let Some(found) = accesses(&self.body, local, leaves, &|_| false).filter(|_| free) else {
            return self.turn_positions_first(local, leaves);
        };
        for (id, index) in found {
            let position = leaves.get(index).is_some_and(Leaf::is_position);
            if !position {
                continue;
            }
            if let Some(w) = only_w(&self.body, id) {
                let span = self.body.exprs[id].span;
                let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
                let value = reciprocal_w(&mut b, id);
                self.body.exprs.replace_by(w, value);
            } else if has_w(&self.cx.program.types, self.body.exprs[id].ty) && sees_w(self.cx.program, &self.body, id) {
                let (one, other) = (self.body.exprs.duplicate(id), self.body.exprs.duplicate(id));
                let span = self.body.exprs[id].span;
                let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
                let value = position_value(&mut b, one, other);
                self.body.exprs.replace_by(id, value);
            }
        }
    }

    /// Gives a parameter the type of the interface, and its uses the one of the source.
    fn retype(&mut self, local: LocalId, ty: TypeId) {
        let old = self.body.locals[local].ty;
        if old == ty {
            return;
        }
        let mut uses = self.body.expressions();
        uses.retain(|id| matches!(self.body.exprs[*id].kind, ExprKind::Local(l) if l == local));
        if self.cx.program.written_locals(&self.body).contains(&local) {
            // The variable of the source is filled from a parameter beside it.
            let (name, span) = (self.body.locals[local].name, self.body.locals[local].span);
            let variable = self.body.add_local(name, old, span);
            uses.into_iter().for_each(|id| self.body.exprs[id].kind = ExprKind::Local(variable));
            self.body.locals[local].name = Symbol::new(&format!("{name}_in"));
            self.body.locals[local].ty = ty;
            let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
            let value = b.local(local, ty);
            let value = adapt(&mut b, value, old);
            self.start.push(Stmt::new(StmtKind::Local(variable, Some(value)), span));
            return;
        }
        self.body.locals[local].ty = ty;
        let parents = self.body.exprs.parents(&self.body.expressions());
        for id in uses {
            // Of what only components are taken, these alone are converted: `i32(id.y)` for `vec2i(id.xy).y`.
            let is_there = |swizzle: &Swizzle| match self.cx.program.types.get(ty) {
                Type::Vector(_, n) => swizzle.list().iter().all(|component| *component < n),
                _ => false,
            };
            let whole = parents.get(&id).and_then(|parent| match self.body.exprs[*parent].kind {
                ExprKind::Swizzle(_, components) if is_there(&components) => Some((*parent, components)),
                _ => None,
            });
            let at = whole.map_or(id, |(parent, _)| parent);
            let Expr { span, ty: wanted, .. } = self.body.exprs[at];
            let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
            let value = b.local(local, ty);
            let value = match whole {
                Some((_, components)) => {
                    let chosen = b.selection(value, components);
                    b.convert(chosen, wanted)
                }
                None => adapt(&mut b, value, old),
            };
            self.body.exprs.replace_by(at, value);
        }
    }

    /// A new struct of the entry point with one field a leaf; leaves that the stage does not have are left out.
    fn flat_struct(&mut self, name: &str, leaves: &[Leaf], direction: Direction) -> (StructId, Vec<Option<u32>>) {
        let mut fields: Vec<Field> = Vec::new();
        let mut indices = Vec::new();
        for leaf in leaves {
            let Some(slot) = self.slot(leaf, direction) else {
                indices.push(None);
                continue;
            };
            let mut name = if leaf.name.is_empty() { name_of_semantic(leaf) } else { leaf.name.clone() };
            while fields.iter().any(|f| f.name == *name) {
                name.push('_');
            }
            let mut field = Field { comments: leaf.comments.clone(), ..Field::new(name.as_str(), slot.ty, leaf.span) };
            place(&slot, &mut field.attributes, &mut field.explicit, &mut field.modifiers, leaf.span);
            indices.push(Some(fields.len() as u32));
            fields.push(field);
        }
        let span = leaves.first().map(|l| l.span).unwrap_or_default();
        let id = self.cx.program.structs.push(Struct::new(name, fields, span));
        self.cx.program.items.put_before(Some(Item::Function(self.entry.function)), Item::Struct(id));
        (id, indices)
    }

    /// A parameter whose leaves come in a flat struct. With `replace`, its uses go straight to the struct's fields if all
    /// are of leaves.
    fn flat_input(&mut self, mut param: Param, leaves: Vec<Leaf>, replace: bool) -> Vec<Param> {
        let local = param.local;
        let Local { name, ty, span, .. } = self.body.locals[local].clone();
        let (id, indices) = self.flat_struct(&format!("{}_{name}", self.entry.name), &leaves, Direction::In);
        // What comes in to go out again is used.
        for (leaf, _) in leaves.iter().zip(&indices).filter(|(_, index)| index.is_none() && !replace) {
            self.missing(leaf);
        }
        let flat = self.cx.program.types.intern(Type::Struct(id));
        let incoming = self.body.add_local(name, flat, span);
        let free = replace && !self.cx.program.written_locals(&self.body).contains(&local);
        let found = accesses(&self.body, local, &leaves, &|_| false).filter(|_| free);
        param.local = incoming;
        param.mode = ParamMode::In;
        param.semantic = None;
        param.explicit = Explicit::default();
        match found {
            Some(found) => {
                self.cx.omits_unread(&leaves, &found);
                for (id, index) in found {
                    let Some(leaf) = leaves.get(index) else { continue };
                    let whole = !leaf.is_position() || sees_w(self.cx.program, &self.body, id);
                    let field = indices.get(index).copied().flatten();
                    if field.is_none() {
                        self.missing(leaf);
                    }
                    let span = self.body.exprs[id].span;
                    let value = self.read(incoming, flat, field, leaf, span, whole);
                    self.body.exprs.replace_by(id, value);
                }
            }
            None => {
                // What its stages do not have goes out of none of them.
                let whole = Incoming { local, ty, going_out: &[] };
                let missing = leaves.iter().zip(&indices).filter(|(_, index)| index.is_none()).map(|(leaf, _)| leaf);
                self.cx.report_missing((&self.entry, &self.body), &whole, missing);
                self.body.locals[incoming].name = Symbol::new(&format!("{name}_in"));
                let fields = leaves.iter().zip(&indices);
                let values = fields.map(|(leaf, field)| self.read(incoming, flat, *field, leaf, span, true));
                let (values, exprs): (Vec<ExprId>, _) = (values.collect(), &mut self.body.exprs);
                let value = assemble(self.cx.program, exprs, ty, &mut Vec::new(), (&leaves, &values), span);
                self.start.push(Stmt::new(StmtKind::Local(local, Some(value)), span));
            }
        }
        // A struct without fields is no parameter.
        if self.cx.program.structs[id].fields.is_empty() { Vec::new() } else { vec![param] }
    }

    /// The value of a leaf that is a field of the incoming struct.
    fn read(
        &mut self,
        incoming: LocalId,
        flat: TypeId,
        field: Option<u32>,
        leaf: &Leaf,
        span: Span,
        whole: bool,
    ) -> ExprId {
        let own = field.and_then(|index| self.cx.program.field_type(flat, index));
        let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
        let (Some(index), Some(own)) = (field, own) else { return b.add(ExprKind::Zero, leaf.ty) };
        let base = b.local(incoming, flat);
        let value = b.field(base, index, own);
        let turned = leaf.is_position() && has_w(b.types, leaf.ty) && self.entry.stage == Stage::Fragment;
        if turned && whole {
            let other = b.exprs.duplicate(value);
            let value = position_value(&mut b, value, other);
            return adapt(&mut b, value, leaf.ty);
        }
        adapt(&mut b, value, leaf.ty)
    }

    /// The result: as it is if that is possible, else a flat struct of everything that goes out.
    fn outputs(&mut self, mut leaves: Vec<Leaf>, out_locals: &[(usize, LocalId)]) {
        if self.entry.stage == Stage::Vertex && !leaves.iter().any(Leaf::is_position) {
            // The interface must have a position, though the source computes none.
            let ty = self.cx.program.types.vector(Scalar::F32, 4);
            let span = self.cx.program.functions[self.entry.function].span;
            let message = format!("a vertex shader without `SV_Position`: {} has the position 0", self.cx.profile.name);
            self.cx.diags.push(Diagnostic::warning(Code::ASSUMED, span, message));
            leaves.push(Leaf::zero_position(ty, span));
        }
        if leaves.is_empty() {
            return self.without_result();
        }
        self.check_blend_sources(&mut leaves);
        let result = self.cx.program.functions[self.entry.function].result;
        if out_locals.is_empty() {
            if self.keep_struct(result, &leaves, Direction::Out) {
                self.cx.program.functions[self.entry.function].result_explicit = Explicit::default();
                return;
            }
            if let [leaf] = leaves.as_slice()
                && leaf.path.is_empty()
                && leaf.source == Source::Result
            {
                match self.slot(leaf, Direction::Out) {
                    Some(slot) if slot.ty == leaf.ty => {
                        let function = &mut self.cx.program.functions[self.entry.function];
                        let span = function.span;
                        let mut modifiers = Modifiers::default();
                        place(&slot, &mut function.attributes, &mut function.result_explicit, &mut modifiers, span);
                        return;
                    }
                    Some(_) => {}
                    None => return self.missing(leaf),
                }
            }
        }
        for leaf in &leaves {
            if self.slot(leaf, Direction::Out).is_none() && self.distances_of(leaf).is_none() {
                self.missing_output(leaf);
            }
        }
        let name = format!("{}_output", self.entry.name);
        let (id, indices) = self.flat_struct(&name, &leaves, Direction::Out);
        self.distances_field(id, &leaves);
        let flat = self.cx.program.types.intern(Type::Struct(id));
        let function = &mut self.cx.program.functions[self.entry.function];
        function.result = flat;
        function.result_explicit = Explicit::default();
        self.rewrite_returns(&leaves, &indices, out_locals, flat);
    }

    /// A result without any value is none: what is returned is evaluated only.
    fn without_result(&mut self) {
        let function = &mut self.cx.program.functions[self.entry.function];
        if std::mem::replace(&mut function.result, TypeId::VOID) == TypeId::VOID {
            return;
        }
        let effects = self.cx.effects();
        let mut block = std::mem::take(&mut self.body.block);
        block.rewrite(&mut |stmt, out| match stmt.kind {
            StmtKind::Return(Some(value)) => {
                if effects.expr(&self.body.exprs, value) {
                    out.push(Stmt::new(StmtKind::Expr(value), stmt.span));
                }
                out.push(Stmt { kind: StmtKind::Return(None), ..stmt });
            }
            _ => out.push(stmt),
        });
        self.body.block = block;
    }

    /// The attribute of the array that a distance is part of, if the stage has it as an output.
    fn distances_of(&self, leaf: &Leaf) -> Option<&'static str> {
        let (semantic, _) = leaf.semantic.as_ref().filter(|_| leaf.is_system() && self.entry.stage == Stage::Vertex)?;
        distance_attribute(semantic)
    }

    /// Distances of all semantics are one array, in the order of their indices; it is the last field.
    fn distances_field(&mut self, id: StructId, leaves: &[Leaf]) {
        let Some((leaf, builtin)) = leaves.iter().find_map(|l| Some((l, self.distances_of(l)?))) else { return };
        let found = leaves.iter().filter(|l| self.distances_of(l).is_some());
        let count: u32 = found.map(|l| width(&self.cx.program.types, l.ty)).sum();
        if count > MOST_DISTANCES {
            let message = format!("a stage has at most {MOST_DISTANCES} distances of one kind");
            return self.cx.unsupported(leaf.span, message);
        }
        let types = &mut self.cx.program.types;
        let number = types.scalar(Scalar::F32);
        let ty = types.intern(Type::Array(number, Length::Fixed(count)));
        let mut field = Field::new(builtin, ty, leaf.span);
        field.attributes.push(attribute("builtin", vec![AttributeArg::Name(Symbol::new(builtin))], leaf.span));
        self.cx.program.structs[id].fields.push(field);
    }

    fn rewrite_returns(
        &mut self,
        leaves: &[Leaf],
        indices: &[Option<u32>],
        out_locals: &[(usize, LocalId)],
        flat: TypeId,
    ) {
        let mut block = std::mem::take(&mut self.body.block);
        let ends = matches!(block.stmts.last(), Some(Stmt { kind: StmtKind::Return(_), .. }));
        block.rewrite(&mut |stmt, out| {
            let StmtKind::Return(value) = stmt.kind else {
                out.push(stmt);
                return;
            };
            let span = stmt.span;
            let mut base = value;
            if let Some(value) = value
                && !matches!(self.body.exprs[value].kind, ExprKind::Local(_))
                && leaves.iter().filter(|l| l.source == Source::Result).count() > 1
            {
                let ty = self.body.exprs[value].ty;
                let temporary = self.body.add_local("result", ty, span);
                out.push(Stmt::new(StmtKind::Local(temporary, Some(value)), span));
                base = Some(self.body.exprs.push(Expr { kind: ExprKind::Local(temporary), ty, span }));
            }
            let value = self.outgoing(leaves, indices, out_locals, base, flat, span);
            out.push(Stmt { kind: StmtKind::Return(Some(value)), ..stmt });
        });
        if !ends {
            let span = block.stmts.last().map(|s| s.span).unwrap_or_default();
            let value = self.outgoing(leaves, indices, out_locals, None, flat, span);
            block.stmts.push(Stmt::new(StmtKind::Return(Some(value)), span));
        }
        self.body.block = block;
    }

    /// The flat struct from the `out` variables and the returned value.
    fn outgoing(
        &mut self,
        leaves: &[Leaf],
        indices: &[Option<u32>],
        out_locals: &[(usize, LocalId)],
        result: Option<ExprId>,
        flat: TypeId,
        span: Span,
    ) -> ExprId {
        let mut parts = Vec::new();
        for (leaf, index) in leaves.iter().zip(indices) {
            let Some(own) = index.and_then(|i| self.cx.program.field_type(flat, i)) else { continue };
            let value = self.outgoing_leaf(leaf, out_locals, result, span);
            let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
            parts.push(adapt(&mut b, value, own));
        }
        parts.extend(self.outgoing_distances(leaves, out_locals, result, span));
        self.body.exprs.push(Expr { kind: ExprKind::Construct(parts), ty: flat, span })
    }

    /// The array of distances, if there are any.
    fn outgoing_distances(
        &mut self,
        leaves: &[Leaf],
        out_locals: &[(usize, LocalId)],
        result: Option<ExprId>,
        span: Span,
    ) -> Option<ExprId> {
        let mut found: Vec<&Leaf> = leaves.iter().filter(|l| self.distances_of(l).is_some()).collect();
        found.sort_by_key(|leaf| leaf.semantic.clone());
        let mut numbers = Vec::new();
        for leaf in found {
            for component in 0..width(&self.cx.program.types, leaf.ty) {
                let value = self.outgoing_leaf(leaf, out_locals, result, span);
                let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
                let value = match b.types.get(leaf.ty) {
                    Type::Vector(..) => b.swizzle(value, &[component as u8]),
                    _ => value,
                };
                numbers.push(b.convert(value, TypeId::FLOAT));
            }
        }
        let number = self.cx.program.types.scalar(Scalar::F32);
        let ty = self.cx.program.types.intern(Type::Array(number, Length::Fixed(numbers.len() as u32)));
        let kind = ExprKind::Construct(numbers.clone());
        (!numbers.is_empty()).then(|| self.body.exprs.push(Expr { kind, ty, span }))
    }

    /// What goes out for a leaf: a part of the result or of an `out` variable.
    fn outgoing_leaf(
        &mut self,
        leaf: &Leaf,
        out_locals: &[(usize, LocalId)],
        result: Option<ExprId>,
        span: Span,
    ) -> ExprId {
        let base = match leaf.source {
            Source::Nothing => None,
            Source::Result => result.map(|r| self.body.exprs.duplicate(r)),
            Source::Param(param) => out_locals.iter().find(|(i, _)| *i == param).map(|(_, local)| {
                let ty = self.body.locals[*local].ty;
                self.body.exprs.push(Expr { kind: ExprKind::Local(*local), ty, span })
            }),
        };
        match base {
            Some(base) => self.cx.program.part(&mut self.body.exprs, base, &leaf.path),
            None => self.body.exprs.push(Expr { kind: ExprKind::Zero, ty: leaf.ty, span }),
        }
    }
}

/// Writes a place to the attributes of a field, parameter or result.
fn place(
    slot: &InterfaceSlot,
    attributes: &mut Vec<Attribute>,
    explicit: &mut Explicit,
    modifiers: &mut Modifiers,
    span: Span,
) {
    if let Some(builtin) = slot.builtin {
        attributes.push(attribute("builtin", vec![AttributeArg::Name(Symbol::new(builtin))], span));
    }
    explicit.location = slot.location.map(|n| (n, span));
    explicit.index = slot.index;
    *modifiers = slot.modifiers;
}

/// How many numbers a scalar or vector has.
fn width(types: &Types, ty: TypeId) -> u32 {
    match types.get(ty) {
        Type::Vector(_, n) => n.into(),
        _ => 1,
    }
}
