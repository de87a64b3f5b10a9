//! `do {} while` becomes an endless loop that ends itself.
//!
//! Before: `do { body; } while (c);`
//! After:  `while (true) { body; if (!c) { break; } }`
//!
//! Removes: DoWhile. Adds: none. A `continue` in the body tests the condition too.

use super::flatten::before_continue;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;

pub(super) const PASS: Pass = Pass { name: "lower_do_while", removes: &[Capability::DoWhile], adds: &[], run };

fn run(cx: &mut Context) {
    cx.each_body(&mut |cx, _, body| {
        let mut block = std::mem::take(&mut body.block);
        block.rewrite(&mut |mut stmt, out| {
            if let StmtKind::DoWhile(inner, condition, hints) = stmt.kind {
                stmt.kind = endless(&mut cx.program.types, body, inner, condition, hints);
            }
            out.push(stmt);
        });
        body.block = block;
    });
}

fn endless(types: &mut Types, body: &mut Body, mut inner: Block, condition: ExprId, hints: Hints) -> StmtKind {
    let span = body.exprs[condition].span;
    let mut build = Build::new(types, &mut body.exprs, span);
    let always = build.bool(true);
    let not = build.add(ExprKind::Unary(UnaryOp::Not, condition), TypeId::BOOL);
    let then = Block { stmts: vec![Stmt::new(StmtKind::Break, span)], trailing: Vec::new() };
    let test = Stmt::new(StmtKind::If(not, then, None, Hints::default()), span);
    before_continue(body, &mut inner, std::slice::from_ref(&test));
    inner.stmts.push(test);
    StmtKind::While(always, inner, hints)
}
