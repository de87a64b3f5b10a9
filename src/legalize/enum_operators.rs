//! Operators give numbers, and an `enum class` becomes one by a cast alone.
//!
//! Before: `Mode both = Mode::A | Mode::B;         int n = mode;       Mode m = c ? Mode::A : Mode::B;`
//! After:  `Mode both = (Mode)(Mode::A | Mode::B); int n = (int)mode;  Mode m = (Mode)(c ? Mode::A : Mode::B);`
//!
//! It stands before the passes that know choices of numbers, and again behind those that make choices.

use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::{
    Arena, BinaryOp, Enum, EnumId, Expr, ExprArena, ExprId, ExprKind, ExprKinds, Program, Type, TypeId, Types, UnaryOp,
};

pub(super) const PASS: Pass = Pass {
    name: "enum_operators",
    removes: &[(
        Capability::EnumOperators,
        Find::at(
            ExprKinds::BINARY.or(ExprKinds::UNARY).or(ExprKinds::SELECT).or(ExprKinds::CONVERT),
            |p, exprs, id| gives_enum(&p.types, exprs, id).is_some() || is_silent(p, exprs, id),
        ),
    )],
    after: &["lower_enums"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let tags: Arena<EnumId, Enum> = Arena::clone(&cx.program.enums);
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            if let Some(e) = gives_enum(types, exprs, id) {
                let tag = types.scalar(tags[e].tag);
                by_number(exprs, id, tag);
            }
        }
    });
    // The number of what has just become an enum is the number that it was.
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            if let ExprKind::Convert(inner, _) = exprs[id].kind
                && let Type::Enum(_) = types.get(exprs[inner].ty)
                && let ExprKind::Convert(number, false) = exprs[inner].kind
                && is_operator(&exprs[number].kind)
            {
                match exprs[number].ty == exprs[id].ty {
                    true => exprs.replace_by(id, number),
                    false => exprs[id].kind = ExprKind::Convert(number, false),
                }
            }
        }
    });
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            if let ExprKind::Convert(inner, false) = exprs[id].kind
                && matches!(types.get(exprs[inner].ty), Type::Enum(e) if tags[e].strict)
            {
                exprs[id].kind = ExprKind::Convert(inner, true);
            }
        }
    });
}

/// The enum that an operator gives.
fn gives_enum(types: &Types, exprs: &ExprArena, id: ExprId) -> Option<EnumId> {
    match types.get(exprs[id].ty) {
        Type::Enum(e) if is_operator(&exprs[id].kind) => Some(e),
        _ => None,
    }
}

fn is_operator(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Binary(BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, ..)
            | ExprKind::Unary(UnaryOp::BitNot, _)
            | ExprKind::Select(..)
    )
}

/// Whether an `enum class` becomes a number without a word.
fn is_silent(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    match exprs[id].kind {
        ExprKind::Convert(inner, false) => {
            matches!(program.types.get(exprs[inner].ty), Type::Enum(e) if program.enums[e].strict)
        }
        _ => false,
    }
}

/// Makes an operator one of numbers, whose value becomes the enum.
fn by_number(exprs: &mut ExprArena, id: ExprId, tag: TypeId) {
    let Expr { kind, span, .. } = exprs[id].clone();
    let mut number = |operand: ExprId| match exprs[operand].ty == tag {
        true => operand,
        false => exprs.push(Expr { kind: ExprKind::Convert(operand, false), ty: tag, span: exprs[operand].span }),
    };
    let kind = match kind {
        ExprKind::Binary(op, a, b) => ExprKind::Binary(op, number(a), number(b)),
        ExprKind::Unary(op, a) => ExprKind::Unary(op, number(a)),
        ExprKind::Select(condition, a, b) => ExprKind::Select(condition, number(a), number(b)),
        _ => return,
    };
    let number = exprs.push(Expr { kind, ty: tag, span });
    exprs[id].kind = ExprKind::Convert(number, false);
}
