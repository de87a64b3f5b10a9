//! A root signature of the source is kept where it describes the registers of the output.
//!
//! Before: `[RootSignature("UAV(u0)")] void main()`, where the source gives a resource no register
//! After:  `void main()`, with a warning; the attribute stays if the source places every resource
//!
//! Targets without root signatures drop it with a warning: their pipelines have layouts of their own.
//!
//! So are the subobjects of state objects, which say what a library of ray tracing is linked with: `LocalRootSignature`, hit groups
//! and the like. Only a target with root signatures and ray tracing has them.
//!
//! After `dead_code` only resources which are used matter; `split_resources` makes resources that no source names.

use super::needs::{Find, stage_need};
use super::{Context, Pass};
use crate::diagnostic::{Code, Diagnostic};
use crate::target::Capability;
use crate::tree::{Attribute, Function, FunctionId, Global, GlobalKind, Program};

pub(super) const PASS: Pass = Pass {
    name: "root_signatures",
    always: Some("an attribute that the target lacks is dropped without an error"),
    removes: &[(Capability::RootSignatures, Find::Function(|_, f| f.attributes.iter().any(is_signature)))],
    after: &["dead_code"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    of_rays(cx);
    subobjects(cx);
    let (message, note) = match (cx.profile.has(Capability::RootSignatures), unplaced(cx.program)) {
        (true, None) => return,
        (true, Some(resource)) => (
            format!("the root signature is omitted: the source gives `{resource}` no register"),
            "it is kept where every resource in use has a `register` of its own",
        ),
        (false, _) => (
            format!("the root signature is omitted: {} has none", cx.profile.name),
            "the sidecar has its parts, with the parameters that they are of, and the bindings that a pipeline layout is made of",
        ),
    };
    for entry in &cx.program.entry_points {
        let attributes = &cx.program.functions[entry.function].attributes;
        let Some(signature) = attributes.iter().find(|a| is_signature(a)) else { continue };
        cx.diags.push(Diagnostic::warning(Code::OMITTED, signature.span, message.clone()).note(note));
    }
    remove(cx.program);
}

/// Stages of ray tracing have theirs as objects of their library.
fn of_rays(cx: &mut Context) {
    for entry in cx.program.entry_points.iter().filter(|e| stage_need(e.stage) == Some(Capability::RayTracing)) {
        let function = &mut cx.program.functions[entry.function];
        for signature in function.attributes.extract_if(.., |a| is_signature(a)) {
            let message = format!("the root signature is omitted: a {} shader has none", entry.stage.name());
            let note = "a `GlobalRootSignature` or `LocalRootSignature` of the file is one";
            cx.diags.push(Diagnostic::warning(Code::OMITTED, signature.span, message).note(note));
        }
    }
}

/// Leaves out the subobjects that the text cannot have, or nothing asks for.
fn subobjects(cx: &mut Context) {
    let has_rays = cx.program.entry_points.iter().any(|e| e.stage.is_of_rays());
    let has_them = cx.profile.has(Capability::RootSignatures) && cx.profile.has(Capability::RayTracing);
    let unplaced = unplaced(cx.program);
    let Context { program, profile, diags, .. } = cx;
    program.subobjects.retain(|subobject| {
        let name = subobject.name;
        let why = match &unplaced {
            _ if !has_them => format!("{} has none", profile.name),
            Some(resource) if subobject.is_signature() => {
                format!("the source gives `{resource}` no register")
            }
            Some(_) | None => return has_rays,
        };
        let message = format!("the subobject `{name}` is omitted: {why}");
        diags.push(Diagnostic::warning(Code::OMITTED, subobject.span, message));
        false
    });
}

fn is_signature(attribute: &Attribute) -> bool {
    attribute.name.as_str().eq_ignore_ascii_case("rootsignature")
}

fn remove(program: &mut Program) {
    let has_one = |(id, f): (FunctionId, &Function)| f.attributes.iter().any(is_signature).then_some(id);
    let having: Vec<FunctionId> = program.functions.iter().filter_map(has_one).collect();
    having.into_iter().for_each(|id| program.functions[id].attributes.retain(|a| !is_signature(a)));
}

/// The name of a parameter that has no register in the source.
fn unplaced(program: &Program) -> Option<String> {
    let is_unplaced =
        |g: &Global| g.kind == GlobalKind::Parameter && g.explicit.registers.iter().all(|r| r.class.is_none());
    let mut globals = program.listed_globals().map(|id| &program.globals[id]);
    globals.find(|g| is_unplaced(g)).map(|g| g.name.to_string())
}
