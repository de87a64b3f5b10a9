//! A texture and its sampler become one combined texture where the source or an option asks for it.
//!
//! Before: `Texture2D albedo; SamplerState linear;   albedo.Sample(linear, uv)    albedo.Load(p)`
//! After:  `Sampler2D albedo;                        albedo.Sample(uv)            albedo.Load(p)`
//!
//! `--combine-samplers` asks for all textures, `[[vk::combinedImageSampler]]` for a texture and a sampler that have one binding (DXC's
//! SPIR-V manual, "Combined image sampler"). The combined texture has the name and the binding of the texture; those of the sampler
//! stay free. Elements of an array are combined alike. A function that is given a texture and its sampler is given the combined
//! texture alone, if all that call it have one. A texture that is read through several samplers stays apart, with a warning if the
//! option asks for it. Languages whose textures are combined in any case do that in [`super::sampler_pairs`].

mod places;

use super::sampler_pairs::{combined, compares};
use super::{Context, Pass};
use crate::diagnostic::{Code, Diagnostic};
use crate::lex::Comment;
use crate::target::Capability;
use crate::tree::{
    Access, Body, ExprId, ExprKind, FunctionBody, FunctionId, Global, GlobalId, Item, LocalId, Param, Program,
    SamplerPair, Type, TypeId,
};
use places::{Handed, Reads, TextureFlow, TexturePlace};
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

fn combine(cx: &mut Context) {
    let flow = TextureFlow::of(cx.program);
    let mut pairs = TexturePairs::new();
    let mut warnings = Vec::new();
    for (place, reads) in &flow.reads {
        match *place {
            TexturePlace::Global(texture) => match sampler_of(cx.program, texture, reads) {
                Ok(sampler) if cx.options.combine_samplers || is_asked(cx.program, texture, sampler) => {
                    pairs.insert(*place, Some(TexturePlace::Global(sampler)));
                }
                Err(why) => warnings.extend(why.map(|warning| *warning)),
                Ok(_) => {}
            },
            TexturePlace::Param(..) => {
                let mut samplers = reads.samplers.iter().copied();
                let (first, second) = (samplers.next(), samplers.next());
                let reads_texels = reads.alone && first.is_some_and(|sampler| compares_at(cx.program, sampler));
                if second.is_none() && reads.elsewhere.is_none() && !reads_texels {
                    pairs.insert(*place, first);
                }
            }
        }
    }
    let kinds = agree(cx.program, &flow, &mut pairs, &mut warnings);
    warnings.into_iter().filter(|_| cx.options.combine_samplers).for_each(|warning| cx.diags.push(warning));
    if !pairs.is_empty() {
        join(cx.program, &pairs, &kinds);
    }
}

/// Textures that are to be combined, with their samplers; a parameter may be read without one.
type TexturePairs = BTreeMap<TexturePlace, Option<TexturePlace>>;

/// Leaves those that agree with what they are handed on to and with what is handed on to them. Gives which are compared.
fn agree(
    program: &Program,
    flow: &TextureFlow,
    pairs: &mut TexturePairs,
    warnings: &mut Vec<Diagnostic>,
) -> BTreeMap<TexturePlace, bool> {
    let compared =
        |(place, sampler): (&TexturePlace, &Option<TexturePlace>)| Some((*place, compares_at(program, (*sampler)?)));
    let mut kinds: BTreeMap<TexturePlace, bool> = pairs.iter().filter_map(compared).collect();
    // Callers come last.
    for handed in flow.handed.iter().rev() {
        if let Some(kind) = kinds.get(&handed.from).copied() {
            kinds.entry(handed.to).or_insert(kind);
        }
    }
    loop {
        let differs = |h: &&Handed| {
            let [from, to] = [h.from, h.to].map(|place| pairs.contains_key(&place));
            from != to || from && kinds.get(&h.from) != kinds.get(&h.to)
        };
        let Some(handed) = flow.handed.iter().find(differs) else { return kinds };
        for place in [handed.from, handed.to] {
            if let (Some(_), TexturePlace::Global(texture)) = (pairs.remove(&place), place) {
                let why = "it is handed on to a function that is given textures that stay apart";
                warnings.push(apart(program, texture, why).label(handed.at, "here"));
            }
        }
    }
}

