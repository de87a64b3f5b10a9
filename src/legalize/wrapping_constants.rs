//! Constants that are too large for their type are what wraps around.
//!
//! Before: `1 << 31`        `65536 * 65536 + n`    `uint(0 - 1)`
//! After:  `-2147483648`    `0 + n`                `0xFFFFFFFFu`
//!
//! A target without the capability computes constants without bounds and refuses those that leave their type.

use super::needs::Find;
use super::{Context, Pass};
use crate::check::constant::{Value, eval};
use crate::target::Capability;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "wrapping_constants",
    removes: &[(Capability::WrappingConstants, Find::Expr(wraps))],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    cx.each_exprs(&mut |cx, exprs, live| fold(cx.program, exprs, live));
}

fn fold(program: &mut Program, exprs: &mut ExprArena, live: &[ExprId]) {
    // Children come before their parents.
    for &id in live {
        if wraps(program, exprs, id)
            && let Ok(value) = eval(program, exprs, id)
            && let Expr { ty, span, .. } = exprs[id]
            && let Some(folded) = value.to_expr(exprs, program, ty, span)
        {
            exprs.replace_by(id, folded);
        }
    }
}

/// Whether an operator or conversion gives another number than it would without bounds.
fn wraps(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let Some(scalar) = program.types.component(exprs[id].ty).filter(|s| s.is_integer()) else { return false };
    match exprs[id].kind {
        ExprKind::Binary(
            op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Shl),
            a,
            b,
        ) => {
            let value = |e| eval(program, exprs, e).ok();
            value(a).zip(value(b)).is_some_and(|(a, b)| leaves(op, &a, &b, scalar))
        }
        ExprKind::Unary(UnaryOp::Negate, inner) if scalar.is_signed() => {
            let zero = Value::Int(0, scalar);
            eval(program, exprs, inner).is_ok_and(|value| leaves(BinaryOp::Sub, &zero, &value, scalar))
        }
        // A named constant has its type; literals have none yet, and a negative one is not unsigned.
        ExprKind::Convert(inner, _) if scalar.is_unsigned() => {
            let named = |e: ExprId| matches!(exprs[e].kind, ExprKind::Global(_));
            let source = program.types.component(exprs[inner].ty);
            source.is_some_and(|s| s.is_integer() && s.is_signed())
                && eval(program, exprs, inner).is_ok_and(|v| v.int().is_some_and(|n| n < 0))
                && !exprs.post_order(inner).into_iter().any(named)
        }
        _ => false,
    }
}

/// Whether a result is no number of the scalar type.
fn leaves(op: BinaryOp, a: &Value, b: &Value, scalar: Scalar) -> bool {
    match (a, b) {
        (Value::Composite(a), Value::Composite(b)) => a.iter().zip(b).any(|(a, b)| leaves(op, a, b, scalar)),
        (Value::Composite(a), b) => a.iter().any(|a| leaves(op, a, b, scalar)),
        (a, Value::Composite(b)) => b.iter().any(|b| leaves(op, a, b, scalar)),
        (Value::Int(a, _), Value::Int(b, _)) => {
            let bits = scalar.size() * 8;
            let (a, b) = (i128::from(*a), i128::from(*b));
            let exact = match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                BinaryOp::Div => a.checked_div(b).unwrap_or(0),
                _ => a << b.clamp(0, 63),
            };
            let (least, most) = match scalar.is_unsigned() {
                true => (0, (1_i128 << bits) - 1),
                false => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            };
            !(least..=most).contains(&exact)
        }
        _ => false,
    }
}
