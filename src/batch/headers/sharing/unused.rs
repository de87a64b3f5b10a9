//! Headers of which no program uses anything: what includes their sources includes them.
//!
//! Before: `#include "morton.hlsli"` in a source that uses nothing of it
//! After:  `#include "inc/morton.hlsl"` in its text, and the header with the functions that are plain
//!
//! WGSL has no `#include`, and imports nothing that is not used: there they are files that nothing names.

use super::{HeaderSharing, closure};
use crate::batch::headers::includes::SourceIncludes;
use std::collections::{BTreeMap, BTreeSet};

/// Those headers.
#[derive(Debug, Default)]
pub struct UnusedHeaders {
    /// Their sources.
    sources: BTreeSet<String>,
    /// What includes what.
    includes: SourceIncludes,
    /// Texts include headers; else they import what they use.
    are_included: bool,
    /// The programs' own files, text for text.
    mains: Vec<Vec<String>>,
}

impl UnusedHeaders {
    /// Finds them among the sources that something comes from.
    pub(super) fn find<'s>(
        &mut self,
        sources: impl Iterator<Item = &'s String>,
        used: &BTreeMap<String, BTreeSet<String>>,
    ) {
        self.sources = sources.filter(|source| !used.contains_key(*source) && !self.is_main(source)).cloned().collect();
    }

    /// Whether a source includes another one, itself or by way of others.
    pub(super) fn includes(&self, from: &str, to: &str) -> bool {
        self.includes.first(from, &|name| name == to).next().is_some()
    }

    /// Whether a source is a program's own file.
    pub(super) fn is_main(&self, source: &String) -> bool {
        self.mains.iter().any(|mains| mains.contains(source))
    }
}

impl HeaderSharing {
    /// Says what sources include, and which are programs' own, text for text.
    pub fn set_sources(&mut self, includes: SourceIncludes, mains: Vec<Vec<String>>, are_included: bool) {
        self.unused = UnusedHeaders { sources: BTreeSet::new(), includes, are_included, mains };
    }

    /// The unused headers that a source includes, itself or by way of sources that are no headers.
    fn unused_of<'e>(&self, source: &str, edges: &'e BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'e String> {
        if self.unused.sources.is_empty() || !self.unused.are_included {
            return BTreeSet::new();
        }
        let found = self.unused.includes.first(source, &|name| edges.contains_key(name));
        let found = found.filter_map(|name| edges.get_key_value(name));
        found.map(|(name, _)| name).filter(|name| self.unused.sources.contains(*name)).collect()
    }

    /// What headers need, with the unused headers that their sources include, as far as those do not need them.
    pub(super) fn with_unused(&self, needed: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
        let mut edges = needed.clone();
        for source in needed.keys() {
            for unused in self.unused_of(source, &needed) {
                if !closure(vec![unused], &edges).contains(source)
                    && let Some(to) = edges.get_mut(source)
                {
                    to.insert(unused.clone());
                }
            }
        }
        edges
    }

    /// The unused headers that the sources of a text include.
    pub fn included_unused<'e>(
        &self,
        text: usize,
        edges: &'e BTreeMap<String, BTreeSet<String>>,
    ) -> BTreeSet<&'e String> {
        let mains = self.unused.mains.get(text).into_iter().flatten();
        mains.flat_map(|source| self.unused_of(source, edges)).collect()
    }
}
