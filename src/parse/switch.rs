//! The cases of a `switch`. Labels may stand in blocks, as in C: `case 1: a; { b; case 2: c; } d;`. The parts between labels and
//! the braces around labels are cases of the tree, which say where the scope of a block begins and ends.

use super::words::W;
use super::{Parser, R};
use crate::ast::*;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

impl Parser<'_> {
    /// switch = "switch" (condition-declaration | condition) "{" case* "}"
    pub(super) fn switch_statement(&mut self, attributes: &mut Vec<Attribute>) -> R<StmtKind> {
        self.bump();
        let (decl, value) = self.declared_condition("switch")?;
        let mut remarks = self.leading_comments();
        let open = self.expect(W::LBrace, "`{` and the cases of `switch`")?.span;
        let mut cases = vec![part(ScopeChange::None, self.tok().span)];
        self.in_brackets(|p| p.cases(&mut cases));
        self.statements_before_cases(&mut cases);
        if let Some(first) = cases.first_mut() {
            remarks.iter_mut().for_each(|c| c.trailing = false);
            first.comments.splice(0..0, remarks);
        }
        let mut rest = self.leading_comments();
        if let Some(last) = cases.last_mut() {
            last.body.trailing.append(&mut rest);
        }
        self.close(W::RBrace, "`}` at the end of `switch`", open)?;
        cases.shrink_to_fit();
        Ok(self.declared(decl, StmtKind::Switch(value, cases), attributes))
    }

    /// What stands before the first label can never run; declarations there are known in the cases.
    fn statements_before_cases(&mut self, cases: &mut Vec<SwitchCase>) {
        let Some(first) = cases.first() else { return };
        let Some(idle) = first.body.stmts.iter().find(|s| !matches!(s.kind, StmtKind::Decl(_))) else {
            if first.body.stmts.is_empty() && cases.get(1).is_none_or(|next| next.scope == ScopeChange::None) {
                cases.remove(0);
            }
            return;
        };
        let message = "statements before the first `case` never run";
        self.diags.push(Diagnostic::warning(Code::BAD_STATEMENT, self.since(idle.span), message));
    }

    /// Labels and statements up to the `}` of the switch, or of a block in it.
    fn cases(&mut self, cases: &mut Vec<SwitchCase>) {
        while !matches!(self.w(), W::RBrace | W::Eof) {
            let start = self.pos;
            let parsed = match self.w() {
                W::Case | W::Default => self.labels().map(|case| cases.push(case)),
                W::LBrace => self.nested(|p| p.block_of_cases(cases)),
                _ => {
                    let stmt = self.recovered_statement();
                    add(cases, stmt);
                    Ok(())
                }
            };
            if parsed.is_err() {
                self.sync_statement(start);
                if self.pos == start {
                    self.bump();
                }
            }
        }
    }

    /// case = { ("case" expression | "default") ":" } statement*
    fn labels(&mut self) -> R<SwitchCase> {
        let mut labels = Vec::new();
        let blank_before = self.blank_before();
        let mut comments = self.leading_comments();
        while matches!(self.w(), W::Case | W::Default) {
            let is_case = self.w() == W::Case;
            self.bump();
            if is_case {
                labels.push(Some(self.expr()?));
                self.expect(W::Colon, "`:` after the value of `case`")?;
            } else {
                labels.push(None);
                self.expect(W::Colon, "`:` after `default`")?;
            }
            self.trailing_comments(&mut comments);
            if matches!(self.w(), W::Case | W::Default) {
                comments.append(&mut self.leading_comments());
            }
        }
        Ok(SwitchCase { labels, comments, blank_before, ..part(ScopeChange::None, self.tok().span) })
    }

    /// Labels in the block of another statement than a `switch`: no target has jumps into an `if` or a loop.
    pub(super) fn misplaced_labels(&mut self, stmts: &mut Vec<Stmt>) {
        while matches!(self.w(), W::Case | W::Default) {
            let message = "a label stands among the statements of a `switch`, or in a block of its own there; no target has jumps \
                           into an `if` or a loop";
            self.error_here(message.to_owned());
            if self.labels().is_err() {
                return;
            }
            stmts.append(&mut self.statements());
        }
    }

    /// A block among the statements of a case: one of them, unless it has labels of the switch.
    fn block_of_cases(&mut self, cases: &mut Vec<SwitchCase>) -> R<()> {
        let blank_before = self.blank_before();
        let comments = self.leading_comments();
        let open = self.bump().span;
        let mut inner = vec![part(ScopeChange::Enters, open)];
        self.in_brackets(|p| p.cases(&mut inner));
        let mut trailing = self.leading_comments();
        let closed = self.close(W::RBrace, "`}` at the end of the block", open);
        let span = self.since(open);
        match inner.pop() {
            Some(mut only) if inner.is_empty() => {
                only.body.trailing.append(&mut trailing);
                let block = Block { span, ..only.body };
                let mut stmt = Stmt { comments, blank_before, ..super::stmt::plain(StmtKind::Block(block), span) };
                self.trailing_comments(&mut stmt.comments);
                add(cases, stmt);
            }
            last => {
                cases.append(&mut inner);
                cases.extend(last);
                let leaves = part(ScopeChange::Leaves, span);
                cases.push(SwitchCase { comments: trailing, ..leaves });
            }
        }
        closed.map(|_| ())
    }
}

/// A part without labels and statements.
fn part(scope: ScopeChange, span: Span) -> SwitchCase {
    let body = Block { stmts: Vec::new(), trailing: Vec::new(), span };
    SwitchCase { labels: Vec::new(), scope, comments: Vec::new(), blank_before: false, body }
}

/// A statement at the end of the last part.
fn add(cases: &mut [SwitchCase], stmt: Stmt) {
    if let Some(last) = cases.last_mut() {
        last.body.stmts.push(stmt);
    }
}
