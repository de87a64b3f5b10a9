//! Why stage inputs and outputs have their locations.

use super::build::Builder;
use super::emitted::Texts;
use super::explain::{Explanation, Step, source_line};
use super::leaves::PATCH_PATH;
use super::model::{Binding, Count, Variable};
use super::varyings::{patch_constants, varyings};
use super::words::position;
use crate::layout::locations::PATCH;
use crate::layout::rules::pages;
use crate::layout::{Api, ProgramLayout, Unit};
use crate::source::{Sources, Span};
use crate::tree::{EntryPoint, FunctionId, Program, Stage, Type, TypeId};
use std::collections::BTreeSet;

/// The stage inputs and outputs of an entry point, and their parts.
pub(super) fn explain(program: &Program, layout: &ProgramLayout, sources: &Sources, entry: usize) -> Vec<Explanation> {
    let Some(point) = program.entry_points.get(entry) else { return Vec::new() };
    let builder = Builder { program, layout, sources, texts: Texts::default(), contents: BTreeSet::new() };
    let mut explainer = Explainer { program, layout, sources, entry: point, list: Vec::new() };
    explainer.function(point.function, point.name.as_str(), &varyings(&builder, point));
    if let Some(constants) = point.patch_constant {
        explainer.function(constants, &format!("{}.{PATCH_PATH}", point.name), &patch_constants(&builder, point));
    }
    explainer.list
}

struct Explainer<'a> {
    program: &'a Program,
    layout: &'a ProgramLayout,
    sources: &'a Sources,
    entry: &'a EntryPoint,
    list: Vec<Explanation>,
}

fn word(kind: &str) -> &'static str {
    match Unit::of_word(kind) {
        Some(Unit::VaryingOutput) => "outputs",
        Some(Unit::RayPayload | Unit::HitAttributes | Unit::CallablePayload) => "members",
        _ => "inputs",
    }
}

/// Whether a field says its location: the whole struct then lies where its fields do.
fn fields_ask(variable: &Variable) -> bool {
    let mut node = variable.ty.as_deref();
    while let Some(inner) = node.filter(|n| n.fields.is_none()).and_then(|n| n.element_type.as_deref()) {
        node = Some(inner);
    }
    let fields = node.and_then(|n| n.fields.as_ref());
    fields.is_some_and(|list| list.iter().any(|f| asks(f).is_some() || fields_ask(f)))
}

/// How many indices of its semantic an element of an array is from the next, the outermost array first.
fn semantic_strides(variable: &Variable) -> Vec<u64> {
    let mut strides = Vec::new();
    let mut node = variable.ty.as_deref();
    while let Some(array) = node.filter(|n| n.fields.is_none()) {
        strides.extend(array.semantic_stride);
        node = array.element_type.as_deref();
    }
    strides
}

/// The location that the source asks for.
fn asks(variable: &Variable) -> Option<&str> {
    variable.requested.as_deref().filter(|r| r.contains("location"))
}

/// `location 3 to location 5` of inputs or outputs.
fn range(binding: &Binding) -> String {
    format!("{} of {}", position(binding), word(&binding.kind))
}

