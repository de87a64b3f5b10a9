//! Object types of the standard library: `__magic_type(KIND)` with arguments makes a type of the tree.

use super::structs::StructInstance;
use super::{Arg, Checker};
use crate::symbol::Symbol;
use crate::tree::{
    Access, BufferKind, DataLayout, MeshOutputKind, Scalar, StreamKind, Texture, TextureShape, Type, TypeId, Types,
};

/// Arguments read in order.
struct Reader<'r> {
    args: std::slice::Iter<'r, Arg>,
}

/// The most control points of a patch, in D3D and Vulkan alike.
const MOST_CONTROL_POINTS: u32 = 32;

impl Reader<'_> {
    fn ty(&mut self) -> Result<TypeId, String> {
        match self.args.next() {
            Some(Arg::Type(ty)) => Ok(*ty),
            _ => Err("a type argument is missing".into()),
        }
    }
    fn number(&mut self) -> Result<i64, String> {
        match self.args.next() {
            Some(Arg::Value(n)) => Ok(*n),
            _ => Err("a value argument is missing".into()),
        }
    }
    fn flag(&mut self) -> Result<bool, String> {
        self.number().map(|n| n != 0)
    }
    fn data_layout(&mut self, types: &Types) -> Result<DataLayout, String> {
        let ty = self.ty()?;
        data_layout(types, Some(ty))
    }
    fn pick<T: Copy>(&mut self, list: &[T]) -> Result<T, String> {
        let n = self.number()?;
        usize::try_from(n).ok().and_then(|n| list.get(n)).copied().ok_or_else(|| format!("{n} is out of range here"))
    }
}

/// The argument of a texture type that says whether it is a depth texture.
pub(super) const SHADOW: usize = 6;

const ACCESS: &[Access] =
    &[Access::Read, Access::ReadWrite, Access::Write, Access::RasterOrdered, Access::Feedback, Access::FeedbackRegions];

/// The kinds of buffers by their numbers.
fn buffers(layout: DataLayout) -> [BufferKind; 7] {
    [
        BufferKind::Typed,
        BufferKind::Structured(layout),
        BufferKind::ByteAddress,
        BufferKind::Append(layout),
        BufferKind::Consume(layout),
        BufferKind::Counter,
        BufferKind::Block(layout),
    ]
}

/// The layout that a type names. Without one, and in the body of a generic that does not know it yet, it is the default.
pub(super) fn data_layout(types: &Types, ty: Option<TypeId>) -> Result<DataLayout, String> {
    match ty.map(|ty| types.get(ty)) {
        Some(Type::Opaque(name)) => DataLayout::named(name.as_str())
            .ok_or_else(|| format!("the layout `{name}` is not supported: `bool` has one byte in it")),
        _ => Ok(DataLayout::Default),
    }
}

/// No format has truth values.
fn no_bools(types: &Types, element: TypeId, of: &str) -> Result<(), String> {
    match types.component(element) {
        Some(Scalar::Bool) => Err(format!("a {of}'s elements are numbers, not `bool`")),
        _ => Ok(()),
    }
}

/// What no target has of textures.
fn impossible(texture: &Texture) -> Option<&'static str> {
    match texture.shape {
        TextureShape::D3 if texture.array => Some("there are no arrays of textures of three dimensions"),
        TextureShape::D1 | TextureShape::D3 | TextureShape::Cube if texture.multisampled => {
            Some("only textures of two dimensions are multisampled")
        }
        TextureShape::Cube if texture.access != Access::Read => {
            Some("a cube cannot be written: declare it as an array of textures of two dimensions")
        }
        _ if texture.combined && texture.access != Access::Read => Some("a texture that is written has no sampler"),
        TextureShape::D1 | TextureShape::D2 | TextureShape::D3 | TextureShape::Cube => None,
    }
}

