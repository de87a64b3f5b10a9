//! Words that a name may not be, per language.
//!
//! *Keywords* can name nothing. *Builtins* are functions, types and constants of the language: a declaration of that name at
//! global scope would hide them; a local may have it unless its function uses the builtin.

use super::glsl::Edition;
use super::{Api, Language, Profile};
use std::cmp::Ordering;

/// The words of one language.
pub struct Reserved {
    keywords: Words,
    /// What compilers take for keywords, although the language does not.
    of_compilers: Words,
    /// What a dialect adds to the keywords.
    of_dialect: Words,
    builtins: Words,
    /// What is no name of a type besides.
    types: Words,
    /// What is no other name of a type besides, since compilers declare it as one.
    aliases: Words,
    /// What is no name of a field besides.
    fields: Words,
    /// What is no name of a block besides.
    blocks: Words,
    /// Functions that have no overloads.
    single: Words,
    /// Scalar types whose vectors and matrices have names, `float3` and `float3x4`, which are builtins too.
    scalars: Words,
    /// What no function may be called besides.
    functions: Functions,
    /// Builtins that a function of the program may overload.
    open: Open,
    /// No name may begin with one of these.
    prefixes: &'static [&'static str],
    /// No name may contain this.
    inside: Option<&'static str>,
    /// Names have no letters outside ASCII.
    ascii: bool,
    /// Compilers take the name of a struct for the type even where a variable of an object type is declared.
    structs_before_objects: bool,
    /// The longest name that is made, which leaves room for what printers put behind one.
    longest: usize,
}

/// `größe` is `gru00F6u00DFe`: each letter outside ASCII has its number in Unicode.
fn in_ascii(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c.is_ascii() {
            true => text.push(c),
            false => text.push_str(&format!("u{:04X}", u32::from(c))),
        }
    }
    text
}

impl Reserved {
    /// The words of a profile's language.
    pub fn of(profile: &Profile) -> &'static Reserved {
        const HLSL: Reserved = Reserved {
            scalars: Words(HLSL_SCALARS),
            functions: Functions::Preferred(HLSL_FUNCTIONS),
            types: Words(HLSL_TYPES),
            aliases: Words(HLSL_ALIASES),
            // Between modifiers and an identifier it is one of them.
            blocks: Words(HLSL_MODIFIERS),
            // As in C++ ([basic.start.main]), entry point or not.
            single: Words("main"),
            // FXC has no others, and DXC 1.7 ends with an internal error at those of resources and entry points in libraries.
            ascii: true,
            ..Reserved::new(HLSL_KEYWORDS, HLSL_BUILTINS)
        };
        static DXC: Reserved = HLSL;
        static FXC: Reserved = Reserved { of_compilers: Words(FXC_KEYWORDS), ..HLSL };
        const GLSL: Reserved = Reserved {
            // Names of extensions are macros.
            prefixes: &["gl_", "GL_"],
            inside: Some("__"),
            ascii: true,
            // glslang 12: `sampler s`, `texture2D s` and `rayQueryEXT s`, but not `sampler2D s`, in sight of a `struct s`.
            structs_before_objects: true,
            types: Words(GLSL_LAYOUT_WORDS),
            // Of arrays, vectors and matrices it is their size, of others an error.
            fields: Words("length"),
            functions: Functions::Hidden(Words(GLSL_EXTENSION_WORDS)),
            // Compilers stop reading a name after 1024 characters.
            longest: 1000,
            ..Reserved::new(GLSL_KEYWORDS, GLSL_BUILTINS)
        };
        // GLSL ES 3.00, 6.1: no builtin function may be redefined or overloaded.
        const CORE: Reserved = Reserved { open: GLSL_OPEN, ..GLSL };
        // A macro there.
        static VULKAN: Reserved = Reserved { of_compilers: Words("VULKAN"), ..CORE };
        // The language has these only within `layout(...)`.
        static OPENGL: Reserved = Reserved { of_compilers: Words(GLSL_LAYOUT_KEYWORDS), ..CORE };
        static ES: Reserved = Reserved { of_compilers: Words(GLSL_LAYOUT_KEYWORDS), ..GLSL };
        static WGSL: Reserved = Reserved {
            prefixes: &["__"],
            of_compilers: Words(NAGA_CONSTANTS),
            ..Reserved::new(WGSL_KEYWORDS, WGSL_BUILTINS)
        };
        static WGPU: Reserved = Reserved {
            prefixes: &["__"],
            of_compilers: Words(NAGA_CONSTANTS),
            of_dialect: Words(NAGA_TYPES),
            ..Reserved::new(WGSL_KEYWORDS, WGSL_BUILTINS)
        };
        match profile.language {
            Language::Hlsl if profile.version.0 < 6 => &FXC,
            Language::Hlsl => &DXC,
            Language::Glsl if profile.facts.glsl.edition == Edition::Es => &ES,
            Language::Glsl if profile.facts.api == Api::OpenGl => &OPENGL,
            Language::Glsl => &VULKAN,
            Language::Wgsl if profile.facts.api == Api::Wgpu => &WGPU,
            Language::Wgsl => &WGSL,
        }
    }

    const fn new(keywords: &'static str, builtins: &'static str) -> Reserved {
        Reserved {
            keywords: Words(keywords),
            of_compilers: Words(""),
            of_dialect: Words(""),
            builtins: Words(builtins),
            types: Words(""),
            aliases: Words(""),
            fields: Words(""),
            blocks: Words(""),
            single: Words(""),
            scalars: Words(""),
            functions: Functions::Hidden(Words("")),
            open: Open { of_numbers: &[], of_floats: Words(""), of_resources: Words("") },
            prefixes: &[],
            inside: None,
            ascii: false,
            structs_before_objects: false,
            longest: usize::MAX,
        }
    }

    /// Whether nothing may have this name.
    pub fn is_keyword(&self, name: &str) -> bool {
        self.keywords.contains(name)
            || self.of_compilers.contains(name)
            || self.of_dialect.contains(name)
            || self.prefixes.iter().any(|p| name.starts_with(p))
            || self.inside.is_some_and(|i| name.contains(i))
            || name.is_empty()
    }

    /// Whether variables of object types are never named like a struct.
    pub fn structs_before_objects(&self) -> bool {
        self.structs_before_objects
    }

    /// The nearest name that is not forbidden.
    pub fn respell(&self, name: &str) -> String {
        let mut text = if self.ascii { in_ascii(name) } else { name.to_owned() };
        if !self.is_keyword(&text) {
            return self.shorten(text);
        }
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

    /// Whether no type may have this name.
    pub fn is_no_type(&self, name: &str) -> bool {
        self.types.contains(name)
    }

    /// Whether no `typedef` may have this name.
    pub fn is_no_alias(&self, name: &str) -> bool {
        self.is_no_type(name) || self.aliases.contains(name)
    }

    /// Whether no field may have this name.
    pub fn is_no_field(&self, name: &str) -> bool {
        self.fields.contains(name)
    }

    /// Whether no block may have this name.
    pub fn is_no_block(&self, name: &str) -> bool {
        self.blocks.contains(name)
    }

    /// Whether a function of this name has no overloads.
    pub fn is_single(&self, name: &str) -> bool {
        self.single.contains(name)
    }

    /// Whether it is the name of something that the language declares.
    pub fn is_builtin(&self, name: &str) -> bool {
        self.builtins.contains(name) || self.is_sized_type(name)
    }

    /// Whether this is a builtin of which none takes what a function of the program takes: so many parameters if all are numbers,
    /// all integers or not.
    pub fn is_open(&self, name: &str, numbers: Option<usize>, integers: bool) -> bool {
        if integers && self.open.of_floats.contains(name) {
            return true;
        }
        let takes = |list: &&'static str| Words(list).contains(name);
        let lists = self.open.of_numbers;
        match numbers {
            Some(count) if self.open.of_resources.contains(name) => count > 0,
            Some(count) => lists.iter().any(takes) && !lists.get(count).is_some_and(takes),
            None => lists.iter().any(takes),
        }
    }

    /// Whether a function may not have this name besides, where `used` are called. It takes so many parameters if all are numbers.
    pub fn is_function(&self, name: &str, numbers: Option<usize>, used: impl Fn(&str) -> bool) -> bool {
        match &self.functions {
            Functions::Preferred(lists) => numbers.and_then(|n| lists.get(n)).is_some_and(|l| Words(l).contains(name)),
            Functions::Hidden(more) => numbers.is_some() && more.contains(name) || used(name),
        }
    }

    /// `float3` or `float3x4`.
    fn is_sized_type(&self, name: &str) -> bool {
        let size = |text: &str| matches!(text, "1" | "2" | "3" | "4");
        let vector_of = |text: &str| {
            let (scalar, count) = text.split_at_checked(text.len().saturating_sub(1)).unwrap_or_default();
            size(count) && self.scalars.contains(scalar)
        };
        match name.rsplit_once('x') {
            Some((vector, columns)) if size(columns) => vector_of(vector),
            _ => vector_of(name),
        }
    }
}

