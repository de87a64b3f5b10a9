//! A variable of the module that is a struct or an array, and of which a struct or an array is written as a whole, gets its first value
//! when the shader starts.
//!
//! Before: `static State state = { 1, 2.0 };                                                     step(state);`
//! After:  `static const State state_first = { 1, 2.0 };   static State state = state_first;    step(state);`
//!
//! DXC forgets a list of constants where the variable is copied back from what it was copied to, as by an `inout` argument: parts
//! that nothing else writes are undefined then. Where there is no first value, it does not come to an end. It keeps a value that it
//! stores: one of a constant, or `(State)0`.

use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;
use std::collections::BTreeSet;

pub(super) const PASS: Pass = Pass {
    name: "copied_statics",
    removes: &[(
        Capability::CopiedStatics,
        Find::at(ExprKinds::WRITES, |p, exprs, id| !forgotten(p, exprs, id).is_empty()),
    )],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let mut found: BTreeSet<GlobalId> = BTreeSet::new();
    cx.program.each_exprs(&mut |exprs, live| {
        found.extend(live.iter().flat_map(|id| forgotten(cx.program, exprs, *id)));
    });
    found.into_iter().for_each(|id| keep(cx, id));
}

/// The variables of which an expression writes a struct or an array, and whose first values the target may forget.
fn forgotten(program: &Program, exprs: &ExprArena, id: ExprId) -> Vec<GlobalId> {
    let mut found = Vec::new();
    program.each_written(exprs, id, &mut |place| {
        if program.members(exprs[place].ty).is_some()
            && let ExprKind::Global(global) = exprs[exprs.base(place)].kind
            && is_listed(program, &program.globals[global])
        {
            found.push(global);
        }
    });
    found
}

/// Whether a variable of data has a list for its first value, or none.
fn is_listed(program: &Program, global: &Global) -> bool {
    let is_list = |tree: &ExprTree| matches!(tree.exprs[tree.root].kind, ExprKind::Construct(_));
    let is_data = |leaf: &Type| matches!(leaf, Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..));
    global.kind == GlobalKind::Static
        && global.init.as_ref().is_none_or(is_list)
        && !program.any_leaf(global.ty, &mut |leaf| !is_data(&leaf))
}

/// Gives a variable a first value that is stored.
fn keep(cx: &mut Context, id: GlobalId) {
    let Global { ty, span, name, .. } = cx.program.globals[id];
    let kind = match cx.program.globals[id].init.take() {
        Some(init) => {
            let first = Global::new(format!("{name}_first").as_str(), ty, GlobalKind::Const, span);
            let first = cx.program.globals.push(Global { init: Some(init), ..first });
            cx.program.items.put_before(Some(Item::Global(id)), Item::Global(first));
            ExprKind::Global(first)
        }
        None => ExprKind::Zero,
    };
    let mut exprs = ExprArena::default();
    let root = exprs.push(Expr { kind, ty, span });
    cx.program.globals[id].init = Some(ExprTree { exprs, root });
}
