//! Where control goes.

use crate::tree::{Block, StmtKind};

/// Whether control never comes to the end of a block: statements after the one that leaves it are dead.
///
/// `discard` ends nothing: the invocation goes on as a helper.
pub fn ends_flow(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => true,
        StmtKind::Block(inner) => ends_flow(inner),
        StmtKind::If(_, then, Some(other), _) => ends_flow(then) && ends_flow(other),
        _ => false,
    })
}