/// How functions of the language stand to those of the program.
enum Functions {
    /// A function of the program hides all of its name; programs may not declare these for numbers.
    Hidden(Words),
    /// Both are overloads, and those of the language, with no, one, two... parameters, are preferred.
    Preferred(&'static [&'static str]),
}

/// Builtins that functions of the program may overload, with other parameters.
struct Open {
    /// They take no, one, two... numbers, vectors or matrices.
    of_numbers: &'static [&'static str],
    /// Their numbers are floats.
    of_floats: Words,
    /// They take a resource.
    of_resources: Words,
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
    AppendStructuredBuffer Buffer ByteAddressBuffer ConstantBuffer ConsumeStructuredBuffer FeedbackTexture2D \
    FeedbackTexture2DArray InputPatch LineStream NULL OutputPatch PointStream RWBuffer RWByteAddressBuffer \
    RWStructuredBuffer RWTexture1D RWTexture1DArray RWTexture2D RWTexture2DArray RWTexture3D RasterizerOrderedBuffer \
    RasterizerOrderedByteAddressBuffer RasterizerOrderedStructuredBuffer RasterizerOrderedTexture1D \
    RasterizerOrderedTexture1DArray RasterizerOrderedTexture2D RasterizerOrderedTexture2DArray \
    RasterizerOrderedTexture3D RayQuery RaytracingAccelerationStructure SamplerComparisonState SamplerState \
    StructuredBuffer SubpassInput SubpassInputMS Technique Texture1D Texture1DArray Texture2D Texture2DArray \
    Texture2DMS Texture2DMSArray Texture3D TextureBuffer TextureCube TextureCubeArray TriangleStream asm auto bool \
    bool1 bool2 bool3 bool4 break case catch cbuffer centroid char class column_major const const_cast continue \
    default delete discard do double double1 double2 double3 double4 dword dynamic_cast else enum explicit export \
    extern false float float1 float16_t float2 float2x2 float2x3 float2x4 float3 float32_t float3x2 float3x3 float3x4 \
    float4 float4x2 float4x3 float4x4 for friend globallycoherent goto groupshared half half1 half2 half3 half4 if in \
    inline inout int int1 int16_t int2 int3 int32_t int4 int64_t interface line lineadj linear long matrix min10float \
    min12int min16float min16int min16uint mutable namespace new nointerpolation noperspective operator out packoffset \
    point precise private protected public register reinterpret_cast return row_major sampler sampler_state shared \
    short signed sizeof snorm static static_cast string struct switch tbuffer technique technique10 technique11 \
    template this throw triangle triangleadj true try typedef typeid typename uint uint1 uint16_t uint2 uint3 uint32_t \
    uint4 uint64_t uniform union unorm unsigned using vector virtual void volatile wchar_t while";

/// Keywords of the compiler before DXC alone: those of effects, and a modifier.
const FXC_KEYWORDS: &str = "\
    BlendState CompileShader ComputeShader DepthStencilState DepthStencilView DomainShader GeometryShader Hullshader \
    PixelShader RasterizerState RenderTargetView VertexShader asm_fragment compile compile_fragment fxgroup pass \
    pixelfragment sample stateblock stateblock_state texture vertexfragment";

const HLSL_BUILTINS: &str = "\
    BuiltInTriangleIntersectionAttributes CANDIDATE_NON_OPAQUE_TRIANGLE CANDIDATE_PROCEDURAL_PRIMITIVE \
    COMMITTED_NOTHING COMMITTED_PROCEDURAL_PRIMITIVE_HIT COMMITTED_TRIANGLE_HIT HIT_KIND_NONE \
    HIT_KIND_TRIANGLE_BACK_FACE HIT_KIND_TRIANGLE_FRONT_FACE RAYTRACING_PIPELINE_FLAG_NONE \
    RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES \
    RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH RAY_FLAG_CULL_BACK_FACING_TRIANGLES RAY_FLAG_CULL_FRONT_FACING_TRIANGLES \
    RAY_FLAG_CULL_NON_OPAQUE RAY_FLAG_CULL_OPAQUE RAY_FLAG_FORCE_NON_OPAQUE RAY_FLAG_FORCE_OPAQUE RAY_FLAG_NONE \
    RAY_FLAG_SKIP_CLOSEST_HIT_SHADER RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES RAY_FLAG_SKIP_TRIANGLES RayDesc \
    ResourceDescriptorHeap SAMPLER_FEEDBACK_MIN_MIP SAMPLER_FEEDBACK_MIP_REGION_USED \
    STATE_OBJECT_FLAGS_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS \
    STATE_OBJECT_FLAGS_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITONS \
    STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS \
    STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITONS SamplerDescriptorHeap float64_t int8_t4_packed \
    std uint8_t4_packed";

