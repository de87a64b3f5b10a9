//! Data in buffers gets types that the target can store with the bytes that layout promises.
//!
//! Before: `struct Camera { float4x4 view; bool on; float w[3]; }     mul(c.view, p)      if (c.on)        c.w[i]`
//! After:  `struct Camera { float4x4 view; uint on; float4 w[3]; }    c.view * p          if (c.on != 0)   c.w[i].x`
//!
//! * A matrix that is stored by columns is declared transposed, read through `transpose`, and an element is read with its
//!   indices exchanged. A product with a vector needs no transposition: the operands change places instead.
//! * A `bool` is a `uint`.
//! * In a constant buffer, an element of an array or a vector of a matrix takes 16 bytes: small ones are widened.
//!
//! A struct has one declaration, so its fields have these types wherever values of it are.
//!
//! Removes: BothMatrixOrders, BoolInBuffers, SparseUniformArrays. Runs after: uniform_blocks. Spec: DESIGN "Matrices".

use super::hoist::{self, Mark, Marks};
use super::lower_properties::mark_for_repetition;
use super::{Context, Pass};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::{
    BinaryOp, Body, Build, Expr, ExprArena, ExprId, ExprKind, FunctionBody, FunctionId, GlobalKind, MatrixOrder,
    ParamMode, Program, Scalar, StructId, Template, TemplatePiece, Type, TypeId, Types, walk::is_trivial,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "storage_types",
    removes: &[Capability::BothMatrixOrders, Capability::BoolInBuffers, Capability::SparseUniformArrays],
    adds: &[],
    run,
};

/// A stored type, and whether it is the transposed of what it stands for.
#[derive(Clone, Copy, Debug)]
struct Stored {
    ty: TypeId,
    transposed: bool,
}

/// What changes.
#[derive(Default)]
struct Plan {
    fields: FxHashMap<(StructId, u32), Stored>,
    /// Elements of buffers that are no structs, by the buffer's type.
    buffers: FxHashMap<TypeId, Stored>,
}

