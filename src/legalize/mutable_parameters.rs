//! A parameter that is written gets a local copy.
//!
//! Before: `float f(float x) { x *= 2; return x; }`
//! After:  `float f(float x_in) { float x = x_in; x *= 2; return x; }`
//!
//! It stands before `out_parameters`, so that a parameter passed on as `out` counts as written.

use super::needs::Find;
use super::{Context, Pass};
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "mutable_parameters",
    removes: &[(
        Capability::MutableParameters,
        Find::body(ExprKinds::WRITES, |p, id, body, live| {
            written(p, &p.functions[id], body, live).first().map(|l| body.locals[*l].span)
        }),
    )],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    cx.each_body(&mut |cx, id, body| {
        let written = written(cx.program, &cx.program.functions[id], body, &body.expressions());
        let mut copies = Vec::new();
        for param in &mut cx.program.functions[id].params {
            if !written.contains(&param.local) {
                continue;
            }
            // The body keeps its local; the parameter becomes a new one.
            let variable = param.local;
            let mut fresh = body.locals[variable].clone();
            let span = fresh.span;
            fresh.name = Symbol::new(&format!("{}_in", fresh.name));
            let ty = fresh.ty;
            param.local = body.locals.push(fresh);
            let init = Build::new(&mut cx.program.types, &mut body.exprs, span).local(param.local, ty);
            copies.push(Stmt::new(StmtKind::Local(variable, Some(init)), span));
        }
        body.block.stmts.splice(0..0, copies);
    });
}

/// The parameters of a function that are passed by value and written.
fn written(program: &Program, function: &Function, body: &Body, live: &[ExprId]) -> Vec<LocalId> {
    let pointer = |l: LocalId| matches!(program.types.get(body.locals[l].ty), Type::Pointer(..));
    let values = function.params.iter().filter(|p| p.mode == ParamMode::In && !pointer(p.local));
    let mut values: Vec<LocalId> = values.map(|p| p.local).collect();
    if !values.is_empty() {
        let written = program.written_among(&body.exprs, live);
        values.retain(|local| written.contains(local));
    }
    values
}
