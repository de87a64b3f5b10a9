//! Integers are divided by no constant zero: DXC takes what that gives for an undefined value, and refuses to store it.
//!
//! Before: `x = n / 0;   v = w % int2(4, 0);`
//! After:  `x = n / 1;   v = w % int2(4, 1);`
//!
//! The quotient is the dividend then, and the remainder 0, as WGSL says.
//!
//! Spec: WGSL, 8.7 "Arithmetic Expressions".

use super::constant_parameters::is_offset;
use super::needs::{Find, callee};
use super::{Context, Pass, case_constants};
use crate::check::constant::{Value, about};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass = Pass {
    name: "zero_divisors",
    removes: &[
        (
            Capability::ClampedConstants,
            Find::Global(|p, global| global.init.as_ref().is_some_and(|tree| !in_value(p, tree).is_empty())),
        ),
        (
            Capability::ClampedConstants,
            Find::body(ExprKinds::BINARY_OPERATORS, |p, _, body, live| {
                in_body(p, body, live).first().map(|found| found.1)
            }),
        ),
    ],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    cx.each_body(&mut |cx, _, body| {
        let found = in_body(cx.program, body, &body.expressions());
        found.into_iter().for_each(|one| replace(cx.program, &mut body.exprs, one));
    });
    for id in cx.program.globals.ids() {
        let Some(mut tree) = cx.program.globals[id].init.take() else { continue };
        let found = in_value(cx.program, &tree);
        found.into_iter().for_each(|one| replace(cx.program, &mut tree.exprs, one));
        cx.program.globals[id].init = Some(tree);
    }
}

/// A divisor with a zero, its place in the source, and what takes its place.
type ZeroDivisor = (ExprId, Span, Value);

fn replace(program: &mut Program, exprs: &mut ExprArena, (divisor, span, value): ZeroDivisor) {
    let ty = exprs[divisor].ty;
    if let Some(other) = value.to_expr(exprs, program, ty, span) {
        exprs.replace_by(divisor, other);
    }
}

/// The divisors in the value of a global.
fn in_value(program: &Program, tree: &ExprTree) -> Vec<ZeroDivisor> {
    let all = tree.exprs.post_order(tree.root).into_iter();
    all.filter_map(|id| divisor((program, &tree.exprs), id, &|_| None)).collect()
}

/// The divisors in a body. Its constant variables are known.
fn in_body(program: &Program, body: &Body, live: &[ExprId]) -> Vec<ZeroDivisor> {
    let divides = |id: &&ExprId| divided_by(program, &body.exprs, **id).is_some();
    let open: Vec<ExprId> = live.iter().filter(divides).copied().collect();
    if open.is_empty() {
        return Vec::new();
    }
    let values = case_constants::known(program, body);
    let local = |id: LocalId| values.get(&id).cloned();
    let offsets = in_offsets(program, &body.exprs, live);
    let open = open.into_iter().filter(|id| !offsets.contains(id));
    open.filter_map(|id| divisor((program, &body.exprs), id, &local)).collect()
}

/// What is in offsets in texels: such a division is a fault there (see [`super::limits`]).
fn in_offsets(program: &Program, exprs: &ExprArena, live: &[ExprId]) -> FxHashSet<ExprId> {
    let mut found = FxHashSet::default();
    for (function, args) in live.iter().filter_map(|id| callee(program, exprs, *id)) {
        let offsets = function.params.iter().zip(args).filter(|(p, _)| is_offset(program, function, p));
        offsets.for_each(|(_, arg)| found.extend(exprs.post_order(*arg)));
    }
    found
}

/// What an integer is divided by.
fn divided_by(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<ExprId> {
    let (ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, by)
    | ExprKind::Assign(Some(BinaryOp::Div | BinaryOp::Rem), _, by)) = exprs[id].kind
    else {
        return None;
    };
    program.types.component(exprs[by].ty).is_some_and(Scalar::is_integer).then_some(by)
}

/// What an integer is divided by, if that is a constant with a zero.
fn divisor(
    (program, exprs): (&Program, &ExprArena),
    id: ExprId,
    local: &dyn Fn(LocalId) -> Option<Value>,
) -> Option<ZeroDivisor> {
    let by = divided_by(program, exprs, id)?;
    let value = about(program, exprs, by, local).ok()?;
    has_zero(&value).then(|| (by, exprs[by].span, without_zero(value)))
}

fn has_zero(value: &Value) -> bool {
    match value {
        Value::Int(n, _) => *n == 0,
        Value::Composite(parts) => parts.iter().any(has_zero),
        Value::Bool(_) | Value::Float(..) | Value::Text(_) => false,
    }
}

fn without_zero(value: Value) -> Value {
    match value {
        Value::Int(0, of) => Value::Int(1, of),
        Value::Composite(parts) => Value::Composite(parts.into_iter().map(without_zero).collect()),
        other => other,
    }
}
