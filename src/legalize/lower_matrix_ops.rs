//! Write operators on matrices by rows, and selected elements one by one.
//!
//! Before: `a * b` (componentwise)      `m._m00_m11`                 `(float2x2)x`
//! After:  `float2x2(a[0] * b[0], ...)`  `float2(m[0][0], m[1][1])`  `float2x2((float2)x, (float2)x)`
//!
//! Sums, and products with a scalar, are the same in all targets and stay. Operands that are more than a name are kept in
//! variables first. Selected elements that are assigned stay for `flatten`.

use super::hoist::{Mark, Marks, hoist_all, mark_effect, temporary_name};
use super::matrix_parts;
use super::needs::{Find, Finder};
use super::references::{self, ByReference};
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::analyses::is_trivial;
use crate::tree::*;
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass = Pass {
    name: "lower_matrix_ops",
    removes: &[
        (
            Capability::MatrixComponentOps,
            Find::at(ExprKinds::BINARY_OPERATORS.or(ExprKinds::UNARY).or(ExprKinds::STEP), |p, exprs, id| {
                is_component_op(&p.types, exprs, id)
            }),
        ),
        (Capability::MatrixComponentOps, Find::list(ExprKinds::CONVERT, |p, exprs, live| splat(&p.types, exprs, live))),
        SWIZZLES,
    ],
    // The signs of rows are known less well than those of a whole. Rows of bools are joined by components.
    adds: &[Capability::SignedRemainder, Capability::ArgumentsInOrder, Capability::VectorLogic],
    run,
    ..Pass::ROW
};

/// Selected elements of a matrix.
pub(super) const SWIZZLES: Finder = (
    Capability::MatrixSwizzles,
    Find::at(ExprKinds::MATRIX_SWIZZLE, |_, exprs, id| matches!(exprs[id].kind, ExprKind::MatrixSwizzle(..))),
);

fn run(cx: &mut Context) {
    hoist_all(cx, &mut repeated_operands);
    let by_reference = references::by_reference(cx.program);
    cx.program.each_exprs_mut(&mut |types, exprs, live| lower(types, exprs, live, &by_reference));
}

/// Whether targets lack an expression: an operation on matrices that is neither a sum nor a product with a scalar.
fn is_component_op(types: &Types, exprs: &ExprArena, id: ExprId) -> bool {
    let matrix = |e: ExprId| matches!(types.get(exprs[e].ty), Type::Matrix(..));
    match exprs[id].kind {
        // Matrices of integers and bools will be arrays.
        ExprKind::Binary(_, a, _) | ExprKind::Assign(Some(_), a, _)
            if matrix(a) && types.component(exprs[a].ty).is_some_and(|s| !s.is_float()) =>
        {
            true
        }
        ExprKind::Binary(op, a, b) if matrix(a) || matrix(b) => match op {
            BinaryOp::Add | BinaryOp::Sub => is_splat(types, exprs, a) || is_splat(types, exprs, b),
            // One of them is a matrix.
            BinaryOp::Mul => is_splat(types, exprs, a) == is_splat(types, exprs, b),
            _ => true,
        },
        ExprKind::Assign(Some(op), target, value) if matrix(target) => match op {
            BinaryOp::Add | BinaryOp::Sub => is_splat(types, exprs, value),
            BinaryOp::Mul => !is_splat(types, exprs, value),
            _ => true,
        },
        ExprKind::Unary(_, a) | ExprKind::Step(_, _, a) => matrix(a),
        _ => false,
    }
}

/// A scalar widened to a matrix.
fn is_splat(types: &Types, exprs: &ExprArena, id: ExprId) -> bool {
    match exprs[id].kind {
        ExprKind::Convert(inner, _) => {
            matches!(types.get(exprs[id].ty), Type::Matrix(..)) && matches!(types.get(exprs[inner].ty), Type::Scalar(_))
        }
        _ => false,
    }
}

