//! Calls that are passed ray queries or hit objects become the statements of the function, where a target cannot pass them.
//!
//! Before: `bool step(inout RayQuery<0> q) { return q.Proceed(); }        step(queries[1])`
//! After:  `queries[1].Proceed()`
//!
//! It marks the functions, `inline_builtins` puts their statements in place. Those that return elsewhere than at their end
//! stay as they are, and are errors.

use super::needs::{Find, callee};
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass = Pass {
    name: "object_parameters",
    lessens: &[Capability::ObjectParameters, Capability::ObjectElements],
    after: &["object_results", "object_copies"],
    run,
    ..Pass::ROW
};

/// What finds objects that are passed.
pub(super) const FINDERS: [(Capability, Find); 2] = [
    (
        Capability::ObjectParameters,
        Find::Param(|p, _, ty| match p.types.get(ty) {
            Type::Pointer(to, _) => p.types.get(to).is_object(),
            _ => p.types.get(p.types.innermost(ty)).is_object(),
        }),
    ),
    (Capability::ObjectElements, Find::at(ExprKinds::CALL, |p, exprs, id| passes_element(p, exprs, id).is_some())),
];

/// The function with a body that a call gives an element of an array of objects.
fn passes_element(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<FunctionId> {
    let (function, args) = callee(program, exprs, id)?;
    let element =
        |a: &ExprId| program.types.get(exprs[*a].ty).is_object() && matches!(exprs[*a].kind, ExprKind::Index(..));
    let ExprKind::Call(called, _) = exprs[id].kind else { return None };
    (matches!(function.body, FunctionBody::Block) && args.iter().any(element)).then_some(called)
}

fn run(cx: &mut Context) {
    if !cx.profile.has(Capability::ObjectElements) {
        // Other calls stay: what is inlined is a function of its own.
        let mut own = FxHashMap::default();
        cx.each_body(&mut |cx, _, body| {
            for id in body.expressions() {
                let Some(function) = passes_element(cx.program, &body.exprs, id) else { continue };
                let inlined = *own.entry(function).or_insert_with(|| {
                    let copy = Function { inline: true, ..cx.program.functions[function].clone() };
                    cx.program.functions.push(copy)
                });
                if let ExprKind::Call(called, _) = &mut body.exprs[id].kind {
                    *called = inlined;
                }
            }
        });
    }
    if !cx.profile.has(Capability::ObjectParameters) {
        for (_, function) in cx.program.functions.iter_mut() {
            let is_object = |ty| cx.program.types.get(cx.program.types.innermost(ty)).is_object();
            let passed = |p: &Param| function.code.locals.get_if(p.local).is_some_and(|l| is_object(l.ty));
            function.inline |= matches!(function.body, FunctionBody::Block) && function.params.iter().any(passed);
        }
    }
}
