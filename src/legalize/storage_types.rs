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
//! non_float_matrices. Rule: `layout-matrices`.

mod planner;
mod products;
mod rows;

use self::planner::{Planner, vector};
pub(super) use self::planner::{mixes_orders, orders};
pub(super) use self::products::{products, transpose};
use self::rows::rows;
use super::references;
use super::{Context, Pass};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::{
    BinaryOp, Body, Build, ExprArena, ExprId, ExprKind, FunctionId, MatrixOrder, Program, Scalar, StructId, Type,
    TypeId, Types,
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