/// Whether a sampler compares.
fn compares_at(program: &Program, sampler: TexturePlace) -> bool {
    let ty = match sampler {
        TexturePlace::Global(id) => program.globals[id].ty,
        TexturePlace::Param(function, local) => program.functions[function].code.locals[local].ty,
    };
    matches!(program.types.get(ty), Type::Sampler(true))
}

fn apart(program: &Program, texture: GlobalId, why: &str) -> Diagnostic {
    let Global { name, span, .. } = &program.globals[texture];
    Diagnostic::warning(Code::OMITTED, *span, format!("`{name}` is not combined: {why}"))
}

/// The sampler that a texture can be combined with, or why it stays apart; nothing needs to be said if no sampler reads it.
fn sampler_of(program: &Program, texture: GlobalId, reads: &Reads) -> Result<GlobalId, Option<Box<Diagnostic>>> {
    let refuse = |why: &str| Err(Some(Box::new(apart(program, texture, why))));
    let globals: Vec<GlobalId> = reads.samplers.iter().filter_map(|sampler| sampler.global()).collect();
    match (globals.as_slice(), reads.elsewhere) {
        (_, Some((at, why))) => Err(Some(Box::new(apart(program, texture, why).label(at, "here")))),
        ([], _) => Err(None),
        ([sampler], _) if reads.alone && compares(program, *sampler) => {
            refuse(&format!("it is read without `{}`, which compares, too", program.globals[*sampler].name))
        }
        ([sampler], _) => Ok(*sampler),
        ([one, other, ..], _) => {
            let [one, other] = [one, other].map(|sampler| program.globals[*sampler].name);
            refuse(&format!("it is read through `{one}` and through `{other}`"))
        }
    }
}

/// Whether the source says that both are one descriptor.
fn is_asked(program: &Program, texture: GlobalId, sampler: GlobalId) -> bool {
    let [texture, sampler] = [texture, sampler].map(|id| &program.globals[id]);
    let asks = texture.is_combined_image() && sampler.is_combined_image();
    asks && texture.binding.is_some() && texture.binding == sampler.binding
}

/// Puts combined textures in the places of textures and of their samplers.
fn join(program: &mut Program, pairs: &TexturePairs, kinds: &BTreeMap<TexturePlace, bool>) {
    let functions: Vec<FunctionId> = program.reachable_functions();
    let functions: Vec<FunctionId> =
        functions.into_iter().filter(|id| matches!(program.functions[*id].body, FunctionBody::Block)).collect();
    // Found before types change.
    let uses: Vec<Vec<TextureRead>> = functions.iter().map(|id| reads_in(program, *id, pairs)).collect();
    for (place, sampler) in pairs {
        combine_at(program, *place, *sampler, kinds.get(place) == Some(&true));
    }
    // The parameters that functions have lost, by their indices; callees come first.
    let mut lost: BTreeMap<FunctionId, Vec<usize>> = BTreeMap::new();
    for (&id, uses) in functions.iter().zip(&uses) {
        let kinds = |place: &TexturePlace| kinds.get(place) == Some(&true);
        let gone = program.lend_code(id, |program, body| rewrite(program, body, uses, &kinds, &lost));
        let params = &mut program.functions[id].params;
        let is_gone = |param: &Param| gone.contains(&param.local);
        let indices: Vec<usize> = params.iter().enumerate().filter(|(_, p)| is_gone(p)).map(|(at, _)| at).collect();
        if !indices.is_empty() {
            params.retain(|param| !is_gone(param));
            lost.insert(id, indices);
        }
    }
    remove_samplers(program, pairs);
}

/// A call that is given a texture that is to be combined: the element of an array with what is around it, and the sampler.
struct TextureRead {
    place: TexturePlace,
    path: Vec<ExprId>,
    sampler: Option<ExprId>,
}

