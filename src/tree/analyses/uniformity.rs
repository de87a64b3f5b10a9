//! Whether every barrier is reached by all invocations of a work group together, as far as that can be seen: the rules of
//! the WGSL specification ("Uniformity analysis").
//!
//! A value is *varying* if it may differ between invocations; flow is varying if not all invocations may be in it. Each
//! function is looked at once, callees first, for flow that is uniform where it begins: what its results and its barriers
//! depend on is a set of its parameters ([`Summary`]), and a call puts what it knows of its arguments into that. What is
//! called in varying flow gives varying results, and may have no barriers.
//!
//! The time is that of the statements times the depth of their nesting: a branch costs what it assigns, and a loop begins
//! where its last round ended ([`Frame::rounds`]), also when a loop around it has another round.

use crate::source::Span;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What builtins and inputs are, which the library's attributes show.
pub struct Rules {
    /// A builtin that all invocations of a work group must call together.
    pub is_barrier: fn(&Function) -> bool,
    /// A builtin whose result differs between invocations whatever its arguments are.
    pub is_varying: fn(&Function) -> bool,
    /// A builtin whose result is the same for a work group whatever its arguments are.
    pub is_uniform: fn(&Function) -> bool,
    /// A parameter of an entry point that is the same for a work group.
    pub is_uniform_input: fn(&Program, &Function, &Param) -> bool,
}

/// A barrier in flow that may be varying.
pub struct Fault {
    /// The call of the barrier, or of what has it.
    pub barrier: Span,
    /// What the flow depends on.
    pub cause: Span,
}

impl Program {
    /// All barriers in flow that may be varying, each once, callees first.
    pub fn varying_barriers(&self, rules: &Rules) -> Vec<Fault> {
        // The functions that are barriers or call one.
        let barriers = self.analyses().callers_of(&|f| (rules.is_barrier)(f));
        if barriers.is_empty() {
            return Vec::new();
        }
        let mut walk = Walk { program: self, rules, barriers: &barriers, summaries: FxHashMap::default() };
        let mut faults = Faults::default();
        for id in self.reachable_functions() {
            let function = &self.functions[id];
            if !matches!(function.body, FunctionBody::Block) {
                continue;
            }
            let summary = walk.summary(function);
            let entry = self.entry_point_of(id).map(|_| walk.inputs(function));
            for barrier in &summary.barriers {
                faults.note(barrier, entry.as_deref());
            }
            walk.summaries.insert(id, summary);
        }
        faults.list
    }
}

#[derive(Default)]
struct Faults {
    list: Vec<Fault>,
    known: FxHashSet<Span>,
}

impl Faults {
    /// A barrier whose flow is varying whatever is passed, or with the inputs of an entry point.
    fn note(&mut self, barrier: &Barrier, inputs: Option<&[Needs]>) {
        let varying = |needs: Needs| needs.is_varying() || inputs.is_some_and(|i| needs.with(i).is_varying());
        if let Some((_, cause)) = barrier.flow.causes.iter().find(|(needs, _)| varying(*needs))
            && self.known.insert(barrier.span)
        {
            self.list.push(Fault { barrier: barrier.span, cause: *cause });
        }
    }
}

/// What has to be uniform for a value to be so: nothing, some parameters, or it never is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Needs(u128);

impl Needs {
    const VARYING: Needs = Needs(1);
    /// Parameters from this one on share a bit: if one is varying, all are taken to be.
    const LAST: usize = 126;

    fn param(index: usize) -> Needs {
        Needs(2 << index.min(Self::LAST))
    }

    fn if_varying(varying: bool) -> Needs {
        if varying { Needs::VARYING } else { Needs::default() }
    }

    fn and(self, other: Needs) -> Needs {
        Needs(self.0 | other.0)
    }

    fn is_varying(self) -> bool {
        self.0 & 1 != 0
    }

    fn is_nothing(self) -> bool {
        self.0 == 0
    }

    fn covers(self, other: Needs) -> bool {
        self.0 | other.0 == self.0
    }

