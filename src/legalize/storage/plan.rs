//! What is stored otherwise than the source has it: buffers by their types or one by one, and fields of structs.

use super::slot::{Form, Slot};
use crate::tree::*;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A type of buffers whose data is stored otherwise.
pub(super) struct Buffer {
    /// The new type of the buffer.
    pub(super) ty: TypeId,
    /// The new type of its data.
    pub(super) data: TypeId,
    pub(super) slot: Slot,
}

/// A field of a struct that keeps its one declaration: the field is stored so wherever values of the struct are.
pub(super) struct DeclaredField {
    pub(super) ty: TypeId,
    pub(super) order: MatrixOrder,
    pub(super) slot: Slot,
}

/// Which data is stored otherwise.
#[derive(Default)]
pub(super) struct Plan {
    /// All buffers of a type.
    pub(super) types: BTreeMap<TypeId, Buffer>,
    /// Those of a type that has other buffers which are laid out in other ways; nothing for one that stays.
    pub(super) globals: BTreeMap<GlobalId, (TypeId, Option<Buffer>)>,
    pub(super) fields: FxHashMap<(StructId, u32), DeclaredField>,
    /// The functions that make values of structs with two declarations, by the stored types; made where they are wanted.
    pub(super) loads: RefCell<BTreeMap<TypeId, FunctionId>>,
}

impl Plan {
    pub(super) fn is_empty(&self) -> bool {
        self.types.is_empty() && self.fields.is_empty() && self.globals.values().all(|(_, buffer)| buffer.is_none())
    }

    /// The plan for what an expression is, if it is a buffer.
    pub(super) fn of(&self, exprs: &ExprArena, id: ExprId) -> Option<&Buffer> {
        let alone = match exprs[exprs.base(id)].kind {
            ExprKind::Global(g) => self.globals.get(&g),
            _ => None,
        };
        match alone {
            Some((ty, buffer)) if exprs[id].ty == *ty => buffer.as_ref(),
            _ => self.types.get(&exprs[id].ty),
        }
    }

    /// The stored type and the slot of what an expression names, if that is the data of a buffer or a field.
    pub(super) fn root(&self, types: &Types, exprs: &ExprArena, id: ExprId) -> Option<(TypeId, &Slot)> {
        match exprs[id].kind {
            ExprKind::Index(base, _) | ExprKind::Contents(base) | ExprKind::Deref(base) => {
                self.of(exprs, base).map(|b| (b.data, &b.slot))
            }
            ExprKind::Field(base, index) => {
                let field = self.declared(types, exprs, base, index)?;
                // Inside of what is stored otherwise it lies as that says.
                let whole = self.slot(types, exprs, base).is_none_or(|outer| outer.form == Form::Same);
                whole.then_some((field.ty, &field.slot))
            }
            _ => None,
        }
    }

    /// The slot of what an expression names, by the fields and elements that it selects of a root.
    fn slot(&self, types: &Types, exprs: &ExprArena, id: ExprId) -> Option<&Slot> {
        let outer = |base| self.slot(types, exprs, base).map(|slot| (slot, &slot.form));
        match exprs[id].kind {
            ExprKind::Index(base, _) if self.of(exprs, base).is_none() => match outer(base)? {
                (_, Form::Array(inner)) => Some(inner),
                (slot, Form::Words(_)) => Some(slot),
                _ => None,
            },
            ExprKind::Field(base, index) => match outer(base) {
                Some((_, Form::Struct(fields) | Form::Twin(_, fields))) => fields.get(index as usize),
                Some((slot, Form::Words(_))) => Some(slot),
                _ => self.declared(types, exprs, base, index).map(|f| &f.slot),
            },
            _ => self.root(types, exprs, id).map(|(_, slot)| slot),
        }
    }

    fn declared(&self, types: &Types, exprs: &ExprArena, base: ExprId, index: u32) -> Option<&DeclaredField> {
        let Type::Struct(id) = types.get(exprs[base].ty) else { return None };
        self.fields.get(&(id, index))
    }

