//! Functions with a barrier that are called where some invocations have returned: they are told who takes part.
//!
//! Before: `if (id >= count) { return; }     float all = sum(own);                       result[id] = all;`
//! After:  `if (id >= count) { is_active = false; }   float all = sum(own, is_active);   if (is_active) { result[id] = all; }`
//!
//! What such a function does but for its barriers, it does where the flag is up. It returns at its end alone if it has a result, which is
//! computed by all.

use super::{Barriers, Flags, is_return, returns_in};
use crate::symbol::Symbol;
use crate::tree::analyses::uniformity::is_varying_global;
use crate::tree::*;

impl Flags<'_> {
    /// Calls the function of a statement for all, with the flag; gives what is left to do.
    pub(super) fn tell(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) -> Option<Vec<Stmt>> {
        let call = self.call_of(&stmt)?;
        let ExprKind::Call(callee, args) = self.body.exprs[call].kind.clone() else { return None };
        let is_plain =
            |arg: &ExprId| self.called_at(*arg).is_none() && !self.program.effects().expr(&self.body.exprs, *arg);
        // A variable that is written gets its own value back from who takes no part.
        let is_own = |arg: ExprId| self.body.exprs.base_local(arg).is_some();
        if !args.iter().all(is_plain) || !self.program.written_arguments(callee, &args).all(is_own) {
            return None;
        }
        let told = self.told(callee)?;
        let Expr { ty, span, .. } = self.body.exprs[call];
        let mut b = Build::new(&mut self.program.types, &mut self.body.exprs, span);
        let args = args.into_iter().chain([b.local(self.active, TypeId::BOOL)]).collect();
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
        if let StmtKind::Return(Some(value)) = stmt.kind {
            if self.program.effects().expr(&self.body.exprs, value) {
                return None;
            }
            out.push(stmt);
            return Some(Vec::new());
        }
        Some(vec![stmt])
    }

    /// The only call of a function with a barrier in a statement: it is done before all else that the statement does.
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
        let has_barrier = |id: &ExprId| matches!(exprs[*id].kind, ExprKind::Call(callee, _) if self.barriers.callers.contains(&callee));
        let order = exprs.post_order(root);
        let mut calls = order.iter().copied().filter(has_barrier);
        let call = calls.next().filter(|_| calls.next().is_none())?;
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

    /// The function that is told who takes part; nothing if there is none.
    fn told(&mut self, id: FunctionId) -> Option<FunctionId> {
        if let Some(told) = self.barriers.told.get(&id) {
            return *told;
        }
        // Until it is made: a function that calls itself has none.
        self.barriers.told.insert(id, None);
        let told = made(self.program, id, self.barriers);
        self.barriers.told.insert(id, told);
        told
    }
}

/// Makes a function of another one, with a parameter that says whether the invocation takes part.
fn made(program: &mut Program, id: FunctionId, barriers: &mut Barriers) -> Option<FunctionId> {
    let original = &program.functions[id];
    let mut stmts = original.code.block.stmts.clone();
    let last = if stmts.last().is_some_and(is_return) { stmts.pop() } else { None };
    let returns_before = stmts.iter().any(returns_in);
    if !matches!(original.body, FunctionBody::Block)
        || original.result != TypeId::VOID && (last.is_none() || returns_before)
    {
        return None;
    }
    let name = Symbol::new(&format!("{}_if_active", original.name));
    let mut function = Function { name, comments: Vec::new(), ..original.clone() };
    let span = function.span;
    let active = function.code.add_local("is_active", TypeId::BOOL, span);
    function.params.push(Param::new(active));
    let mut flags = Flags { program, body: &mut function.code, barriers, active };
    let block = flags.whole(stmts, last)?;
    function.code.block.stmts = block;
    let told = program.functions.push(function);
    program.items.put_before(Some(Item::Function(id)), Item::Function(told));
    Some(told)
}

impl Flags<'_> {
    /// The statements of a function, the last of which may give its result.
    fn whole(&mut self, mut stmts: Vec<Stmt>, last: Option<Stmt>) -> Option<Vec<Stmt>> {
        let result = last.filter(|last| matches!(last.kind, StmtKind::Return(Some(_))));
        let Some(last) = result else { return Some(self.stmts(stmts, true)?.0) };
        let StmtKind::Return(Some(value)) = last.kind else { return None };
        if self.called_at(value).is_none() && self.program.effects().expr(&self.body.exprs, value) {
            return None;
        }
        stmts.push(last);
        Some(self.stmts(stmts, true)?.0)
    }
}
