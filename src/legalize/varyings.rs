//! Give a semantic to every varying that has none, the same in the next stage.
//!
//! Before: `struct VSOutput { float4 pos : SV_Position; float3 WorldPos; }`
//! After:  `struct VSOutput { float4 pos : SV_Position; float3 WorldPos : WORLDPOS; }`
//!
//! The semantic is the name in upper case, so stages whose fields have equal names agree, in one file or in several. A
//! fragment's outputs are `SV_TargetN`, N being their location. System values that only other tools know get the name that
//! D3D knows. A name that would clash gets a `_`.

use super::Context;
use super::Pass;
use super::element_structs;
use super::empty_structs::is_empty;
use super::needs::Find;
use super::signatures::{self, MAX_SEMANTIC, Place, Point};
use super::stage_io::{Flatten, Leaf, Source};
use super::system_value_types::{Holder, slot};
use crate::diagnostic::{Code, Diagnostic};
use crate::layout::locations::{TARGET, mesh_output};
use crate::layout::{Policy, Settings, StageIo};
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::target::reserved::Reserved;
use crate::target::system_values::{self, Direction};
use crate::tree::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ops::Range;

/// The pass.
pub const PASS: Pass = Pass {
    name: "varyings",
    always: Some("targets that need no semantics still get the names of system values that they know"),
    removes: &[(
        Capability::VaryingsWithoutSemantics,
        Find::Entry(|p, e| lacks_semantics(p, e).then(|| p.functions[e.function].span)),
    )],
    // What a stream is given is put together.
    adds: &[Capability::AggregateExpressions],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    if cx.profile.has(Capability::VaryingsWithoutSemantics) {
        return;
    }
    element_structs::wrap(cx.program);
    for entry in cx.program.entry_points.clone() {
        if !has_varyings(entry.stage) {
            continue;
        }
        if entry.stage == Stage::Fragment {
            for (span, number) in targets(cx.program, &entry, cx.layout.settings) {
                let message =
                    format!("two outputs are `SV_Target{number}`, which {} does not distinguish", cx.profile.name);
                cx.unsupported(span, message);
            }
        }
        // The constants of a patch are a signature of their own.
        for function in entry.roots() {
            leave_empty(cx.program, function);
            let mut namer = Namer {
                program: cx.program,
                taken: FxHashSet::default(),
                passed: FxHashSet::default(),
                foreign: Vec::new(),
            };
            namer.function(function);
            for (id, span) in namer.foreign {
                let (name, language) = (cx.program.structs[id].name, cx.profile.name);
                // One that the language does not declare is like those of the source.
                if !Reserved::of(cx.profile).is_builtin(name.as_str()) {
                    continue;
                }
                cx.unsupported(span, format!("{language} has no `{name}` that stages pass on"));
            }
        }
    }
    for entry in cx.program.entry_points.clone().iter().filter(|e| has_varyings(e.stage)) {
        signatures::check_foreign(cx, entry);
    }
    rename_system_values(cx);
    rename_short_positions(cx);
    for entry in cx.program.entry_points.clone().iter().filter(|e| e.stage == Stage::Fragment) {
        number_barycentrics(cx.program, entry, cx.layout.settings);
    }
    for entry in cx.program.entry_points.clone().iter().filter(|e| has_varyings(e.stage)) {
        signatures::check(cx, entry);
    }
    signatures::check_index_components(cx);
}

/// What has no fields is in no signature, whatever its semantic says.
fn leave_empty(program: &mut Program, id: FunctionId) {
    for index in 0..program.functions[id].params.len() {
        let function = &program.functions[id];
        let ty = function.params.get(index).map_or(TypeId::VOID, |p| function.code.locals[p.local].ty);
        if is_empty(program, ty)
            && let Some(param) = program.functions[id].params.get_mut(index)
        {
            param.semantic = None;
        }
    }
}

/// Stages whose inputs and outputs have semantics.
pub fn has_varyings(stage: Stage) -> bool {
    !stage.is_of_rays()
}

