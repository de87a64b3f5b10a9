//! Resources of any type: a shader parameter whose type is what each use says becomes one array for each of these types, so that
//! layout, legalization and the sidecar see resources as any other. All are at the binding of the declaration, which stays a
//! parameter of the program but is in no text.
//!
//! Before: `__DynamicResource images[];                       images[i].as<Texture2D>().Load(p) + images[k].as<Texture3D>().Load(p)`
//! After:  `Texture2D images_Texture2D[]; Texture3D images_Texture3D[];   images_Texture2D[i].Load(p) + images_Texture3D[k].Load(p)`
//!
//! What is only of one type is declared as that, in its own place and by its own name.
//!
//! What is in a variable or parameter of a function is an index from then on: the text says of which declaration.
//!
//! Where registers and units are counted in classes, no binding is for any type: there each array is a parameter by itself, with a
//! place of its own. The application points the ranges of all at the same descriptors, as it does for `Texture2D a[]` in one space
//! and `TextureCube b[]` in another.
//!
//! Before: `float4 f(__DynamicResource r) { return r.as<Texture2D>().Load(0); }   f(images[i])`
//! After:  `float4 f(uint r) { return images_Texture2D[r].Load(0); }              f(i)`

use super::{Api, heaps};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::tree::{
    Body, Build, Expr, ExprArena, ExprId, ExprKind, FunctionBody, FunctionId, Global, GlobalId, GlobalKind, Id, Item,
    Literal, LocalId, Program, StmtKind, Type, TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The attribute of the methods that give a descriptor as a resource.
const CASTS: &str = "__casts_resource";

/// Whether a program has shader parameters of resources of any type.
pub(super) fn any(program: &Program) -> bool {
    program.types.ids().any(|id| matches!(program.types.get(id), Type::DynamicResource(_)))
}

/// Puts elements of arrays of one type in the place of resources of any type.
pub(super) fn lower(program: &mut Program, api: Api, target: &str, diags: &mut Diagnostics) {
    let casts = program.marked(CASTS);
    let homes = homes(program, &casts, diags);
    let reachable = program.reachable_functions();
    let first = program.globals.len();
    let mut views = Views { casts, homes, first, declared: declared(program), made: BTreeMap::new(), list: Vec::new() };
    for id in reachable {
        if views.casts.contains(&id) || !matches!(program.functions[id].body, FunctionBody::Block) {
            continue;
        }
        let mut code = std::mem::take(&mut program.functions[id].code);
        views.become_indices(program, id, &mut code);
        report_rest(&program.types, &code.exprs, &code.expressions(), diags);
        program.functions[id].code = code;
    }
    report_lacks(program, &views.list, api, target, diags);
    let apart = api.facts().classes;
    let alone = |view: &TypedArray| views.list.iter().filter(|other| other.of == view.of).count() == 1;
    let alone: Vec<bool> = views.list.iter().map(alone).collect();
    for (view, alone) in views.list.into_iter().zip(alone) {
        let of = view.of;
        let made = match alone {
            true => Global { ty: view.array, ..program.globals[of].clone() },
            false => view.made(program, (!apart).then_some(of)),
        };
        let id = program.globals.push(made);
        if alone || apart {
            program.parameters.put_after(of, id);
            program.parameters.remove(of);
        } else {
            program.parameters.push(id);
        }
        program.items.put_after(Item::Global(of), Item::Global(id));
    }
    for of in views.declared.keys() {
        program.items.remove(Item::Global(*of));
    }
    program.items.settle();
    program.parameters.settle();
}

/// Reports the arrays that the target has no place for.
fn report_lacks(program: &Program, views: &[TypedArray], api: Api, target: &str, diags: &mut Diagnostics) {
    let mut seen: BTreeMap<GlobalId, &TypedArray> = BTreeMap::new();
    for view in views {
        let name = program.globals[view.of].name;
        let first = seen.get(&view.of);
        let message = match (api.is_webgpu(), first) {
            (false, _) => None,
            (true, None) => {
                let pairs = matches!(program.types.get(view.ty), Type::Texture(t) if t.combined);
                pairs.then(|| format!("{target} has two bindings for a texture with its sampler, and `{name}` has one"))
            }
            (true, Some(_)) => Some(format!("{target} has one type for each binding, and `{name}` is used as several")),
        };
        if let Some(message) = message {
            let mut error = Diagnostic::error(Code::CAPABILITY, view.span, message)
                .label(program.globals[view.of].span, "declared here")
                .note("declare a parameter of each type");
            if let Some(first) = first {
                let used = format!("here it is `{}`", program.type_name(first.ty));
                error = error.label(first.span, used);
            }
            diags.push(error);
        }
        seen.entry(view.of).or_insert(view);
    }
}

/// The declarations, with their types.
fn declared(program: &Program) -> BTreeMap<GlobalId, TypeId> {
    let globals = program.parameters.iter().map(|id| (*id, program.globals[*id].ty));
    globals.filter(|(_, ty)| is_dynamic(&program.types, program.types.innermost(*ty))).collect()
}

fn is_dynamic(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::DynamicResource(_))
}

