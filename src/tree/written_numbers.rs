//! Numbers of declarations as the source has them: the sizes of `float4 lights[COUNT]`, the arguments of `[numthreads(TILE, TILE, 1)]`,
//! where macros or named constants are in them.
//!
//! Constants of functions are among those: `const int taps = 8; float weights[taps];`. They are known by the places of their names,
//! since each function that came of one in the source has variables of its own.
//!
//! Types and attributes hold the numbers alone, so that what is equal is equal however it is spelled.

use super::body::{Body, ExprTree, Hints, Local, Stmt, StmtKind};
use super::{
    Arena, AttributeArg, EnumId, ExprArena, ExprKind, Function, GlobalId, Id, Item, Length, LocalId, Program, Type,
    TypeId,
};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// A number and how the source has it.
#[derive(Clone, Debug)]
pub struct WrittenNumber {
    /// What it is, if no constants of functions are in it.
    pub value: i64,
    /// The expression. A variable in it is one of `locals`.
    pub tree: ExprTree,
    /// Where the names are declared of the constants of functions that are in it.
    pub locals: Vec<Span>,
}

/// What the name in a number is of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NumberName {
    /// A constant.
    Constant(GlobalId),
    /// A case of an enum.
    Case(EnumId, u32),
    /// A constant variable of the function, by the place of its name, and its type.
    Local(Span, TypeId),
}

impl NumberName {
    /// Of an expression that is one beside variables.
    pub fn of(kind: &ExprKind) -> Option<NumberName> {
        match *kind {
            ExprKind::Global(id) => Some(NumberName::Constant(id)),
            ExprKind::EnumCase(id, case) => Some(NumberName::Case(id, case)),
            _ => None,
        }
    }

    /// What declares it, if a function does not.
    pub fn item(self) -> Option<Item> {
        match self {
            NumberName::Constant(id) => Some(Item::Global(id)),
            NumberName::Case(id, _) => Some(Item::Enum(id)),
            NumberName::Local(..) => None,
        }
    }
}

impl WrittenNumber {
    /// The names in it beside those of constants of functions.
    pub fn names(&self) -> impl Iterator<Item = NumberName> + '_ {
        self.tree.exprs.iter().filter_map(|(_, expr)| NumberName::of(&expr.kind))
    }

    /// Whether anything is named in it.
    fn has_names(&self) -> bool {
        !self.locals.is_empty() || self.names().next().is_some()
    }

    /// Its variable for the constant of a function whose name is declared there.
    pub fn local(locals: &mut Vec<Span>, name: Span) -> LocalId {
        let at = locals.iter().position(|known| *known == name).unwrap_or_else(|| {
            locals.push(name);
            locals.len() - 1
        });
        Id::from_index(at)
    }

    /// Constants of the module have moved into functions.
    fn move_constants(&mut self, moved: &dyn Fn(GlobalId) -> Option<Span>) {
        for (_, expr) in self.tree.exprs.iter_mut() {
            if let ExprKind::Global(id) = expr.kind
                && let Some(name) = moved(id)
            {
                expr.kind = ExprKind::Local(WrittenNumber::local(&mut self.locals, name));
            }
        }
    }
}

/// Where a number stands: behind which name, and which one it is of how many there.
pub type NumberPlace = (Span, usize, usize);

/// What a number of a function besides the sizes of arrays is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberOf {
    /// The size of a work group.
    Group,
    /// What another attribute has, the most that a mesh shader gives, or the points of a patch.
    Attribute,
}

/// Those of a program by the names of what is declared and of attributes.
#[derive(Clone, Debug, Default)]
pub struct WrittenNumbers {
    /// `None` for what neither a macro nor a constant is in.
    numbers: FxHashMap<Span, Vec<Option<WrittenNumber>>>,
    /// Whether a constant, or a case of an enum, is in any.
    has_names: bool,
    /// Whether a constant of a function is in any.
    has_locals: bool,
}

impl WrittenNumbers {
    /// Adds those behind a name.
    pub fn insert(&mut self, name: Span, numbers: Vec<Option<WrittenNumber>>) {
        self.has_names |= numbers.iter().flatten().any(WrittenNumber::has_names);
        self.has_locals |= numbers.iter().flatten().any(|number| !number.locals.is_empty());
        self.numbers.insert(name, numbers);
    }

