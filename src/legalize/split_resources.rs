//! Structs and blocks that hold resources fall apart: each resource becomes a global of its own, the data stays.
//!
//! Before: `struct Pair { Texture2D a; float4 b; }   ParameterBlock<Pair> gPair;   Pair gPairs[8];   gPairs[i].a`
//! After:  `struct Pair { float4 b; }   Texture2D gPair_a;   ConstantBuffer<Pair> gPair;   Texture2D gPairs_a[8];   gPairs_a[i]`
//!
//! This is also where every shader parameter is given its binding.
//!
//! After `resolve_resources` every resource is an access path from a global. Rule: `layout-arrays`, `layout-structs`.

use super::empty_structs::is_empty;
use super::fields::Moved;
use super::heap_variables::is_element;
use super::needs::Find;
use super::{Context, Pass};
use crate::layout::{Leaf, Role};
use crate::target::Capability;
use crate::tree::{
    Build, DataLayout, Expr, ExprArena, ExprId, ExprKind, ExprKinds, Field, Global, GlobalId, GlobalKind, Item, LeafId,
    Modifiers, Origin, ParameterId, Program, Step, StmtKind, Type, TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "split_resources",
    always: Some("here every shader parameter is given its binding"),
    // Variables of structs that hold resources keep the data.
    removes: &[
        (Capability::MixedStructs, Find::Field(|p, f| is_loose(p, f.ty))),
        (
            Capability::ParameterBlocks,
            Find::Parameter(|p, _, t| match *t {
                Type::ParameterBlock(_) => true,
                Type::ConstantBuffer(t, _) | Type::TextureBuffer(t) => p.holds_resource(t),
                _ => false,
            }),
        ),
        // As locals, results, choices, parts of parameters of functions, or parameters that are assigned.
        (Capability::ResourceValues, Find::body(ExprKinds::WRITES, super::needs::written_resource)),
        (Capability::ResourceValues, Find::Function(|p, f| is_loose(p, f.result))),
        (
            Capability::ResourceValues,
            Find::Param(|p, _, ty| {
                let alone = matches!(
                    p.types.get(ty),
                    Type::Texture(_) | Type::Sampler(_) | Type::Buffer(..) | Type::AccelerationStructure
                );
                !alone && is_loose(p, ty)
            }),
        ),
        (
            Capability::ResourceValues,
            Find::Stmt(|p, body, stmt| {
                let StmtKind::Local(local, value) = stmt.kind else { return false };
                is_loose(p, body.locals[local].ty) && !value.is_some_and(|e| is_element(p, &body.exprs, e))
            }),
        ),
        (
            Capability::ResourceValues,
            Find::at(ExprKinds::SELECT, |p, exprs, id| {
                matches!(exprs[id].kind, ExprKind::Select(..)) && is_loose(p, exprs[id].ty)
            }),
        ),
    ],
    adds: super::needs::OF_PARAMETERS,
    after: &["resolve_resources", "root_signatures"],
    run,
    ..Pass::ROW
};

/// Whether a type holds resources that the target does not trace.
fn is_loose(program: &Program, ty: TypeId) -> bool {
    !program.traces_resources && program.holds_resource(ty)
}

/// What a leaf is declared as.
struct DeclaredLeaf {
    /// Its type, with the array dimensions on the way.
    ty: TypeId,
    name: String,
    /// The field that declares it.
    field: Option<Field>,
}

type Split = FxHashMap<(GlobalId, Vec<Step>), GlobalId>;

