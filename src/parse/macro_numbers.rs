//! Notes which sizes of arrays and arguments of attributes macros stand for: what is made of them are plain numbers.

use super::Parser;
use crate::ast::{Expr, ExprKind, Ident, TypeExpr, TypeKind};

impl Parser<'_> {
    /// The sizes of a declared array, the outermost first.
    pub(super) fn note_sizes(&mut self, name: Ident, ty: &TypeExpr) {
        let mut sizes = Vec::new();
        let mut ty = ty;
        while let TypeKind::Array(element, size) = &ty.kind {
            sizes.push(size.as_deref());
            ty = element;
        }
        self.note_numbers(name, sizes.into_iter());
    }

    /// Numbers of what has this name.
    pub(super) fn note_numbers<'e>(&mut self, name: Ident, numbers: impl Iterator<Item = Option<&'e Expr>> + Clone) {
        let is_named = |expr: Option<&Expr>| expr.is_some_and(has_macro);
        if !self.named.is_empty() && numbers.clone().any(is_named) {
            let numbers = numbers.map(|expr| expr.filter(|expr| has_macro(expr)).cloned()).collect();
            self.macro_numbers.push((name.span, numbers));
        }
    }
}

/// Whether a macro stands for an integer in an expression.
fn has_macro(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(..) => expr.span.file.is_named(),
        ExprKind::Paren(inner) | ExprKind::Prefix(_, inner) => has_macro(inner),
        ExprKind::Binary(_, a, b) => has_macro(a) || has_macro(b),
        _ => false,
    }
}
