//! What the target cannot have in buffers that are only read, and is read out of rows of words.

use super::frame::Native;
use crate::layout::{Detail, TypeLayout, Unit};
use crate::legalize::narrow_integers::is_narrow;
use crate::legalize::wide_integers;
use crate::target::Capability;
use crate::tree::{MatrixOrder, Program, Scalar, Type, TypeId, Types};

/// Whether a target cannot have something at a place.
pub(super) fn is_unfit(program: &Program, native: &Native, layout: &TypeLayout, offset: u64) -> bool {
    let misplaced = native
        .row()
        .filter(|_| native.has_rows())
        .is_some_and(|row| is_denser(layout, offset, row) || is_broken(&program.types, layout.ty, offset));
    misplaced || is_foreign(program, native, layout)
}

/// Whether something has numbers of a width that the target lacks there, and will not be of others where it is.
pub(super) fn is_foreign(program: &Program, native: &Native, layout: &TypeLayout) -> bool {
    let profile = native.profile;
    let is_vector = |leaf| matches!(leaf, Type::Vector(s, _) | Type::Matrix(s, ..) if wide_integers::is_wide(s));
    let fits = || wide_integers::has_arrays_of_pairs(profile, native.has_rows()) && !has_gaps(&program.types, layout);
    let is_half = |leaf: Type| leaf.component() == Some(Scalar::F16);
    is_narrow(program, profile, layout.ty)
        || native.immediate && program.any_leaf(layout.ty, &mut |leaf| is_half(leaf))
        || !profile.has(Capability::Int64) && program.any_leaf(layout.ty, &mut |leaf| is_vector(leaf)) && !fits()
}

/// Whether vectors of 64-bit integers lie further apart than arrays of as many pairs of words would.
pub(super) fn has_gaps(types: &Types, layout: &TypeLayout) -> bool {
    let is_wide = |ty: TypeId| types.component(ty).is_some_and(wide_integers::is_wide);
    match &layout.detail {
        Detail::Array { element, stride, .. } => {
            is_wide(element.ty) && stride.get(Unit::Bytes) != element.size() || has_gaps(types, element)
        }
        Detail::Struct(fields) => fields.iter().any(|f| has_gaps(types, &f.layout)),
        Detail::Matrix { stride, order } => match types.get(layout.ty) {
            Type::Matrix(s, rows, columns) if wide_integers::is_wide(s) => {
                let length = if *order == MatrixOrder::Row { columns } else { rows };
                *stride != s.size() * u32::from(length)
            }
            _ => false,
        },
        Detail::Plain | Detail::Resource { .. } | Detail::Block { .. } => false,
    }
}

/// (first byte, one past the last, the target cannot have it) of everything that is no struct.
pub(super) fn collect_leaves(
    unfit: &dyn Fn(&TypeLayout, u64) -> bool,
    layout: &TypeLayout,
    offset: u64,
    leaves: &mut Vec<(u64, u64, bool)>,
) {
    match &layout.detail {
        Detail::Struct(fields) => {
            for field in fields {
                let at = offset.saturating_add(field.offset.get(Unit::Bytes));
                collect_leaves(unfit, &field.layout, at, leaves);
            }
        }
        _ if layout.size() == 0 => {}
        _ => {
            leaves.push((offset, offset.saturating_add(layout.size()), unfit(layout, offset)));
        }
    }
}

/// What lies on other things, as `packoffset` may have it, is no member of a struct.
pub(super) fn mark_unions(leaves: &mut [(u64, u64, bool)]) {
    leaves.sort_unstable();
    // From the front each leaf sees how far those before reach, from the back where those behind begin.
    let mut reach = 0;
    for (start, end, unfit) in leaves.iter_mut() {
        *unfit |= *start < reach;
        reach = reach.max(*end);
    }
    let mut next = u64::MAX;
    for (start, end, unfit) in leaves.iter_mut().rev() {
        *unfit |= *end > next;
        next = next.min(*start);
    }
}

/// Whether arrays in a type have strides, or begin at places, that are no multiples of `align`.
fn is_denser(layout: &TypeLayout, offset: u64, align: u64) -> bool {
    match &layout.detail {
        Detail::Array { element, stride, .. } => {
            !offset.is_multiple_of(align)
                || !stride.get(Unit::Bytes).is_multiple_of(align)
                || is_denser(element, 0, align)
        }
        Detail::Struct(fields) => fields.iter().any(|f| is_denser(&f.layout, f.offset.get(Unit::Bytes), align)),
        _ => false,
    }
}

/// Whether a number of two words does not begin at an even one, as `packoffset` may have it.
fn is_broken(types: &Types, ty: TypeId, offset: u64) -> bool {
    matches!(types.get(ty), Type::Scalar(s) | Type::Vector(s, _) if s.size() == 8) && !offset.is_multiple_of(8)
}
