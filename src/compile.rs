//! The list of stages, readable top to bottom: [`compile`] takes names of sources, a [`Loader`] that brings their texts, and
//! [`Options`]; it gives diagnostics and, per target, the emitted texts with their sidecars. It does no I/O.

mod frontend;
mod spare;
mod type_names;
mod variants;

use crate::check::{self, EntryRequest, Input};
use crate::diagnostic::{self, Code, Diagnostic, Diagnostics, WarningLevel, WarningRule, severities};
use crate::emit::{self, TextStyle};
use crate::layout::lock::{self, LockInput};
use crate::layout::rules::{self, Rules};
use crate::layout::{self, Api, Policy, ProgramLayout, Settings, SizedArrays};
use crate::lex::AskedMacro;
use crate::limits::Limits;
use crate::reflect;
use crate::source::{FileId, Loader, Sources, Span};
use crate::source_map::{SourceMap, SourceMapUse, source_map};
use crate::symbol::Symbol;
pub use crate::target::Target;
use crate::target::{Capability, Conditionals, Profile};
use crate::tree::{Access, AttributeArg, BufferKind, GlobalId, Length, MatrixOrder, Program, Recorder, Stage, Type};
use crate::{legalize, stdlib};
pub use frontend::Shared;
#[cfg(feature = "cli")]
pub(crate) use frontend::module_files;
pub(crate) use spare::SpareCode;
use std::collections::BTreeSet;
use std::sync::Arc;
pub(crate) use variants::Variants;

/// Which rules lay out the bytes of buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BufferLayout {
    /// Each target's own.
    #[default]
    Native,
    /// D3D's bytes on every target.
    D3d,
    /// `std140` for every buffer.
    Std140,
    /// `std430` for every buffer.
    Std430,
    /// Scalar block layout for every buffer.
    Scalar,
}

impl BufferLayout {
    /// (name in options, layout).
    pub const TABLE: &[(&str, BufferLayout)] = &[
        ("native", BufferLayout::Native),
        ("d3d", BufferLayout::D3d),
        ("std140", BufferLayout::Std140),
        ("std430", BufferLayout::Std430),
        ("scalar", BufferLayout::Scalar),
    ];

    /// The rules of constant buffers and of structured buffers, if they are not each target's own.
    fn rules(self, policy: &Policy) -> Option<(&'static Rules, &'static Rules)> {
        match self {
            BufferLayout::Native => None,
            BufferLayout::D3d => Some((policy.buffers.d3d_constant, policy.buffers.d3d_structured)),
            BufferLayout::Std140 => Some((&rules::STD140, &rules::STD140)),
            BufferLayout::Std430 => Some((&rules::STD430, &rules::STD430)),
            BufferLayout::Scalar => Some((policy.buffers.scalar, policy.buffers.scalar)),
        }
    }
}

/// What becomes of the texts of a program's variants.
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PermutationTexts {
    /// Each variant has its own, unless another one has the same.
    #[default]
    Separate,
    /// They are one, with `#if`, on targets whose languages have that.
    Merged,
    /// They are one on all targets of which people read the texts: with `#if`, or with the `@if` of WESL.
    MergedWesl,
}

impl PermutationTexts {
    /// (name in options, use).
    pub const TABLE: &[(&str, PermutationTexts)] = &[
        ("separate", PermutationTexts::Separate),
        ("merged", PermutationTexts::Merged),
        ("merged-wesl", PermutationTexts::MergedWesl),
    ];

    /// Whether texts of some targets are one.
    pub(crate) fn is_merged(self) -> bool {
        Target::TABLE.iter().any(|row| self.conditionals(row.target).is_some())
    }

    /// How the one text of a target says what only some variants have; `None`: there is no such text.
    pub(crate) fn conditionals(self, target: Target) -> Option<Conditionals> {
        let known = target.conditionals()?;
        let is_wanted = match (self, known) {
            (PermutationTexts::Separate, Conditionals::Directives | Conditionals::Attributes) => false,
            (PermutationTexts::Merged, Conditionals::Directives) => true,
            (PermutationTexts::Merged, Conditionals::Attributes) => false,
            (PermutationTexts::MergedWesl, Conditionals::Directives | Conditionals::Attributes) => true,
        };
        is_wanted.then_some(known)
    }
}

/// What the buffers of a root signature's constants become on APIs that have push constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RootConstants {
    /// They stay constant buffers with bindings.
    #[default]
    Buffer,
    /// They are push constants.
    Push,
}

