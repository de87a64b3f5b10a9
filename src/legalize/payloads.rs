//! What ray tracing and task shaders pass by arguments goes through variables of the storage that the target has for it.
//!
//! Before: `Payload payload; TraceRay(..., payload);                [shader("miss")] void miss(inout Payload p) { p.color = 0; }`
//! After:  `rayPayloadEXT Payload payload; traceRayEXT(..., 0);     rayPayloadInEXT Payload p; void main() { p.color = 0; }`
//!
//! The library spells the calls with functions marked `[__storage("word")]`, which put a value into the variable of its type,
//! take it out again, or give the variable itself or its location: a program has one variable for each word and type. Where only one
//! variable of the source, of an entry point or of the group, goes through it, that one takes its place.
//!
//! Spec: `GL_EXT_ray_tracing`, `GL_EXT_mesh_shader`.

use super::empty_structs::is_empty;
use super::needs::{Find, callee};
use super::{Context, Pass};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::{Capability, Profile};
use crate::tree::ExprKinds;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "payloads",
    removes: &[
        (Capability::PassedArguments, Find::Entry(first_passed)),
        (
            Capability::PassedArguments,
            Find::at(ExprKinds::CALL, |p, exprs, id| callee(p, exprs, id).is_some_and(|(f, _)| is_marked(f))),
        ),
    ],
    // A payload is a variable that calls may change, and one that is an object is copied.
    adds: &[
        Capability::ArgumentsInOrder,
        Capability::ValueBeforePlace,
        Capability::LateOldValues,
        Capability::ObjectValues,
        Capability::SharedReferences,
    ],
    after: &["called_entry_points", "entry_uniforms"],
    run,
    ..Pass::ROW
};

/// The attribute of the library's functions that stand for a variable, with the word of its storage.
const ATTRIBUTE: &str = "__storage";
/// The storage of hit attributes.
pub(super) const HIT: &str = "hitAttributeEXT";

fn storage(function: &Function) -> Option<Symbol> {
    let attribute = function.attributes.iter().find(|a| a.name == ATTRIBUTE)?;
    match attribute.args.first() {
        Some(AttributeArg::Text(word) | AttributeArg::Name(word)) => Some(*word),
        _ => None,
    }
}

fn is_marked(function: &Function) -> bool {
    storage(function).is_some()
}

/// The word of the storage of what a stage is given as a parameter.
pub(super) fn incoming(program: &Program, stage: Stage, param: &Param) -> Option<&'static str> {
    if is_uniform(program, param, TypeId::VOID) {
        return None;
    }
    match (stage, param.mode) {
        (Stage::AnyHit | Stage::ClosestHit, ParamMode::In) => Some(HIT),
        (Stage::AnyHit | Stage::ClosestHit | Stage::Miss, _) => Some(GIVEN),
        (Stage::Callable, _) => Some("callableDataInEXT"),
        (Stage::Mesh, _) if param.modifiers.has(Modifiers::PAYLOAD) => Some(TASK),
        (
            Stage::Vertex
            | Stage::Hull
            | Stage::Domain
            | Stage::Geometry
            | Stage::Fragment
            | Stage::Compute
            | Stage::Amplification
            | Stage::Mesh
            | Stage::RayGeneration
            | Stage::Intersection,
            _,
        ) => None,
    }
}

/// The storage of what shaders are given of a ray.
const GIVEN: &str = "rayPayloadInEXT";

/// Whether a variable is what shaders are given of a ray.
pub(super) fn is_given(global: &Global) -> bool {
    global.storage.is_some_and(|word| word == GIVEN)
}

/// The storage of what a task shader gives its mesh shaders.
const TASK: &str = "taskPayloadSharedEXT";

/// Whether a variable holds what task shaders give their mesh shaders, which the invocations of a group share.
pub(super) fn is_of_task(global: &Global) -> bool {
    global.storage.is_some_and(|word| word == TASK)
}

fn first_passed(program: &Program, entry: &EntryPoint) -> Option<Span> {
    let function = &program.functions[entry.function];
    let passed = function.params.iter().find(|p| incoming(program, entry.stage, p).is_some())?;
    Some(function.code.locals[passed.local].span)
}

