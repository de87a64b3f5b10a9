//! The buffers of a root signature's constants become push constants, as `--root-constants push` asks.
//!
//! Before: `cbuffer Draw : register(b0) { uint layer; }`, and an entry point with `[RootSignature("RootConstants(b0, ...)")]`
//! After:  `[[vk::push_constant]] cbuffer Draw : register(b0) { uint layer; }`
//!
//! A buffer that another root signature has in a table or as a root view stays what it is, with a warning.

use crate::check::root_signature::{RootItem, parse};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::tree::{AttributeArg, Global, GlobalId, Modifiers, Program, Type};
use std::borrow::Cow;

/// Marks them.
pub(super) fn push(program: &mut Cow<Program>, diags: &mut Diagnostics) {
    let signatures = signatures(program);
    let is_free = |id: &GlobalId| {
        let global = &program.globals[*id];
        let is_buffer = matches!(program.types.get(global.ty), Type::ConstantBuffer(..));
        is_buffer && !global.modifiers.has(Modifiers::PUSH_CONSTANT) && !global.modifiers.has(Modifiers::SHADER_RECORD)
    };
    let mut pushed: Vec<GlobalId> = Vec::new();
    for id in program.parameters.iter().copied().filter(is_free) {
        let global = &program.globals[id];
        let pushes = |item: &RootItem| item.kind == "RootConstants" && has(item, global);
        let binds = |item: &RootItem| item.kind != "RootConstants" && has(item, global);
        let found = |is_it: &dyn Fn(&RootItem) -> bool| {
            signatures.iter().find(|(_, items)| items.iter().any(is_it)).map(|(span, _)| *span)
        };
        match (found(&pushes), found(&binds)) {
            (Some(_), None) => pushed.push(id),
            (Some(by), Some(other)) => {
                let message =
                    format!("`{}` is no push constant: another root signature binds it as a buffer", global.name);
                diags.push(Diagnostic::warning(Code::OMITTED, by, message).label(other, "that one"));
            }
            (None, _) => {}
        }
    }
    if !pushed.is_empty() {
        let globals = &mut program.to_mut().globals;
        pushed.into_iter().for_each(|id| globals[id].modifiers.set(Modifiers::PUSH_CONSTANT));
    }
}

/// The root signatures of entry points with their places, their ranges in one list with their items.
fn signatures(program: &Program) -> Vec<(Span, Vec<RootItem>)> {
    let of = |function| {
        let attribute = program.functions[function].attribute("rootsignature")?;
        let Some(AttributeArg::Text(text)) = attribute.args.first() else { return None };
        let mut items = parse(text.as_str()).ok()?.items;
        let ranges: Vec<RootItem> = items.iter_mut().flat_map(|item| std::mem::take(&mut item.ranges)).collect();
        items.extend(ranges);
        Some((attribute.span, items))
    };
    program.entry_points.iter().filter_map(|entry| of(entry.function)).collect()
}

/// Whether the source gives a buffer a register that an item has.
fn has(item: &RootItem, global: &Global) -> bool {
    let mut registers = global.explicit.registers.iter();
    registers.any(|r| r.class.is_some_and(|class| item.has(class, r.index, r.space.unwrap_or(0))))
}
