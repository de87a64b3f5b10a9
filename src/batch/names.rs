//! What the outputs of a program are called, and which programs would write the same file.

use super::axes::Variant;
use super::plan::{Job, glsl_extension};
use super::template::{Slot, Template, Values, variant_name};
use crate::compile::{Artifact, Target};
use rustc_hash::FxHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

/// The sidecar of a text, of those of its program and target: names begin with the program and the variant, so it is the one that
/// begins most like the text.
pub fn sidecar_of<'n>(text: &str, sidecars: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let common = |name: &&str| text.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    sidecars.min_by_key(|name| std::cmp::Reverse(common(name)))
}

/// The names of one program's outputs, as paths below the output directory.
pub struct Names<'a> {
    job: &'a Job,
    template: Template,
}

impl<'a> Names<'a> {
    /// By the template of the manifest, else by `usual`. `varied`: there are several variants.
    pub fn new(job: &'a Job, usual: &Template, varied: bool) -> Names<'a> {
        let template = job.settings.output.as_ref().unwrap_or(usual).clone();
        Names { job, template: if varied { template.with(Slot::Variant) } else { template } }
    }

    fn values<'v>(&'v self, variant: Option<&'v str>, target: Option<Target>) -> Values<'v> {
        Values { program: &self.job.name, file: &self.job.stem, variant, target, ..Values::default() }
    }

    /// Of a text: `NAME.hlsl`, or `NAME.ENTRY.frag` where each entry point is a text of its own.
    pub fn text(&self, variant: Option<&str>, artifact: &Artifact) -> String {
        let entry = artifact.entry.map(|(name, stage)| (name.as_str(), glsl_extension(stage)));
        self.of_entry(variant, artifact.target, entry)
    }

    /// Of a text of all variants, by the name of that of one.
    #[cfg(feature = "cli")]
    pub fn merged(&self, target: Target, entry: Option<&str>, of_variant: &str) -> String {
        let stage = of_variant.rsplit_once('.').map_or("", |(_, ending)| ending);
        self.of_entry(None, target, entry.map(|entry| (entry, stage)))
    }

    fn of_entry(&self, variant: Option<&str>, target: Target, entry: Option<(&str, &str)>) -> String {
        let values = self.values(variant, Some(target));
        match entry {
            None => format!("{}.{}", self.whole(&values), target.extension()),
            Some((name, stage)) => {
                let values = Values { entry: Some(name), stage: Some(stage), ..values };
                let tells = self.template.has(Slot::Entry) || self.template.has(Slot::Stage);
                let template = if tells { self.template.clone() } else { self.template.clone().with(Slot::Entry) };
                format!("{}.{stage}", template.expand(&values))
            }
        }
    }

    /// Of the sidecar for a target.
    pub fn sidecar(&self, variant: Option<&str>, target: Target) -> String {
        self.beside(variant, target, "json")
    }

    /// Of the dependency file for a target.
    pub fn depfile(&self, variant: Option<&str>, target: Target) -> String {
        self.beside(variant, target, "d")
    }

    /// Of what no entry point uses.
    pub fn spare(&self, variant: Option<&str>, artifact: &Artifact) -> String {
        let stage = artifact.entry.map(|(_, stage)| glsl_extension(stage));
        self.beside(variant, artifact.target, &format!("spare.{}", stage.unwrap_or(artifact.target.extension())))
    }

    fn beside(&self, variant: Option<&str>, target: Target, ending: &str) -> String {
        let name = self.whole(&self.values(variant, Some(target)));
        match self.template.has(Slot::Target) {
            true => format!("{name}.{ending}"),
            false => format!("{name}.{}.{ending}", target.name()),
        }
    }

    /// Of the table of variants.
    pub fn table(&self) -> String {
        format!("{}.variants.json", self.whole(&self.values(None, None)).trim_start_matches('/'))
    }

    /// The name of what is not of one entry point. A template of nothing but the entry point has none: the program's is taken.
    fn whole(&self, values: &Values) -> String {
        let name = self.template.expand(values);
        if name.is_empty() || name.ends_with('/') { format!("{name}{}", self.job.name) } else { name }
    }

    /// All names that are known before it is compiled; `*` stands for an entry point and its stage.
    fn known(&self, variant: Option<&str>, targets: &[Target]) -> Vec<String> {
        let mut names = Vec::new();
        for target in targets {
            let entry = (*target == Target::Glsl).then_some(("*", "*"));
            names.push(self.of_entry(variant, *target, entry));
            names.push(self.sidecar(variant, *target));
        }
        names
    }
}

/// The name of a variant; `None` for the only one of a program without axes.
pub fn of_variant(variant: &Variant) -> Option<String> {
    (!variant.is_empty()).then(|| variant_name(variant))
}

/// Outputs that several programs or variants would write.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Clashes {
    /// Each name with the programs, as indices of jobs; one program of which two variants have one name is there twice.
    pub certain: Vec<(String, Vec<usize>)>,
    /// Programs that may have a name in common, which their entry points decide.
    pub possible: BTreeSet<usize>,
}

/// A program that outputs are written of.
pub struct User<'a> {
    /// The program.
    pub job: &'a Job,
    /// The names of its variants, if there are several.
    pub variants: &'a [Option<String>],
    /// What is written of it.
    pub targets: &'a [Target],
}

impl User<'_> {
    fn each_name(&self, usual: &Template, mut see: impl FnMut(String)) {
        let names = Names::new(self.job, usual, self.variants.len() > 1);
        for variant in self.variants {
            names.known(variant.as_deref(), self.targets).into_iter().for_each(&mut see);
        }
    }
}

/// Finds the outputs that would have the same names.
pub fn clashes(users: &[User], usual: &Template) -> Clashes {
    let suspects = suspects(users, usual);
    let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, user) in users.iter().enumerate().filter(|(index, _)| suspects.contains(index)) {
        user.each_name(usual, |name| by_name.entry(name).or_default().push(index));
    }
    let mut clashes = Clashes::default();
    for (name, users) in by_name.into_iter().filter(|(_, users)| users.len() > 1) {
        match name.contains('*') {
            true => clashes.possible.extend(users),
            false => clashes.certain.push((name, users)),
        }
    }
    clashes
}

/// The programs of which a name has the same hash as another one: those of a tree have hundreds of thousands of names, which are
/// not all kept.
fn suspects(users: &[User], usual: &Template) -> BTreeSet<usize> {
    let mut hashes: Vec<(u64, usize)> = Vec::new();
    for (index, user) in users.iter().enumerate() {
        user.each_name(usual, |name| {
            let mut hasher = FxHasher::default();
            name.hash(&mut hasher);
            hashes.push((hasher.finish(), index));
        });
    }
    hashes.sort_unstable();
    let same = hashes.windows(2).filter(|pair| matches!(pair, [(a, _), (b, _)] if a == b));
    same.flatten().map(|(_, index)| *index).collect()
}