fn run(cx: &mut Context) {
    for (index, entry) in cx.program.entry_points.clone().into_iter().enumerate() {
        parameters(cx.program, index, &entry);
    }
    let mut variables = Variables::default();
    for id in cx.program.reachable_functions() {
        if !matches!(cx.program.functions[id].body, FunctionBody::Block) {
            continue;
        }
        let mut body = std::mem::take(&mut cx.program.functions[id].code);
        variables.calls(cx.program, id, &mut body);
        cx.program.functions[id].code = body;
    }
    variables.name_by_types(cx.program);
    for variable in &variables.list {
        variable.unite(cx.program);
    }
    one_hit_attribute(cx, &variables);
}

/// The parameters of a stage that are passed to it become variables.
fn parameters(program: &mut Program, index: usize, entry: &EntryPoint) {
    let function = entry.function;
    let params = std::mem::take(&mut program.functions[function].params);
    let mut body = std::mem::take(&mut program.functions[function].code);
    let (passed, kept): (Vec<Param>, Vec<Param>) =
        params.into_iter().partition(|p| incoming(program, entry.stage, p).is_some());
    let written = program.written_locals(&body);
    for param in passed {
        let Some(word) = incoming(program, entry.stage, &param) else { continue };
        let Local { name, ty, span, .. } = body.locals[param.local].clone();
        let id = add_variable(program, name, ty, word, span);
        program.items.put_before(Some(Item::Function(function)), Item::Global(id));
        if let Some(entry) = program.entry_points.get_mut(index) {
            entry.interface.push(id);
        }
        // What is given by value may not be written: it gets a copy.
        if param.mode == ParamMode::In && written.contains(&param.local) {
            let value = Build::new(&mut program.types, &mut body.exprs, span).global(id, ty);
            body.block.stmts.insert(0, Stmt::new(StmtKind::Local(param.local, Some(value)), span));
            program.globals[id].name = Symbol::new(&format!("{name}_in"));
            continue;
        }
        for expr in body.expressions() {
            if matches!(body.exprs[expr].kind, ExprKind::Local(l) if l == param.local) {
                body.exprs[expr].kind = ExprKind::Global(id);
            }
        }
    }
    program.functions[function].params = kept;
    program.functions[function].code = body;
}

fn add_variable(program: &mut Program, name: Symbol, ty: TypeId, word: &str, span: Span) -> GlobalId {
    let mut global = Global::new(name, ty, GlobalKind::Passed, span);
    global.storage = Some(Symbol::new(word));
    program.globals.push(global)
}

/// The variables that calls go through, in the order of their first use.
#[derive(Default)]
struct Variables {
    list: Vec<Variable>,
    known: FxHashMap<(Symbol, TypeId), usize>,
    /// How many of each storage there are.
    counts: FxHashMap<Symbol, u32>,
}

/// A variable that values of one type go through.
struct Variable {
    id: GlobalId,
    /// The assignments to it and from it, with the function where each is, and the other side.
    copies: Vec<(FunctionId, ExprId, ExprId)>,
}

impl Variables {
    /// The variable of a storage and type, and its location.
    fn of(&mut self, program: &mut Program, (word, ty): (Symbol, TypeId), user: FunctionId, span: Span) -> usize {
        if let Some(known) = self.known.get(&(word, ty)) {
            return *known;
        }
        let count = self.counts.entry(word).or_insert(0);
        let id = add_variable(program, Symbol::new(name_of(word)), ty, word.as_str(), span);
        if has_location(word) {
            program.globals[id].explicit.location = Some((*count, span));
        }
        *count = count.saturating_add(1);
        program.items.put_before(Some(Item::Function(user)), Item::Global(id));
        self.known.insert((word, ty), self.list.len());
        self.list.push(Variable { id, copies: Vec::new() });
        self.list.len() - 1
    }

    /// Where there are several of a storage, each is named after its type: a number would not say which is which.
    fn name_by_types(&self, program: &mut Program) {
        for variable in &self.list {
            let global = &program.globals[variable.id];
            let Some(word) = global.storage else { continue };
            let several = self.counts.get(&word).is_some_and(|count| *count > 1);
            if let (true, Type::Struct(of)) = (several, program.types.get(global.ty)) {
                let term = name_of(word).rsplit('_').next().unwrap_or_default();
                program.globals[variable.id].name = Symbol::new(&format!("{}_{term}", program.structs[of].name));
            }
        }
    }

