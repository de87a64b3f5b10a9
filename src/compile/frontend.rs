//! Loads, preprocesses and parses the sources of a program and all that they import.
//!
//! A file that is imported or `__include`d is read and parsed once a build for each set of macros: programs share its
//! syntax, its diagnostics and what its spans point into, and the bodies that are checked of it.

use super::Options;
use super::type_names::parse_with_imports;
use crate::ast;
use crate::check::{Bodies, Input, SourceUnit};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::lex::{AskedMacro, NamedTokens};
use crate::limits::Limits;
use crate::parse::{Language, number_of};
use crate::preprocess::{Preprocess, ShaderTarget, TokenCache, preprocess};
use crate::source::{FileId, LoadError, Loader, Numbers, Sources, Span};
use crate::stdlib::Mentions;
use crate::symbol::Symbol;
use crate::target::{Profile, Target};
use crate::tree::Stage;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// What the programs of a build share that are compiled with one loader.
#[derive(Debug, Default)]
pub struct Shared {
    tokens: Arc<TokenCache>,
    files: Mutex<FxHashMap<Key, Arc<Slot>>>,
    /// The numbers of files and expansions that are taken.
    numbers: Mutex<Numbers>,
    /// What is checked of the files.
    bodies: Arc<Bodies>,
}

/// What a parsed file depends on: its name, the macros of the command line and the limits.
type Key = (String, Vec<(String, Option<String>)>, Limits);

/// A file that programs share. Who needs it first reads it; whoever else needs it meanwhile waits.
#[derive(Debug, Default)]
struct Slot {
    begun: AtomicBool,
    file: OnceLock<SharedFile>,
}

/// A parsed file with what was found in it.
#[derive(Debug)]
struct SharedFile {
    file: ParsedFile,
    sources: Arc<Sources>,
    diags: Vec<Diagnostic>,
}

/// A file with all that it `#include`s.
#[derive(Clone, Debug)]
struct ParsedFile {
    /// The canonical name.
    name: String,
    file: FileId,
    ast: Arc<ast::Unit>,
    mentions: Arc<Mentions>,
    /// The watched macros that it asks for.
    asked: Vec<AskedMacro>,
}

/// A source on its way to a [`SourceUnit`], with its imports by name.
struct Parsed {
    name: String,
    unit: SourceUnit,
    imports: Vec<Import>,
}

/// An import as it is written, with the file that it is written in, and whether it is exported.
struct Import {
    path: ast::Ident,
    from: String,
    exported: bool,
}

/// The sources of a program.
pub(super) fn load(
    loader: &dyn Loader,
    files: &[&str],
    options: &Options,
    diags: &mut Diagnostics,
    sources: &mut Sources,
    mentions: &mut Mentions,
    asked: &mut Vec<AskedMacro>,
) -> Input {
    let shared = options.shared.clone().unwrap_or_default();
    Frontend { loader, options, shared: &shared, diags, sources, mentions, asked }.load(files)
}

struct Frontend<'a> {
    loader: &'a dyn Loader,
    options: &'a Options,
    shared: &'a Shared,
    diags: &'a mut Diagnostics,
    sources: &'a mut Sources,
    mentions: &'a mut Mentions,
    asked: &'a mut Vec<AskedMacro>,
}

