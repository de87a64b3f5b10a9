//! Faults of the locations of stage inputs and outputs.

use super::locations::{self, LAST, TARGET, Varying, VaryingPart, mesh_output, primitive};
use super::{Api, Settings, Unit, patches};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::target::Numbers;
use crate::tree::{
    AttributeArg, EntryPoint, ExprId, ExprKind, Field, Function, GlobalKind, Length, MeshOutputKind, Program, Scalar,
    Semantic, Stage, StreamKind, StructId, Type, TypeId, Types, is_uniform, spelled,
};
use std::collections::BTreeSet;

/// Reports structs among stage inputs and outputs of which some fields say their location and some do not: which of them the
/// others would follow is not clear.
pub fn check(program: &Program, diags: &mut Diagnostics) {
    check_parameters(program, diags);
    let mut seen = BTreeSet::new();
    for entry in &program.entry_points {
        for id in entry.roots().flat_map(|f| structs(program, &program.functions[f])) {
            if seen.insert(id) {
                check_struct(program, &program.structs[id].fields, diags);
            }
        }
    }
}

/// Warns of locations of what is not a stage input or output, as Slang does.
fn check_parameters(program: &Program, diags: &mut Diagnostics) {
    let globals = program.globals.iter().filter(|(_, g)| g.kind == GlobalKind::Parameter);
    let globals = globals.map(|(_, g)| (g.name, &g.explicit));
    let functions = program.entry_points.iter().map(|e| &program.functions[e.function]);
    let uniform = functions.flat_map(|f| {
        let locals = f.params.iter().map(|p| (p, &f.code.locals[p.local]));
        locals.filter(|(p, local)| is_uniform(program, p, local.ty)).map(|(p, local)| (local.name, &p.explicit))
    });
    for (name, explicit) in globals.chain(uniform) {
        if let Some((_, span)) = explicit.location {
            let message = format!("the location of `{name}` is ignored: only stage inputs and outputs have one");
            diags.push(Diagnostic::warning(Code::BAD_ATTRIBUTE, span, message));
        }
    }
}

const IN_AND_OUT: [Unit; 2] = [Unit::VaryingInput, Unit::VaryingOutput];

/// Stage inputs or outputs that have one place, or none.
pub fn faults(program: &Program, settings: &Settings, most: &Numbers, found: &mut Vec<Diagnostic>) {
    for entry in &program.entry_points {
        let all = locations::varyings(program, settings, entry);
        without_neighbours(program, entry.stage, &all, found);
        outputs(program, settings, entry, found);
        let (inputs, outputs): (Vec<_>, Vec<_>) =
            all.into_iter().filter(|v| IN_AND_OUT.contains(&v.unit)).partition(|v| v.unit == Unit::VaryingInput);
        let (mut outputs, mut constants) = (outputs, locations::patch_constants(program, settings, entry));
        // The locations of a patch are those of its points, too.
        if settings.api != Api::D3d {
            outputs.append(&mut constants);
        }
        for signature in [inputs, outputs, constants] {
            let mut list = Vec::new();
            let mut elements = Vec::new();
            for varying in &signature {
                varying.part.walk(&mut Vec::new(), &mut |part, around| {
                    let is_struct = matches!(program.types.get(part.ty), Type::Struct(_));
                    let has_parts = is_struct || around.is_empty() && varying.many.is_some();
                    list.extend((!has_parts).then_some(part));
                    elements.extend(part.parts.first().filter(|_| !has_parts));
                    has_parts
                });
            }
            // The fields of a struct in an array meet each other in each element.
            for element in elements {
                let mut list = Vec::new();
                element.walk(&mut Vec::new(), &mut |part, _| {
                    list.extend(part.parts.is_empty().then_some(part));
                    true
                });
                InterfaceLeaves { types: &program.types, settings, list }.check(most, found);
            }
            // A mesh may give vertices anything by the name of the position.
            let of_mesh = entry.stage == Stage::Vertex && signature.iter().all(|v| v.unit == Unit::VaryingInput);
            if !matches!(entry.stage, Stage::Hull | Stage::Domain) {
                found.extend(list.iter().filter_map(|leaf| factor(entry.stage, leaf)));
            }
            let is_attribute =
                |leaf: &VaryingPart| of_mesh && leaf.semantic.as_ref().is_some_and(|(name, _)| !is_drawn(name));
            found.extend(list.iter().filter(|leaf| !is_attribute(leaf)).filter_map(|leaf| misfit(program, leaf)));
            let given = entry.stage == Stage::Fragment && signature.iter().all(|v| v.unit == Unit::VaryingOutput);
            found.extend(list.iter().filter(|_| given).filter_map(|leaf| wide_target(program, leaf)));
            found.extend(given.then(|| second_depth(&list)).flatten());
            if settings.api == Api::D3d && entry.stage == Stage::Fragment && !given {
                found.extend(both_coverages(&list));
            }
            if settings.api != Api::D3d {
                found.extend(list.iter().filter(|_| given).filter_map(|leaf| far_target(leaf)));
            }
            InterfaceLeaves { types: &program.types, settings, list }.check(most, found);
        }
    }
}

