//! Variables and constants of the module whose first value is known only when a shader runs are set where it starts.
//!
//! Before: `static float x = scale * 2;      static const int n = count();`     `void main() { f(x, n); }`
//! After:  `static float x;                  static int n;`                     `void main() { x = scale * 2; n = count(); f(x, n); }`
//!
//! A target that takes such values for variables, but not for constants, gets variables. An entry point sets what it
//! reaches, in the order of the declarations. So it is with values that builtins compute which are not known to every compiler of
//! the target in constants (`[__in_constants]`), and with operators on what builtins compute that may leave their type or become
//! calls of functions or statements.
//!
//! It stands before whatever looks into the bodies of functions.

use super::byte_address::WORDS;
use super::derivatives::DERIVATIVE;
use super::hidden_constants::{is_computed_index, is_refused_value};
use super::needs::{Find, callee, required_in_constants, scalar_need};
use super::resolve_resources::parameter_need;
use super::uniformity::VARYING;
use super::{
    Context, Pass, called_values, constant_calls, flatten, float_remainder, short_circuit, wrapping_constants,
};
use crate::check::constant::eval;
use crate::target::Capability;
use crate::tree::{
    Build, ExprArena, ExprId, ExprKind, ExprTree, Function, FunctionBody, FunctionId, Global, GlobalId, GlobalKind,
    Length, LocalId, NumberName, Program, Type, TypeId,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) const PASS: Pass = Pass {
    name: "runtime_initializers",
    always: Some("what takes a derivative is set where its stage starts, on every target"),
    removes: &[
        (Capability::RuntimeInitializers, Find::Global(|p, g| g.kind != GlobalKind::Const && is_runtime(p, g))),
        (Capability::ConstantBits, Find::Global(|p, g| is_called(p, g, Capability::ConstantBits))),
        (Capability::ConstantBlends, Find::Global(|p, g| is_called(p, g, Capability::ConstantBlends))),
        (Capability::ConstantCounts, Find::Global(|p, g| is_called(p, g, Capability::ConstantCounts))),
        (Capability::ComputedInitializers, Find::Global(|p, g| calls_builtin(p, g, GlobalKind::Static, |_| true))),
        (Capability::WrappingConstants, Find::Global(wrapping_constants::is_unknown_value)),
        (Capability::ShortCircuit, Find::Global(|p, g| is_lazy(p, g, |c| c == Capability::ShortCircuit))),
        (Capability::LazyConditionals, Find::Global(|p, g| is_lazy(p, g, |c| c == Capability::LazyConditionals))),
        (
            Capability::CalledSystemValues,
            Find::Global(|p, g| is_of_entry(p, g, |c| c == Capability::CalledSystemValues)),
        ),
        (
            Capability::UnspelledSystemValues,
            Find::Global(|p, g| is_of_entry(p, g, |c| c == Capability::UnspelledSystemValues)),
        ),
        (Capability::CalledGroupSizes, Find::Global(|p, g| is_of_entry(p, g, |c| c == Capability::CalledGroupSizes))),
        (
            Capability::MatrixConditionals,
            Find::Global(|p, g| is_chosen_whole(p, g, |c| c == Capability::MatrixConditionals)),
        ),
        (
            Capability::AggregateConditionals,
            Find::Global(|p, g| is_chosen_whole(p, g, |c| c == Capability::AggregateConditionals)),
        ),
        (Capability::FloatRemainder, Find::Global(|p, g| is_remainder(p, g, Capability::FloatRemainder))),
        (Capability::DoubleRemainder, Find::Global(|p, g| is_remainder(p, g, Capability::DoubleRemainder))),
        (Capability::RuntimeConstants, Find::Global(|p, g| g.kind == GlobalKind::Const && is_runtime(p, g))),
    ],
    // Of integers of widths that it lacks the target computes in a constant only those that are literals.
    lessens: &[Capability::Int64, Capability::Int16, Capability::Int8],
    adds: OF_STATEMENTS,
    after: &["inline_builtins", "called_entry_points"],
    run,
};

