//! Locations of stage inputs and outputs, and the indices of their semantics: those that are asked for, then first fit in
//! order of declaration, a whole parameter at a time (rule `layout-stage-io`).
//!
//! [`Varying`] and the [`VaryingPart`]s in it are the one list of what goes in and out of a stage: what is emitted, checked, reflected
//! and explained is read from there.
//!
//! A semantic's index runs over the vectors below it as D3D counts them in its signatures: one for each vector of a matrix
//! that is stored.

use super::allocate::Numbers;
use super::{Api, Settings, Unit};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::system_values;
use crate::tree::{
    EntryPoint, Explicit, Field, Function, FunctionId, Local, MESH_ARRAYS, MatrixOrder, MeshOutputKind, Modifiers,
    Param, ParamMode, Program, Scalar, Semantic, Stage, Type, TypeId, is_uniform,
};
use std::collections::BTreeMap;

/// The semantic of render targets.
pub const TARGET: &str = "SV_TARGET";

/// System values of whole patches, which go from one stage to the next.
pub const FACTORS: [&str; 2] = ["SV_TESSFACTOR", "SV_INSIDETESSFACTOR"];

/// The word of sidecars for what there is one of for each patch.
pub const PATCH: &str = "patch";

/// Nothing has more locations; what asks for more is an error elsewhere.
pub const LAST: u32 = 1 << 16;

/// A parameter of an entry point, or its result, in one direction; or of the function of its patch constants.
#[derive(Clone, Debug)]
pub struct Varying {
    /// Whose parameter or result it is.
    pub function: FunctionId,
    /// Its position among the parameters; the result has none.
    pub param: Option<usize>,
    /// Inputs or outputs.
    pub unit: Unit,
    /// There is one for each vertex or primitive.
    pub many: Option<Many>,
    /// It is of a whole patch: what the function of patch constants gives, and what a domain shader takes of that.
    pub of_patch: bool,
    /// The whole. Where there is one for each vertex or primitive, one of them is its only part.
    pub part: VaryingPart,
}

/// A stage input or output, or a part of one: what the source says of it, and what it takes.
#[derive(Clone, Debug)]
pub struct VaryingPart {
    /// Its type.
    pub ty: TypeId,
    /// The parameter, function of the result or field that it is, or is an element of.
    pub name: Symbol,
    /// The place of that in the source.
    pub span: Span,
    /// Which field of a struct it is.
    pub field: Option<u32>,
    /// Of a parameter, result or field: the positions that the source asks for.
    pub explicit: Explicit,
    /// Index for dual-source blending, of it or of what is around it.
    pub index: Option<u32>,
    /// The first location, of the first element if it is in arrays.
    pub start: u32,
    /// How many locations, with all elements.
    pub count: u32,
    /// Its semantic in upper case with the index, or the one around it.
    pub semantic: Option<(String, u32)>,
    /// The place of that in the source.
    pub semantic_span: Option<Span>,
    /// Of an array: how many indices of the semantic an element is from the next. What has no semantic has one in texts for
    /// D3D only.
    pub semantic_stride: Option<u32>,
    /// How many locations its type has in a text, with all elements: more than are counted where the policy counts as a
    /// compiler does that disagrees with the text that it writes.
    pub emitted: u32,
    /// How many indices of the semantic, with all elements.
    pub indices: u32,
    /// The source says its location, or that of what is around it.
    pub asked: bool,
    /// Fields of a struct; the element of an array, patch or stream.
    pub parts: Vec<VaryingPart>,
}

/// A semantic with its index, if that is not 0.
pub fn semantic_text((name, index): &(String, u32)) -> String {
    if *index == 0 { name.clone() } else { format!("{name}{index}") }
}

impl Varying {
    /// What there is one for, in the word of sidecars.
    pub fn per(&self) -> Option<&'static str> {
        if self.of_patch { Some(PATCH) } else { self.many.and_then(|m| m.per.word()) }
    }
}

