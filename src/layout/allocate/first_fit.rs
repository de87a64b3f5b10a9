//! Phase 4: what has no explicit position gets the first that is free (rule `layout-first-fit`).

use super::super::trace::How;
use super::super::units::{UNBOUNDED, Unit};
use super::{Allocator, LAST_SLOT, Numbers, Pending, Ranges, range_text};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::GlobalId;

impl<'a> Allocator<'a> {
    pub(super) fn allocate_numbers(&mut self, pending: &mut Pending) {
        for unit in [Unit::PushConstant, Unit::ShaderRecord, Unit::InputAttachment, Unit::Specialization] {
            let count = pending.layout.counts.get(unit);
            if count > 0 && !pending.fixed.contains(&unit) {
                let start = self.free_number(unit, count);
                pending.place.offset.set(unit, start);
                self.trace.push(self.range(pending, unit, 0, (start, count), self.how_implicit()));
            }
        }
    }

    /// The lowest start of `count` numbers that are not given yet.
    pub(super) fn free_number(&mut self, unit: Unit, count: u64) -> u64 {
        let from = self.floor(unit, 0);
        self.numbers.entry(unit).or_default().give(from, count)
    }

    /// Phase 4: first fit.
    pub(super) fn allocate(&mut self, pending: &mut Pending) {
        self.allocate_numbers(pending);
        let space = pending.space_only.unwrap_or(self.home);
        for unit in Unit::SLOTS.into_iter().filter(|u| *u != Unit::LateDescriptor) {
            let count = pending.layout.counts.get(unit);
            if count == 0 || pending.fixed.contains(&unit) {
                continue;
            }
            let parted = unit == Unit::FurtherDescriptor;
            let space = if parted { pending.place.space.get(Unit::Descriptor) } else { space };
            let start = match count {
                UNBOUNDED => self.end_of(unit, space),
                _ => self.first_fit(unit, count, space),
            };
            self.take_free(pending, unit, space, start);
        }
        self.allocate_class_spaces(pending);
        let spaces = pending.layout.counts.get(Unit::Space);
        if spaces > 0 && !pending.fixed.contains(&Unit::Space) {
            let start = self.free_spaces(spaces);
            pending.place.offset.set(Unit::Space, start);
            self.tell_inside(pending, start);
            self.trace.push(self.range(pending, Unit::Space, 0, (start, spaces), self.how_implicit()));
        }
    }

    /// Where one class of an array of combined samplers without bound asks for a space, the other has the first free one.
    fn allocate_class_spaces(&mut self, pending: &mut Pending) {
        if pending.class_spaces.is_empty() || pending.fixed.contains(&Unit::Space) {
            return;
        }
        for class in pending.layout.unbounded_classes() {
            if pending.class_spaces.iter().all(|(unit, _)| *unit != class) {
                let space = self.free_spaces(1);
                self.trace.push(self.range(pending, Unit::Space, 0, (space, 1), self.how_implicit()));
                pending.class_spaces.push((class, space));
            }
        }
        self.join_class_spaces(pending);
    }

    /// What comes behind all others, in the space of what asks for none or, where nothing else is there, in one of its own.
    pub(super) fn allocate_last(&mut self, globals: &mut [(GlobalId, Pending)], home_is_open: bool) {
        let unit = Unit::LateDescriptor;
        let late = |p: &Pending| p.layout.counts.get(unit) > 0 && !p.fixed.contains(&unit);
        if !globals.iter().any(|(_, p)| late(p)) {
            return;
        }
        let space = if home_is_open { self.home } else { self.free_spaces(1) };
        for (_, pending) in globals.iter_mut().filter(|(_, p)| late(p)) {
            self.take_free(pending, unit, space, self.end_of(unit, space));
        }
    }

    /// Takes the slots of a parameter from the first free one on, if there are as many.
    fn take_free(&mut self, pending: &mut Pending, unit: Unit, space: u64, start: u64) {
        let count = pending.layout.counts.get(unit);
        let end = start.saturating_add(count);
        if start > LAST_SLOT || (end > LAST_SLOT + 1 && count != UNBOUNDED) {
            return self.report_exhausted(pending.name, pending.span, unit, space);
        }
        let how = if count == UNBOUNDED { How::Rest } else { self.how_implicit() };
        self.claim(self.range(pending, unit, space, (start, count), how));
        pending.place.offset.set(unit, start);
        pending.place.space.set(unit, space);
    }

    /// The lowest start of `count` free slots. What a lock records is not mixed with what is new, as long as there is room.
    pub(super) fn first_fit(&self, unit: Unit, count: u64, space: u64) -> u64 {
        let (_, base) = self.numbering(unit);
        let start = self.first_fit_from(unit, count, space, base.max(self.floor(unit, space)));
        let fits = start.checked_add(count).is_some_and(|end| end <= LAST_SLOT + 1);
        if fits { start } else { self.first_fit_from(unit, count, space, base) }
    }

    pub(super) fn first_fit_from(&self, unit: Unit, count: u64, space: u64, start: u64) -> u64 {
        let (key, _) = self.numbering(unit);
        let given = [self.taken.get(&(space, key)), self.counted.get(&(space, key))];
        let given: Vec<&Numbers> = given.into_iter().flatten().map(Ranges::numbers).collect();
        Numbers::first_free(&given, start, count)
    }

    /// One past the last slot that is taken in a space.
    pub(super) fn end_of(&self, unit: Unit, space: u64) -> u64 {
        let (key, base) = self.numbering(unit);
        self.taken.get(&(space, key)).and_then(|taken| taken.numbers().end()).unwrap_or(base)
    }

    pub(super) fn free_spaces(&mut self, count: u64) -> u64 {
        let from = self.floor(Unit::Space, 0);
        self.spaces.give(from, count)
    }

    pub(super) fn report_exhausted(&mut self, name: Symbol, span: Span, unit: Unit, space: u64) {
        let message = format!("no room for `{name}`");
        let mut diagnostic = Diagnostic::error(Code::BINDING_EXHAUSTED, span, message);
        let (key, _) = self.numbering(unit);
        for range in
            self.taken.get(&(space, key)).into_iter().flat_map(Ranges::iter).filter(|r| r.span != Span::default())
        {
            diagnostic = diagnostic.label(range.span, format!("`{}` takes {}", range.name, range_text(range)));
        }
        self.diags.push(diagnostic);
    }
}
