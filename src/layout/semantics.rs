//! Semantics of stage inputs and outputs, which D3D tells them apart by: no two of one direction may have the same name and
//! index. Vulkan and WebGPU tell them apart by location, all but system values.

use crate::diagnostic::{Code, Diagnostic};
use crate::layout::locations::{self, Varying, VaryingPart};
use crate::layout::{Api, Settings, Unit};
use crate::source::Span;
use crate::tree::{EntryPoint, Length, Modifiers, Program, Semantic, Stage, Type, spelled};
use std::collections::BTreeMap;

/// An array among stage inputs has no more elements; what has is an error elsewhere.
const MOST: u32 = 1 << 10;

/// System values of which there are several by their indices.
const NUMBERED: &[&str] = &[
    locations::TARGET,
    "SV_CLIPDISTANCE",
    "SV_CULLDISTANCE",
    "SV_TESSFACTOR",
    "SV_INSIDETESSFACTOR",
    "SV_RAYPAYLOAD",
    "SV_INTERSECTIONATTRIBUTES",
];

/// Reports what shares a semantic with another input or output of its entry point.
pub(super) fn check(program: &Program, settings: &Settings, found: &mut Vec<Diagnostic>) {
    for entry in &program.entry_points {
        // Streams, patches, their constants and what a mesh shader gives have signatures of their own.
        let mut groups: BTreeMap<(Unit, bool, Option<usize>), TakenSemantics> = BTreeMap::new();
        let all = locations::varyings(program, settings, entry).into_iter();
        for varying in all.chain(locations::patch_constants(program, settings, entry)) {
            let is_array = matches!(program.types.get(varying.part.ty), Type::Array(..));
            let apart = varying.many.is_some() && !(is_array && varying.unit == Unit::VaryingInput);
            let group = groups.entry((varying.unit, varying.of_patch, varying.param.filter(|_| apart)));
            let taken = group.or_default();
            let of_target = varying.unit == Unit::VaryingOutput && entry.stage == Stage::Fragment;
            // What a stage of groups is given is no signature: two may have one. WebGPU has one variable of each; parameters share it.
            // Of stages that mesh shaders are made with, D3D has no two.
            let of_meshes = matches!(entry.stage, Stage::Amplification | Stage::Mesh);
            let of_groups = entry.stage == Stage::Compute || of_meshes && settings.api != Api::D3d;
            // GLSL reads a variable of the system as often as one likes.
            let is_read = of_groups || settings.api != Api::D3d && !settings.api.is_webgpu();
            let is_given = is_read && varying.unit == Unit::VaryingInput;
            let is_shared = |name: &str, around: &[&VaryingPart]| {
                is_given && name.starts_with("SV_") && (!settings.api.is_webgpu() || around.is_empty())
            };
            // The outermost semantic holds.
            varying.part.walk(&mut Vec::new(), &mut |part, around| {
                let semantic = part.semantic.as_ref().zip(part.semantic_span);
                let found = semantic.filter(|_| !around.is_empty() || varying.many.is_none());
                // What locations tell apart needs no semantics of its own; two values of the system have one name there, too.
                let told =
                    |name: &str| settings.api == Api::D3d || name.starts_with("SV_") && name != locations::TARGET;
                let named = found.filter(|((name, _), _)| told(name));
                let comes_in = varying.unit == Unit::VaryingInput;
                if let Some(((name, index), span)) = named {
                    let is_arbitrary = Semantic::is_arbitrary(name, entry.stage, comes_in);
                    // Variables of the system have no indices. Vertices may come with anything by the names of some, and GLSL reads
                    // the others as often as one likes.
                    let comes_with_vertex = entry.stage == Stage::Vertex && comes_in;
                    let comes_with_vertex = comes_with_vertex && (is_arbitrary || !settings.api.is_webgpu());
                    let is_variable = settings.api != Api::D3d && !comes_with_vertex;
                    let several =
                        |p: &&VaryingPart| matches!(program.types.get(p.ty), Type::Array(_, Length::Fixed(2..)));
                    let is_repeated = around.iter().skip(varying.many.is_some().into()).copied().any(|p| several(&p));
                    // There are barycentrics with and without perspective beside each other.
                    let is_other =
                        name == "SV_BARYCENTRICS" && lacks_perspective(program, entry, &varying, part, around);
                    let taken_name = if is_other { format!("{name} without perspective") } else { name.clone() };
                    let of_both = name == "SV_BARYCENTRICS" && !settings.api.is_webgpu();
                    let is_one = name.starts_with("SV_") && !NUMBERED.contains(&name.as_str()) && !of_both;
                    let is_array = matches!(program.types.get(part.ty), Type::Array(..));
                    // The validator of DXIL counts rows.
                    let has_rows = settings.api == Api::D3d && !is_arbitrary;
                    // What is no number or vector is another error for vertices.
                    let is_matrix = matches!(program.types.get(part.ty), Type::Matrix(..));
                    let is_counted = part.indices > 1 && !(is_matrix && comes_in && entry.stage == Stage::Vertex);
                    let is_many = is_counted || is_repeated || is_variable && is_array;
                    if is_one && is_many && (is_variable || has_rows) {
                        taken.refuse_array(span, name);
                    } else if is_one && is_variable {
                        taken.take_variable(span, &taken_name, is_shared(name, around));
                    } else {
                        taken.take(span, &(taken_name, *index), part.indices, is_shared(name, around));
                    }
                }
                // D3D has its outputs of fragments by order.
                if of_target && found.is_none() && part.parts.is_empty() && settings.api == Api::D3d {
                    taken.take(part.span, &(locations::TARGET.to_owned(), part.start), part.emitted, false);
                }
                found.is_none()
            });
        }
        found.extend(groups.into_values().flat_map(|taken| taken.found));
    }
}

