//! What a program needs: a scan of its declarations and code by the finders of the passes, with the first place of each need.
//!
//! A pass says of each need that it removes how it is found ([`Pass::removes`](super::Pass)), and rewrites what that finds.
//! [`NATIVE`] finds what no pass removes. A stage, a kind of number and a builtin say by themselves what they need.

use super::PASSES;
use super::vertex_reads::may_be_written;
use crate::source::Span;
use crate::target::{Capabilities, Capability, Profile, SHADER_MODEL_ATTRIBUTE};
use crate::tree::{
    Access, BufferKind, EntryPoint, ExprArena, ExprId, ExprKind, ExprKinds, ExprTree, Field, Function, FunctionBody,
    FunctionId, Global, GlobalKind, Item, Length, LocalId, MatrixOrder, Modifiers, Param, ParamMode, Program, Scalar,
    Stage, Stmt, StmtKind, Texture, TextureShape, Type, TypeId, Types,
};
use crate::tree::{AttributeArg, Body};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::LazyLock;

/// Capabilities, with the first place that needs each.
pub type Needs = BTreeMap<Capability, Span>;

/// A capability, and how it shows that a program needs it.
pub type Finder = (Capability, Find);

macro_rules! finders {
    ($($(#[doc = $doc:literal])+ $kind:ident $list:ident: $find:ty,)*) => {
        /// How a need is found, by the kind of node that shows it.
        #[derive(Clone, Copy)]
        pub enum Find { $($(#[doc = $doc])+ $kind($find)),* }

        /// The finders of what a profile lacks, by the kind of node.
        #[derive(Default)]
        #[allow(clippy::type_complexity, reason = "the types are the rows below")]
        struct Finders { $($list: Vec<(Capability, $find)>),* }

        impl Finders {
            fn add(&mut self, (capability, find): Finder) {
                match find { $(Find::$kind(find) => self.$list.push((capability, find))),* }
            }

            /// Those of some capabilities.
            fn among(&self, wanted: Capabilities) -> Finders {
                Finders { $($list: among(&self.$list, wanted)),* }
            }
        }
    };
}

finders! {
    /// By a type that something has, or an element of one.
    Type types: fn(&Program, &Type) -> bool,
    /// By a field of a struct.
    Field fields: fn(&Program, &Field) -> bool,
    /// By a global.
    Global globals: fn(&Program, &Global) -> bool,
    /// By a shader parameter and what it is, or is an array of.
    Parameter parameters: fn(&Program, &Global, &Type) -> bool,
    /// By data in a buffer, from the whole down to numbers.
    Data data: fn(&Program, &Data) -> bool,
    /// By a function as its callers see it.
    Function functions: fn(&Program, &Function) -> bool,
    /// By a parameter, with its type, of a function that is no entry point.
    Param params: fn(&Program, &Param, TypeId) -> bool,
    /// By a statement.
    Stmt stmts: fn(&Program, &Body, &Stmt) -> bool,
    /// By the live expressions of a function; it gives where.
    Body bodies: AtKinds<fn(&Program, FunctionId, &Body, &[ExprId]) -> Option<Span>>,
    /// By the live expressions of a function or of a global's value; it gives one.
    Exprs lists: AtKinds<fn(&Program, &ExprArena, &[ExprId]) -> Option<ExprId>>,
    /// By one expression.
    Expr exprs: AtKinds<FindExpr>,
    /// By an entry point; it gives where.
    Entry entries: fn(&Program, &EntryPoint) -> Option<Span>,
}

/// Whether an expression shows a need.
pub type FindExpr = fn(&Program, &ExprArena, ExprId) -> bool;

/// A finder that looks at expressions, with the kinds without which it finds nothing; of all kinds, it needs none.
#[derive(Clone, Copy)]
pub struct AtKinds<F> {
    kinds: ExprKinds,
    find: F,
}

impl<F: Copy> AtKinds<F> {
    /// What is found where there are expressions of some kinds.
    fn among<T>(self, kinds: ExprKinds, look: impl FnOnce(F) -> Option<T>) -> Option<T> {
        if self.kinds == ExprKinds::ALL || self.kinds.meets(kinds) {
            return look(self.find);
        }
        debug_assert!(look(self.find).is_none(), "a finder finds other kinds than it says");
        None
    }
}

impl Find {
    /// By one expression of some kinds.
    pub const fn at(kinds: ExprKinds, find: FindExpr) -> Find {
        Find::Expr(AtKinds { kinds, find })
    }

    /// By the live expressions of a function, if one is of some kinds.
    pub const fn body(kinds: ExprKinds, find: fn(&Program, FunctionId, &Body, &[ExprId]) -> Option<Span>) -> Find {
        Find::Body(AtKinds { kinds, find })
    }

    /// By the live expressions of a function or of a global's value, if one is of some kinds.
    pub const fn list(kinds: ExprKinds, find: fn(&Program, &ExprArena, &[ExprId]) -> Option<ExprId>) -> Find {
        Find::Exprs(AtKinds { kinds, find })
    }

    /// Whether it is a finder of expressions that finds this one.
    pub fn finds(self, program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
        let Find::Expr(at) = self else { return false };
        let look = |find: FindExpr| find(program, exprs, id).then_some(());
        at.among(ExprKinds::of(&exprs[id].kind), look).is_some()
    }
}

/// Data in a buffer.
pub struct Data<'a> {
    /// What it is.
    pub ty: TypeId,
    /// The field that it is, or is an element of.
    pub field: Option<&'a Field>,
    /// The storage order of matrices in it that have no modifier.
    pub order: MatrixOrder,
    /// In a constant buffer.
    pub uniform: bool,
}

/// What no pass removes: a profile has it, or the program is an error there.
#[rustfmt::skip]
pub(super) const NATIVE: &[Finder] = &[
    (Capability::UnboundedResourceArrays, Find::Parameter(|p, g, _| matches!(p.types.get(g.ty), Type::Array(_, Length::Unsized)))),
    (Capability::DescriptorHeaps, Find::Global(|_, g| g.kind == GlobalKind::Heap)),
    (Capability::NestedArrays, Find::Type(|p, t| {
        matches!(*t, Type::Array(e, n) if n != Length::Fixed(0) && matches!(p.types.get(e), Type::Array(..)))
    })),
    (Capability::InfiniteArguments, Find::body(ExprKinds::CALL, |p, _, body, live| super::infinite_arguments::of_body(p, body, live))),
    (Capability::InfiniteArguments, Find::Global(|p, g| {
        g.init.as_ref().is_some_and(|tree| super::infinite_arguments::of_value(p, &tree.exprs, tree.root))
    })),
    (Capability::IntegerFiltering, Find::at(ExprKinds::CALL, |p, exprs, id| {
        callee(p, exprs, id).is_some_and(|(f, args)| f.is_marked("__filters") && is_of_integers(p, exprs, args))
    })),
    (Capability::WideFiltering, Find::at(ExprKinds::CALL, |p, exprs, id| {
        callee(p, exprs, id).is_some_and(|(f, args)| samples_wide(p, exprs, f, args))
    })),
    (Capability::NarrowInterpolants, Find::at(ExprKinds::CALL, |p, exprs, id| {
        let is_single = |f: &Function| p.types.component(f.result).is_none_or(|s| s.size() == 4);
        callee(p, exprs, id).is_some_and(|(f, _)| f.is_marked("__interpolates") && !is_single(f))
    })),
    (Capability::IntegerComparisons, Find::at(ExprKinds::CALL, |p, exprs, id| {
        let compares = |f: &Function, args: &[ExprId]| {
            let is_sampler = |arg: &ExprId| matches!(p.types.get(exprs[*arg].ty), Type::Sampler(true));
            f.is_marked("__filters") && f.result == TypeId::FLOAT
                || f.is_marked("__derivative") && args.iter().any(is_sampler)
        };
        callee(p, exprs, id).is_some_and(|(f, args)| compares(f, args) && is_of_integers(p, exprs, args))
    })),
    (Capability::IntegerGathers, Find::at(ExprKinds::CALL, |p, exprs, id| {
        let gathers = |f: &Function| f.is_marked("__depth_texture") && f.result != TypeId::FLOAT;
        callee(p, exprs, id).is_some_and(|(f, args)| gathers(f) && is_of_integers(p, exprs, args))
    })),
    (Capability::StructTexels, Find::Type(|p, t| {
        matches!(*t, Type::Buffer(BufferKind::Typed, _, e) if matches!(p.types.get(e), Type::Struct(_)))
    })),
    // glslang declares the capability of the question for the reads alone.
    (Capability::FreeStatuses, Find::Entry(asks_without_reading)),
    (Capability::EmptyArrays, Find::Type(|_, t| matches!(t, Type::Array(_, Length::Fixed(0))))),
    (Capability::StorageBuffers, Find::Type(|_, t| matches!(t, Type::Buffer(kind, ..) if *kind != BufferKind::Typed))),
    (Capability::StorageBlocks, Find::Type(|_, t| matches!(t, Type::Buffer(BufferKind::Block(_), ..)))),
    (Capability::StorageTextures, Find::Type(|_, t| match t {
        Type::Buffer(BufferKind::Typed, access, _) => *access != Access::Read,
        Type::Texture(t) => !t.combined && t.access != Access::Read,
        _ => false,
    })),
    (Capability::WideTexels, Find::Type(|p, t| match *t {
        Type::Buffer(BufferKind::Typed, access, element) => has_wide_texels(&p.types, access, element),
        Type::Texture(t) => has_wide_texels(&p.types, t.access, t.element),
        Type::SubpassInput(element, _) => has_wide_texels(&p.types, Access::Read, element),
        _ => false,
    })),
    (Capability::CubeArrays, Find::Type(|_, t| texture(t, |t| t.array && t.shape == TextureShape::Cube))),
    (Capability::LineTextures, Find::Type(|_, t| texture(t, |t| t.shape == TextureShape::D1))),
    (Capability::LineArrays, Find::Type(|_, t| texture(t, |t| t.array && t.shape == TextureShape::D1))),
    (Capability::MultisampledTextures, Find::Type(|_, t| texture(t, |t| t.multisampled))),
    (Capability::MultisampledArrays, Find::Type(|_, t| texture(t, |t| t.multisampled && t.array))),
    (Capability::StoredMultisamples, Find::Type(|_, t| texture(t, |t| t.multisampled && t.access != Access::Read))),
    (Capability::RasterOrder, Find::Type(|_, t| super::raster_order::is_ordered(t))),
    (Capability::SamplerFeedback, Find::Type(|_, t| {
        texture(t, |t| matches!(t.access, Access::Feedback | Access::FeedbackRegions))
    })),
    (Capability::RayQueries, Find::Type(|_, t| matches!(t, Type::AccelerationStructure | Type::RayQuery(_)))),
    (Capability::TextVariables, Find::body(ExprKinds::ALL, super::constant_parameters::text_variable)),
    (Capability::VaryingOffsets, Find::body(ExprKinds::CALL, super::constant_parameters::varying_offset)),
    (Capability::UnknownOffsets, Find::body(ExprKinds::CALL, super::constant_parameters::unknown_offset)),
    (Capability::Strings, Find::Type(|_, t| matches!(t, Type::Text))),
    (Capability::HitObjects, Find::Type(|_, t| matches!(t, Type::HitObject))),
    (Capability::ObjectGlobals, Find::Global(|p, g| is_object(p, g.ty))),
    (Capability::ObjectArrays, Find::Type(|p, t| match *t {
        Type::Array(element, _) => is_object(p, element),
        _ => false,
    })),
    (Capability::ObjectValues, Find::Field(|p, field| is_object(p, field.ty))),
    (Capability::ObjectValues, Find::at(ExprKinds::ASSIGN.or(ExprKinds::SELECT), |p, exprs, id| {
        is_object(p, exprs[id].ty)
            && match exprs[id].kind {
                ExprKind::Assign(_, _, value) => !matches!(exprs[value].kind, ExprKind::Call(..)),
                ExprKind::Select(..) => true,
                _ => false,
            }
    })),
    (Capability::ObjectValues, Find::Stmt(|p, body, stmt| match stmt.kind {
        StmtKind::Local(local, Some(value)) => {
            is_object(p, body.locals[local].ty) && !matches!(body.exprs[value].kind, ExprKind::Call(..) | ExprKind::Zero)
        }
        _ => false,
    })),
    (Capability::ObjectValues, Find::body(ExprKinds::WRITES, written_object)),
    super::object_parameters::FINDERS[0],
    super::object_parameters::FINDERS[1],
    super::payload_structs::FINDERS[0],
    super::payload_structs::FINDERS[1],
    (Capability::NumberedBuiltins, Find::Global(|_, g| g.attributes.iter().any(|a| {
        a.name.as_str().to_ascii_lowercase().starts_with("vk::ext_builtin")
    }))),
    (Capability::WaveSizes, Find::Entry(|p, e| wave_sizes(p, e, 1))),
    (Capability::WaveSizeRanges, Find::Entry(|p, e| wave_sizes(p, e, 2))),
    (Capability::RepeatedMeshCounts, Find::Entry(super::mesh_counts::second_count)),
    (Capability::EarlyTests, Find::Entry(super::early_tests::find)),
    (Capability::VertexWrites, Find::Entry(written_by_vertices)),
    (Capability::RasterOrderAnywhere, Find::Entry(super::raster_order::outside_fragments)),
    (Capability::VertexInputArrays, Find::Entry(|p, e| {
        let mut inputs = e.interface.iter().map(|id| &p.globals[*id]).filter(|g| g.kind == GlobalKind::Input);
        let array = inputs.find(|g| matches!(p.types.get(g.ty), Type::Array(..)))?;
        (e.stage == Stage::Vertex).then_some(array.span)
    })),
];

/// Whether an expression by itself needs what a profile lacks and no pass removes.
pub(super) fn lacks(program: &Program, profile: &Profile, exprs: &ExprArena, id: ExprId) -> bool {
    NATIVE.iter().any(|(capability, find)| !profile.has(*capability) && find.finds(program, exprs, id))
}

/// Whether a type is a ray query or hit object, or an array of them.
fn is_object(program: &Program, ty: TypeId) -> bool {
    program.types.get(program.types.innermost(ty)).is_object()
}

/// A parameter by value that is an object of its own from an assignment on.
fn written_object(program: &Program, function: FunctionId, body: &Body, live: &[ExprId]) -> Option<Span> {
    written_parameter(program, function, body, live, &|_, place| {
        let local = body.exprs.base_local(place)?;
        (program.types.get(body.locals[local].ty) == Type::HitObject).then_some(local)
    })
}

/// A parameter by value that stands for another resource from an assignment on.
pub(super) fn written_resource(program: &Program, function: FunctionId, body: &Body, live: &[ExprId]) -> Option<Span> {
    // A builtin that takes a resource by reference gives an element of it.
    let is_spelled = |id: ExprId| callee(program, &body.exprs, id).is_some_and(|(f, _)| f.builtin);
    written_parameter(program, function, body, live, &|id, place| {
        let is_loose = !program.traces_resources && program.holds_resource(body.exprs[place].ty);
        let is_whole = is_loose && !program.is_in_resource(&body.exprs, place);
        body.exprs.base_local(place).filter(|_| is_whole && !is_spelled(id))
    })
}

/// A parameter by value that is written, where `local` finds it in what an expression writes and the place.
fn written_parameter(
    program: &Program,
    function: FunctionId,
    body: &Body,
    live: &[ExprId],
    local: &dyn Fn(ExprId, ExprId) -> Option<LocalId>,
) -> Option<Span> {
    let params = &program.functions[function].params;
    let by_value = |l: &LocalId| params.iter().any(|p| p.local == *l && p.mode == ParamMode::In);
    let mut found = None;
    for id in live {
        program.each_written(&body.exprs, *id, &mut |place| {
            found = found.or(local(*id, place).filter(by_value).map(|_| body.exprs[place].span));
        });
    }
    found
}

/// Where a compute shader states the size of its waves by at least so many numbers.
fn wave_sizes(program: &Program, entry: &EntryPoint, least: usize) -> Option<Span> {
    let attributes = &program.functions[entry.function].attributes;
    let stated =
        attributes.iter().find(|a| a.name.as_str().eq_ignore_ascii_case("wavesize") && a.args.len() >= least)?;
    (entry.stage == Stage::Compute).then_some(stated.span)
}

/// The first buffer or texture that a vertex shader may write.
fn written_by_vertices(program: &Program, entry: &EntryPoint) -> Option<Span> {
    if entry.stage != Stage::Vertex {
        return None;
    }
    let at = program.entry_points.iter().position(|e| e.function == entry.function)?;
    let is_written = |g: &&Global| may_be_written(program, g) && !g.modifiers.has(Modifiers::READONLY);
    let reached = program.reachable_globals();
    let mut globals = reached.get(at)?.iter().map(|id| &program.globals[*id]).filter(is_written);
    globals.next().map(|g| g.span)
}

/// Whether the first argument of a method is a texture of integers.
pub(super) fn is_of_integers(program: &Program, exprs: &ExprArena, args: &[ExprId]) -> bool {
    let ty = args.first().map(|of| program.types.get(exprs[*of].ty));
    let element = ty.and_then(|ty| if let Type::Texture(t) = ty { Some(t.element) } else { None });
    element.and_then(|e| program.types.component(e)).is_some_and(Scalar::is_integer)
}

/// Whether a call reads texels of 64-bit numbers through a sampler.
fn samples_wide(program: &Program, exprs: &ExprArena, function: &Function, args: &[ExprId]) -> bool {
    let ty = |arg: &ExprId| program.types.get(exprs[*arg].ty);
    let Some(Type::Texture(texture)) = args.first().map(ty) else { return false };
    let sampled = || args.iter().any(|arg| matches!(ty(arg), Type::Sampler(_)));
    program.types.component(texture.element).is_some_and(|s| s.size() == 8)
        && (sampled() || texture.combined && function.is_marked("__filters"))
}

/// Whether texels are of 64-bit numbers in another form than that of images for atomics.
fn has_wide_texels(types: &Types, access: Access, element: TypeId) -> bool {
    let image = access != Access::Read;
    let one_integer = matches!(
        types.get(element),
        Type::Scalar(Scalar::I64 | Scalar::U64) | Type::Vector(Scalar::I64 | Scalar::U64, 1)
    );
    types.component(element).is_some_and(|s| s.size() == 8) && !(image && one_integer)
}

fn texture(ty: &Type, is: fn(&Texture) -> bool) -> bool {
    matches!(ty, Type::Texture(t) if is(t))
}

/// What the data of a buffer may need.
pub(super) const OF_DATA: &[Capability] = &[
    Capability::BoolInBuffers,
    Capability::BothMatrixOrders,
    Capability::MixedMatrixOrders,
    Capability::SparseUniformArrays,
    Capability::PackOffsets,
    Capability::DynamicMatrixRows,
    Capability::EmptyStructs,
];

/// What a shader parameter may need by its kind and type, data included.
pub(super) const OF_PARAMETERS: &[Capability] = &[
    Capability::PushConstants,
    Capability::ParameterBlocks,
    Capability::MixedStructs,
    Capability::GlobalUniforms,
    Capability::ResourceArrays,
    Capability::NestedResourceArrays,
    Capability::OpenNestedArrays,
    Capability::NestedBufferArrays,
    Capability::UnboundedResourceArrays,
    Capability::BufferArrays,
    Capability::TexelBuffers,
    Capability::ByteAddressBuffers,
    Capability::HiddenCounters,
    Capability::BufferCopies,
    Capability::BoolInBuffers,
    Capability::BothMatrixOrders,
    Capability::MixedMatrixOrders,
    Capability::SparseUniformArrays,
    Capability::PackOffsets,
    // What lies in a block is found as a parameter of its own.
    Capability::VertexWrites,
    // A struct that has lost its resources is read before its data is set.
    Capability::UnsetParts,
    // What is known of the values of a parameter is not known of a field.
    Capability::SignedRemainder,
    Capability::WrappingShifts,
    // What is left of a struct of resources is nothing: an empty struct, made where it is read.
    Capability::AggregateExpressions,
    // A parameter that is a resource and is assigned another one.
    Capability::ResourceValues,
    // What is left is data.
    Capability::CopiedStatics,
];

/// What any pass may bring that puts a value in the place of a variable, a parameter or a call: the expression around it may be
/// constant now.
pub(super) const OF_CONSTANTS: &[Capability] = &[
    Capability::WrappingConstants,
    Capability::NonFiniteConstants,
    Capability::NonFiniteComparisons,
    Capability::ClampedConstants,
    Capability::InfiniteArguments,
    Capability::ComputedIndices,
    Capability::CalledConstants,
    Capability::WideConstants,
    Capability::ConstantBits,
    Capability::ConstantBlends,
    Capability::ConstantCounts,
    Capability::ComputedInitializers,
    Capability::UnknownOffsets,
];

/// What a pass may bring that makes statements of parts of expressions, or takes them out of commas and accessors.
pub(super) const OF_STATEMENTS: &[Capability] = &[
    Capability::ArgumentsInOrder,
    Capability::CopiedStatics,
    Capability::LateOldValues,
    // What an accessor does is done where an operand is not left out.
    Capability::LazyConditionals,
    Capability::MutableParameters,
    Capability::OutParameters,
    Capability::PlaceBeforeValue,
    // A first value that an accessor gives is a call.
    Capability::RuntimeConstants,
    Capability::RuntimeInitializers,
    Capability::SharedReferences,
    Capability::ShortCircuit,
    Capability::SwizzleAssignment,
    Capability::ValueBeforePlace,
];

/// What kinds of numbers need ([`scalar_need`]).
const OF_SCALARS: Capabilities = Capabilities::EMPTY.with(&[
    Capability::Float16,
    Capability::Int16,
    Capability::Int8,
    Capability::Int64,
    Capability::Float64,
]);

/// What a kind of number needs.
pub(super) fn scalar_need(s: Scalar) -> Option<Capability> {
    Some(match s {
        Scalar::F16 => Capability::Float16,
        Scalar::I16 | Scalar::U16 => Capability::Int16,
        Scalar::I8 | Scalar::U8 => Capability::Int8,
        Scalar::I64 | Scalar::U64 => Capability::Int64,
        Scalar::F64 => Capability::Float64,
        _ => return None,
    })
}

/// What a stage needs.
pub(super) fn stage_need(stage: Stage) -> Option<Capability> {
    match stage {
        Stage::Vertex | Stage::Fragment => None,
        Stage::Compute => Some(Capability::ComputeShaders),
        Stage::Geometry => Some(Capability::GeometryShaders),
        Stage::Hull | Stage::Domain => Some(Capability::TessellationShaders),
        Stage::Mesh | Stage::Amplification => Some(Capability::MeshShaders),
        Stage::RayGeneration
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => Some(Capability::RayTracing),
    }
}

/// What a builtin says of itself with `[__requires(...)]`.
pub fn required(function: &Function) -> impl Iterator<Item = Capability> + '_ {
    named_by(function, "__requires")
}

/// What a builtin needs in the first value of a variable or constant of the module.
pub(super) fn required_in_constants(function: &Function) -> impl Iterator<Item = Capability> + '_ {
    named_by(function, "__in_constants")
}

/// The shader model that a builtin came with, where that of the profile is an earlier one.
pub(super) fn missing_shader_model(function: &Function, profile: &Profile) -> Option<(u32, u32)> {
    let own = profile.shader_model()?;
    let attributes = function.attributes.iter().filter(|a| a.name == *SHADER_MODEL_ATTRIBUTE);
    let models = attributes.filter_map(|a| match *a.args.as_slice() {
        [AttributeArg::Int(major), AttributeArg::Int(minor)] => Some((major.try_into().ok()?, minor.try_into().ok()?)),
        _ => None,
    });
    models.max().filter(|model| own < *model)
}

fn named_by<'a>(function: &'a Function, attribute: &'static str) -> impl Iterator<Item = Capability> + 'a {
    let attributes = function.attributes.iter().filter(move |a| a.name == *attribute);
    attributes.flat_map(|a| &a.args).filter_map(|arg| match arg {
        AttributeArg::Name(name) | AttributeArg::Text(name) => Capability::parse(name.as_str()),
        _ => None,
    })
}

/// The function that an expression calls, with its arguments.
pub(super) fn callee<'a>(
    program: &'a Program,
    exprs: &'a ExprArena,
    id: ExprId,
) -> Option<(&'a Function, &'a [ExprId])> {
    match &exprs[id].kind {
        ExprKind::Call(f, args) => Some((&program.functions[*f], args)),
        _ => None,
    }
}

/// Where an entry point asks for the status of a read, if it makes none.
fn asks_without_reading(program: &Program, entry: &EntryPoint) -> Option<Span> {
    const ASKS: &str = "__asks_status";
    if program.marked(ASKS).is_empty() {
        return None;
    }
    let reached = program.analyses().paths(entry);
    let first = |mark: &str| reached.iter().find(|(function, _)| program.functions[*function].is_marked(mark));
    match first("__gives_status") {
        Some(_) => None,
        None => first(ASKS).and_then(|(_, call)| *call),
    }
}

/// What the items of a program need and a profile lacks.
pub fn needs(program: &Program, profile: &Profile) -> Needs {
    needs_among(program, profile, Capabilities::EMPTY.with(Capability::ALL))
}

/// The same of some capabilities alone.
pub fn needs_among(program: &Program, profile: &Profile, wanted: Capabilities) -> Needs {
    let lacking = wanted.without(profile.capabilities);
    if lacking == Capabilities::EMPTY {
        return Needs::new();
    }
    let table = Table::of(lacking);
    let mut scan = Scan::new(program, &table, lacking);
    for item in &program.items {
        match *item {
            Item::Struct(id) => program.structs[id].fields.iter().for_each(|f| scan.field(f)),
            Item::Enum(_) => {}
            Item::Global(id) => scan.global(&program.globals[id]),
            Item::Function(id) => scan.function(id),
        }
    }
    for e in &program.entry_points {
        let span = program.functions[e.function].span;
        scan.found.note_all(stage_need(e.stage), span);
        scan.found.each_at(&table.of.entries, |find| find(program, e));
    }
    scan.found.needs
}

struct Found {
    needs: Needs,
    /// What is still to be found: a place of the user's is not known.
    open: Capabilities,
}

impl Found {
    fn note(&mut self, capability: Capability, span: Span) {
        if !self.open.has(capability) {
            return;
        }
        let first = self.needs.entry(capability).or_insert(span);
        // A place of the user is better than one in the standard library.
        if first.file.is_library() {
            *first = span;
        }
        if !span.file.is_library() {
            self.open.remove(capability);
        }
    }

    fn note_all(&mut self, capabilities: impl IntoIterator<Item = Capability>, span: Span) {
        capabilities.into_iter().for_each(|c| self.note(c, span));
    }

    fn each<F: Copy>(&mut self, finders: &[(Capability, F)], span: Span, finds: impl Fn(F) -> bool) {
        self.each_at(finders, |find| finds(find).then_some(span));
    }

    fn each_at<F: Copy>(&mut self, finders: &[(Capability, F)], finds: impl Fn(F) -> Option<Span>) {
        for &(capability, find) in finders {
            if self.open.has(capability)
                && let Some(span) = finds(find)
            {
                self.note(capability, span);
            }
        }
    }
}

/// Finders, and those of expressions by the number of the kind.
struct Table {
    of: Finders,
    by_kind: [Vec<(Capability, FindExpr)>; ExprKinds::COUNT],
    /// The kinds for which there are finders.
    kinds: ExprKinds,
}

/// The finders of all passes.
static ALL: LazyLock<Finders> = LazyLock::new(|| {
    let mut all = Finders::default();
    PASSES.iter().flat_map(|pass| pass.removes).chain(NATIVE).for_each(|row| all.add(*row));
    all
});

impl Table {
    /// The finders of some capabilities. There are as many sets as profiles and places between passes, each wanted for every
    /// program.
    fn of(wanted: Capabilities) -> Rc<Table> {
        /// More are not kept: what is left out for tests may be anything.
        const MOST: usize = 256;
        thread_local! {
            static KNOWN: RefCell<FxHashMap<Capabilities, Rc<Table>>> = RefCell::default();
        }
        KNOWN.with_borrow_mut(|known| {
            if known.len() >= MOST {
                known.clear();
            }
            known.entry(wanted).or_insert_with(|| Rc::new(Table::new(wanted))).clone()
        })
    }

    fn new(wanted: Capabilities) -> Table {
        let of = ALL.among(wanted);
        let by_kind = std::array::from_fn(|number| {
            let may_find = of.exprs.iter().filter(|(_, at)| at.kinds.has(number));
            may_find.map(|(capability, at)| (*capability, at.find)).collect()
        });
        let kinds = of.exprs.iter().fold(ExprKinds::NONE, |kinds, (_, at)| kinds.or(at.kinds));
        Table { of, by_kind, kinds }
    }
}

/// The finders of some capabilities.
fn among<F: Copy>(list: &[(Capability, F)], wanted: Capabilities) -> Vec<(Capability, F)> {
    list.iter().filter(|(capability, _)| wanted.has(*capability)).copied().collect()
}

struct Scan<'a> {
    program: &'a Program,
    table: &'a Table,
    found: Found,
    /// The types that were looked at, by their numbers: spans differ, but the first is the one that is reported.
    types: Vec<bool>,
}

