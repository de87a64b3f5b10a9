//! Elements of swizzles that are written become elements of the vector.
//!
//! Before: `v.zwx[i] += 1;          InterlockedAdd(q.yzw[i], 1);`
//! After:  `v[uint3(2, 3, 0)[i]] += 1;   InterlockedAdd(q[1 + i], 1);`
//!
//! WGSL writes to no swizzle; HLSL and GLSL pass a copy of one to an atomic operation.

use super::needs::Find;
use super::{Context, Pass};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "swizzle_elements",
    removes: &[(Capability::SwizzleElements, Find::Expr(writes))],
    after: &["lower_properties"],
    run,
    ..Pass::ROW
};

fn writes(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let mut found = false;
    program.each_written(exprs, id, &mut |place| found |= element(exprs, place).is_some());
    found
}

/// The vector, the swizzle and the index of a place that is an element of a swizzle.
fn element(exprs: &ExprArena, place: ExprId) -> Option<(ExprId, Swizzle, ExprId)> {
    let ExprKind::Index(base, index) = exprs[place].kind else { return None };
    match &exprs[base].kind {
        ExprKind::Swizzle(vector, swizzle) => Some((*vector, *swizzle, index)),
        _ => None,
    }
}

fn run(cx: &mut Context) {
    cx.each_body(&mut |cx, _, body| {
        let mut places = Vec::new();
        for id in body.expressions() {
            cx.program.each_written(&body.exprs, id, &mut |place| places.push(place));
        }
        for place in places {
            let Some((vector, swizzle, index)) = element(&body.exprs, place) else { continue };
            let span = body.exprs[place].span;
            body.exprs[place].kind = of_vector(cx, body, (vector, swizzle, index), span);
        }
    });
}

/// The element of the vector.
fn of_vector(
    cx: &mut Context,
    body: &mut Body,
    (vector, swizzle, index): (ExprId, Swizzle, ExprId),
    span: Span,
) -> ExprKind {
    let components = swizzle.list();
    let Some(&first) = components.first() else { return ExprKind::Index(vector, index) };
    if let ExprKind::Literal(Literal::Int(at), _) = body.exprs[index].kind {
        let component = usize::try_from(at).ok().and_then(|at| components.get(at)).unwrap_or(&first);
        return ExprKind::Swizzle(vector, Swizzle::new(&[*component]));
    }
    let in_a_row = components.iter().zip(first..).all(|(component, expected)| *component == expected);
    let mut b = Build::new(&mut cx.program.types, &mut body.exprs, span);
    let index_type = b.exprs[index].ty;
    match (in_a_row, first) {
        (true, 0) => ExprKind::Index(vector, index),
        (true, _) => {
            let offset = b.number(first.into(), index_type);
            ExprKind::Index(vector, b.binary(BinaryOp::Add, offset, index))
        }
        (false, _) => {
            let parts: Vec<ExprId> = components.iter().map(|c| b.uint(u32::from(*c))).collect();
            let ty = b.types.scalar_or_vector(Scalar::U32, swizzle.len);
            let table = b.construct(parts, ty);
            ExprKind::Index(vector, b.index(table, index))
        }
    }
}