const HLSL_SCALARS: &str = "\
    bool double dword float float16_t float32_t float64_t half int int16_t int32_t int64_t min10float min12int min16float \
    min16int min16uint uint uint16_t uint32_t uint64_t";

/// Modifiers that are names of anything else but blocks and types.
const HLSL_MODIFIERS: &str = "center indices payload primitives sample vertices";

/// Types of effects, which DXC declares and a `struct` may be called like.
const HLSL_ALIASES: &str = "\
    BlendState ComputeShader DepthStencilState DepthStencilView DomainShader GeometryShader HullShader PixelShader \
    RasterizerState RenderTargetView Texture VertexShader pixelfragment texture vertexfragment";

/// What DXC declares as structs, or takes for a type or a modifier of one.
const HLSL_TYPES: &str = "\
    GlobalRootSignature LocalRootSignature ProceduralPrimitiveHitGroup RWTexture2DMS RWTexture2DMSArray RWTextureCube \
    RWTextureCubeArray RaytracingPipelineConfig RaytracingPipelineConfig1 RaytracingShaderConfig StateObjectConfig \
    SubobjectToExportsAssociation TriangleHitGroup center indices payload primitives sample vertices";

/// HLSL's functions with no, one, two... parameters. DXC calls one of these although the program has a function of that name
/// and of the same types.
const HLSL_FUNCTIONS: &[&str] = &[
    "\
    AcceptHitAndEndSearch AllMemoryBarrier AllMemoryBarrierWithGroupSync DeviceMemoryBarrier \
    DeviceMemoryBarrierWithGroupSync DispatchRaysDimensions DispatchRaysIndex GeometryIndex GetRenderTargetSampleCount \
    GroupMemoryBarrier GroupMemoryBarrierWithGroupSync HitKind IgnoreHit InstanceID InstanceIndex IsHelperLane \
    ObjectRayDirection ObjectRayOrigin ObjectToWorld ObjectToWorld3x4 ObjectToWorld4x3 PrimitiveIndex RayFlags \
    RayTCurrent RayTMin WaveGetLaneCount WaveGetLaneIndex WaveIsFirstLane WorldRayDirection WorldRayOrigin \
    WorldToObject WorldToObject3x4 WorldToObject4x3 abort",
    "\
    CheckAccessFullyMapped D3DCOLORtoUBYTE4 EvaluateAttributeCentroid GetRenderTargetSamplePosition \
    NonUniformResourceIndex QuadAll QuadAny QuadReadAcrossDiagonal QuadReadAcrossX QuadReadAcrossY WaveActiveAllEqual \
    WaveActiveAllTrue WaveActiveAnyTrue WaveActiveBallot WaveActiveBitAnd WaveActiveBitOr WaveActiveBitXor \
    WaveActiveCountBits WaveActiveMax WaveActiveMin WaveActiveProduct WaveActiveSum WaveMatch WavePrefixCountBits \
    WavePrefixProduct WavePrefixSum WaveReadLaneFirst abs acos all any asfloat asfloat16 asin asint asint16 asuint \
    asuint16 atan ceil clip cos cosh countbits ddx ddx_coarse ddx_fine ddy ddy_coarse ddy_fine degrees determinant exp \
    exp2 f16tof32 f32tof16 firstbithigh firstbitlow floor frac fwidth isfinite isinf isnan length log log10 log2 \
    normalize pack_clamp_s8 pack_clamp_u8 pack_s8 pack_u8 radians rcp reversebits round rsqrt saturate sign sin sinh \
    sqrt tan tanh transpose trunc unpack_s8s16 unpack_s8s32 unpack_u8u16 unpack_u8u32",
    "\
    AddUint64 CallShader EvaluateAttributeAtSample EvaluateAttributeSnapped GetAttributeAtVertex InterlockedAdd \
    InterlockedAnd InterlockedMax InterlockedMin InterlockedOr InterlockedXor QuadReadLaneAt SetMeshOutputCounts \
    WaveMultiPrefixBitAnd WaveMultiPrefixBitOr WaveMultiPrefixBitXor WaveMultiPrefixCountBits WaveMultiPrefixProduct \
    WaveMultiPrefixSum WaveReadLaneAt and asdouble atan2 cross distance dot dst fmod frexp ldexp max min modf mul or \
    pow reflect step",
    "\
    InterlockedAdd InterlockedAnd InterlockedCompareStore InterlockedCompareStoreFloatBitwise InterlockedExchange \
    InterlockedMax InterlockedMin InterlockedOr InterlockedXor ReportHit asuint clamp dot2add dot4add_i8packed \
    dot4add_u8packed faceforward fma lerp lit mad msad4 refract select sincos smoothstep",
    "\
    InterlockedCompareExchange InterlockedCompareExchangeFloatBitwise ProcessIsolineTessFactors",
];

