//! What a build is made of: the programs found in a tree, each with its settings and outputs.

use super::manifest::{FILE_NAME, FileSettings, Manifest};
use super::validators::glsl_extension;
use crate::compile::Artifact;
use crate::diagnostic::Code;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
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
}

/// The programs of a tree. The error is a message with its code.
pub fn plan(root: &Path) -> Result<Plan, (Code, String)> {
    let Located { directory, manifest, path, only } = locate(root)?;
    let mut files: Vec<PathBuf> = match only {
        Some(file) => vec![file],
        None => sources(&directory)?,
    };
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
    Ok(Plan { jobs, bindings_lock: manifest.as_ref().and_then(Manifest::bindings_lock), manifest: path })
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
fn locate(root: &Path) -> Result<Located, (Code, String)> {
    let with = |directory: PathBuf, path: PathBuf| {
        let manifest = Manifest::read(&path).map_err(|e| (Code::BAD_OPTION, e))?;
        Ok(Located { directory, manifest: Some(manifest), path: Some(path), only: None })
    };
    if root.is_dir() {
        let path = root.join(FILE_NAME);
        let bare = Located { directory: root.to_path_buf(), manifest: None, path: None, only: None };
        return if path.is_file() { with(root.to_path_buf(), path) } else { Ok(bare) };
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
