//! Vectors of one component become scalars, matrices with one row or column become vectors.
//!
//! Before: `float1 a;   float1x3 m;   m[0][i] * a.x        mul(column, m)`
//! After:  `float a;    float3 m;     m[i] * a             float3x3(column.x * m, column.y * m, column.z * m)`
//!
//! [`super::types`] has given those that lie in buffers in another way the types that are stored.

use super::super::inline_builtins::simplify;
use crate::stdlib::Operation;
use crate::tree::*;

/// Takes the dimensions of one out of all types.
pub(super) fn narrow_all(program: &mut Program) {
    let templates: Vec<Option<OperandShape>> = program.functions.iter().map(|(_, f)| shape(&f.body)).collect();
    program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            rewrite(types, exprs, id, &templates);
        }
    });
    program.map_types(&mut |types, ty| narrow(types, ty));
    program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            drop_identity(exprs, id);
        }
    });
    for (_, function) in program.functions.iter_mut() {
        if let FunctionBody::Block = function.body {
            simplify(&mut program.types, &mut function.code, &Default::default());
        }
    }
}

/// The spellings whose meaning depends on which of the operands are rows and which are columns.
#[derive(Clone, Copy, PartialEq)]
enum OperandShape {
    Product,
    Transpose,
    Determinant,
}

fn shape(body: &FunctionBody) -> Option<OperandShape> {
    match body {
        FunctionBody::Intrinsic(template) => spelling(template),
        _ => None,
    }
}

fn spelling(template: &Template) -> Option<OperandShape> {
    let shapes = [
        (Operation::Product, OperandShape::Product),
        (Operation::Transpose, OperandShape::Transpose),
        (Operation::Determinant, OperandShape::Determinant),
    ];
    shapes.into_iter().find(|(operation, _)| template == operation.common()).map(|(_, shape)| shape)
}

/// The type without dimensions of one.
fn narrow(types: &mut Types, ty: TypeId) -> TypeId {
    match types.get(ty) {
        Type::Vector(s, 1) | Type::Matrix(s, 1, 1) => types.scalar(s),
        Type::Matrix(s, 1, n) | Type::Matrix(s, n, 1) => types.vector(s, n),
        _ => ty,
    }
}

/// Rows and columns, if one of them is one.
fn unit(types: &Types, ty: TypeId) -> Option<(u8, u8)> {
    match types.get(ty) {
        Type::Vector(_, 1) => Some((1, 1)),
        Type::Matrix(_, r, c) if r == 1 || c == 1 => Some((r, c)),
        _ => None,
    }
}

fn rewrite(types: &mut Types, exprs: &mut ExprArena, id: ExprId, templates: &[Option<OperandShape>]) {
    let (ty, span) = (exprs[id].ty, exprs[id].span);
    match exprs[id].kind.clone() {
        // The only row of a matrix is the matrix; the only component of a vector is the vector.
        ExprKind::Index(base, _) if unit(types, exprs[base].ty).is_some_and(|(rows, _)| rows == 1) => {
            exprs.replace_by(id, base);
            exprs[id].ty = ty;
        }
        ExprKind::Swizzle(base, swizzle)
            if swizzle.len == 1 && matches!(types.get(exprs[base].ty), Type::Vector(_, 1)) =>
        {
            exprs.replace_by(id, base);
            exprs[id].ty = ty;
        }
        ExprKind::MatrixSwizzle(base, elements) => {
            let Some((rows, columns)) = unit(types, exprs[base].ty) else { return };
            let along = |(r, c): &(u8, u8)| if rows == 1 { *c } else { *r };
            let list: Vec<u8> = elements.iter().map(along).collect();
            exprs[base].ty = narrow(types, exprs[base].ty);
            if rows == 1 && columns == 1 && list.len() == 1 {
                exprs.replace_by(id, base);
            } else {
                exprs[id].kind = ExprKind::Swizzle(base, Swizzle::new(&list));
            }
        }
        // A matrix cut to one row or column.
        ExprKind::Convert(inner, written) => {
            let Type::Matrix(scalar, r, c) = types.get(exprs[inner].ty) else { return };
            let Some((rows, columns)) = unit(types, ty).filter(|_| r > 1 && c > 1) else { return };
            let elements = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))).collect();
            let cut = types.matrix(scalar, rows, columns);
            let cut = narrow(types, cut);
            let part = Build::new(types, exprs, span).add(ExprKind::MatrixSwizzle(inner, elements), cut);
            exprs[id].kind = ExprKind::Convert(part, written);
        }
        ExprKind::Call(f, args) => match templates.get(f.index()).copied().flatten() {
            // A matrix of one element is its own determinant.
            Some(OperandShape::Transpose | OperandShape::Determinant) => transposition(types, exprs, id, &args),
            Some(OperandShape::Product) => product(types, exprs, id, &args),
            None => {}
        },
        ExprKind::Native(template, args) if spelling(&template) == Some(OperandShape::Transpose) => {
            transposition(types, exprs, id, &args);
        }
        _ => {}
    }
}

/// A row and its column are one vector.
fn transposition(types: &mut Types, exprs: &mut ExprArena, id: ExprId, args: &[ExprId]) {
    let ty = exprs[id].ty;
    if let Some(&arg) = args.first().filter(|a| unit(types, exprs[**a].ty).is_some()) {
        exprs.replace_by(id, arg);
        exprs[id].ty = ty;
    }
}

/// A product of a row and a column is a dot product, one of a column and a row a matrix.
fn product(types: &mut Types, exprs: &mut ExprArena, id: ExprId, args: &[ExprId]) {
    let &[a, b] = args else { return };
    let (ty, span) = (exprs[id].ty, exprs[id].span);
    // A vector is a row on the left, a column on the right.
    let (rows, inner, columns) = match (types.get(exprs[a].ty), types.get(exprs[b].ty)) {
        (Type::Matrix(_, rows, inner), Type::Matrix(_, _, columns)) => (rows, inner, columns),
        (Type::Vector(_, inner), Type::Matrix(_, _, columns)) => (1, inner, columns),
        (Type::Matrix(_, rows, inner), Type::Vector(..)) => (rows, inner, 1),
        _ => return,
    };
    if inner == 1 && rows > 1 && columns > 1 {
        let (column, row) = (narrow(types, exprs[a].ty), narrow(types, exprs[b].ty));
        let mut build = Build::new(types, exprs, span);
        let mut parts = Vec::new();
        for r in 0..rows {
            let scalar = build.exprs.duplicate(a);
            build.exprs[scalar].ty = column;
            let scalar = build.swizzle(scalar, &[r]);
            let scalar = build.convert(scalar, row);
            let vector = build.exprs.duplicate(b);
            build.exprs[vector].ty = row;
            parts.push(build.binary(BinaryOp::Mul, scalar, vector));
        }
        exprs[id].kind = ExprKind::Construct(parts);
    } else if rows == 1 && columns == 1 && inner > 1 {
        exprs[id].kind = ExprKind::Native(Box::new(Operation::Dot.common().clone()), vec![a, b]);
    }
    exprs[id].ty = ty;
}

/// What converted to or built a type from the same type is the value itself.
fn drop_identity(exprs: &mut ExprArena, id: ExprId) {
    let inner = match &exprs[id].kind {
        ExprKind::Convert(inner, _) => *inner,
        ExprKind::Construct(parts) => match parts.as_slice() {
            [one] => *one,
            _ => return,
        },
        _ => return,
    };
    if exprs[inner].ty == exprs[id].ty {
        exprs.replace_by(id, inner);
    }
}
