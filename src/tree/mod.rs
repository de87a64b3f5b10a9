//! The typed program: the one structure from `check` to `emit`.
//!
//! Everything is held by id (`u32`) in arenas, so passes replace nodes in place and copy nothing. Every expression has a
//! type, every conversion is explicit ([`ExprKind::Convert`]), every call names its function. Generics do not exist
//! here: `check` instantiates a generic declaration for each set of arguments that is used, the way C++ templates
//! are, so that layout and every pass see only concrete types.
//!
//! Invariants (checked by `tree::verify`): ids are in range; an expression is used by exactly one parent (the trees in
//! a [`Body`] share nothing); statements own their blocks; `Program::items` lists each declaration once, in the order
//! in which they are emitted, and a declaration stands after those it uses where the source has it so.

mod types;
mod body;
mod expr_kinds;
mod function;
mod aliases;
mod written_numbers;
mod origin;
mod payload_access;
pub mod analyses;
mod slice;
mod spelling;
mod stage;
mod listed;
mod made;
pub mod walk;
pub mod build;
pub mod dump;
pub mod verify;

pub use aliases::{Alias, Aliases};
pub use analyses::{Effects, Tracked, TrackedExprs};
pub use body::*;
pub use build::Build;
pub use expr_kinds::ExprKinds;
pub use function::{
    EntryPoint, Function, FunctionBody, KNOWN_AS, Member, Outside, PASSES, Param, ParamMode, TargetCase,
    is_default_case, is_uniform,
};
pub use listed::Listed;
pub use made::{Made, MadeCode, Recorder};
pub use origin::{LeafId, Origin, ParameterId, SamplerPair, Step, StoredLeaf};
pub use payload_access::{PAYLOAD_USERS, PayloadAccess, PayloadUsers};
pub use slice::Slices;
pub use spelling::{misspelled, spelled};
pub use stage::Stage;
pub use types::*;
pub use verify::verify;
pub use walk::ExprArena;
pub use written_numbers::{NumberName, NumberOf, NumberPlace, WrittenNumber, WrittenNumbers};

use crate::lex::Comment;
use crate::source::{FileId, Span};
use crate::symbol::Symbol;
use std::sync::Arc;

/// Defines an arena index.
macro_rules! id {
    ($(#[doc = $doc:literal] $name:ident;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $crate::tree::Id for $name {
            fn from_index(index: usize) -> Self { $name(index as u32) }
            fn index(self) -> usize { self.0 as usize }
        }
    )*};
}

pub(crate) use id;

/// An arena index.
pub trait Id: Copy {
    /// The id of the element at `index`.
    fn from_index(index: usize) -> Self;
    /// The position.
    fn index(self) -> usize;
}

id! {
    #[doc = "A struct of a program."] StructId;
    #[doc = "An enum of a program."] EnumId;
    #[doc = "A function of a program."] FunctionId;
    #[doc = "A global of a program."] GlobalId;
    #[doc = "An expression of a body."] ExprId;
    #[doc = "A local variable or parameter of a body."] LocalId;
}

/// A growing list addressed by typed ids. Indexing with an id of another arena is a fault of ours and panics.
#[derive(Clone, Debug)]
pub struct Arena<I, T> {
    items: Vec<T>,
    marker: std::marker::PhantomData<I>,
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Arena { items: Vec::new(), marker: std::marker::PhantomData }
    }
}

impl<I: Id, T> Arena<I, T> {
    /// Adds an element.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::from_index(self.items.len() - 1)
    }
    /// Takes back all but the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.items.truncate(count);
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }
    /// All elements in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, t)| (I::from_index(i), t))
    }
    /// All elements in order, to change them.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (I, &mut T)> {
        self.items.iter_mut().enumerate().map(|(i, t)| (I::from_index(i), t))
    }
}

