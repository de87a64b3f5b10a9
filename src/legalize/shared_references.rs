//! Functions that are given memory which invocations share by reference have it by its name.
//!
//! Before: `void fill(__ref groupshared float l[64], uint i) { l[i] = 0; }     fill(list, i);`
//! After:  `void fill(uint i) { list[i] = 0; }                                 fill(i);`
//!
//! Before: `void Cell::add(float v) { sum += v; }             cells[n + 1].add(v);`
//! After:  `void add(uint index, float v) { cells[index].sum += v; }   add(n + 1, v);`
//!
//! So it is with variables of the work group, elements of buffers that are written, and what pointers point to. Targets copy
//! such arguments, and a copy that is written back undoes what other invocations have written meanwhile. `this` of a method is a
//! reference, too: DXC never copies it. A function is made for each place that it is given; indices, pointers and buffers that
//! are no parameters of the shader are passed on.
//!
//! Before: `void stop(inout Payload p) { p.count += 1; IgnoreHit(); }     stop(payload);`
//! After:  `void stop() { payload.count += 1; IgnoreHit(); }              stop();`
//!
//! Before: `struct Bones { float4 at[100]; float4 get(uint i) { return at[i]; } }     ConstantBuffer<Bones> bones;     bones.get(i)`
//! After:  `float4 get(uint i) { return bones.at[i]; }                                                             get(i)`
//!
//! A value with a long array that lies in constant memory is read there, too: drivers keep a copy in registers, and take long.
//!
//! What a shader is given of a ray is no parameter any more when it has become a variable. A function that ends the shader does
//! not come back to where the copy would be written back.

use super::flatten::STATEMENT;
use super::needs::Find;
use super::{Context, Pass, payloads};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "shared_references",
    removes: &[(
        Capability::SharedReferences,
        Find::at(ExprKinds::CALL, |p, exprs, id| gives(p, exprs, id, &shared_place)),
    )],
    // A buffer of the caller is passed on; an index that is passed is an argument, and what writes the place is a call now.
    adds: &[
        Capability::BufferParameters,
        Capability::SwizzleAssignment,
        Capability::ArgumentsInOrder,
        Capability::LateOldValues,
        Capability::PlaceBeforeValue,
        Capability::ValueBeforePlace,
    ],
    after: &["inline_builtins"],
    run,
    ..Pass::ROW
};

/// What functions are given of payloads, which are variables by then: no buffers.
pub(super) const OF_PAYLOADS: Pass = Pass {
    adds: &[
        Capability::SwizzleAssignment,
        Capability::ArgumentsInOrder,
        Capability::LateOldValues,
        Capability::PlaceBeforeValue,
        Capability::ValueBeforePlace,
    ],
    after: &["inline_builtins", "payloads"],
    ..PASS
};

/// What functions are given of constant memory.
pub(super) const OF_CONSTANTS: Pass = Pass {
    name: "constant_references",
    always: Some("it spares drivers long copies, which no target forbids"),
    // The indices of a place are arguments.
    adds: &[Capability::ArgumentsInOrder],
    after: &["inline_builtins"],
    run: run_for_constants,
    ..Pass::ROW
};

/// What a place begins with.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum SharedRoot {
    /// A variable of the module.
    Global(GlobalId),
    /// What a variable of the function, which is passed on, is or points to.
    Passed,
}

/// A step into a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum SharedStep {
    Field(u32),
    Contents,
    Deref,
    /// An element, by an index of a type.
    Index(TypeId),
    Swizzle(Swizzle),
}

/// Where an argument lies: what it begins with, of which type that is, and the steps with the type that each leads to.
#[derive(Clone, PartialEq, Eq, Hash)]
struct SharedPlace {
    root: SharedRoot,
    ty: TypeId,
    steps: Vec<(SharedStep, TypeId)>,
}

/// The place for each parameter that is given one.
type Given = Vec<Option<SharedPlace>>;

/// Where the argument of a parameter lies that the function shall have by its name.
type Lies<'a> = &'a dyn Fn(&Program, &ExprArena, (FunctionId, usize), ExprId) -> Option<SharedPlace>;

