//! Types, interned: equal types have equal ids.

use super::{EnumId, GlobalId, Modifiers, StructId};
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;

/// An interned type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TypeId(pub u32);

impl Default for TypeId {
    fn default() -> TypeId {
        TypeId::ERROR
    }
}

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
    /// `min16float`: at least 16 bits; 4 bytes in a buffer unless 16-bit types are on.
    MinF16,
    /// `min10float`, which has the bits of `min16float`, and overloads of its own.
    MinF10,
    /// `min16int`.
    MinI16,
    /// `min12int`, as `min10float` beside `min16float`.
    MinI12,
    /// `min16uint`.
    MinU16,
}

impl Scalar {
    /// (HLSL spelling, scalar).
    pub const NAMES: &[(&str, Scalar)] = &[
        ("bool", Scalar::Bool),
        ("int8_t", Scalar::I8),
        ("uint8_t", Scalar::U8),
        ("int16_t", Scalar::I16),
        ("uint16_t", Scalar::U16),
        ("int", Scalar::I32),
        ("uint", Scalar::U32),
        ("int64_t", Scalar::I64),
        ("uint64_t", Scalar::U64),
        ("half", Scalar::F16),
        ("float", Scalar::F32),
        ("double", Scalar::F64),
        ("min16float", Scalar::MinF16),
        ("min10float", Scalar::MinF10),
        ("min16int", Scalar::MinI16),
        ("min12int", Scalar::MinI12),
        ("min16uint", Scalar::MinU16),
    ];

    /// HLSL spelling.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, s)| *s == self).map_or("", |(n, _)| *n)
    }
    /// Size in bytes in memory (bool is 4, min16 types are 4).
    pub fn size(self) -> u32 {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 => 2,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
            _ => 4,
        }
    }
    /// Floating point.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64 | Scalar::MinF16 | Scalar::MinF10)
    }
    /// Signed integer.
    pub fn is_signed(self) -> bool {
        use Scalar::{I8, I16, I32, I64, MinI12, MinI16};
        matches!(self, I8 | I16 | I32 | I64 | MinI16 | MinI12)
    }
    /// Unsigned integer.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 | Scalar::MinU16)
    }
    /// Of an integer the unsigned one of its width.
    pub fn unsigned(self) -> Scalar {
        match self {
            Scalar::I8 => Scalar::U8,
            Scalar::I16 => Scalar::U16,
            Scalar::I32 => Scalar::U32,
            Scalar::I64 => Scalar::U64,
            Scalar::MinI16 | Scalar::MinI12 => Scalar::MinU16,
            other => other,
        }
    }
    /// At least 16 bits wide: `min16float` and its kin.
    pub fn is_least_precision(self) -> bool {
        matches!(self, Scalar::MinF16 | Scalar::MinF10 | Scalar::MinI16 | Scalar::MinI12 | Scalar::MinU16)
    }
    /// Integer of either sign, not bool.
    pub fn is_integer(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }
}

/// Shape of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum TextureShape {
    D1,
    D2,
    D3,
    Cube,
}

impl TextureShape {
    /// The end of the name of a texture type: `2D`.
    pub fn word(self) -> &'static str {
        match self {
            TextureShape::D1 => "1D",
            TextureShape::D2 => "2D",
            TextureShape::D3 => "3D",
            TextureShape::Cube => "Cube",
        }
    }
}

/// What a shader may do with a resource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Access {
    Read,
    ReadWrite,
    Write,
    RasterOrdered,
    /// Of sampler feedback: the lowest level that was asked for.
    Feedback,
    /// Of sampler feedback: the regions that were used.
    FeedbackRegions,
}

/// A texture type, `Texture2DMSArray<float4, 4>` and its relatives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Texture {
    /// Shape.
    pub shape: TextureShape,
    /// An array texture.
    pub array: bool,
    /// Multisampled.
    pub multisampled: bool,
    /// With its sampler: `Sampler2D`.
    pub combined: bool,
    /// Compared on sampling (`Sampler2DShadow`, or found so by legalization): a depth texture.
    pub depth: bool,
    /// Access.
    pub access: Access,
    /// Element type: scalar or vector.
    pub element: TypeId,
}

/// The layout that a declaration names for the data of one buffer: `ScalarDataLayout`, `layout(std140)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataLayout {
    /// That of all such buffers.
    #[default]
    Default,
    /// `std140`.
    Std140,
    /// `std430`.
    Std430,
    /// That of `GL_EXT_scalar_block_layout`.
    Scalar,
}

