//! Whole trees: finding files, what each is compiled with, writing what they become, checking it with other compilers.
//!
//! | file | what |
//! |---|---|
//! | `manifest`, `axes`, `template` | `shaderport.toml`: settings, permutations, names of outputs |
//! | `walk`, `plan` | the files of a tree, and the programs that they are |
//! | `suggest` | a manifest for a tree without one |
//! | `order`, `driver` | what a build was asked for, and how it runs |
//! | `loader`, `program`, `variants`, `names` | one program in all of its variants, from sources to the bytes of outputs |
//! | `digest`, `record` | what of an earlier build is still right |
//! | `store`, `cached` | the cache that builds share |
//! | `lock`, `documents`, `write`, `validators`, `parts` | bindings locks, files of ours, writing, checking, broken includes |
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "an outer layer: it reads and writes trees")]

mod axes;
mod cached;
mod digest;
pub mod documents;
mod driver;
pub mod loader;
mod lock;
pub mod manifest;
mod names;
mod order;
mod parts;
mod plan;
mod program;
mod record;
mod store;
#[cfg(feature = "cli")]
mod suggest;
mod template;
#[cfg(feature = "cli")]
pub mod validators;
mod variants;
mod walk;
mod write;

pub use driver::Written;
pub use driver::build;
#[cfg(feature = "cli")]
pub use driver::{Built, Difference, Report};
pub use loader::FileLoader;
pub use lock::LockFile;
pub use order::{Order, SidecarForm};
pub use plan::plan;
#[cfg(feature = "internals")]
pub use plan::{DXC_LIBRARY, Job, dxc_profile, glsl_extension};
#[cfg(feature = "cli")]
pub use plan::{Plan, Project, base, enclosing, project};
#[cfg(feature = "cli")]
pub use program::Fate;
pub use program::OutputKind;
#[cfg(feature = "cli")]
pub use program::escape;
#[cfg(feature = "cli")]
pub use store::Use;
pub use store::{Store, USUAL_BOUND};
#[cfg(feature = "cli")]
pub use suggest::suggest;
pub use template::Template;
pub use write::write_whole;
