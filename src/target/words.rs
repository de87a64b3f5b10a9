//! Which words of a text tie a declaration to a stage or to extensions: what decides whether it may stand in a text that does not use it.
//!
//! The tables are of beginnings and endings, so that they err on the side of a tie.

use super::Language;

/// Words of GLSL that compilers take in some stages only (GLSL 4.60, "Built-in Functions"; `texture` has forms with a bias).
const GLSL_OF_STAGE: [&str; 28] = [
    "dFd",
    "fwidth",
    "interpolateAt",
    "discard",
    "demote",
    "helperInvocation",
    "gl_",
    "barrier",
    "controlBarrier",
    "memoryBarrierShared",
    "groupMemoryBarrier",
    "shared",
    "EmitVertex",
    "EmitStream",
    "EmitMesh",
    "EndPrimitive",
    "EndStream",
    "SetMesh",
    "traceRay",
    "executeCallable",
    "reportIntersection",
    "ignoreIntersection",
    "terminateRay",
    "subpassLoad",
    "textureQueryLod",
    "textureClamp",
    "beginInvocation",
    "endInvocation",
];
/// The same as whole words.
const GLSL_OF_STAGE_WHOLE: [&str; 4] = ["texture", "textureOffset", "textureProj", "textureProjOffset"];
/// Qualifiers of variables that a stage takes or gives.
const GLSL_INTERFACE: [&str; 8] = [
    "in",
    "out",
    "patch",
    "rayPayloadEXT",
    "rayPayloadInEXT",
    "hitAttributeEXT",
    "callableDataEXT",
    "callableDataInEXT",
];

/// Beginnings of words that an extension may have to be there for.
const GLSL_EXTENDED: [&str; 17] = [
    "subgroup",
    "texelFetch",
    "texture",
    "image",
    "sparse",
    "rayQuery",
    "hitObject",
    "coop",
    "buffer_reference",
    "scalar",
    "i8",
    "u8",
    "i16",
    "u16",
    "f16",
    "i64",
    "u64",
];
const GLSL_EXTENDED_TYPES: [&str; 7] = ["int8_t", "uint8_t", "int16_t", "uint16_t", "float16_t", "int64_t", "uint64_t"];
/// Endings of words that only extensions have.
const GLSL_ENDINGS: [&str; 6] = ["EXT", "NV", "KHR", "ARB", "AMD", "QCOM"];
const WGSL_EXTENDED: [&str; 6] = ["f16", "subgroup", "quad", "clip_distances", "blend_src", "immediate"];
/// Types that a compiler takes with an option only.
const HLSL_EXTENDED: [&str; 3] = ["float16_t", "int16_t", "uint16_t"];

/// Whether a word is legal in some stages only, wherever it stands. In HLSL and WGSL what no entry point reaches is of no stage.
pub fn is_of_stage(language: Language, word: &str) -> bool {
    match language {
        Language::Glsl => {
            GLSL_OF_STAGE.iter().any(|start| word.starts_with(start)) || GLSL_OF_STAGE_WHOLE.contains(&word)
        }
        Language::Hlsl | Language::Wgsl => false,
    }
}

/// Whether a word before the name of a variable makes it an input or output of a stage.
pub fn is_stage_interface(language: Language, word: &str) -> bool {
    match language {
        Language::Glsl => GLSL_INTERFACE.contains(&word),
        Language::Hlsl | Language::Wgsl => false,
    }
}

/// Whether a word may need an extension, or an option of the compiler.
pub fn needs_extension(language: Language, word: &str) -> bool {
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    match language {
        Language::Glsl if is_number => ends(&["s", "l", "hf", "S", "L", "HF"]),
        Language::Glsl => {
            let begins = GLSL_EXTENDED.iter().chain(&GLSL_EXTENDED_TYPES).any(|start| word.starts_with(start));
            begins || ends(&GLSL_ENDINGS)
        }
        Language::Wgsl if is_number => ends(&["h"]),
        Language::Wgsl => {
            let is_half = ["vec", "mat"].iter().any(|start| word.starts_with(start)) && word.ends_with('h');
            is_half || WGSL_EXTENDED.iter().any(|start| word.starts_with(start))
        }
        Language::Hlsl => HLSL_EXTENDED.iter().any(|start| word.starts_with(start)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_tied_to_stages_and_extensions() {
        let staged = |word| is_of_stage(Language::Glsl, word);
        assert!(staged("dFdxFine") && staged("texture") && staged("gl_FragCoord"));
        assert!(!staged("textureLod") && !staged("dot") && !is_of_stage(Language::Wgsl, "dpdx"));
        let extended = |word| needs_extension(Language::Glsl, word);
        assert!(extended("nonuniformEXT") && extended("u64vec2") && extended("1.0hf") && extended("texelFetch"));
        assert!(!extended("vec2") && !extended("1u") && !extended("normalize"));
        assert!(needs_extension(Language::Wgsl, "vec2h") && !needs_extension(Language::Wgsl, "vec2f"));
    }
}
