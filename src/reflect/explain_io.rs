//! Why stage inputs and outputs have their locations.

use super::build::requested;
use super::explain::{Explanation, Step, source_line};
use super::model::Binding;
use super::varyings::{Both, Signature, Ways, located, signatures};
use super::words::{count, position};
use crate::layout::locations::{PATCH, TARGET, Varying, VaryingPart, semantic_text};
use crate::layout::rules::pages;
use crate::layout::{Api, ProgramLayout, Unit};
use crate::source::{Sources, Span};
use crate::tree::{EntryPoint, Program, Stage, Type};

/// The stage inputs and outputs of an entry point, and their parts.
pub(super) fn explain(program: &Program, layout: &ProgramLayout, sources: &Sources, entry: usize) -> Vec<Explanation> {
    let Some(entry) = program.entry_points.get(entry) else { return Vec::new() };
    let mut explainer = IoExplainer { program, layout, sources, entry, list: Vec::new() };
    signatures(program, &layout.settings, entry).iter().for_each(|signature| explainer.signature(signature));
    explainer.list
}

struct IoExplainer<'a> {
    program: &'a Program,
    layout: &'a ProgramLayout,
    sources: &'a Sources,
    entry: &'a EntryPoint,
    list: Vec<Explanation>,
}

fn word(unit: Unit) -> &'static str {
    match unit {
        Unit::VaryingOutput => "outputs",
        Unit::RayPayload | Unit::HitAttributes | Unit::CallablePayload => "members",
        _ => "inputs",
    }
}