/// What an expression needs only in a function, or of the entry point whose function it is in.
pub(super) const OF_STATEMENTS: &[Capability] = &[
    Capability::CopiedStatics,
    Capability::SignedRemainder,
    Capability::WrappingShifts,
    Capability::UnstatedQuads,
    Capability::VaryingDerivatives,
    Capability::AssignmentExpressions,
    Capability::AggregateExpressions,
    Capability::ValueBeforePlace,
    Capability::PlaceBeforeValue,
    Capability::LateOldValues,
];

fn run(cx: &mut Context) {
    let profile = cx.profile;
    let has_all = [Capability::RuntimeInitializers, Capability::RuntimeConstants].iter().all(|c| profile.has(*c));
    let is_unfit = |program: &Program, global: &Global| {
        let lacks = |capability| !profile.has(capability);
        is_runtime(program, global)
            || calls_builtin(program, global, GlobalKind::Const, lacks)
            || lacks(Capability::WrappingConstants) && wrapping_constants::is_unknown_value(program, global)
            || lacks(Capability::RuntimeConstants) && float_remainder::is_called_value(program, global, lacks)
            || lacks(Capability::RuntimeConstants) && is_of_lacking(program, global, lacks)
            || lacks(Capability::CalledConstants) && constant_calls::is_unknown_choice(program, global)
            || lacks(Capability::ComputedInitializers) && calls_builtin(program, global, GlobalKind::Static, |_| true)
    };
    if !has_all {
        set_where_it_starts(cx, &is_unfit);
    }
    let has_values = cx.program.listed_globals().any(|id| cx.program.globals[id].init.is_some());
    if !has_values {
        return;
    }
    let derived = cx.program.analyses().callers_of(&|f| f.is_marked(DERIVATIVE));
    let followed = {
        let program = &*cx.program;
        program.analyses().callers_of(&|f| follows_resources(program, f, &|capability| !profile.has(capability)))
    };
    // What stands behind such a value may be computed from it.
    let is_chosen = |program: &Program, global: &Global| {
        let lacks = |capability| !profile.has(capability);
        is_lazy(program, global, lacks)
            || is_of_entry(program, global, lacks)
            || is_chosen_whole(program, global, lacks)
            || calls_one_of(global, &derived)
            || calls_one_of(global, &followed)
            || is_indexed_by_calls(program, global, lacks)
            || is_given_resources(program, global, lacks)
            || is_taken_apart(program, global, lacks)
    };
    if cx.program.listed_globals().any(|id| is_chosen(cx.program, &cx.program.globals[id])) {
        let is_moved = |program: &Program, global: &Global| is_chosen(program, global) || is_runtime(program, global);
        make_variables(cx, &is_moved);
        move_to_start(cx, &is_moved);
    }
}

/// Has entry points set the variables and constants whose first value is none for the target.
pub(super) fn set_where_it_starts(cx: &mut Context, is_runtime: &dyn Fn(&Program, &Global) -> bool) {
    make_variables(cx, is_runtime);
    if !cx.profile.has(Capability::RuntimeInitializers) {
        move_to_start(cx, is_runtime);
    }
}

/// Makes constants variables. Constants of such constants are such themselves: declarations stand after what they use.
fn make_variables(cx: &mut Context, is_runtime: &dyn Fn(&Program, &Global) -> bool) {
    let items: Vec<GlobalId> = cx.program.listed_globals().collect();
    let mut made = FxHashSet::default();
    for id in items {
        if cx.program.globals[id].kind != GlobalKind::Const || !is_runtime(cx.program, &cx.program.globals[id]) {
            continue;
        }
        cx.program.globals[id].kind = GlobalKind::Static;
        made.insert(NumberName::Constant(id));
        if sizes_array(cx.program, id) {
            let message = format!("{} cannot compute the size of an array so", cx.profile.name);
            cx.unsupported(cx.program.globals[id].span, message);
        }
    }
    // A variable is no name of a size.
    if cx.program.written_numbers.all_names().any(|name| made.contains(&name)) {
        Arc::make_mut(&mut cx.program.written_numbers).forget_uses(&made);
    }
}

/// Whether an array has a constant for its size.
fn sizes_array(program: &Program, global: GlobalId) -> bool {
    let sized = |ty| matches!(program.types.get(ty), Type::Array(_, Length::Constant(size)) if size.global == global);
    program.types.ids().any(sized)
}

