//! Shifts by constants that are as wide as the operand, or wider, which no target defines: nothing is left of a number but its
//! sign.

use super::super::convert::wrap;
use super::{Value, eval};
use crate::tree::{BinaryOp, Expr, ExprArena, ExprId, ExprKind, Program, Scalar};

/// Whether an operator shifts some component of a type by a constant that is none of its bits.
pub fn shifts_out(program: &Program, exprs: &ExprArena, op: BinaryOp, left: ExprId, right: ExprId) -> bool {
    let scalar = program.types.component(exprs[left].ty).filter(|s| s.is_integer());
    let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
    scalar.filter(|_| is_shift).is_some_and(|scalar| is_wide(program, exprs, right, scalar))
}

/// Whether a distance is a constant of which some component leaves no bit of a kind of integers.
pub fn is_wide(program: &Program, exprs: &ExprArena, distance: ExprId, scalar: Scalar) -> bool {
    eval(program, exprs, distance).is_ok_and(|distance| any(&distance, &|n| is_out(n, scalar)))
}

/// The value of such a shift: zero, or what the sign fills; of some components alone, where the others are shifted by less.
pub fn whole_shift(
    program: &mut Program,
    exprs: &mut ExprArena,
    op: BinaryOp,
    left: ExprId,
    right: ExprId,
) -> Option<ExprId> {
    if !shifts_out(program, exprs, op, left, right) {
        return None;
    }
    let (ty, span) = (exprs[left].ty, exprs[right].span);
    let scalar = program.types.component(ty)?;
    let by = exprs[right].ty;
    let distance = eval(program, exprs, right).ok()?;
    if op == BinaryOp::Shr && scalar.is_signed() {
        let most = i64::from(scalar.size()) * 8 - 1;
        let least = map(&distance, &|n, kind| (if is_out(n, scalar) { most } else { n }, kind));
        let least = least.to_expr(exprs, program, by, span)?;
        return Some(exprs.push(Expr { kind: ExprKind::Binary(op, left, least), ty, span }));
    }
    if any(&distance, &|n| !is_out(n, scalar)) {
        let others = map(&distance, &|n, kind| (if is_out(n, scalar) { 0 } else { n }, kind));
        let mask = map(&distance, &|n, _| (if is_out(n, scalar) { 0 } else { wrap(-1, scalar) }, scalar));
        let (others, mask) = (others.to_expr(exprs, program, by, span)?, mask.to_expr(exprs, program, ty, span)?);
        let shifted = exprs.push(Expr { kind: ExprKind::Binary(op, left, others), ty, span });
        return Some(exprs.push(Expr { kind: ExprKind::Binary(BinaryOp::BitAnd, shifted, mask), ty, span }));
    }
    let zero = crate::tree::Build::new(&mut program.types, exprs, span).number(0, ty);
    let acts = |kind: &ExprKind| matches!(kind, ExprKind::Call(..) | ExprKind::Assign(..) | ExprKind::Step(..));
    let kept = exprs.any_part(left, |e| acts(&exprs[e].kind));
    Some(if kept { exprs.push(Expr { kind: ExprKind::Comma(left, zero), ty, span }) } else { zero })
}

/// A constant distance of which only the bits count that are one, as in HLSL; `None` where it is one already.
pub fn masked_distance(
    program: &mut Program,
    exprs: &mut ExprArena,
    op: BinaryOp,
    left: ExprId,
    right: ExprId,
) -> Option<ExprId> {
    if !shifts_out(program, exprs, op, left, right) {
        return None;
    }
    let last = i64::from(program.types.component(exprs[left].ty)?.size()) * 8 - 1;
    let distance = map(&eval(program, exprs, right).ok()?, &|n, kind| (n & last, kind));
    distance.to_expr(exprs, program, exprs[right].ty, exprs[right].span)
}

/// Whether a distance leaves no bit of a kind of integers.
fn is_out(distance: i64, scalar: Scalar) -> bool {
    !(0..i64::from(scalar.size()) * 8).contains(&distance)
}

fn any(value: &Value, is: &dyn Fn(i64) -> bool) -> bool {
    match value {
        Value::Composite(parts) => parts.iter().any(|part| any(part, is)),
        Value::Int(n, _) => is(*n),
        _ => false,
    }
}

fn map(value: &Value, to: &dyn Fn(i64, Scalar) -> (i64, Scalar)) -> Value {
    match value {
        Value::Composite(parts) => Value::Composite(parts.iter().map(|part| map(part, to)).collect()),
        Value::Int(n, kind) => {
            let (n, kind) = to(*n, *kind);
            Value::Int(n, kind)
        }
        other => other.clone(),
    }
}
