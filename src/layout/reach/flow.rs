//! Which globals the effects of entry points need, found by running them on values that are not known: as an optimizer would,
//! calls are inlined, branches that are decided are not entered, fields and elements are told apart, and loops whose
//! iterations are few and known run one after another.
//!
//! It gives up on what it does not follow (recursion, pointers, too much code): then the walk in the module above tells.

mod graph;
mod loops;
mod places;
mod rules;

use super::{acts, is_plain, is_state};
use crate::check::constant::{self, Value};
use crate::tree::*;
use graph::{Facts, Graph, Op, Ty, Val};
use std::collections::{BTreeMap, BTreeSet};

/// Calls nested deeper than this are not followed.
const MAX_DEPTH: usize = 24;
/// Nor are more expressions than this.
const MAX_WORK: u32 = 1 << 18;
/// Nor expressions nested deeper than this.
const MAX_NESTING: u32 = 200;

/// The globals that the effects of some entry point need; `None` if that is not found out here.
pub fn reached(program: &Program) -> Option<BTreeSet<GlobalId>> {
    let mut found = BTreeSet::new();
    for entry in &program.entry_points {
        for function in entry.roots() {
            let mut flow = Flow {
                program,
                graph: Graph::new(program),
                effects: Vec::new(),
                writes: 0,
                work: 0,
                nesting: 0,
                frames: 0,
                open: Vec::new(),
                statics: super::written_statics(program),
                initials: BTreeMap::new(),
            };
            flow.entry(function)?;
            found.extend(flow.graph.globals(&flow.effects));
        }
    }
    Some(found)
}

struct Flow<'a> {
    program: &'a Program,
    graph: Graph<'a>,
    /// What the shader does: outputs, writes to memory.
    effects: Vec<Val>,
    /// How many variables were written, so that it shows whether code writes any.
    writes: u32,
    work: u32,
    nesting: u32,
    frames: u32,
    open: Vec<FunctionId>,
    /// Statics that functions write.
    statics: BTreeSet<GlobalId>,
    /// Initial values of statics and constants; `None` while one is found.
    initials: BTreeMap<GlobalId, Option<Val>>,
}

/// A variable: a local of a frame, or a static.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Slot {
    Static(GlobalId),
    Local(u32, LocalId),
}

/// A point of the program on one way to it.
#[derive(Clone)]
struct State {
    vars: BTreeMap<Slot, Val>,
    facts: Facts,
    /// What decides whether it is reached.
    control: Val,
}

/// Ways out of a loop or switch.
#[derive(Default)]
struct Exits {
    is_loop: bool,
    breaks: Vec<State>,
    continues: Vec<State>,
}

/// A function that runs.
struct Frame<'a> {
    id: u32,
    exprs: &'a Arena<ExprId, Expr>,
    /// Not of an initializer.
    body: Option<&'a Body>,
    returns: Vec<(State, Option<Val>)>,
    exits: Vec<Exits>,
}

/// The state after a statement, if what follows is reached; nothing at all if it is not followed.
type After = Option<Option<State>>;

const BOOL: Ty = Ty::Scalar(Scalar::Bool);

impl<'a> Flow<'a> {
    fn entry(&mut self, id: FunctionId) -> Option<()> {
        let program = self.program;
        let function = &program.functions[id];
        if !matches!(function.body, FunctionBody::Block) {
            return None;
        }
        let mut frame = self.frame(&function.code.exprs, Some(&function.code));
        let control = self.graph.truth(true);
        let mut state = State { vars: BTreeMap::new(), facts: Facts::new(), control };
        for param in &function.params {
            let ty = self.graph.ty_of(function.code.locals[param.local].ty);
            let value = match param.mode {
                ParamMode::Out => self.graph.undefined(ty),
                _ => self.graph.make(Op::Param(param.local), Vec::new(), ty),
            };
            state.vars.insert(Slot::Local(frame.id, param.local), value);
        }
        self.open.push(id);
        let end = self.block(&mut frame, state, &function.code.block)?;
        self.open.pop();
        let ends = frame.returns.into_iter().chain(end.map(|s| (s, None)));
        for (state, result) in ends {
            self.effects.push(state.control);
            self.effects.extend(result);
            let outputs = function.params.iter().filter(|p| p.mode != ParamMode::In);
            self.effects.extend(outputs.filter_map(|p| state.vars.get(&Slot::Local(frame.id, p.local))));
        }
        Some(())
    }

