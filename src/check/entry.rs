//! Entry points: asked for, marked by `[shader]`, or found by the customs of D3D trees.

use super::attributes;
use super::function::WHOLE;
use super::scope::{DeclId, What, has_modifier};
use super::{Arg, Checker, Input};
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    EntryPoint, Explicit, Expr, ExprArena, ExprKind, ExprTree, FunctionBody, FunctionId, Global, GlobalId, GlobalKind,
    Literal, Modifiers, ParamMode, Stage, TargetCase, Type, TypeId, is_uniform, misspelled,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// An entry point before it is checked.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct FoundEntry {
    pub decl: DeclId,
    pub stage: Stage,
    /// Of a generic function, as they are asked for.
    pub args: Vec<Arg>,
}

/// Words of file and function names and the stage that they stand for.
const WORDS: &[(&str, Stage)] = &[
    ("vs", Stage::Vertex),
    ("vert", Stage::Vertex),
    ("vertex", Stage::Vertex),
    ("vtx", Stage::Vertex),
    ("ps", Stage::Fragment),
    ("fs", Stage::Fragment),
    ("frag", Stage::Fragment),
    ("fragment", Stage::Fragment),
    ("pixel", Stage::Fragment),
    ("cs", Stage::Compute),
    ("comp", Stage::Compute),
    ("compute", Stage::Compute),
    ("tesscontrol", Stage::Hull),
    ("tesseval", Stage::Domain),
    ("gs", Stage::Geometry),
    ("geom", Stage::Geometry),
    ("geometry", Stage::Geometry),
    ("hs", Stage::Hull),
    ("tesc", Stage::Hull),
    ("hull", Stage::Hull),
    ("ds", Stage::Domain),
    ("tese", Stage::Domain),
    ("domain", Stage::Domain),
    ("ms", Stage::Mesh),
    ("mesh", Stage::Mesh),
    ("as", Stage::Amplification),
    ("task", Stage::Amplification),
    ("rgen", Stage::RayGeneration),
    ("raygen", Stage::RayGeneration),
    ("rmiss", Stage::Miss),
    ("miss", Stage::Miss),
    ("rchit", Stage::ClosestHit),
    ("closesthit", Stage::ClosestHit),
    ("rahit", Stage::AnyHit),
    ("anyhit", Stage::AnyHit),
    ("rint", Stage::Intersection),
    ("intersection", Stage::Intersection),
    ("rcall", Stage::Callable),
    ("callable", Stage::Callable),
];

/// The stage that a word means, in the customs of any of the languages.
pub fn stage_of_word(word: &str) -> Option<Stage> {
    WORDS.iter().find(|(w, _)| w.eq_ignore_ascii_case(word)).map(|(_, s)| *s)
}

/// Splits `PSMain_lit2` into `PS`, `Main`, `lit2`.
fn words(name: &str) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut current = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            list.push(std::mem::take(&mut current));
            continue;
        }
        let previous = i.checked_sub(1).and_then(|p| chars.get(p)).copied().unwrap_or('_');
        let next_lower = chars.get(i + 1).is_some_and(|n| n.is_ascii_lowercase());
        let starts =
            c.is_ascii_uppercase() && (previous.is_ascii_lowercase() || (previous.is_ascii_uppercase() && next_lower));
        if starts {
            list.push(std::mem::take(&mut current));
        }
        current.push(c);
    }
    list.push(current);
    list.retain(|w| !w.is_empty());
    list
}

/// The stage that a function's name tells by custom: its first or last word, `VS`, `VSMain`, `vertexMain`, `MainPS`,
/// `SpriteVertexShader`. The letters of a profile say more than a word that may be about something else: `ComputeBlurPS`,
/// `GeometryVS`.
fn stage_of_function(name: &str) -> Option<Stage> {
    let mut words = words(name);
    words.pop_if(|last| last.eq_ignore_ascii_case("shader"));
    let ends = || [words.first(), words.last()].into_iter().flatten();
    let of_profile = |word: &String| PREFIXES.iter().find(|(letters, _)| word == letters).map(|(_, stage)| *stage);
    ends().find_map(of_profile).or_else(|| ends().find_map(|word| stage_of_word(word)))
}

/// The stage that the words of a function's name tell, wherever they stand: `SpriteVertexShaderHeap`. Nothing if they tell several.
fn stage_inside(name: &str) -> Option<Stage> {
    let mut told: Vec<Stage> = words(name).iter().filter_map(|word| stage_of_word(word)).collect();
    told.dedup();
    match (stage_of_function(name), told.as_slice()) {
        (Some(stage), _) => Some(stage),
        (None, [stage]) => Some(*stage),
        (None, _) => None,
    }
}

