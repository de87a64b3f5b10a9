//! Textures and the samplers that they are read through become combined textures.
//!
//! Before: `Texture2D albedo; SamplerState linear;   albedo.Sample(linear, uv)    albedo.Load(p)`
//! After:  `Sampler2D albedo;                        albedo.Sample(uv)            albedo.Load(p)`
//!
//! The first sampler that a texture is read through, in the order of declarations, leaves it its name and its unit. With each
//! further one it is `texture_sampler`, with a unit behind those of all declared textures, in the order of the textures and
//! then of the samplers. Reads without a sampler are through the first that does not compare, and without any are a texture by
//! itself, which is the first.
//!
//! It comes after the passes that make each texture and sampler a global of its own, and those that make textures.

use super::needs::Find;
use super::{Context, Pass};
use crate::layout::{Leaf, ProgramLayout, Unit};
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::{
    Access, Binding, ExprArena, ExprId, ExprKind, Global, GlobalId, Item, LeafId, Origin, Program, SamplerPair,
    Texture, Type, TypeId,
};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PASS: Pass = Pass {
    name: "sampler_pairs",
    removes: &[(
        Capability::SeparateSamplers,
        Find::Type(|_, t| match t {
            Type::Sampler(_) => true,
            Type::Texture(t) => !t.combined && t.access == Access::Read,
            _ => false,
        }),
    )],
    after: &["resolve_resources", "resource_arrays", "subpass_inputs", "texel_buffers"],
    run,
    ..Pass::ROW
};

/// A texture with a sampler, or alone.
type Pair = (GlobalId, Option<GlobalId>);

fn run(cx: &mut Context) {
    let all = resources(cx.program);
    let mut found: BTreeSet<Pair> = BTreeSet::new();
    cx.program.each_exprs(&mut |exprs, live| {
        found.extend(uses_of(&all, exprs, live).into_iter().map(|(texture, sampler, _)| (texture, sampler)));
    });
    let pairs = declare(cx, &found);
    let program = &mut *cx.program;
    let types: BTreeMap<GlobalId, TypeId> = pairs.values().map(|g| (*g, program.globals[*g].ty)).collect();
    program.each_exprs_mut(&mut |_, exprs, live| {
        for (texture, sampler, ids) in uses_of(&all, exprs, live) {
            let Some(pair) = pairs.get(&(texture, sampler)) else { continue };
            for id in ids {
                exprs[id].kind = ExprKind::Global(*pair);
                exprs[id].ty = types.get(pair).copied().unwrap_or(TypeId::ERROR);
            }
        }
    });
    for id in all.into_keys().filter(|id| !types.contains_key(id)) {
        program.items.remove(Item::Global(id));
        program.parameters.remove(id);
    }
}

/// Whether a global is a texture that is read, or a sampler.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Texture,
    Sampler,
}

/// The textures and samplers of a program.
pub(super) fn resources(program: &Program) -> BTreeMap<GlobalId, Half> {
    let half = |g: &Global| match program.types.get(g.ty) {
        Type::Texture(t) if t.access == Access::Read && !t.combined => Some(Half::Texture),
        Type::Sampler(_) => Some(Half::Sampler),
        _ => None,
    };
    program.globals.iter().filter_map(|(id, g)| Some((id, half(g)?))).collect()
}

/// Each texture among the arguments of one call, with the sampler beside it, and the expressions of both.
pub(super) fn uses_of(
    all: &BTreeMap<GlobalId, Half>,
    exprs: &ExprArena,
    live: &[ExprId],
) -> Vec<(GlobalId, Option<GlobalId>, Vec<ExprId>)> {
    let of = |id: &ExprId, half: Half| match exprs[*id].kind {
        ExprKind::Global(g) if all.get(&g) == Some(&half) => Some((g, *id)),
        _ => None,
    };
    let mut found = Vec::new();
    for &id in live {
        let (ExprKind::Call(_, args) | ExprKind::Native(_, args)) = &exprs[id].kind else { continue };
        let sampler = args.iter().find_map(|a| of(a, Half::Sampler));
        if let Some((texture, at)) = args.iter().find_map(|a| of(a, Half::Texture)) {
            let ids = [Some(at), sampler.map(|(_, id)| id)].into_iter().flatten().collect();
            found.push((texture, sampler.map(|(g, _)| g), ids));
        }
    }
    found
}

