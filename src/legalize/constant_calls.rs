//! Named constants whose values call functions, or are computed in 64 bits where the target cannot, are what these give.
//!
//! Before: `static const int SIZE = align(100);`
//! After:  `static const int SIZE = 112;`

use super::needs::Find;
use super::{Context, Pass};
use crate::check::constant::eval;
use crate::target::Capability;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "constant_calls",
    removes: &[(Capability::CalledConstants, Find::Global(calls)), (Capability::WideConstants, Find::Global(is_wide))],
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
}

/// Whether the value of a constant calls a function that is no spelling of the target's.
fn calls(program: &Program, global: &Global) -> bool {
    let written = |f: FunctionId| matches!(program.functions[f].body, FunctionBody::Block);
    global.kind == GlobalKind::Const
        && global.init.as_ref().is_some_and(|tree| {
            let mut all = tree.exprs.post_order(tree.root).into_iter();
            all.any(|e| matches!(tree.exprs[e].kind, ExprKind::Call(f, _) if written(f)))
        })
}

/// Whether the value of a constant is computed with numbers of 64 bits.
fn is_wide(program: &Program, global: &Global) -> bool {
    let wide = |ty: TypeId| program.types.component(ty).is_some_and(|s| s.size() == 8);
    global.kind == GlobalKind::Const
        && global.init.as_ref().is_some_and(|tree| {
            let mut all = tree.exprs.post_order(tree.root).into_iter();
            all.any(|e| match tree.exprs[e].kind {
                ExprKind::Binary(op, a, _) => wide(tree.exprs[a].ty) && !op.is_comparison(),
                ExprKind::Call(_, ref args) => args.iter().any(|a| wide(tree.exprs[*a].ty)),
                _ => false,
            })
        })
}
