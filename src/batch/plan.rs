//! What a build is made of: the programs found in a tree, each with its settings and outputs.

use super::finding::Finding;
use super::loader::resolved;
use super::manifest::{FILE_NAME, FileSettings, Manifest};
use super::order::{OutputLayout, WgslImports};
use super::selection::Selection;
use super::walk::files_below;
use crate::diagnostic::Code;
use crate::tree::Stage;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// File name endings of sources that may have entry points. Others (`.hlsli`, `.fxh`, `.h`) are only included, unless a manifest
/// names them.
const SOURCES: &[&str] = &["slang", "hlsl", "fx"];

/// One program to compile, in all of its variants.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name by which outputs are called: that of a `[[program]]`, or as `stem`.
    pub name: String,
    /// The sources.
    pub files: Vec<PathBuf>,
    /// The path of the first one from the tree's root without ending, `/`-separated.
    pub stem: String,
    /// How.
    pub settings: Arc<FileSettings>,
    /// A `[[program]]` names it; else it is a file by itself.
    pub is_program: bool,
}

impl Job {
    /// A file by itself.
    fn of_file(path: PathBuf, relative: &str, settings: Arc<FileSettings>) -> Job {
        let stem = stem(relative);
        Job { name: stem.clone(), files: vec![path], stem, settings, is_program: false }
    }

    /// Its name in records and selections: that of its `[[program]]`, or the path of its file from `base`.
    pub fn id(&self, base: &Path) -> String {
        if self.is_program { self.name.clone() } else { relative(base, self.path()) }
    }

    /// The first source, which messages name.
    pub fn path(&self) -> &Path {
        self.files.first().map_or(Path::new(""), PathBuf::as_path)
    }
}

/// A path without the ending of the file's name.
fn stem(relative: &str) -> String {
    let name = relative.rfind('/').map_or(0, |slash| slash + 1);
    let dot = relative.rfind('.').filter(|dot| *dot > name);
    relative.get(..dot.unwrap_or(relative.len())).unwrap_or(relative).to_owned()
}

/// What there is to build.
#[derive(Debug)]
pub struct Plan {
    /// The programs, in order of the paths of their first files.
    pub jobs: Vec<Job>,
    /// The lock that the manifest names.
    pub bindings_lock: Option<PathBuf>,
    /// How outputs are cut, as far as the manifest says it.
    pub layout: Option<OutputLayout>,
    /// How texts of WGSL in a tree name the modules that they need, as far as the manifest says it.
    pub wgsl_imports: Option<WgslImports>,
    /// The manifest itself.
    pub manifest: Option<PathBuf>,
    /// What names in sidecars are relative to: the tree, or for a sole file [`base`].
    pub base: PathBuf,
    /// What is not wrong, but most likely not meant.
    pub warnings: Vec<Finding>,
    /// Directories that includes may lead into, of files that are named one by one.
    pub roots: Vec<PathBuf>,
}

/// What a manifest says of a program of some files: the nearest one above the first of them.
#[derive(Clone, Debug)]
pub struct Project {
    /// The manifest's directory, as seen from where the file was named.
    pub directory: PathBuf,
    /// The manifest.
    pub manifest: PathBuf,
    /// How the program is compiled.
    pub settings: Arc<FileSettings>,
    /// The lock that the manifest names.
    pub bindings_lock: Option<PathBuf>,
}

