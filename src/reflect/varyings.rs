//! Stage inputs and outputs of entry points as the sidecar shows them: their locations, semantics and types.

use super::build::{Builder, count, put, set_semantic, slot, user_attributes};
use super::model::{Binding, Size, TypeNode, Variable};
use crate::layout::locations::{self, Part, Per, Varying};
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
        let show = |both: Both| {
            let units = both.all.iter().map(|v| v.unit).collect();
            (both.first.param, Show { builder, stage, units }.whole(&both))
        };
        self.each().map(show).collect()
    }
}

/// A parameter or result in each direction that it goes in.
pub(super) struct Both<'a> {
    pub first: &'a Varying,
    pub all: &'a [Varying],
}

impl Both<'_> {
    /// Its name in paths.
    pub(super) fn name(&self) -> &'static str {
        if self.first.param.is_some() { self.first.part.name.as_str() } else { "$result" }
    }
}

/// The locations of a part; `None` if it takes none.
pub(super) fn located(unit: Unit, part: &Part) -> Option<Binding> {
    (part.count > 0).then(|| slot(unit, part.start.into(), 0, part.count.into()))
}

/// The walk over one parameter or result.
struct Show<'a, 'b> {
    builder: &'b Builder<'a>,
    stage: Stage,
    /// The directions that it goes in. What follows is given the part at hand in each of them.
    units: Vec<Unit>,
}

impl Show<'_, '_> {
    fn whole(&self, both: &Both) -> Variable {
        let Varying { function, param, many, part, .. } = both.first;
        let param = param.and_then(|i| self.builder.program.functions[*function].params.get(i));
        let parts: Vec<&Part> = both.all.iter().map(|v| &v.part).collect();
        let mut variable = self.variable(part, &parts, &[]);
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

    /// A parameter, result or field; locations are counted from what is around it.
    fn variable(&self, part: &Part, parts: &[&Part], around: &[&Part]) -> Variable {
        let declared = self.builder.declared(Some(part.name.to_string()), part.span, (&part.explicit, &[]));
        let mut variable = Variable { ty: Some(Box::new(self.node(part, parts))), ..declared };
        let mut found = Vec::new();
        for (at, (unit, part)) in self.units.iter().zip(parts).enumerate() {
            let start = around.get(at).map_or(0, |around| u64::from(around.start));
            found
                .extend(located(*unit, part).map(|b| Binding { index: b.index.map(|i| i.saturating_sub(start)), ..b }));
        }
        let varies = self.units.iter().all(|u| matches!(u, Unit::VaryingInput | Unit::VaryingOutput));
        variable.stage = (varies && !found.is_empty()).then(|| self.stage.name().to_owned());
        put(&mut variable, found);
        set_semantic(&mut variable, part.semantic.clone());
        variable
    }

    fn node(&self, part: &Part, parts: &[&Part]) -> TypeNode {
        let program = self.builder.program;
        let mut node = self.builder.bare_type(part.ty);
        let inner = |at: usize| parts.iter().filter_map(|p| p.parts.get(at)).collect::<Vec<&Part>>();
        if let Type::Struct(id) = program.types.get(part.ty) {
            let fields = program.structs[id].fields.iter().zip(&part.parts).enumerate();
            let shown = fields.map(|(at, (field, part))| Variable {
                user_attribs: user_attributes(&field.attributes),
                ..self.variable(part, &inner(at), parts)
            });
            node.fields = Some(shown.collect());
        } else if let Some(element) = part.parts.first() {
            node.element_type = Some(Box::new(self.node(element, &inner(0))));
            node.semantic_stride = part.semantic_stride.map(u64::from);
        }
        let sizes = self.units.iter().zip(parts).filter(|(_, part)| part.count > 0).map(|(unit, part)| {
            let (kind, value) = (unit.word().to_owned(), count(part.count.into()));
            Size { kind, value, alignment: None, stride: None }
        });
        node.sizes = Some(sizes.collect());
        node
    }
}
