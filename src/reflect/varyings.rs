//! Stage inputs and outputs of entry points: their locations (FACTS 15), semantics and types.

use super::build::{Builder, count, put, requested, set_semantic, slot, unit_kind, user_attributes};
use super::model::{Size, TypeNode, Variable};
use crate::layout::varyings::{Locations, of_matrix};
use crate::layout::{Api, Unit};
use crate::source::Span;
use crate::tree::*;

/// The semantic of render targets.
const TARGET: &str = "SV_TARGET";

/// The stage inputs and outputs of an entry point in order of declaration, each with the index of its parameter; the result,
/// which has none, is last.
pub(super) fn varyings(builder: &Builder, entry: &EntryPoint) -> Vec<(Option<usize>, Variable)> {
    let (inputs, outputs) = (Locations::default(), Locations::default());
    let mut numbers = Varyings { builder, stage: entry.stage, inputs, outputs };
    let list = declared(builder, &builder.program.functions[entry.function]);
    list.iter().for_each(|(_, varying)| numbers.reserve(varying));
    let mut shown: Vec<(Option<usize>, Variable)> = Vec::new();
    for (index, varying) in &list {
        let variable = numbers.variable(varying);
        match shown.last_mut() {
            // The output of what is both.
            Some((last, input)) if last.is_some() && last == index => both(input, variable),
            _ => shown.push((*index, variable)),
        }
    }
    shown
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

/// `out` parameters come before the result. What is `inout` is there twice.
fn declared<'f>(builder: &Builder, function: &'f Function) -> Vec<(Option<usize>, Varying<'f>)> {
    let mut list = Vec::new();
    for (i, param) in function.params.iter().enumerate() {
        let local = &function.code.locals[param.local];
        if is_uniform(builder.program, param, local.ty) {
            continue;
        }
        let units: &[Unit] = match (builder.program.types.get(local.ty), param.mode) {
            (Type::Stream(..) | Type::MeshOutput(..), _) | (_, ParamMode::Out) => &[Unit::VaryingOutput],
            (_, ParamMode::InOut) => &[Unit::VaryingInput, Unit::VaryingOutput],
            _ => &[Unit::VaryingInput],
        };
        list.extend(units.iter().map(|unit| {
            let varying = Varying {
                name: Some(local.name.as_str()),
                ty: local.ty,
                semantic: param.semantic.map(Running::new),
                explicit: &param.explicit,
                attributes: &param.attributes,
                span: local.span,
                unit: *unit,
            };
            (Some(i), varying)
        }));
    }
    if function.result != TypeId::VOID {
        let varying = Varying {
            name: None,
            ty: function.result,
            semantic: function.result_semantic.map(Running::new),
            explicit: &function.result_explicit,
            attributes: &[],
            span: Span::default(),
            unit: Unit::VaryingOutput,
        };
        list.push((None, varying));
    }
    list
}

/// Numbers stage inputs and outputs (FACTS 15).
struct Varyings<'a, 'b> {
    builder: &'b Builder<'a>,
    stage: Stage,
    inputs: Locations,
    outputs: Locations,
}

/// A parameter or result of an entry point among stage inputs and outputs.
struct Varying<'a> {
    name: Option<&'a str>,
    ty: TypeId,
    semantic: Option<Running>,
    explicit: &'a Explicit,
    attributes: &'a [Attribute],
    span: Span,
    unit: Unit,
}

/// A semantic whose index runs over the leaves below it.
#[derive(Clone)]
struct Running {
    name: String,
    index: u32,
}

impl Running {
    fn new(semantic: Semantic) -> Running {
        let (name, index) = semantic.split();
        Running { name, index }
    }

    fn split(&self) -> (String, u32) {
        (self.name.clone(), self.index)
    }
}

impl<'a, 'b> Varyings<'a, 'b> {
    fn given(&mut self, unit: Unit) -> &mut Locations {
        if unit == Unit::VaryingOutput { &mut self.outputs } else { &mut self.inputs }
    }

    /// Targets and, but for D3D, what asks for a location have it before the others are numbered.
    fn explicit(&self, varying: &Varying) -> Option<u64> {
        let d3d = self.builder.layout.settings.api == Api::D3d;
        if self.are_targets(varying.unit) {
            // A struct begins at 0, and each field says its own.
            let target = varying.semantic.as_ref().filter(|s| s.name == TARGET);
            return Some(target.map_or(0, |s| s.index.into()));
        }
        if !d3d && self.fields_ask(varying.ty) {
            return Some(0);
        }
        varying.explicit.location.filter(|_| !d3d).map(|(l, _)| l.into())
    }

    /// Whether outputs are numbered by the index of `SV_Target`.
    fn are_targets(&self, unit: Unit) -> bool {
        let by_order = self.builder.layout.settings.policy.targets_by_order;
        self.stage == Stage::Fragment && unit == Unit::VaryingOutput && !by_order
    }

    /// Whether fields of a struct say their locations.
    fn fields_ask(&self, ty: TypeId) -> bool {
        let program = self.builder.program;
        match program.types.get(program.types.innermost(ty)) {
            Type::Struct(id) => program.structs[id].fields.iter().any(|f| f.explicit.location.is_some()),
            _ => false,
        }
    }

    /// The locations that a parameter asks for are not given away.
    fn reserve(&mut self, varying: &Varying) {
        if let Some(start) = self.explicit(varying) {
            let mut walk = self.walk(varying);
            let (_, used) = walk.node(varying.ty, &mut varying.semantic.clone(), None);
            self.given(varying.unit).reserve(small(start), small(used));
        }
    }

