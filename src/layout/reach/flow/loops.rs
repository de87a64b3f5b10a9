//! Loops: those of few iterations run one after another, others once, on values that stand for those of any iteration.

use super::graph::{Op, Val};
use super::rules::{self, Bits};
use super::{After, BOOL, Exits, Flow, Frame, Slot, State};
use crate::layout::reach::values::Range;
use crate::layout::reach::{Place as Target, acts, place, writes};
use crate::tree::*;
use std::collections::{BTreeMap, BTreeSet};

/// A loop of any kind.
pub(super) struct Loop<'a> {
    pub(super) condition: Option<ExprId>,
    pub(super) step: Option<ExprId>,
    pub(super) body: &'a Block,
    pub(super) hints: &'a Hints,
    /// The condition stands before the body.
    pub(super) tests_first: bool,
}

/// Iterations of loops that do nothing but compute, and of those that are to be unrolled.
const MAX_PURE: u32 = 256;
const MAX_UNROLLED: u32 = 1024;
/// DXC unrolls what is not larger than this, about.
const MAX_SIZE: u32 = 150;
/// What a write to memory or a call counts for.
const HEAVY: u32 = 8;

impl<'a> Flow<'a> {
    pub(super) fn run_loop(&mut self, frame: &mut Frame<'a>, state: State, code: &Loop<'a>) -> After {
        let limit = self.iterations(frame, code)?;
        let (effects, returns) = (self.effects.len(), frame.returns.len());
        let (depth, open, nesting) = (frame.exits.len(), self.open.len(), self.nesting);
        if limit > 0
            && let Some(after) = self.unroll(frame, state.clone(), code, limit)
        {
            return Some(after);
        }
        // What gave up on the way has left its own marks.
        frame.exits.truncate(depth);
        self.open.truncate(open);
        self.nesting = nesting;
        self.effects.truncate(effects);
        frame.returns.truncate(returns);
        if self.graph.is_full() {
            return None;
        }
        let written = self.written(frame, code)?;
        let mut havoc: BTreeSet<Slot> = BTreeSet::new();
        for round in 0..3 {
            if round == 2 {
                havoc.extend(written.iter().copied());
            }
            let (after, changed) = self.once(frame, &state, code, &written, &havoc)?;
            if changed.is_empty() {
                return Some(after);
            }
            havoc.extend(changed);
            self.effects.truncate(effects);
            frame.returns.truncate(returns);
        }
        None
    }

    /// All expressions of a loop.
    fn exprs(&self, frame: &Frame<'a>, code: &Loop<'a>) -> Vec<ExprId> {
        let own = code.condition.into_iter().chain(code.step);
        let mut all: Vec<ExprId> = own.flat_map(|e| frame.exprs.post_order(e)).collect();
        code.body.visit(&mut |stmt| stmt.own_exprs(&mut |e| all.extend(frame.exprs.post_order(e))));
        all
    }

