//! Enums become their tag type, and their cases constants.
//!
//! Before: `enum Mode { Flat, Lit = 1 << 2 }      Mode m = Mode::Lit;`
//! After:  `static const int Mode_Lit = 1 << 2;   int m = Mode_Lit;`
//!
//! Case labels of a `switch` name the constants too.

use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::{
    Build, EnumId, Expr, ExprKind, ExprTree, Global, GlobalId, GlobalKind, Item, Program, Scalar, Type, TypeId,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

pub(super) const PASS: Pass = Pass {
    name: "lower_enums",
    // The numbers and bools that enums are, and that are switched over.
    adds: &[
        Capability::Int8,
        Capability::Int16,
        Capability::Int64,
        Capability::SwitchWidths,
        Capability::BoolInBuffers,
        Capability::BoolBitOperators,
        Capability::BoolXor,
        // The elements that arrays in uniform blocks have then, and what is copied between blocks and buffers.
        Capability::SparseUniformArrays,
        Capability::BufferCopies,
    ],
    removes: &[(Capability::Enums, Find::Type(|_, t| matches!(t, Type::Enum(_))))],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let tags: Vec<Scalar> = cx.program.enums.iter().map(|(_, e)| e.tag).collect();
    let constants = declare_constants(cx, &tags);
    cx.program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            if let ExprKind::EnumCase(e, index) = exprs[id].kind
                && let Some(&global) = constants.get(&(e, index))
            {
                exprs[id].kind = ExprKind::Global(global);
            }
        }
    });
    cx.program.map_types(&mut |types, ty| match types.get(ty) {
        Type::Enum(e) => tags.get(e.0 as usize).map_or(ty, |tag| types.scalar(*tag)),
        _ => ty,
    });
    drop_void_conversions(cx);
}

/// A constant for every case that is used, listed where the enum was.
fn declare_constants(cx: &mut Context, tags: &[Scalar]) -> FxHashMap<(EnumId, u32), GlobalId> {
    let mut used = BTreeSet::new();
    cx.program.each_exprs(&mut |exprs, live| {
        for &id in live {
            if let ExprKind::EnumCase(e, index) = exprs[id].kind {
                used.insert((e, index));
            }
        }
    });
    // Cases that others are made of come before them.
    for (e, index) in used.clone().into_iter().rev() {
        use_parts(cx.program, (e, index), &mut used);
    }
    let mut constants = FxHashMap::default();
    let mut introduced = None;
    for (e, index) in used {
        let Some(tag) = tags.get(e.0 as usize) else { continue };
        let ty = cx.program.types.scalar(*tag);
        let Some(mut global) = constant(cx, (e, index), ty, &constants) else { continue };
        // What was said before the enum stands before the first constant that is left of it.
        if introduced.replace(e) != Some(e) {
            global.comments.splice(0..0, cx.program.enums[e].comments.iter().cloned());
        }
        let id = cx.program.globals.push(global);
        cx.program.items.put_before(Some(Item::Enum(e)), Item::Global(id));
        constants.insert((e, index), id);
    }
    cx.program.items.settle();
    cx.program.items.retain(|i| !matches!(i, Item::Enum(_)));
    constants
}

/// Adds the cases that a case is made of. Each is before it.
fn use_parts(program: &Program, (e, index): (EnumId, u32), used: &mut BTreeSet<(EnumId, u32)>) {
    let mut open = vec![index];
    while let Some(index) = open.pop() {
        let case = program.enums[e].cases.get(index as usize);
        let Some(written) = case.and_then(|case| case.written.as_ref()) else { continue };
        for (_, expr) in written.exprs.iter() {
            if let ExprKind::EnumCase(_, part) = expr.kind
                && used.insert((e, part))
            {
                open.push(part);
            }
        }
    }
}

/// The constant of a case, where those before it have some.
fn constant(
    cx: &mut Context,
    (e, index): (EnumId, u32),
    ty: TypeId,
    before: &FxHashMap<(EnumId, u32), GlobalId>,
) -> Option<Global> {
    let declared = &cx.program.enums[e];
    let case = declared.cases.get(index as usize)?.clone();
    let name =
        if declared.name.is_empty() { case.name.to_string() } else { format!("{}_{}", declared.name, case.name) };
    let span = declared.span;
    let value = case.written.and_then(|written| with_constants(written, before)).unwrap_or_else(|| {
        let mut exprs = crate::tree::ExprArena::default();
        let root = Build::new(&mut cx.program.types, &mut exprs, span).number(case.value, ty);
        ExprTree { exprs, root }
    });
    let mut global = Global::new(name.as_str(), ty, GlobalKind::Const, span);
    global.comments = case.comments;
    global.init = Some(value);
    Some(global)
}

/// A value with the constants of the cases that it names.
fn with_constants(value: ExprTree, constants: &FxHashMap<(EnumId, u32), GlobalId>) -> Option<ExprTree> {
    let mut value = value;
    let ids: Vec<_> = value.exprs.iter().map(|(id, _)| id).collect();
    for id in ids {
        if let ExprKind::EnumCase(e, index) = value.exprs[id].kind {
            value.exprs[id].kind = ExprKind::Global(*constants.get(&(e, index))?);
        }
    }
    Some(value)
}

/// What converted between an enum and its own tag type converts nothing now.
fn drop_void_conversions(cx: &mut Context) {
    cx.program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            if let Expr { kind: ExprKind::Convert(inner, _), ty, .. } = exprs[id]
                && exprs[inner].ty == ty
            {
                exprs.replace_by(id, inner);
            }
        }
    });
}