    /// Gives fields their new types, which accesses to stored structs are then typed by. How members of the structs are stored
    /// that were declared for buffers is then said by the slots of these.
    pub(super) fn declare_fields(&mut self, program: &mut Program) {
        let mut members = Members { program, fields: &self.fields, found: BTreeSet::new() };
        let alone = self.globals.values_mut().filter_map(|(_, buffer)| buffer.as_mut());
        for buffer in self.types.values_mut().chain(alone) {
            members.say(&mut buffer.slot, buffer.data);
        }
        let found = members.found;
        // The order does not matter: each field is changed by itself.
        #[expect(clippy::iter_over_hash_type, reason = "each field is changed by itself")]
        for (&(id, index), declared) in &self.fields {
            if let Some(field) = program.structs[id].fields.get_mut(index as usize) {
                (field.ty, field.matrix_order) = (declared.ty, Some(declared.order));
            }
        }
        self.fields.retain(|member, _| !found.contains(member));
    }

    /// Gives buffers their new types.
    pub(super) fn declare_buffers(&self, program: &mut Program) {
        super::elements::retype_whole(program, self);
        for (id, buffer) in self.globals.iter().filter_map(|(id, (_, b))| Some((*id, b.as_ref()?))) {
            program.globals[id].ty = with_innermost(&mut program.types, program.globals[id].ty, buffer.ty);
        }
        program.map_types(&mut |_, ty| self.types.get(&ty).map_or(ty, |buffer| buffer.ty));
        super::products::products(program);
    }

    /// Gives the buffers that are planned one by one their types where a body names them.
    pub(super) fn retype_names(&self, types: &mut Types, body: &mut Body) {
        for id in body.expressions().into_iter().filter(|_| !self.globals.is_empty()) {
            let ty = body.exprs[id].ty;
            if let ExprKind::Global(g) = &body.exprs[body.exprs.base(id)].kind
                && let Some((old, Some(buffer))) = self.globals.get(g)
                && types.innermost(ty) == *old
            {
                body.exprs[id].ty = with_innermost(types, ty, buffer.ty);
            }
        }
    }
}

/// The members of structs that were declared for buffers.
struct Members<'a> {
    program: &'a Program,
    fields: &'a FxHashMap<(StructId, u32), DeclaredField>,
    found: BTreeSet<(StructId, u32)>,
}

impl Members<'_> {
    /// Says in a slot, seen from what has the type `holder`, how the members are stored that it names.
    fn say(&mut self, slot: &mut Slot, holder: TypeId) {
        let (mut ty, mut stored) = (holder, None);
        for step in &slot.steps {
            match (step, self.program.types.get(ty)) {
                (Step::Field(index), Type::Struct(id)) => {
                    self.found.insert((id, *index));
                    stored = self.fields.get(&(id, *index)).map(|f| &f.slot);
                }
                _ => stored = stored.and_then(Slot::element),
            }
            ty = self.within(ty, *step);
        }
        let element = self.within(ty, Step::Element(0));
        match &mut slot.form {
            Form::Struct(list) | Form::Pieces(list) => list.iter_mut().for_each(|part| self.say(part, holder)),
            Form::Array(inner) => self.say(inner, element),
            Form::Matrix(_, list, inner) => {
                list.iter_mut().for_each(|part| self.say(part, holder));
                inner.iter_mut().for_each(|part| self.say(part, element));
            }
            Form::Same => {
                if let Some(stored) = stored {
                    slot.form = stored.clone().seen_through(&slot.steps).form;
                }
            }
            // The others are stored as what they say.
            _ => {}
        }
    }

    fn within(&self, ty: TypeId, step: Step) -> TypeId {
        let inner = match (step, self.program.types.get(ty)) {
            (Step::Field(index), _) => self.program.field_type(ty, index),
            (Step::Element(_), Type::Array(element, _)) => Some(element),
            _ => None,
        };
        inner.unwrap_or(TypeId::ERROR)
    }
}

/// An array with other elements, or just those.
pub(super) fn with_innermost(types: &mut Types, ty: TypeId, inner: TypeId) -> TypeId {
    match types.array_parts(ty) {
        Some((element, count)) => {
            let element = with_innermost(types, element, inner);
            types.array(element, count)
        }
        None => inner,
    }
}