/// A call of a function with code, and what it is given.
fn called<'a>(program: &Program, exprs: &'a ExprArena, id: ExprId) -> Option<(FunctionId, &'a [ExprId])> {
    match &exprs[id].kind {
        ExprKind::Call(callee, args) => {
            matches!(program.functions[*callee].body, FunctionBody::Block).then_some((*callee, args.as_slice()))
        }
        _ => None,
    }
}

/// Whether a call gives something that the function shall have by its name.
fn gives(program: &Program, exprs: &ExprArena, id: ExprId, lies: Lies) -> bool {
    called(program, exprs, id).is_some_and(|(callee, args)| {
        args.iter().enumerate().any(|(at, arg)| lies(program, exprs, (callee, at), *arg).is_some())
    })
}

/// What a call gives that the function shall have by its name, if anything.
fn given(program: &Program, exprs: &ExprArena, id: ExprId, lies: Lies) -> Option<(FunctionId, Given)> {
    let (callee, args) = called(program, exprs, id)?;
    let given: Given = args.iter().enumerate().map(|(at, arg)| lies(program, exprs, (callee, at), *arg)).collect();
    given.iter().any(Option::is_some).then_some((callee, given))
}

/// Where an argument lies that is given by reference, if invocations share that.
fn shared_place(
    program: &Program,
    exprs: &ExprArena,
    (callee, at): (FunctionId, usize),
    arg: ExprId,
) -> Option<SharedPlace> {
    let function = &program.functions[callee];
    let mode = function.params.get(at)?.mode;
    if mode == ParamMode::In {
        return None;
    }
    let is_reference = match (is_payload(program, exprs, arg), mode) {
        (true, _) => ends_shaders(program, callee),
        (false, ParamMode::Ref) => true,
        (false, ParamMode::InOut) => at == 0 && function.is_method(),
        (false, ParamMode::Out | ParamMode::In) => false,
    };
    is_reference.then(|| place(program, exprs, arg, &is_shared)).flatten()
}

/// Arrays of so many elements are long.
const LONG_ARRAY: i64 = 64;

/// Where a value with a long array lies that a function only reads, if that is constant memory.
fn constant_place(
    program: &Program,
    exprs: &ExprArena,
    (callee, at): (FunctionId, usize),
    arg: ExprId,
) -> Option<SharedPlace> {
    let function = &program.functions[callee];
    let param = function.params.get(at).filter(|param| param.mode == ParamMode::In)?;
    if !holds_long_array(program, exprs[arg].ty, &mut FxHashSet::default()) || program.has_no_copies(exprs[arg].ty) {
        return None;
    }
    let place = place(program, exprs, arg, &|g| is_constant_memory(program, g))?;
    let SharedRoot::Global(root) = place.root else { return None };
    // What the function writes may be the memory of a buffer that is only read: bindings may be shared.
    let is_stable = || !matches!(program.types.get(place.ty), Type::Buffer(..)) || !program.effects().has(callee);
    let is_named = is_constant_memory(program, &program.globals[root]) && is_stable();
    (is_named && !program.written_locals(&function.code).contains(&param.local)).then_some(place)
}

fn holds_long_array(program: &Program, ty: TypeId, seen: &mut FxHashSet<TypeId>) -> bool {
    if !seen.insert(ty) {
        return false;
    }
    match program.types.get(ty) {
        Type::Array(element, _) => {
            program.types.sure_count(ty).is_some_and(|n| n >= LONG_ARRAY) || holds_long_array(program, element, seen)
        }
        Type::Struct(id) => program.structs[id].fields.iter().any(|field| holds_long_array(program, field.ty, seen)),
        _ => false,
    }
}

/// Whether a variable is memory that no invocation writes. An array of resources is none: an index of it may be marked as one that
/// differs between invocations, and a parameter has no mark.
fn is_constant_memory(program: &Program, global: &Global) -> bool {
    let read = match program.types.get(global.ty) {
        Type::ConstantBuffer(..) | Type::TextureBuffer(_) => true,
        Type::Buffer(_, access, _) => access == Access::Read,
        _ => !program.types.get(program.types.innermost(global.ty)).is_resource(),
    };
    global.kind == GlobalKind::Parameter && read
}

