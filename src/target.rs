//! The table of targets: which capabilities a profile has, and the facts about it that are not yes or no.
//!
//! A program *needs* capabilities (`legalize::needs`), a profile *has* them, a pass *removes* a need. A new target is a new
//! row here and a printer.

pub mod format;
pub mod reserved;

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
    /// Structs without fields, and arrays without elements, as fields.
    EmptyStructs: ;
    /// Structs that hold both resources and data, or arrays of structs with resources.
    MixedStructs: ;
    /// Resources as locals, results, or fields of struct parameters of functions.
    ResourceValues: ;
    /// Buffers and writable textures as parameters of functions.
    BufferParameters: Hlsl;
    /// Static variables that hold resources.
    StaticResources: Hlsl;
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
    /// Arrays of arrays of resources.
    NestedResourceArrays: Hlsl;
    /// Arrays of resources without a size.
    UnboundedResourceArrays: Hlsl Glsl;
    /// `bool` in buffers.
    BoolInBuffers: Hlsl Glsl;
    /// Constant buffers in arrays, and matrices with a storage order in structured buffers, without a struct around the data.
    BareElements: Glsl Wgsl;
    /// Arrays of bools that are copied out of buffers whole, and structs in buffers that `?:` chooses.
    BufferCopies: Hlsl Wgsl;
    /// Implicitly numbered `float1` vectors and matrices with one row or column.
    UnitVectors: Hlsl;
    /// Integer and bool matrices.
    NonFloatMatrices: Hlsl;
    /// Componentwise `*`, `/`, comparison and other operators on matrices.
    MatrixComponentOps: Hlsl;
    /// Matrices made of vectors and matrices of any size, chosen by components, or converted to vectors.
    MatrixParts: Hlsl;
    /// A matrix cut to a smaller one by a conversion.
    MatrixTruncation: Hlsl Glsl;
    /// A row by an index that is not constant, of a matrix in a constant buffer that has more rows than columns.
    DynamicMatrixRows: Glsl Wgsl;
    /// `_m00_m11` selections.
    MatrixSwizzles: Hlsl;
    /// A swizzle as the target of an assignment.
    SwizzleAssignment: Hlsl Glsl;
    /// Assignment, `++`, comma as parts of expressions.
    AssignmentExpressions: Hlsl Glsl;
    /// Logical and comparison operators and `?:` on vectors.
    VectorLogic: Hlsl Glsl Wgsl;
    /// Values of structs and arrays written out elsewhere than in an initializer.
    AggregateExpressions: Glsl Wgsl;
    /// `?:` between structs and arrays.
    AggregateConditionals: Glsl;
    /// `?:` between matrices.
    MatrixConditionals: Hlsl Glsl;
    /// Operands of `&&`, `||` and `?:` that are not evaluated unless they are needed, where they have effects.
    ShortCircuit: Glsl Wgsl;
    /// `?:` on a scalar condition.
    ConditionalOperator: Hlsl Glsl Wgsl;
    /// Infinities, NaN and divisions by zero among constants.
    NonFiniteConstants: Hlsl Glsl;
    /// Functions called in the values of named constants.
    CalledConstants: Hlsl;
    /// Comparisons of constants with infinities and NaN.
    NonFiniteComparisons: ;
    /// Integer constants that wrap around.
    WrappingConstants: Hlsl Glsl;
    /// `%` on floats.
    FloatRemainder: Hlsl;
    /// `%` on doubles.
    DoubleRemainder: ;
    /// `%` on signed integers of which one is negative.
    SignedRemainder: Hlsl Wgsl;
    /// Assigning to parameters.
    MutableParameters: Hlsl Glsl;
    /// Arguments of another type than the `out` or `inout` parameter that they are for.
    ConvertedOutArguments: Hlsl;
    /// Matrices of another type than the `out` or `inout` parameter that they are for.
    ConvertedOutMatrices: ;
    /// `out` and `inout` parameters.
    OutParameters: Hlsl Glsl;
    /// Fall-through between cases.
    SwitchFallThrough: Glsl;
    /// First values of module variables that are computed when a shader runs.
    RuntimeInitializers: Hlsl Glsl;
    /// Values of module constants that are computed when a shader runs.
    RuntimeConstants: Hlsl;
    /// Arrays of no elements elsewhere.
    EmptyArrays: Hlsl;
    /// Root signatures on entry points.
    RootSignatures: Hlsl;
    /// Varyings without semantics.
    VaryingsWithoutSemantics: Glsl Wgsl;
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
    /// System values that code asks for by a call, wherever it stands.
    CalledSystemValues: Hlsl Glsl;
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
    /// Writable textures of any format that are read, written or both without saying so.
    UnstatedTextureAccess: Hlsl Glsl;
    /// Array textures of one dimension.
    LineArrays: Hlsl Glsl;
    /// Atomics on images.
    ImageAtomics: Hlsl Glsl;
    /// Strings (`printf`).
    Strings: Glsl;
    /// A texture that is sampled with comparison without being declared for it.
    UndeclaredDepthTextures: Hlsl Glsl;
    /// Matrices in buffers in either storage order.
    BothMatrixOrders: Hlsl Glsl;
    /// Matrices of both storage orders in one struct.
    MixedMatrixOrders: Hlsl;
    /// Arrays of small elements in constant buffers, at a distance of 16 bytes.
    SparseUniformArrays: Hlsl Glsl;
    /// Barriers in flow that may differ between the invocations of a work group.
    NonUniformBarriers: Hlsl Glsl;
    /// Derivatives outside of fragment stages.
    ComputeDerivatives: Hlsl;
    /// Sampling with an implicit level of detail outside of fragment stages.
    ImplicitLodAnywhere: Hlsl Glsl;
    /// Memory that is accessed both atomically and plainly.
    PlainlyAccessedAtomics: Hlsl Glsl;
    /// `&`, `|` and `^` on bools.
    BoolBitOperators: Hlsl Wgsl;
    /// A struct whose fields are given, or whose tail is used, by the rules of D3D constant buffers.
    PackOffsets: Hlsl Glsl;
}

