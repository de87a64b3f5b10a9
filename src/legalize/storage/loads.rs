//! Values out of what is stored otherwise are put together where they are used.
//!
//! ```text
//! before: f(buffer[i].v, buffer[i].on, mul(m, p))             where `v` is stored in pieces, `on` as a number, `m` transposed
//! after:  f(float3(buffer[i].v_xy, buffer[i].v_z), buffer[i].on != 0, p * m)
//! ```

use super::super::references::{self, ByReference};
use super::access::{Access, At, Parents, Pick, Reach};
use super::products::transpose;
use super::slot::{Form, Slot};
use super::words::Words;
use crate::source::Span;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// An assignment of data to other data that is stored alike: the assignment, the root of its target.
pub(super) struct Copy {
    assign: ExprId,
    target: ExprId,
    root: ExprId,
    /// Both places as they are stored.
    to: ExprId,
    from: ExprId,
}

impl Access<'_, '_> {
    /// Rewrites all accesses but those that are written part by part.
    pub(super) fn reads(&mut self, by_reference: &ByReference) {
        let parents = self.parents();
        let statements = references::expression_statements(&self.body.block);
        let roots = self.roots();
        let mut open: FxHashMap<_, _> = roots.iter().filter_map(|id| Some((*id, self.root(*id)?))).collect();
        self.open = Some(open.clone());
        for root in roots {
            let Some(Reach { chain, at }) = self.reach(root, &parents) else { continue };
            let Some(&top) = chain.last() else { continue };
            let ty = self.body.exprs[top].ty;
            if let Some(copy) = self.copy(top, &at, &parents, &statements) {
                open.remove(&copy.root);
                open.remove(&root);
                self.body.exprs.replace_by(copy.target, copy.to);
                self.body.exprs.replace_by(top, copy.from);
                self.body.exprs[copy.assign].ty = self.body.exprs[copy.to].ty;
                continue;
            }
            if !self.is_plain(&at, ty) {
                let (outer, user) = self.outwards(&chain, &parents);
                let target = user.filter(|user| outer.last().is_some_and(|last| self.is_target(*user, *last)));
                if target.is_some_and(|assign| statements.contains(&assign)) {
                    continue;
                }
                self.refuse_references(top, &parents, by_reference);
            }
            let value = self.load(&at, ty);
            self.body.exprs.replace_by(top, value);
            open.remove(&root);
        }
        self.open = Some(open);
    }

    /// Whether a value is assigned whole to what is stored alike.
    pub(super) fn copy(
        &mut self,
        top: ExprId,
        at: &At,
        parents: &Parents,
        statements: &FxHashSet<ExprId>,
    ) -> Option<Copy> {
        let At::Slot(base, slot) = at else { return None };
        let assign = parents.get(&top).copied().filter(|assign| statements.contains(assign))?;
        let ExprKind::Assign(None, target, _) = self.body.exprs[assign].kind else { return None };
        let whole = matches!(self.program.types.get(slot.ty), Type::Array(..) | Type::Matrix(..));
        if !whole || target == top || slot.form == Form::Same {
            return None;
        }
        slot.stored_type(&mut self.program.types)?;
        let (root, At::Slot(to, other), rest) = self.lvalue(target)? else { return None };
        if !rest.is_empty() || slot.form != other.form || slot.ty != other.ty {
            return None;
        }
        let (to, from) = (self.apply(to, &other.steps), self.apply(*base, &slot.steps));
        Some(Copy { assign, target, root, to, from })
    }

    /// Values of fields in constructed structs are as the fields are stored.
    pub(super) fn constructions(&mut self) {
        if self.plan.fields.is_empty() {
            return;
        }
        for id in self.body.expressions() {
            let Type::Struct(s) = self.program.types.get(self.body.exprs[id].ty) else { continue };
            let ExprKind::Construct(parts) = self.body.exprs[id].kind.clone() else { continue };
            let parts = (0..).zip(parts).map(|(index, part)| match self.plan.fields.get(&(s, index)) {
                Some(field) => self.pack(part, &field.slot),
                None => part,
            });
            let parts = parts.collect();
            self.body.exprs[id].kind = ExprKind::Construct(parts);
        }
    }

    pub(super) fn load(&mut self, at: &At, ty: TypeId) -> ExprId {
        let list = match at {
            At::Slot(base, slot) => return self.load_slot(*base, slot),
            At::Words(words) => return self.load_words(Words::clone(words)),
            At::Row(base, matrix, row) => self.row(*base, matrix, *row),
            At::Parts(list) => self.copies(list),
        };
        match list.as_slice() {
            [one] => self.value(*one, ty),
            [first, ..] => {
                let scalar = self.program.types.component(ty).unwrap_or(Scalar::F32);
                let scalar = self.program.types.scalar(scalar);
                let first = *first;
                let parts = list.into_iter().map(|e| self.value(e, scalar)).collect();
                self.build(first).construct(parts, ty)
            }
            [] => self.body.exprs.push(Expr { kind: ExprKind::Zero, ty, span: Span::default() }),
        }
    }

    /// The elements of a row of a matrix that is stored by columns.
    pub(super) fn row(&mut self, base: ExprId, matrix: &Slot, row: ExprId) -> Vec<ExprId> {
        let Type::Matrix(_, _, columns) = self.program.types.get(matrix.ty) else { return Vec::new() };
        (0..columns).filter_map(|c| self.matrix_element(base, matrix, Pick::Index(row), Pick::Constant(c))).collect()
    }

