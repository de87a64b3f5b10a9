//! Named constants whose values call functions are what these give.
//!
//! Before: `static const int SIZE = align(100);`
//! After:  `static const int SIZE = 112;`

use super::needs::Find;
use super::{Context, Pass};
use crate::check::constant::eval;
use crate::target::Capability;
use crate::tree::*;

pub(super) const PASS: Pass =
    Pass { name: "constant_calls", removes: &[(Capability::CalledConstants, Find::Global(calls))], run, ..Pass::ROW };

fn run(cx: &mut Context) {
    for id in cx.program.globals.ids() {
        if !calls(cx.program, &cx.program.globals[id]) {
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
