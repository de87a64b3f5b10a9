//! `shaderport.toml`: which files of a tree are shaders, and how each is compiled.
//!
//! ```toml
//! [build]                              # for all files
//! include = ["common"]                 # include roots, relative to the manifest
//! defines = { QUALITY = "2" }
//! targets = ["hlsl", "glsl", "wgsl"]   # unless the command line says --target
//! bindings-lock = "bindings.lock"      # positions that are kept, relative to the manifest; one lock for the tree
//! unsized-array-size = 16              # of `Texture2D maps[]`, for targets where every array has a size
//! tree = "../shaders"                  # where the sources are, if not beside the manifest; paths of the manifest are from there
//! shift = { t = 100, u = 200 }         # and all other options of `Choices`, by the names of the command line
//!
//! [[shader]]                           # for the files that the globs match; where several match, later ones win
//! files = ["d3d11/*_ps.hlsl"]
//! entries = ["PSMain:fragment"]
//! targets = ["hlsl", "glsl"]         # these files are for no other target, whatever is built
//! buffer-layout = "d3d"
//! permute = { SHADOWS = [0, 1] }     # a variant for each combination of values; see `axes`
//!
//! [[program]]                          # files that are compiled together: one layout, one sidecar
//! name = "sky"
//! files = ["sky_vs.hlsl", "sky_ps.hlsl"]
//! output = "{target}/{program}.{stage}"
//! ```
//!
//! A `[[shader]]` section holds for a program, too, if it matches all of the program's files; its `entries` are then those of each
//! file, unless the program names its own.

use super::axes::{self, MacroValue, Permutations, Variant, VariantFault};
use super::finding::Finding;
use super::order::{OutputLayout, WgslImports};
use super::selection::Selection;
use super::template::{Template, stays_below};
use crate::check::EntryRequest;
use crate::compile::{Options, Target};
use crate::diagnostic::{Code, Diagnostic};
use crate::json;
use crate::options::{Choices, entry};
use crate::symbol::nearest;
use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use toml::Spanned;

/// The file's name.
pub const FILE_NAME: &str = "shaderport.toml";

/// A manifest as written, as far as `T` knows it: a manifest is read once for each kind of key, because every one of them
/// tells the places of its faults.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, bound(deserialize = "T: DeserializeOwned + Default"))]
struct File<T> {
    #[serde(default)]
    build: T,
    #[serde(default)]
    shader: Vec<T>,
    #[serde(default)]
    program: Vec<T>,
}

/// The keys besides [`Choices`] and [`Permutations`].
#[derive(Deserialize, Debug, Default, Clone)]
#[serde(rename_all = "kebab-case", default)]
struct Section {
    include: Vec<PathBuf>,
    defines: BTreeMap<String, MacroValue>,
    targets: Option<Vec<String>>,
    output: Option<String>,
    bindings_lock: Option<PathBuf>,
    tree: Option<PathBuf>,
    only_listed: bool,
    includes_in_any_case: bool,
    layout: Option<OutputLayout>,
    wgsl_imports: Option<WgslImports>,
    name: Option<String>,
    files: Vec<Spanned<String>>,
    entries: Vec<String>,
}

/// A kind of section: its header, the keys that only it has, and those of them that it needs, with what they are for.
struct SectionKind {
    header: &'static str,
    own: &'static [&'static str],
    needed: &'static [(&'static str, &'static str)],
}

/// Those of all sections.
const KEYS: &[&str] = &["include", "defines", "targets", "output"];
const BUILD: SectionKind = SectionKind {
    header: "[build]",
    own: &["bindings-lock", "only-listed", "tree", "layout", "wgsl-imports", "includes-in-any-case"],
    needed: &[],
};
const SHADER: SectionKind = SectionKind {
    header: "[[shader]]",
    own: &["files", "entries"],
    needed: &[("files", "globs of the sources that it is about")],
};
const PROGRAM: SectionKind = SectionKind {
    header: "[[program]]",
    own: &["name", "files", "entries"],
    needed: &[("name", "which outputs are called by"), ("files", "its sources")],
};

/// The keys of a section, with their places.
type Keys = BTreeMap<Spanned<String>, IgnoredAny>;

/// A range of the text of a manifest.
type TextRange = Range<usize>;

