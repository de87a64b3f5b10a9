//! Arrays without elements get one, which nothing reads.
//!
//! Before: `int sum(int a[0]) { ... }      int none[0] = {};      sum(none)`
//! After:  `int sum(int a[1]) { ... }      int none[1] = {0};     sum(none)`
//!
//! Their fields are gone before, so that layouts stay. What indexes them never runs: no index is below their length.

use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::{ExprKind, Length, Program, Type};

pub(super) const PASS: Pass = Pass {
    name: "empty_arrays",
    // Of resources nothing is declared, and nothing is read.
    lessens: &[Capability::EmptyArrays],
    // Of a variable without a value.
    adds: &[Capability::UnsetParts],
    after: &["empty_structs"],
    run,
    ..Pass::ROW
};

fn is_empty_array(program: &Program, ty: Type) -> bool {
    matches!(ty, Type::Array(element, Length::Fixed(0)) if !program.holds_resource(element))
}

fn run(cx: &mut Context) {
    let program = &*cx.program;
    let empty: Vec<_> = program.types.ids().filter(|ty| is_empty_array(program, program.types.get(*ty))).collect();
    cx.program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            if empty.contains(&exprs[id].ty) && matches!(exprs[id].kind, ExprKind::Construct(_)) {
                exprs[id].kind = ExprKind::Zero;
            }
        }
    });
    cx.program.map_types(&mut |types, ty| match types.get(ty) {
        Type::Array(element, Length::Fixed(0)) if empty.contains(&ty) => types.array(element, Some(1)),
        _ => ty,
    });
}
