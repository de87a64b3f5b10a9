//! Buffers of one type whose matrices are stored in different orders get types of their own.
//!
//! Before: `ConstantBuffer<float3x3> a;  row_major ConstantBuffer<float3x3> b;                  b`
//! After:  `ConstantBuffer<float3x3> a;  struct bData { row_major float3x3 value; }  ConstantBuffer<bData> b;   b.value`
//!
//! The data of a buffer is stored as its type says, so one type cannot be stored in two ways.
//!
//! Removes: nothing by itself; storage_types, which comes after, needs it. Runs after: resolve_resources (which leaves no
//! parameters that are buffers); before: pin_memory.

use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "buffers_apart",
    removes: &[Capability::BothMatrixOrders, Capability::NonFloatMatrices],
    adds: &[],
    run,
};

fn run(cx: &mut Context) {
    // The order in which the first buffer of a type stores its matrices.
    let mut first: FxHashMap<TypeId, MatrixOrder> = FxHashMap::default();
    let mut apart = FxHashMap::default();
    let globals: Vec<GlobalId> = cx.program.parameters.clone();
    for id in globals {
        let buffer = cx.program.types.innermost(cx.program.globals[id].ty);
        if !is_stored_in_order(cx, buffer) {
            continue;
        }
        let order = cx.program.globals[id].matrix_order.unwrap_or(cx.program.default_matrix_order);
        if *first.entry(buffer).or_insert(order) != order {
            apart.insert(id, wrap(cx, id, order));
        }
    }
    if !apart.is_empty() {
        cx.program.each_exprs_mut(&mut |types, exprs, live| rewrite(types, exprs, live, &apart));
    }
}

/// A buffer of matrices, whose storage order the target does not support.
fn is_stored_in_order(cx: &Context, buffer: TypeId) -> bool {
    let element = match cx.program.types.get(buffer) {
        Type::ConstantBuffer(t) | Type::TextureBuffer(t) => t,
        Type::Buffer(kind, _, t) if kind != BufferKind::Typed => t,
        _ => return false,
    };
    match cx.program.types.get(element) {
        Type::Matrix(s, ..) if !s.is_float() && !cx.profile.has(Capability::NonFloatMatrices) => true,
        Type::Matrix(..) => !cx.profile.has(Capability::BothMatrixOrders),
        _ => false,
    }
}

/// The new type of a global: the buffer of a struct with what the buffer was of.
fn wrap(cx: &mut Context, id: GlobalId, order: MatrixOrder) -> TypeId {
    let Global { ty, name, span, .. } = cx.program.globals[id];
    let types = &mut cx.program.types;
    let buffer = types.get(types.innermost(ty));
    let mut field = Field::new("value", buffer.element().unwrap_or(TypeId::ERROR), span);
    field.matrix_order = Some(order);
    let element = cx.program.structs.push(Struct::new(format!("{name}Data").as_str(), vec![field], span));
    let data = types.intern(Type::Struct(element));
    let buffer = types.intern(buffer.with_element(data));
    let ty = with_innermost(types, ty, buffer);
    cx.program.globals[id].ty = ty;
    cx.program.insert_item(Item::Struct(element), Some(Item::Global(id)));
    buffer
}

fn with_innermost(types: &mut Types, ty: TypeId, inner: TypeId) -> TypeId {
    match types.get(ty) {
        Type::Array(element, count) => {
            let element = with_innermost(types, element, inner);
            types.array(element, count)
        }
        _ => inner,
    }
}

/// Mentions of such buffers have the new type; what is read from them is the field of the struct.
fn rewrite(types: &mut Types, exprs: &mut ExprArena, live: &[ExprId], apart: &FxHashMap<GlobalId, TypeId>) {
    let mut mentions: FxHashMap<ExprId, TypeId> = FxHashMap::default();
    let mut parts = FxHashSet::default();
    // Children come before their parents.
    for &id in live {
        let buffer = match exprs[id].kind {
            ExprKind::Global(g) => apart.get(&g).copied(),
            ExprKind::Index(base, _) | ExprKind::Contents(base) => {
                let of_array = matches!(types.get(exprs[base].ty), Type::Array(..));
                let buffer = mentions.get(&base).copied();
                if buffer.is_some() && !of_array {
                    parts.insert(id);
                }
                buffer.filter(|_| of_array)
            }
            _ => None,
        };
        if let Some(buffer) = buffer {
            mentions.insert(id, buffer);
        }
    }
    for &id in live {
        if let Some(&buffer) = mentions.get(&id) {
            exprs[id].ty = with_innermost(types, exprs[id].ty, buffer);
        } else if parts.contains(&id)
            && let ExprKind::Index(base, _) | ExprKind::Contents(base) = exprs[id].kind
        {
            let value = exprs[id].ty;
            let whole = exprs.displace(id);
            exprs[whole].ty = types.get(exprs[base].ty).element().unwrap_or(TypeId::ERROR);
            exprs[id].kind = ExprKind::Field(whole, 0);
            exprs[id].ty = value;
        }
    }
}