/// What is wrong with a manifest, and where. Without a place it is about all of it.
#[derive(Debug)]
pub struct ManifestFault {
    place: Option<TextRange>,
    message: String,
    /// It is most likely not meant, and no error.
    is_warning: bool,
}

impl ManifestFault {
    fn at(place: impl Into<Option<TextRange>>, message: impl Into<String>) -> ManifestFault {
        ManifestFault { place: place.into(), message: message.into(), is_warning: false }
    }

    /// As a finding about a manifest with this text.
    fn finding(self, path: &Path, text: &str) -> Finding {
        let ManifestFault { place, message, is_warning } = self;
        let make = if is_warning { Diagnostic::warning } else { Diagnostic::error };
        match place {
            Some(place) => {
                Finding::about(&[(path, text)], |files| make(Code::BAD_OPTION, json::span(files[0], &place), message))
            }
            None => {
                let message = format!("{}: {message}", path.display());
                Finding::error(Code::BAD_OPTION, message).in_file(path)
            }
        }
    }
}

/// What a section says.
struct Said {
    /// The place of its first glob.
    place: Option<TextRange>,
    /// The places of its keys.
    keys: BTreeMap<String, TextRange>,
    /// The files that it is about, each glob with its place.
    globs: Vec<(GlobMatcher, TextRange)>,
    section: Section,
    choices: Choices,
    permutations: Permutations,
}

impl Said {
    /// A fault of the value of a key.
    fn fault(&self, key: &str, message: String) -> ManifestFault {
        ManifestFault::at(self.keys.get(key).or(self.place.as_ref()).cloned(), message)
    }

    fn matches(&self, relative: &str) -> bool {
        self.globs.iter().any(|(glob, _)| glob.is_match(relative))
    }
}

/// A manifest with its globs compiled.
pub struct Manifest {
    path: PathBuf,
    text: String,
    directory: PathBuf,
    build: Said,
    shaders: Vec<Said>,
    programs: Vec<Said>,
    /// The settings of files by themselves, by the sections about them.
    known: Mutex<BTreeMap<Vec<usize>, Arc<FileSettings>>>,
}

/// A program of several files.
#[derive(Clone, Debug)]
pub struct ProgramFiles {
    /// Its name.
    pub name: String,
    /// Its files as paths from the manifest's directory, in order.
    pub files: Vec<String>,
    /// How it is compiled.
    pub settings: FileSettings,
}

/// How one file is compiled.
#[derive(Clone, Debug, Default)]
pub struct FileSettings {
    /// Entry points; empty: marked or inferred ones.
    pub entries: Vec<EntryRequest>,
    /// How outputs are called.
    pub output: Option<Template>,
    /// Which variants there are.
    pub permutations: Permutations,
    /// Include roots.
    pub include: Vec<PathBuf>,
    /// Includes are found in any case.
    pub any_case: bool,
    /// Macros.
    pub defines: Vec<(String, Option<String>)>,
    /// Targets of the build, if the manifest says.
    pub targets: Option<Vec<Target>>,
    /// The only targets that this file is for, whatever is built: of `[[shader]]`.
    pub only_targets: Option<Vec<Target>>,
    /// What else the manifest chooses.
    pub choices: Choices,
    /// A `[[shader]]` names the file.
    pub listed: bool,
}

impl FileSettings {
    /// What is built of the file: `asked` for, else what the manifest says, else all texts.
    pub fn targets(&self, asked: &[Target]) -> Vec<Target> {
        let mut targets = match &self.targets {
            _ if !asked.is_empty() => asked.to_vec(),
            Some(targets) => targets.clone(),
            None => vec![Target::Hlsl, Target::Glsl, Target::Wgsl],
        };
        // One that is named twice is built once.
        let mut seen = Vec::new();
        targets.retain(|t| {
            let is_new = !seen.contains(t);
            seen.push(*t);
            is_new && self.only_targets.as_ref().is_none_or(|only| only.contains(t))
        });
        targets
    }

    /// Whether files with these settings can be one program.
    pub fn agrees(&self, other: &FileSettings) -> bool {
        let FileSettings { entries, output: _, permutations, include, any_case, defines, .. } = self;
        let FileSettings { targets: _, only_targets: _, choices, listed: _, .. } = self;
        *include == other.include
            && *any_case == other.any_case
            && *defines == other.defines
            && *choices == other.choices
            && *entries == other.entries
            && *permutations == other.permutations
    }

