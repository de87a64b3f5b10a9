//! A compute shader that takes derivatives says how its work group is made of quads.
//!
//! Before: `[numthreads(8, 8, 1)] void main() { ... ddx(x) ... }`
//! After:  the same, and `layout(derivative_group_quadsNV) in;` before the entry point
//!
//! For targets without `UnstatedQuads`. Shader Model 6.6 takes quads of 2 by 2 invocations where both sides of a work group are
//! even, and of four in a row elsewhere (HLSL Shader Model 6.6, "Derivative operations in compute, mesh and amplification
//! shaders"). A work group that is not made of whole quads has no derivatives: a sample reads level 0 there, and what asks for
//! a derivative is an error. Spec: `GL_NV_compute_shader_derivatives`.
//!
//! No sample has a bias where there are no derivatives: it is one of the level that the bias makes of level 0.

use super::base_levels;
use super::derivatives::DERIVATIVE;
use super::needs::Find;
use super::stage_io::{attribute, declare_layout};
use super::stages::OUTSIDE;
use super::{Context, Pass};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::{Capability, EXTENSION_ATTRIBUTE, STAGE_LAYOUT};
use crate::tree::*;
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass = Pass {
    name: "derivative_groups",
    removes: &[(Capability::UnstatedQuads, Find::Entry(unstated)), (Capability::UnstatedQuads, Find::Entry(biased))],
    after: &["derivatives"],
    run,
    ..Pass::ROW
};

const EXTENSION: &str = "GL_NV_compute_shader_derivatives";
/// The attribute of a sample with a bias: its spelling with a level, and the extension for that.
const BY_LEVEL: &str = "__by_level";

fn run(cx: &mut Context) {
    for entry in cx.program.entry_points.clone() {
        if !has_derivatives(&entry) {
            by_levels(cx.program, &entry);
        }
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

/// Whether invocations have neighbors to take differences with.
fn has_derivatives(entry: &EntryPoint) -> bool {
    match entry.stage {
        Stage::Fragment => true,
        Stage::Compute => arrangement(entry.workgroup_size).is_some(),
        Stage::Vertex
        | Stage::Hull
        | Stage::Domain
        | Stage::Geometry
        | Stage::Mesh
        | Stage::Amplification
        | Stage::RayGeneration
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => false,
    }
}

/// Where an entry point without derivatives samples with a bias, if it does.
fn biased(program: &Program, entry: &EntryPoint) -> Option<Span> {
    let function = entry.function;
    let samples = || program.analyses().callers_of(&|f| level_form(f).is_some()).contains(&function);
    (!has_derivatives(entry) && samples()).then(|| program.functions[function].span)
}

/// Makes samples with a bias those of a level, in all that an entry point calls.
fn by_levels(program: &mut Program, entry: &EntryPoint) {
    let reached: Vec<FunctionId> = program.analyses().paths(entry).into_iter().map(|(id, _)| id).collect();
    let mut extensions: Vec<Symbol> = Vec::new();
    let mut respelled: FxHashMap<FunctionId, FunctionId> = FxHashMap::default();
    for id in reached {
        let mut body = std::mem::take(&mut program.functions[id].code);
        for call in body.expressions() {
            let ExprKind::Call(callee, _) = &mut body.exprs[call].kind else { continue };
            let Some((template, extension)) = level_form(&program.functions[*callee]) else { continue };
            let without = ("level", [BY_LEVEL, DERIVATIVE, OUTSIDE, EXTENSION_ATTRIBUTE].as_slice());
            *callee = *respelled
                .entry(*callee)
                .or_insert_with_key(|callee| base_levels::respelled(program, *callee, template, without));
            extensions.extend(extension.filter(|e| !extensions.contains(e)));
        }
        program.functions[id].code = body;
    }
    let function = &mut program.functions[entry.function];
    for extension in extensions {
        let needed = attribute(EXTENSION_ATTRIBUTE, vec![AttributeArg::Text(extension)], function.span);
        function.attributes.push(needed);
    }
}

/// The spelling of a sample with a level for its bias, and the extension that it is of. What the target does not have with a bias
/// is reported.
fn level_form(function: &Function) -> Option<(Template, Option<Symbol>)> {
    if !matches!(function.body, FunctionBody::Intrinsic(_)) {
        return None;
    }
    let mut words = function.attribute(BY_LEVEL)?.args.iter().filter_map(|arg| match arg {
        AttributeArg::Text(word) => Some(*word),
        _ => None,
    });
    let template = Template::parse(words.next()?.as_str()).ok()?;
    Some((template, words.next()))
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
