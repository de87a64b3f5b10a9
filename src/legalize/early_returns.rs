//! A return before a barrier becomes a flag that the work after it asks, so that every invocation reaches the barrier.
//!
//! Before: `if (id >= count) { return; }     shared[i] = f(id);                      barrier();   result[id] = shared[0];`
//! After:  `bool is_active = true;   if (id >= count) { is_active = false; }   if (is_active) { shared[i] = f(id); }`
//!         `barrier();   if (is_active) { result[id] = shared[0]; }`
//!
//! D3D lets invocations return that take no part in what follows. Variables of the work after it that are needed beyond a
//! barrier are declared before. A return in a loop or `switch` without a barrier leaves it by `break`. Only functions without a
//! result are rewritten, in which each other return ends its branch; others stay as they are, and [`super::uniformity`] reports their
//! barriers. A function with a barrier that is called behind a return is made again with the flag ([`told`]).

mod told;

use super::uniformity::RULES;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::analyses::{ends_flow, is_pure};
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "early_returns",
    always: Some("what it rewrites is no need that a scan finds"),
    adds: &[Capability::MutableParameters],
    after: &["atomics", "lower_switch"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    if cx.profile.has(Capability::NonUniformBarriers) {
        return;
    }
    let causes: FxHashSet<_> = cx.program.varying_barriers(&RULES).into_iter().map(|fault| fault.cause).collect();
    if causes.is_empty() {
        return;
    }
    let mut barriers = Barriers::of(cx.program);
    // Callers come first: what they call is made again of what it was.
    for id in cx.program.reachable_functions().into_iter().rev() {
        let function = &cx.program.functions[id];
        let returns = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Return(_) => false,
            _ => {
                let mut asked = false;
                stmt.own_exprs(&mut |e| asked = asked || causes.contains(&function.code.exprs[e].span));
                asked && returns_in(stmt)
            }
        };
        let concerned = function.result == TypeId::VOID && function.code.block.any(&mut |s| returns(s));
        if concerned {
            let body = function.code.clone();
            if let Some(body) = rewritten(cx.program, body, &mut barriers) {
                cx.program.functions[id].code = body;
            }
        }
    }
}

fn is_return(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_))
}

fn returns_in(stmt: &Stmt) -> bool {
    let mut found = is_return(stmt);
    stmt.blocks(&mut |block| found = found || block.any(&mut |s| is_return(s)));
    found
}

/// Whether it is not the head of a loop alone that ends it: what its body does is not done by who has returned.
fn is_ended_inside(exprs: &ExprArena, stmt: &Stmt) -> bool {
    let varies = |id: ExprId| matches!(exprs[id].kind, ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Call(..));
    match stmt.kind {
        StmtKind::While(..) | StmtKind::DoWhile(..) => true,
        StmtKind::For(_, Some(condition), Some(_), ..) => !exprs.post_order(condition).into_iter().any(varies),
        StmtKind::For(..) => true,
        _ => false,
    }
}

/// Whether `break` in a statement leaves it.
fn is_left_by_break(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Switch(..) | StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..))
}

/// The body without returns before barriers; nothing if one of them does not end its branch.
fn rewritten(program: &mut Program, mut body: Body, barriers: &mut Barriers) -> Option<Body> {
    let span = body.block.stmts.first().map(|s| s.span).unwrap_or_default();
    let active = body.add_local("is_active", TypeId::BOOL, span);
    let mut block = std::mem::take(&mut body.block);
    let mut flags = Flags { program, body: &mut body, barriers, active };
    // A return at the very end says nothing.
    if block.stmts.last().is_some_and(is_return) {
        block.stmts.pop();
    }
    let (stmts, _) = flags.stmts(block.stmts, false)?;
    block.stmts = stmts;
    let truth = body.exprs.push(Expr { kind: ExprKind::Literal(Literal::Bool(true), None), ty: TypeId::BOOL, span });
    block.stmts.insert(0, Stmt::new(StmtKind::Local(active, Some(truth)), span));
    body.block = block;
    Some(body)
}

/// The functions that are barriers or call one.
struct Barriers {
    /// Those that only wait.
    own: FxHashSet<FunctionId>,
    callers: FxHashSet<FunctionId>,
    /// Those that are told whether the invocation takes part, by what they were made of; nothing if one cannot be made.
    told: FxHashMap<FunctionId, Option<FunctionId>>,
}

impl Barriers {
    fn of(program: &Program) -> Barriers {
        let callers = program.analyses().callers_of(&|f| (RULES.is_barrier)(f));
        let mut own: FxHashSet<FunctionId> = FxHashSet::default();
        // Callees come before their callers.
        for id in program.reachable_functions() {
            let function = &program.functions[id];
            let waits = |stmt: &Stmt| waits(&function.code.exprs, stmt, &own);
            let only_waits =
                matches!(function.body, FunctionBody::Block) && function.code.block.stmts.iter().all(waits);
            if (RULES.is_barrier)(function) || only_waits && callers.contains(&id) {
                own.insert(id);
            }
        }
        Barriers { own, callers, told: FxHashMap::default() }
    }
}

