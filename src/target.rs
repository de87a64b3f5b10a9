//! The table of targets: which capabilities a profile has, and the facts about it that are not yes or no.
//!
//! A program *needs* capabilities (`legalize::needs`), a profile *has* them, a pass *removes* a need. A new target is a new
//! row in [`profiles`] and a printer.

pub mod api;
pub mod capability;
pub mod format;
pub mod glsl;
pub mod invocation_modes;
mod lines;
pub mod operators;
pub mod profiles;
pub mod reserved;
pub mod system_values;
pub mod words;

use crate::tree::DataLayout;
pub use api::Api;
pub use capability::{Capabilities, Capability};
pub use lines::{Conditionals, LineForm};
pub use profiles::Profile;

/// The language that is printed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Language {
    /// HLSL.
    Hlsl,
    /// GLSL.
    Glsl,
    /// WGSL.
    Wgsl,
}

impl Language {
    /// Name in `__target_switch` and in file names.
    pub fn name(self) -> &'static str {
        match self {
            Language::Hlsl => "hlsl",
            Language::Glsl => "glsl",
            Language::Wgsl => "wgsl",
        }
    }
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Target {
    /// HLSL text.
    Hlsl,
    /// GLSL text, one an entry point.
    Glsl,
    /// WGSL text.
    Wgsl,
    /// SPIR-V words, through naga from the WGSL.
    Spirv,
    /// Metal text, through naga from the WGSL.
    Metal,
}

/// A row of [`Target::TABLE`].
#[derive(Debug)]
pub struct TargetRow {
    /// The target.
    pub target: Target,
    /// Name in options and sidecars.
    pub name: &'static str,
    /// Ending of file names, without a dot.
    pub extension: &'static str,
    /// The profile without `--profile`.
    pub profile: &'static str,
}

impl Target {
    /// Every target.
    pub const TABLE: &[TargetRow] = &[
        TargetRow { target: Target::Hlsl, name: "hlsl", extension: "hlsl", profile: "sm_6_6" },
        TargetRow { target: Target::Glsl, name: "glsl", extension: "glsl", profile: "glsl_460" },
        TargetRow { target: Target::Wgsl, name: "wgsl", extension: "wgsl", profile: "wgsl" },
        TargetRow { target: Target::Spirv, name: "spirv", extension: "spv", profile: "spirv" },
        TargetRow { target: Target::Metal, name: "metal", extension: "metal", profile: "metal" },
    ];

    /// The target of a name.
    pub fn parse(name: &str) -> Option<Target> {
        Self::TABLE.iter().find(|row| row.name == name).map(|row| row.target)
    }
    fn row(self) -> Option<&'static TargetRow> {
        Self::TABLE.iter().find(|row| row.target == self)
    }
    /// The name in options and sidecars.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }
    /// The language of its texts; `None`: it has none, or one that other compilers write.
    pub fn text_language(self) -> Option<Language> {
        match self {
            Target::Hlsl => Some(Language::Hlsl),
            Target::Glsl => Some(Language::Glsl),
            Target::Wgsl => Some(Language::Wgsl),
            Target::Spirv | Target::Metal => None,
        }
    }
    /// The file name ending without a dot.
    pub fn extension(self) -> &'static str {
        self.row().map_or("", |row| row.extension)
    }
    /// The name of the profile without `--profile`.
    pub fn default_profile(self) -> &'static str {
        self.row().map_or("", |row| row.profile)
    }
}

/// The attribute of a function that needs an extension, with its name.
pub const EXTENSION_ATTRIBUTE: &str = "__glsl_extension";
/// The attribute of a builtin that names the head of an extension, whose rest is the kind of numbers that it is called with, if
/// that is none of the core language's: `GL_EXT_shader_subgroup_extended_types` and `_float16`.
pub const TYPED_EXTENSION_ATTRIBUTE: &str = "__typed_extension";
/// The attribute of a function that needs a version of GLSL, with its number.
pub const VERSION_ATTRIBUTE: &str = "__glsl_version";
/// The attribute of a builtin that HLSL has since a shader model: its major and minor number.
pub const SHADER_MODEL_ATTRIBUTE: &str = "__hlsl_profile";

/// The attribute of a builtin that DXC has for D3D, and not for SPIR-V.
pub const DXIL_ATTRIBUTE: &str = "__dxil";

