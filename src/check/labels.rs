//! `break label;` out of several loops and switches.
//!
//! Before: `outer: for (...) { for (...) { break outer; } }`
//! After:  `bool leaveOuter = false; for (...) { for (...) { leaveOuter = true; break; } if (leaveOuter) break; }`

use super::Checker;
use super::stmt::statement;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{Block, ExprKind, Hints, Literal, Local, LocalId, Modifiers, Stmt, StmtKind, TypeId};

/// The labels around a statement, and the loops and switches around it.
#[derive(Default)]
pub(super) struct Labels {
    known: Vec<Label>,
    /// For each loop and switch, from the outside: the variables that say whether control leaves what is around it too.
    leaving: Vec<Vec<LocalId>>,
}

impl Labels {
    /// How many loops and switches are around the code at hand.
    pub(super) fn depth(&self) -> usize {
        self.leaving.len()
    }

    /// What follows the loops and switches from this one inwards: `if (flag) break;`
    pub(super) fn leave_down_to(&mut self, level: usize, flag: LocalId) {
        for list in self.leaving.iter_mut().skip(level) {
            if !list.contains(&flag) {
                list.push(flag);
            }
        }
    }
}

/// A label in whose statement the code at hand is.
struct Label {
    name: Symbol,
    /// How many loops and switches are around its statement.
    depth: usize,
    /// How many deferred statements were pending before it.
    defers: usize,
    /// The statement is a loop or `switch`.
    is_breakable: bool,
    /// The variable that tells inner loops and switches that control leaves its statement.
    flag: Option<LocalId>,
}

/// Whether `break` ends a statement.
pub(super) fn is_breakable(kind: &ast::StmtKind) -> bool {
    use ast::StmtKind::{DoWhile, For, Switch, While};
    matches!(kind, For(..) | While(..) | DoWhile(..) | Switch(..))
}

impl<'a> Checker<'a> {
    /// `label: statement`
    pub(super) fn labelled(&mut self, label: ast::Ident, inner: &'a ast::Stmt, out: &mut Vec<Stmt>) {
        let is_breakable = is_breakable(&inner.kind);
        let known = &mut self.cx.labels.known;
        known.push(Label {
            name: label.name,
            depth: self.cx.labels.leaving.len(),
            defers: self.cx.defers.len(),
            is_breakable,
            flag: None,
        });
        let mut stmts = Vec::new();
        self.stmt(inner, &mut stmts);
        if let Some(Label { flag: Some(flag), .. }) = self.cx.labels.known.pop() {
            let no = self.push(ExprKind::Literal(Literal::Bool(false), None), TypeId::BOOL, label.span);
            out.push(statement(StmtKind::Local(flag, Some(no)), label.span));
        }
        out.append(&mut stmts);
    }

    /// Enters a loop or switch. Pair with `leave_breakable`.
    pub(super) fn enter_breakable(&mut self) {
        self.cx.labels.leaving.push(Vec::new());
    }

    /// What has to follow the loop or switch that ends: `if (leaveOuter) break;`
    pub(super) fn leave_breakable(&mut self, span: Span) -> Vec<Stmt> {
        let flags = self.cx.labels.leaving.pop().unwrap_or_default();
        let mut stmts = Vec::new();
        for flag in flags {
            let condition = self.push(ExprKind::Local(flag), TypeId::BOOL, span);
            let then = Block { stmts: vec![statement(StmtKind::Break, span)], trailing: Vec::new() };
            stmts.push(statement(StmtKind::If(condition, then, None, Hints::default()), span));
        }
        stmts
    }

    /// `break label;`
    pub(super) fn break_label(&mut self, label: ast::Ident, out: &mut Vec<Stmt>) {
        let Some(at) = self.cx.labels.known.iter().rposition(|l| l.name == label.name) else {
            let message = format!("no statement around this one has the label `{}`", label.name);
            return self.error(Code::BAD_STATEMENT, label.span, message);
        };
        let Some(&Label { depth, defers, is_breakable, flag, .. }) = self.cx.labels.known.get(at) else { return };
        let inner = self.cx.labels.leaving.len();
        if !is_breakable {
            let diagnostic = Diagnostic::error(
                Code::BAD_STATEMENT,
                label.span,
                format!("`{}` is the label of a statement that is no loop and no `switch`", label.name),
            );
            return self.diags.push(diagnostic);
        }
        self.run_defers(defers, out);
        if inner > depth + 1 {
            let flag = flag.unwrap_or_else(|| self.leaving_flag(at, label));
            self.cx.labels.leave_down_to(depth + 1, flag);
            let target = self.push(ExprKind::Local(flag), TypeId::BOOL, label.span);
            let yes = self.push(ExprKind::Literal(Literal::Bool(true), None), TypeId::BOOL, label.span);
            let set = self.push(ExprKind::Assign(None, target, yes), TypeId::BOOL, label.span);
            out.push(statement(StmtKind::Expr(set), label.span));
        }
        out.push(statement(StmtKind::Break, label.span));
    }

    fn leaving_flag(&mut self, at: usize, label: ast::Ident) -> LocalId {
        let mut letters = label.name.as_str().chars();
        let first: String = letters.next().map(|c| c.to_ascii_uppercase()).into_iter().collect();
        let flag = self.cx.body.locals.push(Local {
            name: Symbol::new(&format!("leave{first}{}", letters.as_str())),
            ty: TypeId::BOOL,
            constant: false,
            modifiers: Modifiers::default(),
            span: label.span,
        });
        if let Some(label) = self.cx.labels.known.get_mut(at) {
            label.flag = Some(flag);
        }
        flag
    }
}
