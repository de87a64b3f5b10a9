//! What vertex shaders only read is declared so, apart from what other stages of the program write.
//!
//! Before: `RWStructuredBuffer<float4> points;    simulate() { points[i] += step; }    draw() { return points[i]; }`
//! After:  the same, and `StructuredBuffer<float4> points_read;                       draw() { return points_read[i]; }`
//!
//! Both have one binding: no entry point uses both. A function that reads it for vertex shaders and for other stages is made
//! twice. What a vertex shader itself writes stays, and is reported. Textures get their access in `texture_access`.
//!
//! For targets without VertexWrites. Spec: WebGPU "GPUBufferBindingLayout" (no `storage` for vertex shaders); WGSL "Resource
//! interface" (what shares a binding is not in one interface).

use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::{
    Access, Body, EntryPoint, ExprId, ExprKind, Function, FunctionId, Global, GlobalId, Item, Program, Stage, Type,
    TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

pub(super) const PASS: Pass = Pass {
    name: "vertex_reads",
    lessens: &[Capability::VertexWrites],
    after: &["resource_arrays", "resolve_resources", "flatten"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let program = &mut *cx.program;
    let (of_vertices, others): (Vec<_>, Vec<_>) =
        program.entry_points.iter().partition(|entry| entry.stage == Stage::Vertex);
    let reached = |entries: &[&EntryPoint]| program.analyses().reached(entries.iter().flat_map(|entry| entry.roots()));
    let ((vertices, mut read), (others, _)) = (reached(&of_vertices), reached(&others));
    let written_there = written(program, &vertices);
    read.retain(|id| may_be_written(program, &program.globals[*id]) && !written_there.contains(id));
    let written_elsewhere = written(program, &others);
    let mut views = FxHashMap::default();
    let mut only_read = FxHashSet::default();
    for id in read {
        let own = if written_elsewhere.contains(&id) { view(program, id) } else { id };
        let ty = read_only(&mut program.types, program.globals[own].ty);
        if ty != program.globals[own].ty {
            program.globals[own].ty = ty;
            only_read.insert(own);
        }
        views.extend((own != id).then_some((id, own)));
    }
    if !views.is_empty() {
        read_views(program, &vertices, &others, &views);
    }
    if !only_read.is_empty() {
        retype(program, &only_read);
    }
}

/// Whether a global is a buffer or texture that its type lets be written.
pub(super) fn may_be_written(program: &Program, global: &Global) -> bool {
    match program.types.get(program.types.innermost(global.ty)) {
        Type::Buffer(_, access, _) => access != Access::Read,
        Type::Texture(texture) => !texture.combined && texture.access != Access::Read,
        _ => false,
    }
}

/// The buffers and textures that some functions may write.
fn written(program: &Program, functions: &BTreeSet<FunctionId>) -> FxHashSet<GlobalId> {
    let mut written = FxHashSet::default();
    for function in functions {
        let body = &program.functions[*function].code;
        let mut note = |place: ExprId| {
            if let ExprKind::Global(id) = body.exprs[body.exprs.base(place)].kind {
                written.insert(id);
            }
        };
        for id in body.expressions() {
            program.each_written(&body.exprs, id, &mut note);
            match &body.exprs[id].kind {
                // Whatever a builtin with effects or another function is given may be written there.
                ExprKind::Call(callee, args) => {
                    let callee = &program.functions[*callee];
                    if callee.is_marked("__effects") || !callee.builtin {
                        args.iter().filter(|arg| holds_resource(program, body, **arg)).for_each(|arg| note(*arg));
                    }
                }
                ExprKind::Native(_, args) => args.iter().for_each(|arg| note(*arg)),
                _ => {}
            }
        }
    }
    written
}

fn holds_resource(program: &Program, body: &Body, id: ExprId) -> bool {
    matches!(program.types.get(program.types.innermost(body.exprs[id].ty)), Type::Buffer(..) | Type::Texture(_))
}

/// Declares what stands for a buffer or texture where it is only read.
fn view(program: &mut Program, id: GlobalId) -> GlobalId {
    let global = program.globals[id].clone();
    let name = format!("{}_read", global.name).as_str().into();
    let view = program.globals.push(Global { comments: Vec::new(), name, ..global });
    program.items.put_after(Item::Global(id), Item::Global(view));
    program.parameters.put_after(id, view);
    view
}

/// The type of a buffer that is only read; a texture says so by a modifier.
fn read_only(types: &mut Types, ty: TypeId) -> TypeId {
    match types.get(ty) {
        Type::Buffer(kind, _, element) => types.intern(Type::Buffer(kind, Access::Read, element)),
        Type::Array(element, count) => {
            let element = read_only(types, element);
            types.array(element, count)
        }
        _ => ty,
    }
}

/// Gives what names some buffers, or elements of arrays of them, their types.
fn retype(program: &mut Program, only_read: &FxHashSet<GlobalId>) {
    program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            if matches!(exprs[exprs.base(id)].kind, ExprKind::Global(g) if only_read.contains(&g))
                && matches!(types.get(types.innermost(exprs[id].ty)), Type::Buffer(..))
            {
                exprs[id].ty = read_only(types, exprs[id].ty);
            }
        }
    });
}

/// Gives vertex shaders functions that read `views`.
fn read_views(
    program: &mut Program,
    vertices: &BTreeSet<FunctionId>,
    others: &BTreeSet<FunctionId>,
    views: &FxHashMap<GlobalId, GlobalId>,
) {
    let mut made: FxHashMap<FunctionId, FunctionId> = FxHashMap::default();
    // Callees come first.
    for original in program.reachable_functions().into_iter().filter(|f| vertices.contains(f)) {
        let uses = program.analyses().uses(original).clone();
        let reads = uses.globals.iter().any(|g| views.contains_key(g));
        if !reads && !uses.functions.iter().any(|f| made.contains_key(f)) {
            continue;
        }
        let own = if others.contains(&original) { copy(program, original) } else { original };
        made.insert(original, own);
        let exprs = &mut program.functions[own].code.exprs;
        for id in exprs.ids() {
            match &mut exprs[id].kind {
                ExprKind::Global(global) => *global = views.get(global).copied().unwrap_or(*global),
                ExprKind::Call(callee, _) => *callee = made.get(callee).copied().unwrap_or(*callee),
                _ => {}
            }
        }
    }
}

fn copy(program: &mut Program, original: FunctionId) -> FunctionId {
    let function = program.functions[original].clone();
    let instance = match function.instance.as_str() {
        "" => "read".into(),
        generic => format!("{generic}_read").as_str().into(),
    };
    let copy = Function { comments: Vec::new(), instance, ..function };
    let id = program.functions.push(copy);
    program.items.put_after(Item::Function(original), Item::Function(id));
    id
}