impl Explainer<'_> {
    fn step(&self, text: String, span: Span) -> Step {
        Step { text, rule: pages::STAGE_IO.to_owned(), source: source_line(self.sources, span), taken: Vec::new() }
    }

    /// What a function takes and gives; the path of each begins with `path`.
    fn function(&mut self, id: FunctionId, path: &str, found: &[(Option<usize>, Variable)]) {
        let function = &self.program.functions[id];
        for (at, (index, variable)) in found.iter().enumerate() {
            let (name, ty, span) = match index.and_then(|i| function.params.get(i)) {
                Some(param) => {
                    let local = &function.code.locals[param.local];
                    (local.name.as_str(), local.ty, local.span)
                }
                None => ("$result", function.result, function.span),
            };
            let steps = self.top((function.name.as_str(), name), variable, (at, found), span);
            self.part(&format!("{path}.{name}"), variable, (ty, span), &[], steps);
        }
    }

    /// Why a whole parameter of a function has its locations.
    fn top(
        &self,
        (function, name): (&str, &str),
        variable: &Variable,
        of: (usize, &[(Option<usize>, Variable)]),
        span: Span,
    ) -> Vec<Step> {
        let (at, all) = of;
        let is_of_patch = |v: &Variable| v.per.as_deref() == Some(PATCH);
        let apart = self.layout.settings.counts_patch_constants_apart();
        let mut steps = Vec::new();
        if variable.offsets().next().is_none() {
            return steps;
        }
        for binding in variable.offsets() {
            let one_count = |v: &Variable| !apart || is_of_patch(v) == is_of_patch(variable);
            let same = |v: &Variable| v.offsets().any(|b| b.kind == binding.kind) && one_count(v);
            let earlier: Vec<&Variable> = all.iter().take(at).map(|(_, v)| v).filter(|v| same(v)).collect();
            let of_patch = if is_of_patch(variable) && apart { " for a patch" } else { "" };
            let text = format!(
                "The {} of `{function}`{of_patch} come in their order{}: `{name}` is number {} of {} with locations",
                word(&binding.kind),
                if binding.kind == Unit::VaryingOutput.word() { ", the result last" } else { "" },
                earlier.len() + 1,
                all.iter().filter(|(_, v)| same(v)).count()
            );
            steps.push(self.step(text, span));
            let asked = asks(variable).filter(|_| self.takes_locations());
            let by_fields = self.takes_locations() && !self.offsets() && fields_ask(variable);
            let target = self.is_target(variable, binding);
            let text = match asked {
                _ if by_fields => format!("Its fields ask for their locations: {}", range(binding)),
                Some(asked) => format!("`{asked}` asks for {}", range(binding)),
                None if target => {
                    format!("Render targets have the index of their semantic as location: {}", range(binding))
                }
                None => format!("First fit: {}, by declaration and not by semantic", range(binding)),
            };
            let mut step = self.step(text, span);
            let others = earlier.iter().flat_map(|v| v.offsets().map(move |b| (v, b)));
            step.taken = others
                .filter(|(_, b)| b.kind == binding.kind && asked.is_none() && !by_fields && !target)
                .map(|(v, b)| format!("{} taken by `{}`", position(b), v.name.as_deref().unwrap_or("$result")))
                .collect();
            steps.push(step);
        }
        if let Some(per) = &variable.per {
            let many = if is_of_patch(variable) { "" } else { ", and all have the locations of one" };
            steps.push(self.step(format!("There is one for each {per}{many}"), span));
        }
        steps
    }

    fn offsets(&self) -> bool {
        self.layout.settings.policy.stage_io.field_locations_are_offsets
    }

    /// Whether `vk::location` means something.
    fn takes_locations(&self) -> bool {
        self.layout.settings.api != Api::D3d
    }

    fn is_target(&self, variable: &Variable, binding: &Binding) -> bool {
        let by_order = self.layout.settings.policy.stage_io.targets_by_order;
        let target = |v: &Variable| v.semantic_name.as_deref() == Some("SV_TARGET");
        let fields = variable.ty.as_ref().and_then(|t| t.fields.as_ref());
        self.entry.stage == Stage::Fragment
            && binding.kind == Unit::VaryingOutput.word()
            && !by_order
            && (target(variable) || fields.is_some_and(|f| f.iter().any(target)))
    }

    /// A parameter or field; `outer` are the first locations of what is around it.
    fn part(&mut self, path: &str, variable: &Variable, of: (TypeId, Span), outer: &[Binding], steps: Vec<Step>) {
        let (ty, span) = of;
        let mut steps = steps;
        let mut absolute: Vec<Binding> = variable.offsets().cloned().collect();
        for binding in &mut absolute {
            let around: u64 = outer.iter().filter(|b| b.kind == binding.kind).map(|b| b.index.unwrap_or(0)).sum();
            binding.index = Some(binding.index.unwrap_or(0).saturating_add(around));
        }
        let strides = semantic_strides(variable);
        if let Some(first) = strides.first() {
            let further: Vec<String> = strides.iter().map(|by| format!("+{by}")).collect();
            let text = match first {
                0 => "All elements have the semantics of one".to_owned(),
                _ => format!("The index of its semantic runs over its elements: {}", further.join(", ")),
            };
            steps.push(self.step(text, span));
        }
        let semantic = variable.semantic();
        let mut shown: Vec<String> = absolute.iter().map(range).collect();
        if shown.is_empty() {
            let text = match &semantic {
                Some(semantic) if semantic.starts_with("SV_") => {
                    format!("`{semantic}` is a system value, which takes no location")
                }
                _ => "Nothing in it takes a location".to_owned(),
            };
            steps.push(self.step(text, span));
            shown.push("takes no location".to_owned());
        }
        let suffix = semantic.map_or(String::new(), |s| format!(" ({s})"));
        let position = shown.join(" and ") + &suffix;
        self.list.push(Explanation { path: path.to_owned(), position, steps: steps.clone(), ..Explanation::default() });
        self.fields(path, variable, ty, &absolute, &steps);
    }

    fn fields(&mut self, path: &str, variable: &Variable, ty: TypeId, outer: &[Binding], steps: &[Step]) {
        let types = &self.program.types;
        let mut inner = ty;
        let mut node = variable.ty.as_deref();
        while let Some(element) = node.filter(|n| n.fields.is_none()).and_then(|n| n.element_type.as_deref()) {
            node = Some(element);
            inner = match types.get(inner) {
                Type::Patch(_, t, _) | Type::MeshOutput(_, t, _) | Type::Stream(_, t) => t,
                other => other.element().unwrap_or(TypeId::ERROR),
            };
        }
        let (Some(fields), Type::Struct(id)) = (node.and_then(|n| n.fields.as_ref()), types.get(inner)) else { return };
        let s = &self.program.structs[id];
        for (field, declared) in fields.iter().zip(&s.fields) {
            let mut steps = steps.to_vec();
            for b in field.offsets() {
                let count = match b.count {
                    Some(Count::Number(n)) => n,
                    _ => 1,
                };
                let plural = if count == 1 { "" } else { "s" };
                let at = b.index.unwrap_or(0);
                let asked = asks(field).filter(|_| self.takes_locations()).map(|asked| match self.offsets() {
                    true => format!(", as `{asked}` asks from the first of what is around it"),
                    false => format!(", as `{asked}` asks"),
                });
                let asked = asked.unwrap_or_default();
                let text =
                    format!("`{}` takes {count} location{plural} of {}: +{at}{asked}", declared.name, word(&b.kind));
                steps.push(self.step(text, declared.span));
            }
            let path = format!("{path}.{}", declared.name);
            self.part(&path, field, (declared.ty, declared.span), outer, steps);
        }
    }
}
