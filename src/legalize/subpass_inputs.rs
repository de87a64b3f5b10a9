//! Subpass inputs as textures that are read at the pixel's own place.
//!
//! Before: `SubpassInput<float4> albedo;   albedo.SubpassLoad()`
//! After:  `Texture2D<float4> albedo;      albedo.Load(int3(int2(input.pos.xy), 0))`
//!
//! The place comes from `SV_Position`, which the entry point takes in addition where it does not have it yet; functions other
//! than entry points find it in a static variable.

use super::needs::Find;
use super::signatures::BOUNDED_DEPTHS;
use super::stage_io::Flatten;
use super::{Context, Pass};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::target::system_values::Direction;
use crate::tree::*;
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass = Pass {
    name: "subpass_inputs",
    removes: &[(Capability::SubpassInputs, Find::Type(|_, t| matches!(t, Type::SubpassInput(..))))],
    adds: &[Capability::SeparateSamplers, Capability::MultisampledTextures],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let readers: FxHashSet<FunctionId> = cx.program.functions.ids().filter(|id| reads(cx.program, *id)).collect();
    let int2 = cx.program.types.vector(Scalar::I32, 2);
    for id in cx.program.functions.ids() {
        if readers.contains(&id) {
            take_place(cx.program, id, int2);
        }
    }
    let entries = cx.program.entry_points.clone();
    let is_entry = |id: FunctionId| entries.iter().any(|e| e.function == id && e.stage == Stage::Fragment);
    let mut variable = None;
    for id in cx.program.functions_with_code() {
        if !is_entry(id) && calls(&cx.program.functions[id].code, &readers).next().is_some() {
            let global = *variable.get_or_insert_with(|| add_variable(cx.program, int2));
            each_call(cx.program, id, &readers, &mut |program, body, span| {
                Build::new(&mut program.types, &mut body.exprs, span).global(global, int2)
            });
        }
    }
    for entry in entries.iter().filter(|e| e.stage == Stage::Fragment) {
        let direct = calls(&cx.program.functions[entry.function].code, &readers).next().is_some();
        if !direct && variable.is_none() {
            continue;
        }
        let modifiers = interpolation(cx, entry);
        let place = position(cx.program, entry.function, modifiers);
        let ty = place.field.map_or(place.ty, |(_, ty)| ty);
        if !matches!(cx.program.types.get(ty), Type::Vector(_, 2..)) {
            let span = cx.program.functions[entry.function].code.locals[place.local].span;
            cx.unsupported(span, "a subpass input where `SV_Position` has one component");
            return;
        }
        if let Some(global) = variable {
            fill_variable(cx.program, entry.function, global, &place, int2);
        }
        each_call(cx.program, entry.function, &readers, &mut |program, body, span| {
            pixel(program, body, &place, int2, span)
        });
    }
    cx.program.map_types(&mut |types, ty| match types.get(ty) {
        Type::SubpassInput(element, multisampled) => types.intern(Type::Texture(Texture {
            shape: TextureShape::D2,
            array: false,
            multisampled,
            combined: false,
            depth: false,
            access: Access::Read,
            element,
        })),
        _ => ty,
    });
}

/// Whether a function of the library reads a subpass input.
fn reads(program: &Program, id: FunctionId) -> bool {
    let function = &program.functions[id];
    let first = function.params.first().map(|p| program.types.get(function.code.locals[p.local].ty));
    function.builtin && matches!(first, Some(Type::SubpassInput(..)))
}

/// Gives a reading function the place as its last parameter; it needs nothing special then.
fn take_place(program: &mut Program, id: FunctionId, int2: TypeId) {
    let function = &mut program.functions[id];
    let span = function.span;
    let local = function.code.add_local("pixel", int2, span);
    function.params.push(Param::new(local));
    function.attributes.retain(|a| a.name != "__requires");
}

fn calls<'a>(body: &'a Body, readers: &'a FxHashSet<FunctionId>) -> impl Iterator<Item = ExprId> + 'a {
    body.expressions().into_iter().filter(|id| match &body.exprs[*id].kind {
        ExprKind::Call(function, _) => readers.contains(function),
        _ => false,
    })
}

