//! Statements.

use super::dialect::{Dialect, Style};
use super::expr::Exprs;
use super::marks::{Origin, PieceKind};
use super::writer::Writer;
use crate::lex::Comment;
use crate::source::Span;
use crate::tree::*;

/// Prints statements of one body.
pub(super) struct Stmts<'a, 'w> {
    /// Its expressions.
    pub(super) ex: Exprs<'a>,
    /// Where lines go.
    pub(super) w: &'w mut Writer,
}

impl<'a> Stmts<'a, '_> {
    fn dialect(&self) -> &'a dyn Dialect {
        self.ex.dialect
    }

    /// The statements of a block and the comments at its end.
    pub(super) fn block(&mut self, block: &Block) {
        let mut stmts = block.stmts.as_slice();
        while let Some((stmt, rest)) = stmts.split_first() {
            stmts = match self.by_macro(stmts) {
                Some(rest) => rest,
                None => self.stmt_of(stmt, rest),
            };
        }
        self.w.before(&block.trailing);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.stmt_of(stmt, &[]);
    }

    /// A statement, and those behind it that the source has in one with it. Gives what is left.
    fn stmt_of<'s>(&mut self, stmt: &Stmt, mut rest: &'s [Stmt]) -> &'s [Stmt] {
        self.blank_before(stmt.blank_before, &stmt.comments);
        self.w.before(&stmt.comments);
        let pass = match stmt.kind {
            StmtKind::Local(local, _) => self.ex.made.and_then(|made| made.local(local)),
            _ => None,
        };
        let around = self.w.from(Origin { span: stmt.span, kind: PieceKind::Statement, pass });
        match &stmt.kind {
            StmtKind::Local(local, init) => {
                let mut text = self.dialect().local(&self.ex, *local, *init);
                rest = self.declared_with(*local, rest, &mut text);
                self.w.line(&format!("{text};"));
            }
            StmtKind::Expr(e) => {
                let text = self.dialect().statement(&self.ex, *e);
                self.w.line(&format!("{text};"));
            }
            StmtKind::Block(block) => self.braced("", block),
            StmtKind::If(condition, then, other, hints) => self.if_chain(*condition, then, other.as_ref(), hints),
            StmtKind::For(init, condition, step, body, hints) => {
                self.for_loop(init, (*condition, *step), body, (hints, stmt.span));
            }
            StmtKind::While(condition, body, hints) => {
                self.hints(hints);
                let head = format!("while {}", self.condition(*condition));
                self.body(&head, body);
            }
            StmtKind::DoWhile(body, condition, hints) => {
                self.hints(hints);
                self.do_while(body, *condition);
            }
            StmtKind::Switch(value, cases, hints) => {
                self.hints(hints);
                self.switch(*value, cases);
            }
            StmtKind::Break => self.w.line("break;"),
            StmtKind::Continue => self.w.line("continue;"),
            StmtKind::Return(None) => self.w.line("return;"),
            StmtKind::Return(Some(value)) => {
                let mut text = "return ".to_owned();
                self.ex.first_value(*value, &mut text);
                self.w.line(&format!("{text};"));
            }
            StmtKind::Discard => self.w.line("discard;"),
            StmtKind::Intrinsic(template) => {
                let mut text = String::new();
                self.ex.template(template, &[], TypeId::VOID, &mut text);
                self.w.line(&format!("{text};"));
            }
        }
        self.w.from(around);
        self.w.after(&stmt.comments);
        rest
    }

    /// Adds the variables to a declaration that the source declares with its variable. Gives the statements behind them.
    fn declared_with<'s>(&self, first: LocalId, mut rest: &'s [Stmt], text: &mut String) -> &'s [Stmt] {
        let Some(locals) = self.ex.locals.filter(|_| self.dialect().style() == Style::C) else { return rest };
        let mut last = first;
        while let Some((stmt, behind)) = rest.split_first() {
            let StmtKind::Local(local, init) = stmt.kind else { break };
            let is_next = self.ex.cx.trivia.declares_both(locals[last].span, locals[local].span);
            if !is_next || !stmt.comments.is_empty() || stmt.blank_before {
                break;
            }
            let own = self.dialect().local(&self.ex, local, init);
            let Some(declarator) = declarator(text, locals[first].name.as_str(), &own) else { break };
            text.push_str(", ");
            text.push_str(declarator);
            (last, rest) = (local, behind);
        }
        rest
    }

    fn hints(&mut self, hints: &Hints) {
        for line in self.dialect().hints(self.ex.cx, hints) {
            self.w.line(&line);
        }
    }

    fn braced(&mut self, head: &str, block: &Block) {
        self.w.open(head);
        self.block(block);
        self.w.close("");
    }

    /// A condition as it stands after `if` and `while`.
    fn condition(&self, id: ExprId) -> String {
        let text = self.condition_text(id);
        match self.dialect().style() {
            Style::C => format!("({text})"),
            Style::Rust => text,
        }
    }

    /// A condition without the parentheses of its statement. An assignment has its own: it might be meant to be a comparison, so
    /// that compilers warn, and slangc refuses it.
    fn condition_text(&self, id: ExprId) -> String {
        let condition = self.ex.condition_of(id);
        let mut text = String::new();
        self.ex.before(condition, &mut text);
        if self.ex.adapting(condition, &mut text).is_none() {
            self.ex.print(condition, &mut text);
        }
        self.ex.end(condition, &mut text);
        match (self.dialect().style(), &self.ex.arena[condition].kind) {
            (Style::C, ExprKind::Assign(..)) => format!("({text})"),
            (Style::C | Style::Rust, _) => text,
        }
    }

    fn if_chain(&mut self, condition: ExprId, then: &Block, other: Option<&Block>, hints: &Hints) {
        self.hints(hints);
        let head = format!("if {}", self.condition(condition));
        let mut is_open = self.first_part(&head, then, other.is_some());
        let mut rest = other;
        while let Some(block) = rest {
            let (head, block) = match chained(block) {
                Some((condition, then, other)) => {
                    rest = other;
                    (format!("else if {}", self.condition(condition)), then)
                }
                None => {
                    rest = None;
                    ("else".to_owned(), block)
                }
            };
            is_open = self.further_part(&head, block, (is_open, rest.is_some()));
        }
        if is_open {
            self.w.close("");
        }
    }

    /// The first part of an `if`. Answers whether it has braces, which are open then.
    fn first_part(&mut self, head: &str, block: &Block, has_else: bool) -> bool {
        if self.is_bare(block, has_else) {
            self.w.open_bare(head);
            self.block(block);
            self.w.close_bare();
            return false;
        }
        self.w.open(head);
        self.block(block);
        true
    }

    /// A further part, behind one whose braces are open or that has none.
    fn further_part(&mut self, head: &str, block: &Block, (is_open, has_else): (bool, bool)) -> bool {
        match (is_open, self.is_bare(block, has_else)) {
            (false, _) => return self.first_part(head, block, has_else),
            (true, false) => self.w.reopen(head),
            (true, true) => {
                self.w.reopen_bare(head);
                self.block(block);
                self.w.close_bare();
                return false;
            }
        }
        self.block(block);
        true
    }

    /// A head with its body, as the source has it: with braces or without them.
    fn body(&mut self, head: &str, block: &Block) {
        if self.first_part(head, block, false) {
            self.w.close("");
        }
    }

    /// Whether an expression calls a function for which the source has a spelling.
    fn is_spelled_by_source(&self, id: ExprId) -> bool {
        let ExprKind::Call(function, _) = self.ex.kind(id) else { return false };
        let function = &self.ex.cx.program.functions[*function];
        !function.builtin && matches!(function.body, FunctionBody::Intrinsic(_))
    }

    /// Whether a body is one statement that has no braces in the source, in a language that takes that. Of what an `else` may follow,
    /// no `if` without one may be the end.
    fn is_bare(&self, block: &Block, has_else: bool) -> bool {
        let (Style::C, [stmt]) = (self.dialect().style(), block.stmts.as_slice()) else { return false };
        if !self.ex.cx.trivia.is_bare(stmt.span) {
            return false;
        }
        let is_one = match &stmt.kind {
            // What a function of the source is spelled as may be several statements.
            StmtKind::Expr(e) => !self.is_spelled_by_source(*e),
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::Discard => true,
            StmtKind::If(..) | StmtKind::While(..) => !has_else,
            // Its variables may have to stand before it.
            StmtKind::For(init, ..) => !has_else && self.for_init(init).is_some(),
            StmtKind::Local(..)
            | StmtKind::Block(_)
            | StmtKind::DoWhile(..)
            | StmtKind::Switch(..)
            | StmtKind::Intrinsic(_) => false,
        };
        is_one && block.trailing.is_empty() && stmt.comments.iter().all(|c| c.trailing)
    }

    fn for_loop(
        &mut self,
        init: &[Stmt],
        (condition, step): (Option<ExprId>, Option<ExprId>),
        body: &Block,
        (hints, span): (&Hints, Span),
    ) {
        let Some(first) = self.for_init(init) else {
            // Variables of several types, or more than the language's `for` takes: they stand before it in a block.
            self.w.open("");
            for stmt in init {
                self.stmt(stmt);
            }
            self.for_loop(&[], (condition, step), body, (hints, span));
            self.w.close("");
            return;
        };
        self.hints(hints);
        let condition = condition.map(|c| self.condition_text(c)).unwrap_or_default();
        let step = step.map(|s| self.dialect().statement(&self.ex, s)).unwrap_or_default();
        let around = self.ex.cx.trivia.for_head(span);
        let part = |(text, (before, behind)): (String, (String, String))| with_comments(text, &before, &behind);
        let parts: Vec<String> = [first, condition, step].into_iter().zip(around).map(part).collect();
        self.body(&format!("for ({})", for_head(&parts)), body);
    }

    /// What stands first in the head of a `for`; `None` if it does not go there.
    fn for_init(&self, init: &[Stmt]) -> Option<String> {
        match init {
            [] => Some(String::new()),
            [one] => match one.kind {
                StmtKind::Local(local, init) => Some(self.dialect().local(&self.ex, local, init)),
                StmtKind::Expr(e) => Some(self.dialect().statement(&self.ex, e)),
                _ => None,
            },
            several if self.dialect().style() == Style::C => self.several_inits(several),
            _ => None,
        }
    }

    /// `int i = 0, n = 10` if all have one type that is no array, `i = 0, j = 1` if all are expressions.
    fn several_inits(&self, init: &[Stmt]) -> Option<String> {
        let mut text = String::new();
        let mut previous: Option<TypeId> = None;
        for stmt in init {
            match (&stmt.kind, previous) {
                (StmtKind::Local(local, value), None) if text.is_empty() => {
                    text = self.dialect().local(&self.ex, *local, *value);
                    previous = Some(self.local_type(*local)?);
                }
                (StmtKind::Local(local, value), Some(ty)) if self.local_type(*local)? == ty => {
                    let name = self.ex.locals?[*local].name;
                    text.push_str(&format!(", {name}"));
                    if let Some(value) = value {
                        text.push_str(" = ");
                        self.ex.value(*value, &mut text);
                    }
                }
                (StmtKind::Expr(e), None) => {
                    let separator = if text.is_empty() { "" } else { ", " };
                    text.push_str(&format!("{separator}{}", self.dialect().statement(&self.ex, *e)));
                }
                _ => return None,
            }
        }
        Some(text)
    }

    /// The type of a local that may share a declaration with others.
    fn local_type(&self, local: LocalId) -> Option<TypeId> {
        let ty = self.ex.locals?[local].ty;
        (!matches!(self.ex.cx.program.types.get(ty), Type::Array(..))).then_some(ty)
    }

    fn do_while(&mut self, body: &Block, condition: ExprId) {
        match self.dialect().style() {
            Style::C => {
                self.w.open("do");
                self.block(body);
                let condition = self.condition(condition);
                self.w.close(&format!(" while {condition};"));
            }
            Style::Rust => {
                self.w.open("loop");
                self.block(body);
                self.w.blank();
                self.w.open("continuing");
                let mut negated = "!".to_owned();
                self.ex.operand(condition, super::expr::Prec::Unary, &mut negated);
                self.w.line(&format!("break if {negated};"));
                self.w.close("");
                self.w.close("");
            }
        }
    }

    fn switch(&mut self, value: ExprId, cases: &[SwitchCase]) {
        let mut head = "switch ".to_owned();
        match self.dialect().style() {
            Style::C => {
                head.push_str(&format!("({})", self.ex.typed_text(value)));
                self.w.open(&head);
                self.w.outdent();
                for (i, case) in cases.iter().enumerate() {
                    self.c_case(case, i + 1 == cases.len());
                }
                self.w.indent();
            }
            Style::Rust => {
                head.push_str(&self.ex.text(value));
                self.w.open(&head);
                cases.iter().for_each(|case| self.braced_case(case));
                if !cases.iter().any(|c| c.labels.contains(&None)) {
                    self.w.line("default: {}");
                }
            }
        }
        self.w.close("");
    }

    /// What stands before the labels of a case.
    fn before_case(&mut self, case: &SwitchCase) {
        self.blank_before(case.blank_before, &case.comments);
        self.w.before(&case.comments);
    }

    /// The blank line before a statement or case, if none is before its comments.
    fn blank_before(&mut self, is_asked: bool, comments: &[Comment]) {
        let first_is_blank = comments.iter().find(|c| !c.trailing).is_some_and(|c| c.blank_before);
        if is_asked && !first_is_blank {
            self.w.blank();
        }
    }

    fn c_case(&mut self, case: &SwitchCase, last: bool) {
        self.before_case(case);
        for label in &case.labels {
            match label {
                Some(value) => self.w.line(&format!("case {}:", self.ex.label(*value))),
                None => self.w.line("default:"),
            }
        }
        self.w.after(&case.comments);
        // A jump to a later label must not pass a declaration.
        let declares = case.body.stmts.iter().any(|s| matches!(s.kind, StmtKind::Local(..)));
        match case.body.stmts.split_first() {
            // A label needs a statement after it.
            _ if last && is_idle(&case.body) => {
                self.w.indent();
                self.block(&case.body);
                self.w.line("break;");
                self.w.outdent();
            }
            Some((only, [])) if matches!(only.kind, StmtKind::Block(_)) => self.stmt(only),
            _ if declares && !last => self.braced("", &case.body),
            _ => {
                self.w.indent();
                self.block(&case.body);
                self.w.outdent();
            }
        }
    }

    fn braced_case(&mut self, case: &SwitchCase) {
        let labels: Vec<String> =
            case.labels.iter().map(|l| l.map_or("default".to_owned(), |value| self.ex.text(value))).collect();
        let head = match labels.as_slice() {
            [only] if only == "default" => "default:".to_owned(),
            _ => format!("case {}:", labels.join(", ")),
        };
        self.before_case(case);
        self.w.open(&head);
        self.w.after(&case.comments);
        // Cases do not fall through: a `break` at the end says nothing. A case that is one block needs no second one.
        let body = match case.body.stmts.as_slice() {
            [Stmt { kind: StmtKind::Block(inner), comments, .. }] if comments.is_empty() => inner,
            [Stmt { kind: StmtKind::Block(inner), comments, .. }, Stmt { kind: StmtKind::Break, .. }]
                if comments.is_empty() =>
            {
                inner
            }
            _ => &case.body,
        };
        let (stmts, trailing) = match body.stmts.split_last() {
            Some((Stmt { kind: StmtKind::Break, comments, .. }, before)) => (before, comments.as_slice()),
            _ => (body.stmts.as_slice(), &[][..]),
        };
        for stmt in stmts {
            self.stmt(stmt);
        }
        self.w.before(trailing);
        self.w.after(trailing);
        self.w.before(&body.trailing);
        self.w.close("");
    }
}