    /// Replaces the calls of marked functions in a body.
    fn calls(&mut self, program: &mut Program, function: FunctionId, body: &mut Body) {
        for id in body.expressions() {
            let ExprKind::Call(f, args) = &body.exprs[id].kind else { continue };
            let called = &program.functions[*f];
            if let (Some(word), []) = (storage(called), args.as_slice()) {
                let Expr { ty, span, .. } = body.exprs[id];
                let at = self.of(program, (word, ty), function, span);
                let Some(variable) = self.list.get_mut(at) else { continue };
                body.exprs[id].kind = ExprKind::Global(variable.id);
                variable.copies.push((function, id, id));
                continue;
            }
            let (Some(word), [arg], Some(param)) = (storage(called), args.as_slice(), called.params.first()) else {
                continue;
            };
            let (arg, out, location) = (*arg, param.mode == ParamMode::Out, called.result != TypeId::VOID);
            let Expr { ty, span, .. } = body.exprs[arg];
            let at = self.of(program, (word, ty), function, span);
            let Some(variable) = self.list.get_mut(at) else { continue };
            if location {
                let location = program.globals[variable.id].explicit.location.map_or(0, |(n, _)| n);
                body.exprs[id].kind = ExprKind::Literal(Literal::Int(location.into()), None);
                continue;
            }
            let value = Build::new(&mut program.types, &mut body.exprs, span).global(variable.id, ty);
            body.exprs[id].kind = match out {
                true => ExprKind::Assign(None, arg, value),
                false => ExprKind::Assign(None, value, arg),
            };
            body.exprs[id].ty = ty;
            variable.copies.push((function, id, arg));
        }
    }
}

/// What a variable is called that has no name of the source.
fn name_of(word: Symbol) -> &'static str {
    match word.as_str() {
        "callableDataEXT" => "callable_data",
        "hitObjectAttributeNV" => "hit_object_attributes",
        HIT => "hit_attributes",
        TASK => "task_payload",
        _ => "ray_payload",
    }
}

/// Whether calls name a variable of this storage by its location.
fn has_location(word: Symbol) -> bool {
    !matches!(word.as_str(), HIT | TASK)
}

impl Variable {
    /// Where all that goes through it is one variable of an entry point or of the group, that takes its place.
    fn unite(&self, program: &mut Program) {
        let Some(&(function, _, first)) = self.copies.first() else { return };
        let kind = program.functions[function].code.exprs[first].kind.clone();
        let same =
            self.copies.iter().all(|(f, _, other)| match (&kind, &program.functions[*f].code.exprs[*other].kind) {
                (ExprKind::Local(a), ExprKind::Local(b)) => *f == function && a == b,
                (ExprKind::Global(a), ExprKind::Global(b)) => a == b,
                _ => false,
            });
        match kind {
            ExprKind::Local(local) if same && self.is_own(program, function, local) => {
                self.unite_local(program, function, local);
            }
            ExprKind::Global(global) if same && is_of_tasks(program, global) => {
                self.unite_group(program, global);
            }
            _ => {}
        }
    }

    /// Whether a variable belongs to an entry point, which runs once, and has one declaration that can be left out.
    fn is_own(&self, program: &Program, function: FunctionId, local: LocalId) -> bool {
        let code = &program.functions[function].code;
        let mut in_blocks = 0;
        let mut count = |block: &Block| {
            in_blocks += block.stmts.iter().filter(|s| matches!(s.kind, StmtKind::Local(l, _) if l == local)).count();
        };
        count(&code.block);
        code.block.visit(&mut |stmt| stmt.blocks(&mut count));
        program.entry_point_of(function).is_some() && in_blocks == 1
    }

    /// The statements that copy a variable to itself are left out, and its declaration.
    fn without_copies(&self, body: &mut Body, function: FunctionId, local: Option<LocalId>) {
        let copies: FxHashSet<ExprId> = self.copies.iter().filter(|c| c.0 == function).map(|c| c.1).collect();
        body.block.leave_out(&mut |stmt| match stmt.kind {
            StmtKind::Expr(e) => copies.contains(&e),
            StmtKind::Local(l, None) => Some(l) == local,
            _ => false,
        });
    }

