//! Tables of the types of Vulkan and Direct3D 12.

use super::cpp::CppTables;
use super::model::{
    Address, Border, Comparison, Entry, Filter, Host, Input, Number, Reduction, Resource, Sampler, SamplerState, Slot,
};
use super::samplers::positions;
use crate::reflect::words::has_classes;
use crate::target::{Api, Profile};
use crate::tree::Stage;
use std::collections::BTreeMap;

/// The tables of an API for a program of a profile; nothing for those of others.
pub fn print(tables: CppTables, host: &Host, profile: &str) -> String {
    let api = Profile::parse(profile).map(|p| p.facts.api);
    match tables {
        CppTables::Vulkan if api == Some(Api::Vulkan) => section("vulkan", &vulkan(host)),
        CppTables::D3d12 if api == Some(Api::D3d) && has_classes(profile) => section("d3d12", &d3d12(host)),
        CppTables::Vulkan | CppTables::D3d12 => String::new(),
    }
}

fn section(name: &str, tables: &str) -> String {
    if tables.is_empty() { String::new() } else { format!("\nnamespace {name} {{\n{tables}}} // namespace {name}\n") }
}

/// An array with a row a line; nothing without rows.
fn array(ty: &str, name: &str, rows: &[String]) -> String {
    let lines: String = rows.iter().map(|row| format!("    {{{row}}},\n")).collect();
    if rows.is_empty() { String::new() } else { format!("constexpr {ty} {name}[] = {{\n{lines}}};\n") }
}

/// Flags of stages.
fn vulkan_stages(stages: &[String]) -> String {
    let flag = |stage: Stage| match stage {
        Stage::Vertex => "VERTEX_BIT",
        Stage::Hull => "TESSELLATION_CONTROL_BIT",
        Stage::Domain => "TESSELLATION_EVALUATION_BIT",
        Stage::Geometry => "GEOMETRY_BIT",
        Stage::Fragment => "FRAGMENT_BIT",
        Stage::Compute => "COMPUTE_BIT",
        Stage::Amplification => "TASK_BIT_EXT",
        Stage::Mesh => "MESH_BIT_EXT",
        Stage::RayGeneration => "RAYGEN_BIT_KHR",
        Stage::Intersection => "INTERSECTION_BIT_KHR",
        Stage::AnyHit => "ANY_HIT_BIT_KHR",
        Stage::ClosestHit => "CLOSEST_HIT_BIT_KHR",
        Stage::Miss => "MISS_BIT_KHR",
        Stage::Callable => "CALLABLE_BIT_KHR",
    };
    let flags = stages.iter().filter_map(|name| Stage::parse(name));
    let flags: Vec<String> = flags.map(|stage| format!("VK_SHADER_STAGE_{}", flag(stage))).collect();
    if flags.is_empty() { "0".to_owned() } else { flags.join(" | ") }
}

fn vulkan_type(resource: &Resource) -> Option<&'static str> {
    Some(match resource {
        Resource::ConstantBuffer(_) => "UNIFORM_BUFFER",
        Resource::StorageBuffer { .. } => "STORAGE_BUFFER",
        Resource::TexelBuffer { writes: false } => "UNIFORM_TEXEL_BUFFER",
        Resource::TexelBuffer { writes: true } => "STORAGE_TEXEL_BUFFER",
        Resource::Texture(_) => "SAMPLED_IMAGE",
        Resource::StorageTexture { .. } => "STORAGE_IMAGE",
        Resource::Combined(_) => "COMBINED_IMAGE_SAMPLER",
        Resource::Sampler { .. } => "SAMPLER",
        Resource::AccelerationStructure => "ACCELERATION_STRUCTURE_KHR",
        Resource::InputAttachment => "INPUT_ATTACHMENT",
        Resource::Other => return None,
    })
}