    /// The variants, or what is wrong with them. `fixed` are the macros of the command line or build script.
    pub fn variants(&self, fixed: &[(String, Option<String>)]) -> Result<Vec<Variant>, VariantFault> {
        self.permutations.variants(fixed)
    }

    /// Completes options by what the manifest says of the file; `choices` are those of the command line or build script.
    pub fn apply(&self, choices: &Choices, options: &mut Options) {
        // One of the command line or build script is meant instead.
        let mut defines = self.defines.clone();
        defines.retain(|(name, _)| options.defines.iter().all(|(given, _)| given != name));
        options.defines.splice(0..0, defines);
        if options.entries.is_empty() {
            options.entries = self.entries.clone();
        }
        options.skip_libraries = options.entries.is_empty();
        choices.clone().or(&self.choices).apply(options);
    }
}

impl Manifest {
    /// Reads a manifest. The error says what is wrong and where in the file.
    pub fn read(path: &Path) -> Result<Manifest, Finding> {
        let unread = |e| Finding::error(Code::BAD_OPTION, format!("cannot read {}: {e}", path.display())).in_file(path);
        let text = std::fs::read_to_string(path).map_err(unread)?;
        Manifest::parse(&text, path.to_path_buf()).map_err(|fault| fault.finding(path, &text))
    }

    /// Reads the text of a manifest that lies at a path.
    pub fn parse(text: &str, path: PathBuf) -> Result<Manifest, ManifestFault> {
        let keys: File<Keys> = parse_as(text)?;
        check_keys(&keys)?;
        let File { build, shader, program }: File<Section> = parse_as(text)?;
        let choices: File<Choices> = parse_as(text)?;
        let permutations: File<Permutations> = parse_as(text)?;
        let list = |sections: Vec<Section>, keys: Vec<Keys>, choices: Vec<Choices>, permutations: Vec<Permutations>| {
            let all = sections.into_iter().zip(keys).zip(choices.into_iter().zip(permutations));
            all.map(|((section, keys), (choices, permutations))| said(section, keys, choices, permutations)).collect()
        };
        let shaders: Result<_, ManifestFault> = list(shader, keys.shader, choices.shader, permutations.shader);
        let programs: Result<_, ManifestFault> = list(program, keys.program, choices.program, permutations.program);
        let build = said(build, keys.build, choices.build, permutations.build)?;
        let beside = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let directory = build.section.tree.as_ref().map_or_else(|| beside.clone(), |tree| beside.join(tree));
        let (text, shaders, programs) = (text.to_owned(), shaders?, programs?);
        let manifest = Manifest { path, text, directory, build, shaders, programs, known: Mutex::default() };
        manifest.check()?;
        Ok(manifest)
    }

    /// A fault of it as a finding.
    fn finding(&self, fault: ManifestFault) -> Finding {
        fault.finding(&self.path, &self.text)
    }

    /// Finds faults in values now, not at the first file that they concern.
    fn check(&self) -> Result<(), ManifestFault> {
        let mut names = BTreeSet::new();
        for said in &self.programs {
            let name = said.section.name.as_deref().unwrap_or_default();
            if !stays_below(name) {
                let message = format!("`{name}` is no name of a program: outputs are called by it");
                return Err(said.fault("name", message));
            }
            if !names.insert(name) {
                return Err(said.fault("name", format!("there are two programs `{name}`")));
            }
        }
        for said in self.shaders.iter().chain(&self.programs) {
            self.settings_of(&[said])?.variants(&[]).map_err(|e| said.fault(e.key, e.message))?;
        }
        let variants = self.settings_of(&[])?.variants(&[]);
        variants.map(|_| ()).map_err(|e| self.build.fault(e.key, e.message))
    }

    /// The lock of the tree.
    pub fn bindings_lock(&self) -> Option<PathBuf> {
        let beside = self.path.parent().unwrap_or(Path::new(""));
        self.build.section.bindings_lock.as_ref().map(|path| beside.join(path))
    }

    /// How outputs are cut, and how texts of WGSL in a tree name the modules that they need.
    pub fn layout(&self) -> (Option<OutputLayout>, Option<WgslImports>) {
        (self.build.section.layout, self.build.section.wgsl_imports)
    }