/// A scalar that is widened to a matrix elsewhere than as the factor of a product.
fn splat(types: &Types, exprs: &ExprArena, ids: &[ExprId]) -> Option<ExprId> {
    let mut splats = ids.iter().copied().filter(|id| is_splat(types, exprs, *id)).peekable();
    splats.peek()?;
    let factors = factors(types, exprs, ids);
    splats.find(|id| !factors.contains(id))
}

/// Scalars that stay the factors of a matrix.
fn factors(types: &Types, exprs: &ExprArena, ids: &[ExprId]) -> FxHashSet<ExprId> {
    let mut factors = FxHashSet::default();
    for id in ids {
        match exprs[*id].kind {
            ExprKind::Binary(BinaryOp::Mul, a, b) if !is_component_op(types, exprs, *id) => factors.extend([a, b]),
            ExprKind::Assign(Some(BinaryOp::Mul), _, value) if !is_component_op(types, exprs, *id) => {
                factors.insert(value);
            }
            _ => {}
        }
    }
    factors
}

/// Operands that will be written several times and are more than a name.
fn repeated_operands(program: &Program, body: &Body) -> Marks {
    let mut marks = Marks::default();
    let types = &program.types;
    let exprs = &body.exprs;
    let live = body.expressions();
    let targets = written(exprs, &live, &references::by_reference(program));
    for &id in &live {
        let operands: Vec<ExprId> = match &exprs[id].kind {
            _ if is_component_op(types, exprs, id) => {
                let mut operands = Vec::new();
                match exprs[id].kind {
                    ExprKind::Assign(_, target, value) => {
                        operands = exprs.indices(target);
                        operands.push(value);
                    }
                    ExprKind::Step(_, prefix, target) => {
                        operands = exprs.indices(target);
                        if !prefix {
                            mark_effect(&mut marks, id);
                        }
                    }
                    _ => exprs[id].kind.children(&mut |c| operands.push(c)),
                }
                operands
            }
            ExprKind::MatrixSwizzle(base, elements) if elements.len() > 1 && !targets.contains(&id) => vec![*base],
            ExprKind::Convert(..) if is_splat(types, exprs, id) => vec![id],
            _ => continue,
        };
        for operand in operands {
            let value = match exprs[operand].kind {
                ExprKind::Convert(inner, _) if is_splat(types, exprs, operand) => inner,
                _ => operand,
            };
            if !is_trivial(exprs, value) {
                marks.insert(value, Mark::Value(temporary_name(program, body, value)));
            }
        }
    }
    // A scalar that stays a factor is written once.
    #[expect(clippy::iter_over_hash_type, reason = "the result is a set")]
    for factor in factors(types, exprs, &live) {
        if let ExprKind::Convert(inner, _) = exprs[factor].kind {
            marks.remove(&inner);
        }
    }
    marks
}

/// Expressions that are assigned to, or passed to be.
fn written(exprs: &ExprArena, live: &[ExprId], by_reference: &ByReference) -> FxHashSet<ExprId> {
    let mut written = FxHashSet::default();
    for id in live {
        match &exprs[*id].kind {
            ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) => {
                written.insert(*target);
            }
            ExprKind::Call(function, args) => {
                let positions = by_reference.get(function).into_iter().flatten();
                let places = positions.filter_map(|p| args.get(*p)).flat_map(|arg| match exprs[*arg].kind {
                    // What is converted on its way back.
                    ExprKind::Convert(place, _) => [*arg, place],
                    _ => [*arg, *arg],
                });
                written.extend(places);
            }
            _ => {}
        }
    }
    written
}

fn lower(types: &mut Types, exprs: &mut ExprArena, live: &[ExprId], by_reference: &ByReference) {
    let (factors, targets) = (factors(types, exprs, live), written(exprs, live, by_reference));
    for &id in live {
        let Expr { ty, span, .. } = exprs[id];
        let mut b = Build::new(types, exprs, span);
        if is_component_op(b.types, b.exprs, id) {
            by_rows(&mut b, id);
        } else if is_splat(b.types, b.exprs, id) && !factors.contains(&id) {
            let parts = (0..row_count(b.types, ty)).map(|row| row_of(&mut b, id, row)).collect();
            b.exprs[id].kind = ExprKind::Construct(parts);
        } else if let ExprKind::MatrixSwizzle(base, elements) = b.exprs[id].kind.clone() {
            // Several elements that are written are a matter of the pass `flatten`.
            if elements.len() == 1 || !targets.contains(&id) {
                elements_of(&mut b, id, base, &elements);
            }
        }
    }
}

