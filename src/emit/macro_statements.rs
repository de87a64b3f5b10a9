//! Macros of the source that stand for statements: where statements come from one macro as a whole and are written as its definition
//! has them, its name stands for them.

use super::marks::is_mark;
use super::named::{BREAK, MARK};
use super::stmt::Stmts;
use crate::source::Span;
use crate::tree::{Prec, Stmt, StmtKind};

impl Stmts<'_, '_> {
    /// Writes the first statements by the name of the macro that they come from. Gives those behind them.
    pub(super) fn by_macro<'s>(&mut self, stmts: &'s [Stmt]) -> Option<&'s [Stmt]> {
        let cx = self.ex.cx;
        let first = stmts.first()?;
        let place = Span { file: first.span.file.plain(), ..first.span };
        let expansion = cx.macros.sources.expansion(place.file)?;
        if cx.macros.are_constants || !expansion.is_object || expansion.call_site.file.is_expansion() {
            return None;
        }
        let is_of_macro = |stmt: &&Stmt| stmt.span.file.plain() == place.file;
        let (own, rest) = stmts.split_at_checked(stmts.iter().take_while(is_of_macro).count())?;
        // Comments stand at the use.
        let (_, later) = own.split_first()?;
        if first.comments.iter().any(|c| c.trailing) || later.iter().any(|stmt| !stmt.comments.is_empty()) {
            return None;
        }
        let body = cx.trivia.definition(expansion.definition);
        let mut text = String::new();
        cx.macros.use_of(&cx.trivia, &mut text, |out| out.push_str(&self.texts(own).unwrap_or_default()));
        let shown = |text: &str| -> String {
            text.chars().filter(|c| !c.is_whitespace() && !is_mark(*c) && *c != MARK).collect()
        };
        let (own_text, body) = (shown(&text), shown(&body));
        let ends = match own_text.strip_suffix(';') {
            Some(open) if open == body => "",
            _ if own_text == body => ";",
            _ => return None,
        };
        let print = |out: &mut String| {
            let text = self.texts(own).unwrap_or_default();
            out.push_str(text.trim_end_matches(';'));
            out.push_str(ends);
            Prec::Postfix
        };
        let (named, mut out) = (Span { file: place.file.named(), ..place }, String::new());
        cx.macros.use_of(&cx.trivia, &mut out, |out| cx.macros.write(named, true, out, &print));
        if out.trim_start_matches(MARK) != expansion.name.as_str() {
            return None;
        }
        if first.blank_before && !first.comments.first().is_some_and(|c| c.blank_before) {
            self.w.blank();
        }
        self.w.before(&first.comments);
        self.w.line(&format!("{out};"));
        Some(rest)
    }

    /// Statements as the value of a macro.
    fn texts(&self, stmts: &[Stmt]) -> Option<String> {
        let mut texts = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            let text = match stmt.kind {
                StmtKind::Expr(e) => self.ex.dialect.statement(&self.ex, e),
                StmtKind::Local(local, init) => self.ex.dialect.local(&self.ex, local, init),
                _ => return None,
            };
            texts.push(text + ";");
        }
        Some(texts.join(&BREAK.to_string()))
    }
}
