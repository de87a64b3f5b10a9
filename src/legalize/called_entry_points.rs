//! An entry point that functions call too is an entry point and a function.
//!
//! Before: `[shader("compute")] void step(uint3 id : SV_DispatchThreadID) { f(id); }    void both(uint3 i) { step(i); }`
//! After:  the same, and `void step_function(uint3 id) { f(id); }    void both(uint3 i) { step_function(i); }`
//!
//! The parameters of an entry point become what the target has for them; those of a function stay.
//!
//! Runs always. Adds: none. Runs before: entry_uniforms, entry_points.

use super::{Context, Pass};
use crate::symbol::Symbol;
use crate::tree::{ExprKind, FunctionId, Item};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

pub(super) const PASS: Pass = Pass { name: "called_entry_points", removes: &[], adds: &[], run };

fn run(cx: &mut Context) {
    let entries: BTreeSet<FunctionId> = cx.program.entry_points.iter().map(|e| e.function).collect();
    let mut called = BTreeSet::new();
    for function in cx.program.reachable_functions() {
        let body = &cx.program.functions[function].code;
        called.extend(body.expressions().into_iter().filter_map(|id| match body.exprs[id].kind {
            ExprKind::Call(callee, _) if entries.contains(&callee) => Some(callee),
            _ => None,
        }));
    }
    let copies: FxHashMap<FunctionId, FunctionId> = called.into_iter().map(|entry| (entry, copy(cx, entry))).collect();
    if copies.is_empty() {
        return;
    }
    cx.program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            if let ExprKind::Call(callee, _) = &mut exprs[id].kind
                && let Some(copy) = copies.get(callee)
            {
                *callee = *copy;
            }
        }
    });
}

/// A function that does what the entry point does.
fn copy(cx: &mut Context, entry: FunctionId) -> FunctionId {
    let mut function = cx.program.functions[entry].clone();
    function.name = Symbol::new(&format!("{}_function", function.name));
    function.attributes.clear();
    function.result_semantic = None;
    function.params.iter_mut().for_each(|param| param.semantic = None);
    let id = cx.program.functions.push(function);
    cx.program.insert_item(Item::Function(id), Some(Item::Function(entry)));
    id
}
