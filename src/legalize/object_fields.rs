//! Ray queries and hit objects in structs become variables and parameters beside them.
//!
//! Before: `struct Tracer { RayQuery<0> query; uint steps; }     Tracer t;                          advance(t);`
//! After:  `struct Tracer { uint steps; }                         RayQuery<0> t_query; Tracer t;     advance(t, t_query);`
//!
//! A function that gives such a struct writes its objects through parameters. Arrays of structs and variables of the module stay as
//! they are, and are errors.

use super::hoist::{self, Mark, Marks};
use super::object_results::direct;
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "object_fields",
    lessens: &[Capability::ObjectValues],
    adds: &[
        Capability::ObjectParameters,
        Capability::ObjectElements,
        Capability::ObjectArrays,
        Capability::OutParameters,
    ],
    after: &["select_target", "lower_properties"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    hoist::hoist_all(cx, &mut inner_calls);
    let program = &mut *cx.program;
    let bodies = program.functions_with_code();
    let elsewhere = program.globals.iter().any(|(_, g)| holds(program, g.ty));
    if elsewhere || !bodies.iter().all(|id| splits(program, &program.functions[*id].code)) {
        return;
    }
    for &id in &bodies {
        let mut body = std::mem::take(&mut program.functions[id].code);
        let results = results(program, id, &mut body);
        whole_values(program, &mut body, &results);
        program.functions[id].code = body;
        variables(program, id);
        program.functions[id].params.extend(results.iter().map(|(_, p)| written(*p)));
    }
    drop_fields(program);
}

/// Calls that give structs of objects inside of expressions.
fn inner_calls(program: &Program, body: &Body) -> Marks {
    let mut stand = FxHashSet::default();
    body.block.visit(&mut |stmt| stand.extend(direct(&body.exprs, stmt)));
    let gives = |id: &ExprId| matches!(body.exprs[*id].kind, ExprKind::Call(..)) && holds(program, body.exprs[*id].ty);
    let inner = body.expressions().into_iter().filter(|id| gives(id) && !stand.contains(id));
    inner.map(|id| (id, Mark::Value(hoist::temporary_name(program, body, id)))).collect()
}

/// A parameter for an object that a function writes.
fn written(local: LocalId) -> Param {
    Param { mode: ParamMode::InOut, ..Param::new(local) }
}

/// What a function writes of the struct that it gives: where it is in the struct, and the variable.
type Results = Vec<(Vec<u32>, LocalId)>;

fn results(program: &Program, function: FunctionId, body: &mut Body) -> Results {
    let Function { result, span, .. } = program.functions[function];
    let leaves = if holds(program, result) { leaves(program, result) } else { Vec::new() };
    let declare = |(path, ty): (Vec<u32>, TypeId)| {
        let local = body.add_local(format!("result{}", path_name(program, result, &path)).as_str(), ty, span);
        (path, local)
    };
    leaves.into_iter().map(declare).collect()
}

/// The names of the fields on a way, with `_` before each.
fn path_name(program: &Program, ty: TypeId, path: &[u32]) -> String {
    let steps: Vec<Step> = path.iter().map(|i| Step::Field(*i)).collect();
    program.path_text(ty, &steps).replace('.', "_")
}

/// Whether a struct, or what is made of one, has objects in it.
fn holds(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(program.types.innermost(ty)), Type::Struct(_))
        && program.any_leaf(ty, &mut |leaf| leaf.is_object())
}

/// The objects in a struct: the fields that lead to each, with its type.
fn leaves(program: &Program, ty: TypeId) -> Vec<(Vec<u32>, TypeId)> {
    let mut list = Vec::new();
    for (index, field) in program.fields(ty).iter().enumerate() {
        let index = index as u32;
        if program.types.get(program.types.innermost(field.ty)).is_object() {
            list.push((vec![index], field.ty));
        } else if holds(program, field.ty) {
            let inner = leaves(program, field.ty);
            list.extend(inner.into_iter().map(|(path, ty)| ([&[index], path.as_slice()].concat(), ty)));
        }
    }
    list
}

/// Whether an expression names a variable or a field of one.
fn is_place(exprs: &ExprArena, id: ExprId) -> bool {
    match exprs[id].kind {
        ExprKind::Local(_) => true,
        ExprKind::Field(base, _) => is_place(exprs, base),
        _ => false,
    }
}

