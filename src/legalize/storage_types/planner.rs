//! Which data is stored in another type, and in which.
//!
//! ```text
//! before: cbuffer C { float4x4 view; bool on; float w[3]; }
//! after:  view: the transposed; on: uint; w: float4[3]
//! ```

use super::super::Context;
use super::{Plan, Stored};
use crate::source::Span;
use crate::target::{Capability, Placement};
use crate::tree::{GlobalKind, Item, MatrixOrder, Program, Scalar, StructId, Type, TypeId, Types};
use rustc_hash::FxHashSet;

/// Finds the data that is stored.
pub(super) struct Planner<'a, 'b> {
    cx: &'a mut Context<'b>,
    plan: Plan,
    uniform: FxHashSet<StructId>,
    storage: FxHashSet<StructId>,
    /// The one storage order of what is being visited, where fields cannot have their own.
    expected: Option<MatrixOrder>,
    /// Structs whose fields cannot be moved: a matrix of one vector must have the alignment and size of an array there.
    inner: FxHashSet<StructId>,
    /// What is being stored is a field of such a struct.
    within: bool,
}

impl<'a, 'b> Planner<'a, 'b> {
    pub(super) fn new(cx: &'a mut Context<'b>) -> Self {
        Planner {
            cx,
            plan: Plan::default(),
            uniform: FxHashSet::default(),
            storage: FxHashSet::default(),
            expected: None,
            inner: FxHashSet::default(),
            within: false,
        }
    }