impl DataLayout {
    /// (the type that names it, the word in `layout(...)`, the layout).
    pub const NAMES: &[(&str, &str, DataLayout)] = &[
        ("DefaultDataLayout", "", DataLayout::Default),
        ("DefaultPushConstantDataLayout", "", DataLayout::Default),
        ("Std140DataLayout", "std140", DataLayout::Std140),
        ("Std430DataLayout", "std430", DataLayout::Std430),
        ("ScalarDataLayout", "scalar", DataLayout::Scalar),
    ];

    /// The layout of a type or a word.
    pub fn named(name: &str) -> Option<DataLayout> {
        let found = Self::NAMES.iter().find(|(ty, word, _)| *ty == name || !name.is_empty() && *word == name);
        found.map(|(.., layout)| *layout)
    }

    /// Its word in `layout(...)`.
    pub fn word(self) -> &'static str {
        Self::NAMES.iter().find(|(.., layout)| *layout == self).map_or("", |(_, word, _)| word)
    }

    /// The type that names it.
    pub fn type_name(self) -> &'static str {
        Self::NAMES.iter().find(|(.., layout)| *layout == self).map_or("", |(ty, ..)| ty)
    }

    /// A further argument of a type that has it: `, ScalarDataLayout`.
    pub fn argument(self) -> String {
        if self == DataLayout::Default { String::new() } else { format!(", {}", self.type_name()) }
    }
}

/// How many elements an array has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Length {
    /// So many.
    Fixed(u32),
    /// As many as the application binds, or as the buffer has room for: `[]`.
    Unsized,
    /// As many as a constant says that is known when the pipeline is made: a specialization constant, or a `const` of some.
    Constant(SizeConstant),
}

/// A constant that sizes arrays.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SizeConstant {
    /// The constant.
    pub global: GlobalId,
    /// Its value if the application sets no specialization constant.
    pub first: u32,
}

impl Length {
    /// The number, if it is known.
    pub fn fixed(self) -> Option<u32> {
        match self {
            Length::Fixed(n) => Some(n),
            Length::Unsized | Length::Constant(_) => None,
        }
    }

    /// The number that storage is laid out for: none of an array without a size.
    pub fn laid_out(self) -> Option<u32> {
        match self {
            Length::Fixed(n) => Some(n),
            Length::Unsized => None,
            Length::Constant(size) => Some(size.first),
        }
    }

    /// Without a size.
    pub fn is_unsized(self) -> bool {
        self == Length::Unsized
    }
}

/// None is without a size.
impl From<Option<u32>> for Length {
    fn from(count: Option<u32>) -> Length {
        count.map_or(Length::Unsized, Length::Fixed)
    }
}

/// Kinds of buffer object that are no constant buffers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BufferKind {
    /// `Buffer<T>`, `RWBuffer<T>`.
    Typed,
    /// `StructuredBuffer<T>`.
    Structured(DataLayout),
    /// `ByteAddressBuffer`; the element is `uint`.
    ByteAddress,
    /// `AppendStructuredBuffer<T>`.
    Append(DataLayout),
    /// `ConsumeStructuredBuffer<T>`.
    Consume(DataLayout),
    /// The hidden counter of a structured buffer, made by legalization: one atomic `uint`.
    Counter,
    /// `GLSLShaderStorageBuffer<T>`: one element, whose last member may be an array without a size. Element 0 is its contents.
    Block(DataLayout),
}

impl BufferKind {
    /// The layout that its declaration names.
    pub fn data_layout(self) -> DataLayout {
        match self {
            BufferKind::Structured(layout)
            | BufferKind::Append(layout)
            | BufferKind::Consume(layout)
            | BufferKind::Block(layout) => layout,
            BufferKind::Typed | BufferKind::ByteAddress | BufferKind::Counter => DataLayout::Default,
        }
    }

