//! HLSL: a literal text where an array is meant: of the codes of its characters, with a zero behind them.

use super::Checker;
use super::overload::{ArgKind, CallArg, Candidates};
use crate::parse::Language;
use crate::tree::{ExprId, ExprKind, Length, Literal, Type, TypeId};

impl<'a> Checker<'a> {
    /// The arguments of a call of the user's functions with the texts among them as arrays: no parameter takes a text there.
    pub(super) fn texts_as_arrays(
        &mut self,
        candidates: &Candidates<'a>,
        args: &[CallArg<'a>],
    ) -> Option<Vec<CallArg<'a>>> {
        let is_text = |arg: &CallArg<'a>| arg.ty().is_some_and(|(ty, _)| self.program.types.get(ty) == Type::Text);
        if !args.iter().any(is_text) || candidates.decls.iter().any(|decl| self.source_of(*decl).builtin) {
            return None;
        }
        let mut list = args.to_vec();
        for arg in &mut list {
            if let ArgKind::Value(value, ..) = arg.kind
                && let Some(array) = self.text_as_array(value)
            {
                *arg = self.value_arg_of(array);
            }
        }
        Some(list)
    }

    /// A literal text in HLSL as an array. A character is an `int`, as a literal one is.
    pub(super) fn text_as_array(&mut self, value: ExprId) -> Option<ExprId> {
        let ExprKind::Literal(Literal::Text(text), _) = *self.kind(value) else { return None };
        if self.language() != Language::Hlsl {
            return None;
        }
        let span = self.span(value);
        let codes: Vec<i64> = text.as_str().bytes().map(|byte| i64::from(byte.cast_signed())).chain([0]).collect();
        let length = Length::Fixed(u32::try_from(codes.len()).ok()?);
        let codes = codes.into_iter().map(|code| self.int_value(code, TypeId::INT, span)).collect();
        let ty = self.program.types.intern(Type::Array(TypeId::INT, length));
        Some(self.push(ExprKind::Construct(codes), ty, span))
    }
}
