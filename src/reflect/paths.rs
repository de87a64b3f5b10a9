//! What leaves are called in the source: `gPairs.b`, `main.tint`, `$Globals`.

use super::leaves::{GLOBALS, join, params_path};
use crate::layout::lock::Owner;
use crate::layout::{Leaf, Leaves};
use crate::tree::{ParameterId, Program, TypeId};

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
            Owner::EntryScope(_) | Owner::Counter(_) | Owner::Nobody => String::new(),
        }
    }

    /// The path of a leaf below its parameter.
    fn below(&self, leaf: &Leaf) -> String {
        let Some((_, ty)) = self.declaration(leaf.parameter) else { return String::new() };
        self.program.path_text(ty, &leaf.path).trim_start_matches('.').to_owned()
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
            Owner::Globals | Owner::EntryBuffer(_) | Owner::EntryScope(_) | Owner::Counter(_) | Owner::Nobody => None,
        }
    }
}
