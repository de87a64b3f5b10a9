//! For `build.rs`: compiles shaders into `OUT_DIR` and tells cargo what to watch.
//!
//! ```no_run
//! // build.rs
//! shaderport::Build::new("shaders")
//!     .target(shaderport::Target::Wgsl)
//!     .binding_policy(shaderport::Policy::DXC)
//!     .bindings_lock("shaders/bindings.lock")
//!     .locked(std::env::var_os("CI").is_some())
//!     .run();
//! ```
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "an outer layer: it runs in build scripts")]

use crate::batch::{Job, Loaders, LockFile, Plan, clashes, parts, write_if_changed};
use crate::compile::{BufferLayout, Options, Target, compile};
use crate::layout::lock::ProgramLock;
use crate::layout::{Policy, Shift};
use crate::options::{Choices, Lint, setters};
use crate::tree::MatrixOrder;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// A build of one tree of shaders. What is said here goes before what a `shaderport.toml` in the tree says.
#[derive(Debug)]
pub struct Build {
    tree: PathBuf,
    targets: Vec<Target>,
    defines: Vec<(String, Option<String>)>,
    include: Vec<PathBuf>,
    choices: Choices,
    bindings_lock: Option<PathBuf>,
    locked: bool,
    any_case: bool,
    out: Option<PathBuf>,
}

impl Build {
    /// A tree, relative to the package, or one file, or a manifest.
    pub fn new(tree: impl AsRef<Path>) -> Build {
        Build {
            tree: tree.as_ref().to_path_buf(),
            targets: Vec::new(),
            defines: Vec::new(),
            include: Vec::new(),
            choices: Choices::default(),
            bindings_lock: None,
            locked: false,
            any_case: false,
            out: None,
        }
    }

    /// Adds a target; without any, those of the manifest, else HLSL, GLSL and WGSL.
    pub fn target(mut self, target: Target) -> Build {
        self.targets.push(target);
        self
    }

    /// Adds an include root.
    pub fn include(mut self, directory: impl AsRef<Path>) -> Build {
        self.include.push(directory.as_ref().to_path_buf());
        self
    }

    /// Defines a macro.
    pub fn define(mut self, name: &str, value: Option<&str>) -> Build {
        self.defines.push((name.to_owned(), value.map(str::to_owned)));
        self
    }

    setters!();

    fn choose(mut self, set: impl FnOnce(&mut Choices)) -> Build {
        set(&mut self.choices);
        self
    }

    /// Keeps the positions that this file records, and records new ones; relative to the package.
    pub fn bindings_lock(mut self, file: impl AsRef<Path>) -> Build {
        self.bindings_lock = Some(file.as_ref().to_path_buf());
        self
    }

    /// It is an error if the bindings lock would change, or is not there.
    pub fn locked(mut self, locked: bool) -> Build {
        self.locked = locked;
        self
    }

    /// Takes files for includes whose names differ in case, as Windows does.
    pub fn includes_in_any_case(mut self, allow: bool) -> Build {
        self.any_case = allow;
        self
    }

    /// Where outputs go; the default is `OUT_DIR`.
    pub fn out_dir(mut self, directory: impl AsRef<Path>) -> Build {
        self.out = Some(directory.as_ref().to_path_buf());
        self
    }

