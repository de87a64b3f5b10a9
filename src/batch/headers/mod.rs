//! `build --layout tree`: one output a source file. What programs have in common by including the same header is in one header again,
//! which their texts include.
//!
//! | file | what |
//! |---|---|
//! | `units` | the declarations of a text, with the names that each declares and uses |
//! | `read` | the texts of a build, and where their declarations come from |
//! | `sharing` | which declarations stand in headers |
//! | `includes` | the order in which sources include each other |
//! | `variants` | texts of variants as one |
//! | `files` | the texts and headers as files |
//! | `imports` | lines by which texts of WGSL name what they need |
//! | `whole` | a text with its headers |
//!
//! A flat build comes first, into a directory of its own below that of records, with source maps: it is what validators see, what
//! caches have, and what decides what is built again. The tree is made of its texts, and is right if each text with its headers has
//! the same declarations as the flat one, token for token, besides those that are in its headers for others; that is checked for each.

mod files;
mod imports;
mod includes;
mod read;
mod sharing;
mod units;
mod variants;
mod whole;

use super::driver::{Built, Difference};
use super::finding::Finding;
use super::merged::product::told;
use super::order::{Order, WgslImports};
use super::program::{Fate, OutputKind, depfile};
use super::write::write_if_changed;
use super::{digest::Stamp, maps, record};
use crate::compile::{Options, PermutationTexts, Target};
use crate::diagnostic::Code;
use crate::options::Choices;
use crate::reflect::Reflection;
use crate::reflect::model::TextModules;
use crate::source_map::{MappedLine, SourceMap, SourceMapUse};
use files::TreeFiles;
use includes::SourceIncludes;
use serde::{Deserialize, Serialize};
use sharing::{HeaderForm, HeaderSharing};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use variants::{VariantPrograms, VariantText, permutations};
pub use whole::ExpandedText;

/// Where the flat build is, below the output directory.
pub fn flat_directory(out: &Path) -> PathBuf {
    out.join(record::DIRECTORY).join("flat")
}

/// A text with its headers, for validators.
#[derive(Debug)]
pub struct WholeText {
    /// Its name below the output directory.
    pub name: String,
    /// What a compiler sees: headers in place of the lines that include them. Of WGSL, the modules behind the text.
    pub text: String,
    /// The name of its sidecar.
    pub sidecar: String,
}

/// What is told of a tree.
#[derive(Debug, Default)]
pub struct WrittenTree {
    /// The texts that include headers.
    pub whole: Vec<WholeText>,
    /// What no program uses and headers cannot have.
    pub left_out: BTreeSet<String>,
    /// Its files.
    pub names: TreeFileNames,
}

/// The files of a tree beside those of a flat build.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
pub struct TreeFileNames {
    /// Each header with its source.
    pub headers: BTreeMap<String, String>,
    /// Outputs of the flat build that are none of the tree, with those that are in their place.
    replaced: BTreeMap<String, String>,
    /// All files.
    #[serde(skip)]
    pub all: BTreeSet<String>,
}

impl TreeFileNames {
    /// Has the outputs of programs be those of the tree.
    pub fn rename(&self, built: &mut Built) {
        for (_, report) in &mut built.reports {
            let mut seen: BTreeSet<Arc<str>> = BTreeSet::new();
            report.outputs.retain_mut(|output| {
                if let Some(other) = self.replaced.get(&*output.name) {
                    output.name = other.as_str().into();
                }
                self.all.contains(&*output.name) && seen.insert(output.name.clone())
            });
        }
    }
}

/// What becomes of a tree.
#[derive(Clone, Copy, Debug)]
pub struct TreeOrder<'a> {
    /// Where it goes.
    pub out: &'a Path,
    /// It is written; else only differences to what is there are found.
    pub writes: bool,
    /// Files of earlier trees that are of no program any more are removed.
    pub prunes: bool,
    /// How texts of WGSL name what they need.
    pub imports: WgslImports,
    /// Sidecars are written. Those of the flat build are there in any case.
    pub sidecars: bool,
    /// The choices of the command line, which say whether texts of variants are merged.
    pub choices: &'a Choices,
}

/// What was written before.
#[derive(Serialize, Deserialize, Default)]
struct TreeRecord {
    /// Each file with what the system said of it.
    outputs: BTreeMap<String, Stamp>,
    /// Files of earlier trees.
    stale: Vec<String>,
    /// How texts of WGSL name what they need, whether there are sidecars, and whose variants are merged.
    form: String,
    /// Programs whose variants stay separate, with the target and the reason.
    separate: Vec<(String, String, String)>,
    names: TreeFileNames,
}

