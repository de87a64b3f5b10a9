//! Loops that are counted by constants are written out where their counters choose what has to be known before the program
//! runs: an offset in texels, or one of several resources; or where a round uses a resource that an earlier one chose, or moves an
//! offset.
//!
//! Before: `for (int x = 0; x < 2; x++) { sum += t.Sample(s, uv, int2(x, 0)); }`
//! After:  `sum += t.Sample(s, uv, int2(0, 0)); sum += t.Sample(s, uv, int2(1, 0));`
//!
//! A counter that is declared before the loop goes on to be counted. The rounds of a loop that its body leaves are in one
//! `do { ... } while (false)`, and a round that may go on early is in one. A loop that does both stays, and so does one with more
//! than [`MOST`] rounds.

use super::carried_values::{Values, is_exact, stepped, wanted_arguments};
use super::constant_parameters::{initialized, wanted};
use super::{Context, Pass};
use crate::check::constant::{Value, eval_with};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::analyses::effects::target;
use crate::tree::analyses::first_use::FirstUse;
use crate::tree::analyses::flow::{breaks, continues, continues_in_switch, ends_flow};
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PASS: Pass = Pass {
    name: "unrolled_loops",
    lessens: &[Capability::VaryingOffsets, Capability::ResourceValues],
    // A loop that ends in a return is statements that end in one.
    adds: &[Capability::MissingReturns],
    after: &["inline_builtins"],
    run,
    ..Pass::ROW
};

/// The rounds that a loop may have, and the statements that a body may have after all.
const MOST: usize = 64;
const MOST_STATEMENTS: usize = 4096;
/// How often loops around those that were written out are looked at again.
const TIMES: u32 = 8;

pub(super) type Reaching = FxHashMap<FunctionId, Vec<bool>>;

fn run(cx: &mut Context) {
    let wanted = wanted(cx.program, !cx.profile.has(Capability::VaryingOffsets));
    let given = GivenResources::of(cx.program);
    cx.each_body(&mut |cx, _, body| write_out_loops(cx.program, body, &wanted, &given));
}

/// Writes out the loops of a body whose counters choose what is `wanted`, or one of the resources that are `given`.
pub(super) fn write_out_loops(program: &Program, body: &mut Body, wanted: &Reaching, given: &GivenResources) {
    for _ in 0..TIMES {
        let written = program.written_locals(body);
        let mut known = Values::default();
        for (local, value) in initialized(&body.block) {
            let value = value.filter(|_| !written.contains(&local));
            let value = value.and_then(|v| eval_with(program, &body.exprs, v, &|l| known.get(&l).cloned()).ok());
            known.extend(value.map(|v| (local, v)));
        }
        let chosen = several(given.locals(program, body));
        let open = initialized(&body.block).into_iter().filter(|(_, value)| value.is_none()).map(|(local, _)| local);
        let choices = Choices { program, wanted: Some(wanted), given, chosen, open: open.collect() };
        let mut unroller = Unroller { choices, known, changed: false };
        let block = std::mem::take(&mut body.block);
        body.block = unroller.block(body, block.into_value()).into();
        if !unroller.changed {
            break;
        }
    }
}

/// What the numbers of rounds of those loops depend on whose counters choose what is to be constant.
pub(super) fn bounds(program: &Program, body: &Body, wanted: &Reaching) -> Vec<ExprId> {
    let given = GivenResources::default();
    let (chosen, open) = (FxHashSet::default(), FxHashSet::default());
    let choices = Choices { program, wanted: Some(wanted), given: &given, chosen, open };
    let mut found = Vec::new();
    body.block.visit(&mut |stmt| {
        let Some((counter, block)) = counter_of(body, stmt) else { return };
        if choices.chooses(body, block, counter) || choices.runs(body, block, counter) {
            if let StmtKind::For(init, ..) = &stmt.kind {
                init.iter().for_each(|s| s.own_exprs(&mut |e| found.push(e)));
            }
            stmt.own_exprs(&mut |e| found.push(e));
        }
    });
    found
}

/// The resources of which functions give one, and what they choose it by.
#[derive(Default)]
pub(super) struct GivenResources {
    /// To the arguments of their calls, by parameter.
    places: FxHashMap<(FunctionId, usize), BTreeSet<GlobalId>>,
    /// As their results.
    results: FxHashMap<FunctionId, BTreeSet<GlobalId>>,
    /// The parameters that choose one of several.
    deciding: Reaching,
}

