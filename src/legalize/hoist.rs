//! Takes parts of expressions out into statements before them, keeping the order of evaluation.
//!
//! A pass marks the expressions that it needs as plain values, then calls [`hoist`]:
//!
//! ```text
//! before: a[i++] = f(x * 2);        marked: `x * 2` (value), `i++` (effect)
//! after:  let t = x * 2;  let u = i;  i++;  a[u] = f(t);
//! ```
//!
//! Whatever is evaluated earlier than a marked expression and could be changed by it, or could change it, is taken out
//! before it. A marked expression with effects under `?:`, `&&` or `||` turns that operator into an `if`. Conditions of
//! loops move into the loop.

use super::Context;
use super::assignment_order::affects;
use super::flatten::before_continue;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    BinaryOp, Block, Body, Build, Effects, Expr, ExprId, ExprKind, Hints, Id, Local, LocalId, ParamMode, Program, Stmt,
    StmtKind, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a marked expression is taken out.
#[derive(Clone, Debug)]
pub enum Mark {
    /// Its value goes to a new constant local of this name.
    Value(Symbol),
    /// It becomes a statement; what remains is the target of the assignment or step, or nothing of a call without a result.
    Effect,
    /// It becomes a statement, and what remains goes to a new constant local of this name.
    EffectAndValue(Symbol),
}

/// The marks of one body.
pub type Marks = FxHashMap<ExprId, Mark>;

/// Marks an expression as a statement. Where its value is wanted in a local, too, both are done.
pub fn mark_effect(marks: &mut Marks, id: ExprId) {
    let mark = match marks.remove(&id) {
        Some(Mark::Value(name) | Mark::EffectAndValue(name)) => Mark::EffectAndValue(name),
        Some(Mark::Effect) | None => Mark::Effect,
    };
    marks.insert(id, mark);
}

/// Marks an expression whose value is wanted in a local. Where it is to be a statement, too, both are done.
pub fn mark_value(marks: &mut Marks, id: ExprId, name: Symbol) {
    let mark = match marks.remove(&id) {
        Some(Mark::Effect | Mark::EffectAndValue(_)) => Mark::EffectAndValue(name),
        Some(Mark::Value(_)) | None => Mark::Value(name),
    };
    marks.insert(id, mark);
}

/// Takes what `marks` finds in it out of each body.
pub fn hoist_all(cx: &mut Context, marks: &mut dyn FnMut(&Program, &Body) -> Marks) {
    let effects = cx.effects();
    cx.each_body(&mut |cx, _, body| {
        let marks = marks(cx.program, body);
        hoist(cx.program, &effects, body, marks);
    });
}

/// Takes the marked expressions out of a body.
pub fn hoist(program: &mut Program, effects: &Effects, body: &mut Body, marks: Marks) {
    if marks.is_empty() {
        return;
    }
    let mut block = std::mem::take(&mut body.block);
    let mut hoister = Hoister { program, effects, body, marks, out: Vec::new() };
    block.rewrite(&mut |stmt, out| hoister.stmt(stmt, out));
    hoister.body.block = block;
}

/// Takes one expression out of a statement, with what is evaluated before it: statements in its place.
pub fn taken_out(program: &mut Program, effects: &Effects, body: &mut Body, stmt: Stmt, value: ExprId) -> Vec<Stmt> {
    let marks = Marks::from_iter([(value, Mark::Value(temporary_name(program, body, value)))]);
    let mut out = Vec::new();
    Hoister { program, effects, body, marks, out: Vec::new() }.stmt(stmt, &mut out);
    out
}

/// Makes what must be a statement of a block out of an initializer or step of `for` one: before the loop, or at the end of
/// each round.
pub fn take_out_of_heads(program: &mut Program, effects: &Effects, body: &mut Body, wanted: &FxHashSet<ExprId>) {
    let is_wanted = |body: &Body, root: ExprId| body.exprs.post_order(root).iter().any(|id| wanted.contains(id));
    let mut block = std::mem::take(&mut body.block);
    let mut hoister = Hoister { program, effects, body, marks: Marks::default(), out: Vec::new() };
    block.rewrite(&mut |mut stmt, out| {
        if let StmtKind::For(init, _, step, block, _) = &mut stmt.kind {
            if let Some(root) = step.take_if(|root| is_wanted(hoister.body, *root)) {
                hoister.step_into_loop(root, block);
            }
            let first = |s: &Stmt| matches!(s.kind, StmtKind::Expr(root) if is_wanted(hoister.body, root));
            let count = init.iter().rposition(first).map_or(0, |last| last + 1);
            for before in init.drain(..count) {
                hoister.statement_before(before);
            }
            stmt.give_comments(hoister.out.first_mut(), false);
            out.append(&mut hoister.out);
        }
        out.push(stmt);
    });
    hoister.body.block = block;
}

