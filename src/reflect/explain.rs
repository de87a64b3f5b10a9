//! Why everything is where it is: for each parameter and each part of one, the steps that lead to its position, with the
//! rule behind each and the place in the source.
//!
//! First come the steps to the parameter, which are in `explain_phases`, then the way from it down to the part.

use super::build::{bindings, packoffset_text};
use super::explain_find::{Dimension, Elements};
#[cfg(feature = "cli")]
pub use super::explain_find::{element, find, missing};
use super::explain_trace::{History, latest_before};
use super::leaves::{GLOBALS, params_path};
use super::model::{Binding, Count};
use crate::layout::rules::{Rules, pages, round_up};
use crate::layout::trace::Owner;
use crate::layout::{
    Counts, Detail, Part, Position, ProgramLayout, Role, ScopeBuffer, TypeLayout, Unit, VarLayout, buffer_place, walk,
};
use crate::source::{Sources, Span};
use crate::tree::{DataLayout, Explicit, LeafId, Program, Type, TypeId};
use serde::Serialize;
use std::collections::BTreeMap;
use std::rc::Rc;

/// More than this many others are counted rather than named.
pub(super) const SHOWN: usize = 12;
/// Of a longer line of the source only a part is shown.
const LONGEST_LINE: usize = 120;

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
    /// The namespaces around its parameter.
    #[serde(skip)]
    pub(super) namespace: String,
    /// The arrays that it lies in or is, and where its first element is.
    #[serde(skip)]
    pub(super) elements: Elements,
}

/// One step of a derivation.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// What happens.
    pub text: String,
    /// The pages of the rules that say so (`shaderport explain RULE`).
    pub rule: String,
    /// `file:line:column`, with the line of the source.
    pub source: Option<(String, String)>,
    /// What was taken at that time, and by whom.
    pub taken: Vec<String>,
}

impl Step {
    pub(super) fn new(text: impl Into<String>, rule: impl Into<String>, source: Option<(String, String)>) -> Step {
        Step { text: text.into(), rule: rule.into(), source, taken: Vec::new() }
    }
}

impl Explanation {
    /// For people.
    pub fn to_text(&self) -> String {
        let mut text = format!("{}: {}\n", self.path, self.position);
        let mut shown: Vec<&str> = Vec::new();
        for (number, step) in self.steps.iter().enumerate() {
            text.push_str(&format!("\n{}. {}\n", number + 1, step.text));
            for line in &step.taken {
                text.push_str(&format!("     {line}\n"));
            }
            match &step.source {
                // A line is shown once.
                Some((place, _)) if shown.contains(&place.as_str()) => text.push_str(&format!("   {place}\n")),
                Some((place, line)) => {
                    text.push_str(&format!("   {place}: {line}\n"));
                    shown.push(place);
                }
                None => {}
            }
            if !step.rule.is_empty() {
                text.push_str(&format!("   rule: {}\n", step.rule));
            }
        }
        text
    }
}

/// Every parameter and every part of one, in global order.
pub fn explain(program: &Program, layout: &ProgramLayout, sources: &Sources) -> Vec<Explanation> {
    let mut explainer = Explainer { program, layout, sources, history: History::new(layout), list: Vec::new() };
    explainer.globals();
    for entry in 0..program.entry_points.len() {
        explainer.entry(entry);
        explainer.list.extend(super::explain_io::explain(program, layout, sources, entry));
    }
    explainer.list
}

pub(super) struct Explainer<'a> {
    pub(super) program: &'a Program,
    pub(super) layout: &'a ProgramLayout,
    pub(super) sources: &'a Sources,
    pub(super) history: History<'a>,
    list: Vec<Explanation>,
}

/// A field, global or uniform parameter.
pub(super) struct Member<'a> {
    pub(super) name: &'a str,
    span: Span,
    explicit: &'a Explicit,
    /// The byte that it asks for, where, and in which words.
    asked: Option<(u32, Span, String)>,
}

/// Parameters whose plain data is one buffer: the globals, or the uniform parameters of an entry point.
struct Scope<'a> {
    owner: Owner,
    /// The path of the buffer.
    path: String,
    buffer: Option<&'a ScopeBuffer>,
    parameters: Vec<(Owner, Position, &'a TypeLayout)>,
    fields: Fields<'a>,
    rules: &'static Rules,
    /// What has its plain data there, and the page that says so.
    of: &'static str,
    page: &'static str,
}

