//! WGSL's spelling of types. A matrix of R rows and C columns is one of R columns of C: rows stay `m[i]`.

use super::Wgsl;
use super::directives::holds_resource;
use crate::emit::context::Context;
use crate::emit::dialect::Spelling;
use crate::source::Span;
use crate::target::format::Format;
use crate::tree::*;

/// The last letter of the short names of vectors and matrices; bool and 64-bit types have none.
fn letter(of: Scalar) -> Option<char> {
    match Wgsl.scalar_name(of) {
        "f32" => Some('f'),
        "f16" => Some('h'),
        "i32" => Some('i'),
        "u32" => Some('u'),
        _ => None,
    }
}

impl Spelling for Wgsl {
    /// The minimum-precision types are their full-size relatives.
    fn scalar_name(&self, scalar: Scalar) -> &'static str {
        match scalar {
            Scalar::Bool => "bool",
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::MinU16 => "u32",
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::MinI16 | Scalar::MinI12 => "i32",
            Scalar::U64 => "u64",
            Scalar::I64 => "i64",
            Scalar::F16 => "f16",
            Scalar::F32 | Scalar::MinF16 | Scalar::MinF10 => "f32",
            Scalar::F64 => "f64",
        }
    }

    fn vector_name(&self, of: Scalar, length: u8) -> String {
        match (length, letter(of)) {
            (1, _) => self.scalar_name(of).to_owned(),
            (n, Some(letter)) => format!("vec{n}{letter}"),
            (n, None) => format!("vec{n}<{}>", self.scalar_name(of)),
        }
    }

    fn type_name(&self, cx: &Context, ty: TypeId) -> String {
        let of = |t: TypeId| self.type_name(cx, t);
        match cx.program.types.get(ty) {
            Type::Void | Type::Error => "void".to_owned(),
            Type::Scalar(s) => self.scalar_name(s).to_owned(),
            Type::Vector(s, n) => self.vector_name(s, n),
            Type::Matrix(s, r, c) => match letter(s) {
                Some(letter) => format!("mat{r}x{c}{letter}"),
                None => format!("mat{r}x{c}<{}>", self.scalar_name(s)),
            },
            Type::Array(_, length) => array_name(cx, (ty, ty), (&[cx.program.length_text(length)], Span::default())),
            Type::Struct(id) => cx.program.structs[id].name.to_string(),
            Type::Enum(id) => self.scalar_name(cx.program.enums[id].tag).to_owned(),
            Type::Texture(t) => texture(cx, &t, None),
            Type::Sampler(false) => "sampler".to_owned(),
            Type::Sampler(true) => "sampler_comparison".to_owned(),
            Type::Buffer(BufferKind::Counter, ..) => "atomic<u32>".to_owned(),
            Type::Buffer(BufferKind::Block(_), _, t) => of(t),
            Type::Buffer(_, _, t) => format!("array<{}>", of(t)),
            Type::ConstantBuffer(t, _) | Type::TextureBuffer(t) | Type::ParameterBlock(t) => of(t),
            Type::Pointer(t, space) => match space {
                AddressSpace::Function => format!("ptr<function, {}>", of(t)),
                AddressSpace::Device(_) => format!("ptr<storage, {}, read_write>", of(t)),
            },
            Type::Atomic(s) => format!("atomic<{}>", self.scalar_name(s)),
            Type::AccelerationStructure => "acceleration_structure".to_owned(),
            Type::RayQuery(_) => "ray_query".to_owned(),
            Type::HitObject => "hit_object".to_owned(),
            Type::SubpassInput(t, _) | Type::Stream(_, t) | Type::Patch(_, t, _) | Type::MeshOutput(_, t, _) => of(t),
            Type::Text => "string".to_owned(),
            Type::Handle(_) => self.vector_name(Scalar::U32, 2),
            Type::HeapElement(_) => self.scalar_name(Scalar::U32).to_owned(),
            Type::DynamicResource(_) => "__DynamicResource".to_owned(),
            Type::Opaque(symbol) => symbol.to_string(),
        }
    }

    fn variable(&self, cx: &Context, ty: TypeId, (name, span): (&str, Span)) -> String {
        format!("{name}: {}", declared(cx, ty, span))
    }
}

/// The type of what is declared by a name.
pub(super) fn declared(cx: &Context, ty: TypeId, name: Span) -> String {
    array_name(cx, (ty, ty), (&cx.lengths(&Wgsl, ty, name), name))
}

/// A type that may be an array, or an element of one that is `whole`, with the sizes from the outermost on, as far as they are known.
fn array_name(cx: &Context, (whole, ty): (TypeId, TypeId), (lengths, name): (&[String], Span)) -> String {
    let (Some((element, _)), Some((length, rest))) = (cx.program.types.array_parts(ty), lengths.split_first()) else {
        let argument = |t: TypeId| cx.argument_type(name, t, Wgsl.type_name(cx, t));
        let text = match cx.program.types.get(ty) {
            Type::Buffer(BufferKind::Counter | BufferKind::Block(_), ..) => Wgsl.type_name(cx, ty),
            Type::Buffer(_, _, t) => format!("array<{}>", argument(t)),
            Type::ConstantBuffer(t, _) | Type::TextureBuffer(t) | Type::ParameterBlock(t) => {
                // A block that is its only member is declared as that.
                return match cx.trivia.argument_before(name) {
                    Some(_) => argument(t),
                    None => declared(cx, t, name),
                };
            }
            _ => Wgsl.type_name(cx, ty),
        };
        return cx.element_type(name, (whole, ty), text);
    };
    if name != Span::default()
        && let Some((0, named)) = cx.declared_array(name, ty, &|ty| Wgsl.type_name(cx, ty))
    {
        return named;
    }
    let word = if holds_resource(cx.program, element) { "binding_array" } else { "array" };
    let element = array_name(cx, (whole, element), (rest, name));
    // Without a size it has as many as there are.
    let length = if length.is_empty() { String::new() } else { format!(", {length}") };
    format!("{word}<{element}{length}>")
}

/// A texture type; a storage texture has the format that its declaration asks for, or its element's own.
pub(super) fn texture(cx: &Context, texture: &Texture, global: Option<&Global>) -> String {
    let shape = match texture.shape {
        TextureShape::D1 => "1d",
        TextureShape::D2 => "2d",
        TextureShape::D3 => "3d",
        TextureShape::Cube => "cube",
    };
    let array = if texture.array { "_array" } else { "" };
    if texture.access != Access::Read {
        let types = &cx.program.types;
        let modifiers = global.map_or(Modifiers::default(), |g| g.modifiers);
        let format = match global {
            Some(global) => Format::of_image(types, texture.element, &global.explicit),
            None => Format::of_element(types, texture.element),
        };
        let access = match () {
            () if modifiers.has(Modifiers::ATOMIC_ACCESS) => "atomic",
            () if modifiers.has(Modifiers::READONLY) => "read",
            () if modifiers.has(Modifiers::WRITEONLY) || texture.access == Access::Write => "write",
            () => "read_write",
        };
        return format!("texture_storage_{shape}{array}<{}, {access}>", format.wgsl.unwrap_or(format.name));
    }
    let ms = if texture.multisampled { "multisampled_" } else { "" };
    if texture.depth {
        return format!("texture_depth_{ms}{shape}{array}");
    }
    let component = match cx.program.types.component(texture.element) {
        Some(s) if s.is_signed() => "i32",
        Some(s) if s.is_unsigned() => "u32",
        _ => "f32",
    };
    format!("texture_{ms}{shape}{array}<{component}>")
}
