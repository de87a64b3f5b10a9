//! What stages take from the attributes and parameters of their entry points.

use super::model::StageFacts;
use crate::layout::locations::{mesh_output, primitive};
use crate::tree::{
    Attribute, AttributeArg, EntryPoint, Function, MeshOutputKind, Modifiers, Program, Stage, StreamKind, Type,
};

/// (semantic, how depth changes).
const DEPTHS: &[(&str, &str)] =
    &[("SV_DEPTH", "any"), ("SV_DEPTHGREATEREQUAL", "greater"), ("SV_DEPTHLESSEQUAL", "less")];

/// The facts of an entry point, if there are any.
pub(super) fn facts(program: &Program, entry: &EntryPoint) -> Option<StageFacts> {
    let function = &program.functions[entry.function];
    let attributes = &function.attributes;
    let mut facts = StageFacts::default();
    if entry.stage == Stage::Hull {
        facts.partitioning = word(attributes, "partitioning");
        facts.output_control_points = number(attributes, "outputcontrolpoints");
        facts.patch_constant_function = entry.patch_constant.map(|f| program.functions[f].name.to_string());
        facts.max_tess_factor = float(attributes, "maxtessfactor");
    }
    if entry.stage == Stage::Geometry {
        facts.max_vertices = number(attributes, "maxvertexcount");
        facts.instances = number(attributes, "instance");
    }
    if entry.stage == Stage::Fragment {
        facts.early_depth_stencil = find(attributes, "earlydepthstencil").is_some();
        facts.depth = depth(program, function);
    }
    if entry.stage == Stage::Compute {
        facts.wave_size = numbers(attributes, "wavesize");
    }
    if matches!(entry.stage, Stage::Hull | Stage::Domain) {
        facts.domain = word(attributes, "domain");
    }
    if matches!(entry.stage, Stage::Hull | Stage::Mesh) {
        facts.output_topology = word(attributes, "outputtopology");
    }
    parameters(program, entry, &mut facts);
    (facts != StageFacts::default()).then_some(facts)
}

fn parameters(program: &Program, entry: &EntryPoint, facts: &mut StageFacts) {
    let function = &program.functions[entry.function];
    for param in &function.params {
        let ty = function.code.locals[param.local].ty;
        if let Some(word) = primitive(param.modifiers).filter(|_| entry.stage == Stage::Geometry) {
            facts.input_primitive = Some(word.to_owned());
        }
        match mesh_output(program, param, ty) {
            Some((MeshOutputKind::Vertices, _, n)) => facts.max_vertices = n,
            Some((MeshOutputKind::Indices, _, n)) => facts.max_primitives = n,
            _ => {}
        }
        match program.types.get(ty) {
            // A domain shader takes what the hull shader gave.
            Type::Patch(input, _, n) if input == (entry.stage == Stage::Hull) => facts.input_control_points = Some(n),
            Type::Stream(kind, _) => {
                let word = match kind {
                    StreamKind::Point => "point",
                    StreamKind::Line => "line",
                    StreamKind::Triangle => "triangle",
                };
                facts.output_topology = Some(word.to_owned());
            }
            Type::Struct(id) if param.modifiers.has(Modifiers::PAYLOAD) => {
                facts.payload = Some(program.structs[id].name.to_string());
            }
            _ => {}
        }
    }
}

/// How the depth that a fragment shader writes changes.
fn depth(program: &Program, function: &Function) -> Option<String> {
    let mut semantics: Vec<&str> = function.result_semantic.iter().map(|s| s.text.as_str()).collect();
    let params = function.params.iter().filter(|p| p.mode != crate::tree::ParamMode::In);
    let outputs: Vec<_> = params.map(|p| (function.code.locals[p.local].ty, p.semantic)).collect();
    semantics.extend(outputs.iter().filter_map(|(_, s)| s.as_ref()).map(|s| s.text.as_str()));
    for ty in outputs.iter().map(|(ty, _)| *ty).chain([function.result]) {
        semantics.extend(program.fields(ty).iter().filter_map(|f| Some(f.semantic?.text.as_str())));
    }
    let found = DEPTHS.iter().find(|(name, _)| semantics.iter().any(|s| s.eq_ignore_ascii_case(name)));
    found.map(|(_, word)| (*word).to_owned())
}

/// Whether a fragment shader reads something that differs from sample to sample.
pub(super) fn runs_for_samples(program: &Program, entry: &EntryPoint) -> bool {
    let function = &program.functions[entry.function];
    let by_sample = |modifiers: Modifiers, semantic: Option<crate::tree::Semantic>| {
        modifiers.has(Modifiers::SAMPLE)
            || semantic.is_some_and(|s| s.text.as_str().eq_ignore_ascii_case("SV_SampleIndex"))
    };
    entry.stage == Stage::Fragment
        && function.params.iter().filter(|p| p.mode != crate::tree::ParamMode::Out).any(|p| {
            let mut fields = program.fields(function.code.locals[p.local].ty).iter();
            by_sample(p.modifiers, p.semantic) || fields.any(|f| by_sample(f.modifiers, f.semantic))
        })
}

fn find<'t>(attributes: &'t [Attribute], name: &str) -> Option<&'t Attribute> {
    attributes.iter().find(|a| a.name.as_str().eq_ignore_ascii_case(name))
}

fn word(attributes: &[Attribute], name: &str) -> Option<String> {
    match find(attributes, name)?.args.first()? {
        AttributeArg::Text(text) | AttributeArg::Name(text) => Some(text.to_string()),
        _ => None,
    }
}

fn numbers(attributes: &[Attribute], name: &str) -> Vec<u32> {
    let args = find(attributes, name).map_or(&[][..], |a| a.args.as_slice());
    let numbers = args.iter().filter_map(|a| if let AttributeArg::Int(n) = a { u32::try_from(*n).ok() } else { None });
    numbers.collect()
}

fn number(attributes: &[Attribute], name: &str) -> Option<u32> {
    numbers(attributes, name).first().copied()
}

fn float(attributes: &[Attribute], name: &str) -> Option<f64> {
    match find(attributes, name)?.args.first()? {
        AttributeArg::Float(x) => Some(*x),
        AttributeArg::Int(n) => Some(*n as f64),
        _ => None,
    }
}
