//! `build --watch`: what is built after which change, and how it ends.

use crate::support::{contents, shaderport, tree};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// So long a build may take, on the slowest machine.
const LIMIT: Duration = Duration::from_secs(60);
/// In this time a build would have begun.
const NOTHING: Duration = Duration::from_millis(700);

/// A program that watches.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(directory: &Path, out: &str) -> Watching {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shaderport"));
        command.args(["build", "s", "--target", "wgsl", "--out", out, "--watch", "--explain-rebuild"]);
        command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program");
        let pipe = child.stderr.take().expect("a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Watching { child, lines }
    }

    /// What is said until it waits again.
    fn said(&self) -> String {
        let mut said = String::new();
        loop {
            let line = self.lines.recv_timeout(LIMIT).unwrap_or_else(|e| panic!("{e}: {said}"));
            if line.contains("waiting for changes") {
                return said;
            }
            said += &line;
            said.push('\n');
        }
    }

    /// The files that were built until it waits again.
    fn built(&self) -> Vec<String> {
        let said = self.said();
        let built = said.lines().filter_map(|line| line.strip_prefix("note: ")?.split_once(" was built: "));
        built.map(|(file, _)| file.to_owned()).collect()
    }

    fn assert_rests(&self) {
        std::thread::sleep(NOTHING);
        let lines: Vec<String> = self.lines.try_iter().collect();
        assert_eq!(lines, [""; 0]);
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn user(n: u32) -> String {
    format!("#include \"h{n}.hlsli\"\nfloat4 main() : SV_Target {{ return value{n}; }}\n")
}

fn header(n: u32, value: u32) -> String {
    format!("static const float value{n} = {value};\n")
}

fn write(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    std::fs::write(path, text).expect("a file");
}

#[test]
fn what_changes_is_built() {
    let manifest = "[build]\ninclude = [\"../lib\"]\n";
    let directory = tree(&[
        ("s/a.frag.hlsl", &user(1)),
        ("s/b.frag.hlsl", &user(2)),
        ("s/h1.hlsli", &header(1, 1)),
        ("lib/h2.hlsli", &header(2, 1)),
        ("s/shaderport.toml", manifest),
    ]);
    let at = directory.path();
    let watching = Watching::start(at, "out");
    assert_eq!(watching.built(), ["s/a.frag.hlsl", "s/b.frag.hlsl"]);
    // What the build itself has written is no change.
    watching.assert_rests();
    write(at, "s/h1.hlsli", &header(1, 2));
    assert_eq!(watching.built(), ["s/a.frag.hlsl"]);
    // In another tree, by a rename as editors do.
    write(at, "lib/h2.new", &header(2, 2));
    std::fs::rename(at.join("lib/h2.new"), at.join("lib/h2.hlsli")).expect("a rename");
    assert_eq!(watching.built(), ["s/b.frag.hlsl"]);
    // Several changes at once, and a new file in a new directory.
    write(at, "s/h1.hlsli", &header(1, 3));
    write(at, "lib/h2.hlsli", &header(2, 3));
    write(at, "s/new/c.frag.hlsl", "float4 main() : SV_Target { return 1; }\n");
    assert_eq!(watching.built(), ["s/a.frag.hlsl", "s/b.frag.hlsl", "s/new/c.frag.hlsl"]);
    write(at, "s/new/c.frag.hlsl", "float4 main() : SV_Target { return 2; }\n");
    assert_eq!(watching.built(), ["s/new/c.frag.hlsl"]);
    // Errors end nothing, of sources or of the manifest.
    write(at, "s/h1.hlsli", "static const float value1 = unknown;\n");
    assert!(watching.said().contains("`unknown`"));
    write(at, "s/shaderport.toml", "[build\n");
    assert!(watching.said().contains("shaderport.toml"));
    write(at, "s/shaderport.toml", manifest);
    watching.said();
    write(at, "s/h1.hlsli", &header(1, 4));
    assert_eq!(watching.built(), ["s/a.frag.hlsl"]);
    watching.assert_rests();
    drop(watching);
    let whole = contents(&at.join("out"));
    std::fs::remove_dir_all(at.join("out")).expect("outputs");
    assert_eq!(shaderport(at, &["build", "s", "--target", "wgsl", "--out", "out"]).code, 0);
    assert_eq!(contents(&at.join("out")), whole);
}

/// Outputs in the tree itself, beside the sources.
#[test]
fn outputs_in_the_tree_are_no_changes() {
    let directory = tree(&[("s/a.frag.hlsl", &user(1)), ("s/h1.hlsli", &header(1, 1))]);
    let at = directory.path();
    let watching = Watching::start(at, "s");
    assert_eq!(watching.built(), ["s/a.frag.hlsl"]);
    watching.assert_rests();
    write(at, "s/h1.hlsli", &header(1, 2));
    assert_eq!(watching.built(), ["s/a.frag.hlsl"]);
    watching.assert_rests();
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it() {
    let directory = tree(&[("s/a.frag.hlsl", "float4 main() : SV_Target { return 1; }\n")]);
    let mut watching = Watching::start(directory.path(), "out");
    watching.said();
    let id = watching.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
    assert_eq!(watching.child.wait().expect("an end").code(), Some(130));
}
