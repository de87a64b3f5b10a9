//! What ray tracing and mesh shaders pass each other as the structs that a target wants, in its order.
//!
//! Before: `[shader("callable")] void light(inout float3 color) { color = 1; }             CallShader(0, color);`
//! After:  `struct light_color { float3 color; };
//!          [shader("callable")] void light(inout light_color color) { color.color = 1; }  data.color = color; CallShader(0, data); ...`
//!
//! A payload, or attributes of a hit, that an entry point leaves out become a parameter that nothing uses.

use super::needs::{Find, callee};
use super::payloads::{HIT, incoming};
use super::{Context, Pass};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass = Pass {
    name: "payload_structs",
    lessens: &[Capability::FreePayloads],
    // A struct that goes out is set in all its parts.
    adds: &[Capability::UnsetParts],
    after: &["called_entry_points", "entry_uniforms"],
    run,
    ..Pass::ROW
};

/// What finds payloads that are not as some targets want them.
pub(super) const FINDERS: [(Capability, Find); 2] = [
    (Capability::FreePayloads, Find::Entry(first_free)),
    (Capability::FreePayloads, Find::at(ExprKinds::CALL, |p, exprs, id| passed(p, exprs, id).is_some())),
];

/// Whether a stage has attributes of a hit.
fn has_attributes(stage: Stage) -> bool {
    matches!(stage, Stage::AnyHit | Stage::ClosestHit)
}

/// Whether a stage is passed something by what calls it.
fn has_payload(stage: Stage) -> bool {
    has_attributes(stage) || matches!(stage, Stage::Miss | Stage::Callable)
}

fn is_hit(program: &Program, entry: &EntryPoint, param: &Param) -> bool {
    incoming(program, entry.stage, param) == Some(HIT)
}

fn is_struct(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(ty), Type::Struct(_))
}

/// The first parameter of an entry point that is no struct or in another order, or the place of one that lacks attributes.
fn first_free(program: &Program, entry: &EntryPoint) -> Option<Span> {
    let function = &program.functions[entry.function];
    let passed = || function.params.iter().filter(|p| incoming(program, entry.stage, p).is_some());
    let of = |p: &Param| &function.code.locals[p.local];
    let bare = passed().find(|p| !is_struct(program, of(p).ty));
    if !entry.stage.is_of_rays() {
        return bare.map(|p| of(p).span);
    }
    let early = passed().next().filter(|p| p.mode == ParamMode::In);
    let lacks = has_attributes(entry.stage) && !passed().any(|p| p.mode == ParamMode::In);
    let lacks = lacks || has_payload(entry.stage) && passed().all(|p| is_hit(program, entry, p));
    bare.or(early).map(|p| of(p).span).or(lacks.then_some(function.span))
}