/// What a declaration adds to another one, whose first variable has a name, if both begin with the same type and words: `b = 1` of
/// `float b = 1`.
pub(super) fn declarator<'t>(text: &str, name: &str, other: &'t str) -> Option<&'t str> {
    let (words, _) = text.split_once(&format!(" {name}"))?;
    let declarator = other.strip_prefix(words)?.strip_prefix(' ')?;
    (!words.is_empty() && !declarator.contains('\n')).then_some(declarator)
}

/// The parts of an `else if`: a block of one `if` without comments or hints.
fn chained(block: &Block) -> Option<(ExprId, &Block, Option<&Block>)> {
    match block.stmts.as_slice() {
        [Stmt { kind: StmtKind::If(condition, then, other, hints), comments, .. }]
            if comments.is_empty() && block.trailing.is_empty() && *hints == Hints::default() =>
        {
            Some((*condition, then, other.as_ref()))
        }
        _ => None,
    }
}

/// Whether a block has no statements but declarations, and blocks that have none.
fn is_idle(block: &Block) -> bool {
    block.stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Local(..) => true,
        StmtKind::Block(inner) => is_idle(inner),
        _ => false,
    })
}

/// A part of the head of a `for` between the comments that the source has around it, but for those that it has already.
fn with_comments(text: String, before: &str, behind: &str) -> String {
    let missing = |comment: &&str| !text.contains(comment.trim());
    let before = Some(before).filter(missing).unwrap_or_default().trim_start();
    let behind = Some(behind).filter(missing).unwrap_or_default();
    format!("{before}{text}{}", behind.trim_end_matches(' '))
}

/// `i = 0; i < n; i++`, where a part may be empty or end with a line.
fn for_head(parts: &[String]) -> String {
    let mut head = String::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            head.push(';');
            head.push_str(if part.is_empty() { "" } else { " " });
        }
        head.push_str(part);
    }
    head
}