const GLSL_KEYWORDS: &str = "\
    accelerationStructureEXT active asm atomic_uint attachmentEXT attribute bool break buffer bvec2 bvec3 bvec4 \
    callableDataEXT callableDataInEXT case cast centroid class coherent common const continue default demote \
    devicecoherent discard dmat2 dmat2x2 dmat2x3 dmat2x4 dmat3 dmat3x2 dmat3x3 dmat3x4 dmat4 dmat4x2 dmat4x3 dmat4x4 \
    do double dvec2 dvec3 dvec4 else enum extern external f16mat2 f16mat3 f16mat4 f16vec2 f16vec3 f16vec4 f32vec2 \
    f32vec3 f32vec4 f64vec2 f64vec3 f64vec4 false filter fixed flat float float16_t float32_t float64_t for fvec2 \
    fvec3 fvec4 goto half highp hitAttributeEXT hvec2 hvec3 hvec4 i16vec2 i16vec3 i16vec4 i64image1D i64image1DArray \
    i64image2D i64image2DArray i64image2DMS i64image2DMSArray i64image2DRect i64image3D i64imageBuffer i64imageCube \
    i64imageCubeArray i64vec2 i64vec3 i64vec4 i8vec2 i8vec3 i8vec4 iattachmentEXT if iimage1D iimage1DArray iimage2D \
    iimage2DArray iimage2DMS iimage2DMSArray iimage2DRect iimage3D iimageBuffer iimageCube iimageCubeArray image1D \
    image1DArray image2D image2DArray image2DMS image2DMSArray image2DRect image3D imageBuffer imageCube \
    imageCubeArray in inline inout input int int16_t int32_t int64_t int8_t interface invariant isampler1D \
    isampler1DArray isampler2D isampler2DArray isampler2DMS isampler2DMSArray isampler2DRect isampler3D isamplerBuffer \
    isamplerCube isamplerCubeArray isubpassInput isubpassInputMS itexture1D itexture1DArray itexture2D itexture2DArray \
    itexture2DMS itexture2DMSArray itexture2DRect itexture3D itextureBuffer itextureCube itextureCubeArray ivec2 ivec3 \
    ivec4 layout long lowp mat2 mat2x2 mat2x3 mat2x4 mat3 mat3x2 mat3x3 mat3x4 mat4 mat4x2 mat4x3 mat4x4 mediump \
    namespace noinline nonprivate nonuniformEXT noperspective out output partition patch perprimitiveEXT pervertexEXT \
    pervertexNV precise precision public queuefamilycoherent rayPayloadEXT rayPayloadInEXT rayQueryEXT readonly \
    resource restrict return sample sampler sampler1D sampler1DArray sampler1DArrayShadow sampler1DShadow sampler2D \
    sampler2DArray sampler2DArrayShadow sampler2DMS sampler2DMSArray sampler2DRect sampler2DRectShadow sampler2DShadow \
    sampler3D sampler3DRect samplerBuffer samplerCube samplerCubeArray samplerCubeArrayShadow samplerCubeShadow \
    samplerExternalOES samplerShadow shaderRecordEXT shadercallcoherent shared short sizeof smooth static struct \
    subgroupcoherent subpassInput subpassInputMS subroutine superp switch taskPayloadSharedEXT template \
    terminateInvocation texture1D texture1DArray texture2D texture2DArray texture2DMS texture2DMSArray texture2DRect \
    texture3D textureBuffer textureCube textureCubeArray this tileImageEXT true typedef u16vec2 u16vec3 u16vec4 \
    u64image1D u64image1DArray u64image2D u64image2DArray u64image2DMS u64image2DMSArray u64image2DRect u64image3D \
    u64imageBuffer u64imageCube u64imageCubeArray u64vec2 u64vec3 u64vec4 u8vec2 u8vec3 u8vec4 uattachmentEXT uimage1D \
    uimage1DArray uimage2D uimage2DArray uimage2DMS uimage2DMSArray uimage2DRect uimage3D uimageBuffer uimageCube \
    uimageCubeArray uint uint16_t uint32_t uint64_t uint8_t uniform union unsigned usampler1D usampler1DArray \
    usampler2D usampler2DArray usampler2DMS usampler2DMSArray usampler2DRect usampler3D usamplerBuffer usamplerCube \
    usamplerCubeArray using usubpassInput usubpassInputMS utexture1D utexture1DArray utexture2D utexture2DArray \
    utexture2DMS utexture2DMSArray utexture2DRect utexture3D utextureBuffer utextureCube utextureCubeArray uvec2 uvec3 \
    uvec4 varying vec2 vec3 vec4 void volatile while workgroupcoherent writeonly";

const GLSL_BUILTINS: &str = "\
    EmitStreamVertex EmitVertex EndPrimitive EndStreamPrimitive abortEXT abs acos acosh all allInvocations any \
    anyInvocation asin asinh atan atanh atomicAdd atomicAnd atomicCompSwap atomicExchange atomicMax atomicMin atomicOr \
    atomicXor barrier bitCount bitfieldExtract bitfieldInsert bitfieldReverse ceil clamp coopMatPerElementEXT \
    coopMatPerElementNV cos cosh cross dFdx dFdxCoarse dFdxFine dFdy dFdyCoarse dFdyFine debugPrintfEXT degrees \
    determinant distance dot equal exp exp2 faceforward findLSB findMSB floatBitsToInt floatBitsToUint floor fma fract \
    frexp ftransform fwidth fwidthCoarse fwidthFine greaterThan greaterThanEqual groupMemoryBarrier imageAtomicAdd \
    imageAtomicAnd imageAtomicCompSwap imageAtomicExchange imageAtomicMax imageAtomicMin imageAtomicOr imageAtomicXor \
    imageLoad imageSamples imageSize imageStore imulExtended intBitsToFloat interpolateAtCentroid interpolateAtOffset \
    interpolateAtSample inverse inversesqrt isinf isnan ldexp length lessThan lessThanEqual log log2 main \
    matrixCompMult max max3 memoryBarrier memoryBarrierAtomicCounter memoryBarrierBuffer memoryBarrierImage \
    memoryBarrierShared mid3 min min3 mix mod modf noise1 noise2 noise3 noise4 normalize not notEqual outerProduct \
    packDouble2x32 packHalf2x16 packSnorm2x16 packSnorm4x8 packUnorm2x16 packUnorm4x8 pow radians reflect refract \
    round roundEven saturatedConvertEXT shadow1D shadow2D sign sin sinh smoothstep sqrt step subpassLoad tan tanh \
    texelFetch texelFetchOffset texture texture1DLod texture2DLod textureGather textureGatherOffset \
    textureGatherOffsets textureGrad textureGradOffset textureLod textureLodOffset textureOffset textureProj \
    textureProjGrad textureProjGradOffset textureProjLod textureProjLodOffset textureProjOffset textureQueryLevels \
    textureQueryLod textureSamples textureSize transpose trunc uaddCarry uintBitsToFloat umulExtended unpackDouble2x32 \
    unpackHalf2x16 unpackSnorm2x16 unpackSnorm4x8 unpackUnorm2x16 unpackUnorm4x8 usubBorrow";

/// GLSL 4.60, 6.1: "User code can overload the built-in functions". glslang refuses functions of the same parameters.
const GLSL_OPEN: Open = Open {
    of_numbers: &[
        "",
        "abs acos acosh all any asin asinh atan atanh bitCount bitfieldReverse ceil cos cosh dFdx dFdxCoarse dFdxFine dFdy \
         dFdyCoarse dFdyFine degrees determinant exp exp2 findLSB findMSB floor fract fwidth fwidthCoarse fwidthFine inverse \
         inversesqrt isinf isnan length log log2 normalize radians round roundEven sign sin sinh sqrt tan tanh transpose trunc",
        "atan cross distance dot ldexp matrixCompMult max min mod outerProduct pow reflect step",
        "bitfieldExtract clamp faceforward fma max3 mid3 min3 mix refract smoothstep",
        "bitfieldInsert",
    ],
    of_floats: Words("cross distance dot faceforward length normalize reflect refract"),
    of_resources: Words(
        "imageAtomicAdd imageAtomicAnd imageAtomicCompSwap imageAtomicExchange imageAtomicMax imageAtomicMin imageAtomicOr \
         imageAtomicXor imageLoad imageSamples imageSize imageStore subpassLoad texelFetch texelFetchOffset texture \
         textureGather textureGatherOffset textureGatherOffsets textureGrad textureGradOffset textureLod textureLodOffset \
         textureOffset textureProj textureProjGrad textureProjGradOffset textureProjLod textureProjLodOffset \
         textureProjOffset textureQueryLevels textureQueryLod textureSamples textureSize",
    ),
};

