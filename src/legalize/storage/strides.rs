//! How far elements are apart that pointers are moved by, and where parts lie whose addresses are taken.
//!
//! Before: `Item* next = (Item*)((uint64_t)p + i * __elementStride(p));   int* k = (int*)__memberAddress(p->keys[i]);`
//! After:  `Item* next = (Item*)((uint64_t)p + i * 48);                   int* k = (int*)((uint64_t)p + i * 4 + 16);`
//!
//! The distances are those of the layout of what the pointer refers to, which checking does not know.

use super::super::Context;
use super::super::data_parts::Part;
use super::buffers;
use super::place;
use crate::layout::{Detail, Settings};
use crate::tree::*;

/// Puts numbers in the place of what the library measures pointers by.
pub(super) fn number(cx: &mut Context) {
    let (strides, addresses) = (cx.program.marked("__element_stride"), cx.program.marked("__member_address"));
    if strides.is_empty() && addresses.is_empty() {
        return;
    }
    let native = place::native_settings(cx);
    cx.each_body(&mut |cx, _, body| {
        for id in body.expressions() {
            let ExprKind::Call(f, args) = &body.exprs[id].kind else { continue };
            let Some(&arg) = args.first() else { continue };
            if strides.contains(f) {
                let Expr { ty, span, .. } = body.exprs[arg];
                let stride = buffers::element_stride(cx, ty, span, &native);
                let stride = stride.and_then(|s| i64::try_from(s).ok()).unwrap_or(0);
                body.exprs[id].kind = ExprKind::Literal(Literal::Int(stride), None);
            } else if addresses.contains(f) {
                let address = address(cx, &mut body.exprs, arg, &native);
                if address.is_none() {
                    let reason = "this part has no address: it does not lie as a pointer has it, in one piece and by the \
                                  order that matrices have here";
                    cx.unsupported(body.exprs[id].span, reason);
                }
                body.exprs.replace_by(id, address.unwrap_or(arg));
            }
        }
    });
}

/// The address of a part of what a pointer refers to: `(uint64_t)pointer + uint64_t(index) * stride + offset`.
fn address(cx: &mut Context, exprs: &mut ExprArena, part: ExprId, native: &Settings) -> Option<ExprId> {
    let span = exprs[part].span;
    let is_pointer = |id: ExprId| matches!(cx.program.types.get(exprs[id].ty), Type::Pointer(..));
    let mut way: Vec<ExprId> = Vec::new();
    for id in exprs.way_to_base(part) {
        if is_pointer(id) {
            break;
        }
        way.push(id);
    }
    let root = way.pop()?;
    let (pointer, index) = match exprs[root].kind {
        ExprKind::Deref(pointer) => (pointer, None),
        ExprKind::Index(pointer, index) => (pointer, Some(index)),
        _ => return None,
    };
    let ty = exprs[pointer].ty;
    let mut found = Part::new(root, pointer, buffers::element_layout(cx, ty, span, native)?);
    if let Some(index) = index {
        found.step(cx.program, exprs, index, buffers::element_stride(cx, ty, span, native)?);
    }
    for by in way.into_iter().rev() {
        if !found.select(cx.program, exprs, by) {
            return None;
        }
        found.top = by;
    }
    // A pointer says no order of its own.
    if matches!(found.layout.innermost().detail, Detail::Matrix { order, .. } if order != cx.program.default_matrix_order)
    {
        return None;
    }
    let offset = match found.components.as_deref() {
        None => found.offset,
        Some([one]) => found.offset + one,
        Some(_) => return None,
    };
    let mut b = Build::new(&mut cx.program.types, exprs, span);
    let [number, signed] = [Scalar::U64, Scalar::I64].map(|s| b.types.scalar(s));
    let mut address = b.convert(pointer, number);
    for (index, stride) in found.terms {
        let index = b.convert(index, signed);
        let index = b.convert(index, number);
        let stride = b.number(i64::try_from(stride).unwrap_or(i64::MAX), number);
        let bytes = b.binary(BinaryOp::Mul, index, stride);
        address = b.binary(BinaryOp::Add, address, bytes);
    }
    if offset > 0 {
        let offset = b.number(i64::try_from(offset).unwrap_or(i64::MAX), number);
        address = b.binary(BinaryOp::Add, address, offset);
    }
    Some(address)
}
