//! `shaderport.toml`: which files of a tree are shaders, and how each is compiled.
//!
//! ```toml
//! [build]                              # for all files
//! include = ["common"]                 # include roots, relative to the manifest
//! defines = { QUALITY = "2" }
//! targets = ["hlsl", "glsl", "wgsl"]   # unless the command line says --target
//! bindings-lock = "bindings.lock"      # positions that are kept, relative to the manifest; one lock for the tree
//! unsized-array-size = 16              # of `Texture2D maps[]`, for targets where every array has a size
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

use super::axes::{self, MacroValue, Permutations, Variant};
use super::selection::Selection;
use super::template::{Template, stays_below};
use crate::check::EntryRequest;
use crate::compile::{Options, Target};
use crate::options::{Choices, entry};
use crate::symbol::nearest;
use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
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
    only_listed: bool,
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
const BUILD: SectionKind = SectionKind { header: "[build]", own: &["bindings-lock", "only-listed"], needed: &[] };
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

/// What a section says.
struct Said {
    /// The line of its first glob.
    line: usize,
    /// The files that it is about, each glob with its line.
    globs: Vec<(GlobMatcher, usize)>,
    section: Section,
    choices: Choices,
    permutations: Permutations,
}

impl Said {
    fn matches(&self, relative: &str) -> bool {
        self.globs.iter().any(|(glob, _)| glob.is_match(relative))
    }
}

