//! Stage inputs and outputs of entry points as the sidecar shows them: their locations, semantics and types.

use super::build::{Builder, put, set_semantic, slot, user_attributes};
use super::model::{Binding, Count, Size, TypeNode, Variable};
use crate::layout::locations::{self, Per, Varying, VaryingPart};
use crate::layout::{Settings, Unit};
use crate::tree::*;

/// What stands between an entry point and what the function of its patch constants gives.
const PATCH_PATH: &str = "$patch";

/// What a function of an entry point takes and gives: the entry point's own, or that of patch constants.
pub(super) struct Signature {
    pub function: FunctionId,
    /// What the paths of its inputs and outputs begin with.
    pub path: String,
    varyings: Vec<Varying>,
}

/// The signatures of an entry point: its own, then that of its patch constants.
pub(super) fn signatures(program: &Program, settings: &Settings, entry: &EntryPoint) -> Vec<Signature> {
    let (function, path) = (entry.function, entry.name.to_string());
    let own = Signature { function, path, varyings: locations::varyings(program, settings, entry) };
    let patch = entry.patch_constant.map(|function| {
        let (path, varyings) = (patch_path(&own.path), locations::patch_constants(program, settings, entry));
        Signature { function, path, varyings }
    });
    std::iter::once(own).chain(patch).collect()
}

/// What the paths of the patch constants of an entry point begin with.
pub(super) fn patch_path(entry: &str) -> String {
    format!("{entry}.{PATCH_PATH}")
}

impl Signature {
    /// Its parameters in order of declaration, the result last, each in the directions that it goes in: what is `inout` is an
    /// input and an output.
    pub(super) fn each(&self) -> impl Iterator<Item = Both<'_>> {
        let same = |a: &Varying, b: &Varying| a.param.is_some() && a.param == b.param;
        self.varyings.chunk_by(same).filter_map(|all| Some(Both { first: all.first()?, all }))
    }

    /// As the sidecar shows them, each with the index of its parameter; the result has none.
    pub(super) fn shown(&self, builder: &Builder, stage: Stage) -> Vec<(Option<usize>, Variable)> {
        let show = |both: Both| (both.first.param, Show { builder, stage }.whole(&both));
        self.each().map(show).collect()
    }
}

/// A parameter or result in each direction that it goes in.
pub(super) struct Both<'a> {
    pub first: &'a Varying,
    pub all: &'a [Varying],
}

impl<'a> Both<'a> {
    /// Its name in paths.
    pub(super) fn name(&self) -> &'static str {
        if self.first.param.is_some() { self.first.part.name.as_str() } else { "$result" }
    }

    /// The whole of it.
    pub(super) fn ways(&self) -> Ways<'a> {
        Ways { first: &self.first.part, all: self.all.iter().map(|v| (v.unit, &v.part)).collect() }
    }
}

/// The locations of a part; `None` if it takes none.
pub(super) fn located(unit: Unit, part: &VaryingPart) -> Option<Binding> {
    (part.count > 0).then(|| slot(unit, part.start.into(), 0, part.count.into()))
}

/// A part in each direction that it goes in. They differ in their locations.
pub(super) struct Ways<'p> {
    pub first: &'p VaryingPart,
    all: Vec<(Unit, &'p VaryingPart)>,
}

impl<'p> Ways<'p> {
    /// What is in it: a field, or the element.
    pub(super) fn inside(&self, index: usize) -> Option<Ways<'p>> {
        let all = self.all.iter().filter_map(|(unit, part)| Some((*unit, part.parts.get(index)?)));
        Some(Ways { first: self.first.parts.get(index)?, all: all.collect() })
    }

    /// All fields of a struct.
    pub(super) fn each_inside(&self) -> impl Iterator<Item = Ways<'p>> {
        (0..self.first.parts.len()).filter_map(|index| self.inside(index))
    }

    /// Its locations, counted from the first of what is around it.
    pub(super) fn located(&self, around: Option<&Ways>) -> Vec<(Unit, Binding)> {
        let mut list = Vec::new();
        for (at, (unit, part)) in self.all.iter().enumerate() {
            let start = around.and_then(|around| around.all.get(at)).map_or(0, |(_, around)| around.start.into());
            let relative = |b: Binding| Binding { index: b.index.map(|i| i.saturating_sub(start)), ..b };
            list.extend(located(*unit, part).map(|b| (*unit, relative(b))));
        }
        list
    }
}

/// The walk over one parameter or result.
struct Show<'a, 'b> {
    builder: &'b Builder<'a>,
    stage: Stage,
}

impl Show<'_, '_> {
    fn whole(&self, both: &Both) -> Variable {
        let Varying { function, param, many, part, .. } = both.first;
        let param = param.and_then(|i| self.builder.program.functions[*function].params.get(i));
        let mut variable = self.variable(&both.ways(), None);
        variable.name = param.map(|_| part.name.to_string());
        variable.location = variable.location.filter(|_| param.is_some());
        variable.user_attribs = param.map_or_else(Vec::new, |p| user_attributes(&p.attributes));
        variable.per = both.first.per().map(str::to_owned);
        // The output of a mesh shader is shown alike in both its spellings.
        let output = many.filter(|m| m.per != Per::VertexIn && m.count.is_some());
        if let (Some(output), Some(node)) = (output, &mut variable.ty) {
            let TypeNode { element_type, sizes, .. } = std::mem::take(&mut **node);
            **node =
                TypeNode { element_type, sizes, ..self.builder.holding("meshOutput", output.element, output.count) };
        }
        variable
    }

    fn variable(&self, ways: &Ways, around: Option<&Ways>) -> Variable {
        let part = ways.first;
        let declared = self.builder.declared(Some(part.name.to_string()), part.span, (&part.explicit, &[]));
        let mut variable = Variable { ty: Some(Box::new(self.node(ways))), ..declared };
        let found = ways.located(around);
        let varies = |(unit, _): &(Unit, Binding)| matches!(unit, Unit::VaryingInput | Unit::VaryingOutput);
        variable.stage = found.iter().any(varies).then(|| self.stage.name().to_owned());
        put(&mut variable, found.into_iter().map(|(_, binding)| binding).collect());
        set_semantic(&mut variable, part.semantic.clone());
        variable
    }

    fn node(&self, ways: &Ways) -> TypeNode {
        let (program, part) = (self.builder.program, ways.first);
        let mut node = self.builder.bare_type(part.ty);
        if let Type::Struct(id) = program.types.get(part.ty) {
            let shown = program.structs[id].fields.iter().zip(ways.each_inside()).map(|(field, inner)| Variable {
                user_attribs: user_attributes(&field.attributes),
                ..self.variable(&inner, Some(ways))
            });
            node.fields = Some(shown.collect());
        } else if let Some(element) = ways.inside(0) {
            node.element_type = Some(Box::new(self.node(&element)));
            node.semantic_stride = part.semantic_stride.map(u64::from);
        }
        let size = |(_, b): (Unit, Binding)| {
            let value = b.count.unwrap_or(Count::Number(1));
            Size { kind: b.kind, value, alignment: None, stride: None }
        };
        node.sizes = Some(ways.located(None).into_iter().map(size).collect());
        node
    }
}
