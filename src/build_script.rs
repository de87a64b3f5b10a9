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

use crate::batch::{
    Finding, LockFile, Order, OutputKind, OutputUse, SidecarForm, Store, Template, USUAL_BOUND, Written, build,
    write_whole,
};
use crate::compile::{BufferLayout, Target};
use crate::diagnostic::{Merged, Severity};
use crate::host::{self, HostProgram, HostText, RustBindings, RustOptions};
use crate::layout::{Policy, Shift};
use crate::options::{Choices, Lint, setters};
use crate::reflect::Reflection;
use crate::tree::MatrixOrder;
use std::ffi::{OsStr, OsString};
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
    cache: Vec<OsString>,
    module: Option<PathBuf>,
    rust: RustOptions,
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
            cache: Vec::new(),
            module: None,
            rust: RustOptions::default(),
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

    /// Writes a module of host code, relative to the output directory: for each program a module with its texts, the structs of its
    /// buffers with their offsets checked, bindings, vertex inputs and constants. See [`crate::guide::host`].
    pub fn module(mut self, file: impl AsRef<Path>) -> Build {
        self.module = Some(file.as_ref().to_path_buf());
        self
    }

    /// Makes the structs of host code `Pod` and `Zeroable` of the crate `bytemuck`.
    pub fn bytemuck(mut self, derive: bool) -> Build {
        self.rust.bytemuck = derive;
        self
    }

    /// Gives bindings and vertex attributes in host code as types of the crate `wgpu`, too.
    pub fn wgpu(mut self, types: bool) -> Build {
        self.rust.bindings = if types { RustBindings::Wgpu } else { RustBindings::Plain };
        self
    }

    /// Where builds share what they have compiled, those of other checkouts too: a directory, of which what was used least lately goes
    /// when there is more than 1 GiB; or, with the feature `shared-cache`, a service by its URL (see [`crate::guide::build`]). Called
    /// twice, a directory in front of a service.
    pub fn cache(mut self, place: impl AsRef<OsStr>) -> Build {
        self.cache.push(place.as_ref().to_owned());
        self
    }

    /// Where outputs go; the default is `OUT_DIR`.
    pub fn out_dir(mut self, directory: impl AsRef<Path>) -> Build {
        self.out = Some(directory.as_ref().to_path_buf());
        self
    }

    /// Compiles what is not as it was built before; the error is what a person should read. Gives all outputs.
    pub fn try_run(&self) -> Result<Vec<PathBuf>, String> {
        let out = self.out.clone().or_else(|| std::env::var_os("OUT_DIR").map(PathBuf::from));
        let out = out.ok_or("OUT_DIR is not set: outside of a build script, set the output directory with out_dir")?;
        let fault = |fault: Finding| fault.message(false).rendered;
        let plan = crate::batch::plan(&self.tree, true, &out).map_err(fault)?;
        let lock = self.bindings_lock.clone().or_else(|| plan.bindings_lock.clone());
        for watched in [Some(&self.tree), plan.manifest.as_ref(), lock.as_ref()].into_iter().flatten() {
            println!("cargo::rerun-if-changed={}", watched.display());
        }
        let lock = match &lock {
            Some(path) => Some(LockFile::open(path, self.locked).map_err(fault)?),
            None if self.locked => return Err("locked: no bindings lock is named".to_owned()),
            None => None,
        };
        let built = build(&self.order(&out)?, plan, lock, &|| {}).map_err(fault)?;
        let mut written = Vec::new();
        let mut errors: String = built.errors.into_iter().map(fault).collect();
        let mut merged = Merged::default();
        for (job, report) in &built.reports {
            for file in &report.dependencies {
                println!("cargo::rerun-if-changed={file}");
            }
            merged.add(&job.path().to_string_lossy(), report.messages.clone());
            written.extend(report.outputs.iter().map(|output| out.join(&*output.name)));
        }
        for message in merged.finish() {
            match message.severity {
                Severity::Error => errors.push_str(&message.rendered),
                Severity::Warning | Severity::Note => warn(&message.rendered),
            }
        }
        built.warnings.iter().for_each(|warning| warn(&warning.message(false).rendered));
        if let (Some(module), true) = (&self.module, errors.is_empty()) {
            let path = out.join(module);
            let text = self
                .module_text(&out, built.reports.iter().map(|(job, report)| (job.name.as_str(), &*report.outputs)))?;
            write_whole(&path, text.as_bytes()).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
            written.push(path);
        }
        if errors.is_empty() { Ok(written) } else { Err(errors) }
    }

    /// The text of the module of host code, from the sidecars of programs: those that are as they were built before, too.
    fn module_text<'p>(
        &self,
        out: &Path,
        programs: impl Iterator<Item = (&'p str, &'p [Written])>,
    ) -> Result<String, String> {
        let mut sidecars: Vec<(String, &[Written], Target, Reflection)> = Vec::new();
        for (name, outputs) in programs {
            let of_targets: Vec<&Written> =
                outputs.iter().filter(|output| output.kind == OutputKind::Sidecar).collect();
            for sidecar in &of_targets {
                let Some(target) = sidecar.target else { continue };
                // Of several variants the first one stands for all.
                if sidecars.iter().any(|(_, of, t, _)| std::ptr::eq(*of, outputs) && *t == target) {
                    continue;
                }
                let path = out.join(&*sidecar.name);
                let text =
                    std::fs::read_to_string(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
                let reflection = Reflection::from_json(&text).map_err(|e| format!("{}: {e}", path.display()))?;
                let is_alone = of_targets.iter().all(|other| other.target == Some(target));
                let module = if is_alone { name.to_owned() } else { format!("{name}_{}", target.name()) };
                sidecars.push((module, outputs, target, reflection));
            }
        }
        let program = |(name, outputs, target, reflection): &'_ (String, &[Written], Target, Reflection)| {
            let texts = outputs.iter().filter(|o| o.kind == OutputKind::Text && o.target == Some(*target));
            let several = texts.clone().count() > 1;
            let texts = texts.map(|output| {
                let label = output.entry.clone().filter(|_| several).unwrap_or_default();
                (label, output.name.clone(), matches!(target, Target::Spirv))
            });
            (name.clone(), texts.collect::<Vec<_>>(), reflection.clone())
        };
        let owned: Vec<_> = sidecars.iter().map(program).collect();
        let programs: Vec<HostProgram> = owned
            .iter()
            .map(|(name, texts, reflection)| HostProgram {
                name,
                texts: texts
                    .iter()
                    .map(|(entry, path, is_binary)| HostText { entry, path, is_binary: *is_binary })
                    .collect(),
                reflection,
            })
            .collect();
        Ok(host::module(&programs, &self.rust))
    }

    fn order<'a>(&'a self, out: &'a Path) -> Result<Order<'a>, String> {
        let places = self.cache.iter().map(OsString::as_os_str);
        let cache = if self.cache.is_empty() { None } else { Some(Store::open(places, USUAL_BOUND)?) };
        Ok(Order {
            tree: &self.tree,
            out,
            targets: self.targets.clone(),
            entries: Vec::new(),
            given: None,
            defines: self.defines.clone(),
            include: self.include.clone(),
            choices: self.choices.clone(),
            anywhere: false,
            any_case: self.any_case,
            template: Template::parse("{program}")?,
            sidecar: SidecarForm::default(),
            depfiles: false,
            read_besides: Vec::new(),
            validator: |_| Vec::new(),
            validators: String::new(),
            color: false,
            verbose: false,
            dump_after: None,
            jobs: std::env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()),
            prunes: true,
            outputs: OutputUse::Write,
            programs: Vec::new(),
            records: true,
            fails_fast: false,
            interrupted: || false,
            cache,
            spare_code: false,
            elsewhere: None,
        })
    }

    /// Compiles, or ends the build script with the errors.
    pub fn run(&self) {
        if let Err(errors) = self.try_run() {
            eprintln!("{errors}");
            std::process::exit(1);
        }
    }
}

/// Warnings, as cargo shows them.
fn warn(text: &str) {
    text.lines().filter(|l| !l.trim().is_empty()).for_each(|line| println!("cargo::warning={line}"));
}
