//! Whether every barrier is reached by all invocations of a work group together, as far as that can be seen.
//!
//! D3D asks this of the author; a target without `NonUniformBarriers` proves it, and refuses what it cannot prove. This is
//! that proof, after the rules of the WGSL specification ("Uniformity analysis"), so that what would be refused is an error
//! that shows both the barrier and the condition that it depends on.
//!
//! A value is *varying* if it may differ between invocations; flow is varying if not all invocations may be in it. An
//! entry point is walked with the values of its parameters; a call walks the callee with the values of the arguments, once for
//! each combination. The library marks barriers with `[__group_barrier]`.

use super::{Context, Pass, system_values};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// The attribute of builtins that all invocations of a work group must call together.
const BARRIER: &str = "__group_barrier";
/// Attributes of builtins whose result differs between invocations whatever the arguments are.
const VARYING: &[&str] = &["__non_uniform", "__derivative"];

/// Stands among the passes because those after it make pointers of parameters.
pub(super) const PASS: Pass = Pass {
    name: "uniformity",
    always: Some("what it reports is no need that a scan finds"),
    after: &["atomics", "lower_switch"],
    run,
    ..Pass::ROW
};

/// Reports barriers in flow that may be varying.
fn run(cx: &mut Context) {
    if cx.profile.has(Capability::NonUniformBarriers) {
        return;
    }
    for fault in faults(cx.program) {
        let message = format!(
            "a barrier that not all invocations of a work group may reach together is not supported by {}",
            cx.profile.name
        );
        let diagnostic = Diagnostic::error(Code::CAPABILITY, fault.barrier, message)
            .label(fault.cause, "whether it is reached depends on this")
            .note("make every invocation reach the barrier, with conditions around the work before and after it")
            .note(format!("the missing capability is {:?}", Capability::NonUniformBarriers));
        cx.diags.push(diagnostic);
    }
}

/// A barrier in varying flow.
pub(super) struct Fault {
    /// The call of the barrier.
    pub barrier: Span,
    /// What the flow depends on.
    pub cause: Span,
}

/// All faults, in the order in which they are met.
pub(super) fn faults(program: &Program) -> Vec<Fault> {
    // The functions that are barriers or call one.
    let barriers = program.analyses().callers_of(&|f| f.attributes.iter().any(|a| a.name == BARRIER));
    let mut walk = Walk { program, barriers: &barriers, known: FxHashMap::default(), faults: Vec::new(), depth: 0 };
    for entry in program.entry_points.iter().filter(|e| barriers.contains(&e.function)) {
        let function = &program.functions[entry.function];
        let params = function.params.iter().map(|p| !is_uniform_input(program, function, p)).collect();
        walk.function(entry.function, params, None);
    }
    walk.faults
}

/// A parameter of an entry point that is the same for a work group.
fn is_uniform_input(program: &Program, function: &Function, param: &Param) -> bool {
    let uniform = |attributes: &[Attribute]| {
        attributes.iter().any(|a| match (a.name.as_str(), a.args.as_slice()) {
            ("builtin", [AttributeArg::Name(name)]) => system_values::same_in_group(name.as_str()),
            _ => false,
        })
    };
    match program.types.get(function.code.locals[param.local].ty) {
        Type::Struct(id) => program.structs[id].fields.iter().all(|f| uniform(&f.attributes)),
        _ => uniform(&param.attributes),
    }
}

/// Whether flow is varying, and since where.
type Flow = Option<Span>;

/// What a call does.
#[derive(Clone, Default)]
struct Effect {
    /// The result is varying.
    result: bool,
    /// The parameters that are varying afterwards.
    params: Vec<bool>,
}

/// How a statement may end.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
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

struct Walk<'a> {
    program: &'a Program,
    barriers: &'a FxHashSet<FunctionId>,
    known: FxHashMap<(FunctionId, Vec<bool>, bool), Effect>,
    faults: Vec<Fault>,
    depth: u32,
}

