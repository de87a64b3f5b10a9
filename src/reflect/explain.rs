//! Why everything is where it is: for each parameter and each part of one, the steps that lead to its position, with the
//! rule behind each and the place in the source.
//!
//! The steps follow the phases of seed 000: global order, what a type takes, explicit positions, first fit; then the way
//! from the parameter down to the part. What was taken when something was placed is read from layout's trace.

use super::build::bindings;
use super::model::{Binding, Count};
use super::words::position;
use crate::layout::rules::{Rules, round_up};
use crate::layout::trace::{How, Owner, Placement};
use crate::layout::{
    Api, Detail, Place, ProgramLayout, ScopeBuffer, TypeLayout, UNBOUNDED, Unit, VarLayout, enter_array, enter_block,
};
use crate::source::{Sources, Span};
use crate::tree::{Program, Type, TypeId};
use serde::Serialize;

/// More than this many others are counted rather than named.
const SHOWN: usize = 12;

/// Why something is where it is.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// `gPairs.b`; uniform parameters of entry points as `main.tint`.
    pub path: String,
    /// Where it is, in words.
    pub position: String,
    /// How it came there.
    pub steps: Vec<Step>,
}

/// One step of a derivation.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// What happens.
    pub text: String,
    /// The document and section that says so.
    pub rule: String,
    /// `file:line:column`, with the line of the source.
    pub source: Option<(String, String)>,
    /// What was taken at that time, and by whom.
    pub taken: Vec<String>,
}

impl Explanation {
    /// For people.
    pub fn to_text(&self) -> String {
        let mut text = format!("{}: {}\n", self.path, self.position);
        for (number, step) in self.steps.iter().enumerate() {
            text.push_str(&format!("\n{}. {}\n", number + 1, step.text));
            for line in &step.taken {
                text.push_str(&format!("     {line}\n"));
            }
            if let Some((place, line)) = &step.source {
                text.push_str(&format!("   {place}: {line}\n"));
            }
            if !step.rule.is_empty() {
                text.push_str(&format!("   rule: {}\n", step.rule));
            }
        }
        text
    }
}

const ORDERING: &str = "seed 000 \"Ordering (and Collapsing) Shader Parameters\"; FACTS 12";
const NEEDS: &str = "seed 000 \"Computing Resource Requirements\"";
const ARRAYS: &str = "seed 000 \"Sized Arrays\", \"Splitting of Arrays\"; FACTS 3 and 8";
const UNSIZED: &str = "seed 000 \"Unsized Arrays\"; FACTS 9";
const STRUCTURES: &str = "seed 000 \"Structures\"; FACTS 5 and 8";
const BUFFERS: &str = "seed 000 \"Constant Buffers\"; FACTS 7";
const BLOCKS: &str = "seed 000 \"Parameter Blocks\"; FACTS 7";
const EXPLICIT: &str = "seed 000 \"Processing Explicit Binding Modifiers\"; FACTS 13";
const FIRST_FIT: &str = "seed 000 \"Allocating Bindings to Parameters\"; FACTS 13";
const GLOBALS: &str = "FACTS 10";
const ENTRIES: &str = "FACTS 11";
const LOCK: &str = "the bindings lock: what it records stays, what is new comes after it";

/// Every parameter and every part of one, in global order.
pub fn explain(program: &Program, layout: &ProgramLayout, sources: &Sources) -> Vec<Explanation> {
    let mut explainer = Explainer { program, layout, sources, list: Vec::new() };
    explainer.globals();
    (0..program.entry_points.len()).for_each(|entry| explainer.entry(entry));
    explainer.list
}

struct Explainer<'a> {
    program: &'a Program,
    layout: &'a ProgramLayout,
    sources: &'a Sources,
    list: Vec<Explanation>,
}

/// Where a walk down a parameter is.
#[derive(Clone)]
struct At<'a> {
    path: String,
    place: Place,
    layout: &'a TypeLayout,
    /// Of the bytes here.
    rules: &'static Rules,
    /// Elements of the arrays around, where each has registers of its own.
    elements: u64,
    steps: Vec<Step>,
}