/// Has entry points set variables.
pub(super) fn move_to_start(cx: &mut Context, is_moved: &dyn Fn(&Program, &Global) -> bool) {
    let items: Vec<GlobalId> = cx.program.listed_globals().collect();
    let moved: Vec<GlobalId> = items.into_iter().filter(|id| is_moved(cx.program, &cx.program.globals[*id])).collect();
    if moved.is_empty() {
        return;
    }
    set_where_roots_start(cx.program, &moved);
}

/// Has entry points set these variables, which have no first values any more.
pub(super) fn set_where_roots_start(program: &mut Program, moved: &[GlobalId]) {
    for (root, reached) in reached(program) {
        set_at_start(program, root, &reached, moved);
    }
    for id in moved {
        program.globals[*id].init = None;
    }
}

/// Whether the first value of a variable or constant is no constant, or none that targets compute.
fn is_runtime(program: &Program, global: &Global) -> bool {
    is_refused_value(program, global) || is_specialized(program, global) || is_computed(program, global)
}

/// Whether a part of the first value of a global is meant.
fn has_part(global: &Global, is_meant: impl Fn(&ExprTree, ExprId) -> bool) -> bool {
    global.init.as_ref().is_some_and(|tree| tree.exprs.any_part(tree.root, |id| is_meant(tree, id)))
}

/// Whether an operator in the first value of a variable may leave out what has effects, and needs a capability for it.
fn is_lazy(program: &Program, global: &Global, lacks: impl Fn(Capability) -> bool) -> bool {
    let lazy = |tree: &ExprTree, id| short_circuit::left_out(program, &tree.exprs, id).is_some_and(&lacks);
    matches!(global.kind, GlobalKind::Static | GlobalKind::Const) && has_part(global, lazy)
}

/// Whether the first value of a variable or constant calls a builtin that stands for a value of the entry point, and needs a
/// capability for it.
fn is_of_entry(program: &Program, global: &Global, lacks: impl Fn(Capability) -> bool) -> bool {
    let asks = |tree: &ExprTree, id: ExprId| {
        callee(program, &tree.exprs, id).is_some_and(|(f, _)| called_values::needed(f).any(&lacks))
    };
    matches!(global.kind, GlobalKind::Static | GlobalKind::Const) && has_part(global, asks)
}

/// Whether a choice between matrices, structs or arrays is in the first value of a variable or constant, and needs a capability.
fn is_chosen_whole(program: &Program, global: &Global, lacks: impl Fn(Capability) -> bool) -> bool {
    let needs = |tree: &ExprTree, id: ExprId| flatten::conditional_need(program, &tree.exprs, id).is_some_and(&lacks);
    matches!(global.kind, GlobalKind::Static | GlobalKind::Const) && has_part(global, needs)
}

/// Whether the first value of a variable or constant calls one of these functions, which do what is asked of the functions of a
/// stage only: they take a derivative, or hold resources that are followed from entry points.
fn calls_one_of(global: &Global, functions: &FxHashSet<FunctionId>) -> bool {
    let calls =
        |tree: &ExprTree, id: ExprId| matches!(&tree.exprs[id].kind, ExprKind::Call(f, _) if functions.contains(f));
    matches!(global.kind, GlobalKind::Static | GlobalKind::Const) && has_part(global, calls)
}

/// Whether a function of the user has resources in its variables, results or choices that a target has not there.
fn follows_resources(program: &Program, function: &Function, lacks: &dyn Fn(Capability) -> bool) -> bool {
    if !matches!(function.body, FunctionBody::Block) || !lacks(Capability::ResourceValues) {
        return false;
    }
    let body = &function.code;
    let is_param = |local: LocalId| function.params.iter().any(|p| p.local == local);
    let mut variables = body.locals.iter().filter(|(id, _)| !is_param(*id)).map(|(_, local)| local.ty);
    let is_choice =
        |id: ExprId| matches!(body.exprs[id].kind, ExprKind::Select(..)) && program.holds_resource(body.exprs[id].ty);
    program.holds_resource(function.result)
        || variables.any(|ty| program.holds_resource(ty))
        || body.expressions().into_iter().any(is_choice)
}