    /// The needs where parameters are arguments with these needs.
    fn with(self, arguments: &[Needs]) -> Needs {
        let own = Needs::if_varying(self.is_varying());
        if self == own {
            return own;
        }
        let given = arguments.iter().enumerate().filter(|(index, _)| self.covers(Needs::param(*index)));
        given.fold(own, |all, (_, needs)| all.and(*needs))
    }
}

/// What has to be uniform for flow to be so, with the conditions that make it so.
#[derive(Clone, Default)]
struct Flow {
    needs: Needs,
    causes: Vec<(Needs, Span)>,
}

impl Flow {
    /// The flow inside of what a condition with these needs decides.
    fn under(&self, needs: Needs, span: Span) -> Flow {
        let mut inside = self.clone();
        inside.add(needs, span);
        inside
    }

    fn add(&mut self, needs: Needs, span: Span) {
        if !self.needs.covers(needs) {
            self.needs = self.needs.and(needs);
            self.causes.push((needs, span));
        }
    }

    fn join(&mut self, other: &Flow) {
        other.causes.iter().for_each(|(needs, span)| self.add(*needs, *span));
    }
}

/// A call of a barrier, and the flow in which it is.
struct Barrier {
    span: Span,
    flow: Flow,
}

/// What a function does if it is called in uniform flow.
struct Summary {
    result: Needs,
    /// The parameters afterwards.
    params: Vec<Needs>,
    /// Barriers in flow that depends on something.
    barriers: Vec<Barrier>,
}

/// How a statement may end.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Ends {
    next: bool,
    leaves: bool,
}

impl Ends {
    const NEXT: Ends = Ends { next: true, leaves: false };
    const LEAVES: Ends = Ends { next: false, leaves: true };

    fn or(self, other: Ends) -> Ends {
        Ends { next: self.next || other.next, leaves: self.leaves || other.leaves }
    }
}

/// Variables that were assigned since some point, with what they need now.
type Assigned = BTreeMap<LocalId, Needs>;

/// What the variables need, with the way back.
struct Variables {
    needs: Vec<Needs>,
    /// What was assigned, and what it needed before.
    log: Vec<(LocalId, Needs)>,
}

impl Variables {
    fn get(&self, local: LocalId) -> Needs {
        self.needs.get(local.index()).copied().unwrap_or(Needs::VARYING)
    }

    fn set(&mut self, local: LocalId, needs: Needs) {
        if let Some(slot) = self.needs.get_mut(local.index())
            && *slot != needs
        {
            self.log.push((local, *slot));
            *slot = needs;
        }
    }

    fn since(&self, mark: usize) -> Assigned {
        self.log.get(mark..).unwrap_or_default().iter().map(|(local, _)| (*local, self.get(*local))).collect()
    }

    /// Goes back to where the log had this length.
    fn undo(&mut self, mark: usize) {
        while self.log.len() > mark {
            let Some((local, before)) = self.log.pop() else { return };
            if let Some(slot) = self.needs.get_mut(local.index()) {
                *slot = before;
            }
        }
    }

    /// The state where several ways from this one meet.
    fn join<'c>(&mut self, ways: impl ExactSizeIterator<Item = &'c Assigned>) {
        let count = ways.len();
        let mut all: BTreeMap<LocalId, (Needs, usize)> = BTreeMap::new();
        for (local, needs) in ways.flatten() {
            let (known, times) = all.entry(*local).or_default();
            *known = known.and(*needs);
            *times += 1;
        }
        for (local, (needs, times)) in all {
            // On the other ways it is as it was.
            let before = if times < count { self.get(local) } else { Needs::default() };
            self.set(local, needs.and(before));
        }
    }
}

/// A way on from some point, with what is assigned on it.
type Way = (Assigned, Flow);

/// The ways out of a loop or switch.
#[derive(Default)]
struct Exits {
    is_loop: bool,
    mark: usize,
    breaks: Vec<Way>,
    continues: Vec<Way>,
}

/// One round of a loop.
struct Round {
    /// The ways out of it.
    out: Vec<Way>,
    /// The way to another round, if there is one.
    back: Option<Way>,
    /// The flow at the end of the body, which counts though nothing may come to it.
    end: Flow,
}

