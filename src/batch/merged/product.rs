//! The texts of a program in place of those of its variants.

use super::{FlatText, Merged, merged, origins};
use crate::batch::maps::{file_name, map_name};
use crate::batch::names::Names;
use crate::batch::order::Order;
use crate::batch::program::{OutputFile, OutputKind, Product, depfile};
use crate::batch::variants::Table;
use crate::compile::Target;
use crate::diagnostic::{Code, Diagnostic, Message, Severity, WarningRule, severities};
use crate::source_map::{MapForm, SourceMap};
use crate::target::Conditionals;
use std::collections::BTreeSet;
use std::path::Path;

/// Says why variants of a program stay separate texts, as far as the rules for warnings have it, and whether that is an error.
pub fn told(program: &Path, (target, why): (Target, &str), rules: &[WarningRule], color: bool) -> (Vec<Message>, bool) {
    let message = format!("{}: the variants stay separate {} texts: {why}", program.display(), target.name());
    let diagnostic = Diagnostic::global(Code::SEPARATE_VARIANTS, message);
    let mut found = vec![Diagnostic { severity: Severity::Warning, ..diagnostic }];
    let is_error = severities::apply(rules, &mut found);
    let message = |d: &Diagnostic| Message::without_place(d.severity, Some(d.code), &d.message, color);
    (found.iter().map(message).collect(), is_error)
}

/// What it is done with.
pub struct Merging<'a> {
    /// The build.
    pub order: &'a Order<'a>,
    /// The names of outputs.
    pub names: &'a Names<'a>,
    /// The conditions of the sources.
    pub conditions: &'a BTreeSet<String>,
    /// It is asked for lines that tell the way to sources.
    pub has_lines: bool,
    /// Maps have the texts of the sources in them.
    pub has_map_texts: bool,
}

impl Merging<'_> {
    /// Merges the texts of a target, all of them or none. The error says why there is none.
    pub fn merge(
        &self,
        (target, form): (Target, Conditionals),
        product: &mut Product,
        table: &mut Table,
    ) -> Result<(), String> {
        if self.has_lines {
            return Err("merged texts have no `#line`".to_owned());
        }
        let variants = table.values();
        let mut made = Vec::new();
        for (name, files) in table.texts(target) {
            let texts = flat_texts(&files, product);
            let flat: Vec<FlatText> = texts.iter().map(|(_, text)| text.clone()).collect();
            let merged = merged(form, &variants, self.conditions, &flat)?;
            let map = self.map(&name, &merged, &texts, product);
            made.push((name, merged, map));
        }
        let maps: BTreeSet<String> =
            table.texts(target).iter().flat_map(|(_, files)| files).map(|(_, name)| map_name(name)).collect();
        let is_replaced = |file: &OutputFile| {
            let is_kind = match file.kind {
                OutputKind::Text | OutputKind::Depfile => true,
                OutputKind::Map => maps.contains(&file.name),
                OutputKind::Sidecar | OutputKind::Table | OutputKind::Spare => false,
            };
            is_kind && file.target == Some(target)
        };
        let entries: Vec<(String, Option<String>)> = table.entries(target);
        product.files.retain(|file| !is_replaced(file));
        for (name, merged, map) in &made {
            product.files.extend(map.clone());
            table.merge(target, name, merged);
            let entry = entries.iter().find(|(of, _)| of == name).and_then(|(_, entry)| entry.clone());
            let (kind, target) = (OutputKind::Text, Some(target));
            let bytes = merged.text.clone().into_bytes();
            product.files.push(OutputFile { name: name.clone(), kind, entry, target, bytes });
        }
        if self.order.depfiles {
            let names: Vec<String> = made.into_iter().map(|(name, ..)| name).collect();
            let name = self.names.depfile(None, target);
            product.files.push(depfile(self.order, name, target, &names, &product.dependencies));
        }
        Ok(())
    }
}

impl Merging<'_> {
    /// The map of a merged text, if those of its variants have maps.
    fn map(&self, name: &str, merged: &Merged, texts: &[(&str, FlatText)], product: &Product) -> Option<OutputFile> {
        let map = |(own, _): &(&str, FlatText)| {
            let name = map_name(own);
            let file = product.files.iter().find(|file| file.kind == OutputKind::Map && file.name == name)?;
            Some((SourceMap::read(std::str::from_utf8(&file.bytes).ok()?).ok()?, file.target))
        };
        let maps: Vec<(SourceMap, Option<Target>)> = texts.iter().map(map).collect::<Option<_>>()?;
        let target = maps.first()?.1;
        let maps: Vec<&SourceMap> = maps.iter().map(|(map, _)| map).collect();
        let flat: Vec<FlatText> = texts.iter().map(|(_, text)| text.clone()).collect();
        let map = SourceMap::of_lines(&maps, &origins(merged, &flat));
        let form = MapForm { file: file_name(name), way: "", has_texts: self.has_map_texts };
        let bytes = map.to_json(&form).into_bytes();
        Some(OutputFile { name: map_name(name), kind: OutputKind::Map, entry: None, target, bytes })
    }
}

/// The texts of some variants with their names, equal ones once.
fn flat_texts<'p>(files: &'p [(usize, String)], product: &'p Product) -> Vec<(&'p str, FlatText<'p>)> {
    let mut texts: Vec<(&str, FlatText)> = Vec::new();
    for (variant, name) in files {
        if let Some((_, text)) = texts.iter_mut().find(|(known, _)| known == name) {
            text.variants.push(*variant);
            continue;
        }
        let file = product.files.iter().find(|file| file.kind == OutputKind::Text && file.name == *name);
        if let Some(text) = file.and_then(|file| std::str::from_utf8(&file.bytes).ok()) {
            texts.push((name, FlatText { text, variants: vec![*variant] }));
        }
    }
    texts
}