impl VaryingPart {
    /// What takes nothing.
    fn new(ty: TypeId, semantic: Option<&Running>, around: Around) -> VaryingPart {
        let Around { asked, name, span, index, .. } = around;
        VaryingPart {
            ty,
            name,
            span,
            field: None,
            explicit: Explicit::default(),
            index,
            start: 0,
            count: 0,
            semantic: semantic.map(|s| (s.name.clone(), s.index)),
            semantic_span: semantic.map(|s| s.span),
            semantic_stride: None,
            emitted: 0,
            indices: 0,
            asked,
            parts: Vec::new(),
        }
    }

    /// Goes down a part, each before what is in it. `visit` is given what is around it, and answers whether to go on into it.
    pub fn walk<'p>(
        &'p self,
        around: &mut Vec<&'p VaryingPart>,
        visit: &mut dyn FnMut(&'p VaryingPart, &[&'p VaryingPart]) -> bool,
    ) {
        if visit(self, around) {
            around.push(self);
            self.parts.iter().for_each(|part| part.walk(around, visit));
            around.pop();
        }
    }

    /// Counts its locations from another one.
    fn shift(&mut self, by: u32) {
        self.start = self.start.saturating_add(by);
        self.parts.iter_mut().for_each(|part| part.shift(by));
    }

    /// Whether something in it goes from the function of patch constants to a domain shader. A part is no deeper than a type.
    fn is_of_patch(&self) -> bool {
        match self.parts.as_slice() {
            [] => self.count > 0 || self.semantic.as_ref().is_some_and(|(name, _)| FACTORS.contains(&name.as_str())),
            parts => parts.iter().any(VaryingPart::is_of_patch),
        }
    }
}

/// What there is one of for each vertex or primitive: it takes the locations of one.
#[derive(Clone, Copy, Debug)]
pub struct Many {
    /// What there is one for.
    pub per: Per,
    /// One of them.
    pub element: TypeId,
    /// How many there are, if that is known.
    pub count: Option<u32>,
}

/// What there is an input or output for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Per {
    /// Each vertex or control point that comes in.
    VertexIn,
    /// Each vertex that goes out.
    Vertex,
    /// Each primitive that goes out.
    Primitive,
    /// Each primitive: the numbers of its vertices, which are no output of their own.
    Indices,
}

impl Per {
    /// The word of sidecars; nothing for what has no location.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Per::VertexIn | Per::Vertex => Some("vertex"),
            Per::Primitive => Some("primitive"),
            Per::Indices => None,
        }
    }
}

const PRIMITIVES: [Modifiers; 5] =
    [Modifiers::POINT, Modifiers::LINE, Modifiers::TRIANGLE, Modifiers::LINEADJ, Modifiers::TRIANGLEADJ];

/// The word of the primitive that a parameter of a geometry shader is.
pub fn primitive(modifiers: Modifiers) -> Option<&'static str> {
    let found = Modifiers::TABLE.iter().find(|(_, m)| PRIMITIVES.contains(m) && modifiers.has(*m));
    found.map(|(word, _)| *word)
}

/// An output array of a mesh shader, in either of its spellings: `out vertices T v[N]`, `OutputVertices<T, N> v`.
pub fn mesh_output(program: &Program, param: &Param, ty: TypeId) -> Option<(MeshOutputKind, TypeId, Option<u32>)> {
    match program.types.get(ty) {
        Type::MeshOutput(kind, element, n) => Some((kind, element, Some(n))),
        Type::Array(element, n) => {
            let (.., kind) = MESH_ARRAYS.iter().find(|(m, ..)| param.modifiers.has(*m))?;
            Some((*kind, element, n.fixed()))
        }
        _ => None,
    }
}

