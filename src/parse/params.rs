//! Parameter lists, and what may follow a declarator: arrays, semantics, registers.

use super::attributes::Prefix;
use super::words::W;
use super::{Level, Parser, R};
use crate::ast::*;
use crate::source::Span;
use crate::symbol::Symbol;

impl Parser<'_> {
    /// params = "(" [ "void" | param { "," param } ] ")"
    pub(super) fn params(&mut self) -> R<Vec<Decl>> {
        let at = self.pos;
        let open = self.expect(W::LParen, "`(` and parameters")?.span;
        let result = self.in_brackets(|p| p.nested(|p| p.param_list(open)));
        match (result, self.partner_of(at)) {
            (Err(_), Some(close)) => {
                // The error was reported; the body deserves to be looked at as well.
                self.pos = close + 1;
                Ok(Vec::new())
            }
            (result, _) => result,
        }
    }

    fn param_list(&mut self, open: Span) -> R<Vec<Decl>> {
        let mut list: Vec<Decl> = Vec::new();
        let void = self.tok().text == "void" && self.peek(1) == W::RParen;
        if void {
            self.bump();
        }
        while self.w() != W::RParen {
            let param = self.param()?;
            list.push(param);
            let more = self.eat(W::Comma);
            if let Some(last) = list.last_mut() {
                self.trailing_comments(&mut last.comments);
            }
            if !more {
                break;
            }
        }
        self.close(W::RParen, "`,` or `)` after the parameter", open)?;
        list.shrink_to_fit();
        Ok(list)
    }

    /// param = prefix ( name ":" type | type [name] ) declarator-suffix
    pub(super) fn param(&mut self) -> R<Decl> {
        let mut prefix = self.prefix(Level::Member)?;
        let start = prefix.start;
        let modern = self.is_name_at(self.pos) && self.peek(1) == W::Colon && !self.is_unnamed_with_semantic();
        let (name, ty) = if modern {
            let name = self.ident();
            self.bump();
            self.extend_prefix(&mut prefix, Level::Member)?;
            (name, self.ty()?)
        } else {
            self.let_or_var(&mut prefix);
            let ty = self.ty()?;
            self.extend_prefix(&mut prefix, Level::Member)?;
            let name = if self.is_name_at(self.pos) { self.ident() } else { self.no_name() };
            (name, ty)
        };
        self.variables.insert(name.name);
        self.blocks.remove(&name.name);
        self.block_members.remove(&name.name);
        let ty = self.array_suffixes(ty)?;
        self.note_sizes(name, &ty);
        self.note_points(name, &ty);
        let (semantics, init, bits) = self.declarator_suffix(name)?;
        self.apply_pack_matrix(&mut prefix);
        let var = VarDecl { ty, name, owner: Vec::new(), generics: None, semantics, init, is_let: false, bits };
        let span = self.since(start);
        Ok(prefix.decl(DeclKind::Var(var), span))
    }

    fn let_or_var(&mut self, prefix: &mut Prefix) {
        if matches!(self.w(), W::Let | W::Var) && self.is_name_at(self.pos + 1) {
            let word = self.ident();
            prefix.modifiers.push(word);
        }
    }

    /// `float4 : SV_Position`: a parameter without a name, rather than `name : type`.
    fn is_unnamed_with_semantic(&self) -> bool {
        let semantic = self.token_at(self.pos + 2).text.as_str();
        self.is_known_type(self.pos) && (semantic.starts_with("SV_") || !self.is_known_type(self.pos + 2))
    }

    /// array-suffixes = { "[" [expression] "]" }; `float a[2][3]` is 2 of (3 of float)
    pub(super) fn array_suffixes(&mut self, ty: TypeExpr) -> R<TypeExpr> {
        let mut sizes = Vec::new();
        let start = self.tok().span;
        while self.w() == W::LBracket && sizes.len() < 64 {
            sizes.push(self.array_size()?);
        }
        let span = if ty.span.file == start.file { ty.span } else { start };
        let wrap = |ty: TypeExpr, size| TypeExpr { kind: TypeKind::Array(Box::new(ty), size), span };
        Ok(sizes.into_iter().rev().fold(ty, wrap))
    }

    /// declarator-suffix = { ":" semantic | "=" initializer | "<" annotations ">" }
    pub(super) fn declarator_suffix(&mut self, name: Ident) -> R<(Vec<Semantic>, Option<Expr>, Option<Expr>)> {
        let (mut semantics, mut init, mut bits) = (Vec::new(), None, None);
        loop {
            match self.w() {
                W::Colon if matches!(self.peek(1), W::Int | W::LParen) => {
                    self.bump();
                    bits = Some(self.conditional()?);
                }
                W::Colon => self.semantic(&mut semantics)?,
                W::Assign if init.is_none() => {
                    self.bump();
                    init = Some(self.initializer(name)?);
                }
                W::Lt => {
                    self.annotations()?;
                }
                _ => return Ok((semantics, init, bits)),
            }
        }
    }

    /// initializer = assignment | "compile" ... | sampler-state | "{" sampler-state { "," sampler-state } [","] "}"
    /// sampler-state = "sampler_state" "{" ... "}"
    fn initializer(&mut self, name: Ident) -> R<Expr> {
        let start = self.tok().span;
        let effect = match self.w() {
            W::Compile if self.is_ident_at(self.pos + 1) => {
                self.skip_to(&[W::Semi, W::Comma]);
                true
            }
            W::SamplerState if self.peek(1) == W::LBrace => {
                self.bump();
                self.sampler_states(name)?;
                true
            }
            W::LBrace if self.peek(1) == W::SamplerState && self.peek(2) == W::LBrace => {
                self.elements_of_effect(name, |p, element| {
                    p.expect(W::SamplerState, "`sampler_state`")?;
                    p.sampler_states(element)
                })?;
                true
            }
            _ => false,
        };
        if effect {
            return Ok(Expr { kind: ExprKind::Unsupported(name.name), span: self.since(start) });
        }
        self.assignment()
    }

    /// semantics = { ":" semantic }
    pub(super) fn semantics(&mut self) -> R<Vec<Semantic>> {
        let mut list = Vec::new();
        while self.w() == W::Colon {
            self.semantic(&mut list)?;
        }
        Ok(list)
    }

    /// semantic = ":" ( "register" "(" words ")" | "packoffset" "(" words ")" | ("read" | "write") "(" words ")" | NAME )
    fn semantic(&mut self, into: &mut Vec<Semantic>) -> R<()> {
        self.bump();
        if !self.is_ident_at(self.pos) {
            return self.fail("a semantic, `register(...)` or `packoffset(...)`");
        }
        let word = self.w();
        let name = self.ident();
        if self.w() != W::LParen {
            into.push(Semantic::Name(name));
            return Ok(());
        }
        let words = self.semantic_words()?;
        let span = self.since(name.span);
        match word {
            W::Register => into.push(Semantic::Register(words, span)),
            W::PackOffset => into.push(Semantic::PackOffset(words, span)),
            W::Read => into.push(Semantic::Read(words)),
            W::Write => into.push(Semantic::Write(words)),
            _ => {
                self.last_error = None;
                let message = format!("`{}` takes no arguments here: expected `register` or `packoffset`", name.name);
                self.error_at(crate::diagnostic::Code::SYNTAX, span, message);
            }
        }
        Ok(())
    }

    /// words = "(" { NAME | NUMBER | "," | "." | "[" expression "]" } ")"
    fn semantic_words(&mut self) -> R<Vec<Ident>> {
        let open = self.bump().span;
        let mut words = Vec::new();
        loop {
            match self.w() {
                W::RParen => break,
                W::Comma | W::Dot => {
                    self.bump();
                }
                // `s0[2]`: the index belongs to the word before.
                W::LBracket if !words.is_empty() => {
                    let open = self.bump().span;
                    self.in_brackets(Self::assignment)?;
                    self.close(W::RBracket, "`]`", open)?;
                    words.push(Ident { name: Symbol::new("[]"), span: self.since(open) });
                }
                W::Int => words.push(self.ident()),
                _ if self.is_ident_at(self.pos) => words.push(self.ident()),
                _ => return self.fail("a register name or `)`"),
            }
        }
        self.close(W::RParen, "`)`", open)?;
        Ok(words)
    }

    /// `#pragma pack_matrix` in force here, as a modifier that gives way to a written one.
    pub(super) fn apply_pack_matrix(&self, prefix: &mut Prefix) {
        let at = self.pos as u32;
        let in_force = self.pack_matrix.iter().take_while(|(from, _)| *from <= at).last();
        let Some((_, row_major)) = in_force else { return };
        if prefix.has_modifier("row_major") || prefix.has_modifier("column_major") {
            return;
        }
        let name = if *row_major { "__pack_row_major" } else { "__pack_column_major" };
        prefix.modifiers.push(Ident { name: name.into(), span: prefix.start });
    }
}
