//! Structs that are stored alike are declared once.
//!
//! ```text
//! before: struct S_stored { float p[3]; } for one buffer, and struct S_stored { float p[3]; } for another
//! after:  the first for both
//! ```

use super::frame::{BufferData, Stored};
use crate::layout::rules::Rules;
use crate::tree::{Field, MatrixOrder, Program, Struct, StructId, Type, TypeId, Types};
use std::collections::BTreeMap;

/// Structs that were made for other buffers: what is the same has one declaration.
#[derive(Default)]
pub(super) struct Made(Vec<(StructId, &'static str, MatrixOrder)>);

impl Made {
    /// Replaces new structs by such as there are. Those of constant buffers and of others stay apart: a target may widen the
    /// one kind.
    pub(super) fn share(&mut self, program: &mut Program, stored: &mut Stored, rules: &Rules, data: &BufferData) {
        let order = data.order;
        let unique = stored.structs.last().copied().filter(|_| data.members);
        let mut known = BTreeMap::new();
        stored.structs.retain(|&id| {
            let mut fields = std::mem::take(&mut program.structs[id].fields);
            fields.iter_mut().for_each(|f| f.ty = replaced(&mut program.types, f.ty, &known));
            program.structs[id].fields = fields;
            if Some(id) == unique {
                return true;
            }
            let alike = |other: StructId| alike(&program.structs[id], &program.structs[other]);
            let found = self.0.iter().find(|(other, r, o)| *r == rules.name && *o == order && alike(*other));
            match found {
                Some((other, ..)) => known.insert(id, *other),
                None => {
                    self.0.push((id, rules.name, order));
                    None
                }
            };
            !known.contains_key(&id)
        });
        stored.ty = replaced(&mut program.types, stored.ty, &known);
    }
}

fn replaced(types: &mut Types, ty: TypeId, known: &BTreeMap<StructId, StructId>) -> TypeId {
    match types.get(ty) {
        Type::Struct(id) => known.get(&id).map_or(ty, |new| types.intern(Type::Struct(*new))),
        Type::Array(element, count) => {
            let element = replaced(types, element, known);
            types.array(element, count)
        }
        _ => ty,
    }
}

fn alike(a: &Struct, b: &Struct) -> bool {
    let field = |(a, b): (&Field, &Field)| a.name == b.name && a.ty == b.ty && a.matrix_order == b.matrix_order;
    a.name == b.name && a.fields.len() == b.fields.len() && a.fields.iter().zip(&b.fields).all(field)
}
