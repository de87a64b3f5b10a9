//! Variables that stand for several resources one after the other, and resources that `?:` chooses.
//!
//! An assignment in the block of the declaration is what the variable stands for from there on. Where it is assigned in
//! other blocks, the indices of the resources are in variables (a [`IndexSlot`] for each array that they are elements of).

use super::{Facts, Resolver, Site, Work, flow::Alias};
use crate::check::constant::Value;
use crate::source::Span;
use crate::tree::{
    Block, Build, Expr, ExprArena, ExprId, ExprKind, FunctionId, Literal, LocalId, Step, Stmt, StmtKind, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A part of a local that stands for elements of one array, one after the other.
pub(super) struct IndexSlot {
    local: LocalId,
    path: Vec<Step>,
    /// The access path; its indices are the variables.
    expr: ExprId,
    pub(super) variables: Vec<LocalId>,
}

/// The numbers of the blocks in which locals are declared, while a body is walked.
struct BlockScopes<'a> {
    /// The locals that an expression gives resources to.
    given: &'a dyn Fn(ExprId) -> Vec<LocalId>,
    declared: FxHashMap<LocalId, usize>,
    blocks: usize,
    branched: FxHashSet<LocalId>,
}

impl BlockScopes<'_> {
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
        if let StmtKind::Local(local, _) = stmt.kind {
            self.declared.insert(local, here);
        }
        stmt.own_exprs(&mut |e| {
            for local in (self.given)(e) {
                if self.declared.get(&local).is_some_and(|block| *block != here) {
                    self.branched.insert(local);
                }
            }
        });
    }
}

impl Resolver<'_, '_> {
    /// Finds the locals of a function whose resources do not follow from the text before their uses.
    pub(super) fn find_branched(&mut self, original: FunctionId, work: &mut Work, block: &Block) {
        let (program, exprs) = (&*self.cx.program, &work.body.exprs);
        let given = |root: ExprId| {
            exprs.post_order(root).into_iter().flat_map(|e| self.facts.given(program, exprs, e)).collect()
        };
        let declared = program.functions[original].params.iter().map(|p| (p.local, 1)).collect();
        let mut branched: FxHashSet<LocalId> = self.given_params(original).into_iter().map(|(_, l)| l).collect();
        branched.extend(work.result);
        let mut scopes = BlockScopes { given: &given, declared, blocks: 0, branched };
        scopes.block(block);
        let branched = scopes.branched;
        self.misplaced_assignments(work, block);
        work.branched = branched;
    }

    /// Assignments of resources are statements, and it is known what they are to.
    fn misplaced_assignments(&mut self, work: &Work, block: &Block) {
        let exprs = &work.body.exprs;
        let (mut statements, mut all) = (FxHashSet::default(), Vec::new());
        block.visit(&mut |stmt| {
            if let StmtKind::Expr(e) = stmt.kind {
                statements.insert(e);
            }
            stmt.own_exprs(&mut |e| all.extend(exprs.post_order(e)));
        });
        for e in all {
            let ExprKind::Assign(_, target, _) = exprs[e].kind else { continue };
            if exprs.base_local(target).is_some() && self.cx.program.holds_resource(exprs[target].ty) {
                if !statements.contains(&e) {
                    self.cx.unsupported(exprs[e].span, "an assignment of resources here");
                } else if work.place(self.cx.program, target).whole().is_none() {
                    self.cx.unsupported(exprs[e].span, "a resource given to an element that is not known here");
                }
            }
        }
    }

    /// Parameters that are assigned to in branches begin with the indices that were passed.
    pub(super) fn parameters_to_variables(&mut self, work: &mut Work) -> Vec<Stmt> {
        let mut first = Vec::new();
        let locals: Vec<LocalId> = work.flow.aliases.keys().copied().collect();
        for local in locals.into_iter().filter(|l| work.branched.contains(l)).collect::<Vec<_>>() {
            for known in work.flow.aliases.get(&local).cloned().unwrap_or_default() {
                self.new_slot(work, (local, known.path), known.expr, &mut first);
            }
        }
        first
    }

    /// A part of a local stands for a path from now on.
    pub(super) fn bind_part(
        &mut self,
        work: &mut Work,
        (local, path): (LocalId, Vec<Step>),
        part: ExprId,
        before: &mut Vec<Stmt>,
    ) {
        let mut expr = part;
        if work.branched.contains(&local) {
            let fits = |s: &&IndexSlot| {
                s.local == local && s.path == path && is_same(&work.body.exprs, s.expr, part, &mut |_, _| true)
            };
            match work.slots.iter().find(fits).map(|s| s.expr) {
                Some(known) => {
                    self.chooses = true;
                    self.assign_indices(work, known, part, before);
                    expr = work.body.exprs.duplicate(known);
                }
                None => self.new_slot(work, (local, path.clone()), part, before),
            }
        } else {
            work.freeze(part, before);
        }
        work.versions += 1;
        let version = work.versions;
        work.bound.push((local, path.clone()));
        let list = work.flow.aliases.entry(local).or_default();
        list.retain(|a| !a.path.starts_with(&path));
        list.push(Alias { path, expr, other: None, open: false, version });
        list.sort_by_key(|a| a.path.len());
    }

