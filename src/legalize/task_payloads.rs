//! What amplification shaders pass to mesh shaders becomes a variable of the work group.
//!
//! Before: `Payload payload = ...;  DispatchMesh(x, y, 1, payload);`
//! After:  `Payload payload = ...;  task_payload = payload;  DispatchMesh(x, y, 1, task_payload);`
//!
//! with `groupshared Payload task_payload;`. In Vulkan it is memory of the work group anyway, and DXC's SPIR-V takes nothing else. It is
//! copied behind the numbers of groups where these have effects, since it is read last.

use super::needs::{Find, callee};
use super::{Context, Pass};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "task_payloads",
    removes: &[(
        Capability::LocalTaskPayloads,
        Find::at(ExprKinds::CALL, |p, exprs, id| own_payload(p, exprs, id).is_some()),
    )],
    after: &["inline_builtins", "payload_structs"],
    run,
    ..Pass::ROW
};

/// What a call passes to mesh shaders that is no variable of the work group.
fn own_payload(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<ExprId> {
    let (function, args) = callee(program, exprs, id).filter(|(f, _)| f.is_marked(PASSES))?;
    // Rays bring theirs back.
    function.params.last().filter(|p| p.mode == ParamMode::Ref)?;
    let payload = *args.last()?;
    let is_shared =
        matches!(exprs[payload].kind, ExprKind::Global(g) if program.globals[g].kind == GlobalKind::Groupshared);
    (!is_shared).then_some(payload)
}

fn run(cx: &mut Context) {
    let effects = cx.effects();
    cx.each_body(&mut |cx, function, body| {
        let mut shared = BTreeMap::new();
        let mut block = std::mem::take(&mut body.block);
        block.rewrite(&mut |stmt, out| {
            if let StmtKind::Expr(call) = stmt.kind
                && let Some(payload) = own_payload(cx.program, &body.exprs, call)
            {
                let ty = body.exprs[payload].ty;
                let variable = *shared.entry(ty).or_insert_with(|| declared(cx.program, function, ty, stmt.span));
                out.extend(counts_first(cx.program, body, call, &effects));
                out.extend(copied(cx.program, body, call, variable));
            }
            out.push(stmt);
        });
        body.block = block;
    });
}

/// The variable of the work group, before the function that passes it.
fn declared(program: &mut Program, function: FunctionId, ty: TypeId, span: Span) -> GlobalId {
    let global = program.globals.push(Global::new("task_payload", ty, GlobalKind::Groupshared, span));
    program.items.put_before(Some(Item::Function(function)), Item::Global(global));
    global
}

/// Variables for the other arguments of a call, where one has effects.
fn counts_first(program: &mut Program, body: &mut Body, call: ExprId, effects: &Effects) -> Vec<Stmt> {
    let ExprKind::Call(function, mut args) = body.exprs[call].kind.clone() else { return Vec::new() };
    let Some((_, counts)) = args.split_last_mut() else { return Vec::new() };
    if !counts.iter().any(|count| effects.expr(&body.exprs, *count)) {
        return Vec::new();
    }
    let kept = counts.iter_mut().map(|count| {
        let Expr { ty, span, .. } = body.exprs[*count];
        let local = body.add_local("groups", ty, span);
        let value = std::mem::replace(count, Build::new(&mut program.types, &mut body.exprs, span).local(local, ty));
        Stmt::new(StmtKind::Local(local, Some(value)), span)
    });
    let kept = kept.collect();
    body.exprs[call].kind = ExprKind::Call(function, args);
    kept
}

/// Copies what a call passes to the variable, which it passes then.
fn copied(program: &mut Program, body: &mut Body, call: ExprId, variable: GlobalId) -> Option<Stmt> {
    let ExprKind::Call(function, mut args) = body.exprs[call].kind.clone() else { return None };
    let payload = args.last_mut()?;
    let Expr { ty, span, .. } = body.exprs[*payload];
    let mut b = Build::new(&mut program.types, &mut body.exprs, span);
    let place = b.global(variable, ty);
    let value = std::mem::replace(payload, b.global(variable, ty));
    let copy = b.set(place, value);
    body.exprs[call].kind = ExprKind::Call(function, args);
    Some(copy)
}