    /// How many iterations run one after another at most.
    fn iterations(&self, frame: &Frame<'a>, code: &Loop<'a>) -> Option<u32> {
        if code.hints.loop_ {
            return Some(0);
        }
        if code.hints.unroll.is_some() {
            return Some(MAX_UNROLLED);
        }
        let body = frame.body?;
        let (mut size, mut heavy) = (0u32, 0u32);
        for id in self.exprs(frame, code) {
            size += 1;
            heavy += match &frame.exprs[id].kind {
                ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) => {
                    u32::from(place(self.program, body, *target) == Target::Memory)
                }
                ExprKind::Call(function, _) => u32::from(acts(self.program, *function, 0)),
                _ => 0,
            };
        }
        if heavy == 0 {
            return Some(MAX_PURE);
        }
        Some(MAX_SIZE / (size + HEAVY * heavy))
    }

    /// Runs iterations as long as their conditions are decided; nothing if one is not, or there are too many.
    fn unroll(&mut self, frame: &mut Frame<'a>, state: State, code: &Loop<'a>, limit: u32) -> Option<Option<State>> {
        let (outer, returns) = (state.control, frame.returns.len());
        frame.exits.push(Exits { is_loop: true, ..Exits::default() });
        let mut state = Some(state);
        let mut count = 0;
        let mut tests = code.tests_first;
        while let Some(mut here) = state.take() {
            let goes_on = match code.condition.filter(|_| tests) {
                Some(condition) => {
                    let condition = self.expr(frame, &mut here, condition)?;
                    self.graph.decided(condition, &here.facts)?
                }
                None => true,
            };
            tests = true;
            if !goes_on {
                state = Some(here);
                break;
            }
            count += 1;
            if count > limit {
                return None;
            }
            let (control, leaving) = (here.control, (frame.returns.len(), frame.exits.last()?.breaks.len()));
            let end = self.block(frame, here, code.body)?;
            let exits = frame.exits.last_mut()?;
            let ends = std::mem::take(&mut exits.continues).into_iter().chain(end).map(|s| (s, None)).collect();
            let Some((mut next, _)) = self.merge(ends) else { break };
            if (frame.returns.len(), frame.exits.last()?.breaks.len()) == leaving {
                next.control = control;
            }
            if let Some(step) = code.step {
                self.expr(frame, &mut next, step)?;
            }
            state = Some(next);
        }
        let exits = frame.exits.pop()?;
        let ends = exits.breaks.into_iter().chain(state).map(|s| (s, None)).collect();
        let after = self.merge(ends).map(|(mut after, _)| {
            if frame.returns.len() == returns {
                after.control = outer;
            }
            after
        });
        Some(after)
    }

    /// The variables that a loop writes.
    fn written(&mut self, frame: &Frame<'a>, code: &Loop<'a>) -> Option<BTreeSet<Slot>> {
        let exprs = self.exprs(frame, code);
        let locals = writes(self.program, frame.body?, &exprs);
        let statics = self.statics.clone();
        let slots = locals.into_keys().map(|l| Slot::Local(frame.id, l)).chain(statics.into_iter().map(Slot::Static));
        Some(slots.collect())
    }

    /// Runs an iteration that stands for all. Gives the variables that are not what they were, if they were thought to be.
    fn once(
        &mut self,
        frame: &mut Frame<'a>,
        before: &State,
        code: &Loop<'a>,
        written: &BTreeSet<Slot>,
        havoc: &BTreeSet<Slot>,
    ) -> Option<(Option<State>, BTreeSet<Slot>)> {
        let (outer, returns) = (before.control, frame.returns.len());
        let runs = self.graph.fresh(Vec::new(), BOOL, None, Bits::NONE);
        let mut state = before.clone();
        state.control = self.graph.make(Op::Under, vec![outer, runs], BOOL);
        let mut heads: BTreeMap<Slot, Val> = BTreeMap::new();
        for slot in written {
            let old = match (before.vars.get(slot), slot) {
                (Some(old), _) => *old,
                (None, Slot::Static(global)) => self.initial(*global)?,
                (None, Slot::Local(..)) => continue,
            };
            let head = match havoc.contains(slot) {
                true => self.head(frame, before, code, *slot, old)?,
                false => old,
            };
            heads.insert(*slot, head);
            state.vars.insert(*slot, head);
        }
        frame.exits.push(Exits { is_loop: true, ..Exits::default() });
        let mut exits = Vec::new();
        let mut conditions = Vec::new();
        if let Some(condition) = code.condition.filter(|_| code.tests_first) {
            let condition = self.expr(frame, &mut state, condition)?;
            conditions.push(condition);
            match self.graph.decided(condition, &state.facts) {
                Some(true) => {}
                Some(false) => {
                    frame.exits.pop();
                    state.control = outer;
                    return Some((Some(state), BTreeSet::new()));
                }
                None => {
                    exits.push((self.under(&state, condition, false), None));
                    state = self.under(&state, condition, true);
                    self.only_unequal(&mut state, condition);
                }
            }
        }
        let end = self.block(frame, state, code.body)?;
        let left = frame.exits.pop()?;
        let ends = left.continues.into_iter().chain(end).map(|s| (s, None)).collect();
        let mut changed = BTreeSet::new();
        if let Some((mut end, _)) = self.merge(ends) {
            if let Some(step) = code.step {
                self.expr(frame, &mut end, step)?;
            }
            if let Some(condition) = code.condition.filter(|_| !code.tests_first) {
                let condition = self.expr(frame, &mut end, condition)?;
                conditions.push(condition);
                exits.push((self.under(&end, condition, false), None));
                end = self.under(&end, condition, true);
            }
            self.graph.add(runs, [end.control]);
            for (slot, head) in &heads {
                let Some(now) = end.vars.get(slot).copied() else { continue };
                let now = self.settled(now, &end.facts);
                if havoc.contains(slot) {
                    self.graph.add(*head, [now, end.control].into_iter().chain(conditions.iter().copied()));
                } else if now != *head {
                    changed.insert(*slot);
                }
            }
        }
        exits.extend(left.breaks.into_iter().map(|s| (s, None)));
        let after = self.merge(exits).map(|(mut after, _)| {
            if frame.returns.len() == returns {
                after.control = outer;
            }
            after
        });
        Some((after, changed))
    }

    /// Of a counter below a bound that is not constant, DXC knows in the loop that it is not the bound.
    fn only_unequal(&mut self, state: &mut State, condition: Val) {
        if let Some((BinaryOp::Less, left, right)) = self.graph.comparison(condition) {
            state.facts.remove(&condition);
            let equal = self.graph.binary(&state.facts, BinaryOp::Equal, left, right);
            self.graph.assume(&mut state.facts, equal, false);
        }
    }

    /// A variable at the head of any iteration.
    fn head(&mut self, frame: &mut Frame<'a>, before: &State, code: &Loop<'a>, slot: Slot, old: Val) -> Option<Val> {
        let ty = self.graph.ty(old);
        let counted = self.counted(frame, before, code, slot, old);
        let (range, bits) = counted.unwrap_or((None, Bits::NONE));
        Some(self.graph.fresh(vec![old], ty, range, bits))
    }

    /// The numbers of a counter: a variable that is only ever moved by a constant, once an iteration, and compared with what
    /// the loop does not change.
    fn counted(
        &mut self,
        frame: &mut Frame<'a>,
        before: &State,
        code: &Loop<'a>,
        slot: Slot,
        old: Val,
    ) -> Option<(Option<Range>, Bits)> {
        let Slot::Local(_, counter) = slot else { return None };
        let super::Ty::Scalar(kind) = self.graph.ty(old) else { return None };
        let exprs = frame.exprs;
        let all = writes(self.program, frame.body?, &self.exprs(frame, code));
        if all.get(&counter) != Some(&1) || kind.is_float() {
            return None;
        }
        let is_counter = |e: ExprId| matches!(exprs[e].kind, ExprKind::Local(l) if l == counter);
        let moves = |e: &ExprId| match exprs[*e].kind {
            ExprKind::Step(up, _, target) if is_counter(target) => Some((up, None)),
            ExprKind::Assign(Some(op @ (BinaryOp::Add | BinaryOp::Sub)), target, by) if is_counter(target) => {
                Some((op == BinaryOp::Add, Some(by)))
            }
            _ => None,
        };
        // In a loop within this one it might move more than once.
        let plain = code.body.stmts.iter().filter_map(|s| match s.kind {
            StmtKind::Expr(e) => Some(e),
            _ => None,
        });
        let (up, by) = code.step.into_iter().chain(plain).find_map(|e| moves(&e))?;
        let mut scratch = before.clone();
        let by = match by {
            Some(by) if self.is_fixed(frame, by, &all) => {
                let by = self.expr(frame, &mut scratch, by)?;
                i128::from(self.graph.value(by)?.int()?)
            }
            Some(_) => return None,
            None => 1,
        };
        let first = self.graph.range(old, &before.facts)?;
        let low_bits = by.trailing_zeros().min(if first.0 == first.1 { first.0.trailing_zeros() } else { 0 });
        let bits = if by > 0 { Bits::even(low_bits.min(31)) } else { Bits::NONE };
        let range = self.counted_range(frame, &mut scratch, code, (&all, &is_counter), (up, by, first));
        Some((range.filter(|r| by > 0 && rules::fits(*r, kind)), bits))
    }

    fn counted_range(
        &mut self,
        frame: &mut Frame<'a>,
        state: &mut State,
        code: &Loop<'a>,
        (written, is_counter): (&BTreeMap<LocalId, u32>, &dyn Fn(ExprId) -> bool),
        (up, by, first): (bool, i128, Range),
    ) -> Option<Range> {
        let ExprKind::Binary(op, left, bound) = frame.exprs[code.condition?].kind else { return None };
        if !is_counter(left) || !self.is_fixed(frame, bound, written) {
            return None;
        }
        let bound = self.expr(frame, state, bound)?;
        let bound = self.graph.range(bound, &state.facts)?;
        // After a test before the body, the last move may go beyond the bound.
        let beyond = if code.tests_first { by } else { 0 };
        let (last_up, last_down) = (bound.1 - 1 + beyond, bound.0 + 1 - beyond);
        Some(match (op, up) {
            (BinaryOp::Less, true) => (first.0, last_up.max(first.1)),
            (BinaryOp::LessEqual, true) => (first.0, (last_up + 1).max(first.1)),
            (BinaryOp::Greater, false) => (last_down.min(first.0), first.1),
            (BinaryOp::GreaterEqual, false) => ((last_down - 1).min(first.0), first.1),
            (BinaryOp::NotEqual, true) if by == 1 && first.1 <= bound.0 => (first.0, bound.1),
            (BinaryOp::NotEqual, false) if by == 1 && first.0 >= bound.1 => (bound.0, first.1),
            _ => return None,
        })
    }

    /// Whether an expression is the same in every iteration, and does nothing.
    fn is_fixed(&self, frame: &Frame<'a>, id: ExprId, written: &BTreeMap<LocalId, u32>) -> bool {
        frame.exprs.post_order(id).into_iter().all(|e| match &frame.exprs[e].kind {
            ExprKind::Local(local) => !written.contains_key(local),
            ExprKind::Global(global) => self.program.globals[*global].kind != GlobalKind::Static,
            ExprKind::Call(..) | ExprKind::Property(_) | ExprKind::Assign(..) | ExprKind::Step(..) => false,
            _ => true,
        })
    }
}
