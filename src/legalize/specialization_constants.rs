//! Specialization constants as constants of the source's value.
//!
//! Before: `[vk::constant_id(0)] const int samples = 4;`
//! After:  `static const int samples = 4;`
//!
//! Removes: SpecializationConstants. Adds: none. One without a value is zero.

use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;

pub(super) const PASS: Pass =
    Pass { name: "specialization_constants", removes: &[Capability::SpecializationConstants], adds: &[], run };

fn run(cx: &mut Context) {
    for (_, global) in cx.program.globals.iter_mut().filter(|(_, g)| g.kind == GlobalKind::Specialization) {
        global.kind = GlobalKind::Const;
        if global.init.is_none() {
            let mut exprs = ExprArena::default();
            let root = exprs.push(Expr { kind: ExprKind::Zero, ty: global.ty, span: global.span });
            global.init = Some(ExprTree { exprs, root });
        }
    }
}
