//! An assignment whose variable is assigned to, or passed by reference, becomes a statement of its own.
//!
//! Before: `(a += b) = c;              ++(++i);`
//! After:  `a += b;  a = c;            ++i;  ++i;`
//!
//! The value comes before the place: what the assignment inside could change of it is kept in a local first.

use super::hoist::{Marks, hoist_all, mark_effect};
use super::needs::{Find, OF_STATEMENTS};
use super::{Context, Pass, references};
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "assigned_places",
    removes: &[(
        Capability::AssignedPlaces,
        Find::at(ExprKinds::WRITES, |p, exprs, id| !assigned(p, exprs, id).is_empty()),
    )],
    adds: OF_STATEMENTS,
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    hoist_all(cx, &mut |program, body| {
        let mut marks = Marks::default();
        for id in body.expressions() {
            for inner in assigned(program, &body.exprs, id) {
                if let ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) = body.exprs[inner].kind {
                    references::mark_indices(&body.exprs, target, &mut marks);
                }
                mark_effect(&mut marks, inner);
            }
        }
        marks
    });
}

/// The assignments, steps and commas at the bases of the places that an expression writes.
fn assigned(program: &Program, exprs: &ExprArena, id: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    program.each_written(exprs, id, &mut |place| {
        let mut base = exprs.base(place);
        while let ExprKind::Comma(_, value) = exprs[base].kind {
            found.push(base);
            base = exprs.base(value);
        }
        if matches!(exprs[base].kind, ExprKind::Assign(..) | ExprKind::Step(_, true, _)) {
            found.push(base);
        }
    });
    found
}
