//! `out` and `inout` parameters become pointers.
//!
//! Before: `void f(inout float x) { x += 1; }           f(a);`
//! After:  `void f(function float* x) { *x += 1; }      f(&a);`
//!
//! `flatten` leaves only whole variables as such arguments.

use super::needs::{Find, Finder};
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass =
    Pass { name: "out_parameters", removes: &[OUT], after: &["flatten", "mutable_parameters"], run, ..Pass::ROW };

/// Parameters of functions that are written back.
pub(super) const OUT: Finder = (
    Capability::OutParameters,
    Find::Param(|_, p, _| matches!(p.mode, ParamMode::Out | ParamMode::InOut | ParamMode::Ref)),
);

fn run(cx: &mut Context) {
    let entries: FxHashSet<FunctionId> = cx.program.entry_points.iter().map(|e| e.function).collect();
    let modes: Vec<Vec<bool>> = cx.program.functions.iter().map(|(id, f)| written(f, entries.contains(&id))).collect();
    cx.each_body(&mut |cx, id, body| {
        arguments(cx.program, body, &modes);
        let Some(written) = modes.get(id.index()) else { return };
        let locals: Vec<LocalId> = cx.program.functions[id].params.iter().map(|p| p.local).collect();
        for (local, _) in locals.iter().zip(written).filter(|(_, w)| **w) {
            dereference(cx.program, body, *local);
        }
    });
    for (id, function) in cx.program.functions.iter_mut() {
        let Some(written) = modes.get(id.index()) else { continue };
        for (param, _) in function.params.iter_mut().zip(written).filter(|(_, w)| **w) {
            param.mode = ParamMode::In;
        }
    }
}

/// Which parameters become pointers.
fn written(function: &Function, is_entry: bool) -> Vec<bool> {
    let spelled = is_entry || !matches!(function.body, FunctionBody::Block);
    let by_reference = |p: &Param| matches!(p.mode, ParamMode::Out | ParamMode::InOut | ParamMode::Ref);
    function.params.iter().map(|p| !spelled && by_reference(p)).collect()
}

/// Uses of the parameter are what it points to.
fn dereference(program: &mut Program, body: &mut Body, local: LocalId) {
    let ty = body.locals[local].ty;
    let pointer = program.types.intern(Type::Pointer(ty, AddressSpace::Function));
    for id in body.expressions() {
        if matches!(body.exprs[id].kind, ExprKind::Local(l) if l == local) {
            let name = body.exprs.displace(id);
            body.exprs[name].ty = pointer;
            body.exprs[id].kind = ExprKind::Deref(name);
        }
    }
    body.locals[local].ty = pointer;
    body.locals[local].constant = true;
}

/// Arguments for such parameters are addresses.
fn arguments(program: &mut Program, body: &mut Body, modes: &[Vec<bool>]) {
    for id in body.expressions() {
        let ExprKind::Call(function, args) = &body.exprs[id].kind else { continue };
        let Some(written) = modes.get(function.index()) else { continue };
        let taken: Vec<ExprId> = args.iter().zip(written).filter(|(_, w)| **w).map(|(a, _)| *a).collect();
        for arg in taken {
            let ty = program.types.intern(Type::Pointer(body.exprs[arg].ty, AddressSpace::Function));
            let place = body.exprs.displace(arg);
            body.exprs[arg].kind = ExprKind::AddressOf(place);
            body.exprs[arg].ty = ty;
        }
    }
}