/// The parts of a loop.
struct Loop<'a> {
    before: Option<ExprId>,
    body: &'a Block,
    step: Option<ExprId>,
    after: Option<ExprId>,
}

/// The walk through one function.
struct Frame<'a> {
    body: &'a Body,
    variables: Variables,
    result: Needs,
    /// The parameters that are written, where the function returns.
    outputs: Assigned,
    barriers: Vec<Barrier>,
    /// The loops and switches around.
    exits: Vec<Exits>,
    /// With what each loop begins beyond what stands before it, by its body.
    rounds: FxHashMap<*const Block, (Assigned, Flow)>,
    /// How often control left what is around by `return`.
    returns: u32,
}

impl Frame<'_> {
    /// More barriers than these share the last one's report.
    const BARRIERS: usize = 256;

    fn barrier(&mut self, span: Span, flow: &Flow) {
        if flow.needs.is_nothing() {
            return;
        }
        let at = self.barriers.iter().position(|b| b.span == span).unwrap_or(self.barriers.len());
        match self.barriers.get_mut(at.min(Self::BARRIERS - 1)) {
            Some(known) => known.flow.join(flow),
            None => self.barriers.push(Barrier { span, flow: flow.clone() }),
        }
    }

    /// How many ways lead to the next round of the loop around.
    fn continued(&self) -> usize {
        self.exits.iter().rev().find(|e| e.is_loop).map_or(0, |e| e.continues.len())
    }

    /// Parameters that are written, on another way out of the function.
    fn leave(&mut self) {
        let Frame { outputs, variables, .. } = self;
        outputs.iter_mut().for_each(|(local, needs)| *needs = needs.and(variables.get(*local)));
    }
}

struct Walk<'a> {
    program: &'a Program,
    rules: &'a Rules,
    barriers: &'a FxHashSet<FunctionId>,
    summaries: FxHashMap<FunctionId, Summary>,
}

impl<'a> Walk<'a> {
    /// What the parameters of an entry point are.
    fn inputs(&self, function: &Function) -> Vec<Needs> {
        let varying = |p: &Param| !(self.rules.is_uniform_input)(self.program, function, p);
        function.params.iter().map(|p| Needs::if_varying(varying(p))).collect()
    }

    fn summary(&self, function: &'a Function) -> Summary {
        let written = function.params.iter().filter(|p| p.mode != ParamMode::In);
        let mut frame = Frame {
            body: &function.code,
            variables: Variables { needs: vec![Needs::default(); function.code.locals.len()], log: Vec::new() },
            result: Needs::default(),
            outputs: written.map(|p| (p.local, Needs::default())).collect(),
            barriers: Vec::new(),
            exits: Vec::new(),
            rounds: FxHashMap::default(),
            returns: 0,
        };
        for (index, param) in function.params.iter().enumerate() {
            frame.variables.set(param.local, Needs::param(index));
        }
        let (ends, _) = self.statements(&mut frame, &function.code.block.stmts, &Flow::default());
        if ends.next {
            frame.leave();
        }
        let after = |p: &Param| frame.outputs.get(&p.local).copied().unwrap_or_default();
        Summary { result: frame.result, params: function.params.iter().map(after).collect(), barriers: frame.barriers }
    }

    /// Statements in order: how they end, and the flow after them.
    fn statements(&self, frame: &mut Frame<'a>, stmts: &'a [Stmt], flow: &Flow) -> (Ends, Flow) {
        let (mut ends, mut flow) = (Ends::NEXT, flow.clone());
        for stmt in stmts {
            let (own, after) = self.statement(frame, stmt, flow);
            flow = after;
            ends = Ends { next: own.next, leaves: ends.leaves || own.leaves };
            if !ends.next {
                break;
            }
        }
        (ends, flow)
    }