impl GivenResources {
    fn of(program: &Program) -> GivenResources {
        let mut given = GivenResources::default();
        // Callees come first.
        for id in program.reachable_functions() {
            let function = &program.functions[id];
            let locals = given.locals(program, &function.code);
            for (at, param) in function.params.iter().enumerate().filter(|(_, p)| p.mode != ParamMode::In) {
                if let Some(globals) = locals.get(&param.local) {
                    given.places.insert((id, at), globals.clone());
                }
            }
            if program.holds_resource(function.result) {
                let result = given.result(program, &function.code, &locals);
                given.results.insert(id, result);
            }
            if matches!(function.body, FunctionBody::Block) {
                let deciding = given.deciding(program, function, several(locals));
                given.deciding.extend(deciding.contains(&true).then_some((id, deciding)));
            }
        }
        given
    }

    /// The globals of which what a function returns is or has a part.
    fn result(
        &self,
        program: &Program,
        body: &Body,
        locals: &BTreeMap<LocalId, BTreeSet<GlobalId>>,
    ) -> BTreeSet<GlobalId> {
        let mut found: BTreeSet<GlobalId> = locals.values().flatten().copied().collect();
        body.block.visit(&mut |stmt| {
            if let StmtKind::Return(Some(value)) = stmt.kind {
                found.extend(resources(program, &body.exprs, value));
                for id in body.exprs.post_order(value) {
                    if let ExprKind::Call(f, _) = body.exprs[id].kind {
                        found.extend(self.results.get(&f).into_iter().flatten());
                    }
                }
            }
        });
        found
    }

    /// Which parameters of a function choose one of several resources in it.
    fn deciding(&self, program: &Program, function: &Function, chosen: FxHashSet<LocalId>) -> Vec<bool> {
        let Function { code, params, .. } = function;
        let choices = Choices { program, wanted: None, given: self, chosen, open: FxHashSet::default() };
        let is_number = |p: &Param| p.mode == ParamMode::In && !program.holds_resource(code.locals[p.local].ty);
        params.iter().map(|p| is_number(p) && choices.chooses(code, &code.block, p.local)).collect()
    }

    /// The locals that are given resources in a body, with the globals of which these are or are elements.
    fn locals(&self, program: &Program, body: &Body) -> BTreeMap<LocalId, BTreeSet<GlobalId>> {
        let mut given: BTreeMap<LocalId, BTreeSet<GlobalId>> = BTreeMap::new();
        for (local, value) in initialized(&body.block) {
            if let Some(value) = value.filter(|_| program.holds_resource(body.locals[local].ty)) {
                given.entry(local).or_default().extend(resources(program, &body.exprs, value));
            }
        }
        for id in body.expressions() {
            self.places(program, &body.exprs, id, &mut |local, globals| {
                given.entry(local).or_default().extend(globals)
            });
        }
        given
    }

    /// Calls `f` with the locals that an expression by itself gives resources to.
    fn places(&self, program: &Program, exprs: &ExprArena, id: ExprId, f: &mut dyn FnMut(LocalId, BTreeSet<GlobalId>)) {
        match &exprs[id].kind {
            ExprKind::Assign(None, place, value) if program.holds_resource(exprs[*place].ty) => {
                exprs.base_local(*place).into_iter().for_each(|local| f(local, resources(program, exprs, *value)));
            }
            ExprKind::Call(function, args) => {
                let passed = || args.iter().flat_map(|arg| resources(program, exprs, *arg));
                for (at, arg) in args.iter().enumerate() {
                    if let (Some(globals), Some(local)) = (self.places.get(&(*function, at)), exprs.base_local(*arg)) {
                        f(local, globals.iter().copied().chain(passed()).collect());
                    }
                }
            }
            _ => {}
        }
    }
}

/// The globals in an expression that hold resources.
fn resources(program: &Program, exprs: &ExprArena, root: ExprId) -> BTreeSet<GlobalId> {
    let resource = |e: ExprId| match exprs[e].kind {
        ExprKind::Global(global) => Some(global).filter(|g| program.holds_resource(program.globals[*g].ty)),
        _ => None,
    };
    exprs.post_order(root).into_iter().filter_map(resource).collect()
}

