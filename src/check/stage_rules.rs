//! What an entry point must say of itself for its stage, and the numbers that no implementation goes beyond.

use super::Checker;
use super::attributes::find;
use super::function::param_mode;
use super::scope::has_modifier;
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Attribute, AttributeArg, Function, FunctionId, GlobalId, GlobalKind, Length, MESH_ARRAYS, Modifiers, ParamMode,
    Scalar, Semantic, Stage, Type, TypeId, spelled,
};

/// The attributes that a stage needs: their names, and how they are written.
fn needed(stage: Stage) -> &'static [(&'static str, &'static str)] {
    const DOMAIN: (&str, &str) = ("domain", "`[domain(\"tri\")]`, `quad` or `isoline`");
    match stage {
        Stage::Geometry => &[("maxvertexcount", "`[maxvertexcount(n)]`")],
        Stage::Hull => &[
            DOMAIN,
            ("partitioning", "`[partitioning(\"integer\")]` or another one"),
            ("outputtopology", "`[outputtopology(\"triangle_cw\")]` or another one"),
            ("outputcontrolpoints", "`[outputcontrolpoints(n)]`"),
        ],
        Stage::Domain => &[DOMAIN],
        Stage::Mesh => &[("outputtopology", "`[outputtopology(\"triangle\")]` or `line`")],
        Stage::Vertex
        | Stage::Fragment
        | Stage::Compute
        | Stage::Amplification
        | Stage::RayGeneration
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => &[],
    }
}

/// The largest numbers of attributes.
const LARGEST: &[(&str, i64)] = &[("maxvertexcount", 1024), ("outputcontrolpoints", 32), ("instance", 32)];

/// The largest sizes of a group, and the most invocations; of stages that have groups.
const GROUP_LIMITS: &[(Stage, [u32; 3], u64)] =
    &[(Stage::Compute, [1024, 1024, 64], 1024), (Stage::Mesh, [128; 3], 128), (Stage::Amplification, [128; 3], 128)];

fn group_limits(stage: Stage) -> Option<([u32; 3], u64)> {
    GROUP_LIMITS.iter().find(|(s, ..)| *s == stage).map(|(_, sizes, count)| (*sizes, *count))
}

/// What the vertices of a geometry entry point are of.
const PRIMITIVES: &[(Modifiers, &str)] = &[
    (Modifiers::POINT, "point"),
    (Modifiers::LINE, "line"),
    (Modifiers::TRIANGLE, "triangle"),
    (Modifiers::LINEADJ, "lineadj"),
    (Modifiers::TRIANGLEADJ, "triangleadj"),
];

/// (domain, what its patches become).
const TOPOLOGIES: &[(&str, &[&str])] = &[
    ("tri", &["point", "triangle_cw", "triangle_ccw"]),
    ("quad", &["point", "triangle_cw", "triangle_ccw"]),
    ("isoline", &["point", "line"]),
];

/// The largest factor of tessellation; the least is one.
const MOST_FACTOR: f64 = 64.0;

/// Reports what the tessellator of a hull shader cannot do.
fn topology(declared: &Function, found: &mut dyn FnMut(&Attribute, String)) {
    let word = |name| match find(&declared.attributes, name).and_then(|a| Some((a, a.args.first()?))) {
        Some((attribute, AttributeArg::Text(word) | AttributeArg::Name(word))) => Some((attribute, *word)),
        _ => None,
    };
    if let (Some((_, domain)), Some((attribute, output))) = (word("domain"), word("outputtopology")) {
        let row = TOPOLOGIES.iter().find(|(name, _)| domain.as_str().eq_ignore_ascii_case(name));
        if row.is_some_and(|(_, outputs)| !outputs.iter().any(|name| output.as_str().eq_ignore_ascii_case(name))) {
            found(attribute, format!("the domain `{domain}` has no `{output}` as output"));
        }
    }
    let factor = find(&declared.attributes, "maxtessfactor").and_then(|a| {
        Some((
            a,
            match a.args.first()? {
                AttributeArg::Int(n) => *n as f64,
                AttributeArg::Float(number) => *number,
                AttributeArg::Text(_) | AttributeArg::Name(_) => return None,
            },
        ))
    });
    if let Some((attribute, _)) = factor.filter(|(_, number)| !(1.0..=MOST_FACTOR).contains(number)) {
        found(attribute, format!("`[maxtessfactor]` is from 1 to {MOST_FACTOR}"));
    }
}