/// What the nearest manifest says of a program, so that it has the same bindings by itself as in a build of the tree.
pub fn project(files: &[PathBuf]) -> Result<Option<Project>, Finding> {
    let Some(first) = files.first() else { return Ok(None) };
    let Some(directory) = manifest_directory(first) else { return Ok(None) };
    let path = directory.join(FILE_NAME);
    let manifest = Manifest::read(&path)?;
    let bindings_lock = manifest.bindings_lock();
    let mut tree: Vec<String> = files.iter().map(|file| below(&directory, file)).collect();
    tree.sort();
    if let Some(program) = manifest.program_of(&tree)? {
        return Ok(Some(Project { directory, manifest: path, settings: Arc::new(program.settings), bindings_lock }));
    }
    let settings = |file: &PathBuf| manifest.settings(&below(&directory, file));
    let of_first = settings(first)?;
    for other in files {
        if !of_first.agrees(settings(other)?.as_ref()) {
            let message = format!(
                "{} says different things of {} and {}, which are to be one program; with --no-manifest it is not asked",
                path.display(),
                first.display(),
                other.display()
            );
            return Err(Finding::error(Code::BAD_OPTION, message).in_file(&path));
        }
    }
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

/// Where includes of a source, or of a directory of them, may lead when no include root is given: the project that it lies in,
/// which is named by a manifest or repository; else the directory above the source's, as trees keep shared includes beside
/// their shaders' directories, or the working directory if it holds that.
pub fn enclosing(tree: &Path) -> PathBuf {
    let source = resolved(tree);
    let mut above = source.ancestors().skip(usize::from(!source.is_dir()));
    let marked = |d: &&Path| d.join(FILE_NAME).is_file() || d.join(".git").exists();
    if let Some(found) = above.clone().find(marked) {
        return found.to_path_buf();
    }
    if source.is_dir() {
        return source;
    }
    let beside = above.nth(1).map_or_else(|| PathBuf::from("."), Path::to_path_buf);
    match std::env::current_dir().and_then(std::fs::canonicalize) {
        Ok(here) if beside.starts_with(&here) => here,
        _ => beside,
    }
}

/// What names in the sidecar of a sole file are relative to: the nearest manifest's directory, whether or not that is asked
/// for options, else the file's own.
pub fn base(file: &Path) -> PathBuf {
    manifest_directory(file).unwrap_or_else(|| file.parent().map_or_else(PathBuf::new, Path::to_path_buf))
}

/// The way from a directory to a path: `../lib`. What is not there is as it was written.
pub fn from(directory: &Path, path: &Path) -> String {
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    if let Ok(below) = path.strip_prefix(directory) {
        // It need not be there.
        return relative(Path::new(""), below);
    }
    match (std::fs::canonicalize(directory), std::fs::canonicalize(path)) {
        (Ok(directory), Ok(path)) => super::loader::from_base(&directory, &path),
        _ => path.to_string_lossy().replace('\\', "/"),
    }
}

/// The path of a file from a directory, as globs see it.
fn below(directory: &Path, file: &Path) -> String {
    match std::fs::canonicalize(directory) {
        Ok(directory) => relative(&directory, &resolved(file)),
        Err(_) => relative(directory, file),
    }
}

/// The programs of a tree; files below `out`, the output directory, are not read.
pub fn plan(root: &Path, with_manifest: bool, out: &Path) -> Result<Plan, Finding> {
    plan_of(root, with_manifest, out, &Selection::default())
}

/// Those of them that are selected. Nothing is said of others: their files need not be there.
pub fn plan_of(root: &Path, with_manifest: bool, out: &Path, selection: &Selection) -> Result<Plan, Finding> {
    let Located { directory, manifest, path, only } = locate(root, with_manifest)?;
    if let Some(Only::File(file)) = only {
        let plan = plan_of_files(&[file], with_manifest)?;
        return are_there(selection, root, &plan.jobs, &plan.base).map(|()| plan);
    }
    let below = if let Some(Only::Below(below)) = &only { below.as_path() } else { directory.as_path() };
    let all = files_below(&directory, out).map_err(|e| Finding::error(Code::UNREADABLE, e).in_file(root))?;
    let mut jobs = Vec::new();
    let mut warnings = Vec::new();
    if let Some(manifest) = &manifest {
        if selection.is_all() {
            warnings = manifest.unmatched(&all);
        }
        for program in manifest.programs(&all, selection)? {
            let files: Vec<PathBuf> = program.files.iter().map(|file| directory.join(file)).collect();
            let stem = program.files.first().map(|first| stem(first)).unwrap_or_default();
            jobs.push(Job { name: program.name, files, stem, settings: Arc::new(program.settings), is_program: true });
        }
    }
    let usual = Arc::new(FileSettings { listed: true, ..FileSettings::default() });
    let is_alone = |file: &&String| selection.has(file) && !manifest.as_ref().is_some_and(|m| m.is_in_program(file));
    for relative in all.iter().filter(is_alone) {
        let is_source = Path::new(relative).extension().and_then(|e| e.to_str()).is_some_and(|e| SOURCES.contains(&e));
        if !is_source && !manifest.as_ref().is_some_and(|m| m.names(relative)) {
            continue;
        }
        let settings = match &manifest {
            Some(manifest) => manifest.settings(relative)?,
            None => usual.clone(),
        };
        if settings.listed {
            jobs.push(Job::of_file(directory.join(relative), relative, settings));
        }
    }
    jobs.retain(|job| job.files.iter().any(|file| file.starts_with(below)));
    jobs.sort_by(|a, b| (&a.files, &a.name).cmp(&(&b.files, &b.name)));
    are_there(selection, root, &jobs, &directory)?;
    if jobs.is_empty() {
        let endings = SOURCES.join(", .");
        let message = format!("no shaders in {}: there is no file that ends in .{endings}", root.display());
        return Err(Finding::error(Code::NO_SHADERS, message).in_file(root));
    }
    let bindings_lock = manifest.as_ref().and_then(Manifest::bindings_lock);
    let (layout, wgsl_imports) = manifest.as_ref().map(Manifest::layout).unwrap_or_default();
    let roots = Vec::new();
    Ok(Plan { jobs, bindings_lock, layout, wgsl_imports, manifest: path, base: directory, warnings, roots })
}

/// It is an error if a pattern means no program.
fn are_there(selection: &Selection, root: &Path, jobs: &[Job], base: &Path) -> Result<(), Finding> {
    let ids: Vec<String> = jobs.iter().map(|job| job.id(base)).collect();
    match selection.unmatched(&ids.iter().map(String::as_str).collect::<Vec<_>>()).first() {
        Some(pattern) => {
            let message = format!("no program in {} is called `{pattern}`", root.display());
            Err(Finding::error(Code::NO_SHADERS, message))
        }
        None => Ok(()),
    }
}

/// The program of files that are named one by one, which is built whether its manifest lists them or not.
pub fn plan_of_files(files: &[PathBuf], with_manifest: bool) -> Result<Plan, Finding> {
    let project = if with_manifest { project(files)? } else { None };
    let first = files.first().cloned().unwrap_or_default();
    let name = first.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let settings = project.as_ref().map(|p| p.settings.clone()).unwrap_or_default();
    let bindings_lock = project.as_ref().and_then(|p| p.bindings_lock.clone());
    let base = base(&first);
    let manifest = project.map(|p| p.manifest);
    let job = Job::of_file(first, &name, settings);
    let job = Job { files: files.to_vec(), is_program: files.len() > 1, ..job };
    let roots = files.iter().filter_map(|file| file.parent()).map(Path::to_path_buf).collect();
    // Headers are those of a tree: a file by itself has a text by itself.
    let (layout, wgsl_imports, warnings) = (None, None, Vec::new());
    Ok(Plan { jobs: vec![job], bindings_lock, layout, wgsl_imports, manifest, base, warnings, roots })
}

/// What a build's argument names.
struct Located {
    directory: PathBuf,
    manifest: Option<Manifest>,
    /// Where the manifest is.
    path: Option<PathBuf>,
    /// The part of the tree that is built.
    only: Option<Only>,
}

/// A part of a tree.
enum Only {
    /// The sole file.
    File(PathBuf),
    /// What is below a directory.
    Below(PathBuf),
}

/// The tree's directory, its manifest, and the part of it that `root` is.
fn locate(root: &Path, with_manifest: bool) -> Result<Located, Finding> {
    let with = |directory: PathBuf, path: PathBuf, only: Option<Only>| {
        let manifest = Manifest::read(&path)?;
        // A manifest may lie beside another tree than that of its sources.
        let directory = if only.is_none() { manifest.directory().to_path_buf() } else { directory };
        Ok(Located { directory, manifest: Some(manifest), path: Some(path), only })
    };
    if root.is_dir() {
        // The manifest above a directory holds for it.
        let above = if with_manifest { manifest_directory(&root.join(FILE_NAME)) } else { None };
        return match above {
            Some(directory) if directory == root => with(directory, root.join(FILE_NAME), None),
            Some(directory) => {
                let path = directory.join(FILE_NAME);
                let below = directory.join(self::below(&directory, root));
                with(directory, path, Some(Only::Below(below)))
            }
            None => Ok(Located { directory: root.to_path_buf(), manifest: None, path: None, only: None }),
        };
    }
    if !root.is_file() {
        return Err(Finding::error(Code::FILE_NOT_FOUND, format!("{} was not found", root.display())).in_file(root));
    }
    let directory = root.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    if root.extension().is_some_and(|e| e == "toml") {
        return with(directory, root.to_path_buf(), None);
    }
    Ok(Located { directory, manifest: None, path: None, only: Some(Only::File(root.to_path_buf())) })
}

/// A path from a directory, `/`-separated.
pub fn relative(directory: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(directory).unwrap_or(path);
    let parts: Vec<String> = relative.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
    parts.join("/")
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
