//! Variables of which a part is used that nothing sets begin as zero.
//!
//! Before: `Cell cell;            cell.count = 1;  cells[i] = cell;`
//! After:  `Cell cell = (Cell)0;  cell.count = 1;  cells[i] = cell;`
//!
//! DXC refuses to store a value that it knows to be undefined, and system values of outputs that nothing sets. What else stages
//! pass on may be: it is left as it is. `out` parameters that a function does not set are set to zero at its start.

use super::needs::Find;
use super::{Context, Pass};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "unset_parts",
    removes: &[(Capability::UnsetParts, Find::body(ExprKinds::ALL, first_unset))],
    // Statements that set a part may go before.
    after: &["dead_code"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    cx.each_body(&mut |cx, function, body| {
        let live = body.expressions();
        let found = unset(cx.program, function, body, &live);
        if found.is_empty() {
            return;
        }
        let outs = cx.program.functions[function].params.iter().map(|p| p.local).filter(|l| found.contains(l));
        let outs: Vec<LocalId> = outs.collect();
        let Body { block, exprs, locals, .. } = body;
        block.visit_mut(&mut |stmt| {
            if let StmtKind::Local(local, value @ None) = &mut stmt.kind
                && found.contains(local)
            {
                let Local { ty, span, .. } = locals[*local];
                *value = Some(exprs.push(Expr { kind: ExprKind::Zero, ty, span }));
            }
        });
        for local in outs.into_iter().rev() {
            let Local { ty, span, .. } = locals[local];
            let mut b = Build::new(&mut cx.program.types, exprs, span);
            let (target, zero) = (b.local(local, ty), b.add(ExprKind::Zero, ty));
            let zeroed = b.set(target, zero);
            block.stmts.insert(0, zeroed);
        }
    });
}

fn first_unset(program: &Program, function: FunctionId, body: &Body, live: &[ExprId]) -> Option<Span> {
    unset(program, function, body, live).into_iter().min().map(|local| body.locals[local].span)
}

/// The variables that are declared without a value and of which a part is used that nothing sets, and `out` parameters like that.
fn unset(program: &Program, function: FunctionId, body: &Body, live: &[ExprId]) -> FxHashSet<LocalId> {
    let mut set: FxHashMap<LocalId, Vec<Path>> = FxHashMap::default();
    body.block.visit(&mut |stmt| match stmt.kind {
        StmtKind::Local(local, None) if is_data(program, body.locals[local].ty) => {
            set.insert(local, Vec::new());
        }
        _ => {}
    });
    let outs: Vec<LocalId> = owed(program, function, body).collect();
    set.extend(outs.iter().map(|local| (*local, Vec::new())));
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
    let is_unset = |local: &LocalId| !is_covered(program, body.locals[*local].ty, &Vec::new(), &set[local]);
    let mut found: FxHashSet<LocalId> = outs.into_iter().filter(is_unset).collect();
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
            let is_passed = has_semantics(program, ty);
            let mut fields = (0..).zip(&program.structs[id].fields);
            fields.all(|(index, field)| {
                is_passed && is_free(program, field) || is_covered(program, field.ty, &inner(index), set)
            })
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

/// Whether a type is data.
fn is_data(program: &Program, ty: TypeId) -> bool {
    let is_data = |leaf: &Type| matches!(leaf, Type::Scalar(_) | Type::Enum(_) | Type::Vector(..) | Type::Matrix(..));
    !program.any_leaf(ty, &mut |leaf| !is_data(&leaf))
}

/// The `out` parameters of which somebody uses what the function sets.
fn owed<'a>(program: &'a Program, function: FunctionId, body: &'a Body) -> impl Iterator<Item = LocalId> + 'a {
    let function_id = function;
    let function = &program.functions[function];
    let is_entry = program.entry_points.iter().any(|entry| entry.roots().any(|root| root == function_id));
    let outs = function.params.iter().filter(move |param| {
        let ty = body.locals[param.local].ty;
        let is_struct = matches!(program.types.get(program.types.innermost(ty)), Type::Struct(_));
        let is_used = if is_entry && !is_struct { param.semantic.is_some_and(is_needed) } else { true };
        // The invocations of a mesh shader share what it gives.
        let is_shared = MESH_ARRAYS.iter().any(|(array, ..)| param.modifiers.has(*array));
        param.mode == ParamMode::Out && !is_shared && is_used && is_data(program, ty)
    });
    outs.map(|param| param.local)
}

/// Whether an output may not be left undefined.
fn is_needed(semantic: Semantic) -> bool {
    /// D3D leaves these alone.
    const FREE: [&str; 3] = ["SV_TARGET", "SV_TESSFACTOR", "SV_INSIDETESSFACTOR"];
    let name = semantic.split().0;
    name.starts_with("SV_") && !FREE.contains(&name.as_str())
}

/// Whether a field of what stages pass on may be left undefined.
fn is_free(program: &Program, field: &Field) -> bool {
    match field.semantic {
        Some(semantic) => !is_needed(semantic),
        None => !matches!(program.types.get(program.types.innermost(field.ty)), Type::Struct(_)),
    }
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
