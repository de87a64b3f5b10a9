//! One program in all of its variants: from a job to the bytes of its outputs. Nothing is written here.

use super::axes::Variant;
use super::complaint::texts_of;
use super::loader::Loaders;
use super::lock::LockFile;
use super::maps::{file_name, map_name};
use super::merged;
use super::merged::product::{Merging, told};
use super::names::{Names, of_variant};
use super::offers::Tried;
use super::order::{Order, OutputUse, SidecarForm};
use super::plan::Job;
use super::variants::{Table, VariantRow};
use crate::compile::{self, Artifact, Options, Output, Target};
use crate::diagnostic::{Code, Message, Severity};
use crate::layout::Unit;
use crate::layout::lock::{Lock, LockInput, ProgramLock};
use crate::lex::AskedMacro;
use crate::reflect::Reflection;
use crate::source_map::{MapForm, SourceMapUse};
use crate::symbol::Symbol;
use crate::tree::Stage;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputKind {
    /// An emitted text, or a binary.
    Text,
    /// A sidecar.
    Sidecar,
    /// A source map, beside its text.
    Map,
    /// A dependency file.
    Depfile,
    /// The table of variants.
    Table,
    /// What no entry point uses, as a text: trees have it in headers.
    Spare,
}

/// A file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// Its path below the output directory.
    pub name: String,
    /// What it is.
    pub kind: OutputKind,
    /// Of a text: the entry point that it is of, if it is not of all.
    pub entry: Option<String>,
    /// For which target; the table of variants is for all.
    pub target: Option<Target>,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// What became of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// Everything was emitted.
    #[default]
    Done,
    /// It has no entry points: a module or include.
    Library,
    /// It has errors, or a validator refused a text.
    Failed,
    /// Options do not fit.
    Misused,
    /// A fault of ours.
    Internal,
}

/// A compiled program.
#[derive(Debug, Default)]
pub struct Product {
    /// Its outputs, those of equal bytes once.
    pub files: Vec<OutputFile>,
    /// What was found in it.
    pub messages: Vec<Message>,
    /// What became of it, of all variants the worst.
    pub fate: Fate,
    /// Targets of which a variant failed.
    pub failed: BTreeMap<Target, usize>,
    /// It has errors, and no entry points.
    pub is_broken: bool,
    /// The files that it was read from, as the user names them.
    pub dependencies: Vec<String>,
    /// The same as names in sidecars, with what was read.
    pub inputs: Vec<(String, super::loader::FileInput)>,
    /// Where files were looked for in vain, as names in sidecars.
    pub misses: BTreeSet<String>,
    /// What a lock records of it from now on.
    pub records: Option<ProgramLock>,
    /// How many variants it has.
    pub variants: usize,
    /// Functions that look like entry points but were not taken for any, as in a manifest: `VSMain:vertex`.
    pub passed_over: BTreeSet<String>,
}

