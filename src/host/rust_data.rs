//! Bindings, entry points and constants as data of types that the module declares.

use super::model::{
    Access, Constant, ConstantValue, DefaultValue, Entry, Host, Input, Number, PushConstants, Reduction, Resource,
    Sample, Sampler, Shape, Slot, Texture,
};
use super::rust::{comment, section};
use crate::tree::Stage;

/// The types.
pub const TYPES: &str = include_str!("rust_types.txt");

/// The modules of a program.
pub fn sections(host: &Host) -> String {
    let mut bindings: String = host.slots.iter().map(slot).collect();
    if !bindings.is_empty() {
        let names: Vec<&str> = host.slots.iter().map(|slot| slot.name.as_str()).collect();
        bindings.push_str(&format!("/// All of them.\npub const table: &[Binding] = &[{}];\n", names.join(", ")));
    }
    let typed = |name: &str, text: String| {
        let text = if text.is_empty() { text } else { format!("use super::super::interface::*;\n{text}") };
        section(name, &text)
    };
    [
        typed("bindings", bindings),
        typed("samplers", host.samplers.iter().map(sampler).collect()),
        typed("push_constants", host.push_constants.iter().map(push_constants).collect()),
        typed("constants", host.constants.iter().map(constant).collect()),
        section("defaults", &host.defaults.iter().map(default_value).collect::<String>()),
        typed("entry_points", host.entries.iter().map(entry).collect()),
        typed("inputs", host.entries.iter().filter_map(inputs).collect()),
    ]
    .concat()
}

/// `None` or `Some(3)`.
fn optional(value: Option<impl std::fmt::Debug>) -> String {
    format!("{value:?}")
}

/// The name of a stage's variant.
fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "Vertex",
        Stage::Hull => "Hull",
        Stage::Domain => "Domain",
        Stage::Geometry => "Geometry",
        Stage::Fragment => "Fragment",
        Stage::Compute => "Compute",
        Stage::Amplification => "Amplification",
        Stage::Mesh => "Mesh",
        Stage::RayGeneration => "RayGeneration",
        Stage::Intersection => "Intersection",
        Stage::AnyHit => "AnyHit",
        Stage::ClosestHit => "ClosestHit",
        Stage::Miss => "Miss",
        Stage::Callable => "Callable",
    }
}

fn one_stage(name: &str) -> String {
    Stage::parse(name).map_or_else(String::new, |s| format!("Stage::{}", stage(s)))
}

fn stages(names: &[String]) -> String {
    let list: Vec<String> = names.iter().map(|name| one_stage(name)).collect();
    format!("&[{}]", list.join(", "))
}

fn texture(texture: &Texture) -> String {
    let shape = match texture.shape {
        Shape::D1 => "D1",
        Shape::D2 => "D2",
        Shape::D3 => "D3",
        Shape::Cube => "Cube",
    };
    let sample = match texture.sample {
        Sample::Float => "Float",
        Sample::Int => "Int",
        Sample::Uint => "Uint",
        Sample::Depth => "Depth",
    };
    format!(
        "Texture {{ shape: Shape::{shape}, array: {}, multisampled: {}, sample: Sample::{sample} }}",
        texture.array, texture.multisampled
    )
}

fn kind(resource: &Resource) -> String {
    match resource {
        Resource::ConstantBuffer(size) => format!("ConstantBuffer {{ size: {size} }}"),
        Resource::StorageBuffer { writes, element } => {
            format!("StorageBuffer {{ writes: {writes}, stride: {element} }}")
        }
        Resource::TexelBuffer { writes } => format!("TexelBuffer {{ writes: {writes} }}"),
        Resource::Texture(of) => format!("Texture({})", texture(of)),
        Resource::StorageTexture { texture: of, access, format } => {
            let access = match access {
                Access::Read => "Read",
                Access::Write => "Write",
                Access::ReadWrite => "ReadWrite",
                Access::Atomic => "Atomic",
            };
            let format = format.as_deref().unwrap_or("");
            format!("StorageTexture {{ texture: {}, access: Access::{access}, format: {format:?} }}", texture(of))
        }
        Resource::Combined(of) => format!("Combined({})", texture(of)),
        Resource::Sampler { compares } => format!("Sampler {{ compares: {compares} }}"),
        Resource::AccelerationStructure => "AccelerationStructure".to_owned(),
        Resource::InputAttachment => "InputAttachment".to_owned(),
        Resource::Other => "Other".to_owned(),
    }
}