impl<'a> Explainer<'a> {
    fn globals(&mut self) {
        let layout = self.layout;
        if let Some(buffer) = &layout.globals {
            let text =
                "Plain data at global scope is one buffer, placed before all that asks for no position".to_owned();
            let mut steps = vec![Step { text, rule: GLOBALS.to_owned(), ..Step::default() }];
            steps.extend(self.placements(Owner::Globals));
            self.buffer("$Globals", buffer, steps);
        }
        let names = layout.parameters.iter().map(|p| self.program.globals[p.global].name.as_str());
        let names: Vec<&str> = names.collect();
        for (index, p) in layout.parameters.iter().enumerate() {
            let global = &self.program.globals[p.global];
            let mut steps = vec![self.order(index, &names, global.span)];
            let path = global.name.to_string();
            let rules = layout.settings.constant_rules;
            let in_buffer = layout.globals.as_ref().filter(|_| p.layout.size() > 0);
            let bytes = in_buffer.map(|b| self.bytes(index, (&b.layout, &names), b.kept, rules, global.span));
            steps.extend(self.needs_step(&p.layout, global.span));
            steps.extend(bytes);
            steps.extend(self.placements(Owner::Global(p.global)));
            self.part(At { path, place: p.place, layout: &p.layout, rules, elements: 1, steps });
        }
    }

    fn entry(&mut self, entry: usize) {
        let layout = self.layout;
        let (Some(scope), Some(point)) = (layout.entry_points.get(entry), self.program.entry_points.get(entry)) else {
            return;
        };
        let function = &self.program.functions[point.function];
        let rules = match layout.settings.api {
            Api::Vulkan => layout.settings.push_rules,
            _ => layout.settings.constant_rules,
        };
        let locals: Vec<_> = scope
            .params
            .iter()
            .filter_map(|(at, ..)| function.params.get(*at))
            .map(|param| &function.code.locals[param.local])
            .collect();
        let names: Vec<&str> = locals.iter().map(|l| l.name.as_str()).collect();
        let whole = self.placements(Owner::EntryScope(entry));
        if let Some(buffer) = &scope.buffer {
            let text = format!("Plain uniform parameters of `{}` are one buffer", point.name);
            let mut steps = vec![Step { text, rule: ENTRIES.to_owned(), ..Step::default() }];
            steps.extend(whole.clone());
            steps.extend(self.placements(Owner::EntryBuffer(entry)));
            self.buffer(&format!("{}.$Params", point.name), buffer, steps);
        }
        for (index, ((at, place, layout), local)) in scope.params.iter().zip(&locals).enumerate() {
            let text = format!(
                "The uniform parameters of `{}` come in their order: `{}` is {}",
                point.name,
                local.name,
                nth(index, scope.params.len())
            );
            let mut steps =
                vec![Step { text, rule: ENTRIES.to_owned(), source: self.source(local.span), ..Step::default() }];
            steps.extend(whole.clone());
            let in_buffer = scope.buffer.as_ref().filter(|_| layout.size() > 0);
            let bytes = in_buffer.map(|b| self.bytes(index, (&b.layout, &names), b.kept, rules, local.span));
            steps.extend(self.needs_step(layout, local.span));
            steps.extend(bytes);
            steps.extend(self.placements(Owner::Param(entry, *at)));
            let path = format!("{}.{}", point.name, local.name);
            self.part(At { path, place: *place, layout, rules, elements: 1, steps });
        }
    }

    /// The buffer of a scope by itself.
    fn buffer(&mut self, path: &str, buffer: &ScopeBuffer, steps: Vec<Step>) {
        let position = match buffer.binding {
            Some(b) => {
                let unit = b.class.and_then(Unit::of_class).unwrap_or(Unit::Descriptor);
                slot(unit, b.index.into(), b.space.into(), 1)
            }
            None => slot(Unit::PushConstant, buffer.push, 0, 1),
        };
        let position = format!("{position}, {} bytes", buffer.layout.size());
        self.list.push(Explanation { path: path.to_owned(), position, steps });
    }

