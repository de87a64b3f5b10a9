//! The version and extensions that a program needs: from its types and from the builtins that it calls.

use super::types;
use crate::emit::context::Context;
use crate::emit::hints;
use crate::target::format::Format;
use crate::target::invocation_modes::InvocationMode;
use crate::target::{DataLayouts, EXTENSION_ATTRIBUTE, TYPED_EXTENSION_ATTRIBUTE, VERSION_ATTRIBUTE};
use crate::tree::analyses::Uses;
use crate::tree::*;
use std::collections::BTreeSet;

/// What the head of a file says.
pub(super) struct Found {
    /// The lowest version.
    pub(super) version: u32,
    /// Extensions, in order of their names.
    pub(super) extensions: BTreeSet<String>,
    /// Types of pointers to device memory.
    pub(super) pointers: BTreeSet<TypeId>,
    /// Which layouts blocks can say.
    data_layouts: DataLayouts,
}

impl Found {
    fn add(&mut self, extension: &str) {
        if !extension.is_empty() {
            self.extensions.insert(extension.to_owned());
        }
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            match (attribute.name.as_str(), attribute.args.first()) {
                (EXTENSION_ATTRIBUTE, Some(AttributeArg::Text(text))) => self.add(text.as_str()),
                (VERSION_ATTRIBUTE, Some(AttributeArg::Int(version))) => {
                    self.version = self.version.max(u32::try_from(*version).unwrap_or(0));
                }
                _ => {}
            }
        }
    }

    /// What a builtin needs for numbers that are not of the core language.
    fn typed(&mut self, program: &Program, function: &Function) {
        let head = function.attributes.iter().find(|a| a.name == *TYPED_EXTENSION_ATTRIBUTE);
        let Some(AttributeArg::Text(head)) = head.and_then(|a| a.args.first()) else { return };
        let types = function.params.iter().map(|p| function.code.locals[p.local].ty);
        for scalar in types.chain([function.result]).filter_map(|ty| program.types.component(ty)) {
            let kind = types::extension(scalar).rsplit_once("_types_").map(|(_, kind)| kind);
            if let Some(kind) = kind {
                self.add(&format!("{head}_{kind}"));
            }
        }
    }

    fn texels(&mut self, program: &Program, element: TypeId) {
        if matches!(program.types.component(element), Some(Scalar::I64 | Scalar::U64)) {
            self.add("GL_EXT_shader_image_int64");
        }
    }

    fn ty(&mut self, program: &Program, ty: TypeId) {
        match program.types.get(ty) {
            Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, ..) => self.add(types::extension(s)),
            Type::Array(element, count) => {
                if count.is_unsized() && program.types.get(program.types.innermost(element)).is_resource() {
                    self.add("GL_EXT_nonuniform_qualifier");
                }
                self.ty(program, element);
            }
            Type::Texture(t) => self.texels(program, t.element),
            Type::Buffer(BufferKind::Typed, _, element) => self.texels(program, element),
            Type::Pointer(element, AddressSpace::Device(layout)) => {
                self.layout(layout, false);
                self.add("GL_EXT_buffer_reference");
                // Null is made of a number.
                self.add(types::extension(Scalar::U64));
                if self.pointers.insert(ty) {
                    self.block(program, element);
                }
            }
            Type::Buffer(kind, _, element) => {
                self.layout(kind.data_layout(), false);
                self.block(program, element);
            }
            Type::ConstantBuffer(element, layout) => {
                self.layout(layout, true);
                self.block(program, element);
            }
            Type::TextureBuffer(element) | Type::Pointer(element, _) => self.block(program, element),
            Type::RayQuery(_) => self.add("GL_EXT_ray_query"),
            Type::HitObject => self.add("GL_NV_shader_invocation_reorder"),
            _ => {}
        }
    }

    /// What a block needs that says how its data lies.
    fn layout(&mut self, layout: DataLayout, constant: bool) {
        let said = self.data_layouts.obeyed(layout, constant);
        if said == DataLayout::Scalar || said == DataLayout::Std430 && constant {
            self.add("GL_EXT_scalar_block_layout");
        }
    }

    /// What is stored in memory as well.
    fn block(&mut self, program: &Program, ty: TypeId) {
        match program.types.get(ty) {
            Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, ..) => match s {
                Scalar::I8 | Scalar::U8 => self.add("GL_EXT_shader_8bit_storage"),
                Scalar::I16 | Scalar::U16 | Scalar::F16 => self.add("GL_EXT_shader_16bit_storage"),
                _ => {}
            },
            Type::Array(element, _) => self.block(program, element),
            Type::Struct(id) => program.structs[id].fields.iter().for_each(|f| self.block(program, f.ty)),
            _ => {}
        }
        self.ty(program, ty);
    }
}

