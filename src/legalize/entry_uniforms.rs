//! Uniform parameters of entry points become globals.
//!
//! Before: `[shader("compute")] void main(uniform Texture2D t, uint3 id : SV_DispatchThreadID) { ... t ... }`
//! After:  `Texture2D t;  [shader("compute")] void main(uint3 id : SV_DispatchThreadID) { ... t ... }`
//!
//! Plain data becomes one block an entry point. Rule: `layout-entry-points`.

use super::needs::Find;
use super::{Context, Pass};
use crate::layout::lock::Owner;
use crate::source::Span;
use crate::target::Capability;
use crate::tree::{
    EntryPoint, ExprKind, FunctionId, Global, GlobalId, GlobalKind, Item, LocalId, Modifiers, Origin, Program, Stmt,
    StmtKind, is_uniform,
};
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass = Pass {
    name: "entry_uniforms",
    removes: &[(Capability::EntryPointUniforms, Find::Entry(first_uniform))],
    adds: super::needs::OF_PARAMETERS,
    after: &["called_entry_points"],
    run,
    ..Pass::ROW
};

/// The first uniform parameter of an entry point.
fn first_uniform(program: &Program, entry: &EntryPoint) -> Option<Span> {
    let function = &program.functions[entry.function];
    let mut params = function.params.iter().map(|p| (p, &function.code.locals[p.local]));
    params.find(|(p, local)| is_uniform(program, p, local.ty)).map(|(_, local)| local.span)
}

fn run(cx: &mut Context) {
    for index in 0..cx.program.entry_points.len() {
        let Some(function) = cx.program.entry_points.get(index).map(|e| e.function) else { continue };
        let replaced = take_parameters(cx, index, function);
        replace(cx, function, &replaced);
    }
}

/// Makes a global of each uniform parameter.
fn take_parameters(cx: &mut Context, entry: usize, function: FunctionId) -> FxHashMap<LocalId, GlobalId> {
    let mut replaced = FxHashMap::default();
    let params = std::mem::take(&mut cx.program.functions[function].params);
    let mut kept = Vec::new();
    for (at, param) in params.into_iter().enumerate() {
        let local = cx.program.functions[function].code.locals[param.local].clone();
        if !is_uniform(cx.program, &param, local.ty) {
            kept.push(param);
            continue;
        }
        let mut global = Global::new(local.name, local.ty, GlobalKind::Parameter, local.span);
        global.modifiers = param.modifiers;
        global.modifiers.clear(Modifiers::UNIFORM);
        global.matrix_order = param.matrix_order;
        global.explicit = param.explicit;
        global.attributes = param.attributes;
        global.origin =
            cx.layout.leaves.parameter_of(Owner::Param(entry, at)).map_or(Origin::Declared, Origin::Parameter);
        let id = cx.program.globals.push(global);
        cx.program.items.put_before(Some(Item::Function(function)), Item::Global(id));
        cx.program.parameters.push(id);
        replaced.insert(param.local, id);
        if !cx.program.holds_resource(local.ty)
            && let Some(entry) = cx.program.entry_points.get_mut(entry)
        {
            entry.uniforms.push(id);
        }
    }
    cx.program.functions[function].params = kept;
    replaced
}

/// Mentions of the parameter mention the global. One that is assigned gets a local copy.
fn replace(cx: &mut Context, function: FunctionId, replaced: &FxHashMap<LocalId, GlobalId>) {
    let mut code = std::mem::take(&mut cx.program.functions[function].code);
    let live = code.expressions();
    let mut copied: Vec<LocalId> = Vec::new();
    for &id in &live {
        cx.program.each_written(&code.exprs, id, &mut |target| {
            if let Some(l) = code.exprs.base_local(target)
                && replaced.contains_key(&l)
                && !cx.program.is_in_resource(&code.exprs, target)
                && !copied.contains(&l)
            {
                copied.push(l);
            }
        });
    }
    for id in live {
        if let ExprKind::Local(l) = code.exprs[id].kind
            && let Some(global) = replaced.get(&l).filter(|_| !copied.contains(&l))
        {
            code.exprs[id].kind = ExprKind::Global(*global);
        }
    }
    for local in copied {
        let Some(&global) = replaced.get(&local) else { continue };
        let (ty, span) = (code.locals[local].ty, code.locals[local].span);
        let value = code.exprs.push(crate::tree::Expr { kind: ExprKind::Global(global), ty, span });
        code.block.stmts.insert(0, Stmt::new(StmtKind::Local(local, Some(value)), span));
    }
    cx.program.functions[function].code = code;
}