/// The combined texture of each pair.
fn declare(cx: &mut Context, pairs: &BTreeSet<Pair>) -> BTreeMap<Pair, GlobalId> {
    let mut made = BTreeMap::new();
    let mut next = units(cx.program, cx.layout);
    let mut textures: Vec<GlobalId> = pairs.iter().map(|(texture, _)| *texture).collect();
    textures.dedup();
    textures.sort_by_key(|g| order(cx, *g));
    for texture in textures {
        let mut behind = texture;
        let original = cx.program.globals[texture].clone();
        for (index, (sampler, of)) in halves(cx, pairs, texture).into_iter().enumerate() {
            let mut global = original.clone();
            let compares = sampler.is_some_and(|s| compares(cx.program, s));
            global.ty = combined(cx.program, original.ty, compares);
            let origin = sampler.map(|s| cx.program.globals[s].origin);
            global.pair = Some(SamplerPair { sampler: origin, first: index == 0 });
            behind = if index == 0 {
                cx.program.globals[texture] = global;
                texture
            } else {
                if let Some(sampler) = sampler {
                    global.name = Symbol::new(&format!("{}_{}", original.name, cx.program.globals[sampler].name));
                }
                global.binding = original.binding.map(|unit| Binding { index: next, ..unit });
                global.comments = Vec::new();
                if global.binding.is_some_and(|b| b.index > cx.profile.facts.numbers.slot) {
                    let message = format!("`{}` has texture unit {next}, which is too large here", global.name);
                    cx.unsupported(global.span, message);
                }
                next = next.saturating_add(1);
                cx.declare_behind(behind, global)
            };
            made.extend(of.into_iter().map(|sampler| ((texture, sampler), behind)));
        }
    }
    made
}

/// What a texture is combined with, in order, and for which pairs each stands. Reads without a sampler are through the first
/// that does not compare.
fn halves(cx: &Context, pairs: &BTreeSet<Pair>, texture: GlobalId) -> Vec<(Option<GlobalId>, Vec<Option<GlobalId>>)> {
    let mut samplers: Vec<GlobalId> = pairs.iter().filter(|p| p.0 == texture).filter_map(|p| p.1).collect();
    samplers.sort_by_key(|g| order(cx, *g));
    let mut halves: Vec<_> = samplers.into_iter().map(|s| (Some(s), vec![Some(s)])).collect();
    if pairs.contains(&(texture, None)) {
        match halves.iter_mut().find(|(s, _)| s.is_some_and(|s| !compares(cx.program, s))) {
            Some((_, of)) => of.push(None),
            None => halves.insert(0, (None, vec![None])),
        }
    }
    halves
}

/// The order of declarations.
fn order(cx: &Context, id: GlobalId) -> (Option<LeafId>, u32, GlobalId) {
    let origin = cx.program.globals[id].origin;
    match origin {
        Origin::Element(leaf, element) => (Some(leaf), element, id),
        _ => (cx.layout.leaves.leaf_of(origin), 0, id),
    }
}

/// Whether a sampler compares.
pub(super) fn compares(program: &Program, sampler: GlobalId) -> bool {
    matches!(program.types.get(program.globals[sampler].ty), Type::Sampler(true))
}

/// The first unit behind those of all textures that are declared, and of elements of arrays without a size.
fn units(program: &Program, layout: &ProgramLayout) -> u32 {
    let is_sized = |leaf: &&Leaf| leaf.dimensions.iter().all(|d| d.count.is_some());
    let textures = layout.leaves.iter().map(|(_, leaf)| leaf).filter(|leaf| leaf.unit == Some(Unit::ShaderResource));
    let ends = textures.filter(is_sized).map(|leaf| leaf.index().saturating_add(leaf.elements()));
    let bound =
        program.globals.iter().filter_map(|(_, g)| g.binding).filter(|b| b.class == Unit::ShaderResource.class());
    let end = ends.chain(bound.map(|b| u64::from(b.index).saturating_add(1))).max().unwrap_or(0);
    u32::try_from(end).unwrap_or(u32::MAX)
}

/// The type of a texture with its sampler.
pub(super) fn combined(program: &mut Program, ty: TypeId, compares: bool) -> TypeId {
    match program.types.get(ty) {
        Type::Texture(t) => program.types.intern(Type::Texture(Texture { combined: true, depth: compares, ..t })),
        _ => ty,
    }
}
