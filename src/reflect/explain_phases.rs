//! How a parameter came to its place, by the phases of layout: global order, what its type takes, explicit positions, first
//! fit. What was taken when something was placed is read from layout's trace.

use super::build::register_text;
use super::explain::{Explainer, Member, SHOWN, Step, amount, nth};
use super::explain_trace::is_numbered;
use super::model::Binding;
use super::words::{position, slot_of};
use crate::layout::rules::pages;
use crate::layout::trace::{How, Owner, Placement};
use crate::layout::{Api, Detail, ScopeBuffer, TypeLayout, Unit};
use crate::source::Span;
use crate::tree::Explicit;

impl Explainer<'_> {
    /// Phase 1. Specialization constants have numbers of their own.
    pub(super) fn order(&self, index: usize, members: &[Member], layout: &TypeLayout, span: Span) -> Step {
        let (place, among) = self.history.order(index, layout);
        let before = among.get(..place).unwrap_or_default();
        let what = if is_numbered(layout) { "Order of specialization constants" } else { "Global order" };
        let name_of = |at: usize| members.get(at).map_or("", |m| m.name);
        let mut text = format!("{what}: `{}` is {}", name_of(index), nth(place, among.len()));
        if !before.is_empty() {
            let hidden = before.len().saturating_sub(SHOWN);
            let shown: Vec<String> = before.iter().skip(hidden).map(|i| format!("`{}`", name_of(*i))).collect();
            let more = match hidden {
                0 => String::new(),
                1 => "another, ".to_owned(),
                n => format!("{n} others, "),
            };
            text.push_str(&format!(", after {more}{}", shown.join(", ")));
        }
        let policy = &self.layout.settings.policy;
        let mut rule = pages::ORDER.to_owned();
        if policy.order.by_class {
            rule.push_str(&format!("; registers are given class by class ({})", pages::REGISTER_CLASSES));
        }
        if policy.order.namespaces_last {
            rule.push_str("; what is in namespaces comes last");
        }
        Step::new(text, rule, self.source(span))
    }

    /// A position that the source asks for and that means nothing here.
    pub(super) fn ignored(&self, explicit: &Explicit, owner: Owner) -> Option<Step> {
        let holds = self.history.of(owner).any(|(_, p)| p.how == How::Explicit);
        let d3d = self.layout.settings.api == Api::D3d;
        let place = explicit.registers.iter().find(|r| r.class.is_some_and(|c| c != 'c'));
        let (text, span) = match (d3d, place, &explicit.vk_binding) {
            _ if holds => return None,
            (false, Some(register), None) => (
                format!(
                    "`{}` has no effect here: registers are for D3D, unless `--shift` maps them",
                    register_text(register)
                ),
                register.span,
            ),
            (true, None, Some((binding, set, at))) => {
                (format!("`vk::binding({binding}, {set})` has no effect here: it is for Vulkan and WebGPU"), *at)
            }
            _ => {
                let space = explicit.registers.iter().find(|r| r.class.is_none())?;
                (format!("`{}` asks for a space and leaves open where in it", register_text(space)), space.span)
            }
        };
        Some(Step::new(text, pages::EXPLICIT, self.source(span)))
    }

    /// Phase 2.
    pub(super) fn needs_step(&self, layout: &TypeLayout, span: Span) -> Option<Step> {
        let takes: Vec<String> = layout.counts.units().map(|(unit, n)| amount(unit, n)).collect();
        let text = format!("Its type takes {}", takes.join(" and "));
        (!takes.is_empty()).then(|| Step::new(text, self.needs(layout), self.source(span)))
    }

    /// The rule that says what a type takes.
    pub(super) fn needs(&self, layout: &TypeLayout) -> String {
        match &layout.detail {
            Detail::Array { count: None, .. } => pages::UNBOUNDED.to_owned(),
            Detail::Array { .. } => pages::ARRAYS.to_owned(),
            Detail::Struct(_) => pages::STRUCTS.to_owned(),
            Detail::Block { own_space: true, .. } => pages::PARAMETER_BLOCKS.to_owned(),
            Detail::Block { .. } => pages::CONSTANT_BUFFERS.to_owned(),
            Detail::Resource { .. } => pages::NEEDS.to_owned(),
            _ if layout.counts.get(Unit::Specialization) > 0 => pages::NEEDS.to_owned(),
            _ => format!("{}, {}", pages::NEEDS, pages::MATRICES),
        }
    }

    /// The steps that placed an owner.
    pub(super) fn placements(&self, owner: Owner) -> Vec<Step> {
        self.history.of(owner).map(|(index, placement)| self.placement(index, placement)).collect()
    }

    pub(super) fn placement(&self, index: usize, p: &Placement) -> Step {
        let here = self.range(p);
        let what = if p.unit == Unit::Space { "spaces" } else { "places" };
        let (text, rule) = match p.how {
            How::Explicit => {
                let shift = self.layout.settings.shift.get(p.unit).filter(|_| self.layout.settings.api != Api::D3d);
                let class = p.unit.class().unwrap_or(' ');
                let mapped = shift.map_or(String::new(), |start| {
                    format!(", as `--shift` maps {class} registers to the bindings from {start} on")
                });
                (format!("Explicit positions come first: {here} is asked for{mapped}"), pages::EXPLICIT)
            }
            How::Option => (format!("An option gives {here}"), pages::EXPLICIT),
            How::Api => (format!("The API keeps {here}"), pages::EXPLICIT),
            How::Recorded => (format!("The bindings lock has {here} on record"), pages::LOCK),
            How::Kept => (format!("The bindings lock keeps {here}"), pages::LOCK),
            How::FirstFit if p.unit == Unit::Space => {
                let rule = if self.is_block(p.owner) { pages::PARAMETER_BLOCKS } else { pages::UNBOUNDED };
                let (spaces, end) = match p.count() {
                    1 => ("a space".to_owned(), "the first that is free"),
                    n => (format!("{n} spaces"), "the first that are free"),
                };
                (format!("It has {spaces} of its own: {here}, {end}"), rule)
            }
            How::FirstFit => {
                let what = if p.unit == Unit::LateDescriptor {
                    "Behind all other bindings, which are counted without it"
                } else if p.unit == Unit::FurtherDescriptor {
                    "An explicit binding names the first slot alone; first fit for the further ones"
                } else {
                    "First fit"
                };
                (format!("{what}: {here} is the first gap of {}", p.count()), pages::FIRST_FIT)
            }
            How::AfterRecorded => {
                (format!("New since the bindings lock: {here} is the first gap after what that records"), pages::LOCK)
            }
            How::Rest => {
                (format!("An unbounded array takes all above what was placed before: {here}"), pages::UNBOUNDED)
            }
        };
        let mut taken: Vec<String> = Vec::new();
        if matches!(p.how, How::FirstFit | How::AfterRecorded | How::Rest) {
            let (others, mut shown) = self.history.earlier(index, p, SHOWN);
            let hidden = others.saturating_sub(shown.len());
            if hidden > 0 {
                taken.push(format!("{hidden} earlier {what} were taken"));
            }
            shown.sort_by_key(|o| (o.start, o.end));
            let mut lines: Vec<(u64, String)> = shown.into_iter().map(|o| (o.start, self.taker(o))).collect();
            if p.unit == Unit::Space {
                // Spaces that hold parameters one by one.
                let spaces = self.history.spaces().take(SHOWN);
                lines.extend(spaces.map(|(n, p)| (n, format!("space {n} is that of `{}` and others", p.name))));
                lines.sort_by_key(|(start, _)| *start);
            }
            taken.extend(lines.into_iter().map(|(_, line)| line));
            if taken.is_empty() {
                taken.push("nothing was taken there".to_owned());
            }
        }
        Step { taken, ..Step::new(text, rule, self.source(p.span)) }
    }

    /// Register classes that options map to ranges of bindings are bindings.
    pub(super) fn position(&self, binding: &Binding) -> String {
        position(&Binding { kind: self.slot_of(&binding.kind), ..binding.clone() })
    }

    pub(super) fn slot_of(&self, kind: &str) -> String {
        slot_of(kind, self.layout.settings.api.facts().classes).to_owned()
    }

    pub(super) fn slot(&self, unit: Unit, index: u64, space: u64, used: u64) -> String {
        let count = (used != 1).then_some(super::build::count(used));
        let (kind, index, space) = (unit.word().to_owned(), Some(index), Some(space));
        self.position(&Binding { kind, index, space, count, ..Binding::default() })
    }

    pub(super) fn range(&self, p: &Placement) -> String {
        self.slot(p.unit, p.start, p.space, p.count())
    }

    /// Where the buffer of a scope is bound.
    pub(super) fn scope_slot(&self, buffer: &ScopeBuffer) -> String {
        let (unit, index, space) = buffer.position();
        self.slot(unit, index, space, 1)
    }

    pub(super) fn is_block(&self, owner: Owner) -> bool {
        let layout = self.layout.leaves.parameter_of(owner).and_then(|id| self.layout.position(id));
        layout.is_none_or(|(_, l)| l.unbounded_classes().is_empty())
    }

    /// Who has a range, why and from where.
    pub(super) fn taker(&self, p: &Placement) -> String {
        let why = match p.how {
            How::Explicit => "explicit",
            How::Option => "by an option",
            How::Api => "kept by the API",
            How::Recorded => "recorded",
            How::Kept => "kept by the lock, gone",
            How::FirstFit | How::AfterRecorded | How::Rest => "placed before",
        };
        let place = self.source(p.span).map_or(String::new(), |(place, _)| format!(", {place}"));
        format!("{} taken by `{}` ({why}{place})", self.range(p), p.name)
    }
}