/// Whether some varying of an entry point has no semantic, or one that D3D does not know.
pub fn lacks_semantics(program: &Program, entry: &EntryPoint) -> bool {
    if !has_varyings(entry.stage) {
        return false;
    }
    let lacks = |ty: TypeId, semantic: Option<Semantic>| match semantic {
        Some(s) => system_values::d3d_name(&s.split().0, (u32::MAX, 0)).is_some(),
        None => ty != TypeId::VOID && any_bare(program, ty),
    };
    entry.roots().map(|id| &program.functions[id]).any(|function| {
        let mut params = function.params.iter().filter(|p| {
            let ty = function.code.locals[p.local].ty;
            !crate::tree::is_uniform(program, p, ty) && !is_bare(program, p, ty)
        });
        lacks(function.result, function.result_semantic)
            || params.any(|p| lacks(function.code.locals[p.local].ty, p.semantic))
    })
}

/// What is in no signature: the payload of a mesh shader, and the numbers of the vertices of its primitives.
pub(super) fn is_bare(program: &Program, param: &Param, ty: TypeId) -> bool {
    let indices = mesh_output(program, param, ty).is_some_and(|(kind, ..)| kind == MeshOutputKind::Indices);
    indices || param.modifiers.has(Modifiers::PAYLOAD)
}

/// Whether a value of this type has a leaf without a semantic.
fn any_bare(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Struct(id) => program.structs[id].fields.iter().any(|f| match f.semantic {
            Some(s) => system_values::d3d_name(&s.split().0, (u32::MAX, 0)).is_some(),
            None => any_bare(program, f.ty),
        }),
        Type::Array(t, _) | Type::Stream(_, t) | Type::Patch(_, t, _) | Type::MeshOutput(_, t, _) => {
            any_bare(program, t)
        }
        _ => true,
    }
}

/// `SV_TargetN` for the outputs of a fragment shader. Slang takes a semantic of the user as none there; HLSL has no such output.
/// Gives those whose number another output has.
fn targets(program: &mut Program, entry: &EntryPoint, settings: Settings) -> Vec<(Span, u32)> {
    // In HLSL the index is all that places a target.
    let policy =
        Policy { stage_io: StageIo { targets_by_order: false, ..settings.policy.stage_io }, ..settings.policy };
    let settings = Settings { policy, ..settings };
    let leaves = Flatten { program, split: false, settings }.leaves(entry, Direction::Out);
    let is_target = |leaf: &Leaf| match &leaf.semantic {
        Some((name, _)) => entry.language == Language::Slang && !name.starts_with("SV_"),
        None => true,
    };
    // The elements of an array follow one another. A matrix of several vectors is no output.
    let numbers = |leaf: &Leaf, first: u32, program: &Program| {
        let (mut count, mut ty) = (1u32, leaf.ty);
        while let Some((element, length)) = program.types.array_parts(ty) {
            (count, ty) = (count.saturating_mul(length.laid_out().unwrap_or(1)), element);
        }
        first..first.saturating_add(count)
    };
    let named = leaves.iter().filter_map(|leaf| Some((leaf, leaf.semantic.as_ref()?)));
    let named = named.filter(|(_, (name, _))| name == TARGET);
    let mut taken: Vec<Range<u32>> = named.map(|(leaf, (_, first))| numbers(leaf, *first, program)).collect();
    let mut again = Vec::new();
    for leaf in leaves.into_iter().filter(is_target) {
        let number = leaf.location.unwrap_or(0);
        let all = numbers(&leaf, number, program);
        let other = taken.iter().find(|other| other.start < all.end && all.start < other.end);
        again.extend(other.map(|other| (leaf.span, other.start.max(number))));
        taken.push(all);
        let semantic = Semantic { text: Symbol::new(&format!("SV_Target{number}")), span: leaf.span };
        put(program, entry, &leaf, semantic);
    }
    again
}

/// Barycentrics with perspective and without differ in the index of their semantic.
fn number_barycentrics(program: &mut Program, entry: &EntryPoint, settings: Settings) {
    let leaves = Flatten { program, split: false, settings }.leaves(entry, Direction::In);
    let is_one = |leaf: &&Leaf| leaf.semantic.as_ref().is_some_and(|(name, n)| name == "SV_BARYCENTRICS" && *n == 0);
    let (without, with): (Vec<&Leaf>, Vec<&Leaf>) =
        leaves.iter().filter(is_one).partition(|leaf| leaf.modifiers.has(Modifiers::NOPERSPECTIVE));
    if let ([leaf], [_]) = (without.as_slice(), with.as_slice()) {
        let semantic = Semantic { text: Symbol::new("SV_Barycentrics1"), span: leaf.span };
        put(program, entry, leaf, semantic);
    }
}

