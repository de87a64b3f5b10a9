//! The rows: each profile with its capabilities, as those of another one and the differences, and its facts.

use super::Capability::{self, *};
use super::format::Formats;
use super::glsl::{Bindings, Glsl};
use super::{
    Api, Capabilities, DataLayouts, Facts, Language, NamedBlocks, Numbers, Placement, StageIo, Target, Varyings,
};

/// What a language of one version supports.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Name on the command line.
    pub name: &'static str,
    /// What it is a profile of.
    pub target: Target,
    /// The language that is printed.
    pub language: Language,
    /// Shader model, GLSL version (450 is 4, 50) or 1, 0.
    pub version: (u32, u32),
    /// What it has natively.
    pub capabilities: Capabilities,
    /// The rest.
    pub facts: Facts,
}

/// Every profile.
const PROFILES: &[Profile] = &[
    hlsl("sm_6_6", (6, 6), SM_6_6),
    hlsl("sm_5_0", (5, 0), SM_5_0),
    hlsl("sm_5_1", (5, 1), SM_5_1),
    hlsl("sm_6_0", (6, 0), SM_6_0),
    hlsl("sm_6_1", (6, 1), SM_6_1),
    hlsl("sm_6_2", (6, 2), SM_6_2),
    hlsl("sm_6_3", (6, 3), SM_6_3),
    hlsl("sm_6_4", (6, 4), SM_6_3),
    hlsl("sm_6_5", (6, 5), SM_6_5),
    hlsl("sm_6_7", (6, 7), SM_6_7),
    hlsl("sm_6_8", (6, 8), SM_6_8),
    hlsl("sm_6_9", (6, 9), SM_6_9),
    Profile { facts: Facts { dxil: false, ..D3D }, ..hlsl("sm_6_6_spirv", (6, 6), SM_6_6_SPIRV) },
    glsl("glsl_460", (4, 60), GLSL_VULKAN, VULKAN),
    glsl("glsl_450", (4, 50), GLSL_VULKAN, VULKAN),
    glsl("glsl_330", (3, 30), GL_330, by_name(Glsl { runtime_constants: false, ..Glsl::CORE })),
    glsl("glsl_430", (4, 30), GL_430, opengl(Glsl::CORE)),
    glsl("glsl_450_gl", (4, 50), GL_450, Facts { placement: Placement::BlockOffset, ..opengl(Glsl::CORE) }),
    glsl("glsl_es_300", (3, 0), ES_300, by_name(Glsl::ES)),
    glsl("glsl_es_310", (3, 10), ES_310, opengl(Glsl { texel_buffer_extension: "GL_EXT_texture_buffer", ..Glsl::ES })),
    glsl("glsl_es_320", (3, 20), ES_320, opengl(Glsl::ES)),
    wgsl("wgsl", Target::Wgsl, WGSL, WEBGPU),
    wgsl(
        "wgpu",
        Target::Wgsl,
        WGPU,
        Facts { api: Api::Wgpu, named_blocks: NamedBlocks::Arrays, image_formats: Formats::Wgpu, ..WEBGPU },
    ),
    wgsl("spirv", Target::Spirv, NAGA, WEBGPU),
    wgsl("metal", Target::Metal, NAGA, Facts { api: Api::Metal, spaces: false, ..WEBGPU }),
];

const fn hlsl(name: &'static str, version: (u32, u32), capabilities: Capabilities) -> Profile {
    // Register spaces came with shader model 5.1.
    let spaces = version.0 > 5 || version.1 > 0;
    Profile {
        name,
        target: Target::Hlsl,
        language: Language::Hlsl,
        version,
        capabilities,
        facts: Facts { spaces, ..D3D },
    }
}

const fn glsl(name: &'static str, version: (u32, u32), capabilities: Capabilities, facts: Facts) -> Profile {
    Profile { name, target: Target::Glsl, language: Language::Glsl, version, capabilities, facts }
}

