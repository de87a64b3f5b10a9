//! How the versions of GLSL differ: what they write otherwise, and which words and extensions each has.

mod extensions;

use super::{Profile, Target};

/// How a version of GLSL writes what versions write differently.
#[derive(Clone, Copy, Debug)]
pub struct Glsl {
    /// Whose GLSL it is.
    pub edition: Edition,
    /// What follows the number in `#version`.
    pub suffix: &'static str,
    /// How the position of a resource is written.
    pub bindings: Bindings,
    /// Types have no precision until one is declared.
    pub precisions: bool,
    /// A constant may have a value that is computed when the shader runs.
    pub runtime_constants: bool,
    /// What is behind the prefix of a buffer of texels that is read.
    pub texel_buffer: &'static str,
    /// The extension that buffers of texels need, or nothing.
    pub texel_buffer_extension: &'static str,
    /// The extension that a second output at a location needs, or nothing.
    pub dual_source: &'static str,
    /// Words of Vulkan's GLSL that have other names here.
    pub renamed: &'static [(&'static str, &'static str)],
}

/// Whose GLSL a version is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edition {
    /// Vulkan's, which has every word.
    Vulkan,
    /// That of OpenGL.
    Core,
    /// That of OpenGL ES.
    Es,
}

/// How the position of a resource is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bindings {
    /// `set = 0, binding = 1`.
    SetAndBinding,
    /// `binding = 1`.
    Binding,
    /// Not at all: the application sets it, and finds the resource by its name.
    Name,
}

impl Glsl {
    /// GLSL for Vulkan.
    pub const VULKAN: Glsl = Glsl {
        edition: Edition::Vulkan,
        suffix: "",
        bindings: Bindings::SetAndBinding,
        precisions: false,
        runtime_constants: true,
        texel_buffer: "textureBuffer",
        texel_buffer_extension: "",
        dual_source: "",
        renamed: &[],
    };
    /// GLSL of OpenGL with bindings.
    pub const CORE: Glsl = Glsl {
        edition: Edition::Core,
        suffix: " core",
        bindings: Bindings::Binding,
        texel_buffer: "samplerBuffer",
        renamed: &[
            ("gl_VertexIndex", "gl_VertexID"),
            ("gl_InstanceIndex", "gl_InstanceID"),
            ("gl_BaseVertex", "gl_BaseVertexARB"),
            ("gl_BaseInstance", "gl_BaseInstanceARB"),
            ("gl_DrawID", "gl_DrawIDARB"),
        ],
        ..Glsl::VULKAN
    };
    /// GLSL of OpenGL ES with bindings.
    pub const ES: Glsl = Glsl {
        edition: Edition::Es,
        suffix: " es",
        precisions: true,
        runtime_constants: false,
        dual_source: "GL_EXT_blend_func_extended",
        ..Glsl::CORE
    };

    /// This version's word for one of Vulkan's GLSL.
    pub fn word<'t>(&self, word: &'t str) -> &'t str {
        self.renamed.iter().find(|(vulkan, _)| *vulkan == word).map_or(word, |(_, own)| own)
    }

    /// How an extension that Vulkan's GLSL needs stands here.
    pub fn extension(&self, name: &str) -> ExtensionSupport {
        let row = EXTENSIONS.iter().find(|(extension, ..)| *extension == name);
        match self.edition {
            Edition::Vulkan if extensions::is_known(name) => ExtensionSupport::Extension,
            Edition::Vulkan => ExtensionSupport::Missing,
            Edition::Core => row.map_or(ExtensionSupport::Missing, |(_, core, _)| *core),
            Edition::Es => row.map_or(ExtensionSupport::Missing, |(_, _, es)| *es),
        }
    }
}

/// No version has it.
const NONE: u32 = u32::MAX;
/// No version has it by itself, and an extension adds it to all.
const BY_EXTENSION: u32 = 0;

