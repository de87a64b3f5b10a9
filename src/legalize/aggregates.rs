//! Values of structs and arrays only where a variable is initialized.
//!
//! Before: `return Ray(origin, direction);`      `f(float[2](a, b))`
//! After:  `Ray ray = { origin, direction };  return ray;`
//!
//! A cast to an array or a struct stays where it is, unless an element or a field of it is taken.
//!
//! It stands after every pass that makes such values.

use super::hoist::{Mark, hoist_all};
use super::needs::Find;
use super::{Context, Pass};
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass = Pass {
    name: "aggregates",
    removes: &[(
        Capability::AggregateExpressions,
        Find::body(ExprKinds::ALL, |p, _, body, live| misplaced(p, body, live).first().map(|e| body.exprs[*e].span)),
    )],
    after: &["storage", "flatten", "out_parameters"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    hoist_all(cx, &mut |program, body| {
        let values = misplaced(program, body, &body.expressions()).into_iter();
        values.map(|id| (id, Mark::Value(variable_name(program, body.exprs[id].ty)))).collect()
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
fn misplaced(program: &Program, body: &Body, live: &[ExprId]) -> Vec<ExprId> {
    let is_value = |id: ExprId| {
        let aggregate = matches!(program.types.get(body.exprs[id].ty), Type::Struct(_) | Type::Array(..));
        let is_list = match body.exprs[id].kind {
            ExprKind::Construct(_) => true,
            // A cast makes no enums.
            ExprKind::Zero => program.any_leaf(body.exprs[id].ty, &mut |leaf| matches!(leaf, Type::Enum(_))),
            _ => false,
        };
        aggregate && is_list
    };
    // `((S[2])0)[i]` and `((S)0).f` have no address either.
    let mut read = FxHashSet::default();
    for id in live {
        if let ExprKind::Index(base, _) | ExprKind::Field(base, _) = body.exprs[*id].kind
            && matches!(program.types.get(body.exprs[base].ty), Type::Array(..) | Type::Struct(_))
            && matches!(body.exprs[base].kind, ExprKind::Zero | ExprKind::Convert(..) | ExprKind::Comma(..))
        {
            read.insert(base);
        }
    }
    // Initializers, and the parts of a value that is one list with them.
    let mut placed = FxHashSet::default();
    body.block.visit(&mut |stmt| {
        if let StmtKind::Local(_, Some(init)) = stmt.kind {
            placed.insert(init);
        }
    });
    // Parents come before their children.
    for id in live.iter().rev() {
        if let (true, ExprKind::Construct(parts)) = (is_value(*id), &body.exprs[*id].kind) {
            placed.extend(parts);
        }
    }
    live.iter().copied().filter(|id| read.contains(id) || is_value(*id) && !placed.contains(id)).collect()
}
