//! Semantics of stage inputs and outputs that the source gives none and the text does, as D3D needs them for input layouts
//! and to link stages.

use super::leaves::PATCH_PATH;
use super::model::Leaf;
use crate::tree::{EntryPoint, FunctionId, Program, Semantic, Type, TypeId};
use std::collections::BTreeMap;

/// Tells the leaves without a semantic which one they have in the text.
pub(super) fn complete(leaves: &mut [Leaf], emitted: Option<&Program>) {
    let mut by_path = BTreeMap::new();
    if let Some(program) = emitted {
        program.entry_points.iter().for_each(|entry| Given { program, by_path: &mut by_path }.entry(entry));
    }
    for leaf in leaves.iter_mut().filter(|l| l.semantic.is_none() && l.kind.starts_with("varying")) {
        leaf.semantic = by_path.get(&leaf.path).cloned();
    }
}

/// What has no semantic has no distances of its indices.
pub(super) fn without(leaves: &mut [Leaf]) {
    let repeats = leaves.iter_mut().filter(|l| l.semantic.is_none()).flat_map(|l| &mut l.repeats);
    repeats.for_each(|repeat| repeat.semantic_stride = None);
}

struct Given<'a> {
    program: &'a Program,
    by_path: &'a mut BTreeMap<String, String>,
}

impl Given<'_> {
    fn entry(&mut self, entry: &EntryPoint) {
        self.function(entry.name.as_str(), entry.function);
        if let Some(id) = entry.patch_constant {
            self.function(&format!("{}.{PATCH_PATH}", entry.name), id);
        }
    }

    fn function(&mut self, path: &str, id: FunctionId) {
        let function = &self.program.functions[id];
        for param in &function.params {
            let local = &function.code.locals[param.local];
            self.walk(format!("{path}.{}", local.name), local.ty, param.semantic);
        }
        self.walk(format!("{path}.$result"), function.result, function.result_semantic);
    }

    /// A type cannot contain itself, so this ends.
    fn walk(&mut self, path: String, ty: TypeId, semantic: Option<Semantic>) {
        let program = self.program;
        match program.types.get(ty) {
            Type::Struct(id) => {
                for field in &program.structs[id].fields {
                    self.walk(format!("{path}.{}", field.name), field.ty, semantic.or(field.semantic));
                }
            }
            Type::Array(element, _)
            | Type::Stream(_, element)
            | Type::Patch(_, element, _)
            | Type::MeshOutput(_, element, _) => self.walk(path, element, semantic),
            _ => {
                if let Some((name, index)) = semantic.map(|s| s.split()) {
                    let number = if index == 0 { String::new() } else { index.to_string() };
                    self.by_path.insert(path, format!("{name}{number}"));
                }
            }
        }
    }
}
