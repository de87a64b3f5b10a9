//! Vectors of which components are accessed atomically are read and written component by component.
//!
//! Before: `groupshared uint4 masks;            masks = 0;                          uint2 low = masks.xy;`
//! After:  `groupshared Atomic<uint> masks[4];  masks[0] = 0; masks[1] = 0; ...     uint2 low = uint2(masks[0], masks[1]);`

use super::AtomicDecls;
use crate::legalize::Context;
use crate::legalize::hoist::{Mark, Marks, hoist, temporary_name};
use crate::legalize::references::mark_indices;
use crate::tree::analyses::is_trivial;
use crate::tree::*;
use rustc_hash::FxHashSet;

/// All components of a vector, and more of shorter ones.
const ALL: Swizzle = Swizzle { components: [0, 1, 2, 3], len: 4, is_color: false };

/// Takes the vectors of all functions apart; whole structs and arrays have been.
pub(super) fn take_apart(cx: &mut Context, places: &AtomicDecls) {
    let effects = cx.effects();
    cx.each_body(&mut |cx, _, body| {
        let found = Accesses::of(cx.program, places, body);
        let mut marks = Marks::default();
        let several = found.components.iter().filter(|(_, _, swizzle)| swizzle.len > 1).map(|(_, vector, _)| vector);
        for &id in found.reads.iter().chain(several).chain(found.writes.iter().map(|w| &w.target)) {
            mark_indices(&body.exprs, id, &mut marks);
        }
        for write in &found.writes {
            if !is_apart(cx.program, &body.exprs, write.value) {
                marks.insert(write.value, Mark::Value(temporary_name(cx.program, body, write.value)));
            }
        }
        hoist(cx.program, &effects, body, marks);
        let found = Accesses::of(cx.program, places, body);
        for &id in &found.reads {
            let list = components(cx.program, &mut body.exprs, id, &ALL);
            body.exprs[id].kind = ExprKind::Construct(list);
        }
        for &(id, vector, swizzle) in &found.components {
            let list = components(cx.program, &mut body.exprs, vector, &swizzle);
            match list.as_slice() {
                [one] => body.exprs.replace_by(id, *one),
                _ => body.exprs[id].kind = ExprKind::Construct(list),
            }
        }
        write(cx.program, body, &found.writes);
    });
}

/// An assignment of a vector.
struct Write {
    id: ExprId,
    op: Option<BinaryOp>,
    target: ExprId,
    value: ExprId,
}

/// What becomes of the vectors of a body.
#[derive(Default)]
struct Accesses {
    /// Vectors that are read whole.
    reads: Vec<ExprId>,
    writes: Vec<Write>,
    /// (components, of which vector, which).
    components: Vec<(ExprId, ExprId, Swizzle)>,
}

impl Accesses {
    fn of(program: &Program, places: &AtomicDecls, body: &Body) -> Accesses {
        let (exprs, live) = (&body.exprs, body.expressions());
        let apart = |id: ExprId| {
            matches!(program.types.get(exprs[id].ty), Type::Vector(..))
                && program.is_shared(exprs, id)
                && places.is_atomic(program, exprs, id)
        };
        let (mut found, mut used) = (Accesses::default(), FxHashSet::default());
        for &id in &live {
            match exprs[id].kind {
                ExprKind::Index(a, _) | ExprKind::AddressOf(a) => drop(used.insert(a)),
                // What is read twice stays one value.
                ExprKind::Swizzle(a, swizzle) if apart(a) && is_injective(&swizzle) => {
                    used.insert(a);
                    found.components.push((id, a, swizzle));
                }
                ExprKind::Assign(op, target, value) if apart(target) => {
                    used.insert(target);
                    found.writes.push(Write { id, op, target, value });
                }
                _ => {}
            }
        }
        found.reads = live.into_iter().filter(|id| apart(*id) && !used.contains(id)).collect();
        found
    }
}

/// Whether each component of a value can be had by itself, whatever is written to memory meanwhile.
fn is_apart(program: &Program, exprs: &ExprArena, value: ExprId) -> bool {
    match exprs[value].kind {
        ExprKind::Convert(inner, _) => is_apart(program, exprs, inner),
        _ => is_trivial(exprs, value) && !program.is_shared(exprs, value),
    }
}

/// Whether no component is selected twice.
fn is_injective(swizzle: &Swizzle) -> bool {
    let list = swizzle.list();
    (1..).zip(list).all(|(behind, component)| !list.iter().skip(behind).any(|other| other == component))
}

/// Components of a vector at a place, as far as it has them.
fn components(program: &mut Program, exprs: &mut ExprArena, vector: ExprId, swizzle: &Swizzle) -> Vec<ExprId> {
    let Expr { ty, span, .. } = exprs[vector];
    let Type::Vector(_, count) = program.types.get(ty) else { return Vec::new() };
    let one = |index: &u8| {
        let place = exprs.duplicate(vector);
        Build::new(&mut program.types, exprs, span).at(place, (*index).into())
    };
    swizzle.list().iter().filter(|c| **c < count).map(one).collect()
}

/// A component of a value.
fn component(program: &mut Program, exprs: &mut ExprArena, value: ExprId, index: u8) -> ExprId {
    let Expr { ty, span, .. } = exprs[value];
    let scalar = program.types.component(ty).map(|s| program.types.scalar(s));
    let mut b = Build::new(&mut program.types, exprs, span);
    match (b.exprs[value].kind.clone(), scalar) {
        (ExprKind::Convert(inner, _), Some(scalar)) if matches!(b.types.get(b.exprs[inner].ty), Type::Scalar(_)) => {
            let inner = b.exprs.duplicate(inner);
            b.convert(inner, scalar)
        }
        (ExprKind::Zero, Some(scalar)) => b.number(0, scalar),
        _ => {
            let value = b.exprs.duplicate(value);
            b.swizzle(value, &[index])
        }
    }
}

/// Puts the assignments of components in the place of those of vectors that are statements.
fn write(program: &mut Program, body: &mut Body, writes: &[Write]) {
    if writes.is_empty() {
        return;
    }
    let mut block = std::mem::take(&mut body.block);
    block.rewrite(&mut |mut stmt, out| {
        let root = if let StmtKind::Expr(root) = stmt.kind { Some(root) } else { None };
        let Some(write) = writes.iter().find(|w| Some(w.id) == root) else { return out.push(stmt) };
        let first = out.len();
        for (index, place) in (0..).zip(components(program, &mut body.exprs, write.target, &ALL)) {
            let value = component(program, &mut body.exprs, write.value, index);
            let ty = body.exprs[place].ty;
            let assign = ExprKind::Assign(write.op, place, value);
            let assign = Build::new(&mut program.types, &mut body.exprs, stmt.span).add(assign, ty);
            out.push(Stmt::new(StmtKind::Expr(assign), stmt.span));
        }
        stmt.give_comments(out.get_mut(first), true);
    });
    body.block = block;
}
