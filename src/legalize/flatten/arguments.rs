//! Arguments of calls in order, and copies of what is passed to be written.

use super::Flattening;
use crate::symbol::Symbol;
use crate::tree::*;

/// Among how many statements before a call a variable for a copy is looked for.
const NEAR: usize = 32;

impl Flattening<'_> {
    /// Arguments that are passed to be written: (index, mode, is it a whole variable that can be passed as it is).
    pub(super) fn out_arguments<'b>(
        &'b self,
        function: FunctionId,
        args: &'b [ExprId],
    ) -> impl Iterator<Item = (usize, ParamMode, bool)> + 'b {
        let f = &self.program.functions[function];
        let spelled = matches!(f.body, FunctionBody::Intrinsic(_));
        let pairs = f.params.iter().zip(args).enumerate();
        // A builtin that takes its argument by reference takes it where it is.
        let written = pairs.filter(move |(_, (p, _))| match p.mode {
            ParamMode::In => false,
            ParamMode::Out | ParamMode::InOut => true,
            ParamMode::Ref => !spelled,
        });
        written.map(move |(i, (p, arg))| {
            let ty = f.code.locals[p.local].ty;
            // A spelling takes any place, but converts nothing.
            let spelled = spelled && !matches!(self.body.exprs[*arg].kind, ExprKind::Convert(..));
            let stays = self.only.as_ref().is_some_and(|only| !only.arguments.contains(arg));
            (i, p.mode, stays || spelled || self.is_whole_variable(*arg, ty) && !self.is_aliased(args, i))
        })
    }

    fn is_whole_variable(&self, arg: ExprId, ty: TypeId) -> bool {
        let arg = &self.body.exprs[arg];
        arg.ty == ty && matches!(arg.kind, ExprKind::Local(_))
    }

    /// Whether another argument of the call mentions the same variable.
    fn is_aliased(&self, args: &[ExprId], at: usize) -> bool {
        let exprs = &self.body.exprs;
        let Some(ExprKind::Local(local)) = args.get(at).map(|a| exprs[*a].kind.clone()) else { return true };
        let mentions = |a: &ExprId| exprs.any_part(*a, |e| matches!(exprs[e].kind, ExprKind::Local(l) if l == local));
        args.iter().enumerate().any(|(i, a)| i != at && mentions(a) && exprs.base_local(*a).is_some())
    }

    /// Flattens arguments in order; what is passed to be written stays the variable that it is. Arguments are copied in when the
    /// others have been evaluated, as slangc and DXC do it, so that these are values before copies.
    fn arguments(
        &mut self,
        id: ExprId,
        function: FunctionId,
        mut args: Vec<ExprId>,
        copied: &[(usize, ParamMode)],
        out: &mut Vec<Stmt>,
    ) {
        let before_copies = |f: &Self, a: ExprId| !copied.is_empty() && f.effects.expr(&f.body.exprs, a);
        let last = args.iter().rposition(|a| self.needs_work(*a) || before_copies(self, *a));
        for (i, arg) in args.iter_mut().enumerate() {
            let mode = self.program.functions[function].params.get(i).map_or(ParamMode::In, |p| p.mode);
            if mode != ParamMode::In {
                if copied.iter().any(|(c, _)| *c == i) || last.is_some_and(|last| i <= last) {
                    *arg = self.place(*arg, out);
                }
                continue;
            }
            *arg = self.value(*arg, out);
            if last.is_some_and(|last| i < last) || before_copies(self, *arg) {
                *arg = self.keep(*arg, out);
            }
        }
        self.body.exprs[id].kind = ExprKind::Call(function, args);
    }

    /// A call whose `out` arguments that are no whole variables go through copies. `None`: a void call was put out.
    pub(super) fn call(&mut self, id: ExprId, is_root: bool, out: &mut Vec<Stmt>) -> Option<ExprId> {
        let ExprKind::Call(function, args) = self.body.exprs[id].kind.clone() else { return Some(id) };
        let span = self.body.exprs[id].span;
        let copied: Vec<(usize, ParamMode)> =
            self.out_arguments(function, &args).filter(|(_, _, whole)| !whole).map(|(i, mode, _)| (i, mode)).collect();
        for arg in copied.iter().filter_map(|(i, _)| args.get(*i)) {
            // What is converted on its way back is the place below.
            if let ExprKind::Convert(place, _) = self.body.exprs[*arg].kind {
                self.body.exprs[*arg] = self.body.exprs[place].clone();
            }
        }
        self.arguments(id, function, args, &copied, out);
        if copied.is_empty() {
            return Some(id);
        }
        let ExprKind::Call(_, mut args) = self.body.exprs[id].kind.clone() else { return Some(id) };
        let mut back = Vec::new();
        for (i, mode) in copied {
            let (Some(arg), Some(param)) = (args.get_mut(i), self.program.functions[function].params.get(i)) else {
                continue;
            };
            let local = param.local;
            let ty = self.program.functions[function].code.locals[local].ty;
            let name = self.program.functions[function].code.locals[local].name;
            let again = self.free_copy(name, ty, out);
            let copy = again.unwrap_or_else(|| self.body.add_local(name, ty, span));
            self.copies.insert(copy);
            let target = *arg;
            *arg = Build::new(&mut self.program.types, &mut self.body.exprs, span).local(copy, ty);
            let init = (mode != ParamMode::Out).then(|| {
                let read = self.read(target);
                self.build(span).convert(read, ty)
            });
            match (again, init) {
                (None, init) => out.push(Stmt::new(StmtKind::Local(copy, init), span)),
                (Some(_), Some(value)) => {
                    let mut build = self.build(span);
                    let variable = build.local(copy, ty);
                    out.push(build.set(variable, value));
                }
                (Some(_), None) => {}
            }
            back.push((target, copy, ty));
        }
        self.body.exprs[id].kind = ExprKind::Call(function, args);
        let result_ty = self.body.exprs[id].ty;
        let result = if result_ty == TypeId::VOID || is_root {
            out.push(Stmt::new(StmtKind::Expr(id), span));
            None
        } else {
            Some(self.spill(id, out))
        };
        for (target, copy, ty) in back {
            let target_ty = self.body.exprs[target].ty;
            let mut build = self.build(span);
            let value = build.local(copy, ty);
            let value = build.convert(value, target_ty);
            let assign = build.assign(target, value);
            self.effect(assign, out);
        }
        result
    }

    /// A variable that an earlier call of the block has copied such an argument to.
    fn free_copy(&self, name: Symbol, ty: TypeId, before: &[Stmt]) -> Option<LocalId> {
        before.iter().rev().take(NEAR).find_map(|stmt| match stmt.kind {
            StmtKind::Local(copy, _) if self.copies.contains(&copy) => {
                let local = &self.body.locals[copy];
                (local.name == name && local.ty == ty).then_some(copy)
            }
            _ => None,
        })
    }
}