/// Whether a variable of the module is what invocations share, or what a shader is given of a ray.
fn is_shared(global: &Global) -> bool {
    global.kind == GlobalKind::Groupshared || payloads::is_given(global)
}

/// Whether an argument is what a shader is given of a ray, or a part of it.
fn is_payload(program: &Program, exprs: &ExprArena, arg: ExprId) -> bool {
    match exprs[exprs.base(arg)].kind {
        ExprKind::Global(global) => payloads::is_given(&program.globals[global]),
        _ => false,
    }
}

/// Whether a function may end the shader.
fn ends_shaders(program: &Program, function: FunctionId) -> bool {
    program.analyses().callers_of(&|f| f.is_marked(STATEMENT)).contains(&function)
}

/// Where an argument lies, if that is what is pointed to, a buffer, or such a variable of the module.
fn place(program: &Program, exprs: &ExprArena, arg: ExprId, is_such: &dyn Fn(&Global) -> bool) -> Option<SharedPlace> {
    let mut steps = Vec::new();
    // Where a place begins that no variable of the module holds: what is pointed to, or an element of a buffer.
    let mut passed: Option<(usize, ExprId)> = None;
    let mut at = arg;
    let global = loop {
        let (step, of) = match exprs[at].kind {
            ExprKind::Field(of, field) => (SharedStep::Field(field), of),
            ExprKind::Contents(of) => (SharedStep::Contents, of),
            ExprKind::Index(of, index) => (SharedStep::Index(exprs[index].ty), of),
            ExprKind::Deref(of) => (SharedStep::Deref, of),
            ExprKind::Swizzle(of, swizzle) => (SharedStep::Swizzle(swizzle), of),
            ExprKind::Global(global) => break Some(global),
            _ => break None,
        };
        steps.push((step, exprs[at].ty));
        at = of;
        match program.types.get(exprs[of].ty) {
            Type::Buffer(..) => passed = Some((steps.len(), of)),
            // What a pointer is computed of is no place.
            Type::Pointer(..) => {
                passed = Some((steps.len(), of));
                break None;
            }
            _ => {}
        }
    };
    let is_root = |g: &GlobalId| passed.is_some() || is_such(&program.globals[*g]);
    let (root, first) = match (global.filter(is_root), passed) {
        (Some(global), _) => (SharedRoot::Global(global), at),
        (None, Some((count, of))) => {
            steps.truncate(count);
            (SharedRoot::Passed, of)
        }
        (None, None) => return None,
    };
    steps.reverse();
    Some(SharedPlace { root, ty: exprs[first].ty, steps })
}

/// What is passed on of a place: what it begins with, if that is no variable of the module, and the indices.
fn passed_on(exprs: &ExprArena, place: &SharedPlace, arg: ExprId) -> Vec<ExprId> {
    let way: Vec<ExprId> = exprs.way_to_base(arg).take(place.steps.len() + 1).collect();
    let mut list: Vec<ExprId> = way.last().copied().filter(|_| place.root == SharedRoot::Passed).into_iter().collect();
    list.extend(way.iter().rev().filter_map(|id| match exprs[*id].kind {
        ExprKind::Index(_, index) => Some(index),
        _ => None,
    }));
    list
}

fn run(cx: &mut Context) {
    name_places(cx, &shared_place);
}

fn run_for_constants(cx: &mut Context) {
    name_places(cx, &constant_place);
}

