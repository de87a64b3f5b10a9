//! Numbers that are known by their values, as the source has them: `float4 lights[COUNT * 2]` has 8 elements, and the text that is
//! made of it says `COUNT * 2`, too; the case `Lit = 1 << 3` is 8.

use super::{SourceUnit, constant};
use crate::ast::{self, ExprKind as Ast};
use crate::tree::{
    BinaryOp, EnumId, Expr, ExprArena, ExprId, ExprKind, ExprTree, Literal, MacroNumber, MacroNumbers, Program, Scalar,
    TypeId, UnaryOp,
};

/// The numbers of declarations in some sources that macros stand for.
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
    let sole = sole_number(expr).is_some_and(|suffix| suffix == "u");
    let writer =
        NumberTrees { program, ty: if sole { TypeId::UINT } else { TypeId::INT }, is_unsigned: sole, cases: None };
    let (value, tree) = writer.written(expr)?;
    Some(MacroNumber { value, tree })
}

/// The suffix of a number that no others are beside: which type they would take is not known.
fn sole_number(expr: &ast::Expr) -> Option<&str> {
    match &expr.kind {
        Ast::Paren(inner) => sole_number(inner),
        Ast::Int(_, suffix, _) => Some(suffix.as_str()),
        _ => None,
    }
}

/// The value of a case of an enum as the source has it, if it is made of numbers and of cases before it.
pub(super) fn case_value(program: &Program, id: EnumId, (value, expr): (i64, &ast::Expr)) -> Option<ExprTree> {
    let (ty, is_unsigned) = match program.enums[id].tag {
        Scalar::I32 => (TypeId::INT, false),
        Scalar::U32 => (TypeId::UINT, true),
        _ => return None,
    };
    let own = NumberTrees { program, ty, is_unsigned, cases: Some(id) };
    if let Some((written, tree)) = own.written(expr) {
        return (written == value).then_some(tree);
    }
    // `1u << 3` of an enum of signed numbers.
    let (written, mut tree) = NumberTrees { ty: TypeId::UINT, is_unsigned: true, cases: None, ..own }.written(expr)?;
    let span = expr.span;
    tree.root = tree.exprs.push(Expr { kind: ExprKind::Convert(tree.root, false), ty, span });
    (i64::from(written as i32) == value).then_some(tree)
}

/// Builds trees of numbers of one type.
struct NumberTrees<'a> {
    program: &'a Program,
    ty: TypeId,
    is_unsigned: bool,
    /// The enum whose cases may be named.
    cases: Option<EnumId>,
}

impl NumberTrees<'_> {
    fn written(&self, expr: &ast::Expr) -> Option<(i64, ExprTree)> {
        let mut exprs = ExprArena::default();
        let root = self.tree(expr, &mut exprs)?;
        let value = constant::eval_exact(self.program, &exprs, root, &|_| None).ok()?.int()?;
        Some((value, ExprTree { exprs, root }))
    }

    /// The parser bounds how deep it is.
    fn tree(&self, expr: &ast::Expr, exprs: &mut ExprArena) -> Option<ExprId> {
        let kind = match &expr.kind {
            Ast::Paren(inner) => return self.tree(inner, exprs),
            Ast::Int(value, suffix, spelling) if suffix.is_empty() || self.is_unsigned && *suffix == "u" => {
                let most = if self.is_unsigned { u32::MAX.into() } else { i32::MAX as u64 };
                let value = Some(*value).filter(|value| *value <= most)?;
                ExprKind::Literal(Literal::Int(value as i64), Some(*spelling))
            }
            Ast::Prefix(op, inner) if *op == "-" && !self.is_unsigned => {
                ExprKind::Unary(UnaryOp::Negate, self.tree(inner, exprs)?)
            }
            Ast::Binary(op, a, b) => {
                use BinaryOp::{Add, BitAnd, BitOr, Div, Mul, Rem, Shl, Shr, Sub};
                let known = [Add, Sub, Mul, Div, Rem, Shl, Shr, BitAnd, BitOr];
                let op = known.into_iter().find(|known| *op == known.spelling())?;
                // A distance is of any type.
                let distance = NumberTrees { ty: TypeId::INT, is_unsigned: false, cases: None, program: self.program };
                let distance = if matches!(op, Shl | Shr) { distance.tree(b, exprs) } else { None };
                let b = distance.or_else(|| self.tree(b, exprs))?;
                ExprKind::Binary(op, self.tree(a, exprs)?, b)
            }
            Ast::Path(path) => self.case(path)?,
            _ => return None,
        };
        Some(exprs.push(Expr { kind, ty: self.ty, span: expr.span }))
    }

    /// A case of the enum, by its own name or with the enum's before it.
    fn case(&self, path: &[ast::PathSegment]) -> Option<ExprKind> {
        let id = self.cases?;
        let of = &self.program.enums[id];
        let name = match path {
            [name] => name,
            [owner, name] if owner.name.name == of.name => name,
            _ => return None,
        };
        let at = of.cases.iter().position(|case| case.name == name.name.name)?;
        Some(ExprKind::EnumCase(id, u32::try_from(at).ok()?))
    }
}