    /// Forgets those with names behind a name.
    pub fn forget_names(&mut self, name: Span) {
        for number in self.numbers.get_mut(&name).into_iter().flatten() {
            *number = number.take().filter(|number| !number.has_names());
        }
    }

    /// Forgets those with some names in them.
    pub fn forget_uses(&mut self, names: &FxHashSet<NumberName>) {
        #[expect(clippy::disallowed_methods, reason = "each is changed by itself")]
        for number in self.numbers.values_mut().flatten() {
            *number = number.take().filter(|number| !number.names().any(|name| names.contains(&name)));
        }
    }

    /// Constants of the module have moved into functions, with names declared in these places.
    pub fn move_constants(&mut self, moved: &dyn Fn(GlobalId) -> Option<Span>) {
        #[expect(clippy::disallowed_methods, reason = "each is changed by itself")]
        for number in self.numbers.values_mut().flatten().flatten() {
            number.move_constants(moved);
            self.has_locals |= !number.locals.is_empty();
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

    /// A number as the source has it, if it still is what that says. It is not asked what constants of functions are.
    pub fn get(&self, (name, at, of): NumberPlace, number: i64) -> Option<&WrittenNumber> {
        let known = self.numbers.get(&name).filter(|known| known.len() == of)?;
        known.get(at)?.as_ref().filter(|known| known.value == number || !known.locals.is_empty())
    }

    /// Whether something is named in a number.
    pub fn is_named(&self, place: NumberPlace, number: i64) -> bool {
        self.has_names && self.get(place, number).is_some_and(WrittenNumber::has_names)
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

    /// Whether a constant of a function may be in any.
    pub fn has_locals(&self) -> bool {
        self.has_locals
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
        // A block that is its only member has the size of that.
        let lengths = self.lengths(match self.types.get(ty) {
            Type::ConstantBuffer(member, _) | Type::TextureBuffer(member) => member,
            _ => ty,
        });
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
        let params = function.params.iter().map(|param| &code.locals[param.local]);
        found.extend(params.flat_map(|local| self.size_names(local.span, local.ty)));
        self.each_own_number(function, code, &mut |_, place, number| {
            found.extend(self.written_numbers.names(place, number));
        });
        found.extend(code.block.stmts.iter().flat_map(|stmt| self.numbers_in(&code.locals, stmt)));
        found
    }

    /// The names in numbers of a statement of these variables, and of those in it.
    pub fn numbers_in(&self, locals: &Arena<LocalId, Local>, stmt: &Stmt) -> Vec<NumberName> {
        let mut found = Vec::new();
        stmt.visit(&mut |stmt| {
            if let StmtKind::Local(local, _) = stmt.kind {
                found.extend(self.size_names(locals[local].span, locals[local].ty));
            }
            hint_number(stmt, &mut |_, place, number| found.extend(self.written_numbers.names(place, number)));
        });
        found
    }

    /// Calls `f` with each number of a function of this code besides the sizes of arrays.
    pub fn each_number(&self, function: &Function, code: &Body, f: &mut dyn FnMut(NumberOf, NumberPlace, i64)) {
        self.each_own_number(function, code, f);
        code.block.visit(&mut |stmt| hint_number(stmt, f));
    }

    /// The same without those of its statements.
    fn each_own_number(&self, function: &Function, code: &Body, f: &mut dyn FnMut(NumberOf, NumberPlace, i64)) {
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
            if let Type::MeshOutput(_, _, count) | Type::Patch(_, _, count) = self.types.get(local.ty) {
                f(NumberOf::Attribute, (local.span, 0, 1), count.into());
            }
        }
    }
}

/// Calls `f` with the number of the hints of a statement.
fn hint_number(stmt: &Stmt, f: &mut dyn FnMut(NumberOf, NumberPlace, i64)) {
    if let Some(Hints { unroll: Some(Some(rounds)), unroll_name, .. }) = stmt.hints() {
        f(NumberOf::Attribute, (*unroll_name, 0, 1), (*rounds).into());
    }
}