fn run(cx: &mut Context) {
    let plan = Planner::new(cx).plan();
    if plan.fields.is_empty() && plan.buffers.is_empty() {
        return;
    }
    let by_reference = by_reference(cx.program);
    let effects = cx.effects();
    cx.each_body(&mut |cx, _, body| {
        let marks = row_writes(cx.program, &plan, body);
        hoist::hoist(cx.program, &effects, body, marks);
    });
    let mut faults = Vec::new();
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        Rewrite { types, exprs, plan: &plan, by_reference: &by_reference, faults: &mut faults }.run(live);
    });
    for (&(id, index), stored) in &plan.fields {
        if let Some(field) = cx.program.structs[id].fields.get_mut(index as usize) {
            field.ty = stored.ty;
            field.matrix_order = Some(MatrixOrder::Row);
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

/// Writes of rows of transposed matrices become writes of elements: their values and places must bear repetition.
fn row_writes(program: &Program, plan: &Plan, body: &Body) -> Marks {
    let mut marks = Marks::default();
    for id in body.expressions() {
        let ExprKind::Assign(_, target, value) = body.exprs[id].kind else { continue };
        let row = match body.exprs[target].kind {
            ExprKind::Swizzle(row, _) => row,
            _ => target,
        };
        let ExprKind::Index(matrix, index) = body.exprs[row].kind else { continue };
        if !matches!(program.types.get(body.exprs[matrix].ty), Type::Matrix(..))
            || !is_stored_transposed(program, plan, body, matrix)
        {
            continue;
        }
        if !is_trivial(&body.exprs, value) {
            marks.insert(value, Mark::Value(Symbol::new("row")));
        }
        if !is_trivial(&body.exprs, index) {
            marks.insert(index, Mark::Value(Symbol::new("index")));
        }
        mark_for_repetition(program, body, matrix, &mut marks);
    }
    marks
}

/// Whether a matrix lies in stored data that is transposed.
fn is_stored_transposed(program: &Program, plan: &Plan, body: &Body, matrix: ExprId) -> bool {
    let mut id = matrix;
    loop {
        id = match body.exprs[id].kind {
            ExprKind::Field(base, index) => {
                return match program.types.get(body.exprs[base].ty) {
                    Type::Struct(s) => plan.fields.get(&(s, index)).is_some_and(|s| s.transposed),
                    _ => false,
                };
            }
            ExprKind::Index(base, _) | ExprKind::Contents(base) => match plan.buffers.get(&body.exprs[base].ty) {
                Some(stored) => return stored.transposed,
                None => base,
            },
            _ => return false,
        }
    }
}

/// Parameters that are passed by reference, by function.
fn by_reference(program: &Program) -> FxHashMap<FunctionId, Vec<usize>> {
    let modes = program.functions.iter().map(|(id, f)| {
        let list = f.params.iter().enumerate().filter(|(_, p)| p.mode != ParamMode::In).map(|(i, _)| i).collect();
        (id, list)
    });
    modes.filter(|(_, list): &(_, Vec<usize>)| !list.is_empty()).collect()
}

/// Finds the data that is stored.
struct Planner<'a, 'b> {
    cx: &'a mut Context<'b>,
    plan: Plan,
    uniform: FxHashSet<StructId>,
    storage: FxHashSet<StructId>,
}

impl<'a, 'b> Planner<'a, 'b> {
    fn new(cx: &'a mut Context<'b>) -> Self {
        Planner { cx, plan: Plan::default(), uniform: FxHashSet::default(), storage: FxHashSet::default() }
    }

    fn plan(mut self) -> Plan {
        let globals: Vec<(TypeId, Option<MatrixOrder>)> = self.parameters();
        for (ty, order) in &globals {
            let ty = self.cx.program.types.innermost(*ty);
            match self.cx.program.types.get(ty) {
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

    fn parameters(&self) -> Vec<(TypeId, Option<MatrixOrder>)> {
        let globals = self.cx.program.globals.iter().filter(|(_, g)| g.kind == GlobalKind::Parameter);
        globals.map(|(_, g)| (g.ty, g.matrix_order)).collect()
    }

    fn contents(&mut self, buffer: TypeId, element: TypeId, order: Option<MatrixOrder>, uniform: bool) {
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
            match self.cx.program.types.get(self.cx.program.types.innermost(ty)) {
                Type::Struct(inner) => self.structure(inner, uniform),
                _ => {
                    if let Some(stored) = self.field(id, index, uniform) {
                        self.plan.fields.insert((id, index), stored);
                    }
                }
            }
        }
    }

    fn field(&mut self, id: StructId, index: u32, uniform: bool) -> Option<Stored> {
        let field = self.cx.program.structs[id].fields.get(index as usize)?;
        let mut order = field.matrix_order.unwrap_or(self.cx.program.default_matrix_order);
        if matches!(self.cx.program.types.get(field.ty), Type::Array(..))
            && !self.cx.layout.settings.policy.matrix_order_on_arrays
        {
            order = self.cx.program.default_matrix_order;
        }
        self.stored(field.ty, order, uniform)
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
                let native = profile.has(Capability::BothMatrixOrders)
                    && (s.is_float() || profile.has(Capability::NonFloatMatrices));
                *transposed = order == MatrixOrder::Column && !native;
                let (count, length) = if *transposed { (columns, rows) } else { (rows, columns) };
                if sparse && length < 3 && s.size() == 4 {
                    let vector = types.vector(scalar(s), 4);
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
        for &id in live {
            if let Some(stored) = self.root(id) {
                let logical = self.exprs[id].ty;
                self.exprs[id].ty = stored.ty;
                self.follow(Access { node: id, logical, stored }, &parents);
            }
        }
        for &id in live {
            self.construct(id);
        }
    }

    /// Whether an expression names stored data of a changed type.
    fn root(&self, id: ExprId) -> Option<Stored> {
        match self.exprs[id].kind {
            ExprKind::Field(base, index) => match self.types.get(self.exprs[base].ty) {
                Type::Struct(s) => self.plan.fields.get(&(s, index)).copied(),
                _ => None,
            },
            ExprKind::Index(base, _) | ExprKind::Contents(base) => self.plan.buffers.get(&self.exprs[base].ty).copied(),
            _ => None,
        }
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
            Some((parent, ExprKind::Assign(op, target, value))) if target == at.node => {
                self.assign(at, parent, op, value)
            }
            Some((parent, ExprKind::Step(up, _, _))) => {
                let span = self.exprs[parent].span;
                let one = Build::new(self.types, self.exprs, span).number(1, at.logical);
                let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
                self.assign(at, parent, Some(op), one);
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
            _ => {
                self.write_row(at, parent, row, parents);
                return None;
            }
        };
        let vector = self.element(at.stored.ty);
        let logical = self.exprs[outer].ty;
        let scalar = self.element(vector);
        self.exprs[parent].kind = ExprKind::Index(at.node, column);
        self.exprs[parent].ty = vector;
        self.exprs[outer].kind = ExprKind::Index(parent, row);
        self.exprs[outer].ty = scalar;
        Some(Access { node: outer, logical, stored: Stored { ty: scalar, transposed: false } })
    }

    /// `m[row].yx = v` of a transposed matrix: `m[1][row] = v.x, m[0][row] = v.y`.
    fn write_row(&mut self, at: Access, selected: ExprId, row: ExprId, parents: &FxHashMap<ExprId, ExprId>) {
        let Some(&outer) = parents.get(&selected) else { return };
        let Type::Matrix(_, _, columns) = self.types.get(at.logical) else { return };
        let (target, assign, components) = match (&self.exprs[outer].kind, parents.get(&outer)) {
            (ExprKind::Assign(..), _) => (selected, outer, (0..columns).collect()),
            (ExprKind::Swizzle(base, s), Some(&assign)) if *base == selected => (outer, assign, s.list().to_vec()),
            _ => return,
        };
        let ExprKind::Assign(op, written, value) = self.exprs[assign].kind else { return };
        if written != target {
            return;
        }
        let span = self.exprs[assign].span;
        let mut all = None;
        for (i, component) in (0..).zip(components) {
            let matrix = self.exprs.duplicate(at.node);
            let row = self.exprs.duplicate(row);
            let value = self.exprs.duplicate(value);
            let mut b = Build::new(self.types, self.exprs, span);
            let vector = b.at(matrix, u32::from(component));
            let element = b.index(vector, row);
            let value =
                if matches!(b.types.get(b.exprs[value].ty), Type::Vector(..)) { b.swizzle(value, &[i]) } else { value };
            let ty = b.exprs[element].ty;
            let one = b.add(ExprKind::Assign(op, element, value), ty);
            all = Some(match all {
                None => one,
                Some(before) => b.add(ExprKind::Comma(before, one), ty),
            });
        }
        if let Some(all) = all {
            self.exprs.replace_by(assign, all);
        }
    }

    fn assign(&mut self, at: Access, parent: ExprId, op: Option<BinaryOp>, value: ExprId) {
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
            (Type::Matrix(s, rows, columns), Type::Array(..)) => {
                let (count, length) = if stored.transposed { (columns, rows) } else { (rows, columns) };
                let parts = (0..u32::from(count)).map(|i| {
                    let copy = self.exprs.duplicate(e);
                    let mut b = Build::new(self.types, self.exprs, span);
                    let vector = b.at(copy, i);
                    let cut: Vec<u8> = (0..length).collect();
                    b.swizzle(vector, &cut)
                });
                let parts = parts.collect();
                let mut b = Build::new(self.types, self.exprs, span);
                let ty = b.types.matrix(s, count, length);
                let whole = b.construct(parts, ty);
                if stored.transposed { transpose(&mut b, whole, logical) } else { whole }
            }
            (Type::Matrix(..), _) if stored.transposed => {
                transpose(&mut Build::new(self.types, self.exprs, span), e, logical)
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
                let (count, length) = if stored.transposed { (columns, rows) } else { (rows, columns) };
                let mut e = e;
                if stored.transposed {
                    let ty = self.types.matrix(s, count, length);
                    e = transpose(&mut Build::new(self.types, self.exprs, span), e, ty);
                }
                let parts = (0..u32::from(count)).map(|i| {
                    let copy = self.exprs.duplicate(e);
                    let vector = Build::new(self.types, self.exprs, span).at(copy, i);
                    self.pack(vector, Stored { ty: inner, transposed: false })
                });
                let parts = parts.collect();
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

/// `transpose(x)`, which every language spells so. The transposed of a transposed is the thing itself.
fn transpose(b: &mut Build, e: ExprId, ty: TypeId) -> ExprId {
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
fn products(program: &mut Program) {
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
            let ExprKind::Call(f, args) = exprs[id].kind.clone() else { continue };
            let ([a, b], true) = (args.as_slice(), products.contains(&f)) else { continue };
            exchange_product(types, exprs, id, *a, *b);
        }
    });
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
