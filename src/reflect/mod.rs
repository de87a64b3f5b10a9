//! The sidecar: what was declared, where it lies, under which name it was emitted.
//!
//! Built from the checked program and its layout (before legalization, so that it speaks of the source's parameters) and from
//! the emitted programs (for names). Seed 004 describes the shape of the data.

mod build;
pub mod diff;
mod memory;
pub mod model;
mod text;
mod words;

pub use build::reflect;
pub use model::Reflection;

impl Reflection {
    /// The sidecar file.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// A table for people.
    pub fn to_text(&self) -> String {
        text::table(self)
    }

    /// The JSON Schema of the sidecar.
    pub fn schema() -> String {
        let mut text = serde_json::to_string_pretty(&schemars::schema_for!(Reflection)).unwrap_or_default();
        text.push('\n');
        text
    }
}