    /// Puts the indices of what a part stands for into variables.
    fn new_slot(&mut self, work: &mut Work, (local, path): (LocalId, Vec<Step>), expr: ExprId, before: &mut Vec<Stmt>) {
        let variables = self.indices_to_variables(work, expr, before);
        self.chooses |= !variables.is_empty();
        work.slots.push(IndexSlot { local, path, expr, variables });
    }

    /// Puts the indices of a path into variables.
    fn indices_to_variables(&mut self, work: &mut Work, path: ExprId, before: &mut Vec<Stmt>) -> Vec<LocalId> {
        let mut variables = Vec::new();
        for index in indices(&work.body.exprs, path) {
            let index = self.marked_slot(work, index);
            let value = work.body.exprs.displace(index);
            let Expr { ty, span, .. } = work.body.exprs[value];
            let local = work.body.add_local("index", ty, span);
            work.assigned.insert(local);
            work.variables.push(Stmt::new(StmtKind::Local(local, None), span));
            work.body.exprs[index].kind = ExprKind::Local(local);
            variables.push(local);
            self.assign_index(work, index, value, before);
        }
        variables
    }

    /// Marks an index if those that come to stand there may have to be; answers the node to be a variable.
    fn marked_slot(&mut self, work: &mut Work, index: ExprId) -> ExprId {
        let inner = self.facts.unmarked(&work.body.exprs, index);
        let Some(marker) = work.marker.filter(|_| inner == index) else { return inner };
        let value = work.body.exprs.displace(index);
        let call = self.marked(work, value, Some(marker));
        work.body.exprs.replace_by(index, call);
        self.facts.unmarked(&work.body.exprs, index)
    }

    fn assign_index(&mut self, work: &mut Work, variable: ExprId, value: ExprId, before: &mut Vec<Stmt>) {
        let span = work.body.exprs[value].span;
        let target = work.body.exprs.duplicate(variable);
        let ty = work.body.exprs[target].ty;
        let mut b = Build::new(&mut self.cx.program.types, &mut work.body.exprs, span);
        let value = b.convert(value, ty);
        before.push(b.set(target, value));
    }

    /// Gives the variables in a path the values of the indices in another one.
    fn assign_indices(&mut self, work: &mut Work, old: ExprId, new: ExprId, before: &mut Vec<Stmt>) {
        let unmarked = |path: ExprId| -> Vec<ExprId> {
            indices(&work.body.exprs, path).into_iter().map(|i| self.facts.unmarked(&work.body.exprs, i)).collect()
        };
        let (old, new) = (unmarked(old), unmarked(new));
        // All are read before one is written.
        if new.len() > 1 {
            work.freeze_list(&new, before);
        }
        for (variable, value) in old.into_iter().zip(new) {
            if !same_value(&work.body.exprs, variable, value) {
                self.assign_index(work, variable, value, before);
            }
        }
    }

    /// What `?:` chooses, if it chooses between elements of the same arrays: their indices are chosen.
    pub(super) fn selected_parts(
        &mut self,
        work: &mut Work,
        (whole, condition): (ExprId, ExprId),
        (a, b): (ExprId, ExprId),
        site: &mut Site,
    ) -> Option<Vec<(Vec<Step>, ExprId)>> {
        let scalar = matches!(self.cx.program.types.get(work.body.exprs[condition].ty), Type::Scalar(_));
        if !scalar || self.effects.expr(&work.body.exprs, condition) {
            return None;
        }
        if let Some(Value::Bool(known)) = work.constant(self.cx.program, condition) {
            self.chooses = true;
            return self.parts(work, if known { a } else { b }, site);
        }
        let span = work.body.exprs[whole].span;
        let (a, b) = (self.parts(work, a, site)?, self.parts(work, b, site)?);
        let fits = a.len() == b.len() && a.iter().zip(&b).all(|((p, _), (q, _))| p == q);
        if !fits {
            return None;
        }
        let pairs = a.into_iter().zip(b);
        pairs.map(|((path, a), (_, b))| Some((path, self.chosen(work, condition, (a, b), span)?))).collect()
    }

