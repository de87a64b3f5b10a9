//! Outputs: parameters with `out` and the result of an entry point, which are written where they are assigned, or at each
//! return.

use super::super::stage_io::{Leaf, accesses};
use super::{GlobalLowering, Replacement, Written};
use crate::source::Span;
use crate::target::system_values::Direction;
use crate::tree::*;
use rustc_hash::FxHashMap;

impl GlobalLowering<'_, '_> {
    /// An `out` parameter: its fields become globals, or it becomes a variable that is copied at each return.
    pub(super) fn output(
        &mut self,
        local: LocalId,
        leaves: Vec<Leaf>,
    ) -> Option<(LocalId, Vec<Leaf>, Vec<Replacement>)> {
        let places = self.places(local, &leaves, Direction::Out);
        if self.replace_output(local, &leaves, &places, &|_| false) {
            return None;
        }
        let span = self.body.locals[local].span;
        self.start.push(Stmt::new(StmtKind::Local(local, None), span));
        self.rename_shadowed(local, &places);
        Some((local, leaves, places))
    }

    /// Whether all uses of a variable could be replaced by the places of its leaves; they are then.
    fn replace_output(
        &mut self,
        local: LocalId,
        leaves: &[Leaf],
        places: &[Replacement],
        ignored: &dyn Fn(ExprId) -> bool,
    ) -> bool {
        let direct = |(place, leaf): (&Replacement, &Leaf)| match place {
            Replacement::Global(_, own) | Replacement::Invocation(_, own) | Replacement::Builtin(_, own) => {
                *own == leaf.ty
            }
            Replacement::Distances(..) => leaf.ty == TypeId::FLOAT,
            Replacement::Levels(..) => true,
            Replacement::Missing(..) => false,
        };
        if !places.iter().zip(leaves).all(direct) {
            return false;
        }
        let Some(found) = accesses(&self.body, local, leaves, ignored) else { return false };
        let levels = (0..).zip(places).filter(|(_, place)| matches!(place, Replacement::Levels(..)));
        if !levels.into_iter().all(|(index, _)| self.are_indexed(&found, index)) {
            return false;
        }
        for (id, index) in found {
            let (Some(place), Some(leaf)) = (places.get(index), leaves.get(index)) else { continue };
            let span = self.body.exprs[id].span;
            let value = match place {
                Replacement::Levels(variable, own) => self.levels(variable, *own, span),
                _ => self.read(place, leaf.ty, span),
            };
            self.body.exprs.replace_by(id, value);
        }
        true
    }

    /// Replaces `return value;` by writes to the outputs.
    pub(in super::super) fn returns(&mut self, result: Vec<Leaf>, written: Written) {
        let local = self.result_local(&result);
        let base = local.map(|l| self.body.locals[l].name.to_string()).unwrap_or_default();
        let places: Vec<Replacement> = result.iter().map(|leaf| self.place(leaf, &base, Direction::Out)).collect();
        let direct = local.is_some_and(|local| self.replace_result(local, &result, &places));
        let mut block = std::mem::take(&mut self.body.block);
        let last_is_return = matches!(block.stmts.last(), Some(Stmt { kind: StmtKind::Return(_), .. }));
        let marker = block.stmts.last().map(|s| s.span);
        block.rewrite(&mut |mut stmt, out| {
            let StmtKind::Return(value) = stmt.kind else {
                out.push(stmt);
                return;
            };
            let start = out.len();
            match value {
                Some(value) if !direct => self.write_value(value, &result, &places, out),
                _ => {}
            }
            for (local, leaves, places) in &written {
                self.write_local(*local, leaves, places, stmt.span, out);
            }
            stmt.give_comments(out.get_mut(start), true);
            out.push(Stmt { kind: StmtKind::Return(None), ..stmt });
        });
        // The last return says nothing.
        if last_is_return && matches!(block.stmts.last(), Some(s) if matches!(s.kind, StmtKind::Return(None))) {
            if let Some(last) = block.stmts.pop() {
                block.trailing.splice(0..0, last.comments.into_iter().filter(|c| !c.trailing));
            }
        } else {
            let span = marker.unwrap_or_default();
            for (local, leaves, places) in &written {
                self.write_local(*local, leaves, places, span, &mut block.stmts);
            }
        }
        self.body.block = block;
    }

    /// The values that are returned.
    fn returned(&self) -> Vec<ExprId> {
        let mut returned = Vec::new();
        self.body.block.visit(&mut |stmt| {
            if let StmtKind::Return(Some(value)) = stmt.kind {
                returned.push(value);
            }
        });
        returned
    }

    /// The variable that every return gives, declared at the top of the function.
    fn result_local(&self, result: &[Leaf]) -> Option<LocalId> {
        if result.iter().any(|leaf| leaf.path.is_empty()) {
            return None;
        }
        let returned = self.returned();
        let ExprKind::Local(local) = self.body.exprs[*returned.first()?].kind else { return None };
        if !returned.iter().all(|value| matches!(self.body.exprs[*value].kind, ExprKind::Local(l) if l == local)) {
            return None;
        }
        let declared = self.body.block.stmts.iter().any(|s| match s.kind {
            StmtKind::Local(l, init) => {
                l == local && init.is_none_or(|e| matches!(self.body.exprs[e].kind, ExprKind::Zero))
            }
            _ => false,
        });
        declared.then_some(local)
    }

