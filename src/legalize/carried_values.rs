//! The values that variables have where constants alone were assigned to them, from one statement to the next; and those that
//! counters go through.

use super::constant_parameters::initialized;
use crate::check::constant::{Value, eval_with, operate};
use crate::tree::analyses::effects::target;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// What counters of floats count below, and in parts of what.
const LARGEST_COUNT: f64 = 128.0;
const PARTS_OF_ONE: f64 = 8.0;

pub(super) type Values = FxHashMap<LocalId, Value>;

/// What an assignment or step makes of the value of its place.
pub(super) fn stepped(
    exprs: &ExprArena,
    step: ExprId,
    now: &Value,
    at: &dyn Fn(ExprId) -> Option<Value>,
) -> Option<Value> {
    match &exprs[step].kind {
        ExprKind::Step(true, _, _) => moved(BinaryOp::Add, now, &one(now)?),
        ExprKind::Step(false, _, _) => moved(BinaryOp::Sub, now, &one(now)?),
        ExprKind::Assign(None, _, value) => at(*value),
        ExprKind::Assign(Some(op), _, by) => moved(*op, now, &at(*by)?),
        _ => None,
    }
}

/// One of the kind of a counter.
fn one(now: &Value) -> Option<Value> {
    Some(match now {
        Value::Int(_, scalar) => Value::Int(1, *scalar),
        Value::Float(_, scalar) => Value::Float(1.0, *scalar),
        Value::Composite(parts) => Value::Composite(parts.iter().map(one).collect::<Option<_>>()?),
        Value::Bool(_) | Value::Text(_) => return None,
    })
}

/// What an operator and a number make of a counter.
fn moved(op: BinaryOp, now: &Value, by: &Value) -> Option<Value> {
    match (now, by) {
        (Value::Int(_, scalar), Value::Int(by, _)) => operate(op, now, &Value::Int(*by, *scalar)),
        (Value::Float(..), Value::Float(..)) => operate(op, now, by),
        (Value::Composite(now), Value::Composite(by)) if now.len() == by.len() => {
            let parts = now.iter().zip(by).map(|(now, by)| moved(op, now, by));
            parts.collect::<Option<_>>().map(Value::Composite)
        }
        _ => None,
    }
}

/// Whether a value is one that no compiler rounds: of integers, or floats that every kind of float has.
pub(super) fn is_exact(now: &Value) -> bool {
    match now {
        Value::Int(..) => true,
        Value::Float(x, _) => x.abs() < LARGEST_COUNT && (x * PARTS_OF_ONE).fract() == 0.0,
        Value::Composite(parts) => parts.iter().all(is_exact),
        Value::Bool(_) | Value::Text(_) => false,
    }
}

/// Writes the values of variables that are assigned to where a target wants constants.
///
/// Before: `int2 o = int2(0, 0); t.Sample(s, uv, o); o += int2(1, 0); t.Sample(s, uv, o);`
/// After:  `int2 o = int2(0, 0); t.Sample(s, uv, int2(0, 0)); o += int2(1, 0); t.Sample(s, uv, int2(1, 0));`
///
/// `wanted` are the parameters of functions that are to be constants, `known` the values of variables that keep theirs.
pub(super) fn write_carried(
    program: &mut Program,
    body: &mut Body,
    wanted: &FxHashMap<FunctionId, Vec<bool>>,
    known: &Values,
) {
    let carried = wanted_variables(program, body, wanted);
    if carried.is_empty() {
        return;
    }
    let block = body.block.clone();
    let mut carrier = Carrier { program, wanted, known, carried, around: Vec::new() };
    carrier.block(body, &block, &mut KnownValues::default());
}

/// The variables in arguments that are to be constants which have more than one value.
fn wanted_variables(program: &Program, body: &Body, wanted: &FxHashMap<FunctionId, Vec<bool>>) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    for id in body.expressions() {
        for arg in wanted_arguments(&body.exprs, id, wanted) {
            found.extend(body.exprs.post_order(arg).into_iter().filter_map(|e| local(&body.exprs, e)));
        }
    }
    for (local, value) in initialized(&body.block).into_iter().rev() {
        if let (true, Some(value)) = (found.contains(&local), value) {
            found.extend(body.exprs.post_order(value).into_iter().filter_map(|e| self::local(&body.exprs, e)));
        }
    }
    let written = program.written_locals(body);
    found.retain(|l| written.contains(l));
    found
}