/// Whether all that a body does with structs of objects can be done with their parts.
fn splits(program: &Program, body: &Body) -> bool {
    let exprs = &body.exprs;
    let arrays = |ty| holds(program, ty) && !matches!(program.types.get(ty), Type::Struct(_));
    let mut fields = program.structs.iter().flat_map(|(_, s)| &s.fields);
    if body.locals.iter().any(|(_, l)| arrays(l.ty)) || fields.any(|f| arrays(f.ty)) {
        return false;
    }
    // What is assigned, declared or returned as a whole.
    let mut given = FxHashSet::default();
    body.block.visit(&mut |stmt| match stmt.kind {
        StmtKind::Local(_, Some(value)) | StmtKind::Return(Some(value)) => drop(given.insert(value)),
        StmtKind::Expr(e) => {
            if let ExprKind::Assign(None, _, value) = exprs[e].kind {
                given.extend([e, value]);
            }
        }
        _ => {}
    });
    body.expressions().into_iter().all(|id| {
        let calls = match &exprs[id].kind {
            ExprKind::Call(f, args) => {
                let own = matches!(program.functions[*f].body, FunctionBody::Block);
                args.iter().all(|a| !holds(program, exprs[*a].ty) || own && is_place(exprs, *a))
            }
            _ => true,
        };
        let whole = match exprs[id].kind {
            ExprKind::Call(f, _) => matches!(program.functions[f].body, FunctionBody::Block) && given.contains(&id),
            ExprKind::Assign(..) | ExprKind::Construct(_) | ExprKind::Zero => given.contains(&id),
            _ => is_place(exprs, id),
        };
        calls && (whole || !holds(program, exprs[id].ty))
    })
}

/// The object at a path below a place, or the value that it is given there by a constructor.
fn part(program: &mut Program, exprs: &mut ExprArena, whole: ExprId, path: &[u32], ty: TypeId) -> Option<ExprId> {
    let mut at = whole;
    for (depth, index) in path.iter().enumerate() {
        match exprs[at].kind.clone() {
            ExprKind::Construct(parts) => at = *parts.get(*index as usize)?,
            ExprKind::Zero => return None,
            _ => {
                let mut base = exprs.duplicate(at);
                for index in path.get(depth..).unwrap_or_default() {
                    let inner = program.field(exprs[base].ty, *index).map_or(ty, |f| f.ty);
                    let span = exprs[base].span;
                    base = Build::new(&mut program.types, exprs, span).field(base, *index, inner);
                }
                return Some(base);
            }
        }
    }
    (!matches!(exprs[at].kind, ExprKind::Zero)).then_some(at)
}

/// What is declared, assigned and passed as a whole is so in parts, too.
fn whole_values(program: &mut Program, body: &mut Body, results: &Results) {
    for id in body.expressions() {
        let ExprKind::Call(f, args) = body.exprs[id].kind.clone() else { continue };
        let mut all = Vec::new();
        for arg in args {
            all.push(arg);
            if holds(program, body.exprs[arg].ty) {
                for (path, ty) in leaves(program, body.exprs[arg].ty) {
                    all.extend(part(program, &mut body.exprs, arg, &path, ty));
                }
            }
        }
        body.exprs[id].kind = ExprKind::Call(f, all);
    }
    let mut block = std::mem::take(&mut body.block);
    block.rewrite(&mut |mut stmt, out| {
        let Some((value, to)) = objects(program, body, &stmt, results) else { return out.push(stmt) };
        if let ExprKind::Call(_, args) = &mut body.exprs[value].kind {
            args.extend(to.into_iter().map(|(_, place)| place));
            return out.push(stmt);
        }
        let mut parts = Vec::new();
        for (path, place) in to {
            let Expr { ty, span, .. } = body.exprs[place];
            if let Some(from) = part(program, &mut body.exprs, value, &path, ty) {
                parts.push(Build::new(&mut program.types, &mut body.exprs, span).set(place, from));
            }
        }
        if matches!(stmt.kind, StmtKind::Return(_)) {
            stmt.give_comments(parts.first_mut(), false);
            out.extend(parts);
            out.push(stmt);
        } else {
            out.push(stmt);
            out.extend(parts);
        }
    });
    body.block = block;
}

/// Where the objects of a struct go: the fields that lead to each, and the place.
type ObjectPlaces = Vec<(Vec<u32>, ExprId)>;

