//! Constants that are too large for their type are what wraps around.
//!
//! Before: `1 << 31`        `65536 * 65536 + n`    `uint(0 - 1)`
//! After:  `-2147483648`    `0 + n`                `0xFFFFFFFFu`
//!
//! Labels of cases that name local constants are values where these are used elsewhere ([`case_constants`]).
//!
//! A target without the capability computes constants without bounds and refuses those that leave their type. What it computes
//! of builtins is not known here: it is hidden from it (`max(a, b) - zero + 1`, with a variable that is zero).

use super::hidden_constants::{
    declare, evaluates, indexed, is_clamped, is_clamped_among, is_constant, is_constant_to_some, is_finite, obscure,
};
use super::needs::{Find, callee};
use super::{Context, Pass};
use super::{case_constants, known_operands};
use crate::check::constant::{Value, about, eval, leaves, shifts_out, whole_shift};
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "wrapping_constants",
    removes: &[
        (Capability::WrappingConstants, Find::at(ExprKinds::BINARY.or(ExprKinds::UNARY).or(ExprKinds::CONVERT), wraps)),
        (Capability::WrappingConstants, Find::at(ExprKinds::BINARY_OPERATORS, is_whole_shift)),
        (
            Capability::WrappingConstants,
            Find::at(ExprKinds::BINARY_OPERATORS.or(ExprKinds::UNARY), |p, exprs, id| {
                unknown_operand(p, exprs, id).is_some()
            }),
        ),
        (
            Capability::WrappingConstants,
            Find::body(ExprKinds::INDEX.or(ExprKinds::NATIVE), |p, _, body, live| {
                beyond(p, body, live).first().map(|index| body.exprs[*index].span)
            }),
        ),
        (
            Capability::WrappingConstants,
            Find::body(ExprKinds::BINARY_OPERATORS, |p, _, body, live| {
                known_operands::refused(p, body, live).first().map(|operand| body.exprs[*operand].span)
            }),
        ),
        (
            Capability::WrappingConstants,
            Find::body(ExprKinds::ALL, |p, _, body, live| {
                case_constants::used_elsewhere(p, body, live).first().map(|(label, _)| body.exprs[*label].span)
            }),
        ),
    ],
    // What a shift leaves nothing of is evaluated nevertheless.
    adds: &[Capability::AssignmentExpressions],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    cx.each_exprs(&mut |cx, exprs, live| {
        fold(cx.program, exprs, live);
        shift(cx.program, exprs, live);
    });
    let mut zeros = cx.notes.zeros.clone();
    cx.each_body(&mut |cx, _, body| {
        let labels = case_constants::used_elsewhere(cx.program, body, &body.expressions());
        case_constants::replace(cx.program, body, labels);
        for id in body.expressions() {
            if let Some(operand) = unknown_operand(cx.program, &body.exprs, id) {
                obscure(cx.program, &mut body.exprs, operand, &mut zeros);
            }
        }
        for index in beyond(cx.program, body, &body.expressions()) {
            obscure(cx.program, &mut body.exprs, index, &mut zeros);
        }
        for operand in known_operands::refused(cx.program, body, &body.expressions()) {
            obscure(cx.program, &mut body.exprs, operand, &mut zeros);
        }
    });
    declare(cx, zeros);
}

