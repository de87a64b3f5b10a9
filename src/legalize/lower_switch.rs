//! Cases that fall through take a copy of what they fall into.
//!
//! Before: `case 0: a(); case 1: b(); break;`
//! After:  `case 0: a(); b(); break; case 1: b(); break;`
//!
//! Copies are bounded by [`MAX_STATEMENTS`].

use super::flatten::copy_block;
use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::analyses::ends_flow;
use crate::tree::*;

/// A switch does not grow beyond this many statements at its top level.
const MAX_STATEMENTS: usize = 20_000;

pub(super) const PASS: Pass = Pass {
    name: "lower_switch",
    removes: &[(
        Capability::SwitchFallThrough,
        Find::Stmt(|_, _, stmt| matches!(&stmt.kind, StmtKind::Switch(_, cases, _) if falls_through(cases))),
    )],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    cx.each_body(&mut |cx, _, body| {
        let mut block = std::mem::take(&mut body.block);
        let mut too_large = None;
        block.rewrite(&mut |mut stmt, out| {
            if let StmtKind::Switch(_, cases, _) = &mut stmt.kind
                && !complete_cases(body, cases)
            {
                too_large = Some(stmt.span);
            }
            out.push(stmt);
        });
        body.block = block;
        if let Some(span) = too_large {
            cx.unsupported(span, "the cases of this switch that fall through make it too large");
        }
    });
}

/// Whether some case runs on into the next one. Labels without statements between them are labels of one case.
fn falls_through(cases: &[SwitchCase]) -> bool {
    cases.iter().rev().skip(1).any(|case| !case.body.stmts.is_empty() && !ends_flow(&case.body))
}

/// Falls through from the last to the first, so that each copy is complete already. `false` if it grows too large.
fn complete_cases(body: &mut Body, cases: &mut Vec<SwitchCase>) -> bool {
    merge_empty(cases);
    let mut total: usize = cases.iter().map(|c| c.body.stmts.len()).sum();
    for i in (0..cases.len().saturating_sub(1)).rev() {
        let (head, tail) = cases.split_at_mut(i + 1);
        let (Some(case), Some(next)) = (head.last_mut(), tail.first()) else { continue };
        if !ends_flow(&case.body) {
            total += next.body.stmts.len();
            if total > MAX_STATEMENTS {
                return false;
            }
            let copy = copy_block(body, &next.body).stmts;
            let span = copy.last().or(case.body.stmts.last()).map(|s| s.span);
            case.body.stmts.extend(copy);
            // The last case needs no `break`, this one does.
            if let Some(span) = span.filter(|_| !ends_flow(&case.body)) {
                case.body.stmts.push(Stmt::new(StmtKind::Break, span));
            }
        }
    }
    true
}

/// `case 0: case 1: ...` is one case with two labels.
fn merge_empty(cases: &mut Vec<SwitchCase>) {
    let mut merged: Vec<SwitchCase> = Vec::with_capacity(cases.len());
    for case in cases.drain(..) {
        match merged.last_mut() {
            Some(last) if last.body.stmts.is_empty() => {
                last.labels.extend(case.labels);
                last.comments.extend(case.comments);
                last.body = case.body;
            }
            _ => merged.push(case),
        }
    }
    *cases = merged;
}