impl RootConstants {
    /// (name in options, use).
    pub const TABLE: &[(&str, RootConstants)] = &[("buffer", RootConstants::Buffer), ("push", RootConstants::Push)];
}

/// How to compile: targets, macros and entry points, and a setter for each option of the command line.
///
/// ```
/// use shaderport::{BufferLayout, Options, Policy, Target};
///
/// let options = Options::for_target(Target::Wgsl)
///     .target(Target::Hlsl)
///     .define("QUALITY", Some("2"))
///     .binding_policy(Policy::DXC)
///     .buffer_layout(BufferLayout::D3d);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// What to write.
    pub targets: Vec<Target>,
    /// A profile by name (`sm_6_6`, `glsl_460`); `None` for each target's default. Names of other targets are ignored.
    pub profile: Option<String>,
    /// Entry points; empty for all of the files.
    pub entries: Vec<EntryRequest>,
    /// Find entry points by the customs of D3D trees when none is marked.
    pub infer_entries: bool,
    /// Macros.
    pub defines: Vec<(String, Option<String>)>,
    /// Storage order of matrices without a modifier.
    pub matrix_order: MatrixOrder,
    /// How bindings are assigned.
    pub policy: Policy,
    /// Explicit positions of parameters that the policy drops are kept from others.
    pub reserve_unused: bool,
    /// The size that arrays of resources without one get on targets that have no such arrays.
    pub unsized_array_size: Option<u32>,
    /// Derivatives stay where flow differs between invocations, if they cannot be moved, on targets that check them.
    pub varying_derivatives: bool,
    /// The y of positions is negated where the last stage before rasterization writes them, except in HLSL.
    pub invert_y: bool,
    /// The `w` of `SV_Position` in fragment shaders is D3D's, and not the reciprocal of it that other targets have.
    pub dx_position_w: bool,
    /// Ranges of bindings that register classes are mapped to on Vulkan and WebGPU.
    pub shift: layout::Shift,
    /// Binding or `b` register, and set or space, of the buffer of plain globals.
    pub globals_binding: Option<(u32, u32)>,
    /// Binding and set of the descriptors that `ResourceDescriptorHeap` finds, where the target has no heaps.
    pub resource_heap: Option<(u32, u32)>,
    /// The same of `SamplerDescriptorHeap`.
    pub sampler_heap: Option<(u32, u32)>,
    /// Textures are combined with the samplers that they are read through, in languages that have both.
    pub combine_samplers: bool,
    /// What root constants become.
    pub root_constants: RootConstants,
    /// The bytes of buffers.
    pub buffer_layout: BufferLayout,
    /// Registers and semantics of the source stand as comments where the text has none.
    pub register_comments: bool,
    /// How texts are laid out.
    pub style: TextStyle,
    /// Which types values of interfaces from outside may be of.
    pub conformances: Vec<check::Conformance>,
    /// Warn of structs whose bytes differ between targets.
    pub lint_layout: bool,
    /// Warn of stages that do not read what the stage before them writes.
    pub lint_stages: bool,
    /// What becomes of warnings.
    pub severity: Vec<WarningRule>,
    /// What becomes of source maps, for whoever writes texts. With any use, [`Artifact::source_map`] is there.
    pub source_map: SourceMapUse,
    /// Source maps have the texts of the sources in them when they are written.
    pub source_map_content: bool,
    /// Texts have `#line` where the next line comes from elsewhere, if their language has that.
    pub line_directives: bool,
    /// What becomes of variants, for whoever writes texts of several.
    pub permutations: PermutationTexts,
    /// How much a program may have.
    pub limits: Limits,
    /// Name of a legalization pass after which the tree is dumped.
    pub dump_after: Option<String>,
    /// Name of a legalization pass that does nothing, for tests of the tests.
    pub(crate) left_out_pass: Option<String>,
    /// Sidecars of what cannot be emitted too: what a target does not support is a warning, and there is no text of it.
    pub(crate) layouts_anyway: bool,
    /// The positions that parameters had before, which they keep; what is recorded from now on is in the output.
    pub(crate) lock: Option<LockInput>,
    /// Tell why everything is where it is.
    pub(crate) explain: bool,
    /// A file without entry points is no error: it is a module or include of others.
    pub(crate) skip_libraries: bool,
    /// What the programs of a build share that are compiled with one loader.
    pub(crate) shared: Option<Arc<Shared>>,
    /// What the variants of a program share that are compiled with the same options but for macros.
    pub(crate) variants: Option<Arc<Variants>>,
    /// Macros of which the output tells whether the sources ask for them.
    pub(crate) watched: Arc<[Symbol]>,
    /// Maps are wanted though they are not written: messages about texts are told of the sources.
    pub(crate) maps_texts: bool,
    /// What no entry point uses of the files that programs include is wanted, too.
    pub(crate) spare_code: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            targets: Vec::new(),
            profile: None,
            entries: Vec::new(),
            infer_entries: true,
            defines: Vec::new(),
            matrix_order: MatrixOrder::Column,
            policy: Policy::SPEC,
            reserve_unused: false,
            unsized_array_size: None,
            varying_derivatives: false,
            invert_y: false,
            dx_position_w: true,
            combine_samplers: false,
            root_constants: RootConstants::Buffer,
            shift: layout::Shift::NONE,
            globals_binding: None,
            resource_heap: None,
            sampler_heap: None,
            buffer_layout: BufferLayout::Native,
            register_comments: false,
            style: TextStyle::default(),
            conformances: Vec::new(),
            lint_layout: false,
            lint_stages: false,
            severity: Vec::new(),
            source_map: SourceMapUse::None,
            source_map_content: false,
            line_directives: false,
            permutations: PermutationTexts::Separate,
            limits: Limits::USUAL,
            dump_after: None,
            left_out_pass: None,
            layouts_anyway: false,
            lock: None,
            explain: false,
            skip_libraries: false,
            shared: None,
            variants: None,
            watched: Arc::default(),
            maps_texts: false,
            spare_code: false,
        }
    }
}