fn run(cx: &mut Context) {
    open_blocks_of_blocks(cx.program);
    let mut split = Split::default();
    for global in cx.program.parameters.clone() {
        let Some(parameter) = cx.parameter(global) else { continue };
        if needs_split(cx.program, cx.program.globals[global].ty) {
            split_parameter(cx, global, parameter, &mut split);
        } else if let Some(leaf) =
            cx.layout.leaves.whole(parameter).filter(|id| is_declared(cx.layout.leaves.leaf(*id)))
        {
            bind(cx, global, leaf);
        }
    }
    let is_block = |ty: TypeId| matches!(cx.program.types.get(ty), Type::ParameterBlock(_));
    if !split.is_empty() || cx.program.types.ids().any(is_block) {
        cx.program.each_exprs_mut(&mut |types, exprs, live| {
            // Parents first: the outermost resource on a path decides.
            for &id in live.iter().rev() {
                rewrite(types, exprs, id, &split);
            }
        });
        blocks_to_buffers(cx);
    }
    if !cx.program.traces_resources {
        drop_resource_fields(cx);
    }
    drop_empty_contents(cx);
}

/// A block that holds nothing but blocks is what it holds: layout gave them its position.
fn open_blocks_of_blocks(program: &mut Program) {
    let is_block = |types: &Types, ty: TypeId| types.get(types.innermost(ty)).contents().is_some();
    let of_blocks = |types: &Types, ty: TypeId| types.get(ty).contents().filter(|held| is_block(types, *held));
    if !program.types.ids().any(|ty| of_blocks(&program.types, ty).is_some()) {
        return;
    }
    program.each_exprs_mut(&mut |types, exprs, live| {
        for &id in live {
            if let ExprKind::Contents(block) = exprs[id].kind
                && is_block(types, exprs[id].ty)
            {
                exprs.replace_by(id, block);
            }
        }
    });
    program.map_types(&mut |types, ty| of_blocks(types, ty).unwrap_or(ty));
}

/// Blocks without data are declared nowhere: what they hold is nothing.
fn drop_empty_contents(cx: &mut Context) {
    let empty: FxHashSet<TypeId> = cx.program.types.ids().filter(|ty| is_empty(cx.program, *ty)).collect();
    cx.program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            if matches!(exprs[id].kind, ExprKind::Contents(_)) && empty.contains(&exprs[id].ty) {
                exprs[id].kind = ExprKind::Zero;
            }
        }
    });
}

/// Whether a parameter is anything but one resource, one data block, or plain data.
pub(super) fn needs_split(program: &Program, ty: TypeId) -> bool {
    match program.types.get(program.types.innermost(ty)) {
        Type::Struct(_) => program.holds_resource(ty),
        Type::ParameterBlock(_) => true,
        Type::ConstantBuffer(t, _) | Type::TextureBuffer(t) => program.holds_resource(t) || !program.holds_data(t),
        _ => false,
    }
}

/// Whether a leaf is a declaration of its own: data is in a buffer, and samplers, counters and the like follow from others.
fn is_declared(leaf: &Leaf) -> bool {
    matches!(leaf.role, Role::Resource | Role::Block)
}

/// Gives a global the position of the leaf that it is.
fn bind(cx: &mut Context, global: GlobalId, id: LeafId) {
    let leaves = &cx.layout.leaves;
    let made = &mut cx.program.globals[global];
    made.origin = Origin::Leaf(id);
    made.binding = leaves.leaf(id).binding();
    // Subpass inputs have the number that layout gave.
    let attachment = leaves.beside(id, Role::Attachment).map(|(_, leaf)| leaf.index());
    made.explicit.input_attachment_index = attachment.and_then(|n| u32::try_from(n).ok());
}

/// Declares the leaves of a parameter.
fn split_parameter(cx: &mut Context, global: GlobalId, parameter: ParameterId, split: &mut Split) {
    let ty = cx.program.globals[global].ty;
    let layout = cx.layout;
    for (id, leaf) in layout.leaves.of_parameter(parameter).filter(|(_, leaf)| is_declared(leaf)) {
        if leaf.path.is_empty() && leaf.role == Role::Block {
            // The parameter itself is the data of a block.
            bind(cx, global, id);
            continue;
        }
        let Some(declared) = declared(cx.program, global, &leaf.path) else { continue };
        let made = declare(cx, global, declared);
        bind(cx, made, id);
        split.insert((global, leaf.path.clone()), made);
    }
    let inner = cx.program.types.get(cx.program.types.innermost(ty));
    let data = inner.element().filter(|_| inner.is_resource()).unwrap_or(ty);
    if !cx.program.holds_data(data) {
        cx.program.parameters.remove(global);
        cx.program.items.remove(Item::Global(global));
    }
}