    fn statement(&self, frame: &mut Frame<'a>, stmt: &'a Stmt, flow: Flow) -> (Ends, Flow) {
        match &stmt.kind {
            StmtKind::Local(local, init) => {
                let needs = init.map_or(Needs::default(), |e| self.value(frame, e, &flow));
                frame.variables.set(*local, needs.and(flow.needs));
            }
            StmtKind::Expr(e) => {
                self.value(frame, *e, &flow);
            }
            StmtKind::Block(block) => return self.statements(frame, &block.stmts, &flow),
            StmtKind::If(condition, then, other, _) => {
                return self.branch(frame, *condition, then, other.as_ref(), flow);
            }
            StmtKind::Switch(value, cases, _) => return self.switch(frame, *value, cases, flow),
            StmtKind::For(init, condition, step, body, _) => {
                let (_, flow) = self.statements(frame, init, &flow);
                return self.repeat(frame, &Loop { before: *condition, body, step: *step, after: None }, flow);
            }
            StmtKind::While(condition, body, _) => {
                return self.repeat(frame, &Loop { before: Some(*condition), body, step: None, after: None }, flow);
            }
            StmtKind::DoWhile(body, condition, _) => {
                return self.repeat(frame, &Loop { before: None, body, step: None, after: Some(*condition) }, flow);
            }
            StmtKind::Break => {
                if let Some(exits) = frame.exits.last_mut() {
                    exits.breaks.push((frame.variables.since(exits.mark), flow.clone()));
                }
                return (Ends::LEAVES, flow);
            }
            StmtKind::Continue => {
                // A switch is no loop.
                if let Some(exits) = frame.exits.iter_mut().rev().find(|e| e.is_loop) {
                    exits.continues.push((frame.variables.since(exits.mark), flow.clone()));
                }
                return (Ends::LEAVES, flow);
            }
            StmtKind::Return(value) => {
                let needs = value.map_or(Needs::default(), |e| self.value(frame, e, &flow));
                frame.result = frame.result.and(needs).and(flow.needs);
                frame.leave();
                frame.returns += 1;
                return (Ends::LEAVES, flow);
            }
            // A discarded invocation goes on as a helper.
            StmtKind::Discard | StmtKind::Intrinsic(_) => {}
        }
        (Ends::NEXT, flow)
    }

    /// The flow inside of what a condition decides.
    fn decided(&self, frame: &mut Frame<'a>, condition: ExprId, flow: &Flow) -> Flow {
        let needs = self.value(frame, condition, flow);
        flow.under(needs, frame.body.exprs[condition].span)
    }

    fn branch(
        &self,
        frame: &mut Frame<'a>,
        condition: ExprId,
        then: &'a Block,
        other: Option<&'a Block>,
        flow: Flow,
    ) -> (Ends, Flow) {
        let inside = self.decided(frame, condition, &flow);
        let mark = frame.variables.log.len();
        let mut ways = Vec::new();
        let (mut ends, mut left) = (Ends { next: false, leaves: false }, Flow::default());
        for block in [Some(then), other] {
            let (own, after) = match block {
                Some(block) => self.statements(frame, &block.stmts, &inside),
                None => (Ends::NEXT, inside.clone()),
            };
            if own.next {
                ways.push(frame.variables.since(mark));
            }
            frame.variables.undo(mark);
            ends = ends.or(own);
            left.join(&after);
        }
        frame.variables.join(ways.iter());
        (ends, if ends == Ends::NEXT { flow } else { left })
    }

    fn switch(&self, frame: &mut Frame<'a>, value: ExprId, cases: &'a [SwitchCase], flow: Flow) -> (Ends, Flow) {
        let inside = self.decided(frame, value, &flow);
        let mark = frame.variables.log.len();
        let complete = cases.iter().any(|c| c.labels.contains(&None));
        let mut out = Vec::new();
        if !complete {
            out.push((Assigned::new(), inside.clone()));
        }
        // Flow that a case ends counts, too, as it does behind a branch.
        let (mut leaves, mut left) = (false, Flow::default());
        for case in cases {
            frame.exits.push(Exits { is_loop: false, mark, breaks: Vec::new(), continues: Vec::new() });
            let before = (frame.returns, frame.continued());
            let (ends, after) = self.statements(frame, &case.body.stmts, &inside);
            leaves |= before != (frame.returns, frame.continued());
            left.join(&after);
            if ends.next {
                out.push((frame.variables.since(mark), after));
            }
            frame.variables.undo(mark);
            out.extend(frame.exits.pop().into_iter().flat_map(|e| e.breaks));
        }
        let ends = Ends { next: !out.is_empty(), leaves };
        frame.variables.join(out.iter().map(|(changes, _)| changes));
        out.iter().for_each(|(_, flow)| left.join(flow));
        (ends, if leaves { left } else { flow })
    }

