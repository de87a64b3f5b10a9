//! Calls that give or take an element of a buffer whole.
//!
//! ```text
//! before: Spot spot = buffer.Load(i);              list.Append(spot);                   Spot next = pool.Consume();
//! after:  Spot spot = buffer[i];                   Spot_stored element = 0;             Spot_stored element = pool.Consume();
//!                                                  element.position = spot.position;    Spot next = { element.position };
//!                                                  list.Append(element);
//! ```
//!
//! The library marks the calls: `__element`, `__appends` and `__consumes`.

use super::super::hoist::{Mark, Marks, mark_effect};
use super::super::references;
use super::access::Access;
use super::plan::{Buffer, Plan};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::analyses::is_trivial;
use crate::tree::*;

/// A call that a builtin function's attribute marks, on a buffer with a storage representation.
enum Whole<'p> {
    /// The buffer and the value.
    Append(&'p Buffer, ExprId, ExprId),
    Consume(&'p Buffer),
}

impl<'p> Access<'_, 'p> {
    /// Calls that give whole elements of such buffers name the element.
    pub(super) fn name_elements(&mut self) {
        for id in self.body.expressions() {
            let ExprKind::Call(function, args) = &self.body.exprs[id].kind else { continue };
            if !self.program.functions[*function].is_marked("__element") {
                continue;
            }
            match args.as_slice() {
                [buffer, index] if self.plan.of(&self.body.exprs, *buffer).is_some() => {
                    self.body.exprs[id].kind = ExprKind::Index(*buffer, *index);
                }
                [buffer, ..] if self.plan.of(&self.body.exprs, *buffer).is_some() => {
                    let reason = format!("{} has no status for an element that it stores in parts", self.profile.name);
                    self.faults.push((self.body.exprs[id].span, reason));
                }
                _ => {}
            }
        }
    }

    fn whole(&self, id: ExprId) -> Option<Whole<'p>> {
        let ExprKind::Call(function, args) = &self.body.exprs[id].kind else { return None };
        let plan: &'p Plan = self.plan;
        let buffer = plan.of(&self.body.exprs, *args.first()?)?;
        match args.as_slice() {
            [list, value] if self.program.functions[*function].is_marked("__appends") => {
                Some(Whole::Append(buffer, *list, *value))
            }
            [_] if self.program.functions[*function].is_marked("__consumes") => Some(Whole::Consume(buffer)),
            _ => None,
        }
    }

    /// Such calls become statements, or all that initializes a variable; what is appended is named.
    pub(super) fn mark_whole(&self, marks: &mut Marks) {
        let statements = references::statements(&self.body.block);
        for id in self.body.expressions() {
            match self.whole(id) {
                Some(Whole::Append(_, _, value)) => {
                    if !statements.contains(&id) {
                        mark_effect(marks, id);
                    }
                    if !is_trivial(&self.body.exprs, value) {
                        marks.insert(value, Mark::Value(Symbol::new("value")));
                    }
                }
                Some(Whole::Consume(_)) if !statements.contains(&id) => {
                    marks.insert(id, Mark::Value(Symbol::new("value")));
                }
                _ => {}
            }
        }
    }

    /// What is appended and consumed is as it is stored.
    pub(super) fn whole_elements(&mut self) {
        let mut block = std::mem::take(&mut self.body.block);
        block.rewrite(&mut |mut stmt, out| {
            let first = out.len();
            let (StmtKind::Expr(root) | StmtKind::Local(_, Some(root))) = stmt.kind else { return out.push(stmt) };
            // What is chosen conditionally is assigned.
            if let (StmtKind::Expr(_), ExprKind::Assign(None, target, call)) =
                (&stmt.kind, self.body.exprs[root].kind.clone())
                && let Some(Whole::Consume(buffer)) = self.whole(call)
            {
                let value = self.consumed(buffer, call, stmt.span, out);
                self.body.exprs[root].kind = ExprKind::Assign(None, target, value);
                stmt.give_comments(out.get_mut(first), false);
                return out.push(stmt);
            }
            match (self.whole(root), &stmt.kind) {
                (Some(Whole::Append(buffer, list, value)), _) => {
                    self.append(buffer, (root, list, value), stmt.span, out)
                }
                (Some(Whole::Consume(buffer)), StmtKind::Local(local, _)) => {
                    self.consume(buffer, root, *local, stmt.span, out);
                }
                (Some(Whole::Consume(buffer)), _) => {
                    self.body.exprs[root].ty = buffer.data;
                    return out.push(stmt);
                }
                _ => return out.push(stmt),
            }
            stmt.give_comments(out.get_mut(first), true);
        });
        self.body.block = block;
    }

    fn append(
        &mut self,
        buffer: &Buffer,
        (call, list, value): (ExprId, ExprId, ExprId),
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let ty = buffer.data;
        let element = self.body.add_local(Symbol::new("element"), ty, span);
        let mut b = self.build(call);
        let (zero, base, passed) = (b.add(ExprKind::Zero, ty), b.local(element, ty), b.local(element, ty));
        let mut parts = Vec::new();
        self.store_slot(base, &buffer.slot, None, value, &mut parts);
        let kind = &mut self.body.exprs[call].kind;
        if let ExprKind::Call(_, args) = kind {
            *args = vec![list, passed];
        }
        out.push(Stmt::new(StmtKind::Local(element, Some(zero)), span));
        out.extend(parts.into_iter().chain([call]).map(|e| Stmt::new(StmtKind::Expr(e), span)));
    }

    fn consume(&mut self, buffer: &Buffer, call: ExprId, local: LocalId, span: Span, out: &mut Vec<Stmt>) {
        let value = self.consumed(buffer, call, span, out);
        out.push(Stmt::new(StmtKind::Local(local, Some(value)), span));
    }

    /// The value of what a call gives, which becomes a variable.
    fn consumed(&mut self, buffer: &Buffer, call: ExprId, span: Span, out: &mut Vec<Stmt>) -> ExprId {
        let ty = buffer.data;
        let element = self.body.add_local(Symbol::new("element"), ty, span);
        let base = self.build(call).local(element, ty);
        self.body.exprs[call].ty = ty;
        let value = self.load_slot(base, &buffer.slot);
        out.push(Stmt::new(StmtKind::Local(element, Some(call)), span));
        value
    }
}

/// The builtin functions that append and consume have the new types.
pub(super) fn retype_whole(program: &mut Program, plan: &Plan) {
    for (_, function) in program.functions.iter_mut() {
        let first = function.params.first().map(|p| function.code.locals[p.local].ty);
        let Some(buffer) = first.and_then(|ty| plan.types.get(&ty)) else { continue };
        if function.is_marked("__consumes") {
            function.result = buffer.data;
        } else if let (true, Some(value)) = (function.is_marked("__appends"), function.params.get(1)) {
            function.code.locals[value.local].ty = buffer.data;
        }
    }
}