/// A manifest with its globs compiled.
pub struct Manifest {
    directory: PathBuf,
    build: Said,
    shaders: Vec<Said>,
    programs: Vec<Said>,
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
        targets.retain(|t| self.only_targets.as_ref().is_none_or(|only| only.contains(t)));
        targets
    }

    /// Whether files with these settings can be one program.
    pub fn agrees(&self, other: &FileSettings) -> bool {
        let FileSettings { entries, output: _, permutations, include, defines, .. } = self;
        let FileSettings { targets: _, only_targets: _, choices, listed: _, .. } = self;
        *include == other.include
            && *defines == other.defines
            && *choices == other.choices
            && *entries == other.entries
            && *permutations == other.permutations
    }

    /// The variants, or what is wrong with them. `fixed` are the macros of the command line or build script.
    pub fn variants(&self, fixed: &[(String, Option<String>)]) -> Result<Vec<Variant>, String> {
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
    pub fn read(path: &Path) -> Result<Manifest, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        let directory = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        Manifest::parse(&text, directory).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Reads the text of a manifest that lies in a directory.
    pub fn parse(text: &str, directory: PathBuf) -> Result<Manifest, String> {
        check_keys(text, &parse_as(text)?)?;
        let File { build, shader, program }: File<Section> = parse_as(text)?;
        let choices: File<Choices> = parse_as(text)?;
        let permutations: File<Permutations> = parse_as(text)?;
        let list = |sections: Vec<Section>, choices: Vec<Choices>, permutations: Vec<Permutations>| {
            let all = sections.into_iter().zip(choices).zip(permutations);
            all.map(|((section, choices), permutations)| said(text, section, choices, permutations)).collect()
        };
        let shaders: Result<_, String> = list(shader, choices.shader, permutations.shader);
        let programs: Result<_, String> = list(program, choices.program, permutations.program);
        let build = said(text, build, choices.build, permutations.build)?;
        let manifest = Manifest { directory, build, shaders: shaders?, programs: programs? };
        manifest.check()?;
        Ok(manifest)
    }

    /// Finds faults in values now, not at the first file that they concern.
    fn check(&self) -> Result<(), String> {
        let mut names = BTreeSet::new();
        for said in &self.programs {
            let name = said.section.name.as_deref().unwrap_or_default();
            if !stays_below(name) {
                return Err(format!("line {}: `{name}` is no name of a program: outputs are called by it", said.line));
            }
            if !names.insert(name) {
                return Err(format!("line {}: there are two programs `{name}`", said.line));
            }
        }
        for said in self.shaders.iter().chain(&self.programs) {
            self.settings_of(&[said]).and_then(|s| s.variants(&[])).map_err(|e| format!("line {}: {e}", said.line))?;
        }
        self.settings_of(&[])?.variants(&[]).map(|_| ())
    }

    /// The lock of the tree.
    pub fn bindings_lock(&self) -> Option<PathBuf> {
        self.build.section.bindings_lock.as_ref().map(|path| self.directory.join(path))
    }

    /// Whether a `[[shader]]` or `[[program]]` names a file, by its `/`-separated path from the manifest's directory.
    pub fn names(&self, relative: &str) -> bool {
        self.shaders.iter().chain(&self.programs).any(|said| said.matches(relative))
    }

    /// The settings of a file by itself.
    pub fn settings(&self, relative: &str) -> Result<FileSettings, String> {
        let sections: Vec<&Said> = self.shaders.iter().filter(|said| said.matches(relative)).collect();
        self.settings_of(&sections)
    }

    /// The selected programs of several files, of these files of the tree, which are sorted.
    pub fn programs(&self, tree: &[String], selection: &Selection) -> Result<Vec<ProgramFiles>, String> {
        let selected =
            self.programs.iter().filter(|said| selection.has(said.section.name.as_deref().unwrap_or_default()));
        selected.map(|said| self.program(said, tree)).collect()
    }

    /// Whether a file is a part of a program of several files.
    pub fn is_in_program(&self, relative: &str) -> bool {
        self.programs.iter().any(|said| said.matches(relative))
    }

    /// The program that consists of exactly these files.
    pub fn program_of(&self, files: &[String]) -> Result<Option<ProgramFiles>, String> {
        let is_of = |said: &&Said| {
            let all_match = files.iter().all(|f| said.matches(f));
            all_match && said.globs.iter().all(|(glob, _)| files.iter().any(|f| glob.is_match(f.as_str())))
        };
        self.programs.iter().find(is_of).map(|said| self.program(said, files)).transpose()
    }

    fn program(&self, said: &Said, tree: &[String]) -> Result<ProgramFiles, String> {
        let mut files: Vec<String> = Vec::new();
        for (glob, line) in &said.globs {
            let before = files.len();
            for file in matching(glob, tree) {
                if !files.contains(file) {
                    files.push(file.clone());
                }
            }
            if files.len() == before {
                return Err(format!("line {line}: there is no file `{}`", glob.glob()));
            }
        }
        let mut sections: Vec<&Said> =
            self.shaders.iter().filter(|shader| files.iter().all(|f| shader.matches(f))).collect();
        sections.push(said);
        let mut settings = self.settings_of(&sections)?;
        if said.section.entries.is_empty() {
            settings.entries.clear();
            for file in &files {
                let of_file = self.settings(file)?.entries;
                settings.entries.extend(of_file.into_iter().map(|e| EntryRequest { file: Some(file.clone()), ..e }));
            }
        }
        settings.listed = true;
        Ok(ProgramFiles { name: said.section.name.clone().unwrap_or_default(), files, settings })
    }

    /// The globs of `[[shader]]` sections that match none of the tree's files, with their lines.
    pub fn unmatched(&self, tree: &[String]) -> Vec<(usize, String)> {
        let globs = self.shaders.iter().flat_map(|said| &said.globs);
        let unmatched = globs.filter(|(glob, _)| !tree.iter().any(|file| glob.is_match(file.as_str())));
        unmatched.map(|(glob, line)| (*line, glob.glob().glob().to_owned())).collect()
    }

    /// What `[build]` and then these sections say.
    fn settings_of(&self, sections: &[&Said]) -> Result<FileSettings, String> {
        let mut settings = FileSettings::default();
        let build = &self.build;
        self.add(&mut settings, build)?;
        settings.targets = build.section.targets.as_deref().map(targets).transpose()?;
        for said in sections {
            settings.listed = true;
            self.add(&mut settings, said)?;
            if let Some(only) = &said.section.targets {
                settings.only_targets = Some(targets(only)?);
            }
            if !said.section.entries.is_empty() {
                let entries: Result<Vec<_>, _> = said.section.entries.iter().map(|e| entry(e)).collect();
                settings.entries = entries?;
            }
        }
        settings.listed |= !build.section.only_listed;
        Ok(settings)
    }

    /// What every section may say.
    fn add(&self, settings: &mut FileSettings, said: &Said) -> Result<(), String> {
        let section = &said.section;
        settings.include.extend(section.include.iter().map(|i| self.directory.join(i)));
        for (name, value) in &section.defines {
            settings.defines.retain(|(n, _)| n != name);
            settings.defines.push((name.clone(), Some(value.text())));
        }
        settings.choices = said.choices.clone().or(&settings.choices);
        if let Some(output) = &section.output {
            settings.output = Some(Template::parse(output)?);
        }
        if !said.permutations.is_empty() {
            settings.permutations = said.permutations.clone();
        }
        Ok(())
    }
}

