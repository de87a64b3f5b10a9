//! What a build is made of: the programs found in a tree, each with its settings and outputs.

use super::manifest::{FILE_NAME, FileSettings, Manifest};
use crate::compile::Artifact;
use crate::diagnostic::Code;
use crate::tree::Stage;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use walkdir::WalkDir;

/// File name endings of sources that may have entry points. Others (`.hlsli`, `.fxh`, `.h`) are only included.
const SOURCES: &[&str] = &["slang", "hlsl", "fx"];

/// One program to compile.
#[derive(Clone, Debug)]
pub struct Job {
    /// The source.
    pub path: PathBuf,
    /// Its path from the tree's root without ending, `/`-separated: the stem of outputs.
    pub stem: String,
    /// How.
    pub settings: FileSettings,
}

/// What there is to build.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The programs, in order of paths.
    pub jobs: Vec<Job>,
    /// The lock that the manifest names.
    pub bindings_lock: Option<PathBuf>,
    /// The manifest itself.
    pub manifest: Option<PathBuf>,
    /// What names in sidecars are relative to: the tree, or for a sole file [`base`].
    pub base: PathBuf,
}

/// What a manifest says of a program of some files: the nearest one above the first of them.
#[derive(Clone, Debug)]
pub struct Project {
    /// The manifest's directory, as seen from where the file was named.
    pub directory: PathBuf,
    /// The manifest.
    pub manifest: PathBuf,
    /// How the program is compiled.
    pub settings: FileSettings,
    /// The lock that the manifest names.
    pub bindings_lock: Option<PathBuf>,
}

/// What the nearest manifest says of a program, so that it has the same bindings by itself as in a build of the tree. The
/// error is a message with its code.
pub fn project(files: &[PathBuf]) -> Result<Option<Project>, (Code, String)> {
    let Some(first) = files.first().filter(|f| f.is_file()) else { return Ok(None) };
    let Some(directory) = manifest_directory(first) else { return Ok(None) };
    let path = directory.join(FILE_NAME);
    let fault = |e| (Code::BAD_OPTION, e);
    let manifest = Manifest::read(&path).map_err(fault)?;
    let settings = |file: &PathBuf| manifest.settings(&below(&directory, file)).map_err(fault);
    let of_first = settings(first)?;
    for other in files {
        if !of_first.agrees(&settings(other)?) {
            let (path, first, other) = (path.display(), first.display(), other.display());
            let message = format!(
                "{path} says different things of {first} and {other}, which are to be one program; with --no-manifest it \
                 is not asked"
            );
            return Err((Code::BAD_OPTION, message));
        }
    }
    let bindings_lock = manifest.bindings_lock();
    Ok(Some(Project { directory, manifest: path, settings: of_first, bindings_lock }))
}

/// The nearest directory above a file with a manifest, in the file's repository if it lies in one. It is named as the file is,
/// so that names of what lies in it do not depend on the machine.
fn manifest_directory(file: &Path) -> Option<PathBuf> {
    let mut directory = file.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf();
    let mut canonical = std::fs::canonicalize(&directory).ok()?;
    loop {
        if directory.join(FILE_NAME).is_file() {
            return Some(directory);
        }
        if directory.join(".git").exists() || !canonical.pop() {
            return None;
        }
        match directory.components().next_back() {
            Some(Component::Normal(_)) => {
                directory.pop();
                if directory.as_os_str().is_empty() {
                    directory.push(".");
                }
            }
            Some(Component::CurDir) => directory = PathBuf::from(".."),
            _ => directory.push(".."),
        }
        // A link led here: what lies above its name is not what lies above it.
        if std::fs::canonicalize(&directory).ok()? != canonical {
            directory = canonical.clone();
        }
    }
}

/// What names in the sidecar of a sole file are relative to: the nearest manifest's directory, whether or not that is asked
/// for options, else the file's own.
pub fn base(file: &Path) -> PathBuf {
    manifest_directory(file).unwrap_or_else(|| file.parent().map_or_else(PathBuf::new, Path::to_path_buf))
}

/// The path of a file from a directory, as globs see it.
fn below(directory: &Path, file: &Path) -> String {
    match (std::fs::canonicalize(directory), std::fs::canonicalize(file)) {
        (Ok(directory), Ok(file)) => relative(&directory, &file),
        _ => relative(directory, file),
    }
}

/// The programs of a tree. The error is a message with its code.
pub fn plan(root: &Path, with_manifest: bool) -> Result<Plan, (Code, String)> {
    let Located { directory, manifest, path, only } = locate(root, with_manifest)?;
    if let Some(file) = only {
        return plan_one(&directory, file, with_manifest);
    }
    let mut files = sources(&directory)?;
    files.sort();
    let mut jobs = Vec::new();
    for path in files {
        let relative = relative(&directory, &path);
        let settings = match &manifest {
            Some(manifest) => manifest.settings(&relative).map_err(|e| (Code::BAD_OPTION, e))?,
            None => FileSettings { listed: true, ..FileSettings::default() },
        };
        if settings.listed {
            let stem = relative.rsplit_once('.').map_or(relative.as_str(), |(stem, _)| stem).to_owned();
            jobs.push(Job { path, stem, settings });
        }
    }
    if jobs.is_empty() {
        let endings = SOURCES.join(", .");
        let message = format!("no shaders in {}: there is no file that ends in .{endings}", root.display());
        return Err((Code::NO_SHADERS, message));
    }
    let bindings_lock = manifest.as_ref().and_then(Manifest::bindings_lock);
    Ok(Plan { jobs, bindings_lock, manifest: path, base: directory })
}