/// Where a walk down a parameter is.
#[derive(Clone)]
struct At<'a> {
    path: String,
    place: Position,
    layout: &'a TypeLayout,
    /// Of the bytes here.
    rules: &'static Rules,
    /// What the bytes here are in, and where that is bound.
    buffer: String,
    explicit: Option<&'a Explicit>,
    steps: Vec<Step>,
    /// What can be indexed on the way here, from outside to inside.
    arrays: Vec<Dimension>,
    /// Of a struct, what is known of its fields.
    fields: Option<Rc<Fields<'a>>>,
}

/// The fields of a struct, or what is in the buffer of a scope.
struct Fields<'a> {
    fields: &'a [VarLayout],
    members: Vec<Member<'a>>,
    /// For each the one that ends last before it.
    latest: Vec<Option<usize>>,
    /// For each the slots that those before it take.
    before: Vec<Counts>,
}

impl<'a> Fields<'a> {
    fn of(fields: &'a [VarLayout], members: Vec<Member<'a>>) -> Fields<'a> {
        let latest = latest_before(fields, |i| members.get(i).is_some_and(|m| m.asked.is_some()));
        let mut used = Counts::NONE;
        let before = fields.iter().map(|field| {
            let before = used;
            used.add_slots(&field.layout.counts);
            before
        });
        Fields { before: before.collect(), fields, members, latest }
    }
}

impl At<'_> {
    /// Notes something that can be indexed by the last name of the path.
    fn enter(&mut self, count: Option<u32>, bytes: Option<u64>) {
        self.arrays.push(Dimension { name: self.path.split('.').count() - 1, count, bytes });
    }
}

impl<'a> Explainer<'a> {
    fn globals(&mut self) {
        let layout = self.layout;
        let parameters = layout.parameters.iter();
        let members = parameters.clone().map(|p| &self.program.globals[p.global]).map(|g| {
            let asked = g.explicit.constant_register();
            let asked = asked.map(|(bytes, span)| (bytes, span, format!("register(c{})", bytes / 16)));
            Member { name: g.name.as_str(), span: g.span, explicit: &g.explicit, asked }
        });
        let buffer = layout.globals.as_ref();
        let scope = Scope {
            owner: Owner::Globals,
            path: GLOBALS.to_owned(),
            buffer,
            fields: Fields::of(buffer.map_or(&[], |b| b.layout.fields()), members.collect()),
            parameters: parameters.map(|p| (Owner::Global(p.global), p.place, &p.layout)).collect(),
            rules: layout.settings.rules.constant,
            of: "plain globals",
            page: pages::GLOBALS,
        };
        let text = "Plain data at global scope is one buffer, placed before all that asks for no position";
        self.buffer(&scope, text, &[]);
        self.dropped();
        for (index, p) in layout.parameters.iter().enumerate() {
            let (global, first) = (&self.program.globals[p.global], self.list.len());
            let order = self.order(index, &scope.fields.members, &p.layout, global.span);
            self.parameter(&scope, index, global.name.to_string(), vec![order]);
            let namespace = global.namespace.path.map_or(String::new(), |p| p.to_string());
            self.list.iter_mut().skip(first).for_each(|e| e.namespace.clone_from(&namespace));
        }
    }

    /// Parameters that the policy gives no place.
    fn dropped(&mut self) {
        let dropped = self.layout.dropped.iter().map(|(id, _)| &self.program.globals[*id]);
        let list: Vec<Explanation> = dropped
            .map(|global| {
                let text = format!(
                    "No entry point reaches `{}`, and under the policy `{}` unused parameters have no position",
                    global.name, self.layout.settings.policy.name
                );
                let step = Step::new(text, pages::UNUSED, self.source(global.span));
                let (path, position) = (global.name.to_string(), "no position".to_owned());
                Explanation { path, position, steps: vec![step], ..Explanation::default() }
            })
            .collect();
        self.list.extend(list);
    }

