//! Where not all invocations reach a barrier by what they are asked, flags say who takes part, and all reach the barrier.
//!
//! Before: `if (id >= count) { return; }     shared[i] = f(id);                      barrier();   result[id] = shared[0];`
//! After:  `bool is_active = true;   if (id >= count) { is_active = false; }   if (is_active) { shared[i] = f(id); }`
//!         `barrier();   if (is_active) { result[id] = shared[0]; }`
//!
//! D3D lets invocations return that take no part in what follows. Variables of the work after it that are needed beyond a
//! barrier are declared before. A jump out of a loop or `switch` without a barrier leaves it by `break`.
//!
//! A branch or loop that has a barrier and asks what a target cannot prove to be the same for all is taken as long as any invocation
//! takes part in it ([`parted`]). Nothing else is: what is rewritten is what the analysis names, also in what was rewritten before
//! ([`run`]). A function with a barrier that is called where some take no part is made again with the flag ([`told`]).
//! [`super::uniformity`] reports what is left.

mod jumps;
mod parted;
mod told;
mod together;

use super::uniformity::RULES;
use super::{Context, Pass, uniform_loads};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::analyses::{ends_flow, is_pure};
use crate::tree::*;
use jumps::Target;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

pub(super) const PASS: Pass = Pass {
    name: "early_returns",
    always: Some("what it rewrites is no need that a scan finds"),
    adds: &[Capability::MutableParameters],
    after: &["atomics", "lower_switch"],
    run,
    ..Pass::ROW
};

/// How many times a program is rewritten for what the analysis names. After that, all that barriers may depend on is taken to vary.
const ROUNDS: usize = 8;

fn run(cx: &mut Context) {
    if cx.profile.has(Capability::NonUniformBarriers) {
        return;
    }
    let causes = causes(cx.program);
    if causes.is_empty() {
        return;
    }
    let original = cx.program.clone();
    // First what only returns, for which loads of the group's memory may prove the rest.
    let mut varying: FxHashSet<Span> = returning(&original).into_iter().filter(|span| causes.contains(span)).collect();
    for round in 0..=ROUNDS {
        if round == ROUNDS {
            varying.extend(asked_around_barriers(&original));
        }
        rewrite(cx.program, &varying);
        let mut proved = cx.program.clone();
        uniform_loads::load(&mut proved);
        let known = varying.len();
        varying.extend(self::causes(&proved));
        if varying.len() == known || round == ROUNDS {
            return;
        }
        *cx.program = original.clone();
    }
}

/// What barriers depend on that differs between invocations.
fn causes(program: &Program) -> FxHashSet<Span> {
    program.varying_barriers(&RULES).into_iter().map(|fault| fault.cause).collect()
}

/// What statements ask that have returns.
fn returning(program: &Program) -> Vec<Span> {
    asked(program, &mut |_, stmt| !is_return(stmt) && returns_in(stmt))
}

/// What statements ask that have barriers.
fn asked_around_barriers(program: &Program) -> Vec<Span> {
    let barriers = Barriers::of(program);
    asked(program, &mut |code, stmt| barriers.are_in(&code.exprs, stmt))
}

/// The conditions of some branches, switches and loops.
fn asked(program: &Program, wanted: &mut dyn FnMut(&Body, &Stmt) -> bool) -> Vec<Span> {
    let mut found = Vec::new();
    for id in program.reachable_functions() {
        let code = &program.functions[id].code;
        code.block.visit(&mut |stmt| {
            let is_plain = matches!(stmt.kind, StmtKind::Local(..) | StmtKind::Expr(_));
            if !is_plain && wanted(code, stmt) {
                stmt.own_exprs(&mut |e| found.push(code.exprs[e].span));
            }
        });
    }
    found
}

/// Rewrites the functions with a barrier that ask one of these conditions.
fn rewrite(program: &mut Program, varying: &FxHashSet<Span>) {
    let mut barriers = Barriers::of(program);
    // Callers come first: what they call is made again of what it was.
    for id in program.reachable_functions().into_iter().rev() {
        let code = &program.functions[id].code;
        let asks = |stmt: &Stmt| {
            let mut asked = false;
            stmt.own_exprs(&mut |e| asked = asked || varying.contains(&code.exprs[e].span));
            asked
        };
        if barriers.callers.contains(&id) && code.block.any(&mut |s| asks(s)) {
            let body = code.clone();
            if let Some(body) = rewritten(program, id, body, &mut barriers, varying) {
                program.functions[id].code = body;
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
        StmtKind::For(_, Some(condition), Some(_), ..) => !exprs.any_part(condition, varies),
        StmtKind::For(..) => true,
        _ => false,
    }
}

/// Whether `break` in a statement leaves it.
fn is_left_by_break(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Switch(..)) || is_loop(stmt)
}

fn is_loop(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..))
}

