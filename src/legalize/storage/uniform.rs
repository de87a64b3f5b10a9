//! A struct that lies differently in constant buffers than in structured buffers gets a second declaration for the former.
//!
//! Before: `struct Light { float w[3]; }   ConstantBuffer<Light> sun;   StructuredBuffer<Light> all;     Light l = sun;`
//! After:  `struct Light { float w[3]; }   struct Light_uniform { float w[3]; }   ConstantBuffer<Light_uniform> sun; ...
//!          Light l = Light_from_uniform(sun);`
//!
//! Only for targets where one rule places the fields of a struct wherever it is used. `pin_memory` and `storage_types`
//! then find each struct in one kind of buffer.

use super::super::{Context, Pass};
use crate::layout::rules::{Rules, round_up};
use crate::layout::types::same;
use crate::layout::{Layouter, TypeLayout};
use crate::source::Span;
use crate::target::Placement;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

pub(in super::super) const PASS: Pass = Pass {
    name: "uniform_structs",
    always: Some("whether bytes differ between kinds of buffers depends on the layout, not on what the program needs"),
    after: &["split_buffers"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    if cx.profile.facts.placement != Placement::AlignAndSize {
        return;
    }
    let mut found = Found::default();
    for item in &cx.program.items {
        let Item::Global(id) = *item else { continue };
        let global = &cx.program.globals[id];
        match cx.program.types.get(cx.program.types.innermost(global.ty)) {
            Type::ConstantBuffer(t) if global.kind == GlobalKind::Parameter => found.visit(cx.program, t, true, true),
            Type::TextureBuffer(t) | Type::Buffer(_, _, t) if global.kind == GlobalKind::Parameter => {
                found.visit(cx.program, t, false, true);
            }
            _ => {}
        }
    }
    let mut twins = BTreeMap::new();
    for (&id, &nested) in &found.uniform {
        if found.storage.contains(&id) && differs(cx, id, nested) {
            twins.insert(id, id);
        }
    }
    // A struct that holds one that has a twin needs one too, if it is anywhere else.
    let values = if twins.is_empty() { BTreeSet::new() } else { values(cx.program) };
    let elsewhere = |id: &StructId| found.storage.contains(id) || values.contains(id);
    loop {
        let holders: Vec<StructId> =
            found.uniform.keys().copied().filter(|id| holds(cx.program, *id, &twins)).collect();
        let holders: Vec<StructId> =
            holders.into_iter().filter(|id| !twins.contains_key(id) && elsewhere(id)).collect();
        if holders.is_empty() {
            break;
        }
        twins.extend(holders.into_iter().map(|id| (id, id)));
    }
    if twins.is_empty() {
        return;
    }
    declare(cx.program, &mut twins);
    retype_buffers(cx.program, &found, &twins);
    let mut loads = Loads::default();
    cx.each_body(&mut |cx, _, body| loads.rewrite(cx.program, body));
}

/// The structs in buffers.
#[derive(Default)]
struct Found {
    /// In constant buffers; whether inside of something else.
    uniform: BTreeMap<StructId, bool>,
    storage: BTreeSet<StructId>,
}

impl Found {
    fn visit(&mut self, program: &Program, ty: TypeId, uniform: bool, top: bool) {
        let Type::Struct(id) = program.types.get(program.types.innermost(ty)) else { return };
        let nested = !top || matches!(program.types.get(ty), Type::Array(..));
        if uniform {
            *self.uniform.entry(id).or_insert(false) |= nested;
        } else {
            self.storage.insert(id);
        }
        for field in &program.structs[id].fields {
            self.visit(program, field.ty, uniform, false);
        }
    }
}

/// Whether the bytes of a struct are others in a constant buffer than in a structured one.
fn differs(cx: &mut Context, id: StructId, nested: bool) -> bool {
    let ty = cx.program.types.intern(Type::Struct(id));
    // What is left to be placed otherwise is only members of blocks.
    let settings = super::place::native_settings(cx);
    let layouter = Layouter { program: cx.program, settings: &settings };
    let layout = |rules: &Rules| layouter.layout(ty, rules, cx.program.default_matrix_order);
    let (uniform, storage) = (layout(settings.rules.constant), layout(settings.rules.structured));
    let whole = |l: &TypeLayout| round_up(l.size(), l.align.into());
    !same(&uniform, &storage) || (nested && whole(&uniform) != whole(&storage))
}

/// Structs that variables are of, or that are made of parts.
fn values(program: &Program) -> BTreeSet<StructId> {
    let mut found = BTreeSet::new();
    for function in program.reachable_functions() {
        let body = &program.functions[function].code;
        let locals = body.locals.iter().map(|(_, l)| l.ty);
        let made = body.expressions().into_iter().map(|id| &body.exprs[id]);
        let made = made.filter(|e| matches!(e.kind, ExprKind::Construct(_) | ExprKind::Zero)).map(|e| e.ty);
        for ty in locals.chain(made) {
            if let Type::Struct(id) = program.types.get(program.types.innermost(ty)) {
                found.insert(id);
            }
        }
    }
    found
}

fn holds(program: &Program, id: StructId, twins: &BTreeMap<StructId, StructId>) -> bool {
    program.structs[id].fields.iter().any(|f| match program.types.get(program.types.innermost(f.ty)) {
        Type::Struct(inner) => twins.contains_key(&inner),
        _ => false,
    })
}

/// Makes the second declarations, each after the first.
fn declare(program: &mut Program, twins: &mut BTreeMap<StructId, StructId>) {
    for (&id, twin) in twins.iter_mut() {
        let mut copy = program.structs[id].clone();
        copy.name = format!("{}_uniform", copy.name).as_str().into();
        copy.comments.clear();
        copy.made = true;
        *twin = program.structs.push(copy);
    }
    for (&id, &twin) in twins.iter() {
        for index in 0..program.structs[twin].fields.len() {
            let Some(ty) = program.structs[twin].fields.get(index).map(|f| f.ty) else { continue };
            let ty = uniform_type(&mut program.types, ty, twins);
            if let Some(field) = program.structs[twin].fields.get_mut(index) {
                field.ty = ty;
            }
        }
        program.items.put_after(Item::Struct(id), Item::Struct(twin));
    }
}

/// The type as it is in a constant buffer.
fn uniform_type(types: &mut Types, ty: TypeId, twins: &BTreeMap<StructId, StructId>) -> TypeId {
    match types.get(ty) {
        Type::Struct(id) => twins.get(&id).map_or(ty, |twin| types.intern(Type::Struct(*twin))),
        Type::Array(element, count) => {
            let element = uniform_type(types, element, twins);
            types.array(element, count)
        }
        Type::ConstantBuffer(element) => {
            let element = uniform_type(types, element, twins);
            types.intern(Type::ConstantBuffer(element))
        }
        _ => ty,
    }
}

/// Constant buffers, and the structs that are in no other buffers, hold the second ones.
fn retype_buffers(program: &mut Program, found: &Found, twins: &BTreeMap<StructId, StructId>) {
    for (_, global) in program.globals.iter_mut() {
        if let Type::ConstantBuffer(_) = program.types.get(program.types.innermost(global.ty)) {
            global.ty = uniform_type(&mut program.types, global.ty, twins);
        }
    }
    for id in found.uniform.keys().filter(|id| !twins.contains_key(id)) {
        for index in 0..program.structs[*id].fields.len() {
            let Some(ty) = program.structs[*id].fields.get(index).map(|f| f.ty) else { continue };
            let ty = uniform_type(&mut program.types, ty, twins);
            if let Some(field) = program.structs[*id].fields.get_mut(index) {
                field.ty = ty;
            }
        }
    }
}

/// Whole values out of constant buffers.
#[derive(Default)]
struct Loads {
    functions: BTreeMap<TypeId, FunctionId>,
}

impl Loads {
    fn rewrite(&mut self, program: &mut Program, body: &mut Body) {
        let live = body.expressions();
        let mut changed: FxHashMap<ExprId, TypeId> = FxHashMap::default();
        let mut selected: FxHashSet<ExprId> = FxHashSet::default();
        for &id in &live {
            let old = body.exprs[id].ty;
            let new = match body.exprs[id].kind {
                ExprKind::Global(g) => program.globals[g].ty,
                ExprKind::Contents(base) => program.types.get(body.exprs[base].ty).element().unwrap_or(old),
                ExprKind::Field(base, index) => {
                    selected.insert(base);
                    program.field_type(body.exprs[base].ty, index).unwrap_or(old)
                }
                ExprKind::Index(base, _) => {
                    selected.insert(base);
                    match program.types.get(body.exprs[base].ty) {
                        Type::Array(element, _) => element,
                        _ => old,
                    }
                }
                _ => old,
            };
            if new != old {
                body.exprs[id].ty = new;
                changed.insert(id, old);
            }
        }
        for id in live {
            let Some(&old) = changed.get(&id) else { continue };
            let resource = program.types.get(program.types.innermost(old)).is_resource();
            if selected.contains(&id) || resource {
                continue;
            }
            let copy = body.exprs.displace(id);
            let value = self.load(program, &mut body.exprs, copy, old);
            body.exprs.replace_by(id, value);
        }
    }

    /// The value of type `wanted` that `from` holds as it is in a constant buffer.
    fn load(&mut self, program: &mut Program, exprs: &mut ExprArena, from: ExprId, wanted: TypeId) -> ExprId {
        let (ty, span) = (exprs[from].ty, exprs[from].span);
        if ty == wanted {
            return from;
        }
        let function = self.function(program, ty, wanted);
        Build::new(&mut program.types, exprs, span).call(function, vec![from], wanted)
    }

    /// The function that copies a struct or array field by field.
    fn function(&mut self, program: &mut Program, ty: TypeId, wanted: TypeId) -> FunctionId {
        if let Some(&done) = self.functions.get(&ty) {
            return done;
        }
        let span = Span::default();
        let mut code = Body::default();
        let value = code.add_local("value", ty, span);
        if let Some(local) = code.locals.iter_mut().next() {
            local.1.constant = true;
        }
        let inner: Vec<TypeId> = match program.types.get(wanted) {
            Type::Struct(id) => program.structs[id].fields.iter().map(|f| f.ty).collect(),
            Type::Array(element, count) => vec![element; count.unwrap_or(0) as usize],
            _ => Vec::new(),
        };
        let mut parts = Vec::new();
        for (index, inner) in (0..).zip(inner) {
            let from = program.field_type(ty, index);
            let mut build = Build::new(&mut program.types, &mut code.exprs, span);
            let whole = build.local(value, ty);
            let part = match from {
                Some(from) => build.field(whole, index, from),
                None => build.at(whole, index),
            };
            parts.push(self.load(program, &mut code.exprs, part, inner));
        }
        let result = Build::new(&mut program.types, &mut code.exprs, span).construct(parts, wanted);
        code.block.stmts.push(Stmt::new(StmtKind::Return(Some(result)), span));
        let name = match program.types.get(program.types.innermost(wanted)) {
            Type::Struct(id) => program.structs[id].name,
            _ => "value".into(),
        };
        let name = format!("{name}_from_uniform");
        let made = Function::new(name.as_str(), vec![Param::new(value)], wanted, code, span);
        let function = program.functions.push(Function { builtin: true, ..made });
        self.functions.insert(ty, function);
        let first = program.items.iter().find(|i| self.is_foreign(**i)).copied();
        program.items.put_before(first, Item::Function(function));
        function
    }

    /// A function that is none of these, which stand before all others.
    fn is_foreign(&self, item: Item) -> bool {
        matches!(item, Item::Function(id) if !self.functions.values().any(|f| *f == id))
    }
}
