//! A constant that a function declares stands in the function, as the source has it.
//!
//! Before: `static const uint count = 4;   uint f(uint x) { return x * count; }`
//! After:  `uint f(uint x) { static const uint count = 4; return x * count; }`
//!
//! Up to here it is one of the module: whatever works on constants has one kind of them. Each function that came of the one in
//! the source gets its own. A constant stays in the module where something else there names it, where its value is made by calls
//! or read from buffers, since what a target demands of those depends on where they stand, and where the target has to know the
//! value, which it does of a constant of the module.

use super::needs::{Needs, needs};
use super::{Context, Pass};
use crate::source::Span;
use crate::tree::{
    BinaryOp, Block, Body, ExprArena, ExprId, ExprKind, ExprTree, FunctionId, GlobalId, GlobalKind, Item, Length,
    Local, Modifiers, NumberName, Program, Stmt, StmtKind, Type, UnaryOp,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;

pub(super) const PASS: Pass = Pass {
    name: "local_constants",
    always: Some("a constant of a function stands in it on every target"),
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let movable = movable(cx.program);
    if movable.is_empty() {
        return;
    }
    let needed = needs(cx.program, cx.profile);
    let moved = match declare_all(cx, &movable, &needed) {
        true => movable,
        false => one_by_one(cx, movable, &needed),
    };
    moved.iter().for_each(|global| cx.program.items.remove(Item::Global(*global)));
    if cx.program.written_numbers.has_names() {
        let globals = &cx.program.globals;
        let name = |id: GlobalId| moved.contains(&id).then(|| globals[id].span);
        Arc::make_mut(&mut cx.program.written_numbers).move_constants(&name);
    }
}

/// Declares those constants that may stand in functions: the last first, since what stays needs what it is made of.
fn one_by_one(cx: &mut Context, mut movable: Vec<GlobalId>, needed: &Needs) -> Vec<GlobalId> {
    let mut kept = FxHashSet::default();
    let mut moved = Vec::new();
    while let Some(id) = movable.pop() {
        if !kept.contains(&id) && declare_all(cx, &[id], needed) {
            moved.push(id);
        } else {
            kept.extend(cx.program.analyses().item_uses(Item::Global(id)).into_iter().filter_map(global_of));
        }
    }
    moved
}

/// Declares constants in the functions that name them. Where the program then needs what the target lacks, since a value is known
/// of a constant of the module alone, nothing changes.
fn declare_all(cx: &mut Context, constants: &[GlobalId], needed: &Needs) -> bool {
    let functions: Vec<FunctionId> = cx.program.items.iter().filter_map(|item| item.function()).collect();
    let mut before = Vec::new();
    for id in functions {
        let mut body = cx.program.functions[id].code.clone();
        // The last first: what it is made of then is named in the function too.
        let mut declared = 0;
        for global in constants.iter().rev() {
            declared += usize::from(declare(cx.program, (id, &mut body), *global));
        }
        if declared > 0 {
            before.push((id, std::mem::replace(&mut cx.program.functions[id].code, body)));
        }
    }
    let fits = needs(cx.program, cx.profile).keys().all(|capability| needed.contains_key(capability));
    if !fits {
        before.into_iter().for_each(|(id, body)| cx.program.functions[id].code = body);
    }
    fits
}

/// The constants that functions declare and only functions name, or others of them; each behind those that it is made of.
fn movable(program: &Program) -> Vec<GlobalId> {
    let listed: Vec<GlobalId> = program.listed_globals().collect();
    let analyses = program.analyses();
    let sizes = program.types.ids().filter_map(|ty| sizing(program.types.get(ty)));
    let mut kept: FxHashSet<GlobalId> = sizes.collect();
    let types = program.items.iter().filter(|item| matches!(item, Item::Struct(_) | Item::Enum(_)));
    kept.extend(types.flat_map(|item| analyses.item_uses(*item)).filter_map(global_of));
    // Whoever names a constant stands behind it, so that what is kept is known before what it is made of is looked at.
    for id in listed.iter().rev() {
        if kept.contains(id) || !is_local(program, *id) {
            kept.insert(*id);
            kept.extend(analyses.item_uses(Item::Global(*id)).into_iter().filter_map(global_of));
        }
    }
    listed.into_iter().filter(|id| !kept.contains(id)).collect()
}

fn global_of(item: Item) -> Option<GlobalId> {
    match item {
        Item::Global(id) => Some(id),
        Item::Struct(_) | Item::Enum(_) | Item::Function(_) => None,
    }
}

/// The constant that is the size of an array.
fn sizing(ty: Type) -> Option<GlobalId> {
    match ty {
        Type::Array(_, Length::Constant(size)) => Some(size.global),
        _ => None,
    }
}

/// Whether a global is a constant that a function declares, with a value that may stand anywhere.
fn is_local(program: &Program, id: GlobalId) -> bool {
    let global = &program.globals[id];
    let is_plain = |tree: &ExprTree| {
        let parts = tree.exprs.post_order(tree.root);
        parts.into_iter().all(|part| is_plain(program, &tree.exprs, part))
    };
    global.in_function.is_some() && global.kind == GlobalKind::Const && global.init.as_ref().is_some_and(is_plain)
}

/// Whether a part of a value is the same wherever it stands.
fn is_plain(program: &Program, exprs: &ExprArena, part: ExprId) -> bool {
    match exprs[part].kind {
        ExprKind::Literal(..)
        | ExprKind::EnumCase(..)
        | ExprKind::Zero
        | ExprKind::Construct(_)
        | ExprKind::Convert(..)
        | ExprKind::Swizzle(..)
        | ExprKind::Unary(UnaryOp::Negate, _)
        | ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div, ..) => true,
        ExprKind::Global(global) => program.globals[global].kind == GlobalKind::Const,
        _ => false,
    }
}

