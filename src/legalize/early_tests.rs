//! Tests of depth and stencil before a fragment shader, where they show: what it writes is written for the fragments alone that
//! pass them, and the depth of those that it discards is kept.

use crate::source::Span;
use crate::tree::*;

/// The span of a fragment shader with `[earlydepthstencil]` that writes memory or discards.
pub(super) fn find(program: &Program, entry: &EntryPoint) -> Option<Span> {
    let function = &program.functions[entry.function];
    if entry.stage != Stage::Fragment || function.attribute("earlydepthstencil").is_none() {
        return None;
    }
    let reached = program.analyses().paths(entry);
    reached.into_iter().any(|(id, _)| shows(program, &program.functions[id].code)).then_some(function.span)
}

/// Whether a body writes memory that others see, or discards.
fn shows(program: &Program, body: &Body) -> bool {
    let mut found = false;
    body.block.visit(&mut |stmt| found |= matches!(stmt.kind, StmtKind::Discard));
    for id in body.expressions() {
        program.each_written(&body.exprs, id, &mut |place| found |= program.is_in_resource(&body.exprs, place));
        if let ExprKind::Call(function, args) = &body.exprs[id].kind {
            let callee = &program.functions[*function];
            let of_resource = args.first().is_some_and(|this| program.holds_resource(body.exprs[*this].ty));
            found |= callee.is_marked("__effects") && of_resource;
        }
    }
    found
}
