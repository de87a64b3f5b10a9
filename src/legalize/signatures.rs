//! What the signatures of D3D can say: which semantic goes where, no numbers of 64 bits, few distances.
//!
//! A system value goes in and out of some stages only, and what is none only where stages pass data on: a fragment shader's
//! outputs, for example, are all system values. Distances to clip and cull planes have two rows of four together, and an
//! element of an array takes a row.

use super::entry_globals::components;
use super::stage_io::{Flatten, Leaf};
use super::system_value_types::{Holder, slot};
use super::varyings::is_bare;
use super::{Context, mesh_bytes, signature_rows};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::layout::Unit;
use crate::layout::locations::{self, Per, Varying, indices_of_matrix};
use crate::source::Span;
use crate::target::Capability;
use crate::target::system_values::{self, Direction};
use crate::tree::{
    AttributeArg, EntryPoint, Function, FunctionId, Length, LocalId, MeshOutputKind, Modifiers, Param, Program, Scalar,
    Semantic, Stage, Step, Type, TypeId, Types, spelled,
};
use std::collections::BTreeSet;

/// Where a value goes in or out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Point {
    VertexIn,
    VertexOut,
    /// Parameters of a hull entry point, and its control points.
    HullIn,
    HullPointIn,
    HullOut,
    PatchOut,
    DomainIn,
    DomainPointIn,
    DomainOut,
    /// Parameters of a geometry entry point, and its vertices.
    GeometryIn,
    GeometryVertexIn,
    GeometryOut,
    FragmentIn,
    FragmentOut,
    /// Stages with work groups.
    GroupIn,
    TaskIn,
    MeshIn,
    MeshOut,
    PrimitiveOut,
}

use Point::*;

impl Point {
    /// Whether what is there has rows of a signature that are counted.
    fn has_rows(self) -> bool {
        !matches!(self, FragmentOut | GroupIn | TaskIn | MeshIn)
    }

    /// Whether how a value is interpolated says which it shares a row with.
    pub(super) fn is_interpolated(self) -> bool {
        matches!(self, VertexOut | FragmentIn)
    }
}

/// What goes from a stage to the next one.
const BETWEEN: &[Point] =
    &[VertexOut, HullPointIn, HullOut, DomainPointIn, DomainOut, GeometryVertexIn, GeometryOut, FragmentIn];

/// What is declared once for a patch.
const PATCHES: &[Point] = &[PatchOut, DomainIn];

/// What stages pass on without a meaning of its own.
const PASSED: &[&[Point]] = &[&[VertexIn], BETWEEN, PATCHES, &[MeshOut, PrimitiveOut]];
const VERTICES: &[&[Point]] = &[&[VertexIn], BETWEEN, PATCHES, &[MeshOut]];
const VIEWPORTS: &[&[Point]] = &[&[VertexIn], BETWEEN, PATCHES, &[PrimitiveOut]];
const INSTANCES: &[&[Point]] = &[&[VertexIn], BETWEEN];
const RATES: &[&[Point]] = &[BETWEEN, &[PrimitiveOut]];
const GROUPS: &[&[Point]] = &[&[GroupIn, TaskIn, MeshIn]];

/// (semantic, where it may be), as DXC has it.
const SYSTEM_VALUES: &[(&str, &[&[Point]])] = &[
    ("SV_VERTEXID", &[&[VertexIn]]),
    ("SV_INSTANCEID", INSTANCES),
    ("SV_STARTVERTEXLOCATION", &[&[VertexIn]]),
    ("SV_STARTINSTANCELOCATION", &[&[VertexIn]]),
    ("SV_POSITION", VERTICES),
    ("SV_CLIPDISTANCE", VERTICES),
    ("SV_CULLDISTANCE", VERTICES),
    ("SV_RENDERTARGETARRAYINDEX", VIEWPORTS),
    ("SV_VIEWPORTARRAYINDEX", VIEWPORTS),
    ("SV_SHADINGRATE", RATES),
    ("SV_PRIMITIVEID", &[&[HullIn, DomainIn, GeometryIn, GeometryOut, FragmentIn, PrimitiveOut]]),
    ("SV_OUTPUTCONTROLPOINTID", &[&[HullIn]]),
    ("SV_TESSFACTOR", &[PATCHES]),
    ("SV_INSIDETESSFACTOR", &[PATCHES]),
    ("SV_DOMAINLOCATION", &[&[DomainIn]]),
    ("SV_GSINSTANCEID", &[&[GeometryIn]]),
    ("SV_VIEWID", &[&[VertexIn, HullIn, DomainIn, GeometryIn, FragmentIn, MeshIn]]),
    ("SV_ISFRONTFACE", &[&[GeometryOut, FragmentIn]]),
    ("SV_SAMPLEINDEX", &[&[FragmentIn]]),
    ("SV_COVERAGE", &[&[FragmentIn, FragmentOut]]),
    ("SV_INNERCOVERAGE", &[&[FragmentIn]]),
    ("SV_BARYCENTRICS", &[&[FragmentIn]]),
    ("SV_CULLPRIMITIVE", &[&[FragmentIn, PrimitiveOut]]),
    ("SV_TARGET", &[&[FragmentOut]]),
    ("SV_DEPTH", &[&[FragmentOut]]),
    ("SV_DEPTHLESSEQUAL", &[&[FragmentOut]]),
    ("SV_DEPTHGREATEREQUAL", &[&[FragmentOut]]),
    ("SV_STENCILREF", &[&[FragmentOut]]),
    ("SV_DISPATCHTHREADID", GROUPS),
    ("SV_GROUPID", GROUPS),
    ("SV_GROUPINDEX", GROUPS),
    ("SV_GROUPTHREADID", GROUPS),
];

