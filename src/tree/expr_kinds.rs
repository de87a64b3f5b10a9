//! Sets of kinds of expressions: what looks for something in a program says at which kinds it may be.

use super::ExprKind;

/// A set of kinds of expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExprKinds(u32);

macro_rules! kinds {
    ($($name:ident = $pattern:pat,)*) => {
        /// Numbers of the kinds, from 0 on.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names of the sets below")]
        enum Number { $($name),* }

        #[allow(missing_docs, dead_code, reason = "each is the kind of its name; the table is complete")]
        impl ExprKinds {
            $(pub const $name: ExprKinds = ExprKinds(1 << Number::$name as u32);)*
            /// How many kinds there are.
            pub const COUNT: usize = [$(Number::$name as usize),*].len();
        }

        impl ExprKind {
            /// The number of the kind, below [`ExprKinds::COUNT`].
            pub fn number(&self) -> usize {
                match self { $($pattern => Number::$name as usize,)* }
            }
        }
    };
}

kinds! {
    LITERAL = ExprKind::Literal(..),
    LOCAL = ExprKind::Local(_),
    GLOBAL = ExprKind::Global(_),
    ENUM_CASE = ExprKind::EnumCase(..),
    FIELD = ExprKind::Field(..),
    INDEX = ExprKind::Index(..),
    CONTENTS = ExprKind::Contents(_),
    SWIZZLE = ExprKind::Swizzle(..),
    MATRIX_SWIZZLE = ExprKind::MatrixSwizzle(..),
    UNARY = ExprKind::Unary(..),
    BINARY = ExprKind::Binary(..),
    SELECT = ExprKind::Select(..),
    ASSIGN = ExprKind::Assign(..),
    STEP = ExprKind::Step(..),
    COMMA = ExprKind::Comma(..),
    CALL = ExprKind::Call(..),
    CONSTRUCT = ExprKind::Construct(_),
    CONVERT = ExprKind::Convert(..),
    ZERO = ExprKind::Zero,
    PROPERTY = ExprKind::Property(_),
    NATIVE = ExprKind::Native(..),
    ADDRESS_OF = ExprKind::AddressOf(_),
    DEREF = ExprKind::Deref(_),
}

impl ExprKinds {
    /// None.
    pub const NONE: ExprKinds = ExprKinds(0);
    /// Every kind.
    pub const ALL: ExprKinds = ExprKinds((1 << Self::COUNT) - 1);
    /// What writes a place, or gives it to what may ([`Program::each_written`](super::Program::each_written)).
    pub const WRITES: ExprKinds = Self::ASSIGN.or(Self::STEP).or(Self::ADDRESS_OF).or(Self::CALL);
    /// Binary operators, those of compound assignments included.
    pub const BINARY_OPERATORS: ExprKinds = Self::BINARY.or(Self::ASSIGN);

    /// Those of both.
    #[must_use]
    pub const fn or(self, others: ExprKinds) -> ExprKinds {
        ExprKinds(self.0 | others.0)
    }

    /// The kind of an expression alone.
    pub fn of(kind: &ExprKind) -> ExprKinds {
        ExprKinds(1 << kind.number())
    }

    /// Whether a kind is in both.
    pub const fn meets(self, others: ExprKinds) -> bool {
        self.0 & others.0 != 0
    }

    /// Whether a number is that of one of them.
    pub const fn has(self, number: usize) -> bool {
        self.0 >> number & 1 != 0
    }
}
