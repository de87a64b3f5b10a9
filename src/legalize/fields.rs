//! Fields that are dropped from structs, and what becomes of the accesses to the others.

use crate::tree::{Expr, ExprKind, Field, Program, StructId, Type};
use rustc_hash::FxHashMap;

/// The new index of each field that stays, by struct. A struct that keeps all its fields is not in it.
pub(super) struct Moved(FxHashMap<StructId, Vec<Option<u32>>>);

impl Moved {
    /// Finds the fields that do not stay.
    pub fn of(program: &Program, stays: impl Fn(&Field) -> bool) -> Moved {
        let moved = program.structs.iter().filter_map(|(id, s)| {
            let mut numbers = 0..;
            let indices: Vec<_> = s.fields.iter().map(|f| if stays(f) { numbers.next() } else { None }).collect();
            indices.contains(&None).then_some((id, indices))
        });
        Moved(moved.collect())
    }

    /// Whether a field of a type is dropped.
    pub fn drops(&self, ty: Type, field: u32) -> bool {
        self.of_type(ty).is_some_and(|indices| indices.get(field as usize).is_none_or(Option::is_none))
    }

    fn of_type(&self, ty: Type) -> Option<&Vec<Option<u32>>> {
        if let Type::Struct(id) = ty { self.0.get(&id) } else { None }
    }

    /// Drops the fields everywhere; `lost` is shown each access to one.
    pub fn apply(&self, program: &mut Program, lost: &mut dyn FnMut(&mut Expr)) {
        for (id, s) in program.structs.iter_mut() {
            if let Some(indices) = self.0.get(&id) {
                let mut indices = indices.iter();
                s.fields.retain(|_| indices.next().is_some_and(Option::is_some));
            }
        }
        program.each_exprs_mut(&mut |types, exprs, live| {
            for &id in live {
                let of = match exprs[id].kind {
                    ExprKind::Field(base, _) => exprs[base].ty,
                    _ => exprs[id].ty,
                };
                let Some(indices) = self.of_type(types.get(of)) else { continue };
                match &mut exprs[id].kind {
                    ExprKind::Field(_, index) => match indices.get(*index as usize).copied().flatten() {
                        Some(new) => *index = new,
                        None => lost(&mut exprs[id]),
                    },
                    ExprKind::Construct(parts) => {
                        let mut indices = indices.iter();
                        parts.retain(|_| indices.next().is_some_and(Option::is_some));
                    }
                    _ => {}
                }
            }
        });
    }
}
