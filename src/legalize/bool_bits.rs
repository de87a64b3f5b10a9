//! Bit operators on bools become logical ones.
//!
//! Before: `any |= x > 0;                a ^ b         v & w  (bool2)`
//! After:  `any = any || x > 0;          a != b        bool2(uint2(v) & uint2(w))`
//!
//! Both sides of a bit operator are evaluated; where the right side has effects, or is a vector, the bits of numbers are
//! taken instead.

use super::hoist::{Marks, hoist_all};
use super::lower_properties::mark_for_repetition;
use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::{BinaryOp, Build, Effects, ExprArena, ExprId, ExprKind, ExprKinds, Scalar, Type, Types};

pub(super) const PASS: Pass = Pass {
    name: "bool_bits",
    removes: &[
        (
            Capability::BoolBitOperators,
            Find::at(ExprKinds::BINARY_OPERATORS, |p, e, id| {
                need(&p.types, e, id) == Some(Capability::BoolBitOperators)
            }),
        ),
        (
            Capability::BoolXor,
            Find::at(ExprKinds::BINARY_OPERATORS, |p, e, id| need(&p.types, e, id) == Some(Capability::BoolXor)),
        ),
    ],
    // Rows of a matrix are put together.
    adds: &[Capability::MatrixParts],
    after: &["inline_builtins"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let (effects, profile) = (cx.effects(), cx.profile);
    let lacks = |types: &Types, exprs: &ExprArena, id| need(types, exprs, id).is_some_and(|c| !profile.has(c));
    hoist_all(cx, &mut |program, body| {
        let mut marks = Marks::default();
        for id in body.expressions() {
            if let ExprKind::Assign(_, target, _) = body.exprs[id].kind
                && lacks(&program.types, &body.exprs, id)
            {
                mark_for_repetition(program, body, target, &mut marks);
            }
        }
        marks
    });
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            if lacks(types, exprs, id) {
                without_assignment(types, exprs, &effects, id);
                binary(types, exprs, &effects, id);
            }
        }
    });
}

/// What a bit operator on bools needs.
fn need(types: &Types, exprs: &ExprArena, id: ExprId) -> Option<Capability> {
    let (ExprKind::Binary(op, operand, _) | ExprKind::Assign(Some(op), operand, _)) = exprs[id].kind else {
        return None;
    };
    let capability = match op {
        BinaryOp::BitAnd | BinaryOp::BitOr => Capability::BoolBitOperators,
        BinaryOp::BitXor => Capability::BoolXor,
        _ => return None,
    };
    (types.component(exprs[operand].ty) == Some(Scalar::Bool)).then_some(capability)
}

/// `a |= b` is `a = a | b`.
fn without_assignment(types: &mut Types, exprs: &mut ExprArena, effects: &Effects, id: ExprId) {
    let ExprKind::Assign(Some(op), target, value) = exprs[id].kind else { return };
    let old = exprs.duplicate(target);
    let span = exprs[id].span;
    let new = Build::new(types, exprs, span).binary(op, old, value);
    binary(types, exprs, effects, new);
    exprs[id].kind = ExprKind::Assign(None, target, new);
}

fn binary(types: &mut Types, exprs: &mut ExprArena, effects: &Effects, id: ExprId) {
    let ExprKind::Binary(op, a, b) = exprs[id].kind else { return };
    let ty = exprs[id].ty;
    if matches!(types.get(ty), Type::Scalar(_)) && !effects.expr(exprs, b) {
        let logical = match op {
            BinaryOp::BitAnd => BinaryOp::And,
            BinaryOp::BitOr => BinaryOp::Or,
            _ => BinaryOp::NotEqual,
        };
        exprs[id].kind = ExprKind::Binary(logical, a, b);
        return;
    }
    let number = match types.get(ty) {
        Type::Vector(_, n) => types.vector(Scalar::U32, n),
        Type::Matrix(_, r, c) => types.matrix(Scalar::U32, r, c),
        _ => types.scalar(Scalar::U32),
    };
    let span = exprs[id].span;
    let mut build = Build::new(types, exprs, span);
    let (a, b) = (build.convert(a, number), build.convert(b, number));
    let bits = build.add(ExprKind::Binary(op, a, b), number);
    exprs[id].kind = ExprKind::Convert(bits, false);
}
