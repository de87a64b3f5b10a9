//! A texture that is compared with is a depth texture.
//!
//! Before: `Texture2D shadowMap;         shadowMap.SampleCmp(s, uv, z)`
//! After:  `Texture2DShadow shadowMap;   shadowMap.SampleCmp(s, uv, z)`
//!
//! Other reads of it give one number there: `shadowMap.Load(p)` becomes `float4(shadowMap.Load(p), 0, 0, 1)`, as D3D fills up
//! what a format does not have.
//!
//! The library marks what compares with `[__depth_texture]`; from there it spreads through parameters of functions to
//! the globals, and back to every parameter that is given such a global.

use super::needs::{Find, callee};
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::{
    Body, Build, Expr, ExprId, ExprKind, Function, FunctionBody, FunctionId, GlobalId, LocalId, Program, TemplatePiece,
    Texture, Type, TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "depth_textures",
    removes: &[(
        Capability::UndeclaredDepthTextures,
        Find::Expr(|p, exprs, id| {
            let Some((function, [texture, ..])) = callee(p, exprs, id) else { return false };
            compares(function) && matches!(p.types.get(exprs[*texture].ty), Type::Texture(t) if !t.depth)
        }),
    )],
    after: &["combined_samplers"],
    run,
    ..Pass::ROW
};

/// A texture by where it is declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum TextureDecl {
    Global(GlobalId),
    Param(FunctionId, LocalId),
}

fn run(cx: &mut Context) {
    let functions = cx.program.functions_with_code();
    let mut depth: FxHashSet<TextureDecl> = FxHashSet::default();
    // Each round adds a place or ends.
    loop {
        let before = depth.len();
        for &f in &functions {
            spread(cx.program, f, &mut depth);
        }
        if depth.len() == before {
            break;
        }
    }
    for id in cx.program.globals.ids() {
        if depth.contains(&TextureDecl::Global(id)) {
            let ty = cx.program.globals[id].ty;
            cx.program.globals[id].ty = as_depth(&mut cx.program.types, ty);
        }
    }
    cx.each_body(&mut |cx, f, body| {
        retype(cx.program, f, body, &depth);
        narrow_reads(cx.program, body);
    });
}

fn place(f: FunctionId, body: &Body, id: ExprId) -> Option<TextureDecl> {
    if !matches!(body.exprs[id].kind, ExprKind::Global(_) | ExprKind::Local(_) | ExprKind::Index(..)) {
        return None;
    }
    match body.exprs[body.exprs.base(id)].kind {
        ExprKind::Global(g) => Some(TextureDecl::Global(g)),
        ExprKind::Local(l) => Some(TextureDecl::Param(f, l)),
        _ => None,
    }
}

/// Whether a builtin takes a depth texture first.
fn compares(function: &Function) -> bool {
    function.is_marked("__depth_texture")
}

fn spread(program: &Program, f: FunctionId, depth: &mut FxHashSet<TextureDecl>) {
    let body = &program.functions[f].code;
    for id in body.expressions() {
        let ExprKind::Call(callee, args) = &body.exprs[id].kind else { continue };
        let function = &program.functions[*callee];
        if compares(function) {
            depth.extend(args.first().and_then(|t| place(f, body, *t)));
        }
        if !matches!(function.body, FunctionBody::Block) {
            continue;
        }
        for (param, &arg) in function.params.iter().zip(args) {
            if !matches!(program.types.get(body.exprs[arg].ty), Type::Texture(_)) {
                continue;
            }
            let (inner, outer) = (TextureDecl::Param(*callee, param.local), place(f, body, arg));
            if depth.contains(&inner) {
                depth.extend(outer);
            }
            if outer.is_some_and(|o| depth.contains(&o)) {
                depth.insert(inner);
            }
        }
    }
}

fn as_depth(types: &mut Types, ty: TypeId) -> TypeId {
    match types.get(ty) {
        Type::Texture(t) => types.intern(Type::Texture(Texture { depth: true, ..t })),
        Type::Array(element, count) => {
            let element = as_depth(types, element);
            types.array(element, count)
        }
        _ => ty,
    }
}

/// Gives locals and expressions the types of what they name.
fn retype(program: &mut Program, f: FunctionId, body: &mut Body, depth: &FxHashSet<TextureDecl>) {
    for local in body.locals.ids() {
        if depth.contains(&TextureDecl::Param(f, local)) {
            body.locals[local].ty = as_depth(&mut program.types, body.locals[local].ty);
        }
    }
    for id in body.expressions() {
        let ty = body.exprs[id].ty;
        if matches!(program.types.get(program.types.innermost(ty)), Type::Texture(_))
            && place(f, body, id).is_some_and(|p| depth.contains(&p))
        {
            body.exprs[id].ty = as_depth(&mut program.types, ty);
        }
    }
}

/// Reads give one number rather than a vector.
fn narrow_reads(program: &mut Program, body: &mut Body) {
    let live = body.expressions();
    let reads: FxHashMap<ExprId, ExprKind> =
        live.iter().filter_map(|id| Some((*id, narrow(program, body, *id)?))).collect();
    for &id in &live {
        // Only the first component is wanted.
        if let ExprKind::Swizzle(read, swizzle) = &body.exprs[id].kind
            && let Some(number) = reads.get(read).filter(|_| swizzle.list() == [0])
        {
            body.exprs[id].kind = number.clone();
        }
    }
    for id in live {
        let Expr { ty, span, .. } = body.exprs[id];
        let (Some(number), Type::Vector(_, count)) = (reads.get(&id), program.types.get(ty)) else { continue };
        let mut build = Build::new(&mut program.types, &mut body.exprs, span);
        let number = build.add(number.clone(), TypeId::FLOAT);
        let mut parts = vec![number, build.float(0.0), build.float(0.0), build.float(1.0)];
        parts.truncate(count.into());
        body.exprs[id].kind = ExprKind::Construct(parts);
    }
}

/// The same as a number, of an expression that reads a vector from a depth texture.
fn narrow(program: &Program, body: &Body, id: ExprId) -> Option<ExprKind> {
    let ExprKind::Call(callee, args) = &body.exprs[id].kind else { return None };
    let FunctionBody::Intrinsic(template) = &program.functions[*callee].body else { return None };
    let is_depth = |a: &ExprId| matches!(program.types.get(body.exprs[*a].ty), Type::Texture(t) if t.depth);
    let vector = matches!(program.types.get(body.exprs[id].ty), Type::Vector(_, n) if n > 1);
    let read = vector && template.pieces.contains(&TemplatePiece::Truncate) && args.iter().any(is_depth);
    read.then(|| ExprKind::Native(Box::new(template.clone()), args.clone()))
}
