//! Matrices of integers and bools become arrays of their rows.
//!
//! Before: `int2x3 m = int2x3(a, b);       m[1].y`
//! After:  `int3 m[2] = { a, b };          m[1].y`
//!
//! `lower_matrix_ops` leaves of their operations only rows, construction and assignment.

use super::needs::{Find, Finder};
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "non_float_matrices",
    removes: &[MATRICES],
    after: &["lower_matrix_ops", "storage"],
    run,
    ..Pass::ROW
};

/// Matrices of integers and bools.
pub(super) const MATRICES: Finder =
    (Capability::NonFloatMatrices, Find::Type(|_, t| matches!(t, Type::Matrix(s, ..) if !s.is_float())));

fn run(cx: &mut Context) {
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            if let (ExprKind::Construct(parts), Type::Matrix(s, rows, columns)) =
                (exprs[id].kind.clone(), types.get(exprs[id].ty))
                && !s.is_float()
                && parts.len() != usize::from(rows)
            {
                let row = types.vector(s, columns);
                let rows = parts.chunks(usize::from(columns)).map(<[ExprId]>::to_vec).collect::<Vec<_>>();
                let span = exprs[id].span;
                let rows = rows.into_iter().map(|r| Build::new(types, exprs, span).construct(r, row)).collect();
                exprs[id].kind = ExprKind::Construct(rows);
            }
        }
    });
    cx.program.map_types(&mut |types, ty| match types.get(ty) {
        Type::Matrix(s, rows, columns) if !s.is_float() => {
            let row = types.vector(s, columns);
            types.array(row, Some(rows.into()))
        }
        _ => ty,
    });
}