    fn repeat(&self, frame: &mut Frame<'a>, l: &Loop<'a>, flow: Flow) -> (Ends, Flow) {
        let mark = frame.variables.log.len();
        let key = std::ptr::from_ref(l.body);
        let (mut start, mut inside) = frame.rounds.remove(&key).unwrap_or_default();
        inside.join(&flow);
        // Each round makes something need more, or is the last.
        loop {
            for (local, needs) in &start {
                let needs = needs.and(frame.variables.get(*local));
                frame.variables.set(*local, needs);
            }
            let returns = frame.returns;
            let Round { out, back, end } = self.round(frame, l, mark, &inside);
            let mut grown = false;
            if let Some((changes, again)) = back {
                grown |= !inside.needs.covers(again.needs);
                inside.join(&again);
                for (local, needs) in changes {
                    let known = start.entry(local).or_default();
                    grown |= !known.and(frame.variables.get(local)).covers(needs);
                    *known = known.and(needs);
                }
            }
            if grown {
                continue;
            }
            let ends = Ends { next: !out.is_empty(), leaves: frame.returns > returns };
            frame.variables.join(out.iter().map(|(changes, _)| changes));
            frame.rounds.insert(key, (start, inside.clone()));
            // Where some return, those that break out are as few as those that go on, and as those that would come to the end.
            out.iter().for_each(|(_, flow)| inside.join(flow));
            inside.join(&end);
            return (ends, if ends.leaves { inside } else { flow });
        }
    }

    /// Once through a loop. The variables are as before.
    fn round(&self, frame: &mut Frame<'a>, l: &Loop<'a>, mark: usize, inside: &Flow) -> Round {
        let (mut current, mut out) = (inside.clone(), Vec::new());
        if let Some(condition) = l.before {
            current = self.decided(frame, condition, &current);
            out.push((frame.variables.since(mark), current.clone()));
        }
        frame.exits.push(Exits { is_loop: true, mark, breaks: Vec::new(), continues: Vec::new() });
        let (ends, after) = self.statements(frame, &l.body.stmts, &current);
        let Exits { breaks, continues: mut ways, .. } = frame.exits.pop().unwrap_or_default();
        if ends.next {
            ways.push((frame.variables.since(mark), after.clone()));
        }
        let end = after;
        frame.variables.undo(mark);
        let mut back = None;
        if !ways.is_empty() {
            frame.variables.join(ways.iter().map(|(changes, _)| changes));
            let mut after = Flow::default();
            ways.iter().for_each(|(_, flow)| after.join(flow));
            if let Some(step) = l.step {
                self.value(frame, step, &after);
            }
            if let Some(condition) = l.after {
                after = self.decided(frame, condition, &after);
                out.push((frame.variables.since(mark), after.clone()));
            }
            back = Some((frame.variables.since(mark), after));
            frame.variables.undo(mark);
        }
        out.extend(breaks);
        Round { out, back, end }
    }