/// The letters of D3D's profiles that begin names of entry points, with an acronym behind them that cannot be told from them:
/// `VSNPREffect`, `PSRGBToYUV`.
const PREFIXES: &[(&str, Stage)] = &[
    ("VS", Stage::Vertex),
    ("PS", Stage::Fragment),
    ("GS", Stage::Geometry),
    ("HS", Stage::Hull),
    ("DS", Stage::Domain),
    ("CS", Stage::Compute),
];

/// The stage that the first letters of a function's name tell, if more capital letters follow them.
fn stage_of_prefix(name: &str) -> Option<Stage> {
    let found = PREFIXES.iter().find_map(|(prefix, stage)| Some((name.strip_prefix(prefix)?, *stage)));
    found.filter(|(rest, _)| rest.starts_with(|c: char| c.is_ascii_uppercase())).map(|(_, stage)| stage)
}

/// The stage that a file's name tells: `x_ps.hlsl`, `x.frag.hlsl`, `xVS.hlsl`, `x.vert`; or `xPS_y.hlsl`, the letters of a profile
/// before other words.
pub(super) fn stage_of_file(path: &str) -> Option<Stage> {
    stage_in_name(path).map(|(stage, _)| stage).or_else(|| {
        let name = path.rsplit(['/', '\\']).next()?;
        let stem = name.split('.').next()?;
        let mut told = stem.split('_').filter_map(|part| {
            let of_part = |(letters, stage): &(&str, Stage)| {
                let before = part.strip_suffix(letters)?;
                let is_word = before.is_empty() || before.ends_with(|c: char| !c.is_ascii_uppercase());
                is_word.then_some(*stage)
            };
            PREFIXES.iter().find_map(of_part)
        });
        // Several say nothing.
        told.next().filter(|_| told.next().is_none())
    })
}

/// The stage that a file's name tells, with what the path is without that: `sky/x` of `sky/x_ps.hlsl`.
pub fn stage_in_name(path: &str) -> Option<(Stage, &str)> {
    let name_at = path.rfind(['/', '\\']).map_or(0, |slash| slash + 1);
    let Some(dot) = path.rfind('.').filter(|dot| *dot > name_at) else { return stage_at_end(path, name_at) };
    let (before, ending) = (path.get(..dot)?, path.get(dot + 1..)?);
    match stage_of_word(ending) {
        Some(stage) => Some((stage, before)),
        None => stage_at_end(before, name_at),
    }
}

/// The stage that a path ends in, with what stands before it.
fn stage_at_end(path: &str, name_at: usize) -> Option<(Stage, &str)> {
    let name = path.get(name_at..)?;
    let part = name.rsplit('.').next()?;
    let word = words(part).pop()?;
    let (stage, length) = match stage_of_word(part) {
        Some(stage) => (stage, part.len()),
        None => (stage_of_word(&word)?, word.len()),
    };
    let before = path.get(..path.len().checked_sub(length)?)?;
    Some((stage, before.strip_suffix(['.', '_', '-']).unwrap_or(before)))
}

impl<'a> Checker<'a> {
    /// The entry points of the program.
    pub(super) fn find_entries(&mut self, input: &'a Input) -> Vec<FoundEntry> {
        let functions = self.entry_candidates();
        let mut found = if !self.options.entries.is_empty() {
            self.requested(&functions, input)
        } else {
            let mut marked = self.marked(&functions);
            let compiled = self.entries_of_effects(&functions);
            marked.extend(compiled);
            if self.options.infer_entries {
                // Beside marked ones, only attributes that nothing but an entry point has tell of further ones, as for slangc.
                let names = marked.is_empty();
                let others =
                    functions.iter().copied().filter(|f| marked.iter().all(|m| m.decl != *f)).collect::<Vec<_>>();
                marked.extend(self.infer(&others, names, input));
                marked.sort_by_key(|f| f.decl);
            }
            marked
        };
        if !self.options.entries_as_asked {
            found.sort_by_key(|f| f.decl);
        }
        let mut seen = FxHashSet::default();
        found.retain(|f| seen.insert(f.clone()));
        if found.is_empty() && !self.options.allow_no_entries && !self.diags.has_errors() {
            let name = input.units.first().map_or(String::new(), |u| format!(" in {}", u.name));
            let diagnostic = Diagnostic::global(Code::ENTRY_NOT_FOUND, format!("there is no entry point{name}"))
                .note("mark one with `[shader(\"vertex\")]`, or name one: `--entry NAME:STAGE`");
            self.diags.push(diagnostic);
        }
        found
    }

    /// Functions with bodies at file or namespace scope, of units first.
    fn entry_candidates(&self) -> Vec<DeclId> {
        let mut list: Vec<DeclId> = (0..self.decls.len() as u32)
            .map(DeclId)
            .filter(|d| {
                let info = self.info(*d);
                matches!(info.what, What::Function(f) if f.body.is_some() && info.owner.is_none())
                    && !self.source(info.source).builtin
            })
            .collect();
        list.sort_by_key(|d| (self.source_of(*d).module, *d));
        list
    }