    fn entry(&mut self, entry: usize) {
        let layout = self.layout;
        let (Some(scope), Some(point)) = (layout.entry_points.get(entry), self.program.entry_points.get(entry)) else {
            return;
        };
        let function = &self.program.functions[point.function];
        let declared = scope.params.iter().filter_map(|(at, ..)| function.params.get(*at));
        let members = declared.map(|param| (&function.code.locals[param.local], &param.explicit));
        let members = members.map(|(local, explicit)| Member {
            name: local.name.as_str(),
            span: local.span,
            explicit,
            asked: None,
        });
        let buffer = scope.buffer.as_ref();
        let scope = Scope {
            owner: Owner::EntryBuffer(entry),
            path: params_path(point.name.as_str()),
            buffer,
            fields: Fields::of(buffer.map_or(&[], |b| b.layout.fields()), members.collect()),
            parameters: scope.params.iter().map(|(at, place, l)| (Owner::Param(entry, *at), *place, l)).collect(),
            rules: layout.settings.entry_rules(),
            of: "plain uniform parameters",
            page: pages::ENTRY_POINTS,
        };
        let whole = self.placements(Owner::EntryScope(entry));
        self.buffer(&scope, &format!("Plain uniform parameters of `{}` are one buffer", point.name), &whole);
        for (index, member) in scope.fields.members.iter().enumerate() {
            let text = format!(
                "The uniform parameters of `{}` come in their order, after all globals: `{}` is {}",
                point.name,
                member.name,
                nth(index, scope.parameters.len())
            );
            let mut steps = vec![Step::new(text, pages::ENTRY_POINTS, self.source(member.span))];
            steps.extend_from_slice(&whole);
            self.parameter(&scope, index, format!("{}.{}", point.name, member.name), steps);
        }
    }

    /// The buffer of a scope by itself. `whole` are the steps that placed the scope as one.
    fn buffer(&mut self, scope: &Scope, text: &str, whole: &[Step]) {
        let Some(buffer) = scope.buffer else { return };
        let mut parameters = scope.parameters.iter().zip(&scope.fields.members);
        let first = parameters.find(|((.., layout), _)| layout.size() > 0);
        let source = first.and_then(|(_, member)| self.source(member.span));
        let mut steps = vec![Step::new(text, scope.page, source)];
        steps.extend_from_slice(whole);
        steps.extend(self.placements(scope.owner));
        let position = format!("{}, {} bytes", self.scope_slot(buffer), buffer.layout.size());
        self.list.push(Explanation { path: scope.path.clone(), position, steps, ..Explanation::default() });
    }

    /// A parameter of a scope and what is in it, after the steps that say in which order it comes.
    fn parameter(&mut self, scope: &Scope<'a>, index: usize, path: String, mut steps: Vec<Step>) {
        let Some((&(owner, place, layout), member)) = scope.parameters.get(index).zip(scope.fields.members.get(index))
        else {
            return;
        };
        steps.extend(self.needs_step(layout, member.span));
        steps.extend(self.ignored(member.explicit, owner));
        steps.extend(self.placements(owner));
        let mut buffer = String::new();
        if let Some(b) = scope.buffer.filter(|_| layout.size() > 0) {
            buffer = format!("`{}` at {}", scope.path, self.scope_slot(b));
            let text = format!("Its plain data lies in the buffer of {}, {buffer}", scope.of);
            steps.push(Step::new(text, scope.page, None));
            steps.push(self.bytes(index, &scope.fields, b.kept, scope.rules));
        }
        let (rules, explicit, arrays, fields) = (scope.rules, Some(member.explicit), Vec::new(), None);
        self.parts(owner, At { path, place, layout, rules, buffer, explicit, steps, arrays, fields });
    }

