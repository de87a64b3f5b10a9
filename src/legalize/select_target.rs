//! Choose each builtin's case for the target.
//!
//! Before: `float fract(float x) { __target_switch { case hlsl: __intrinsic_asm "frac($0)"; case glsl: ... } }`
//! After:  `float fract(float x) = "frac($0)"`
//!
//! A builtin without a case and without a default stays a switch without cases; whoever still calls it at the end gets a
//! located error.

use super::byte_address::WORDS;
use super::needs::missing_shader_model;
use super::{Context, Pass};
use crate::target::{Capability, DXIL_ATTRIBUTE, Language, Profile};
use crate::tree::{FunctionBody, Program, StmtKind, TargetCase, TypeId, is_default_case};

pub(super) const PASS: Pass = Pass {
    name: "select_target",
    always: Some("the library has a case for each target"),
    adds: Capability::ALL,
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    choose(cx.program, cx.profile);
}

/// Chooses the cases of a language. What its version does not have yet is written out where the library can do that.
pub(super) fn choose(program: &mut Program, profile: &Profile) {
    let language = profile.language.name();
    for (_, function) in program.functions.iter_mut() {
        let dxil = profile.language == Language::Hlsl && !profile.facts.dxil && function.is_marked(DXIL_ATTRIBUTE);
        let missing = missing_shader_model(function, profile);
        if let FunctionBody::Switch(cases) = &mut function.body {
            let own = cases.iter().position(|(name, _)| *name == language);
            let written_out = cases.iter().position(|(name, _)| is_default_case(*name));
            let chosen = match missing {
                _ if dxil => written_out,
                Some(_) => written_out.or(own),
                None => own.or(written_out),
            };
            function.body = match chosen.map(|at| cases.swap_remove(at).1) {
                Some(TargetCase::Block(body)) => {
                    function.code = *body;
                    FunctionBody::Block
                }
                Some(TargetCase::Intrinsic(template)) => FunctionBody::Intrinsic(template),
                None => FunctionBody::Switch(Vec::new()),
            };
        }
        // A switch without cases may come as a body without statements.
        let marked = function.is_marked(WORDS);
        let empty = matches!(function.body, FunctionBody::Block) && function.code.block.stmts.is_empty();
        if function.builtin && empty && (marked || function.result != TypeId::VOID) {
            function.body = FunctionBody::Switch(Vec::new());
        }
        // A body that is one `__intrinsic_asm` is a spelling.
        if let FunctionBody::Block = function.body
            && let [stmt] = function.code.block.stmts.as_slice()
            && let StmtKind::Intrinsic(template) = &stmt.kind
        {
            function.body = match dxil {
                true => FunctionBody::Switch(Vec::new()),
                false => FunctionBody::Intrinsic(template.clone()),
            };
        }
    }
}
