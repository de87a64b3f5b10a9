//! Divisors and distances of shifts that are no constants, of which a target knows some component nevertheless, through the names
//! of variables that are never written.
//!
//! Before: `let none = 0;   let by = uint2(32, n);   m / none     pair << by            pair << uint2(32, n)`
//! After:  `let none = 0;   let by = uint2(32, n);   m / (none - zero)   pair << (by - zero)   pair << uint2(32 - zero, n)`

use super::wrapping_constants::is_unknown;
use crate::check::constant::{Value, eval, is_wide};
use crate::tree::{BinaryOp, Body, ExprId, ExprKind, LocalId, Program, Scalar, StmtKind};
use rustc_hash::FxHashMap;

/// How far variables that name one another are followed.
const MOST_NAMES: u32 = 16;

/// The parts of such operands that a target refuses.
pub(super) fn refused(program: &Program, body: &Body, live: &[ExprId]) -> Vec<ExprId> {
    let mut found = Vec::new();
    let operands: Vec<Operand> = live.iter().filter_map(|id| operand(program, body, *id)).collect();
    if operands.is_empty() {
        return found;
    }
    let names = NamedOperands { program, body, values: first_values(program, body).into_iter().collect() };
    for operand in operands {
        names.parts(&operand, operand.id, MOST_NAMES, &mut found);
    }
    found
}

/// What a number is divided or shifted by.
struct Operand {
    id: ExprId,
    divides: bool,
    /// The kind of the number.
    scalar: Scalar,
}

/// The right operand of a division or shift of integers; what is constant is looked at elsewhere.
fn operand(program: &Program, body: &Body, id: ExprId) -> Option<Operand> {
    let (ExprKind::Binary(op, number, id) | ExprKind::Assign(Some(op), number, id)) = body.exprs[id].kind else {
        return None;
    };
    let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
    let scalar = program.types.component(body.exprs[number].ty).filter(|s| s.is_integer())?;
    let applies = divides || matches!(op, BinaryOp::Shl | BinaryOp::Shr);
    (applies && eval(program, &body.exprs, id).is_err()).then_some(Operand { id, divides, scalar })
}

/// The values of variables that have one alone, in the order of their declarations.
pub(super) fn first_values(program: &Program, body: &Body) -> Vec<(LocalId, ExprId)> {
    let written = program.written_locals(body);
    let mut values = Vec::new();
    body.block.visit(&mut |stmt| {
        if let StmtKind::Local(local, Some(value)) = stmt.kind
            && !written.contains(&local)
        {
            values.push((local, value));
        }
    });
    values
}

struct NamedOperands<'a> {
    program: &'a Program,
    body: &'a Body,
    values: FxHashMap<LocalId, ExprId>,
}

impl NamedOperands<'_> {
    /// The parts of an expression, within an operand, that are refused.
    fn parts(&self, operand: &Operand, id: ExprId, depth: u32, found: &mut Vec<ExprId>) {
        let exprs = &self.body.exprs;
        if is_unknown(self.program, exprs, id) {
            return found.push(id);
        }
        if eval(self.program, exprs, id).is_ok() {
            found.extend(self.is_refused(operand, id).then_some(id));
            return;
        }
        match &exprs[id].kind {
            ExprKind::Construct(parts) => parts.iter().for_each(|part| self.parts(operand, *part, depth, found)),
            ExprKind::Convert(inner, _) => self.parts(operand, *inner, depth, found),
            ExprKind::Local(local) if depth > 0 => {
                let Some(value) = self.values.get(local) else { return };
                let mut inner = Vec::new();
                self.parts(operand, *value, depth - 1, &mut inner);
                found.extend((!inner.is_empty()).then_some(id));
            }
            _ => {}
        }
    }

    fn is_refused(&self, operand: &Operand, id: ExprId) -> bool {
        match operand.divides {
            true => eval(self.program, &self.body.exprs, id).is_ok_and(|value| has_zero(&value)),
            false => is_wide(self.program, &self.body.exprs, id, operand.scalar),
        }
    }
}

fn has_zero(value: &Value) -> bool {
    match value {
        Value::Composite(parts) => parts.iter().any(has_zero),
        value => value.int() == Some(0),
    }
}