    /// The type in HLSL's words.
    pub fn name(self, access: Access, element: &str) -> String {
        let prefix = match access {
            Access::Read => "",
            Access::RasterOrdered => "RasterizerOrdered",
            Access::ReadWrite | Access::Write | Access::Feedback | Access::FeedbackRegions => "RW",
        };
        match self {
            BufferKind::Typed => format!("{prefix}Buffer<{element}>"),
            BufferKind::Structured(_) => format!("{prefix}StructuredBuffer<{element}>"),
            BufferKind::ByteAddress => format!("{prefix}ByteAddressBuffer"),
            BufferKind::Append(_) => format!("AppendStructuredBuffer<{element}>"),
            BufferKind::Consume(_) => format!("ConsumeStructuredBuffer<{element}>"),
            BufferKind::Counter => "RWStructuredBuffer<uint>".to_owned(),
            BufferKind::Block(_) => format!("GLSLShaderStorageBuffer<{element}>"),
        }
    }
}

/// Where a pointer points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum AddressSpace {
    Function,
    /// A buffer device address.
    Device(DataLayout),
}

impl AddressSpace {
    /// The layout of what lies there.
    pub fn data_layout(self) -> DataLayout {
        match self {
            AddressSpace::Device(layout) => layout,
            AddressSpace::Function => DataLayout::Default,
        }
    }
}

/// Topology of a geometry stream.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum StreamKind {
    Point,
    Line,
    Triangle,
}

/// Kind of a mesh output array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum MeshOutputKind {
    Vertices,
    Indices,
    Primitives,
}

