//! Structs, vectors and matrices of arguments that Slang's implicit constructors take.
//!
//! `struct S { float4 a; uint k; }  S s = { 1, 2 };` is `a = float4(1, 1, 1, 1)`, `k = 2`: each value is converted to a field. Only
//! values that are too many, or do not convert, are components one after the other, as in HLSL (`init`).

use super::overload::{ArgKind, CallArg};
use super::{Checker, convert};
use crate::ast::{self, ExprKind as Ast};
use crate::source::Span;
use crate::tree::{ExprId, ExprKind, Type, TypeId};
use std::collections::VecDeque;

/// The arguments, if none is a list.
pub(super) fn values_of(args: &[CallArg]) -> Option<Vec<ExprId>> {
    let value = |arg: &CallArg| match arg.kind {
        ArgKind::Value(value, ..) => Some(value),
        ArgKind::List(_) => None,
    };
    args.iter().map(value).collect()
}

impl<'a> Checker<'a> {
    /// A struct whose first fields take these arguments one by one, each converted, as the implicit constructor of Slang does.
    pub(super) fn memberwise(&mut self, ty: TypeId, args: &[CallArg<'a>], span: Span) -> Option<ExprId> {
        let fields = self.initialized_fields(ty)?;
        let fits = |c: &mut Self, field: TypeId, arg: &CallArg| match arg.kind {
            ArgKind::Value(_, ty, literal) => {
                c.conversion_rank(ty, field, literal).is_some() || !c.constructors(field).is_empty()
            }
            ArgKind::List(_) => true,
        };
        if args.len() > fields.len() || !fields.iter().zip(args).all(|(field, arg)| fits(self, *field, arg)) {
            return None;
        }
        let mut values = VecDeque::new();
        for (field, arg) in fields.into_iter().zip(args) {
            values.push_back(match arg.kind {
                ArgKind::Value(value, ..) => self.part(value, field),
                ArgKind::List(list) => self.expr_to(list, field),
            });
        }
        Some(self.made_of_members(ty, &mut values, span))
    }

    /// The types of the fields that the implicit constructor of a struct takes, those of its base first. A base with constructors
    /// has no such list.
    fn initialized_fields(&mut self, ty: TypeId) -> Option<Vec<TypeId>> {
        let Type::Struct(id) = self.program.types.get(ty) else { return None };
        let fields: Vec<TypeId> = self.program.structs[id].fields.iter().map(|f| f.ty).collect();
        let mut list = Vec::new();
        for (index, field) in fields.into_iter().enumerate() {
            if index == 0 && self.has_base(ty) {
                if !self.constructors(field).is_empty() {
                    return None;
                }
                list = self.initialized_fields(field)?;
            } else if !self.is_hidden(ty, index) {
                list.push(field);
            }
        }
        Some(list)
    }

    pub(super) fn has_base(&self, ty: TypeId) -> bool {
        self.structs.instance(ty).is_some_and(|i| i.base.is_some())
    }

    /// A struct of the values of its first [`Self::initialized_fields`].
    fn made_of_members(&mut self, ty: TypeId, values: &mut VecDeque<ExprId>, span: Span) -> ExprId {
        let Type::Struct(id) = self.program.types.get(ty) else { return self.error_value(span) };
        let fields: Vec<TypeId> = self.program.structs[id].fields.iter().map(|f| f.ty).collect();
        let mut parts = Vec::new();
        for (index, field) in fields.into_iter().enumerate() {
            let of_base = index == 0 && self.has_base(ty) && !values.is_empty();
            let next = if of_base || self.is_hidden(ty, index) { None } else { values.pop_front() };
            parts.push(match next {
                Some(value) => value,
                None if of_base => self.made_of_members(field, values, span),
                None => self.field_default(ty, index, field, span),
            });
        }
        self.push(ExprKind::Construct(parts), ty, span)
    }

    /// Whether a list in Slang may be the arguments of an implicit constructor, by their number.
    pub(super) fn may_be_arguments(&mut self, list: &'a [ast::Expr], ty: TypeId) -> bool {
        let spread = || list.iter().any(|e| matches!(e.kind, Ast::Expand(_)));
        match self.program.types.get(ty) {
            Type::Struct(_) if self.existential(ty).is_none() => {
                self.initialized_fields(ty).is_some_and(|fields| list.len() <= fields.len()) || spread()
            }
            Type::Vector(..) => list.len() == 1 || list.len() == 2,
            Type::Matrix(_, rows, _) => list.len() == 1 || list.len() == usize::from(rows),
            _ => false,
        }
    }

    /// A vector or matrix in Slang of a scalar, or of rows of which scalars are all the components.
    pub(super) fn of_splats(&mut self, ty: TypeId, list: &[ExprId], span: Span) -> Option<ExprId> {
        let (component, shape) = convert::numeric(&self.program.types, ty)?;
        let values: Vec<ExprId> = list.iter().map(|value| self.plain(*value)).collect();
        let types = &self.program.types;
        let count = |value: ExprId| convert::numeric(types, self.ty(value)).map(|(_, shape)| shape.count());
        let counts: Option<Vec<u32>> = values.iter().map(|value| count(*value)).collect();
        let part = match (shape, counts?.as_slice()) {
            (_, [1]) => ty,
            // Slang took the scalar for two components before 2026.
            (convert::Shape::Vector(4), [1, 2] | [2, 1]) => self.program.types.vector(component, 2),
            (convert::Shape::Matrix(rows, columns), counts)
                if columns > 1
                    && counts.len() == usize::from(rows)
                    && counts.iter().all(|n| *n == 1 || *n == u32::from(columns)) =>
            {
                self.program.types.vector(component, columns)
            }
            _ => return None,
        };
        let parts: Vec<ExprId> = values.into_iter().map(|value| self.part(value, part)).collect();
        match parts.as_slice() {
            [only] => Some(*only),
            _ => Some(self.push(ExprKind::Construct(parts), ty, span)),
        }
    }
}