/// The body of a function whose barriers are reached by all; nothing if there is no such.
fn rewritten(
    program: &mut Program,
    id: FunctionId,
    mut body: Body,
    barriers: &mut Barriers,
    varying: &FxHashSet<Span>,
) -> Option<Body> {
    let span = body.block.stmts.first().map(|s| s.span).unwrap_or_default();
    let result = program.functions[id].result;
    let active = body.add_local("is_active", TypeId::BOOL, span);
    let mut block = std::mem::take(&mut body.block);
    let mut flags = Flags::new(program, &mut body, barriers, varying, active);
    let stmts = flags.function(std::mem::take(&mut block.stmts), result, span)?;
    let lowered = flags.down;
    block.stmts = stmts;
    if lowered {
        let truth =
            body.exprs.push(Expr { kind: ExprKind::Literal(Literal::Bool(true), None), ty: TypeId::BOOL, span });
        block.stmts.insert(0, Stmt::new(StmtKind::Local(active, Some(truth)), span));
    }
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
    /// What asks whether any invocation takes part, once it is needed.
    vote: Option<FunctionId>,
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
        Barriers { own, callers, told: FxHashMap::default(), vote: None }
    }

    /// Whether a statement has a call of one, at any depth.
    fn are_in(&self, exprs: &ExprArena, stmt: &Stmt) -> bool {
        let mut found = false;
        each_stmt(stmt, &mut |inner| {
            inner.own_exprs(&mut |root| found = found || self.called_at(exprs, root).is_some());
        });
        found
    }

    /// The first that an expression calls.
    fn called_at(&self, exprs: &ExprArena, root: ExprId) -> Option<FunctionId> {
        exprs.post_order(root).into_iter().find_map(|id| match &exprs[id].kind {
            ExprKind::Call(callee, _) => Some(*callee).filter(|f| self.callers.contains(f)),
            _ => None,
        })
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
    /// The conditions that differ between invocations.
    varying: &'a FxHashSet<Span>,
    /// The flag of the function: whether the invocation has not returned.
    active: LocalId,
    /// Whether that may be down.
    down: bool,
    /// Whether the function was called with it.
    is_told: bool,
    /// The flags of the branches and loops around, each of which is up only if the one before it is.
    inner: Vec<LocalId>,
    /// The loops and switches around.
    targets: Vec<Target>,
    /// What the function gives, if returns of it became flags.
    result: Option<LocalId>,
}

