//! Stage inputs and outputs of entry points as the sidecar shows them: their locations, semantics and types.

use super::build::{Builder, count, put, requested, set_semantic, slot, unit_kind, user_attributes};
use super::model::{Size, TypeNode, Variable};
use crate::layout::locations::{self, Many, Part, Per, Varying};
use crate::layout::{Api, Unit};
use crate::tree::*;

/// The stage inputs and outputs of an entry point, each with the index of its parameter.
pub(super) struct Varyings {
    pub own: Vec<(Option<usize>, Variable)>,
    /// What the function of patch constants gives.
    pub of_patch: Vec<(Option<usize>, Variable)>,
}

impl Varyings {
    pub(super) fn of(builder: &Builder, entry: &EntryPoint) -> Varyings {
        Varyings { own: varyings(builder, entry), of_patch: patch_constants(builder, entry) }
    }
}

/// The stage inputs and outputs of an entry point in order of declaration, each with the index of its parameter; the result,
/// which has none, is last.
pub(super) fn varyings(builder: &Builder, entry: &EntryPoint) -> Vec<(Option<usize>, Variable)> {
    let mut shown: Vec<(Option<usize>, Variable)> = Vec::new();
    for varying in locations::varyings(builder.program, &builder.layout.settings, entry) {
        let variable = whole(builder, entry, &varying);
        match shown.last_mut() {
            // The output of what is both.
            Some((last, input)) if last.is_some() && *last == varying.param => both(input, variable),
            _ => shown.push((varying.param, variable)),
        }
    }
    shown
}

/// What the function of patch constants gives, the result last.
pub(super) fn patch_constants(builder: &Builder, entry: &EntryPoint) -> Vec<(Option<usize>, Variable)> {
    let all = locations::patch_constants(builder.program, &builder.layout.settings, entry);
    all.iter().map(|varying| (varying.param, whole(builder, entry, varying))).collect()
}

fn whole(builder: &Builder, entry: &EntryPoint, varying: &Varying) -> Variable {
    let show = Show { builder, stage: entry.stage, unit: varying.unit };
    show.whole(&builder.program.functions[varying.function], varying)
}

/// An `inout` parameter is an input and an output: the offsets and sizes of the one come after those of the other.
fn both(input: &mut Variable, output: Variable) {
    let mut list: Vec<_> = input.binding.take().into_iter().chain(std::mem::take(&mut input.bindings)).collect();
    list.extend(output.binding.into_iter().chain(output.bindings));
    put(input, list);
    input.stage = input.stage.take().or(output.stage);
    if let (Some(a), Some(b)) = (&mut input.ty, output.ty) {
        both_types(a, *b);
    }
}

fn both_types(input: &mut TypeNode, output: TypeNode) {
    if let (Some(a), Some(b)) = (&mut input.sizes, output.sizes) {
        a.extend(b);
    }
    if let (Some(a), Some(b)) = (&mut input.fields, output.fields) {
        a.iter_mut().zip(b).for_each(|(a, b)| both(a, b));
    }
    if let (Some(a), Some(b)) = (&mut input.element_type, output.element_type) {
        both_types(a, *b);
    }
}

/// The walk over one parameter or result.
struct Show<'a, 'b> {
    builder: &'b Builder<'a>,
    stage: Stage,
    unit: Unit,
}

impl Show<'_, '_> {
    fn whole(&self, function: &Function, varying: &Varying) -> Variable {
        let param = varying.param.and_then(|i| function.params.get(i));
        let local = param.map(|p| &function.code.locals[p.local]);
        let explicit = param.map_or(&function.result_explicit, |p| &p.explicit);
        let ty = local.map_or(function.result, |l| l.ty);
        let part = &varying.part;
        let start = varying.start.saturating_add(part.start);
        let mut variable = Variable { name: local.map(|l| l.name.to_string()), ..Variable::default() };
        self.place(&mut variable, part, start);
        // What is around a semantic has none of its own.
        let semantic = param.map_or(function.result_semantic, |p| p.semantic);
        set_semantic(&mut variable, semantic.map(|s| s.split()));
        let node = match &varying.many {
            Some(many) => self.many(ty, many, part),
            None => self.node(ty, part),
        };
        variable.ty = Some(Box::new(node));
        variable.per = varying.per().map(str::to_owned);
        variable.location = local.and_then(|l| self.builder.location(l.span));
        variable.requested = requested(explicit);
        variable.user_attribs = param.map_or_else(Vec::new, |p| user_attributes(&p.attributes));
        variable
    }

    /// The locations of a parameter or field, counted from what is around it.
    fn place(&self, variable: &mut Variable, part: &Part, start: u32) {
        if part.count > 0 {
            let varies = matches!(self.unit, Unit::VaryingInput | Unit::VaryingOutput);
            variable.stage = varies.then(|| self.stage.name().to_owned());
            variable.binding = Some(slot(self.unit, start.into(), 0, part.count.into()));
        }
    }

    /// What there is one of for each vertex or primitive: the output of a mesh shader is shown alike in both its spellings.
    fn many(&self, ty: TypeId, many: &Many, part: &Part) -> TypeNode {
        let mut node = match many.per {
            Per::Vertex | Per::Primitive | Per::Indices if many.count.is_some() => {
                self.builder.holding("meshOutput", many.element, many.count)
            }
            _ => self.builder.bare_type(ty),
        };
        let none = Part::default();
        node.element_type = Some(Box::new(self.node(many.element, part.parts.first().unwrap_or(&none))));
        node.sizes = Some(self.sizes(part));
        node
    }

    fn node(&self, ty: TypeId, part: &Part) -> TypeNode {
        let program = self.builder.program;
        let mut node = self.builder.bare_type(ty);
        match program.types.get(ty) {
            Type::Struct(id) => {
                let fields = program.structs[id].fields.iter().zip(&part.parts);
                node.fields = Some(fields.map(|(field, inner)| self.field(field, part, inner)).collect());
            }
            ty => {
                if let (Some(element), Some(inner)) = (ty.element(), part.parts.first()) {
                    node.element_type = Some(Box::new(self.node(element, inner)));
                    node.semantic_stride = self.semantic_stride(ty, part, inner);
                }
            }
        }
        node.sizes = Some(self.sizes(part));
        node
    }

    /// How many indices of its semantic an element is from the next. What has none has one only in texts for D3D.
    fn semantic_stride(&self, array: Type, part: &Part, element: &Part) -> Option<u64> {
        let d3d = self.builder.layout.settings.api == Api::D3d;
        let Type::Array(inner, _) = array else { return None };
        let types = &self.builder.program.types;
        match (&part.semantic, types.get(types.innermost(inner))) {
            (Some(_), _) => Some(element.indices.into()),
            (None, Type::Struct(_)) => Some(0),
            (None, _) => d3d.then_some(element.indices.into()),
        }
    }

    fn sizes(&self, part: &Part) -> Vec<Size> {
        let value = count(part.count.into());
        let size = Size { kind: unit_kind(self.unit).to_owned(), value, alignment: None, stride: None };
        if part.count > 0 { vec![size] } else { Vec::new() }
    }

    fn field(&self, field: &Field, around: &Part, part: &Part) -> Variable {
        let mut variable = Variable {
            name: Some(field.name.to_string()),
            ty: Some(Box::new(self.node(field.ty, part))),
            location: self.builder.location(field.span),
            requested: requested(&field.explicit),
            user_attribs: user_attributes(&field.attributes),
            ..Variable::default()
        };
        self.place(&mut variable, part, part.start.saturating_sub(around.start));
        set_semantic(&mut variable, part.semantic.clone());
        variable
    }
}