/// Whether a parameter has a value for each vertex or primitive.
pub fn many(program: &Program, stage: Stage, param: &Param, ty: TypeId) -> Option<Many> {
    if let Some((kind, element, count)) = mesh_output(program, param, ty) {
        let per = match kind {
            MeshOutputKind::Vertices => Per::Vertex,
            MeshOutputKind::Indices => Per::Indices,
            MeshOutputKind::Primitives => Per::Primitive,
        };
        return Some(Many { per, element, count });
    }
    match program.types.get(ty) {
        Type::Stream(_, element) => Some(Many { per: Per::Vertex, element, count: None }),
        Type::Patch(_, element, n) => Some(Many { per: Per::VertexIn, element, count: Some(n) }),
        Type::Array(element, count) if stage == Stage::Geometry && primitive(param.modifiers).is_some() => {
            Some(Many { per: Per::VertexIn, element, count: count.fixed() })
        }
        _ => None,
    }
}

/// How many indices of its semantic a matrix takes: one for each vector that is stored.
pub fn indices_of_matrix(order: MatrixOrder, rows: u8, columns: u8) -> u32 {
    match order {
        MatrixOrder::Row => rows.into(),
        MatrixOrder::Column => columns.into(),
    }
}

/// The stage inputs and outputs of an entry point in order of declaration, `out` parameters before the result. What is
/// `inout` is there twice.
pub fn varyings(program: &Program, settings: &Settings, entry: &EntryPoint) -> Vec<Varying> {
    let mut list = declared(program, settings, (entry.stage, entry.function), |param, ty| {
        let many = many(program, entry.stage, param, ty);
        (many, units(entry.stage, param, many.as_ref()))
    });
    if entry.stage == Stage::Domain {
        let inputs = list.iter_mut().map(|(_, v)| v).filter(|v| v.unit == Unit::VaryingInput && v.many.is_none());
        inputs.for_each(|varying| varying.of_patch = varying.part.is_of_patch());
    }
    numbered(settings, list, Vec::new())
}

/// What the function of patch constants gives, `out` parameters before the result: a signature of its own.
pub fn patch_constants(program: &Program, settings: &Settings, entry: &EntryPoint) -> Vec<Varying> {
    let Some(id) = entry.patch_constant else { return Vec::new() };
    let mut list = declared(program, settings, (entry.stage, id), |param, _| {
        (None, if param.mode == ParamMode::In { Vec::new() } else { vec![Unit::VaryingOutput] })
    });
    list.iter_mut().for_each(|(_, varying)| varying.of_patch = true);
    let points = if settings.api == Api::D3d { Vec::new() } else { varyings(program, settings, entry) };
    numbered(settings, list, points)
}

/// Gives locations to those that ask for none. What is of a patch comes behind what is of its points, which `points` are
/// where these are declared elsewhere: hull and domain shader agree then, whichever the latter declares first.
fn numbered(settings: &Settings, mut list: Vec<(Option<u32>, Varying)>, points: Vec<Varying>) -> Vec<Varying> {
    let mut given: BTreeMap<(Unit, bool), Numbers> = BTreeMap::new();
    let apart = settings.counts_patch_constants_apart();
    let counter = |varying: &Varying| (varying.unit, apart && varying.of_patch);
    for point in &points {
        let start = u64::from(point.part.start);
        given.entry(counter(point)).or_default().add(start, start + u64::from(point.part.count));
    }
    for (explicit, varying) in &list {
        if let Some(start) = explicit {
            let start = u64::from(*start) + u64::from(varying.part.start);
            given.entry(counter(varying)).or_default().add(start, start + u64::from(varying.part.count));
        }
    }
    let apart = settings.api != Api::D3d && !settings.policy.stage_io.counts_patch_constants;
    let behind = |of: &Varying| apart && of.of_patch;
    let mut order: Vec<&mut (Option<u32>, Varying)> = list.iter_mut().collect();
    order.sort_by_key(|(_, varying)| behind(varying));
    for (explicit, varying) in order {
        let count = varying.part.count;
        let start = explicit.unwrap_or_else(|| match count {
            0 => 0,
            _ => given.entry(counter(varying)).or_default().give(0, count.into()).try_into().unwrap_or(u32::MAX),
        });
        varying.part.shift(start);
    }
    list.into_iter().map(|(_, varying)| varying).collect()
}

