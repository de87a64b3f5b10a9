//! Words that a name may not be, per language.
//!
//! *Keywords* can name nothing. *Builtins* are functions, types and constants of the language: a declaration of that name at
//! global scope would hide them; a local may have it unless its function uses the builtin.

use super::Language;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// The words of one language.
pub struct Reserved {
    keywords: FxHashSet<&'static str>,
    builtins: FxHashSet<&'static str>,
    /// No name may begin with one of these.
    prefixes: &'static [&'static str],
    /// No name may contain this.
    inside: Option<&'static str>,
    /// The longest name that is made, which leaves room for what printers put behind one.
    longest: usize,
}

impl Reserved {
    /// The words of a language.
    pub fn of(language: Language) -> &'static Reserved {
        static HLSL: LazyLock<Reserved> =
            LazyLock::new(|| Reserved::new(HLSL_KEYWORDS, HLSL_BUILTINS, &[], None, usize::MAX));
        static GLSL: LazyLock<Reserved> =
            // Compilers stop reading a name after 1024 characters.
            LazyLock::new(|| Reserved::new(GLSL_KEYWORDS, GLSL_BUILTINS, &["gl_"], Some("__"), 1000));
        static WGSL: LazyLock<Reserved> =
            LazyLock::new(|| Reserved::new(WGSL_KEYWORDS, WGSL_BUILTINS, &["__"], None, usize::MAX));
        match language {
            Language::Hlsl => &HLSL,
            Language::Glsl => &GLSL,
            Language::Wgsl => &WGSL,
        }
    }

    fn new(
        keywords: &'static str,
        builtins: &'static str,
        prefixes: &'static [&'static str],
        inside: Option<&'static str>,
        longest: usize,
    ) -> Reserved {
        let set = |text: &'static str| text.split_whitespace().collect();
        Reserved { keywords: set(keywords), builtins: set(builtins), prefixes, inside, longest }
    }

    /// Whether nothing may have this name.
    pub fn is_keyword(&self, name: &str) -> bool {
        self.keywords.contains(name)
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

const HLSL_KEYWORDS: &str = "
    AppendStructuredBuffer asm asm_fragment BlendState bool break Buffer ByteAddressBuffer case cbuffer centroid class
    column_major compile compile_fragment CompileShader const continue ComputeShader ConsumeStructuredBuffer default
    DepthStencilState DepthStencilView discard do double DomainShader dword else export extern false float for fxgroup
    GeometryShader groupshared half Hullshader if in inline inout InputPatch int interface line lineadj linear LineStream
    matrix min16float min10float min16int min12int min16uint namespace nointerpolation noperspective NULL out OutputPatch
    packoffset pass pixelfragment PixelShader point PointStream precise RasterizerState RenderTargetView return register
    row_major RWBuffer RWByteAddressBuffer RWStructuredBuffer RWTexture1D RWTexture1DArray RWTexture2D RWTexture2DArray
    RWTexture3D sample sampler SamplerState SamplerComparisonState shared snorm stateblock stateblock_state static string
    struct switch StructuredBuffer tbuffer technique technique10 technique11 texture Texture1D Texture1DArray Texture2D
    Texture2DArray Texture2DMS Texture2DMSArray Texture3D TextureCube TextureCubeArray true typedef triangle triangleadj
    TriangleStream uint uniform unorm unsigned vector vertexfragment VertexShader void volatile while auto catch char
    const_cast delete dynamic_cast enum explicit friend goto long mutable new operator private protected public
    reinterpret_cast short signed sizeof static_cast template this throw try typename union using virtual template
    bool1 bool2 bool3 bool4 int1 int2 int3 int4 uint1 uint2 uint3 uint4 half1 half2 half3 half4 float1 float2 float3
    float4 double1 double2 double3 double4 float2x2 float2x3 float2x4 float3x2 float3x3 float3x4 float4x2 float4x3 float4x4
    int16_t uint16_t int64_t uint64_t float16_t float32_t int32_t uint32_t ConstantBuffer TextureBuffer
    RaytracingAccelerationStructure RayQuery globallycoherent indices vertices primitives payload";

const HLSL_BUILTINS: &str = "
    RayDesc BuiltInTriangleIntersectionAttributes RAY_FLAG_NONE RAY_FLAG_FORCE_OPAQUE RAY_FLAG_FORCE_NON_OPAQUE
    RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH RAY_FLAG_SKIP_CLOSEST_HIT_SHADER RAY_FLAG_CULL_BACK_FACING_TRIANGLES
    RAY_FLAG_CULL_FRONT_FACING_TRIANGLES RAY_FLAG_CULL_OPAQUE RAY_FLAG_CULL_NON_OPAQUE RAY_FLAG_SKIP_TRIANGLES
    RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES COMMITTED_NOTHING COMMITTED_TRIANGLE_HIT COMMITTED_PROCEDURAL_PRIMITIVE_HIT
    CANDIDATE_NON_OPAQUE_TRIANGLE CANDIDATE_PROCEDURAL_PRIMITIVE HIT_KIND_TRIANGLE_FRONT_FACE HIT_KIND_TRIANGLE_BACK_FACE";

const GLSL_KEYWORDS: &str = "
    const uniform buffer shared attribute varying coherent volatile restrict readonly writeonly atomic_uint layout centroid
    flat smooth noperspective patch sample invariant precise break continue do for while switch case default if else
    subroutine in out inout int void bool true false float double discard return vec2 vec3 vec4 ivec2 ivec3 ivec4 bvec2
    bvec3 bvec4 uint uvec2 uvec3 uvec4 dvec2 dvec3 dvec4 mat2 mat3 mat4 mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2
    mat4x3 mat4x4 dmat2 dmat3 dmat4 dmat2x2 dmat2x3 dmat2x4 dmat3x2 dmat3x3 dmat3x4 dmat4x2 dmat4x3 dmat4x4 lowp mediump
    highp precision sampler1D sampler1DShadow sampler1DArray sampler1DArrayShadow isampler1D isampler1DArray usampler1D
    usampler1DArray sampler2D sampler2DShadow sampler2DArray sampler2DArrayShadow isampler2D isampler2DArray usampler2D
    usampler2DArray sampler2DRect sampler2DRectShadow isampler2DRect usampler2DRect sampler2DMS isampler2DMS usampler2DMS
    sampler2DMSArray isampler2DMSArray usampler2DMSArray sampler3D isampler3D usampler3D samplerCube samplerCubeShadow
    isamplerCube usamplerCube samplerCubeArray samplerCubeArrayShadow isamplerCubeArray usamplerCubeArray samplerBuffer
    isamplerBuffer usamplerBuffer image1D iimage1D uimage1D image1DArray iimage1DArray uimage1DArray image2D iimage2D
    uimage2D image2DArray iimage2DArray uimage2DArray image2DRect iimage2DRect uimage2DRect image2DMS iimage2DMS uimage2DMS
    image2DMSArray iimage2DMSArray uimage2DMSArray image3D iimage3D uimage3D imageCube iimageCube uimageCube
    imageCubeArray iimageCubeArray uimageCubeArray imageBuffer iimageBuffer uimageBuffer texture1D texture1DArray itexture1D
    itexture1DArray utexture1D utexture1DArray texture2D texture2DArray itexture2D itexture2DArray utexture2D
    utexture2DArray texture2DRect itexture2DRect utexture2DRect texture2DMS itexture2DMS utexture2DMS texture2DMSArray
    itexture2DMSArray utexture2DMSArray texture3D itexture3D utexture3D textureCube itextureCube utextureCube
    textureCubeArray itextureCubeArray utextureCubeArray textureBuffer itextureBuffer utextureBuffer sampler samplerShadow
    subpassInput isubpassInput usubpassInput subpassInputMS isubpassInputMS usubpassInputMS struct common partition active
    asm class union enum typedef template this resource goto inline noinline public static extern external interface long
    short half fixed unsigned superp input output hvec2 hvec3 hvec4 fvec2 fvec3 fvec4 sampler3DRect filter sizeof cast
    namespace using int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t float16_t float32_t float64_t
    f16vec2 f16vec3 f16vec4 f16mat2 f16mat3 f16mat4 f32vec2 f32vec3 f32vec4 f64vec2 f64vec3 f64vec4 i8vec2 i8vec3 i8vec4
    u8vec2 u8vec3 u8vec4 i16vec2 i16vec3 i16vec4 u16vec2 u16vec3 u16vec4 i64vec2 i64vec3 i64vec4 u64vec2 u64vec3 u64vec4
    accelerationStructureEXT rayQueryEXT rayPayloadEXT rayPayloadInEXT hitAttributeEXT callableDataEXT callableDataInEXT
    shaderRecordEXT nonuniformEXT demote terminateInvocation taskPayloadSharedEXT perprimitiveEXT pervertexEXT";

const GLSL_BUILTINS: &str = "
    min3 max3 mid3 main radians degrees sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh pow exp log exp2 log2 sqrt inversesqrt
    abs sign floor trunc round roundEven ceil fract mod modf min max clamp mix step smoothstep isnan isinf floatBitsToInt
    floatBitsToUint intBitsToFloat uintBitsToFloat fma frexp ldexp packUnorm2x16 packSnorm2x16 packUnorm4x8 packSnorm4x8
    unpackUnorm2x16 unpackSnorm2x16 unpackUnorm4x8 unpackSnorm4x8 packDouble2x32 unpackDouble2x32 packHalf2x16
    unpackHalf2x16 length distance dot cross normalize ftransform faceforward reflect refract matrixCompMult outerProduct
    transpose determinant inverse lessThan lessThanEqual greaterThan greaterThanEqual equal notEqual any all not uaddCarry
    usubBorrow umulExtended imulExtended bitfieldExtract bitfieldInsert bitfieldReverse bitCount findLSB findMSB textureSize
    textureQueryLod textureQueryLevels textureSamples texture textureProj textureLod textureOffset texelFetch
    texelFetchOffset textureProjOffset textureLodOffset textureProjLod textureProjLodOffset textureGrad textureGradOffset
    textureProjGrad textureProjGradOffset textureGather textureGatherOffset textureGatherOffsets atomicAdd atomicMin
    atomicMax atomicAnd atomicOr atomicXor atomicExchange atomicCompSwap imageSize imageSamples imageLoad imageStore
    imageAtomicAdd imageAtomicMin imageAtomicMax imageAtomicAnd imageAtomicOr imageAtomicXor imageAtomicExchange
    imageAtomicCompSwap dFdx dFdy dFdxFine dFdyFine dFdxCoarse dFdyCoarse fwidth fwidthFine fwidthCoarse
    interpolateAtCentroid interpolateAtSample interpolateAtOffset noise1 noise2 noise3 noise4 EmitStreamVertex
    EndStreamPrimitive EmitVertex EndPrimitive barrier memoryBarrier memoryBarrierAtomicCounter memoryBarrierBuffer
    memoryBarrierShared memoryBarrierImage groupMemoryBarrier subpassLoad anyInvocation allInvocations
    texture1DLod texture2DLod shadow1D shadow2D";

const WGSL_KEYWORDS: &str = "
    alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop
    override requires return struct switch true var while NULL Self abstract active alignas alignof as asm asm_fragment async
    attribute auto await become cast catch class co_await co_return co_yield coherent column_major common compile
    compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype delete demote
    demote_to_helper do dynamic_cast enum explicit export extends extern external fallthrough filter final finally friend
    from fxgroup get goto groupshared highp impl implements import inline instanceof interface layout lowp macro
    macro_rules match mediump meta mod module move mut mutable namespace new nil noexcept noinline nointerpolation
    non_coherent noncoherent noperspective null nullptr of operator package packoffset partial pass patch pixelfragment
    precise precision premerge priv protected pub public readonly ref regardless register reinterpret_cast require resource
    restrict self set shared sizeof smooth snorm static static_assert static_cast std subroutine super target template this
    thread_local throw trait try type typedef typeid typename typeof union unless unorm unsafe unsized use using varying
    virtual volatile wgsl where with writeonly yield handle bitcast array atomic bool f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64
    mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 mat2x2f mat2x3f mat2x4f mat3x2f mat3x3f mat3x4f mat4x2f
    mat4x3f mat4x4f mat2x2h mat2x3h mat2x4h mat3x2h mat3x3h mat3x4h mat4x2h mat4x3h mat4x4h ptr sampler
    sampler_comparison vec2 vec3 vec4 vec2f vec3f vec4f vec2h vec3h vec4h vec2i vec3i vec4i vec2u vec3u vec4u texture_1d
    texture_2d texture_2d_array texture_3d texture_cube texture_cube_array texture_multisampled_2d texture_depth_2d
    texture_depth_2d_array texture_depth_cube texture_depth_cube_array texture_depth_multisampled_2d texture_external
    texture_storage_1d texture_storage_2d texture_storage_2d_array texture_storage_3d binding_array select any all";

const WGSL_BUILTINS: &str = "
    arrayLength abs acos acosh asin asinh atan atanh atan2 ceil clamp cos cosh countLeadingZeros countOneBits
    countTrailingZeros cross degrees determinant distance dot dot4U8Packed dot4I8Packed exp exp2 extractBits faceForward
    firstLeadingBit firstTrailingBit floor fma fract frexp insertBits inverseSqrt ldexp length log log2 max min mix modf
    normalize pow quantizeToF16 radians reflect refract reverseBits round saturate sign sin sinh smoothstep sqrt step tan
    tanh transpose trunc dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine fwidth fwidthCoarse fwidthFine textureDimensions
    textureGather textureGatherCompare textureLoad textureNumLayers textureNumLevels textureNumSamples textureSample
    textureSampleBias textureSampleCompare textureSampleCompareLevel textureSampleGrad textureSampleLevel
    textureSampleBaseClampToEdge textureStore atomicLoad atomicStore atomicAdd atomicSub atomicMax atomicMin atomicAnd
    atomicOr atomicXor atomicExchange atomicCompareExchangeWeak pack4x8snorm pack4x8unorm pack4xI8 pack4xU8 pack4xI8Clamp
    pack4xU8Clamp pack2x16snorm pack2x16unorm pack2x16float unpack4x8snorm unpack4x8unorm unpack4xI8 unpack4xU8
    unpack2x16snorm unpack2x16unorm unpack2x16float storageBarrier textureBarrier workgroupBarrier workgroupUniformLoad
    subgroupAdd subgroupExclusiveAdd subgroupInclusiveAdd subgroupAll subgroupAnd subgroupAny subgroupBallot
    subgroupBroadcast subgroupBroadcastFirst subgroupElect subgroupMax subgroupMin subgroupMul subgroupOr subgroupShuffle
    subgroupXor quadBroadcast quadSwapDiagonal quadSwapX quadSwapY read write read_write function private workgroup uniform
    storage push_constant rgba8unorm rgba8snorm rgba8uint rgba8sint rgba16uint rgba16sint rgba16float r32uint r32sint r32float
    rg32uint rg32sint rg32float rgba32uint rgba32sint rgba32float bgra8unorm";
