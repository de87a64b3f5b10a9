//! The left side of a comma that does nothing goes.
//!
//! Before: `x = (a, b);     y = (max(a, 2), i++, c);`
//! After:  `x = b;          y = (i++, c);`
//!
//! Nobody computes it. It stands before whatever makes statements of commas or asks what is constant: both would have to see
//! through it.

use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::ExprKind;

pub(super) const PASS: Pass = Pass {
    name: "dead_operands",
    always: Some("what does nothing needs no capability"),
    // What stood behind a comma is seen as it is.
    adds: Capability::ALL,
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let effects = cx.effects();
    cx.each_exprs(&mut |_, exprs, live| {
        // Operands come before what they are in, so that a comma of commas is seen as it is left.
        for id in live {
            if let ExprKind::Comma(first, last) = exprs[*id].kind
                && !effects.expr(exprs, first)
            {
                exprs.replace_by(*id, last);
            }
        }
    });
}
