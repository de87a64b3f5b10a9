//! Finds the numbers of declarations that the source has macros for: `float4 lights[COUNT * 2]` has 8 elements, and the text that
//! is made of it says `COUNT * 2`, too.

use super::{SourceUnit, constant};
use crate::ast::{self, ExprKind as Ast};
use crate::tree::{
    BinaryOp, Expr, ExprArena, ExprId, ExprKind, ExprTree, Literal, MacroNumber, MacroNumbers, Program, TypeId, UnaryOp,
};

/// Those of some sources.
pub(super) fn macro_numbers<'a>(program: &Program, units: impl Iterator<Item = &'a SourceUnit>) -> MacroNumbers {
    let mut found = MacroNumbers::default();
    for (span, exprs) in units.flat_map(|unit| &unit.files).flat_map(|file| &file.macro_numbers) {
        let numbers: Vec<_> = exprs.iter().map(|e| number(program, e.as_ref()?)).collect();
        if numbers.iter().any(Option::is_some) {
            found.insert(*span, numbers);
        }
    }
    found
}

/// `None`: it is made of something else than numbers.
fn number(program: &Program, expr: &ast::Expr) -> Option<MacroNumber> {
    let mut exprs = ExprArena::default();
    let root = unsigned(expr, &mut exprs).or_else(|| tree(expr, &mut exprs))?;
    let value = constant::eval_int(program, &exprs, root).ok()?;
    Some(MacroNumber { value, tree: ExprTree { exprs, root } })
}

/// A number that is said to be unsigned: `64u`. Where there are others beside it, it is not known which type they take.
fn unsigned(expr: &ast::Expr, exprs: &mut ExprArena) -> Option<ExprId> {
    match &expr.kind {
        Ast::Paren(inner) => unsigned(inner, exprs),
        Ast::Int(value, suffix, spelling) if *suffix == "u" && *value <= u32::MAX.into() => {
            let kind = ExprKind::Literal(Literal::Int(*value as i64), Some(*spelling));
            Some(exprs.push(Expr { kind, ty: TypeId::UINT, span: expr.span }))
        }
        _ => None,
    }
}

/// The parser bounds how deep it is.
fn tree(expr: &ast::Expr, exprs: &mut ExprArena) -> Option<ExprId> {
    let kind = match &expr.kind {
        Ast::Paren(inner) => return tree(inner, exprs),
        Ast::Int(value, suffix, spelling) if suffix.is_empty() && *value <= i32::MAX as u64 => {
            ExprKind::Literal(Literal::Int(*value as i64), Some(*spelling))
        }
        Ast::Prefix(op, inner) if *op == "-" => ExprKind::Unary(UnaryOp::Negate, tree(inner, exprs)?),
        Ast::Binary(op, a, b) => {
            use BinaryOp::{Add, BitAnd, BitOr, Div, Mul, Rem, Shl, Shr, Sub};
            let known = [Add, Sub, Mul, Div, Rem, Shl, Shr, BitAnd, BitOr];
            let op = known.into_iter().find(|known| *op == known.spelling())?;
            ExprKind::Binary(op, tree(a, exprs)?, tree(b, exprs)?)
        }
        _ => return None,
    };
    Some(exprs.push(Expr { kind, ty: TypeId::INT, span: expr.span }))
}
