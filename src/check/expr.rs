//! Expressions.

use super::convert::{self, LiteralKind};
use super::function_values::NOT_CALLED;
use super::overload::Overloads;
use super::scope::{DeclId, Entity, Found, ScopeId, What};
use super::types::Name;
use super::{Checker, constant};
use crate::ast::{self, ExprKind as Ast, GenericArg, PathSegment};
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{ExprId, ExprKind, Length, Literal, LocalId, Scalar, Type, TypeId};

/// What an expression turns out to be.
#[derive(Clone, Debug)]
pub(super) enum Operand<'a> {
    Value(ExprId),
    Type(TypeId),
    /// A generic struct or alias whose arguments are not written.
    Generic(DeclId),
    Namespace(ScopeId),
    /// Functions, the object they are called on, and generic arguments as written.
    Functions(Overloads, Option<ExprId>, Option<&'a [GenericArg]>),
    /// A method without arguments that gives a place: what a pointer points to.
    Place(ExprId),
    /// Reported.
    Error,
}

/// The words that take derivatives.
const DERIVATIVES: &[&str] = &["fwd_diff", "bwd_diff", "__fwd_diff", "__bwd_diff"];

impl<'a> Checker<'a> {
    /// The type of an expression of the body at hand.
    pub(super) fn ty(&self, id: ExprId) -> TypeId {
        self.cx.body.exprs[id].ty
    }

    pub(super) fn span(&self, id: ExprId) -> Span {
        self.cx.body.exprs[id].span
    }

    pub(super) fn kind(&self, id: ExprId) -> &ExprKind {
        &self.cx.body.exprs[id].kind
    }

    pub(super) fn literal(&self, id: ExprId) -> LiteralKind {
        convert::literal_kind(&self.cx.body.exprs, &self.cx.literals, id)
    }

    /// A value that was in error; of the error type, which silences what follows.
    pub(super) fn error_value(&mut self, span: Span) -> ExprId {
        self.push(ExprKind::Zero, TypeId::ERROR, span)
    }

    pub(super) fn error_at(&mut self, code: Code, span: Span, message: impl Into<String>) -> ExprId {
        self.error(code, span, message);
        self.error_value(span)
    }

    /// Checks an expression that must be a value.
    pub(super) fn expr(&mut self, e: &'a ast::Expr) -> ExprId {
        let operand = self.operand(e);
        self.value(operand, e.span)
    }

    /// Checks an expression whose type is known from where it stands: lists take their type from it.
    pub(super) fn expr_of(&mut self, e: &'a ast::Expr, expected: TypeId) -> ExprId {
        match &e.kind {
            Ast::InitList(list) => self.init_list(list, expected, e.span),
            Ast::Null => self.null_expr(expected, e.span),
            Ast::Paren(inner) if matches!(inner.kind, Ast::InitList(_)) => self.expr_of(inner, expected),
            _ => self.expr(e),
        }
    }

    /// Checks an expression and converts it.
    pub(super) fn expr_to(&mut self, e: &'a ast::Expr, expected: TypeId) -> ExprId {
        let id = self.expr_of(e, expected);
        self.coerce(id, expected)
    }

    /// A value from what an expression is.
    pub(super) fn value(&mut self, operand: Operand<'a>, span: Span) -> ExprId {
        match operand {
            Operand::Value(id) => id,
            Operand::Error => self.error_value(span),
            Operand::Type(ty) => {
                let text = self.type_text(ty);
                self.error_at(Code::NOT_A_VALUE, span, format!("`{text}` is a type; a value is needed here"))
            }
            Operand::Generic(decl) => {
                let info = self.info(decl);
                let why = match info.what {
                    What::Struct(s) if s.is_variable => "needs its template arguments here",
                    _ => "is a type; a value is needed here",
                };
                self.error_at(Code::NOT_A_VALUE, span, format!("`{}` {why}", info.name))
            }
            Operand::Namespace(_) => self.error_at(Code::NOT_A_VALUE, span, "a namespace is not a value"),
            Operand::Functions(..) | Operand::Place(_) => self.error_at(Code::NOT_A_VALUE, span, NOT_CALLED),
        }
    }

