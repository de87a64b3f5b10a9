//! Programs that are not compiled here: what has them, or has them made.

use super::axes::Variant;
use super::digest::Digest;
use super::finding::Finding;
use super::loader::Loaders;
use super::lock::LockFile;
use super::order::Order;
use super::plan::Job;
use super::program::{Product, compile_job};
use std::path::Path;
#[cfg(feature = "remote")]
use std::sync::Arc;

/// What has programs, or has them made. Whatever becomes of that, there is a program.
pub trait Elsewhere: Sync {
    /// The program, from elsewhere or as it is made here.
    fn product(&self, wanted: &Wanted) -> Product;

    /// What is to be told after a build.
    fn told(&self) -> Told {
        Told::default()
    }
}

/// What is to be told after a build.
#[derive(Debug, Default)]
pub struct Told {
    /// One line of what was had from elsewhere; empty if there is nothing to say.
    pub summary: String,
    /// What was wrong there.
    pub warnings: Vec<Finding>,
}

/// A program that is to be had.
pub struct Wanted<'a> {
    /// What the build was asked for.
    pub order: &'a Order<'a>,
    /// The program.
    pub job: &'a Job,
    /// Its variants.
    pub variants: &'a [Variant],
    /// What names are relative to.
    pub base: &'a Path,
    /// The lock.
    pub lock: Option<&'a LockFile>,
    /// What brings its sources.
    pub loaders: &'a Loaders<'a>,
}

impl Wanted<'_> {
    /// Compiles it.
    pub fn here(&self) -> Product {
        compile_job(self.order, self.job, self.variants, self.lock, self.loaders)
    }

    /// What it is read from: it is checked and not emitted, so that exactly the same files are read.
    #[cfg(feature = "remote")]
    pub fn checked(&self) -> Product {
        let mut job = self.job.clone();
        Arc::make_mut(&mut job.settings).only_targets = Some(Vec::new());
        compile_job(self.order, &job, self.variants, self.lock, self.loaders)
    }

    /// How it is compiled: the options and the tool, without files and places.
    pub fn form(&self) -> Digest {
        let Order { template, sidecar, validators, verbose, .. } = self.order;
        let any_case = self.order.any_case(self.job);
        let validates = !validators.is_empty();
        let options = format!("{:?} {:?}", self.order.job_options(self.job), self.variants);
        let output = format!("{:?} {template:?}", self.job.settings.output);
        let form = format!("{sidecar:?} {validates} {verbose} {any_case}");
        Digest::of_parts([env!("SHADERPORT_BUILD_ID"), &options, &output, &form].map(str::as_bytes))
    }
}
