//! The call graph: what functions and initializers mention, and what can be reached through them.

use super::Analyses;
use crate::source::Span;
use crate::tree::{
    Body, EntryPoint, ExprArena, ExprId, ExprKind, ExprTree, Function, FunctionBody, FunctionId, GlobalId, Id, Program,
    StmtKind, TypeId,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What an expression or body mentions, each once, in order of first mention.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Functions: callees and accessors.
    pub functions: Vec<FunctionId>,
    /// Where each of them is called first.
    pub calls: Vec<Span>,
    /// Globals.
    pub globals: Vec<GlobalId>,
    /// Types of expressions and declared variables.
    pub types: Vec<TypeId>,
}

/// Which ids a list has, of which most are short.
struct Seen<T>(FxHashSet<T>);

impl<T: Copy + Eq + std::hash::Hash> Seen<T> {
    /// A list of so many is looked through as fast as a set.
    const FEW: usize = 32;

    /// Adds an id to its list, and tells whether it is new there.
    fn add(&mut self, list: &mut Vec<T>, id: T) -> bool {
        let is_new = match list.len() {
            ..Self::FEW => !list.contains(&id),
            Self::FEW => {
                self.0.extend(list.iter().copied());
                self.0.insert(id)
            }
            _ => self.0.insert(id),
        };
        if is_new {
            list.push(id);
        }
        is_new
    }
}

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Seen(FxHashSet::default())
    }
}

/// Collects [`Uses`].
#[derive(Default)]
struct Collector {
    uses: Uses,
    functions: Seen<FunctionId>,
    globals: Seen<GlobalId>,
    types: Seen<TypeId>,
    /// The type met last: expressions beside each other are often of one.
    last: Option<TypeId>,
}

impl Collector {
    fn body(&mut self, body: &Body) {
        body.block.visit(&mut |stmt| {
            if let StmtKind::Local(local, _) = stmt.kind {
                self.ty(body.locals[local].ty);
            }
        });
        body.live().iter().for_each(|id| self.expr(&body.exprs, *id));
    }

    fn expr(&mut self, exprs: &ExprArena, id: crate::tree::ExprId) {
        let expr = &exprs[id];
        self.ty(expr.ty);
        match &expr.kind {
            ExprKind::Global(g) => {
                self.globals.add(&mut self.uses.globals, *g);
            }
            ExprKind::Call(f, _) => self.function(*f, expr.span),
            ExprKind::Property(p) => {
                [p.get, p.set, p.reference].into_iter().flatten().for_each(|f| self.function(f, expr.span));
            }
            _ => {}
        }
    }

    fn function(&mut self, function: FunctionId, span: Span) {
        if self.functions.add(&mut self.uses.functions, function) {
            self.uses.calls.push(span);
        }
    }

    fn ty(&mut self, ty: TypeId) {
        if self.last.replace(ty) != Some(ty) {
            self.types.add(&mut self.uses.types, ty);
        }
    }
}

impl Uses {
    pub(super) fn of_body(body: &Body) -> Uses {
        let mut collector = Collector::default();
        collector.body(body);
        collector.uses
    }

    fn of_function(function: &Function) -> Arc<Uses> {
        if let FunctionBody::Block = function.body {
            return function.code.uses();
        }
        let mut collector = Collector::default();
        // All that it may become.
        function.each_body(&mut |body| collector.body(body));
        Arc::new(collector.uses)
    }

    pub(super) fn of_tree(tree: &ExprTree) -> Uses {
        let mut collector = Collector::default();
        tree.exprs.post_order(tree.root).into_iter().for_each(|id| collector.expr(&tree.exprs, id));
        collector.uses
    }
}

/// How far a depth-first walk is with a function.
#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

