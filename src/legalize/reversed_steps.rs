//! A smooth step from a higher edge to a lower one is the rest of the step between them.
//!
//! Before: `smoothstep(1.0, 0.0, x)`
//! After:  `1.0 - smoothstep(0.0, 1.0, x)`
//!
//! HLSL has it as the formula; in GLSL it is undefined ("Common Functions"), and WGSL refuses it of constants ("smoothstep"). Edges
//! that are no constants stay: nothing says which is higher.

use super::defined::domain;
use super::needs::{Find, callee};
use super::{Context, Pass};
use crate::check::constant::{Value, eval};
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;

/// The word of `[__defined("...")]` of a smooth step.
const SMOOTH: &str = "smooth";

pub(super) const PASS: Pass = Pass {
    name: "reversed_steps",
    removes: &[(Capability::ReversedSteps, Find::at(ExprKinds::CALL, is_reversed))],
    after: &["inline_builtins"],
    run,
    ..Pass::ROW
};

/// Whether a call steps from edges that are all above the others.
fn is_reversed(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let Some((function, &[from, to, _])) = callee(program, exprs, id) else { return false };
    if domain(function).is_none_or(|word| word != *SMOOTH) {
        return false;
    }
    let edges = [from, to].map(|edge| eval(program, exprs, edge).map(components).unwrap_or_default());
    let [from, to] = &edges;
    !from.is_empty() && from.len() == to.len() && from.iter().zip(to).all(|(from, to)| from > to)
}

fn components(value: Value) -> Vec<f64> {
    match value {
        Value::Float(x, _) => vec![x],
        Value::Composite(parts) => parts.into_iter().flat_map(components).collect(),
        Value::Bool(_) | Value::Int(..) | Value::Text(_) => Vec::new(),
    }
}

fn run(cx: &mut Context) {
    cx.each_exprs(&mut |cx, exprs, live| {
        for &id in live {
            if is_reversed(cx.program, exprs, id) {
                reverse(&mut cx.program.types, exprs, id);
            }
        }
    });
}

/// Takes the step between the edges from one.
fn reverse(types: &mut Types, exprs: &mut ExprArena, id: ExprId) {
    let Expr { ty, span, .. } = exprs[id];
    if let ExprKind::Call(_, args) = &mut exprs[id].kind
        && let [from, to, _] = args.as_mut_slice()
    {
        std::mem::swap(from, to);
    }
    let step = exprs.displace(id);
    let mut b = Build::new(types, exprs, span);
    let one = b.number(1, ty);
    exprs[id].kind = ExprKind::Binary(BinaryOp::Sub, one, step);
}
