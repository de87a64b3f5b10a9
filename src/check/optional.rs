//! Optional values, `is` and `as`.

use super::Checker;
use super::convert::LiteralKind;
use super::expr::{Operand, decl_of};
use super::scope::ScopeId;
use crate::ast;
use crate::diagnostic::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{BinaryOp, ExprId, ExprKind, Literal, TypeId, UnaryOp};

impl<'a> Checker<'a> {
    /// `e is T` and `e as T`; where the type of `e` is known, so is the outcome.
    pub(super) fn is_as(&mut self, e: &'a ast::Expr, is: bool, ty: &'a ast::TypeExpr, span: Span) -> ExprId {
        let value = match self.operand(e) {
            Operand::Type(ty) => Err(ty),
            operand => Ok(self.value(operand, e.span)),
        };
        let from = match value {
            Ok(value) => self.ty(value),
            Err(ty) => ty,
        };
        if from == TypeId::ERROR {
            return self.error_value(span);
        }
        let (holds, to) = match self.is_interface_type(ty, self.cx.scope) {
            true => {
                let bounds = self.bounds(ty, self.cx.scope);
                (bounds.iter().all(|b| self.meets(from, b)), from)
            }
            false => {
                let to = self.resolve_type(ty, self.cx.scope);
                (to == from, to)
            }
        };
        if let Ok(value) = value
            && !holds
            && let Some((there, part)) = self.unboxed(value, to)
        {
            return match (is, self.optional_type(to, span)) {
                (true, _) => there,
                (false, TypeId::ERROR) => self.error_value(span),
                (false, optional) => self.push(ExprKind::Construct(vec![part, there]), optional, span),
            };
        }
        match (is, value) {
            (true, _) => self.push(ExprKind::Literal(Literal::Bool(holds), None), TypeId::BOOL, span),
            (false, Ok(value)) => match self.optional_type(to, span) {
                TypeId::ERROR => self.error_value(span),
                optional if holds => self.some_value(value, optional),
                optional => self.push(ExprKind::Zero, optional, span),
            },
            (false, Err(_)) => self.error_at(Code::NOT_A_VALUE, span, "`as` takes a value"),
        }
    }

    /// `T?` is a struct of the standard library that holds a value and whether it is there.
    pub(super) fn optional_type(&mut self, element: TypeId, span: Span) -> TypeId {
        if element == TypeId::ERROR {
            return element;
        }
        let library = self.sources.first().map_or(ScopeId(0), |s| s.scope);
        let found = self.lookup_here(library, Symbol::new("Optional"));
        match found.entities.iter().copied().find_map(decl_of) {
            Some(decl) => self.instantiate_struct(decl, vec![super::Arg::Type(element)], span),
            None => self.unsupported_type(span, "an optional value"),
        }
    }

    /// The type in an optional type.
    pub(super) fn optional_element(&mut self, ty: TypeId) -> Option<TypeId> {
        let instance = self.structs.instance(ty)?;
        let (decl, args) = (instance.decl, instance.args.clone());
        let is_optional = self.source_of(decl).builtin && self.info(decl).name == *"Optional";
        match (is_optional, args.first()) {
            (true, Some(super::Arg::Type(element))) => Some(*element),
            _ => None,
        }
    }

    /// A `Conditional<T, C>` as the optional value that it gives.
    pub(super) fn conditional_value(&mut self, value: ExprId, to: TypeId) -> Option<ExprId> {
        let from = self.ty(value);
        let element = self.optional_element(to)?;
        let instance = self.structs.instance(from)?;
        let (decl, held) = (instance.decl, instance.args.first().cloned());
        let is_conditional = self.source_of(decl).builtin && self.info(decl).name == *"Conditional";
        if !is_conditional || held != Some(super::Arg::Type(element)) {
            return None;
        }
        let get = Symbol::new("get");
        let decls = self.members(from, get).into_iter().filter_map(decl_of).collect();
        let span = self.span(value);
        Some(self.call(&super::overload::Candidates::of(get, decls), Some(value), &[], span))
    }

    /// `x == none` and `x != none`.
    pub(super) fn compared_with_none(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        span: Span,
    ) -> Option<ExprId> {
        if !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) || self.ty(left) != self.ty(right) {
            return None;
        }
        self.optional_element(self.ty(left))?;
        let is_none = |c: &Self, e: ExprId| matches!(c.cx.body.exprs[e].kind, ExprKind::Zero);
        let value = match (is_none(self, left), is_none(self, right)) {
            (_, true) => left,
            (true, _) => right,
            (false, false) => return None,
        };
        let there = self.push(ExprKind::Field(value, 1), TypeId::BOOL, span);
        Some(match op {
            BinaryOp::NotEqual => there,
            _ => self.push(ExprKind::Unary(UnaryOp::Not, there), TypeId::BOOL, span),
        })
    }

    /// `Optional<T>(value)` and `{ value }`, of a value that may be optional itself: what is there is not for a list to say.
    pub(super) fn optional_of(
        &mut self,
        args: &'a [ast::Expr],
        (optional, element): (TypeId, TypeId),
        span: Span,
    ) -> ExprId {
        let [only] = args else {
            let message = format!("an optional value is made of one value, not {}", args.len());
            return self.error_at(Code::BAD_INITIALIZER, span, message);
        };
        let mut bare = only;
        while let ast::ExprKind::Paren(inner) = &bare.kind {
            bare = inner;
        }
        if matches!(bare.kind, ast::ExprKind::InitList(_)) {
            let value = self.expr_to(bare, element);
            return self.some_value(value, optional);
        }
        self.expr_to(only, optional)
    }

    /// An optional value of another type: what it holds is converted, even to an optional value. What is missing stays missing.
    pub(super) fn converted_optional(&mut self, value: ExprId, to: TypeId) -> Option<ExprId> {
        let from = self.ty(value);
        let (held, element) = (self.optional_element(from)?, self.optional_element(to)?);
        self.conversion_rank(held, element, LiteralKind::None)?;
        let span = self.span(value);
        let (set, whole) = self.held(value, "optional");
        let again = self.copy(whole);
        let part = self.push(ExprKind::Field(whole, 0), held, span);
        let part = self.coerce(part, element);
        let there = self.push(ExprKind::Field(again, 1), TypeId::BOOL, span);
        let made = self.push(ExprKind::Construct(vec![part, there]), to, span);
        Some(match set {
            Some(set) => self.push(ExprKind::Comma(set, made), to, span),
            None => made,
        })
    }

    pub(super) fn some_value(&mut self, value: ExprId, optional: TypeId) -> ExprId {
        let span = self.span(value);
        let there = self.push(ExprKind::Literal(Literal::Bool(true), None), TypeId::BOOL, span);
        self.push(ExprKind::Construct(vec![value, there]), optional, span)
    }
}