/// Semantics, where, kinds of number, least and most of them, in words.
type Numbers = (&'static [&'static str], fn(Point) -> bool, &'static [Scalar], u8, u8, &'static str);

/// (where, what comes in there by an operation of DXIL's own).
const READ_ALONE: &[(Point, &[&str])] = &[
    (VertexIn, &["SV_VIEWID"]),
    (HullIn, &["SV_PRIMITIVEID", "SV_OUTPUTCONTROLPOINTID", "SV_VIEWID"]),
    (DomainIn, &["SV_PRIMITIVEID", "SV_DOMAINLOCATION", "SV_VIEWID"]),
    (GeometryIn, &["SV_PRIMITIVEID", "SV_GSINSTANCEID", "SV_VIEWID"]),
    (FragmentIn, &["SV_SAMPLEINDEX", "SV_COVERAGE", "SV_INNERCOVERAGE", "SV_VIEWID"]),
    (GroupIn, NUMBERS_OF_GROUPS),
    (TaskIn, NUMBERS_OF_GROUPS),
    (MeshIn, NUMBERS_OF_GROUPS),
    (MeshIn, &["SV_VIEWID"]),
];
const NUMBERS_OF_GROUPS: &[&str] = &["SV_DISPATCHTHREADID", "SV_GROUPID", "SV_GROUPINDEX", "SV_GROUPTHREADID"];

/// What system values are made of, as the validator of DXIL has it.
#[rustfmt::skip]
const NUMBERS: &[Numbers] = &[
    (&["SV_VERTEXID", "SV_VULKANVERTEXID", "SV_INSTANCEID", "SV_VULKANINSTANCEID"], |p| p == VertexIn, &[Scalar::U32, Scalar::U16, Scalar::MinU16], 1, 1, "`uint`"),
    // DXC ends with an error of its own at those of 16 bits.
    (&["SV_PRIMITIVEID", "SV_OUTPUTCONTROLPOINTID", "SV_GSINSTANCEID"],
        |p| matches!(p, HullIn | DomainIn | GeometryIn), &[Scalar::U32], 1, 1, "`uint`"),
    (&["SV_PRIMITIVEID", "SV_OUTPUTCONTROLPOINTID", "SV_GSINSTANCEID", "SV_STENCILREF",
       "SV_RENDERTARGETARRAYINDEX", "SV_VIEWPORTARRAYINDEX", "SV_SHADINGRATE"],
        later, &[Scalar::U32, Scalar::U16, Scalar::MinU16], 1, 1, "`uint`"),
    (&["SV_SAMPLEINDEX"], later, &[Scalar::U32], 1, 1, "`uint`"),
    (&["SV_COVERAGE"], |p| p == FragmentOut, &[Scalar::U32], 1, 1, "`uint`"),
    (&["SV_COVERAGE", "SV_INNERCOVERAGE"], later, &[Scalar::U32, Scalar::I32], 1, 1, "`uint`"),
    (&["SV_VIEWID"], |_| true, &[Scalar::U32, Scalar::I32], 1, 1, "`uint`"),
    (&["SV_ISFRONTFACE"], later, &[Scalar::Bool, Scalar::U32, Scalar::I32], 1, 1, "`bool`"),
    (&["SV_POSITION"], later, FLOATS, 4, 4, "`float4`"),
    (&["SV_BARYCENTRICS"], later, FLOATS, 3, 3, "`float3`"),
    (&["SV_DEPTH", "SV_DEPTHLESSEQUAL", "SV_DEPTHGREATEREQUAL"], later, &[Scalar::F32, Scalar::F16], 1, 1, "`float`"),
    (&["SV_CLIPDISTANCE", "SV_CULLDISTANCE"], later, FLOATS, 1, 4, "of `float`"),
    (&["SV_TESSFACTOR", "SV_INSIDETESSFACTOR"], later, FLOATS, 1, 1, "of `float`"),
    (&["SV_CULLPRIMITIVE"], |p| p == PrimitiveOut, &[Scalar::Bool], 1, 1, "`bool`"),
    (&["SV_CULLPRIMITIVE"], later, INTEGERS, 1, 4, "`bool`"),
    // DXC ends with an error of its own at others in amplification and mesh shaders.
    (&["SV_GROUPINDEX"], |p| matches!(p, TaskIn | MeshIn), &[Scalar::U32, Scalar::I32], 1, 1, "`uint`"),
    (&["SV_DISPATCHTHREADID", "SV_GROUPID", "SV_GROUPTHREADID"], |p| matches!(p, TaskIn | MeshIn), &[Scalar::U32, Scalar::I32], 1, 4, "`uint3`"),
    (&["SV_GROUPINDEX"], later, INTEGERS, 1, 1, "`uint`"),
    (&["SV_DISPATCHTHREADID", "SV_GROUPID", "SV_GROUPTHREADID"], later, INTEGERS, 1, 4, "`uint3`"),
];
/// Vertices may give anything by these names.
fn later(point: Point) -> bool {
    point != VertexIn
}

