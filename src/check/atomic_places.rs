//! Parameters that an atomic operation changes are the memory that they are given, not copies of it.
//!
//! `uint next(out uint count) { uint old; InterlockedAdd(count, 1, old); return old; }    next(counts[i])`
//!
//! Slang does it so for elements of buffers and what is behind pointers; of a copy, an atomic operation would change nothing.

use crate::tree::{ExprArena, ExprId, ExprKind, FunctionId, Item, LocalId, ParamMode, Program, Type};
use rustc_hash::FxHashSet;

/// Passes them by reference, with those of the functions that hand them on.
pub(super) fn pass_by_reference(program: &mut Program, reached: &[Item]) {
    let functions: Vec<FunctionId> = reached.iter().filter_map(|item| item.function()).collect();
    // Each round changes a parameter or ends.
    let mut changed = true;
    while changed {
        changed = false;
        for &id in &functions {
            let places = referred_locals(program, id);
            let function = &mut program.functions[id];
            if places.is_empty() || function.builtin {
                continue;
            }
            let params = function.params.iter_mut().skip(usize::from(function.owner.is_some()));
            let copied = params.filter(|p| matches!(p.mode, ParamMode::Out | ParamMode::InOut));
            for param in copied.filter(|p| places.contains(&p.local)) {
                param.mode = ParamMode::Ref;
                changed = true;
            }
        }
    }
}

/// The locals of which a function hands on parts by reference.
fn referred_locals(program: &Program, id: FunctionId) -> FxHashSet<LocalId> {
    let code = &program.functions[id].code;
    let mut places = FxHashSet::default();
    for call in code.expressions() {
        let ExprKind::Call(callee, args) = &code.exprs[call].kind else { continue };
        let given = args.iter().zip(&program.functions[*callee].params);
        let referred = given.filter(|(_, param)| param.mode == ParamMode::Ref).map(|(arg, _)| *arg);
        places.extend(
            referred
                .filter(|arg| !is_elsewhere(program, &code.exprs, *arg))
                .filter_map(|arg| code.exprs.base_local(arg)),
        );
    }
    places
}

/// Whether a place is in a resource or behind a pointer, so that it is no part of a variable.
fn is_elsewhere(program: &Program, exprs: &ExprArena, place: ExprId) -> bool {
    let ty = |id: ExprId| program.types.get(exprs[id].ty);
    exprs.way_to_base(place).any(|id| ty(id).is_resource() || matches!(ty(id), Type::Pointer(..)))
}
