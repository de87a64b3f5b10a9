//! Whole trees: finding files, what each is compiled with, writing what they become, checking it with other compilers.

pub mod loader;
pub mod manifest;
mod plan;
pub mod validators;
mod write;

pub use loader::FileLoader;
pub use plan::{Job, clashes, file_name, plan};
pub use write::{Written, write_if_changed, write_whole};