impl<I: Id, T> std::ops::Index<I> for Arena<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> std::ops::IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// A checked program: what is reachable, concrete, in textual order.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// All types, interned.
    pub types: Types,
    /// All structs.
    pub structs: Tracked<Arena<StructId, Struct>>,
    /// All enums.
    pub enums: Tracked<Arena<EnumId, Enum>>,
    /// All functions, builtin ones too.
    pub functions: Tracked<Arena<FunctionId, Function>>,
    /// All globals: shader parameters, statics, constants, groupshared.
    pub globals: Tracked<Arena<GlobalId, Global>>,
    /// Declarations in the order in which they are emitted. Builtin functions with an intrinsic spelling are not listed.
    pub items: Listed<Item>,
    /// Shader parameters in their global order (rule `layout-order`); entry-point uniforms are not among them.
    pub parameters: Listed<GlobalId>,
    /// Entry points in order of declaration.
    pub entry_points: Tracked<Vec<EntryPoint>>,
    /// Parts of state objects, in order of declaration.
    pub subobjects: Vec<Subobject>,
    /// What effect files say to the application.
    pub effect: EffectFile,
    /// Storage order of matrices without a modifier.
    pub default_matrix_order: MatrixOrder,
    /// Comments at the head of the main file (licence and the like).
    pub header: Vec<Comment>,
    /// Comments at the end of the main file.
    pub footer: Vec<Comment>,
    /// Functions that take derivatives in flow that may differ between invocations; set by legalization.
    pub varying_derivatives: Vec<FunctionId>,
    /// Products are written as algebra has them, of matrices whose columns are the rows of the tree.
    pub has_algebraic_products: bool,
    /// Matrices whose products are written in reverse order, in which functions; set by legalization.
    pub reversed_products: Vec<(FunctionId, MatrixPlace)>,
    /// The target traces what holds resources, to one of the module each; set by legalization.
    pub traces_resources: bool,
    /// Numbers of declarations that the source has macros or named constants for.
    pub written_numbers: Arc<WrittenNumbers>,
    /// Names of types, where the source writes them.
    pub aliases: Arc<Aliases>,
    /// What passes made, if that was recorded.
    pub made: Option<Arc<Made>>,
    /// What [`analyses`] know of this version of it.
    pub memo: analyses::Memo,
}

/// Where a matrix, or an array of matrices, is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatrixPlace {
    /// A parameter or variable of a function.
    Local(FunctionId, LocalId),
    /// What a function gives.
    Result(FunctionId),
    /// A field.
    Field(StructId, u32),
    /// A variable, or a buffer of matrices.
    Global(GlobalId),
}

/// What effect files say to the application, in order of declaration.
#[derive(Clone, Debug, Default)]
pub struct EffectFile {
    /// Techniques.
    pub techniques: Vec<Technique>,
    /// Objects with their states: samplers, `BlendState` and so on.
    pub objects: Vec<EffectObject>,
}

/// A technique.
#[derive(Clone, Debug)]
pub struct Technique {
    /// `technique`, `technique10`, `technique11`.
    pub word: Symbol,
    /// The `fxgroup` that it is in.
    pub group: Option<Symbol>,
    /// The name; may be empty.
    pub name: Symbol,
    /// Annotations.
    pub annotations: Vec<EffectState>,
    /// The passes in order.
    pub passes: Vec<EffectPass>,
}

/// A pass of a technique.
#[derive(Clone, Debug)]
pub struct EffectPass {
    /// The name; may be empty.
    pub name: Symbol,
    /// Annotations.
    pub annotations: Vec<EffectState>,
    /// Its shaders.
    pub shaders: Vec<EffectShader>,
    /// What else it sets.
    pub states: Vec<EffectState>,
}

/// A shader that a pass compiles.
#[derive(Clone, Copy, Debug)]
pub struct EffectShader {
    /// The stage.
    pub stage: Stage,
    /// As it is written: `ps_3_0`.
    pub profile: Symbol,
    /// The entry point.
    pub entry: Symbol,
    /// The function in the source, of which the entry point is one with values for its `uniform` parameters.
    pub function: Symbol,
}

/// An object of an effect.
#[derive(Clone, Debug)]
pub struct EffectObject {
    /// `sampler_state`, `BlendState`, `texture` and so on.
    pub kind: Symbol,
    /// The name; of the states of a sampler, the sampler's.
    pub name: Symbol,
    /// What it sets.
    pub states: Vec<EffectState>,
}

/// A state or an annotation.
#[derive(Clone, Copy, Debug)]
pub struct EffectState {
    /// The type of an annotation.
    pub ty: Option<Symbol>,
    /// The name, with its index.
    pub name: Symbol,
    /// The value, as it is written.
    pub value: Symbol,
}

