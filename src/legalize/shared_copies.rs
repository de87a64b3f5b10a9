//! A constant buffer that is copied whole to groupshared memory goes through a variable.
//!
//! Before: `shared = settings;`
//! After:  `const Settings value = settings;  shared = value;`
//!
//! DXC ends with an error of its own where a field of that memory is accessed atomically.

use super::atomics::is_operation;
use super::hoist::{Mark, hoist_all, temporary_name};
use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::{ExprArena, ExprId, ExprKind, ExprKinds, GlobalKind, Program, Type};

pub(super) const PASS: Pass = Pass {
    name: "shared_copies",
    removes: &[(
        Capability::SharedBlockCopies,
        Find::at(ExprKinds::ASSIGN, |p, exprs, id| copied(p, exprs, id).is_some()),
    )],
    // What writes a whole variable has been made.
    after: &["aggregates"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    hoist_all(cx, &mut |program, body| {
        let found = body.expressions().into_iter().filter_map(|id| copied(program, &body.exprs, id));
        found.map(|value| (value, Mark::Value(temporary_name(program, body, value)))).collect()
    });
}

/// The buffer that an expression copies to groupshared memory of a program that accesses any atomically.
fn copied(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<ExprId> {
    let ExprKind::Assign(None, place, value) = exprs[id].kind else { return None };
    let is_shared =
        matches!(exprs[place].kind, ExprKind::Global(g) if program.globals[g].kind == GlobalKind::Groupshared);
    let ExprKind::Contents(buffer) = exprs[value].kind else { return None };
    let is_whole = matches!(exprs[buffer].kind, ExprKind::Global(_))
        && matches!(program.types.get(exprs[buffer].ty), Type::ConstantBuffer(..));
    let is_atomic = || program.functions.iter().any(|(_, f)| is_operation(f));
    (is_shared && is_whole && is_atomic()).then_some(value)
}
