//! Whole trees: finding files, what each is compiled with, writing what they become, checking it with other compilers.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "an outer layer: it reads and writes trees")]

pub mod documents;
pub mod loader;
mod lock;
pub mod manifest;
mod plan;
pub mod parts;
#[cfg(feature = "cli")]
pub mod validators;
mod write;

pub use loader::{FileLoader, Loaders};
pub use lock::LockFile;
#[cfg(feature = "internals")]
pub use plan::{DXC_LIBRARY, dxc_profile, glsl_extension};
pub use plan::{Job, Plan, clashes, file_name, plan};
#[cfg(feature = "cli")]
pub use plan::{Project, base, project};
#[cfg(feature = "cli")]
pub use write::Written;
pub use write::{write_if_changed, write_whole};