/// Indices in which a variable is named whose one value has them beyond what is indexed, or who knows where: a target may compute
/// the value.
pub(super) fn beyond(program: &Program, body: &Body, live: &[ExprId]) -> Vec<ExprId> {
    let named = |id: &ExprId| {
        let (count, index) = indexed(program, &body.exprs, *id)?;
        let is_local = |e: ExprId| matches!(body.exprs[e].kind, ExprKind::Local(_));
        body.exprs.any_part(index, is_local).then_some((count, index))
    };
    let indices: Vec<(i64, ExprId)> = live.iter().filter_map(named).collect();
    if indices.is_empty() {
        return Vec::new();
    }
    let written = program.written_among(&body.exprs, live);
    // What a written variable is a part of has no value of its own, unless it is chosen away.
    let varies = |index: ExprId| evaluates(&body.exprs, index, &|local| written.contains(&local));
    let indices: Vec<(i64, ExprId)> = indices.into_iter().filter(|(_, index)| !varies(*index)).collect();
    if indices.is_empty() {
        return Vec::new();
    }
    // The value of a variable, which may be known to the target alone.
    let mut values: BTreeMap<LocalId, Option<Value>> = BTreeMap::new();
    body.block.visit(&mut |stmt| {
        if let StmtKind::Local(local, Some(init)) = stmt.kind
            && !written.contains(&local)
        {
            let known = |local: LocalId| values.get(&local).cloned().flatten();
            let clamps = clamps(program, body, init, &known);
            // What becomes of a NaN is known to the target alone.
            let value = about(program, &body.exprs, init, &known).ok().filter(|value| !clamps && is_finite(value));
            if value.is_some() || is_constant_to_some(program, &body.exprs, init, &|l| values.contains_key(&l)) {
                values.insert(local, value);
            }
        }
    });
    let known = |local: LocalId| values.get(&local).cloned().flatten();
    let is_beyond = |(count, index): &(i64, ExprId)| match about(program, &body.exprs, *index, &known) {
        Ok(value) => {
            value.int().is_some_and(|value| !(0..*count).contains(&value)) || clamps(program, body, *index, &known)
        }
        Err(_) => is_constant_to_some(program, &body.exprs, *index, &|l| values.contains_key(&l)),
    };
    indices.into_iter().filter(is_beyond).map(|(_, index)| index).collect()
}

/// Whether an expression converts a float to an integer of a kind that has no such number.
fn clamps(program: &Program, body: &Body, root: ExprId, known: &dyn Fn(LocalId) -> Option<Value>) -> bool {
    body.exprs.any_part(root, |part| is_clamped_among(program, &body.exprs, part, known))
}

/// Whether the value of a variable or constant has such an operator, which nothing hides outside of functions.
pub(super) fn is_unknown_value(program: &Program, global: &Global) -> bool {
    let unknown =
        |tree: &ExprTree| tree.exprs.any_part(tree.root, |id| unknown_operand(program, &tree.exprs, id).is_some());
    matches!(global.kind, GlobalKind::Static | GlobalKind::Const) && global.init.as_ref().is_some_and(unknown)
}

/// The operand of an operator on integers that is a constant to the target alone, and for which it may refuse the operator.
fn unknown_operand(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<ExprId> {
    if !program.types.component(exprs[id].ty).is_some_and(Scalar::is_integer) {
        return None;
    }
    let unknown = |e: &ExprId| is_unknown(program, exprs, *e);
    match exprs[id].kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
            let both = is_constant(program, exprs, a) && is_constant(program, exprs, b);
            [a, b].into_iter().find(unknown).filter(|_| both && !stays(program, exprs, id))
        }
        ExprKind::Binary(BinaryOp::Shl, a, b) if !unknown(&b) => {
            Some(a).filter(unknown).filter(|_| is_constant(program, exprs, b))
        }
        // The least number by -1. Where nobody knows the divisor, it is hidden below, and that is enough.
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, a, b)
            if unknown(&a) && !unknown(&b) && is_constant(program, exprs, b) =>
        {
            Some(a)
        }
        ExprKind::Binary(op, _, b) | ExprKind::Assign(Some(op), _, b)
            if matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr) =>
        {
            // naga looks at the components of a vector one by one.
            let parts = if let ExprKind::Construct(parts) = &exprs[b].kind { parts.as_slice() } else { &[] };
            Some(b).filter(|b| unknown(b) || parts.iter().any(unknown))
        }
        ExprKind::Unary(UnaryOp::Negate, a) => Some(a).filter(unknown),
        _ => None,
    }
}

/// Whether an operator on what common builtins give is known to give a number of its type.
fn stays(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let (ExprKind::Binary(op, a, b), Type::Scalar(scalar)) = (&exprs[id].kind, program.types.get(exprs[id].ty)) else {
        return false;
    };
    let Some((a, b)) = common(program, exprs, *a).zip(common(program, exprs, *b)) else { return false };
    let value = |n| Value::Int(n, scalar);
    [a.0, a.1].into_iter().all(|a| [b.0, b.1].into_iter().all(|b| !leaves(*op, &value(a), &value(b), scalar)))
}

