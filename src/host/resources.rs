//! What kind of resource a leaf is.

use super::interface::Found;
use super::model::{Access, Resource, Sample, Shape, Texture};
use crate::reflect::model::{Leaf, TypeNode};

/// The kind of a leaf, of which `size` bytes are known if it is a buffer.
pub fn resource(leaf: &Leaf, found: Option<&Found>, size: u64) -> Resource {
    match leaf.hidden.as_deref() {
        Some("counter") => return Resource::StorageBuffer { writes: true, element: 4 },
        Some(_) => return Resource::ConstantBuffer(size),
        None => {}
    }
    let Some(found) = found else { return Resource::Other };
    match found.ty.kind.as_str() {
        "constantBuffer" | "parameterBlock" => Resource::ConstantBuffer(size),
        "textureBuffer" => Resource::StorageBuffer { writes: false, element: size },
        "samplerState" => Resource::Sampler { compares: leaf.compares },
        "resource" => described(leaf, found, size),
        _ => Resource::Other,
    }
}

fn described(leaf: &Leaf, found: &Found, size: u64) -> Resource {
    let ty = found.ty;
    let writes = ty.access.as_deref().is_some_and(|access| access != "feedback");
    match ty.base_shape.as_deref().unwrap_or("") {
        "structuredBuffer" => Resource::StorageBuffer { writes, element: size },
        "byteAddressBuffer" => Resource::StorageBuffer { writes, element: 4 },
        "textureBuffer" => Resource::TexelBuffer { writes },
        "accelerationStructure" => Resource::AccelerationStructure,
        "subpassInput" => Resource::InputAttachment,
        shape => match texture(shape, ty, leaf.compares) {
            Some(texture) if ty.combined == Some(true) => Resource::Combined(texture),
            Some(texture) if writes => {
                let access = match (leaf.emitted_access.as_deref(), ty.access.as_deref()) {
                    (Some("atomic"), _) => Access::Atomic,
                    (Some("read"), _) => Access::Read,
                    (Some("write"), _) | (None, Some("write")) => Access::Write,
                    _ => Access::ReadWrite,
                };
                Resource::StorageTexture { texture, access, format: found.variable.format.clone() }
            }
            Some(texture) => Resource::Texture(texture),
            None => Resource::Other,
        },
    }
}

fn texture(shape: &str, ty: &TypeNode, compares: bool) -> Option<Texture> {
    let shape = match shape {
        "texture1D" => Shape::D1,
        "texture2D" => Shape::D2,
        "texture3D" => Shape::D3,
        "textureCube" => Shape::Cube,
        _ => return None,
    };
    let mut element = ty.result_type.as_deref()?;
    while let Some(inner) = element.element_type.as_deref() {
        element = inner;
    }
    let scalar = element.scalar_type.as_deref().unwrap_or("");
    let sample = match () {
        () if compares => Sample::Depth,
        () if scalar.starts_with("int") => Sample::Int,
        () if scalar.starts_with("uint") => Sample::Uint,
        () => Sample::Float,
    };
    Some(Texture { shape, array: ty.array == Some(true), multisampled: ty.multisample == Some(true), sample })
}
