//! Values that hold atomics are copied part by part.
//!
//! Before: `uint copy[2] = bins;                     items[i] = item;`
//! After:  `uint copy[2] = { bins[0], bins[1] };     items[i].count = item.count; items[i].weight = item.weight;`

use super::AtomicDecls;
use crate::legalize::Context;
use crate::legalize::hoist::{Mark, Marks, hoist, temporary_name};
use crate::legalize::references::mark_indices;
use crate::legalize::storage::parts;
use crate::tree::{Build, ExprArena, ExprId, ExprKind, Program, Stmt, StmtKind, StructId, Type, TypeId};
use rustc_hash::FxHashSet;

/// Values of more parts than this are not written out.
const LIMIT: u64 = 256;

/// Writes out the copies of all functions.
pub(super) fn write_out(cx: &mut Context, places: &AtomicDecls) {
    let effects = cx.effects();
    let structs = super::structs(cx.program, places);
    let wholes = Wholes { places, structs };
    cx.each_body(&mut |cx, _, body| {
        let found = wholes.find(cx.program, &body.exprs, &body.expressions());
        let mut marks = Marks::default();
        for &id in found.reads.iter().chain(found.writes.iter().map(|(_, target, _)| target)) {
            mark_indices(&body.exprs, id, &mut marks);
        }
        for &(_, _, value) in &found.writes {
            if is_place(&body.exprs, value) {
                mark_indices(&body.exprs, value, &mut marks);
            } else {
                marks.insert(value, Mark::Value(temporary_name(cx.program, body, value)));
            }
        }
        hoist(cx.program, &effects, body, marks);
        let found = wholes.find(cx.program, &body.exprs, &body.expressions());
        for &id in &found.reads {
            let value = parts(cx.program, &mut body.exprs, id);
            body.exprs.replace_by(id, value);
        }
        if found.writes.is_empty() {
            return;
        }
        let mut block = std::mem::take(&mut body.block);
        block.rewrite(&mut |mut stmt, out| {
            let root = if let StmtKind::Expr(root) = stmt.kind { Some(root) } else { None };
            let Some((_, target, value)) = found.writes.iter().find(|(id, ..)| Some(*id) == root) else {
                return out.push(stmt);
            };
            let mut list = Vec::new();
            wholes.assign(cx.program, &mut body.exprs, (*target, *value), &mut list);
            let first = out.len();
            out.extend(list.into_iter().map(|e| Stmt::new(StmtKind::Expr(e), stmt.span)));
            stmt.give_comments(out.get_mut(first), true);
        });
        body.block = block;
    });
}

fn is_place(exprs: &ExprArena, id: ExprId) -> bool {
    matches!(exprs[exprs.base(id)].kind, ExprKind::Global(_) | ExprKind::Local(_))
}

/// The copies of a body.
#[derive(Default)]
struct Copied {
    reads: Vec<ExprId>,
    /// (assignment, target, value).
    writes: Vec<(ExprId, ExprId, ExprId)>,
}

struct Wholes<'a> {
    places: &'a AtomicDecls,
    /// Structs that hold atomics.
    structs: FxHashSet<StructId>,
}

impl Wholes<'_> {
    fn find(&self, program: &Program, exprs: &ExprArena, live: &[ExprId]) -> Copied {
        let mut found = Copied::default();
        let mut used: FxHashSet<ExprId> = FxHashSet::default();
        for &id in live {
            match exprs[id].kind {
                ExprKind::Field(a, _) | ExprKind::Index(a, _) | ExprKind::AddressOf(a) => {
                    used.insert(a);
                }
                ExprKind::Assign(None, target, value) if self.is_whole(program, exprs, target) => {
                    used.insert(target);
                    if is_place(exprs, value) {
                        used.insert(value);
                    }
                    found.writes.push((id, target, value));
                }
                _ => {}
            }
        }
        let reads = live.iter().filter(|id| !used.contains(id) && self.is_whole(program, exprs, **id));
        found.reads = reads.copied().collect();
        found
    }

    /// Whether an expression is a place of shared memory or a buffer that is, or holds, several scalars of which some are atomic.
    fn is_whole(&self, program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
        let ty = exprs[id].ty;
        let several = matches!(program.types.get(ty), Type::Array(..) | Type::Struct(_));
        let atomic = || match program.types.get(program.types.innermost(ty)) {
            Type::Struct(s) => self.structs.contains(&s),
            _ => self.places.is_atomic(program, exprs, id),
        };
        several && program.is_shared(exprs, id) && atomic() && scalars(program, ty) <= LIMIT
    }

    /// Assignments of the parts.
    fn assign(
        &self,
        program: &mut Program,
        exprs: &mut ExprArena,
        (target, value): (ExprId, ExprId),
        out: &mut Vec<ExprId>,
    ) {
        let (ty, span) = (exprs[target].ty, exprs[target].span);
        let whole = self.is_whole(program, exprs, target);
        let Some(members) = program.members(ty).filter(|_| whole) else {
            return out.push(Build::new(&mut program.types, exprs, span).assign(target, value));
        };
        for (step, _) in members {
            let (target, value) = (exprs.duplicate(target), exprs.duplicate(value));
            let pair = (program.part(exprs, target, &[step]), program.part(exprs, value, &[step]));
            self.assign(program, exprs, pair, out);
        }
    }
}

/// How many scalars, vectors and matrices a type has.
fn scalars(program: &Program, ty: TypeId) -> u64 {
    match program.types.get(ty) {
        Type::Array(element, count) => {
            scalars(program, element).saturating_mul(count.fixed().map_or(u64::MAX, u64::from))
        }
        // A struct cannot contain itself, so this ends.
        Type::Struct(s) => program.structs[s].fields.iter().fold(0, |n, f| n.saturating_add(scalars(program, f.ty))),
        _ => 1,
    }
}
