//! A texture with its sampler becomes a texture and a sampler.
//!
//! Before: `Sampler2D albedo;                                     albedo.Sample(uv)`
//! After:  `Texture2D albedo;  SamplerState albedo_sampler;       albedo.Sample(albedo_sampler, uv)`
//!
//! The library spells the methods of a pair with two functions that give its parts (`[__combined_part(0)]`, `(1)`); here
//! they are replaced by the parts. Where pairs stay, a spelling that joins both is of the pair, and one of the texture can be, too.
//!
//! After `split_resources` every pair is a global or an element of one.

use super::counters::same_path;
use super::needs::Find;
use super::{Context, Pass};
use crate::layout::Role;
use crate::source::Span;
use crate::target::Capability;
use crate::tree::{
    AttributeArg, Expr, ExprArena, ExprId, ExprKind, FunctionId, Global, GlobalId, GlobalKind, Heap, Program, Type,
    TypeId, Types,
};
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass = Pass {
    name: "combined_samplers",
    always: Some("where pairs stay, the library still speaks of their parts"),
    adds: &[Capability::BareHeapElements, Capability::WideFiltering],
    removes: &[(Capability::CombinedSamplers, Find::Type(|_, t| matches!(t, Type::Texture(t) if t.combined)))],
    after: &["split_resources"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let parts: FxHashMap<FunctionId, i64> =
        cx.program.functions.ids().filter_map(|f| Some((f, part(cx.program, f)?))).collect();
    if cx.profile.has(Capability::CombinedSamplers) {
        join(cx.program, &parts);
    } else {
        split(cx, &parts);
    }
}

/// Puts the pair in the place of each of its parts.
fn join(program: &mut Program, parts: &FxHashMap<FunctionId, i64>) {
    if parts.is_empty() {
        return;
    }
    program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            let ExprKind::Call(f, args) = &exprs[id].kind else { continue };
            if let Some(&pair) = args.first().filter(|_| parts.contains_key(f)) {
                exprs.replace_by(id, pair);
            }
        }
    });
}

/// Puts a texture and a sampler in the place of each pair.
fn split(cx: &mut Context, parts: &FxHashMap<FunctionId, i64>) {
    let samplers = declare_samplers(cx);
    let heaps = HeapParts::of(cx);
    if parts.is_empty() && samplers.is_empty() && heaps.0.is_empty() {
        return;
    }
    #[expect(clippy::disallowed_methods, reason = "a map becomes a map")]
    let sampler_types: FxHashMap<GlobalId, TypeId> =
        samplers.values().map(|g| (*g, cx.program.globals[*g].ty)).collect();
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            let ExprKind::Call(f, args) = &exprs[id].kind else { continue };
            let (Some(part), Some(&pair)) = (parts.get(f), args.first()) else { continue };
            if let Some(element) = heaps.element(types, exprs, pair, *part) {
                exprs.replace_by(id, element);
            } else if *part == 0 {
                exprs.replace_by(id, pair);
            } else if let ExprKind::Global(g) = exprs[exprs.base(pair)].kind
                && let Some(sampler) = samplers.get(&g)
            {
                let ty = sampler_types.get(sampler).copied().unwrap_or(TypeId::ERROR);
                let path = same_path(types, exprs, pair, *sampler, ty);
                exprs.replace_by(id, path);
            }
        }
    });
    cx.program.map_types(&mut |types, ty| match types.get(ty) {
        Type::Texture(t) if t.combined => types.intern(Type::Texture(crate::tree::Texture { combined: false, ..t })),
        _ => ty,
    });
}

/// Which part of a pair a function gives.
pub(super) fn part(program: &Program, f: FunctionId) -> Option<i64> {
    let attribute = program.functions[f].attributes.iter().find(|a| a.name == "__combined_part")?;
    match attribute.args.first() {
        Some(AttributeArg::Int(n)) => Some(*n),
        _ => None,
    }
}

/// A sampler beside every pair.
fn declare_samplers(cx: &mut Context) -> FxHashMap<GlobalId, GlobalId> {
    let mut samplers = FxHashMap::default();
    for texture in cx.program.parameters.clone() {
        let ty = cx.program.globals[texture].ty;
        let Type::Texture(t) = cx.program.types.get(cx.program.types.innermost(ty)) else { continue };
        if !t.combined {
            continue;
        }
        let sampler = cx.declare_beside(texture, Role::Sampler, "sampler", Type::Sampler(t.depth));
        samplers.insert(texture, sampler);
    }
    samplers
}

/// The heaps of the textures and of the samplers, by the heap of pairs: of that an element is named by two indices.
struct HeapParts(FxHashMap<GlobalId, [(GlobalId, TypeId); 2]>);

impl HeapParts {
    fn of(cx: &mut Context) -> HeapParts {
        let combined = cx.program.globals.iter();
        let combined = combined.filter(|(_, g)| g.kind == GlobalKind::Heap && g.heap == Some(Heap::Combined));
        let pairs: Vec<(GlobalId, TypeId, Span)> = combined.map(|(id, g)| (id, g.ty, g.span)).collect();
        let mut parts = FxHashMap::default();
        for (pair, ty, span) in pairs {
            let Type::Texture(t) = cx.program.types.get(cx.program.types.innermost(ty)) else { continue };
            let texture = Type::Texture(crate::tree::Texture { combined: false, ..t });
            parts.insert(pair, [texture, Type::Sampler(t.depth)].map(|of| heap(cx, of, span)));
        }
        HeapParts(parts)
    }

    /// The part of an element of a heap of pairs.
    fn element(&self, types: &Types, exprs: &mut ExprArena, pair: ExprId, part: i64) -> Option<ExprId> {
        let ExprKind::Index(row, second) = exprs[pair].kind else { return None };
        let ExprKind::Index(base, first) = exprs[row].kind else { return None };
        let ExprKind::Global(pairs) = exprs[base].kind else { return None };
        let [texture, sampler] = self.0.get(&pairs)?;
        let ((heap, array), index) = if part == 0 { (*texture, first) } else { (*sampler, second) };
        let span = exprs[pair].span;
        let heap = exprs.push(Expr { kind: ExprKind::Global(heap), ty: array, span });
        let ty = types.get(array).element()?;
        Some(exprs.push(Expr { kind: ExprKind::Index(heap, index), ty, span }))
    }
}

/// A heap of the target as an array of a type.
fn heap(cx: &mut Context, of: Type, span: Span) -> (GlobalId, TypeId) {
    let element = cx.program.types.intern(of);
    let ty = cx.program.types.array(element, None);
    let heap = Heap::of(of);
    let global = Global { heap: Some(heap), ..Global::new(heap.name(), ty, GlobalKind::Heap, span) };
    (cx.program.globals.push(global), ty)
}