    /// Where its sources are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether a `[[shader]]` or `[[program]]` names a file, by its `/`-separated path from the manifest's directory.
    pub fn names(&self, relative: &str) -> bool {
        self.shaders.iter().chain(&self.programs).any(|said| said.matches(relative))
    }

    /// The settings of a file by itself, which files that the same sections are about share.
    pub fn settings(&self, relative: &str) -> Result<Arc<FileSettings>, Finding> {
        let about = self.shaders.iter().enumerate().filter(|(_, said)| said.matches(relative));
        let (places, sections): (Vec<usize>, Vec<&Said>) = about.unzip();
        let mut known = self.known.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(settings) = known.get(&places) {
            return Ok(settings.clone());
        }
        let settings = Arc::new(self.settings_of(&sections).map_err(|fault| self.finding(fault))?);
        known.insert(places, settings.clone());
        Ok(settings)
    }

    /// The selected programs of several files, of these files of the tree, which are sorted.
    pub fn programs(&self, tree: &[String], selection: &Selection) -> Result<Vec<ProgramFiles>, Finding> {
        let selected =
            self.programs.iter().filter(|said| selection.has(said.section.name.as_deref().unwrap_or_default()));
        selected.map(|said| self.program(said, tree)).collect()
    }

    /// Whether a file is a part of a program of several files.
    pub fn is_in_program(&self, relative: &str) -> bool {
        self.programs.iter().any(|said| said.matches(relative))
    }

    /// The program that consists of exactly these files.
    pub fn program_of(&self, files: &[String]) -> Result<Option<ProgramFiles>, Finding> {
        let is_of = |said: &&Said| {
            let all_match = files.iter().all(|f| said.matches(f));
            all_match && said.globs.iter().all(|(glob, _)| files.iter().any(|f| glob.is_match(f.as_str())))
        };
        self.programs.iter().find(is_of).map(|said| self.program(said, files)).transpose()
    }

    fn program(&self, said: &Said, tree: &[String]) -> Result<ProgramFiles, Finding> {
        let mut files: Vec<String> = Vec::new();
        for (glob, place) in &said.globs {
            let before = files.len();
            for file in matching(glob, tree) {
                if !files.contains(file) {
                    files.push(file.clone());
                }
            }
            if files.len() == before {
                return Err(self.finding(ManifestFault::at(place.clone(), no_file(glob))));
            }
        }
        let mut sections: Vec<&Said> =
            self.shaders.iter().filter(|shader| files.iter().all(|f| shader.matches(f))).collect();
        sections.push(said);
        let mut settings = self.settings_of(&sections).map_err(|fault| self.finding(fault))?;
        if said.section.entries.is_empty() {
            settings.entries.clear();
            for file in &files {
                let of_file = self.settings(file)?;
                let of_file = of_file.entries.iter().cloned();
                settings.entries.extend(of_file.map(|e| EntryRequest { file: Some(file.clone()), ..e }));
            }
        }
        settings.listed = true;
        Ok(ProgramFiles { name: said.section.name.clone().unwrap_or_default(), files, settings })
    }

    /// Warns of the globs of `[[shader]]` sections that match none of the tree's files.
    pub fn unmatched(&self, tree: &[String]) -> Vec<Finding> {
        let globs = self.shaders.iter().flat_map(|said| &said.globs);
        let unmatched = globs.filter(|(glob, _)| !tree.iter().any(|file| glob.is_match(file.as_str())));
        let warning = |(glob, place): &(GlobMatcher, TextRange)| ManifestFault {
            is_warning: true,
            ..ManifestFault::at(place.clone(), no_file(glob))
        };
        unmatched.map(|unmatched| self.finding(warning(unmatched))).collect()
    }

    /// What `[build]` and then these sections say.
    fn settings_of(&self, sections: &[&Said]) -> Result<FileSettings, ManifestFault> {
        let mut settings = FileSettings::default();
        let build = &self.build;
        self.add(&mut settings, build)?;
        settings.targets = targets(build)?;
        settings.any_case = build.section.includes_in_any_case;
        for said in sections {
            settings.listed = true;
            self.add(&mut settings, said)?;
            if let Some(only) = targets(said)? {
                settings.only_targets = Some(only);
            }
            if !said.section.entries.is_empty() {
                let entries: Result<Vec<_>, _> = said.section.entries.iter().map(|e| entry(e)).collect();
                settings.entries = entries.map_err(|e| said.fault("entries", e))?;
            }
        }
        settings.listed |= !build.section.only_listed;
        Ok(settings)
    }

