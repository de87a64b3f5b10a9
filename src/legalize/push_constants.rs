//! Push constants become constant buffers with a binding.
//!
//! Before: `[[vk::push_constant]] ConstantBuffer<Push> push;`
//! After:  `ConstantBuffer<Push> push : register(b0);`
//!
//! The binding is the one that layout gave: where an API has no push constants they are laid out as any other buffer
//! (rule `layout-needs`).

use super::needs::Find;
use super::{Context, Pass};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::target::{Capability, Profile};
use crate::tree::{Modifiers, Program};

pub(super) const PASS: Pass = Pass {
    name: "push_constants",
    removes: &[(Capability::PushConstants, Find::Parameter(|_, g, _| g.modifiers.has(Modifiers::PUSH_CONSTANT)))],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    for (_, global) in cx.program.globals.iter_mut() {
        global.modifiers.clear(Modifiers::PUSH_CONSTANT);
        let is_push = |name: &str| name.eq_ignore_ascii_case("vk::push_constant") || name == "push_constant";
        global.attributes.retain(|a| !is_push(a.name.as_str()));
    }
}

/// Where there are push constants, an entry point has no more than one buffer of them.
pub(super) fn check(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    if !profile.has(Capability::PushConstants) {
        return;
    }
    records(program, diags);
    for (entry, reached) in program.entry_points.iter().zip(&*program.reachable_globals()) {
        let globals =
            program.globals.iter().filter(|(id, g)| g.modifiers.has(Modifiers::PUSH_CONSTANT) && reached.contains(id));
        let mut buffers = globals.map(|(_, g)| g);
        if let (Some(first), Some(second)) = (buffers.next(), buffers.next()) {
            let message = format!("`{}` reads more than one buffer of push constants", entry.name);
            let note = "uniform parameters of an entry point are push constants too; put all of them into one struct";
            let diagnostic = Diagnostic::error(Code::CAPABILITY, second.span, message);
            diags.push(diagnostic.label(first.span, "another one is here").note(note));
        }
    }
}

/// An entry point of a stage of ray tracing has no more than one shader record, and another has none.
fn records(program: &Program, diags: &mut Diagnostics) {
    for (entry, reached) in program.entry_points.iter().zip(&*program.reachable_globals()) {
        let globals =
            program.globals.iter().filter(|(id, g)| g.modifiers.has(Modifiers::SHADER_RECORD) && reached.contains(id));
        let mut buffers = globals.map(|(_, g)| g);
        let first = buffers.next();
        if let (Some(first), Some(second)) = (first, buffers.next()) {
            let message = format!("`{}` reads more than one shader record", entry.name);
            let note = "uniform parameters of such an entry point are its record; put all of it into one struct";
            let diagnostic = Diagnostic::error(Code::CAPABILITY, second.span, message);
            diags.push(diagnostic.label(first.span, "another one is here").note(note));
        }
        if let Some(first) = first.filter(|_| !entry.stage.is_of_rays()) {
            let message = format!("the {} stage of `{}` has no shader record", entry.stage.name(), entry.name);
            diags.push(Diagnostic::error(Code::CAPABILITY, first.span, message));
        }
    }
}
