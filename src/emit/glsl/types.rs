//! GLSL's spelling of types. A matrix of R rows and C columns is one of R columns of C: rows stay `m[i]`.

use super::Glsl;
use crate::emit::context::Context;
use crate::emit::dialect::{Spelling, sized_array, split_array};
use crate::source::Span;
use crate::tree::*;

/// (scalar, its name, prefix of vectors, extension that it needs).
const SCALARS: &[(Scalar, &str, &str, &str)] = &[
    (Scalar::Bool, "bool", "b", ""),
    (Scalar::I8, "int8_t", "i8", "GL_EXT_shader_explicit_arithmetic_types_int8"),
    (Scalar::U8, "uint8_t", "u8", "GL_EXT_shader_explicit_arithmetic_types_int8"),
    (Scalar::I16, "int16_t", "i16", "GL_EXT_shader_explicit_arithmetic_types_int16"),
    (Scalar::U16, "uint16_t", "u16", "GL_EXT_shader_explicit_arithmetic_types_int16"),
    (Scalar::I32, "int", "i", ""),
    (Scalar::U32, "uint", "u", ""),
    (Scalar::I64, "int64_t", "i64", "GL_EXT_shader_explicit_arithmetic_types_int64"),
    (Scalar::U64, "uint64_t", "u64", "GL_EXT_shader_explicit_arithmetic_types_int64"),
    (Scalar::F16, "float16_t", "f16", "GL_EXT_shader_explicit_arithmetic_types_float16"),
    (Scalar::F32, "float", "", ""),
    (Scalar::F64, "double", "d", ""),
    (Scalar::MinF16, "float", "", ""),
    (Scalar::MinF10, "float", "", ""),
    (Scalar::MinI16, "int", "i", ""),
    (Scalar::MinI12, "int", "i", ""),
    (Scalar::MinU16, "uint", "u", ""),
];

fn row(scalar: Scalar) -> (&'static str, &'static str, &'static str) {
    SCALARS.iter().find(|r| r.0 == scalar).map_or(("float", "", ""), |r| (r.1, r.2, r.3))
}

/// The extension that a scalar type needs, or nothing.
pub(super) fn extension(scalar: Scalar) -> &'static str {
    row(scalar).2
}

impl Spelling for Glsl {
    fn scalar_name(&self, scalar: Scalar) -> &'static str {
        row(scalar).0
    }

    fn vector_name(&self, scalar: Scalar, length: u8) -> String {
        match length {
            1 => self.scalar_name(scalar).to_owned(),
            n => format!("{}vec{n}", row(scalar).1),
        }
    }

    fn type_name(&self, cx: &Context, ty: TypeId) -> String {
        match cx.program.types.get(ty) {
            Type::Void | Type::Error => "void".to_owned(),
            Type::Scalar(s) | Type::Atomic(s) => self.scalar_name(s).to_owned(),
            Type::Vector(s, n) => self.vector_name(s, n),
            Type::Matrix(s, r, c) => match (row(s).1, r == c) {
                (prefix, true) => format!("{prefix}mat{r}"),
                (prefix, false) => format!("{prefix}mat{r}x{c}"),
            },
            Type::Array(..) => {
                let (inner, sizes) = split_array(cx, ty);
                self.type_name(cx, inner) + &sizes
            }
            Type::Struct(id) => cx.program.structs[id].name.to_string(),
            Type::Enum(id) => self.scalar_name(cx.program.enums[id].tag).to_owned(),
            Type::Texture(t) => texture(cx, &t, if t.combined { "sampler" } else { "texture" }),
            Type::Sampler(false) => "sampler".to_owned(),
            Type::Sampler(true) => "samplerShadow".to_owned(),
            Type::Buffer(BufferKind::Typed, access, element) => {
                let kind = if access == Access::Read { cx.profile.facts.glsl.texel_buffer } else { "imageBuffer" };
                format!("{}{kind}", component_prefix(cx, element))
            }
            Type::SubpassInput(element, ms) => {
                format!("{}subpassInput{}", component_prefix(cx, element), if ms { "MS" } else { "" })
            }
            Type::AccelerationStructure => "accelerationStructureEXT".to_owned(),
            Type::RayQuery(_) => "rayQueryEXT".to_owned(),
            Type::HitObject => "hitObjectNV".to_owned(),
            // Nothing is known of what it refers to: it is a number.
            Type::Pointer(TypeId::VOID, AddressSpace::Device(_)) => self.scalar_name(Scalar::U64).to_owned(),
            Type::Pointer(t, AddressSpace::Device(layout)) => {
                let layout = cx.profile.facts.data_layouts.obeyed(layout, false).word();
                let kind = if layout.is_empty() { String::new() } else { format!("{layout}_") };
                let element: String =
                    self.type_name(cx, t).chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                format!("{}_{kind}pointer", element.trim_end_matches('_'))
            }
            // Printed as blocks, or never as a type.
            Type::Buffer(_, _, t)
            | Type::ConstantBuffer(t, _)
            | Type::TextureBuffer(t)
            | Type::ParameterBlock(t)
            | Type::Stream(_, t)
            | Type::Patch(_, t, _)
            | Type::MeshOutput(_, t, _)
            | Type::Pointer(t, _) => self.type_name(cx, t),
            Type::Text => "string".to_owned(),
            Type::Handle(_) => self.vector_name(Scalar::U32, 2),
            Type::HeapElement(_) => self.scalar_name(Scalar::U32).to_owned(),
            Type::DynamicResource(_) => "__DynamicResource".to_owned(),
            Type::Opaque(symbol) => symbol.to_string(),
        }
    }

    fn variable(&self, cx: &Context, ty: TypeId, (name, span): (&str, Span)) -> String {
        let (element, sizes) = sized_array(cx, self, ty, span);
        format!("{} {name}{sizes}", self.type_name(cx, element))
    }
}

/// A texture or image type: `utexture2DArray`, `image3D`.
pub(super) fn texture(cx: &Context, texture: &Texture, read_word: &str) -> String {
    let word = if texture.access == Access::Read { read_word } else { "image" };
    let shape = texture.shape.word();
    let ms = if texture.multisampled { "MS" } else { "" };
    let array = if texture.array { "Array" } else { "" };
    let shadow = if texture.combined && texture.depth && word == "sampler" { "Shadow" } else { "" };
    format!("{}{word}{shape}{ms}{array}{shadow}", component_prefix(cx, texture.element))
}

/// `i` and `u` before the names of textures of integers.
fn component_prefix(cx: &Context, element: TypeId) -> &'static str {
    match cx.program.types.component(element) {
        Some(Scalar::I64) => "i64",
        Some(Scalar::U64) => "u64",
        Some(s) if s.is_signed() => "i",
        Some(s) if s.is_unsigned() => "u",
        _ => "",
    }
}