/// A name for a temporary that holds `value`: what the source calls it, if anything.
pub fn temporary_name(program: &Program, body: &Body, value: ExprId) -> Symbol {
    match &body.exprs[value].kind {
        ExprKind::Call(f, _) => {
            Symbol::new(&format!("{}_result", program.functions[*f].name.as_str().trim_start_matches('_')))
        }
        ExprKind::Field(base, index) => {
            program.field(body.exprs[*base].ty, *index).map_or(Symbol::new("value"), |f| f.name)
        }
        ExprKind::Index(..) => Symbol::new("element"),
        ExprKind::Binary(op, ..) if op.is_comparison() => Symbol::new("test"),
        _ => Symbol::new("value"),
    }
}

struct Hoister<'a> {
    program: &'a mut Program,
    effects: &'a Effects,
    body: &'a mut Body,
    marks: Marks,
    /// Statements to stand before the one at hand.
    out: Vec<Stmt>,
}

impl Hoister<'_> {
    fn marked(&self, root: ExprId) -> bool {
        self.body.exprs.post_order(root).iter().any(|id| self.marks.contains_key(id))
    }

    /// Statements come here inner ones first.
    fn stmt(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        let mut any = false;
        stmt.own_exprs(&mut |e| any = any || self.marked(e));
        if let StmtKind::For(init, ..) = &stmt.kind {
            init.iter().for_each(|s| s.own_exprs(&mut |e| any = any || self.marked(e)));
        }
        if !any {
            out.push(stmt);
            return;
        }
        match &mut stmt.kind {
            // The root of an expression statement is a statement already.
            StmtKind::Expr(root) => self.statement_root(*root),
            StmtKind::While(condition, block, _) => {
                self.lower(*condition);
                *condition = self.condition_into_loop(*condition, block);
            }
            StmtKind::DoWhile(block, condition, _) => *condition = self.do_while(block, *condition, out),
            StmtKind::For(init, condition, step, block, _) => {
                if let Some(marked) = step.filter(|s| self.step_marked(*s)) {
                    self.step_into_loop(marked, block);
                    *step = None;
                }
                if let Some(old) = condition.filter(|c| self.marked(*c)) {
                    self.lower(old);
                    self.condition_into_loop(old, block);
                    *condition = None;
                }
                self.for_init(init);
            }
            _ => {
                let mut roots = Vec::new();
                stmt.own_exprs(&mut |e| roots.push(e));
                // Case labels are constants; only the first expression of a statement is ever marked.
                roots.into_iter().for_each(|e| self.lower(e));
            }
        }
        stmt.give_comments(self.out.first_mut(), false);
        out.append(&mut self.out);
        // A call without a result that became a statement leaves an empty one.
        if !self.is_empty_statement(&stmt) {
            out.push(stmt);
        }
    }

    fn is_empty_statement(&self, stmt: &Stmt) -> bool {
        matches!(&stmt.kind, StmtKind::Expr(e) if matches!(self.body.exprs[*e].kind, ExprKind::Zero))
    }

    fn statement_root(&mut self, root: ExprId) {
        match self.body.exprs[root].kind.clone() {
            ExprKind::Comma(a, b) => {
                self.statement_root(a);
                self.out.push(Stmt::new(StmtKind::Expr(a), self.body.exprs[a].span));
                self.statement_root(b);
                self.body.exprs.replace_by(root, b);
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b)
                if self.body.exprs[root].ty == TypeId::BOOL && self.hoists_effects(b) =>
            {
                self.lower(a);
                let condition = if op == BinaryOp::Or { self.build(a).not(a) } else { a };
                let then = self.effect_block(b);
                let span = self.body.exprs[root].span;
                self.out.push(Stmt::new(StmtKind::If(condition, then, None, Hints::default()), span));
                self.body.exprs[root].kind = ExprKind::Zero;
            }
            _ => {
                if matches!(self.marks.get(&root), Some(Mark::Effect | Mark::EffectAndValue(_))) {
                    self.marks.remove(&root);
                }
                self.lower(root);
            }
        }
    }

    /// An expression whose value is not used, as a block of its own.
    fn effect_block(&mut self, id: ExprId) -> Block {
        self.marks.remove(&id);
        let saved = std::mem::take(&mut self.out);
        self.statement_root(id);
        let stmt = Stmt::new(StmtKind::Expr(id), self.body.exprs[id].span);
        if !self.is_empty_statement(&stmt) {
            self.out.push(stmt);
        }
        Block::of(std::mem::replace(&mut self.out, saved))
    }

    fn build(&mut self, at: ExprId) -> Build<'_> {
        let span = self.body.exprs[at].span;
        Build::new(&mut self.program.types, &mut self.body.exprs, span)
    }

    /// The step of a `for` is a statement in itself: a mark on its root asks for nothing.
    fn step_marked(&self, step: ExprId) -> bool {
        match self.body.exprs[step].kind {
            ExprKind::Comma(a, b) => self.step_marked(a) || self.step_marked(b),
            _ => {
                let inner = self.body.exprs.post_order(step);
                inner.iter().any(|id| *id != step && self.marks.contains_key(id))
                    || matches!(self.marks.get(&step), Some(Mark::Value(_)))
            }
        }
    }

    /// `for (int i = f(x); ...)`: what is taken out stands before the loop.
    fn for_init(&mut self, init: &mut [Stmt]) {
        for stmt in init {
            match stmt.kind {
                StmtKind::Expr(root) => self.statement_root(root),
                StmtKind::Local(_, Some(value)) => self.lower(value),
                _ => {}
            }
        }
    }

    /// A statement of a `for` initializer, its commas apart, before the loop.
    fn statement_before(&mut self, stmt: Stmt) {
        if let StmtKind::Expr(root) = stmt.kind {
            self.statement_root(root);
        }
        self.out.push(stmt);
    }

    /// `while (c)` with statements for `c` pending becomes `while (true) { statements; if (!c) break; ... }`. Answers the
    /// loop's new condition.
    fn condition_into_loop(&mut self, condition: ExprId, block: &mut Block) -> ExprId {
        let before = std::mem::take(&mut self.out);
        let exit = self.build(condition).break_unless(condition);
        block.stmts.splice(0..0, before.into_iter().chain([exit]));
        self.build(condition).bool(true)
    }

    /// Temporaries of a `do` condition are declared before the loop, since its block is closed where it is tested; where one of
    /// them cannot be assigned to, the condition itself is such a temporary. Answers the loop's new condition.
    fn do_while(&mut self, block: &mut Block, condition: ExprId, out: &mut Vec<Stmt>) -> ExprId {
        self.lower(condition);
        let mut tail = std::mem::take(&mut self.out);
        let of_resource = |stmt: &Stmt| match stmt.kind {
            StmtKind::Local(local, _) => self.program.holds_resource(self.body.locals[local].ty),
            _ => false,
        };
        if tail.iter().any(of_resource) {
            let span = self.body.exprs[condition].span;
            let again = self.body.add_local("again", TypeId::BOOL, span);
            self.body.locals[again].set_later();
            out.push(Stmt::new(StmtKind::Local(again, None), span));
            let assign = self.assign(again, condition);
            tail.push(Stmt::new(StmtKind::Expr(assign), span));
            before_continue(self.body, block, &tail);
            block.stmts.extend(tail);
            return self.build(condition).local(again, TypeId::BOOL);
        }
        for stmt in &mut tail {
            if let StmtKind::Local(local, init) = &mut stmt.kind {
                let (local, init) = (*local, *init);
                self.body.locals[local].set_later();
                out.push(Stmt::new(StmtKind::Local(local, None), stmt.span));
                if let Some(init) = init {
                    let assign = self.assign(local, init);
                    stmt.kind = StmtKind::Expr(assign);
                }
            }
        }
        before_continue(self.body, block, &tail);
        block.stmts.extend(tail);
        condition
    }

    /// The step of a `for` becomes statements at the end of the body and before each `continue`.
    fn step_into_loop(&mut self, step: ExprId, block: &mut Block) {
        let saved = std::mem::take(&mut self.out);
        self.statement_root(step);
        let mut tail = std::mem::replace(&mut self.out, saved);
        // A value that was taken out is not used.
        if !matches!(self.body.exprs[step].kind, ExprKind::Local(_)) {
            tail.push(Stmt::new(StmtKind::Expr(step), self.body.exprs[step].span));
        }
        before_continue(self.body, block, &tail);
        block.stmts.extend(tail);
    }

    fn assign(&mut self, local: LocalId, value: ExprId) -> ExprId {
        let ty = self.body.locals[local].ty;
        let mut b = self.build(value);
        let target = b.local(local, ty);
        b.assign(target, value)
    }

    /// Takes the marked parts of an expression out, in order of evaluation.
    fn lower(&mut self, id: ExprId) {
        if !self.marked(id) {
            return;
        }
        match self.body.exprs[id].kind.clone() {
            ExprKind::Select(c, a, b) if self.body.exprs[c].ty == TypeId::BOOL => self.select(id, c, a, b),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) if self.body.exprs[id].ty == TypeId::BOOL => {
                self.logic(id, op, a, b);
            }
            ExprKind::Comma(a, b) => {
                self.statement_root(a);
                if self.effects.expr(&self.body.exprs, a) {
                    self.out.push(Stmt::new(StmtKind::Expr(a), self.body.exprs[a].span));
                }
                self.lower(b);
                self.body.exprs.replace_by(id, b);
                // What is left is the place.
                match self.marks.remove(&id) {
                    Some(Mark::Value(name) | Mark::EffectAndValue(name)) => self.take_out(id, Mark::Value(name)),
                    Some(Mark::Effect) | None => {}
                }
            }
            ExprKind::Assign(_, target, value) if self.body.value_first => {
                self.operands(&[(value, false), (target, true)]);
            }
            ExprKind::Assign(_, target, value) => self.operands(&[(target, true), (value, false)]),
            kind => {
                let operands = self.operand_list(&kind);
                self.operands(&operands);
            }
        }
        if let Some(mark) = self.marks.remove(&id) {
            self.take_out(id, mark);
        }
    }

    /// The children of an expression; `true` for those that must stay lvalues.
    fn operand_list(&self, kind: &ExprKind) -> Vec<(ExprId, bool)> {
        let mut list = Vec::new();
        match kind {
            ExprKind::Call(f, args) => {
                let params = &self.program.functions[*f].params;
                let by_reference = |i: usize| params.get(i).is_some_and(|p| p.mode != ParamMode::In);
                list.extend(args.iter().enumerate().map(|(i, a)| (*a, by_reference(i))));
            }
            // An accessor may change the object that it is of.
            ExprKind::Property(p) => {
                let accessors = [p.get, p.set, p.reference];
                let params =
                    |i: usize| accessors.iter().flatten().filter_map(move |f| self.program.functions[*f].params.get(i));
                list.extend(p.args.iter().enumerate().map(|(i, a)| (*a, params(i).any(|p| p.mode != ParamMode::In))));
            }
            ExprKind::Step(_, _, a) | ExprKind::AddressOf(a) => list.push((*a, true)),
            ExprKind::Field(a, _) | ExprKind::Contents(a) | ExprKind::Swizzle(a, _) | ExprKind::MatrixSwizzle(a, _) => {
                list.push((*a, true));
            }
            ExprKind::Index(a, i) => list.extend([(*a, true), (*i, false)]),
            other => other.children(&mut |c| list.push((c, false))),
        }
        list
    }

    fn operands(&mut self, operands: &[(ExprId, bool)]) {
        let Some(last) = operands.iter().rposition(|(e, _)| self.marked(*e)) else { return };
        for (at, &(operand, lvalue)) in operands.iter().enumerate().take(last + 1) {
            let later = operands.get(at + 1..=last).unwrap_or(&[]);
            // What acts in between is moved, too.
            let acts = |(e, _): &(ExprId, bool)| self.hoists_effects(*e) || self.effects.expr(&self.body.exprs, *e);
            let (between, end) = later.split_at(later.len().saturating_sub(1));
            let later_effects = between.iter().any(acts) || end.iter().any(|(e, _)| self.hoists_effects(*e));
            self.lower(operand);
            let effects = self.effects.expr(&self.body.exprs, operand);
            let moved_past = at < last && (effects || (later_effects && !self.is_constant(operand)));
            if !moved_past {
                continue;
            }
            if lvalue || self.is_place(operand) {
                let later: Vec<ExprId> = later.iter().map(|(e, _)| *e).collect();
                self.spill_indices(operand, &later);
            } else {
                self.spill(operand);
            }
        }
    }

    /// What remains in place keeps its indices as they are now, if what comes later can tell.
    fn spill_indices(&mut self, place: ExprId, later: &[ExprId]) {
        let mut indices = Vec::new();
        let base = self.body.exprs.base(place);
        if let kind @ ExprKind::Property(_) = &self.body.exprs[base].kind {
            for (operand, lvalue) in self.operand_list(kind) {
                if lvalue { self.spill_indices(operand, later) } else { indices.push(operand) }
            }
        }
        indices.extend(self.body.exprs.indices(place).into_iter().rev());
        for index in indices {
            let (program, effects, exprs) = (&*self.program, self.effects, &self.body.exprs);
            let shows =
                affects(program, effects, exprs, &[index], later) || affects(program, effects, exprs, later, &[index]);
            if shows && !self.is_constant(index) {
                self.spill(index);
            }
        }
    }

    /// Whether taking the marked parts out of `id` executes something that others could notice: a marked part itself, or what is
    /// evaluated before one and so goes with it.
    fn hoists_effects(&self, id: ExprId) -> bool {
        let all = self.body.exprs.post_order(id);
        let Some(last) = all.iter().rposition(|id| self.marks.contains_key(id)) else { return false };
        let (until, behind) = all.split_at(last + 1);
        let acts = |id: &ExprId| self.effects.expr(&self.body.exprs, *id);
        // Where values come first, those of the assignments around it do.
        let value_acts = |id: &ExprId| match &self.body.exprs[*id].kind {
            ExprKind::Assign(_, _, value) => acts(value),
            _ => false,
        };
        until.iter().any(acts) || self.body.value_first && behind.iter().any(value_acts)
    }

    /// Whether a value has no copies: a resource, a ray query or hit object, or memory that is accessed atomically.
    fn is_place(&self, id: ExprId) -> bool {
        let ty = self.body.exprs[id].ty;
        self.program.has_no_copies(ty) || self.program.any_leaf(ty, &mut |leaf| matches!(leaf, Type::Atomic(_)))
    }

    /// The same whatever is executed in between.
    fn is_constant(&self, id: ExprId) -> bool {
        self.body.exprs.post_order(id).into_iter().all(|id| match &self.body.exprs[id].kind {
            ExprKind::Local(l) => self.body.locals.get_if(*l).is_some_and(|l| l.constant),
            ExprKind::Global(g) => matches!(self.program.globals[*g].kind, crate::tree::GlobalKind::Const),
            ExprKind::Call(..) | ExprKind::Property(_) => false,
            _ => true,
        })
    }

    fn spill(&mut self, id: ExprId) {
        let name = temporary_name(self.program, self.body, id);
        self.take_out(id, Mark::Value(name));
    }

    fn take_out(&mut self, id: ExprId, mark: Mark) {
        let Expr { ty, span, ref kind } = self.body.exprs[id];
        match (mark, kind.clone()) {
            (Mark::Effect, ExprKind::Assign(_, target, _)) | (Mark::Effect, ExprKind::Step(_, true, target)) => {
                let copy = self.body.exprs.displace(id);
                self.out.push(Stmt::new(StmtKind::Expr(copy), span));
                let again = self.body.exprs.duplicate(target);
                self.body.exprs.replace_by(id, again);
            }
            (Mark::Effect, ExprKind::Step(_, false, target)) => {
                let copy = self.body.exprs.displace(id);
                let old = self.body.exprs.duplicate(target);
                self.spill(old);
                self.out.push(Stmt::new(StmtKind::Expr(copy), span));
                self.body.exprs.replace_by(id, old);
            }
            (Mark::Effect, _) if ty == TypeId::VOID => {
                let copy = self.body.exprs.displace(id);
                self.out.push(Stmt::new(StmtKind::Expr(copy), span));
                self.body.exprs[id].kind = ExprKind::Zero;
            }
            (Mark::Effect, _) => self.spill(id),
            (Mark::EffectAndValue(name), kind) => {
                self.take_out(id, Mark::Effect);
                // The old value of what was stepped is in a local.
                if !matches!(kind, ExprKind::Step(_, false, _)) {
                    self.take_out(id, Mark::Value(name));
                }
            }
            (Mark::Value(name), _) => {
                let copy = self.body.exprs.displace(id);
                let local = self.temporary(name, ty, span, Some(copy));
                self.body.exprs[id].kind = ExprKind::Local(local);
            }
        }
    }

    /// Declares a local before the statement at hand.
    fn temporary(&mut self, name: Symbol, ty: TypeId, span: Span, init: Option<ExprId>) -> LocalId {
        let constant = init.is_some();
        let local = Local { name, ty, constant, modifiers: Default::default(), span };
        let local = self.body.locals.push(local);
        self.out.push(Stmt::new(StmtKind::Local(local, init), span));
        local
    }

    /// Lowers `id` and assigns its value to `local`, as a block of its own.
    fn branch(&mut self, id: ExprId, local: LocalId) -> Block {
        // It is assigned here.
        match self.marks.remove(&id) {
            Some(Mark::Effect | Mark::EffectAndValue(_)) => {
                self.marks.insert(id, Mark::Effect);
            }
            Some(Mark::Value(_)) | None => {}
        }
        let saved = std::mem::take(&mut self.out);
        self.lower(id);
        let assign = self.assign(local, id);
        self.out.push(Stmt::new(StmtKind::Expr(assign), self.body.exprs[id].span));
        Block::of(std::mem::replace(&mut self.out, saved))
    }

    fn select(&mut self, id: ExprId, c: ExprId, a: ExprId, b: ExprId) {
        self.lower(c);
        if !self.hoists_effects(a) && !self.hoists_effects(b) {
            self.keep_before(c, &[a, b]);
            self.lower(a);
            self.lower(b);
            return;
        }
        let Expr { ty, span, .. } = self.body.exprs[id];
        let local = self.temporary(Symbol::new("selected"), ty, span, None);
        let (then, other) = (self.branch(a, local), self.branch(b, local));
        self.out.push(Stmt::new(StmtKind::If(c, then, Some(other), Hints::default()), span));
        self.body.exprs[id].kind = ExprKind::Local(local);
    }

    /// A condition that changes something is evaluated before what is taken out of what it chooses.
    fn keep_before(&mut self, condition: ExprId, chosen: &[ExprId]) {
        if self.effects.expr(&self.body.exprs, condition) && chosen.iter().any(|e| self.marked(*e)) {
            self.spill(condition);
        }
    }

    fn logic(&mut self, id: ExprId, op: BinaryOp, a: ExprId, b: ExprId) {
        self.lower(a);
        if !self.hoists_effects(b) {
            self.keep_before(a, &[b]);
            self.lower(b);
            return;
        }
        let span = self.body.exprs[id].span;
        let local = self.temporary(Symbol::new("test"), TypeId::BOOL, span, Some(a));
        self.body.locals[local].set_later();
        let mut build = self.build(id);
        let tested = build.local(local, TypeId::BOOL);
        let condition = if op == BinaryOp::Or { build.not(tested) } else { tested };
        let then = self.branch(b, local);
        self.out.push(Stmt::new(StmtKind::If(condition, then, None, Hints::default()), span));
        self.body.exprs[id].kind = ExprKind::Local(local);
    }
}

impl<I: Id, T> crate::tree::Arena<I, T> {
    /// The element, if the id is of this arena.
    pub fn get_if(&self, id: I) -> Option<&T> {
        (id.index() < self.len()).then(|| &self[id])
    }
}