/// Words of layouts that compilers take for keywords.
const GLSL_LAYOUT_KEYWORDS: &str = "packed row_major";

/// Functions and types of GLSL's extensions: compilers refuse a function of the program with the same parameters, whether the
/// text asks for the extension or not.
const GLSL_EXTENSION_WORDS: &str = "\
    EmitMeshTasksEXT SetMeshOutputsEXT absoluteDifference accelerationStructureNV addInvocationsAMD \
    addInvocationsExclusiveScanAMD addInvocationsExclusiveScanNonUniformAMD addInvocationsInclusiveScanAMD \
    addInvocationsInclusiveScanNonUniformAMD addInvocationsNonUniformAMD addSaturate allInvocationsARB \
    allInvocationsEqual allInvocationsEqualARB allThreadsEqualNV allThreadsNV anyInvocationARB anyThreadNV assumeEXT \
    atomicCounter atomicCounterAdd atomicCounterAddARB atomicCounterAnd atomicCounterAndARB atomicCounterCompSwap \
    atomicCounterCompSwapARB atomicCounterDecrement atomicCounterExchange atomicCounterExchangeARB \
    atomicCounterIncrement atomicCounterMax atomicCounterMaxARB atomicCounterMin atomicCounterMinARB atomicCounterOr \
    atomicCounterOrARB atomicCounterSubtract atomicCounterSubtractARB atomicCounterXor atomicCounterXorARB atomicLoad \
    atomicStore average averageRounded ballotARB beginInvocationInterlockARB bf16vec2 bf16vec3 bf16vec4 \
    bfloat16BitsToIntEXT bfloat16BitsToUintEXT bfloat16_t bitcastExtractfe2m1EXT bitcastExtractfe2m3EXT \
    bitcastExtractfe3m2EXT bitcastQCOM callableDataInNV callableDataNV clock2x32ARB clockARB clockRealtime2x32EXT \
    clockRealtimeEXT colorAttachmentReadEXT controlBarrier controlBarrierArrive controlBarrierWait \
    coopMatGetCoordinateEXT coopMatLoad coopMatLoadNV coopMatLoadTensorNV coopMatMulAdd coopMatMulAddNV \
    coopMatReduceEXT coopMatReduceNV coopMatStore coopMatStoreNV coopMatStoreTensorNV coopMatTransposeEXT \
    coopMatTransposeNV coopVecLoadNV coopVecMatMulAddNV coopVecMatMulNV coopVecOuterProductAccumulateNV \
    coopVecReduceSumAccumulateNV coopVecStoreNV coopmat coopmatToVectorQCOM coopvecNV countLeadingZeros \
    countTrailingZeros createTensorLayoutNV createTensorViewNV cubeFaceCoordAMD cubeFaceIndexAMD \
    depthAttachmentReadEXT dotAccSatEXT dotEXT dotPacked4x8AccSatEXT dotPacked4x8EXT doubleBitsToInt64 \
    doubleBitsToUint64 endInvocationInterlockARB executeCallableEXT executeCallableNV expectEXT extractSubArrayQCOM \
    f16image1D f16image1DArray f16image2D f16image2DArray f16image2DMS f16image2DMSArray f16image2DRect f16image3D \
    f16imageBuffer f16imageCube f16imageCubeArray f16mat2x2 f16mat2x3 f16mat2x4 f16mat3x2 f16mat3x3 f16mat3x4 \
    f16mat4x2 f16mat4x3 f16mat4x4 f16sampler1D f16sampler1DArray f16sampler1DArrayShadow f16sampler1DShadow \
    f16sampler2D f16sampler2DArray f16sampler2DArrayShadow f16sampler2DMS f16sampler2DMSArray f16sampler2DRect \
    f16sampler2DRectShadow f16sampler2DShadow f16sampler3D f16samplerBuffer f16samplerCube f16samplerCubeArray \
    f16samplerCubeArrayShadow f16samplerCubeShadow f16subpassInput f16subpassInputMS f16texture1D f16texture1DArray \
    f16texture2D f16texture2DArray f16texture2DMS f16texture2DMSArray f16texture2DRect f16texture3D f16textureBuffer \
    f16textureCube f16textureCubeArray f32mat2 f32mat2x2 f32mat2x3 f32mat2x4 f32mat3 f32mat3x2 f32mat3x3 f32mat3x4 \
    f32mat4 f32mat4x2 f32mat4x3 f32mat4x4 f64mat2 f64mat2x2 f64mat2x3 f64mat2x4 f64mat3 f64mat3x2 f64mat3x3 f64mat3x4 \
    f64mat4 f64mat4x2 f64mat4x3 f64mat4x4 fcoopmatNV fe2m1vec2 fe2m1vec3 fe2m1vec4 fe2m3vec2 fe2m3vec3 fe2m3vec4 \
    fe3m2vec2 fe3m2vec3 fe3m2vec4 fe4m3vec2 fe4m3vec3 fe4m3vec4 fe5m2vec2 fe5m2vec3 fe5m2vec4 \
    fetchMicroTriangleVertexBarycentricNV fetchMicroTriangleVertexPositionNV float16BitsToInt16 float16BitsToUint16 \
    floate2m1_t floate2m3_t floate3m2_t floate4m3BitsToIntEXT floate4m3BitsToUintEXT floate4m3_t floate5m2BitsToIntEXT \
    floate5m2BitsToUintEXT floate5m2_t floatmxint8BitsToIntEXT floatmxint8BitsToUintEXT floatmxint8_t \
    floatue8m0BitsToIntEXT floatue8m0BitsToUintEXT floatue8m0_t fmxint8vec2 fmxint8vec3 fmxint8vec4 fragmentFetchAMD \
    fragmentMaskFetchAMD fue8m0vec2 fue8m0vec3 fue8m0vec4 halfBitsToInt16 halfBitsToUint16 helperInvocationEXT \
    hitAttributeNV hitObjectAttributeEXT hitObjectAttributeNV hitObjectEXT hitObjectExecuteShaderEXT \
    hitObjectExecuteShaderNV hitObjectGetAttributesEXT hitObjectGetAttributesNV hitObjectGetClusterIdNV \
    hitObjectGetCurrentTimeEXT hitObjectGetCurrentTimeNV hitObjectGetGeometryIndexEXT hitObjectGetGeometryIndexNV \
    hitObjectGetHitKindEXT hitObjectGetHitKindNV hitObjectGetInstanceCustomIndexEXT hitObjectGetInstanceCustomIndexNV \
    hitObjectGetInstanceIdEXT hitObjectGetInstanceIdNV hitObjectGetIntersectionTriangleVertexPositionsEXT \
    hitObjectGetLSSPositionsNV hitObjectGetLSSRadiiNV hitObjectGetObjectRayDirectionEXT \
    hitObjectGetObjectRayDirectionNV hitObjectGetObjectRayOriginEXT hitObjectGetObjectRayOriginNV \
    hitObjectGetObjectToWorldEXT hitObjectGetObjectToWorldNV hitObjectGetPrimitiveIndexEXT \
    hitObjectGetPrimitiveIndexNV hitObjectGetRayFlagsEXT hitObjectGetRayTMaxEXT hitObjectGetRayTMaxNV \
    hitObjectGetRayTMinEXT hitObjectGetRayTMinNV hitObjectGetShaderBindingTableRecordIndexEXT \
    hitObjectGetShaderBindingTableRecordIndexNV hitObjectGetShaderRecordBufferHandleEXT \
    hitObjectGetShaderRecordBufferHandleNV hitObjectGetSpherePositionNV hitObjectGetSphereRadiusNV \
    hitObjectGetWorldRayDirectionEXT hitObjectGetWorldRayDirectionNV hitObjectGetWorldRayOriginEXT \
    hitObjectGetWorldRayOriginNV hitObjectGetWorldToObjectEXT hitObjectGetWorldToObjectNV hitObjectIsEmptyEXT \
    hitObjectIsEmptyNV hitObjectIsHitEXT hitObjectIsHitNV hitObjectIsLSSHitNV hitObjectIsMissEXT hitObjectIsMissNV \
    hitObjectIsSphereHitNV hitObjectNV hitObjectRecordEmptyEXT hitObjectRecordEmptyNV hitObjectRecordFromQueryEXT \
    hitObjectRecordHitMotionNV hitObjectRecordHitNV hitObjectRecordHitWithIndexMotionNV hitObjectRecordHitWithIndexNV \
    hitObjectRecordMissEXT hitObjectRecordMissMotionEXT hitObjectRecordMissMotionNV hitObjectRecordMissNV \
    hitObjectReorderExecuteEXT hitObjectSetShaderBindingTableRecordIndexEXT hitObjectTraceMotionReorderExecuteEXT \
    hitObjectTraceRayEXT hitObjectTraceRayMotionEXT hitObjectTraceRayMotionNV hitObjectTraceRayNV \
    hitObjectTraceReorderExecuteEXT i32vec2 i32vec3 i32vec4 icoopmatNV ignoreIntersectionEXT ignoreIntersectionNV \
    image1DArrayShadow image1DShadow image2DArrayShadow image2DShadow imageAtomicLoad imageAtomicStore imageLoadLodAMD \
    imageStoreLodAMD int16BitsToFloat16 int16BitsToHalf int64BitsToDouble intBitsToBFloat16EXT intBitsToFloate4m3EXT \
    intBitsToFloate5m2EXT intBitsToFloatmxint8EXT intBitsToFloatue8m0EXT interpolateAtVertexAMD maxInvocationsAMD \
    maxInvocationsExclusiveScanAMD maxInvocationsExclusiveScanNonUniformAMD maxInvocationsInclusiveScanAMD \
    maxInvocationsInclusiveScanNonUniformAMD maxInvocationsNonUniformAMD mbcntAMD minInvocationsAMD \
    minInvocationsExclusiveScanAMD minInvocationsExclusiveScanNonUniformAMD minInvocationsInclusiveScanAMD \
    minInvocationsInclusiveScanNonUniformAMD minInvocationsNonUniformAMD multiply32x16 nontemporal pack16 pack32 \
    pack64 packFloat16xfe2m1EXT packFloat16xfe2m3EXT packFloat16xfe3m2EXT packFloat2x16 packFloat2xfe2m1EXT \
    packFloat4xfe2m1EXT packFloat4xfe2m3EXT packFloat4xfe3m2EXT packFloat8xfe2m1EXT packFloat8xfe2m3EXT \
    packFloat8xfe3m2EXT packInt2x16 packInt2x32 packInt4x16 packUint2x16 packUint2x32 packUint4x16 packed \
    perprimitiveNV perviewNV rayPayloadInNV rayPayloadNV rayQueryConfirmIntersectionEXT \
    rayQueryGenerateIntersectionEXT rayQueryGetIntersectionBarycentricsEXT \
    rayQueryGetIntersectionCandidateAABBOpaqueEXT rayQueryGetIntersectionClusterIdNV \
    rayQueryGetIntersectionFrontFaceEXT rayQueryGetIntersectionGeometryIndexEXT \
    rayQueryGetIntersectionInstanceCustomIndexEXT rayQueryGetIntersectionInstanceIdEXT \
    rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT rayQueryGetIntersectionLSSHitValueNV \
    rayQueryGetIntersectionLSSPositionsNV rayQueryGetIntersectionLSSRadiiNV \
    rayQueryGetIntersectionObjectRayDirectionEXT rayQueryGetIntersectionObjectRayOriginEXT \
    rayQueryGetIntersectionObjectToWorldEXT rayQueryGetIntersectionPrimitiveIndexEXT \
    rayQueryGetIntersectionSpherePositionNV rayQueryGetIntersectionSphereRadiusNV rayQueryGetIntersectionTEXT \
    rayQueryGetIntersectionTriangleVertexPositionsEXT rayQueryGetIntersectionTypeEXT \
    rayQueryGetIntersectionWorldToObjectEXT rayQueryGetRayFlagsEXT rayQueryGetRayTMinEXT \
    rayQueryGetWorldRayDirectionEXT rayQueryGetWorldRayOriginEXT rayQueryInitializeEXT rayQueryIsLSSHitNV \
    rayQueryIsSphereHitNV rayQueryProceedEXT rayQueryTerminateEXT readFirstInvocationARB readInvocationARB \
    reorderThreadEXT reorderThreadNV reportIntersectionEXT reportIntersectionNV resourceheap samplerheap \
    setTensorLayoutBlockSizeNV setTensorLayoutClampValueNV setTensorLayoutDimensionNV setTensorLayoutStrideNV \
    setTensorViewClipNV setTensorViewDimensionsNV setTensorViewStrideNV shadow1DArray shadow1DArrayLod shadow1DGradARB \
    shadow1DLod shadow1DProj shadow1DProjGradARB shadow1DProjLod shadow2DArray shadow2DEXT shadow2DGradARB shadow2DLod \
    shadow2DProj shadow2DProjEXT shadow2DProjGradARB shadow2DProjLod shadow2DRect shadow2DRectGradARB shadow2DRectProj \
    shadow2DRectProjGradARB sliceTensorLayoutNV sparseImageLoadARB sparseImageLoadLodAMD sparseTexelFetchARB \
    sparseTexelFetchOffsetARB sparseTexelsResidentARB sparseTextureARB sparseTextureClampARB sparseTextureGatherARB \
    sparseTextureGatherLodAMD sparseTextureGatherLodOffsetAMD sparseTextureGatherLodOffsetsAMD \
    sparseTextureGatherOffsetARB sparseTextureGatherOffsetsARB sparseTextureGradARB sparseTextureGradClampARB \
    sparseTextureGradOffsetARB sparseTextureGradOffsetClampARB sparseTextureLodARB sparseTextureLodOffsetARB \
    sparseTextureOffsetARB sparseTextureOffsetClampARB spirv_by_reference spirv_decorate spirv_decorate_id \
    spirv_decorate_string spirv_execution_mode spirv_execution_mode_id spirv_instruction spirv_literal \
    spirv_storage_class spirv_type stencilAttachmentReadEXT subgroupAdd subgroupAll subgroupAllEqual subgroupAnd \
    subgroupAny subgroupBallot subgroupBallotBitCount subgroupBallotBitExtract subgroupBallotExclusiveBitCount \
    subgroupBallotFindLSB subgroupBallotFindMSB subgroupBallotInclusiveBitCount subgroupBarrier subgroupBroadcast \
    subgroupBroadcastFirst subgroupClusteredAdd subgroupClusteredAnd subgroupClusteredMax subgroupClusteredMin \
    subgroupClusteredMul subgroupClusteredOr subgroupClusteredRotate subgroupClusteredXor subgroupElect \
    subgroupExclusiveAdd subgroupExclusiveAnd subgroupExclusiveMax subgroupExclusiveMin subgroupExclusiveMul \
    subgroupExclusiveOr subgroupExclusiveXor subgroupInclusiveAdd subgroupInclusiveAnd subgroupInclusiveMax \
    subgroupInclusiveMin subgroupInclusiveMul subgroupInclusiveOr subgroupInclusiveXor subgroupInverseBallot \
    subgroupMax subgroupMemoryBarrier subgroupMemoryBarrierBuffer subgroupMemoryBarrierImage \
    subgroupMemoryBarrierShared subgroupMin subgroupMul subgroupOr subgroupPartitionNV subgroupPartitionedAddNV \
    subgroupPartitionedAndNV subgroupPartitionedExclusiveAddNV subgroupPartitionedExclusiveAndNV \
    subgroupPartitionedExclusiveMaxNV subgroupPartitionedExclusiveMinNV subgroupPartitionedExclusiveMulNV \
    subgroupPartitionedExclusiveOrNV subgroupPartitionedExclusiveXorNV subgroupPartitionedInclusiveAddNV \
    subgroupPartitionedInclusiveAndNV subgroupPartitionedInclusiveMaxNV subgroupPartitionedInclusiveMinNV \
    subgroupPartitionedInclusiveMulNV subgroupPartitionedInclusiveOrNV subgroupPartitionedInclusiveXorNV \
    subgroupPartitionedMaxNV subgroupPartitionedMinNV subgroupPartitionedMulNV subgroupPartitionedOrNV \
    subgroupPartitionedXorNV subgroupQuadAll subgroupQuadAny subgroupQuadBroadcast subgroupQuadSwapDiagonal \
    subgroupQuadSwapHorizontal subgroupQuadSwapVertical subgroupRotate subgroupShuffle subgroupShuffleDown \
    subgroupShuffleUp subgroupShuffleXor subgroupXor subpassLoadMS subtractSaturate swizzleInvocationsAMD \
    swizzleInvocationsMaskedAMD taskNV tensorARM tensorLayoutNV tensorReadARM tensorSizeARM tensorViewNV \
    tensorWriteARM terminateRayEXT terminateRayNV texture1DArrayLod texture1DGradARB texture1DProj \
    texture1DProjGradARB texture1DProjLod texture2DArrayLod texture2DGradARB texture2DGradEXT texture2DLodEXT \
    texture2DProj texture2DProjGradARB texture2DProjGradEXT texture2DProjLod texture2DProjLodEXT texture2DRectGradARB \
    texture2DRectProj texture2DRectProjGradARB texture3DGradARB texture3DLod texture3DProj texture3DProjGradARB \
    texture3DProjLod textureBlockMatchGatherSADQCOM textureBlockMatchGatherSSDQCOM textureBlockMatchSADQCOM \
    textureBlockMatchSSDQCOM textureBlockMatchWindowSADQCOM textureBlockMatchWindowSSDQCOM textureBoxFilterQCOM \
    textureClampARB textureCubeGradARB textureCubeGradEXT textureCubeLod textureCubeLodEXT textureFootprintClampNV \
    textureFootprintGradClampNV textureFootprintGradNV textureFootprintLodNV textureFootprintNV \
    textureGather4x1OffsetQCOM textureGather4x1QCOM textureGatherDOffsetQCOM textureGatherDQCOM \
    textureGatherH2OffsetQCOM textureGatherH2QCOM textureGatherLodAMD textureGatherLodOffsetAMD \
    textureGatherLodOffsetsAMD textureGatherV2OffsetQCOM textureGatherV2QCOM textureGradClampARB \
    textureGradOffsetClampARB textureOffsetClampARB textureQueryLOD textureWeightedQCOM timeAMD traceNV traceRayEXT \
    traceRayMotionNV u32vec2 u32vec3 u32vec4 ucoopmatNV uint16BitsToFloat16 uint16BitsToHalf uint64BitsToDouble \
    uintBitsToBFloat16EXT uintBitsToFloate4m3EXT uintBitsToFloate5m2EXT uintBitsToFloatmxint8EXT \
    uintBitsToFloatue8m0EXT unpack16 unpack32 unpack8 unpackFloat16xfe2m1EXT unpackFloat16xfe2m3EXT \
    unpackFloat16xfe3m2EXT unpackFloat2x16 unpackFloat2xfe2m1EXT unpackFloat4xfe2m1EXT unpackFloat4xfe2m3EXT \
    unpackFloat4xfe3m2EXT unpackFloat8xfe2m1EXT unpackFloat8xfe2m3EXT unpackFloat8xfe3m2EXT unpackInt2x16 \
    unpackInt2x32 unpackInt4x16 unpackUint2x16 unpackUint2x32 unpackUint4x16 vectorToCoopmatQCOM writeInvocationAMD \
    writePackedPrimitiveIndices4x8NV";

