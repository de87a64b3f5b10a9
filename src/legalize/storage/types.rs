//! Data in buffers gets types that the target can store with the bytes that layout promises.
//!
//! Before: `struct Camera { float4x4 view; bool on; float w[3]; }     mul(c.view, p)      if (c.on)        c.w[i]`
//! After:  `struct Camera { float4x4 view; uint on; float4 w[3]; }    c.view * p          if (c.on != 0)   c.w[i].x`
//!
//! | type | stored as | where |
//! | --- | --- | --- |
//! | `bool`, vectors and matrices of it | unsigned numbers | the target has no bools in buffers |
//! | an element of an array of less than 16 bytes | a vector of four | constant buffers whose elements lie densely |
//! | a matrix of vectors of less than 16 bytes | an array of vectors of four | the same |
//! | a matrix by columns | the transposed | all matrices are stored by rows |
//! | a matrix in another order than the first beside it | the transposed | one order for all matrices in a member |
//! | a matrix that will be an array or vector | an array of its vectors | by columns, or where a struct keeps its size |
//! | a struct that lies differently there | a second declaration ([`super::uniform`]) | constant buffers |
//!
//! A struct has one declaration otherwise, so its fields have these types wherever values of it are.

use super::super::Context;
use super::buffers::pointers;
use super::plan::{Buffer, DeclaredField, Plan};
use super::slot::{Form, Slot};
use crate::target::{Capability, Placement};
use crate::tree::{BufferKind, GlobalId, GlobalKind, MatrixOrder, Program, Scalar, Step, StructId, Type, TypeId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Adds to a plan what is stored in other types, in buffers that have the types of the plan. `twins` are second declarations
/// of structs, for constant buffers.
pub(super) fn plan(cx: &mut Context, plan: &mut Plan, twins: BTreeMap<StructId, StructId>) {
    let (seen, inner) = (FxHashSet::default(), FxHashSet::default());
    Planner { cx, plan, twins, seen, expected: None, inner, within: false }.plan();
}

/// Finds the data that is stored.
struct Planner<'a, 'b> {
    cx: &'a mut Context<'b>,
    plan: &'a mut Plan,
    twins: BTreeMap<StructId, StructId>,
    /// Structs that have been visited, in constant buffers or not.
    seen: FxHashSet<(StructId, bool)>,
    /// The one storage order of what is being visited, where fields cannot have their own.
    expected: Option<MatrixOrder>,
    /// Structs whose fields cannot be moved: a matrix of one vector must have the alignment and size of an array there.
    inner: FxHashSet<StructId>,
    /// What is being stored is a field of such a struct.
    within: bool,
}

impl Planner<'_, '_> {
    /// Finds the structs inside of others and of arrays, if only members of blocks can be moved.
    fn find_inner(&mut self, globals: &[(GlobalId, TypeId)]) {
        if !matches!(self.cx.profile.facts.placement, Placement::BlockOffset | Placement::Padding) {
            return;
        }
        let program = &*self.cx.program;
        let mut open: Vec<TypeId> = Vec::new();
        for (_, ty) in globals {
            match program.types.get(*ty) {
                Type::ConstantBuffer(t, _) => match program.types.get(t) {
                    Type::Struct(s) => open.extend(program.structs[s].fields.iter().map(|f| f.ty)),
                    _ => open.push(t),
                },
                Type::TextureBuffer(t) | Type::Buffer(_, _, t) => open.push(t),
                _ => {}
            }
        }
        while let Some(ty) = open.pop() {
            if let Type::Struct(s) = program.types.get(program.types.innermost(ty))
                && self.inner.insert(s)
            {
                open.extend(program.structs[s].fields.iter().map(|f| f.ty));
            }
        }
    }

    fn plan(mut self) {
        let globals = self.parameters();
        self.find_inner(&globals);
        for (id, ty) in globals {
            self.expected = None;
            match self.cx.program.types.get(ty) {
                Type::ConstantBuffer(t, _) if self.cx.program.globals[id].transparent => self.members(t),
                Type::ConstantBuffer(t, _) => self.contents(id, ty, t, true),
                Type::TextureBuffer(t) => self.contents(id, ty, t, false),
                Type::Buffer(kind, _, t) if kind != BufferKind::Typed => self.contents(id, ty, t, false),
                _ => {}
            }
        }
        for pointer in pointers(self.cx.program).into_keys() {
            if let Type::Pointer(data, _) = self.cx.program.types.get(pointer)
                && let Type::Struct(id) = self.cx.program.types.get(data)
            {
                self.expected = orders(self.cx.program, data, self.cx.program.default_matrix_order).first().copied();
                self.structure(id, false);
            }
        }
    }

    /// Parameters, with their types or those of their elements.
    fn parameters(&self) -> Vec<(GlobalId, TypeId)> {
        let program = &*self.cx.program;
        // What nothing uses is no longer among the items.
        let globals = program.listed_globals().filter(|id| program.globals[*id].kind == GlobalKind::Parameter);
        globals.map(|id| (id, program.types.innermost(program.globals[id].ty))).collect()
    }

    /// The members of a `cbuffer`: each can have its own storage order.
    fn members(&mut self, element: TypeId) {
        let Type::Struct(id) = self.cx.program.types.get(element) else { return };
        let fields: Vec<(TypeId, Option<MatrixOrder>)> =
            self.cx.program.structs[id].fields.iter().map(|f| (f.ty, f.matrix_order)).collect();
        for (index, (ty, own)) in (0..).zip(fields) {
            let order = own.unwrap_or(self.cx.program.default_matrix_order);
            self.expected = orders(self.cx.program, ty, order).first().copied();
            self.one_field(id, index, ty, true);
        }
    }

    fn contents(&mut self, id: GlobalId, buffer: TypeId, element: TypeId, uniform: bool) {
        let order = self.cx.program.globals[id].matrix_order.unwrap_or(self.cx.program.default_matrix_order);
        self.expected = orders(self.cx.program, element, order).first().copied();
        match self.cx.program.types.get(self.cx.program.types.innermost(element)) {
            Type::Struct(id) if self.twin(id, uniform).is_none() => self.structure(id, uniform),
            _ => {
                let slot = self.slot(element, order, uniform, false);
                if let (Some(data), true) = (slot.stored_type(&mut self.cx.program.types), slot.form != Form::Same) {
                    let types = &mut self.cx.program.types;
                    let ty = types.intern(types.get(buffer).with_element(data));
                    if !slot.is_twin() {
                        self.cx.program.globals[id].matrix_order = Some(MatrixOrder::Row);
                    }
                    let planned = Buffer { ty, data, slot };
                    match self.plan.globals.get_mut(&id) {
                        Some((_, alone)) => *alone = Some(planned),
                        None => drop(self.plan.types.insert(buffer, planned)),
                    }
                }
            }
        }
    }

    fn structure(&mut self, id: StructId, uniform: bool) {
        if !self.seen.insert((id, uniform)) {
            return;
        }
        for index in 0..self.cx.program.structs[id].fields.len() as u32 {
            let Some(ty) = self.cx.program.structs[id].fields.get(index as usize).map(|f| f.ty) else { continue };
            self.one_field(id, index, ty, uniform);
        }
    }

    fn one_field(&mut self, id: StructId, index: u32, ty: TypeId, uniform: bool) {
        match self.cx.program.types.get(self.cx.program.types.innermost(ty)) {
            Type::Struct(inner) if self.twin(inner, uniform).is_none() => self.structure(inner, uniform),
            _ => {
                let Some(slot) = self.field(id, index, uniform) else { return };
                let Some(ty) = slot.stored_type(&mut self.cx.program.types) else { return };
                let both = self.cx.profile.has(Capability::BothMatrixOrders);
                let order = self.expected.filter(|_| both).unwrap_or(MatrixOrder::Row);
                self.plan.fields.insert((id, index), DeclaredField { ty, order, slot });
            }
        }
    }

    /// The second declaration of a struct, if it has one where it is.
    fn twin(&self, id: StructId, uniform: bool) -> Option<StructId> {
        self.twins.get(&id).copied().filter(|_| uniform)
    }

    /// How a struct is stored by its second declaration.
    fn second(&mut self, twin: StructId) -> Form {
        self.structure(twin, true);
        let fields = (0..).zip(&self.cx.program.structs[twin].fields).map(|(index, field)| {
            let declared = self.plan.fields.get(&(twin, index)).map(|f| f.slot.clone());
            declared.unwrap_or(Slot::here(field.ty, Form::Same)).seen_through(&[Step::Field(index)])
        });
        Form::Twin(self.cx.program.types.intern(Type::Struct(twin)), fields.collect())
    }

    /// How a field is stored, if otherwise.
    fn field(&mut self, id: StructId, index: u32, uniform: bool) -> Option<Slot> {
        let field = self.cx.program.structs[id].fields.get(index as usize)?;
        let order = field.matrix_order.unwrap_or(self.cx.program.default_matrix_order);
        self.within = self.inner.contains(&id);
        let slot = self.slot(field.ty, order, uniform, false);
        self.within = false;
        (slot.form != Form::Same).then_some(slot)
    }

    /// How a type is stored. `spaced`: it is an element of an array.
    fn slot(&mut self, ty: TypeId, order: MatrixOrder, uniform: bool, spaced: bool) -> Slot {
        let profile = self.cx.profile;
        let sparse = uniform && !profile.has(Capability::SparseUniformArrays);
        let bools = !profile.has(Capability::BoolInBuffers);
        let form = match self.cx.program.types.get(ty) {
            Type::Struct(id) => self.twin(id, uniform).map_or(Form::Same, |twin| self.second(twin)),
            // Only 4-byte elements are widened to a vector of four.
            Type::Scalar(s) if sparse && spaced && s.size() == 4 => Form::Wide,
            Type::Vector(s, n) if sparse && spaced && s.size() == 4 && n < 3 => Form::Wide,
            Type::Scalar(Scalar::Bool) | Type::Vector(Scalar::Bool, _) if bools => Form::Number,
            Type::Matrix(s, rows, columns) => return self.matrix(ty, (s, rows, columns), order, sparse, spaced),
            Type::Array(element, _) => match self.slot(element, order, uniform, true) {
                Slot { form: Form::Same, .. } => Form::Same,
                inner => Form::Array(Box::new(inner)),
            },
            _ => Form::Same,
        };
        Slot::here(ty, form)
    }

    fn matrix(
        &mut self,
        ty: TypeId,
        (s, rows, columns): (Scalar, u8, u8),
        order: MatrixOrder,
        sparse: bool,
        spaced: bool,
    ) -> Slot {
        let profile = self.cx.profile;
        let number = s == Scalar::Bool && !profile.has(Capability::BoolInBuffers);
        let as_it_is = if number { Form::Number } else { Form::Same };
        let unit = (rows == 1 || columns == 1) && !profile.has(Capability::UnitVectors);
        let is_matrix = !unit && (s.is_float() || profile.has(Capability::NonFloatMatrices));
        if is_matrix && profile.has(Capability::BothMatrixOrders) {
            let transposed = self.expected.is_some_and(|e| e != order);
            return Slot::here(ty, if transposed { Form::Transposed } else { as_it_is });
        }
        let by_columns = order == MatrixOrder::Column;
        let (count, length) = if by_columns { (columns, rows) } else { (rows, columns) };
        let widened = sparse && length < 3 && s.size() == 4;
        if unit && count == 1 && !(widened && spaced) && !(self.within && !spaced && length < 4) {
            return Slot::here(ty, as_it_is);
        }
        if unit || widened || (by_columns && !is_matrix) {
            let form = if widened { Form::Wide } else { as_it_is };
            let of = self.cx.program.types.scalar_or_vector(s, length);
            return Slot::matrix(ty, order, Slot::here(of, form), count);
        }
        Slot::here(ty, if by_columns { Form::Transposed } else { as_it_is })
    }
}

/// The storage orders of the matrices in a type, each as often as it occurs; `order` is that of those without a modifier.
pub(in super::super) fn orders(program: &Program, ty: TypeId, order: MatrixOrder) -> Vec<MatrixOrder> {
    match program.types.get(program.types.innermost(ty)) {
        // Others will be arrays and vectors.
        Type::Matrix(s, rows, columns) if s.is_float() && rows > 1 && columns > 1 => vec![order],
        Type::Struct(id) => {
            let fields = &program.structs[id].fields;
            fields.iter().flat_map(|f| orders(program, f.ty, f.matrix_order.unwrap_or(order))).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a type holds matrices of both storage orders.
pub(super) fn is_mixed(program: &Program, ty: TypeId, order: MatrixOrder) -> bool {
    orders(program, ty, order).windows(2).any(|w| w.first() != w.last())
}

/// Whether one part of a buffer that can only have one storage order holds matrices of both.
pub(in super::super) fn mixes_orders(program: &Program, global: &crate::tree::Global, element: TypeId) -> bool {
    let order = global.matrix_order.unwrap_or(program.default_matrix_order);
    match program.types.get(element) {
        Type::Struct(id) if global.transparent => {
            program.structs[id].fields.iter().any(|f| is_mixed(program, f.ty, f.matrix_order.unwrap_or(order)))
        }
        _ => is_mixed(program, element, order),
    }
}