/// What a stage takes beside system values.
fn inputs_of(stage: Stage) -> Option<&'static str> {
    match stage {
        Stage::Compute | Stage::Amplification | Stage::Mesh => {
            Some("its inputs are system values; `uniform` makes a parameter of it")
        }
        Stage::Hull => Some("its inputs are an `InputPatch` and system values"),
        Stage::Geometry => Some("its inputs are the vertices of a primitive and system values"),
        Stage::Vertex
        | Stage::Domain
        | Stage::Fragment
        | Stage::RayGeneration
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => None,
    }
}

/// A stage of groups has no stage before it that gives it something for each invocation, and gives nothing to one after it
/// but what a mesh shader has arrays of. A stage of primitives is given something for each vertex.
fn without_neighbours(program: &Program, stage: Stage, all: &[Varying], found: &mut Vec<Diagnostic>) {
    let Some(note) = inputs_of(stage) else { return };
    // What a geometry shader gives goes to its streams.
    let gives_none = matches!(stage, Stage::Compute | Stage::Amplification | Stage::Mesh | Stage::Geometry);
    for varying in all.iter().filter(|v| IN_AND_OUT.contains(&v.unit) && v.many.is_none()) {
        varying.part.walk(&mut Vec::new(), &mut |part, _| {
            let is_system = part
                .semantic
                .as_ref()
                .is_some_and(|(name, _)| name.starts_with("SV_") && !Semantic::is_arbitrary(name, stage, true));
            // What a mesh shader takes without a semantic is its payload.
            let is_payload = stage == Stage::Mesh && part.semantic.is_none();
            // A struct without fields is nothing.
            let is_leaf = part.parts.is_empty() && !matches!(program.types.get(part.ty), Type::Struct(_));
            let is_given = varying.unit == Unit::VaryingOutput;
            let is_fault = is_given && gives_none || !is_given && is_leaf && !is_system && !is_payload;
            if is_fault {
                let way = if varying.unit == Unit::VaryingOutput { "an output" } else { "an input" };
                let message = format!("`{}` cannot be {way} of a {} shader", part.name, stage.name());
                let error = Diagnostic::error(Code::BAD_ENTRY, part.span, message);
                found.push(match varying.unit {
                    Unit::VaryingInput => error.note(note),
                    _ if stage == Stage::Geometry => error.note("it appends to its streams"),
                    _ => error,
                });
            }
            !is_fault
        });
    }
}

