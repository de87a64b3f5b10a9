//! Functions that are passed, lambdas that hold nothing and descriptor heaps are passed no more: what they are is known by their
//! types.
//!
//! Before: `float at(Lambda f, float x) { return Lambda_call(f, x); }    Lambda twice = (Lambda)0;  at(twice, 4)`
//! After:  `float at(float x) { return Lambda_call(x); }                 at(4)`
//!
//! A parameter for which a call has effects in its argument stays.

use super::empty_structs::is_empty;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::analyses::effects::is_pure;
use crate::tree::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

pub(super) const PASS: Pass = Pass {
    name: "empty_parameters",
    always: Some("empty structs that nobody wrote say nothing in any target"),
    // Functions of one name.
    adds: Capability::ALL,
    after: &["select_target"],
    run,
    ..Pass::ROW
};

/// Parameters by their functions and numbers.
type Dropped = BTreeSet<(FunctionId, usize)>;

fn is_dropped(program: &Program, ty: TypeId) -> bool {
    let Type::Struct(id) = program.types.get(ty) else { return false };
    // The library has its heaps as constants of its own structs.
    let is_heap = |s: &Struct| s.builtin && program.globals.iter().any(|(_, global)| global.ty == ty);
    let structure = &program.structs[id];
    (structure.made || is_heap(structure)) && is_empty(program, ty)
}

fn run(cx: &mut Context) {
    let places = places(cx.program);
    if places.is_empty() {
        return;
    }
    cx.each_body(&mut |cx, id, body| {
        let mut gone: FxHashSet<LocalId> = FxHashSet::default();
        for (at, param) in cx.program.functions[id].params.iter().enumerate() {
            if places.contains(&(id, at)) {
                gone.insert(param.local);
            }
        }
        drop_variables(cx.program, body, &mut gone);
        for id in body.expressions() {
            if matches!(body.exprs[id].kind, ExprKind::Local(local) if gone.contains(&local)) {
                body.exprs[id].kind = ExprKind::Zero;
            }
        }
    });
    cx.program.each_exprs_mut(&mut |_, exprs, live| {
        for id in live {
            if let ExprKind::Call(function, args) = &mut exprs[*id].kind {
                keep(args, *function, &places);
            }
        }
    });
    for id in places.iter().map(|(id, _)| *id).collect::<BTreeSet<_>>() {
        keep(&mut cx.program.functions[id].params, id, &places);
    }
}

fn keep<T>(list: &mut Vec<T>, function: FunctionId, places: &Dropped) {
    let mut at = 0..;
    list.retain(|_| at.next().is_none_or(|at| !places.contains(&(function, at))));
}

/// The parameters that go.
fn places(program: &Program) -> Dropped {
    let mut places = Dropped::new();
    for (id, function) in program.functions.iter().filter(|(_, f)| matches!(f.body, FunctionBody::Block)) {
        for (at, param) in function.params.iter().enumerate() {
            if param.mode == ParamMode::In && is_dropped(program, function.code.locals[param.local].ty) {
                places.insert((id, at));
            }
        }
    }
    if places.is_empty() {
        return places;
    }
    program.each_exprs(&mut |exprs, live| {
        for call in live {
            let ExprKind::Call(function, args) = &exprs[*call].kind else { continue };
            for (at, _) in args.iter().enumerate().filter(|(_, arg)| !is_pure(exprs, **arg)) {
                places.remove(&(*function, at));
            }
        }
    });
    places
}

/// Takes away the variables of such types that only have their first value.
fn drop_variables(program: &Program, body: &mut Body, gone: &mut FxHashSet<LocalId>) {
    let written = program.written_locals(body);
    let Body { block, exprs, locals, .. } = body;
    block.rewrite(&mut |stmt, out| match stmt.kind {
        StmtKind::Local(local, value)
            if is_dropped(program, locals[local].ty)
                && !written.contains(&local)
                && value.is_none_or(|v| is_pure(exprs, v)) =>
        {
            gone.insert(local);
        }
        _ => out.push(stmt),
    });
}
