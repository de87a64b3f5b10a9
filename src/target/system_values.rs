//! The table of system values: what a semantic is in each kind of stage interface.

use super::Capability;
use crate::symbol::edit_distance;
use crate::tree::{Scalar, Stage};

/// The direction of stage data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Direction {
    /// Into the stage.
    In,
    /// Out of it.
    Out,
}

/// A spelling with the type that the target gives the value: (spelling, scalar, components).
pub type Spelling = (&'static str, Scalar, u8);

/// A system value in some stages.
#[derive(Debug)]
pub struct SystemValue {
    /// Semantics in upper case, without index.
    pub semantics: &'static [&'static str],
    /// Stages.
    pub stages: &'static [Stage],
    /// Direction.
    pub direction: Direction,
    /// As a builtin variable (GLSL).
    pub variable: Option<Spelling>,
    /// As a builtin attribute (WGSL).
    pub attribute: Option<Spelling>,
    /// The semantic's name for D3D, where the one above is not known there; empty where D3D has none.
    pub semantic: Option<&'static str>,
    /// The variable without perspective, where that is another one.
    pub linear: Option<&'static str>,
    /// The attribute without perspective, where that is another one.
    pub linear_attribute: Option<&'static str>,
    /// What a target with attributes must have for this one.
    pub needs: Option<Capability>,
    /// The layout with which the variable is declared again.
    pub layout: Option<&'static str>,
    /// The shader model from which on D3D has it.
    pub since: (u32, u32),
    /// The extension that the variable needs; may be empty.
    pub extension: &'static str,
    /// A target without it draws the same but for this: points of one pixel.
    pub is_hint: bool,
}

use Direction::{In, Out};
use Scalar::{Bool, F32, I32, U32};
use Stage::{Compute, Domain, Fragment, Geometry, Hull, Mesh, Vertex};

/// Stages with work groups.
const GROUPS: &[Stage] = &[Compute, Mesh, Stage::Amplification];
/// Stages before rasterization.
const POINTS: &[Stage] = &[Vertex, Domain, Geometry, Mesh];

const fn row(
    semantics: &'static [&'static str],
    stages: &'static [Stage],
    direction: Direction,
    variable: Option<Spelling>,
    attribute: Option<Spelling>,
    extension: &'static str,
) -> SystemValue {
    SystemValue {
        semantics,
        stages,
        direction,
        variable,
        attribute,
        semantic: None,
        linear: None,
        linear_attribute: None,
        needs: None,
        layout: None,
        since: (0, 0),
        extension,
        is_hint: false,
    }
}

const fn named(mut value: SystemValue, semantic: &'static str) -> SystemValue {
    value.semantic = Some(semantic);
    value
}

const fn linear(mut value: SystemValue, variable: &'static str) -> SystemValue {
    value.linear = Some(variable);
    value
}

/// A value with an attribute that not every target with attributes has.
const fn feature(mut value: SystemValue, attribute: Spelling, needs: Capability) -> SystemValue {
    value.attribute = Some(attribute);
    value.needs = Some(needs);
    if value.linear.is_some() {
        value.linear_attribute = Some("barycentric_no_perspective");
    }
    value
}

const fn declared(mut value: SystemValue, layout: &'static str) -> SystemValue {
    value.layout = Some(layout);
    value
}

const fn since(mut value: SystemValue, version: (u32, u32)) -> SystemValue {
    value.since = version;
    value
}

const fn hint(mut value: SystemValue) -> SystemValue {
    value.is_hint = true;
    value
}

