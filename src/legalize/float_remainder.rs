//! `%` on floats as a function.
//!
//! Before: `a % b`
//! After:  `fmod(a, b)` with `float fmod(float x, float y) { return x - y * trunc(x / y); }`
//!
//! The sign is that of the left operand, as in HLSL, which has no `%` and no `trunc` for doubles: there a quotient becomes whole
//! as an integer.

use super::hoist::{Marks, hoist};
use super::needs::Find;
use super::{Context, Pass, lower_matrix_ops, references};
use crate::check::constant::eval;
use crate::source::Span;
use crate::stdlib::Operation;
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "float_remainder",
    removes: &[
        (
            Capability::FloatRemainder,
            Find::at(ExprKinds::BINARY_OPERATORS, |p, e, id| need(p, e, id) == Some(Capability::FloatRemainder)),
        ),
        (
            Capability::DoubleRemainder,
            Find::at(ExprKinds::BINARY_OPERATORS, |p, e, id| need(p, e, id) == Some(Capability::DoubleRemainder)),
        ),
    ],
    adds: &[Capability::Int64, Capability::ArgumentsInOrder],
    after: &["lower_matrix_ops"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let profile = cx.profile;
    name_targets(cx, &|program, _, body| {
        let is_needed = |id: &ExprId| need(program, &body.exprs, *id).is_some_and(|c| !profile.has(c));
        body.expressions().into_iter().filter(is_needed).collect()
    });
    let mut functions = BTreeMap::new();
    cx.each_value(&mut |cx, body| lower(cx, body, &mut functions));
    cx.each_body(&mut |cx, _, body| lower(cx, body, &mut functions));
    list(cx, functions.into_values());
}

/// Makes remainders calls. One of constants is what it is: an offset in texels calls no function, nor does a constant.
fn lower(cx: &mut Context, body: &mut Body, functions: &mut BTreeMap<TypeId, FunctionId>) {
    for id in body.expressions() {
        let Expr { ty, span, .. } = body.exprs[id];
        let is_needed = need(cx.program, &body.exprs, id).is_some_and(|c| !cx.profile.has(c));
        let value = if is_needed { eval(cx.program, &body.exprs, id).ok() } else { None };
        if let Some(folded) = value.and_then(|v| v.to_expr(&mut body.exprs, cx.program, ty, span)) {
            body.exprs.replace_by(id, folded);
        } else if is_needed {
            let function = *functions.entry(ty).or_insert_with(|| helper(cx, ty));
            call(&mut cx.program.types, body, id, function);
        }
    }
}

/// Has indices of what remainders are assigned to evaluated once, before, where that does something.
pub(super) fn name_targets(cx: &mut Context, remainders: &dyn Fn(&Program, FunctionId, &Body) -> Vec<ExprId>) {
    let effects = cx.effects();
    cx.each_body(&mut |cx, id, body| {
        let mut marks = Marks::default();
        for remainder in remainders(cx.program, id, body) {
            if let ExprKind::Assign(_, target, _) = body.exprs[remainder].kind
                && effects.expr(&body.exprs, target)
            {
                references::mark_indices(&body.exprs, target, &mut marks);
            }
        }
        hoist(cx.program, &effects, body, marks);
    });
}

/// Makes a remainder a call; one that is assigned to what it is of is read there first, unless reading does something.
pub(super) fn call(types: &mut Types, body: &mut Body, id: ExprId, function: FunctionId) {
    let Expr { ty, span, .. } = body.exprs[id];
    match body.exprs[id].kind {
        ExprKind::Binary(_, a, b) => body.exprs[id].kind = ExprKind::Call(function, vec![a, b]),
        ExprKind::Assign(_, target, value) if !Effects::default().expr(&body.exprs, target) => {
            let read = lower_matrix_ops::read_of(&mut Build::new(types, &mut body.exprs, span), target);
            let call = body.exprs.push(Expr { kind: ExprKind::Call(function, vec![read, value]), ty, span });
            body.exprs[id].kind = ExprKind::Assign(None, target, call);
        }
        _ => {}
    }
}

/// Lists helpers before the first function.
pub(super) fn list(cx: &mut Context, functions: impl Iterator<Item = FunctionId>) {
    let first = cx.program.items.iter().find(|i| matches!(i, Item::Function(_))).copied();
    functions.for_each(|function| cx.program.items.put_before(first, Item::Function(function)));
}

/// What an expression needs that is a remainder of floats.
fn need(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<Capability> {
    let (ExprKind::Binary(BinaryOp::Rem, ..) | ExprKind::Assign(Some(BinaryOp::Rem), ..)) = exprs[id].kind else {
        return None;
    };
    let scalar = program.types.component(exprs[id].ty).filter(|s| s.is_float())?;
    Some(if scalar == Scalar::F64 { Capability::DoubleRemainder } else { Capability::FloatRemainder })
}

/// Whether the value of a variable or constant has a remainder that nobody but the target computes, and that a profile lacks if
/// it lacks a capability that `lacks` answers for.
pub(super) fn is_called_value(program: &Program, global: &Global, lacks: impl Fn(Capability) -> bool) -> bool {
    let called = |tree: &ExprTree, id| {
        need(program, &tree.exprs, id).is_some_and(&lacks) && eval(program, &tree.exprs, id).is_err()
    };
    matches!(global.kind, GlobalKind::Static | GlobalKind::Const)
        && global.init.as_ref().is_some_and(|tree| tree.exprs.any_part(tree.root, |id| called(tree, id)))
}

/// The function for a type.
pub(super) fn helper(cx: &mut Context, ty: TypeId) -> FunctionId {
    let spelled = !cx.profile.has(Capability::FloatRemainder);
    let program = &mut *cx.program;
    let float = program.types.component(ty).is_some_and(Scalar::is_float);
    let span = Span::default();
    let mut code = Body::default();
    let (x, y) = (code.add_local("x", ty, span), code.add_local("y", ty, span));
    let mut b = Build::new(&mut program.types, &mut code.exprs, span);
    let [x1, x2] = [b.local(x, ty), b.local(x, ty)];
    let [y1, y2] = [b.local(y, ty), b.local(y, ty)];
    let quotient = b.binary(BinaryOp::Div, x1, y1);
    let whole = match (float, spelled) {
        (true, true) => b.native(Operation::Truncate.common().clone(), vec![quotient], ty),
        (true, false) => {
            let whole = match b.types.get(ty) {
                Type::Vector(_, n) => b.types.vector(Scalar::I64, n),
                _ => b.types.scalar(Scalar::I64),
            };
            let whole = b.add(ExprKind::Convert(quotient, true), whole);
            b.add(ExprKind::Convert(whole, true), ty)
        }
        (false, _) => quotient,
    };
    let product = b.binary(BinaryOp::Mul, y2, whole);
    let value = b.binary(BinaryOp::Sub, x2, product);
    code.block.stmts.push(Stmt::new(StmtKind::Return(Some(value)), span));
    let name = Symbol::new(if float && spelled { "fmod" } else { "remainder" });
    let made = Function::new(name, vec![Param::new(x), Param::new(y)], ty, code, span);
    program.functions.push(Function { builtin: true, ..made })
}