    /// What one stored expression of the same shape stands for: a number may be a bool, a scalar a vector of one.
    fn value(&mut self, e: ExprId, ty: TypeId) -> ExprId {
        let stored = self.body.exprs[e].ty;
        let is_bool = |types: &Types, ty| types.component(ty) == Some(Scalar::Bool);
        let mut value = e;
        if is_bool(&self.program.types, ty) && !is_bool(&self.program.types, stored) {
            let mut b = self.build(e);
            let zero = b.number(0, stored);
            value = b.binary(BinaryOp::NotEqual, e, zero);
        }
        self.build(e).convert(value, ty)
    }

    pub(super) fn load_slot(&mut self, base: ExprId, slot: &Slot) -> ExprId {
        if !slot.is_twin() {
            return self.load_parts(base, slot);
        }
        let whole = self.apply(base, &slot.steps);
        let stored = self.body.exprs[whole].ty;
        let known = self.plan.loads.borrow().get(&stored).copied();
        let function = known.unwrap_or_else(|| self.load_function(stored, slot));
        self.build(whole).call(function, vec![whole], slot.ty)
    }

    /// The function that puts a struct which has two declarations together out of the second, or an array of such.
    fn load_function(&mut self, stored: TypeId, slot: &Slot) -> FunctionId {
        let span = Span::default();
        let mut code = Body::default();
        let value = code.add_local("value", stored, span);
        code.locals[value].constant = true;
        let base = Build::new(&mut self.program.types, &mut code.exprs, span).local(value, stored);
        let mut access = Access::new(self.program, &mut code, self.plan, self.profile);
        let result = access.load_parts(base, &Slot::here(slot.ty, slot.form.clone()));
        code.block.stmts.push(Stmt::new(StmtKind::Return(Some(result)), span));
        Access::new(self.program, &mut code, self.plan, self.profile).constructions();
        let name = match self.program.types.get(self.program.types.innermost(slot.ty)) {
            Type::Struct(id) => self.program.structs[id].name,
            _ => "value".into(),
        };
        let name = format!("{name}_from_uniform");
        let made = Function::new(name.as_str(), vec![Param::new(value)], slot.ty, code, span);
        let function = self.program.functions.push(Function { builtin: true, ..made });
        let mut loads = self.plan.loads.borrow_mut();
        loads.insert(stored, function);
        // They stand before all others.
        let foreign = |item: &Item| matches!(item, Item::Function(id) if !loads.values().any(|f| f == id));
        let first = self.program.items.iter().copied().find(foreign);
        self.program.items.put_before(first, Item::Function(function));
        function
    }

    /// A value whose parts are put together on the spot.
    fn load_parts(&mut self, base: ExprId, slot: &Slot) -> ExprId {
        let ty = slot.ty;
        let parts = match &slot.form {
            Form::Same => return self.apply(base, &slot.steps),
            Form::Nothing => return self.build(base).add(ExprKind::Zero, ty),
            Form::Number => {
                let place = self.apply(base, &slot.steps);
                return self.value(place, ty);
            }
            Form::Wide => {
                let place = self.apply(base, &slot.steps);
                let count = if let Type::Vector(_, n) = self.program.types.get(ty) { n } else { 1 };
                let cut: Vec<u8> = (0..count).collect();
                let part = self.build(base).swizzle(place, &cut);
                return self.value(part, ty);
            }
            Form::Transposed => {
                let place = self.apply(base, &slot.steps);
                return transpose(&mut self.build(base), place, ty);
            }
            Form::Words(bytes) => {
                let rows = self.apply(base, &slot.steps);
                return self.load_words(Words::new(rows, bytes));
            }
            Form::Twin(_, list) => {
                let whole = self.apply(base, &slot.steps);
                list.iter().map(|s| self.load_slot(whole, s)).collect()
            }
            Form::Struct(list) | Form::Pieces(list) => list.iter().map(|s| self.load_slot(base, s)).collect(),
            Form::Array(inner) => match self.copied(slot, base) {
                Some(count) => (0..count)
                    .map(|n| {
                        let array = self.apply(base, &slot.steps);
                        let element = self.build(base).at(array, n);
                        self.load_slot(element, inner)
                    })
                    .collect(),
                None => return self.build(base).add(ExprKind::Zero, ty),
            },
            Form::Scalars => {
                let scalar = self.program.types.component(ty).unwrap_or(Scalar::F32);
                let scalar = self.program.types.scalar(scalar);
                let parts = self.components(base, slot);
                parts.into_iter().map(|e| self.value(e, scalar)).collect()
            }
            Form::Matrix(MatrixOrder::Row, vectors, _) => vectors.iter().map(|v| self.load_slot(base, v)).collect(),
            Form::Matrix(MatrixOrder::Column, vectors, _) => return self.by_columns(base, slot, vectors),
        };
        self.build(base).construct(parts, ty)
    }

    /// A matrix whose columns are given.
    fn by_columns(&mut self, base: ExprId, slot: &Slot, columns: &[Slot]) -> ExprId {
        let ty = slot.ty;
        let Type::Matrix(s, r, c) = self.program.types.get(ty) else {
            return self.build(base).add(ExprKind::Zero, ty);
        };
        if s.is_float() && r > 1 && c > 1 {
            let vectors = columns.iter().map(|v| self.load_slot(base, v)).collect();
            let turned = self.program.types.matrix(s, c, r);
            let mut b = self.build(base);
            let whole = b.construct(vectors, turned);
            return transpose(&mut b, whole, ty);
        }
        let scalar = self.program.types.scalar(s);
        let elements = (0..r).flat_map(|r| (0..c).map(move |c| (Pick::Constant(r), Pick::Constant(c))));
        let parts: Vec<ExprId> = elements.filter_map(|(r, c)| self.matrix_element(base, slot, r, c)).collect();
        let parts = parts.into_iter().map(|e| self.value(e, scalar)).collect();
        self.build(base).construct(parts, ty)
    }
}
