//! A sample in a stage without derivatives reads the base level, in sources of Slang.
//!
//! Before: `[shader("vertex")] float4 main(float2 uv : UV) : SV_Position { return t.Sample(s, uv); }`
//! After:  `... { return t.SampleLevel(s, uv, 0.0); }`
//!
//! For targets without `ImplicitLodAnywhere`. GLSL samples level 0 in such a stage ("8.9 Texture Functions"), and a bias makes a level of
//! it. HLSL has no such sample: in its sources it stays an error. Stages that have derivatives in some targets are left alone.
//! What a stage with derivatives calls, too, is copied. The library has the spelling of each sample in `[__base_level("...")]`.

use super::constant_parameters::varying_argument;
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
        let mut live = body.expressions();
        // What is not spelled as a call any more would have no error.
        let offsets = !cx.profile.has(Capability::VaryingOffsets);
        live.retain(|call| !offsets || varying_argument(cx.program, &body.exprs, *call).is_none());
        rewrite(cx.program, &mut body.exprs, &live, &copies);
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
fn rewrite(program: &Program, exprs: &mut ExprArena, live: &[ExprId], copies: &FxHashMap<FunctionId, FunctionId>) {
    for &id in live {
        let ExprKind::Call(callee, args) = &mut exprs[id].kind else { continue };
        if let Some(copy) = copies.get(callee) {
            *callee = *copy;
        } else if let Some(template) = form(&program.functions[*callee]) {
            let args = std::mem::take(args);
            exprs[id].kind = ExprKind::Native(Box::new(template), args);
        }
    }
}

/// The spelling of a sample that reads the base level. A polyfill has none: what it calls does.
fn form(function: &Function) -> Option<Template> {
    if !matches!(function.body, FunctionBody::Intrinsic(_)) {
        return None;
    }
    let AttributeArg::Text(text) = function.attribute(BASE_LEVEL)?.args.first()? else { return None };
    Template::parse(text.as_str()).ok()
}