/// Factors of a patch, in a stage that has no patches.
fn factor(stage: Stage, leaf: &VaryingPart) -> Option<Diagnostic> {
    let (name, _) = leaf.semantic.as_ref().filter(|(name, _)| locations::FACTORS.contains(&name.as_str()))?;
    let message = format!("`{}` is of patches, which a {} shader has none of", spelled(name), stage.name());
    Some(Diagnostic::error(Code::BAD_ENTRY, leaf.span, message))
}

/// Whether a system value is one that a draw gives its vertices.
fn is_drawn(name: &str) -> bool {
    name.ends_with("ID") || name.starts_with("SV_START")
}

/// System values that are floats on every target.
const FLOATS: &[&str] = &["SV_POSITION", "SV_CLIPDISTANCE", "SV_CULLDISTANCE", "SV_TESSFACTOR", "SV_INSIDETESSFACTOR"];

/// System values that a matrix of one row or column may hold, as in DXC, with how many floats it must be of.
const IN_MATRICES: &[(&str, Option<u8>)] = &[
    ("SV_TARGET", None),
    ("SV_POSITION", Some(4)),
    ("SV_DEPTH", Some(1)),
    ("SV_DEPTHGREATEREQUAL", Some(1)),
    ("SV_DEPTHLESSEQUAL", Some(1)),
];

/// Whether a value is a matrix that is stored as one vector, which is the system value.
fn is_one_vector(program: &Program, leaf: &VaryingPart, name: &str) -> bool {
    let (scalar, length) = match program.types.get(leaf.ty) {
        Type::Matrix(scalar, 1, n) | Type::Matrix(scalar, n, 1) => (scalar, n),
        _ => return false,
    };
    let takes = |floats: Option<u8>| floats.is_none_or(|floats| floats == length && scalar.is_float());
    leaf.indices == 1 && IN_MATRICES.iter().any(|(known, floats)| *known == name && takes(*floats))
}

/// A system value of a type that no target has it in.
fn misfit(program: &Program, leaf: &VaryingPart) -> Option<Diagnostic> {
    let (name, _) = leaf.semantic.as_ref().filter(|(name, _)| name.starts_with("SV_"))?;
    let innermost = program.types.innermost(leaf.ty);
    let must = match program.types.get(innermost) {
        Type::Matrix(..) if !is_one_vector(program, leaf, name) => "a number or vector",
        Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, ..)
            if FLOATS.contains(&name.as_str()) && !(s.is_float() && s.size() <= 4) =>
        {
            "of `float`"
        }
        // No signature converts it.
        Type::Scalar(s) | Type::Vector(s, 2..) if name == "SV_DOMAINLOCATION" && s != Scalar::F32 => "of `float`",
        Type::Vector(_, 1) if name == "SV_DOMAINLOCATION" => "a number or vector of several",
        _ => return None,
    };
    Some(Diagnostic::error(
        Code::BAD_ENTRY,
        leaf.span,
        format!("`{}` must be {must}, which `{}` is not", spelled(name), leaf.name),
    ))
}

/// A value of 64-bit numbers that a fragment shader gives: no render target holds them.
fn wide_target(program: &Program, leaf: &VaryingPart) -> Option<Diagnostic> {
    let scalar = program.types.component(program.types.innermost(leaf.ty)).filter(|s| s.size() == 8)?;
    let message = format!("`{}` is of `{}`, which no render target holds", leaf.name, scalar.name());
    Some(Diagnostic::error(Code::BAD_ENTRY, leaf.span, message))
}

/// A second depth that a fragment shader gives: the semantics differ in what is promised of it.
fn second_depth(list: &[&VaryingPart]) -> Option<Diagnostic> {
    const DEPTHS: &[&str] = &["SV_DEPTH", "SV_DEPTHGREATEREQUAL", "SV_DEPTHLESSEQUAL"];
    let is_depth =
        |leaf: &&&VaryingPart| leaf.semantic.as_ref().is_some_and(|(name, _)| DEPTHS.contains(&name.as_str()));
    let mut depths = list.iter().filter(is_depth);
    let (first, second) = (depths.next()?, depths.next()?);
    let message = format!("`{}` is a second depth of one entry point", second.name);
    Some(Diagnostic::error(Code::BAD_ENTRY, second.span, message).label(first.span, "the first one"))
}

