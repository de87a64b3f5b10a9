//! A fragment shader says which of its statements are done in the order of the primitives.
//!
//! Before: `RasterizerOrderedTexture2D<float4> image;   void main() { f();                     image[p] = g(image[p]);                  }`
//! After:  `coherent image2D image;                     void main() { f(); beginInvocationInterlockARB(); image[p] = ...; endInvocationInterlockARB(); }`
//!         with `layout(pixel_interlock_ordered) in;`
//!
//! For targets without `UnstatedRasterOrder`. D3D orders the accesses to a raster-ordered view by themselves (Direct3D 11.3
//! specification, "Rasterizer Ordered Views"). The statements from the first to the last that accesses one are ordered: the
//! calls stand in the entry point, outside of control flow and before its returns, so that one that returns earlier becomes a
//! function. What a program orders by itself is left as it is. Spec: `GL_ARB_fragment_shader_interlock`.

use super::entry_patches::split_off;
use super::needs::Find;
use super::stage_io::declare_layout;
use super::{Context, Pass};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::{Capability, STAGE_LAYOUT};
use crate::tree::*;
use std::collections::BTreeSet;

pub(super) const PASS: Pass = Pass {
    name: "raster_order",
    removes: &[(Capability::UnstatedRasterOrder, Find::Entry(unstated))],
    after: &["entry_points"],
    run,
    ..Pass::ROW
};

/// The attribute of the library's functions that begin and end what is ordered.
const INTERLOCKS: &str = "__interlocks";
const EXTENSION: &str = "GL_ARB_fragment_shader_interlock";
const LAYOUT: &str = "pixel_interlock_ordered";
const BEGIN: &str = "beginInvocationInterlockARB()";
const END: &str = "endInvocationInterlockARB()";

/// Where a fragment shader accesses what is ordered and does not say so, if it does.
fn unstated(program: &Program, entry: &EntryPoint) -> Option<Span> {
    let function = &program.functions[entry.function];
    let stated = function.attributes.iter().any(|a| a.name == STAGE_LAYOUT && a.args.first() == Some(&text(LAYOUT)));
    let is_open = entry.stage == Stage::Fragment && !stated;
    (is_open && (reaches(program, entry.function) || states(program, entry.function))).then_some(function.span)
}

fn text(text: &str) -> AttributeArg {
    AttributeArg::Text(Symbol::new(text))
}

/// Whether a resource is a raster-ordered view, or an array of them.
pub(super) fn is_ordered(ty: &Type) -> bool {
    match ty {
        Type::Texture(texture) => texture.access == Access::RasterOrdered,
        Type::Buffer(_, access, _) => *access == Access::RasterOrdered,
        _ => false,
    }
}

/// A raster-ordered view that an entry point of another stage than the fragment stage uses: D3D has none there (Direct3D 11.3
/// specification, "Rasterizer Ordered Views").
pub(super) fn outside_fragments(program: &Program, entry: &EntryPoint) -> Option<Span> {
    if entry.stage == Stage::Fragment {
        return None;
    }
    let globals = program.analyses().reached_globals([entry.function].into_iter());
    globals.into_iter().find(|global| is_ordered_global(program, *global)).map(|global| program.globals[global].span)
}

fn is_ordered_global(program: &Program, global: GlobalId) -> bool {
    is_ordered(&program.types.get(program.types.innermost(program.globals[global].ty)))
}

/// Whether a function accesses a raster-ordered view, itself or by what it calls.
fn reaches(program: &Program, function: FunctionId) -> bool {
    // Hardly a program has one.
    if !program.globals.ids().any(|global| is_ordered_global(program, global)) {
        return false;
    }
    let globals = program.analyses().reached_globals([function].into_iter());
    globals.into_iter().any(|global| is_ordered_global(program, global))
}

/// Whether a function says itself, or what it calls does, what is ordered.
fn states(program: &Program, function: FunctionId) -> bool {
    program.analyses().callers_of(&|f| f.is_marked(INTERLOCKS)).contains(&function)
}

fn run(cx: &mut Context) {
    // What has neither is an error.
    if !cx.profile.has(Capability::FragmentInterlocks) {
        return;
    }
    for entry in cx.program.entry_points.clone() {
        if unstated(cx.program, &entry).is_none() {
            continue;
        }
        match states(cx.program, entry.function) {
            true => check_stated(cx, entry.function),
            false => order(cx, entry.function),
        }
        declare_layout(&mut cx.program.functions[entry.function], LAYOUT, EXTENSION);
    }
}