/// Words of GLSL within `layout(...)`, where a type is none of them.
const GLSL_LAYOUT_WORDS: &str = "\
    align binding buffer_reference buffer_reference_align ccw column_major component constant_id cw depth_any \
    depth_greater depth_less depth_unchanged early_fragment_tests equal_spacing fractional_even_spacing \
    fractional_odd_spacing index input_attachment_index invocations isolines line_strip lines lines_adjacency \
    local_size_x local_size_x_id local_size_y local_size_y_id local_size_z local_size_z_id location max_primitives \
    max_vertices offset origin_upper_left packed pixel_center_integer point_mode points post_depth_coverage \
    push_constant quads r11f_g11f_b10f r16 r16_snorm r16f r16i r16ui r32f r32i r32ui r64i r64ui r8 r8_snorm r8i r8ui \
    rg16 rg16_snorm rg16f rg16i rg16ui rg32f rg32i rg32ui rg8 rg8_snorm rg8i rg8ui rgb10_a2 rgb10_a2ui rgba16 \
    rgba16_snorm rgba16f rgba16i rgba16ui rgba32f rgba32i rgba32ui rgba8 rgba8_snorm rgba8i rgba8ui row_major scalar \
    set shaderRecordEXT std140 std430 stream triangle_strip triangles triangles_adjacency vertices xfb_buffer \
    xfb_offset xfb_stride";

