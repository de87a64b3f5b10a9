//! Literals without a suffix have no 32-bit type in HLSL (`literal int`, HLSL 2021 specification, "Literals"): operations on them
//! alone are made in 64 bits, and what shifts one by a variable amount is ambiguous. The tree has `int` there.

use crate::emit::expr::Exprs;
use crate::symbol::Symbol;
use crate::tree::{BinaryOp, ExprId, ExprKind, FunctionBody, Literal, Scalar, Type, UnaryOp};

/// Deeper expressions of literals alone are taken for typed ones.
const DEPTH: u32 = 16;

/// The value of an expression that HLSL takes for a literal integer. Where an operation leaves the range of `int`, its left
/// operand is written with a type, so the expression is none.
pub(super) fn value(ex: &Exprs, id: ExprId) -> Option<i32> {
    value_within(ex, id, DEPTH)
}

fn value_within(ex: &Exprs, id: ExprId, depth: u32) -> Option<i32> {
    if depth == 0 || !matches!(ex.ty(id), Type::Scalar(Scalar::I32)) {
        return None;
    }
    match *ex.kind(id) {
        // The smallest `int` has a spelling with a type.
        ExprKind::Literal(Literal::Int(value), _) => i32::try_from(value).ok().filter(|v| *v != i32::MIN),
        ExprKind::Zero => Some(0),
        // A literal of another kind is written as one of this.
        ExprKind::Convert(inner, _) => match *ex.kind(inner) {
            ExprKind::Literal(literal, _) => match ex.as_typed(inner, literal, Scalar::I32) {
                Literal::Int(value) => Some(value as i32).filter(|v| *v != i32::MIN),
                Literal::Float(_) | Literal::Bool(_) | Literal::Text(_) => None,
            },
            _ => None,
        },
        ExprKind::Unary(UnaryOp::Negate, inner) => value_within(ex, inner, depth - 1)?.checked_neg(),
        ExprKind::Unary(UnaryOp::BitNot, inner) => Some(!value_within(ex, inner, depth - 1)?),
        ExprKind::Binary(op, a, b) => exact(op, value_within(ex, a, depth - 1)?, value_within(ex, b, depth - 1)?),
        _ => None,
    }
}

/// Whether an expression is of literals alone, which HLSL computes without a type: of integers, or of floats.
pub(super) fn is_untyped(ex: &Exprs, id: ExprId) -> bool {
    is_untyped_within(ex, id, DEPTH)
}

fn is_untyped_within(ex: &Exprs, id: ExprId, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let is = |id: ExprId| is_untyped_within(ex, id, depth);
    let Type::Scalar(scalar @ (Scalar::I32 | Scalar::F32 | Scalar::MinF16 | Scalar::MinF10)) = ex.ty(id) else {
        return false;
    };
    match *ex.kind(id) {
        // A choice between literals is one whatever the condition is.
        ExprKind::Select(_, a, b) => is(a) && is(b),
        ExprKind::Comma(_, last) => is(last),
        // A builtin that is given literals alone gives one, unless it gives another kind of number.
        ExprKind::Call(f, ref args) if !args.is_empty() => {
            let intrinsic = matches!(ex.cx.program.functions[f].body, FunctionBody::Intrinsic(_));
            intrinsic && args.iter().all(|arg| is(*arg) && ex.type_id(*arg) == ex.type_id(id))
        }
        ExprKind::Zero => true,
        // A suffix is a type.
        ExprKind::Literal(literal, text) if says_type(ex, scalar, literal, text) => false,
        ExprKind::Convert(inner, _) if let ExprKind::Literal(literal, text) = *ex.kind(inner) => {
            // A literal of another kind is written as one of this.
            !says_type(ex, scalar, literal, text)
        }
        ExprKind::Convert(inner, false) => is(inner),
        ExprKind::Literal(Literal::Float(value), _) => scalar.is_float() && value.is_finite(),
        ExprKind::Unary(UnaryOp::Negate, inner) if scalar.is_float() => is(inner),
        ExprKind::Binary(_, a, b) if scalar.is_float() => is(a) && is(b),
        _ if value(ex, id).is_some() => true,
        // Of choices and builtins, whose values are not known here.
        ExprKind::Unary(UnaryOp::Negate | UnaryOp::BitNot, inner) => is(inner),
        ExprKind::Binary(op, a, b) => is(a) && is(b) && !wants_type(ex, op, a, b),
        _ => false,
    }
}