/// Makes the tree of a flat build, which `order` was for. Of `built`, differences and stale outputs are those of the tree from now
/// on. Only names are told if the tree is right as it is.
pub fn write_tree(built: &mut Built, order: &Order, tree: &TreeOrder) -> Result<WrittenTree, Finding> {
    let out = tree.out;
    let path = out.join(record::DIRECTORY).join("tree.json");
    let before: TreeRecord =
        std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let is_same = |(name, stamp): (&String, &Stamp)| Stamp::of(&out.join(name)) == Some(*stamp);
    let is_right = !before.outputs.is_empty() && before.outputs.iter().all(is_same);
    let merged: Vec<PermutationTexts> = built.reports.iter().map(|(job, _)| permutations(tree.choices, job)).collect();
    let maps = MapUse::of(built, order, tree);
    let form = format!("{:?} {} {merged:?} {maps:?}", tree.imports, tree.sidecars);
    let is_right = is_right && before.form == form;
    if is_right
        && before.stale.is_empty()
        && built.stale.is_empty()
        && built.reports.iter().all(|(_, report)| report.reason.is_none())
    {
        tell_separate(built, order, tree.choices, &before.separate);
        let names = TreeFileNames { all: before.outputs.into_keys().collect(), ..before.names };
        return Ok(WrittenTree { names, ..WrittenTree::default() });
    }
    let mut making = TreeMaking {
        order,
        out,
        imports: tree.imports,
        sidecars: tree.sidecars,
        choices: tree.choices,
        maps,
        outputs: BTreeMap::new(),
        names: TreeFileNames::default(),
        separate: Vec::new(),
        whole: Vec::new(),
        left_out: BTreeSet::new(),
    };
    making.texts(built)?;
    making.others(built)?;
    let TreeMaking { outputs, whole, left_out, separate, names, .. } = making;
    let names = TreeFileNames { all: outputs.keys().cloned().collect(), ..names };
    tell_separate(built, order, tree.choices, &separate);
    let known = before.outputs.keys().chain(&before.stale);
    built.stale = known.filter(|name| !outputs.contains_key(*name) && out.join(name).is_file()).cloned().collect();
    if !tree.writes {
        let changed = outputs.into_iter().filter_map(|(name, new)| {
            let old = std::fs::read(out.join(&name)).ok();
            (old.as_ref() != Some(&new)).then_some(Difference { name, old, new })
        });
        let changed: Vec<Difference> = changed.collect();
        built.reports.iter_mut().take(1).for_each(|(_, report)| report.differences = changed.clone());
        return Ok(WrittenTree { whole, left_out, names });
    }
    let in_way = |path: &Path, e: std::io::Error| {
        Finding::error(Code::OUTPUT, format!("cannot write {}: {e}", path.display())).in_file(path)
    };
    let mut written = TreeRecord { form, separate, names: names.clone(), ..TreeRecord::default() };
    for (name, bytes) in &outputs {
        let path = out.join(name);
        write_if_changed(&path, bytes, None).map_err(|e| in_way(&path, e))?;
        written.outputs.extend(Stamp::of(&path).map(|stamp| (name.clone(), stamp)));
    }
    if tree.prunes {
        built.stale.iter().for_each(|name| drop(std::fs::remove_file(out.join(name))));
    }
    written.stale = built.stale.iter().filter(|name| out.join(name).is_file()).cloned().collect();
    let bytes = serde_json::to_vec(&written).unwrap_or_default();
    write_if_changed(&path, &bytes, None).map_err(|e| in_way(&path, e))?;
    Ok(WrittenTree { whole, left_out, names })
}

/// Says of programs that variants stay separate texts.
fn tell_separate(built: &mut Built, order: &Order, choices: &Choices, separate: &[(String, String, String)]) {
    for (job, report) in &mut built.reports {
        let mut options = Options::default();
        job.settings.apply(choices, &mut options);
        let id = job.id(&built.base);
        for (_, target, why) in separate.iter().filter(|(program, ..)| *program == id) {
            let Some(target) = record::target_of(target) else { continue };
            let (messages, is_error) = told(job.path(), (target, why), &options.severity, order.color);
            report.messages.extend(messages);
            if is_error {
                report.fate = report.fate.max(Fate::Failed);
            }
        }
    }
}

/// What becomes of source maps.
#[derive(Debug)]
struct MapUse {
    form: SourceMapUse,
    has_texts: bool,
    /// From the output directory to what names of sources are relative to.
    way: String,
}