/// The locations of a parameter in the directions in which it has some.
fn offsets<'v>(both: &Both<'v>) -> impl Iterator<Item = (&'v Varying, Binding)> + use<'v> {
    both.all.iter().filter_map(|v| Some((v, located(v.unit, &v.part)?)))
}

/// `location 3 to location 5` of inputs or outputs.
fn range(unit: Unit, binding: &Binding) -> String {
    format!("{} of {}", position(binding), word(unit))
}

impl IoExplainer<'_> {
    fn step(&self, text: String, span: Span) -> Step {
        Step::new(text, pages::STAGE_IO, source_line(self.sources, span))
    }

    /// What a function takes and gives.
    fn signature(&mut self, signature: &Signature) {
        let function = self.program.functions[signature.function].name;
        let all: Vec<Both> = signature.each().collect();
        for (at, both) in all.iter().enumerate() {
            let mut steps = Vec::new();
            for (varying, binding) in offsets(both) {
                steps.extend(self.top(function.as_str(), (varying, &binding), (at, &all)));
            }
            let is_of_patch = both.first.per() == Some(PATCH);
            if let (Some(per), false) = (both.first.per(), steps.is_empty()) {
                let many = if is_of_patch { "" } else { ", and all have the locations of one" };
                steps.push(self.step(format!("There is one for each {per}{many}"), both.first.part.span));
            }
            self.part(&format!("{}.{}", signature.path, both.name()), both.ways(), steps);
        }
    }

    /// Why a whole parameter of a function has its locations in one direction.
    fn top(&self, function: &str, of: (&Varying, &Binding), (at, all): (usize, &[Both])) -> Vec<Step> {
        let (Varying { unit, part, .. }, binding) = of;
        let apart = self.layout.settings.counts_patch_constants_apart();
        let is_of_patch = |both: &Both| both.first.per() == Some(PATCH);
        let here = all.get(at).is_some_and(is_of_patch);
        let same = |both: &&Both| offsets(both).any(|(v, _)| v.unit == *unit) && (!apart || is_of_patch(both) == here);
        let earlier: Vec<&Both> = all.iter().take(at).filter(same).collect();
        let order = format!(
            "The {} of `{function}`{} come in their order{}: `{}` is number {} of {} with locations",
            word(*unit),
            if here && apart { " for a patch" } else { "" },
            if *unit == Unit::VaryingOutput { ", the result last" } else { "" },
            all.get(at).map_or("", Both::name),
            earlier.len() + 1,
            all.iter().filter(same).count()
        );
        let mut fields_ask = false;
        part.walk(&mut Vec::new(), &mut |inner, _| {
            fields_ask |= inner.field.is_some() && inner.explicit.location.is_some();
            true
        });
        let by_fields = fields_ask && self.takes_locations() && !self.offsets();
        let (asked, target) = (self.asked(part), self.is_target(part, *unit));
        let range = range(*unit, binding);
        let text = match &asked {
            _ if by_fields => format!("Its fields ask for their locations: {range}"),
            Some(asked) => format!("`{asked}` asks for {range}"),
            None if target => format!("Render targets have the index of their semantic as location: {range}"),
            None => format!("First fit: {range}, by declaration and not by semantic"),
        };
        let mut step = self.step(text, part.span);
        if asked.is_none() && !by_fields && !target {
            let others = earlier.iter().flat_map(|both| offsets(both).map(|(v, b)| (both.name(), v, b)));
            let others = others.filter(|(_, v, _)| v.unit == *unit);
            step.taken = others.map(|(name, _, b)| format!("{} taken by `{name}`", position(&b))).collect();
        }
        vec![self.step(order, part.span), step]
    }

    fn offsets(&self) -> bool {
        self.layout.settings.policy.stage_io.field_locations_are_offsets
    }

    /// Whether `vk::location` means something.
    fn takes_locations(&self) -> bool {
        self.layout.settings.api != Api::D3d
    }

    /// The location that the source asks for.
    fn asked(&self, part: &VaryingPart) -> Option<String> {
        requested(&part.explicit).filter(|_| part.explicit.location.is_some() && self.takes_locations())
    }

    fn is_struct(&self, part: &VaryingPart) -> bool {
        matches!(self.program.types.get(part.ty), Type::Struct(_))
    }

    fn is_target(&self, part: &VaryingPart, unit: Unit) -> bool {
        let target = |part: &VaryingPart| part.semantic.as_ref().is_some_and(|(name, _)| name == TARGET);
        self.entry.stage == Stage::Fragment
            && unit == Unit::VaryingOutput
            && !self.layout.settings.policy.stage_io.targets_by_order
            && (target(part) || self.is_struct(part) && part.parts.iter().any(target))
    }

    /// A parameter or field, and what is in it.
    fn part(&mut self, path: &str, ways: Ways, mut steps: Vec<Step>) {
        let part = ways.first;
        let located = ways.located(None);
        // What the arrays around it hold.
        let mut inner = ways;
        let mut strides = Vec::new();
        while let Some(element) = inner.inside(0).filter(|_| !self.is_struct(inner.first)) {
            strides.extend(inner.first.semantic_stride);
            inner = element;
        }
        if let Some(first) = strides.first() {
            let further: Vec<String> = strides.iter().map(|by| format!("+{by}")).collect();
            let text = match first {
                0 => "All elements have the semantics of one".to_owned(),
                _ => format!("The index of its semantic runs over its elements: {}", further.join(", ")),
            };
            steps.push(self.step(text, part.span));
        }
        let semantic = part.semantic.as_ref().map(semantic_text);
        let mut shown: Vec<String> = located.iter().map(|(unit, binding)| range(*unit, binding)).collect();
        if shown.is_empty() {
            let text = match &semantic {
                Some(semantic) if semantic.starts_with("SV_") => {
                    format!("`{semantic}` is a system value, which takes no location")
                }
                _ => "Nothing in it takes a location".to_owned(),
            };
            steps.push(self.step(text, part.span));
            shown.push("takes no location".to_owned());
        }
        let suffix = semantic.map_or(String::new(), |s| format!(" ({s})"));
        let position = shown.join(" and ") + &suffix;
        self.list.push(Explanation { path: path.to_owned(), position, steps: steps.clone(), ..Explanation::default() });
        self.fields(path, &inner, &steps);
    }

    /// The fields of a struct.
    fn fields(&mut self, path: &str, ways: &Ways, steps: &[Step]) {
        if !self.is_struct(ways.first) {
            return;
        }
        for inner in ways.each_inside() {
            let (field, mut steps) = (inner.first, steps.to_vec());
            for (unit, binding) in inner.located(Some(ways)) {
                let count = binding.count.map_or("1".to_owned(), count);
                let plural = if count == "1" { "" } else { "s" };
                let asked = self.asked(field).map(|asked| match self.offsets() {
                    true => format!(", as `{asked}` asks from the first of what is around it"),
                    false => format!(", as `{asked}` asks"),
                });
                let text = format!(
                    "`{}` takes {count} location{plural} of {}: +{}{}",
                    field.name,
                    word(unit),
                    binding.index.unwrap_or(0),
                    asked.unwrap_or_default()
                );
                steps.push(self.step(text, field.span));
            }
            self.part(&format!("{path}.{}", field.name), inner, steps);
        }
    }
}