/// The line of a place in a text, from 1.
fn line_at(text: &str, place: usize) -> usize {
    text.get(..place).unwrap_or(text).matches('\n').count() + 1
}

fn said(text: &str, section: Section, choices: Choices, permutations: Permutations) -> Result<Said, String> {
    let mut globs = Vec::new();
    for pattern in &section.files {
        let line = line_at(text, pattern.span().start);
        let glob = GlobBuilder::new(pattern.get_ref()).literal_separator(true).build();
        globs.push((glob.map_err(|e| format!("line {line}: {e}"))?.compile_matcher(), line));
    }
    Ok(Said { line: globs.first().map_or(1, |(_, line)| *line), globs, section, choices, permutations })
}

/// The files that a glob means. Most of them in programs are names, which are looked up.
fn matching<'t>(glob: &GlobMatcher, tree: &'t [String]) -> Vec<&'t String> {
    let text = glob.glob().glob();
    if text.contains(['*', '?', '[', '{', '\\']) {
        return tree.iter().filter(|f| glob.is_match(f.as_str())).collect();
    }
    tree.binary_search_by(|file| file.as_str().cmp(text)).ok().and_then(|at| tree.get(at)).into_iter().collect()
}

fn parse_as<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|e| e.to_string())
}

/// Reports a key that no section of its kind has, and one that is missing.
fn check_keys(text: &str, file: &File<Keys>) -> Result<(), String> {
    let choices = Choices::names();
    let shaders = file.shader.iter().map(|keys| (&SHADER, keys));
    let programs = file.program.iter().map(|keys| (&PROGRAM, keys));
    for (SectionKind { header, own, needed }, keys) in
        [(&BUILD, &file.build)].into_iter().chain(shaders).chain(programs)
    {
        let common = KEYS.iter().chain(axes::KEYS).copied().chain(choices.iter().map(String::as_str));
        let known: Vec<&str> = own.iter().copied().chain(common).collect();
        if let Some(key) = keys.keys().find(|k| !known.contains(&k.get_ref().as_str())) {
            let (line, list) = (line_at(text, key.span().start), known.join(", "));
            let near = nearest(key.get_ref(), known.iter().copied());
            let meant = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
            return Err(format!("line {line}: {header} has no key `{}`{meant}; there are {list}", key.get_ref()));
        }
        let is_missing = |(key, _): &&(&str, &str)| !keys.keys().any(|k| k.get_ref() == key);
        if let Some((key, what)) = needed.iter().find(is_missing) {
            let line = keys
                .keys()
                .map(|k| k.span().start)
                .min()
                .map_or(String::new(), |at| format!("line {}: ", line_at(text, at)));
            return Err(format!("{line}a {header} needs `{key}`, {what}"));
        }
    }
    Ok(())
}

fn targets(names: &[String]) -> Result<Vec<Target>, String> {
    names.iter().map(|t| t.parse().map_err(|e| format!("`{t}`: {e}"))).collect()
}