impl Frontend<'_> {
    fn load(mut self, files: &[&str]) -> Input {
        let mut units: Vec<Parsed> = Vec::new();
        for file in files {
            let parsed = self.source(file);
            if self.is_part(&parsed) {
                continue;
            }
            // All Slang files are one translation unit, each HLSL file is one (rule `layout-order`).
            let slang = parsed.unit.language == Language::Slang;
            match units.iter_mut().find(|u| slang && u.unit.language == Language::Slang) {
                Some(first) => {
                    first.unit.files.extend(parsed.unit.files);
                    first.imports.extend(parsed.imports);
                }
                None => units.push(parsed),
            }
        }
        let modules = self.modules(&mut units);
        let unit = |p: Parsed| p.unit;
        Input {
            units: units.into_iter().map(unit).collect(),
            modules: modules.into_iter().map(unit).collect(),
            bodies: self.options.shared.as_ref().map(|shared| shared.bodies.clone()),
            known_code: self.options.variants.as_ref().map(|variants| variants.code.clone()),
        }
    }

    /// Whether a source is a part of a module, which is checked and compiled with the file of the module alone. A tree has
    /// such files; one that is asked for is an error.
    fn is_part(&mut self, parsed: &Parsed) -> bool {
        let own = parsed.unit.files.iter().take(1).flat_map(|file| file.decls.iter());
        let mut module =
            own.filter_map(|d| if let ast::DeclKind::Implementing(path) = d.kind { Some(path) } else { None });
        let Some(module) = module.next() else { return false };
        if !self.options.skip_libraries {
            let message = format!("this file is a part of the module `{}`", module.name);
            let error = Diagnostic::error(Code::MODULE_NOT_FOUND, module.span, message);
            self.diags.push(error.note("the file of the module is compiled, which brings its parts in by `__include`"));
        }
        true
    }

    /// Imported modules breadth-first, each once.
    fn modules(&mut self, units: &mut [Parsed]) -> Vec<Parsed> {
        let mut modules: Vec<Parsed> = Vec::new();
        for unit in units.iter_mut() {
            unit.unit.imports = self.imports(std::mem::take(&mut unit.imports), &mut modules);
        }
        let mut next = 0;
        while next < modules.len() {
            let imports = std::mem::take(&mut modules[next].imports);
            modules[next].unit.imports = self.imports(imports, &mut modules);
            next += 1;
        }
        modules
    }

    /// The imports of a file: place, index in `modules`, exported.
    fn imports(&mut self, imports: Vec<Import>, modules: &mut Vec<Parsed>) -> Vec<(Span, usize, bool)> {
        let mut found = Vec::new();
        for Import { path, from, exported } in imports {
            found.extend(self.find_module(path, &from).map(|name| (path.span, name, exported)));
        }
        // What another thread reads is waited for only when the others are there.
        for (_, name, _) in &found {
            let slot = self.slot(name);
            if !slot.begun.swap(true, Ordering::Relaxed) {
                self.shared_file(&slot, name);
            }
        }
        let mut list = Vec::new();
        for (span, name, exported) in found {
            let index = modules.iter().position(|m| m.name == name).unwrap_or(modules.len());
            if index == modules.len() {
                modules.push(self.source(&name));
            }
            list.push((span, index, exported));
        }
        list
    }

    /// The canonical name of an imported or `__include`d file. `a_b` may also be the file `a-b.slang`.
    fn find_module(&mut self, path: ast::Ident, from: &str) -> Option<String> {
        let plain = path.name.as_str();
        if plain == crate::stdlib::GLSL {
            // The library has it.
            return None;
        }
        let tried = match locate(self.loader, plain, from) {
            Ok(name) => return Some(name),
            Err(tried) => tried,
        };
        let message = format!("module `{plain}` was not found");
        let note = format!("looked for {}", tried.join(", "));
        self.diags.push(Diagnostic::error(Code::MODULE_NOT_FOUND, path.span, message).note(note));
        None
    }

    /// One source with the files that it `__include`s appended.
    fn source(&mut self, name: &str) -> Parsed {
        let mut files = vec![self.file(name)];
        let mut next = 0;
        while let Some((path, from)) = nth_include(&files, next) {
            next += 1;
            let Some(name) = self.find_module(path, &from) else { continue };
            if !files.iter().any(|f| f.name == name) {
                files.push(self.file(&name));
            }
        }
        let main = &files[0];
        let name = main.name.clone();
        let imports = decls(&files).filter_map(|(d, from)| match d.kind {
            ast::DeclKind::Import(path, exported) => Some(Import { path, from: from.to_owned(), exported }),
            _ => None,
        });
        let unit = SourceUnit {
            name: Symbol::new(&name),
            file: main.file,
            files: files.iter().map(|f| f.ast.clone()).collect(),
            language: Language::of(&name),
            imports: Vec::new(),
        };
        Parsed { imports: imports.collect(), name, unit }
    }

    /// A file with its diagnostics. The first one of a program is its own.
    fn file(&mut self, name: &str) -> ParsedFile {
        let slot = self.sources.files().next().is_some().then(|| self.slot(name));
        let file = match slot.as_ref().and_then(|slot| self.shared_file(slot, name)) {
            Some(shared) => {
                self.sources.share(&shared.sources);
                shared.diags.iter().for_each(|d| self.diags.push(d.clone()));
                shared.file.clone()
            }
            None => read(self.loader, name, self.options, None, self.sources, self.diags),
        };
        self.mentions.extend(&file.mentions);
        self.asked.extend(&file.asked);
        file
    }

    fn slot(&self, name: &str) -> Arc<Slot> {
        let key = (name.to_owned(), self.options.defines.clone(), self.options.limits);
        self.shared.files.lock().unwrap_or_else(|e| e.into_inner()).entry(key).or_default().clone()
    }

    /// The file of a slot; `None` if there are no numbers left for it.
    fn shared_file<'s>(&self, slot: &'s Slot, name: &str) -> Option<&'s SharedFile> {
        let numbers = &self.shared.numbers;
        if slot.file.get().is_none() && numbers.lock().unwrap_or_else(|e| e.into_inner()).are_scarce() {
            return None;
        }
        let new = || {
            let (mut sources, mut diags) = (Sources::default(), Diagnostics::default());
            let file = read(self.loader, name, self.options, Some(numbers), &mut sources, &mut diags);
            sources.record_names(self.loader);
            SharedFile { file, sources: Arc::new(sources), diags: diags.take() }
        };
        Some(slot.file.get_or_init(new))
    }
}