/// The struct that a statement declares a variable with, assigns or returns, and where its objects go.
fn objects(program: &mut Program, body: &mut Body, stmt: &Stmt, results: &Results) -> Option<(ExprId, ObjectPlaces)> {
    let mut b = Build::new(&mut program.types, &mut body.exprs, stmt.span);
    let (place, value) = match stmt.kind {
        StmtKind::Local(local, Some(value)) => {
            let ty = body.locals[local].ty;
            (b.local(local, ty), value)
        }
        StmtKind::Expr(e) => match b.exprs[e].kind {
            ExprKind::Assign(None, place, value) => (place, value),
            _ => return None,
        },
        StmtKind::Return(Some(value)) => {
            let to = results.iter().map(|(path, l)| (path.clone(), b.local(*l, body.locals[*l].ty))).collect();
            return Some((value, to)).filter(|_| !results.is_empty());
        }
        _ => return None,
    };
    let whole = body.exprs[place].ty;
    let leaves = if holds(program, whole) { leaves(program, whole) } else { return None };
    let to = leaves.into_iter().filter_map(|(path, ty)| {
        let to = part(program, &mut body.exprs, place, &path, ty)?;
        Some((path, to))
    });
    Some((value, to.collect()))
}

/// Declares a variable for each object of a variable, and a parameter for each of a parameter.
fn variables(program: &mut Program, function: FunctionId) {
    let mut body = std::mem::take(&mut program.functions[function].code);
    let mut own: FxHashMap<(LocalId, Vec<u32>), LocalId> = FxHashMap::default();
    let mut beside: FxHashMap<LocalId, Vec<LocalId>> = FxHashMap::default();
    for local in body.locals.ids().collect::<Vec<_>>() {
        let Local { name, ty, span, .. } = body.locals[local];
        if !holds(program, ty) {
            continue;
        }
        for (path, leaf) in leaves(program, ty) {
            let made = body.add_local(format!("{name}{}", path_name(program, ty, &path)).as_str(), leaf, span);
            own.insert((local, path), made);
            beside.entry(local).or_default().push(made);
        }
    }
    // Parents first: the whole path decides.
    for id in body.expressions().into_iter().rev() {
        let (mut path, mut at) = (Vec::new(), id);
        while let ExprKind::Field(base, index) = body.exprs[at].kind {
            path.insert(0, index);
            at = base;
        }
        if let ExprKind::Local(local) = body.exprs[at].kind
            && let Some(made) = own.get(&(local, path))
        {
            body.exprs[id].kind = ExprKind::Local(*made);
        }
    }
    let params = std::mem::take(&mut program.functions[function].params);
    for param in params {
        let parts = beside.remove(&param.local).unwrap_or_default();
        program.functions[function].params.push(param);
        program.functions[function].params.extend(parts.into_iter().map(written));
    }
    let mut block = std::mem::take(&mut body.block);
    block.rewrite(&mut |mut stmt, out| {
        if let StmtKind::Local(local, _) = stmt.kind {
            let at = out.len();
            let parts = beside.get(&local).into_iter().flatten();
            out.extend(parts.map(|p| Stmt::new(StmtKind::Local(*p, None), stmt.span)));
            stmt.give_comments(out.get_mut(at), false);
        }
        out.push(stmt);
    });
    body.block = block;
    program.functions[function].code = body;
}

/// Takes the fields out of the structs.
fn drop_fields(program: &mut Program) {
    // The new number of each field that stays.
    let mut kept: FxHashMap<StructId, Vec<Option<u32>>> = FxHashMap::default();
    for id in program.structs.ids() {
        let types = &program.types;
        let stays: Vec<bool> =
            program.structs[id].fields.iter().map(|f| !types.get(types.innermost(f.ty)).is_object()).collect();
        if stays.iter().all(|s| *s) {
            continue;
        }
        let mut next = 0..;
        kept.insert(id, stays.iter().map(|s| if *s { next.next() } else { None }).collect());
        let mut stay = stays.iter();
        program.structs[id].fields.retain(|_| stay.next().copied().unwrap_or(true));
    }
    program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            match exprs[id].kind.clone() {
                ExprKind::Field(base, index) => {
                    let Type::Struct(of) = types.get(exprs[base].ty) else { continue };
                    let number = kept.get(&of).and_then(|list| list.get(index as usize).copied().flatten());
                    exprs[id].kind = ExprKind::Field(base, number.unwrap_or(index));
                }
                ExprKind::Construct(mut parts) => {
                    let Type::Struct(of) = types.get(exprs[id].ty) else { continue };
                    let Some(list) = kept.get(&of) else { continue };
                    let mut stay = list.iter();
                    parts.retain(|_| stay.next().is_some_and(Option::is_some));
                    exprs[id].kind = ExprKind::Construct(parts);
                }
                _ => {}
            }
        }
    });
}