/// What is covered of a pixel, beside whether it is covered as a whole: D3D gives a shader one of both (Direct3D 11.3
/// specification, "Inner Coverage").
fn both_coverages(list: &[&VaryingPart]) -> Option<Diagnostic> {
    let of = |name: &str| list.iter().find(|leaf| leaf.semantic.as_ref().is_some_and(|(own, _)| own == name));
    let (inner, samples) = (of("SV_INNERCOVERAGE")?, of("SV_COVERAGE")?);
    let message = format!("`{}` is `SV_InnerCoverage`, which a shader has not beside `SV_Coverage`", inner.name);
    Some(Diagnostic::error(Code::BAD_ENTRY, inner.span, message).label(samples.span, "`SV_Coverage`"))
}

/// The last location of a render target that compilers of GLSL take.
const LAST_TARGET: u32 = 31;

/// A location that no render target has.
fn far_target(leaf: &VaryingPart) -> Option<Diagnostic> {
    let last = leaf.in_text().last().filter(|last| *last > LAST_TARGET)?;
    let message = format!("`{}` goes to the render target {last}", leaf.name);
    let note = format!("the last one is {LAST_TARGET}");
    Some(Diagnostic::error(Code::BINDING_EXHAUSTED, leaf.span, message).note(note))
}

/// The most vertices or primitives of a group of a mesh shader.
const MESH_OUTPUTS: u32 = 256;

/// How many vertices a primitive of a geometry shader has.
fn vertices(word: &'static str) -> Option<(&'static str, u32)> {
    const VERTICES: &[(&str, u32)] = &[("point", 1), ("line", 2), ("triangle", 3), ("lineadj", 4), ("triangleadj", 6)];
    VERTICES.iter().find(|(name, _)| *name == word).copied()
}

/// What a stage that gives primitives or groups cannot be without, and has too many of.
fn outputs(program: &Program, settings: &Settings, entry: &EntryPoint, found: &mut Vec<Diagnostic>) {
    let function = &program.functions[entry.function];
    let params = || function.params.iter().map(|p| (p, &function.code.locals[p.local]));
    let mut fault = |span, message: String| found.push(Diagnostic::error(Code::BAD_ENTRY, span, message));
    match entry.stage {
        Stage::Geometry => primitives(program, function, &mut fault),
        Stage::Mesh => {
            for (param, local) in params() {
                let count = mesh_output(program, param, local.ty).and_then(|(.., count)| count);
                if let Some(count) = count.filter(|n| *n > MESH_OUTPUTS) {
                    let most = format!("a mesh shader gives at most {MESH_OUTPUTS}");
                    fault(local.span, format!("`{}` has {count} elements; {most}", local.name));
                }
            }
            mesh_arrays(program, function, &mut fault);
            let written = |id: &ExprId| match function.code.exprs[*id].kind {
                ExprKind::Local(local) => {
                    params().any(|(p, l)| p.local == local && mesh_output(program, p, l.ty).is_some())
                }
                _ => false,
            };
            let gives = function.code.expressions().iter().any(written);
            if gives && program.analyses().calls_once(entry).is_empty() {
                fault(function.span, "a mesh entry point needs a call that sets how many it gives".to_owned());
            }
        }
        Stage::Amplification => match program.analyses().calls_once(entry).as_slice() {
            [] => fault(
                function.span,
                "an amplification entry point needs a call that starts groups of the mesh shader".to_owned(),
            ),
            [_, second, ..] if settings.api == Api::D3d => {
                fault(*second, "groups of the mesh shader are started at one place here".to_owned());
            }
            _ => {}
        },
        Stage::Hull => patches::faults(program, settings, entry, &mut fault),
        Stage::Vertex
        | Stage::Domain
        | Stage::Fragment
        | Stage::Compute
        | Stage::RayGeneration
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => {}
    }
}