    fn chosen(&mut self, work: &mut Work, condition: ExprId, (a, b): (ExprId, ExprId), span: Span) -> Option<ExprId> {
        if !is_same(&work.body.exprs, a, b, &mut |_, _| true) {
            self.different(work, span, (a, b), "a choice between different resources");
            return Some(a);
        }
        let path = work.body.exprs.duplicate(a);
        for (index, other) in indices(&work.body.exprs, path).into_iter().zip(indices(&work.body.exprs, b)) {
            if same_value(&work.body.exprs, index, other) {
                continue;
            }
            let marker = [index, other].iter().find_map(|i| self.facts.marker(&work.body.exprs, *i));
            let one = self.facts.unmarked(&work.body.exprs, index);
            let other = self.facts.unmarked(&work.body.exprs, other);
            let Expr { ty, span, .. } = work.body.exprs[one];
            let one = work.body.exprs.duplicate(one);
            let (condition, other) = (work.body.exprs.duplicate(condition), work.body.exprs.duplicate(other));
            self.chooses = true;
            let mut b = Build::new(&mut self.cx.program.types, &mut work.body.exprs, span);
            let other = b.convert(other, ty);
            let chosen = b.add(ExprKind::Select(condition, one, other), ty);
            let chosen = self.marked(work, chosen, marker);
            work.body.exprs.replace_by(index, chosen);
        }
        Some(path)
    }
}

impl Work<'_> {
    /// Makes the indices of a path values that stay what they are.
    pub(super) fn freeze(&mut self, path: ExprId, before: &mut Vec<Stmt>) {
        let indices = indices(&self.body.exprs, path);
        self.freeze_list(&indices, before);
    }

    fn freeze_list(&mut self, indices: &[ExprId], before: &mut Vec<Stmt>) {
        for &index in indices {
            if self.is_frozen(index) {
                continue;
            }
            let index = self.facts.unmarked(&self.body.exprs, index);
            let copy = self.body.exprs.displace(index);
            let Expr { ty, span, .. } = self.body.exprs[copy];
            let local = self.body.add_local("index", ty, span);
            self.body.locals[local].constant = true;
            before.push(Stmt::new(StmtKind::Local(local, Some(copy)), span));
            self.body.exprs[index].kind = ExprKind::Local(local);
        }
    }

    pub(super) fn is_frozen(&self, index: ExprId) -> bool {
        match self.body.exprs[index].kind {
            ExprKind::Literal(..) => true,
            ExprKind::Convert(a, _) | ExprKind::Swizzle(a, _) | ExprKind::Field(a, _) => self.is_frozen(a),
            ExprKind::Local(l) => !self.assigned.contains(&l),
            // No shader writes to constant buffers.
            ExprKind::Contents(_) => true,
            _ => {
                let inner = self.facts.unmarked(&self.body.exprs, index);
                inner != index && self.is_frozen(inner)
            }
        }
    }

    /// Variables of indices that are given one number and no other are that number.
    pub(super) fn constant_slots(&mut self, block: &mut Block) {
        let mut numbers: FxHashMap<LocalId, Option<i64>> = FxHashMap::default();
        block.visit(&mut |stmt| {
            if let Some((variable, value)) = assigned_variable(&self.body.exprs, stmt) {
                let number = self.body.exprs.integer(value);
                numbers.entry(variable).and_modify(|n| *n = n.filter(|n| Some(*n) == number)).or_insert(number);
            }
        });
        let is_slot = |l: &LocalId| self.slots.iter().any(|s| s.variables.contains(l));
        numbers.retain(|l, number| is_slot(l) && number.is_some());
        if numbers.is_empty() {
            return;
        }
        block.rewrite(&mut |stmt, out| {
            if !assigned_variable(&self.body.exprs, &stmt).is_some_and(|(l, _)| numbers.contains_key(&l)) {
                out.push(stmt);
            }
        });
        self.variables.retain(|s| !matches!(s.kind, StmtKind::Local(l, _) if numbers.contains_key(&l)));
        for id in self.body.exprs.ids().collect::<Vec<_>>() {
            if let ExprKind::Local(l) = self.body.exprs[id].kind
                && let Some(Some(number)) = numbers.get(&l)
            {
                self.body.exprs[id].kind = ExprKind::Literal(Literal::Int(*number), None);
            }
        }
    }

    /// Takes away variables of indices that nothing asks for.
    pub(super) fn drop_unread_slots(&mut self, block: &mut Block) {
        let mut read = FxHashSet::default();
        block.visit(&mut |stmt| {
            let written = assigned_variable(&self.body.exprs, stmt);
            stmt.own_exprs(&mut |root| {
                let root = written.map_or(root, |(_, value)| value);
                for e in self.body.exprs.post_order(root) {
                    if let ExprKind::Local(l) = self.body.exprs[e].kind {
                        read.insert(l);
                    }
                }
            });
        });
        let declared = |s: &Stmt| matches!(s.kind, StmtKind::Local(l, _) if !read.contains(&l));
        let unread: FxHashSet<LocalId> = self
            .variables
            .extract_if(.., |s| declared(s))
            .filter_map(|s| match s.kind {
                StmtKind::Local(l, _) => Some(l),
                _ => None,
            })
            .collect();
        block.rewrite(&mut |stmt, out| {
            if !assigned_variable(&self.body.exprs, &stmt).is_some_and(|(l, _)| unread.contains(&l)) {
                out.push(stmt);
            }
        });
    }
}

