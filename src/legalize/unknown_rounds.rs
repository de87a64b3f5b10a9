//! `[unroll]` goes from loops whose rounds only a running shader knows.
//!
//! Before: `[unroll] for (uint i = 0; i < scene.lightCount; i++)`
//! After:  `for (uint i = 0; i < scene.lightCount; i++)`
//!
//! In Slang it is a wish; DXC refuses such a loop. Source in HLSL is left as it is: it is DXC's own.

use super::constant_parameters::initialized;
use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;

pub(super) const PASS: Pass =
    Pass { name: "unknown_rounds", removes: &[(Capability::UnknownRounds, Find::Stmt(is_unknown))], run, ..Pass::ROW };

/// How often a variable is looked through.
const DEPTH: u32 = 8;

fn run(cx: &mut Context) {
    cx.each_body(&mut |cx, _, body| {
        let mut block = std::mem::take(&mut body.block);
        // The statements around are asked for the values of variables.
        body.block = block.clone();
        block.visit_mut(&mut |stmt| {
            if is_unknown(cx.program, body, stmt)
                && let StmtKind::For(.., hints) | StmtKind::While(.., hints) | StmtKind::DoWhile(.., hints) =
                    &mut stmt.kind
            {
                hints.unroll = None;
            }
        });
        body.block = block;
    });
}

fn is_unknown(program: &Program, body: &Body, stmt: &Stmt) -> bool {
    let (condition, hints) = match &stmt.kind {
        StmtKind::For(_, Some(condition), _, _, hints)
        | StmtKind::While(condition, _, hints)
        | StmtKind::DoWhile(_, condition, hints) => (*condition, hints),
        _ => return false,
    };
    hints.unroll == Some(None) && !body.value_first && is_read(program, body, condition, DEPTH)
}

/// Whether an expression reads memory, or a part of what a function is given; a number that it is given may be a constant.
fn is_read(program: &Program, body: &Body, root: ExprId, depth: u32) -> bool {
    body.exprs.post_order(root).into_iter().any(|id| match body.exprs[id].kind {
        ExprKind::Global(global) => matches!(program.globals[global].kind, GlobalKind::Parameter | GlobalKind::Input),
        ExprKind::Contents(_) | ExprKind::Deref(_) => true,
        ExprKind::Field(..) => body.exprs.base_local(id).is_some_and(|local| !body.locals[local].constant),
        ExprKind::Local(local) if depth > 0 => {
            let value = initialized(&body.block).into_iter().find(|(l, _)| *l == local).and_then(|(_, value)| value);
            value.is_some_and(|value| is_read(program, body, value, depth - 1))
        }
        _ => false,
    })
}
