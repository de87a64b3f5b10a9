//! What programs with the same settings have alike, made once for all of them: trees have thousands of programs and few sections
//! in their manifests.

use super::axes::{Variant, VariantFault};
use super::digest::Digest;
use super::manifest::FileSettings;
use super::maps::way;
use super::names::of_variant;
use super::order::Order;
use super::plan::{Job, from};
use crate::compile::Target;
use crate::source_map::SourceMapUse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What follows from the settings of a program.
#[derive(Debug)]
pub struct Kind {
    /// Its variants.
    pub variants: Vec<Variant>,
    /// Their names, if there are several, and `None` for what is merged of all.
    pub names: Vec<Option<String>>,
    /// What is built of it.
    pub targets: Vec<Target>,
    /// Tells the order, the settings and the tool from others, without the program's files.
    pub key: String,
}

/// The kinds of a build's programs.
pub struct Kinds<'a> {
    order: &'a Order<'a>,
    base: &'a Path,
    /// By the place of settings, which are kept as long, and whether it is a program that is asked for.
    known: BTreeMap<(usize, bool), (Arc<FileSettings>, Arc<Kind>)>,
}

impl<'a> Kinds<'a> {
    /// For an order. Names in keys are relative to `base`, the manifest's directory: they are the same in another checkout.
    pub fn new(order: &'a Order<'a>, base: &'a Path) -> Kinds<'a> {
        Kinds { order, base, known: BTreeMap::new() }
    }

    /// Of a program. The error says what is wrong with its variants.
    pub fn of(&mut self, job: &Job) -> Result<Arc<Kind>, VariantFault> {
        let place = (Arc::as_ptr(&job.settings) as usize, job.is_program);
        if let Some((_, kind)) = self.known.get(&place) {
            return Ok(kind.clone());
        }
        let kind = Arc::new(self.make(job)?);
        self.known.insert(place, (job.settings.clone(), kind.clone()));
        Ok(kind)
    }

    fn make(&self, job: &Job) -> Result<Kind, VariantFault> {
        let variants = job.settings.variants(&self.order.defines)?;
        let is_varied = variants.len() > 1;
        let mut names: Vec<Option<String>> =
            variants.iter().map(|variant| of_variant(variant).filter(|_| is_varied)).collect();
        // Variants may be merged, which their texts decide.
        let is_merged = self.order.job_options(job).permutations.is_merged();
        names.extend((is_varied && is_merged).then_some(None));
        let key = self.key(job, &variants).to_string();
        Ok(Kind { targets: job.settings.targets(&self.order.targets), names, key, variants })
    }

    fn key(&self, job: &Job, variants: &[Variant]) -> Digest {
        let Order { include, sidecar, depfiles, validators, verbose, anywhere, .. } = self.order;
        let any_case = self.order.any_case(job);
        let options = self.order.job_options(job);
        let how = format!("{options:?} {variants:?} {:?}", job.settings.output);
        let form = format!("{sidecar:?} {depfiles} {validators} {verbose} {anywhere} {any_case}");
        let roots = include.iter().chain(&job.settings.include).map(|path| from(self.base, path));
        let roots = roots.collect::<Vec<_>>().join("\n");
        // Dependency files have names as they were given.
        let besides = match depfiles {
            true => format!("{:?} {} {}", self.base, self.order.out.display(), self.order.read_besides.join("\n")),
            false => String::new(),
        };
        // Source maps have the way from outputs to sources.
        let way = match options.source_map {
            SourceMapUse::None => String::new(),
            SourceMapUse::File | SourceMapUse::Inline => way(self.order.out, self.base),
        };
        let parts = [env!("SHADERPORT_BUILD_ID"), &how, &form, &roots, &besides, &way];
        Digest::of_parts(parts.map(str::as_bytes))
    }
}
