//! Same inputs and options, same bytes: whatever the threads, the run, or the order in which the file system gives files.

use crate::support::{contents, files_under, root, shaderport};
use std::path::{Path, PathBuf};

/// Copies the samples into a new directory, the files made in the order that `order` gives them.
fn copy(order: impl Fn(&mut Vec<PathBuf>)) -> tempfile::TempDir {
    let to = tempfile::tempdir().expect("a temporary directory");
    let samples = root().join("samples");
    let mut files = files_under(&samples, &[]);
    order(&mut files);
    for file in files {
        let target = to.path().join("samples").join(file.strip_prefix(&samples).expect("a path below"));
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("a directory");
        std::fs::copy(&file, target).expect("a copy");
    }
    to
}

/// Builds the samples of a directory for all text targets; everything that was written.
fn build(directory: &Path, out: &str, jobs: &str) -> Vec<(String, Vec<u8>)> {
    let run = shaderport(directory, &["build", "samples", "--target", "hlsl,glsl,wgsl", "--out", out, "--jobs", jobs]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    contents(&directory.join(out))
}

fn same(a: &[(String, Vec<u8>)], b: &[(String, Vec<u8>)], why: &str) {
    let names = |list: &[(String, Vec<u8>)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(a), names(b), "{why}");
    for ((name, x), (_, y)) in a.iter().zip(b) {
        assert!(
            x == y,
            "{name} differs: {why}\n{}",
            crate::support::difference(&String::from_utf8_lossy(x), &String::from_utf8_lossy(y))
        );
    }
}

#[test]
fn threads_runs_and_file_order_change_nothing() {
    let sorted = copy(|_| {});
    let first = build(sorted.path(), "first", "1");
    assert!(first.len() > 30, "{} files were written", first.len());
    same(&first, &build(sorted.path(), "second", "1"), "two runs");
    same(&first, &build(sorted.path(), "third", "8"), "one thread and eight");
    let reversed = copy(|files| files.reverse());
    same(&first, &build(reversed.path(), "first", "3"), "files made in reverse order");
    // A fixed shuffle: by a hash of the name.
    let hash = |p: &PathBuf| p.to_string_lossy().bytes().fold(7u32, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
    let shuffled = copy(|files| files.sort_by_key(|p| (hash(p), p.clone())));
    same(&first, &build(shuffled.path(), "first", "8"), "files made in another order");
}
