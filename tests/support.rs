//! What several test modules need: paths, temporary directories, running the program with a time limit, legality.

#[path = "legality.rs"]
mod legality;

#[allow(unused_imports, reason = "not every program of tests uses all of it")]
pub use legality::{glsl_is_legal, glsl_words, wgsl_is_legal};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A path below the repository with `/`.
pub fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// All files under a directory with one of the endings (any, if there are none), sorted.
pub fn files_under(directory: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let wanted = |path: &Path| {
        let ending = path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
        endings.is_empty() || endings.contains(&ending.as_str())
    };
    walkdir::WalkDir::new(directory)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(|e| e.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|p| wanted(p))
        .collect()
}

/// A unified diff from what a page says to what is so.
pub fn difference(expected: &str, actual: &str) -> String {
    let diff = similar::TextDiff::from_lines(expected, actual);
    diff.unified_diff().context_radius(3).header("expected", "actual").to_string()
}

/// How a run of the program ended.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Longest time that any run may take; far more than the slowest machine needs, far less than forever.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs the program in a directory.
pub fn shaderport(directory: &Path, args: &[&str]) -> Run {
    // Files rather than pipes, so that a full pipe cannot stop the program while its end is awaited.
    let capture = tempfile::tempdir().expect("a temporary directory");
    let (out, err) = (capture.path().join("out"), capture.path().join("err"));
    let create = |path: &Path| Stdio::from(std::fs::File::create(path).expect("a temporary file"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_shaderport"))
        .args(args)
        .current_dir(directory)
        // Servers of tests are on this machine.
        .env("NO_PROXY", "127.0.0.1")
        .stdin(Stdio::null())
        .stdout(create(&out))
        .stderr(create(&err))
        .spawn()
        .expect("the program starts");
    let started = Instant::now();
    let status = loop {
        match child.try_wait().expect("the program can be waited for") {
            Some(status) => break status,
            None if started.elapsed() > LIMIT => {
                child.kill().ok();
                panic!("shaderport {} hangs", args.join(" "));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    Run { code: status.code().unwrap_or(-1), stdout: text(&out), stderr: text(&err) }
}

/// A program on the path, which tests can do without.
#[allow(dead_code, reason = "not every program of tests uses all of it")]
pub fn find(program: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    let names = [program.to_owned(), format!("{program}.exe")];
    std::env::split_paths(&paths).flat_map(|d| names.clone().map(|n| d.join(n))).find(|path| path.is_file())
}

/// The same. One that is not there is named, with what is not tested without it.
#[allow(dead_code, reason = "not every program of tests uses it")]
pub fn find_tool(program: &str, what: &str) -> Option<PathBuf> {
    let found = find(program);
    if found.is_none() {
        // Not by the macro, whose text is shown for tests that fail only.
        let _ = writeln!(std::io::stderr(), "{program} was not found: {what} are not tested");
    }
    found
}

/// Writes files below a new temporary directory.
pub fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }
    directory
}

/// Names and contents of all files below a directory.
pub fn contents(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let name = |p: &Path| p.strip_prefix(directory).expect("a path below").to_string_lossy().replace('\\', "/");
    let all = files_under(directory, &[]);
    // What a build notes for the next one is no output.
    let outputs = all.iter().filter(|p| !p.iter().any(|part| part == ".shaderport"));
    outputs.map(|p| (name(p), std::fs::read(p).expect("a readable file"))).collect()
}

/// The name of a page or source: its path from the directory of its kind, without ending.
#[allow(dead_code, reason = "of the tests that are pages")]
pub fn page_name(path: &Path) -> String {
    let path = relative(path);
    let below = ["tests/fixtures/", "src/legalize/", "tests/errors/", "tests/peers/"];
    let name = below.iter().find_map(|directory| path.strip_prefix(directory)).unwrap_or(&path);
    name.rsplit_once('.').map_or(name, |(name, _)| name).to_owned()
}
