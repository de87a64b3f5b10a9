//! Functions with a barrier that are called where some invocations take no part: they are told who does.
//!
//! Before: `if (id >= count) { return; }     float all = sum(own);                       result[id] = all;`
//! After:  `if (id >= count) { is_active = false; }   float all = sum(own, is_active);   if (is_active) { result[id] = all; }`
//!
//! What such a function does but for its barriers, it does where the flag is up. What it gives at its end is computed by all, if it returns
//! nowhere else.

use super::super::hoist;
use super::{Barriers, Flags};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::analyses::uniformity::is_varying_global;
use crate::tree::*;
use rustc_hash::FxHashSet;

impl Flags<'_> {
    /// Calls the first function with a barrier of a statement for all, with the flag; gives what is left to do.
    pub(super) fn tell(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) -> Option<Vec<Stmt>> {
        if let Some(value) = self.asked_first(&stmt) {
            let value_now = self.asked(value, out)?;
            stmt.own_exprs_mut(&mut |e| *e = value_now);
            return Some(vec![stmt]);
        }
        let Some(call) = self.call_of(&stmt) else {
            let effects = self.program.effects();
            let mut call = None;
            stmt.own_exprs(&mut |root| call = call.or_else(|| self.call_with_barrier(root)));
            return Some(hoist::taken_out(self.program, &effects, self.body, stmt, call?));
        };
        let ExprKind::Call(callee, mut args) = self.body.exprs[call].kind.clone() else { return None };
        // A variable that is written gets its own value back from who takes no part.
        let is_own = |arg: ExprId| match self.body.exprs[self.body.exprs.base(arg)].kind {
            ExprKind::Local(_) => true,
            ExprKind::Global(global) => self.program.globals[global].kind == GlobalKind::Static,
            _ => false,
        };
        if !self.program.written_arguments(callee, &args).all(is_own) {
            return None;
        }
        self.arguments(callee, &mut args, out)?;
        let told = self.told(callee)?;
        let Expr { ty, span, .. } = self.body.exprs[call];
        let flag = self.flag();
        let mut b = Build::new(&mut self.program.types, &mut self.body.exprs, span);
        args.push(b.local(flag, TypeId::BOOL));
        let told = b.add(ExprKind::Call(told, args), ty);
        if ty == TypeId::VOID {
            out.push(Stmt { kind: StmtKind::Expr(told), ..stmt });
            return Some(Vec::new());
        }
        if let StmtKind::Local(local, Some(value)) = stmt.kind
            && value == call
        {
            out.push(Stmt { kind: StmtKind::Local(local, Some(told)), ..stmt });
            return Some(Vec::new());
        }
        let name = self.program.functions[callee].name;
        let result = self.body.add_local(name, ty, span);
        self.body.locals[result].constant = true;
        let mut first = Stmt::new(StmtKind::Local(result, Some(told)), span);
        stmt.give_comments(Some(&mut first), false);
        out.push(first);
        self.body.exprs[call].kind = ExprKind::Local(result);
        Some(vec![stmt])
    }

    /// What a branch or switch asks, which is done before it.
    fn asked_first(&self, stmt: &Stmt) -> Option<ExprId> {
        match stmt.kind {
            StmtKind::If(value, ..) | StmtKind::Switch(value, ..) => Some(value),
            _ => None,
        }
    }

    /// Arguments that do something are computed before the call, by those that take part.
    fn arguments(&mut self, callee: FunctionId, args: &mut [ExprId], out: &mut Vec<Stmt>) -> Option<()> {
        let effects = self.program.effects();
        if !args.iter().any(|arg| effects.expr(&self.body.exprs, *arg)) {
            return Some(());
        }
        let modes: Vec<ParamMode> = self.program.functions[callee].params.iter().map(|p| p.mode).collect();
        let mut work = Vec::new();
        for (arg, mode) in args.iter_mut().zip(modes) {
            let Expr { ty, span, .. } = self.body.exprs[*arg];
            if mode != ParamMode::In {
                if effects.expr(&self.body.exprs, *arg) {
                    return None;
                }
                continue;
            }
            if self.program.holds_object(ty) {
                continue;
            }
            let local = self.body.add_local("argument", ty, span);
            out.push(Stmt::new(StmtKind::Local(local, None), span));
            let mut b = Build::new(&mut self.program.types, &mut self.body.exprs, span);
            work.push(b.set_local(local, *arg));
            *arg = b.local(local, ty);
        }
        let span = work.first()?.span;
        let guarded = self.guarded(work, span);
        out.push(guarded);
        Some(())
    }

    /// The first call of a function with a barrier in a statement: it is done before all else that the statement does.
    fn call_of(&self, stmt: &Stmt) -> Option<ExprId> {
        let exprs = &self.body.exprs;
        let root = match stmt.kind {
            StmtKind::Expr(root) => match exprs[root].kind {
                ExprKind::Assign(_, target, value) if !self.program.effects().expr(exprs, target) => value,
                _ => root,
            },
            StmtKind::Local(_, Some(value)) | StmtKind::Return(Some(value)) => value,
            _ => return None,
        };
        let order = exprs.post_order(root);
        let call = self.call_with_barrier(root)?;
        // What is computed before it must not see what it writes.
        let inside = exprs.post_order(call);
        let mut written = Vec::new();
        inside
            .iter()
            .for_each(|id| self.program.each_written(exprs, *id, &mut |place| written.push(exprs.base(place))));
        let changes =
            |local: LocalId| written.iter().any(|w| matches!(exprs[*w].kind, ExprKind::Local(l) if l == local));
        let is_same = |id: &ExprId| match exprs[*id].kind {
            ExprKind::Local(local) => !changes(local),
            ExprKind::Global(global) => !is_varying_global(self.program, &self.program.globals[global]),
            ExprKind::Call(..)
            | ExprKind::Assign(..)
            | ExprKind::Step(..)
            | ExprKind::Comma(..)
            | ExprKind::Property(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Deref(_) => false,
            _ => true,
        };
        order.iter().take_while(|id| **id != call).all(|id| inside.contains(id) || is_same(id)).then_some(call)
    }

    /// The first call of a function with a barrier in an expression.
    fn call_with_barrier(&self, root: ExprId) -> Option<ExprId> {
        let exprs = &self.body.exprs;
        exprs
            .post_order(root)
            .into_iter()
            .find(|id| matches!(exprs[*id].kind, ExprKind::Call(callee, _) if self.barriers.callers.contains(&callee)))
    }

    /// The function that is told who takes part; nothing if there is none.
    fn told(&mut self, id: FunctionId) -> Option<FunctionId> {
        if let Some(told) = self.barriers.told.get(&id) {
            return *told;
        }
        // Until it is made: a function that calls itself has none.
        self.barriers.told.insert(id, None);
        let told = made(self.program, id, self.barriers, self.varying);
        self.barriers.told.insert(id, told);
        told
    }
}

/// Makes a function of another one, with a parameter that says whether the invocation takes part.
fn made(
    program: &mut Program,
    id: FunctionId,
    barriers: &mut Barriers,
    varying: &FxHashSet<Span>,
) -> Option<FunctionId> {
    let original = &program.functions[id];
    if !matches!(original.body, FunctionBody::Block) {
        return None;
    }
    let name = Symbol::new(&format!("{}_if_active", original.name));
    let mut function = Function { name, comments: Vec::new(), ..original.clone() };
    let span = function.span;
    let active = function.code.add_local("is_active", TypeId::BOOL, span);
    function.params.push(Param::new(active));
    let stmts = std::mem::take(&mut function.code.block.stmts);
    let mut flags =
        Flags { down: true, is_told: true, ..Flags::new(program, &mut function.code, barriers, varying, active) };
    let stmts = flags.function(stmts, function.result, span)?;
    function.code.block.stmts = stmts;
    let told = program.functions.push(function);
    program.items.put_before(Some(Item::Function(id)), Item::Function(told));
    Some(told)
}
