//! Variables are read before or after what changes them, as the language has it and not as the target does.
//!
//! Before: `f(x, x++);                    x += f();`             where `f` writes `x`
//! After:  `int value = x;                int f_result = f();`
//!         `f(value, x++);                x += f_result;`
//!
//! glslang takes the value of an argument that is a variable, also behind a comma, only when it makes the call. In WGSL a compound assignment reads its
//! variable before it computes the value.

use super::assignment_order::{affects, indices, kept, shows};
use super::hoist::{Mark, hoist_all, temporary_name};
use super::needs::{Find, callee};
use super::{Context, Pass};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::analyses::is_pure;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "operand_order",
    removes: &[
        (
            Capability::ArgumentsInOrder,
            Find::at(ExprKinds::CALL, |p, e, id| may_change(p, e, id) && !changed(p, &p.effects(), e, id).is_empty()),
        ),
        (
            Capability::ArgumentsInOrder,
            Find::at(ExprKinds::SELECT, |p, e, id| {
                is_choice(p, e, id, true) && !late(p, &p.effects(), e, id).is_empty()
            }),
        ),
        (Capability::LateOldValues, Find::body(ExprKinds::ASSIGN, |p, _, body, _| first_compound(p, body))),
        (
            Capability::LateOldValues,
            Find::at(ExprKinds::SELECT, |p, e, id| {
                is_choice(p, e, id, false) && !late(p, &p.effects(), e, id).is_empty()
            }),
        ),
    ],
    after: &["inline_builtins", "lower_properties", "assignment_order", "flatten"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let effects = cx.effects();
    let [arguments, old_values] = [Capability::ArgumentsInOrder, Capability::LateOldValues].map(|c| !cx.profile.has(c));
    hoist_all(cx, &mut |program, body| {
        let operands = body.expressions().into_iter().flat_map(|id| match body.exprs[id].kind {
            ExprKind::Call(..) if arguments && may_change(program, &body.exprs, id) => {
                changed(program, &effects, &body.exprs, id)
            }
            ExprKind::Select(..) if is_choice(program, &body.exprs, id, !old_values) => {
                late(program, &effects, &body.exprs, id)
            }
            _ => Vec::new(),
        });
        operands.map(|id| (id, Mark::Value(temporary_name(program, body, id)))).collect()
    });
    if old_values {
        cx.each_body(&mut |cx, _, body| compounds_in_order(cx.program, &effects, body));
    }
}

/// Whether evaluating the arguments of a call may do something, without a look at what is called.
fn may_change(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    callee(program, exprs, id).is_some_and(|(function, args)| {
        matches!(function.body, FunctionBody::Block) && args.iter().skip(1).any(|a| !is_pure(exprs, *a))
    })
}

/// The arguments of a call that are parts of variables which later arguments may change.
fn changed(program: &Program, effects: &Effects, exprs: &ExprArena, id: ExprId) -> Vec<ExprId> {
    let Some((function, args)) = callee(program, exprs, id) else { return Vec::new() };
    let pairs = function.params.iter().zip(args).enumerate();
    let read = pairs.filter(|(_, (p, a))| {
        p.mode == ParamMode::In
            && matches!(exprs[exprs.base(given(exprs, **a))].kind, ExprKind::Local(_) | ExprKind::Global(_))
            && !program.holds_resource(exprs[**a].ty)
    });
    let later = |i: usize| args.get(i + 1..).unwrap_or(&[]);
    read.filter(|(i, (_, a))| affects(program, effects, exprs, later(*i), &[**a])).map(|(_, (_, a))| *a).collect()
}

/// What an expression gives behind its commas.
fn given(exprs: &ExprArena, id: ExprId) -> ExprId {
    let mut at = id;
    while let ExprKind::Comma(_, last) = exprs[at].kind {
        at = last;
    }
    at
}

/// Whether one of two values is chosen and an operand does something, without a look at what is called.
fn is_choice(program: &Program, exprs: &ExprArena, id: ExprId, of_vectors: bool) -> bool {
    let ExprKind::Select(condition, a, b) = exprs[id].kind else { return false };
    let whole = matches!(program.types.get(exprs[condition].ty), Type::Scalar(_));
    !(of_vectors && whole) && [condition, a, b].iter().any(|part| !is_pure(exprs, *part))
}

/// The operands of a choice that are evaluated behind one that follows them, and can tell.
fn late(program: &Program, effects: &Effects, exprs: &ExprArena, id: ExprId) -> Vec<ExprId> {
    let ExprKind::Select(condition, a, b) = exprs[id].kind else { return Vec::new() };
    let tell = |first: ExprId, later: &[ExprId]| {
        affects(program, effects, exprs, &[first], later) || affects(program, effects, exprs, later, &[first])
    };
    [(condition, &[a, b][..]), (a, &[b])].into_iter().filter(|(o, later)| tell(*o, later)).map(|(o, _)| o).collect()
}

/// Target and value of a compound assignment whose value may change its variable.
fn compound(program: &Program, effects: &Effects, body: &Body, stmt: &Stmt) -> Option<(ExprId, ExprId)> {
    let (target, value) = compound_statement(body, stmt)?;
    affects(program, effects, &body.exprs, &[value], &[target]).then_some((target, value))
}

fn compound_statement(body: &Body, stmt: &Stmt) -> Option<(ExprId, ExprId)> {
    let StmtKind::Expr(root) = stmt.kind else { return None };
    match body.exprs[root].kind {
        ExprKind::Assign(Some(_), target, value) => Some((target, value)),
        _ => None,
    }
}

fn first_compound(program: &Program, body: &Body) -> Option<Span> {
    let mut candidates = Vec::new();
    body.block.visit(&mut |stmt| {
        if let Some((_, value)) = compound_statement(body, stmt)
            && !is_pure(&body.exprs, value)
        {
            candidates.push(stmt.clone());
        }
    });
    if candidates.is_empty() {
        return None;
    }
    let effects = program.effects();
    candidates.iter().find(|stmt| compound(program, &effects, body, stmt).is_some()).map(|stmt| stmt.span)
}

fn compounds_in_order(program: &Program, effects: &Effects, body: &mut Body) {
    let mut block = std::mem::take(&mut body.block);
    block.rewrite(&mut |mut stmt, out| {
        if let Some((target, value)) = compound(program, effects, body, &stmt) {
            let first = out.len();
            if shows(program, effects, body, target, value) {
                indices(&body.exprs, target).into_iter().for_each(|i| out.push(kept(program, body, i)));
            }
            out.push(kept(program, body, value));
            stmt.give_comments(out.get_mut(first), false);
        }
        out.push(stmt);
    });
    body.block = block;
}
