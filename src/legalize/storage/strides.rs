//! How far elements are apart that pointers are moved by.
//!
//! Before: `Item* next = (Item*)((uint64_t)p + i * __elementStride(p));`
//! After:  `Item* next = (Item*)((uint64_t)p + i * 48);`
//!
//! The distance is that of the layout of what the pointer refers to, which checking does not know.

use super::super::Context;
use super::buffers;
use super::place;
use crate::tree::{ExprKind, Literal};

/// Puts numbers in the place of what the library measures pointers by.
pub(super) fn number(cx: &mut Context) {
    let marked = cx.program.marked("__element_stride");
    if marked.is_empty() {
        return;
    }
    let native = place::native_settings(cx);
    cx.each_body(&mut |cx, _, body| {
        for id in body.expressions() {
            let ExprKind::Call(f, args) = &body.exprs[id].kind else { continue };
            if !marked.contains(f) {
                continue;
            }
            let pointer = args.first().map(|p| (body.exprs[*p].ty, body.exprs[*p].span));
            let stride = pointer.and_then(|(ty, span)| buffers::element_stride(cx, ty, span, &native));
            let stride = stride.and_then(|s| i64::try_from(s).ok()).unwrap_or(0);
            body.exprs[id].kind = ExprKind::Literal(Literal::Int(stride), None);
        }
    });
}
