//! An input of which a component is read at an index that is no number is copied for that.
//!
//! Before: `EvaluateAttributeCentroid(color) + color[i]`
//! After:  `float4 components = color;  EvaluateAttributeCentroid(color) + components[i]`
//!
//! A variable whose components are indexed so is no input any more for DXC. For targets that follow inputs by themselves.

use super::{AT_VERTEX, Context, ELSEWHERE, Pass, constants, wanted};
use crate::legalize::hoist::{self, Mark, Marks};
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashMap;

pub(in super::super) const PASS: Pass = Pass {
    name: "indexed_interpolants",
    always: Some("which values a compiler takes for inputs is no capability"),
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let called = |cx: &Context| [AT_VERTEX, ELSEWHERE].iter().any(|word| !cx.program.marked(word).is_empty());
    if !cx.profile.has(Capability::PassedInterpolants) || !called(cx) {
        return;
    }
    let wanted = wanted(cx.program);
    hoist::hoist_all(cx, &mut |program, body| {
        let marks = indexed(program, body, &wanted).into_iter();
        marks.map(|base| (base, Mark::Value(Symbol::new("components")))).collect::<Marks>()
    });
}

/// The vectors that are indexed so, in variables that calls evaluate at another place.
fn indexed(program: &Program, body: &Body, wanted: &FxHashMap<FunctionId, Vec<bool>>) -> Vec<ExprId> {
    let evaluated = constants(program, body, wanted);
    if evaluated.is_empty() {
        return Vec::new();
    }
    let exprs = &body.exprs;
    let base = |id: ExprId| match exprs[id].kind {
        ExprKind::Index(base, index) if exprs.integer(index).is_none() => Some(base),
        _ => None,
    };
    let is_one = |base: &ExprId| {
        matches!(program.types.get(exprs[*base].ty), Type::Vector(..))
            && exprs.base_local(*base).is_some_and(|local| evaluated.contains(&local))
    };
    body.expressions().into_iter().filter_map(base).filter(is_one).collect()
}
