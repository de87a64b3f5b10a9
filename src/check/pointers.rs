//! Pointers and descriptor handles: `*p`, `&x`.

use super::Checker;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::tree::{ExprId, ExprKind, Type, TypeId};

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
}
