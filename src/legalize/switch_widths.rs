//! A `switch` over other integers than those of 32 bits goes by one of 32 bits.
//!
//! Before: `switch (wide) { case 0x100000000: ... }`          `switch (small) { case 1: ... }` of 16 bits
//! After:  `int selected = wide == 0x100000000 ? 0 : 1;`        `switch (int(small)) { case 1: ... }`
//!         `switch (selected) { case 0: ... }`

use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;

pub(super) const PASS: Pass = Pass {
    name: "switch_widths",
    removes: &[(
        Capability::SwitchWidths,
        Find::Stmt(
            |p, body, stmt| matches!(stmt.kind, StmtKind::Switch(value, ..) if width(&p.types, &body.exprs, value).is_some()),
        ),
    )],
    after: &["inline_builtins", "lower_enums"],
    run,
    ..Pass::ROW
};

/// The bytes of an integer that is switched over, if they are not four.
fn width(types: &Types, exprs: &ExprArena, value: ExprId) -> Option<u32> {
    match types.get(exprs[value].ty) {
        Type::Scalar(s) if s.is_integer() && s.size() != 4 => Some(s.size()),
        _ => None,
    }
}

fn run(cx: &mut Context) {
    cx.each_body(&mut |cx, _, body| {
        let mut block = std::mem::take(&mut body.block);
        block.rewrite(&mut |mut stmt, out| {
            if let StmtKind::Switch(value, cases, _) = &mut stmt.kind
                && let Some(width) = width(&cx.program.types, &body.exprs, *value)
            {
                if width < 4 {
                    narrow(cx.program, body, value, cases);
                } else {
                    out.extend(wide(cx.program, body, value, cases));
                }
            }
            out.push(stmt);
        });
        body.block = block;
    });
}

/// The value and its labels converted.
fn narrow(program: &mut Program, body: &mut Body, value: &mut ExprId, cases: &mut [SwitchCase]) {
    let mut labels: Vec<&mut ExprId> = cases.iter_mut().flat_map(|c| c.labels.iter_mut().flatten()).collect();
    for id in labels.iter_mut() {
        let literal = body.exprs[**id].clone();
        let mut b = Build::new(&mut program.types, &mut body.exprs, literal.span);
        **id = match literal.kind {
            ExprKind::Literal(..) => b.add(literal.kind, TypeId::INT),
            _ => b.convert(**id, TypeId::INT),
        };
    }
    let span = body.exprs[*value].span;
    *value = Build::new(&mut program.types, &mut body.exprs, span).convert(*value, TypeId::INT);
}

/// The number of the label that the value equals, in variables before the `switch`; the labels become these numbers.
fn wide(program: &mut Program, body: &mut Body, value: &mut ExprId, cases: &mut [SwitchCase]) -> Vec<Stmt> {
    let Expr { ty, span, .. } = body.exprs[*value];
    let kept = body.add_local("value", ty, span);
    let selected = body.add_local("selected", TypeId::INT, span);
    for local in [kept, selected] {
        body.locals[local].constant = true;
    }
    let mut labels: Vec<&mut ExprId> = cases.iter_mut().flat_map(|c| c.labels.iter_mut().flatten()).collect();
    let mut b = Build::new(&mut program.types, &mut body.exprs, span);
    let mut choice = b.int(labels.len() as i64);
    for (at, label) in labels.iter_mut().enumerate().rev() {
        let (value, number) = (b.local(kept, ty), b.int(at as i64));
        let test = b.binary(BinaryOp::Equal, value, **label);
        choice = b.add(ExprKind::Select(test, number, choice), TypeId::INT);
        **label = b.int(at as i64);
    }
    let before = [(kept, *value), (selected, choice)];
    *value = b.local(selected, TypeId::INT);
    before.map(|(local, init)| Stmt::new(StmtKind::Local(local, Some(init)), span)).into()
}