const FLOATS: &[Scalar] = &[Scalar::F32, Scalar::F16, Scalar::MinF16, Scalar::MinF10];
#[rustfmt::skip]
const INTEGERS: &[Scalar] = &[
    Scalar::U32, Scalar::I32, Scalar::U16, Scalar::I16, Scalar::MinU16, Scalar::MinI16, Scalar::MinI12,
    Scalar::Bool,
];

/// The largest index of what a signature has once or twice, as the validator of DXIL has it; others have any.
const LARGEST_INDEX: &[(&str, u32)] = &[
    ("SV_VERTEXID", 0),
    ("SV_INSTANCEID", 0),
    ("SV_POSITION", 0),
    ("SV_RENDERTARGETARRAYINDEX", 0),
    ("SV_VIEWPORTARRAYINDEX", 0),
    ("SV_SHADINGRATE", 0),
    ("SV_PRIMITIVEID", 0),
    ("SV_ISFRONTFACE", 0),
    ("SV_SAMPLEINDEX", 0),
    ("SV_COVERAGE", 0),
    ("SV_CULLPRIMITIVE", 0),
    ("SV_STENCILREF", 0),
    ("SV_DEPTH", 0),
    ("SV_DEPTHLESSEQUAL", 0),
    ("SV_DEPTHGREATEREQUAL", 0),
    ("SV_DISPATCHTHREADID", 0),
    ("SV_GROUPID", 0),
    ("SV_GROUPINDEX", 0),
    ("SV_GROUPTHREADID", 0),
    ("SV_TESSFACTOR", 0),
    ("SV_INSIDETESSFACTOR", 0),
    ("SV_BARYCENTRICS", 1),
    ("SV_TARGET", 7),
];

/// (semantic, what it is called now), for the outputs of fragment shaders in old texts.
const OLD: &[(&str, &str)] = &[("COLOR", "SV_Target"), ("DEPTH", "SV_Depth")];

/// (semantic, what says it), for what other languages have as inputs.
const CALLS: &[(&str, &str)] =
    &[("SV_WAVELANEINDEX", "WaveGetLaneIndex()"), ("SV_WAVELANECOUNT", "WaveGetLaneCount()")];

/// Where an input or output of an entry point goes; `None` for what is in no signature.
fn point(stage: Stage, varying: &Varying) -> Option<Point> {
    let per = varying.many.map(|m| m.per);
    Some(match (stage, varying.unit) {
        _ if per == Some(Per::Indices) => return None,
        (Stage::Vertex, Unit::VaryingInput) => VertexIn,
        (Stage::Vertex, Unit::VaryingOutput) => VertexOut,
        (Stage::Hull, Unit::VaryingInput) if per.is_some() => HullPointIn,
        (Stage::Hull, Unit::VaryingInput) => HullIn,
        (Stage::Hull, Unit::VaryingOutput) if varying.of_patch => PatchOut,
        (Stage::Hull, Unit::VaryingOutput) => HullOut,
        (Stage::Domain, Unit::VaryingInput) if per.is_some() => DomainPointIn,
        (Stage::Domain, Unit::VaryingInput) => DomainIn,
        (Stage::Domain, Unit::VaryingOutput) => DomainOut,
        (Stage::Geometry, Unit::VaryingInput) if per.is_some() => GeometryVertexIn,
        (Stage::Geometry, Unit::VaryingInput) => GeometryIn,
        (Stage::Geometry, Unit::VaryingOutput) => GeometryOut,
        (Stage::Fragment, Unit::VaryingInput) => FragmentIn,
        (Stage::Fragment, Unit::VaryingOutput) => FragmentOut,
        (Stage::Compute, Unit::VaryingInput) => GroupIn,
        (Stage::Amplification, Unit::VaryingInput) => TaskIn,
        (Stage::Mesh, Unit::VaryingInput) => MeshIn,
        (Stage::Mesh, Unit::VaryingOutput) if per == Some(Per::Primitive) => PrimitiveOut,
        (Stage::Mesh, Unit::VaryingOutput) => MeshOut,
        _ => return None,
    })
}

/// A value of a signature.
pub(super) struct Place {
    /// Whose parameter or result it is, or is a part of.
    pub function: FunctionId,
    /// The type that the way to it begins with.
    pub whole: TypeId,
    /// Where it goes in or out.
    pub point: Point,
    /// What it is.
    pub leaf: Leaf,
}

/// The values of the signatures of an entry point; of many vertices or primitives, one tells of all.
pub(super) fn places(cx: &mut Context, entry: &EntryPoint) -> Vec<Place> {
    let settings = cx.layout.settings;
    let function = &cx.program.functions[entry.function];
    let is_bare = |p| is_bare(cx.program, p, function.code.locals[p.local].ty);
    let bare: Vec<usize> = (0..).zip(&function.params).filter(|(_, p)| is_bare(p)).map(|(i, _)| i).collect();
    let mut all = locations::varyings(cx.program, &settings, entry);
    all.retain(|v| !v.param.is_some_and(|p| bare.contains(&p)));
    all.extend(locations::patch_constants(cx.program, &settings, entry));
    let mut found = Vec::new();
    for varying in all {
        let Some(point) = point(entry.stage, &varying) else { continue };
        let varying = match (varying.many, varying.part.parts.first()) {
            (Some(_), Some(element)) => Varying { part: element.clone(), ..varying.clone() },
            _ => varying,
        };
        let (function, whole) = (varying.function, varying.part.ty);
        let leaves = (Flatten { program: cx.program, split: false, settings }).flattened(&[varying]);
        found.extend(leaves.into_iter().map(|leaf| Place { function, whole, point, leaf }));
    }
    found
}

