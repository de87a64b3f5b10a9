//! A gather with an offset for each texel takes each texel from a gather with its offset, where the target wants the four to be
//! constant and they are not.
//!
//! Before: `t.GatherRed(s, uv, a, b, c, d)`
//! After:  `float4 gatherEach(Texture2D t, SamplerState s, float2 uv, int2 a, int2 b, int2 c, int2 d)
//!          { return float4(gather(t, s, uv, a).x, gather(t, s, uv, b).y, gather(t, s, uv, c).z, gather(t, s, uv, d).w); }`
//!
//! The library marks such builtins with `[__one_offset("...")]`: the spelling with the first of the offsets, which are the last
//! parameters. A component before them is known.

use super::combined_samplers::part as part_of_pair;
use super::constant_parameters::{EACH, is_known_offset};
use super::needs::lacks;
use super::{Context, Pass};
use crate::check::constant::eval;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass = Pass {
    name: "varying_gathers",
    lessens: &[Capability::VaryingOffsets],
    // The calls that it makes have more arguments.
    adds: &[Capability::ArgumentsInOrder],
    after: &["constant_parameters"],
    run,
    ..Pass::ROW
};

/// How many texels a gather gives.
const TEXELS: usize = 4;

/// What tells the functions that gather once for each texel apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct GatherKey {
    builtin: FunctionId,
    /// The parameter for the component, with its value.
    component: Option<(usize, i64)>,
    pair: Option<GatheredPair>,
}

/// A texture with its sampler, which a function takes as one, and the builtins that give its parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct GatheredPair {
    ty: TypeId,
    parts: [FunctionId; 2],
}

fn run(cx: &mut Context) {
    let mut made: FxHashMap<GatherKey, FunctionId> = FxHashMap::default();
    let marked = cx.program.marked(EACH);
    cx.each_exprs(&mut |cx, exprs, live| {
        for id in live {
            let ExprKind::Call(builtin, args) = exprs[*id].kind.clone() else { continue };
            let Some(first) = args.len().checked_sub(TEXELS).filter(|_| marked.contains(&builtin)) else { continue };
            // What a helper calls has no type of its own to be an error of.
            if lacks(cx.program, cx.profile, exprs, *id) {
                continue;
            }
            let offsets = args.get(first..).unwrap_or_default();
            let known = component_of(cx.program, builtin).and_then(|at| Some((at, *args.get(at)?)));
            let known = known.map(|(at, e)| (at, eval(cx.program, exprs, e).ok().and_then(|value| value.int())));
            let component = match known {
                Some((_, None)) => continue,
                Some((at, Some(value))) => Some((at, value)),
                None => None,
            };
            if offsets.iter().all(|offset| is_known_offset(cx.program, exprs, *offset)) {
                continue;
            }
            let pair = pair(cx.program, exprs, &args);
            let key = GatherKey { builtin, component, pair: pair.map(|(pair, _)| pair) };
            let helper = match made.get(&key) {
                Some(helper) => *helper,
                None => {
                    let Some(helper) = helper(cx.program, key) else { continue };
                    made.insert(key, helper);
                    helper
                }
            };
            let given = args.into_iter().enumerate();
            let given = given.filter(|(at, _)| component.is_none_or(|(own, _)| own != *at)).map(|(_, arg)| arg);
            let given = match pair {
                Some((_, whole)) => std::iter::once(whole).chain(given.skip(2)).collect(),
                None => given.collect(),
            };
            exprs[*id].kind = ExprKind::Call(helper, given);
        }
    });
}

/// The pair whose parts the texture and the sampler of a gather are.
fn pair(program: &Program, exprs: &ExprArena, args: &[ExprId]) -> Option<(GatheredPair, ExprId)> {
    let part = |arg: &ExprId, number: i64| match &exprs[*arg].kind {
        ExprKind::Call(f, given) if part_of_pair(program, *f) == Some(number) => Some((*f, *given.first()?)),
        _ => None,
    };
    let [texture, sampler, ..] = args else { return None };
    let ((texture, whole), (sampler, _)) = (part(texture, 0)?, part(sampler, 1)?);
    Some((GatheredPair { ty: exprs[whole].ty, parts: [texture, sampler] }, whole))
}

/// The parameter for the component, if there is one: what stands before the offsets and is constant.
fn component_of(program: &Program, builtin: FunctionId) -> Option<usize> {
    let params = &program.functions[builtin].params;
    let at = params.len().checked_sub(TEXELS + 1)?;
    params.get(at)?.constant.then_some(at)
}

/// The function that gathers once for each texel.
fn helper(program: &mut Program, key: GatherKey) -> Option<FunctionId> {
    let mut function = program.functions[key.builtin].clone();
    let AttributeArg::Text(spelling) = function.attribute(EACH)?.args.first()? else { return None };
    let template = Template::parse(spelling.as_str()).ok()?;
    let (result, span) = (function.result, function.span);
    let first = function.params.len().checked_sub(TEXELS)?;
    let mut code = Body { locals: function.code.locals.clone(), ..Body::default() };
    let whole = function.params.first()?.local;
    if let Some(pair) = key.pair {
        code.locals[whole].ty = pair.ty;
    }
    let mut b = Build::new(&mut program.types, &mut code.exprs, span);
    let mut texels = Vec::new();
    for texel in 0..TEXELS {
        let own = first + texel;
        let mut args = Vec::new();
        for (at, param) in function.params.iter().enumerate().filter(|(at, _)| *at < first || *at == own) {
            let part = key.pair.and_then(|pair| Some((pair.ty, *pair.parts.get(at)?)));
            let ty = function.code.locals[param.local].ty;
            args.push(match (part, key.component.filter(|(own, _)| *own == at)) {
                (Some((pair, part)), _) => {
                    let pair = b.local(whole, pair);
                    b.call(part, vec![pair], ty)
                }
                (None, Some((_, value))) => b.int(value),
                (None, None) => b.local(param.local, ty),
            });
        }
        let gathered = b.native(template.clone(), args, result);
        texels.push(b.swizzle(gathered, &[texel as u8]));
    }
    let value = b.construct(texels, result);
    code.block.stmts.push(Stmt::new(StmtKind::Return(Some(value)), span));
    if let Some((at, _)) = key.component {
        function.params.remove(at);
    }
    if key.pair.is_some() && function.params.len() > 1 {
        function.params.remove(1);
    }
    function.params.iter_mut().for_each(|param| param.constant = false);
    function.name = crate::symbol::Symbol::new("gatherEach");
    (function.body, function.code, function.owner) = (FunctionBody::Block, code, None);
    function.attributes.clear();
    function.comments.clear();
    let id = program.functions.push(function);
    program.items.put_before(Some(Item::Function(key.builtin)), Item::Function(id));
    Some(id)
}
