//! The parts of a recorded parameter under other options: a lock records where a parameter begins, and what lies in it follows
//! from its type and the options that it was recorded under.

use super::super::lock::{Owner, Record, Under};
use super::super::trace::How;
use super::super::types::{Detail, TypeLayout};
use super::super::units::{Counts, Unit};
use super::super::{Api, Part, Position, Settings, buffer_place, walk};
use super::locked::Locked;
use super::{Allocator, Pending, range_text};
use crate::tree::{Program, Step};

/// Where one slot or attachment of a parameter is.
#[derive(Clone, PartialEq, Debug)]
struct PartSlot {
    /// The path from the parameter on.
    path: Vec<Step>,
    /// It is in a space that its parameter takes, not in one of others.
    inside: bool,
    unit: Unit,
    index: u64,
    space: u64,
}

/// The slots and attachments in a parameter, first elements of arrays, in the order of its type.
fn slots(program: &Program, place: Position, layout: &TypeLayout) -> Vec<PartSlot> {
    let mut list = Vec::new();
    walk(program, &Part::whole(place, layout, None), &mut |part| {
        match &part.layout.detail {
            Detail::Block { container, own_space, .. } => {
                let place = buffer_place(part.place, part.layout);
                put(&mut list, part, (place, container), part.inside || *own_space);
            }
            Detail::Resource { .. } => put(&mut list, part, (part.place, &part.layout.counts), part.inside),
            Detail::Struct(_) | Detail::Array { .. } | Detail::Plain | Detail::Matrix { .. } => {}
        }
        !matches!(part.layout.detail, Detail::Resource { .. })
    });
    list
}

fn put(list: &mut Vec<PartSlot>, part: &Part, (place, counts): (Position, &Counts), inside: bool) {
    for (unit, count) in counts.units().filter(|(u, _)| Unit::SLOTS.contains(u) || *u == Unit::InputAttachment) {
        let slots = Unit::SLOTS.contains(&unit);
        let space = if slots { place.space.get(unit) } else { 0 };
        let first = PartSlot { path: part.path.clone(), inside, unit, index: place.offset.get(unit), space };
        // The sampler of a combined sampler, the counter of a buffer.
        let further = (slots && count == 2).then(|| first.index.saturating_add(place.to_second().into()));
        list.extend(further.map(|index| PartSlot { index, ..first.clone() }));
        list.push(first);
    }
}

impl Under {
    /// What settings say of it.
    pub(super) fn new(settings: &Settings) -> Under {
        let d3d = settings.api == Api::D3d;
        Under {
            blocks_apart: settings.block_spaces,
            policy: settings.policy.name.to_owned(),
            shift: if d3d { Default::default() } else { settings.shift.classes().collect() },
        }
    }

    /// The options in which it differs from others.
    fn words(&self, other: &Under) -> String {
        let mut words = Vec::new();
        if self.policy != other.policy {
            words.push(format!("`--binding-policy {}`", self.policy));
        }
        if self.shift != other.shift {
            let classes: Vec<String> = self.shift.iter().map(|(class, start)| format!("{class}={start}")).collect();
            words.push(match classes.is_empty() {
                true => "no `--shift`".to_owned(),
                false => format!("`--shift {}`", classes.join(",")),
            });
        }
        if self.blocks_apart != other.blocks_apart && words.is_empty() {
            let no = if self.blocks_apart { "" } else { "no " };
            words.push(format!("a profile where parameter blocks have {no}spaces of their own"));
        }
        words.join(" and ")
    }
}

/// What distinguishes the parts of a parameter under the options of now from where they were recorded; nothing if it has a single one,
/// which is where it begins.
pub(super) fn under(program: &Program, settings: &Settings, place: Position, layout: &TypeLayout) -> Option<Under> {
    let slots = slots(program, place, layout);
    let several = slots.len() > 1 || slots.iter().any(|s| s.inside);
    several.then(|| Under::new(settings))
}

