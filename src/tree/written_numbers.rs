//! Numbers of declarations as the source has them: the sizes of `float4 lights[COUNT]`, the arguments of `[numthreads(TILE, TILE, 1)]`,
//! where macros or named constants are in them.
//!
//! Types and attributes hold the numbers alone, so that what is equal is equal however it is spelled.

use super::body::{ExprTree, Hints};
use super::{AttributeArg, ExprKind, Function, GlobalId, Length, Program, Type, TypeId};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// A number and how the source has it.
#[derive(Clone, Debug)]
pub struct WrittenNumber {
    /// What it is.
    pub value: i64,
    /// The expression.
    pub tree: ExprTree,
}

impl WrittenNumber {
    /// The constants that it names.
    pub fn constants(&self) -> impl Iterator<Item = GlobalId> + '_ {
        self.tree.exprs.iter().filter_map(|(_, expr)| match expr.kind {
            ExprKind::Global(id) => Some(id),
            _ => None,
        })
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
    /// Whether a constant is in any.
    has_constants: bool,
}

impl WrittenNumbers {
    /// Adds those behind a name.
    pub fn insert(&mut self, name: Span, numbers: Vec<Option<WrittenNumber>>) {
        self.has_constants |= numbers.iter().flatten().any(|number| number.constants().next().is_some());
        self.numbers.insert(name, numbers);
    }

    /// Forgets those with constants behind a name.
    pub fn forget_constants(&mut self, name: Span) {
        for number in self.numbers.get_mut(&name).into_iter().flatten() {
            *number = number.take().filter(|number| number.constants().next().is_none());
        }
    }

    /// A number as the source has it, if it still is what that says.
    pub fn get(&self, (name, at, of): NumberPlace, number: i64) -> Option<&WrittenNumber> {
        let known = self.numbers.get(&name).filter(|known| known.len() == of)?;
        known.get(at)?.as_ref().filter(|known| known.value == number)
    }

    /// The constants that a number names.
    pub fn constants(&self, place: NumberPlace, number: i64) -> impl Iterator<Item = GlobalId> + '_ {
        let known = if self.has_constants { self.get(place, number) } else { None };
        known.into_iter().flat_map(WrittenNumber::constants)
    }

    /// Whether a constant may be in any.
    pub fn has_constants(&self) -> bool {
        self.has_constants
    }

    /// The constants in all of them.
    pub fn all_constants(&self) -> impl Iterator<Item = GlobalId> + '_ {
        #[expect(clippy::disallowed_methods, reason = "who asks puts them into a set")]
        let numbers = self.numbers.values().filter(|_| self.has_constants);
        numbers.flatten().flatten().flat_map(WrittenNumber::constants)
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

    /// The constants that name the sizes of what has a name and a type.
    pub fn size_constants(&self, name: Span, ty: TypeId) -> Vec<GlobalId> {
        let lengths = self.lengths(ty);
        let constants = |(at, length): (usize, &Length)| match *length {
            Length::Fixed(n) => Some(self.written_numbers.constants((name, at, lengths.len()), n.into())),
            Length::Unsized | Length::Constant(_) => None,
        };
        lengths.iter().enumerate().filter_map(constants).flatten().collect()
    }

    /// Calls `f` with each number of a function besides the sizes of arrays.
    pub fn each_number(&self, function: &Function, f: &mut dyn FnMut(NumberOf, NumberPlace, i64)) {
        for attribute in &function.attributes {
            let is_group = attribute.name.as_str().eq_ignore_ascii_case("numthreads");
            let of = if is_group { NumberOf::Group } else { NumberOf::Attribute };
            for (at, arg) in attribute.args.iter().enumerate() {
                if let AttributeArg::Int(number) = arg {
                    f(of, (attribute.span, at, attribute.args.len()), *number);
                }
            }
        }
        for local in function.params.iter().map(|param| &function.code.locals[param.local]) {
            if let Type::MeshOutput(_, _, count) = self.types.get(local.ty) {
                f(NumberOf::Attribute, (local.span, 0, 1), count.into());
            }
        }
        function.code.block.visit(&mut |stmt| {
            if let Some(Hints { unroll: Some(Some(rounds)), unroll_name, .. }) = stmt.hints() {
                f(NumberOf::Attribute, (*unroll_name, 0, 1), (*rounds).into());
            }
        });
    }
}
