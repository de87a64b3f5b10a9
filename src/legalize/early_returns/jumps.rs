//! Jumps out of what some take no part in are flags that go down.
//!
//! Before: `if (a) { x = 1; break; }   y = 2;`
//! After:  `if (a) { x = 1; goes_on = false; }   if (goes_on) { y = 2; }`

use super::{Flags, is_left_by_break, is_loop};
use crate::source::Span;
use crate::tree::*;

/// A loop or switch that has a barrier.
#[derive(Clone, Copy)]
pub(super) enum Target {
    /// All leave it together.
    Switch,
    /// All leave it, and begin its rounds, together.
    Loop,
    /// A case with a flag, by its place among the inner ones.
    Case(usize),
    /// A loop with a flag, and the one of its rounds if it has any.
    Parted(usize, Option<usize>),
}

/// Which jumps become flags, with the outermost of the inner flags that go down.
#[derive(Clone, Copy)]
pub(super) struct Leave {
    pub(super) returns: bool,
    pub(super) breaks: Option<usize>,
    pub(super) continues: Option<usize>,
}

impl Leave {
    /// Those that lead out of a statement inside.
    pub(super) fn inside(self, stmt: &Stmt) -> Leave {
        Leave {
            breaks: self.breaks.filter(|_| !is_left_by_break(stmt)),
            continues: self.continues.filter(|_| !is_loop(stmt)),
            ..self
        }
    }

    /// Whether a statement has such a jump.
    pub(super) fn leaves(self, stmt: &Stmt) -> bool {
        match stmt.kind {
            StmtKind::Return(_) => self.returns,
            StmtKind::Break => self.breaks.is_some(),
            StmtKind::Continue => self.continues.is_some(),
            _ => {
                let (inside, mut found) = (self.inside(stmt), false);
                stmt.blocks(&mut |block| found = found || block.stmts.iter().any(|s| inside.leaves(s)));
                found
            }
        }
    }
}

impl Flags<'_> {
    /// The jumps out of a statement here that become flags.
    pub(super) fn outward(&self) -> Leave {
        let breaks = match self.targets.last() {
            Some(Target::Case(flag) | Target::Parted(flag, _)) => Some(*flag),
            Some(Target::Switch | Target::Loop) | None => None,
        };
        let round = self.targets.iter().rev().find_map(|target| match target {
            Target::Parted(_, round) => Some(*round),
            Target::Loop => Some(None),
            Target::Switch | Target::Case(_) => None,
        });
        Leave { returns: true, breaks, continues: round.flatten() }
    }

    /// Statements without barriers whose jumps become flags; what comes behind those is guarded, or left by `break` in a loop or switch.
    pub(super) fn lowered(&mut self, stmts: Vec<Stmt>, leave: Leave, is_left: bool) -> Option<Vec<Stmt>> {
        let mut out = Vec::new();
        let mut rest = stmts.into_iter();
        while let Some(mut stmt) = rest.next() {
            if !leave.leaves(&stmt) {
                out.push(stmt);
                continue;
            }
            let span = stmt.span;
            if let StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue = stmt.kind {
                self.jump(stmt, leave, &mut out)?;
                if is_left {
                    out.push(Stmt::new(StmtKind::Break, span));
                }
                return Some(out);
            }
            let is_target = is_left_by_break(&stmt);
            let (inside, mut whole) = (leave.inside(&stmt), true);
            stmt.blocks_mut(&mut |block| match self.lowered(
                std::mem::take(&mut block.stmts),
                inside,
                is_left || is_target,
            ) {
                Some(stmts) => block.stmts = stmts,
                None => whole = false,
            });
            whole.then_some(())?;
            out.push(stmt);
            if is_left && is_target {
                let mut b = Build::new(&mut self.program.types, &mut self.body.exprs, span);
                let flag = b.local(self.inner.last().copied().unwrap_or(self.active), TypeId::BOOL);
                out.push(b.break_unless(flag));
            } else if !is_left {
                let rest = self.lowered(rest.collect(), leave, is_left)?;
                if let Some(first) = rest.first() {
                    let span = first.span;
                    out.push(self.guarded(rest, span));
                }
                return Some(out);
            }
        }
        Some(out)
    }

    /// Lowers the flags that a jump leaves.
    fn jump(&mut self, mut stmt: Stmt, leave: Leave, out: &mut Vec<Stmt>) -> Option<()> {
        let from = out.len();
        let first = match stmt.kind {
            StmtKind::Break => leave.breaks?,
            StmtKind::Continue => leave.continues?,
            _ => {
                if let StmtKind::Return(Some(value)) = stmt.kind {
                    let result = self.result?;
                    out.push(
                        Build::new(&mut self.program.types, &mut self.body.exprs, stmt.span).set_local(result, value),
                    );
                }
                self.down = true;
                out.push(self.lower(self.active, stmt.span));
                0
            }
        };
        for flag in self.inner.get(first..).unwrap_or_default().to_vec() {
            out.push(self.lower(flag, stmt.span));
        }
        stmt.give_comments(out.get_mut(from), true);
        Some(())
    }

    fn lower(&mut self, flag: LocalId, span: Span) -> Stmt {
        let mut b = Build::new(&mut self.program.types, &mut self.body.exprs, span);
        let down = b.bool(false);
        b.set_local(flag, down)
    }
}