    pub(super) fn ambiguous(&mut self, decl: DeclId, input: &'a Input) {
        let info = self.info(decl);
        let file = self.unit_name(decl, input);
        let base = file.as_str().rsplit(['/', '\\']).next().unwrap_or("").to_owned();
        let message = format!("the stage of the entry point `{}` cannot be determined", info.name);
        let lines = format!(
            "name it with `--entry {0}:STAGE`, or in shaderport.toml:\n\n[[shader]]\nfiles = [\"**/{base}\"]\nentries = [\"{0}:fragment\"]",
            info.name
        );
        let mut error = Diagnostic::error(Code::ENTRY_AMBIGUOUS, info.span, message);
        let semantics = [self.output_semantics(decl), self.input_semantics(decl)].concat();
        for semantic in semantics {
            if let Some(meant) = misspelled(semantic.as_str()) {
                error = error.note(format!("`{semantic}` is no system value; there is `{meant}`"));
            }
        }
        self.diags.push(error.note(lines));
    }

    pub(super) fn unit_name(&self, decl: DeclId, input: &'a Input) -> Symbol {
        let unit = self.source_of(decl).unit as usize;
        let units = input.units.iter().chain(&input.modules);
        units.map(|u| u.name).nth(unit).unwrap_or_else(|| Symbol::new(""))
    }

    /// Functions of the units with `[shader]`.
    fn marked(&mut self, functions: &[DeclId]) -> Vec<FoundEntry> {
        let mut list = Vec::new();
        for &decl in functions {
            let info = self.info(decl);
            if self.source_of(decl).module {
                continue;
            }
            let Some(ast) = info.ast else { continue };
            for attribute in ast.attributes.iter().filter(|a| a.name.name.as_str().eq_ignore_ascii_case("shader")) {
                let text = match attribute.args.first() {
                    Some(ast::Expr { kind: ast::ExprKind::String(text), .. }) => *text,
                    _ => Symbol::new(""),
                };
                match Stage::parse(text.as_str()) {
                    Some(stage) => list.push(FoundEntry { decl, stage, args: Vec::new() }),
                    None if text.as_str().eq_ignore_ascii_case("node") => {
                        self.unsupported(attribute.name.span, "a node of a work graph");
                    }
                    None => {
                        let message = format!("`{text}` is not a stage");
                        let error = Diagnostic::error(Code::BAD_ENTRY, attribute.name.span, message);
                        self.diags.push(match Stage::similar(text.as_str()) {
                            Some(stage) => error.note(format!("there is `{stage}`")),
                            None => error,
                        });
                    }
                }
            }
        }
        list
    }

    pub(super) fn marked_stage(&self, decl: DeclId) -> Option<Stage> {
        Stage::parse(self.named_by(decl, "shader")?.as_str())
    }

    /// The text that an attribute of a function has.
    fn named_by(&self, decl: DeclId, attribute: &str) -> Option<Symbol> {
        match self.info(decl).attribute(attribute)?.args.first()? {
            ast::Expr { kind: ast::ExprKind::String(text), .. } => Some(*text),
            _ => None,
        }
    }

    /// The stage that attributes tell. Compute and amplification shaders have the same: the name of the function or the file
    /// tells the latter.
    fn attribute_stage(&mut self, decl: DeclId, file: Symbol) -> Option<Stage> {
        let announced = self.announced_attributes(decl);
        let info = self.info(decl);
        let is = |name: &str, attribute: &ast::Attribute| attribute.name.name.as_str().eq_ignore_ascii_case(name);
        let has = |name: &str| {
            info.attribute(name).is_some() || announced.iter().any(|list| list.iter().any(|a| is(name, a)))
        };
        Some(match () {
            _ if has("numthreads") && has("outputtopology") => Stage::Mesh,
            _ if has("numthreads") => {
                let named = [stage_of_function(info.name.as_str()), stage_of_file(file.as_str())];
                named.into_iter().flatten().find(|s| *s == Stage::Amplification).unwrap_or(Stage::Compute)
            }
            _ if has("maxvertexcount") => Stage::Geometry,
            _ if has("patchconstantfunc") || has("outputcontrolpoints") => Stage::Hull,
            _ if has("domain") => Stage::Domain,
            _ if info.name == *"main" && self.group_layouts.contains_key(&info.source) => Stage::Compute,
            _ => return None,
        })
    }

    /// The stage by attributes, name, file, results, and parameters, for a function that is known to be an entry point.
    pub(super) fn custom_stage(&mut self, decl: DeclId, file: Symbol) -> Option<Stage> {
        let name = self.info(decl).name;
        self.attribute_stage(decl, file)
            .or_else(|| stage_of_function(name.as_str()))
            .or_else(|| stage_of_file(file.as_str()))
            .or_else(|| self.result_stage(decl))
            .or_else(|| self.parameter_stage(decl))
    }