/// What is wrong with the sizes of waves: the only one, or the least, the largest and the preferred one.
fn wave_sizes(attribute: &Attribute) -> Option<String> {
    const SIZES: std::ops::RangeInclusive<i64> = 4..=128;
    let number = |arg: &AttributeArg| if let AttributeArg::Int(n) = arg { Some(*n) } else { None };
    let sizes: Vec<i64> = attribute.args.iter().filter_map(number).collect();
    let is_size = |n: &i64| SIZES.contains(n) && u64::try_from(*n).is_ok_and(u64::is_power_of_two);
    if let Some(wrong) = sizes.iter().find(|n| !is_size(n)) {
        let (least, most) = (SIZES.start(), SIZES.end());
        return Some(format!(
            "`[WaveSize]`: {wrong} is no size of a wave: it is a power of two from {least} to {most}"
        ));
    }
    match *sizes.as_slice() {
        [least, most, ..] if least >= most => {
            Some(format!("`[WaveSize]`: the least size, {least}, must be less than the largest, {most}"))
        }
        [least, most, preferred] if !(least..=most).contains(&preferred) => {
            Some(format!("`[WaveSize]`: the preferred size, {preferred}, is not from {least} to {most}"))
        }
        _ => None,
    }
}

impl Checker<'_> {
    /// The vertices of a primitive that comes in are not interpolated: HLSL has no words for that beside those of primitives.
    pub(super) fn drop_interpolation_of_primitive(&mut self, modifiers: &mut Modifiers, name: Symbol, span: Span) {
        let is_primitive = PRIMITIVES.iter().any(|(word, _)| modifiers.has(*word));
        if is_primitive && modifiers.says_interpolation() {
            Modifiers::INTERPOLATION.into_iter().for_each(|word| modifiers.clear(word));
            let message = format!("the interpolation of `{name}` is ignored: the vertices of a primitive have none");
            self.diags.push(Diagnostic::warning(Code::BAD_ENTRY, span, message));
        }
    }

    /// Slang: what `out vertices T v[N]` is, can be given to a function as an `OutputVertices<T, N>`.
    pub(super) fn mesh_output(&mut self, param: &crate::ast::Decl, ty: TypeId) -> TypeId {
        let Type::Array(element, Length::Fixed(count)) = self.program.types.get(ty) else { return ty };
        let kind = MESH_ARRAYS.iter().find(|(_, word, _)| has_modifier(param, word)).map(|(.., kind)| *kind);
        match kind {
            Some(kind) if self.language() == Language::Slang && param_mode(param) == ParamMode::Out => {
                self.program.types.intern(Type::MeshOutput(kind, element, count))
            }
            _ => ty,
        }
    }

    /// Reports memory of a group in a stage that has no groups.
    pub(super) fn check_group_memory(&mut self) {
        let mut faults = Vec::new();
        for (entry, reached) in self.program.entry_points.iter().zip(self.program.reachable_globals().iter()) {
            let shared = |id: &&GlobalId| self.program.globals[**id].kind == GlobalKind::Groupshared;
            if group_limits(entry.stage).is_none()
                && let Some(id) = reached.iter().find(shared)
            {
                let (function, global) = (&self.program.functions[entry.function], &self.program.globals[*id]);
                let message = format!("a {} shader cannot use `{}`: it has no groups", entry.stage.name(), global.name);
                let error = Diagnostic::error(Code::BAD_ENTRY, function.span, message);
                faults.push(error.label(global.span, "groupshared here"));
            }
        }
        faults.into_iter().for_each(|fault| self.diags.push(fault));
    }

    /// What a value holds that no stage hands on.
    fn unfit_output(&self, ty: TypeId) -> Option<&'static str> {
        if self.program.holds_resource(ty) { Some("resource") } else { self.unfit_input(ty) }
    }

    /// What is wrong with the result of an entry point or of the function of a patch's constants. Streams, patches and the outputs
    /// of meshes are parameters only.
    fn unfit_result(&self, ty: TypeId) -> Option<&'static str> {
        match self.program.types.get(self.program.types.innermost(ty)) {
            Type::Stream(..) => Some("stream"),
            Type::Patch(..) => Some("patch"),
            Type::MeshOutput(..) => Some("output of a mesh"),
            _ => self.unfit_output(ty),
        }
    }

    /// What a value holds that no stage is given. The resources in it are parameters of the shader.
    fn unfit_input(&self, ty: TypeId) -> Option<&'static str> {
        let mut is_text = |leaf: Type| leaf == Type::Text;
        match () {
            () if self.program.holds_object(ty) => Some("ray query or hit object"),
            () if self.program.any_leaf(ty, &mut is_text) => Some("string"),
            () => None,
        }
    }

    /// Reports inputs of the function of a patch's constants that are neither the points of the patch nor its number, and results
    /// that are no constants.
    pub(super) fn check_patch_inputs(&mut self, function: FunctionId) {
        const TAKEN: &[&str] = &["SV_PRIMITIVEID", "SV_VIEWID"];
        let declared = &self.program.functions[function];
        let mut faults: Vec<(Span, String)> = Vec::new();
        let mut given: Vec<String> = Vec::new();
        for param in &declared.params {
            let local = &declared.code.locals[param.local];
            // What comes in and goes out is neither an input nor a constant of the patch (HLSL; slangc and DXC refuse it).
            let is_patch = matches!(self.program.types.get(local.ty), Type::Patch(..) | Type::Error);
            match param.mode {
                ParamMode::In => {}
                ParamMode::InOut | ParamMode::Ref if !is_patch => {
                    faults.push((
                        local.span,
                        format!("the function of a patch's constants has `{}` as `inout`", local.name),
                    ));
                    continue;
                }
                ParamMode::InOut | ParamMode::Ref | ParamMode::Out => continue,
            }
            let parts = self.program.semantic_parts(local.ty, param.semantic);
            let is_taken = |s: &Semantic| TAKEN.contains(&s.split().0.as_str());
            let taken = !parts.is_empty() && parts.iter().all(|(semantic, _)| semantic.as_ref().is_some_and(is_taken));
            // No signature converts what comes in here.
            let counts = |ty: TypeId| match self.program.types.get(ty) {
                Type::Scalar(scalar) => matches!(scalar, Scalar::U32 | Scalar::I32),
                Type::Vector(..) => false,
                _ => true,
            };
            for (semantic, _) in parts.iter().filter(|_| taken) {
                let name = semantic.as_ref().map(|s| s.split().0).unwrap_or_default();
                if given.contains(&name) {
                    let name = spelled(&name);
                    faults.push((local.span, format!("the function of a patch's constants has `{name}` twice")));
                }
                given.push(name);
            }
            if taken && !parts.iter().all(|(_, ty)| counts(*ty)) {
                faults.push((local.span, format!("`{}` counts: it is an integer of 32 bits", local.name)));
            }
            if !taken && !is_patch {
                faults.push((
                    local.span,
                    format!("the function of a patch's constants has no input like `{}`", local.name),
                ));
            }
        }
        if let Some(what) = self.unfit_result(declared.result) {
            let message = format!("the result has a {what}, which no stage puts out");
            self.diags.push(Diagnostic::error(Code::BAD_ENTRY, declared.span, message));
        }
        for (span, message) in faults {
            let note = "it takes the points of the patch (`InputPatch`, `OutputPatch`), `SV_PrimitiveID` and `SV_ViewID`; resources \
                 and uniforms are global";
            self.diags.push(Diagnostic::error(Code::BAD_ENTRY, span, message).note(note));
        }
    }

    /// Reports what the stage of an entry point needs and is not there, and numbers that are too large for it.
    pub(super) fn check_stage(&mut self, function: FunctionId, stage: Stage, size: Option<[u32; 3]>) {
        let declared = &self.program.functions[function];
        let mut faults: Vec<(Span, String, Option<String>)> = Vec::new();
        for (name, written) in needed(stage) {
            if find(&declared.attributes, name).is_none() {
                faults.push((declared.span, format!("a {} entry point needs {written}", stage.name()), None));
            }
        }
        let mut has_payload = false;
        for param in &declared.params {
            let local = &declared.code.locals[param.local];
            let word = PRIMITIVES.iter().find(|(word, _)| param.modifiers.has(*word) && stage != Stage::Geometry);
            if let Some((_, word)) = word {
                faults.push((local.span, format!("`{word}` is for the vertices of geometry entry points"), None));
            }
            let vertices = PRIMITIVES.iter().find(|(word, _)| param.modifiers.has(*word) && stage == Stage::Geometry);
            let is_list =
                matches!(self.program.types.get(local.ty), Type::Array(..) | Type::Patch(true, ..) | Type::Error);
            if let Some((_, word)) = vertices.filter(|_| !is_list || param.mode != ParamMode::In) {
                faults.push((local.span, format!("`{word}` is for an array of vertices that comes in"), None));
            }
            let of_meshes = MESH_ARRAYS.iter().find(|(word, ..)| param.modifiers.has(*word) && stage != Stage::Mesh);
            if let Some((_, word, _)) = of_meshes {
                faults.push((local.span, format!("`{word}` is for the outputs of mesh entry points"), None));
            }
            if param.modifiers.has(Modifiers::PAYLOAD) && std::mem::replace(&mut has_payload, true) {
                faults.push((local.span, format!("`{}` is a second payload: a stage has one", local.name), None));
            }
            if param.modifiers.has(Modifiers::PAYLOAD) && param.mode != ParamMode::In {
                faults.push((
                    local.span,
                    format!("`{}` is a payload, which a mesh shader only reads", local.name),
                    None,
                ));
            }
            if let Some(what) = self.unfit_output(local.ty).filter(|_| param.mode != ParamMode::In) {
                let message = format!("`{}` has a {what}, which no stage puts out", local.name);
                faults.push((local.span, message, None));
            }
            if let Some(what) = self.unfit_input(local.ty).filter(|_| param.mode == ParamMode::In) {
                faults.push((local.span, format!("`{}` has a {what}, which no stage is given", local.name), None));
            }
            let (what, stages): (_, &[Stage]) = match self.program.types.get(local.ty) {
                Type::Stream(..) => ("stream", &[Stage::Geometry]),
                Type::Patch(true, ..) => ("patch that comes in", &[Stage::Hull, Stage::Geometry]),
                Type::Patch(false, ..) => ("patch that a hull shader put out", &[Stage::Domain]),
                Type::MeshOutput(..) => ("output of a mesh", &[Stage::Mesh]),
                _ => continue,
            };
            if !stages.contains(&stage) {
                let message = format!("a {} entry point has no {what} like `{}`", stage.name(), local.name);
                faults.push((local.span, message, None));
            }
        }
        if let Some(what) = self.unfit_result(declared.result) {
            faults.push((declared.span, format!("the result has a {what}, which no stage puts out"), None));
        }
        if stage == Stage::Hull {
            let mut found = |attribute: &Attribute, message: String| faults.push((attribute.span, message, None));
            topology(declared, &mut found);
        }
        if let Some(attribute) = find(&declared.attributes, "wavesize") {
            faults.extend(wave_sizes(attribute).map(|message| (attribute.span, message, None)));
        }
        for (name, most) in LARGEST {
            if let Some(attribute) = find(&declared.attributes, name)
                && let Some(AttributeArg::Int(n)) = attribute.args.first()
                && n > most
            {
                let message = format!("`[{name}]`: {n} is too large; it must be at most {most}");
                faults.push((attribute.span, message, None));
            }
        }
        if let (Some(size), Some((largest, most))) = (size, group_limits(stage)) {
            let span = find(&declared.attributes, "numthreads").map_or(declared.span, |a| a.span);
            let count: u64 = size.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul);
            if count > most || size.iter().zip(largest).any(|(n, most)| *n > most) {
                let [x, y, z] = size;
                let message =
                    format!("a group of {x} x {y} x {z} invocations is too large for a {} shader", stage.name());
                let [x, y, z] = largest;
                let note = format!("it has at most {most} invocations, and sizes of at most {x}, {y} and {z}");
                faults.push((span, message, Some(note)));
            }
        }
        for (span, message, note) in faults {
            let error = Diagnostic::error(Code::BAD_ENTRY, span, message);
            self.diags.push(note.into_iter().fold(error, Diagnostic::note));
        }
    }

    /// DXC gives a vertex shader the distances to the planes that the attribute names; slangc does not know it.
    pub(super) fn check_clip_planes(&mut self, function: FunctionId, language: Language) {
        let Some(attribute) = find(&self.program.functions[function].attributes, "clipplanes") else { return };
        let (span, what) = (attribute.span, "the attribute `[clipplanes]` is not supported");
        self.diags.push(match language {
            Language::Hlsl => Diagnostic::error(Code::BAD_ATTRIBUTE, span, what)
                .note("put out the distances, as `dot(position, plane)`, as `SV_ClipDistance`"),
            Language::Slang => Diagnostic::warning(Code::BAD_ATTRIBUTE, span, format!("{what} and is ignored")),
        });
    }
}