impl Options {
    /// Defaults for one target.
    pub fn for_target(target: Target) -> Options {
        Options { targets: vec![target], ..Options::default() }
    }

    /// Adds a target. Without any, a program is only checked.
    pub fn target(mut self, target: Target) -> Options {
        self.targets.push(target);
        self
    }

    /// Adds an entry point, with its stage if nothing in the source says it. Without any, all of the sources are.
    pub fn entry(mut self, name: &str, stage: Option<Stage>) -> Options {
        self.entries.push(EntryRequest { name: name.to_owned(), stage, file: None });
        self
    }

    /// Whether entry points are found by the customs of D3D trees where none is marked; the default is yes.
    pub fn infer_entries(mut self, infer: bool) -> Options {
        self.infer_entries = infer;
        self
    }

    /// Defines a macro.
    pub fn define(mut self, name: &str, value: Option<&str>) -> Options {
        self.defines.push((name.to_owned(), value.map(str::to_owned)));
        self
    }
}

/// One emitted text.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// For which target.
    pub target: Target,
    /// The version of its language: the shader model, GLSL's version (4, 60).
    pub version: (u32, u32),
    /// GLSL: the entry point it is for.
    pub entry: Option<(Symbol, Stage)>,
    /// The entry points in it, by the names that they have in it.
    pub emitted: Vec<(Symbol, Stage)>,
    /// The text; for SPIR-V the words.
    pub bytes: Vec<u8>,
    /// The WGSL that SPIR-V or Metal was made from; else empty.
    pub intermediate: String,
    /// Which token comes from where, if that was asked for. SPIR-V and Metal have none.
    pub source_map: Option<SourceMap>,
}

impl Artifact {
    /// The text; empty for a binary.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or("")
    }
}

/// The result of [`compile`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Output {
    /// What was found, in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that diagnostics point into.
    pub(crate) sources: Sources,
    /// What was emitted. A target with an error has none.
    pub artifacts: Vec<Artifact>,
    /// One sidecar a target that was emitted.
    pub reflections: Vec<(Target, reflect::Reflection)>,
    /// Why everything is where it is, if that was asked for; one list a sidecar.
    pub(crate) explanations: Vec<Vec<reflect::explain::Explanation>>,
    /// Names of all files read, in order of loading.
    pub dependencies: Vec<String>,
    /// Entry points found by custom, with reasons.
    pub inferred: Vec<String>,
    /// Functions that look like entry points but were not taken for any: file, name, and the stage that they seem to be of.
    pub passed_over: Vec<(Symbol, Symbol, Option<Stage>)>,
    /// Entry points of the program.
    pub entries: Vec<(Symbol, Stage)>,
    /// The names of the files that declare them, in the same order.
    pub entry_files: Vec<Symbol>,
    /// Those of the watched macros that the sources ask for.
    pub(crate) asked: Vec<AskedMacro>,
    /// Trees after the pass asked for, per target.
    pub dumps: Vec<String>,
    /// What the lock of the options holds of this program from now on; `None` without one.
    pub(crate) records: Option<lock::ProgramLock>,
    /// What no entry point uses, if that was asked for.
    pub(crate) spare: SpareCode,
}

