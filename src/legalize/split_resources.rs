//! Structs and blocks that hold resources fall apart: each resource becomes a global of its own, the data stays.
//!
//! Before: `struct Pair { Texture2D a; float4 b; }   ParameterBlock<Pair> gPair;   Pair gPairs[8];   gPairs[i].a`
//! After:  `struct Pair { float4 b; }   Texture2D gPair_a;   ConstantBuffer<Pair> gPair;   Texture2D gPairs_a[8];   gPairs_a[i]`
//!
//! This is also where every shader parameter is given its binding.
//!
//! Removes: MixedStructs, ParameterBlocks. Runs after: resolve_resources, so that every resource is an access path from a
//! global. Spec: seed 000 "Splitting of Arrays", LEGALIZE "structs that mix resources and data".

use super::{Context, Pass};
use crate::layout::{
    buffer_binding, further_bindings, leaf_attachment, leaf_binding, sampler_binding, second_binding, walk,
};
use crate::tree::{
    Binding, BufferKind, Build, Expr, ExprArena, ExprId, ExprKind, Field, Global, GlobalId, GlobalKind, Item,
    Modifiers, Program, StructId, Type, TypeId, Types,
};
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass = Pass { name: "split_resources", removes: &[], adds: &[], run };

/// A resource inside of a parameter.
struct Leaf {
    /// Fields from the parameter to it; arrays and blocks add none.
    path: Vec<u32>,
    /// Its type, with the array dimensions on the way.
    ty: TypeId,
    name: String,
    source_path: String,
    /// The field that declares it.
    field: Option<Field>,
    block: bool,
}

type Split = FxHashMap<(GlobalId, Vec<u32>), GlobalId>;

fn run(cx: &mut Context) {
    let mut split = Split::default();
    for global in cx.program.parameters.clone() {
        if needs_split(cx.program, cx.program.globals[global].ty) {
            take_apart(cx, global, &mut split);
        } else {
            bind_whole(cx, global);
        }
    }
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        // Parents first: the outermost resource on a path decides.
        for &id in live.iter().rev() {
            rewrite(types, exprs, id, &split);
        }
    });
    blocks_to_buffers(cx);
    drop_resource_fields(cx);
}

/// Whether a parameter is anything but one resource, one data block, or plain data.
fn needs_split(program: &Program, ty: TypeId) -> bool {
    match program.types.get(program.types.innermost(ty)) {
        Type::Struct(_) => program.holds_resource(ty),
        Type::ParameterBlock(_) => true,
        Type::ConstantBuffer(t) | Type::TextureBuffer(t) => program.holds_resource(t) || !program.holds_data(t),
        _ => false,
    }
}

fn is_block(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(types.innermost(ty)), Type::ConstantBuffer(_) | Type::TextureBuffer(_) | Type::ParameterBlock(_))
}

/// The binding of a parameter that stays as it is.
fn bind_whole(cx: &mut Context, global: GlobalId) {
    let block = is_block(&cx.program.types, cx.program.globals[global].ty);
    cx.program.globals[global].binding = binding(cx, global, &[], block);
    note_hidden(cx, global, &[], global);
    note_attachment(cx, global, &[], global);
}

/// Subpass inputs have the number that layout gave.
fn note_attachment(cx: &mut Context, global: GlobalId, path: &[u32], leaf: GlobalId) {
    let found = cx.position(global).and_then(|(place, layout)| leaf_attachment(place, layout, path));
    cx.program.globals[leaf].explicit.input_attachment_index = found;
}

/// Notes where the sampler and the counter of a leaf are bound, for the passes that make them.
fn note_hidden(cx: &mut Context, global: GlobalId, path: &[u32], leaf: GlobalId) {
    let Some((place, layout)) = cx.position(global) else { return };
    let further = further_bindings(&place, layout).map(|b| (leaf, b));
    let first = cx.program.globals[leaf].binding;
    match cx.program.types.get(cx.program.types.innermost(cx.program.globals[leaf].ty)) {
        Type::Texture(t) if t.combined => {
            let found = sampler_binding(place, layout, path, cx.layout.settings.api);
            cx.notes.samplers.extend(found.map(|b| (leaf, b)));
        }
        Type::Buffer(kind, ..) => {
            let asked = cx.program.globals[leaf].explicit.vk_counter_binding;
            // Append and consume buffers take two bindings where the counter is not hidden.
            let reserved = matches!(kind, BufferKind::Append | BufferKind::Consume);
            let found = match (first, asked, walk(place, layout, path)) {
                (Some(first), Some(index), _) => Some(Binding { index, ..first }),
                (Some(first), None, Some((at, _))) if reserved => Some(second_binding(&at, layout, first)),
                _ => None,
            };
            cx.notes.counters.extend(found.map(|b| (leaf, b)));
        }
        _ => {}
    }
    cx.notes.further.extend(further);
}