/// The globals and variables in an expression that hold resources.
fn sources(program: &Program, exprs: &ExprArena, roots: &[ExprId]) -> BTreeSet<(Option<GlobalId>, Option<LocalId>)> {
    let source = |e: ExprId| match exprs[e].kind {
        _ if !program.holds_resource(exprs[e].ty) => None,
        ExprKind::Global(global) => Some((Some(global), None)),
        ExprKind::Local(local) => Some((None, Some(local))),
        _ => None,
    };
    roots.iter().flat_map(|root| exprs.post_order(*root)).filter_map(source).collect()
}

/// The locals that are given several resources, of which none is an element of the same array as another.
fn several(given: BTreeMap<LocalId, BTreeSet<GlobalId>>) -> FxHashSet<LocalId> {
    given.into_iter().filter(|(_, globals)| globals.len() > 1).map(|(local, _)| local).collect()
}

struct Unroller<'a> {
    choices: Choices<'a>,
    known: FxHashMap<LocalId, Value>,
    changed: bool,
}

/// What is chosen in a body.
struct Choices<'a> {
    program: &'a Program,
    /// The parameters that are to be constants; none where these are not asked for.
    wanted: Option<&'a Reaching>,
    given: &'a GivenResources,
    /// The locals that are given several resources.
    chosen: FxHashSet<LocalId>,
    /// The variables that are declared without a value.
    open: FxHashSet<LocalId>,
}