/// The variable that a statement assigns to, and the value.
pub(super) fn assigned_variable(exprs: &ExprArena, stmt: &Stmt) -> Option<(LocalId, ExprId)> {
    let StmtKind::Expr(e) = stmt.kind else { return None };
    let ExprKind::Assign(None, target, value) = exprs[e].kind else { return None };
    match exprs[target].kind {
        ExprKind::Local(l) => Some((l, value)),
        _ => None,
    }
}

impl Resolver<'_, '_> {
    /// An index with a mark.
    pub(super) fn marked(&mut self, work: &mut Work, index: ExprId, marker: Option<FunctionId>) -> ExprId {
        let Some(marker) = marker else { return index };
        let function = &self.cx.program.functions[marker];
        let ty = function.params.first().and_then(|p| function.code.get_local(p.local)).map_or(TypeId::INT, |l| l.ty);
        let span = work.body.exprs[index].span;
        let mut b = Build::new(&mut self.cx.program.types, &mut work.body.exprs, span);
        let index = b.convert(index, ty);
        b.call(marker, vec![index], ty)
    }
}

/// The marker of an index on a path.
pub(super) fn marker_of_path(facts: &Facts, exprs: &ExprArena, path: ExprId) -> Option<FunctionId> {
    indices(exprs, path).into_iter().find_map(|i| facts.marker(exprs, i))
}

/// Whether two paths are the same but for their indices, for which `index` is asked.
pub(super) fn is_same(exprs: &ExprArena, a: ExprId, b: ExprId, index: &mut dyn FnMut(ExprId, ExprId) -> bool) -> bool {
    match (&exprs[a].kind, &exprs[b].kind) {
        (ExprKind::Field(a, i), ExprKind::Field(b, j)) => i == j && is_same(exprs, *a, *b, index),
        (ExprKind::Contents(a), ExprKind::Contents(b)) => is_same(exprs, *a, *b, index),
        (ExprKind::Index(a, i), ExprKind::Index(b, j)) => index(*i, *j) && is_same(exprs, *a, *b, index),
        (ExprKind::Global(a), ExprKind::Global(b)) => a == b,
        (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
        (ExprKind::Call(f, a), ExprKind::Call(g, b)) => match (a.as_slice(), b.as_slice()) {
            ([a], [b]) => f == g && index(*a, *b),
            _ => false,
        },
        _ => false,
    }
}

/// The indices in a path, outermost first, and the address at which it begins.
pub(super) fn indices(exprs: &ExprArena, path: ExprId) -> Vec<ExprId> {
    let mut list = exprs.indices(path);
    if let ExprKind::Call(_, args) = &exprs[exprs.base(path)].kind {
        list.extend(args);
    }
    list
}

/// Whether two indices are the same number.
pub(super) fn same_value(exprs: &ExprArena, a: ExprId, b: ExprId) -> bool {
    match (&exprs[a].kind, &exprs[b].kind) {
        (ExprKind::Literal(a, _), ExprKind::Literal(b, _)) => a == b,
        (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
        (ExprKind::Global(a), ExprKind::Global(b)) => a == b,
        (ExprKind::Contents(a), ExprKind::Contents(b)) => same_value(exprs, *a, *b),
        (ExprKind::Swizzle(a, i), ExprKind::Swizzle(b, j)) => i.list() == j.list() && same_value(exprs, *a, *b),
        (ExprKind::Field(a, i), ExprKind::Field(b, j)) => i == j && same_value(exprs, *a, *b),
        (ExprKind::Convert(a, _), ExprKind::Convert(b, _)) => same_value(exprs, *a, *b),
        // Only marks are ever asked for.
        (ExprKind::Call(f, a), ExprKind::Call(g, b)) => match (a.as_slice(), b.as_slice()) {
            ([a], [b]) => f == g && same_value(exprs, *a, *b),
            _ => false,
        },
        _ => false,
    }
}
