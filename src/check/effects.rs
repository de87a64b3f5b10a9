//! Effect files: the functions that techniques compile are the entry points, and their semantics are those of Direct3D 9.
//!
//! There the position that a vertex shader gives is `POSITION`, and what a fragment shader gives are `COLOR0` and `DEPTH`.

use super::Checker;
use super::entry::{FoundEntry, stage_of_word};
use super::scope::DeclId;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::symbol::Symbol;
use crate::tree::{
    EffectObject, EffectPass, EffectShader, EffectState, EntryPoint, ParamMode, Semantic, Stage, StructId, Technique,
    Type, TypeId,
};
use rustc_hash::FxHashSet;

/// (stage, comes in, semantic in upper case, of shader models before 4 alone, what it is now); its index stays behind the last.
const SEMANTICS: &[(Stage, bool, &str, bool, &str)] = &[
    (Stage::Vertex, false, "POSITION", true, "SV_Position"),
    (Stage::Fragment, true, "POSITION", true, "SV_Position"),
    (Stage::Fragment, false, "COLOR", false, "SV_Target"),
    (Stage::Fragment, false, "DEPTH", false, "SV_Depth"),
];

/// The states of passes that are shaders.
const SHADER_STATES: &[&str] = &[
    "VertexShader",
    "PixelShader",
    "SetVertexShader",
    "SetPixelShader",
    "SetGeometryShader",
    "SetHullShader",
    "SetDomainShader",
    "SetComputeShader",
];

/// How deep structs are in each other.
const MAX_DEPTH: u32 = 8;

/// Whether a profile is one of shader models before 4, or stands for those.
fn is_old_profile(profile: Symbol) -> bool {
    let text = profile.as_str();
    let model = text.split('_').nth(1).and_then(|model| model.parse::<u32>().ok());
    model.is_none_or(|model| model < 4)
}

/// The stage of a profile: `ps_3_0`.
fn stage_of_profile(profile: Symbol) -> Option<Stage> {
    profile.as_str().split_once('_').and_then(|(stage, _)| stage_of_word(stage))
}

fn states(list: &[ast::EffectState]) -> Vec<EffectState> {
    list.iter().map(|s| EffectState { ty: s.ty, name: s.name, value: s.value }).collect()
}

impl<'a> Checker<'a> {
    /// The functions that the techniques of the units compile.
    pub(super) fn entries_of_effects(&mut self, functions: &[DeclId]) -> Vec<FoundEntry> {
        let mut found = Vec::new();
        for (effect, source) in self.effects.clone() {
            for shader in shaders(effect) {
                let Some(stage) = stage_of_profile(shader.profile.name) else { continue };
                let unit = self.source(source).unit;
                let is_it = |f: &&DeclId| self.info(**f).name == shader.entry.name && self.source_of(**f).unit == unit;
                match functions.iter().rev().find(is_it) {
                    Some(decl) => found.push(FoundEntry { decl: *decl, stage, args: Vec::new() }),
                    None => {
                        let message = format!("there is no function `{}`", shader.function.name);
                        self.error(Code::ENTRY_NOT_FOUND, shader.function.span, message);
                    }
                }
            }
        }
        found
    }

    /// Takes what effect files say to the application into the program.
    pub(super) fn check_effects(&mut self) {
        for (effect, _) in self.effects.clone() {
            match effect {
                ast::EffectDecl::Technique(technique) => {
                    let technique = self.technique(technique);
                    self.program.effect.techniques.push(technique);
                }
                ast::EffectDecl::Object(object) => self.program.effect.objects.push(EffectObject {
                    kind: object.kind,
                    name: object.name.name,
                    states: states(&object.states),
                }),
            }
        }
    }