impl MapUse {
    /// Headers are of several programs: they have maps if one of those is to have them.
    fn of(built: &Built, order: &Order, tree: &TreeOrder) -> MapUse {
        let options = built.reports.iter().map(|(job, _)| {
            let mut options = order.options(Vec::new());
            job.settings.apply(tree.choices, &mut options);
            options
        });
        let wanted = options.into_iter().find(|options| options.source_map != SourceMapUse::None);
        let (form, has_texts) = wanted.map_or((SourceMapUse::None, false), |o| (o.source_map, o.source_map_content));
        MapUse { form, has_texts, way: maps::way(tree.out, &built.base) }
    }
}

/// A tree in the making.
struct TreeMaking<'a> {
    /// Of the flat build.
    order: &'a Order<'a>,
    out: &'a Path,
    imports: WgslImports,
    sidecars: bool,
    choices: &'a Choices,
    maps: MapUse,
    /// What is to be written.
    outputs: BTreeMap<String, Vec<u8>>,
    names: TreeFileNames,
    /// Programs whose variants stay separate, with the target and the reason.
    separate: Vec<(String, String, String)>,
    /// The texts that include headers.
    whole: Vec<WholeText>,
    /// What no program uses and headers cannot have.
    left_out: BTreeSet<String>,
}

impl TreeMaking<'_> {
    /// The texts and headers, target for target.
    fn texts(&mut self, built: &Built) -> Result<(), Finding> {
        let includes = SourceIncludes::of_build(built);
        let mut variants = VariantPrograms::of(built, self.order, self.choices)?;
        for target in Target::TABLE.iter().map(|row| row.target) {
            let Some(language) = target.text_language() else { continue };
            let numbers = variants.numbers(target);
            let (texts, count) = read::texts_with_spare(built, self.order.out, target, &numbers)?;
            if texts.is_empty() {
                continue;
            }
            let read: Vec<sharing::ReadText> = texts.iter().map(|text| text.read.clone()).collect();
            let (outputs, _) = read.split_at(count);
            let mains = || texts.iter().take(count).map(|text| text.mains.clone()).collect();
            // Texts that headers are not right for which need something of them.
            let mut without: BTreeSet<usize> = BTreeSet::new();
            let mut needs_texts = language.includes() || self.imports.are_of_one_module();
            let files = loop {
                let form = HeaderForm { language, imports: self.imports, needs_texts };
                let mut sharing = HeaderSharing::of(outputs, form, &without);
                sharing.set_sources(includes.clone(), mains(), language.includes());
                let left_out = sharing.add_spare(&read, count, form);
                let how = (target, language, self.imports);
                let files = TreeFiles::new((&texts, count), (sharing, &includes), how, &built.base);
                let wrong = files.unequal();
                let Some(first) = wrong.first().and_then(|number| texts.get(*number)) else {
                    self.left_out.extend(left_out.into_iter().map(|name| format!("{}: {name}", target.name())));
                    break files;
                };
                if !files.needs_texts() {
                    let name = &first.name;
                    let text =
                        format!("the headers of {name} do not give back its text: build it with `--layout flat`");
                    return Err(Finding::error(Code::INTERNAL, text));
                }
                needs_texts = without.is_empty();
                without.extend(wrong);
            };
            for (source, header) in &files.headers {
                self.names.headers.insert(header.name.clone(), (*source).to_owned());
                self.put(&header.name, &header.text, &files, &|| files.lines_of_header(source));
            }
            self.merge(built, &mut variants, target, &files);
            let mut modules: BTreeMap<String, Vec<TextModules>> = BTreeMap::new();
            for (number, text) in texts.iter().enumerate() {
                let Some(file) = files.texts.get(number) else { continue };
                let name = self.names.replaced.get(&text.name).cloned();
                if name.is_none() {
                    self.put(&text.name, &file.text, &files, &|| files.lines_of_text(number));
                }
                let Some(sidecar) = text.sidecar.clone().filter(|_| !file.headers.is_empty()) else { continue };
                let names = file.headers.iter().filter_map(|source| files.headers.get(source));
                let names: Vec<String> = names.map(|header| header.name.clone()).collect();
                let text_name = name.unwrap_or_else(|| text.name.clone());
                let of_sidecar = modules.entry(sidecar.clone()).or_default();
                match of_sidecar.iter_mut().find(|known| known.text == text_name) {
                    Some(known) => {
                        let added = names.into_iter().filter(|name| !known.files.contains(name)).collect::<Vec<_>>();
                        known.files.extend(added);
                    }
                    None => of_sidecar.push(TextModules { text: text_name, files: names }),
                }
                let whole = files.whole(number);
                self.whole.push(WholeText { name: text.name.clone(), text: whole, sidecar });
            }
            for (sidecar, modules) in modules {
                let bytes = self.with_modules(&sidecar, modules)?;
                if self.sidecars {
                    self.outputs.insert(sidecar, bytes);
                }
            }
        }
        self.outputs.extend(variants.tables());
        Ok(())
    }

    /// Adds a text or header, with its map if that is wanted.
    fn put(&mut self, name: &str, text: &str, files: &TreeFiles, lines: &dyn Fn() -> Vec<Option<MappedLine>>) {
        let map = || maps::written(&files.map(&lines()), name, self.maps.has_texts, &self.maps.way);
        let (comment, map) = match self.maps.form {
            SourceMapUse::None => (String::new(), None),
            SourceMapUse::File => (SourceMap::comment(maps::file_name(&maps::map_name(name))), map()),
            SourceMapUse::Inline => (map().map(|json| SourceMap::inline_comment(&json)).unwrap_or_default(), None),
        };
        self.outputs.extend(map.map(|json| (maps::map_name(name), json.into_bytes())));
        self.outputs.insert(name.to_owned(), format!("{text}{comment}").into_bytes());
    }

    /// Puts texts of all variants in the place of theirs, where that is asked for.
    fn merge(&mut self, built: &Built, variants: &mut VariantPrograms, target: Target, files: &TreeFiles) {
        for number in variants.numbers(target) {
            let Some((job, report)) = built.reports.get(number) else { continue };
            let texts = match variants.merge(number, target, files) {
                Ok(texts) => texts,
                Err(why) => {
                    self.separate.push((job.id(&built.base), target.name().to_owned(), why));
                    continue;
                }
            };
            let names: Vec<String> = texts.iter().map(|text| text.name.clone()).collect();
            if let Some(name) = variants.depfile(number, target).filter(|_| !names.is_empty()) {
                let of_target = report.outputs.iter().filter(|output| output.target == Some(target));
                let of_variants = of_target.filter(|output| output.kind == OutputKind::Depfile);
                self.names.replaced.extend(of_variants.map(|output| (output.name.to_string(), name.clone())));
                let file = depfile(self.order, name.clone(), target, &names, &report.dependencies);
                self.outputs.insert(name, self.moved_depfile(&file.bytes));
            }
            for VariantText { name, text, lines, replaced } in texts {
                self.names.replaced.extend(replaced.into_iter().map(|own| (own, name.clone())));
                self.put(&name, &text, files, &|| lines.clone());
            }
        }
    }

    /// A dependency file of the flat build as one of the tree.
    fn moved_depfile(&self, bytes: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(bytes);
        let shown = |directory: &Path| super::escape(&directory.to_string_lossy().replace('\\', "/")) + "/";
        text.replace(&shown(self.order.out), &shown(self.out)).into_bytes()
    }

    /// A sidecar that says which files a text needs, in the form that it has.
    fn with_modules(&self, name: &str, modules: Vec<TextModules>) -> Result<Vec<u8>, Finding> {
        let path = self.order.out.join(name);
        let text = super::documents::read_text(&path)?;
        let mut sidecar = Reflection::read(&text).map_err(|fault| Finding::of_json(&path, &text, fault))?;
        sidecar.modules = modules;
        let is_compact = text.trim_end().lines().count() < 2;
        Ok(if is_compact { sidecar.to_compact_json() } else { sidecar.to_json() }.into_bytes())
    }

    /// All other outputs are those of the flat build. Dependency files name the outputs of the tree.
    fn others(&mut self, built: &Built) -> Result<(), Finding> {
        let outputs = built.reports.iter().flat_map(|(_, report)| &report.outputs);
        let names: BTreeMap<&str, OutputKind> = outputs.map(|output| (&*output.name, output.kind)).collect();
        for (name, kind) in names {
            let is_unwanted = match kind {
                OutputKind::Map | OutputKind::Spare => true,
                OutputKind::Sidecar => !self.sidecars,
                OutputKind::Text | OutputKind::Depfile | OutputKind::Table => false,
            };
            if is_unwanted || self.outputs.contains_key(name) || self.names.replaced.contains_key(name) {
                continue;
            }
            let path = self.order.out.join(name);
            let fault = |e| Finding::error(Code::UNREADABLE, format!("cannot read {}: {e}", path.display()));
            let mut bytes = std::fs::read(&path).map_err(fault)?;
            if kind == OutputKind::Depfile {
                bytes = self.moved_depfile(&bytes);
            }
            self.outputs.insert(name.to_owned(), bytes);
        }
        Ok(())
    }
}
