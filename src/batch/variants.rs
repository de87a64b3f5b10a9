//! The table of a program's variants: which file each of them is in, and why.

use super::axes::Variant;
use super::merged::Merged;
use super::names::of_variant;
use super::offers::Offer;
use super::plan::Job;
use crate::compile::Target;
use crate::symbol::Symbol;
use crate::target::Conditionals;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the table's format.
const TABLE_VERSION: &str = "shaderport-variants/1";

/// The table as it is written.
#[derive(Serialize, Deserialize, Debug)]
pub struct Table {
    /// The format.
    schema: String,
    /// The name of the program.
    program: String,
    /// The axes in order.
    axes: Vec<Axis>,
    /// The variants in order.
    variants: Vec<Row>,
    /// Axes that may be specialization constants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    offers: Vec<Offer>,
    /// The variant that each file was made of first.
    #[serde(skip)]
    owners: BTreeMap<String, String>,
}

/// A macro with the values that it has.
#[derive(Serialize, Deserialize, Debug)]
struct Axis {
    name: String,
    /// `null`: it is not defined.
    values: Vec<Option<String>>,
}

/// One variant.
#[derive(Serialize, Deserialize, Debug)]
struct Row {
    /// The value of each axis; `null`: the macro is not defined.
    values: BTreeMap<String, Option<String>>,
    texts: Vec<TextRow>,
    sidecars: Vec<SidecarRow>,
    /// Why it is in these files.
    reason: String,
    #[serde(skip)]
    name: String,
}

#[derive(Serialize, Deserialize, Debug, Clone)]
struct TextRow {
    target: String,
    /// The entry point that the text is of, if it is not of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    entry: Option<String>,
    /// The path below the output directory.
    file: String,
    /// What is to be defined, if the file is of several variants with `#if`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    defines: Option<BTreeMap<String, String>>,
    /// Which features there are, if the file is of several variants with `@if`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    features: Option<BTreeMap<String, bool>>,
    /// What a text of all variants is called.
    #[serde(skip)]
    merged: String,
}

#[derive(Serialize, Deserialize, Debug, Clone)]
struct SidecarRow {
    target: String,
    file: String,
}

/// The files of a variant that was compiled, by the names of what stands for them.
#[derive(Debug, Default)]
pub struct VariantRow {
    /// The target, the entry point if the text is of one, the file, and what a file of all variants is called.
    pub texts: Vec<(Target, Option<Symbol>, String, String)>,
    /// The target and the file.
    pub sidecars: Vec<(Target, String)>,
}

impl Table {
    /// What is to be defined for each of the variants that a file of several with `#if` is of.
    pub fn defines_of(&self, file: &str) -> Vec<&BTreeMap<String, String>> {
        let texts = self.variants.iter().flat_map(|row| &row.texts);
        let mut all: Vec<&BTreeMap<String, String>> = Vec::new();
        for defines in texts.filter(|text| text.file == file).filter_map(|text| text.defines.as_ref()) {
            if !all.contains(&defines) {
                all.push(defines);
            }
        }
        all
    }

    /// Of a program's variants, of which none is in a file yet.
    pub fn new(job: &Job, variants: &[Variant]) -> Table {
        let mut axes: Vec<Axis> = Vec::new();
        for (name, value) in variants.iter().flatten() {
            let at = axes.iter().position(|axis| axis.name == *name).unwrap_or(axes.len());
            if at == axes.len() {
                axes.push(Axis { name: name.clone(), values: Vec::new() });
            }
            if let Some(axis) = axes.get_mut(at).filter(|axis| !axis.values.contains(value)) {
                axis.values.push(value.clone());
            }
        }
        let (program, owners) = (job.name.clone(), BTreeMap::new());
        Table { schema: TABLE_VERSION.to_owned(), program, axes, variants: Vec::new(), offers: Vec::new(), owners }
    }

    /// What a build has written.
    #[cfg(feature = "cli")]
    pub fn read(text: &str) -> Result<Table, crate::json::Fault> {
        crate::json::read(text, TABLE_VERSION)
    }

    /// Says what texts of all variants are called, by the target, the entry point and the name of a variant's text.
    #[cfg(feature = "cli")]
    pub fn name_merged(&mut self, name: &dyn Fn(Target, Option<&str>, &str) -> String) {
        for text in self.variants.iter_mut().flat_map(|row| &mut row.texts) {
            if let Some(target) = super::record::target_of(&text.target) {
                text.merged = name(target, text.entry.as_deref(), &text.file);
            }
        }
    }

    fn row(variant: &Variant) -> Row {
        let values = variant.iter().cloned().collect();
        let name = of_variant(variant).unwrap_or_default();
        Row { values, texts: Vec::new(), sidecars: Vec::new(), reason: String::new(), name }
    }