    /// Finds the structs inside of others and of arrays, if only members of blocks can be moved.
    fn find_inner(&mut self, globals: &[(TypeId, Option<MatrixOrder>, bool)]) {
        if self.cx.profile.facts.placement != Placement::BlockOffset {
            return;
        }
        let program = &*self.cx.program;
        let mut open: Vec<TypeId> = Vec::new();
        for (ty, ..) in globals {
            match program.types.get(program.types.innermost(*ty)) {
                Type::ConstantBuffer(t) => match program.types.get(t) {
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

    pub(super) fn plan(mut self) -> Plan {
        let globals = self.parameters();
        self.find_inner(&globals);
        for (ty, order, transparent) in &globals {
            self.expected = None;
            let ty = self.cx.program.types.innermost(*ty);
            match self.cx.program.types.get(ty) {
                Type::ConstantBuffer(t) if *transparent => self.members(t),
                Type::ConstantBuffer(t) => self.contents(ty, t, *order, true),
                Type::TextureBuffer(t) => self.contents(ty, t, *order, false),
                Type::Buffer(kind, _, t) if kind != crate::tree::BufferKind::Typed => {
                    self.contents(ty, t, *order, false)
                }
                _ => {}
            }
        }
        // A field of one struct cannot be stored in two ways.
        let both: Vec<StructId> = self.uniform.intersection(&self.storage).copied().collect();
        let mut clashes: Vec<Span> = Vec::new();
        for id in both {
            for index in 0..self.cx.program.structs[id].fields.len() as u32 {
                let (uniform, storage) = (self.field(id, index, true), self.field(id, index, false));
                if uniform.map(|s| s.ty) != storage.map(|s| s.ty) {
                    clashes.extend(self.cx.program.structs[id].fields.get(index as usize).map(|f| f.span));
                }
            }
        }
        clashes.sort_by_key(|s| (s.file, s.start));
        for span in clashes {
            let message =
                "this field has other strides in a constant buffer than in a structured buffer; use two structs";
            self.cx.unsupported(span, message);
        }
        self.plan
    }

    fn parameters(&self) -> Vec<(TypeId, Option<MatrixOrder>, bool)> {
        // What nothing uses is no longer among the items.
        let globals = self.cx.program.items.iter().filter_map(|item| match item {
            Item::Global(id) => Some(&self.cx.program.globals[*id]),
            _ => None,
        });
        let globals = globals.filter(|g| g.kind == GlobalKind::Parameter);
        globals.map(|g| (g.ty, g.matrix_order, g.transparent)).collect()
    }

    /// The members of a `cbuffer`: each can have its own storage order.
    fn members(&mut self, element: TypeId) {
        let Type::Struct(id) = self.cx.program.types.get(element) else { return };
        let fields: Vec<(TypeId, Option<MatrixOrder>)> =
            self.cx.program.structs[id].fields.iter().map(|f| (f.ty, f.matrix_order)).collect();
        self.uniform.insert(id);
        for (index, (ty, own)) in (0..).zip(fields) {
            let order = own.unwrap_or(self.cx.program.default_matrix_order);
            self.expected = orders(self.cx.program, ty, order).first().copied();
            self.one_field(id, index, ty, true);
        }
    }

    fn contents(&mut self, buffer: TypeId, element: TypeId, order: Option<MatrixOrder>, uniform: bool) {
        let inherited = order.unwrap_or(self.cx.program.default_matrix_order);
        self.expected = orders(self.cx.program, element, inherited).first().copied();
        match self.cx.program.types.get(self.cx.program.types.innermost(element)) {
            Type::Struct(id) => self.structure(id, uniform),
            _ => {
                let order = order.unwrap_or(self.cx.program.default_matrix_order);
                if let Some(stored) = self.stored(element, order, uniform) {
                    self.plan.buffers.insert(buffer, stored);
                }
            }
        }
    }

    fn structure(&mut self, id: StructId, uniform: bool) {
        let seen = if uniform { &mut self.uniform } else { &mut self.storage };
        if !seen.insert(id) {
            return;
        }
        for index in 0..self.cx.program.structs[id].fields.len() as u32 {
            let Some(ty) = self.cx.program.structs[id].fields.get(index as usize).map(|f| f.ty) else { continue };
            self.one_field(id, index, ty, uniform);
        }
    }

    fn one_field(&mut self, id: StructId, index: u32, ty: TypeId, uniform: bool) {
        match self.cx.program.types.get(self.cx.program.types.innermost(ty)) {
            Type::Struct(inner) => self.structure(inner, uniform),
            _ => {
                if let Some(stored) = self.field(id, index, uniform) {
                    self.plan.fields.insert((id, index), stored);
                    let both = self.cx.profile.has(Capability::BothMatrixOrders);
                    if let Some(order) = self.expected.filter(|_| both) {
                        self.plan.orders.insert((id, index), order);
                    }
                }
            }
        }
    }

    fn field(&mut self, id: StructId, index: u32, uniform: bool) -> Option<Stored> {
        let field = self.cx.program.structs[id].fields.get(index as usize)?;
        let order = field.matrix_order.unwrap_or(self.cx.program.default_matrix_order);
        self.within = self.inner.contains(&id);
        let stored = self.stored(field.ty, order, uniform);
        self.within = false;
        stored
    }

    /// The type that is stored for `ty`, if it is another one.
    fn stored(&mut self, ty: TypeId, order: MatrixOrder, uniform: bool) -> Option<Stored> {
        let mut transposed = false;
        let stored = self.physical(ty, order, uniform, false, &mut transposed);
        (stored != ty || transposed).then_some(Stored { ty: stored, transposed })
    }

    fn physical(
        &mut self,
        ty: TypeId,
        order: MatrixOrder,
        uniform: bool,
        spaced: bool,
        transposed: &mut bool,
    ) -> TypeId {
        let profile = self.cx.profile;
        let sparse = uniform && !profile.has(Capability::SparseUniformArrays);
        let bools = !profile.has(Capability::BoolInBuffers);
        let scalar = |s: Scalar| if bools && s == Scalar::Bool { Scalar::U32 } else { s };
        let types = &mut self.cx.program.types;
        match types.get(ty) {
            // Only 4-byte elements are widened to a vector of four.
            Type::Scalar(s) if sparse && spaced && s.size() == 4 => types.vector(scalar(s), 4),
            Type::Vector(s, n) if sparse && spaced && s.size() == 4 && n < 3 => types.vector(scalar(s), 4),
            Type::Scalar(s) => types.scalar(scalar(s)),
            Type::Vector(s, n) => types.vector(scalar(s), n),
            Type::Matrix(s, rows, columns) => {
                let unit = (rows == 1 || columns == 1) && !profile.has(Capability::UnitVectors);
                let is_matrix = !unit && (s.is_float() || profile.has(Capability::NonFloatMatrices));
                if is_matrix && profile.has(Capability::BothMatrixOrders) {
                    *transposed = self.expected.is_some_and(|e| e != order);
                    let (rows, columns) = if *transposed { (columns, rows) } else { (rows, columns) };
                    return types.matrix(scalar(s), rows, columns);
                }
                let by_columns = order == MatrixOrder::Column;
                let (count, length) = if by_columns { (columns, rows) } else { (rows, columns) };
                let widened = sparse && length < 3 && s.size() == 4;
                if unit && count == 1 && !(widened && spaced) && !(self.within && !spaced && length < 4) {
                    return types.matrix(scalar(s), rows, columns);
                }
                *transposed = by_columns;
                if unit && count == 1 && !widened {
                    let vector = vector(types, scalar(s), length);
                    return types.array(vector, Some(1));
                }
                if widened {
                    let vector = types.vector(scalar(s), 4);
                    return types.array(vector, Some(count.into()));
                }
                if unit || (by_columns && !is_matrix) {
                    let vector = vector(types, scalar(s), length);
                    return types.array(vector, Some(count.into()));
                }
                types.matrix(scalar(s), count, length)
            }
            Type::Array(element, count) => {
                let element = self.physical(element, order, uniform, true, transposed);
                self.cx.program.types.array(element, count)
            }
            _ => ty,
        }
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

/// Whether one part of a buffer that can only have one storage order holds matrices of both.
pub(in super::super) fn mixes_orders(program: &Program, global: &crate::tree::Global, element: TypeId) -> bool {
    let order = global.matrix_order.unwrap_or(program.default_matrix_order);
    let mixed = |ty: TypeId, order: MatrixOrder| {
        let list = orders(program, ty, order);
        list.windows(2).any(|w| w.first() != w.last())
    };
    match program.types.get(element) {
        Type::Struct(id) if global.transparent => {
            program.structs[id].fields.iter().any(|f| mixed(f.ty, f.matrix_order.unwrap_or(order)))
        }
        _ => mixed(element, order),
    }
}

/// A vector, or the scalar that a vector of one will be.
pub(super) fn vector(types: &mut Types, scalar: Scalar, length: u8) -> TypeId {
    if length == 1 { types.scalar(scalar) } else { types.vector(scalar, length) }
}