/// A set a table; arrays without bound have as many descriptors as the application says before.
fn vulkan(host: &Host) -> String {
    let mut sets: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    let mut unbounded = "";
    for slot in &host.slots {
        let Some(ty) = vulkan_type(&slot.resource) else { continue };
        if slot.count.is_none() {
            unbounded = UNBOUNDED;
        }
        let count = slot.count.map_or("SHADERPORT_UNBOUNDED_COUNT".to_owned(), |n| n.to_string());
        let row = format!("{}, VK_DESCRIPTOR_TYPE_{ty}, {count}, {}, nullptr", slot.index, vulkan_stages(&slot.stages));
        sets.entry(slot.space).or_default().push(row);
    }
    let sets = sets.iter().map(|(n, rows)| array("VkDescriptorSetLayoutBinding", &format!("set{n}"), rows));
    let mut out = unbounded.to_owned() + &sets.collect::<String>();
    let ranges = host.push_constants.iter().map(|p| format!("{}, 0, {}", vulkan_stages(&p.stages), p.size));
    out.push_str(&array("VkPushConstantRange", "push_constant_ranges", &ranges.collect::<Vec<_>>()));
    out.push_str(&immutable_samplers(host));
    for entry in host.entries.iter().filter(|entry| !entry.inputs.is_empty()) {
        let row = |i: &Input| format!("{}, 0, VK_FORMAT_{}, {}", i.location, vulkan_format(i), i.offset);
        let rows: Vec<String> = entry.inputs.iter().map(row).collect();
        out.push_str(&array("VkVertexInputAttributeDescription", &format!("{}_attributes", entry.name), &rows));
        let (name, size) = (&entry.name, entry.vertex_size());
        out.push_str(&format!(
            "constexpr VkVertexInputBindingDescription {name}_vertex = {{0, {size}, VK_VERTEX_INPUT_RATE_VERTEX}};\n"
        ));
    }
    out
}

const UNBOUNDED: &str = "// How many descriptors arrays without bound have at most.
#ifndef SHADERPORT_UNBOUNDED_COUNT
#define SHADERPORT_UNBOUNDED_COUNT 1024
#endif
";

/// Channels with their bits: `R32G32B32`.
fn channels(input: &Input, components: u64) -> String {
    let bits = input.number.size().saturating_mul(8);
    "RGBA".chars().zip(0..components).map(|(channel, _)| format!("{channel}{bits}")).collect()
}

/// The kind of number in the name of a format.
fn kind<'w>(input: &Input, [float, int, uint]: [&'w str; 3]) -> &'w str {
    match input.number {
        Number::F32 | Number::F64 => float,
        _ if input.half => float,
        Number::I8 | Number::I16 | Number::I32 | Number::I64 => int,
        Number::U8 | Number::U16 | Number::U32 | Number::U64 => uint,
    }
}

fn vulkan_format(input: &Input) -> String {
    format!("{}_{}", channels(input, input.components), kind(input, ["SFLOAT", "SINT", "UINT"]))
}

/// Three numbers of two bytes are read as four; numbers of eight have no format.
fn dxgi_format(input: &Input) -> String {
    match (input.number.size(), input.components) {
        (8, _) => "UNKNOWN".to_owned(),
        (1 | 2, 3) => format!("{}_{}", channels(input, 4), kind(input, ["FLOAT", "SINT", "UINT"])),
        (_, n) => format!("{}_{}", channels(input, n), kind(input, ["FLOAT", "SINT", "UINT"])),
    }
}

/// The type of a range, by the class of registers.
fn range_type(slot: &Slot) -> Option<&'static str> {
    match slot.class? {
        'b' => Some("CBV"),
        't' => Some("SRV"),
        'u' => Some("UAV"),
        's' => Some("SAMPLER"),
        _ => None,
    }
}

/// Whether a root signature has it itself, so that it is in no table of descriptors.
fn is_in_root(host: &Host, slot: &Slot) -> bool {
    let is_at = |index: u64, space: u64| (slot.index, slot.space) == (index, space);
    match slot.class {
        Some('b') => host.root_constants.iter().any(|c| is_at(c.index, c.space)),
        Some('s') => host.samplers.iter().any(|s| s.state.is_some() && is_at(s.slot.index, s.slot.space)),
        Some(_) | None => false,
    }
}

