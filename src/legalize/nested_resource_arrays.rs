//! Arrays of arrays of resources become arrays.
//!
//! Before: `Texture2D maps[2][3];    maps[i][j].Load(p)`
//! After:  `Texture2D maps[6];       maps[i * 3 + j].Load(p)`
//!
//! The bindings stay: the elements of an array of arrays follow each other, the last index fastest. A target that has arrays of
//! arrays may lack those of which the outer one is unbounded, and those of constant buffers (DXC's validator refuses them at an
//! index that is not constant).

use super::carried_marks::Carried;
use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::{
    BinaryOp, Build, Expr, ExprArena, ExprId, ExprKind, FunctionId, GlobalId, Length, Literal, Program, Type, TypeId,
    Types,
};
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass = Pass {
    name: "nested_resource_arrays",
    removes: &[
        (Capability::NestedResourceArrays, Find::Parameter(|p, g, _| is_nested(p, g.ty))),
        (Capability::OpenNestedArrays, Find::Parameter(|p, g, _| is_nested(p, g.ty) && is_open(p, g.ty))),
        (Capability::NestedBufferArrays, Find::Parameter(|p, g, _| is_nested(p, g.ty) && is_of_buffers(p, g.ty))),
    ],
    after: &["split_resources", "combined_samplers", "counters"],
    run,
    ..Pass::ROW
};

fn is_nested(program: &Program, ty: TypeId) -> bool {
    let parts = |ty| program.types.array_parts(ty);
    parts(ty).is_some_and(|(element, _)| parts(element).is_some()) && program.holds_resource(ty)
}

fn is_open(program: &Program, ty: TypeId) -> bool {
    program.types.array_parts(ty).is_some_and(|(_, count)| count.is_unsized())
}

fn is_of_buffers(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(program.types.innermost(ty)), Type::ConstantBuffer(..) | Type::TextureBuffer(_))
}

fn run(cx: &mut Context) {
    let (all, open, buffers) =
        (Capability::NestedResourceArrays, Capability::OpenNestedArrays, Capability::NestedBufferArrays);
    let lacks = |capability| !cx.profile.has(capability);
    let (all, open, buffers) = (lacks(all), lacks(open), lacks(buffers));
    let mut nested: FxHashMap<GlobalId, (TypeId, Vec<u32>)> = FxHashMap::default();
    for id in cx.program.parameters.clone() {
        let ty = cx.program.globals[id].ty;
        let is_lacked = all || (open && is_open(cx.program, ty)) || (buffers && is_of_buffers(cx.program, ty));
        if !is_lacked {
            continue;
        }
        if let Some((flat, inner)) = flattened(&mut cx.program.types, ty) {
            cx.program.globals[id].ty = flat;
            nested.insert(id, (flat, inner));
        }
    }
    let carried = Carried::of(cx.program);
    cx.each_body(&mut |cx, function, body| {
        // Parents first: the outermost index has the whole chain below it.
        for id in body.expressions().into_iter().rev() {
            rewrite(cx.program, (function, &mut body.exprs), id, (&nested, &carried));
        }
    });
}

/// The type with one dimension, and the inner dimensions.
fn flattened(types: &mut Types, ty: TypeId) -> Option<(TypeId, Vec<u32>)> {
    let element = types.innermost(ty);
    let (mut at, outer) = types.array_parts(ty)?;
    let mut inner = Vec::new();
    while let Type::Array(next, count) = types.get(at) {
        inner.push(count.fixed()?);
        at = next;
    }
    if inner.is_empty() || !types.get(element).is_resource() {
        return None;
    }
    let size = inner.iter().try_fold(1u32, |n, d| n.checked_mul(*d))?;
    let count = match outer {
        Length::Fixed(n) => Length::Fixed(n.checked_mul(size)?),
        Length::Unsized => Length::Unsized,
        Length::Constant(_) => return None,
    };
    Some((types.array(element, count), inner))
}

/// Globals that have one dimension now, with their inner dimensions, and what holds marked indices.
type FlatArrays<'a> = (&'a FxHashMap<GlobalId, (TypeId, Vec<u32>)>, &'a Carried);

fn rewrite(
    program: &mut Program,
    (function, exprs): (FunctionId, &mut ExprArena),
    id: ExprId,
    (nested, carried): FlatArrays,
) {
    let mut indices = Vec::new();
    let mut node = id;
    while let ExprKind::Index(base, index) = exprs[node].kind {
        indices.push(index);
        node = base;
    }
    let ExprKind::Global(g) = exprs[node].kind else { return };
    let Some((flat, inner)) = nested.get(&g) else { return };
    // Only whole chains; parts of them lie below one.
    if indices.len() != inner.len() + 1 {
        return;
    }
    indices.reverse();
    let Expr { ty, span, .. } = exprs[id];
    let is_marked = indices.iter().any(|index| carried.has(program, (function, exprs), *index));
    for index in &mut indices {
        *index = carried.unmarked(exprs, *index);
    }
    let mut b = Build::new(&mut program.types, exprs, span);
    let mut index = None;
    for (i, at) in indices.into_iter().enumerate() {
        index = Some(match index {
            None => at,
            Some(outer) => {
                let dim = i.checked_sub(1).and_then(|i| inner.get(i)).copied().unwrap_or(1);
                step(&mut b, outer, dim, at)
            }
        });
    }
    let Some(index) = index else { return };
    let base = b.global(g, *flat);
    // DXC loses the mark of what is computed with.
    if is_marked {
        carried.mark(program, exprs, index);
    }
    exprs[id] = Expr { kind: ExprKind::Index(base, index), ty, span };
}

/// `outer * dim + inner`, folded where `outer` is a literal.
fn step(b: &mut Build, outer: ExprId, dim: u32, inner: ExprId) -> ExprId {
    let literal = |b: &Build, e: ExprId| match b.exprs[e].kind {
        ExprKind::Literal(Literal::Int(n), _) => Some(n),
        _ => None,
    };
    if let (Some(x), Some(y)) = (literal(b, outer), literal(b, inner)) {
        return b.int(x.saturating_mul(dim.into()).saturating_add(y));
    }
    let ty = b.exprs[inner].ty;
    match literal(b, outer) {
        Some(0) => return inner,
        Some(x) => {
            let start = b.number(x.saturating_mul(dim.into()), ty);
            return b.binary(BinaryOp::Add, start, inner);
        }
        None => {}
    }
    let ty = b.exprs[outer].ty;
    let dim = b.number(dim.into(), ty);
    let scaled = b.binary(BinaryOp::Mul, outer, dim);
    let inner = b.convert(inner, ty);
    b.binary(BinaryOp::Add, scaled, inner)
}