/// What a system value must be made of instead: another kind of integer, or more numbers where it comes in.
pub(super) fn other_type(types: &mut Types, place: &Place) -> Option<TypeId> {
    let (name, _) = place.leaf.semantic.as_ref()?;
    let row = NUMBERS.iter().find(|(names, there, ..)| names.contains(&name.as_str()) && there(place.point));
    let (_, _, kinds, least, ..) = row?;
    let (scalar, length) = match types.get(place.leaf.ty) {
        Type::Scalar(scalar) => (scalar, 1),
        Type::Vector(scalar, length) => (scalar, length),
        _ => return None,
    };
    let comes_in = way(place.point).starts_with("an input");
    let kind = match kinds.first().filter(|_| !kinds.contains(&scalar)) {
        Some(other) => Some(*other).filter(|k| k.is_integer() && (scalar.is_integer() || scalar == Scalar::Bool))?,
        None => scalar,
    };
    let wanted = if comes_in { length.max(*least) } else { length };
    // Not all that come in may be vectors of one number.
    let is_one = comes_in && matches!(types.get(place.leaf.ty), Type::Vector(_, 1));
    ((kind, wanted) != (scalar, length) || is_one).then(|| types.scalar_or_vector(kind, wanted))
}

/// How many tessellation factors of a name the domain of an entry point has, if it is known.
pub(super) fn factor_count(program: &Program, entry: &EntryPoint, semantic: &str) -> Option<usize> {
    let domain = domain(program, entry)?;
    FACTORS.iter().find(|f| f.0 == domain && f.1 == semantic).map(|f| f.2)
}

/// Reports factors of a domain that nothing sets, where they are variables of the target.
pub(super) fn check_factors(cx: &mut Context, entry: &EntryPoint) {
    let mut factors = Factors::default();
    for place in places(cx, entry) {
        factors.note(cx.program, &place.leaf);
    }
    factors.check(cx, entry, true);
}

/// The word of the domain of a hull or domain shader.
pub(super) fn domain(program: &Program, entry: &EntryPoint) -> Option<String> {
    program.functions[entry.function].attribute("domain").and_then(|a| match a.args.first()? {
        AttributeArg::Text(word) | AttributeArg::Name(word) => Some(word.as_str().to_ascii_lowercase()),
        AttributeArg::Int(_) | AttributeArg::Float(_) => None,
    })
}

/// Reports what no signature of an entry point can say.
pub(super) fn check(cx: &mut Context, entry: &EntryPoint) {
    let mut weights = BTreeSet::new();
    let mut distances: Vec<(Point, Leaf)> = Vec::new();
    let mut factors = Factors::default();
    let places = places(cx, entry);
    check_bounded_depth(cx, &places);
    check_patch_inputs(cx, entry);
    check_primitive(cx, entry);
    check_mesh_indices(cx, entry);
    mesh_bytes::check(cx, entry, &places);
    let in_rows_of = |p: &&Place| p.point.has_rows() && !is_read_alone(p.point, &p.leaf);
    signature_rows::check(cx, &places.iter().filter(in_rows_of).map(|p| (p.point, &p.leaf)).collect::<Vec<_>>());
    for place in places {
        if place.point == FragmentOut {
            report_matrix(cx, &place);
        }
        let Place { point, leaf, .. } = place;
        wide(cx, &leaf);
        long(cx, &leaf);
        if !misplaced(cx, entry, point, &leaf) && !misnumbered(cx, entry, point, &leaf) && !in_rows(cx, point, &leaf) {
            misfit(cx, point, &leaf);
            interpolated(cx, point, &leaf);
        }
        factors.note(cx.program, &leaf);
        if leaf.semantic.as_ref().is_some_and(|(name, _)| name == "SV_BARYCENTRICS") {
            let is_flat = leaf.modifiers.has(Modifiers::NOPERSPECTIVE);
            if !weights.insert(is_flat) {
                let message = format!("{} has one `SV_Barycentrics` with perspective and one without", cx.profile.name);
                cx.unsupported(leaf.span, message);
            }
        }
        if is_distance(&leaf) && point != VertexIn {
            distances.push((point, leaf));
        }
    }
    factors.check(cx, entry, false);
    for (at, (point, leaf)) in distances.iter().enumerate() {
        let here = |l: &&(Point, Leaf)| l.0 == *point;
        let before = distances.iter().take(at).filter(here);
        let shapes: Vec<RowShape> = before.map(|(_, l)| l).chain([leaf]).map(|l| shape(cx.program, l.ty)).collect();
        if !fit(&shapes) {
            let message = format!("{} has no room for these distances in a signature", cx.profile.name);
            let note =
                "all have two rows of four together, and each element of an array takes a row: a vector takes one";
            cx.diags.push(Diagnostic::error(Code::CAPABILITY, leaf.span, message).note(note));
            return;
        }
    }
}