/// Writes a semantic at the last struct on the way to a leaf, or at the parameter or result.
fn put(program: &mut Program, entry: &EntryPoint, leaf: &Leaf, semantic: Semantic) {
    let function = &mut program.functions[entry.function];
    let (slot, mut ty) = match leaf.source {
        Source::Result => (&mut function.result_semantic, function.result),
        Source::Param(index) => match function.params.get_mut(index) {
            Some(param) => (&mut param.semantic, function.code.locals[param.local].ty),
            None => return,
        },
        Source::Nothing => return,
    };
    let Some(last) = leaf.path.iter().rposition(|s| matches!(s, Step::Field(_))) else {
        *slot = Some(semantic);
        return;
    };
    for (at, step) in leaf.path.iter().enumerate() {
        match (*step, program.types.get(ty)) {
            (Step::Field(index), Type::Struct(id)) => {
                let Some(field) = program.structs[id].fields.get_mut(index as usize) else { return };
                if at == last {
                    field.semantic = Some(semantic);
                }
                ty = field.ty;
            }
            (Step::Element(_), Type::Array(element, _)) => ty = element,
            _ => return,
        }
    }
}

/// Whether a parameter goes out.
fn is_output(program: &Program, param: &Param, ty: TypeId) -> bool {
    matches!(param.mode, ParamMode::Out)
        || mesh_output(program, param, ty).is_some()
        || matches!(program.types.get(ty), Type::Stream(..))
}

struct Namer<'a> {
    program: &'a mut Program,
    /// (direction is out, name, index) of all semantics of the entry point.
    taken: FxHashSet<(bool, String, u32)>,
    /// (direction is out, struct) of all structs whose fields have the semantics.
    passed: FxHashSet<(bool, StructId)>,
    /// Structs of the library, where they are passed on: the fields of those that the language declares have no semantics.
    foreign: Vec<(StructId, Span)>,
}