/// A set of capabilities.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities(u128);

impl Capabilities {
    /// None.
    pub const EMPTY: Capabilities = Capabilities(0);

    /// Whether it is in the set.
    pub fn has(self, capability: Capability) -> bool {
        self.0 >> (capability as u32) & 1 != 0
    }
    /// Adds one.
    pub fn insert(&mut self, capability: Capability) {
        self.0 |= 1 << (capability as u32);
    }
    /// Takes one out.
    pub fn remove(&mut self, capability: Capability) {
        self.0 &= !(1 << (capability as u32));
    }
    /// Those that are not in `other`.
    pub fn without(self, other: Capabilities) -> Capabilities {
        Capabilities(self.0 & !other.0)
    }
    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// The members in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::TABLE.iter().map(|(c, ..)| *c).filter(move |c| self.has(*c))
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
        Self::TABLE.iter().find(|(c, ..)| *c == self).map_or("", |(_, text, _)| text.trim())
    }
}

/// The attribute of a function that needs an extension, with its name.
pub const EXTENSION_ATTRIBUTE: &str = "__glsl_extension";

/// How entry points take their inputs and give their outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StageIo {
    /// Parameters and results with semantics.
    Semantics,
    /// Global variables.
    Globals,
    /// Parameters and results with attributes.
    Attributes,
}

/// How a language puts a field elsewhere than its own rules do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// `packoffset`, which is printed as the source has it.
    Packoffset,
    /// `layout(offset =)` on members of blocks.
    BlockOffset,
    /// `@align` and `@size` on fields of any struct; one rule for all buffers.
    AlignAndSize,
}

/// Facts about a profile that are not yes or no, and those that are no capability a program needs.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Shader model, GLSL version (450 is 4, 50) or 1, 0.
    pub version: (u32, u32),
    /// The entry point's function must have this name.
    pub entry_name: Option<&'static str>,
    /// Parameter blocks have register spaces, descriptor sets or bind groups of their own.
    pub spaces: bool,
    /// How entry points take their inputs and give their outputs.
    pub stage_io: StageIo,
    /// `inout` is written with pointers.
    pub pointers: bool,
    /// A `uniform` parameter of an entry point becomes a push constant.
    pub entry_uniforms_are_push_constants: bool,
    /// The most bindings that an array of resources is taken apart into, where the target has no such arrays.
    pub resource_array_limit: u32,
    /// The largest numbers that its compilers take.
    pub numbers: Numbers,
    /// The float whose bits are a `uint`, as the text of a template.
    pub bits_to_float: &'static str,
    /// The bits of a float as a `uint`.
    pub float_to_bits: &'static str,
    /// The float whose value is that of the half in the low bits of a `uint`.
    pub bits_to_half: &'static str,
    /// The bits of a float, rounded to 16 bits, in the low bits of a word.
    pub half_to_bits: &'static str,
    /// The double of two words, the lower first.
    pub words_to_double: &'static str,
    /// The words of a double, as a `uint2`.
    pub double_to_words: &'static str,
    /// How fields of buffers are placed.
    pub placement: Placement,
    /// Which buffers are blocks with names of their own.
    pub named_blocks: NamedBlocks,
    /// Reads an atomic, where those are types of their own.
    pub atomic_load: &'static str,
    /// Writes an atomic.
    pub atomic_store: &'static str,
    /// Extension of output files.
    pub extension: &'static str,
}