/// Whether the text of a literal has a suffix that says its type.
fn says_type(ex: &Exprs, scalar: Scalar, literal: Literal, text: Option<Symbol>) -> bool {
    ex.dialect.literals().says_type(scalar, literal, text.map(|text| text.as_str()))
}

/// Whether an expression of halves may be of floats where arguments choose, if DXC is not told of 16-bit types: a literal of `half`
/// then has a type of its own, which makes a `float` of the `half` beside it, and what is selected from a vector of them is of
/// floats.
pub(super) fn may_widen(ex: &Exprs, id: ExprId) -> bool {
    may_widen_within(ex, id, DEPTH)
}

fn may_widen_within(ex: &Exprs, id: ExprId, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let widens = |id: ExprId| may_widen_within(ex, id, depth);
    if ex.cx.program.types.component(ex.type_id(id)) != Some(Scalar::F16) {
        return false;
    }
    let is_scalar = matches!(ex.ty(id), Type::Scalar(_));
    match *ex.kind(id) {
        ExprKind::Literal(..) | ExprKind::Zero => is_scalar,
        ExprKind::Convert(inner, _) if is_scalar => matches!(ex.kind(inner), ExprKind::Literal(..)),
        // It is cut by a selection.
        ExprKind::Convert(inner, _) => matches!(ex.ty(inner), Type::Vector(Scalar::F16, _)),
        ExprKind::Swizzle(inner, _) => !is_scalar || widens(inner),
        ExprKind::Unary(_, inner) | ExprKind::Comma(_, inner) => widens(inner),
        // A number beside a vector may be written without the vector that it becomes.
        ExprKind::Binary(_, a, b) => [a, b].into_iter().any(|id| widens(id) || spreads_literal(ex, id)),
        ExprKind::Select(_, a, b) => widens(a) || widens(b),
        ExprKind::Call(f, ref args) => {
            let intrinsic = matches!(ex.cx.program.functions[f].body, FunctionBody::Intrinsic(_));
            intrinsic && args.iter().any(|arg| widens(*arg))
        }
        _ => false,
    }
}

/// A vector of one literal, such as `1.5.xxxx`, which may have become a conversion.
fn spreads_literal(ex: &Exprs, id: ExprId) -> bool {
    match *ex.kind(id) {
        ExprKind::Swizzle(inner, _) | ExprKind::Convert(inner, false) => {
            !matches!(ex.ty(id), Type::Scalar(_)) && matches!(ex.kind(inner), ExprKind::Literal(..))
        }
        _ => false,
    }
}

/// What an operation gives in 32 bits and in 64 alike.
fn exact(op: BinaryOp, a: i32, b: i32) -> Option<i32> {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        // The amount counts by its low five bits in 32-bit types alone.
        BinaryOp::Shl if (0..32).contains(&b) => i32::try_from(i64::from(a) << b).ok(),
        BinaryOp::Shr if (0..32).contains(&b) => Some(a >> b),
        BinaryOp::Shl | BinaryOp::Shr => None,
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => None,
    }
}

/// Whether the left operand has to say its type: a literal shifted by what is none, or an operation on two of them whose value
/// 64 bits hold and 32 do not.
pub(super) fn wants_type(ex: &Exprs, op: BinaryOp, a: ExprId, b: ExprId) -> bool {
    let Some(left) = value(ex, a) else {
        return matches!(op, BinaryOp::Shl | BinaryOp::Shr) && is_untyped(ex, a) && !is_untyped(ex, b);
    };
    match value(ex, b) {
        Some(right) => {
            let gives_bool = op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or);
            !gives_bool && exact(op, left, right).is_none()
        }
        None => matches!(op, BinaryOp::Shl | BinaryOp::Shr),
    }
}