/// A part of a state object of ray tracing (HLSL, "DirectX Raytracing", "Subobjects in HLSL").
#[derive(Clone, Debug)]
pub struct Subobject {
    /// Which part: `TriangleHitGroup`.
    pub kind: Symbol,
    /// The name, which others have in their strings.
    pub name: Symbol,
    /// Strings, numbers, and flags as names.
    pub values: Vec<AttributeArg>,
    /// The place of the name.
    pub span: Span,
    /// Comments before it.
    pub comments: Vec<Comment>,
}

impl Subobject {
    /// Whether it is a root signature; the strings of others are names.
    pub fn is_signature(&self) -> bool {
        self.kind.as_str().ends_with("RootSignature")
    }
}

/// One declaration in [`Program::items`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Item {
    /// A struct.
    Struct(StructId),
    /// An enum.
    Enum(EnumId),
    /// A global.
    Global(GlobalId),
    /// A function.
    Function(FunctionId),
}

impl Item {
    /// The function that it is, if it is one.
    pub fn function(self) -> Option<FunctionId> {
        match self {
            Item::Function(id) => Some(id),
            Item::Struct(_) | Item::Enum(_) | Item::Global(_) => None,
        }
    }

    /// The struct that it is.
    pub fn structure(self) -> Option<StructId> {
        match self {
            Item::Struct(id) => Some(id),
            Item::Enum(_) | Item::Global(_) | Item::Function(_) => None,
        }
    }
}

/// Storage order of a matrix in a buffer, in HLSL's words: `row_major float2x3` is two vectors of three.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MatrixOrder {
    /// `row_major`.
    Row,
    /// `column_major`, the default of command lines.
    #[default]
    Column,
}

/// What a declaration says of itself besides its type. Bits of [`Modifiers`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Modifiers(pub u32);

macro_rules! modifiers {
    ($($(#[doc = $doc:literal])? $name:ident = $bit:literal, $word:literal;)*) => {
        impl Modifiers {
            $(#[doc = $word] pub const $name: Modifiers = Modifiers(1 << $bit);)*
            /// (keyword, bit) of every modifier.
            pub const TABLE: &[(&str, Modifiers)] = &[$(($word, Modifiers(1 << $bit))),*];
        }
    };
}

modifiers! {
    PRECISE = 0, "precise";
    NOINTERPOLATION = 1, "nointerpolation";
    LINEAR = 2, "linear";
    CENTROID = 3, "centroid";
    SAMPLE = 4, "sample";
    NOPERSPECTIVE = 5, "noperspective";
    GLOBALLYCOHERENT = 6, "globallycoherent";
    UNORM = 7, "unorm";
    SNORM = 8, "snorm";
    VOLATILE = 9, "volatile";
    CONST = 10, "const";
    UNIFORM = 11, "uniform";
    POINT = 12, "point";
    LINE = 13, "line";
    TRIANGLE = 14, "triangle";
    LINEADJ = 15, "lineadj";
    TRIANGLEADJ = 16, "triangleadj";
    VERTICES = 17, "vertices";
    INDICES = 18, "indices";
    PRIMITIVES = 19, "primitives";
    PAYLOAD = 20, "payload";
    PUSH_CONSTANT = 21, "push_constant";
    READONLY = 22, "readonly";
    WRITEONLY = 23, "writeonly";
    PERVERTEX = 24, "pervertex";
    SHADER_RECORD = 25, "shader_record";
    ATOMIC_ACCESS = 26, "__atomic_access";
    STATIC = 27, "__static";
}

impl Modifiers {
    /// Whether all bits of `other` are set.
    pub fn has(self, other: Modifiers) -> bool {
        self.0 & other.0 == other.0
    }
    /// Sets the bits of `other`.
    pub fn set(&mut self, other: Modifiers) {
        self.0 |= other.0;
    }
    /// Clears the bits of `other`.
    pub fn clear(&mut self, other: Modifiers) {
        self.0 &= !other.0;
    }
    /// Words of interpolation.
    pub const INTERPOLATION: [Modifiers; 6] =
        [Self::LINEAR, Self::CENTROID, Self::NOPERSPECTIVE, Self::SAMPLE, Self::NOINTERPOLATION, Self::PERVERTEX];

    /// Whether something is said of interpolation.
    pub fn says_interpolation(self) -> bool {
        Self::INTERPOLATION.into_iter().any(|word| self.has(word))
    }
    /// Adds what a part says. Of interpolation, the innermost part that says anything says all, as in DXC's signatures.
    pub fn set_of_part(&mut self, part: Modifiers) {
        if part.says_interpolation() {
            Self::INTERPOLATION.into_iter().for_each(|word| self.clear(word));
        }
        self.set(part);
        self.settle_interpolation();
    }
    /// Leaves one way of interpolation: what is not interpolated is so at no place; a value for each sample is at no other. HLSL
    /// refuses both words together.
    pub fn settle_interpolation(&mut self) {
        if self.has(Self::NOINTERPOLATION) {
            [Self::LINEAR, Self::CENTROID, Self::NOPERSPECTIVE, Self::SAMPLE].into_iter().for_each(|m| self.clear(m));
        } else if self.has(Self::SAMPLE) {
            self.clear(Self::CENTROID);
        }
    }
}

impl std::fmt::Debug for Modifiers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<&str> = Self::TABLE.iter().filter(|(_, m)| self.has(*m)).map(|(w, _)| *w).collect();
        write!(f, "Modifiers({})", words.join(" "))
    }
}

/// A resolved attribute: `[numthreads(8, 8, 1)]` is `numthreads` with three [`AttributeArg::Int`].
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// Name, namespaces joined by `::` (`vk::binding`); case as written.
    pub name: Symbol,
    /// Arguments, folded.
    pub args: Vec<AttributeArg>,
    /// A struct of the program declares it, for the application.
    pub declared: bool,
    /// The use of the macro that its one argument comes from.
    pub written: Option<Span>,
    /// Its place.
    pub span: Span,
}

