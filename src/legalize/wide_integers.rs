//! Integers of 64 bits become pairs of words, the lower one first.
//!
//! Before: `uint64_t id = light.id + 1;            id >> 32 != 0       int64_t3 v = a * b;`
//! After:  `uint2 id = add_64(light.id, uint2(1u, 0u));    id.y != 0u   uint2 v[3] = { multiply_64(a[0], b[0]), ... };`
//!
//! Operators that words do not have by themselves are functions of the library ([`Helpers`]). A vector is an array of pairs,
//! which has the bytes of the vector but not its alignment: `storage` has placed the fields. What is evaluated for each component
//! and is more than a name is kept in a variable first.
//!
//! Programs whose 64-bit integers are texels, atomics, specialization constants, or vectors where arrays of pairs cannot be are
//! left as they are, which is an error.

mod finders;
mod operators;
mod pairs;

pub(super) use self::finders::{has_arrays_of_pairs, is_wide};
use super::helpers::Helpers;
use super::hoist::{Mark, Marks, hoist_all, temporary_name};
use super::lower_properties::mark_for_repetition;
use super::{Context, Pass};
use crate::check::constant::eval;
use crate::target::Capability;
use crate::tree::analyses::is_trivial;
use crate::tree::*;
use pairs::{Pairs, is_splat};
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass = Pass {
    name: "wide_integers",
    lessens: &[Capability::Int64],
    adds: &[Capability::AggregateExpressions, Capability::NestedArrays],
    after: &["storage", "byte_address", "flatten"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    if !finders::is_possible(cx) {
        return;
    }
    fold_constants(cx);
    hoist_all(cx, &mut repeated_operands);
    let mut helpers = Helpers::new(cx);
    cx.each_body(&mut |cx, _, body| {
        let live = body.expressions();
        let statements = statement_roots(body);
        let faults = Pairs::new(cx, &mut helpers, &mut body.exprs, statements).run(&live);
        for (span, what) in faults {
            cx.unsupported(span, format!("{} does not support {what} 64-bit integers", cx.profile.name));
        }
    });
    for id in cx.program.globals.ids() {
        let Some(mut tree) = cx.program.globals[id].init.take() else { continue };
        let live = tree.exprs.post_order(tree.root);
        let faults = Pairs::new(cx, &mut helpers, &mut tree.exprs, FxHashSet::default()).run(&live);
        cx.program.globals[id].init = Some(tree);
        for (span, what) in faults {
            cx.unsupported(span, format!("{} does not support {what} 64-bit integers", cx.profile.name));
        }
    }
    helpers.list(cx.program);
    cx.program.map_types(&mut |types, ty| paired(types, ty));
}

/// What a type becomes.
fn paired(types: &mut Types, ty: TypeId) -> TypeId {
    match (types.get(ty), width(types, ty)) {
        (Type::Scalar(_), Some(_)) => types.vector(Scalar::U32, 2),
        (Type::Vector(..), Some(count)) => {
            let pair = types.vector(Scalar::U32, 2);
            types.array(pair, Some(count.into()))
        }
        _ => ty,
    }
}

/// How many components a scalar or vector of 64-bit integers has; nothing for other types.
pub(super) fn width(types: &Types, ty: TypeId) -> Option<u8> {
    match types.get(ty) {
        Type::Scalar(Scalar::I64 | Scalar::U64) => Some(1),
        Type::Vector(Scalar::I64 | Scalar::U64, count) => Some(count),
        _ => None,
    }
}

/// Expressions whose value is not used.
pub(super) fn statement_roots(body: &Body) -> FxHashSet<ExprId> {
    let mut roots = FxHashSet::default();
    body.block.visit(&mut |stmt| match stmt.kind {
        StmtKind::Expr(root) | StmtKind::For(_, _, Some(root), ..) => drop(roots.insert(root)),
        _ => {}
    });
    roots
}

/// Values that are known are literals: all of them in initializers of globals, in functions those that no name is in.
fn fold_constants(cx: &mut Context) {
    cx.each_body(&mut |cx, _, body| {
        for id in body.expressions() {
            let mut literals = true;
            body.exprs[id].kind.children(&mut |child| {
                literals = literals && matches!(body.exprs[child].kind, ExprKind::Literal(..));
            });
            if literals && width(&cx.program.types, body.exprs[id].ty) == Some(1) {
                fold(cx.program, &mut body.exprs, id);
            }
        }
    });
    for id in cx.program.globals.ids() {
        let Some(mut tree) = cx.program.globals[id].init.take() else { continue };
        for id in tree.exprs.post_order(tree.root) {
            let types = &cx.program.types;
            let mut wide = width(types, tree.exprs[id].ty).is_some();
            let kind = &tree.exprs[id].kind;
            kind.children(&mut |child| wide = wide || width(types, tree.exprs[child].ty).is_some());
            if wide {
                fold(cx.program, &mut tree.exprs, id);
            }
        }
        cx.program.globals[id].init = Some(tree);
    }
}

fn fold(program: &mut Program, exprs: &mut ExprArena, id: ExprId) {
    let Expr { ty, span, ref kind } = exprs[id];
    let computed = matches!(
        kind,
        ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Convert(..) | ExprKind::Select(..) | ExprKind::Call(..)
    );
    if computed
        && let Ok(value) = eval(program, exprs, id)
        && let Some(folded) = value.to_expr(exprs, program, ty, span)
    {
        exprs.replace_by(id, folded);
    }
}

/// Operands that will be written several times and are more than a name.
fn repeated_operands(program: &Program, body: &Body) -> Marks {
    let (types, exprs) = (&program.types, &body.exprs);
    let mut marks = Marks::default();
    let wide = |id: ExprId| width(types, exprs[id].ty);
    let several = |id: ExprId| matches!(types.get(exprs[id].ty), Type::Vector(..)) || wide(id).is_some_and(|n| n > 1);
    for id in body.expressions() {
        let mut repeated = Vec::new();
        match &exprs[id].kind {
            ExprKind::Unary(_, a) if several(*a) && wide(*a).is_some() => repeated.push(*a),
            ExprKind::Binary(_, a, b) if several(*a) && (wide(*a).is_some() || wide(*b).is_some()) => {
                repeated.extend([*a, *b]);
            }
            ExprKind::Select(c, a, b) if several(id) && wide(id).is_some() => repeated.extend([*c, *a, *b]),
            ExprKind::Convert(a, _) if several(id) && (wide(id).is_some() || wide(*a).is_some()) => repeated.push(*a),
            ExprKind::Swizzle(a, s) if s.len > 1 && wide(*a).is_some() => repeated.push(*a),
            ExprKind::Construct(parts) if several(id) && wide(id).is_some() => {
                repeated.extend(parts.iter().copied().filter(|p| several(*p)));
            }
            ExprKind::Assign(Some(_), target, value) if wide(*target).is_some() => {
                repeated.push(swizzled_place(exprs, *target));
                repeated.extend(several(*target).then_some(*value));
            }
            ExprKind::Assign(Some(_), _, value) if wide(*value).is_some() && several(*value) => repeated.push(*value),
            ExprKind::Step(_, _, target) if wide(*target).is_some() => repeated.push(swizzled_place(exprs, *target)),
            _ => {}
        }
        for operand in repeated {
            if let ExprKind::Swizzle(..) | ExprKind::Convert(..) = exprs[operand].kind
                && !several(operand)
                && !is_trivial(exprs, operand)
            {
                marks.insert(operand, Mark::Value(temporary_name(program, body, operand)));
            } else if !has_components(program, exprs, operand) {
                mark_for_repetition(program, body, operand, &mut marks);
            }
        }
    }
    marks
}

/// What a place that is written is a component of: a copy of the component would be written in its stead.
fn swizzled_place(exprs: &ExprArena, mut place: ExprId) -> ExprId {
    while let ExprKind::Swizzle(base, _) = exprs[place].kind {
        place = base;
    }
    place
}

/// Whether each component of an expression will be an expression of its own.
fn has_components(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let types = &program.types;
    let vector = |id: ExprId| matches!(types.get(exprs[id].ty), Type::Vector(..));
    let wide = |id: ExprId| width(types, exprs[id].ty).is_some();
    match &exprs[id].kind {
        ExprKind::Construct(parts) => vector(id) && (wide(id) || parts.iter().all(|p| !vector(*p))),
        ExprKind::Unary(_, a) => vector(id) && wide(*a),
        ExprKind::Binary(_, a, b) => vector(id) && (wide(*a) || wide(*b)),
        ExprKind::Convert(a, _) => vector(id) && (wide(id) || wide(*a)) || is_splat(types, exprs, id),
        ExprKind::Swizzle(a, s) => s.len > 1 && wide(*a),
        ExprKind::Select(..) => vector(id) && wide(id),
        _ => false,
    }
}