impl Namer<'_> {
    fn function(&mut self, id: FunctionId) {
        let function = self.program.functions[id].clone();
        // Semantics of the source first: made ones keep clear of them, those of other parameters included.
        for param in &function.params {
            let ty = function.code.locals[param.local].ty;
            let mesh = mesh_output(self.program, param, ty);
            let out = is_output(self.program, param, ty);
            self.given(mesh.map_or(ty, |(_, element, _)| element), param.semantic, out);
        }
        self.given(function.result, function.result_semantic, true);
        for index in 0..function.params.len() {
            let Some(param) = function.params.get(index) else { continue };
            let local = &function.code.locals[param.local];
            if crate::tree::is_uniform(self.program, param, local.ty) || is_bare(self.program, param, local.ty) {
                continue;
            }
            let mesh = mesh_output(self.program, param, local.ty);
            if mesh.is_some() {
                self.passed.clear();
            }
            let out = is_output(self.program, param, local.ty);
            let ty = mesh.map_or(local.ty, |(_, element, _)| element);
            // Fields of structs that go the other way, too, have got theirs meanwhile.
            self.given(ty, param.semantic, out);
            if let Some(semantic) = self.value(ty, param.semantic, local.name.as_str(), local.span, out)
                && let Some(param) = self.program.functions[id].params.get_mut(index)
            {
                param.semantic = Some(semantic);
            }
        }
        if function.result != TypeId::VOID {
            self.given(function.result, function.result_semantic, true);
            let semantic = self.value(function.result, function.result_semantic, "result", function.span, true);
            self.program.functions[id].result_semantic = semantic;
        }
    }

    /// Takes the semantics that the source gives to a parameter, result or field.
    fn given(&mut self, ty: TypeId, semantic: Option<Semantic>, out: bool) {
        if let Some(semantic) = semantic {
            let (name, index) = semantic.split();
            for i in 0..self.slots(ty) {
                self.taken.insert((out, name.clone(), index.saturating_add(i)));
            }
            return;
        }
        match self.program.types.get(ty) {
            Type::Struct(id) => {
                let fields: Vec<(TypeId, Option<Semantic>)> =
                    self.program.structs[id].fields.iter().map(|f| (f.ty, f.semantic)).collect();
                fields.into_iter().for_each(|(ty, semantic)| self.given(ty, semantic, out));
            }
            Type::Array(inner, _) | Type::Stream(_, inner) | Type::Patch(_, inner, _) => self.given(inner, None, out),
            _ => {}
        }
    }

    /// The semantic that a parameter, result or field needs; fields inside get theirs.
    fn value(
        &mut self,
        ty: TypeId,
        semantic: Option<Semantic>,
        name: &str,
        span: crate::source::Span,
        out: bool,
    ) -> Option<Semantic> {
        if semantic.is_some() {
            return semantic;
        }
        // One that is there twice has the semantics of its fields once.
        let element = self.program.types.innermost(ty);
        if let Type::Struct(id) = self.program.types.get(element)
            && self.passed.contains(&(out, id))
            && self.may_be_named(element)
        {
            return Some(Semantic { text: self.free(name, self.slots(ty), out), span });
        }
        match self.program.types.get(ty) {
            Type::Struct(id) => {
                self.foreign.extend(self.program.structs[id].builtin.then_some((id, span)));
                self.passed.insert((out, id));
                self.fields(id, out);
                None
            }
            Type::Array(element, _) if self.is_struct(element) => self.value(element, None, name, span, out),
            Type::Stream(_, t) | Type::Patch(_, t, _) => {
                // Each is a signature of its own.
                self.passed.clear();
                self.value(t, None, name, span, out)
            }
            Type::Void => None,
            _ => Some(Semantic { text: self.free(name, self.slots(ty), out), span }),
        }
    }

    fn fields(&mut self, id: StructId, out: bool) {
        let fields = self.program.structs[id].fields.clone();
        for (index, field) in fields.iter().enumerate().filter(|(_, f)| f.semantic.is_none()) {
            let semantic = self.value(field.ty, None, field.name.as_str(), field.span, out);
            if let Some(field) = self.program.structs[id].fields.get_mut(index) {
                field.semantic = semantic;
            }
        }
    }

    /// Whether a semantic may stand for those of the fields of a struct: it has some, and none is a system value.
    fn may_be_named(&self, ty: TypeId) -> bool {
        let parts = self.program.semantic_parts(ty, None);
        !parts.is_empty()
            && !parts.iter().any(|(semantic, _)| semantic.as_ref().is_some_and(|s| s.split().0.starts_with("SV_")))
    }

    fn is_struct(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(self.program.types.innermost(ty)), Type::Struct(_))
    }

    /// How many indices a leaf takes.
    fn slots(&self, ty: TypeId) -> u32 {
        match self.program.types.get(ty) {
            Type::Array(t, count) => count.laid_out().unwrap_or(1).saturating_mul(self.slots(t)).min(64),
            // One a stored vector: as many as there can be.
            Type::Matrix(_, rows, columns) => rows.max(columns).into(),
            Type::Struct(id) => {
                let fields: Vec<TypeId> = self.program.structs[id].fields.iter().map(|f| f.ty).collect();
                fields.into_iter().map(|t| self.slots(t)).sum()
            }
            _ => 1,
        }
    }

    /// The upper-case name, with as many `_` as keep it apart from others.
    fn free(&mut self, name: &str, slots: u32, out: bool) -> Symbol {
        let mut text = if name.is_empty() { "UNNAMED".to_owned() } else { name.to_ascii_uppercase() };
        if text.starts_with("SV_") {
            text.insert(0, '_');
        }
        shorten(&mut text);
        loop {
            let semantic = Semantic { text: Symbol::new(&text), span: Default::default() };
            let (name, index) = semantic.split();
            let keys: Vec<_> = (0..slots).map(|i| (out, name.clone(), index.saturating_add(i))).collect();
            if keys.iter().all(|k| !self.taken.contains(k)) {
                self.taken.extend(keys);
                return semantic.text;
            }
            text.push('_');
        }
    }
}

