//! Parameters have no default values: calls give all arguments.
//!
//! Before: `float f(float a, float b = 2) ...    f(1)` with the argument that is left out
//! After:  `float f(float a, float b) ...        f(1, 2)`
//!
//! The tree has all arguments of every call, so only the declarations change.

use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;

pub(super) const PASS: Pass = Pass {
    name: "default_arguments",
    removes: &[(Capability::DefaultArguments, Find::Function(|_, f| f.params.iter().any(|p| p.default.is_some())))],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let params = cx.program.functions.iter_mut().flat_map(|(_, function)| &mut function.params);
    params.for_each(|param| param.default = None);
}
