//! Builtins that only some stages may call.
//!
//! The library says `[__stages(fragment)]` where no language lets other stages call a function, and
//! `[__outside(Capability, fragment)]` where other stages need a capability of the target.

use super::base_levels;
use super::derivative_groups::arrangement;
use super::needs::stage_need;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::target::{Capability, Profile};
use crate::tree::{
    Attribute, AttributeArg, Block, EntryPoint, ExprKind, Function, FunctionId, Program, Stage, StmtKind,
};

/// Reports calls that the stage of an entry point does not allow.
pub(super) fn check(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    check_calls(program, profile, diags, |_| true);
}

/// The attribute of a builtin that in other stages than these needs a capability.
pub(super) const OUTSIDE: &str = "__outside";

/// Reports those among the calls of what will be inlined.
pub(super) fn check_inlined(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    check_calls(program, profile, diags, |callee| callee.builtin && callee.inline);
}

fn check_calls(program: &Program, profile: &Profile, diags: &mut Diagnostics, looked_at: impl Fn(&Function) -> bool) {
    let analyses = program.analyses();
    let reached = program.reachable_globals();
    // A stage that the target does not have is an error by itself.
    let has = |entry: &EntryPoint| stage_need(entry.stage).is_none_or(|c| profile.has(c));
    for (entry, globals) in program.entry_points.iter().zip(reached.iter()).filter(|(entry, _)| has(entry)) {
        // The first values of variables are computed by the stage.
        for tree in globals.iter().filter_map(|id| program.globals[*id].init.as_ref()) {
            for expr in tree.exprs.post_order(tree.root) {
                let ExprKind::Call(callee, _) = tree.exprs[expr].kind else { continue };
                let callee = Some(&program.functions[callee]).filter(|callee| looked_at(callee));
                let found = callee.and_then(|callee| fault(callee, entry, profile, tree.exprs[expr].span));
                found.into_iter().for_each(|diagnostic| diags.push(diagnostic));
            }
        }
        for (id, from) in analyses.paths(entry).into_iter().filter(|(id, _)| is_limited(program, *id)) {
            let body = &program.functions[id].code;
            if entry.stage != Stage::Fragment {
                discards(&body.block, entry, from, diags);
            }
            for expr in body.expressions() {
                let ExprKind::Call(callee, _) = body.exprs[expr].kind else { continue };
                let span = from.unwrap_or(body.exprs[expr].span);
                let callee = Some(&program.functions[callee]).filter(|callee| looked_at(callee));
                let found = callee.and_then(|callee| fault(callee, entry, profile, span));
                found.into_iter().for_each(|diagnostic| diags.push(diagnostic));
            }
        }
    }
}

/// Whether a function does something that only some stages may.
fn is_limited(program: &Program, id: FunctionId) -> bool {
    let limits = |f: &Function| f.attributes.iter().any(|a| matches!(a.name.as_str(), "__stages" | OUTSIDE));
    program.functions[id].code.block.any(&mut |s| matches!(s.kind, StmtKind::Discard))
        || program.analyses().uses(id).functions.iter().any(|f| limits(&program.functions[*f]))
}

/// Reports `discard` outside of fragment shaders.
fn discards(block: &Block, entry: &EntryPoint, from: Option<Span>, diags: &mut Diagnostics) {
    block.visit(&mut |stmt| {
        if matches!(stmt.kind, StmtKind::Discard) {
            let message = format!("the {} stage of `{}` cannot discard", entry.stage.name(), entry.name);
            diags.push(Diagnostic::error(Code::CAPABILITY, from.unwrap_or(stmt.span), message));
        }
    });
}

/// Whether a function cannot be called by the stage of an entry point.
pub(super) fn refuses(callee: &Function, entry: &EntryPoint, profile: &Profile) -> bool {
    fault(callee, entry, profile, Span::default()).is_some()
}

fn fault(callee: &Function, entry: &EntryPoint, profile: &Profile, span: Span) -> Option<Diagnostic> {
    let stage = entry.stage.name();
    // Helpers of the library are named after what they help.
    let name = callee.name.as_str().trim_start_matches('_');
    callee.attributes.iter().find_map(|attribute| match attribute.name.as_str() {
        "__stages" if !names(attribute).any(|n| Stage::parse(n) == Some(entry.stage)) => {
            let allowed: Vec<&str> = names(attribute).collect();
            let message = format!("`{name}` cannot be called by the {stage} stage of `{}`", entry.name);
            let note = format!("it is for these stages: {}", allowed.join(", "));
            Some(Diagnostic::error(Code::CAPABILITY, span, message).note(note))
        }
        OUTSIDE if !names(attribute).skip(1).any(|n| Stage::parse(n) == Some(entry.stage)) => {
            let capability = names(attribute).next().and_then(Capability::parse)?;
            let has_derivatives = DERIVATIVES.iter().any(|(stage, c)| *stage == entry.stage && profile.has(*c));
            let reads_base = base_levels::reads_base_levels(entry) && base_levels::is_spelled(callee);
            if capability == Capability::ImplicitLodAnywhere && (has_derivatives || reads_base) {
                return None;
            }
            let splits = capability == Capability::ComputeDerivatives && entry.stage == Stage::Compute;
            if splits && !profile.has(Capability::UnstatedQuads) && arrangement(entry.workgroup_size).is_none() {
                let [x, y, z] = entry.workgroup_size;
                let message =
                    format!("`{name}` takes a derivative, and a work group of {x}x{y}x{z} is not made of quads");
                let note = "give it an even width and height, or a multiple of four invocations";
                return Some(Diagnostic::error(Code::CAPABILITY, span, message).note(note));
            }
            let message = format!("{} does not support `{name}` in the {stage} stage", profile.name);
            let error = || Diagnostic::error(Code::CAPABILITY, span, message).note(profile.missing(capability));
            (!profile.has(capability)).then(error)
        }
        _ => None,
    })
}

/// The capabilities to take derivatives in stages. Where they are, a level of detail comes from them.
const DERIVATIVES: &[(Stage, Capability)] = &[
    (Stage::Compute, Capability::ComputeDerivatives),
    (Stage::Mesh, Capability::MeshDerivatives),
    (Stage::Amplification, Capability::MeshDerivatives),
];

/// The names that are an attribute's arguments.
fn names(attribute: &Attribute) -> impl Iterator<Item = &'static str> + '_ {
    attribute.args.iter().filter_map(|arg| match arg {
        AttributeArg::Name(name) | AttributeArg::Text(name) => Some(name.as_str()),
        _ => None,
    })
}