    /// The stage that system values tell which only one stage reads.
    fn parameter_stage(&mut self, decl: DeclId) -> Option<Stage> {
        const OF_GROUPS: &[&str] = &["SV_DispatchThreadID", "SV_GroupID", "SV_GroupIndex", "SV_GroupThreadID"];
        let is_of_groups = |s: &Symbol| OF_GROUPS.iter().any(|known| known.eq_ignore_ascii_case(s.as_str()));
        self.input_semantics(decl).iter().any(is_of_groups).then_some(Stage::Compute)
    }

    /// The stage that result semantics tell.
    fn result_stage(&mut self, decl: DeclId) -> Option<Stage> {
        let semantics = self.output_semantics(decl);
        let has = |prefix: &str| semantics.iter().any(|s| s.as_str().to_ascii_uppercase().starts_with(prefix));
        if has("SV_TARGET") || has("SV_DEPTH") || has("COLOR0") {
            Some(Stage::Fragment)
        } else if has("SV_POSITION") || has("POSITION") {
            Some(Stage::Vertex)
        } else {
            None
        }
    }

    /// Semantics of results and `out` parameters, through structs.
    fn output_semantics(&mut self, decl: DeclId) -> Vec<Symbol> {
        let What::Function(f) = self.info(decl).what else { return Vec::new() };
        let mut list = names(&f.semantics);
        let Some(instance) = self.quiet(|c| c.instance(decl, WHOLE, Vec::new())) else { return list };
        let signature = self.functions.get(instance).signature.clone();
        self.field_semantics(signature.result, &mut list, 0);
        for param in &signature.params {
            if param.mode != ParamMode::In {
                if let Some(ast::DeclKind::Var(var)) = param.decl.map(|d| &d.kind) {
                    list.extend(names(&var.semantics));
                }
                self.field_semantics(param.ty, &mut list, 0);
            }
        }
        list
    }

    fn field_semantics(&self, ty: TypeId, list: &mut Vec<Symbol>, depth: u32) {
        if let Type::Struct(id) = self.program.types.get(ty)
            && depth < 8
        {
            for field in &self.program.structs[id].fields {
                list.extend(field.semantic.map(|s| s.text));
                self.field_semantics(field.ty, list, depth + 1);
            }
        }
    }

    /// Whether a function has semantics, as entry points do.
    fn has_semantics(&mut self, decl: DeclId) -> bool {
        !self.output_semantics(decl).is_empty() || !self.input_semantics(decl).is_empty()
    }

    /// Whether a function may be an entry point as far as semantics tell: D3D's compilers refuse an input without one, so that
    /// `CommonVS(float4 position)` is what entry points have in common, whatever its result is.
    fn is_entry_like(&mut self, decl: DeclId) -> bool {
        if !self.has_semantics(decl) {
            return false;
        }
        let is_slang = self.source_of(decl).language == Language::Slang;
        let Some(instance) = self.quiet(|c| c.instance(decl, WHOLE, Vec::new())) else { return false };
        let signature = self.functions.get(instance).signature.clone();
        is_slang
            || !signature.params.iter().any(|param| {
                let Some(ast::DeclKind::Var(var)) = param.decl.map(|d| &d.kind) else { return false };
                let is_uniform = param.decl.is_some_and(|decl| has_modifier(decl, "uniform"));
                let is_number = self.program.types.component(self.program.types.innermost(param.ty)).is_some();
                param.mode != ParamMode::Out && !is_uniform && is_number && names(&var.semantics).is_empty()
            })
    }

    /// Semantics of parameters, through structs.
    fn input_semantics(&mut self, decl: DeclId) -> Vec<Symbol> {
        let Some(instance) = self.quiet(|c| c.instance(decl, WHOLE, Vec::new())) else { return Vec::new() };
        let signature = self.functions.get(instance).signature.clone();
        let mut list = Vec::new();
        for param in &signature.params {
            if let Some(ast::DeclKind::Var(var)) = param.decl.map(|d| &d.kind) {
                list.extend(names(&var.semantics));
            }
            self.field_semantics(param.ty, &mut list, 0);
        }
        list
    }

