//! The same for the functions alone in which a value stands behind a comma. What such a value is, a constant or a resource, is
//! not seen through the comma by the passes between this one and the last.
//!
//! Before: `for (...; stream.Append(v[i]), i++) ;`
//! After:  `for (...) { stream.Append(v[i]); i++; }`
//!
//! What emits a vertex or ends a shader is a statement in GLSL.

use super::{OF_COPIES, flatten};
use crate::legalize::needs::Find;
use crate::legalize::{Context, Pass, entry_streams};
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;

/// The attribute of what is a statement in GLSL and has no value.
pub(in crate::legalize) const STATEMENT: &str = "__statement";

pub(in crate::legalize) const PASS: Pass = Pass {
    name: "commas",
    removes: &[
        (Capability::AssignmentExpressions, Find::at(ExprKinds::COMMA, is_comma)),
        (
            Capability::ResourceValues,
            Find::at(ExprKinds::COMMA, |p, e, id| is_comma(p, e, id) && p.holds_resource(e[id].ty)),
        ),
        (Capability::ActionExpressions, Find::Stmt(acts_inside)),
    ],
    adds: OF_COPIES,
    after: &["inline_builtins", "lower_properties"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let actions = !cx.profile.has(Capability::ActionExpressions);
    flatten(cx, false, &|cx, body| {
        let mut found = false;
        if actions {
            body.block.visit(&mut |stmt| found = found || acts_inside(cx.program, body, stmt));
        }
        found || body.expressions().into_iter().any(|id| PASS.finds(cx.profile, cx.program, &body.exprs, id))
    });
}

fn is_comma(_: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    matches!(exprs[id].kind, ExprKind::Comma(..))
}

/// Whether a call does what GLSL has a statement for.
pub(super) fn is_action(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let ExprKind::Call(function, _) = exprs[id].kind else { return false };
    let function = &program.functions[function];
    [STATEMENT, entry_streams::EMITS].iter().any(|word| function.attribute(word).is_some())
}

/// Whether such a call is a part of an expression, or in the head of a loop.
fn acts_inside(program: &Program, body: &Body, stmt: &Stmt) -> bool {
    let whole = match &stmt.kind {
        StmtKind::Expr(root) | StmtKind::Return(Some(root)) => Some(*root),
        _ => None,
    };
    let mut found = false;
    let mut look = |root: ExprId| {
        let mut inner = body.exprs.post_order(root).into_iter().filter(|id| Some(*id) != whole);
        found |= inner.any(|id| is_action(program, &body.exprs, id));
    };
    stmt.own_exprs(&mut look);
    if let StmtKind::For(init, ..) = &stmt.kind {
        init.iter().for_each(|stmt| stmt.own_exprs(&mut look));
    }
    found
}
