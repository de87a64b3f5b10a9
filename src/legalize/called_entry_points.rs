//! An entry point that functions call too is an entry point and a function, and one of two stages is two entry points.
//!
//! Before: `[shader("compute")] void step(uint3 id : SV_DispatchThreadID) { f(id); }    void both(uint3 i) { step(i); }`
//! After:  the same, and `void step_function(uint3 id) { f(id); }    void both(uint3 i) { step_function(i); }`
//!
//! An entry point that does nothing but give its parameters to another one has that one's body: no function has to be named after it.
//!
//! Before: `[shader("vertex")] Out both(In v) { return one(v); }`
//! After:  `[shader("vertex")] Out both(In v) { <body of one> }`
//!
//! Where each text has one entry point, the function of a hull shader's constants is no other one's: it reads that one's inputs.
//!
//! The parameters of an entry point become what the target has for them; those of a function stay. Where the entry point's
//! own name is not printed, the function has it. Where targets call entry points, [`entry_calls`](super::entry_calls) undoes what was
//! not needed.

use super::entry_calls::TakenBody;
use super::needs::Find;
use super::{Context, Pass};
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::{
    Explicit, ExprArena, ExprId, ExprKind, ExprKinds, Function, FunctionId, Item, Param, Program, StmtKind,
};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PASS: Pass = Pass {
    name: "called_entry_points",
    always: Some("entry points of two stages are two, and passes change entry points, which others call as they were"),
    removes: &[(Capability::CalledEntryPoints, Find::at(ExprKinds::CALL, calls_entry_point))],
    // Those of an entry point are what a stage gives.
    adds: &[Capability::OutParameters, Capability::MutableParameters],
    run,
    ..Pass::ROW
};

fn calls_entry_point(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    matches!(exprs[id].kind, ExprKind::Call(callee, _) if program.entry_point_of(callee).is_some())
}

fn run(cx: &mut Context) {
    let mut entries: BTreeSet<FunctionId> = BTreeSet::new();
    let own_constants = !cx.profile.has(Capability::SeveralEntryPoints);
    for index in 0..cx.program.entry_points.len() {
        let Some(entry) = cx.program.entry_points.get(index).cloned() else { continue };
        let mut own = |function: FunctionId| match entries.insert(function) {
            true => function,
            false => {
                let own = copy(cx.program, function);
                // What comes first keeps the name.
                cx.program.items.put_after(Item::Function(function), Item::Function(own));
                entries.insert(own);
                own
            }
        };
        let function = own(entry.function);
        let patch_constant = if own_constants { entry.patch_constant.map(own) } else { entry.patch_constant };
        if let Some(entry) = cx.program.entry_points.get_mut(index) {
            (entry.function, entry.patch_constant) = (function, patch_constant);
        }
    }
    cx.notes.taken_bodies = take_bodies(cx.program, &entries);
    // The function of a hull shader's constants belongs to the entry point.
    entries.extend(cx.program.entry_points.iter().flat_map(|e| e.roots()));
    let mut called = BTreeSet::new();
    let mut note = |exprs: &ExprArena, live: Vec<ExprId>| {
        called.extend(live.into_iter().filter_map(|id| match exprs[id].kind {
            ExprKind::Call(callee, _) if entries.contains(&callee) => Some(callee),
            _ => None,
        }));
    };
    for function in cx.program.reachable_functions() {
        let body = &cx.program.functions[function].code;
        note(&body.exprs, body.expressions());
    }
    for tree in cx.program.listed_globals().filter_map(|id| cx.program.globals[id].init.as_ref()) {
        note(&tree.exprs, tree.exprs.post_order(tree.root));
    }
    let copies: BTreeMap<FunctionId, FunctionId> =
        called.into_iter().map(|entry| (entry, plain(cx.program, entry))).collect();
    if copies.is_empty() {
        return;
    }
    cx.notes.entry_copies = copies.iter().map(|(entry, copy)| (*copy, *entry)).collect();
    cx.program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            if let ExprKind::Call(callee, _) = &mut exprs[id].kind
                && let Some(copy) = copies.get(callee)
            {
                *callee = *copy;
            }
        }
    });
}

/// Gives entry points that hand all they have to another one the body of that. One may do so in its turn.
fn take_bodies(program: &mut Program, entries: &BTreeSet<FunctionId>) -> Vec<TakenBody> {
    let mut taken: Vec<TakenBody> = Vec::new();
    for &entry in entries {
        // A chain is no longer than there are entry points; one that goes round in a circle was refused before.
        for _ in entries {
            let next = handed_to(program, &program.functions[entry]).filter(|of| entries.contains(of) && *of != entry);
            let Some(of) = next else { break };
            let own = take_body(program, entry, of);
            if taken.last().is_none_or(|last| last.entry != entry) {
                taken.push(own);
            }
        }
    }
    taken
}

/// The function to which another one gives its parameters as they are, and whose result it gives, if it does nothing else.
fn handed_to(program: &Program, function: &Function) -> Option<FunctionId> {
    let block = &function.code.block;
    let [stmt] = block.stmts.as_slice() else { return None };
    let (StmtKind::Return(Some(call)) | StmtKind::Expr(call)) = stmt.kind else { return None };
    let ExprKind::Call(callee, args) = &function.code.exprs[call].kind else { return None };
    let of = &program.functions[*callee];
    let is_own = |(arg, (own, other)): (&ExprId, (&Param, &Param))| {
        let local = |p: &Param, f: &Function| (p.mode, f.code.locals[p.local].ty);
        matches!(function.code.exprs[*arg].kind, ExprKind::Local(l) if l == own.local)
            && local(own, function) == local(other, of)
    };
    let is_alike = of.result == function.result
        && of.modifiers == function.modifiers
        && args.len() == function.params.len()
        && args.len() == of.params.len();
    let says_more = !stmt.comments.is_empty() || !block.trailing.is_empty();
    let pairs = function.params.iter().zip(&of.params);
    (is_alike && !says_more && args.iter().zip(pairs).all(is_own)).then_some(*callee)
}

/// An entry point gets the body of another one, and keeps its parameters with their names. Gives what it had.
fn take_body(program: &mut Program, entry: FunctionId, of: FunctionId) -> TakenBody {
    let (mut code, params) = (program.functions[of].code.clone(), program.functions[of].params.clone());
    let function = &mut program.functions[entry];
    let own_params = function.params.iter().map(|param| param.local).collect();
    for (own, other) in function.params.iter_mut().zip(&params) {
        let local = &function.code.locals[own.local];
        (code.locals[other.local].name, code.locals[other.local].span) = (local.name, local.span);
        own.local = other.local;
    }
    let own = std::mem::replace(&mut function.code, code);
    TakenBody { entry, of, own, params: own_params }
}

/// A function that does what the entry point does.
fn plain(program: &mut Program, entry: FunctionId) -> FunctionId {
    let id = copy(program, entry);
    program.items.put_before(Some(Item::Function(entry)), Item::Function(id));
    let function = &mut program.functions[id];
    // The name that it gets where the entry point has its own.
    function.instance = Symbol::new("function");
    function.attributes.clear();
    function.result_semantic = None;
    function.result_explicit = Explicit::default();
    for param in &mut function.params {
        param.semantic = None;
        param.explicit = Explicit::default();
    }
    id
}

fn copy(program: &mut Program, function: FunctionId) -> FunctionId {
    let own = program.functions[function].clone();
    program.functions.push(own)
}