impl Unroller<'_> {
    fn block(&mut self, body: &mut Body, mut block: Block) -> Block {
        block.rewrite(&mut |stmt, out| match self.rounds(body, &stmt, out) {
            Some((counted, rounds)) => self.write_out(body, counted, rounds, out),
            None => out.push(stmt),
        });
        block
    }

    /// A loop that is to be written out, behind the statements before it, and the values of its counter.
    fn rounds(&self, body: &Body, stmt: &Stmt, before: &[Stmt]) -> Option<(Counted, Vec<Value>)> {
        let (counter, block) = counter_of(body, stmt)?;
        let choices = &self.choices;
        let leaves_and_goes_on = breaks(block) && continues(block);
        if leaves_and_goes_on
            || continues_in_switch(block)
            || !choices.chooses(body, block, counter)
                && !choices.carries(body, block)
                && !choices.runs(body, block, counter)
        {
            return None;
        }
        let counted_loop = self.as_counted(body, stmt, before, counter)?;
        let (_, rounds) = counted(choices.program, body, &counted_loop.whole, &self.known, MOST + 1)?;
        // A vector is not written in the place of its components.
        let is_number = |value: &Value| value.to_literal().is_some();
        if rounds.is_empty() && matches!(stmt.kind, StmtKind::DoWhile(..)) || !rounds.iter().all(is_number) {
            return None;
        }
        let mut statements = 0;
        block.visit(&mut |_| statements += 1);
        (rounds.len() <= MOST && statements * rounds.len() <= MOST_STATEMENTS).then_some((counted_loop, rounds))
    }

    /// A loop as a `for` that declares its counter.
    fn as_counted(&self, body: &Body, stmt: &Stmt, before: &[Stmt], counter: LocalId) -> Option<Counted> {
        let (first, condition, step, block) = match &stmt.kind {
            StmtKind::For(init, Some(condition), Some(step), block, _) => match init.as_slice() {
                [Stmt { kind: StmtKind::Local(..), .. }] => {
                    return Some(Counted { whole: stmt.clone(), counter, set: None, step: None });
                }
                [set] => (Some(set.clone()), *condition, *step, block.clone()),
                [] => (None, *condition, *step, block.clone()),
                _ => return None,
            },
            StmtKind::While(condition, block, _) | StmtKind::DoWhile(block, condition, _) if !continues(block) => {
                let mut block = block.clone();
                let StmtKind::Expr(step) = block.stmts.pop()?.kind else { return None };
                (None, *condition, step, block)
            }
            _ => return None,
        };
        let begin = match &first {
            Some(set) => self.set_in(body, set, counter)?,
            None => before.iter().rev().find_map(|s| self.set_in(body, s, counter))?,
        }?;
        let declared = Stmt::new(StmtKind::Local(counter, Some(begin)), stmt.span);
        let kind = StmtKind::For(vec![declared], Some(condition), Some(step), block, Hints::default());
        Some(Counted { whole: Stmt { kind, ..stmt.clone() }, counter, set: first, step: Some(step) })
    }

    /// The value that a statement sets a variable to; nothing in it if it may set it to others.
    fn set_in(&self, body: &Body, stmt: &Stmt, variable: LocalId) -> Option<Option<ExprId>> {
        let is_variable = |place: ExprId| matches!(body.exprs[place].kind, ExprKind::Local(l) if l == variable);
        match stmt.kind {
            StmtKind::Local(local, value) if local == variable => return Some(value),
            StmtKind::Expr(e) => match body.exprs[e].kind {
                ExprKind::Assign(None, place, value) if is_variable(place) => return Some(Some(value)),
                _ => {}
            },
            _ => {}
        }
        let alone = Body { block: Block::of(vec![stmt.clone()]).into(), ..body.clone() };
        self.choices.program.written_locals(&alone).contains(&variable).then_some(None)
    }

    /// The body for each value of the counter.
    fn write_out(&mut self, body: &mut Body, of: Counted, rounds: Vec<Value>, out: &mut Vec<Stmt>) {
        let Counted { whole: stmt, counter, set, step } = of;
        let StmtKind::For(_, _, _, block, _) = stmt.kind else { return };
        self.changed = true;
        out.extend(set);
        let (leaves, goes_on) = (breaks(&block), continues(&block));
        let inner: FxHashSet<LocalId> = initialized(&block).into_iter().map(|(local, _)| local).collect();
        let from = body.clone();
        let (mut block, mut comments) = (block, stmt.comments);
        let mut list = Vec::new();
        for value in rounds {
            let outer = from.locals.iter().map(|(l, _)| l).filter(|l| !inner.contains(l));
            let mut locals: FxHashMap<LocalId, LocalId> = outer.map(|l| (l, l)).collect();
            let mut copy = body.import_block(&from, &block, &mut locals);
            let mut roots = Vec::new();
            copy.visit(&mut |s| s.own_exprs(&mut |e| roots.push(e)));
            for id in roots.into_iter().flat_map(|r| body.exprs.post_order(r)).collect::<Vec<_>>() {
                if matches!(body.exprs[id].kind, ExprKind::Local(l) if l == counter) {
                    let Expr { ty, span, .. } = body.exprs[id];
                    if let Some(literal) = value.to_literal() {
                        body.exprs[id] = Expr { kind: ExprKind::Literal(literal, None), ty, span };
                    }
                }
            }
            if goes_on {
                leave_early(&mut copy);
                copy = Block::of(vec![once(body, copy, stmt.span)]);
            } else if !inner.is_empty() {
                copy = Block::of(vec![Stmt::new(StmtKind::Block(copy), stmt.span)]);
            }
            if let Some(first) = copy.stmts.first_mut() {
                first.comments.splice(0..0, std::mem::take(&mut comments));
                first.blank_before |= stmt.blank_before && list.is_empty();
            }
            list.append(&mut copy.stmts);
            if let Some(step) = step {
                let step = Block::of(vec![Stmt::new(StmtKind::Expr(step), stmt.span)]);
                list.extend(body.import_block(&from, &step, &mut locals).stmts);
            }
            // What is said once is not said again.
            block.visit_mut(&mut |stmt| stmt.comments.clear());
            block.trailing.clear();
            // What follows is not reached.
            if ends_flow(&block) {
                break;
            }
        }
        match leaves {
            true => out.push(once(body, Block::of(list), stmt.span)),
            false => out.append(&mut list),
        }
    }
}

/// A loop that is to be written out.
struct Counted {
    /// As a `for` that declares its counter.
    whole: Stmt,
    counter: LocalId,
    /// What sets the counter before the loop and stays there.
    set: Option<Stmt>,
    /// What counts, if the counter is known behind the loop.
    step: Option<ExprId>,
}

/// The variable that a loop counts, if it counts one, and the body.
fn counter_of<'b>(body: &Body, stmt: &'b Stmt) -> Option<(LocalId, &'b Block)> {
    let (step, block) = match &stmt.kind {
        StmtKind::For(_, _, Some(step), block, _) => (*step, block),
        StmtKind::While(_, block, _) | StmtKind::DoWhile(block, _, _) => match block.stmts.last()?.kind {
            StmtKind::Expr(step) => (step, block),
            _ => return None,
        },
        _ => return None,
    };
    let place = target(&body.exprs[step].kind)?;
    match body.exprs[place].kind {
        ExprKind::Local(counter) => Some((counter, block)),
        _ => None,
    }
}

