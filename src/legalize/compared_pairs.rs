//! A texture with its sampler that is compared with is a shadow.
//!
//! Before: `Sampler2D<float> shadowMap;   shadowMap.SampleCmp(uv, z)`
//! After:  `Sampler2DShadow shadowMap;    shadowMap.SampleCmp(uv, z)`
//!
//! Whether a sampler compares is a part of its state, so that one that does cannot filter as well: such reads are errors.
//!
//! Heaps have an array of each type: both kinds of elements may be wanted, and each has its own.

use super::depth_textures::{Copies, TextureDecl, compares, place, retype, retype_globals, spread, texture_arguments};
use super::needs::callee;
use super::{Context, Pass};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{Body, ExprId, ExprKind, Function, FunctionId, Global, GlobalId, GlobalKind, Program, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "compared_pairs",
    always: Some("a pair that is compared with is a shadow in every target"),
    after: &["inline_builtins", "split_resources"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let functions = cx.program.functions_with_code();
    if !functions
        .iter()
        .any(|f| cx.program.functions[*f].code.expressions().into_iter().any(|id| compares_pair(cx.program, *f, id)))
    {
        return;
    }
    let mut shadows = FxHashSet::default();
    spread(cx.program, &functions, &mut shadows);
    shadows.retain(|of| is_pair(cx.program, declared_type(cx.program, *of)));
    let mut shadows = Copies::new(cx.program, &shadows).make(&functions);
    part_heaps(cx, &mut shadows);
    refuse_filters(cx, &shadows);
    retype_globals(cx.program, &shadows);
    cx.each_body(&mut |cx, f, body| retype(cx.program, f, body, &shadows));
}

/// Whether it is a pair, or an array of them, that is not declared as a shadow.
fn is_pair(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(program.types.innermost(ty)), Type::Texture(t) if t.combined && !t.depth)
}

fn declared_type(program: &Program, decl: TextureDecl) -> TypeId {
    match decl {
        TextureDecl::Global(id) => program.globals[id].ty,
        TextureDecl::Param(f, local) => program.functions[f].code.locals[local].ty,
    }
}

/// Whether an expression compares with a pair.
fn compares_pair(program: &Program, f: FunctionId, id: ExprId) -> bool {
    let exprs = &program.functions[f].code.exprs;
    callee(program, exprs, id).is_some_and(|(function, args)| {
        compares(function) && args.first().is_some_and(|pair| is_pair(program, exprs[*pair].ty))
    })
}

/// Where pairs are used in a way, by what a function has for it.
fn uses_of(program: &Program, is_use: fn(&Function) -> bool) -> Vec<(TextureDecl, Span)> {
    let mut uses = Vec::new();
    for f in program.functions_with_code() {
        let body = &program.functions[f].code;
        for id in body.expressions() {
            let Some((_, args)) = callee(program, &body.exprs, id).filter(|(function, _)| is_use(function)) else {
                continue;
            };
            if let Some(decl) = args.first().and_then(|pair| place(f, body, *pair)) {
                uses.push((decl, body.exprs[id].span));
            }
        }
    }
    uses
}

/// What reads a pair in a way that a shadow does not have.
fn is_other_read(function: &Function) -> bool {
    function.is_marked("__not_of_depth")
}

/// Gives the heaps that have pairs of both kinds an array of each.
fn part_heaps(cx: &mut Context, shadows: &mut FxHashSet<TextureDecl>) {
    let others: FxHashSet<TextureDecl> = uses_of(cx.program, is_other_read).into_iter().map(|(decl, _)| decl).collect();
    let is_mixed = |(id, global): &(GlobalId, &Global)| {
        let decl = TextureDecl::Global(*id);
        global.heap.is_some() && shadows.contains(&decl) && others.contains(&decl)
    };
    let mixed: Vec<GlobalId> = cx.program.globals.iter().filter(is_mixed).map(|(id, _)| id).collect();
    let mut twins = FxHashMap::default();
    for heap in mixed {
        let global = cx.program.globals[heap].clone();
        let name = Symbol::new(&format!("{}_Shadow", global.name));
        let twin = Global { name, comments: Vec::new(), ..global };
        let is_parameter = twin.kind == GlobalKind::Parameter;
        let twin = cx.declare_behind(heap, twin);
        if !is_parameter {
            cx.program.parameters.remove(twin);
        }
        shadows.remove(&TextureDecl::Global(heap));
        shadows.insert(TextureDecl::Global(twin));
        twins.insert(heap, twin);
    }
    if !twins.is_empty() {
        cx.each_body(&mut |cx, _, body| name_twins(cx.program, body, shadows, &twins));
    }
}

/// Names the arrays of shadows where their elements are compared with.
fn name_twins(
    program: &Program,
    body: &mut Body,
    shadows: &FxHashSet<TextureDecl>,
    twins: &FxHashMap<GlobalId, GlobalId>,
) {
    for id in body.expressions() {
        let ExprKind::Call(callee, args) = &body.exprs[id].kind else { continue };
        let compared = args.first().filter(|_| compares(&program.functions[*callee])).copied();
        let given = texture_arguments(program, body, *callee, args);
        let given =
            given.filter(|(local, _)| shadows.contains(&TextureDecl::Param(*callee, *local))).map(|(_, arg)| arg);
        let bases: Vec<ExprId> = compared.into_iter().chain(given).map(|pair| body.exprs.base(pair)).collect();
        for base in bases {
            if let ExprKind::Global(heap) = &mut body.exprs[base].kind
                && let Some(twin) = twins.get(heap)
            {
                *heap = *twin;
            }
        }
    }
}

/// Reports reads of shadows that a sampler which compares does not serve.
fn refuse_filters(cx: &mut Context, shadows: &FxHashSet<TextureDecl>) {
    let comparisons = uses_of(cx.program, compares);
    for (decl, read) in uses_of(cx.program, is_other_read).into_iter().filter(|(decl, _)| shadows.contains(decl)) {
        let message = "this texture with its sampler is compared with, too: one sampler does not do both";
        let mut error = Diagnostic::error(Code::CAPABILITY, read, message);
        if let Some((_, compared)) = comparisons.iter().find(|(other, _)| *other == decl) {
            error = error.label(*compared, "compared here");
        }
        cx.diags
            .push(error.note("declare a texture and two samplers, a `SamplerState` and a `SamplerComparisonState`"));
    }
}