/// The attribute of a payload of rays that says which stages use which field.
pub const RAY_PAYLOAD: &str = "raypayload";
/// The shader model from which on HLSL has it (DXR, "Payload access qualifiers").
pub const RAY_PAYLOADS_SINCE: (u32, u32) = (6, 7);

/// The attribute of an entry point for what its stage declares: qualifiers, and `in` or `out`.
pub const STAGE_LAYOUT: &str = "__stage_layout";

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
    /// Not at all: members that nothing uses fill the bytes before it.
    Padding,
    /// `@align` and `@size` on fields of any struct; one rule for all buffers.
    AlignAndSize,
}

/// Facts about a profile that are not yes or no, and those that are no capability a program needs.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The entry point's function must have this name.
    pub entry_name: Option<&'static str>,
    /// How parameters are bound.
    pub api: Api,
    /// Parameter blocks have register spaces, descriptor sets or bind groups of their own.
    pub spaces: bool,
    /// How entry points take their inputs and give their outputs.
    pub stage_io: StageIo,
    /// The most bindings that an array of resources is split into, where the target has no such arrays.
    pub resource_array_limit: u32,
    /// What the library marks as DXC's for D3D exists.
    pub dxil: bool,
    /// The largest numbers that its compilers take.
    pub numbers: Numbers,
    /// How fields of buffers are placed.
    pub placement: Placement,
    /// Which layouts of a buffer's data a declaration can name.
    pub data_layouts: DataLayouts,
    /// Which buffers are blocks with names of their own.
    pub named_blocks: NamedBlocks,
    /// The name of a block whose members are named without it is looked up by nobody: other declarations may have it.
    pub blocks_apart: bool,
    /// A field hides the type of its name in the rest of its struct, as in C++.
    pub fields_hide_types: bool,
    /// What connects the outputs of a stage with the inputs of the next one.
    pub varyings: Varyings,
    /// Which formats images have whose access is declared.
    pub image_formats: format::Formats,
    /// Stages are linked from their texts: a block is written alike in all that have it, whatever their functions do.
    pub linked_blocks: bool,
    /// A matrix is a list of columns: the rows of the tree are columns of the text, and products are in reverse order.
    pub rows_are_columns: bool,
    /// How GLSL is written, where it is the language.
    pub glsl: glsl::Glsl,
}

/// What connects the outputs of a stage with the inputs of the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Varyings {
    /// Their semantics or locations.
    Locations,
    /// Their names, which are made of semantics.
    Names,
}

/// Which layouts a declaration of a buffer can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataLayouts {
    /// All, as a source can.
    All,
    /// None: each kind of buffer has its own.
    None,
    /// `std140`, and `std430` for storage blocks.
    Blocks,
    /// These, `scalar`, and `std430` for uniform blocks.
    ScalarBlocks,
}

impl DataLayouts {
    /// What the declaration of a constant buffer, or of a storage buffer, says where the source names `layout`.
    pub fn obeyed(self, layout: DataLayout, constant: bool) -> DataLayout {
        let said = match self {
            DataLayouts::All | DataLayouts::ScalarBlocks => true,
            DataLayouts::None => false,
            DataLayouts::Blocks => layout == DataLayout::Std140 || layout == DataLayout::Std430 && !constant,
        };
        if said { layout } else { DataLayout::Default }
    }
}

/// Which buffers are blocks with names of their own besides those by which they are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedBlocks {
    /// None: a buffer is a variable.
    None,
    /// Storage buffers in arrays, whose elements are structs.
    Arrays,
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
    /// Bytes of an element of a structured buffer, if the target itself has a limit.
    pub buffer_element: Option<u64>,
    /// Bytes that a work group shares.
    pub groupshared: Option<u64>,
    /// Elements of an array that is no buffer's.
    pub elements: u32,
    /// Parts of which a value is made.
    pub parts: u32,
    /// Elements of an array of zeros, where those are written out.
    pub zeros: u32,
    /// Vertices that a geometry shader appends.
    pub vertices: u32,
    /// Numbers that all of them have together.
    pub appended: Option<u64>,
    /// The least and the greatest constant that is added to a level of detail, if compilers refuse others.
    pub bias: Option<(f32, f32)>,
    /// The bytes of a texel (D3D11.3 functional specification, 19.1.3.1).
    pub texel: Option<u32>,
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
        buffer_element: None,
        groupshared: None,
        elements: u32::MAX,
        parts: u32::MAX,
        zeros: u32::MAX,
        vertices: u32::MAX,
        appended: None,
        bias: None,
        texel: None,
    };
}
