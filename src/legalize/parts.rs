//! Parts of arguments: a polyfill that wants `location.xy` and `location.z` of `float3(uv, layer)` gets `uv` and `layer`.

use crate::tree::{
    BinaryOp, Body, Effects, Expr, ExprArena, ExprId, ExprKind, Literal, LocalId, Scalar, Swizzle, Type, TypeId, Types,
    analyses::is_trivial,
};
use rustc_hash::FxHashMap;

/// Scalar and length of a scalar or vector.
fn shape(types: &Types, ty: TypeId) -> Option<(Scalar, u8)> {
    match types.get(ty) {
        Type::Scalar(s) => Some((s, 1)),
        Type::Vector(s, n) => Some((s, n)),
        _ => None,
    }
}

/// Writes truncations of vectors and their elements by a constant as swizzles.
pub(super) fn as_swizzles(types: &Types, body: &mut Body) {
    for id in body.expressions() {
        let exprs = &body.exprs;
        let swizzle = match exprs[id].kind {
            ExprKind::Convert(inner, _) => match (shape(types, exprs[inner].ty), shape(types, exprs[id].ty)) {
                (Some((a, n)), Some((b, m))) if a == b && m < n => Some((inner, (0..m).collect::<Vec<u8>>())),
                _ => None,
            },
            ExprKind::Index(base, index) => match (types.get(exprs[base].ty), constant(exprs, index, 8)) {
                (Type::Vector(_, n), Some(c)) if (0..i64::from(n)).contains(&c) => Some((base, vec![c as u8])),
                _ => None,
            },
            _ => None,
        };
        if let Some((inner, list)) = swizzle {
            body.exprs[id].kind = ExprKind::Swizzle(inner, Swizzle::new(&list));
        }
    }
}

/// The value of a sum of literals.
fn constant(exprs: &ExprArena, id: ExprId, depth: u32) -> Option<i64> {
    let depth = depth.checked_sub(1)?;
    match exprs[id].kind {
        ExprKind::Literal(Literal::Int(i), _) => Some(i),
        ExprKind::Convert(inner, _) => constant(exprs, inner, depth),
        ExprKind::Binary(BinaryOp::Add, a, b) => constant(exprs, a, depth)?.checked_add(constant(exprs, b, depth)?),
        _ => None,
    }
}

/// Locals of which only parts are mentioned below `root`, with these parts.
pub(super) fn mentioned(exprs: &ExprArena, root: ExprId) -> FxHashMap<LocalId, Vec<Swizzle>> {
    let mut parts: FxHashMap<LocalId, Vec<Swizzle>> = FxHashMap::default();
    let mut mentions: FxHashMap<LocalId, usize> = FxHashMap::default();
    for id in exprs.post_order(root) {
        match exprs[id].kind {
            ExprKind::Local(l) => *mentions.entry(l).or_default() += 1,
            ExprKind::Swizzle(inner, swizzle) => {
                if let ExprKind::Local(l) = exprs[inner].kind {
                    parts.entry(l).or_default().push(swizzle);
                }
            }
            _ => {}
        }
    }
    parts.retain(|l, list| mentions.get(l) == Some(&list.len()));
    parts
}

/// Whether the parts of an argument without effects can be had without evaluating anything twice.
pub(super) fn separable(types: &Types, exprs: &ExprArena, arg: ExprId, wanted: &[Swizzle]) -> bool {
    match &exprs[arg].kind {
        ExprKind::Convert(inner, _) if same_length(types, exprs, arg, *inner) => {
            is_trivial(exprs, *inner) || separable(types, exprs, *inner, wanted)
        }
        ExprKind::Swizzle(inner, _) => is_trivial(exprs, *inner),
        ExprKind::Construct(parts) => {
            let mut taken: Vec<usize> = Vec::new();
            wanted.iter().all(|swizzle| match chosen_parts(types, exprs, parts, swizzle) {
                Some(chosen) => chosen.into_iter().all(|(part, _)| {
                    let repeatable = parts.get(part).is_some_and(|p| is_repeatable(types, exprs, *p));
                    let first = !taken.contains(&part);
                    taken.push(part);
                    first || repeatable
                }),
                None => false,
            })
        }
        _ => false,
    }
}

/// Whether components of a part may be had each by itself: it is trivial, or the conversion of what is.
fn is_repeatable(types: &Types, exprs: &ExprArena, part: ExprId) -> bool {
    let converted = match exprs[part].kind {
        ExprKind::Convert(inner, _) if same_length(types, exprs, part, inner) => inner,
        _ => part,
    };
    is_trivial(exprs, converted)
}

