//! HLSL's spelling of types.

use super::Hlsl;
use crate::emit::context::Context;
use crate::emit::dialect::{Spelling, split_array};
use crate::tree::*;

impl Spelling for Hlsl {
    fn scalar_name(&self, scalar: Scalar) -> &'static str {
        scalar.name()
    }

    fn vector_name(&self, scalar: Scalar, length: u8) -> String {
        format!("{}{length}", scalar.name())
    }

    fn type_name(&self, cx: &Context, ty: TypeId) -> String {
        name(cx, ty, Modifiers::default())
    }
}

/// A type with a declared name: array sizes follow the name.
pub(super) fn variable(cx: &Context, ty: TypeId, name: &str, modifiers: Modifiers) -> String {
    let (element, sizes) = split_array(cx, ty);
    format!("{} {name}{sizes}", self::name(cx, element, modifiers))
}

/// A type; `unorm` and `snorm` belong to the element of a resource.
fn name(cx: &Context, ty: TypeId, modifiers: Modifiers) -> String {
    let of = |t: TypeId| name(cx, t, Modifiers::default());
    let element = |t: TypeId| {
        let words = [(Modifiers::UNORM, "unorm "), (Modifiers::SNORM, "snorm ")];
        let word = words.iter().find(|(m, _)| modifiers.has(*m)).map_or("", |(_, w)| w);
        format!("{word}{}", of(t))
    };
    match cx.program.types.get(ty) {
        Type::Void | Type::Error => "void".to_owned(),
        Type::Scalar(s) | Type::Atomic(s) => s.name().to_owned(),
        Type::Vector(s, n) => format!("{}{n}", s.name()),
        Type::Matrix(s, r, c) => format!("{}{r}x{c}", s.name()),
        Type::Array(..) => {
            let (inner, sizes) = split_array(cx, ty);
            of(inner) + &sizes
        }
        Type::Struct(id) => cx.program.structs[id].name.to_string(),
        Type::Enum(id) => cx.program.enums[id].name.to_string(),
        Type::Texture(texture) => texture_name(&texture, &element(texture.element)),
        Type::Sampler(false) => "SamplerState".to_owned(),
        Type::Sampler(true) => "SamplerComparisonState".to_owned(),
        Type::Buffer(kind, access, t) => kind.name(access, &element(t)),
        Type::ConstantBuffer(t) => format!("ConstantBuffer<{}>", of(t)),
        Type::TextureBuffer(t) => format!("TextureBuffer<{}>", of(t)),
        Type::ParameterBlock(t) => format!("ParameterBlock<{}>", of(t)),
        Type::SubpassInput(t, ms) => format!("SubpassInput{}<{}>", if ms { "MS" } else { "" }, of(t)),
        Type::AccelerationStructure => "RaytracingAccelerationStructure".to_owned(),
        Type::RayQuery(flags) => format!("RayQuery<{flags}>"),
        Type::Stream(kind, t) => {
            let kind = match kind {
                StreamKind::Point => "Point",
                StreamKind::Line => "Line",
                StreamKind::Triangle => "Triangle",
            };
            format!("{kind}Stream<{}>", of(t))
        }
        Type::Patch(input, t, n) => format!("{}Patch<{}, {n}>", if input { "Input" } else { "Output" }, of(t)),
        // `out vertices T name[N]`: the parameter's printer adds the size.
        Type::MeshOutput(_, t, _) => of(t),
        Type::Pointer(t, _) => of(t),
        Type::Text => "string".to_owned(),
        Type::Opaque(name) => name.to_string(),
    }
}

fn texture_name(texture: &Texture, element: &str) -> String {
    let access = match texture.access {
        Access::Read => "",
        Access::ReadWrite | Access::Write => "RW",
        Access::RasterOrdered => "RasterizerOrdered",
        Access::Feedback => "Feedback",
    };
    let shape = texture.shape.word();
    let ms = if texture.multisampled { "MS" } else { "" };
    let array = if texture.array { "Array" } else { "" };
    format!("{access}Texture{shape}{ms}{array}<{element}>")
}
