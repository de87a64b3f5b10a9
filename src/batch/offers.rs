//! Axes that are offered as specialization constants: their macros have numbers, and only expressions use them. With a constant in
//! place of the macro, one text has all of the values.
//!
//! Whether that is so is tried: the program is compiled once with the declaration that is proposed.

use super::axes::Variant;
use crate::compile::{self, Options, Target};
use crate::diagnostic::Code;
use crate::lex::AskedMacro;
use crate::source::{LoadError, Loaded, Loader};
use crate::symbol::Symbol;
use crate::target::{Capability, Profile};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An axis that may be a specialization constant.
#[derive(Serialize, Deserialize, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The macro.
    pub axis: String,
    /// What may stand in the source in its place.
    pub declaration: String,
    /// The targets of which one text then has all values.
    pub targets: Vec<String>,
}

/// A program with what its variants have asked for.
pub struct Tried<'a> {
    /// Where its files are.
    pub loader: &'a dyn Loader,
    /// Its files.
    pub sources: &'a [&'a str],
    /// How its last variant was compiled.
    pub options: &'a Options,
    /// What the variants that were compiled ask for.
    pub asked: Vec<AskedMacro>,
    /// The ids of constants that it has.
    pub taken: Vec<u64>,
}

/// Whether the texts of a target have specialization constants.
fn has_constants(target: Target) -> bool {
    Profile::default_of(target).is_some_and(|profile| profile.has(Capability::SpecializationConstants))
}

impl Tried<'_> {
    /// The axes that may be constants, each by itself.
    pub fn offers(&self, variants: &[Variant], targets: &[Target]) -> Vec<Offer> {
        let targets: Vec<Target> = targets.iter().copied().filter(|t| has_constants(*t)).collect();
        let first = variants.first().into_iter().flatten();
        let offer = |(index, (axis, value)): (usize, &(String, Option<String>))| {
            let values = variants.iter().map(|variant| variant.get(index).and_then(|(_, value)| value.as_deref()));
            let ty = type_of(&values.collect::<Option<Vec<&str>>>()?)?;
            let name = Symbol::new(axis);
            let feeds_expressions = |asked: &AskedMacro| asked.name == name && !asked.decides;
            if targets.is_empty() || !self.asked.iter().any(feeds_expressions) || self.decides(name) {
                return None;
            }
            let id = self.taken.iter().max().map_or(0, |most| most.saturating_add(1));
            let declaration = format!("[[vk::constant_id({id})]] const {ty} {axis} = {};", value.as_deref()?);
            let targets: Vec<Target> =
                targets.iter().copied().filter(|target| self.is_taken(axis, &declaration, *target)).collect();
            let targets: Vec<String> = targets.iter().map(|target| target.name().to_owned()).collect();
            (!targets.is_empty()).then(|| Offer { axis: axis.clone(), declaration, targets })
        };
        first.enumerate().filter_map(offer).collect()
    }

    fn decides(&self, name: Symbol) -> bool {
        self.asked.iter().any(|asked| asked.name == name && asked.decides)
    }

    /// Whether the program compiles with a constant in place of the macro, which keeps to be one.
    fn is_taken(&self, axis: &str, declaration: &str, target: Target) -> bool {
        let mut options = self.options.clone();
        options.defines.retain(|(name, _)| name != axis);
        options.targets = vec![target];
        // What programs share is of the text as it is.
        (options.shared, options.variants, options.lock) = (None, None, None);
        let main = self.sources.first().copied().unwrap_or_default();
        let loader = Declaring { inner: self.loader, main, declaration };
        let output = compile::compile_on_this_thread(&loader, self.sources, &options);
        !output.has_errors() && !output.diagnostics.iter().any(|d| d.code == Code::OMITTED && d.message.contains(axis))
    }
}

/// The type of the numbers that an axis has; nothing if they are no numbers, or all one.
fn type_of(values: &[&str]) -> Option<&'static str> {
    let are = |is: fn(&str) -> bool| values.iter().all(|value| is(value));
    if values.iter().all(|value| Some(value) == values.first()) {
        None
    } else if are(|value| value.parse::<i32>().is_ok()) {
        Some("int")
    } else if are(|value| matches!(value, "true" | "false")) {
        Some("bool")
    } else if are(|value| value.trim_end_matches(['f', 'F']).parse::<f32>().is_ok_and(f32::is_finite)) {
        Some("float")
    } else {
        None
    }
}

/// A loader that puts a declaration before the text of the main file.
struct Declaring<'a> {
    inner: &'a dyn Loader,
    main: &'a str,
    declaration: &'a str,
}

impl Loader for Declaring<'_> {
    fn source(&self, name: &str) -> Result<Loaded, LoadError> {
        let loaded = self.inner.source(name)?;
        let text = format!("{}\n{}", self.declaration, loaded.text);
        Ok(if name == self.main { Loaded { text: Arc::from(text), ..loaded } } else { loaded })
    }

    fn include(&self, path: &str, quoted: bool, from: &str) -> Result<Loaded, LoadError> {
        self.inner.include(path, quoted, from)
    }

    fn recorded_name(&self, name: &str) -> String {
        self.inner.recorded_name(name)
    }
}
