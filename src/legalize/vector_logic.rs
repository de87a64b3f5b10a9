//! Logic by the components of vectors as what every compiler has: choices as a function of components, `&&` and `||` as bits.
//!
//! Before: `v < w ? a : b`                 `v < w && w < 4`
//! After:  `choose(v < w, a, b)`           `v < w & w < 4`
//!
//! with `int2 choose(bool2 c, int2 a, int2 b) { return int2(c.x ? a.x : b.x, c.y ? a.y : b.y); }`.
//!
//! Old versions of GLSL choose between vectors of floats alone; DXC's SPIR-V may have no `select`, `and` and `or`. Both operands are
//! evaluated in any case. It stands after the passes that make such choices.

use super::float_remainder::list;
use super::needs::Find;
use super::{Context, Pass};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "vector_logic",
    removes: &[
        (
            Capability::IntegerChoices,
            Find::at(ExprKinds::SELECT.or(ExprKinds::BINARY), |p, e, id| {
                need(p, e, id) == Some(Capability::IntegerChoices)
            }),
        ),
        (
            Capability::VectorLogic,
            Find::at(ExprKinds::SELECT.or(ExprKinds::BINARY), |p, e, id| need(p, e, id).is_some()),
        ),
    ],
    after: &["inline_builtins", "lower_matrix_ops", "matrix_parts", "flatten"],
    run,
    ..Pass::ROW
};

/// What an expression needs that works on the components of vectors.
fn need(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<Capability> {
    let is_vector = |id: ExprId| matches!(program.types.get(exprs[id].ty), Type::Vector(_, 2..));
    match exprs[id].kind {
        ExprKind::Select(condition, ..) if is_vector(condition) => {
            let is_float = program.types.component(exprs[id].ty).is_some_and(Scalar::is_float);
            Some(if is_float { Capability::VectorLogic } else { Capability::IntegerChoices })
        }
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) if is_vector(id) => Some(Capability::VectorLogic),
        _ => None,
    }
}

fn run(cx: &mut Context) {
    let mut functions = BTreeMap::new();
    let all = !cx.profile.has(Capability::VectorLogic);
    let mut rewrite = |cx: &mut Context, exprs: &mut TrackedExprs, live: &[ExprId]| {
        for &id in live {
            let Some(need) = need(cx.program, exprs, id) else { continue };
            if !all && cx.profile.has(need) {
                continue;
            }
            match exprs[id].kind {
                ExprKind::Select(condition, a, b) => {
                    let ty = exprs[id].ty;
                    let function = *functions.entry(ty).or_insert_with(|| helper(cx.program, ty, exprs[condition].ty));
                    exprs[id].kind = ExprKind::Call(function, vec![condition, a, b]);
                }
                ExprKind::Binary(BinaryOp::And, a, b) => exprs[id].kind = ExprKind::Binary(BinaryOp::BitAnd, a, b),
                ExprKind::Binary(BinaryOp::Or, a, b) => exprs[id].kind = ExprKind::Binary(BinaryOp::BitOr, a, b),
                _ => {}
            }
        }
    };
    match cx.profile.has(Capability::CalledConstants) {
        true => cx.each_exprs(&mut rewrite),
        false => cx.each_body(&mut |cx, _, body| {
            let live = body.expressions();
            rewrite(cx, &mut body.exprs, &live);
        }),
    }
    list(cx, functions.into_values());
}

/// The function for a type.
fn helper(program: &mut Program, ty: TypeId, condition: TypeId) -> FunctionId {
    let span = Span::default();
    let mut code = Body::default();
    let c = code.add_local("c", condition, span);
    let (x, y) = (code.add_local("a", ty, span), code.add_local("b", ty, span));
    let n = if let Type::Vector(_, n) = program.types.get(ty) { n } else { 1 };
    let element = program.types.component(ty).map_or(TypeId::ERROR, |s| program.types.scalar(s));
    let mut b = Build::new(&mut program.types, &mut code.exprs, span);
    let mut parts = Vec::new();
    for i in 0..n {
        let all = [b.local(c, condition), b.local(x, ty), b.local(y, ty)];
        let [c, x, y] = all.map(|v| b.swizzle(v, &[i]));
        parts.push(b.add(ExprKind::Select(c, x, y), element));
    }
    let value = b.construct(parts, ty);
    code.block.stmts.push(Stmt::new(StmtKind::Return(Some(value)), span));
    let params = [c, x, y].map(Param::new).to_vec();
    let made = Function::new(Symbol::new("choose"), params, ty, code, span);
    program.functions.push(Function { builtin: true, ..made })
}
