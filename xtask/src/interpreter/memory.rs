//! Memory: variables, which are values, and buffers, which are bytes.

use super::module::{Module, Type, mask};
use super::value::{Pointer, Value, View};
use std::rc::Rc;

/// What is in a buffer where something was written that has no value.
pub const UNDEFINED: u64 = 0xbaad_f00d_baad_f00d;

/// The bytes of a buffer, and which of them were written with what has no value.
pub struct Buffer {
    pub bytes: Vec<u8>,
    pub undefined: Vec<bool>,
}

impl Buffer {
    pub fn of_words(words: &[u32]) -> Buffer {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        Buffer { undefined: vec![false; bytes.len()], bytes }
    }
}

/// What a pointer points to, one step further in.
pub fn step(module: &Module, pointer: &Pointer, index: u64) -> Pointer {
    let part = |ty: u32| inner(module, ty, index).unwrap_or(ty);
    let within = |ty: u32| index < module.count(ty) as u64;
    let longer = |path: &[u32]| path.iter().copied().chain([index as u32]).collect::<Vec<u32>>();
    match pointer {
        Pointer::Own { variable, path, ty } if within(*ty) => {
            Pointer::Own { variable: *variable, path: longer(path), ty: part(*ty) }
        }
        Pointer::Shared { variable, path, ty } if within(*ty) => {
            Pointer::Shared { variable: *variable, path: longer(path), ty: part(*ty) }
        }
        Pointer::Own { ty, .. } | Pointer::Shared { ty, .. } | Pointer::Nowhere { ty } => {
            Pointer::Nowhere { ty: part(*ty) }
        }
        Pointer::Buffer { buffer, view } => match step_view(module, *view, index) {
            Some(view) => Pointer::Buffer { buffer: *buffer, view },
            None => Pointer::Nowhere { ty: part(view.ty) },
        },
    }
}

/// The type of a part.
fn inner(module: &Module, ty: u32, index: u64) -> Option<u32> {
    match module.ty(ty) {
        Type::RuntimeArray { of, .. } | Type::Array { of, .. } | Type::Vector { of, .. } => Some(*of),
        Type::Matrix { column, .. } => Some(*column),
        _ => module.part(ty, index as usize),
    }
}

fn step_view(module: &Module, view: View, index: u64) -> Option<View> {
    let at = |offset: u64| u32::try_from(u64::from(view.offset) + offset).ok();
    let (ty, offset, matrix, apart) = match module.ty(view.ty) {
        Type::Struct { members } => {
            let member = members.get(index as usize)?;
            (member.ty, at(u64::from(member.offset))?, member.matrix.or(view.matrix), None)
        }
        Type::Array { of, count, stride } if index < u64::from(*count) => {
            (*of, at(index * u64::from(*stride))?, view.matrix, None)
        }
        Type::RuntimeArray { of, stride } => (*of, at(index.checked_mul(u64::from(*stride))?)?, view.matrix, None),
        Type::Matrix { column, count } if index < u64::from(*count) => {
            let layout = view.matrix?;
            match layout.rows {
                true => (*column, at(index * u64::from(module.width(*column) / 8))?, None, Some(layout.stride)),
                false => (*column, at(index * u64::from(layout.stride))?, None, None),
            }
        }
        Type::Vector { of, count } if index < u64::from(*count) => {
            let apart = view.apart.unwrap_or(module.width(*of) / 8);
            (*of, at(index * u64::from(apart))?, None, None)
        }
        _ => return None,
    };
    Some(View { ty, offset, matrix, apart })
}

pub fn read(module: &Module, buffer: &Buffer, view: View) -> Value {
    match module.ty(view.ty) {
        Type::Int { width } | Type::Float { width } => {
            let (from, size) = (view.offset as usize, (*width / 8) as usize);
            let (Some(bytes), Some(undefined)) =
                (buffer.bytes.get(from..from + size), buffer.undefined.get(from..from + size))
            else {
                return Value::Undefined;
            };
            if undefined.contains(&true) {
                return Value::Undefined;
            }
            Value::Bits(bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
        }
        _ => {
            let parts = (0..module.count(view.ty) as u64).map(|i| match step_view(module, view, i) {
                Some(part) => read(module, buffer, part),
                None => Value::Undefined,
            });
            Value::parts(parts.collect())
        }
    }
}

pub fn write(module: &Module, buffer: &mut Buffer, view: View, value: &Value) {
    match (module.ty(view.ty), value) {
        (Type::Int { width } | Type::Float { width }, Value::Bits(_) | Value::Undefined) => {
            let bits = match value {
                Value::Bits(bits) => *bits & mask(*width),
                _ => UNDEFINED,
            };
            for (index, byte) in bits.to_le_bytes().into_iter().enumerate().take((*width / 8) as usize) {
                let at = view.offset as usize + index;
                if let (Some(place), Some(flag)) = (buffer.bytes.get_mut(at), buffer.undefined.get_mut(at)) {
                    (*place, *flag) = (byte, matches!(value, Value::Undefined));
                }
            }
        }
        (_, Value::Parts(parts)) => {
            for (index, part) in parts.iter().enumerate() {
                if let Some(inner) = step_view(module, view, index as u64) {
                    write(module, buffer, inner, part);
                }
            }
        }
        _ => {}
    }
}

/// A pointer to a whole variable.
pub fn whole(variable: usize, ty: u32, shared: bool) -> Value {
    let path = Vec::new();
    Value::Pointer(Rc::new(match shared {
        true => Pointer::Shared { variable, path, ty },
        false => Pointer::Own { variable, path, ty },
    }))
}
