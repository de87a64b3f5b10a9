//! Logarithms, arc functions, powers and derivatives of constants that are not finite: DXC refuses to compute them ("No indefinite
//! logarithm", DXIL's validation rules `InstrNoIndefinite...`).
//!
//! `static float zero` hides nothing from DXC, which sees that it is never written. So such a call is an error.

use super::defined::domain;
use super::derivatives::DERIVATIVE;
use super::hidden_constants::limit;
use super::known_operands::first_values;
use super::needs::callee;
use crate::check::constant::{Value, about};
use crate::source::Span;
use crate::tree::{Body, ExprArena, ExprId, Function, LocalId, Program};
use rustc_hash::FxHashMap;

/// The words of `[__defined("...")]` of the functions that DXC computes so.
const WORDS: &[&str] = &["unit", "positive", "power"];

/// The first call for such a constant, or for a variable that is never another one.
pub(super) fn of_body(program: &Program, body: &Body, live: &[ExprId]) -> Option<Span> {
    let calls: Vec<ExprId> = live.iter().copied().filter(|id| arguments(program, &body.exprs, *id).is_some()).collect();
    if calls.is_empty() {
        return None;
    }
    let mut values: FxHashMap<LocalId, Value> = FxHashMap::default();
    for (local, init) in first_values(program, body) {
        let value = about(program, &body.exprs, init, &|local| values.get(&local).cloned());
        values.extend(value.ok().map(|value| (local, value)));
    }
    let known = |local| values.get(&local).cloned();
    calls.into_iter().find_map(|id| infinite(program, &body.exprs, id, &known))
}

/// Whether the value of a variable of the module calls one so.
pub(super) fn of_value(program: &Program, exprs: &ExprArena, root: ExprId) -> bool {
    exprs.any_part(root, |id| infinite(program, exprs, id, &|_| None).is_some())
}

/// The arguments of a call of such a function.
fn arguments<'a>(program: &'a Program, exprs: &'a ExprArena, id: ExprId) -> Option<&'a [ExprId]> {
    callee(program, exprs, id).filter(|(function, _)| computes(function)).map(|(_, args)| args)
}

fn computes(function: &Function) -> bool {
    domain(function).is_some_and(|word| WORDS.contains(&word.as_str())) || function.is_marked(DERIVATIVE)
}

fn infinite(
    program: &Program,
    exprs: &ExprArena,
    id: ExprId,
    known: &dyn Fn(LocalId) -> Option<Value>,
) -> Option<Span> {
    let args = arguments(program, exprs, id)?;
    let infinite = |arg: &&ExprId| about(program, exprs, **arg, known).is_ok_and(|value| is_infinite(&value));
    args.iter().find(infinite).map(|arg| exprs[*arg].span)
}

/// Whether a number is infinite; what is not a number passes DXC's validation.
fn is_infinite(value: &Value) -> bool {
    match value {
        Value::Float(number, scalar) => number.abs() > limit(*scalar),
        Value::Composite(parts) => parts.iter().any(is_infinite),
        Value::Bool(_) | Value::Int(..) | Value::Text(_) => false,
    }
}