    fn unite_local(&self, program: &mut Program, function: FunctionId, local: LocalId) {
        let mut body = std::mem::take(&mut program.functions[function].code);
        program.globals[self.id].name = body.locals[local].name;
        // Calls name it by its location, whether anything else does or not.
        if let Some(entry) = program.entry_point_of(function).and_then(|at| program.entry_points.get_mut(at)) {
            entry.interface.push(self.id);
        }
        self.without_copies(&mut body, function, Some(local));
        for id in body.expressions() {
            if matches!(body.exprs[id].kind, ExprKind::Local(l) if l == local) {
                body.exprs[id].kind = ExprKind::Global(self.id);
            }
        }
        let mut block = std::mem::take(&mut body.block);
        block.rewrite(&mut |mut stmt, out| match stmt.kind {
            StmtKind::Local(l, Some(value)) if l == local => {
                let mut b = Build::new(&mut program.types, &mut body.exprs, stmt.span);
                let ty = b.exprs[value].ty;
                let target = b.global(self.id, ty);
                stmt.kind = b.set(target, value).kind;
                out.push(stmt);
            }
            _ => out.push(stmt),
        });
        body.block = block;
        program.functions[function].code = body;
    }

    fn unite_group(&self, program: &mut Program, group: GlobalId) {
        for function in self.copies.iter().map(|c| c.0).collect::<Vec<_>>() {
            let mut body = std::mem::take(&mut program.functions[function].code);
            self.without_copies(&mut body, function, None);
            program.functions[function].code = body;
        }
        let word = program.globals[self.id].storage;
        let global = &mut program.globals[group];
        global.kind = GlobalKind::Passed;
        global.storage = word;
    }
}

/// Whether a variable is one of a group, and of no other stage than the one that gives mesh shaders their data.
fn is_of_tasks(program: &Program, global: GlobalId) -> bool {
    let reached = program.reachable_globals();
    let mut users = program.entry_points.iter().zip(reached.iter()).filter(|(_, globals)| globals.contains(&global));
    program.globals[global].kind == GlobalKind::Groupshared && users.all(|(e, _)| e.stage == Stage::Amplification)
}

/// Reports entry points that lack a parameter, where parameters are how stages pass each other their data: a target has no
/// such stage without them, and they are structs of numbers.
pub(super) fn check(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    if !profile.has(Capability::PassedArguments) {
        return;
    }
    for entry in &*program.entry_points {
        let function = &program.functions[entry.function];
        let wanted: &[&str] = match entry.stage {
            Stage::Miss => &[GIVEN],
            Stage::Callable => &["callableDataInEXT"],
            Stage::AnyHit | Stage::ClosestHit => &[GIVEN, HIT],
            Stage::Vertex
            | Stage::Hull
            | Stage::Domain
            | Stage::Geometry
            | Stage::Fragment
            | Stage::Compute
            | Stage::Amplification
            | Stage::Mesh
            | Stage::RayGeneration
            | Stage::Intersection => continue,
        };
        let mut params = function.params.iter();
        for word in wanted {
            let param = params.next().filter(|p| incoming(program, entry.stage, p) == Some(*word));
            let (what, mode) = if *word == HIT { ("attributes of the hit", "in") } else { ("a payload", "inout") };
            let local = param.map(|p| (p.mode, &function.code.locals[p.local]));
            let fits = local.is_some_and(|(mode, local)| {
                let is_struct = matches!(program.types.get(local.ty), Type::Struct(_));
                let numbers = is_struct && !program.holds_resource(local.ty) && !is_empty(program, local.ty);
                numbers && matches!(mode, ParamMode::In | ParamMode::InOut)
            });
            if !fits {
                let message = format!("{} has no {} shader without {what}", profile.name, entry.stage.name());
                let span = local.map_or(function.span, |(_, local)| local.span);
                diags.push(
                    Diagnostic::error(Code::CAPABILITY, span, message)
                        .note(format!("an `{mode}` parameter of a struct with fields")),
                );
                break;
            }
        }
    }
}

/// A stage has one variable for its hit attributes.
fn one_hit_attribute(cx: &mut Context, variables: &Variables) {
    let all: Vec<GlobalId> = variables
        .list
        .iter()
        .map(|v| v.id)
        .filter(|id| cx.program.globals[*id].storage.is_some_and(|w| w == *HIT))
        .collect();
    for entry in cx.program.entry_points.clone() {
        let reached = cx.program.analyses().reached_globals(entry.roots());
        let mut own = all.iter().filter(|id| reached.contains(id));
        if let (Some(_), Some(second)) = (own.next(), own.next()) {
            let span = cx.program.globals[*second].span;
            let message = format!("{} has one type of hit attributes for a shader", cx.profile.name);
            cx.unsupported(span, message);
        }
    }
}