/// Whether the first value of a variable or constant has an index that only the target computes, which it may refuse there.
fn is_indexed_by_calls(program: &Program, global: &Global, lacks: impl Fn(Capability) -> bool) -> bool {
    lacks(Capability::ComputedIndices)
        && matches!(global.kind, GlobalKind::Static | GlobalKind::Const)
        && has_part(global, |tree, id| is_computed_index(program, &tree.exprs, id))
}

/// Whether the first value of a variable or constant calls a function of the user with resources that the target has to know in its
/// statements: they are followed in calls of functions.
fn is_given_resources(program: &Program, global: &Global, lacks: impl Fn(Capability) -> bool) -> bool {
    let need = |ty: TypeId| {
        let held = || program.holds_resource(ty).then_some(Capability::MixedStructs);
        parameter_need(program, ty).or_else(held)
    };
    let is_given = |tree: &ExprTree, id: ExprId| {
        let ExprKind::Call(function, args) = &tree.exprs[id].kind else { return false };
        let is_users = matches!(program.functions[*function].body, FunctionBody::Block);
        is_users && args.iter().any(|arg| need(tree.exprs[*arg].ty).is_some_and(&lacks))
    };
    matches!(global.kind, GlobalKind::Static | GlobalKind::Const) && has_part(global, is_given)
}

/// Whether the first value of a variable or constant loads what a target takes apart in statements: words of a byte-address buffer, a
/// matrix of which a row is chosen.
fn is_taken_apart(program: &Program, global: &Global, lacks: impl Fn(Capability) -> bool) -> bool {
    let is_loaded = |tree: &ExprTree, id: ExprId| match tree.exprs[id].kind {
        ExprKind::Call(f, _) => program.functions[f].is_marked(WORDS) && lacks(Capability::ByteAddressBuffers),
        ExprKind::Index(matrix, row) => {
            let is_matrix = matches!(program.types.get(tree.exprs[matrix].ty), Type::Matrix(..));
            is_matrix && lacks(Capability::DynamicMatrixRows) && eval(program, &tree.exprs, row).is_err()
        }
        _ => false,
    };
    matches!(global.kind, GlobalKind::Static | GlobalKind::Const) && has_part(global, is_loaded)
}

/// Whether the first value of a variable or constant is computed by the target alone with integers of a width that it lacks.
fn is_of_lacking(program: &Program, global: &Global, lacks: impl Fn(Capability) -> bool) -> bool {
    let is_lacking = |tree: &ExprTree, id: ExprId| {
        let scalar = program.types.component(tree.exprs[id].ty).filter(|s| s.is_integer());
        scalar.and_then(scalar_need).is_some_and(&lacks) && eval(program, &tree.exprs, id).is_err()
    };
    matches!(global.kind, GlobalKind::Static | GlobalKind::Const) && has_part(global, is_lacking)
}

/// Whether the first value of a variable or constant is computed with a remainder that needs a capability.
fn is_remainder(program: &Program, global: &Global, capability: Capability) -> bool {
    float_remainder::is_called_value(program, global, |needed| needed == capability)
}

/// Whether the value of a constant calls a builtin that needs a capability there.
fn is_called(program: &Program, global: &Global, capability: Capability) -> bool {
    calls_builtin(program, global, GlobalKind::Const, |needed| needed == capability)
}

/// Whether the first value of a constant, or variable, calls a builtin that not every compiler computes there.
fn calls_builtin(program: &Program, global: &Global, kind: GlobalKind, is_meant: impl Fn(Capability) -> bool) -> bool {
    let needs = |tree: &ExprTree, id: ExprId| {
        callee(program, &tree.exprs, id).is_some_and(|(f, _)| required_in_constants(f).any(&is_meant))
    };
    global.kind == kind && has_part(global, needs)
}