    /// Phase 1.
    fn order(&self, index: usize, names: &[&str], span: Span) -> Step {
        let before = names.get(..index).unwrap_or(&[]);
        let global = names.get(index).copied().unwrap_or("");
        let mut text = format!("Global order: `{global}` is {}", nth(index, names.len()));
        if !before.is_empty() {
            let hidden = before.len().saturating_sub(SHOWN);
            let shown: Vec<String> = before.iter().skip(hidden).map(|n| format!("`{n}`")).collect();
            let more = if hidden > 0 { format!("{hidden} others, ") } else { String::new() };
            text.push_str(&format!(", after {more}{}", shown.join(", ")));
        }
        let policy = &self.layout.settings.policy;
        let mut rule = ORDERING.to_owned();
        if policy.by_class {
            rule.push_str("; registers are given class by class (FACTS 17)");
        }
        if policy.namespaces_last {
            rule.push_str("; what is in namespaces comes last");
        }
        Step { text, rule, source: self.source(span), ..Step::default() }
    }

    /// Phase 2.
    fn needs_step(&self, layout: &TypeLayout, span: Span) -> Option<Step> {
        let takes: Vec<String> = layout.usage.units().map(|(unit, n)| amount(unit, n)).collect();
        let text = format!("Its type takes {}", takes.join(" and "));
        let step = Step { text, rule: self.needs(layout), source: self.source(span), ..Step::default() };
        (!takes.is_empty()).then_some(step)
    }

    /// The rule that says what a type takes.
    fn needs(&self, layout: &TypeLayout) -> String {
        match &layout.detail {
            Detail::Array { count: None, .. } => UNSIZED.to_owned(),
            Detail::Array { .. } => ARRAYS.to_owned(),
            Detail::Struct(_) => STRUCTURES.to_owned(),
            Detail::Block { own_space: true, .. } => BLOCKS.to_owned(),
            Detail::Block { .. } => BUFFERS.to_owned(),
            Detail::Resource { .. } => format!("{NEEDS}, \"Opaque Types\"; FACTS 6"),
            _ => format!("{NEEDS}, \"Plain Old Data\", \"Vectors\"; FACTS 2 and 4"),
        }
    }

    /// The steps that placed an owner.
    fn placements(&self, owner: Owner) -> Vec<Step> {
        let mine = self.layout.trace.iter().enumerate().filter(|(_, p)| p.owner == owner);
        mine.map(|(index, placement)| self.placement(index, placement)).collect()
    }

    fn placement(&self, index: usize, p: &Placement) -> Step {
        let here = range(p);
        let earlier = self.layout.trace.iter().take(index);
        let others: Vec<&Placement> =
            earlier.filter(|o| o.numbers == p.numbers && (o.space == p.space || p.unit == Unit::Space)).collect();
        let what = if p.unit == Unit::Space { "spaces" } else { "places" };
        let (text, rule) = match p.how {
            How::Explicit => (format!("Explicit positions come first: {here} is asked for"), EXPLICIT),
            How::Option => (format!("An option gives {here}"), EXPLICIT),
            How::Api => (format!("The API keeps {here}"), EXPLICIT),
            How::Recorded => (format!("The bindings lock has {here} on record"), LOCK),
            How::Kept => (format!("The bindings lock keeps {here}"), LOCK),
            How::FirstFit if p.unit == Unit::Space => {
                (format!("It has {} of its own: {here} is the first that is free", plural(p, "space")), BLOCKS)
            }
            How::FirstFit => {
                (format!("First fit: {here} is the first gap of {}", p.end.saturating_sub(p.start)), FIRST_FIT)
            }
            How::AfterRecorded => {
                (format!("New since the bindings lock: {here} is the first gap after what that records"), LOCK)
            }
            How::Rest => (
                format!("Without a bound it takes all above what was placed before: {here}"),
                "seed 002 \"unbounded arrays\"; FACTS 17",
            ),
        };
        let mut taken: Vec<String> = Vec::new();
        if matches!(p.how, How::FirstFit | How::AfterRecorded | How::Rest) {
            let hidden = others.len().saturating_sub(SHOWN);
            if hidden > 0 {
                taken.push(format!("{hidden} earlier {what} were taken"));
            }
            taken.extend(others.iter().skip(hidden).map(|o| self.taker(o)));
            if p.unit == Unit::Space {
                taken.extend(self.used_spaces());
            }
            if taken.is_empty() {
                taken.push("nothing was taken there".to_owned());
            }
        }
        Step { text, rule: rule.to_owned(), source: self.source(p.span), taken }
    }

