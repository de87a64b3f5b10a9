//! Whole trees: finding files, what each is compiled with, writing what they become, checking it with other compilers.
//!
//! | file | what |
//! |---|---|
//! | `manifest`, `axes`, `template` | `shaderport.toml`: settings, permutations, names of outputs |
//! | `walk`, `plan`, `selection` | the files of a tree, the programs that they are, and some of them |
//! | `suggest` | a manifest for a tree without one |
//! | `order`, `driver` | what a build was asked for, and how it runs |
//! | `loader`, `program`, `variants`, `offers`, `names` | one program in all of its variants, from sources to the bytes of outputs |
//! | `digest`, `record` | what of an earlier build is still right |
//! | `merged` | the texts of all variants as one |
//! | `store`, `cached`, `bundle` | the cache that builds share, in directories and services |
//! | `elsewhere`, `packed`, `remote` | programs that are not compiled here: servers of the Remote Execution API |
//! | `farm` | builds that other programs run: Ninja, Bazel |
//! | `headers` | outputs as a tree: one a source file, with headers in common |
//! | `port` | trees by what they say of their own build |
//! | `finding` | what is wrong with a build and is of no program |
//! | `maps` | source maps, which tell the way from outputs to sources |
//! | `lock`, `documents`, `write`, `validators`, `complaint`, `parts` | bindings locks, files of ours, writing, checking, broken includes |
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "an outer layer: it reads and writes trees")]

mod axes;
mod bundle;
mod cached;
mod complaint;
mod digest;
pub mod documents;
mod driver;
mod elsewhere;
#[cfg(feature = "cli")]
pub mod farm;
mod finding;
mod kinds;
#[cfg(feature = "cli")]
pub mod headers;
pub mod loader;
mod lock;
pub mod manifest;
pub mod maps;
mod merged;
mod names;
mod offers;
mod order;
#[cfg(feature = "cli")]
mod packed;
mod parts;
mod plan;
#[cfg(feature = "cli")]
pub mod port;
mod program;
mod record;
#[cfg(feature = "remote")]
mod remote;
mod selection;
mod store;
#[cfg(feature = "cli")]
mod suggest;
mod template;
#[cfg(feature = "cli")]
pub mod validators;
mod variants;
mod walk;
mod write;

#[cfg(feature = "cli")]
pub use complaint::{Complaint, texts_of};
pub use driver::build;
#[cfg(feature = "cli")]
pub use driver::{Built, Difference, Report};
#[cfg(feature = "cli")]
pub use elsewhere::Elsewhere;
pub use finding::Finding;
pub use loader::FileLoader;
pub use lock::LockFile;
pub use order::{Order, OutputUse, SidecarForm};
#[cfg(feature = "cli")]
pub use order::{OutputLayout, WgslImports};
#[cfg(feature = "cli")]
pub use packed::Packing;
#[cfg(any(feature = "cli", feature = "internals"))]
pub use plan::glsl_extension;
pub use plan::plan;
#[cfg(feature = "internals")]
pub use plan::{DXC_LIBRARY, Job, dxc_profile};
#[cfg(feature = "cli")]
pub use plan::{Plan, Project, base, enclosing, plan_of, plan_of_files, project};
#[cfg(feature = "cli")]
pub use program::Fate;
pub use program::OutputKind;
#[cfg(feature = "cli")]
pub use program::escape;
pub use record::Written;
#[cfg(feature = "cli")]
pub use record::{DIRECTORY as RECORDS, prepare};
#[cfg(feature = "remote")]
pub use remote::{Remote, RemoteSettings};
#[cfg(feature = "cli")]
pub use selection::Selection;
#[cfg(feature = "cli")]
pub use store::Use;
pub use store::{Store, USUAL_BOUND};
#[cfg(feature = "cli")]
pub use suggest::{Beside, suggest};
pub use template::Template;
#[cfg(feature = "cli")]
pub use walk::below;
#[cfg(feature = "cli")]
pub use write::write_anew;
pub use write::write_whole;