    fn walk(&self, varying: &Varying) -> VaryingWalk<'a, 'b> {
        VaryingWalk {
            builder: self.builder,
            stage: self.stage,
            unit: varying.unit,
            targets: self.are_targets(varying.unit),
            at: 0,
        }
    }

    fn variable(&mut self, varying: &Varying) -> Variable {
        let mut semantic = varying.semantic.clone();
        let mut walk = self.walk(varying);
        let (node, used) = walk.node(varying.ty, &mut semantic, None);
        let stage = (used > 0).then(|| self.stage.name().to_owned());
        let mut variable = Variable { name: varying.name.map(str::to_owned), stage, ..Variable::default() };
        if used > 0 {
            let start = match self.explicit(varying) {
                Some(start) => start,
                None => self.given(varying.unit).give(small(used)).into(),
            };
            variable.binding = Some(slot(varying.unit, start, 0, used));
        }
        set_semantic(&mut variable, varying.semantic.as_ref().map(Running::split));
        variable.ty = Some(Box::new(node));
        variable.location = self.builder.location(varying.span);
        variable.requested = requested(varying.explicit);
        variable.user_attribs = user_attributes(varying.attributes);
        variable
    }
}

fn small(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The walk over the leaves of one varying.
struct VaryingWalk<'a, 'b> {
    builder: &'b Builder<'a>,
    stage: Stage,
    unit: Unit,
    /// Leaves lie where the index of their semantic says.
    targets: bool,
    /// The next location within the parameter.
    at: u64,
}

impl VaryingWalk<'_, '_> {
    /// The type's node and how many locations it takes.
    fn node(&mut self, ty: TypeId, semantic: &mut Option<Running>, asked: Option<u32>) -> (TypeNode, u64) {
        let program = self.builder.program;
        let mut node = self.builder.bare_type(ty);
        if let Some(target) = semantic.as_ref().filter(|s| self.targets && s.name == TARGET) {
            self.at = target.index.into();
        }
        self.at = asked.map_or(self.at, u64::from);
        let start = self.at;
        let mut end = start;
        match program.types.get(ty) {
            Type::Struct(id) => {
                let mut fields = Vec::new();
                for field in &program.structs[id].fields {
                    let (variable, last) = self.field(field, start, semantic);
                    end = end.max(last);
                    fields.push(variable);
                }
                node.fields = Some(fields);
            }
            Type::Array(element, n) => {
                let (ty, used) = self.node(element, semantic, None);
                node.element_type = Some(Box::new(ty));
                let more = used.saturating_mul(u64::from(n.unwrap_or(1).saturating_sub(1)));
                if let Some(semantic) = semantic.as_mut().filter(|_| used > 0) {
                    semantic.index = semantic.index.saturating_add(small(more));
                }
                end = self.at.saturating_add(more);
            }
            Type::Patch(_, element, _) | Type::MeshOutput(_, element, _) | Type::Stream(_, element) => {
                let (ty, _) = self.node(element, semantic, None);
                node.element_type = Some(Box::new(ty));
                end = self.at;
            }
            ty => {
                end += self.locations(ty, semantic.as_ref());
                if let Some(semantic) = semantic {
                    semantic.index = semantic.index.saturating_add(small(end - start).max(1));
                }
            }
        }
        self.at = end;
        let used = end - start;
        node.sizes = Some(if used > 0 {
            vec![Size { kind: unit_kind(self.unit).to_owned(), value: count(used), alignment: None, stride: None }]
        } else {
            Vec::new()
        });
        (node, used)
    }

    /// A field of a struct that begins at `start`, and one past its last location.
    fn field(&mut self, field: &Field, start: u64, outer: &mut Option<Running>) -> (Variable, u64) {
        // The outermost semantic wins.
        let mut own = field.semantic.map(Running::new);
        let semantic = if outer.is_some() { outer } else { &mut own };
        let shown = semantic.clone();
        let d3d = self.builder.layout.settings.api == Api::D3d;
        let asked = field.explicit.location.filter(|_| !d3d).map(|(l, _)| l);
        let (ty, used) = self.node(field.ty, semantic, asked);
        let mut variable = Variable {
            name: Some(field.name.to_string()),
            stage: (used > 0).then(|| self.stage.name().to_owned()),
            ty: Some(Box::new(ty)),
            location: self.builder.location(field.span),
            requested: requested(&field.explicit),
            user_attribs: user_attributes(&field.attributes),
            ..Variable::default()
        };
        if used > 0 {
            let offset = (self.at - used).saturating_sub(start);
            variable.binding = Some(slot(self.unit, offset, 0, used));
        }
        set_semantic(&mut variable, shown.as_ref().map(Running::split));
        (variable, if used > 0 { self.at } else { start })
    }

    fn locations(&self, ty: Type, semantic: Option<&Running>) -> u64 {
        match ty {
            _ if !takes_location(self.stage, semantic, self.unit) => 0,
            Type::Matrix(_, rows, columns) => {
                let order = self.builder.program.default_matrix_order;
                of_matrix(&self.builder.layout.settings.policy, order, rows, columns).into()
            }
            _ => 1,
        }
    }
}

/// System values take no location, but for the targets of a fragment shader.
fn takes_location(stage: Stage, semantic: Option<&Running>, unit: Unit) -> bool {
    match semantic {
        Some(s) if s.name.starts_with("SV_") => {
            stage == Stage::Fragment && unit == Unit::VaryingOutput && s.name == TARGET
        }
        _ => true,
    }
}