    /// Spaces that hold parameters one by one.
    fn used_spaces(&self) -> Vec<String> {
        let slots = self.layout.trace.iter().filter(|p| Unit::SLOTS.contains(&p.unit));
        let mut spaces: Vec<(u64, &Placement)> = slots.map(|p| (p.space, p)).collect();
        spaces.sort_by_key(|(space, _)| *space);
        spaces.dedup_by_key(|(space, _)| *space);
        let shown = spaces.iter().take(SHOWN);
        shown.map(|(space, p)| format!("space {space} is that of `{}` and others", p.name)).collect()
    }

    /// Who has a range, why and from where.
    fn taker(&self, p: &Placement) -> String {
        let why = match p.how {
            How::Explicit => "explicit",
            How::Option => "by an option",
            How::Api => "kept by the API",
            How::Recorded => "recorded",
            How::Kept => "kept by the lock, gone",
            How::FirstFit | How::AfterRecorded | How::Rest => "placed before",
        };
        let place = self.source(p.span).map_or(String::new(), |(place, _)| format!(", {place}"));
        format!("{} taken by `{}` ({why}{place})", range(p), p.name)
    }

    /// Why the field at `index` begins at its byte.
    fn bytes(&self, index: usize, of: (&TypeLayout, &[&str]), kept: bool, rules: &Rules, span: Span) -> Step {
        let (fields, names) = (of.0.fields(), of.1);
        let Some(field) = fields.get(index) else { return Step::default() };
        let at = field.offset.get(Unit::Bytes);
        let (size, align) = (field.layout.size(), u64::from(field.layout.align));
        let name = names.get(index).copied().unwrap_or("");
        let end = |f: &VarLayout| f.offset.get(Unit::Bytes).saturating_add(f.layout.size());
        let earlier = fields.iter().zip(names).take(index).filter(|(f, _)| f.layout.size() > 0);
        let before = earlier.max_by_key(|(f, _)| end(f));
        let start = before.map_or(0, |(f, _)| end(f));
        let mut text =
            format!("`{name}` takes {}, aligned to {align}, by the rules of {}", amount(Unit::Bytes, size), rules.name);
        match before {
            Some((_, before)) => text.push_str(&format!("; `{before}` before it ends at byte {start}")),
            None => text.push_str("; nothing is before it"),
        }
        let aligned = round_up(start, align);
        let crosses = rules
            .row
            .map(u64::from)
            .filter(|row| !aligned.is_multiple_of(*row) && (aligned % row).saturating_add(size) > *row);
        if kept && at != aligned {
            text.push_str(&format!("; the bindings lock, or the source, has it at byte {at}"));
        } else if let Some(row) = crosses.filter(|row| round_up(aligned, *row) == at) {
            text.push_str(&format!(
                "; from byte {aligned} it would cross a row of {row} bytes, so it begins the next one: byte {at}"
            ));
        } else if at == aligned {
            text.push_str(&format!("; the next multiple of {align} is byte {at}"));
        } else {
            text.push_str(&format!("; `packoffset` or an offset puts it, or what is before it, at byte {at}"));
        }
        if let Detail::Array { stride, .. } = &field.layout.detail {
            text.push_str(&format!("; its elements are {} bytes apart", stride.get(Unit::Bytes)));
        }
        Step { text, rule: rule_of(rules), source: self.source(span), ..Step::default() }
    }

    /// Notes where a part is, and goes into its parts.
    fn part(&mut self, at: At<'a>) {
        let mut found = bindings(&at.place.offset, &at.place.space, at.layout);
        for binding in
            found.iter_mut().filter(|b| at.elements > 1 && Unit::of_word(&b.kind).is_some_and(|u| u.class().is_some()))
        {
            let one = match binding.count {
                Some(Count::Number(n)) => n,
                _ => 1,
            };
            binding.count = Some(super::build::count(one.saturating_mul(at.elements)));
        }
        let mut shown: Vec<String> = found.iter().map(shown_position).collect();
        if let Detail::Block { container, own_space: true, .. } = &at.layout.detail {
            let space = at.place.offset.get(Unit::Space);
            shown.extend(container.units().map(|(unit, _)| format!("its buffer at {}", slot(unit, 0, space, 1))));
        }
        if shown.is_empty() {
            shown.push("takes nothing".to_owned());
        }
        let position = shown.join(" and ");
        self.list.push(Explanation { path: at.path.clone(), position, steps: at.steps.clone() });
        self.inside(at);
    }