/// What a geometry shader takes is a primitive, and what it gives goes to its streams.
fn primitives(program: &Program, function: &Function, fault: &mut impl FnMut(Span, String)) {
    let params = || function.params.iter().map(|p| (p, &function.code.locals[p.local]));
    let mut first = None;
    for (param, local) in params() {
        let Some((word, wanted)) = primitive(param.modifiers).and_then(vertices) else { continue };
        let before = *first.get_or_insert(word);
        if before != word {
            fault(local.span, format!("`{}` is of a `{word}`, and what comes in is a `{before}`", local.name));
        }
        if let Type::Array(_, Length::Fixed(n)) = program.types.get(local.ty)
            && n != wanted
        {
            fault(local.span, format!("`{}` has {n} vertices, and a `{word}` has {wanted}", local.name));
        }
    }
    let stream = |ty: TypeId| if let Type::Stream(kind, _) = program.types.get(ty) { Some(kind) } else { None };
    let streams: Vec<_> = params().filter_map(|(_, local)| Some((local, stream(local.ty)?))).collect();
    if streams.is_empty() {
        fault(function.span, "a geometry entry point needs a stream".to_owned());
    }
    if let (true, Some((local, _))) = (streams.len() > 1, streams.iter().find(|(_, kind)| *kind != StreamKind::Point)) {
        fault(local.span, format!("`{}` is one of several streams, which are all of points", local.name));
    }
}

/// (the word of `[outputtopology]`, how many vertices a primitive has).
const TOPOLOGIES: &[(&str, u8)] = &[("point", 1), ("line", 2), ("triangle", 3)];

/// What does not fit together among the arrays of a mesh shader: each is there once at most; indices are of
/// the topology, and there is something for each primitive.
fn mesh_arrays(program: &Program, function: &Function, fault: &mut impl FnMut(Span, String)) {
    let locals = function.params.iter().map(|p| (p, &function.code.locals[p.local]));
    let arrays = locals.filter_map(|(p, l)| mesh_output(program, p, l.ty).map(|(kind, ..)| (kind, l, p)));
    let arrays: Vec<_> = arrays.collect();
    let of = |wanted: MeshOutputKind| arrays.iter().filter(move |(kind, ..)| *kind == wanted);
    let each = [
        (MeshOutputKind::Vertices, "vertices"),
        (MeshOutputKind::Indices, "indices"),
        (MeshOutputKind::Primitives, "primitives"),
    ];
    for (kind, word) in each {
        if let Some((_, second, _)) = of(kind).nth(1) {
            fault(second.span, format!("`{}`: a mesh entry point has one array of {word}", second.name));
        }
    }
    let Some((_, indices, param)) = of(MeshOutputKind::Indices).next() else { return };
    let Some((_, element, count)) = mesh_output(program, param, indices.ty) else { return };
    let word = function.attribute("outputtopology").and_then(|a| match a.args.first()? {
        AttributeArg::Text(word) | AttributeArg::Name(word) => Some(word.as_str().to_ascii_lowercase()),
        AttributeArg::Int(_) | AttributeArg::Float(_) => None,
    });
    let wanted = TOPOLOGIES.iter().find(|(topology, _)| word.as_deref() == Some(topology));
    let is_given = |n: u8| match program.types.get(element) {
        Type::Scalar(Scalar::U32) => n == 1,
        other => other == Type::Vector(Scalar::U32, n),
    };
    if let Some((topology, n)) = wanted.filter(|(_, n)| !is_given(*n)) {
        let ty = if *n == 1 { "uint".to_owned() } else { format!("uint{n}") };
        let message = format!("the elements of `{}` must be `{ty}` for the topology `{topology}`", indices.name);
        fault(indices.span, message);
    }
    if let Some((_, primitives, param)) = of(MeshOutputKind::Primitives).next()
        && let Some((.., Some(there))) = mesh_output(program, param, primitives.ty)
        && count.is_some_and(|count| count != there)
    {
        let message = format!("`{}` has {there} elements, and `{}` another number", primitives.name, indices.name);
        fault(primitives.span, message);
    }
}

