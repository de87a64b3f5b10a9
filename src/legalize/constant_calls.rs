//! Named constants whose values call functions or blend integers, or are computed in 64 bits where the target cannot, are what these give.
//!
//! Before: `static const int SIZE = align(100);`
//! After:  `static const int SIZE = 112;`
//!
//! A call of a builtin for constants of 64 bits, in a function, hides from such a target that they are constant:
//! `max(a, 2.0L)` of a constant `a` is `max(a, 2.0L - zero)`.

use super::hidden_constants::hide_all;
use super::needs::{Find, callee};
use super::signed_remainder::of_short_constants;
use super::{Context, Pass};
use crate::check::constant::eval;
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "constant_calls",
    removes: &[
        (Capability::CalledConstants, Find::Global(calls)),
        (Capability::WideConstants, Find::Global(is_wide)),
        (Capability::WideConstants, Find::at(ExprKinds::CALL, is_wide_call)),
    ],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let lacks = |capability| !cx.profile.has(capability);
    let (no_calls, no_wide) = (lacks(Capability::CalledConstants), lacks(Capability::WideConstants));
    for id in cx.program.globals.ids() {
        let global = &cx.program.globals[id];
        if !(no_calls && calls(cx.program, global) || no_wide && is_wide(cx.program, global)) {
            continue;
        }
        let Global { ty, span, ref init, .. } = cx.program.globals[id];
        let Some(value) = init.as_ref().map(|tree| eval(cx.program, &tree.exprs, tree.root)) else { continue };
        let mut exprs = ExprArena::default();
        // One that only a running shader knows is left for `runtime_initializers`.
        if let Ok(value) = value
            && let Some(root) = value.to_expr(&mut exprs, cx.program, ty, span)
        {
            cx.program.globals[id].init = Some(ExprTree { exprs, root });
        }
    }
    if no_wide {
        hide_all(cx, is_wide_call);
    }
}

/// Whether the initializer of a variable has to be a constant.
fn has_constant(global: &Global) -> bool {
    matches!(global.kind, GlobalKind::Const | GlobalKind::Specialization)
}

/// Whether the value of a constant calls a function that is no spelling of the target's, is a list of expressions, chooses
/// between vectors of integers by component, or is a remainder of 16 bits.
fn calls(program: &Program, global: &Global) -> bool {
    let written = |f: FunctionId| matches!(program.functions[f].body, FunctionBody::Block);
    has_constant(global)
        && global.init.as_ref().is_some_and(|tree| {
            let mut all = tree.exprs.post_order(tree.root).into_iter();
            all.any(|e| match tree.exprs[e].kind {
                ExprKind::Call(f, _) => written(f),
                ExprKind::Comma(..) => true,
                _ => {
                    let faulty = is_choice(program, &tree.exprs, e) || of_short_constants(program, &tree.exprs, e);
                    faulty && eval(program, &tree.exprs, tree.root).is_ok()
                }
            })
        })
}

/// Whether an expression chooses between vectors of integers by component: glslang computes no blend of integers.
fn is_choice(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let ExprKind::Select(condition, ..) = exprs[id].kind else { return false };
    let of_floats = program.types.component(exprs[id].ty).is_some_and(Scalar::is_float);
    !of_floats && matches!(program.types.get(exprs[condition].ty), Type::Vector(..))
}

/// Whether the value of a constant has such a choice and is computed by the target alone: a running shader has to do it.
pub(super) fn is_unknown_choice(program: &Program, global: &Global) -> bool {
    global.kind == GlobalKind::Const
        && global.init.as_ref().is_some_and(|tree| {
            let mut all = tree.exprs.post_order(tree.root).into_iter();
            all.any(|e| is_choice(program, &tree.exprs, e)) && eval(program, &tree.exprs, tree.root).is_err()
        })
}

/// Whether a builtin is called for constants of 64 bits.
fn is_wide_call(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let Some((function, args)) = callee(program, exprs, id) else { return false };
    matches!(function.body, FunctionBody::Intrinsic(_))
        && args.iter().any(|a| has_wide(program, exprs[*a].ty))
        && args.iter().all(|a| eval(program, exprs, *a).is_ok())
}

fn has_wide(program: &Program, ty: TypeId) -> bool {
    program.types.component(ty).is_some_and(|s| s.size() == 8)
}

/// Whether the value of a constant is computed with numbers of 64 bits.
fn is_wide(program: &Program, global: &Global) -> bool {
    let wide = |ty: TypeId| has_wide(program, ty);
    has_constant(global)
        && global.init.as_ref().is_some_and(|tree| {
            let mut all = tree.exprs.post_order(tree.root).into_iter();
            all.any(|e| match tree.exprs[e].kind {
                ExprKind::Binary(op, a, _) => wide(tree.exprs[a].ty) && !op.is_comparison(),
                ExprKind::Call(_, ref args) => args.iter().any(|a| wide(tree.exprs[*a].ty)),
                _ => false,
            })
        })
}
