//! Which parameters the effects of entry points use.
//!
//! The policy `dxc` gives no register to parameters that DXC drops (rule `layout-unused`), and the sidecar says which
//! entry points use a leaf. Layout does not look at bodies: it is given the result.
//!
//! A branch is not entered if its condition is a constant expression, with the constant arguments and locals that lead to it,
//! or follows from the bounds of a loop that counts; and what only a result needs that nothing uses is not used. A value is
//! followed through locals as a whole, whenever it is written. What else DXC's optimizer finds out (loops that it unrolls,
//! algebra, memory that is written twice) is deliberately left out: it follows no rule that a user could apply to a program,
//! and no shader tree was found whose registers depend on it.
//!
//! Each call is followed by itself, as if it were inlined, up to a number of calls; then once for each function.

mod graph;
mod values;
mod writes;

use crate::tree::*;
use graph::{EFFECTS, Graph, Node};
use std::collections::{BTreeMap, BTreeSet};
use values::{FALSE, Known, Locals, Range, TRUE, Values, binary, join};
use writes::{Target, Writes, is_state, target, writes};

/// Calls nested deeper than this are entered without what is known of their arguments.
const MAX_DEPTH: u32 = 32;
/// So are calls after this many.
const MAX_CALLS: u32 = 4096;

/// What a part of a parameter belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Root {
    /// A global parameter.
    Global(GlobalId),
    /// A uniform parameter of the entry point.
    Param(LocalId),
}

/// Parts of parameters that code names, as paths of fields below the parameter; empty if it is named as a whole. Array
/// steps are left out.
pub type Parts = BTreeSet<(Root, Vec<Step>)>;

/// What the entry points of a program use. What holds for the whole program is found once, so that asking for each entry
/// point takes time in what that one reaches.
pub struct Users<'a> {
    program: &'a Program,
    writes: Writes,
}

impl<'a> Users<'a> {
    /// The users of parameters of a program.
    pub fn of(program: &'a Program) -> Users<'a> {
        Users { program, writes: Writes::of(program) }
    }

    /// The globals that the effects of some entry point use.
    pub fn used_globals(&self) -> BTreeSet<GlobalId> {
        let mut walk = Walk::new(self, true);
        self.program.entry_points.iter().for_each(|entry| walk.entry(entry));
        let needed = walk.graph.needed();
        walk.globals.iter().filter(|(_, node)| needed.contains(node)).map(|(global, _)| *global).collect()
    }

    /// The parts that the code of an entry point names, in functions that it calls too; and those of them that it reaches.
    pub fn parts(&self, entry: &EntryPoint) -> (Parts, Parts) {
        let of = |decides| {
            let mut walk = Walk::new(self, decides);
            walk.entry(entry);
            walk
        };
        let reached = of(true);
        let named = if reached.leaves_out { of(false).parts } else { reached.parts.clone() };
        (named, reached.parts)
    }
}

struct Walk<'a> {
    program: &'a Program,
    values: Values<'a>,
    /// Branches that are never taken are not entered.
    decides: bool,
    /// Some code was not entered.
    leaves_out: bool,
    graph: Graph,
    parts: Parts,
    globals: BTreeMap<GlobalId, Node>,
    /// Functions that were entered with nothing known.
    seen: BTreeSet<FunctionId>,
    /// Those being walked.
    open: Vec<FunctionId>,
    calls: u32,
    writes: &'a Writes,
}

/// A function that is walked.
struct Frame<'a> {
    body: &'a Body,
    locals: BTreeMap<LocalId, Node>,
    known: Locals,
    /// What decides whether the statement runs.
    control: Node,
    result: Node,
    depth: u32,
    /// Loops around the statement.
    loops: u32,
    /// Its parameters are the entry point's.
    is_entry: bool,
}

