//! What a `continue` leaves out of a round becomes a branch, which says where flow comes together again.
//!
//! Before: `for (...) { if (far) continue; color += atlas.Sample(s, uv); }`
//! After:  `for (...) { if (!far) { color += atlas.Sample(s, uv); } }`
//!
//! Only where the condition is what a derivative behind it depends on, and the `continue` ends a branch at the end of which the round
//! would end as well. A part of [`super`].

use crate::legalize::Context;
use crate::lex::Comment;
use crate::source::Span;
use crate::tree::analyses::uniformity::Fault;
use crate::tree::*;
use rustc_hash::FxHashSet;

/// Rewrites the loops of all functions; whether any was.
pub(super) fn nest(cx: &mut Context, faults: &[Fault]) -> bool {
    let causes: FxHashSet<Span> = faults.iter().map(|fault| fault.cause).collect();
    let mut any = false;
    for id in cx.program.functions_with_code() {
        let Program { functions, types, .. } = &mut *cx.program;
        let Body { block, exprs, .. } = &mut functions[id].code;
        block.visit_mut(&mut |stmt| {
            if matches!(stmt.kind, StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..)) {
                stmt.blocks_mut(&mut |round| any |= nest_in(round, (types, exprs), Some(&causes)));
            }
        });
    }
    any
}

/// Rewrites a block whose end is the end of the round, from the first branch on of which the condition is one of those given.
fn nest_in(block: &mut Block, (types, exprs): (&mut Types, &mut ExprArena), causes: Option<&FxHashSet<Span>>) -> bool {
    let leaves = |stmt: &Stmt| match &stmt.kind {
        StmtKind::If(condition, then, None, _) => {
            let ends = then.stmts.last().is_some_and(|last| matches!(last.kind, StmtKind::Continue));
            ends && causes.is_none_or(|causes| causes.contains(&exprs[*condition].span))
        }
        _ => false,
    };
    let Some(at) = block.stmts.iter().position(leaves) else { return false };
    let mut rest = Block::of(block.stmts.split_off(at + 1));
    // Behind it the flow has parted already.
    nest_in(&mut rest, (types, exprs), None);
    let Some(Stmt { kind: StmtKind::If(condition, then, other, _), comments, span, .. }) = block.stmts.last_mut()
    else {
        return false;
    };
    let of_end = then.stmts.pop().into_iter().flat_map(|last| last.comments);
    let left: Vec<Comment> = of_end.map(|c| Comment { trailing: false, ..c }).chain(then.trailing.drain(..)).collect();
    if then.stmts.is_empty() {
        // They tell why the round ends here.
        comments.extend(left);
        *condition = Build::new(types, exprs, *span).not(*condition);
        *then = rest;
    } else {
        then.trailing = left;
        *other = Some(rest);
    }
    true
}