/// Ranges of resources and of samplers, which are in tables of their own, and of arrays without bound, each of which ends one.
fn d3d12(host: &Host) -> String {
    const RANGE: &str = "D3D12_DESCRIPTOR_RANGE";
    let ranges = |wanted: &dyn Fn(&Slot) -> bool| -> Vec<String> {
        let rows = host.slots.iter().filter(|slot| wanted(slot)).filter_map(|slot| {
            let (ty, n) = (range_type(slot)?, slot.count.map_or("UINT_MAX".to_owned(), |n| n.to_string()));
            let (index, space) = (slot.index, slot.space);
            Some(format!(
                "D3D12_DESCRIPTOR_RANGE_TYPE_{ty}, {n}, {index}, {space}, D3D12_DESCRIPTOR_RANGE_OFFSET_APPEND"
            ))
        });
        rows.collect()
    };
    let is_sampler = |slot: &Slot| slot.class == Some('s');
    let is_listed = |slot: &Slot| slot.count.is_some() && !is_in_root(host, slot);
    let mut out = array(RANGE, "resource_ranges", &ranges(&|s| is_listed(s) && !is_sampler(s)));
    out.push_str(&array(RANGE, "sampler_ranges", &ranges(&|s| is_listed(s) && is_sampler(s))));
    for slot in host.slots.iter().filter(|slot| slot.count.is_none()) {
        out.push_str(&array(RANGE, &format!("{}_range", slot.name), &ranges(&|s| s.name == slot.name)));
    }
    let constants = host.root_constants.iter().map(|c| format!("{}, {}, {}", c.index, c.space, c.count));
    out.push_str(&array("D3D12_ROOT_CONSTANTS", "root_constants", &constants.collect::<Vec<_>>()));
    out.push_str(&static_samplers(host));
    let elements = |entry: &Entry| {
        let row = |i: &Input| {
            let (semantic, nth) = &i.semantic;
            let input_class = "D3D12_INPUT_CLASSIFICATION_PER_VERTEX_DATA";
            format!("\"{semantic}\", {nth}, DXGI_FORMAT_{}, 0, {}, {input_class}, 0", dxgi_format(i), i.offset)
        };
        let rows: Vec<String> = entry.inputs.iter().map(row).collect();
        array("D3D12_INPUT_ELEMENT_DESC", &format!("{}_elements", entry.name), &rows)
    };
    out + &host.entries.iter().map(elements).collect::<String>()
}

/// What a table does not have of the samplers of the source.
fn notes(sampler: &Sampler) -> String {
    let name = &sampler.slot.name;
    // A backslash at the end of a line would go on with the comment.
    sampler.notes.iter().map(|note| format!("// {name}: {}\n", note.replace(['\n', '\\'], " "))).collect()
}

/// A number of C++ that is a `float`.
fn float(value: f32) -> String {
    format!("{value:?}f")
}

/// `MIN_MAG_LINEAR_MIP_POINT` and what is before it.
fn d3d12_filter(state: &SamplerState) -> String {
    let mut text = match state.reduction {
        Reduction::Average => "D3D12_FILTER",
        Reduction::Comparison => "D3D12_FILTER_COMPARISON",
        Reduction::Minimum => "D3D12_FILTER_MINIMUM",
        Reduction::Maximum => "D3D12_FILTER_MAXIMUM",
    }
    .to_owned();
    if state.anisotropic {
        return text + "_ANISOTROPIC";
    }
    let [min, mag, mip] = state.filters;
    // A filter stands behind the last of those that have it.
    for (word, filter, next) in [("MIN", min, Some(mag)), ("MAG", mag, Some(mip)), ("MIP", mip, None)] {
        text.push_str(&format!("_{word}"));
        if next != Some(filter) {
            text.push_str(match filter {
                Filter::Point => "_POINT",
                Filter::Linear => "_LINEAR",
            });
        }
    }
    text
}

fn d3d12_address(address: Address) -> &'static str {
    match address {
        Address::Wrap => "D3D12_TEXTURE_ADDRESS_MODE_WRAP",
        Address::Mirror => "D3D12_TEXTURE_ADDRESS_MODE_MIRROR",
        Address::Clamp => "D3D12_TEXTURE_ADDRESS_MODE_CLAMP",
        Address::Border => "D3D12_TEXTURE_ADDRESS_MODE_BORDER",
        Address::MirrorOnce => "D3D12_TEXTURE_ADDRESS_MODE_MIRROR_ONCE",
    }
}

/// The word that both APIs have.
fn comparison(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Never => "NEVER",
        Comparison::Less => "LESS",
        Comparison::Equal => "EQUAL",
        Comparison::LessEqual => "LESS_EQUAL",
        Comparison::Greater => "GREATER",
        Comparison::NotEqual => "NOT_EQUAL",
        Comparison::GreaterEqual => "GREATER_EQUAL",
        Comparison::Always => "ALWAYS",
    }
}

