//! The values that variables have at a call, in terms of what is known in front of the statements that lead to it.
//!
//! `uv.y = 1 - uv.y; t.Sample(s, uv)`  samples at  `float2(uv.x, 1 - uv.y)`, where `uv` is as it was before.
//!
//! The statements are gone through once, in order. A variable has no known value where a loop, a `switch` or a call writes it;
//! an `if` that goes on on both sides gives a choice.

use super::region::{Definitions, Region, WrittenStatics};
use crate::legalize::parts;
use crate::tree::analyses::flow::ends_flow;
use crate::tree::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The most expressions in one value.
const MAX_EXPRESSIONS: usize = 100;

/// A variable or a field in it.
pub(super) type VariablePart = (LocalId, Vec<u32>);

/// The values of variables and fields; `None`: there is one, but it is not known.
pub(super) type KnownParts = BTreeMap<VariablePart, Option<ExprId>>;

/// Variables that stand for others as these were in front of the statements.
pub(super) type Initial = FxHashMap<LocalId, LocalId>;

/// The values of variables at a point.
pub(super) struct ReachingValues<'a> {
    pub program: &'a mut Program,
    pub body: &'a mut Body,
    pub region: &'a Region,
    pub definitions: &'a Definitions,
    pub effects: &'a Effects,
    pub initial: &'a mut Initial,
    pub values: KnownParts,
}

