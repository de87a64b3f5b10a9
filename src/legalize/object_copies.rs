//! A ray query or hit object that is a copy of another one, which is not used any more or does not change, is that one.
//!
//! Before: `HitObject first = trace();   HitObject hit = first;   hit.IsHit()`
//! After:  `HitObject first = trace();                             first.IsHit()`
//!
//! What is no such copy stays, and is an error: some targets have no way to copy them.

use super::{Context, Pass};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass =
    Pass { name: "object_copies", lessens: &[Capability::ObjectValues], after: &["object_results"], run, ..Pass::ROW };

fn run(cx: &mut Context) {
    cx.each_body(&mut |cx, id, body| {
        let params: Vec<LocalId> = cx.program.functions[id].params.iter().map(|p| p.local).collect();
        // Each round takes a copy away.
        while let Some(copy) = ObjectUses::of(cx.program, body, &params).copy(body) {
            unite(body, &copy);
        }
    });
}

/// Reports values of what begins by itself: no target writes them.
pub(super) fn check(program: &Program, diags: &mut Diagnostics) {
    program.each_exprs(&mut |exprs, live| {
        let is_value =
            |id: &&ExprId| matches!(exprs[**id].kind, ExprKind::Zero) && program.holds_object(exprs[**id].ty);
        if let Some(found) = live.iter().find(is_value) {
            let message = "a ray query or hit object has no value before it begins";
            diags.push(Diagnostic::error(Code::CAPABILITY, exprs[*found].span, message));
        }
    });
}

/// A statement that copies, and the variables that become one.
struct ObjectCopy {
    /// What is named from now on.
    kept: LocalId,
    /// What is not any more.
    dropped: LocalId,
}

/// Replaces one variable by another, and leaves out the copy between them and the declaration.
fn unite(body: &mut Body, copy: &ObjectCopy) {
    for id in body.expressions() {
        if matches!(body.exprs[id].kind, ExprKind::Local(l) if l == copy.dropped) {
            body.exprs[id].kind = ExprKind::Local(copy.kept);
        }
    }
    let exprs = &body.exprs;
    let is_kept = |e: ExprId| matches!(exprs[e].kind, ExprKind::Local(l) if l == copy.kept);
    body.block.leave_out(&mut |stmt| match stmt.kind {
        StmtKind::Local(l, _) => l == copy.dropped,
        StmtKind::Expr(e) => matches!(exprs[e].kind, ExprKind::Assign(None, a, b) if is_kept(a) && is_kept(b)),
        _ => false,
    });
}

/// Where the objects of a body are mentioned.
#[derive(Default)]
struct ObjectUses {
    objects: FxHashMap<LocalId, Object>,
    /// What is assigned from what: by a declaration or not, at which statement, in which loop.
    copies: Vec<(LocalId, LocalId, bool, Mention)>,
}

/// The number of a statement, and of the innermost loop around it.
#[derive(Clone, Copy, Default)]
struct Mention {
    at: usize,
    in_loop: usize,
}

#[derive(Default)]
struct Object {
    /// Where it is declared; a parameter before everything.
    declared: Mention,
    is_param: bool,
    mentioned: Vec<usize>,
    written: Vec<usize>,
}

impl ObjectUses {
    fn of(program: &Program, body: &Body, params: &[LocalId]) -> ObjectUses {
        let mut uses = ObjectUses::default();
        for param in params {
            uses.objects.insert(*param, Object { is_param: true, ..Object::default() });
        }
        let mut next = Mention { at: 1, in_loop: 0 };
        uses.block(program, body, &body.block, &mut next);
        uses
    }

    fn block(&mut self, program: &Program, body: &Body, block: &Block, next: &mut Mention) {
        block.stmts.iter().for_each(|stmt| self.stmt(program, body, stmt, next));
    }

    fn stmt(&mut self, program: &Program, body: &Body, stmt: &Stmt, next: &mut Mention) {
        let around = next.in_loop;
        next.at += 1;
        if matches!(stmt.kind, StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..)) {
            next.in_loop = next.at;
        }
        let place = *next;
        if let StmtKind::Local(local, _) = stmt.kind {
            self.objects.entry(local).or_default().declared = place;
        }
        let local = |e: ExprId| match body.exprs[e].kind {
            ExprKind::Local(l) if program.types.get(body.exprs[e].ty).is_object() => Some(l),
            _ => None,
        };
        match stmt.kind {
            StmtKind::Local(to, Some(value)) => self.copies.extend(local(value).map(|from| (to, from, true, place))),
            StmtKind::Expr(e) => {
                if let ExprKind::Assign(None, to, from) = body.exprs[e].kind
                    && let (Some(to), Some(from)) = (local(to), local(from))
                {
                    self.copies.push((to, from, false, place));
                }
            }
            _ => {}
        }
        if let StmtKind::For(init, ..) = &stmt.kind {
            init.iter().for_each(|s| self.stmt(program, body, s, next));
        }
        stmt.own_exprs(&mut |root| {
            for id in body.exprs.post_order(root) {
                if let ExprKind::Local(l) = body.exprs[id].kind {
                    self.objects.entry(l).or_default().mentioned.push(place.at);
                }
                program.each_written(&body.exprs, id, &mut |target| {
                    if let Some(l) = body.exprs.base_local(target) {
                        self.objects.entry(l).or_default().written.push(place.at);
                    }
                });
            }
        });
        stmt.blocks(&mut |block| self.block(program, body, block, next));
        // What a loop asks is asked again behind its block.
        if place.in_loop != around {
            next.at += 1;
            let at = next.at;
            stmt.own_exprs(&mut |root| {
                for id in body.exprs.post_order(root) {
                    if let ExprKind::Local(l) = body.exprs[id].kind {
                        self.objects.entry(l).or_default().mentioned.push(at);
                    }
                }
            });
        }
        next.in_loop = around;
    }

    /// The first copy that can be left out.
    fn copy(&self, body: &Body) -> Option<ObjectCopy> {
        self.copies.iter().find_map(|&(to, from, declares, place)| {
            let (target, source) = (self.objects.get(&to)?, self.objects.get(&from)?);
            let last = to != from
                && !source.is_param
                && source.declared.in_loop == place.in_loop
                && source.mentioned.iter().all(|at| *at <= place.at);
            let fixed = source.written.iter().all(|at| *at < place.at) && target.written.is_empty();
            let fits = body.locals[to].ty == body.locals[from].ty;
            match declares {
                true if fits && (last || fixed) => Some(ObjectCopy { kept: from, dropped: to }),
                false
                    if fits
                        && last
                        && target.declared.at < source.declared.at
                        && target.mentioned.iter().all(|at| *at < source.declared.at || *at >= place.at) =>
                {
                    Some(ObjectCopy { kept: to, dropped: from })
                }
                // Declared behind it, and not used before.
                false
                    if fits
                        && target.declared.at > source.declared.at
                        && target.declared.in_loop == place.in_loop
                        && target.mentioned.iter().all(|at| *at >= place.at)
                        && (last || source.written.iter().all(|at| *at < place.at))
                        && target.written.iter().all(|at| last || *at == place.at) =>
                {
                    Some(ObjectCopy { kept: from, dropped: to })
                }
                _ => None,
            }
        })
    }
}