/// The leaves of a stage's inputs or outputs: what is no struct, arrays of structs as a whole.
struct InterfaceLeaves<'a> {
    types: &'a Types,
    settings: &'a Settings,
    list: Vec<&'a VaryingPart>,
}

impl VaryingPart {
    /// The location that the source gives it, and which of two outputs there it is.
    fn given(&self) -> Option<(u32, u32)> {
        self.asked.then_some((self.start, self.index.unwrap_or(0)))
    }

    /// How many locations or indices of its semantic it has, of which everything has one.
    fn places(&self) -> u32 {
        self.count.max(1)
    }

    /// Its locations, as many as it has in a text; none for system values.
    fn in_text(&self) -> std::ops::Range<u32> {
        self.start..self.start.saturating_add(self.emitted)
    }
}

impl InterfaceLeaves<'_> {
    fn check(&self, most: &Numbers, found: &mut Vec<Diagnostic>) {
        for (at, leaf) in self.list.iter().enumerate() {
            let before = self.list.get(..at).unwrap_or_default();
            if let Some(place) = self.place(leaf) {
                let meeting = |l: &&VaryingPart| self.place(l).is_some_and(|p| meets(&p, &place));
                let met: Vec<&VaryingPart> = before.iter().copied().filter(meeting).collect();
                let names: Vec<String> = met.iter().map(|l| format!("`{}`", l.name)).collect();
                if !met.is_empty() {
                    let message =
                        format!("`{}` and {} have one position: {}", leaf.name, names.join(", "), place.text());
                    let error = Diagnostic::error(Code::BINDING_OVERLAP, leaf.span, message);
                    let text = |l: &VaryingPart| self.place(l).map_or(String::new(), |p| p.text());
                    found.push(met.iter().fold(error, |error, l| error.label(l.span, text(l))));
                }
            }
            self.check_text(leaf, found);
            self.check_locations(leaf, before, found);
            self.check_sources(leaf, before, found);
            let (count, location) = (leaf.places(), leaf.given());
            let end = location.filter(|_| self.settings.api != Api::D3d);
            let end = end.map_or(0, |(start, _)| u64::from(start) + u64::from(count) - 1);
            let system = leaf.semantic.as_ref().is_some_and(|(name, _)| name.starts_with("SV_"));
            if end > most.location.into() || count > MOST && !system {
                let message = format!("`{}` takes {count} locations of stage inputs or outputs", leaf.name);
                let note = match location {
                    Some((start, _)) => format!("from {start} on; the last is {}", most.location.min(LAST)),
                    None => format!("a stage has at most {MOST}"),
                };
                found.push(Diagnostic::error(Code::BINDING_EXHAUSTED, leaf.span, message).note(note));
            }
        }
    }

    /// What is located by its order, and something else is there by its number.
    fn check_locations(&self, leaf: &VaryingPart, before: &[&VaryingPart], found: &mut Vec<Diagnostic>) {
        let range = |l: &VaryingPart| l.start..l.start.saturating_add(l.count);
        let here = range(leaf);
        let source = |l: &VaryingPart| l.index.unwrap_or(0);
        let meets = |l: &&&VaryingPart| {
            range(l).start < here.end && here.start < range(l).end && source(l) == source(leaf) && !here.is_empty()
        };
        // Those of one kind, by number or by semantic, are compared by what the source says of them.
        let kind = |l: &VaryingPart| self.place(l).map(|place| place.name);
        let other = |l: &&&VaryingPart| kind(l).is_none() || kind(l) != kind(leaf);
        if self.settings.api != Api::D3d
            && let Some(met) = before.iter().filter(other).find(meets)
        {
            let message = format!("`{}` and `{}` have one position: location {}", leaf.name, met.name, here.start);
            let error = Diagnostic::error(Code::BINDING_OVERLAP, leaf.span, message);
            let note = match leaf.asked || met.asked {
                true => "an explicit location is one that nothing else has",
                false => "a semantic for both tells them apart",
            };
            found.push(error.label(met.span, "this one is there").note(note));
        }
    }

    /// Two sources of blending are of one location and type; Vulkan asks for one kind of numbers alone.
    fn check_sources(&self, leaf: &VaryingPart, before: &[&VaryingPart], found: &mut Vec<Diagnostic>) {
        let range = |l: &VaryingPart| l.start..l.start.saturating_add(l.count);
        let is_other = |l: &&&VaryingPart| {
            let meets = range(l).start < range(leaf).end && range(leaf).start < range(l).end;
            meets && l.index.unwrap_or(0) != leaf.index.unwrap_or(0)
        };
        let types = self.types;
        let differs = |l: &&&VaryingPart| match self.settings.api.is_webgpu() {
            true => l.ty != leaf.ty,
            false => types.component(types.innermost(l.ty)) != types.component(types.innermost(leaf.ty)),
        };
        if self.settings.api != Api::D3d
            && let Some(other) = before.iter().filter(is_other).find(differs)
        {
            let message = format!("`{}` and `{}` have one location, and are not of one type", leaf.name, other.name);
            found.push(Diagnostic::error(Code::BAD_ENTRY, leaf.span, message).label(other.span, "the other source"));
        }
    }

    /// What a policy counts fewer locations for than a text needs, if another one has them.
    fn check_text(&self, leaf: &VaryingPart, found: &mut Vec<Diagnostic>) {
        let (here, count) = (leaf.in_text(), leaf.places());
        let needs = here.len() as u32;
        if self.settings.api == Api::D3d || needs <= count {
            return;
        }
        let others = self.list.iter().copied().filter(|l| !std::ptr::eq(*l, leaf));
        let meets = |l: &&VaryingPart| l.in_text().start < here.end && here.start < l.in_text().end;
        let met: Vec<&VaryingPart> = others.filter(meets).collect();
        // Elements of an array meet each other there.
        let element_wise = self.settings.api.facts().element_wise && !leaf.parts.is_empty();
        if met.is_empty() && !(element_wise && leaf.emitted > leaf.count) {
            return;
        }
        let (name, policy) = (leaf.name, self.settings.policy.name);
        let message = format!("`{name}` needs {needs} locations here, `{policy}` counts {count}");
        let error = Diagnostic::error(Code::BINDING_OVERLAP, leaf.span, message);
        let error =
            met.iter().fold(error, |error, l| error.label(l.span, format!("this one is at location {}", l.start)));
        found.push(error.note(format!("`{name}`: from location {} on", leaf.start)));
    }

    /// What nothing else may have: the location that is asked for, and the render target. On D3D, semantics differ.
    fn place(&self, leaf: &VaryingPart) -> Option<TakenRange> {
        let by_order = self.settings.policy.stage_io.targets_by_order;
        match (&leaf.semantic, leaf.given()) {
            _ if self.settings.api == Api::D3d => None,
            (_, Some((start, index))) => {
                Some(TakenRange { name: "location".to_owned(), start, count: leaf.places(), index })
            }
            (Some((name, start)), None) if name == TARGET && !by_order => {
                Some(TakenRange { name: name.clone(), start: *start, count: leaf.places(), index: 0 })
            }
            _ => None,
        }
    }
}

