//! Fields of structs without fields, and of arrays without elements, are dropped.
//!
//! Before: `struct Tag {}      struct Light { float3 color; Tag tag; }      f(light.tag)`
//! After:  `struct Tag {}      struct Light { float3 color; }               f((Tag)0)`
//!
//! They take no bytes, so layouts stay.

use super::fields::Moved;
use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::analyses::is_pure;
use crate::tree::{
    Body, Expr, ExprArena, ExprId, ExprKind, Length, LocalId, ParamMode, Program, Stmt, StmtKind, Type, TypeId, Types,
};
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "empty_structs",
    removes: &[(Capability::EmptyStructs, Find::Field(|p, f| is_empty(p, f.ty)))],
    after: &["storage"],
    run,
    ..Pass::ROW
};

/// Whether a type is a struct without fields, or with none but such, or an array of such or of no elements.
pub(super) fn is_empty(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Struct(id) => program.structs[id].fields.iter().all(|f| is_empty(program, f.ty)),
        Type::Array(element, Length::Fixed(0)) => !program.holds_resource(element),
        Type::Array(element, Length::Fixed(_)) => is_empty(program, element),
        _ => false,
    }
}

fn run(cx: &mut Context) {
    let program = &*cx.program;
    let moved = Moved::of(program, |f| !is_empty(program, f.ty));
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            // What is assigned to a dropped field is still evaluated, but goes nowhere.
            if let ExprKind::Assign(None, target, value) = exprs[id].kind
                && let Some(indices) = indices_of_dropped(types, exprs, &moved, target)
            {
                let (ty, span) = (exprs[value].ty, exprs[value].span);
                let evaluated = indices
                    .into_iter()
                    .fold(value, |value, index| exprs.push(Expr { kind: ExprKind::Comma(index, value), ty, span }));
                exprs.replace_by(id, evaluated);
            }
        }
        // An element of a dropped field is one of nothing.
        for &id in live {
            if let ExprKind::Index(..) = exprs[id].kind
                && indices_of_dropped(types, exprs, &moved, id).is_some_and(|indices| indices.is_empty())
            {
                exprs[id].kind = ExprKind::Zero;
            }
        }
    });
    moved.apply(cx.program, &mut |access| access.kind = ExprKind::Zero);
    pass_variables(cx);
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            let is_struct = matches!(types.get(exprs[id].ty), Type::Struct(_));
            if is_struct && matches!(&exprs[id].kind, ExprKind::Construct(parts) if parts.is_empty()) {
                exprs[id].kind = ExprKind::Zero;
            }
        }
    });
}

/// Of a dropped field, or of an element of one: the indices that do something when they are evaluated, the inner ones last.
fn indices_of_dropped(types: &Types, exprs: &ExprArena, moved: &Moved, place: ExprId) -> Option<Vec<ExprId>> {
    match exprs[place].kind {
        ExprKind::Field(base, index) => moved.drops(types.get(exprs[base].ty), index).then(Vec::new),
        ExprKind::Index(base, index) => {
            let mut indices = indices_of_dropped(types, exprs, moved, base)?;
            if !is_pure(exprs, index) {
                indices.insert(0, index);
            }
            Some(indices)
        }
        _ => None,
    }
}

/// What was dropped and is passed by reference is a variable of its own.
fn pass_variables(cx: &mut Context) {
    cx.each_body(&mut |cx, _, body| {
        let mut variables: BTreeMap<TypeId, LocalId> = BTreeMap::new();
        for id in body.expressions() {
            let ExprKind::Call(f, args) = &body.exprs[id].kind else { continue };
            let modes = cx.program.functions[*f].params.iter().map(|p| p.mode);
            let by_reference = args.iter().copied().zip(modes).filter(|(_, mode)| *mode != ParamMode::In);
            for (arg, _) in by_reference.collect::<Vec<_>>() {
                if matches!(body.exprs[arg].kind, ExprKind::Zero) && is_empty(cx.program, body.exprs[arg].ty) {
                    body.exprs[arg].kind = ExprKind::Local(variable(body, &mut variables, arg));
                }
            }
        }
    });
}

/// The variable of a type, declared at the start of the body.
fn variable(body: &mut Body, variables: &mut BTreeMap<TypeId, LocalId>, arg: ExprId) -> LocalId {
    let (ty, span) = (body.exprs[arg].ty, body.exprs[arg].span);
    if let Some(local) = variables.get(&ty) {
        return *local;
    }
    let local = body.add_local("empty", ty, span);
    variables.insert(ty, local);
    body.block.stmts.insert(0, Stmt::new(StmtKind::Local(local, None), span));
    local
}
