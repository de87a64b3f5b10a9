//! Literals, and the types that they take from what stands beside them.

use super::convert::LiteralKind;
use super::{Checker, constant, convert};
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{BinaryOp, ExprId, ExprKind, Literal, Scalar, Type, TypeId};

impl Checker<'_> {
    pub(super) fn int_literal(&mut self, value: u64, suffix: Symbol, token: Symbol, span: Span) -> ExprId {
        use crate::tree::Scalar::{I32, I64, U32, U64};
        let suffix = suffix.as_str();
        let text = token.as_str();
        let radix = text.get(..2).is_some_and(|p| matches!(p, "0x" | "0X" | "0b" | "0B"));
        let slang = self.language() == Language::Slang;
        // `long` has 32 bits, `long long` 64.
        let (unsigned, long) = (suffix.contains('u'), suffix.contains("ll") || suffix.contains('z'));
        let adapts = radix || !slang && suffix.is_empty();
        let scalar = match (unsigned, long) {
            (true, false) if value <= u64::from(u32::MAX) => U32,
            (true, _) => U64,
            (false, true) if value <= i64::MAX as u64 => I64,
            (false, true) => U64,
            (false, false) if value <= i32::MAX as u64 => I32,
            // Slang: decimal literals are never `uint` by themselves.
            (false, false) if value <= u64::from(u32::MAX) && adapts => U32,
            (false, false) if value <= i64::MAX as u64 => I64,
            (false, false) => U64,
        };
        // That of a character is none.
        let spelling = text.starts_with(|c: char| c.is_ascii_digit()).then_some(token);
        let ty = self.program.types.scalar(scalar);
        let id = self.push(ExprKind::Literal(Literal::Int(value as i64), spelling), ty, span);
        if !slang && suffix.is_empty() && scalar != I32 {
            self.cx.literals.insert(id, LiteralKind::Int);
        }
        id
    }

    pub(super) fn float_literal(&mut self, value: f64, suffix: Symbol, text: Symbol, span: Span) -> ExprId {
        use crate::tree::Scalar::{F16, F32, F64};
        let suffix = suffix.as_str();
        let scalar = match suffix {
            "h" | "hf" | "fh" => F16,
            "l" | "lf" | "fl" => F64,
            _ => F32,
        };
        let digits = text.as_str().trim_end_matches(['f', 'F', 'h', 'H', 'l', 'L']);
        // What adapts is of no type yet.
        let typed = !self.literals_adapt() || !suffix.is_empty();
        let value = if typed { constant::round(value, scalar) } else { value };
        // A number in the middle between two is another when it is read with more digits first.
        let as_float = digits.parse::<f32>().map_or(value, f64::from);
        let (value, spelling) = match scalar {
            F32 if typed && as_float != value => (as_float, None),
            F16 if constant::round(as_float, F16) != value => (value, None),
            _ => (value, Some(text)),
        };
        let ty = self.program.types.scalar(scalar);
        let id = self.push(ExprKind::Literal(Literal::Float(value), spelling), ty, span);
        if typed && self.language() == Language::Hlsl {
            self.cx.literals.insert(id, LiteralKind::None);
        }
        id
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
        let ExprKind::Literal(Literal::Int(n), spelling) = *self.kind(value) else { return None };
        // The digits of a hexadecimal number are those of bits.
        if spelling.is_some_and(|text| text.as_str().starts_with("0x") || text.as_str().starts_with("0X")) {
            return None;
        }
        let Type::Scalar(scalar) = self.program.types.get(self.ty(value)) else { return None };
        let scalar = match (n, scalar) {
            (i64::MIN, U64) => I64,
            (0x8000_0000, I64 | U32) => I32,
            _ => return None,
        };
        let ty = self.program.types.scalar(scalar);
        Some(self.push(ExprKind::Literal(Literal::Int(n.wrapping_neg()), None), ty, span))
    }

    /// Whether literals take the type of what stands beside them. HLSL's do (DXC's `literal int` and `literal float`), and the
    /// library is written so; Slang's are of type `int` and `float`.
    pub(super) fn literals_adapt(&self) -> bool {
        self.in_builtin() || self.language() == Language::Hlsl
    }

    /// HLSL computes with literals in 64 bits. Where that gives another value than their types do, and `to` can tell,
    /// the value takes the place of the expression; literals that become doubles are converted before they are computed with.
    pub(super) fn exact_literal(&mut self, value: ExprId, to: TypeId) {
        if self.language() != Language::Hlsl {
            return;
        }
        let Some(to) = self.program.types.component(to) else { return };
        match self.literal(value) {
            LiteralKind::Int if to.is_float() || to.size() == 8 => self.whole_literal(value, Some(to)),
            LiteralKind::Float if to == Scalar::F64 => self.retype_literal(value, to),
            LiteralKind::Int | LiteralKind::Float | LiteralKind::None => {}
        }
    }

    /// HLSL: `0xffffffff` where an `int` is taken is -1.
    pub(super) fn signed_literal(&mut self, value: ExprId, to: TypeId) {
        if let ExprKind::Literal(Literal::Int(n), _) = *self.kind(value)
            && (self.ty(value), self.program.types.component(to)) == (TypeId::UINT, Some(Scalar::I32))
            && self.cx.literals.get(&value) == Some(&LiteralKind::Int)
        {
            let at = &mut self.cx.body.exprs[value];
            (at.kind, at.ty) = (ExprKind::Literal(Literal::Int(convert::wrap(n, Scalar::I32)), None), TypeId::INT);
        }
    }

    /// Literals that were converted for an operator between them are still of no type.
    pub(super) fn stay_literals(&mut self, operands: [ExprId; 2]) {
        for id in operands {
            if matches!(self.kind(id), ExprKind::Literal(..)) {
                self.cx.literals.insert(id, LiteralKind::Int);
            }
        }
    }

    /// As [`Self::exact_literal`], of operands of which the operator sees more than the low bits.
    pub(super) fn exact_operands(&mut self, op: BinaryOp, left: ExprId, right: ExprId) {
        let low = matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Shl
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
        );
        if low || self.language() != Language::Hlsl {
            return;
        }
        if [left, right].iter().all(|id| self.literal(*id) == LiteralKind::Int) {
            self.whole_literal(left, None);
            self.whole_literal(right, None);
        }
    }

    /// Puts the exact value of an expression of literals in its place, if the one in its type is another.
    pub(super) fn whole_literal(&mut self, value: ExprId, to: Option<Scalar>) {
        let Some(exact) = self.exact_value(value) else { return };
        if self.known_value(value).ok().and_then(|v| v.int()) == Some(exact) {
            return;
        }
        let (literal, scalar) = match to {
            Some(to) if to.is_float() => (Literal::Float(exact as f64), Scalar::F32),
            _ if i32::try_from(exact).is_ok() => (Literal::Int(exact), Scalar::I32),
            _ if u32::try_from(exact).is_ok() => (Literal::Int(exact), Scalar::U32),
            _ => (Literal::Int(exact), Scalar::I64),
        };
        let ty = self.program.types.scalar(scalar);
        let at = &mut self.cx.body.exprs[value];
        (at.kind, at.ty) = (ExprKind::Literal(literal, None), ty);
        if !scalar.is_float() {
            self.cx.literals.insert(value, LiteralKind::Int);
        }
    }

    /// The value of an expression of literals, computed in 64 bits.
    fn exact_value(&mut self, value: ExprId) -> Option<i64> {
        // A number is one in any type.
        if let ExprKind::Literal(Literal::Int(value), _) = *self.kind(value) {
            return Some(value);
        }
        let wide = self.copy(value);
        self.retype_literal(wide, Scalar::I64);
        self.known_value(wide).ok()?.int()
    }

    /// Gives an expression of literals, and what it is computed of, another type.
    fn retype_literal(&mut self, id: ExprId, scalar: Scalar) {
        let ty = self.program.types.scalar(scalar);
        for id in self.cx.body.exprs.post_order(id) {
            self.cx.body.exprs[id].ty = ty;
        }
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
                self.signed_literal(value, ty);
                self.convert(value, ty, false)
            }
            None => value,
        }
    }
}
