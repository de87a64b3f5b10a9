//! `switch`. Its cases are one scope, as in C: a variable of one is known in those behind it.

use super::Checker;
use super::scope::ScopeKind;
use super::stmt::statement;
use crate::ast::{self, ScopeChange};
use crate::diagnostic::Code;
use crate::source::Span;
use crate::tree::analyses::flow::ends_flow;
use crate::tree::build::Build;
use crate::tree::{Block, ExprId, ExprKind, LocalId, Scalar, Stmt, StmtKind, SwitchCase, Type, TypeId};
use rustc_hash::FxHashMap;

impl<'a> Checker<'a> {
    pub(super) fn switch_stmt(
        &mut self,
        stmt: &'a ast::Stmt,
        value: &'a ast::Expr,
        cases: &'a [ast::SwitchCase],
        out: &mut Vec<Stmt>,
    ) -> StmtKind {
        let hints = self.hints(stmt);
        let (mut selector, ty) = self.selector(value);
        self.enter_breakable();
        self.cx.breakable += 1;
        let outer = std::mem::replace(&mut self.cx.break_defers, self.cx.defers.len());
        let known = self.known_value(selector).ok().and_then(|value| value.int());
        let mut list = self.cases_of_switch((value.span, ty), known, cases);
        self.cx.breakable -= 1;
        self.cx.break_defers = outer;
        self.declare_before(&mut list, out);
        // What stands before the first label never runs.
        list.retain(|case| !case.labels.is_empty());
        if matches!(self.program.types.get(ty), Type::Enum(e) if self.program.enums[e].tag == Scalar::Bool) {
            // No target chooses by a `bool`.
            selector = self.convert(selector, TypeId::INT, true);
            for label in list.iter_mut().flat_map(|case| &mut case.labels).flatten() {
                *label = self.convert(*label, TypeId::INT, true);
            }
        }
        StmtKind::Switch(selector, list, hints)
    }

    /// The value that is chosen by, and the type of the labels.
    fn selector(&mut self, value: &'a ast::Expr) -> (ExprId, TypeId) {
        let selector = self.expr(value);
        let selector = self.plain(selector);
        let ty = self.ty(selector);
        match self.program.types.get(ty) {
            Type::Scalar(s) if s.is_integer() => (selector, ty),
            Type::Enum(_) | Type::Error => (selector, ty),
            Type::Scalar(_) | Type::Vector(..) => (self.coerce(selector, TypeId::INT), TypeId::INT),
            _ => {
                let text = self.type_text(ty);
                self.error(Code::TYPE_MISMATCH, value.span, format!("`switch` takes an integer, not `{text}`"));
                (selector, TypeId::ERROR)
            }
        }
    }