    /// Replaces the variable of the result by the outputs, and its declaration by zeros where it had them.
    fn replace_result(&mut self, local: LocalId, leaves: &[Leaf], places: &[Replacement]) -> bool {
        let returned = self.returned();
        let zeroed = self.leaves_that_need_zero(local, leaves);
        if !self.replace_output(local, leaves, places, &|id| returned.contains(&id)) {
            return false;
        }
        let at = self.body.block.stmts.iter().position(|s| matches!(s.kind, StmtKind::Local(l, _) if l == local));
        let Some(at) = at else { return true };
        let declaration = self.body.block.stmts.remove(at);
        let mut zeros = Vec::new();
        for (_, (place, leaf)) in (0..).zip(places.iter().zip(leaves)).filter(|(index, _)| zeroed.contains(index)) {
            let zero = self.body.exprs.push(Expr { kind: ExprKind::Zero, ty: leaf.ty, span: declaration.span });
            self.write(place, zero, &mut zeros);
        }
        let mut rest = self.body.block.stmts.split_off(at);
        // Comments of the declaration go to what stands in its place.
        if let Some(first) = zeros.first_mut().or(rest.first_mut()) {
            first.comments.splice(0..0, declaration.comments.into_iter().filter(|c| !c.trailing));
            first.blank_before |= declaration.blank_before;
        }
        self.body.block.stmts.append(&mut zeros);
        self.body.block.stmts.append(&mut rest);
        true
    }

    /// The leaves, by index, of a variable that is zero at first, but for those that are written as a whole before anything else is
    /// done with them.
    fn leaves_that_need_zero(&self, local: LocalId, leaves: &[Leaf]) -> Vec<usize> {
        let zero = self.body.block.stmts.iter().any(|s| matches!(s.kind, StmtKind::Local(l, Some(_)) if l == local));
        if !zero {
            return Vec::new();
        }
        let Some(found) = accesses(&self.body, local, leaves, &|_| false) else {
            return (0..leaves.len()).collect();
        };
        // An assignment among the statements of the function itself, of which the leaf is the target.
        let is_target = |id: ExprId| {
            self.body.block.stmts.iter().any(|s| match s.kind {
                StmtKind::Expr(e) => matches!(self.body.exprs[e].kind, ExprKind::Assign(None, t, _) if t == id),
                _ => false,
            })
        };
        let order = self.textual_order();
        let needs_zero = |index: &usize| {
            let uses = found.iter().filter(|(_, i)| i == index).map(|(id, _)| *id);
            // Its value is evaluated first, so an access in it comes first.
            !uses.min_by_key(|id| order.get(id).copied().unwrap_or(usize::MAX)).is_some_and(is_target)
        };
        (0..leaves.len()).filter(needs_zero).collect()
    }

    /// The order of evaluation of all expressions: of an assignment, the value before the target.
    fn textual_order(&self) -> FxHashMap<ExprId, usize> {
        let mut order = FxHashMap::default();
        for root in self.body.roots() {
            let parts = match self.body.exprs[root].kind {
                ExprKind::Assign(_, target, value) => vec![value, target],
                _ => vec![root],
            };
            for id in parts.into_iter().flat_map(|part| self.body.exprs.post_order(part)) {
                order.insert(id, order.len());
            }
        }
        order
    }

    /// Writes a returned value to the outputs.
    fn write_value(&mut self, value: ExprId, leaves: &[Leaf], places: &[Replacement], out: &mut Vec<Stmt>) {
        let span = self.body.exprs[value].span;
        if self.entry.stage == Stage::Hull {
            return self.write_parts(value, (leaves, places), &[], None, out);
        }
        if let ([leaf], [place]) = (leaves, places)
            && leaf.path.is_empty()
        {
            self.write(place, value, out);
            return;
        }
        if let ExprKind::Local(local) = self.body.exprs[value].kind {
            self.write_local(local, leaves, places, span, out);
            return;
        }
        let ty = self.body.exprs[value].ty;
        let temporary = self.body.add_local("result", ty, span);
        out.push(Stmt::new(StmtKind::Local(temporary, Some(value)), span));
        self.write_local(temporary, leaves, places, span, out);
    }

    /// Copies a variable to the outputs.
    fn write_local(
        &mut self,
        local: LocalId,
        leaves: &[Leaf],
        places: &[Replacement],
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let ty = self.body.locals[local].ty;
        for (leaf, place) in leaves.iter().zip(places) {
            let base = self.body.exprs.push(Expr { kind: ExprKind::Local(local), ty, span });
            let value = self.cx.program.part(&mut self.body.exprs, base, &leaf.path);
            self.write(place, value, out);
        }
    }
}
