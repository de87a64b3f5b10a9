//! For `build.rs`: compiles shaders into `OUT_DIR` and tells cargo what to watch.
//!
//! ```no_run
//! // build.rs
//! shaderport::Build::new("shaders").target(shaderport::Target::Wgsl).run();
//! ```

use crate::batch::{FileLoader, write_if_changed};
use crate::compile::{Options, Target, compile};
use std::path::{Path, PathBuf};

/// A build of one tree of shaders.
#[derive(Debug)]
pub struct Build {
    tree: PathBuf,
    options: Options,
    include: Vec<PathBuf>,
    out: Option<PathBuf>,
}

impl Build {
    /// A tree, relative to the package, or one file.
    pub fn new(tree: impl AsRef<Path>) -> Build {
        let tree = tree.as_ref().to_path_buf();
        Build { tree, options: Options { skip_libraries: true, ..Options::default() }, include: Vec::new(), out: None }
    }

    /// Adds a target.
    pub fn target(mut self, target: Target) -> Build {
        self.options.targets.push(target);
        self
    }

    /// Adds an include root.
    pub fn include(mut self, directory: impl AsRef<Path>) -> Build {
        self.include.push(directory.as_ref().to_path_buf());
        self
    }

    /// Defines a macro.
    pub fn define(mut self, name: &str, value: Option<&str>) -> Build {
        self.options.defines.push((name.to_owned(), value.map(str::to_owned)));
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
        let out = out.ok_or("OUT_DIR is not set: outside of a build script, say where outputs go with out_dir")?;
        let jobs = crate::batch::plan(&self.tree).map_err(|(code, message)| format!("error[{code}]: {message}"))?;
        let mut written = Vec::new();
        let mut errors = String::new();
        println!("cargo::rerun-if-changed={}", self.tree.display());
        for job in jobs {
            let include = self.include.iter().chain(&job.settings.include);
            let loader = FileLoader::new(include)
                .root(job.path.parent().unwrap_or(Path::new(".")))
                .root(if self.tree.is_dir() { &self.tree } else { Path::new(".") });
            let mut options = self.options.clone();
            options.defines.splice(0..0, job.settings.defines.iter().cloned());
            options.entries = job.settings.entries.clone();
            options.skip_libraries = options.entries.is_empty();
            let source = job.path.to_string_lossy().replace('\\', "/");
            let output = compile(&loader, &[&source], &options);
            for file in &output.dependencies {
                println!("cargo::rerun-if-changed={file}");
            }
            if output.has_errors() {
                errors.push_str(&output.render(false));
                continue;
            }
            let mut files: Vec<(String, Vec<u8>)> = Vec::new();
            for artifact in &output.artifacts {
                files.push((crate::batch::file_name(&job.stem, artifact), artifact.bytes.clone()));
            }
            for (target, reflection) in &output.reflections {
                files.push((format!("{}.{}.json", job.stem, target.name()), reflection.to_json().into_bytes()));
            }
            for (name, bytes) in files {
                let path = out.join(name);
                write_if_changed(&path, &bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
                written.push(path);
            }
        }
        if errors.is_empty() { Ok(written) } else { Err(errors) }
    }

    /// Compiles, or ends the build script with the errors.
    pub fn run(&self) {
        if let Err(errors) = self.try_run() {
            eprintln!("{errors}");
            std::process::exit(1);
        }
    }
}
