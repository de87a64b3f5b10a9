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
//! ```

use crate::check::EntryRequest;
use crate::compile::{Options, Target};
use crate::options::{Choices, entry};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::collections::BTreeMap;
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
}

/// The keys besides [`Choices`].
#[derive(Deserialize, Debug, Default, Clone)]
#[serde(rename_all = "kebab-case", default)]
struct Section {
    include: Vec<PathBuf>,
    defines: BTreeMap<String, DefineValue>,
    targets: Option<Vec<String>>,
    bindings_lock: Option<PathBuf>,
    only_listed: bool,
    files: Vec<String>,
    entries: Vec<String>,
}

/// Those of all sections, of `[build]` and of `[[shader]]`.
const KEYS: &[&str] = &["include", "defines", "targets"];
const BUILD_KEYS: &[&str] = &["bindings-lock", "only-listed"];
const SHADER_KEYS: &[&str] = &["files", "entries"];

/// The keys of a section, with their places.
type Keys = BTreeMap<Spanned<String>, IgnoredAny>;

/// `NAME = "text"`, `NAME = 3`, `NAME = true` (which is 1).
#[derive(Deserialize, Debug, Clone)]
#[serde(untagged)]
enum DefineValue {
    Text(String),
    Number(i64),
    Flag(bool),
}

impl DefineValue {
    fn text(&self) -> String {
        match self {
            DefineValue::Text(t) => t.clone(),
            DefineValue::Number(n) => n.to_string(),
            DefineValue::Flag(f) => i32::from(*f).to_string(),
        }
    }
}

/// A manifest with its globs compiled.
pub struct Manifest {
    directory: PathBuf,
    build: (Section, Choices),
    shaders: Vec<(GlobSet, Section, Choices)>,
}

/// How one file is compiled.
#[derive(Clone, Debug, Default)]
pub struct FileSettings {
    /// Entry points; empty: marked or inferred ones.
    pub entries: Vec<EntryRequest>,
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
        let FileSettings { entries, include, defines, targets: _, only_targets: _, choices, listed: _ } = self;
        *include == other.include && *defines == other.defines && *choices == other.choices && *entries == other.entries
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
        let (sections, choices): (File<Section>, File<Choices>) = (parse_as(text)?, parse_as(text)?);
        let mut shaders = Vec::new();
        for (section, choices) in sections.shader.into_iter().zip(choices.shader) {
            shaders.push((globs(&section.files)?, section, choices));
        }
        let manifest = Manifest { directory, build: (sections.build, choices.build), shaders };
        // Faults in values are found now, not at the first file that they concern.
        manifest.settings_of(None)?;
        Ok(manifest)
    }

    /// The lock of the tree.
    pub fn bindings_lock(&self) -> Option<PathBuf> {
        self.build.0.bindings_lock.as_ref().map(|path| self.directory.join(path))
    }

    /// The settings of a file, by its `/`-separated path from the manifest's directory.
    pub fn settings(&self, relative: &str) -> Result<FileSettings, String> {
        self.settings_of(Some(relative))
    }

    /// Without a file: of all sections, to check them.
    fn settings_of(&self, relative: Option<&str>) -> Result<FileSettings, String> {
        let mut settings = FileSettings::default();
        let (build, choices) = &self.build;
        self.add(&mut settings, build, choices);
        settings.targets = build.targets.as_deref().map(targets).transpose()?;
        for (set, section, choices) in &self.shaders {
            if relative.is_some_and(|r| !set.is_match(r)) {
                continue;
            }
            settings.listed = true;
            self.add(&mut settings, section, choices);
            if let Some(only) = &section.targets {
                settings.only_targets = Some(targets(only)?);
            }
            if !section.entries.is_empty() {
                let entries: Result<Vec<_>, _> = section.entries.iter().map(|e| entry(e)).collect();
                settings.entries = entries?;
            }
        }
        settings.listed |= !build.only_listed;
        Ok(settings)
    }

    /// What every section may say.
    fn add(&self, settings: &mut FileSettings, section: &Section, choices: &Choices) {
        settings.include.extend(section.include.iter().map(|i| self.directory.join(i)));
        for (name, value) in &section.defines {
            settings.defines.retain(|(n, _)| n != name);
            settings.defines.push((name.clone(), Some(value.text())));
        }
        settings.choices = choices.clone().or(&settings.choices);
    }
}

fn parse_as<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|e| e.to_string())
}

/// Reports a key that no section of its kind has, and a `[[shader]]` without files.
fn check_keys(text: &str, file: &File<Keys>) -> Result<(), String> {
    let choices = Choices::names();
    let sections = file.shader.iter().map(|keys| ("[[shader]]", SHADER_KEYS, keys));
    for (name, own, keys) in std::iter::once(("[build]", BUILD_KEYS, &file.build)).chain(sections) {
        let known: Vec<&str> = own.iter().chain(KEYS).copied().chain(choices.iter().map(String::as_str)).collect();
        if let Some(key) = keys.keys().find(|k| !known.contains(&k.get_ref().as_str())) {
            let before = text.get(..key.span().start).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            let list = known.join(", ");
            return Err(format!("line {line}: {name} has no key `{}`; there are {list}", key.get_ref()));
        }
        if name == "[[shader]]" && !keys.keys().any(|k| k.get_ref() == "files") {
            return Err("a [[shader]] needs `files`, globs of the sources that it is about".to_owned());
        }
    }
    Ok(())
}

fn targets(names: &[String]) -> Result<Vec<Target>, String> {
    names.iter().map(|t| t.parse().map_err(|e| format!("`{t}`: {e}"))).collect()
}

fn globs(patterns: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build().map_err(|e| e.to_string())?;
        set.add(glob);
    }
    set.build().map_err(|e| e.to_string())
}
