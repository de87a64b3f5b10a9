//! What is used of the crate wgpu, with the same names and members.
use std::num::{NonZeroU32, NonZeroU64};

#[derive(Clone, Copy, Debug)]
pub struct ShaderStages(u32);

impl ShaderStages {
    pub const NONE: Self = Self(0);
    pub const VERTEX: Self = Self(1);
    pub const FRAGMENT: Self = Self(2);
    pub const COMPUTE: Self = Self(4);
    pub const TASK: Self = Self(8);
    pub const MESH: Self = Self(16);

    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct BindGroupLayoutEntry {
    pub binding: u32,
    pub visibility: ShaderStages,
    pub ty: BindingType,
    pub count: Option<NonZeroU32>,
}

#[derive(Clone, Copy, Debug)]
pub enum BindingType {
    Buffer { ty: BufferBindingType, has_dynamic_offset: bool, min_binding_size: Option<NonZeroU64> },
    Sampler(SamplerBindingType),
    Texture { sample_type: TextureSampleType, view_dimension: TextureViewDimension, multisampled: bool },
    StorageTexture { access: StorageTextureAccess, format: TextureFormat, view_dimension: TextureViewDimension },
    AccelerationStructure { vertex_return: bool },
}

#[derive(Clone, Copy, Debug)]
pub enum BufferBindingType {
    Uniform,
    Storage { read_only: bool },
}

#[derive(Clone, Copy, Debug)]
pub enum SamplerBindingType {
    Filtering,
    NonFiltering,
    Comparison,
}

#[derive(Clone, Copy, Debug)]
pub enum TextureSampleType {
    Float { filterable: bool },
    Depth,
    Sint,
    Uint,
}

#[derive(Clone, Copy, Debug)]
pub enum TextureViewDimension {
    D1,
    D2,
    D2Array,
    Cube,
    CubeArray,
    D3,
}

#[derive(Clone, Copy, Debug)]
pub enum StorageTextureAccess {
    WriteOnly,
    ReadOnly,
    ReadWrite,
    Atomic,
}

#[derive(Clone, Copy, Debug)]
pub enum TextureFormat {
    Bgra8Unorm,
    R16Float,
    R16Sint,
    R16Snorm,
    R16Uint,
    R16Unorm,
    R32Float,
    R32Sint,
    R32Uint,
    R64Uint,
    R8Sint,
    R8Snorm,
    R8Uint,
    R8Unorm,
    Rg11b10Ufloat,
    Rg16Float,
    Rg16Sint,
    Rg16Snorm,
    Rg16Uint,
    Rg16Unorm,
    Rg32Float,
    Rg32Sint,
    Rg32Uint,
    Rg8Sint,
    Rg8Snorm,
    Rg8Uint,
    Rg8Unorm,
    Rgb10a2Uint,
    Rgb10a2Unorm,
    Rgba16Float,
    Rgba16Sint,
    Rgba16Snorm,
    Rgba16Uint,
    Rgba16Unorm,
    Rgba32Float,
    Rgba32Sint,
    Rgba32Uint,
    Rgba8Sint,
    Rgba8Snorm,
    Rgba8Uint,
    Rgba8Unorm,
}

#[derive(Clone, Copy, Debug)]
pub enum VertexFormat {
    Uint8x4,
    Sint8x4,
    Uint16x2,
    Uint16x4,
    Sint16x2,
    Sint16x4,
    Float16x2,
    Float16x4,
    Float32,
    Float32x2,
    Float32x3,
    Float32x4,
    Uint32,
    Uint32x2,
    Uint32x3,
    Uint32x4,
    Sint32,
    Sint32x2,
    Sint32x3,
    Sint32x4,
    Float64,
    Float64x2,
    Float64x3,
    Float64x4,
}

#[derive(Clone, Copy, Debug)]
pub enum VertexStepMode {
    Vertex,
    Instance,
}

#[derive(Clone, Copy, Debug)]
pub struct VertexAttribute {
    pub format: VertexFormat,
    pub offset: u64,
    pub shader_location: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct VertexBufferLayout<'a> {
    pub array_stride: u64,
    pub step_mode: VertexStepMode,
    pub attributes: &'a [VertexAttribute],
}

#[derive(Clone, Copy, Debug)]
pub enum AddressMode {
    ClampToEdge,
    Repeat,
    MirrorRepeat,
    ClampToBorder,
}

#[derive(Clone, Copy, Debug)]
pub enum FilterMode {
    Nearest,
    Linear,
}

#[derive(Clone, Copy, Debug)]
pub enum MipmapFilterMode {
    Nearest,
    Linear,
}

#[derive(Clone, Copy, Debug)]
pub enum CompareFunction {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

#[derive(Clone, Copy, Debug)]
pub enum SamplerBorderColor {
    TransparentBlack,
    OpaqueBlack,
    OpaqueWhite,
}

#[derive(Clone, Copy, Debug)]
pub struct SamplerDescriptor<'a> {
    pub label: Option<&'a str>,
    pub address_mode_u: AddressMode,
    pub address_mode_v: AddressMode,
    pub address_mode_w: AddressMode,
    pub mag_filter: FilterMode,
    pub min_filter: FilterMode,
    pub mipmap_filter: MipmapFilterMode,
    pub lod_min_clamp: f32,
    pub lod_max_clamp: f32,
    pub compare: Option<CompareFunction>,
    pub anisotropy_clamp: u16,
    pub border_color: Option<SamplerBorderColor>,
}
