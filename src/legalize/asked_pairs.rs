//! A texture and its sampler become one combined texture where the source or an option asks for it.
//!
//! Before: `Texture2D albedo; SamplerState linear;   albedo.Sample(linear, uv)    albedo.Load(p)`
//! After:  `Sampler2D albedo;                        albedo.Sample(uv)            albedo.Load(p)`
//!
//! `--combine-samplers` asks for all textures, `[[vk::combinedImageSampler]]` for a texture and a sampler that have one binding (DXC's
//! SPIR-V manual, "Combined image sampler"). The combined texture has the name and the binding of the texture; those of the sampler
//! stay free. A texture that is read through several samplers, is an element of an array or is handed on to a function stays apart,
//! with a warning if the option asks for it. Languages whose textures are combined in any case do that in [`super::sampler_pairs`].

use super::sampler_pairs::{Half, combined, compares, resources, uses_of};
use super::{Context, Pass};
use crate::diagnostic::{Code, Diagnostic};
use crate::lex::Comment;
use crate::source::Span;
use crate::target::Capability;
use crate::tree::{Access, ExprId, ExprKind, FunctionBody, Global, GlobalId, Item, Program, SamplerPair, Type, TypeId};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PASS: Pass = Pass {
    name: "asked_pairs",
    always: Some("an option or an attribute asks for it"),
    after: &["sampler_pairs"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let has = |capability| cx.profile.has(capability);
    match (has(Capability::CombinedSamplers), has(Capability::SeparateSamplers)) {
        (true, true) => combine(cx),
        // All of them are combined already.
        (true, false) => {}
        (false, _) => report_kept(cx),
    }
}

/// Warns once that the option is given in vain.
fn report_kept(cx: &mut Context) {
    let is_texture = |g: &&Global| matches!(cx.program.types.get(g.ty), Type::Texture(t) if t.access == Access::Read);
    let globals = cx.program.parameters.iter().map(|id| &cx.program.globals[*id]);
    if let Some(texture) = globals.filter(|_| cx.options.combine_samplers).find(is_texture) {
        let message = format!("`combine-samplers` does nothing for {}: it has no combined textures", cx.profile.name);
        cx.diags.push(Diagnostic::warning(Code::OMITTED, texture.span, message));
    }
}

/// How a texture is read.
#[derive(Default)]
struct Reads {
    samplers: BTreeSet<GlobalId>,
    /// It is read without a sampler, too.
    alone: bool,
    /// Where it is used in another way.
    elsewhere: Option<Span>,
}

fn combine(cx: &mut Context) {
    let all = resources(cx.program);
    let reads = reads(cx.program, &all);
    let mut pairs: BTreeMap<GlobalId, GlobalId> = BTreeMap::new();
    let mut warnings = Vec::new();
    for (texture, reads) in &reads {
        match sampler_of(cx.program, *texture, reads) {
            Ok(sampler) if cx.options.combine_samplers || is_asked(cx.program, *texture, sampler) => {
                pairs.insert(*texture, sampler);
            }
            Err(why) if cx.options.combine_samplers => warnings.extend(why.map(|warning| *warning)),
            Ok(_) | Err(_) => {}
        }
    }
    if cx.options.combine_samplers {
        warnings.extend(arrays(cx.program));
    }
    warnings.into_iter().for_each(|warning| cx.diags.push(warning));
    if !pairs.is_empty() {
        join(cx.program, &all, &pairs);
    }
}

/// How the textures are read that are read through samplers.
fn reads(program: &Program, all: &BTreeMap<GlobalId, Half>) -> BTreeMap<GlobalId, Reads> {
    let mut found: BTreeMap<GlobalId, Reads> = BTreeMap::new();
    program.each_exprs(&mut |exprs, live| {
        let mut covered: BTreeSet<ExprId> = BTreeSet::new();
        // A function of the source takes both by itself.
        let is_read = |id: &ExprId| match &exprs[*id].kind {
            ExprKind::Call(f, _) => !matches!(program.functions[*f].body, FunctionBody::Block),
            _ => true,
        };
        let calls: Vec<ExprId> = live.iter().copied().filter(is_read).collect();
        for (texture, sampler, ids) in uses_of(all, exprs, &calls) {
            covered.extend(ids);
            let reads = found.entry(texture).or_default();
            reads.samplers.extend(sampler);
            reads.alone |= sampler.is_none();
        }
        for id in live.iter().filter(|id| !covered.contains(id)) {
            if let ExprKind::Global(g) = exprs[*id].kind
                && all.get(&g) == Some(&Half::Texture)
            {
                found.entry(g).or_default().elsewhere = Some(exprs[*id].span);
            }
        }
    });
    found
}

/// The sampler that a texture can be combined with, or why it stays apart; nothing needs to be said if no sampler reads it.
fn sampler_of(program: &Program, texture: GlobalId, reads: &Reads) -> Result<GlobalId, Option<Box<Diagnostic>>> {
    let (name, span) = (program.globals[texture].name, program.globals[texture].span);
    let warning = |why: String| Diagnostic::warning(Code::OMITTED, span, format!("`{name}` is not combined: {why}"));
    let apart = |why: String| Err(Some(Box::new(warning(why))));
    let mut samplers = reads.samplers.iter().copied();
    let (first, second) = (samplers.next(), samplers.next());
    match (first, second, reads.elsewhere) {
        (_, _, Some(at)) => Err(Some(Box::new(warning("it is handed on to a function".to_owned()).label(at, "here")))),
        (None, ..) => Err(None),
        (Some(one), Some(other), _) => {
            let [one, other] = [one, other].map(|sampler| program.globals[sampler].name);
            apart(format!("it is read through `{one}` and through `{other}`"))
        }
        (Some(sampler), None, _) if reads.alone && compares(program, sampler) => {
            apart(format!("it is read without `{}`, which compares, too", program.globals[sampler].name))
        }
        (Some(sampler), None, _) => Ok(sampler),
    }
}

/// Whether the source says that both are one descriptor.
fn is_asked(program: &Program, texture: GlobalId, sampler: GlobalId) -> bool {
    let [texture, sampler] = [texture, sampler].map(|id| &program.globals[id]);
    let asks = texture.is_combined_image() && sampler.is_combined_image();
    asks && texture.binding.is_some() && texture.binding == sampler.binding
}

/// Arrays of textures, which stay apart.
fn arrays(program: &Program) -> Vec<Diagnostic> {
    let is_texture = |ty| matches!(program.types.get(ty), Type::Texture(t) if t.access == Access::Read && !t.combined);
    let globals = program.parameters.iter().map(|id| &program.globals[*id]);
    let arrays = globals.filter(|g| program.types.innermost(g.ty) != g.ty && is_texture(program.types.innermost(g.ty)));
    let warning = |g: &Global| {
        Diagnostic::warning(Code::OMITTED, g.span, format!("`{}` is not combined: it is an array", g.name))
    };
    arrays.map(warning).collect()
}

/// Puts combined textures in the places of textures and of their samplers.
fn join(program: &mut Program, all: &BTreeMap<GlobalId, Half>, pairs: &BTreeMap<GlobalId, GlobalId>) {
    let mut types: BTreeMap<GlobalId, TypeId> = BTreeMap::new();
    for (&texture, &sampler) in pairs {
        let ty = combined(program, program.globals[texture].ty, compares(program, sampler));
        let origin = program.globals[sampler].origin;
        let global = &mut program.globals[texture];
        global.ty = ty;
        global.pair = Some(SamplerPair { sampler: Some(origin), first: true });
        types.insert(texture, ty);
    }
    let mut left: BTreeSet<GlobalId> = BTreeSet::new();
    program.each_exprs_mut(&mut |_, exprs, live| {
        for (texture, _, ids) in uses_of(all, exprs, live) {
            let Some(ty) = types.get(&texture) else { continue };
            for id in ids {
                exprs[id].kind = ExprKind::Global(texture);
                exprs[id].ty = *ty;
            }
        }
        let globals = live.iter().filter_map(|id| match exprs[*id].kind {
            ExprKind::Global(g) => Some(g),
            _ => None,
        });
        left.extend(globals);
    });
    let mut gone: BTreeSet<GlobalId> = BTreeSet::new();
    for (&texture, &sampler) in pairs.iter().filter(|(_, sampler)| !left.contains(sampler)) {
        if gone.insert(sampler) {
            take_comments(program, texture, sampler);
        }
    }
    for sampler in gone {
        program.items.remove(Item::Global(sampler));
        program.parameters.remove(sampler);
    }
}

/// What the source says beside a sampler stands beside its texture.
fn take_comments(program: &mut Program, texture: GlobalId, sampler: GlobalId) {
    let taken = std::mem::take(&mut program.globals[sampler].comments);
    let comments = &mut program.globals[texture].comments;
    let behind = comments.iter().position(|comment| comment.trailing).unwrap_or(comments.len());
    let has_trailing = behind < comments.len();
    for comment in taken.into_iter().rev() {
        let trailing = comment.trailing && !has_trailing;
        comments.insert(behind, Comment { trailing, blank_before: false, ..comment });
    }
}
