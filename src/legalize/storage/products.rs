//! Products with transposed matrices.
//!
//! ```text
//! before: b * transpose(m)        transpose(transpose(m))        (float3x3)transpose(m)
//! after:  m * b                   m                              transpose((float3x3)m)
//! ```

use crate::stdlib::Operation;
use crate::tree::analyses::{is_pure, is_trivial};
use crate::tree::{
    Build, Expr, ExprArena, ExprId, ExprKind, FunctionBody, FunctionId, Global, GlobalKind, Program, Template, Type,
    TypeId, Types,
};
use rustc_hash::FxHashSet;

/// `transpose(x)`, which every language spells so. The transposed of a transposed is the thing itself.
pub(in super::super) fn transpose(b: &mut Build, e: ExprId, ty: TypeId) -> ExprId {
    if let ExprKind::Native(template, args) = &b.exprs[e].kind
        && is_transpose(template)
        && let Some(&inner) = args.first()
    {
        return inner;
    }
    if let ExprKind::Zero = b.exprs[e].kind {
        return b.add(ExprKind::Zero, ty);
    }
    // Not every language has `transpose` in the initializers of its constants.
    if let Some(columns) = columns(b, e) {
        let vector = b.element_type(ty);
        let vectors = columns.into_iter().map(|list| b.construct(list, vector)).collect();
        return b.construct(vectors, ty);
    }
    b.native(Operation::Transpose.common().clone(), vec![e], ty)
}

/// The columns of a matrix that is made of names and literals, or computed from literals alone.
fn columns(b: &mut Build, e: ExprId) -> Option<Vec<Vec<ExprId>>> {
    let Type::Matrix(_, rows, count) = b.types.get(b.exprs[e].ty) else { return None };
    let ExprKind::Construct(parts) = b.exprs[e].kind.clone() else { return None };
    let mut scalars = Vec::new();
    for part in parts {
        match &b.exprs[part].kind {
            ExprKind::Construct(inner) => scalars.extend_from_slice(inner),
            _ => scalars.push(part),
        }
    }
    let whole = scalars.len() == usize::from(rows) * usize::from(count);
    let literal = |id: ExprId| {
        let variable = |id: &ExprId| matches!(b.exprs[*id].kind, ExprKind::Local(_) | ExprKind::Global(_));
        is_pure(b.exprs, id) && !b.exprs.post_order(id).iter().any(variable)
    };
    let named = |id: &ExprId| {
        matches!(b.types.get(b.exprs[*id].ty), Type::Scalar(_)) && (is_trivial(b.exprs, *id) || literal(*id))
    };
    if !whole || !scalars.iter().all(named) {
        return None;
    }
    let column = |c: usize| scalars.iter().copied().skip(c).step_by(usize::from(count)).collect();
    Some((0..usize::from(count)).map(column).collect())
}

/// Whether the first value of a variable or constant has a transposed matrix, or is computed from one that has.
pub(super) fn is_turned(program: &Program, global: &Global) -> bool {
    let turns = |exprs: &ExprArena, id: ExprId| match &exprs[id].kind {
        ExprKind::Native(template, _) => is_transpose(template),
        ExprKind::Global(other) => program.globals[*other].kind == GlobalKind::Static,
        _ => false,
    };
    matches!(global.kind, GlobalKind::Const | GlobalKind::Static)
        && global.init.as_ref().is_some_and(|t| t.exprs.any_part(t.root, |id| turns(&t.exprs, id)))
}

fn is_transpose(template: &Template) -> bool {
    template == Operation::Transpose.common()
}

/// Products with transposed matrices: `b * transpose(m)` is `m * b`.
pub(in super::super) fn products(program: &mut Program) {
    let product = Operation::Product.common();
    let templates = program.functions.iter().filter_map(|(id, f)| match &f.body {
        FunctionBody::Intrinsic(t) if t == product => Some(id),
        _ => None,
    });
    let products: FxHashSet<FunctionId> = templates.collect();
    program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            if let ExprKind::Native(t, args) = &exprs[id].kind
                && is_transpose(t)
                && let Some(inner) = args.first().and_then(|a| transposed_of(exprs, *a))
            {
                exprs.replace_by(id, inner);
            }
            cut_first(types, exprs, id);
            let ExprKind::Call(f, args) = exprs[id].kind.clone() else { continue };
            let ([a, b], true) = (args.as_slice(), products.contains(&f)) else { continue };
            exchange_product(types, exprs, id, *a, *b);
        }
    });
}

/// A part of a transposed matrix is the transposed of a part.
fn cut_first(types: &mut Types, exprs: &mut ExprArena, id: ExprId) {
    let Expr { kind: ExprKind::Convert(inner, cast), ty, span } = exprs[id] else { return };
    let Some(stored) = transposed_of(exprs, inner) else { return };
    let Type::Matrix(s, rows, columns) = types.get(ty) else { return };
    // Only floats have a `transpose` on every target.
    if types.component(exprs[inner].ty) != Some(s) {
        return;
    }
    let turned = types.matrix(s, columns, rows);
    let mut b = Build::new(types, exprs, span);
    let cut = b.add(ExprKind::Convert(stored, cast), turned);
    let whole = transpose(&mut b, cut, ty);
    exprs.replace_by(id, whole);
}

/// What `e` is the transposed of.
pub(super) fn transposed_of(exprs: &ExprArena, e: ExprId) -> Option<ExprId> {
    match &exprs[e].kind {
        ExprKind::Native(t, args) if is_transpose(t) => args.first().copied(),
        _ => None,
    }
}

fn exchange_product(types: &mut Types, exprs: &mut ExprArena, id: ExprId, a: ExprId, b: ExprId) {
    let vector = |types: &Types, e: &Expr| matches!(types.get(e.ty), Type::Vector(..));
    let (ta, tb) = (transposed_of(exprs, a), transposed_of(exprs, b));
    let product = Operation::Product.common();
    match (ta, tb) {
        (Some(m), _) if vector(types, &exprs[b]) => {
            exprs[id].kind = ExprKind::Native(Box::new(product.clone()), vec![b, m])
        }
        (_, Some(m)) if vector(types, &exprs[a]) => {
            exprs[id].kind = ExprKind::Native(Box::new(product.clone()), vec![m, a])
        }
        (Some(m), Some(n)) => {
            // The product of two transposed ones is the transposed product, which may vanish further out.
            let Expr { ty, span, .. } = exprs[id];
            let turned = match types.get(ty) {
                Type::Matrix(s, r, c) => types.matrix(s, c, r),
                _ => return,
            };
            let mut build = Build::new(types, exprs, span);
            let product = build.native(product.clone(), vec![n, m], turned);
            let whole = transpose(&mut build, product, ty);
            exprs.replace_by(id, whole);
        }
        _ => {}
    }
}
