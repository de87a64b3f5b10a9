//! A compute shader that takes derivatives says how its work group is made of quads.
//!
//! Before: `[numthreads(8, 8, 1)] void main() { ... ddx(x) ... }`
//! After:  the same, and `layout(derivative_group_quadsNV) in;` before the entry point
//!
//! For targets without `UnstatedQuads`. Shader Model 6.6 takes quads of 2 by 2 invocations where both sides of a work group are
//! even, and of four in a row elsewhere (HLSL Shader Model 6.6, "Derivative operations in compute, mesh and amplification
//! shaders"). A work group that is not made of whole quads has no derivatives: a sample reads level 0 there, and what asks for
//! a derivative is an error. Spec: `GL_NV_compute_shader_derivatives`.

use super::derivatives::DERIVATIVE;
use super::needs::Find;
use super::stage_io::declare_layout;
use super::{Context, Pass};
use crate::source::Span;
use crate::target::{Capability, STAGE_LAYOUT};
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "derivative_groups",
    removes: &[(Capability::UnstatedQuads, Find::Entry(unstated))],
    after: &["derivatives"],
    run,
    ..Pass::ROW
};

const EXTENSION: &str = "GL_NV_compute_shader_derivatives";

fn run(cx: &mut Context) {
    for entry in cx.program.entry_points.clone() {
        let Some(word) = arrangement(entry.workgroup_size).filter(|_| unstated(cx.program, &entry).is_some()) else {
            continue;
        };
        declare_layout(&mut cx.program.functions[entry.function], word, EXTENSION);
    }
}

/// Where a compute shader takes derivatives and does not say how its work group is made of quads, if it is.
fn unstated(program: &Program, entry: &EntryPoint) -> Option<Span> {
    let function = &program.functions[entry.function];
    let stated = function.attributes.iter().any(|a| a.name == STAGE_LAYOUT);
    let takes = || program.analyses().callers_of(&|f| f.is_marked(DERIVATIVE)).contains(&entry.function);
    let is_open = entry.stage == Stage::Compute && !stated && arrangement(entry.workgroup_size).is_some();
    (is_open && takes()).then_some(function.span)
}

/// How quads are made of the invocations of a work group, if it is made of whole ones.
pub(super) fn arrangement([x, y, z]: [u32; 3]) -> Option<&'static str> {
    let count = u64::from(x) * u64::from(y) * u64::from(z);
    match (x % 2, y % 2, count % 4) {
        (0, 0, _) => Some("derivative_group_quadsNV"),
        (_, _, 0) => Some("derivative_group_linearNV"),
        _ => None,
    }
}