/// What the leaf at a path below a parameter is declared as: arrays on the way are those of the leaf.
fn declared(program: &mut Program, global: GlobalId, path: &[Step]) -> Option<DeclaredLeaf> {
    let Global { ty, name, transparent, .. } = program.globals[global];
    let mut dims = Vec::new();
    let mut inside_arrays = |program: &Program, ty: TypeId| {
        let mut ty = ty;
        while let Some((element, count)) = program.types.array_parts(ty) {
            dims.push(count);
            ty = element;
        }
        ty
    };
    let (mut ty, mut name, mut field) = (inside_arrays(program, ty), name.to_string(), None);
    for (depth, step) in path.iter().enumerate() {
        while let Type::ConstantBuffer(t, _) | Type::TextureBuffer(t) | Type::ParameterBlock(t) = program.types.get(ty)
        {
            ty = inside_arrays(program, t);
        }
        let (Type::Struct(id), Step::Field(index)) = (program.types.get(ty), *step) else { return None };
        let found = program.structs[id].fields.get(index as usize)?.clone();
        // Fields of a `cbuffer` are named without it.
        name = if transparent && depth == 0 { found.name.to_string() } else { format!("{name}_{}", found.name) };
        ty = inside_arrays(program, found.ty);
        field = Some(found);
    }
    while let Type::ConstantBuffer(t, _) | Type::TextureBuffer(t) | Type::ParameterBlock(t) = program.types.get(ty)
        && program.types.get(program.types.innermost(t)).is_resource()
    {
        ty = inside_arrays(program, t);
    }
    if let Type::ParameterBlock(t) = program.types.get(ty) {
        ty = program.types.intern(Type::ConstantBuffer(t, DataLayout::Default));
    }
    let ty = dims.iter().rev().fold(ty, |t, n| program.types.array(t, *n));
    Some(DeclaredLeaf { ty, name, field })
}

fn declare(cx: &mut Context, parent: GlobalId, leaf: DeclaredLeaf) -> GlobalId {
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
    let id = cx.program.globals.push(global);
    // After the parameter itself and the leaves before this one, which stand in front of it.
    cx.program.items.put_before(Some(Item::Global(parent)), Item::Global(id));
    cx.program.parameters.put_before(Some(parent), id);
    id
}

/// Replaces a path to a resource by the leaf's global and the path's indices.
fn rewrite(types: &mut Types, exprs: &mut ExprArena, id: ExprId, split: &Split) {
    if !types.get(types.innermost(exprs[id].ty)).is_resource() {
        return;
    }
    let Some((global, path)) = exprs.global_path(id) else { return };
    let Some(&leaf) = split.get(&(global, path)) else { return };
    let indices = exprs.indices(id);
    let Expr { ty, span, .. } = exprs[id];
    // The type of the whole array of leaves: the node's own inside the dimensions that are indexed.
    let mut base = exprs.push(Expr { kind: ExprKind::Global(leaf), ty: TypeId::ERROR, span });
    for index in indices.into_iter().rev() {
        base = exprs.push(Expr { kind: ExprKind::Index(base, index), ty, span });
    }
    exprs.replace_by(id, base);
    exprs[id].ty = ty;
}

/// What remains of a parameter block is a constant buffer; types along the new paths are set anew.
fn blocks_to_buffers(cx: &mut Context) {
    cx.program.map_types(&mut |types, ty| match types.get(ty) {
        Type::ParameterBlock(t) => types.intern(Type::ConstantBuffer(t, DataLayout::Default)),
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
    let program = &*cx.program;
    let moved = Moved::of(program, |f| !program.holds_resource(f.ty) || program.holds_data(f.ty));
    let mut lost = Vec::new();
    moved.apply(cx.program, &mut |access| lost.push(access.span));
    for span in lost {
        cx.unsupported(span, "this resource cannot be traced to one shader parameter");
    }
}
