//! Words that a name may not be, per language.
//!
//! *Keywords* can name nothing. *Builtins* are functions, types and constants of the language: a declaration of that name at
//! global scope would hide them; a local may have it unless its function uses the builtin.

use super::{Api, Language, Profile};
use std::cmp::Ordering;

/// The words of one language.
pub struct Reserved {
    keywords: Words,
    /// What compilers take for keywords: drivers what the language has only within `layout(...)`, naga the types of its own.
    of_drivers: Words,
    builtins: Words,
    /// No name may begin with one of these.
    prefixes: &'static [&'static str],
    /// No name may contain this.
    inside: Option<&'static str>,
    /// The longest name that is made, which leaves room for what printers put behind one.
    longest: usize,
}

impl Reserved {
    /// The words of a profile's language.
    pub fn of(profile: &Profile) -> &'static Reserved {
        static HLSL: Reserved = Reserved::new(HLSL_KEYWORDS, HLSL_BUILTINS);
        const GLSL: Reserved = Reserved {
            prefixes: &["gl_"],
            inside: Some("__"),
            // Compilers stop reading a name after 1024 characters.
            longest: 1000,
            ..Reserved::new(GLSL_KEYWORDS, GLSL_BUILTINS)
        };
        static VULKAN: Reserved = GLSL;
        static OPENGL: Reserved = Reserved { of_drivers: Words("packed row_major"), ..GLSL };
        static WGSL: Reserved = Reserved { prefixes: &["__"], ..Reserved::new(WGSL_KEYWORDS, WGSL_BUILTINS) };
        const OF_NAGA: &str = "RayDesc RayIntersection acceleration_structure binding_array f64 i64 ray_query u64";
        static WGPU: Reserved =
            Reserved { prefixes: &["__"], of_drivers: Words(OF_NAGA), ..Reserved::new(WGSL_KEYWORDS, WGSL_BUILTINS) };
        match profile.language {
            Language::Hlsl => &HLSL,
            Language::Glsl if profile.facts.api == Api::OpenGl => &OPENGL,
            Language::Glsl => &VULKAN,
            Language::Wgsl if profile.facts.api == Api::Wgpu => &WGPU,
            Language::Wgsl => &WGSL,
        }
    }

    const fn new(keywords: &'static str, builtins: &'static str) -> Reserved {
        Reserved {
            keywords: Words(keywords),
            of_drivers: Words(""),
            builtins: Words(builtins),
            prefixes: &[],
            inside: None,
            longest: usize::MAX,
        }
    }

    /// Whether nothing may have this name.
    pub fn is_keyword(&self, name: &str) -> bool {
        self.keywords.contains(name)
            || self.of_drivers.contains(name)
            || self.prefixes.iter().any(|p| name.starts_with(p))
            || self.inside.is_some_and(|i| name.contains(i))
            || name == "_"
            || name.is_empty()
    }

    /// The nearest name that is not forbidden.
    pub fn respell(&self, name: &str) -> String {
        let mut text = name.to_owned();
        while self.is_keyword(&text) && text.contains("__") {
            text = text.replace("__", "_");
        }
        if self.prefixes.iter().any(|p| text.starts_with(p)) {
            text.insert(0, '_');
        }
        if self.is_keyword(&text) {
            text.push('_');
        }
        self.shorten(text)
    }

    /// A name that is too long ends with a number made of all of it.
    fn shorten(&self, text: String) -> String {
        if text.len() <= self.longest {
            return text;
        }
        let hash =
            text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        let start: String = text.chars().take(self.longest.saturating_sub(17)).collect();
        format!("{}_{hash:016x}", start.trim_end_matches('_'))
    }

    /// Whether it is the name of something that the language declares.
    pub fn is_builtin(&self, name: &str) -> bool {
        self.builtins.contains(name)
    }
}