const WGSL_KEYWORDS: &str = "\
    NULL Self _ abstract active alias alignas alignof all any array as asm asm_fragment async atomic attribute auto \
    await become binding_array bitcast bool break case cast catch class co_await co_return co_yield coherent \
    column_major common compile compile_fragment concept const const_assert const_cast consteval constexpr constinit \
    continue continuing crate debugger decltype default delete demote demote_to_helper diagnostic discard do \
    dynamic_cast else enable enum explicit export extends extern external f16 f32 f64 fallthrough false filter final \
    finally fn for friend from fxgroup get goto groupshared handle highp i16 i32 i64 i8 if impl implements import \
    inline instanceof interface layout let loop lowp macro macro_rules mat2x2 mat2x2f mat2x2h mat2x3 mat2x3f mat2x3h \
    mat2x4 mat2x4f mat2x4h mat3x2 mat3x2f mat3x2h mat3x3 mat3x3f mat3x3h mat3x4 mat3x4f mat3x4h mat4x2 mat4x2f mat4x2h \
    mat4x3 mat4x3f mat4x3h mat4x4 mat4x4f mat4x4h match mediump meta mod module move mut mutable namespace new nil \
    noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of operator override package \
    packoffset partial partition pass patch pixelfragment precise precision premerge priv protected ptr pub public \
    readonly ref regardless register reinterpret_cast require requires resource restrict return sampler \
    sampler_comparison select self set shared sizeof smooth snorm static static_assert static_cast std struct \
    subroutine super switch target template texture_1d texture_2d texture_2d_array texture_3d texture_cube \
    texture_cube_array texture_depth_2d texture_depth_2d_array texture_depth_cube texture_depth_cube_array \
    texture_depth_multisampled_2d texture_external texture_multisampled_2d texture_storage_1d texture_storage_2d \
    texture_storage_2d_array texture_storage_3d this thread_local throw trait true try type typedef typeid typename \
    typeof u16 u32 u64 u8 union unless unorm unsafe unsized use using var varying vec2 vec2f vec2h vec2i vec2u vec3 \
    vec3f vec3h vec3i vec3u vec4 vec4f vec4h vec4i vec4u virtual volatile wgsl where while with writeonly yield";

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

