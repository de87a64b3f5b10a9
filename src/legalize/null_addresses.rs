//! Constant pointers in structs and arrays, and those that are followed, are made of a zero that the target cannot see
//! through.
//!
//! Before: `struct Mesh { float* data; uint count; }      Mesh none = (Mesh)0;                   *((uint*)64ull) = 1;`
//! After:  `uint64_t zero = 0;                            Mesh none = Mesh((float*)zero, 0);     *((uint*)(64ull + zero)) = 1;`
//!
//! glslang makes one constant of such a value, which stands before the address that it is made of, and does not follow a
//! constant address.

use super::hidden_constants::{declare, is_constant_among, zero};
use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "null_addresses",
    removes: &[(
        Capability::NullAddresses,
        Find::body(NULLS, |program, _, body, live| {
            let stands = |id: &&ExprId| holds_null(program, body, **id) || followed(program, body, **id).is_some();
            live.iter().find(stands).map(|id| body.exprs[*id].span)
        }),
    )],
    after: &["storage", "inline_builtins"],
    run,
    ..Pass::ROW
};

/// The kinds of what holds or follows such an address.
const NULLS: ExprKinds = ExprKinds::ZERO.or(ExprKinds::CONSTRUCT).or(ExprKinds::DEREF).or(ExprKinds::INDEX);

/// The most elements of an array that are written out.
const MOST: u32 = 256;

type Zeros = BTreeMap<Scalar, GlobalId>;

fn run(cx: &mut Context) {
    let mut zeros = Zeros::new();
    cx.each_body(&mut |cx, _, body| {
        for id in body.expressions() {
            if holds_null(cx.program, body, id) {
                write_out(cx.program, body, id, &mut zeros);
            }
            if let Some(pointer) = followed(cx.program, body, id) {
                address(cx.program, &mut body.exprs, pointer, &mut zeros);
            }
        }
    });
    declare(cx, zeros);
}

/// Whether a type is a pointer to memory of the device.
pub(super) fn is_address(ty: Type) -> bool {
    matches!(ty, Type::Pointer(_, AddressSpace::Device(_)))
}

/// Whether a value is a struct or array with a pointer that is known to be null, or another number.
fn holds_null(program: &Program, body: &Body, id: ExprId) -> bool {
    let exprs = &body.exprs;
    let is_whole = |ty| matches!(program.types.get(ty), Type::Struct(_) | Type::Array(_, Length::Fixed(0..=MOST)));
    match &exprs[id].kind {
        ExprKind::Zero => is_whole(exprs[id].ty) && program.any_leaf(exprs[id].ty, &mut is_address),
        ExprKind::Construct(parts) => is_whole(exprs[id].ty) && parts.iter().any(|p| is_known(program, body, *p)),
        _ => false,
    }
}

/// The constant pointer that an expression follows.
fn followed(program: &Program, body: &Body, id: ExprId) -> Option<ExprId> {
    match body.exprs[id].kind {
        ExprKind::Deref(pointer) | ExprKind::Index(pointer, _) => Some(pointer),
        _ => None,
    }
    .filter(|pointer| is_known(program, body, *pointer))
}

/// Whether a value is a pointer made of a constant.
fn is_known(program: &Program, body: &Body, id: ExprId) -> bool {
    let exprs = &body.exprs;
    let known = match exprs[id].kind {
        ExprKind::Zero => true,
        ExprKind::Convert(inner, _) => is_constant_among(program, exprs, inner, &|local| body.locals[local].constant),
        _ => false,
    };
    known && is_address(program.types.get(exprs[id].ty))
}

/// Writes a struct or array by its parts.
fn write_out(program: &mut Program, body: &mut Body, id: ExprId, zeros: &mut Zeros) {
    if let ExprKind::Construct(parts) = body.exprs[id].kind.clone() {
        for part in parts.into_iter().filter(|p| is_known(program, body, *p)).collect::<Vec<_>>() {
            address(program, &mut body.exprs, part, zeros);
        }
        return;
    }
    let Expr { ty, span, .. } = body.exprs[id];
    let Some(members) = program.members(ty) else { return };
    let mut parts = Vec::with_capacity(members.len());
    for (_, ty) in members {
        let part = body.exprs.push(Expr { kind: ExprKind::Zero, ty, span });
        if is_known(program, body, part) {
            address(program, &mut body.exprs, part, zeros);
        } else if holds_null(program, body, part) {
            write_out(program, body, part, zeros);
        } else {
            number(program, &mut body.exprs, part);
        }
        parts.push(part);
    }
    body.exprs[id].kind = ExprKind::Construct(parts);
}

/// A zero of a number reads as one.
fn number(program: &mut Program, exprs: &mut ExprArena, id: ExprId) {
    let Expr { ty, span, .. } = exprs[id];
    if matches!(program.types.get(ty), Type::Scalar(_) | Type::Vector(..)) {
        let value = Build::new(&mut program.types, exprs, span).number(0, ty);
        exprs.replace_by(id, value);
    }
}

/// Makes a pointer of a number that is no constant: what it was, and a zero.
fn address(program: &mut Program, exprs: &mut ExprArena, id: ExprId, zeros: &mut Zeros) {
    let u64 = program.types.scalar(Scalar::U64);
    let hidden = zero(program, exprs, u64, zeros, id);
    let value = match exprs[id].kind {
        ExprKind::Convert(inner, _) => {
            let mut b = Build::new(&mut program.types, exprs, exprs[id].span);
            let number = b.convert(inner, u64);
            b.binary(BinaryOp::Add, number, hidden)
        }
        _ => hidden,
    };
    exprs[id].kind = ExprKind::Convert(value, false);
}