    /// Why the field at `index` begins at its byte.
    fn bytes(&self, index: usize, of: &Fields, kept: bool, rules: &Rules) -> Step {
        let Some((field, member)) = of.fields.get(index).zip(of.members.get(index)) else { return Step::default() };
        let at = field.offset.get(Unit::Bytes);
        let (size, align) = (field.layout.size(), u64::from(field.layout.align));
        let mut text = format!(
            "`{}` takes {}, aligned to {align}, by the rules of {}",
            member.name,
            amount(Unit::Bytes, size),
            rules.name
        );
        let asked = member.asked.as_ref().filter(|(bytes, ..)| u64::from(*bytes) == at);
        let source = self.source(asked.map_or(member.span, |(_, span, _)| *span));
        match asked {
            Some((.., words)) => text.push_str(&format!("; `{words}` puts it at byte {at}")),
            None => text.push_str(&self.after(index, of, kept, rules)),
        }
        if let Detail::Array { stride, .. } = &field.layout.detail {
            text.push_str(&format!("; its elements are {} bytes apart", stride.get(Unit::Bytes)));
        }
        Step::new(text, rule_of(rules), source)
    }

    /// Why a field that asks for nothing begins where it does.
    fn after(&self, index: usize, of: &Fields, kept: bool, rules: &Rules) -> String {
        let Some(field) = of.fields.get(index) else { return String::new() };
        let (at, align) = (field.offset.get(Unit::Bytes), u64::from(field.layout.align));
        let end = |f: &VarLayout| f.offset.get(Unit::Bytes).saturating_add(f.layout.size());
        let latest = of.latest.get(index).copied().flatten();
        let before = latest.and_then(|i| of.fields.get(i).zip(of.members.get(i)));
        let start = before.map_or(0, |(f, _)| end(f));
        let mut text = match before {
            Some((_, before)) => format!("; `{}` before it ends at byte {start}", before.name),
            None => "; nothing is before it".to_owned(),
        };
        let aligned = round_up(start, align);
        let size = field.layout.size();
        let crosses = rules.crossed_row(aligned, size);
        text += &if kept && at != aligned {
            format!("; the bindings lock, or the source, has it at byte {at}")
        } else if let Some(row) = crosses.filter(|row| round_up(aligned, *row) == at) {
            format!("; from byte {aligned} it would cross a row of {row} bytes, so it begins the next one: byte {at}")
        } else if at == aligned && at == 0 {
            "; it begins at byte 0".to_owned()
        } else if at == aligned {
            format!("; the next multiple of {align} is byte {at}")
        } else {
            format!("; it is put at byte {at}")
        };
        text
    }