impl Walk<'_> {
    /// Calls deeper than this are taken to vary.
    const LIMIT: u32 = 64;

    fn function(&mut self, id: FunctionId, params: Vec<bool>, flow: Flow) -> Effect {
        let key = (id, params, flow.is_some());
        if let Some(effect) = self.known.get(&key) {
            return effect.clone();
        }
        let function = &self.program.functions[id];
        if self.depth >= Self::LIMIT {
            return Effect { result: true, params: vec![true; function.params.len()] };
        }
        let mut frame = Frame {
            body: &function.code,
            varying: vec![false; function.code.locals.len()],
            result: false,
            returned: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
        };
        for (param, varying) in function.params.iter().zip(&key.1) {
            set(&mut frame.varying, param.local, *varying);
        }
        self.depth += 1;
        let (ends, _) = self.block(&mut frame, &function.code.block, flow);
        self.depth -= 1;
        if ends.next {
            frame.returned.push(frame.varying.clone());
        }
        let at_end = |local: LocalId| frame.returned.iter().any(|state| get(state, local));
        let effect = Effect {
            result: frame.result,
            params: function.params.iter().map(|p| p.mode != ParamMode::In && at_end(p.local)).collect(),
        };
        self.known.insert(key, effect.clone());
        effect
    }

    /// Statements in order: how they end, and the flow after them.
    fn block(&mut self, frame: &mut Frame, block: &Block, flow: Flow) -> (Ends, Flow) {
        self.statements(frame, &block.stmts, flow)
    }

    fn statements(&mut self, frame: &mut Frame, stmts: &[Stmt], mut flow: Flow) -> (Ends, Flow) {
        let mut ends = Ends::NEXT;
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

    fn statement(&mut self, frame: &mut Frame, stmt: &Stmt, flow: Flow) -> (Ends, Flow) {
        match &stmt.kind {
            StmtKind::Local(local, init) => {
                let varying = init.is_some_and(|e| self.value(frame, e, flow));
                set(&mut frame.varying, *local, varying || flow.is_some());
            }
            StmtKind::Expr(e) => {
                self.value(frame, *e, flow);
            }
            StmtKind::Block(block) => return self.block(frame, block, flow),
            StmtKind::If(condition, then, other, _) => {
                return self.branch(frame, *condition, then, other.as_ref(), flow);
            }
            StmtKind::Switch(value, cases, _) => return self.switch(frame, *value, cases, flow),
            StmtKind::For(init, condition, step, body, _) => {
                let (_, flow) = self.statements(frame, init, flow);
                return self.repeat(frame, Loop { before: *condition, body, step: *step, after: None }, flow);
            }
            StmtKind::While(condition, body, _) => {
                return self.repeat(frame, Loop { before: Some(*condition), body, step: None, after: None }, flow);
            }
            StmtKind::DoWhile(body, condition, _) => {
                return self.repeat(frame, Loop { before: None, body, step: None, after: Some(*condition) }, flow);
            }
            StmtKind::Break => {
                let state = (frame.varying.clone(), flow);
                frame.breaks.last_mut().into_iter().for_each(|list| list.push(state.clone()));
                return (Ends::LEAVES, flow);
            }
            StmtKind::Continue => {
                let state = (frame.varying.clone(), flow);
                frame.continues.last_mut().into_iter().for_each(|list| list.push(state.clone()));
                return (Ends::LEAVES, flow);
            }
            StmtKind::Return(value) => {
                let varying = value.is_some_and(|e| self.value(frame, e, flow));
                frame.result |= varying || flow.is_some();
                frame.returned.push(frame.varying.clone());
                return (Ends::LEAVES, flow);
            }
            // A discarded invocation goes on as a helper.
            StmtKind::Discard | StmtKind::Intrinsic(_) => {}
        }
        (Ends::NEXT, flow)
    }

    /// The flow inside of what a condition decides.
    fn decided(&mut self, frame: &mut Frame, condition: ExprId, flow: Flow) -> Flow {
        let varying = self.value(frame, condition, flow);
        flow.or(varying.then_some(frame.body.exprs[condition].span))
    }

    fn branch(
        &mut self,
        frame: &mut Frame,
        condition: ExprId,
        then: &Block,
        other: Option<&Block>,
        flow: Flow,
    ) -> (Ends, Flow) {
        let inside = self.decided(frame, condition, flow);
        let before = frame.varying.clone();
        let (then_ends, then_flow) = self.block(frame, then, inside);
        let after_then = std::mem::replace(&mut frame.varying, before);
        let (other_ends, other_flow) = other.map_or((Ends::NEXT, inside), |b| self.block(frame, b, inside));
        match (then_ends.next, other_ends.next) {
            (true, true) => join(&mut frame.varying, &after_then),
            (true, false) => frame.varying = after_then,
            _ => {}
        }
        let ends = then_ends.or(other_ends);
        (ends, if ends == Ends::NEXT { flow } else { then_flow.or(other_flow) })
    }

    fn switch(&mut self, frame: &mut Frame, value: ExprId, cases: &[SwitchCase], flow: Flow) -> (Ends, Flow) {
        let inside = self.decided(frame, value, flow);
        let before = frame.varying.clone();
        let complete = cases.iter().any(|c| c.labels.contains(&None));
        let mut out: Vec<State> = if complete { Vec::new() } else { vec![(before.clone(), inside)] };
        let mut returns = false;
        for case in cases {
            frame.varying = before.clone();
            frame.breaks.push(Vec::new());
            let returned = frame.returned.len();
            let continued = frame.continues.last().map_or(0, Vec::len);
            let (ends, after) = self.block(frame, &case.body, inside);
            returns |= frame.returned.len() > returned || frame.continues.last().map_or(0, Vec::len) > continued;
            if ends.next {
                out.push((frame.varying.clone(), after));
            }
            out.extend(frame.breaks.pop().unwrap_or_default());
        }
        let ends = Ends { next: !out.is_empty(), leaves: returns };
        let after = if returns { out.iter().find_map(|(_, f)| *f) } else { flow };
        frame.varying = before;
        if let Some(((first, _), rest)) = out.split_first() {
            frame.varying.clone_from(first);
            rest.iter().for_each(|(state, _)| join(&mut frame.varying, state));
        }
        (ends, after)
    }

    fn repeat(&mut self, frame: &mut Frame, l: Loop, flow: Flow) -> (Ends, Flow) {
        let returned = frame.returned.len();
        let mut inside = flow;
        let mut start = frame.varying.clone();
        // Each round makes something varying that was not, or is the last.
        loop {
            frame.varying = start.clone();
            frame.returned.truncate(returned);
            frame.breaks.push(Vec::new());
            frame.continues.push(Vec::new());
            let mut current = inside;
            let mut out: Vec<State> = Vec::new();
            if let Some(condition) = l.before {
                current = self.decided(frame, condition, current);
                out.push((frame.varying.clone(), current));
            }
            let (ends, mut after) = self.block(frame, l.body, current);
            let mut ends = ends.next;
            for (state, flow) in frame.continues.pop().unwrap_or_default() {
                match ends {
                    true => join(&mut frame.varying, &state),
                    false => frame.varying = state,
                }
                after = if ends { after.or(flow) } else { flow };
                ends = true;
            }
            if let Some(step) = l.step.filter(|_| ends) {
                self.value(frame, step, after);
            }
            if let Some(condition) = l.after.filter(|_| ends) {
                after = self.decided(frame, condition, after);
                out.push((frame.varying.clone(), after));
            }
            out.extend(frame.breaks.pop().unwrap_or_default());
            let mut next = start.clone();
            if ends {
                join(&mut next, &frame.varying);
            }
            let again = inside.or(after.filter(|_| ends));
            if next != start || again.is_some() != inside.is_some() {
                (start, inside) = (next, again);
                continue;
            }
            let returns = frame.returned.len() > returned;
            let ends = Ends { next: !out.is_empty(), leaves: returns };
            if let Some(((first, _), rest)) = out.split_first() {
                frame.varying.clone_from(first);
                rest.iter().for_each(|(state, _)| join(&mut frame.varying, state));
            }
            return (ends, if returns { inside } else { flow });
        }
    }

    /// Whether the value of an expression is varying; its effects are noted.
    fn value(&mut self, frame: &mut Frame, id: ExprId, flow: Flow) -> bool {
        let program = self.program;
        match &frame.body.exprs[id].kind {
            ExprKind::Local(local) => get(&frame.varying, *local) || flow.is_some(),
            ExprKind::Global(global) => is_varying_global(program, &program.globals[*global]) || flow.is_some(),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b)
                if matches!(program.types.get(frame.body.exprs[id].ty), Type::Scalar(_)) =>
            {
                let inside = self.decided(frame, *a, flow);
                let second = self.value(frame, *b, inside);
                inside.is_some() || second
            }
            ExprKind::Assign(op, target, value) => {
                let mut varying = self.value(frame, *value, flow);
                let before = self.value(frame, *target, flow);
                // A part of a variable that is assigned leaves the rest as it was.
                let whole = matches!(frame.body.exprs[*target].kind, ExprKind::Local(_));
                varying |= flow.is_some() || ((op.is_some() || !whole) && before);
                self.assign(frame, *target, varying);
                varying
            }
            ExprKind::Step(_, _, target) => {
                let varying = self.value(frame, *target, flow);
                self.assign(frame, *target, varying);
                varying
            }
            ExprKind::Call(function, args) => self.call(frame, id, *function, args, flow),
            kind => {
                let mut parts = Vec::new();
                kind.children(&mut |c| parts.push(c));
                parts.into_iter().fold(flow.is_some(), |varying, part| self.value(frame, part, flow) || varying)
            }
        }
    }

    fn assign(&self, frame: &mut Frame, target: ExprId, varying: bool) {
        if let ExprKind::Local(local) = frame.body.exprs[frame.body.exprs.base(target)].kind {
            set(&mut frame.varying, local, varying);
        }
    }

    fn call(&mut self, frame: &mut Frame, id: ExprId, function: FunctionId, args: &[ExprId], flow: Flow) -> bool {
        let callee = &self.program.functions[function];
        let given: Vec<bool> = args.iter().map(|a| self.value(frame, *a, flow)).collect();
        if let (true, Some(cause)) = (self.barriers.contains(&function), flow) {
            self.faults.push(Fault { barrier: frame.body.exprs[id].span, cause });
            // One report is enough for what is called here.
            return true;
        }
        if !matches!(callee.body, FunctionBody::Block) {
            let marked = callee.attributes.iter().any(|a| VARYING.contains(&a.name.as_str()));
            let varying = marked
                || flow.is_some()
                || super::atomics::is_operation(callee)
                || args.iter().zip(&given).any(|(a, varying)| *varying && !self.is_whole_buffer(frame, *a));
            for (param, arg) in callee.params.iter().zip(args) {
                if param.mode != ParamMode::In {
                    self.assign(frame, *arg, varying);
                }
            }
            return varying;
        }
        let effect = self.function(function, given, flow);
        for ((param, arg), varying) in callee.params.iter().zip(args).zip(&effect.params) {
            if param.mode != ParamMode::In {
                self.assign(frame, *arg, *varying);
            }
        }
        effect.result
    }

    /// A buffer as such is asked for its length, not for its contents.
    fn is_whole_buffer(&self, frame: &Frame, id: ExprId) -> bool {
        matches!(self.program.types.get(frame.body.exprs[id].ty), Type::Buffer(..))
    }
}

