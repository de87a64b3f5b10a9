//! Plain data at global scope goes into one block, that of an entry point's uniform parameters into a block of its own.
//!
//! Before: `float4 tint;  float gain;      ... tint * gain`
//! After:  `cbuffer globalParams { float4 tint; float gain; }      ... tint * gain`
//!
//! Where the name of a block is no other one's, that of an entry point has the name of the entry point:
//! `void blur(uniform float gain)` reads `cbuffer blur { float gain; }`.
//!
//! Rule: `layout-globals`.

use super::needs::Find;
use super::{Context, Pass};
use crate::layout::lock::Owner;
use crate::layout::{ScopeBuffer, StructBuilder, Unit};
use crate::source::Span;
use crate::target::{Capability, NamedBlocks, Placement};
use crate::tree::{
    DataLayout, Expr, ExprKind, Field, Global, GlobalId, GlobalKind, Item, Modifiers, Origin, Scalar, Struct, StructId,
    Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "uniform_blocks",
    removes: &[(
        Capability::GlobalUniforms,
        Find::Parameter(|_, _, t| {
            !matches!(
                t,
                Type::ParameterBlock(_) | Type::ConstantBuffer(_, _) | Type::TextureBuffer(_) | Type::Buffer(..)
            ) && !t.is_resource()
        }),
    )],
    adds: super::needs::OF_DATA,
    after: &["split_resources"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let mut of_globals: Vec<GlobalId> = Vec::new();
    let mut of_entries: BTreeMap<usize, Vec<GlobalId>> = BTreeMap::new();
    for &id in cx.program.parameters.iter().filter(|g| is_data(cx, **g)) {
        match cx.parameter(id).map(|p| cx.layout.leaves.parameter(p).owner) {
            Some(Owner::Param(entry, _)) => of_entries.entry(entry).or_default().push(id),
            _ => of_globals.push(id),
        }
    }
    // In the order of the layout, which may be another one than that of declaration.
    of_globals.sort_by_key(|g| cx.parameter(*g));
    let buffer = cx.layout.globals.clone();
    gather(cx, ("globalParams", "GlobalParams"), &of_globals, (Owner::Globals, buffer));
    let several = cx.profile.has(Capability::SeveralEntryPoints) && cx.program.entry_points.len() > 1;
    for (entry, members) in of_entries {
        let buffer = cx.layout.entry_points.get(entry).and_then(|e| e.buffer.clone());
        let (mut name, mut type_name) = ("entryPointParams".to_owned(), "EntryPointParams".to_owned());
        if let Some(e) = cx.program.entry_points.get(entry) {
            let own = super::names::block_of_entry(&cx.profile.facts, e);
            if let Some(own) = own.filter(|_| !cx.options.fixed_names) {
                (name, type_name) = (own.to_string(), format!("{}_Params", e.name));
            } else if several {
                (name, type_name) = (format!("{}Params", e.name), format!("{}_Params", e.name));
            } else if cx.profile.facts.api.facts().linked_names {
                // A program has one of each stage, which may be compiled apart.
                name = format!("{}Params", e.stage.name());
            }
        }
        gather(cx, (&name, &type_name), &members, (Owner::EntryBuffer(entry), buffer));
    }
}

fn is_data(cx: &Context, global: GlobalId) -> bool {
    let global = &cx.program.globals[global];
    global.kind == GlobalKind::Parameter && !cx.program.holds_resource(global.ty)
}

/// Makes a block of some globals: the buffer of a scope.
fn gather(
    cx: &mut Context,
    (name, type_name): (&str, &str),
    members: &[GlobalId],
    (scope, buffer): (Owner, Option<ScopeBuffer>),
) {
    let Some(&first) = members.first() else { return };
    let span = cx.program.globals[first].span;
    let settings = &cx.layout.settings;
    let at = |g: &Global| crate::layout::offset_of_global(settings, &g.explicit);
    let fields = members.iter().map(|g| &cx.program.globals[*g]).map(|g| field(g, at(g))).collect();
    let moves = buffer.as_ref().is_some_and(|b| b.kept || moves(cx, b, members));
    let fields = if moves { at_kept_bytes(cx, members, fields) } else { fields };
    let id = cx.program.structs.push(Struct::new(type_name, fields, span));
    let element = cx.program.types.intern(Type::Struct(id));
    let ty = cx.program.types.intern(Type::ConstantBuffer(element, DataLayout::Default));
    let mut block = Global::new(name, ty, GlobalKind::Parameter, span);
    block.transparent = true;
    let leaf = cx.layout.leaves.parameter_of(scope).and_then(|id| cx.layout.leaves.whole(id));
    block.origin = leaf.map_or(Origin::Synthesized, Origin::Leaf);
    block.binding = buffer.as_ref().and_then(|b| b.binding);
    let apart = buffer.as_ref().filter(|b| b.binding.is_none()).map(|b| b.apart.0);
    let of_entry = apart.is_some();
    if let Some(unit) = apart {
        let is_record = unit == Unit::ShaderRecord;
        block.modifiers.set(if is_record { Modifiers::SHADER_RECORD } else { Modifiers::PUSH_CONSTANT });
        // The name is that of a variable then.
        block.transparent = is_record || !(cx.options.fixed_names && cx.profile.facts.named_blocks == NamedBlocks::All);
    }
    let block = cx.program.globals.push(block);
    cx.notes.entry_blocks.extend(of_entry.then_some(block));
    let gathered: FxHashSet<GlobalId> = members.iter().copied().collect();
    let is_gathered = |item: &Item| matches!(item, Item::Global(g) if gathered.contains(g));
    let first_item = cx.program.items.iter().copied().find(is_gathered);
    cx.program.items.put_before(first_item, Item::Struct(id));
    cx.program.items.put_before(first_item, Item::Global(block));
    for &member in members {
        cx.program.items.remove(Item::Global(member));
        cx.program.parameters.remove(member);
    }
    cx.program.parameters.put_before(None, block);
    replace(cx, members, block, ty, id);
}

fn field(global: &Global, at: Option<(u32, Span)>) -> Field {
    let mut field = Field::new(global.name, global.ty, global.span);
    field.matrix_order = global.matrix_order;
    field.comments = global.comments.clone();
    field.attributes = global.attributes.clone();
    field.modifiers = global.modifiers;
    field.origin = global.origin;
    field.explicit.packoffset = global.explicit.packoffset.or(at);
    field
}

/// Whether members would lie elsewhere by themselves, as others, that nothing uses, are gone.
fn moves(cx: &Context, buffer: &ScopeBuffer, members: &[GlobalId]) -> bool {
    let settings = &cx.layout.settings;
    let push = buffer.binding.is_none();
    let mut rest = StructBuilder::new(if push { settings.rules.entry_push } else { settings.rules.constant });
    members.iter().filter_map(|g| cx.position(*g)).any(|(place, layout)| {
        let by_itself = rest.append(layout.clone(), None).get(Unit::Bytes);
        layout.size() > 0 && by_itself != place.offset.get(Unit::Bytes)
    })
}

/// Members whose order alone does not say where they lie say it each.
fn at_kept_bytes(cx: &mut Context, members: &[GlobalId], fields: Vec<Field>) -> Vec<Field> {
    let mut fields = fields;
    for (global, field) in members.iter().zip(&mut fields) {
        let Some((place, _)) = cx.position(*global) else { continue };
        let byte = place.offset.get(Unit::Bytes);
        if cx.profile.facts.placement == Placement::Packoffset && byte % 4 != 0 {
            let message =
                format!("{} cannot represent data at byte {byte}, where the bindings lock has it", cx.profile.name);
            cx.unsupported(field.span, message);
        }
        field.explicit.packoffset = u32::try_from(byte).ok().map(|byte| (byte, field.span));
    }
    let gap = fields.iter().filter_map(|f| f.explicit.packoffset).all(|(byte, _)| byte > 0);
    if let (true, Placement::AlignAndSize, Some(first)) = (gap, cx.profile.facts.placement, fields.first()) {
        // Nothing says where the first member lies but another one before it.
        let uint = cx.program.types.intern(Type::Scalar(Scalar::U32));
        let mut padding = Field::new("padding", uint, first.span);
        padding.explicit.packoffset = Some((0, first.span));
        fields.push(padding);
    }
    fields
}

/// Mentions of the globals become fields of the block's contents.
fn replace(cx: &mut Context, members: &[GlobalId], block: GlobalId, ty: TypeId, id: StructId) {
    let index: FxHashMap<GlobalId, u32> = members.iter().copied().zip(0..).collect();
    let element = cx.program.types.intern(Type::Struct(id));
    cx.program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            if let ExprKind::Global(g) = exprs[id].kind
                && let Some(&field) = index.get(&g)
            {
                let span = exprs[id].span;
                let global = exprs.push(Expr { kind: ExprKind::Global(block), ty, span });
                let contents = exprs.push(Expr { kind: ExprKind::Contents(global), ty: element, span });
                exprs[id].kind = ExprKind::Field(contents, field);
            }
        }
    });
}
