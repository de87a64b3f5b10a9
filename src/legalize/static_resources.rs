//! Static variables that hold resources are no more: what never changes is what it stands for, the others are variables of the
//! entry points, which pass them on.
//!
//! Before: `Texture2D gColors; static Texture2D colors = gColors;     colors.Load(i)`
//! After:  `Texture2D gColors;                                        gColors.Load(i)`
//!
//! Before: `static Texture2D t; float4 f() { return t.Load(0); }              void main() { t = a; x = f(); t = b; y = f(); }`
//! After:  `float4 f(Texture2D t) { return t.Load(0); }          void main() { Texture2D t = a; x = f(t); t = b; y = f(t); }`
//!
//! What such variables stand for is followed by `resolve_resources`, as it is for those of the source. A first value is assigned
//! where entry points start, and so are the first values of other variables that are computed with it. A parameter is `inout` in
//! functions that assign the variable, themselves or through what they call, and `out` where they do so before anything else.

use super::needs::{Find, callee};
use super::runtime_initializers::{OF_STATEMENTS, set_where_roots_start};
use super::{Context, Pass, joined};
use crate::diagnostic::{Code, Diagnostic};
use crate::target::Capability;
use crate::tree::analyses::first_use::FirstUse;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PASS: Pass = Pass {
    name: "static_resources",
    removes: &[(Capability::ResourceValues, Find::Global(is_static))],
    // Parameters, and what the first values of variables need in statements.
    adds: &joined::<{ OF_PARAMETERS.len() + OF_STATEMENTS.len() }>(OF_PARAMETERS, OF_STATEMENTS),
    after: &["inline_builtins", "called_entry_points"],
    run,
    ..Pass::ROW
};

/// What functions need that are given resources, or give them.
const OF_PARAMETERS: &[Capability] = &[
    Capability::BareHeapElements,
    Capability::BufferParameters,
    Capability::SamplerParameters,
    Capability::CombinedSamplers,
    Capability::OutParameters,
    Capability::MutableParameters,
];

/// A static variable may stand for another one, and that for another.
const MOST: usize = 64;

/// Whether a global is a variable or constant that holds resources.
fn is_static(program: &Program, global: &Global) -> bool {
    matches!(global.kind, GlobalKind::Static | GlobalKind::Const) && program.holds_resource(global.ty)
}

fn run(cx: &mut Context) {
    leave_out_unchanged(cx);
    let written = written(cx.program);
    report_empty(cx, &written);
    let aliases = aliases(cx.program, &written);
    replace_aliases(cx, &aliases);
    let is_variable = |id: &GlobalId| is_static(cx.program, &cx.program.globals[*id]) && !aliases.contains_key(id);
    let variables: FxHashSet<GlobalId> = cx.program.listed_globals().filter(is_variable).collect();
    if !variables.is_empty() {
        let late = computed_with(cx.program, &variables);
        for id in &late {
            cx.program.globals[*id].kind = GlobalKind::Static;
        }
        set_where_roots_start(cx.program, &late);
        pass_on(cx.program, &variables);
    }
    cx.program
        .items
        .retain(|item| !matches!(item, Item::Global(id) if variables.contains(id) || aliases.contains_key(id)));
}

/// What assigns a variable to itself must not assign what it stands for.
fn leave_out_unchanged(cx: &mut Context) {
    cx.each_body(&mut |_, _, body| {
        let exprs = &body.exprs;
        body.block.leave_out(&mut |stmt| matches!(stmt.kind, StmtKind::Expr(e) if changes_nothing(exprs, e)));
        for id in body.expressions() {
            if let ExprKind::Assign(None, _, value) = body.exprs[id].kind
                && changes_nothing(&body.exprs, id)
            {
                body.exprs.replace_by(id, value);
            }
        }
    });
}

/// Whether an expression assigns a variable to itself.
fn changes_nothing(exprs: &ExprArena, id: ExprId) -> bool {
    let ExprKind::Assign(None, target, value) = exprs[id].kind else { return false };
    matches!((&exprs[target].kind, &exprs[value].kind), (ExprKind::Global(a), ExprKind::Global(b)) if a == b)
}

