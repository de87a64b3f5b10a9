//! Diagnostics: what is wrong, where, why, and under which code.

pub mod codes;
mod harmless;
mod model;
mod render;

pub use codes::Code;
pub use model::{Diagnostic, Diagnostics, Label, Severity};
pub use render::{render, sort};
