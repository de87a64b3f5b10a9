//! A `break` that control never reaches goes from a loop.
//!
//! Before: `while (x) { if (y) { break; a = 1; break; } }`
//! After:  `while (x) { if (y) { break; a = 1; } }`
//!
//! It says nothing, and DXC ends without a word at the second one. Other statements behind a jump stay where they are.

use super::{Context, Pass};
use crate::tree::analyses::reached;
use crate::tree::{Block, StmtKind};

pub(super) const PASS: Pass = Pass {
    name: "dead_jumps",
    always: Some("a second `break` says nothing, and a compiler of what is emitted may end at it"),
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    cx.each_body(&mut |_, _, body| {
        let mut breaks = false;
        body.block.visit(&mut |stmt| breaks |= matches!(stmt.kind, StmtKind::Break));
        if breaks {
            within(&mut body.block, false);
        }
    });
}

fn within(block: &mut Block, in_loop: bool) {
    if let Some(count) = reached(block).filter(|count| in_loop && *count < block.stmts.len()) {
        let mut index = 0;
        block.stmts.retain(|stmt| {
            index += 1;
            index <= count || !matches!(stmt.kind, StmtKind::Break)
        });
    }
    for stmt in &mut block.stmts {
        let is_loop = matches!(stmt.kind, StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..));
        stmt.blocks_mut(&mut |inner| within(inner, in_loop || is_loop));
    }
}
