//! Specialization constants: an id for each, or, where the target has none, constants of the source's value.
//!
//! Before: `[vk::constant_id(0)] const int samples = 4;  [SpecializationConstant] const int mode = 1;`
//! After:  `static const int samples = 4;                static const int mode = 1;`
//!
//! Ids that the source does not give are those that layout gave. One without a value is zero.

use super::needs::Find;
use super::{Context, Pass};
use crate::check::constant::eval;
use crate::layout::Unit;
use crate::target::Capability;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "specialization_constants",
    always: Some("targets that have them need their ids"),
    removes: &[(Capability::SpecializationConstants, Find::Global(|_, g| g.kind == GlobalKind::Specialization))],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let native = cx.profile.has(Capability::SpecializationConstants);
    let constants: Vec<GlobalId> =
        cx.program.globals.iter().filter(|(_, g)| g.kind == GlobalKind::Specialization).map(|(id, _)| id).collect();
    if !native {
        cx.program.entry_points.iter_mut().for_each(|e| e.workgroup_constants = [None; 3]);
    }
    for id in constants {
        let placed = cx.position(id).filter(|(_, layout)| layout.counts.get(Unit::Specialization) > 0);
        let placed = placed.and_then(|(place, _)| u32::try_from(place.offset.get(Unit::Specialization)).ok());
        let global = &mut cx.program.globals[id];
        if let Some(number) = placed {
            global.explicit.constant_id = Some(Some(number));
        }
        if !native {
            global.kind = GlobalKind::Const;
        }
        if global.init.is_none() {
            let mut exprs = ExprArena::default();
            let root = exprs.push(Expr { kind: ExprKind::Zero, ty: global.ty, span: global.span });
            global.init = Some(ExprTree { exprs, root });
        }
        call_nothing(cx.program, id);
    }
}

/// What stands first in a specialization constant calls nothing: not all compilers compute calls there.
fn call_nothing(program: &mut Program, id: GlobalId) {
    let Global { ty, span, ref init, .. } = program.globals[id];
    let Some(tree) = init else { return };
    let calls = |e: ExprId| matches!(tree.exprs[e].kind, ExprKind::Call(..));
    if !tree.exprs.any_part(tree.root, calls) {
        return;
    }
    let mut exprs = ExprArena::default();
    if let Ok(value) = eval(program, &tree.exprs, tree.root)
        && let Some(root) = value.to_expr(&mut exprs, program, ty, span)
    {
        program.globals[id].init = Some(ExprTree { exprs, root });
    }
}
