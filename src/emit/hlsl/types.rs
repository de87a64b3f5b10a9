//! HLSL's spelling of types.

use super::Hlsl;
use crate::emit::context::Context;
use crate::emit::dialect::{Spelling, sized_array, split_array};
use crate::source::Span;
use crate::tree::*;

impl Spelling for Hlsl {
    fn scalar_name(&self, scalar: Scalar) -> &'static str {
        scalar.name()
    }

    fn vector_name(&self, scalar: Scalar, length: u8) -> String {
        format!("{}{length}", scalar.name())
    }

    fn type_name(&self, cx: &Context, ty: TypeId) -> String {
        name(cx, ty, Modifiers::default(), None)
    }

    fn variable(&self, cx: &Context, ty: TypeId, name: (&str, Span)) -> String {
        variable(cx, self, ty, name, Modifiers::default())
    }
}

/// A type with a declared name: array sizes follow the name.
pub(super) fn variable(
    cx: &Context,
    hlsl: &Hlsl,
    ty: TypeId,
    (name, span): (&str, Span),
    modifiers: Modifiers,
) -> String {
    if let Some((count, array)) = cx.declared_array(span, ty, &|ty| hlsl.type_name(cx, ty)) {
        let sizes = cx.lengths(hlsl, ty, span).into_iter().take(count).map(|size| format!("[{size}]"));
        return format!("{array} {name}{}", sizes.collect::<String>());
    }
    let (element, sizes) = sized_array(cx, hlsl, ty, span);
    let ty = cx.declared_type(span, element, self::name(cx, element, modifiers, Some((span, hlsl))));
    format!("{ty} {name}{sizes}")
}

/// A type; `unorm` and `snorm` belong to the element of a resource. `declared` is the name of what is declared with it.
fn name(cx: &Context, ty: TypeId, modifiers: Modifiers, declared: Option<(Span, &Hlsl)>) -> String {
    let of = |t: TypeId| name(cx, t, Modifiers::default(), None);
    let argument = |t: TypeId| declared.map_or_else(|| of(t), |(name, _)| cx.argument_type(name, t, of(t)));
    let element = |t: TypeId| {
        let words = [(Modifiers::UNORM, "unorm "), (Modifiers::SNORM, "snorm ")];
        // It has them for no others; a texel is read as its element either way.
        let has_words = matches!(cx.program.types.component(t), Some(Scalar::F32 | Scalar::F64));
        let word = words.iter().find(|(m, _)| modifiers.has(*m) && has_words).map_or("", |(_, w)| w);
        format!("{word}{}", argument(t))
    };
    match cx.program.types.get(ty) {
        Type::Void | Type::Error => "void".to_owned(),
        Type::Atomic(s) => s.name().to_owned(),
        Type::Array(..) => {
            let (inner, sizes) = split_array(cx, ty);
            of(inner) + &sizes
        }
        Type::Texture(texture) => {
            let text = texture_name(&texture, &element(texture.element));
            without_default(cx, text, declared.filter(|_| texture.access == Access::Read && !texture.multisampled))
        }
        Type::Buffer(kind, access, t) => {
            without_default(cx, kind.name(access, &element(t)), declared.filter(|_| access == Access::Read))
        }
        // How its data lies, its members say.
        Type::ConstantBuffer(t, _) => format!("ConstantBuffer<{}>", of(t)),
        // `out vertices T name[N]`: the parameter's printer adds the size.
        Type::MeshOutput(_, t, _) | Type::Pointer(t, _) => of(t),
        Type::Patch(is_input, t, count) => {
            let plain = || count.to_string();
            let count = declared.map_or_else(plain, |(name, hlsl)| cx.number(hlsl, (name, 0, 1), count.into()));
            dump::patch_text(is_input, &of(t), &count)
        }
        Type::Text => "string".to_owned(),
        Type::HitObject => "dx::HitObject".to_owned(),
        _ => dump::spelled(cx.program, ty, &of),
    }
}

/// The name of a type whose argument is the one that it has without any, as `Texture2D` where the source writes that. Textures with
/// several samples and those that are written have no such argument in HLSL.
fn without_default(cx: &Context, text: String, declared: Option<(Span, &Hlsl)>) -> String {
    let written = text.strip_suffix("<float4>").zip(declared);
    match written.filter(|(plain, (name, _))| cx.trivia.is_word_before(*name, plain)) {
        Some((plain, _)) => plain.to_owned(),
        None => text,
    }
}

/// Textures that are combined with a sampler or hold depths are no types of their own here, nor are those that are only written.
fn texture_name(texture: &Texture, element: &str) -> String {
    let access = if texture.access == Access::Write { Access::ReadWrite } else { texture.access };
    dump::texture_text(&Texture { access, combined: false, depth: false, ..*texture }, element)
}
