//! Which structs get a second declaration for constant buffers: those that lie differently there than in structured buffers.
//!
//! ```text
//! before: struct Light { float w[3]; }   ConstantBuffer<Light> sun;   StructuredBuffer<Light> all;     Light l = sun;
//! after:  struct Light { float w[3]; }   struct Light_uniform { float4 w[3]; }   ConstantBuffer<Light_uniform> sun; ...
//!         Light l = Light_from_uniform(sun);
//! ```
//!
//! Only for targets where one rule places the fields of a struct wherever it is used.

use super::super::Context;
use crate::layout::rules::{Rules, round_up};
use crate::layout::types::same;
use crate::layout::{Layouter, TypeLayout};
use crate::target::Placement;
use crate::tree::*;
use std::collections::{BTreeMap, BTreeSet};

/// Declares them; gives those of the structs that have one.
pub(super) fn twins(cx: &mut Context) -> BTreeMap<StructId, StructId> {
    let mut twins = BTreeMap::new();
    if cx.profile.facts.placement != Placement::AlignAndSize {
        return twins;
    }
    let mut found = BufferStructs::default();
    for global in cx.program.listed_globals().map(|id| &cx.program.globals[id]) {
        match cx.program.types.get(cx.program.types.innermost(global.ty)) {
            _ if global.kind != GlobalKind::Parameter => {}
            Type::ConstantBuffer(t, _) => found.visit(cx.program, t, true, true),
            Type::TextureBuffer(t) | Type::Buffer(_, _, t) => found.visit(cx.program, t, false, true),
            _ => {}
        }
    }
    for (&id, &nested) in &found.uniform {
        if found.storage.contains(&id) && differs(cx, id, nested) {
            twins.insert(id, id);
        }
    }
    // A struct that holds one that has a twin needs one too, if it is anywhere else.
    let values = if twins.is_empty() { BTreeSet::new() } else { values(cx.program) };
    let elsewhere = |id: &StructId| found.storage.contains(id) || values.contains(id);
    loop {
        let needs = |id: &StructId| !twins.contains_key(id) && elsewhere(id) && holds(cx.program, *id, &twins);
        let holders: Vec<StructId> = found.uniform.keys().copied().filter(needs).collect();
        if holders.is_empty() {
            break;
        }
        twins.extend(holders.into_iter().map(|id| (id, id)));
    }
    for (&id, twin) in twins.iter_mut() {
        *twin = cx.program.declare_again(id, "uniform");
    }
    twins
}

/// The structs in buffers.
#[derive(Default)]
struct BufferStructs {
    /// In constant buffers; whether inside of something else.
    uniform: BTreeMap<StructId, bool>,
    storage: BTreeSet<StructId>,
}

impl BufferStructs {
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

/// Structs that variables are of, or that are made of parts, and those in them.
fn values(program: &Program) -> BTreeSet<StructId> {
    let mut found = BTreeSet::new();
    for global in program.listed_globals().map(|id| &program.globals[id]) {
        if global.kind != GlobalKind::Parameter {
            add_structs(program, global.ty, &mut found);
        }
    }
    for function in program.reachable_functions() {
        program.functions[function].code.locals.iter().for_each(|(_, l)| add_structs(program, l.ty, &mut found));
    }
    program.each_exprs(&mut |exprs, live| {
        let made = live.iter().map(|id| &exprs[*id]);
        let made = made.filter(|e| matches!(e.kind, ExprKind::Construct(_) | ExprKind::Zero));
        made.for_each(|e| add_structs(program, e.ty, &mut found));
    });
    found
}

fn add_structs(program: &Program, ty: TypeId, found: &mut BTreeSet<StructId>) {
    if let Type::Struct(id) = program.types.get(program.types.innermost(ty))
        && found.insert(id)
    {
        program.structs[id].fields.iter().for_each(|field| add_structs(program, field.ty, found));
    }
}

fn holds(program: &Program, id: StructId, twins: &BTreeMap<StructId, StructId>) -> bool {
    program.structs[id].fields.iter().any(|f| match program.types.get(program.types.innermost(f.ty)) {
        Type::Struct(inner) => twins.contains_key(&inner),
        _ => false,
    })
}
