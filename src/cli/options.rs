//! Options that several commands share.

use crate::check::EntryRequest;
use crate::compile::{BufferLayout, Options, Target};
use crate::layout::{Policy, Shift};
use crate::options::{binding, buffer_layout, define, entry, policy, shift};
use crate::tree::MatrixOrder;
use clap::{Args, ValueEnum};

#[derive(Clone, Copy, ValueEnum, Debug)]
enum Order {
    Row,
    Column,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum Lint {
    Layout,
}

/// What decides on the meaning of sources and on bindings.
#[derive(Args, Clone, Debug)]
pub struct ProgramArgs {
    /// Entry point; without any, all of the files.
    #[arg(long = "entry", value_name = "NAME[:STAGE]", value_parser = entry)]
    pub entries: Vec<EntryRequest>,
    /// Profile of the target, such as sm_6_6, glsl_450, wgsl.
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Directory to look for includes and modules in.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<std::path::PathBuf>,
    /// Allow includes that lead out of the include directories and the directories of the sources.
    #[arg(long)]
    pub allow_outside_roots: bool,
    /// Define a macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = define)]
    pub defines: Vec<(String, Option<String>)>,
    /// Storage order of matrices without a modifier.
    #[arg(long, value_enum, default_value = "column")]
    matrix_layout: Order,
    /// How bindings are given.
    #[arg(long, value_name = "spec|slangc|dxc", value_parser = policy, default_value = "spec")]
    binding_policy: Policy,
    /// Map register classes to ranges of bindings on Vulkan and WebGPU: `register(t3)` is binding N + 3.
    #[arg(long, value_name = "b=N,t=N,u=N,s=N", value_parser = shift)]
    shift: Option<Shift>,
    /// Binding or `b` register, and set or space, of the buffer of plain globals.
    #[arg(long, value_name = "BINDING[,SET]", value_parser = binding)]
    globals_binding: Option<(u32, u32)>,
    /// Keep the explicit positions of parameters that the binding policy drops from being given to others.
    #[arg(long)]
    reserve_unused: bool,
    /// Size of arrays of resources without one, for targets that need it (a manifest may say so too).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    unsized_array_size: Option<u32>,
    /// Rules for the bytes of buffers.
    #[arg(long, value_name = "native|d3d|std140|std430|scalar", value_parser = buffer_layout, default_value = "native")]
    buffer_layout: BufferLayout,
    /// Warnings to give: `layout` tells of structs whose bytes differ between targets, and of the padding that mends it.
    #[arg(long, value_enum)]
    lint: Vec<Lint>,
    /// Print the program after a legalization pass (to stderr).
    #[arg(long, value_name = "PASS")]
    pub dump_after: Option<String>,
    /// Tell which entry points were inferred, and why.
    #[arg(long)]
    pub verbose: bool,
}

impl ProgramArgs {
    /// The library's options.
    pub fn options(&self, targets: Vec<Target>) -> Options {
        Options {
            targets,
            profile: self.profile.clone(),
            entries: self.entries.clone(),
            defines: self.defines.clone(),
            matrix_order: match self.matrix_layout {
                Order::Row => MatrixOrder::Row,
                Order::Column => MatrixOrder::Column,
            },
            policy: self.binding_policy,
            reserve_unused: self.reserve_unused,
            unsized_array_size: self.unsized_array_size,
            shift: self.shift.unwrap_or_default(),
            globals_binding: self.globals_binding,
            buffer_layout: self.buffer_layout,
            lint_layout: self.lint.iter().any(|l| matches!(l, Lint::Layout)),
            dump_after: self.dump_after.clone(),
            ..Options::default()
        }
    }
}
