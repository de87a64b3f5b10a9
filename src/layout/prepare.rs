//! What a policy changes in a program before anything is placed: the declarations themselves, so that layout, legalization
//! and the sidecar see one program.

use super::{Api, Settings, bit_fields, dynamic_resources, heaps, root_constants, size_constants};
use crate::diagnostic::Diagnostics;
use crate::tree::{
    BufferKind, ExprKind, Global, GlobalId, GlobalKind, Length, Modifiers, Program, Type, TypeId, Types,
};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The program that is laid out under these settings, for a target of this name.
pub fn prepare<'a>(
    program: &'a Program,
    settings: &Settings,
    target: &str,
    diags: &mut Diagnostics,
) -> Cow<'a, Program> {
    let mut program = Cow::Borrowed(program);
    let tell = (settings.api != Api::D3d).then_some((target, &mut *diags));
    size_constants::hold(&mut program, settings.sized_arrays, tell);
    if bit_fields::any(&program) {
        bit_fields::pack(program.to_mut());
    }
    if settings.policy.constants.specialization_as_globals && settings.api == Api::D3d {
        make_globals(program.to_mut());
    }
    if settings.policy.constants.push_as_globals && settings.api == Api::D3d {
        unwrap_push_constants(program.to_mut());
    }
    if settings.pushes_root_constants && settings.api.facts().push_constants {
        root_constants::push(&mut program, diags);
    }
    if let Some(size) = settings.unsized_array_size {
        size_arrays(&mut program.to_mut().types, size);
    }
    if dynamic_resources::any(&program) {
        dynamic_resources::lower(program.to_mut(), settings.api, target, diags);
    }
    if heaps::any(&program) {
        heaps::lower(program.to_mut(), settings);
    }
    if settings.api != Api::D3d {
        mark_counted(&mut program);
    }
    program
}

/// Marks the buffers whose hidden counters need bindings: those of the types whose counters are asked for somewhere.
fn mark_counted(program: &mut Cow<Program>) {
    let types = counted_types(program);
    if types.is_empty() {
        return;
    }
    let types: Vec<Type> = types.into_iter().map(|ty| program.types.get(ty)).collect();
    let counted = |g: &Global| {
        g.explicit.vk_counter_binding.is_none() && holds_counted(program, &types, program.types.innermost(g.ty))
    };
    let counted: Vec<GlobalId> =
        program.parameters.iter().copied().filter(|id| counted(&program.globals[*id])).collect();
    for id in counted {
        program.to_mut().globals[id].counted = true;
    }
}

/// Whether a type is, or holds in a struct or block, a structured buffer of one of these types.
fn holds_counted(program: &Program, types: &[Type], ty: TypeId) -> bool {
    program.any_leaf(ty, &mut |leaf| match leaf {
        Type::ConstantBuffer(inside, _) | Type::TextureBuffer(inside) | Type::ParameterBlock(inside) => {
            holds_counted(program, types, inside)
        }
        Type::Buffer(BufferKind::Structured(_), ..) => types.contains(&leaf),
        _ => false,
    })
}

/// The types of buffers whose hidden counters are asked for.
pub(super) fn counted_types(program: &Program) -> BTreeSet<TypeId> {
    let marked = program.marked("__hidden_counter");
    let mut types = BTreeSet::new();
    let functions = if marked.is_empty() { Vec::new() } else { program.reachable_functions() };
    for id in functions {
        program.functions[id].each_body(&mut |body| {
            for e in body.expressions() {
                if let ExprKind::Call(f, args) = &body.exprs[e].kind
                    && marked.contains(f)
                {
                    types.extend(args.first().map(|buffer| body.exprs[*buffer].ty));
                }
            }
        });
    }
    types
}

/// Unbounded arrays of resources get one.
fn size_arrays(types: &mut Types, size: u32) {
    for id in types.ids() {
        if let Type::Array(element, Length::Unsized) = types.get(id)
            && types.get(types.innermost(element)).is_resource()
        {
            types.replace(id, Type::Array(element, Length::Fixed(size)));
        }
    }
}

/// Push constants of plain data are plain globals as any other: the attribute is for Vulkan.
fn unwrap_push_constants(program: &mut Program) {
    let wrapped: BTreeSet<GlobalId> =
        program.globals.iter().filter(|(_, g)| g.wraps.is_some()).map(|(id, _)| id).collect();
    for id in &wrapped {
        let global = &mut program.globals[*id];
        global.ty = global.wraps.take().unwrap_or(global.ty);
        global.modifiers.clear(Modifiers::PUSH_CONSTANT);
    }
    program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            if let ExprKind::Contents(buffer) = exprs[id].kind
                && let ExprKind::Global(global) = exprs[buffer].kind
                && wrapped.contains(&global)
            {
                exprs[id].kind = ExprKind::Global(global);
            }
        }
    });
}

/// Specialization constants become plain globals, whose values the application sets.
fn make_globals(program: &mut Program) {
    let mut constants: Vec<GlobalId> =
        program.globals.iter().filter(|(_, g)| g.kind == GlobalKind::Specialization).map(|(id, _)| id).collect();
    for &id in &constants {
        program.globals[id].kind = GlobalKind::Parameter;
        program.globals[id].init = None;
    }
    // Each stands among the parameters where it does in the source.
    let order = |id: GlobalId| (program.globals[id].unit, program.globals[id].ordinal);
    constants.sort_by_key(|id| order(*id));
    let mut constants = constants.into_iter().peekable();
    let mut all = Vec::new();
    for &id in &program.parameters {
        while let Some(constant) = constants.next_if(|c| order(*c) < order(id)) {
            all.push(constant);
        }
        all.push(id);
    }
    all.extend(constants);
    program.parameters = all.into();
}