/// Memory that others may write, or that is each invocation's own.
fn is_varying_global(program: &Program, global: &Global) -> bool {
    match global.kind {
        GlobalKind::Const | GlobalKind::Specialization => false,
        GlobalKind::Parameter => match program.types.get(program.types.innermost(global.ty)) {
            Type::Buffer(_, access, _) => access != Access::Read,
            Type::Texture(t) => t.access != Access::Read && !global.modifiers.has(Modifiers::READONLY),
            _ => false,
        },
        _ => true,
    }
}

/// The parts of a loop.
struct Loop<'a> {
    before: Option<ExprId>,
    body: &'a Block,
    step: Option<ExprId>,
    after: Option<ExprId>,
}

/// Which variables are varying, and the flow, at a place.
type State = (Vec<bool>, Flow);

/// The walk through one function.
struct Frame<'a> {
    body: &'a Body,
    varying: Vec<bool>,
    result: bool,
    /// The variables where the function returns.
    returned: Vec<Vec<bool>>,
    /// The states at breaks and continues, a list for each loop and switch around.
    breaks: Vec<Vec<State>>,
    continues: Vec<Vec<State>>,
}

fn get(state: &[bool], local: LocalId) -> bool {
    state.get(local.index()).copied().unwrap_or(true)
}

fn set(state: &mut [bool], local: LocalId, varying: bool) {
    if let Some(slot) = state.get_mut(local.index()) {
        *slot = varying;
    }
}

fn join(state: &mut [bool], other: &[bool]) {
    state.iter_mut().zip(other).for_each(|(a, b)| *a |= *b);
}
