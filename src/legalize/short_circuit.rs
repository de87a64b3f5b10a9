//! What an operator leaves out is left out by an `if`, where it has effects.
//!
//! Before: `a && f();        bool b = a || f();                        x = c ? f() : 0;`
//! After:  `if (a) f();      bool test = a;  if (!test) test = f();    int selected;  if (c) selected = f(); else selected = 0;`
//!
//! HLSL before version 2021, and what DXC makes SPIR-V of in any version, evaluate both operands of `&&`, `||` and `?:`.
//!
//! It stands after whatever makes calls.

use super::hoist::{Mark, hoist_all, temporary_name};
use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::analyses::is_pure;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "short_circuit",
    removes: &[(
        Capability::ShortCircuit,
        Find::Expr(|p, exprs, id| {
            !candidates(exprs, id).is_empty() && !conditional_effects(&p.effects(), exprs, id).is_empty()
        }),
    )],
    after: &["inline_builtins", "flatten"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let effects = cx.effects();
    hoist_all(cx, &mut |program, body| {
        let parts = body.expressions().into_iter().flat_map(|id| conditional_effects(&effects, &body.exprs, id));
        parts.map(|part| (part, Mark::Value(temporary_name(program, body, part)))).collect()
    });
}

/// The operands of an operator that it may leave out, if one of them has effects.
fn conditional_effects(effects: &Effects, exprs: &ExprArena, id: ExprId) -> Vec<ExprId> {
    let parts = candidates(exprs, id);
    if parts.iter().any(|p| effects.expr(exprs, *p)) { parts } else { Vec::new() }
}

/// The operands of an operator that it may leave out, if one of them calls or assigns something.
fn candidates(exprs: &ExprArena, id: ExprId) -> Vec<ExprId> {
    let parts = match exprs[id].kind {
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, _, b) if exprs[id].ty == TypeId::BOOL => vec![b],
        ExprKind::Select(c, a, b) if exprs[c].ty == TypeId::BOOL => vec![a, b],
        _ => return Vec::new(),
    };
    if parts.iter().all(|p| is_pure(exprs, *p)) { Vec::new() } else { parts }
}
