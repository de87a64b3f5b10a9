//! Statements.

use super::decl::bare_decl;
use super::words::W;
use super::{Level, Parser, R};
use crate::ast::*;
use crate::lex::Comment;
use crate::source::Span;
use crate::symbol::Symbol;

/// What stands in the parentheses of a `for`.
#[derive(Default)]
struct ForHeader {
    init: Option<Box<Stmt>>,
    /// The declaration of the variable that the condition is, and its name as the condition.
    variable: Option<(Stmt, Expr)>,
    condition: Option<Expr>,
    step: Option<Expr>,
    /// The step names that variable.
    steps_by: bool,
}

impl Parser<'_> {
    /// block = "{" statement* "}"
    pub(super) fn block(&mut self, what: &str) -> R<Block> {
        // `if (c) // why`: a remark on what follows.
        let remarks = self.leading_comments();
        let open = self.expect(W::LBrace, &format!("`{{` and the body of {what}"))?.span;
        let mut stmts = self.in_brackets(Self::statements);
        self.misplaced_labels(&mut stmts);
        let mut trailing = self.leading_comments();
        put_first(remarks, &mut stmts, &mut trailing);
        self.close(W::RBrace, &format!("`}}` at the end of {what}"), open)?;
        Ok(Block { stmts, trailing, span: self.since(open) })
    }

    /// Statements up to `}`, `case` or `default`.
    pub(super) fn statements(&mut self) -> Vec<Stmt> {
        let mut list: Vec<Stmt> = Vec::new();
        while !matches!(self.w(), W::RBrace | W::Eof | W::Case | W::Default) {
            list.push(self.recovered_statement());
        }
        // Most blocks are short, and trees of the library stay for good.
        list.shrink_to_fit();
        list
    }

    /// A statement with the comments on its last line; after an error in it the next one begins.
    pub(super) fn recovered_statement(&mut self) -> Stmt {
        let start = self.pos;
        let span = self.tok().span;
        let mut stmt = self.statement().unwrap_or_else(|_| {
            self.sync_statement(start);
            plain(StmtKind::Error, self.since(span))
        });
        self.trailing_comments(&mut stmt.comments);
        stmt
    }

    /// Skips to where the next statement may begin.
    pub(super) fn sync_statement(&mut self, start: usize) {
        self.skip_past_error(start);
        loop {
            match self.w() {
                W::Eof | W::RBrace | W::Case | W::Default => return,
                W::Semi => {
                    self.bump();
                    return;
                }
                W::LBrace => return self.skip_group(),
                _ if self.pos > start && self.tok().line_start && self.looks_like_statement() => return,
                _ => self.skip_group(),
            }
        }
    }

    fn looks_like_statement(&self) -> bool {
        let word = self.word_at(self.pos);
        use W::*;
        matches!(word.w, If | For | While | Do | Switch | Break | Continue | Return | Discard | Struct | Let | Var)
            || word.is_hard_modifier()
            || self.is_name_at(self.pos) && self.is_name_at(self.pos + 1)
    }

    /// statement = attributes* statement-rest
    pub(super) fn statement(&mut self) -> R<Stmt> {
        let blank_before = self.blank_before();
        let mut comments = self.leading_comments();
        let start = self.tok().span;
        let mut attributes = Vec::new();
        while self.w() == W::LBracket {
            self.attributes(&mut attributes)?;
            comments.append(&mut self.leading_comments());
        }
        let mut kind = self.nested(|p| p.statement_rest(&mut attributes))?;
        if let StmtKind::Decl(list) = &mut kind {
            for decl in list {
                decl.attributes.splice(0..0, attributes.iter().cloned());
            }
        }
        Ok(Stmt { kind, span: self.since(start), comments, attributes, blank_before })
    }

    /// Takes the attributes if they belong to a statement inside of this one.
    fn statement_rest(&mut self, attributes: &mut Vec<Attribute>) -> R<StmtKind> {
        let next = self.peek(1);
        match self.w() {
            W::LBrace => Ok(StmtKind::Block(self.block("the block")?)),
            W::Semi => {
                self.bump();
                Ok(StmtKind::Empty)
            }
            W::If => self.if_statement(attributes),
            W::For => self.for_statement(attributes),
            W::While => self.while_statement(),
            W::Do => self.do_statement(),
            W::Switch => self.switch_statement(attributes),
            W::Break => self.break_statement(),
            W::Continue => self.word_statement(StmtKind::Continue),
            W::Discard if next == W::Semi || self.token_at(self.pos + 1).line_start => {
                self.word_statement(StmtKind::Discard)
            }
            W::Return => self.return_statement(),
            W::Defer if next == W::LBrace || self.is_ident_at(self.pos + 1) => {
                self.bump();
                Ok(StmtKind::Defer(Box::new(self.statement()?)))
            }
            W::Throw if next != W::Assign => {
                self.bump();
                let value = self.expr()?;
                self.semicolon("`throw`")?;
                Ok(StmtKind::Throw(value))
            }
            W::Goto | W::GpuForeach | W::RequirePrelude => self.unsupported(&[W::Semi]),
            W::Dollar if next == W::For => self.dollar_for(),
            W::StaticAssert | W::StaticAssertC if next == W::LParen => self.static_assert(),
            W::TargetSwitch => Ok(StmtKind::TargetSwitch(self.name_switch()?)),
            W::StageSwitch => self.name_switch().map(|_| StmtKind::StageSwitch),
            W::IntrinsicAsm => self.intrinsic_asm(),
            W::Else => self.fail("a statement (this `else` belongs to no `if`)"),
            _ if self.is_name_at(self.pos) && next == W::Colon => self.label(),
            _ if self.begins_local_declaration() => {
                let mut list = Vec::new();
                let scope = self.type_params.len();
                let result = self.declaration(Level::Local, &mut list);
                self.type_params.truncate(scope);
                result?;
                Ok(StmtKind::Decl(list))
            }
            _ => {
                let e = self.expr()?;
                self.semicolon("the expression")?;
                Ok(StmtKind::Expr(e))
            }
        }
    }

    fn begins_local_declaration(&mut self) -> bool {
        let next = self.peek(1);
        let named = self.is_name_at(self.pos + 1);
        match self.w() {
            W::Struct | W::Class | W::Enum | W::Interface => true,
            W::Typedef => true,
            W::Using => named || next == W::Namespace,
            W::TypeAlias | W::Func | W::FuncOld | W::Let | W::Var | W::Import | W::Namespace => named,
            W::Generic | W::Template => next == W::Lt,
            W::Auto => named,
            // `try f();`
            W::Try => false,
            // `no_diff f();` or `no_diff float x = 1;`
            W::NoDiff => {
                let start = self.pos;
                while self.w() == W::NoDiff {
                    self.pos += 1;
                }
                let begins = self.begins_local_declaration();
                self.pos = start;
                begins
            }
            _ => self.is_modifier(Level::Local) || self.begins_declaration(),
        }
    }

    fn word_statement(&mut self, kind: StmtKind) -> R<StmtKind> {
        let text = self.bump().text;
        self.semicolon(&format!("`{text}`"))?;
        Ok(kind)
    }

    /// break = "break" [label] ";"
    fn break_statement(&mut self) -> R<StmtKind> {
        self.bump();
        let label = if self.is_name_at(self.pos) && !self.tok().line_start { Some(self.ident()) } else { None };
        self.semicolon("`break`")?;
        Ok(StmtKind::Break(label))
    }

    /// return = "return" [expression] ";"
    fn return_statement(&mut self) -> R<StmtKind> {
        self.bump();
        let value = if matches!(self.w(), W::Semi | W::RBrace) { None } else { Some(self.expr()?) };
        self.semicolon("`return`")?;
        Ok(StmtKind::Return(value))
    }

    /// label = name ":" statement
    fn label(&mut self) -> R<StmtKind> {
        let name = self.ident();
        self.bump();
        Ok(StmtKind::Label(name, Box::new(self.statement()?)))
    }

    /// condition = "(" expression ")"; after an error in it the body is still looked at
    fn condition(&mut self, word: &str) -> R<Expr> {
        let at = self.pos;
        let open = self.expect(W::LParen, &format!("`(` after `{word}`"))?.span;
        let result = self.expr();
        let result = result.and_then(|e| {
            self.close(W::RParen, &format!("`)` after the condition of `{word}`"), open)?;
            Ok(e)
        });
        match (result, self.partner_of(at)) {
            (Err(_), Some(close)) => {
                self.pos = close + 1;
                Ok(Expr { kind: ExprKind::Error, span: self.since(open) })
            }
            (result, _) => result,
        }
    }

    /// A statement inside of another; a declaration's or expression's trailing comment stays with it.
    fn sub_statement(&mut self) -> R<Box<Stmt>> {
        let mut stmt = self.statement()?;
        match &mut stmt.kind {
            StmtKind::Block(block) => {
                put_first(std::mem::take(&mut stmt.comments), &mut block.stmts, &mut block.trailing);
            }
            _ => self.trailing_comments(&mut stmt.comments),
        }
        Ok(Box::new(stmt))
    }

    /// condition-declaration = "(" condition-variable ")"; the variable is the condition
    pub(super) fn declared_condition(&mut self, word: &str) -> R<(Option<Stmt>, Expr)> {
        let at = self.pos;
        if self.w() == W::LParen {
            let open = self.bump().span;
            if let Some((decl, value)) = self.condition_variable()? {
                self.close(W::RParen, &format!("`)` after the condition of `{word}`"), open)?;
                return Ok((Some(decl), value));
            }
            self.pos = at;
        }
        Ok((None, self.condition(word)?))
    }

    /// condition-variable = type declarator; nothing where no declaration begins
    fn condition_variable(&mut self) -> R<Option<(Stmt, Expr)>> {
        let start = self.tok().span;
        let name = |p: &mut Self| if p.begins_declaration() { p.scan_type(p.pos).map(|t| t.end) } else { None };
        let declares = name(self).is_some_and(|name| self.word_at(name + 1).w == W::Assign);
        if !declares || matches!(self.w(), W::Let | W::Var) {
            return Ok(None);
        }
        let ty = self.ty()?;
        let name = self.name("the name of the variable")?;
        self.variables.insert(name.name);
        let decl = bare_decl(DeclKind::Var(self.variable(name, ty)?), self.since(start));
        let span = decl.span;
        Ok(Some((plain(StmtKind::Decl(vec![decl]), span), path_of(name))))
    }

    /// The statement behind the declaration of its condition's variable.
    pub(super) fn declared(&self, decl: Option<Stmt>, kind: StmtKind, attributes: &mut Vec<Attribute>) -> StmtKind {
        let Some(decl) = decl else { return kind };
        let span = self.since(decl.span);
        let stmt = Stmt { attributes: std::mem::take(attributes), ..plain(kind, span) };
        StmtKind::Block(Block { stmts: vec![decl, stmt], trailing: Vec::new(), span })
    }

    /// if = "if" (let-condition | condition-declaration | condition) statement ["else" statement]
    fn if_statement(&mut self, attributes: &mut Vec<Attribute>) -> R<StmtKind> {
        self.bump();
        let mut before = None;
        let (decl, condition) = if self.w() == W::LParen && matches!(self.peek(1), W::Let | W::Var) {
            self.let_condition()?
        } else {
            let (declaration, condition) = self.declared_condition("if")?;
            before = declaration;
            (None, condition)
        };
        let yes = self.sub_statement()?;
        let mut no = None;
        if self.w() == W::Else {
            let mut comments = self.leading_comments();
            self.bump();
            let mut stmt = self.sub_statement()?;
            match &mut stmt.kind {
                StmtKind::Block(block) => put_first(comments, &mut block.stmts, &mut block.trailing),
                _ => {
                    comments.append(&mut stmt.comments);
                    stmt.comments = comments;
                }
            }
            no = Some(stmt);
        }
        Ok(self.declared(before, StmtKind::If(decl, condition, yes, no), attributes))
    }

    /// let-condition = "(" ("let" | "var") let-declarator ")"
    fn let_condition(&mut self) -> R<(Option<Box<Decl>>, Expr)> {
        let open = self.bump().span;
        let start = self.tok().span;
        let is_let = self.bump().text == "let";
        let var = self.let_declarator(is_let)?;
        let name = var.name;
        let decl = bare_decl(DeclKind::Var(var), self.since(start));
        self.close(W::RParen, "`)` after the condition of `if`", open)?;
        Ok((Some(Box::new(decl)), path_of(name)))
    }

    /// for = "for" "(" (";" | declaration | expression ";") [condition-variable | expression] ";" [expression] ")" statement
    fn for_statement(&mut self, attributes: &mut Vec<Attribute>) -> R<StmtKind> {
        self.bump();
        let at = self.pos;
        let open = self.expect(W::LParen, "`(` after `for`")?.span;
        let header = match (self.for_header(open), self.partner_of(at)) {
            (Err(_), Some(close)) => {
                self.pos = close + 1;
                ForHeader::default()
            }
            (result, _) => result?,
        };
        let body = self.sub_statement()?;
        let ForHeader { init, variable, condition, step, steps_by } = header;
        let Some((mut variable, value)) = variable else { return Ok(StmtKind::For(init, condition, step, body)) };
        // A variable that the step names lives on behind the body.
        let set = if steps_by { taken_value(&mut variable, &value) } else { None };
        match set {
            Some(set) => {
                let body = self.checked_each_time(set, value, body);
                Ok(self.declared(Some(variable), StmtKind::For(init, None, step, body), attributes))
            }
            None => Ok(StmtKind::For(init, None, step, self.checked_each_time(variable, value, body))),
        }
    }

    fn for_header(&mut self, open: Span) -> R<ForHeader> {
        let init = if self.eat(W::Semi) { None } else { Some(Box::new(self.statement()?)) };
        let (variable, condition) = match self.w() {
            W::Semi => (None, None),
            _ => match self.condition_variable()? {
                Some(variable) => (Some(variable), None),
                None => (None, Some(self.expr()?)),
            },
        };
        self.expect(W::Semi, "`;` after the condition of `for`")?;
        let at = self.pos;
        let step = if self.w() == W::RParen { None } else { Some(self.expr()?) };
        let name = match variable.as_ref().map(|(_, value)| &value.kind) {
            Some(ExprKind::Path(path)) => path.first().map(|segment| segment.name.name),
            _ => None,
        };
        let steps_by = name.is_some_and(|name| (at..self.pos).any(|i| self.token_at(i).text == name));
        self.close(W::RParen, "`)` after the step of `for`", open)?;
        Ok(ForHeader { init, variable, condition, step, steps_by })
    }

    /// The body of a loop whose condition declares a variable: `{ int d = f(); if (d) body else break; }`.
    fn checked_each_time(&self, variable: Stmt, value: Expr, body: Box<Stmt>) -> Box<Stmt> {
        let span = self.since(variable.span);
        let leave = Box::new(plain(StmtKind::Break(None), value.span));
        let body = StmtKind::If(None, value, body, Some(leave));
        Box::new(plain(self.declared(Some(variable), body, &mut Vec::new()), span))
    }

    /// while = "while" (condition-declaration | condition) statement
    fn while_statement(&mut self) -> R<StmtKind> {
        self.bump();
        let (variable, condition) = self.declared_condition("while")?;
        let body = self.sub_statement()?;
        Ok(match variable {
            Some(variable) => StmtKind::For(None, None, None, self.checked_each_time(variable, condition, body)),
            None => StmtKind::While(condition, body),
        })
    }

    /// do = "do" statement ( "while" "(" expression ")" ";" | { catch } )
    fn do_statement(&mut self) -> R<StmtKind> {
        let word = self.bump().text;
        let body = self.sub_statement()?;
        if self.w() == W::Catch {
            let mut clauses = Vec::new();
            while self.w() == W::Catch {
                clauses.push(self.catch_clause()?);
            }
            return Ok(StmtKind::DoCatch(body, clauses));
        }
        self.expect(W::While, &format!("`while` after the body of `{word}`"))?;
        let condition = self.condition("while")?;
        self.semicolon("`do ... while`")?;
        Ok(StmtKind::DoWhile(body, condition))
    }

    /// catch = "catch" [ "(" name ":" type ")" ] block
    fn catch_clause(&mut self) -> R<CatchClause> {
        self.bump();
        let mut error = None;
        if self.w() == W::LParen {
            let open = self.bump().span;
            let name = self.ident();
            self.expect(W::Colon, "`:` and the type of the error")?;
            error = Some((name, self.in_brackets(Self::ty)?));
            self.close(W::RParen, "`)` after the type of the error", open)?;
        }
        Ok(CatchClause { error, body: self.block("`catch`")? })
    }

    /// name-switch = word "{" { { ("case" name | "default") ":" } statement* } "}"
    fn name_switch(&mut self) -> R<Vec<(Vec<Ident>, Block)>> {
        let word = self.bump().text;
        let open = self.expect(W::LBrace, &format!("`{{` after `{word}`"))?.span;
        let mut cases = Vec::new();
        while !matches!(self.w(), W::RBrace | W::Eof) {
            let mut names = Vec::new();
            self.leading_comments();
            if !matches!(self.w(), W::Case | W::Default) {
                return self.fail("`case` or `default`");
            }
            while matches!(self.w(), W::Case | W::Default) {
                if self.bump().text == "case" {
                    names.push(self.name("the name of a target or stage")?);
                }
                self.expect(W::Colon, "`:`")?;
            }
            let start = self.tok().span;
            let stmts = self.statements();
            cases.push((names, Block { stmts, trailing: Vec::new(), span: self.since(start) }));
        }
        self.leading_comments();
        self.close(W::RBrace, &format!("`}}` at the end of `{word}`"), open)?;
        Ok(cases)
    }

    /// intrinsic-asm = "__intrinsic_asm" STRING { "," expression } ";"
    fn intrinsic_asm(&mut self) -> R<StmtKind> {
        self.bump();
        if self.w() != W::Str {
            return self.fail("the spelling as a string");
        }
        let text = self.string();
        while self.eat(W::Comma) {
            self.assignment()?;
        }
        self.semicolon("`__intrinsic_asm`")?;
        Ok(StmtKind::IntrinsicAsm(text))
    }

    /// static-assert = "static_assert" "(" expression ["," STRING] ")" ";"
    fn static_assert(&mut self) -> R<StmtKind> {
        self.bump();
        let open = self.bump().span;
        let condition = self.assignment()?;
        let message = if self.eat(W::Comma) { Some(self.string()) } else { None };
        self.close(W::RParen, "`)` after the assertion", open)?;
        self.semicolon("the assertion")?;
        Ok(StmtKind::StaticAssert(condition, message))
    }

    /// Statements that are known and not supported: skipped, named.
    fn unsupported(&mut self, ends: &[W]) -> R<StmtKind> {
        let name = self.bump().text;
        self.skip_to(ends);
        self.semicolon(&format!("`{name}`"))?;
        Ok(StmtKind::Unsupported(name))
    }

    /// dollar-for = "$" "for" "(" ... ")" statement
    fn dollar_for(&mut self) -> R<StmtKind> {
        self.bump();
        self.bump();
        self.skip_group();
        self.statement()?;
        Ok(StmtKind::Unsupported(Symbol::new("$for")))
    }
}