    fn inside(&mut self, at: At<'a>) {
        let layout = at.layout;
        match &layout.detail {
            Detail::Struct(fields) => self.fields(at, fields),
            Detail::Array { count, .. } => {
                let Some((place, element)) = enter_array(at.place, layout) else { return };
                // On D3D an array of structs becomes an array a leaf (seed 000).
                let spread = self.layout.settings.api == Api::D3d && !matches!(element.detail, Detail::Plain);
                let elements = if spread { at.elements.saturating_mul(count.unwrap_or(1).into()) } else { at.elements };
                let mut at = At { place, layout: element, elements, ..at };
                if count.is_none() && layout.usage.get(Unit::Space) > 0 {
                    let text =
                        "Every part of an array without a bound is an array from register 0 of a space of its own";
                    at.steps.push(Step { text: text.to_owned(), rule: UNSIZED.to_owned(), ..Step::default() });
                }
                self.inside(at);
            }
            Detail::Block { container, element, own_space } => {
                let Some((place, inner)) = enter_block(at.place, layout) else { return };
                let settings = &self.layout.settings;
                let rules = match self.program.types.get(layout.ty) {
                    Type::TextureBuffer(_) => settings.texture_buffer_rules,
                    _ if container.get(Unit::PushConstant) > 0 => settings.push_rules,
                    _ => settings.constant_rules,
                };
                let mut at = At { place, layout: inner, rules, ..at };
                at.steps.push(block_step(container, element, *own_space, place));
                self.inside(at);
            }
            Detail::Resource { element: Some(element) } => {
                let rules = self.layout.settings.structured_rules;
                let mut at = At { place: Place::default(), layout: element, rules, elements: 1, ..at };
                let stride = round_up(element.size(), element.align.into());
                let text = format!("Its elements are {stride} bytes apart");
                at.steps.push(Step { text, rule: rule_of(rules), ..Step::default() });
                self.inside(at);
            }
            _ => {}
        }
    }

    fn fields(&mut self, at: At<'a>, fields: &'a [VarLayout]) {
        let declared = self.declared(at.layout.ty);
        let names: Vec<&str> = declared.iter().map(|(name, _)| *name).collect();
        for (index, (field, (name, span))) in fields.iter().zip(&declared).enumerate() {
            let mut steps = at.steps.clone();
            if field.layout.size() > 0 {
                steps.push(self.bytes(index, (at.layout, &names), false, at.rules, *span));
            }
            for (unit, n) in field.layout.usage.units().filter(|(u, _)| *u != Unit::Bytes) {
                steps.push(self.slots(index, fields, name, (unit, n), *span));
            }
            let path = format!("{}.{name}", at.path);
            let place = at.place.field(&field.offset);
            self.part(At { path, place, layout: &field.layout, rules: at.rules, elements: at.elements, steps });
        }
    }

    /// Why a field begins at its slot.
    fn slots(&self, index: usize, fields: &[VarLayout], name: &str, (unit, n): (Unit, u64), span: Span) -> Step {
        let before: u64 = fields.iter().take(index).fold(0, |sum, f| sum.saturating_add(f.layout.usage.get(unit)));
        let at = fields.get(index).map_or(0, |f| f.offset.get(unit));
        let mut text = format!("`{name}` takes {}; fields before it take {before}", amount(unit, n));
        let mut rule = STRUCTURES;
        match at.checked_div(before) {
            Some(times) if times > 1 && at == before * times => {
                text.push_str(&format!(
                    "; the arrays around it have {times} elements, and leaf after leaf becomes an array: +{at}"
                ));
                rule = ARRAYS;
            }
            _ => text.push_str(&format!(": +{at}")),
        }
        Step { text, rule: rule.to_owned(), source: self.source(span), ..Step::default() }
    }

    fn declared(&self, ty: TypeId) -> Vec<(&'static str, Span)> {
        match self.program.types.get(ty) {
            Type::Struct(id) => self.program.structs[id].fields.iter().map(|f| (f.name.as_str(), f.span)).collect(),
            _ => Vec::new(),
        }
    }

