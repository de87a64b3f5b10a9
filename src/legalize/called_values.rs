//! Give entry points a parameter for each system value that code asks for by calling a builtin, and pass it on.
//!
//! Before: `uint other() { return WaveGetLaneIndex() ^ 1; }                 void main() { ... other() ... }`
//! After:  `uint other(uint lane_index) { return lane_index ^ 1; }
//!          void main(uint lane_index : SV_WaveLaneIndex) { ... other(lane_index) ... }`
//!
//! The library marks such builtins with `[__system_value("SEMANTIC", "name")]`. One that has a spelling as well is called
//! at the start of the entry point where the work group has more than one dimension: validators of the target refuse the
//! parameter there.
//!
//! Spec: WGSL "Built-in Inputs and Outputs".

use super::needs::{Find, callee};
use super::{Context, Pass, stages};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::{Capability, Profile};
use crate::tree::ExprKinds;
use crate::tree::*;
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass = Pass {
    name: "called_values",
    removes: &[
        (
            Capability::CalledSystemValues,
            Find::at(ExprKinds::CALL, |p, e, id| calls(p, e, id, Capability::CalledSystemValues)),
        ),
        (
            Capability::UnspelledSystemValues,
            Find::at(ExprKinds::CALL, |p, e, id| calls(p, e, id, Capability::UnspelledSystemValues)),
        ),
        (
            Capability::CalledGroupSizes,
            Find::at(ExprKinds::CALL, |p, e, id| calls(p, e, id, Capability::CalledGroupSizes)),
        ),
    ],
    // Not every system value has a semantic everywhere.
    adds: &[Capability::VaryingsWithoutSemantics],
    run,
    ..Pass::ROW
};

/// The attribute of builtins that stand for a system value.
const ATTRIBUTE: &str = "__system_value";

/// The attribute of the builtin that gives the size of the work group, which is a constant of the entry point.
const GROUP_SIZE: &str = "__group_size";

/// Whether a function is a builtin that stands for a system value; where those with a spelling are called, only another one.
fn is_value(function: &Function, spelled: bool) -> bool {
    semantic(function).is_some() && (spelled || !matches!(function.body, FunctionBody::Intrinsic(_)))
}

/// Whether a function is a builtin that stands for a value of an entry point.
pub(super) fn is_called(function: &Function) -> bool {
    needed(function).next().is_some()
}

/// Whether a function stands for such a value.
type Shows = fn(&Function) -> bool;

/// What a call of a function may need for the value of an entry point that it stands for, and how that shows.
const NEEDS: [(Capability, Shows); 3] = [
    (Capability::CalledSystemValues, |function| is_value(function, true)),
    (Capability::UnspelledSystemValues, |function| is_value(function, false)),
    (Capability::CalledGroupSizes, |function| function.is_marked(GROUP_SIZE)),
];

/// The capabilities that a call of a function needs for the value of an entry point that it stands for.
pub(super) fn needed(function: &Function) -> impl Iterator<Item = Capability> {
    NEEDS.into_iter().filter(|(_, shows)| shows(function)).map(|(capability, _)| capability)
}

fn calls(program: &Program, exprs: &ExprArena, id: ExprId, capability: Capability) -> bool {
    let needs = |function| NEEDS.iter().any(|(needed, shows)| *needed == capability && shows(function));
    callee(program, exprs, id).is_some_and(|(function, _)| needs(function))
}

/// The semantic and the name of the value that a builtin stands for.
fn semantic(function: &Function) -> Option<(Symbol, Symbol)> {
    let attribute = function.attributes.iter().find(|a| a.name == ATTRIBUTE)?;
    match attribute.args.as_slice() {
        [AttributeArg::Text(semantic), AttributeArg::Text(name)] => Some((*semantic, *name)),
        _ => None,
    }
}

fn run(cx: &mut Context) {
    group_sizes(cx);
    let spelled = !cx.profile.has(Capability::CalledSystemValues);
    // Callees come before callers.
    let mut passed = Passed::default();
    for id in cx.program.reachable_functions() {
        if !matches!(cx.program.functions[id].body, FunctionBody::Block) {
            continue;
        }
        let mut body = std::mem::take(&mut cx.program.functions[id].code);
        let values = wanted(cx.program, &body, &passed, spelled);
        if !values.is_empty() {
            let locals: Vec<LocalId> =
                values.iter().map(|(v, span)| variable(cx.program, &mut body, *v, *span)).collect();
            let given: FxHashMap<FunctionId, LocalId> =
                values.iter().map(|(v, _)| *v).zip(locals.iter().copied()).collect();
            pass_on(cx.program, &mut body, &given, &passed);
            let is_entry = cx.program.entry_point_of(id).is_some();
            if is_entry {
                obtain(cx.program, cx.profile, id, &mut body, &values, &given);
            } else {
                let params = locals.iter().map(|local| parameter(*local, None));
                cx.program.functions[id].params.extend(params);
                passed.insert(id, values);
            }
        }
        cx.program.functions[id].code = body;
    }
}

/// The three sizes of a work group, each with the specialization constant that gives it.
type GroupSize = [(u32, Option<GlobalId>); 3];