/// Depths that only grow or shrink.
pub(super) const BOUNDED_DEPTHS: &[&str] = &["SV_DEPTHGREATEREQUAL", "SV_DEPTHLESSEQUAL"];

/// Reports a position that is none of a sample beside a depth that only grows or shrinks, as DXC's validator does.
fn check_bounded_depth(cx: &mut Context, places: &[Place]) {
    let is = |place: &Place, point: Point, names: &[&str]| {
        place.point == point && place.leaf.semantic.as_ref().is_some_and(|(name, _)| names.contains(&name.as_str()))
    };
    let of_samples = |place: &Place| {
        place.point == FragmentIn
            && (place.leaf.modifiers.has(Modifiers::SAMPLE) || is(place, FragmentIn, &["SV_SAMPLEINDEX"]))
    };
    let Some(depth) = places.iter().find(|p| is(p, FragmentOut, BOUNDED_DEPTHS)) else { return };
    let Some(position) = places.iter().find(|p| is(p, FragmentIn, &["SV_POSITION"])) else { return };
    if position.leaf.modifiers.has(Modifiers::CENTROID) || places.iter().any(of_samples) {
        return;
    }
    let depth = depth.leaf.semantic.as_ref().map_or("", |(name, _)| name.as_str());
    let depth = spelled(depth);
    let message = format!("beside `{depth}`, `SV_Position` must be `centroid` or `sample` in {}", cx.profile.name);
    cx.unsupported(position.leaf.span, message);
}

/// (domain, semantic, how many tessellation factors it has).
pub(super) const FACTORS: &[(&str, &str, usize)] = &[
    ("tri", "SV_TESSFACTOR", 3),
    ("tri", "SV_INSIDETESSFACTOR", 1),
    ("quad", "SV_TESSFACTOR", 4),
    ("quad", "SV_INSIDETESSFACTOR", 2),
    ("isoline", "SV_TESSFACTOR", 2),
    ("isoline", "SV_INSIDETESSFACTOR", 0),
];

/// The tessellation factors of an entry point: (semantic, how many, the place of one).
#[derive(Default)]
struct Factors(Vec<(String, usize, Span)>);

impl Factors {
    fn note(&mut self, program: &Program, leaf: &Leaf) {
        let Some((name, _)) = leaf.semantic.as_ref().filter(|(name, _)| FACTORS.iter().any(|f| f.1 == name)) else {
            return;
        };
        let count = components(&program.types, leaf.ty).len();
        match self.0.iter_mut().find(|f| f.0 == *name) {
            Some(found) => found.1 = found.1.saturating_add(count),
            None => self.0.push((name.clone(), count, leaf.span)),
        }
    }

    /// Reports other numbers of them than the domain has. A domain shader may leave them out. Where the target `has_room` for those of
    /// all domains, more of them are no fault.
    fn check(&self, cx: &mut Context, entry: &EntryPoint, has_room: bool) {
        let span = cx.program.functions[entry.function].span;
        let Some(domain) = domain(cx.program, entry) else { return };
        for (_, name, wanted) in FACTORS.iter().filter(|f| f.0 == domain) {
            let found = self.0.iter().find(|f| f.0 == *name);
            let left_out = found.is_none() && entry.stage != Stage::Hull;
            let (count, at) = found.map_or((0, span), |f| (f.1, f.2));
            if count != *wanted && !left_out && !(has_room && count > *wanted) {
                let name = spelled(name);
                let message = format!(
                    "{} has {wanted} `{name}` for the domain `{domain}`, and here are {count}",
                    cx.profile.name
                );
                cx.unsupported(at, message);
            }
        }
    }
}

/// DXC takes matrices as outputs of fragment shaders, and its validator does not.
///
/// One that is stored as one vector is like that.
fn report_matrix(cx: &mut Context, place: &Place) {
    let (program, leaf) = (&*cx.program, &place.leaf);
    let types = &program.types;
    let order = || match slot(program, place)? {
        Holder::Field(id, index) => program.structs[id].fields.get(index as usize)?.matrix_order,
        Holder::Param(id, index) => program.functions[id].params.get(index)?.matrix_order,
        Holder::Result(id) => program.functions[id].result_order,
    };
    let is_one_vector = || match types.get(leaf.ty) {
        Type::Matrix(_, rows, columns) => {
            indices_of_matrix(order().unwrap_or(program.default_matrix_order), rows, columns) == 1
        }
        _ => false,
    };
    if matches!(types.get(types.innermost(leaf.ty)), Type::Matrix(..)) && !is_one_vector() {
        cx.unsupported(leaf.span, format!("an output of a fragment shader cannot be a matrix in {}", cx.profile.name));
    }
}

/// Reports a semantic whose name is longer than D3D's signatures have room for.
fn long(cx: &mut Context, leaf: &Leaf) {
    if leaf.semantic.as_ref().is_some_and(|(name, _)| name.len() > MAX_SEMANTIC)
        && !cx.profile.has(Capability::VulkanBuiltins)
    {
        let message = format!("a semantic has at most {MAX_SEMANTIC} characters in {}", cx.profile.name);
        cx.unsupported(leaf.span, message);
    }
}