const fn wgsl(name: &'static str, target: Target, capabilities: Capabilities, facts: Facts) -> Profile {
    Profile { name, target, language: Language::Wgsl, version: (1, 0), capabilities, facts }
}

const D3D: Facts = Facts {
    entry_name: None,
    api: Api::D3d,
    spaces: true,
    stage_io: StageIo::Semantics,
    resource_array_limit: 64,
    dxil: true,
    // DXC takes register 2^32-1 for none.
    // Work groups: D3D11.3 functional specification, 18.6.3 and 7.14; mesh shader specification, "Thread group size".
    // Elements of buffers: D3D11.3 functional specification, 5.1.3 "Structured Buffer". Biases: the instruction `sample_b`
    // there, and DXC's validator.
    numbers: Numbers {
        slot: u32::MAX - 1,
        constant_buffer: Some(1 << 16),
        buffer_element: Some(1 << 11),
        groupshared: Some(1 << 15),
        appended: Some(1024),
        bias: Some((-16.0, 15.99)),
        texel: Some(16),
        ..Numbers::ALL
    },
    placement: Placement::Packoffset,
    data_layouts: DataLayouts::None,
    named_blocks: NamedBlocks::WithoutStruct,
    blocks_apart: true,
    fields_hide_types: true,
    varyings: Varyings::Locations,
    image_formats: Formats::WebGpu,
    linked_blocks: false,
    rows_are_columns: false,
    glsl: Glsl::VULKAN,
};

const VULKAN: Facts = Facts {
    entry_name: Some("main"),
    api: Api::Vulkan,
    spaces: true,
    stage_io: StageIo::Globals,
    resource_array_limit: 64,
    dxil: false,
    // SPIR-V, 2.3 "Physical Layout": an instruction has 65535 words, three of them for itself, the type and the result.
    numbers: Numbers {
        slot: 65534,
        space: 62,
        location: 4094,
        constant_id: 2046,
        attachment: 254,
        parts: 65532,
        zeros: 65532,
        vertices: 256,
        ..Numbers::ALL
    },
    placement: Placement::BlockOffset,
    data_layouts: DataLayouts::ScalarBlocks,
    named_blocks: NamedBlocks::All,
    blocks_apart: false,
    fields_hide_types: false,
    varyings: Varyings::Locations,
    image_formats: Formats::WebGpu,
    linked_blocks: false,
    rows_are_columns: true,
    glsl: Glsl::VULKAN,
};

const fn opengl(glsl: Glsl) -> Facts {
    // Texture units that glslang counts with.
    let numbers = Numbers { slot: 79, ..VULKAN.numbers };
    let (api, placement, image_formats) = (Api::OpenGl, Placement::Padding, Formats::OpenGlEs);
    Facts {
        api,
        spaces: false,
        numbers,
        placement,
        data_layouts: DataLayouts::Blocks,
        image_formats,
        linked_blocks: true,
        glsl,
        ..VULKAN
    }
}

/// A version without locations between stages, and without bindings.
const fn by_name(glsl: Glsl) -> Facts {
    let named = opengl(Glsl { bindings: Bindings::Name, ..glsl });
    Facts { varyings: Varyings::Names, numbers: VULKAN.numbers, ..named }
}

const WEBGPU: Facts = Facts {
    entry_name: None,
    api: Api::WebGpu,
    spaces: true,
    stage_io: StageIo::Attributes,
    resource_array_limit: 64,
    dxil: false,
    // WGSL, 2.4 "Limits"; devices say how many bytes a group has.
    numbers: Numbers {
        slot: i32::MAX as u32,
        space: i32::MAX as u32,
        location: i32::MAX as u32,
        constant_id: 65535,
        elements: 65535,
        parts: 32767,
        ..Numbers::ALL
    },
    data_layouts: DataLayouts::None,
    placement: Placement::AlignAndSize,
    named_blocks: NamedBlocks::None,
    blocks_apart: false,
    fields_hide_types: false,
    varyings: Varyings::Locations,
    image_formats: Formats::WebGpu,
    linked_blocks: false,
    rows_are_columns: true,
    glsl: Glsl::VULKAN,
};

