//! The program among others: sources from a pipe, readers that go away, signals.

use crate::support::{contents, files_under, shaderport, tree};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const FRAGMENT: &str = "#include \"h.hlsli\"\nfloat4 main() : SV_Target { return value; }\n";
const HEADER: &str = "static const float value = 2;\n";

fn program(directory: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shaderport"));
    command.args(args).current_dir(directory).env_remove("SHADERPORT_CACHE");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program with a text at its standard input.
fn given(directory: &Path, text: &[u8], args: &[&str]) -> Output {
    let mut child = program(directory, args).spawn().expect("the program");
    // It may end without reading.
    let _ = child.stdin.take().expect("a pipe").write_all(text);
    child.wait_with_output().expect("an end")
}

fn texts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// A source from the standard input is compiled as the file of its name would be.
#[test]
fn a_source_from_a_pipe() {
    let manifest = "[[shader]]\nfiles = [\"x/a.frag.hlsl\"]\ndefines = { SCALE = 3 }\n";
    let source = FRAGMENT.replace("return value", "return value * SCALE");
    let directory = tree(&[("s/shaderport.toml", manifest), ("s/x/h.hlsli", HEADER), ("s/x/a.frag.hlsl", &source)]);
    let at = directory.path();
    let of_file = shaderport(at, &["compile", "s/x/a.frag.hlsl", "--target", "wgsl", "--reflect", "file.json"]);
    assert_eq!(of_file.code, 0, "{}", of_file.stderr);
    std::fs::remove_file(at.join("s/x/a.frag.hlsl")).expect("a source");
    let args = ["compile", "-", "--stdin-name", "s/x/a.frag.hlsl", "--target", "wgsl", "--reflect", "pipe.json"];
    let piped = given(at, source.as_bytes(), &[&args[..], &["-o", "o.wgsl", "-MD"]].concat());
    assert_eq!(texts(&piped), (0, String::new(), String::new()));
    assert_eq!(std::fs::read_to_string(at.join("o.wgsl")).ok(), Some(of_file.stdout));
    assert_eq!(std::fs::read(at.join("pipe.json")).ok(), std::fs::read(at.join("file.json")).ok());
    assert_eq!(
        std::fs::read_to_string(at.join("o.d")).expect("a dependency file"),
        "o.wgsl: s/x/h.hlsli s/shaderport.toml\n"
    );
    // Errors are in it by its name.
    let (code, _, said) = texts(&given(at, b"float4 main() : SV_Target { return unknown; }", &["check", "-"]));
    assert!(code == 1 && said.contains("stdin.slang:1:36"), "{said}");
    let args = ["check", "-", "--stdin-name", "post.frag.hlsl"];
    let (code, _, said) = texts(&given(at, b"float4 main() : SV_Target { return unknown; }", &args));
    assert!(code == 1 && said.contains("post.frag.hlsl:1:36"), "{said}");
    // By default it is Slang.
    let slang = b"[shader(\"fragment\")] float4 ps() : SV_Target { let x = 1.0; return x; }";
    let (code, text, said) = texts(&given(at, slang, &["compile", "-", "--target", "glsl"]));
    assert!(code == 0 && text.starts_with("#version"), "{said}");
}

#[test]
fn a_pipe_that_is_no_source() {
    let directory = tree(&[]);
    let check = |text: &[u8], args: &[&str]| texts(&given(directory.path(), text, &[&["check"], args].concat()));
    let (code, _, said) = check(b"a\0b", &["-"]);
    assert!(code == 1 && said.contains("it is a binary file"), "{said}");
    let (code, _, said) = check(&vec![b' '; (16 << 20) + 1], &["-"]);
    assert!(code == 1 && said.contains("it has more than 16777216 bytes"), "{said}");
    let (code, _, said) = check(b"", &["-", "-"]);
    assert!(code == 2 && said.contains("the standard input is named twice"), "{said}");
    // A file of this name is still a file.
    std::fs::write(directory.path().join("-"), "float f(").expect("a file");
    let (code, _, said) = check(b"", &["./-"]);
    assert!(code == 1 && said.contains("-:1:"), "{said}");
}

/// Reads lines and goes away, or all.
fn read(pipe: impl Read, lines: Option<usize>) -> String {
    let mut reader = BufReader::new(pipe);
    let mut text = String::new();
    let read = match lines {
        Some(lines) => (0..lines).try_for_each(|_| reader.read_line(&mut text).map(|_| ())),
        None => reader.read_to_string(&mut text).map(|_| ()),
    };
    read.expect("a text");
    text
}

/// Whether a reader of its output goes away at once, or after a line, the program ends quietly.
#[test]
fn readers_that_go_away() {
    let source = "[shader(\"fragment\")] float4 ps() : SV_Target { return 1; }\n";
    let files = [("a.slang", source), ("bad.slang", "float f() { return unknown; }\n"), ("s/a.slang", source)];
    let directory = tree(&files);
    let at = directory.path();
    for args in [
        &["compile", "a.slang", "--target", "glsl"][..],
        &["reflect", "a.slang"],
        &["reflect", "a.slang", "--format", "html"],
        &["explain", "build"],
        &["explain", "nothing"],
        &["check", "bad.slang"],
        &["check", "bad.slang", "--message-format", "json"],
        &["build", "s", "--out", "o"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["nonsense"],
        &["cache", "stat"],
    ] {
        let expected = texts(&given(at, b"", args)).0;
        for lines in [0, 1] {
            for gone in ["stdout", "stderr", "both"] {
                let mut child = program(at, args).spawn().expect("the program");
                let (out, err) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
                // What is not read first must not fill its pipe.
                let of_err = std::thread::spawn(move || read(err, (gone != "stdout").then_some(lines)));
                read(out, (gone != "stderr").then_some(lines));
                let said = of_err.join().expect("a text");
                let code = child.wait().expect("an end").code();
                assert_eq!(code, Some(expected), "{args:?}, {gone} after {lines} lines: {said}");
                assert!(!said.contains("panicked") && !said.contains("os error"), "{args:?}: {said}");
            }
        }
    }
}

/// Without standard streams at all.
#[cfg(unix)]
#[test]
fn closed_streams() {
    let directory = tree(&[("s/a.slang", "[shader(\"fragment\")] float4 ps() : SV_Target { return 1; }\n")]);
    let line = format!("exec {} build s --target wgsl --out out <&- >&- 2>&-", env!("CARGO_BIN_EXE_shaderport"));
    let status = Command::new("sh").args(["-c", &line]).current_dir(directory.path()).status().expect("a shell");
    assert_eq!(status.code(), Some(0));
    assert!(directory.path().join("out/wgsl/a.wgsl").is_file());
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
}

#[cfg(unix)]
fn end(child: &mut Child) -> i32 {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(60) {
        if let Some(status) = child.try_wait().expect("an end") {
            return status.code().unwrap_or(-1);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    panic!("it does not end");
}

/// What is interrupted ends what it has begun, leaves nothing else than whole outputs and its record, and the next build goes on from there.
#[cfg(unix)]
#[test]
fn builds_that_are_interrupted() {
    let programs = 30;
    let sources: Vec<(String, String)> = (0..programs)
        .map(|n| (format!("s/p{n:02}.frag.hlsl"), FRAGMENT.replace("return value", &format!("return value + {n}"))))
        .chain([("s/h.hlsli".to_owned(), HEADER.to_owned())])
        .collect();
    let files: Vec<(&str, &str)> = sources.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let fresh = tree(&files);
    let args = ["build", "s", "--target", "wgsl,glsl", "--validate", "-j2", "--out", "out"];
    let whole = shaderport(fresh.path(), &args);
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    let whole = contents(&fresh.path().join("out"));
    let mut stopped = 0;
    for (round, name) in ["INT", "INT", "TERM"].into_iter().enumerate() {
        let (directory, temporary) = (tree(&files), tempfile::tempdir().expect("a directory"));
        let at = directory.path();
        let mut child = program(at, &args).env("TMPDIR", temporary.path()).spawn().expect("the program");
        // The writing has begun.
        let some = |at: &Path| contents(&at.join("out")).len() > 3 * round;
        while !some(at) && child.try_wait().expect("a process").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        signal(&child, name);
        let code = end(&mut child);
        let left = contents(&at.join("out"));
        if code == 130 {
            stopped += 1;
            assert!(left.len() < whole.len(), "it did not stop");
        }
        for (name, bytes) in &left {
            let right = whole.iter().find(|(other, _)| other == name).map(|(_, bytes)| bytes);
            assert_eq!(Some(bytes), right, "{name}");
        }
        assert_eq!(files_under(&at.join("out/.shaderport/tmp"), &[]).len(), 0);
        let temporary = files_under(temporary.path(), &[]);
        assert!(temporary.iter().all(|path| path.extension().is_some_and(|e| e == "guard")), "{temporary:?}");
        // What was written is not built again.
        let run = shaderport(at, &[&args[..], &["--explain-rebuild"]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(contents(&at.join("out")), whole);
        let built = run.stderr.lines().filter(|line| line.contains(" was built: ")).count();
        let written = left.iter().filter(|(name, _)| name.ends_with(".wgsl")).count();
        assert_eq!(built, programs - written, "{}", run.stderr);
    }
    assert!(stopped > 0, "no build was interrupted");
}

/// `NO_COLOR` and pipes: no escape sequences in what is no terminal.
#[test]
fn no_colors_in_pipes() {
    let directory = tree(&[("bad.slang", "float f() { return unknown; }\n")]);
    let (code, _, said) = texts(&given(directory.path(), b"", &["check", "bad.slang"]));
    assert!(code == 1 && !said.contains('\u{1b}'), "{said}");
}