    /// `file:line:column` and the line.
    fn source(&self, span: Span) -> Option<(String, String)> {
        if span == Span::default() {
            return None;
        }
        let span = self.sources.use_site(span);
        let file = self.sources.file(span.file)?;
        let (line, column) = self.sources.line_column(span.file, span.start);
        let text = file.text.lines().nth(line).unwrap_or("").trim();
        let text: String = text.chars().take(200).collect();
        Some((format!("{}:{}:{}", file.name, line + 1, column + 1), text))
    }
}

fn block_step(container: &crate::layout::Usage, element: &VarLayout, own_space: bool, place: Place) -> Step {
    let mut text = match container.units().next() {
        Some((unit, _)) => format!("The buffer of its plain data takes {}", amount(unit, 1)),
        None => "It has no plain data, so there is no buffer".to_owned(),
    };
    if own_space {
        text.push_str(&format!("; its contents are counted from 0 in space {}", place.space.get(Unit::Descriptor)));
    }
    let after: Vec<String> = Unit::SLOTS
        .into_iter()
        .filter(|u| element.offset.get(*u) > 0 && element.layout.usage.get(*u) > 0)
        .map(|u| amount(u, element.offset.get(u)))
        .collect();
    if !after.is_empty() {
        text.push_str(&format!("; the resources in it come after {}", after.join(" and ")));
    }
    Step { text, rule: if own_space { BLOCKS } else { BUFFERS }.to_owned(), ..Step::default() }
}

fn rule_of(rules: &Rules) -> String {
    match rules.row {
        Some(_) => format!("{NEEDS}, seeds 001 and 003; FACTS 2 to 5 ({})", rules.name),
        None if rules.min_struct_align > 1 => format!("{NEEDS}; FACTS 2 to 5 ({})", rules.name),
        None => format!("{NEEDS}; FACTS 6 ({})", rules.name),
    }
}

fn nth(index: usize, of: usize) -> String {
    format!("number {} of {of}", index + 1)
}

fn plural(p: &Placement, word: &str) -> String {
    match p.end.saturating_sub(p.start) {
        1 => format!("a {word}"),
        n => format!("{n} {word}s"),
    }
}

/// `3 t registers`.
fn amount(unit: Unit, n: u64) -> String {
    let s = if n == 1 { "" } else { "s" };
    let n = if n == UNBOUNDED { "unboundedly many".to_owned() } else { n.to_string() };
    match unit {
        Unit::Bytes => format!("{n} byte{s}"),
        Unit::Descriptor => format!("{n} binding{s}"),
        Unit::Space => format!("{n} register space{s}, set{s} or group{s}"),
        Unit::PushConstant => format!("{n} push constant buffer{s}"),
        Unit::Specialization => format!("{n} specialization constant id{s}"),
        Unit::InputAttachment => format!("{n} input attachment{s}"),
        Unit::VaryingInput | Unit::VaryingOutput => format!("{n} location{s}"),
        _ => format!("{n} {} register{s}", unit.class().unwrap_or('?')),
    }
}

fn slot(unit: Unit, index: u64, space: u64, used: u64) -> String {
    let count = (used != 1).then_some(super::build::count(used));
    position(&Binding {
        kind: unit.word().to_owned(),
        index: Some(index),
        space: Some(space),
        count,
        ..Binding::default()
    })
}

fn range(p: &Placement) -> String {
    let count = if p.end == UNBOUNDED { UNBOUNDED } else { p.end.saturating_sub(p.start) };
    slot(p.unit, p.start, p.space, count)
}

fn shown_position(binding: &Binding) -> String {
    match binding.size {
        Some(Count::Number(n)) => format!("{}, {n} bytes", position(binding)),
        _ => position(binding),
    }
}

/// The explanation of a path as a person writes it: `gPairs[3].b` is `gPairs.b`, and a name alone is enough where there is
/// only one.
pub fn find<'a>(list: &'a [Explanation], path: &str) -> Option<&'a Explanation> {
    let mut plain = String::new();
    let mut depth = 0usize;
    for c in path.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    if let Some(exact) = list.iter().find(|e| e.path == plain) {
        return Some(exact);
    }
    let ending = format!(".{plain}");
    let mut ends = list.iter().filter(|e| e.path.ends_with(&ending));
    ends.next().filter(|_| ends.next().is_none())
}