/// Whether a statement does nothing but wait.
fn waits(exprs: &ExprArena, stmt: &Stmt, own: &FxHashSet<FunctionId>) -> bool {
    let StmtKind::Expr(root) = stmt.kind else { return false };
    let has_no_effects = |args: &[ExprId]| args.iter().all(|arg| is_pure(exprs, *arg));
    matches!(&exprs[root].kind, ExprKind::Call(callee, args) if own.contains(callee) && has_no_effects(args))
}

struct Flags<'a> {
    program: &'a mut Program,
    body: &'a mut Body,
    barriers: &'a mut Barriers,
    active: LocalId,
}

impl Flags<'_> {
    /// The statements with what may not be done guarded; whether the flag may be down behind them.
    fn stmts(&mut self, stmts: Vec<Stmt>, mut down: bool) -> Option<(Vec<Stmt>, bool)> {
        let mut out = Vec::new();
        let mut work: Vec<Stmt> = Vec::new();
        let mut rest: std::collections::VecDeque<Stmt> = stmts.into();
        while let Some(mut stmt) = rest.pop_front() {
            if self.has_barrier(&stmt) {
                // What it names is needed beyond the work before it.
                rest.push_front(stmt);
                self.flush(std::mem::take(&mut work), down, &rest, &mut out);
                stmt = rest.pop_front()?;
                down |= returns_in(&stmt);
                if down && self.calls_barrier(&stmt) && !waits(&self.body.exprs, &stmt, &self.barriers.own) {
                    work.extend(self.tell(stmt, &mut out)?);
                    continue;
                }
                self.around_barrier(&mut stmt, down)?;
                out.push(stmt);
            } else if matches!(stmt.kind, StmtKind::Return(Some(_))) {
                // The result at the end of a function that is told who takes part.
                rest.push_front(stmt);
                self.flush(std::mem::take(&mut work), down, &rest, &mut out);
                out.extend(rest.pop_front());
            } else if matches!(stmt.kind, StmtKind::Break | StmtKind::Continue) {
                // All that reach a barrier around it leave together.
                self.flush(std::mem::take(&mut work), down, &rest, &mut out);
                out.push(stmt);
            } else if returns_in(&stmt) {
                self.lower_returns(&mut stmt)?;
                work.push(stmt);
                self.flush(std::mem::take(&mut work), down, &rest, &mut out);
                down = true;
            } else {
                work.push(stmt);
            }
        }
        self.flush(work, down, &rest, &mut out);
        Some((out, down))
    }

    /// The blocks of a statement that has a barrier inside; the statement itself is reached by all.
    fn around_barrier(&mut self, stmt: &mut Stmt, down: bool) -> Option<()> {
        if returns_in(stmt) && is_ended_inside(&self.body.exprs, stmt) {
            // Who has returned might never leave it.
            return None;
        }
        let is_switch = matches!(stmt.kind, StmtKind::Switch(..));
        let mut whole = true;
        let mut blocks = Vec::new();
        stmt.blocks_mut(&mut |block| blocks.push(std::mem::take(&mut block.stmts)));
        let mut done = Vec::new();
        for stmts in blocks {
            let span = stmts.last().map(|s| s.span).unwrap_or_default();
            let before = Block::of(stmts);
            let ended = ends_flow(&before);
            match self.stmts(before.stmts, down) {
                Some((stmts, _)) => {
                    let mut after = Block::of(stmts);
                    // A case that ended in a return does not go on to the next one.
                    if is_switch && ended && !ends_flow(&after) {
                        after.stmts.push(Stmt::new(StmtKind::Break, span));
                    }
                    done.push(after.stmts);
                }
                None => whole = false,
            }
        }
        let mut done = done.into_iter();
        stmt.blocks_mut(&mut |block| block.stmts = done.next().unwrap_or_default());
        whole.then_some(())
    }

    /// Returns that end their branches lower the flag.
    fn lower_returns(&mut self, stmt: &mut Stmt) -> Option<()> {
        if is_return(stmt) {
            let span = stmt.span;
            let mut push = |kind| self.body.exprs.push(Expr { kind, ty: TypeId::BOOL, span });
            let target = push(ExprKind::Local(self.active));
            let value = push(ExprKind::Literal(Literal::Bool(false), None));
            stmt.kind = StmtKind::Expr(push(ExprKind::Assign(None, target, value)));
            return Some(());
        }
        if is_left_by_break(stmt) {
            self.break_out(stmt);
            return Some(());
        }
        if !matches!(stmt.kind, StmtKind::If(..) | StmtKind::Block(_)) {
            return None;
        }
        let mut whole = true;
        let mut blocks = Vec::new();
        stmt.blocks_mut(&mut |block| blocks.push(std::mem::take(&mut block.stmts)));
        for stmts in &mut blocks {
            let count = stmts.len();
            for (at, inner) in stmts.iter_mut().enumerate().filter(|(_, s)| returns_in(s)) {
                whole &= at + 1 == count && self.lower_returns(inner).is_some();
            }
        }
        let mut blocks = blocks.into_iter();
        stmt.blocks_mut(&mut |block| block.stmts = blocks.next().unwrap_or_default());
        whole.then_some(())
    }

    /// Returns in a loop or `switch` lower the flag and leave it, and those around it.
    fn break_out(&mut self, stmt: &mut Stmt) {
        stmt.blocks_mut(&mut |block| {
            for mut inner in std::mem::take(&mut block.stmts) {
                let span = inner.span;
                if is_return(&inner) {
                    let _ = self.lower_returns(&mut inner);
                    block.stmts.extend([inner, Stmt::new(StmtKind::Break, span)]);
                    continue;
                }
                let leaves = returns_in(&inner);
                if leaves {
                    self.break_out(&mut inner);
                }
                let around = leaves && is_left_by_break(&inner);
                block.stmts.push(inner);
                if around {
                    let kind = ExprKind::Local(self.active);
                    let active = self.body.exprs.push(Expr { kind, ty: TypeId::BOOL, span });
                    let not = ExprKind::Unary(UnaryOp::Not, active);
                    let not = self.body.exprs.push(Expr { kind: not, ty: TypeId::BOOL, span });
                    let leave = Block::of(vec![Stmt::new(StmtKind::Break, span)]);
                    block.stmts.push(Stmt::new(StmtKind::If(not, leave, None, Hints::default()), span));
                }
            }
        });
    }

    /// Puts out a run of work, guarded where the flag may be down.
    fn flush(&mut self, mut work: Vec<Stmt>, down: bool, rest: &std::collections::VecDeque<Stmt>, out: &mut Vec<Stmt>) {
        let declares = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Local(_, None));
        if !down || work.iter().all(declares) {
            return out.append(&mut work);
        }
        let later = self.named(rest);
        for stmt in &mut work {
            if let StmtKind::Local(local, init) = stmt.kind
                && later.contains(&local)
            {
                out.push(Stmt::new(StmtKind::Local(local, None), stmt.span));
                self.assign_instead(stmt, local, init);
            }
        }
        work.retain(|stmt| !matches!(&stmt.kind, StmtKind::Block(block) if block.stmts.is_empty()));
        if let Some(span) = work.first().map(|s| s.span) {
            let kind = ExprKind::Local(self.active);
            let condition = self.body.exprs.push(Expr { kind, ty: TypeId::BOOL, span });
            out.push(Stmt::new(StmtKind::If(condition, Block::of(work), None, Hints::default()), span));
        }
    }

    /// A declaration whose variable is declared before becomes an assignment.
    fn assign_instead(&mut self, stmt: &mut Stmt, local: LocalId, init: Option<ExprId>) {
        let (ty, span) = (self.body.locals[local].ty, stmt.span);
        self.body.locals[local].set_later();
        stmt.kind = match init {
            Some(value) => {
                let target = self.body.exprs.push(Expr { kind: ExprKind::Local(local), ty, span });
                StmtKind::Expr(self.body.exprs.push(Expr { kind: ExprKind::Assign(None, target, value), ty, span }))
            }
            None => StmtKind::Block(Block::of(Vec::new())),
        };
    }

    /// The variables that statements name.
    fn named(&self, stmts: &std::collections::VecDeque<Stmt>) -> FxHashSet<LocalId> {
        let mut found = FxHashSet::default();
        for stmt in stmts {
            let mut note = |inner: &Stmt| {
                inner.own_exprs(&mut |root| {
                    for id in self.body.exprs.post_order(root) {
                        if let ExprKind::Local(local) = self.body.exprs[id].kind {
                            found.insert(local);
                        }
                    }
                });
            };
            each_stmt(stmt, &mut note);
        }
        found
    }

    fn has_barrier(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        each_stmt(stmt, &mut |inner| {
            inner.own_exprs(&mut |root| {
                let called = self.called_at(root);
                found = found || called.is_some();
            });
        });
        found
    }

    /// Whether a function with a barrier is called by a statement itself, not by those in it.
    fn calls_barrier(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        let mut note = |stmt: &Stmt| stmt.own_exprs(&mut |root| found |= self.called_at(root).is_some());
        note(stmt);
        if let StmtKind::For(init, ..) = &stmt.kind {
            init.iter().for_each(note);
        }
        found
    }

    /// A function with a barrier that an expression calls.
    fn called_at(&self, root: ExprId) -> Option<FunctionId> {
        self.body.exprs.post_order(root).into_iter().find_map(|id| match &self.body.exprs[id].kind {
            ExprKind::Call(callee, _) => Some(*callee).filter(|f| self.barriers.callers.contains(f)),
            _ => None,
        })
    }
}

/// A statement, and those in it at any depth.
fn each_stmt(stmt: &Stmt, f: &mut dyn FnMut(&Stmt)) {
    f(stmt);
    if let StmtKind::For(init, ..) = &stmt.kind {
        init.iter().for_each(&mut *f);
    }
    stmt.blocks(&mut |block| block.visit(f));
}
