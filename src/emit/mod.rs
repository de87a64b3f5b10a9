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

use crate::symbol::Symbol;
use crate::target::{Language, Profile};
use crate::tree::{Global, GlobalId, Program, Type};
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

/// What the contents of a constant buffer that are no struct are called in its block, below the buffer.
pub fn contents(program: &Program, global: &Global) -> Option<&'static str> {
    let types = &program.types;
    let (Type::ConstantBuffer(element) | Type::TextureBuffer(element)) = types.get(types.innermost(global.ty)) else {
        return None;
    };
    let is_struct = matches!(types.get(element), Type::Struct(_));
    let name = if types.innermost(global.ty) == global.ty { global.name.as_str() } else { glsl::CONTENTS };
    (!is_struct && global.block.is_some()).then_some(name)
}

/// The names of blocks in the text of a legalized program, where they are not those of their buffers.
pub fn blocks(program: &Program, profile: &Profile) -> Vec<(GlobalId, Symbol)> {
    match profile.language {
        Language::Glsl => glsl::block_names(&Context::new(program, profile, &Options::default())),
        _ => program.globals.iter().filter_map(|(id, global)| Some((id, global.block?))).collect(),
    }
}
