//! Typed buffers become structured buffers of their elements.
//!
//! Before: `RWBuffer<float4> texels;                texels[i] = v`
//! After:  `RWStructuredBuffer<float4> texels;      texels[i] = v`
//!
//! The library says the element of a typed buffer, in targets without them, as the element of what a function marked
//! `[__as_structured]` gives; that is the same buffer now. The host binds a buffer of 32-bit components, not of a format.

use super::needs::Find;
use super::{Context, Pass, reports_heaps};
use crate::target::Capability;
use crate::tree::{BufferKind, DataLayout, ExprKind, Type};

pub(super) const PASS: Pass = Pass {
    name: "texel_buffers",
    removes: &[(Capability::TexelBuffers, Find::Parameter(|_, _, t| matches!(t, Type::Buffer(BufferKind::Typed, ..))))],
    adds: &[Capability::StorageBuffers],
    after: &["inline_builtins"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    if reports_heaps(cx) {
        return;
    }
    let functions = cx.program.marked("__as_structured");
    cx.program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            if let ExprKind::Call(f, args) = &exprs[id].kind
                && functions.contains(f)
                && let Some(&buffer) = args.first()
            {
                exprs.replace_by(id, buffer);
            }
        }
    });
    cx.program.map_types(&mut |types, ty| match types.get(ty) {
        Type::Buffer(BufferKind::Typed, access, t) => {
            types.intern(Type::Buffer(BufferKind::Structured(DataLayout::Default), access, t))
        }
        _ => ty,
    });
}