/// The arguments of a call that are to be constants.
pub(super) fn wanted_arguments(
    exprs: &ExprArena,
    id: ExprId,
    wanted: &FxHashMap<FunctionId, Vec<bool>>,
) -> Vec<ExprId> {
    let ExprKind::Call(function, args) = &exprs[id].kind else { return Vec::new() };
    let positions = wanted.get(function).into_iter().flatten();
    args.iter().zip(positions).filter(|(_, wanted)| **wanted).map(|(arg, _)| *arg).collect()
}

fn local(exprs: &ExprArena, id: ExprId) -> Option<LocalId> {
    match exprs[id].kind {
        ExprKind::Local(local) => Some(local),
        _ => None,
    }
}

impl KnownValues {
    /// What is known where another way meets this one.
    fn join(&mut self, other: KnownValues) {
        match (self.dead, other.dead) {
            (_, true) => {}
            (true, false) => *self = other,
            (false, false) => self.values.retain(|local, value| other.values.get(local) == Some(value)),
        }
    }
}

struct Carrier<'a> {
    program: &'a mut Program,
    wanted: &'a FxHashMap<FunctionId, Vec<bool>>,
    known: &'a Values,
    carried: FxHashSet<LocalId>,
    /// What is around the statement at hand, the innermost last.
    around: Vec<Around>,
}

/// What jumps lead out of.
enum Around {
    /// `do { ... } while (false)`, with what is known at its jumps.
    Once(Vec<KnownValues>),
    Loop,
    Switch,
}

/// What is known before a statement. Where control never comes, what was known last is: constants are wanted there, too.
#[derive(Clone, Default)]
struct KnownValues {
    values: Values,
    dead: bool,
}

