//! What a program may need and a profile may have.

macro_rules! capabilities {
    ($($(#[doc = $doc:literal])+ $name:ident,)*) => {
        /// A feature that a program may need and a profile may have.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Capability { $($(#[doc = $doc])+ $name),* }

        impl Capability {
            /// Every capability.
            pub const ALL: &[Capability] = &[$(Capability::$name),*];
            /// Every capability with its description.
            pub const TABLE: &[(Capability, &str)] = &[
                $((Capability::$name, concat!($($doc),+))),*
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
    Properties,
    /// Methods and bases of structs.
    Methods,
    /// Enums.
    Enums,
    /// Enums without a name or of other integers than those of 32 bits, as texels, and as arguments of builtins.
    FreeEnums,
    /// Enums as operands of bit operators and `?:`, and `enum class` as numbers without a cast.
    EnumOperators,
    /// Several functions of one name.
    Overloads,
    /// Functions of one name whose parameters differ in minimum precision or in the elements of textures alone.
    FineOverloads,
    /// Parameters with default values, which calls leave out.
    DefaultArguments,
    /// Structs without fields, and arrays without elements, as fields.
    EmptyStructs,
    /// Structs that hold both resources and data, or arrays of structs with resources.
    MixedStructs,
    /// Resources as locals, static variables, results, or fields of struct parameters of functions.
    ResourceValues,
    /// Resources as locals, results and fields of structs, where each is one resource of the module that the compiler traces.
    TracedResources,
    /// Buffers and writable textures as parameters of functions.
    BufferParameters,
    /// Typed buffers whose texels are structs.
    StructTexels,
    /// Residency statuses that no read of the program gives.
    FreeStatuses,
    /// `ParameterBlock<T>`, and `ConstantBuffer<T>` with resources in `T`.
    ParameterBlocks,
    /// Plain data at global scope as shader parameters.
    GlobalUniforms,
    /// `uniform` parameters of entry points.
    EntryPointUniforms,
    /// A texture with its sampler.
    CombinedSamplers,
    /// Textures and samplers that are declared apart.
    SeparateSamplers,
    /// Textures and samplers as parameters of functions.
    SamplerParameters,
    /// Textures that are compared with where they are declared, and are arguments of functions too.
    ComparedArguments,
    /// Structured buffers, and others whose data is no constant buffer.
    StorageBuffers,
    /// Storage blocks (`GLSLShaderStorageBuffer`), which may end in an array without a size.
    StorageBlocks,
    /// Textures that are written.
    StorageTextures,
    /// Compute shaders.
    ComputeShaders,
    /// Arrays of cube textures.
    CubeArrays,
    /// Textures of one dimension.
    LineTextures,
    /// Textures of integers that are read through a sampler.
    IntegerFiltering,
    /// Textures of 64-bit numbers that are read through a sampler.
    WideFiltering,
    /// Comparisons of depths with a texture of integers.
    IntegerComparisons,
    /// Gathers that compare depths with a texture of integers.
    IntegerGathers,
    /// Multisampled textures.
    MultisampledTextures,
    /// Arrays of arrays.
    NestedArrays,
    /// Arrays as inputs of vertex shaders.
    VertexInputArrays,
    /// Buffers and textures that may be written, in vertex shaders.
    VertexWrites,
    /// `?:` by components between vectors of integers or bools.
    IntegerChoices,
    /// `?:`, `&&` and `||` by components between vectors of any kind.
    VectorLogic,
    /// `ConstantBuffer<T>` as an array.
    BufferArrays,
    /// Arrays of textures, samplers or buffers.
    ResourceArrays,
    /// Arrays of arrays of resources.
    NestedResourceArrays,
    /// Arrays of arrays of resources of which the outer one is unbounded.
    OpenNestedArrays,
    /// Arrays of arrays of constant buffers.
    NestedBufferArrays,
    /// Unbounded arrays of resources.
    UnboundedResourceArrays,
    /// Descriptor heaps (`ResourceDescriptorHeap`, descriptor handles).
    DescriptorHeaps,
    /// Elements of descriptor heaps that are used without a variable or parameter of their type.
    BareHeapElements,
    /// `bool` in buffers.
    BoolInBuffers,
    /// Constant buffers in arrays, and matrices with a storage order in structured buffers, without a struct around the data.
    BareElements,
    /// Arrays of bools that are copied out of buffers whole, and structs in buffers that `?:` chooses.
    BufferCopies,
    /// Implicitly numbered `float1` vectors and matrices with one row or column.
    UnitVectors,
    /// Integer and bool matrices.
    NonFloatMatrices,
    /// Componentwise `*`, `/`, comparison and other operators on matrices.
    MatrixComponentOps,
    /// Matrices made of vectors and matrices of any size, chosen by components, or converted to vectors.
    MatrixParts,
    /// A matrix cut to a smaller one by a conversion.
    MatrixTruncation,
    /// Rows by a non-constant index of a matrix in a constant buffer that has more rows than columns.
    DynamicMatrixRows,
    /// `_m00_m11` selections.
    MatrixSwizzles,
    /// A swizzle as the target of an assignment.
    SwizzleAssignment,
    /// Elements of swizzles as destinations.
    SwizzleElements,
    /// Assignments that compute their value before their place.
    ValueBeforePlace,
    /// Assignments that compute their place before their value.
    PlaceBeforeValue,
    /// Variables that are arguments and that later arguments change, with the value of before; choices by vectors, in order.
    ArgumentsInOrder,
    /// Compound assignments that read their variable after its new value was computed; choices that read after their condition.
    LateOldValues,
    /// Assignment, `++`, comma as parts of expressions.
    AssignmentExpressions,
    /// What emits a vertex of a geometry shader or ends an any-hit shader as part of expressions.
    ActionExpressions,
    /// Values of structs and arrays written out outside of initializers.
    AggregateExpressions,
    /// `?:` between structs and arrays.
    AggregateConditionals,
    /// `?:` between matrices.
    MatrixConditionals,
    /// Operands of `&&` and `||` that are not evaluated unless they are needed, where they have effects.
    ShortCircuit,
    /// Conditionals that evaluate no value but the one they choose.
    LazyConditionals,
    /// Choices in what a sample is given, beside a texture and a sampler that it joins.
    SampledChoices,
    /// Smooth steps whose first edge is above the second one.
    ReversedSteps,
    /// Infinities, NaN and divisions by zero among constants, and choices between constant vectors that are made of vectors.
    NonFiniteConstants,
    /// Indices that are constant, but whose value only the target's compiler computes: it may be none of the array.
    ComputedIndices,
    /// Functions called in the values of named constants.
    CalledConstants,
    /// The bits of numbers, packed numbers, transposed matrices and determinants in the values of the module's constants.
    ConstantBits,
    /// Interpolation and reflection in such values.
    ConstantBlends,
    /// Counted and found bits, hyperbolic functions and `fma` in such values.
    ConstantCounts,
    /// All of these in the first values of variables.
    ComputedInitializers,
    /// Arithmetic on numbers of 64 bits in the values of named constants.
    WideConstants,
    /// First values that are lists, of variables of the module that structs or arrays are written to.
    CopiedStatics,
    /// Whole constant buffers that are copied to groupshared memory.
    SharedBlockCopies,
    /// Variables of which a part is used that nothing sets.
    UnsetParts,
    /// Comparisons of constants with infinities and NaN.
    NonFiniteComparisons,
    /// Conversions of constants to integers that have no such number, and integers that are divided by a constant zero.
    ClampedConstants,
    /// Logarithms, powers, arc functions and derivatives of infinite constants.
    InfiniteArguments,
    /// Vectors that builtins write into variables that other values reach, too.
    JoinedOutputs,
    /// Integer constants that wrap around.
    WrappingConstants,
    /// `[unroll]` on loops of which only a running shader knows the rounds.
    UnknownRounds,
    /// `%` on floats.
    FloatRemainder,
    /// `%` on doubles.
    DoubleRemainder,
    /// `/` and `%` on signed integers of minimum precision.
    MinimumDivision,
    /// `%` on signed integers of which one is negative.
    SignedRemainder,
    /// Shifts by a distance modulo the width of the number.
    WrappingShifts,
    /// Assigning to parameters.
    MutableParameters,
    /// Assignments to the variable that an assignment gives, or the last of several expressions: `(a += b) = c`.
    AssignedPlaces,
    /// `switch` over integers that are not of 32 bits.
    SwitchWidths,
    /// Arguments of another type than the `out` or `inout` parameter that they are for.
    ConvertedOutArguments,
    /// Matrices of another type than the `out` or `inout` parameter that they are for, and such arguments of builtin methods; a
    /// vector of one component for a parameter that is another number.
    ConvertedOutMatrices,
    /// Variables of type `int` for the sizes of textures, which are of type `uint`.
    SignedSizes,
    /// `out` and `inout` parameters.
    OutParameters,
    /// Memory that invocations share as an argument that is passed by reference (`__ref`, `this` of methods), or the payload of
    /// a ray where the function ends the shader.
    SharedReferences,
    /// Functions that end in an endless loop instead of a `return`.
    MissingReturns,
    /// Fall-through between cases.
    SwitchFallThrough,
    /// Initializers of module variables that are computed when a shader runs.
    RuntimeInitializers,
    /// Values of module constants that are computed when a shader runs.
    RuntimeConstants,
    /// Arrays without elements.
    EmptyArrays,
    /// Root signatures on entry points.
    RootSignatures,
    /// Varyings without semantics.
    VaryingsWithoutSemantics,
    /// Several entry points in one text.
    SeveralEntryPoints,
    /// Entry points that functions call.
    CalledEntryPoints,
    /// 16-bit floats.
    Float16,
    /// 16-bit integers.
    Int16,
    /// 64-bit integers.
    Int64,
    /// Doubles.
    Float64,
    /// 8-bit integers.
    Int8,
    /// Geometry shaders.
    GeometryShaders,
    /// Tessellation shaders.
    TessellationShaders,
    /// Mesh and amplification shaders.
    MeshShaders,
    /// Ray tracing pipelines.
    RayTracing,
    /// The positions of the vertices of the triangle that a ray hit.
    HitVertices,
    /// Spheres and swept spheres as primitives of ray tracing.
    SweptSpheres,
    /// The numbers of clusters of primitives that rays hit.
    Clusters,
    /// Rays through scenes that move, at a time of them.
    MotionRays,
    /// Values and variables of functions as what amplification shaders pass to mesh shaders.
    LocalTaskPayloads,
    /// Several calls that set how many vertices and primitives a mesh shader gives.
    RepeatedMeshCounts,
    /// Vertices and primitives of a mesh shader, or parts of them, as `out` arguments.
    MeshElementArguments,
    /// Payloads and hit attributes of any type, in any order, or left out.
    FreePayloads,
    /// Builtins of the intermediate language by their numbers.
    NumberedBuiltins,
    /// Payloads and hit attributes as arguments of calls and parameters of entry points.
    PassedArguments,
    /// Inline ray queries.
    RayQueries,
    /// Hit objects, and threads in the order of what they met.
    HitObjects,
    /// Ray queries and hit objects as results of functions.
    ObjectResults,
    /// Wave (subgroup) operations.
    WaveOperations,
    /// Wave operations in other stages than fragment and compute shaders.
    WavesAnywhere,
    /// Sizes of waves that compute shaders state.
    WaveSizes,
    /// Ranges of sizes of waves that compute shaders state.
    WaveSizeRanges,
    /// Quad operations outside of fragment, compute, mesh and amplification shaders.
    QuadsAnywhere,
    /// Barriers of waves in stages without work groups.
    WaveBarriersAnywhere,
    /// System values that any function reads by a call.
    CalledSystemValues,
    /// System values that any function reads by a call, and that the target gives to entry points alone.
    UnspelledSystemValues,
    /// The size of the work group, read by a call.
    CalledGroupSizes,
    /// Sizes of work groups that are constants with names.
    NamedGroupSizes,
    /// Constants with names as other arguments of attributes.
    NamedArguments,
    /// Quad operations.
    QuadOperations,
    /// Append and consume buffers and counters without a binding of their own.
    HiddenCounters,
    /// `ByteAddressBuffer` with typed loads.
    ByteAddressBuffers,
    /// Texels that are read and written as 16-bit numbers.
    NarrowTexels,
    /// Texels of 64-bit numbers, but for images of one integer.
    WideTexels,
    /// Typed texel buffers.
    TexelBuffers,
    /// Buffer device addresses.
    DeviceAddresses,
    /// Device addresses that are numbers, at which words are loaded.
    RawAddresses,
    /// What Vulkan has and D3D has not (`SV_PointCoord`, `SV_DrawIndex`, `vk::ReadClock`).
    VulkanBuiltins,
    /// Constant pointers in constant structs and arrays, and those that are followed.
    NullAddresses,
    /// Push constants.
    PushConstants,
    /// Specialization constants.
    SpecializationConstants,
    /// Arrays that specialization constants size, in functions and in memory of work groups.
    SizedVariables,
    /// Memory of work groups that is one array, which specialization constants size.
    SizedSharedArrays,
    /// Subpass inputs.
    SubpassInputs,
    /// Tests of depth and stencil before a fragment shader that writes memory or discards.
    EarlyTests,
    /// Raster-ordered views.
    RasterOrder,
    /// Raster-ordered views in other stages than fragment shaders.
    RasterOrderAnywhere,
    /// Accesses to raster-ordered views that are ordered without a word of the shader.
    UnstatedRasterOrder,
    /// Parts of fragment shaders that are done in the order of the primitives (`beginInvocationInterlock`).
    FragmentInterlocks,
    /// Multisampled array textures.
    MultisampledArrays,
    /// Multisampled textures that are written.
    StoredMultisamples,
    /// Distances to clip planes.
    ClipDistances,
    /// Distances to cull planes.
    CullDistances,
    /// The primitive id in fragment stages.
    PrimitiveId,
    /// Layer and viewport selection outside of geometry shaders.
    LayeredRendering,
    /// Textures of sampler feedback.
    SamplerFeedback,
    /// Multiview.
    Multiview,
    /// The number of a draw among those of one call (`SV_DrawIndex`).
    DrawIndices,
    /// Ray queries and hit objects in structs, and copies of them.
    ObjectValues,
    /// Ray queries and hit objects as arguments of functions.
    ObjectParameters,
    /// Ray queries and hit objects as variables of the module.
    ObjectGlobals,
    /// Arrays of ray queries and hit objects.
    ObjectArrays,
    /// Elements of arrays of ray queries and hit objects as arguments of functions.
    ObjectElements,
    /// Barycentrics.
    Barycentrics,
    /// 64-bit atomics.
    Atomic64,
    /// Float atomics.
    FloatAtomics,
    /// Writable textures of any format without a declared access.
    UnstatedTextureAccess,
    /// Array textures of one dimension.
    LineArrays,
    /// Atomics on images.
    ImageAtomics,
    /// Strings (`printf`).
    Strings,
    /// Strings in parameters and variables of functions, and their hashes.
    TextVariables,
    /// Offsets in texels that are no constants.
    VaryingOffsets,
    /// Offsets in texels that depend on inputs, resources or shared memory.
    UnknownOffsets,
    /// Inputs that are passed on before they are evaluated at another place or at a vertex.
    PassedInterpolants,
    /// Inputs that are evaluated at another place and are no floats of 32 bits.
    NarrowInterpolants,
    /// Textures that are sampled with comparison and not declared as depth textures.
    UndeclaredDepthTextures,
    /// Marks of indices that differ between invocations, of values that go through functions, structs and assignments.
    CarriedMarks,
    /// Matrices in buffers in either storage order.
    BothMatrixOrders,
    /// Matrices of both storage orders in one struct.
    MixedMatrixOrders,
    /// Arrays of small elements in constant buffers with a stride of 16 bytes.
    SparseUniformArrays,
    /// Barriers in non-uniform control flow.
    NonUniformBarriers,
    /// Derivatives in compute shaders.
    ComputeDerivatives,
    /// Derivatives in mesh and amplification shaders.
    MeshDerivatives,
    /// Derivatives in compute shaders that do not say how a work group is made of quads.
    UnstatedQuads,
    /// Derivatives in control flow that differs between invocations.
    VaryingDerivatives,
    /// Sampling with an implicit level of detail in stages without derivatives.
    ImplicitLodAnywhere,
    /// Memory that is accessed both atomically and plainly.
    PlainlyAccessedAtomics,
    /// `&`, `|` and `^` on bools.
    BoolBitOperators,
    /// `^` on bools.
    BoolXor,
    /// Structs with the offsets of D3D constant buffers, or with a tail that the next member uses.
    PackOffsets,
}

/// How many words the bits of all capabilities take.
const WORDS: usize = 4;
const _: () = assert!(Capability::TABLE.len() <= WORDS * 64, "a capability has no bit");

/// A set of capabilities.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Capabilities([u64; WORDS]);

impl Capabilities {
    /// None.
    pub const EMPTY: Capabilities = Capabilities([0; WORDS]);

    /// Whether it is in the set.
    pub const fn has(self, capability: Capability) -> bool {
        let bit = capability as usize;
        self.0[bit / 64] >> (bit % 64) & 1 != 0
    }
    /// Adds one.
    pub const fn insert(&mut self, capability: Capability) {
        let bit = capability as usize;
        self.0[bit / 64] |= 1 << (bit % 64);
    }
    /// Takes one out.
    pub const fn remove(&mut self, capability: Capability) {
        let bit = capability as usize;
        self.0[bit / 64] &= !(1 << (bit % 64));
    }
    /// This set without those of another.
    pub fn without(mut self, others: Capabilities) -> Capabilities {
        self.0.iter_mut().zip(others.0).for_each(|(own, other)| *own &= !other);
        self
    }
    /// This set and another one.
    pub fn or(mut self, others: Capabilities) -> Capabilities {
        self.0.iter_mut().zip(others.0).for_each(|(own, other)| *own |= other);
        self
    }
    /// What this set and another have in common.
    pub fn common(self, other: Capabilities) -> Capabilities {
        self.without(self.without(other))
    }
    /// This set with some more.
    pub const fn with(mut self, more: &[Capability]) -> Capabilities {
        let mut at = 0;
        while at < more.len() {
            self.insert(more[at]);
            at += 1;
        }
        self
    }
    /// This set without some.
    pub const fn less(mut self, fewer: &[Capability]) -> Capabilities {
        let mut at = 0;
        while at < fewer.len() {
            self.remove(fewer[at]);
            at += 1;
        }
        self
    }
    /// The members in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::TABLE.iter().map(|(c, _)| *c).filter(move |c| self.has(*c))
    }
}

impl FromIterator<Capability> for Capabilities {
    fn from_iter<I: IntoIterator<Item = Capability>>(list: I) -> Self {
        let mut set = Capabilities::EMPTY;
        list.into_iter().for_each(|c| set.insert(c));
        set
    }
}

impl std::fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Capability {
    /// What it is, in words.
    pub fn description(self) -> &'static str {
        Self::TABLE.iter().find(|(c, _)| *c == self).map_or("", |(_, text)| text.trim())
    }
}
