//! A texture that is compared with, and is an argument of functions too, is compared with in a function.
//!
//! Before: `shadow.SampleCmp(s, uv, z)`                                                `lit(shadow)`
//! After:  `float SampleCmp(Texture2D t, SamplerComparisonState s, float2 uv, float z)
//!          { return t.SampleCmp(s, uv, z); }           SampleCmp(shadow, s, uv, z)`    `lit(shadow)`
//!
//! glslang makes a variable that it sees compared one of another type, and the parameters of functions not: its SPIR-V would not
//! be valid.

use super::{Context, Pass};
use crate::check::constant::{Value, eval};
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "compared_arguments",
    always: Some("which textures are compared and passed shows when all resources are named"),
    after: &["resolve_resources", "sampler_pairs"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    if cx.profile.has(Capability::ComparedArguments) {
        return;
    }
    let passed = passed(cx.program);
    // By the builtin and its constants.
    let mut made: FxHashMap<(FunctionId, String), FunctionId> = FxHashMap::default();
    cx.each_body(&mut |cx, _, body| {
        for id in body.expressions() {
            if !compared(cx.program, body, id).is_some_and(|texture| passed.contains(&texture)) {
                continue;
            }
            let ExprKind::Call(builtin, args) = body.exprs[id].kind.clone() else { continue };
            let constants = constants(cx.program, body, builtin, &args);
            let kept = |(at, _): &(usize, ExprId)| constants.iter().all(|(own, _)| own != at);
            let given = args.into_iter().enumerate().filter(kept).map(|(_, arg)| arg).collect();
            let function = *made
                .entry((builtin, format!("{constants:?}")))
                .or_insert_with(|| function(cx.program, builtin, &constants));
            body.exprs[id].kind = ExprKind::Call(function, given);
        }
    });
}

/// The texture that a call compares with, which is a variable.
fn compared(program: &Program, body: &Body, id: ExprId) -> Option<GlobalId> {
    let ExprKind::Call(builtin, args) = &body.exprs[id].kind else { return None };
    let builtin = &program.functions[*builtin];
    let spelled = matches!(builtin.body, FunctionBody::Intrinsic(_)) && builtin.is_marked("__depth_texture");
    match args.first().filter(|_| spelled).map(|texture| &body.exprs[*texture]) {
        Some(Expr { kind: ExprKind::Global(texture), ty, .. }) => match program.types.get(*ty) {
            Type::Texture(t) if !t.combined => Some(*texture),
            _ => None,
        },
        _ => None,
    }
}

/// The variables that are arguments of functions with a text.
fn passed(program: &Program) -> FxHashSet<GlobalId> {
    let mut passed = FxHashSet::default();
    for id in program.reachable_functions() {
        let body = &program.functions[id].code;
        for id in body.expressions() {
            let ExprKind::Call(function, args) = &body.exprs[id].kind else { continue };
            if matches!(program.functions[*function].body, FunctionBody::Block) {
                let named = |arg: &ExprId| match body.exprs[*arg].kind {
                    ExprKind::Global(global) => Some(global),
                    _ => None,
                };
                passed.extend(args.iter().filter_map(named));
            }
        }
    }
    passed
}

/// The arguments that the builtin wants to be constants, by their numbers.
fn constants(program: &Program, body: &Body, builtin: FunctionId, args: &[ExprId]) -> Vec<(usize, Value)> {
    let params = program.functions[builtin].params.iter().zip(args).enumerate();
    let constant = params.filter(|(_, (param, _))| param.constant);
    constant.filter_map(|(at, (_, arg))| Some((at, eval(program, &body.exprs, *arg).ok()?))).collect()
}

/// The function that calls the builtin.
fn function(program: &mut Program, builtin: FunctionId, constants: &[(usize, Value)]) -> FunctionId {
    let mut function = program.functions[builtin].clone();
    let (result, span) = (function.result, function.span);
    let mut code = Body { locals: function.code.locals.clone(), ..Body::default() };
    let mut args = Vec::new();
    for (at, param) in function.params.iter().enumerate() {
        let ty = function.code.locals[param.local].ty;
        let constant = constants.iter().find(|(own, _)| *own == at);
        let constant = constant.and_then(|(_, value)| value.to_expr(&mut code.exprs, program, ty, span));
        let kind = ExprKind::Local(param.local);
        args.push(constant.unwrap_or_else(|| code.exprs.push(Expr { kind, ty, span })));
    }
    let value = code.exprs.push(Expr { kind: ExprKind::Call(builtin, args), ty: result, span });
    code.block.stmts.push(Stmt::new(StmtKind::Return(Some(value)), span));
    let params = std::mem::take(&mut function.params).into_iter().enumerate();
    let kept = params.filter(|(at, _)| constants.iter().all(|(own, _)| own != at)).map(|(_, param)| param);
    function.params = kept.map(|param| Param { constant: false, ..param }).collect();
    function.name = function.known_as();
    function.instance = Symbol::new(&constants.iter().map(|(_, value)| words(value)).collect::<Vec<_>>().join("_"));
    (function.body, function.code, function.owner) = (FunctionBody::Block, code, None);
    function.attributes.clear();
    function.comments.clear();
    let id = program.functions.push(function);
    program.items.put_before(Some(Item::Function(builtin)), Item::Function(id));
    id
}

/// A constant as part of a name.
fn words(value: &Value) -> String {
    match value {
        Value::Composite(parts) => parts.iter().map(words).collect::<Vec<_>>().join("_"),
        Value::Int(n @ ..0, _) => format!("minus{}", n.unsigned_abs()),
        Value::Int(n, _) => n.to_string(),
        Value::Bool(_) | Value::Float(..) | Value::Text(_) => String::new(),
    }
}
