//! Members with `packoffset` come in the order of their bytes, where the target has no `packoffset`.
//!
//! Before: `cbuffer C { float b : packoffset(c1.y); float2 a : packoffset(c0.z); }`
//! After:  `cbuffer C { float2 a : packoffset(c0.z); float b : packoffset(c1.y); }`
//!
//! [`super::place`] places the members. Rule: `layout-explicit`.

use super::super::{Context, Pass};
use crate::layout::{Layouter, Unit};
use crate::target::Placement;
use crate::tree::*;
use rustc_hash::FxHashMap;

pub(in super::super) const PASS: Pass = Pass {
    name: "packoffsets",
    always: Some("the order of members with offsets is decided by the profile"),
    after: &["taken_apart"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let mut orders = FxHashMap::default();
    for id in cx.program.globals.ids() {
        let global = &cx.program.globals[id];
        let Type::ConstantBuffer(ty) = cx.program.types.get(global.ty) else { continue };
        let Type::Struct(s) = cx.program.types.get(ty) else { continue };
        if !cx.program.structs[s].fields.iter().any(|f| f.explicit.packoffset.is_some()) {
            continue;
        }
        if cx.profile.facts.placement == Placement::Packoffset {
            let span = global.span;
            if !global.transparent {
                cx.unsupported(
                    span,
                    "`packoffset` can be written in a cbuffer only, not in the struct of a ConstantBuffer",
                );
            }
            continue;
        }
        let order = global.matrix_order.unwrap_or(cx.program.default_matrix_order);
        let layouter = Layouter { program: cx.program, settings: &cx.layout.settings };
        let layout = layouter.layout(ty, cx.layout.settings.constant_rules, order);
        let offsets: Vec<u64> = layout.fields().iter().map(|f| f.offset.get(Unit::Bytes)).collect();
        if !offsets.is_sorted() {
            let mut order: Vec<usize> = (0..offsets.len()).collect();
            order.sort_by_key(|i| offsets.get(*i).copied());
            orders.insert(s, order);
        }
    }
    if !orders.is_empty() {
        reorder(cx.program, &orders);
    }
}

/// Permutes the fields of structs; `orders` holds for each the old index at each new place.
fn reorder(program: &mut Program, orders: &FxHashMap<StructId, Vec<usize>>) {
    #[expect(clippy::iter_over_hash_type, reason = "each struct is changed by itself")]
    for (id, order) in orders {
        // Every index is one of the struct's own fields.
        let fields = &mut program.structs[*id].fields;
        let old = std::mem::take(fields);
        fields.extend(order.iter().filter_map(|i| old.get(*i).cloned()));
    }
    program.each_exprs_mut(&mut |types, exprs, live| {
        let order_of = |ty| match types.get(ty) {
            Type::Struct(s) => orders.get(&s),
            _ => None,
        };
        for &id in live {
            let ty = exprs[id].ty;
            match exprs[id].kind.clone() {
                ExprKind::Field(base, index) => {
                    if let Some(new) =
                        order_of(exprs[base].ty).and_then(|o| o.iter().position(|i| *i == index as usize))
                    {
                        exprs[id].kind = ExprKind::Field(base, new as u32);
                    }
                }
                ExprKind::Construct(parts) => {
                    if let Some(order) = order_of(ty) {
                        let parts = order.iter().filter_map(|i| parts.get(*i).copied()).collect();
                        exprs[id].kind = ExprKind::Construct(parts);
                    }
                }
                _ => {}
            }
        }
    });
}