/// An argument of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum AttributeArg {
    /// A constant integer.
    Int(i64),
    /// A constant float.
    Float(f64),
    /// A string, unescaped.
    Text(Symbol),
    /// A name that is no constant.
    Name(Symbol),
}

/// A struct. Methods are functions with `owner` set; static members are globals.
#[derive(Clone, Debug, Default)]
pub struct Struct {
    /// Name in the source; for an instance of a generic, made from it and its arguments; empty if anonymous.
    pub name: Symbol,
    /// Fields in order. A base struct is the first field, named `base`.
    pub fields: Vec<Field>,
    /// Comments before it.
    pub comments: Vec<Comment>,
    /// Span of its name.
    pub span: Span,
    /// Declared in the standard library.
    pub builtin: bool,
    /// User attributes.
    pub attributes: Vec<Attribute>,
    /// Of an instance of a generic: what the source calls it.
    pub instance: Option<Instance>,
    /// The source has no such struct: its name yields to those of the source.
    pub made: bool,
}

/// How the source names an instance of a generic.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    /// The generic: `Pair`.
    pub generic: Symbol,
    /// With its arguments: `Pair<float2, 3>`.
    pub written: Symbol,
}

/// A field of a struct or cbuffer.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// The name.
    pub name: Symbol,
    /// The type.
    pub ty: TypeId,
    /// The semantic, as written.
    pub semantic: Option<Semantic>,
    /// Interpolation and others.
    pub modifiers: Modifiers,
    /// `row_major`/`column_major`, by modifier or pragma; else the program's default.
    pub matrix_order: Option<MatrixOrder>,
    /// Explicit positions: packoffset, register, vk::offset, ...
    pub explicit: Explicit,
    /// All attributes.
    pub attributes: Vec<Attribute>,
    /// Comments before and trailing.
    pub comments: Vec<Comment>,
    /// Span of its name.
    pub span: Span,
    /// Bits of a bit field; layout packs them before anything else looks at the program.
    pub bits: Option<u32>,
    /// Its bits lie beside those of fields of the same width alone, as DXC has it.
    pub bits_of_one_width: bool,
    /// Byte offset to be written out (packoffset, `layout(offset=)`, `@align`), set by passes.
    pub offset: Option<u32>,
    /// Which stages use it in a payload.
    pub access: PayloadAccess,
    /// It is the base of its struct; of a legal program, one that the struct is declared with.
    pub is_base: bool,
    /// What of the source it is.
    pub origin: Origin,
    /// Of a member of a constant buffer: the numbers of the value that the source gives it, which the application sets.
    pub given: Vec<Literal>,
}

/// A semantic name with its index: `TEXCOORD1` is (`TEXCOORD`, 1) and keeps how it was written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Semantic {
    /// As written.
    pub text: Symbol,
    /// Its place.
    pub span: Span,
}

