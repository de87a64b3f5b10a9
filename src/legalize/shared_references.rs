//! Functions that are given a variable of the work group by reference have it by its name.
//!
//! Before: `void fill(__ref groupshared float l[64], uint i) { l[i] = 0; }     fill(list, i);`
//! After:  `void fill(uint i) { list[i] = 0; }                                 fill(i);`
//!
//! Targets copy such arguments, and a copy that is written back undoes what other invocations have written meanwhile. A function
//! is made for the variables that it is given.

use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass = Pass {
    name: "shared_references",
    removes: &[(Capability::SharedReferences, Find::Expr(|p, exprs, id| given(p, exprs, id).is_some()))],
    after: &["inline_builtins"],
    run,
    ..Pass::ROW
};

/// A variable of the work group for each parameter that is given one.
type Given = Vec<Option<GlobalId>>;

/// What a call gives by reference of what the work group shares, if anything.
fn given(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<(FunctionId, Given)> {
    let ExprKind::Call(callee, args) = &exprs[id].kind else { return None };
    let function = &program.functions[*callee];
    if !matches!(function.body, FunctionBody::Block) {
        return None;
    }
    let shared = |(param, arg): (&Param, &ExprId)| match exprs[*arg].kind {
        ExprKind::Global(g) if param.mode == ParamMode::Ref => {
            Some(g).filter(|g| program.globals[*g].kind == GlobalKind::Groupshared)
        }
        _ => None,
    };
    let given: Given = function.params.iter().zip(args).map(shared).collect();
    given.iter().any(Option::is_some).then_some((*callee, given))
}

fn run(cx: &mut Context) {
    let mut made = FxHashMap::default();
    let mut open = cx.program.functions_with_code();
    // Each function that is made is for other variables, of which there are as many as the source has.
    while let Some(id) = open.pop() {
        let mut body = std::mem::take(&mut cx.program.functions[id].code);
        for call in body.expressions() {
            let Some((callee, given)) = given(cx.program, &body.exprs, call) else { continue };
            if callee == id {
                continue;
            }
            let key = (callee, given.clone());
            let instance = *made.entry(key).or_insert_with(|| {
                let instance = instance(cx.program, callee, &given);
                open.push(instance);
                instance
            });
            if let ExprKind::Call(function, args) = &mut body.exprs[call].kind {
                *function = instance;
                let mut given = given.iter();
                args.retain(|_| !matches!(given.next(), Some(Some(_))));
            }
        }
        cx.program.functions[id].code = body;
    }
    cx.program.items.settle();
    let called: rustc_hash::FxHashSet<FunctionId> = cx.program.reachable_functions().into_iter().collect();
    cx.program.items.retain(|item| !matches!(item, Item::Function(f) if !called.contains(f)));
}

/// A function with variables in the place of its parameters.
fn instance(program: &mut Program, original: FunctionId, given: &Given) -> FunctionId {
    let mut function = program.functions[original].clone();
    let named: FxHashMap<LocalId, GlobalId> =
        function.params.iter().zip(given).filter_map(|(p, g)| Some((p.local, (*g)?))).collect();
    for id in function.code.expressions() {
        if let ExprKind::Local(local) = function.code.exprs[id].kind
            && let Some(global) = named.get(&local)
        {
            function.code.exprs[id].kind = ExprKind::Global(*global);
        }
    }
    function.params.retain(|p| !named.contains_key(&p.local));
    let id = program.functions.push(function);
    program.items.put_after(Item::Function(original), Item::Function(id));
    id
}
