//! What is done first with a variable.

use crate::tree::{Block, ExprArena, ExprId, ExprKind, LocalId, ParamMode, Program, Stmt, StmtKind};

/// What statements do first with a local, on all ways through them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstUse {
    /// They give it a value as a whole.
    Given,
    /// They use it as it was, or leave the function with it.
    Kept,
    /// Some ways do not use it; the others give it a value.
    Open,
}

impl Program {
    /// What a block does first with a local.
    pub fn first_use(&self, exprs: &ExprArena, block: &Block, local: LocalId) -> FirstUse {
        let mut uses = block.stmts.iter().map(|stmt| self.first_use_of_stmt(exprs, stmt, local));
        uses.find(|first| *first != FirstUse::Open).unwrap_or(FirstUse::Open)
    }

    fn first_use_of_stmt(&self, exprs: &ExprArena, stmt: &Stmt, local: LocalId) -> FirstUse {
        let mut mentions = 0;
        stmt.own_exprs(&mut |root| mentions += count(exprs, root, local));
        let inner = || {
            let mut all = Vec::new();
            stmt.blocks(&mut |block| all.push(self.first_use(exprs, block, local)));
            all
        };
        match &stmt.kind {
            StmtKind::Expr(e) | StmtKind::Local(_, Some(e)) if mentions == 1 && self.gives(exprs, *e, local) => {
                FirstUse::Given
            }
            _ if mentions > 0 => FirstUse::Kept,
            StmtKind::Return(_) => FirstUse::Kept,
            StmtKind::For(init, ..)
                if init.iter().any(|s| self.first_use_of_stmt(exprs, s, local) != FirstUse::Open) =>
            {
                FirstUse::Kept
            }
            StmtKind::If(..)
            | StmtKind::For(..)
            | StmtKind::While(..)
            | StmtKind::DoWhile(..)
            | StmtKind::Switch(..)
            | StmtKind::Block(_) => {
                let all = inner();
                let is_whole = matches!(stmt.kind, StmtKind::If(.., Some(_), _) | StmtKind::Block(_));
                match all.iter().all(|first| *first == FirstUse::Given) {
                    _ if all.contains(&FirstUse::Kept) => FirstUse::Kept,
                    true if is_whole => FirstUse::Given,
                    _ => FirstUse::Open,
                }
            }
            StmtKind::Local(..)
            | StmtKind::Expr(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Discard
            | StmtKind::Intrinsic(_) => FirstUse::Open,
        }
    }

    /// Whether an expression that mentions a local once assigns it, or gives it to a call to be assigned.
    fn gives(&self, exprs: &ExprArena, root: ExprId, local: LocalId) -> bool {
        let is_local = |e: ExprId| matches!(exprs[e].kind, ExprKind::Local(l) if l == local);
        match &exprs[root].kind {
            ExprKind::Assign(None, target, _) if is_local(*target) => true,
            ExprKind::Assign(_, _, value) => self.gives(exprs, *value, local),
            ExprKind::Call(function, args) => {
                let mut params = args.iter().zip(&self.functions[*function].params);
                params.any(|(arg, param)| is_local(*arg) && param.mode == ParamMode::Out)
            }
            _ => false,
        }
    }
}

fn count(exprs: &ExprArena, root: ExprId, local: LocalId) -> usize {
    exprs.post_order(root).into_iter().filter(|e| matches!(exprs[*e].kind, ExprKind::Local(l) if l == local)).count()
}
