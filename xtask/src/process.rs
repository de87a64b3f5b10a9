//! Running other programs, with a time limit, and finding them.

use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// What a program did.
pub struct Ran {
    /// Exit code; none when a signal or the time limit ended it.
    pub code: Option<i32>,
    pub timed_out: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn ok(&self) -> bool {
        self.code == Some(0)
    }

    /// Everything it said.
    pub fn said(&self) -> String {
        format!("{}\n{}", self.stderr, self.stdout)
    }
}

/// Runs a command to its end, or kills it after `limit`.
pub fn run(command: &mut Command, limit: Duration) -> Result<Ran, String> {
    let describe = |e: std::io::Error| format!("{}: {e}", command_name(command));
    // Files, not pipes: nobody has to read them while the program runs.
    let mut out = tempfile::tempfile().map_err(|e| e.to_string())?;
    let mut err = tempfile::tempfile().map_err(|e| e.to_string())?;
    let handles = out.try_clone().and_then(|o| Ok((o, err.try_clone()?))).map_err(describe)?;
    let spawned = command.stdin(Stdio::null()).stdout(handles.0).stderr(handles.1).spawn();
    let mut child = spawned.map_err(|e| format!("{}: {e}", command_name(command)))?;

    let started = Instant::now();
    let mut pause = Duration::from_micros(300);
    let mut timed_out = false;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        if started.elapsed() > limit {
            timed_out = true;
            let _ = child.kill();
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(8));
    };
    Ok(Ran { code: status.code(), timed_out, stdout: text(&mut out)?, stderr: text(&mut err)? })
}

fn command_name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

fn text(file: &mut std::fs::File) -> Result<String, String> {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.take(4 << 20).read_to_end(&mut bytes)).map_err(|e| e.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Where `cargo xtask peers` puts the peers unless told otherwise.
pub fn peers_directory() -> PathBuf {
    match std::env::var_os("SHADERPORT_ORACLES") {
        Some(path) => PathBuf::from(path),
        None => Path::new(&std::env::var_os("HOME").unwrap_or_default()).join(".cache/shaderport-oracles"),
    }
}

/// A tool among the installed peers, else on the PATH.
pub fn find(tool: &str) -> Option<PathBuf> {
    let installed = peers_directory().join("bin").join(tool);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::iter::once(installed).chain(std::env::split_paths(&path).map(|p| p.join(tool)));
    places.find(|p| p.is_file())
}

/// The root of this repository.
pub fn repository() -> PathBuf {
    let xtask = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().map(Path::to_path_buf).unwrap_or(xtask)
}

/// Cargo's target directory.
pub fn target_directory() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository().join("target"), PathBuf::from)
}

/// The release binary of shaderport: the given one, or the one of this tree, built first.
pub fn shaderport(given: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(path) = given {
        return path.canonicalize().map_err(|e| format!("{}: {e}", path.display()));
    }
    cargo_build(&["--release", "--package", "shaderport"])?;
    Ok(target_directory().join("release/shaderport"))
}

/// The program that measures others (`src/bin/measure.rs`), built first.
pub fn measure() -> Result<PathBuf, String> {
    static BUILT: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| own_program("measure"));
    BUILT.clone()
}

/// The program that runs shaders (`src/bin/execute.rs`), built first.
pub fn execute() -> Result<PathBuf, String> {
    own_program("execute")
}

fn own_program(name: &str) -> Result<PathBuf, String> {
    cargo_build(&["--package", "xtask", "--bin", name])?;
    Ok(target_directory().join("debug").join(name))
}

fn cargo_build(arguments: &[&str]) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet"]).args(arguments).current_dir(repository());
    let built = build.status().map_err(|e| e.to_string())?.success();
    built.then_some(()).ok_or_else(|| format!("`cargo build {}` failed", arguments.join(" ")))
}
