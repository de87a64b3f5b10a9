//! Structs that are accessed atomically in memory, and that variables are of, are declared twice.
//!
//! Before: `struct Item { uint count; }   RWStructuredBuffer<Item> items;   Item item = ...`
//! After:  `struct Item { uint count; }   struct Item_atomic { Atomic<uint> count; }   RWStructuredBuffer<Item_atomic> items;`

use super::{AtomicDecls, structs};
use crate::tree::{Access, ExprKind, Global, GlobalId, GlobalKind, Program, StmtKind, StructId, Type, TypeId, Types};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Makes the second declarations, to which `places` then refer. Answers the types of globals that have changed.
pub(super) fn declare(program: &mut Program, places: &mut AtomicDecls) -> FxHashMap<GlobalId, TypeId> {
    let held = structs(program, places);
    if !has_values(program, &held) {
        return FxHashMap::default();
    }
    let mut list: Vec<StructId> = held.into_iter().collect();
    list.sort_unstable();
    let twins: BTreeMap<_, _> = list.into_iter().map(|id| (id, program.declare_again(id, "atomic"))).collect();
    for &twin in twins.values() {
        for index in 0..program.structs[twin].fields.len() {
            let Some(ty) = program.structs[twin].fields.get(index).map(|f| f.ty) else { continue };
            let changed = stored(&mut program.types, ty, &twins);
            if changed != ty {
                places.nested.push((twin, index as u32));
            }
            if let Some(field) = program.structs[twin].fields.get_mut(index) {
                field.ty = changed;
            }
        }
    }
    places.fields = places.fields.iter().map(|(s, i)| (twins.get(s).copied().unwrap_or(*s), *i)).collect();
    let mut types = FxHashMap::default();
    for (id, global) in program.globals.iter_mut() {
        if matches!(global.kind, GlobalKind::Groupshared | GlobalKind::Parameter) {
            let ty = stored(&mut program.types, global.ty, &twins);
            if ty != global.ty {
                global.ty = ty;
                types.insert(id, ty);
            }
        }
    }
    types
}

/// The type as it is in memory that is accessed atomically.
fn stored(types: &mut Types, ty: TypeId, twins: &BTreeMap<StructId, StructId>) -> TypeId {
    match types.get(ty) {
        Type::Struct(id) => twins.get(&id).map_or(ty, |twin| types.intern(Type::Struct(*twin))),
        // What is only read has no atomics.
        Type::Buffer(_, Access::Read, _) => ty,
        inner @ (Type::Array(element, _) | Type::Buffer(_, _, element)) => {
            let element = stored(types, element, twins);
            types.intern(inner.with_element(element))
        }
        _ => ty,
    }
}

/// Whether a shader parameter is memory of some of these structs that is only read.
fn holds_plainly(program: &Program, ty: TypeId, held: &FxHashSet<StructId>) -> bool {
    let is_held =
        |ty: TypeId| matches!(program.types.get(program.types.innermost(ty)), Type::Struct(s) if held.contains(&s));
    match program.types.get(ty) {
        Type::Array(element, _) => holds_plainly(program, element, held),
        Type::Buffer(_, Access::Read, element) | Type::ConstantBuffer(element, _) | Type::TextureBuffer(element) => {
            is_held(element)
        }
        _ => false,
    }
}

/// Whether there are variables or values of some of these structs outside of memory that is written.
fn has_values(program: &Program, held: &FxHashSet<StructId>) -> bool {
    let is_held = |ty: TypeId| match program.types.get(program.types.innermost(ty)) {
        Type::Struct(s) => held.contains(&s),
        _ => false,
    };
    if held.is_empty() {
        return false;
    }
    let is_plain = |global: &Global| match global.kind {
        GlobalKind::Parameter => holds_plainly(program, global.ty, held),
        _ => global.kind != GlobalKind::Groupshared && is_held(global.ty),
    };
    if program.listed_globals().any(|id| is_plain(&program.globals[id])) {
        return true;
    }
    program.reachable_functions().into_iter().map(|f| &program.functions[f]).any(|function| {
        let code = &function.code;
        let made = |id| !matches!(code.exprs[id].kind, ExprKind::Global(_) | ExprKind::Field(..) | ExprKind::Index(..));
        function.params.iter().any(|p| is_held(code.locals[p.local].ty))
            || code.block.any(&mut |s| matches!(s.kind, StmtKind::Local(l, _) if is_held(code.locals[l].ty)))
            || code.expressions().into_iter().any(|id| made(id) && is_held(code.exprs[id].ty))
    })
}
