//! Whole trees: finding files, what each is compiled with, writing what they become, checking it with other compilers.

mod build;
pub mod loader;
pub mod manifest;
mod plan;
pub mod validators;
mod write;

pub use build::{BuildArgs, build, file_name};
pub use loader::FileLoader;
pub use plan::{Job, plan};
pub use write::{Written, write_if_changed, write_whole};
