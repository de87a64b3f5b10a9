//! Bind groups, vertex buffers and push constants as types of the crate `wgpu`.

use super::model::{
    Access, Address, Border, Comparison, Entry, Filter, Host, Input, Number, Reduction, Resource, Sample, Sampler,
    SamplerState, Shape, Slot, Texture,
};
use super::rust::section;
use super::rust_data::notes;
use crate::reflect::words::has_classes;
use crate::target::format::Format;
use crate::tree::Stage;
use std::collections::BTreeMap;

/// The module of a program; nothing for profiles whose slots are no bindings of groups.
pub fn sections(host: &Host, profile: &str) -> String {
    if has_classes(profile) {
        return String::new();
    }
    let mut groups: BTreeMap<u64, String> = BTreeMap::new();
    for slot in &host.slots {
        groups.entry(slot.space).or_default().push_str(&entries(slot));
    }
    let mut out = String::new();
    for (n, rows) in groups {
        out.push_str(&format!("pub const group{n}: &[::wgpu::BindGroupLayoutEntry] = &[\n{rows}];\n"));
    }
    for range in &host.push_constants {
        let (name, size) = (&range.name, range.size);
        let ty = "(::wgpu::ShaderStages, ::core::ops::Range<u32>)";
        out.push_str(&format!("pub const {name}_range: {ty} = ({}, 0..{size});\n", visibility(&range.stages)));
    }
    out.push_str(&host.samplers.iter().map(sampler).collect::<String>());
    out.push_str(&host.entries.iter().filter(|entry| !entry.inputs.is_empty()).map(vertices).collect::<String>());
    section("wgpu", &out)
}

/// The stages that wgpu has.
fn visibility(stages: &[String]) -> String {
    let flag = |stage: Stage| match stage {
        Stage::Vertex => Some("VERTEX"),
        Stage::Fragment => Some("FRAGMENT"),
        Stage::Compute => Some("COMPUTE"),
        Stage::Amplification => Some("TASK"),
        Stage::Mesh => Some("MESH"),
        Stage::Hull
        | Stage::Domain
        | Stage::Geometry
        | Stage::RayGeneration
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => None,
    };
    let flags = stages.iter().filter_map(|name| flag(Stage::parse(name)?));
    let all = flags.fold(None, |all: Option<String>, flag| {
        let one = format!("::wgpu::ShaderStages::{flag}");
        Some(all.map_or(one.clone(), |all| format!("{all}.union({one})")))
    });
    all.unwrap_or("::wgpu::ShaderStages::NONE".to_owned())
}

fn sample(texture: &Texture) -> String {
    match texture.sample {
        Sample::Float => format!("::wgpu::TextureSampleType::Float {{ filterable: {} }}", !texture.multisampled),
        Sample::Int => "::wgpu::TextureSampleType::Sint".to_owned(),
        Sample::Uint => "::wgpu::TextureSampleType::Uint".to_owned(),
        Sample::Depth => "::wgpu::TextureSampleType::Depth".to_owned(),
    }
}

fn dimension(texture: &Texture) -> &'static str {
    match (texture.shape, texture.array) {
        (Shape::D1, _) => "::wgpu::TextureViewDimension::D1",
        (Shape::D2, false) => "::wgpu::TextureViewDimension::D2",
        (Shape::D2, true) => "::wgpu::TextureViewDimension::D2Array",
        (Shape::D3, _) => "::wgpu::TextureViewDimension::D3",
        (Shape::Cube, false) => "::wgpu::TextureViewDimension::Cube",
        (Shape::Cube, true) => "::wgpu::TextureViewDimension::CubeArray",
    }
}

fn buffer(ty: &str, size: u64) -> String {
    let size = if size == 0 { "None".to_owned() } else { format!("::core::num::NonZeroU64::new({size})") };
    format!(
        "::wgpu::BindingType::Buffer {{ ty: ::wgpu::BufferBindingType::{ty}, has_dynamic_offset: false, min_binding_size: {size} }}"
    )
}