/// The table.
#[rustfmt::skip]
const TABLE: &[SystemValue] = &[
    row(&["SV_VERTEXID"], &[Vertex], In,
        Some(("gl_VertexIndex", I32, 1)), Some(("vertex_index", U32, 1)), ""),
    named(row(&["SV_VULKANVERTEXID"], &[Vertex], In,
        Some(("gl_VertexIndex", I32, 1)), Some(("vertex_index", U32, 1)), ""), "SV_VertexID"),
    row(&["SV_INSTANCEID"], &[Vertex], In,
        Some(("gl_InstanceIndex", I32, 1)), Some(("instance_index", U32, 1)), ""),
    named(row(&["SV_VULKANINSTANCEID"], &[Vertex], In,
        Some(("gl_InstanceIndex", I32, 1)), Some(("instance_index", U32, 1)), ""), "SV_InstanceID"),
    since(row(&["SV_STARTVERTEXLOCATION"], &[Vertex], In,
        Some(("gl_BaseVertex", I32, 1)), None, "GL_ARB_shader_draw_parameters"), (6, 8)),
    since(row(&["SV_STARTINSTANCELOCATION"], &[Vertex], In,
        Some(("gl_BaseInstance", I32, 1)), None, "GL_ARB_shader_draw_parameters"), (6, 8)),
    named(feature(row(&["SV_DRAWINDEX"], &[Vertex, Mesh, Stage::Amplification], In,
        Some(("gl_DrawID", I32, 1)), None, "GL_ARB_shader_draw_parameters"), ("draw_index", U32, 1), Capability::DrawIndices), ""),
    since(feature(row(&["SV_VIEWID"], &[Vertex, Hull, Domain, Geometry, Fragment, Mesh], In,
        Some(("gl_ViewIndex", I32, 1)), None, "GL_EXT_multiview"), ("view_index", U32, 1), Capability::Multiview), (6, 1)),
    named(row(&["SV_DEVICEINDEX"], &[Vertex, Hull, Domain, Geometry, Fragment, Compute, Mesh, Stage::Amplification], In,
        Some(("gl_DeviceIndex", I32, 1)), None, "GL_EXT_device_group"), ""),
    row(&["SV_POSITION"], POINTS, Out,
        Some(("gl_Position", F32, 4)), Some(("position", F32, 4)), ""),
    hint(named(row(&["SV_POINTSIZE"], POINTS, Out,
        Some(("gl_PointSize", F32, 1)), None, ""), "PSIZE")),
    row(&["SV_RENDERTARGETARRAYINDEX"], &[Vertex, Domain], Out,
        Some(("gl_Layer", I32, 1)), None, "GL_ARB_shader_viewport_layer_array"),
    row(&["SV_RENDERTARGETARRAYINDEX"], &[Geometry, Mesh], Out,
        Some(("gl_Layer", I32, 1)), None, ""),
    row(&["SV_VIEWPORTARRAYINDEX"], &[Vertex, Domain], Out,
        Some(("gl_ViewportIndex", I32, 1)), None, "GL_ARB_shader_viewport_layer_array"),
    row(&["SV_VIEWPORTARRAYINDEX"], &[Geometry, Mesh], Out,
        Some(("gl_ViewportIndex", I32, 1)), None, ""),
    row(&["SV_CULLPRIMITIVE"], &[Mesh], Out,
        Some(("gl_CullPrimitiveEXT", Bool, 1)), None, ""),
    since(row(&["SV_SHADINGRATE"], &[Vertex, Geometry, Mesh], Out,
        Some(("gl_PrimitiveShadingRateEXT", I32, 1)), None, "GL_EXT_fragment_shading_rate"), (6, 4)),
    row(&["SV_PRIMITIVEID"], &[Geometry, Mesh], Out,
        Some(("gl_PrimitiveID", I32, 1)), None, ""),
    row(&["SV_POSITION"], &[Fragment], In,
        Some(("gl_FragCoord", F32, 4)), Some(("position", F32, 4)), ""),
    // What GLSL means by it: `w` is not divided by.
    named(row(&["SV_FRAGCOORD"], &[Fragment], In,
        Some(("gl_FragCoord", F32, 4)), Some(("position", F32, 4)), ""), "SV_Position"),
    named(row(&["SV_FRAGSIZE"], &[Fragment], In,
        Some(("gl_FragSizeEXT", I32, 2)), None, "GL_EXT_fragment_invocation_density"), ""),
    named(row(&["SV_FRAGINVOCATIONCOUNT"], &[Fragment], In,
        Some(("gl_FragInvocationCountEXT", I32, 1)), None, "GL_EXT_fragment_invocation_density"), ""),
    row(&["SV_ISFRONTFACE"], &[Fragment], In,
        Some(("gl_FrontFacing", Bool, 1)), Some(("front_facing", Bool, 1)), ""),
    row(&["SV_SAMPLEINDEX"], &[Fragment], In,
        Some(("gl_SampleID", I32, 1)), Some(("sample_index", U32, 1)), ""),
    named(row(&["SV_VULKANSAMPLEPOSITION"], &[Fragment], In,
        Some(("gl_SamplePosition", F32, 2)), None, ""), ""),
    row(&["SV_COVERAGE"], &[Fragment], In,
        Some(("gl_SampleMaskIn[0]", I32, 1)), Some(("sample_mask", U32, 1)), ""),
    row(&["SV_PRIMITIVEID"], &[Fragment], In,
        Some(("gl_PrimitiveID", I32, 1)), Some(("primitive_index", U32, 1)), ""),
    row(&["SV_PRIMITIVEID"], &[Hull, Domain], In,
        Some(("gl_PrimitiveID", I32, 1)), None, ""),
    row(&["SV_PRIMITIVEID"], &[Geometry], In,
        Some(("gl_PrimitiveIDIn", I32, 1)), None, ""),
    row(&["SV_RENDERTARGETARRAYINDEX"], &[Fragment], In,
        Some(("gl_Layer", I32, 1)), None, ""),
    row(&["SV_VIEWPORTARRAYINDEX"], &[Fragment], In,
        Some(("gl_ViewportIndex", I32, 1)), None, ""),
    since(row(&["SV_SHADINGRATE"], &[Fragment], In,
        Some(("gl_ShadingRateEXT", I32, 1)), None, "GL_EXT_fragment_shading_rate"), (6, 4)),
    named(row(&["SV_POINTCOORD"], &[Fragment], In,
        Some(("gl_PointCoord", F32, 2)), None, ""), ""),
    since(feature(linear(row(&["SV_BARYCENTRICS"], &[Fragment], In,
        Some(("gl_BaryCoordEXT", F32, 3)), None, "GL_EXT_fragment_shader_barycentric"), "gl_BaryCoordNoPerspEXT"),
        ("barycentric", F32, 3), Capability::Barycentrics), (6, 1)),
    row(&["SV_DEPTH"], &[Fragment], Out,
        Some(("gl_FragDepth", F32, 1)), Some(("frag_depth", F32, 1)), ""),
    declared(row(&["SV_DEPTHGREATEREQUAL"], &[Fragment], Out,
        Some(("gl_FragDepth", F32, 1)), Some(("frag_depth", F32, 1)), ""), "depth_greater"),
    declared(row(&["SV_DEPTHLESSEQUAL"], &[Fragment], Out,
        Some(("gl_FragDepth", F32, 1)), Some(("frag_depth", F32, 1)), ""), "depth_less"),
    row(&["SV_INNERCOVERAGE"], &[Fragment], In,
        Some(("gl_FragFullyCoveredNV", Bool, 1)), None, "GL_NV_conservative_raster_underestimation"),
    row(&["SV_COVERAGE"], &[Fragment], Out,
        Some(("gl_SampleMask[0]", I32, 1)), Some(("sample_mask", U32, 1)), ""),
    row(&["SV_STENCILREF"], &[Fragment], Out,
        Some(("gl_FragStencilRefARB", I32, 1)), None, "GL_ARB_shader_stencil_export"),
    row(&["SV_DISPATCHTHREADID"], GROUPS, In,
        Some(("gl_GlobalInvocationID", U32, 3)), Some(("global_invocation_id", U32, 3)), ""),
    row(&["SV_GROUPID"], GROUPS, In,
        Some(("gl_WorkGroupID", U32, 3)), Some(("workgroup_id", U32, 3)), ""),
    row(&["SV_GROUPTHREADID"], GROUPS, In,
        Some(("gl_LocalInvocationID", U32, 3)), Some(("local_invocation_id", U32, 3)), ""),
    row(&["SV_GROUPINDEX"], GROUPS, In,
        Some(("gl_LocalInvocationIndex", U32, 1)), Some(("local_invocation_index", U32, 1)), ""),
    // No semantic of D3D: what `WorkgroupCount()` stands for.
    named(row(&["SV_NUMWORKGROUPS"], GROUPS, In,
        Some(("gl_NumWorkGroups", U32, 3)), Some(("num_workgroups", U32, 3)), ""), ""),
    row(&["SV_WAVELANEINDEX"], &[Compute, Fragment], In,
        Some(("gl_SubgroupInvocationID", U32, 1)), Some(("subgroup_invocation_id", U32, 1)), "GL_KHR_shader_subgroup_basic"),
    row(&["SV_WAVELANECOUNT"], &[Compute, Fragment], In,
        Some(("gl_SubgroupSize", U32, 1)), Some(("subgroup_size", U32, 1)), "GL_KHR_shader_subgroup_basic"),
    row(&["SV_GSINSTANCEID"], &[Geometry], In,
        Some(("gl_InvocationID", I32, 1)), None, ""),
    row(&["SV_OUTPUTCONTROLPOINTID"], &[Hull], In,
        Some(("gl_InvocationID", I32, 1)), None, ""),
    row(&["SV_DOMAINLOCATION"], &[Domain], In,
        Some(("gl_TessCoord", F32, 3)), None, ""),
];