impl Output {
    /// Whether anything could not be emitted.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == diagnostic::Severity::Error)
    }

    /// File, line and column of a span, counted from 1, where the user's own text has it.
    pub fn position(&self, span: Span) -> Option<(&str, usize, usize)> {
        let site = self.sources.use_site(span);
        let (line, column) = self.sources.line_column(site.file, site.start);
        Some((self.sources.file(site.file)?.name.as_str(), line + 1, column + 1))
    }

    /// The diagnostics for programs. Colors are for their texts for people.
    pub(crate) fn messages(&self, color: bool) -> Vec<diagnostic::Message> {
        diagnostic::Message::of(&self.diagnostics, &self.sources, color)
    }

    /// The diagnostics as text for people.
    pub fn render(&self, color: bool) -> String {
        diagnostic::render(&self.diagnostics, &self.sources, color)
    }
}

/// Bytes of stack for the recursive stages; their depth limits are sized to it.
pub(crate) const STACK_BYTES: usize = 256 << 20;

/// Compiles one program.
pub fn compile(loader: &dyn Loader, files: &[&str], options: &Options) -> Output {
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, || compile_on_this_thread(loader, files, options));
        thread.ok().and_then(|t| t.join().ok())
    });
    result.unwrap_or_else(|| fault_of_ours(files))
}

/// Compiles one program on a thread that has [`STACK_BYTES`] of stack, as those of a batch have. A fault of ours becomes a
/// diagnostic rather than the end of the process.
pub(crate) fn compile_on_this_thread(loader: &dyn Loader, files: &[&str], options: &Options) -> Output {
    let run = || Compilation::new(options).run(loader, files);
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_or_else(|_| fault_of_ours(files))
}

fn fault_of_ours(files: &[&str]) -> Output {
    let message = "shaderport failed inside; please report this with the source";
    let fault = Diagnostic::global(Code::INTERNAL, message).note(format!("while compiling {}", files.join(", ")));
    Output { diagnostics: vec![fault], ..Output::default() }
}

/// The state of one compilation.
struct Compilation<'a> {
    options: &'a Options,
    diags: Diagnostics,
    output: Output,
    /// Where the text of the lock is among the sources.
    lock_file: Option<FileId>,
}

impl<'a> Compilation<'a> {
    fn new(options: &'a Options) -> Self {
        Compilation { options, diags: Diagnostics::default(), output: Output::default(), lock_file: None }
    }

    fn run(mut self, loader: &dyn Loader, files: &[&str]) -> Output {
        let mut mentions = stdlib::Mentions::default();
        let (diags, sources) = (&mut self.diags, &mut self.output.sources);
        let input = frontend::load(loader, files, self.options, diags, sources, &mut mentions, &mut self.output.asked);
        self.output.sources.record_names(loader);
        if !self.diags.has_errors() {
            let options = check::Options {
                entries: self.options.entries.clone(),
                infer_entries: self.options.infer_entries,
                allow_no_entries: self.options.targets.is_empty() || self.options.skip_libraries,
                default_matrix_order: self.options.matrix_order,
                ignores_unfit_registers: self.options.policy.explicit.unfit_registers_ignored,
                places_as_dxc: self.options.policy.explicit.as_dxc,
                pack_matrix: self.options.policy.matrices.pack_pragma,
                matrix_order_on_arrays: self.options.policy.matrices.order_on_arrays,
                entries_as_asked: self.options.policy.order.entries_as_asked,
                separate_units: !self.options.policy.units.merged,
                conformances: self.options.conformances.clone(),
                limits: self.options.limits,
                keeps_unused: false,
                targets: self.languages(),
            };
            let spare_mentions = self.options.spare_code.then(|| mentions.clone());
            let (program, report) = self.check(&input, &options, mentions);
            self.output.inferred = report.inferred;
            self.output.passed_over = report.passed_over;
            self.output.entries = program.entry_points.iter().map(|e| (e.name, e.stage)).collect();
            let functions = program.entry_points.iter().map(|e| program.functions[e.function].span);
            let file = |span| self.output.position(span).map_or("", |(file, ..)| file).into();
            self.output.entry_files = functions.map(file).collect();
            if self.options.lint_layout && !self.diags.has_errors() {
                layout::lint::lint(&program, self.options.policy, &mut self.diags);
            }
            if self.options.lint_stages && !self.diags.has_errors() {
                layout::lint_stages::lint(&program, self.options.policy, &mut self.diags);
            }
            if !self.diags.has_errors() && !program.entry_points.is_empty() {
                let lock = self.options.lock.as_ref();
                let known = |input: &LockInput| input.lock.programs.get(&input.program).cloned().unwrap_or_default();
                self.output.records = lock.map(known);
                // After all files of the program, so that messages about the lock come last.
                self.lock_file = lock.map(|input| self.output.sources.add(&input.name, input.text.clone()));
                for target in &self.options.targets {
                    self.target(&program, *target);
                }
                if let Some(mentions) = spare_mentions.filter(|_| !self.diags.has_errors()) {
                    self.output.spare = self.spare_code(&input, &options, &mentions, files);
                }
            }
        }
        self.output.dependencies = self.output.sources.dependencies();
        if let Some(lock) = &self.options.lock {
            // It is written to as well: a build system that waits for it would never end.
            self.output.dependencies.retain(|name| *name != lock.name);
        }
        self.output.diagnostics = self.diags.take();
        diagnostic::sort(&mut self.output.diagnostics, &self.output.sources);
        self.apply_severities();
        self.output
    }