/// Where what a variable or parameter stands for is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Home {
    of: GlobalId,
    /// The type of the index.
    index: TypeId,
    /// What marks the index as one that may differ between invocations.
    marker: Option<FunctionId>,
}

type Homes = FxHashMap<(FunctionId, LocalId), Home>;

/// The declarations of what variables and parameters stand for, callers first.
fn homes(program: &Program, casts: &FxHashSet<FunctionId>, diags: &mut Diagnostics) -> Homes {
    let mut homes = Homes::default();
    let mut functions = program.reachable_functions();
    functions.reverse();
    for id in functions {
        let FunctionBody::Block = program.functions[id].body else { continue };
        let code = &program.functions[id].code;
        code.block.visit(&mut |stmt| {
            if let StmtKind::Local(local, Some(value)) = stmt.kind
                && let Some(home) = home(program, &homes, id, value)
            {
                homes.insert((id, local), home);
            }
        });
        for e in code.expressions() {
            let ExprKind::Call(callee, args) = &code.exprs[e].kind else { continue };
            if casts.contains(callee) {
                continue;
            }
            for (param, arg) in program.functions[*callee].params.iter().zip(args) {
                let Some(given) = home(program, &homes, id, *arg) else { continue };
                let known = homes.entry((*callee, param.local)).or_insert(given);
                known.marker = known.marker.or(given.marker);
                if known.of != given.of {
                    let names = (program.globals[known.of].name, program.globals[given.of].name);
                    let message = format!("one parameter is given elements of `{}` and of `{}`", names.0, names.1);
                    let note = "make the parameter generic, or pass the resource as its own type";
                    diags.push(Diagnostic::error(Code::CAPABILITY, code.exprs[*arg].span, message).note(note));
                }
            }
        }
    }
    homes
}

/// The declaration that an expression of a resource of any type is an element of.
fn home(program: &Program, homes: &Homes, function: FunctionId, e: ExprId) -> Option<Home> {
    let exprs = &program.functions[function].code.exprs;
    if !is_dynamic(&program.types, exprs[e].ty) {
        return None;
    }
    let (array, index, marker) = match exprs[e].kind {
        ExprKind::Index(array, index) => (array, exprs[index].ty, marker(program, exprs, index)),
        _ => (e, TypeId::UINT, None),
    };
    match exprs[array].kind {
        ExprKind::Global(of) => Some(Home { of, index, marker }),
        ExprKind::Local(local) => homes.get(&(function, local)).copied(),
        _ => None,
    }
}

/// The function that marks an index.
fn marker(program: &Program, exprs: &ExprArena, index: ExprId) -> Option<FunctionId> {
    match exprs[index].kind {
        ExprKind::Call(f, _) if program.functions[f].is_marked("__index_marker") => Some(f),
        ExprKind::Convert(of, _) => marker(program, exprs, of),
        _ => None,
    }
}