    /// Entry points by custom: of attributes, and by `names`: of those of stages, and `main` with what the file or its results
    /// tell.
    fn infer(&mut self, functions: &[DeclId], names: bool, input: &'a Input) -> Vec<FoundEntry> {
        let mut list = Vec::new();
        // `ConstantsHS` is called by a hull shader.
        let called: Vec<Symbol> = functions.iter().filter_map(|f| self.named_by(*f, "patchconstantfunc")).collect();
        for &decl in functions {
            let info = self.info(decl);
            let generic = matches!(info.what, What::Function(f) if f.generics.is_some());
            if self.source_of(decl).module || generic || called.contains(&info.name) {
                continue;
            }
            let file = self.unit_name(decl, input);
            let name = info.name.as_str();
            let (stage, reason) = if let Some(stage) = self.attribute_stage(decl, file) {
                // A helper may have `[numthreads]` by mistake, which matters to no compiler that is asked for `main`. By itself
                // it is what was meant, and wrong.
                if self.result_of_group(decl, file) == Some(true)
                    && functions.iter().any(|other| self.result_of_group(*other, file) == Some(false))
                {
                    continue;
                }
                (stage, "its attributes")
            } else if !names {
                continue;
            } else if name.eq_ignore_ascii_case("main") {
                match self.custom_stage(decl, file) {
                    Some(stage) => (stage, "the name of the file or the semantics of `main`"),
                    None => {
                        self.ambiguous(decl, input);
                        continue;
                    }
                }
            } else if let Some(stage) = stage_of_function(name)
                // These need `[numthreads]`, which tells already.
                && !stage.has_groups()
                && (self.is_entry_like(decl) || words(name).len() == 1 || name.to_ascii_lowercase().contains("main"))
            {
                (stage, "its name")
            } else if let Some(stage) = stage_of_prefix(name).filter(|s| *s != Stage::Compute)
                && self.is_entry_like(decl)
            {
                (stage, "the first letters of its name")
            } else {
                self.passed_over(decl, file, functions);
                continue;
            };
            self.report.inferred.push(format!("{file}: `{name}` is a {} entry point by {reason}", stage.name()));
            list.push(FoundEntry { decl, stage, args: Vec::new() });
        }
        list
    }

    /// Whether a function with the attributes of a stage with workgroups has a result; `None`: it has no such attributes.
    fn result_of_group(&mut self, decl: DeclId, file: Symbol) -> Option<bool> {
        self.attribute_stage(decl, file).filter(|stage| stage.has_groups())?;
        let instance = self.quiet(|c| c.instance(decl, WHOLE, Vec::new()))?;
        Some(self.functions.get(instance).signature.result != TypeId::VOID)
    }

    /// Notes a function that looks like an entry point but is taken for none: its results or parameters have semantics, itself or,
    /// where no other function calls it, in structs.
    fn passed_over(&mut self, decl: DeclId, file: Symbol, functions: &[DeclId]) {
        let What::Function(f) = self.info(decl).what else { return };
        let of_params = f.params.iter().any(|param| match &param.kind {
            ast::DeclKind::Var(var) => !names(&var.semantics).is_empty(),
            _ => false,
        });
        let by_itself = of_params || !names(&f.semantics).is_empty();
        let is_meant = match (by_itself, self.is_called(decl, functions)) {
            (true, false) => true,
            // What others call may be one as well.
            (true, true) => self.is_entry_like(decl),
            (false, is_called) => !is_called && self.gives_system_values(decl) && self.is_entry_like(decl),
        };
        if !is_meant {
            return;
        }
        let name = self.info(decl).name;
        // It is a proposal: what the name has anywhere says more than semantics that several stages have.
        let named = self.attribute_stage(decl, file).or_else(|| stage_inside(name.as_str()));
        let stage = named.or_else(|| stage_of_prefix(name.as_str())).or_else(|| self.custom_stage(decl, file));
        self.report.passed_over.push((file, name, stage));
    }

    /// Whether a function gives system values: other semantics may be of structs that only pass through it.
    fn gives_system_values(&mut self, decl: DeclId) -> bool {
        self.output_semantics(decl).iter().any(|s| s.as_str().to_ascii_uppercase().starts_with("SV_"))
    }

    /// Whether a function calls this one, or another of its name.
    fn is_called(&self, decl: DeclId, functions: &[DeclId]) -> bool {
        let name = self.info(decl).name;
        functions.iter().any(|other| match self.info(*other).what {
            What::Function(f) => f.calls.contains(&name),
            _ => false,
        })
    }

    /// Of functions of one name, those that may be entry points, if there are such.
    pub(super) fn entry_like(&mut self, named: Vec<DeclId>, input: &'a Input) -> Vec<DeclId> {
        if named.len() < 2 {
            return named;
        }
        let mut fitting = Vec::new();
        for &decl in &named {
            let file = self.unit_name(decl, input);
            let is_told = self.marked_stage(decl).is_some() || self.attribute_stage(decl, file).is_some();
            if is_told || self.is_entry_like(decl) {
                fitting.push(decl);
            }
        }
        if fitting.is_empty() { named } else { fitting }
    }

