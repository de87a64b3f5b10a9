//! What evaluates a converted input at another place evaluates the input, and the result is converted.
//!
//! Before: `EvaluateAttributeCentroid((half4)color)`
//! After:  `(half4)EvaluateAttributeCentroid(color)`
//!
//! DXC takes a number of another kind for another number. For targets that follow inputs by themselves.

use super::{AT_VERTEX, Context, ELSEWHERE, Pass, is};
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashMap;

pub(in super::super) const PASS: Pass = Pass {
    name: "converted_interpolants",
    always: Some("which values a compiler takes for inputs is no capability"),
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    if !cx.profile.has(Capability::PassedInterpolants) {
        return;
    }
    let mut marked = cx.program.marked(AT_VERTEX);
    marked.extend(cx.program.marked(ELSEWHERE));
    if marked.is_empty() {
        return;
    }
    let mut made = FxHashMap::default();
    for owner in cx.program.functions_with_code() {
        let mut body = std::mem::take(&mut cx.program.functions[owner].code);
        for id in body.expressions() {
            call(cx.program, &mut body.exprs, id, &mut made);
        }
        cx.program.functions[owner].code = body;
    }
}

/// The builtins for types.
type TypedBuiltins = FxHashMap<(FunctionId, TypeId), FunctionId>;

fn call(program: &mut Program, exprs: &mut ExprArena, id: ExprId, made: &mut TypedBuiltins) {
    let ExprKind::Call(callee, args) = exprs[id].kind.clone() else { return };
    let function = &program.functions[callee];
    let Some((value, others)) = args.split_first().filter(|_| is(function, ELSEWHERE) || is(function, AT_VERTEX))
    else {
        return;
    };
    let before = exprs[*value].ty;
    let Some(value) = unconverted(&mut program.types, exprs, *value).filter(|value| exprs[*value].ty != before) else {
        return;
    };
    let ty = exprs[value].ty;
    let callee = *made.entry((callee, ty)).or_insert_with(|| {
        let mut function = program.functions[callee].clone();
        function.result = ty;
        if let Some(param) = function.params.first() {
            function.code.locals[param.local].ty = ty;
        }
        program.functions.push(function)
    });
    let evaluated = exprs.displace(id);
    exprs[evaluated].ty = ty;
    exprs[evaluated].kind = ExprKind::Call(callee, [&[value], others].concat());
    exprs[id].kind = ExprKind::Convert(evaluated, true);
}

/// The same parts of the same values as floats of the kind that these have before a conversion.
fn unconverted(types: &mut Types, exprs: &mut ExprArena, id: ExprId) -> Option<ExprId> {
    let Expr { ty, span, ref kind } = exprs[id];
    let own = types.component(ty)?;
    let kind = match kind.clone() {
        ExprKind::Convert(inner, written) => {
            let scalar = types.component(exprs[inner].ty)?;
            match unconverted(types, exprs, inner) {
                Some(value) => ExprKind::Convert(value, written),
                None if scalar != own && scalar.is_float() && own.is_float() => ExprKind::Convert(inner, written),
                None => return None,
            }
        }
        ExprKind::Swizzle(base, swizzle) => ExprKind::Swizzle(unconverted(types, exprs, base)?, swizzle),
        ExprKind::MatrixSwizzle(base, list) => ExprKind::MatrixSwizzle(unconverted(types, exprs, base)?, list),
        ExprKind::Index(base, index) => ExprKind::Index(unconverted(types, exprs, base)?, index),
        ExprKind::Construct(parts) => {
            let parts: Option<Vec<ExprId>> = parts.into_iter().map(|part| unconverted(types, exprs, part)).collect();
            let parts = parts?;
            let mut kinds = parts.iter().map(|part| types.component(exprs[*part].ty));
            let first = kinds.next()?;
            kinds.all(|kind| kind == first).then_some(ExprKind::Construct(parts))?
        }
        _ => return None,
    };
    let mut inner = None;
    kind.children(&mut |child| inner = inner.or(Some(child)));
    let scalar = types.component(exprs[inner?].ty)?;
    let ty = match types.get(ty) {
        Type::Vector(_, n) => types.vector(scalar, n),
        Type::Matrix(_, rows, columns) => types.matrix(scalar, rows, columns),
        _ => types.scalar(scalar),
    };
    match kind {
        ExprKind::Convert(same, _) if exprs[same].ty == ty => Some(same),
        kind => Some(exprs.push(Expr { kind, ty, span })),
    }
}
