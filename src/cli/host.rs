//! Host code of the command line: which options it has, and the text of a sidecar.

use crate::host::{self, CppOptions, CppTables, HostProgram, RustBindings, RustOptions};
use crate::reflect::Reflection;
use clap::Args;
use std::path::PathBuf;

/// How host code is written.
#[derive(Args, Debug)]
pub struct HostArgs {
    /// `--format cpp`: the namespace around that of the program.
    #[arg(long, value_name = "NAME", default_value = "shaders")]
    cpp_namespace: String,
    /// `--format cpp`: tables of the types of vulkan or d3d12, whose header must be included before.
    #[arg(long, value_name = "API,...", value_delimiter = ',')]
    cpp_tables: Vec<CppTables>,
    /// `--format rust`: bindings as plain data, or as types of wgpu besides.
    #[arg(long, value_name = "plain|wgpu", default_value = "plain")]
    rust_bindings: RustBindings,
    /// `--format rust`: structs are `Pod` and `Zeroable` of bytemuck.
    #[arg(long)]
    rust_bytemuck: bool,
}

/// The name of a program: that of its first file, with the target where there are several.
fn name(files: &[PathBuf], reflection: &Reflection, several: bool) -> String {
    let stem = files.first().and_then(|file| file.file_stem()).unwrap_or_default().to_string_lossy();
    if several { format!("{stem}_{}", reflection.target) } else { stem.into_owned() }
}

impl HostArgs {
    /// C++ headers, one after the other.
    pub fn cpp(&self, files: &[PathBuf], reflections: &[&Reflection]) -> String {
        let options = CppOptions { namespace: self.cpp_namespace.clone(), tables: self.cpp_tables.clone() };
        let several = reflections.len() > 1;
        reflections.iter().map(|r| host::header(&name(files, r, several), r, &options)).collect()
    }

    /// A Rust module.
    pub fn rust(&self, files: &[PathBuf], reflections: &[&Reflection]) -> String {
        let options = RustOptions { bytemuck: self.rust_bytemuck, bindings: self.rust_bindings };
        let several = reflections.len() > 1;
        let names: Vec<String> = reflections.iter().map(|r| name(files, r, several)).collect();
        let programs =
            names.iter().zip(reflections).map(|(name, reflection)| HostProgram { name, texts: Vec::new(), reflection });
        host::module(&programs.collect::<Vec<_>>(), &options)
    }
}