/// Makes a function for each place that it is given.
fn name_places(cx: &mut Context, lies: Lies) {
    let mut made: FxHashMap<(FunctionId, Given), FunctionId> = FxHashMap::default();
    let mut originals = FxHashSet::default();
    let mut open = cx.program.functions_with_code();
    // Each function that is made is for other places, of which there are as many as the source has.
    while let Some(id) = open.pop() {
        let code = &cx.program.functions[id].code;
        let calls = code.live();
        if !calls.iter().any(|call| given(cx.program, &code.exprs, *call, lies).is_some()) {
            continue;
        }
        let mut body = std::mem::take(&mut cx.program.functions[id].code);
        for &call in calls.iter() {
            let Some((callee, given)) = given(cx.program, &body.exprs, call, lies) else { continue };
            if callee == id {
                continue;
            }
            let ExprKind::Call(_, args) = &body.exprs[call].kind else { continue };
            let args = args.iter().zip(&given).flat_map(|(arg, place)| match place {
                Some(place) => passed_on(&body.exprs, place, *arg),
                None => vec![*arg],
            });
            let args = args.collect();
            let key = (callee, given);
            let instance = match made.get(&key) {
                Some(instance) => *instance,
                None => {
                    let is_first = originals.insert(callee);
                    let instance = instance(cx.program, callee, &key.1, is_first);
                    open.push(instance);
                    made.insert(key, instance);
                    instance
                }
            };
            body.exprs[call].kind = ExprKind::Call(instance, args);
        }
        cx.program.functions[id].code = body;
    }
    if made.is_empty() {
        return;
    }
    cx.program.items.settle();
    let called: FxHashSet<FunctionId> = cx.program.reachable_functions().into_iter().collect();
    cx.program.items.retain(|item| !matches!(item, Item::Function(f) if !called.contains(f)));
}

/// A function with places instead of parameters. All but the first are named by the variables that they are for, too.
fn instance(program: &mut Program, original: FunctionId, given: &Given, is_first: bool) -> FunctionId {
    let mut function = program.functions[original].clone();
    let variables = given.iter().flatten().filter_map(|place| match place.root {
        SharedRoot::Global(global) => Some(program.globals[global].name.as_str()),
        SharedRoot::Passed => None,
    });
    let words = std::iter::once(function.instance.as_str()).chain(variables);
    let words: Vec<&str> = words.filter(|word| !is_first && !word.is_empty()).collect();
    if !words.is_empty() {
        function.instance = Symbol::new(&words.join("_"));
    }
    let body = &mut function.code;
    let mut params = Vec::new();
    let mut named: FxHashMap<LocalId, (&SharedPlace, Vec<LocalId>)> = FxHashMap::default();
    for (param, place) in std::mem::take(&mut function.params).into_iter().zip(given) {
        let Some(place) = place else {
            params.push(param);
            continue;
        };
        let Local { name, span, .. } = body.locals[param.local];
        let mut locals = Vec::new();
        if place.root == SharedRoot::Passed {
            locals.push(body.add_local(if name == "this" { Symbol::new("self") } else { name }, place.ty, span));
        }
        for (step, _) in &place.steps {
            if let SharedStep::Index(ty) = step {
                locals.push(body.add_local("index", *ty, span));
            }
        }
        params.extend(locals.iter().map(|local| Param::new(*local)));
        named.insert(param.local, (place, locals));
    }
    function.params = params;
    for id in body.expressions() {
        if let ExprKind::Local(local) = body.exprs[id].kind
            && let Some((place, locals)) = named.get(&local)
        {
            let path = path(body, place, locals, body.exprs[id].span);
            body.exprs.replace_by(id, path);
        }
    }
    let id = program.functions.push(function);
    program.items.put_after(Item::Function(original), Item::Function(id));
    id
}

/// The expression of a place, by the parameters that hold what is passed on.
fn path(body: &mut Body, place: &SharedPlace, locals: &[LocalId], span: Span) -> ExprId {
    let exprs = &mut body.exprs;
    let mut locals = locals.iter().copied();
    let mut push = |kind, ty| exprs.push(Expr { kind, ty, span });
    let mut at = match place.root {
        SharedRoot::Global(global) => push(ExprKind::Global(global), place.ty),
        SharedRoot::Passed => match locals.next() {
            Some(local) => push(ExprKind::Local(local), place.ty),
            None => push(ExprKind::Zero, place.ty),
        },
    };
    for (step, ty) in &place.steps {
        let kind = match step {
            SharedStep::Field(field) => ExprKind::Field(at, *field),
            SharedStep::Contents => ExprKind::Contents(at),
            SharedStep::Deref => ExprKind::Deref(at),
            SharedStep::Swizzle(swizzle) => ExprKind::Swizzle(at, *swizzle),
            SharedStep::Index(of) => {
                let Some(index) = locals.next().map(|local| push(ExprKind::Local(local), *of)) else { continue };
                ExprKind::Index(at, index)
            }
        };
        at = push(kind, *ty);
    }
    at
}
