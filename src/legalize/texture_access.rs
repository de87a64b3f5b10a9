//! Say of each writable texture whether it is read, written or both, and check that the target can do that to its format.
//!
//! Before: `RWTexture2D<float4> image;             image[p] = color;`
//! After:  `writeonly RWTexture2D<float4> image;   image[p] = color;`
//!
//! The library marks what reads with `[__reads_texels]` and what writes with `[__effects]`. Formats and accesses that are an
//! optional feature of the target give a warning that names it.
//!
//! For targets without UnstatedTextureAccess. After `resource_arrays` each texture is a global of its own. Spec: WGSL "Storage Texture Types"; WebGPU "Texture Format
//! Capabilities".

use super::{Context, Pass};
use crate::diagnostic::{Code, Diagnostic};
use crate::target::Capability;
use crate::target::format::{Format, Support};
use crate::tree::{Access, BufferKind, ExprKind, GlobalId, Modifiers, Program, Scalar, Type};
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass = Pass {
    name: "texture_access",
    always: Some("formats are checked for every target that has textures with declared access"),
    after: &["resource_arrays", "resolve_resources"],
    run,
    ..Pass::ROW
};

/// Reports formats of other numbers than those of the elements: no language converts between them.
fn check_formats(cx: &mut Context) {
    let mut faults = Vec::new();
    for global in cx.program.parameters.iter().map(|id| &cx.program.globals[*id]) {
        let types = &cx.program.types;
        let element = match types.get(types.innermost(global.ty)) {
            Type::Texture(texture) if texture.access != Access::Read => texture.element,
            Type::Buffer(BufferKind::Typed, access, element) if access != Access::Read => element,
            _ => continue,
        };
        let asked = global.explicit.image_format.and_then(|name| Format::parse(name.as_str()));
        let (Some(format), Some(scalar)) = (asked, types.component(element)) else { continue };
        let kind = |s: Scalar| (s.is_float(), s.is_unsigned() || s == Scalar::Bool, s.size() == 8 && s.is_integer());
        if kind(format.scalar) != kind(scalar) {
            let message = format!("the elements of `{}` are not of the kind that `{}` holds", global.name, format.name);
            faults.push((global.span, message));
        }
    }
    faults.into_iter().for_each(|(span, message)| cx.unsupported(span, message));
}

fn run(cx: &mut Context) {
    check_formats(cx);
    if cx.profile.has(Capability::UnstatedTextureAccess) {
        return;
    }
    let (read, written, atomic) = uses(cx.program);
    for id in cx.program.parameters.clone() {
        let global = &cx.program.globals[id];
        let element = match cx.program.types.get(cx.program.types.innermost(global.ty)) {
            Type::Texture(texture) if texture.access != Access::Read => texture.element,
            Type::Buffer(BufferKind::Typed, access, element) if access != Access::Read => element,
            _ => continue,
        };
        let format = Format::of_image(&cx.program.types, element, global);
        let (span, name) = (global.span, global.name);
        if atomic.contains(&id) {
            cx.program.globals[id].modifiers.set(Modifiers::ATOMIC_ACCESS);
            continue;
        }
        let both = read.contains(&id) && written.contains(&id);
        let support = format.support(cx.profile.facts.image_formats, both);
        let how = if both { " that is both read and written" } else { "" };
        match support {
            Support::Always => {}
            Support::Feature(feature) => {
                let message = format!(
                    "`{name}`, a texture of `{}`{how}, needs the feature `{feature}` of the device",
                    format.name
                );
                cx.diags.push(Diagnostic::warning(Code::CAPABILITY, span, message));
            }
            Support::Never => {
                let message =
                    format!("`{name}`, a texture of `{}`{how}, is not supported by {}", format.name, cx.profile.name);
                let note = if both {
                    "`r32f`, `r32i` and `r32ui` can be read and written; another format takes two textures"
                } else {
                    "another format can be given with `[[vk::image_format(\"...\")]]`"
                };
                cx.diags.push(Diagnostic::error(Code::CAPABILITY, span, message).note(note));
            }
        }
        let modifier = if read.contains(&id) { Modifiers::READONLY } else { Modifiers::WRITEONLY };
        if !both {
            cx.program.globals[id].modifiers.set(modifier);
        }
    }
}

/// The writable textures that are read, those that are written, and those that are written atomically.
fn uses(program: &Program) -> (FxHashSet<GlobalId>, FxHashSet<GlobalId>, FxHashSet<GlobalId>) {
    let (mut read, mut written, mut atomic) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
    for id in program.reachable_functions() {
        let body = &program.functions[id].code;
        for id in body.expressions() {
            let ExprKind::Call(f, args) = &body.exprs[id].kind else { continue };
            let texture = args.first().map(|t| &body.exprs[body.exprs.base(*t)].kind);
            let Some(ExprKind::Global(texture)) = texture else { continue };
            if program.functions[*f].is_marked("__reads_texels") {
                read.insert(*texture);
            }
            if program.functions[*f].is_marked("__effects") {
                written.insert(*texture);
            }
            if program.functions[*f].is_marked("__atomic_texels") {
                atomic.insert(*texture);
            }
        }
    }
    (read, written, atomic)
}
