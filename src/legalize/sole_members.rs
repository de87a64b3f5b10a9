//! A block with one member is that member, where buffers are variables, or where block and member have one name.
//!
//! Before: `cbuffer Camera { float4x4 view; }      ... mul(view, p)`
//! After:  `ConstantBuffer<float4x4> view;         ... mul(view, p)`
//!
//! The member lies at the start of the block, so bytes and binding stay. The name of the block is not in the text then, nor is one
//! for a struct around the member. The block of a scope that declares more data stays: which members it has depends on what is used.

use super::{Context, Pass};
use crate::layout::lock::Owner;
use crate::layout::{Detail, Role, ScopeBuffer};
use crate::target::NamedBlocks;
use crate::tree::{
    Expr, ExprKind, Field, Global, GlobalId, Item, Modifiers, Origin, Program, Step, StructId, Type, TypeId,
};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PASS: Pass = Pass {
    name: "sole_members",
    always: Some("a struct around one member has a name that is in no source"),
    after: &["split_resources", "uniform_blocks", "storage", "push_constants"],
    run,
    ..Pass::ROW
};

/// A block and its only member.
struct Sole {
    block: GlobalId,
    structure: StructId,
    /// The type of the block when it is the member.
    ty: TypeId,
}

fn run(cx: &mut Context) {
    let mut found: BTreeMap<GlobalId, Sole> = cx
        .program
        .listed_globals()
        .collect::<Vec<_>>()
        .into_iter()
        .filter_map(|id| Some((id, sole(cx, id)?)))
        .collect();
    if found.is_empty() {
        return;
    }
    for id in used_whole(cx.program, &found) {
        found.remove(&id);
    }
    replace(cx.program, &found);
    for sole in found.values() {
        let Some(field) = cx.program.structs[sole.structure].fields.first().cloned() else { continue };
        become_member(&mut cx.program.globals[sole.block], field, sole.ty);
        cx.program.items.remove(Item::Struct(sole.structure));
    }
}

/// The only member of a block, if the block can be it.
fn sole(cx: &mut Context, id: GlobalId) -> Option<Sole> {
    let global = &cx.program.globals[id];
    let buffer = cx.program.types.get(global.ty);
    let (true, Type::ConstantBuffer(contents, _) | Type::TextureBuffer(contents)) = (global.transparent, buffer) else {
        return None;
    };
    let Type::Struct(structure) = cx.program.types.get(contents) else { return None };
    let [field] = cx.program.structs[structure].fields.as_slice() else { return None };
    let placed = field.offset.unwrap_or(0) > 0 || !field.attributes.is_empty();
    if placed || is_scope(cx, global) || !is_better(cx, global, field) {
        return None;
    }
    let element = field.ty;
    let ty = cx.program.types.intern(buffer.with_element(element));
    Some(Sole { block: id, structure, ty })
}

/// Whether a block is that of a scope which declares more data than what is left of it.
fn is_scope(cx: &Context, global: &Global) -> bool {
    let Origin::Leaf(id) = global.origin else { return true };
    let leaf = cx.layout.leaves.leaf(id);
    leaf.role == Role::Scope && !declares_one(cx, cx.layout.leaves.parameter(leaf.parameter).owner)
}

/// Whether a scope declares one parameter with data, whatever is used.
fn declares_one(cx: &Context, scope: Owner) -> bool {
    let Some(ScopeBuffer { layout, kept: false, .. }) = cx.layout.scope_buffer(scope) else { return false };
    match &layout.detail {
        Detail::Struct(parameters) => parameters.iter().filter(|p| p.layout.size() > 0).count() == 1,
        Detail::Plain
        | Detail::Matrix { .. }
        | Detail::Array { .. }
        | Detail::Resource { .. }
        | Detail::Block { .. } => false,
    }
}

/// Whether the member reads better without its block: where a member is named without it, only if it has its name.
fn is_better(cx: &Context, global: &Global, field: &Field) -> bool {
    match cx.profile.facts.named_blocks {
        NamedBlocks::None | NamedBlocks::Arrays => true,
        NamedBlocks::WithoutStruct => false,
        NamedBlocks::All => {
            // Whether its members are those of the block depends on what functions do, which stages that are linked do not share.
            let may = !cx.profile.facts.linked_blocks;
            let is_push = global.modifiers.has(Modifiers::PUSH_CONSTANT);
            let is_struct = matches!(cx.program.types.get(field.ty), Type::Struct(_));
            may && is_struct && (is_push || global.name == field.name)
        }
    }
}

/// The blocks whose contents are used as a whole.
fn used_whole(program: &mut Program, found: &BTreeMap<GlobalId, Sole>) -> BTreeSet<GlobalId> {
    let mut whole = BTreeSet::new();
    program.each_exprs_mut(&mut |_, exprs, live| {
        let mut of_members = FxHashSet::default();
        for &id in live {
            if let ExprKind::Field(contents, _) = exprs[id].kind
                && let ExprKind::Contents(block) = exprs[contents].kind
            {
                of_members.insert(block);
            }
        }
        whole.extend(live.iter().filter(|id| !of_members.contains(*id)).filter_map(|id| match exprs[*id].kind {
            ExprKind::Global(global) if found.contains_key(&global) => Some(global),
            _ => None,
        }));
    });
    whole
}

/// The member of a block becomes its contents.
fn replace(program: &mut Program, found: &BTreeMap<GlobalId, Sole>) {
    program.each_exprs_mut(&mut |_, exprs, live| {
        // Parents first: what has become contents is not looked at as such again.
        for &id in live.iter().rev() {
            if let ExprKind::Field(contents, _) = exprs[id].kind
                && let ExprKind::Contents(block) = exprs[contents].kind
                && let ExprKind::Global(global) = exprs[block].kind
                && let Some(sole) = found.get(&global)
            {
                let span = exprs[id].span;
                let block = exprs.push(Expr { kind: ExprKind::Global(global), ty: sole.ty, span });
                exprs[id].kind = ExprKind::Contents(block);
            }
        }
    });
}

fn become_member(global: &mut Global, field: Field, ty: TypeId) {
    global.transparent = false;
    global.ty = ty;
    global.name = field.name;
    global.span = field.span;
    global.matrix_order = field.matrix_order.or(global.matrix_order);
    global.comments.extend(field.comments);
    for stored in &mut global.stored {
        if let Some(Step::Field(0)) = stored.steps.first() {
            stored.steps.remove(0);
        }
    }
}