fn binding(cx: &Context, global: GlobalId, path: &[u32], block: bool) -> Option<Binding> {
    if path.is_empty() && block && cx.program.globals[global].modifiers.has(Modifiers::PUSH_CONSTANT) {
        // On targets that have them; elsewhere layout gave an ordinary place.
        let placed = cx.position(global).and_then(|(place, layout)| buffer_binding(place, layout, path));
        return placed.filter(|_| !cx.profile.has(crate::target::Capability::PushConstants));
    }
    let (place, layout) = cx.position(global)?;
    if block { buffer_binding(place, layout, path) } else { leaf_binding(place, layout, path, None) }
}

/// Declares the leaves of a parameter.
fn take_apart(cx: &mut Context, global: GlobalId, split: &mut Split) {
    let (ty, transparent) = (cx.program.globals[global].ty, cx.program.globals[global].transparent);
    let name = cx.program.globals[global].name.to_string();
    let mut leaves = Leaves { program: cx.program, list: Vec::new() };
    leaves.collect(
        ty,
        &Site { path: Vec::new(), dims: Vec::new(), name: name.clone(), source: name, field: None, transparent },
    );
    for leaf in leaves.list {
        if leaf.path.is_empty() {
            // The parameter itself is the data of a block.
            cx.program.globals[global].binding = binding(cx, global, &[], true);
            continue;
        }
        let found = binding(cx, global, &leaf.path, leaf.block);
        let id = declare(cx, global, &leaf, found);
        note_hidden(cx, global, &leaf.path, id);
        note_attachment(cx, global, &leaf.path, id);
        split.insert((global, leaf.path), id);
    }
    let inner = cx.program.types.get(cx.program.types.innermost(ty));
    let data = inner.element().filter(|_| inner.is_resource()).unwrap_or(ty);
    if !cx.program.holds_data(data) {
        cx.program.parameters.retain(|g| *g != global);
        cx.program.items.retain(|i| *i != Item::Global(global));
    }
}

fn declare(cx: &mut Context, parent: GlobalId, leaf: &Leaf, binding: Option<Binding>) -> GlobalId {
    let whole = &cx.program.globals[parent];
    let mut global = Global::new(leaf.name.as_str(), leaf.ty, GlobalKind::Parameter, whole.span);
    global.modifiers = whole.modifiers;
    global.modifiers.clear(Modifiers::PUSH_CONSTANT);
    global.matrix_order = whole.matrix_order;
    if let Some(field) = &leaf.field {
        global.modifiers.set(field.modifiers);
        global.matrix_order = field.matrix_order.or(global.matrix_order);
        global.attributes = field.attributes.clone();
        global.comments = field.comments.clone();
        global.explicit.image_format = field.explicit.image_format;
        global.explicit.vk_counter_binding = field.explicit.vk_counter_binding;
        global.span = field.span;
    }
    global.unit = whole.unit;
    global.namespace = whole.namespace;
    global.file = whole.file;
    global.source_path = leaf.source_path.as_str().into();
    global.binding = binding;
    let id = cx.program.globals.push(global);
    // After the parameter itself and the leaves before this one, which stand in front of it.
    cx.program.insert_item(Item::Global(id), Some(Item::Global(parent)));
    let at = cx.program.parameters.iter().position(|g| *g == parent).unwrap_or(cx.program.parameters.len());
    cx.program.parameters.insert(at, id);
    id
}

/// Where the collection of leaves stands.
#[derive(Clone)]
struct Site {
    path: Vec<u32>,
    dims: Vec<Option<u32>>,
    name: String,
    source: String,
    field: Option<Field>,
    /// Fields are named without what holds them.
    transparent: bool,
}

struct Leaves<'a> {
    program: &'a mut Program,
    list: Vec<Leaf>,
}

impl Leaves<'_> {
    fn collect(&mut self, ty: TypeId, site: &Site) {
        match self.program.types.get(ty) {
            Type::Array(element, count) => {
                let mut inner = site.clone();
                inner.dims.push(count);
                self.collect(element, &inner);
            }
            Type::Struct(id) => self.fields(id, site),
            Type::ConstantBuffer(t) | Type::TextureBuffer(t) | Type::ParameterBlock(t) => {
                if self.program.holds_data(t) {
                    self.push(ty, site, true);
                }
                if self.program.holds_resource(t) {
                    self.collect(t, site);
                }
            }
            other if other.is_resource() => self.push(ty, site, false),
            _ => {}
        }
    }

    fn fields(&mut self, id: StructId, site: &Site) {
        for (index, field) in (0..).zip(self.program.structs[id].fields.clone()) {
            if self.program.holds_resource(field.ty) {
                let mut inner = site.clone();
                inner.path.push(index);
                inner.source = format!("{}.{}", site.source, field.name);
                inner.name =
                    if site.transparent { field.name.to_string() } else { format!("{}_{}", site.name, field.name) };
                inner.transparent = false;
                let ty = field.ty;
                inner.field = Some(field);
                self.collect(ty, &inner);
            }
        }
    }

    fn push(&mut self, ty: TypeId, site: &Site, block: bool) {
        let ty = match self.program.types.get(ty) {
            Type::ParameterBlock(t) => self.program.types.intern(Type::ConstantBuffer(t)),
            _ => ty,
        };
        let ty = site.dims.iter().rev().fold(ty, |t, n| self.program.types.array(t, *n));
        let (path, name, source_path) = (site.path.clone(), site.name.clone(), site.source.clone());
        self.list.push(Leaf { path, ty, name, source_path, field: site.field.clone(), block });
    }
}