/// Reports what is left of resources of any type: uses that say no type, and what is not declared by itself.
fn report_rest(types: &Types, exprs: &ExprArena, live: &[ExprId], diags: &mut Diagnostics) {
    let left = live.iter().find(|e| is_dynamic(types, types.innermost(exprs[**e].ty)));
    if let Some(left) = left {
        let message = "a `__DynamicResource` cannot be traced to one that is declared in the module";
        let note = "take it where it is declared, or from a constant variable or an `in` parameter: `images[i].as<Texture2D>()`";
        diags.push(Diagnostic::error(Code::CAPABILITY, exprs[*left].span, message).note(note));
    }
}

/// A declaration as an array of one type.
struct TypedArray {
    of: GlobalId,
    ty: TypeId,
    /// Its own type.
    array: TypeId,
    span: Span,
}

impl TypedArray {
    /// The parameter that is the array, at the place of another one or at its own.
    fn made(&self, program: &Program, views: Option<GlobalId>) -> Global {
        let name = heaps::name_of(program.globals[self.of].name.as_str(), &program.type_name(self.ty));
        Global { views, ..Global::new(name.as_str(), self.array, GlobalKind::Parameter, self.span) }
    }
}

struct Views {
    casts: FxHashSet<FunctionId>,
    homes: Homes,
    /// The number of the first of them among the globals.
    first: usize,
    declared: BTreeMap<GlobalId, TypeId>,
    made: BTreeMap<(GlobalId, TypeId), usize>,
    list: Vec<TypedArray>,
}

impl Views {
    /// Replaces what a function does with resources of any type.
    fn become_indices(&mut self, program: &mut Program, function: FunctionId, code: &mut Body) {
        let live = code.expressions();
        for &id in &live {
            let Expr { ref kind, ty, .. } = code.exprs[id];
            let inner = match kind {
                ExprKind::Convert(inner, _) => *inner,
                ExprKind::Call(f, args) if self.casts.contains(f) => match args.as_slice() {
                    [inner] => *inner,
                    _ => continue,
                },
                _ => continue,
            };
            if is_dynamic(&program.types, code.exprs[inner].ty)
                && let Some(element) = self.element(program, function, &mut code.exprs, inner, ty)
            {
                code.exprs.replace_by(id, element);
            }
        }
        for (value, home) in self.given(program, function, code) {
            let known = match code.exprs[value].kind {
                ExprKind::Local(local) => self.homes.get(&(function, local)),
                _ => None,
            };
            index_instead(&mut program.types, &mut code.exprs, value, (known.map(|k| k.index), home.index));
        }
        for (local, data) in code.locals.iter_mut() {
            if let Some(home) = self.homes.get(&(function, local)) {
                data.ty = home.index;
            }
        }
    }

    /// The values that a function gives to variables and parameters that become indices, with these.
    fn given(&self, program: &Program, function: FunctionId, code: &Body) -> Vec<(ExprId, Home)> {
        let mut values = Vec::new();
        code.block.visit(&mut |stmt| {
            if let StmtKind::Local(local, Some(value)) = stmt.kind {
                values.extend(self.homes.get(&(function, local)).map(|home| (value, *home)));
            }
        });
        for e in code.expressions() {
            let ExprKind::Call(callee, args) = &code.exprs[e].kind else { continue };
            for (param, arg) in program.functions[*callee].params.iter().zip(args) {
                values.extend(self.homes.get(&(*callee, param.local)).map(|home| (*arg, *home)));
            }
        }
        values
    }