impl<'a> Checker<'a> {
    /// The type of a kind with its arguments.
    pub(super) fn magic_type(&mut self, kind: Symbol, name: Symbol, args: &[Arg]) -> Result<TypeId, String> {
        let mut r = Reader { args: args.iter() };
        let ty = match kind.as_str() {
            "Texture" => Type::Texture(self.magic_texture(&mut r)?),
            "Sampler" => Type::Sampler(r.flag()?),
            "Buffer" => {
                let element = r.ty()?;
                let number = r.number()?;
                let access = r.pick(ACCESS)?;
                let list = buffers(r.data_layout(&self.program.types)?);
                let kind = usize::try_from(number).ok().and_then(|n| list.get(n)).copied();
                let kind = kind.ok_or_else(|| format!("{number} is out of range here"))?;
                if kind == BufferKind::Typed {
                    no_bools(&self.program.types, element, "typed buffer")?;
                }
                Type::Buffer(kind, access, element)
            }
            "ConstantBuffer" => Type::ConstantBuffer(r.ty()?, r.data_layout(&self.program.types)?),
            "TextureBuffer" => Type::TextureBuffer(r.ty()?),
            "ParameterBlock" => Type::ParameterBlock(r.ty()?),
            "SubpassInput" => {
                let element = r.ty()?;
                self.check_texels(element, "subpass input")?;
                Type::SubpassInput(element, r.flag()?)
            }
            "AccelerationStructure" => Type::AccelerationStructure,
            "RayQuery" => Type::RayQuery(r.number()? as u32),
            "HitObject" => Type::HitObject,
            "Stream" => {
                let element = r.ty()?;
                Type::Stream(r.pick(&[StreamKind::Point, StreamKind::Line, StreamKind::Triangle])?, element)
            }
            "Patch" => {
                let element = r.ty()?;
                let count = u32::try_from(r.number()?).ok().filter(|n| *n <= MOST_CONTROL_POINTS);
                let count = count.ok_or_else(|| format!("a patch has at most {MOST_CONTROL_POINTS} control points"))?;
                let input = r.flag()?;
                if input && count == 0 {
                    return Err("a patch that comes in has at least one control point".into());
                }
                Type::Patch(input, element, count)
            }
            "MeshOutput" => {
                let element = r.ty()?;
                let count = u32::try_from(r.number()?).map_err(|_| "a bad output size".to_owned())?;
                let kinds = [MeshOutputKind::Vertices, MeshOutputKind::Indices, MeshOutputKind::Primitives];
                Type::MeshOutput(r.pick(&kinds)?, element, count)
            }
            "Text" => Type::Text,
            "Handle" => Type::Handle(r.ty()?),
            "HeapElement" => Type::HeapElement(r.flag()?),
            "DynamicResource" => Type::DynamicResource(r.flag()?),
            _ => {
                let suffix = self.args_text(args);
                let text = if suffix.is_empty() { name.as_str().to_owned() } else { format!("{name}_{suffix}") };
                Type::Opaque(Symbol::new(&text))
            }
        };
        Ok(self.program.types.intern(ty))
    }

    /// Texels are scalars or vectors of numbers.
    fn check_texels(&self, element: TypeId, of: &str) -> Result<(), String> {
        if !matches!(self.program.types.get(element), Type::Scalar(_) | Type::Vector(..) | Type::Error) {
            let text = self.type_text(element);
            return Err(format!("a {of}'s elements are scalars or vectors, not `{text}`"));
        }
        no_bools(&self.program.types, element, of)
    }

    fn magic_texture(&mut self, r: &mut Reader<'_>) -> Result<Texture, String> {
        let element = r.ty()?;
        let dimensions = r.number()?;
        let cube = r.flag()?;
        let shape = match dimensions {
            _ if cube => TextureShape::Cube,
            1 => TextureShape::D1,
            2 => TextureShape::D2,
            3 => TextureShape::D3,
            n => return Err(format!("a texture cannot have {n} dimensions")),
        };
        self.check_texels(element, "texture")?;
        let texture = Texture {
            shape,
            array: r.flag()?,
            multisampled: r.flag()?,
            combined: r.flag()?,
            depth: r.flag()?,
            access: r.pick(ACCESS)?,
            element,
        };
        match impossible(&texture) {
            Some(message) => Err(message.into()),
            None => Ok(texture),
        }
    }

    /// What a depth texture without a sampler is otherwise: the library declares the members of both for it.
    pub(super) fn without_depth(&mut self, ty: TypeId) -> Option<TypeId> {
        match self.program.types.get(ty) {
            Type::Texture(t) if t.depth && !t.combined => {}
            _ => return None,
        }
        let StructInstance { decl, args, .. } = self.structs.instance(ty)?;
        let (decl, mut args) = (*decl, args.clone());
        *args.get_mut(SHADOW)? = Arg::Value(0);
        Some(self.instantiate_struct(decl, args, self.info(decl).span))
    }
}