impl Semantic {
    /// Whether a system value, in upper case and without its index, names a variable like any other that comes into a stage or
    /// goes out of it (DXIL, "Semantic Interpretations": `Arb`).
    pub fn is_arbitrary(name: &str, stage: Stage, comes_in: bool) -> bool {
        const OF_VERTICES: &[&str] = &[
            "SV_POSITION",
            "SV_CLIPDISTANCE",
            "SV_CULLDISTANCE",
            "SV_RENDERTARGETARRAYINDEX",
            "SV_VIEWPORTARRAYINDEX",
        ];
        // They choose a part of the target where primitives go to the rasterizer, and not between the stages before.
        const OF_PRIMITIVES: &[&str] = &["SV_RENDERTARGETARRAYINDEX", "SV_VIEWPORTARRAYINDEX"];
        let between = || name == "SV_INSTANCEID";
        let between_patches = || between() || OF_PRIMITIVES.contains(&name);
        match stage {
            Stage::Vertex if comes_in => OF_VERTICES.contains(&name),
            Stage::Hull if !comes_in => between_patches(),
            Stage::Domain if comes_in => between_patches(),
            Stage::Vertex | Stage::Hull | Stage::Domain | Stage::Geometry => between(),
            Stage::Fragment => comes_in && between(),
            Stage::Mesh => !comes_in && between(),
            Stage::Compute
            | Stage::Amplification
            | Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => false,
        }
    }

    /// Upper-case name without the index, and the index (0 if none).
    pub fn split(&self) -> (String, u32) {
        let text = self.text.as_str();
        let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
        (name.to_ascii_uppercase(), text.get(name.len()..).and_then(|d| d.parse().ok()).unwrap_or(0))
    }
    /// Whether it begins with `SV_` in any case.
    pub fn is_system(&self) -> bool {
        self.text.as_str().get(..3).is_some_and(|p| p.eq_ignore_ascii_case("sv_"))
    }
}

/// Explicit positions that the source gives a parameter or field. All are optional.
#[derive(Clone, Debug, Default)]
pub struct Explicit {
    /// Each `register(...)`: class letter in lower case (`None` for space-only), index, space.
    pub registers: Vec<ExplicitRegister>,
    /// `[[vk::binding(binding, set)]]` or `layout(binding =, set =)`.
    pub vk_binding: Option<(u32, u32, Span)>,
    /// `layout(set =)` without a binding.
    pub vk_set: Option<(u32, Span)>,
    /// Binding of the hidden counter: `[[vk::counter_binding(n)]]`.
    pub vk_counter_binding: Option<u32>,
    /// `packoffset` in bytes.
    pub packoffset: Option<(u32, Span)>,
    /// `[[vk::location(n)]]` or `layout(location =)`.
    pub location: Option<(u32, Span)>,
    /// `[[vk::builtin("PointSize")]]`: the builtin variable of SPIR-V that a varying is on Vulkan.
    pub builtin: Option<Symbol>,
    /// `[[vk::index(n)]]` (dual source blending) or `layout(index =)`.
    pub index: Option<u32>,
    /// `[[vk::input_attachment_index(n)]]`.
    pub input_attachment_index: Option<u32>,
    /// `[[vk::constant_id(n)]]`, `[SpecializationConstant]` gives `Some(None)`.
    pub constant_id: Option<Option<u32>>,
    /// `[[vk::offset(n)]]`.
    pub vk_offset: Option<u32>,
    /// `[format("rgba8")]`, `[[vk::image_format("rgba8")]]`: the SPIR-V format name as written.
    pub image_format: Option<Symbol>,
}

impl Explicit {
    /// The word for an image format that the application chooses.
    pub const UNKNOWN_FORMAT: &str = "unknown";

    /// The byte offset among the plain globals that `register(c5)` gives, with its place.
    pub fn constant_register(&self) -> Option<(u32, Span)> {
        let register = self.registers.iter().find(|r| r.class == Some('c'))?;
        Some((register.index.saturating_mul(16), register.span))
    }
}

/// One `register(...)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExplicitRegister {
    /// `b`, `t`, `u`, `s`, `c`...; `None` for `register(space1)`.
    pub class: Option<char>,
    /// The index, 0 for space-only.
    pub index: u32,
    /// The space, if written.
    pub space: Option<u32>,
    /// Its place.
    pub span: Span,
}