    /// The cases; `known` is the value that is chosen by, if it is a constant.
    fn cases_of_switch(
        &mut self,
        (span, ty): (Span, TypeId),
        known: Option<i64>,
        cases: &'a [ast::SwitchCase],
    ) -> Vec<SwitchCase> {
        let outer = self.cx.scope;
        let mut blocks = Vec::new();
        let mut list: Vec<SwitchCase> = Vec::new();
        let mut seen: Vec<i64> = Vec::new();
        let mut default = false;
        // Whether control may be in the case before.
        let mut entered = false;
        for case in cases {
            match case.scope {
                ScopeChange::None => {}
                ScopeChange::Enters => blocks.push(self.cx.scope),
                ScopeChange::Leaves => self.cx.scope = blocks.pop().unwrap_or(outer),
            }
            let mut labels = Vec::new();
            let before = seen.len();
            let met = known.is_some_and(|n| seen.contains(&n));
            for label in &case.labels {
                labels.push(match label {
                    None => {
                        if std::mem::replace(&mut default, true) {
                            self.error(Code::BAD_STATEMENT, span, "this `switch` has several `default` labels");
                        }
                        None
                    }
                    Some(e) => Some(self.case_label(e, ty, &mut seen)),
                });
            }
            // Names of the cases before are known, and may be declared again.
            self.cx.scope = self.scope(Some(self.cx.scope), ScopeKind::Plain);
            // The default is taken where no other label is met: those behind it are not known yet.
            let others = known.is_some_and(|n| seen.get(before..).is_some_and(|own| !own.contains(&n)));
            let chosen = !labels.is_empty() && !(others && (met || !labels.contains(&None)));
            let falls = entered && list.last().is_some_and(|last| !ends_flow(&last.body));
            entered = chosen || falls || labels.is_empty() && entered;
            let mut stmts = self.case_body(case, span, !entered);
            match list.last_mut() {
                Some(last) if labels.is_empty() => {
                    let mut comments = std::mem::take(&mut last.body.trailing);
                    comments.extend(case.comments.iter().cloned());
                    match stmts.first_mut() {
                        Some(first) => drop(first.comments.splice(0..0, comments)),
                        None => last.body.trailing = comments,
                    }
                    last.body.stmts.append(&mut stmts);
                    last.body.trailing.extend(case.body.trailing.iter().cloned());
                }
                _ => {
                    let body = Block { stmts, trailing: case.body.trailing.clone() };
                    let (comments, blank_before) = (case.comments.clone(), case.blank_before);
                    list.push(SwitchCase { labels, comments, blank_before, body });
                }
            }
        }
        self.cx.scope = outer;
        list
    }

    /// The statements of a case. Where it is `never` taken, those that ask for what is only declared are left out.
    fn case_body(&mut self, case: &'a ast::SwitchCase, span: Span, never: bool) -> Vec<Stmt> {
        if !never {
            return self.with_defers(&case.body.stmts);
        }
        let mut stmts = Vec::new();
        match self.behind_end(span, |c| stmts = c.with_defers(&case.body.stmts)) {
            true => vec![statement(StmtKind::Break, span)],
            false => stmts,
        }
    }

    /// Variables of a case that cases behind it use are declared before the switch.
    fn declare_before(&mut self, list: &mut [SwitchCase], out: &mut Vec<Stmt>) {
        let declares = |case: &SwitchCase| case.body.stmts.iter().any(|s| matches!(s.kind, StmtKind::Local(..)));
        if !list.iter().any(declares) {
            return;
        }
        let exprs = &self.cx.body.exprs;
        let mut last_use: FxHashMap<LocalId, usize> = FxHashMap::default();
        for (i, case) in list.iter().enumerate() {
            case.body.visit(&mut |stmt| {
                stmt.own_exprs(&mut |root| {
                    for id in exprs.post_order(root) {
                        if let ExprKind::Local(local) = exprs[id].kind {
                            last_use.insert(local, i);
                        }
                    }
                });
            });
        }
        for (i, case) in list.iter_mut().enumerate() {
            for stmt in std::mem::take(&mut case.body.stmts) {
                match stmt.kind {
                    StmtKind::Local(local, value) if last_use.get(&local).is_some_and(|last| *last > i) => {
                        let Some(value) = value else {
                            out.push(stmt);
                            continue;
                        };
                        out.push(statement(StmtKind::Local(local, None), stmt.span));
                        case.body.stmts.push(self.set_local(local, value, stmt));
                    }
                    _ => case.body.stmts.push(stmt),
                }
            }
        }
    }

    /// The declaration of a variable with a value as an assignment.
    fn set_local(&mut self, local: LocalId, value: ExprId, stmt: Stmt) -> Stmt {
        let variable = &mut self.cx.body.locals[local];
        variable.set_later();
        let (ty, name) = (variable.ty, variable.name);
        if self.program.has_no_copies(ty) {
            let message = format!("`{name}` is used in another case; declare it before the `switch`");
            self.error(Code::BAD_STATEMENT, stmt.span, message);
        }
        let mut build = Build::new(&mut self.program.types, &mut self.cx.body.exprs, stmt.span);
        let target = build.local(local, ty);
        let kind = StmtKind::Expr(build.assign(target, value));
        Stmt { kind, ..stmt }
    }
}
