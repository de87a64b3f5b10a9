//! Operators in expressions: those of the language and of the program, assignments, and choices.

use super::convert::LiteralKind;
use super::expr::{decl_of, function_decls};
use super::scope::{DeclId, ScopeId, What};
use super::{Arg, Checker, constant, operators};
use crate::ast::{self, ExprKind as Ast};
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{BinaryOp, ExprId, ExprKind, Scalar, Swizzle, Type, TypeId, UnaryOp};

/// The modifier of an operator that is written behind its operand.
pub(super) const POSTFIX: &str = "__postfix";

/// On which side of its operand an operator is written.
#[derive(Clone, Copy)]
pub(super) enum Fixity {
    Prefix,
    Postfix,
    Infix,
}

impl<'a> Checker<'a> {
    pub(super) fn prefix_expr(&mut self, op: Symbol, inner: &'a ast::Expr, span: Span) -> ExprId {
        let text = op.as_str();
        match text {
            "++" | "--" => return self.step_expr(op, inner, true, span),
            "*" => return self.deref_expr(inner, span),
            "&" => return self.address_expr(inner, span),
            _ => {}
        }
        let value = self.expr(inner);
        if let Some(call) = self.user_operator(op, Fixity::Prefix, &[value], span) {
            return call;
        }
        let value = self.plain(value);
        if text == "-"
            && let Some(least) = self.least_integer(value, span)
        {
            return least;
        }
        let ty = self.ty(value);
        if text == "+" {
            return value;
        }
        let Some(unary) = operators::unary_op(text) else {
            return self.unsupported_value(span, &format!("the operator `{text}`"));
        };
        let (value, ty) = match unary == UnaryOp::Not && self.is_pointer(ty) {
            true => (self.convert(value, TypeId::BOOL, true), TypeId::BOOL),
            false => (value, ty),
        };
        match operators::unary(&mut self.program, unary, ty) {
            Ok(typed) => {
                let value = self.convert(value, typed.operand, false);
                self.push(ExprKind::Unary(typed.op, value), typed.result, span)
            }
            Err(message) => {
                let text = self.type_text(ty);
                self.error_at(Code::BAD_OPERANDS, span, format!("{message}, not `{text}`"))
            }
        }
    }

    pub(super) fn step_expr(&mut self, op: Symbol, inner: &'a ast::Expr, prefix: bool, span: Span) -> ExprId {
        let target = self.expr(inner);
        let postfix = if prefix { None } else { self.user_postfix(op, target, span) };
        let fixity = if prefix { Fixity::Prefix } else { Fixity::Postfix };
        if let Some(call) = postfix.or_else(|| self.user_operator(op, fixity, &[target], span)) {
            return call;
        }
        if !self.check_assignable(target) {
            return self.error_value(span);
        }
        let ty = self.ty(target);
        if let Type::Pointer(..) = self.program.types.get(ty) {
            return self.step_pointer(op == *"++", prefix, target, span);
        }
        match operators::step(&self.program, ty) {
            Ok(ty) => self.push(ExprKind::Step(op == *"++", prefix, target), ty, span),
            Err(message) => {
                let text = self.type_text(ty);
                self.error_at(Code::BAD_OPERANDS, span, format!("{message}, not `{text}`"))
            }
        }
    }

    pub(super) fn binary(&mut self, op: Symbol, left: ExprId, right: ExprId, span: Span) -> ExprId {
        // Before the operators of the program, which take no `none`.
        let compared = operators::binary_op(op.as_str()).and_then(|op| self.compared_with_none(op, left, right, span));
        if let Some(value) = compared.or_else(|| self.user_operator(op, Fixity::Infix, &[left, right], span)) {
            return value;
        }
        let Some(op) = operators::binary_op(op.as_str()) else {
            return self.unsupported_value(span, &format!("the operator `{op}`"));
        };
        if let Some(value) = self.compared_handles(op, left, right, span) {
            return value;
        }
        if let Some(value) = self.compared_as_generic(op, left, right, span) {
            return value;
        }
        let (left, right) = (self.plain(left), self.plain(right));
        if let Some(value) = self.moved_pointer(op, left, right, span) {
            return value;
        }
        if let Some(value) = self.algebraic_product(op, left, right, span) {
            return value;
        }
        let (left, right) = self.adapt(op, left, right);
        self.exact_operands(op, left, right);
        let (left, right) = self.addresses(op, left, right);
        let (a, b) = (self.ty(left), self.ty(right));
        let language = self.language();
        match operators::binary(&mut self.program, op, (a, b), language) {
            Ok(typed) => {
                let literals = [left, right].map(|id| self.literal(id));
                let left = self.convert(left, typed.left, false);
                let right = self.convert(right, typed.right, false);
                let untyped = literals == [LiteralKind::Int; 2] && self.language() == Language::Hlsl;
                if untyped {
                    self.stay_literals([left, right]);
                }
                let right = if untyped { right } else { self.masked_distance(op, left, right) };
                let whole = self.whole_shift(op, left, right);
                if let Some(value) = whole.filter(|_| !untyped) {
                    return value;
                }
                let result = self.push(ExprKind::Binary(op, left, right), typed.result, span);
                if whole.is_some() {
                    // Of literals it is made in 64 bits.
                    self.whole_literal(result, None);
                }
                self.equal_as_whole(op, result, span)
            }
            Err(message) => self.bad_operands(message, a, b, span),
        }
    }

