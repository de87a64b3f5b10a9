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
use super::stage_io::attribute;
use super::{Context, Pass};
use crate::symbol::Symbol;
use crate::target::{Capability, EXTENSION_ATTRIBUTE, STAGE_LAYOUT};
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "derivative_groups",
    always: Some("what it states is no need that a scan finds"),
    lessens: &[Capability::UnstatedQuads],
    after: &["derivatives"],
    run,
    ..Pass::ROW
};

const EXTENSION: &str = "GL_NV_compute_shader_derivatives";

fn run(cx: &mut Context) {
    if cx.profile.has(Capability::UnstatedQuads) || !cx.profile.has(Capability::ComputeDerivatives) {
        return;
    }
    let takers = cx.program.analyses().callers_of(&|f| f.is_marked(DERIVATIVE));
    for entry in cx.program.entry_points.clone() {
        let word = arrangement(entry.workgroup_size).filter(|_| entry.stage == Stage::Compute);
        if let Some(word) = word.filter(|_| takers.contains(&entry.function)) {
            let function = &mut cx.program.functions[entry.function];
            let text = |text: &str| AttributeArg::Text(Symbol::new(text));
            for (name, args) in
                [(STAGE_LAYOUT, vec![text(word), text("in")]), (EXTENSION_ATTRIBUTE, vec![text(EXTENSION)])]
            {
                let made = attribute(name, args, function.span);
                function.attributes.push(made);
            }
        }
    }
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
