//! What a mesh shader gives and passes as `out` arguments goes through variables: a vertex is assigned when the call has given it.
//!
//! Before: `set(i, vertices[i]);`
//! After:  `Vertex v; set(i, v); vertices[i] = v;`
//!
//! Only the statements with such a call are flattened.

use crate::layout::locations::mesh_output;
use crate::legalize::needs::Find;
use crate::legalize::{Context, Pass};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashSet;

pub(in crate::legalize) const PASS: Pass = Pass {
    name: "mesh_elements",
    removes: &[(Capability::MeshElementArguments, Find::body(ExprKinds::CALL, first))],
    adds: &[Capability::ArgumentsInOrder],
    after: &["inline_builtins", "lower_properties"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let effects = cx.effects();
    cx.each_body(&mut |cx, id, body| {
        let live = body.expressions();
        let elements = mesh_elements(cx.program, id, body, &live);
        if !elements.is_empty() {
            let written = cx.program.written_locals(body);
            super::flatten_body(cx, &effects, body, false, Some(Only { arguments: elements, written }));
        }
    });
}

fn first(program: &Program, id: FunctionId, body: &Body, live: &[ExprId]) -> Option<Span> {
    let elements = mesh_elements(program, id, body, live);
    live.iter().find(|id| elements.contains(id)).map(|id| body.exprs[*id].span)
}

/// What of the outputs of a mesh shader, which `id` has as parameters, is an `out` or `inout` argument by itself.
fn mesh_elements(program: &Program, id: FunctionId, body: &Body, live: &[ExprId]) -> FxHashSet<ExprId> {
    let params = program.functions[id].params.iter();
    let outputs = params.filter(|p| mesh_output(program, p, body.locals[p.local].ty).is_some());
    let outputs: FxHashSet<LocalId> = outputs.map(|p| p.local).collect();
    let mut found = FxHashSet::default();
    if outputs.is_empty() {
        return found;
    }
    for call in live {
        let ExprKind::Call(function, args) = &body.exprs[*call].kind else { continue };
        let is_part = |arg: ExprId| {
            let base = body.exprs.base(arg);
            base != arg && matches!(body.exprs[base].kind, ExprKind::Local(l) if outputs.contains(&l))
        };
        found.extend(program.written_arguments(*function, args).filter(|arg| is_part(*arg)));
    }
    found
}

/// What is flattened, where that is not all of a body.
pub(super) struct Only {
    /// The `out` arguments that go through copies; statements without one stay.
    pub arguments: FxHashSet<ExprId>,
    /// The variables of the body that are written somewhere.
    pub written: FxHashSet<LocalId>,
}

impl Only {
    /// Whether an index is the same wherever it is in the body.
    pub fn is_fixed(&self, exprs: &ExprArena, index: ExprId) -> bool {
        exprs.post_order(index).into_iter().all(|id| match exprs[id].kind {
            ExprKind::Literal(..) | ExprKind::Convert(..) | ExprKind::Binary(..) | ExprKind::Swizzle(..) => true,
            ExprKind::Local(local) => !self.written.contains(&local),
            _ => false,
        })
    }
}