fn texture(of: &Texture) -> String {
    format!(
        "::wgpu::BindingType::Texture {{ sample_type: {}, view_dimension: {}, multisampled: {} }}",
        sample(of),
        dimension(of),
        of.multisampled
    )
}

const SAMPLER: &str = "::wgpu::BindingType::Sampler(::wgpu::SamplerBindingType::";

/// The type of a binding; nothing if wgpu has no such resources.
fn ty(resource: &Resource) -> Option<String> {
    let ty = match resource {
        Resource::ConstantBuffer(size) => buffer("Uniform", *size),
        Resource::StorageBuffer { writes, element } => {
            buffer(&format!("Storage {{ read_only: {} }}", !writes), *element)
        }
        Resource::TexelBuffer { writes } => buffer(&format!("Storage {{ read_only: {} }}", !writes), 0),
        Resource::Texture(of) => texture(of),
        Resource::StorageTexture { texture, access, format: name } => {
            let format = Format::parse(name.as_deref()?)?.of_wgpu()?;
            let access = match access {
                Access::Read => "ReadOnly",
                Access::Write => "WriteOnly",
                Access::ReadWrite => "ReadWrite",
                Access::Atomic => "Atomic",
            };
            format!(
                "::wgpu::BindingType::StorageTexture {{ access: ::wgpu::StorageTextureAccess::{access}, \
                 format: ::wgpu::TextureFormat::{format}, view_dimension: {} }}",
                dimension(texture)
            )
        }
        Resource::Sampler { compares: true } => format!("{SAMPLER}Comparison)"),
        Resource::Sampler { compares: false } => format!("{SAMPLER}Filtering)"),
        Resource::AccelerationStructure => {
            "::wgpu::BindingType::AccelerationStructure { vertex_return: false }".to_owned()
        }
        Resource::Combined(_) | Resource::InputAttachment | Resource::Other => return None,
    };
    Some(ty)
}

/// The rows of a slot: one, or as many as there are bindings.
fn entries(slot: &Slot) -> String {
    let Some(ty) = ty(&slot.resource) else { return String::new() };
    let count = match (slot.in_one, slot.count) {
        (true, Some(1)) | (false, _) => "None".to_owned(),
        // Arrays without bound have at least one.
        (true, n) => format!("::core::num::NonZeroU32::new({})", n.unwrap_or(1)),
    };
    let visibility = visibility(&slot.stages);
    let bindings = if slot.in_one { 1 } else { slot.count.unwrap_or(1) };
    let row = |n: u64| {
        let binding = slot.index.saturating_add(n);
        format!(
            "    // {}\n    ::wgpu::BindGroupLayoutEntry {{\n        binding: {binding},\n        visibility: {visibility},\n        \
             ty: {ty},\n        count: {count},\n    }},\n",
            slot.name
        )
    };
    (0..bindings).map(row).collect()
}

/// `Float32x3`; numbers of less than four bytes come in twos and fours.
fn attribute(input: &Input) -> String {
    let kind = match input.number {
        Number::F32 | Number::F64 => "Float",
        _ if input.half => "Float",
        Number::I8 | Number::I16 | Number::I32 | Number::I64 => "Sint",
        Number::U8 | Number::U16 | Number::U32 | Number::U64 => "Uint",
    };
    let bits = input.number.size().saturating_mul(8);
    let components = match (input.number.size(), input.components) {
        (1, _) => 4,
        (2, 1) => 2,
        (2, 3) => 4,
        (_, n) => n,
    };
    if components == 1 { format!("{kind}{bits}") } else { format!("{kind}{bits}x{components}") }
}

