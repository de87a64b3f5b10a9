//! `?:` between vectors of integers or bools as a function of their components.
//!
//! Before: `v < w ? a : b`
//! After:  `choose(v < w, a, b)` with `int2 choose(bool2 c, int2 a, int2 b) { return int2(c.x ? a.x : b.x, c.y ? a.y : b.y); }`
//!
//! Old versions of GLSL choose between vectors of floats alone. It stands after the passes that make such choices.

use super::float_remainder::list;
use super::needs::Find;
use super::{Context, Pass};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::*;
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "integer_choices",
    removes: &[(Capability::IntegerChoices, Find::Expr(is_one))],
    after: &["inline_builtins", "lower_matrix_ops", "flatten"],
    run,
    ..Pass::ROW
};

/// Whether an expression chooses between the components of vectors that are no floats.
fn is_one(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let ExprKind::Select(condition, ..) = exprs[id].kind else { return false };
    matches!(program.types.get(exprs[condition].ty), Type::Vector(..))
        && !program.types.component(exprs[id].ty).is_some_and(Scalar::is_float)
}

fn run(cx: &mut Context) {
    let mut functions = BTreeMap::new();
    cx.each_body(&mut |cx, _, body| {
        for id in body.expressions() {
            let ExprKind::Select(condition, a, b) = body.exprs[id].kind else { continue };
            if is_one(cx.program, &body.exprs, id) {
                let ty = body.exprs[id].ty;
                let function = *functions.entry(ty).or_insert_with(|| helper(cx.program, ty, body.exprs[condition].ty));
                body.exprs[id].kind = ExprKind::Call(function, vec![condition, a, b]);
            }
        }
    });
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
    for i in 0..u32::from(n) {
        let all = [b.local(c, condition), b.local(x, ty), b.local(y, ty)];
        let [c, x, y] = all.map(|v| b.at(v, i));
        parts.push(b.add(ExprKind::Select(c, x, y), element));
    }
    let value = b.construct(parts, ty);
    code.block.stmts.push(Stmt::new(StmtKind::Return(Some(value)), span));
    let params = [c, x, y].map(Param::new).to_vec();
    let made = Function::new(Symbol::new("choose"), params, ty, code, span);
    program.functions.push(Function { builtin: true, ..made })
}
