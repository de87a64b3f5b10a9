//! What a place in a patch has no number for is zero: D3D has two for quads and isolines, and refuses to read more.
//!
//! Before: `[domain("quad")] float4 main(float3 uv : SV_DomainLocation, ...) { return f(uv); }`
//! After:  `[domain("quad")] float4 main(float3 uv : SV_DomainLocation, ...) { return f(float3(uv.xy, 0.0)); }`
//!
//! A part of [`super::system_value_types`].

use super::Context;
use super::signatures::{domain, places};
use super::stage_io::Source;
use crate::tree::*;

/// (domain, how many numbers a place in it has).
const NUMBERS: &[(&str, u8)] = &[("tri", 3), ("quad", 2), ("isoline", 2)];

pub(super) fn run(cx: &mut Context) {
    for entry in cx.program.entry_points.clone().into_iter().filter(|e| e.stage == Stage::Domain) {
        let Some(word) = domain(cx.program, &entry) else { continue };
        let Some(count) = NUMBERS.iter().find(|(of, _)| *of == word).map(|(_, count)| *count) else { continue };
        for place in places(cx, &entry) {
            let is_location = place.leaf.semantic.as_ref().is_some_and(|(name, _)| name == "SV_DOMAINLOCATION");
            let Type::Vector(_, length) = cx.program.types.get(place.leaf.ty) else { continue };
            let Source::Param(index) = place.leaf.source else { continue };
            if is_location && length > count {
                shorten(cx.program, place.function, index, &place.leaf.path, count);
            }
        }
    }
}

/// Puts zeros in the place of numbers that are not there, wherever a function names a part of its parameter.
fn shorten(program: &mut Program, function: FunctionId, index: usize, path: &[Step], count: u8) {
    let Some(local) = program.functions[function].params.get(index).map(|p| p.local) else { return };
    let mut body = std::mem::take(&mut program.functions[function].code);
    // What a function writes it may read.
    if !program.written_locals(&body).contains(&local) {
        let live = body.expressions();
        let parents = body.exprs.parents(&live);
        for id in live {
            let parent = parents.get(&id).map(|parent| &body.exprs[*parent].kind);
            if is_part(&body.exprs, id, local, path) && !parent.is_some_and(|p| is_within(&body.exprs, p, id, count)) {
                fill(program, &mut body.exprs, id, count);
            }
        }
    }
    program.functions[function].code = body;
}

/// Whether an expression is a part of a variable.
fn is_part(exprs: &ExprArena, id: ExprId, local: LocalId, path: &[Step]) -> bool {
    match (&exprs[id].kind, path.split_last()) {
        (ExprKind::Local(own), None) => *own == local,
        (ExprKind::Field(base, index), Some((Step::Field(step), rest))) => {
            index == step && is_part(exprs, *base, local, rest)
        }
        _ => false,
    }
}

/// Whether what is around a vector takes the first numbers of it alone.
fn is_within(exprs: &ExprArena, around: &ExprKind, id: ExprId, count: u8) -> bool {
    match around {
        ExprKind::Swizzle(_, swizzle) => swizzle.list().iter().all(|component| *component < count),
        ExprKind::Index(base, index) if *base == id => {
            exprs.integer(*index).is_some_and(|index| (0..i64::from(count)).contains(&index))
        }
        _ => false,
    }
}

fn fill(program: &mut Program, exprs: &mut ExprArena, id: ExprId, count: u8) {
    let Expr { ty, span, .. } = exprs[id];
    let Type::Vector(scalar, length) = program.types.get(ty) else { return };
    let whole = exprs.displace(id);
    let mut b = Build::new(&mut program.types, exprs, span);
    let components: Vec<u8> = (0..count).collect();
    let number = b.types.scalar(scalar);
    let mut parts = vec![b.swizzle(whole, &components)];
    parts.extend((count..length).map(|_| b.number(0, number)));
    exprs[id] = Expr { kind: ExprKind::Construct(parts), ty, span };
}