/// What a function takes and gives, with the first location that each asks for. `ways` answers of what a parameter there are
/// many, and in what it is counted.
fn declared(
    program: &Program,
    settings: &Settings,
    (stage, id): (Stage, FunctionId),
    ways: impl Fn(&Param, TypeId) -> (Option<Many>, Vec<Unit>),
) -> Vec<(Option<u32>, Varying)> {
    let function = &program.functions[id];
    let numbering = |unit| Numbering::new(program, settings, (stage, id), unit);
    let mut list = Vec::new();
    for (index, param) in function.params.iter().enumerate() {
        let ty = function.code.locals[param.local].ty;
        if !is_uniform(program, param, ty) {
            let (many, units) = ways(param, ty);
            let of = Whole::of_param(function, param, many);
            list.extend(units.into_iter().map(|unit| numbering(unit).whole(Some(index), &of)));
        }
    }
    list.extend(Whole::of_result(function).map(|of| numbering(Unit::VaryingOutput).whole(None, &of)));
    list
}

/// What a parameter is counted in.
fn units(stage: Stage, param: &Param, many: Option<&Many>) -> Vec<Unit> {
    let is_input = param.mode == ParamMode::In;
    match (stage, many.map(|m| m.per)) {
        // Semantics mean nothing there: many texts have `SV_RayPayload` and `SV_IntersectionAttributes`.
        (Stage::AnyHit | Stage::ClosestHit, _) if is_input => vec![Unit::HitAttributes],
        (Stage::AnyHit | Stage::ClosestHit | Stage::Miss, _) => vec![Unit::RayPayload],
        (Stage::Callable, _) => vec![Unit::CallablePayload],
        // What task shaders give is memory.
        (Stage::Mesh, _) if param.modifiers.has(Modifiers::PAYLOAD) => Vec::new(),
        (_, Some(Per::VertexIn)) => vec![Unit::VaryingInput],
        (_, Some(_)) => vec![Unit::VaryingOutput],
        _ => match param.mode {
            ParamMode::Out => vec![Unit::VaryingOutput],
            ParamMode::InOut | ParamMode::Ref => vec![Unit::VaryingInput, Unit::VaryingOutput],
            ParamMode::In => vec![Unit::VaryingInput],
        },
    }
}

/// A whole parameter or result.
struct Whole<'a> {
    ty: TypeId,
    name: Symbol,
    span: Span,
    semantic: Option<Semantic>,
    explicit: &'a Explicit,
    order: Option<MatrixOrder>,
    many: Option<Many>,
}

impl<'a> Whole<'a> {
    fn of_param(function: &Function, param: &'a Param, many: Option<Many>) -> Whole<'a> {
        let Local { ty, name, span, .. } = function.code.locals[param.local];
        Whole { ty, name, span, semantic: param.semantic, explicit: &param.explicit, order: param.matrix_order, many }
    }

    fn of_result(function: &'a Function) -> Option<Whole<'a>> {
        let Function { result: ty, name, span, result_semantic: semantic, .. } = *function;
        let (explicit, order) = (&function.result_explicit, function.result_order);
        let of = Whole { ty, name, span, semantic, explicit, order, many: None };
        (ty != TypeId::VOID).then_some(of)
    }
}

/// A semantic whose index runs over what is below it.
struct Running {
    name: String,
    index: u32,
    span: Span,
}

impl Running {
    fn new(semantic: Semantic) -> Running {
        let (name, index) = semantic.split();
        Running { name, index, span: semantic.span }
    }

    fn pass(&mut self, indices: u32) {
        self.index = self.index.saturating_add(indices);
    }
}

/// What is said around a part.
#[derive(Clone, Copy)]
struct Around {
    name: Symbol,
    span: Span,
    index: Option<u32>,
    /// The location that it asks for itself.
    at: Option<u32>,
    /// The source says one, for it or for what is around it.
    asked: bool,
    order: Option<MatrixOrder>,
}

/// The walk over one parameter.
struct Numbering<'a> {
    program: &'a Program,
    settings: &'a Settings,
    stage: Stage,
    function: FunctionId,
    unit: Unit,
    /// Leaves lie where the index of their semantic says.
    targets: bool,
    /// The next location within the parameter.
    at: u32,
}

impl<'a> Numbering<'a> {
    fn new(
        program: &'a Program,
        settings: &'a Settings,
        (stage, function): (Stage, FunctionId),
        unit: Unit,
    ) -> Numbering<'a> {
        let targets =
            stage == Stage::Fragment && unit == Unit::VaryingOutput && !settings.policy.stage_io.targets_by_order;
        Numbering { program, settings, stage, function, unit, targets, at: 0 }
    }