fn wide(cx: &mut Context, leaf: &Leaf) {
    let types = &cx.program.types;
    if types.component(types.innermost(leaf.ty)).is_some_and(|s| s.size() == 8) {
        let message = format!("{} has no stage inputs and outputs of 64-bit numbers", cx.profile.name);
        cx.unsupported(leaf.span, message);
    }
}

/// Reports a system value of a type that it cannot have.
fn misfit(cx: &mut Context, point: Point, leaf: &Leaf) {
    let Some((name, _)) = &leaf.semantic else { return };
    let row = NUMBERS.iter().find(|(names, there, ..)| names.contains(&name.as_str()) && there(point));
    let Some((_, _, kinds, least, most, words)) = row else { return };
    let types = &cx.program.types;
    let (scalar, length) = match types.get(types.innermost(leaf.ty)) {
        Type::Scalar(scalar) => (scalar, 1),
        Type::Vector(scalar, length) => (scalar, length),
        _ => return,
    };
    if !kinds.contains(&scalar) || !(*least..=*most).contains(&length) {
        let message = format!("`{}` must be {words} in {}", spelled(name), cx.profile.name);
        cx.unsupported(leaf.span, message);
    }
}

/// Reports matrices that the function of a patch's constants takes as system values: those are in no signature.
fn check_patch_inputs(cx: &mut Context, entry: &EntryPoint) {
    let Some(id) = entry.patch_constant else { return };
    let function = &cx.program.functions[id];
    let mut faults = Vec::new();
    for param in &function.params {
        let local = &function.code.locals[param.local];
        for (semantic, ty) in cx.program.semantic_parts(local.ty, param.semantic) {
            let name = semantic.map(|semantic| semantic.split().0).unwrap_or_default();
            let is_system = NUMBERS.iter().any(|(names, there, ..)| names.contains(&name.as_str()) && there(HullIn));
            if is_system && matches!(cx.program.types.get(ty), Type::Matrix(..)) {
                let (given, name) = (cx.program.type_name(ty), spelled(&name));
                let message = format!("`{name}` is a scalar or a vector in {}, not `{given}`", cx.profile.name);
                faults.push((local.span, message));
            }
        }
    }
    faults.into_iter().for_each(|(span, message)| cx.unsupported(span, message));
}

/// Reports a geometry shader that takes no primitive, of which DXC makes no SPIR-V.
fn check_primitive(cx: &mut Context, entry: &EntryPoint) {
    let Function { params, code, span, .. } = &cx.program.functions[entry.function];
    // The points of a patch are a primitive, too.
    let is_patch = |p: &Param| matches!(cx.program.types.get(code.locals[p.local].ty), Type::Patch(..));
    let takes = |p: &Param| locations::primitive(p.modifiers).is_some() || is_patch(p);
    if entry.stage == Stage::Geometry && cx.profile.has(Capability::VulkanBuiltins) && !params.iter().any(takes) {
        let what = "an input with the word of its primitive, as `triangle`";
        let (span, message) = (*span, format!("a geometry entry point needs {what} in {}", cx.profile.name));
        cx.unsupported(span, message);
    }
}

/// Reports an interpolation that a value cannot have.
fn interpolated(cx: &mut Context, point: Point, leaf: &Leaf) {
    if !BETWEEN.contains(&point) && !matches!(point, MeshOut | PrimitiveOut) {
        return;
    }
    const SMOOTH: [(Modifiers, &str); 4] = [
        (Modifiers::LINEAR, "linear"),
        (Modifiers::NOPERSPECTIVE, "noperspective"),
        (Modifiers::CENTROID, "centroid"),
        (Modifiers::SAMPLE, "sample"),
    ];
    let is_weight = leaf.semantic.as_ref().is_some_and(|(name, _)| name == "SV_BARYCENTRICS");
    let is_position = leaf.semantic.as_ref().is_some_and(|(name, _)| name == "SV_POSITION");
    let types = &cx.program.types;
    let is_whole = types.component(types.innermost(leaf.ty)).is_some_and(|s| !s.is_float());
    let smooth = SMOOTH.iter().find(|(modifier, _)| leaf.modifiers.has(*modifier));
    let is_flat = [Modifiers::NOINTERPOLATION, Modifiers::PERVERTEX].into_iter().any(|m| leaf.modifiers.has(m));
    let message = match smooth.filter(|_| is_whole || point == PrimitiveOut) {
        _ if is_weight && is_flat => format!("`SV_Barycentrics` cannot be `nointerpolation` in {}", cx.profile.name),
        Some((_, word)) if point == PrimitiveOut => {
            format!("an output for each primitive cannot be `{word}` in {}", cx.profile.name)
        }
        _ if is_position && leaf.modifiers.has(Modifiers::NOINTERPOLATION) => {
            format!("`SV_Position` cannot be `nointerpolation` in {}", cx.profile.name)
        }
        Some((_, word)) => format!("integers and bools cannot be `{word}` in {}", cx.profile.name),
        None => return,
    };
    cx.unsupported(leaf.span, message);
}

