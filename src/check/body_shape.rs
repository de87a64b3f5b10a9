//! What the syntax of a body tells before it is checked: whether it returns, target switches, sole spellings.

use super::labels::is_breakable;
use crate::ast::{self, StmtKind as AstStmt};
use crate::source::Span;
use crate::symbol::Symbol;

pub(super) fn contains_return(stmts: &[ast::Stmt], depth: u32) -> bool {
    depth > 200
        || stmts.iter().any(|s| match &s.kind {
            AstStmt::Return(_) | AstStmt::Error | AstStmt::IntrinsicAsm(..) | AstStmt::TargetSwitch(_) => true,
            AstStmt::Throw(_) => true,
            AstStmt::DoCatch(body, clauses) => {
                contains_return(std::slice::from_ref(body), depth + 1)
                    || clauses.iter().any(|c| contains_return(&c.body.stmts, depth + 1))
            }
            AstStmt::StageSwitch | AstStmt::Unsupported(_) | AstStmt::Discard => true,
            AstStmt::Block(b) => contains_return(&b.stmts, depth + 1),
            AstStmt::If(_, _, a, b) => {
                contains_return(std::slice::from_ref(a), depth + 1)
                    || b.as_ref().is_some_and(|b| contains_return(std::slice::from_ref(b), depth + 1))
            }
            AstStmt::For(_, _, _, b) | AstStmt::While(_, b) | AstStmt::DoWhile(b, _) | AstStmt::Label(_, b) => {
                contains_return(std::slice::from_ref(b), depth + 1)
            }
            AstStmt::Switch(_, cases) => cases.iter().any(|c| contains_return(&c.body.stmts, depth + 1)),
            _ => false,
        })
}

/// The statements that are parts of a statement, those of all cases of target switches among them.
fn parts(stmt: &ast::Stmt) -> Vec<&ast::Stmt> {
    match &stmt.kind {
        AstStmt::Block(b) => b.stmts.iter().collect(),
        AstStmt::If(_, _, a, b) => std::iter::once(&**a).chain(b.as_deref()).collect(),
        AstStmt::For(init, _, _, b) => init.as_deref().into_iter().chain([&**b]).collect(),
        AstStmt::While(_, b) | AstStmt::DoWhile(b, _) | AstStmt::Label(_, b) | AstStmt::Defer(b) => vec![b],
        AstStmt::Switch(_, cases) => cases.iter().flat_map(|case| &case.body.stmts).collect(),
        AstStmt::DoCatch(b, clauses) => {
            std::iter::once(&**b).chain(clauses.iter().flat_map(|clause| &clause.body.stmts)).collect()
        }
        AstStmt::TargetSwitch(cases) => cases.iter().flat_map(|(_, block)| &block.stmts).collect(),
        AstStmt::Decl(_)
        | AstStmt::Expr(_)
        | AstStmt::Break(_)
        | AstStmt::Continue
        | AstStmt::Return(_)
        | AstStmt::Discard
        | AstStmt::Throw(_)
        | AstStmt::StageSwitch
        | AstStmt::IntrinsicAsm(_)
        | AstStmt::StaticAssert(..)
        | AstStmt::Unsupported(_)
        | AstStmt::Empty
        | AstStmt::Error => Vec::new(),
    }
}

/// The names of all cases of target switches in a block; the empty name for `default`.
pub(super) fn switch_targets(block: &ast::Block, out: &mut Vec<Symbol>) {
    let mut pending: Vec<&ast::Stmt> = block.stmts.iter().rev().collect();
    while let Some(stmt) = pending.pop() {
        pending.extend(parts(stmt).into_iter().rev());
        let AstStmt::TargetSwitch(cases) = &stmt.kind else { continue };
        for (names, _) in cases {
            let empty = Symbol::new("");
            let list: Vec<Symbol> = if names.is_empty() { vec![empty] } else { names.iter().map(|n| n.name).collect() };
            for name in list {
                if !out.contains(&name) {
                    out.push(name);
                }
            }
        }
    }
}

/// Whether a `break` leaves statements before the last of them is done. `last` tells whether they end what it leaves.
pub(super) fn breaks_early(stmts: &[ast::Stmt], last: bool, depth: u32) -> bool {
    let is_empty = |s: &ast::Stmt| matches!(s.kind, AstStmt::Empty);
    let inner = |stmt: &ast::Stmt, last: bool| breaks_early(std::slice::from_ref(stmt), last, depth + 1);
    depth > 200
        || stmts.iter().enumerate().any(|(i, stmt)| {
            let last = last && stmts.iter().skip(i + 1).all(is_empty);
            match &stmt.kind {
                AstStmt::Break(None) => !last,
                AstStmt::Block(b) => breaks_early(&b.stmts, last, depth + 1),
                AstStmt::If(_, _, a, b) => inner(a, last) || b.as_ref().is_some_and(|b| inner(b, last)),
                AstStmt::Label(_, b) if !is_breakable(&b.kind) => inner(b, false),
                AstStmt::DoCatch(..) => parts(stmt).into_iter().any(|part| inner(part, false)),
                _ => false,
            }
        })
}

/// Whether a block is written in the assembly of SPIR-V, which no other target has.
pub(super) fn is_assembly(block: &ast::Block) -> bool {
    let is_asm = |e: &ast::Expr| matches!(e.kind, ast::ExprKind::Unsupported(word) if word == "spirv_asm");
    block.stmts.iter().any(|s| matches!(&s.kind, AstStmt::Return(Some(e)) | AstStmt::Expr(e) if is_asm(e)))
}

/// The case of a target switch for a target: its own, else the default.
pub(super) fn target_case(cases: &[(Vec<ast::Ident>, ast::Block)], target: Symbol) -> Option<&ast::Block> {
    let own = cases.iter().find(|(names, _)| names.iter().any(|n| n.name == target));
    own.or_else(|| cases.iter().find(|(names, _)| names.is_empty())).map(|(_, block)| block)
}

/// The template if a block (for a target) is nothing but one `__intrinsic_asm`.
pub(super) fn sole_intrinsic(block: &ast::Block, target: Option<Symbol>) -> Option<(Symbol, Span)> {
    let mut stmts = block.stmts.iter().filter(|s| !matches!(s.kind, AstStmt::Empty));
    let only = stmts.next()?;
    if let (AstStmt::TargetSwitch(cases), Some(target)) = (&only.kind, target) {
        if stmts.next().is_some() {
            return None;
        }
        return sole_intrinsic(target_case(cases, target)?, None);
    }
    let done = |s: Option<&ast::Stmt>| s.is_none_or(|s| matches!(s.kind, AstStmt::Break(None) | AstStmt::Return(None)));
    match &only.kind {
        AstStmt::IntrinsicAsm(text) if done(stmts.next()) => Some((*text, only.span)),
        AstStmt::Block(inner) if stmts.next().is_none() => sole_intrinsic(inner, target),
        _ => None,
    }
}
