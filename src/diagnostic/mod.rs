//! Diagnostics: what is wrong, where, why, and under which code.

pub mod codes;
mod harmless;
mod merged;
mod message;
mod model;
mod render;
pub mod sarif;
pub mod severities;

pub use codes::Code;
pub use merged::Merged;
pub use message::{Message, Place};
pub use model::{Diagnostic, Diagnostics, Label, Severity, Suggestion};
pub use render::{render, sort};
pub use severities::{WarningLevel, WarningRule};