    /// Checks an expression that may be a type or a function too.
    pub(super) fn operand(&mut self, e: &'a ast::Expr) -> Operand<'a> {
        self.deeper(e.span, |c| c.operand_inner(e)).unwrap_or(Operand::Error)
    }

    /// Checks a part one level deeper, unless that is too deep, which is reported.
    pub(super) fn deeper<T>(&mut self, span: Span, check: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if !self.enter(span) {
            return None;
        }
        let result = check(self);
        self.cx.depth -= 1;
        Some(result)
    }

    /// Checks an expression of another place, such as a default value, and converts it.
    pub(super) fn expr_at(&mut self, e: &'a ast::Expr, expected: TypeId, scope: ScopeId, source: u32) -> ExprId {
        let scope = std::mem::replace(&mut self.cx.scope, scope);
        let source = std::mem::replace(&mut self.cx.source, source);
        let value = self.expr_to(e, expected);
        (self.cx.scope, self.cx.source) = (scope, source);
        value
    }

    fn operand_inner(&mut self, e: &'a ast::Expr) -> Operand<'a> {
        match &e.kind {
            Ast::Path(path) => self.path_operand(path, e.span),
            Ast::Paren(inner) => self.operand(inner),
            Ast::Member(base, segment) => self.member_operand(base, segment, e.span),
            Ast::Qualified(object, base) => self.qualified_operand(object, base, e.span),
            Ast::Each(pack) => self.each(pack, e.span),
            Ast::Call(callee, args) => match self.pack_query(callee, args, e.span) {
                Some(operand) => operand,
                None => Operand::Value(self.call_expr(callee, args, e.span)),
            },
            Ast::Error => Operand::Error,
            Ast::Construct(ty, args) if args.is_empty() && matches!(ty.kind, ast::TypeKind::Error) => Operand::Error,
            _ => Operand::Value(self.value_expr(e)),
        }
    }

    fn value_expr(&mut self, e: &'a ast::Expr) -> ExprId {
        let span = e.span;
        match &e.kind {
            Ast::Int(value, suffix, text) => self.int_literal(*value, *suffix, *text, span),
            Ast::Float(value, suffix, text) => self.float_literal(*value, *suffix, *text, span),
            Ast::Bool(value) => self.push(ExprKind::Literal(Literal::Bool(*value), None), TypeId::BOOL, span),
            Ast::String(text) => {
                let ty = self.program.types.intern(Type::Text);
                self.push(ExprKind::Literal(Literal::Text(*text), None), ty, span)
            }
            Ast::This => self.this_value(span),
            Ast::Index(base, indices) => self.index_expr(base, indices, span),
            Ast::Construct(ty, args) => {
                // `float.getPi()`, or a function that has the name of a type: `int half1(float x)`.
                if let ast::TypeKind::Path(path) = &ty.kind
                    && (path.len() > 1 || path.iter().all(|s| self.shadowed.contains(&s.name.name)))
                    && let Name::Values(found, explicit) = self.resolve_value_path(path, self.cx.scope)
                {
                    let operand = self.found_operand(found, explicit, ty.span);
                    let name = path.last().map(|s| s.name.name);
                    return self.call_operand(operand, name, args, span);
                }
                let ty = self.resolve_type(ty, self.cx.scope);
                self.construct(ty, args, span)
            }
            Ast::Cast(ty, inner) => self.cast_expr(ty, inner, span),
            Ast::Prefix(op, inner) => self.prefix_expr(*op, inner, span),
            Ast::Postfix(op, inner) => self.step_expr(*op, inner, false, span),
            Ast::Binary(op, a, b) => {
                let (left, right) = match op.as_str() {
                    "&&" | "||" => {
                        let (left, is_and) = (self.expr(a), op.as_str() == "&&");
                        let (right, tried) = self.tried_first(|c| c.operand_behind(is_and, left, |c| c.expr(b)));
                        if !tried.is_empty() {
                            return self.tried_behind(is_and, left, (tried, right), span);
                        }
                        (left, right)
                    }
                    _ => self.operands(a, b),
                };
                self.binary(*op, left, right, span)
            }
            Ast::Assign(op, target, value) => self.assign_expr(*op, target, value, span),
            Ast::Conditional(c, a, b) => self.conditional_expr(c, a, b, span),
            Ast::Comma(a, b) => {
                let a = self.expr(a);
                let b = self.expr(b);
                let ty = self.ty(b);
                self.push(ExprKind::Comma(a, b), ty, span)
            }
            Ast::InitList(list) => self.untyped_list(list, span),
            Ast::Tuple(list) => self.tuple_of(list, span),
            Ast::TypeQuery(op, ty, layout) => self.type_query(*op, ty, layout.as_deref(), span),
            Ast::Try(inner) => self.try_expr(inner),
            Ast::IsAs(e, is, ty) => self.is_as(e, *is, ty, span),
            Ast::Unsupported(what) if DERIVATIVES.contains(&what.as_str()) => {
                self.unsupported_value(span, &format!("automatic differentiation, which `{what}` asks for,"))
            }
            Ast::Unsupported(what) => self.unsupported_value(span, &format!("`{what}`")),
            Ast::Lambda(decl) => self.lambda(decl, span),
            Ast::Expand(_) => {
                let message = "`expand` stands for several values: it may be an argument or a statement";
                self.error_at(Code::NOT_A_VALUE, span, message)
            }
            Ast::Null => self.unsupported_value(span, "a null value"),
            Ast::Path(_)
            | Ast::Paren(_)
            | Ast::Member(..)
            | Ast::Qualified(..)
            | Ast::Call(..)
            | Ast::Each(_)
            | Ast::Error => self.error_value(span),
        }
    }

    pub(super) fn unsupported_value(&mut self, span: Span, what: &str) -> ExprId {
        self.unsupported(span, what);
        self.error_value(span)
    }

    /// `this`.
    pub(super) fn this_value(&mut self, span: Span) -> ExprId {
        match self.this_expr(span) {
            Some((this, _)) => this,
            None => self.error_at(Code::NOT_A_VALUE, span, "there is no `this` here"),
        }
    }

    /// Checks a path as a value.
    pub(super) fn path_expr(&mut self, path: &'a [PathSegment], span: Span) -> ExprId {
        let operand = self.path_operand(path, span);
        self.value(operand, span)
    }

    pub(super) fn path_operand(&mut self, path: &'a [PathSegment], span: Span) -> Operand<'a> {
        if let Some(operand) = self.path_of_dynamic_type(path, span) {
            return operand;
        }
        match self.resolve_value_path(path, self.cx.scope) {
            Name::Interface(decl, _) => {
                let name = self.info(decl).name;
                self.operand_error(Code::NOT_A_VALUE, span, format!("`{name}` is an interface; a value is needed here"))
            }
            Name::Missing => {
                if let Some(value) = self.return_value(path, span) {
                    return Operand::Value(value);
                }
                self.undeclared(path, self.cx.scope, span);
                // Reported once for each name: later uses in this scope are silent. A trial says nothing.
                if let [only] = path
                    && self.quiet_depth == 0
                {
                    self.bind(self.cx.scope, only.name.name, Entity::Type(TypeId::ERROR));
                }
                Operand::Error
            }
            name => {
                let operand = self.name_operand(name, span);
                self.note_qualified(path, &operand);
                operand
            }
        }
    }

    /// A case that is named by its enum.
    fn note_qualified(&mut self, path: &[PathSegment], operand: &Operand) {
        if let ([.., of, _], Operand::Value(value)) = (path, operand)
            && let ExprKind::EnumCase(id, _) = self.cx.body.exprs[*value].kind
            && self.program.enums[id].name == of.name.name
        {
            self.program.enums[id].qualified = true;
        }
    }

    /// `__return_val`: a variable of the result's type, which is returned where the function ends.
    fn return_value(&mut self, path: &'a [PathSegment], span: Span) -> Option<ExprId> {
        let [only] = path else { return None };
        let ty = self.cx.result.filter(|ty| *ty != TypeId::VOID && *ty != TypeId::ERROR)?;
        if only.name.name != *"__return_val" || self.cx.constructs {
            return None;
        }
        let local = self.cx.return_value.unwrap_or_else(|| self.variable("result", ty, span));
        self.cx.return_value = Some(local);
        Some(self.push(ExprKind::Local(local), ty, span))
    }

    /// What a name is as part of an expression.
    pub(super) fn name_operand(&mut self, name: Name<'a>, span: Span) -> Operand<'a> {
        match name {
            Name::Type(TypeId::ERROR) | Name::Interface(..) | Name::Missing | Name::Error => Operand::Error,
            Name::Type(ty) => match self.value_of_template(ty) {
                Some(found) => self.found_operand(found, None, span),
                None => Operand::Type(ty),
            },
            Name::Namespace(scope) => Operand::Namespace(scope),
            Name::Generic(decl) => Operand::Generic(decl),
            Name::Values(found, args) => self.found_operand(found, args, span),
        }
    }

    pub(super) fn operand_error(&mut self, code: Code, span: Span, message: String) -> Operand<'a> {
        self.error(code, span, message);
        Operand::Error
    }

    /// What found entities are as part of an expression; members of the type around get `this`.
    pub(super) fn found_operand(&mut self, found: Found, args: Option<&'a [GenericArg]>, span: Span) -> Operand<'a> {
        match found.entities.first() {
            Some(Entity::Local(local, context)) => self.local_operand(*local, *context, span),
            Some(Entity::Value(n, ty)) => Operand::Value(self.int_value(*n, *ty, span)),
            Some(Entity::Pack(_) | Entity::OpenPack(_)) => {
                let message = "a parameter pack is no value by itself; `expand` and `each` take its elements";
                self.operand_error(Code::NOT_A_VALUE, span, message.into())
            }
            Some(Entity::Decl(decl)) => self.decl_operand(*decl, &found, args, span),
            _ => Operand::Error,
        }
    }

    /// A variable or parameter of the body with a number.
    pub(super) fn local_operand(&mut self, local: LocalId, context: u32, span: Span) -> Operand<'a> {
        if context != self.cx.id {
            if let Some(captured) = self.captured(local, context, span) {
                return captured;
            }
            self.unsupported(span, "the use of a variable of an enclosing function");
            return Operand::Error;
        }
        if self.cx.ended.contains(&local) {
            self.cx.outlived.insert(local);
        }
        let ty = self.cx.body.locals[local].ty;
        Operand::Value(self.push(ExprKind::Local(local), ty, span))
    }

    fn decl_operand(&mut self, decl: DeclId, found: &Found, args: Option<&'a [GenericArg]>, span: Span) -> Operand<'a> {
        let info = self.info(decl);
        match info.what {
            What::Var(_) => self.global_operand(decl, span),
            What::BufferMember(buffer, index) => self.buffer_member(buffer, index, span),
            What::EnumCase(e, index) => {
                let ty = self.enum_type(e);
                match self.program.types.get(ty) {
                    Type::Enum(id) => Operand::Value(self.enum_case(id, index, ty, span)),
                    _ => Operand::Error,
                }
            }
            What::Field(..) | What::Property(_) => {
                let is_global = info.owner.is_none() && !info.in_interface;
                let is_static = matches!(info.what, What::Property(_)) && (is_global || info.has("static"));
                let this = if is_static { None } else { self.this_for(info.owner, info.name, span) };
                match (this, is_static) {
                    (None, false) => Operand::Error,
                    (this, _) => self.member_value(decl, this, span),
                }
            }
            What::Function(_) => {
                let unseen = function_decls(self, &found.unseen);
                let decls = Overloads { seen: function_decls(self, &found.entities), unseen };
                let this = found.member_of.and_then(|_| self.this_if_any(info.owner, span));
                Operand::Functions(decls, this, args)
            }
            _ => {
                let name = info.name;
                self.operand_error(Code::NOT_A_VALUE, span, format!("`{name}` is not a value"))
            }
        }
    }

    /// A case; while the enum is being made its value as an integer.
    fn enum_case(&mut self, id: crate::tree::EnumId, index: u32, ty: TypeId, span: Span) -> ExprId {
        if (index as usize) < self.program.enums[id].cases.len() {
            return self.push(ExprKind::EnumCase(id, index), ty, span);
        }
        self.error_at(Code::NOT_CONSTANT, span, "a case cannot be used before its value is known")
    }

    /// `this` as a value of the type that declares a member; none in static methods.
    fn this_if_any(&mut self, owner: Option<TypeId>, span: Span) -> Option<ExprId> {
        let (this, ty) = self.this_expr(span)?;
        match owner {
            Some(owner) if owner != ty => self.upcast(this, owner),
            _ => Some(this),
        }
    }

    fn this_for(&mut self, owner: Option<TypeId>, name: Symbol, span: Span) -> Option<ExprId> {
        let this = self.this_if_any(owner, span);
        if this.is_none() {
            self.error(Code::NOT_A_VALUE, span, format!("`{name}` is a member and needs an object"));
        }
        this
    }

    /// The base part of a struct value that is of type `to`.
    pub(super) fn upcast(&mut self, value: ExprId, to: TypeId) -> Option<ExprId> {
        let mut current = value;
        for _ in 0..super::MAX_BASES {
            let ty = self.ty(current);
            if ty == to {
                return Some(current);
            }
            let base = self.structs.instance(ty)?.base?;
            let span = self.span(current);
            current = self.push(ExprKind::Field(current, 0), base, span);
        }
        None
    }

    // ---- Operators ----

    /// Converts without a check; the conversion must exist.
    pub(super) fn convert(&mut self, value: ExprId, to: TypeId, explicit: bool) -> ExprId {
        self.exact_literal(value, to);
        if !explicit {
            self.check_truncation(value, to);
        }
        let converted = convert::apply(&mut self.cx.body.exprs, &mut self.program, value, to, explicit);
        if explicit && matches!(self.kind(converted), ExprKind::Literal(..)) && !self.in_builtin() {
            self.cx.literals.insert(converted, LiteralKind::None);
        }
        converted
    }

    /// Warns of a conversion that leaves out numbers without a word, as DXC does. In Slang there is none.
    fn check_truncation(&mut self, value: ExprId, to: TypeId) {
        let (from, types) = (self.ty(value), &self.program.types);
        let counts = (convert::numeric(types, from), convert::numeric(types, to));
        let (Some((_, before)), Some((_, after))) = counts else { return };
        if after.count() >= before.count() || self.in_builtin() || self.language() != Language::Hlsl {
            return;
        }
        let (a, b) = (self.type_text(from), self.type_text(to));
        let message = format!("`{a}` becomes `{b}`, which leaves out components");
        let swizzle = "xyzw".get(..after.count() as usize).unwrap_or("x");
        let note = match (before, after) {
            (convert::Shape::Vector(_), convert::Shape::Scalar | convert::Shape::Vector(_)) => {
                format!("write `.{swizzle}` or `({b})` if that is meant")
            }
            _ => format!("write `({b})` if that is meant"),
        };
        self.diags.push(Diagnostic::warning(Code::TRUNCATION, self.span(value), message).note(note));
    }

    /// Converts implicitly, or reports that it cannot be.
    pub(super) fn coerce(&mut self, value: ExprId, to: TypeId) -> ExprId {
        let (from, span) = (self.ty(value), self.span(value));
        let keeps = self.in_builtin() || self.language() == Language::Hlsl;
        if !keeps && convert::leaves_out(&self.program.types, from, to) {
            let (a, b) = (self.type_text(from), self.type_text(to));
            return self.error_at(Code::TYPE_MISMATCH, span, format!("`{a}` does not convert to `{b}`"));
        }
        if convert::rank(&self.program, from, to, self.literal(value)).is_some() {
            return self.convert(value, to, false);
        }
        if let Some(converted) = self.converted_optional(value, to) {
            return converted;
        }
        if let Some(element) = self.optional_element(to)
            && self.conversion_rank(from, element, self.literal(value)).is_some()
        {
            let value = self.coerce(value, element);
            return self.some_value(value, to);
        }
        if let Some(held) = self.conditional_value(value, to) {
            return held;
        }
        if let Some(boxed) = self.boxed(value, to) {
            return boxed;
        }
        if let Some(call) = self.implicit_constructor(value, to) {
            return call;
        }
        if self.same_parts(from, to)
            && let Some(made) = self.flat_cast(value, to)
        {
            return made;
        }
        // In Slang integers do not become enums by themselves, in HLSL they do.
        if matches!(self.program.types.get(to), Type::Enum(_))
            && matches!(self.program.types.get(from), Type::Scalar(_))
            && self.language() == Language::Hlsl
        {
            return self.convert(value, to, false);
        }
        let (a, b) = (self.type_text(from), self.type_text(to));
        if from == TypeId::VOID {
            return self.error_at(Code::TYPE_MISMATCH, span, format!("`{b}` is needed here; this has no value"));
        }
        self.error_at(Code::TYPE_MISMATCH, span, format!("`{a}` does not convert to `{b}`"))
    }

    fn cast_expr(&mut self, ty: &'a ast::TypeExpr, inner: &'a ast::Expr, span: Span) -> ExprId {
        if let Some(call) = self.parenthesized_call(ty, inner, span) {
            return call;
        }
        let to = self.resolve_type(ty, self.cx.scope);
        let value = self.expr_of(inner, to);
        self.cast_as_written(value, to, (span, ty.span))
    }

    /// A cast that has the place of all of it where its text is known by that: what a macro stands for, or a name of a type. Elsewhere
    /// it has that of its operand.
    pub(super) fn cast_as_written(&mut self, value: ExprId, to: TypeId, (span, ty): (Span, Span)) -> ExprId {
        let made = self.cast(value, to, span);
        let is_known = span.file.is_named() || self.alias_uses.contains_key(&(ty.file, ty.start));
        if made != value && is_known && matches!(self.kind(made), ExprKind::Convert(..)) {
            self.cx.body.exprs[made].span = span;
        }
        made
    }

    /// `(f)(a, b)` looks like a cast as long as `f` may be a type.
    fn parenthesized_call(&mut self, ty: &'a ast::TypeExpr, inner: &'a ast::Expr, span: Span) -> Option<ExprId> {
        let ast::TypeKind::Path(path) = &ty.kind else { return None };
        let (mut rest, parts): (_, &[ast::Expr]) = match &inner.kind {
            Ast::Paren(list) => (Some(&**list), &[]),
            Ast::Tuple(parts) => (None, parts),
            _ => return None,
        };
        let Name::Values(found, explicit) = self.resolve_value_path(path, self.cx.scope) else { return None };
        let callee = self.found_operand(found, explicit, ty.span);
        let Operand::Functions(..) = callee else { return None };
        let mut args: Vec<_> = parts.iter().rev().map(|part| self.call_arg(part)).collect();
        while let Some(list) = rest {
            let (before, last) = match &list.kind {
                Ast::Comma(a, b) => (Some(&**a), &**b),
                _ => (None, list),
            };
            args.push(self.call_arg(last));
            rest = before;
        }
        args.reverse();
        Some(self.call_functions(callee, path.last().map(|s| s.name.name), &args, span))
    }

    /// `(to)value`.
    pub(super) fn cast(&mut self, value: ExprId, to: TypeId, span: Span) -> ExprId {
        let from = self.ty(value);
        if to == TypeId::VOID {
            return value;
        }
        let zero = matches!(self.kind(value), ExprKind::Literal(Literal::Int(0), _));
        let is_struct = matches!(self.program.types.get(to), Type::Struct(_));
        let slang = self.language() == Language::Slang;
        if is_struct && slang && from != to && matches!(self.program.types.get(from), Type::Scalar(_)) {
            // Slang: `(S)0` is the default value, `(S)x` constructs.
            return if zero { self.default_or_zero(to, span) } else { self.construct_from(value, to, span) };
        }
        let value = self.handle_numbers(value, to);
        if convert::castable(&self.program, self.ty(value), to, zero) {
            return self.convert(value, to, true);
        }
        if let Some(call) = self.implicit_constructor(value, to) {
            return call;
        }
        if let Some(made) = self.vector_of_array(value, to) {
            return made;
        }
        if let (Type::Struct(_) | Type::Array(..), Some((parts, _))) =
            (self.program.types.get(to), self.splat_parts(value, to))
        {
            return self.push(ExprKind::Construct(parts), to, span);
        }
        if !slang && let Some(made) = self.flat_cast(value, to) {
            return made;
        }
        let (a, b) = (self.type_text(from), self.type_text(to));
        self.error_at(Code::TYPE_MISMATCH, span, format!("`{a}` cannot be cast to `{b}`"))
    }

    /// Integers as the two that a descriptor handle is made of, as its constructor in Slang takes them.
    fn handle_numbers(&mut self, value: ExprId, to: TypeId) -> ExprId {
        let is_word = |scalar: Scalar| scalar.is_integer() && scalar.size() <= 4;
        let counts = match self.program.types.get(self.ty(value)) {
            Type::Scalar(scalar) | Type::Vector(scalar, 2) => is_word(scalar),
            _ => false,
        };
        if !counts || !matches!(self.program.types.get(to), Type::Handle(_)) {
            return value;
        }
        let numbers = self.program.types.vector(Scalar::U32, 2);
        self.convert(value, numbers, false)
    }

    /// An array of scalars as a vector of equal length.
    fn vector_of_array(&mut self, value: ExprId, to: TypeId) -> Option<ExprId> {
        let Type::Array(element, Length::Fixed(n)) = self.program.types.get(self.ty(value)) else { return None };
        let (Type::Scalar(_), Type::Vector(scalar, length)) =
            (self.program.types.get(element), self.program.types.get(to))
        else {
            return None;
        };
        if n != u32::from(length) {
            return None;
        }
        let span = self.span(value);
        let component = self.program.types.scalar(scalar);
        let (set, held) = self.held(value, "array");
        let mut parts = Vec::new();
        for i in 0..n {
            let base = self.copy(held);
            let index = self.int_value(i64::from(i), TypeId::INT, span);
            let part = self.push(ExprKind::Index(base, index), element, span);
            parts.push(self.convert(part, component, false));
        }
        let made = self.push(ExprKind::Construct(parts), to, span);
        Some(match set {
            Some(set) => self.push(ExprKind::Comma(set, made), to, span),
            None => made,
        })
    }

    /// Copies an expression, for operations that use it twice.
    pub(super) fn copy(&mut self, id: ExprId) -> ExprId {
        self.cx.body.exprs.duplicate(id)
    }

    // ---- Constants ----

    /// The constant integer that an expression is; reports if it is none.
    pub(super) fn constant_int(&mut self, e: &'a ast::Expr, scope: ScopeId) -> Option<i64> {
        if let ast::ExprKind::Int(value @ 0..=0x7fff_ffff, suffix, _) = e.kind
            && suffix.is_empty()
        {
            return Some(value as i64);
        }
        self.constant_of(scope, e.span, |c| c.expr(e))
    }

    /// The constant integer that `f` builds.
    pub(super) fn constant_of(
        &mut self,
        scope: ScopeId,
        span: Span,
        f: impl FnOnce(&mut Self) -> ExprId,
    ) -> Option<i64> {
        let value = self.evaluate(scope, f);
        self.constant_integer(value, span)
    }

    /// The integer of a value; reports if it is none.
    pub(super) fn constant_integer(
        &mut self,
        value: Result<Option<constant::Value>, constant::NotConstant>,
        span: Span,
    ) -> Option<i64> {
        match value {
            Ok(None) => None,
            Ok(Some(value)) => match value.int() {
                Some(n) => Some(n),
                None => {
                    let whole = match value {
                        constant::Value::Float(f, _) if f.fract() == 0.0 && f.abs() < 1e15 => Some(f as i64),
                        _ => None,
                    };
                    if whole.is_none() {
                        self.error(Code::NOT_CONSTANT, span, "a constant integer is needed here");
                    }
                    whole
                }
            },
            Err((at, why)) => {
                let diagnostic =
                    Diagnostic::error(Code::NOT_CONSTANT, span, "a constant is needed here").label(at, why);
                self.diags.push(diagnostic);
                None
            }
        }
    }
}

/// The declaration of an entity.
pub(super) fn decl_of(entity: Entity) -> Option<DeclId> {
    match entity {
        Entity::Decl(decl) => Some(decl),
        _ => None,
    }
}

/// The functions among entities.
pub(super) fn function_decls(checker: &Checker<'_>, entities: &[Entity]) -> Vec<DeclId> {
    let decls = entities.iter().copied().filter_map(decl_of);
    decls.filter(|d| matches!(checker.info(*d).what, What::Function(_))).collect()
}