/// The variables that are assigned, as a whole or in part.
fn written(program: &Program) -> FxHashSet<GlobalId> {
    let mut written = FxHashSet::default();
    program.each_exprs(&mut |exprs, live| {
        for id in live {
            written_by(program, exprs, *id, &mut |global| {
                written.insert(global);
            });
        }
    });
    written
}

/// Calls `f` with the variables that an expression by itself assigns. What a resource holds is not the variable.
fn written_by(program: &Program, exprs: &ExprArena, id: ExprId, f: &mut dyn FnMut(GlobalId)) {
    // A builtin that takes a resource by reference gives an element of it.
    let is_spelled = callee(program, exprs, id).is_some_and(|(f, _)| f.builtin);
    program.each_written(exprs, id, &mut |place| {
        let stays = is_spelled && program.holds_resource(exprs[place].ty) || program.is_in_resource(exprs, place);
        if let (ExprKind::Global(global), false) = (&exprs[exprs.base(place)].kind, stays) {
            f(*global);
        }
    });
}

/// Reports variables that are used and never hold a resource.
fn report_empty(cx: &mut Context, written: &FxHashSet<GlobalId>) {
    let reached: FxHashSet<GlobalId> = cx.program.reachable_globals().iter().flatten().copied().collect();
    for id in cx.program.listed_globals().filter(|id| reached.contains(id)) {
        let global = &cx.program.globals[id];
        if is_static(cx.program, global) && global.init.is_none() && !written.contains(&id) {
            let message = format!("`{}` is used, and nothing ever gives it a resource", global.name);
            cx.diags.push(Diagnostic::error(Code::CAPABILITY, global.span, message));
        }
    }
}

/// The variables that always stand for one resource, with it.
fn aliases(program: &Program, written: &FxHashSet<GlobalId>) -> FxHashMap<GlobalId, ExprTree> {
    let mut aliases: FxHashMap<GlobalId, ExprTree> = FxHashMap::default();
    // Declarations stand after what they use.
    for id in program.listed_globals() {
        let global = &program.globals[id];
        let Some(tree) = global.init.as_ref().filter(|_| is_static(program, global) && !written.contains(&id)) else {
            continue;
        };
        let base = path_base(&tree.exprs, tree.root);
        if base.is_some_and(|base| !is_static(program, &program.globals[base]) || aliases.contains_key(&base)) {
            aliases.insert(id, tree.clone());
        }
    }
    aliases
}

/// The global that a value is, or is an element or field of at indices that are always the same.
fn path_base(exprs: &ExprArena, id: ExprId) -> Option<GlobalId> {
    let ExprKind::Global(global) = exprs[exprs.base(id)].kind else { return None };
    exprs.indices(id).into_iter().all(|index| exprs.integer(index).is_some()).then_some(global)
}

fn replace_aliases(cx: &mut Context, aliases: &FxHashMap<GlobalId, ExprTree>) {
    if aliases.is_empty() {
        return;
    }
    cx.each_exprs(&mut |_, exprs, live| {
        for id in live {
            for _ in 0..MOST {
                let base = exprs.base(*id);
                let ExprKind::Global(global) = exprs[base].kind else { break };
                let Some(tree) = aliases.get(&global) else { break };
                let root = exprs.import(&tree.exprs, tree.root, &mut |_, _| None);
                exprs.replace_by(base, root);
            }
        }
    });
}

/// Those of the variables that have a first value, and all others whose first values are computed with any of them, in order.
fn computed_with(program: &Program, variables: &FxHashSet<GlobalId>) -> Vec<GlobalId> {
    let analyses = program.analyses();
    let mut known = variables.clone();
    let mut late = Vec::new();
    // Declarations stand after what they use.
    for id in program.listed_globals().filter(|id| program.globals[*id].init.is_some()) {
        let uses = analyses.initializer(id);
        let is_late = |known: &FxHashSet<GlobalId>| {
            let called = analyses.reached_globals(uses.functions.iter().copied());
            known.contains(&id) || uses.globals.iter().chain(&called).any(|g| known.contains(g))
        };
        if is_late(&known) {
            known.insert(id);
            late.push(id);
        }
    }
    late
}

/// The variables that each function has as parameters, after those of the source.
type PassedStatics = FxHashMap<FunctionId, BTreeMap<GlobalId, ParamMode>>;

