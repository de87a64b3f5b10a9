//! Numbers of declarations as the source has them: the sizes of `float4 lights[COUNT]`, the arguments of `[numthreads(TILE, TILE, 1)]`,
//! where macros or named constants are in them.
//!
//! Types and attributes hold the numbers alone, so that what is equal is equal however it is spelled.

use super::body::{Body, ExprTree, Hints, StmtKind};
use super::{AttributeArg, EnumId, ExprArena, ExprKind, Function, GlobalId, Item, Length, Program, Type, TypeId};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A number and how the source has it.
#[derive(Clone, Debug)]
pub struct WrittenNumber {
    /// What it is.
    pub value: i64,
    /// The expression.
    pub tree: ExprTree,
}

/// What the name in a number is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NumberName {
    /// A constant.
    Constant(GlobalId),
    /// A case of an enum.
    Case(EnumId, u32),
}

impl NumberName {
    /// Of an expression that is one.
    pub fn of(kind: &ExprKind) -> Option<NumberName> {
        match *kind {
            ExprKind::Global(id) => Some(NumberName::Constant(id)),
            ExprKind::EnumCase(id, case) => Some(NumberName::Case(id, case)),
            _ => None,
        }
    }

    /// The expression that it is.
    pub fn expr(self) -> ExprKind {
        match self {
            NumberName::Constant(id) => ExprKind::Global(id),
            NumberName::Case(id, case) => ExprKind::EnumCase(id, case),
        }
    }

    /// What declares it.
    pub fn item(self) -> Item {
        match self {
            NumberName::Constant(id) => Item::Global(id),
            NumberName::Case(id, _) => Item::Enum(id),
        }
    }
}

impl WrittenNumber {
    /// The names in it.
    pub fn names(&self) -> impl Iterator<Item = NumberName> + '_ {
        self.tree.exprs.iter().filter_map(|(_, expr)| NumberName::of(&expr.kind))
    }
}

/// Where a number stands: behind which name, and which one it is of how many there.
pub type NumberPlace = (Span, usize, usize);

/// What a number of a function besides the sizes of arrays is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberOf {
    /// The size of a work group.
    Group,
    /// What another attribute has, or the most that a mesh shader gives.
    Attribute,
}

/// Those of a program by the names of what is declared and of attributes.
#[derive(Clone, Debug, Default)]
pub struct WrittenNumbers {
    /// `None` for what neither a macro nor a constant is in.
    numbers: FxHashMap<Span, Vec<Option<WrittenNumber>>>,
    /// Whether a constant, or a case of an enum, is in any.
    has_names: bool,
}

impl WrittenNumbers {
    /// Adds those behind a name.
    pub fn insert(&mut self, name: Span, numbers: Vec<Option<WrittenNumber>>) {
        self.has_names |= numbers.iter().flatten().any(|number| number.names().next().is_some());
        self.numbers.insert(name, numbers);
    }

    /// Forgets those with names behind a name.
    pub fn forget_names(&mut self, name: Span) {
        for number in self.numbers.get_mut(&name).into_iter().flatten() {
            *number = number.take().filter(|number| number.names().next().is_none());
        }
    }

    /// Forgets those with some names in them.
    pub fn forget_uses(&mut self, names: &BTreeSet<NumberName>) {
        #[expect(clippy::disallowed_methods, reason = "each is changed by itself")]
        for number in self.numbers.values_mut().flatten() {
            *number = number.take().filter(|number| !number.names().any(|name| names.contains(&name)));
        }
    }

    /// Calls `f` with the expressions of each number, to change them.
    pub fn each_exprs_mut(&mut self, f: &mut dyn FnMut(&mut ExprArena)) {
        #[expect(clippy::disallowed_methods, reason = "each is changed by itself")]
        for number in self.numbers.values_mut().flatten().flatten() {
            f(&mut number.tree.exprs);
        }
    }

    /// The names in all numbers.
    pub fn all_names(&self) -> impl Iterator<Item = NumberName> + '_ {
        #[expect(clippy::disallowed_methods, reason = "they become a set")]
        let numbers = self.numbers.values().filter(|_| self.has_names);
        numbers.flatten().flatten().flat_map(WrittenNumber::names)
    }

    /// A number as the source has it, if it still is what that says.
    pub fn get(&self, (name, at, of): NumberPlace, number: i64) -> Option<&WrittenNumber> {
        let known = self.numbers.get(&name).filter(|known| known.len() == of)?;
        known.get(at)?.as_ref().filter(|known| known.value == number)
    }

    /// The names in a number.
    pub fn names(&self, place: NumberPlace, number: i64) -> impl Iterator<Item = NumberName> + '_ {
        let known = if self.has_names { self.get(place, number) } else { None };
        known.into_iter().flat_map(WrittenNumber::names)
    }

    /// Whether a constant, or a case of an enum, may be in any.
    pub fn has_names(&self) -> bool {
        self.has_names
    }
}

impl Program {
    /// The sizes of an array from the outermost on.
    pub fn lengths(&self, ty: TypeId) -> Vec<Length> {
        let (mut ty, mut lengths) = (ty, Vec::new());
        while let Some((element, length)) = self.types.array_parts(ty) {
            lengths.push(length);
            ty = element;
        }
        lengths
    }

    /// The names in the sizes of what has a name and a type.
    pub fn size_names(&self, name: Span, ty: TypeId) -> Vec<NumberName> {
        if !self.written_numbers.has_names() {
            return Vec::new();
        }
        let lengths = self.lengths(ty);
        let names = |(at, length): (usize, &Length)| match *length {
            Length::Fixed(n) => Some(self.written_numbers.names((name, at, lengths.len()), n.into())),
            Length::Unsized | Length::Constant(_) => None,
        };
        lengths.iter().enumerate().filter_map(names).flatten().collect()
    }

    /// The names in numbers of a function of this code.
    pub fn number_names(&self, function: &Function, code: &Body) -> Vec<NumberName> {
        let mut found = Vec::new();
        if !self.written_numbers.has_names() {
            return found;
        }
        let mut of_local = |id| found.extend(self.size_names(code.locals[id].span, code.locals[id].ty));
        function.params.iter().for_each(|param| of_local(param.local));
        code.block.visit(&mut |stmt| {
            if let StmtKind::Local(local, _) = stmt.kind {
                of_local(local);
            }
        });
        self.each_number(function, code, &mut |_, place, number| {
            found.extend(self.written_numbers.names(place, number));
        });
        found
    }

    /// Calls `f` with each number of a function of this code besides the sizes of arrays.
    pub fn each_number(&self, function: &Function, code: &Body, f: &mut dyn FnMut(NumberOf, NumberPlace, i64)) {
        for attribute in &function.attributes {
            let is_group = attribute.name.as_str().eq_ignore_ascii_case("numthreads");
            let of = if is_group { NumberOf::Group } else { NumberOf::Attribute };
            for (at, arg) in attribute.args.iter().enumerate() {
                if let AttributeArg::Int(number) = arg {
                    f(of, (attribute.span, at, attribute.args.len()), *number);
                }
            }
        }
        for local in function.params.iter().map(|param| &code.locals[param.local]) {
            if let Type::MeshOutput(_, _, count) = self.types.get(local.ty) {
                f(NumberOf::Attribute, (local.span, 0, 1), count.into());
            }
        }
        code.block.visit(&mut |stmt| {
            if let Some(Hints { unroll: Some(Some(rounds)), unroll_name, .. }) = stmt.hints() {
                f(NumberOf::Attribute, (*unroll_name, 0, 1), (*rounds).into());
            }
        });
    }
}
