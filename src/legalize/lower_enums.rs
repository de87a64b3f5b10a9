//! Enums become their tag type, and their cases constants.
//!
//! Before: `enum Mode { Flat, Lit = 4 }      Mode m = Mode::Lit;`
//! After:  `static const int Mode_Lit = 4;   int m = Mode_Lit;`
//!
//! Case labels of a `switch` name the constants too.

use super::needs::Find;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::{Build, EnumId, Expr, ExprKind, ExprTree, Global, GlobalId, GlobalKind, Item, Scalar, Type, TypeId};
use rustc_hash::FxHashMap;

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
    let mut used = std::collections::BTreeSet::new();
    cx.program.each_exprs(&mut |exprs, live| {
        for &id in live {
            if let ExprKind::EnumCase(e, index) = exprs[id].kind {
                used.insert((e, index));
            }
        }
    });
    let mut constants = FxHashMap::default();
    let mut introduced = None;
    for (e, index) in used {
        let Some(tag) = tags.get(e.0 as usize) else { continue };
        let ty = cx.program.types.scalar(*tag);
        let Some(mut global) = constant(cx, e, index, ty) else { continue };
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

fn constant(cx: &mut Context, e: EnumId, index: u32, ty: TypeId) -> Option<Global> {
    let declared = &cx.program.enums[e];
    let case = declared.cases.get(index as usize)?.clone();
    let name =
        if declared.name.is_empty() { case.name.to_string() } else { format!("{}_{}", declared.name, case.name) };
    let span = declared.span;
    let mut exprs = crate::tree::ExprArena::default();
    let root = Build::new(&mut cx.program.types, &mut exprs, span).number(case.value, ty);
    let mut global = Global::new(name.as_str(), ty, GlobalKind::Const, span);
    global.comments = case.comments;
    global.init = Some(ExprTree { exprs, root });
    Some(global)
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
