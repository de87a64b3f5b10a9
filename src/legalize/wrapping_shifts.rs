//! Shifts of HLSL take the low bits of their distance alone (D3D11.3 functional specification, "ishl", "ushr"); elsewhere one by
//! the width of the number, or more, may give anything.
//!
//! Before: `x << n`
//! After:  `x << (n & 31u)`, where `n` is not known to be less
//!
//! Constants, masks, remainders and the counters of loops tell how far a shift goes at most; so do the arguments of all calls.

use super::needs::Find;
use super::{Context, Pass};
use crate::check::constant::eval;
use crate::target::Capability;
use crate::tree::analyses::Ranges;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "wrapping_shifts",
    removes: &[(
        Capability::WrappingShifts,
        Find::body(ExprKinds::BINARY_OPERATORS, |p, id, body, live| {
            let ranges = p.ranges();
            live.iter().find(|e| wide(p, &ranges, id, body, **e).is_some()).map(|e| body.exprs[*e].span)
        }),
    )],
    // The counters of loops are known as long as these stand as they did.
    after: &["dead_code", "resolve_resources", "entry_points"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let ranges = cx.program.ranges();
    cx.each_body(&mut |cx, id, body| {
        for shift in body.expressions() {
            let Some((distance, most)) = wide(cx.program, &ranges, id, body, shift) else { continue };
            let Expr { ty, span, .. } = body.exprs[distance];
            let mask = Build::new(&mut cx.program.types, &mut body.exprs, span).number(most, ty);
            let inner = body.exprs.displace(distance);
            body.exprs[distance].kind = ExprKind::Binary(BinaryOp::BitAnd, inner, mask);
        }
        // The passes behind this one need not know it.
        body.shifts_wrap = false;
    });
}

/// The distance of a shift that may be wider than the number, and the widest that is not.
fn wide(program: &Program, ranges: &Ranges, function: FunctionId, body: &Body, id: ExprId) -> Option<(ExprId, i64)> {
    let (number, distance) = match body.exprs[id].kind {
        ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, number, distance)
        | ExprKind::Assign(Some(BinaryOp::Shl | BinaryOp::Shr), number, distance)
            if body.shifts_wrap =>
        {
            (number, distance)
        }
        _ => return None,
    };
    let most = i64::from(program.types.component(body.exprs[number].ty)?.size()) * 8 - 1;
    let narrow = |(least, greatest): (i128, i128)| least >= 0 && greatest <= i128::from(most);
    let known = ranges.of(program, function, &body.exprs, distance).is_some_and(narrow);
    // What is constant was looked at before.
    (!known && eval(program, &body.exprs, distance).is_err()).then_some((distance, most))
}
