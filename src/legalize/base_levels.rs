//! A sample in a stage without derivatives reads the base level, in sources of Slang.
//!
//! Before: `[shader("vertex")] float4 main(float2 uv : UV) : SV_Position { return t.Sample(s, uv); }`
//! After:  `... { return t.SampleLevel(s, uv, 0.0); }`
//!
//! For targets without `ImplicitLodAnywhere`. GLSL samples level 0 in such a stage ("8.9 Texture Functions"), and a bias makes a level of
//! it. HLSL has no such sample: in its sources it stays an error. Stages that have derivatives in some targets are left alone.
//! What a stage with derivatives calls, too, is copied. The library has the spelling of each sample in `[__base_level("...")]`.

use super::derivatives::DERIVATIVE;
use super::stage_io::attribute;
use super::stages::OUTSIDE;
use super::{Context, Pass};
use crate::parse::Language;
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "base_levels",
    always: Some("which stages call a function is no need that a scan finds"),
    // The first value of a variable that samples is an assignment by then.
    after: &["inline_builtins", "runtime_initializers", "depth_textures", "texture_access"],
    run,
    ..Pass::ROW
};

/// The attribute of a sample: its spelling that reads the base level.
const BASE_LEVEL: &str = "__base_level";

fn run(cx: &mut Context) {
    if cx.profile.has(Capability::ImplicitLodAnywhere) || !cx.program.entry_points.iter().any(reads_base_levels) {
        return;
    }
    let samplers = cx.program.analyses().callers_of(&|f| f.is_marked(BASE_LEVEL));
    let (mut own, mut others) = (FxHashSet::default(), FxHashSet::default());
    let mut changed: Vec<FunctionId> = Vec::new();
    for entry in &cx.program.entry_points {
        let reached = if reads_base_levels(entry) { &mut own } else { &mut others };
        for (id, _) in cx.program.analyses().paths(entry) {
            if samplers.contains(&id) && reached.insert(id) && reads_base_levels(entry) {
                changed.push(id);
            }
        }
    }
    // What is spelled is spelled anew at the call.
    changed.retain(|id| form(&cx.program.functions[*id]).is_none());
    let mut copies: FxHashMap<FunctionId, FunctionId> = FxHashMap::default();
    for id in changed.iter().copied().filter(|id| others.contains(id)) {
        copies.insert(id, copy(cx.program, id));
    }
    for id in changed {
        let id = copies.get(&id).copied().unwrap_or(id);
        let mut body = std::mem::take(&mut cx.program.functions[id].code);
        rewrite(cx.program, &mut body, &mut copies);
        cx.program.functions[id].code = body;
    }
}

/// Whether an entry point has no derivatives in any target, where its language lets it sample all the same.
pub(super) fn reads_base_levels(entry: &EntryPoint) -> bool {
    let lacks_derivatives = match entry.stage {
        Stage::Fragment | Stage::Compute | Stage::Mesh | Stage::Amplification => false,
        Stage::Vertex
        | Stage::Hull
        | Stage::Domain
        | Stage::Geometry
        | Stage::RayGeneration
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => true,
    };
    lacks_derivatives && entry.language == Language::Slang
}

/// Whether what a call of a builtin becomes in such an entry point is found later.
pub(super) fn is_spelled(callee: &Function) -> bool {
    callee.inline || callee.is_marked(BASE_LEVEL)
}

fn copy(program: &mut Program, id: FunctionId) -> FunctionId {
    let mut function = program.functions[id].clone();
    let instance = function.instance.as_str();
    let suffix = if instance.is_empty() { "base_level".to_owned() } else { format!("{instance}_base_level") };
    function.instance = Symbol::new(&suffix);
    let copy = program.functions.push(function);
    program.items.put_after(Item::Function(id), Item::Function(copy));
    copy
}

/// Samples read the base level, and calls are those of copies.
fn rewrite(program: &mut Program, body: &mut Body, copies: &mut FxHashMap<FunctionId, FunctionId>) {
    for id in body.expressions() {
        let ExprKind::Call(callee, _) = &mut body.exprs[id].kind else { continue };
        let copy = copies.get(callee).copied().or_else(|| sample_of_base_level(program, *callee));
        if let Some(copy) = copy {
            copies.insert(*callee, copy);
            *callee = copy;
        }
    }
}

/// A sample like another one that reads the base level: it has no derivatives, and all else that is asked of it.
fn sample_of_base_level(program: &mut Program, id: FunctionId) -> Option<FunctionId> {
    let template = form(&program.functions[id])?;
    Some(respelled(program, id, template, ("base_level", &[BASE_LEVEL, DERIVATIVE, OUTSIDE])))
}

/// A builtin like another one with a spelling of its own, without some attributes.
pub(super) fn respelled(
    program: &mut Program,
    id: FunctionId,
    template: Template,
    (suffix, without): (&str, &[&str]),
) -> FunctionId {
    let mut function = program.functions[id].clone();
    function.body = FunctionBody::Intrinsic(template);
    function.attributes.retain(|a| !without.contains(&a.name.as_str()));
    if function.attribute(KNOWN_AS).is_none() {
        let name = AttributeArg::Text(function.name);
        function.attributes.push(attribute(KNOWN_AS, vec![name], function.span));
    }
    function.name = Symbol::new(&format!("{}_{suffix}", function.name));
    program.functions.push(function)
}

/// The spelling of a sample that reads the base level. A polyfill has none: what it calls does.
fn form(function: &Function) -> Option<Template> {
    if !matches!(function.body, FunctionBody::Intrinsic(_)) {
        return None;
    }
    let AttributeArg::Text(text) = function.attribute(BASE_LEVEL)?.args.first()? else { return None };
    Template::parse(text.as_str()).ok()
}
