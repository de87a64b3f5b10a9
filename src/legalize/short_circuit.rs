//! What an operator leaves out is left out by an `if`, where it has effects.
//!
//! Before: `a && f();        bool b = a || f();                        x = c ? f() : 0;`
//! After:  `if (a) f();      bool test = a;  if (!test) test = f();    int selected;  if (c) selected = f(); else selected = 0;`
//!
//! HLSL before version 2021, and what DXC makes SPIR-V of in any version, evaluate both operands of `&&`, `||` and `?:`.
//!
//! It stands after whatever makes calls.

use super::hoist::{Mark, Marks, hoist, temporary_name};
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::analyses::is_pure;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "short_circuit",
    removes: &[Capability::ShortCircuit],
    after: &["inline_builtins", "flatten"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let effects = cx.effects();
    cx.each_body(&mut |cx, _, body| {
        let mut marks = Marks::default();
        for id in body.expressions() {
            for part in conditional_effects(&effects, &body.exprs, id) {
                marks.insert(part, Mark::Value(temporary_name(cx.program, body, part)));
            }
        }
        hoist(cx.program, &effects, body, marks);
    });
}

/// The operands of an operator that it may leave out, if one of them has effects.
pub(super) fn conditional_effects(effects: &Effects, exprs: &ExprArena, id: ExprId) -> Vec<ExprId> {
    let parts = candidates(exprs, id);
    if parts.iter().any(|p| effects.expr(exprs, *p)) { parts } else { Vec::new() }
}

/// The operands of an operator that it may leave out, if one of them calls or assigns something.
pub(super) fn candidates(exprs: &ExprArena, id: ExprId) -> Vec<ExprId> {
    let parts = match exprs[id].kind {
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, _, b) if exprs[id].ty == TypeId::BOOL => vec![b],
        ExprKind::Select(c, a, b) if exprs[c].ty == TypeId::BOOL => vec![a, b],
        _ => return Vec::new(),
    };
    if parts.iter().all(|p| is_pure(exprs, *p)) { Vec::new() } else { parts }
}
