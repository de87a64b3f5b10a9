//! What a program needs: a scan of its declarations and code, with the first place of each need.

use super::{lower_matrix_ops, matrix_parts, short_circuit};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::{
    Access, BufferKind, Effects, ExprArena, ExprId, ExprKind, FunctionBody, Global, GlobalKind, Item, LocalId,
    MatrixOrder, ParamMode, Program, Scalar, Stage, StmtKind, Struct, Texture, TextureShape, Type, TypeId, UnaryOp,
};
use rustc_hash::FxHashSet;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Capabilities, with the first place that needs each.
pub type Needs = BTreeMap<Capability, Span>;

/// Every capability that the items of a program need.
pub fn needs(program: &Program) -> Needs {
    let mut scan = Scan {
        program,
        found: BTreeMap::new(),
        types: FxHashSet::default(),
        span: Span::default(),
        effects: OnceCell::new(),
    };
    for item in &program.items {
        match *item {
            Item::Struct(id) => scan.structure(&program.structs[id]),
            Item::Enum(id) => scan.need_at(Capability::Enums, program.enums[id].span),
            Item::Global(id) => scan.global(&program.globals[id]),
            Item::Function(id) => scan.function(id),
        }
    }
    scan.entry_points();
    scan.found
}

/// What the data of a buffer may need.
pub(super) const OF_DATA: &[Capability] = &[
    Capability::BoolInBuffers,
    Capability::BothMatrixOrders,
    Capability::MixedMatrixOrders,
    Capability::SparseUniformArrays,
    Capability::PackOffsets,
];

/// What a shader parameter may need by its kind and type, data included.
pub(super) const OF_PARAMETERS: &[Capability] = &[
    Capability::PushConstants,
    Capability::ParameterBlocks,
    Capability::MixedStructs,
    Capability::GlobalUniforms,
    Capability::ResourceArrays,
    Capability::NestedResourceArrays,
    Capability::UnboundedResourceArrays,
    Capability::BufferArrays,
    Capability::TexelBuffers,
    Capability::ByteAddressBuffers,
    Capability::HiddenCounters,
    Capability::BoolInBuffers,
    Capability::BothMatrixOrders,
    Capability::MixedMatrixOrders,
    Capability::SparseUniformArrays,
    Capability::PackOffsets,
];

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

struct Scan<'a> {
    program: &'a Program,
    found: Needs,
    types: FxHashSet<TypeId>,
    span: Span,
    /// Found when they are asked for.
    effects: OnceCell<Arc<Effects>>,
}

