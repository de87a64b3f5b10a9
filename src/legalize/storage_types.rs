//! Data in buffers gets types that the target can store with the bytes that layout promises.
//!
//! Before: `struct Camera { float4x4 view; bool on; float w[3]; }     mul(c.view, p)      if (c.on)        c.w[i]`
//! After:  `struct Camera { float4x4 view; uint on; float4 w[3]; }    c.view * p          if (c.on != 0)   c.w[i].x`
//!
//! * A matrix that is stored by columns is declared transposed, read through `transpose`, and an element is read with its
//!   indices exchanged. A product with a vector needs no transposition: the operands change places instead.
//! * A `bool` is a `uint`.
//! * In a constant buffer, an element of an array or a vector of a matrix takes 16 bytes: small ones are widened.
//! * A matrix that will be an array of rows, or a single vector, but is stored by columns is an array of its columns.
//!
//! A row of a matrix that is stored by columns is read and written element by element.
//!
//! A struct has one declaration, so its fields have these types wherever values of it are.
//!
//! Removes: BothMatrixOrders, BoolInBuffers, SparseUniformArrays. Runs after: uniform_blocks; before: unit_vectors,
//! non_float_matrices. Spec: DESIGN "Matrices".

use super::hoist::{Mark, Marks, hoist, temporary_name};
use super::references;
use super::{Context, Pass};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::{Capability, Placement};
use crate::tree::walk::is_trivial;
use crate::tree::{
    BinaryOp, Body, Build, Expr, ExprArena, ExprId, ExprKind, FunctionBody, FunctionId, GlobalKind, Item, MatrixOrder,
    Program, Scalar, Stmt, StmtKind, StructId, Template, TemplatePiece, Type, TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "storage_types",
    removes: &[
        Capability::BothMatrixOrders,
        Capability::BoolInBuffers,
        Capability::SparseUniformArrays,
        Capability::NonFloatMatrices,
        Capability::UnitVectors,
        Capability::MixedMatrixOrders,
    ],
    adds: &[],
    run,
};

/// A stored type, and whether it is the transposed of what it stands for.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Stored {
    ty: TypeId,
    transposed: bool,
}

/// What changes.
#[derive(Default)]
struct Plan {
    fields: FxHashMap<(StructId, u32), Stored>,
    /// The storage order of fields that is left to be said.
    orders: FxHashMap<(StructId, u32), MatrixOrder>,
    /// Elements of buffers that are no structs, by the buffer's type.
    buffers: FxHashMap<TypeId, Stored>,
}

fn run(cx: &mut Context) {
    let plan = Planner::new(cx).plan();
    if plan.fields.is_empty() && plan.buffers.is_empty() {
        return;
    }
    let by_reference = references::by_reference(cx.program);
    let effects = cx.effects();
    cx.each_body(&mut |cx, _, body| {
        references::copy(cx.program, &effects, body, &by_reference, &mut |program, body, place| {
            is_stored_otherwise(program, body, &plan, place)
        });
    });
    rows(cx, &plan);
    let mut faults = Vec::new();
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        let copies = FxHashSet::default();
        Rewrite { types, exprs, plan: &plan, by_reference: &by_reference, faults: &mut faults, copies }.run(live);
    });
    for (&(id, index), stored) in &plan.fields {
        if let Some(field) = cx.program.structs[id].fields.get_mut(index as usize) {
            field.ty = stored.ty;
            field.matrix_order = Some(plan.orders.get(&(id, index)).copied().unwrap_or(MatrixOrder::Row));
        }
    }
    let buffers = plan.buffers;
    for (_, global) in cx.program.globals.iter_mut() {
        if buffers.contains_key(&cx.program.types.innermost(global.ty)) {
            global.matrix_order = Some(MatrixOrder::Row);
        }
    }
    cx.program.map_types(&mut |types, ty| match buffers.get(&ty) {
        Some(stored) => types.intern(types.get(ty).with_element(stored.ty)),
        None => ty,
    });
    products(cx.program);
    for span in faults {
        cx.unsupported(
            span,
            "part of a buffer value that the target stores in another type cannot be passed by reference",
        );
    }
}

/// Whether an argument that is passed by reference is stored in another form: copies of it are passed.
fn is_stored_otherwise(program: &Program, body: &Body, plan: &Plan, place: ExprId) -> bool {
    // An element is a place whatever its matrix is, but for a bool that is no bool.
    if matches!(program.types.get(body.exprs[place].ty), Type::Scalar(s) if s != Scalar::Bool) {
        return false;
    }
    let mut at = Some(place);
    while let Some(id) = at {
        if planned(&program.types, &body.exprs, plan, id).is_some() {
            return true;
        }
        at = references::selected(&body.exprs, id);
    }
    false
}

