//! What has no form as pairs of words.

use super::super::Context;
use super::width;
use crate::target::{Capability, Placement};
use crate::tree::*;

/// Whether all 64-bit integers of a program can be pairs of words.
pub(super) fn is_possible(cx: &Context) -> bool {
    let (program, types) = (&*cx.program, &cx.program.types);
    let vectors_in = |ty: TypeId| program.any_leaf(ty, &mut |leaf| matches!(leaf, Type::Vector(s, _) if is_wide(s)));
    let placement = cx.profile.facts.placement;
    let dense = placement == Placement::AlignAndSize;
    let possible = |global: &Global| match types.get(types.innermost(global.ty)) {
        // Texels have formats.
        Type::Texture(Texture { element, .. }) | Type::Buffer(BufferKind::Typed, _, element) => {
            width(types, element).is_none()
        }
        Type::ConstantBuffer(data, _) => !vectors_in(data) || dense && cx.profile.has(Capability::SparseUniformArrays),
        Type::TextureBuffer(data) | Type::Buffer(_, _, data) => !vectors_in(data) || dense,
        // Arrays are no constants that are set from outside, and nothing that stages pass each other.
        _ => match global.kind {
            GlobalKind::Specialization => width(types, global.ty).is_none(),
            GlobalKind::Input | GlobalKind::Output | GlobalKind::Passed => !vectors_in(global.ty),
            GlobalKind::Parameter
            | GlobalKind::Heap
            | GlobalKind::Static
            | GlobalKind::Const
            | GlobalKind::Groupshared => true,
        },
    };
    let passes_vectors = |entry: &EntryPoint| {
        let function = &program.functions[entry.function];
        vectors_in(function.result) || function.params.iter().any(|p| vectors_in(function.code.locals[p.local].ty))
    };
    placement != Placement::Packoffset
        && program.listed_globals().all(|id| possible(&program.globals[id]))
        && !program.entry_points.iter().any(passes_vectors)
}

fn is_wide(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::I64 | Scalar::U64)
}
