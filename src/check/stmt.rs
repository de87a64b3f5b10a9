//! Statements.

use super::scope::{Entity, ScopeKind};
use super::{Checker, attributes, labels, left_out};
use crate::ast::{self, DeclKind, StmtKind as Ast};
use crate::diagnostic::{Code, Diagnostic};
use crate::lex::Comment;
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::analyses::flow::leaves;
use crate::tree::analyses::is_pure;
use crate::tree::{
    Block, ExprId, ExprKind, Hints, Literal, Local, Modifiers, Stmt, StmtKind, SwitchCase, Type, TypeId,
};

/// A loop: what is computed before each round, between two and behind each, and its body.
struct Rounds {
    before: Option<ExprId>,
    step: Option<ExprId>,
    again: Option<ExprId>,
    body: Block,
}

impl<'a> Checker<'a> {
    /// Statements in a scope of their own.
    pub(super) fn block(&mut self, block: &'a ast::Block) -> Block {
        Block { stmts: self.scoped(&block.stmts), trailing: block.trailing.clone() }
    }

    fn scoped(&mut self, list: &'a [ast::Stmt]) -> Vec<Stmt> {
        let outer = self.cx.scope;
        self.cx.scope = self.scope(Some(outer), ScopeKind::Plain);
        let stmts = self.with_defers(list);
        self.cx.scope = outer;
        stmts
    }

    /// Statements, and at their end those that they deferred.
    pub(super) fn with_defers(&mut self, list: &'a [ast::Stmt]) -> Vec<Stmt> {
        let pending = self.cx.defers.len();
        let mut stmts = self.statements(list);
        if !matches!(stmts.last().map(|s| &s.kind), Some(StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue)) {
            self.run_defers(pending, &mut stmts);
        }
        self.cx.defers.truncate(pending);
        stmts
    }

    /// The deferred statements above `from`, last first, where control leaves their blocks.
    pub(super) fn run_defers(&mut self, from: usize, out: &mut Vec<Stmt>) {
        let list: Vec<_> = self.cx.defers.get(from..).unwrap_or(&[]).to_vec();
        let kept = self.cx.defers.clone();
        for (stmt, scope) in list.into_iter().rev() {
            self.cx.defers.clear();
            let outer = std::mem::replace(&mut self.cx.scope, scope);
            self.stmt(stmt, out);
            self.cx.scope = outer;
            // `defer defer f();`
            self.run_defers(0, out);
        }
        self.cx.defers = kept;
    }

    /// `if (let x = optional)`.
    fn if_let(
        &mut self,
        stmt: &'a ast::Stmt,
        binding: &'a ast::Decl,
        then: &'a ast::Stmt,
        otherwise: Option<&'a ast::Stmt>,
        out: &mut Vec<Stmt>,
    ) {
        let DeclKind::Var(ast::VarDecl { name, init: Some(init), .. }) = &binding.kind else {
            return self.unsupported(binding.span, "this form of `if` with a declaration");
        };
        let value = self.expr(init);
        let optional = self.ty(value);
        let Some(element) = self.optional_element(optional) else {
            if optional != TypeId::ERROR {
                self.error(Code::TYPE_MISMATCH, init.span, "`if (let ...)` takes an optional value");
            }
            return;
        };
        let hints = self.hints(stmt);
        let held = self.new_local(name.name, optional, name.span);
        out.push(statement(StmtKind::Local(held, Some(value)), stmt.span));
        let field = |c: &mut Self, index: u32, ty: TypeId| {
            let base = c.push(ExprKind::Local(held), optional, name.span);
            c.push(ExprKind::Field(base, index), ty, name.span)
        };
        let condition = field(self, 1, TypeId::BOOL);
        let outer = self.cx.scope;
        self.cx.scope = self.scope(Some(outer), ScopeKind::Plain);
        let local = self.new_local(name.name, element, name.span);
        self.bind(self.cx.scope, name.name, Entity::Local(local, self.cx.id));
        let value = field(self, 0, element);
        let mut block = self.body(then);
        block.stmts.insert(0, statement(StmtKind::Local(local, Some(value)), name.span));
        self.cx.scope = outer;
        let otherwise = otherwise.map(|s| self.body(s));
        out.push(statement(StmtKind::If(condition, block, otherwise, hints), stmt.span));
    }