/// Finds the data that is stored.
struct Planner<'a, 'b> {
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
    fn new(cx: &'a mut Context<'b>) -> Self {
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

    fn plan(mut self) -> Plan {
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
                "this field lies at other distances in a constant buffer than in a structured buffer; use two structs";
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

/// Changes the expressions of one body.
struct Rewrite<'a> {
    types: &'a mut Types,
    exprs: &'a mut ExprArena,
    plan: &'a Plan,
    by_reference: &'a FxHashMap<FunctionId, Vec<usize>>,
    faults: &'a mut Vec<Span>,
    /// Assignments that need no conversion.
    copies: FxHashSet<ExprId>,
}

/// An access path being followed outwards.
#[derive(Clone, Copy)]
struct Access {
    node: ExprId,
    /// What it stands for.
    logical: TypeId,
    stored: Stored,
}

impl Rewrite<'_> {
    fn run(&mut self, live: &[ExprId]) {
        let mut parents: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for &id in live {
            self.exprs[id].kind.children(&mut |c| {
                parents.insert(c, id);
            });
        }
        self.copies = live.iter().copied().filter(|id| !parents.contains_key(id) && self.is_copy(*id)).collect();
        // Reads come first: what is written is put together from parts of a value, which must be what it will be.
        let (writes, reads): (Vec<ExprId>, Vec<ExprId>) = live.iter().partition(|id| self.is_write(**id, &parents));
        for id in reads.into_iter().chain(writes) {
            if let Some(stored) = planned(self.types, self.exprs, self.plan, id) {
                let logical = self.exprs[id].ty;
                self.exprs[id].ty = stored.ty;
                self.follow(Access { node: id, logical, stored }, &parents);
            }
        }
        for &id in live {
            self.construct(id);
        }
    }

    /// Whether an expression assigns one piece of stored data to another that is stored alike.
    fn is_copy(&self, id: ExprId) -> bool {
        let ExprKind::Assign(None, target, value) = self.exprs[id].kind else { return false };
        let stored = |e| stored_at(self.types, self.exprs, self.plan, e);
        let whole = matches!(self.types.get(self.exprs[value].ty), Type::Array(..) | Type::Matrix(..));
        whole && stored(value).is_some() && stored(value) == stored(target)
    }

    /// Whether what is accessed, or a part of it, is assigned to.
    fn is_write(&self, mut id: ExprId, parents: &FxHashMap<ExprId, ExprId>) -> bool {
        while let Some(&parent) = parents.get(&id) {
            match self.exprs[parent].kind {
                ExprKind::Assign(_, target, _) => return target == id,
                ExprKind::Step(..) => return true,
                ExprKind::Index(base, _)
                | ExprKind::Field(base, _)
                | ExprKind::Swizzle(base, _)
                | ExprKind::MatrixSwizzle(base, _)
                    if base == id =>
                {
                    id = parent;
                }
                _ => return false,
            }
        }
        false
    }

    /// Values of fields in a constructed struct.
    fn construct(&mut self, id: ExprId) {
        let Type::Struct(s) = self.types.get(self.exprs[id].ty) else { return };
        let ExprKind::Construct(parts) = self.exprs[id].kind.clone() else { return };
        let parts = (0..).zip(parts).map(|(index, part)| match self.plan.fields.get(&(s, index)) {
            Some(stored) => self.pack(part, *stored),
            None => part,
        });
        self.exprs[id].kind = ExprKind::Construct(parts.collect());
    }

    /// Goes out from the root as far as parts are selected, then converts.
    fn follow(&mut self, access: Access, parents: &FxHashMap<ExprId, ExprId>) {
        let mut at = access;
        while let Some(&parent) = parents.get(&at.node) {
            match self.select(at, parent, parents) {
                Some(next) => at = next,
                None => break,
            }
        }
        if at.logical == at.stored.ty && !at.stored.transposed {
            self.exprs[at.node].ty = at.logical;
            return;
        }
        match parents.get(&at.node).map(|p| (*p, self.exprs[*p].kind.clone())) {
            Some((parent, _)) if self.copies.contains(&parent) => self.exprs[parent].ty = at.stored.ty,
            Some((parent, ExprKind::Assign(op, target, value))) if target == at.node => {
                self.assign(at, parent, op, value, parents.contains_key(&parent))
            }
            Some((parent, ExprKind::Step(up, _, _))) => {
                let span = self.exprs[parent].span;
                let one = Build::new(self.types, self.exprs, span).number(1, at.logical);
                let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
                self.assign(at, parent, Some(op), one, parents.contains_key(&parent));
            }
            Some((parent, ExprKind::Call(f, args))) => {
                let position = args.iter().position(|a| *a == at.node);
                let reference = self.by_reference.get(&f).is_some_and(|l| position.is_some_and(|p| l.contains(&p)));
                if reference {
                    self.faults.push(self.exprs[parent].span);
                }
                self.unpack_in_place(at);
            }
            Some((parent, ExprKind::AddressOf(_))) => self.faults.push(self.exprs[parent].span),
            _ => self.unpack_in_place(at),
        }
    }

    /// If `parent` selects a part of the access, the access to the part.
    fn select(&mut self, at: Access, parent: ExprId, parents: &FxHashMap<ExprId, ExprId>) -> Option<Access> {
        let Access { node, logical, stored } = at;
        let part = |node, logical, ty, transposed| Some(Access { node, logical, stored: Stored { ty, transposed } });
        match (self.exprs[parent].kind.clone(), self.types.get(logical)) {
            (ExprKind::Index(base, _), Type::Array(element, _)) if base == node => {
                let inner = self.types.get(stored.ty).element().unwrap_or(TypeId::ERROR);
                self.exprs[parent].ty = inner;
                part(parent, element, inner, stored.transposed)
            }
            (ExprKind::Index(base, row), Type::Matrix(..)) if base == node => {
                if stored.transposed {
                    self.exchange(at, parent, row, parents)
                } else {
                    let logical = self.exprs[parent].ty;
                    let inner = self.element(stored.ty);
                    self.exprs[parent].ty = inner;
                    part(parent, logical, inner, false)
                }
            }
            (ExprKind::MatrixSwizzle(base, list), Type::Matrix(..))
                if base == node && matches!(self.types.get(stored.ty), Type::Matrix(..)) =>
            {
                let list = list.into_iter().map(|(r, c)| if stored.transposed { (c, r) } else { (r, c) }).collect();
                self.exprs[parent].kind = ExprKind::MatrixSwizzle(base, list);
                self.part_of_vector(at, parent)
            }
            (ExprKind::Index(base, _) | ExprKind::Swizzle(base, _), Type::Vector(..) | Type::Scalar(_))
                if base == node =>
            {
                self.part_of_vector(at, parent)
            }
            _ => None,
        }
    }

    fn element(&mut self, ty: TypeId) -> TypeId {
        let span = Span::default();
        Build::new(self.types, self.exprs, span).element_type(ty)
    }

    /// Components of a vector: the same ones of the stored vector, whose scalar may be another.
    fn part_of_vector(&mut self, at: Access, parent: ExprId) -> Option<Access> {
        let logical = self.exprs[parent].ty;
        let stored_scalar = match self.types.get(at.stored.ty) {
            Type::Array(inner, _) => self.types.component(inner)?,
            _ => self.types.component(at.stored.ty)?,
        };
        // The only component of a vector of one that is stored as a scalar.
        if matches!(self.types.get(at.logical), Type::Vector(_, 1))
            && matches!(self.types.get(at.stored.ty), Type::Scalar(_))
            && matches!(self.types.get(logical), Type::Scalar(_))
        {
            self.exprs.replace_by(parent, at.node);
            return Some(Access { node: parent, logical, stored: at.stored });
        }
        // A scalar that is stored as a vector has no parts.
        if matches!(self.types.get(at.logical), Type::Scalar(_))
            && self.types.get(at.stored.ty) != Type::Scalar(stored_scalar)
        {
            return None;
        }
        let ty = match self.types.get(logical) {
            Type::Scalar(_) => self.types.scalar(stored_scalar),
            Type::Vector(_, n) => self.types.vector(stored_scalar, n),
            _ => return None,
        };
        self.exprs[parent].ty = ty;
        Some(Access { node: parent, logical, stored: Stored { ty, transposed: false } })
    }

    /// `m[row][column]` of a transposed matrix is `m[column][row]`.
    fn exchange(
        &mut self,
        at: Access,
        parent: ExprId,
        row: ExprId,
        parents: &FxHashMap<ExprId, ExprId>,
    ) -> Option<Access> {
        let outer = *parents.get(&parent)?;
        let column = match self.exprs[outer].kind.clone() {
            ExprKind::Index(base, column) if base == parent => column,
            ExprKind::Swizzle(base, s) if base == parent && s.len == 1 => {
                let span = self.exprs[outer].span;
                let component = s.list().first().copied().unwrap_or(0);
                Build::new(self.types, self.exprs, span).int(component.into())
            }
            _ => return None,
        };
        let vector = self.element(at.stored.ty);
        let logical = self.exprs[outer].ty;
        if let Type::Scalar(_) = self.types.get(vector) {
            self.exprs[outer].kind = ExprKind::Index(at.node, column);
            self.exprs[outer].ty = vector;
            return Some(Access { node: outer, logical, stored: Stored { ty: vector, transposed: false } });
        }
        let scalar = self.element(vector);
        self.exprs[parent].kind = ExprKind::Index(at.node, column);
        self.exprs[parent].ty = vector;
        self.exprs[outer].kind = ExprKind::Index(parent, row);
        self.exprs[outer].ty = scalar;
        Some(Access { node: outer, logical, stored: Stored { ty: scalar, transposed: false } })
    }

    fn assign(&mut self, at: Access, parent: ExprId, op: Option<BinaryOp>, value: ExprId, used: bool) {
        let span = self.exprs[parent].span;
        let value = match op {
            None => value,
            Some(op) => {
                let copy = self.exprs.duplicate(at.node);
                let old = self.unpack(copy, at.logical, at.stored);
                Build::new(self.types, self.exprs, span).binary(op, old, value)
            }
        };
        let value = self.pack(value, at.stored);
        self.exprs[parent].kind = ExprKind::Assign(None, at.node, value);
        self.exprs[parent].ty = at.stored.ty;
        if used {
            let copy = self.exprs.displace(parent);
            let value = self.unpack(copy, at.logical, at.stored);
            self.exprs.replace_by(parent, value);
        }
    }

    fn unpack_in_place(&mut self, at: Access) {
        let copy = self.exprs.displace(at.node);
        let value = self.unpack(copy, at.logical, at.stored);
        self.exprs.replace_by(at.node, value);
    }

    /// The value that stored data stands for.
    fn unpack(&mut self, e: ExprId, logical: TypeId, stored: Stored) -> ExprId {
        let span = self.exprs[e].span;
        match (self.types.get(logical), self.types.get(stored.ty)) {
            (Type::Array(inner, Some(count)), Type::Array(stored_inner, _)) => {
                let parts = (0..count).map(|i| {
                    let copy = self.exprs.duplicate(e);
                    let element = Build::new(self.types, self.exprs, span).at(copy, i);
                    self.unpack(element, inner, Stored { ty: stored_inner, ..stored })
                });
                let parts = parts.collect();
                Build::new(self.types, self.exprs, span).construct(parts, logical)
            }
            (Type::Matrix(s, rows, columns), Type::Array(inner, _)) => {
                let inner = Stored { ty: inner, transposed: false };
                let (count, length) = if stored.transposed { (columns, rows) } else { (rows, columns) };
                let vector = vector(self.types, s, length);
                let parts = (0..u32::from(count)).map(|i| {
                    let copy = self.exprs.duplicate(e);
                    let part = Build::new(self.types, self.exprs, span).at(copy, i);
                    self.unpack(part, vector, inner)
                });
                let parts: Vec<ExprId> = parts.collect();
                if !stored.transposed {
                    return Build::new(self.types, self.exprs, span).construct(parts, logical);
                }
                if s.is_float() && rows > 1 && columns > 1 {
                    let mut b = Build::new(self.types, self.exprs, span);
                    let ty = b.types.matrix(s, count, length);
                    let whole = b.construct(parts, ty);
                    return transpose(&mut b, whole, logical);
                }
                let mut elements = Vec::new();
                for row in 0..length {
                    for part in &parts {
                        let part = self.exprs.duplicate(*part);
                        let mut b = Build::new(self.types, self.exprs, span);
                        elements.push(match b.exprs[part].kind {
                            _ if length == 1 => part,
                            ExprKind::Swizzle(base, cut) => {
                                b.swizzle(base, &[cut.list().get(usize::from(row)).copied().unwrap_or(row)])
                            }
                            _ => b.swizzle(part, &[row]),
                        });
                    }
                }
                Build::new(self.types, self.exprs, span).construct(elements, logical)
            }
            (Type::Matrix(..), _) if stored.transposed => {
                transpose(&mut Build::new(self.types, self.exprs, span), e, logical)
            }
            (Type::Vector(s, 1), _) => {
                let scalar = self.types.scalar(s);
                let value = self.unpack(e, scalar, stored);
                Build::new(self.types, self.exprs, span).convert(value, logical)
            }
            (Type::Scalar(_) | Type::Vector(..), Type::Vector(s, 4)) if !self.same_shape(logical, stored.ty) => {
                let n = match self.types.get(logical) {
                    Type::Vector(_, n) => n,
                    _ => 1,
                };
                let cut: Vec<u8> = (0..n).collect();
                let e = Build::new(self.types, self.exprs, span).swizzle(e, &cut);
                let ty = self.exprs[e].ty;
                let _ = s;
                self.unpack(e, logical, Stored { ty, transposed: false })
            }
            _ if logical == stored.ty => e,
            // The only other difference: a bool is a number.
            _ => {
                let mut b = Build::new(self.types, self.exprs, span);
                let ty = b.exprs[e].ty;
                let zero = b.number(0, ty);
                b.binary(BinaryOp::NotEqual, e, zero)
            }
        }
    }

    /// Column `c` of a matrix.
    fn column(&mut self, e: ExprId, rows: u8, c: u8, ty: TypeId) -> ExprId {
        let span = self.exprs[e].span;
        let parts = (0..rows).map(|r| {
            let copy = self.exprs.duplicate(e);
            let mut b = Build::new(self.types, self.exprs, span);
            let row = b.at(copy, r.into());
            b.at(row, c.into())
        });
        let parts: Vec<ExprId> = parts.collect();
        match parts.as_slice() {
            [one] => *one,
            _ => Build::new(self.types, self.exprs, span).construct(parts, ty),
        }
    }

    fn same_shape(&self, a: TypeId, b: TypeId) -> bool {
        match (self.types.get(a), self.types.get(b)) {
            (Type::Vector(_, n), Type::Vector(_, m)) => n == m,
            (Type::Scalar(_), Type::Scalar(_)) => true,
            _ => false,
        }
    }

    /// Stored data for a value.
    fn pack(&mut self, e: ExprId, stored: Stored) -> ExprId {
        let span = self.exprs[e].span;
        let logical = self.exprs[e].ty;
        if logical == stored.ty && !stored.transposed {
            return e;
        }
        match (self.types.get(logical), self.types.get(stored.ty)) {
            (Type::Array(_, Some(count)), Type::Array(inner, _)) => {
                let parts = (0..count).map(|i| {
                    let copy = self.exprs.duplicate(e);
                    let element = Build::new(self.types, self.exprs, span).at(copy, i);
                    self.pack(element, Stored { ty: inner, ..stored })
                });
                let parts = parts.collect();
                Build::new(self.types, self.exprs, span).construct(parts, stored.ty)
            }
            (Type::Matrix(s, rows, columns), Type::Array(inner, _)) => {
                let inner = Stored { ty: inner, transposed: false };
                let parts = if stored.transposed {
                    let vector = vector(self.types, s, rows);
                    (0..columns).map(|c| self.column(e, rows, c, vector)).collect()
                } else {
                    let row = |r: u8| {
                        let copy = self.exprs.duplicate(e);
                        Build::new(self.types, self.exprs, span).at(copy, r.into())
                    };
                    (0..rows).map(row).collect::<Vec<ExprId>>()
                };
                let parts = parts.into_iter().map(|p| self.pack(p, inner)).collect();
                Build::new(self.types, self.exprs, span).construct(parts, stored.ty)
            }
            (Type::Matrix(..), _) if stored.transposed => {
                transpose(&mut Build::new(self.types, self.exprs, span), e, stored.ty)
            }
            (Type::Scalar(_) | Type::Vector(..), Type::Vector(s, 4)) if !self.same_shape(logical, stored.ty) => {
                let n = if let Type::Vector(_, n) = self.types.get(logical) { n } else { 1 };
                let narrow = if n == 1 { self.types.scalar(s) } else { self.types.vector(s, n) };
                let mut b = Build::new(self.types, self.exprs, span);
                let value = b.convert(e, narrow);
                let scalar = b.types.scalar(s);
                let mut parts = vec![value];
                for _ in n..4 {
                    parts.push(b.number(0, scalar));
                }
                b.construct(parts, stored.ty)
            }
            _ => Build::new(self.types, self.exprs, span).convert(e, stored.ty),
        }
    }
}

/// The storage orders of the matrices in a type, each as often as it occurs; `order` is that of those without a modifier.
pub(super) fn orders(program: &Program, ty: TypeId, order: MatrixOrder) -> Vec<MatrixOrder> {
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
pub(super) fn mixes_orders(program: &Program, global: &crate::tree::Global, element: TypeId) -> bool {
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
fn vector(types: &mut Types, scalar: Scalar, length: u8) -> TypeId {
    if length == 1 { types.scalar(scalar) } else { types.vector(scalar, length) }
}

/// Rows of matrices that are stored by columns are read and written element by element: `m[i]` is
/// `float3(m[i][0], m[i][1], m[i][2])`. What that repeats, and what packing and unpacking repeats, goes into locals first.
fn rows(cx: &mut Context, plan: &Plan) {
    let effects = cx.effects();
    cx.each_body(&mut |cx, _, body| {
        let found = Found::of(cx.program, body, plan);
        if found.is_empty() {
            return;
        }
        hoist(cx.program, &effects, body, found.marks);
        let found = Found::of(cx.program, body, plan);
        for &row in &found.reads {
            let copy = body.exprs.displace(row);
            let parts = elements(&mut cx.program.types, &mut body.exprs, copy);
            body.exprs[row].kind = ExprKind::Construct(parts);
        }
        write_rows(cx.program, body, &found.writes);
    });
}

/// The elements of a vector, each with a copy of it.
fn elements(types: &mut Types, exprs: &mut ExprArena, vector: ExprId) -> Vec<ExprId> {
    let count = if let Type::Vector(_, n) = types.get(exprs[vector].ty) { n } else { 1 };
    let element = |c: u8| {
        let copy = exprs.duplicate(vector);
        let span = exprs[vector].span;
        Build::new(types, exprs, span).swizzle(copy, &[c])
    };
    (0..count).map(element).collect()
}

/// `m[i] = v` and `m[i].xz = v` become an assignment an element.
fn write_rows(program: &mut Program, body: &mut Body, writes: &FxHashSet<ExprId>) {
    let mut block = std::mem::take(&mut body.block);
    block.rewrite(&mut |mut stmt, out| {
        let StmtKind::Expr(root) = stmt.kind else { return out.push(stmt) };
        let ExprKind::Assign(op, target, value) = body.exprs[root].kind else { return out.push(stmt) };
        if !writes.contains(&target) {
            return out.push(stmt);
        }
        let span = stmt.span;
        let (row, list) = match body.exprs[target].kind.clone() {
            ExprKind::Swizzle(row, swizzle) => (row, swizzle.list().to_vec()),
            _ => match program.types.get(body.exprs[target].ty) {
                Type::Vector(_, n) => (target, (0..n).collect()),
                _ => (target, vec![0]),
            },
        };
        let ty = body.exprs[value].ty;
        let mut kept = value;
        if !is_trivial(&body.exprs, value) {
            let local = body.add_local("row", ty, span);
            body.locals[local].constant = true;
            let mut first = Stmt::new(StmtKind::Local(local, Some(value)), span);
            (first.comments, first.blank_before) = (std::mem::take(&mut stmt.comments), stmt.blank_before);
            out.push(first);
            kept = Build::new(&mut program.types, &mut body.exprs, span).local(local, ty);
        }
        for (i, component) in (0..).zip(list) {
            let (row, value) = (body.exprs.duplicate(row), body.exprs.duplicate(kept));
            let mut b = Build::new(&mut program.types, &mut body.exprs, span);
            let element = b.swizzle(row, &[component]);
            let value = if matches!(b.types.get(ty), Type::Vector(..)) { b.swizzle(value, &[i]) } else { value };
            let element_ty = b.exprs[element].ty;
            let assign = b.add(ExprKind::Assign(op, element, value), element_ty);
            let mut each = Stmt::new(StmtKind::Expr(assign), span);
            each.comments = std::mem::take(&mut stmt.comments);
            each.blank_before = std::mem::take(&mut stmt.blank_before) && out.is_empty();
            out.push(each);
        }
    });
    body.block = block;
}

/// Accesses of a body that repeat something.
#[derive(Default)]
struct Found {
    /// Rows that are read.
    reads: Vec<ExprId>,
    /// Rows, or parts of rows, that are assigned.
    writes: FxHashSet<ExprId>,
    marks: Marks,
}

impl Found {
    fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.marks.is_empty()
    }

    fn of(program: &Program, body: &Body, plan: &Plan) -> Found {
        let mut found = Found::default();
        let exprs = &body.exprs;
        let live = body.expressions();
        let mut parents: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for &id in &live {
            exprs[id].kind.children(&mut |c| {
                parents.insert(c, id);
            });
        }
        let mut statements = FxHashSet::default();
        body.block.visit(&mut |s| {
            if let StmtKind::Expr(e) = s.kind {
                statements.insert(e);
            }
        });
        for &id in &live {
            if let (ExprKind::Construct(parts), Type::Struct(s)) = (&exprs[id].kind, program.types.get(exprs[id].ty)) {
                let stored = |index: u32| plan.fields.get(&(s, index)).map(|f| program.types.get(f.ty));
                for (_, part) in (0..).zip(parts).filter(|(i, _)| matches!(stored(*i), Some(Type::Array(..)))) {
                    found.keep(program, body, *part);
                }
            }
            let Some(stored) = stored_at(&program.types, exprs, plan, id) else { continue };
            let parent = parents.get(&id).copied();
            let kind = parent.map(|p| &exprs[p].kind);
            let selected = match kind {
                Some(ExprKind::Index(base, _) | ExprKind::Swizzle(base, _) | ExprKind::MatrixSwizzle(base, _)) => {
                    *base == id
                }
                _ => false,
            };
            if let (ExprKind::Index(base, _), Type::Vector(..)) = (&exprs[id].kind, program.types.get(exprs[id].ty))
                && stored.transposed
                && matches!(program.types.get(exprs[*base].ty), Type::Matrix(..))
            {
                found.row(program, body, id, &parents, &statements);
                continue;
            }
            let whole = matches!(program.types.get(stored.ty), Type::Array(..)) && !selected;
            let compound = matches!(kind, Some(ExprKind::Assign(Some(_), t, _)) if *t == id);
            if whole || compound {
                found.keep_indices(program, body, id);
            }
            if let (true, Some(ExprKind::Assign(_, target, value))) = (whole, kind)
                && *target == id
            {
                found.keep(program, body, *value);
            }
        }
        found
    }

    /// A row of a matrix that is stored by columns.
    fn row(
        &mut self,
        program: &Program,
        body: &Body,
        id: ExprId,
        parents: &FxHashMap<ExprId, ExprId>,
        statements: &FxHashSet<ExprId>,
    ) {
        let exprs = &body.exprs;
        let parent = parents.get(&id).copied();
        let mut outer = id;
        match parent.map(|p| &exprs[p].kind) {
            // One element: its indices change places.
            Some(ExprKind::Index(base, _)) if *base == id => return,
            Some(ExprKind::Swizzle(base, s)) if *base == id && s.len == 1 => return,
            Some(ExprKind::Swizzle(base, _)) if *base == id => outer = parent.unwrap_or(id),
            _ => {}
        }
        self.keep_indices(program, body, id);
        match parents.get(&outer).map(|p| (*p, &exprs[*p].kind)) {
            Some((root, ExprKind::Assign(_, target, _))) if *target == outer => {
                self.writes.insert(outer);
                if !statements.contains(&root) {
                    self.marks.insert(root, Mark::Effect);
                }
            }
            _ => self.reads.push(id),
        }
    }

    fn keep(&mut self, program: &Program, body: &Body, id: ExprId) {
        if !is_trivial(&body.exprs, id) {
            let scalar = matches!(program.types.get(body.exprs[id].ty), Type::Scalar(_));
            let name = if scalar { Symbol::new("index") } else { temporary_name(program, body, id) };
            self.marks.insert(id, Mark::Value(name));
        }
    }

    fn keep_indices(&mut self, program: &Program, body: &Body, id: ExprId) {
        let mut id = id;
        loop {
            match body.exprs[id].kind {
                ExprKind::Index(a, index) => {
                    self.keep(program, body, index);
                    id = a;
                }
                ExprKind::Field(a, _) | ExprKind::Contents(a) | ExprKind::Swizzle(a, _) | ExprKind::Deref(a) => id = a,
                _ => return,
            }
        }
    }
}

/// How what an expression names is stored, if that is planned to change; selections are followed down to the field or buffer.
fn stored_at(types: &Types, exprs: &ExprArena, plan: &Plan, id: ExprId) -> Option<Stored> {
    if let Some(stored) = planned(types, exprs, plan, id) {
        return Some(stored);
    }
    match exprs[id].kind {
        ExprKind::Index(base, _) => {
            let stored = stored_at(types, exprs, plan, base)?;
            match types.get(stored.ty) {
                Type::Array(inner, _) if matches!(types.get(exprs[base].ty), Type::Array(..)) => {
                    Some(Stored { ty: inner, ..stored })
                }
                _ => Some(Stored { ty: exprs[id].ty, ..stored }),
            }
        }
        ExprKind::Swizzle(base, _) | ExprKind::MatrixSwizzle(base, _) => {
            let stored = stored_at(types, exprs, plan, base)?;
            Some(Stored { ty: exprs[id].ty, transposed: stored.transposed })
        }
        _ => None,
    }
}

/// The planned storage of a field, or of the contents or an element of a buffer.
fn planned(types: &Types, exprs: &ExprArena, plan: &Plan, id: ExprId) -> Option<Stored> {
    match exprs[id].kind {
        ExprKind::Field(base, index) => match types.get(exprs[base].ty) {
            Type::Struct(s) => plan.fields.get(&(s, index)).copied(),
            _ => None,
        },
        ExprKind::Index(base, _) | ExprKind::Contents(base) => plan.buffers.get(&exprs[base].ty).copied(),
        _ => None,
    }
}

/// `transpose(x)`, which every language spells so. The transposed of a transposed is the thing itself.
pub(super) fn transpose(b: &mut Build, e: ExprId, ty: TypeId) -> ExprId {
    if let ExprKind::Native(template, args) = &b.exprs[e].kind
        && is_transpose(template)
        && let Some(&inner) = args.first()
    {
        return inner;
    }
    let pieces =
        vec![TemplatePiece::Text("transpose(".to_owned()), TemplatePiece::Arg(0), TemplatePiece::Text(")".to_owned())];
    b.native(Template { pieces, loose: false }, vec![e], ty)
}

fn is_transpose(template: &Template) -> bool {
    matches!(template.pieces.as_slice(), [TemplatePiece::Text(t), TemplatePiece::Arg(0), TemplatePiece::Text(_)] if t == "transpose(")
}

/// Products with transposed matrices: `b * transpose(m)` is `m * b`.
pub(super) fn products(program: &mut Program) {
    let product = |t: &Template| matches!(t.pieces.as_slice(), [TemplatePiece::Operand(1), TemplatePiece::Text(star), TemplatePiece::Operand(0)] if star == " * ");
    let templates = program.functions.iter().filter_map(|(id, f)| match &f.body {
        FunctionBody::Intrinsic(t) if product(t) => Some(id),
        _ => None,
    });
    let products: FxHashSet<FunctionId> = templates.collect();
    program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            if let ExprKind::Native(t, args) = &exprs[id].kind
                && is_transpose(t)
                && let Some(inner) = args.first().and_then(|a| transposed_of(exprs, *a))
            {
                exprs.replace_by(id, inner);
            }
            cut_first(types, exprs, id);
            let ExprKind::Call(f, args) = exprs[id].kind.clone() else { continue };
            let ([a, b], true) = (args.as_slice(), products.contains(&f)) else { continue };
            exchange_product(types, exprs, id, *a, *b);
        }
    });
}