/// `do { ... } while (false);`
fn once(body: &mut Body, block: Block, span: Span) -> Stmt {
    let never = ExprKind::Literal(Literal::Bool(false), None);
    let never = body.exprs.push(Expr { kind: never, ty: TypeId::BOOL, span });
    Stmt::new(StmtKind::DoWhile(block, never, Hints::default()), span)
}

/// Every `continue` of the loop around a block becomes a `break`.
fn leave_early(block: &mut Block) {
    for stmt in &mut block.stmts {
        match &stmt.kind {
            StmtKind::Continue => stmt.kind = StmtKind::Break,
            StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..) => {}
            _ => stmt.blocks_mut(&mut leave_early),
        }
    }
}

impl Choices<'_> {
    /// Whether a round uses what an earlier one gave a variable of the choice, or one that stood for nothing before.
    fn carries(&self, body: &Body, block: &Block) -> bool {
        let inner: FxHashSet<LocalId> = initialized(block).into_iter().map(|(local, _)| local).collect();
        let mut given = FxHashSet::default();
        block.visit(&mut |s| {
            s.own_exprs(&mut |root| {
                for e in body.exprs.post_order(root) {
                    self.given.places(self.program, &body.exprs, e, &mut |local, _| given.extend([local]));
                }
            });
        });
        let is_meant = |l: &LocalId| !inner.contains(l) && (self.chosen.contains(l) || self.open.contains(l));
        let mut outer = given.into_iter().filter(is_meant);
        outer.any(|l| self.program.first_use(&body.exprs, block, l) == FirstUse::Kept)
    }

    /// Whether a round moves a variable from before the loop by what may be known, which chooses what has to be constant.
    fn runs(&self, body: &Body, block: &Block, counter: LocalId) -> bool {
        let Some(wanted) = self.wanted else { return false };
        let mut roots = Vec::new();
        block.visit(&mut |s| s.own_exprs(&mut |e| roots.push(e)));
        let all: Vec<ExprId> = roots.iter().flat_map(|r| body.exprs.post_order(*r)).collect();
        if !all.iter().any(|id| !wanted_arguments(&body.exprs, *id, wanted).is_empty()) {
            return false;
        }
        let inner: FxHashSet<LocalId> = initialized(block).into_iter().map(|(local, _)| local).collect();
        let is_number = |e: ExprId| !matches!(body.exprs[e].kind, ExprKind::Call(..) | ExprKind::Global(_));
        let moved = all.iter().filter_map(|id| {
            let place = target(&body.exprs[*id].kind)?;
            let known = body.exprs.post_order(*id).into_iter().all(is_number);
            body.exprs.base_local(place).filter(|l| known && *l != counter && !inner.contains(l))
        });
        moved.collect::<BTreeSet<_>>().into_iter().any(|variable| self.chooses(body, block, variable))
    }

    /// Whether a variable, or what is computed from it, chooses what has to be known.
    fn chooses(&self, body: &Body, block: &Block, variable: LocalId) -> bool {
        let mut roots = Vec::new();
        block.visit(&mut |s| s.own_exprs(&mut |e| roots.push(e)));
        let all: Vec<ExprId> = roots.iter().flat_map(|r| body.exprs.post_order(*r)).collect();
        let mut from: FxHashSet<LocalId> = FxHashSet::from_iter([variable]);
        for (local, value) in initialized(block) {
            if value.is_some_and(|v| mentions(&body.exprs, v, &from)) {
                from.insert(local);
            }
        }
        for id in &all {
            if let ExprKind::Assign(_, place, value) = body.exprs[*id].kind
                && mentions(&body.exprs, value, &from)
            {
                from.extend(body.exprs.base_local(place));
            }
        }
        block.any(&mut |stmt| self.decides(body, stmt, &from)) || all.into_iter().any(|id| self.takes(body, id, &from))
    }

    /// Whether a statement runs or leaves out, by the variables, what gives one of several resources.
    fn decides(&self, body: &Body, stmt: &Stmt, from: &FxHashSet<LocalId>) -> bool {
        match &stmt.kind {
            StmtKind::If(condition, then, other, _) => {
                mentions(&body.exprs, *condition, from)
                    && (self.gives(body, then) || other.as_ref().is_some_and(|b| self.gives(body, b)))
            }
            StmtKind::Switch(value, cases, _) => {
                mentions(&body.exprs, *value, from) && cases.iter().any(|c| self.gives(body, &c.body))
            }
            _ => false,
        }
    }

    /// Whether statements give one of several resources to a variable, or to the caller.
    fn gives(&self, body: &Body, block: &Block) -> bool {
        block.any(&mut |stmt| {
            let mut found = false;
            stmt.own_exprs(&mut |e| {
                let place = target(&body.exprs[e].kind);
                let local = place.and_then(|p| body.exprs.base_local(p));
                found |= local.is_some_and(|l| self.chosen.contains(&l))
                    || matches!(stmt.kind, StmtKind::Return(_)) && self.program.holds_resource(body.exprs[e].ty);
            });
            found
        })
    }

    /// Whether an expression by itself takes what the variables choose.
    fn takes(&self, body: &Body, id: ExprId, from: &FxHashSet<LocalId>) -> bool {
        let (program, exprs) = (self.program, &body.exprs);
        match &exprs[id].kind {
            ExprKind::Index(base, index) => {
                let local = exprs.base_local(*base).filter(|l| self.chosen.contains(l));
                local.is_some() && program.holds_resource(exprs[id].ty) && mentions(exprs, *index, from)
            }
            ExprKind::Select(condition, a, b) => {
                program.holds_resource(exprs[id].ty)
                    && mentions(exprs, *condition, from)
                    && sources(program, exprs, &[*a, *b]).len() > 1
            }
            ExprKind::Call(function, args) => {
                let takes = |reaching: &Reaching| {
                    let positions = reaching.get(function).into_iter().flatten();
                    args.iter().zip(positions).any(|(arg, wanted)| *wanted && mentions(exprs, *arg, from))
                };
                self.wanted.is_some_and(takes)
                    || takes(&self.given.deciding) && self.is_of_several(exprs, *function, args)
            }
            _ => false,
        }
    }

    /// Whether a function that chooses gives more than elements of one array.
    fn is_of_several(&self, exprs: &ExprArena, function: FunctionId, args: &[ExprId]) -> bool {
        let Some(results) = self.given.results.get(&function) else { return true };
        let passed = sources(self.program, exprs, args);
        passed.into_iter().chain(results.iter().map(|g| (Some(*g), None))).collect::<BTreeSet<_>>().len() > 1
    }
}