    fn frame(&mut self, exprs: &'a Arena<ExprId, Expr>, body: Option<&'a Body>) -> Frame<'a> {
        self.frames += 1;
        Frame { id: self.frames, exprs, body, returns: Vec::new(), exits: Vec::new() }
    }

    fn block(&mut self, frame: &mut Frame<'a>, state: State, block: &'a Block) -> After {
        let mut state = state;
        for stmt in &block.stmts {
            match self.stmt(frame, state, &stmt.kind)? {
                Some(next) => state = next,
                None => return Some(None),
            }
        }
        Some(Some(state))
    }

    fn stmt(&mut self, frame: &mut Frame<'a>, mut state: State, stmt: &'a StmtKind) -> After {
        match stmt {
            StmtKind::Local(local, init) => {
                let value = match init {
                    Some(init) => self.expr(frame, &mut state, *init)?,
                    None => return Some(Some(self.declare(frame, state, *local))),
                };
                self.set(&mut state, Slot::Local(frame.id, *local), value);
            }
            StmtKind::Expr(e) => {
                self.expr(frame, &mut state, *e)?;
            }
            StmtKind::Block(block) => return self.block(frame, state, block),
            StmtKind::If(condition, then, otherwise, _) => {
                let condition = self.expr(frame, &mut state, *condition)?;
                return self.branch(frame, state, condition, [Some(then), otherwise.as_ref()]);
            }
            StmtKind::For(init, condition, step, body, hints) => {
                for stmt in init {
                    match self.stmt(frame, state, &stmt.kind)? {
                        Some(next) => state = next,
                        None => return Some(None),
                    }
                }
                let code = loops::Loop { condition: *condition, step: *step, body, hints, tests_first: true };
                return self.run_loop(frame, state, &code);
            }
            StmtKind::While(condition, body, hints) => {
                let condition = Some(*condition);
                let code = loops::Loop { condition, step: None, body, hints, tests_first: true };
                return self.run_loop(frame, state, &code);
            }
            StmtKind::DoWhile(body, condition, hints) => {
                let condition = Some(*condition);
                let code = loops::Loop { condition, step: None, body, hints, tests_first: false };
                return self.run_loop(frame, state, &code);
            }
            StmtKind::Switch(value, cases, _) => {
                let value = self.expr(frame, &mut state, *value)?;
                return self.switch(frame, state, value, cases);
            }
            StmtKind::Return(value) => {
                let value = match value {
                    Some(value) => Some(self.expr(frame, &mut state, *value)?),
                    None => None,
                };
                frame.returns.push((state, value));
                return Some(None);
            }
            StmtKind::Break => {
                frame.exits.last_mut()?.breaks.push(state);
                return Some(None);
            }
            StmtKind::Continue => {
                frame.exits.iter_mut().rev().find(|e| e.is_loop)?.continues.push(state);
                return Some(None);
            }
            StmtKind::Discard => self.effects.push(state.control),
            StmtKind::Intrinsic(_) => return None,
        }
        Some(Some(state))
    }

    /// A variable without a value.
    fn declare(&mut self, frame: &Frame<'a>, mut state: State, local: LocalId) -> State {
        let slot = Slot::Local(frame.id, local);
        state.vars.remove(&slot);
        if let Some(body) = frame.body {
            let ty = self.graph.ty_of(body.locals[local].ty);
            let value = self.graph.undefined(ty);
            self.set(&mut state, slot, value);
        }
        state
    }

    fn set(&mut self, state: &mut State, slot: Slot, value: Val) {
        self.writes += 1;
        state.vars.insert(slot, value);
    }

    /// A state under a condition.
    fn under(&mut self, state: &State, condition: Val, truth: bool) -> State {
        let mut state = state.clone();
        self.graph.assume(&mut state.facts, condition, truth);
        // Large states are work, too.
        self.work = self.work.saturating_add((state.vars.len() + state.facts.len()) as u32 / 4);
        let condition = if truth { condition } else { self.graph.unary(&Facts::new(), UnaryOp::Not, condition) };
        state.control = self.graph.make(Op::Under, vec![state.control, condition], BOOL);
        state
    }

    fn branch(&mut self, frame: &mut Frame<'a>, state: State, condition: Val, ways: [Option<&'a Block>; 2]) -> After {
        let [then, otherwise] = ways;
        if let Some(truth) = self.graph.decided(condition, &state.facts) {
            return match if truth { then } else { otherwise } {
                Some(block) => self.block(frame, state, block),
                None => Some(Some(state)),
            };
        }
        let mut ends = Vec::new();
        let mut whole = true;
        for (block, truth) in [(then, true), (otherwise, false)] {
            let start = self.under(&state, condition, truth);
            let control = start.control;
            let end = match block {
                Some(block) => self.block(frame, start, block)?,
                None => Some(start),
            };
            whole &= end.as_ref().is_some_and(|e| e.control == control);
            ends.push(end);
        }
        let otherwise = ends.pop()?;
        Some(match (ends.pop()?, otherwise) {
            (Some(yes), Some(no)) => {
                let mut after = self.join(condition, yes, no);
                if whole {
                    after.control = state.control;
                }
                Some(after)
            }
            (one, other) => one.or(other),
        })
    }

    /// After both ways of a branch.
    fn join(&mut self, condition: Val, yes: State, no: State) -> State {
        let mut vars = BTreeMap::new();
        for (slot, a) in &yes.vars {
            let Some(b) = no.vars.get(slot) else {
                vars.insert(*slot, *a);
                continue;
            };
            let value = match a == b {
                true => *a,
                false => self.choose(condition, (*a, &yes.facts), (*b, &no.facts)),
            };
            vars.insert(*slot, value);
        }
        for (slot, b) in no.vars.iter().filter(|(slot, _)| !yes.vars.contains_key(slot)) {
            vars.insert(*slot, *b);
        }
        let control = self.graph.make(Op::Mixed, vec![condition, yes.control, no.control], BOOL);
        State { vars, facts: self.graph.common(&yes.facts, &no.facts), control }
    }

    /// One of two values, each as known on its way.
    fn choose(&mut self, condition: Val, (yes, then): (Val, &Facts), (no, otherwise): (Val, &Facts)) -> Val {
        let (yes, no) = (self.settled(yes, then), self.settled(no, otherwise));
        self.graph.select(&Facts::new(), condition, yes, no)
    }

    /// A constant, where what is known leaves no choice.
    fn settled(&mut self, val: Val, facts: &Facts) -> Val {
        let exact = self.graph.range(val, facts).filter(|r| r.0 == r.1);
        let (Some((n, _)), Ty::Scalar(kind)) = (exact, self.graph.ty(val)) else { return val };
        let Ok(n) = i64::try_from(n) else { return val };
        let value = if kind == Scalar::Bool { Value::Bool(n != 0) } else { Value::Int(n, kind) };
        if kind.is_float() { val } else { self.graph.constant(&value, Ty::Scalar(kind)).unwrap_or(val) }
    }

    /// After several ways, of which nothing is known but what decides on each.
    fn merge(&mut self, states: Vec<(State, Option<Val>)>) -> Option<(State, Option<Val>)> {
        let mut states = states.into_iter();
        let (mut state, mut result) = states.next()?;
        for (other, value) in states {
            let controls = [state.control, other.control];
            let slots: BTreeSet<Slot> = state.vars.keys().chain(other.vars.keys()).copied().collect();
            let mut vars = BTreeMap::new();
            for slot in slots {
                let value = match (state.vars.get(&slot), other.vars.get(&slot)) {
                    (Some(a), Some(b)) if a != b => self.either((*a, &state.facts), (*b, &other.facts), controls),
                    (a, b) => *a.or(b)?,
                };
                vars.insert(slot, value);
            }
            result = match (result, value) {
                (Some(a), Some(b)) if a != b => Some(self.either((a, &state.facts), (b, &other.facts), controls)),
                (a, b) => a.or(b),
            };
            let facts = self.graph.common(&state.facts, &other.facts);
            let control = self.graph.make(Op::Mixed, controls.to_vec(), BOOL);
            state = State { vars, facts, control };
        }
        Some((state, result))
    }

    fn either(&mut self, (a, one): (Val, &Facts), (b, other): (Val, &Facts), controls: [Val; 2]) -> Val {
        let (a, b) = (self.settled(a, one), self.settled(b, other));
        let ranges = (self.graph.range(a, one), self.graph.range(b, other));
        self.graph.either((a, ranges.0), (b, ranges.1), controls)
    }

    fn switch(&mut self, frame: &mut Frame<'a>, state: State, value: Val, cases: &'a [SwitchCase]) -> After {
        frame.exits.push(Exits::default());
        let outer = state.control;
        let mut rest = Some(state);
        let mut falls = Vec::new();
        let mut whole = true;
        let default = cases.iter().position(|c| c.labels.iter().any(Option::is_none));
        for (i, case) in cases.iter().enumerate() {
            for label in case.labels.iter().flatten() {
                let Some(mut here) = rest.take() else { break };
                let label = self.expr(frame, &mut here, *label)?;
                let equal = self.graph.binary(&here.facts, BinaryOp::Equal, value, label);
                let decided = self.graph.decided(equal, &here.facts);
                if decided != Some(false) {
                    let start = if decided.is_some() { here.clone() } else { self.under(&here, equal, true) };
                    whole &= self.cases_from(frame, start, cases, i, &mut falls)?;
                }
                rest = match decided {
                    Some(true) => None,
                    Some(false) => Some(here),
                    None => Some(self.under(&here, equal, false)),
                };
            }
        }
        match (rest, default) {
            (Some(rest), Some(i)) => whole &= self.cases_from(frame, rest, cases, i, &mut falls)?,
            (Some(rest), None) => falls.push((rest, None)),
            _ => {}
        }
        let exits = frame.exits.pop()?;
        falls.extend(exits.breaks.into_iter().map(|s| (s, None)));
        Some(self.merge(falls).map(|(mut after, _)| {
            if whole {
                after.control = outer;
            }
            after
        }))
    }

    /// Runs a case and those that it falls into. Gives false if a part of the ways leaves the switch for elsewhere.
    fn cases_from(
        &mut self,
        frame: &mut Frame<'a>,
        start: State,
        cases: &'a [SwitchCase],
        first: usize,
        falls: &mut Vec<(State, Option<Val>)>,
    ) -> Option<bool> {
        let away =
            |frame: &Frame<'a>| frame.returns.len() + frame.exits.iter().map(|e| e.continues.len()).sum::<usize>();
        let before = away(frame);
        let mut state = Some(start);
        for case in cases.iter().skip(first) {
            let Some(here) = state.take() else { break };
            state = self.block(frame, here, &case.body)?;
        }
        falls.extend(state.map(|s| (s, None)));
        Some(away(frame) == before)
    }

    fn expr(&mut self, frame: &mut Frame<'a>, state: &mut State, id: ExprId) -> Option<Val> {
        self.work += 1;
        if self.work > MAX_WORK || self.nesting > MAX_NESTING || self.graph.is_full() {
            return None;
        }
        self.nesting += 1;
        let value = self.kind(frame, state, id);
        self.nesting -= 1;
        value
    }

    fn kind(&mut self, frame: &mut Frame<'a>, state: &mut State, id: ExprId) -> Option<Val> {
        let expr = &frame.exprs[id];
        let ty = self.graph.ty_of(expr.ty);
        let mut one = |flow: &mut Self, e: &ExprId| flow.expr(frame, state, *e);
        Some(match &expr.kind {
            ExprKind::Literal(literal, _) => {
                let value = constant::literal(*literal, self.program.types.component(expr.ty));
                self.graph.constant(&value, ty)?
            }
            ExprKind::EnumCase(id, case) => {
                let number = self.program.enums[*id].cases.get(*case as usize)?.value;
                self.graph.constant(&Value::Int(number, self.program.enums[*id].tag), ty)?
            }
            ExprKind::Zero => match constant::zero_of(self.program, expr.ty) {
                Some(value) => {
                    self.graph.constant(&value, ty).unwrap_or_else(|| self.graph.make(Op::Mixed, Vec::new(), ty))
                }
                None => self.graph.undefined(ty),
            },
            ExprKind::Local(local) => match state.vars.get(&Slot::Local(frame.id, *local)) {
                Some(value) => *value,
                None => self.graph.undefined(ty),
            },
            ExprKind::Global(global) => self.global(state, *global)?,
            ExprKind::Field(of, index) => {
                let of = one(self, of)?;
                self.graph.part(of, *index)?
            }
            ExprKind::Index(of, index) => {
                let memory = !is_plain(self.program, frame.exprs[*of].ty);
                let epoch = if memory { self.epoch(frame.exprs[*of].ty) } else { 0 };
                let (of, index) = (self.expr(frame, state, *of)?, self.expr(frame, state, *index)?);
                self.element(of, index, ty, memory.then_some(epoch))
            }
            ExprKind::Contents(of) => {
                let of = one(self, of)?;
                self.graph.make(Op::Element(0), vec![of], ty)
            }
            ExprKind::Swizzle(of, swizzle) => {
                let of = one(self, of)?;
                let scalar = matches!(self.graph.ty(of), Ty::Scalar(_));
                let list: Vec<u8> = swizzle.list().to_vec();
                let all = list.into_iter().map(|c| if scalar { Some(of) } else { self.graph.part(of, c.into()) });
                let all: Vec<Val> = all.collect::<Option<_>>()?;
                self.graph.gather(&mut all.into_iter(), ty)?
            }
            ExprKind::MatrixSwizzle(of, cells) => {
                let of = one(self, of)?;
                let cell = |(row, column): &(u8, u8)| {
                    let row = self.graph.part(of, (*row).into())?;
                    self.graph.part(row, (*column).into())
                };
                let all: Vec<Val> = cells.iter().map(cell).collect::<Option<_>>()?;
                self.graph.gather(&mut all.into_iter(), ty)?
            }
            ExprKind::Unary(op, of) => {
                let of = one(self, of)?;
                self.graph.unary(&state.facts, *op, of)
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) if ty == BOOL => {
                self.logic(frame, state, *op, *left, *right)?
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (one(self, left)?, one(self, right)?);
                self.graph.binary(&state.facts, *op, left, right)
            }
            ExprKind::Select(condition, yes, no) => self.choice(frame, state, [*condition, *yes, *no])?,
            ExprKind::Comma(first, second) => {
                one(self, first)?;
                one(self, second)?
            }
            ExprKind::Construct(parts) => {
                let parts: Vec<Val> = parts.iter().map(|p| one(self, p)).collect::<Option<_>>()?;
                self.construct(parts, ty, expr.ty)?
            }
            ExprKind::Convert(of, _) => {
                let of = one(self, of)?;
                self.graph.convert(&state.facts, of, ty)
            }
            ExprKind::Assign(op, target, value) => {
                let place = self.place(frame, state, *target)?;
                let value = self.expr(frame, state, *value)?;
                let value = match op {
                    Some(op) => {
                        let old = self.load(state, &place, frame.exprs[*target].ty)?;
                        self.graph.binary(&state.facts, *op, old, value)
                    }
                    None => value,
                };
                self.store(state, &place, value)?;
                value
            }
            ExprKind::Step(up, prefix, target) => {
                let place = self.place(frame, state, *target)?;
                let old = self.load(state, &place, expr.ty)?;
                let kind = self.program.types.component(expr.ty)?;
                let one = if kind.is_float() { Value::Float(1.0, kind) } else { Value::Int(1, kind) };
                let one = self.graph.constant(&one, Ty::Scalar(kind))?;
                let op = if *up { BinaryOp::Add } else { BinaryOp::Sub };
                let new = self.graph.binary(&state.facts, op, old, one);
                self.store(state, &place, new)?;
                if *prefix { new } else { old }
            }
            ExprKind::Call(function, args) => self.call(frame, state, *function, args, ty)?,
            ExprKind::Property(property) => {
                let function = property.get.or(property.reference)?;
                self.call(frame, state, function, &property.args, ty)?
            }
            ExprKind::Native(..) | ExprKind::AddressOf(_) | ExprKind::Deref(_) => return None,
        })
    }

    /// How many effects there have been, for what others may write.
    fn epoch(&self, ty: TypeId) -> usize {
        use Type::*;
        match self.program.types.get(self.program.types.innermost(ty)) {
            Texture(t) if t.access == Access::Read => 0,
            Buffer(_, Access::Read, _) | ConstantBuffer(_) | TextureBuffer(_) | ParameterBlock(_) => 0,
            _ => self.effects.len() + 1,
        }
    }

    /// An element of a value, or of memory as of so many effects.
    fn element(&mut self, of: Val, index: Val, ty: Ty, memory: Option<usize>) -> Val {
        let exact = self.graph.value(index).and_then(|v| v.int()).and_then(|n| u32::try_from(n).ok());
        if memory.is_none()
            && let Some(part) = exact.and_then(|n| self.graph.part(of, n))
        {
            return part;
        }
        self.graph.make(Op::Element(memory.unwrap_or(0)), vec![of, index], ty)
    }

    fn global(&mut self, state: &State, id: GlobalId) -> Option<Val> {
        let global = &self.program.globals[id];
        let ty = self.graph.ty_of(global.ty);
        if let Some(value) = state.vars.get(&Slot::Static(id)) {
            return Some(*value);
        }
        match global.kind {
            GlobalKind::Static | GlobalKind::Const => self.initial(id),
            GlobalKind::Groupshared => {
                let memory = self.graph.make(Op::Global(id), Vec::new(), ty);
                Some(self.graph.make(Op::Element(self.effects.len() + 1), vec![memory], ty))
            }
            _ => Some(self.graph.make(Op::Global(id), Vec::new(), ty)),
        }
    }

    /// What a static or constant is before anything writes it.
    fn initial(&mut self, id: GlobalId) -> Option<Val> {
        if let Some(value) = self.initials.get(&id) {
            return *value;
        }
        self.initials.insert(id, None);
        let program = self.program;
        let global = &program.globals[id];
        let value = match &global.init {
            Some(tree) => {
                let mut frame = self.frame(&tree.exprs, None);
                let control = self.graph.truth(true);
                let mut state = State { vars: BTreeMap::new(), facts: Facts::new(), control };
                self.expr(&mut frame, &mut state, tree.root)?
            }
            None => match constant::zero_of(program, global.ty) {
                Some(zero) => self.graph.constant(&zero, self.graph.ty_of(global.ty))?,
                None => self.graph.undefined(self.graph.ty_of(global.ty)),
            },
        };
        self.initials.insert(id, Some(value));
        Some(value)
    }

    /// `&&` and `||`: the right side as far as the left does not decide.
    fn logic(
        &mut self,
        frame: &mut Frame<'a>,
        state: &mut State,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> Option<Val> {
        let goes_on = op == BinaryOp::And;
        let first = self.expr(frame, state, left)?;
        match self.graph.decided(first, &state.facts) {
            Some(truth) if truth != goes_on => return Some(self.graph.truth(truth)),
            Some(_) => return self.expr(frame, state, right),
            None => {}
        }
        let mut inner = self.under(state, first, goes_on);
        let writes = self.writes;
        let second = self.expr(frame, &mut inner, right)?;
        let second = self.settled(second, &inner.facts);
        if self.writes != writes {
            let (yes, no) = if goes_on { (inner, state.clone()) } else { (state.clone(), inner) };
            let control = state.control;
            *state = self.join(first, yes, no);
            state.control = control;
        }
        Some(self.graph.binary(&state.facts, op, first, second))
    }

    fn choice(&mut self, frame: &mut Frame<'a>, state: &mut State, exprs: [ExprId; 3]) -> Option<Val> {
        let [condition, yes, no] = exprs;
        let condition = self.expr(frame, state, condition)?;
        if self.graph.ty(condition) != BOOL {
            let (yes, no) = (self.expr(frame, state, yes)?, self.expr(frame, state, no)?);
            return Some(self.graph.select(&state.facts, condition, yes, no));
        }
        if let Some(truth) = self.graph.decided(condition, &state.facts) {
            return self.expr(frame, state, if truth { yes } else { no });
        }
        let (mut then, mut otherwise) = (self.under(state, condition, true), self.under(state, condition, false));
        let writes = self.writes;
        let (yes, no) = (self.expr(frame, &mut then, yes)?, self.expr(frame, &mut otherwise, no)?);
        let value = self.choose(condition, (yes, &then.facts), (no, &otherwise.facts));
        if self.writes != writes {
            let control = state.control;
            *state = self.join(condition, then, otherwise);
            state.control = control;
        }
        Some(value)
    }

    /// A vector or matrix of components, or an array or struct of parts.
    fn construct(&mut self, parts: Vec<Val>, ty: Ty, id: TypeId) -> Option<Val> {
        let numeric = matches!(self.program.types.get(id), Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..));
        if !numeric {
            return Some(self.graph.compose(parts, ty));
        }
        let mut scalars = Vec::new();
        parts.into_iter().for_each(|p| self.graph.flatten(p, &mut scalars));
        self.graph.gather(&mut scalars.into_iter(), ty)
    }

    fn call(
        &mut self,
        frame: &mut Frame<'a>,
        state: &mut State,
        id: FunctionId,
        args: &[ExprId],
        ty: Ty,
    ) -> Option<Val> {
        let program = self.program;
        let function = &program.functions[id];
        let marked = function.attributes.iter().any(|a| a.name == "__effects");
        match &function.body {
            FunctionBody::Block if !marked => self.inline(frame, state, id, args, ty),
            _ => self.opaque(frame, state, id, args, ty),
        }
    }

    fn inline(
        &mut self,
        frame: &mut Frame<'a>,
        state: &mut State,
        id: FunctionId,
        args: &[ExprId],
        ty: Ty,
    ) -> Option<Val> {
        if self.open.contains(&id) || self.open.len() > MAX_DEPTH {
            return None;
        }
        let program = self.program;
        let function = &program.functions[id];
        let mut inner = self.frame(&function.code.exprs, Some(&function.code));
        let mut places = Vec::new();
        let mut values = Vec::new();
        for (param, arg) in function.params.iter().zip(args) {
            let ty = frame.exprs[*arg].ty;
            if param.mode == ParamMode::In {
                values.push((param.local, self.expr(frame, state, *arg)?));
                continue;
            }
            let place = self.place(frame, state, *arg)?;
            values.push(match param.mode {
                ParamMode::Out => (param.local, self.graph.undefined(self.graph.ty_of(ty))),
                _ => (param.local, self.load(state, &place, ty)?),
            });
            places.push((param.local, place));
        }
        let (control, outer) = (state.control, state.facts.clone());
        let mut start = state.clone();
        for (local, value) in values {
            self.set(&mut start, Slot::Local(inner.id, local), value);
        }
        self.open.push(id);
        let end = self.block(&mut inner, start, &function.code.block)?;
        self.open.pop();
        let ends: Vec<_> = inner.returns.into_iter().chain(end.map(|s| (s, None))).collect();
        let (after, result) = self.merge(ends)?;
        *state = after;
        state.control = control;
        state.facts.extend(outer);
        for (local, place) in places {
            let value = state.vars.get(&Slot::Local(inner.id, local)).copied();
            if let Some(value) = value {
                self.store(state, &place, value)?;
            }
        }
        state.vars.retain(|slot, _| !matches!(slot, Slot::Local(frame, _) if *frame == inner.id));
        Some(result.unwrap_or_else(|| self.graph.undefined(ty)))
    }

    /// What a few operations are made of.
    fn expand(&mut self, state: &State, operation: &str, args: &[Val], ty: Ty) -> Option<Val> {
        let facts = &state.facts;
        Some(match (operation, args) {
            ("any" | "all", [of]) => {
                let op = if operation == "all" { BinaryOp::And } else { BinaryOp::Or };
                let mut scalars = Vec::new();
                self.graph.flatten(*of, &mut scalars);
                let truths: Vec<Val> = scalars.into_iter().map(|s| self.graph.convert(facts, s, BOOL)).collect();
                truths.into_iter().reduce(|a, b| self.graph.binary(facts, op, a, b))?
            }
            ("lerp", [from, to, by]) => {
                let between = self.graph.binary(facts, BinaryOp::Sub, *to, *from);
                let part = self.graph.binary(facts, BinaryOp::Mul, between, *by);
                self.graph.binary(facts, BinaryOp::Add, *from, part)
            }
            ("step", [edge, of]) => {
                let reached = self.graph.binary(facts, BinaryOp::GreaterEqual, *of, *edge);
                self.graph.convert(facts, reached, ty)
            }
            _ => return None,
        })
    }

    /// A call of what the library only spells.
    fn opaque(
        &mut self,
        frame: &mut Frame<'a>,
        state: &mut State,
        id: FunctionId,
        args: &[ExprId],
        ty: Ty,
    ) -> Option<Val> {
        let program = self.program;
        let function = &program.functions[id];
        let acts = acts(program, id, 0) || args.iter().any(|a| is_state(program, frame.exprs[*a].ty));
        let (mut values, mut places, mut epoch) = (Vec::new(), Vec::new(), 0);
        for (i, arg) in args.iter().enumerate() {
            let of = frame.exprs[*arg].ty;
            let mode = function.params.get(i).map_or(ParamMode::In, |p| p.mode);
            if !is_plain(program, of) {
                epoch = epoch.max(self.epoch(of));
            }
            if mode == ParamMode::In {
                values.push(self.expr(frame, state, *arg)?);
                continue;
            }
            let place = self.place(frame, state, *arg)?;
            if mode != ParamMode::Out {
                values.push(self.load(state, &place, of)?);
            }
            places.push((i as u32, place, self.graph.ty_of(of)));
        }
        let numbers: Option<Vec<Value>> = values.iter().map(|v| self.graph.value(*v)).collect();
        if let Some(numbers) = numbers.filter(|_| places.is_empty())
            && let Some(value) = constant::fold_call(program, id, &numbers)
            && let Some(value) = self.graph.constant(&of_kind(value, ty), ty)
        {
            return Some(value);
        }
        if places.is_empty()
            && let Some(value) = constant::operation(program, id).and_then(|o| self.expand(state, o, &values, ty))
        {
            return Some(value);
        }
        let call = self.graph.make(Op::Call(id, if acts { self.effects.len() + 1 } else { epoch }), values, ty);
        if acts {
            self.effects.extend([state.control, call]);
        }
        for (i, place, ty) in places {
            let value = self.graph.make(Op::Out(i), vec![call], ty);
            self.store(state, &place, value)?;
        }
        Some(call)
    }
}

/// A number of the kind that the type wants.
fn of_kind(value: Value, ty: Ty) -> Value {
    let (Ty::Scalar(kind) | Ty::Vector(kind, _)) = ty else { return value };
    match value {
        Value::Composite(parts) => Value::Composite(parts.into_iter().map(|p| of_kind(p, Ty::Scalar(kind))).collect()),
        scalar => constant::fold_convert(&scalar, kind).unwrap_or(scalar),
    }
}
