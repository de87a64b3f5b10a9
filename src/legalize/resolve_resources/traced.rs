//! Programs whose resources the target's compiler traces itself, as DXC does once it has inlined all functions: variables,
//! results and fields that hold them stay as they are written.
//!
//! `Material m = { tex, tint };   shade(m)`
//!
//! Shader parameters of structs with resources are no such variables: they fall apart for their bindings (`split_resources`),
//! and what is given a part of one with them.

use super::super::Context;
use super::super::split_resources::needs_split;
use crate::target::Capability;
use crate::tree::{Function, Length, Param, ParamMode, Program, Type, TypeId};

/// Whether the resources of a program may stay in variables, if it turns out that each is one of the module.
pub(super) fn may_stay(cx: &Context) -> bool {
    let program = &*cx.program;
    cx.profile.has(Capability::TracedResources)
        && !program.parameters.iter().any(|id| needs_split(program, program.globals[*id].ty))
        && program.structs.iter().all(|(_, s)| s.fields.iter().all(|field| is_traced(program, field.ty)))
        && program.reachable_functions().into_iter().all(|id| is_traced_in(program, &program.functions[id]))
}

/// Whether a function has variables or a result whose resources the target traces.
pub(super) fn holds(program: &Program, function: &Function) -> bool {
    let holds = |ty: TypeId| program.holds_resource(ty);
    program.traces_resources
        && (holds(function.result) || function.code.locals.iter().any(|(_, local)| holds(local.ty)))
}

/// Whether all variables of a function are of types that are traced. Another resource in a parameter that is one is not.
fn is_traced_in(program: &Program, function: &Function) -> bool {
    let locals = &function.code.locals;
    let is_resource = |p: &&Param| {
        let ty = locals.get_if(p.local).map(|l| l.ty);
        p.mode == ParamMode::In && ty.is_some_and(|ty| program.types.get(ty).is_resource())
    };
    let mut resources = function.params.iter().filter(is_resource).map(|p| p.local).peekable();
    let replaces = resources.peek().is_some() && {
        let written = program.written_locals(&function.code);
        resources.any(|local| written.contains(&local))
    };
    !replaces && locals.iter().all(|(_, local)| is_traced(program, local.ty))
}

/// Whether what a type holds, structs aside, may be in variables: not so blocks of constants, textures with their samplers, and
/// arrays without a size, which may not be fields.
fn is_traced(program: &Program, ty: TypeId) -> bool {
    let is_unsized = |(_, count): (TypeId, Length)| count == Length::Unsized;
    if program.holds_resource(ty) && program.types.array_parts(ty).is_some_and(is_unsized) {
        return false;
    }
    match program.types.get(program.types.innermost(ty)) {
        Type::Texture(texture) => !texture.combined,
        Type::ConstantBuffer(..) | Type::TextureBuffer(_) | Type::ParameterBlock(_) | Type::Handle(_) => false,
        _ => true,
    }
}
