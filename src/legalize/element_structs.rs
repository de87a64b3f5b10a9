//! Elements of patches and streams that are no structs become fields of ones: DXC ends with an error of its own at others.
//!
//! Before: `float4 main(InputPatch<float4, 3> corners : CORNER, ...) { return corners[i]; }`
//! After:  `struct Element { float4 corners : CORNER; }
//!          float4 main(InputPatch<Element, 3> corners, ...) { return corners[i].corners; }`
//!
//! A part of [`super::varyings`].

use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// The types of such patches and streams, with the struct for the elements of each and what these were.
type StructsOfElements = FxHashMap<TypeId, (TypeId, TypeId)>;

/// The element of a patch or stream.
fn element(types: &Types, ty: TypeId) -> Option<TypeId> {
    match types.get(ty) {
        Type::Patch(_, element, _) | Type::Stream(_, element) => Some(element),
        _ => None,
    }
}

fn bare(types: &Types, ty: TypeId) -> Option<TypeId> {
    element(types, ty).filter(|element| !matches!(types.get(*element), Type::Struct(_)))
}

/// Puts the elements of all patches and streams into structs.
pub(super) fn wrap(program: &mut Program) {
    let made = structs(program);
    if made.is_empty() {
        return;
    }
    // The types that have been made are looked up where they are used.
    let mut wrapped = StructsOfElements::default();
    program.map_types(&mut |types, ty| {
        let Some((&own, old)) = made.get(&ty).zip(element(types, ty)) else { return ty };
        let new = types.intern(match types.get(ty) {
            Type::Patch(comes_in, _, n) => Type::Patch(comes_in, own, n),
            Type::Stream(kind, _) => Type::Stream(kind, own),
            other => other,
        });
        wrapped.insert(new, (own, old));
        new
    });
    let builtins = builtins(program, &wrapped);
    program.each_arena_mut(&mut |exprs| uses(exprs, &wrapped, &builtins));
}

/// Declares the structs. The semantic is that of the parameter of an entry point, or of the constants of its patch, that has one.
fn structs(program: &mut Program) -> FxHashMap<TypeId, TypeId> {
    let roots: Vec<FunctionId> = program.entry_points.iter().flat_map(|e| e.roots()).collect();
    let mut made: FxHashMap<TypeId, TypeId> = FxHashMap::default();
    for root in roots {
        for index in 0..program.functions[root].params.len() {
            let function = &mut program.functions[root];
            let Some(param) = function.params.get_mut(index) else { continue };
            let Local { ty, name, span, .. } = function.code.locals[param.local];
            let Some(of) = bare(&program.types, ty) else { continue };
            let semantic = param.semantic.take();
            let own = match made.get(&ty) {
                Some(own) => *own,
                None => {
                    let id = program.structs.push(Struct::new("Element", vec![Field::new(name, of, span)], span));
                    program.items.put_before(first_user(program, ty), Item::Struct(id));
                    program.types.intern(Type::Struct(id))
                }
            };
            made.insert(ty, own);
            if let Type::Struct(id) = program.types.get(own)
                && let Some(field) = program.structs[id].fields.first_mut()
            {
                field.semantic = field.semantic.or(semantic);
            }
        }
    }
    made
}

/// The first function that has a variable of a type.
fn first_user(program: &Program, ty: TypeId) -> Option<Item> {
    let has = |id: FunctionId| program.functions[id].code.locals.iter().any(|(_, local)| local.ty == ty);
    program.items.iter().copied().find(|item| item.function().is_some_and(has))
}

/// The builtins of such streams: the vertices that they take have the new type.
fn builtins(program: &mut Program, wrapped: &StructsOfElements) -> FxHashSet<FunctionId> {
    let mut found = FxHashSet::default();
    for (id, function) in program.functions.iter_mut().filter(|(_, f)| f.builtin) {
        let locals: Vec<LocalId> = function.params.iter().map(|p| p.local).collect();
        let Some((stream, rest)) = locals.split_first() else { continue };
        let Some((own, old)) = wrapped.get(&function.code.locals[*stream].ty) else { continue };
        for local in rest.iter().filter(|l| function.code.locals[**l].ty == *old).collect::<Vec<_>>() {
            function.code.locals[*local].ty = *own;
        }
        found.insert(id);
    }
    found
}

/// What is read of a patch is the field; what a stream is given is put together.
fn uses(exprs: &mut ExprArena, wrapped: &StructsOfElements, builtins: &FxHashSet<FunctionId>) {
    let ids: Vec<ExprId> = exprs.iter().map(|(id, _)| id).collect();
    for id in ids {
        let Expr { ty, span, .. } = exprs[id];
        match exprs[id].kind.clone() {
            ExprKind::Index(of, _) => {
                let Some((own, _)) = wrapped.get(&exprs[of].ty) else { continue };
                exprs[id].ty = *own;
                let whole = exprs.displace(id);
                exprs[id] = Expr { kind: ExprKind::Field(whole, 0), ty, span };
            }
            ExprKind::Call(function, mut args) if builtins.contains(&function) => {
                let Some((own, old)) = args.first().and_then(|stream| wrapped.get(&exprs[*stream].ty)) else {
                    continue;
                };
                for arg in args.iter_mut().skip(1).filter(|arg| exprs[**arg].ty == *old).collect::<Vec<_>>() {
                    let span = exprs[*arg].span;
                    *arg = exprs.push(Expr { kind: ExprKind::Construct(vec![*arg]), ty: *own, span });
                }
                exprs[id].kind = ExprKind::Call(function, args);
            }
            _ => {}
        }
    }
}
