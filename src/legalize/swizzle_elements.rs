//! Elements of swizzles that are written become elements of the vector or matrix.
//!
//! Before: `v.zwx[i] += 1;               InterlockedAdd(q.yzw[i], 1);     m._m00_m12[i] = 1;`
//! After:  `v[uint3(2, 3, 0)[i]] += 1;   InterlockedAdd(q[1 + i], 1);     m[uint2(0, 1)[i]][uint2(0, 2)[i]] = 1;`
//!
//! WGSL writes to no swizzle; HLSL and GLSL pass a copy of one to an atomic operation. DXC makes an illegal table of a swizzle of a
//! vector of constant `bool`s that is read at an index which varies.

use super::hoist::{Mark, Marks, hoist_all, temporary_name};
use super::needs::Find;
use super::{Context, Pass};
use crate::check::constant::eval;
use crate::source::Span;
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::analyses::is_trivial;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "swizzle_elements",
    removes: &[(
        Capability::SwizzleElements,
        Find::at(ExprKinds::WRITES.or(ExprKinds::INDEX), |p, exprs, id| writes(p, exprs, id) || reads(p, exprs, id)),
    )],
    after: &["lower_properties"],
    run,
    ..Pass::ROW
};

fn writes(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let mut found = false;
    program.each_written(exprs, id, &mut |place| found |= element(exprs, place).is_some());
    found
}

/// Whether an expression is an element of a swizzle of a variable of `bool`s at an index that is no constant.
fn reads(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let Some((vector, Selected::Components(_), index)) = element(exprs, id) else { return false };
    let is_of_bools = program.types.component(exprs[vector].ty) == Some(Scalar::Bool);
    let is_variable = matches!(exprs[exprs.base(vector)].kind, ExprKind::Local(_) | ExprKind::Global(_));
    is_of_bools && is_variable && eval(program, exprs, index).is_err()
}

/// What a swizzle selects, of a vector or of a matrix.
enum Selected {
    Components(Swizzle),
    Elements(MatrixElements),
}

/// The vector or matrix, what is selected of it, and the index of a place that is an element of that.
fn element(exprs: &ExprArena, place: ExprId) -> Option<(ExprId, Selected, ExprId)> {
    let ExprKind::Index(base, index) = exprs[place].kind else { return None };
    match &exprs[base].kind {
        ExprKind::Swizzle(vector, swizzle) => Some((*vector, Selected::Components(*swizzle), index)),
        ExprKind::MatrixSwizzle(matrix, list) => Some((*matrix, Selected::Elements(list.clone()), index)),
        _ => None,
    }
}

fn run(cx: &mut Context) {
    hoist_all(cx, &mut repeated_indices);
    cx.each_body(&mut |cx, _, body| {
        let mut places = Vec::new();
        for id in body.expressions() {
            cx.program.each_written(&body.exprs, id, &mut |place| places.push(place));
        }
        for place in places {
            let Some((of, selection, index)) = element(&body.exprs, place) else { continue };
            let span = body.exprs[place].span;
            body.exprs[place].kind = match selection {
                Selected::Components(swizzle) => of_vector(cx, &mut body.exprs, (of, swizzle, index), span),
                Selected::Elements(list) => of_matrix(cx, body, (of, &list, index), span),
            };
        }
    });
    cx.each_exprs(&mut |cx, exprs, live| {
        for id in live {
            if reads(cx.program, exprs, *id)
                && let Some((of, Selected::Components(swizzle), index)) = element(exprs, *id)
            {
                let span = exprs[*id].span;
                exprs[*id].kind = of_vector(cx, exprs, (of, swizzle, index), span);
            }
        }
    });
}

/// Indices into elements of matrices are needed twice, for the row and the column.
fn repeated_indices(program: &Program, body: &Body) -> Marks {
    let mut marks = Marks::default();
    for id in body.expressions() {
        program.each_written(&body.exprs, id, &mut |place| {
            if let Some((_, Selected::Elements(_), index)) = element(&body.exprs, place)
                && !is_trivial(&body.exprs, index)
            {
                marks.insert(index, Mark::Value(temporary_name(program, body, index)));
            }
        });
    }
    marks
}

/// The element of the matrix: a constant one by its name.
fn of_matrix(
    cx: &mut Context,
    body: &mut Body,
    (matrix, list, index): (ExprId, &[(u8, u8)], ExprId),
    span: Span,
) -> ExprKind {
    if let ExprKind::Literal(Literal::Int(at), _) = body.exprs[index].kind {
        let found = usize::try_from(at).ok().and_then(|at| list.get(at)).or(list.first());
        return ExprKind::MatrixSwizzle(matrix, found.copied().into_iter().collect());
    }
    let row_type = match cx.program.types.get(body.exprs[matrix].ty) {
        Type::Matrix(scalar, _, columns) => cx.program.types.vector(scalar, columns),
        _ => body.exprs[matrix].ty,
    };
    let again = body.exprs.duplicate(index);
    let mut b = Build::new(&mut cx.program.types, &mut body.exprs, span);
    let (rows, columns): (Vec<u8>, Vec<u8>) = list.iter().copied().unzip();
    let row = of_table(&mut b, &rows, index);
    let column = of_table(&mut b, &columns, again);
    let row = b.add(ExprKind::Index(matrix, row), row_type);
    ExprKind::Index(row, column)
}

/// One of several numbers.
fn of_table(b: &mut Build, numbers: &[u8], index: ExprId) -> ExprId {
    let parts: Vec<ExprId> = numbers.iter().map(|n| b.uint((*n).into())).collect();
    let ty = b.types.scalar_or_vector(Scalar::U32, numbers.len() as u8);
    let table = b.construct(parts, ty);
    b.index(table, index)
}

/// The element of the vector.
fn of_vector(
    cx: &mut Context,
    exprs: &mut ExprArena,
    (vector, swizzle, index): (ExprId, Swizzle, ExprId),
    span: Span,
) -> ExprKind {
    let components = swizzle.list();
    let Some(&first) = components.first() else { return ExprKind::Index(vector, index) };
    if let ExprKind::Literal(Literal::Int(at), _) = exprs[index].kind {
        let component = usize::try_from(at).ok().and_then(|at| components.get(at)).unwrap_or(&first);
        return ExprKind::Swizzle(vector, Swizzle::new(&[*component]));
    }
    let in_a_row = components.iter().zip(first..).all(|(component, expected)| *component == expected);
    let mut b = Build::new(&mut cx.program.types, exprs, span);
    let index_type = b.exprs[index].ty;
    match (in_a_row, first) {
        (true, 0) => ExprKind::Index(vector, index),
        (true, _) => {
            let offset = b.number(first.into(), index_type);
            ExprKind::Index(vector, b.binary(BinaryOp::Add, offset, index))
        }
        (false, _) => ExprKind::Index(vector, of_table(&mut b, components, index)),
    }
}
