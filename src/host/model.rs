//! What host code is written from, whatever language it is in: the data of buffers as structs without hidden padding, and the
//! positions of resources, entry points, stage inputs and constants.

use crate::reflect::model::ScalarValue;

/// The interface of one program on one target.
#[derive(Clone, Debug)]
pub struct Host {
    /// Structs, each after those that it holds.
    pub structs: Vec<Struct>,
    /// What every buffer holds.
    pub buffers: Vec<Buffer>,
    /// Where everything is bound.
    pub slots: Vec<Slot>,
    /// Push constants.
    pub push_constants: Vec<PushConstants>,
    /// Entry points.
    pub entries: Vec<Entry>,
    /// Specialization or override constants.
    pub constants: Vec<Constant>,
    /// Values that the source gives plain parameters.
    pub defaults: Vec<DefaultValue>,
    /// Samplers whose states the source has.
    pub samplers: Vec<Sampler>,
    /// Constants that root signatures have themselves.
    pub root_constants: Vec<RootConstants>,
}

/// A number as it lies in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl Number {
    /// The number of a scalar of a sidecar (`float32`) that takes so many bytes. Halves are words of two bytes, `bool` is an
    /// integer of its size.
    pub fn of(scalar: &str, bytes: u64) -> Number {
        let (is_float, is_signed) = (scalar.starts_with("float"), scalar.starts_with("int"));
        match (bytes, is_float, is_signed) {
            (8, true, _) => Number::F64,
            (4, true, _) => Number::F32,
            (8, _, true) => Number::I64,
            (4, _, true) => Number::I32,
            (2, _, true) => Number::I16,
            (1, _, true) => Number::I8,
            _ => Number::word(bytes),
        }
    }

    /// The integer without sign of at most so many bytes.
    pub fn word(bytes: u64) -> Number {
        match bytes {
            0 | 1 => Number::U8,
            2 | 3 => Number::U16,
            4..=7 => Number::U32,
            _ => Number::U64,
        }
    }

    /// Bytes, which are its alignment too.
    pub fn size(self) -> u64 {
        match self {
            Number::U8 | Number::I8 => 1,
            Number::U16 | Number::I16 => 2,
            Number::U32 | Number::I32 | Number::F32 => 4,
            Number::U64 | Number::I64 | Number::F64 => 8,
        }
    }
}

/// What an array, or a value by itself, is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// A number.
    Number(Number),
    /// A struct of [`Host::structs`].
    Struct(usize),
}

/// Data without hidden padding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Data {
    /// What it is made of.
    pub element: Element,
    /// The arrays that it is, the outermost first.
    pub dimensions: Vec<u64>,
}

impl Data {
    /// How many elements it has in all.
    pub fn count(&self) -> u64 {
        self.dimensions.iter().fold(1, |all, n| all.saturating_mul(*n))
    }
}

/// A struct whose fields follow each other without gaps, so that each compiler puts them at the same offsets.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its name in host code.
    pub name: String,
    /// Its name in the source, with the arguments of generics; of one without a name that of what it is the type of.
    pub source: String,
    /// Its place in the source, `file:line`.
    pub location: Option<String>,
    /// Bytes with the padding that it has.
    pub size: u64,
    /// Its fields by offset.
    pub fields: Vec<Field>,
}

/// A field, or padding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name in host code.
    pub name: String,
    /// Its type in the source, with what is not plain of it; padding has none.
    pub note: Option<String>,
    /// The first byte.
    pub offset: u64,
    /// What lies there.
    pub data: Data,
}

/// The data of a buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Its name in host code.
    pub name: String,
    /// Its path in the sidecar.
    pub path: String,
    /// Its type in the source, if it is declared.
    pub note: Option<String>,
    /// What it holds, or one element of it; nothing if it holds an array without bound alone.
    pub data: Data,
    /// Bytes of the data in host code.
    pub size: u64,
    /// Structured buffers: the distance of elements, which is that size.
    pub stride: Option<u64>,
}