/// Adds an argument to every read in a function.
fn each_call(
    program: &mut Program,
    id: FunctionId,
    readers: &FxHashSet<FunctionId>,
    place: &mut dyn FnMut(&mut Program, &mut Body, Span) -> ExprId,
) {
    let mut body = std::mem::take(&mut program.functions[id].code);
    let found: Vec<ExprId> = calls(&body, readers).collect();
    for call in found {
        let span = body.exprs[call].span;
        let argument = place(program, &mut body, span);
        if let ExprKind::Call(_, args) = &mut body.exprs[call].kind {
            args.push(argument);
        }
    }
    program.functions[id].code = body;
}

/// The position of a fragment: a parameter, or a field of one.
struct Position {
    local: LocalId,
    ty: TypeId,
    field: Option<(u32, TypeId)>,
}

fn is_position(semantic: Option<Semantic>) -> bool {
    semantic.is_some_and(|s| ["SV_POSITION", "SV_FRAGCOORD"].contains(&s.split().0.as_str()))
}

/// How a new position comes in: beside a depth that only grows or shrinks, DXC wants that of a centroid, which is in the same pixel.
fn interpolation(cx: &mut Context, entry: &EntryPoint) -> Modifiers {
    let settings = cx.layout.settings;
    let outputs = Flatten { program: cx.program, split: false, settings }.leaves(entry, Direction::Out);
    let mut semantics = outputs.iter().filter_map(|leaf| leaf.semantic.as_ref());
    let mut modifiers = Modifiers::default();
    if semantics.any(|(name, _)| BOUNDED_DEPTHS.contains(&name.as_str())) {
        [Modifiers::LINEAR, Modifiers::NOPERSPECTIVE, Modifiers::CENTROID].into_iter().for_each(|m| modifiers.set(m));
    }
    modifiers
}

/// Where an entry point has the position; a new parameter if nowhere.
fn position(program: &mut Program, id: FunctionId, modifiers: Modifiers) -> Position {
    let function = &program.functions[id];
    for param in function.params.iter().filter(|p| p.mode == ParamMode::In) {
        let ty = function.code.locals[param.local].ty;
        if is_position(param.semantic) {
            return Position { local: param.local, ty, field: None };
        }
        if let Type::Struct(id) = program.types.get(ty) {
            let mut fields = program.structs[id].fields.iter().enumerate();
            if let Some((index, field)) = fields.find(|(_, f)| is_position(f.semantic)) {
                return Position { local: param.local, ty, field: Some((index as u32, field.ty)) };
            }
        }
    }
    let float4 = program.types.vector(Scalar::F32, 4);
    let function = &mut program.functions[id];
    let span = function.span;
    let local = function.code.add_local("position", float4, span);
    // First, as in the outputs of most vertex shaders: D3D matches stages in order.
    let semantic = Some(Semantic { text: Symbol::new("SV_Position"), span });
    let first = Param { semantic, modifiers, ..Param::new(local) };
    function.params.insert(0, first);
    Position { local, ty: float4, field: None }
}

/// `int2(input.pos.xy)`.
fn pixel(program: &mut Program, body: &mut Body, place: &Position, int2: TypeId, span: Span) -> ExprId {
    let mut b = Build::new(&mut program.types, &mut body.exprs, span);
    let whole = b.local(place.local, place.ty);
    let position = match place.field {
        Some((index, ty)) => b.field(whole, index, ty),
        None => whole,
    };
    let xy = b.swizzle(position, &[0, 1]);
    b.convert(xy, int2)
}

/// The static variable that other functions read.
fn add_variable(program: &mut Program, int2: TypeId) -> GlobalId {
    let id = program.globals.push(Global::new("pixel", int2, GlobalKind::Static, Span::default()));
    let first = program.items.iter().find(|i| matches!(i, Item::Function(_))).copied();
    program.items.put_before(first, Item::Global(id));
    id
}

fn fill_variable(program: &mut Program, id: FunctionId, global: GlobalId, place: &Position, int2: TypeId) {
    let mut body = std::mem::take(&mut program.functions[id].code);
    let span = program.functions[id].span;
    let value = pixel(program, &mut body, place, int2, span);
    let mut b = Build::new(&mut program.types, &mut body.exprs, span);
    let target = b.global(global, int2);
    body.block.stmts.insert(0, b.set(target, value));
    program.functions[id].code = body;
}