    /// Compiles; the error is what a person should read. Gives the files that were written.
    pub fn try_run(&self) -> Result<Vec<PathBuf>, String> {
        let out = self.out.clone().or_else(|| std::env::var_os("OUT_DIR").map(PathBuf::from));
        let out = out.ok_or("OUT_DIR is not set: outside of a build script, set the output directory with out_dir")?;
        let plan =
            crate::batch::plan(&self.tree, true).map_err(|(code, message)| format!("error[{code}]: {message}"))?;
        let Plan { jobs, bindings_lock, manifest, base } = plan;
        if let Some((stem, files)) = clashes(&jobs).first() {
            let files: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
            return Err(format!("{} would write the same output `{stem}`", files.join(" and ")));
        }
        let lock = self.bindings_lock.clone().or(bindings_lock);
        for watched in [Some(&self.tree), manifest.as_ref(), lock.as_ref()].into_iter().flatten() {
            println!("cargo::rerun-if-changed={}", watched.display());
        }
        let mut lock = match &lock {
            Some(path) => Some(LockFile::open(path, self.locked, false)?),
            None if self.locked => return Err("locked: no bindings lock is named".to_owned()),
            None => None,
        };
        let loaders = Loaders::new(&self.tree, &base).in_any_case(self.any_case);
        let loaders = if self.tree.is_dir() { loaders } else { loaders.root(Path::new(".")) };
        let one = |job| self.compile(job, lock.as_ref(), &loaders);
        let programs: Vec<Compiled> = jobs.par_iter().map(one).collect();
        let mut written = Vec::new();
        let mut errors = String::new();
        let compiled = jobs.iter().zip(&programs).map(|(job, program)| parts::Compiled {
            path: &job.path,
            is_broken: program.is_broken,
            dependencies: &program.dependencies,
        });
        let are_parts = parts::parts(&compiled.collect::<Vec<_>>());
        for ((job, program), is_part) in jobs.iter().zip(programs).zip(are_parts) {
            for file in &program.dependencies {
                println!("cargo::rerun-if-changed={file}");
            }
            match program.failed {
                true if is_part => {}
                true => errors.push_str(&program.text),
                false => warn(&program.text),
            }
            for (name, bytes) in program.files {
                let path = out.join(name);
                write_if_changed(&path, &bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
                written.push(path);
            }
            if let Some(lock) = lock.as_mut().filter(|_| !program.failed) {
                lock.update(std::slice::from_ref(&job.path), true, program.records);
            }
        }
        lock.iter().flat_map(LockFile::gone).for_each(|text| warn(&text));
        if let Err(text) = lock.map_or(Ok(()), LockFile::save) {
            errors.push_str(&text);
        }
        if errors.is_empty() { Ok(written) } else { Err(errors) }
    }

    /// One program.
    fn compile(&self, job: &Job, lock: Option<&LockFile>, loaders: &Loaders) -> Compiled {
        let (loader, shared) = loaders.get(self.include.iter().chain(&job.settings.include));
        let program = std::slice::from_ref(&job.path);
        let mut options = Options {
            targets: job.settings.targets(&self.targets),
            defines: self.defines.clone(),
            shared: Some(shared),
            lock: lock.map(|lock| lock.input(program, true)),
            ..Options::default()
        };
        job.settings.apply(&self.choices, &mut options);
        let source = job.path.to_string_lossy().replace('\\', "/");
        let output = compile(loader.as_ref(), &[&source], &options);
        let (failed, text) = (output.has_errors(), output.render(false));
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        if !failed {
            let name = |a| crate::batch::file_name(&job.stem, a);
            files.extend(output.artifacts.iter().map(|a| (name(a), a.bytes.clone())));
            let sidecar = |target: &Target| format!("{}.{}.json", job.stem, target.name());
            files.extend(output.reflections.iter().map(|(t, r)| (sidecar(t), r.to_json().into_bytes())));
        }
        let is_broken = failed && options.skip_libraries && output.entries.is_empty();
        Compiled { dependencies: output.dependencies, is_broken, text, failed, files, records: output.records }
    }

    /// Compiles, or ends the build script with the errors.
    pub fn run(&self) {
        if let Err(errors) = self.try_run() {
            eprintln!("{errors}");
            std::process::exit(1);
        }
    }
}

/// What became of one program.
struct Compiled {
    dependencies: Vec<String>,
    /// Errors and warnings for people.
    text: String,
    failed: bool,
    /// It has no entry points besides.
    is_broken: bool,
    /// Names and bytes of outputs.
    files: Vec<(String, Vec<u8>)>,
    /// What a lock records of it from now on.
    records: Option<ProgramLock>,
}

/// Warnings, as cargo shows them.
fn warn(text: &str) {
    text.lines().filter(|l| !l.trim().is_empty()).for_each(|line| println!("cargo::warning={line}"));
}