fn row_count(types: &Types, ty: TypeId) -> u8 {
    match types.get(ty) {
        Type::Matrix(_, rows, _) => rows,
        _ => 1,
    }
}

/// Row `row` of an operand: of a widened scalar, the scalar as a vector.
fn row_of(b: &mut Build, operand: ExprId, row: u8) -> ExprId {
    if let (ExprKind::Convert(inner, _), true, Type::Matrix(scalar, _, columns)) =
        (&b.exprs[operand].kind, is_splat(b.types, b.exprs, operand), b.types.get(b.exprs[operand].ty))
    {
        let (inner, row_type) = (*inner, b.types.vector(scalar, columns));
        let copy = b.exprs.duplicate(inner);
        return b.convert(copy, row_type);
    }
    matrix_parts::row(b, operand, row)
}

fn by_rows(b: &mut Build, id: ExprId) {
    let ty = b.exprs[id].ty;
    match b.exprs[id].kind.clone() {
        ExprKind::Binary(op, x, y) => {
            let rows = row_count(b.types, b.exprs[x].ty);
            let parts = (0..rows).map(|row| {
                let (x, y) = (row_of(b, x, row), row_of(b, y, row));
                b.binary(op, x, y)
            });
            let parts = parts.collect();
            b.exprs[id].kind = ExprKind::Construct(parts);
        }
        ExprKind::Unary(op, x) => {
            let parts = (0..row_count(b.types, ty)).map(|row| {
                let x = row_of(b, x, row);
                let row_type = b.exprs[x].ty;
                b.add(ExprKind::Unary(op, x), row_type)
            });
            let parts = parts.collect();
            b.exprs[id].kind = ExprKind::Construct(parts);
        }
        // Where the value of before is used it was taken out.
        ExprKind::Step(increment, _, target) => {
            let op = if increment { BinaryOp::Add } else { BinaryOp::Sub };
            let parts = (0..row_count(b.types, ty)).map(|row| {
                let x = row_of(b, target, row);
                let one = b.number(1, b.exprs[x].ty);
                b.binary(op, x, one)
            });
            let parts = parts.collect();
            let value = b.add(ExprKind::Construct(parts), ty);
            b.exprs[id].kind = ExprKind::Assign(None, target, value);
        }
        ExprKind::Assign(Some(op), target, value) => {
            let read = b.exprs.duplicate(target);
            let operation = b.add(ExprKind::Binary(op, read, value), ty);
            by_rows(b, operation);
            b.exprs[id].kind = ExprKind::Assign(None, target, operation);
        }
        _ => {}
    }
}

/// The value of a place, as an expression of its own.
pub(super) fn read_of(b: &mut Build, place: ExprId) -> ExprId {
    let read = b.exprs.duplicate(place);
    if let ExprKind::MatrixSwizzle(base, elements) = b.exprs[read].kind.clone() {
        elements_of(b, read, base, &elements);
    }
    read
}

/// `m._m00` is `m[0][0]`; several elements are a vector.
pub(super) fn elements_of(b: &mut Build, id: ExprId, base: ExprId, elements: &[(u8, u8)]) {
    let element = |b: &mut Build, base: ExprId, (row, column): (u8, u8)| {
        let row = b.at(base, row.into());
        b.swizzle(row, &[column])
    };
    match elements {
        [one] => {
            let value = element(b, base, *one);
            b.exprs.replace_by(id, value);
        }
        _ => {
            let parts = elements.iter().map(|one| {
                let copy = b.exprs.duplicate(base);
                element(b, copy, *one)
            });
            let parts = parts.collect();
            b.exprs[id].kind = ExprKind::Construct(parts);
        }
    }
}