/// What the file of a module may be called, from the file that imports it or an include root.
pub(crate) fn module_files(path: &str) -> Vec<String> {
    let mut candidates = vec![format!("{path}.slang"), format!("{}.slang", path.replace('_', "-"))];
    if path.contains('.') {
        candidates.insert(0, path.to_owned());
    }
    candidates
}

/// The canonical name of the file of a module, or the places that were looked at.
pub(super) fn locate(loader: &dyn Loader, path: &str, from: &str) -> Result<String, Vec<String>> {
    let mut tried = Vec::new();
    for candidate in module_files(path) {
        match loader.include(&candidate, true, from) {
            Ok(loaded) => return Ok(loaded.name),
            Err(LoadError::NotFound(places)) => tried.extend(places),
            Err(LoadError::OtherCase(place)) => {
                tried.push(format!("{place} (it differs in case; `{}` takes it)", LoadError::ANY_CASE_OPTION));
            }
            Err(LoadError::OutsideRoots(place)) => tried.push(format!("{place} (outside of the include roots)")),
            Err(LoadError::Unreadable(reason)) => tried.push(reason),
        }
    }
    tried.dedup();
    Err(tried)
}

/// The shader model of the profile that was asked for, and the stage if all entry points that were asked for have one.
fn shader_target(options: &Options) -> ShaderTarget {
    let asked = options.profile.as_deref().and_then(Profile::parse).filter(|p| p.target == Target::Hlsl);
    let mut stages = options.entries.iter().map(|e| e.stage);
    let first = stages.next().flatten().filter(|first| stages.all(|s| s == Some(*first)));
    let default = ShaderTarget::default();
    ShaderTarget { model: asked.map_or(default.model, |p| p.version), stage: first.map_or(default.stage, dxil_name) }
}

/// DXIL's name of a stage.
fn dxil_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "VERTEX",
        Stage::Hull => "HULL",
        Stage::Domain => "DOMAIN",
        Stage::Geometry => "GEOMETRY",
        Stage::Fragment => "PIXEL",
        Stage::Compute => "COMPUTE",
        Stage::Amplification => "AMPLIFICATION",
        Stage::Mesh => "MESH",
        Stage::RayGeneration => "RAYGENERATION",
        Stage::Intersection => "INTERSECTION",
        Stage::AnyHit => "ANYHIT",
        Stage::ClosestHit => "CLOSESTHIT",
        Stage::Miss => "MISS",
        Stage::Callable => "CALLABLE",
    }
}

