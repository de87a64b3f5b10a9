//! How a body ends: loops that nothing ends, functions that come to their end without a value, and the value that stands for
//! one that is missing.

use super::body_shape::contains_return;
use super::{Checker, constant};
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Language;
use crate::source::Span;
use crate::tree::analyses::{endless_loops, is_endless, may_complete};
use crate::tree::{Block, ExprArena, ExprId, ExprKind, FunctionId, ParamMode, Stmt, StmtKind, Type, TypeId};

impl<'a> Checker<'a> {
    /// Declares and returns `__return_val`, where the body names it.
    pub(super) fn return_named_value(&mut self, span: Span) {
        let Some(local) = self.cx.return_value else { return };
        let ty = self.cx.body.locals[local].ty;
        let value = self.push(ExprKind::Local(local), ty, span);
        let kind = self.returned(StmtKind::Return(Some(value)), span);
        let statement = |kind| Stmt { kind, span, comments: Vec::new(), blank_before: false };
        let stmts = &mut self.cx.body.block.stmts;
        stmts.insert(0, statement(StmtKind::Local(local, None)));
        if !matches!(stmts.last(), Some(Stmt { kind: StmtKind::Return(_), .. })) {
            stmts.push(statement(kind));
        }
    }

    /// Notes the loops without an end, which are errors where the function is reached, and leaves them out.
    pub(super) fn check_loops(&mut self, function: FunctionId) {
        if self.in_builtin() {
            return;
        }
        let endless = &mut self.endless;
        endless_loops(&self.cx.body.exprs, &self.cx.body.block, &mut |stmt| endless.push((function, stmt.span)));
        // The others are never run, and not every target takes them.
        let exprs = &self.cx.body.exprs;
        let mut others = false;
        self.cx.body.block.visit(&mut |stmt| others |= is_endless(exprs, stmt));
        if others {
            self.cx.body.block.rewrite(&mut |stmt, out| out.extend(Some(stmt).filter(|s| !is_endless(exprs, s))));
        }
    }

    /// A function with a result must return one on some path at least.
    pub(super) fn check_returns(&mut self, block: &'a ast::Block, result: TypeId, span: Span) {
        if result == TypeId::VOID || result == TypeId::ERROR {
            return;
        }
        if self.cx.return_value.is_none() && !contains_return(&block.stmts, 0) {
            self.diags.push(Diagnostic::error(Code::BAD_STATEMENT, span, "this function must return a value"));
            return;
        }
        let looked_at = !self.in_builtin() && !self.diags.has_errors();
        if looked_at && self.may_complete(&self.cx.body.block) {
            self.missing_return(result, span);
        } else if looked_at && self.seems_to_complete() && !self.program.has_no_copies(result) {
            self.return_zero(result, span);
        }
    }

    /// A function that gives a reference is the place that it returns, wherever it is called: it does nothing more, and the place
    /// lasts.
    pub(super) fn check_reference(&mut self, function: FunctionId, span: Span) {
        if !self.program.functions[function].returns_ref || self.in_builtin() {
            return;
        }
        let [Stmt { kind: StmtKind::Return(Some(place)), .. }] = self.cx.body.block.stmts.as_slice() else {
            return self.unsupported(span, "a function that gives a reference and does more than to return it");
        };
        let place = *place;
        if !self.check_assignable(place) {
            return;
        }
        let base = self.cx.body.exprs.base_local(place);
        let params = &self.program.functions[function].params;
        if params.iter().any(|p| Some(p.local) == base && p.mode == ParamMode::In) {
            self.error(Code::NOT_A_VALUE, self.span(place), "a reference to a parameter does not outlast the call");
        }
    }

    /// Whether control comes to the end of the body at hand for compilers that know the values of conditions of numbers alone.
    fn seems_to_complete(&self) -> bool {
        may_complete(&self.cx.body.block, &|c| {
            let value = || constant::eval(&self.program, &self.cx.body.exprs, c).ok().and_then(|value| value.truth());
            if self.is_of_numbers(&self.cx.body.exprs, c, 8) { value() } else { None }
        })
    }

    /// Whether an expression, and the constants that it names, are made of numbers alone.
    fn is_of_numbers(&self, exprs: &ExprArena, root: ExprId, depth: u32) -> bool {
        exprs.post_order(root).into_iter().all(|id| {
            let is_number = matches!(self.program.types.get(exprs[id].ty), Type::Scalar(_) | Type::Enum(_));
            is_number
                && match exprs[id].kind {
                    ExprKind::Global(global) => self.program.globals[global]
                        .init
                        .as_ref()
                        .is_some_and(|tree| depth > 0 && self.is_of_numbers(&tree.exprs, tree.root, depth - 1)),
                    // They do not know what builtins compute.
                    ExprKind::Call(..) => false,
                    _ => true,
                }
        })
    }

    /// Whether control may come to the end of a block of the body at hand. Constant conditions count, as in DXC.
    pub(super) fn may_complete(&self, block: &Block) -> bool {
        may_complete(block, &|c| {
            constant::eval(&self.program, &self.cx.body.exprs, c).ok().and_then(|value| value.truth())
        })
    }

    /// A function that may come to its end without a value: an error in HLSL, as DXC has it; in Slang the value is zero and there
    /// is a warning, as slangc has it.
    fn missing_return(&mut self, result: TypeId, span: Span) {
        let message = "this function does not return a value on every path";
        if self.language() == Language::Hlsl || self.program.has_no_copies(result) {
            self.diags.push(Diagnostic::error(Code::BAD_STATEMENT, span, message));
            return;
        }
        self.diags.push(Diagnostic::warning(Code::BAD_STATEMENT, span, message).note("the missing value is zero"));
        self.return_zero(result, span);
    }

    /// Has the body at hand return zero at its end.
    fn return_zero(&mut self, result: TypeId, span: Span) {
        let value = self.push(ExprKind::Zero, result, span);
        let kind = self.returned(StmtKind::Return(Some(value)), span);
        self.cx.body.block.stmts.push(Stmt { kind, span, comments: Vec::new(), blank_before: false });
    }
}
