//! Variables of which a part is used that nothing sets begin as zero.
//!
//! Before: `Cell cell;            cell.count = 1;  cells[i] = cell;`
//! After:  `Cell cell = (Cell)0;  cell.count = 1;  cells[i] = cell;`
//!
//! DXC refuses to store a value that it knows to be undefined. What stages pass on may be: it is left as it is.

use super::needs::Find;
use super::{Context, Pass};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "unset_parts",
    removes: &[(Capability::UnsetParts, Find::Body(first_unset))],
    // Statements that set a part may go before.
    after: &["dead_code"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    cx.each_body(&mut |cx, _, body| {
        let live = body.expressions();
        let found = unset(cx.program, body, &live);
        if found.is_empty() {
            return;
        }
        let Body { block, exprs, locals, .. } = body;
        block.visit_mut(&mut |stmt| {
            if let StmtKind::Local(local, value @ None) = &mut stmt.kind
                && found.contains(local)
            {
                let Local { ty, span, .. } = locals[*local];
                *value = Some(exprs.push(Expr { kind: ExprKind::Zero, ty, span }));
            }
        });
    });
}

fn first_unset(program: &Program, _: FunctionId, body: &Body, live: &[ExprId]) -> Option<Span> {
    unset(program, body, live).into_iter().min().map(|local| body.locals[local].span)
}

/// The variables that are declared without a value and of which a part is used that nothing sets.
fn unset(program: &Program, body: &Body, live: &[ExprId]) -> FxHashSet<LocalId> {
    let mut set: FxHashMap<LocalId, Vec<Path>> = FxHashMap::default();
    body.block.visit(&mut |stmt| match stmt.kind {
        StmtKind::Local(local, None) if is_own_data(program, body.locals[local].ty) => {
            set.insert(local, Vec::new());
        }
        _ => {}
    });
    if set.is_empty() {
        return FxHashSet::default();
    }
    // What is set, and the places of which parts are meant.
    let (mut given, mut around) = (FxHashSet::default(), FxHashSet::default());
    for id in live {
        program.each_written(&body.exprs, *id, &mut |place| {
            given.insert(place);
            for (local, path) in paths(&body.exprs, place) {
                set.entry(local).and_modify(|list| list.push(path));
            }
        });
        around.extend(base(&body.exprs[*id].kind));
    }
    let mut found = FxHashSet::default();
    for id in live.iter().filter(|id| !given.contains(id) && !around.contains(id)) {
        for (local, path) in paths(&body.exprs, *id) {
            if let Some(list) = set.get(&local)
                && !is_covered(program, body.exprs[*id].ty, &path, list)
            {
                found.insert(local);
            }
        }
    }
    found
}

/// The way from a variable to a part of it; nothing for an element that only the running shader knows.
type Path = Vec<Option<u32>>;

/// The parts of variables that an expression names as a place: a swizzle names several.
fn paths(exprs: &ExprArena, place: ExprId) -> Vec<(LocalId, Path)> {
    let below = |base: ExprId, steps: &[Option<u32>]| {
        let mut found = paths(exprs, base);
        found.iter_mut().for_each(|(_, path)| path.extend(steps));
        found
    };
    match &exprs[place].kind {
        ExprKind::Local(local) => vec![(*local, Vec::new())],
        ExprKind::Field(base, index) => below(*base, &[Some(*index)]),
        ExprKind::Index(base, index) => {
            let element = match exprs[*index].kind {
                ExprKind::Literal(Literal::Int(n), _) => u32::try_from(n).ok(),
                _ => None,
            };
            below(*base, &[element])
        }
        ExprKind::Swizzle(base, swizzle) => {
            swizzle.list().iter().flat_map(|c| below(*base, &[Some(u32::from(*c))])).collect()
        }
        ExprKind::MatrixSwizzle(base, list) => {
            list.iter().flat_map(|(row, column)| below(*base, &[*row, *column].map(|n| Some(n.into())))).collect()
        }
        _ => Vec::new(),
    }
}

/// What an expression takes a part of.
fn base(kind: &ExprKind) -> Option<ExprId> {
    match kind {
        ExprKind::Field(base, _)
        | ExprKind::Index(base, _)
        | ExprKind::Swizzle(base, _)
        | ExprKind::MatrixSwizzle(base, _) => Some(*base),
        _ => None,
    }
}

/// Whether all of a part is in what is set.
fn is_covered(program: &Program, ty: TypeId, path: &Path, set: &[Path]) -> bool {
    /// Longer arrays are not looked into.
    const MOST: u32 = 64;
    let meets = |own: &&Path, path: &Path| own.iter().zip(path).all(|(a, b)| a.is_none() || b.is_none() || a == b);
    let is_set = |path: &Path| set.iter().filter(|own| meets(own, path)).any(|own| own.len() <= path.len());
    if is_set(path) {
        return true;
    }
    let inner = |index: u32| -> Path { path.iter().copied().chain([Some(index)]).collect() };
    match program.types.get(ty) {
        Type::Struct(id) => {
            let mut fields = (0..).zip(&program.structs[id].fields);
            fields.all(|(index, field)| is_covered(program, field.ty, &inner(index), set))
        }
        Type::Array(element, count) => match count.laid_out() {
            Some(count) if count <= MOST => (0..count).all(|index| is_covered(program, element, &inner(index), set)),
            _ => set.iter().any(|own| meets(&own, path)),
        },
        Type::Vector(_, count) => (0..u32::from(count)).all(|index| is_set(&inner(index))),
        // Rows or components of a matrix may be set.
        Type::Matrix(..) => set.iter().any(|own| meets(&own, path)),
        _ => false,
    }
}

/// Whether a type is data, and none that stages pass on.
fn is_own_data(program: &Program, ty: TypeId) -> bool {
    let is_data = |leaf: &Type| matches!(leaf, Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..));
    !program.any_leaf(ty, &mut |leaf| !is_data(&leaf)) && !has_semantics(program, ty)
}

fn has_semantics(program: &Program, ty: TypeId) -> bool {
    match program.types.get(program.types.innermost(ty)) {
        Type::Struct(id) => {
            let fields = &program.structs[id].fields;
            fields.iter().any(|field| field.semantic.is_some() || has_semantics(program, field.ty))
        }
        _ => false,
    }
}
