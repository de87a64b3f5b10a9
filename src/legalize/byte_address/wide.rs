//! Atomic operations on 64 bits of a byte-address buffer: a second name for the buffer, of elements that are so wide.
//!
//! Before: `RWByteAddressBuffer bytes;                             bytes.InterlockedAdd64(8, x)`
//! After:  `... bytes;  RWStructuredBuffer<uint64_t> bytes_wide;   atomicAdd(bytes_wide[1], x)`
//!
//! The library spells the methods with a function that gives the second buffer (`[__wide_words]`). It has the binding of the first.

use super::super::Context;
use super::super::counters::{Beside, buffers_of, stand_for};
use crate::tree::{Access, BufferKind, DataLayout, Global, GlobalId, Scalar, Type};
use rustc_hash::FxHashSet;

/// Declares them and gives them.
pub(super) fn declare(cx: &mut Context) -> FxHashSet<GlobalId> {
    let functions = cx.program.marked("__wide_words");
    let (mut wide, mut all) = (Beside::default(), FxHashSet::default());
    for (buffer, span) in buffers_of(cx.program, &functions) {
        let Some(buffer) = buffer else {
            cx.unsupported(span, "64-bit atomic operations need a buffer that is named");
            continue;
        };
        wide.entry(buffer).or_insert_with(|| {
            let second = second_name(cx, buffer);
            all.insert(second);
            (second, cx.program.globals[second].ty)
        });
    }
    stand_for(cx.program, &functions, &wide);
    all
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