/// Compiles a program.
pub fn compile_job(
    order: &Order,
    job: &Job,
    variants: &[Variant],
    lock: Option<&LockFile>,
    loaders: &Loaders,
) -> Product {
    let (loader, shared) = loaders.get(order.include.iter().chain(&job.settings.include), order.any_case(job));
    let mut options = order.job_options(job);
    let targets = options.targets.clone();
    options.shared = Some(shared);
    let is_varied = variants.len() > 1 || variants.iter().any(|v| !v.is_empty());
    let mut making = Making {
        order,
        job,
        names: Names::new(job, &order.template, variants.len() > 1),
        targets,
        lock: lock.map(|lock| lock.input(&job.files, !job.is_program)),
        product: Product { variants: variants.len(), ..Product::default() },
        said: BTreeSet::new(),
        table: Table::new(job, variants),
        compiled: Vec::new(),
        constants: BTreeSet::new(),
        libraries: 0,
        maps: options.source_map,
        has_map_texts: options.source_map_content,
        before: 0,
        conditions: (variants.len() > 1 && options.permutations.is_merged()).then(BTreeSet::new),
        sidecars: VecDeque::new(),
    };
    let sources: Vec<String> = job.files.iter().map(|f| f.to_string_lossy().replace('\\', "/")).collect();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let plain = options.defines.clone();
    options.watched = variants.first().into_iter().flatten().map(|(axis, _)| Symbol::new(axis)).collect();
    options.variants = is_varied.then(Arc::default);
    for variant in variants {
        if making.is_known(variant) {
            continue;
        }
        options.defines = with_variant(&plain, variant);
        options.lock = making.lock.clone();
        let output = compile::compile_on_this_thread(loader.as_ref(), &sources, &options);
        making.add(variant, variants.len() > 1, output, &options);
    }
    if is_varied && making.product.fate == Fate::Done && order.outputs != OutputUse::Drop {
        let tried = Tried {
            loader: loader.as_ref(),
            sources: &sources,
            options: &options,
            asked: making.compiled.iter().flat_map(|known| &known.asked).copied().collect(),
            taken: making.constants.iter().copied().collect(),
        };
        making.table.offer(tried.offers(variants, &making.targets));
    }
    making.merge(&options);
    let mut product = making.finish(is_varied);
    for name in &product.dependencies {
        use crate::source::Loader;
        product.inputs.extend(loader.input(name).map(|input| (loader.recorded_name(name), input)));
        product.misses.extend(loader.misses(name));
    }
    product
}

/// The macros of a variant, in place of others of their names.
fn with_variant(plain: &[(String, Option<String>)], variant: &Variant) -> Vec<(String, Option<String>)> {
    let mut defines = plain.to_vec();
    defines.retain(|(name, _)| variant.iter().all(|(axis, _)| axis != name));
    let defined = variant.iter().filter_map(|(axis, value)| Some((axis.clone(), Some(value.clone()?))));
    defines.extend(defined);
    defines
}

/// A variant that was compiled: its values of the axes that its sources ask for, by which others are known to be the same.
struct KnownVariant {
    asked: Vec<AskedMacro>,
    variant: Variant,
}

/// The state of one program's compilation.
struct Making<'a> {
    order: &'a Order<'a>,
    job: &'a Job,
    names: Names<'a>,
    targets: Vec<Target>,
    lock: Option<LockInput>,
    product: Product,
    /// What was said of variants before.
    said: BTreeSet<String>,
    table: Table,
    compiled: Vec<KnownVariant>,
    /// The ids of specialization constants.
    constants: BTreeSet<u64>,
    libraries: usize,
    /// What becomes of source maps, and whether they have texts.
    maps: SourceMapUse,
    has_map_texts: bool,
    /// How many files are of the variants before.
    before: usize,
    /// The conditions of the sources, if variants are merged.
    conditions: Option<BTreeSet<String>>,
    /// The last sidecars, with their texts.
    sidecars: VecDeque<(Target, Reflection, Vec<u8>)>,
}