    fn new_local(&mut self, name: Symbol, ty: TypeId, span: Span) -> crate::tree::LocalId {
        self.cx.body.locals.push(Local { name, ty, constant: true, modifiers: Modifiers::default(), span })
    }

    fn statements(&mut self, list: &'a [ast::Stmt]) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(list.len());
        let mut list = list.iter();
        while let Some(stmt) = list.next() {
            self.stmt(stmt, &mut out);
            if let Some(condition) = self.always_left(out.last()) {
                let rest = std::mem::replace(&mut list, [].iter());
                let mut behind = Vec::new();
                let check = |c: &mut Self| rest.for_each(|stmt| c.stmt(stmt, &mut behind));
                match self.branch(condition, false, check) {
                    ((), true) => left_out::without_condition(&mut out),
                    ((), false) => out.extend(behind),
                }
            } else if let Some(span) = out.last().filter(|s| leaves(s)).map(|s| s.span) {
                let rest = std::mem::replace(&mut list, [].iter());
                let mut behind = Vec::new();
                if !self.behind_end(span, |c| rest.for_each(|stmt| c.stmt(stmt, &mut behind))) {
                    out.extend(behind);
                }
            }
        }
        out
    }

    /// The statement of an `if` that is known to be taken, if it has one, in the place of the `if`.
    fn taken(&mut self, stmt: Option<&'a ast::Stmt>, span: Span, out: &mut Vec<Stmt>) {
        let Some(stmt) = stmt else { return };
        let block = self.body(stmt);
        left_out::instead(block, span, out);
    }

    /// A statement as the body of another.
    pub(super) fn body(&mut self, stmt: &'a ast::Stmt) -> Block {
        match &stmt.kind {
            Ast::Block(block) => self.block(block),
            _ => Block { stmts: self.scoped(std::slice::from_ref(stmt)), trailing: Vec::new() },
        }
    }

    pub(super) fn stmt(&mut self, stmt: &'a ast::Stmt, out: &mut Vec<Stmt>) {
        let start = out.len();
        let outer = std::mem::take(&mut self.cx.temporaries);
        let pending = std::mem::take(&mut self.cx.throwing.pending);
        self.deeper(stmt.span, |c| c.stmt_inner(stmt, out));
        let made = std::mem::replace(&mut self.cx.temporaries, outer);
        let declared = made.into_iter().map(|local| statement(StmtKind::Local(local, None), stmt.span));
        let pending = std::mem::replace(&mut self.cx.throwing.pending, pending);
        out.splice(start..start, declared.chain(pending));
        if let Some(first) = out.get_mut(start) {
            first.blank_before = stmt.blank_before;
            if first.comments.is_empty() {
                first.comments = stmt.comments.clone();
            } else {
                let own = std::mem::replace(&mut first.comments, stmt.comments.clone());
                let more: Vec<Comment> = own.into_iter().filter(|c| !first.comments.contains(c)).collect();
                first.comments.extend(more);
            }
        } else {
            self.give_to_static(stmt);
        }
    }

    pub(super) fn hints(&mut self, stmt: &'a ast::Stmt) -> Hints {
        let resolved = self.attributes(&stmt.attributes, self.cx.scope);
        attributes::hints(&resolved)
    }

    /// What a statement of an expression does: without the calls of functions without a result, which stand before it. The name
    /// of a resource alone does nothing but for its indices, and is a value only to those that have such.
    fn done(&self, value: ExprId) -> Vec<ExprId> {
        if self.ty(value) == TypeId::VOID && matches!(self.kind(value), ExprKind::Zero) {
            return Vec::new();
        }
        if !self.program.holds_resource(self.ty(value)) {
            return vec![value];
        }
        let mut indices = Vec::new();
        let mut place = value;
        while !is_pure(&self.cx.body.exprs, place) {
            place = match *self.kind(place) {
                ExprKind::Field(of, _) | ExprKind::Contents(of) => of,
                ExprKind::Index(of, index) => {
                    indices.extend(Some(index).filter(|index| !is_pure(&self.cx.body.exprs, *index)));
                    of
                }
                _ => return vec![value],
            };
        }
        indices.reverse();
        indices
    }

