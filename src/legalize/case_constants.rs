//! Local constants that labels of cases name: WGSL knows the values of these alone, wherever they are named.
//!
//! Before: `const int FIRST = 0;   switch (n) { case FIRST: ... }   m = 1 / FIRST;`
//! After:  `const int FIRST = 0;   switch (n) { case 0: ... }       m = 1 / FIRST;`
//!
//! What else they are used for would have to be looked at as constant expressions are. So a label keeps names only of constants
//! that labels alone, and other such constants, are made of.

use crate::check::constant::{Value, eval_with};
use crate::tree::{Body, Expr, ExprArena, ExprId, ExprKind, Local, LocalId, Modifiers, Program, StmtKind, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The labels that name constants which are used elsewhere, with their values.
pub(super) fn used_elsewhere(program: &Program, body: &Body, live: &[ExprId]) -> Vec<(ExprId, Value)> {
    let mut labels = labels(body);
    if labels.iter().all(|label| locals(&body.exprs, *label).is_empty()) {
        return Vec::new();
    }
    let values = first_values(body);
    let mut found = Vec::new();
    // A constant whose name a label loses may be what another one is made of.
    loop {
        let named = named(body, &labels, &values);
        let elsewhere = elsewhere(body, &labels, &named, &values, live);
        let is_used = |label: &ExprId| named_by(body, *label, &values).iter().any(|l| elsewhere.contains(l));
        let (used, kept): (Vec<ExprId>, Vec<ExprId>) = labels.into_iter().partition(is_used);
        if used.is_empty() {
            break;
        }
        found.extend(used);
        labels = kept;
    }
    let known = known(program, body);
    let value = |label| eval_with(program, &body.exprs, label, &|local| known.get(&local).cloned()).ok();
    found.into_iter().filter_map(|label| Some((label, value(label)?))).collect()
}

/// The labels that are no literals and in which there are values of some types, with what they are.
pub(super) fn computed(program: &Program, body: &Body, is_meant: impl Fn(TypeId) -> bool) -> Vec<(ExprId, Value)> {
    let is_computed = |label: &ExprId| {
        let is_literal = matches!(body.exprs[*label].kind, ExprKind::Literal(..) | ExprKind::Zero);
        !is_literal && body.exprs.any_part(*label, |part| is_meant(body.exprs[part].ty))
    };
    let labels: Vec<ExprId> = labels(body).into_iter().filter(is_computed).collect();
    let known = if labels.is_empty() { FxHashMap::default() } else { known(program, body) };
    let value = |label| eval_with(program, &body.exprs, label, &|local| known.get(&local).cloned()).ok();
    labels.into_iter().filter_map(|label| Some((label, value(label)?))).collect()
}

/// Replaces labels by their values.
pub(super) fn replace(program: &mut Program, body: &mut Body, labels: Vec<(ExprId, Value)>) {
    for (label, value) in labels {
        let Expr { ty, span, .. } = body.exprs[label];
        if let Some(folded) = value.to_expr(&mut body.exprs, program, ty, span) {
            body.exprs.replace_by(label, folded);
        }
    }
}

/// The labels of all cases.
fn labels(body: &Body) -> Vec<ExprId> {
    let mut labels = Vec::new();
    body.block.visit(&mut |stmt| {
        if let StmtKind::Switch(_, cases, _) = &stmt.kind {
            labels.extend(cases.iter().flat_map(|case| case.labels.iter().flatten()));
        }
    });
    labels
}

fn first_values(body: &Body) -> FxHashMap<LocalId, ExprId> {
    let mut values = FxHashMap::default();
    body.block.visit(&mut |stmt| {
        if let StmtKind::Local(local, Some(value)) = stmt.kind {
            values.insert(local, value);
        }
    });
    values
}

/// The values of constants, as far as they are known.
pub(super) fn known(program: &Program, body: &Body) -> FxHashMap<LocalId, Value> {
    let mut known: FxHashMap<LocalId, Value> = FxHashMap::default();
    body.block.visit(&mut |stmt| {
        if let StmtKind::Local(local, Some(value)) = stmt.kind
            && let Local { constant: true, .. } = body.locals[local]
            && let Ok(value) = eval_with(program, &body.exprs, value, &|l| known.get(&l).cloned())
        {
            known.insert(local, value);
        }
    });
    known
}

/// The variables in an expression.
fn locals(exprs: &ExprArena, root: ExprId) -> Vec<LocalId> {
    let all = exprs.post_order(root).into_iter();
    all.filter_map(|id| if let ExprKind::Local(local) = exprs[id].kind { Some(local) } else { None }).collect()
}

/// The variables that a label is made of, itself or through others; without those that are constants of every target.
fn named_by(body: &Body, label: ExprId, values: &FxHashMap<LocalId, ExprId>) -> BTreeSet<LocalId> {
    let (mut open, mut found) = (vec![label], BTreeSet::new());
    while let Some(next) = open.pop() {
        for local in locals(&body.exprs, next) {
            if !body.locals[local].modifiers.has(Modifiers::STATIC) && found.insert(local) {
                open.extend(values.get(&local));
            }
        }
    }
    found
}

fn named(body: &Body, labels: &[ExprId], values: &FxHashMap<LocalId, ExprId>) -> BTreeSet<LocalId> {
    labels.iter().flat_map(|label| named_by(body, *label, values)).collect()
}

/// The variables that more is made of than these labels, and the first values of what they name.
fn elsewhere(
    body: &Body,
    labels: &[ExprId],
    named: &BTreeSet<LocalId>,
    values: &FxHashMap<LocalId, ExprId>,
    live: &[ExprId],
) -> FxHashSet<LocalId> {
    let first = named.iter().filter_map(|local| values.get(local));
    let within: FxHashSet<ExprId> = labels.iter().chain(first).flat_map(|id| body.exprs.post_order(*id)).collect();
    let uses = live.iter().filter(|id| !within.contains(id));
    uses.filter_map(|id| if let ExprKind::Local(local) = body.exprs[*id].kind { Some(local) } else { None }).collect()
}