/// Which buffers are blocks with names of their own besides those by which they are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedBlocks {
    /// None: a buffer is a variable.
    None,
    /// Constant buffers of something else than a struct: their one member has the buffer's name.
    WithoutStruct,
    /// All but those whose members are named without the buffer.
    All,
}

/// The largest numbers that the compilers of a target take.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// Register or binding.
    pub slot: u32,
    /// Register space, descriptor set or bind group.
    pub space: u32,
    /// Location of a stage's input or output.
    pub location: u32,
    /// Id of a specialization constant.
    pub constant_id: u32,
    /// Index of an input attachment.
    pub attachment: u32,
    /// Bytes of a constant buffer, if the target itself has a limit.
    pub constant_buffer: Option<u64>,
}

impl Numbers {
    /// All that 32 bits hold.
    pub const ALL: Numbers = Numbers {
        slot: u32::MAX,
        space: u32::MAX,
        location: u32::MAX,
        constant_id: u32::MAX,
        attachment: u32::MAX,
        constant_buffer: None,
    };
}

/// What a target of one version can say.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Name on the command line.
    pub name: &'static str,
    /// The language that is printed.
    pub language: Language,
    /// What it has natively.
    pub capabilities: Capabilities,
    /// The rest.
    pub facts: Facts,
}

/// (profile, language, version). The first of a language is its default.
const PROFILES: &[(&str, Language, (u32, u32))] = &[
    ("sm_6_6", Language::Hlsl, (6, 6)),
    ("sm_5_0", Language::Hlsl, (5, 0)),
    ("sm_5_1", Language::Hlsl, (5, 1)),
    ("sm_6_0", Language::Hlsl, (6, 0)),
    ("sm_6_1", Language::Hlsl, (6, 1)),
    ("sm_6_2", Language::Hlsl, (6, 2)),
    ("sm_6_3", Language::Hlsl, (6, 3)),
    ("sm_6_4", Language::Hlsl, (6, 4)),
    ("sm_6_5", Language::Hlsl, (6, 5)),
    ("sm_6_7", Language::Hlsl, (6, 7)),
    ("sm_6_8", Language::Hlsl, (6, 8)),
    ("glsl_460", Language::Glsl, (4, 60)),
    ("glsl_450", Language::Glsl, (4, 50)),
    ("wgsl", Language::Wgsl, (1, 0)),
];

/// Capabilities that a language has only from a version on.
const SINCE: &[(Language, (u32, u32), &[Capability])] = {
    use Capability::*;
    &[
        (Language::Hlsl, (5, 1), &[UnboundedResourceArrays]),
        (Language::Hlsl, (6, 0), &[WaveOperations, QuadOperations, Int64]),
        (Language::Hlsl, (6, 1), &[Multiview, Barycentrics]),
        (Language::Hlsl, (6, 2), &[Float16, Int16]),
        (Language::Hlsl, (6, 3), &[RayTracing]),
        (Language::Hlsl, (6, 5), &[MeshShaders, RayQueries]),
        (Language::Hlsl, (6, 6), &[Atomic64]),
    ]
};

