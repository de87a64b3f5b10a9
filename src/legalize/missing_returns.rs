//! A function whose end is never reached returns a value there.
//!
//! Before: `float f(float x) { while (true) { if (x > 1.0) { return x; } x += 1.0; } }`
//! After:  `float f(float x) { while (true) { if (x > 1.0) { return x; } x += 1.0; } return 0.0; }`
//!
//! Languages that prove that each path returns look at the form of statements, not at conditions. Some look at the last one only,
//! so statements behind a `return` go.

use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::analyses::{ends_flow, reached};
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "missing_returns",
    removes: &[(Capability::MissingReturns, Find::Function(|_, f| is_missing(f)))],
    // Results may become structs.
    adds: &[Capability::AggregateExpressions],
    run,
    ..Pass::ROW
};

/// Whether a function has a result and an end that does not look like one.
pub(super) fn is_missing(function: &Function) -> bool {
    let has_body = matches!(function.body, FunctionBody::Block);
    let block = &function.code.block;
    has_body && function.result != TypeId::VOID && (!returns(block) || has_dead_tail(block))
}

/// Whether a block or one in it has statements that control never reaches.
fn has_dead_tail(block: &Block) -> bool {
    let is_longer = |block: &Block| reached(block).is_some_and(|count| count < block.stmts.len());
    let mut found = is_longer(block);
    block.any(&mut |stmt| {
        stmt.blocks(&mut |inner| found |= is_longer(inner));
        false
    });
    found
}

/// Takes away what control never reaches behind a jump.
pub(super) fn cut_dead_tail(block: &mut Block) {
    block.stmts.truncate(reached(block).unwrap_or(usize::MAX));
    for stmt in &mut block.stmts {
        stmt.blocks_mut(&mut cut_dead_tail);
    }
}

/// Whether a block ends in statements that return by their form.
fn returns(block: &Block) -> bool {
    ends_flow(block)
        || block.stmts.last().is_some_and(|stmt| match &stmt.kind {
            StmtKind::Switch(_, cases, _) => {
                let default = cases.iter().any(|case| case.labels.contains(&None));
                let breaks = |block: &Block| block.any(&mut |s| matches!(s.kind, StmtKind::Break));
                default && cases.iter().all(|case| returns(&case.body) && !breaks(&case.body))
            }
            StmtKind::If(_, then, Some(other), _) => returns(then) && returns(other),
            StmtKind::Block(inner) => returns(inner),
            _ => false,
        })
}

fn run(cx: &mut Context) {
    let missing: Vec<FunctionId> =
        cx.program.functions.iter().filter(|(_, f)| is_missing(f)).map(|(id, _)| id).collect();
    for id in missing {
        let function = &mut cx.program.functions[id];
        cut_dead_tail(&mut function.code.block);
        if !returns(&function.code.block) {
            supply(function);
        }
    }
}

/// Has a function return a value at its end.
pub(super) fn supply(function: &mut Function) {
    let (ty, span) = (function.result, function.span);
    let value = function.code.exprs.push(Expr { kind: ExprKind::Zero, ty, span });
    let kind = StmtKind::Return(Some(value));
    function.code.block.stmts.push(Stmt { kind, span, comments: Vec::new(), blank_before: false });
}
