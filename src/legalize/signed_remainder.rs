//! `%` on signed integers as a function, where an operand may be negative.
//!
//! Before: `i % n`
//! After:  `remainder(i, n)` with `int remainder(int x, int y) { return x - y * (x / y); }`
//!
//! The sign is that of the left operand, as in HLSL; a target without the capability says nothing of negative operands. What
//! counts up from zero, comes from a system value, or is a mask or remainder of such is known not to be negative and stays.
//!
//! glslang computes the remainder of constants of 16 bits in 8 ([`of_short_constants`]): that is hidden from it, too.

use super::float_remainder::{call, helper, list, name_targets};
use super::hidden_constants::is_constant;
use super::needs::Find;
use super::{Context, Pass};
use crate::check::constant::eval;
use crate::target::Capability;
use crate::tree::analyses::Ranges;
use crate::tree::*;
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "signed_remainder",
    removes: &[(
        Capability::SignedRemainder,
        Find::body(ExprKinds::BINARY_OPERATORS, |p, id, body, live| {
            doubtful(p, &p.ranges(), id, body, live).first().map(|e| body.exprs[*e].span)
        }),
    )],
    adds: &[Capability::ArgumentsInOrder],
    after: &["lower_matrix_ops", "entry_points"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let mut functions = BTreeMap::new();
    // Less is known of a variable whose value is a call now.
    let mut changed = true;
    while std::mem::take(&mut changed) {
        let ranges = cx.program.ranges();
        name_targets(cx, &|program, id, body| doubtful(program, &ranges, id, body, &body.expressions()));
        let ranges = cx.program.ranges();
        cx.each_body(&mut |cx, id, body| {
            for id in doubtful(cx.program, &ranges, id, body, &body.expressions()) {
                let Expr { ty, span, .. } = body.exprs[id];
                changed = true;
                // One of constants may have to stay one: it is its value.
                let value =
                    eval(cx.program, &body.exprs, id).ok().filter(|_| !of_short_constants(cx.program, &body.exprs, id));
                if let Some(value) = value.and_then(|v| v.to_expr(&mut body.exprs, cx.program, ty, span)) {
                    body.exprs.replace_by(id, value);
                    continue;
                }
                let function = *functions.entry(ty).or_insert_with(|| helper(cx, ty));
                call(&mut cx.program.types, body, id, function);
            }
        });
    }
    list(cx, functions.into_values());
}

/// The remainders of a body of which an operand may be negative.
fn doubtful(program: &Program, ranges: &Ranges, function: FunctionId, body: &Body, live: &[ExprId]) -> Vec<ExprId> {
    let remainder = |id: ExprId| match body.exprs[id].kind {
        ExprKind::Binary(BinaryOp::Rem, a, b) | ExprKind::Assign(Some(BinaryOp::Rem), a, b) => Some((a, b)),
        _ => None,
    };
    let signed = |id: ExprId| program.types.component(body.exprs[id].ty).is_some_and(Scalar::is_signed);
    let found: Vec<ExprId> = live.iter().copied().filter(|id| remainder(*id).is_some() && signed(*id)).collect();
    if found.is_empty() {
        return found;
    }
    let short = |id: ExprId| of_short_constants(program, &body.exprs, id);
    let positive = |id: ExprId| ranges.of(program, function, &body.exprs, id).is_some_and(|(least, _)| least >= 0);
    let doubt = |id: ExprId| remainder(id).is_some_and(|(a, b)| !(positive(a) && positive(b)));
    found.into_iter().filter(|id| doubt(*id) || short(*id)).collect()
}

/// Whether an expression is the remainder of constants of 16 bits with a sign.
pub(super) fn of_short_constants(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    matches!(exprs[id].kind, ExprKind::Binary(BinaryOp::Rem, ..))
        && program.types.component(exprs[id].ty) == Some(Scalar::I16)
        && is_constant(program, exprs, id)
}
