//! Texts from legalized programs: printing only, no decisions.
//!
//! [`expr`] and [`stmt`] print what the languages write alike; a [`dialect::Dialect`] says where they differ. Each language's
//! declarations are in its own directory.

mod context;
mod dialect;
mod expr;
mod literal;
mod stmt;
mod writer;

mod glsl;
mod hlsl;
mod wgsl;

use crate::target::{Language, Profile};
use crate::tree::Program;
use context::Context;

/// How texts are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Keep the comments of the source.
    pub comments: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { comments: true }
    }
}

/// The text of a legalized program: one that needs nothing that the profile has not.
pub fn emit(program: &Program, profile: &Profile, options: &Options) -> String {
    let mut cx = Context::new(program, profile, options);
    match profile.language {
        Language::Hlsl => hlsl::emit(&cx),
        Language::Glsl => glsl::emit(&mut cx),
        Language::Wgsl => wgsl::emit(&cx),
    }
}
