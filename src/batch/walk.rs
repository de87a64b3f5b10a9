//! The files of a tree. What builds have written is not read again: neither the output directory nor files that the record of an
//! earlier build lists.

use super::record;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The files below a directory as `/`-separated paths from it, sorted, without what lies in `out` or was written by a build.
pub fn files_below(directory: &Path, out: &Path) -> Result<Vec<String>, String> {
    below(directory, out).map(|(files, _)| files)
}

/// The same with the directories that they are in, and empty ones; the first is the directory itself, with an empty name.
pub fn below(directory: &Path, out: &Path) -> Result<(Vec<String>, Vec<String>), String> {
    let out = std::fs::canonicalize(out).ok();
    let tree = std::fs::canonicalize(directory).ok();
    // An output directory that has sources in it is read all the same.
    let out =
        out.filter(|out| tree.as_ref().is_some_and(|tree| out.starts_with(tree) && out != tree && record::is_own(out)));
    let out_from_tree = out.and_then(|out| out.strip_prefix(tree?).map(|below| directory.join(below)).ok());
    let (mut files, mut directories) = (Vec::new(), Vec::new());
    let mut written: BTreeSet<PathBuf> = BTreeSet::new();
    let root = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let mut walk = WalkDir::new(root).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        let entry = entry.map_err(|e| e.to_string())?;
        if entry.file_type().is_dir() {
            let is_hidden = entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with(".git");
            let is_out = out_from_tree.as_deref() == Some(entry.path());
            if is_hidden || is_out || record::is_own(entry.path()) && entry.depth() > 0 {
                walk.skip_current_dir();
                continue;
            }
            if entry.file_name() != record::DIRECTORY {
                directories.push(super::plan::relative(root, entry.path()));
            }
            written.extend(record::outputs_of_directory(entry.path()));
            if entry.file_name() == record::DIRECTORY {
                walk.skip_current_dir();
            }
            continue;
        }
        let is_file = entry.file_type().is_file() || entry.path_is_symlink() && entry.path().is_file();
        if is_file && !written.contains(entry.path()) {
            files.push(super::plan::relative(root, entry.path()));
        }
    }
    files.sort();
    Ok((files, directories))
}
