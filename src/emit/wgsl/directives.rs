//! Directives at the head of a file: what it enables, and which checks of uniformity it turns off.
//!
//! HLSL lets a shader take derivatives in flow that is not uniform (the result is then undefined for some pixels); WGSL
//! refuses without it. The directive is written where legalization has left some there.

use crate::emit::context::Context;
use crate::target::Api;
use crate::target::system_values::enabled_for;
use crate::tree::*;
use std::collections::BTreeSet;

/// The lines, in order.
pub(super) fn collect(cx: &Context) -> Vec<String> {
    let program = cx.program;
    let analyses = program.analyses();
    let mut enables = BTreeSet::new();
    let mut subgroups = false;
    for item in cx.items {
        let uses = match *item {
            Item::Function(id) => analyses.uses(id),
            Item::Global(id) => {
                note_type(program, program.globals[id].ty, &mut enables);
                analyses.initializer(id)
            }
            Item::Struct(id) => {
                program.structs[id].fields.iter().for_each(|f| note_type(program, f.ty, &mut enables));
                let fields = program.structs[id].fields.iter();
                enables.extend(fields.filter_map(|f| enabled_by(&f.attributes)).map(str::to_owned));
                // Written as `@blend_src`.
                if program.structs[id].fields.iter().any(|f| f.explicit.location.and(f.explicit.index).is_some()) {
                    enables.insert("dual_source_blending".to_owned());
                }
                continue;
            }
            Item::Enum(_) => continue,
        };
        uses.types.iter().for_each(|ty| note_type(program, *ty, &mut enables));
        for function in &uses.functions {
            for attribute in &program.functions[*function].attributes {
                if let ("__wgsl_enable", Some(AttributeArg::Text(name))) =
                    (attribute.name.as_str(), attribute.args.first())
                {
                    subgroups |= *name == "subgroups";
                    enables.insert(name.to_string());
                }
            }
        }
        if let Item::Function(id) = *item {
            // Parameters need not be used.
            let function = &program.functions[id];
            function.params.iter().for_each(|p| note_type(program, function.code.locals[p.local].ty, &mut enables));
            let params = function.params.iter();
            enables.extend(params.filter_map(|p| enabled_by(&p.attributes)).map(str::to_owned));
        }
    }
    // naga has them, and refuses the directives.
    if cx.profile.facts.api == Api::Wgpu {
        subgroups &= !enables.remove("subgroups");
    }
    let mut lines: Vec<String> = enables.into_iter().map(|name| format!("enable {name};")).collect();
    for function in &program.varying_derivatives {
        let name = program.functions[*function].name;
        lines.push(format!("// `{name}` takes derivatives where flow differs between invocations."));
    }
    if !program.varying_derivatives.is_empty() {
        lines.push("diagnostic(off, derivative_uniformity);".to_owned());
    }
    if subgroups {
        lines.push("diagnostic(off, subgroup_uniformity);".to_owned());
    }
    lines
}

/// What a builtin in a stage's interface needs enabled.
fn enabled_by(attributes: &[Attribute]) -> Option<&'static str> {
    attributes.iter().find_map(|a| match (a.name.as_str(), a.args.as_slice()) {
        ("builtin", [AttributeArg::Name(name)]) => enabled_for(name.as_str()),
        _ => None,
    })
}

fn note_type(program: &Program, ty: TypeId, enables: &mut BTreeSet<String>) {
    match program.types.get(ty) {
        Type::Scalar(Scalar::F16) | Type::Vector(Scalar::F16, _) | Type::Matrix(Scalar::F16, ..) => {
            enables.insert("f16".to_owned());
        }
        Type::AccelerationStructure | Type::RayQuery(_) => drop(enables.insert("wgpu_ray_query".to_owned())),
        Type::Array(element, _) if holds_resource(program, element) => {
            enables.insert("wgpu_binding_array".to_owned());
            note_type(program, element, enables);
        }
        Type::Array(element, _)
        | Type::Pointer(element, _)
        | Type::Buffer(_, _, element)
        | Type::ConstantBuffer(element, _) => note_type(program, element, enables),
        _ => {}
    }
}

/// Whether an array of such elements is in one binding.
pub(super) fn holds_resource(program: &Program, element: TypeId) -> bool {
    program.types.get(program.types.innermost(element)).is_resource()
}