/// Reports a system value of other tools where none of them has it: D3D has its name elsewhere.
pub(super) fn check_foreign(cx: &mut Context, entry: &EntryPoint) {
    for Place { point, leaf, .. } in places(cx, entry) {
        let Some((name, _)) = &leaf.semantic else { continue };
        let is_renamed =
            system_values::d3d_name(name, cx.profile.version).is_some_and(|known| known.starts_with("SV_"));
        let direction = if way(point).starts_with("an input") { Direction::In } else { Direction::Out };
        if is_renamed && system_values::find(name, entry.stage, direction).is_none() {
            report_misplaced(cx, entry, point, &leaf);
        }
    }
}

/// Reports an index that a system value cannot have where it has a meaning.
fn misnumbered(cx: &mut Context, entry: &EntryPoint, point: Point, leaf: &Leaf) -> bool {
    let Some((name, index)) = &leaf.semantic else { return false };
    let comes_in = way(point).starts_with("an input");
    let largest = LARGEST_INDEX.iter().find(|(semantic, _)| semantic == name).map(|(_, largest)| *largest);
    let is_factor = FACTORS.iter().any(|(_, semantic, _)| semantic == name);
    let is_free = Semantic::is_arbitrary(name, entry.stage, comes_in) || PATCHES.contains(&point) && !is_factor;
    let elements = match cx.program.types.get(leaf.ty) {
        Type::Array(_, Length::Fixed(count)) if point == FragmentOut => count,
        _ => 1,
    };
    let index = index.saturating_add(elements.saturating_sub(1));
    let Some(largest) = largest.filter(|largest| !is_free && index > *largest) else { return false };
    let name = spelled(name);
    let message = format!("`{name}{index}` is not in {}: the largest index is {largest}", cx.profile.name);
    cx.unsupported(leaf.span, message);
    true
}

/// Reports arrays of what DXIL reads by an operation of its own instead of a row of the signature.
fn in_rows(cx: &mut Context, point: Point, leaf: &Leaf) -> bool {
    let Some((name, _)) = &leaf.semantic else { return false };
    let is_element = leaf.path.iter().any(|step| matches!(step, Step::Element(_)));
    let has_rows = is_element || matches!(cx.program.types.get(leaf.ty), Type::Array(..) | Type::Matrix(..));
    if !has_rows || !is_read_alone(point, leaf) {
        return false;
    }
    let name = spelled(name);
    let message = format!("there is one `{name}` here in {}, and no array or matrix of it", cx.profile.name);
    cx.unsupported(leaf.span, message);
    true
}

/// Whether a value comes in by an operation of its own.
fn is_read_alone(point: Point, leaf: &Leaf) -> bool {
    let name = leaf.semantic.as_ref().map_or("", |(name, _)| name.as_str());
    READ_ALONE.iter().any(|(point_of, names)| *point_of == point && names.contains(&name))
}

/// Whether a value is distances to planes.
pub(super) fn is_distance(leaf: &Leaf) -> bool {
    leaf.semantic.as_ref().is_some_and(|(name, _)| DISTANCES.contains(&name.as_str()))
}

/// Whether a value is factors of a tessellation.
pub(super) fn is_factor(leaf: &Leaf) -> bool {
    leaf.semantic.as_ref().is_some_and(|(name, _)| FACTORS.iter().any(|f| f.1 == name))
}

/// Reports components of the vertex numbers of a primitive that are assigned by themselves.
pub(super) fn check_index_components(cx: &mut Context) {
    let mut faults = Vec::new();
    for id in cx.program.reachable_functions() {
        let Function { params, code, .. } = &cx.program.functions[id];
        let is_indices = |p: &&Param| {
            let output = locations::mesh_output(cx.program, p, code.locals[p.local].ty);
            matches!(output, Some((MeshOutputKind::Indices, ..)))
        };
        let indices: Vec<LocalId> = params.iter().filter(is_indices).map(|p| p.local).collect();
        for id in code.expressions().into_iter().filter(|_| !indices.is_empty()) {
            cx.program.each_written(&code.exprs, id, &mut |place| {
                let is_of_indices = code.exprs.base_local(place).is_some_and(|local| indices.contains(&local));
                if is_of_indices && code.exprs.way_to_base(place).count() > 2 {
                    faults.push(code.exprs[place].span);
                }
            });
        }
    }
    for span in faults {
        let message =
            format!("{} has no assignment of one index of a primitive: all are assigned at once", cx.profile.name);
        cx.unsupported(span, message);
    }
}

/// Reports points, which no mesh shader of D3D gives, and system values as semantics of the vertex numbers of primitives: they mean
/// nothing there, but DXC checks them as those of vertices.
fn check_mesh_indices(cx: &mut Context, entry: &EntryPoint) {
    let function = &cx.program.functions[entry.function];
    let mut faults = Vec::new();
    for param in &function.params {
        let local = &function.code.locals[param.local];
        let Some((MeshOutputKind::Indices, element, _)) = locations::mesh_output(cx.program, param, local.ty) else {
            continue;
        };
        let name = param.semantic.map(|semantic| semantic.split().0).unwrap_or_default();
        if !has_place(&name, MeshOut) {
            let name = spelled(&name);
            faults.push((local.span, format!("`{name}` cannot be given to indices in {}", cx.profile.name)));
        }
        if !matches!(cx.program.types.get(element), Type::Vector(_, 2 | 3)) {
            faults.push((local.span, format!("{} has no mesh shaders that give points", cx.profile.name)));
        }
    }
    faults.into_iter().for_each(|(span, message)| cx.unsupported(span, message));
}