    /// Explains where a parameter is, and each field in it.
    fn parts(&mut self, owner: Owner, whole: At<'a>) {
        let first = Part::whole(whole.place, whole.layout, whole.explicit);
        let layout = self.layout;
        let leaves = &layout.leaves;
        let of_owner = leaves.parameter_of(owner).into_iter().flat_map(|id| leaves.of_parameter(id));
        let of_owner = of_owner.filter(|(_, leaf)| leaf.role == Role::Resource);
        let resources: BTreeMap<&[crate::tree::Step], LeafId> =
            of_owner.map(|(id, l)| (l.path.as_slice(), id)).collect();
        // What the part at hand is in, with depths.
        let mut open: Vec<(usize, At<'a>)> = Vec::new();
        walk(self.program, &first, &mut |part| {
            open.truncate(open.partition_point(|(depth, _)| *depth < part.depth));
            let around = open.last().map(|(_, around)| around);
            let named = around.is_none_or(|around| matches!(around.layout.detail, Detail::Struct(_)));
            let at = match around {
                Some(around) => self.enter(around, part),
                None => At { fields: self.fields(part.layout), ..whole.clone() },
            };
            if named {
                self.explain(&at, resources.get(part.path.as_slice()).copied());
            }
            open.push((part.depth, at));
            true
        });
    }

    /// Explains where a part is. `leaf` is the resource that it is, or is an array of.
    fn explain(&mut self, at: &At<'a>, leaf: Option<LeafId>) {
        let mut found = bindings(&self.program.types, &at.place, at.layout);
        let around = at.arrays.iter().fold(1u64, |n, d| n.saturating_mul(d.count.map_or(1, u64::from)));
        for binding in &mut found {
            // Each element has its own numbers of input attachments, on every target.
            let elements = match Unit::of_word(&binding.kind) {
                Some(Unit::InputAttachment) => around,
                Some(Unit::FurtherDescriptor) => 1,
                Some(unit) if self.layout.settings.counts_elements(unit) => at.place.elements.max(1),
                _ => 1,
            };
            if let (n @ (None | Some(Count::Number(_))), 2..) = (binding.count, elements) {
                let one = if let Some(Count::Number(n)) = n { n } else { 1 };
                binding.count = Some(super::build::count(one.saturating_mul(elements)));
            }
        }
        let elements = self.elements(at);
        let hidden = leaf.map_or(String::new(), |leaf| self.hidden(at, leaf));
        let show = |b: &Binding| match (b.size, Unit::of_word(&b.kind)) {
            (Some(Count::Number(n)), _) => format!("{}, {n} bytes, in {}", self.position(b), at.buffer),
            (Some(Count::Word(_)), _) => format!("{}, in {}", self.position(b), at.buffer),
            (None, Some(Unit::Descriptor)) => self.position(b) + &hidden,
            (None, _) => self.position(b),
        };
        let mut shown: Vec<String> = found.iter().map(show).collect();
        if let Detail::Block { container, own_space: true, .. } = &at.layout.detail {
            let place = buffer_place(at.place, at.layout);
            let slot = |unit| self.slot(unit, place.offset.get(unit), place.space.get(unit), 1);
            shown.extend(container.units().map(|(unit, _)| format!("its buffer at {}", slot(unit))));
        }
        if shown.is_empty() {
            shown.push("takes nothing".to_owned());
        }
        let position = shown.join(" and ");
        let (path, steps, namespace) = (at.path.clone(), at.steps.clone(), String::new());
        self.list.push(Explanation { path, position, steps, namespace, elements });
    }

    /// The arrays of a part, and where its first element is.
    fn elements(&self, at: &At) -> Elements {
        let mut inner = at.clone();
        while let Detail::Array { element, count, stride } = &inner.layout.detail {
            inner.enter(*count, Some(stride.get(Unit::Bytes)));
            inner.layout = element;
        }
        let leaf = inner.layout;
        let free = matches!(leaf.detail, Detail::Matrix { .. } | Detail::Resource { element: Some(_) })
            || matches!(self.program.types.get(leaf.ty), Type::Vector(..));
        if free {
            inner.enter(None, None);
        }
        // A struct's slots are those of its leaves, each of which is an array.
        let mut places = bindings(&self.program.types, &at.place, at.layout);
        places.retain(|b| b.offset.is_some() || !matches!(leaf.detail, Detail::Struct(_)));
        let counts = |u: Unit| u == Unit::InputAttachment || self.layout.settings.counts_elements(u);
        let counted = |b: &Binding| Unit::of_word(&b.kind).is_some_and(counts);
        let one = |b: Binding| {
            let counted = counted(&b);
            (Binding { kind: self.slot_of(&b.kind), count: None, ..b }, counted)
        };
        Elements { dimensions: inner.arrays, first: places.into_iter().map(one).collect() }
    }

    /// What a resource has besides itself.
    fn hidden(&self, at: &At, leaf: LeafId) -> String {
        let leaves = &self.layout.leaves;
        let many = leaves.leaf(leaf).elements() > 1 && self.layout.settings.counts_elements(Unit::Descriptor);
        for (role, word) in [(Role::Counter, "counter"), (Role::Sampler, "sampler")] {
            let Some((_, beside)) = leaves.beside(leaf, role).filter(|(_, l)| l.binding().is_some()) else { continue };
            return match (many, leaves.leaf(leaf).further, beside.unit) {
                (true, None, Some(Unit::Descriptor)) => format!(" (the second half are its {word}s)"),
                (true, Some(_), Some(Unit::Descriptor)) => String::new(),
                _ => format!(" (its {word} is binding {})", beside.index()),
            };
        }
        let asked = at.explicit.and_then(|e| e.vk_counter_binding);
        asked.map_or(String::new(), |n| format!(" (its counter asks for binding {n})"))
    }

    /// Where a part is of which something around is known.
    fn enter(&self, around: &At<'a>, part: &Part<'a>) -> At<'a> {
        let layout = around.layout;
        let mut at = At {
            place: part.place,
            layout: part.layout,
            explicit: part.explicit,
            fields: self.fields(part.layout),
            ..around.clone()
        };
        match &layout.detail {
            Detail::Struct(_) => self.enter_field(&mut at, around, part),
            Detail::Array { count, stride, .. } => {
                at.enter(*count, Some(stride.get(Unit::Bytes)));
                // Where each element takes slots, an array of structs becomes an array a leaf (rule `layout-arrays`).
                if count.is_none() && layout.counts.get(Unit::Space) > 0 {
                    let text =
                        "Every part of an array without a bound is an array from register 0 of a space of its own";
                    at.steps.push(Step::new(text, pages::UNBOUNDED, None));
                }
            }
            Detail::Block { container, .. } => {
                let settings = &self.layout.settings;
                at.rules = match self.program.types.get(layout.ty) {
                    Type::TextureBuffer(_) => settings.rules.texture,
                    Type::ConstantBuffer(_, named) if named != DataLayout::Default => settings.rules_of(named, true),
                    _ if container.get(Unit::PushConstant) + container.get(Unit::ShaderRecord) > 0 => {
                        settings.rules.push
                    }
                    _ => settings.rules.constant,
                };
                let bound = container.units().next().map(|(unit, _)| {
                    let place = buffer_place(around.place, layout);
                    self.slot(unit, place.offset.get(unit), place.space.get(unit), 1)
                });
                at.buffer = format!("`{}` at {}", at.path, bound.as_deref().unwrap_or("no position"));
                // Each element of an array of buffers has bytes of its own.
                at.arrays.iter_mut().for_each(|d| d.bytes = d.bytes.map(|_| 0));
                at.steps.push(block_step(bound.as_deref(), layout, part.place));
            }
            Detail::Resource { .. } => {
                at.rules = match self.program.types.get(layout.ty) {
                    Type::Buffer(kind, ..) => self.layout.settings.rules_of(kind.data_layout(), false),
                    _ => self.layout.settings.rules.structured,
                };
                let (unit, _) = layout.counts.units().next().unwrap_or((Unit::Descriptor, 0));
                let bound = self.slot(unit, around.place.offset.get(unit), around.place.space.get(unit), 1);
                at.buffer = format!("each element of `{}` at {bound}", at.path);
                at.arrays.iter_mut().for_each(|d| d.bytes = d.bytes.map(|_| 0));
                at.enter(None, None);
                let stride = round_up(part.layout.size(), part.layout.align.into());
                let text = format!("Its elements are {stride} bytes apart");
                at.steps.push(Step::new(text, rule_of(at.rules), None));
            }
            Detail::Plain | Detail::Matrix { .. } => {}
        }
        at
    }