impl ReachingValues<'_> {
    /// A copy of a call among statements, of values in front of these.
    pub(super) fn call(&mut self, stmts: &[Stmt], call: ExprId) -> Option<ExprId> {
        self.reach(stmts, call);
        self.resolved(call)
    }

    /// Goes through statements until that which has the call.
    fn reach(&mut self, stmts: &[Stmt], call: ExprId) {
        for stmt in stmts {
            if self.has(stmt, call) {
                return self.enter(stmt, call);
            }
            self.pass(stmt);
        }
    }

    fn has(&self, stmt: &Stmt, call: ExprId) -> bool {
        let mut found = false;
        stmt.own_exprs(&mut |root| found |= self.body.exprs.post_order(root).contains(&call));
        stmt.blocks(&mut |block| found |= self.is_in(block, call));
        found
    }

    fn is_in(&self, block: &Block, call: ExprId) -> bool {
        block.stmts.iter().any(|inner| self.has(inner, call))
    }

    /// Goes on inside of a statement.
    fn enter(&mut self, stmt: &Stmt, call: ExprId) {
        match &stmt.kind {
            StmtKind::For(init, ..) => {
                init.iter().for_each(|stmt| self.pass(stmt));
                self.forget_all(stmt);
                // What counts the rounds is the same in all of a round.
                if let Some(Stmt { kind: StmtKind::Local(local, _), .. }) = init.first()
                    && self.definitions.is_counter(*local)
                {
                    let ty = self.body.locals[*local].ty;
                    let counter = self.build(stmt).local(*local, ty);
                    self.values.insert((*local, Vec::new()), Some(counter));
                }
            }
            StmtKind::While(..) | StmtKind::DoWhile(..) => self.forget_all(stmt),
            StmtKind::Switch(_, cases, _) => {
                self.forget_beside_target(stmt);
                let cases = cases.iter().take_while(|case| !self.is_in(&case.body, call));
                let fall: Vec<&Stmt> = cases.filter(|c| !ends_flow(&c.body)).flat_map(|c| &c.body.stmts).collect();
                fall.into_iter().for_each(|stmt| self.forget_all(stmt));
            }
            StmtKind::Expr(_)
            | StmtKind::Local(..)
            | StmtKind::Block(_)
            | StmtKind::If(..)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_)
            | StmtKind::Discard
            | StmtKind::Intrinsic(_) => self.forget_beside_target(stmt),
        }
        stmt.blocks(&mut |block| {
            if self.is_in(block, call) {
                self.reach(&block.stmts, call);
            }
        });
    }

    /// What a statement makes of the values.
    fn pass(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Local(local, value) => {
                self.forget_beside_target(stmt);
                let ty = self.body.locals[*local].ty;
                let value = match value {
                    Some(value) => self.resolved(*value),
                    None => Some(self.build(stmt).add(ExprKind::Zero, ty)),
                };
                self.set((*local, Vec::new()), value);
            }
            StmtKind::Expr(root) => {
                self.forget_beside_target(stmt);
                match self.body.exprs[*root].kind {
                    ExprKind::Assign(op, target, value) => self.assign(op, target, value),
                    ExprKind::Step(up, _, target) => {
                        let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
                        let ty = self.body.exprs[target].ty;
                        let one = self.build(stmt).number(1, ty);
                        self.assign(Some(op), target, one);
                    }
                    _ => {}
                }
            }
            StmtKind::Block(block) => block.stmts.iter().for_each(|inner| self.pass(inner)),
            StmtKind::If(condition, then, other, _) => {
                self.forget_beside_target(stmt);
                let condition = self.resolved(*condition);
                let before = self.values.clone();
                then.stmts.iter().for_each(|inner| self.pass(inner));
                let after_then = std::mem::replace(&mut self.values, before);
                other.iter().flat_map(|block| &block.stmts).for_each(|inner| self.pass(inner));
                if other.as_ref().is_some_and(ends_flow) {
                    self.values = after_then;
                } else if !ends_flow(then) {
                    self.join(condition, after_then);
                }
            }
            StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::Switch(..) => {
                self.forget_all(stmt);
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::Discard | StmtKind::Intrinsic(_) => {
            }
        }
    }

    /// The values behind an `if`, of which these are those behind its first block.
    fn join(&mut self, condition: Option<ExprId>, mut then: KnownParts) {
        let differs = |place: &&VariablePart| then.get(*place) != self.values.get(*place);
        let mut places: Vec<VariablePart> = then.keys().chain(self.values.keys()).filter(differs).cloned().collect();
        places.sort();
        places.dedup();
        let mut joined = Vec::new();
        for place in places {
            let other = self.value(&place);
            std::mem::swap(&mut self.values, &mut then);
            let value = self.value(&place);
            std::mem::swap(&mut self.values, &mut then);
            let choice = condition.zip(value).zip(other).and_then(|((c, a), b)| self.choice(c, a, b));
            joined.push((place, choice));
        }
        // Whole variables are sorted before their fields.
        joined.into_iter().for_each(|(place, value)| self.set(place, value));
    }

    fn choice(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> Option<ExprId> {
        let Expr { ty, span, .. } = self.body.exprs[a];
        if !matches!(self.program.types.get(ty), Type::Scalar(_) | Type::Vector(..)) {
            return None;
        }
        let [condition, a, b] = [condition, a, b].map(|id| self.body.exprs.duplicate(id));
        Some(Build::new(&mut self.program.types, &mut self.body.exprs, span).add(ExprKind::Select(condition, a, b), ty))
    }

    fn assign(&mut self, op: Option<BinaryOp>, target: ExprId, value: ExprId) {
        let (base, swizzle) = self.selected(target);
        let place = self.place(base);
        match place {
            Some(place) if swizzle.is_some() || base == target => {
                let value = self.assigned(op, target, value).and_then(|value| match swizzle {
                    Some(swizzle) => self.with_components(base, swizzle, value),
                    None => Some(value),
                });
                self.set(place, value);
            }
            _ => self.forget(self.body.exprs.base_local(target)),
        }
    }

    /// A vector and those of its components that an expression selects, or all of something.
    fn selected(&self, id: ExprId) -> (ExprId, Option<Swizzle>) {
        match self.body.exprs[id].kind {
            ExprKind::Swizzle(base, swizzle) => (base, Some(swizzle)),
            ExprKind::Index(base, index) if self.is_vector(base) => {
                let component = self.body.exprs.integer(index).and_then(|i| u8::try_from(i).ok());
                (base, component.map(|c| Swizzle::new(&[c])))
            }
            _ => (id, None),
        }
    }

    fn assigned(&mut self, op: Option<BinaryOp>, target: ExprId, value: ExprId) -> Option<ExprId> {
        let value = self.resolved(value)?;
        let Some(op) = op else { return Some(value) };
        let old = self.resolved(target)?;
        let Expr { ty, span, .. } = self.body.exprs[target];
        Some(Build::new(&mut self.program.types, &mut self.body.exprs, span).add(ExprKind::Binary(op, old, value), ty))
    }

    /// A vector with other components.
    fn with_components(&mut self, vector: ExprId, swizzle: Swizzle, value: ExprId) -> Option<ExprId> {
        let old = self.resolved(vector)?;
        let Expr { ty, span, .. } = self.body.exprs[vector];
        let Type::Vector(_, count) = self.program.types.get(ty) else { return None };
        let parts = (0..count).map(|component| match swizzle.list().iter().position(|c| *c == component) {
            Some(_) if swizzle.list().len() == 1 => self.body.exprs.duplicate(value),
            Some(at) => self.component(value, at as u8),
            None => self.component(old, component),
        });
        let parts = parts.collect();
        Some(Build::new(&mut self.program.types, &mut self.body.exprs, span).construct(parts, ty))
    }

    /// A copy of a component of a vector: what it is computed from, if that can be seen.
    fn component(&mut self, vector: ExprId, at: u8) -> ExprId {
        let Expr { ty, span, ref kind } = self.body.exprs[vector];
        let kind = kind.clone();
        if let ExprKind::Construct(parts) = &kind
            && let Some(part) = self.component_of_parts(parts, at)
        {
            return part;
        }
        let kind = match kind {
            ExprKind::Swizzle(base, swizzle) => {
                return match swizzle.list().get(usize::from(at)) {
                    Some(from) if self.is_vector(base) => self.component(base, *from),
                    _ => self.body.exprs.duplicate(base),
                };
            }
            ExprKind::Unary(op, a) => ExprKind::Unary(op, self.component(a, at)),
            ExprKind::Binary(op, a, b) if self.is_vector(a) && self.is_vector(b) => {
                ExprKind::Binary(op, self.component(a, at), self.component(b, at))
            }
            ExprKind::Convert(a, written) if self.is_vector(a) => ExprKind::Convert(self.component(a, at), written),
            ExprKind::Convert(a, written) => ExprKind::Convert(self.body.exprs.duplicate(a), written),
            _ => ExprKind::Swizzle(self.body.exprs.duplicate(vector), Swizzle::new(&[at])),
        };
        let mut build = Build::new(&mut self.program.types, &mut self.body.exprs, span);
        let scalar = build.element_type(ty);
        match kind {
            ExprKind::Convert(same, _) if build.exprs[same].ty == scalar => same,
            kind => build.add(kind, scalar),
        }
    }

    fn component_of_parts(&mut self, parts: &[ExprId], at: u8) -> Option<ExprId> {
        let mut first = 0;
        for part in parts {
            let count = match self.program.types.get(self.body.exprs[*part].ty) {
                Type::Scalar(_) => 1,
                Type::Vector(_, count) => count,
                _ => return None,
            };
            match at - first {
                0 if count == 1 => return Some(self.body.exprs.duplicate(*part)),
                inside if inside < count => return Some(self.component(*part, inside)),
                _ => first += count,
            }
        }
        None
    }

    fn is_vector(&self, id: ExprId) -> bool {
        matches!(self.program.types.get(self.body.exprs[id].ty), Type::Vector(..))
    }

    /// A copy of an expression, of values in front of the statements.
    fn resolved(&mut self, id: ExprId) -> Option<ExprId> {
        let copy = self.body.exprs.duplicate(id);
        if !self.resolve(copy) || self.effects.expr(&self.body.exprs, copy) {
            return None;
        }
        parts::take(&mut self.program.types, self.effects, &mut self.body.exprs, copy);
        (self.body.exprs.post_order(copy).len() <= MAX_EXPRESSIONS).then_some(copy)
    }

    fn resolve(&mut self, id: ExprId) -> bool {
        if let Some(place) = self.place(id) {
            if !self.region.changes(place.0) {
                return true;
            }
            let Some(value) = self.value(&place) else { return false };
            let value = self.body.exprs.duplicate(value);
            self.body.exprs.replace_by(id, value);
            return true;
        }
        if matches!(self.body.exprs[id].kind, ExprKind::AddressOf(_)) {
            return false;
        }
        let mut children = Vec::new();
        self.body.exprs[id].kind.children(&mut |child| children.push(child));
        let resolved = children.into_iter().all(|child| self.resolve(child));
        if let (vector, Some(swizzle)) = self.selected(id)
            && let [at] = swizzle.list()
            && self.is_vector(vector)
        {
            let part = self.component(vector, *at);
            self.body.exprs.replace_by(id, part);
        }
        resolved
    }

    fn place(&self, id: ExprId) -> Option<VariablePart> {
        match self.body.exprs[id].kind {
            ExprKind::Local(local) => Some((local, Vec::new())),
            ExprKind::Field(base, index) => {
                let (local, mut path) = self.place(base)?;
                path.push(index);
                Some((local, path))
            }
            _ => None,
        }
    }

    /// The value of a variable or field.
    fn value(&mut self, place: &VariablePart) -> Option<ExprId> {
        let (local, path) = place;
        if self.values.keys().any(|(l, p)| l == local && p.len() > path.len() && p.starts_with(path)) {
            return None;
        }
        let known = (0..=path.len()).rev().find_map(|length| {
            let (outer, inner) = path.split_at_checked(length)?;
            Some((*self.values.get(&(*local, outer.to_vec()))?, inner))
        });
        let (whole, path) = match known {
            Some((value, inner)) => (value?, inner),
            None if self.region.declares(*local) => return None,
            None => (self.before(*local), path.as_slice()),
        };
        let steps: Vec<Step> = path.iter().map(|index| Step::Field(*index)).collect();
        Some(self.program.part(&mut self.body.exprs, whole, &steps))
    }

    /// What stands for a variable as it was.
    fn before(&mut self, local: LocalId) -> ExprId {
        let Local { name, ty, span, .. } = self.body.locals[local];
        let initial = *self.initial.entry(local).or_insert_with(|| self.body.add_local(name, ty, span));
        Build::new(&mut self.program.types, &mut self.body.exprs, span).local(initial, ty)
    }

    fn set(&mut self, place: VariablePart, value: Option<ExprId>) {
        self.values.retain(|(local, path), _| *local != place.0 || !path.starts_with(&place.1));
        self.values.insert(place, value);
    }

    fn forget(&mut self, locals: impl IntoIterator<Item = LocalId>) {
        locals.into_iter().for_each(|local| self.set((local, Vec::new()), None));
    }

    /// Forgets all that a statement writes.
    fn forget_all(&mut self, stmt: &Stmt) {
        let statics = WrittenStatics::default();
        let written = Region::of(self.program, &statics, self.body, std::slice::from_ref(stmt));
        self.forget(written.into_changed());
    }

    /// Forgets what a statement writes by its expressions, but what it assigns as a whole.
    fn forget_beside_target(&mut self, stmt: &Stmt) {
        let mut written = Vec::new();
        stmt.own_exprs(&mut |root| {
            for id in self.body.exprs.post_order(root) {
                let kind = &self.body.exprs[id].kind;
                if id == root && matches!(kind, ExprKind::Assign(..) | ExprKind::Step(..)) {
                    continue;
                }
                self.program.each_written(&self.body.exprs, id, &mut |p| written.extend(self.body.exprs.base_local(p)));
            }
        });
        self.forget(written);
    }

    fn build(&mut self, stmt: &Stmt) -> Build<'_> {
        Build::new(&mut self.program.types, &mut self.body.exprs, stmt.span)
    }
}