/// Sizes of work groups are numbers and specialization constants, where all entry points that reach a function have the same.
fn group_sizes(cx: &mut Context) {
    let marked = cx.program.marked(GROUP_SIZE);
    if marked.is_empty() {
        return;
    }
    let mut sizes: FxHashMap<FunctionId, Option<GroupSize>> = FxHashMap::default();
    let analyses = cx.program.analyses();
    for entry in &*cx.program.entry_points {
        for (function, _) in analyses.paths(entry) {
            let size = Some(std::array::from_fn(|axis| (entry.workgroup_size[axis], entry.workgroup_constants[axis])));
            let known = sizes.entry(function).or_insert(size);
            *known = known.filter(|known| Some(*known) == size);
        }
    }
    drop(analyses);
    cx.each_body(&mut |cx, owner, body| {
        for id in body.expressions() {
            let ExprKind::Call(f, _) = &body.exprs[id].kind else { continue };
            if !marked.contains(f) {
                continue;
            }
            let span = body.exprs[id].span;
            let size = sizes.get(&owner).copied().flatten();
            let Some(size) = size else {
                cx.unsupported(
                    span,
                    "the size of the work group, in a function of several entry points of different sizes",
                );
                continue;
            };
            let globals = &cx.program.globals;
            let mut build = Build::new(&mut cx.program.types, &mut body.exprs, span);
            let parts = size.iter().map(|(n, constant)| match constant {
                Some(constant) => {
                    let value = build.global(*constant, globals[*constant].ty);
                    build.convert(value, TypeId::INT)
                }
                None => build.number(i64::from(*n), TypeId::INT),
            });
            let parts = parts.collect();
            body.exprs[id].kind = ExprKind::Construct(parts);
        }
    });
}

/// The values that each function has as parameters, after those of the source, with the place that asks for each.
type Passed = FxHashMap<FunctionId, Vec<(FunctionId, Span)>>;

/// The values that a body asks for, itself or through what it calls, with the first place of each.
fn wanted(program: &Program, body: &Body, passed: &Passed, spelled: bool) -> Vec<(FunctionId, Span)> {
    let mut values: Vec<(FunctionId, Span)> = Vec::new();
    for id in body.expressions() {
        let ExprKind::Call(f, _) = &body.exprs[id].kind else { continue };
        let own = is_value(&program.functions[*f], spelled).then_some((*f, body.exprs[id].span));
        for value in own.into_iter().chain(passed.get(f).into_iter().flatten().copied()) {
            if values.iter().all(|(v, _)| *v != value.0) {
                values.push(value);
            }
        }
    }
    values
}

fn variable(program: &Program, body: &mut Body, value: FunctionId, span: Span) -> LocalId {
    let function = &program.functions[value];
    let name = semantic(function).map_or(function.name, |(_, name)| name);
    let local = body.add_local(name, function.result, span);
    body.locals[local].constant = true;
    local
}

fn parameter(local: LocalId, semantic: Option<Semantic>) -> Param {
    Param { semantic, ..Param::new(local) }
}

/// Calls of the builtins become the variables, and calls of functions that have got parameters pass them.
fn pass_on(program: &Program, body: &mut Body, given: &FxHashMap<FunctionId, LocalId>, passed: &Passed) {
    for id in body.expressions() {
        let ExprKind::Call(f, _) = &body.exprs[id].kind else { continue };
        let f = *f;
        if let Some(local) = given.get(&f) {
            body.exprs[id].kind = ExprKind::Local(*local);
            continue;
        }
        let span = body.exprs[id].span;
        for (value, _) in passed.get(&f).into_iter().flatten() {
            let (Some(local), ty) = (given.get(value), program.functions[*value].result) else { continue };
            let argument = body.exprs.push(Expr { kind: ExprKind::Local(*local), ty, span });
            if let ExprKind::Call(_, args) = &mut body.exprs[id].kind {
                args.push(argument);
            }
        }
    }
}

/// The variables of an entry point are parameters, or are computed before anything else.
fn obtain(
    program: &mut Program,
    profile: &Profile,
    id: FunctionId,
    body: &mut Body,
    values: &[(FunctionId, Span)],
    given: &FxHashMap<FunctionId, LocalId>,
) {
    let entry = program.entry_point_of(id).and_then(|index| program.entry_points.get(index));
    let flat = entry.is_none_or(|e| e.workgroup_size.iter().filter(|n| **n > 1).count() < 2);
    let mut start = Vec::new();
    for (value, span) in values {
        let (Some(&local), Some((text, _))) = (given.get(value), semantic(&program.functions[*value])) else {
            continue;
        };
        let span = *span;
        let spelled = matches!(program.functions[*value].body, FunctionBody::Intrinsic(_));
        // A call that the stage refuses is reported where it is.
        let entry = program.entry_point_of(id).and_then(|index| program.entry_points.get(index));
        let is_refused = entry.is_some_and(|entry| stages::refuses(&program.functions[*value], entry, profile));
        if spelled && !flat || is_refused {
            let ty = body.locals[local].ty;
            let mut plain = program.functions[*value].clone();
            plain.attributes.retain(|a| a.name != ATTRIBUTE);
            let plain = program.functions.push(plain);
            let call = body.exprs.push(Expr { kind: ExprKind::Call(plain, Vec::new()), ty, span });
            start.push(Stmt::new(StmtKind::Local(local, Some(call)), span));
        } else {
            program.functions[id].params.push(parameter(local, Some(Semantic { text, span })));
        }
    }
    body.block.stmts.splice(0..0, start);
}
