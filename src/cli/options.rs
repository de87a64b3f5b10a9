//! Options that several commands share.

use crate::check::EntryRequest;
use crate::compile::{BufferLayout, Options, Target};
use crate::layout::{self, Policy};
use crate::tree::{MatrixOrder, Stage};
use clap::{Args, ValueEnum};

/// A target, as an option's value.
pub fn target(text: &str) -> Result<Target, String> {
    let known: Vec<&str> = Target::TABLE.iter().map(|(n, _, _)| *n).collect();
    Target::parse(text).ok_or_else(|| format!("not a target; there are {}", known.join(", ")))
}

/// `NAME` or `NAME:STAGE`.
pub fn entry(text: &str) -> Result<EntryRequest, String> {
    match text.rsplit_once(':') {
        None => Ok(EntryRequest { name: text.to_owned(), stage: None }),
        Some((name, stage)) => match Stage::parse(stage) {
            Some(stage) => Ok(EntryRequest { name: name.to_owned(), stage: Some(stage) }),
            None => Err(format!("`{stage}` is no stage; there are vertex, fragment (pixel), compute, geometry, ...")),
        },
    }
}

/// `NAME` or `NAME=VALUE`.
pub fn define(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    let legal = name.chars().enumerate().all(|(i, c)| c == '_' || c.is_ascii_alphabetic() || i > 0 && c.is_ascii_digit());
    if name.is_empty() || !legal { Err("a macro needs a name".to_owned()) } else { Ok((name.to_owned(), value)) }
}

fn policy(text: &str) -> Result<Policy, String> {
    let known: Vec<&str> = layout::POLICIES.iter().map(|p| p.name).collect();
    let found = layout::POLICIES.iter().find(|p| p.name == text).copied();
    found.ok_or_else(|| format!("not a binding policy; there are {}", known.join(", ")))
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum Order {
    Row,
    Column,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum Bytes {
    Native,
    D3d,
    Scalar,
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
    /// Rules for the bytes of buffers.
    #[arg(long, value_enum, default_value = "native")]
    buffer_layout: Bytes,
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
            buffer_layout: match self.buffer_layout {
                Bytes::Native => BufferLayout::Native,
                Bytes::D3d => BufferLayout::D3d,
                Bytes::Scalar => BufferLayout::Scalar,
            },
            dump_after: self.dump_after.clone(),
            ..Options::default()
        }
    }
}
