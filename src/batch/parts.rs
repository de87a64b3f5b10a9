//! Sources of a tree that are parts of others: they have no entry points, and others include them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A source after it was compiled.
pub struct Compiled<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// It has errors, and no entry points.
    pub is_broken: bool,
    /// The files that it was read from, with its own.
    pub dependencies: &'a [String],
}

/// Which sources say nothing by themselves: what is wrong in them is seen where a program includes them, with what that declares
/// before them.
pub fn parts(sources: &[Compiled]) -> Vec<bool> {
    let name = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let included: HashSet<PathBuf> = match sources.iter().any(|s| s.is_broken) {
        true => {
            sources.iter().filter(|s| !s.is_broken).flat_map(|s| s.dependencies).map(|d| name(Path::new(d))).collect()
        }
        false => HashSet::new(),
    };
    sources.iter().map(|s| s.is_broken && included.contains(&name(s.path))).collect()
}
