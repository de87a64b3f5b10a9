//! Functions that throw: `throws`, `throw`, `try`, `catch`.
//!
//! Before: `int parse(int x) throws Fault { if (x < 0) throw Fault.Sign; return x; }`
//!         `do { use(try parse(i)); } catch (fault : Fault) { ... }`
//! After:  `Result_int_Fault parse(int x) { if (x < 0) return { 0, Fault.Sign, true }; return { x, (Fault)0, false }; }`
//!         `bool caughtFault = false;  Fault fault;`
//!         `do { Result_int_Fault result = parse(i); if (result.failed) { fault = result.error; caughtFault = true; break; } use(result.value); }`
//!         `while (false);  if (caughtFault) { ... }`

use super::Checker;
use super::scope::{Entity, ScopeKind};
use super::stmt::statement;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Block, ExprId, ExprKind, Hints, Literal, Local, LocalId, Modifiers, Stmt, StmtKind, TypeId, UnaryOp,
};

/// What a function that throws returns: the type of its value, and of its error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Throws {
    pub value: TypeId,
    pub error: TypeId,
}

/// What is around the code at hand.
#[derive(Default)]
pub(super) struct Throwing {
    /// Of the function.
    pub function: Option<Throws>,
    /// In the operand of `try`.
    is_tried: bool,
    /// What has to stand before the statement at hand.
    pub pending: Vec<Stmt>,
    catchers: Vec<Catcher>,
    /// Which of the loops and switches around the code is the innermost loop.
    pub loop_level: Option<usize>,
}

/// A `do` with `catch` clauses.
struct Catcher {
    /// Which it is of the loops and switches around the code: it becomes one.
    level: usize,
    /// How many deferred statements were pending before it.
    defers: usize,
    clauses: Vec<Clause>,
    /// The variables that tell that control leaves, or goes on with, the loop around it.
    breaks: Option<LocalId>,
    continues: Option<LocalId>,
}

/// A `catch`.
struct Clause {
    /// The type of errors; none for all.
    ty: Option<TypeId>,
    error: Option<LocalId>,
    caught: LocalId,
    is_used: bool,
}

impl<'a> Checker<'a> {
    /// What a function returns that throws errors of a type.
    pub(super) fn result_of(&mut self, value: TypeId, error: TypeId, span: Span) -> TypeId {
        if value == TypeId::ERROR || error == TypeId::ERROR {
            return TypeId::ERROR;
        }
        let (name, args) = match value {
            TypeId::VOID => ("__Failure", vec![error]),
            _ => ("__Result", vec![value, error]),
        };
        let decl = self.library_decls(Symbol::new(name)).first().copied();
        match decl {
            Some(decl) => self.instantiate_struct(decl, args.into_iter().map(super::Arg::Type).collect(), span),
            None => self.unsupported_type(span, "a function that throws"),
        }
    }

    /// `try e`
    pub(super) fn try_expr(&mut self, inner: &'a ast::Expr) -> ExprId {
        let outer = std::mem::replace(&mut self.cx.throwing.is_tried, true);
        let value = self.expr(inner);
        self.cx.throwing.is_tried = outer;
        value
    }

    /// Checks what is evaluated later than what is pending; gives what has to stand before it.
    pub(super) fn tried_first<R>(&mut self, check: impl FnOnce(&mut Self) -> R) -> (R, Vec<Stmt>) {
        let before = self.cx.throwing.pending.len();
        let result = check(self);
        let first = self.cx.throwing.pending.split_off(before.min(self.cx.throwing.pending.len()));
        (result, first)
    }