impl Profile {
    /// Every profile, the default of each language first.
    pub fn all() -> &'static [Profile] {
        static ALL: std::sync::LazyLock<Vec<Profile>> =
            std::sync::LazyLock::new(|| PROFILES.iter().map(|(n, l, v)| Profile::new(n, *l, *v)).collect());
        &ALL
    }

    fn new(name: &'static str, language: Language, version: (u32, u32)) -> Profile {
        let native = Capability::TABLE.iter().filter(|(_, _, languages)| languages.contains(&language));
        let mut capabilities: Capabilities = native.map(|(c, ..)| *c).collect();
        for (_, _, late) in SINCE.iter().filter(|(l, since, _)| *l == language && *since > version) {
            late.iter().for_each(|c| capabilities.remove(*c));
        }
        let glsl = language == Language::Glsl;
        let facts = Facts {
            version,
            entry_name: glsl.then_some("main"),
            spaces: language != Language::Hlsl || version >= (5, 1),
            stage_io: match language {
                Language::Hlsl => StageIo::Semantics,
                Language::Glsl => StageIo::Globals,
                Language::Wgsl => StageIo::Attributes,
            },
            named_blocks: match language {
                Language::Hlsl => NamedBlocks::WithoutStruct,
                Language::Glsl => NamedBlocks::All,
                Language::Wgsl => NamedBlocks::None,
            },
            pointers: language == Language::Wgsl,
            entry_uniforms_are_push_constants: glsl,
            resource_array_limit: 64,
            numbers: match language {
                // DXC takes register 2^32-1 for none.
                Language::Hlsl => Numbers { slot: u32::MAX - 1, constant_buffer: Some(1 << 16), ..Numbers::ALL },
                Language::Glsl => Numbers {
                    slot: 65534,
                    space: 62,
                    location: 4094,
                    constant_id: 2046,
                    attachment: 254,
                    ..Numbers::ALL
                },
                Language::Wgsl => Numbers { constant_id: 65535, ..Numbers::ALL },
            },
            words_to_double: if glsl { "packDouble2x32(uvec2($0, $1))" } else { "asdouble($0, $1)" },
            double_to_words: "unpackDouble2x32($0)",
            bits_to_float: match language {
                Language::Hlsl => "asfloat($0)",
                Language::Glsl => "uintBitsToFloat($0)",
                Language::Wgsl => "bitcast<$TR>($0)",
            },
            bits_to_half: match language {
                Language::Hlsl => "f16tof32($0)",
                Language::Glsl => "unpackHalf2x16($0).x",
                Language::Wgsl => "unpack2x16float($0).x",
            },
            half_to_bits: match language {
                Language::Hlsl => "f32tof16($0)",
                Language::Glsl => "packHalf2x16(vec2($0, 0.0))",
                Language::Wgsl => "pack2x16float(vec2f($0, 0.0))",
            },
            float_to_bits: match language {
                Language::Hlsl => "asuint($0)",
                Language::Glsl => "floatBitsToUint($0)",
                Language::Wgsl => "bitcast<$TR>($0)",
            },
            placement: match language {
                Language::Hlsl => Placement::Packoffset,
                Language::Glsl => Placement::BlockOffset,
                Language::Wgsl => Placement::AlignAndSize,
            },
            atomic_load: if language == Language::Wgsl { "atomicLoad($&0)" } else { "$0" },
            atomic_store: if language == Language::Wgsl { "atomicStore($&0, $1)" } else { "$0 = $1" },
            extension: language.name(),
        };
        Profile { name, language, capabilities, facts }
    }

    /// The default of a language.
    pub fn default_of(language: Language) -> Option<&'static Profile> {
        Self::all().iter().find(|p| p.language == language)
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

    /// Whether it can say it.
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities.has(capability)
    }
}

/// The capabilities of the default profiles as a Markdown table, for the README.
pub fn capability_table() -> String {
    let mut text = String::from("| | HLSL | GLSL | WGSL |\n| --- | --- | --- | --- |\n");
    let columns = [Language::Hlsl, Language::Glsl, Language::Wgsl].map(Profile::default_of);
    for (capability, description, _) in Capability::TABLE {
        let cells = columns.map(|p| if p.is_some_and(|p| p.has(*capability)) { "native" } else { "" });
        text += &format!("| {} | {} |\n", description.trim().trim_end_matches('.'), cells.join(" | "));
    }
    text
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
    fn old_shader_models_lack_wave_operations() {
        assert!(Profile::parse("sm_5_1").is_some_and(|p| !p.has(Capability::WaveOperations)));
        assert!(Profile::parse("sm_6_6").is_some_and(|p| p.has(Capability::WaveOperations)));
    }
}