/// Preprocesses and parses a file. With `numbers`, its spans are valid in all programs of a build.
fn read(
    loader: &dyn Loader,
    name: &str,
    options: &Options,
    numbers: Option<&Mutex<Numbers>>,
    sources: &mut Sources,
    diags: &mut Diagnostics,
) -> ParsedFile {
    let cache = options.shared.as_ref().map(|shared| shared.tokens.clone());
    let (defines, limits) = (options.defines.clone(), options.limits);
    let watched = options.watched.clone();
    let own_cache = options.variants.as_ref().map(|variants| variants.tokens.clone());
    let target = shader_target(options);
    let how = Preprocess { defines, limits, cache, own_cache, watched, target, language: None };
    let mut tokens = preprocess(loader, name, &how, sources, diags);
    if let Some(numbers) = numbers {
        let mut problems = diags.take();
        let spans = problems.iter_mut().flat_map(|d| d.span.iter_mut().chain(d.labels.iter_mut().map(|l| &mut l.span)));
        let spans = spans.chain(tokens.comments.iter_mut().map(|c| &mut c.span));
        let spans = spans.chain(tokens.tokens.iter_mut().map(|t| &mut t.span));
        // Spans are the keys there, too.
        let mut named: Vec<_> = std::mem::take(&mut tokens.named).into_iter().collect();
        fn of_macro((first, known): &mut (Span, Vec<NamedTokens>)) -> impl Iterator<Item = &mut Span> {
            std::iter::once(first).chain(known.iter_mut().flat_map(|named| [&mut named.last, &mut named.span]))
        }
        let spans = spans.chain(named.iter_mut().flat_map(of_macro));
        let unused = tokens.unused_numbers.iter_mut();
        let spans = spans.chain(unused.flat_map(|of| [&mut of.definition, &mut of.value, &mut of.number.span]));
        let mut ids = spans.map(|span| &mut span.file).chain(&mut tokens.files);
        sources.renumber(&mut numbers.lock().unwrap_or_else(|e| e.into_inner()), &mut ids);
        drop(ids);
        tokens.named = named.into_iter().collect();
        problems.into_iter().for_each(|d| diags.push(d));
    }
    let mut mentions = Mentions::default();
    mentions.add(&tokens);
    let asked = std::mem::take(&mut tokens.asked);
    // What programs share is parsed once for all.
    let variants = options.variants.as_ref().filter(|_| numbers.is_none());
    let unused = std::mem::take(&mut tokens.unused_numbers);
    let mut ast = parse_with_imports(loader, name, &how, &tokens, variants.map(|v| &v.beginnings), diags);
    ast.unused_numbers = unused.into_iter().filter_map(|of| Some((of.clone(), number_of(&of.number)?))).collect();
    let file = tokens.files.first().copied().unwrap_or_default();
    let name = sources.file(file).map_or(name, |f| f.name.as_str()).to_owned();
    ParsedFile { name, file, ast: Arc::new(ast), mentions: Arc::new(mentions), asked }
}

/// Declarations with the files that they are in.
fn decls(files: &[ParsedFile]) -> impl Iterator<Item = (&ast::Decl, &str)> {
    files.iter().flat_map(|f| f.ast.with_namespaces().map(|d| (d, f.name.as_str())))
}