    /// Which source of blending something says that it is: only the outputs of fragment shaders are one.
    fn source(&self, explicit: &Explicit) -> Option<u32> {
        explicit.index.filter(|_| self.stage == Stage::Fragment && self.unit == Unit::VaryingOutput)
    }

    /// A parameter, and the first location that it asks for.
    fn whole(mut self, param: Option<usize>, of: &Whole) -> (Option<u32>, Varying) {
        let start = self.explicit(of);
        let Whole { name, span, order, many, .. } = *of;
        let asked = self.asked(of.explicit).is_some();
        // Targets are counted from 0 together, so each goes to its own location here.
        let at = self.place(of.explicit, of.semantic.is_some()).filter(|_| self.targets);
        let around = Around { name, span, index: self.source(of.explicit), at, asked, order };
        let mut semantic = self.running(of.semantic, of.explicit, of.span);
        let (function, unit, explicit) = (self.function, self.unit, of.explicit.clone());
        let counted = self.settings.policy.stage_io.counts_mesh_indices;
        let part = match many {
            // The numbers of vertices are in no signature and at no location. One of the policies counts them on D3D.
            Some(many) if many.per == Per::Indices && !(counted && self.settings.api == Api::D3d) => {
                let element = VaryingPart::new(many.element, None, around);
                VaryingPart { parts: vec![element], ..VaryingPart::new(of.ty, semantic.as_ref(), around) }
            }
            Some(many) => {
                let element = self.part(many.element, &mut semantic, around);
                VaryingPart { ty: of.ty, semantic_stride: None, parts: vec![element.clone()], ..element }
            }
            None => self.part(of.ty, &mut semantic, around),
        };
        (start, Varying { function, param, unit, many, of_patch: false, part: VaryingPart { explicit, ..part } })
    }

    /// The semantic of a declaration; off D3D, the system value that a builtin of SPIR-V is.
    fn running(&self, semantic: Option<Semantic>, explicit: &Explicit, span: Span) -> Option<Running> {
        let builtin = explicit.builtin.filter(|_| self.settings.api != Api::D3d);
        match builtin.and_then(|name| system_values::of_vulkan(name.as_str())) {
            Some(name) => Some(Running { name: name.to_owned(), index: 0, span }),
            None => semantic.map(Running::new),
        }
    }

    fn asked(&self, explicit: &Explicit) -> Option<u32> {
        explicit.location.map(|(l, _)| l).filter(|_| self.settings.api != Api::D3d)
    }

    /// The location that it asks for. On D3D only targets have one, by the index of their semantic or else what is asked.
    fn place(&self, explicit: &Explicit, has_semantic: bool) -> Option<u32> {
        let target = explicit.location.filter(|_| self.targets && !has_semantic);
        self.asked(explicit).or(target.map(|(l, _)| l))
    }

