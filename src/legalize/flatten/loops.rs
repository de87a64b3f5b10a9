//! Loops whose conditions and steps become statements.

use super::{Flattening, commas};
use crate::source::Span;
use crate::tree::analyses::flow::continues_in_switch;
use crate::tree::*;

impl Flattening<'_> {
    pub(super) fn for_loop(
        &mut self,
        span: Span,
        init: Vec<Stmt>,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: Block,
        hints: Hints,
        out: &mut Vec<Stmt>,
    ) {
        let mut before = Vec::new();
        for stmt in init {
            self.stmt(stmt, &mut before);
        }
        // A `for` has room for one initializer; more of them go into a block around it.
        let keep = match before.as_slice() {
            [] => true,
            [Stmt { kind: StmtKind::Expr(e), .. }] => !commas::is_action(self.program, &self.body.exprs, *e),
            many => many.len() == 1,
        };
        let init = if keep { std::mem::take(&mut before) } else { Vec::new() };
        let mut body = self.block(body);
        let mut check = Vec::new();
        let condition = condition.map(|c| self.value(c, &mut check));
        let mut after = Vec::new();
        if let Some(step) = step {
            self.effect(step, &mut after);
        }
        let step = match after.as_slice() {
            [Stmt { kind: StmtKind::Expr(e), .. }] if !commas::is_action(self.program, &self.body.exprs, *e) => {
                Some(*e)
            }
            _ => None,
        };
        if step.is_none() && !after.is_empty() {
            // The step needs statements: they go to the end of the body, and before every `continue`.
            before_continue(self.body, &mut body, &after);
            body.stmts.extend(after);
        }
        let mut condition = condition;
        if let (false, Some(c)) = (check.is_empty(), condition) {
            check.push(self.build(span).break_unless(c));
            check.append(&mut body.stmts);
            body.stmts = check;
            condition = None;
        }
        let stmt = Stmt::new(StmtKind::For(init, condition, step, body, hints), span);
        if keep {
            out.push(stmt);
        } else {
            before.push(stmt);
            out.push(Stmt::new(StmtKind::Block(Block::of(before)), span));
        }
    }

    /// A loop whose condition needs statements tests it inside.
    pub(super) fn guarded_loop(
        &mut self,
        span: Span,
        mut before: Vec<Stmt>,
        condition: ExprId,
        mut body: Block,
        hints: Hints,
    ) -> StmtKind {
        if before.is_empty() {
            return StmtKind::While(condition, body, hints);
        }
        before.push(self.build(span).break_unless(condition));
        before.append(&mut body.stmts);
        body.stmts = before;
        let always = self.build(span).bool(true);
        StmtKind::While(always, body, hints)
    }

    /// The condition is tested at the end and before each `continue`; where one is in a switch, whose `break` the test would
    /// be, at the start of all rounds but the first.
    pub(super) fn do_while(&mut self, span: Span, body: Block, condition: ExprId, hints: Hints, out: &mut Vec<Stmt>) {
        let mut body = self.block(body);
        let mut before = Vec::new();
        let condition = self.value(condition, &mut before);
        if before.is_empty() {
            out.push(Stmt::new(StmtKind::DoWhile(body, condition, hints), span));
            return;
        }
        before.push(self.build(span).break_unless(condition));
        if continues_in_switch(&body) {
            let again = self.body.add_local("again", TypeId::BOOL, span);
            let mut build = self.build(span);
            let first = build.bool(false);
            out.push(Stmt::new(StmtKind::Local(again, Some(first)), span));
            let (test, target, set) =
                (build.local(again, TypeId::BOOL), build.local(again, TypeId::BOOL), build.bool(true));
            let check = StmtKind::If(test, Block::of(before), None, Hints::default());
            body.stmts.splice(0..0, [Stmt::new(check, span), build.set(target, set)]);
        } else {
            before_continue(self.body, &mut body, &before);
            body.stmts.extend(before);
        }
        let always = self.build(span).bool(true);
        out.push(Stmt::new(StmtKind::While(always, body, hints), span));
    }
}

/// Puts copies of `stmts` before every `continue` of the loop that `block` is the body of.
pub(in crate::legalize) fn before_continue(body: &mut Body, block: &mut Block, stmts: &[Stmt]) {
    let old = std::mem::take(&mut block.stmts);
    for mut stmt in old {
        match &mut stmt.kind {
            StmtKind::Continue => {
                let copy = copy_block(body, &Block::of(stmts.to_vec()));
                block.stmts.extend(copy.stmts);
            }
            // A `continue` in there belongs to the inner loop.
            StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..) => {}
            _ => stmt.blocks_mut(&mut |inner| before_continue(body, inner, stmts)),
        }
        block.stmts.push(stmt);
    }
}

/// A copy of a block in the same body, with variables of its own for those declared in it.
pub(in crate::legalize) fn copy_block(body: &mut Body, block: &Block) -> Block {
    let mut declared = rustc_hash::FxHashSet::default();
    block.visit(&mut |stmt| {
        if let StmtKind::Local(local, _) = stmt.kind {
            declared.insert(local);
        }
    });
    let outside = body.locals.ids().filter(|l| !declared.contains(l));
    let mut locals = outside.map(|l| (l, l)).collect();
    let from = body.clone();
    body.import_block(&from, block, &mut locals)
}
