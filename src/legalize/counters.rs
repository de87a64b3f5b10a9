//! The hidden counter of a buffer becomes a buffer of its own.
//!
//! Before: `AppendStructuredBuffer<Hit> hits;                             hits.Append(h)`
//! After:  `RWStructuredBuffer<Hit> hits;  RWStructuredBuffer<uint> hits_counter;    hits[atomicAdd(hits_counter[0], 1)] = h`
//!
//! The library spells the methods with a function that gives the counter (`[__hidden_counter]`); here it is replaced by the
//! buffer. Append and consume buffers have a binding reserved for it by layout, other structured buffers one behind all parameters
//! of their set, or that of `[[vk::counter_binding(n)]]`; one in a block with a further space of its own, or in a uniform
//! parameter of an entry point, needs that. The counters of buffers in a descriptor heap are in one of their own, at the same indices.
//!
//! Rule: `layout-needs`.

use super::needs::{Find, callee};
use super::{Context, Pass};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::layout::Role;
use crate::source::Span;
use crate::target::{Capability, Profile};
use crate::tree::{
    Access, BufferKind, DataLayout, ExprArena, ExprId, ExprKind, ExprKinds, FunctionId, GlobalId, Heap, Item,
    Modifiers, Origin, Program, Type, TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The attribute of the methods that change a hidden counter.
const COUNTS: &str = "__counts";

pub(super) const PASS: Pass = Pass {
    name: "counters",
    removes: &[
        (
            Capability::HiddenCounters,
            Find::Parameter(|_, _, t| matches!(t, Type::Buffer(BufferKind::Append(_) | BufferKind::Consume(_), ..))),
        ),
        (
            Capability::HiddenCounters,
            Find::at(ExprKinds::CALL, |p, exprs, id| {
                callee(p, exprs, id).is_some_and(|(f, _)| f.is_marked("__hidden_counter"))
            }),
        ),
    ],
    after: &["split_resources"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let functions = cx.program.marked("__hidden_counter");
    let mut counters = Beside::default();
    for (buffer, span) in buffers_of(cx.program, &functions) {
        let Some(buffer) = buffer else { continue };
        if counters.contains_key(&buffer) {
            continue;
        }
        if cx.program.globals[buffer].heap.is_some() {
            match of_heap(cx, buffer) {
                Some(counter) => drop(counters.insert(buffer, (counter, cx.program.globals[counter].ty))),
                None => cx.unsupported(span, "the counter of a buffer in a descriptor heap is not supported here"),
            }
        } else if cx.beside(buffer, Role::Counter).is_some() {
            let ty = Type::Buffer(BufferKind::Structured(DataLayout::Default), Access::ReadWrite, TypeId::UINT);
            let counter = cx.declare_beside(buffer, Role::Counter, "counter", ty);
            counters.insert(buffer, (counter, cx.program.globals[counter].ty));
        } else {
            let name = cx.program.globals[buffer].name;
            let message = format!("`{name}` needs a binding for its counter: `[[vk::counter_binding(n)]]`");
            cx.unsupported(span, message);
        }
    }
    stand_for(cx.program, &functions, &counters);
    cx.program.map_types(&mut |types, ty| match types.get(ty) {
        Type::Buffer(kind @ (BufferKind::Append(_) | BufferKind::Consume(_) | BufferKind::Counter), access, t) => {
            types.intern(Type::Buffer(BufferKind::Structured(kind.data_layout()), access, t))
        }
        _ => ty,
    });
}

/// Buffers beside others, with their types.
pub(super) type Beside = FxHashMap<GlobalId, (GlobalId, TypeId)>;

/// The buffers, if they are of the module, whose calls of some functions give another buffer, and where.
pub(super) fn buffers_of(program: &Program, functions: &FxHashSet<FunctionId>) -> Vec<(Option<GlobalId>, Span)> {
    let mut found = Vec::new();
    program.each_exprs(&mut |exprs, live| {
        for &id in live {
            if let ExprKind::Call(f, args) = &exprs[id].kind
                && functions.contains(f)
                && let Some(&buffer) = args.first()
            {
                let global = match exprs[exprs.base(buffer)].kind {
                    ExprKind::Global(global) => Some(global),
                    _ => None,
                };
                found.push((global, exprs[id].span));
            }
        }
    });
    found
}

/// Puts the buffers beside others in the place of the calls that give them.
pub(super) fn stand_for(program: &mut Program, functions: &FxHashSet<FunctionId>, beside: &Beside) {
    program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            let ExprKind::Call(f, args) = &exprs[id].kind else { continue };
            let (true, Some(&buffer)) = (functions.contains(f), args.first()) else { continue };
            if let ExprKind::Global(g) = exprs[exprs.base(buffer)].kind
                && let Some((other, ty)) = beside.get(&g)
            {
                let path = same_path(types, exprs, buffer, *other, *ty);
                exprs.replace_by(id, path);
            }
        }
    });
}

/// Where counters are hidden: D3D has none at a buffer that is coherent among groups.
pub(super) fn check(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    if !profile.has(Capability::HiddenCounters) {
        return;
    }
    let mut found = BTreeMap::new();
    program.each_exprs(&mut |exprs, live| {
        for &id in live {
            if let Some((function, [buffer, ..])) = callee(program, exprs, id)
                && function.is_marked(COUNTS)
                && let ExprKind::Global(g) = exprs[exprs.base(*buffer)].kind
                && program.globals[g].modifiers.has(Modifiers::GLOBALLYCOHERENT)
            {
                found.entry(g).or_insert(exprs[id].span);
            }
        }
    });
    for (buffer, span) in found {
        let global = &program.globals[buffer];
        let message = format!("{} has no counter at `{}`, which is `globallycoherent`", profile.name, global.name);
        diags.push(Diagnostic::error(Code::CAPABILITY, span, message).label(global.span, "declared here"));
    }
}

/// The counters of the buffers in a descriptor heap. What is not used yet has been taken from the items.
fn of_heap(cx: &mut Context, buffer: GlobalId) -> Option<GlobalId> {
    let found = cx.program.globals.iter().find(|(_, g)| g.heap == Some(Heap::Counters));
    let (id, _) = found?;
    let leaf = cx.leaf(id).map(|(leaf, of)| (Origin::Leaf(leaf), of.binding()));
    if let Some((origin, binding)) = leaf {
        let global = &mut cx.program.globals[id];
        (global.origin, global.binding) = (origin, binding);
    }
    if !cx.program.parameters.contains(&id) {
        cx.program.items.put_after(Item::Global(buffer), Item::Global(id));
        cx.program.parameters.push(id);
    }
    Some(id)
}

/// The access path `path` with another global at its base.
pub(super) fn same_path(types: &Types, exprs: &mut ExprArena, path: ExprId, global: GlobalId, ty: TypeId) -> ExprId {
    let copy = exprs.duplicate(path);
    let mut nodes = vec![copy];
    let mut id = copy;
    while let ExprKind::Index(a, _) = exprs[id].kind {
        nodes.push(a);
        id = a;
    }
    exprs[id].kind = ExprKind::Global(global);
    let mut ty = ty;
    for node in nodes.into_iter().rev() {
        exprs[node].ty = ty;
        ty = types.get(ty).element().unwrap_or(TypeId::ERROR);
    }
    copy
}
