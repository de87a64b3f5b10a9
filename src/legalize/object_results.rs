//! Ray queries and hit objects that functions give are written by them instead.
//!
//! Before: `RayQuery<0> trace() { RayQuery<0> q; q.TraceRayInline(...); return q; }        RayQuery<0> query = trace();`
//! After:  `void trace(inout RayQuery<0> q) { q.TraceRayInline(...); }                     RayQuery<0> query; trace(query);`
//!
//! What a function returns stands in the place of the variable that it returns, where it has one at a time for that; else
//! it is a copy, of which `object_copies` takes away what it can.

use super::hoist::{self, Mark, Marks};
use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "object_results",
    removes: &[(Capability::ObjectResults, Find::Function(gives))],
    adds: &[
        Capability::ObjectValues,
        Capability::ObjectElements,
        Capability::ObjectParameters,
        Capability::OutParameters,
    ],
    after: &["object_fields"],
    run,
    ..Pass::ROW
};

fn gives(program: &Program, function: &Function) -> bool {
    matches!(function.body, FunctionBody::Block) && program.types.get(function.result).is_object()
}

fn run(cx: &mut Context) {
    hoist::hoist_all(cx, &mut inner_calls);
    let mut changed = FxHashSet::default();
    for id in cx.program.functions_with_code() {
        if gives(cx.program, &cx.program.functions[id]) {
            write_result(cx.program, id);
            changed.insert(id);
        }
    }
    cx.each_body(&mut |cx, _, body| calls(cx.program, body, &changed));
}

/// The value that a statement declares a variable with, assigns to one, or returns: a call there needs no variable of its own.
pub(super) fn direct(exprs: &ExprArena, stmt: &Stmt) -> Option<ExprId> {
    match stmt.kind {
        StmtKind::Local(_, value) | StmtKind::Return(value) => value,
        StmtKind::Expr(e) => match exprs[e].kind {
            ExprKind::Assign(None, _, value) => Some(value),
            _ => Some(e),
        },
        _ => None,
    }
}

/// Calls inside of expressions.
fn inner_calls(program: &Program, body: &Body) -> Marks {
    let mut stand = FxHashSet::default();
    body.block.visit(&mut |stmt| stand.extend(direct(&body.exprs, stmt)));
    let gives = |id: &ExprId| match &body.exprs[*id].kind {
        ExprKind::Call(f, _) => gives(program, &program.functions[*f]),
        _ => false,
    };
    let inner = body.expressions().into_iter().filter(|id| gives(id) && !stand.contains(id));
    inner.map(|id| (id, Mark::Value(hoist::temporary_name(program, body, id)))).collect()
}

/// Makes a function write what it gives.
fn write_result(program: &mut Program, id: FunctionId) {
    let function = &mut program.functions[id];
    let (ty, span) = (function.result, function.span);
    let mut body = std::mem::take(&mut function.code);
    let own = returned(&body, &function.params);
    let name = own.first().map_or("result".into(), |l| body.locals[*l].name);
    let result = body.add_local(name, ty, span);
    function.result = TypeId::VOID;
    function.params.insert(0, Param { mode: ParamMode::InOut, ..Param::new(result) });
    for id in body.expressions() {
        if matches!(body.exprs[id].kind, ExprKind::Local(l) if own.contains(&l)) {
            body.exprs[id].kind = ExprKind::Local(result);
        }
    }
    let mut block = std::mem::take(&mut body.block);
    block.rewrite(&mut |mut stmt, out| {
        let (value, returns) = match stmt.kind {
            StmtKind::Local(l, Some(value)) if own.contains(&l) => (Some(value), false),
            StmtKind::Return(Some(value)) => (Some(value), true),
            _ => return out.push(stmt),
        };
        let is_result = |e: &ExprId| matches!(body.exprs[*e].kind, ExprKind::Local(l) if l == result);
        let at = out.len();
        if let Some(value) = value.filter(|v| !is_result(v)) {
            let mut b = Build::new(&mut program.types, &mut body.exprs, stmt.span);
            let place = b.local(result, ty);
            out.push(b.set(place, value));
        }
        if returns {
            out.push(Stmt::new(StmtKind::Return(None), stmt.span));
        }
        stmt.give_comments(out.get_mut(at), true);
    });
    block.leave_out(&mut |stmt| matches!(stmt.kind, StmtKind::Local(l, None) if own.contains(&l)));
    if let Some(last) = block.stmts.pop_if(|last| matches!(last.kind, StmtKind::Return(None))) {
        block.trailing.splice(0..0, last.comments.into_iter().filter(|c| !c.trailing));
    }
    body.block = block;
    program.functions[id].code = body;
}

/// The variables that a function returns, if no two of them are in use at once.
fn returned(body: &Body, params: &[Param]) -> Vec<LocalId> {
    let mut list = Vec::new();
    body.block.visit(&mut |stmt| {
        if let StmtKind::Return(Some(value)) = stmt.kind
            && let ExprKind::Local(l) = body.exprs[value].kind
            && !list.contains(&l)
            && params.iter().all(|p| p.local != l)
        {
            list.push(l);
        }
    });
    // Where each is first and last mentioned.
    let mut ranges: FxHashMap<LocalId, (usize, usize)> = FxHashMap::default();
    for (at, id) in body.expressions().into_iter().enumerate() {
        if let ExprKind::Local(l) = body.exprs[id].kind {
            ranges.entry(l).or_insert((at, at)).1 = at;
        }
    }
    let mut ranges: Vec<(usize, usize)> = list.iter().filter_map(|l| ranges.get(l).copied()).collect();
    ranges.sort_unstable();
    let apart = ranges.windows(2).all(|pair| matches!(pair, [(_, end), (start, _)] if end < start));
    if apart { list } else { Vec::new() }
}

/// Calls are given what they write.
fn calls(program: &mut Program, body: &mut Body, changed: &FxHashSet<FunctionId>) {
    let called = |exprs: &ExprArena, e: ExprId| match &exprs[e].kind {
        ExprKind::Call(f, _) => changed.contains(f),
        _ => false,
    };
    let mut block = std::mem::take(&mut body.block);
    block.rewrite(&mut |mut stmt, out| {
        let Some(call) = direct(&body.exprs, &stmt).filter(|e| called(&body.exprs, *e)) else { return out.push(stmt) };
        let Expr { ty, span, .. } = body.exprs[call];
        let (at, mut declared) = (out.len(), None);
        let place = match stmt.kind {
            StmtKind::Local(local, _) => {
                declared = Some(local);
                None
            }
            StmtKind::Expr(e) => match body.exprs[e].kind {
                ExprKind::Assign(None, place, _) => Some(place),
                _ => None,
            },
            _ => return out.push(stmt),
        };
        let place = place.unwrap_or_else(|| {
            let name = hoist::temporary_name(program, body, call);
            let local = declared.unwrap_or_else(|| body.add_local(name, ty, span));
            body.locals[local].set_later();
            out.push(Stmt::new(StmtKind::Local(local, None), stmt.span));
            Build::new(&mut program.types, &mut body.exprs, span).local(local, ty)
        });
        if let ExprKind::Call(_, args) = &mut body.exprs[call].kind {
            args.insert(0, place);
        }
        body.exprs[call].ty = TypeId::VOID;
        stmt.kind = StmtKind::Expr(call);
        stmt.give_comments(out.get_mut(at), false);
        out.push(stmt);
    });
    body.block = block;
}