    /// The vectors that type parameters of a function, and of the type that it is a member of, stand for.
    pub(super) fn generic_vectors(&self, args: &[Arg], owner: Option<TypeId>) -> Vec<TypeId> {
        let around = owner.and_then(|owner| self.structs.instance(owner)).map_or(&[][..], |instance| &instance.args);
        let types = args.iter().chain(around).filter_map(|arg| match arg {
            Arg::Type(ty) => Some(*ty),
            Arg::Value(_) | Arg::Pack(_) => None,
        });
        types.filter(|ty| matches!(self.program.types.get(*ty), Type::Vector(..))).collect()
    }

    /// Values of a type parameter of Slang are compared by its interface, which gives one `bool`: vectors are equal as a whole and
    /// ordered by their first components.
    fn compared_as_generic(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> Option<ExprId> {
        let ty = self.ty(left);
        let may_be = self.cx.generic_vectors.contains(&ty) && self.ty(right) == ty;
        if !may_be || !op.is_comparison() || self.in_builtin() || self.language() != Language::Slang {
            return None;
        }
        // A vector that is written as one is compared by components.
        if self.view_of(left).is_none() && self.view_of(right).is_none() {
            return None;
        }
        let Type::Vector(scalar, n) = self.program.types.get(ty) else { return None };
        let whole = match op {
            BinaryOp::Equal => "all",
            BinaryOp::NotEqual => "any",
            _ => {
                let scalar = self.program.types.scalar(scalar);
                let first = |c: &mut Self, e| c.push(ExprKind::Swizzle(e, Swizzle::new(&[0])), scalar, span);
                let (left, right) = (first(self, left), first(self, right));
                return Some(self.push(ExprKind::Binary(op, left, right), TypeId::BOOL, span));
            }
        };
        let bools = self.program.types.vector(Scalar::Bool, n);
        let compared = self.push(ExprKind::Binary(op, left, right), bools, span);
        Some(self.library_call(whole, &[compared], span))
    }

    /// The distance of a shift: in HLSL, only as many bits of a constant count as number those of the operand.
    fn masked_distance(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        if self.language() != Language::Hlsl || self.in_builtin() {
            return right;
        }
        constant::masked_distance(&mut self.program, &mut self.cx.body.exprs, op, left, right).unwrap_or(right)
    }

    /// What a shift by a constant that is as wide as the operand, or wider, gives.
    fn whole_shift(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> Option<ExprId> {
        // What is shifted out of a number that is meant exactly is refused when that is evaluated.
        let exact = self.cx.exact && op == BinaryOp::Shl;
        if exact { None } else { constant::whole_shift(&mut self.program, &mut self.cx.body.exprs, op, left, right) }
    }

    pub(super) fn bad_operands(&mut self, message: String, a: TypeId, b: TypeId, span: Span) -> ExprId {
        let (x, y) = (self.type_text(a), self.type_text(b));
        let diagnostic = Diagnostic::error(Code::BAD_OPERANDS, span, message)
            .note(format!("the left operand is `{x}`, the right one `{y}`"));
        self.diags.push(diagnostic);
        self.error_value(span)
    }

    /// The contents of a constant buffer that is used as a value.
    pub(super) fn plain(&mut self, value: ExprId) -> ExprId {
        match self.program.types.get(self.ty(value)).contents() {
            Some(held) => {
                let span = self.span(value);
                self.cx.body.exprs.contents(value, held, span)
            }
            None => value,
        }
    }

    /// A literal takes the component kind of the operand beside it.
    fn adapt(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> (ExprId, ExprId) {
        match op {
            BinaryOp::And | BinaryOp::Or => (left, right),
            BinaryOp::Shl | BinaryOp::Shr => (self.adapt_shifted(left, right), right),
            _ => self.adapt_alike(left, right),
        }
    }

    /// HLSL: a literal that is shifted by a `uint` is one, so that `-1 >> n` fills with zeros; no other width counts.
    fn adapt_shifted(&mut self, left: ExprId, right: ExprId) -> ExprId {
        let by = self.program.types.component(self.ty(right)).filter(|s| matches!(s, Scalar::I32 | Scalar::U32));
        let literals = [left, right].map(|id| self.literal(id));
        match (self.language(), by, literals) {
            (Language::Hlsl, Some(_), [LiteralKind::Int, LiteralKind::None]) => {
                self.adapt_literal(left, LiteralKind::Int, right)
            }
            _ => left,
        }
    }

    /// The same of two values that will have one type.
    pub(super) fn adapt_alike(&mut self, left: ExprId, right: ExprId) -> (ExprId, ExprId) {
        if !self.literals_adapt() {
            return (left, right);
        }
        match (self.literal(left), self.literal(right)) {
            (LiteralKind::None, LiteralKind::None) => (left, right),
            (LiteralKind::None, literal) => (left, self.adapt_literal(right, literal, left)),
            (literal, LiteralKind::None) => (self.adapt_literal(left, literal, right), right),
            _ => (left, right),
        }
    }

    /// A call of a user's `operator` if there is one for these operands.
    pub(super) fn user_operator(
        &mut self,
        op: Symbol,
        fixity: Fixity,
        values: &[ExprId],
        span: Span,
    ) -> Option<ExprId> {
        let custom =
            values.iter().any(|v| matches!(self.program.types.get(self.ty(*v)), Type::Struct(_) | Type::Enum(_)));
        if !custom && (self.in_builtin() || !self.free_operators.contains(&op)) {
            return None;
        }
        let name = Symbol::new(&format!("operator{op}"));
        let mut decls = Vec::new();
        decls.extend(self.free_operators_of(name));
        self.keep_fixity(&mut decls, fixity);
        if !custom {
            return self.operator_of(name, decls, values, span);
        }
        let mut methods = Vec::new();
        for value in values {
            let ty = self.ty(*value);
            // What the library adds to numbers means what their operators mean.
            let is_number = matches!(self.program.types.get(ty), Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..));
            let found = self.members(ty, name).into_iter().filter_map(decl_of);
            let found: Vec<DeclId> = found.filter(|d| !(is_number && self.source_of(*d).builtin)).collect();
            for decl in found {
                if matches!(self.info(decl).what, What::Function(_)) && !decls.contains(&decl) {
                    if self.takes_this(decl, values.len()) {
                        methods.push(decl);
                    } else {
                        decls.push(decl);
                    }
                }
            }
        }
        self.keep_fixity(&mut decls, fixity);
        self.keep_fixity(&mut methods, fixity);
        let scalar =
            values.iter().all(|v| matches!(self.program.types.get(self.ty(*v)), Type::Enum(_) | Type::Scalar(_)));
        self.call_operator(name, decls, methods, values, scalar, span)
    }

    /// Leaves out the operators that are meant for the other side of an operand, where there are some for this side.
    fn keep_fixity(&self, decls: &mut Vec<DeclId>, fixity: Fixity) {
        let fits = |decl: &DeclId| match fixity {
            Fixity::Prefix => !self.info(*decl).has(POSTFIX),
            Fixity::Postfix => self.info(*decl).has(POSTFIX),
            Fixity::Infix => true,
        };
        if decls.iter().any(fits) {
            decls.retain(fits);
        }
    }

    /// The operators that a place sees and that are no methods. In HLSL those of a struct hide nothing: they are found by the
    /// operands.
    fn free_operators_of(&mut self, name: Symbol) -> Vec<DeclId> {
        let found = self.lookup(self.cx.scope, name);
        if found.member_of.is_none() || self.language() != Language::Hlsl {
            return function_decls(self, &found.entities);
        }
        let scopes: Vec<ScopeId> = self.outward(self.cx.scope).collect();
        let named = scopes.into_iter().flat_map(|scope| self.named(scope, name).to_vec());
        named.filter_map(decl_of).filter(|decl| self.info(*decl).owner.is_none()).collect()
    }

    /// Whether an operator is a method whose first operand is its struct.
    fn takes_this(&self, decl: DeclId, operands: usize) -> bool {
        let info = self.info(decl);
        matches!(info.what, What::Function(f) if f.params.len() < operands) && !info.has("static")
    }

    pub(super) fn assign_expr(
        &mut self,
        op: Symbol,
        target: &'a ast::Expr,
        value: &'a ast::Expr,
        span: Span,
    ) -> ExprId {
        let target = self.expr(target);
        let target = self.place_of_cast(target);
        let target_ty = self.ty(target);
        let Some(binary) = operators::assign_op(op.as_str()) else {
            return self.unsupported_value(span, &format!("the operator `{op}`"));
        };
        let mut value = self.expr_of(value, target_ty);
        if let Some(binary) = binary
            && matches!(self.program.types.get(target_ty), Type::Struct(_))
        {
            let spelled = Symbol::new(binary.spelling());
            if let Some(call) = self.user_operator(op, Fixity::Infix, &[target, value], span) {
                return call;
            }
            let left = self.copy(target);
            let result = self.binary(spelled, left, value, span);
            return self.finish_assign(None, target, result, span);
        }
        if binary.is_none()
            && let Some(assigned) = self.assign_selected(target, value, span)
        {
            return assigned;
        }
        if let Some(places) = self.flat_places(target) {
            if let Some(binary) = binary {
                let left = self.copy(target);
                value = self.binary(Symbol::new(binary.spelling()), left, value, span);
            }
            return self.assign_flat(places, target, value, span);
        }
        if !self.check_assignable(target) {
            return self.error_value(span);
        }
        let Some(op) = binary else { return self.finish_assign(None, target, value, span) };
        value = self.plain(value);
        let left = self.copy(target);
        let moved = self.moved_pointer(op, left, value, span);
        if let Some(result) = moved.or_else(|| self.algebraic_product(op, left, value, span)) {
            return self.finish_assign(None, target, result, span);
        }
        let literal = self.literal(value);
        if literal != LiteralKind::None && !matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            value = self.adapt_literal(value, literal, target);
        }
        let value_ty = self.ty(value);
        let language = self.language();
        match operators::assign(&mut self.program, Some(op), (target_ty, value_ty), language) {
            Ok(operators::Assign { value: ty, through: None }) => {
                let value = self.convert(value, ty, false);
                let value = self.masked_distance(op, left, value);
                let Some(result) = self.whole_shift(op, left, value) else {
                    return self.push(ExprKind::Assign(Some(op), target, value), target_ty, span);
                };
                match self.cx.body.exprs[result].kind {
                    // By less.
                    ExprKind::Binary(same, _, value) if same == op => {
                        self.push(ExprKind::Assign(Some(op), target, value), target_ty, span)
                    }
                    _ => self.finish_assign(None, target, result, span),
                }
            }
            Ok(operators::Assign { through: Some(typed), .. }) => {
                let left = self.copy(target);
                let left = self.convert(left, typed.left, false);
                let right = self.convert(value, typed.right, false);
                let result = self.push(ExprKind::Binary(op, left, right), typed.result, span);
                self.finish_assign(None, target, result, span)
            }
            Err(message) => self.bad_operands(message, target_ty, value_ty, span),
        }
    }

    pub(super) fn finish_assign(&mut self, op: Option<BinaryOp>, target: ExprId, value: ExprId, span: Span) -> ExprId {
        let ty = self.ty(target);
        if !self.check_assignable(target) {
            return self.error_value(span);
        }
        let value = self.coerce(value, ty);
        self.push(ExprKind::Assign(op, target, value), ty, span)
    }

    pub(super) fn conditional_expr(
        &mut self,
        c: &'a ast::Expr,
        a: &'a ast::Expr,
        b: &'a ast::Expr,
        span: Span,
    ) -> ExprId {
        let condition = self.expr(c);
        let condition = self.plain(condition);
        let ((left, no_left), tried_left) = self.tried_first(|c| c.branch(condition, true, |c| c.expr(a)));
        let check_right = |c: &mut Self| match &b.kind {
            Ast::InitList(_) | Ast::Null => c.expr_of(b, c.ty(left)),
            _ => c.expr(b),
        };
        let ((right, no_right), tried_right) = self.tried_first(|c| c.branch(condition, false, check_right));
        let (left, right) = self.adapt_alike(left, right);
        let condition = match self.is_pointer(self.ty(condition)) {
            true => self.convert(condition, TypeId::BOOL, true),
            false => condition,
        };
        let (c, x, y) = (self.ty(condition), self.ty(left), self.ty(right));
        let language = self.language();
        match operators::select(&mut self.program, c, (x, y), language) {
            Ok(typed) => {
                let condition = self.convert(condition, typed.condition, false);
                let left = self.convert(left, typed.result, false);
                let right = self.convert(right, typed.result, false);
                match tried_left.is_empty() && tried_right.is_empty() {
                    _ if no_left => right,
                    _ if no_right => left,
                    true => self.push(ExprKind::Select(condition, left, right), typed.result, span),
                    false => self.tried_choice(condition, [(tried_left, left), (tried_right, right)], span),
                }
            }
            Err(message) => self.bad_operands(message, x, y, span),
        }
    }

    // ---- Conversions ----
}