/// The system value of a semantic in a stage.
pub fn find(semantic: &str, stage: Stage, direction: Direction) -> Option<&'static SystemValue> {
    TABLE.iter().find(|v| v.direction == direction && v.semantics.contains(&semantic) && v.stages.contains(&stage))
}

/// Semantics of system values without a row: targets, and what is an array.
const OTHERS: &[&str] = &["SV_TARGET", "SV_CLIPDISTANCE", "SV_CULLDISTANCE", "SV_TESSFACTOR", "SV_INSIDETESSFACTOR"];

/// Whether a semantic is of system values and none that is known.
pub fn is_unknown(semantic: &str) -> bool {
    semantic.starts_with("SV_") && !TABLE.iter().flat_map(|v| v.semantics).chain(OTHERS).any(|known| *known == semantic)
}

/// The system value that a semantic resembles which is none, in upper case.
pub fn similar(semantic: &str) -> Option<&'static str> {
    let all = TABLE.iter().flat_map(|v| v.semantics).chain(OTHERS);
    let near = all.map(|name| (edit_distance(semantic, name), *name)).min()?;
    (1..=3).contains(&near.0).then_some(near.1)
}

/// Semantics of inputs that are the same for a whole work group.
const OF_GROUPS: &[&str] = &["SV_GROUPID", "SV_NUMWORKGROUPS", "SV_WAVELANECOUNT"];