/// A part of a transposed matrix is the transposed of a part.
fn cut_first(types: &mut Types, exprs: &mut ExprArena, id: ExprId) {
    let Expr { kind: ExprKind::Convert(inner, cast), ty, span } = exprs[id] else { return };
    let Some(stored) = transposed_of(exprs, inner) else { return };
    let Type::Matrix(s, rows, columns) = types.get(ty) else { return };
    let turned = types.matrix(s, columns, rows);
    let mut b = Build::new(types, exprs, span);
    let cut = b.add(ExprKind::Convert(stored, cast), turned);
    let whole = transpose(&mut b, cut, ty);
    exprs.replace_by(id, whole);
}

/// What `e` is the transposed of.
fn transposed_of(exprs: &ExprArena, e: ExprId) -> Option<ExprId> {
    match &exprs[e].kind {
        ExprKind::Native(t, args) if is_transpose(t) => args.first().copied(),
        _ => None,
    }
}

fn exchange_product(types: &mut Types, exprs: &mut ExprArena, id: ExprId, a: ExprId, b: ExprId) {
    let vector = |types: &Types, e: &Expr| matches!(types.get(e.ty), Type::Vector(..));
    let (ta, tb) = (transposed_of(exprs, a), transposed_of(exprs, b));
    let pieces = vec![TemplatePiece::Operand(0), TemplatePiece::Text(" * ".to_owned()), TemplatePiece::Operand(1)];
    let template = Box::new(Template { pieces, loose: true });
    match (ta, tb) {
        (Some(m), _) if vector(types, &exprs[b]) => exprs[id].kind = ExprKind::Native(template, vec![m, b]),
        (_, Some(m)) if vector(types, &exprs[a]) => exprs[id].kind = ExprKind::Native(template, vec![a, m]),
        (Some(m), Some(n)) => {
            // The product of two transposed ones is the transposed product, which may vanish further out.
            let Expr { ty, span, .. } = exprs[id];
            let turned = match types.get(ty) {
                Type::Matrix(s, r, c) => types.matrix(s, c, r),
                _ => return,
            };
            let mut build = Build::new(types, exprs, span);
            let product = build.native(*template, vec![m, n], turned);
            let whole = transpose(&mut build, product, ty);
            exprs.replace_by(id, whole);
        }
        _ => {}
    }
}
