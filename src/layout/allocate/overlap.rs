//! What explicit positions collide with: everything that has a part of a range already is reported at once.

use super::{Allocator, LAST_SLOT, Pending, Ranges, range_text};
use crate::diagnostic::{Code, Diagnostic};
use crate::layout::lock::Owner;
use crate::layout::trace::{How, Placement};
use crate::layout::types::Detail;
use crate::layout::units::{Counts, UNBOUNDED, Unit};
use crate::layout::{Api, Overlap, Part, Position, walk};
use crate::source::Span;
use crate::tree::Type;
use std::collections::BTreeSet;

/// No more than this many are named of those that have the same position.
const SHOWN: usize = 12;

/// What has a part of a range: kept for the next one with the same range, which meets the same and what came since. Thousands
/// of parameters at one position are reported without looking at all of the others for each.
#[derive(Default)]
pub(super) struct Met {
    ranges: Vec<Placement>,
    /// How many taken and how many shared ranges were looked at.
    seen: [usize; 2],
    /// Which list of owners is theirs.
    list: Option<usize>,
}

impl Allocator<'_> {
    /// Takes a range, and reports with what it overlaps.
    pub(super) fn claim(&mut self, range: Placement) {
        self.tell_met(&range);
        self.take(range);
    }

    /// Takes note of what lies in a range that is given to others all the same.
    pub(super) fn share(&mut self, range: Placement) {
        self.shared.entry((range.space, range.numbers)).or_default().push(range);
    }

    /// Reports what a range overlaps.
    pub(super) fn tell_met(&mut self, range: &Placement) {
        let key = (range.space, range.numbers);
        let lists = [self.taken.get(&key), self.shared.get(&key)];
        let any = |list: &Ranges| list.numbers().met(range.start, range.end).is_some();
        if !lists.iter().flatten().any(|list| any(list)) {
            return;
        }
        let same = (range.space, range.numbers, range.start, range.end);
        let mut met = self.met_before.remove(&same).unwrap_or_default();
        for (seen, list) in met.seen.iter_mut().zip(lists) {
            let list = list.map_or([].as_slice(), Ranges::as_slice);
            let new = list.get(*seen..).unwrap_or_default().iter();
            met.ranges.extend(new.filter(|r| r.start < range.end && range.start < r.end));
            *seen = list.len();
        }
        self.tell_overlap(range, &mut met);
        self.met_before.insert(same, met);
    }

    /// Takes a number of those that are no slots.
    pub(super) fn claim_number(&mut self, range: Placement) {
        let unit = range.unit;
        // Several views of one attachment may have its index: its depth and its stencil.
        let given = self.numbers.get(&unit).and_then(|given| given.met(range.start, range.end));
        if unit == Unit::Specialization && given.is_some() {
            let given = self.trace.iter().filter(|p| p.unit == unit && p.start < range.end && range.start < p.end);
            let mut others = Met { ranges: given.copied().collect(), ..Met::default() };
            self.tell_overlap(&range, &mut others);
        }
        self.trace.push(range);
    }

    fn tell_overlap(&mut self, range: &Placement, met: &mut Met) {
        let Some(first) = met.ranges.first().copied() else { return };
        // On Vulkan a descriptor of both serves variables of each.
        let combined = met.ranges.len() == 1 && self.is_combined(range, &first);
        if combined && self.settings.api == Api::Vulkan {
            return;
        }
        let owners = self.owners(met);
        let placed = range.owner.global();
        let others = met.ranges.as_slice();
        let hidden = others.len().saturating_sub(SHOWN);
        let others = others.get(..others.len() - hidden).unwrap_or_default();
        let all = || [range].into_iter().chain(others);
        let places: Vec<String> = all().map(range_text).collect();
        let between = if places.len() == 2 && hidden == 0 { " and " } else { ", " };
        let message = format!("the positions of {} overlap: {}", names(all(), hidden), places.join(between));
        // An option has no place in the sources: what it meets has.
        let at = if range.span == Span::default() { first.span } else { range.span };
        let mut diagnostic = Diagnostic::warning(Code::BINDING_OVERLAP, at, message);
        if range.how == How::Option {
            diagnostic = diagnostic.note("`--globals-binding` places the buffer of plain globals");
        }
        if combined && self.settings.api.is_webgpu() {
            diagnostic = diagnostic.note("Vulkan alone has one binding for both; give the sampler another one");
        }
        for other in others.iter().filter(|r| r.span != Span::default() && r.span != at) {
            diagnostic = diagnostic.label(other.span, format!("`{}` takes {}", other.name, range_text(other)));
        }
        // DXC's validation refuses registers that two resources of an entry point have.
        let api = self.settings.api;
        let never = api.is_webgpu() || api == Api::D3d || range.unit == Unit::Specialization;
        self.overlaps.push(Overlap { placed, met: owners, never, diagnostic });
    }

    /// Whether two ranges are a texture and a sampler of which the source says that they are one descriptor (DXC's SPIR-V manual,
    /// "Combined image sampler").
    fn is_combined(&self, a: &Placement, b: &Placement) -> bool {
        let types = &self.program.types;
        let kind = |range: &Placement| {
            let global = &self.program.globals[range.owner.global()?];
            match types.get(types.innermost(global.ty)) {
                Type::Texture(_) if global.is_combined_image() => Some(Unit::ShaderResource),
                Type::Sampler(_) if global.is_combined_image() => Some(Unit::Sampler),
                _ => None,
            }
        };
        let same = (a.space, a.start, a.end) == (b.space, b.start, b.end);
        let both = kind(a).zip(kind(b)).is_some_and(|(a, b)| a != b);
        same && both
    }

    /// The owners of what was met, in the list that all share that meet the same.
    fn owners(&mut self, met: &mut Met) -> (usize, usize) {
        let list = *met.list.get_or_insert(self.met.len());
        if list == self.met.len() {
            self.met.push(Vec::new());
        }
        if let Some(owners) = self.met.get_mut(list) {
            owners.extend(met.ranges.iter().skip(owners.len()).map(|r| r.owner.global()));
        }
        (list, met.ranges.len())
    }

    /// The slots within the spaces of a block whose space is explicit.
    pub(super) fn claim_inside(&mut self, pending: &Pending, space: u64, span: Span) {
        let mut inside = self.slots_inside(pending, space, How::Explicit);
        self.tell_parts(pending, &inside);
        inside.iter_mut().for_each(|part| part.span = span);
        inside.iter().for_each(|part| self.tell_met(part));
        for part in inside {
            match self.settings.policy.blocks.share_spaces {
                true => self.share(part),
                false => self.take(part),
            }
        }
    }

    /// Reports what has the slots within the spaces that a block is given: nested blocks, where the policy does not keep their
    /// spaces from others; and, where classes have ranges of bindings, its own parts.
    pub(super) fn tell_inside(&mut self, pending: &Pending, space: u64) {
        let inside = self.slots_inside(pending, space, How::FirstFit);
        self.tell_parts(pending, &inside);
        if self.settings.policy.blocks.explicit_keeps_one_space {
            inside.iter().for_each(|part| self.tell_met(part));
        }
    }

    /// Reports which register classes of a parameter have the same bindings: ranges that do not leave room for each other.
    pub(super) fn tell_parts(&mut self, pending: &Pending, inside: &[Placement]) {
        for part in inside {
            self.check_end(pending, part.unit, (part.start, part.count()), pending.span);
        }
        let spaces: BTreeSet<u64> = inside.iter().map(|part| part.space).collect();
        for space in spaces {
            let meets = |a: &Placement, b: &Placement| {
                let numbers = |p: &Placement| (p.space, p.numbers);
                a.unit != b.unit && numbers(a) == numbers(b) && a.start < b.end && b.start < a.end
            };
            let here = inside.iter().filter(|a| a.space == space && inside.iter().any(|b| meets(a, b)));
            let parts: Vec<Placement> = here.copied().collect();
            if !parts.is_empty() {
                self.tell_classes(pending, space, &parts);
            }
        }
    }

    /// Several classes of one parameter in the same bindings. A texture and a sampler may be two views of one.
    fn tell_classes(&mut self, pending: &Pending, space: u64, parts: &[Placement]) {
        let text = |p: &Placement| {
            let what = p.unit.class().map_or("others".to_owned(), |class| format!("{class} registers"));
            let last = p.end.saturating_sub(1);
            if last == p.start { format!("{what} at {last}") } else { format!("{what} at {} to {last}", p.start) }
        };
        let parts_text: Vec<String> = parts.iter().map(text).collect();
        let parts_text = parts_text.join(", ");
        let message = format!("parts of `{}` have the same bindings in set {space}: {parts_text}", pending.name);
        let note = match self.settings.policy.shifts.everywhere {
            true => "`--shift` has to leave room for all registers of a class",
            false => "under `slangc`, `--shift` moves nothing in parameter blocks and entry point parameters",
        };
        let diagnostic = Diagnostic::warning(Code::BINDING_OVERLAP, pending.span, message).note(note);
        let halves = parts.iter().all(|p| matches!(p.unit, Unit::ShaderResource | Unit::Sampler));
        let never = self.settings.api.is_webgpu() || !halves;
        let (placed, met) = (pending.id.global(), (self.met.len(), 1));
        self.met.push(vec![placed]);
        self.overlaps.push(Overlap { placed, met, never, diagnostic });
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
        let globals = ("$Globals".into(), Owner::Globals);
        let range = self.range_of(globals, unit, space, (start, 1), How::Option);
        self.spaces.insert(space);
        if exists { self.claim(range) } else { self.take(range) }
    }

    /// The slots that a parameter takes in spaces of its own, the first of which is `space`.
    fn slots_inside(&self, pending: &Pending, space: u64, how: How) -> Vec<Placement> {
        let mut list = Vec::new();
        let place = Position::at(Counts::one(Unit::Space, space));
        walk(self.program, &Part::whole(place, &pending.layout, None), &mut |part| {
            let space = part.place.offset.get(Unit::Space);
            match &part.layout.detail {
                Detail::Block { .. } => {
                    if let Some((starts, taken)) = part.layout.own_slots() {
                        let slots = Unit::SLOTS.into_iter().filter(|u| taken.get(*u) > 0);
                        let at = |unit| (starts.get(unit), taken.get(unit));
                        list.extend(slots.map(|unit| self.range(pending, unit, space, at(unit), how)));
                    }
                    true
                }
                Detail::Struct(_) => part.layout.counts.get(Unit::Space) > 0,
                Detail::Array { count: None, .. } => {
                    let classes = part.layout.unbounded_classes().into_iter().zip(space..);
                    list.extend(classes.map(|(unit, space)| self.range(pending, unit, space, (0, UNBOUNDED), how)));
                    false
                }
                Detail::Array { .. } | Detail::Resource { .. } | Detail::Plain | Detail::Matrix { .. } => false,
            }
        });
        list
    }
}

/// `a`, `b` and `c`; or `a`, `b` and 4 more.
fn names<'r>(ranges: impl Iterator<Item = &'r Placement>, hidden: usize) -> String {
    let mut names: Vec<String> = ranges.map(|r| format!("`{}`", r.name)).collect();
    let last = if hidden > 0 { Some(format!("{hidden} more")) } else { names.pop() };
    format!("{} and {}", names.join(", "), last.unwrap_or_default())
}
