//! The sidecar: what was declared, where it lies, under which name it was emitted.
//!
//! Built from the checked program and its layout (before legalization, so that it speaks of the source's parameters) and from
//! the emitted programs (for names). Slang's reflection documentation describes the shape of the data.

mod build;
pub mod diff;
mod emitted;
pub mod explain;
mod explain_find;
mod explain_io;
mod explain_phases;
mod explain_trace;
pub mod html;
mod layouts;
mod leaves;
mod memory;
pub mod model;
mod paths;
mod semantics;
mod slang;
mod stages;
mod text;
mod types;
mod varyings;
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

    /// Only what `slangc -reflection-json` has too.
    pub fn to_slang_json(&self) -> String {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        slang::leave_out_ours(&mut value);
        let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
        text.push('\n');
        text
    }

    /// A table for people.
    pub fn to_text(&self) -> String {
        text::table(self)
    }

    /// An outline of types, and of parameters with the layouts of theirs, for people.
    pub fn to_layouts(&self) -> String {
        layouts::outline(self)
    }

    /// The JSON Schema of the sidecar.
    pub fn schema() -> String {
        let mut text = serde_json::to_string_pretty(&schemars::schema_for!(Reflection)).unwrap_or_default();
        text.push('\n');
        text
    }
}