/// Puts the calls around the statements that access raster-ordered views. What one invocation writes, the next one sees.
fn order(cx: &mut Context, entry: FunctionId) {
    let views: Vec<GlobalId> = cx.program.globals.ids().filter(|id| is_ordered_global(cx.program, *id)).collect();
    views.into_iter().for_each(|id| cx.program.globals[id].modifiers.set(Modifiers::GLOBALLYCOHERENT));
    let span = cx.program.functions[entry].span;
    let mut body = std::mem::take(&mut cx.program.functions[entry].code);
    let mut ordered = accesses(cx.program, &body);
    if let Some((_, last)) = ordered
        && body.block.stmts.iter().take(last + 1).any(returns)
    {
        body = split_off(cx, entry, "orderedMain", body);
        ordered = Some((0, 0));
    }
    if let Some((first, last)) = ordered {
        let mut b = Build::new(&mut cx.program.types, &mut body.exprs, span);
        let mut call = |text: &str| {
            let call = b.native(Template::parse(text).unwrap_or_default(), Vec::new(), TypeId::VOID);
            Stmt::new(StmtKind::Expr(call), span)
        };
        body.block.stmts.insert(last + 1, call(END));
        body.block.stmts.insert(first, call(BEGIN));
    }
    cx.program.functions[entry].code = body;
}

/// The first and the last statement of a body that accesses a raster-ordered view.
fn accesses(program: &Program, body: &Body) -> Option<(usize, usize)> {
    let mut asked: BTreeSet<FunctionId> = BTreeSet::new();
    let mut reaching: BTreeSet<FunctionId> = BTreeSet::new();
    let mut is_access = |id: ExprId| match body.exprs[id].kind {
        ExprKind::Global(global) => is_ordered_global(program, global),
        ExprKind::Call(function, _) => {
            if asked.insert(function) && reaches(program, function) {
                reaching.insert(function);
            }
            reaching.contains(&function)
        }
        _ => false,
    };
    let mut found = body.block.stmts.iter().enumerate().filter(|(_, stmt)| {
        let mut accesses = false;
        stmt.visit(&mut |inner| {
            inner.own_exprs(&mut |root| {
                accesses = accesses || body.exprs.any_part(root, &mut is_access);
            });
        });
        accesses
    });
    let first = found.next()?.0;
    Some((first, found.last().map_or(first, |(last, _)| last)))
}

fn returns(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.visit(&mut |inner| found = found || matches!(inner.kind, StmtKind::Return(_)));
    found
}

/// Whether a function begins what is ordered, or ends it.
fn begins(function: &Function) -> Option<bool> {
    let mark = function.attributes.iter().find(|a| a.name == INTERLOCKS)?;
    Some(mark.args.first() == Some(&text("begin")))
}

/// Reports what a program orders by itself otherwise than GLSL allows (`GL_ARB_fragment_shader_interlock`, 8.13.3).
fn check_stated(cx: &mut Context, entry: FunctionId) {
    let program = &*cx.program;
    let called = |body: &Body, id: ExprId| match body.exprs[id].kind {
        ExprKind::Call(f, _) => begins(&program.functions[f]),
        _ => None,
    };
    let body = &program.functions[entry].code;
    let before_returns = body.block.stmts.iter().take_while(|stmt| !returns(stmt));
    let allowed: Vec<(ExprId, bool)> = before_returns
        .filter_map(|stmt| match stmt.kind {
            StmtKind::Expr(call) => Some((call, called(body, call)?)),
            _ => None,
        })
        .collect();
    let in_pairs = matches!(allowed.as_slice(), [(_, true), (_, false)]);
    let mut faults = Vec::new();
    let is_other = |id: FunctionId| program.entry_point_of(id).is_none() && states(program, id);
    for id in program.reachable_functions().into_iter().filter(|id| *id == entry || is_other(*id)) {
        let body = &program.functions[id].code;
        let is_allowed = |e: ExprId| id == entry && in_pairs && allowed.iter().any(|(call, _)| *call == e);
        let calls = body.expressions().into_iter().filter(|e| called(body, *e).is_some() && !is_allowed(*e));
        faults.extend(calls.map(|e| body.exprs[e].span));
    }
    for span in faults {
        let message =
            "what is ordered begins and ends once, in the entry point, outside of control flow and before it returns";
        cx.diags.push(Diagnostic::error(Code::CAPABILITY, span, message));
    }
}