    /// Warnings are what the options make of them. One that is an error leaves nothing that could be used.
    fn apply_severities(&mut self) {
        let is_lowered = |rule: &WarningRule| self.options.layouts_anyway && rule.level == WarningLevel::Error;
        let rules: Vec<WarningRule> = self.options.severity.iter().filter(|rule| !is_lowered(rule)).copied().collect();
        if severities::apply(&rules, &mut self.output.diagnostics) {
            self.output.artifacts.clear();
            self.output.reflections.clear();
            self.output.explanations.clear();
        }
    }

    /// The words for the languages of the targets; none if that of one is not known.
    fn languages(&self) -> Vec<Symbol> {
        let language = |target: &Target| self.usual_profile(*target).map(|p| Symbol::new(p.language.name()));
        let languages: Option<Vec<Symbol>> = self.options.targets.iter().map(language).collect();
        languages.unwrap_or_default()
    }

    /// Checks with what of the library the program mentions. Errors are reported only with all of it in view.
    fn check(
        &mut self,
        input: &Input,
        options: &check::Options,
        mentions: stdlib::Mentions,
    ) -> (Program, check::Report) {
        let (mentions, library) = match &self.options.variants {
            Some(variants) => variants.library(mentions),
            None => {
                let library = mentions.stdlib();
                (Arc::new(mentions), library)
            }
        };
        let mut diags = Diagnostics::default();
        let mut result = check::check(&library, input, options, &mut diags);
        if diags.has_errors() && !library.whole {
            diags = Diagnostics::default();
            result = check::check(mentions.whole(), input, options, &mut diags);
        }
        self.output.sources.set_library(stdlib::sources);
        diags.take().into_iter().for_each(|d| self.diags.push(d));
        result
    }