/// Whether an input, or what is around it, is `noperspective`.
fn lacks_perspective(
    program: &Program,
    entry: &EntryPoint,
    varying: &Varying,
    part: &VaryingPart,
    around: &[&VaryingPart],
) -> bool {
    let of_param = varying.param.and_then(|index| program.functions[entry.function].params.get(index));
    let own = around.last().and_then(|whole| program.field(whole.ty, part.field?));
    let says = |modifiers: Modifiers| modifiers.has(Modifiers::NOPERSPECTIVE);
    of_param.is_some_and(|p| says(p.modifiers)) || own.is_some_and(|f| says(f.modifiers))
}

/// The semantics of one signature.
#[derive(Default)]
struct TakenSemantics {
    /// Where each is, and whether others may have it, too.
    by_name: BTreeMap<(String, u32), (Span, bool)>,
    found: Vec<Diagnostic>,
}

impl TakenSemantics {
    fn refuse_array(&mut self, span: Span, name: &str) {
        let message = format!("there is one `{}` here, and no array of it", spelled(name));
        self.found.push(Diagnostic::error(Code::BAD_ENTRY, span, message));
    }

    /// Takes what has no indices where the target has a variable of it.
    fn take_variable(&mut self, span: Span, name: &str, shared: bool) {
        let before = self.by_name.insert((name.to_owned(), 0), (span, shared));
        if let Some((other, _)) = before.filter(|(_, both)| !(shared && *both)) {
            let name = spelled(name);
            self.clash(span, other, format!("two of one direction are `{name}`, of which there is one here"));
        }
    }

    fn clash(&mut self, span: Span, other: Span, message: String) {
        let clash = Diagnostic::error(Code::BAD_ENTRY, span, message);
        // A struct that is there twice has its fields twice.
        let twice = other == span;
        self.found.push(if twice { clash } else { clash.label(other, "the other one has it here") });
    }

    fn take(&mut self, span: Span, (name, first): &(String, u32), count: u32, shared: bool) {
        for index in *first..first.saturating_add(count.min(MOST)) {
            let before = self.by_name.insert((name.clone(), index), (span, shared));
            let Some((other, _)) = before.filter(|(_, both)| !(shared && *both)) else { continue };
            let message = match name.starts_with("SV_") {
                true => format!("two of one direction have the semantic `{}{index}`", spelled(name)),
                false => {
                    format!("two of one direction have the semantic `{name}{index}`, which D3D does not distinguish")
                }
            };
            self.clash(span, other, message);
            return;
        }
    }
}
