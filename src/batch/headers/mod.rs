//! `build --layout tree`: one output a source file. What programs have in common by including the same header is in one header again,
//! which their texts include.
//!
//! | file | what |
//! |---|---|
//! | `units` | the declarations of a text, with the names that each declares and uses |
//! | `read` | the texts of a build, and where their declarations come from |
//! | `sharing` | which declarations stand in headers |
//! | `includes` | the order in which sources include each other |
//! | `files` | the texts and headers as files |
//! | `imports` | lines by which texts of WGSL name what they need |
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

use super::driver::{Built, Difference};
use super::finding::Finding;
use super::order::Order;
use super::program::OutputKind;
use super::write::write_if_changed;
use super::{digest::Stamp, record};
use crate::compile::Target;
use crate::diagnostic::Code;
use crate::reflect::Reflection;
use crate::reflect::model::TextModules;
use files::TreeFiles;
pub use imports::WgslImports;
use includes::SourceIncludes;
use serde::{Deserialize, Serialize};
use sharing::HeaderSharing;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

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
}

/// What was written before.
#[derive(Serialize, Deserialize, Default)]
struct TreeRecord {
    /// Each file with what the system said of it.
    outputs: BTreeMap<String, Stamp>,
    /// Files of earlier trees.
    stale: Vec<String>,
    /// How texts of WGSL name what they need, and whether there are sidecars.
    form: String,
}

/// Makes the tree of a flat build, which `order` was for. Of `built`, differences and stale outputs are those of the tree from now
/// on. Nothing is told if the tree is right as it is.
pub fn write_tree(built: &mut Built, order: &Order, tree: &TreeOrder) -> Result<WrittenTree, Finding> {
    let out = tree.out;
    let path = out.join(record::DIRECTORY).join("tree.json");
    let before: TreeRecord =
        std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let is_same = |(name, stamp): (&String, &Stamp)| Stamp::of(&out.join(name)) == Some(*stamp);
    let is_right = !before.outputs.is_empty() && before.outputs.iter().all(is_same);
    let form = format!("{:?} {}", tree.imports, tree.sidecars);
    let is_right = is_right && before.form == form;
    if is_right
        && before.stale.is_empty()
        && built.stale.is_empty()
        && built.reports.iter().all(|(_, report)| report.reason.is_none())
    {
        return Ok(WrittenTree::default());
    }
    let mut making = TreeMaking {
        order,
        out,
        imports: tree.imports,
        sidecars: tree.sidecars,
        outputs: BTreeMap::new(),
        whole: Vec::new(),
        left_out: BTreeSet::new(),
    };
    making.texts(built)?;
    making.others(built)?;
    let TreeMaking { outputs, whole, left_out, .. } = making;
    let known = before.outputs.keys().chain(&before.stale);
    built.stale = known.filter(|name| !outputs.contains_key(*name) && out.join(name).is_file()).cloned().collect();
    if !tree.writes {
        let changed = outputs.into_iter().filter_map(|(name, new)| {
            let old = std::fs::read(out.join(&name)).ok();
            (old.as_ref() != Some(&new)).then_some(Difference { name, old, new })
        });
        let changed: Vec<Difference> = changed.collect();
        built.reports.iter_mut().take(1).for_each(|(_, report)| report.differences = changed.clone());
        return Ok(WrittenTree { whole, left_out });
    }
    let in_way = |path: &Path, e: std::io::Error| {
        Finding::error(Code::OUTPUT, format!("cannot write {}: {e}", path.display())).in_file(path)
    };
    let mut written = TreeRecord { form, ..TreeRecord::default() };
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
    Ok(WrittenTree { whole, left_out })
}

/// A tree in the making.
struct TreeMaking<'a> {
    /// Of the flat build.
    order: &'a Order<'a>,
    out: &'a Path,
    imports: WgslImports,
    sidecars: bool,
    /// What is to be written.
    outputs: BTreeMap<String, Vec<u8>>,
    /// The texts that include headers.
    whole: Vec<WholeText>,
    /// What no program uses and headers cannot have.
    left_out: BTreeSet<String>,
}

impl TreeMaking<'_> {
    /// The texts and headers, target for target.
    fn texts(&mut self, built: &Built) -> Result<(), Finding> {
        let includes = SourceIncludes::of_build(built);
        for target in Target::TABLE.iter().map(|row| row.target) {
            let Some(language) = target.text_language() else { continue };
            let (texts, count) = read::texts_with_spare(built, self.order.out, target)?;
            if texts.is_empty() {
                continue;
            }
            let read: Vec<sharing::ReadText> = texts.iter().map(|text| text.read.clone()).collect();
            let (outputs, _) = read.split_at(count);
            let mut sharing = HeaderSharing::of(outputs, language);
            let left_out = sharing.add_spare(&read, count, language);
            self.left_out.extend(left_out.into_iter().map(|name| format!("{}: {name}", target.name())));
            let files =
                TreeFiles::new((&texts, count), (&sharing, &includes), (target, language, self.imports), &built.base);
            let wrong = files.unequal();
            if let Some(name) = wrong.first() {
                let text = format!("the headers of {name} do not give back its text: build it with `--layout flat`");
                return Err(Finding::error(Code::INTERNAL, text));
            }
            for header in files.headers.values() {
                self.outputs.insert(header.name.clone(), header.text.clone().into_bytes());
            }
            let mut modules: BTreeMap<String, Vec<TextModules>> = BTreeMap::new();
            for (number, text) in texts.iter().enumerate() {
                let Some(file) = files.texts.get(number) else { continue };
                self.outputs.insert(text.name.clone(), file.text.clone().into_bytes());
                let Some(sidecar) = text.sidecar.clone().filter(|_| !file.headers.is_empty()) else { continue };
                let names = file.headers.iter().filter_map(|source| files.headers.get(source));
                let needed =
                    TextModules { text: text.name.clone(), files: names.map(|header| header.name.clone()).collect() };
                modules.entry(sidecar.clone()).or_default().push(needed);
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
        Ok(())
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
            if is_unwanted || self.outputs.contains_key(name) {
                continue;
            }
            let path = self.order.out.join(name);
            let fault = |e| Finding::error(Code::UNREADABLE, format!("cannot read {}: {e}", path.display()));
            let mut bytes = std::fs::read(&path).map_err(fault)?;
            if kind == OutputKind::Depfile {
                let text = String::from_utf8_lossy(&bytes);
                let shown = |directory: &Path| super::escape(&directory.to_string_lossy().replace('\\', "/")) + "/";
                bytes = text.replace(&shown(self.order.out), &shown(self.out)).into_bytes();
            }
            self.outputs.insert(name.to_owned(), bytes);
        }
        Ok(())
    }
}
