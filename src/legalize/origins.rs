//! Origins of declarations, which passes copy: noted before the first pass, checked after the last one.

use crate::layout::{Leaf, ProgramLayout, Role};
use crate::target::{Capability, Profile};
use crate::tree::{Global, GlobalKind, Modifiers, Origin, Program};

/// Notes at parameters and fields what of the source they are.
pub(super) fn note(program: &mut Program, layout: &ProgramLayout) {
    for (id, parameter) in layout.leaves.parameters() {
        if let Some(global) = parameter.owner.global() {
            program.globals[global].origin = Origin::Parameter(id);
        }
    }
    for (_, s) in program.structs.iter_mut() {
        (0..).zip(&mut s.fields).for_each(|(index, field)| field.origin = Origin::Field(index));
    }
    for (_, f) in program.functions.iter_mut() {
        (0..).zip(&mut f.params).for_each(|(index, param)| param.declared = Some(index));
    }
}

/// What is declared elsewhere than the leaf that it stands for, or stands for none.
pub(super) fn verify(program: &Program, layout: &ProgramLayout, profile: &Profile) -> Vec<String> {
    let listed = program.listed_globals();
    let parameters = listed.map(|id| &program.globals[id]).filter(|g| g.kind == GlobalKind::Parameter);
    let fault = |global: &Global| {
        let bound = match global.origin {
            // Further samplers of a texture have units behind all that layout placed.
            _ if global.pair.is_some_and(|pair| !pair.first) => global.binding,
            Origin::Leaf(id) => layout.leaves.leaf(id).binding(),
            Origin::Element(id, 0) => layout.leaves.leaf(id).binding(),
            // Elements of an array without a size are behind all that layout placed.
            Origin::Element(id, _) if is_unsized(layout.leaves.leaf(id)) => global.binding,
            Origin::Element(id, index) => layout.leaves.leaf(id).element_binding(index),
            // Nor has a block of what no output depends on, where only other parameters have places.
            Origin::Synthesized if global.transparent => None,
            // A buffer of nothing has no place.
            Origin::Parameter(id) if layout.leaves.is_empty(id) => None,
            _ => return Some(format!("`{}` stands for no leaf: {:?}", global.name, global.origin)),
        };
        let pushed = global.modifiers.has(Modifiers::PUSH_CONSTANT) && profile.has(Capability::PushConstants);
        let recorded = global.modifiers.has(Modifiers::SHADER_RECORD);
        let same = global.binding == bound || (pushed || recorded) && global.binding.is_none();
        (!same).then(|| format!("`{}` is bound at {:?}, its leaf at {bound:?}", global.name, global.binding))
    };
    parameters.filter_map(fault).collect()
}

fn is_unsized(leaf: &Leaf) -> bool {
    leaf.role != Role::Data && leaf.dimensions.iter().any(|d| d.count.is_none())
}