/// What all but OpenGL have.
#[rustfmt::skip]
const COMMON: Capabilities = Capabilities::EMPTY.with(&[
    SeparateSamplers, SamplerParameters, StorageBuffers, StorageTextures, ComputeShaders, CubeArrays, LineTextures,
    MultisampledTextures, NestedArrays, VertexInputArrays, IntegerChoices, VectorLogic, WideConstants,
]);

#[rustfmt::skip]
const SM_5_0: Capabilities = COMMON.with(&[
    StructTexels, FreeStatuses, DefaultArguments,
    Overloads, ComparedArguments, NarrowInterpolants, VertexWrites, VaryingOffsets, PassedInterpolants, IntegerGathers, ValueBeforePlace, ArgumentsInOrder, LateOldValues, FineOverloads, MissingReturns, NarrowTexels, WideTexels, BufferParameters, BufferArrays, ResourceArrays, NestedResourceArrays, BoolInBuffers,
    BufferCopies, UnitVectors, NonFloatMatrices, MatrixComponentOps, MatrixParts, MatrixTruncation, MatrixSwizzles,
    SwizzleAssignment, AssignmentExpressions, ActionExpressions, MatrixConditionals, ReversedSteps, NonFiniteConstants,
    CalledConstants, ComputedIndices, ConstantBits, ConstantBlends, ConstantCounts, ComputedInitializers, SwitchWidths, WrappingConstants, FloatRemainder, SignedRemainder, WrappingShifts, MutableParameters, ConvertedOutArguments, SignedSizes,
    OutParameters, RuntimeInitializers, RuntimeConstants, RootSignatures, SeveralEntryPoints, CalledEntryPoints, Float64, SampledChoices,
    EarlyTests, GeometryShaders, TessellationShaders, CalledSystemValues, HiddenCounters, ByteAddressBuffers, TexelBuffers,
    RasterOrder, UnstatedRasterOrder, MultisampledArrays, ClipDistances, CullDistances, PrimitiveId, LayeredRendering, UnstatedTextureAccess, LineArrays,
    ImageAtomics, UndeclaredDepthTextures, BothMatrixOrders, MixedMatrixOrders, SparseUniformArrays,
    NonUniformBarriers, VaryingDerivatives, PlainlyAccessedAtomics, BoolBitOperators, BoolXor, PackOffsets, CarriedMarks, NamedGroupSizes, NamedArguments,
]);
const SM_5_1: Capabilities = SM_5_0.with(&[UnboundedResourceArrays]);
const SM_6_0: Capabilities =
    SM_5_1.with(&[Enums, Methods, TracedResources, WaveOperations, WavesAnywhere, QuadOperations, Int64]);
const SM_6_1: Capabilities = SM_6_0.with(&[Multiview, Barycentrics]);
const SM_6_2: Capabilities = SM_6_1.with(&[Float16, Int16]);
const SM_6_3: Capabilities = SM_6_2.with(&[RayTracing, PassedArguments]);
const SM_6_5: Capabilities = SM_6_3.with(&[
    MeshShaders,
    LocalTaskPayloads,
    RayQueries,
    ObjectResults,
    ObjectParameters,
    ObjectGlobals,
    ObjectElements,
    ObjectValues,
    ObjectArrays,
    SamplerFeedback,
]);
const SM_6_6: Capabilities =
    SM_6_5.with(&[Atomic64, DescriptorHeaps, ComputeDerivatives, MeshDerivatives, UnstatedQuads, WaveSizes]);

/// "Programmable offsets" and "writable MSAA textures" are of Shader Model 6.7.
const SM_6_7: Capabilities = SM_6_6.with(&[UnknownOffsets, StoredMultisamples]);
const SM_6_8: Capabilities = SM_6_7.with(&[WaveSizeRanges]);
const SM_6_9: Capabilities = SM_6_8.with(&[HitObjects]);