impl<'a> Flags<'a> {
    fn new(
        program: &'a mut Program,
        body: &'a mut Body,
        barriers: &'a mut Barriers,
        varying: &'a FxHashSet<Span>,
        active: LocalId,
    ) -> Flags<'a> {
        let (inner, targets) = (Vec::new(), Vec::new());
        Flags { program, body, barriers, varying, active, down: false, is_told: false, inner, targets, result: None }
    }

    /// The statements of a function with what may not be done guarded.
    fn function(&mut self, mut stmts: Vec<Stmt>, result: TypeId, span: Span) -> Option<Vec<Stmt>> {
        let last = stmts.pop_if(|stmt| is_return(stmt));
        if result == TypeId::VOID {
            // A return at the very end says nothing.
            return self.stmts(stmts);
        }
        // What does something at the end is done by those that take part.
        let acts = |stmt: &Stmt| match stmt.kind {
            StmtKind::Return(Some(value)) => self.program.effects().expr(&self.body.exprs, value),
            _ => false,
        };
        let is_lowered = stmts.iter().any(returns_in) || self.down && last.as_ref().is_some_and(acts);
        if !is_lowered {
            stmts.extend(last);
            return self.stmts(stmts);
        }
        let local = self.body.add_local("result", result, span);
        self.result = Some(local);
        if let Some(Stmt { kind: StmtKind::Return(Some(value)), .. }) = last {
            stmts.push(Build::new(&mut self.program.types, &mut self.body.exprs, span).set_local(local, value));
        }
        let mut out = vec![Stmt::new(StmtKind::Local(local, None), span)];
        out.extend(self.stmts(stmts)?);
        let value = Build::new(&mut self.program.types, &mut self.body.exprs, span).local(local, result);
        out.push(Stmt::new(StmtKind::Return(Some(value)), span));
        Some(out)
    }

    /// The flag that says whether the invocation takes part here.
    fn flag(&self) -> LocalId {
        self.inner.last().copied().unwrap_or(self.active)
    }

    /// Whether it may be down.
    fn is_down(&self) -> bool {
        self.down || !self.inner.is_empty()
    }

    /// The statements with what may not be done guarded.
    fn stmts(&mut self, stmts: Vec<Stmt>) -> Option<Vec<Stmt>> {
        let mut out = Vec::new();
        let mut work: Vec<Stmt> = Vec::new();
        let mut rest: VecDeque<Stmt> = stmts.into();
        while let Some(mut stmt) = rest.pop_front() {
            let has_barrier = self.has_barrier(&stmt);
            let is_kept = match stmt.kind {
                // The result at the end.
                StmtKind::Return(Some(_)) => self.result.is_none(),
                // All that reach a barrier around it leave together.
                StmtKind::Break | StmtKind::Continue => !self.outward().leaves(&stmt),
                _ => false,
            };
            if has_barrier || is_kept {
                // What it names is needed beyond the work before it.
                rest.push_front(stmt);
                self.flush(std::mem::take(&mut work), self.is_down(), &rest, &mut out);
                stmt = rest.pop_front()?;
            }
            if has_barrier {
                self.reached(stmt, &mut rest, &mut out)?;
            } else if is_kept {
                out.push(stmt);
            } else if self.outward().leaves(&stmt) {
                let down = self.is_down();
                let outward = self.outward();
                work.extend(self.lowered(vec![stmt], outward, false)?);
                self.flush(std::mem::take(&mut work), down, &rest, &mut out);
            } else {
                work.push(stmt);
            }
        }
        self.flush(work, self.is_down(), &rest, &mut out);
        Some(out)
    }

    /// Puts out a statement with a barrier, or gives others in its place to be put out.
    fn reached(&mut self, mut stmt: Stmt, rest: &mut VecDeque<Stmt>, out: &mut Vec<Stmt>) -> Option<()> {
        let is_parted = self.is_parted(&stmt);
        let first = match stmt.kind {
            StmtKind::For(ref mut init, ..) if is_parted || init.iter().any(|s| self.has_barrier(s)) => {
                std::mem::take(init)
            }
            StmtKind::Return(Some(value)) if let Some(result) = self.result => {
                stmt.kind = StmtKind::Return(None);
                vec![Build::new(&mut self.program.types, &mut self.body.exprs, stmt.span).set_local(result, value)]
            }
            _ => Vec::new(),
        };
        if !first.is_empty() {
            rest.push_front(stmt);
            first.into_iter().rev().for_each(|s| rest.push_front(s));
            return Some(());
        }
        if is_parted {
            return self.part(stmt, out);
        }
        if self.is_down() && self.calls_barrier(&stmt) && !waits(&self.body.exprs, &stmt, &self.barriers.own) {
            let left = self.tell(stmt, out)?;
            left.into_iter().rev().for_each(|s| rest.push_front(s));
            return Some(());
        }
        self.around_barrier(&mut stmt)?;
        out.push(stmt);
        Some(())
    }

    /// The blocks of a statement that has a barrier inside; the statement itself is reached by all.
    fn around_barrier(&mut self, stmt: &mut Stmt) -> Option<()> {
        self.down |= returns_in(stmt);
        let is_switch = matches!(stmt.kind, StmtKind::Switch(..));
        let target = match is_switch {
            true => Some(Target::Switch),
            false => is_loop(stmt).then_some(Target::Loop),
        };
        self.targets.extend(target);
        let mut whole = true;
        stmt.blocks_mut(&mut |block| {
            let span = block.stmts.last().map(|s| s.span).unwrap_or_default();
            let ended = ends_flow(block);
            match self.stmts(std::mem::take(&mut block.stmts)) {
                Some(stmts) => block.stmts = stmts,
                None => whole = false,
            }
            // A case that ended in a return does not go on to the next one.
            if is_switch && ended && !ends_flow(block) {
                block.stmts.push(Stmt::new(StmtKind::Break, span));
            }
        });
        if target.is_some() {
            self.targets.pop();
        }
        whole.then_some(())
    }

    /// Puts out a run of work, guarded where the flag may be down.
    fn flush(&mut self, mut work: Vec<Stmt>, down: bool, rest: &VecDeque<Stmt>, out: &mut Vec<Stmt>) {
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
            out.push(self.guarded(work, span));
        }
    }

    /// Work that is only done where the flag is up.
    fn guarded(&mut self, work: Vec<Stmt>, span: Span) -> Stmt {
        let kind = ExprKind::Local(self.flag());
        let condition = self.body.exprs.push(Expr { kind, ty: TypeId::BOOL, span });
        Stmt::new(StmtKind::If(condition, Block::of(work), None, Hints::default()), span)
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
    fn named(&self, stmts: &VecDeque<Stmt>) -> FxHashSet<LocalId> {
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
        self.barriers.are_in(&self.body.exprs, stmt)
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
        self.barriers.called_at(&self.body.exprs, root)
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
