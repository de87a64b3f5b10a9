//! What leaves are called in the source: `gPairs.b`, `main.tint`, `$Globals`.

use super::leaves::{GLOBALS, join, params_path};
use crate::layout::lock::Owner;
use crate::layout::{Leaf, Leaves};
use crate::tree::{ParameterId, Program, Step, Type, TypeId};

/// The names of a program's parameters.
#[derive(Clone, Copy)]
pub(super) struct Paths<'a> {
    pub program: &'a Program,
    pub leaves: &'a Leaves,
}

impl<'a> Paths<'a> {
    /// A leaf, with its entry point if it belongs to one.
    pub(super) fn leaf(&self, leaf: &Leaf) -> String {
        join(&self.parameter(leaf.parameter), &self.below(leaf))
    }

    /// A parameter or the buffer of a scope.
    pub(super) fn parameter(&self, id: ParameterId) -> String {
        let entry = |index: usize| self.program.entry_points.get(index).map_or("", |e| e.name.as_str());
        match self.leaves.parameter(id).owner {
            Owner::Global(id) => self.program.globals[id].name.to_string(),
            Owner::Param(index, _) => join(entry(index), self.declaration(id).map_or("", |(name, _)| name)),
            Owner::Globals => GLOBALS.to_owned(),
            Owner::EntryBuffer(index) => params_path(entry(index)),
            Owner::EntryScope(_) | Owner::Nobody => String::new(),
        }
    }

    /// The path of a leaf below its parameter.
    pub(super) fn below(&self, leaf: &Leaf) -> String {
        let Some((_, mut ty)) = self.declaration(leaf.parameter) else { return String::new() };
        let mut path = String::new();
        for step in &leaf.path {
            let Some((name, inner)) = self.field(ty, *step) else { break };
            path = join(&path, name);
            ty = inner;
        }
        path
    }

    /// Name and type of a parameter.
    fn declaration(&self, id: ParameterId) -> Option<(&'a str, TypeId)> {
        match self.leaves.parameter(id).owner {
            Owner::Global(id) => Some((self.program.globals[id].name.as_str(), self.program.globals[id].ty)),
            Owner::Param(entry, index) => {
                let function = &self.program.functions[self.program.entry_points.get(entry)?.function];
                let local = &function.code.locals[function.params.get(index)?.local];
                Some((local.name.as_str(), local.ty))
            }
            Owner::Globals | Owner::EntryBuffer(_) | Owner::EntryScope(_) | Owner::Nobody => None,
        }
    }

    /// A field of a struct, or of the struct in arrays, blocks and buffers.
    fn field(&self, ty: TypeId, step: Step) -> Option<(&'a str, TypeId)> {
        let (types, mut ty) = (&self.program.types, ty);
        let id = loop {
            match types.get(ty) {
                Type::Struct(id) => break id,
                outer => ty = outer.element()?,
            }
        };
        let Step::Field(index) = step else { return None };
        let field = self.program.structs[id].fields.get(index as usize)?;
        Some((field.name.as_str(), field.ty))
    }
}