    /// Explains how a field comes to its place in the struct around it.
    fn enter_field(&self, at: &mut At<'a>, around: &At<'a>, part: &Part<'a>) {
        let Some(fields) = &around.fields else { return };
        let Some(crate::tree::Step::Field(index)) = part.path.last().copied() else { return };
        let index = index as usize;
        let Some((field, member)) = fields.fields.get(index).zip(fields.members.get(index)) else { return };
        at.path = format!("{}.{}", around.path, member.name);
        if field.layout.size() > 0 {
            at.steps.push(self.bytes(index, fields, false, around.rules));
        }
        let before = fields.before.get(index).copied().unwrap_or(Counts::NONE);
        for (unit, n) in field.layout.counts.units().filter(|(u, _)| *u != Unit::Bytes) {
            let from = (before.get(unit), field.offset.get(unit));
            at.steps.push(self.slots(from, member.name, (unit, n), member.span));
        }
    }

    /// What is known of the fields of a struct; nothing for what is none.
    fn fields(&self, layout: &'a TypeLayout) -> Option<Rc<Fields<'a>>> {
        let Detail::Struct(fields) = &layout.detail else { return None };
        Some(Rc::new(Fields::of(fields, self.declared(layout.ty))))
    }

    /// Why a field begins at its slot.
    fn slots(&self, (before, at): (u64, u64), name: &str, (unit, n): (Unit, u64), span: Span) -> Step {
        let mut text = format!("`{name}` takes {}; fields before it take {before}", amount(unit, n));
        let mut rule = pages::STRUCTS;
        match at.checked_div(before) {
            Some(times) if times > 1 && at == before * times => {
                text.push_str(&format!(
                    "; the arrays around it have {times} elements, and leaf after leaf becomes an array: +{at}"
                ));
                rule = pages::ARRAYS;
            }
            _ => text.push_str(&format!(": +{at}")),
        }
        Step::new(text, rule, self.source(span))
    }

    fn declared(&self, ty: TypeId) -> Vec<Member<'a>> {
        let settings = &self.layout.settings;
        let fields = self.program.fields(ty).iter();
        fields
            .map(|f| {
                let packed = f.explicit.packoffset.filter(|_| settings.obey_packoffset);
                let packed = packed.map(|(bytes, span)| (bytes, span, packoffset_text(bytes)));
                let offset = f.explicit.vk_offset.filter(|_| settings.obey_vk_offset);
                let offset = offset.map(|bytes| (bytes, f.span, format!("vk::offset({bytes})")));
                Member { name: f.name.as_str(), span: f.span, explicit: &f.explicit, asked: packed.or(offset) }
            })
            .collect()
    }

