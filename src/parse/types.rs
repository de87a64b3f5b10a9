//! Types, generic arguments, generic parameters.

use super::attributes::Prefix;
use super::words::W;
use super::{Language, Parser, R};
use crate::ast::*;
use crate::source::Span;
use crate::symbol::Symbol;

/// What the C words for integers mean: the words in order, the type.
const C_INTEGERS: &[(&[W], &str)] = &[
    (&[W::Unsigned, W::Long, W::Long], "uint64_t"),
    (&[W::Signed, W::Long, W::Long], "int64_t"),
    (&[W::Unsigned, W::Long], "uint64_t"),
    (&[W::Signed, W::Long], "int64_t"),
    (&[W::Long, W::Long], "int64_t"),
    (&[W::Unsigned, W::Short], "uint16_t"),
    (&[W::Signed, W::Short], "int16_t"),
    (&[W::Unsigned, W::CharWord], "uint8_t"),
    (&[W::Signed, W::CharWord], "int8_t"),
];

/// More `[N]`, `*` and `?` behind one type are an error.
const MAX_SUFFIXES: u32 = 64;

impl Parser<'_> {
    /// type = modifier* type-head type-suffix*
    pub(super) fn ty(&mut self) -> R<TypeExpr> {
        self.nested(|p| {
            let start = p.tok().span;
            let mut modifiers = Vec::new();
            while p.is_modifier_of_type(p.pos, 0) {
                modifiers.push(p.ident());
            }
            let head = p.type_head()?;
            let ty = p.type_suffixes(head, &mut modifiers)?;
            if modifiers.is_empty() {
                return Ok(ty);
            }
            Ok(TypeExpr { kind: TypeKind::Modified(modifiers, Box::new(ty)), span: p.since(start) })
        })
    }

    /// type-and = type { "&" type }
    pub(super) fn type_and(&mut self) -> R<TypeExpr> {
        let start = self.tok().span;
        let mut list = self.bounds()?;
        match list.pop() {
            Some(only) if list.is_empty() => Ok(only),
            Some(last) => {
                list.push(last);
                Ok(TypeExpr { kind: TypeKind::And(list), span: self.since(start) })
            }
            None => self.fail("a type"),
        }
    }

    /// bounds = type { "&" type }
    pub(super) fn bounds(&mut self) -> R<Vec<TypeExpr>> {
        let mut list = vec![self.ty()?];
        while self.eat(W::And) {
            list.push(self.ty()?);
        }
        Ok(list)
    }

    /// bases = ":" bounds { "," bounds }
    pub(super) fn bases(&mut self) -> R<Vec<TypeExpr>> {
        let mut list = Vec::new();
        if self.eat(W::Colon) {
            list.append(&mut self.bounds()?);
            while self.eat(W::Comma) {
                list.append(&mut self.bounds()?);
            }
        }
        Ok(list)
    }

    /// type-head = path | "struct" ... | "(" types ")" | "functype" ... | "some" type | "decltype" "(" e ")" | sign word*
    pub(super) fn type_head(&mut self) -> R<TypeExpr> {
        let start = self.tok().span;
        let kind = match self.w() {
            W::LParen => TypeKind::Tuple(self.type_list()?),
            W::Struct | W::Class | W::Enum | W::Interface if !self.is_name_at(self.pos + 1) || self.defines_type() => {
                let mut decls = Vec::new();
                let mut prefix = self.empty_prefix();
                prefix.comments = self.leading_comments();
                self.type_definition(prefix, &mut decls)?;
                match decls.pop() {
                    Some(decl) => TypeKind::Struct(Box::new(decl)),
                    None => TypeKind::Error,
                }
            }
            W::Struct | W::Class | W::Enum | W::Interface => {
                self.bump();
                TypeKind::Path(self.path_segments(true)?)
            }
            // A value of an interface is dispatched when the program runs where nobody knows its type, with or without the word.
            W::Dyn if self.is_name_at(self.pos + 1) => {
                self.bump();
                return self.type_and();
            }
            W::SomeType if self.is_name_at(self.pos + 1) => {
                self.bump();
                TypeKind::Some(Box::new(self.type_and()?))
            }
            W::Expand if self.is_ident_at(self.pos + 1) => {
                self.bump();
                TypeKind::Expand(Box::new(self.ty()?))
            }
            W::Each if self.is_ident_at(self.pos + 1) => {
                self.bump();
                TypeKind::Each(Box::new(self.nested(Self::type_head)?))
            }
            _ if self.word_at(self.pos).is_pack_query() && self.peek(1) == W::LParen => self.pack_query()?,
            W::FuncType => self.function_type()?,
            W::Decltype | W::TypeOf if self.peek(1) == W::LParen => {
                self.bump();
                let open = self.bump().span;
                let e = self.expr()?;
                self.close(W::RParen, "`)`", open)?;
                TypeKind::TypeOf(Box::new(e))
            }
            W::Unsigned | W::Signed => self.c_integer(),
            W::Long if self.peek(1) == W::Long => self.c_integer(),
            W::ThisType if !matches!(self.peek(1), W::Dot | W::Scope) => {
                self.bump();
                TypeKind::This
            }
            W::Scope => TypeKind::Path(self.path_segments(true)?),
            _ if self.is_name_at(self.pos) => TypeKind::Path(self.path_segments(true)?),
            _ => return self.fail("a type"),
        };
        Ok(TypeExpr { kind, span: self.since(start) })
    }

    /// `struct NAME ... {` or `struct NAME :` rather than a use of a struct.
    fn defines_type(&self) -> bool {
        matches!(self.peek(2), W::LBrace | W::Colon) || self.w() == W::Enum && matches!(self.peek(1), W::Class)
    }

    /// `unsigned`, `unsigned int`, `long long`, ... as one name.
    fn c_integer(&mut self) -> TypeKind {
        let at = self.pos;
        let end = if self.w() == W::Long { at + 2 } else { self.scan_sign(at) };
        let start = self.tok().span;
        let words: Vec<W> = (at..end).map(|i| self.word_at(i).w).filter(|w| *w != W::IntWord).collect();
        let shaped = self.token_at(end - 1).text;
        self.pos = end;
        let unsigned = words.first() == Some(&W::Unsigned);
        let name = match C_INTEGERS.iter().find(|(list, _)| *list == words.as_slice()) {
            Some((_, name)) => Symbol::new(name),
            // `unsigned int4`, `unsigned float` (whose error is the checker's).
            None if words.contains(&W::Name) && unsigned => unsigned_name(shaped),
            None if words.contains(&W::Name) => shaped,
            None => Symbol::new(if unsigned { "uint" } else { "int" }),
        };
        let name = Ident { name, span: self.since(start) };
        TypeKind::Path(vec![PathSegment { name, args: None }])
    }

    /// types = "(" [type { "," type }] ")"
    fn type_list(&mut self) -> R<Vec<TypeExpr>> {
        let open = self.expect(W::LParen, "`(`")?.span;
        let list = self.list(W::RParen, |p| {
            let ty = p.ty()?;
            // `functype (int x)`: parameter names mean nothing.
            if p.is_name_at(p.pos) {
                p.bump();
            }
            Ok(ty)
        })?;
        self.close(W::RParen, "`,` or `)`", open)?;
        Ok(list)
    }

    /// pack-query = word "(" types ")" { ("::" | ".") segment }
    fn pack_query(&mut self) -> R<TypeKind> {
        let op = self.ident();
        let open = self.bump().span;
        let list = self.in_brackets(|p| p.list(W::RParen, Self::ty))?;
        self.close(W::RParen, "`,` or `)`", open)?;
        let mut rest = Vec::new();
        if matches!(self.w(), W::Scope | W::Dot) && self.is_name_at(self.pos + 1) {
            self.bump();
            rest = self.path_segments(true)?;
        }
        Ok(TypeKind::PackQuery(op, list, rest))
    }

    /// function-type = "functype" "(" types ")" "->" type
    fn function_type(&mut self) -> R<TypeKind> {
        self.bump();
        let params = self.type_list()?;
        self.expect(W::Arrow, "`->` and the result type")?;
        Ok(TypeKind::Function(params, Box::new(self.ty()?)))
    }

    /// type-suffix = "*" | "?" | "[" [expression] "]" | "const"; in Slang, `float[2][3]` is 3 of (2 of float)
    fn type_suffixes(&mut self, head: TypeExpr, modifiers: &mut Vec<Ident>) -> R<TypeExpr> {
        let mut ty = head;
        for _ in 0..MAX_SUFFIXES {
            let kind = match self.w() {
                W::Star => {
                    self.bump();
                    TypeKind::Pointer(Box::new(ty))
                }
                W::Question => {
                    self.bump();
                    TypeKind::Optional(Box::new(ty))
                }
                // As behind a name in the C family: `float[2][3]` is 2 of (3 of float).
                W::LBracket if self.language != Language::Slang => {
                    ty = self.array_suffixes(ty)?;
                    continue;
                }
                W::LBracket => {
                    let size = self.array_size()?;
                    TypeKind::Array(Box::new(ty), size)
                }
                W::Const if self.is_const_of_type(self.pos) => {
                    modifiers.push(self.ident());
                    continue;
                }
                _ => return Ok(ty),
            };
            ty = TypeExpr { span: self.since(self.span_of_boxed(&kind)), kind };
        }
        self.too_deep()
    }

    fn span_of_boxed(&self, kind: &TypeKind) -> Span {
        match kind {
            TypeKind::Pointer(t) | TypeKind::Optional(t) | TypeKind::Array(t, _) => t.span,
            _ => self.prev_span(),
        }
    }

    /// array-size = "[" [expression] "]"
    pub(super) fn array_size(&mut self) -> R<Option<Box<Expr>>> {
        let open = self.bump().span;
        let size = if self.w() == W::RBracket { None } else { Some(Box::new(self.in_brackets(Self::expr)?)) };
        self.close(W::RBracket, "`]`", open)?;
        Ok(size)
    }

    /// path = ["::"] segment { ("::" | ".") segment }; the `.` only in types
    pub(super) fn path_segments(&mut self, dots: bool) -> R<Vec<PathSegment>> {
        let mut list = Vec::with_capacity(1);
        if self.w() == W::Scope {
            list.push(PathSegment { name: self.no_name(), args: None });
            self.bump();
        }
        loop {
            let name = self.name("a name")?;
            let args = if self.w() == W::Lt { Some(self.generic_args()?) } else { None };
            list.push(PathSegment { name, args });
            let more = self.w() == W::Scope || dots && self.w() == W::Dot;
            if !(more && self.is_name_at(self.pos + 1)) {
                return Ok(list);
            }
            self.bump();
        }
    }

    /// generic-args = "<" [generic-arg { "," generic-arg }] ">"
    pub(super) fn generic_args(&mut self) -> R<Vec<GenericArg>> {
        let open = self.bump().span;
        let list = self.in_angles(|p| p.nested(|p| p.list(W::Gt, Self::generic_arg)))?;
        self.close(W::Gt, "`,` or `>` in the generic arguments", open)?;
        Ok(list)
    }

    /// generic-arg = type | expression
    fn generic_arg(&mut self) -> R<GenericArg> {
        let as_type = self.scan_type(self.pos).is_some_and(|s| matches!(self.word_at(s.end).w, W::Comma | W::Gt));
        let inline = matches!(self.w(), W::Struct | W::Class);
        if as_type || inline { Ok(GenericArg::Type(self.ty()?)) } else { Ok(GenericArg::Value(self.assignment()?)) }
    }

    /// generic-params = "<" [generic-param { "," generic-param }] ">"
    pub(super) fn generic_params(&mut self) -> R<Generics> {
        let open = self.expect(W::Lt, "`<` and generic parameters")?.span;
        let mut params = self.in_angles(|p| p.list(W::Gt, Self::generic_param))?;
        params.shrink_to_fit();
        self.close(W::Gt, "`,` or `>` after the generic parameter", open)?;
        Ok(Generics { params, constraints: Vec::new() })
    }

    /// The generic parameters of a declaration: those after its name, else those before it.
    pub(super) fn own_generics(&mut self, prefix: &mut Prefix) -> R<Option<Generics>> {
        let before = prefix.generics.take();
        if self.w() == W::Lt { Ok(Some(self.generic_params()?)) } else { Ok(before) }
    }

    /// generic-param = "let" name [":" type] ["=" e] | "each" name [":" bounds] | ["typename"|"class"] name [":" bounds]
    ///                 ["=" type] | type name ["=" e] | "let" "each" name [":" type]
    fn generic_param(&mut self) -> R<GenericParam> {
        self.leading_comments();
        let (name, kind) = match self.w() {
            W::Let => {
                self.bump();
                let pack = self.w() == W::Each && self.is_name_at(self.pos + 1) && self.eat(W::Each);
                let name = self.name("the name of the generic parameter")?;
                let int = || PathSegment { name: Ident { name: Symbol::new("int"), span: name.span }, args: None };
                let ty = match self.eat(W::Colon) {
                    true => self.ty()?,
                    false => TypeExpr { kind: TypeKind::Path(vec![int()]), span: name.span },
                };
                let kind = match self.value_param(ty)? {
                    GenericParamKind::Value { ty, .. } if pack => {
                        GenericParamKind::Pack { bounds: Vec::new(), value: Some(ty) }
                    }
                    kind => kind,
                };
                (name, kind)
            }
            W::Each => {
                self.bump();
                // `each int D`
                let value = match self.is_name_at(self.pos + 1) {
                    true => Some(self.ty()?),
                    false => None,
                };
                let name = self.type_param_name()?;
                let bounds = if self.eat(W::Colon) { self.bounds()? } else { Vec::new() };
                (name, GenericParamKind::Pack { bounds, value })
            }
            W::Typename | W::Class | W::Struct => {
                self.bump();
                let pack = self.eat(W::Ellipsis);
                let name = if self.is_unnamed() { self.unnamed_param() } else { self.type_param_name()? };
                let kind = match self.type_param()? {
                    GenericParamKind::Type { bounds, .. } if pack => GenericParamKind::Pack { bounds, value: None },
                    kind => kind,
                };
                (name, kind)
            }
            _ if self.is_name_at(self.pos)
                && !self.word_at(self.pos).is_builtin_type()
                && matches!(self.peek(1), W::Comma | W::Gt | W::Colon | W::Assign) =>
            {
                (self.type_param_name()?, self.type_param()?)
            }
            _ => {
                let ty = self.ty()?;
                let name = match self.is_unnamed() {
                    true => self.unnamed_param(),
                    false => self.name("the name of the generic parameter")?,
                };
                (name, self.value_param(ty)?)
            }
        };
        Ok(GenericParam { name, kind })
    }

    /// `template <class, int = 3>`: nothing names the parameter.
    fn is_unnamed(&mut self) -> bool {
        matches!(self.w(), W::Comma | W::Gt | W::Assign)
    }

    /// A name that no source has, and no other parameter.
    fn unnamed_param(&mut self) -> Ident {
        Ident { name: Symbol::new(&format!("$parameter{}", self.pos)), span: self.tok().span }
    }

    fn type_param_name(&mut self) -> R<Ident> {
        let name = self.name("the name of the generic parameter")?;
        self.type_params.push(name.name);
        Ok(name)
    }

    fn type_param(&mut self) -> R<GenericParamKind> {
        let bounds = if self.eat(W::Colon) { self.bounds()? } else { Vec::new() };
        let default = if self.eat(W::Assign) { Some(self.type_and()?) } else { None };
        Ok(GenericParamKind::Type { bounds, default })
    }

    fn value_param(&mut self, ty: TypeExpr) -> R<GenericParamKind> {
        let default = if self.eat(W::Assign) { Some(self.assignment()?) } else { None };
        Ok(GenericParamKind::Value { ty, default })
    }

    /// where-clauses = { "where" constraint { "," constraint } }
    pub(super) fn where_clauses(&mut self, generics: &mut Option<Generics>) -> R<()> {
        while self.w() == W::Where {
            self.bump();
            loop {
                let constraint = self.constraint()?;
                generics.get_or_insert_default().constraints.push(constraint);
                if !self.eat(W::Comma) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// constraint = ["optional"] ["each"] type ( ":" bounds { "," type } | "==" type | "(" type ")" )
    fn constraint(&mut self) -> R<(TypeExpr, Vec<TypeExpr>)> {
        let optional = self.w() == W::Optional && self.is_name_at(self.pos + 1);
        if optional {
            self.bump();
        }
        if self.peek(1) == W::LParen {
            // `where T(int)`, `where countof(T) == 2`, `where nonempty(T)`: the use shows whether it holds.
            let subject = TypeExpr { kind: TypeKind::Infer, span: self.tok().span };
            self.skip_to(&[W::LBrace, W::Semi, W::Where]);
            return Ok((subject, Vec::new()));
        }
        let subject = self.ty()?;
        if self.eat(W::Eq) {
            return Ok((subject, vec![self.ty()?]));
        }
        self.expect(W::Colon, "`:` or `==` in the `where` clause")?;
        let mut list = self.bounds()?;
        while self.w() == W::Comma && !self.constraint_follows() {
            self.bump();
            list.append(&mut self.bounds()?);
        }
        // What may not hold is asked by `is` where it matters.
        if optional {
            list.clear();
        }
        Ok((subject, list))
    }

    /// After a `,` in a where-clause: a further constraint rather than a further bound.
    fn constraint_follows(&mut self) -> bool {
        let after = self.scan_type(self.pos + 1).map(|s| self.word_at(s.end).w);
        matches!(after, Some(W::Colon | W::Eq))
    }
}

/// The unsigned type beside a signed one: `uint4` of `int4`, `min16uint3` of `min16int3`; `dword` is one already.
fn unsigned_name(signed: Symbol) -> Symbol {
    let text = signed.as_str();
    if text.starts_with("dword") {
        return signed;
    }
    let at = if text.starts_with("min") { text.find("int").unwrap_or(0) } else { 0 };
    let (prefix, rest) = text.split_at(at);
    Symbol::new(&format!("{prefix}u{rest}"))
}