/// Whether an image is declared without a format, and not as one that is only written.
fn has_no_format(program: &Program, global: &Global) -> bool {
    let (element, access) = match program.types.get(program.types.innermost(global.ty)) {
        Type::Texture(t) => (t.element, t.access),
        Type::Buffer(BufferKind::Typed, access, element) => (element, access),
        _ => return false,
    };
    matches!(access, Access::ReadWrite | Access::RasterOrdered)
        && !global.modifiers.has(Modifiers::WRITEONLY)
        && !Format::of_image(&program.types, element, &global.explicit).in_glsl
}

/// Looks through all items.
pub(super) fn collect(cx: &Context) -> Found {
    let program = cx.program;
    let mut found = Found {
        version: 0,
        extensions: BTreeSet::new(),
        pointers: BTreeSet::new(),
        data_layouts: cx.profile.facts.data_layouts,
    };
    for entry in cx.entry_points {
        let attributes = &program.functions[entry.function].attributes;
        for (_, extension) in InvocationMode::had(attributes, entry.stage, cx.profile).filter_map(|mode| mode.glsl) {
            found.add(extension);
        }
        match entry.stage {
            Stage::Mesh | Stage::Amplification => found.add("GL_EXT_mesh_shader"),
            Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => {
                found.add("GL_EXT_ray_tracing");
                found.version = found.version.max(460);
            }
            Stage::Vertex | Stage::Hull | Stage::Domain | Stage::Geometry | Stage::Fragment | Stage::Compute => {}
        }
    }
    let analyses = program.analyses();
    for item in cx.items {
        match *item {
            Item::Struct(id) => program.structs[id].fields.iter().for_each(|f| found.ty(program, f.ty)),
            Item::Global(id) => {
                let global = &program.globals[id];
                found.ty(program, global.ty);
                found.attributes(&global.attributes);
                if let Type::Buffer(BufferKind::Typed, ..) = program.types.get(program.types.innermost(global.ty)) {
                    found.add(cx.profile.facts.glsl.texel_buffer_extension);
                }
                if has_no_format(program, global) {
                    found.add("GL_EXT_shader_image_load_formatted");
                }
                if global.explicit.index.is_some() {
                    found.add(cx.profile.facts.glsl.dual_source);
                }
                uses(program, analyses.initializer(id), &mut found);
            }
            Item::Function(id) => {
                let function = &program.functions[id];
                found.attributes(&function.attributes);
                if hints::need_extension(cx, &function.code.block) {
                    found.add(hints::GLSL_EXTENSION);
                }
                uses(program, analyses.uses(id), &mut found);
            }
            Item::Enum(_) => {}
        }
    }
    // Acceleration structures need one of the two.
    let ray = |e: &str| e == "GL_EXT_ray_query" || e == "GL_EXT_ray_tracing";
    let structure = |g: &Global| program.types.get(program.types.innermost(g.ty)) == Type::AccelerationStructure;
    if cx.items.iter().any(|item| matches!(item, Item::Global(id) if structure(&program.globals[*id])))
        && !found.extensions.iter().any(|e| ray(e))
    {
        found.add("GL_EXT_ray_query");
    }
    found
}

fn uses(program: &Program, uses: &Uses, found: &mut Found) {
    for function in &uses.functions {
        let function = &program.functions[*function];
        found.attributes(&function.attributes);
        found.typed(program, function);
    }
    for ty in &uses.types {
        found.ty(program, *ty);
    }
}
