//! Static variables that hold inputs: those that the only entry point sets once, before anything reads them.
//!
//! Before: `static float2 v;  float f() { return EvaluateAttributeCentroid(v).x; }        v = uv;  f();`
//! After:  `static float2 v;  float f() { return EvaluateAttributeCentroid(uv).x; }       v = uv;  f();`

use super::{Interpolant, InterpolantMaker, KnownInputs};
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// The variables, of which nothing is known yet.
pub(super) fn set_once(program: &Program) -> FxHashMap<GlobalId, Option<Interpolant>> {
    let [entry] = &program.entry_points[..] else { return FxHashMap::default() };
    let mut writes: FxHashMap<GlobalId, u32> = FxHashMap::default();
    program.each_exprs(&mut |exprs, live| {
        for id in live {
            program.each_written(exprs, *id, &mut |place| {
                if let ExprKind::Global(global) = exprs[exprs.base(place)].kind {
                    *writes.entry(global).or_default() += 1;
                }
            });
        }
    });
    let body = &program.functions[entry.function].code;
    let (mut read, mut found) = (FxHashSet::default(), FxHashMap::default());
    for stmt in &body.block.stmts {
        if let Some((global, value)) = assigned(program, body, stmt) {
            mentioned(program, &body.exprs, value, &mut read);
            if writes.get(&global) == Some(&1) && !read.contains(&global) {
                found.insert(global, None);
            }
            continue;
        }
        let mut note = |inner: &Stmt| inner.own_exprs(&mut |root| mentioned(program, &body.exprs, root, &mut read));
        Block::of(vec![stmt.clone()]).visit(&mut note);
    }
    found
}

/// The static variable that a statement sets as a whole, and the value.
fn assigned(program: &Program, body: &Body, stmt: &Stmt) -> Option<(GlobalId, ExprId)> {
    let StmtKind::Expr(root) = stmt.kind else { return None };
    let ExprKind::Assign(None, target, value) = body.exprs[root].kind else { return None };
    match body.exprs[target].kind {
        ExprKind::Global(global) if program.globals[global].kind == GlobalKind::Static => Some((global, value)),
        _ => None,
    }
}

/// Adds the globals that an expression mentions, also by what it calls.
fn mentioned(program: &Program, exprs: &ExprArena, root: ExprId, found: &mut FxHashSet<GlobalId>) {
    for id in exprs.post_order(root) {
        match exprs[id].kind {
            ExprKind::Global(global) => drop(found.insert(global)),
            ExprKind::Call(callee, _) => found.extend(program.analyses().reached_globals(std::iter::once(callee))),
            _ => {}
        }
    }
}

impl InterpolantMaker<'_> {
    /// Notes what the entry point sets such variables to.
    pub(super) fn set_statics(&mut self, body: &Body, known: &KnownInputs) {
        for stmt in &body.block.stmts {
            if let Some((global, value)) = assigned(self.program, body, stmt)
                && self.statics.contains_key(&global)
            {
                let source = self.source(&body.exprs, value, known);
                self.statics.insert(global, source);
            }
        }
    }
}
