//! Pointers and descriptor handles: `*p`, `&x`, `p == q`, `nullptr`.

use super::Checker;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::tree::{BinaryOp, ExprId, ExprKind, Scalar, Type, TypeId};

impl<'a> Checker<'a> {
    /// `&x` is a value of no type that a program can name, since pointers are those of memory outside of the shader.
    pub(super) fn address_expr(&mut self, inner: &'a ast::Expr, span: Span) -> ExprId {
        let value = self.expr(inner);
        if self.ty(value) == TypeId::ERROR {
            return value;
        }
        let message = "the address of a variable of the shader cannot be stored or passed on";
        let note = "pointers come with the data of buffers; instead of `&p[i]`, hand on `p` and `i`, and let a function \
                    change a variable by an `inout` parameter";
        self.diags.push(Diagnostic::error(Code::UNSUPPORTED, span, message).note(note));
        self.error_value(span)
    }

    /// `*p`, and `*&x`, which is `x`.
    pub(super) fn deref_expr(&mut self, inner: &'a ast::Expr, span: Span) -> ExprId {
        let mut bare = inner;
        while let ast::ExprKind::Paren(within) = &bare.kind {
            bare = within;
        }
        if let ast::ExprKind::Prefix(op, place) = &bare.kind
            && op.as_str() == "&"
        {
            return self.expr(place);
        }
        let value = self.expr(inner);
        let ty = self.ty(value);
        match self.program.types.get(ty) {
            Type::Pointer(to, _) => self.push(ExprKind::Deref(value), to, span),
            Type::Handle(to) => self.convert(value, to, false),
            Type::Error => value,
            _ => {
                let text = self.type_text(ty);
                self.error_at(Code::BAD_OPERANDS, span, format!("`*` takes a pointer, not `{text}`"))
            }
        }
    }

    /// `nullptr` where a value of a type is expected.
    pub(super) fn null_expr(&mut self, expected: TypeId, span: Span) -> ExprId {
        if self.optional_element(expected).is_some() {
            return self.push(ExprKind::Zero, expected, span);
        }
        if !self.is_pointer(expected) {
            return self.unsupported_value(span, "a null value");
        }
        let number = self.program.types.scalar(Scalar::U64);
        let zero = self.int_value(0, number, span);
        self.push(ExprKind::Convert(zero, true), expected, span)
    }

    /// Operands of which one may be `nullptr` or a list of values: it is of the other's type.
    pub(super) fn operands(&mut self, a: &'a ast::Expr, b: &'a ast::Expr) -> (ExprId, ExprId) {
        let is_typeless = |e: &ast::Expr| matches!(e.kind, ast::ExprKind::Null | ast::ExprKind::InitList(_));
        if is_typeless(a) && !is_typeless(b) {
            let right = self.expr(b);
            return (self.expr_of(a, self.ty(right)), right);
        }
        let left = self.expr(a);
        let right = if is_typeless(b) { self.expr_of(b, self.ty(left)) } else { self.expr(b) };
        (left, right)
    }

    /// Pointers as operands: of comparisons as addresses, of logic as whether there is something.
    pub(super) fn addresses(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> (ExprId, ExprId) {
        let to = match op {
            BinaryOp::And | BinaryOp::Or => TypeId::BOOL,
            _ if op.is_comparison() && [left, right].iter().all(|e| self.is_pointer(self.ty(*e))) => {
                self.program.types.scalar(Scalar::U64)
            }
            _ => return (left, right),
        };
        let [left, right] =
            [left, right].map(|e| if self.is_pointer(self.ty(e)) { self.convert(e, to, true) } else { e });
        (left, right)
    }

    pub(super) fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Pointer(..))
    }
}