/// (modifier, its word, kind) of the outputs of a mesh shader that are written as arrays.
pub const MESH_ARRAYS: &[(Modifiers, &str, MeshOutputKind)] = &[
    (Modifiers::VERTICES, "vertices", MeshOutputKind::Vertices),
    (Modifiers::INDICES, "indices", MeshOutputKind::Indices),
    (Modifiers::PRIMITIVES, "primitives", MeshOutputKind::Primitives),
];

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`.
    Void,
    /// A type that could not be determined; an error was reported. Never after `check`.
    Error,
    /// A scalar.
    Scalar(Scalar),
    /// A vector; length 1 to 4. `float1` is a vector of one until legalization.
    Vector(Scalar, u8),
    /// A matrix of R rows and C columns in HLSL's words.
    Matrix(Scalar, u8, u8),
    /// An array.
    Array(TypeId, Length),
    /// A struct.
    Struct(StructId),
    /// An enum.
    Enum(EnumId),
    /// A texture, perhaps with sampler.
    Texture(Texture),
    /// A sampler; `true` for `SamplerComparisonState`.
    Sampler(bool),
    /// A buffer object.
    Buffer(BufferKind, Access, TypeId),
    /// `ConstantBuffer<T>`; the contents are [`super::ExprKind::Contents`].
    ConstantBuffer(TypeId, DataLayout),
    /// `TextureBuffer<T>`.
    TextureBuffer(TypeId),
    /// `ParameterBlock<T>`.
    ParameterBlock(TypeId),
    /// `SubpassInput<T>`; `true` for multisampled.
    SubpassInput(TypeId, bool),
    /// `RaytracingAccelerationStructure`.
    AccelerationStructure,
    /// `RayQuery<flags>`.
    RayQuery(u32),
    /// `HitObject`.
    HitObject,
    /// Geometry stream.
    Stream(StreamKind, TypeId),
    /// `InputPatch<T, N>` (`true`) or `OutputPatch<T, N>`.
    Patch(bool, TypeId, u32),
    /// Mesh output array with its maximal count.
    MeshOutput(MeshOutputKind, TypeId, u32),
    /// A pointer.
    Pointer(TypeId, AddressSpace),
    /// `DescriptorHandle<T>`: where a resource is in a descriptor heap. Layout and legalization see the two numbers that it is.
    Handle(TypeId),
    /// `ResourceDescriptorHeap[i]`, or `SamplerDescriptorHeap[i]` (`true`): of the type that it converts to.
    HeapElement(bool),
    /// `__DynamicResource`: a shader parameter of the type that each use says; `true` for samplers. Layout puts an array of each
    /// type in its place.
    DynamicResource(bool),
    /// An atomic scalar (made by legalization).
    Atomic(Scalar),
    /// `String`.
    Text,
    /// Another builtin object type, by name.
    Opaque(Symbol),
}

/// The types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    list: Vec<Type>,
    ids: FxHashMap<Type, TypeId>,
}

impl TypeId {
    /// `void`.
    pub const VOID: TypeId = TypeId(0);
    /// The error type.
    pub const ERROR: TypeId = TypeId(1);
    /// `bool`.
    pub const BOOL: TypeId = TypeId(2);
    /// `int`.
    pub const INT: TypeId = TypeId(3);
    /// `uint`.
    pub const UINT: TypeId = TypeId(4);
    /// `float`.
    pub const FLOAT: TypeId = TypeId(5);
}

impl Default for Types {
    fn default() -> Self {
        let mut types = Types { list: Vec::new(), ids: FxHashMap::default() };
        for ty in [
            Type::Void,
            Type::Error,
            Type::Scalar(Scalar::Bool),
            Type::Scalar(Scalar::I32),
            Type::Scalar(Scalar::U32),
            Type::Scalar(Scalar::F32),
        ] {
            types.intern(ty);
        }
        types
    }
}

impl Types {
    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = TypeId(self.list.len() as u32);
        self.list.push(ty);
        self.ids.insert(ty, id);
        id
    }
    /// The type of an id.
    pub fn get(&self, id: TypeId) -> Type {
        self.list.get(id.0 as usize).copied().unwrap_or(Type::Error)
    }
    /// Makes another type of the one that an id stands for, wherever it is used.
    pub fn replace(&mut self, id: TypeId, ty: Type) {
        if let Some(slot) = self.list.get_mut(id.0 as usize) {
            self.ids.remove(slot);
            *slot = ty;
            self.ids.entry(ty).or_insert(id);
        }
    }
    /// A scalar.
    pub fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.intern(Type::Scalar(scalar))
    }
    /// A vector, also of length 1.
    pub fn vector(&mut self, scalar: Scalar, length: u8) -> TypeId {
        self.intern(Type::Vector(scalar, length))
    }
    /// A scalar, or a vector of several.
    pub fn scalar_or_vector(&mut self, scalar: Scalar, length: u8) -> TypeId {
        if length == 1 { self.scalar(scalar) } else { self.vector(scalar, length) }
    }
    /// A matrix.
    pub fn matrix(&mut self, scalar: Scalar, rows: u8, columns: u8) -> TypeId {
        self.intern(Type::Matrix(scalar, rows, columns))
    }
    /// An array.
    pub fn array(&mut self, element: TypeId, length: impl Into<Length>) -> TypeId {
        self.intern(Type::Array(element, length.into()))
    }
    /// A scalar or enum that is no float.
    pub fn is_whole(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Scalar(scalar) => !scalar.is_float(),
            Type::Enum(_) => true,
            _ => false,
        }
    }
    /// The component type of a scalar, vector or matrix.
    pub fn component(&self, id: TypeId) -> Option<Scalar> {
        self.get(id).component()
    }
    /// How many types there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }
    /// All ids.
    pub fn ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.list.len() as u32).map(TypeId)
    }

    /// Below which number constant indices of a type are, where compilers of targets check that.
    pub fn index_count(&self, id: TypeId) -> Option<i64> {
        Some(match self.get(id) {
            Type::Array(_, Length::Fixed(n)) | Type::Patch(_, _, n) | Type::MeshOutput(_, _, n) => n.into(),
            Type::Vector(_, n) => n.into(),
            Type::Matrix(_, rows, _) => rows.into(),
            // Compilers count elements by signed integers of 32 bits.
            Type::Array(_, Length::Unsized) | Type::Buffer(BufferKind::Structured(_), ..) => 1 << 31,
            Type::Buffer(BufferKind::Block(_), ..) => 1,
            _ => return None,
        })
    }

    /// Below which number a constant index has an element for every compiler. One that does not compute what specialization
    /// constants give takes arrays of that size for arrays of one element.
    pub fn sure_count(&self, id: TypeId) -> Option<i64> {
        match self.get(id) {
            Type::Array(_, Length::Constant(_)) => Some(1),
            _ => self.index_count(id),
        }
    }

    /// The element type and count of an array.
    pub fn array_parts(&self, id: TypeId) -> Option<(TypeId, Length)> {
        match self.get(id) {
            Type::Array(element, count) => Some((element, count)),
            _ => None,
        }
    }
    /// The innermost element of nested arrays.
    pub fn innermost(&self, id: TypeId) -> TypeId {
        let mut id = id;
        while let Type::Array(element, _) = self.get(id) {
            id = element;
        }
        id
    }

    /// `element` in the arrays that `id` is of: the type of something that each innermost element of it has one of.
    pub fn beside(&mut self, id: TypeId, element: TypeId) -> TypeId {
        match self.get(id) {
            Type::Array(inner, count) => {
                let inner = self.beside(inner, element);
                self.array(inner, count)
            }
            _ => element,
        }
    }
}
