//! Whole numbers as the source has them where what is around them decides on their type: `x * 2` of a `float`, `float4(0, 0, 0, 1)`.

use super::expr::{Exprs, Prec};
use super::literal::is_plain;
use crate::tree::*;

/// Deeper expressions are taken for literals.
const DEPTH: u32 = 16;

impl Exprs<'_> {
    /// A number, or a negated one, without the suffix or point of its type, if the source has it so and the language takes it.
    pub(super) fn adapting(&self, id: ExprId, out: &mut String) -> Option<Prec> {
        if let ExprKind::Select(c, a, b) = *self.kind(id) {
            return self.adapting_choice((c, a, b), out);
        }
        if let Some(prec) = self.adapting_operation(id, out) {
            return Some(prec);
        }
        let (number, sign) = match *self.kind(id) {
            ExprKind::Unary(UnaryOp::Negate, inner) => (inner, "-"),
            _ => (id, ""),
        };
        let (ExprKind::Literal(literal, spelling), Type::Scalar(scalar)) = (self.kind(number), self.ty(number)) else {
            return None;
        };
        // `-1` is no unsigned number, and what is an argument of a macro is written by its name.
        let is_other = scalar.is_unsigned() && !sign.is_empty() || self.cx.macros.is_in_call();
        let spelling = spelling.as_ref().filter(|_| !is_other)?;
        if let Some(named) = [id, number].into_iter().find(|id| self.arena[*id].span.file.is_named()) {
            // The sign is the macro's, or stands before it.
            let signs = if named == number { (sign, "") } else { ("", sign) };
            return self.adapting_macro((named, scalar), (*literal, spelling.as_str()), signs, out);
        }
        out.push_str(sign);
        match self.dialect.literals().adapting(scalar, *literal, spelling.as_str()) {
            Some(text) => out.push_str(text),
            None => {
                out.truncate(out.len() - sign.len());
                return None;
            }
        }
        Some(if sign.is_empty() { Prec::Postfix } else { Prec::Unary })
    }

    /// A choice from two such numbers.
    fn adapting_choice(&self, (c, a, b): (ExprId, ExprId, ExprId), out: &mut String) -> Option<Prec> {
        let is_scalar = |id: ExprId| matches!(self.ty(id), Type::Scalar(_));
        if !self.dialect.literals().adapts || ![c, a, b].into_iter().all(is_scalar) {
            return None;
        }
        // Of others the condition is not written.
        let mut numbers = (String::new(), String::new());
        self.adapting(a, &mut numbers.0)?;
        self.adapting(b, &mut numbers.1)?;
        self.operand(self.condition_of(c), Prec::Or, out);
        self.operator(c, "?", a, out);
        out.push_str(&numbers.0);
        self.operator(a, ":", b, out);
        out.push_str(&numbers.1);
        Some(Prec::Ternary)
    }

    /// An operation on such numbers that gives the same with a sign and without: `1 << 3` of a `uint`.
    fn adapting_operation(&self, id: ExprId, out: &mut String) -> Option<Prec> {
        let is_unsigned = self.ty(id) == Type::Scalar(Scalar::U32);
        let adapts = is_unsigned && self.dialect.literals().adapts && !self.cx.macros.is_in_call();
        (adapts && self.is_whole_operation(id)).then(|| self.cx.whole_numbers(|| self.print(id, out)))
    }

    /// Whether an operation is one on numbers that have no suffixes, and gives the same with a sign and without.
    pub(super) fn is_whole_operation(&self, id: ExprId) -> bool {
        matches!(self.kind(id), ExprKind::Binary(..)) && self.whole_value(id, DEPTH).is_some()
    }

    /// What numbers that are written without suffixes come to, if no part of them is negative or large.
    fn whole_value(&self, id: ExprId, depth: u32) -> Option<i64> {
        let of = |id: ExprId| self.whole_value(id, depth.checked_sub(1)?);
        let value = match *self.kind(id) {
            ExprKind::Literal(Literal::Int(value), Some(_)) if self.is_whole(id) => value,
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                match op {
                    BinaryOp::Add => a + b,
                    BinaryOp::Sub => a - b,
                    BinaryOp::Mul => a.checked_mul(b)?,
                    BinaryOp::Div => a.checked_div(b)?,
                    BinaryOp::Rem => a.checked_rem(b)?,
                    BinaryOp::BitAnd => a & b,
                    BinaryOp::BitOr => a | b,
                    BinaryOp::BitXor => a ^ b,
                    BinaryOp::Shl if b < 31 => a << b,
                    BinaryOp::Shr if b < 31 => a >> b,
                    _ => return None,
                }
            }
            _ => return None,
        };
        (0..=i64::from(i32::MAX)).contains(&value).then_some(value)
    }

    /// Whether the source has a number without a suffix.
    fn is_whole(&self, id: ExprId) -> bool {
        let (ExprKind::Literal(literal, Some(spelling)), Type::Scalar(scalar)) = (self.kind(id), self.ty(id)) else {
            return false;
        };
        match *literal {
            Literal::Int(value) => scalar == Scalar::I32 || scalar == Scalar::U32 && is_plain(value, spelling.as_str()),
            Literal::Float(_) | Literal::Bool(_) | Literal::Text(_) => false,
        }
    }

    /// The type that a literal is written in.
    pub(super) fn literal_scalar(&self, id: ExprId) -> Option<Scalar> {
        let own = self.cx.program.types.component(self.type_id(id));
        if self.cx.are_numbers_whole() && self.is_whole(id) { Some(Scalar::I32) } else { own }
    }

    /// The name of a macro that stands for such a number.
    fn adapting_macro(
        &self,
        (id, scalar): (ExprId, Scalar),
        (literal, spelling): (Literal, &str),
        (sign, own_sign): (&str, &str),
        out: &mut String,
    ) -> Option<Prec> {
        let (span, literals) = (self.arena[id].span, self.dialect.literals());
        if own_sign.is_empty() && !self.cx.macros.may_be(span, literal) {
            return None;
        }
        let text = format!("{own_sign}{}", literals.adapting(scalar, literal, spelling)?);
        let prec = if own_sign.is_empty() { Prec::Postfix } else { Prec::Unary };
        out.push_str(sign);
        let print = |out: &mut String| {
            out.push_str(&text);
            prec
        };
        let written = self.cx.macros.use_of(&self.cx.trivia, out, |out| self.cx.macros.write(span, true, out, &print));
        Some(if sign.is_empty() { written } else { Prec::Unary })
    }

    /// An operand that takes the type of the other one.
    pub(super) fn adapting_operand(&self, op: BinaryOp, id: ExprId, other: ExprId, out: &mut String) -> Option<Prec> {
        let component = |id: ExprId| self.cx.program.types.component(self.type_id(id));
        // A distance says nothing of what is moved.
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        if is_shift || component(id) != component(other) {
            return None;
        }
        // Beside a number alone, the vector is what this operand says; so is one that the source says.
        let is_widened =
            self.type_id(other) == self.type_id(id) && !matches!(self.kind(id), ExprKind::Convert(_, true));
        let of_own_kind = |inner: &ExprId| is_widened && component(*inner) == component(id);
        let scalar = self.splat_source(id).filter(of_own_kind).unwrap_or(id);
        let start = out.len();
        let prec = self.adapting(scalar, out)?;
        if self.is_typed(other, DEPTH) {
            return Some(prec);
        }
        out.truncate(start);
        None
    }

    /// Writes an argument of a builtin that adapts.
    pub(super) fn adapting_argument(&self, args: &[ExprId], n: u32, out: &mut String) -> bool {
        let Some(arg) = args.get(n as usize) else { return false };
        let printed = self.dialect.template_argument(self, args, *arg);
        self.adapting(printed, out).is_some()
    }

    /// Whether whole numbers among the arguments of a builtin take the types of its parameters: those of all are of one kind and
    /// one has a type of its own, or it is one of textures or rays, whose parameters have the same types for all calls.
    pub(super) fn arguments_adapt(&self, callee: &Function, args: &[ExprId]) -> bool {
        if !self.dialect.literals().adapts {
            return false;
        }
        let is_fixed = |arg: &ExprId| matches!(self.ty(*arg), Type::Sampler(_) | Type::AccelerationStructure);
        if args.iter().any(is_fixed) {
            return true;
        }
        let kind = |arg: &ExprId| match self.ty(*arg) {
            Type::Scalar(scalar) | Type::Vector(scalar, _) | Type::Matrix(scalar, ..) => Some(scalar),
            _ => None,
        };
        let mut kinds = args.iter().map(kind);
        let first = kinds.next().flatten();
        let is_one = first.is_some() && kinds.all(|other| other == first);
        let reads = callee.params.iter().all(|param| param.mode == ParamMode::In);
        is_one && reads && args.iter().any(|arg| self.is_typed(*arg, DEPTH))
    }

    /// Whether the text of an expression has a type of its own, whatever is around it.
    fn is_typed(&self, id: ExprId, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let is = |id: ExprId| self.is_typed(id, depth);
        match *self.kind(id) {
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Contents(_)
            | ExprKind::MatrixSwizzle(..)
            | ExprKind::Assign(..)
            | ExprKind::Step(..)
            | ExprKind::Deref(_) => true,
            ExprKind::Construct(_) => !matches!(self.ty(id), Type::Scalar(_)),
            // One that is left out, or made of a literal, is none.
            ExprKind::Convert(inner, _) | ExprKind::Swizzle(inner, _) | ExprKind::Unary(_, inner) => is(inner),
            ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, a, _) => is(a),
            ExprKind::Binary(_, a, b) => is(a) || is(b),
            ExprKind::Call(function, ref args) => match self.cx.program.functions[function].body {
                FunctionBody::Intrinsic(_) => args.iter().any(|arg| is(*arg)),
                FunctionBody::None | FunctionBody::Block | FunctionBody::Switch(_) => true,
            },
            // One that adapts nowhere is written with its suffix.
            ExprKind::Literal(literal, spelling) => {
                let (literals, Type::Scalar(scalar)) = (self.dialect.literals(), self.ty(id)) else { return false };
                spelling.is_some_and(|spelling| literals.has_own_type(scalar, literal, spelling.as_str()))
            }
            ExprKind::EnumCase(..)
            | ExprKind::Select(..)
            | ExprKind::Comma(..)
            | ExprKind::Native(..)
            | ExprKind::Property(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Zero => false,
        }
    }
}