    /// What every section may say.
    fn add(&self, settings: &mut FileSettings, said: &Said) -> Result<(), ManifestFault> {
        let section = &said.section;
        // What is about some files is looked through before what is about all.
        settings.include.splice(0..0, section.include.iter().map(|i| self.directory.join(i)));
        for (name, value) in &section.defines {
            settings.defines.retain(|(n, _)| n != name);
            settings.defines.push((name.clone(), Some(value.text())));
        }
        settings.choices = said.choices.clone().or(&settings.choices);
        if let Some(output) = &section.output {
            settings.output = Some(Template::parse(output).map_err(|e| said.fault("output", e))?);
        }
        if !said.permutations.is_empty() {
            settings.permutations = said.permutations.clone();
        }
        Ok(())
    }
}

fn no_file(glob: &GlobMatcher) -> String {
    format!("there is no file `{}`", glob.glob())
}

fn said(section: Section, keys: Keys, choices: Choices, permutations: Permutations) -> Result<Said, ManifestFault> {
    let mut globs = Vec::new();
    for pattern in &section.files {
        let glob = GlobBuilder::new(pattern.get_ref()).literal_separator(true).build();
        let glob = glob.map_err(|e| ManifestFault::at(pattern.span(), e.to_string()))?;
        globs.push((glob.compile_matcher(), pattern.span()));
    }
    let place = globs.first().map(|(_, place)| place.clone());
    let keys = keys.into_keys().map(|key| (key.get_ref().clone(), key.span())).collect();
    Ok(Said { place, keys, globs, section, choices, permutations })
}

/// The files that a glob means. Most of them in programs are names, which are looked up.
fn matching<'t>(glob: &GlobMatcher, tree: &'t [String]) -> Vec<&'t String> {
    let text = glob.glob().glob();
    if text.contains(['*', '?', '[', '{', '\\']) {
        return tree.iter().filter(|f| glob.is_match(f.as_str())).collect();
    }
    tree.binary_search_by(|file| file.as_str().cmp(text)).ok().and_then(|at| tree.get(at)).into_iter().collect()
}

fn parse_as<T: DeserializeOwned>(text: &str) -> Result<T, ManifestFault> {
    toml::from_str(text).map_err(|e| ManifestFault::at(e.span(), e.message()))
}

/// Reports a key that no section of its kind has, and one that is missing.
fn check_keys(file: &File<Keys>) -> Result<(), ManifestFault> {
    let choices = Choices::names();
    let shaders = file.shader.iter().map(|keys| (&SHADER, keys));
    let programs = file.program.iter().map(|keys| (&PROGRAM, keys));
    for (SectionKind { header, own, needed }, keys) in
        [(&BUILD, &file.build)].into_iter().chain(shaders).chain(programs)
    {
        let common = KEYS.iter().chain(axes::KEYS).copied().chain(choices.iter().map(String::as_str));
        let known: Vec<&str> = own.iter().copied().chain(common).collect();
        if let Some(key) = keys.keys().find(|k| !known.contains(&k.get_ref().as_str())) {
            let list = known.join(", ");
            let near = nearest(key.get_ref(), known.iter().copied());
            let meant = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
            let message = format!("{header} has no key `{}`{meant}; there are {list}", key.get_ref());
            return Err(ManifestFault::at(key.span(), message));
        }
        let is_missing = |(key, _): &&(&str, &str)| !keys.keys().any(|k| k.get_ref() == key);
        if let Some((key, what)) = needed.iter().find(is_missing) {
            let first = keys.keys().map(Spanned::span).min_by_key(|place| place.start);
            return Err(ManifestFault::at(first, format!("a {header} needs `{key}`, {what}")));
        }
    }
    Ok(())
}

/// The targets that a section names.
fn targets(said: &Said) -> Result<Option<Vec<Target>>, ManifestFault> {
    let Some(names) = &said.section.targets else { return Ok(None) };
    let parsed = names.iter().map(|t| t.parse().map_err(|e| said.fault("targets", format!("`{t}`: {e}"))));
    parsed.collect::<Result<Vec<Target>, ManifestFault>>().map(Some)
}
