//! Variables that stand for several resources one after the other, and resources that `?:` chooses.
//!
//! An assignment in the block of the declaration is what the variable stands for from there on. In other blocks, the
//! resources must be elements of the same arrays: their indices are in variables.

use super::{Resolver, Work, local_path};
use crate::target::Capability;
use crate::tree::{
    Block, Body, Build, Expr, ExprArena, ExprId, ExprKind, FunctionId, LocalId, ParamMode, Stmt, StmtKind, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why a local is no name for one resource at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// It is assigned to in other blocks.
    InBranches,
    /// The caller would have to know what it is.
    PassedOut,
}

/// The numbers of the blocks in which locals are declared, while a body is walked.
struct Scopes<'a> {
    body: &'a Body,
    holds: &'a dyn Fn(ExprId) -> bool,
    declared: FxHashMap<LocalId, usize>,
    blocks: usize,
    found: FxHashMap<LocalId, Kind>,
    statements: FxHashSet<ExprId>,
}

impl Scopes<'_> {
    fn block(&mut self, block: &Block) {
        self.blocks += 1;
        let here = self.blocks;
        for stmt in &block.stmts {
            if let StmtKind::For(init, ..) = &stmt.kind {
                init.iter().for_each(|s| self.statement(s, here));
            }
            self.statement(stmt, here);
            stmt.blocks(&mut |inner| self.block(inner));
        }
    }

    fn statement(&mut self, stmt: &Stmt, here: usize) {
        match stmt.kind {
            StmtKind::Local(local, _) => {
                self.declared.insert(local, here);
            }
            StmtKind::Expr(e) => {
                let ExprKind::Assign(None, target, _) = self.body.exprs[e].kind else { return };
                if let Some((local, _)) = local_path(&self.body.exprs, target)
                    && (self.holds)(target)
                {
                    self.statements.insert(e);
                    if self.declared.get(&local).is_some_and(|block| *block != here) {
                        self.found.entry(local).or_insert(Kind::InBranches);
                    }
                }
            }
            _ => {}
        }
    }
}

impl Resolver<'_, '_> {
    /// The locals of a function whose resources are not told by the text that stands before their uses.
    pub(super) fn rebound(&mut self, id: FunctionId, body: &Body, block: &Block) -> FxHashMap<LocalId, Kind> {
        let program = &*self.cx.program;
        let holds = |e: ExprId| program.holds_resource(body.exprs[e].ty);
        let function = &program.functions[id];
        let declared = function.params.iter().map(|p| (p.local, 1)).collect();
        let out = function.params.iter().filter(|p| p.mode != ParamMode::In).map(|p| (p.local, Kind::PassedOut));
        let (found, statements) = (out.collect(), FxHashSet::default());
        let mut scopes = Scopes { body, holds: &holds, declared, blocks: 0, found, statements };
        scopes.block(block);
        let (found, statements) = (scopes.found, scopes.statements);
        let mut live = Vec::new();
        block.visit(&mut |stmt| stmt.own_exprs(&mut |e| live.extend(body.exprs.post_order(e))));
        let hidden = live.into_iter().filter(|e| !statements.contains(e)).find(|e| match body.exprs[*e].kind {
            ExprKind::Assign(_, target, _) => {
                let local = matches!(body.exprs[body.exprs.base(target)].kind, ExprKind::Local(_));
                local && holds(target)
            }
            _ => false,
        });
        if let Some(hidden) = hidden {
            let span = body.exprs[hidden].span;
            self.cx.unsupported(span, "an assignment of resources here");
        }
        found
    }

    /// Parameters that are assigned to in branches begin with the indices that were passed.
    pub(super) fn parameters_to_variables(&mut self, work: &mut Work) -> Vec<Stmt> {
        let mut first = Vec::new();
        let mut locals: Vec<LocalId> = work.aliases.keys().copied().collect();
        locals.sort_unstable();
        for local in locals {
            if work.rebound.get(&local) == Some(&Kind::InBranches) {
                for (_, path) in work.aliases.get(&local).cloned().unwrap_or_default() {
                    self.indices_to_variables(work, path, &mut first);
                }
            }
        }
        first
    }

    /// A part of a local stands for a path from now on. Answers whether it can.
    pub(super) fn bind_part(
        &mut self,
        work: &mut Work,
        (local, path): (LocalId, Vec<u32>),
        part: ExprId,
        before: &mut Vec<Stmt>,
    ) -> bool {
        let kind = work.rebound.get(&local).copied();
        let list = work.aliases.get(&local).cloned().unwrap_or_default();
        let known = list.iter().find(|(p, _)| *p == path).map(|(_, e)| *e);
        if let Some(old) = known
            && is_same(&work.body.exprs, old, part, &mut |a, b| work.is_frozen(a) && same_value(&work.body.exprs, a, b))
        {
            return true;
        }
        let overlaps = list.iter().any(|(p, _)| *p != path && (p.starts_with(&path) || path.starts_with(p)));
        match (kind, known) {
            (Some(Kind::PassedOut), _) => false,
            (Some(Kind::InBranches), _) if overlaps => false,
            (Some(Kind::InBranches), None) => {
                self.indices_to_variables(work, part, before);
                work.aliases.entry(local).or_default().push((path, part));
                true
            }
            (Some(Kind::InBranches), Some(old)) => self.assign_indices(work, old, part, before),
            (None, _) => {
                work.freeze(part, before);
                let list = work.aliases.entry(local).or_default();
                list.retain(|(p, _)| !p.starts_with(&path));
                list.push((path, part));
                true
            }
        }
    }

