//! Where the leaves of a buffer's data went, for the sidecar.
//!
//! ```text
//! before: the slots of struct S { float3 p; float2 q[2]; }, stored as { float p[3]; q_element q[2]; }
//! after:  field 0: field 0, field 1: field 1, element 0, field 0
//! ```

use super::super::empty_structs::is_empty;
use super::slot::{Form, Slot};
use crate::layout::{Detail, TypeLayout, Unit};
use crate::tree::{Origin, ParameterId, Program, Step, StoredLeaf, Type, TypeId};

/// Where the leaves of a buffer's data went. Arrays of structs are shown by their first element. `no_empty`: fields without
/// bytes will be dropped from structs.
pub(super) fn leaves(program: &Program, slot: &Slot, no_empty: bool) -> Vec<StoredLeaf> {
    let mut leaves = Leaves { program, no_empty, found: Vec::new() };
    leaves.slot(slot, &[], &Way::default());
    leaves.found
}

/// The way to a part of the data by what was declared.
#[derive(Clone, Default)]
struct Way {
    parameter: Option<ParameterId>,
    path: Vec<Step>,
}

impl Way {
    /// To a field. One that a pass made is a wrapper around the data.
    fn field(&self, origin: Origin) -> Way {
        let mut way = self.clone();
        match origin {
            Origin::Field(index) => way.path.push(Step::Field(index)),
            Origin::Parameter(id) => way.parameter = Some(id),
            Origin::Declared | Origin::Leaf(_) | Origin::Element(..) | Origin::Builtin | Origin::Synthesized => {}
        }
        way
    }
}

struct Leaves<'a> {
    program: &'a Program,
    no_empty: bool,
    found: Vec<StoredLeaf>,
}

impl Leaves<'_> {
    fn slot(&mut self, slot: &Slot, outer: &[Step], to: &Way) {
        let way = |steps: &[Step]| [outer, steps].concat();
        match &slot.form {
            Form::Nothing => {}
            Form::Struct(fields) => {
                for (origin, field) in self.origins(slot.ty).into_iter().zip(fields) {
                    self.slot(field, outer, &to.field(origin));
                }
            }
            Form::Array(inner) => {
                let mut steps = way(&slot.steps);
                steps.push(Step::Element(0));
                self.slot(inner, &steps, to);
            }
            Form::Pieces(list) | Form::Matrix(_, list, _) => {
                if let Some(first) = list.first() {
                    self.slot(first, outer, to);
                }
            }
            Form::Same | Form::Twin(..) => self.same(slot.ty, way(&slot.steps), to),
            Form::Scalars | Form::Transposed | Form::Wide | Form::Number => self.leaf(way(&slot.steps), None, to),
            Form::Words(bytes) => self.words(&bytes.layout, &way(&slot.steps), bytes.offset, to),
        }
    }

    fn origins(&self, ty: TypeId) -> Vec<Origin> {
        match self.program.types.get(ty) {
            Type::Struct(id) => self.program.structs[id].fields.iter().map(|f| f.origin).collect(),
            _ => Vec::new(),
        }
    }

    fn leaf(&mut self, steps: Vec<Step>, word: Option<u64>, to: &Way) {
        let Way { parameter, path } = to.clone();
        self.found.push(StoredLeaf { path, parameter, steps, word });
    }

    fn same(&mut self, ty: TypeId, steps: Vec<Step>, to: &Way) {
        let of_structs = |ty| matches!(self.program.types.get(self.program.types.innermost(ty)), Type::Struct(_));
        match self.program.types.get(ty) {
            Type::Struct(id) => {
                let mut index = 0;
                for field in &self.program.structs[id].fields {
                    let mut steps = steps.clone();
                    steps.push(Step::Field(index));
                    index += u32::from(!self.no_empty || !is_empty(self.program, field.ty));
                    self.same(field.ty, steps, &to.field(field.origin));
                }
            }
            _ if is_empty(self.program, ty) => {}
            Type::Array(element, _) if of_structs(element) => {
                let mut steps = steps;
                steps.push(Step::Element(0));
                self.same(element, steps, to);
            }
            _ => self.leaf(steps, None, to),
        }
    }

    fn words(&mut self, layout: &TypeLayout, steps: &[Step], offset: u64, to: &Way) {
        match &layout.detail {
            Detail::Struct(fields) => {
                for (field, origin) in fields.iter().zip(self.origins(layout.ty)) {
                    let at = offset.saturating_add(field.offset.get(Unit::Bytes));
                    self.words(&field.layout, steps, at, &to.field(origin));
                }
            }
            Detail::Array { element, .. } if matches!(element.innermost().detail, Detail::Struct(_)) => {
                self.words(element, steps, offset, to);
            }
            _ if layout.size() == 0 => {}
            _ => self.leaf(steps.to_vec(), Some(offset), to),
        }
    }
}