    /// `left && right` and `left || right`, where something is tried in the right operand: `bool holds = left; if (holds) { ...;
    /// holds = right; }`.
    pub(super) fn tried_behind(
        &mut self,
        is_and: bool,
        left: ExprId,
        (mut stmts, right): (Vec<Stmt>, ExprId),
        span: Span,
    ) -> ExprId {
        let [left, right] = [left, right].map(|value| self.coerce(value, TypeId::BOOL));
        let holds = self.variable("holds", TypeId::BOOL, span);
        self.cx.throwing.pending.push(statement(StmtKind::Local(holds, Some(left)), span));
        let target = self.push(ExprKind::Local(holds), TypeId::BOOL, span);
        let set = self.push(ExprKind::Assign(None, target, right), TypeId::BOOL, span);
        stmts.push(statement(StmtKind::Expr(set), span));
        let known = self.push(ExprKind::Local(holds), TypeId::BOOL, span);
        let is_open = if is_and { known } else { self.push(ExprKind::Unary(UnaryOp::Not, known), TypeId::BOOL, span) };
        let then = Block { stmts, trailing: Vec::new() };
        self.cx.throwing.pending.push(statement(StmtKind::If(is_open, then, None, Hints::default()), span));
        self.push(ExprKind::Local(holds), TypeId::BOOL, span)
    }

    /// `condition ? left : right`, where something is tried in one of them: `int chosen; if (condition) { ...; chosen = left; }
    /// else { ...; chosen = right; }`. Conditions of several components evaluate both.
    pub(super) fn tried_choice(
        &mut self,
        condition: ExprId,
        [mut left, mut right]: [(Vec<Stmt>, ExprId); 2],
        span: Span,
    ) -> ExprId {
        let ty = self.ty(left.1);
        if self.ty(condition) != TypeId::BOOL {
            let held = self.variable("condition", self.ty(condition), span);
            self.cx.throwing.pending.push(statement(StmtKind::Local(held, Some(condition)), span));
            self.cx.throwing.pending.append(&mut left.0);
            self.cx.throwing.pending.append(&mut right.0);
            let condition = self.push(ExprKind::Local(held), self.ty(condition), span);
            return self.push(ExprKind::Select(condition, left.1, right.1), ty, span);
        }
        let chosen = self.variable("chosen", ty, span);
        self.cx.throwing.pending.push(statement(StmtKind::Local(chosen, None), span));
        let [then, otherwise] = [left, right].map(|(mut stmts, value)| {
            let target = self.push(ExprKind::Local(chosen), ty, span);
            let set = self.push(ExprKind::Assign(None, target, value), ty, span);
            stmts.push(statement(StmtKind::Expr(set), span));
            Block { stmts, trailing: Vec::new() }
        });
        let choice = StmtKind::If(condition, then, Some(otherwise), Hints::default());
        self.cx.throwing.pending.push(statement(choice, span));
        self.push(ExprKind::Local(chosen), ty, span)
    }

    /// What is between the rounds of a loop, where something is tried in it: `if (begun) { ... } begun = true;` at the beginning
    /// of each, and the declaration of `begun` before all.
    pub(super) fn tried_between(&mut self, stmts: Vec<Stmt>, span: Span) -> (Stmt, Vec<Stmt>) {
        let begun = self.variable("begun", TypeId::BOOL, span);
        let no = self.push(ExprKind::Literal(Literal::Bool(false), None), TypeId::BOOL, span);
        let mut first = vec![self.when(begun, stmts, span)];
        self.set_flag(begun, span, &mut first);
        (statement(StmtKind::Local(begun, Some(no)), span), first)
    }

    /// `if (!condition) ...`
    pub(super) fn unless(&mut self, condition: ExprId, kind: StmtKind) -> Stmt {
        let span = self.span(condition);
        let not = self.push(ExprKind::Unary(UnaryOp::Not, condition), TypeId::BOOL, span);
        let then = Block { stmts: vec![statement(kind, span)], trailing: Vec::new() };
        statement(StmtKind::If(not, then, None, Hints::default()), span)
    }