/// The counter of a loop that constants count, and its values in the first `most` rounds.
pub(super) fn counted(
    program: &Program,
    body: &Body,
    stmt: &Stmt,
    known: &FxHashMap<LocalId, Value>,
    most: usize,
) -> Option<(LocalId, Vec<Value>)> {
    let StmtKind::For(init, Some(condition), Some(step), block, _) = &stmt.kind else { return None };
    let [Stmt { kind: StmtKind::Local(counter, Some(first)), .. }] = init.as_slice() else { return None };
    let mut inside = Body { block: block.clone().into(), ..body.clone() };
    inside.block.stmts.push(Stmt::new(StmtKind::Expr(*condition), stmt.span));
    if program.written_locals(&inside).contains(counter) {
        return None;
    }
    let place = target(&body.exprs[*step].kind)?;
    if body.exprs.base_local(place) != Some(*counter) {
        return None;
    }
    let at = |id: ExprId, now: Option<&Value>| {
        let value = |l: LocalId| if l == *counter { now.cloned() } else { known.get(&l).cloned() };
        eval_with(program, &body.exprs, id, &value).ok()
    };
    let mut rounds = Vec::new();
    let mut now = at(*first, None)?;
    let goes_on = |now: &Value| is_exact(now).then(|| at(*condition, Some(now))?.truth())?;
    while rounds.len() < most && goes_on(&now)? {
        let next = stepped(&body.exprs, *step, &now, &|e| at(e, Some(&now)))?;
        rounds.push(std::mem::replace(&mut now, next));
    }
    Some((*counter, rounds))
}

fn mentions(exprs: &ExprArena, id: ExprId, locals: &FxHashSet<LocalId>) -> bool {
    exprs.any_part(id, |e| matches!(exprs[e].kind, ExprKind::Local(l) if locals.contains(&l)))
}
