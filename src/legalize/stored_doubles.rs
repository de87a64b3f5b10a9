//! Doubles that are stored, copied and narrowed to floats become pairs of words, the lower one first.
//!
//! Before: `cbuffer Frame { double time; }     float t = float(time);`
//! After:  `cbuffer Frame { uint2 time; }      float t = float_from_f64(time);`
//!
//! A program that does more with a double, or has vectors or matrices of them, is left as it is, which is an error.

use super::helpers::Helpers;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "stored_doubles",
    lessens: &[Capability::Float64],
    after: &["storage", "byte_address", "flatten"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    if !is_possible(cx.program) {
        return;
    }
    let mut helpers = Helpers::new(cx);
    cx.each_body(&mut |cx, _, body| {
        for id in body.expressions() {
            let ExprKind::Convert(inner, _) = body.exprs[id].kind else { continue };
            if !is_double(&cx.program.types, body.exprs[inner].ty) {
                continue;
            }
            let Some(function) = helpers.function(cx.program, "float_from_f64") else { continue };
            let Expr { ty, span, .. } = body.exprs[id];
            let mut b = Build::new(&mut cx.program.types, &mut body.exprs, span);
            let value = b.add(ExprKind::Call(function, vec![inner]), TypeId::FLOAT);
            let value = b.convert(value, ty);
            body.exprs.replace_by(id, value);
        }
    });
    helpers.list(cx.program);
    cx.program.map_types(&mut |types, ty| if is_double(types, ty) { types.vector(Scalar::U32, 2) } else { ty });
}

fn is_double(types: &Types, ty: TypeId) -> bool {
    types.get(ty) == Type::Scalar(Scalar::F64)
}

/// Whether all that is done with doubles can be done with pairs of words.
fn is_possible(program: &Program) -> bool {
    // What is never called is declared all the same.
    let in_bodies = program.functions_with_code().into_iter().all(|id| {
        let body = &program.functions[id].code;
        let has_vectors = body.locals.iter().any(|(_, local)| has_vectors(program, local.ty));
        !has_vectors && body.expressions().iter().all(|id| is_copied(program, &body.exprs, *id))
    });
    let is_interface = |id: FunctionId| {
        let function = &program.functions[id];
        let types = function.params.iter().map(|p| function.code.locals[p.local].ty);
        types.chain([function.result]).any(|ty| has_doubles(program, ty))
    };
    // Stages pass no pairs of words that are interpolated.
    let between_stages = program.entry_points.iter().flat_map(|e| e.roots()).any(is_interface);
    in_bodies && !between_stages && program.listed_globals().all(|id| is_stored(program, &program.globals[id]))
}

/// Whether the doubles of a global are in memory alone, one by one, and have no value before the program runs.
fn is_stored(program: &Program, global: &Global) -> bool {
    let types = &program.types;
    let element = match types.get(types.innermost(global.ty)) {
        // Texels have formats.
        Type::Texture(Texture { element, .. }) | Type::Buffer(BufferKind::Typed, _, element) => {
            return types.component(element) != Some(Scalar::F64);
        }
        Type::ConstantBuffer(data, _) | Type::TextureBuffer(data) | Type::Buffer(_, _, data) => data,
        _ => global.ty,
    };
    let is_memory = match global.kind {
        GlobalKind::Specialization | GlobalKind::Input | GlobalKind::Output | GlobalKind::Passed => false,
        GlobalKind::Parameter | GlobalKind::Heap | GlobalKind::Static | GlobalKind::Const | GlobalKind::Groupshared => {
            global.init.is_none()
        }
    };
    // What is computed of doubles may be none.
    let is_computed =
        |tree: &ExprTree| tree.exprs.post_order(tree.root).iter().any(|id| !is_copied(program, &tree.exprs, *id));
    !has_vectors(program, element)
        && (is_memory || !has_doubles(program, element))
        && !global.init.as_ref().is_some_and(is_computed)
}

fn has_doubles(program: &Program, ty: TypeId) -> bool {
    program.any_leaf(ty, &mut |leaf| leaf == Type::Scalar(Scalar::F64))
}

fn has_vectors(program: &Program, ty: TypeId) -> bool {
    program.any_leaf(ty, &mut |leaf| matches!(leaf, Type::Vector(Scalar::F64, _) | Type::Matrix(Scalar::F64, ..)))
}

/// Whether an expression makes and uses doubles only by copying or narrowing them.
fn is_copied(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let types = &program.types;
    let is_wide = |id: ExprId| types.component(exprs[id].ty) == Some(Scalar::F64);
    let kind = &exprs[id].kind;
    if is_wide(id) {
        return is_double(types, exprs[id].ty)
            && match kind {
                ExprKind::Assign(None, ..)
                | ExprKind::Field(..)
                | ExprKind::Index(..)
                | ExprKind::Contents(_)
                | ExprKind::Local(_)
                | ExprKind::Global(_) => true,
                ExprKind::Call(function, _) => matches!(program.functions[*function].body, FunctionBody::Block),
                _ => false,
            };
    }
    let mut takes_doubles = false;
    kind.children(&mut |child| takes_doubles = takes_doubles || is_wide(child));
    !takes_doubles
        || match kind {
            ExprKind::Convert(..) => matches!(types.get(exprs[id].ty), Type::Scalar(Scalar::F32 | Scalar::F16)),
            ExprKind::Construct(_) => matches!(types.get(exprs[id].ty), Type::Struct(_) | Type::Array(..)),
            ExprKind::Call(function, _) => matches!(program.functions[*function].body, FunctionBody::Block),
            _ => false,
        }
}