    /// The types of parameters whose type a call would tell: a shader parameter of an interface is a value of it.
    fn open_params(&mut self, f: &'a ast::FunctionDecl, decl: DeclId, entry: Span) -> Option<Vec<Arg>> {
        let scope = self.info(decl).scope;
        let mut args = Vec::new();
        for index in self.implicit_params(decl).iter() {
            let param = f.params.get(*index)?;
            let ast::DeclKind::Var(var) = &param.kind else { return None };
            let (span, message) = match &var.ty.kind {
                ast::TypeKind::Path(_) if has_modifier(param, "uniform") => {
                    args.push(Arg::Type(self.resolve_type(&var.ty, scope)));
                    continue;
                }
                ast::TypeKind::Array(_, None) => {
                    (var.name.span, format!("the parameter `{}` of an entry point needs a size", var.name.name))
                }
                _ => (entry, "an entry point cannot have parameters of interface types".to_owned()),
            };
            self.error(Code::BAD_ENTRY, span, message);
            return None;
        }
        Some(args)
    }

    /// Checks entry points and what they reach.
    pub(super) fn check_entries(&mut self, entries: Vec<FoundEntry>) {
        let mut stages: FxHashMap<DeclId, Stage> = FxHashMap::default();
        for FoundEntry { decl, stage, mut args } in entries {
            let info = self.info(decl);
            // No text has a function twice.
            if let Some(other) = stages.insert(decl, stage) {
                let (name, a, b) = (info.name, other.name(), stage.name());
                let message = match other == stage {
                    true => format!("the entry point `{name}` is asked for with several lists of generic arguments"),
                    false => format!("`{name}` is a {a} and a {b} entry point"),
                };
                self.error(Code::BAD_ENTRY, info.span, message);
                continue;
            }
            let What::Function(f) = info.what else { continue };
            if f.generics.is_some() && args.is_empty() {
                let message = format!("the entry point `{}` is generic, and nothing tells its arguments", info.name);
                let note = format!("ask for it with its arguments: `--entry '{}<float>'`", info.name);
                self.diags.push(Diagnostic::error(Code::BAD_ENTRY, info.span, message).note(note));
                continue;
            }
            let Some(open) = self.open_params(f, decl, info.span) else { continue };
            args.extend(open);
            let Some(instance) = self.instance(decl, WHOLE, args) else { continue };
            let function = self.function(instance);
            let size = attributes::workgroup_size(&self.program.functions[function].attributes);
            let size = size.or_else(|| self.layout_group_size(info.source));
            self.check_ray_entry(function, stage);
            self.check_stage(function, stage, size);
            self.check_group_size(function, self.source(info.source).language);
            if stage == Stage::Vertex {
                self.check_clip_planes(function, self.source(info.source).language);
            }
            let grouped = stage.has_groups();
            if grouped && size.is_none() {
                self.missing_group_size(stage, decl);
            }
            if stage == Stage::Compute {
                self.implicit_uniforms(function);
            }
            let hull = stage == Stage::Hull;
            let patch_constant = if hull { self.patch_constant_function(decl, function, info.span) } else { None };
            patch_constant.into_iter().for_each(|f| self.check_patch_inputs(f));
            let entry = EntryPoint {
                function,
                patch_constant,
                stage,
                name: info.name,
                workgroup_size: if grouped { size.unwrap_or([1; 3]) } else { [1; 3] },
                workgroup_constants: if grouped { self.group_constants(decl) } else { [None; 3] },
                unit: self.source(info.source).unit,
                language: self.source(info.source).language,
                interface: Vec::new(),
                uniforms: Vec::new(),
            };
            self.program.entry_points.push(entry);
        }
        self.drain();
        self.spelled_entry_points();
        self.check_group_memory();
    }

    /// HLSL refuses it. Slang takes a group of one invocation; that is said, since an attribute may be misspelt.
    fn missing_group_size(&mut self, stage: Stage, entry: DeclId) {
        let info = self.info(entry);
        let (stage, name) = (stage.name(), info.name);
        match self.source(info.source).language {
            Language::Hlsl => {
                let message = format!("the {stage} entry point `{name}` needs `[numthreads(x, y, z)]`");
                self.error(Code::BAD_ENTRY, info.span, message);
            }
            Language::Slang => {
                let message = format!("the {stage} entry point `{name}` has no `[numthreads(x, y, z)]`");
                let warning = Diagnostic::warning(Code::BAD_ENTRY, info.span, message);
                self.diags.push(warning.note("a group is one invocation"));
            }
        }
    }

    /// An entry point has statements, never a spelling.
    fn spelled_entry_points(&mut self) {
        let is_spelling = |body: &FunctionBody| match body {
            FunctionBody::Intrinsic(_) => true,
            FunctionBody::Switch(cases) => cases.iter().any(|(_, case)| matches!(case, TargetCase::Intrinsic(_))),
            FunctionBody::Block | FunctionBody::None => false,
        };
        let functions = self.program.entry_points.iter().map(|entry| &self.program.functions[entry.function]);
        let spelled: Vec<_> = functions.filter(|f| is_spelling(&f.body)).map(|f| (f.name, f.span)).collect();
        for (name, span) in spelled {
            self.error(Code::BAD_SPELLING, span, format!("the entry point `{name}` cannot be an `__intrinsic_asm`"));
        }
    }