/// The `n`th `__include` of a source, and the file that it is in.
fn nth_include(files: &[ParsedFile], n: usize) -> Option<(ast::Ident, String)> {
    let include = |(d, from): (&ast::Decl, &str)| match d.kind {
        ast::DeclKind::Include(path) => Some((path, from.to_owned())),
        _ => None,
    };
    decls(files).filter_map(include).nth(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::compile;
    use crate::source::MemoryLoader;
    use crate::target::Target;

    const MODULE: &str = "
        import inner;
        enum Mode { Add, Scale = 4 }
        interface IShape { float area(); static const int sides; }
        struct Square : IShape {
            float side;
            float area() { return side * side; }
            static const int sides = 4;
            property float twice { get { return side * 2; } set { side = newValue / 2; } }
            __subscript(int i) -> float { get { return side * i; } }
        }
        struct Box<T : IShape> { T base; float volume(float h) { return base.area() * h + T.sides; } }
        extension Square { float diagonal(int times) { return side * sqrt(2.0) * times; } }
        static const float table[3] = { 1, 2, 3 };
        RWStructuredBuffer<float> log_;
        cbuffer Params { float4 tint; }
        float pick(Mode m, float v) { return m == Mode.Add ? v + table[1] : v * tint.x; }
        float once(float v) { static const float own[2] = { 5, 6 }; return own[int(v) & 1]; }
        float over(int v) { return v; }
        float over(float v) { return v * 2; }
        T largest<T : __BuiltinFloatingPointType>(T a, T b) { return max(a, b) + T(half_of(2.0)); }
        struct Crate<T> { T held; float side; }
        Crate<T> crate<T>(T held, float side) { Crate<T> c; c.held = held; c.side = side; return c; }
        float ordered(float v) { float a = crate<int>(1, v).side; Crate<float> b; b.side = v; return a + b.side; }
        float named(float v) { float a = side_of<Crate<bool>>(v); Crate<uint> b; b.side = v; return a + b.side; }
        float side_of<T>(float v) { T all; return v; }
        float dispatch(IShape shape) { return shape.area(); }
        float shade(float v) {
            Square s; s.side = v; s.twice = v + over(3) + over(v);
            Box<Square> box; box.base = s;
            log_[0] = s[2] + s.diagonal(v);
            float4 mixed = lerp(tint, float4(v), 0.5);
            return ordered(v) + named(v) + box.volume(v) + pick(Mode.Scale, v) + once(v) + largest(v, mixed.y) + dispatch(s) + half_of(v);
        }";

    /// Programs over one module; some have what changes the meaning of names.
    const PROGRAMS: &[&str] = &[
        "",
        "float over(double v) { return 7; }",
        "extension Square { float diagonal(float times) { return times; } }",
        "struct Mine : IShape { float area() { return 9; } static const int sides = 2; } static Mine mine;",
        "import other;",
    ];

    fn texts(loader: &MemoryLoader, file: &str, shared: Option<&Arc<Shared>>) -> Vec<String> {
        let mut options = Options { shared: shared.cloned(), ..Options::default() };
        options.targets = vec![Target::Hlsl, Target::Glsl, Target::Wgsl];
        let output = compile(loader, &[file], &options);
        let texts = output.artifacts.iter().map(|a| a.text().to_owned());
        texts.chain([output.render(false)]).chain(output.reflections.iter().map(|(_, r)| r.to_json())).collect()
    }

    fn loader() -> MemoryLoader {
        let mut loader = MemoryLoader::new()
            .with("lib.slang", MODULE)
            .with("inner.slang", "float half_of(float v) { return v / 2; }")
            .with("other.slang", "import lib; extension Square { float area3() { return area() * 3; } }");
        for (number, program) in PROGRAMS.iter().enumerate() {
            let main = "[shader(\"compute\")] [numthreads(1, 1, 1)]
                void main(uint3 id : SV_DispatchThreadID) { log_[id.x] = shade(id.y); }";
            loader = loader.with(&format!("{number}.slang"), &format!("import lib;\n{program}\n{main}"));
        }
        loader
    }

    #[test]
    fn a_program_is_the_same_alone_and_after_others() {
        let loader = loader();
        let files: Vec<String> = (0..PROGRAMS.len()).map(|n| format!("{n}.slang")).collect();
        let alone: Vec<Vec<String>> = files.iter().map(|f| texts(&loader, f, None)).collect();
        assert!(alone.iter().all(|t| t.len() == 7), "{alone:#?}");
        for first in 0..files.len() {
            let shared = Arc::new(Shared::default());
            for at in (first..files.len()).chain(0..first) {
                assert_eq!(texts(&loader, &files[at], Some(&shared)), alone[at], "{} after {first}", files[at]);
            }
        }
    }

    #[test]
    fn a_body_is_checked_once() {
        let (loader, shared) = (loader(), Arc::new(Shared::default()));
        texts(&loader, "0.slang", Some(&shared));
        // All of the modules but `once`, which has a variable of its own, and those with two instances of one struct.
        assert_eq!(shared.bodies.len(), 15);
        texts(&loader, "1.slang", Some(&shared));
        assert_eq!(shared.bodies.len(), 15);
    }
}