impl ExplicitRegister {
    /// Whether both say the same.
    pub fn is_same(&self, other: &ExplicitRegister) -> bool {
        let words = |r: &ExplicitRegister| (r.class, r.index, r.space);
        words(self) == words(other)
    }
}

/// An enum. Its values are constants of the tag type.
#[derive(Clone, Debug)]
pub struct Enum {
    /// The name; empty if anonymous.
    pub name: Symbol,
    /// The tag type.
    pub tag: Scalar,
    /// Its cases are in a scope of their own.
    pub scoped: bool,
    /// It is an `enum class`, whose values become numbers by casts alone.
    pub strict: bool,
    /// The source names cases by it: `Mode::Flat`.
    pub qualified: bool,
    /// Cases with values.
    pub cases: Vec<EnumCase>,
    /// Comments before it.
    pub comments: Vec<Comment>,
    /// Span of its name.
    pub span: Span,
}

impl Enum {
    /// Whether its cases are named with it.
    pub fn is_named_by_cases(&self) -> bool {
        self.strict || self.scoped || self.qualified
    }

    /// What the values of its cases name.
    pub fn names(&self) -> impl Iterator<Item = NumberName> + '_ {
        let exprs = self.cases.iter().filter_map(|case| case.written.as_ref()).flat_map(|tree| tree.exprs.iter());
        exprs.filter_map(|(_, expr)| NumberName::of(&expr.kind))
    }
}

/// A case of an enum.
#[derive(Clone, Debug)]
pub struct EnumCase {
    /// The name.
    pub name: Symbol,
    /// The value.
    pub value: i64,
    /// The value as the source has it: numbers, operators, other cases and constants. It may be an integer of another type than the
    /// tag's.
    pub written: Option<ExprTree>,
    /// Comments.
    pub comments: Vec<Comment>,
    /// Span of its name.
    pub span: Span,
}

/// What a global is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GlobalKind {
    /// A shader parameter: resource, buffer, struct with resources, or (before legalization) plain data.
    #[default]
    Parameter,
    /// `static` and not const: one copy a thread.
    Static,
    /// A constant with an initializer.
    Const,
    /// `groupshared`.
    Groupshared,
    /// A specialization constant.
    Specialization,
    /// A stage input made by legalization.
    Input,
    /// A stage output made by legalization.
    Output,
    /// What shaders pass each other besides inputs and outputs, payloads and hit attributes; made by legalization.
    Passed,
    /// A descriptor heap as an array of one type, where the target has heaps; made for layout. It is not declared.
    Heap,
}

/// Where descriptors are that shaders find by their indices alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Heap {
    /// `ResourceDescriptorHeap`.
    Resources,
    /// `SamplerDescriptorHeap`.
    Samplers,
    /// Textures with their samplers, where those are one descriptor.
    Combined,
    /// The hidden counters of buffers, each at the index of its buffer.
    Counters,
}

impl Heap {
    /// Its name in the source.
    pub fn name(self) -> &'static str {
        match self {
            Heap::Resources => "ResourceDescriptorHeap",
            Heap::Samplers => "SamplerDescriptorHeap",
            Heap::Combined => "CombinedDescriptorHeap",
            Heap::Counters => "CounterDescriptorHeap",
        }
    }

    /// The heap in which descriptors of a type are.
    pub fn of(ty: Type) -> Heap {
        match ty {
            Type::Sampler(_) => Heap::Samplers,
            Type::Texture(t) if t.combined => Heap::Combined,
            _ => Heap::Resources,
        }
    }
}

/// The namespaces around a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Namespace {
    /// How many there are, and a number for the innermost, in order of first occurrence (order rule of the `slangc` policy).
    pub order: (u32, u32),
    /// Their names, `Outer.Inner`; none outside of namespaces.
    pub path: Option<Symbol>,
}