    /// The value of a call of a function that throws: an error goes on from here.
    pub(super) fn tried(&mut self, call: ExprId, throws: Throws, span: Span) -> ExprId {
        if !self.cx.throwing.is_tried {
            self.error(Code::BAD_STATEMENT, span, "a call of a function that throws stands behind `try`");
        }
        let result = self.ty(call);
        let held = self.variable("result", result, span);
        self.cx.throwing.pending.push(statement(StmtKind::Local(held, Some(call)), span));
        let (error_at, failed_at) = if throws.value == TypeId::VOID { (0, 1) } else { (1, 2) };
        let condition = self.part_of_result(held, failed_at, TypeId::BOOL, span);
        let error = self.part_of_result(held, error_at, throws.error, span);
        let mut stmts = Vec::new();
        self.throw(error, span, &mut stmts);
        let then = Block { stmts, trailing: Vec::new() };
        let check = StmtKind::If(condition, then, None, Hints::default());
        self.cx.throwing.pending.push(statement(check, span));
        match throws.value {
            TypeId::VOID => self.push(ExprKind::Zero, TypeId::VOID, span),
            value => self.part_of_result(held, 0, value, span),
        }
    }

    fn part_of_result(&mut self, held: LocalId, index: u32, ty: TypeId, span: Span) -> ExprId {
        let whole = self.cx.body.locals[held].ty;
        let base = self.push(ExprKind::Local(held), whole, span);
        self.push(ExprKind::Field(base, index), ty, span)
    }

    /// `throw e;`
    pub(super) fn throw_stmt(&mut self, e: &'a ast::Expr, out: &mut Vec<Stmt>) {
        let value = self.expr(e);
        out.append(&mut self.cx.throwing.pending);
        self.throw(value, e.span, out);
    }

    /// An error goes to the innermost clause that takes it, else to the caller.
    fn throw(&mut self, value: ExprId, span: Span, out: &mut Vec<Stmt>) {
        let ty = self.ty(value);
        if ty == TypeId::ERROR {
            return;
        }
        let mut value = value;
        if !self.cx.defers.is_empty() && !matches!(self.kind(value), ExprKind::Literal(..) | ExprKind::EnumCase(..)) {
            // The error is computed before deferred statements run.
            let held = self.variable("thrown", ty, span);
            out.push(statement(StmtKind::Local(held, Some(value)), span));
            value = self.push(ExprKind::Local(held), ty, span);
        }
        let takes = |clause: &Clause| clause.ty.is_none_or(|t| t == ty);
        let catchers = self.cx.throwing.catchers.iter().enumerate().rev();
        let found = catchers.map(|(at, c)| (at, c.clauses.iter().position(takes))).find_map(|(at, c)| Some((at, c?)));
        if let Some((at, clause)) = found {
            return self.throw_to(at, clause, value, span, out);
        }
        let Some(Throws { value: result, error }) = self.cx.throwing.function else {
            let text = self.type_text(ty);
            let message = format!("an error of type `{text}` is thrown here that nothing catches");
            return self.diags.push(Diagnostic::error(Code::BAD_STATEMENT, span, message));
        };
        let value = self.coerce(value, error);
        let mut parts = Vec::new();
        if result != TypeId::VOID {
            parts.push(self.push(ExprKind::Zero, result, span));
        }
        parts.push(value);
        parts.push(self.push(ExprKind::Literal(Literal::Bool(true), None), TypeId::BOOL, span));
        let ty = self.result_of(result, error, span);
        let whole = self.push(ExprKind::Construct(parts), ty, span);
        self.run_defers(0, out);
        out.push(statement(StmtKind::Return(Some(whole)), span));
    }

    fn throw_to(&mut self, at: usize, clause: usize, value: ExprId, span: Span, out: &mut Vec<Stmt>) {
        let Some(catcher) = self.cx.throwing.catchers.get_mut(at) else { return };
        let (level, defers) = (catcher.level, catcher.defers);
        let Some(clause) = catcher.clauses.get_mut(clause) else { return };
        clause.is_used = true;
        let (error, caught) = (clause.error, clause.caught);
        self.run_defers(defers, out);
        if let Some(error) = error {
            let ty = self.cx.body.locals[error].ty;
            let target = self.push(ExprKind::Local(error), ty, span);
            let set = self.push(ExprKind::Assign(None, target, value), ty, span);
            out.push(statement(StmtKind::Expr(set), span));
        }
        self.set_flag(caught, span, out);
        self.cx.labels.leave_down_to(level + 1, caught);
        out.push(statement(StmtKind::Break, span));
    }

