//! What a sample is given is chosen before it.
//!
//! Before: `texture(sampler2D(t, s), c ? a + b : b)`
//! After:  `float2 selected = c ? a + b : b;  texture(sampler2D(t, s), selected)`
//!
//! Compilers of GLSL make branches of choices that are no plain variables, and join the texture and its sampler before them, in
//! another block than the sample. SPIR-V forbids that.
//!
//! It stands after whatever makes or moves choices.

use super::hoist::{Mark, hoist_all, temporary_name};
use super::needs::Find;
use super::{Context, Pass};
use crate::check::constant::eval;
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "sampled_choices",
    removes: &[(
        Capability::SampledChoices,
        Find::at(ExprKinds::CALL, |p, exprs, id| !choices(p, exprs, id).is_empty()),
    )],
    after: &["short_circuit", "combined_samplers", "flatten"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    hoist_all(cx, &mut |program, body| {
        let found = body.expressions().into_iter().flat_map(|id| choices(program, &body.exprs, id));
        found.map(|id| (id, Mark::Value(temporary_name(program, body, id)))).collect()
    });
}

/// The outermost choices in what a sample is given beside its texture and sampler.
fn choices(program: &Program, exprs: &ExprArena, id: ExprId) -> Vec<ExprId> {
    let ExprKind::Call(function, args) = &exprs[id].kind else { return Vec::new() };
    let FunctionBody::Intrinsic(template) = &program.functions[*function].body else { return Vec::new() };
    let joins = template.pieces.iter().any(|p| matches!(p, TemplatePiece::Sampler(_)));
    let mut found = Vec::new();
    if joins {
        let is_part = |id: ExprId| program.holds_resource(exprs[id].ty);
        args.iter().filter(|a| !is_part(**a)).for_each(|a| outermost(exprs, *a, &mut found));
        // Compilers choose among constants by themselves, and offsets in texels stay constants.
        found.retain(|choice| eval(program, exprs, *choice).is_err());
    }
    found
}

fn outermost(exprs: &ExprArena, root: ExprId, found: &mut Vec<ExprId>) {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if branches(exprs, id) {
            found.push(id);
        } else {
            exprs[id].kind.children(&mut |child| open.push(child));
        }
    }
}

/// Whether an operator may leave operands out that are more than a variable or a number.
fn branches(exprs: &ExprArena, id: ExprId) -> bool {
    let is_plain = |id: ExprId| matches!(exprs[id].kind, ExprKind::Local(_) | ExprKind::Literal(..));
    match exprs[id].kind {
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, _, b) => exprs[id].ty == TypeId::BOOL && !is_plain(b),
        ExprKind::Select(c, a, b) => exprs[c].ty == TypeId::BOOL && !(is_plain(a) && is_plain(b)),
        _ => false,
    }
}