    /// Puts the indices of a path into variables.
    fn indices_to_variables(&mut self, work: &mut Work, path: ExprId, before: &mut Vec<Stmt>) {
        for index in indices(&work.body.exprs, path) {
            let value = work.body.exprs.displace(index);
            let Expr { ty, span, .. } = work.body.exprs[value];
            let local = work.body.add_local("index", ty, span);
            work.assigned.insert(local);
            work.variables.push(Stmt::new(StmtKind::Local(local, None), span));
            work.body.exprs[index].kind = ExprKind::Local(local);
            self.assign_index(work, index, value, before);
        }
    }

    fn assign_index(&mut self, work: &mut Work, variable: ExprId, value: ExprId, before: &mut Vec<Stmt>) {
        let span = work.body.exprs[value].span;
        let target = work.body.exprs.duplicate(variable);
        let ty = work.body.exprs[target].ty;
        let mut b = Build::new(&mut self.cx.program.types, &mut work.body.exprs, span);
        let value = b.convert(value, ty);
        let assign = b.assign(target, value);
        before.push(Stmt::new(StmtKind::Expr(assign), span));
    }

    /// Gives the variables in a path the values of the indices in another one.
    fn assign_indices(&mut self, work: &mut Work, old: ExprId, new: ExprId, before: &mut Vec<Stmt>) -> bool {
        if !is_same(&work.body.exprs, old, new, &mut |_, _| true) {
            return false;
        }
        let (old, new) = (indices(&work.body.exprs, old), indices(&work.body.exprs, new));
        // All are read before one is written.
        if new.len() > 1 {
            work.freeze_list(&new, before);
        }
        for (variable, value) in old.into_iter().zip(new) {
            self.assign_index(work, variable, value, before);
        }
        true
    }

    /// What `?:` chooses, if it chooses between elements of the same arrays: their indices are chosen.
    pub(super) fn selected_parts(
        &mut self,
        work: &mut Work,
        condition: ExprId,
        (a, b): (ExprId, ExprId),
    ) -> Option<Vec<(Vec<u32>, ExprId)>> {
        let acts = |e: &ExprId| {
            matches!(work.body.exprs[*e].kind, ExprKind::Call(..) | ExprKind::Assign(..) | ExprKind::Step(..))
        };
        let scalar = matches!(self.cx.program.types.get(work.body.exprs[condition].ty), Type::Scalar(_));
        if !scalar || work.body.exprs.post_order(condition).iter().any(acts) {
            return None;
        }
        let (a, b) = (self.parts(work, a)?, self.parts(work, b)?);
        let fits = a.len() == b.len() && a.iter().zip(&b).all(|((p, _), (q, _))| p == q);
        if !fits {
            return None;
        }
        a.into_iter().zip(b).map(|((path, a), (_, b))| Some((path, self.chosen(work, condition, a, b)?))).collect()
    }

    fn chosen(&mut self, work: &mut Work, condition: ExprId, a: ExprId, b: ExprId) -> Option<ExprId> {
        if !is_same(&work.body.exprs, a, b, &mut |_, _| true) {
            return None;
        }
        let path = work.body.exprs.duplicate(a);
        for (index, other) in indices(&work.body.exprs, path).into_iter().zip(indices(&work.body.exprs, b)) {
            if same_value(&work.body.exprs, index, other) {
                continue;
            }
            if !self.cx.profile.has(Capability::ConditionalOperator) {
                return None;
            }
            let one = work.body.exprs.displace(index);
            let (ty, span) = (work.body.exprs[one].ty, work.body.exprs[one].span);
            let (condition, other) = (work.body.exprs.duplicate(condition), work.body.exprs.duplicate(other));
            let other = Build::new(&mut self.cx.program.types, &mut work.body.exprs, span).convert(other, ty);
            work.body.exprs[index].kind = ExprKind::Select(condition, one, other);
        }
        Some(path)
    }
}

/// The indices on a path, outermost last.
pub(super) fn indices(exprs: &ExprArena, path: ExprId) -> Vec<ExprId> {
    let (mut list, mut id) = (Vec::new(), path);
    loop {
        id = match exprs[id].kind {
            ExprKind::Index(base, index) => {
                list.push(index);
                base
            }
            ExprKind::Field(base, _) | ExprKind::Contents(base) => base,
            _ => return list,
        };
    }
}

/// Whether two paths are the same but for their indices, for which `index` is asked.
fn is_same(exprs: &ExprArena, a: ExprId, b: ExprId, index: &mut dyn FnMut(ExprId, ExprId) -> bool) -> bool {
    match (&exprs[a].kind, &exprs[b].kind) {
        (ExprKind::Field(a, i), ExprKind::Field(b, j)) => i == j && is_same(exprs, *a, *b, index),
        (ExprKind::Contents(a), ExprKind::Contents(b)) => is_same(exprs, *a, *b, index),
        (ExprKind::Index(a, i), ExprKind::Index(b, j)) => index(*i, *j) && is_same(exprs, *a, *b, index),
        (ExprKind::Global(a), ExprKind::Global(b)) => a == b,
        (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
        _ => false,
    }
}

/// Whether two indices are the same number.
fn same_value(exprs: &ExprArena, a: ExprId, b: ExprId) -> bool {
    match (&exprs[a].kind, &exprs[b].kind) {
        (ExprKind::Literal(a, _), ExprKind::Literal(b, _)) => a == b,
        (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
        (ExprKind::Swizzle(a, i), ExprKind::Swizzle(b, j)) => i.list() == j.list() && same_value(exprs, *a, *b),
        (ExprKind::Field(a, i), ExprKind::Field(b, j)) => i == j && same_value(exprs, *a, *b),
        (ExprKind::Convert(a, _), ExprKind::Convert(b, _)) => same_value(exprs, *a, *b),
        _ => false,
    }
}