    fn set_flag(&mut self, flag: LocalId, span: Span, out: &mut Vec<Stmt>) {
        let target = self.push(ExprKind::Local(flag), TypeId::BOOL, span);
        let yes = self.push(ExprKind::Literal(Literal::Bool(true), None), TypeId::BOOL, span);
        let set = self.push(ExprKind::Assign(None, target, yes), TypeId::BOOL, span);
        out.push(statement(StmtKind::Expr(set), span));
    }

    /// What a function that throws returns where it does not.
    pub(super) fn returned(&mut self, kind: StmtKind, span: Span) -> StmtKind {
        let (Some(Throws { value, error }), StmtKind::Return(returned)) = (self.cx.throwing.function, &kind) else {
            return kind;
        };
        let mut parts: Vec<ExprId> = returned.iter().copied().collect();
        parts.push(self.push(ExprKind::Zero, error, span));
        parts.push(self.push(ExprKind::Literal(Literal::Bool(false), None), TypeId::BOOL, span));
        let ty = self.result_of(value, error, span);
        StmtKind::Return(Some(self.push(ExprKind::Construct(parts), ty, span)))
    }

    /// What stands at the end of a function without a result that throws.
    pub(super) fn end_of_throwing(&mut self, span: Span) {
        let ends = matches!(self.cx.body.block.stmts.last(), Some(Stmt { kind: StmtKind::Return(_), .. }));
        if !ends && self.cx.throwing.function.is_some_and(|t| t.value == TypeId::VOID) {
            let kind = self.returned(StmtKind::Return(None), span);
            self.cx.body.block.stmts.push(statement(kind, span));
        }
    }

    /// `do { ... } catch (error : E) { ... } catch { ... }`
    pub(super) fn do_catch(
        &mut self,
        body: &'a ast::Stmt,
        clauses: &'a [ast::CatchClause],
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let list = clauses.iter().map(|c| self.clause(c, clauses.len() == 1)).collect();
        self.enter_breakable();
        let level = self.cx.labels.depth().saturating_sub(1);
        let defers = self.cx.defers.len();
        let catcher = Catcher { level, defers, clauses: list, breaks: None, continues: None };
        self.cx.throwing.catchers.push(catcher);
        let block = self.body(body);
        let after = self.leave_breakable(span);
        // Behind a body that does not come to its end there is only what was caught.
        let ends = self.may_complete(&block);
        let Some(catcher) = self.cx.throwing.catchers.pop() else { return };
        let used = catcher.clauses.iter().filter(|c| c.is_used);
        let flags: Vec<LocalId> = used.map(|c| c.caught).chain(catcher.breaks).chain(catcher.continues).collect();
        for flag in &flags {
            let no = self.push(ExprKind::Literal(Literal::Bool(false), None), TypeId::BOOL, span);
            out.push(statement(StmtKind::Local(*flag, Some(no)), span));
        }
        let errors = catcher.clauses.iter().filter(|c| c.is_used).filter_map(|c| c.error);
        out.extend(errors.map(|error| statement(StmtKind::Local(error, None), span)));
        if flags.is_empty() && after.is_empty() {
            out.push(statement(StmtKind::Block(block), span));
        } else {
            let never = self.push(ExprKind::Literal(Literal::Bool(false), None), TypeId::BOOL, span);
            out.push(statement(StmtKind::DoWhile(block, never, Hints::default()), span));
        }
        out.extend(after);
        if let Some(flag) = catcher.continues {
            out.push(self.when(flag, vec![statement(StmtKind::Continue, span)], span));
        }
        self.handlers(clauses, &catcher.clauses, ends, span, out);
    }