impl Carrier<'_> {
    fn block(&mut self, body: &mut Body, block: &Block, now: &mut KnownValues) {
        for stmt in &block.stmts {
            self.stmt(body, stmt, now);
        }
    }

    fn stmt(&mut self, body: &mut Body, stmt: &Stmt, now: &mut KnownValues) {
        let values = &mut now.values;
        match &stmt.kind {
            StmtKind::Local(local, value) => {
                self.exprs(body, stmt, None, values);
                let value = value.and_then(|v| self.value(body, v, values));
                self.set(*local, value, values);
            }
            StmtKind::Expr(root) => {
                self.exprs(body, stmt, Some(*root), values);
                if let Some(place) = target(&body.exprs[*root].kind)
                    && let Some(local) = body.exprs.base_local(place)
                {
                    let value = self.assigned(body, *root, place, values);
                    self.set(local, value, values);
                }
            }
            StmtKind::Block(block) => self.block(body, block, now),
            StmtKind::If(condition, then, other, _) => {
                self.exprs(body, stmt, None, values);
                let taken = self.value(body, *condition, values).and_then(|c| c.truth());
                let mut otherwise = KnownValues { dead: now.dead || taken == Some(true), ..now.clone() };
                now.dead |= taken == Some(false);
                self.block(body, then, now);
                other.iter().for_each(|other| self.block(body, other, &mut otherwise));
                now.join(otherwise);
            }
            StmtKind::DoWhile(block, ..) if is_run_once(body, stmt) => {
                self.around.push(Around::Once(Vec::new()));
                self.block(body, block, now);
                if let Some(Around::Once(left)) = self.around.pop() {
                    left.into_iter().for_each(|state| now.join(state));
                }
            }
            StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..) => {
                self.several(body, stmt, Around::Loop, now);
            }
            StmtKind::Switch(..) => self.several(body, stmt, Around::Switch, now),
            StmtKind::Return(_) => {
                self.exprs(body, stmt, None, values);
                now.dead = true;
            }
            StmtKind::Break | StmtKind::Continue => {
                self.leave(matches!(stmt.kind, StmtKind::Break), now);
                now.dead = true;
            }
            StmtKind::Discard | StmtKind::Intrinsic(_) => {}
        }
    }

    /// A statement whose blocks run in no order that is known: what they change is not known in them, nor behind it.
    fn several(&mut self, body: &mut Body, stmt: &Stmt, around: Around, now: &mut KnownValues) {
        let alone = Body { block: Block::of(vec![stmt.clone()]).into(), ..body.clone() };
        let written = self.program.written_locals(&alone);
        now.values.retain(|local, _| !written.contains(local));
        self.exprs(body, stmt, None, &mut now.values);
        self.around.push(around);
        stmt.blocks(&mut |block| self.block(body, block, &mut now.clone()));
        self.around.pop();
    }

    /// Takes note of what is known at a jump.
    fn leave(&mut self, is_break: bool, now: &KnownValues) {
        let target = self.around.iter_mut().rev().find(|around| is_break || !matches!(around, Around::Switch));
        if let Some(Around::Once(left)) = target {
            left.push(now.clone());
        }
    }

    /// Writes the values into the expressions of a statement, and forgets what they change. The root is looked at by itself.
    fn exprs(&mut self, body: &mut Body, stmt: &Stmt, root: Option<ExprId>, now: &mut Values) {
        let mut roots = Vec::new();
        stmt.own_exprs(&mut |e| roots.push(e));
        let all: Vec<ExprId> = roots.into_iter().flat_map(|r| body.exprs.post_order(r)).collect();
        for id in all.iter().filter(|id| Some(**id) != root || matches!(body.exprs[**id].kind, ExprKind::Call(..))) {
            self.program.each_written(&body.exprs, *id, &mut |place| {
                body.exprs.base_local(place).into_iter().for_each(|local| drop(now.remove(&local)));
            });
        }
        for id in all {
            for arg in wanted_arguments(&body.exprs, id, self.wanted) {
                let mentions = |e| local(&body.exprs, e).is_some_and(|l| now.contains_key(&l));
                if !body.exprs.any_part(arg, mentions) {
                    continue;
                }
                let Some(value) = self.value(body, arg, now) else { continue };
                let Expr { ty, span, .. } = body.exprs[arg];
                if let Some(written) = value.to_expr(&mut body.exprs, self.program, ty, span) {
                    body.exprs.replace_by(arg, written);
                }
            }
        }
    }

    fn value(&self, body: &Body, id: ExprId, now: &Values) -> Option<Value> {
        let of = |l: LocalId| now.get(&l).or_else(|| self.known.get(&l)).cloned();
        eval_with(self.program, &body.exprs, id, &of).ok()
    }

    /// The value of the whole variable after an assignment to it or to components of it.
    fn assigned(&self, body: &Body, root: ExprId, place: ExprId, now: &Values) -> Option<Value> {
        let at = |id: ExprId| self.value(body, id, now);
        if let (ExprKind::Assign(None, _, value), ExprKind::Local(_)) =
            (&body.exprs[root].kind, &body.exprs[place].kind)
        {
            return at(*value);
        }
        let value = stepped(&body.exprs, root, &at(place)?, &at)?;
        let (whole, swizzle) = match &body.exprs[place].kind {
            ExprKind::Local(_) => return Some(value),
            ExprKind::Swizzle(whole, swizzle) => (*whole, swizzle),
            _ => return None,
        };
        let (ExprKind::Local(_), Value::Composite(mut parts)) = (&body.exprs[whole].kind, at(whole)?) else {
            return None;
        };
        let values = match value {
            Value::Composite(values) => values,
            single => vec![single],
        };
        for (component, value) in swizzle.list().iter().zip(values) {
            *parts.get_mut(usize::from(*component))? = value;
        }
        Some(Value::Composite(parts))
    }

    fn set(&self, local: LocalId, value: Option<Value>, now: &mut Values) {
        match value.filter(|value| self.carried.contains(&local) && is_exact(value)) {
            Some(value) => now.insert(local, value),
            None => now.remove(&local),
        };
    }
}

/// Whether a statement is `do { ... } while (false)`.
fn is_run_once(body: &Body, stmt: &Stmt) -> bool {
    match stmt.kind {
        StmtKind::DoWhile(_, condition, _) => {
            matches!(body.exprs[condition].kind, ExprKind::Literal(Literal::Bool(false), _))
        }
        _ => false,
    }
}