impl Making<'_> {
    /// Whether a variant is the same as one that was compiled: they agree on all axes that its sources ask for.
    fn is_known(&mut self, variant: &Variant) -> bool {
        let is_same = |known: &&KnownVariant| {
            let both = known.variant.iter().zip(variant);
            both.filter(|(a, b)| a != b).all(|((axis, _), _)| known.asked.iter().all(|asked| asked.name != **axis))
        };
        let Some(known) = self.compiled.iter().find(is_same) else { return false };
        self.table.same(variant, &known.variant);
        true
    }

    /// Adds the outputs of a variant.
    fn add(&mut self, variant: &Variant, is_named: bool, output: Output, options: &Options) {
        self.say(variant, &output);
        self.before = self.product.files.len();
        if let Some(conditions) = &mut self.conditions {
            output.sources.files().for_each(|(_, file)| merged::of_source(&file.text, conditions));
        }
        self.compiled.push(KnownVariant { asked: output.asked.clone(), variant: variant.clone() });
        for name in &output.dependencies {
            if !self.product.dependencies.contains(name) {
                self.product.dependencies.push(name.clone());
            }
        }
        for (_, name, stage) in &output.passed_over {
            let stage = stage.map_or("STAGE", Stage::name);
            self.product.passed_over.insert(format!("{name}:{stage}"));
        }
        let has_errors = output.has_errors();
        if output.entries.is_empty() && !has_errors {
            self.libraries += 1;
            return;
        }
        self.product.is_broken |= options.skip_libraries && output.entries.is_empty();
        self.product.fate = self.product.fate.max(Fate::of(&output));
        if let Some(records) = output.records.clone().filter(|_| !has_errors) {
            self.record(records);
        }
        let leaves = output.reflections.iter().flat_map(|(_, reflection)| &reflection.leaves);
        let constants = leaves.filter(|leaf| leaf.kind == Unit::Specialization.word());
        self.constants.extend(constants.filter_map(|leaf| leaf.index));
        let name = if is_named { of_variant(variant) } else { None };
        let mut row = VariantRow::default();
        for target in self.targets.clone() {
            if !self.add_target(name.as_deref(), &output, target, &mut row) {
                *self.product.failed.entry(target).or_default() += 1;
            }
        }
        self.table.own(variant, row);
    }

    /// Adds what was found in a variant, unless the same was said of another one.
    fn say(&mut self, variant: &Variant, output: &Output) {
        let color = self.order.color;
        let mut messages = output.messages(color);
        let inferred = output.inferred.iter().filter(|_| self.order.verbose);
        messages.extend(inferred.map(|line| Message::without_place(Severity::Note, None, line, color)));
        let left_out = output.spare.left_out.iter().filter(|_| self.order.verbose);
        messages.extend(left_out.map(|(target, name)| {
            let text = format!("`{name}`, which no entry point uses, has no {} text by itself", target.name());
            Message::without_place(Severity::Note, None, &text, color)
        }));
        messages.extend(output.dumps.iter().map(|dump| Message {
            rendered: format!("{dump}\n"),
            ..Message::without_place(Severity::Note, None, dump, color)
        }));
        messages.retain(|message| self.said.insert(message.rendered.clone()));
        if let Some(name) = of_variant(variant) {
            messages.iter_mut().for_each(|message| message.add_note(&format!("in the variant {name}")));
        }
        self.product.messages.extend(messages);
    }

    fn error(&mut self, code: Code, text: &str) {
        self.product.messages.push(Message::without_place(Severity::Error, Some(code), text, self.order.color));
        self.product.fate = self.product.fate.max(Fate::Failed);
    }

    /// What a variant records is there for the next one.
    fn record(&mut self, records: ProgramLock) {
        if let Some(lock) = &mut self.lock {
            let program = lock.program.clone();
            lock.lock =
                Arc::new(Lock { programs: [(program, records.clone())].into(), schema: lock.lock.schema.clone() });
        }
        self.product.records = Some(records);
    }

    /// Adds the texts and the sidecar of one target, if all are right.
    fn add_target(&mut self, variant: Option<&str>, output: &Output, target: Target, row: &mut VariantRow) -> bool {
        let artifacts: Vec<_> = output.artifacts.iter().filter(|a| a.target == target).collect();
        if artifacts.is_empty() {
            return false;
        }
        if !self.are_valid(variant, &artifacts, output) {
            return false;
        }
        let mut names = Vec::new();
        for artifact in artifacts {
            let name = self.names.text(variant, artifact);
            if names.contains(&name) {
                return self.same_name(&name);
            }
            names.push(name.clone());
            let entry = artifact.entry.map(|(name, _)| name);
            let text = OutputFile {
                name,
                kind: OutputKind::Text,
                entry: entry.map(|entry| entry.as_str().to_owned()),
                target: Some(target),
                bytes: artifact.bytes.clone(),
            };
            let name = text.name.clone();
            let written = self.file(text);
            // A text that is there already has its map.
            if let Some(map) =
                artifact.source_map.as_ref().filter(|_| self.maps != SourceMapUse::None && written == name)
            {
                let form = MapForm { file: file_name(&name), way: "", has_texts: self.has_map_texts };
                let (bytes, entry) = (map.to_json(&form).into_bytes(), entry.map(|entry| entry.as_str().to_owned()));
                let (name, kind, target) = (map_name(&name), OutputKind::Map, Some(target));
                self.product.files.push(OutputFile { name, kind, entry, target, bytes });
            }
            row.texts.push((target, entry, written, self.names.text(None, artifact)));
        }
        output.spare.texts.iter().filter(|text| text.target == target).for_each(|text| self.add_spare(variant, text));
        if let Some((_, reflection)) = output.reflections.iter().find(|(t, _)| *t == target)
            && let Some(bytes) = self.sidecar(target, reflection)
        {
            let name = self.names.sidecar(variant, target);
            let (kind, entry, target) = (OutputKind::Sidecar, None, Some(target));
            row.sidecars.extend(target.map(|t| (t, self.file(OutputFile { name, kind, entry, target, bytes }))));
        }
        if self.order.depfiles {
            let name = self.names.depfile(variant, target);
            self.file(depfile(self.order, name, target, &names, &output.dependencies));
        }
        true
    }

    /// The text of a sidecar. Most variants have the interface of one before them.
    fn sidecar(&mut self, target: Target, reflection: &Reflection) -> Option<Vec<u8>> {
        /// More are not kept.
        const MOST: usize = 16;
        let is_same = |(of, known, _): &&(Target, Reflection, Vec<u8>)| *of == target && known == reflection;
        if let Some((_, _, bytes)) = self.sidecars.iter().find(is_same) {
            return Some(bytes.clone());
        }
        let bytes = sidecar(reflection, self.order.sidecar)?;
        if self.product.variants > 1 {
            self.sidecars.truncate(MOST - 1);
            self.sidecars.push_front((target, reflection.clone(), bytes.clone()));
        }
        Some(bytes)
    }

    /// Adds what no entry point uses. What validators do not take is left out.
    fn add_spare(&mut self, variant: Option<&str>, text: &Artifact) {
        let Some(map) = &text.source_map else { return };
        if !(self.order.validator)(text).is_empty() {
            return;
        }
        let (name, target) = (self.names.spare(variant, text), Some(text.target));
        let form = MapForm { file: file_name(&name), way: "", has_texts: self.has_map_texts };
        let map = OutputFile {
            name: map_name(&name),
            kind: OutputKind::Map,
            entry: None,
            target,
            bytes: map.to_json(&form).into_bytes(),
        };
        // What uses it is no part of it.
        let entry = text.emitted.first().map(|(name, _)| name.as_str().to_owned());
        let file = OutputFile { name, kind: OutputKind::Spare, entry, target, bytes: text.bytes.clone() };
        let name = file.name.clone();
        if self.file(file) == name {
            self.product.files.push(map);
        }
    }

    /// Whether validators take the texts of a target. What they say of them is reported where the sources have it.
    fn are_valid(&mut self, variant: Option<&str>, artifacts: &[&Artifact], output: &Output) -> bool {
        let mut are_valid = true;
        for artifact in artifacts {
            let text = self.order.shown(&self.names.text(variant, artifact));
            for complaint in (self.order.validator)(artifact) {
                let map = artifact.source_map.as_ref();
                let program = self.job.path().display().to_string();
                let message = complaint.message((&program, &text), map, &texts_of(output), self.order.color);
                self.product.messages.push(message);
                self.product.fate = self.product.fate.max(Fate::Failed);
                are_valid = false;
            }
        }
        are_valid
    }

    fn same_name(&mut self, name: &str) -> bool {
        let path = self.job.path().display();
        let fault = format!("{path}: several entry points would be written to `{name}`: put `{{entry}}` into `output`");
        self.error(Code::OUTPUT_CLASH, &fault);
        false
    }

    /// Adds a file; if another variant has one of the same bytes for the target and the entry point, that stands for it. Gives
    /// the name of what stands for it.
    fn file(&mut self, file: OutputFile) -> String {
        let ending = |file: &OutputFile| file.name.rsplit_once('.').map(|(_, ending)| ending.to_owned());
        let is_same = |f: &&OutputFile| {
            let of_one = f.target == file.target && f.kind == file.kind && ending(f) == ending(&file);
            of_one && f.entry == file.entry && f.bytes == file.bytes
        };
        if let Some(same) = self.product.files.iter().take(self.before).find(is_same) {
            return same.name.clone();
        }
        let name = file.name.clone();
        self.product.files.push(file);
        name
    }

    /// Puts texts of all variants in the place of theirs, where that is asked for and every one of them is there.
    fn merge(&mut self, options: &Options) {
        let Some(conditions) = self.conditions.take().filter(|_| self.product.fate == Fate::Done) else { return };
        let (has_lines, has_map_texts) = (options.line_directives, self.has_map_texts);
        let merging =
            Merging { order: self.order, names: &self.names, conditions: &conditions, has_lines, has_map_texts };
        let form = |target: &Target| Some((*target, options.permutations.conditionals(*target)?));
        for (target, form) in self.targets.iter().filter_map(form) {
            if let Err(why) = merging.merge((target, form), &mut self.product, &mut self.table) {
                let (messages, is_error) = told(self.job.path(), (target, &why), &options.severity, self.order.color);
                if is_error {
                    self.product.fate = Fate::Failed;
                }
                self.product.messages.extend(messages);
            }
        }
    }

    fn finish(mut self, is_varied: bool) -> Product {
        if self.libraries > 0 && self.libraries == self.compiled.len() {
            self.product.fate = self.product.fate.max(Fate::Library);
            return self.product;
        }
        if is_varied && self.product.fate == Fate::Done {
            let bytes = self.table.to_json().into_bytes();
            let (name, kind) = (self.names.table(), OutputKind::Table);
            self.product.files.push(OutputFile { name, kind, entry: None, target: None, bytes });
        }
        self.product
    }
}

