//! Where control goes.

use crate::tree::{Block, ExprArena, ExprId, ExprKind, Literal, Stmt, StmtKind};

/// Whether control never comes to the end of a block: statements after the one that leaves it are dead.
///
/// `discard` ends nothing: the invocation goes on as a helper.
pub fn ends_flow(block: &Block) -> bool {
    reached(block).is_some()
}

/// How many statements of a block control reaches, if it never comes to the end.
pub fn reached(block: &Block) -> Option<usize> {
    block.stmts.iter().position(leaves).map(|at| at + 1)
}

/// Whether control never comes behind a statement.
pub fn leaves(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => true,
        StmtKind::Block(inner) => ends_flow(inner),
        StmtKind::If(_, then, Some(other), _) => ends_flow(then) && ends_flow(other),
        _ => false,
    }
}

/// Whether control may come to the end of a block, where C++ compilers warn of a missing `return`: conditions count if their
/// value is `known`, and a loop without an end ends nothing but by `break`.
pub fn may_complete(block: &Block, known: &dyn Fn(ExprId) -> Option<bool>) -> bool {
    block.stmts.iter().all(|stmt| completes(stmt, known))
}

fn completes(stmt: &Stmt, known: &dyn Fn(ExprId) -> Option<bool>) -> bool {
    match &stmt.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => false,
        StmtKind::Block(inner) => may_complete(inner, known),
        StmtKind::If(condition, then, other, _) => {
            let falls = |block: &Option<Block>| block.as_ref().is_none_or(|b| may_complete(b, known));
            match known(*condition) {
                Some(true) => may_complete(then, known),
                Some(false) => falls(other),
                None => may_complete(then, known) || falls(other),
            }
        }
        StmtKind::For(_, condition, _, body, _) => {
            let endless = condition.is_none_or(|c| known(c) == Some(true));
            !endless || reaches_break(body, known)
        }
        StmtKind::While(condition, body, _) => known(*condition) != Some(true) || reaches_break(body, known),
        StmtKind::DoWhile(body, condition, _) => {
            let again = may_complete(body, known) || continues(body);
            reaches_break(body, known) || again && known(*condition) != Some(true)
        }
        StmtKind::Switch(_, cases, _) => {
            let default = cases.iter().any(|case| case.labels.contains(&None));
            let last = cases.last().is_none_or(|case| may_complete(&case.body, known));
            !default || last || cases.iter().any(|case| reaches_break(&case.body, known))
        }
        StmtKind::Local(..) | StmtKind::Expr(_) | StmtKind::Discard | StmtKind::Intrinsic(_) => true,
    }
}

/// Whether control may reach a `break` of a block for the loop or switch that it is in: one behind a `return` is not reached.
fn reaches_break(block: &Block, known: &dyn Fn(ExprId) -> Option<bool>) -> bool {
    for stmt in &block.stmts {
        let found = match &stmt.kind {
            StmtKind::Break => true,
            StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::Switch(..) => false,
            _ => inner_blocks(stmt, &mut |inner| reaches_break(inner, known)),
        };
        if found || !completes(stmt, known) {
            return found;
        }
    }
    false
}

/// Whether a statement is a loop that nothing ends: control reaches no `break`, `return` or `discard` in it, and its condition
/// is a literal.
pub fn is_endless(exprs: &ExprArena, stmt: &Stmt) -> bool {
    let is_true = |condition: ExprId| literal_condition(exprs, condition) == Some(true);
    let body = match &stmt.kind {
        StmtKind::For(_, condition, _, body, _) if condition.is_none_or(is_true) => body,
        StmtKind::While(condition, body, _) | StmtKind::DoWhile(body, condition, _) if is_true(*condition) => body,
        _ => return false,
    };
    !may_leave(exprs, body, true)
}

/// Calls `f` with the loops of a block that nothing ends and that control may reach.
pub fn endless_loops(exprs: &ExprArena, block: &Block, f: &mut dyn FnMut(&Stmt)) {
    for stmt in block.stmts.iter().take(reached(block).unwrap_or(block.stmts.len())) {
        if is_endless(exprs, stmt) {
            f(stmt);
        }
        match &stmt.kind {
            StmtKind::If(condition, then, other, _) => {
                let taken = literal_condition(exprs, *condition);
                let then = Some(then).filter(|_| taken != Some(false));
                let other = other.as_ref().filter(|_| taken != Some(true));
                then.into_iter().chain(other).for_each(|inner| endless_loops(exprs, inner, f));
            }
            _ => stmt.blocks(&mut |inner| endless_loops(exprs, inner, f)),
        }
    }
}

/// Whether control may reach a statement in a block that leaves the loop around it: conditions count only if they are literals.
fn may_leave(exprs: &ExprArena, block: &Block, own: bool) -> bool {
    let count = reached(block).unwrap_or(block.stmts.len());
    block.stmts.iter().take(count).any(|stmt| match &stmt.kind {
        StmtKind::Break => own,
        StmtKind::Return(_) | StmtKind::Discard => true,
        StmtKind::If(condition, then, other, _) => {
            let otherwise = || other.as_ref().is_some_and(|b| may_leave(exprs, b, own));
            match literal_condition(exprs, *condition) {
                Some(true) => may_leave(exprs, then, own),
                Some(false) => otherwise(),
                None => may_leave(exprs, then, own) || otherwise(),
            }
        }
        StmtKind::Block(inner) => may_leave(exprs, inner, own),
        StmtKind::For(_, _, _, body, _) | StmtKind::While(_, body, _) | StmtKind::DoWhile(body, _, _) => {
            may_leave(exprs, body, false)
        }
        StmtKind::Switch(_, cases, _) => cases.iter().any(|case| may_leave(exprs, &case.body, false)),
        StmtKind::Continue | StmtKind::Local(..) | StmtKind::Expr(_) | StmtKind::Intrinsic(_) => false,
    })
}

/// The value of a condition that is a literal, or one converted.
fn literal_condition(exprs: &ExprArena, condition: ExprId) -> Option<bool> {
    match &exprs[condition].kind {
        ExprKind::Literal(Literal::Bool(value), _) => Some(*value),
        ExprKind::Literal(Literal::Int(value), _) => Some(*value != 0),
        ExprKind::Convert(inner, _) => match &exprs[*inner].kind {
            ExprKind::Literal(Literal::Int(value), _) => Some(*value != 0),
            ExprKind::Literal(Literal::Bool(value), _) => Some(*value),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a block has a `break` for the loop or switch that it is in.
pub fn breaks(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::Switch(..) => false,
        _ => inner_blocks(stmt, &mut breaks),
    })
}

/// Whether a block has a `continue` for the loop that it is in.
pub fn continues(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Continue => true,
        StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..) => false,
        _ => inner_blocks(stmt, &mut continues),
    })
}

/// Whether a block has a `continue` inside of a switch for the loop that it is in: a `break` in its place leaves the switch.
pub fn continues_in_switch(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Switch(..) => inner_blocks(stmt, &mut continues),
        StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..) => false,
        _ => inner_blocks(stmt, &mut continues_in_switch),
    })
}

fn inner_blocks(stmt: &Stmt, holds: &mut dyn FnMut(&Block) -> bool) -> bool {
    let mut found = false;
    stmt.blocks(&mut |block| found = found || holds(block));
    found
}
