//! Assignments to what is taken apart become assignments of its parts.
//!
//! ```text
//! before: buffer[i].m[row] = v;                 where `m` is stored as vectors, and `row` is only known at run time
//! after:  switch (row) { case 0: buffer[i].m_0 = v; break; case 1: ... }
//! ```

use super::super::hoist::{Mark, Marks, temporary_name};
use super::super::references;
use super::super::stored_forms::{Form, Slot};
use super::{Access, At, Reach, selected};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::analyses::is_trivial;
use crate::tree::*;
use rustc_hash::FxHashMap;

impl<'p> Access<'_, 'p> {
    /// Indices that would be repeated, values that would be, and assignments that are no statements.
    pub(super) fn marks(&mut self) -> Marks {
        let mut marks = Marks::default();
        let parents = self.parents();
        let statements = references::statements(&self.body.block);
        for root in self.body.expressions() {
            let Some(Reach { chain, at }) = self.reach(root, &parents) else { continue };
            if at.is_plain() {
                continue;
            }
            let (outer, user) = self.outwards(&chain, &parents);
            let target = user.filter(|p| outer.last().is_some_and(|top| self.is_target(*p, *top)));
            for id in &chain {
                self.mark_indices(*id, &mut marks);
            }
            let Some(assign) = target else { continue };
            for id in outer {
                self.mark_indices(id, &mut marks);
            }
            if !statements.contains(&assign) {
                marks.insert(assign, Mark::Effect);
            }
            if let ExprKind::Assign(_, _, value) = self.body.exprs[assign].kind {
                self.mark(value, &mut marks);
            }
        }
        self.mark_whole(&mut marks);
        marks
    }

    /// The selections out of the end of a chain, from that end on, and what uses the last.
    fn outwards(&self, chain: &[ExprId], parents: &FxHashMap<ExprId, ExprId>) -> (Vec<ExprId>, Option<ExprId>) {
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

    fn mark(&mut self, id: ExprId, marks: &mut Marks) {
        if !is_trivial(&self.body.exprs, id) {
            let scalar = matches!(self.program.types.get(self.body.exprs[id].ty), Type::Scalar(_));
            let name = if scalar { Symbol::new("index") } else { temporary_name(self.program, self.body, id) };
            marks.insert(id, Mark::Value(name));
        }
    }

    fn mark_indices(&mut self, id: ExprId, marks: &mut Marks) {
        match self.body.exprs[id].kind {
            ExprKind::Index(base, index) => {
                self.mark(index, marks);
                if let ExprKind::Index(..) = self.body.exprs[base].kind {
                    self.mark_indices(base, marks);
                }
            }
            ExprKind::Contents(base) => self.mark_indices(base, marks),
            _ => {}
        }
    }

    /// Whether something is a place in a buffer, and is not one place in what is stored.
    pub(super) fn is_in_parts(&mut self, place: ExprId) -> bool {
        match self.target(place) {
            Some((at, rest)) => !at.is_plain() || !(rest.is_empty() || matches!(at, At::Slot(..))),
            None => false,
        }
    }

    /// Assignments to what is taken apart become assignments of the parts.
    pub(super) fn stores(&mut self) {
        let mut block = std::mem::take(&mut self.body.block);
        block.rewrite(&mut |stmt, out| {
            let StmtKind::Expr(root) = stmt.kind else { return out.push(stmt) };
            let Some(parts) = self.store_statement(root, stmt.span) else { return out.push(stmt) };
            let first = out.len();
            out.extend(parts);
            if let Some(first) = out.get_mut(first) {
                first.comments = stmt.comments;
                first.blank_before = stmt.blank_before;
            }
        });
        self.body.block = block;
    }

    /// The statements that an assignment becomes, if its target is taken apart.
    fn store_statement(&mut self, root: ExprId, span: Span) -> Option<Vec<Stmt>> {
        let (op, target, value) = match self.body.exprs[root].kind {
            ExprKind::Assign(op, target, value) => (op, target, Some(value)),
            ExprKind::Step(up, _, target) => (Some(if up { BinaryOp::Add } else { BinaryOp::Sub }), target, None),
            _ => return None,
        };
        let (at, rest) = self.target(target)?;
        if at.is_plain() && (rest.is_empty() || matches!(at, At::Slot(..))) {
            return None;
        }
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

    /// Where the target of an assignment is, and the selections in it that could not be followed, innermost first.
    fn target(&mut self, target: ExprId) -> Option<(At<'p>, Vec<ExprId>)> {
        let mut path = Vec::new();
        let mut node = target;
        while self.root(node).is_none() {
            path.push(node);
            node = selected(&self.body.exprs, node)?;
        }
        let mut at = self.start(node)?;
        while let Some(parent) = path.pop() {
            let kind = self.body.exprs[parent].kind.clone();
            match self.select(&at, &kind) {
                Some(next) => at = next,
                None => {
                    path.push(parent);
                    break;
                }
            }
        }
        path.reverse();
        Some((at, path))
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
            let body = Block { stmts, trailing: Vec::new() };
            cases.push(SwitchCase { labels: vec![Some(label)], comments: Vec::new(), body });
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
        match at {
            At::Slot(base, slot) => self.store_slot(*base, slot, op, value, out),
            At::Parts(list) => {
                for (index, part) in (0..).zip(list) {
                    let one = !matches!(self.program.types.get(self.body.exprs[value].ty), Type::Vector(..));
                    let from = if list.len() > 1 && !one {
                        self.component(value, index)
                    } else {
                        self.body.exprs.duplicate(value)
                    };
                    out.push(self.assign(*part, op, from));
                }
            }
            At::Words(_) => {}
        }
    }

    /// A component of a vector value; of one made of its components, that component.
    fn component(&mut self, value: ExprId, index: u8) -> ExprId {
        if let (ExprKind::Construct(parts), Type::Vector(_, n)) =
            (&self.body.exprs[value].kind, self.program.types.get(self.body.exprs[value].ty))
            && parts.len() == usize::from(n)
            && let Some(&part) = parts.get(usize::from(index))
        {
            return self.body.exprs.duplicate(part);
        }
        let from = self.body.exprs.duplicate(value);
        self.build(value).swizzle(from, &[index])
    }

    fn assign(&mut self, target: ExprId, op: Option<BinaryOp>, value: ExprId) -> ExprId {
        let ty = self.body.exprs[target].ty;
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
        match &slot.form {
            Form::Same => {
                let target = self.apply(base, &slot.steps);
                let from = self.body.exprs.duplicate(value);
                out.push(self.assign(target, op, from));
            }
            Form::Struct(fields) => {
                for (index, field) in (0..).zip(fields) {
                    let from = self.body.exprs.duplicate(value);
                    let part = self.build(value).field(from, index, field.layout.ty);
                    self.store_slot(base, field, op, part, out);
                }
            }
            Form::Array(inner) => {
                for n in 0..self.count(slot) {
                    let array = self.apply(base, &slot.steps);
                    let to = self.build(value).at(array, n);
                    let from = self.body.exprs.duplicate(value);
                    let part = self.build(value).at(from, n);
                    self.store_slot(to, inner, op, part, out);
                }
            }
            Form::Scalars | Form::Pieces(_) => {
                let parts = self.components(base, slot);
                self.store(&At::Parts(parts), op, value, out);
            }
            Form::Matrix(vectors, _) => {
                for (index, vector) in (0..).zip(vectors) {
                    let part = self.vector_of(value, slot.order(), index, vector.layout.ty);
                    self.store_slot(base, vector, op, part, out);
                }
            }
            Form::Nothing | Form::Words(_) => {}
        }
    }

    /// A row or column of a matrix value.
    fn vector_of(&mut self, matrix: ExprId, order: MatrixOrder, index: u32, ty: TypeId) -> ExprId {
        let length = if let Type::Vector(_, n) = self.program.types.get(ty) { n } else { 1 };
        let element = |this: &mut Self, r: u32, c: u32| {
            let from = this.body.exprs.duplicate(matrix);
            let mut b = this.build(matrix);
            let row = b.at(from, r);
            b.at(row, c)
        };
        match order {
            MatrixOrder::Row if length > 1 => {
                let from = self.body.exprs.duplicate(matrix);
                self.build(matrix).at(from, index)
            }
            MatrixOrder::Row => element(self, index, 0),
            MatrixOrder::Column if length == 1 => element(self, 0, index),
            MatrixOrder::Column => {
                let parts = (0..u32::from(length)).map(|r| element(self, r, index)).collect();
                self.build(matrix).construct(parts, ty)
            }
        }
    }
}
