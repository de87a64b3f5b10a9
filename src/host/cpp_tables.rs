//! Tables of the types of Vulkan and Direct3D 12.

use super::cpp::CppTables;
use super::model::{Entry, Host, Input, Number, Resource, Slot};
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
    let mut out = array(RANGE, "resource_ranges", &ranges(&|s| s.count.is_some() && !is_sampler(s)));
    out.push_str(&array(RANGE, "sampler_ranges", &ranges(&|s| s.count.is_some() && is_sampler(s))));
    for slot in host.slots.iter().filter(|slot| slot.count.is_none()) {
        out.push_str(&array(RANGE, &format!("{}_range", slot.name), &ranges(&|s| s.name == slot.name)));
    }
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