/// Makes a name one that is short enough for a semantic, with room for what keeps it apart. Names that differ in what is cut off
/// differ in their last letters, which say what that was.
fn shorten(text: &mut String) {
    const KEPT: usize = 48;
    const ROOM: usize = 8;
    if text.len() + ROOM <= MAX_SEMANTIC {
        return;
    }
    let hash = text.bytes().fold(0u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    let kept: String = text.chars().take(KEPT).collect();
    let letters = (0..8).map(|i| char::from(b'A' + ((hash >> (4 * i)) & 15) as u8));
    *text = kept.chars().chain(['_']).chain(letters).collect();
}

/// What is passed from a hull to a domain shader is no position yet: where it has fewer numbers than `SV_Position`, which is of four, it
/// has another name.
fn rename_short_positions(cx: &mut Context) {
    let entries = cx.program.entry_points.clone();
    let all: Vec<Place> = entries.iter().flat_map(|entry| signatures::places(cx, entry)).collect();
    let is_inner = |place: &Place| matches!(place.point, Point::HullOut | Point::DomainPointIn);
    let is_short = |place: &&Place| {
        let types = &cx.program.types;
        place.leaf.is_position()
            && matches!(types.get(place.leaf.ty), Type::Scalar(s) | Type::Vector(s, 1..=3) if s.is_float())
    };
    let short: Vec<&Place> = all.iter().filter(is_short).collect();
    let holders = |inner: bool| {
        let chosen = short.iter().filter(move |place| is_inner(place) == inner);
        chosen.filter_map(|place| slot(cx.program, place)).collect::<BTreeSet<_>>()
    };
    // A field of what goes elsewhere, too, is an error there.
    let renamed: Vec<Holder> = holders(true).difference(&holders(false)).copied().collect();
    let taken: FxHashSet<&str> =
        all.iter().filter_map(|place| place.leaf.semantic.as_ref()).map(|(name, _)| name.as_str()).collect();
    let mut name = "POSITION".to_owned();
    while taken.contains(name.as_str()) {
        name.push('_');
    }
    for holder in renamed {
        if let Holder::Field(id, index) = holder
            && let Some(field) = cx.program.structs[id].fields.get_mut(index as usize)
            && let Some(semantic) = &mut field.semantic
        {
            semantic.text = Symbol::new(&name);
        }
    }
}

/// The structs that stages are given and give.
fn passed_structs(program: &Program) -> FxHashSet<StructId> {
    let mut found = FxHashSet::default();
    let roots = program.entry_points.iter().flat_map(|entry| entry.roots()).map(|id| &program.functions[id]);
    let mut types: Vec<TypeId> =
        roots.flat_map(|f| f.params.iter().map(|p| f.code.locals[p.local].ty).chain([f.result])).collect();
    while let Some(ty) = types.pop() {
        match program.types.get(ty) {
            Type::Struct(id) if found.insert(id) => types.extend(program.structs[id].fields.iter().map(|f| f.ty)),
            Type::Struct(_) => {}
            other => types.extend(other.element()),
        }
    }
    found
}

/// Semantics of other tools get D3D's name, or that of a builtin of SPIR-V; where the target has none, that is an error if the
/// value is a parameter of its own.
fn rename_system_values(cx: &mut Context) {
    let version = cx.profile.version;
    let has_builtins = cx.profile.has(Capability::VulkanBuiltins);
    let mut missing = Vec::new();
    let passed = passed_structs(cx.program);
    let mut rename = |semantic: &mut Option<Semantic>, explicit: &mut Explicit, is_passed: bool| {
        let Some(old) = semantic else { return };
        let name = old.split().0;
        let known = system_values::d3d_name(&name, version);
        if let Some(builtin) = system_values::vulkan_builtin(&name).filter(|_| has_builtins) {
            explicit.builtin = Some(Symbol::new(builtin));
            // Beside the builtin it is a name like any other.
            let text = known.filter(|known| !known.is_empty()).unwrap_or(name.trim_start_matches("SV_"));
            old.text = Symbol::new(text);
            return;
        }
        match known {
            Some("") if is_passed => missing.push(*old),
            // Only an entry point that is not in the program is given it.
            Some("") => *semantic = None,
            Some(name) => old.text = Symbol::new(name),
            None => {}
        }
    };
    for (id, structure) in cx.program.structs.iter_mut() {
        let is_passed = passed.contains(&id);
        structure.fields.iter_mut().for_each(|f| rename(&mut f.semantic, &mut f.explicit, is_passed));
    }
    for entry in cx.program.entry_points.clone() {
        for id in entry.roots() {
            let function = &mut cx.program.functions[id];
            function.params.iter_mut().for_each(|p| rename(&mut p.semantic, &mut p.explicit, true));
            rename(&mut function.result_semantic, &mut function.result_explicit, true);
        }
    }
    for semantic in missing {
        let message = format!("{} has no `{}`", cx.profile.name, semantic.text);
        let mut error = Diagnostic::error(Code::CAPABILITY, semantic.span, message);
        if let Some((major, minor)) = system_values::later_model(&semantic.split().0, version) {
            error = error.note(format!("the profile `sm_{major}_{minor}` has it"));
        }
        cx.diags.push(error);
    }
}