/// Whether an input, by its attribute, is the same for a whole work group.
pub fn same_in_group(attribute: &str) -> bool {
    let is_it = |v: &SystemValue| v.attribute.is_some_and(|(name, ..)| name == attribute);
    TABLE.iter().any(|v| is_it(v) && v.semantics.iter().any(|s| OF_GROUPS.contains(s)))
}

/// The name that D3D knows for a semantic that only other tools know; the empty name where D3D has no such thing, or not in
/// this shader model.
pub fn d3d_name(semantic: &str, version: (u32, u32)) -> Option<&'static str> {
    let value = TABLE.iter().find(|v| v.semantics.contains(&semantic))?;
    if value.since > version { Some("") } else { value.semantic }
}

/// The shader model from which on D3D has a system value, if it is a later one than this.
pub fn later_model(semantic: &str, version: (u32, u32)) -> Option<(u32, u32)> {
    let value = TABLE.iter().find(|v| v.semantics.contains(&semantic))?;
    (value.since > version).then_some(value.since)
}

/// A stage has no more distances to clip planes, or to cull planes.
pub const MOST_DISTANCES: u32 = 8;

/// The distances to clip planes are one array in targets with attributes, which have none to cull planes.
pub fn distance_attribute(semantic: &str) -> Option<&'static str> {
    (semantic == "SV_CLIPDISTANCE").then_some("clip_distances")
}