    /// The shader that a state of a pass takes from a variable: `VertexShader = (lit);`, `SetPixelShader(flat);`.
    fn named_shader(&self, state: &ast::EffectState) -> Option<&'a ast::EffectShader> {
        if !SHADER_STATES.iter().any(|name| state.name.as_str().eq_ignore_ascii_case(name)) {
            return None;
        }
        let name = state.value.as_str().trim_matches(['(', ')', '<', '>', ' ']);
        self.effects.iter().find_map(|(effect, _)| match effect {
            ast::EffectDecl::Object(object) if object.name.name == *name => match object.shaders.as_slice() {
                [shader] => Some(shader),
                _ => None,
            },
            ast::EffectDecl::Object(_) | ast::EffectDecl::Technique(_) => None,
        })
    }

    fn technique(&mut self, technique: &ast::TechniqueDecl) -> Technique {
        let mut passes = Vec::new();
        for pass in &technique.passes {
            let mut compiled = Vec::new();
            let (named, states_of_pass): (Vec<_>, Vec<_>) =
                pass.states.iter().cloned().partition(|state| self.named_shader(state).is_some());
            let named: Vec<&ast::EffectShader> = named.iter().filter_map(|state| self.named_shader(state)).collect();
            for shader in pass.shaders.iter().chain(named) {
                let Some(stage) = stage_of_profile(shader.profile.name) else {
                    let message = format!("`{}` is no profile", shader.profile.name);
                    self.error(Code::BAD_ENTRY, shader.profile.span, message);
                    continue;
                };
                let (profile, entry, function) = (shader.profile.name, shader.entry.name, shader.function.name);
                compiled.push(EffectShader { stage, profile, entry, function });
            }
            passes.push(EffectPass {
                name: pass.name.name,
                annotations: states(&pass.annotations),
                shaders: compiled,
                states: states(&states_of_pass),
            });
        }
        let (word, group, name) = (technique.word, technique.group, technique.name.name);
        Technique { word, group, name, annotations: states(&technique.annotations), passes }
    }

    /// Gives the entry points of files for Direct3D 9 the semantics of today.
    pub(super) fn renew_semantics(&mut self) {
        let is_old = |entry: &&EntryPoint| self.sources.iter().any(|s| s.unit == entry.unit && s.is_old && !s.builtin);
        let entries: Vec<EntryPoint> = self.program.entry_points.iter().filter(is_old).cloned().collect();
        let all = self.effects.iter().flat_map(|(effect, _)| shaders(effect));
        let (old, new): (Vec<_>, Vec<_>) = all.partition(|shader| is_old_profile(shader.profile.name));
        let names = |list: Vec<&ast::EffectShader>| list.iter().map(|s| s.entry.name).collect::<FxHashSet<_>>();
        let (old, new) = (names(old), names(new));
        let read = self.vertex_structs(&entries);
        let mut renewed = FxHashSet::default();
        for entry in &entries {
            let is_old = old.contains(&entry.name) || !new.contains(&entry.name);
            let mut renewal =
                Renewal { stage: entry.stage, is_old, comes_in: false, read: &read, renewed: &mut renewed };
            let function = &self.program.functions[entry.function];
            let result = function.result;
            let params: Vec<(usize, TypeId, ParamMode, Option<Semantic>)> = (0..)
                .zip(&function.params)
                .map(|(at, p)| (at, function.code.locals[p.local].ty, p.mode, p.semantic))
                .collect();
            let own = function.result_semantic;
            let semantic = self.renew(own, result, &mut renewal, 0);
            self.program.functions[entry.function].result_semantic = semantic;
            for (at, ty, mode, own) in params {
                renewal.comes_in = mode == ParamMode::In;
                let semantic = self.renew(own, ty, &mut renewal, 0);
                if let Some(param) = self.program.functions[entry.function].params.get_mut(at) {
                    param.semantic = semantic;
                }
            }
        }
    }

    /// The structs that vertices come in.
    fn vertex_structs(&self, entries: &[EntryPoint]) -> FxHashSet<StructId> {
        let mut found = FxHashSet::default();
        for entry in entries.iter().filter(|entry| entry.stage == Stage::Vertex) {
            let function = &self.program.functions[entry.function];
            for param in function.params.iter().filter(|p| p.mode != ParamMode::Out) {
                if let Type::Struct(id) = self.program.types.get(function.code.locals[param.local].ty) {
                    found.insert(id);
                }
            }
        }
        found
    }

    /// The semantic of today of a value, whose fields get theirs.
    fn renew(&mut self, own: Option<Semantic>, ty: TypeId, renewal: &mut Renewal, depth: u32) -> Option<Semantic> {
        if let Type::Struct(id) = self.program.types.get(self.program.types.innermost(ty))
            && depth < MAX_DEPTH
        {
            for at in 0..self.program.structs[id].fields.len() {
                let field = &self.program.structs[id].fields[at];
                let (semantic, ty) = (field.semantic, field.ty);
                let now = self.renew(semantic, ty, renewal, depth + 1);
                if now != semantic
                    && let Some(was) = semantic
                    && renewal.read.contains(&id)
                    && renewal.renewed.insert((id, at))
                {
                    let message =
                        format!("`{}` is an input of a vertex shader, too, where it now is another semantic", was.text);
                    let warning = Diagnostic::warning(Code::BAD_ENTRY, was.span, message);
                    self.diags
                        .push(warning.note("declare a struct for the vertices and one for what the shader gives"));
                }
                if let Some(field) = self.program.structs[id].fields.get_mut(at) {
                    field.semantic = now;
                }
            }
        }
        let semantic = own?;
        let (name, index) = semantic.split();
        let is_it = |row: &&(Stage, bool, &str, bool, &str)| {
            row.0 == renewal.stage
                && row.1 == renewal.comes_in
                && row.2 == name
                && (!row.3 || renewal.is_old && index == 0)
        };
        let Some(row) = SEMANTICS.iter().find(is_it) else { return own };
        let text = match index {
            0 if row.4 != "SV_Target" => row.4.to_owned(),
            _ => format!("{}{index}", row.4),
        };
        Some(Semantic { text: Symbol::new(&text), span: semantic.span })
    }
}

/// How the semantics of one entry point are renewed.
struct Renewal<'r> {
    stage: Stage,
    is_old: bool,
    comes_in: bool,
    /// Structs that vertices come in.
    read: &'r FxHashSet<StructId>,
    /// Fields of those that were renewed.
    renewed: &'r mut FxHashSet<(StructId, usize)>,
}

/// The shaders that a declaration of an effect compiles.
fn shaders(effect: &ast::EffectDecl) -> impl Iterator<Item = &ast::EffectShader> {
    let (passes, own) = match effect {
        ast::EffectDecl::Technique(technique) => (technique.passes.as_slice(), &[][..]),
        ast::EffectDecl::Object(object) => (&[][..], object.shaders.as_slice()),
    };
    passes.iter().flat_map(|pass| &pass.shaders).chain(own)
}
