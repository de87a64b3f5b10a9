//! Branches that are never taken ask for no functions that are only declared, nor, in generic functions, for instances.
//!
//! `float f<let K : int>() { if (K > 0) { return f<K - 1>(); } return 0; }` has an end in Slang: `f<0>` does not ask for `f<-1>`. What
//! such a branch calls is checked, and is no part of the program; the branch is left out. In HLSL a template is made whole.

use super::Checker;
use super::function::InstanceId;
use super::scope::{DeclId, What};
use super::stmt::statement;
use crate::ast;
use crate::parse::Language;
use crate::source::Span;
use crate::tree::{BinaryOp, Block, ExprId, ExprKind, Literal, Stmt, StmtKind};

/// How deep instances of generic functions ask for others, as in slangc.
pub(super) const MOST_NESTED: u32 = 512;

impl<'a> Checker<'a> {
    /// Whether a branch around the statement at hand is never taken.
    pub(super) fn is_unreached(&self) -> bool {
        self.cx.branches.iter().any(|(condition, taken)| self.is_never(*condition, *taken))
    }

    /// Whether a condition is known not to be so.
    fn is_never(&self, condition: ExprId, so: bool) -> bool {
        let is_part = match (self.kind(condition), so) {
            (ExprKind::Binary(BinaryOp::And, a, b), true) | (ExprKind::Binary(BinaryOp::Or, a, b), false) => {
                self.is_never(*a, so) || self.is_never(*b, so)
            }
            _ => false,
        };
        is_part || self.is_always(condition, !so)
    }

    /// Whether a condition is a constant, which is so.
    pub(super) fn is_always(&self, condition: ExprId, so: bool) -> bool {
        self.known_value(condition).ok().and_then(|value| value.truth()) == Some(so)
    }

    /// Whether an instance is not asked for here.
    pub(super) fn is_left_out(&mut self, id: InstanceId) -> bool {
        if self.cx.branches.is_empty() {
            return false;
        }
        let is_generic = self.leaves_out() && !self.functions.get(id).args.is_empty();
        let decl = self.functions.get(id).decl;
        (is_generic || self.may_ask_for_bodies(decl)) && self.is_unreached()
    }

    /// Whether a function has no body, or may call one that has none. Which functions call which is not known yet: in a program
    /// where some have none, each of the source may.
    fn may_ask_for_bodies(&mut self, decl: DeclId) -> bool {
        if self.source_of(decl).builtin {
            return false;
        }
        let lacks = match self.lacks_bodies {
            Some(lacks) => lacks,
            None => {
                let all: Vec<DeclId> = (0..).map(DeclId).take(self.decls.len()).collect();
                let lacks = all.into_iter().any(|decl| self.is_only_declared(decl));
                *self.lacks_bodies.insert(lacks)
            }
        };
        lacks || self.is_only_declared(decl)
    }

    /// Whether a function of the source has no body at all, which compilers ask for where it is called.
    fn is_only_declared(&mut self, decl: DeclId) -> bool {
        let info = self.info(decl);
        let has_none = matches!(info.what, What::Function(ast::FunctionDecl { body: None, .. }));
        has_none && info.owner.is_none() && !self.source_of(decl).builtin && self.definition_decl(decl).is_none()
    }

    /// Checks statements that no flow reaches, behind one that ends it. Those that ask for what is only declared are left out.
    pub(super) fn behind_end(&mut self, like: Span, check: impl FnOnce(&mut Self)) -> bool {
        let never = self.push(ExprKind::Literal(Literal::Bool(false), None), crate::tree::TypeId::BOOL, like);
        self.branch(never, true, check).1
    }

    /// Whether branches are left out here: in generic functions of Slang, and in methods of generic types.
    fn leaves_out(&self) -> bool {
        let Some(checked) = self.functions.checked.map(|id| self.functions.get(id)) else { return false };
        let owner = || self.structs.instance(self.info(checked.decl).owner?);
        let is_generic = !checked.args.is_empty() || owner().is_some_and(|owner| !owner.args.is_empty());
        self.language() == Language::Slang && is_generic
    }

    /// Checks what is done where a condition is so. With it: whether this is never, and it has been left out for that.
    pub(super) fn branch<R>(&mut self, condition: ExprId, so: bool, check: impl FnOnce(&mut Self) -> R) -> (R, bool) {
        let before = self.cx.left_out;
        self.cx.branches.push((condition, so));
        let result = check(self);
        self.cx.branches.pop();
        let is_open = self.cx.left_out > before && self.is_never(condition, so);
        if is_open {
            self.cx.left_out = before;
        }
        (result, is_open)
    }

    /// The operand behind `&&` and `||`. One that is left out is what the first operand is.
    pub(super) fn operand_behind(
        &mut self,
        is_and: bool,
        left: ExprId,
        check: impl FnOnce(&mut Self) -> ExprId,
    ) -> ExprId {
        let (right, is_left_out) = self.branch(left, is_and, check);
        match is_left_out {
            true => self.literal_bool(!is_and, right),
            false => right,
        }
    }

    fn literal_bool(&mut self, value: bool, like: ExprId) -> ExprId {
        let span = self.cx.body.exprs[like].span;
        self.push(ExprKind::Literal(Literal::Bool(value), None), crate::tree::TypeId::BOOL, span)
    }

    /// The condition of an `if` that always leaves the function, if the last statement is one.
    pub(super) fn always_left(&self, last: Option<&Stmt>) -> Option<ExprId> {
        if !self.leaves_out() {
            return None;
        }
        let Some(Stmt { kind: StmtKind::If(condition, then, None, _), .. }) = last else { return None };
        let leaves = matches!(then.stmts.last().map(|s| &s.kind), Some(StmtKind::Return(_)));
        (leaves && self.is_never(*condition, false)).then_some(*condition)
    }
}

/// Leaves the body of an `if` at the end of statements, which is always taken.
pub(super) fn without_condition(stmts: &mut Vec<Stmt>) {
    match stmts.pop() {
        Some(Stmt { kind: StmtKind::If(_, then, ..), span, .. }) => instead(then, span, stmts),
        other => stmts.extend(other),
    }
}

/// Puts a block in the place of a statement.
pub(super) fn instead(block: Block, span: Span, out: &mut Vec<Stmt>) {
    match block.stmts.iter().any(|s| matches!(s.kind, StmtKind::Local(..))) || !block.trailing.is_empty() {
        true => out.push(statement(StmtKind::Block(block), span)),
        false => out.extend(block.stmts),
    }
}