    /// Targets that say where they are and, but for D3D, what asks for a location have it before the others are numbered.
    fn explicit(&self, of: &Whole) -> Option<u32> {
        // A struct begins at 0, and each field says its own.
        let by_fields = self.settings.api != Api::D3d && !self.offsets() && self.fields_ask(of.ty);
        let says = of.semantic.is_some_and(is_system) || of.explicit.location.is_some() || self.fields_say(of.ty);
        match self.targets && says || by_fields {
            true => Some(0),
            false => self.asked(of.explicit),
        }
    }

    fn offsets(&self) -> bool {
        self.settings.policy.stage_io.field_locations_are_offsets
    }

    /// Whether fields of a struct say their locations. A type cannot contain itself, so this ends.
    fn fields_ask(&self, ty: TypeId) -> bool {
        let mut fields = self.program.fields(self.program.types.innermost(ty)).iter();
        fields.any(|f| f.explicit.location.is_some() || self.fields_ask(f.ty))
    }

    /// Whether fields of a struct say which target they are or their locations. A type cannot contain itself, so this ends.
    fn fields_say(&self, ty: TypeId) -> bool {
        let mut fields = self.program.fields(self.program.types.innermost(ty)).iter();
        fields.any(|f| f.semantic.is_some_and(is_system) || f.explicit.location.is_some() || self.fields_say(f.ty))
    }

    /// A type cannot contain itself, so this ends.
    fn part(&mut self, ty: TypeId, semantic: &mut Option<Running>, around: Around) -> VaryingPart {
        // What asks for a location is there, with all that is in it, whatever the semantics say.
        if let Some(target) = semantic.as_ref().filter(|s| self.targets && s.name == TARGET && !around.asked) {
            self.at = target.index;
        }
        self.at = around.at.unwrap_or(self.at);
        let start = self.at;
        let around = Around { at: None, ..around };
        let mut part = VaryingPart { start, ..VaryingPart::new(ty, semantic.as_ref(), around) };
        let types = &self.program.types;
        match types.get(ty) {
            Type::Struct(id) => {
                for (index, field) in (0..).zip(&self.program.structs[id].fields) {
                    let found = self.field(field, start, semantic, around);
                    part.parts.push(VaryingPart { field: Some(index), explicit: field.explicit.clone(), ..found });
                }
                span(&mut part, self.offsets());
            }
            Type::Array(element, n) => {
                let n = n.laid_out().unwrap_or(1);
                let in_structs = matches!(types.get(types.innermost(element)), Type::Struct(_));
                let element = self.part(element, semantic, around);
                part.semantic_stride = match (&part.semantic, in_structs) {
                    (Some(_), _) => Some(element.indices),
                    (None, true) => Some(0),
                    (None, false) => (self.settings.api == Api::D3d).then_some(element.indices),
                };
                part.start = element.start;
                part.count = element.count.saturating_mul(n);
                part.emitted = element.emitted.saturating_mul(n);
                part.indices = element.indices.saturating_mul(n);
                semantic.iter_mut().for_each(|s| s.pass(part.indices.saturating_sub(element.indices)));
                part.parts.push(element);
            }
            Type::Patch(_, element, _) | Type::MeshOutput(_, element, _) | Type::Stream(_, element) => {
                let element = self.part(element, semantic, around);
                (part.start, part.count, part.indices) = (element.start, element.count, element.indices);
                part.parts.push(element);
            }
            ty => {
                (part.count, part.indices) = self.leaf(ty, semantic.as_ref(), around.order);
                part.emitted = if part.count > 0 { self.emitted(ty).max(part.count) } else { 0 };
                semantic.iter_mut().for_each(|s| s.pass(part.indices));
            }
        }
        self.at = start.max(part.start.saturating_add(part.count));
        part
    }