impl<'a> Scan<'a> {
    fn new(program: &'a Program, table: &'a Table, wanted: Capabilities) -> Self {
        let asks_types = !table.of.types.is_empty() || wanted.common(OF_SCALARS) != Capabilities::EMPTY;
        let found = Found { needs: Needs::new(), open: wanted };
        // Where they show nothing that is looked for, none is left to look at.
        let types = vec![false; if asks_types { program.types.len() } else { 0 }];
        Scan { program, table, found, types }
    }
}

impl Scan<'_> {
    fn ty(&mut self, ty: TypeId, span: Span) {
        let is_seen = self.types.get_mut(ty.0 as usize).is_none_or(|seen| std::mem::replace(seen, true));
        if is_seen {
            return;
        }
        let inner = self.program.types.get(ty);
        self.found.each(&self.table.of.types, span, |find| find(self.program, &inner));
        match inner {
            Type::Scalar(s) | Type::Atomic(s) | Type::Vector(s, _) | Type::Matrix(s, ..) => {
                self.found.note_all(scalar_need(s), span);
            }
            _ => {}
        }
        if let Some(element) = inner.element() {
            self.ty(element, span);
        }
    }

    fn field(&mut self, field: &Field) {
        self.ty(field.ty, field.span);
        self.found.each(&self.table.of.fields, field.span, |find| find(self.program, field));
    }

    fn global(&mut self, g: &Global) {
        self.ty(g.ty, g.span);
        self.found.each(&self.table.of.globals, g.span, |find| find(self.program, g));
        if let Some(tree) = &g.init {
            self.value(tree);
        }
        if g.kind == GlobalKind::Parameter {
            let types = &self.program.types;
            let inner = types.get(types.innermost(g.ty));
            self.found.each(&self.table.of.parameters, g.span, |find| find(self.program, g, &inner));
            let order = g.matrix_order.unwrap_or(self.program.default_matrix_order);
            let data = match inner {
                Type::ConstantBuffer(t, _) => Some((t, true)),
                // What is read as a texture is a storage buffer where it is no texture.
                Type::TextureBuffer(t) => Some((t, false)),
                Type::Buffer(kind, _, t) => (kind != BufferKind::Typed).then_some((t, false)),
                _ => None,
            };
            if let Some((ty, uniform)) = data.filter(|_| !self.table.of.data.is_empty()) {
                self.data(g.span, &Data { ty, field: None, order, uniform });
            }
        }
    }

    fn data(&mut self, span: Span, data: &Data) {
        self.found.each(&self.table.of.data, span, |find| find(self.program, data));
        match self.program.types.get(data.ty) {
            Type::Array(ty, _) => self.data(span, &Data { ty, ..*data }),
            Type::Struct(id) => {
                for f in &self.program.structs[id].fields {
                    let order = f.matrix_order.unwrap_or(data.order);
                    self.data(f.span, &Data { ty: f.ty, field: Some(f), order, ..*data });
                }
            }
            _ => {}
        }
    }

    fn function(&mut self, id: FunctionId) {
        let f = &self.program.functions[id];
        self.found.each(&self.table.of.functions, f.span, |find| find(self.program, f));
        self.ty(f.result, f.span);
        let entry = self.program.entry_point_of(id).is_some();
        for p in &f.params {
            let local = &f.code.locals[p.local];
            self.ty(local.ty, local.span);
            if !entry {
                self.found.each(&self.table.of.params, local.span, |find| find(self.program, p, local.ty));
            }
        }
        if let FunctionBody::Block = f.body {
            self.code(id, &f.code);
        }
    }

    fn code(&mut self, id: FunctionId, body: &Body) {
        if !self.types.is_empty() {
            body.types().iter().for_each(|(ty, span)| self.ty(*ty, *span));
        }
        if !self.table.of.stmts.is_empty() {
            body.block.visit(&mut |stmt| {
                self.found.each(&self.table.of.stmts, stmt.span, |find| find(self.program, body, stmt));
            });
        }
        let (live, kinds) = (body.live(), body.kinds());
        self.found.each_at(&self.table.of.bodies, |at| at.among(kinds, |find| find(self.program, id, body, &live)));
        self.exprs(&body.exprs, &live, kinds);
    }

    /// A first value.
    fn value(&mut self, tree: &ExprTree) {
        let live = tree.exprs.post_order(tree.root);
        live.iter().for_each(|id| self.ty(tree.exprs[*id].ty, tree.exprs[*id].span));
        let kinds = live.iter().map(|id| ExprKinds::of(&tree.exprs[*id].kind));
        let kinds = kinds.fold(ExprKinds::NONE, ExprKinds::or);
        self.exprs(&tree.exprs, &live, kinds);
    }

    /// Live expressions, all of whose kinds are given.
    fn exprs(&mut self, exprs: &ExprArena, live: &[ExprId], kinds: ExprKinds) {
        // In debug builds all are looked at: finders say at which kinds they find something.
        if cfg!(debug_assertions) {
            for (_, find) in &self.table.of.exprs {
                for id in live {
                    Find::Expr(*find).finds(self.program, exprs, *id);
                }
            }
        }
        let looked_at = self.table.kinds.or(ExprKinds::CALL);
        let looked_at = |id: &&ExprId| looked_at.has(exprs[**id].kind.number());
        for &id in live.iter().filter(looked_at) {
            let span = exprs[id].span;
            let finders = self.table.by_kind.get(exprs[id].kind.number()).map_or(&[][..], Vec::as_slice);
            self.found.each(finders, span, |find| find(self.program, exprs, id));
            if let Some((function, _)) = callee(self.program, exprs, id) {
                self.found.note_all(required(function), span);
            }
        }
        self.found.each_at(&self.table.of.lists, |at| {
            at.among(kinds, |find| find(self.program, exprs, live)).map(|id| exprs[id].span)
        });
    }
}