impl<'a> Walk<'a> {
    fn new(users: &'a Users<'a>, decides: bool) -> Walk<'a> {
        Walk {
            program: users.program,
            values: Values::new(users.program, &users.writes.statics),
            decides,
            leaves_out: false,
            graph: Graph::default(),
            parts: Parts::new(),
            globals: BTreeMap::new(),
            seen: BTreeSet::new(),
            open: Vec::new(),
            calls: 0,
            writes: &users.writes,
        }
    }

    fn entry(&mut self, entry: &EntryPoint) {
        entry.roots().for_each(|function| self.whole(function, true));
    }

    /// A function all of whose effects and results are needed.
    fn whole(&mut self, id: FunctionId, is_entry: bool) {
        if !self.seen.insert(id) {
            return;
        }
        let program = self.program;
        let function = &program.functions[id];
        if !matches!(function.body, FunctionBody::Block) {
            return program.analyses().callees(id).iter().for_each(|f| self.whole(*f, false));
        }
        let mut frame = self.frame(&function.code, (EFFECTS, EFFECTS), 0);
        frame.is_entry = is_entry;
        for param in function.params.iter().filter(|p| p.mode != ParamMode::In || !is_entry) {
            let node = self.local_node(&mut frame, param.local);
            self.graph.need(EFFECTS, node);
        }
        self.open.push(id);
        self.block(&mut frame, &function.code.block);
        self.open.pop();
    }

    fn frame(&self, body: &'a Body, (control, result): (Node, Node), depth: u32) -> Frame<'a> {
        Frame { body, locals: BTreeMap::new(), known: Locals::new(), control, result, depth, loops: 0, is_entry: false }
    }

    fn local_node(&mut self, frame: &mut Frame<'a>, local: LocalId) -> Node {
        *frame.locals.entry(local).or_insert_with(|| self.graph.node())
    }

    /// Gives false if what follows the block is not reached.
    fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> bool {
        block.stmts.iter().all(|stmt| self.stmt(frame, &stmt.kind))
    }

    fn stmt(&mut self, frame: &mut Frame<'a>, stmt: &'a StmtKind) -> bool {
        match stmt {
            StmtKind::Local(local, init) => self.local(frame, *local, *init),
            StmtKind::Expr(e) => {
                let unused = self.graph.node();
                self.expr(frame, *e, unused);
            }
            StmtKind::Block(block) => return self.block(frame, block),
            StmtKind::If(condition, then, otherwise, _) => {
                return self.branch(frame, *condition, then, otherwise.as_ref());
            }
            StmtKind::For(init, condition, step, body, _) => self.for_loop(frame, init, *condition, *step, body),
            StmtKind::While(condition, body, _) => self.for_loop(frame, &[], Some(*condition), None, body),
            StmtKind::DoWhile(body, condition, _) => {
                self.forget_writes(frame, &[*condition], body);
                let outer = self.enter_loop(frame, None, false);
                self.block(frame, body);
                let (value, node) = self.condition(frame, *condition);
                if value != Some(FALSE) {
                    self.graph.need(EFFECTS, node);
                }
                self.leave_loop(frame, outer, &[*condition], body);
            }
            StmtKind::Switch(value, cases, _) => return self.switch(frame, *value, cases),
            StmtKind::Return(value) => {
                let (result, control) = (frame.result, frame.control);
                value.iter().for_each(|e| self.expr(frame, *e, result));
                self.graph.need(result, control);
                return false;
            }
            StmtKind::Break | StmtKind::Continue => return false,
            StmtKind::Discard => self.graph.need(EFFECTS, frame.control),
            StmtKind::Intrinsic(_) => {}
        }
        true
    }

    fn local(&mut self, frame: &mut Frame<'a>, local: LocalId, init: Option<ExprId>) {
        frame.known.remove(&local);
        let Some(init) = init else { return };
        let node = self.local_node(frame, local);
        self.graph.need(node, frame.control);
        self.expr(frame, init, node);
        let known = self.known(frame, init);
        frame.known.insert(local, known);
    }

    fn known(&self, frame: &Frame<'a>, id: ExprId) -> Known {
        match self.decides {
            true => self.values.of(frame.body, &frame.known, id),
            false => Known::default(),
        }
    }

    /// The value of a condition, and what needs what is below it: the caller says what needs that.
    fn condition(&mut self, frame: &mut Frame<'a>, condition: ExprId) -> (Option<Range>, Node) {
        let value = self.known(frame, condition).range;
        let node = self.graph.node();
        self.expr(frame, condition, node);
        (value, node)
    }

    fn branch(
        &mut self,
        frame: &mut Frame<'a>,
        condition: ExprId,
        then: &'a Block,
        otherwise: Option<&'a Block>,
    ) -> bool {
        let (value, node) = self.condition(frame, condition);
        self.leaves_out |= matches!(value, Some(TRUE | FALSE));
        match value {
            Some(TRUE) => return self.block(frame, then),
            Some(FALSE) => return otherwise.is_none_or(|b| self.block(frame, b)),
            _ => {}
        }
        let outer = std::mem::replace(&mut frame.control, node);
        self.graph.need(node, outer);
        let before = frame.known.clone();
        let first = self.block(frame, then);
        let after = std::mem::replace(&mut frame.known, before);
        frame.control = node;
        let second = otherwise.is_none_or(|b| self.block(frame, b));
        match (first, second) {
            (true, true) => frame.known = join(&frame.known, &after),
            (true, false) => frame.known = after,
            _ => {}
        }
        self.after_jumps(frame, (outer, node), jumps(then) || otherwise.is_some_and(jumps));
        first || second
    }

    /// What a condition decides goes on where a jump may leave out what follows.
    fn after_jumps(&mut self, frame: &mut Frame<'a>, (outer, node): (Node, Node), jumps: bool) {
        frame.control = if jumps { node } else { outer };
        if jumps && frame.loops > 0 {
            self.graph.need(EFFECTS, node);
        }
    }

    fn for_loop(
        &mut self,
        frame: &mut Frame<'a>,
        init: &'a [Stmt],
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: &'a Block,
    ) {
        for stmt in init {
            self.stmt(frame, &stmt.kind);
        }
        if let Some(condition) = condition.filter(|c| self.known(frame, *c).range == Some(FALSE)) {
            let unused = self.graph.node();
            self.leaves_out = true;
            return self.expr(frame, condition, unused);
        }
        let own: Vec<ExprId> = condition.into_iter().chain(step).collect();
        let counter = condition.zip(step).and_then(|(c, s)| self.counter(frame, init, (c, s), body));
        self.forget_writes(frame, &own, body);
        if let Some((counter, range)) = counter {
            frame.known.insert(counter, Known::of_range(range));
        }
        let outer = self.enter_loop(frame, condition, counter.is_some());
        self.block(frame, body);
        if let Some(step) = step {
            let unused = self.graph.node();
            self.expr(frame, step, unused);
        }
        self.leave_loop(frame, outer, &own, body);
    }

    /// What is in a loop runs by its condition. Loops that do nothing go away only if it is plain that they end.
    fn enter_loop(&mut self, frame: &mut Frame<'a>, condition: Option<ExprId>, ends: bool) -> Node {
        let outer = frame.control;
        if let Some(condition) = condition {
            let (value, node) = self.condition(frame, condition);
            if value != Some(TRUE) {
                self.graph.need(node, outer);
                frame.control = node;
                if !ends {
                    self.graph.need(EFFECTS, node);
                }
            }
        }
        frame.loops += 1;
        outer
    }

    fn leave_loop(&mut self, frame: &mut Frame<'a>, outer: Node, own: &[ExprId], body: &Block) {
        frame.loops -= 1;
        frame.control = outer;
        self.forget_writes(frame, own, body);
    }

    fn forget_writes(&self, frame: &mut Frame<'a>, own: &[ExprId], body: &Block) {
        for local in self.writes_of(frame, own, body).keys() {
            frame.known.remove(local);
        }
    }

    fn writes_of(&self, frame: &Frame<'a>, own: &[ExprId], body: &Block) -> BTreeMap<LocalId, u32> {
        let exprs = &frame.body.exprs;
        let mut all: Vec<ExprId> = own.iter().flat_map(|e| exprs.post_order(*e)).collect();
        body.visit(&mut |stmt| stmt.own_exprs(&mut |e| all.extend(exprs.post_order(e))));
        writes(self.program, frame.body, &all)
    }

    /// The counter of a loop that only counts up or down to a bound, with its values in the body if those are known.
    fn counter(
        &self,
        frame: &Frame<'a>,
        init: &[Stmt],
        (condition, step): (ExprId, ExprId),
        body: &Block,
    ) -> Option<(LocalId, Option<Range>)> {
        let exprs = &frame.body.exprs;
        let [Stmt { kind: StmtKind::Local(counter, Some(first)), .. }] = init else { return None };
        let is_counter = |e: ExprId| matches!(exprs[e].kind, ExprKind::Local(l) if l == *counter);
        let known = |e: ExprId| self.known(frame, e).range;
        let up = match exprs[step].kind {
            ExprKind::Step(up, _, target) if is_counter(target) => up,
            ExprKind::Assign(Some(op @ (BinaryOp::Add | BinaryOp::Sub)), target, by) if is_counter(target) => {
                known(by).filter(|by| by.0 > 0)?;
                op == BinaryOp::Add
            }
            _ => return None,
        };
        let by_one = matches!(exprs[step].kind, ExprKind::Step(..));
        let ExprKind::Binary(op, left, bound) = exprs[condition].kind else { return None };
        let writes = self.writes_of(frame, &[condition, step], body);
        let fixed = exprs.post_order(bound).into_iter().all(|e| match &exprs[e].kind {
            ExprKind::Local(local) => !writes.contains_key(local),
            ExprKind::Call(..) | ExprKind::Property(_) => false,
            _ => true,
        });
        if !is_counter(left) || writes.get(counter) != Some(&1) || !fixed {
            return None;
        }
        let ends = known(*first).zip(known(bound));
        let range = |up: Range, down: Range, is_up: bool| if is_up { up } else { down };
        let range = ends.map(|(first, last)| match op {
            BinaryOp::Less | BinaryOp::LessEqual if !up => None,
            BinaryOp::Greater | BinaryOp::GreaterEqual if up => None,
            BinaryOp::Less => Some((first.0, last.1 - 1)),
            BinaryOp::LessEqual => Some((first.0, last.1)),
            BinaryOp::Greater => Some((last.0 + 1, first.1)),
            BinaryOp::GreaterEqual => Some((last.0, first.1)),
            BinaryOp::NotEqual if by_one => Some(range((first.0, last.1 - 1), (last.0 + 1, first.1), up)),
            _ => None,
        });
        let compares = matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual)
            || op == BinaryOp::NotEqual && by_one;
        compares.then(|| (*counter, range.flatten().filter(|r| r.0 <= r.1)))
    }

    fn switch(&mut self, frame: &mut Frame<'a>, value: ExprId, cases: &'a [SwitchCase]) -> bool {
        let (known, node) = self.condition(frame, value);
        let outer = frame.control;
        let label = |label: &ExprId| self.known(frame, *label).range;
        let fits = |case: &SwitchCase, known: Range| {
            let may = |label: Option<Range>| label.is_none_or(|l| l.0 <= known.1 && known.0 <= l.1);
            case.labels.iter().flatten().any(|l| may(label(l)))
        };
        let exact = known.filter(|k| k.0 == k.1);
        let matched = exact.map(|k| cases.iter().position(|c| fits(c, k)).or(cases.iter().position(is_default)));
        let entered: Vec<usize> = match matched {
            Some(case) => case.into_iter().collect(),
            None => (0..cases.len())
                .filter(|i| cases.get(*i).is_some_and(|c| is_default(c) || known.is_none_or(|k| fits(c, k))))
                .collect(),
        };
        self.leaves_out |= entered.len() < cases.len();
        if matched.is_none() {
            self.graph.need(node, outer);
            frame.control = node;
        }
        let bodies = || cases.iter().map(|c| &c.body);
        let changed: BTreeSet<LocalId> = bodies().flat_map(|b| self.writes_of(frame, &[], b).into_keys()).collect();
        let before = frame.known.clone();
        let (mut walked, mut falls) = (BTreeSet::new(), entered.is_empty() || !cases.iter().any(is_default));
        for first in entered {
            frame.known = before.clone();
            for (i, case) in cases.iter().enumerate().skip(first) {
                // What falls into a case knows less than what enters it.
                if i > first {
                    changed.iter().for_each(|local| drop(frame.known.remove(local)));
                }
                let again = !walked.insert(i);
                let ends = !again && !self.block(frame, &case.body);
                falls |= breaks(&case.body) || !ends && i + 1 == cases.len();
                if again || ends {
                    break;
                }
            }
        }
        frame.known = before;
        changed.iter().for_each(|local| drop(frame.known.remove(local)));
        let leaves = |s: &Stmt| matches!(s.kind, StmtKind::Return(_) | StmtKind::Continue | StmtKind::Discard);
        let leaves = matched.is_none() && bodies().any(|b| b.any(&mut |s| leaves(s)));
        self.after_jumps(frame, (outer, node), leaves);
        falls
    }

    /// Notes what an expression reaches, for the value that `sink` needs.
    fn expr(&mut self, frame: &mut Frame<'a>, id: ExprId, sink: Node) {
        let body = frame.body;
        let kind = &body.exprs[id].kind;
        if let Some((root, path, indices)) = self.part(frame, id) {
            self.parts.insert((root, path));
            let node = match root {
                Root::Global(global) => self.global(global),
                Root::Param(local) => self.local_node(frame, local),
            };
            self.graph.need(sink, node);
            return indices.into_iter().for_each(|index| self.expr(frame, index, sink));
        }
        match kind {
            ExprKind::Local(local) => {
                let node = self.local_node(frame, *local);
                self.graph.need(sink, node);
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let decides = if *op == BinaryOp::And { FALSE } else { TRUE };
                let (value, node) = self.condition(frame, *left);
                self.leaves_out |= value.is_some();
                match value.filter(|v| v.0 == v.1) {
                    Some(value) if value == decides => {}
                    Some(_) => self.expr(frame, *right, sink),
                    None => self.under(frame, node, sink, &[*right]),
                }
            }
            ExprKind::Select(condition, yes, no) => {
                let (value, node) = self.condition(frame, *condition);
                self.leaves_out |= matches!(value, Some(TRUE | FALSE));
                match value {
                    Some(TRUE) => self.expr(frame, *yes, sink),
                    Some(FALSE) => self.expr(frame, *no, sink),
                    _ => self.under(frame, node, sink, &[*yes, *no]),
                }
            }
            ExprKind::Comma(first, second) => {
                let unused = self.graph.node();
                self.expr(frame, *first, unused);
                self.expr(frame, *second, sink);
            }
            ExprKind::Assign(op, target, value) => self.assign(frame, *op, *target, *value, sink),
            ExprKind::Step(up, _, target) => {
                let by = if *up { 1 } else { -1 };
                let known = self.known(frame, *target).range.map(|(low, high)| (low + by, high + by));
                let known = known.filter(|r| r.0 >= 0 && r.1 <= i128::from(i32::MAX));
                let node = self.write(frame, *target, Known::of_range(known));
                self.graph.need(sink, node);
            }
            ExprKind::Call(function, args) => self.call(frame, *function, args, sink),
            ExprKind::Property(property) => match property.get.or(property.reference) {
                Some(function) => self.call(frame, function, &property.args, sink),
                None => property.args.iter().for_each(|a| self.expr(frame, *a, sink)),
            },
            ExprKind::AddressOf(of) => {
                if let Target::Local(local) = target(self.program, body, *of) {
                    frame.known.remove(&local);
                }
                self.expr(frame, *of, EFFECTS);
            }
            _ => {
                let mut children = Vec::new();
                kind.children(&mut |child| children.push(child));
                children.into_iter().for_each(|child| self.expr(frame, child, sink));
            }
        }
    }

    /// Operands that are evaluated as a condition tells.
    fn under(&mut self, frame: &mut Frame<'a>, node: Node, sink: Node, operands: &[ExprId]) {
        self.graph.need(sink, node);
        let outer = std::mem::replace(&mut frame.control, node);
        self.graph.need(node, outer);
        operands.iter().for_each(|e| self.expr(frame, *e, sink));
        frame.control = outer;
    }

    fn assign(&mut self, frame: &mut Frame<'a>, op: Option<BinaryOp>, target: ExprId, value: ExprId, sink: Node) {
        let known = match op {
            None => self.known(frame, value),
            Some(op) => {
                let sides = self.known(frame, target).range.zip(self.known(frame, value).range);
                Known::of_range(sides.and_then(|(a, b)| binary(op, a, b)))
            }
        };
        // The value is found before it is written.
        let whole = self.graph.node();
        self.expr(frame, value, whole);
        let node = self.write(frame, target, known);
        self.graph.need(node, whole);
        self.graph.need(sink, node);
        if node != EFFECTS {
            return;
        }
        if let ExprKind::Property(property) = &frame.body.exprs[target].kind {
            [property.set, property.reference].into_iter().flatten().for_each(|f| self.whole(f, false));
        }
    }

    /// What a written place is to the graph.
    fn write(&mut self, frame: &mut Frame<'a>, lvalue: ExprId, known: Known) -> Node {
        let node = match target(self.program, frame.body, lvalue) {
            Target::Local(local) => {
                match frame.body.exprs[lvalue].kind {
                    ExprKind::Local(_) => frame.known.insert(local, known),
                    _ => frame.known.remove(&local),
                };
                self.local_node(frame, local)
            }
            Target::Static(global) => self.global(global),
            Target::Memory => EFFECTS,
        };
        self.graph.need(node, frame.control);
        // The place itself, with the indices on the way to it.
        self.expr(frame, lvalue, node);
        node
    }

    fn call(&mut self, frame: &mut Frame<'a>, id: FunctionId, args: &[ExprId], sink: Node) {
        let function = &self.program.functions[id];
        let marked = function.is_marked("__effects");
        let walked = self.decides
            && !marked
            && matches!(function.body, FunctionBody::Block)
            && frame.depth < MAX_DEPTH
            && self.calls < MAX_CALLS
            && !self.open.contains(&id);
        if walked { self.walk_call(frame, id, args, sink) } else { self.opaque_call(frame, id, args, sink) }
    }

    /// A call of which only the parameters are looked at.
    fn opaque_call(&mut self, frame: &mut Frame<'a>, id: FunctionId, args: &[ExprId], sink: Node) {
        self.whole(id, false);
        let function = &self.program.functions[id];
        let node = self.graph.node();
        self.graph.need(sink, node);
        let acts = matches!(function.body, FunctionBody::Block) || self.writes.acting.contains(&id);
        let state = args.iter().any(|a| is_state(self.program, frame.body.exprs[*a].ty));
        if acts || state {
            self.graph.need(EFFECTS, node);
            self.graph.need(EFFECTS, frame.control);
        }
        for (i, arg) in args.iter().enumerate() {
            let mode = function.params.get(i).map_or(ParamMode::In, |p| p.mode);
            self.expr(frame, *arg, node);
            if mode != ParamMode::In {
                let target = self.write(frame, *arg, Known::default());
                self.graph.need(target, node);
            }
        }
    }

    fn walk_call(&mut self, frame: &mut Frame<'a>, id: FunctionId, args: &[ExprId], sink: Node) {
        self.calls += 1;
        let program = self.program;
        let function = &program.functions[id];
        let result = self.graph.node();
        self.graph.need(sink, result);
        let mut inner = self.frame(&function.code, (frame.control, result), frame.depth + 1);
        for (param, arg) in function.params.iter().zip(args) {
            let node = self.local_node(&mut inner, param.local);
            if param.mode != ParamMode::Out {
                let known = self.known(frame, *arg);
                inner.known.insert(param.local, known);
                self.expr(frame, *arg, node);
            }
        }
        self.open.push(id);
        self.block(&mut inner, &function.code.block);
        self.open.pop();
        let returns = function.code.block.any(&mut |s| matches!(s.kind, StmtKind::Return(_)));
        for (param, arg) in function.params.iter().zip(args).filter(|(p, _)| p.mode != ParamMode::In) {
            let known = inner.known.remove(&param.local).filter(|_| !returns).unwrap_or_default();
            let node = self.local_node(&mut inner, param.local);
            let target = self.write(frame, *arg, known);
            self.graph.need(target, node);
        }
    }

    /// The part of a parameter that an expression is, with the indices on the way.
    fn part(&self, frame: &Frame<'a>, id: ExprId) -> Option<(Root, Vec<Step>, Vec<ExprId>)> {
        let (mut at, mut fields, mut indices) = (id, Vec::new(), Vec::new());
        let root = loop {
            at = match &frame.body.exprs[at].kind {
                ExprKind::Global(global) => break Root::Global(*global),
                ExprKind::Local(local) if frame.is_entry => break Root::Param(*local),
                ExprKind::Field(base, index) => {
                    fields.push(Step::Field(*index));
                    *base
                }
                ExprKind::Index(base, index) => {
                    indices.push(*index);
                    *base
                }
                ExprKind::Contents(base) => *base,
                _ => return None,
            };
        };
        fields.reverse();
        Some((root, fields, indices))
    }

    /// The node of a global, with what its initializer needs.
    fn global(&mut self, id: GlobalId) -> Node {
        if let Some(node) = self.globals.get(&id) {
            return *node;
        }
        let node = self.graph.node();
        self.globals.insert(id, node);
        let analyses = self.program.analyses();
        let uses = analyses.initializer(id);
        for global in &uses.globals {
            self.parts.insert((Root::Global(*global), Vec::new()));
            let needed = self.global(*global);
            self.graph.need(node, needed);
        }
        uses.functions.iter().for_each(|f| self.whole(*f, false));
        node
    }
}

fn is_default(case: &SwitchCase) -> bool {
    case.labels.iter().any(Option::is_none)
}

/// Whether a block may end before its end.
fn jumps(block: &Block) -> bool {
    let jumps =
        |s: &StmtKind| matches!(s, StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Discard);
    block.any(&mut |s| jumps(&s.kind))
}

fn breaks(block: &Block) -> bool {
    block.any(&mut |s| matches!(s.kind, StmtKind::Break))
}
