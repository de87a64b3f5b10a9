//! The table of targets: which capabilities a profile has, and the facts about it that are not yes or no.
//!
//! A program *needs* capabilities (`legalize::needs`), a profile *has* them, a pass *removes* a need. A new target is a new
//! row here and a printer.

/// The language that is printed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Language {
    /// HLSL.
    Hlsl,
    /// GLSL for Vulkan.
    Glsl,
    /// WGSL.
    Wgsl,
}

impl Language {
    /// Name in options, in `__target_switch` and in file names.
    pub fn name(self) -> &'static str {
        match self {
            Language::Hlsl => "hlsl",
            Language::Glsl => "glsl",
            Language::Wgsl => "wgsl",
        }
    }
}

macro_rules! capabilities {
    ($($(#[doc = $doc:literal])+ $name:ident: $($language:ident)*;)*) => {
        /// Something that a program may need and a target may be able to say.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Capability { $($(#[doc = $doc])+ $name),* }

        impl Capability {
            /// Every capability, its description, and the languages that have it natively (before profile limits).
            pub const TABLE: &[(Capability, &str, &[Language])] = &[
                $((Capability::$name, concat!($($doc),+), &[$(Language::$language),*])),*
            ];
            /// The capability of a name, as `[__requires(...)]` writes it.
            pub fn parse(name: &str) -> Option<Capability> {
                match name { $(stringify!($name) => Some(Capability::$name),)* _ => None }
            }
        }
    };
}

capabilities! {
    /// Properties and subscripts with accessors.
    Properties: ;
    /// Methods on structs.
    Methods: ;
    /// Enums.
    Enums: ;
    /// Several functions of one name.
    Overloads: Hlsl Glsl;
    /// Structs that hold both resources and data, or arrays of structs with resources.
    MixedStructs: ;
    /// Resources as parameters, locals, results or struct fields of functions.
    ResourceValues: ;
    /// `ParameterBlock<T>`, and `ConstantBuffer<T>` with resources in `T`.
    ParameterBlocks: ;
    /// Plain data at global scope as shader parameters.
    GlobalUniforms: ;
    /// `uniform` parameters of entry points.
    EntryPointUniforms: ;
    /// A texture with its sampler.
    CombinedSamplers: Glsl;
    /// `ConstantBuffer<T>` as an array.
    BufferArrays: Hlsl Glsl;
    /// Arrays of textures, samplers or buffers.
    ResourceArrays: Hlsl Glsl;
    /// Arrays of resources without a size.
    UnboundedResourceArrays: Hlsl Glsl;
    /// `bool` in buffers.
    BoolInBuffers: Hlsl Glsl;
    /// Implicitly numbered `float1` vectors and matrices with one row or column.
    UnitVectors: Hlsl;
    /// Integer and bool matrices.
    NonFloatMatrices: Hlsl;
    /// Componentwise `*`, `/`, comparison and other operators on matrices.
    MatrixComponentOps: Hlsl;
    /// `_m00_m11` selections.
    MatrixSwizzles: Hlsl;
    /// A swizzle as the target of an assignment.
    SwizzleAssignment: Hlsl Glsl;
    /// Assignment, `++`, comma as parts of expressions.
    AssignmentExpressions: Hlsl Glsl;
    /// Logical and comparison operators and `?:` on vectors.
    VectorLogic: Hlsl;
    /// `?:` on a scalar condition.
    ConditionalOperator: Hlsl Glsl;
    /// `%` on floats.
    FloatRemainder: Hlsl;
    /// Assigning to parameters.
    MutableParameters: Hlsl Glsl;
    /// `out` and `inout` parameters.
    OutParameters: Hlsl Glsl;
    /// Fall-through between cases.
    SwitchFallThrough: Glsl;
    /// `do {} while`.
    DoWhile: Hlsl Glsl;
    /// Stage input and output by structs and semantics at the entry point.
    SemanticEntryPoints: Hlsl;
    /// Stage input and output nested in structs, arrays and matrices.
    NestedVaryings: Hlsl;
    /// Varyings without semantics.
    VaryingsWithoutSemantics: ;
    /// Several entry points in one text.
    SeveralEntryPoints: Hlsl Wgsl;
    /// 16-bit floats.
    Float16: Hlsl Glsl Wgsl;
    /// 16-bit integers.
    Int16: Hlsl Glsl;
    /// 64-bit integers.
    Int64: Hlsl Glsl;
    /// Doubles.
    Float64: Hlsl Glsl;
    /// 8-bit integers.
    Int8: Glsl;
    /// Geometry shaders.
    GeometryShaders: Hlsl Glsl;
    /// Tessellation shaders.
    TessellationShaders: Hlsl Glsl;
    /// Mesh and amplification shaders.
    MeshShaders: Hlsl Glsl;
    /// Ray tracing pipelines.
    RayTracing: Hlsl Glsl;
    /// Inline ray queries.
    RayQueries: Hlsl Glsl;
    /// Wave (subgroup) operations.
    WaveOperations: Hlsl Glsl Wgsl;
    /// Quad operations.
    QuadOperations: Hlsl Glsl Wgsl;
    /// Append and consume buffers and counters without a binding of their own.
    HiddenCounters: Hlsl;
    /// `ByteAddressBuffer` with typed loads.
    ByteAddressBuffers: Hlsl;
    /// Typed texel buffers.
    TexelBuffers: Hlsl Glsl;
    /// Buffer device addresses.
    DeviceAddresses: Glsl;
    /// Push constants.
    PushConstants: Glsl;
    /// Specialization constants.
    SpecializationConstants: Glsl Wgsl;
    /// Subpass inputs.
    SubpassInputs: Glsl;
    /// Raster-ordered views.
    RasterOrder: Hlsl Glsl;
    /// Multisampled array textures.
    MultisampledArrays: Hlsl Glsl;
    /// Cube array textures that are stored to, storage cubes.
    StorageCubes: Glsl;
    /// Clip and cull distances.
    ClipDistances: Hlsl Glsl;
    /// The primitive id in fragment stages.
    PrimitiveId: Hlsl Glsl;
    /// Layer and viewport selection outside of geometry shaders.
    LayeredRendering: Hlsl Glsl;
    /// Multiview.
    Multiview: Hlsl Glsl;
    /// Barycentrics.
    Barycentrics: Hlsl Glsl;
    /// 64-bit atomics.
    Atomic64: Hlsl Glsl;
    /// Float atomics.
    FloatAtomics: Glsl;
    /// Atomics on images.
    ImageAtomics: Hlsl Glsl;
    /// Strings (`printf`).
    Strings: Glsl;
}
