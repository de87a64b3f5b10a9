//! Notes which sizes of arrays and arguments of attributes have names, of macros or of constants: what is made of them are plain numbers.

use super::Parser;
use crate::ast::{Expr, ExprKind, GenericArg, Ident, PathSegment, TypeExpr, TypeKind};

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

    /// How many points the patch has that is declared with this name.
    pub(super) fn note_points(&mut self, name: Ident, ty: &TypeExpr) {
        let TypeKind::Path(path) = &ty.kind else { return };
        let [PathSegment { name: of, args: Some(args) }] = path.as_slice() else { return };
        let (true, [_, count]) = (matches!(of.name.as_str(), "InputPatch" | "OutputPatch"), args.as_slice()) else {
            return;
        };
        let named;
        let count = match count {
            GenericArg::Value(count) => count,
            GenericArg::Type(TypeExpr { kind: TypeKind::Path(path), span }) => {
                named = Expr { kind: ExprKind::Path(path.clone()), span: *span };
                &named
            }
            GenericArg::Type(_) => return,
        };
        self.note_numbers(name, std::iter::once(Some(count)));
    }

    /// Numbers of what has this name.
    pub(super) fn note_numbers<'e>(&mut self, name: Ident, numbers: impl Iterator<Item = Option<&'e Expr>> + Clone) {
        if numbers.clone().any(|expr| expr.is_some_and(has_name)) {
            let numbers = numbers.map(|expr| expr.filter(|expr| has_name(expr)).cloned()).collect();
            self.written_numbers.push((name.span, numbers));
        }
    }
}

/// Whether a macro stands for an integer in an expression, or something in it is named.
fn has_name(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(..) => expr.span.file.is_named(),
        ExprKind::Path(_) | ExprKind::Member(..) => true,
        ExprKind::Paren(inner) | ExprKind::Prefix(_, inner) => has_name(inner),
        ExprKind::Binary(_, a, b) => has_name(a) || has_name(b),
        ExprKind::Cast(_, inner) => has_name(inner),
        ExprKind::Construct(_, args) => args.iter().any(has_name),
        _ => false,
    }
}