    /// The specialization constants that give the size of an entry point's groups: those that `[numthreads]` names, or those
    /// whose ids are in `layout(local_size_x_id = 3) in;`.
    fn group_constants(&mut self, decl: DeclId) -> [Option<GlobalId>; 3] {
        let info = self.info(decl);
        let written = info.ast.map_or(&[][..], |d| d.attributes.as_slice());
        let attribute = written.iter().find(|a| a.name.name.as_str().eq_ignore_ascii_case("numthreads"));
        let mut constants = [None; 3];
        let before = std::mem::replace(&mut self.cx.source, info.source);
        if let Some(attribute) = attribute {
            for (constant, arg) in constants.iter_mut().zip(&attribute.args) {
                *constant = self.specialization(arg, info.scope);
            }
        } else if let Some(layout) = self.group_layouts.get(&info.source).copied() {
            let scope = self.source(info.source).scope;
            for (constant, axis) in constants.iter_mut().zip(["x", "y", "z"]) {
                let written = |word: String| {
                    let mut words = layout.layout.iter().filter(|(name, _)| name.name == *word);
                    words.find_map(|(_, value)| value.as_ref())
                };
                *constant = match written(format!("local_size_{axis}_id")) {
                    Some(id) => self.specialization_with(id, axis),
                    None => written(format!("local_size_{axis}")).and_then(|value| self.specialization(value, scope)),
                };
            }
        }
        self.cx.source = before;
        constants
    }

    /// The specialization constant that has an id; `local_size_x_id` declares it where nothing else does.
    fn specialization_with(&mut self, id: &'a ast::Expr, axis: &str) -> Option<GlobalId> {
        let number = u32::try_from(self.constant_int(id, self.source(self.cx.source).scope)?).ok()?;
        let has = |g: &Global| g.kind == GlobalKind::Specialization && g.explicit.constant_id == Some(Some(number));
        let found = self.program.globals.iter().find(|(_, g)| has(g)).map(|(id, g)| (id, g.ty));
        match found {
            Some((found, ty)) if self.is_group_size(ty) => Some(found),
            Some(_) => {
                self.error(Code::BAD_ATTRIBUTE, id.span, "the specialization constant of this id is not an integer");
                None
            }
            None => {
                let mut exprs = ExprArena::default();
                let kind = ExprKind::Literal(Literal::Int(1), None);
                let root = exprs.push(Expr { kind, ty: TypeId::UINT, span: id.span });
                let name = format!("group_size_{axis}");
                let explicit = Explicit { constant_id: Some(Some(number)), ..Explicit::default() };
                let init = Some(ExprTree { exprs, root });
                let made = Global::new(&*name, TypeId::UINT, GlobalKind::Specialization, id.span);
                Some(self.program.globals.push(Global { explicit, init, ..made }))
            }
        }
    }

    /// The size of a group that `layout(local_size_x = 8) in;` gives the entry points of a file.
    fn layout_group_size(&mut self, source: u32) -> Option<[u32; 3]> {
        let decl = *self.group_layouts.get(&source)?;
        let scope = self.source(source).scope;
        let mut size = [1; 3];
        for (name, value) in &decl.layout {
            let axis = match name.name.as_str() {
                "local_size_x" => 0,
                "local_size_y" => 1,
                "local_size_z" => 2,
                _ => continue,
            };
            let Some(value) = value else { continue };
            let n = match self.specialization(value, scope).and_then(|c| self.first_group_size(c)) {
                Some(first) => first.int().unwrap_or_default(),
                None => self.constant_int(value, scope)?,
            };
            match (size.get_mut(axis), u32::try_from(n)) {
                (Some(slot), Ok(n @ 1..)) => *slot = n,
                _ => self.error(Code::BAD_ATTRIBUTE, value.span, format!("`{}` must be at least 1", name.name)),
            }
        }
        Some(size)
    }

    /// HLSL writes all three sizes of a group; Slang takes 1 for those that are left out.
    fn check_group_size(&mut self, function: FunctionId, language: crate::parse::Language) {
        let attribute = attributes::find(&self.program.functions[function].attributes, "numthreads");
        if let Some((count, span)) = attribute.map(|a| (a.args.len(), a.span))
            && (1..3).contains(&count)
            && language == crate::parse::Language::Hlsl
        {
            self.error(Code::BAD_ATTRIBUTE, span, format!("`[numthreads]` takes 3 arguments, not {count}"));
        }
    }

