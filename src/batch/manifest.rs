//! `shaderport.toml`: which files of a tree are shaders, and how each is compiled.
//!
//! ```toml
//! [build]                              # for all files
//! include = ["common"]                 # include roots, relative to the manifest
//! defines = { QUALITY = "2" }
//! targets = ["hlsl", "glsl", "wgsl"]   # unless the command line says --target
//! unsized-array-size = 16              # of `Texture2D maps[]`, for targets where every array has a size
//!
//! [[shader]]                           # for the files that the globs match; where several match, later ones win
//! files = ["d3d11/*_ps.hlsl"]
//! entries = ["PSMain:fragment"]
//! targets = ["hlsl", "glsl"]         # these files are for no other target, whatever is built
//! ```

use crate::check::EntryRequest;
use crate::compile::Target;
use crate::options::{entry, target};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file's name.
pub const FILE_NAME: &str = "shaderport.toml";

/// A manifest as written.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    build: Section,
    #[serde(default)]
    shader: Vec<ShaderSection>,
}

/// What may be said for all files or for some.
#[derive(Deserialize, Debug, Default, Clone)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Section {
    #[serde(default)]
    include: Vec<PathBuf>,
    #[serde(default)]
    defines: BTreeMap<String, DefineValue>,
    targets: Option<Vec<String>>,
    profile: Option<String>,
    unsized_array_size: Option<u32>,
    /// Only in `[build]`: files that no `[[shader]]` names are left alone.
    #[serde(default)]
    only_listed: bool,
}

#[derive(Deserialize, Debug, Clone)]
#[serde(deny_unknown_fields)]
struct ShaderSection {
    files: Vec<String>,
    #[serde(default)]
    entries: Vec<String>,
    #[serde(default)]
    include: Vec<PathBuf>,
    #[serde(default)]
    defines: BTreeMap<String, DefineValue>,
    targets: Option<Vec<String>>,
    profile: Option<String>,
    #[serde(rename = "unsized-array-size")]
    unsized_array_size: Option<u32>,
}

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
    build: Section,
    shaders: Vec<(GlobSet, ShaderSection)>,
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
    /// The profile, if the manifest says.
    pub profile: Option<String>,
    /// The size of arrays of resources without one, if the manifest says.
    pub unsized_array_size: Option<u32>,
    /// A `[[shader]]` names the file.
    pub listed: bool,
}

impl Manifest {
    /// Reads a manifest. The error says what is wrong and where in the file.
    pub fn read(path: &Path) -> Result<Manifest, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        let file: File = toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        let directory = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let mut shaders = Vec::new();
        for section in file.shader {
            let set = globs(&section.files).map_err(|e| format!("{}: {e}", path.display()))?;
            shaders.push((set, section));
        }
        let manifest = Manifest { directory, build: file.build, shaders };
        // Faults in values are found now, not at the first file that they concern.
        manifest.settings_of(None).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(manifest)
    }

    /// The settings of a file, by its `/`-separated path from the manifest's directory.
    pub fn settings(&self, relative: &str) -> Result<FileSettings, String> {
        self.settings_of(Some(relative))
    }

    /// Without a file: of all sections, to check them.
    fn settings_of(&self, relative: Option<&str>) -> Result<FileSettings, String> {
        let mut settings = FileSettings::default();
        self.apply(&mut settings, &self.build.include, &self.build.defines, &self.build.targets, &self.build.profile)?;
        settings.unsized_array_size = self.build.unsized_array_size;
        for (set, section) in &self.shaders {
            if relative.is_some_and(|r| !set.is_match(r)) {
                continue;
            }
            settings.listed = true;
            settings.unsized_array_size = section.unsized_array_size.or(settings.unsized_array_size);
            self.apply(&mut settings, &section.include, &section.defines, &None, &section.profile)?;
            if let Some(targets) = &section.targets {
                let targets: Result<Vec<Target>, String> = targets.iter().map(|t| target(t)).collect();
                settings.only_targets = Some(targets?);
            }
            if !section.entries.is_empty() {
                let entries: Result<Vec<_>, _> = section.entries.iter().map(|e| entry(e)).collect();
                settings.entries = entries?;
            }
        }
        settings.listed |= !self.build.only_listed;
        Ok(settings)
    }

    fn apply(
        &self,
        settings: &mut FileSettings,
        include: &[PathBuf],
        defines: &BTreeMap<String, DefineValue>,
        targets: &Option<Vec<String>>,
        profile: &Option<String>,
    ) -> Result<(), String> {
        settings.include.extend(include.iter().map(|i| self.directory.join(i)));
        for (name, value) in defines {
            settings.defines.retain(|(n, _)| n != name);
            settings.defines.push((name.clone(), Some(value.text())));
        }
        if let Some(targets) = targets {
            let targets: Result<Vec<Target>, String> = targets.iter().map(|t| target(t)).collect();
            settings.targets = Some(targets?);
        }
        if profile.is_some() {
            settings.profile = profile.clone();
        }
        Ok(())
    }
}

fn globs(patterns: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build().map_err(|e| e.to_string())?;
        set.add(glob);
    }
    set.build().map_err(|e| e.to_string())
}
