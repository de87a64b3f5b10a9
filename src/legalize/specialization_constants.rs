//! Specialization constants: an id for each, or, where the target has none, constants of the source's value.
//!
//! Before: `[vk::constant_id(0)] const int samples = 4;  [SpecializationConstant] const int mode = 1;`
//! After:  `static const int samples = 4;                static const int mode = 1;`
//!
//! Ids that the source does not give are the lowest free ones, in order of declaration. One without a value is zero.
//!
//! Removes: SpecializationConstants. Adds: none.

use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;
use std::collections::BTreeSet;

pub(super) const PASS: Pass = Pass { name: "specialization_constants", removes: &[], adds: &[], run };

fn run(cx: &mut Context) {
    let native = cx.profile.has(Capability::SpecializationConstants);
    let mut taken: BTreeSet<u32> =
        cx.program.globals.iter().filter_map(|(_, g)| g.explicit.constant_id.flatten()).collect();
    for (_, global) in cx.program.globals.iter_mut().filter(|(_, g)| g.kind == GlobalKind::Specialization) {
        if global.explicit.constant_id.flatten().is_none() {
            let id = (0..).find(|id| !taken.contains(id)).unwrap_or(0);
            taken.insert(id);
            global.explicit.constant_id = Some(Some(id));
        }
        if !native {
            global.kind = GlobalKind::Const;
        }
        if global.init.is_none() {
            let mut exprs = ExprArena::default();
            let root = exprs.push(Expr { kind: ExprKind::Zero, ty: global.ty, span: global.span });
            global.init = Some(ExprTree { exprs, root });
        }
    }
}
