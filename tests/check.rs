//! `shaderport check`: trees, targets, and that it says what a build says and writes nothing.

use crate::support::{Run, contents, shaderport, tree};
use serde_json::Value;
use std::path::Path;

const PLAIN: &str = "[shader(\"fragment\")] float4 ps() : SV_Target { return 1; }\n";
const RAYS: &str = "[shader(\"raygeneration\")] void rays() { }\n";
/// It has an error if `BAD` is defined, and a warning without it.
const VARIED: &str = "#ifdef BAD\nfloat bad() { return nothing; }\n#endif\n[unrol] void helper() { }\n\
                      [shader(\"compute\")] [numthreads(1, 1, 1)] void cs() { helper(); }\n";

/// Runs `check` and sees that it has written nothing.
fn check(directory: &Path, arguments: &[&str]) -> Run {
    let before = contents(directory);
    let run = shaderport(directory, &[&["check"], arguments].concat());
    assert_eq!(contents(directory), before, "{arguments:?}");
    run
}

#[test]
fn every_shader_of_a_directory_is_checked() {
    let files = [("s/a.slang", PLAIN), ("s/x/rays.slang", RAYS), ("s/lib.slang", "float one() { return 1; }\n")];
    let directory =
        tree(&[&files[..], &[("s/lib.hlsli", "nonsense"), ("t/b.slang", "float f() { return x; }\n")]].concat());
    let run = check(directory.path(), &["s"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "2 programs, 1 files without entry points\n"), "{}", run.stderr);
    assert_eq!(run.stderr, "note: s/lib.slang has no entry points\n");
    let both = check(directory.path(), &["s", "t"]);
    assert!(both.code == 1 && both.stderr.contains("t/b.slang:1:20: error[E0301]"), "{}", both.stderr);
    // The working directory is what is checked without a name.
    let here = check(&directory.path().join("t"), &[]);
    assert!(here.code == 1 && here.stderr.contains("b.slang:1:20: error[E0301]"), "{}", here.stderr);
    let mixed = check(directory.path(), &["s", "s/a.slang"]);
    assert!(mixed.code == 2 && mixed.stderr.contains("files are one program"), "{}", mixed.stderr);
    let none = check(directory.path(), &["s", "nothing"]);
    assert_eq!(none.code, 2, "{}", none.stderr);
}

#[test]
fn targets_are_asked_for() {
    let directory = tree(&[("s/a.slang", PLAIN), ("s/rays.slang", RAYS), ("lib.slang", "float one() { return 1; }\n")]);
    let at = directory.path();
    let run = check(at, &["s", "--target", "glsl,wgsl"]);
    assert!(
        run.code == 1 && run.stderr.contains("s/rays.slang:1:32: error[E0501]: wgsl does not support"),
        "{}",
        run.stderr
    );
    let table = "2 programs, 0 files without entry points\ntarget      right  failed\nglsl            2       0\nwgsl            1       1\n";
    assert_eq!(run.stdout, table);
    // A file is checked for targets, too, and without any nobody asks what they support.
    assert_eq!(check(at, &["s/rays.slang"]).code, 0);
    assert_eq!(check(at, &["s/rays.slang", "--target", "glsl"]).code, 0);
    let file = check(at, &["s/rays.slang", "--target", "glsl", "--target", "wgsl"]);
    assert!(file.code == 1 && file.stdout.is_empty() && file.stderr.contains("error[E0501]"), "{}", file.stderr);
    let library = check(at, &["lib.slang", "--target", "glsl"]);
    assert_eq!((library.code, library.stderr.as_str()), (0, "note: lib.slang has no entry points\n"));
    // In a form for programs there is nothing but messages.
    let json = check(at, &["s", "--target", "wgsl", "--message-format", "json"]);
    let lines: Vec<Value> = json.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((json.code, lines.len(), &lines[0]["code"]), (1, 1, &"E0501".into()), "{}", json.stdout);
}

