//! What explicit positions collide with: everything that has a part of a range already is told at once.

use super::{Allocator, LAST_SLOT, Pending, Range, range_text};
use crate::diagnostic::{Code, Diagnostic};
use crate::layout::lock::Owner;
use crate::layout::trace::{How, Placement};
use crate::layout::types::{Detail, TypeLayout};
use crate::layout::usage::{UNBOUNDED, Unit};
use crate::layout::{Api, Overlap};
use crate::source::Span;

impl From<&Placement> for Range {
    fn from(placed: &Placement) -> Range {
        let Placement { start, end, owner, name, span, how, .. } = *placed;
        Range { start, end, owner: name, id: owner, span, how }
    }
}

impl Allocator<'_> {
    /// Takes a range, and tells with what it overlaps.
    pub(super) fn claim(&mut self, unit: Unit, space: u64, range: Range) {
        self.tell_met(unit, space, &range);
        let (key, _) = self.numbering(unit);
        self.push(unit, key, space, range);
    }

    /// Takes note of what lies in a range that is given to others all the same.
    pub(super) fn claim_shared(&mut self, unit: Unit, space: u64, range: Range) {
        self.tell_met(unit, space, &range);
        let (key, _) = self.numbering(unit);
        self.shared.entry((space, key)).or_default().push(range);
    }

    fn tell_met(&mut self, unit: Unit, space: u64, range: &Range) {
        let (key, _) = self.numbering(unit);
        let lists = [self.taken.get(&(space, key)), self.shared.get(&(space, key))];
        let met = lists.into_iter().flatten().flatten().filter(|r| r.start < range.end && range.start < r.end);
        let met: Vec<Range> = met.copied().collect();
        self.tell_overlap(unit, range, &met, |r| range_text(unit, r, space));
    }

    /// Takes a number of those that are no slots.
    pub(super) fn claim_number(&mut self, unit: Unit, range: Range) {
        // Several views of one attachment may have its index: its depth and its stencil.
        if unit == Unit::Specialization {
            let given = self.trace.iter().filter(|p| p.unit == unit && p.start < range.end && range.start < p.end);
            let others: Vec<Range> = given.map(Range::from).collect();
            self.tell_overlap(unit, &range, &others, |r| format!("constant id {}", r.start));
        }
        self.note(unit, unit, 0, &range);
    }

    fn tell_overlap(&mut self, unit: Unit, range: &Range, others: &[Range], text: impl Fn(&Range) -> String) {
        let Some((first, more)) = others.split_first() else { return };
        let names = |list: &[Range]| list.iter().map(|r| format!("`{}`", r.owner)).collect::<Vec<_>>().join(", ");
        let before = match more.is_empty() {
            true => format!("`{}`", range.owner),
            false => format!("`{}`, {}", range.owner, names(others.get(..more.len()).unwrap_or_default())),
        };
        let last = more.last().unwrap_or(first);
        let places: Vec<String> = [range].into_iter().chain(others).map(&text).collect();
        let message = format!(
            "the positions of {before} and `{}` overlap: {}",
            last.owner,
            places.join(if more.is_empty() { " and " } else { ", " })
        );
        // An option has no place in the sources: what it meets has.
        let at = if range.span == Span::default() { first.span } else { range.span };
        let mut diagnostic = Diagnostic::warning(Code::BINDING_OVERLAP, at, message);
        if range.how == How::Option {
            diagnostic = diagnostic.note("`--globals-binding` places the buffer of plain globals");
        }
        for other in others.iter().filter(|r| r.span != Span::default() && r.span != at) {
            diagnostic = diagnostic.label(other.span, format!("`{}` takes {}", other.owner, text(other)));
        }
        let owners = [range].into_iter().chain(others).map(|r| r.id.global()).collect();
        let never = self.settings.api == Api::WebGpu || unit == Unit::Specialization;
        self.overlaps.push(Overlap { owners, never, diagnostic });
    }

    /// The slots within the spaces of a block whose space is explicit.
    pub(super) fn claim_inside(&mut self, pending: &Pending, space: u64, span: Span) {
        let mut inside = Vec::new();
        slots_inside(&pending.layout, space, &mut inside);
        for (space, unit, count) in inside {
            let range = Range { span, ..pending.range(0, count, How::Explicit) };
            match self.settings.policy.blocks_share_spaces {
                true => self.claim_shared(unit, space, range),
                false => self.claim(unit, space, range),
            }
        }
    }

    /// Tells what has the slots within the spaces that a block is given: nested blocks, where the policy does not keep their
    /// spaces from others.
    pub(super) fn tell_inside(&mut self, pending: &Pending, space: u64) {
        let mut inside = Vec::new();
        slots_inside(&pending.layout, space, &mut inside);
        for (space, unit, count) in inside {
            self.tell_met(unit, space, &pending.range(0, count, How::FirstFit));
        }
    }

    /// Reports what lies beyond the last number that any API counts to.
    pub(super) fn check_end(&mut self, pending: &Pending, unit: Unit, (start, count): (u64, u64), span: Span) {
        let end = start.saturating_add(count);
        if count == UNBOUNDED || end <= LAST_SLOT + 1 {
            return;
        }
        let what = if unit == Unit::Space { "register spaces end" } else { "numbers end" };
        let message = format!("`{}` does not fit below number 2^32", pending.name);
        let note = format!("it takes {count} from {start} on; {what} at {LAST_SLOT}");
        self.diags.push(Diagnostic::error(Code::BINDING_EXHAUSTED, span, message).note(note));
    }

    /// The plain globals' buffer where the options want it.
    pub(super) fn claim_globals(&mut self, (index, space): (u32, u32), exists: bool) {
        let unit = self.buffer_unit();
        let (start, space) = (u64::from(index), u64::from(space));
        let range = Range {
            start,
            end: start + 1,
            owner: "$Globals".into(),
            id: Owner::Globals,
            span: Span::default(),
            how: How::Option,
        };
        self.spaces.insert(space);
        match exists {
            true => self.claim(unit, space, range),
            false => {
                let (key, _) = self.numbering(unit);
                self.push(unit, key, space, range);
            }
        }
    }
}

/// The slots that a type takes in spaces of its own, the first of which is `space`.
fn slots_inside(layout: &TypeLayout, space: u64, list: &mut Vec<(u64, Unit, u64)>) {
    match &layout.detail {
        Detail::Block { container, element, own_space } => {
            if *own_space {
                let taken = container.plus(&element.layout.usage);
                list.extend(Unit::SLOTS.into_iter().map(|u| (space, u, taken.get(u))).filter(|(_, _, n)| *n > 0));
            }
            slots_inside(&element.layout, space.saturating_add(element.offset.get(Unit::Space)), list);
        }
        Detail::Struct(fields) => {
            for field in fields.iter().filter(|f| f.layout.usage.get(Unit::Space) > 0) {
                slots_inside(&field.layout, space.saturating_add(field.offset.get(Unit::Space)), list);
            }
        }
        Detail::Array { count: None, .. } => {
            let classes = layout.unbounded_classes().into_iter().zip(space..);
            list.extend(classes.map(|(unit, space)| (space, unit, UNBOUNDED)));
        }
        _ => {}
    }
}
