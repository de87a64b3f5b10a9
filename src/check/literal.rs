//! Literals, and the types that they take from what stands beside them.

use super::Checker;
use super::convert::LiteralKind;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{ExprId, ExprKind, Literal, Type, TypeId};

impl Checker<'_> {
    pub(super) fn int_literal(&mut self, value: u64, suffix: Symbol, text: Symbol, span: Span) -> ExprId {
        use crate::tree::Scalar::{I32, I64, U32, U64};
        let suffix = suffix.as_str();
        let text = text.as_str();
        let radix = text.get(..2).is_some_and(|p| matches!(p, "0x" | "0X" | "0b" | "0B"));
        let slang = self.language() == crate::parse::Language::Slang;
        let (unsigned, long) = (suffix.contains('u'), suffix.contains('l') || suffix.contains('z'));
        let scalar = match (unsigned, long) {
            (true, false) if value <= u64::from(u32::MAX) => U32,
            (true, _) => U64,
            (false, true) if value <= i64::MAX as u64 => I64,
            (false, true) => U64,
            (false, false) if value <= i32::MAX as u64 => I32,
            // Slang: decimal literals are never `uint` by themselves.
            (false, false) if value <= u64::from(u32::MAX) && (radix || !slang) => U32,
            (false, false) if value <= i64::MAX as u64 => I64,
            (false, false) => U64,
        };
        let spelling = radix.then(|| {
            let digits = text.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z']);
            Symbol::new(digits)
        });
        let ty = self.program.types.scalar(scalar);
        self.push(ExprKind::Literal(Literal::Int(value as i64), spelling), ty, span)
    }

    pub(super) fn float_literal(&mut self, value: f64, suffix: Symbol, text: Symbol, span: Span) -> ExprId {
        use crate::tree::Scalar::{F16, F32, F64};
        let suffix = suffix.as_str();
        let scalar = match suffix {
            "h" | "hf" => F16,
            "l" | "lf" => F64,
            _ => F32,
        };
        let digits = text.as_str().trim_end_matches(['f', 'F', 'h', 'H', 'l', 'L']);
        let keeps = digits.contains('.') && digits.starts_with(|c: char| c.is_ascii_digit()) && !digits.ends_with('.');
        let plain = digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+'));
        let spelling =
            (keeps && plain && !digits.contains(".e") && !digits.contains(".E")).then(|| Symbol::new(digits));
        let ty = self.program.types.scalar(scalar);
        self.push(ExprKind::Literal(Literal::Float(value), spelling), ty, span)
    }

    pub(super) fn int_value(&mut self, value: i64, ty: TypeId, span: Span) -> ExprId {
        let kind = match self.program.types.get(ty) {
            Type::Scalar(crate::tree::Scalar::Bool) => ExprKind::Literal(Literal::Bool(value != 0), None),
            Type::Enum(id) => {
                let case = self.program.enums[id].cases.iter().position(|c| c.value == value);
                match case {
                    Some(case) => ExprKind::EnumCase(id, case as u32),
                    None => {
                        let tag = self.program.enums[id].tag;
                        let tag = self.program.types.scalar(tag);
                        let inner = self.push(ExprKind::Literal(Literal::Int(value), None), tag, span);
                        ExprKind::Convert(inner, true)
                    }
                }
            }
            _ => ExprKind::Literal(Literal::Int(value), None),
        };
        self.push(kind, ty, span)
    }

    /// `-2147483648` and its 64-bit sister: the literal alone has the next larger type, with its sign it fits.
    pub(super) fn least_integer(&mut self, value: ExprId, span: Span) -> Option<ExprId> {
        use crate::tree::Scalar::{I32, I64, U32, U64};
        let ExprKind::Literal(Literal::Int(n), None) = *self.kind(value) else { return None };
        let Type::Scalar(scalar) = self.program.types.get(self.ty(value)) else { return None };
        let scalar = match (n, scalar) {
            (i64::MIN, U64) => I64,
            (0x8000_0000, I64 | U32) => I32,
            _ => return None,
        };
        let ty = self.program.types.scalar(scalar);
        Some(self.push(ExprKind::Literal(Literal::Int(n.wrapping_neg()), None), ty, span))
    }

    pub(super) fn adapt_literal(&mut self, value: ExprId, literal: LiteralKind, beside: ExprId) -> ExprId {
        let kind = match self.program.types.get(self.ty(beside)) {
            Type::Enum(_) => None,
            _ => self.program.types.component(self.ty(beside)),
        };
        let fits = kind.filter(|s| match literal {
            LiteralKind::Int => *s != crate::tree::Scalar::Bool,
            LiteralKind::Float => s.is_float(),
            LiteralKind::None => false,
        });
        match fits {
            Some(scalar) => {
                let ty = self.program.types.scalar(scalar);
                self.convert(value, ty, false)
            }
            None => value,
        }
    }
}