/// What naga predeclares, in any scope.
const NAGA_CONSTANTS: &str = "\
    RAY_FLAG_CULL_BACK_FACING RAY_FLAG_CULL_FRONT_FACING RAY_FLAG_CULL_NO_OPAQUE RAY_FLAG_CULL_OPAQUE \
    RAY_FLAG_FORCE_NO_OPAQUE RAY_FLAG_FORCE_OPAQUE RAY_FLAG_NONE RAY_FLAG_SKIP_AABBS RAY_FLAG_SKIP_CLOSEST_HIT_SHADER \
    RAY_FLAG_SKIP_TRIANGLES RAY_FLAG_TERMINATE_ON_FIRST_HIT RAY_QUERY_INTERSECTION_AABB \
    RAY_QUERY_INTERSECTION_GENERATED RAY_QUERY_INTERSECTION_NONE RAY_QUERY_INTERSECTION_TRIANGLE";

/// The types that naga has besides those of the language.
const NAGA_TYPES: &str = "RayDesc RayIntersection acceleration_structure binding_array f64 i64 ray_query u64";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_with_sizes_are_builtins() {
        let words = |profile: &str| Reserved::of(Profile::parse(profile).expect("a profile"));
        for name in ["float3", "uint4x4", "min16float2x3"] {
            assert!(words("sm_6_6").is_builtin(name) && !words("glsl_460").is_builtin(name), "{name}");
        }
        for name in ["float5", "float3x", "x3", "3", "", "floatx3", "é4", "float3x4x4", "light2"] {
            assert!(!words("sm_6_6").is_builtin(name), "{name}");
        }
    }

    #[test]
    fn words_are_sorted_and_found() {
        let lists =
            [HLSL_KEYWORDS, FXC_KEYWORDS, HLSL_BUILTINS, GLSL_KEYWORDS, GLSL_BUILTINS, WGSL_KEYWORDS, WGSL_BUILTINS];
        for text in lists
            .into_iter()
            .chain([
                HLSL_SCALARS,
                NAGA_CONSTANTS,
                NAGA_TYPES,
                GLSL_EXTENSION_WORDS,
                GLSL_LAYOUT_WORDS,
                HLSL_TYPES,
                HLSL_ALIASES,
            ])
            .chain([HLSL_MODIFIERS, GLSL_LAYOUT_KEYWORDS, GLSL_OPEN.of_resources.0, GLSL_OPEN.of_floats.0])
            .chain(HLSL_FUNCTIONS.iter().chain(GLSL_OPEN.of_numbers).copied().filter(|list| !list.is_empty()))
        {
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
