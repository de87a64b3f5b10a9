//! How one value is stored: the representation that both planners give and that the rewriter of accesses reads.
//!
//! | form | the value | is stored as |
//! | --- | --- | --- |
//! | `Same` | any | itself |
//! | `Nothing` | without bytes | nothing |
//! | `Struct` | a struct | its fields, each with its own way |
//! | `Twin` | a struct | another struct, whose fields are those of the first |
//! | `Array` | an array | an array of what its element is stored as |
//! | `Matrix` | a matrix | its rows or columns, in an array or one by one |
//! | `Transposed` | a matrix stored by columns | the transposed matrix |
//! | `Scalars` | a vector | an array of its components |
//! | `Pieces` | a vector | shorter vectors and scalars |
//! | `Wide` | a small scalar or vector | a vector of four |
//! | `Number` | a bool, or several | an unsigned number each |
//! | `Words` | any, to be read only | bytes in an array of rows of four words |

use crate::layout::TypeLayout;
use crate::tree::{MatrixOrder, Scalar, Step, Type, TypeId, Types};

/// Where a value of the source lies, seen from the struct or array element around it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Slot {
    /// The way to what holds it.
    pub(super) steps: Vec<Step>,
    /// The type of the source; of a vector of one inside of a matrix, its component.
    pub(super) ty: TypeId,
    /// How it is stored.
    pub(super) form: Form,
}

/// How a value is stored.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Form {
    Same,
    Nothing,
    Struct(Vec<Slot>),
    /// The struct, and the slots of the fields, seen from it.
    Twin(TypeId, Vec<Slot>),
    /// The slot of an element is seen from the array's element.
    Array(Box<Slot>),
    /// If the vectors are an array, with the slot of one seen from the array's element.
    Matrix(MatrixOrder, Vec<Slot>, Option<Box<Slot>>),
    Transposed,
    Scalars,
    Pieces(Vec<Slot>),
    Wide,
    Number,
    Words(Box<Bytes>),
}

/// A place in rows of words.
#[derive(Clone, Debug)]
pub(super) struct Bytes {
    /// The byte where it begins.
    pub(super) offset: u64,
    /// What lies there.
    pub(super) layout: TypeLayout,
}

/// No two places in rows of words are the same.
impl PartialEq for Bytes {
    fn eq(&self, _: &Bytes) -> bool {
        false
    }
}

impl Slot {
    /// At the place itself.
    pub(super) fn here(ty: TypeId, form: Form) -> Slot {
        Slot { steps: Vec::new(), ty, form }
    }

    /// A matrix as an array of its vectors, of which one is stored like this.
    pub(super) fn matrix(ty: TypeId, order: MatrixOrder, vector: Slot, count: u8) -> Slot {
        let vectors = (0..u32::from(count)).map(|i| vector.clone().seen_through(&[Step::Element(i)])).collect();
        Slot::here(ty, Form::Matrix(order, vectors, Some(Box::new(vector))))
    }

    /// The slot as it is seen from further out.
    pub(super) fn seen_through(mut self, outer: &[Step]) -> Slot {
        self.steps.splice(0..0, outer.iter().copied());
        let through = |list: Vec<Slot>| list.into_iter().map(|s| s.seen_through(outer)).collect();
        self.form = match self.form {
            Form::Struct(list) => Form::Struct(through(list)),
            Form::Pieces(list) => Form::Pieces(through(list)),
            Form::Matrix(order, list, inner) => Form::Matrix(order, through(list), inner),
            other => other,
        };
        self
    }

    /// Whether it is a struct that has two declarations, or an array of such.
    pub(super) fn is_twin(&self) -> bool {
        match &self.form {
            Form::Twin(..) => true,
            Form::Array(inner) => inner.is_twin(),
            _ => false,
        }
    }

    /// How an element of an array is stored.
    pub(super) fn element(&self) -> Option<&Slot> {
        match &self.form {
            Form::Array(inner) => Some(inner),
            _ => None,
        }
    }

    /// The type that is stored, of a value that is one thing in the text; it can be assigned whole and holds nothing else.
    pub(super) fn stored_type(&self, types: &mut Types) -> Option<TypeId> {
        Some(match (&self.form, types.get(self.ty)) {
            (Form::Same, _) => self.ty,
            (Form::Twin(ty, _), _) => *ty,
            (Form::Transposed, Type::Matrix(s, rows, columns)) => types.matrix(s, columns, rows),
            (Form::Number, Type::Scalar(_)) => TypeId::UINT,
            (Form::Number, Type::Vector(_, n)) => types.vector(Scalar::U32, n),
            (Form::Number, Type::Matrix(_, rows, columns)) => types.matrix(Scalar::U32, rows, columns),
            (Form::Wide, Type::Scalar(s) | Type::Vector(s, _)) => {
                types.vector(if s == Scalar::Bool { Scalar::U32 } else { s }, 4)
            }
            (Form::Array(inner), Type::Array(_, count)) if inner.steps.is_empty() => {
                let inner = inner.stored_type(types)?;
                types.array(inner, count)
            }
            (Form::Matrix(_, list, Some(inner)), _) if inner.steps.is_empty() => {
                let inner = inner.stored_type(types)?;
                types.array(inner, u32::try_from(list.len()).ok())
            }
            _ => return None,
        })
    }
}