/// A global variable, constant or shader parameter.
#[derive(Clone, Debug, Default)]
pub struct Global {
    /// Name; qualified static members are `Struct_member`.
    pub name: Symbol,
    /// The type. `cbuffer C {...}` is `ConstantBuffer` of a struct named `C` with `transparent` set.
    pub ty: TypeId,
    /// What it is.
    pub kind: GlobalKind,
    /// Members are named without the buffer's name (`cbuffer`/`tbuffer`).
    pub transparent: bool,
    /// Modifiers.
    pub modifiers: Modifiers,
    /// `row_major`/`column_major`.
    pub matrix_order: Option<MatrixOrder>,
    /// Explicit positions.
    pub explicit: Explicit,
    /// The position given by layout, in the target's own terms. Only leaves have one, after legalization.
    pub binding: Option<Binding>,
    /// The initializer; constants and statics.
    pub init: Option<ExprTree>,
    /// Stage input or output semantic.
    pub semantic: Option<Semantic>,
    /// The word for where it is, of what shaders pass each other.
    pub storage: Option<Symbol>,
    /// All attributes.
    pub attributes: Vec<Attribute>,
    /// Comments before and trailing.
    pub comments: Vec<Comment>,
    /// Span of its name.
    pub span: Span,
    /// The file it was declared in.
    pub file: FileId,
    /// Index of its translation unit; imported modules count on after the units.
    pub unit: u32,
    /// Grows with the declarations of a unit.
    pub ordinal: u32,
    /// The namespaces around it.
    pub namespace: Namespace,
    /// What of the source it is.
    pub origin: Origin,
    /// Of buffers: the name of the block around it in the text, where that needs one besides the buffer's.
    pub block: Option<Symbol>,
    /// Where the data of a buffer went that legalization took apart; else empty.
    pub stored: Vec<StoredLeaf>,
    /// Nothing writes it, though it is a variable for the target.
    pub never_written: bool,
    /// Of plain data that `vk::push_constant` makes a `ConstantBuffer`: its type in the source.
    pub wraps: Option<TypeId>,
    /// Of a shader parameter: the numbers of the value that the source gives it, which the application sets.
    pub given: Vec<Literal>,
    /// Of a texture that a pass combined with a sampler.
    pub pair: Option<SamplerPair>,
    /// It is this descriptor heap, as an array of one type: the source does not declare it.
    pub heap: Option<Heap>,
    /// It is that shader parameter of resources of any type, as one of one type: the source does not declare it.
    pub views: Option<GlobalId>,
    /// A buffer whose hidden counter the program may use, without a binding that the source gives it.
    pub counted: bool,
    /// Of a variable that a function declares: how the declaration stands there.
    pub in_function: Option<InFunction>,
    /// Of a static member of a struct that may stand in there.
    pub member: Option<StaticMember>,
}

/// How a static member stands in its struct.
#[derive(Clone, Debug)]
pub struct StaticMember {
    /// The struct.
    pub of: TypeId,
    /// Its name in there.
    pub name: Symbol,
    /// Where it is given its value, if the struct only declares it.
    pub outside: Option<Outside>,
}

/// How a function has the declaration of a global.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InFunction {
    /// A blank line stands before it in the source.
    pub blank_before: bool,
}

impl Global {
    /// A global made by a pass.
    pub fn new(name: impl Into<Symbol>, ty: TypeId, kind: GlobalKind, span: Span) -> Global {
        Global { name: name.into(), ty, kind, span, file: span.file, ..Global::default() }
    }

    /// Span of its name where it is given its value.
    pub fn definition_span(&self) -> Span {
        let outside = self.member.as_ref().and_then(|member| member.outside.as_ref());
        outside.map_or(self.span, |outside| outside.span)
    }

    /// Whether it stands in a struct as a whole.
    pub fn is_inside(&self) -> bool {
        self.member.as_ref().is_some_and(|member| member.outside.is_none())
    }

    /// Whether the source says that it is a part of a combined image sampler.
    pub fn is_combined_image(&self) -> bool {
        self.attributes.iter().any(|a| a.name.as_str().eq_ignore_ascii_case("vk::combinedImageSampler"))
    }

    /// Whether the source declares it: it is no array that layout made of something else.
    pub fn is_declared(&self) -> bool {
        self.heap.is_none() && self.views.is_none()
    }
}

impl Field {
    /// A field made by a pass.
    pub fn new(name: impl Into<Symbol>, ty: TypeId, span: Span) -> Field {
        Field { name: name.into(), ty, span, ..Field::default() }
    }
}

impl Struct {
    /// A struct made by a pass.
    pub fn new(name: impl Into<Symbol>, fields: Vec<Field>, span: Span) -> Struct {
        Struct { name: name.into(), fields, span, made: true, ..Struct::default() }
    }
}

/// A position in the target's terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Binding {
    /// D3D register class; `None` on Vulkan and WebGPU.
    pub class: Option<char>,
    /// Register or binding number.
    pub index: u32,
    /// Register space, descriptor set or bind group.
    pub space: u32,
}
