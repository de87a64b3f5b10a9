//! What stands before a declaration: attributes, modifiers, `layout(...)`, `__generic<...>`, `template<...>`.

use super::words::W;
use super::{Level, Parser, R};
use crate::ast::*;
use crate::lex::Comment;
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;

/// The prefix of a declaration.
#[derive(Clone, Debug)]
pub(super) struct Prefix {
    pub comments: Vec<Comment>,
    pub attributes: Vec<Attribute>,
    pub modifiers: Vec<Ident>,
    pub layout: Vec<(Ident, Option<Expr>)>,
    pub generics: Option<Generics>,
    /// `__magic_type(NAME)`.
    pub magic: Option<Symbol>,
    pub start: Span,
}

impl Prefix {
    /// The declaration with this prefix.
    pub(super) fn decl(self, kind: DeclKind, span: Span) -> Decl {
        let Prefix { comments, attributes, modifiers, layout, .. } = self;
        Decl { kind, span, comments, attributes, modifiers, layout }
    }
    pub(super) fn has_modifier(&self, name: &str) -> bool {
        self.modifiers.iter().any(|m| m.name == name)
    }
}

impl Parser<'_> {
    pub(super) fn empty_prefix(&mut self) -> Prefix {
        Prefix {
            comments: Vec::new(),
            attributes: Vec::new(),
            modifiers: Vec::new(),
            layout: Vec::new(),
            generics: None,
            magic: None,
            start: self.tok().span,
        }
    }

    /// prefix = { attributes | modifier | layout | "__generic" generic-params | "template" generic-params }
    pub(super) fn prefix(&mut self, place: Level) -> R<Prefix> {
        let mut prefix = self.empty_prefix();
        prefix.comments = self.leading_comments();
        self.extend_prefix(&mut prefix, place)?;
        Ok(prefix)
    }

    pub(super) fn extend_prefix(&mut self, prefix: &mut Prefix, place: Level) -> R<()> {
        loop {
            prefix.comments.append(&mut self.leading_comments());
            match self.w() {
                W::LBracket => self.attributes(&mut prefix.attributes)?,
                W::Layout if self.peek(1) == W::LParen => self.layout(&mut prefix.layout)?,
                W::Generic | W::Template if self.peek(1) == W::Lt => {
                    self.bump();
                    prefix.generics = Some(self.generic_params()?);
                    self.where_clauses(&mut prefix.generics)?;
                }
                _ if self.word_at(self.pos).is_foreign() && self.peek(1) == W::LParen && place != Level::Local => {
                    self.modifier_with_arguments(prefix)?;
                }
                _ if self.is_modifier(place) => {
                    let modifier = self.ident();
                    prefix.modifiers.push(modifier);
                }
                _ => return Ok(()),
            }
        }
    }

    /// modifier = NAME "(" arguments ")", kept as an attribute; `__magic_type(KIND)` names the builtin kind
    fn modifier_with_arguments(&mut self, prefix: &mut Prefix) -> R<()> {
        let name = self.ident();
        let args = self.attribute_args()?;
        if name.name == "__magic_type"
            && let Some(Expr { kind: ExprKind::Path(path), .. }) = args.first()
        {
            prefix.magic = path.first().map(|s| s.name.name);
        }
        prefix.attributes.push(Attribute { name, args });
        Ok(())
    }

    /// attributes = "[" attribute { "," attribute } "]" | "[" "[" attribute { "," attribute } "]" "]"
    pub(super) fn attributes(&mut self, into: &mut Vec<Attribute>) -> R<()> {
        let open = self.bump().span;
        let double = self.eat(W::LBracket);
        while self.w() != W::RBracket {
            let attribute = self.attribute()?;
            into.push(attribute);
            if !self.eat(W::Comma) && !self.is_ident_at(self.pos) {
                break;
            }
        }
        self.close(W::RBracket, "`,` or `]` after the attribute", open)?;
        if double {
            self.close(W::RBracket, "`]]` after the attribute", open)?;
        }
        Ok(())
    }

    /// attribute = name { ("::" | ".") name } [ "(" arguments ")" ]
    fn attribute(&mut self) -> R<Attribute> {
        if !self.is_ident_at(self.pos) {
            return self.fail("the name of an attribute");
        }
        let mut name = self.ident();
        while matches!(self.w(), W::Scope | W::Dot) && self.is_ident_at(self.pos + 1) {
            self.bump();
            let part = self.ident();
            let joined = format!("{}::{}", name.name, part.name);
            name = Ident { name: Symbol::new(&joined), span: self.since(name.span) };
        }
        let args = match self.w() {
            W::LParen if self.skips_arguments_of(name) => Vec::new(),
            W::LParen => self.attribute_args()?,
            _ => Vec::new(),
        };
        self.note_numbers(name, args.iter().map(Some));
        Ok(Attribute { name, args })
    }

    /// Skips the arguments of an attribute in a namespace that HLSL does not know: they are any words, as in C++.
    fn skips_arguments_of(&mut self, name: Ident) -> bool {
        let is_foreign = |name: &str| name.split_once("::").is_some_and(|(space, _)| space != "vk");
        match self.partner_of(self.pos) {
            Some(close) if self.language == Language::Hlsl && is_foreign(name.name.as_str()) => {
                self.pos = close + 1;
                true
            }
            _ => false,
        }
    }

    fn attribute_args(&mut self) -> R<Vec<Expr>> {
        let open = self.bump().span;
        self.arguments(W::RParen, "`,` or `)` in the arguments of the attribute", open)
    }

    /// layout = "layout" "(" [ name ["=" e] { "," name ["=" e] } ] ")"
    fn layout(&mut self, into: &mut Vec<(Ident, Option<Expr>)>) -> R<()> {
        self.bump();
        let open = self.bump().span;
        while self.w() != W::RParen {
            if !self.is_ident_at(self.pos) {
                return self.fail("the name of a layout qualifier");
            }
            let name = self.ident();
            let value = if self.eat(W::Assign) { Some(self.assignment()?) } else { None };
            into.push((name, value));
            if !self.eat(W::Comma) {
                break;
            }
        }
        self.close(W::RParen, "`,` or `)` after the layout qualifier", open)
    }
}