impl Analyses<'_> {
    /// What a function mentions, in any of its target cases.
    pub fn uses(&self, function: FunctionId) -> &Uses {
        self.facts.functions[function.index()].get_or_init(|| Uses::of_function(&self.program.functions[function]))
    }

    /// What the initializer of a global mentions, if it has one.
    pub fn initializer(&self, global: GlobalId) -> &Uses {
        let find = || self.program.globals[global].init.as_ref().map_or_else(Uses::default, Uses::of_tree);
        self.facts.initializers[global.index()].get_or_init(find)
    }

    /// The functions that `function` calls.
    pub fn callees(&self, function: FunctionId) -> &[FunctionId] {
        &self.uses(function).functions
    }

    /// See [`Program::reachable_functions`].
    pub(super) fn order(&self) -> Arc<[FunctionId]> {
        let roots = self.program.entry_points.iter().flat_map(EntryPoint::roots);
        self.order_from(roots.chain(self.initializing()).collect()).into()
    }

    /// All functions with code, called or not, and what they call, each once, callees before callers.
    pub fn all_functions(&self) -> Vec<FunctionId> {
        self.order_from(self.program.functions_with_code())
    }

    fn order_from(&self, roots: Vec<FunctionId>) -> Vec<FunctionId> {
        let mut order = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(FunctionId, bool)> = roots.into_iter().rev().map(|f| (f, false)).collect();
        while let Some((function, done)) = stack.pop() {
            if done {
                order.push(function);
            } else if seen.insert(function) {
                stack.push((function, true));
                stack.extend(self.callees(function).iter().rev().map(|f| (*f, false)));
            }
        }
        order
    }

    /// Cycles of calls: each function that is in one is in one of these or calls a function of one.
    pub fn cycles(&self) -> Vec<Vec<FunctionId>> {
        let mut state = vec![State::New; self.program.functions.len()];
        let starts = self.program.functions.ids();
        starts.filter_map(|id| self.cycle_from(id, &mut state)).collect()
    }

    /// Depth-first over calls, up to the first cycle.
    fn cycle_from(&self, start: FunctionId, state: &mut [State]) -> Option<Vec<FunctionId>> {
        if state[start.index()] != State::New {
            return None;
        }
        state[start.index()] = State::Open;
        let mut path: Vec<(FunctionId, &[FunctionId])> = vec![(start, self.callees(start))];
        while let Some((id, callees)) = path.last_mut() {
            let Some((next, rest)) = callees.split_last() else {
                state[id.index()] = State::Done;
                path.pop();
                continue;
            };
            *callees = rest;
            match state[next.index()] {
                State::New => {
                    state[next.index()] = State::Open;
                    path.push((*next, self.callees(*next)));
                }
                State::Open => {
                    path.iter().for_each(|(f, _)| state[f.index()] = State::Done);
                    return Some(path.iter().map(|(f, _)| *f).skip_while(|f| f != next).collect());
                }
                State::Done => {}
            }
        }
        None
    }

    /// The functions that initializers call.
    fn initializing(&self) -> impl Iterator<Item = FunctionId> + '_ {
        let globals = self.program.globals.iter().filter(|(_, g)| g.init.is_some());
        globals.flat_map(|(id, _)| self.initializer(id).functions.iter().copied())
    }

    /// The globals that are reached from some functions, by initializers too.
    pub fn reached_globals(&self, roots: impl Iterator<Item = FunctionId>) -> BTreeSet<GlobalId> {
        self.reached(roots).1
    }

    /// The functions and globals that are reached from some functions, these included, by initializers too.
    pub fn reached(&self, roots: impl Iterator<Item = FunctionId>) -> (BTreeSet<FunctionId>, BTreeSet<GlobalId>) {
        let mut todo: Vec<FunctionId> = roots.collect();
        let mut seen: BTreeSet<FunctionId> = todo.iter().copied().collect();
        let mut globals = BTreeSet::new();
        let mut mentioned: Vec<GlobalId> = Vec::new();
        while let Some(function) = todo.pop() {
            let uses = self.uses(function);
            mentioned.extend(&uses.globals);
            todo.extend(uses.functions.iter().filter(|f| seen.insert(**f)));
            while let Some(global) = mentioned.pop() {
                if globals.insert(global) {
                    let uses = self.initializer(global);
                    mentioned.extend(&uses.globals);
                    todo.extend(uses.functions.iter().filter(|f| seen.insert(**f)));
                }
            }
        }
        (seen, globals)
    }

    /// The functions that an entry point reaches by calls, also those in the first values of globals, each with the first place
    /// where the code of the user calls into the library on the way to it, if it does.
    pub fn paths(&self, entry: &EntryPoint) -> Vec<(FunctionId, Option<Span>)> {
        let mut found: Vec<(FunctionId, Option<Span>)> = entry.roots().map(|f| (f, None)).collect();
        let mut seen: FxHashSet<FunctionId> = found.iter().map(|(f, _)| *f).collect();
        let mut globals: FxHashSet<GlobalId> = FxHashSet::default();
        let mut at = 0;
        while let Some(&(function, from)) = found.get(at) {
            let mut open = vec![self.uses(function)];
            while let Some(uses) = open.pop() {
                for (callee, span) in uses.functions.iter().zip(&uses.calls) {
                    if seen.insert(*callee) {
                        let entered = self.program.functions[*callee].builtin.then_some(*span);
                        found.push((*callee, from.or(entered)));
                    }
                }
                let new = uses.globals.iter().filter(|global| globals.insert(**global));
                open.extend(new.map(|global| self.initializer(*global)));
            }
            at += 1;
        }
        found
    }

    /// Where the code of the user first names a global on the way from an entry point, or calls what does in the library.
    pub fn first_named(&self, entry: &EntryPoint, global: GlobalId) -> Option<Span> {
        self.paths(entry).into_iter().find_map(|(id, from)| {
            let body = &self.program.functions[id].code;
            let names = |e: &ExprId| matches!(body.exprs[*e].kind, ExprKind::Global(g) if g == global);
            let named = body.expressions().into_iter().filter(names).map(|e| body.exprs[e].span);
            named.min_by_key(|span| span.start).map(|span| from.unwrap_or(span))
        })
    }

    /// The calls that a stage makes once, of an entry point, each by the first place where the code of the user leads to it.
    pub fn calls_once(&self, entry: &EntryPoint) -> Vec<Span> {
        let mut calls = Vec::new();
        for (id, from) in self.paths(entry) {
            let body = &self.program.functions[id].code;
            let is_once = |e: &ExprId| match body.exprs[*e].kind {
                ExprKind::Call(f, _) => self.program.functions[f].is_marked("__once"),
                _ => false,
            };
            let live = body.expressions().into_iter().filter(is_once);
            calls.extend(live.map(|e| from.unwrap_or(body.exprs[e].span)));
        }
        calls
    }

    /// The functions that others call.
    pub fn called(&self) -> FxHashSet<FunctionId> {
        self.program.functions.ids().flat_map(|id| self.callees(id).iter().copied()).collect()
    }

    /// The functions of which `own` holds, and those that call one of them, directly or through others.
    pub fn callers_of(&self, own: &dyn Fn(&Function) -> bool) -> FxHashSet<FunctionId> {
        let found = self.program.functions.iter().filter(|(_, f)| own(f)).map(|(id, _)| id).collect();
        with_callers(self.program, found, &mut |id| self.callees(id).to_vec())
    }
}

/// Adds to some functions all that call them, directly or through others.
pub(super) fn with_callers(
    program: &Program,
    mut found: FxHashSet<FunctionId>,
    callees: &mut dyn FnMut(FunctionId) -> Vec<FunctionId>,
) -> FxHashSet<FunctionId> {
    if found.is_empty() {
        return found;
    }
    let mut callers: Vec<Vec<FunctionId>> = vec![Vec::new(); program.functions.len()];
    for caller in program.functions.ids() {
        callees(caller).into_iter().for_each(|callee| callers[callee.index()].push(caller));
    }
    #[expect(clippy::disallowed_methods, reason = "the result is a set")]
    let mut todo: Vec<FunctionId> = found.iter().copied().collect();
    while let Some(function) = todo.pop() {
        todo.extend(callers[function.index()].iter().copied().filter(|f| found.insert(*f)));
    }
    found
}
