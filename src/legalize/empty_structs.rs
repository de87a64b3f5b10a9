//! Fields of structs without fields, and of arrays without elements, are dropped.
//!
//! Before: `struct Tag {}      struct Light { float3 color; Tag tag; }      f(light.tag)`
//! After:  `struct Tag {}      struct Light { float3 color; }               f((Tag)0)`
//!
//! They take no bytes, so layouts stay.

use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass = Pass {
    name: "empty_structs",
    removes: &[(Capability::EmptyStructs, Find::Field(|p, f| is_empty(p, f.ty)))],
    after: &["storage"],
    run,
    ..Pass::ROW
};

/// Whether a type is a struct without fields, or with none but such, or an array of such or of no elements.
pub(super) fn is_empty(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Struct(id) => program.structs[id].fields.iter().all(|f| is_empty(program, f.ty)),
        Type::Array(element, Some(0)) => !program.holds_resource(element),
        Type::Array(element, Some(_)) => is_empty(program, element),
        _ => false,
    }
}

fn run(cx: &mut Context) {
    // The new index of each field that stays.
    let mut moved: FxHashMap<StructId, Vec<Option<u32>>> = FxHashMap::default();
    for (id, s) in cx.program.structs.iter() {
        let mut next = 0;
        let indices: Vec<Option<u32>> = s
            .fields
            .iter()
            .map(|f| {
                let stays = !is_empty(cx.program, f.ty);
                next += u32::from(stays);
                stays.then(|| next - 1)
            })
            .collect();
        if indices.iter().any(Option::is_none) {
            moved.insert(id, indices);
        }
    }
    #[expect(clippy::iter_over_hash_type, reason = "each struct is changed by itself")]
    for (id, indices) in &moved {
        let mut stays = indices.iter();
        cx.program.structs[*id].fields.retain(|_| stays.next().is_some_and(Option::is_some));
    }
    cx.each_body(&mut |cx, _, body| {
        drop_assignments(cx.program, body, &moved);
        for id in body.expressions() {
            access(&cx.program.types, &mut body.exprs, id, &moved);
        }
    });
    for (_, global) in cx.program.globals.iter_mut() {
        if let Some(tree) = &mut global.init {
            for id in tree.exprs.post_order(tree.root) {
                access(&cx.program.types, &mut tree.exprs, id, &moved);
            }
        }
    }
}

fn access(types: &Types, exprs: &mut ExprArena, id: ExprId, moved: &FxHashMap<StructId, Vec<Option<u32>>>) {
    match exprs[id].kind.clone() {
        ExprKind::Field(base, index) => {
            let Type::Struct(s) = types.get(exprs[base].ty) else { return };
            let Some(indices) = moved.get(&s) else { return };
            exprs[id].kind = match indices.get(index as usize).copied().flatten() {
                Some(index) => ExprKind::Field(base, index),
                None => ExprKind::Zero,
            };
        }
        ExprKind::Construct(parts) => {
            let Type::Struct(s) = types.get(exprs[id].ty) else { return };
            if parts.is_empty() {
                exprs[id].kind = ExprKind::Zero;
                return;
            }
            let Some(indices) = moved.get(&s) else { return };
            let kept = parts.into_iter().zip(indices).filter(|(_, i)| i.is_some()).map(|(p, _)| p).collect();
            let kept: Vec<ExprId> = kept;
            exprs[id].kind = if kept.is_empty() { ExprKind::Zero } else { ExprKind::Construct(kept) };
        }
        _ => {}
    }
}

/// What is assigned to a dropped field is still evaluated, but goes nowhere.
fn drop_assignments(program: &Program, body: &mut Body, moved: &FxHashMap<StructId, Vec<Option<u32>>>) {
    for id in body.expressions() {
        let ExprKind::Assign(None, target, value) = body.exprs[id].kind else { continue };
        let ExprKind::Field(base, index) = body.exprs[target].kind else { continue };
        let Type::Struct(s) = program.types.get(body.exprs[base].ty) else { continue };
        let dropped = moved.get(&s).is_some_and(|m| m.get(index as usize).copied().flatten().is_none());
        if dropped {
            body.exprs.replace_by(id, value);
        }
    }
}