impl Fate {
    /// What diagnostics mean.
    pub fn of(output: &Output) -> Fate {
        let has = |code: Code| output.diagnostics.iter().any(|d| d.code == code);
        match output.has_errors() {
            false => Fate::Done,
            true if has(Code::INTERNAL) => Fate::Internal,
            true if has(Code::BAD_OPTION) => Fate::Misused,
            true => Fate::Failed,
        }
    }

    /// Whether something could not be emitted.
    pub fn is_error(self) -> bool {
        match self {
            Fate::Done | Fate::Library => false,
            Fate::Failed | Fate::Misused | Fate::Internal => true,
        }
    }
}

/// The bytes of a sidecar.
fn sidecar(reflection: &Reflection, form: SidecarForm) -> Option<Vec<u8>> {
    match form {
        SidecarForm::Full => Some(reflection.to_json().into_bytes()),
        SidecarForm::Compact => Some(reflection.to_compact_json().into_bytes()),
        SidecarForm::None => None,
    }
}

/// The dependency file of outputs.
pub fn depfile(order: &Order, name: String, target: Target, outputs: &[String], read: &[String]) -> OutputFile {
    let outputs: Vec<String> = outputs.iter().map(|n| escape(&order.shown(n))).collect();
    let inputs: Vec<String> = read.iter().chain(&order.read_besides).map(|name| escape(name)).collect();
    let bytes = format!("{}: {}\n", outputs.join(" "), inputs.join(" ")).into_bytes();
    OutputFile { name, kind: OutputKind::Depfile, entry: None, target: Some(target), bytes }
}

/// Escapes a name for Make.
pub fn escape(path: &str) -> String {
    path.replace('$', "$$").replace(' ', "\\ ").replace('#', "\\#")
}