/// The least and the largest value of an integer constant that may be made of calls of `min`, `max` and `clamp`, and of numbers
/// that functions of floats give, which a target may compute a little differently.
fn common(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<(i64, i64)> {
    if let Some(tree) = constant(program, exprs, id) {
        return common(program, &tree.exprs, tree.root);
    }
    if let ExprKind::Binary(op, a, b) = exprs[id].kind {
        let (a, b) = (common(program, exprs, a)?, common(program, exprs, b)?);
        let join: fn(i64, i64) -> Option<i64> = match op {
            BinaryOp::Add => i64::checked_add,
            BinaryOp::Sub => i64::checked_sub,
            BinaryOp::Mul => i64::checked_mul,
            _ => return None,
        };
        let ends = [join(a.0, b.0)?, join(a.0, b.1)?, join(a.1, b.0)?, join(a.1, b.1)?];
        return ends.iter().min().copied().zip(ends.iter().max().copied());
    }
    if let ExprKind::Convert(inner, _) = exprs[id].kind
        && let Some(number) = float(program, exprs, inner)
    {
        let whole = number.trunc() as i64;
        return Some((whole - 1, whole + 1));
    }
    let Some((function, args)) = callee(program, exprs, id).filter(|(f, _)| f.builtin) else {
        let value = eval(program, exprs, id).ok()?.int()?;
        return Some((value, value));
    };
    let values: Vec<(i64, i64)> = args.iter().map(|a| common(program, exprs, *a)).collect::<Option<_>>()?;
    match (function.computes()?, values.as_slice()) {
        ("min", [a, b]) => Some((a.0.min(b.0), a.1.min(b.1))),
        ("max", [a, b]) => Some((a.0.max(b.0), a.1.max(b.1))),
        ("clamp", [v, least, most]) => Some((v.0.max(least.0).min(most.0), v.1.max(least.1).min(most.1))),
        _ => None,
    }
}

/// About what functions of floats give for a constant, if that is no large number.
fn float(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<f64> {
    match about(program, exprs, id, &|_| None) {
        Ok(Value::Float(number, _)) if number.abs() < 1e6 => Some(number),
        _ => None,
    }
}

/// The value of a named constant.
fn constant<'p>(program: &'p Program, exprs: &ExprArena, id: ExprId) -> Option<&'p ExprTree> {
    let ExprKind::Global(global) = exprs[id].kind else { return None };
    let global = &program.globals[global];
    global.init.as_ref().filter(|_| global.kind == GlobalKind::Const)
}

/// Whether the target may compute an expression while it compiles, and we do not, or to another number.
pub(super) fn is_unknown(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let all = exprs.post_order(id);
    if all.iter().any(|e| is_clamped(program, exprs, *e)) {
        return is_constant(program, exprs, id);
    }
    let calls = |e: ExprId| match exprs[e].kind {
        ExprKind::Call(..) => true,
        _ => constant(program, exprs, e).is_some_and(|tree| is_unknown(program, &tree.exprs, tree.root)),
    };
    all.into_iter().any(calls) && is_constant(program, exprs, id) && eval(program, exprs, id).is_err()
}

/// Puts the values in the place of operators that wrap around.
pub(super) fn fold(program: &mut Program, exprs: &mut ExprArena, live: &[ExprId]) {
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

/// Whether a number is shifted by a constant that leaves none of its bits: of a type or generic argument that the checker did not
/// know.
fn is_whole_shift(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    match exprs[id].kind {
        ExprKind::Binary(op, a, b) | ExprKind::Assign(Some(op), a, b) => shifts_out(program, exprs, op, a, b),
        _ => false,
    }
}

fn shift(program: &mut Program, exprs: &mut ExprArena, live: &[ExprId]) {
    for &id in live {
        match exprs[id].kind {
            ExprKind::Binary(op, a, b) => {
                if let Some(value) = whole_shift(program, exprs, op, a, b) {
                    exprs.replace_by(id, value);
                }
            }
            ExprKind::Assign(Some(op), target, b) if shifts_out(program, exprs, op, target, b) => {
                let old = exprs.duplicate(target);
                let Some(value) = whole_shift(program, exprs, op, old, b) else { continue };
                exprs[id].kind = match exprs[value].kind {
                    ExprKind::Binary(same, _, by) if same == op => ExprKind::Assign(Some(op), target, by),
                    _ => ExprKind::Assign(None, target, value),
                };
            }
            _ => {}
        }
    }
}

/// Whether an operator or conversion gives another number than it would without bounds.
fn wraps(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let Some(scalar) = program.types.component(exprs[id].ty).filter(|s| s.is_integer()) else { return false };
    match exprs[id].kind {
        ExprKind::Binary(
            op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl),
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
                && !exprs.any_part(inner, named)
        }
        _ => false,
    }
}
