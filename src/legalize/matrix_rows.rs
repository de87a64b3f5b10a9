//! Matrices of constant buffers that have more rows than columns are copied before one of their rows is chosen.
//!
//! Before: `bones[i].pose[row].x`
//! After:  `const float4x3 pose = bones[i].pose;  pose[row].x`
//!
//! DXC takes the row of such a matrix that is stored by columns for one of the transposed matrix: it reads behind its end, or
//! refuses the code that it made. It does so with structs and arrays that were copied out of constant buffers, too. A row of
//! these that is assigned to stays.
//!
//! Before: `poses[i][0].x += 1.0;    raise(poses[i][1].yz);`
//! After:  `poses[i]._m00 += 1.0;    raise(poses[i]._m11_m12);`
//!
//! DXC makes an illegal program of components that are read and written, of a constant row of a matrix in a local variable, if an index
//! on the way to the matrix is not constant.

use super::hoist::{Mark, hoist_all, temporary_name};
use super::needs::Find;
use super::references::selected;
use super::{Context, Pass};
use crate::check::constant::eval_int;
use crate::target::Capability;
use crate::tree::{ExprArena, ExprId, ExprKind, ExprKinds, GlobalKind, MatrixOrder, Program, Swizzle, Type, TypeId};
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass = Pass {
    name: "matrix_rows",
    removes: &[
        (
            Capability::DynamicMatrixRows,
            Find::list(ExprKinds::INDEX, |p, exprs, live| copied(p, exprs, live).first().copied()),
        ),
        (
            Capability::DynamicMatrixRows,
            Find::at(ExprKinds::WRITES, |p, exprs, id| !changed_components(p, exprs, id).is_empty()),
        ),
    ],
    after: &["storage", "lower_matrix_ops"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    hoist_all(cx, &mut |program, body| {
        let matrices = copied(program, &body.exprs, &body.expressions());
        matrices.into_iter().map(|matrix| (matrix, Mark::Value(temporary_name(program, body, matrix)))).collect()
    });
    cx.each_body(&mut |cx, _, body| {
        for id in body.expressions() {
            for (place, matrix, row, components) in changed_components(cx.program, &body.exprs, id) {
                let elements = components.list().iter().map(|column| (row, *column)).collect();
                body.exprs[place].kind = ExprKind::MatrixSwizzle(matrix, elements);
            }
        }
    });
}

/// Components of rows that an expression writes, and may read first, in a matrix of a local variable at an index that is no
/// constant: with the matrix, the row, and the components.
fn changed_components(program: &Program, exprs: &ExprArena, id: ExprId) -> Vec<(ExprId, ExprId, u8, Swizzle)> {
    let mut found = Vec::new();
    if matches!(exprs[id].kind, ExprKind::Assign(None, ..)) {
        return found;
    }
    program.each_written(exprs, id, &mut |place| {
        if let ExprKind::Swizzle(row, components) = exprs[place].kind
            && let ExprKind::Index(matrix, index) = exprs[row].kind
            && let Type::Matrix(_, rows, _) = program.types.get(exprs[matrix].ty)
            && let Some(row) = eval_int(program, exprs, index).ok().and_then(|row| u8::try_from(row).ok())
            && row < rows
            && exprs.base_local(matrix).is_some()
            && exprs.indices(matrix).iter().any(|index| eval_int(program, exprs, *index).is_err())
        {
            found.push((place, matrix, row, components));
        }
    });
    found
}

/// The matrices that must be copied.
fn copied(program: &Program, exprs: &ExprArena, live: &[ExprId]) -> Vec<ExprId> {
    let tall = |ty: TypeId| matches!(program.types.get(ty), Type::Matrix(_, rows, columns) if rows > columns);
    let chosen = live.iter().filter_map(|id| match exprs[*id].kind {
        ExprKind::Index(matrix, row) if tall(exprs[matrix].ty) => Some((matrix, row)),
        _ => None,
    });
    let mut found: Vec<ExprId> = chosen
        .filter(|(matrix, row)| {
            !matches!(exprs[*row].kind, ExprKind::Literal(..))
                && selected(exprs, *matrix).is_some()
                && is_of_constant_buffer(program, exprs, *matrix)
                && order(program, exprs, *matrix) == MatrixOrder::Column
                && eval_int(program, exprs, *row).is_err()
        })
        .map(|(matrix, _)| matrix)
        .collect();
    if !found.is_empty() {
        let written = written(program, exprs, live);
        found.retain(|matrix| !written.contains(matrix));
    }
    found
}

/// Whether a place is one of a constant buffer, or of a local that may be a copy of a part of one.
fn is_of_constant_buffer(program: &Program, exprs: &ExprArena, place: ExprId) -> bool {
    let base = exprs.base(place);
    match exprs[base].kind {
        ExprKind::Global(global) => {
            let global = &program.globals[global];
            global.kind == GlobalKind::Parameter && contents(program, global.ty).is_some()
        }
        ExprKind::Local(_) => program.parameters.iter().any(|global| {
            let data = contents(program, program.globals[*global].ty);
            data.is_some_and(|data| holds(program, data, exprs[base].ty))
        }),
        _ => false,
    }
}

/// The data of a constant buffer, or of a uniform that will be in one.
fn contents(program: &Program, uniform: TypeId) -> Option<TypeId> {
    let innermost = program.types.innermost(uniform);
    match program.types.get(innermost) {
        Type::ConstantBuffer(data, _) | Type::TextureBuffer(data) => Some(data),
        other => (!other.is_resource()).then_some(innermost),
    }
}

/// Whether a type is or has a part of type `part`.
fn holds(program: &Program, ty: TypeId, part: TypeId) -> bool {
    ty == part
        || match program.types.get(ty) {
            Type::Array(element, _) => holds(program, element, part),
            // A struct cannot contain itself, so this ends.
            Type::Struct(id) => program.structs[id].fields.iter().any(|f| holds(program, f.ty, part)),
            _ => false,
        }
}

/// How a matrix in a struct or buffer is stored.
fn order(program: &Program, exprs: &ExprArena, matrix: ExprId) -> MatrixOrder {
    let mut at = matrix;
    let stated = loop {
        match exprs[at].kind {
            ExprKind::Field(base, index) => match program.types.get(exprs[base].ty) {
                Type::Struct(id) => match program.structs[id].fields.get(index as usize).and_then(|f| f.matrix_order) {
                    None => at = base,
                    order => break order,
                },
                _ => break None,
            },
            ExprKind::Index(base, _) | ExprKind::Contents(base) => at = base,
            ExprKind::Global(global) => break program.globals[global].matrix_order,
            _ => break None,
        }
    };
    stated.unwrap_or(program.default_matrix_order)
}

/// Places on the way to what is assigned to.
fn written(program: &Program, exprs: &ExprArena, live: &[ExprId]) -> FxHashSet<ExprId> {
    let mut written = FxHashSet::default();
    let mut add = |target: ExprId| {
        let mut at = Some(target);
        while let Some(id) = at {
            written.insert(id);
            at = selected(exprs, id);
        }
    };
    for &id in live {
        program.each_written(exprs, id, &mut add);
    }
    written
}