/// Whether the first value is computed from specialization constants by more than operations on integers, which alone are
/// constants then (GL_KHR_vulkan_glsl, "Specialization Constant Operations").
fn is_specialized(program: &Program, global: &Global) -> bool {
    let is_operation = |tree: &ExprTree, id: ExprId| {
        let integer = matches!(program.types.get(tree.exprs[id].ty), Type::Scalar(s) if !s.is_float());
        integer && !matches!(tree.exprs[id].kind, ExprKind::Call(..))
    };
    let are_operations =
        |tree: &ExprTree| tree.exprs.post_order(tree.root).into_iter().all(|id| is_operation(tree, id));
    let is_specialization = |kind: &ExprKind| matches!(kind, ExprKind::Global(g) if depends(program, *g));
    let is_one =
        |kind: &ExprKind| matches!(kind, ExprKind::Global(g) if program.globals[*g].kind == GlobalKind::Specialization);
    matches!(global.kind, GlobalKind::Const | GlobalKind::Static)
        && global.init.as_ref().is_some_and(|tree| {
            let computes = |id: &ExprId| is_specialization(&tree.exprs[*id].kind);
            let differs = !is_one(&tree.exprs[tree.root].kind) && !are_operations(tree);
            differs && tree.exprs.post_order(tree.root).iter().any(computes)
        })
}

/// Whether a global is a specialization constant, or a constant made of one.
pub(super) fn depends(program: &Program, global: GlobalId) -> bool {
    !program.specialization_of(global).is_empty()
}

fn is_computed(program: &Program, global: &Global) -> bool {
    matches!(global.kind, GlobalKind::Const | GlobalKind::Static)
        && global.init.as_ref().is_some_and(|tree| {
            // The calls of a constant that can be computed are left for `constant_calls`, which takes those of the user.
            let differs = |id: ExprId| callee(program, &tree.exprs, id).is_some_and(|(f, _)| differs(f));
            let all = || tree.exprs.post_order(tree.root).into_iter();
            let computed = || {
                global.kind == GlobalKind::Const && eval(program, &tree.exprs, tree.root).is_ok() && !all().any(differs)
            };
            !is_constant(program, &tree.exprs, tree.root) && !computed()
        })
}

/// Whether an expression is made of constants by operators and functions of the target's own.
fn is_constant(program: &Program, exprs: &ExprArena, root: ExprId) -> bool {
    exprs.post_order(root).into_iter().all(|id| match &exprs[id].kind {
        ExprKind::Global(g) => matches!(program.globals[*g].kind, GlobalKind::Const | GlobalKind::Specialization),
        // What is called with nothing tells of the invocation.
        ExprKind::Call(f, args) => {
            let function = &program.functions[*f];
            !args.is_empty() && !differs(function) && !matches!(function.body, FunctionBody::Block)
        }
        ExprKind::Assign(..) | ExprKind::Step(..) | ExprKind::Comma(..) | ExprKind::Contents(_) => false,
        _ => true,
    })
}

/// Whether what a function gives differs between invocations, so that it is known to them alone.
fn differs(function: &Function) -> bool {
    VARYING.iter().any(|mark| function.is_marked(mark))
        || function.is_marked("__effects")
        || function.is_marked("__stages")
        || called_values::is_called(function)
}

/// The functions that stages run, with the globals that each reaches.
fn reached(program: &Program) -> Vec<(FunctionId, BTreeSet<GlobalId>)> {
    let analyses = program.analyses();
    let roots = program.entry_points.iter().flat_map(|e| e.roots());
    roots.map(|root| (root, analyses.reached_globals([root].into_iter()))).collect()
}

/// Puts assignments at the start of a function, for those variables that it reaches.
fn set_at_start(program: &mut Program, root: FunctionId, reached: &BTreeSet<GlobalId>, moved: &[GlobalId]) {
    let mut body = std::mem::take(&mut program.functions[root].code);
    let mut stmts = Vec::new();
    for id in moved.iter().filter(|id| reached.contains(*id)) {
        let global = &program.globals[*id];
        let (Some(tree), ty, span) = (&global.init, global.ty, global.span) else { continue };
        let value = body.exprs.import(&tree.exprs, tree.root, &mut |_, _| None);
        let mut build = Build::new(&mut program.types, &mut body.exprs, span);
        let target = build.global(*id, ty);
        stmts.push(build.set(target, value));
    }
    body.block.stmts.splice(0..0, stmts);
    program.functions[root].code = body;
}