fn reads_in(program: &Program, id: FunctionId, pairs: &TexturePairs) -> Vec<TextureRead> {
    let body = &program.functions[id].code;
    let mut reads = Vec::new();
    for &call in body.live().iter() {
        if let Some((_, args)) = places::called(program, &body.exprs, call) {
            let textures = args.iter().filter(|arg| places::is_texture(program, body.exprs[**arg].ty));
            let given = textures.filter_map(|arg| Some((*arg, places::place(program, id, &body.exprs, *arg)?)));
            reads.extend(given.map(|(arg, place)| TextureRead {
                place,
                path: places::path(&body.exprs, arg),
                sampler: None,
            }));
        } else if let Some(used) = places::used(program, id, &body.exprs, call) {
            let sampler = used.sampler.map(|(at, _)| at);
            reads.push(TextureRead { place: used.place, path: places::path(&body.exprs, used.texture), sampler });
        }
    }
    reads.retain(|read| pairs.contains_key(&read.place));
    reads
}

/// Makes a parameter a combined texture.
fn combine_at(program: &mut Program, place: TexturePlace, sampler: Option<TexturePlace>, compares: bool) {
    match place {
        TexturePlace::Global(texture) => {
            let ty = combined_in(program, program.globals[texture].ty, compares);
            let origin = sampler.and_then(TexturePlace::global).map(|sampler| program.globals[sampler].origin);
            let global = &mut program.globals[texture];
            global.ty = ty;
            global.pair = Some(SamplerPair { sampler: origin, first: true });
        }
        TexturePlace::Param(function, local) => {
            let ty = combined_in(program, program.functions[function].code.locals[local].ty, compares);
            program.functions[function].code.locals[local].ty = ty;
        }
    }
}

/// The combined texture of a texture, or the array of them.
fn combined_in(program: &mut Program, ty: TypeId, compares: bool) -> TypeId {
    let inner = combined(program, program.types.innermost(ty), compares);
    program.types.beside(ty, inner)
}

/// Rewrites what is read and handed on. Gives the samplers that the function is given and needs no more.
fn rewrite(
    program: &mut Program,
    body: &mut Body,
    uses: &[TextureRead],
    compares: &dyn Fn(&TexturePlace) -> bool,
    lost: &BTreeMap<FunctionId, Vec<usize>>,
) -> BTreeSet<LocalId> {
    let before = mentioned(program, body);
    for TextureRead { place, path, sampler } in uses {
        for id in path {
            body.exprs[*id].ty = combined_in(program, body.exprs[*id].ty, compares(place));
        }
        if let (Some(sampler), Some(texture)) = (sampler, path.first()) {
            let copy = body.exprs.duplicate(*texture);
            body.exprs.replace_by(*sampler, copy);
        }
    }
    for id in body.expressions() {
        if let ExprKind::Call(callee, args) = &body.exprs[id].kind
            && let Some(indices) = lost.get(callee)
        {
            let kept = args.iter().enumerate().filter(|(at, _)| !indices.contains(at)).map(|(_, arg)| *arg);
            body.exprs[id].kind = ExprKind::Call(*callee, kept.collect());
        }
    }
    before.difference(&mentioned(program, body)).copied().collect()
}

/// The variables that are samplers and are mentioned.
fn mentioned(program: &Program, body: &Body) -> BTreeSet<LocalId> {
    let sampler = |id: &ExprId| match body.exprs[*id].kind {
        ExprKind::Local(local) if places::is_sampler(program, body.exprs[*id].ty) => Some(local),
        _ => None,
    };
    body.live().iter().filter_map(sampler).collect()
}

/// Removes samplers that nothing is read through any more.
fn remove_samplers(program: &mut Program, pairs: &TexturePairs) {
    let mut left: BTreeSet<GlobalId> = BTreeSet::new();
    program.each_exprs(&mut |exprs, live| {
        let globals = live.iter().filter_map(|id| match exprs[*id].kind {
            ExprKind::Global(g) => Some(g),
            _ => None,
        });
        left.extend(globals);
    });
    let of_globals =
        pairs.iter().filter_map(|(place, sampler)| Some((place.global()?, sampler.and_then(TexturePlace::global)?)));
    let mut gone: BTreeSet<GlobalId> = BTreeSet::new();
    for (texture, sampler) in of_globals.filter(|(_, sampler)| !left.contains(sampler)) {
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
        comments.insert(behind, Comment { trailing, blank_before: false, blank_after: false, ..comment });
    }
}