    /// A variant that was compiled.
    pub fn own(&mut self, variant: &Variant, files: VariantRow) {
        let mut row = Self::row(variant);
        let mut others: Vec<String> = Vec::new();
        let mut own = 0;
        let texts = files.texts.iter().map(|(_, _, file, _)| file);
        for file in texts.chain(files.sidecars.iter().map(|(_, file)| file)) {
            let owner = self.owners.entry(file.clone()).or_insert_with(|| row.name.clone());
            if *owner == row.name {
                own += 1;
            } else if !others.contains(owner) {
                others.push(owner.clone());
            }
        }
        let others = others.join(", ");
        row.reason = match (own, others.is_empty()) {
            (_, true) => "its own files".to_owned(),
            (0, false) => format!("the same bytes as {others}"),
            (_, false) => format!("some files have the same bytes as those of {others}"),
        };
        let text = |(target, entry, file, merged): (Target, Option<Symbol>, String, String)| TextRow {
            target: target.name().to_owned(),
            entry: entry.map(|e| e.as_str().to_owned()),
            file,
            defines: None,
            features: None,
            merged,
        };
        row.texts = files.texts.into_iter().map(text).collect();
        row.sidecars = files
            .sidecars
            .into_iter()
            .map(|(target, file)| SidecarRow { target: target.name().to_owned(), file })
            .collect();
        self.variants.push(row);
    }

    /// A variant that is the same as one that was compiled, because the sources do not ask for what differs.
    pub fn same(&mut self, variant: &Variant, known: &Variant) {
        let mut row = Self::row(variant);
        let differing = variant.iter().zip(known).filter(|(a, b)| a != b).map(|((axis, _), _)| axis.as_str());
        let differing: Vec<&str> = differing.collect();
        let name = of_variant(known).unwrap_or_default();
        row.reason = format!("as {name}: the sources do not ask for {}", differing.join(", "));
        if let Some(of_known) = self.variants.iter().find(|r| r.name == name) {
            row.texts.clone_from(&of_known.texts);
            row.sidecars.clone_from(&of_known.sidecars);
        }
        self.variants.push(row);
    }

    /// The texts of a target by what a text of all variants is called, in order: the number of each variant, as in the table, and
    /// the file that it is in.
    pub fn texts(&self, target: Target) -> Vec<(String, Vec<(usize, String)>)> {
        let mut texts: Vec<(String, Vec<(usize, String)>)> = Vec::new();
        for (at, row) in self.variants.iter().enumerate() {
            for text in row.texts.iter().filter(|text| text.target == target.name()) {
                match texts.iter_mut().find(|(name, _)| *name == text.merged) {
                    Some((_, files)) => files.push((at, text.file.clone())),
                    None => texts.push((text.merged.clone(), vec![(at, text.file.clone())])),
                }
            }
        }
        texts
    }

    /// The entry points of a target's texts, by what a text of all variants is called.
    pub fn entries(&self, target: Target) -> Vec<(String, Option<String>)> {
        let texts = self.variants.iter().flat_map(|row| &row.texts).filter(|text| text.target == target.name());
        texts.map(|text| (text.merged.clone(), text.entry.clone())).collect()
    }

    /// The values of the axes of each row, in the order of the axes.
    pub fn values(&self) -> Vec<Variant> {
        let value = |row: &Row, axis: &Axis| (axis.name.clone(), row.values.get(&axis.name).cloned().flatten());
        let values = |row: &Row| self.axes.iter().map(|axis| value(row, axis)).collect();
        self.variants.iter().map(values).collect()
    }

    /// Puts a text of several variants in the place of theirs: each has what it defines.
    pub fn merge(&mut self, target: Target, name: &str, merged: &Merged) {
        let attribute = match merged.form {
            Conditionals::Directives => "#if",
            Conditionals::Attributes => "@if",
        };
        for (row, defines) in self.variants.iter_mut().zip(&merged.defines) {
            for text in row.texts.iter_mut().filter(|text| text.target == target.name() && text.merged == name) {
                name.clone_into(&mut text.file);
                let defines = defines.iter().cloned();
                match merged.form {
                    Conditionals::Directives => text.defines = Some(defines.collect()),
                    Conditionals::Attributes => {
                        text.features = Some(defines.map(|(feature, value)| (feature, value == "1")).collect());
                    }
                }
                if row.reason == "its own files" {
                    row.reason = format!("texts with those of others, by `{attribute}`");
                }
            }
        }
    }

    /// Notes axes that may be specialization constants.
    pub fn offer(&mut self, offers: Vec<Offer>) {
        self.offers = offers;
    }

    /// The file.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}