/// (beginning of a word, the first desktop version that has it, the first ES version).
const WORDS: &[(&str, u32, u32)] = &[
    ("bitCount", 400, 310),
    ("bitfield", 400, 310),
    ("findLSB", 400, 310),
    ("findMSB", 400, 310),
    ("fma", 400, 320),
    ("frexp", 400, 310),
    ("ldexp", 400, 310),
    ("packHalf2x16", 420, 300),
    ("unpackHalf2x16", 420, 300),
    ("packSnorm2x16", 420, 300),
    ("unpackSnorm2x16", 420, 300),
    ("packUnorm2x16", 400, 300),
    ("unpackUnorm2x16", 400, 300),
    ("packUnorm4x8", 400, 310),
    ("unpackUnorm4x8", 400, 310),
    ("packSnorm4x8", 400, 310),
    ("unpackSnorm4x8", 400, 310),
    ("packDouble2x32", 400, NONE),
    ("unpackDouble2x32", 400, NONE),
    ("textureGather", 400, 310),
    ("textureQueryLod", 400, NONE),
    ("textureQueryLevels", 430, NONE),
    ("sparse", 450, NONE),
    ("textureClamp", 450, NONE),
    ("textureOffsetClamp", 450, NONE),
    ("textureGradClamp", 450, NONE),
    ("textureGradOffsetClamp", 450, NONE),
    ("textureSamples", 450, NONE),
    ("imageSamples", 450, NONE),
    ("imageSize", 430, 310),
    ("imageLoad", 420, 310),
    ("imageStore", 420, 310),
    ("imageAtomic", 420, 320),
    ("atomic", 430, 310),
    ("memoryBarrier", 420, 310),
    ("groupMemoryBarrier", 430, 310),
    ("barrier", 400, 310),
    ("interpolateAt", 400, 320),
    ("uaddCarry", 400, 310),
    ("usubBorrow", 400, 310),
    ("umulExtended", 400, 310),
    ("imulExtended", 400, 310),
    ("dFdxFine", 450, NONE),
    ("dFdyFine", 450, NONE),
    ("dFdxCoarse", 450, NONE),
    ("dFdyCoarse", 450, NONE),
    ("fwidthFine", 450, NONE),
    ("fwidthCoarse", 450, NONE),
    ("subgroup", BY_EXTENSION, BY_EXTENSION),
    ("gl_Subgroup", BY_EXTENSION, BY_EXTENSION),
    ("gl_BaryCoord", NONE, NONE),
    ("gl_ViewIndex", NONE, NONE),
    ("gl_PrimitiveShadingRate", NONE, NONE),
    ("gl_ShadingRate", NONE, NONE),
    ("gl_BaseVertex", 450, NONE),
    ("gl_BaseInstance", 450, NONE),
    ("gl_DrawID", 450, NONE),
    ("gl_FragStencilRefARB", BY_EXTENSION, NONE),
    ("gl_ClipDistance", 330, NONE),
    ("gl_CullDistance", 450, NONE),
    ("gl_PrimitiveID", 330, 320),
    ("gl_Layer", 330, 320),
    ("gl_ViewportIndex", 410, NONE),
    ("gl_SampleID", 400, 320),
    ("gl_SampleMask", 400, 320),
    ("gl_InvocationID", 400, 320),
    ("gl_Tess", 400, 320),
    ("debugPrintf", NONE, NONE),
    ("subpassLoad", NONE, NONE),
    // Qualifiers.
    ("precise", 400, 320),
    ("noperspective", 330, NONE),
    ("sample", 400, 320),
    ("early_fragment_tests", 420, 310),
    ("index", 330, BY_EXTENSION),
    ("depth_greater", 420, NONE),
    ("depth_less", 420, NONE),
    ("invocations", 400, 320),
    ("stream", 400, NONE),
    ("EmitStreamVertex", 400, NONE),
    ("EndStreamPrimitive", 400, NONE),
];

/// How an extension that Vulkan's GLSL needs stands in OpenGL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtensionSupport {
    /// The language has it by itself.
    Core,
    /// The extension exists.
    Extension,
    /// There is none.
    Missing,
}

