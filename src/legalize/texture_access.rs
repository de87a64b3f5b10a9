//! Say of each writable texture whether it is read, written or both, and check that the target can do that to its format, and change
//! it atomically. An unknown format becomes that of the elements where the target must name one.
//!
//! Before: `RWTexture2D<float4> image;             image[p] = color;`
//! After:  `writeonly RWTexture2D<float4> image;   image[p] = color;`
//!
//! The library marks what reads with `[__reads_texels]` and what writes with `[__effects]`. Formats and accesses that are an
//! optional feature of the target give a warning that names it.
//!
//! For targets without UnstatedTextureAccess. After `resource_arrays` each texture is a global of its own. Spec: WGSL "Storage Texture Types"; WebGPU "Texture Format
//! Capabilities".

use super::needs::required;
use super::{Context, Pass, lacks_spelling};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::target::Capability;
use crate::target::format::{Format, Support};
use crate::tree::{
    Access, BufferKind, Explicit, ExprKind, Function, Global, GlobalId, Modifiers, Program, Scalar, Type, TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "texture_access",
    always: Some("formats are checked for every target that has textures with declared access"),
    lessens: &[Capability::VertexWrites],
    after: &["resource_arrays", "resolve_resources", "vertex_reads"],
    run,
    ..Pass::ROW
};

/// Reports formats of other numbers than those of the elements: no language converts between them.
fn check_formats(cx: &mut Context) {
    let mut faults = Vec::new();
    for global in cx.program.parameters.iter().map(|id| &cx.program.globals[*id]) {
        let types = &cx.program.types;
        let Some(element) = written_element(types, global.ty) else { continue };
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

/// Forgets that a format is unknown where one must be named: on targets that have declared access, and where the texture is
/// changed atomically.
fn name_unknown(cx: &mut Context) {
    let is_unknown = |global: &Global| global.explicit.image_format.is_some_and(|f| f == *Explicit::UNKNOWN_FORMAT);
    let mut unknown = cx.program.parameters.clone();
    unknown.retain(|id| is_unknown(&cx.program.globals[*id]));
    if cx.profile.has(Capability::UnstatedTextureAccess) && !unknown.is_empty() {
        let mut changed = FxHashSet::default();
        each_texel_call(cx.program, &mut |texture, function, _| {
            changed.extend(is_atomic(function).then_some(texture));
        });
        unknown.retain(|id| changed.contains(id));
    }
    unknown.into_iter().for_each(|id| cx.program.globals[id].explicit.image_format = None);
}

/// Whether a function changes a texel atomically.
fn is_atomic(function: &Function) -> bool {
    let atomics = [Capability::ImageAtomics, Capability::Atomic64, Capability::FloatAtomics];
    required(function).any(|needed| atomics.contains(&needed))
}

/// Reports textures that are changed atomically and whose texels are not one number of at least 32 bits.
fn check_atomics(cx: &mut Context) {
    let mut faults: FxHashMap<GlobalId, Diagnostic> = FxHashMap::default();
    each_texel_call(cx.program, &mut |texture, function, span| {
        if !is_atomic(function) {
            return;
        }
        let global = &cx.program.globals[texture];
        let Some(element) = written_element(&cx.program.types, global.ty) else { return };
        let format = Format::of_image(&cx.program.types, element, &global.explicit);
        if format.components == 1 && format.bits_are_words() {
            return;
        }
        let message = format!("`{}`, a texture of `{}`, cannot be changed atomically", global.name, format.name);
        let error = Diagnostic::error(Code::CAPABILITY, global.span, message).label(span, "here");
        let note = "atomic operations take `r32i`, `r32ui`, and of floats `r32f`";
        faults.entry(texture).or_insert_with(|| error.note(note));
    });
    for id in cx.program.parameters.iter() {
        faults.remove(id).into_iter().for_each(|fault| cx.diags.push(fault));
    }
}

fn run(cx: &mut Context) {
    check_formats(cx);
    name_unknown(cx);
    check_atomics(cx);
    if cx.profile.has(Capability::UnstatedTextureAccess) {
        return;
    }
    let (read, written, atomic) = uses(cx.program);
    for id in cx.program.parameters.clone() {
        let global = &cx.program.globals[id];
        let Some(element) = written_element(&cx.program.types, global.ty) else { continue };
        let format = Format::of_image(&cx.program.types, element, &global.explicit);
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
                cx.diags.push(Diagnostic::warning(Code::DEVICE_FEATURE, span, message));
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

/// The element of writable textures, or of an array of them.
fn written_element(types: &Types, ty: TypeId) -> Option<TypeId> {
    match types.get(types.innermost(ty)) {
        Type::Texture(texture) if texture.access != Access::Read => Some(texture.element),
        Type::Buffer(BufferKind::Typed, access, element) if access != Access::Read => Some(element),
        _ => None,
    }
}

/// Calls `f` for each call whose first argument is a global, or an element of one.
fn each_texel_call(program: &Program, f: &mut dyn FnMut(GlobalId, &Function, Span)) {
    for id in program.reachable_functions() {
        let body = &program.functions[id].code;
        for id in body.expressions() {
            let ExprKind::Call(function, args) = &body.exprs[id].kind else { continue };
            let texture = args.first().map(|t| &body.exprs[body.exprs.base(*t)].kind);
            if let Some(ExprKind::Global(texture)) = texture {
                f(*texture, &program.functions[*function], body.exprs[id].span);
            }
        }
    }
}

/// The writable textures that are read, those that are written, and those that are written atomically.
fn uses(program: &Program) -> (FxHashSet<GlobalId>, FxHashSet<GlobalId>, FxHashSet<GlobalId>) {
    let (mut read, mut written, mut atomic) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
    each_texel_call(program, &mut |texture, function, _| {
        if function.is_marked("__reads_texels") {
            read.insert(texture);
        }
        if function.is_marked("__effects") {
            written.insert(texture);
        }
        // What the target has no word for is another error.
        if function.is_marked("__atomic_texels") || is_atomic(function) && lacks_spelling(function) {
            atomic.insert(texture);
        }
    });
    (read, written, atomic)
}
