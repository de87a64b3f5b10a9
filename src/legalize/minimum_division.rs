//! Signed integers of minimum precision are divided as integers of 32 bits.
//!
//! Before: `min16int c = a / b;                         a %= b;`
//! After:  `min16int c = min16int(int(a) / int(b));     a = min16int(int(a) % int(b));`
//!
//! DXC has no division of its own for them.

use super::float_remainder::name_targets;
use super::needs::Find;
use super::{Context, Pass, lower_matrix_ops};
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "minimum_division",
    removes: &[(Capability::MinimumDivision, Find::at(ExprKinds::BINARY_OPERATORS, divides))],
    after: &["lower_matrix_ops"],
    run,
    ..Pass::ROW
};

fn divides(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let (ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, ..)
    | ExprKind::Assign(Some(BinaryOp::Div | BinaryOp::Rem), ..)) = exprs[id].kind
    else {
        return false;
    };
    matches!(program.types.component(exprs[id].ty), Some(Scalar::MinI16 | Scalar::MinI12))
}

fn run(cx: &mut Context) {
    name_targets(cx, &|program, _, body| {
        body.expressions().into_iter().filter(|id| divides(program, &body.exprs, *id)).collect()
    });
    cx.each_exprs(&mut |cx, exprs, live| {
        for id in live {
            if divides(cx.program, exprs, *id) {
                widen(&mut cx.program.types, exprs, *id);
            }
        }
    });
}

fn widen(types: &mut Types, exprs: &mut ExprArena, id: ExprId) {
    let Expr { ref kind, ty, span } = exprs[id];
    let (op, a, b, target) = match *kind {
        ExprKind::Binary(op, a, b) => (op, a, b, None),
        ExprKind::Assign(Some(op), target, b) => (op, target, b, Some(target)),
        _ => return,
    };
    let a = if target.is_some() { lower_matrix_ops::read_of(&mut Build::new(types, exprs, span), a) } else { a };
    // Written out: beside a literal the other operand decides.
    let [a, b] = [a, b].map(|operand| {
        let ty = wide(types, exprs[operand].ty);
        exprs.push(Expr { kind: ExprKind::Convert(operand, true), ty, span })
    });
    let whole = wide(types, ty);
    let mut build = Build::new(types, exprs, span);
    let quotient = build.add(ExprKind::Binary(op, a, b), whole);
    exprs[id].kind = match target {
        None => ExprKind::Convert(quotient, false),
        Some(target) => {
            let value = exprs.push(Expr { kind: ExprKind::Convert(quotient, false), ty, span });
            ExprKind::Assign(None, target, value)
        }
    };
}

/// A number, vector or matrix of the same shape with 32 bits.
fn wide(types: &mut Types, ty: TypeId) -> TypeId {
    match types.get(ty) {
        Type::Vector(_, n) => types.vector(Scalar::I32, n),
        Type::Matrix(_, rows, columns) => types.intern(Type::Matrix(Scalar::I32, rows, columns)),
        _ => TypeId::INT,
    }
}
