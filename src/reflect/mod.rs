//! The sidecar: what was declared, where it lies, under which name it was emitted.
//!
//! Built from the checked program and its layout (before legalization, so that it speaks of the source's parameters) and from
//! the emitted programs (for names). Slang's reflection documentation describes the shape of the data.

mod build;
mod compact;
#[cfg(feature = "cli")]
pub mod diff;
mod effects;
mod emitted;
pub mod explain;
mod explain_find;
mod explain_io;
mod explain_phases;
mod explain_trace;
#[cfg(feature = "cli")]
pub mod html;
mod layouts;
pub mod leaves;
mod memory;
pub mod model;
mod paths;
mod root_signatures;
mod slang;
mod stages;
mod text;
mod types;
mod varyings;
pub mod words;

use crate::json;
pub use build::reflect;
pub use model::Reflection;

impl Reflection {
    /// The sidecar file.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The sidecar file on one line, with types that are there more than once in a list.
    pub fn to_compact_json(&self) -> String {
        compact::write(self)
    }

    /// Reads a sidecar file, full or compact. The error says what is wrong with it.
    pub fn from_json(text: &str) -> Result<Reflection, String> {
        Reflection::read(text).map_err(|fault| fault.message)
    }

    /// Reads a sidecar file; the error has the place.
    pub(crate) fn read(text: &str) -> Result<Reflection, json::Fault> {
        let mut reflection: Reflection = json::read(text, model::SCHEMA_VERSION)?;
        compact::write_out(&mut reflection).map_err(|message| json::Fault {
            place: json::find(text, &["sharedTypes"]).unwrap_or(0..0),
            message,
            note: "`sharedTypes` has the types that stand in more than one place".to_owned(),
        })?;
        Ok(reflection)
    }

    /// Only what `slangc -reflection-json` has too.
    pub fn to_slang_json(&self) -> String {
        let mut value = serde_json::to_value(slang::with_unused(self)).unwrap_or_default();
        slang::leave_out_ours(&mut value);
        serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
    }

    /// A table for people.
    pub fn to_text(&self) -> String {
        text::table(self)
    }

    /// An outline of types, and of parameters with the layouts of theirs, for people.
    pub fn to_layouts(&self) -> String {
        layouts::outline(self)
    }
}

#[cfg(test)]
mod tests {
    use super::Reflection;

    #[test]
    fn the_schema_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/reflect/schema.json");
        let mut wanted = serde_json::to_string_pretty(&schemars::schema_for!(Reflection)).expect("a schema");
        wanted.push('\n');
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(path, &wanted).expect("the schema can be written");
        }
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert!(found == wanted, "src/reflect/schema.json is out of date; BLESS=1 cargo test schema rewrites it");
    }
}