/// Declares a constant in a function, if that names it.
fn declare(program: &Program, (function, body): (FunctionId, &mut Body), id: GlobalId) -> bool {
    let names: Vec<ExprId> = body
        .expressions()
        .into_iter()
        .filter(|e| matches!(body.exprs[*e].kind, ExprKind::Global(g) if g == id))
        .collect();
    let global = &program.globals[id];
    let name = NumberName::Constant(id);
    let sizes = program.number_names(&program.functions[function], body).into_iter().filter(|of| *of == name).count();
    let (true, Some(tree)) = (sizes + names.len() > 0, &global.init) else { return false };
    let mut modifiers = global.modifiers;
    [Modifiers::CONST, Modifiers::STATIC].into_iter().for_each(|m| modifiers.set(m));
    let local =
        body.locals.push(Local { name: global.name, ty: global.ty, constant: true, modifiers, span: global.span });
    let value = body.exprs.import(&tree.exprs, tree.root, &mut |_, _| None);
    let mut made = Stmt::new(StmtKind::Local(local, Some(value)), global.span);
    made.comments.clone_from(&global.comments);
    made.blank_before = global.in_function.is_some_and(|place| place.blank_before);
    let (exprs, named) = (&body.exprs, names.iter().copied().collect::<FxHashSet<_>>());
    let in_numbers = |stmt: &Stmt| match sizes {
        0 => 0,
        _ => program.numbers_in(&body.locals, stmt).into_iter().filter(|of| *of == name).count(),
    };
    let counts = |stmts: &[Stmt]| stmts.iter().map(|stmt| count(exprs, stmt, &named) + in_numbers(stmt)).sum();
    place(&mut body.block, made, &counts);
    for name in names {
        body.exprs[name].kind = ExprKind::Local(local);
    }
    true
}

/// How often a statement and those in it have one of some expressions.
fn count(exprs: &ExprArena, stmt: &Stmt, of: &FxHashSet<ExprId>) -> usize {
    let mut found = 0;
    stmt.visit(&mut |stmt| {
        stmt.own_exprs(&mut |root| found += exprs.post_order(root).into_iter().filter(|e| of.contains(e)).count());
    });
    found
}

/// Puts a declaration where the source has it, as far as what names it stands behind it and in its scope.
fn place(block: &mut Block, made: Stmt, counts: &dyn Fn(&[Stmt]) -> usize) {
    let named = |stmt: &Stmt| counts(std::slice::from_ref(stmt)) > 0;
    let first = block.stmts.iter().position(named).unwrap_or(block.stmts.len());
    let all = counts(&block.stmts);
    let mut made = Some(made);
    if let Some(stmt) = block.stmts.get_mut(first)
        && made.as_ref().is_some_and(|made| holds(stmt.span, made.span))
    {
        stmt.blocks_mut(&mut |inner| {
            if counts(&inner.stmts) == all
                && let Some(made) = made.take()
            {
                place(inner, made, counts);
            }
        });
    }
    let Some(made) = made else { return };
    let behind = |stmt: &Stmt| stmt.span.file == made.span.file && stmt.span.start > made.span.start;
    let at = block.stmts.iter().position(behind).map_or(first, |at| at.min(first));
    block.stmts.insert(at, made);
}

/// Whether a range lies in another.
fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}
