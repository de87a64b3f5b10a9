//! Builds that other programs run: the actions of `shaderport plan`, by hand, in Ninja and as Bazel would.

use crate::support::{Run, contents, find, shaderport, tree};
use std::path::Path;
use std::process::Command;

const USER: &str =
    "#include \"h1.hlsli\"\nTexture2D image;\nfloat4 main() : SV_Target { return value1 * image.Load(0); }\n";
const LIT: &str = "#include \"h2.hlsli\"\nfloat4 main() : SV_Target\n{\n#if A\n    return value2;\n#else\n    return 2 * value2;\n#endif\n}\n";
const MANIFEST: &str = "[build]\ninclude = [\"inc\"]\n[[shader]]\nfiles = [\"lit.frag.hlsl\"]\npermute = { A = [0, 1], B = [0, 1] }\n\
    [[program]]\nname = \"both\"\nfiles = [\"p.vert.hlsl\", \"p.frag.hlsl\"]\n";

fn files() -> Vec<(&'static str, &'static str)> {
    vec![
        ("s/inc/h1.hlsli", "static const float value1 = 1;\n"),
        ("s/inc/h2.hlsli", "static const float value2 = 2;\n"),
        ("s/a b.frag.hlsl", USER),
        ("s/c.frag.hlsl", USER),
        ("s/lit.frag.hlsl", LIT),
        ("s/lib.hlsl", "float twice(float v) { return 2 * v; }\n"),
        ("s/mod.slang", "import part;\n[shader(\"compute\")] [numthreads(1, 1, 1)] void run() { data[0] = part(); }\n"),
        ("s/part.slang", "RWStructuredBuffer<float> data;\nfloat part() { return 3; }\n"),
        ("s/p.vert.hlsl", "float4 main(float3 at : POSITION) : SV_Position { return at.xyzz; }\n"),
        ("s/p.frag.hlsl", "float4 main() : SV_Target { return 1; }\n"),
        ("s/shaderport.toml", MANIFEST),
    ]
}

fn write(directory: &Path, name: &str, text: &str) {
    std::fs::write(directory.join(name), text).expect("a file");
}