/// What is bound in a slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Resource {
    /// Constants of so many bytes.
    ConstantBuffer(u64),
    /// A structured or byte address buffer.
    StorageBuffer { writes: bool, element: u64 },
    /// A buffer of texels.
    TexelBuffer { writes: bool },
    /// A texture that is read.
    Texture(Texture),
    /// A texture that is read and written.
    StorageTexture { texture: Texture, access: Access, format: Option<String> },
    /// A texture with its sampler.
    Combined(Texture),
    /// A sampler.
    Sampler { compares: bool },
    /// An acceleration structure.
    AccelerationStructure,
    /// An input attachment.
    InputAttachment,
    /// Something that the format does not describe further.
    Other,
}

/// How a storage texture is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    Write,
    ReadWrite,
    Atomic,
}

/// The shape of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Texture {
    pub shape: Shape,
    pub array: bool,
    pub multisampled: bool,
    pub sample: Sample,
}

/// The dimensions of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    D1,
    D2,
    D3,
    Cube,
}

/// What reading a texture gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sample {
    Float,
    Int,
    Uint,
    Depth,
}

/// A slot, or several from one on.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its name in host code.
    pub name: String,
    /// Its path in the sidecar.
    pub path: String,
    /// The path of the sampler, if the text alone combines a texture with it.
    pub sampler: Option<String>,
    /// Its type in the source, if it is declared, and its place there.
    pub note: String,
    /// Register class on D3D and OpenGL.
    pub class: Option<char>,
    /// Register or binding.
    pub index: u64,
    /// Register space, descriptor set or bind group.
    pub space: u64,
    /// How many descriptors there are; nothing without bound.
    pub count: Option<u64>,
    /// They are in one binding.
    pub in_one: bool,
    /// What is bound.
    pub resource: Resource,
    /// The stages that can reach it, in the order of entry points, each once.
    pub stages: Vec<String>,
}

/// The value that the source gives a plain parameter, as numbers one after the other.
#[derive(Clone, Debug)]
pub struct DefaultValue {
    /// Its name in host code.
    pub name: String,
    /// Its type in the source and its place there.
    pub note: String,
    /// What the numbers are.
    pub number: Number,
    /// The numbers.
    pub values: Vec<ConstantValue>,
}

/// A sampler whose states the source has.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// Where it is bound.
    pub slot: Slot,
    /// Its states, if all entry points agree.
    pub state: Option<SamplerState>,
    /// What host code does not have of it.
    pub notes: Vec<String>,
}

/// The states of a sampler.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SamplerState {
    /// Where a texture is made smaller, where it is made larger, and between levels.
    pub filters: [Filter; 3],
    /// The first two are anisotropic.
    pub anisotropic: bool,
    /// What becomes of the texels that are read.
    pub reduction: Reduction,
    /// What is read outside of the texture, by axis.
    pub address: [Address; 3],
    /// What is added to the level.
    pub lod_bias: f32,
    /// 1 without anisotropy.
    pub max_anisotropy: u32,
    /// What [`Reduction::Comparison`] compares by.
    pub comparison: Comparison,
    /// What [`Address::Border`] reads.
    pub border: Border,
    /// The first level that is read.
    pub min_lod: f32,
    /// The last one.
    pub max_lod: f32,
    /// D3D: the one stage that sees it, as root signatures say it.
    pub visibility: Option<&'static str>,
}

/// A filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    Point,
    Linear,
}

/// What becomes of texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    Average,
    Comparison,
    Minimum,
    Maximum,
}

/// What is read outside of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Address {
    Wrap,
    Mirror,
    Clamp,
    Border,
    MirrorOnce,
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

/// A color around a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Border {
    TransparentBlack,
    OpaqueBlack,
    OpaqueWhite,
    OpaqueBlackUint,
    OpaqueWhiteUint,
}

/// Constants that a root signature has itself.
#[derive(Clone, Debug)]
pub struct RootConstants {
    /// The register of their buffer.
    pub index: u64,
    /// Its register space.
    pub space: u64,
    /// How many numbers of four bytes there are.
    pub count: u32,
}

