//! Functions, constructors, operators, properties and subscripts.

use super::attributes::Prefix;
use super::operations::operation;
use super::words::W;
use super::{Level, Parser, R};
use crate::ast::*;
use crate::symbol::Symbol;

/// Generic parameters of a function have at most so many tokens.
const MAX_GENERICS_TOKENS: usize = 1000;

/// What may stand between the parameters and the body.
#[derive(Default)]
struct Tail {
    result: Option<TypeExpr>,
    semantics: Vec<Semantic>,
    throws: Option<TypeExpr>,
}

impl Parser<'_> {
    /// Whether `<` begins generic parameters of a function rather than annotations of a variable.
    pub(super) fn generics_before_params(&self) -> bool {
        let mut depth = 0;
        for i in self.pos..self.pos + MAX_GENERICS_TOKENS {
            match self.word_at(i).w {
                W::Lt => depth += 1,
                W::Gt => depth -= 1,
                W::Semi | W::LBrace | W::RBrace | W::Eof => return false,
                _ => {}
            }
            if depth == 0 {
                return self.word_at(i + 1).w == W::LParen;
            }
        }
        false
    }

    /// operator-name = "operator" ( "(" ")" | "[" "]" | punctuation )
    pub(super) fn operator_name(&mut self) -> R<Ident> {
        let start = self.bump().span;
        let mut text = "operator".to_owned();
        match self.w() {
            W::LParen | W::LBracket if matches!(self.peek(1), W::RParen | W::RBracket) => {
                text.push_str(self.bump().text.as_str());
                text.push_str(self.bump().text.as_str());
            }
            W::LParen | W::LBracket | W::LBrace | W::Semi | W::Eof => return self.fail("an operator"),
            _ if self.is_ident_at(self.pos) => return self.fail("an operator"),
            _ => {
                text.push_str(self.bump().text.as_str());
                while matches!(self.w(), W::Gt | W::Assign) && self.tok().joined {
                    text.push_str(self.bump().text.as_str());
                }
            }
        }
        Ok(Ident { name: Symbol::new(&text), span: self.since(start) })
    }

    /// function = [generic-params] params tail (block | ";")
    pub(super) fn function(
        &mut self,
        place: Level,
        mut prefix: Prefix,
        owner: Vec<Ident>,
        name: Ident,
        result: TypeExpr,
        out: &mut Vec<Decl>,
    ) -> R<()> {
        let scope = self.type_params.len();
        let specializes = match &prefix.generics {
            Some(generics) if generics.params.is_empty() && self.w() == W::Lt => Some(self.generic_args()?),
            Some(generics) if generics.params.is_empty() => Some(Vec::new()),
            _ => None,
        };
        let mut generics = self.own_generics(&mut prefix)?.filter(|_| specializes.is_none());
        if place == Level::Local && self.peek(1) == W::Int {
            return self.fail("parameters (initialize a variable with `=`)");
        }
        let params = self.params()?;
        let tail = self.tail(&mut prefix, &mut generics)?;
        let result = tail.result.unwrap_or(result);
        prefix.comments.append(&mut self.leading_comments());
        let start = self.pos;
        let body = self.body(name)?.or_else(|| operation(&prefix, &params));
        let code = self.note_body(start);
        let calls = self.calls_from(start);
        self.type_params.truncate(scope);
        let Tail { semantics, throws, .. } = tail;
        let function =
            FunctionDecl { name, owner, generics, specializes, params, result, semantics, body, code, calls, throws };
        self.declare(prefix, DeclKind::Function(function), out)
    }

    /// tail = { "const" | "throws" [type] | "->" type | ":" semantic | where-clause }
    fn tail(&mut self, prefix: &mut Prefix, generics: &mut Option<Generics>) -> R<Tail> {
        let mut tail = Tail::default();
        loop {
            match self.w() {
                W::Const => {
                    let modifier = self.ident();
                    prefix.modifiers.push(modifier);
                }
                W::Throws => {
                    self.bump();
                    tail.throws = Some(self.ty()?);
                }
                W::Arrow => {
                    self.bump();
                    tail.result = Some(self.ty()?);
                }
                W::Colon => tail.semantics.append(&mut self.semantics()?),
                W::Where => self.where_clauses(generics)?,
                _ => return Ok(tail),
            }
        }
    }

    /// body = block | ";"
    fn body(&mut self, name: Ident) -> R<Option<Block>> {
        if self.w() == W::LBrace {
            let block = self.block(&format!("`{}`", name.name))?;
            return Ok(Some(block));
        }
        if self.w() == W::Semi || self.tok().line_start {
            self.semicolon(&format!("the declaration of `{}`", name.name))?;
            return Ok(None);
        }
        self.fail(&format!("`{{` and the body of `{}`, or `;`", name.name))
    }

    /// func = "func" { name "." } (name | operator-name) function-rest
    pub(super) fn func(&mut self, prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        self.bump();
        let mut owner = Vec::new();
        let name = loop {
            if self.w() == W::Operator {
                break self.operator_name()?;
            }
            let name = self.name("the name of the function")?;
            if !(self.eat(W::Dot) || self.eat(W::Scope)) {
                break name;
            }
            owner.push(name);
        };
        let void = PathSegment { name: Ident { name: Symbol::new("void"), span: name.span }, args: None };
        let result = TypeExpr { kind: TypeKind::Path(vec![void]), span: name.span };
        self.function(Level::Global, prefix, owner, name, result, out)
    }

    /// constructor = "__init" function-rest
    pub(super) fn constructor(&mut self, prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        let name = self.ident();
        let result = TypeExpr { kind: TypeKind::This, span: name.span };
        self.function(Level::Member, prefix, Vec::new(), name, result, out)
    }

    /// property = "property" ( name ":" type | type name ) ( "{" accessors "}" | ";" )
    pub(super) fn property(&mut self, prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        self.bump();
        let (name, ty) = if self.is_name_at(self.pos) && self.peek(1) == W::Colon {
            let name = self.ident();
            self.bump();
            (name, self.ty()?)
        } else {
            let ty = self.ty()?;
            (self.name("the name of the property")?, ty)
        };
        let accessors = self.accessors(&format!("the property `{}`", name.name))?;
        let span = self.since(prefix.start);
        let decl = PropertyDecl { name, generics: None, params: Vec::new(), ty, accessors };
        out.push(prefix.decl(DeclKind::Property(decl), span));
        Ok(())
    }

    /// subscript = "__subscript" [generic-params] params "->" type where-clauses ( "{" accessors "}" | ";" )
    pub(super) fn subscript(&mut self, mut prefix: Prefix, out: &mut Vec<Decl>) -> R<()> {
        let word = self.ident();
        let name = Ident { name: Symbol::new("subscript"), ..word };
        let scope = self.type_params.len();
        let mut generics = self.own_generics(&mut prefix)?;
        let params = self.params()?;
        let tail = self.tail(&mut prefix, &mut generics)?;
        let Some(ty) = tail.result else { return self.fail("`->` and the type of the subscript") };
        let accessors = self.accessors("the subscript")?;
        self.type_params.truncate(scope);
        self.declare(prefix, DeclKind::Subscript(PropertyDecl { name, generics, params, ty, accessors }), out)
    }

    /// accessors = ";" | "{" accessor* "}"
    ///
    /// Without any it is read.
    fn accessors(&mut self, what: &str) -> R<Vec<Accessor>> {
        let mut list = Vec::new();
        let name = Ident { name: Symbol::new("get"), span: self.prev_span() };
        let get = Accessor { name, attributes: Vec::new(), param: None, body: None };
        if self.eat(W::Semi) {
            return Ok(vec![get]);
        }
        let open = self.expect(W::LBrace, &format!("`{{` and the accessors of {what}"))?.span;
        while !matches!(self.w(), W::RBrace | W::Eof) {
            let accessor = self.accessor()?;
            list.push(accessor);
        }
        self.close(W::RBrace, &format!("`}}` after the accessors of {what}"), open)?;
        self.eat(W::Semi);
        if list.is_empty() {
            list.push(get);
        }
        Ok(list)
    }

    /// accessor = prefix ("get" | "set" | "ref") [ "(" [name [":" type]] ")" ] ( block | ";" )
    fn accessor(&mut self) -> R<Accessor> {
        let mut prefix = self.empty_prefix();
        self.leading_comments();
        while !(matches!(self.w(), W::Get | W::Set | W::Ref) && self.ends_accessor_name()) {
            match self.w() {
                W::LBracket => self.attributes(&mut prefix.attributes)?,
                _ if self.is_ident_at(self.pos) && self.is_ident_at(self.pos + 1) => {
                    self.bump();
                }
                _ => return self.fail("`get`, `set` or `ref`"),
            }
        }
        let name = self.ident();
        let mut param = None;
        if self.w() == W::LParen {
            let list = self.params_of_setter()?;
            param = list;
        }
        let body = if self.eat(W::Semi) { None } else { Some(self.block(&format!("`{}`", name.name))?) };
        Ok(Accessor { name, attributes: prefix.attributes, param, body })
    }

    fn ends_accessor_name(&self) -> bool {
        matches!(self.peek(1), W::LBrace | W::Semi | W::LParen)
    }

    /// The name of the value that a setter gets: `set(v)`, `set(v : float)`, `set(float v)`.
    fn params_of_setter(&mut self) -> R<Option<Ident>> {
        if self.is_name_at(self.pos + 1) && self.peek(2) == W::RParen {
            self.bump();
            let name = self.ident();
            self.bump();
            return Ok(Some(name));
        }
        let name = |d: Decl| if let DeclKind::Var(v) = d.kind { Some(v.name) } else { None };
        Ok(self.params()?.into_iter().next().and_then(name))
    }
}
