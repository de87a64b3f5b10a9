//! The vocabulary of GLSL, for those who write HLSL and Slang after it: what a word that is not declared is called here.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// What stands here for a word of GLSL.
enum Here {
    /// Another word, which takes its place.
    Word(&'static str),
    /// An expression, a way to write it, or nothing: in words.
    Instead(&'static str),
    /// A value that comes in or goes out by a semantic.
    Semantic(&'static str),
}

use Here::{Instead, Semantic, Word};

const SAMPLED: &str = "`image.Sample(sampler, uv)`; a `Texture2D` and a `SamplerState` are two things";
const ADD: &str = "`InterlockedAdd(place, value, before)`, where `before` gets what was there";
const SIZE: &str = "`image.GetDimensions(width, height)`";

/// Words of GLSL, in groups: types, functions, variables.
const WORDS: &[(&str, Here)] = &[
    ("vec2", Word("float2")),
    ("vec3", Word("float3")),
    ("vec4", Word("float4")),
    ("ivec2", Word("int2")),
    ("ivec3", Word("int3")),
    ("ivec4", Word("int4")),
    ("uvec2", Word("uint2")),
    ("uvec3", Word("uint3")),
    ("uvec4", Word("uint4")),
    ("bvec2", Word("bool2")),
    ("bvec3", Word("bool3")),
    ("bvec4", Word("bool4")),
    ("dvec2", Word("double2")),
    ("dvec3", Word("double3")),
    ("dvec4", Word("double4")),
    ("mat2", Word("float2x2")),
    ("mat3", Word("float3x3")),
    ("mat4", Word("float4x4")),
    ("mat2x3", Instead("`float2x3` or `float3x2`, as columns or rows are meant: its name counts columns first")),
    ("mat2x4", Instead("`float2x4` or `float4x2`, as columns or rows are meant: its name counts columns first")),
    ("mat3x2", Instead("`float3x2` or `float2x3`, as columns or rows are meant: its name counts columns first")),
    ("mat3x4", Instead("`float3x4` or `float4x3`, as columns or rows are meant: its name counts columns first")),
    ("mat4x2", Instead("`float4x2` or `float2x4`, as columns or rows are meant: its name counts columns first")),
    ("mat4x3", Instead("`float4x3` or `float3x4`, as columns or rows are meant: its name counts columns first")),
    ("sampler1D", Instead("a `Texture1D` and a `SamplerState`")),
    ("sampler2D", Instead("a `Texture2D` and a `SamplerState`")),
    ("sampler3D", Instead("a `Texture3D` and a `SamplerState`")),
    ("samplerCube", Instead("a `TextureCube` and a `SamplerState`")),
    ("sampler2DArray", Instead("a `Texture2DArray` and a `SamplerState`")),
    ("sampler2DMS", Instead("a `Texture2DMS<float4>`")),
    ("sampler2DShadow", Instead("a `Texture2D` and a `SamplerComparisonState`")),
    ("samplerCubeShadow", Instead("a `TextureCube` and a `SamplerComparisonState`")),
    ("samplerBuffer", Word("Buffer<float4>")),
    ("isampler2D", Instead("a `Texture2D<int4>`")),
    ("usampler2D", Instead("a `Texture2D<uint4>`")),
    ("samplerShadow", Word("SamplerComparisonState")),
    ("texture2DArray", Word("Texture2DArray")),
    ("textureCube", Word("TextureCube")),
    ("image1D", Word("RWTexture1D<float4>")),
    ("image2D", Word("RWTexture2D<float4>")),
    ("image3D", Word("RWTexture3D<float4>")),
    ("image2DArray", Word("RWTexture2DArray<float4>")),
    ("imageBuffer", Word("RWBuffer<float4>")),
    ("iimage2D", Word("RWTexture2D<int4>")),
    ("uimage2D", Word("RWTexture2D<uint4>")),
    ("accelerationStructureEXT", Word("RaytracingAccelerationStructure")),
    ("mix", Word("lerp")),
    ("inversesqrt", Word("rsqrt")),
    ("mod", Instead("`fmod(x, y)`, which has the sign of `x`; GLSL's is `x - y * floor(x / y)`")),
    ("roundEven", Word("round")),
    ("dFdx", Word("ddx")),
    ("dFdy", Word("ddy")),
    ("dFdxFine", Word("ddx_fine")),
    ("dFdyFine", Word("ddy_fine")),
    ("dFdxCoarse", Word("ddx_coarse")),
    ("dFdyCoarse", Word("ddy_coarse")),
    ("matrixCompMult", Instead("`a * b`; matrices are multiplied by `mul(a, b)`")),
    ("outerProduct", Instead("`mul` of a matrix of one column and one of one row")),
    ("inverse", Instead("nothing: compute it, or pass the inverse matrix in")),
    ("lessThan", Instead("`a < b`")),
    ("lessThanEqual", Instead("`a <= b`")),
    ("greaterThan", Instead("`a > b`")),
    ("greaterThanEqual", Instead("`a >= b`")),
    ("equal", Instead("`a == b`")),
    ("notEqual", Instead("`a != b`")),
    ("not", Instead("`!a`")),
    ("floatBitsToInt", Word("asint")),
    ("floatBitsToUint", Word("asuint")),
    ("intBitsToFloat", Word("asfloat")),
    ("uintBitsToFloat", Word("asfloat")),
    ("bitCount", Word("countbits")),
    ("findLSB", Word("firstbitlow")),
    ("findMSB", Word("firstbithigh")),
    ("bitfieldReverse", Word("reversebits")),
    ("texture", Instead(SAMPLED)),
    ("textureLod", Instead("`image.SampleLevel(sampler, uv, level)`")),
    ("textureGrad", Instead("`image.SampleGrad(sampler, uv, dx, dy)`")),
    ("textureOffset", Instead("`image.Sample(sampler, uv, offset)`")),
    ("textureProj", Instead("`image.Sample(sampler, uv.xy / uv.w)`")),
    ("textureGather", Instead("`image.GatherRed(sampler, uv)`, or `GatherGreen` and so on for another component")),
    ("texelFetch", Instead("`image.Load(int3(place, level))`, or `image[place]` for level 0")),
    ("textureSize", Instead(SIZE)),
    ("textureQueryLod", Instead("`image.CalculateLevelOfDetail(sampler, uv)`")),
    ("textureQueryLevels", Instead("`image.GetDimensions(0, width, height, levels)`")),
    ("imageLoad", Instead("`image[place]`")),
    ("imageStore", Instead("`image[place] = value`")),
    ("imageSize", Instead(SIZE)),
    ("imageAtomicAdd", Instead("`InterlockedAdd(image[place], value, before)`, where `before` gets what was there")),
    ("atomicAdd", Instead(ADD)),
    ("atomicMin", Instead("`InterlockedMin(place, value, before)`, where `before` gets what was there")),
    ("atomicMax", Instead("`InterlockedMax(place, value, before)`, where `before` gets what was there")),
    ("atomicAnd", Instead("`InterlockedAnd(place, value, before)`, where `before` gets what was there")),
    ("atomicOr", Instead("`InterlockedOr(place, value, before)`, where `before` gets what was there")),
    ("atomicXor", Instead("`InterlockedXor(place, value, before)`, where `before` gets what was there")),
    ("atomicExchange", Instead("`InterlockedExchange(place, value, before)`, where `before` gets what was there")),
    ("atomicCompSwap", Instead("`InterlockedCompareExchange(place, compared, value, before)`")),
    ("barrier", Word("GroupMemoryBarrierWithGroupSync")),
    ("memoryBarrier", Word("AllMemoryBarrier")),
    ("groupMemoryBarrier", Word("AllMemoryBarrier")),
    ("memoryBarrierShared", Word("GroupMemoryBarrier")),
    ("memoryBarrierBuffer", Word("DeviceMemoryBarrier")),
    ("memoryBarrierImage", Word("DeviceMemoryBarrier")),
    ("subgroupElect", Word("WaveIsFirstLane")),
    ("subgroupAll", Word("WaveActiveAllTrue")),
    ("subgroupAny", Word("WaveActiveAnyTrue")),
    ("subgroupAdd", Word("WaveActiveSum")),
    ("subgroupMul", Word("WaveActiveProduct")),
    ("subgroupMin", Word("WaveActiveMin")),
    ("subgroupMax", Word("WaveActiveMax")),
    ("subgroupBallot", Word("WaveActiveBallot")),
    ("subgroupBroadcast", Word("WaveReadLaneAt")),
    ("subgroupBroadcastFirst", Word("WaveReadLaneFirst")),
    ("subgroupExclusiveAdd", Word("WavePrefixSum")),
    ("EmitVertex", Instead("`stream.Append(vertex)` of a stream that the function has as its parameter")),
    ("EndPrimitive", Instead("`stream.RestartStrip()`")),
    ("interpolateAtCentroid", Word("EvaluateAttributeCentroid")),
    ("interpolateAtSample", Word("EvaluateAttributeAtSample")),
    ("nonuniformEXT", Word("NonUniformResourceIndex")),
    ("traceRayEXT", Word("TraceRay")),
    ("reportIntersectionEXT", Word("ReportHit")),
    ("ignoreIntersectionEXT", Instead("`IgnoreHit()`")),
    ("terminateRayEXT", Instead("`AcceptHitAndEndSearch()`")),
    ("gl_Position", Semantic("SV_Position")),
    ("gl_FragCoord", Semantic("SV_Position")),
    ("gl_FragColor", Semantic("SV_Target")),
    ("gl_FragDepth", Semantic("SV_Depth")),
    ("gl_VertexID", Semantic("SV_VertexID")),
    ("gl_VertexIndex", Semantic("SV_VertexID")),
    ("gl_InstanceID", Semantic("SV_InstanceID")),
    ("gl_InstanceIndex", Semantic("SV_InstanceID")),
    ("gl_PrimitiveID", Semantic("SV_PrimitiveID")),
    ("gl_FrontFacing", Semantic("SV_IsFrontFace")),
    ("gl_SampleID", Semantic("SV_SampleIndex")),
    ("gl_SampleMask", Semantic("SV_Coverage")),
    ("gl_SampleMaskIn", Semantic("SV_Coverage")),
    ("gl_Layer", Semantic("SV_RenderTargetArrayIndex")),
    ("gl_ViewportIndex", Semantic("SV_ViewportArrayIndex")),
    ("gl_ViewIndex", Semantic("SV_ViewID")),
    ("gl_ClipDistance", Semantic("SV_ClipDistance")),
    ("gl_CullDistance", Semantic("SV_CullDistance")),
    ("gl_TessCoord", Semantic("SV_DomainLocation")),
    ("gl_TessLevelOuter", Semantic("SV_TessFactor")),
    ("gl_TessLevelInner", Semantic("SV_InsideTessFactor")),
    ("gl_GlobalInvocationID", Semantic("SV_DispatchThreadID")),
    ("gl_LocalInvocationID", Semantic("SV_GroupThreadID")),
    ("gl_LocalInvocationIndex", Semantic("SV_GroupIndex")),
    ("gl_WorkGroupID", Semantic("SV_GroupID")),
    ("gl_PointSize", Instead("nothing: points have one size")),
    ("gl_SubgroupInvocationID", Instead("`WaveGetLaneIndex()`")),
    ("gl_SubgroupSize", Instead("`WaveGetLaneCount()`")),
    ("gl_LaunchIDEXT", Instead("`DispatchRaysIndex()`")),
    ("gl_LaunchSizeEXT", Instead("`DispatchRaysDimensions()`")),
    ("gl_WorldRayOriginEXT", Instead("`WorldRayOrigin()`")),
    ("gl_WorldRayDirectionEXT", Instead("`WorldRayDirection()`")),
    ("gl_HitTEXT", Instead("`RayTCurrent()`")),
    ("gl_InstanceCustomIndexEXT", Instead("`InstanceID()`")),
];

/// Whether a word is one of GLSL that is called otherwise here.
pub(super) fn is_known(name: &str) -> bool {
    WORDS.iter().any(|(word, _)| *word == name)
}

/// Says what a word of GLSL that is not declared is called here.
pub(super) fn advise(diagnostic: Diagnostic, name: &str, span: Span) -> Diagnostic {
    match WORDS.iter().find(|(word, _)| *word == name) {
        None => diagnostic,
        Some((_, Word(word))) => diagnostic.note(format!("`{name}` of GLSL is `{word}` here")).suggest(span, word),
        Some((_, Instead(what))) => diagnostic.note(format!("instead of `{name}` of GLSL there is {what}")),
        Some((_, Semantic(semantic))) => diagnostic
            .note(format!("`{name}` of GLSL is an input or output with the semantic `{semantic}`"))
            .note("it is a parameter or the result of the entry point, or a field of one"),
    }
}

/// The components that a name of texture coordinates selects in GLSL: `st` is `xy`.
pub(super) fn components(name: &str) -> Option<String> {
    let one = |c: char| "stpq".chars().zip("xyzw".chars()).find(|(of, _)| *of == c).map(|(_, here)| here);
    name.chars().map(one).collect::<Option<String>>().filter(|here| (1..=4).contains(&here.len()))
}

/// All words.
#[cfg(test)]
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(word, _)| *word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_there_once() {
        let mut names: Vec<&str> = WORDS.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }
}
