//! Atomic operations on 64 bits of a byte-address buffer: a second name for the buffer, of elements that are so wide.
//!
//! Before: `RWByteAddressBuffer bytes;                             bytes.InterlockedAdd64(8, x)`
//! After:  `... bytes;  RWStructuredBuffer<uint64_t> bytes_wide;   atomicAdd(bytes_wide[1], x)`
//!
//! The library spells the methods with a function that gives the second buffer (`[__wide_words]`). It has the binding of the first.

use super::super::Context;
use super::super::counters::same_path;
use crate::tree::{Access, BufferKind, DataLayout, ExprKind, Global, GlobalId, Scalar, Type};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Declares them and gives them.
pub(super) fn declare(cx: &mut Context) -> FxHashSet<GlobalId> {
    let functions = cx.program.marked("__wide_words");
    let mut wanted = Vec::new();
    let mut hidden = Vec::new();
    cx.program.each_exprs(&mut |exprs, live| {
        for &id in live {
            if let ExprKind::Call(f, args) = &exprs[id].kind
                && functions.contains(f)
                && let Some(&buffer) = args.first()
            {
                match exprs[exprs.base(buffer)].kind {
                    ExprKind::Global(g) => wanted.push(g),
                    _ => hidden.push(exprs[id].span),
                }
            }
        }
    });
    for span in hidden {
        cx.unsupported(span, "64-bit atomic operations need a buffer that is named");
    }
    let mut wide = BTreeMap::new();
    for buffer in wanted {
        wide.entry(buffer).or_insert_with(|| {
            let second = second_name(cx, buffer);
            (second, cx.program.globals[second].ty)
        });
    }
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            let ExprKind::Call(f, args) = &exprs[id].kind else { continue };
            let (true, Some(&buffer)) = (functions.contains(f), args.first()) else { continue };
            if let ExprKind::Global(g) = exprs[exprs.base(buffer)].kind
                && let Some((second, ty)) = wide.get(&g)
            {
                let path = same_path(types, exprs, buffer, *second, *ty);
                exprs.replace_by(id, path);
            }
        }
    });
    wide.into_values().map(|(second, _)| second).collect()
}

/// Declares the buffer of wide elements behind the one that it is.
fn second_name(cx: &mut Context, buffer: GlobalId) -> GlobalId {
    let element = cx.program.types.scalar(Scalar::U64);
    let kind = BufferKind::Structured(DataLayout::Default);
    let ty = cx.program.types.intern(Type::Buffer(kind, Access::ReadWrite, element));
    let first = &cx.program.globals[buffer];
    let ty = cx.program.types.beside(first.ty, ty);
    let Global { name, kind, span, unit, file, origin, binding, modifiers, heap, .. } = first.clone();
    let global = Global {
        unit,
        file,
        origin,
        binding,
        modifiers,
        heap,
        ..Global::new(format!("{name}_wide").as_str(), ty, kind, span)
    };
    cx.declare_behind(buffer, global)
}