    fn stmt_inner(&mut self, stmt: &'a ast::Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let kind = match &stmt.kind {
            Ast::Empty | Ast::Error => return,
            Ast::Decl(decls) => return self.decl_stmts(decls, span, out),
            Ast::Expr(ast::Expr { kind: ast::ExprKind::Expand(inner), .. }) => return self.expand_stmt(inner, out),
            Ast::Expr(e) => {
                let mut value = self.expr(e);
                let mut parts = Vec::new();
                // One operation that takes several.
                while let (false, ExprKind::Comma(first, last)) =
                    (matches!(e.kind, ast::ExprKind::Comma(..) | ast::ExprKind::Paren(_)), self.kind(value))
                {
                    // The value as a whole, which nothing asks for here.
                    if !matches!(self.kind(*last), ExprKind::Local(_)) {
                        parts.push(*last);
                    }
                    value = *first;
                }
                out.extend(self.done(value).into_iter().map(|value| statement(StmtKind::Expr(value), span)));
                out.extend(parts.into_iter().rev().map(|part| statement(StmtKind::Expr(part), span)));
                return;
            }
            Ast::Block(block) => StmtKind::Block(self.block(block)),
            Ast::If(binding, condition, then, otherwise) => {
                if let Some(binding) = binding {
                    return self.if_let(stmt, binding, then, otherwise.as_deref(), out);
                }
                let hints = self.hints(stmt);
                let asked = matches!(condition.kind, ast::ExprKind::IsAs(_, true, _));
                let condition = self.condition(condition);
                // What is for other types than a generic's argument may not fit this one.
                let known = match self.kind(condition) {
                    ExprKind::Literal(Literal::Bool(holds), _) if asked => Some(*holds),
                    _ => None,
                };
                if let Some(holds) = known {
                    let taken = if holds { Some(&**then) } else { otherwise.as_deref() };
                    return self.taken(taken, span, out);
                }
                let (then, no_then) = self.branch(condition, true, |c| c.body(then));
                let check_other = |c: &mut Self| otherwise.as_ref().map(|s| c.body(s));
                let (otherwise, no_other) = self.branch(condition, false, check_other);
                match (no_then, no_other) {
                    (false, false) => StmtKind::If(condition, then, otherwise, hints),
                    (true, _) if self.is_always(condition, false) => match otherwise {
                        Some(otherwise) => return left_out::instead(otherwise, span, out),
                        None => return,
                    },
                    (_, true) if self.is_always(condition, true) => return left_out::instead(then, span, out),
                    (true, _) => StmtKind::If(condition, Block::default(), otherwise, hints),
                    (_, true) => StmtKind::If(condition, then, None, hints),
                }
            }
            Ast::For(..) => return self.for_stmt(stmt, out),
            Ast::While(condition, body) => {
                let hints = self.hints(stmt);
                let Rounds { before: known, body, .. } = self.loop_body([Some(condition), None, None], body, out);
                StmtKind::While(self.or_forever(known, condition.span), body, hints)
            }
            Ast::DoWhile(body, condition) => {
                let hints = self.hints(stmt);
                let Rounds { again, body, .. } = self.loop_body([None, None, Some(condition)], body, out);
                StmtKind::DoWhile(body, self.or_forever(again, condition.span), hints)
            }
            Ast::Switch(value, cases) => self.switch_stmt(stmt, value, cases, out),
            Ast::Break(Some(label)) => return self.break_label(*label, out),
            Ast::Break(None) => {
                if self.cx.breakable == 0 {
                    return self.error(Code::BAD_STATEMENT, span, "`break` is only allowed in loops and `switch`");
                }
                if self.leave_catchers(false, span, out) {
                    return;
                }
                self.run_defers(self.cx.break_defers, out);
                StmtKind::Break
            }
            Ast::Continue => {
                if self.cx.loops == 0 {
                    return self.error(Code::BAD_STATEMENT, span, "`continue` is only allowed in loops");
                }
                if self.leave_catchers(true, span, out) {
                    return;
                }
                self.run_defers(self.cx.loop_defers, out);
                StmtKind::Continue
            }
            Ast::Return(value) => return self.return_stmt(value.as_ref(), span, out),
            Ast::Discard => StmtKind::Discard,
            Ast::Throw(e) => return self.throw_stmt(e, out),
            Ast::DoCatch(body, clauses) => return self.do_catch(body, clauses, span, out),
            Ast::Label(name, inner) => return self.labelled(*name, inner, out),
            Ast::Defer(inner) => return self.cx.defers.push((inner, self.cx.scope)),
            Ast::TargetSwitch(cases) => return self.target_switch(cases, span, out),
            Ast::StageSwitch => return self.unsupported(span, "`__stage_switch`"),
            Ast::IntrinsicAsm(..) if !span.file.is_library() => {
                let message = "`__intrinsic_asm` must be the only statement of its function or case";
                return self.error(Code::BAD_SPELLING, span, message);
            }
            Ast::IntrinsicAsm(text) => match self.template(*text, span, u32::MAX) {
                Some(template) => StmtKind::Intrinsic(template),
                None => return,
            },
            Ast::StaticAssert(condition, message) => return self.static_assert(condition, *message),
            Ast::Unsupported(what) => return self.unsupported(span, &format!("`{what}`")),
        };
        out.push(statement(kind, span));
        if labels::is_breakable(&stmt.kind) {
            out.append(&mut self.leave_breakable(span));
        }
    }

    /// A condition: a scalar that becomes bool.
    fn condition(&mut self, e: &'a ast::Expr) -> ExprId {
        let value = self.expr(e);
        let value = self.plain(value);
        match self.program.types.get(self.ty(value)) {
            Type::Enum(_) => self.convert(value, TypeId::BOOL, false),
            Type::Vector(_, n) if n > 1 => {
                let text = self.type_text(self.ty(value));
                let message = format!("a condition must be a scalar, not `{text}`");
                let diagnostic = Diagnostic::error(Code::TYPE_MISMATCH, e.span, message);
                self.diags.push(diagnostic.note("use `any` or `all`"));
                self.error_value(e.span)
            }
            _ => self.coerce(value, TypeId::BOOL),
        }
    }

    /// The condition of a loop, or `true`.
    fn or_forever(&mut self, condition: Option<ExprId>, span: Span) -> ExprId {
        let forever = ExprKind::Literal(Literal::Bool(true), None);
        condition.unwrap_or_else(|| self.push(forever, TypeId::BOOL, span))
    }

    /// The conditions, the step and the body of a loop. Where something is tried in one of the former, the body has it.
    fn loop_body(
        &mut self,
        [before, step, again]: [Option<&'a ast::Expr>; 3],
        body: &'a ast::Stmt,
        out: &mut Vec<Stmt>,
    ) -> Rounds {
        self.enter_breakable();
        let level = Some(self.cx.labels.depth().saturating_sub(1));
        let outer_level = std::mem::replace(&mut self.cx.throwing.loop_level, level);
        self.cx.loops += 1;
        self.cx.breakable += 1;
        let outer = (self.cx.loop_defers, self.cx.break_defers);
        (self.cx.loop_defers, self.cx.break_defers) = (self.cx.defers.len(), self.cx.defers.len());
        let (before, first) = self.tried_first(|c| before.map(|e| c.condition(e)));
        let (step, between) = self.tried_first(|c| step.map(|e| c.expr(e)));
        let (again, asked) = self.tried_first(|c| again.map(|e| c.condition(e)));
        let body = self.body(body);
        let mut rounds = Rounds { before, step, again, body };
        self.try_in_body(&mut rounds, first, between, asked, out);
        (self.cx.loop_defers, self.cx.break_defers) = outer;
        self.cx.throwing.loop_level = outer_level;
        self.cx.loops -= 1;
        self.cx.breakable -= 1;
        rounds
    }

    /// Moves into the body of a loop what has statements of its own before it: those of the condition before a round, of the step,
    /// and of the condition behind a round.
    fn try_in_body(
        &mut self,
        rounds: &mut Rounds,
        mut first: Vec<Stmt>,
        mut between: Vec<Stmt>,
        asked: Vec<Stmt>,
        out: &mut Vec<Stmt>,
    ) {
        let mut head = Vec::new();
        if let Some(step) = rounds.step.take_if(|_| !between.is_empty()) {
            between.push(statement(StmtKind::Expr(step), self.span(step)));
        }
        if let Some(again) = rounds.again.take_if(|_| !asked.is_empty()) {
            between.extend(asked);
            between.push(self.unless(again, StmtKind::Break));
        }
        let moved = !between.is_empty();
        if let Some(span) = between.last().map(|s| s.span) {
            let (declared, check) = self.tried_between(between, span);
            out.push(declared);
            head = check;
        }
        // What comes before a round comes behind what is between two.
        if let Some(before) = rounds.before.take_if(|_| moved || !first.is_empty()) {
            first.push(self.unless(before, StmtKind::Break));
        }
        head.append(&mut first);
        rounds.body.stmts.splice(0..0, head);
    }

    fn for_stmt(&mut self, stmt: &'a ast::Stmt, out: &mut Vec<Stmt>) {
        let Ast::For(init, condition, step, body) = &stmt.kind else { return };
        let hints = self.hints(stmt);
        let outer = self.cx.scope;
        self.cx.scope = self.scope(Some(outer), ScopeKind::Plain);
        let mut first = Vec::new();
        if let Some(init) = init {
            self.stmt(init, &mut first);
        }
        let rounds = self.loop_body([condition.as_ref(), step.as_ref(), None], body, out);
        let Rounds { before, step, body, .. } = rounds;
        self.cx.scope = outer;
        if self.language() == Language::Hlsl {
            self.outlive(&first);
        }
        out.push(statement(StmtKind::For(first, before, step, body, hints), stmt.span));
        out.append(&mut self.leave_breakable(stmt.span));
    }

    /// HLSL before version 2021: the variables of a `for` loop are known behind it. A name that means something there without them
    /// goes on to mean that, as from version 2021 on.
    fn outlive(&mut self, first: &[Stmt]) {
        for stmt in first {
            let StmtKind::Local(local, _) = stmt.kind else { continue };
            let name = self.cx.body.locals[local].name;
            if name.is_empty() || self.means_more(name) {
                continue;
            }
            self.rebind(self.cx.scope, name, Entity::Local(local, self.cx.id));
            self.cx.ended.insert(local);
        }
    }

    /// Whether a name means something of the source other than the variable of a loop that has ended.
    fn means_more(&mut self, name: Symbol) -> bool {
        self.lookup(self.cx.scope, name).entities.iter().any(|entity| match entity {
            Entity::Local(local, _) => !self.cx.ended.contains(local),
            other => !self.is_of_library(other),
        })
    }

    /// Variables of loops that are named behind their loop are declared before it.
    pub(super) fn declare_outlived(&mut self) {
        let outlived = std::mem::take(&mut self.cx.outlived);
        if outlived.is_empty() {
            return;
        }
        self.cx.body.block.rewrite(&mut |mut stmt, out| {
            if let StmtKind::For(first, ..) = &mut stmt.kind
                && first.iter().any(|s| matches!(s.kind, StmtKind::Local(l, _) if outlived.contains(&l)))
            {
                let mut declared = std::mem::take(first);
                if let Some(declaration) = declared.first_mut() {
                    declaration.blank_before = std::mem::take(&mut stmt.blank_before);
                    declaration.comments = std::mem::take(&mut stmt.comments);
                }
                out.append(&mut declared);
            }
            out.push(stmt);
        });
    }

    fn return_stmt(&mut self, value: Option<&'a ast::Expr>, span: Span, out: &mut Vec<Stmt>) {
        let result = self.cx.result.unwrap_or(TypeId::VOID);
        let kind = match value {
            Some(e) if self.cx.infers && self.cx.result.is_none() => {
                let value = self.expr(e);
                let value = self.plain(value);
                out.append(&mut self.cx.throwing.pending);
                let ty = self.ty(value);
                self.cx.result = Some(ty);
                if ty == TypeId::VOID {
                    out.push(statement(StmtKind::Expr(value), e.span));
                    StmtKind::Return(None)
                } else {
                    StmtKind::Return(Some(value))
                }
            }
            None if self.cx.constructs => {
                let this = self.this_value(span);
                StmtKind::Return(Some(this))
            }
            None if result == TypeId::VOID || result == TypeId::ERROR => StmtKind::Return(None),
            None => {
                let text = self.type_text(result);
                return self.error(Code::BAD_STATEMENT, span, format!("a value of type `{text}` must be returned"));
            }
            Some(e) if result == TypeId::VOID => {
                let value = self.expr(e);
                out.append(&mut self.cx.throwing.pending);
                let ty = self.ty(value);
                if ty != TypeId::VOID && ty != TypeId::ERROR {
                    self.error(Code::TYPE_MISMATCH, e.span, "this function returns nothing");
                }
                out.push(statement(StmtKind::Expr(value), e.span));
                StmtKind::Return(None)
            }
            Some(e) => {
                let mut value = self.expr_to(e, result);
                out.append(&mut self.cx.throwing.pending);
                if !self.cx.defers.is_empty() && !matches!(self.kind(value), ExprKind::Literal(..)) {
                    // The value is computed before deferred statements run.
                    let held = self.new_local(Symbol::new("result"), result, e.span);
                    out.push(statement(StmtKind::Local(held, Some(value)), e.span));
                    value = self.push(ExprKind::Local(held), result, e.span);
                }
                StmtKind::Return(Some(value))
            }
        };
        let kind = self.returned(kind, span);
        self.run_defers(0, out);
        out.push(statement(kind, span));
    }

    fn static_assert(&mut self, condition: &'a ast::Expr, message: Option<Symbol>) {
        let scope = self.cx.scope;
        if self.constant_int(condition, scope) == Some(0) && !self.is_unreached() {
            let text = message.map_or_else(|| "a static assertion does not hold".to_owned(), |m| m.as_str().to_owned());
            self.error(Code::USER_ERROR, condition.span, text);
        }
    }

    /// The statements of the case for the target at hand, without a `break` at their end. Where one leaves them earlier they are
    /// the only case of a `switch`, which a `continue` in them leaves, too.
    fn target_switch(&mut self, cases: &'a [(Vec<ast::Ident>, ast::Block)], span: Span, out: &mut Vec<Stmt>) {
        let target = self.cx.target.unwrap_or_else(|| Symbol::new(""));
        let Some(block) = super::body_shape::target_case(cases, target) else {
            // The library leaves out what other targets do.
            if self.in_builtin() {
                return;
            }
            return self.error(Code::BAD_STATEMENT, span, "this `__target_switch` has no case for some targets");
        };
        let is_left_early = super::body_shape::breaks_early(&block.stmts, true, 0);
        if is_left_early {
            self.enter_breakable();
        }
        self.cx.breakable += 1;
        let outer = std::mem::replace(&mut self.cx.break_defers, self.cx.defers.len());
        let mut body = self.block(block);
        self.cx.break_defers = outer;
        self.cx.breakable -= 1;
        if !is_left_early {
            drop_last_break(&mut body.stmts);
            return out.extend(body.stmts);
        }
        let zero = self.push(ExprKind::Literal(Literal::Int(0), None), TypeId::INT, span);
        let case = SwitchCase::new(vec![None], body);
        out.push(statement(StmtKind::Switch(zero, vec![case], Hints::default()), span));
        out.append(&mut self.leave_breakable(span));
    }
}

pub(super) fn statement(kind: StmtKind, span: Span) -> Stmt {
    Stmt { kind, span, comments: Vec::new(), blank_before: false }
}

/// Leaves out each `break` that is the last statement on its way.
fn drop_last_break(stmts: &mut Vec<Stmt>) {
    if stmts.pop_if(|last| matches!(last.kind, StmtKind::Break)).is_some() {
        return;
    }
    match stmts.last_mut().map(|last| &mut last.kind) {
        Some(StmtKind::Block(block)) => drop_last_break(&mut block.stmts),
        Some(StmtKind::If(_, then, otherwise, _)) => {
            drop_last_break(&mut then.stmts);
            otherwise.iter_mut().for_each(|block| drop_last_break(&mut block.stmts));
        }
        _ => {}
    }
}
