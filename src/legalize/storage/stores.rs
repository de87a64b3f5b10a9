//! Assignments to what is stored otherwise become assignments of its parts.
//!
//! ```text
//! before: buffer[i].m[row] = v;                 where `m` is stored as vectors, and `row` is only known at run time
//! after:  switch (row) { case 0: buffer[i].m_0 = v; break; case 1: ... }
//! ```

use super::super::hoist::{Marks, mark_effect, mark_value, temporary_name};
use super::super::references::{self, selected};
use super::access::{Access, At, Parents, Reach};
use super::products::{transpose, transposed_of};
use super::slot::{Form, Slot};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::analyses::is_trivial;
use crate::tree::*;
use rustc_hash::FxHashSet;

impl<'p> Access<'_, 'p> {
    /// Indices that would be repeated, values that would be, and assignments that are no statements.
    pub(super) fn marks(&mut self) -> Marks {
        let mut marks = Marks::default();
        let parents = self.parents();
        let statements = references::expression_statements(&self.body.block);
        for root in self.roots() {
            let Some(Reach { chain, at }) = self.reach(root, &parents) else { continue };
            let Some(&top) = chain.last() else { continue };
            let copied = self.copy(top, &at, &parents, &statements).is_some();
            if copied || self.is_plain(&at, self.body.exprs[top].ty) {
                continue;
            }
            let (outer, user) = self.outwards(&chain, &parents);
            let target = user.filter(|p| outer.last().is_some_and(|top| self.is_target(*p, *top)));
            let assign = target.map(|t| (t, self.body.exprs[t].kind.clone()));
            let changed = matches!(&assign, Some((_, kind)) if !matches!(kind, ExprKind::Assign(None, ..)));
            if at.is_repeated() || changed {
                self.mark_indices(top, &mut marks);
            }
            let Some((assign, kind)) = assign else { continue };
            if let [_, .., last] = outer.as_slice() {
                self.mark_indices(*last, &mut marks);
            }
            if !statements.contains(&assign) {
                mark_effect(&mut marks, assign);
            }
            match kind {
                ExprKind::Assign(_, target, value) if at.is_repeated() => {
                    // What is written part by part is not read any more once the first part is written.
                    match is_trivial(&self.body.exprs, value) && self.may_overlap(target, value) {
                        true => mark_value(&mut marks, value, temporary_name(self.program, self.body, value)),
                        false => self.mark(value, &mut marks),
                    }
                }
                _ => {}
            }
        }
        self.mark_whole(&mut marks);
        self.mark_constructions(&mut marks);
        marks
    }

    /// Assignments and steps that become others.
    pub(super) fn divided(&mut self) -> FxHashSet<ExprId> {
        let mut found = self.body.expressions();
        found.retain(|id| match self.body.exprs[*id].kind {
            ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) => self.is_in_parts(target),
            _ => false,
        });
        found.into_iter().collect()
    }

    /// Values in constructed structs that are stored part by part.
    fn mark_constructions(&mut self, marks: &mut Marks) {
        for id in self.body.expressions().into_iter().filter(|_| !self.plan.fields.is_empty()) {
            let Type::Struct(s) = self.program.types.get(self.body.exprs[id].ty) else { continue };
            let ExprKind::Construct(parts) = self.body.exprs[id].kind.clone() else { continue };
            for (_, part) in (0..).zip(parts).filter(|(index, _)| {
                let form = self.plan.fields.get(&(s, *index)).map(|f| &f.slot.form);
                matches!(form, Some(Form::Array(_) | Form::Matrix(..)))
            }) {
                self.mark(part, marks);
            }
        }
    }

    /// The selections out of the end of a chain, from that end on, and what uses the last.
    pub(super) fn outwards(&self, chain: &[ExprId], parents: &Parents) -> (Vec<ExprId>, Option<ExprId>) {
        let mut outer: Vec<ExprId> = chain.last().copied().into_iter().collect();
        let mut user = outer.last().and_then(|top| parents.get(top)).copied();
        while let Some(parent) = user
            && outer.last().copied() == selected(&self.body.exprs, parent)
        {
            outer.push(parent);
            user = parents.get(&parent).copied();
        }
        (outer, user)
    }

    pub(super) fn is_target(&self, parent: ExprId, id: ExprId) -> bool {
        match self.body.exprs[parent].kind {
            ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) => target == id,
            _ => false,
        }
    }

    fn mark(&self, id: ExprId, marks: &mut Marks) {
        if !is_trivial(&self.body.exprs, id) {
            let scalar = matches!(self.program.types.get(self.body.exprs[id].ty), Type::Scalar(_));
            let name = if scalar { Symbol::new("index") } else { temporary_name(self.program, self.body, id) };
            mark_value(marks, id, name);
        }
    }

    /// Whether a part of one place may be another part of the other: not where they are in two variables, nor where both are a whole
    /// of one type.
    fn may_overlap(&self, a: ExprId, b: ExprId) -> bool {
        let exprs = &self.body.exprs;
        let same = match (&exprs[exprs.base(a)].kind, &exprs[exprs.base(b)].kind) {
            (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
            (ExprKind::Global(a), ExprKind::Global(b)) => a == b,
            _ => false,
        };
        let is_whole = |id| {
            let swizzled = |id| matches!(exprs[id].kind, ExprKind::Swizzle(..) | ExprKind::MatrixSwizzle(..));
            !exprs.way_to_base(id).any(swizzled)
        };
        same && !(exprs[a].ty == exprs[b].ty && is_whole(a) && is_whole(b))
    }

    /// Indices on the way to a value, and the value that it is taken from.
    fn mark_indices(&self, id: ExprId, marks: &mut Marks) {
        let mut at = id;
        loop {
            at = match self.body.exprs[at].kind {
                ExprKind::Index(base, index) => {
                    self.mark(index, marks);
                    base
                }
                ExprKind::Field(base, _)
                | ExprKind::Contents(base)
                | ExprKind::Swizzle(base, _)
                | ExprKind::MatrixSwizzle(base, _)
                | ExprKind::Deref(base) => base,
                ExprKind::Call(..) => return self.mark(at, marks),
                _ => return,
            };
        }
    }

    /// Whether something is an lvalue in a buffer, and is not one lvalue in what is stored.
    pub(super) fn is_in_parts(&mut self, id: ExprId) -> bool {
        let ty = self.body.exprs[id].ty;
        self.lvalue(id).is_some_and(|(_, at, rest)| match rest.is_empty() {
            true => !self.is_plain(&at, ty),
            false => !matches!(at, At::Slot(_, Slot { form: Form::Same, .. })),
        })
    }

    /// Assignments to what is stored otherwise become assignments of the parts.
    pub(super) fn stores(&mut self) {
        let mut block = std::mem::take(&mut self.body.block);
        block.rewrite(&mut |mut stmt, out| {
            let StmtKind::Expr(root) = stmt.kind else { return out.push(stmt) };
            let Some(parts) = self.store_statement(root, stmt.span) else { return out.push(stmt) };
            let first = out.len();
            out.extend(parts);
            stmt.give_comments(out.get_mut(first), true);
        });
        self.body.block = block;
    }

    /// The statements that an assignment becomes, if its target is stored otherwise.
    fn store_statement(&mut self, root: ExprId, span: Span) -> Option<Vec<Stmt>> {
        let (op, target, value) = match self.body.exprs[root].kind {
            ExprKind::Assign(op, target, value) => (op, target, Some(value)),
            ExprKind::Step(up, _, target) => (Some(if up { BinaryOp::Add } else { BinaryOp::Sub }), target, None),
            _ => return None,
        };
        let (_, at, rest) = self.lvalue(target)?;
        let ty = self.body.exprs[target].ty;
        let value = match value {
            Some(value) => value,
            None => self.build(root).number(1, ty),
        };
        let mut out = Vec::new();
        if self.store_within(&at, &rest, (op, value), span, &mut out).is_none() {
            let reason = format!(
                "{} stores this value in parts, and this part of it cannot be assigned; assign the whole value",
                self.profile.name
            );
            self.faults.push((self.body.exprs[root].span, reason));
            return None;
        }
        Some(out)
    }

    /// Assigns to what the selections `path` choose of a place. A part that is only known at run time is one case of several.
    fn store_within(
        &mut self,
        at: &At<'p>,
        path: &[ExprId],
        change: (Option<BinaryOp>, ExprId),
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let Some((&next, outer)) = path.split_first() else {
            let mut parts = Vec::new();
            self.store(at, change.0, change.1, &mut parts);
            out.extend(parts.into_iter().map(|e| Stmt::new(StmtKind::Expr(e), span)));
            return Some(());
        };
        let kind = self.body.exprs[next].kind.clone();
        if let Some(inner) = self.select(at, &kind) {
            return self.store_within(&inner, outer, change, span, out);
        }
        if let At::Slot(_, Slot { form: Form::Same, .. }) = at {
            return self.store_same(at, path, change, span, out);
        }
        let ExprKind::Index(base, index) = kind else { return None };
        let index = self.body.exprs.duplicate(index);
        let narrow =
            matches!(self.program.types.get(self.body.exprs[index].ty), Type::Scalar(Scalar::I32 | Scalar::U32));
        let chosen = if narrow { index } else { self.build(next).convert(index, TypeId::UINT) };
        let label_type = self.body.exprs[chosen].ty;
        let mut cases = Vec::new();
        for n in 0..self.elements(self.body.exprs[base].ty)? {
            let number = self.build(next).uint(n);
            let inner = self.select(at, &ExprKind::Index(base, number))?;
            let mut stmts = Vec::new();
            self.store_within(&inner, outer, change, span, &mut stmts)?;
            stmts.push(Stmt::new(StmtKind::Break, span));
            let label = self.build(next).number(n.into(), label_type);
            let body = Block::of(stmts);
            cases.push(SwitchCase::new(vec![Some(label)], body));
        }
        out.push(Stmt::new(StmtKind::Switch(chosen, cases, Hints::default()), span));
        Some(())
    }

    /// Assigns to a part of what is stored as it is.
    fn store_same(
        &mut self,
        at: &At<'p>,
        path: &[ExprId],
        (op, value): (Option<BinaryOp>, ExprId),
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let mut place = self.load(at, TypeId::ERROR);
        for step in path {
            let mut part = self.body.exprs[*step].clone();
            let mut children = Vec::new();
            part.kind.children(&mut |c| children.push(c));
            let mut first = true;
            let mut others =
                children.into_iter().skip(1).map(|c| self.body.exprs.duplicate(c)).collect::<Vec<_>>().into_iter();
            part.kind.children_mut(&mut |c| {
                if let Some(new) = if std::mem::take(&mut first) { Some(place) } else { others.next() } {
                    *c = new;
                }
            });
            place = self.body.exprs.push(part);
        }
        let value = self.body.exprs.duplicate(value);
        let assign = self.assign(place, op, value);
        out.push(Stmt::new(StmtKind::Expr(assign), span));
        Some(())
    }

    /// How many parts an index chooses from.
    fn elements(&self, ty: TypeId) -> Option<u32> {
        match self.program.types.get(ty) {
            Type::Vector(_, n) => Some(n.into()),
            Type::Matrix(_, rows, _) => Some(rows.into()),
            _ => None,
        }
    }

    /// Assignments of a value to its parts.
    fn store(&mut self, at: &At, op: Option<BinaryOp>, value: ExprId, out: &mut Vec<ExprId>) {
        let list = match at {
            At::Slot(base, slot) => return self.store_slot(*base, slot, op, value, out),
            At::Row(base, matrix, row) => self.row(*base, matrix, *row),
            At::Parts(list) => list.clone(),
            At::Words(_) => return,
        };
        let vector = matches!(self.program.types.get(self.body.exprs[value].ty), Type::Vector(..));
        for (index, part) in (0..).zip(&list) {
            let from = match list.len() > 1 && vector {
                true => self.component(value, index),
                false => self.body.exprs.duplicate(value),
            };
            out.push(self.assign(*part, op, from));
        }
    }

    /// A component of a vector value; of one made of its components, that component.
    fn component(&mut self, value: ExprId, index: u8) -> ExprId {
        if let Some(part) = self.constructed(value, index.into()) {
            return part;
        }
        let from = self.body.exprs.duplicate(value);
        self.build(value).swizzle(from, &[index])
    }

    /// A field of a struct value.
    fn field_of(&mut self, value: ExprId, index: u32, ty: TypeId) -> ExprId {
        if let Some(part) = self.constructed(value, index) {
            return part;
        }
        let from = self.body.exprs.duplicate(value);
        let declared = match self.program.types.get(self.body.exprs[value].ty) {
            // Before rewriting begins, it is found there.
            Type::Struct(id) if self.open.is_some() => self.plan.fields.get(&(id, index)),
            _ => None,
        };
        let part = self.build(value).field(from, index, declared.map_or(ty, |field| field.ty));
        declared.map_or(part, |field| self.load_slot(part, &field.slot))
    }

    /// An element of an array value, or a row of a matrix value.
    fn element_of(&mut self, value: ExprId, index: u32) -> ExprId {
        if let Some(part) = self.constructed(value, index) {
            return part;
        }
        let from = self.body.exprs.duplicate(value);
        self.build(value).at(from, index)
    }

    /// An element of a matrix value.
    fn matrix_part(&mut self, matrix: ExprId, row: u32, column: u32) -> ExprId {
        if let Some(row) = self.constructed(matrix, row) {
            return self.component(row, column as u8);
        }
        if let (ExprKind::Construct(parts), Type::Matrix(_, rows, columns)) =
            (&self.body.exprs[matrix].kind, self.program.types.get(self.body.exprs[matrix].ty))
            && parts.len() == usize::from(rows * columns)
            && let Some(&part) = parts.get((row * u32::from(columns) + column) as usize)
        {
            return self.body.exprs.duplicate(part);
        }
        let row = self.element_of(matrix, row);
        self.build(matrix).at(row, column)
    }

    /// A part of a value that is made of its parts.
    fn constructed(&mut self, value: ExprId, index: u32) -> Option<ExprId> {
        let ExprKind::Construct(parts) = &self.body.exprs[value].kind else { return None };
        let count = match self.program.types.get(self.body.exprs[value].ty) {
            Type::Vector(_, n) => n.into(),
            Type::Matrix(_, rows, _) => rows.into(),
            Type::Array(_, count) => count.fixed().unwrap_or(0) as usize,
            Type::Struct(id) => self.program.structs[id].fields.len(),
            _ => return None,
        };
        let part = *parts.get(index as usize).filter(|_| parts.len() == count)?;
        let ty = self.body.exprs[value].ty;
        let is_struct = matches!(self.program.types.get(ty), Type::Struct(_));
        let element = self.build(value).element_type(ty);
        (is_struct || self.body.exprs[part].ty == element).then(|| self.body.exprs.duplicate(part))
    }

    /// Assigns to one expression. Numbers that stand for bools are computed with as bools.
    fn assign(&mut self, target: ExprId, op: Option<BinaryOp>, value: ExprId) -> ExprId {
        let (ty, logical) = (self.body.exprs[target].ty, self.body.exprs[value].ty);
        let of_bools = self.program.types.component(logical) == Some(Scalar::Bool);
        let (op, value) = match op {
            Some(op) if of_bools && self.program.types.component(ty) != Some(Scalar::Bool) => {
                let old = self.body.exprs.duplicate(target);
                let old = self.load(&At::Parts(vec![old]), logical);
                (None, self.build(value).binary(op, old, value))
            }
            _ => (op, value),
        };
        let mut b = self.build(value);
        let value = b.convert(value, ty);
        b.add(ExprKind::Assign(op, target, value), ty)
    }

    pub(super) fn store_slot(
        &mut self,
        base: ExprId,
        slot: &Slot,
        op: Option<BinaryOp>,
        value: ExprId,
        out: &mut Vec<ExprId>,
    ) {
        let by_parts = op.is_some() && matches!(slot.form, Form::Array(_) | Form::Matrix(..));
        if slot.stored_type(&mut self.program.types).is_some() && !by_parts {
            let (target, from) = (self.apply(base, &slot.steps), self.body.exprs.duplicate(value));
            if slot.form == Form::Same {
                out.push(self.assign(target, op, from));
                return;
            }
            let new = match op {
                None => from,
                Some(op) => {
                    let old = self.load_slot(base, slot);
                    self.build(value).binary(op, old, from)
                }
            };
            let new = self.pack(new, slot);
            out.push(self.build(value).assign(target, new));
            return;
        }
        match &slot.form {
            Form::Struct(fields) => {
                for (index, field) in (0..).zip(fields) {
                    let part = self.field_of(value, index, field.ty);
                    self.store_slot(base, field, op, part, out);
                }
            }
            Form::Array(inner) => {
                for n in 0..self.copied(slot, base).unwrap_or(0) {
                    let array = self.apply(base, &slot.steps);
                    let to = self.build(value).at(array, n);
                    let part = self.element_of(value, n);
                    self.store_slot(to, inner, op, part, out);
                }
            }
            Form::Scalars | Form::Pieces(_) => {
                let parts = self.components(base, slot);
                self.store(&At::Parts(parts), op, value, out);
            }
            Form::Matrix(order, vectors, _) => {
                for (index, vector) in (0..).zip(vectors) {
                    let part = self.vector_of(value, *order, index, vector.ty);
                    self.store_slot(base, vector, op, part, out);
                }
            }
            Form::Same | Form::Transposed | Form::Wide | Form::Number | Form::Nothing => {}
            // They are in constant buffers, which nothing assigns to.
            Form::Twin(..) | Form::Words(_) => {}
        }
    }

    /// What is stored for a value, if that is one thing.
    pub(super) fn pack(&mut self, value: ExprId, slot: &Slot) -> ExprId {
        let Some(stored) = slot.stored_type(&mut self.program.types) else { return value };
        let parts = match &slot.form {
            Form::Number => return self.build(value).convert(value, stored),
            Form::Transposed => return transpose(&mut self.build(value), value, stored),
            Form::Wide => {
                let mut b = self.build(value);
                let count = if let Type::Vector(_, n) = b.types.get(slot.ty) { n } else { 1 };
                let scalar = b.element_type(stored);
                let narrow = if let Type::Vector(s, _) = b.types.get(stored) {
                    b.types.scalar_or_vector(s, count)
                } else {
                    scalar
                };
                let mut parts = vec![b.convert(value, narrow)];
                parts.extend((count..4).map(|_| b.number(0, scalar)));
                parts
            }
            Form::Array(inner) => match self.copied(slot, value) {
                Some(count) => (0..count)
                    .map(|n| {
                        let part = self.element_of(value, n);
                        self.pack(part, inner)
                    })
                    .collect(),
                None => return self.build(value).add(ExprKind::Zero, stored),
            },
            Form::Matrix(order, vectors, _) => (0..)
                .zip(vectors)
                .map(|(index, vector)| {
                    let part = self.vector_of(value, *order, index, vector.ty);
                    self.pack(part, vector)
                })
                .collect(),
            _ => return value,
        };
        self.build(value).construct(parts, stored)
    }

    /// A row or column of a matrix value.
    fn vector_of(&mut self, matrix: ExprId, order: MatrixOrder, index: u32, ty: TypeId) -> ExprId {
        if let Some(inner) = transposed_of(&self.body.exprs, matrix) {
            let other = if order == MatrixOrder::Row { MatrixOrder::Column } else { MatrixOrder::Row };
            return self.vector_of(inner, other, index, ty);
        }
        let length = if let Type::Vector(_, n) = self.program.types.get(ty) { n } else { 1 };
        match order {
            MatrixOrder::Row if length > 1 => self.element_of(matrix, index),
            MatrixOrder::Row => self.matrix_part(matrix, index, 0),
            MatrixOrder::Column if length == 1 => self.matrix_part(matrix, 0, index),
            MatrixOrder::Column => {
                let parts = (0..u32::from(length)).map(|r| self.matrix_part(matrix, r, index)).collect();
                // Numbers of places to shift by may be of another kind than what is shifted.
                let mut b = self.build(matrix);
                let own = b.types.component(b.exprs[matrix].ty).map(|scalar| b.types.vector(scalar, length));
                let vector = b.construct(parts, own.unwrap_or(ty));
                b.convert(vector, ty)
            }
        }
    }
}