/// The last argument of a call that passes something that is no struct.
fn passed(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<ExprId> {
    let (function, args) = callee(program, exprs, id).filter(|(f, _)| f.is_marked(PASSES))?;
    let last = *args.last()?;
    (!function.params.is_empty() && !is_struct(program, exprs[last].ty)).then_some(last)
}

fn run(cx: &mut Context) {
    for entry in cx.program.entry_points.clone() {
        wrapped_parameters(cx.program, &entry);
        if entry.stage.is_of_rays() {
            ordered_parameters(cx.program, &entry);
        }
    }
    let mut wrapped = FxHashMap::default();
    for id in cx.program.functions_with_code() {
        let mut body = std::mem::take(&mut cx.program.functions[id].code);
        calls(cx.program, &mut body, id, &mut wrapped);
        cx.program.functions[id].code = body;
    }
}

/// A struct of one field, declared before a function.
fn structure(program: &mut Program, name: &str, field: &str, ty: TypeId, before: FunctionId) -> TypeId {
    let span = program.functions[before].span;
    let id = program.structs.push(Struct::new(name, vec![Field::new(field, ty, span)], span));
    program.items.put_before(Some(Item::Function(before)), Item::Struct(id));
    program.types.intern(Type::Struct(id))
}

/// Parameters of other types become the fields of structs.
fn wrapped_parameters(program: &mut Program, entry: &EntryPoint) {
    let function = entry.function;
    let mut body = std::mem::take(&mut program.functions[function].code);
    for param in program.functions[function].params.clone() {
        let Local { ty, name, .. } = body.locals[param.local].clone();
        if is_struct(program, ty) || incoming(program, entry.stage, &param).is_none() {
            continue;
        }
        let made = structure(program, &format!("{}_{name}", entry.name), name.as_str(), ty, function);
        body.locals[param.local].ty = made;
        for id in body.expressions() {
            if matches!(body.exprs[id].kind, ExprKind::Local(l) if l == param.local) {
                body.exprs[id].ty = made;
                let whole = body.exprs.displace(id);
                body.exprs[id] = Expr { kind: ExprKind::Field(whole, 0), ty, span: body.exprs[id].span };
            }
        }
    }
    program.functions[function].code = body;
}

/// The parameters of ray tracing stages come in the order that D3D has, and none is left out.
fn ordered_parameters(program: &mut Program, entry: &EntryPoint) {
    let function = entry.function;
    let params = program.functions[function].params.clone();
    let (passed, mut kept): (Vec<Param>, Vec<Param>) =
        params.into_iter().partition(|p| incoming(program, entry.stage, p).is_some());
    let mut body = std::mem::take(&mut program.functions[function].code);
    kept.extend(passed);
    // What goes in and out comes first.
    kept.sort_by_key(|p| p.mode == ParamMode::In);
    let span = program.functions[function].span;
    let is_payload = |p: &&Param| incoming(program, entry.stage, p).is_some_and(|word| word != HIT);
    if has_payload(entry.stage) && !kept.iter().any(|p| is_payload(&p)) {
        let float = TypeId::FLOAT;
        let made = structure(program, &format!("{}_payload", entry.name), "unused", float, function);
        let local = body.add_local("passed", made, span);
        kept.insert(0, Param { mode: ParamMode::InOut, ..Param::new(local) });
    }
    let lacks = !kept.iter().any(|p| is_hit(program, entry, p));
    if has_attributes(entry.stage) && lacks {
        let float2 = program.types.vector(Scalar::F32, 2);
        let made = structure(program, &format!("{}_attributes", entry.name), "barycentrics", float2, function);
        kept.push(Param::new(body.add_local("attributes", made, span)));
    }
    program.functions[function].params = kept;
    program.functions[function].code = body;
}

/// The structs of types that calls pass, with the builtin for each.
type Wrapped = FxHashMap<FunctionId, (TypeId, FunctionId)>;

/// Calls that are statements pass a struct that is copied in and out; where the argument is a value, it is written out.
fn calls(program: &mut Program, body: &mut Body, function: FunctionId, wrapped: &mut Wrapped) {
    let mut block = std::mem::take(&mut body.block);
    block.rewrite(&mut |mut stmt, out| {
        let StmtKind::Expr(call) = stmt.kind else { return out.push(stmt) };
        let Some(arg) = passed(program, &body.exprs, call) else { return out.push(stmt) };
        let ExprKind::Call(callee, args) = body.exprs[call].kind.clone() else { return out.push(stmt) };
        let Expr { ty, span, .. } = body.exprs[arg];
        let (made, own) = wrap(program, callee, ty, function, wrapped);
        // What a mesh shader is given stays as it is.
        let out_of = program.functions[callee].params.last().is_some_and(|p| p.mode == ParamMode::InOut);
        let data = body.add_local("data", made, span);
        let start = out.len();
        let copy = match out_of {
            true => body.exprs.duplicate(arg),
            false => by_elements(program, body, arg),
        };
        let value = body.exprs.push(Expr { kind: ExprKind::Construct(vec![copy]), ty: made, span });
        out.push(Stmt::new(StmtKind::Local(data, Some(value)), span));
        let mut b = Build::new(&mut program.types, &mut body.exprs, span);
        let passed = b.local(data, made);
        let args = args.iter().map(|a| if *a == arg { passed } else { *a }).collect();
        b.exprs[call].kind = ExprKind::Call(own, args);
        let back = out_of.then(|| {
            let data = b.local(data, made);
            let value = b.field(data, 0, ty);
            b.set(arg, value)
        });
        stmt.give_comments(out.get_mut(start), false);
        out.push(stmt);
        out.extend(back);
    });
    body.block = block;
}

/// A copy of a value, of arrays by their elements: DXC ends with an error of its own where they are copied whole to what mesh
/// shaders are given.
fn by_elements(program: &mut Program, body: &mut Body, value: ExprId) -> ExprId {
    let Expr { ty, span, .. } = body.exprs[value];
    let Type::Array(_, Length::Fixed(count)) = program.types.get(ty) else { return body.exprs.duplicate(value) };
    if elements(program, ty) > MOST_ELEMENTS || !is_named(&body.exprs, value) {
        return body.exprs.duplicate(value);
    }
    let parts = (0..count).map(|index| {
        let of = body.exprs.duplicate(value);
        let element = Build::new(&mut program.types, &mut body.exprs, span).at(of, index);
        by_elements(program, body, element)
    });
    let parts = parts.collect();
    body.exprs.push(Expr { kind: ExprKind::Construct(parts), ty, span })
}

/// D3D passes that many words to a mesh shader.
const MOST_ELEMENTS: u64 = 16384 / 4;

/// How many elements arrays of arrays have.
fn elements(program: &Program, ty: TypeId) -> u64 {
    match program.types.get(ty) {
        Type::Array(element, Length::Fixed(count)) => u64::from(count).saturating_mul(elements(program, element)),
        _ => 1,
    }
}

/// Whether a value is a variable, or a part of one at an index that nothing computes.
fn is_named(exprs: &ExprArena, value: ExprId) -> bool {
    exprs.post_order(value).into_iter().all(|part| {
        matches!(
            exprs[part].kind,
            ExprKind::Local(_)
                | ExprKind::Global(_)
                | ExprKind::Field(..)
                | ExprKind::Index(..)
                | ExprKind::Literal(..)
        )
    })
}

/// The struct for what a builtin passes, and the builtin that takes it.
fn wrap(
    program: &mut Program,
    callee: FunctionId,
    ty: TypeId,
    user: FunctionId,
    wrapped: &mut Wrapped,
) -> (TypeId, FunctionId) {
    if let Some(known) = wrapped.get(&callee) {
        return *known;
    }
    let made = structure(program, "Passed", "value", ty, user);
    let mut own = program.functions[callee].clone();
    if let Some(last) = own.params.last() {
        own.code.locals[last.local].ty = made;
    }
    let own = program.functions.push(own);
    wrapped.insert(callee, (made, own));
    (made, own)
}