/// A sole file, which is built whether its manifest lists it or not.
fn plan_one(directory: &Path, path: PathBuf, with_manifest: bool) -> Result<Plan, (Code, String)> {
    let project = if with_manifest { project(std::slice::from_ref(&path))? } else { None };
    let stem = Path::new(&relative(directory, &path)).with_extension("").to_string_lossy().into_owned();
    let settings = project.as_ref().map_or_else(FileSettings::default, |p| p.settings.clone());
    let bindings_lock = project.as_ref().and_then(|p| p.bindings_lock.clone());
    let base = base(&path);
    let manifest = project.map(|p| p.manifest);
    Ok(Plan { jobs: vec![Job { path, stem, settings }], bindings_lock, manifest, base })
}

/// What a build's argument names.
struct Located {
    directory: PathBuf,
    manifest: Option<Manifest>,
    /// Where the manifest is.
    path: Option<PathBuf>,
    /// The sole file.
    only: Option<PathBuf>,
}

/// The tree's directory, its manifest, and the sole file if `root` is one.
fn locate(root: &Path, with_manifest: bool) -> Result<Located, (Code, String)> {
    let with = |directory: PathBuf, path: PathBuf| {
        let manifest = Manifest::read(&path).map_err(|e| (Code::BAD_OPTION, e))?;
        Ok(Located { directory, manifest: Some(manifest), path: Some(path), only: None })
    };
    if root.is_dir() {
        let path = root.join(FILE_NAME);
        let bare = Located { directory: root.to_path_buf(), manifest: None, path: None, only: None };
        return if with_manifest && path.is_file() { with(root.to_path_buf(), path) } else { Ok(bare) };
    }
    if !root.is_file() {
        return Err((Code::FILE_NOT_FOUND, format!("{} was not found", root.display())));
    }
    let directory = root.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    if root.extension().is_some_and(|e| e == "toml") {
        return with(directory, root.to_path_buf());
    }
    Ok(Located { directory, manifest: None, path: None, only: Some(root.to_path_buf()) })
}

fn sources(directory: &Path) -> Result<Vec<PathBuf>, (Code, String)> {
    let mut files = Vec::new();
    for entry in WalkDir::new(directory).sort_by_file_name() {
        let entry = entry.map_err(|e| (Code::UNREADABLE, e.to_string()))?;
        let extension = entry.path().extension().and_then(|e| e.to_str());
        if entry.file_type().is_file() && extension.is_some_and(|e| SOURCES.contains(&e)) {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

fn relative(directory: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(directory).unwrap_or(path);
    let parts: Vec<String> = relative.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
    parts.join("/")
}

/// Sources whose outputs would have the same names: each stem with the files that share it.
pub fn clashes(jobs: &[Job]) -> Vec<(String, Vec<PathBuf>)> {
    let mut by_stem: BTreeMap<&str, Vec<PathBuf>> = BTreeMap::new();
    for job in jobs {
        by_stem.entry(&job.stem).or_default().push(job.path.clone());
    }
    let shared = by_stem.into_iter().filter(|(_, files)| files.len() > 1);
    shared.map(|(stem, files)| (stem.to_owned(), files)).collect()
}

/// `NAME.hlsl`, or `NAME.ENTRY.frag` where each entry point is a text of its own.
pub fn file_name(stem: &str, artifact: &Artifact) -> String {
    match artifact.entry {
        None => format!("{stem}.{}", artifact.target.extension()),
        Some((entry, stage)) => format!("{stem}.{entry}.{}", glsl_extension(stage)),
    }
}

/// The letters of the profiles by which DXC knows a stage; several stages are in libraries.
pub fn dxc_profile(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vs",
        Stage::Hull => "hs",
        Stage::Domain => "ds",
        Stage::Geometry => "gs",
        Stage::Fragment => "ps",
        Stage::Compute => "cs",
        Stage::Amplification => "as",
        Stage::Mesh => "ms",
        Stage::RayGeneration
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => DXC_LIBRARY,
    }
}

/// The profile of stages that are in libraries.
pub const DXC_LIBRARY: &str = "lib";

/// The file name ending by which glslang knows a stage.
pub fn glsl_extension(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vert",
        Stage::Hull => "tesc",
        Stage::Domain => "tese",
        Stage::Geometry => "geom",
        Stage::Fragment => "frag",
        Stage::Compute => "comp",
        Stage::Amplification => "task",
        Stage::Mesh => "mesh",
        Stage::RayGeneration => "rgen",
        Stage::Intersection => "rint",
        Stage::AnyHit => "rahit",
        Stage::ClosestHit => "rchit",
        Stage::Miss => "rmiss",
        Stage::Callable => "rcall",
    }
}
