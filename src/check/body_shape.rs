//! What the syntax of a body tells before it is checked: whether it returns, target switches, sole spellings.

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

/// The names of all cases of target switches in a block; the empty name for `default`.
pub(super) fn switch_targets(block: &ast::Block, out: &mut Vec<Symbol>, depth: u32) {
    if depth > 64 {
        return;
    }
    for stmt in &block.stmts {
        match &stmt.kind {
            AstStmt::TargetSwitch(cases) => {
                for (names, _) in cases {
                    let empty = Symbol::new("");
                    let list: Vec<Symbol> =
                        if names.is_empty() { vec![empty] } else { names.iter().map(|n| n.name).collect() };
                    for name in list {
                        if !out.contains(&name) {
                            out.push(name);
                        }
                    }
                }
            }
            AstStmt::Block(b) => switch_targets(b, out, depth + 1),
            _ => {}
        }
    }
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