/// A range of push constants.
#[derive(Clone, Debug)]
pub struct PushConstants {
    /// Its name in host code.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// The stages that can reach it.
    pub stages: Vec<String>,
}

/// An entry point.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name in host code.
    pub name: String,
    /// Its name in the emitted text.
    pub emitted: String,
    /// Its stage.
    pub stage: String,
    /// Its place in the source.
    pub location: Option<String>,
    /// Invocations of a group.
    pub group: Option<[u32; 3]>,
    /// Vertex stages: attributes, each after the other in memory.
    pub inputs: Vec<Input>,
}

impl Entry {
    /// Bytes of a vertex whose attributes follow each other.
    pub fn vertex_size(&self) -> u64 {
        self.inputs.last().map_or(0, |last| last.offset.saturating_add(last.size()))
    }
}

/// A vertex attribute.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its path below the entry point.
    pub path: String,
    /// Semantic and its index.
    pub semantic: (String, u32),
    /// Its location.
    pub location: u64,
    /// Its offset in a vertex whose attributes follow each other.
    pub offset: u64,
    /// Numbers of it; halves are `half`.
    pub number: Number,
    /// They are floats of two bytes.
    pub half: bool,
    /// How many.
    pub components: u64,
}

impl Input {
    /// Bytes, up to a multiple of four.
    pub fn size(&self) -> u64 {
        crate::layout::rules::round_up(self.number.size().saturating_mul(self.components), 4)
    }
}

/// A specialization or override constant.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Its name in host code.
    pub name: String,
    /// Its type in the source and its place there.
    pub note: String,
    /// Its id.
    pub id: u64,
    /// Its value takes four bytes in host code but for numbers of eight.
    pub number: Number,
    /// Its value if the application sets none.
    pub value: Option<ConstantValue>,
}

/// The value of a constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ConstantValue {
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    /// Of four bytes.
    Single(f32),
    Double(f64),
}

impl ConstantValue {
    /// A value of a sidecar as one of the number that a constant is.
    pub fn of(value: ScalarValue, number: Number) -> Option<ConstantValue> {
        let float = match value {
            ScalarValue::Bool(value) => return Some(ConstantValue::Bool(value)),
            ScalarValue::Int(value) => value as f64,
            ScalarValue::Uint(value) => value as f64,
            ScalarValue::Float(value) => value,
        };
        match (number, value) {
            (Number::F32, _) => Some(ConstantValue::Single(float as f32)),
            (Number::F64, _) => Some(ConstantValue::Double(float)),
            (Number::I8 | Number::I16 | Number::I32 | Number::I64, ScalarValue::Int(value)) => {
                Some(ConstantValue::Signed(value))
            }
            (Number::U8 | Number::U16 | Number::U32 | Number::U64, ScalarValue::Int(value)) => {
                u64::try_from(value).ok().map(ConstantValue::Unsigned)
            }
            (Number::U64, ScalarValue::Uint(value)) => Some(ConstantValue::Unsigned(value)),
            _ => None,
        }
    }

    /// The bits of the constant's bytes: a `bool` is 0 or 1.
    pub fn bits(self, number: Number) -> u64 {
        let all = match self {
            ConstantValue::Bool(value) => value.into(),
            ConstantValue::Signed(value) => value as u64,
            ConstantValue::Unsigned(value) => value,
            ConstantValue::Single(value) => value.to_bits().into(),
            ConstantValue::Double(value) => value.to_bits(),
        };
        if number.size() < 8 { all & u64::from(u32::MAX) } else { all }
    }
}

/// As host code writes it, with as many digits as tell it from others.
impl std::fmt::Display for ConstantValue {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            ConstantValue::Bool(value) => write!(f, "{value}"),
            ConstantValue::Signed(value) => write!(f, "{value}"),
            ConstantValue::Unsigned(value) => write!(f, "{value}"),
            ConstantValue::Single(value) => write!(f, "{value:?}"),
            ConstantValue::Double(value) => write!(f, "{value:?}"),
        }
    }
}