/// (extension, on desktop, on ES); what is not listed is missing.
const EXTENSIONS: &[(&str, ExtensionSupport, ExtensionSupport)] = &[
    ("GL_EXT_samplerless_texture_functions", ExtensionSupport::Core, ExtensionSupport::Core),
    ("GL_EXT_control_flow_attributes", ExtensionSupport::Core, ExtensionSupport::Core),
    ("GL_ARB_shader_draw_parameters", ExtensionSupport::Extension, ExtensionSupport::Missing),
    ("GL_ARB_shader_viewport_layer_array", ExtensionSupport::Extension, ExtensionSupport::Missing),
    ("GL_ARB_shader_stencil_export", ExtensionSupport::Extension, ExtensionSupport::Missing),
    ("GL_EXT_texture_buffer", ExtensionSupport::Missing, ExtensionSupport::Extension),
    ("GL_EXT_blend_func_extended", ExtensionSupport::Missing, ExtensionSupport::Extension),
    ("GL_ARB_sparse_texture2", ExtensionSupport::Extension, ExtensionSupport::Missing),
    ("GL_ARB_sparse_texture_clamp", ExtensionSupport::Extension, ExtensionSupport::Missing),
    ("GL_KHR_shader_subgroup_basic", ExtensionSupport::Extension, ExtensionSupport::Extension),
    ("GL_KHR_shader_subgroup_vote", ExtensionSupport::Extension, ExtensionSupport::Extension),
    ("GL_KHR_shader_subgroup_arithmetic", ExtensionSupport::Extension, ExtensionSupport::Extension),
    ("GL_KHR_shader_subgroup_ballot", ExtensionSupport::Extension, ExtensionSupport::Extension),
    ("GL_KHR_shader_subgroup_shuffle", ExtensionSupport::Extension, ExtensionSupport::Extension),
    ("GL_KHR_shader_subgroup_shuffle_relative", ExtensionSupport::Extension, ExtensionSupport::Extension),
    ("GL_KHR_shader_subgroup_clustered", ExtensionSupport::Extension, ExtensionSupport::Extension),
    ("GL_KHR_shader_subgroup_quad", ExtensionSupport::Extension, ExtensionSupport::Extension),
];

impl Profile {
    /// The number in `#version`: 450 for (4, 50).
    pub fn version_number(&self) -> u32 {
        self.version.0 * 100 + self.version.1
    }

    /// Whether it has every word and extension that the library uses.
    pub fn has_all_words(&self) -> bool {
        self.facts.glsl.edition == Edition::Vulkan
    }

    /// Whether its texts name extensions of the language.
    pub fn has_extensions(&self) -> bool {
        self.target == Target::Glsl
    }

    /// Whether it is a language with extensions that does not have one.
    pub fn lacks_extension(&self, name: &str) -> bool {
        self.has_extensions() && self.facts.glsl.extension(name) == ExtensionSupport::Missing
    }

    /// The first word of a text that this version of GLSL does not have.
    pub fn missing_word<'t>(&self, text: &'t str) -> Option<&'t str> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.into_iter().find(|word| {
            let row = WORDS.iter().filter(|(start, ..)| word.starts_with(start)).max_by_key(|(start, ..)| start.len());
            row.is_some_and(|(_, core, es)| match self.facts.glsl.edition {
                Edition::Vulkan => false,
                Edition::Core => *core > self.version_number(),
                Edition::Es => *es > self.version_number(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_versions() {
        let missing = |profile: &str, text: &'static str| Profile::parse(profile).and_then(|p| p.missing_word(text));
        assert_eq!(missing("glsl_330", "textureGather("), Some("textureGather"));
        assert_eq!(missing("glsl_430", "textureGather("), None);
        assert_eq!(missing("glsl_es_310", "gl_ClipDistance[0]"), Some("gl_ClipDistance"));
        assert_eq!(missing("glsl_460", "debugPrintfEXT("), None);
    }
}
