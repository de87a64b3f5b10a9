//! Texels of 8-bit and 16-bit numbers are read and written as 32-bit ones.
//!
//! Before: `half4 v = t.Sample(s, uv);            image[p] = v;`
//! After:  `half4 v = half4(t.Sample(s, uv));     image[p] = float4(v);`
//!
//! The type of the texture keeps its element, from which its format follows.

use super::needs::{Find, callee};
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;
use std::collections::BTreeSet;

pub(super) const PASS: Pass = Pass {
    name: "narrow_texels",
    removes: &[(Capability::NarrowTexels, Find::at(ExprKinds::CALL, is_narrow))],
    // A variable that is told how a load went has another type than the parameter.
    adds: &[Capability::ConvertedOutArguments, Capability::ConvertedOutMatrices],
    after: &["combined_samplers", "texel_buffers"],
    run,
    ..Pass::ROW
};

/// Whether a builtin reads or writes texels of such numbers.
fn is_narrow(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let Some((function, args)) = callee(program, exprs, id) else { return false };
    let types = &program.types;
    let texels = args.first().is_some_and(|a| texel(types, exprs[*a].ty).is_some_and(|e| wide(types, e).is_some()));
    let moved = || args.iter().map(|a| exprs[*a].ty).chain([function.result]);
    texels && matches!(function.body, FunctionBody::Intrinsic(_)) && moved().any(|ty| wide(types, ty).is_some())
}

/// The element of what has texels.
fn texel(types: &Types, ty: TypeId) -> Option<TypeId> {
    match types.get(ty) {
        Type::Texture(t) => Some(t.element),
        Type::Buffer(BufferKind::Typed, _, element) | Type::SubpassInput(element, _) => Some(element),
        _ => None,
    }
}

/// The 32-bit scalar for the narrow one that a number or vector is made of.
fn wide(types: &Types, ty: TypeId) -> Option<Scalar> {
    if !matches!(types.get(ty), Type::Scalar(_) | Type::Vector(..)) {
        return None;
    }
    match types.component(ty)? {
        Scalar::F16 => Some(Scalar::F32),
        Scalar::I8 | Scalar::I16 => Some(Scalar::I32),
        Scalar::U8 | Scalar::U16 => Some(Scalar::U32),
        _ => None,
    }
}

fn widened(types: &mut Types, ty: TypeId) -> Option<TypeId> {
    let scalar = wide(types, ty)?;
    Some(match types.get(ty) {
        Type::Vector(_, n) => types.vector(scalar, n),
        _ => types.scalar(scalar),
    })
}

fn run(cx: &mut Context) {
    let mut called = BTreeSet::new();
    cx.each_exprs(&mut |cx, exprs, live| {
        for id in live {
            if is_narrow(cx.program, exprs, *id) {
                convert(cx.program, exprs, *id, &mut called);
            }
        }
    });
    // The builtins were made for these texels.
    for id in called {
        let Program { functions, types, .. } = &mut *cx.program;
        let function = &mut functions[id];
        function.result = widened(types, function.result).unwrap_or(function.result);
        for param in &function.params {
            let local = &mut function.code.locals[param.local];
            local.ty = widened(types, local.ty).unwrap_or(local.ty);
        }
    }
}

/// Converts the arguments and the result of a call.
fn convert(program: &mut Program, exprs: &mut ExprArena, id: ExprId, called: &mut BTreeSet<FunctionId>) {
    let Expr { kind: ExprKind::Call(function, args), ty, span } = exprs[id].clone() else { return };
    called.insert(function);
    let mut b = Build::new(&mut program.types, exprs, span);
    let args: Vec<ExprId> = args
        .into_iter()
        .map(|arg| match widened(b.types, b.exprs[arg].ty) {
            Some(to) => b.add(ExprKind::Convert(arg, false), to),
            None => arg,
        })
        .collect();
    exprs[id].kind = ExprKind::Call(function, args);
    if let Some(to) = widened(&mut program.types, ty) {
        exprs[id].ty = to;
        let call = exprs.displace(id);
        exprs[id] = Expr { kind: ExprKind::Convert(call, false), ty, span };
    }
}