    /// A resource of any type as one of `ty`.
    fn element(
        &mut self,
        program: &mut Program,
        function: FunctionId,
        exprs: &mut ExprArena,
        e: ExprId,
        ty: TypeId,
    ) -> Option<ExprId> {
        let span = exprs[e].span;
        let made = match exprs[e].kind {
            ExprKind::Global(of) => return self.view(program, exprs, of, ty, span),
            ExprKind::Local(local) => {
                let Home { of, index, marker } = *self.homes.get(&(function, local))?;
                let view = self.view(program, exprs, of, ty, span)?;
                if exprs[view].ty == ty {
                    return Some(view);
                }
                let mut at = exprs.push(Expr { kind: ExprKind::Local(local), ty: index, span });
                if let Some(marker) = marker {
                    at = exprs.push(Expr { kind: ExprKind::Call(marker, vec![at]), ty: index, span });
                }
                ExprKind::Index(view, at)
            }
            ExprKind::Select(condition, a, b) => {
                if let Some(taken) = taken(exprs, condition, (a, b)) {
                    return self.element(program, function, exprs, taken, ty);
                }
                let a = self.element(program, function, exprs, a, ty)?;
                let b = self.element(program, function, exprs, b, ty)?;
                ExprKind::Select(condition, a, b)
            }
            ExprKind::Index(array, index) => match exprs[array].kind {
                ExprKind::Global(of) => ExprKind::Index(self.view(program, exprs, of, ty, span)?, index),
                // The index is evaluated on the side that is taken.
                ExprKind::Select(condition, a, b) => {
                    if let Some(array) = taken(exprs, condition, (a, b)) {
                        let kind = ExprKind::Index(array, index);
                        let inner = exprs.push(Expr { kind, ty: exprs[e].ty, span });
                        return self.element(program, function, exprs, inner, ty);
                    }
                    let again = exprs.duplicate(index);
                    let of = exprs[e].ty;
                    let a = exprs.push(Expr { kind: ExprKind::Index(a, index), ty: of, span });
                    let b = exprs.push(Expr { kind: ExprKind::Index(b, again), ty: of, span });
                    let a = self.element(program, function, exprs, a, ty)?;
                    let b = self.element(program, function, exprs, b, ty)?;
                    ExprKind::Select(condition, a, b)
                }
                _ => return None,
            },
            _ => return None,
        };
        Some(exprs.push(Expr { kind: made, ty, span }))
    }

    /// A declaration as an array of a type, or, where it is no array, as a resource of it.
    fn view(
        &mut self,
        program: &mut Program,
        exprs: &mut ExprArena,
        of: GlobalId,
        ty: TypeId,
        span: Span,
    ) -> Option<ExprId> {
        let declared = *self.declared.get(&of)?;
        let array = match program.types.get(declared) {
            Type::Array(_, length) => program.types.array(ty, length),
            _ => ty,
        };
        let list = &mut self.list;
        let at = *self.made.entry((of, ty)).or_insert_with(|| {
            list.push(TypedArray { of, ty, array, span });
            list.len() - 1
        });
        let global = GlobalId::from_index(self.first + at);
        Some(Build::new(&mut program.types, exprs, span).add(ExprKind::Global(global), array))
    }
}

/// The side of a choice that its condition always takes.
fn taken(exprs: &ExprArena, condition: ExprId, (yes, no): (ExprId, ExprId)) -> Option<ExprId> {
    match exprs[condition].kind {
        ExprKind::Literal(Literal::Bool(true), _) => Some(yes),
        ExprKind::Literal(Literal::Bool(false), _) => Some(no),
        _ => None,
    }
}

/// Puts the index of an element, of the type `to`, in its place; of what is no array it is 0. A variable has an index of the type
/// `known`.
fn index_instead(types: &mut Types, exprs: &mut ExprArena, value: ExprId, (known, to): (Option<TypeId>, TypeId)) {
    let span = exprs[value].span;
    let mut b = Build::new(types, exprs, span);
    let index = match b.exprs[value].kind {
        ExprKind::Index(_, index) => index,
        ExprKind::Local(local) => b.add(ExprKind::Local(local), known.unwrap_or(to)),
        ExprKind::Global(_) => b.uint(0),
        _ => return,
    };
    let index = b.convert(index, to);
    exprs.replace_by(value, index);
}