/// What DXC translates to SPIR-V.
#[rustfmt::skip]
const SM_6_6_SPIRV: Capabilities = SM_6_6
    .with(&[JoinedOutputs, UnsetParts, ClampedConstants, RawAddresses, VulkanBuiltins, DrawIndices, Strings])
    // Vulkan has no sampler feedback, wants constants for offsets and for its arrays of arrays one array, queries of rays stay
    // in their variables, and payloads of mesh shaders are memory of work groups.
    // DXC 1.7 has no descriptor heaps there, no derivatives without a fragment, no `select`, `and` and `or`, of matrices no
    // comparisons, bits and logic, no switches on numbers of other widths, no conversions of what functions give back, and no
    // texels of structs and doubles, and crashes at `enum class` and at methods of parts of constant buffers.
    .less(&[
        SamplerFeedback, Enums, Methods, TracedResources, VaryingOffsets, NestedResourceArrays, ObjectResults,
        DescriptorHeaps, ComputeDerivatives, MeshDerivatives, VectorLogic, MatrixComponentOps, MatrixParts, SwitchWidths,
        StructTexels, WideTexels, ConvertedOutArguments, LocalTaskPayloads,
    ]);

#[rustfmt::skip]
const GLSL_VULKAN: Capabilities = COMMON.with(&[
    InfiniteArguments, JoinedOutputs, UnknownRounds, VertexWrites, IntegerFiltering, Overloads, PlaceBeforeValue, LateOldValues, MissingReturns, CombinedSamplers, BufferArrays, ResourceArrays, UnboundedResourceArrays, BoolInBuffers, BareElements,
    MatrixTruncation, DynamicMatrixRows, SwizzleAssignment, AssignmentExpressions, AggregateExpressions,
    AggregateConditionals, MatrixConditionals, ShortCircuit, LazyConditionals, NonFiniteConstants, ConstantBlends, CopiedStatics, SharedBlockCopies, UnsetParts, ClampedConstants, ComputedInitializers,
    WrappingConstants, MinimumDivision, MutableParameters, OutParameters, SwitchFallThrough, RuntimeInitializers,
    VaryingsWithoutSemantics, Float16, Int16, Int64, Float64, Int8, GeometryShaders, TessellationShaders, MeshShaders, LocalTaskPayloads,
    EarlyTests, RayTracing, FreePayloads, HitVertices, MotionRays, RepeatedMeshCounts, RayQueries, HitObjects, ObjectParameters, ObjectGlobals, ObjectArrays, WaveOperations, WavesAnywhere, WaveSizes, WaveSizeRanges, QuadsAnywhere, WaveBarriersAnywhere, CalledSystemValues, QuadOperations,
    StorageBlocks, TexelBuffers, DeviceAddresses, RawAddresses, VulkanBuiltins,
    PushConstants, SpecializationConstants, SizedVariables, SizedSharedArrays, SubpassInputs, RasterOrder, RasterOrderAnywhere, FragmentInterlocks, MultisampledArrays, StoredMultisamples,
    ClipDistances, CullDistances, PrimitiveId, LayeredRendering, Multiview, DrawIndices, Barycentrics, Atomic64, FloatAtomics,
    UnstatedTextureAccess, LineArrays, ImageAtomics, Strings, UndeclaredDepthTextures, BothMatrixOrders,
    SparseUniformArrays, NonUniformBarriers, VaryingDerivatives, ComputeDerivatives, ImplicitLodAnywhere, PlainlyAccessedAtomics, PackOffsets, NamedGroupSizes,
]);

