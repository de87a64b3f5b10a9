//! Attributes that are ignored because they say nothing here, and those that nobody knows, which are reported.

use super::{RULES, Writer::Anyone};
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::symbol::edit_distance;

/// Attributes of the languages that have no arguments to check: those of DXC and slangc. All of `gl` are known, and all that
/// begin with `__`, of which Slang's own library has many; those are ignored.
const OTHERS: &[&str] = &[
    "allow",
    "allow_uav_condition",
    "allowsparsenodes",
    "anyvaluesize",
    "autopybindcuda",
    "backwardderivative",
    "backwardderivativeof",
    "backwarddifferentiable",
    "branch",
    "builtin",
    "call",
    "clipplanes",
    "com",
    "com_interface",
    "constref",
    "cudadeviceexport",
    "cudahost",
    "cudakernel",
    "deprecated",
    "derivativegrouplinear",
    "derivativegroupquad",
    "derivativemember",
    "differentiable",
    "disable_array_flattening",
    "dllexport",
    "dllimport",
    "experimental",
    "experimentalmodule",
    "fastopt",
    "flags",
    "flatten",
    "forcecase",
    "forceinline",
    "forceunroll",
    "forwardderivative",
    "forwardderivativeof",
    "forwarddifferentiable",
    "gl_binding",
    "hastrivialforwardderivative",
    "isolate",
    "keepalive",
    "knownbuiltin",
    "loop",
    "maximallyreconverges",
    "maxiters",
    "maxrecords",
    "maxrecordssharedwith",
    "maybedifferentiable",
    "mutating",
    "nodearraysize",
    "nodedispatchgrid",
    "nodeid",
    "nodeisprogramentry",
    "nodelaunch",
    "nodelocalrootargumentstableindex",
    "nodemaxdispatchgrid",
    "nodemaxrecursiondepth",
    "nodesharesinputof",
    "nodetrackrwinputsharing",
    "nodiffthis",
    "nodiscard",
    "noinline",
    "nonmutating",
    "nonuniformreturn",
    "noopt",
    "norefinline",
    "open",
    "overloadrank",
    "overridable",
    "payload",
    "prefercheckpoint",
    "preferrecompute",
    "primalsubstitute",
    "primalsubstituteof",
    "pyexport",
    "quadderivatives",
    "raypayload",
    "removedsince",
    "require",
    "requirefullquads",
    "requireprelude",
    "sealed",
    "shader64bitindexing",
    "shader_record",
    "specialize",
    "torchentrypoint",
    "treatasdifferentiable",
    "unboundedsparsenodes",
    "unscopedenum",
    "uuid",
    "waveopsincludehelperlanes",
];

/// The same of `vk`. What is said of SPIR-V stands beside what is an error where it is used, or has no effect on a text.
const OF_VULKAN: &[&str] = &[
    "vk::aliased_pointer",
    "vk::combinedimagesampler",
    "vk::ext_builtin_input",
    "vk::ext_builtin_output",
    "vk::ext_capability",
    "vk::ext_extension",
    "vk::ext_instruction",
    "vk::ext_literal",
    "vk::ext_reference",
    "vk::ext_type_def",
    "vk::shader_record",
    "vk::shader_record_ext",
    "vk::shader_record_nv",
    "vk::spirv_instruction",
];

/// Whether the languages have an attribute of this name.
pub fn is_known(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["vk_", "gl::", "__"].iter().any(|prefix| lower.starts_with(prefix))
        || RULES.iter().any(|(n, ..)| *n == lower)
        || [OTHERS, OF_VULKAN].iter().any(|list| list.contains(&lower.as_str()))
}

/// Attributes of DXC whose meaning is lost: of tests of depth and stencil, and decorations of SPIR-V.
const LOST: &[&str] = &[
    "vk::depth_unchanged",
    "vk::early_and_late_tests",
    "vk::ext_decorate",
    "vk::ext_decorate_id",
    "vk::ext_decorate_string",
    "vk::ext_storage_class",
    "vk::post_depth_coverage",
    "vk::spvexecutionmode",
    "vk::stencil_ref_greater_equal_back",
    "vk::stencil_ref_greater_equal_front",
    "vk::stencil_ref_less_equal_back",
    "vk::stencil_ref_less_equal_front",
    "vk::stencil_ref_unchanged_back",
    "vk::stencil_ref_unchanged_front",
];

/// The warning of an attribute that neither the languages nor the program declare.
pub fn unknown(attribute: &ast::Attribute) -> Diagnostic {
    let name = attribute.name.name.as_str();
    let lower = name.to_ascii_lowercase();
    if LOST.contains(&lower.as_str()) {
        let message = format!("the attribute `[{name}]` is not supported and is ignored");
        return Diagnostic::warning(Code::BAD_ATTRIBUTE, attribute.name.span, message);
    }
    let rules = RULES.iter().filter(|(_, writer, ..)| *writer == Anyone).map(|(n, ..)| *n);
    let known = rules.chain(OTHERS.iter().chain(OF_VULKAN).copied());
    let near = known.map(|n| (edit_distance(&lower, n), n)).filter(|(d, _)| *d <= 1 + lower.len() / 5).min();
    let message = format!("the attribute `[{name}]` is not known and is ignored");
    let warning = Diagnostic::warning(Code::BAD_ATTRIBUTE, attribute.name.span, message);
    match near {
        Some((_, near)) => warning.note(format!("there is `[{near}]`")).suggest(attribute.name.span, near),
        None => warning,
    }
}
