//! Attributes that are ignored because they say nothing here, and those that nobody knows, which are reported.

use super::{RULES, Writer::Anyone};
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::symbol::edit_distance;

/// Attributes of the languages that have no arguments to check: those of DXC and slangc. All of `vk` and `gl` are known, and all
/// that begin with `__`, of which Slang's own library has many; those are ignored.
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

/// Whether the languages have an attribute of this name.
pub fn is_known(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["vk::", "vk_", "gl::", "__"].iter().any(|prefix| lower.starts_with(prefix))
        || RULES.iter().any(|(n, ..)| *n == lower)
        || OTHERS.contains(&lower.as_str())
}

/// The warning of an attribute that neither the languages nor the program declare.
pub fn unknown(attribute: &ast::Attribute) -> Diagnostic {
    let name = attribute.name.name.as_str();
    let lower = name.to_ascii_lowercase();
    let known =
        RULES.iter().filter(|(_, writer, ..)| *writer == Anyone).map(|(n, ..)| *n).chain(OTHERS.iter().copied());
    let near = known.map(|n| (edit_distance(&lower, n), n)).filter(|(d, _)| *d <= 1 + lower.len() / 5).min();
    let message = format!("the attribute `[{name}]` is not known and is ignored");
    let warning = Diagnostic::warning(Code::BAD_ATTRIBUTE, attribute.name.span, message);
    match near {
        Some((_, near)) => warning.note(format!("there is `[{near}]`")),
        None => warning,
    }
}