fn same_length(types: &Types, exprs: &ExprArena, a: ExprId, b: ExprId) -> bool {
    let length = |id: ExprId| shape(types, exprs[id].ty).map(|s| s.1);
    length(a).is_some_and(|n| n > 1) && length(a) == length(b)
}

/// The parts of a constructor that a swizzle selects, each as a whole (`None`) or with the components that are selected.
fn chosen_parts(
    types: &Types,
    exprs: &ExprArena,
    parts: &[ExprId],
    swizzle: &Swizzle,
) -> Option<Vec<(usize, Option<Swizzle>)>> {
    // (part, component in it, its length) of each component.
    let mut components = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let (_, n) = shape(types, exprs[*part].ty)?;
        components.extend((0..n).map(|c| (index, c, n)));
    }
    let chosen: Option<Vec<_>> = swizzle.list().iter().map(|c| components.get(*c as usize).copied()).collect();
    let mut runs = Vec::new();
    for run in chosen?.chunk_by(|a, b| a.0 == b.0 && a.1 + 1 == b.1) {
        let (part, _, n) = *run.first()?;
        let list: Vec<u8> = run.iter().map(|(_, component, _)| *component).collect();
        runs.push((part, (list.len() < usize::from(n)).then(|| Swizzle::new(&list))));
    }
    Some(runs)
}

/// Replaces swizzles of constructors below `root` by the parts that they select.
pub(super) fn take(types: &mut Types, effects: &Effects, exprs: &mut ExprArena, root: ExprId) {
    // Parents first: a swizzle of a conversion becomes a conversion of a swizzle.
    for id in exprs.post_order(root).into_iter().rev() {
        let mut id = id;
        while let Some(next) = take_one(types, effects, exprs, id) {
            id = next;
        }
    }
}

/// Components of an expression.
fn part_of(types: &mut Types, effects: &Effects, exprs: &mut ExprArena, part: ExprId, components: Swizzle) -> ExprId {
    let Some((scalar, _)) = shape(types, exprs[part].ty) else { return part };
    let (ty, span) = (types.scalar_or_vector(scalar, components.len), exprs[part].span);
    let chosen = exprs.push(Expr { kind: ExprKind::Swizzle(part, components), ty, span });
    let mut next = Some(chosen);
    while let Some(id) = next {
        next = take_one(types, effects, exprs, id);
    }
    chosen
}

/// One step; answers the expression to go on with.
fn take_one(types: &mut Types, effects: &Effects, exprs: &mut ExprArena, id: ExprId) -> Option<ExprId> {
    let ExprKind::Swizzle(inner, swizzle) = exprs[id].kind else { return None };
    match exprs[inner].kind.clone() {
        ExprKind::Convert(from, written) if same_length(types, exprs, inner, from) => {
            let (scalar, _) = shape(types, exprs[from].ty)?;
            let ty = types.scalar_or_vector(scalar, swizzle.len);
            let span = exprs[id].span;
            let part = exprs.push(Expr { kind: ExprKind::Swizzle(from, swizzle), ty, span });
            exprs[id].kind = ExprKind::Convert(part, written);
            Some(part)
        }
        ExprKind::Construct(parts) => {
            let chosen = chosen_parts(types, exprs, &parts, &swizzle)?;
            let dropped = |index: &usize| chosen.iter().all(|(part, _)| part != index);
            if (0..parts.len()).filter(dropped).any(|i| parts.get(i).is_some_and(|p| effects.expr(exprs, *p))) {
                return None;
            }
            // None is evaluated twice.
            let repeated = |at: usize, part: usize| chosen.iter().take(at).any(|(before, _)| *before == part);
            let is_repeatable = |part: usize| parts.get(part).is_some_and(|p| is_repeatable(types, exprs, *p));
            if chosen.iter().enumerate().any(|(at, (part, _))| repeated(at, *part) && !is_repeatable(*part)) {
                return None;
            }
            let mut kept = Vec::with_capacity(chosen.len());
            for (at, (index, components)) in chosen.iter().enumerate() {
                let part = *parts.get(*index)?;
                let part = if repeated(at, *index) { exprs.duplicate(part) } else { part };
                kept.push(components.map_or(part, |components| part_of(types, effects, exprs, part, components)));
            }
            match kept.as_slice() {
                [only] if exprs[*only].ty == exprs[id].ty => exprs.replace_by(id, *only),
                // A vector of one component for a scalar.
                [only] => exprs[id].kind = ExprKind::Convert(*only, false),
                _ => exprs[id].kind = ExprKind::Construct(kept),
            }
            None
        }
        _ => None,
    }
}