fn plan(directory: &Path, more: &[&str]) -> Run {
    let run = shaderport(directory, &[&["plan", "s", "--out", "out"], more].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    run
}

/// What a build of the tree writes.
fn built(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let other = tempfile::tempdir().expect("a directory");
    let out = other.path().join("out").to_string_lossy().into_owned();
    let run = shaderport(directory, &["build", "s", "--out", &out, "-q"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    contents(Path::new(&out))
}

/// Every action runs where nothing is but its inputs, writes its outputs and nothing else, and all together are the build.
#[test]
fn actions_are_hermetic() {
    let directory = tree(&files());
    let plan = plan(directory.path(), &["--format", "json", "--chunk", "1"]).stdout;
    let plan: serde_json::Value = serde_json::from_str(&plan).expect("JSON");
    assert_eq!(plan["schema"], "shaderport-actions/1");
    assert_eq!(plan["libraries"], serde_json::json!(["s/lib.hlsl", "s/part.slang"]));
    let list = |value: &serde_json::Value| -> Vec<String> {
        value.as_array().expect("a list").iter().map(|v| v.as_str().expect("a text").to_owned()).collect()
    };
    let mut outputs = Vec::new();
    for action in plan["actions"].as_array().expect("actions") {
        let sandbox = tempfile::tempdir().expect("a directory");
        for input in list(&action["inputs"]) {
            let to = sandbox.path().join(&input);
            std::fs::create_dir_all(to.parent().expect("a parent")).expect("a directory");
            std::fs::copy(directory.path().join(&input), to).expect("an input");
        }
        let command = list(&action["command"]);
        assert_eq!(command[0], "shaderport");
        let arguments: Vec<&str> = command[1..].iter().map(String::as_str).collect();
        let run = shaderport(sandbox.path(), &arguments);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{command:?}");
        let written = contents(&sandbox.path().join("out"));
        let names: Vec<String> = written.iter().map(|(name, _)| format!("out/{name}")).collect();
        assert_eq!(names, list(&action["outputs"]));
        outputs.extend(written);
        // Without any of its sources it is an error: all of them are read.
        for input in list(&action["inputs"]).into_iter().filter(|input| !input.ends_with(".toml")) {
            let (at, aside) = (sandbox.path().join(&input), sandbox.path().join("aside"));
            std::fs::rename(&at, &aside).expect("an input");
            let run = shaderport(sandbox.path(), &arguments);
            assert!(run.code != 0, "{input} is not read by {command:?}");
            std::fs::rename(&aside, &at).expect("an input");
        }
    }
    outputs.sort();
    assert_eq!(outputs, built(directory.path()));
}

/// What a run of Ninja has done.
fn ninja(directory: &Path, ninja: &Path) -> String {
    let output = Command::new(ninja).args(["-k", "0"]).current_dir(directory).output().expect("ninja");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || text.contains("E0711"), "{text}");
    text
}

/// The programs that a run of Ninja has built, and those whose texts it has validated.
fn done(text: &str, what: &str) -> Vec<String> {
    let of_line = |line: &str| Some(line.split_once("] ")?.1.strip_prefix(what)?.to_owned());
    let mut done: Vec<String> = text.lines().filter_map(of_line).collect();
    done.sort();
    done
}

fn wait_for_the_clock() {
    // Ninja compares times.
    std::thread::sleep(std::time::Duration::from_millis(20));
}

#[test]
fn ninja_builds_what_has_changed() {
    let Some(program) = find("ninja") else {
        eprintln!("ninja was not found: what `plan --format ninja` writes is not run");
        return;
    };
    let directory = tree(&files());
    let at = directory.path();
    let run = || ninja(at, &program);
    let out = || contents(&at.join("out"));
    plan(at, &["--format", "ninja", "--chunk", "1", "--validate"]);
    let all = ["a b.frag.hlsl", "both", "c.frag.hlsl", "lit.frag.hlsl", "mod.slang"];
    let text = run();
    assert_eq!(
        (done(&text, "shaderport "), done(&text, "validate ")),
        (all.map(str::to_owned).into(), all.map(str::to_owned).into())
    );
    assert_eq!(out(), built(at));
    assert!(run().contains("no work to do"));
    // A header that two read; with the same texts, nothing is validated.
    wait_for_the_clock();
    write(at, "s/inc/h1.hlsli", "#define UNUSED\nstatic const float value1 = 1;\n");
    let text = run();
    assert_eq!(done(&text, "shaderport "), ["a b.frag.hlsl", "c.frag.hlsl"]);
    assert_eq!(done(&text, "validate "), [""; 0], "{text}");
    assert!(run().contains("no work to do"));
    // A header that is included anew is followed, without a new plan.
    wait_for_the_clock();
    write(at, "s/c.frag.hlsl", &USER.replace("h1.hlsli\"", "h1.hlsli\"\n#include \"h2.hlsli\""));
    let text = run();
    assert_eq!((done(&text, "shaderport "), done(&text, "plan")), (vec!["c.frag.hlsl".to_owned()], vec![]));
    wait_for_the_clock();
    write(at, "s/inc/h2.hlsli", "static const float value2 = 3;\n");
    let text = run();
    assert_eq!(done(&text, "shaderport "), ["c.frag.hlsl", "lit.frag.hlsl"]);
    assert_eq!(done(&text, "validate "), ["lit.frag.hlsl"]);
    assert_eq!(out(), built(at));
    // A header where one was looked for before: it is another plan, and other actions of its readers alone.
    wait_for_the_clock();
    write(at, "s/h1.hlsli", "static const float value1 = 7;\n");
    let text = run();
    assert_eq!(done(&text, "shaderport "), ["a b.frag.hlsl", "c.frag.hlsl"], "{text}");
    assert_eq!(out(), built(at));
    assert!(run().contains("no work to do"));
}

#[test]
fn ninja_makes_the_plan_again() {
    let Some(program) = find("ninja") else {
        eprintln!("ninja was not found: what `plan --format ninja` writes is not run");
        return;
    };
    let directory = tree(&files());
    let at = directory.path();
    let run = || ninja(at, &program);
    let out = || contents(&at.join("out"));
    plan(at, &["--format", "ninja", "--chunk", "1", "--target", "glsl"]);
    run();
    // A new source; a file that comes and is of no program.
    wait_for_the_clock();
    write(at, "s/new.frag.hlsl", "float4 main() : SV_Target { return 5; }\n");
    assert_eq!(done(&run(), "shaderport "), ["new.frag.hlsl"]);
    wait_for_the_clock();
    write(at, "s/.new.frag.hlsl.swp", "an editor's");
    let text = run();
    assert_eq!((done(&text, "shaderport "), done(&text, "plan")), (vec![], vec![]), "{text}");
    // A setting.
    wait_for_the_clock();
    write(at, "s/shaderport.toml", &MANIFEST.replace("[build]", "[build]\ndefines = { NEW = 1 }"));
    assert_eq!(done(&run(), "shaderport ").len(), 6);
    // A library that gets an entry point.
    wait_for_the_clock();
    write(at, "s/lib.hlsl", "[shader(\"fragment\")] float4 ps() : SV_Target { return 1; }\n");
    assert_eq!(done(&run(), "shaderport "), ["lib.hlsl"]);
    // Another output of a program: its action says so, and the next run has it in its plan.
    wait_for_the_clock();
    write(at, "s/lib.hlsl", "[shader(\"fragment\")] float4 other() : SV_Target { return 1; }\n");
    assert!(run().contains("error[E0711]"));
    assert_eq!(done(&run(), "shaderport "), ["lib.hlsl"]);
    assert!(at.join("out/glsl/lib.other.frag").is_file());
    assert!(run().contains("no work to do"));
    // A source that is gone.
    wait_for_the_clock();
    std::fs::remove_file(at.join("s/c.frag.hlsl")).expect("a source");
    assert_eq!(done(&run(), "shaderport "), [""; 0]);
    assert!(run().contains("no work to do"));
    assert!(out().iter().any(|(name, _)| name == "glsl/new.frag.main.frag"));
}

/// The rules, read by an interpreter of Python in place of Bazel's Starlark, and their commands run by a shell.
#[test]
fn bazel_rules_run() {
    let Some(python) = find("python3") else {
        eprintln!("python3 was not found: what `plan --format bazel` writes is not run");
        return;
    };
    let directory = tree(&files());
    let at = directory.path();
    plan(at, &["--format", "bazel", "--chunk", "2", "--validate", "--target", "wgsl", "--target", "glsl"]);
    let program = "\
import os, shutil, subprocess, sys, tempfile
rules = []
names = dict(genrule=lambda **rule: rules.append(rule), filegroup=lambda **group: None, package_name=lambda: 'pkg')
exec(open('BUILD.bazel').read(), names)
made = {}
for rule in rules:
    with tempfile.TemporaryDirectory() as root:
        for name in rule['srcs']:
            to = os.path.join(root, 'bin' if name in made else 'pkg', name)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            open(to, 'wb').write(made.get(name) or open(name, 'rb').read())
        command = rule['cmd'].replace('$(execpath //tools:shaderport)', sys.argv[1])
        command = command.replace('$(RULEDIR)', 'bin').replace('$$', '$')
        subprocess.run(['sh', '-ec', command], cwd=root, check=True)
        for name in rule['outs']:
            made[name] = open(os.path.join(root, 'bin', name), 'rb').read()
for name, data in made.items():
    to = os.path.join('made', name)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    open(to, 'wb').write(data)
";
    let run = Command::new(python).args(["-c", program, env!("CARGO_BIN_EXE_shaderport")]).current_dir(at).output();
    let run = run.expect("python3");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let made = contents(&at.join("made/out"));
    let expected = shaderport(at, &["build", "s", "--target", "wgsl,glsl", "--out", "whole", "-q"]);
    assert_eq!(expected.code, 0, "{}", expected.stderr);
    assert_eq!(made, contents(&at.join("whole")));
}

#[test]
fn plans_under_a_lock_and_faults() {
    let manifest = "[build]\nbindings-lock = \"bindings.lock\"\n";
    let directory = tree(&[
        ("s/c.frag.hlsl", USER),
        ("s/h1.hlsli", "static const float value1 = 1;\n"),
        ("s/shaderport.toml", manifest),
    ]);
    let at = directory.path();
    let json = |more: &[&str]| shaderport(at, &[&["plan", "s", "--format", "json"], more].concat());
    // Positions are recorded by a build: actions write no lock.
    let run = json(&[]);
    assert!(run.code == 1 && run.stderr.contains("there is no s/bindings.lock"), "{}", run.stderr);
    assert_eq!(shaderport(at, &["build", "s", "-q"]).code, 0);
    let run = json(&[]);
    assert!(
        run.code == 0 && run.stdout.contains("\"--locked\"") && run.stdout.contains("s/bindings.lock"),
        "{}",
        run.stdout
    );
    for (option, fault) in
        [(&["--prune"][..], "--prune"), (&["--no-record"], "--no-record"), (&["--program", "x"], "`x`")]
    {
        let run = json(option);
        assert!(run.code != 0 && run.stderr.contains(fault), "{option:?}: {}", run.stderr);
    }
    write(at, "s/c.frag.hlsl", "float4 main() : SV_Target { return unknown; }\n");
    let run = json(&[]);
    assert!(run.code == 1 && run.stdout.is_empty() && run.stderr.contains("`unknown`"), "{}", run.stderr);
}

/// Texts that were written before are judged, each with its sidecar.
#[test]
fn texts_are_validated_later() {
    let directory = tree(&files());
    let at = directory.path();
    assert_eq!(shaderport(at, &["build", "s", "--target", "wgsl", "-q"]).code, 0);
    let validate = |args: &[&str]| shaderport(at, &[&["validate", "--stamp", "stamp"], args].concat());
    let both = ["out/wgsl/c.frag.wgsl", "out/wgsl/c.frag.json"];
    assert_eq!(validate(&both).code, 0);
    assert!(at.join("stamp").is_file());
    std::fs::remove_file(at.join("stamp")).expect("a stamp");
    write(at, both[0], "fn main() -> f32 { return unknown; }\n");
    let run = validate(&both);
    assert!(run.code == 1 && run.stderr.contains("error[E0801]: out/wgsl/c.frag.wgsl: naga: "), "{}", run.stderr);
    assert!(!at.join("stamp").exists());
    let run = validate(&both[..1]);
    assert!(run.code == 1 && run.stderr.contains("its sidecar has to follow it"), "{}", run.stderr);
}

/// Parts of a tree by their names.
#[test]
fn programs_by_name() {
    let directory = tree(&files());
    let build = |names: &[&str]| {
        let mut args = vec!["build", "s", "--target", "wgsl", "--out", "o", "--prune"];
        names.iter().for_each(|name| args.extend(["--program", name]));
        let run = shaderport(directory.path(), &args);
        (run.code, run.stdout.lines().next().unwrap_or_default().to_owned(), run.stderr)
    };
    assert!(build(&[]).1.starts_with("5 programs"));
    let (code, summary, said) = build(&["both", "*.frag.hlsl"]);
    assert_eq!((code, said.as_str()), (0, ""));
    assert!(summary.starts_with("4 programs") && summary.ends_with("4 built"), "{summary}");
    assert!(build(&[]).1.ends_with("; 0 built"));
    let (code, _, said) = build(&["c.frag.hlsl", "d.frag.hlsl"]);
    assert!(code == 1 && said.contains("error[E0704]: no program in s is called `d.frag.hlsl`"), "{said}");
}
