//! The texts of variants in a tree as one, with `#if`: their headers are those that they have as texts of their own.

use super::files::TreeFiles;
use crate::batch::documents;
use crate::batch::driver::{Built, Report};
use crate::batch::finding::Finding;
use crate::batch::loader::decode;
use crate::batch::merged::{self, Defines, FlatText, Headers, Merged, expanded, merged, shown, wrong_variant};
use crate::batch::names::Names;
use crate::batch::order::Order;
use crate::batch::plan::Job;
use crate::batch::program::{Fate, OutputKind};
use crate::batch::variants::Table;
use crate::compile::{Options, PermutationTexts, Target};
use crate::options::Choices;
use crate::source_map::MappedLine;
use crate::target::Conditionals;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What is to become of the texts of a program's variants.
pub fn permutations(choices: &Choices, job: &Job) -> PermutationTexts {
    let mut options = Options::default();
    job.settings.apply(choices, &mut options);
    options.permutations
}

/// Programs whose variants are to be one text, by their numbers.
pub struct VariantPrograms<'a> {
    order: &'a Order<'a>,
    programs: BTreeMap<usize, VariantProgram<'a>>,
}

/// One of them.
struct VariantProgram<'a> {
    permutations: PermutationTexts,
    names: Names<'a>,
    /// Where the table of its variants is, and what it has.
    place: String,
    table: Table,
    /// The conditions of its sources.
    conditions: BTreeSet<String>,
}

/// A text of several variants.
pub struct VariantText {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub text: String,
    /// Which of its lines are lines of flat texts.
    pub lines: Vec<Option<MappedLine>>,
    /// The names of the texts that it stands for.
    pub replaced: Vec<String>,
}

impl<'a> VariantPrograms<'a> {
    /// Those of a flat build that are right. `choices` are those of the command line for the tree.
    pub fn of(built: &'a Built, order: &'a Order<'a>, choices: &Choices) -> Result<VariantPrograms<'a>, Finding> {
        let mut programs = BTreeMap::new();
        for (number, (job, report)) in built.reports.iter().enumerate() {
            let table = report.outputs.iter().find(|output| output.kind == OutputKind::Table);
            let permutations = permutations(choices, job);
            let is_merged = report.fate == Fate::Done && permutations.is_merged();
            let Some(table) = table.filter(|_| is_merged) else { continue };
            programs.insert(number, VariantProgram::new((job, permutations), report, order, table.name.to_string())?);
        }
        Ok(VariantPrograms { order, programs })
    }

    /// The numbers of the programs that have such a text for a target.
    pub fn numbers(&self, target: Target) -> Vec<usize> {
        let is_meant = |program: &VariantProgram| program.permutations.conditionals(target).is_some();
        self.programs.iter().filter(|(_, program)| is_meant(program)).map(|(number, _)| *number).collect()
    }

    /// The texts of a program for a target, all of them or none. The error says why there is none.
    pub fn merge(&mut self, number: usize, target: Target, files: &TreeFiles) -> Result<Vec<VariantText>, String> {
        let Some(program) = self.programs.get_mut(&number) else { return Ok(Vec::new()) };
        let made = program.merged(target, files)?;
        for (text, merged) in &made {
            program.table.merge(target, &text.name, merged);
        }
        Ok(made.into_iter().map(|(text, _)| text).collect())
    }

    /// The name of a program's dependency file for a target, if it has one.
    pub fn depfile(&self, number: usize, target: Target) -> Option<String> {
        let program = self.programs.get(&number).filter(|_| self.order.depfiles)?;
        Some(program.names.depfile(None, target))
    }

    /// The tables by their names.
    pub fn tables(&self) -> impl Iterator<Item = (String, Vec<u8>)> + '_ {
        self.programs.values().map(|program| (program.place.clone(), program.table.to_json().into_bytes()))
    }
}

impl<'a> VariantProgram<'a> {
    fn new(
        (job, permutations): (&'a Job, PermutationTexts),
        report: &Report,
        order: &'a Order,
        place: String,
    ) -> Result<VariantProgram<'a>, Finding> {
        let path: PathBuf = order.out.join(&place);
        let text = documents::read_text(&path)?;
        let mut table = Table::read(&text).map_err(|fault| Finding::of_json(&path, &text, fault))?;
        let names = Names::new(job, &order.template, true);
        table.name_merged(&|target, entry, file| names.merged(target, entry, file));
        let mut conditions = BTreeSet::new();
        for path in &report.dependencies {
            let text = std::fs::read(path).ok().and_then(|bytes| decode(bytes).ok());
            text.into_iter().for_each(|text| merged::of_source(&text, &mut conditions));
        }
        Ok(VariantProgram { permutations, names, place, table, conditions })
    }

    fn merged(&self, target: Target, files: &TreeFiles) -> Result<Vec<(VariantText, Merged)>, String> {
        let Some(form) = self.permutations.conditionals(target) else { return Ok(Vec::new()) };
        if form == Conditionals::Attributes && !files.imports_may_vary() {
            return Err("only imports of WESL may be there for some variants: say `--wgsl-imports wesl`".to_owned());
        }
        let variants = self.table.values();
        let mut made = Vec::new();
        for (name, of_variants) in self.table.texts(target) {
            let mut texts: Vec<(&str, FlatText)> = Vec::new();
            for (variant, own) in &of_variants {
                match texts.iter_mut().find(|(known, _)| known == own) {
                    Some((_, text)) => text.variants.push(*variant),
                    None => {
                        let text = files.text_of(own).ok_or_else(|| format!("{own} is not there"))?;
                        texts.push((own, FlatText { text, variants: vec![*variant] }));
                    }
                }
            }
            let directory = |name: &str| name.rsplit_once('/').map_or("", |(directory, _)| directory).to_owned();
            if texts.iter().any(|(own, _)| directory(own) != directory(&name)) {
                return Err("they are in directories of their own, from which they include headers".to_owned());
            }
            let is_own = texts.iter().any(|(own, _)| *own == name);
            if !is_own && files.text_of(&name).is_some() {
                return Err(format!("{name} is of another program"));
            }
            let replaced: Vec<String> = texts.iter().map(|(own, _)| (*own).to_owned()).collect();
            let flat: Vec<FlatText> = texts.into_iter().map(|(_, text)| text).collect();
            let whole = merged(form, &variants, &self.conditions, &flat)?;
            prove(&whole, &flat, &name, files)?;
            let of_texts: Vec<Vec<Option<MappedLine>>> = replaced
                .iter()
                .map(|own| files.number_of(own).map(|at| files.lines_of_text(at)).unwrap_or_default())
                .collect();
            let origins = merged::origins(&whole, &flat).into_iter();
            let lines = origins.map(|origin| origin.and_then(|(text, line)| *of_texts.get(text)?.get(line)?)).collect();
            made.push((VariantText { name, text: whole.text.clone(), lines, replaced }, whole));
        }
        Ok(made)
    }
}

/// Whether each variant of a text, with its headers, is what the variant was with them: macros of axes are known in headers, too.
fn prove(merged: &Merged, texts: &[FlatText], name: &str, files: &TreeFiles) -> Result<(), String> {
    let headers = Headers::of(files.headers.values().map(|header| (header.name.as_str(), header.text.as_str())));
    let expanded = |text: &str, defines: &Defines| expanded(merged.form, (name, text), &headers, defines);
    wrong_variant(&merged.text, texts, &merged.defines, &expanded)
        .map_or(Ok(()), |defines| Err(format!("a header would not be right with {}", shown(defines))))
}
