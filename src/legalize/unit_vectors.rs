//! Vectors of one and matrices with one row or column become scalars and vectors.
//!
//! Before: `float1 a;  float1x3 m;   m[0].y = a.x;`
//! After:  `float a;   float3 m;     m.y = a;`
//!
//! Removes: UnitVectors. Buffer layouts keep their bytes: a row of one vector is that vector, a column is too where its
//! elements are stored one after the other.

use super::inline_builtins::simplify;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::{ExprArena, ExprId, ExprKind, FunctionBody, Swizzle, Type, TypeId, Types};

pub(super) const PASS: Pass = Pass { name: "unit_vectors", removes: &[Capability::UnitVectors], adds: &[], run };

fn run(cx: &mut Context) {
    // Accesses are rewritten while the old types still tell what they are.
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            access(types, exprs, id);
        }
    });
    cx.program.map_types(&mut |types, ty| plain(types, ty));
    let program = &mut *cx.program;
    for (_, function) in program.functions.iter_mut() {
        if let FunctionBody::Block = function.body {
            simplify(&mut program.types, &mut function.code);
        }
    }
}

/// The type without dimensions of one.
fn plain(types: &mut Types, ty: TypeId) -> TypeId {
    match types.get(ty) {
        Type::Vector(s, 1) | Type::Matrix(s, 1, 1) => types.scalar(s),
        Type::Matrix(s, 1, n) | Type::Matrix(s, n, 1) => types.vector(s, n),
        _ => ty,
    }
}

fn access(types: &mut Types, exprs: &mut ExprArena, id: ExprId) {
    match exprs[id].kind.clone() {
        ExprKind::Index(base, index) => match types.get(exprs[base].ty) {
            // The only element, or the only row.
            Type::Vector(_, 1) | Type::Matrix(_, 1, _) => take_base(types, exprs, id, base),
            // `m[i][0]` of a column: the inner access becomes the component, the outer one nothing.
            Type::Matrix(_, _, 1) => {
                let scalar = types.component(exprs[base].ty);
                if let Some(scalar) = scalar {
                    exprs[id].kind = ExprKind::Index(base, index);
                    exprs[id].ty = types.vector(scalar, 1);
                }
            }
            _ => {}
        },
        ExprKind::Swizzle(base, swizzle) if matches!(types.get(exprs[base].ty), Type::Vector(_, 1)) => {
            if swizzle.len == 1 {
                take_base(types, exprs, id, base);
            }
        }
        ExprKind::MatrixSwizzle(base, list) => {
            let along = match types.get(exprs[base].ty) {
                Type::Matrix(_, 1, _) => |(_, c): &(u8, u8)| *c,
                Type::Matrix(_, _, 1) => |(r, _): &(u8, u8)| *r,
                _ => return,
            };
            let components: Vec<u8> = list.iter().map(along).collect();
            exprs[id].kind = ExprKind::Swizzle(base, Swizzle::new(&components));
        }
        _ => {}
    }
}

fn take_base(types: &mut Types, exprs: &mut ExprArena, id: ExprId, base: ExprId) {
    let ty = exprs[id].ty;
    exprs.replace_by(id, base);
    // What it was of type is kept until all types are mapped: both map to one.
    if plain(types, exprs[id].ty) == plain(types, ty) {
        exprs[id].ty = ty;
    }
}
