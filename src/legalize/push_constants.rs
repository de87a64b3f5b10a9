//! Push constants become constant buffers with a binding.
//!
//! Before: `[[vk::push_constant]] ConstantBuffer<Push> push;`
//! After:  `ConstantBuffer<Push> push : register(b0);`
//!
//! Removes: PushConstants. Adds: none. The binding is the one that layout gave: where an API has no push constants they
//! are laid out as any other buffer (FACTS 6).

use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::Modifiers;

pub(super) const PASS: Pass = Pass { name: "push_constants", removes: &[Capability::PushConstants], adds: &[], run };

fn run(cx: &mut Context) {
    for (_, global) in cx.program.globals.iter_mut() {
        global.modifiers.clear(Modifiers::PUSH_CONSTANT);
        let is_push = |name: &str| name.eq_ignore_ascii_case("vk::push_constant") || name == "push_constant";
        global.attributes.retain(|a| !is_push(a.name.as_str()));
    }
}