    /// A field of a struct that begins at `start`.
    fn field(&mut self, field: &Field, start: u32, outer: &mut Option<Running>, around: Around) -> VaryingPart {
        // The outermost semantic wins.
        let mut own = self.running(field.semantic, &field.explicit, field.span);
        let semantic = if outer.is_some() { outer } else { &mut own };
        let at = self.place(&field.explicit, semantic.is_some());
        let at = at.map(|l| if self.offsets() { start.saturating_add(l) } else { l });
        let order = field.matrix_order.or(around.order);
        let asked = around.asked || self.asked(&field.explicit).is_some();
        let index = self.source(&field.explicit).or(around.index);
        self.part(field.ty, semantic, Around { name: field.name, span: field.span, index, at, asked, order })
    }

    /// Locations, and indices of the semantic.
    fn leaf(&self, ty: Type, semantic: Option<&Running>, order: Option<MatrixOrder>) -> (u32, u32) {
        let as_stored = self.settings.policy.stage_io.as_stored;
        let d3d = self.settings.api == Api::D3d;
        let (locations, indices) = match ty {
            Type::Void => (0, 0),
            Type::Matrix(_, rows, columns) => {
                let default = self.program.default_matrix_order;
                let indices = indices_of_matrix(order.unwrap_or(default), rows, columns);
                // The policy that counts what is stored knows no modifiers. On D3D what the signature has.
                let locations = match (as_stored, d3d) {
                    (true, _) => indices_of_matrix(default, rows, columns),
                    (false, true) => indices,
                    (false, false) => self.emitted(ty),
                };
                (locations, indices)
            }
            Type::Vector(..) if !as_stored && !d3d => (self.emitted(ty), 1),
            _ => (1, 1),
        };
        (if self.takes_location(semantic) { locations } else { 0 }, indices)
    }

    /// The locations of a type in a text: of a matrix its rows, which are columns there; one row or column is a vector. Three
    /// and four numbers of 64 bits take two on Vulkan.
    fn emitted(&self, ty: Type) -> u32 {
        let vector = |scalar: Scalar, n: u8| match scalar.size() == 8 && n > 2 {
            true => self.settings.api.facts().wide_locations,
            false => 1,
        };
        match ty {
            Type::Vector(scalar, n) => vector(scalar, n),
            Type::Matrix(scalar, 1, n) | Type::Matrix(scalar, n, 1) => vector(scalar, n),
            Type::Matrix(scalar, rows, columns) if self.settings.api != Api::D3d => {
                vector(scalar, columns) * u32::from(rows)
            }
            _ => 1,
        }
    }

    /// System values take no location, but for the targets of a fragment shader, and for what a mesh calls its position.
    fn takes_location(&self, semantic: Option<&Running>) -> bool {
        let Some(name) = semantic.map(|s| s.name.as_str()).filter(|name| name.starts_with("SV_")) else { return true };
        match (self.stage, self.unit) {
            (Stage::Fragment, Unit::VaryingOutput) => name == TARGET,
            (stage, unit) => Semantic::is_arbitrary(name, stage, unit == Unit::VaryingInput),
        }
    }
}

/// Whether a semantic is one of the system: a target with one of the user is numbered like one without.
fn is_system(semantic: Semantic) -> bool {
    semantic.split().0.starts_with("SV_")
}

/// The range of a struct's fields. Those that say their locations do so wherever the struct would begin with, unless what
/// they say is counted from there.
fn span(part: &mut VaryingPart, offsets: bool) {
    let placed = || part.parts.iter().filter(|p| p.count > 0);
    let free = offsets || placed().any(|p| !p.asked);
    let own = Some(part.start).filter(|_| free);
    let first = placed().map(|p| p.start).chain(own).min().unwrap_or(part.start);
    let end = placed().map(|p| p.start.saturating_add(p.count)).max().unwrap_or(first);
    let indices = part.parts.iter().fold(0u32, |sum, p| sum.saturating_add(p.indices));
    (part.start, part.count, part.indices) = (first, end.saturating_sub(first), indices);
}
