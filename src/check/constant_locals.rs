//! Constant variables of functions, and the labels of cases.

use super::{Checker, constant};
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::tree::{BinaryOp, ExprArena, ExprId, ExprKind, Length, LocalId, Scalar, Type, TypeId, UnaryOp};

/// How far constants that name one another are followed.
const MOST_CONSTANTS: u32 = 64;

impl<'a> Checker<'a> {
    /// The label of a case, with those before it.
    pub(super) fn case_label(&mut self, e: &'a ast::Expr, ty: TypeId, seen: &mut Vec<i64>) -> ExprId {
        let value = self.expr(e);
        let value = match (self.program.types.get(ty), self.program.types.get(self.ty(value))) {
            (Type::Scalar(_), Type::Enum(_)) | (Type::Enum(_), Type::Scalar(_)) => self.cast(value, ty, e.span),
            _ => self.coerce(value, ty),
        };
        if self.ty(value) == TypeId::ERROR {
            return value;
        }
        match self.known_value(value) {
            Ok(found) => {
                if let Some(n) = found.int() {
                    if seen.contains(&n) {
                        self.error(Code::BAD_STATEMENT, e.span, format!("the case {n} occurs twice"));
                    }
                    seen.push(n);
                    if self.is_of_parts(&self.cx.body.exprs, value, 0) {
                        let ty = self.ty(value);
                        return self.int_value(n, ty, e.span);
                    }
                }
            }
            Err((at, why)) => {
                let diagnostic =
                    Diagnostic::error(Code::NOT_CONSTANT, e.span, "a case must be a constant").label(at, why);
                self.diags.push(diagnostic);
            }
        }
        value
    }

    /// Remembers the value of a constant variable, for array sizes.
    pub(super) fn note_constant(&mut self, local: LocalId, value: ExprId) {
        let small = match self.program.types.get(self.ty(value)) {
            Type::Array(_, Length::Fixed(n)) => n <= 64,
            ty => !ty.is_resource(),
        };
        if !small {
            return;
        }
        if let Ok(found) = self.known_value(value) {
            self.cx.constants.push((local, found));
            if self.is_of_parts(&self.cx.body.exprs, value, 0) {
                self.cx.computed.insert(local);
            }
        } else {
            self.note_specialized(local, value);
        }
    }

    /// Whether a constant expression, or what it names, has calls, parts of other values, floats, integers of other widths, or
    /// operands that may not be evaluated, or wraps around: not every target takes that for a constant.
    fn is_of_parts(&self, exprs: &ExprArena, value: ExprId, depth: u32) -> bool {
        exprs.any_part(value, |id| match exprs[id].kind {
            _ if !self.is_plain_integer(exprs[id].ty, exprs[value].ty) || self.wraps(exprs, id) => true,
            ExprKind::Call(..) | ExprKind::Property(_) | ExprKind::Comma(..) => true,
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => true,
            ExprKind::Local(local) => self.cx.computed.contains(&local),
            ExprKind::Global(global) if depth < MOST_CONSTANTS => {
                let init = self.program.globals[global].init.as_ref();
                init.is_some_and(|tree| self.is_of_parts(&tree.exprs, tree.root, depth + 1))
            }
            _ => false,
        })
    }

    /// Whether a type is one of 32 bits, a bool, or the integer that the whole expression is.
    fn is_plain_integer(&self, ty: TypeId, whole: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Scalar(Scalar::I32 | Scalar::U32 | Scalar::Bool) => true,
            Type::Scalar(scalar) => scalar.is_integer() && ty == whole,
            Type::Enum(_) => true,
            _ => false,
        }
    }

    /// Whether an operator or conversion of integers gives another number than it would without bounds, or is a remainder of
    /// signed ones, whose sign not every target agrees on, or a shift that not every target has: of a negative one to the left,
    /// and by more bits than there are.
    fn wraps(&self, exprs: &ExprArena, id: ExprId) -> bool {
        let Some(scalar) = self.program.types.component(exprs[id].ty).filter(|s| s.is_integer()) else { return false };
        let value = |e| constant::eval_with(&self.program, exprs, e, &|local| self.constant_local(local)).ok();
        let leaves = |op, a: &constant::Value, b: &constant::Value| constant::leaves(op, a, b, scalar);
        let bits = i64::from(scalar.size()) * 8;
        let is_beyond = |b: &constant::Value| b.int().is_none_or(|n| !(0..bits).contains(&n));
        let is_negative = |a: &constant::Value| scalar.is_signed() && a.int().is_none_or(|n| n < 0);
        match exprs[id].kind {
            ExprKind::Binary(BinaryOp::Rem, ..) => scalar.is_signed(),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div), a, b) => {
                value(a).zip(value(b)).is_none_or(|(a, b)| leaves(op, &a, &b))
            }
            ExprKind::Binary(op @ BinaryOp::Shl, a, b) => {
                value(a).zip(value(b)).is_none_or(|(a, b)| is_beyond(&b) || is_negative(&a) || leaves(op, &a, &b))
            }
            ExprKind::Binary(BinaryOp::Shr, _, b) => value(b).is_none_or(|b| is_beyond(&b)),
            ExprKind::Unary(UnaryOp::Negate, a) => {
                value(a).is_none_or(|a| leaves(BinaryOp::Sub, &constant::Value::Int(0, scalar), &a))
            }
            ExprKind::Convert(a, _) => {
                value(a).is_none_or(|a| leaves(BinaryOp::Add, &a, &constant::Value::Int(0, scalar)))
            }
            _ => false,
        }
    }

    /// The value of an expression of the body at hand, in which constant variables may be named.
    pub(super) fn known_value(&self, value: ExprId) -> Result<constant::Value, constant::NotConstant> {
        constant::eval_with(&self.program, &self.cx.body.exprs, value, &|local| self.constant_local(local))
    }

    /// The value of a constant variable.
    fn constant_local(&self, local: LocalId) -> Option<constant::Value> {
        self.cx.constants.iter().find(|(l, _)| *l == local).map(|(_, value)| value.clone())
    }
}
