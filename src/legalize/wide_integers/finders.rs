//! What has no form as pairs of words.

use super::super::Context;
use super::width;
use crate::target::{Capability, Placement, Profile};
use crate::tree::*;

/// Whether all 64-bit integers of a program can be pairs of words.
pub(super) fn is_possible(cx: &Context) -> bool {
    let (program, types) = (&*cx.program, &cx.program.types);
    let vectors_in = |ty: TypeId| program.any_leaf(ty, &mut |leaf| matches!(leaf, Type::Vector(s, _) if is_wide(s)));
    let placed = |constant| has_arrays_of_pairs(cx.profile, constant);
    let possible = |global: &Global| match types.get(types.innermost(global.ty)) {
        // Texels have formats.
        Type::Texture(Texture { element, .. }) | Type::Buffer(BufferKind::Typed, _, element) => {
            width(types, element).is_none()
        }
        Type::ConstantBuffer(data, _) => !vectors_in(data) || placed(true),
        Type::TextureBuffer(data) | Type::Buffer(_, _, data) => !vectors_in(data) || placed(false),
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
    cx.profile.facts.placement != Placement::Packoffset
        && program.listed_globals().all(|id| possible(&program.globals[id]))
        && !program.entry_points.iter().any(passes_vectors)
}

/// Whether vectors can be arrays of pairs in buffers, constant ones or others.
pub(in super::super) fn has_arrays_of_pairs(profile: &Profile, constant: bool) -> bool {
    profile.facts.placement == Placement::AlignAndSize && (!constant || profile.has(Capability::SparseUniformArrays))
}

/// Whether numbers are 64-bit integers.
pub(in super::super) fn is_wide(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::I64 | Scalar::U64)
}