    /// What the value of an expression needs; its effects are noted.
    fn value(&self, frame: &mut Frame<'a>, id: ExprId, flow: &Flow) -> Needs {
        let program = self.program;
        let body = frame.body;
        match &body.exprs[id].kind {
            ExprKind::Local(local) => frame.variables.get(*local).and(flow.needs),
            ExprKind::Global(global) => {
                Needs::if_varying(is_varying_global(program, &program.globals[*global])).and(flow.needs)
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b)
                if matches!(program.types.get(body.exprs[id].ty), Type::Scalar(_)) =>
            {
                let inside = self.decided(frame, *a, flow);
                self.value(frame, *b, &inside).and(inside.needs)
            }
            ExprKind::Assign(op, target, value) => {
                let mut needs = self.value(frame, *value, flow).and(flow.needs);
                let before = self.value(frame, *target, flow);
                // A part of a variable that is assigned leaves the rest as it was.
                let whole = matches!(body.exprs[*target].kind, ExprKind::Local(_));
                if op.is_some() || !whole {
                    needs = needs.and(before);
                }
                assign(frame, *target, needs);
                needs
            }
            ExprKind::Step(_, _, target) => {
                let needs = self.value(frame, *target, flow);
                assign(frame, *target, needs);
                needs
            }
            ExprKind::Call(function, args) => self.call(frame, id, *function, args, flow),
            kind => {
                let mut parts = Vec::new();
                kind.children(&mut |c| parts.push(c));
                parts.into_iter().fold(flow.needs, |needs, part| needs.and(self.value(frame, part, flow)))
            }
        }
    }

    fn call(&self, frame: &mut Frame<'a>, id: ExprId, function: FunctionId, args: &[ExprId], flow: &Flow) -> Needs {
        let callee = &self.program.functions[function];
        let given: Vec<Needs> = args.iter().map(|a| self.value(frame, *a, flow)).collect();
        if self.barriers.contains(&function) {
            frame.barrier(frame.body.exprs[id].span, flow);
        }
        let written = callee.params.iter().zip(args).enumerate().filter(|(_, (p, _))| p.mode != ParamMode::In);
        let Some(summary) = self.summaries.get(&function) else {
            // A buffer as such is asked for its length, not for its contents.
            let whole = |a: &ExprId| matches!(self.program.types.get(frame.body.exprs[*a].ty), Type::Buffer(..));
            let values = args.iter().zip(&given).filter(|(a, _)| !whole(a));
            if (self.rules.is_uniform)(callee) {
                // The place that is loaded must be one for all.
                let places = args.iter().flat_map(|a| frame.body.exprs.way_to_base(*a));
                let indices = places.filter_map(|place| match frame.body.exprs[place].kind {
                    ExprKind::Index(_, index) => Some(index),
                    _ => None,
                });
                for index in indices.collect::<Vec<_>>() {
                    let inside = self.decided(frame, index, flow);
                    frame.barrier(frame.body.exprs[id].span, &inside);
                }
                return flow.needs;
            }
            let needs = Needs::if_varying((self.rules.is_varying)(callee)).and(flow.needs);
            let needs = values.fold(needs, |all, (_, needs)| all.and(*needs));
            written.for_each(|(_, (_, arg))| assign(frame, *arg, needs));
            return needs;
        };
        for barrier in &summary.barriers {
            let mut flow = Flow::default();
            barrier.flow.causes.iter().for_each(|(needs, cause)| flow.add(needs.with(&given), *cause));
            // What varies whatever the arguments are is the callee's own fault.
            if !barrier.flow.needs.is_varying() {
                frame.barrier(barrier.span, &flow);
            }
        }
        for (index, (_, arg)) in written {
            let needs = summary.params.get(index).copied().unwrap_or(Needs::VARYING);
            assign(frame, *arg, needs.with(&given).and(flow.needs));
        }
        summary.result.with(&given).and(flow.needs)
    }
}

fn assign(frame: &mut Frame, target: ExprId, needs: Needs) {
    if let Some(local) = frame.body.exprs.base_local(target) {
        frame.variables.set(local, needs);
    }
}

/// Memory that others may write, or that is each invocation's own.
pub fn is_varying_global(program: &Program, global: &Global) -> bool {
    match global.kind {
        GlobalKind::Const | GlobalKind::Specialization => false,
        GlobalKind::Parameter => match program.types.get(program.types.innermost(global.ty)) {
            Type::Buffer(_, access, _) => access != Access::Read,
            Type::Texture(t) => t.access != Access::Read && !global.modifiers.has(Modifiers::READONLY),
            _ => false,
        },
        GlobalKind::Static
        | GlobalKind::Groupshared
        | GlobalKind::Input
        | GlobalKind::Output
        | GlobalKind::Passed
        | GlobalKind::Heap => true,
    }
}
