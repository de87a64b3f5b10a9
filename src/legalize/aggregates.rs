//! Values of structs and arrays only where a variable is initialized.
//!
//! Before: `return Ray(origin, direction);`      `f(float[2](a, b))`
//! After:  `Ray ray = { origin, direction };  return ray;`
//!
//! It stands after every pass that makes such values.

use super::hoist::{Mark, Marks, hoist};
use super::{Context, Pass};
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass = Pass {
    name: "aggregates",
    removes: &[Capability::AggregateExpressions],
    after: &["storage", "flatten", "out_parameters"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let effects = cx.effects();
    cx.each_body(&mut |cx, _, body| {
        let mut marks = Marks::default();
        for id in misplaced(cx.program, body) {
            marks.insert(id, Mark::Value(variable_name(cx.program, body.exprs[id].ty)));
        }
        hoist(cx.program, &effects, body, marks);
    });
}

/// A variable's name for a value of a type: that of the struct with a small first letter.
fn variable_name(program: &Program, ty: TypeId) -> Symbol {
    let Type::Struct(id) = program.types.get(ty) else { return Symbol::new("values") };
    let name = program.structs[id].name.as_str();
    let mut letters = name.chars();
    let lower: String = letters.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(letters).collect();
    if lower.is_empty() || lower == name { Symbol::new("value") } else { Symbol::new(&lower) }
}

/// Values of structs and arrays that stand elsewhere than in an initializer.
pub(super) fn misplaced(program: &Program, body: &Body) -> Vec<ExprId> {
    let is_value = |id: ExprId| {
        let aggregate = matches!(program.types.get(body.exprs[id].ty), Type::Struct(_) | Type::Array(..));
        aggregate && matches!(body.exprs[id].kind, ExprKind::Construct(_))
    };
    // Initializers, and the parts of a value that is one list with them.
    let mut placed = FxHashSet::default();
    body.block.visit(&mut |stmt| {
        if let StmtKind::Local(_, Some(init)) = stmt.kind {
            placed.insert(init);
        }
    });
    let mut live = body.expressions();
    live.reverse();
    // Parents come before their children now.
    for id in &live {
        if let (true, ExprKind::Construct(parts)) = (is_value(*id), &body.exprs[*id].kind) {
            placed.extend(parts);
        }
    }
    live.reverse();
    live.into_iter().filter(|id| is_value(*id) && !placed.contains(id)).collect()
}