    pub(super) fn source(&self, span: Span) -> Option<(String, String)> {
        source_line(self.sources, span)
    }
}

/// `file:line:column` and the line; of a long one what is around.
pub(super) fn source_line(sources: &Sources, span: Span) -> Option<(String, String)> {
    if span == Span::default() {
        return None;
    }
    let span = sources.use_site(span);
    let file = sources.file(span.file)?;
    let (line, column) = sources.line_column(span.file, span.start);
    let start = file.line_starts().get(line).map_or(0, |s| *s as usize);
    let text = file.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("");
    Some((format!("{}:{}:{}", file.name, line + 1, column + 1), around(text, column)))
}

/// A line, or the part of a long one that `column` is in, without what would be cut in the middle of a word.
fn around(line: &str, column: usize) -> String {
    let characters: Vec<char> = line.chars().collect();
    if characters.len() <= LONGEST_LINE {
        return line.trim().to_owned();
    }
    let is_space = |at: usize| characters.get(at).is_none_or(|c| c.is_whitespace());
    let mut start = column.saturating_sub(LONGEST_LINE / 2);
    while start > 0 && start < column && !is_space(start) {
        start += 1;
    }
    let mut end = (start + LONGEST_LINE).min(characters.len());
    while end > column + 1 && !is_space(end) {
        end -= 1;
    }
    let shown: String = characters.get(start..end).unwrap_or(&[]).iter().collect();
    let before = if start > 0 { "... " } else { "" };
    let after = if end < characters.len() { " ..." } else { "" };
    format!("{before}{}{after}", shown.trim())
}

fn block_step(bound: Option<&str>, block: &TypeLayout, place: Position) -> Step {
    let mut text = match bound {
        Some(bound) => format!("Its plain data is in a buffer at {bound}"),
        None => "It has no plain data, so there is no buffer".to_owned(),
    };
    let own = block.own_slots();
    if let Some((starts, taken)) = &own {
        let space = place.space.get(Unit::Descriptor);
        let shifted = Unit::SLOTS.into_iter().filter(|u| starts.get(*u) > 0 && taken.get(*u) > 0);
        let shifted: Vec<String> = shifted
            .map(|u| match u.class() {
                Some(class) => format!(", its {class} registers from {}", starts.get(u)),
                None => format!(", its bindings from {}", starts.get(u)),
            })
            .collect();
        text.push_str(&format!("; its contents are counted from 0 in space {space}{}", shifted.concat()));
    }
    let Detail::Block { container, element, .. } = &block.detail else { return Step::default() };
    let after: Vec<String> = Unit::SLOTS
        .into_iter()
        .filter(|u| container.get(*u) > 0 && element.layout.counts.get(*u) > 0)
        .map(|u| amount(u, container.get(u)))
        .collect();
    if !after.is_empty() {
        text.push_str(&format!("; the resources in it come after {}", after.join(" and ")));
    }
    Step::new(text, if own.is_some() { pages::PARAMETER_BLOCKS } else { pages::CONSTANT_BUFFERS }, None)
}

fn rule_of(rules: &Rules) -> String {
    format!("{} ({})", rules.page, rules.name)
}

pub(super) fn nth(index: usize, of: usize) -> String {
    format!("number {} of {of}", index + 1)
}

/// `3 t registers`.
pub(super) fn amount(unit: Unit, n: u64) -> String {
    super::words::units(unit.word(), super::build::count(n))
}
