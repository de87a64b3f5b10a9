//! Where the leaves of a buffer's data went, for the sidecar.
//!
//! ```text
//! before: the slots of struct S { float3 p; float2 q[2]; }, stored as { float p[3]; q_element q[2]; }
//! after:  p: field 0, q: field 1, element 0, field 0
//! ```

use super::{Form, Slot, Step, holds_struct};
use crate::layout::{Detail, TypeLayout, Unit};
use crate::symbol::Symbol;
use crate::tree::{Program, StoredLeaf, StoredStep, Type, TypeId};

/// Where the leaves of a buffer's data went, for the sidecar. Arrays of structs are shown by their first element.
/// `no_empty`: fields without bytes will be dropped from structs.
pub(in super::super) fn leaves(program: &Program, slot: &Slot, no_empty: bool) -> Vec<StoredLeaf> {
    let mut leaves = Leaves { program, no_empty, found: Vec::new() };
    leaves.slot(slot, &[], "");
    leaves.found
}

/// The leaves of a buffer's data that is stored as it is.
pub(in super::super) fn leaves_of(program: &Program, layout: &TypeLayout) -> Vec<StoredLeaf> {
    let mut leaves = Leaves { program, no_empty: false, found: Vec::new() };
    leaves.same(layout, Vec::new(), "");
    leaves.found
}

struct Leaves<'a> {
    program: &'a Program,
    no_empty: bool,
    found: Vec<StoredLeaf>,
}

impl Leaves<'_> {
    fn slot(&mut self, slot: &Slot, outer: &[Step], path: &str) {
        let way = |steps: &[Step]| [outer, steps].concat();
        match &slot.form {
            Form::Nothing => {}
            Form::Struct(fields) => {
                for (name, field) in self.names(slot.layout.ty).into_iter().zip(fields) {
                    self.slot(field, outer, &join(path, name));
                }
            }
            Form::Array(inner) => {
                let mut steps = way(&slot.steps);
                steps.push(Step::Element(0));
                self.slot(inner, &steps, path);
            }
            Form::Pieces(list) | Form::Matrix(list, _) => {
                if let Some(first) = list.first() {
                    self.slot(first, outer, path);
                }
            }
            Form::Same => self.same(&slot.layout, way(&slot.steps), path),
            Form::Scalars => self.leaf(way(&slot.steps), None, path),
            Form::Words(offset) => self.words(&slot.layout, &way(&slot.steps), *offset, path),
        }
    }

    fn names(&self, ty: TypeId) -> Vec<Symbol> {
        match self.program.types.get(ty) {
            Type::Struct(id) => self.program.structs[id].fields.iter().map(|f| f.name).collect(),
            _ => Vec::new(),
        }
    }

    fn leaf(&mut self, steps: Vec<Step>, word: Option<u64>, path: &str) {
        let steps = steps.into_iter().map(|step| match step {
            Step::Field(i) => StoredStep::Field(i),
            Step::Element(i) => StoredStep::Element(i),
        });
        self.found.push(StoredLeaf { path: Symbol::new(path), steps: steps.collect(), word });
    }

    fn same(&mut self, layout: &TypeLayout, steps: Vec<Step>, path: &str) {
        match &layout.detail {
            Detail::Struct(fields) => {
                let mut index = 0;
                for (field, name) in fields.iter().zip(self.names(layout.ty)) {
                    let mut steps = steps.clone();
                    steps.push(Step::Field(index));
                    index += u32::from(!self.no_empty || field.layout.size() > 0);
                    self.same(&field.layout, steps, &join(path, name));
                }
            }
            Detail::Array { element, .. } if holds_struct(element) => {
                let mut steps = steps;
                steps.push(Step::Element(0));
                self.same(element, steps, path);
            }
            _ if layout.size() == 0 => {}
            _ => self.leaf(steps, None, path),
        }
    }

    fn words(&mut self, layout: &TypeLayout, steps: &[Step], offset: u64, path: &str) {
        match &layout.detail {
            Detail::Struct(fields) => {
                for (field, name) in fields.iter().zip(self.names(layout.ty)) {
                    let at = offset.saturating_add(field.offset.get(Unit::Bytes));
                    self.words(&field.layout, steps, at, &join(path, name));
                }
            }
            Detail::Array { element, .. } if holds_struct(element) => self.words(element, steps, offset, path),
            _ if layout.size() == 0 => {}
            _ => self.leaf(steps.to_vec(), Some(offset), path),
        }
    }
}

fn join(path: &str, name: Symbol) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}
