//! Assignments and increments as statements: of components by a swizzle, and of rows and elements of matrices.

use super::super::assignment_order::shows;
use super::Flattening;
use crate::source::Span;
use crate::tree::*;

impl Flattening<'_> {
    fn order_shows(&self, target: ExprId, value: ExprId) -> bool {
        shows(self.program, self.effects, self.body, target, value)
    }

    /// The value of an assignment, in a variable before its place where it comes first and the order shows.
    pub(super) fn before_place(&mut self, target: ExprId, value: ExprId, out: &mut Vec<Stmt>) -> ExprId {
        if !self.body.value_first || !self.order_shows(target, value) {
            return value;
        }
        let value = self.value(value, out);
        self.keep(value, out)
    }

    /// `target op= value` as statements.
    pub(super) fn assignment(
        &mut self,
        root: ExprId,
        op: Option<BinaryOp>,
        target: ExprId,
        value: ExprId,
        out: &mut Vec<Stmt>,
    ) {
        let span = self.body.exprs[root].span;
        let value = self.before_place(target, value, out);
        let work = self.needs_work(value) || self.places_first && self.order_shows(target, value);
        if work || self.needs_work(target) {
            self.place(target, out);
        }
        let value = self.value(value, out);
        self.assign(span, op, target, value, out);
    }

    /// The same where nothing of it makes statements any more.
    pub(super) fn assign(
        &mut self,
        span: Span,
        op: Option<BinaryOp>,
        target: ExprId,
        value: ExprId,
        out: &mut Vec<Stmt>,
    ) {
        match self.body.exprs[target].kind.clone() {
            ExprKind::Swizzle(base, swizzle) if swizzle.len > 1 => {
                self.swizzle_assignment(span, op, target, base, swizzle, value, out);
            }
            ExprKind::MatrixSwizzle(base, elements) => {
                self.matrix_assignment(span, op, base, &elements, value, out);
            }
            _ => {
                let ty = self.body.exprs[target].ty;
                let assign = self.build(span).add(ExprKind::Assign(op, target, value), ty);
                out.push(Stmt::new(StmtKind::Expr(assign), span));
            }
        }
    }

    /// `v.xz = w` is `v = float4(w.x, v.y, w.y, v.w)`. In memory that others write too, `v.x = w.x; v.z = w.y;`: the components
    /// that are not assigned may be theirs.
    fn swizzle_assignment(
        &mut self,
        span: Span,
        op: Option<BinaryOp>,
        target: ExprId,
        base: ExprId,
        swizzle: Swizzle,
        value: ExprId,
        out: &mut Vec<Stmt>,
    ) {
        let base = self.place(base, out);
        let mut value = value;
        if let Some(op) = op {
            let read = self.body.exprs.duplicate(target);
            value = self.build(span).binary(op, read, value);
        }
        let base_ty = self.body.exprs[base].ty;
        let width = match self.program.types.get(base_ty) {
            Type::Vector(_, n) => n,
            _ => 1,
        };
        if swizzle.len < width && self.program.is_shared(&self.body.exprs, base) {
            return self.component_assignments(span, base, swizzle, value, out);
        }
        let parts = self.swizzle_parts(span, base, swizzle, width, value, out);
        let mut build = self.build(span);
        let whole = build.construct(parts, base_ty);
        out.push(build.set(base, whole));
    }

    fn component_assignments(
        &mut self,
        span: Span,
        base: ExprId,
        swizzle: Swizzle,
        value: ExprId,
        out: &mut Vec<Stmt>,
    ) {
        let value = self.keep(value, out);
        for (from, to) in (0..).zip(swizzle.list()) {
            let (base, value) = (self.body.exprs.duplicate(base), self.body.exprs.duplicate(value));
            let mut build = self.build(span);
            let (target, value) =
                (build.selection(base, swizzle.with(&[*to])), build.selection(value, swizzle.with(&[from])));
            out.push(build.set(target, value));
        }
    }

    /// The new components of the whole vector. Where the value's components come in order they are taken in one piece.
    fn swizzle_parts(
        &mut self,
        span: Span,
        base: ExprId,
        swizzle: Swizzle,
        width: u8,
        value: ExprId,
        out: &mut Vec<Stmt>,
    ) -> Vec<ExprId> {
        let list = swizzle.list();
        let first = list.first().copied().unwrap_or(0);
        let in_order = list.iter().enumerate().all(|(i, c)| *c == first + i as u8);
        let kept = |this: &mut Self, c: u8| {
            let base = this.body.exprs.duplicate(base);
            this.build(span).selection(base, swizzle.with(&[c]))
        };
        let mut parts = Vec::new();
        if in_order {
            for c in 0..first {
                parts.push(kept(self, c));
            }
            parts.push(value);
            for c in first + swizzle.len..width {
                parts.push(kept(self, c));
            }
            return parts;
        }
        let value = self.keep(value, out);
        for c in 0..width {
            parts.push(match list.iter().position(|s| *s == c) {
                Some(at) => {
                    let value = self.body.exprs.duplicate(value);
                    self.build(span).selection(value, swizzle.with(&[at as u8]))
                }
                None => kept(self, c),
            });
        }
        parts
    }

    /// `m._m00_m11 = v` is one assignment an element.
    fn matrix_assignment(
        &mut self,
        span: Span,
        op: Option<BinaryOp>,
        base: ExprId,
        elements: &[(u8, u8)],
        value: ExprId,
        out: &mut Vec<Stmt>,
    ) {
        let base = self.place(base, out);
        let value = if elements.len() > 1 { self.keep(value, out) } else { value };
        for (i, (row, column)) in elements.iter().enumerate() {
            let base = self.body.exprs.duplicate(base);
            let value = self.body.exprs.duplicate(value);
            let single = elements.len() == 1;
            let mut build = self.build(span);
            let target = build.at(base, u32::from(*row));
            let target = build.at(target, u32::from(*column));
            let value = if single { value } else { build.swizzle(value, &[i as u8]) };
            let ty = build.exprs[target].ty;
            let assign = build.add(ExprKind::Assign(op, target, value), ty);
            out.push(Stmt::new(StmtKind::Expr(assign), span));
        }
    }

    /// `i++` as a statement is `i += 1`.
    pub(super) fn step(&mut self, span: Span, increment: bool, target: ExprId, out: &mut Vec<Stmt>) {
        let ty = self.body.exprs[target].ty;
        let whole = if self.needs_work(target) { self.place(target, out) } else { target };
        let mut build = self.build(span);
        let is_scalar_integer = matches!(build.types.get(ty), Type::Scalar(s) if s.is_integer());
        if is_scalar_integer {
            let step = build.add(ExprKind::Step(increment, false, whole), ty);
            out.push(Stmt::new(StmtKind::Expr(step), span));
        } else {
            let one = build.number(1, ty);
            let op = if increment { BinaryOp::Add } else { BinaryOp::Sub };
            self.assign(span, Some(op), whole, one, out);
        }
    }
}
