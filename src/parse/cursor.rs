//! The cursor: looking, consuming, reporting, skipping, comments.

use super::words::{W, Word};
use super::{Failed, Language, Parser, R};
use crate::ast::Ident;
use crate::diagnostic::{Code, Diagnostic};
use crate::lex::{Comment, Token, TokenKind};
use crate::source::Span;
use crate::symbol::Symbol;

impl Parser<'_> {
    // --- looking

    pub(super) fn token_at(&self, i: usize) -> Token {
        self.tokens.get(i).copied().unwrap_or(self.eof)
    }
    pub(super) fn word_at(&self, i: usize) -> Word {
        self.words.get(i).copied().unwrap_or(Word::EOF)
    }
    pub(super) fn tok(&self) -> Token {
        self.token_at(self.pos)
    }
    pub(super) fn w(&self) -> W {
        self.word_at(self.pos).w
    }
    /// The word `n` tokens ahead.
    pub(super) fn peek(&self, n: usize) -> W {
        self.word_at(self.pos + n).w
    }
    pub(super) fn is_ident_at(&self, i: usize) -> bool {
        self.token_at(i).kind == TokenKind::Ident
    }
    /// An identifier that may name something.
    pub(super) fn is_name_at(&self, i: usize) -> bool {
        self.is_ident_at(i) && (!self.word_at(i).is_reserved() || self.is_keyword_name(i))
    }
    /// A keyword that names something: Slang reserves no word, and what stands around it tells. A statement begins with none.
    fn is_keyword_name(&self, i: usize) -> bool {
        let word = self.word_at(i).w;
        if self.language != Language::Slang || matches!(word, W::This | W::True | W::False | W::SizeOf | W::Operator) {
            return false;
        }
        let Some(before) = i.checked_sub(1).map(|at| self.word_at(at)) else { return false };
        let next = self.word_at(i + 1).w;
        let declares = self.ends_name(i + 1);
        match before.w {
            // A modifier that no declaration follows.
            W::Semi | W::LBrace | W::RBrace if self.word_at(i).is_hard_modifier() && next.follows_operand() => true,
            W::Dot | W::Arrow | W::Scope => true,
            W::LBrace | W::Comma => matches!(next, W::Comma | W::RBrace | W::RParen | W::Assign) || self.is_operand(i),
            W::Gt | W::Name | W::IntWord => {
                declares && !before.is_reserved() && !before.is_hard_modifier() || self.is_operand(i)
            }
            _ => self.is_operand(i),
        }
    }
    /// Whether a token can stand behind the name that a declaration gives.
    fn ends_name(&self, i: usize) -> bool {
        use W::*;
        matches!(self.word_at(i).w, Semi | Assign | Comma | RParen | LBracket | LParen | Colon)
    }
    /// Whether a token is `const` behind a type rather than the name that is declared, which only Slang has.
    pub(super) fn is_const_of_type(&self, i: usize) -> bool {
        self.word_at(i).w == W::Const && !(self.language == Language::Slang && self.ends_name(i + 1))
    }
    /// Whether an operator or an opening bracket stands before a token, and what may follow an operand behind it.
    fn is_operand(&self, i: usize) -> bool {
        use W::*;
        let before = i.checked_sub(1).map_or(Eof, |at| self.word_at(at).w);
        let begins = matches!(
            before,
            LParen
                | LBracket
                | Comma
                | Assign
                | Question
                | Plus
                | Minus
                | Star
                | Slash
                | Percent
                | And
                | Or
                | Caret
                | AndAnd
                | OrOr
                | Bang
                | Tilde
                | Eq
                | Ne
                | Le
                | Lt
                | Gt
                | Shl
                | AddAssign
                | SubAssign
                | MulAssign
                | DivAssign
                | ModAssign
                | AndAssign
                | OrAssign
                | XorAssign
                | ShlAssign
                | Return
        );
        let ends = matches!(
            self.word_at(i + 1).w,
            RParen
                | RBracket
                | RBrace
                | Comma
                | Semi
                | Colon
                | Question
                | Dot
                | LBracket
                | LParen
                | Plus
                | Minus
                | Star
                | Slash
                | Percent
                | And
                | Or
                | Caret
                | AndAnd
                | OrOr
                | Eq
                | Ne
                | Le
                | Lt
                | Gt
                | Shl
        );
        begins && ends
    }
    /// The index of the bracket that belongs to the one at `i`.
    pub(super) fn partner_of(&self, i: usize) -> Option<usize> {
        self.partner.get(i).filter(|p| **p != u32::MAX).map(|p| *p as usize)
    }
    pub(super) fn prev_span(&self) -> Span {
        self.token_at(self.pos.saturating_sub(1)).span
    }
    /// From `start` to the last consumed token.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.prev_span())
    }

    // --- consuming

    pub(super) fn bump(&mut self) -> Token {
        let token = self.tok();
        self.pos = (self.pos + 1).min(self.tokens.len());
        token
    }
    pub(super) fn eat(&mut self, w: W) -> bool {
        let found = self.w() == w;
        if found {
            self.bump();
        }
        found
    }
    pub(super) fn ident(&mut self) -> Ident {
        let token = self.bump();
        Ident { name: token.text, span: token.span }
    }
    /// A name, or an error that says what should have a name here.
    pub(super) fn name(&mut self, what: &str) -> R<Ident> {
        if self.is_name_at(self.pos) { Ok(self.ident()) } else { self.fail(what) }
    }
    pub(super) fn no_name(&self) -> Ident {
        Ident { name: Symbol::new(""), span: Span { end: self.tok().span.start, ..self.tok().span } }
    }
    pub(super) fn expect(&mut self, w: W, what: &str) -> R<Token> {
        if self.w() == w { Ok(self.bump()) } else { self.fail(what) }
    }
    /// A closing bracket; its error also shows the opening one.
    pub(super) fn close(&mut self, w: W, what: &str, open: Span) -> R<()> {
        if self.eat(w) {
            return Ok(());
        }
        let message = format!("expected {what}, found {}", self.found());
        self.report(message, Some((open, "to close this")));
        Err(Failed)
    }
    /// The `;` that ends something. If it is missing at a line end, the rest is parsed as if it were there.
    pub(super) fn semicolon(&mut self, after: &str) -> R<()> {
        if self.eat(W::Semi) {
            return Ok(());
        }
        let message = format!("expected `;` after {after}, found {}", self.found());
        self.report(message, None);
        if self.tok().line_start || matches!(self.w(), W::RBrace | W::Eof) { Ok(()) } else { Err(Failed) }
    }

    // --- reporting

    /// The current token in words.
    pub(super) fn found(&self) -> String {
        match self.tok().kind {
            TokenKind::Eof => "the end of the file".to_owned(),
            TokenKind::Int | TokenKind::Float => format!("the number `{}`", self.tok().text),
            TokenKind::String => format!("the string {}", self.tok().text),
            _ => format!("`{}`", self.tok().text),
        }
    }
    pub(super) fn fail<T>(&mut self, expected: &str) -> R<T> {
        let message = format!("expected {expected}, found {}", self.found());
        self.report(message, None);
        Err(Failed)
    }
    pub(super) fn error_here(&mut self, message: String) {
        self.report(message, None);
    }
    /// One error a place: a rule that fails where another has just failed says nothing. What was too deep leaves pieces behind.
    fn report(&mut self, message: String, label: Option<(Span, &str)>) {
        if self.last_error == Some(self.pos) || self.nesting_reported {
            return;
        }
        self.last_error = Some(self.pos);
        // What is missing at a line end belongs behind the last token, not onto the next line.
        let missing = message.starts_with("expected") && (self.tok().line_start || self.w() == W::Eof) && self.pos > 0;
        let prev = self.prev_span();
        let span = if missing { Span { start: prev.end.saturating_sub(1), ..prev } } else { self.tok().span };
        let mut diagnostic = Diagnostic::error(Code::SYNTAX, span, message);
        if let Some((span, words)) = label {
            diagnostic = diagnostic.label(span, words);
        }
        self.diags.push(diagnostic);
    }
    /// What was reported here last may be the fault of a macro that nothing defines.
    pub(super) fn last_may_be_macro(&mut self, word: &str) {
        if self.last_error == Some(self.pos) {
            self.diags.amend_last(|last| last.may_be_macro(word));
        }
    }
    pub(super) fn error_at(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diags.push(Diagnostic::error(code, span, message));
    }

    // --- nesting

    /// Runs a rule one level deeper, unless that is too deep.
    pub(super) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> R<T>) -> R<T> {
        if u64::from(self.depth) >= self.nesting {
            return self.too_deep();
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }
    /// Runs a rule within brackets, where `>` is an operator whatever it is around them.
    pub(super) fn in_brackets<T>(&mut self, rule: impl FnOnce(&mut Self) -> T) -> T {
        self.with_gt(false, rule)
    }
    /// Runs a rule within `<...>`, where `>` ends the expression.
    pub(super) fn in_angles<T>(&mut self, rule: impl FnOnce(&mut Self) -> T) -> T {
        self.with_gt(true, rule)
    }
    fn with_gt<T>(&mut self, ends: bool, rule: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.no_gt, ends);
        let result = rule(self);
        self.no_gt = outer;
        result
    }
    /// list = [ element { "," element } [","] ], up to `end`
    pub(super) fn list<T>(&mut self, end: W, mut element: impl FnMut(&mut Self) -> R<T>) -> R<Vec<T>> {
        let mut list = Vec::new();
        while self.w() != end {
            list.push(element(self)?);
            if !self.eat(W::Comma) {
                break;
            }
        }
        Ok(list)
    }
    pub(super) fn too_deep<T>(&mut self) -> R<T> {
        self.last_error = Some(self.pos);
        if !self.nesting_reported {
            self.nesting_reported = true;
            let message = format!("this is nested more than {} levels deep", self.nesting);
            let note = "move parts of it into variables or functions; an `else if` is a level below the `if` before it";
            let span = self.tok().span;
            self.diags.push(Diagnostic::error(Code::NESTING, span, message).note(note));
        }
        Err(Failed)
    }

    // --- skipping

    /// Skips one token, or a bracket with all it holds.
    pub(super) fn skip_group(&mut self) {
        let opens = matches!(self.w(), W::LParen | W::LBracket | W::LBrace);
        match self.partner_of(self.pos).filter(|_| opens) {
            Some(end) => self.pos = end + 1,
            None => {
                self.bump();
            }
        }
    }
    /// Skips groups up to one of `ends` (not consumed), a `}` or the end.
    pub(super) fn skip_to(&mut self, ends: &[W]) {
        while !ends.contains(&self.w()) && !matches!(self.w(), W::RBrace | W::Eof) {
            self.skip_group();
        }
    }

    /// From the start of a broken element over whole bracket groups to where the error was, or behind the group
    /// that it lies in: skipping never begins in the middle of brackets.
    pub(super) fn skip_past_error(&mut self, start: usize) {
        self.no_gt = false;
        let error = std::mem::replace(&mut self.pos, start);
        while self.pos < error {
            self.skip_group();
        }
    }

    // --- comments

    fn comments_at(&self, i: usize) -> &[Comment] {
        let range = self.token_at(i).comments;
        let start = range.start as usize;
        self.comments.get(start..start + range.count as usize).unwrap_or(&[])
    }
    fn unclaimed(&self) -> usize {
        if self.claimed.0 == self.pos { self.claimed.1 } else { 0 }
    }
    /// The comments before the current token that nothing has taken yet.
    pub(super) fn leading_comments(&mut self) -> Vec<Comment> {
        let all = self.comments_at(self.pos);
        let list: Vec<Comment> =
            all.iter().skip(self.unclaimed()).map(|c| Comment { trailing: false, ..c.clone() }).collect();
        self.claimed = (self.pos, all.len());
        list
    }
    /// Gives comments that stand on the line of the token before to what ended there.
    pub(super) fn trailing_comments(&mut self, into: &mut Vec<Comment>) {
        let skip = self.unclaimed();
        let taken: Vec<Comment> =
            self.comments_at(self.pos).iter().skip(skip).take_while(|c| c.trailing).cloned().collect();
        self.claimed = (self.pos, skip + taken.len());
        into.extend(taken);
    }
    /// A blank line stands before the current token or before the comments before it.
    pub(super) fn blank_before(&self) -> bool {
        match self.comments_at(self.pos).iter().skip(self.unclaimed()).find(|c| !c.trailing) {
            Some(comment) => comment.blank_before,
            None => self.tok().blank_before,
        }
    }
}
