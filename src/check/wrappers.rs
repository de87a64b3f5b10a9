//! Structs of the library that are the value in them, by `[__is_field]`: the checker alone tells them from it.
//!
//! Before: `RWStructuredBuffer<Atomic<uint>> counts;`   `counts[0].__value`
//! After:  `RWStructuredBuffer<uint> counts;`           `counts[0]`
//!
//! Their methods become functions of the value. So nobody who reads an emitted text or a sidecar meets a struct that the source has
//! not, and hosts bind what slangc's reflection names, too.

use super::Checker;
use crate::tree::{ExprKind, Item, StructId, Type, TypeId, Types};
use rustc_hash::FxHashMap;

impl Checker<'_> {
    /// Puts values in the place of the structs around them.
    pub(super) fn unwrap_structs(&mut self) {
        let program = &mut self.program;
        let marked = program.structs.iter().filter(|(_, s)| s.attributes.iter().any(|a| a.name == *"__is_field"));
        let inner: FxHashMap<StructId, TypeId> =
            marked.filter_map(|(id, s)| s.fields.first().map(|field| (id, field.ty))).collect();
        if inner.is_empty() {
            return;
        }
        let wrapper = |types: &Types, ty: TypeId| match types.get(ty) {
            Type::Struct(id) => inner.get(&id).copied(),
            _ => None,
        };
        program.each_exprs_mut(&mut |types, exprs, live| {
            // The parts of what is replaced come before it.
            for &id in live {
                let part = match exprs[id].kind {
                    ExprKind::Field(of, _) if wrapper(types, exprs[of].ty).is_some() => Some(of),
                    ExprKind::Construct(ref parts) if wrapper(types, exprs[id].ty).is_some() => parts.first().copied(),
                    _ => None,
                };
                if let Some(part) = part {
                    // The type is what is left of it below.
                    let ty = exprs[part].ty;
                    exprs.replace_by(id, part);
                    exprs[id].ty = ty;
                }
            }
        });
        program.map_types(&mut |types, ty| wrapper(types, ty).unwrap_or(ty));
        let is_wrapper = |id: &StructId| inner.contains_key(id);
        let types = &program.types;
        program.functions.iter_mut().for_each(|(_, f)| f.owner = f.owner.filter(|ty| wrapper(types, *ty).is_none()));
        program.items.retain(|item| !matches!(item, Item::Struct(id) if is_wrapper(id)));
    }
}
