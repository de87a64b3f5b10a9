//! Branches that a constant never takes go where they do what the target or a stage cannot.
//!
//! Before: `static const bool SOFT = false;   if (SOFT) { x = ddx(y); } else { x = y; }`   in a ray tracing shader
//! After:  `x = y;`
//!
//! Engines switch features by such constants; DXC and slangc look at what is left. Branches that the target accepts stay as they
//! are written.

use super::needs::required;
use super::{Context, PASSES, Pass, lacks_spelling, stages};
use crate::check::constant::eval;
use crate::lex::Comment;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

pub(super) const PASS: Pass = Pass {
    name: "dead_branches",
    always: Some("what is never done may need what neither the target nor the stage has"),
    // What is left of a choice is seen as it is.
    adds: Capability::ALL,
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let mut stages: Vec<Refused> = cx.program.entry_points.iter().filter_map(|entry| refused(cx, entry)).collect();
    if stages.is_empty() {
        return;
    }
    // Callees come first, so that what they do is known.
    for id in cx.program.reachable_functions() {
        let (of_function, others): (Vec<_>, Vec<_>) = stages.into_iter().partition(|s| s.reached.contains(&id));
        stages = of_function;
        if matches!(cx.program.functions[id].body, FunctionBody::Block) {
            let mut code = std::mem::take(&mut cx.program.functions[id].code);
            Prune { program: cx.program, stages: &stages }.body(&mut code);
            for stage in &mut stages {
                if stage.has(&code.exprs, &code.block) {
                    stage.functions.insert(id);
                }
            }
            cx.program.functions[id].code = code;
        }
        stages.extend(others);
    }
}

/// What the stage of an entry point cannot do.
struct Refused {
    /// What the entry point calls, directly or through others.
    reached: BTreeSet<FunctionId>,
    /// Functions that would be an error where they are called.
    functions: FxHashSet<FunctionId>,
    discards: bool,
}

/// What an entry point calls of what is refused: no pass does without what these functions of the library need.
fn refused(cx: &Context, entry: &EntryPoint) -> Option<Refused> {
    let lacks = |c: Capability| !cx.profile.has(c) && !PASSES.iter().any(|pass| pass.removes(c));
    let is_refused = |f: &Function| {
        f.builtin && (lacks_spelling(f) || required(f).any(lacks) || stages::refuses(f, entry, cx.profile))
    };
    let analyses = cx.program.analyses();
    let reached: BTreeSet<FunctionId> = analyses.paths(entry).into_iter().map(|(id, _)| id).collect();
    let called: FxHashSet<FunctionId> =
        reached.iter().flat_map(|id| analyses.uses(*id).functions.iter().copied()).collect();
    let functions: FxHashSet<FunctionId> =
        called.into_iter().filter(|id| is_refused(&cx.program.functions[*id])).collect();
    let discard = |id: &FunctionId| {
        let block = &cx.program.functions[*id].code.block;
        block.any(&mut |stmt| matches!(stmt.kind, StmtKind::Discard))
    };
    let discards = entry.stage != Stage::Fragment && reached.iter().any(discard);
    (discards || !functions.is_empty()).then_some(Refused { reached, functions, discards })
}

impl Refused {
    /// Whether it is in a block.
    fn has(&self, exprs: &ExprArena, block: &Block) -> bool {
        block.any(&mut |stmt| {
            let mut found = self.discards && matches!(stmt.kind, StmtKind::Discard);
            stmt.own_exprs(&mut |root| found = found || self.calls(exprs, root));
            found
        })
    }

    fn calls(&self, exprs: &ExprArena, root: ExprId) -> bool {
        let is_refused = |id: ExprId| matches!(exprs[id].kind, ExprKind::Call(f, _) if self.functions.contains(&f));
        exprs.any_part(root, is_refused)
    }
}

struct Prune<'a> {
    program: &'a Program,
    /// Of the stages that call the function.
    stages: &'a [Refused],
}

impl Prune<'_> {
    fn body(&self, body: &mut Body) {
        for id in body.expressions() {
            if let ExprKind::Select(condition, yes, no) = body.exprs[id].kind
                && let Some(truth) = self.truth(&body.exprs, condition)
                && self.stages.iter().any(|s| s.calls(&body.exprs, if truth { no } else { yes }))
                && body.exprs[if truth { yes } else { no }].ty == body.exprs[id].ty
            {
                body.exprs.replace_by(id, if truth { yes } else { no });
            }
        }
        let exprs = &body.exprs;
        body.block.rewrite(&mut |mut stmt, out| {
            self.cases(exprs, &mut stmt);
            match self.taken(exprs, stmt) {
                Ok(stmt) => out.push(stmt),
                Err((comments, block)) => splice(comments, block, out),
            }
        });
    }

    /// The branch that is left of a statement, or the statement.
    fn taken(&self, exprs: &ExprArena, stmt: Stmt) -> Result<Stmt, (Vec<Comment>, Block)> {
        let truth = match &stmt.kind {
            StmtKind::If(condition, ..) => self.truth(exprs, *condition),
            _ => None,
        };
        match (stmt, truth) {
            (Stmt { kind: StmtKind::If(_, yes, no, _), comments, .. }, Some(true))
                if no.as_ref().is_some_and(|no| self.refuses(exprs, no)) =>
            {
                Err((comments, yes))
            }
            (Stmt { kind: StmtKind::If(_, yes, no, _), comments, .. }, Some(false)) if self.refuses(exprs, &yes) => {
                Err((comments, no.unwrap_or_default()))
            }
            (stmt, _) => Ok(stmt),
        }
    }

    /// Leaves out the cases of a `switch` over a constant that are not taken, but for a `default`.
    fn cases(&self, exprs: &ExprArena, stmt: &mut Stmt) {
        let StmtKind::Switch(selector, cases, _) = &mut stmt.kind else { return };
        let int = |e: ExprId| eval(self.program, exprs, e).ok().and_then(|value| value.int());
        let ends = |case: &SwitchCase| {
            let last = case.body.stmts.last().map(|s| &s.kind);
            matches!(last, Some(StmtKind::Break | StmtKind::Return(_) | StmtKind::Continue | StmtKind::Discard))
        };
        let Some(value) = int(*selector).filter(|_| cases.iter().all(ends)) else { return };
        // What is no other constant may be the one.
        let is_other = |label: &Option<ExprId>| label.and_then(int).is_some_and(|n| n != value);
        cases.retain(|case| !(case.labels.iter().all(is_other) && self.refuses(exprs, &case.body)));
    }

    /// What a condition is, if no more than constants is in it.
    fn truth(&self, exprs: &ExprArena, condition: ExprId) -> Option<bool> {
        eval(self.program, exprs, condition).ok().and_then(|value| value.truth())
    }

    /// Whether a block does what a stage refuses.
    fn refuses(&self, exprs: &ExprArena, block: &Block) -> bool {
        self.stages.iter().any(|stage| stage.has(exprs, block))
    }
}

/// Puts statements in the place of the one that they were in; what they declare stays among them.
fn splice(comments: Vec<Comment>, mut block: Block, out: &mut Vec<Stmt>) {
    if block.stmts.iter().any(|s| matches!(s.kind, StmtKind::Local(..))) {
        let span = block.stmts.first().map_or_else(Default::default, |s| s.span);
        let stmt = Stmt { comments, ..Stmt::new(StmtKind::Block(block), span) };
        return out.push(stmt);
    }
    if let Some(first) = block.stmts.first_mut() {
        first.comments.splice(0..0, comments);
    }
    out.append(&mut block.stmts);
}