impl Allocator<'_> {
    /// Reports the first part of a parameter that other options than those it was recorded under would move.
    pub(super) fn report_parts(&mut self, lock: &Locked, pending: &Pending, record: &Record) -> bool {
        let now = Under::new(&self.settings);
        let Some(then) = record.under.as_ref().filter(|under| **under != now) else { return false };
        let Some(before) = self.layout_under(pending.id, then) else { return false };
        let counts = &pending.layout.counts;
        let recorded = |unit: Unit| record.position(unit).map(|at| (at.index, at.space, at.end()));
        let kept = |unit: Unit| match pending.fixed.contains(&unit) {
            true => Some((pending.place.offset.get(unit), Some(pending.place.space.get(unit)), u64::MAX)),
            false => lock.position(pending.id, unit, counts).map(|at| (at.index, at.space, u64::MAX)),
        };
        let was = self.known_parts(&before, &recorded);
        let is = self.known_parts(&pending.layout, &kept);
        let apart = counts.get(Unit::FurtherDescriptor) > 0 || record.position(Unit::FurtherDescriptor).is_some();
        // Further bindings that are apart from the first are where those are recorded.
        let places = |list: &[PartSlot], path: &[Step]| -> Vec<PartSlot> {
            let mut found: Vec<PartSlot> = list.iter().filter(|p| p.path == path).cloned().collect();
            found.sort_by_key(|p| (p.space, p.index));
            found.truncate(if apart { 1 } else { found.len() });
            found
        };
        // Whatever they are counted among.
        let at = |slot: &PartSlot| (slot.index, slot.space);
        let moved = was.iter().find_map(|part| {
            let [a, b] = [&was, &is].map(|list| places(list, &part.path));
            let same = a.len() == b.len() && a.iter().map(at).eq(b.iter().map(at));
            (!same).then_some((a, b))
        });
        let Some((was, is)) = moved else { return false };
        let Some(first) = was.first() else { return false };
        let name = format!("{}{}", pending.name, self.program.path_text(pending.layout.ty, &first.path));
        let elsewhere = match self.text(&is) {
            text if text.is_empty() => "elsewhere".to_owned(),
            text => format!("at {text}"),
        };
        let message = format!(
            "`{name}` cannot stay at {}: with {} it is {elsewhere}, it is recorded with {}",
            self.text(&was),
            now.words(then),
            then.words(&now)
        );
        self.report(lock, pending, message, None);
        true
    }

    /// The parts of a parameter whose units have a position.
    fn known_parts(
        &self,
        layout: &TypeLayout,
        position: &dyn Fn(Unit) -> Option<(u64, Option<u64>, u64)>,
    ) -> Vec<PartSlot> {
        let mut place = Position::default();
        for unit in Unit::ALL {
            if let Some((index, space, _)) = position(unit) {
                place.offset.set(unit, index);
                place.space.set(unit, space.unwrap_or(0));
            }
        }
        let mut list = slots(self.program, place, layout);
        list.retain(|part| match part.inside {
            true => position(Unit::Space).is_some() || part.unit == Unit::InputAttachment,
            false => position(part.unit).is_some_and(|(.., end)| part.index < end),
        });
        list
    }

    /// The layout that a parameter would have under other options.
    fn layout_under(&self, owner: Owner, under: &Under) -> Option<TypeLayout> {
        let settings = under.settings(&self.settings)?;
        match owner {
            Owner::Global(id) => Some(self.measure_global(&settings, &self.program.globals[id], owner)),
            Owner::Param(entry, index) => self.measure_param(&settings, entry, index),
            _ => None,
        }
    }

    fn text(&self, slots: &[PartSlot]) -> String {
        let texts: Vec<String> = slots.iter().map(|slot| self.slot_text(slot)).collect();
        texts.join(" and ")
    }

    fn slot_text(&self, part: &PartSlot) -> String {
        if part.unit == Unit::InputAttachment {
            return format!("attachment {}", part.index);
        }
        let owner = ("".into(), Owner::Nobody);
        range_text(&self.range_of(owner, part.unit, part.space, (part.index, 1), How::Kept))
    }
}