fn vertices(entry: &Entry) -> String {
    let row = |i: &Input| {
        let (format, offset, location) = (attribute(i), i.offset, i.location);
        format!(
            "        // {}\n        ::wgpu::VertexAttribute {{ format: ::wgpu::VertexFormat::{format}, offset: {offset}, shader_location: {location} }},\n",
            i.path
        )
    };
    let rows: String = entry.inputs.iter().map(row).collect();
    format!(
        "/// One buffer in which the attributes of a vertex follow each other.\n\
         pub const {}_vertices: ::wgpu::VertexBufferLayout<'static> = ::wgpu::VertexBufferLayout {{\n    array_stride: {},\n    \
         step_mode: ::wgpu::VertexStepMode::Vertex,\n    attributes: &[\n{rows}    ],\n}};\n",
        entry.name.trim_start_matches(super::rust::WORDS.prefix),
        entry.vertex_size()
    )
}

/// What wgpu has no words for in a sampler.
fn missing(state: &SamplerState) -> Option<&'static str> {
    let is_missing = |wanted: Address| state.address.contains(&wanted);
    match state.reduction {
        Reduction::Minimum | Reduction::Maximum => Some("wgpu has no samplers of the least or greatest texel"),
        _ if is_missing(Address::MirrorOnce) => Some("wgpu does not mirror a texture once"),
        Reduction::Average | Reduction::Comparison => None,
    }
}

fn sampler(sampler: &Sampler) -> String {
    let before = notes(sampler);
    let name = sampler.slot.name.trim_start_matches(super::rust::WORDS.prefix);
    let Some(state) = &sampler.state else { return before };
    if let Some(missing) = missing(state) {
        return format!("{before}// {name}: {missing}\n");
    }
    let bias = if state.lod_bias == 0.0 { String::new() } else { format!("// {name}: wgpu has no bias of levels\n") };
    let filter = |filter: Filter| match filter {
        Filter::Point => "Nearest",
        Filter::Linear => "Linear",
    };
    let [min, mag, mip] = state.filters.map(filter);
    let [u, v, w] = state.address.map(|address| match address {
        Address::Wrap => "Repeat",
        Address::Mirror | Address::MirrorOnce => "MirrorRepeat",
        Address::Clamp => "ClampToEdge",
        Address::Border => "ClampToBorder",
    });
    let compare = match state.comparison {
        Comparison::Never => "Never",
        Comparison::Less => "Less",
        Comparison::Equal => "Equal",
        Comparison::LessEqual => "LessEqual",
        Comparison::Greater => "Greater",
        Comparison::NotEqual => "NotEqual",
        Comparison::GreaterEqual => "GreaterEqual",
        Comparison::Always => "Always",
    };
    let some = |is_there: bool, ty: &str, word: &str| match is_there {
        true => format!("Some(::wgpu::{ty}::{word})"),
        false => "None".to_owned(),
    };
    let border = match state.border {
        Border::TransparentBlack => "TransparentBlack",
        Border::OpaqueBlack | Border::OpaqueBlackUint => "OpaqueBlack",
        Border::OpaqueWhite | Border::OpaqueWhiteUint => "OpaqueWhite",
    };
    format!(
        "{before}{bias}pub const {name}_sampler: ::wgpu::SamplerDescriptor<'static> = ::wgpu::SamplerDescriptor {{\n    \
         label: Some({name:?}),\n    address_mode_u: ::wgpu::AddressMode::{u},\n    address_mode_v: ::wgpu::AddressMode::{v},\n    \
         address_mode_w: ::wgpu::AddressMode::{w},\n    mag_filter: ::wgpu::FilterMode::{mag},\n    \
         min_filter: ::wgpu::FilterMode::{min},\n    mipmap_filter: ::wgpu::MipmapFilterMode::{mip},\n    \
         lod_min_clamp: {min_lod:?},\n    lod_max_clamp: {max_lod:?},\n    compare: {compare},\n    \
         anisotropy_clamp: {anisotropy},\n    border_color: {border},\n}};\n",
        min_lod = state.min_lod.max(0.0),
        max_lod = state.max_lod,
        compare = some(state.reduction == Reduction::Comparison, "CompareFunction", compare),
        anisotropy = state.max_anisotropy,
        border = some(state.address.contains(&Address::Border), "SamplerBorderColor", border),
    )
}