/// The system values that are builtins of SPIR-V: (name, semantic, the attribute of DXC for it). `[[vk::builtin]]` knows some
/// names; the others are decorated with `BuiltIn`, which is 11, and their numbers (SPIR-V, "BuiltIn").
const OF_VULKAN: &[(&str, &str, &str)] = &[
    ("PointSize", "SV_POINTSIZE", r#"vk::builtin("PointSize")"#),
    ("BaseVertex", "SV_STARTVERTEXLOCATION", r#"vk::builtin("BaseVertex")"#),
    ("BaseInstance", "SV_STARTINSTANCELOCATION", r#"vk::builtin("BaseInstance")"#),
    ("DrawIndex", "SV_DRAWINDEX", r#"vk::builtin("DrawIndex")"#),
    ("DeviceIndex", "SV_DEVICEINDEX", r#"vk::builtin("DeviceIndex")"#),
    ("PointCoord", "SV_POINTCOORD", "vk::ext_decorate(11, 16)"),
];

/// The system value that is a builtin of SPIR-V, as `[[vk::builtin]]` names it.
pub fn of_vulkan(builtin: &str) -> Option<&'static str> {
    OF_VULKAN.iter().find(|(name, ..)| *name == builtin).map(|(_, semantic, _)| *semantic)
}

/// The builtin of SPIR-V that a system value is, by its name.
pub fn vulkan_builtin(semantic: &str) -> Option<&'static str> {
    OF_VULKAN.iter().find(|(_, name, _)| *name == semantic).map(|(builtin, ..)| *builtin)
}

/// The attribute by which DXC knows a builtin of SPIR-V.
pub fn builtin_attribute(builtin: &str) -> Option<&'static str> {
    OF_VULKAN.iter().find(|(name, ..)| *name == builtin).map(|(.., attribute)| *attribute)
}

/// What a text enables that has an input or output of an attribute.
pub fn enabled_for(attribute: &str) -> Option<&'static str> {
    match attribute {
        "clip_distances" => Some("clip_distances"),
        "draw_index" => Some("draw_index"),
        "primitive_index" => Some("primitive_index"),
        _ => attribute.starts_with("subgroup_").then_some("subgroups"),
    }
}

/// The invocation's own number, of the control point that it makes.
pub const INVOCATION: &str = "gl_InvocationID";

/// The tessellation factors of a patch are arrays in targets with variables, of a length that no domain changes.
pub fn level_variable(semantic: &str) -> Option<(&'static str, u32)> {
    match semantic {
        "SV_TESSFACTOR" => Some(("gl_TessLevelOuter", 4)),
        "SV_INSIDETESSFACTOR" => Some(("gl_TessLevelInner", 2)),
        _ => None,
    }
}

/// A system value of one vertex or control point among many, or of one primitive of a mesh.
pub fn find_member(semantic: &str, of_primitive: bool) -> Option<&'static SystemValue> {
    const OF_VERTICES: [&str; 2] = ["gl_Position", "gl_PointSize"];
    let of_vertex = |v: &&SystemValue| v.variable.is_some_and(|(name, ..)| OF_VERTICES.contains(&name));
    match of_primitive {
        true => find(semantic, Mesh, Out).filter(|v| !of_vertex(v)),
        false => find(semantic, Vertex, Out).filter(of_vertex),
    }
}

/// The distances to clip and cull planes are arrays in targets with variables.
pub fn distance_variable(semantic: &str) -> Option<&'static str> {
    match semantic {
        "SV_CLIPDISTANCE" => Some("gl_ClipDistance"),
        "SV_CULLDISTANCE" => Some("gl_CullDistance"),
        _ => None,
    }
}