impl Scan<'_> {
    fn need_at(&mut self, capability: Capability, span: Span) {
        let first = self.found.entry(capability).or_insert(span);
        // A place of the user is better than one in the standard library.
        if first.file.is_library() && !span.file.is_library() {
            *first = span;
        }
    }

    fn need(&mut self, capability: Capability) {
        self.need_at(capability, self.span);
    }

    fn structure(&mut self, s: &Struct) {
        self.span = s.span;
        for field in &s.fields {
            self.span = field.span;
            self.ty(field.ty);
            if super::empty_structs::is_empty(self.program, field.ty) {
                self.need(Capability::EmptyStructs);
            }
        }
        let resource = s.fields.iter().any(|f| self.program.holds_resource(f.ty));
        if resource {
            self.need_at(Capability::MixedStructs, s.span);
        }
    }

    fn global(&mut self, g: &Global) {
        self.span = g.span;
        self.ty(g.ty);
        if matches!(g.kind, GlobalKind::Static | GlobalKind::Const) && self.program.holds_resource(g.ty) {
            self.need(Capability::StaticResources);
        }
        if let Some(tree) = &g.init {
            self.exprs(&tree.exprs, &tree.exprs.post_order(tree.root));
        }
        if super::constant_calls::calls(self.program, g) {
            self.need(Capability::CalledConstants);
        }
        if super::runtime_initializers::is_runtime(self.program, g) {
            self.need(match g.kind {
                GlobalKind::Const => Capability::RuntimeConstants,
                _ => Capability::RuntimeInitializers,
            });
        }
        match g.kind {
            GlobalKind::Parameter => self.parameter(g),
            GlobalKind::Specialization => self.need_at(Capability::SpecializationConstants, g.span),
            _ => {}
        }
    }

    fn parameter(&mut self, g: &Global) {
        self.span = g.span;
        if g.modifiers.has(crate::tree::Modifiers::PUSH_CONSTANT) {
            self.need(Capability::PushConstants);
        }
        let array = matches!(self.program.types.get(g.ty), Type::Array(..));
        let nested =
            self.program.types.array_parts(g.ty).is_some_and(|(e, _)| self.program.types.array_parts(e).is_some());
        if nested && self.program.holds_resource(g.ty) {
            self.need(Capability::NestedResourceArrays);
        }
        if let Type::Array(_, None) = self.program.types.get(g.ty) {
            self.need(Capability::UnboundedResourceArrays);
        }
        match self.program.types.get(self.program.types.innermost(g.ty)) {
            Type::ParameterBlock(_) => self.need(Capability::ParameterBlocks),
            inner @ (Type::ConstantBuffer(t) | Type::TextureBuffer(t)) => {
                if self.program.holds_resource(t) {
                    self.need(Capability::ParameterBlocks);
                }
                if array {
                    self.need(Capability::BufferArrays);
                }
                if super::storage::mixes_orders(self.program, g, t) {
                    self.need(Capability::MixedMatrixOrders);
                }
                // What is read as a texture is a storage buffer where it is no texture.
                self.buffer_contents(t, g.matrix_order, matches!(inner, Type::ConstantBuffer(_)));
            }
            Type::Buffer(kind, _, t) => {
                if array {
                    self.need(Capability::ResourceArrays);
                }
                match kind {
                    BufferKind::Typed => self.need(Capability::TexelBuffers),
                    BufferKind::ByteAddress => self.need(Capability::ByteAddressBuffers),
                    BufferKind::Append | BufferKind::Consume => self.need(Capability::HiddenCounters),
                    _ => {}
                }
                if super::storage::mixes_orders(self.program, g, t) {
                    self.need(Capability::MixedMatrixOrders);
                }
                if kind != BufferKind::Typed {
                    self.buffer_contents(t, g.matrix_order, false);
                }
            }
            resource if resource.is_resource() => {
                if array {
                    self.need(Capability::ResourceArrays);
                }
            }
            _ => self.need(Capability::GlobalUniforms),
        }
    }

    /// Data in a buffer: what of it cannot be stored as it is.
    fn buffer_contents(&mut self, ty: TypeId, order: Option<MatrixOrder>, uniform: bool) {
        let order = order.unwrap_or(self.program.default_matrix_order);
        match self.program.types.get(ty) {
            Type::Scalar(Scalar::Bool) | Type::Vector(Scalar::Bool, _) | Type::Matrix(Scalar::Bool, ..) => {
                self.need(Capability::BoolInBuffers);
            }
            Type::Matrix(s, rows, columns) => {
                if order == MatrixOrder::Column {
                    self.need(Capability::BothMatrixOrders);
                }
                let length = if order == MatrixOrder::Column { rows } else { columns };
                if uniform && s.size() * u32::from(length) < 12 {
                    self.need(Capability::SparseUniformArrays);
                }
            }
            Type::Array(element, _) => {
                let small = |t: Type| match t {
                    Type::Scalar(_) => true,
                    Type::Vector(s, n) => s.size() * u32::from(n) < 12,
                    _ => false,
                };
                if uniform && small(self.program.types.get(element)) {
                    self.need(Capability::SparseUniformArrays);
                }
                self.buffer_contents(element, Some(order), uniform);
            }
            Type::Struct(id) => {
                for f in &self.program.structs[id].fields {
                    self.span = f.span;
                    if f.explicit.packoffset.is_some() && f.offset.is_none() {
                        self.need(Capability::PackOffsets);
                    }
                    self.buffer_contents(f.ty, f.matrix_order, uniform);
                }
            }
            _ => {}
        }
    }

    fn ty(&mut self, ty: TypeId) {
        // Spans differ, but the first is the one that is reported.
        if !self.types.insert(ty) {
            return;
        }
        let inner = self.program.types.get(ty);
        match inner {
            Type::Scalar(s) | Type::Atomic(s) => self.scalar(s),
            Type::Vector(s, n) => {
                self.scalar(s);
                if n == 1 {
                    self.need(Capability::UnitVectors);
                }
            }
            Type::Matrix(s, r, c) => {
                self.scalar(s);
                if r == 1 || c == 1 {
                    self.need(Capability::UnitVectors);
                }
                if !s.is_float() {
                    self.need(Capability::NonFloatMatrices);
                }
            }
            Type::Array(_, Some(0)) => self.need(Capability::EmptyArrays),
            Type::Array(e, _) if matches!(self.program.types.get(e), Type::Array(..)) => {
                self.need(Capability::NestedArrays)
            }
            Type::Sampler(_) => self.need(Capability::SeparateSamplers),
            Type::Buffer(kind, ..) if kind != BufferKind::Typed => self.need(Capability::StorageBuffers),
            Type::Buffer(_, access, _) if access != Access::Read => self.need(Capability::StorageTextures),
            Type::Texture(t) => self.texture(&t),
            Type::SubpassInput(..) => self.need(Capability::SubpassInputs),
            Type::AccelerationStructure | Type::RayQuery(_) => self.need(Capability::RayQueries),
            Type::Text => self.need(Capability::Strings),
            Type::Pointer(_, crate::tree::AddressSpace::Device) => self.need(Capability::DeviceAddresses),
            _ => {}
        }
        if let Some(element) = inner.element() {
            self.ty(element);
        }
    }

    fn scalar(&mut self, s: Scalar) {
        if let Some(capability) = scalar_need(s) {
            self.need(capability);
        }
    }

    fn texture(&mut self, t: &Texture) {
        self.need(match (t.combined, t.access) {
            (true, _) => Capability::CombinedSamplers,
            (false, Access::Read) => Capability::SeparateSamplers,
            (false, _) => Capability::StorageTextures,
        });
        if t.array && t.shape == TextureShape::Cube {
            self.need(Capability::CubeArrays);
        }
        if t.shape == TextureShape::D1 {
            self.need(Capability::LineTextures);
        }
        if t.multisampled {
            self.need(Capability::MultisampledTextures);
        }
        if t.multisampled && t.array {
            self.need(Capability::MultisampledArrays);
        }
        if t.shape == TextureShape::D1 && t.array {
            self.need(Capability::LineArrays);
        }
        if t.access == Access::RasterOrdered {
            self.need(Capability::RasterOrder);
        }
        if t.shape == TextureShape::Cube && t.access != Access::Read {
            self.need(Capability::StorageCubes);
        }
    }

    fn function(&mut self, id: crate::tree::FunctionId) {
        let f = &self.program.functions[id];
        self.span = f.span;
        if f.owner.is_some() && !f.builtin {
            self.need(Capability::Methods);
        }
        let entry = self.program.entry_point_of(id).is_some();
        self.ty(f.result);
        if self.program.holds_resource(f.result) {
            self.need(Capability::ResourceValues);
        }
        for p in &f.params {
            let local = &f.code.locals[p.local];
            self.span = local.span;
            self.ty(local.ty);
            if !entry {
                self.resource_parameter(local.ty);
            }
            if !entry && matches!(p.mode, ParamMode::Out | ParamMode::InOut | ParamMode::Ref) {
                self.need(Capability::OutParameters);
            }
        }
        if let FunctionBody::Block = f.body {
            self.code(id);
            if let Some(value) = super::aggregates::misplaced(self.program, &f.code).first() {
                self.need_at(Capability::AggregateExpressions, f.code.exprs[*value].span);
            }
        }
    }

    /// Textures to read and samplers are taken by functions of every language.
    fn resource_parameter(&mut self, ty: TypeId) {
        match self.program.types.get(ty) {
            Type::Texture(t) if t.access == Access::Read && t.combined => {}
            Type::Texture(t) if t.access == Access::Read => self.need(Capability::SamplerParameters),
            Type::Sampler(_) => self.need(Capability::SamplerParameters),
            Type::Texture(_) | Type::Buffer(..) | Type::AccelerationStructure => {
                self.need(Capability::BufferParameters)
            }
            _ if self.program.holds_resource(ty) => self.need(Capability::ResourceValues),
            _ => {}
        }
    }

    fn code(&mut self, id: crate::tree::FunctionId) {
        let f = &self.program.functions[id];
        if let Some(first) = super::signed_remainder::doubtful(self.program, id, &f.code).first() {
            self.need_at(Capability::SignedRemainder, f.code.exprs[*first].span);
        }
        let pointer = |l| matches!(self.program.types.get(f.code.locals[l].ty), Type::Pointer(..));
        let values = f.params.iter().filter(|p| p.mode == ParamMode::In && !pointer(p.local));
        let values: FxHashSet<LocalId> = values.map(|p| p.local).collect();
        f.code.block.visit(&mut |stmt| {
            self.span = stmt.span;
            match &stmt.kind {
                StmtKind::Local(local, _) => {
                    let ty = f.code.locals[*local].ty;
                    self.ty(ty);
                    if self.program.holds_resource(ty) {
                        self.need(Capability::ResourceValues);
                    }
                }
                StmtKind::Switch(_, cases, _) if super::lower_switch::falls_through(cases) => {
                    self.need(Capability::SwitchFallThrough);
                }
                _ => {}
            }
            let root = match stmt.kind {
                StmtKind::Expr(e) => Some(e),
                StmtKind::For(_, _, step, ..) => step,
                _ => None,
            };
            stmt.own_exprs(&mut |e| {
                let all = f.code.exprs.post_order(e);
                // An assignment that is a statement is no expression.
                let inner = if Some(e) == root && !matches!(f.code.exprs[e].kind, ExprKind::Comma(..)) {
                    all.split_last().map_or(&[][..], |(_, rest)| rest)
                } else {
                    &all
                };
                self.assignments(&f.code.exprs, inner);
                self.exprs(&f.code.exprs, &all);
                self.parameters_written(&f.code.exprs, &values, &all);
            });
        });
    }

    /// Parameters passed by value that are assigned, or lent to be written.
    fn parameters_written(&mut self, exprs: &ExprArena, values: &FxHashSet<LocalId>, live: &[ExprId]) {
        for &id in live {
            let targets = match &exprs[id].kind {
                ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) => vec![*target],
                ExprKind::Call(callee, args) => {
                    let params = self.program.functions[*callee].params.iter().zip(args);
                    params.filter(|(p, _)| p.mode != ParamMode::In).map(|(_, a)| *a).collect()
                }
                _ => continue,
            };
            let written = |t: &ExprId| matches!(&exprs[exprs.base(*t)].kind, ExprKind::Local(l) if values.contains(l));
            if targets.iter().any(written) {
                self.need_at(Capability::MutableParameters, exprs[id].span);
            }
        }
    }

    fn assignments(&mut self, exprs: &ExprArena, inner: &[ExprId]) {
        for &id in inner {
            if matches!(exprs[id].kind, ExprKind::Assign(..) | ExprKind::Step(..) | ExprKind::Comma(..)) {
                self.need_at(Capability::AssignmentExpressions, exprs[id].span);
            }
        }
    }

    fn exprs(&mut self, exprs: &ExprArena, live: &[ExprId]) {
        for &id in live {
            self.span = exprs[id].span;
            self.ty(exprs[id].ty);
            self.expr(exprs, id);
        }
        if lower_matrix_ops::has_splat(&self.program.types, exprs, live) {
            self.need(Capability::MatrixComponentOps);
        }
        if let Some(matrix) = super::matrix_rows::copied(self.program, exprs, live).first() {
            self.need_at(Capability::DynamicMatrixRows, exprs[*matrix].span);
        }
        if let Some(copy) = super::storage::copies(self.program, exprs, live).first() {
            self.need_at(Capability::BufferCopies, exprs[*copy].span);
        }
    }

    fn expr(&mut self, exprs: &ExprArena, id: ExprId) {
        let ty = |e: ExprId| self.program.types.get(exprs[e].ty);
        if lower_matrix_ops::is_component_op(&self.program.types, exprs, id) {
            self.need(Capability::MatrixComponentOps);
        }
        if matches!(exprs[id].kind, ExprKind::Select(..)) && self.program.holds_resource(exprs[id].ty) {
            self.need(Capability::ResourceValues);
        }
        if super::hidden_constants::is_hidden(&self.program.types, exprs, id) {
            self.need(Capability::NonFiniteConstants);
        }
        if super::hidden_constants::outcome(self.program, exprs, id).is_some() {
            self.need(Capability::NonFiniteComparisons);
        }
        if super::wrapping_constants::wraps(self.program, exprs, id) {
            self.need(Capability::WrappingConstants);
        }
        if !short_circuit::candidates(exprs, id).is_empty() {
            let effects = self.effects.get_or_init(|| self.program.effects());
            if !short_circuit::conditional_effects(effects, exprs, id).is_empty() {
                self.need(Capability::ShortCircuit);
            }
        }
        if let Some(capability) = matrix_parts::need(&self.program.types, exprs, id) {
            self.need(capability);
        }
        match &exprs[id].kind {
            ExprKind::Property(_) => self.need(Capability::Properties),
            ExprKind::EnumCase(..) => self.need(Capability::Enums),
            ExprKind::MatrixSwizzle(..) => self.need(Capability::MatrixSwizzles),
            ExprKind::Assign(op, target, _) => {
                if let Some(op) = op {
                    self.binary(*op, ty(*target));
                }
                if op.is_some_and(|op| super::bool_bits::is_bits(&self.program.types, exprs, op, *target)) {
                    self.need(Capability::BoolBitOperators);
                }
                if matches!(&exprs[*target].kind, ExprKind::Swizzle(_, s) if s.len > 1) {
                    self.need(Capability::SwizzleAssignment);
                }
            }
            ExprKind::Select(c, ..) if !matches!(ty(*c), Type::Scalar(_)) => {
                self.need(Capability::VectorLogic);
                if super::integer_choices::is_one(self.program, exprs, id) {
                    self.need(Capability::IntegerChoices);
                }
            }
            // Of numbers, both values are as good as the one that is chosen; what has effects is an assignment or call.
            ExprKind::Select(..) => match ty(id) {
                Type::Scalar(_) | Type::Vector(..) => {}
                Type::Matrix(..) => self.need(Capability::MatrixConditionals),
                _ => self.need(Capability::AggregateConditionals),
            },
            ExprKind::Convert(a, _) => {
                if let (Type::Matrix(_, r, c), Type::Matrix(_, rows, columns)) = (ty(*a), ty(id))
                    && (r, c) != (rows, columns)
                {
                    self.need(Capability::MatrixTruncation);
                }
            }
            ExprKind::Unary(UnaryOp::Not, a) if matches!(ty(*a), Type::Vector(..)) => {
                self.need(Capability::VectorLogic)
            }
            ExprKind::Binary(op, a, _) => {
                if super::bool_bits::is_bits(&self.program.types, exprs, *op, *a) {
                    self.need(Capability::BoolBitOperators);
                }
                self.binary(*op, ty(*a));
            }
            ExprKind::Call(f, args) => {
                self.call(*f);
                if let Some(capability) = super::flatten::has_converted(self.program, exprs, *f, args) {
                    self.need(capability);
                }
                if super::called_values::is_value(&self.program.functions[*f]) {
                    self.need(Capability::CalledSystemValues);
                }
                let texture = args.first().map(|t| ty(*t));
                let plain = matches!(texture, Some(Type::Scalar(_)));
                if plain && super::atomics::is_operation(&self.program.functions[*f]) {
                    self.need(Capability::PlainlyAccessedAtomics);
                }
                let compares = self.program.functions[*f].attributes.iter().any(|a| a.name == "__depth_texture");
                if compares && matches!(texture, Some(Type::Texture(Texture { depth: false, .. }))) {
                    self.need(Capability::UndeclaredDepthTextures);
                }
            }
            _ => {}
        }
    }

    fn binary(&mut self, op: crate::tree::BinaryOp, operand: Type) {
        use crate::tree::BinaryOp::*;
        match operand {
            Type::Vector(_, n) if n > 1 && (op.is_comparison() || matches!(op, And | Or)) => {
                self.need(Capability::VectorLogic)
            }
            _ => {}
        }
        let (Rem, Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, _, _)) = (op, operand) else { return };
        if s.is_float() {
            self.need(super::float_remainder::remainder_of(s));
        }
    }

    /// What a builtin says of itself with `[__requires(...)]`.
    fn call(&mut self, f: crate::tree::FunctionId) {
        for capability in required(&self.program.functions[f]) {
            self.need(capability);
        }
    }

    fn entry_points(&mut self) {
        for e in &self.program.entry_points {
            let f = &self.program.functions[e.function];
            self.span = f.span;
            match e.stage {
                Stage::Geometry => self.need(Capability::GeometryShaders),
                Stage::Hull | Stage::Domain => self.need(Capability::TessellationShaders),
                Stage::Mesh | Stage::Amplification => self.need(Capability::MeshShaders),
                Stage::Compute => self.need(Capability::ComputeShaders),
                Stage::Vertex | Stage::Fragment => {}
                Stage::RayGeneration
                | Stage::Intersection
                | Stage::AnyHit
                | Stage::ClosestHit
                | Stage::Miss
                | Stage::Callable => self.need(Capability::RayTracing),
            }
            let inputs = e.interface.iter().map(|id| &self.program.globals[*id]);
            let is_array = |g: &&Global| matches!(self.program.types.get(g.ty), Type::Array(..));
            let array = inputs.filter(|g| g.kind == GlobalKind::Input).find(is_array).map(|g| g.span);
            if let Some(span) = array.filter(|_| e.stage == Stage::Vertex) {
                self.need_at(Capability::VertexInputArrays, span);
            }
            if super::varyings::lacks_semantics(self.program, e) {
                self.need(Capability::VaryingsWithoutSemantics);
            }
            for p in &f.params {
                let local = &f.code.locals[p.local];
                if crate::tree::is_uniform(self.program, p, local.ty) {
                    self.need_at(Capability::EntryPointUniforms, local.span);
                }
            }
        }
    }
}

/// What a builtin says of itself with `[__requires(...)]`.
pub fn required(function: &crate::tree::Function) -> impl Iterator<Item = Capability> + '_ {
    let attributes = function.attributes.iter().filter(|a| a.name == "__requires");
    attributes.flat_map(|a| &a.args).filter_map(|arg| match arg {
        crate::tree::AttributeArg::Name(name) | crate::tree::AttributeArg::Text(name) => {
            Capability::parse(name.as_str())
        }
        _ => None,
    })
}