/// A range of semantics or locations.
struct TakenRange {
    name: String,
    start: u32,
    count: u32,
    index: u32,
}

impl TakenRange {
    fn text(&self) -> String {
        let TakenRange { name, start, count, .. } = self;
        match count {
            1 => format!("{name} {start}"),
            _ => format!("{name} {start} to {}", start.saturating_add(count - 1)),
        }
    }
}

fn meets(a: &TakenRange, b: &TakenRange) -> bool {
    let end = |t: &TakenRange| t.start.saturating_add(t.count);
    a.name == b.name && a.index == b.index && a.start < end(b) && b.start < end(a)
}

/// More inputs or outputs than this not a stage of any API has.
const MOST: u32 = 64;

/// The indices of the render targets of all entry points: the first, and how many follow it.
pub fn targets(program: &Program, settings: &Settings) -> Vec<(u32, u32)> {
    let mut list = Vec::new();
    for entry in program.entry_points.iter().filter(|e| e.stage == Stage::Fragment) {
        let all = locations::varyings(program, settings, entry);
        for varying in all.iter().filter(|v| v.unit == Unit::VaryingOutput) {
            varying.part.walk(&mut Vec::new(), &mut |part, _| {
                let target = part.semantic.as_ref().filter(|(name, _)| name == TARGET);
                list.extend(target.map(|(_, index)| (*index, part.indices.min(LAST))));
                part.semantic.is_none() && matches!(program.types.get(part.ty), Type::Struct(_))
            });
        }
    }
    list
}

