//! Assignments whose value and place affect each other are evaluated in the order of the language that they are written in.
//!
//! Before: `a[next()] = next();`                        in HLSL, where the value comes first,
//! After:  `int value = next();  a[next()] = value;`    for a target where the place comes first
//!
//! And the other way about: in Slang the place comes first, and HLSL is a target. Only assignments that are statements are looked
//! at: `nested_assignments` has made statements of those inside of expressions. And only those in which the order shows: one side changes what the other one reads, or both act.

use super::hoist::temporary_name;
use super::needs::Find;
use super::{Context, Pass};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::analyses::uniformity::is_varying_global;
use crate::tree::*;
use std::cell::LazyCell;
use std::collections::BTreeSet;

pub(super) const PASS: Pass = Pass {
    name: "assignment_order",
    removes: &[
        (Capability::ValueBeforePlace, Find::body(ExprKinds::ASSIGN, |p, _, body, _| first(p, body, true))),
        (Capability::PlaceBeforeValue, Find::body(ExprKinds::ASSIGN, |p, _, body, _| first(p, body, false))),
    ],
    after: &["inline_builtins", "lower_properties"],
    run,
    ..Pass::ROW
};

/// The first assignment in which the order shows, in a function where the value comes first or not.
fn first(program: &Program, body: &Body, wanted: bool) -> Option<Span> {
    let effects = LazyCell::new(|| program.effects());
    let mut found = None;
    if body.value_first == wanted {
        body.block.visit(&mut |stmt| {
            if found.is_none() && may_show(body, stmt).is_some_and(|(t, v)| shows(program, &effects, body, t, v)) {
                found = Some(stmt.span);
            }
        });
    }
    found
}

fn run(cx: &mut Context) {
    let effects = cx.effects();
    let lacked = [Capability::PlaceBeforeValue, Capability::ValueBeforePlace].map(|c| !cx.profile.has(c));
    for id in cx.program.functions_with_code() {
        let value_first = cx.program.functions[id].code.value_first;
        if !lacked[usize::from(value_first)] {
            continue;
        }
        let mut body = std::mem::take(&mut cx.program.functions[id].code);
        let mut block = std::mem::take(&mut body.block);
        block.rewrite(&mut |mut stmt, out| {
            if let Some((target, value)) = assignment(&body, &stmt)
                && shows(cx.program, &effects, &body, target, value)
            {
                let parts = if value_first { vec![value] } else { indices(&body.exprs, target) };
                let first = out.len();
                parts.into_iter().for_each(|part| out.push(kept(cx.program, &mut body, part)));
                stmt.give_comments(out.get_mut(first), false);
            }
            out.push(stmt);
        });
        body.block = block;
        cx.program.functions[id].code = body;
    }
}

/// Target and value of an assignment that is a statement, if something is computed for the target.
fn may_show(body: &Body, stmt: &Stmt) -> Option<(ExprId, ExprId)> {
    assignment(body, stmt).filter(|(target, _)| !indices(&body.exprs, *target).is_empty())
}

/// Target and value of an assignment that is a statement.
fn assignment(body: &Body, stmt: &Stmt) -> Option<(ExprId, ExprId)> {
    let StmtKind::Expr(root) = stmt.kind else { return None };
    match body.exprs[root].kind {
        ExprKind::Assign(_, target, value) => Some((target, value)),
        _ => None,
    }
}

/// Whether it makes a difference which side comes first.
pub(super) fn shows(program: &Program, effects: &Effects, body: &Body, target: ExprId, value: ExprId) -> bool {
    let place = indices(&body.exprs, target);
    affects(program, effects, &body.exprs, &place, &[value]) || affects(program, effects, &body.exprs, &[value], &place)
}

/// The indices of a place that are more than literals, outer ones last.
pub(super) fn indices(exprs: &ExprArena, place: ExprId) -> Vec<ExprId> {
    let (mut found, mut at) = (Vec::new(), Some(place));
    while let Some(id) = at {
        if let ExprKind::Index(_, index) = exprs[id].kind
            && !matches!(exprs[index].kind, ExprKind::Literal(..))
        {
            found.push(index);
        }
        at = super::references::selected(exprs, id);
    }
    found.reverse();
    found
}

/// Whether evaluating some expressions may change the values of others.
pub(super) fn affects(
    program: &Program,
    effects: &Effects,
    exprs: &ExprArena,
    acting: &[ExprId],
    others: &[ExprId],
) -> bool {
    let (mut written, mut calls) = (BTreeSet::new(), false);
    for id in acting.iter().filter(|id| effects.expr(exprs, **id)).flat_map(|id| exprs.post_order(*id)) {
        program.each_written(exprs, id, &mut |place| written.extend([exprs.base(place)]));
        calls |= matches!(exprs[id].kind, ExprKind::Call(f, _) if effects.has(f));
    }
    let written: Vec<&ExprKind> = written.iter().map(|base| &exprs[*base].kind).collect();
    let global_is_written = |global: &GlobalId| {
        let variable = &program.globals[*global];
        calls && !variable.never_written && is_varying_global(program, variable)
            || written.iter().any(|w| matches!(w, ExprKind::Global(g) if g == global))
    };
    let is_written = |id: &ExprId| match &exprs[*id].kind {
        ExprKind::Local(local) => written.iter().any(|w| matches!(w, ExprKind::Local(l) if l == local)),
        ExprKind::Global(global) => global_is_written(global),
        ExprKind::Call(f, _) if effects.has(*f) => calls || !written.is_empty(),
        ExprKind::Call(f, _) if program.functions[*f].is_marked("__reads_memory") => calls,
        // It may only read.
        ExprKind::Call(f, _) => {
            let reached = || program.analyses().reached_globals([*f].into_iter());
            (calls || !written.is_empty()) && reached().iter().any(global_is_written)
        }
        _ => false,
    };
    others.iter().flat_map(|id| exprs.post_order(*id)).any(|id| is_written(&id))
}

/// A part of a statement in a variable before it.
pub(super) fn kept(program: &Program, body: &mut Body, part: ExprId) -> Stmt {
    let Expr { ty, span, .. } = body.exprs[part];
    let name = temporary_name(program, body, part);
    let local = body.add_local(name, ty, span);
    body.locals[local].constant = true;
    let value = body.exprs.displace(part);
    body.exprs[part].kind = ExprKind::Local(local);
    Stmt::new(StmtKind::Local(local, Some(value)), span)
}
