//! What an operator leaves out is left out by an `if`, where it has effects.
//!
//! Before: `a && f();        bool b = a || f();                        x = c ? f() : 0;`
//! After:  `if (a) f();      bool test = a;  if (!test) test = f();    int selected;  if (c) selected = f(); else selected = 0;`
//!
//! HLSL before version 2021, and what DXC makes SPIR-V of in any version, evaluate both operands of `&&`, `||` and `?:`. In WGSL a
//! choice is a call, which evaluates both values.
//!
//! It stands after whatever makes calls.

use super::hoist::{Mark, hoist_all, temporary_name};
use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::analyses::is_pure;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "short_circuit",
    removes: &[
        (
            Capability::ShortCircuit,
            Find::at(ExprKinds::BINARY.or(ExprKinds::SELECT), |p, e, id| acts(p, e, id, Capability::ShortCircuit)),
        ),
        (
            Capability::LazyConditionals,
            Find::at(ExprKinds::BINARY.or(ExprKinds::SELECT), |p, e, id| acts(p, e, id, Capability::LazyConditionals)),
        ),
    ],
    after: &["inline_builtins", "flatten"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let effects = cx.effects();
    let profile = cx.profile;
    hoist_all(cx, &mut |program, body| {
        let lacked = |id: &ExprId| needed(&body.exprs, *id).is_some_and(|(need, _)| !profile.has(need));
        let operators = body.expressions().into_iter().filter(lacked);
        let parts = operators.flat_map(|id| conditional_effects(&effects, &body.exprs, id));
        parts.map(|part| (part, Mark::Value(temporary_name(program, body, part)))).collect()
    });
}

/// Whether an operator that needs this leaves out what has effects.
fn acts(program: &Program, exprs: &ExprArena, id: ExprId, need: Capability) -> bool {
    left_out(program, exprs, id) == Some(need)
}

/// What an operator needs that leaves out what has effects.
pub(super) fn left_out(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<Capability> {
    let (need, parts) = needed(exprs, id)?;
    let acts =
        !parts.iter().all(|p| is_pure(exprs, *p)) && !conditional_effects(&program.effects(), exprs, id).is_empty();
    acts.then_some(need)
}

/// The operands of an operator that it may leave out, if one of them has effects.
fn conditional_effects(effects: &Effects, exprs: &ExprArena, id: ExprId) -> Vec<ExprId> {
    let parts = needed(exprs, id).map(|(_, parts)| parts).unwrap_or_default();
    if parts.iter().any(|p| effects.expr(exprs, *p)) { parts } else { Vec::new() }
}

/// The operands of an operator that it may leave out, and what leaves them out.
fn needed(exprs: &ExprArena, id: ExprId) -> Option<(Capability, Vec<ExprId>)> {
    match exprs[id].kind {
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, _, b) if exprs[id].ty == TypeId::BOOL => {
            Some((Capability::ShortCircuit, vec![b]))
        }
        ExprKind::Select(c, a, b) if exprs[c].ty == TypeId::BOOL => Some((Capability::LazyConditionals, vec![a, b])),
        _ => None,
    }
}