/// Replaces a path to a resource by the leaf's global and the path's indices.
fn rewrite(types: &mut Types, exprs: &mut ExprArena, id: ExprId, split: &Split) {
    if !types.get(types.innermost(exprs[id].ty)).is_resource() {
        return;
    }
    let Some((global, path)) = exprs.global_path(id) else { return };
    let Some(&leaf) = split.get(&(global, path)) else { return };
    let indices = indices(exprs, id);
    let Expr { ty, span, .. } = exprs[id];
    // The type of the whole array of leaves: the node's own inside the dimensions that are indexed.
    let mut base = exprs.push(Expr { kind: ExprKind::Global(leaf), ty: TypeId::ERROR, span });
    for index in indices {
        base = exprs.push(Expr { kind: ExprKind::Index(base, index), ty, span });
    }
    exprs.replace_by(id, base);
    exprs[id].ty = ty;
}

/// The indices along a path, outermost first.
fn indices(exprs: &ExprArena, id: ExprId) -> Vec<ExprId> {
    let mut list = Vec::new();
    let mut id = id;
    loop {
        match exprs[id].kind {
            ExprKind::Index(a, index) => {
                list.push(index);
                id = a;
            }
            ExprKind::Field(a, _) | ExprKind::Contents(a) => id = a,
            _ => break,
        }
    }
    list.reverse();
    list
}

/// What remains of a parameter block is a constant buffer; types along the new paths are set anew.
fn blocks_to_buffers(cx: &mut Context) {
    cx.program.map_types(&mut |types, ty| match types.get(ty) {
        Type::ParameterBlock(t) => types.intern(Type::ConstantBuffer(t)),
        _ => ty,
    });
    let globals: Vec<TypeId> = cx.program.globals.iter().map(|(_, g)| g.ty).collect();
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            match exprs[id].kind {
                ExprKind::Global(g) => exprs[id].ty = globals.get(g.0 as usize).copied().unwrap_or(TypeId::ERROR),
                ExprKind::Index(a, _) if matches!(types.get(exprs[a].ty), Type::Array(..)) => {
                    let (base, span) = (exprs[a].ty, exprs[id].span);
                    exprs[id].ty = Build::new(types, exprs, span).element_type(base);
                }
                _ => {}
            }
        }
    });
}

/// Takes the fields that are nothing but resources out of all structs.
fn drop_resource_fields(cx: &mut Context) {
    let mut moved: FxHashMap<StructId, Vec<Option<u32>>> = FxHashMap::default();
    for (id, s) in cx.program.structs.iter() {
        if s.fields.iter().any(|f| cx.program.holds_resource(f.ty)) {
            let mut next = 0;
            let keep = s.fields.iter().map(|f| {
                let keeps = !cx.program.holds_resource(f.ty) || cx.program.holds_data(f.ty);
                next += u32::from(keeps);
                keeps.then(|| next - 1)
            });
            moved.insert(id, keep.collect());
        }
    }
    // Each struct is changed for itself: their order does not matter.
    for (id, map) in &moved {
        let mut keep = map.iter();
        cx.program.structs[*id].fields.retain(|_| keep.next().is_some_and(Option::is_some));
    }
    let mut lost = Vec::new();
    cx.program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            match exprs[id].kind.clone() {
                ExprKind::Field(base, index) => {
                    let Type::Struct(s) = types.get(exprs[base].ty) else { continue };
                    let Some(map) = moved.get(&s) else { continue };
                    match map.get(index as usize).copied().flatten() {
                        Some(index) => exprs[id].kind = ExprKind::Field(base, index),
                        None => lost.push(exprs[id].span),
                    }
                }
                ExprKind::Construct(mut parts) => {
                    let Type::Struct(s) = types.get(exprs[id].ty) else { continue };
                    let Some(map) = moved.get(&s) else { continue };
                    let mut keep = map.iter();
                    parts.retain(|_| keep.next().is_some_and(Option::is_some));
                    exprs[id].kind = ExprKind::Construct(parts);
                }
                _ => {}
            }
        }
    });
    for span in lost {
        cx.unsupported(span, "this resource cannot be traced to one shader parameter");
    }
}