    /// A compute shader has no varyings: a parameter without a system value is uniform, as in slangc (its warning 38040).
    fn implicit_uniforms(&mut self, function: FunctionId) {
        let declared = &self.program.functions[function];
        let mut found = Vec::new();
        for (index, param) in declared.params.iter().enumerate() {
            let local = &declared.code.locals[param.local];
            let mut semantics = Vec::new();
            self.field_semantics(local.ty, &mut semantics, 0);
            let varying = param.semantic.is_some() || param.mode != ParamMode::In || !semantics.is_empty();
            if !varying && !is_uniform(&self.program, param, local.ty) {
                found.push((index, local.name, local.span));
            }
        }
        for (index, name, span) in found {
            let message = format!("`{name}` has no system value, so it is uniform in a compute shader");
            self.diags.push(
                Diagnostic::warning(Code::BAD_ENTRY, span, message).note("`uniform` declares that without a warning"),
            );
            if let Some(param) = self.program.functions[function].params.get_mut(index) {
                param.modifiers.set(Modifiers::UNIFORM);
            }
        }
    }

    /// The function that `[patchconstantfunc]` names is part of the hull stage.
    fn patch_constant_function(&mut self, decl: DeclId, function: FunctionId, span: Span) -> Option<FunctionId> {
        let attribute = attributes::find(&self.program.functions[function].attributes, "patchconstantfunc");
        let Some(crate::tree::AttributeArg::Text(name)) = attribute.and_then(|a| a.args.first()).cloned() else {
            self.error(Code::BAD_ENTRY, span, "a hull entry point needs `[patchconstantfunc(\"name\")]`");
            return None;
        };
        let scope = self.info(decl).scope;
        let found = self.lookup(scope, name);
        let decls = super::expr::function_decls(self, &found.entities);
        let Some(&first) = decls.first() else {
            self.error(Code::ENTRY_NOT_FOUND, span, format!("there is no function `{name}`"));
            return None;
        };
        let mut functions = Vec::new();
        for decl in decls {
            let instance = self.instance(decl, WHOLE, Vec::new())?;
            functions.push((decl, self.function(instance)));
        }
        // As in DXC: of several, the one that is declared last of those that give tessellation factors.
        let suitable = functions.iter().filter(|(_, f)| self.gives_factors(*f)).max_by_key(|(decl, _)| *decl);
        suitable.or_else(|| functions.iter().find(|(decl, _)| *decl == first)).map(|(_, f)| *f)
    }

    /// Whether a function gives tessellation factors.
    fn gives_factors(&self, function: FunctionId) -> bool {
        let function = &self.program.functions[function];
        let is_factor = |s: &Option<crate::tree::Semantic>| {
            s.as_ref().is_some_and(|s| s.split().0.eq_ignore_ascii_case("SV_TessFactor"))
        };
        let outputs = function.params.iter().filter(|p| p.mode != ParamMode::In);
        let mut given = outputs.map(|p| (&p.semantic, function.code.locals[p.local].ty)).collect::<Vec<_>>();
        given.push((&function.result_semantic, function.result));
        given.into_iter().any(|(semantic, ty)| {
            is_factor(semantic) || self.program.fields(ty).iter().any(|field| is_factor(&field.semantic))
        })
    }
}

fn names(semantics: &[ast::Semantic]) -> Vec<Symbol> {
    semantics
        .iter()
        .filter_map(|s| match s {
            ast::Semantic::Name(ident) => Some(ident.name),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_of_functions() {
        for (name, stage) in [
            ("VSMain", Some(Stage::Vertex)),
            ("VS", Some(Stage::Vertex)),
            ("vs_main", Some(Stage::Vertex)),
            ("vertexMain", Some(Stage::Vertex)),
            ("MainPS", Some(Stage::Fragment)),
            ("PSBasicVertexLighting", Some(Stage::Fragment)),
            ("computeMain", Some(Stage::Compute)),
            ("main", None),
            ("PostProcess", None),
            ("Compare", None),
            ("ComputeBlurPS", Some(Stage::Fragment)),
            ("GeometryVS", Some(Stage::Vertex)),
            ("PSCompute", Some(Stage::Fragment)),
            ("ComputeBlur", Some(Stage::Compute)),
        ] {
            assert_eq!(stage_of_function(name), stage, "{name}");
        }
    }

    #[test]
    fn stages_of_files() {
        for (name, stage) in [
            ("a/b/tonemap_ps.hlsl", Some(Stage::Fragment)),
            ("sky.frag.hlsl", Some(Stage::Fragment)),
            ("SkyVS.hlsl", Some(Stage::Vertex)),
            ("blur_cs.hlsl", Some(Stage::Compute)),
            ("triangle.vert", Some(Stage::Vertex)),
            ("mesh.frag", Some(Stage::Fragment)),
            ("common.hlsl", None),
        ] {
            assert_eq!(stage_of_file(name), stage, "{name}");
        }
    }
}