/// Static samplers of a root signature, a register a row.
fn static_samplers(host: &Host) -> String {
    let mut rows = Vec::new();
    for sampler in &host.samplers {
        let (Some(state), Some(registers)) = (&sampler.state, positions(&sampler.slot)) else { continue };
        let [u, v, w] = state.address.map(d3d12_address);
        let border = match state.border {
            Border::TransparentBlack => "TRANSPARENT_BLACK",
            Border::OpaqueBlack => "OPAQUE_BLACK",
            Border::OpaqueWhite => "OPAQUE_WHITE",
            Border::OpaqueBlackUint => "OPAQUE_BLACK_UINT",
            Border::OpaqueWhiteUint => "OPAQUE_WHITE_UINT",
        };
        let state_text = format!(
            "{}, {u}, {v}, {w}, {}, {}, D3D12_COMPARISON_FUNC_{}, D3D12_STATIC_BORDER_COLOR_{border}, {}, {}",
            d3d12_filter(state),
            float(state.lod_bias),
            state.max_anisotropy,
            comparison(state.comparison),
            float(state.min_lod),
            float(state.max_lod)
        );
        let (space, visibility) = (sampler.slot.space, state.visibility.unwrap_or("ALL"));
        rows.extend(
            registers
                .map(|register| format!("{state_text}, {register}, {space}, D3D12_SHADER_VISIBILITY_{visibility}")),
        );
    }
    host.samplers.iter().map(notes).collect::<String>() + &array("D3D12_STATIC_SAMPLER_DESC", "static_samplers", &rows)
}

/// Samplers that a descriptor set layout has itself, each beside the binding whose `pImmutableSamplers` it is for.
fn immutable_samplers(host: &Host) -> String {
    let (mut infos, mut bindings, mut before) = (Vec::new(), Vec::new(), String::new());
    for sampler in &host.samplers {
        before.push_str(&notes(sampler));
        let (Some(state), slot) = (&sampler.state, &sampler.slot) else { continue };
        let count = slot.count.map_or("SHADERPORT_UNBOUNDED_COUNT".to_owned(), |n| n.to_string());
        bindings.push(format!("{}, {}, {count}", slot.space, slot.index));
        let next = match state.reduction {
            Reduction::Average | Reduction::Comparison => None,
            Reduction::Minimum => Some("MIN"),
            Reduction::Maximum => Some("MAX"),
        };
        if let Some(mode) = next {
            before.push_str(&format!(
                "constexpr VkSamplerReductionModeCreateInfo {}_reduction = \
                 {{VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO, nullptr, VK_SAMPLER_REDUCTION_MODE_{mode}}};\n",
                slot.name
            ));
        }
        let next = next.map_or("nullptr".to_owned(), |_| format!("&{}_reduction", slot.name));
        infos.push(vulkan_sampler(state, &next));
    }
    before
        + &array("VkSamplerCreateInfo", "immutable_samplers", &infos)
        + &array("::shaderport::Binding", "immutable_sampler_bindings", &bindings)
}

fn vulkan_sampler(state: &SamplerState, next: &str) -> String {
    let [min, mag, mip] = state.filters.map(|filter| match filter {
        Filter::Point => "NEAREST",
        Filter::Linear => "LINEAR",
    });
    let [u, v, w] = state.address.map(|address| match address {
        Address::Wrap => "VK_SAMPLER_ADDRESS_MODE_REPEAT",
        Address::Mirror => "VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT",
        Address::Clamp => "VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE",
        Address::Border => "VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER",
        Address::MirrorOnce => "VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE",
    });
    let border = match state.border {
        Border::TransparentBlack => "FLOAT_TRANSPARENT_BLACK",
        Border::OpaqueBlack => "FLOAT_OPAQUE_BLACK",
        Border::OpaqueWhite => "FLOAT_OPAQUE_WHITE",
        Border::OpaqueBlackUint => "INT_OPAQUE_BLACK",
        Border::OpaqueWhiteUint => "INT_OPAQUE_WHITE",
    };
    let flag = |on: bool| if on { "VK_TRUE" } else { "VK_FALSE" };
    let compare = match comparison(state.comparison) {
        "LESS_EQUAL" => "LESS_OR_EQUAL",
        "GREATER_EQUAL" => "GREATER_OR_EQUAL",
        same => same,
    };
    let (min_lod, max_lod) = (float(state.min_lod.max(0.0)), vulkan_max_lod(state.max_lod));
    format!(
        "VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, {next}, 0, VK_FILTER_{mag}, VK_FILTER_{min}, \
         VK_SAMPLER_MIPMAP_MODE_{mip}, {u}, {v}, {w}, {}, {}, {}, {}, VK_COMPARE_OP_{compare}, {min_lod}, {max_lod}, \
         VK_BORDER_COLOR_{border}, VK_FALSE",
        float(state.lod_bias),
        flag(state.anisotropic),
        float(state.max_anisotropy as f32),
        flag(state.reduction == Reduction::Comparison)
    )
}

/// All levels have a word of their own.
fn vulkan_max_lod(lod: f32) -> String {
    if lod >= 1000.0 { "VK_LOD_CLAMP_NONE".to_owned() } else { float(lod) }
}