    /// Layout, legalization, emission and reflection for one target. Nothing is kept of a target with errors.
    fn target(&mut self, program: &Program, target: Target) {
        let Some(profile) = self.profile(target) else { return };
        let settings = settings(profile, self.options);
        let mut diags = Diagnostics::default();
        let program = layout::prepare(program, &settings, profile.name, &mut diags);
        let program = program.as_ref();
        if diags.has_errors() {
            diags.take().into_iter().for_each(|d| self.diags.push(d));
            return;
        }
        let no_records = lock::Records::new();
        let view = self.options.lock.as_ref().map(|input| lock::View {
            records: self
                .output
                .records
                .as_ref()
                .and_then(|r| r.apis.get(settings.api.facts().word))
                .unwrap_or(&no_records),
            sources: &self.output.sources,
            file: self.lock_file,
            program: &input.program,
            api: settings.api,
            frozen: input.frozen,
        });
        let used = settings.policy.drop_unused.then(|| used_globals(program, settings.api));
        let layout = layout::place(program, settings, used, view, &mut diags);
        report_overlaps(program, &layout, self.options.layouts_anyway, &mut diags);
        let unusable = layout::faults::faults(program, &layout, &profile.facts);
        let usable = unusable.iter().all(|d| d.severity != diagnostic::Severity::Error);
        self.report_faults(unusable, &mut diags);
        if diags.list().iter().any(|d| d.code == Code::LOCKED && d.severity == diagnostic::Severity::Error) {
            // The rest would only say the same again, of buffers whose parts overlap.
            diags.take().into_iter().for_each(|d| self.diags.push(d));
            return;
        }
        let legal = usable.then(|| self.legalized(program, &layout, profile, &mut diags)).flatten();
        let mut artifacts = Vec::new();
        let pieces = self.wants_maps();
        let printing = emit::Options { style: self.options.style, pieces, ..emit::Options::default() };
        let texts = |legal: &Program| emit::emit(legal, profile, &printing, &self.output.sources);
        for (legal, text) in legal.iter().flat_map(|legal| texts(legal).into_iter().map(move |text| (legal, text))) {
            let entry = text.entry.and_then(|i| program.entry_points.get(i)).map(|e| (e.name, e.stage));
            let own = legal.entry_points.iter().enumerate().filter(|(i, _)| text.entry.is_none_or(|own| own == *i));
            let emitted = own.map(|(_, e)| (legal.functions[e.function].name, e.stage)).collect();
            artifacts.extend(self.artifact(profile, entry, emitted, text, &mut diags));
        }
        self.check_size(target, program, &artifacts, &mut diags);
        let failed = diags.has_errors();
        for diagnostic in diags.take() {
            self.diags.push(diagnostic);
        }
        if !failed {
            self.output.artifacts.extend(artifacts);
            if let (Some(records), Some(now)) = (&mut self.output.records, layout.records.clone()) {
                records.apis.insert(settings.api.facts().word.to_owned(), now);
            }
            let reflection = reflect::reflect(program, &layout, legal.as_ref(), profile, &self.output.sources);
            self.output.reflections.push((target, reflection));
            if self.options.explain {
                self.output.explanations.push(reflect::explain::explain(program, &layout, &self.output.sources));
            }
        }
    }

    /// Whether it has to be known where tokens come from.
    fn wants_maps(&self) -> bool {
        let Options { source_map, maps_texts, line_directives, .. } = self.options;
        *source_map != SourceMapUse::None || *maps_texts || *line_directives
    }

    /// Reports more text than there may be, at the first entry point.
    fn check_size(&self, target: Target, program: &Program, artifacts: &[Artifact], diags: &mut Diagnostics) {
        let size: u64 = artifacts.iter().map(|a| a.bytes.len() as u64).sum();
        let limit = self.options.limits.output;
        if size > limit {
            let span = program.entry_points.first().map_or(Span::default(), |e| program.functions[e.function].span);
            let message = format!("the text for {} has {size} bytes; the limit is {limit}", target.name());
            diags.push(Diagnostic::error(Code::OUTPUT_SIZE, span, message).note("`--limit output=N` sets another one"));
        }
    }

    /// The program as the target can have it; `None` where it cannot.
    fn legalized(
        &mut self,
        program: &Program,
        layout: &ProgramLayout,
        profile: &Profile,
        diags: &mut Diagnostics,
    ) -> Option<Program> {
        let mut legal = program.clone();
        let dumps = &mut self.output.dumps;
        let wanted = self.options.dump_after.as_deref();
        let is_recorded = self.options.source_map != SourceMapUse::None;
        let mut recorder = is_recorded.then(|| Recorder::new(program));
        let mut dump = |pass: &'static str, program: &Program| {
            if wanted == Some(pass) {
                dumps.push(crate::tree::dump::dump(program));
            }
            recorder.iter_mut().for_each(|recorder| recorder.note(pass, program));
        };
        let mut faults = Diagnostics::default();
        legalize::run(&mut legal, layout, profile, &mut faults, Some(&mut dump), &legalization(self.options));
        legal.made = recorder.map(|recorder| Arc::new(recorder.made()));
        let lacks = faults.has_errors();
        self.report_faults(faults.take(), diags);
        (!lacks && !diags.has_errors()).then_some(legal)
    }

    /// What a text cannot be made of, though a sidecar can tell of it.
    fn report_faults(&self, faults: Vec<Diagnostic>, diags: &mut Diagnostics) {
        for mut fault in faults {
            if self.options.layouts_anyway {
                fault.severity = fault.severity.min(diagnostic::Severity::Warning);
            }
            diags.push(fault);
        }
    }

    fn profile(&mut self, target: Target) -> Option<&'static Profile> {
        if let Some(name) = self.options.profile.as_deref().filter(|name| Profile::parse(name).is_none()) {
            let message = format!("there is no profile `{name}`");
            self.diags.push(Diagnostic::global(Code::BAD_OPTION, message));
            return None;
        }
        self.usual_profile(target)
    }

    /// The profile that was asked for, if it is of the target.
    fn usual_profile(&self, target: Target) -> Option<&'static Profile> {
        let asked = self.options.profile.as_deref().and_then(Profile::parse);
        asked.filter(|profile| profile.target == target).or_else(|| Profile::default_of(target))
    }

    fn artifact(
        &self,
        profile: &Profile,
        entry: Option<(Symbol, Stage)>,
        emitted: Vec<(Symbol, Stage)>,
        emit::Text { text, pieces, .. }: emit::Text,
        diags: &mut Diagnostics,
    ) -> Option<Artifact> {
        let Profile { target, version, .. } = *profile;
        let map = self.wants_maps().then(|| source_map(&text, &pieces, &self.output.sources));
        let form = profile.line_form().filter(|_| self.options.line_directives);
        let (text, map) = match (map, form) {
            (Some(map), Some(form)) => {
                let (text, map) = map.with_line_directives(&text, form);
                (text, Some(map))
            }
            (map, _) => (text, map),
        };
        let (made, intermediate) = match target {
            Target::Spirv => (crate::validate::wgsl_to_spirv(&text), text),
            Target::Metal => (crate::validate::wgsl_to_metal(&text).map(String::into_bytes), text),
            Target::Hlsl | Target::Glsl | Target::Wgsl => (Ok(text.into_bytes()), String::new()),
        };
        // The map is of the text that was made into something else.
        let source_map = map.filter(|_| intermediate.is_empty());
        match made {
            Ok(bytes) => Some(Artifact { target, version, entry, emitted, bytes, intermediate, source_map }),
            Err(message) => {
                diags.push(Diagnostic::global(Code::VALIDATION, message));
                None
            }
        }
    }
}

