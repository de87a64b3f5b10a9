//! Values, and the places that pointers point to.

use super::module::MatrixLayout;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub enum Value {
    /// The bits of a number, zeros above its width, or of a Boolean.
    Bits(u64),
    Parts(Rc<Vec<Value>>),
    Pointer(Rc<Pointer>),
    /// Nothing gave it a value.
    Undefined,
}

#[derive(Clone, Debug)]
pub enum Pointer {
    /// A part of a variable of one thread.
    Own { variable: usize, path: Vec<u32>, ty: u32 },
    /// A part of a variable of the group.
    Shared { variable: usize, path: Vec<u32>, ty: u32 },
    /// A part of a buffer.
    Buffer { buffer: usize, view: View },
    /// Outside of what it is made from.
    Nowhere { ty: u32 },
}

/// Bytes of a buffer as a value of a type.
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub ty: u32,
    pub offset: u32,
    /// How matrices are stored that are inside.
    pub matrix: Option<MatrixLayout>,
    /// Bytes between the components of a vector, when they are not neighbors.
    pub apart: Option<u32>,
}

impl Value {
    pub fn parts(parts: Vec<Value>) -> Value {
        Value::Parts(Rc::new(parts))
    }

    pub fn bits(&self) -> Result<u64, String> {
        match self {
            Value::Bits(bits) => Ok(*bits),
            Value::Undefined => Err("something depends on an undefined value".into()),
            Value::Parts(_) | Value::Pointer(_) => Err("a number is wanted".into()),
        }
    }

    pub fn of_bool(value: bool) -> Value {
        Value::Bits(u64::from(value))
    }

    /// The parts; a number is its own only part.
    pub fn list(&self) -> &[Value] {
        match self {
            Value::Parts(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }

    pub fn part(&self, index: usize) -> Result<&Value, String> {
        match self {
            Value::Parts(parts) => parts.get(index).ok_or_else(|| "no such part".to_owned()),
            _ => Err("a part of a number".into()),
        }
    }

    pub fn at(&self, path: &[u32]) -> Result<&Value, String> {
        path.iter().try_fold(self, |value, index| value.part(*index as usize))
    }

    pub fn at_mut(&mut self, path: &[u32]) -> Result<&mut Value, String> {
        let Some((first, rest)) = path.split_first() else { return Ok(self) };
        match self {
            Value::Parts(parts) => {
                Rc::make_mut(parts).get_mut(*first as usize).ok_or("no such part".to_owned())?.at_mut(rest)
            }
            _ => Err("a part of a number".into()),
        }
    }

    pub fn pointer(&self) -> Result<Rc<Pointer>, String> {
        match self {
            Value::Pointer(pointer) => Ok(pointer.clone()),
            _ => Err("a pointer is wanted".into()),
        }
    }
}
