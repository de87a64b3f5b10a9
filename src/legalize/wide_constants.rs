//! Constants that are computed from numbers of kinds that the target lacks, and are none of them themselves, are their values.
//!
//! Before: `static const uint64_t MANY = 0x100000000;     if (MANY % 10 == 6) ...`
//! After:  `if (true) ...`
//!
//! What is left is an error.

use super::{Context, Pass};
use crate::check::constant::eval;
use crate::target::{Capability, Profile};
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "wide_constants",
    lessens: &[Capability::Int64, Capability::Float64, Capability::Int16, Capability::Int8],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    cx.each_exprs(&mut |cx, exprs, live| fold(cx.program, cx.profile, exprs, live));
}

fn fold(program: &mut Program, profile: &Profile, exprs: &mut ExprArena, live: &[ExprId]) {
    for &id in live {
        let Expr { ty, span, ref kind } = exprs[id];
        let lacks = |program: &Program, ty: TypeId| {
            let scalar = program.types.component(ty).and_then(super::needs::scalar_need);
            scalar.is_some_and(|need| !profile.has(need))
        };
        let mut from_lacking = false;
        kind.children(&mut |child| from_lacking = from_lacking || lacks(program, exprs[child].ty));
        if from_lacking
            && !lacks(program, ty)
            && let Ok(value) = eval(program, exprs, id)
            && let Some(folded) = value.to_expr(exprs, program, ty, span)
        {
            exprs.replace_by(id, folded);
        }
    }
}