fn structs(program: &Program, function: &Function) -> Vec<StructId> {
    let params = function.params.iter().map(|p| (p, function.code.locals[p.local].ty));
    let varying = params.filter(|(p, ty)| !is_uniform(program, p, *ty)).map(|(_, ty)| ty);
    let types = varying.chain([function.result]).map(|ty| program.types.get(program.types.innermost(ty)));
    types.filter_map(|ty| if let Type::Struct(id) = ty { Some(id) } else { None }).collect()
}

/// How deep structs in structs are looked into.
const DEPTH: u32 = 16;

/// Whether all that a field holds has explicit locations, but for system values.
fn has_location(program: &Program, field: &Field, depth: u32) -> bool {
    let inner = fields_of(program, field, depth);
    let is_placed = |f: &Field| is_system_field(program, f, depth - 1) || has_location(program, f, depth - 1);
    field.explicit.location.is_some() || !inner.is_empty() && inner.iter().all(is_placed)
}

/// Whether a field is a system value, or a struct of such.
fn is_system_field(program: &Program, field: &Field, depth: u32) -> bool {
    let inner = fields_of(program, field, depth);
    field.explicit.builtin.is_some()
        || field.semantic.as_ref().is_some_and(is_system)
        || !inner.is_empty() && inner.iter().all(|f| is_system_field(program, f, depth - 1))
}

fn fields_of<'p>(program: &'p Program, field: &Field, depth: u32) -> &'p [Field] {
    match program.types.get(program.types.innermost(field.ty)) {
        Type::Struct(id) if depth > 0 => &program.structs[id].fields,
        _ => &[],
    }
}

fn check_struct(program: &Program, fields: &[Field], diags: &mut Diagnostics) {
    let user = fields.iter().filter(|f| !is_system_field(program, f, DEPTH));
    let (with, without): (Vec<&Field>, Vec<&Field>) = user.partition(|f| has_location(program, f, DEPTH));
    if let ([first, ..], [other, ..]) = (with.as_slice(), without.as_slice()) {
        let message = format!("`{}` has an explicit location and `{}` does not", first.name, other.name);
        let diagnostic = Diagnostic::error(Code::BAD_ATTRIBUTE, other.span, message);
        let note = "in one struct either all of the fields have explicit locations, or none has";
        diags.push(diagnostic.label(first.span, "this one has it").note(note));
    }
}

fn is_system(semantic: &Semantic) -> bool {
    semantic.is_system() && semantic.split().0 != TARGET
}