/// Variables of the module become variables of entry points, and parameters of the functions that they call.
fn pass_on(program: &mut Program, variables: &FxHashSet<GlobalId>) {
    let roots: FxHashSet<FunctionId> = program.entry_points.iter().flat_map(EntryPoint::roots).collect();
    let mut passed = PassedStatics::default();
    // Callees come before callers. What is called no more has calls that are to stay right, too.
    let functions = program.analyses().all_functions();
    for id in functions {
        if !matches!(program.functions[id].body, FunctionBody::Block) {
            continue;
        }
        let mut body = std::mem::take(&mut program.functions[id].code);
        let mut used = used(program, &body, variables, &passed);
        let mut locals = BTreeMap::new();
        for global in used.keys() {
            let Global { name, ty, span, .. } = program.globals[*global];
            locals.insert(*global, body.add_local(name, ty, span));
        }
        name_locals(program, &mut body, &locals, &passed);
        if roots.contains(&id) {
            declare(&mut body, locals.into_values().collect());
        } else {
            for ((_, mode), local) in used.iter_mut().zip(locals.values()) {
                if *mode == ParamMode::InOut && program.first_use(&body.exprs, &body.block, *local) == FirstUse::Given {
                    *mode = ParamMode::Out;
                }
                program.functions[id].params.push(Param { mode: *mode, ..Param::new(*local) });
            }
            passed.insert(id, used);
        }
        program.functions[id].code = body;
    }
}

/// Declares variables at the start of a body, with the values that its first statements give them.
fn declare(body: &mut Body, mut locals: BTreeSet<LocalId>) {
    for stmt in &mut body.block.stmts {
        let StmtKind::Expr(e) = stmt.kind else { break };
        let ExprKind::Assign(None, target, value) = body.exprs[e].kind else { break };
        let is_open = |e: &ExprId| matches!(body.exprs[*e].kind, ExprKind::Local(l) if locals.contains(&l));
        if body.exprs.post_order(e).iter().any(|e| *e != target && is_open(e)) {
            break;
        }
        if let ExprKind::Local(local) = body.exprs[target].kind
            && locals.remove(&local)
        {
            stmt.kind = StmtKind::Local(local, Some(value));
        }
    }
    let declared = locals.into_iter().map(|l| Stmt::new(StmtKind::Local(l, None), body.locals[l].span));
    body.block.stmts.splice(0..0, declared.collect::<Vec<_>>());
}

/// The variables that a body uses, itself or through what it calls; `inout` where they are assigned.
fn used(
    program: &Program,
    body: &Body,
    variables: &FxHashSet<GlobalId>,
    passed: &PassedStatics,
) -> BTreeMap<GlobalId, ParamMode> {
    let mut used = BTreeMap::new();
    for id in body.expressions() {
        match &body.exprs[id].kind {
            ExprKind::Global(global) if variables.contains(global) => {
                used.entry(*global).or_insert(ParamMode::In);
            }
            ExprKind::Call(function, _) => {
                for (global, mode) in passed.get(function).into_iter().flatten() {
                    let written = if *mode == ParamMode::In { ParamMode::In } else { ParamMode::InOut };
                    let known = used.entry(*global).or_insert(written);
                    *known = if *known == ParamMode::In { written } else { *known };
                }
            }
            _ => {}
        }
        written_by(program, &body.exprs, id, &mut |global| {
            if variables.contains(&global) {
                used.insert(global, ParamMode::InOut);
            }
        });
    }
    used
}

/// Names locals in the place of globals, and gives them to calls of functions that have got parameters.
fn name_locals(program: &Program, body: &mut Body, locals: &BTreeMap<GlobalId, LocalId>, passed: &PassedStatics) {
    for id in body.expressions() {
        let function = match body.exprs[id].kind {
            ExprKind::Global(global) => {
                if let Some(local) = locals.get(&global) {
                    body.exprs[id].kind = ExprKind::Local(*local);
                }
                continue;
            }
            ExprKind::Call(function, _) => function,
            _ => continue,
        };
        let span = body.exprs[id].span;
        for global in passed.get(&function).into_iter().flat_map(BTreeMap::keys) {
            let Some(local) = locals.get(global) else { continue };
            let ty = program.globals[*global].ty;
            let argument = body.exprs.push(Expr { kind: ExprKind::Local(*local), ty, span });
            if let ExprKind::Call(_, args) = &mut body.exprs[id].kind {
                args.push(argument);
            }
        }
    }
}