pub(super) fn plain(kind: StmtKind, span: Span) -> Stmt {
    Stmt { kind, span, comments: Vec::new(), attributes: Vec::new(), blank_before: false }
}

/// Remarks before a `{`, as in `if (c) // why`, are remarks on what follows: the first statement, or the end of the block.
fn put_first(mut remarks: Vec<Comment>, stmts: &mut [Stmt], trailing: &mut Vec<Comment>) {
    remarks.iter_mut().for_each(|c| c.trailing = false);
    stmts.first_mut().map_or(trailing, |first| &mut first.comments).splice(0..0, remarks);
}

/// Takes the value out of the declaration of a variable, for a statement that sets it.
fn taken_value(declaration: &mut Stmt, variable: &Expr) -> Option<Stmt> {
    let StmtKind::Decl(decls) = &mut declaration.kind else { return None };
    let Some(Decl { kind: DeclKind::Var(var), .. }) = decls.first_mut() else { return None };
    let value = Box::new(var.init.take()?);
    let kind = ExprKind::Assign(Symbol::new("="), Box::new(variable.clone()), value);
    Some(plain(StmtKind::Expr(Expr { kind, span: declaration.span }), declaration.span))
}

/// A variable as an expression.
fn path_of(name: Ident) -> Expr {
    Expr { kind: ExprKind::Path(vec![PathSegment { name, args: None }]), span: name.span }
}
