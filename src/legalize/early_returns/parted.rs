//! Branches and loops with barriers that some take no part in: all go through them as long as any takes part.
//!
//! Before: `for (i = first; i < end; i += 64)              { shared[lane] = f(i);                        barrier();   g(i); }`
//! After:  `i = first;   bool goes_on = i < end;`
//!         `while (any_in_group(goes_on))   { if (goes_on) { shared[lane] = f(i); }   barrier();`
//!         `                                  if (goes_on) { g(i);   i += 64;   goes_on = i < end; } }`
//!
//! D3D asks the author that all invocations reach a barrier, so that the condition is the same for all of them, or that of those that
//! take part. A `switch` is a branch for each of its cases.

use super::jumps::{Leave, Target};
use super::{Flags, is_ended_inside, is_loop, returns_in, together};
use crate::source::Span;
use crate::tree::analyses::ends_flow;
use crate::tree::*;

/// A loop: what it asks before or behind a round, what it does behind it, what it repeats.
struct Loop {
    before: bool,
    condition: Option<ExprId>,
    step: Option<ExprId>,
    body: Block,
    hints: Hints,
}

impl Flags<'_> {
    fn build(&mut self, span: Span) -> Build<'_> {
        Build::new(&mut self.program.types, &mut self.body.exprs, span)
    }

    fn is_varying(&self, condition: ExprId) -> bool {
        self.varying.contains(&self.body.exprs[condition].span)
    }

    /// Whether a statement with a barrier may not be reached by all together.
    pub(super) fn is_parted(&self, stmt: &Stmt) -> bool {
        let mut varies = false;
        match stmt.kind {
            StmtKind::If(condition, ..) => return self.is_varying(condition) || self.acts_apart(stmt),
            StmtKind::Switch(value, ..) => varies |= self.is_varying(value),
            StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..) => {
                stmt.own_exprs(&mut |e| varies |= self.is_varying(e) || self.is_down() && self.called_at(e).is_some());
                varies |= returns_in(stmt) && is_ended_inside(&self.body.exprs, stmt);
            }
            _ => return false,
        }
        varies |= self.acts_apart(stmt);
        let all = Leave { returns: false, breaks: Some(0), continues: is_loop(stmt).then_some(0) };
        let is_guarded = self.is_down() || returns_in(stmt);
        stmt.blocks(&mut |block| varies |= self.jumps_apart(&block.stmts, all, is_guarded));
        varies
    }

    /// Whether the head of a statement does something that is not for those that take no part: it changes memory, or what they read
    /// later.
    fn acts_apart(&self, stmt: &Stmt) -> bool {
        let exprs = &self.body.exprs;
        let (mut roots, mut own) = (Vec::new(), Vec::new());
        stmt.own_exprs(&mut |root| roots.push(root));
        if let StmtKind::For(init, ..) = &stmt.kind {
            own.extend(
                init.iter().filter_map(|s| if let StmtKind::Local(local, _) = s.kind { Some(local) } else { None }),
            );
            init.iter().for_each(|s| s.own_exprs(&mut |root| roots.push(root)));
        }
        let effects = self.program.effects();
        let (mut is_shared, mut is_outer) = (false, false);
        for id in roots.into_iter().flat_map(|root| exprs.post_order(root)) {
            is_shared |= matches!(exprs[id].kind, ExprKind::Call(..)) && effects.expr(exprs, id);
            self.program.each_written(exprs, id, &mut |place| match exprs[exprs.base(place)].kind {
                ExprKind::Local(local) => is_outer |= !own.contains(&local),
                ExprKind::Global(global) if self.program.globals[global].kind == GlobalKind::Static => is_outer = true,
                _ => is_shared = true,
            });
        }
        // Who has returned for good reads nothing later.
        is_shared && self.is_down() || is_outer && (self.is_told || !self.inner.is_empty())
    }

    /// Whether some of these jumps are not taken by all that reach a barrier around them.
    fn jumps_apart(&self, stmts: &[Stmt], jumps: Leave, is_guarded: bool) -> bool {
        stmts.iter().any(|stmt| {
            if matches!(stmt.kind, StmtKind::Break | StmtKind::Continue) || !jumps.leaves(stmt) {
                return false;
            }
            let mut apart = is_guarded && !self.has_barrier(stmt);
            stmt.own_exprs(&mut |e| apart |= self.is_varying(e));
            let inside = jumps.inside(stmt);
            stmt.blocks(&mut |block| apart |= self.jumps_apart(&block.stmts, inside, is_guarded));
            apart
        })
    }

    /// Puts out what is not reached by all together.
    pub(super) fn part(&mut self, stmt: Stmt, out: &mut Vec<Stmt>) -> Option<()> {
        self.down |= returns_in(&stmt);
        let Stmt { kind, span, .. } = stmt;
        let from = out.len();
        let mut said = Stmt { kind: StmtKind::Break, ..stmt };
        match kind {
            StmtKind::If(condition, then, other, hints) => {
                self.part_branch(condition, [Some(then), other], hints, out)?
            }
            StmtKind::Switch(value, cases, _) => self.part_cases(value, cases, span, out)?,
            StmtKind::For(_, condition, step, body, hints) => {
                self.part_loop(Loop { before: true, condition, step, body, hints }, span, out)?;
            }
            StmtKind::While(condition, body, hints) => {
                let condition = Some(condition);
                self.part_loop(Loop { before: true, condition, step: None, body, hints }, span, out)?;
            }
            StmtKind::DoWhile(body, condition, hints) => {
                let condition = Some(condition);
                self.part_loop(Loop { before: false, condition, step: None, body, hints }, span, out)?;
            }
            _ => return None,
        }
        said.give_comments(out.get_mut(from), true);
        Some(())
    }

    /// A condition whose barriers are reached before it is asked.
    pub(super) fn asked(&mut self, value: ExprId, out: &mut Vec<Stmt>) -> Option<ExprId> {
        if self.called_at(value).is_none() {
            return Some(value);
        }
        let Expr { ty, span, .. } = self.body.exprs[value];
        let local = self.body.add_local("asked", ty, span);
        out.push(Stmt::new(StmtKind::Local(local, None), span));
        let set = self.build(span).set_local(local, value);
        let stmts = self.stmts(vec![set])?;
        out.extend(stmts);
        Some(self.build(span).local(local, ty))
    }

    /// A condition that only holds where the flag is up.
    fn within(&mut self, condition: ExprId) -> ExprId {
        if !self.is_down() {
            return condition;
        }
        let (flag, span) = (self.flag(), self.body.exprs[condition].span);
        let mut b = self.build(span);
        let up = b.local(flag, TypeId::BOOL);
        b.binary(BinaryOp::And, up, condition)
    }

    /// Declares a flag that is up where a condition holds, too.
    fn declare(&mut self, name: &str, condition: ExprId, out: &mut Vec<Stmt>) -> LocalId {
        let span = self.body.exprs[condition].span;
        let value = self.within(condition);
        let flag = self.body.add_local(name, TypeId::BOOL, span);
        out.push(Stmt::new(StmtKind::Local(flag, Some(value)), span));
        flag
    }

    /// Whether a flag is up for any invocation.
    fn vote(&mut self, flag: LocalId, span: Span) -> ExprId {
        let vote = match self.barriers.vote {
            Some(vote) => vote,
            None => *self.barriers.vote.insert(together::declared(self.program)),
        };
        let mut b = self.build(span);
        let flag = b.local(flag, TypeId::BOOL);
        b.call(vote, vec![flag], TypeId::BOOL)
    }

    fn part_branch(
        &mut self,
        condition: ExprId,
        sides: [Option<Block>; 2],
        hints: Hints,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let condition = self.asked(condition, out)?;
        let span = self.body.exprs[condition].span;
        let inside = self.declare("is_inside", condition, out);
        let outside = match &sides {
            [_, Some(_)] => {
                let mut b = self.build(span);
                let inside = b.local(inside, TypeId::BOOL);
                let not = b.not(inside);
                self.declare("is_outside", not, out)
            }
            [_, None] => inside,
        };
        for (side, flag) in sides.into_iter().zip([inside, outside]) {
            if let Some(block) = side {
                self.part_side(block, flag, hints, span, out)?;
            }
        }
        Some(())
    }

    /// A block for those whose flag is up.
    fn part_side(&mut self, block: Block, flag: LocalId, hints: Hints, span: Span, out: &mut Vec<Stmt>) -> Option<()> {
        let Block { stmts, trailing } = block;
        self.inner.push(flag);
        let condition;
        let stmts = if stmts.iter().any(|s| self.has_barrier(s)) {
            condition = self.vote(flag, span);
            self.stmts(stmts)?
        } else {
            condition = self.build(span).local(flag, TypeId::BOOL);
            let outward = self.outward();
            self.lowered(stmts, outward, false)?
        };
        self.inner.pop();
        out.push(Stmt::new(StmtKind::If(condition, Block { stmts, trailing }, None, hints), span));
        Some(())
    }

    fn part_cases(&mut self, value: ExprId, cases: Vec<SwitchCase>, span: Span, out: &mut Vec<Stmt>) -> Option<()> {
        let value = self.asked(value, out)?;
        let ty = self.body.exprs[value].ty;
        let selected = self.body.add_local("selected", ty, span);
        out.push(Stmt::new(StmtKind::Local(selected, Some(value)), span));
        let all: Vec<ExprId> = cases.iter().flat_map(|case| case.labels.iter().flatten().copied()).collect();
        let last = cases.len().saturating_sub(1);
        for (at, mut case) in cases.into_iter().enumerate() {
            if at < last && !ends_flow(&case.body) {
                return None;
            }
            let is_default = case.labels.contains(&None);
            let labels: Vec<ExprId> = match is_default {
                true => all.clone(),
                false => case.labels.iter().flatten().copied().collect(),
            };
            let (op, joined) = match is_default {
                true => (BinaryOp::NotEqual, BinaryOp::And),
                false => (BinaryOp::Equal, BinaryOp::Or),
            };
            let mut condition = None;
            for label in labels {
                let label = self.body.exprs.duplicate(label);
                let mut b = self.build(span);
                let value = b.local(selected, ty);
                let is = b.binary(op, value, label);
                condition = Some(condition.map_or(is, |before| b.binary(joined, before, is)));
            }
            let condition = match condition {
                Some(condition) => condition,
                None => self.build(span).bool(true),
            };
            if case.body.stmts.last().is_some_and(|s| matches!(s.kind, StmtKind::Break)) {
                case.body.stmts.pop();
            }
            let flag = self.declare("is_inside", condition, out);
            self.targets.push(Target::Case(self.inner.len()));
            self.part_side(case.body, flag, Hints::default(), span, out)?;
            self.targets.pop();
        }
        Some(())
    }

    fn part_loop(&mut self, l: Loop, span: Span, out: &mut Vec<Stmt>) -> Option<()> {
        let Loop { before, condition, step, body, hints } = l;
        let is_true = |e: &ExprId| matches!(self.body.exprs[*e].kind, ExprKind::Literal(Literal::Bool(true), _));
        let condition = condition.filter(|e| !is_true(e));
        let first = match condition.filter(|_| before) {
            Some(condition) => {
                let first = self.body.exprs.duplicate(condition);
                let first = self.asked(first, out)?;
                self.within(first)
            }
            None if self.is_down() => {
                let flag = self.flag();
                self.build(span).local(flag, TypeId::BOOL)
            }
            None => self.build(span).bool(true),
        };
        let goes_on = self.body.add_local("goes_on", TypeId::BOOL, span);
        out.push(Stmt::new(StmtKind::Local(goes_on, Some(first)), span));
        let mut last: Vec<Stmt> = step.into_iter().map(|step| Stmt::new(StmtKind::Expr(step), span)).collect();
        if let Some(condition) = condition {
            last.push(self.build(span).set_local(goes_on, condition));
        }
        let Block { stmts, trailing } = body;
        let stmts = self.rounds(goes_on, stmts, last, span)?;
        let condition = self.vote(goes_on, span);
        out.push(Stmt::new(StmtKind::While(condition, Block { stmts, trailing }, hints), span));
        Some(())
    }

    /// The statements of a loop with a flag, and those at the end of a round, to which `continue` leads.
    fn rounds(&mut self, goes_on: LocalId, mut body: Vec<Stmt>, last: Vec<Stmt>, span: Span) -> Option<Vec<Stmt>> {
        let flag = self.inner.len();
        let of_round = Leave { returns: false, breaks: None, continues: Some(0) };
        self.inner.push(goes_on);
        let mut out = Vec::new();
        if body.iter().any(|stmt| of_round.leaves(stmt)) {
            let round = self.body.add_local("in_round", TypeId::BOOL, span);
            let value = self.build(span).local(goes_on, TypeId::BOOL);
            out.push(Stmt::new(StmtKind::Local(round, Some(value)), span));
            self.inner.push(round);
            self.targets.push(Target::Parted(flag, Some(flag + 1)));
            out.extend(self.stmts(body)?);
            self.inner.pop();
            self.targets.pop();
            out.extend(self.stmts(last)?);
        } else {
            body.extend(last);
            self.targets.push(Target::Parted(flag, None));
            out.extend(self.stmts(body)?);
            self.targets.pop();
        }
        self.inner.pop();
        Some(out)
    }
}