/// What all versions of OpenGL have.
#[rustfmt::skip]
const GL_ANY: Capabilities = Capabilities::EMPTY.with(&[
    VectorLogic, EarlyTests, InfiniteArguments, JoinedOutputs, UnknownRounds, IntegerFiltering, Overloads, PlaceBeforeValue, LateOldValues, MissingReturns, CombinedSamplers, BoolInBuffers, BareElements, MatrixTruncation, DynamicMatrixRows, SwizzleAssignment,
    AssignmentExpressions, AggregateExpressions, MatrixConditionals, ShortCircuit, LazyConditionals,
    NonFiniteConstants, ConstantBlends, CopiedStatics, SharedBlockCopies, UnsetParts, ClampedConstants, ComputedInitializers, WrappingConstants, MinimumDivision, MutableParameters, OutParameters, SwitchFallThrough,
    VaryingsWithoutSemantics, CalledSystemValues, UndeclaredDepthTextures, BothMatrixOrders, SparseUniformArrays,
    NonUniformBarriers, VaryingDerivatives, ImplicitLodAnywhere, PlainlyAccessedAtomics, WideConstants, SampledChoices, WaveSizes, WaveSizeRanges,
]);
const GL_330: Capabilities = GL_ANY.with(&[
    RuntimeInitializers,
    AggregateConditionals,
    GeometryShaders,
    TexelBuffers,
    MultisampledTextures,
    MultisampledArrays,
    ClipDistances,
    PrimitiveId,
    LineTextures,
    LineArrays,
    VertexInputArrays,
]);
const GL_430: Capabilities = GL_330.with(&[
    VertexWrites,
    StorageBuffers,
    StorageBlocks,
    StorageTextures,
    ComputeShaders,
    CubeArrays,
    NestedArrays,
    TessellationShaders,
    WaveOperations,
    WavesAnywhere,
    QuadsAnywhere,
    WaveBarriersAnywhere,
    QuadOperations,
    Float64,
    LayeredRendering,
    UnstatedTextureAccess,
    ImageAtomics,
    StoredMultisamples,
]);
const GL_450: Capabilities = GL_430.with(&[PackOffsets, IntegerChoices, CullDistances, NamedGroupSizes]);
const ES_300: Capabilities = GL_ANY;
const ES_310: Capabilities = ES_300.with(&[
    VertexWrites,
    StorageBuffers,
    StorageBlocks,
    StorageTextures,
    ComputeShaders,
    MultisampledTextures,
    NestedArrays,
    TexelBuffers,
    IntegerChoices,
    WaveOperations,
    WavesAnywhere,
    QuadsAnywhere,
    WaveBarriersAnywhere,
    QuadOperations,
]);
const ES_320: Capabilities =
    ES_310.with(&[GeometryShaders, TessellationShaders, CubeArrays, PrimitiveId, ImageAtomics, MultisampledArrays]);

#[rustfmt::skip]
const WGSL: Capabilities = COMMON.with(&[
    InfiniteArguments, JoinedOutputs, UnknownRounds, FreeStatuses,
    ComparedArguments, CopiedStatics, SharedBlockCopies, UnsetParts, ClampedConstants,
    PlaceBeforeValue, ArgumentsInOrder, BareElements, BufferCopies, DynamicMatrixRows, AggregateExpressions, ShortCircuit,
    SignedRemainder, MinimumDivision, WrappingShifts, VaryingsWithoutSemantics, SeveralEntryPoints, Float16, WaveOperations,
    QuadOperations, SpecializationConstants, SizedSharedArrays, BoolBitOperators, ClipDistances, PrimitiveId, PassedInterpolants, ConstantCounts,
    SampledChoices, WaveSizes, WaveSizeRanges, StorageBlocks, NamedGroupSizes,
]);
/// The dialect of naga, with what wgpu has as features of devices. naga passes the distance of a shift on as it is.
const WGPU: Capabilities = WGSL.less(&[WideConstants, WrappingShifts]).with(&[
    VertexWrites,
    ResourceArrays,
    BufferArrays,
    UnboundedResourceArrays,
    PushConstants,
    Int64,
    Float64,
    Atomic64,
    RayQueries,
    Barycentrics,
    Multiview,
    DrawIndices,
    EarlyTests,
    ImageAtomics,
    NonUniformBarriers,
    VaryingDerivatives,
]);
/// naga writes the values of specialization constants that they have in the text.
const NAGA: Capabilities = WGSL.with(&[VertexWrites, NonUniformBarriers, VaryingDerivatives]).less(&[
    SpecializationConstants,
    SizedSharedArrays,
    WrappingShifts,
]);