/// Whether D3D has a semantic somewhere.
fn has_place(name: &str, point: Point) -> bool {
    let row = SYSTEM_VALUES.iter().find(|(semantic, _)| *semantic == name);
    let points = row.map_or(if name.starts_with("SV_") { &[] } else { PASSED }, |(_, points)| points);
    points.iter().any(|group| group.contains(&point))
}

/// Reports a semantic where D3D has it not.
fn misplaced(cx: &mut Context, entry: &EntryPoint, point: Point, leaf: &Leaf) -> bool {
    let Some((name, _)) = &leaf.semantic else { return false };
    if has_place(name, point) {
        return false;
    }
    report_misplaced(cx, entry, point, leaf);
    true
}

fn report_misplaced(cx: &mut Context, entry: &EntryPoint, point: Point, leaf: &Leaf) {
    let Some((name, index)) = &leaf.semantic else { return };
    // What the target has nowhere has been told of.
    if cx.diags.list().iter().any(|d| d.span == Some(leaf.span) && d.severity == Severity::Error) {
        return;
    }
    let number = if *index == 0 { String::new() } else { index.to_string() };
    let (stage, what) = (entry.stage.name(), way(point));
    let message = format!("`{}{number}` cannot be {what} of the {stage} stage in {}", spelled(name), cx.profile.name);
    let mut error = Diagnostic::error(Code::CAPABILITY, leaf.span, message);
    if let Some((_, now)) = OLD.iter().find(|(old, _)| point == FragmentOut && old == name) {
        let now = spelled(now);
        error = error.note(format!("`{now}{number}` is what it is called since Direct3D 10"));
    }
    if let Some((_, call)) = CALLS.iter().find(|(semantic, _)| semantic == name) {
        error = error.note(format!("`{call}` returns it"));
    }
    if let Some(similar) = system_values::similar(name) {
        error = error.note(format!("there is `{}`", spelled(similar)));
    }
    cx.diags.push(error);
}

fn way(point: Point) -> &'static str {
    match point {
        VertexIn | HullIn | DomainIn | GeometryIn | FragmentIn | GroupIn | TaskIn | MeshIn => "an input",
        HullPointIn | DomainPointIn => "an input for each control point",
        GeometryVertexIn => "an input for each vertex",
        VertexOut | DomainOut | GeometryOut | FragmentOut => "an output",
        HullOut => "an output for each control point",
        PatchOut => "an output for each patch",
        MeshOut => "an output for each vertex",
        PrimitiveOut => "an output for each primitive",
    }
}

/// How long the name of a semantic may be, without its index (DXIL, "Signature").
pub(super) const MAX_SEMANTIC: usize = 64;

pub(super) const DISTANCES: [&str; 2] = ["SV_CLIPDISTANCE", "SV_CULLDISTANCE"];

/// Rows, and numbers in each.
pub(super) type RowShape = (u32, u32);

/// An array has no depth that a type has not.
pub(super) fn shape(program: &Program, ty: TypeId) -> RowShape {
    match program.types.get(ty) {
        Type::Array(element, n) => {
            let (rows, columns) = shape(program, element);
            (rows.saturating_mul(n.laid_out().unwrap_or(1)), columns)
        }
        Type::Vector(_, n) => (1, n.into()),
        Type::Matrix(_, rows, columns) => {
            let vectors = indices_of_matrix(program.default_matrix_order, rows, columns);
            (vectors, u32::from(rows) * u32::from(columns) / vectors.max(1))
        }
        _ => (1, 1),
    }
}

/// Whether distances have room in two rows of four: those of two rows side by side, the others in one row or the other.
pub(super) fn fit(shapes: &[RowShape]) -> bool {
    let (both, one): (Vec<RowShape>, Vec<RowShape>) = shapes.iter().partition(|(rows, _)| *rows > 1);
    let columns: u32 = both.iter().fold(0, |sum, (_, columns)| sum.saturating_add(*columns));
    let free = 4u32.checked_sub(columns).filter(|_| both.iter().all(|(rows, _)| *rows == 2));
    let Some(free) = free else { return false };
    // Every way to choose what lies in the first row: there are at most eight.
    let all: u32 = one.iter().fold(0, |sum, (_, columns)| sum.saturating_add(*columns));
    let firsts = one.iter().fold(vec![0u32], |sums, (_, columns)| {
        let mut more: Vec<u32> = sums.iter().map(|s| s.saturating_add(*columns)).filter(|s| *s <= free).collect();
        more.extend(sums);
        more.sort_unstable();
        more.dedup();
        more
    });
    firsts.iter().any(|first| all - first <= free)
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn distances_fit() {
        // As DXC answers.
        for (shapes, fits) in [
            (&[(1, 3), (1, 2)][..], true),
            (&[(1, 4), (1, 4)], true),
            (&[(1, 3), (1, 3), (1, 2)], false),
            (&[(2, 1), (1, 3), (1, 3)], true),
            (&[(2, 1), (1, 4)], false),
            (&[(2, 4)], true),
            (&[(2, 4), (1, 1)], false),
            (&[(3, 1)], false),
        ] {
            assert_eq!(fit(shapes), fits, "{shapes:?}");
        }
    }
}