#[test]
fn a_manifest_holds() {
    let manifest = "[build]\ntargets = [\"wgsl\"]\nseverity = { E0315 = \"off\" }\n\
                    [[shader]]\nfiles = [\"v.slang\"]\npermute = { BAD = [false, true] }\n\
                    [[shader]]\nfiles = [\"w.slang\"]\nseverity = \"error\"\n\
                    [[program]]\nname = \"two\"\nfiles = [\"p/a.hlsl\", \"p/b.hlsl\"]\n";
    let vertex = "float4 main() : SV_Position { return 0; }\n";
    let pixel = "float4 main() : SV_Target { return unknown; }\n";
    let files = [("s/v.slang", VARIED), ("s/w.slang", VARIED), ("s/q/rays.slang", RAYS), ("s/p/a.hlsl", vertex)];
    let more = [("s/p/b.hlsl", pixel), ("s/shaderport.toml", manifest)];
    let directory = tree(&[&files[..], &more].concat());
    let at = directory.path();
    let run = check(at, &["s"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    for (said, is_said) in [
        ("s/v.slang:2:22: error[E0301]: `nothing` is not declared", true),
        ("= in the variant BAD-1", true),
        ("s/v.slang:4:2: warning[E0315]", false),
        ("s/w.slang:4:2: error[E0315]", false),
        ("s/q/rays.slang:1:32: error[E0501]: wgsl does not support", true),
        ("s/p/b.hlsl:1:36: error[E0301]", true),
    ] {
        assert_eq!(run.stderr.contains(said), is_said, "{said}: {}", run.stderr);
    }
    assert!(run.stdout.contains("4 programs in 5 variants"), "{}", run.stdout);
    // Parts of the tree, its manifest, its files and programs by themselves.
    for (arguments, said) in [
        (&["s/q"][..], "s/q/rays.slang:1:32: error[E0501]"),
        (&["s/shaderport.toml"], "s/q/rays.slang:1:32: error[E0501]"),
        (&["s/v.slang"], "= in the variant BAD-1"),
        (&["s/q/rays.slang"], "error[E0501]: wgsl does not support"),
        (&["s/p/a.hlsl", "s/p/b.hlsl"], "s/p/b.hlsl:1:36: error[E0301]"),
    ] {
        let run = check(at, arguments);
        assert!(run.code == 1 && run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    }
    let asked = check(at, &["s/q/rays.slang", "--target", "glsl"]);
    assert_eq!((asked.code, asked.stderr.as_str()), (0, ""));
    assert_eq!(check(at, &["s/q", "--no-manifest"]).code, 0);
}

/// What a build says is what a check says, also where there are outputs of an earlier one.
#[test]
fn a_check_says_what_a_build_says() {
    let manifest =
        "[build]\ntargets = [\"hlsl\", \"wgsl\"]\nbindings-lock = \"b.lock\"\n[[shader]]\nfiles = [\"none/*\"]\n";
    let late = "Texture2D image;\n[shader(\"fragment\")] float4 ps() : SV_Target { return image.Load(0); }\n";
    let directory =
        tree(&[("s/a.slang", VARIED), ("s/rays.slang", RAYS), ("s/t.slang", late), ("s/shaderport.toml", manifest)]);
    let at = directory.path();
    let errors = |command: &str, more: &[&str]| {
        let run = shaderport(at, &[&[command, "s"], more].concat());
        (run.code, run.stderr)
    };
    check(at, &["s"]);
    let built = errors("build", &["--out", "s/out", "--quiet"]);
    assert!(built.0 == 1 && built.1.contains("error[E0501]") && built.1.contains("warning[E0315]"), "{}", built.1);
    assert!(built.1.contains("there is no file `none/*`"), "{}", built.1);
    assert_eq!(errors("check", &[]), built);
    // A lock is kept to and not written.
    std::fs::write(at.join("s/t.slang"), late.replace("image;", "image : register(t4);")).expect("a source");
    let changed = check(at, &["s"]);
    assert!(changed.stderr.contains("s/t.slang:1:11: error[E0406]"), "{}", changed.stderr);
}

#[test]
fn the_standard_input_is_checked_under_its_manifest() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let directory = tree(&[("s/shaderport.toml", "[build]\ntargets = [\"wgsl\"]\n"), ("s/h.slang", "")]);
    let args = ["check", "-", "--stdin-name", "s/rays.slang"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_shaderport"));
    command.args(args).current_dir(directory.path()).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program");
    child.stdin.take().expect("its input").write_all(RAYS.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("s/rays.slang:1:32: error[E0501]"), "{said}");
}
