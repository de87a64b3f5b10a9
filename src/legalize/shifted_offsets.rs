//! Offsets in texels that are no constants, or out of the target's range, are added to the location instead, where it is known
//! which level is read.
//!
//! Before: `t.GatherRed(s, uv, offset)`
//! After:  `t.GatherRed(s, uv + float2(offset) / float2(textureDimensions(t)))`
//!
//! The library marks such reads with `[__shifts]`, and those whose location is in texels with `[__shifts_texels]` and how they are
//! spelled without the offset:
//!
//! Before: `t.Load(int3(at, 0), offset)`
//! After:  `t.Load(int3(at, 0) + int3(offset, 0))`
//!
//! Their last argument is the offset. Others stay, which is an error.

use super::constant_parameters::{is_fixed_offset, is_offset};
use super::hoist::{Marks, hoist_all, mark_value, temporary_name};
use super::needs::callee;
use super::{Context, Pass};
use crate::check::constant::{Value, eval};
use crate::stdlib::Operation;
use crate::target::Capability;
use crate::tree::analyses::effects::is_pure;
use crate::tree::*;
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass = Pass {
    name: "shifted_offsets",
    lessens: &[Capability::VaryingOffsets, Capability::UnknownOffsets],
    after: &["constant_parameters"],
    run,
    ..Pass::ROW
};

/// The attribute of reads whose location is in texels.
const IN_TEXELS: &str = "__shifts_texels";

/// Which argument of the reads is the location, for those that filter and those that do not.
const LOCATION: usize = 2;
const LOCATION_IN_TEXELS: usize = 1;

fn run(cx: &mut Context) {
    hoist_all(cx, &mut called_indices);
    let size = Operation::TextureSize.spelling(cx.profile.language.name()).clone();
    let mut made = FxHashMap::default();
    cx.each_body(&mut |cx, _, body| {
        for id in body.expressions() {
            let Some((callee, mut args)) = shifted(cx.program, &body.exprs, id) else { continue };
            let Some(offset) = args.pop() else { continue };
            let in_texels = cx.program.functions[callee].is_marked(IN_TEXELS);
            let position = if in_texels { LOCATION_IN_TEXELS } else { LOCATION };
            let (Some(&texture), Some(&location)) = (args.first(), args.get(position)) else { continue };
            let Expr { ty, span, .. } = body.exprs[location];
            let texture = body.exprs.duplicate(texture);
            let mut b = Build::new(&mut cx.program.types, &mut body.exprs, span);
            let step = match in_texels {
                true => as_location(&mut b, offset, ty),
                false => part_of_size(&mut b, &size, texture, offset, ty),
            };
            if let Some(argument) = args.get_mut(position) {
                *argument = b.binary(BinaryOp::Add, location, step);
            }
            let callee = *made.entry(callee).or_insert_with(|| without_offset(cx.program, callee));
            body.exprs[id].kind = ExprKind::Call(callee, args);
        }
    });
}

/// Indices that do something, of textures that will be named twice.
fn called_indices(program: &Program, body: &Body) -> Marks {
    let mut marks = Marks::default();
    for id in body.expressions() {
        let textures = shifted(program, &body.exprs, id).and_then(|(_, args)| args.first().copied());
        for part in textures.into_iter().flat_map(|texture| body.exprs.post_order(texture)) {
            if let ExprKind::Index(_, index) = body.exprs[part].kind
                && !is_pure(&body.exprs, index)
            {
                mark_value(&mut marks, index, temporary_name(program, body, index));
            }
        }
    }
    marks
}

/// An offset as a vector that is added to a location: layers and levels stay.
fn as_location(b: &mut Build, offset: ExprId, ty: TypeId) -> ExprId {
    let count = |b: &Build, ty: TypeId| match b.types.get(ty) {
        Type::Vector(_, n) => n,
        _ => 1,
    };
    let missing = count(b, ty).saturating_sub(count(b, b.exprs[offset].ty));
    if missing == 0 {
        return b.convert(offset, ty);
    }
    let zeros = (0..missing).map(|_| b.number(0, TypeId::INT));
    let parts = std::iter::once(offset).chain(zeros.collect::<Vec<_>>()).collect();
    b.construct(parts, ty)
}

/// An offset as a part of the size of the texture.
fn part_of_size(b: &mut Build, size: &Template, texture: ExprId, offset: ExprId, ty: TypeId) -> ExprId {
    let unsigned = match b.types.get(ty) {
        Type::Vector(_, n) => b.types.vector(Scalar::U32, n),
        _ => TypeId::UINT,
    };
    let size = b.native(size.clone(), vec![texture], unsigned);
    let (offset, size) = (b.convert(offset, ty), b.convert(size, ty));
    b.binary(BinaryOp::Div, offset, size)
}

/// The builtin with its arguments if the location may be moved and must be.
fn shifted(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<(FunctionId, Vec<ExprId>)> {
    let (function, args) = callee(program, exprs, id)?;
    let (param, offset) = (function.params.last()?, *args.last()?);
    let attribute = function.attribute("__shifts").or_else(|| function.attribute(IN_TEXELS))?;
    let level = match attribute.args.first() {
        Some(AttributeArg::Int(n)) => Some(*args.get(usize::try_from(*n).ok()?)?),
        _ => None,
    };
    let first_level = level.is_none_or(|level| match eval(program, exprs, level) {
        Ok(Value::Float(value, _)) => value == 0.0,
        Ok(value) => value.int() == Some(0),
        Err(_) => false,
    });
    let shifts =
        first_level && is_offset(program, function, param) && !is_fixed_offset(program, exprs, (function, offset));
    match &exprs[id].kind {
        ExprKind::Call(callee, args) if shifts => Some((*callee, args.clone())),
        _ => None,
    }
}

/// The builtin without its last parameter.
fn without_offset(program: &mut Program, id: FunctionId) -> FunctionId {
    let mut function = program.functions[id].clone();
    function.params.pop();
    let spelled = match function.attribute(IN_TEXELS).map(|a| a.args.as_slice()) {
        Some([AttributeArg::Text(text)]) => Template::parse(text.as_str()).ok(),
        _ => None,
    };
    if let FunctionBody::Intrinsic(template) = &mut function.body {
        *template = spelled.unwrap_or_else(|| std::mem::take(template).without(function.params.len() as u32));
    }
    program.functions.push(function)
}