    /// `if (caughtA) { ... } else if (caughtB) { ... }`
    fn handlers(
        &mut self,
        written: &'a [ast::CatchClause],
        clauses: &[Clause],
        body_ends: bool,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let mut rest: Option<Stmt> = None;
        let mut made = Vec::new();
        for (written, clause) in written.iter().zip(clauses) {
            let outer = self.cx.scope;
            self.cx.scope = self.scope(Some(outer), ScopeKind::Plain);
            if let (Some((name, _)), Some(error)) = (&written.error, clause.error) {
                self.bind(self.cx.scope, name.name, Entity::Local(error, self.cx.id));
            }
            let block = self.block(&written.body);
            self.cx.scope = outer;
            if clause.is_used {
                made.push((clause.caught, block));
            }
        }
        if let Some((_, last)) = made.pop_if(|_| !body_ends) {
            rest = Some(statement(StmtKind::Block(last), span));
        }
        for (caught, block) in made.into_iter().rev() {
            let condition = self.push(ExprKind::Local(caught), TypeId::BOOL, span);
            let otherwise = rest.take().map(|s| match s.kind {
                StmtKind::Block(block) => block,
                _ => Block { stmts: vec![s], trailing: Vec::new() },
            });
            rest = Some(statement(StmtKind::If(condition, block, otherwise, Hints::default()), span));
        }
        out.extend(rest);
    }

    fn clause(&mut self, clause: &'a ast::CatchClause, is_only: bool) -> Clause {
        let span = clause.body.span;
        let (mut ty, mut error, mut suffix) = (None, None, String::new());
        if let Some((name, written)) = &clause.error {
            let found = self.resolve_type(written, self.cx.scope);
            ty = Some(found);
            suffix = self.type_text(found);
            error = Some(self.variable(name.name.as_str(), found, name.span));
        }
        let name = if is_only { "caught".to_owned() } else { format!("caught{suffix}") };
        Clause { ty, error, caught: self.variable(&name, TypeId::BOOL, span), is_used: false }
    }

    /// `break;` or `continue;` of a loop around a `do` with `catch` clauses, which is a loop itself then. False: it is of
    /// another one.
    pub(super) fn leave_catchers(&mut self, goes_on: bool, span: Span, out: &mut Vec<Stmt>) -> bool {
        let mut level = self.cx.labels.depth();
        let target = if goes_on { self.cx.throwing.loop_level.map_or(0, |l| l + 1) } else { 0 };
        let mut outermost = None;
        for (at, catcher) in self.cx.throwing.catchers.iter().enumerate().rev() {
            let is_next = if goes_on { catcher.level >= target } else { catcher.level + 1 == level };
            if !is_next {
                break;
            }
            level = catcher.level;
            outermost = Some(at);
        }
        let Some(at) = outermost else { return false };
        if goes_on && level != target {
            self.unsupported(span, "`continue` out of a `do` with `catch` in a `switch`");
            return true;
        }
        self.run_defers(if goes_on { self.cx.loop_defers } else { self.cx.break_defers }, out);
        let known = self.cx.throwing.catchers.get(at).and_then(|c| if goes_on { c.continues } else { c.breaks });
        let flag =
            known.unwrap_or_else(|| self.variable(if goes_on { "continues" } else { "leaves" }, TypeId::BOOL, span));
        if let Some(catcher) = self.cx.throwing.catchers.get_mut(at) {
            *(if goes_on { &mut catcher.continues } else { &mut catcher.breaks }) = Some(flag);
        }
        self.set_flag(flag, span, out);
        self.cx.labels.leave_down_to(if goes_on { level + 1 } else { level }, flag);
        out.push(statement(StmtKind::Break, span));
        true
    }

    fn when(&mut self, flag: LocalId, stmts: Vec<Stmt>, span: Span) -> Stmt {
        let condition = self.push(ExprKind::Local(flag), TypeId::BOOL, span);
        let then = Block { stmts, trailing: Vec::new() };
        statement(StmtKind::If(condition, then, None, Hints::default()), span)
    }

    pub(super) fn variable(&mut self, name: &str, ty: TypeId, span: Span) -> LocalId {
        let modifiers = Modifiers::default();
        self.cx.body.locals.push(Local { name: Symbol::new(name), ty, constant: false, modifiers, span })
    }
}