/// What targets have and is not written yet, and with which extension they have it.
pub const NOT_YET: &[(Target, Capability, &str)] = &[
    (Target::Glsl, Capability::MeshDerivatives, "GL_KHR_compute_shader_derivatives"),
    (Target::Glsl, Capability::SweptSpheres, "GL_NV_linear_swept_spheres"),
    (Target::Glsl, Capability::Clusters, "GL_NV_cluster_acceleration_structure"),
    (Target::Glsl, Capability::NumberedBuiltins, "GL_EXT_spirv_intrinsics"),
];

impl Profile {
    /// What is to be said of a capability that a program needs and the profile lacks: whether it is not written yet, whether
    /// another profile of the target has it, or neither.
    pub fn missing(&self, capability: Capability) -> String {
        if let Some((target, _, how)) = NOT_YET.iter().find(|(t, c, _)| (*t, *c) == (self.target, capability)) {
            return format!("not yet supported: {} has {capability:?} with `{how}`", target.name());
        }
        let other = PROFILES.iter().find(|p| p.target == self.target && p.has(capability));
        let other = other.map_or(String::new(), |p| format!("; the profile `{}` has it", p.name));
        format!("the missing capability is {capability:?}{other}")
    }

    /// Every profile, the default of each target before its others.
    pub fn all() -> &'static [Profile] {
        PROFILES
    }

    /// The shader model of HLSL.
    pub fn shader_model(&self) -> Option<(u32, u32)> {
        (self.language == Language::Hlsl).then_some(self.version)
    }

    /// The first profile of the same target that is of a shader model.
    pub fn of_shader_model(&self, model: (u32, u32)) -> Option<&'static Profile> {
        PROFILES.iter().find(|p| p.target == self.target && p.version == model)
    }

    /// The default of a target.
    pub fn default_of(target: Target) -> Option<&'static Profile> {
        Self::parse(target.default_profile())
    }

    /// The profile of a name; those of other tools are understood: `cs_6_5`, `ps_5_0`, `glsl_450+x`, `GLSL_460`.
    pub fn parse(name: &str) -> Option<&'static Profile> {
        let name = name.split('+').next().unwrap_or(name).to_ascii_lowercase();
        let model = match name.split_once('_') {
            Some(("vs" | "ps" | "cs" | "gs" | "hs" | "ds" | "ms" | "as" | "lib" | "sm", version)) => {
                format!("sm_{version}")
            }
            _ => name,
        };
        Self::all().iter().find(|p| p.name == model)
    }

    /// Whether it has a capability.
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities.has(capability)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_found_by_the_names_of_other_tools() {
        let found = |name: &str| Profile::parse(name).map(|p| p.name);
        assert_eq!(found("cs_6_5"), Some("sm_6_5"));
        assert_eq!(found("GLSL_450"), Some("glsl_450"));
        assert_eq!(found("sm_9_9"), None);
    }

    #[test]
    fn every_target_has_its_default_profile() {
        for row in Target::TABLE {
            assert!(Profile::default_of(row.target).is_some_and(|p| p.target == row.target), "{}", row.name);
        }
    }

    #[test]
    fn old_shader_models_lack_wave_operations() {
        assert!(Profile::parse("sm_5_1").is_some_and(|p| !p.has(Capability::WaveOperations)));
        assert!(Profile::parse("sm_6_6").is_some_and(|p| p.has(Capability::WaveOperations)));
    }
}