/// How programs are legalized.
fn legalization(options: &Options) -> legalize::Options<'_> {
    legalize::Options {
        varying_derivatives: options.varying_derivatives,
        invert_y: options.invert_y,
        combine_samplers: options.combine_samplers,
        target_position_w: !options.dx_position_w,
        register_comments: options.register_comments,
        shared_structs: options.spare_code,
        fixed_names: options.policy.entry_uniforms.fixed_names,
        left_out: options.left_out_pass.as_deref(),
    }
}

/// What a policy that drops parameters keeps. HLSL gets the registers that DXC gives; the texts of other APIs need a binding
/// for all that they mention.
fn used_globals(program: &Program, api: Api) -> BTreeSet<GlobalId> {
    if api == Api::D3d {
        return crate::usage::Users::of(program).used_globals();
    }
    let reached = program.reachable_globals();
    // The declaration behind an array of one type has the place of both.
    let with_declared = |id: GlobalId| [Some(id), program.globals[id].views].into_iter().flatten();
    reached.iter().flatten().copied().flat_map(with_declared).collect()
}

/// Explicit positions that overlap are an error where an entry point reaches both parameters, as in D3D. A texture and a
/// sampler in one Vulkan binding are two views of a combined image sampler.
fn report_overlaps(program: &Program, layout: &ProgramLayout, anyway: bool, diags: &mut Diagnostics) {
    let api = layout.settings.api;
    // Constants of the size of a work group are in the text of the entry point, too.
    let reached = program.reachable_globals();
    let named = program.entry_points.iter().zip(reached.iter());
    let reach: Vec<BTreeSet<GlobalId>> = match layout.overlaps.is_empty() {
        true => Vec::new(),
        false => named.map(|(entry, globals)| globals.iter().copied().chain(entry.globals()).collect()).collect(),
    };
    let innermost = |g: GlobalId| program.types.get(program.types.innermost(program.globals[g].ty));
    let is_sampler = |g: GlobalId| matches!(innermost(g), Type::Sampler(_));
    let is_texture = |g: GlobalId| matches!(innermost(g), Type::Texture(t) if !t.combined);
    let unbounded = |g: Option<GlobalId>| {
        g.is_some_and(|g| matches!(program.types.get(program.globals[g].ty), Type::Array(_, Length::Unsized)))
    };
    let clash = |a: Option<GlobalId>, reach: &[&BTreeSet<GlobalId>], b: Option<GlobalId>| match (a, b) {
        (Some(a), Some(b)) => {
            let halves = || is_sampler(a) && is_texture(b) || is_texture(a) && is_sampler(b);
            let bound = |g: GlobalId| program.globals[g].explicit.vk_binding.is_some();
            let kind = |g: GlobalId| descriptor_kind(&innermost(g));
            // Vulkan lets variables of one kind of descriptor have one binding, which the source says of both: views of
            // other types, or arrays without bounds. Two alike are a mistake.
            let other = || innermost(a) != innermost(b) || unbounded(Some(a)) && unbounded(Some(b));
            let views = || bound(a) && bound(b) && kind(a).is_some() && kind(a) == kind(b) && other();
            reach.iter().any(|r| r.contains(&b)) && !(api == Api::Vulkan && (halves() || views()))
        }
        _ => true,
    };
    for overlap in &layout.overlaps {
        let placed = overlap.placed;
        let with: Vec<&BTreeSet<GlobalId>> =
            reach.iter().filter(|r| placed.is_some_and(|placed| r.contains(&placed))).collect();
        let clashes = layout.met(overlap).iter().any(|other| clash(placed, &with, *other));
        // Arrays without bounds at one explicit binding are how bindless engines declare the views of their descriptors.
        let met = layout.met(overlap);
        if !clashes && unbounded(placed) && met.iter().all(|other| unbounded(*other)) {
            continue;
        }
        let refused = layout.settings.policy.explicit.overlap_is_error || overlap.never && !anyway;
        let mut diagnostic = overlap.diagnostic.clone();
        if clashes && refused && !asked_for(program, layout, overlap) {
            diagnostic.severity = diagnostic::Severity::Error;
        }
        diags.push(diagnostic);
    }
}