fn slot(slot: &Slot) -> String {
    let note = if slot.note.is_empty() { String::new() } else { comment(&format!("`{}`", slot.note)) };
    format!(
        "{note}pub const {name}: Binding = Binding {{\n    name: {plain:?},\n    class: {class},\n    space: {space},\n    \
         index: {index},\n    count: {count},\n    kind: Kind::{kind},\n    stages: {stages},\n}};\n",
        name = slot.name,
        plain = slot.name.trim_start_matches(super::rust::WORDS.prefix),
        class = optional(slot.class),
        space = slot.space,
        index = slot.index,
        count = optional(slot.count),
        kind = kind(&slot.resource),
        stages = stages(&slot.stages),
    )
}

/// What host code does not have of a sampler, as comments.
pub(super) fn notes(sampler: &Sampler) -> String {
    sampler.notes.iter().map(|note| format!("// {}: {}\n", sampler.slot.name, note.replace('\n', " "))).collect()
}

fn sampler(sampler: &Sampler) -> String {
    let before = notes(sampler);
    let Some(state) = &sampler.state else { return before };
    let name = &sampler.slot.name;
    let [min, mag, mip] = state.filters;
    let [u, v, w] = state.address;
    let compare = (state.reduction == Reduction::Comparison).then(|| format!("Comparison::{:?}", state.comparison));
    let compare = compare.map_or("None".to_owned(), |compare| format!("Some({compare})"));
    format!(
        "{before}pub const {name}: Sampler = Sampler {{\n    binding: super::bindings::{name},\n    min_filter: Filter::{min:?},\n    \
         mag_filter: Filter::{mag:?},\n    mip_filter: Filter::{mip:?},\n    max_anisotropy: {anisotropy},\n    \
         reduction: Reduction::{reduction:?},\n    address: [Address::{u:?}, Address::{v:?}, Address::{w:?}],\n    \
         lod_bias: {bias:?},\n    compare: {compare},\n    border: Border::{border:?},\n    min_lod: {min_lod:?},\n    \
         max_lod: {max_lod:?},\n}};\n",
        anisotropy = state.max_anisotropy,
        reduction = state.reduction,
        bias = state.lod_bias,
        border = state.border,
        min_lod = state.min_lod,
        max_lod = state.max_lod,
    )
}

fn push_constants(range: &PushConstants) -> String {
    let (name, size, stages) = (&range.name, range.size, stages(&range.stages));
    format!("pub const {name}: PushConstants = PushConstants {{ offset: 0, size: {size}, stages: {stages} }};\n")
}

fn constant(constant: &Constant) -> String {
    let note = if constant.note.is_empty() { String::new() } else { comment(&format!("`{}`", constant.note)) };
    let (name, id, number) = (&constant.name, constant.id, number(constant.number, false));
    let default = match constant.value {
        Some(value @ ConstantValue::Bool(_)) => format!("Some(Scalar::Bool({value}))"),
        Some(value) => format!("Some(Scalar::{number}({value}))"),
        None => "None".to_owned(),
    };
    format!(
        "{note}pub const {name}: Constant =\n    Constant {{ id: {id}, number: Number::{number}, default: {default} }};\n"
    )
}

fn default_value(value: &DefaultValue) -> String {
    let note = if value.note.is_empty() { String::new() } else { comment(&format!("`{}`", value.note)) };
    let values: Vec<String> = value.values.iter().map(ToString::to_string).collect();
    let ty = number(value.number, false).to_ascii_lowercase();
    format!("{note}pub const {}: [{ty}; {}] = [{}];\n", value.name, values.len(), values.join(", "))
}

fn entry(entry: &Entry) -> String {
    let (name, emitted, stage, group) = (&entry.name, &entry.emitted, one_stage(&entry.stage), optional(entry.group));
    format!(
        "{}pub const {name}: EntryPoint =\n    EntryPoint {{ name: {emitted:?}, stage: {stage}, workgroup_size: {group} }};\n",
        comment(entry.location.as_deref().unwrap_or(""))
    )
}

/// The kind and size of numbers.
fn number(number: Number, half: bool) -> &'static str {
    match number {
        Number::U16 if half => "F16",
        Number::U8 => "U8",
        Number::I8 => "I8",
        Number::U16 => "U16",
        Number::I16 => "I16",
        Number::U32 => "U32",
        Number::I32 => "I32",
        Number::U64 => "U64",
        Number::I64 => "I64",
        Number::F32 => "F32",
        Number::F64 => "F64",
    }
}

fn inputs(entry: &Entry) -> Option<String> {
    let row = |input: &Input| {
        let (semantic, nth) = &input.semantic;
        format!(
            "    VertexInput {{ name: {:?}, semantic: {semantic:?}, semantic_index: {nth}, location: {}, offset: {}, \
             number: Number::{}, components: {} }},\n",
            input.path,
            input.location,
            input.offset,
            number(input.number, input.half),
            input.components
        )
    };
    let rows: String = entry.inputs.iter().map(row).collect();
    let table = format!("pub const {}: &[VertexInput] = &[\n{rows}];\n", entry.name);
    (!rows.is_empty()).then_some(table)
}
