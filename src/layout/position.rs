//! Absolute positions, and the ways to those of the parts of a parameter.

use super::types::{Detail, TypeLayout, VarLayout};
use super::units::{Counts, Unit};
use crate::tree::Binding;

/// Absolute offsets of a parameter: for each unit the offset, and for slots the space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Offsets; [`Unit::Space`] is the first space of its own.
    pub offset: Counts,
    /// The space of each slot unit.
    pub space: Counts,
    /// Of an array of combined samplers without bound, where its samplers' space is not the one after its textures'.
    pub second_space: Option<u64>,
    /// Within a D3D array without bound: each leaf is in the space of its own offset.
    pub spread: bool,
    /// Elements of the arrays around, where each takes slots; 0 outside of such arrays.
    pub elements: u64,
}

impl Position {
    /// A position relative to what is around it.
    pub fn at(offset: Counts) -> Position {
        Position { offset, ..Position::default() }
    }

    /// The position of a field.
    pub fn field(self, field: &VarLayout) -> Position {
        let mut place = Position { offset: self.offset.plus(&field.offset), ..self };
        if field.from_zero {
            Unit::SLOTS.into_iter().for_each(|unit| place.offset.set(unit, 0));
        }
        place.in_spaces()
    }

    fn in_spaces(mut self) -> Position {
        if self.spread {
            Unit::SLOTS.into_iter().for_each(|unit| self.space.set(unit, self.offset.get(Unit::Space)));
        }
        self
    }

    /// The spaces of an array without bound at this place: one for each register class that it has.
    pub fn class_spaces(&self, layout: &TypeLayout) -> Vec<(Unit, u64)> {
        let first = self.offset.get(Unit::Space);
        let spaces = [first, self.second_space.unwrap_or(first.saturating_add(1))];
        layout.unbounded_classes().into_iter().zip(spaces).collect()
    }

    /// How far the second slot of a leaf lies behind its first: arrays are split, so all first ones come before.
    pub fn to_second(self) -> u32 {
        u32::try_from(self.elements.max(1)).unwrap_or(u32::MAX)
    }
}

/// The position and layout of an array's first element. A D3D array without bound has spaces of its own.
pub(super) fn enter_array(place: Position, layout: &TypeLayout) -> Option<(Position, &TypeLayout)> {
    let Detail::Array { element, count, stride } = &layout.detail else { return None };
    let mut place = place;
    if let (Some(n), true) = (count, Unit::SLOTS.into_iter().any(|u| stride.get(u) > 0)) {
        place.elements = place.elements.max(1).saturating_mul(u64::from(*n));
    }
    if count.is_none() && layout.counts.get(Unit::Space) > 0 {
        place.spread = true;
        place = place.in_spaces();
        for (unit, space) in place.class_spaces(layout) {
            place.space.set(unit, space);
        }
    }
    Some((place, element))
}

/// The position and layout of a block's contents.
pub(super) fn enter_block(place: Position, layout: &TypeLayout) -> Option<(Position, &TypeLayout)> {
    let Detail::Block { element, own_space, .. } = &layout.detail else { return None };
    let mut place = place;
    if *own_space {
        let space = place.offset.get(Unit::Space);
        for unit in Unit::SLOTS {
            place.offset.set(unit, 0);
            place.space.set(unit, space);
        }
        if layout.counts.get(Unit::InputAttachment) == 0 {
            // Numbered in the block.
            place.offset.set(Unit::InputAttachment, 0);
        }
    }
    place.offset.set(Unit::Bytes, 0);
    place.offset = place.offset.plus(&element.offset);
    Some((place, &element.layout))
}

/// Where the bindings of a parameter besides the first begin, if they are apart from it.
pub(super) fn further_bindings(place: &Position, layout: &TypeLayout) -> Option<Binding> {
    let apart = layout.counts.get(Unit::FurtherDescriptor) > 0;
    apart.then(|| Binding { class: None, ..binding(place, Unit::FurtherDescriptor) })
}

/// The place of the buffer of a block that is at `place`.
pub fn buffer_place(place: Position, block: &TypeLayout) -> Position {
    let Some((starts, _)) = block.own_slots() else { return place };
    let mut place = place;
    for unit in Unit::SLOTS {
        place.space.set(unit, place.offset.get(Unit::Space));
        place.offset.set(unit, starts.get(unit));
    }
    place
}

/// The binding that a place gives in a unit.
pub fn binding(place: &Position, unit: Unit) -> Binding {
    let number = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Binding { class: unit.class(), index: number(place.offset.get(unit)), space: number(place.space.get(unit)) }
}