/// Which kind of descriptor a resource is on Vulkan, of those that variables of other types may share (Vulkan, section
/// "Shader Resource Interface").
fn descriptor_kind(ty: &Type) -> Option<u8> {
    match ty {
        Type::Sampler(_) => Some(0),
        Type::Texture(t) if t.combined => Some(1),
        Type::Texture(t) if t.access == Access::Read => Some(2),
        Type::Texture(_) => Some(3),
        Type::Buffer(BufferKind::Typed, Access::Read, _) => Some(4),
        Type::Buffer(BufferKind::Typed, ..) => Some(5),
        Type::Buffer(..) => Some(6),
        Type::ConstantBuffer(_, _) => Some(7),
        Type::AccelerationStructure => Some(8),
        _ => None,
    }
}

/// Whether what overlaps may, and all of it says so: `[allow("overlapping-bindings")]`.
fn asked_for(program: &Program, layout: &layout::ProgramLayout, overlap: &layout::Overlap) -> bool {
    let says = |g: GlobalId| {
        program.globals[g]
            .attributes
            .iter()
            .any(|a| a.name == *"allow" && a.args.contains(&AttributeArg::Text("overlapping-bindings".into())))
    };
    let owners = || [overlap.placed].into_iter().chain(layout.met(overlap).iter().copied());
    layout.settings.api == Api::Vulkan && owners().all(|g| g.is_some_and(says))
}

/// Which arrays of a target specialization constants may size.
fn sized_arrays(profile: &Profile) -> SizedArrays {
    match (profile.has(Capability::SizedVariables), profile.has(Capability::SizedSharedArrays)) {
        (true, _) => SizedArrays::Variables,
        (false, true) => SizedArrays::Shared,
        (false, false) => SizedArrays::Never,
    }
}

/// The layout settings of a profile under the options.
pub fn settings(profile: &Profile, options: &Options) -> Settings {
    let api = profile.facts.api;
    // A policy may hold a profile that nobody asked for to be an old one.
    let asked = options.profile.is_some() || api != Api::D3d || !options.policy.blocks.need_profile;
    let block_spaces = profile.facts.spaces && asked;
    let unsized_array_size = options.unsized_array_size.filter(|_| !profile.has(Capability::UnboundedResourceArrays));
    let settings = Settings {
        block_spaces,
        unsized_array_size,
        sized_arrays: sized_arrays(profile),
        shift: if api.facts().classes { layout::Shift::NONE } else { options.shift },
        globals_binding: options.globals_binding,
        native_heaps: Settings::native(api, options.policy).native_heaps,
        heap_bindings: layout::HeapBindings { resources: options.resource_heap, samplers: options.sampler_heap },
        reserve_unused: options.reserve_unused,
        pushes_root_constants: options.root_constants == RootConstants::Push,
        targets_claim_registers: api == Api::D3d && !block_spaces && options.policy.explicit.targets_claim_registers,
        ..Settings::native(api, options.policy)
    };
    match options.buffer_layout.rules(&options.policy) {
        Some((constant, structured)) => settings.with_rules(constant, structured),
        None => settings,
    }
}