/// Sorted words with one space between: searched as they are, since most runs ask for few names.
struct Words(&'static str);

impl Words {
    fn contains(&self, name: &str) -> bool {
        let is_space = |b: &u8| *b == b' ';
        let (mut rest, name) = (self.0.as_bytes(), name.as_bytes());
        while !rest.is_empty() {
            // The word in the middle, or the one beside the space there.
            let (before, after) = rest.split_at(rest.len() / 2);
            let start = before.iter().rposition(is_space).map_or(0, |at| at + 1);
            let end = before.len() + after.iter().position(is_space).unwrap_or(after.len());
            match rest.get(start..end).unwrap_or_default().cmp(name) {
                Ordering::Equal => return true,
                Ordering::Less => rest = rest.get(end + 1..).unwrap_or_default(),
                Ordering::Greater => rest = rest.get(..start.saturating_sub(1)).unwrap_or_default(),
            }
        }
        false
    }
}

const HLSL_KEYWORDS: &str = "\
    AppendStructuredBuffer BlendState Buffer ByteAddressBuffer CompileShader ComputeShader ConstantBuffer \
    ConsumeStructuredBuffer DepthStencilState DepthStencilView DomainShader GeometryShader Hullshader InputPatch \
    LineStream NULL OutputPatch PixelShader PointStream RWBuffer RWByteAddressBuffer RWStructuredBuffer RWTexture1D \
    RWTexture1DArray RWTexture2D RWTexture2DArray RWTexture3D RasterizerState RayQuery RaytracingAccelerationStructure \
    RenderTargetView SamplerComparisonState SamplerState StructuredBuffer Texture1D Texture1DArray Texture2D \
    Texture2DArray Texture2DMS Texture2DMSArray Texture3D TextureBuffer TextureCube TextureCubeArray TriangleStream \
    VertexShader asm asm_fragment auto bool bool1 bool2 bool3 bool4 break case catch cbuffer centroid char class \
    column_major compile compile_fragment const const_cast continue default delete discard do double double1 double2 \
    double3 double4 dword dynamic_cast else enum explicit export extern false float float1 float16_t float2 float2x2 \
    float2x3 float2x4 float3 float32_t float3x2 float3x3 float3x4 float4 float4x2 float4x3 float4x4 for friend fxgroup \
    globallycoherent goto groupshared half half1 half2 half3 half4 if in indices inline inout int int1 int16_t int2 \
    int3 int32_t int4 int64_t interface line lineadj linear long matrix min10float min12int min16float min16int \
    min16uint mutable namespace new nointerpolation noperspective operator out packoffset pass payload pixelfragment \
    point precise primitives private protected public register reinterpret_cast return row_major sample sampler shared \
    short signed sizeof snorm stateblock stateblock_state static static_cast string struct switch tbuffer technique \
    technique10 technique11 template texture this throw triangle triangleadj true try typedef typename uint uint1 \
    uint16_t uint2 uint3 uint32_t uint4 uint64_t uniform union unorm unsigned using vector vertexfragment vertices \
    virtual void volatile while";

const HLSL_BUILTINS: &str = "\
    BuiltInTriangleIntersectionAttributes CANDIDATE_NON_OPAQUE_TRIANGLE CANDIDATE_PROCEDURAL_PRIMITIVE \
    COMMITTED_NOTHING COMMITTED_PROCEDURAL_PRIMITIVE_HIT COMMITTED_TRIANGLE_HIT HIT_KIND_TRIANGLE_BACK_FACE \
    HIT_KIND_TRIANGLE_FRONT_FACE RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH RAY_FLAG_CULL_BACK_FACING_TRIANGLES \
    RAY_FLAG_CULL_FRONT_FACING_TRIANGLES RAY_FLAG_CULL_NON_OPAQUE RAY_FLAG_CULL_OPAQUE RAY_FLAG_FORCE_NON_OPAQUE \
    RAY_FLAG_FORCE_OPAQUE RAY_FLAG_NONE RAY_FLAG_SKIP_CLOSEST_HIT_SHADER RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES \
    RAY_FLAG_SKIP_TRIANGLES RayDesc";

const GLSL_KEYWORDS: &str = "\
    accelerationStructureEXT active asm atomic_uint attribute bool break buffer bvec2 bvec3 bvec4 callableDataEXT \
    callableDataInEXT case cast centroid class coherent common const continue default demote discard dmat2 dmat2x2 \
    dmat2x3 dmat2x4 dmat3 dmat3x2 dmat3x3 dmat3x4 dmat4 dmat4x2 dmat4x3 dmat4x4 do double dvec2 dvec3 dvec4 else enum \
    extern external f16mat2 f16mat3 f16mat4 f16vec2 f16vec3 f16vec4 f32vec2 f32vec3 f32vec4 f64vec2 f64vec3 f64vec4 \
    false filter fixed flat float float16_t float32_t float64_t for fvec2 fvec3 fvec4 goto half highp hitAttributeEXT \
    hvec2 hvec3 hvec4 i16vec2 i16vec3 i16vec4 i64vec2 i64vec3 i64vec4 i8vec2 i8vec3 i8vec4 if iimage1D iimage1DArray \
    iimage2D iimage2DArray iimage2DMS iimage2DMSArray iimage2DRect iimage3D iimageBuffer iimageCube iimageCubeArray \
    image1D image1DArray image2D image2DArray image2DMS image2DMSArray image2DRect image3D imageBuffer imageCube \
    imageCubeArray in inline inout input int int16_t int32_t int64_t int8_t interface invariant isampler1D \
    isampler1DArray isampler2D isampler2DArray isampler2DMS isampler2DMSArray isampler2DRect isampler3D isamplerBuffer \
    isamplerCube isamplerCubeArray isubpassInput isubpassInputMS itexture1D itexture1DArray itexture2D itexture2DArray \
    itexture2DMS itexture2DMSArray itexture2DRect itexture3D itextureBuffer itextureCube itextureCubeArray ivec2 ivec3 \
    ivec4 layout long lowp mat2 mat2x2 mat2x3 mat2x4 mat3 mat3x2 mat3x3 mat3x4 mat4 mat4x2 mat4x3 mat4x4 mediump \
    namespace noinline nonuniformEXT noperspective out output partition patch perprimitiveEXT pervertexEXT precise \
    precision public rayPayloadEXT rayPayloadInEXT rayQueryEXT readonly resource restrict return sample sampler \
    sampler1D sampler1DArray sampler1DArrayShadow sampler1DShadow sampler2D sampler2DArray sampler2DArrayShadow \
    sampler2DMS sampler2DMSArray sampler2DRect sampler2DRectShadow sampler2DShadow sampler3D sampler3DRect \
    samplerBuffer samplerCube samplerCubeArray samplerCubeArrayShadow samplerCubeShadow samplerShadow shaderRecordEXT \
    shared short sizeof smooth static struct subpassInput subpassInputMS subroutine superp switch taskPayloadSharedEXT \
    template terminateInvocation texture1D texture1DArray texture2D texture2DArray texture2DMS texture2DMSArray \
    texture2DRect texture3D textureBuffer textureCube textureCubeArray this true typedef u16vec2 u16vec3 u16vec4 \
    u64vec2 u64vec3 u64vec4 u8vec2 u8vec3 u8vec4 uimage1D uimage1DArray uimage2D uimage2DArray uimage2DMS \
    uimage2DMSArray uimage2DRect uimage3D uimageBuffer uimageCube uimageCubeArray uint uint16_t uint32_t uint64_t \
    uint8_t uniform union unsigned usampler1D usampler1DArray usampler2D usampler2DArray usampler2DMS \
    usampler2DMSArray usampler2DRect usampler3D usamplerBuffer usamplerCube usamplerCubeArray using usubpassInput \
    usubpassInputMS utexture1D utexture1DArray utexture2D utexture2DArray utexture2DMS utexture2DMSArray \
    utexture2DRect utexture3D utextureBuffer utextureCube utextureCubeArray uvec2 uvec3 uvec4 varying vec2 vec3 vec4 \
    void volatile while writeonly";

const GLSL_BUILTINS: &str = "\
    EmitStreamVertex EmitVertex EndPrimitive EndStreamPrimitive abs acos acosh all allInvocations any anyInvocation \
    asin asinh atan atanh atomicAdd atomicAnd atomicCompSwap atomicExchange atomicMax atomicMin atomicOr atomicXor \
    barrier bitCount bitfieldExtract bitfieldInsert bitfieldReverse ceil clamp cos cosh cross dFdx dFdxCoarse dFdxFine \
    dFdy dFdyCoarse dFdyFine degrees determinant distance dot equal exp exp2 faceforward findLSB findMSB \
    floatBitsToInt floatBitsToUint floor fma fract frexp ftransform fwidth fwidthCoarse fwidthFine greaterThan \
    greaterThanEqual groupMemoryBarrier imageAtomicAdd imageAtomicAnd imageAtomicCompSwap imageAtomicExchange \
    imageAtomicMax imageAtomicMin imageAtomicOr imageAtomicXor imageLoad imageSamples imageSize imageStore \
    imulExtended intBitsToFloat interpolateAtCentroid interpolateAtOffset interpolateAtSample inverse inversesqrt \
    isinf isnan ldexp length lessThan lessThanEqual log log2 main matrixCompMult max max3 memoryBarrier \
    memoryBarrierAtomicCounter memoryBarrierBuffer memoryBarrierImage memoryBarrierShared mid3 min min3 mix mod modf \
    noise1 noise2 noise3 noise4 normalize not notEqual outerProduct packDouble2x32 packHalf2x16 packSnorm2x16 \
    packSnorm4x8 packUnorm2x16 packUnorm4x8 pow radians reflect refract round roundEven shadow1D shadow2D sign sin \
    sinh smoothstep sqrt step subpassLoad tan tanh texelFetch texelFetchOffset texture texture1DLod texture2DLod \
    textureGather textureGatherOffset textureGatherOffsets textureGrad textureGradOffset textureLod textureLodOffset \
    textureOffset textureProj textureProjGrad textureProjGradOffset textureProjLod textureProjLodOffset \
    textureProjOffset textureQueryLevels textureQueryLod textureSamples textureSize transpose trunc uaddCarry \
    uintBitsToFloat umulExtended unpackDouble2x32 unpackHalf2x16 unpackSnorm2x16 unpackSnorm4x8 unpackUnorm2x16 \
    unpackUnorm4x8 usubBorrow";

const WGSL_KEYWORDS: &str = "\
    NULL Self abstract active alias alignas alignof all any array as asm asm_fragment async atomic attribute auto \
    await become binding_array bitcast bool break case cast catch class co_await co_return co_yield coherent \
    column_major common compile compile_fragment concept const const_assert const_cast consteval constexpr constinit \
    continue continuing crate debugger decltype default delete demote demote_to_helper diagnostic discard do \
    dynamic_cast else enable enum explicit export extends extern external f16 f32 f64 fallthrough false filter final \
    finally fn for friend from fxgroup get goto groupshared handle highp i16 i32 i64 i8 if impl implements import \
    inline instanceof interface layout let loop lowp macro macro_rules mat2x2 mat2x2f mat2x2h mat2x3 mat2x3f mat2x3h \
    mat2x4 mat2x4f mat2x4h mat3x2 mat3x2f mat3x2h mat3x3 mat3x3f mat3x3h mat3x4 mat3x4f mat3x4h mat4x2 mat4x2f mat4x2h \
    mat4x3 mat4x3f mat4x3h mat4x4 mat4x4f mat4x4h match mediump meta mod module move mut mutable namespace new nil \
    noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of operator override package \
    packoffset partial pass patch pixelfragment precise precision premerge priv protected ptr pub public readonly ref \
    regardless register reinterpret_cast require requires resource restrict return sampler sampler_comparison select \
    self set shared sizeof smooth snorm static static_assert static_cast std struct subroutine super switch target \
    template texture_1d texture_2d texture_2d_array texture_3d texture_cube texture_cube_array texture_depth_2d \
    texture_depth_2d_array texture_depth_cube texture_depth_cube_array texture_depth_multisampled_2d texture_external \
    texture_multisampled_2d texture_storage_1d texture_storage_2d texture_storage_2d_array texture_storage_3d this \
    thread_local throw trait true try type typedef typeid typename typeof u16 u32 u64 u8 union unless unorm unsafe \
    unsized use using var varying vec2 vec2f vec2h vec2i vec2u vec3 vec3f vec3h vec3i vec3u vec4 vec4f vec4h vec4i \
    vec4u virtual volatile wgsl where while with writeonly yield";

const WGSL_BUILTINS: &str = "\
    abs acos acosh arrayLength asin asinh atan atan2 atanh atomicAdd atomicAnd atomicCompareExchangeWeak \
    atomicExchange atomicLoad atomicMax atomicMin atomicOr atomicStore atomicSub atomicXor bgra8unorm ceil clamp cos \
    cosh countLeadingZeros countOneBits countTrailingZeros cross degrees determinant distance dot dot4I8Packed \
    dot4U8Packed dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine exp exp2 extractBits faceForward firstLeadingBit \
    firstTrailingBit floor fma fract frexp function fwidth fwidthCoarse fwidthFine insertBits inverseSqrt ldexp length \
    log log2 max min mix modf normalize pack2x16float pack2x16snorm pack2x16unorm pack4x8snorm pack4x8unorm pack4xI8 \
    pack4xI8Clamp pack4xU8 pack4xU8Clamp pow private push_constant quadBroadcast quadSwapDiagonal quadSwapX quadSwapY \
    quantizeToF16 r32float r32sint r32uint radians read read_write reflect refract reverseBits rg32float rg32sint \
    rg32uint rgba16float rgba16sint rgba16uint rgba32float rgba32sint rgba32uint rgba8sint rgba8snorm rgba8uint \
    rgba8unorm round saturate sign sin sinh smoothstep sqrt step storage storageBarrier subgroupAdd subgroupAll \
    subgroupAnd subgroupAny subgroupBallot subgroupBroadcast subgroupBroadcastFirst subgroupElect subgroupExclusiveAdd \
    subgroupInclusiveAdd subgroupMax subgroupMin subgroupMul subgroupOr subgroupShuffle subgroupXor tan tanh \
    textureBarrier textureDimensions textureGather textureGatherCompare textureLoad textureNumLayers textureNumLevels \
    textureNumSamples textureSample textureSampleBaseClampToEdge textureSampleBias textureSampleCompare \
    textureSampleCompareLevel textureSampleGrad textureSampleLevel textureStore transpose trunc uniform \
    unpack2x16float unpack2x16snorm unpack2x16unorm unpack4x8snorm unpack4x8unorm unpack4xI8 unpack4xU8 workgroup \
    workgroupBarrier workgroupUniformLoad write";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_and_found() {
        for text in [HLSL_KEYWORDS, HLSL_BUILTINS, GLSL_KEYWORDS, GLSL_BUILTINS, WGSL_KEYWORDS, WGSL_BUILTINS] {
            let list: Vec<&str> = text.split(' ').collect();
            assert!(list.is_sorted_by(|a, b| a < b), "{text}");
            let words = Words(text);
            for word in &list {
                assert!(words.contains(word), "{word}");
                let (longer, shorter) = (format!("{word}~"), &word[..word.len() - 1]);
                assert!(!words.contains(&longer), "{longer}");
                assert_eq!(words.contains(shorter), list.contains(&shorter), "{shorter}");
            }
        }
    }
}
